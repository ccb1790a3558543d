/* fuzz-gold.c — gold files in every format, and a recipe as text and as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All are read from the same bytes. What was written has to read back as the same.
 */
#include "fuzz.h"

#include <string.h>

static void
check_error(const mt_error *error)
{
  g_assert_true(error->code != MT_OK && error->code != MT_ERROR_NO_MEMORY);
  g_assert_true(g_utf8_validate(error->message, -1, NULL) && error->message[0]);
}

/* In order, each once, within the limits. */
static void
look_at(const mt_gold *gold)
{
  size_t n_sure = 0, n_all = 0;
  g_assert_cmpuint(mt_gold_n_sentences(gold), <=, MT_GOLD_MOST_SENTENCES);
  for (size_t i = 0; i < mt_gold_n_sentences(gold); i++) {
    size_t n;
    const mt_gold_link *links = mt_gold_links(gold, i, &n);
    for (size_t l = 0; l < n; l++) {
      g_assert_cmpuint(links[l].source, <=, MT_GOLD_MOST_WORDS);
      g_assert_cmpuint(links[l].target, <=, MT_GOLD_MOST_WORDS);
      g_assert_true(
          l == 0 || links[l - 1].target < links[l].target ||
          (links[l - 1].target == links[l].target && links[l - 1].source < links[l].source));
      n_sure += links[l].is_sure;
    }
    n_all += n;
    mt_error error = {0};
    if (!mt_gold_check(gold, i, 3, 3, &error))
      check_error(&error);
    const char *text = mt_gold_text(gold, i, MT_STACK_DECODER);
    fuzz_sink += text ? (double) strlen(text) : 0;
  }
  g_assert_cmpuint(n_sure, ==, mt_gold_n_sure(gold));
  g_assert_cmpuint(n_all, ==, mt_gold_n_possible(gold));
}

static gboolean
is_naacl(size_t format)
{
  return strcmp(mt_gold_format_at(format)->id, "naacl") == 0;
}

/* Sentences without links at the end are not in a file of links. */
static void
assert_same(const mt_gold *a, const mt_gold *b, gboolean may_end)
{
  const size_t n = mt_gold_n_sentences(b);
  g_assert_true(may_end ? n <= mt_gold_n_sentences(a) : n == mt_gold_n_sentences(a));
  g_assert_cmpuint(mt_gold_n_possible(a), ==, mt_gold_n_possible(b));
  for (size_t i = 0; i < n; i++) {
    size_t n_a, n_b;
    const mt_gold_link *x = mt_gold_links(a, i, &n_a), *y = mt_gold_links(b, i, &n_b);
    g_assert_cmpuint(n_a, ==, n_b);
    for (size_t l = 0; l < n_a; l++)
      g_assert_true(x[l].source == y[l].source && x[l].target == y[l].target &&
                    x[l].is_sure == y[l].is_sure);
  }
}

static void
write_and_read(const mt_gold *gold)
{
  const gboolean has_texts =
      mt_gold_n_sentences(gold) > 0 && mt_gold_text(gold, 0, MT_STACK_ENCODER);
  for (size_t f = 0; f < mt_gold_n_formats(); f++)
    for (int base = 0; base <= 1; base++) {
      mt_error error = {0};
      /* A word 65535 counts 65536 from 1. */
      const gboolean is_large = base == 1 || is_naacl(f);
      if (mt_gold_format_at(f)->has_texts && !has_texts)
        continue;
      char *text = mt_gold_to_text(gold, f, base, &error);
      g_assert_nonnull(text);
      const int from = is_naacl(f) ? 1 : base;
      mt_gold *again = mt_gold_parse("written", text, strlen(text), (int) f, from, &error);
      if (again)
        assert_same(gold, again, is_naacl(f));
      else
        g_assert_true(is_large && strstr(text, "65536"));
      mt_gold_unref(again);
      mt_string_free(text);
    }
}

static void
read_gold(const char *text, size_t n, int format, int base)
{
  mt_error error = {0};
  mt_gold *gold = mt_gold_parse("input", text, n, format, base, &error);
  if (!gold) {
    check_error(&error);
    return;
  }
  look_at(gold);
  if (mt_gold_n_sentences(gold) < 10000)
    write_and_read(gold);
  mt_gold_unref(gold);
}

static void
read_recipe(const char *text, size_t n)
{
  mt_recipe recipe, again;
  mt_error error = {0};
  char written[MT_RECIPE_TEXT_SIZE];
  if (!mt_recipe_parse(&recipe, "input", text, &error)) {
    check_error(&error);
    if (!mt_recipe_from_json(&recipe, "input", text, n, &error)) {
      check_error(&error);
      return;
    }
  }
  g_assert_true(mt_recipe_parse(&again, "written", mt_recipe_text(&recipe, written), &error));
  g_assert_true(mt_recipe_equal(&recipe, &again));
  char *json = mt_recipe_to_json(&recipe, &error);
  g_assert_true(mt_recipe_from_json(&again, "written", json, strlen(json), &error));
  g_assert_true(mt_recipe_equal(&recipe, &again));
  mt_string_free(json);
  fuzz_sink += (double) strlen(mt_recipe_describe(&recipe, MT_RECIPE_ALL_ROWS, written));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *bytes = (const char *) data;
  for (int format = MT_GOLD_GUESS; format < (int) mt_gold_n_formats(); format++)
    read_gold(bytes, size, format, size % 3 == 0 ? (int) (size / 3 % 2) : MT_GOLD_GUESS);
  char *text = g_strndup(bytes, size);
  read_recipe(text, size);
  g_free(text);
  return 0;
}

/* fuzz-gold.c — gold files in every format, and a recipe as text and as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All are read from the same bytes. What was written has to read back as the same.
 */
#include "engine-test.h"
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
  g_assert_cmpuint(gold->n_sentences, <=, MT_GOLD_MOST_SENTENCES);
  for (size_t i = 0; i < gold->n_sentences; i++) {
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
  g_assert_cmpuint(n_sure, ==, gold->n_sure);
  g_assert_cmpuint(n_all, ==, gold->n_links);
}

static void
read_gold(const char *text, size_t n, int format, int base)
{
  mt_error error = {0};
  g_autoptr(mt_gold) gold = mt_gold_parse("input", text, n, format, base, &error);
  if (!gold) {
    check_error(&error);
    return;
  }
  look_at(gold);
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
  g_autofree char *text = g_strndup(bytes, size);
  read_recipe(text, size);
  return 0;
}

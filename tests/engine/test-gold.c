/* test-gold.c — gold files, good and bad, read and written; error rates and their intervals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "failing-malloc.h"
#include "golden.h"
#include "mt.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static mt_gold *
parse_as(const char *text, const char *format, int base)
{
  mt_error error = {0};
  const int number = format ? (int) mt_gold_find_format(format) : MT_GOLD_GUESS;
  mt_gold *gold = mt_gold_parse("gold", text, strlen(text), number, base, &error);
  if (!gold)
    g_error("%s", error.message);
  return gold;
}

/* "0-0 1p2" of a sentence. */
static char *
links_of(const mt_gold *gold, size_t i)
{
  size_t n;
  const mt_gold_link *links = mt_gold_links(gold, i, &n);
  GString *text = g_string_new(NULL);
  for (size_t l = 0; l < n; l++)
    g_string_append_printf(text, "%s%u%c%u", l ? " " : "", links[l].source,
                           links[l].is_sure ? '-' : 'p', links[l].target);
  return g_string_free(text, FALSE);
}

static void
assert_links(const mt_gold *gold, size_t i, const char *want)
{
  g_autofree char *found = links_of(gold, i);
  g_assert_cmpstr(found, ==, want);
}

static const char *
format_of(const mt_gold *gold)
{
  return mt_gold_format_at(gold->format)->id;
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

static void
test_formats(void)
{
  static const struct {
    const char *text, *format; /* that it looks like */
    unsigned base;
    const char *first, *second;
  } cases[] = {
      {"0-0 1p2 3-1\n\n", "pharaoh", 0, "0-0 3-1 1p2", ""},
      {"1-1 2P3\r\n2?1 1s1", "pharaoh", 1, "0-0 1p2", "0-0 1p0"},
      {"\xEF\xBB\xBF 1-0\t2-2 \n0-1\n", "pharaoh", 0, "1-0 2-2", "0-1"},
      {"0001 1 1 S\n0001 2 3 P\n\n2 1 2\n2 0 3 S\n", "naacl", 1, "0-0 1p2", "0-1"},
      {"1 1 1 S 0.5\n1 2 1 0.25\n2 2 2 P 1\n", "naacl", 1, "0-0 1-0", "1p1"},
      {"a b\tc d\t1-1\t2-1\nx\ty\t1-1\n", "tsv", 1, "0-0 1p0", "0-0"},
      {"a b\tc d\t0-1\t\nx\ty\t\t0-0\n", "tsv", 0, "0-1", "0p0"},
      /* The sure one counts, whichever comes first. */
      {"1p1 1-1 1p1\n0-0 0p0\n", "pharaoh", 0, "1-1", "0-0"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_gold *gold = parse_as(cases[i].text, NULL, MT_GOLD_GUESS);
    g_assert_cmpstr(format_of(gold), ==, cases[i].format);
    g_assert_cmpuint(gold->base, ==, cases[i].base);
    g_assert_cmpuint(gold->n_sentences, ==, 2);
    assert_links(gold, 0, cases[i].first);
    assert_links(gold, 1, cases[i].second);
    mt_gold_unref(gold);
  }
  mt_gold *gold = parse_as("a b\tc d\t1-1\n", NULL, MT_GOLD_GUESS);
  g_assert_cmpstr(mt_gold_text(gold, 0, MT_STACK_ENCODER), ==, "a b");
  g_assert_cmpstr(mt_gold_text(gold, 0, MT_STACK_DECODER), ==, "c d");
  mt_gold_unref(gold);
  gold = parse_as("1-1\n", "talp", 0);
  assert_links(gold, 0, "1-1");
  g_assert_null(mt_gold_text(gold, 0, MT_STACK_ENCODER));
  mt_gold_unref(gold);
}

/* Each with the line and what is wrong. */
static void
test_wrong(void)
{
  static const struct {
    const char *text, *format;
    int base;
    const char *says;
  } cases[] = {
      {"0-0\n1-2 3--4\n", NULL, MT_GOLD_GUESS,
       "gold, line 2: expected links such as 0-0 or 1p2, found \"3--4\"."},
      {"0-0\n\n1-\n", NULL, MT_GOLD_GUESS,
       "gold, line 3: expected links such as 0-0 or 1p2, found \"1-\"."},
      {"0-0 65536-1\n", NULL, MT_GOLD_GUESS, "gold, line 1: expected links"},
      {"0-0 1-99999999999999999999999\n", NULL, MT_GOLD_GUESS, "gold, line 1: expected links"},
      {"1-1\n0-1\n", NULL, 1, "gold, line 2: expected words counted from 1, found 0-1."},
      {"1 1 1 S\n1 2 X\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected the number of a sentence"},
      {"1 1 1 S\n0 2 2\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected the number of a sentence"},
      {"1 1 1 S\n1000001 2 2\n", NULL, MT_GOLD_GUESS,
       "gold, line 2: expected the number of a sentence from 1 to 1000000"},
      {"1 1 1 S\n1 2 2 Q\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected S, P or a confidence"},
      {"1 1 1 S\n1 2 2 SS\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected S or P"},
      {"1 1 1 S\n1 2 2 P 0.5 7\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected the end"},
      {"1 1 1 S\n", NULL, 0, "gold: the NAACL format counts from 1."},
      {"a\tb\t1-1\na\tb\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected source, target"},
      {"a\tb\t1-1\na\tb\t1-1\t2-2\t3-3\n", NULL, MT_GOLD_GUESS,
       "gold, line 2: expected source, target"},
      {"a\tb\t1-1\na\tb\tc-1\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected links"},
      {"a\tb\t1-1\n \tb\t1-1\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected a source text"},
      {"a\tb\t1-1\na\t\xff\t1-1\n", NULL, MT_GOLD_GUESS, "gold, line 2: expected a target text"},
      {"Das ist ein Text.\n", NULL, MT_GOLD_GUESS, "gold: expected a gold file"},
      {"Das ist ein Text.\n", "pharaoh", MT_GOLD_GUESS, "gold, line 1: expected links"},
      {"0-0\n", NULL, 2, "Words are counted from 0 or from 1, not from 2."},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_error error = {0};
    const int format = cases[i].format ? (int) mt_gold_find_format(cases[i].format) : MT_GOLD_GUESS;
    g_assert_null(
        mt_gold_parse("gold", cases[i].text, strlen(cases[i].text), format, cases[i].base, &error));
    if (!g_str_has_prefix(error.message, cases[i].says))
      g_error("case %zu: expected %s, found %s", i, cases[i].says, error.message);
    g_assert_cmpint(error.code, !=, MT_OK);
  }
  mt_error error = {0};
  g_assert_null(mt_gold_parse("gold", "0-0\n", 4, 99, MT_GOLD_GUESS, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_gold_read("/nowhere/at/all", MT_GOLD_GUESS, MT_GOLD_GUESS, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

/* Links are between words that are there. */
static void
test_check(void)
{
  mt_error error = {0};
  g_autoptr(mt_gold) gold = parse_as("0-0 2-1\n\n1-0\n", "pharaoh", 0);
  g_assert_true(mt_gold_check(gold, 0, 3, 2, &error));
  g_assert_false(mt_gold_check(gold, 0, 2, 2, &error));
  g_assert_nonnull(strstr(error.message, "sentence 1, which has 2 and 2 words"));
}

/* The set that comes along, as its README counts it. */
static void
test_own_set(void)
{
  g_autofree char *path = golden_path("tests/data/gold/en-de.tsv");
  mt_error error = {0};
  g_autoptr(mt_gold) gold = mt_gold_read(path, MT_GOLD_GUESS, MT_GOLD_GUESS, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(format_of(gold), ==, "tsv");
  g_assert_cmpstr(gold->label, ==, "en-de.tsv");
  g_assert_cmpuint(gold->base, ==, 1);
  g_assert_cmpuint(gold->n_sentences, ==, 60);
  g_assert_cmpuint(gold->n_sure, ==, 489);
  g_assert_cmpuint(gold->n_links, ==, 489 + 160);
  /* All of its links are between words that are there. */
  for (size_t i = 0; i < 60; i++) {
    size_t n[MT_N_STACKS];
    for (int side = 0; side < MT_N_STACKS; side++) {
      g_auto(GStrv) words = g_strsplit(mt_gold_text(gold, i, (mt_stack) side), " ", -1);
      n[side] = g_strv_length(words);
    }
    g_assert_true(mt_gold_check(gold, i, n[0], n[1], &error));
  }
}

/* Whatever allocation fails, a file is read as a whole or not at all. */
static void
test_memory(void)
{
  static const char text[] = "a b\tc d\t1-1 2-2\t2-1\nx\ty\t1-1\n";
  for (size_t k = 1;; k++) {
    mt_error error = {0};
    failing_malloc_begin(k, false);
    mt_gold *gold = mt_gold_parse("gold", text, strlen(text), MT_GOLD_GUESS, MT_GOLD_GUESS, &error);
    const size_t n = failing_malloc_end();
    g_assert_true((gold == NULL) == (k <= n));
    mt_gold_unref(gold);
    g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
    if (k > n) {
      g_assert_cmpuint(n, >, 5);
      return;
    }
    g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
  }
}

/* ---- Error rates ------------------------------------------------------------------------------
 */

static void
test_counts(void)
{
  const mt_link links[] = {{0, 0, 1}, {1, 0, 1}, {3, 1, 1}, {1, 2, 1}};
  const mt_gold_link gold[] = {{0, 0, 1, true}, {2, 0, 1, true}, {3, 1, 1, false}, {1, 3, 1, true}};
  const mt_aer_counts c = mt_aer_count(links, 4, gold, 4);
  g_assert_cmpuint(c.n_links, ==, 4);
  g_assert_cmpuint(c.n_sure, ==, 3);
  g_assert_cmpuint(c.n_links_sure, ==, 1);
  g_assert_cmpuint(c.n_links_possible, ==, 2);
  g_assert_cmpfloat_with_epsilon(mt_aer(&c), 1 - 3 / 7.0, 1e-15);
  g_assert_cmpfloat_with_epsilon(mt_aer_precision(&c), 0.5, 1e-15);
  g_assert_cmpfloat_with_epsilon(mt_aer_recall(&c), 1 / 3.0, 1e-15);
  const mt_aer_counts nothing = mt_aer_count(NULL, 0, NULL, 0);
  g_assert_true(isnan(mt_aer(&nothing)) && isnan(mt_aer_precision(&nothing)) &&
                isnan(mt_aer_recall(&nothing)));
  /* The gold itself has none. */
  const mt_link own[] = {{0, 0, 1}, {2, 0, 1}, {3, 1, 1}, {1, 3, 1}};
  const mt_aer_counts right = mt_aer_count(own, 4, gold, 4);
  g_assert_cmpfloat(mt_aer(&right), ==, 0);
}

/* The same seed draws the same; a sentence is drawn as often as another; of equal sentences there
 * is nothing to vary; more sentences make it narrower. */
static void
test_bootstrap(void)
{
  size_t seen[10] = {0};
  mt_error error = {0};
  for (size_t s = 0; s < 200; s++)
    for (size_t d = 0; d < 100; d++)
      seen[mt_bootstrap_draw(1, s, d, 10)]++;
  for (size_t i = 0; i < 10; i++)
    g_assert_true(seen[i] > 1850 && seen[i] < 2150); /* 2000, its deviation is 42 */
  g_assert_cmpuint(mt_bootstrap_draw(1, 2, 3, 1000000), !=, mt_bootstrap_draw(2, 2, 3, 1000000));

  mt_aer_counts sentences[100];
  double low, high, narrow_low, narrow_high, again;
  const mt_bootstrap bootstrap = {.seed = 3};
  for (size_t i = 0; i < 100; i++)
    sentences[i] = (mt_aer_counts){10, 10, 5, 5};
  g_assert_true(mt_bootstrap_interval(&bootstrap, sentences, 100, &low, &high, &error));
  g_assert_cmpfloat_with_epsilon(low, 0.5, 1e-15);
  g_assert_cmpfloat_with_epsilon(high, 0.5, 1e-15);
  for (size_t i = 0; i < 100; i++)
    sentences[i].n_links_sure = sentences[i].n_links_possible = (uint32_t) (i * 7 % 10);
  g_assert_true(mt_bootstrap_interval(&bootstrap, sentences, 10, &low, &high, &error));
  g_assert_true(
      mt_bootstrap_interval(&bootstrap, sentences, 100, &narrow_low, &narrow_high, &error));
  g_assert_cmpfloat(narrow_high - narrow_low, <, 0.6 * (high - low));
  g_assert_true(mt_bootstrap_interval(&bootstrap, sentences, 10, &again, &high, &error));
  g_assert_cmpfloat(again, ==, low);
  g_assert_true(mt_bootstrap_interval(&bootstrap, NULL, 0, &low, &high, &error));
  g_assert_true(isnan(low) && isnan(high));
  const mt_bootstrap wrong = {.n_samples = 1000001};
  g_assert_false(mt_bootstrap_interval(&wrong, sentences, 10, &low, &high, &error));
}

TESTS()
{
  g_test_add_func("/gold/formats", test_formats);
  g_test_add_func("/gold/wrong", test_wrong);
  g_test_add_func("/gold/check", test_check);
  g_test_add_func("/gold/own-set", test_own_set);
  g_test_add_func("/gold/memory", test_memory);
  g_test_add_func("/gold/counts", test_counts);
  g_test_add_func("/gold/bootstrap", test_bootstrap);
}

/* test-scores.c — BLEU and chrF against sacreBLEU (tests/reference/make_scores.py).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "files/mt-json.h"
#include "mt/train/scores.h"
#include "suite.h"
#include "train/mt-ngrams.h"

#include <glib.h>
#include <string.h>

#define TOLERANCE 0.01 /* points of 100, as asked for; they agree to 1e-9 */

static mt_json golden;

static double
number(const mt_json_value *set, const char *key)
{
  return mt_json_number(mt_json_member(set, key));
}

static void
check_set(gconstpointer data)
{
  const mt_json_value *set = data;
  const mt_json_value *h = mt_json_member(set, "hypotheses");
  const mt_json_value *r = mt_json_member(set, "references");
  const mt_json_value *precisions = mt_json_member(set, "precisions");
  mt_bleu bleu = {0};
  mt_chrf chrf = {0};
  mt_error error = {0};
  g_assert_cmpuint(mt_json_length(h), >, 0);
  for (gsize i = 0; i < mt_json_length(h); i++) {
    const char *hypothesis = mt_json_string(mt_json_at(h, i));
    const char *reference = mt_json_string(mt_json_at(r, i));
    gsize n_h = strlen(hypothesis), n_r = strlen(reference);
    g_assert_true(mt_bleu_add(&bleu, hypothesis, n_h, reference, n_r, &error));
    g_assert_true(mt_chrf_add(&chrf, hypothesis, n_h, reference, n_r, &error));
  }
  g_test_message("BLEU %.6f (%.6f) chrF %.6f (%.6f)", mt_bleu_score(&bleu), number(set, "bleu"),
                 mt_chrf_score(&chrf), number(set, "chrf"));
  g_assert_cmpfloat_with_epsilon(mt_bleu_score(&bleu), number(set, "bleu"), TOLERANCE);
  g_assert_cmpfloat_with_epsilon(mt_chrf_score(&chrf), number(set, "chrf"), TOLERANCE);
  g_assert_cmpfloat_with_epsilon(mt_bleu_brevity(&bleu), number(set, "brevity"), 1e-4);
  /* Where nothing matches at all, sacreBLEU leaves the precisions at 0. */
  for (gsize n = 0; n < MT_BLEU_ORDER && bleu.n_matches[0] > 0; n++)
    g_assert_cmpfloat_with_epsilon(mt_bleu_precision(&bleu, n),
                                   mt_json_number(mt_json_at(precisions, n)), TOLERANCE);
}

static void
test_signatures(void)
{
  g_assert_cmpstr(mt_json_string(mt_json_get(&golden, "bleu_signature")), ==, MT_BLEU_SIGNATURE);
  g_assert_cmpstr(mt_json_string(mt_json_get(&golden, "chrf_signature")), ==, MT_CHRF_SIGNATURE);
}

/* The same counts by looking at every pair of places. */
static void
test_ngrams(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  for (guint turn = 0; turn < 200; turn++) {
    uint32_t a[40], b[40];
    gsize n_a = (gsize) g_rand_int_range(rand, 0, 40), n_b = (gsize) g_rand_int_range(rand, 0, 40);
    for (gsize i = 0; i < n_a; i++)
      a[i] = (uint32_t) g_rand_int_range(rand, 0, 3);
    for (gsize i = 0; i < n_b; i++)
      b[i] = (uint32_t) g_rand_int_range(rand, 0, 3);
    uint64_t matches[MT_NGRAMS_MAX_ORDER];
    mt_error error = {0};
    g_assert_true(mt_ngrams_match(a, n_a, b, n_b, 6, matches, &error));
    for (gsize n = 1; n <= 6; n++) {
      gboolean used[40] = {FALSE};
      uint64_t expected = 0;
      for (gsize i = 0; i + n <= n_a; i++)
        for (gsize k = 0; k + n <= n_b; k++)
          if (!used[k] && memcmp(a + i, b + k, n * sizeof *a) == 0) {
            used[k] = TRUE;
            expected++;
            break;
          }
      g_assert_cmpuint(matches[n - 1], ==, expected);
    }
  }
}

static void
test_nothing_counted(void)
{
  const mt_bleu bleu = {0};
  const mt_chrf chrf = {0};
  g_assert_cmpfloat(mt_bleu_score(&bleu), ==, 0);
  g_assert_cmpfloat(mt_chrf_score(&chrf), ==, 0);
}

/* What is not UTF-8 is compared byte by byte, and long lines take no time. */
static void
test_any_bytes(void)
{
  const gsize n = 200000;
  g_autofree char *a = g_malloc(n), *b = g_malloc(n);
  for (gsize i = 0; i < n; i++) {
    a[i] = (char) (i * 7919 >> 3);
    b[i] = (char) (i * 7919 >> 3 ^ (i % 97 == 0));
  }
  mt_bleu bleu = {0};
  mt_chrf chrf = {0};
  mt_error error = {0};
  g_assert_true(mt_bleu_add(&bleu, a, n, b, n, &error));
  g_assert_true(mt_chrf_add(&chrf, a, n, b, n, &error));
  g_assert_cmpfloat(mt_chrf_score(&chrf), >, 80);
  g_assert_cmpfloat(mt_chrf_score(&chrf), <, 100);
  mt_chrf same = {0};
  g_assert_true(mt_chrf_add(&same, a, n, a, n, &error));
  g_assert_cmpfloat_with_epsilon(mt_chrf_score(&same), 100, 1e-9);
}

static void
test_no_memory(void)
{
  static const char text[] = "Ein Satz, der <b>nicht</b> ganz kurz ist: 1.5 &amp; 2-3.";
  gboolean done = FALSE;
  for (int n = 0; !done; n++) {
    mt_bleu bleu = {0};
    mt_chrf chrf = {0};
    mt_error error = {0};
    few_then_all_fail(n);
    gboolean bleu_ok = mt_bleu_add(&bleu, text, strlen(text), text + 4, strlen(text + 4), &error);
    gboolean chrf_ok = mt_chrf_add(&chrf, text, strlen(text), text + 4, strlen(text + 4), &error);
    few_end();
    done = bleu_ok && chrf_ok;
    if (!done)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_assert_cmpint(bleu.n_reference > 0, ==, bleu_ok);
    g_assert_cmpint(chrf.n_reference[0] > 0, ==, chrf_ok);
  }
}

static void
tear_down(void)
{
  mt_json_clear(&golden);
}

TESTS(.end = tear_down)
{
  g_autofree char *text = NULL;
  gsize n;
  mt_error error = {0};
  g_assert_true(g_file_get_contents(REGARD_SOURCE_ROOT "/tests/data/scores.json", &text, &n, NULL));
  g_assert_true(mt_json_parse(&golden, "scores.json", text, n, &error));
  const mt_json_value *sets = mt_json_get(&golden, "sets");
  g_assert_cmpuint(mt_json_length(sets), >=, 5);
  for (gsize i = 0; i < mt_json_length(sets); i++) {
    const mt_json_value *set = mt_json_at(sets, i);
    g_autofree char *name =
        g_strconcat("/scores/golden/", mt_json_string(mt_json_member(set, "name")), NULL);
    g_test_add_data_func(name, set, check_set);
  }
  g_test_add_func("/scores/signatures", test_signatures);
  g_test_add_func("/scores/ngrams", test_ngrams);
  g_test_add_func("/scores/nothing-counted", test_nothing_counted);
  g_test_add_func("/scores/any-bytes", test_any_bytes);
  g_test_add_func("/scores/no-memory", test_no_memory);
}

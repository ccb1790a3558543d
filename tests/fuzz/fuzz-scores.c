/* fuzz-scores.c — two texts: cleaned as a pair to train with, and compared by BLEU and chrF.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The input up to its first tab, and what follows.
 */
#include "fuzz.h"
#include "mt/train/scores.h"
#include "train/train-corpus.h"

#include <string.h>

static void
clean(const char *const texts[2], const gsize lengths[2])
{
  static const TrainLimits limits = {.max_chars = 500, .max_ratio = 3};
  g_autoptr(GString) a = g_string_new(NULL);
  g_autoptr(GString) b = g_string_new(NULL);
  GString *const out[2] = {a, b};
  TrainDrop drop = train_clean_pair(texts, lengths, &limits, out);
  g_assert(drop < TRAIN_N_DROPS && *train_drop_name(drop));
  if (drop)
    return;
  for (int s = 0; s < 2; s++) {
    g_assert_true(g_utf8_validate(out[s]->str, (gssize) out[s]->len, NULL));
    g_assert_cmpint(g_utf8_strlen(out[s]->str, -1), <=, 500);
    fuzz_sink += (double) train_hash_loosely(out[s]->str, out[s]->len);
  }
  /* What is clean stays as it is. */
  g_autoptr(GString) c = g_string_new(NULL);
  g_autoptr(GString) d = g_string_new(NULL);
  GString *const again[2] = {c, d};
  const char *const cleaned[2] = {a->str, b->str};
  const gsize n_cleaned[2] = {a->len, b->len};
  g_assert_cmpint(train_clean_pair(cleaned, n_cleaned, &limits, again), ==, TRAIN_KEPT);
  g_assert_true(g_string_equal(a, c) && g_string_equal(b, d));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint8_t *tab = size ? memchr(data, '\t', size) : NULL;
  gsize n = tab ? (gsize) (tab - data) : size;
  const char *const texts[2] = {(const char *) data, (const char *) (tab ? tab + 1 : data + size)};
  const gsize lengths[2] = {n, tab ? size - n - 1 : 0};
  clean(texts, lengths);
  mt_bleu bleu = {0}, same = {0};
  mt_chrf chrf = {0};
  mt_error error = {0};
  g_assert_true(mt_bleu_add(&bleu, texts[0], lengths[0], texts[1], lengths[1], &error));
  g_assert_true(mt_chrf_add(&chrf, texts[0], lengths[0], texts[1], lengths[1], &error));
  double score = mt_bleu_score(&bleu), f = mt_chrf_score(&chrf);
  g_assert(score >= 0 && score <= 100 + 1e-9 && f >= 0 && f <= 100 + 1e-9);
  /* A text is its own translation. */
  g_assert_true(mt_bleu_add(&same, texts[0], n, texts[0], n, &error));
  for (int order = 0; order < MT_BLEU_ORDER; order++)
    g_assert_cmpuint(same.n_matches[order], ==, same.n_ngrams[order]);
  return 0;
}

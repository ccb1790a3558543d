/* scores.h — scores of translations: BLEU, chrF, and both with intervals. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_SCORES_H
#define MT_PUBLIC_TRAIN_SCORES_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- BLEU ------------------------------------------------------------------------------------ */

#define MT_BLEU_ORDER 4 /* n-grams of 1 … 4 tokens */

/* What sacreBLEU prints for these settings, but for the version of the program. */
#define MT_BLEU_SIGNATURE "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"

/* Sums over a corpus; initialise with {0}. */
typedef struct {
  uint64_t n_matches[MT_BLEU_ORDER];  /* clipped: counted at most as often as in the reference */
  uint64_t n_ngrams[MT_BLEU_ORDER];   /* of the hypotheses */
  uint64_t n_hypothesis, n_reference; /* tokens */
} mt_bleu;

/* Count one sentence and its reference: n bytes of text each, which may be empty. Bytes that are
 * not UTF-8 are tokens' letters. False: MT_ERROR_NO_MEMORY, and nothing is counted. */
bool mt_bleu_add(mt_bleu *bleu, const char *hypothesis, size_t n_hypothesis, const char *reference,
                 size_t n_reference, mt_error *error);

/* BLEU in 0 … 100: the brevity penalty exp(min(0, 1 − r/c)) times the geometric mean of the four
 * precisions; the k-th precision without a match is 1/(2^k n) (NIST's "exp" smoothing). 0 if
 * nothing was counted or no n-gram of some order can exist. */
double mt_bleu_score(const mt_bleu *bleu);

/* The parts: precision of order n < MT_BLEU_ORDER in percent (smoothed), and the brevity penalty.
 */
double mt_bleu_precision(const mt_bleu *bleu, size_t n);
double mt_bleu_brevity(const mt_bleu *bleu);

/* ---- chrF ------------------------------------------------------------------------------------ */

#define MT_CHRF_ORDER 6 /* n-grams of 1 … 6 characters; white space does not count */
#define MT_CHRF_BETA  2 /* recall counts twice as much as precision */

/* What sacreBLEU prints for these settings, but for the version of the program. */
#define MT_CHRF_SIGNATURE "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"

/* Sums over a corpus; initialise with {0}. */
typedef struct {
  uint64_t n_hypothesis[MT_CHRF_ORDER], n_reference[MT_CHRF_ORDER], n_matches[MT_CHRF_ORDER];
} mt_chrf;

/* Count one sentence and its reference: n bytes of text each, which may be empty. A byte that is
 * not UTF-8 is a character. False: MT_ERROR_NO_MEMORY, and nothing is counted. */
bool mt_chrf_add(mt_chrf *chrf, const char *hypothesis, size_t n_hypothesis, const char *reference,
                 size_t n_reference, mt_error *error);

/* chrF2 in 0 … 100: F_β of the precision and recall averaged over the orders. */
double mt_chrf_score(const mt_chrf *chrf);

/* ---- Quality --------------------------------------------------------------------------------- */

/* Sentences translated by one system, or by two (A and B: the model without changes and with
 * them), with references. What is counted of each sentence is kept, so that sums over any of them
 * can be had: 600 bytes a sentence. */
typedef struct mt_quality mt_quality;

/* n_systems: 1 or 2. NULL: MT_ERROR_NO_MEMORY. */
mt_quality *mt_quality_new(size_t n_systems, mt_error *error);
void mt_quality_free(mt_quality *quality);

/* Count one sentence of a group, any number, with its n_systems translations. False:
 * MT_ERROR_NO_MEMORY, and nothing is counted. */
bool mt_quality_add(mt_quality *quality, size_t group, const char *const *translations,
                    const char *reference, mt_error *error);

typedef enum { MT_QUALITY_BLEU, MT_QUALITY_CHRF, MT_N_QUALITIES } mt_quality_measure;

/* A score in points of 100, and the middle 95 % of what it is over sentences drawn anew. */
typedef struct {
  double value, lo, hi;
} mt_interval;

typedef struct {
  size_t n;                                /* sentences */
  mt_interval scores[2][MT_N_QUALITIES];   /* of A, and of B where there are two */
  mt_interval differences[MT_N_QUALITIES]; /* B - A */
} mt_quality_scores;

#define MT_QUALITY_ALL SIZE_MAX

/* Corpus scores (bleu.h, chrf.h) of the sentences of a group, or of all. The intervals are those of
 * the paired bootstrap (Koehn 2004): n sentences are drawn n at a time with replacement, the same
 * for A and B, n_draws times, 0: not at all, and lo and hi are the values; the same numbers give
 * the same intervals. O(n n_draws). All NaN where n is 0. False: MT_ERROR_NO_MEMORY;
 * MT_ERROR_CANCELLED where should_stop, which may be NULL, said so. */
bool mt_quality_compute(const mt_quality *quality, size_t group, size_t n_draws,
                        bool (*should_stop)(void *user), void *user, mt_quality_scores *scores,
                        mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

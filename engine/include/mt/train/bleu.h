/* bleu.h — corpus BLEU (Papineni et al. 2002) as sacreBLEU (Post 2018) computes it. Part of
 * mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_BLEU_H
#define MT_PUBLIC_TRAIN_BLEU_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif

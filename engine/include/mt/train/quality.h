/* quality.h — how good translations of a text are, one way and another, in groups of sentences.
 * Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_QUALITY_H
#define MT_PUBLIC_TRAIN_QUALITY_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

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

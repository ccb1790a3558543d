/* chrf.h — chrF2 (Popović 2015) as sacreBLEU (Post 2018) computes it. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_CHRF_H
#define MT_PUBLIC_TRAIN_CHRF_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif

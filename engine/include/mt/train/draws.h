/* draws.h — several segmentations of one text. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_DRAWS_H
#define MT_PUBLIC_TRAIN_DRAWS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which segmentations of a text are drawn: subword regularisation (Kudo 2018). */
typedef struct {
  size_t nbest_size;    /* one of so many */
  double alpha;         /* 0: all alike … 1: by their probability */
  const double *chosen; /* [n], numbers from 0 to below 1: the same give the same segmentations */
  size_t n;
} mt_spm_draws;

#ifdef __cplusplus
}
#endif
#endif

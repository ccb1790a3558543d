/* metrics.h — numbers computed from a matrix. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_METRICS_H
#define MT_PUBLIC_METRICS_H

#include <mt/capture.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entropy in bits of a row that sums to 1: -sum a log2 a. */
double mt_row_entropy(const float *row, size_t n);
/* 1 + number of strictly larger entries in the row. */
size_t mt_row_rank(const float *row, size_t n, size_t col);

/* Summary of one head on one sentence (formulas: visualiser literature, Voita 2019, Clark 2019,
 * Vig & Belinkov 2019). */
typedef struct {
  double mean_entropy;      /* bits, mean over rows */
  double confidence;        /* mean over rows of the row's maximum, special columns left out */
  double diagonal_distance; /* self: mean |i - j| weighted; cross: mean |i/(m-1) - j/(n-1)| */
  double special_share;     /* mean mass on special tokens (</s>, <pad>, language) */
  double previous_share;    /* share of rows whose largest cell is at offset -1 (self only) */
  double same_share;        /* … 0 */
  double next_share;        /* … +1 */
  double monotone_share;    /* cross: share of rows with argmax >= that of the row before */
} mt_head_metrics;
mt_head_metrics mt_head_metrics_compute(const mt_capture *capture, mt_attention_kind kind,
                                        size_t layer, size_t head);

#ifdef __cplusplus
}
#endif
#endif

/* norms.h — layer norm, and what batch norm would do to the same numbers. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_NORMS_H
#define MT_PUBLIC_NORMS_H

#include <mt/error.h>
#include <mt/stream.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A layer norm takes the mean and the deviation of the numbers of one token; batch norm (Ioffe &
 * Szegedy 2015) those of one number over the tokens of a batch. Gain and bias are the model's in
 * both. */
typedef struct mt_batch_norm mt_batch_norm;
/* Over all tokens of n traces (mt_taps_add_stream), what the layer norm of this point reads.
 * MT_ERROR_INPUT: one of them lacks it, or n is 0; MT_ERROR_NO_MEMORY. */
mt_batch_norm *mt_batch_norm_new(const mt_trace *const *traces, size_t n, mt_point point,
                                 mt_error *error);
void mt_batch_norm_free(mt_batch_norm *batch);
size_t mt_batch_norm_tokens(const mt_batch_norm *batch);       /* that it is over */
const double *mt_batch_norm_mean(const mt_batch_norm *batch);  /* [d] */
const double *mt_batch_norm_sigma(const mt_batch_norm *batch); /* [d] sqrt(variance + 1e-5) */

/* One token's numbers at one point, [d] each: what the norm reads; and it normalised by itself, and
 * by the batch (batch or by_batch may be NULL). false: the trace lacks it, or there is no norm. */
bool mt_norms_compare(const mt_model *model, const mt_trace *trace, mt_point point, size_t token,
                      const mt_batch_norm *batch, float *read, float *by_layer, float *by_batch);
/* Gain and bias of the point's layer norm; false: the point has none. */
bool mt_point_norm(const mt_model *model, mt_point point, const float **gain, const float **bias);

#ifdef __cplusplus
}
#endif
#endif

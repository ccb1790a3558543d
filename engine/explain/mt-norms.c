/* mt-norms.c — layer norm, and what batch norm would do to the same numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "kernels/mt-kinds.h"
#include "model/mt-model.h"

#include <math.h>

bool
mt_point_norm(const mt_model *model, mt_point point, const float **gain, const float **bias)
{
  if (point.sub_layer == MT_SUB_LAYER_EMBEDDING || point.layer < 0 ||
      (size_t) point.layer >= model->config.n_layers[point.stack])
    return false;
  return mt_model_norm(model,
                       point.sub_layer == MT_SUB_LAYER_FEED_FORWARD ? MT_NORM_FEED_FORWARD
                                                                    : MT_NORM_ATTENTION,
                       mt_point_kind(point), (size_t) point.layer, gain, bias);
}

void
mt_model_norm_row(const mt_model *model, float *x, const float *gain, const float *bias)
{
  mt_norm_row(&model->config, mt_kernels_best(), x, x, gain, bias);
}

mt_batch_norm *
mt_batch_norm_new(const mt_trace *const *traces, size_t n, mt_point point, mt_error *error)
{
  mt_batch_norm *batch = mt_alloc(1, sizeof *batch);
  bool ok = batch || mt_fail_no_memory(error);
  for (size_t t = 0; ok && t < n; t++) {
    mt_matrix x = mt_stream_norm_input(traces[t], point);
    ok = x.data || mt_fail(error, MT_ERROR_INPUT, "A trace does not have what this norm reads.");
    if (ok && t > 0 && x.cols != batch->d)
      ok = mt_fail(error, MT_ERROR_INPUT, "The traces are of different models.");
    if (ok)
      batch->n_tokens += x.rows;
    if (ok && t == 0) {
      batch->d = x.cols;
      batch->mean = mt_alloc(x.cols, sizeof(double));
      batch->sigma = mt_alloc(x.cols, sizeof(double));
      ok = (batch->mean && batch->sigma) || mt_fail_no_memory(error);
    }
  }
  if (ok && batch->n_tokens == 0)
    ok = mt_fail(error, MT_ERROR_INPUT, "A batch of no sentences has no mean.");
  if (!ok) {
    mt_batch_norm_free(batch);
    return NULL;
  }
  const double share = 1 / (double) batch->n_tokens;
  for (size_t pass = 0; pass < 2; pass++)
    for (size_t t = 0; t < n; t++) {
      mt_matrix x = mt_stream_norm_input(traces[t], point);
      for (size_t r = 0; r < x.rows; r++)
        for (size_t i = 0; i < batch->d; i++) {
          const double value = mt_matrix_at(&x, r, i);
          if (pass == 0)
            batch->mean[i] += value * share;
          else
            batch->sigma[i] += (value - batch->mean[i]) * (value - batch->mean[i]) * share;
        }
    }
  for (size_t i = 0; i < batch->d; i++)
    batch->sigma[i] = sqrt(batch->sigma[i] + MT_LAYER_NORM_EPSILON);
  return batch;
}

void
mt_batch_norm_free(mt_batch_norm *batch)
{
  if (!batch)
    return;
  mt_free(batch->mean);
  mt_free(batch->sigma);
  mt_free(batch);
}

bool
mt_norms_compare(const mt_model *model, const mt_trace *trace, mt_point point, size_t token,
                 const mt_batch_norm *batch, float *read, float *by_layer, float *by_batch)
{
  const float *gain, *bias;
  mt_matrix x = mt_stream_norm_input(trace, point);
  if (!x.data || token >= x.rows || (batch && batch->d != x.cols) ||
      !mt_point_norm(model, point, &gain, &bias))
    return false;
  const mt_stream_numbers numbers = mt_stream_measure(model, trace, point, token);
  for (size_t i = 0; i < x.cols; i++) {
    const double value = mt_matrix_at(&x, token, i), added = bias ? bias[i] : 0;
    read[i] = (float) value;
    by_layer[i] = (float) (gain[i] * (value - numbers.mean) / numbers.sigma + added);
    if (batch && by_batch)
      by_batch[i] = (float) (gain[i] * (value - batch->mean[i]) / batch->sigma[i] + added);
  }
  return true;
}

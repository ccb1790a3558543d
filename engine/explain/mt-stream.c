/* mt-stream.c — the residual stream of a trace, point by point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "kernels/mt-kinds.h"
#include "model/mt-model.h"

#include <assert.h>
#include <math.h>
#include <mt/explain.h>

/* Sub-layers of a layer. */
static size_t
per_layer(mt_stack stack)
{
  return stack == MT_STACK_ENCODER ? 2 : 3;
}

size_t
mt_point_count(const mt_config *config, mt_stack stack)
{
  return 1 + per_layer(stack) * config->n_layers[stack];
}

mt_point
mt_point_at(const mt_config *config, mt_stack stack, size_t i)
{
  static const mt_sub_layer_type order[MT_N_STACKS][3] = {
      [MT_STACK_ENCODER] = {MT_SUB_LAYER_SELF, MT_SUB_LAYER_FEED_FORWARD},
      [MT_STACK_DECODER] = {MT_SUB_LAYER_SELF, MT_SUB_LAYER_CROSS, MT_SUB_LAYER_FEED_FORWARD},
  };
  assert(i < mt_point_count(config, stack));
  if (i == 0)
    return (mt_point){stack, -1, MT_SUB_LAYER_EMBEDDING};
  const size_t n = per_layer(stack);
  return (mt_point){stack, (int) ((i - 1) / n), order[stack][(i - 1) % n]};
}

size_t
mt_point_number(const mt_config *config, mt_point point)
{
  const size_t n = mt_point_count(config, point.stack);
  for (size_t i = 0; i < n; i++) {
    const mt_point p = mt_point_at(config, point.stack, i);
    if (p.layer == point.layer && p.sub_layer == point.sub_layer)
      return i;
  }
  return n;
}

mt_attention_kind
mt_point_kind(mt_point point)
{
  if (point.sub_layer == MT_SUB_LAYER_CROSS)
    return MT_CROSS;
  return mt_stack_kind(point.stack);
}

void
mt_activation_requests_add_stream(mt_activation_requests *requests)
{
  static const mt_hook_point hook_points[] = {
      MT_HOOK_EMBEDDING,        MT_HOOK_POSITION,     MT_HOOK_STREAM,
      MT_HOOK_CONTEXT,          MT_HOOK_NORM_INPUT,   MT_HOOK_FEED_FORWARD_NORM_INPUT,
      MT_HOOK_ATTENTION_OUTPUT, MT_HOOK_FEED_FORWARD, MT_HOOK_RESIDUAL,
      MT_HOOK_LAYER_OUTPUT,     MT_HOOK_STACK_OUTPUT,
  };
  for (size_t i = 0;
       i < sizeof hook_points / sizeof *hook_points && requests->n < MT_MAX_ACTIVATION_REQUESTS;
       i++)
    requests->requests[requests->n++] =
        (mt_activation_request){hook_points[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
}

/* The tensor of a point: one hook point for attention sub-layers, one for feed-forward networks. */
static mt_matrix
get(const mt_trace *trace, mt_point point, mt_hook_point attention, mt_hook_point feed_forward)
{
  const bool is_network = point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  if (point.sub_layer == MT_SUB_LAYER_EMBEDDING)
    return (mt_matrix){0};
  return mt_trace_get(trace, is_network ? feed_forward : attention, mt_point_kind(point),
                      point.layer, -1);
}

mt_matrix
mt_stream_at(const mt_trace *trace, mt_point point)
{
  if (point.sub_layer == MT_SUB_LAYER_EMBEDDING)
    return mt_trace_get(trace, MT_HOOK_STREAM, mt_point_kind(point), -1, -1);
  return get(trace, point, MT_HOOK_RESIDUAL, MT_HOOK_LAYER_OUTPUT);
}

mt_matrix
mt_stream_before(const mt_model *model, const mt_trace *trace, mt_point point)
{
  const mt_config *config = &model->config;
  const size_t number = mt_point_number(config, point);
  if (number == 0 || number == mt_point_count(config, point.stack))
    return (mt_matrix){0};
  return mt_stream_at(trace, mt_point_at(config, point.stack, number - 1));
}

mt_matrix
mt_stream_added(const mt_trace *trace, mt_point point)
{
  return get(trace, point, MT_HOOK_ATTENTION_OUTPUT, MT_HOOK_FEED_FORWARD);
}

mt_matrix
mt_stream_norm_input(const mt_trace *trace, mt_point point)
{
  return get(trace, point, MT_HOOK_NORM_INPUT, MT_HOOK_FEED_FORWARD_NORM_INPUT);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static const float *
row_of(const mt_matrix *m, size_t row)
{
  return m->data && row < m->rows ? m->data + row * m->stride : NULL;
}

static double
product(const float *a, const float *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

mt_stream_numbers
mt_stream_measure(const mt_model *model, const mt_trace *trace, mt_point point, size_t token)
{
  const size_t d = model->config.d_model;
  mt_stream_numbers numbers = {NAN, NAN, NAN, NAN, NAN};
  mt_matrix here = mt_stream_at(trace, point), added = mt_stream_added(trace, point);
  mt_matrix there = mt_stream_before(model, trace, point),
            read = mt_stream_norm_input(trace, point);
  const float *x = row_of(&here, token), *y = row_of(&added, token);
  const float *u = row_of(&there, token), *v = row_of(&read, token);
  if (x)
    numbers.norm = sqrt(product(x, x, d));
  if (y)
    numbers.added_norm = sqrt(product(y, y, d));
  if (y && u)
    numbers.cosine = product(y, u, d) / (numbers.added_norm * sqrt(product(u, u, d)));
  if (v) {
    const mt_norm_measure measure = mt_norm_measure_row(&model->config, v);
    numbers.mean = measure.mean;
    numbers.sigma = measure.sigma;
  }
  return numbers;
}

/* The sum of all unit vectors has the square n + 2 sum of the cosines: one pass over the tokens. */
double
mt_stream_collapse(const mt_trace *trace, mt_point point)
{
  mt_matrix x = mt_stream_at(trace, point);
  double *sums = x.data && x.rows > 1 ? mt_alloc(x.cols, sizeof *sums) : NULL;
  double square = 0;
  if (!sums)
    return NAN;
  for (size_t i = 0; i < x.rows; i++) {
    const float *a = row_of(&x, i);
    const double norm = sqrt(product(a, a, x.cols));
    for (size_t c = 0; c < x.cols; c++)
      sums[c] += a[c] / norm;
  }
  for (size_t c = 0; c < x.cols; c++)
    square += sums[c] * sums[c];
  mt_free(sums);
  const double n = (double) x.rows;
  return (square - n) / (n * (n - 1));
}

/* mt-method-value-zeroing.c — how much the output of a layer turns when a token's value is 0:
 *
 *     C_ij = 1 - cos(y_i, y_i with v_j = 0 in all heads)
 *
 * y is what the whole layer leaves, feed-forward network and norms included (Mohebbi et al. 2023,
 * equation 2). Each layer is asked for itself, with what comes in as it was. Below 1e-5 it is
 * nothing; rows are scaled to sum to 1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "explain/mt-values.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-5

/* Rows of one layer, from after an attention sub-layer to its end. */
typedef struct {
  const mt_attribution_work *work;
  const mt_ops *ops;
  const mt_layer_weights *weights;
  mt_attention_kind kind;
  size_t layer, d, first, n;           /* rows first … first + n - 1 of the stack */
  float *x, *u, *q, *out, *h, *scores; /* [n][d] each, but h [n][d_ffn] and scores [n][n_source] */
} block;

static void
norm_rows(const block *b, float *out, const float *x, const mt_norm_weights *norm)
{
  for (size_t r = 0; r < b->n; r++)
    mt_norm_row(&b->work->model->config, b->ops->kernels, out + r * b->d, x + r * b->d, norm->gain,
                norm->bias);
}

/* What a sub-layer reads. */
static const float *
read_rows(const block *b, const mt_norm_weights *norm)
{
  if (!b->work->model->config.normalize_before)
    return b->x;
  norm_rows(b, b->u, b->x, norm);
  return b->u;
}

/* x = x + added, and the norm that is there. */
static void
add_rows(const block *b, const float *added, const mt_norm_weights *norm)
{
  mt_ops_add(b->x, added, b->n * b->d);
  if (!b->work->model->config.normalize_before)
    norm_rows(b, b->x, b->x, norm);
}

/* Cross-attention of one head with other queries. A key that nobody was to see has weight 0. */
static void
cross_head(const block *b, size_t h)
{
  const mt_config *config = &b->work->model->config;
  const size_t d_head = config->d_head[MT_STACK_DECODER];
  const int layer = (int) b->layer, head = (int) h;
  const size_t keys = b->work->n_source;
  mt_matrix k = mt_trace_get(b->work->trace, MT_SITE_KEY, MT_CROSS, layer, head);
  mt_matrix v = mt_trace_get(b->work->trace, MT_SITE_VALUE, MT_CROSS, layer, head);
  mt_matrix a = mt_trace_get(b->work->trace, MT_SITE_WEIGHTS, MT_CROSS, layer, head);
  mt_ops_query_key(b->ops, b->scores, b->q + h * d_head, b->d, k.data, k.stride, b->n, keys, d_head,
                   1 / (float) config->score_divisor[MT_STACK_DECODER]);
  for (size_t r = 0; r < b->n; r++) {
    float *row = b->scores + r * keys;
    for (size_t j = 0; j < keys; j++)
      if (mt_matrix_at(&a, b->first + r, j) == 0)
        row[j] = -INFINITY;
    b->ops->kernels->softmax(row, keys);
  }
  mt_ops_weights_value(b->ops, b->u + h * d_head, b->d, b->scores, v.data, v.stride, b->n, keys,
                       d_head);
}

static void
cross(const block *b)
{
  const size_t n_heads = b->work->model->config.n_heads[MT_STACK_DECODER];
  mt_ops_linear(b->ops, b->q, read_rows(b, &b->weights->cross_norm), b->n, &b->weights->cross.q);
  for (size_t h = 0; h < n_heads; h++)
    cross_head(b, h);
  mt_ops_linear(b->ops, b->out, b->u, b->n, &b->weights->cross.out);
  add_rows(b, b->out, &b->weights->cross_norm);
}

static void
feed_forward(const block *b)
{
  const mt_ffn_weights *ffn = &b->weights->ffn;
  const float *x = read_rows(b, &b->weights->ffn_norm);
  switch (b->work->model->config.feed_forward_kind) {
  case MT_FEED_FORWARD_PLAIN:
    mt_ops_linear(b->ops, b->h, x, b->n, &ffn->fc1);
    mt_ops_linear_activated(b->ops, b->out, b->h, b->n, &ffn->fc2,
                            b->work->model->config.activation);
    break;
  }
  add_rows(b, b->out, &b->weights->ffn_norm);
}

/* x has the stream before the attention sub-layer, out what that adds. */
static void
run_block(const block *b)
{
  const mt_layer_weights *w = b->weights;
  add_rows(b, b->out, mt_layer_attention_norm(w, b->kind));
  if (b->kind == MT_DECODER_SELF)
    cross(b);
  feed_forward(b);
}

static double
turn(const float *x, mt_matrix clean, size_t row)
{
  double both = 0, own = 0, other = 0;
  for (size_t i = 0; i < clean.cols; i++) {
    const double y = mt_matrix_at(&clean, row, i);
    both += x[i] * y;
    own += (double) x[i] * x[i];
    other += y * y;
  }
  const double turned = own > 0 && other > 0 ? 1 - both / sqrt(own * other) : 0;
  return turned < LEAST ? 0 : turned;
}

/* Column j of out: without that key. t [rows][d] is what it gives. */
static void
run_key(block *b, const mt_values *values, size_t j, float *t, float *out)
{
  const mt_point point = {mt_kind_stack(b->kind), (int) b->layer,
                          b->kind == MT_CROSS ? MT_SUB_LAYER_CROSS : MT_SUB_LAYER_SELF};
  const mt_attention_kind own = mt_stack_kind(point.stack);
  mt_matrix before = mt_stream_before(b->work->model, b->work->trace, point);
  mt_matrix added = mt_stream_added(b->work->trace, point);
  mt_matrix clean = mt_trace_get(b->work->trace, MT_SITE_LAYER_OUTPUT, own, (int) b->layer, -1);
  b->first = mt_values_given(values, j, t);
  b->n = values->rows - b->first;
  for (size_t r = 0; r < b->n; r++)
    for (size_t i = 0; i < b->d; i++) {
      b->x[r * b->d + i] = mt_matrix_at(&before, b->first + r, i);
      b->out[r * b->d + i] = mt_matrix_at(&added, b->first + r, i) - t[(b->first + r) * b->d + i];
    }
  run_block(b);
  for (size_t r = 0; r < b->n; r++)
    out[(b->first + r) * values->keys + j] = (float) turn(b->x + r * b->d, clean, b->first + r);
}

static void
normalise(float *values, size_t rows, size_t keys)
{
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t j = 0; j < keys; j++)
      sum += values[i * keys + j];
    for (size_t j = 0; sum > 0 && j < keys; j++)
      values[i * keys + j] = (float) (values[i * keys + j] / sum);
  }
}

static bool
layer_turns(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *out,
            mt_error *error)
{
  const mt_stack stack = mt_kind_stack(kind);
  const size_t d = work->d, d_ffn = work->model->config.d_ffn[stack];
  const size_t rows = mt_attribution_n_queries(work, kind);
  block b = {.work = work,
             .ops = &work->session->ops,
             .weights = &work->model->stacks[stack].layers[layer],
             .kind = kind,
             .layer = layer,
             .d = d};
  mt_values values;
  float *room = mt_alloc(rows * (5 * d + d_ffn + work->n_source), sizeof *room);
  bool ok = mt_values_begin(&values, b.ops, work->model, work->trace, kind, layer, -1, error) &&
            (room || mt_fail_no_memory(error));
  if (ok) {
    float *t = room;
    b.x = t + rows * d;
    b.u = b.x + rows * d;
    b.q = b.u + rows * d;
    b.out = b.q + rows * d;
    b.h = b.out + rows * d;
    b.scores = b.h + rows * d_ffn;
    for (size_t j = 0; ok && j < values.keys; j++) {
      run_key(&b, &values, j, t, out);
      ok = !(work->hooks.should_stop && work->hooks.should_stop(work->hooks.user)) ||
           mt_fail(error, MT_ERROR_CANCELLED, "The computation was cancelled.");
    }
    normalise(out, values.rows, values.keys);
  }
  mt_values_end(&values);
  mt_free(room);
  return ok;
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return mt_attribution_mean_of_layers(work, out, layer_turns, error);
}

const mt_method mt_method_value_zeroing = {
    .about = {.id = "value-zeroing",
              .name = "Value zeroing",
              .source = "Mohebbi et al. 2023, equation 2",
              .gives = "how far the output of the layer turns without the token's value in "
                       "cross-attention and in the decoder's, as a share of all tokens",
              .has_layers = true,
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_EACH_ONE},
    .needs_all = true,
    .run = run,
};

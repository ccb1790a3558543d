/* mt-components.c — a state as the sum of what was added to it, and a score as the sum of pairs of
 * such parts.
 *
 * A norm with its standard deviation held fixed is linear, so each part goes through it by itself
 * (mt_norm_linear).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "kernels/mt-kinds.h"
#include "model/mt-model.h"
#include "mt.h"

#include <math.h>
#include <stdlib.h>

/* The parts of one token's vector. */
typedef struct {
  size_t n, capacity, d;
  mt_component *parts; /* the first one is MT_COMPONENT_BIAS */
  double *vectors;     /* [n][d] */
} mt_components;

static bool
fail_requests(mt_error *error)
{
  return mt_fail(error, MT_ERROR_INPUT, "The trace does not have the stream of this token.");
}

/* Row of a map times x [n]; four sums, because one would wait for itself. */
static double
row_times(const float *w, const double *x, size_t n)
{
  double sums[4] = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++)
      sums[k] += (double) w[i + k] * x[i + k];
  for (; i < n; i++)
    sums[0] += (double) w[i] * x[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Room for one more; its vector is zero. NULL: no memory. */
static double *
add(mt_components *parts, mt_component part)
{
  size_t capacity = parts->capacity; /* of both */
  if (!mt_grow(&parts->parts, parts->n, 1, &capacity, sizeof *parts->parts) ||
      !mt_grow(&parts->vectors, parts->n, 1, &parts->capacity, parts->d * sizeof *parts->vectors))
    return NULL;
  double *vector = parts->vectors + parts->n * parts->d;
  for (size_t i = 0; i < parts->d; i++)
    vector[i] = 0;
  parts->parts[parts->n++] = part;
  return vector;
}

/* The biases are the first part while parts are added. */
static double *
bias_of(mt_components *parts)
{
  return parts->vectors;
}

static bool
add_row(mt_components *parts, mt_component part, mt_matrix m, size_t token, mt_error *error)
{
  if (!m.data || token >= m.rows)
    return fail_requests(error);
  double *vector = add(parts, part);
  if (!vector)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < parts->d; i++)
    vector[i] = mt_matrix_at(&m, token, i);
  return true;
}

static bool
add_heads(mt_components *parts, const mt_model *model, const mt_trace *trace,
          mt_attention_kind kind, int layer, size_t token, mt_error *error)
{
  const size_t n_heads = model->config.n_heads[mt_kind_stack(kind)];
  for (size_t h = 0; h < n_heads; h++) {
    mt_matrix context = mt_trace_get(trace, MT_HOOK_CONTEXT, kind, layer, (int) h);
    mt_matrix map = mt_model_head_map(model, kind, (size_t) layer, h, MT_MAP_OUTPUT);
    if (!context.data || token >= context.rows)
      return fail_requests(error);
    double *vector = add(parts, (mt_component){MT_COMPONENT_HEAD, kind, layer, (int) h});
    double *z = mt_alloc(map.cols, sizeof *z);
    for (size_t i = 0; z && i < map.cols; i++)
      z[i] = mt_matrix_at(&context, token, i);
    for (size_t o = 0; vector && z && o < map.rows; o++)
      vector[o] = row_times(map.data + o * map.stride, z, map.cols);
    mt_free(z);
    if (!vector || !z)
      return mt_fail_no_memory(error);
  }
  const float *bias = mt_model_head_bias(model, kind, (size_t) layer, 0, MT_MAP_OUTPUT);
  for (size_t i = 0; bias && i < parts->d; i++)
    bias_of(parts)[i] += bias[i];
  return true;
}

/* ---- Norms ----------------------------------------------------------------------------------- */

/* J of every part; sigma is that of x [d], which the norm read. */
static void
norm(mt_components *parts, const mt_config *config, const double *x, const mt_norm_weights *weights)
{
  const double sigma = mt_norm_measure_doubles(config, x).sigma;
  for (size_t p = 0; p < parts->n; p++)
    mt_norm_linear(config, parts->vectors + p * parts->d, weights->gain, sigma);
  for (size_t i = 0; weights->bias && i < parts->d; i++)
    bias_of(parts)[i] += weights->bias[i];
}

/* The same with what a trace says that the norm read. */
static bool
norm_row(mt_components *parts, const mt_config *config, mt_matrix m, size_t token,
         const mt_norm_weights *weights, mt_error *error)
{
  if (!m.data || token >= m.rows)
    return fail_requests(error);
  double *x = mt_alloc(parts->d, sizeof *x);
  if (!x)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < parts->d; i++)
    x[i] = mt_matrix_at(&m, token, i);
  norm(parts, config, x, weights);
  mt_free(x);
  return true;
}

/* Likewise with the norm of a sub-layer. */
static bool
norm_point(mt_components *parts, const mt_model *model, const mt_trace *trace, mt_point point,
           size_t token, mt_error *error)
{
  mt_norm_weights weights = {0};
  mt_point_norm(model, point, &weights.gain, &weights.bias);
  return norm_row(parts, &model->config, mt_stream_norm_input(trace, point), token, &weights,
                  error);
}

/* ---- The stream ------------------------------------------------------------------------------ */

static bool
add_embedding(mt_components *parts, const mt_model *model, const mt_trace *trace, mt_stack stack,
              size_t token, mt_error *error)
{
  const mt_attention_kind own = mt_stack_kind(stack);
  const mt_norm_weights *weights = &model->stacks[stack].embedding_norm;
  if (!add_row(parts, (mt_component){MT_COMPONENT_TOKEN, own, -1, -1},
               mt_trace_get(trace, MT_HOOK_EMBEDDING, own, -1, -1), token, error))
    return false;
  if (mt_positions_are_added(model->config.position_kind) &&
      !add_row(parts, (mt_component){MT_COMPONENT_POSITION, own, -1, -1},
               mt_trace_get(trace, MT_HOOK_POSITION, own, -1, -1), token, error))
    return false;
  if (!weights->gain)
    return true;
  double *sum = mt_alloc(parts->d, sizeof *sum);
  if (!sum)
    return mt_fail_no_memory(error);
  for (size_t p = 0; p < parts->n; p++)
    for (size_t i = 0; i < parts->d; i++)
      sum[i] += parts->vectors[p * parts->d + i];
  norm(parts, &model->config, sum, weights);
  mt_free(sum);
  return true;
}

static bool
add_sub_layer(mt_components *parts, const mt_model *model, const mt_trace *trace, mt_point point,
              size_t token, mt_error *error)
{
  const mt_attention_kind kind = mt_point_kind(point);
  const bool is_network = point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  if (is_network ? !add_row(parts, (mt_component){MT_COMPONENT_FEED_FORWARD, kind, point.layer, -1},
                            mt_stream_added(trace, point), token, error)
                 : !add_heads(parts, model, trace, kind, point.layer, token, error))
    return false;
  return model->config.normalize_before || norm_point(parts, model, trace, point, token, error);
}

/* Up to the point with this number. */
static bool
add_stream(mt_components *parts, const mt_model *model, const mt_trace *trace, mt_stack stack,
           size_t last, size_t token, mt_error *error)
{
  if (!add(parts, (mt_component){MT_COMPONENT_BIAS, mt_stack_kind(stack), -1, -1}))
    return mt_fail_no_memory(error);
  if (!add_embedding(parts, model, trace, stack, token, error))
    return false;
  for (size_t i = 1; i <= last; i++)
    if (!add_sub_layer(parts, model, trace, mt_point_at(&model->config, stack, i), token, error))
      return false;
  return true;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void
components_free(mt_components *parts)
{
  if (!parts)
    return;
  mt_free(parts->parts);
  mt_free(parts->vectors);
  mt_free(parts);
}

static mt_components *
new_parts(const mt_model *model, mt_error *error)
{
  mt_components *parts = mt_alloc(1, sizeof *parts);
  if (parts)
    parts->d = model->config.d_model;
  else
    mt_fail_no_memory(error);
  return parts;
}

static mt_components *
finish(mt_components *parts, bool ok)
{
  if (ok)
    return parts;
  components_free(parts);
  return NULL;
}

/* What the maps of an attention sub-layer read for queries: in a pre-norm model the stream after
 * the sub-layer's norm. */
static mt_components *
parts_of_query(const mt_model *model, const mt_trace *trace, mt_attention_kind kind, size_t layer,
               size_t token, mt_error *error)
{
  const mt_point point = {mt_kind_stack(kind), (int) layer,
                          kind == MT_CROSS ? MT_SUB_LAYER_CROSS : MT_SUB_LAYER_SELF};
  mt_components *parts = new_parts(model, error);
  const size_t number = mt_point_number(&model->config, point);
  if (!parts)
    return NULL;
  return finish(parts, add_stream(parts, model, trace, point.stack, number - 1, token, error) &&
                           (!model->config.normalize_before ||
                            norm_point(parts, model, trace, point, token, error)));
}

/* The same for keys and values: those of cross-attention read the encoder's output. */
static mt_components *
parts_of_key(const mt_model *model, const mt_trace *trace, mt_attention_kind kind, size_t layer,
             size_t token, mt_error *error)
{
  if (kind != MT_CROSS)
    return parts_of_query(model, trace, kind, layer, token, error);
  const size_t last = mt_point_count(&model->config, MT_STACK_ENCODER) - 1;
  const mt_norm_weights *weights = &model->stacks[MT_STACK_ENCODER].final_norm;
  mt_components *parts = new_parts(model, error);
  if (!parts)
    return NULL;
  mt_matrix end = mt_stream_at(trace, mt_point_at(&model->config, MT_STACK_ENCODER, last));
  return finish(parts, add_stream(parts, model, trace, MT_STACK_ENCODER, last, token, error) &&
                           (!weights->gain ||
                            norm_row(parts, &model->config, end, token, weights, error)));
}

/* [n][map.rows]: each part through a map, the bias with the biases. NULL: no memory. */
static double *
project(const mt_components *parts, mt_matrix map, const float *bias)
{
  double *out = mt_alloc(parts->n * map.rows, sizeof *out);
  for (size_t p = 0; out && p < parts->n; p++)
    for (size_t o = 0; o < map.rows; o++)
      out[p * map.rows + o] =
          (bias && parts->parts[p].type == MT_COMPONENT_BIAS ? bias[o] : 0) +
          row_times(map.data + o * map.stride, parts->vectors + p * parts->d, map.cols);
  return out;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* A score as the sum of pairs of parts.
 *
 *     s_ij = 1/sqrt(d_head) sum_a sum_b (W_Q u_a) . (W_K v_b)        (+ B of relative positions)
 *
 * with u the parts of what the query's token gives to W_Q, v those of the key's to W_K. */

static int
compare(const void *a, const void *b)
{
  const double x = fabs(((const mt_score_part *) a)->score);
  const double y = fabs(((const mt_score_part *) b)->score);
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Parts of both sides, and as the head's maps see them. */
typedef struct {
  mt_components *query, *key;
  double *q, *k; /* [n][d_head] */
} sides;

static void
sides_clear(sides *s)
{
  components_free(s->query);
  components_free(s->key);
  mt_free(s->q);
  mt_free(s->k);
}

static bool
sides_fill(sides *s, const mt_model *model, const mt_trace *trace, mt_attention_kind kind,
           size_t layer, size_t head, size_t query, size_t key, mt_error *error)
{
  s->query = parts_of_query(model, trace, kind, layer, query, error);
  s->key = s->query ? parts_of_key(model, trace, kind, layer, key, error) : NULL;
  if (!s->key)
    return false;
  s->q = project(s->query, mt_model_head_map(model, kind, layer, head, MT_MAP_QUERY),
                 mt_model_head_bias(model, kind, layer, head, MT_MAP_QUERY));
  s->k = project(s->key, mt_model_head_map(model, kind, layer, head, MT_MAP_KEY),
                 mt_model_head_bias(model, kind, layer, head, MT_MAP_KEY));
  return (s->q && s->k) || mt_fail_no_memory(error);
}

/* What relative positions add to a score. */
static double
bias_of_score(const mt_model *model, const mt_trace *trace, mt_attention_kind kind, size_t layer,
              size_t head, size_t query, size_t key)
{
  mt_matrix shown = mt_trace_get(trace, MT_HOOK_SCORE_BIAS, kind, (int) layer, (int) head);
  if (shown.data && query < shown.rows && key < shown.cols)
    return mt_matrix_at(&shown, query, key);
  return mt_model_score_bias(model, kind, layer, head, (long) key - (long) query);
}

static bool
multiply(const sides *s, size_t d_head, double divisor, mt_score_parts *out, mt_error *error)
{
  const size_t n_query = s->query->n, n_key = s->key->n;
  mt_score_part *parts = mt_alloc(n_query * n_key + 1, sizeof *parts); /* and a bias */
  if (!parts)
    return mt_fail_no_memory(error);
  *out = (mt_score_parts){.parts = parts};
  for (size_t a = 0; a < n_query; a++)
    for (size_t b = 0; b < n_key; b++) {
      double score = 0;
      for (size_t i = 0; i < d_head; i++)
        score += s->q[a * d_head + i] * s->k[b * d_head + i];
      score /= divisor;
      out->score += score;
      /* Where there are no biases there is no pair with one; token and position are always there,
       * though their product may be 0. */
      const mt_component u = s->query->parts[a], v = s->key->parts[b];
      if (score != 0 || (u.type <= MT_COMPONENT_POSITION && v.type <= MT_COMPONENT_POSITION))
        parts[out->n++] = (mt_score_part){u, v, score};
    }
  return true;
}

bool
mt_score_explain(const mt_model *model, const mt_trace *trace, mt_attention_kind kind, size_t layer,
                 size_t head, size_t query, size_t key, mt_score_parts *out, mt_error *error)
{
  const mt_stack stack = mt_kind_stack(kind);
  const mt_config *config = &model->config;
  sides s = {NULL, NULL, NULL, NULL};
  if (layer >= config->n_layers[stack] || head >= config->n_heads[stack])
    return mt_fail(error, MT_ERROR_INPUT, "The model does not have this head.");
  bool ok = sides_fill(&s, model, trace, kind, layer, head, query, key, error) &&
            multiply(&s, config->d_head[stack], config->score_divisor[stack], out, error);
  sides_clear(&s);
  if (ok && mt_scores_have_bias(config, kind)) {
    const mt_component distance = {MT_COMPONENT_DISTANCE, kind, -1, -1};
    const double bias = bias_of_score(model, trace, kind, layer, head, query, key);
    out->parts[out->n++] = (mt_score_part){distance, distance, bias};
    out->score += bias;
  }
  if (ok)
    qsort(out->parts, out->n, sizeof *out->parts, compare);
  return ok;
}

void
mt_score_parts_clear(mt_score_parts *parts)
{
  mt_free(parts->parts);
  *parts = (mt_score_parts){0};
}

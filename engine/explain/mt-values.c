/* mt-values.c — what each key gives to each query of an attention sub-layer.
 *
 * For one key all queries are one product, [rows][heads] times [heads][d].
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "explain/mt-values.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-model.h"

#include <math.h>
#include <stdatomic.h>

static bool
fail_taps(mt_error *error)
{
  return mt_fail(error, MT_ERROR_INPUT, "The trace does not have this sub-layer.");
}

/* What a change made of the sum of values of a row: a head may have been scaled or switched off
 * after its weights were shown. found: its context, sum [n]: weights times values. NAN: something
 * else was done. */
static double
scale_of(const float *found, const float *sum, size_t n)
{
  double dot = 0, square = 0, largest = 0;
  for (size_t i = 0; i < n; i++) {
    dot += (double) found[i] * sum[i];
    square += (double) sum[i] * sum[i];
    largest = fmax(largest, fmax(fabs(found[i]), fabs(sum[i])));
  }
  double scale = square > 0 ? dot / square : 1;
  /* Nearly always nothing was changed: then rounding shall change nothing either. */
  scale = fabs(scale - 1) < 1e-4 ? 1 : scale;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(found[i] - scale * sum[i]) <= 1e-3 * (largest + 1e-6)))
      return NAN;
  return scale;
}

/* The weights of a head; sums [rows][d_head] is room. False: contexts are something else. */
static bool
fill_weights(mt_values *values, size_t h, mt_matrix w, mt_matrix v, mt_matrix context, float *sums)
{
  mt_ops_weights_value(values->ops, sums, v.cols, w.data, v.data, v.stride, values->rows,
                       values->keys, v.cols);
  for (size_t r = 0; r < values->rows; r++) {
    const double scale = scale_of(context.data + r * context.stride, sums + r * v.cols, v.cols);
    if (isnan(scale))
      return false;
    for (size_t j = 0; j < values->keys; j++)
      values->a[(j * values->rows + r) * values->n_heads + h] =
          (float) scale * mt_matrix_at(&w, r, j);
  }
  return true;
}

typedef struct {
  mt_values *values;
  const mt_model *model;
  const mt_trace *trace;
  mt_attention_kind kind;
  size_t layer, first; /* first: of the heads */
  float *sums;         /* [n_heads][rows][d_head] */
  atomic_bool is_other;
} values_work;

/* f and weights of one head. */
static void
head_part(void *user, size_t i, size_t n_parts)
{
  values_work *w = user;
  mt_values *values = w->values;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, values->n_heads, 1);
  for (size_t h = mt_ops_part_begin(i, n_parts, values->n_heads, 1); h < end; h++) {
    const int layer = (int) w->layer, head = (int) (w->first + h);
    mt_matrix v = mt_trace_get(w->trace, MT_SITE_VALUE, w->kind, layer, head);
    mt_matrix a = mt_trace_get(w->trace, MT_SITE_WEIGHTS, w->kind, layer, head);
    mt_matrix context = mt_trace_get(w->trace, MT_SITE_CONTEXT, w->kind, layer, head);
    mt_matrix map = mt_model_head_map(w->model, w->kind, w->layer, (size_t) head, MT_MAP_OUTPUT);
    mt_ops_query_key(values->ops, values->f + h * values->keys * values->d, v.data, v.stride,
                     map.data, map.stride, values->keys, values->d, map.cols, 1);
    if (!fill_weights(values, h, a, v, context, w->sums + h * values->rows * v.cols))
      atomic_store(&w->is_other, true);
  }
}

bool
mt_values_begin(mt_values *values, const mt_ops *ops, const mt_model *model, const mt_trace *trace,
                mt_attention_kind kind, size_t layer, int head, mt_error *error)
{
  const size_t n_heads = model->config.n_heads[mt_kind_stack(kind)];
  values_work work = {.values = values,
                      .model = model,
                      .trace = trace,
                      .kind = kind,
                      .layer = layer,
                      .first = head >= 0 ? (size_t) head : 0};
  *values = (mt_values){.d = model->config.d_model,
                        .n_heads = head >= 0 ? 1 : n_heads,
                        .is_causal = kind == MT_DECODER_SELF,
                        .ops = ops};
  for (size_t h = work.first; h < work.first + values->n_heads; h++) {
    mt_matrix v = mt_trace_get(trace, MT_SITE_VALUE, kind, (int) layer, (int) h);
    mt_matrix a = mt_trace_get(trace, MT_SITE_WEIGHTS, kind, (int) layer, (int) h);
    mt_matrix context = mt_trace_get(trace, MT_SITE_CONTEXT, kind, (int) layer, (int) h);
    if (!v.data || !a.data || !context.data)
      return fail_taps(error);
    values->rows = a.rows;
    values->keys = a.cols;
  }
  values->f = mt_alloc(values->n_heads * values->keys * values->d, sizeof *values->f);
  values->a = mt_alloc(values->keys * values->rows * values->n_heads, sizeof *values->a);
  work.sums = mt_alloc(values->rows * values->d, sizeof *work.sums);
  if (!values->f || !values->a || !work.sums) {
    mt_free(work.sums);
    return mt_fail_no_memory(error);
  }
  mt_pool_run(ops->pool, values->n_heads < MT_POOL_MAX_PARTS ? values->n_heads : MT_POOL_MAX_PARTS,
              head_part, &work);
  mt_free(work.sums);
  return !atomic_load(&work.is_other) ||
         mt_fail(error, MT_ERROR_INPUT,
                 "A hook changed the contexts of a head: they are not its weights times its "
                 "values.");
}

void
mt_values_end(mt_values *values)
{
  mt_free(values->f);
  mt_free(values->a);
}

size_t
mt_values_given(const mt_values *v, size_t j, float *t)
{
  const size_t first = v->is_causal ? j : 0;
  mt_ops_weights_value(v->ops, t + first * v->d, v->d, v->a + (j * v->rows + first) * v->n_heads,
                       v->f + j * v->d, v->keys * v->d, v->rows - first, v->n_heads, v->d);
  return first;
}

size_t
mt_values_parts(const mt_values *v, const mt_ops *ops)
{
  const size_t n =
      mt_ops_parts(ops, (double) v->rows * (double) v->keys * (double) v->d * (double) v->n_heads);
  return n < v->keys ? n : v->keys;
}

/* ---- Norms ----------------------------------------------------------------------------------- */

typedef struct {
  const mt_values *values;
  float *out, *room; /* [queries][keys]; [n_parts][queries][d] */
} norms_work;

static void
norms_part(void *user, size_t i, size_t n_parts)
{
  const norms_work *w = user;
  const mt_values *v = w->values;
  float *t = w->room + i * v->rows * v->d;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, v->keys, 1);
  for (size_t j = mt_ops_part_begin(i, n_parts, v->keys, 1); j < end; j++) {
    for (size_t r = mt_values_given(v, j, t); r < v->rows; r++) {
      double square = 0;
      for (size_t c = 0; c < v->d; c++)
        square += (double) t[r * v->d + c] * t[r * v->d + c];
      w->out[r * v->keys + j] = (float) sqrt(square);
    }
  }
}

bool
mt_values_norms(const mt_values *values, float *out, mt_error *error)
{
  const size_t n_parts = mt_values_parts(values, values->ops);
  norms_work w = {values, out, mt_alloc(n_parts * values->rows * values->d, sizeof(float))};
  if (!w.room)
    return mt_fail_no_memory(error);
  for (size_t i = 0; values->is_causal && i < values->rows * values->keys; i++)
    out[i] = 0;
  mt_pool_run(values->ops->pool, n_parts, norms_part, &w);
  mt_free(w.room);
  return true;
}

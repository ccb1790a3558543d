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
  float dot = 0, square = 0, largest = 0, apart = 0;
  for (size_t i = 0; i < n; i++) {
    const float a = fabsf(found[i]), b = fabsf(sum[i]), c = fabsf(found[i] - sum[i]);
    largest = a > largest ? a : largest;
    largest = b > largest ? b : largest;
    apart = c > apart ? c : apart;
  }
  /* Nearly always nothing was changed: then rounding shall change nothing either. */
  if (apart <= 1e-5f * largest)
    return 1;
  for (size_t i = 0; i < n; i++) {
    dot += found[i] * sum[i];
    square += sum[i] * sum[i];
  }
  double scale = square > 0 ? (double) dot / square : 1;
  scale = fabs(scale - 1) < 1e-4 ? 1 : scale;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(found[i] - scale * sum[i]) <= 1e-3 * (largest + 1e-6)))
      return NAN;
  return scale;
}

typedef struct {
  mt_values *values;
  const mt_model *model;
  const mt_trace *trace;
  mt_attention_kind kind;
  size_t layer, first; /* first: of the heads */
  float *sums;         /* [n_heads][rows][d_head] */
  float *scales;       /* [n_heads][rows] */
  const float **a;     /* [n_heads]: weights [rows][keys] of each */
  atomic_bool is_other;
} values_work;

/* f of one head, and by what its weights are to be scaled. */
static void
head_part(void *user, size_t i, size_t n_parts)
{
  values_work *w = user;
  mt_values *values = w->values;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, values->n_heads, 1);
  for (size_t h = mt_ops_part_begin(i, n_parts, values->n_heads, 1); h < end; h++) {
    const int layer = (int) w->layer, head = (int) (w->first + h);
    mt_matrix v = mt_trace_get(w->trace, MT_SITE_VALUE, w->kind, layer, head);
    mt_matrix context = mt_trace_get(w->trace, MT_SITE_CONTEXT, w->kind, layer, head);
    mt_matrix map = mt_model_head_map(w->model, w->kind, w->layer, (size_t) head, MT_MAP_OUTPUT);
    float *sums = w->sums + h * values->rows * v.cols;
    mt_ops_query_key(values->ops, values->f + h * values->keys * values->d, v.data, v.stride,
                     map.data, map.stride, values->keys, values->d, map.cols, 1);
    mt_ops_weights_value(values->ops, sums, v.cols, w->a[h], v.data, v.stride, values->rows,
                         values->keys, v.cols);
    for (size_t r = 0; r < values->rows; r++) {
      const double scale = scale_of(context.data + r * context.stride, sums + r * v.cols, v.cols);
      w->scales[h * values->rows + r] = (float) scale;
      if (isnan(scale))
        atomic_store(&w->is_other, true);
    }
  }
}

/* Weights of some rows, those of all heads side by side. */
static void
rows_part(void *user, size_t i, size_t n_parts)
{
  const values_work *w = user;
  const mt_values *values = w->values;
  const size_t rows = values->rows, keys = values->keys, n_heads = values->n_heads;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, rows, 1);
  for (size_t r = mt_ops_part_begin(i, n_parts, rows, 1); r < end; r++)
    for (size_t j = 0; j < keys; j++)
      for (size_t h = 0; h < n_heads; h++)
        values->a[(j * rows + r) * n_heads + h] = w->scales[h * rows + r] * w->a[h][r * keys + j];
}

static bool
reserve(values_work *w, mt_error *error)
{
  mt_values *values = w->values;
  values->f = mt_alloc(values->n_heads * values->keys * values->d, sizeof *values->f);
  values->a = mt_alloc(values->keys * values->rows * values->n_heads, sizeof *values->a);
  w->sums = mt_alloc(values->rows * values->d, sizeof *w->sums);
  w->scales = mt_alloc(values->rows * values->n_heads, sizeof *w->scales);
  return (values->f && values->a && w->sums && w->scales) || mt_fail_no_memory(error);
}

static bool
find_weights(values_work *w, mt_error *error)
{
  mt_values *values = w->values;
  w->a = mt_alloc(values->n_heads, sizeof *w->a);
  if (!w->a)
    return mt_fail_no_memory(error);
  for (size_t h = 0; h < values->n_heads; h++) {
    const int layer = (int) w->layer, head = (int) (w->first + h);
    mt_matrix v = mt_trace_get(w->trace, MT_SITE_VALUE, w->kind, layer, head);
    mt_matrix a = mt_trace_get(w->trace, MT_SITE_WEIGHTS, w->kind, layer, head);
    mt_matrix context = mt_trace_get(w->trace, MT_SITE_CONTEXT, w->kind, layer, head);
    if (!v.data || !a.data || !context.data)
      return fail_taps(error);
    values->rows = a.rows;
    values->keys = a.cols;
    w->a[h] = a.data;
  }
  return true;
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
  const bool ok = find_weights(&work, error) && reserve(&work, error);
  if (ok) {
    const size_t n = values->n_heads;
    mt_pool_run(ops->pool, n < MT_POOL_MAX_PARTS ? n : MT_POOL_MAX_PARTS, head_part, &work);
    mt_pool_run(ops->pool, mt_ops_row_parts(ops, values->rows), rows_part, &work);
  }
  mt_free(work.a);
  mt_free(work.sums);
  mt_free(work.scales);
  if (!ok)
    return false;
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
mt_values_first_row(const mt_values *v, size_t j)
{
  return v->is_causal ? j : 0;
}

size_t
mt_values_given(const mt_values *v, size_t j, float *t)
{
  const size_t first = mt_values_first_row(v, j);
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

/* mt-contributions.c — what each key gives to each query of an attention sub-layer, and each token
 * to the state that a sub-layer leaves.
 *
 *     T_i(x_j) = J_i(sum_h A^h_ij f^h(x_j) + [i = j] x_i),   f^h(x) = W_O^h (W_V^h x + b_V^h)
 *     c_ij = max(0, |y_i| - |y_i - T_i(x_j)|) / their sum, norms L1           (Ferrando 2022)
 *
 * J is the layer norm with its standard deviation held fixed; in a pre-norm model there is none
 * behind the sum. In cross-attention and in feed-forward networks the stream of the token itself is
 * one more contribution. Where a change scaled a head or switched it off, its A is scaled likewise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "explain/mt-contributions.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-model.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- What each key gives --------------------------------------------------------------------- */

/* What each key gives to each query of an attention sub-layer.
 *
 * For one key all queries are one product, [rows][heads] times [heads][d]. */

static bool
fail_requests(mt_error *error)
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
    mt_matrix v = mt_trace_get(w->trace, MT_HOOK_VALUE, w->kind, layer, head);
    mt_matrix context = mt_trace_get(w->trace, MT_HOOK_CONTEXT, w->kind, layer, head);
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
  const size_t d_head = w->model->config.d_head[mt_kind_stack(w->kind)];
  values->f = mt_alloc(values->n_heads * values->keys * values->d, sizeof *values->f);
  values->a = mt_alloc(values->keys * values->rows * values->n_heads, sizeof *values->a);
  w->sums = mt_alloc(values->n_heads * values->rows * d_head, sizeof *w->sums);
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
    mt_matrix v = mt_trace_get(w->trace, MT_HOOK_VALUE, w->kind, layer, head);
    mt_matrix a = mt_trace_get(w->trace, MT_HOOK_WEIGHTS, w->kind, layer, head);
    mt_matrix context = mt_trace_get(w->trace, MT_HOOK_CONTEXT, w->kind, layer, head);
    if (!v.data || !a.data || !context.data)
      return fail_requests(error);
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

/* Rows before this one do not see key j. */
static size_t
values_first_row(const mt_values *v, size_t j)
{
  return v->is_causal ? j : 0;
}

size_t
mt_values_given(const mt_values *v, size_t j, float *t)
{
  const size_t first = values_first_row(v, j);
  mt_ops_weights_value(v->ops, t + first * v->d, v->d, v->a + (j * v->rows + first) * v->n_heads,
                       v->f + j * v->d, v->keys * v->d, v->rows - first, v->n_heads, v->d);
  return first;
}

/* Into how many parts its keys are best divided. */
static size_t
values_parts(const mt_values *v, const mt_ops *ops)
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
  const size_t n_parts = values_parts(values, values->ops);
  norms_work w = {values, out, mt_alloc(n_parts * values->rows * values->d, sizeof(float))};
  if (!w.room)
    return mt_fail_no_memory(error);
  for (size_t i = 0; values->is_causal && i < values->rows * values->keys; i++)
    out[i] = 0;
  mt_pool_run(values->ops->pool, n_parts, norms_part, &w);
  mt_free(w.room);
  return true;
}

/* ---- Contributions --------------------------------------------------------------------------- */

/* What they are made of. */
typedef struct {
  mt_contributions out; /* the first member: it is the value */
  mt_trace *trace;
  const mt_config *config;
  mt_point point;
  size_t rows, keys, d, n_heads; /* keys 0: a feed-forward network */
  bool is_self;
  mt_values values;
  float *gain;   /* [d]: of the norm */
  double *sigma; /* [rows]; 0: there is no norm */
  mt_matrix before, added, after;
  float *tokens, *stream, *network; /* [rows][keys], [rows], [rows]; NULL: none */
} terms;

/* J of one row, in place. */
static void
norm(const terms *c, size_t row, double *u)
{
  if (c->sigma[row] != 0)
    mt_norm_linear(c->config, u, c->gain, c->sigma[row]);
}

/* max(0, |y| - |y - t|). */
static double
given(const terms *c, size_t row, const double *t)
{
  double change = 0;
  for (size_t i = 0; i < c->d; i++) {
    const double y = mt_matrix_at(&c->after, row, i);
    change += fabs(y) - fabs(y - t[i]);
  }
  return fmax(change, 0);
}

/* ---- Attention ------------------------------------------------------------------------------- */

/* What J makes of x [d], times sigma; out may be x. */
static void
centre(const terms *c, float *out, const float *x)
{
  if (c->sigma[0] != 0)
    mt_norm_linear_row(c->config, c->values.ops->kernels, out, x, c->gain);
  else if (out != x)
    memcpy(out, x, c->d * sizeof *out);
}

typedef struct {
  terms *c;
  float *room; /* [n_parts][n_heads][d] and one more [d], [rows][n_heads] */
} keys_work;

static size_t
room_size(const terms *c)
{
  return (c->n_heads + 1) * c->d + c->rows * c->n_heads;
}

static float
inverse_sigma(const terms *c, size_t row)
{
  return c->sigma[row] != 0 ? (float) (1 / c->sigma[row]) : 1;
}

/* What the token itself gives is its stream too; t [d] is room. */
static float
give_own(const terms *c, size_t j, const float *a, const float *f, float *t)
{
  centre(c, t, c->before.data + j * c->before.stride);
  for (size_t h = 0; h < c->n_heads; h++)
    for (size_t i = 0; i < c->d; i++)
      t[i] += a[h] * f[h * c->d + i];
  return c->values.ops->kernels->shortening(c->after.data + j * c->after.stride, t,
                                            inverse_sigma(c, j), c->d);
}

/* What one key gives to all rows, not yet as shares. */
static void
give_key(terms *c, size_t j, float *room)
{
  float *f = room, *t = f + c->n_heads * c->d, *weights = t + c->d;
  const size_t first = values_first_row(&c->values, j);
  const float *a = c->values.a + j * c->rows * c->n_heads;
  for (size_t h = 0; h < c->n_heads; h++)
    centre(c, f + h * c->d, c->values.f + (h * c->keys + j) * c->d);
  for (size_t r = first; r < c->rows; r++) {
    const float scale = inverse_sigma(c, r);
    for (size_t h = 0; h < c->n_heads; h++)
      weights[r * c->n_heads + h] = scale * a[r * c->n_heads + h];
  }
  c->values.ops->kernels->shortenings(c->tokens + first * c->keys + j, c->keys,
                                      c->after.data + first * c->after.stride, c->after.stride,
                                      weights + first * c->n_heads, f, c->rows - first, c->n_heads,
                                      c->d);
  if (c->is_self)
    c->tokens[j * c->keys + j] = give_own(c, j, a + j * c->n_heads, f, t);
}

static void
keys_part(void *user, size_t part, size_t n_parts)
{
  const keys_work *w = user;
  const size_t end = mt_ops_part_begin(part + 1, n_parts, w->c->keys, 1);
  for (size_t j = mt_ops_part_begin(part, n_parts, w->c->keys, 1); j < end; j++)
    give_key(w->c, j, w->room + part * room_size(w->c));
}

/* Shares of a row, and in cross-attention that of its own stream; t [d] is room. */
static void
share_row(terms *c, size_t row, float *t)
{
  double sum = 0;
  float *out = c->tokens + row * c->keys, own = 0;
  for (size_t j = 0; j < c->keys; j++) {
    out[j] = out[j] > 0 ? out[j] : 0;
    sum += out[j];
  }
  if (!c->is_self) {
    centre(c, t, c->before.data + row * c->before.stride);
    own = c->values.ops->kernels->shortening(c->after.data + row * c->after.stride, t,
                                             inverse_sigma(c, row), c->d);
    own = own > 0 ? own : 0;
    sum += own;
    c->stream[row] = sum > 0 ? (float) (own / sum) : 0;
  }
  const double scale = sum > 0 ? 1 / sum : 0;
  for (size_t j = 0; j < c->keys; j++)
    out[j] = (float) (out[j] * scale);
}

static void
rows_part_contributions(void *user, size_t part, size_t n_parts)
{
  const keys_work *w = user;
  const size_t end = mt_ops_part_begin(part + 1, n_parts, w->c->rows, 1);
  for (size_t r = mt_ops_part_begin(part, n_parts, w->c->rows, 1); r < end; r++)
    share_row(w->c, r, w->room + part * w->c->d);
}

static void
fill_network_row(terms *c, size_t row, const float *bias, double *t)
{
  double own, network;
  for (size_t i = 0; i < c->d; i++)
    t[i] = mt_matrix_at(&c->before, row, i);
  norm(c, row, t);
  own = given(c, row, t);
  for (size_t i = 0; i < c->d; i++)
    t[i] = mt_matrix_at(&c->added, row, i) - (bias ? bias[i] : 0);
  norm(c, row, t);
  network = given(c, row, t);
  c->stream[row] = own + network > 0 ? (float) (own / (own + network)) : 0;
  c->network[row] = own + network > 0 ? (float) (network / (own + network)) : 0;
}

static bool
fill_attention(terms *c, const mt_model *model, const mt_ops *ops, mt_error *error)
{
  if (!mt_values_begin(&c->values, ops, model, c->trace, mt_point_kind(c->point),
                       (size_t) c->point.layer, -1, error))
    return false;
  c->keys = c->values.keys;
  c->tokens = mt_alloc(c->rows * c->keys, sizeof *c->tokens);
  const size_t n_parts = values_parts(&c->values, ops);
  const size_t n_row_parts = mt_ops_row_parts(ops, c->rows);
  keys_work work = {c, mt_alloc(n_parts > n_row_parts ? n_parts : n_row_parts,
                                room_size(c) * sizeof(float))};
  const bool ok = (c->tokens && work.room) || mt_fail_no_memory(error);
  if (ok) {
    mt_pool_run(ops->pool, n_parts, keys_part, &work);
    mt_pool_run(ops->pool, n_row_parts, rows_part_contributions, &work);
  }
  mt_free(work.room);
  return ok;
}

typedef struct {
  terms *c;
  mt_matrix read;
} sigma_work;

static void
sigma_part(void *user, size_t part, size_t n_parts)
{
  const sigma_work *w = user;
  const size_t end = mt_ops_part_begin(part + 1, n_parts, w->c->rows, 1);
  for (size_t r = mt_ops_part_begin(part, n_parts, w->c->rows, 1); r < end; r++)
    w->c->sigma[r] = mt_norm_measure_row(w->c->config, w->read.data + r * w->read.stride).sigma;
}

static bool
fill_norm(terms *c, const mt_model *model, const mt_ops *ops, mt_error *error)
{
  const float *gain, *bias;
  c->gain = mt_alloc(c->d, sizeof *c->gain);
  c->sigma = mt_alloc(c->rows, sizeof *c->sigma);
  if (!c->gain || !c->sigma)
    return mt_fail_no_memory(error);
  if (model->config.normalize_before || !mt_point_norm(model, c->point, &gain, &bias))
    return true;
  sigma_work work = {c, mt_stream_norm_input(c->trace, c->point)};
  if (!work.read.data)
    return fail_requests(error);
  memcpy(c->gain, gain, c->d * sizeof *gain);
  mt_pool_run(ops->pool, mt_ops_row_parts(ops, c->rows), sigma_part, &work);
  return true;
}

static bool
find_streams(terms *c, const mt_model *model, mt_error *error)
{
  c->before = mt_stream_before(model, c->trace, c->point);
  c->after = mt_stream_at(c->trace, c->point);
  c->added = mt_stream_added(c->trace, c->point);
  c->rows = c->after.rows;
  return (c->before.data && c->after.data && c->added.data) || fail_requests(error);
}

static bool
fill(terms *c, const mt_model *model, const mt_ops *ops, mt_error *error)
{
  const bool is_network = c->point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  if (!find_streams(c, model, error) || !fill_norm(c, model, ops, error))
    return false;
  if (!c->is_self && !(c->stream = mt_alloc(c->rows, sizeof *c->stream)))
    return mt_fail_no_memory(error);
  if (is_network && !(c->network = mt_alloc(c->rows, sizeof *c->network)))
    return mt_fail_no_memory(error);
  if (!is_network)
    return fill_attention(c, model, ops, error);
  const float *bias = NULL;
  mt_model_feed_forward_map(model, c->point.stack, (size_t) c->point.layer, MT_MAP_BACK, &bias);
  double *room = mt_alloc(c->d, sizeof *room);
  if (!room)
    return mt_fail_no_memory(error);
  for (size_t r = 0; r < c->rows; r++)
    fill_network_row(c, r, bias, room);
  mt_free(room);
  return true;
}

mt_contributions *
mt_contributions_make(const mt_model *model, const mt_trace *trace, mt_point point,
                      const mt_ops *ops, mt_error *error)
{
  terms *c = mt_alloc(1, sizeof *c);
  if (!c)
    return mt_fail_no_memory(error), NULL;

  c->trace = mt_trace_ref((mt_trace *) trace);
  c->point = point;
  c->config = &model->config;
  c->d = model->config.d_model;
  c->n_heads = model->config.n_heads[point.stack];
  c->is_self = point.sub_layer == MT_SUB_LAYER_SELF;
  const bool ok = fill(c, model, ops, error);
  if (c->tokens)
    c->out.tokens = (mt_matrix){c->tokens, c->rows, c->keys, c->keys};
  if (c->stream)
    c->out.stream = (mt_matrix){c->stream, c->rows, 1, 1};
  if (c->network)
    c->out.network = (mt_matrix){c->network, c->rows, 1, 1};
  if (ok)
    return &c->out;
  mt_contributions_free(&c->out);
  return NULL;
}

mt_contributions *
mt_contributions_new(const mt_model *model, const mt_trace *trace, mt_point point, mt_error *error)
{
  mt_ops ops;
  mt_ops_init(&ops, 1);
  mt_contributions *c = mt_contributions_make(model, trace, point, &ops, error);
  mt_ops_clear(&ops);
  return c;
}

void
mt_contributions_free(mt_contributions *contributions)
{
  terms *c = (terms *) contributions;
  if (!c)
    return;
  mt_trace_unref(c->trace);
  mt_values_end(&c->values);
  mt_free(c->gain);
  mt_free(c->sigma);
  mt_free(c->tokens);
  mt_free(c->stream);
  mt_free(c->network);
  mt_free(c);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* J of a head's part is A J(f), all over the row's sigma. */
float
mt_contributions_head(const mt_contributions *contributions, size_t row, size_t key, size_t head)
{
  const terms *c = (const terms *) contributions;
  const bool has_norm = c->sigma[row] != 0;
  double all = 0, own = 0;
  for (size_t h = 0; h < c->n_heads && key < c->keys; h++) {
    const double a = c->values.a[(key * c->rows + row) * c->n_heads + h];
    const float *f = c->values.f + (h * c->keys + key) * c->d;
    const double mean = has_norm ? mt_norm_measure_row(c->config, f).mean : 0;
    double size = 0;
    for (size_t i = 0; i < c->d; i++)
      size += fabs(a * (has_norm ? c->gain[i] : 1) * (f[i] - mean));
    all += size;
    own = h == head ? size : own;
  }
  return all > 0 ? (float) (own / all) : 0;
}

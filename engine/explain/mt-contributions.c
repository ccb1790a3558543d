/* mt-contributions.c — what each token gave to the state that a sub-layer leaves.
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
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-model.h"

#include <math.h>

struct mt_contributions {
  mt_trace *trace;
  mt_point point;
  size_t rows, keys, d, n_heads; /* keys 0: a feed-forward network */
  bool is_self;
  double *f;     /* [n_heads][keys][d] */
  float *a;      /* [n_heads][rows][keys]: weights, as the contexts have them */
  double *gain;  /* [d]: of the norm, or 1 */
  double *sigma; /* [rows]; 0: there is no norm */
  mt_matrix before, added, after;
  float *tokens, *stream, *network; /* [rows][keys], [rows], [rows]; NULL: none */
};

/* J of one row, in place. */
static void
norm(const mt_contributions *c, size_t row, double *u)
{
  double mean = 0;
  if (c->sigma[row] == 0)
    return;
  for (size_t i = 0; i < c->d; i++)
    mean += u[i] / (double) c->d;
  for (size_t i = 0; i < c->d; i++)
    u[i] = c->gain[i] * (u[i] - mean) / c->sigma[row];
}

/* max(0, |y| - |y - t|). */
static double
given(const mt_contributions *c, size_t row, const double *t)
{
  double all = 0, rest = 0;
  for (size_t i = 0; i < c->d; i++) {
    const double y = mt_matrix_at(&c->after, row, i);
    all += fabs(y);
    rest += fabs(y - t[i]);
  }
  return fmax(all - rest, 0);
}

static double
weight(const mt_contributions *c, size_t head, size_t row, size_t key)
{
  return c->a[(head * c->rows + row) * c->keys + key];
}

static void
add_row(double *u, mt_matrix m, size_t row, size_t d)
{
  for (size_t i = 0; i < d; i++)
    u[i] += mt_matrix_at(&m, row, i);
}

/* A row of an attention sub-layer; t [d] is room. */
static void
fill_attention_row(mt_contributions *c, size_t row, double *t)
{
  double sum = 0;
  float *out = c->tokens + row * c->keys;
  for (size_t j = 0; j < c->keys; j++) {
    for (size_t i = 0; i < c->d; i++)
      t[i] = 0;
    for (size_t h = 0; h < c->n_heads; h++) {
      const double a = weight(c, h, row, j), *f = c->f + (h * c->keys + j) * c->d;
      for (size_t i = 0; a != 0 && i < c->d; i++)
        t[i] += a * f[i];
    }
    if (c->is_self && row == j)
      add_row(t, c->before, row, c->d);
    norm(c, row, t);
    out[j] = (float) given(c, row, t);
    sum += out[j];
  }
  if (!c->is_self) {
    for (size_t i = 0; i < c->d; i++)
      t[i] = mt_matrix_at(&c->before, row, i);
    norm(c, row, t);
    c->stream[row] = (float) given(c, row, t);
    sum += c->stream[row];
    c->stream[row] = sum > 0 ? (float) (c->stream[row] / sum) : 0;
  }
  for (size_t j = 0; j < c->keys; j++)
    out[j] = sum > 0 ? (float) (out[j] / sum) : 0;
}

static void
fill_network_row(mt_contributions *c, size_t row, const float *bias, double *t)
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

/* ---- Making it
 * ----------------------------------------------------------------------------------- */

static bool
fail_taps(mt_error *error)
{
  return mt_fail(error, MT_ERROR_INPUT, "The trace does not have this sub-layer.");
}

/* The weights of a head in a row, and what a change made of their sum of values: a head may have
 * been scaled or switched off after its weights were shown. False: something else was done. */
static bool
fill_weights(mt_contributions *c, size_t head, size_t row, mt_matrix w, mt_matrix v,
             mt_matrix context)
{
  float *a = c->a + (head * c->rows + row) * c->keys;
  double dot = 0, square = 0, largest = 0;
  for (size_t pass = 0; pass < 2; pass++) {
    double scale = square > 0 ? dot / square : 1;
    /* Nearly always nothing was changed: then rounding shall change nothing either. */
    scale = fabs(scale - 1) < 1e-4 ? 1 : scale;
    for (size_t i = 0; i < v.cols; i++) {
      const double found = mt_matrix_at(&context, row, i);
      double sum = 0;
      for (size_t j = 0; j < c->keys; j++)
        sum += (double) mt_matrix_at(&w, row, j) * mt_matrix_at(&v, j, i);
      if (pass == 1 && !(fabs(found - scale * sum) <= 1e-3 * (largest + 1e-6)))
        return false;
      dot += found * sum;
      square += sum * sum;
      largest = fmax(largest, fmax(fabs(found), fabs(sum)));
    }
    for (size_t j = 0; pass == 1 && j < c->keys; j++)
      a[j] = (float) (scale * mt_matrix_at(&w, row, j));
  }
  return true;
}

/* f of every head and key, and weights. */
static bool
fill_values(mt_contributions *c, const mt_model *model, mt_error *error)
{
  const mt_attention_kind kind = mt_point_kind(c->point);
  for (size_t h = 0; h < c->n_heads; h++) {
    mt_matrix v = mt_trace_get(c->trace, MT_SITE_VALUE, kind, c->point.layer, (int) h);
    mt_matrix w = mt_trace_get(c->trace, MT_SITE_WEIGHTS, kind, c->point.layer, (int) h);
    mt_matrix map = mt_model_head_map(model, kind, (size_t) c->point.layer, h, MT_MAP_OUTPUT);
    mt_matrix context = mt_trace_get(c->trace, MT_SITE_CONTEXT, kind, c->point.layer, (int) h);
    if (!v.data || !w.data || !context.data)
      return fail_taps(error);
    if (h == 0) {
      c->keys = v.rows;
      c->f = mt_alloc(c->n_heads * c->keys * c->d, sizeof *c->f);
      c->tokens = mt_alloc(c->rows * c->keys, sizeof *c->tokens);
      c->a = mt_alloc(c->n_heads * c->rows * c->keys, sizeof *c->a);
      if (!c->f || !c->a || !c->tokens)
        return mt_fail_no_memory(error);
    }
    for (size_t j = 0; j < c->keys; j++)
      for (size_t o = 0; o < c->d; o++) {
        double sum = 0;
        for (size_t i = 0; i < map.cols; i++)
          sum += (double) mt_matrix_at(&map, o, i) * mt_matrix_at(&v, j, i);
        c->f[(h * c->keys + j) * c->d + o] = sum;
      }
    for (size_t r = 0; r < c->rows; r++)
      if (!fill_weights(c, h, r, w, v, context))
        return mt_fail(error, MT_ERROR_INPUT,
                       "A hook changed the contexts of a head: they are not its weights times its "
                       "values.");
  }
  return true;
}

static bool
fill_norm(mt_contributions *c, const mt_model *model, mt_error *error)
{
  const float *gain, *bias;
  c->gain = mt_alloc(c->d, sizeof *c->gain);
  c->sigma = mt_alloc(c->rows, sizeof *c->sigma);
  if (!c->gain || !c->sigma)
    return mt_fail_no_memory(error);
  if (model->config.normalize_before || !mt_point_norm(model, c->point, &gain, &bias))
    return true;
  for (size_t i = 0; i < c->d; i++)
    c->gain[i] = gain[i];
  for (size_t r = 0; r < c->rows; r++) {
    c->sigma[r] = mt_stream_measure(model, c->trace, c->point, r).sigma;
    if (isnan(c->sigma[r]))
      return fail_taps(error);
  }
  return true;
}

static bool
find_streams(mt_contributions *c, const mt_model *model, mt_error *error)
{
  c->before = mt_stream_before(model, c->trace, c->point);
  c->after = mt_stream_at(c->trace, c->point);
  c->added = mt_stream_added(c->trace, c->point);
  c->rows = c->after.rows;
  return (c->before.data && c->after.data && c->added.data) || fail_taps(error);
}

static bool
fill(mt_contributions *c, const mt_model *model, mt_error *error)
{
  const bool is_network = c->point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  if (!find_streams(c, model, error) || !fill_norm(c, model, error))
    return false;
  if (!c->is_self && !(c->stream = mt_alloc(c->rows, sizeof *c->stream)))
    return mt_fail_no_memory(error);
  if (is_network && !(c->network = mt_alloc(c->rows, sizeof *c->network)))
    return mt_fail_no_memory(error);
  if (!is_network && !fill_values(c, model, error))
    return false;
  const float *bias = NULL;
  if (is_network)
    mt_model_feed_forward_map(model, c->point.stack, (size_t) c->point.layer, MT_MAP_BACK, &bias);
  double *room = mt_alloc(c->d, sizeof *room);
  if (!room)
    return mt_fail_no_memory(error);
  for (size_t r = 0; r < c->rows; r++)
    if (is_network)
      fill_network_row(c, r, bias, room);
    else
      fill_attention_row(c, r, room);
  mt_free(room);
  return true;
}

mt_contributions *
mt_contributions_new(const mt_model *model, const mt_trace *trace, mt_point point, mt_error *error)
{
  mt_contributions *c = mt_alloc(1, sizeof *c);
  if (!c) {
    mt_fail_no_memory(error);
    return NULL;
  }
  c->trace = mt_trace_ref((mt_trace *) trace);
  c->point = point;
  c->d = model->config.d_model;
  c->n_heads = model->config.n_heads[point.stack];
  c->is_self = point.sub_layer == MT_SUB_LAYER_SELF;
  if (fill(c, model, error))
    return c;
  mt_contributions_free(c);
  return NULL;
}

void
mt_contributions_free(mt_contributions *c)
{
  if (!c)
    return;
  mt_trace_unref(c->trace);
  mt_free(c->f);
  mt_free(c->a);
  mt_free(c->gain);
  mt_free(c->sigma);
  mt_free(c->tokens);
  mt_free(c->stream);
  mt_free(c->network);
  mt_free(c);
}

/* ---- Asking
 * --------------------------------------------------------------------------------------- */

mt_matrix
mt_contributions_tokens(const mt_contributions *c)
{
  return c->tokens ? (mt_matrix){c->tokens, c->rows, c->keys, c->keys} : (mt_matrix){0};
}

mt_matrix
mt_contributions_stream(const mt_contributions *c)
{
  return c->stream ? (mt_matrix){c->stream, c->rows, 1, 1} : (mt_matrix){0};
}

mt_matrix
mt_contributions_network(const mt_contributions *c)
{
  return c->network ? (mt_matrix){c->network, c->rows, 1, 1} : (mt_matrix){0};
}

float
mt_contributions_head(const mt_contributions *c, size_t row, size_t key, size_t head)
{
  double all = 0, own = 0;
  double *t = mt_alloc(c->d, sizeof *t);
  for (size_t h = 0; t && h < c->n_heads && key < c->keys; h++) {
    const double a = weight(c, h, row, key), *f = c->f + (h * c->keys + key) * c->d;
    double size = 0;
    for (size_t i = 0; i < c->d; i++)
      t[i] = a * f[i];
    norm(c, row, t);
    for (size_t i = 0; i < c->d; i++)
      size += fabs(t[i]);
    all += size;
    own = h == head ? size : own;
  }
  mt_free(t);
  return all > 0 ? (float) (own / all) : 0;
}

/* test-contributions.c — what tokens gave to each other, by the definition in double, in every
 * layout of norms: T and biases add up to the state, shares to 1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

#define POINTS                                                             \
  (MT_HOOK_POINT_BIT(MT_HOOK_WEIGHTS) | MT_HOOK_POINT_BIT(MT_HOOK_VALUE) | \
   MT_HOOK_POINT_BIT(MT_HOOK_HIDDEN))

typedef struct {
  mt_model *model;
  mt_trace *trace;
  double scale; /* of encoder head 1.1 */
} fixture;

/* ---- By the definition ------------------------------------------------------------------------
 */

/* J of a part, in place: gain (u - mean u) / sigma of what the norm read. */
static void
norm(const fixture *f, mt_point point, size_t row, double *u)
{
  const size_t d = mt_model_config(f->model)->d_model;
  const float *gain, *bias;
  if (mt_model_config(f->model)->normalize_before)
    return;
  g_assert_true(mt_point_norm(f->model, point, &gain, &bias));
  mt_matrix x = mt_stream_norm_input(f->trace, point);
  double mean, sigma, own, ignored;
  g_autofree double *read = g_new(double, d);
  for (size_t i = 0; i < d; i++)
    read[i] = mt_matrix_at(&x, row, i);
  sentences_measure(f->model, read, &mean, &sigma);
  sentences_measure(f->model, u, &own, &ignored);
  for (size_t i = 0; i < d; i++)
    u[i] = gain[i] * (u[i] - own) / sigma;
}

/* A W_O v of one head, before the norm: added to u. */
static void
add_head(const fixture *f, mt_point point, size_t h, size_t row, size_t key, double *u)
{
  const mt_attention_kind kind = mt_point_kind(point);
  mt_matrix a = mt_trace_get(f->trace, MT_HOOK_WEIGHTS, kind, point.layer, (int) h);
  mt_matrix v = mt_trace_get(f->trace, MT_HOOK_VALUE, kind, point.layer, (int) h);
  mt_matrix map = mt_model_head_map(f->model, kind, (size_t) point.layer, h, MT_MAP_OUTPUT);
  const double scale = kind == MT_ENCODER_SELF && point.layer == 0 && h == 0 ? f->scale : 1;
  for (size_t o = 0; o < map.rows; o++)
    for (size_t i = 0; i < map.cols; i++)
      u[o] +=
          scale * mt_matrix_at(&a, row, key) * mt_matrix_at(&map, o, i) * mt_matrix_at(&v, key, i);
}

static double
amount(const double *u, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += fabs(u[i]);
  return sum;
}

/* The biases of a sub-layer: of what it adds, through J, and of its norm. */
static double *
biases(const fixture *f, mt_point point, size_t row)
{
  const size_t d = mt_model_config(f->model)->d_model;
  const float *bias, *gain;
  double *u = g_new0(double, d);
  if (point.sub_layer == MT_SUB_LAYER_FEED_FORWARD)
    mt_model_feed_forward_map(f->model, point.stack, (size_t) point.layer, MT_MAP_BACK, &bias);
  else
    bias =
        mt_model_head_bias(f->model, mt_point_kind(point), (size_t) point.layer, 0, MT_MAP_OUTPUT);
  for (size_t i = 0; bias && i < d; i++)
    u[i] = bias[i];
  norm(f, point, row, u);
  if (!mt_model_config(f->model)->normalize_before) {
    g_assert_true(mt_point_norm(f->model, point, &gain, &bias));
    for (size_t i = 0; bias && i < d; i++)
      u[i] += bias[i];
  }
  return u;
}

/* Part p of a row: the keys in order; behind them the stream, unless it is part of a key; behind
 * it the network. */
static double *
part(const fixture *f, mt_point point, mt_matrix before, size_t row, size_t keys, size_t p)
{
  const size_t d = mt_model_config(f->model)->d_model;
  const bool is_self = point.sub_layer == MT_SUB_LAYER_SELF;
  double *u = g_new0(double, d);
  for (size_t h = 0; p < keys && h < mt_model_config(f->model)->n_heads[point.stack]; h++)
    add_head(f, point, h, row, p, u);
  if (is_self ? p == row : p == keys)
    for (size_t i = 0; i < d; i++)
      u[i] += mt_matrix_at(&before, row, i);
  if (p == keys + 1) { /* W_2 of the hidden activations */
    const float *bias;
    mt_matrix map =
        mt_model_feed_forward_map(f->model, point.stack, (size_t) point.layer, MT_MAP_BACK, &bias);
    mt_matrix hidden =
        mt_trace_get(f->trace, MT_HOOK_HIDDEN, mt_point_kind(point), point.layer, -1);
    for (size_t o = 0; o < d; o++)
      for (size_t i = 0; i < hidden.cols; i++)
        u[o] += (double) mt_matrix_at(&map, o, i) * mt_matrix_at(&hidden, row, i);
  }
  norm(f, point, row, u);
  return u;
}

/* ---- Against what is found ---------------------------------------------------------------------
 */

static void
check_heads(const fixture *f, const mt_contributions *c, mt_point point, size_t row, size_t key)
{
  const mt_config *config = mt_model_config(f->model);
  const size_t n = config->n_heads[point.stack];
  g_autofree double *sizes = g_new0(double, n);
  double all = 0, shares = 0;
  for (size_t h = 0; h < n; h++) {
    g_autofree double *u = g_new0(double, config->d_model);
    add_head(f, point, h, row, key, u);
    norm(f, point, row, u);
    sizes[h] = amount(u, config->d_model);
    all += sizes[h];
  }
  for (size_t h = 0; h < n; h++) {
    const double share = mt_contributions_head(c, row, key, h);
    g_assert_cmpfloat_with_epsilon(share, all > 0 ? sizes[h] / all : 0, 1e-5);
    shares += share;
  }
  g_assert_cmpfloat_with_epsilon(shares, all > 0 ? 1 : 0, 1e-5);
}

static void
check_row(const fixture *f, const mt_contributions *c, mt_point point, mt_matrix before, size_t row)
{
  const size_t d = mt_model_config(f->model)->d_model;
  mt_matrix tokens = c->tokens, stream = c->stream;
  mt_matrix network = c->network, after = mt_stream_at(f->trace, point);
  const size_t keys = tokens.cols;
  const size_t n = point.sub_layer == MT_SUB_LAYER_SELF    ? keys
                   : point.sub_layer == MT_SUB_LAYER_CROSS ? keys + 1
                                                           : 2;
  g_autofree double *sum = biases(f, point, row), *given = g_new0(double, n), *y = g_new(double, d);
  double all = 0, found = 0, largest = 1;
  for (size_t i = 0; i < d; i++)
    y[i] = mt_matrix_at(&after, row, i);
  for (size_t p = 0; p < n; p++) {
    g_autofree double *t = part(f, point, before, row, keys, p), *rest = g_new(double, d);
    for (size_t i = 0; i < d; i++) {
      sum[i] += t[i];
      rest[i] = y[i] - t[i];
    }
    given[p] = fmax(0, amount(y, d) - amount(rest, d));
    all += given[p];
  }
  for (size_t i = 0; i < d; i++)
    largest = fmax(largest, fabs(y[i]));
  for (size_t i = 0; i < d; i++)
    g_assert_cmpfloat_with_epsilon(sum[i], y[i], 3e-5 * largest);
  /* Where nothing makes the state larger, all shares are 0. */
  const double whole = all > 0 ? all : 1;
  for (size_t p = 0; p < n; p++) {
    const double share = p < keys    ? mt_matrix_at(&tokens, row, p)
                         : p == keys ? mt_matrix_at(&stream, row, 0)
                                     : mt_matrix_at(&network, row, 0);
    g_assert_cmpfloat(share, >=, 0);
    g_assert_cmpfloat_with_epsilon(share, given[p] / whole, 1e-4);
    found += share;
  }
  g_assert_cmpfloat_with_epsilon(found, all > 0 ? 1 : 0, 1e-5);
  for (size_t j = 0; j < keys; j++)
    check_heads(f, c, point, row, j);
}

static void
check_stack(const fixture *f, mt_stack stack)
{
  const mt_config *config = mt_model_config(f->model);
  for (size_t i = 1; i < mt_point_count(config, stack); i++) {
    const mt_point point = mt_point_at(config, stack, i);
    const bool is_self = point.sub_layer == MT_SUB_LAYER_SELF;
    const bool is_network = point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
    mt_matrix before = mt_stream_at(f->trace, mt_point_at(config, stack, i - 1));
    mt_error error = {0};
    g_autoptr(mt_contributions) c = mt_contributions_new(f->model, f->trace, point, &error);
    g_assert_cmpstr(error.message, ==, "");
    mt_matrix tokens = c->tokens;
    g_assert_cmpint(tokens.data != NULL, ==, !is_network);
    g_assert_cmpint(c->stream.data != NULL, ==, !is_self);
    g_assert_cmpint(c->network.data != NULL, ==, is_network);
    if (!is_network) {
      g_assert_cmpuint(tokens.rows, ==, before.rows);
      g_assert_cmpuint(tokens.cols, ==,
                       is_self ? before.rows : mt_tokens_count(mt_trace_source(f->trace)));
    }
    for (size_t r = 0; r < before.rows; r++)
      check_row(f, c, point, before, r);
    /* Nothing comes from behind the mask. */
    for (size_t r = 0; is_self && stack == MT_STACK_DECODER && r < tokens.rows; r++)
      for (size_t k = r + 1; k < tokens.cols; k++)
        g_assert_cmpfloat(mt_matrix_at(&tokens, r, k), ==, 0);
  }
}

static void
assert_input(const fixture *f, const mt_trace *trace, mt_point point)
{
  mt_error error = {0};
  g_assert_null(mt_contributions_new(f->model, trace, point, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
}

static void
shift_context(void *user, const mt_editable_activation *probe)
{
  (void) user;
  for (size_t r = 0; r < probe->rows; r++)
    probe->data[r * probe->stride] += 1;
}

static void
check_errors(const fixture *f)
{
  mt_trace *bare = sentences_trace(f->model, "I have two dogs.", NULL, 8, POINTS, false);
  assert_input(f, bare, (mt_point){MT_STACK_ENCODER, 0, MT_SUB_LAYER_SELF});
  assert_input(f, f->trace, (mt_point){MT_STACK_ENCODER, -1, MT_SUB_LAYER_EMBEDDING});
  assert_input(f, f->trace, (mt_point){MT_STACK_ENCODER, 0, MT_SUB_LAYER_CROSS});
  assert_input(f, f->trace, (mt_point){MT_STACK_DECODER, 99, MT_SUB_LAYER_SELF});
  mt_trace_unref(bare);

  /* Contexts that are not weights times values. */
  mt_error error = {0};
  mt_activation_requests requests = {0};
  mt_activation_requests_add_stream(&requests);
  requests.requests[requests.n++] =
      (mt_activation_request){MT_HOOK_WEIGHTS, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  requests.requests[requests.n++] =
      (mt_activation_request){MT_HOOK_VALUE, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  const mt_hooks hooks = {.requests = &requests,
                          .hook_points = MT_HOOK_POINT_BIT(MT_HOOK_CONTEXT),
                          .on_probe = shift_context};
  g_autoptr(mt_session) session = sentences_session(f->model, 0, false);
  mt_search_params params = mt_search_params_default(f->model);
  params.max_length = MIN(params.max_length, 8);
  g_autoptr(mt_translation) t =
      mt_session_translate(session, "I have two dogs.", &params, NULL, &error);
  g_autoptr(mt_trace) hooked = mt_trace_new(f->model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  assert_input(f, hooked, (mt_point){MT_STACK_ENCODER, 0, MT_SUB_LAYER_SELF});
}

static void
test_model(gconstpointer name)
{
  static const struct {
    const char *change;
    double scale;
  } interventions[] = {{NULL, 1}, {"encoder 1.1 zero", 0}, {"encoder 1.1 scale 2.5", 2.5}};
  fixture f = {.model = sentences_model(name)};
  /* The long loops of the tests are enough with one change in the frozen model. */
  for (size_t i = 0; i < (mt_model_config(f.model)->d_model > 64 ? 2 : 3); i++) {
    f.scale = interventions[i].scale;
    f.trace =
        sentences_trace(f.model, "I have two dogs.", interventions[i].change, 8, POINTS, true);
    check_stack(&f, MT_STACK_ENCODER);
    if (i == 0) {
      check_stack(&f, MT_STACK_DECODER);
      check_errors(&f);
    }
    mt_trace_unref(f.trace);
  }
  mt_model_unref(f.model);
}

TESTS()
{
  sentences_test_models("/contributions", test_model);
}

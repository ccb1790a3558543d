/* test-neurons.c — neurons, what they say, and norms over a batch, by their definitions in double.
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

#define POINTS (MT_HOOK_POINT_BIT(MT_HOOK_HIDDEN))

typedef struct {
  mt_model *model;
  mt_trace *trace;
} fixture;

/* ---- Neurons ----------------------------------------------------------------------------------
 */

static void
check_strongest(const fixture *f, mt_stack stack, size_t layer, size_t token)
{
  mt_matrix hidden =
      mt_trace_get(f->trace, MT_HOOK_HIDDEN,
                   stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF, (int) layer, -1);
  const size_t n = hidden.cols;
  g_autofree mt_neuron *found = g_new(mt_neuron, n + 1);
  g_autofree bool *seen = g_new0(bool, n);
  size_t active = 0;
  g_assert_cmpuint(mt_neurons_strongest(f->trace, stack, layer, token, n + 1, found), ==, n);
  for (size_t i = 0; i < n; i++) {
    g_assert_false(seen[found[i].neuron]);
    seen[found[i].neuron] = true;
    g_assert_cmpfloat(found[i].activation, ==, mt_matrix_at(&hidden, token, found[i].neuron));
    g_assert_true(i == 0 || fabsf(found[i].activation) <= fabsf(found[i - 1].activation));
    active += fabsf(mt_matrix_at(&hidden, token, i)) > 1e-6f;
  }
  g_assert_cmpfloat_with_epsilon(mt_neurons_active(f->trace, stack, layer, token),
                                 (double) active / (double) n, 1e-12);
  mt_neuron few[3];
  g_assert_cmpuint(mt_neurons_strongest(f->trace, stack, layer, token, 3, few), ==, 3);
  for (size_t i = 0; i < 3; i++)
    g_assert_cmpfloat(fabsf(few[i].activation), ==, fabsf(found[i].activation));
  g_assert_cmpuint(mt_neurons_strongest(f->trace, stack, layer, token, 0, few), ==, 0);
}

/* [vocabulary] what a column of W_2 makes of the output matrix. */
static double *
naive_says(const fixture *f, mt_stack stack, size_t layer, size_t neuron, size_t *n)
{
  const float *bias;
  mt_matrix back = mt_model_feed_forward_map(f->model, stack, layer, MT_MAP_BACK, &bias);
  mt_matrix map = stack == MT_STACK_DECODER ? mt_model_output_map(f->model, &bias)
                                            : mt_model_embedding(f->model, stack);
  const double scale = stack == MT_STACK_DECODER ? mt_model_config(f->model)->output_scale : 1;
  double *logits = g_new0(double, map.rows);
  for (size_t v = 0; v < map.rows; v++)
    for (size_t i = 0; i < map.cols; i++)
      logits[v] += scale * mt_matrix_at(&back, i, neuron) * mt_matrix_at(&map, v, i);
  *n = map.rows;
  return logits;
}

static void
check_list(const mt_neuron_piece *list, size_t n, const double *logits, size_t vocab, double sign)
{
  size_t beyond = 0;
  for (size_t i = 0; i < n; i++) {
    g_assert_cmpfloat_with_epsilon(list[i].logit, logits[list[i].piece], 1e-5);
    g_assert_true(i == 0 || sign * list[i].logit <= sign * list[i - 1].logit);
    for (size_t k = 0; k < i; k++)
      g_assert_cmpint(list[i].piece, !=, list[k].piece);
  }
  for (size_t v = 0; v < vocab; v++)
    beyond += sign * logits[v] > sign * list[n - 1].logit + 1e-6;
  g_assert_cmpuint(beyond, <, n);
}

static void
check_says(const fixture *f, mt_stack stack, size_t layer, size_t neuron)
{
  size_t vocab;
  mt_neuron_piece raised[15], lowered[15];
  g_autofree double *logits = naive_says(f, stack, layer, neuron, &vocab);
  g_assert_cmpuint(mt_neuron_says(f->model, stack, layer, neuron, 15, raised, lowered), ==, 15);
  check_list(raised, 15, logits, vocab, 1);
  check_list(lowered, 15, logits, vocab, -1);
}

static void
check_refused(const fixture *f)
{
  const mt_config *config = mt_model_config(f->model);
  mt_neuron_piece pieces[2];
  mt_neuron neuron;
  const size_t n_neurons = config->d_ffn[MT_STACK_ENCODER];
  g_assert_cmpuint(mt_neuron_says(f->model, MT_STACK_ENCODER, 0, n_neurons, 1, pieces, pieces + 1),
                   ==, 0);
  g_assert_cmpuint(mt_neuron_says(f->model, MT_STACK_ENCODER, config->n_layers[MT_STACK_ENCODER], 0,
                                  1, pieces, pieces + 1),
                   ==, 0);
  g_assert_cmpuint(mt_neurons_strongest(f->trace, MT_STACK_ENCODER, 0, 4000, 1, &neuron), ==, 0);
  g_assert_cmpuint(mt_neurons_strongest(f->trace, MT_STACK_ENCODER, 99, 0, 1, &neuron), ==, 0);
  g_assert_true(isnan(mt_neurons_active(f->trace, MT_STACK_ENCODER, 0, 4000)));
}

/* ---- Norms ------------------------------------------------------------------------------------
 */

static void
check_norms(const fixture *f, mt_point point, const mt_trace *const *traces, size_t n)
{
  const size_t d = mt_model_config(f->model)->d_model;
  const float *gain, *bias;
  mt_error error = {0};
  g_autoptr(mt_batch_norm) batch = mt_batch_norm_new(traces, n, point, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(mt_point_norm(f->model, point, &gain, &bias));
  g_autofree float *read = g_new(float, d), *by_layer = g_new(float, d);
  g_autofree float *by_batch = g_new(float, d);
  g_autofree double *mean = g_new0(double, d), *variance = g_new0(double, d);
  size_t tokens = 0;
  for (size_t t = 0; t < n; t++)
    tokens += mt_stream_norm_input(traces[t], point).rows;
  g_assert_cmpuint(batch->n_tokens, ==, tokens);
  for (size_t i = 0; i < d; i++) {
    for (size_t t = 0; t < n; t++) {
      mt_matrix x = mt_stream_norm_input(traces[t], point);
      for (size_t r = 0; r < x.rows; r++)
        mean[i] += mt_matrix_at(&x, r, i) / (double) tokens;
    }
    for (size_t t = 0; t < n; t++) {
      mt_matrix x = mt_stream_norm_input(traces[t], point);
      for (size_t r = 0; r < x.rows; r++)
        variance[i] += pow(mt_matrix_at(&x, r, i) - mean[i], 2) / (double) tokens;
    }
    g_assert_cmpfloat_with_epsilon(batch->mean[i], mean[i], 1e-9);
    g_assert_cmpfloat_with_epsilon(batch->sigma[i], sqrt(variance[i] + 1e-5), 1e-9);
  }
  mt_matrix x = mt_stream_norm_input(f->trace, point), after = mt_stream_at(f->trace, point);
  const bool is_pre = mt_model_config(f->model)->normalize_before;
  for (size_t r = 0; r < x.rows; r++) {
    double own_mean, own_sigma;
    g_autofree double *row = g_new(double, d);
    g_assert_true(mt_norms_compare(f->model, f->trace, point, r, batch, read, by_layer, by_batch));
    for (size_t i = 0; i < d; i++)
      row[i] = mt_matrix_at(&x, r, i);
    sentences_measure(f->model, row, &own_mean, &own_sigma);
    for (size_t i = 0; i < d; i++) {
      const double u = row[i], added = bias ? bias[i] : 0;
      g_assert_cmpfloat(read[i], ==, mt_matrix_at(&x, r, i));
      g_assert_cmpfloat_with_epsilon(by_layer[i], gain[i] * (u - own_mean) / own_sigma + added,
                                     1e-4);
      g_assert_cmpfloat_with_epsilon(by_batch[i],
                                     gain[i] * (u - mean[i]) / sqrt(variance[i] + 1e-5) + added,
                                     1e-4);
      /* Behind the sum, what the norm makes is the stream itself. */
      if (!is_pre)
        g_assert_cmpfloat_with_epsilon(by_layer[i], mt_matrix_at(&after, r, i), 1e-4);
    }
  }
  g_assert_true(mt_norms_compare(f->model, f->trace, point, 0, NULL, read, by_layer, NULL));
  g_assert_false(
      mt_norms_compare(f->model, f->trace, point, 4000, batch, read, by_layer, by_batch));
}

static void
check_batch_refused(const fixture *f)
{
  g_autoptr(mt_trace) bare = sentences_trace(f->model, "I have two dogs.", NULL, 8, POINTS, false);
  const mt_point point = {MT_STACK_ENCODER, 0, MT_SUB_LAYER_SELF};
  const mt_trace *const traces[] = {f->trace, bare};
  const float *gain, *bias;
  mt_error error = {0};
  g_assert_null(mt_batch_norm_new(traces, 2, point, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_null(mt_batch_norm_new(traces, 0, point, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_false(mt_point_norm(f->model, (mt_point){MT_STACK_ENCODER, -1, MT_SUB_LAYER_EMBEDDING},
                               &gain, &bias));
  g_assert_false(
      mt_point_norm(f->model, (mt_point){MT_STACK_DECODER, 99, MT_SUB_LAYER_SELF}, &gain, &bias));
}

static void
test_model(gconstpointer name)
{
  fixture f = {.model = sentences_model(name)};
  const mt_config *config = mt_model_config(f.model);
  f.trace = sentences_trace(f.model, "I have two dogs.", NULL, 8, POINTS, true);
  g_autoptr(mt_trace) other =
      sentences_trace(f.model, "We saw a small house by the sea.", NULL, 8, POINTS, true);
  const mt_trace *const traces[] = {f.trace, other};
  for (int s = 0; s < MT_N_STACKS; s++) {
    const mt_stack stack = (mt_stack) s;
    for (size_t layer = 0; layer < config->n_layers[stack]; layer++) {
      check_strongest(&f, stack, layer, 0);
      check_strongest(&f, stack, layer, 2);
      check_says(&f, stack, layer, config->d_ffn[stack] - 1);
    }
    for (size_t i = 1; i < mt_point_count(config, stack); i++)
      check_norms(&f, mt_point_at(config, stack, i), traces, 1 + i % 2);
  }
  check_refused(&f);
  check_batch_refused(&f);
  mt_trace_unref(f.trace);
  mt_model_unref(f.model);
}

TESTS()
{
  sentences_test_models("/neurons", test_model);
}

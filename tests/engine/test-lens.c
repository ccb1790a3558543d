/* test-lens.c — the logit lens against its definition in double, in every layout of norms; at the
 * end it says what the model says.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "failing-malloc.h"
#include "golden.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

#define POINTS (MT_HOOK_POINT_BIT(MT_HOOK_LOGITS))

typedef struct {
  mt_model *model;
  mt_trace *trace;
} fixture;

/* ---- By its definition ------------------------------------------------------------------------
 */

/* Logits of a state, in double: final norm, and the matrix. */
static double *
naive_logits(const fixture *f, mt_point point, size_t token, size_t *n)
{
  const mt_attention_kind own = point.stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
  const float *bias = NULL, *gain, *shift;
  mt_matrix x = mt_stream_at(f->trace, point);
  mt_matrix map = point.stack == MT_STACK_DECODER ? mt_model_output_map(f->model, &bias)
                                                  : mt_model_embedding(f->model, point.stack);
  g_autofree double *state = g_new(double, x.cols);
  for (size_t i = 0; i < x.cols; i++)
    state[i] = mt_matrix_at(&x, token, i);
  if (mt_model_norm(f->model, MT_NORM_FINAL, own, 0, &gain, &shift)) {
    double mean, sigma;
    sentences_measure(f->model, state, &mean, &sigma);
    for (size_t i = 0; i < x.cols; i++)
      state[i] = gain[i] * (state[i] - mean) / sigma + (shift ? shift[i] : 0);
  }
  if (point.stack == MT_STACK_DECODER)
    for (size_t i = 0; i < x.cols; i++)
      state[i] *= mt_model_config(f->model)->output_scale;
  double *logits = g_new(double, map.rows);
  for (size_t v = 0; v < map.rows; v++) {
    logits[v] = bias ? bias[v] : 0;
    for (size_t i = 0; i < x.cols; i++)
      logits[v] += state[i] * mt_matrix_at(&map, v, i);
  }
  *n = map.rows;
  return logits;
}

/* log softmax, in place. */
static void
normalise(double *x, size_t n)
{
  double top = -INFINITY, sum = 0;
  for (size_t i = 0; i < n; i++)
    top = MAX(top, x[i]);
  for (size_t i = 0; i < n; i++)
    sum += exp(x[i] - top);
  for (size_t i = 0; i < n; i++)
    x[i] -= top + log(sum);
}

static size_t
arg_max(const double *x, size_t n)
{
  size_t best = 0;
  for (size_t i = 1; i < n; i++)
    best = x[i] > x[best] ? i : best;
  return best;
}

/* Of numbers that rounding may have exchanged, either is the best. */
#define TIE 1e-4

static void
check_cell(const fixture *f, mt_stack stack, const mt_lens_cell *cell, size_t i, size_t token)
{
  const mt_config *config = mt_model_config(f->model);
  size_t n;
  g_autofree double *here = naive_logits(f, mt_point_at(config, stack, i), token, &n);
  g_autofree double *last =
      naive_logits(f, mt_point_at(config, stack, mt_point_count(config, stack) - 1), token, &n);
  double entropy = 0, divergence = 0;
  uint32_t least_rank = 1, most_rank = 1;
  normalise(here, n);
  normalise(last, n);
  g_assert_true(cell->best >= 0 && (size_t) cell->best < n);
  g_assert_true(cell->final >= 0 && (size_t) cell->final < n);
  for (size_t v = 0; v < n; v++) {
    entropy -= exp(here[v]) * here[v] / log(2);
    divergence += exp(last[v]) * (last[v] - here[v]) / log(2);
    least_rank += here[v] > here[cell->final] + TIE;
    most_rank += v != (size_t) cell->final && here[v] > here[cell->final] - TIE;
  }
  g_assert_cmpfloat(here[cell->best], >=, here[arg_max(here, n)] - TIE);
  g_assert_cmpfloat(last[cell->final], >=, last[arg_max(last, n)] - TIE);
  g_assert_cmpfloat_with_epsilon(cell->probability, exp(here[cell->best]), 1e-4);
  g_assert_cmpfloat_with_epsilon(cell->final_probability, exp(here[cell->final]), 1e-4);
  g_assert_cmpfloat_with_epsilon(cell->entropy, entropy, 5e-4);
  g_assert_cmpfloat_with_epsilon(cell->divergence, divergence, 5e-4);
  g_assert_cmpuint(cell->final_rank, >=, least_rank);
  g_assert_cmpuint(cell->final_rank, <=, most_rank);
}

static void
check_stack(const fixture *f, mt_stack stack)
{
  const size_t n_points = mt_point_count(mt_model_config(f->model), stack);
  mt_error error = {0};
  g_autoptr(mt_lens) lens = mt_lens_new(f->model, f->trace, stack, NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  const size_t n_tokens = lens->n_tokens;
  g_assert_cmpuint(lens->n_points, ==, n_points);
  g_assert_cmpuint(n_tokens, ==,
                   mt_tokens_count(stack == MT_STACK_ENCODER ? mt_trace_source(f->trace)
                                                             : mt_trace_output(f->trace)));
  for (size_t i = 0; i < n_points; i++)
    for (size_t t = 0; t < n_tokens; t += t + 2 < n_tokens ? 2 : 1)
      check_cell(f, stack, mt_lens_get(lens, i, t), i, t);
  for (size_t t = 0; t < n_tokens; t++) {
    const mt_lens_cell *end = mt_lens_get(lens, n_points - 1, t);
    g_assert_cmpint(end->best, ==, end->final);
    g_assert_cmpfloat(end->probability, ==, end->final_probability);
    g_assert_cmpuint(end->final_rank, ==, 1);
    g_assert_cmpfloat(end->divergence, ==, 0);
    for (size_t i = 0; i < n_points; i++) {
      g_assert_cmpint(mt_lens_get(lens, i, t)->final, ==, end->best);
      g_assert_cmpfloat(mt_lens_get(lens, i, t)->divergence, >=, 0);
    }
  }
}

/* ---- What the model says ----------------------------------------------------------------------
 */

static void
check_end(const fixture *f)
{
  const mt_config *config = mt_model_config(f->model);
  const mt_point point =
      mt_point_at(config, MT_STACK_DECODER, mt_point_count(config, MT_STACK_DECODER) - 1);
  mt_matrix logits = mt_trace_get(f->trace, MT_HOOK_LOGITS, MT_DECODER_SELF, -1, -1);
  mt_error error = {0};
  g_autoptr(mt_lens) lens = mt_lens_new(f->model, f->trace, MT_STACK_DECODER, NULL, NULL, &error);
  const size_t n = logits.cols;
  g_autofree double *p = g_new(double, n);
  g_autofree int32_t *pieces = g_new(int32_t, n + 1);
  g_autofree float *found = g_new(float, n + 1);
  g_autofree bool *seen = g_new0(bool, n);
  for (size_t t = 0; t < logits.rows; t++) {
    for (size_t v = 0; v < n; v++)
      p[v] = mt_matrix_at(&logits, t, v);
    const size_t best = arg_max(p, n);
    normalise(p, n);
    g_assert_cmpint(mt_lens_get(lens, lens->n_points - 1, t)->best, ==, best);
    g_assert_cmpfloat_with_epsilon(mt_lens_get(lens, lens->n_points - 1, t)->probability,
                                   exp(p[best]), 2e-5);
    g_assert_cmpuint(mt_lens_best(f->model, f->trace, point, t, 12, pieces, found), ==, 12);
    g_assert_cmpint(pieces[0], ==, best);
    for (size_t i = 0; i < 12; i++) {
      g_assert_cmpfloat_with_epsilon(found[i], exp(p[pieces[i]]), 2e-5);
      g_assert_true(i == 0 || found[i] <= found[i - 1]);
    }
    /* No other is likelier than the last of them. */
    for (size_t v = 0; v < n; v++) {
      bool listed = false;
      for (size_t i = 0; i < 12; i++)
        listed |= pieces[i] == (int32_t) v;
      g_assert_true(listed || p[v] <= p[pieces[11]] + TIE);
    }
  }
  if (n < 2000) { /* all of them, and no more: each once */
    double sum = 0;
    g_assert_cmpuint(mt_lens_best(f->model, f->trace, point, 0, n + 1, pieces, found), ==, n);
    for (size_t i = 0; i < n; i++) {
      g_assert_false(seen[pieces[i]]);
      seen[pieces[i]] = true;
      sum += found[i];
    }
    g_assert_cmpfloat_with_epsilon(sum, 1, 1e-5);
  }
  g_assert_cmpuint(mt_lens_best(f->model, f->trace, point, 0, 3, pieces, NULL), ==, 3);
  g_assert_cmpuint(mt_lens_best(f->model, f->trace, point, 0, 0, pieces, found), ==, 0);
  g_assert_cmpuint(mt_lens_best(f->model, f->trace, point, 4000, 3, pieces, found), ==, 0);
}

/* ---- Ends before the end ----------------------------------------------------------------------
 */

static bool
stop_at(void *user)
{
  int *left = user;
  return (*left)-- == 0;
}

static void
check_errors(const fixture *f)
{
  g_autoptr(mt_trace) bare = sentences_trace(f->model, "I have two dogs.", NULL, 24, POINTS, false);
  mt_error error = {0};
  int32_t piece;
  g_assert_null(mt_lens_new(f->model, bare, MT_STACK_DECODER, NULL, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_cmpuint(mt_lens_best(f->model, bare, (mt_point){MT_STACK_ENCODER, -1, 0}, 0, 1, &piece,
                                NULL),
                   ==, 0);
  int left = 0;
  error = (mt_error){0};
  g_assert_null(mt_lens_new(f->model, f->trace, MT_STACK_DECODER, stop_at, &left, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  left = 1000000; /* asked, and never yes */
  error = (mt_error){0};
  g_autoptr(mt_lens) lens =
      mt_lens_new(f->model, f->trace, MT_STACK_ENCODER, stop_at, &left, &error);
  g_assert_nonnull(lens);
  g_assert_cmpint(left, <, 1000000);
}

/* Each allocation fails once: an error, and nothing is left behind. Threads that the system does
 * not give are no error, so a lens may come all the same. */
static void
check_memory(const fixture *f)
{
  size_t failed = 0;
  for (size_t i = 1;; i++) {
    mt_error error = {0};
    failing_malloc_begin(i, false);
    mt_lens *lens = mt_lens_new(f->model, f->trace, MT_STACK_DECODER, NULL, NULL, &error);
    mt_lens_free(lens);
    const size_t n = failing_malloc_end();
    g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
    g_assert_cmpint(error.code, ==, lens ? MT_OK : MT_ERROR_NO_MEMORY);
    failed += !lens;
    if (n < i)
      break;
  }
  g_assert_cmpuint(failed, >=, 8);
}

/* ---- Neighbours -------------------------------------------------------------------------------
 */

static double
cosine(mt_matrix m, size_t a, size_t b)
{
  double dot = 0, x = 0, y = 0;
  for (size_t i = 0; i < m.cols; i++) {
    dot += (double) mt_matrix_at(&m, a, i) * mt_matrix_at(&m, b, i);
    x += pow(mt_matrix_at(&m, a, i), 2);
    y += pow(mt_matrix_at(&m, b, i), 2);
  }
  return x > 0 && y > 0 ? dot / sqrt(x * y) : -2;
}

static void
check_nearest(const fixture *f, mt_stack stack, int32_t piece)
{
  mt_matrix m = mt_model_embedding(f->model, stack);
  mt_neighbour near[7];
  g_assert_cmpuint(mt_embedding_nearest(f->model, stack, piece, 7, near), ==, 7);
  for (size_t i = 0; i < 7; i++) {
    g_assert_cmpint(near[i].piece, !=, piece);
    g_assert_cmpfloat_with_epsilon(near[i].cosine, cosine(m, (size_t) piece, near[i].piece), 1e-6);
    g_assert_true(i == 0 || near[i].cosine <= near[i - 1].cosine);
    for (size_t k = 0; k < i; k++)
      g_assert_cmpint(near[i].piece, !=, near[k].piece);
  }
  size_t nearer = 0;
  for (size_t v = 0; v < m.rows; v++)
    nearer += v != (size_t) piece && cosine(m, (size_t) piece, v) > near[6].cosine + 1e-6;
  g_assert_cmpuint(nearer, <=, 6);
  g_assert_cmpuint(mt_embedding_nearest(f->model, stack, -1, 7, near), ==, 0);
  g_assert_cmpuint(mt_embedding_nearest(f->model, stack, (int32_t) m.rows, 7, near), ==, 0);
  g_assert_cmpuint(mt_embedding_nearest(f->model, stack, piece, 0, near), ==, 0);
}

static void
test_model(gconstpointer name)
{
  fixture f = {.model = sentences_model(name)};
  f.trace = sentences_trace(f.model, "I have two dogs, and no time.", NULL, 24, POINTS, true);
  check_stack(&f, MT_STACK_ENCODER);
  check_stack(&f, MT_STACK_DECODER);
  check_end(&f);
  check_errors(&f);
  check_memory(&f);
  check_nearest(&f, MT_STACK_ENCODER, 5);
  check_nearest(&f, MT_STACK_DECODER, 30);
  mt_trace_unref(f.trace);
  mt_model_unref(f.model);
}

/* How long it takes in the bundled model: with -m perf. */
static void
measure(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("models/en-de");
  g_assert_cmpstr(error.message, ==, "");
  mt_trace *trace =
      sentences_trace(model,
                      "The old man walked slowly along the river and thought about his youth.",
                      NULL, 24, POINTS, true);
  for (int i = 0; i < 7; i++) {
    const gint64 begin = g_get_monotonic_time();
    g_autoptr(mt_lens) lens = mt_lens_new(model, trace, MT_STACK_DECODER, NULL, NULL, &error);
    g_test_message("%zu points of %zu tokens: %.1f ms", lens->n_points, lens->n_tokens,
                   (double) (g_get_monotonic_time() - begin) / 1000);
  }
  mt_trace_unref(trace);
}

TESTS()
{
  if (g_test_perf())
    g_test_add_func("/lens/time", measure);
  sentences_test_models("/lens", test_model);
}

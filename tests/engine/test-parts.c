/* test-parts.c — parts add up to the state that they are of, and their pairs to the score, in every
 * layout of norms.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"
#include "session/mt-session.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

/* The pass computes in floats, parts in doubles: of the largest number of a state. */
#define TOLERANCE 3e-5

typedef struct {
  mt_model *model;
  mt_trace *trace;
} fixture;

static mt_trace *
make_trace(mt_model *model, const mt_interventions *interventions, bool with_stream)
{
  static const mt_hook_point hook_points[] = {MT_HOOK_QUERY, MT_HOOK_KEY, MT_HOOK_SCORES};
  mt_error error = {0};
  mt_activation_requests requests = {0};
  if (with_stream)
    mt_activation_requests_add_stream(&requests);
  for (size_t i = 0; i < G_N_ELEMENTS(hook_points); i++)
    requests.requests[requests.n++] =
        (mt_activation_request){hook_points[i], MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  const mt_hooks hooks = {.requests = &requests, .interventions = interventions};
  mt_session *session = mt_session_new(model, NULL, &error);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = MIN(params.max_length, 8);
  mt_translation *t = mt_session_translate(session, "I have two dogs.", &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_trace *trace = mt_trace_new(model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_translation_unref(t);
  mt_session_free(session);
  return trace;
}

/* The sum of all parts, each put through a map [rows][d] first (data NULL: none), with its bias. */
static double *
add_up(const mt_components *parts, size_t d, mt_matrix map, const float *bias)
{
  const size_t n = map.data ? map.rows : d;
  double *sum = g_new0(double, n);
  for (size_t o = 0; o < n; o++) {
    sum[o] = bias ? bias[o] : 0;
    for (size_t p = 0; p < mt_components_count(parts); p++) {
      const double *u = mt_components_vector(parts, p);
      if (!map.data)
        sum[o] += u[o];
      for (size_t i = 0; map.data && i < d; i++)
        sum[o] += (double) mt_matrix_at(&map, o, i) * u[i];
    }
  }
  return sum;
}

static void
assert_row(mt_matrix found, size_t row, const double *want)
{
  double largest = 1;
  for (size_t i = 0; i < found.cols; i++)
    largest = MAX(largest, fabs(want[i]));
  for (size_t i = 0; i < found.cols; i++)
    g_assert_cmpfloat_with_epsilon(mt_matrix_at(&found, row, i), want[i], TOLERANCE * largest);
}

/* Every point of the stream, and as many parts as there are sub-layers and heads before it. */
static void
check_stream(const fixture *f, mt_stack stack)
{
  const mt_config *config = mt_model_config(f->model);
  size_t expected = 3; /* biases, token, position */
  for (size_t i = 0; i < mt_point_count(config, stack); i++) {
    const mt_point point = mt_point_at(config, stack, i);
    mt_matrix x = mt_stream_at(f->trace, point);
    if (i > 0)
      expected += point.sub_layer == MT_SUB_LAYER_FEED_FORWARD ? 1 : config->n_heads[stack];
    for (size_t t = 0; t < x.rows; t++) {
      mt_error error = {0};
      mt_components *parts = mt_components_of_stream(f->model, f->trace, point, t, &error);
      g_assert_cmpstr(error.message, ==, "");
      g_assert_cmpuint(mt_components_count(parts), ==, expected);
      g_autofree double *sum = add_up(parts, config->d_model, (mt_matrix){0}, NULL);
      assert_row(x, t, sum);
      mt_components_free(parts);
    }
  }
}

/* What queries and keys are made of, through their maps. */
static void
check_inputs(const fixture *f, mt_attention_kind kind, size_t layer, size_t head)
{
  const size_t d = mt_model_config(f->model)->d_model;
  mt_matrix q = mt_trace_get(f->trace, MT_HOOK_QUERY, kind, (int) layer, (int) head);
  mt_matrix k = mt_trace_get(f->trace, MT_HOOK_KEY, kind, (int) layer, (int) head);
  mt_error error = {0};
  mt_components *query =
      mt_components_of_query(f->model, f->trace, kind, layer, q.rows - 1, &error);
  mt_components *key = mt_components_of_key(f->model, f->trace, kind, layer, 0, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autofree double *q_sum =
      add_up(query, d, mt_model_head_map(f->model, kind, layer, head, MT_MAP_QUERY),
             mt_model_head_bias(f->model, kind, layer, head, MT_MAP_QUERY));
  g_autofree double *k_sum =
      add_up(key, d, mt_model_head_map(f->model, kind, layer, head, MT_MAP_KEY),
             mt_model_head_bias(f->model, kind, layer, head, MT_MAP_KEY));
  assert_row(q, q.rows - 1, q_sum);
  assert_row(k, 0, k_sum);
  mt_components_free(query);
  mt_components_free(key);
}

static void
check_scores(const fixture *f, mt_attention_kind kind, size_t layer, size_t head)
{
  mt_matrix scores = mt_trace_get(f->trace, MT_HOOK_SCORES, kind, (int) layer, (int) head);
  for (size_t r = 0; r < scores.rows; r++)
    for (size_t c = 0; c < scores.cols; c++) {
      mt_score_parts parts;
      mt_error error = {0};
      double sum = 0, before = INFINITY;
      if (isinf(mt_matrix_at(&scores, r, c)))
        continue;
      g_assert_true(mt_score_explain(f->model, f->trace, kind, layer, head, r, c, &parts, &error));
      for (size_t i = 0; i < parts.n; i++) {
        g_assert_cmpfloat(fabs(parts.parts[i].score), <=, before);
        before = fabs(parts.parts[i].score);
        sum += parts.parts[i].score;
      }
      g_assert_cmpfloat_with_epsilon(sum, parts.score, 1e-9);
      g_assert_cmpfloat_with_epsilon(sum, mt_matrix_at(&scores, r, c), 2e-4);
      mt_score_parts_clear(&parts);
    }
}

/* Token and position on either side: four pairs, beside those with a bias. A norm after the
 * embedding has one. */
static void
check_first_layer_cell(const fixture *f, size_t query, size_t key)
{
  mt_score_parts parts;
  mt_error error = {0};
  size_t seen = 0;
  unsigned pairs = 0;
  double with_bias = 0, without = 0;
  g_assert_true(
      mt_score_explain(f->model, f->trace, MT_ENCODER_SELF, 0, 0, query, key, &parts, &error));
  for (size_t i = 0; i < parts.n; i++) {
    const mt_score_part *p = &parts.parts[i];
    if (p->query.type == MT_COMPONENT_BIAS || p->key.type == MT_COMPONENT_BIAS) {
      with_bias += p->score;
      continue;
    }
    g_assert_true(p->query.type <= MT_COMPONENT_POSITION && p->key.type <= MT_COMPONENT_POSITION);
    pairs |= 1u << (2 * p->query.type + p->key.type);
    without += p->score;
    seen++;
  }
  g_assert_cmpuint(seen, ==, 4);
  g_assert_cmpuint(pairs, ==, 0xf);
  g_assert_cmpfloat_with_epsilon(without + with_bias, parts.score, 1e-9);
  mt_score_parts_clear(&parts);
}

static void
check_first_layer(const fixture *f)
{
  const size_t n = mt_tokens_count(mt_trace_source(f->trace));
  for (size_t query = 0; query < n; query++)
    for (size_t key = 0; key < n; key++)
      check_first_layer_cell(f, query, key);
}

static void
check_errors(const fixture *f)
{
  const mt_config *config = mt_model_config(f->model);
  mt_trace *bare = make_trace(f->model, NULL, false);
  mt_error error = {0};
  mt_score_parts parts;
  g_assert_null(
      mt_components_of_stream(f->model, bare, mt_point_at(config, MT_STACK_ENCODER, 1), 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_null(mt_components_of_stream(f->model, f->trace,
                                        mt_point_at(config, MT_STACK_DECODER, 0), 4000, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_null(mt_components_of_query(f->model, f->trace, MT_CROSS, (size_t) 1 << 32, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_null(mt_components_of_key(f->model, f->trace, MT_CROSS, 99, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_false(mt_score_explain(f->model, f->trace, MT_CROSS, 0, 99, 0, 0, &parts, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_false(mt_score_explain(f->model, bare, MT_CROSS, 0, 0, 0, 0, &parts, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  mt_trace_unref(bare);
}

/* Numbers of the stream against their definitions. */
static void
check_numbers(const fixture *f, mt_stack stack)
{
  const mt_config *config = mt_model_config(f->model);
  const size_t d = config->d_model;
  for (size_t i = 1; i < mt_point_count(config, stack); i++) {
    const mt_point point = mt_point_at(config, stack, i);
    mt_matrix x = mt_stream_at(f->trace, point), added = mt_stream_added(f->trace, point);
    mt_matrix before = mt_stream_at(f->trace, mt_point_at(config, stack, i - 1));
    mt_stream_numbers numbers = mt_stream_measure(f->model, f->trace, point, 1);
    double norm = 0, added_norm = 0, before_norm = 0, dot = 0, mean = 0, squares = 0;
    for (size_t c = 0; c < d; c++) {
      const double u = mt_matrix_at(&before, 1, c), v = mt_matrix_at(&added, 1, c);
      const double read = config->normalize_before ? u : u + v;
      norm += pow(mt_matrix_at(&x, 1, c), 2);
      added_norm += v * v;
      before_norm += u * u;
      dot += u * v;
      mean += read / (double) d;
      squares += read * read / (double) d;
    }
    g_assert_cmpfloat_with_epsilon(numbers.norm, sqrt(norm), 1e-5 * sqrt(norm));
    g_assert_cmpfloat_with_epsilon(numbers.added_norm, sqrt(added_norm), 1e-5 * sqrt(norm));
    g_assert_cmpfloat_with_epsilon(numbers.cosine, dot / sqrt(added_norm * before_norm), 1e-5);
    g_assert_cmpfloat_with_epsilon(numbers.mean, mean, 1e-4);
    g_assert_cmpfloat_with_epsilon(numbers.sigma, sqrt(squares - mean * mean + 1e-5), 1e-4);
    double cosines = 0, pairs = 0;
    for (size_t a = 0; a < x.rows; a++)
      for (size_t b = 0; b < a; b++, pairs++) {
        double aa = 0, ab = 0, bb = 0;
        for (size_t c = 0; c < d; c++) {
          const double u = mt_matrix_at(&x, a, c), v = mt_matrix_at(&x, b, c);
          aa += u * u;
          ab += u * v;
          bb += v * v;
        }
        cosines += ab / sqrt(aa * bb);
      }
    g_assert_cmpfloat_with_epsilon(mt_stream_collapse(f->trace, point), cosines / pairs, 1e-6);
  }
  g_assert_true(
      isnan(mt_stream_measure(f->model, f->trace, mt_point_at(config, stack, 0), 1).mean));
}

static void
test_model(gconstpointer name)
{
  g_autofree char *dir = golden_path(name);
  mt_error error = {0};
  fixture f = {.model = mt_model_open(dir, NULL, &error)};
  g_assert_cmpstr(error.message, ==, "");
  const mt_config *config = mt_model_config(f.model);
  f.trace = make_trace(f.model, NULL, true);
  check_stream(&f, MT_STACK_ENCODER);
  check_stream(&f, MT_STACK_DECODER);
  check_numbers(&f, MT_STACK_ENCODER);
  check_numbers(&f, MT_STACK_DECODER);
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = (mt_attention_kind) k;
    const mt_stack stack = kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    for (size_t layer = 0; layer < config->n_layers[stack]; layer++) {
      check_inputs(&f, kind, layer, config->n_heads[stack] - 1);
      check_scores(&f, kind, layer, layer % config->n_heads[stack]);
    }
  }
  check_first_layer(&f);
  check_errors(&f);
  mt_trace_unref(f.trace);

  /* A head that is switched off adds nothing, and the rest still adds up. */
  mt_interventions *interventions = mt_interventions_parse(NULL, "encoder 1.1 zero", &error);
  g_assert_cmpstr(error.message, ==, "");
  f.trace = make_trace(f.model, interventions, true);
  check_stream(&f, MT_STACK_ENCODER);
  mt_components *parts =
      mt_components_of_stream(f.model, f.trace, mt_point_at(config, MT_STACK_ENCODER, 1), 0,
                              &error);
  for (size_t i = 0; i < mt_components_count(parts); i++) {
    const mt_component part = mt_components_get(parts, i);
    if (part.type == MT_COMPONENT_HEAD && part.head == 0)
      for (size_t c = 0; c < config->d_model; c++)
        g_assert_cmpfloat(mt_components_vector(parts, i)[c], ==, 0);
  }
  mt_components_free(parts);
  mt_interventions_unref(interventions);
  mt_trace_unref(f.trace);
  mt_model_unref(f.model);
}

TESTS()
{
  static const char *const models[] = {
      "tests/data/checkpoints/post-norm-relu",
      "tests/data/checkpoints/post-norm-final-norm",
      "tests/data/checkpoints/pre-norm-gelu-learned",
      "tests/data/checkpoints/pre-norm-plain",
      "tests/data/checkpoints/odd-sizes-swish",
      "models/by-hand",
      "tests/data/frozen/en-de",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *base = g_path_get_basename(models[i]);
    g_autofree char *path = g_strdup_printf("/parts/%s", i < 6 ? base : "frozen");
    g_test_add_data_func(path, models[i], test_model);
  }
}

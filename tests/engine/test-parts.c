/* test-parts.c — parts add up to the state that they are of, and their pairs to the score, in every
 * layout of norms.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"

#include <glib.h>
#include <math.h>

/* The pass computes in floats, parts in doubles: of the largest number of a state. */
#define TOLERANCE 3e-5

#define POINTS                                                         \
  (MT_HOOK_POINT_BIT(MT_HOOK_QUERY) | MT_HOOK_POINT_BIT(MT_HOOK_KEY) | \
   MT_HOOK_POINT_BIT(MT_HOOK_SCORES))

typedef struct {
  mt_model *model;
  mt_trace *trace;
} fixture;

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
 * embedding has one. Where positions are relative there is a pair of tokens, and the distance. */
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
    without += p->score;
    seen++;
    if (p->query.type == MT_COMPONENT_DISTANCE) {
      g_assert_true(p->key.type == MT_COMPONENT_DISTANCE);
      g_assert_cmpfloat(p->score, ==,
                        mt_model_score_bias(f->model, MT_ENCODER_SELF, 0, 0,
                                            (long) key - (long) query));
      pairs |= 0x10;
      continue;
    }
    g_assert_true(p->query.type <= MT_COMPONENT_POSITION && p->key.type <= MT_COMPONENT_POSITION);
    pairs |= 1u << (2 * p->query.type + p->key.type);
  }
  const bool is_relative = mt_model_config(f->model)->position_kind == MT_POSITIONS_RELATIVE;
  g_assert_cmpuint(seen, ==, is_relative ? 2 : 4);
  g_assert_cmpuint(pairs, ==, is_relative ? 0x11 : 0xf);
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
  g_autoptr(mt_trace) bare = sentences_trace(f->model, "I have two dogs.", NULL, 8, POINTS, false);
  mt_error error = {0};
  mt_score_parts parts;
  g_assert_false(
      mt_score_explain(f->model, f->trace, MT_CROSS, (size_t) 1 << 32, 0, 0, 0, &parts, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_false(
      mt_score_explain(f->model, f->trace, MT_DECODER_SELF, 0, 0, 4000, 0, &parts, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_false(mt_score_explain(f->model, f->trace, MT_CROSS, 0, 99, 0, 0, &parts, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  error = (mt_error){0};
  g_assert_false(mt_score_explain(f->model, bare, MT_CROSS, 0, 0, 0, 0, &parts, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
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
      mean += config->norm_kind == MT_NORM_RMS ? 0 : read / (double) d;
      squares += read * read / (double) d;
    }
    g_assert_cmpfloat_with_epsilon(numbers.norm, sqrt(norm), 1e-5 * sqrt(norm));
    g_assert_cmpfloat_with_epsilon(numbers.added_norm, sqrt(added_norm), 1e-5 * sqrt(norm));
    g_assert_cmpfloat_with_epsilon(numbers.cosine, dot / sqrt(added_norm * before_norm), 1e-5);
    g_assert_cmpfloat_with_epsilon(numbers.mean, mean, 1e-4);
    g_assert_cmpfloat_with_epsilon(numbers.sigma,
                                   sqrt(squares - mean * mean + config->norm_epsilon), 1e-4);
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
  mt_error error = {0};
  fixture f = {.model = sentences_model(name)};
  const mt_config *config = mt_model_config(f.model);
  f.trace = sentences_trace(f.model, "I have two dogs.", NULL, 8, POINTS, true);
  check_numbers(&f, MT_STACK_ENCODER);
  check_numbers(&f, MT_STACK_DECODER);
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = (mt_attention_kind) k;
    const mt_stack stack = kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    for (size_t layer = 0; layer < config->n_layers[stack]; layer++)
      check_scores(&f, kind, layer, layer % config->n_heads[stack]);
  }
  check_first_layer(&f);
  check_errors(&f);
  mt_trace_unref(f.trace);

  /* A head that is switched off adds nothing, and the rest still adds up. */
  f.trace = sentences_trace(f.model, "I have two dogs.", "encoder 1.1 zero", 8, POINTS, true);
  check_scores(&f, MT_ENCODER_SELF, config->n_layers[MT_STACK_ENCODER] - 1, 0);
  check_scores(&f, MT_CROSS, 0, 0);
  mt_score_parts parts;
  g_assert_true(mt_score_explain(f.model, f.trace, MT_CROSS, 0, 0, 0, 0, &parts, &error));
  for (size_t i = 0; i < parts.n; i++) {
    const mt_component key = parts.parts[i].key;
    g_assert_false(key.type == MT_COMPONENT_HEAD && key.layer == 0 && key.head == 0);
  }
  mt_score_parts_clear(&parts);
  mt_trace_unref(f.trace);
  mt_model_unref(f.model);
}

TESTS()
{
  sentences_test_models("/parts", test_model);
  g_test_add_data_func("/parts/by-hand", "models/by-hand", test_model);
}

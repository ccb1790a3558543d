/* test-capture.c — the parallel pass against the step-by-step one, hooks, cancellation, lack of
 * memory: on random models of several shapes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_search, mt_search_free)

static const toy_spec *
shapes(size_t *n)
{
  static toy_spec specs[10];
  for (size_t i = 0; i < G_N_ELEMENTS(specs); i++) {
    specs[i] = toy_spec_default();
    specs[i].seed = (unsigned) i + 1;
  }
  specs[1].normalize_before = true;
  specs[1].add_final_layer_norm = true;
  specs[1].activation = MT_ACTIVATION_GELU;
  specs[2].d_model = 30; /* d_head 5: no whole vector */
  specs[2].n_heads = 6;
  specs[2].d_ffn = 37;
  specs[2].vocab_size = 53;
  specs[2].activation = MT_ACTIVATION_SILU;
  specs[3].n_heads = 1;
  specs[3].n_layers = 1;
  specs[3].position_kind = MT_POSITIONS_LEARNED;
  specs[4].position_kind = MT_POSITIONS_SINUSOIDAL_INTERLEAVED;
  specs[4].normalize_embedding = true;
  specs[5].d_model = 96;
  specs[5].n_heads = 3;
  specs[5].n_layers = 3;
  specs[6].normalize_before = true;
  specs[7].d_head[MT_STACK_ENCODER] = 13; /* more columns than d in all, and less */
  specs[7].d_head[MT_STACK_DECODER] = 5;
  specs[8] = toy_spec_like_t5();
  specs[9].position_kind = MT_POSITIONS_RELATIVE;
  specs[9].bias_each_layer = true;
  specs[9].n_heads = 8;
  *n = G_N_ELEMENTS(specs);
  return specs;
}

/* A translation made from ids, without text. */
static mt_translation *
translation_new(mt_tokens *source, const mt_search_hypothesis *found)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) output = toy_tokens(found->ids, found->n);
  mt_translation *t = mt_translation_new(source, 1, &error);
  g_assert_true(mt_translation_set(t, 0, output, "", found->logprobs, found->score, 0, &error));
  return t;
}

/* ---- What the hooks saw while searching --------------------------------------------------------
 */

/* Weights and scores of each attention, row by row as the steps came. */
typedef struct {
  size_t n_heads, n_layers, max;
  float *weights[MT_N_KINDS]; /* [L][H][max][max] */
  float *scores[MT_N_KINDS];
  size_t n_calls[MT_N_HOOK_POINTS];
  uint32_t change_hook_point; /* bit of the hook point to set to zero */
  int only_kind, only_head;
  const mt_model *model;
} recorder;

static float *
record_row(const recorder *r, float *const *where, const mt_editable_activation *p, size_t row)
{
  return where[p->kind] +
         (((size_t) p->layer * r->n_heads + (size_t) p->head) * r->max + row) * r->max;
}

static void
on_probe(void *user, const mt_editable_activation *p)
{
  recorder *r = user;
  r->n_calls[p->hook_point]++;
  g_assert_cmpuint(p->stride, >=, p->cols);
  if (r->weights[0] && (p->hook_point == MT_HOOK_WEIGHTS || p->hook_point == MT_HOOK_SCORES))
    for (size_t i = 0; i < p->rows; i++)
      memcpy(record_row(r, p->hook_point == MT_HOOK_WEIGHTS ? r->weights : r->scores, p,
                        p->first_row + i),
             p->data + i * p->stride, p->cols * sizeof(float));
  if ((r->change_hook_point & MT_HOOK_POINT_BIT(p->hook_point)) &&
      (r->only_kind < 0 || r->only_kind == (int) p->kind) &&
      (r->only_head < 0 || r->only_head == p->head))
    for (size_t i = 0; i < p->rows; i++)
      memset(p->data + i * p->stride, 0, p->cols * sizeof(float));
}

static recorder
recorder_new(const mt_model *model, size_t max)
{
  const mt_config *config = mt_model_config(model);
  recorder r = {.n_heads = config->n_heads[0],
                .n_layers = config->n_layers[0],
                .max = max,
                .only_kind = -1,
                .only_head = -1};
  for (int k = 0; k < MT_N_KINDS; k++) {
    r.weights[k] = g_new0(float, r.n_layers *r.n_heads *max *max);
    r.scores[k] = g_new0(float, r.n_layers *r.n_heads *max *max);
  }
  return r;
}

static void
recorder_clear(recorder *r)
{
  for (int k = 0; k < MT_N_KINDS; k++) {
    g_free(r->weights[k]);
    g_free(r->scores[k]);
  }
}

static mt_search *
search_ids(mt_session *session, const int32_t *ids, size_t n, size_t beam_size,
           const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.beam_size = params.n_best = beam_size;
  params.max_length = 30;
  params.min_length = 12; /* random models like to say nothing */
  mt_search *search = mt_session_search(session, ids, n, &params, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return search;
}

static mt_capture *
capture(mt_session *session, const mt_translation *t, unsigned flags, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(session, t, 0, flags, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

static void
assert_near(float found, float expected)
{
  if (found != expected) /* infinities */
    g_assert_cmpfloat(fabsf(found - expected), <=, 1e-5f * (1 + fabsf(expected)));
}

/* What a capture keeps of relative positions is what the model has. */
static void
check_biases(const mt_capture *c, const mt_model *model)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(c, kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(c, kind); h++) {
        const mt_matrix w = mt_capture_weights(c, kind, l, h);
        const bool has_bias =
            kind != MT_CROSS && mt_model_config(model)->position_kind == MT_POSITIONS_RELATIVE;
        const mt_matrix bias = mt_capture_score_bias(c, kind, l, h);
        g_assert_cmpuint(bias.cols, ==, has_bias ? 2 * w.cols - 1 : 0);
        for (size_t i = 0; i < w.rows; i++)
          for (size_t j = 0; j < w.cols; j++) {
            const float found = mt_capture_score_bias_at(c, kind, l, h, i, j);
            if (has_bias)
              g_assert_true(found == mt_model_score_bias(model, kind, l, h, (long) j - (long) i));
            else
              g_assert_true(isnan(found));
          }
      }
}

/* Rows sum to 1, the causal triangle is exactly 0, the recovered scores are the kept ones. */
static void
check_matrices(const mt_capture *c)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(c, kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(c, kind); h++) {
        mt_matrix w = mt_capture_weights(c, kind, l, h), s = mt_capture_scores(c, kind, l, h);
        g_assert_cmpuint(w.rows, ==, mt_tokens_count(mt_capture_rows(c, kind)));
        g_assert_cmpuint(w.cols, ==, mt_tokens_count(mt_capture_columns(c, kind)));
        const float *lse = mt_capture_fill_row_lse((mt_capture *) c, kind, l, h);
        for (size_t i = 0; i < w.rows; i++) {
          double sum = 0;
          for (size_t j = 0; j < w.cols; j++) {
            float weight = mt_matrix_at(&w, i, j), score = mt_matrix_at(&s, i, j);
            sum += weight;
            if (mt_capture_is_masked(c, kind, l, h, i, j)) {
              g_assert_true(weight == 0 && score == -INFINITY);
              g_assert_true(mt_capture_score_at(c, kind, l, h, i, j) == -INFINITY);
            } else
              assert_near(logf(weight) + lse[i], score);
          }
          g_assert_cmpfloat(fabs(sum - 1), <=, 1e-5);
        }
      }
}

/* The capture of what a greedy search found is what the search attended to, step by step. */
static void
test_equals_search(void)
{
  const size_t lengths[] = {1, 2, 5, 7, 8, 21, 40};
  size_t n_specs;
  const toy_spec *specs = shapes(&n_specs);
  for (size_t i = 0; i < n_specs; i++) {
    mt_model *model = toy_model_new(&specs[i]);
    mt_error error = {0};
    mt_session *session = mt_session_new(model, &(mt_session_options){1 + i % 2}, &error);
    g_assert_nonnull(session);
    for (size_t k = 0; k < G_N_ELEMENTS(lengths); k++) {
      int32_t ids[64];
      size_t n = lengths[k], max = 64;
      toy_ids(ids, n, specs[i].vocab_size, (unsigned) (i * 10 + k));
      recorder r = recorder_new(model, max);
      mt_hooks hooks = {.hook_points = MT_ALL_HOOK_POINTS, .on_probe = on_probe, .user = &r};
      mt_search *search = search_ids(session, ids, n, 1, &hooks);
      const mt_search_hypothesis *found = search->finished[0];
      mt_tokens *source = toy_tokens(ids, n);
      mt_translation *t = translation_new(source, found);
      mt_capture *c = capture(session, t, MT_CAPTURE_SCORES, NULL);
      g_assert_cmpuint(found->n, >=, 11);
      check_matrices(c);
      for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
        for (size_t l = 0; l < r.n_layers; l++)
          for (size_t h = 0; h < r.n_heads; h++) {
            mt_matrix w = mt_capture_weights(c, kind, l, h), s = mt_capture_scores(c, kind, l, h);
            for (size_t row = 0; row < w.rows; row++)
              for (size_t col = 0; col < w.cols; col++) {
                size_t at = ((l * r.n_heads + h) * max + row) * max + col;
                assert_near(mt_matrix_at(&w, row, col), r.weights[kind][at]);
                if (!mt_capture_is_masked(c, kind, l, h, row, col))
                  assert_near(mt_matrix_at(&s, row, col), r.scores[kind][at]);
              }
          }
      for (size_t row = 0; row < found->n; row++)
        assert_near(mt_capture_logprobs(c)[row], found->logprobs[row]);
      check_biases(c, model);
      mt_matrix table = mt_model_positions(model, MT_STACK_DECODER);
      mt_matrix p = mt_capture_positions(c, MT_STACK_DECODER);
      if (table.data)
        g_assert_cmpuint(p.rows, ==, found->n);
      g_assert_true((p.data == NULL) == (table.data == NULL));
      if (table.data)
        g_assert_cmpmem(p.data, p.rows * p.cols * sizeof(float), table.data,
                        p.rows * p.cols * sizeof(float));
      recorder_clear(&r);
      mt_capture_unref(c);
      mt_translation_unref(t);
      mt_tokens_unref(source);
      mt_search_free(search);
    }
    mt_session_free(session);
    toy_model_free(model);
  }
}

/* Every hypothesis of a beam has the log-probabilities that teacher forcing gives it: the cache
 * followed every reordering. */
static void
test_beams_follow_their_cache(void)
{
  size_t n_specs;
  const toy_spec *specs = shapes(&n_specs);
  for (size_t i = 0; i < n_specs; i++)
    for (size_t beam_size = 2; beam_size <= 20; beam_size += 6) {
      mt_model *model = toy_model_new(&specs[i]);
      mt_error error = {0};
      mt_session *session = sentences_session(model, 0, false);
      int32_t ids[9];
      toy_ids(ids, 9, specs[i].vocab_size, 3);
      mt_search *search = search_ids(session, ids, 9, beam_size, NULL);
      g_assert_cmpuint(search->n_results, ==, beam_size);
      for (size_t h = 0; h < beam_size; h++) {
        const mt_search_hypothesis *found = search->finished[h];
        int32_t input[64] = {mt_model_config(model)->decoder_start_id};
        memcpy(input + 1, found->ids, (found->n - 1) * sizeof *input);
        float logprobs[64];
        const mt_forced forced = {ids, 9, input, found->ids, found->n, NULL};
        g_assert_true(mt_session_force(session, &forced, logprobs, NULL, NULL, &error));
        for (size_t k = 0; k < found->n; k++)
          assert_near(logprobs[k], found->logprobs[k]);
      }
      mt_search_free(search);
      mt_session_free(session);
      toy_model_free(model);
    }
}

/* ---- Hooks --------------------------------------------------------------------------------------
 */

/* One source sentence with its greedy translation by the default toy model. */
typedef struct {
  mt_model *model;
  mt_session *session;
  mt_tokens *source;
  mt_translation *translation;
  int32_t ids[10];
} fixture;

static void
fixture_set_up(fixture *f, gconstpointer data)
{
  toy_spec spec = toy_spec_default();
  f->model = toy_model_new(&spec);
  f->session = sentences_session(f->model, 0, false);
  toy_ids(f->ids, 10, spec.vocab_size, 5);
  f->source = toy_tokens(f->ids, 10);
  g_autoptr(mt_search) search = search_ids(f->session, f->ids, 10, 1, NULL);
  f->translation = translation_new(f->source, search->finished[0]);
}

static void
fixture_tear_down(fixture *f, gconstpointer data)
{
  mt_translation_unref(f->translation);
  mt_tokens_unref(f->source);
  mt_session_free(f->session);
  toy_model_free(f->model);
}

static void
assert_same_capture(const mt_capture *a, const mt_capture *b)
{
  g_assert_cmpuint(mt_capture_bytes(a), ==, mt_capture_bytes(b));
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    mt_matrix x = mt_capture_weights(a, kind, 0, 0), y = mt_capture_weights(b, kind, 0, 0);
    size_t n = mt_capture_n_layers(a, kind) * mt_capture_n_heads(a, kind) * x.rows * x.cols;
    g_assert_cmpmem(x.data, n * sizeof(float), y.data, n * sizeof(float));
  }
  size_t n = mt_tokens_count(mt_capture_output(a));
  g_assert_cmpmem(mt_capture_logprobs(a), n * sizeof(float), mt_capture_logprobs(b),
                  n * sizeof(float));
}

/* Looking changes nothing, not a bit; nor does a set of hooks that wants nothing. */
static void
test_looking_is_free(fixture *f, gconstpointer data)
{
  recorder r = {.only_kind = -1, .only_head = -1};
  mt_hooks none = {.on_probe = on_probe, .user = &r};
  mt_hooks all = {.hook_points = MT_ALL_HOOK_POINTS, .on_probe = on_probe, .user = &r};
  g_autoptr(mt_capture) a = capture(f->session, f->translation, 0, NULL);
  g_autoptr(mt_capture) b = capture(f->session, f->translation, 0, &none);
  for (size_t i = 0; i < MT_N_HOOK_POINTS; i++)
    g_assert_cmpuint(r.n_calls[i], ==, 0);
  g_autoptr(mt_capture) c = capture(f->session, f->translation, 0, &all);
  assert_same_capture(a, b);
  assert_same_capture(a, c);

  g_autoptr(mt_search) x = search_ids(f->session, f->ids, 10, 3, NULL);
  g_autoptr(mt_search) y = search_ids(f->session, f->ids, 10, 3, &all);
  for (size_t i = 0; i < 3; i++) {
    const mt_search_hypothesis *p = x->finished[i], *q = y->finished[i];
    g_assert_cmpmem(p->ids, p->n * 4, q->ids, q->n * 4);
    g_assert_cmpmem(p->logprobs, p->n * 4, q->logprobs, q->n * 4);
  }
}

/* How often each hook point is shown: 2 layers, 4 heads. */
static void
test_every_hook_point(fixture *f, gconstpointer data)
{
  recorder r = {.only_kind = -1, .only_head = -1};
  mt_hooks hooks = {.hook_points = MT_ALL_HOOK_POINTS, .on_probe = on_probe, .user = &r};
  mt_capture_unref(capture(f->session, f->translation, 0, &hooks));
  const size_t per_head = 3 * 2 * 4, per_attention = 3 * 2;
  const size_t expected[MT_N_HOOK_POINTS] = {
      [MT_HOOK_EMBEDDING] = 2,
      [MT_HOOK_POSITION] = 2,
      [MT_HOOK_QUERY] = per_head,
      [MT_HOOK_KEY] = per_head,
      [MT_HOOK_VALUE] = per_head,
      [MT_HOOK_SCORES] = per_head,
      [MT_HOOK_WEIGHTS] = per_head,
      [MT_HOOK_CONTEXT] = per_head,
      [MT_HOOK_ATTENTION_OUTPUT] = per_attention,
      [MT_HOOK_STREAM] = 2,
      [MT_HOOK_NORM_INPUT] = per_attention,
      [MT_HOOK_HIDDEN] = 4,
      [MT_HOOK_FEED_FORWARD] = 4,
      [MT_HOOK_FEED_FORWARD_NORM_INPUT] = 4,
      [MT_HOOK_STACK_OUTPUT] = 2,
      [MT_HOOK_RESIDUAL] = per_attention,
      [MT_HOOK_LAYER_OUTPUT] = 4,
      [MT_HOOK_LOGITS] = 1,
  };
  for (size_t i = 0; i < MT_N_HOOK_POINTS; i++)
    g_assert_cmpuint(r.n_calls[i], ==, expected[i]);

  /* In a search: the encoder and the cross keys once, the rest for each step. */
  memset(r.n_calls, 0, sizeof r.n_calls);
  g_autoptr(mt_search) search = search_ids(f->session, f->ids, 10, 1, &hooks);
  size_t n_steps = search->finished[0]->n;
  g_assert_cmpuint(r.n_calls[MT_HOOK_POSITION], ==, 1 + n_steps);
  g_assert_cmpuint(r.n_calls[MT_HOOK_KEY], ==, 8 + 8 + 8 * n_steps);
  g_assert_cmpuint(r.n_calls[MT_HOOK_QUERY], ==, 8 + 16 * n_steps);
  g_assert_cmpuint(r.n_calls[MT_HOOK_WEIGHTS], ==, 8 + 16 * n_steps);
  g_assert_cmpuint(r.n_calls[MT_HOOK_LOGITS], ==, n_steps);
}

/* With the contexts of all heads at zero, what attention adds is its output bias. */
static void
check_output_bias(void *user, const mt_editable_activation *p)
{
  on_probe(user, p);
  const mt_model *model = ((recorder *) user)->model;
  if (p->hook_point != MT_HOOK_ATTENTION_OUTPUT)
    return;
  const mt_layer_weights *layer =
      &model->stacks[p->kind == MT_ENCODER_SELF ? 0 : 1].layers[p->layer];
  const float *bias = p->kind == MT_CROSS ? layer->cross.out.bias : layer->self.out.bias;
  for (size_t i = 0; i < p->rows; i++)
    for (size_t k = 0; k < p->cols; k++)
      g_assert_cmpfloat(p->data[i * p->stride + k], ==, bias[k]);
}

static void
test_zero_contexts(fixture *f, gconstpointer data)
{
  recorder r = {.only_kind = -1,
                .only_head = -1,
                .change_hook_point = MT_HOOK_POINT_BIT(MT_HOOK_CONTEXT),
                .model = f->model};
  mt_hooks hooks = {.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_CONTEXT) |
                                   MT_HOOK_POINT_BIT(MT_HOOK_ATTENTION_OUTPUT),
                    .on_probe = check_output_bias,
                    .user = &r};
  mt_capture_unref(capture(f->session, f->translation, 0, &hooks));
  mt_search_free(search_ids(f->session, f->ids, 10, 3, &hooks));
  g_assert_cmpuint(r.n_calls[MT_HOOK_ATTENTION_OUTPUT], >, 12);
}

/* Positions that a hook took away are not there: not in the capture, not in the model. */
static void
test_change_positions(fixture *f, gconstpointer data)
{
  recorder r = {.only_kind = MT_ENCODER_SELF,
                .only_head = -1,
                .change_hook_point = MT_HOOK_POINT_BIT(MT_HOOK_POSITION)};
  mt_hooks hooks = {.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_POSITION),
                    .on_probe = on_probe,
                    .user = &r};
  g_autoptr(mt_capture) a = capture(f->session, f->translation, 0, NULL);
  g_autoptr(mt_capture) b = capture(f->session, f->translation, 0, &hooks);
  g_autoptr(mt_capture) c = capture(f->session, f->translation, 0, NULL);
  mt_matrix p = mt_capture_positions(b, MT_STACK_ENCODER);
  for (size_t i = 0; i < p.rows * p.cols; i++)
    g_assert_true(p.data[i] == 0);
  mt_matrix q = mt_capture_positions(b, MT_STACK_DECODER);
  g_assert_cmpmem(q.data, 64, mt_capture_positions(a, MT_STACK_DECODER).data, 64);
  mt_matrix x = mt_capture_weights(a, MT_ENCODER_SELF, 0, 0);
  mt_matrix y = mt_capture_weights(b, MT_ENCODER_SELF, 0, 0);
  g_assert_cmpint(memcmp(x.data, y.data, x.rows * x.cols * sizeof(float)), !=, 0);
  assert_same_capture(a, c);
}

/* Scores set to zero make every row uniform; weights left by a hook are what is captured and used.
 */
static void
test_change_attention(fixture *f, gconstpointer data)
{
  recorder r = {.only_kind = MT_CROSS,
                .only_head = 2,
                .change_hook_point = MT_HOOK_POINT_BIT(MT_HOOK_SCORES)};
  mt_hooks hooks = {.hook_points =
                        MT_HOOK_POINT_BIT(MT_HOOK_SCORES) | MT_HOOK_POINT_BIT(MT_HOOK_WEIGHTS),
                    .on_probe = on_probe,
                    .user = &r};
  mt_capture *c = capture(f->session, f->translation, MT_CAPTURE_SCORES, &hooks);
  mt_matrix w = mt_capture_weights(c, MT_CROSS, 1, 2), s = mt_capture_scores(c, MT_CROSS, 1, 2);
  for (size_t i = 0; i < w.rows * w.cols; i++) {
    assert_near(w.data[i], 0.1f);
    g_assert_true(s.data[i] == 0);
  }
  w = mt_capture_weights(c, MT_CROSS, 1, 1);
  g_assert_cmpfloat(fabsf(w.data[0] - 0.1f), >, 1e-4);
  mt_capture_unref(c);

  r.change_hook_point = MT_HOOK_POINT_BIT(MT_HOOK_WEIGHTS);
  c = capture(f->session, f->translation, 0, &hooks);
  w = mt_capture_weights(c, MT_CROSS, 0, 2);
  for (size_t i = 0; i < w.rows * w.cols; i++)
    g_assert_true(w.data[i] == 0);
  g_autoptr(mt_capture) plain = capture(f->session, f->translation, 0, NULL);
  g_assert_cmpfloat(mt_capture_logprobs(c)[0], !=, mt_capture_logprobs(plain)[0]);
  mt_capture_unref(c);
}

/* A hook on the logits steers the search. */
static void
favour_seven(void *user, const mt_editable_activation *p)
{
  for (size_t i = 0; i < p->rows; i++)
    p->data[i * p->stride + 7] = 1000;
}

static void
test_change_logits(fixture *f, gconstpointer data)
{
  mt_hooks hooks = {.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_LOGITS), .on_probe = favour_seven};
  g_autoptr(mt_search) search = search_ids(f->session, f->ids, 10, 1, &hooks);
  const mt_search_hypothesis *h = search->finished[0];
  g_assert_cmpuint(h->n, ==, 29);
  for (size_t i = 0; i + 1 < h->n; i++)
    g_assert_cmpint(h->ids[i], ==, 7);
  g_assert_cmpint(h->ids[28], ==, 0); /* forced at the end */
}

/* ---- Cancelling ---------------------------------------------------------------------------------
 */

static bool
count_down(void *user)
{
  return (*(int *) user)-- == 0;
}

/* Stopped at every place there is, one after the other; each time the session works on. */
static void
test_cancel(fixture *f, gconstpointer data)
{
  g_autoptr(mt_capture) expected = capture(f->session, f->translation, 0, NULL);
  g_autoptr(mt_search) found = search_ids(f->session, f->ids, 10, 3, NULL);
  mt_search_params params = mt_search_params_default(f->model);
  params.beam_size = 3;
  params.n_best = 3;
  params.max_length = 30;
  params.min_length = 12;
  int n_stops = 0;
  for (bool done = false; !done; n_stops++) {
    int left = n_stops;
    mt_hooks hooks = {.should_stop = count_down, .user = &left};
    mt_error error = {0};
    g_autoptr(mt_capture) c = mt_session_capture(f->session, f->translation, 0, 0, &hooks, &error);
    done = c != NULL;
    g_assert_cmpint(error.code, ==, done ? MT_OK : MT_ERROR_CANCELLED);
    if (c)
      assert_same_capture(c, expected);
  }
  g_assert_cmpint(n_stops, ==, 2 + 2 + 2 + 1 + 1); /* encoder, cross keys, decoder, logits, none */

  n_stops = 0;
  for (bool done = false; !done; n_stops++) {
    int left = n_stops;
    mt_hooks hooks = {.should_stop = count_down, .user = &left};
    mt_error error = {0};
    mt_search *search = mt_session_search(f->session, f->ids, 10, &params, &hooks, &error);
    done = search != NULL;
    g_assert_cmpint(error.code, ==, done ? MT_OK : MT_ERROR_CANCELLED);
    g_autoptr(mt_search) again = done ? search : search_ids(f->session, f->ids, 10, 3, NULL);
    g_assert_cmpfloat(again->finished[0]->score, ==, found->finished[0]->score);
  }
  g_assert_cmpint(n_stops, >, 2 + 2 + 3 * 12);
}

/* ---- Lack of memory -----------------------------------------------------------------------------
 */

static void
test_no_memory(fixture *f, gconstpointer data)
{
  g_autoptr(mt_capture) expected = capture(f->session, f->translation, 0, NULL);
  g_autoptr(mt_search) found = search_ids(f->session, f->ids, 10, 1, NULL);
  mt_search_params params = mt_search_params_default(f->model);
  params.max_length = 30;
  params.min_length = 12;
  for (int step = 0; step < 2; step++)
    for (int n = 0;; n++) {
      mt_error error = {0};
      mt_session *session = mt_session_new(f->model, NULL, &error);
      few_then_one_fails(n);
      mt_capture *c = NULL;
      mt_search *search = NULL;
      if (step == 0)
        c = mt_session_capture(session, f->translation, 0, 0, NULL, &error);
      else
        search = mt_session_search(session, f->ids, 10, &params, NULL, &error);
      few_end();
      bool done = c || search;
      g_assert_cmpint(error.code, ==, done ? MT_OK : MT_ERROR_NO_MEMORY);
      mt_capture_unref(c);
      mt_search_free(search);
      /* The same session still works. */
      c = capture(session, f->translation, 0, NULL);
      assert_same_capture(c, expected);
      mt_capture_unref(c);
      search = search_ids(session, f->ids, 10, 1, NULL);
      g_assert_cmpfloat(search->finished[0]->score, ==, found->finished[0]->score);
      mt_search_free(search);
      mt_session_free(session);
      if (done)
        break;
      g_assert_cmpint(n, <, 100);
    }
}

/* Ids from another model's vocabulary are not looked up. */
static void
test_foreign_ids(fixture *f, gconstpointer data)
{
  const int32_t ids[] = {5, 41, 0}, negative[] = {-1, 0}, good[] = {5, 0};
  const struct {
    const int32_t *source;
    size_t n_source;
    const int32_t *target;
    size_t n_target;
  } bad[] = {{ids, 3, good, 2}, {good, 2, ids, 3}, {negative, 2, good, 2}, {good, 2, negative, 2}};
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    mt_error error = {0};
    mt_tokens *source = toy_tokens(bad[i].source, bad[i].n_source);
    float logprobs[3] = {0};
    mt_search_hypothesis found = {.ids = (int32_t *) bad[i].target,
                                  .logprobs = logprobs,
                                  .n = bad[i].n_target};
    g_autoptr(mt_translation) t = translation_new(source, &found);
    g_assert_null(mt_session_capture(f->session, t, 0, 0, NULL, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    mt_tokens_unref(source);
  }
}

TESTS()
{
  g_test_add_func("/capture/equals-search", test_equals_search);
  g_test_add_func("/capture/beams-follow-their-cache", test_beams_follow_their_cache);
#define ADD(path, function) \
  g_test_add(path, fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD("/hooks/looking-is-free", test_looking_is_free);
  ADD("/hooks/every-site", test_every_hook_point);
  ADD("/hooks/zero-contexts", test_zero_contexts);
  ADD("/hooks/change-positions", test_change_positions);
  ADD("/hooks/change-attention", test_change_attention);
  ADD("/hooks/change-logits", test_change_logits);
  ADD("/capture/cancel", test_cancel);
  ADD("/capture/no-memory", test_no_memory);
  ADD("/capture/foreign-ids", test_foreign_ids);
#undef ADD
}

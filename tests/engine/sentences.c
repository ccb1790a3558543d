/* sentences.c — translating in tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sentences.h"

#include "engine-test.h"
#include "golden.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

mt_model *
sentences_model(const char *relative)
{
  mt_error error = {0};
  const bool is_toy = g_str_has_prefix(relative, "toy/");
  g_autofree char *path = golden_path(is_toy ? "tests/data/checkpoints/post-norm-relu" : relative);
  mt_model *model = mt_model_open(path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  if (is_toy) {
    toy_spec spec = toy_spec_like_t5();
    if (g_str_equal(relative, "toy/relative")) {
      spec = toy_spec_default();
      spec.position_kind = MT_POSITIONS_RELATIVE;
      spec.bias_each_layer = spec.normalize_embedding = true;
    }
    toy_model_replace(model, spec);
  }
  return model;
}

static mt_session *
new_session(mt_model *model, const mt_session_options *options)
{
  mt_error error = {0};
  mt_session *session = mt_session_new(model, options, &error);
  g_assert_cmpstr(error.message, ==, "");
  return session;
}

mt_session *
sentences_session(mt_model *model, unsigned n_threads, bool keeps_attention)
{
  return new_session(model, &(mt_session_options){.n_threads = n_threads,
                                                  .keeps_attention = keeps_attention});
}

mt_session *
sentences_guesser(mt_model *model, unsigned n_threads, bool keeps_attention)
{
  return new_session(model, &(mt_session_options){.n_threads = n_threads,
                                                  .keeps_attention = keeps_attention,
                                                  .guessing = MT_GUESSING_ALWAYS});
}

mt_interventions *
sentences_parse(const char *text)
{
  mt_error error = {0};
  mt_interventions *interventions = mt_interventions_parse("test", text, &error);
  g_assert_cmpstr(error.message, ==, "");
  return interventions;
}

static mt_search_params
params_of(const mt_session *session, size_t n_beams)
{
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.beam_size = params.n_best = n_beams;
  return params;
}

mt_translation *
sentences_translate(mt_session *session, const char *text, size_t n_beams, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_search_params params = params_of(session, n_beams);
  mt_translation *t = mt_session_translate(session, text, &params, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

mt_capture *
sentences_capture(mt_session *session, const mt_translation *translation, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(session, translation, 0, 0, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

mt_trace *
sentences_trace(mt_model *model, const char *text, const char *interventions, size_t max_length,
                uint32_t hook_points, bool has_stream)
{
  mt_error error = {0};
  mt_activation_requests requests = {0};
  if (has_stream)
    mt_activation_requests_add_stream(&requests);
  for (int point = 0; point < MT_N_HOOK_POINTS; point++)
    if (hook_points & MT_HOOK_POINT_BIT(point))
      requests.requests[requests.n++] =
          (mt_activation_request){(mt_hook_point) point, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  g_autoptr(mt_interventions) parsed =
      interventions ? mt_interventions_parse(NULL, interventions, &error) : NULL;
  g_assert_cmpstr(error.message, ==, "");
  const mt_hooks hooks = {.requests = &requests, .interventions = parsed};
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = MIN(params.max_length, max_length);
  g_autoptr(mt_translation) t = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_trace *trace = mt_trace_new(model, t, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return trace;
}

void
sentences_measure(const mt_model *model, const double *x, double *mean, double *sigma)
{
  const mt_config *config = mt_model_config(model);
  const double d = (double) config->d_model;
  double variance = 0;
  *mean = 0;
  for (size_t i = 0; config->norm_kind == MT_NORM_LAYER && i < config->d_model; i++)
    *mean += x[i] / d;
  for (size_t i = 0; i < config->d_model; i++)
    variance += pow(x[i] - *mean, 2) / d;
  *sigma = sqrt(variance + config->norm_epsilon);
}

void
sentences_test_models(const char *prefix, void (*test)(const void *place))
{
  static const struct {
    const char *name, *place;
  } models[] = {
#define CHECKPOINT(name) {name, "tests/data/checkpoints/" name}
      CHECKPOINT("post-norm-relu"),
      CHECKPOINT("post-norm-final-norm"),
      CHECKPOINT("pre-norm-gelu-learned"),
      CHECKPOINT("pre-norm-plain"),
      CHECKPOINT("odd-sizes-swish"),
      {"frozen", "tests/data/frozen/en-de"},
      {"like-t5", "toy/t5"},
      {"relative", "toy/relative"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++)
    suite_add(models[i].place, test, "%s/%s", prefix, models[i].name);
}

typedef struct {
  const char *const *texts;
  size_t n, n_asked, n_results;
  mt_translation **translations;
} Job;

static const char *
next(void *user)
{
  Job *job = user;
  return job->n_asked < job->n ? job->texts[job->n_asked++] : NULL;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Job *job = user;
  g_assert_null(error);
  g_assert_cmpuint(i, ==, job->n_results++);
  job->translations[i] = mt_translation_ref(translation);
}

void
sentences_translate_many(mt_session *session, const char *const *texts, size_t n, size_t n_beams,
                         const mt_hooks *hooks, mt_translation **translations)
{
  mt_error error = {0};
  mt_search_params params = params_of(session, n_beams);
  Job job = {.texts = texts, .n = n, .translations = translations};
  mt_texts many = {.next = next, .on_result = on_result, .user = &job, .hooks = hooks};
  mt_session_translate_many(session, &many, &params, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(job.n_results, ==, n);
}

static void
assert_same_file(const mt_capture *a, const mt_capture *b)
{
  mt_error error = {0};
  mt_bytes x = {0}, y = {0};
  g_assert_true(mt_capture_make_npz(a, NULL, &x, &error));
  g_assert_true(mt_capture_make_npz(b, NULL, &y, &error));
  g_assert_cmpmem(x.data, x.size, y.data, y.size);
  mt_bytes_clear(&x);
  mt_bytes_clear(&y);
}

void
sentences_check_parts(mt_session *session, const mt_translation *translation, unsigned flags,
                      const mt_hooks *hooks)
{
  static const mt_capture_place places[] = {
      {MT_ENCODER_SELF, 1, -1}, {MT_CROSS, 0, 1}, {MT_DECODER_SELF, 1, 0},
      {MT_CROSS, -1, -1},       {-1, 1, 1},       {-1, -1, -1}};
  const mt_model *model = mt_session_model(session);
  const mt_interventions *changes = hooks ? hooks->interventions : NULL;
  const size_t n_source = mt_tokens_count(mt_translation_source(translation)),
               n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens);
  mt_error error = {0};
  g_autoptr(mt_capture) whole = mt_session_capture(session, translation, 0, flags, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(mt_capture_bytes_of(model, n_source, n_target, NULL, flags, changes), ==,
                   mt_capture_bytes(whole));
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    const mt_capture_place *p = &places[i];
    g_autoptr(mt_capture) expected = mt_capture_part(whole, p->kind, p->layer, p->head, &error);
    g_autoptr(mt_capture) part =
        mt_session_capture_part(session, translation, 0, p, flags, hooks, &error);
    g_assert_cmpstr(error.message, ==, "");
    assert_same_file(expected, part);
    g_assert_cmpuint(mt_capture_bytes_of(model, n_source, n_target, p, flags, changes), ==,
                     mt_capture_bytes(part));
    g_assert_cmpuint(mt_capture_bytes(part), ==, mt_capture_bytes(expected));
    g_assert_cmpuint(mt_capture_bytes(part), <, mt_capture_bytes(whole) + (p->layer < 0));
  }
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    const mt_capture_place place = {(int) kind, 0, -1};
    const unsigned own = flags | MT_CAPTURE_POSITIONS;
    g_autoptr(mt_capture) part =
        mt_session_capture_part(session, translation, 0, &place, own, hooks, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_assert_cmpuint(mt_capture_bytes_of(model, n_source, n_target, &place, own, changes), ==,
                     mt_capture_bytes(part));
    for (mt_stack stack = 0; stack < MT_N_STACKS; stack++) {
      const mt_matrix x = mt_capture_positions(part, stack), y = mt_capture_positions(whole, stack);
      g_assert_cmpmem(x.data, x.rows * x.cols * sizeof(float), y.data,
                      y.rows * y.cols * sizeof(float));
    }
  }
  const mt_capture_place beyond[] = {{MT_CROSS, 99, -1}, {-1, -1, 99}};
  for (size_t i = 0; i < G_N_ELEMENTS(beyond); i++) {
    error = (mt_error){0};
    g_assert_null(
        mt_session_capture_part(session, translation, 0, &beyond[i], flags, hooks, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_cmpuint(mt_capture_bytes_of(model, n_source, n_target, &beyond[i], flags, changes), ==,
                     0);
  }
  /* What no memory has. */
  g_assert_cmpuint(mt_capture_bytes_of(model, SIZE_MAX / 8, n_target, NULL, flags, changes), ==,
                   SIZE_MAX);
}

void
sentences_assert_same(const mt_translation *a, const mt_translation *b)
{
  const mt_hypothesis *x = mt_translation_hypothesis(a, 0), *y = mt_translation_hypothesis(b, 0);
  g_assert_cmpstr(x->text, ==, y->text);
  g_assert_cmpmem(x->logprobs, mt_tokens_count(x->tokens) * sizeof(float), y->logprobs,
                  mt_tokens_count(y->tokens) * sizeof(float));
}

/* All numbers of a kind, [n]. */
static const float *
weights(const mt_capture *c, mt_attention_kind kind, size_t *n)
{
  mt_matrix first = mt_capture_weights(c, kind, 0, 0);
  *n = mt_capture_n_layers(c, kind) * mt_capture_n_heads(c, kind) * first.rows * first.cols;
  return first.data;
}

void
sentences_assert_same_capture(const mt_capture *a, const mt_capture *b)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    size_t n, m;
    const float *x = weights(a, kind, &n), *y = weights(b, kind, &m);
    g_assert_cmpmem(x, n * sizeof(float), y, m * sizeof(float));
  }
  g_assert_cmpmem(mt_capture_logprobs(a), mt_tokens_count(mt_capture_output(a)) * sizeof(float),
                  mt_capture_logprobs(b), mt_tokens_count(mt_capture_output(b)) * sizeof(float));
}

static void
assert_near(const float *x, size_t n, const float *y, size_t m, double tolerance)
{
  g_assert_cmpuint(n, ==, m);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon((double) x[i], (double) y[i], tolerance);
}

void
sentences_assert_near_capture(const mt_capture *a, const mt_capture *b, double tolerance)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    size_t n, m;
    const float *x = weights(a, kind, &n), *y = weights(b, kind, &m);
    assert_near(x, n, y, m, tolerance);
  }
  assert_near(mt_capture_logprobs(a), mt_tokens_count(mt_capture_output(a)), mt_capture_logprobs(b),
              mt_tokens_count(mt_capture_output(b)), 5 * tolerance);
}

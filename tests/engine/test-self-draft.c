/* test-self-draft.c — a greedy search that guesses ahead with the same model in int8 finds what it
 * would have found without, bit for bit, and keeps the same attention.
 *
 * Rules of every kind and traces are compared in test-golden-generation.c and test-steps.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "golden.h"
#include "model/mt-int8-copy.h"
#include "model/mt-narrow.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"
#include "toy-model.h"

#include <glib.h>
#include <string.h>

static const char *const texts[] = {
    "the cat sat on the mat .",
    "I have two dogs and a cat, but no time to go out with them.",
    "two dogs eat bread and the sun is warm today",
    "two dogs eat bread and the moon is warm today", /* of which there is a draft */
    "where",
};

static mt_translation *
translate(mt_session *session, const char *text, const mt_search_params *params,
          const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_translation *t = mt_session_translate(session, text, params, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

static void
assert_same(const mt_translation *a, const mt_translation *b)
{
  const mt_hypothesis *x = mt_translation_hypothesis(a, 0), *y = mt_translation_hypothesis(b, 0);
  const size_t n = mt_tokens_count(x->tokens);
  g_assert_cmpmem(mt_tokens_ids(x->tokens), n * sizeof(int32_t), mt_tokens_ids(y->tokens),
                  mt_tokens_count(y->tokens) * sizeof(int32_t));
  g_assert_cmpmem(&x->score, sizeof x->score, &y->score, sizeof y->score);
  sentences_assert_same(a, b);
}

/* ---- Models of every form ---------------------------------------------------------------------
 */

/* What has been guessed in all searches of a session. */
typedef struct {
  size_t n_guessed, n_true, n_passes, n_tokens;
} Counted;

static void
count(Counted *counted, const mt_session *session, const mt_translation *t)
{
  counted->n_guessed += session->run.self_draft.n_guessed;
  counted->n_true += session->run.self_draft.n_true;
  counted->n_passes += session->draft.n_passes;
  counted->n_tokens += mt_tokens_count(mt_translation_hypothesis(t, 0)->tokens);
}

static void
check(mt_session *plain, mt_session *guesser, const char *text, const mt_search_params *params,
      const mt_hooks *hooks, Counted *counted)
{
  mt_draft_clear(&plain->draft);
  g_autoptr(mt_translation) expected = translate(plain, text, params, hooks);
  g_autoptr(mt_translation) found = translate(guesser, text, params, hooks);
  assert_same(found, expected);
  count(counted, guesser, found);
  g_autoptr(mt_capture) a = sentences_capture(guesser, found, hooks);
  g_autoptr(mt_capture) b = sentences_capture(plain, expected, hooks);
  sentences_assert_same_capture(a, b);
}

static void
test_same(const void *place)
{
  static const char *const changes[] = {NULL, "decoder 1.1 zero", "cross 1.1 uniform"};
  g_autoptr(mt_model) model = sentences_model(place);
  Counted counted = {0};
  for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
    g_autoptr(mt_session) plain = sentences_session(model, n_threads, true),
                          guesser = sentences_guesser(model, n_threads, true);
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
      for (gsize c = 0; c < G_N_ELEMENTS(changes); c++) {
        g_autoptr(mt_interventions) parsed = changes[c] ? sentences_parse(changes[c]) : NULL;
        const mt_hooks hooks = {.interventions = parsed};
        mt_search_params params = mt_search_params_default(model);
        params.beam_size = params.n_best = 1;
        params.max_length = MIN(params.max_length, 40);
        params.min_length = i % 2 ? params.max_length : 0;
        check(plain, guesser, texts[i], &params, &hooks, &counted);
      }
  }
  g_test_message("%zu tokens in %zu passes; of %zu guesses %zu came true", counted.n_tokens,
                 counted.n_passes, counted.n_guessed, counted.n_true);
  g_assert_cmpuint(counted.n_guessed, >, 0);
  /* It would be the same if nothing were ever guessed right. */
  g_assert_cmpuint(counted.n_true, >, counted.n_guessed / 4);
  g_assert_cmpuint(counted.n_passes, <, counted.n_tokens * 3 / 4);
}

/* Guesses that never come true, since the model thinks otherwise with its changes than its copy
 * could know: the rules of another search. Here the copy is one of another model. */
static void
test_wrong(void)
{
  toy_spec spec = toy_spec_default(), other = spec;
  other.seed = spec.seed + 1;
  mt_model *model = toy_model_new(&spec), *stranger = toy_model_new(&other);
  g_assert_true(mt_int8_copy_make(stranger, NULL, NULL, NULL));
  mt_session *plain = sentences_session(model, 1, false),
             *guesser = sentences_guesser(model, 1, false);
  mt_search_params params = mt_search_params_default(model);
  params.max_length = params.min_length = 60;
  int32_t ids[20];
  toy_ids(ids, 20, spec.vocab_size, 3);
  mt_int8_later own = model->int8_later;
  model->int8_later = stranger->int8_later;
  mt_error error = {0};
  mt_search *expected = mt_session_search(plain, ids, 20, &params, NULL, &error);
  mt_search *found = mt_session_search(guesser, ids, 20, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  model->int8_later = own;
  const mt_search_hypothesis *x = expected->finished[0], *y = found->finished[0];
  g_assert_cmpmem(x->ids, x->n * sizeof *x->ids, y->ids, y->n * sizeof *y->ids);
  g_assert_cmpmem(x->logprobs, x->n * sizeof(float), y->logprobs, y->n * sizeof(float));
  /* After some passes in vain it is left alone for longer and longer. */
  const mt_self_draft *self = &guesser->run.self_draft;
  g_assert_cmpuint(self->n_guessed, >, 0);
  g_assert_cmpuint(self->n_guessed, <, x->n / 2);
  mt_search_free(expected);
  mt_search_free(found);
  mt_session_free(plain);
  mt_session_free(guesser);
  toy_model_free(stranger);
  toy_model_free(model);
}

/* ---- When --------------------------------------------------------------------------------------
 */

/* No beams, no rounded weights, no small models, nobody who said no. */
static void
test_when(void)
{
  mt_error error = {0};
  g_autofree char *path = golden_path("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_model) model = sentences_model("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_session) usual = sentences_session(model, 1, false),
                        guesser = sentences_guesser(model, 1, false);
  for (int i = 0; i < 9; i++)
    mt_translation_unref(sentences_translate(usual, texts[1], 1, NULL));
  mt_translation_unref(sentences_translate(guesser, texts[1], 3, NULL));
  g_assert_null(mt_int8_copy_get(model));
  mt_translation_unref(sentences_translate(guesser, texts[1], 1, NULL));
  g_assert_nonnull(mt_int8_copy_get(model));

  mt_load_options options = {.precision = MT_PRECISION_INT8};
  g_autoptr(mt_model) rounded = mt_model_open(path, &options, &error);
  g_autoptr(mt_session) other = sentences_guesser(rounded, 1, false);
  mt_translation_unref(sentences_translate(other, texts[1], 1, NULL));
  g_assert_null(mt_int8_copy_get(rounded));
}

/* The matrices of one layer and the output, none of which is looked at, as large as they are
 * said to be. */
static void
test_pays(void)
{
  mt_layer_weights layer = {0};
  mt_model model = {.config.n_layers = {0, 1}, .spare_memory = SIZE_MAX};
  model.stacks[MT_STACK_DECODER].layers = &layer;
  model.output = (mt_linear){.n_out = 100000, .n_in = 100};
  g_assert_false(mt_int8_copy_pays(&model)); /* 40 MB */
  model.output.n_in = 1000;
  g_assert_true(mt_int8_copy_pays(&model));
  model.spare_memory = 99000000;
  g_assert_false(mt_int8_copy_pays(&model));
  model.spare_memory = SIZE_MAX;
  model.output.n_in = 500;
  g_assert_true(mt_int8_copy_pays(&model)); /* 200 MB */
  model.output.as_stored.format = MT_PRECISION_F16;
  g_assert_false(mt_int8_copy_pays(&model));
}

/* A model whose steps read 108 MB, which are the same 15 MB again and again. */
static mt_model *
large_model(void)
{
  toy_spec spec = toy_spec_default();
  spec.n_layers = 1;
  spec.d_ffn = 60000;
  mt_model *model = toy_model_new(&spec);
  const size_t n = 7;
  mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  mt_layer_weights *layers = g_new(mt_layer_weights, n);
  for (size_t i = 0; i < n; i++)
    layers[i] = decoder->layers[0];
  g_free(decoder->layers);
  decoder->layers = layers;
  model->config.n_layers[MT_STACK_DECODER] = n;
  model->spare_memory = SIZE_MAX;
  return model;
}

/* A large model is given a copy after some steps, whichever session makes them, and not before. */
static void
test_patience(void)
{
  mt_model *model = large_model();
  mt_session *usual[] = {sentences_session(model, 1, false), sentences_session(model, 1, false)};
  mt_session_options options = {.n_threads = 1, .guessing = MT_GUESSING_NEVER};
  mt_error error = {0};
  mt_session *never = mt_session_new(model, &options, &error);
  mt_search_params params = mt_search_params_default(model);
  int32_t ids[5];
  toy_ids(ids, 5, 41, 1);
  for (size_t i = 0; i < 4; i++) {
    params.max_length = params.min_length = i < 2 ? 12 : 30;
    mt_draft_clear(&never->draft);
    mt_draft_clear(&usual[i % 2]->draft);
    mt_search *expected = mt_session_search(never, ids, 5, &params, NULL, &error);
    mt_search *found = mt_session_search(usual[i % 2], ids, 5, &params, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    const mt_search_hypothesis *x = expected->finished[0], *y = found->finished[0];
    g_assert_cmpmem(x->ids, x->n * sizeof *x->ids, y->ids, y->n * sizeof *y->ids);
    g_assert_cmpmem(x->logprobs, x->n * sizeof(float), y->logprobs, y->n * sizeof(float));
    g_assert_cmpint(mt_int8_copy_get(model) != NULL, ==, i >= 2); /* 11 + 11 steps, then more */
    g_assert_cmpint(usual[i % 2]->run.self_draft.n_guessed > 0, ==, i >= 2);
    g_assert_cmpuint(never->run.self_draft.n_guessed, ==, 0);
    mt_search_free(expected);
    mt_search_free(found);
  }
  for (int i = 0; i < 2; i++)
    mt_session_free(usual[i]);
  mt_session_free(never);
  toy_model_free(model);
}

/* ---- The copy ----------------------------------------------------------------------------------
 */

typedef struct {
  const mt_linear *maps[64];
  size_t n;
} Maps;

static bool
list(void *user, mt_linear *map)
{
  Maps *maps = user;
  g_assert_cmpuint(maps->n, <, G_N_ELEMENTS(maps->maps));
  maps->maps[maps->n++] = map;
  return true;
}

static void
assert_same_maps(const mt_model *a, const mt_model *b)
{
  Maps x = {0}, y = {0};
  mt_narrow_visit_step((mt_model *) a, list, &x);
  mt_narrow_visit_step((mt_model *) b, list, &y);
  g_assert_cmpuint(x.n, ==, y.n);
  for (size_t i = 0; i < x.n; i++) {
    const mt_linear *p = x.maps[i], *q = y.maps[i];
    const size_t n_out = MT_INT8_PANELS(p->n_out) * MT_INT8_PANEL;
    g_assert_cmpint(p->rounded.format, ==, MT_PRECISION_INT8);
    g_assert_cmpint(q->rounded.format, ==, MT_PRECISION_INT8);
    g_assert_cmpmem(p->rounded.int8.panels, n_out * MT_INT8_STRIDE(p->n_in), q->rounded.int8.panels,
                    n_out * MT_INT8_STRIDE(q->n_in));
    g_assert_cmpmem(p->rounded.int8.scales, n_out * sizeof(float), q->rounded.int8.scales,
                    n_out * sizeof(float));
    g_assert_cmpmem(p->rounded.int8.offsets, n_out * sizeof(int32_t), q->rounded.int8.offsets,
                    n_out * sizeof(int32_t));
  }
}

/* The numbers are those of a model that is opened in int8, whatever they are read from. */
static void
test_copy(void)
{
  static const char *const places[] = {"tests/data/frozen/en-de",
                                       "tests/data/checkpoints/odd-sizes-swish",
                                       "tests/data/checkpoints/t5-gated-tiny"};
  mt_error error = {0};
  for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autofree char *path = golden_path(places[i]);
    mt_load_options options = {.precision = MT_PRECISION_INT8};
    g_autoptr(mt_model) rounded = mt_model_open(path, &options, &error);
    g_autoptr(mt_model) stored = sentences_model(places[i]);
    mt_pool *pool = mt_pool_new(3);
    g_assert_true(mt_int8_copy_make(stored, pool, NULL, NULL));
    mt_pool_free(pool);
    assert_same_maps(mt_int8_copy_get(stored), rounded);
  }
}

/* Floats that lie in panels are read from there. */
static void
test_panels(void)
{
  toy_spec spec = toy_spec_default();
  mt_model *plain = toy_model_new(&spec), *model = toy_model_new(&spec);
  mt_linear *output = &model->output;
  g_autofree float *panels = g_new0(float, MT_PANELS_SIZE(output->n_out, output->n_in));
  mt_panels_pack(panels, output->weight, MT_DTYPE_F32, output->n_out, output->n_in, 0,
                 MT_PANELS(output->n_out));
  output->as_stored.panels = panels;
  output->weight = NULL;
  g_assert_true(mt_int8_copy_make(plain, NULL, NULL, NULL));
  g_assert_true(mt_int8_copy_make(model, NULL, NULL, NULL));
  assert_same_maps(mt_int8_copy_get(model), mt_int8_copy_get(plain));
  toy_model_free(plain);
  toy_model_free(model);
}

static bool
stop_when_none_is_left(void *user)
{
  int *left = user;
  return (*left)-- <= 0;
}

/* It goes on where it was stopped. */
static void
test_stopped(void)
{
  toy_spec spec = toy_spec_default();
  mt_model *whole = toy_model_new(&spec), *model = toy_model_new(&spec);
  int n_stopped = 0;
  g_assert_true(mt_int8_copy_make(whole, NULL, NULL, NULL));
  for (int left = 1; !mt_int8_copy_make(model, NULL, stop_when_none_is_left, &left); left = 1) {
    g_assert_null(mt_int8_copy_get(model));
    n_stopped++;
  }
  g_assert_cmpint(n_stopped, >, 5);
  assert_same_maps(mt_int8_copy_get(model), mt_int8_copy_get(whole));
  toy_model_free(model);
  toy_model_free(whole);
}

/* ---- What goes wrong ---------------------------------------------------------------------------
 */

/* A search is cancelled wherever it is asked, in the middle of a guess too, and the next one is as
 * if nothing had been. */
static void
test_cancelled(void)
{
  g_autoptr(mt_model) model = sentences_model("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_session) plain = sentences_session(model, 1, false),
                        guesser = sentences_guesser(model, 1, false);
  g_autoptr(mt_translation) expected = sentences_translate(plain, texts[0], 1, NULL);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = params.n_best = 1;
  int n_cancelled = 0;
  for (int n = 0;; n++) {
    mt_error error = {0};
    int left = n;
    const mt_hooks hooks = {.should_stop = stop_when_none_is_left, .user = &left};
    g_autoptr(mt_translation) t = mt_session_translate(guesser, texts[0], &params, &hooks, &error);
    if (t) {
      assert_same(t, expected);
      break;
    }
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
    n_cancelled++;
    if (n % 8 == 0) {
      g_autoptr(mt_translation) next = sentences_translate(guesser, texts[0], 1, NULL);
      assert_same(next, expected);
    }
  }
  g_assert_cmpint(n_cancelled, >, 20);
}

/* Without memory for a copy there is none, and everything else goes on. */
static void
test_memory(void)
{
  toy_spec spec = toy_spec_default();
  for (gsize n = 0;; n++) {
    mt_model *model = toy_model_new(&spec);
    few_then_one_fails(n);
    g_assert_true(mt_int8_copy_make(model, NULL, NULL, NULL));
    const gsize n_asked = few_end();
    const bool is_there = mt_int8_copy_get(model) != NULL;
    if (!is_there) { /* nor does anybody try again */
      g_assert_true(mt_int8_copy_make(model, NULL, NULL, NULL));
      g_assert_null(mt_int8_copy_get(model));
      g_autoptr(mt_session) guesser = sentences_guesser(model, 1, false);
      mt_search_params params = mt_search_params_default(model);
      mt_error error = {0};
      int32_t ids[5];
      toy_ids(ids, 5, spec.vocab_size, 1);
      mt_search *search = mt_session_search(guesser, ids, 5, &params, NULL, &error);
      g_assert_cmpstr(error.message, ==, "");
      g_assert_cmpuint(guesser->run.self_draft.n_guessed, ==, 0);
      mt_search_free(search);
    }
    toy_model_free(model);
    if (is_there) {
      g_assert_cmpuint(n_asked, ==, n);
      g_assert_cmpuint(n, >, 3);
      break;
    }
  }
}

TESTS()
{
  sentences_test_models("/self-draft/same", test_same);
  g_test_add_func("/self-draft/wrong", test_wrong);
  g_test_add_func("/self-draft/when", test_when);
  g_test_add_func("/self-draft/pays", test_pays);
  g_test_add_func("/self-draft/patience", test_patience);
  g_test_add_func("/self-draft/copy", test_copy);
  g_test_add_func("/self-draft/panels", test_panels);
  g_test_add_func("/self-draft/stopped", test_stopped);
  g_test_add_func("/self-draft/cancelled", test_cancelled);
  g_test_add_func("/self-draft/memory", test_memory);
}

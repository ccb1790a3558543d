/* test-precision.c — models opened in fewer bits: what they translate is near what the weights as
 * stored give, and captures are exactly theirs unless something else is asked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "model-dir.h"
#include "model/mt-model.h"
#include "model/mt-narrow.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define FROZEN "tests/data/frozen/en-de"
#define DOGS   "I have two dogs and a cat, but no time to go out with them."

static mt_model *models[MT_N_PRECISIONS]; /* one model in each precision */
static mt_session *sessions[MT_N_PRECISIONS];

static mt_model *
open_in(const char *path, mt_precision precision, mt_error *error)
{
  return mt_model_open(path, &(mt_load_options){.precision = precision}, error);
}

static mt_translation *
translate(mt_precision p, const char *text, size_t n_beams)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(models[p]);
  params.beam_size = params.n_best = n_beams;
  mt_translation *t = mt_session_translate(sessions[p], text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

static mt_capture *
capture(mt_precision p, const mt_translation *t, unsigned flags)
{
  mt_error error = {0};
  mt_capture *c = mt_session_capture(sessions[p], t, 0, flags, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return c;
}

/* Largest distance of two captures of the same tokens: of weights of one kind in all layers but
 * the first, where rounded weights have had their effect on what is attended to; and of
 * log-probabilities. */
static float
distance(const mt_capture *a, const mt_capture *b, mt_attention_kind kind)
{
  float most = 0;
  for (size_t l = 1; l < mt_capture_n_layers(a, kind); l++)
    for (size_t h = 0; h < mt_capture_n_heads(a, kind); h++) {
      mt_matrix x = mt_capture_weights(a, kind, l, h), y = mt_capture_weights(b, kind, l, h);
      g_assert_cmpuint(x.rows, ==, y.rows);
      g_assert_cmpuint(x.cols, ==, y.cols);
      for (size_t i = 0; i < x.rows * x.cols; i++)
        most = fmaxf(most, fabsf(x.data[i] - y.data[i]));
    }
  return most;
}

static float
logprob_distance(const mt_capture *a, const mt_capture *b)
{
  float most = 0;
  for (size_t i = 0; i < mt_tokens_count(mt_capture_output(a)); i++)
    most = fmaxf(most, fabsf(mt_capture_logprobs(a)[i] - mt_capture_logprobs(b)[i]));
  return most;
}

static void
assert_same_bits(const mt_capture *a, const mt_capture *b)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(a, kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(a, kind); h++) {
        mt_matrix x = mt_capture_weights(a, kind, l, h), y = mt_capture_weights(b, kind, l, h);
        mt_matrix u = mt_capture_scores(a, kind, l, h), v = mt_capture_scores(b, kind, l, h);
        size_t size = x.rows * x.cols * sizeof(float);
        g_assert_cmpmem(x.data, size, y.data, y.rows * y.cols * sizeof(float));
        g_assert_true((u.data == NULL) == (v.data == NULL));
        if (u.data)
          g_assert_cmpmem(u.data, size, v.data, size);
      }
}

/* The log-probabilities are what the translation found. */
static void
assert_logprobs_of(const mt_capture *capture, const mt_translation *t)
{
  const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
  size_t size = mt_tokens_count(h->tokens) * sizeof(float);
  g_assert_cmpmem(mt_capture_logprobs(capture), size, h->logprobs, size);
}

static void
test_names(void)
{
  static const char *const names[] = {"stored", "f16", "bf16", "bf16-all", "int8", "int8-all"};
  mt_precision p;
  for (mt_precision i = 0; i < MT_N_PRECISIONS; i++) {
    g_assert_cmpstr(mt_precision_name(i), ==, names[i]);
    g_assert_true(mt_precision_find(names[i], &p));
    g_assert_cmpint(p, ==, i);
  }
  p = MT_PRECISION_BF16;
  static const char *const unknown[] = {"unknown", "", "INT8", "int", "int88", "int8-al", "bf16-"};
  for (gsize i = 0; i < G_N_ELEMENTS(unknown); i++)
    g_assert_false(mt_precision_find(unknown[i], &p));
  g_assert_cmpint(p, ==, MT_PRECISION_BF16);
  g_assert_cmpstr(mt_precision_name(MT_PRECISION_UNKNOWN), ==, "unknown");
  mt_error error = {0};
  g_autofree char *path = golden_path(FROZEN);
  g_assert_null(open_in(path, MT_N_PRECISIONS, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, "no precision 6"));
}

/* Every result says what it was made in, whoever asks for it. */
static void
test_said(void)
{
  mt_error error = {0};
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    g_assert_cmpint(mt_model_precision(models[p]), ==, p);
    for (size_t n_beams = 1; n_beams <= 4; n_beams += 3) {
      g_autoptr(mt_translation) t = translate(p, DOGS, n_beams);
      g_assert_cmpint(mt_translation_precision(t), ==, p);
      g_autoptr(mt_capture) c = capture(p, t, 0), rounded = capture(p, t, MT_CAPTURE_ROUNDED);
      g_assert_cmpint(mt_capture_precision(c), ==, MT_PRECISION_STORED);
      g_assert_cmpint(mt_capture_precision(rounded), ==, p);
      g_assert_cmpint(mt_capture_translation_precision(c), ==, p);
      g_assert_cmpint(mt_capture_translation_precision(rounded), ==, p);
    }
    mt_translation *scored =
        mt_session_score(sessions[p], DOGS, "Ich habe zwei Hunde.", -1, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_assert_cmpint(mt_translation_precision(scored), ==, MT_PRECISION_STORED);
    mt_translation_unref(scored);
  }
}

/* What is scored and captured with weights in fewer bits beside it is the same to the last bit,
 * however many rows there are; also if attention was to be kept while translating. */
static void
test_captures_are_exact(void)
{
  mt_error error = {0};
  const char *const texts[] = {DOGS, DOGS " " DOGS, DOGS " " DOGS " " DOGS " " DOGS};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(mt_translation) t = translate(MT_PRECISION_STORED, texts[i], 1);
    g_autoptr(mt_capture) expected = capture(MT_PRECISION_STORED, t, MT_CAPTURE_SCORES);
    for (mt_precision p = 1; p < MT_N_PRECISIONS; p++) {
      g_autoptr(mt_capture) c = capture(p, t, MT_CAPTURE_SCORES);
      assert_same_bits(c, expected);
      g_assert_cmpfloat(logprob_distance(c, expected), <=, 1e-4f);
    }
  }
  for (mt_precision p = 1; p < MT_N_PRECISIONS; p++) {
    g_autoptr(mt_translation) a =
        mt_session_score(sessions[p], DOGS, "Zwei Hunde.", -1, NULL, &error);
    g_autoptr(mt_translation) b =
        mt_session_score(sessions[0], DOGS, "Zwei Hunde.", -1, NULL, &error);
    g_assert_cmpfloat(mt_translation_hypothesis(a, 0)->sum_logprob, ==,
                      mt_translation_hypothesis(b, 0)->sum_logprob);

    mt_session_options keeps = {.keeps_attention = true};
    g_autoptr(mt_session) keeper = mt_session_new(models[p], &keeps, &error);
    g_autoptr(mt_translation) own = mt_session_translate(keeper, DOGS, NULL, NULL, &error);
    g_autoptr(mt_capture) kept = mt_session_capture(keeper, own, 0, 0, NULL, &error);
    g_autoptr(mt_capture) again = mt_session_capture(sessions[0], own, 0, 0, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_assert_cmpint(mt_capture_precision(kept), ==, MT_PRECISION_STORED);
    assert_same_bits(kept, again);
    assert_logprobs_of(kept, own);
  }
}

/* How far rounding may move a weight of attention, and the logarithm of a probability. F16 holds
 * what both models store, so only the order of sums can differ. */
static const struct {
  float weight, logprob;
} bounds[MT_N_PRECISIONS] = {
    [MT_PRECISION_STORED] = {0, 0},      [MT_PRECISION_F16] = {1e-4f, 1e-3f},
    [MT_PRECISION_BF16] = {0.03f, 0.1f}, [MT_PRECISION_BF16_ALL] = {0.03f, 0.1f},
    [MT_PRECISION_INT8] = {0.2f, 0.5f},  [MT_PRECISION_INT8_ALL] = {0.25f, 0.5f},
};

/* Asked for, a capture is computed with the rounded weights: near the exact one, and another one,
 * however many rows there are. */
static void
test_rounded(void)
{
  g_autoptr(GString) text = g_string_new(DOGS);
  for (int i = 0; i < 7; i++)
    g_string_append(text, " We had three birds, and one of them could speak English.");
  const char *const texts[] = {"Thank you.", DOGS, text->str};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(mt_translation) t = translate(MT_PRECISION_STORED, texts[i], 1);
    g_autoptr(mt_capture) exact = capture(MT_PRECISION_STORED, t, 0);
    if (i == 2)
      g_assert_cmpuint(mt_tokens_count(mt_translation_source(t)), >, 96);
    for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
      g_autoptr(mt_capture) rounded = capture(p, t, MT_CAPTURE_ROUNDED);
      for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
        float d = distance(rounded, exact, kind);
        g_test_message("%s, text %zu, kind %d: weights within %g", mt_precision_name(p), i, kind,
                       (double) d);
        g_assert_cmpfloat(d, <=, bounds[p].weight);
        if (kind == MT_ENCODER_SELF && !mt_precision_rounds_source(p))
          g_assert_cmpfloat(d, ==, 0); /* the encoder is not rounded */
        else if (p >= MT_PRECISION_BF16)
          g_assert_cmpfloat(d, >, 1e-4f);
      }
      float d = logprob_distance(rounded, exact);
      g_test_message("%s, text %zu: log-probabilities within %g", mt_precision_name(p), i,
                     (double) d);
      g_assert_cmpfloat(d, <=, bounds[p].logprob);
    }
  }
}

/* Translating in a precision gives log-probabilities near the exact ones, and they are what every
 * capture says that the model makes of it. */
static void
test_translation_is_rounded(void)
{
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    g_autoptr(mt_translation) t = translate(p, DOGS, 1);
    const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
    g_assert_nonnull(strstr(h->text, "zwei Hunde"));
    g_autoptr(mt_capture) same = capture(p, t, MT_CAPTURE_ROUNDED), own = capture(p, t, 0);
    assert_logprobs_of(same, t);
    assert_logprobs_of(own, t);
    g_autoptr(mt_translation) of_stored =
        mt_session_score(sessions[0], DOGS, h->text, -1, NULL, NULL);
    const mt_hypothesis *exact = mt_translation_hypothesis(of_stored, 0);
    float off = 0;
    g_assert_cmpuint(mt_tokens_count(exact->tokens), ==, mt_tokens_count(h->tokens));
    for (size_t i = 0; i < mt_tokens_count(h->tokens); i++)
      off = fmaxf(off, fabsf(h->logprobs[i] - exact->logprobs[i]));
    g_assert_cmpfloat(off, <=, fmaxf(bounds[p].logprob, 1e-3f));
    if (p >= MT_PRECISION_BF16)
      g_assert_cmpfloat(off, >, 1e-4f);
  }
}

/* All three matrices of a gated network are rounded: a step waits for each of them. */
static void
test_gate_is_rounded(void)
{
  g_autofree char *path = golden_path("tests/data/checkpoints/t5-gated-tiny");
  for (mt_precision p = MT_PRECISION_F16; p < MT_N_PRECISIONS; p++) {
    mt_error error = {0};
    g_autoptr(mt_model) model = open_in(path, p, &error);
    g_assert_cmpstr(error.message, ==, "");
    for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
      for (size_t l = 0; l < model->config.n_layers[stack]; l++) {
        const mt_ffn_weights *ffn = &model->stacks[stack].layers[l].ffn;
        const bool is_rounded = stack == MT_STACK_DECODER || mt_precision_rounds_source(p);
        const mt_precision form = is_rounded ? mt_precision_form(p) : MT_PRECISION_STORED;
        g_assert_cmpint(ffn->fc1.rounded.format, ==, form);
        g_assert_cmpint(ffn->gate.rounded.format, ==, form);
        g_assert_cmpint(ffn->fc2.rounded.format, ==, form);
      }
  }
}

/* ---- Checkpoints of other formats ------------------------------------------------------------ */

/* Numbers that a format holds are not changed by it; what they are multiplied with is, in BF16, and
 * then the same whatever format they came from. */
static void
test_exact_in_every_format(void)
{
  mt_error error = {0};
  float of_bf16 = NAN;
  for (dir_dtype dtype = DIR_F32; dtype <= DIR_F64; dtype++) {
    g_autoptr(model_dir) dir = model_dir_new();
    model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, dtype, 0);
    g_autoptr(mt_translation) expected = NULL;
    for (mt_precision p = MT_PRECISION_STORED; p <= MT_PRECISION_BF16; p++) {
      g_autoptr(mt_model) model = open_in(dir->path, p, &error);
      g_assert_cmpstr(error.message, ==, "");
      g_autoptr(mt_session) session = sentences_session(model, 0, false);
      g_autoptr(mt_translation) t = mt_session_translate(session, "the cat", NULL, NULL, &error);
      g_assert_cmpstr(error.message, ==, "");
      g_assert_cmpint(mt_translation_precision(t), ==, p);
      if (!expected)
        expected = mt_translation_ref(t);
      float found = mt_translation_hypothesis(t, 0)->sum_logprob;
      float off = fabsf(found - mt_translation_hypothesis(expected, 0)->sum_logprob);
      if (p != MT_PRECISION_BF16) {
        g_assert_cmpfloat(off, <=, 1e-4f);
      } else {
        g_assert_cmpfloat(off, >, 1e-4f);
        g_assert_cmpfloat(off, <, 0.5f);
        g_assert_true(isnan(of_bf16) || found == of_bf16);
        of_bf16 = found;
      }
    }
  }
}

/* 65504 is the largest number of binary16; the others go further. */
static void
test_beyond_f16(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  dir_tensor *t = model_dir_tensor(dir, "model.decoder.layers.1.fc2.weight");
  t->values[t->n - 1] = 1e5f;
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    mt_error error = {0};
    g_autoptr(mt_model) model = open_in(dir->path, p, &error);
    g_assert_true((model == NULL) == (p == MT_PRECISION_F16));
    if (!model) {
      g_assert_cmpint(error.code, ==, MT_ERROR_UNSUPPORTED);
      g_assert_nonnull(strstr(error.message, "65504"));
    }
  }
}

typedef struct {
  guint n_calls, most;
  double share;
} loading;

static bool
on_progress(void *user, double share)
{
  loading *l = user;
  g_assert_cmpfloat(share, >=, l->share);
  l->share = share;
  return ++l->n_calls <= l->most;
}

/* Rounding can be cancelled like the rest of loading, at any of its steps. */
static void
test_cancelled(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  mt_error error = {0};
  loading l = {.most = G_MAXUINT};
  mt_load_options options = {.on_progress = on_progress, .user = &l};
  mt_model_unref(mt_model_open(dir->path, &options, &error));
  guint n_stored = l.n_calls;
  options.precision = MT_PRECISION_INT8;
  l = (loading){.most = G_MAXUINT};
  mt_model_unref(mt_model_open(dir->path, &options, &error));
  guint n_all = l.n_calls;
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(n_all, >, n_stored);
  for (guint most = 0; most < n_all; most++) {
    l = (loading){.most = most};
    error = (mt_error){0};
    g_assert_null(mt_model_open(dir->path, &options, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
    g_assert_cmpuint(l.n_calls, ==, most + 1);
  }
}

static void
set_up(const char *name)
{
  g_autofree char *path = golden_path(name);
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    mt_error error = {0};
    models[p] = open_in(path, p, &error);
    sessions[p] = models[p] ? mt_session_new(models[p], NULL, &error) : NULL;
    g_assert_cmpstr(error.message, ==, "");
  }
}

static void
tear_down(void)
{
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++) {
    mt_session_free(sessions[p]);
    mt_model_unref(models[p]);
  }
}

/* The kernels at the size of a real model. */
static void
test_bundled(void)
{
  tear_down();
  set_up("models/en-de");
  test_rounded();
}

TESTS(.end = tear_down)
{
  set_up(FROZEN);
  g_test_add_func("/precision/names", test_names);
  g_test_add_func("/precision/said", test_said);
  g_test_add_func("/precision/captures-are-exact", test_captures_are_exact);
  g_test_add_func("/precision/rounded", test_rounded);
  g_test_add_func("/precision/translation-is-rounded", test_translation_is_rounded);
  g_test_add_func("/precision/gate-is-rounded", test_gate_is_rounded);
  g_test_add_func("/precision/exact-in-every-format", test_exact_in_every_format);
  g_test_add_func("/precision/beyond-f16", test_beyond_f16);
  g_test_add_func("/precision/cancelled", test_cancelled);
  /* The last: it changes the models. Its numbers are those of the optimised program. */
  if (!suite_is_watched())
    g_test_add_func("/precision/bundled", test_bundled);
}

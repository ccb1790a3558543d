/* test-patching.c — states of one run in another: the change "patch", its laws, and the map of what
 * comes back against one scoring pass for each of its numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-4
#define FROZEN    "tests/data/frozen/en-de"
/* As many pieces in both. */
#define TEXT_A "I have two dogs."
#define TEXT_B "I have two cats."

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};
static const char *const stack_names[MT_N_STACKS] = {"encoder", "decoder"};

typedef struct {
  mt_model *model;
  mt_session *session;
  mt_translation *a; /* greedy */
  mt_activations *states;
} Fixture;

static mt_translation *
translate(const Fixture *f, const char *text, size_t beam_size,
          const mt_interventions *interventions)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(f->model);
  const mt_hooks hooks = {.interventions = interventions};
  params.beam_size = beam_size;
  params.max_length = 40;
  mt_translation *t = mt_session_translate(f->session, text, &params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

static Fixture
open_fixture(const char *dir, const char *text)
{
  mt_error error = {0};
  Fixture f = {.model = sentences_model(dir)};
  f.session = sentences_session(f.model, 2, true);
  f.a = translate(&f, text, 1, NULL);
  f.states = mt_activations_new(f.session, f.a, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return f;
}

static void
close_fixture(Fixture *f)
{
  mt_activations_unref(f->states);
  mt_translation_unref(f->a);
  mt_session_free(f->session);
  mt_model_unref(f->model);
}

static mt_interventions *
parse(const Fixture *f, const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = sentences_parse(text);
  mt_interventions *result = mt_interventions_with_activations(interventions, f->states, &error);
  return result;
}

static void
assert_same(const mt_translation *a, const mt_translation *b)
{
  const mt_hypothesis *x = mt_translation_hypothesis(a, 0), *y = mt_translation_hypothesis(b, 0);
  size_t n = mt_tokens_count(x->tokens);
  g_assert_cmpmem(mt_tokens_ids(x->tokens), n * sizeof(int32_t), mt_tokens_ids(y->tokens),
                  mt_tokens_count(y->tokens) * sizeof(int32_t));
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon(x->logprobs[i], y->logprobs[i], TOLERANCE);
}

static bool
are_same(const mt_translation *a, const mt_translation *b)
{
  return strcmp(mt_translation_hypothesis(a, 0)->text, mt_translation_hypothesis(b, 0)->text) == 0;
}

/* ---- The map -----------------------------------------------------------------------------------
 */

/* log p of the reference's translation for source text b, one pass. */
static void
score(const Fixture *f, const mt_tokens *source, const char *text, float *logprobs)
{
  mt_error error = {0};
  mt_forced forced;
  g_assert_true(mt_session_forced(f->session, source, mt_translation_hypothesis(f->a, 0)->tokens,
                                  mt_session_start_id(f->session, f->a), &forced, &error));
  mt_hooks hooks = {.interventions = parse(f, text)};
  g_assert_true(mt_session_force(f->session, &forced, logprobs, NULL, &hooks, &error));
  mt_forced_clear(&forced);
  g_assert_cmpstr(error.message, ==, "");
  mt_interventions_unref((mt_interventions *) hooks.interventions);
}

typedef struct {
  const Fixture *f;
  const mt_tokens *source;
  const char *base;
  const mt_patching *patching;
  float *own; /* [n] */
  double most;
} Check;

static void
check_one(Check *c, const float *found, const char *patch)
{
  size_t n = c->patching->n_tokens[MT_STACK_DECODER];
  g_autofree char *text = g_strdup_printf("%s\n%s", c->base, patch);
  score(c->f, c->source, text, c->own);
  for (size_t t = 0; t < n; t++) {
    g_assert_cmpfloat_with_epsilon(found[t], c->own[t], TOLERANCE);
    c->most = MAX(c->most, fabs((double) found[t] - (double) c->patching->b[t]));
  }
}

static void
check_stream(Check *c, mt_stack stack, size_t layer, size_t token)
{
  g_autofree char *patch =
      layer == 0
          ? g_strdup_printf("%s input token %zu patch", stack_names[stack], token + 1)
          : g_strdup_printf("%s stream %zu token %zu patch", stack_names[stack], layer, token + 1);
  check_one(c, mt_patching_stream(c->patching, stack, layer, token), patch);
}

static void
check_head(Check *c, mt_attention_kind kind, size_t layer, size_t head)
{
  g_autofree char *patch =
      g_strdup_printf("%s %zu.%zu patch", kind_names[kind], layer + 1, head + 1);
  check_one(c, mt_patching_head(c->patching, kind, layer, head), patch);
}

/* Every number; text_b NULL: only the changes differ. */
static void
check_map(const Fixture *f, const char *text_b, const char *base)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) own =
      text_b ? mt_model_tokenize(f->model, MT_STACK_ENCODER, text_b, &error) : NULL;
  const mt_tokens *source = own ? own : mt_translation_source(f->a);
  const size_t n = mt_tokens_count(mt_translation_hypothesis(f->a, 0)->tokens);
  const mt_patching_params params = {.source = own};
  const mt_hooks hooks = {.interventions = mt_interventions_parse("base", base, &error)};
  g_autoptr(mt_patching) patching = mt_patching_new(f->session, f->a, 0, &params, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autofree float *logprobs = g_new0(float, n);
  Check c = {f, source, base, patching, logprobs, 0};
  score(f, mt_translation_source(f->a), "", logprobs);
  for (size_t t = 0; t < n; t++)
    g_assert_cmpfloat_with_epsilon(patching->a[t], logprobs[t], TOLERANCE);
  check_one(&c, patching->b, "");
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    for (size_t l = 0; l <= patching->n_layers[stack]; l++)
      for (size_t t = 0; t < patching->n_tokens[stack]; t++)
        check_stream(&c, stack, l, t);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < patching->n_layers[mt_kind_stack(kind)]; l++)
      for (size_t h = 0; h < patching->n_heads[mt_kind_stack(kind)]; h++)
        check_head(&c, kind, l, h);
  g_assert_cmpfloat(c.most, >, 1e-3);
  mt_interventions_unref((mt_interventions *) hooks.interventions);
}

static void
test_map_frozen(void)
{
  Fixture f = open_fixture(FROZEN, TEXT_A);
  check_map(&f, TEXT_B, "");
  check_map(&f, NULL, "cross 4.1 zero\nsource 3 zero\nencoder window 1");
  close_fixture(&f);
}

static void
test_map_checkpoints(void)
{
  static const char *const names[] = {"pre-norm-gelu-learned", "odd-sizes-swish",
                                      "post-norm-final-norm", "separate-vocabularies", "toy/t5"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *dir = i + 1 == G_N_ELEMENTS(names)
                               ? g_strdup(names[i])
                               : g_strdup_printf("tests/data/checkpoints/%s", names[i]);
    Fixture f = open_fixture(dir, "the cat sat on the mat .");
    check_map(&f, NULL, "source 2 zero\ndecoder 1.1 uniform");
    close_fixture(&f);
  }
}

/* What comes back: behind the decoder's last layer, all of a word by its own row alone. */
static void
test_recovered(void)
{
  mt_error error = {0};
  Fixture f = open_fixture(FROZEN, TEXT_A);
  g_autoptr(mt_tokens) source = mt_model_tokenize(f.model, MT_STACK_ENCODER, TEXT_B, &error);
  const mt_patching_params params = {.source = source};
  mt_patching *p = mt_patching_new(f.session, f.a, 0, &params, NULL, &error);
  size_t n = p->n_tokens[MT_STACK_DECODER];
  size_t n_layers = p->n_layers[MT_STACK_DECODER];
  for (size_t t = 0; t < n; t++)
    for (size_t row = 0; row < n; row++) {
      double all =
          mt_patching_recovered(p, mt_patching_stream(p, MT_STACK_DECODER, n_layers, row), t);
      if (!isnan(all))
        g_assert_cmpfloat_with_epsilon(all, row == t ? 1 : 0, 2e-2);
    }
  /* The decoder reads the same tokens in both runs: nothing of it is lost before its first layer.
   */
  for (size_t row = 0; row < n; row++)
    g_assert_cmpfloat_with_epsilon(
        mt_patching_recovered(p, mt_patching_stream(p, MT_STACK_DECODER, 0, row), SIZE_MAX), 0,
        1e-4);
  g_assert_cmpfloat(mt_patching_recovered(p, p->a, SIZE_MAX), ==, 1);
  g_assert_cmpfloat(mt_patching_recovered(p, p->b, SIZE_MAX), ==, 0);
  mt_patching_unref(p);
  p = mt_patching_new(f.session, f.a, 0, NULL, NULL, &error); /* A is B */
  g_assert_true(isnan(mt_patching_recovered(p, p->b, SIZE_MAX)));
  mt_patching_unref(p);
  close_fixture(&f);
}

/* ---- Laws --------------------------------------------------------------------------------------
 */

/* The whole stream before the first layer brings the reference back, greedily and by beams, one
 * text or many; nothing patched is nothing changed, to the last bit. */
static void
check_laws(const char *dir, const char *text_a, const char *text_b)
{
  static const char *const wholes[] = {"encoder input patch", "encoder attention 1 patch",
                                       "encoder stream 1 patch", "encoder stream patch"};
  mt_error error = {0};
  Fixture f = open_fixture(dir, text_a);
  for (size_t beams = 1; beams <= 4; beams += 3) {
    g_autoptr(mt_translation) a = translate(&f, text_a, beams, NULL),
                              b = translate(&f, text_b, beams, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(wholes); i++) {
      g_autoptr(mt_interventions) interventions = parse(&f, wholes[i]);
      g_autoptr(mt_translation) patched = translate(&f, text_b, beams, interventions);
      assert_same(patched, a);
    }
    g_autoptr(mt_interventions) nothing = parse(&f, "");
    g_autoptr(mt_translation) same = translate(&f, text_b, beams, nothing);
    g_assert_true(are_same(same, b));
    g_assert_cmpfloat(mt_translation_hypothesis(same, 0)->score, ==,
                      mt_translation_hypothesis(b, 0)->score);
  }
  g_assert_cmpstr(error.message, ==, "");
  close_fixture(&f);
}

static void
test_laws(void)
{
  check_laws(FROZEN, TEXT_A, TEXT_B);
  check_laws("tests/data/checkpoints/pre-norm-gelu-learned", "the cat sat on the mat .",
             "the mat sat on the cat .");
  check_laws("toy/t5", "the cat sat on the mat .", "the mat sat on the cat .");
}

/* The text itself, patched with its own states everywhere, is what it was. */
static void
test_itself(void)
{
  Fixture f = open_fixture(FROZEN, TEXT_A);
  mt_interventions *interventions =
      parse(&f, "encoder patch\ncross patch\ndecoder patch\nencoder stream patch\n"
                "decoder stream patch\ncross attention patch\n"
                "decoder input patch");
  g_autoptr(mt_translation) patched = translate(&f, TEXT_A, 1, interventions);
  assert_same(patched, f.a);
  /* The second time there is a draft. */
  g_autoptr(mt_translation) again = translate(&f, TEXT_A, 1, interventions);
  assert_same(again, patched);
  /* And with guesses in int8. */
  mt_session_free(f.session);
  f.session = sentences_guesser(f.model, 2, true);
  g_autoptr(mt_translation) guessed = translate(&f, TEXT_A, 1, interventions);
  assert_same(guessed, patched);
  mt_interventions_unref(interventions);
  close_fixture(&f);
}

/* Beyond the rows of the reference the model goes on by itself, and what was attended to is what a
 * capture says. */
static void
test_capture(void)
{
  mt_error error = {0};
  Fixture f = open_fixture(FROZEN, TEXT_A);
  mt_interventions *interventions =
      parse(&f, "cross 2-4.* patch\ndecoder stream 3 token 2-3 patch");
  const mt_hooks hooks = {.interventions = interventions};
  mt_translation *t =
      translate(&f, "She did not want to go home, but it was late.", 1, interventions);
  g_autoptr(mt_capture) kept = mt_session_capture(f.session, t, 0, 0, &hooks, &error);
  g_autoptr(mt_session) fresh = sentences_session(f.model, 1, false);
  g_autoptr(mt_capture) forced = mt_session_capture(fresh, t, 0, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(kept, kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(kept, kind); h++) {
        mt_matrix x = mt_capture_weights(kept, kind, l, h);
        mt_matrix y = mt_capture_weights(forced, kind, l, h);
        for (size_t i = 0; i < x.rows * x.cols; i++)
          g_assert_cmpfloat_with_epsilon(x.data[i], y.data[i], 2e-5);
      }
  mt_translation_unref(t);
  mt_interventions_unref(interventions);
  close_fixture(&f);
}

/* Many texts at a time, each as alone; texts of other lengths, as far as the rows go. */
static void
test_many(void)
{
  static const char *const texts[] = {TEXT_A, "No.", TEXT_B,
                                      "The old man gave his dog a piece of bread."};
  Fixture f = open_fixture(FROZEN, TEXT_A);
  mt_interventions *interventions =
      parse(&f, "cross 2-4.* patch\ncross attention 5 token 2 patch\n"
                "decoder stream 3 token 2-3 patch\ndecoder 6 query 4 patch");
  const mt_hooks hooks = {.interventions = interventions};
  for (size_t beams = 1; beams <= 4; beams += 3) {
    mt_translation *many[G_N_ELEMENTS(texts)];
    sentences_translate_many(f.session, texts, G_N_ELEMENTS(texts), beams, &hooks, many);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
      g_autoptr(mt_translation) alone = sentences_translate(f.session, texts[i], beams, &hooks);
      sentences_assert_same(many[i], alone);
      mt_translation_unref(many[i]);
    }
  }
  mt_interventions_unref(interventions);
  close_fixture(&f);
}

/* ---- The value ---------------------------------------------------------------------------------
 */

static void
test_value(void)
{
  mt_error error = {0};
  Fixture f = open_fixture(FROZEN, TEXT_A);
  g_autoptr(mt_translation) b = translate(&f, TEXT_B, 1, NULL);
  g_autoptr(mt_activations) other = mt_activations_new(f.session, b, 0, NULL, &error);
  g_autoptr(mt_activations) same = mt_activations_new(f.session, f.a, 0, NULL, &error);
  mt_interventions *x = parse(&f, "encoder stream 3 token 5 patch"), *bare, *y, *z, *w;
  bare = sentences_parse("encoder stream 3 token 5 patch");
  y = mt_interventions_with_activations(bare, other, &error);
  z = mt_interventions_with_activations(bare, same, &error);
  w = mt_interventions_with_means(x, NULL, &error); /* the states stay */
  g_assert_true(mt_interventions_activations(x) == f.states);
  g_assert_null(mt_interventions_activations(bare));
  g_assert_false(mt_interventions_equal(x, bare) || mt_interventions_equal(x, y));
  g_assert_true(mt_interventions_equal(x, z) && mt_interventions_equal(x, w));
  g_assert_true(mt_interventions_hash(x) == mt_interventions_hash(z));
  g_assert_true(mt_interventions_hash(x) != mt_interventions_hash(y) &&
                mt_interventions_hash(x) != mt_interventions_hash(bare));
  g_assert_cmpstr(mt_interventions_text(x), ==, "encoder stream 3 token 5 patch");
  mt_interventions *lists[] = {x, bare, y, z, w};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
    mt_interventions_unref(lists[i]);
  close_fixture(&f);
}

static void
assert_refused(const Fixture *f, const mt_interventions *interventions, const char *text,
               const char *message)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(f->model);
  const mt_hooks hooks = {.interventions = interventions};
  g_assert_null(mt_session_translate(f->session, text, &params, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, message));
}

static bool
stop_later(void *user)
{
  return --*(size_t *) user == 0;
}

static void
test_refused(void)
{
  mt_error error = {0};
  Fixture f = open_fixture(FROZEN, TEXT_A);
  mt_interventions *bare = sentences_parse("cross 4.1 zero\nencoder stream 3 patch");
  mt_interventions *with = mt_interventions_with_activations(bare, f.states, &error);
  g_autoptr(mt_interventions) far = parse(&f, "encoder input token 9 patch"),
                              high = parse(&f, "encoder stream 9 patch");
  assert_refused(&f, bare, TEXT_B, "Change 2 is \"encoder stream 3 patch\"; \"patch\" wants");
  assert_refused(&f, with, "No.", "copies from a run of 7 source tokens; this text has 3");
  assert_refused(&f, far, TEXT_B, "source token 9");
  assert_refused(&f, high, TEXT_B, "layer 9");
  mt_interventions_unref(with);

  g_autoptr(mt_model) small = sentences_model("tests/data/checkpoints/odd-sizes-swish");
  with = mt_interventions_with_activations(bare, f.states, &error);
  g_autoptr(mt_interventions) fitting = parse(&f, "encoder stream 1 patch");
  g_assert_false(mt_interventions_check(fitting, mt_model_config(small), &error));
  g_assert_nonnull(strstr(error.message, "another shape"));
  mt_interventions_unref(with);

  g_autoptr(mt_tokens) source = mt_model_tokenize(f.model, MT_STACK_ENCODER, "No.", &error);
  const mt_patching_params params = {.source = source};
  error = (mt_error){0};
  g_assert_null(mt_patching_new(f.session, f.a, 0, &params, NULL, &error));
  g_assert_nonnull(strstr(error.message, "have 7 and 3 tokens"));
  for (size_t n = 1; n < 60; n += 7) {
    size_t left = n;
    const mt_hooks hooks = {.should_stop = stop_later, .user = &left};
    g_assert_null(mt_patching_new(f.session, f.a, 0, NULL, &hooks, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  }
  mt_interventions_unref(bare);
  close_fixture(&f);
}

TESTS()
{
  g_test_add_func("/patching/map/frozen", test_map_frozen);
  g_test_add_func("/patching/map/checkpoints", test_map_checkpoints);
  g_test_add_func("/patching/recovered", test_recovered);
  g_test_add_func("/patching/laws", test_laws);
  g_test_add_func("/patching/itself", test_itself);
  g_test_add_func("/patching/capture", test_capture);
  g_test_add_func("/patching/many", test_many);
  g_test_add_func("/patching/value", test_value);
  g_test_add_func("/patching/refused", test_refused);
}

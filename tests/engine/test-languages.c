/* test-languages.c — models that are told a source language, and whose translations begin with a
 * token of the target language, or whose decoder starts with it.
 *
 * The checkpoint is one of Marian with language tokens, which are read as those of M2M-100 or
 * mBART. What a search does then is what `generate` does with a forced first token and another
 * start token, which golden-search compares for a model that asks for them itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "engine-test.h"
#include "files/mt-file.h"
#include "model/mt-model.h"
#include "suite.h"
#include "text/mt-tokenizer.h"

#include <math.h>
#include <string.h>

#define FOLDER REGARD_SOURCE_ROOT "/tests/data/checkpoints/multi-target"
#define TEXT   "the cat and the dog"

/* The model with another mode. Its own languages are those of tokenizer_config.json, "en" and
 * "mul", which it has no tokens for. */
static mt_model *
open_model(mt_language_mode mode, bool last)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(FOLDER, NULL, &error);
  mt_dir dir = {0};
  if (!model || !mt_dir_open(&dir, FOLDER, NULL, &error))
    g_error("%s", error.message);
  const mt_vocab_shape shape = {.size = model->config.vocab_size[0], .from = "config.json"};
  const mt_tokenizer_spec spec = {.vocab_files = {"vocab.json", "vocab.json"},
                                  .spm_files = {"source.spm", "target.spm"},
                                  .shapes = {shape, shape},
                                  .has_one_vocab = true,
                                  .eos_id = model->config.eos_id,
                                  .max_tokens = model->config.max_positions,
                                  .language_mode = mode,
                                  .language_last = last,
                                  .language_spelling = MT_LANGUAGE_ARROWS};
  mt_tokenizer_free(model->tokenizer);
  model->tokenizer = mt_tokenizer_open(&dir, &spec, &error);
  mt_dir_close(&dir);
  if (!model->tokenizer)
    g_error("%s", error.message);
  model->config.language_mode = mode;
  model->config.language_last = last;
  return model;
}

static int
source_language(const mt_model *model, const char *code)
{
  size_t i;
  g_assert_true(mt_model_find_source_language(model, code, &i));
  return (int) i;
}

static int
target_language(const mt_model *model, const char *code)
{
  size_t i;
  g_assert_true(mt_model_find_language(model, code, &i));
  return (int) i;
}

static int32_t
id_of(const mt_model *model, const char *code)
{
  return mt_tokenizer_languages(model->tokenizer, MT_STACK_DECODER)
      ->items[target_language(model, code)]
      .id;
}

static mt_session *
new_session(mt_model *model)
{
  mt_error error = {0};
  mt_session *session = mt_session_new(model, NULL, &error);
  if (!session)
    g_error("%s", error.message);
  return session;
}

static mt_translation *
translate(mt_session *session, const mt_search_params *params)
{
  mt_error error = {0};
  mt_translation *t = mt_session_translate(session, TEXT, params, NULL, &error);
  if (!t)
    g_error("%s", error.message);
  return t;
}

static void
assert_piece(const mt_tokens *tokens, size_t i, const char *piece)
{
  g_assert_cmpstr(mt_tokens_get(tokens, i)->piece, ==, piece);
}

/* The same hypotheses, of which the first may be told in other words. */
static void
assert_same(const mt_translation *a, const mt_translation *b)
{
  g_assert_cmpuint(mt_translation_count(a), ==, mt_translation_count(b));
  for (size_t h = 0; h < mt_translation_count(a); h++) {
    const mt_hypothesis *x = mt_translation_hypothesis(a, h), *y = mt_translation_hypothesis(b, h);
    g_assert_cmpuint(mt_tokens_count(x->tokens), ==, mt_tokens_count(y->tokens));
    for (size_t i = 0; i < mt_tokens_count(x->tokens); i++) {
      g_assert_cmpint(mt_tokens_get(x->tokens, i)->id, ==, mt_tokens_get(y->tokens, i)->id);
      g_assert_cmpfloat(x->logprobs[i], ==, y->logprobs[i]);
    }
    g_assert_cmpfloat(x->score, ==, y->score);
  }
}

/* ---- The source ------------------------------------------------------------------------------ */

static void
test_lists(void)
{
  g_autoptr(mt_model) marian = open_model(MT_LANGUAGES_SOURCE_TOKEN, false);
  g_autoptr(mt_model) both = open_model(MT_LANGUAGES_FORCED, false);
  size_t n = mt_model_n_languages(marian);
  g_assert_cmpuint(n, >, 8);
  g_assert_cmpuint(mt_model_n_source_languages(marian), ==, 0);
  g_assert_cmpint(mt_model_own_language(marian, MT_STACK_ENCODER), ==, -1);
  g_assert_cmpuint(mt_model_n_languages(both), ==, n);
  g_assert_cmpuint(mt_model_n_source_languages(both), ==, n);
  for (size_t i = 0; i < n; i++) {
    g_assert_cmpstr(mt_model_language(both, i), ==, mt_model_language(marian, i));
    g_assert_cmpstr(mt_model_source_language(both, i), ==, mt_model_language(marian, i));
  }
}

static void
test_source(void)
{
  for (int last = 0; last < 2; last++) {
    g_autoptr(mt_model) model = open_model(MT_LANGUAGES_FORCED, last);
    int swe = source_language(model, "sv"), deu = target_language(model, "de");
    mt_error error = {0};
    g_autoptr(mt_tokens) tokens = mt_model_tokenize_between(model, TEXT, swe, deu, &error);
    g_autoptr(mt_tokens) plain = mt_model_tokenize(model, MT_STACK_ENCODER, TEXT, &error);
    size_t n = mt_tokens_count(tokens);
    g_assert_cmpuint(n, ==, mt_tokens_count(plain) + 1);
    const mt_token *token = mt_tokens_get(tokens, last ? n - 1 : 0);
    g_assert_cmpstr(token->piece, ==, ">>swe<<");
    g_assert_true(token->is_special);
    g_assert_cmpuint(token->begin, ==, last ? strlen(TEXT) : 0);
    g_assert_cmpuint(token->end, ==, token->begin);
    for (size_t i = 0; i + 1 < n; i++) {
      g_assert_cmpint(mt_tokens_get(plain, i)->id, ==, mt_tokens_get(tokens, i + !last)->id);
      g_assert_cmpuint(mt_tokens_get(plain, i)->begin, ==, mt_tokens_get(tokens, i + !last)->begin);
    }
    for (size_t i = 0; i + 1 < n; i++)
      g_assert_cmpint(mt_tokens_get(tokens, i)->word, <=, mt_tokens_get(tokens, i + 1)->word);
    g_assert_cmpstr(mt_tokens_text(tokens), ==, TEXT);
    mt_tokens_unref(g_steal_pointer(&tokens));

    /* It is never guessed: the files name one, or somebody does. */
    g_assert_null(mt_model_tokenize_to(model, TEXT, deu, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, "has to be told in which one the text is"));
    static const int bad[] = {-2, 1000};
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
      g_assert_null(mt_model_tokenize_between(model, TEXT, bad[i], deu, &error));
      g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
      g_assert_nonnull(strstr(error.message, "source language"));
    }
    mt_free((void *) model->config.source_lang);
    model->config.source_lang = mt_strdup("sv_SE");
    g_assert_cmpint(mt_model_own_language(model, MT_STACK_ENCODER), ==, swe);
    tokens = mt_model_tokenize_to(model, TEXT, deu, &error);
    assert_piece(tokens, last ? n - 1 : 0, ">>swe<<");

    /* The language's token counts among those that have a place. */
    g_autoptr(GString) text = g_string_new("the");
    while (text->len < 4 * 63)
      g_string_append(text, " the");
    g_assert_null(mt_model_tokenize_to(model, text->str, deu, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
    g_assert_nonnull(strstr(error.message, "the language token and the end token included"));
    g_assert_null(mt_model_tokenize_to(model, " \t", deu, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
}

/* ---- The target ------------------------------------------------------------------------------ */

/* Two models that do the same: one is told the target, one asks for these ids itself. */
typedef struct {
  mt_model *told, *asks;
  mt_session *of_told, *of_asks;
  mt_search_params params, own;
} Fixture;

static void
set_up(Fixture *f, mt_language_mode mode, const char *code, size_t beam_size)
{
  f->told = open_model(mode, false);
  f->asks = open_model(mode, false);
  f->asks->config.language_mode = MT_LANGUAGES_NONE;
  if (mode == MT_LANGUAGES_START)
    f->asks->config.decoder_start_id = id_of(f->told, code);
  else
    f->asks->config.forced_bos_id = id_of(f->told, code);
  f->of_told = new_session(f->told);
  f->of_asks = new_session(f->asks);
  f->params = mt_search_params_default(f->told);
  f->params.beam_size = beam_size;
  f->params.n_best = beam_size > 1 ? 2 : 1;
  f->params.max_length = 14;
  f->params.trace = 4;
  f->own = f->params;
  f->params.source_language = f->own.source_language = source_language(f->told, "swe");
  f->params.language = target_language(f->told, code);
}

static void
tear_down(Fixture *f)
{
  mt_session_free(f->of_told);
  mt_session_free(f->of_asks);
  mt_model_unref(f->told);
  mt_model_unref(f->asks);
}

/* Whether the last of n tokens is forced, too. */
static bool
is_cut(const Fixture *f, size_t n)
{
  return n == f->params.max_length - 1;
}

static void
test_forced(void)
{
  static const char *const codes[] = {"deu", "zho_Hant"};
  for (gsize k = 0; k < 4; k++) {
    Fixture f;
    set_up(&f, MT_LANGUAGES_FORCED, codes[k % 2], k < 2 ? 1 : 4);
    g_autoptr(mt_translation) t = translate(f.of_told, &f.params);
    g_autoptr(mt_translation) same = translate(f.of_asks, &f.own);
    assert_same(t, same);
    const mt_hypothesis *best = mt_translation_hypothesis(t, 0);
    g_autofree char *piece = g_strdup_printf(">>%s<<", codes[k % 2]);
    assert_piece(best->tokens, 0, piece);
    assert_piece(mt_translation_source(t), 0, ">>swe<<");
    g_assert_true(mt_tokens_get(best->tokens, 0)->is_special);
    g_assert_null(strstr(best->text, codes[k % 2]));
    g_assert_cmpuint(best->n_forced, ==, 0);
    /* Forced tokens count 0. */
    double sum = 0;
    size_t n = mt_tokens_count(best->tokens);
    for (size_t i = 1; i < n - is_cut(&f, n); i++)
      sum += best->logprobs[i];
    g_assert_cmpfloat(best->logprobs[0], <, 0);
    g_assert_cmpfloat_with_epsilon(best->score, sum / pow((double) n, f.params.length_penalty),
                                   1e-5);
    /* They are marked as forced. */
    const mt_steps *steps = mt_translation_steps(t);
    for (size_t i = 0; i < steps->n_nodes; i++)
      g_assert_true(steps->nodes[i].step > 0 || steps->nodes[i].is_forced);

    size_t i;
    g_assert_true(mt_translation_language(t, f.told, MT_STACK_ENCODER, &i));
    g_assert_cmpint((int) i, ==, f.params.source_language);
    g_assert_true(mt_translation_language(t, f.told, MT_STACK_DECODER, &i));
    g_assert_cmpint((int) i, ==, f.params.language);
    tear_down(&f);
  }
}

static void
test_must_be_told(void)
{
  static const mt_language_mode modes[] = {MT_LANGUAGES_FORCED, MT_LANGUAGES_START};
  for (gsize k = 0; k < G_N_ELEMENTS(modes); k++) {
    g_autoptr(mt_model) model = open_model(modes[k], false);
    mt_session *session = new_session(model);
    mt_search_params params = mt_search_params_default(model);
    mt_error error = {0};
    params.source_language = source_language(model, "swe");
    g_assert_null(mt_session_translate(session, TEXT, &params, NULL, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, "has to be told into which one"));
    g_assert_null(mt_session_score_between(session, TEXT, "die katze", params.source_language, -1,
                                           NULL, &error));
    g_assert_nonnull(strstr(error.message, "has to be told into which one"));
    params.language = 1000;
    g_assert_null(mt_session_translate(session, TEXT, &params, NULL, &error));
    g_assert_nonnull(strstr(error.message, "There is no target language 1000"));

    /* Its own is what the generation asks for, then what the tokenizer was set to. */
    params.language = -1;
    mt_free((void *) model->config.target_lang);
    model->config.target_lang = mt_strdup("fr_XX");
    g_assert_cmpint(mt_model_own_language(model, MT_STACK_DECODER), ==,
                    target_language(model, "fra"));
    *(modes[k] == MT_LANGUAGES_FORCED ? &model->config.forced_bos_id
                                      : &model->config.decoder_start_id) = id_of(model, "deu");
    g_assert_cmpint(mt_model_own_language(model, MT_STACK_DECODER), ==,
                    target_language(model, "deu"));
    params.max_length = 8;
    g_autoptr(mt_translation) t = translate(session, &params);
    size_t i;
    g_assert_true(mt_translation_language(t, model, MT_STACK_DECODER, &i));
    g_assert_cmpstr(mt_model_language(model, i), ==, "deu");
    mt_session_free(session);
  }
}

static void
test_start(void)
{
  for (size_t beams = 1; beams <= 3; beams += 2) {
    Fixture f;
    set_up(&f, MT_LANGUAGES_START, "deu", beams);
    g_autoptr(mt_translation) t = translate(f.of_told, &f.params);
    g_autoptr(mt_translation) same = translate(f.of_asks, &f.own);
    assert_same(t, same);
    mt_error error = {0};
    g_autoptr(mt_capture) capture = mt_session_capture(f.of_told, t, 0, 0, NULL, &error);
    g_autoptr(mt_capture) other = mt_session_capture(f.of_asks, same, 0, 0, NULL, &error);
    assert_piece(mt_capture_decoder_input(capture), 0, ">>deu<<");
    mt_matrix a = mt_capture_weights(capture, MT_CROSS, 0, 0);
    mt_matrix b = mt_capture_weights(other, MT_CROSS, 0, 0);
    for (size_t r = 0; r < a.rows; r++)
      for (size_t c = 0; c < a.cols; c++)
        g_assert_cmpfloat(mt_matrix_at(&a, r, c), ==, mt_matrix_at(&b, r, c));
    size_t i;
    g_assert_true(mt_translation_language(t, f.told, MT_STACK_DECODER, &i));
    g_assert_cmpint((int) i, ==, f.params.language);

    g_autoptr(mt_translation) x =
        mt_session_score_between(f.of_told, TEXT, "die katze", f.params.source_language,
                                 f.params.language, NULL, &error);
    g_autoptr(mt_translation) y =
        mt_session_score_between(f.of_asks, TEXT, "die katze", f.params.source_language, -1, NULL,
                                 &error);
    assert_same(x, y);
    tear_down(&f);
  }
}

/* ---- Translations that begin with something -------------------------------------------------- */

static void
test_prefix(void)
{
  for (int k = 0; k < 8; k++) {
    Fixture f;
    set_up(&f, MT_LANGUAGES_FORCED, "deu", k % 2 ? 3 : 1);
    f.params.prefix_score = f.own.prefix_score = k / 2 % 2 ? MT_PREFIX_LEFT_OUT : MT_PREFIX_COUNTED;
    mt_error error = {0};
    g_autoptr(mt_tokens) words = mt_constraints_cut(f.told, "die katze", &error);
    size_t n = mt_tokens_count(words), n_whole = n + 1;
    g_autofree int32_t *ids = g_new(int32_t, n_whole);
    ids[0] = id_of(f.told, k < 4 ? "deu" : "swe");
    mt_tokens_copy_ids(words, n, ids + 1);
    /* The words; and what the beginning of a translation is, or of one into another language. */
    g_autoptr(mt_constraints) of_words = mt_constraints_new(ids + 1, n, NULL, 0, &error);
    g_autoptr(mt_constraints) whole = mt_constraints_new(ids, n_whole, NULL, 0, &error);
    f.params.constraints = of_words;
    g_autoptr(mt_translation) a = translate(f.of_told, &f.params);
    f.params.constraints = whole;
    g_autoptr(mt_translation) b = translate(f.of_told, &f.params);
    assert_same(a, b);
    for (size_t h = 0; h < mt_translation_count(a); h++) {
      const mt_hypothesis *found = mt_translation_hypothesis(a, h);
      assert_piece(found->tokens, 0, ">>deu<<");
      g_assert_cmpuint(found->n_forced, ==, n_whole);
      g_assert_cmpuint(mt_translation_hypothesis(b, h)->n_forced, ==, n_whole);
      double sum = 0;
      size_t n_tokens = mt_tokens_count(found->tokens), n_out = 0;
      if (f.params.prefix_score == MT_PREFIX_LEFT_OUT)
        n_out = n_whole;
      for (size_t i = 0; i < n_tokens; i++) {
        if (i > 0 && i <= n)
          g_assert_cmpint(mt_tokens_get(found->tokens, i)->id, ==, ids[i]);
        if (i > 0 && i >= n_out && i < n_tokens - is_cut(&f, n_tokens))
          sum += found->logprobs[i];
      }
      g_assert_cmpfloat_with_epsilon(
          found->score, sum / pow((double) (n_tokens - n_out), f.params.length_penalty), 1e-5);
    }
    /* generate with the same ids as decoder_input_ids. */
    ids[0] = id_of(f.told, "deu");
    g_autoptr(mt_constraints) own = mt_constraints_new(ids, n_whole, NULL, 0, &error);
    f.own.constraints = own;
    g_autoptr(mt_translation) c = translate(f.of_asks, &f.own);
    if (f.params.prefix_score == MT_PREFIX_LEFT_OUT)
      assert_same(a, c);
    tear_down(&f);
  }
}

static void
test_prefix_room(void)
{
  Fixture f;
  set_up(&f, MT_LANGUAGES_FORCED, "deu", 1);
  mt_error error = {0};
  g_autoptr(mt_tokens) words = mt_constraints_cut(f.told, "die katze", &error);
  size_t n = mt_tokens_count(words);
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_tokens_copy_ids(words, n, ids);
  g_autoptr(mt_constraints) constraints = mt_constraints_new(ids, n, NULL, 0, &error);
  f.params.constraints = constraints;
  f.params.max_length = n + 3; /* start, language, words, end */
  g_assert_true(mt_search_params_check(&f.params, f.told, &error));
  f.params.max_length--;
  g_assert_false(mt_search_params_check(&f.params, f.told, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
  tear_down(&f);
}

static void
test_given(void)
{
  Fixture f;
  set_up(&f, MT_LANGUAGES_FORCED, "deu", 4);
  mt_error error = {0};
  g_autoptr(mt_translation) t =
      mt_session_score_between(f.of_told, TEXT, "die katze", f.params.source_language,
                               f.params.language, NULL, &error);
  const mt_hypothesis *given = mt_translation_hypothesis(t, 0);
  size_t n = mt_tokens_count(given->tokens);
  assert_piece(given->tokens, 0, ">>deu<<");
  assert_piece(given->tokens, 1, "▁die");
  assert_piece(given->tokens, n - 1, "</s>");
  g_assert_cmpstr(given->text, ==, "die katze");
  g_assert_cmpint(mt_tokens_get(given->tokens, 0)->word, ==, 0);
  g_assert_cmpint(mt_tokens_get(given->tokens, 1)->word, ==, 1);
  g_assert_cmpuint(mt_tokens_get(given->tokens, 1)->begin, ==, 0);

  /* The search finds the same numbers where it is made to say the same. */
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_tokens_copy_ids(given->tokens, n, ids);
  g_autoptr(mt_constraints) all = mt_constraints_new(ids, n, NULL, 0, &error);
  f.params.constraints = all;
  f.params.beam_size = f.params.n_best = 1;
  g_autoptr(mt_translation) found = translate(f.of_told, &f.params);
  const mt_hypothesis *same = mt_translation_hypothesis(found, 0);
  g_assert_cmpuint(mt_tokens_count(same->tokens), ==, n);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon(same->logprobs[i], given->logprobs[i], 2e-5);
  g_assert_cmpfloat_with_epsilon(same->score, given->score, 2e-5);

  g_autoptr(mt_capture) capture = mt_session_capture(f.of_told, t, 0, 0, NULL, &error);
  const mt_tokens *input = mt_capture_decoder_input(capture);
  g_assert_cmpint(mt_tokens_get(input, 0)->id, ==, f.told->config.decoder_start_id);
  assert_piece(input, 1, ">>deu<<");

  /* Words of both sides are linked as ever; the language is none. */
  g_autoptr(mt_alignment_input) input_of =
      mt_alignment_input_new(f.of_told, TEXT, "die katze", NULL, NULL, &f.params, NULL, &error);
  g_assert_nonnull(input_of);
  g_assert_cmpuint(input_of->words[MT_STACK_ENCODER].n, ==, 5);
  g_assert_cmpuint(input_of->words[MT_STACK_DECODER].n, ==, 2);
  tear_down(&f);
}

/* BART begins with <s>, which is no language. */
static void
test_forced_start(void)
{
  g_autoptr(mt_model) model = open_model(MT_LANGUAGES_NONE, false);
  mt_session *session = new_session(model);
  mt_error error = {0};
  model->config.forced_bos_id = model->config.bos_id;
  g_autoptr(mt_translation) t = mt_session_score(session, TEXT, "die katze", -1, NULL, &error);
  const mt_hypothesis *given = mt_translation_hypothesis(t, 0);
  g_assert_cmpint(mt_tokens_get(given->tokens, 0)->id, ==, model->config.bos_id);
  g_assert_true(mt_tokens_get(given->tokens, 0)->is_special);
  g_assert_cmpstr(given->text, ==, "die katze");
  mt_session_free(session);
}

/* ---- Many texts, and requests ---------------------------------------------------------------- */

typedef struct {
  size_t i;
  mt_translation *translations[2];
} Results;

static const char *
next_text(void *user)
{
  Results *r = user;
  return r->i++ < 2 ? TEXT : NULL;
}

static void
take_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Results *r = user;
  if (!translation)
    g_error("%s", error->message);
  r->translations[i] = mt_translation_ref(translation);
}

static void
test_many(void)
{
  Fixture f;
  set_up(&f, MT_LANGUAGES_FORCED, "deu", 3);
  Results r = {0};
  mt_texts texts = {.next = next_text, .on_result = take_result, .user = &r};
  mt_error error = {0};
  g_assert_true(mt_session_translate_many(f.of_told, &texts, &f.params, &error));
  for (int i = 0; i < 2; i++) {
    const mt_hypothesis *best = mt_translation_hypothesis(r.translations[i], 0);
    assert_piece(best->tokens, 0, ">>deu<<");
    assert_piece(mt_translation_source(r.translations[i]), 0, ">>swe<<");
    mt_translation_unref(r.translations[i]);
  }
  tear_down(&f);
}

static void
test_request(void)
{
  g_autoptr(mt_model) model = open_model(MT_LANGUAGES_FORCED, false);
  mt_request request = {.source_language = "sv_SE", .language = "de"}, again = {0};
  mt_error error = {0};
  mt_search_params params = mt_request_resolve(&request, model);
  g_assert_cmpint(params.source_language, ==, source_language(model, "swe"));
  g_assert_cmpint(params.language, ==, target_language(model, "deu"));
  char *json = mt_request_to_json(&request, &error);
  g_assert_nonnull(strstr(json, "\"source_language\": \"sv_SE\""));
  g_assert_true(mt_request_from_json(&again, "test", json, strlen(json), &error));
  g_assert_true(mt_request_equal(&request, &again));
  again.source_language[0] = '\0';
  g_assert_false(mt_request_equal(&request, &again));
  params = mt_request_resolve(&again, model);
  g_assert_cmpint(params.source_language, ==, -1);
  mt_string_free(json);
  static const char bad[] = "{\"source_language\": 7}";
  g_assert_false(mt_request_from_json(&again, "test", bad, strlen(bad), &error));
  g_assert_nonnull(strstr(error.message, "\"source_language\" must be the code of a language"));
}

TESTS()
{
  g_test_add_func("/languages/lists", test_lists);
  g_test_add_func("/languages/source", test_source);
  g_test_add_func("/languages/forced", test_forced);
  g_test_add_func("/languages/must-be-told", test_must_be_told);
  g_test_add_func("/languages/start", test_start);
  g_test_add_func("/languages/prefix", test_prefix);
  g_test_add_func("/languages/prefix-room", test_prefix_room);
  g_test_add_func("/languages/given", test_given);
  g_test_add_func("/languages/forced-start", test_forced_start);
  g_test_add_func("/languages/many", test_many);
  g_test_add_func("/languages/request", test_request);
}

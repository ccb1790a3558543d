/* test-draft.c — a search that begins with the steps of the one before finds what it would have
 * found without them, bit for bit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "session/mt-session.h"
#include "suite.h"
#include "text/mt-tokens.h"
#include "toy-model.h"

#include <glib.h>
#include <string.h>

/* ---- The frozen model, as somebody types ------------------------------------------------------
 */

static const char *const texts[] = {
    "I have two dogs and a cat.",
    "The children are playing in the garden because the weather is so nice today.",
    "Where is the train station?",
    "She did not want to go home, but it was already late.",
    "We have read all of the books that you gave us last summer.",
    "It rains.",
};

static void
assert_same(const mt_translation *a, const mt_translation *b)
{
  g_assert_cmpuint(mt_translation_count(a), ==, mt_translation_count(b));
  for (size_t i = 0; i < mt_translation_count(a); i++) {
    const mt_hypothesis *x = mt_translation_hypothesis(a, i), *y = mt_translation_hypothesis(b, i);
    size_t n = mt_tokens_count(x->tokens);
    g_assert_cmpstr(x->text, ==, y->text);
    g_assert_cmpmem(mt_tokens_ids(x->tokens), n * sizeof(int32_t), mt_tokens_ids(y->tokens),
                    mt_tokens_count(y->tokens) * sizeof(int32_t));
    g_assert_cmpmem(x->logprobs, n * sizeof(float), y->logprobs, n * sizeof(float));
    g_assert_cmpmem(&x->score, sizeof x->score, &y->score, sizeof y->score);
  }
}

typedef struct {
  mt_session *typed, *plain;
  mt_search_params params;
  size_t n_edits, n_passes, n_steps;
} Typing;

static mt_translation *
translate(mt_session *session, const char *text, const mt_search_params *params)
{
  mt_error error = {0};
  mt_translation *t = mt_session_translate(session, text, params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return t;
}

static void
edit(Typing *typing, const char *text)
{
  if (!*text)
    return;
  mt_draft_clear(&typing->plain->draft);
  g_autoptr(mt_translation) expected = translate(typing->plain, text, &typing->params);
  g_autoptr(mt_translation) found = translate(typing->typed, text, &typing->params);
  assert_same(found, expected);
  typing->n_edits++;
  typing->n_passes += typing->typed->draft.n_passes;
  typing->n_steps += typing->plain->draft.n_passes;
}

/* Type a text word by word, take some words back, put one into the middle. */
static void
type(Typing *typing, const char *text)
{
  for (const char *end = text; (end = strpbrk(end, " .,?")); end++) {
    g_autofree char *so_far = g_strndup(text, (gsize) (end - text));
    edit(typing, so_far);
  }
  edit(typing, text);
  edit(typing, text); /* nothing changed: all of it comes true */
  const char *space = strchr(text, ' ');
  if (!space)
    return;
  g_autofree char *inserted = g_strdup_printf("%.*s really%s", (int) (space - text), text, space);
  edit(typing, inserted);
  edit(typing, text);
  edit(typing, space + 1);
}

static void
test_typing(void)
{
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de");
  Typing typing = {.params = mt_search_params_default(model)};
  typing.params.beam_size = 1;
  typing.params.max_length = 60;
  typing.typed = sentences_session(model, 2, false);
  typing.plain = sentences_session(model, 1, false);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    type(&typing, texts[i]);
  g_test_message("%zu edits, %zu steps in %zu passes", typing.n_edits, typing.n_steps,
                 typing.n_passes);
  /* It would be the same if nothing were ever guessed right. */
  g_assert_cmpuint(typing.n_passes, <, typing.n_steps * 2 / 3);
  mt_session_free(typing.typed);
  mt_session_free(typing.plain);
}

/* ---- Random models and ids: a thousand edits of every kind ------------------------------------
 */

static mt_search *
search(mt_session *session, const int32_t *ids, size_t n, const mt_search_params *params)
{
  mt_error error = {0};
  mt_search *s = mt_session_search(session, ids, n, params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return s;
}

static void
test_random(void)
{
  size_t n_passes = 0, n_steps = 0;
  for (unsigned seed = 1; seed <= 4; seed++) {
    toy_spec spec = seed % 2 ? toy_spec_default() : toy_spec_like_t5();
    spec.seed = seed;
    mt_model *model = toy_model_new(&spec);
    mt_session *typed = sentences_session(model, 0, false);
    mt_session *plain = sentences_session(model, 0, false);
    mt_search_params params = mt_search_params_default(model);
    int32_t ids[20];
    size_t n = 8;
    uint32_t state = seed;
    toy_ids(ids, 20, spec.vocab_size, seed);
    for (int i = 0; i < 300; i += (int) suite_stride(1, 3)) {
      /* One token of the source changes, or its length, or now and then the search. */
      float what = toy_random(&state), where = toy_random(&state);
      if (what < 0.5f)
        ids[(size_t) ((where + 1) * 0.5f * (float) (n - 1))] = (int32_t) (1 + i % 30);
      else if (what < 0.9f)
        n = 3 + (size_t) ((where + 1) * 8);
      else
        params.beam_size = params.beam_size > 1 || where < 0.5f ? 1 : 3;
      params.max_length = 6 + (size_t) (i % 50);
      params.n_best = params.beam_size;
      mt_draft_clear(&plain->draft);
      mt_search *a = search(typed, ids, n, &params), *b = search(plain, ids, n, &params);
      g_assert_cmpuint(a->n_results, ==, b->n_results);
      for (size_t k = 0; k < a->n_results; k++) {
        const mt_search_hypothesis *x = a->finished[k], *y = b->finished[k];
        g_assert_cmpmem(x->ids, x->n * sizeof *x->ids, y->ids, y->n * sizeof *y->ids);
        g_assert_cmpmem(x->logprobs, x->n * sizeof *x->logprobs, y->logprobs,
                        y->n * sizeof *y->logprobs);
        g_assert_cmpmem(&x->score, sizeof x->score, &y->score, sizeof y->score);
      }
      if (params.beam_size == 1) {
        n_passes += typed->draft.n_passes;
        n_steps += plain->draft.n_passes;
      }
      mt_search_free(a);
      mt_search_free(b);
    }
    mt_session_free(typed);
    mt_session_free(plain);
    toy_model_free(model);
  }
  g_test_message("1200 edits, %zu steps in %zu passes", n_steps, n_passes);
  g_assert_cmpuint(n_passes, <, n_steps);
}

TESTS()
{
  g_test_add_func("/draft/typing", test_typing);
  g_test_add_func("/draft/random", test_random);
}

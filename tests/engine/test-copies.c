/* test-copies.c — words of the source where the translation has <unk>: which word it is, against
 * norms that are read in another way, and how the text is put together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "sentences.h"
#include "suite.h"

#include "golden.h"
#include "text/mt-tokens.h"

#include <string.h>

#define SOURCE "My brother Ђорђе bought (東京) a house in Łódź, not far."

static mt_model *model;
static mt_session *session;

static int32_t
id_of(const char *piece)
{
  for (int32_t id = 0;; id++) {
    const char *here = mt_model_piece(model, MT_STACK_DECODER, id);
    g_assert_nonnull(here);
    if (strcmp(here, piece) == 0)
      return id;
  }
}

/* A translation that consists of these pieces, a blank between two. */
static mt_translation *
force(const char *pieces)
{
  g_auto(GStrv) list = g_strsplit(pieces, " ", -1);
  const size_t n = g_strv_length(list);
  g_autofree int32_t *ids = g_new(int32_t, n + 1);
  mt_error error = {0};
  for (size_t i = 0; i < n; i++)
    ids[i] = id_of(list[i]);
  ids[n] = mt_model_config(model)->eos_id;
  g_autoptr(mt_constraints) constraints = mt_constraints_new(ids, n + 1, NULL, 0, &error);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = params.n_best = 1;
  params.constraints = constraints;
  mt_translation *translation = mt_session_translate(session, SOURCE, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return translation;
}

/* What the sentence's layer with the highest mean norm has in the row whose input is token t: the
 * word of the source, without what stands beside it. */
static char *
find_word(const mt_translation *translation, size_t t)
{
  static const struct {
    const char *word, *copied;
  } others[] = {{"(東京)", "東京"}, {"Łódź,", "Łódź"}, {"far.", "far"}};
  mt_error error = {0};
  g_autoptr(mt_alignment_input) a =
      mt_alignment_input_of_translation(session, translation, 0, NULL, &error);
  double sums[64] = {0};
  size_t n = 0;
  mt_recipe recipe = mt_recipe_default();
  mt_alignment_input_add_norms(a, recipe.row, sums, &n);
  mt_recipe_choose_layer(&recipe, sums, a->n_layers);
  mt_attribution_params params = mt_attribution_params_default();
  params.method = mt_attribution_find("norms");
  params.layer = recipe.layer;
  g_autoptr(mt_attribution) norms =
      mt_attribution_new(session, translation, 0, &params, NULL, &error);
  g_assert_nonnull(norms);
  const mt_matrix rows = norms->source;
  const mt_tokens *source = mt_translation_source(translation);
  double best = -1;
  char *word = NULL;
  for (size_t w = 0; w < a->words[MT_STACK_ENCODER].n; w++) {
    const size_t begin = a->words[MT_STACK_ENCODER].words[w].begin;
    const size_t end = a->words[MT_STACK_ENCODER].words[w].end;
    double sum = 0;
    for (size_t j = 0; j < mt_tokens_count(source); j++)
      if (mt_tokens_get(source, j)->end > begin && mt_tokens_get(source, j)->begin < end)
        sum += (double) rows.data[(t + 1) * rows.stride + j];
    if (sum <= best)
      continue;
    best = sum;
    g_free(word);
    word = g_strndup(mt_tokens_text(source) + begin, end - begin);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
    if (strcmp(word, others[i].word) == 0) {
      g_free(word);
      word = g_strdup(others[i].copied);
    }
  return word;
}

/* Pieces; what becomes of their text, with the copied words at "%"; and the pieces of each. */
static const struct {
  const char *pieces, *text;
  size_t n, unknown[2], first[2], n_pieces[2];
} cases[] = {
    {"▁Ich ▁habe ▁ <unk> ▁gekauft .", "Ich habe % gekauft.", 1, {3}, {2}, {2}},
    {"▁ <unk> ▁ist ▁alt .", "% ist alt.", 1, {1}, {0}, {2}},
    {"<unk> ▁ist ▁alt .", "% ist alt.", 1, {0}, {0}, {1}},
    {"▁Ich ▁habe ▁ <unk> .", "Ich habe %.", 1, {3}, {2}, {2}},
    {"▁Ich ▁habe ▁ <unk>", "Ich habe %", 1, {3}, {2}, {2}},
    {"▁Das ▁Haus <unk> e ▁ist ▁alt .", "Das % ist alt.", 1, {2}, {1}, {3}},
    {"▁Ich , ▁ <unk> , ▁habe ▁ <unk> !", "Ich, %, habe %!", 2, {3, 7}, {2, 6}, {2, 2}},
    {"▁ <unk>", "%", 1, {1}, {0}, {2}},
    {"▁Das ▁Haus", "Das Haus", 0, {0}, {0}, {0}},
};

static void
test_words(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_error error = {0};
    g_autoptr(mt_translation) translation = force(cases[i].pieces);
    const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, 0);
    g_autoptr(mt_copies) copies = mt_copies_new(session, translation, 0, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    g_assert_cmpuint(copies->n, ==, cases[i].n);
    g_assert_true(mt_copies_are_wanted(hypothesis) == (cases[i].n > 0));
    const mt_tokens *tokens = copies->tokens;
    const char *text = mt_tokens_text(tokens);
    g_auto(GStrv) parts = g_strsplit(cases[i].text, "%", -1);
    g_autoptr(GString) expected = g_string_new(parts[0]);
    for (size_t k = 0; k < cases[i].n; k++) {
      const mt_copied *copied = &copies->copied[k];
      g_autofree char *word = find_word(translation, cases[i].unknown[k]);
      g_string_append_printf(expected, "%s%s", word, parts[k + 1]);
      g_assert_cmpuint(copied->first, ==, cases[i].first[k]);
      g_assert_cmpuint(copied->n, ==, cases[i].n_pieces[k]);
      g_assert_cmpmem(text + copied->begin, copied->end - copied->begin, word, strlen(word));
      g_assert_cmpmem(&SOURCE[copied->source_begin], copied->source_end - copied->source_begin,
                      word, strlen(word));
      g_assert_true(copied->weight > 0 && copied->weight <= 1);
    }
    g_assert_cmpstr(text, ==, expected->str);
    /* All others are where their own text is. */
    g_assert_cmpuint(mt_tokens_count(tokens), ==, mt_tokens_count(hypothesis->tokens));
    for (size_t t = 0, k = 0; t < mt_tokens_count(tokens); t++) {
      const mt_token *now = mt_tokens_get(tokens, t),
                     *before = mt_tokens_get(hypothesis->tokens, t);
      while (k < cases[i].n && cases[i].first[k] + cases[i].n_pieces[k] <= t)
        k++;
      g_assert_cmpint(now->id, ==, before->id);
      if (k == cases[i].n || t < cases[i].first[k])
        g_assert_cmpmem(text + now->begin, now->end - now->begin, hypothesis->text + before->begin,
                        before->end - before->begin);
      else
        g_assert_cmpuint(now->begin, ==, copies->copied[k].begin);
    }
    g_autoptr(mt_copies) again = mt_copies_ref(copies);
  }
}

static void
test_refused(void)
{
  mt_error error = {0};
  g_autoptr(mt_translation) translation = force("▁ <unk>");
  g_assert_null(mt_copies_new(session, translation, 1, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  /* Where weights times values are no context any more, norms say nothing. */
  g_autoptr(mt_interventions) interventions = sentences_parse("cross 1.1 cosine");
  const mt_hooks hooks = {.interventions = interventions};
  error = (mt_error){0};
  g_assert_null(mt_copies_new(session, translation, 0, &hooks, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  mt_copies_unref(NULL);
}

static void
tear_down(void)
{
  mt_session_free(session);
  mt_model_unref(model);
}

TESTS(.end = tear_down)
{
  model = sentences_model("tests/data/frozen/en-de");
  session = sentences_session(model, 0, false);
  g_test_add_func("/copies/words", test_words);
  g_test_add_func("/copies/refused", test_refused);
}

/* test-golden-search.c — greedy and beam search against Hugging Face generate, token for token.
 *
 * tests/data/search-*.safetensors (written by tests/reference/make_search.py) holds what generate
 * returned for real sentences with the bundled model, and for random models of every shape, with
 * all sorts of lengths, penalties, bans and stopping rules.
 *
 * Under AddressSanitizer the bundled model runs every 25th case only, always the same ones; the
 * plain build runs all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <math.h>
#include <mt.h>
#include <string.h>

#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

#define TOLERANCE 1e-4

/* One row of "cases"; -1: the model's default. */
typedef struct {
  int32_t sentence, beam_size, n_best, min_length, max_length, early_stopping;
} search_case;

typedef struct {
  const char *name;
  mt_session *session;
  const search_case *cases;
  const float *length_penalty;
  const int32_t *language; /* NULL: none in any case */
  const int32_t *ngrams;   /* no_repeat_ngram_size, likewise */
  const int32_t *case_first, *first, *ids;
  const float *scores;
  char **texts; /* [hypotheses], or NULL */
  size_t n_cases, n_different;
  double worst;
} search_golden;

/* As the sentences of make_search.py. */
static const char *const tiny_sentences[] = {
    "the cat sat on the mat .",
    "two dogs eat bread and the sun is warm today",
    "where",
};

static mt_search_params
params_of(const search_golden *s, size_t i)
{
  const search_case *c = &s->cases[i];
  mt_search_params params = mt_search_params_default(mt_session_model(s->session));
  if (c->beam_size >= 0)
    params.beam_size = (size_t) c->beam_size;
  params.n_best = (size_t) c->n_best;
  if (c->min_length >= 0)
    params.min_length = (size_t) c->min_length;
  if (c->max_length >= 0)
    params.max_length = (size_t) c->max_length;
  if (c->early_stopping >= 0)
    params.early_stopping = (mt_early_stopping) c->early_stopping;
  if (!isnan(s->length_penalty[i]))
    params.length_penalty = s->length_penalty[i];
  if (s->language)
    params.language = s->language[i];
  if (s->ngrams && s->ngrams[i] >= 0)
    params.no_repeat_ngram_size = (size_t) s->ngrams[i];
  return params;
}

static void
describe(GString *out, const int32_t *ids, size_t n)
{
  for (size_t i = 0; i < n; i++)
    g_string_append_printf(out, " %d", ids[i]);
}

/* Report a hypothesis that differs; returns whether it is the same. */
static gboolean
same_ids(search_golden *s, size_t i, size_t h, const mt_hypothesis *found)
{
  size_t at = (size_t) (s->case_first[i] + (int32_t) h);
  const int32_t *want = s->ids + s->first[at];
  size_t n_want = (size_t) (s->first[at + 1] - s->first[at]), n = mt_tokens_count(found->tokens);
  gboolean same = n == n_want;
  for (size_t k = 0; same && k < n; k++)
    same = mt_tokens_get(found->tokens, k)->id == want[k];
  if (same)
    return TRUE;
  const search_case *c = &s->cases[i];
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text,
                  "%s, case %zu (sentence %d, beam %d, n-best %d, min %d, max %d, early stopping "
                  "%d, length penalty %g), hypothesis %zu: expected score %g:",
                  s->name, i, c->sentence, c->beam_size, c->n_best, c->min_length, c->max_length,
                  c->early_stopping, s->length_penalty[i], h, s->scores[at]);
  describe(text, want, n_want);
  g_string_append_printf(text, "; found score %g:", found->score);
  for (size_t k = 0; k < n; k++)
    g_string_append_printf(text, " %d", mt_tokens_get(found->tokens, k)->id);
  g_test_message("%s", text->str);
  s->n_different++;
  return FALSE;
}

static void
check_hypothesis(search_golden *s, size_t i, size_t h, const mt_hypothesis *found)
{
  if (!same_ids(s, i, h, found))
    return;
  size_t at = (size_t) (s->case_first[i] + (int32_t) h);
  double distance = golden_distance(found->score, s->scores[at], 0.1);
  if (distance > TOLERANCE)
    g_error("%s, case %zu, hypothesis %zu: score %.9g, expected %.9g", s->name, i, h, found->score,
            s->scores[at]);
  s->worst = fmax(s->worst, distance);
  double sum = 0;
  for (size_t k = 0; k < mt_tokens_count(found->tokens); k++)
    sum += found->logprobs[k];
  g_assert_cmpfloat(golden_distance(found->sum_logprob, sum, 0.1), <, 1e-5);
  if (s->texts)
    g_assert_cmpstr(found->text, ==, s->texts[at]);
}

static void
run_case(search_golden *s, size_t i, const char *text)
{
  mt_error error = {0};
  mt_search_params params = params_of(s, i);
  g_autoptr(mt_translation) t = mt_session_translate(s->session, text, &params, NULL, &error);
  if (!t)
    g_error("%s, case %zu: %s", s->name, i, error.message);
  g_assert_cmpint((int) mt_translation_count(t), ==, s->case_first[i + 1] - s->case_first[i]);
  for (size_t h = 0; h < mt_translation_count(t); h++)
    check_hypothesis(s, i, h, mt_translation_hypothesis(t, h));
}

static void
run_all(const char *dir, const char *golden_name, const char *const *sentences, size_t n_sentences,
        size_t stride)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(dir);
  g_autoptr(mt_session) session = model ? mt_session_new(model, NULL, &error) : NULL;
  if (!session)
    g_error("%s", error.message);
  g_autoptr(golden) g = golden_open(golden_name);
  size_t n_values;
  search_golden s = {
      .name = golden_name,
      .session = session,
      .cases = (const search_case *) golden_i32(g, "cases", &n_values),
      .length_penalty = golden_f32(g, "length_penalty", NULL),
      .language = golden_find(g, "language") ? golden_i32(g, "language", NULL) : NULL,
      .ngrams = golden_find(g, "no_repeat_ngram_size") ? golden_i32(g, "no_repeat_ngram_size", NULL)
                                                       : NULL,
      .case_first = golden_i32(g, "case_first", NULL),
      .first = golden_i32(g, "first", NULL),
      .ids = golden_i32(g, "ids", NULL),
      .scores = golden_f32(g, "scores", NULL),
  };
  s.n_cases = n_values * sizeof(int32_t) / sizeof(search_case);
  g_autofree char *texts = NULL;
  if (golden_find(g, "texts")) {
    texts = golden_text(g, "texts", NULL);
    size_t n = (size_t) s.case_first[s.n_cases];
    s.texts = g_new0(char *, n);
    char *at = texts;
    for (size_t i = 0; i < n; i++, at += strlen(at) + 1)
      s.texts[i] = at;
  }
  size_t n_run = 0;
  for (size_t i = 0; i < s.n_cases; i += stride, n_run++) {
    g_assert_cmpint(s.cases[i].sentence, <, (int) n_sentences);
    run_case(&s, i, sentences[s.cases[i].sentence]);
  }
  g_test_message("%s: %zu of %zu cases, largest relative difference of a score %.2g", s.name, n_run,
                 s.n_cases, s.worst);
  if (s.n_different)
    g_error("%s: %zu hypotheses differ", s.name, s.n_different);
  g_free(s.texts);
}

static void
test_tiny(const void *data)
{
  const char *name = data;
  g_autofree char *dir = g_strconcat("tests/data/checkpoints/", name, NULL);
  g_autofree char *golden_name = g_strdup_printf("search-%s.safetensors", name);
  run_all(dir, golden_name, tiny_sentences, G_N_ELEMENTS(tiny_sentences), 1);
}

/* Odd strides: greedy and beam search take turns in the file, and nine variants after that. */
static void
test_bundled(void)
{
  g_autofree char *path = golden_path("tests/data/sentences.en.txt"), *content = NULL;
  GError *error = NULL;
  if (!g_file_get_contents(path, &content, NULL, &error))
    g_error("%s", error->message);
  g_auto(GStrv) lines = g_strsplit(g_strchomp(content), "\n", -1);
  run_all("models/en-de", "search-en-de.safetensors", (const char *const *) lines,
          g_strv_length(lines), suite_stride(7, 125));
}

TESTS()
{
  static const char *const tiny[] = {
      "post-norm-relu",
      "odd-sizes-swish",
      "pre-norm-gelu-learned",
      "pre-norm-plain",
      "interleaved-positions",
      "post-norm-final-norm",
      "separate-vocabularies",
      "separate-embeddings-tied",
      "multi-target",
      "zero-pad",
      "bart-tiny",
      "mbart-tiny",
      "cc25-tiny",
      "m2m-tiny",
      "nllb-tiny",
      "pegasus-tiny",
      "t5-tiny",
      "t5-gated-tiny",
      "mt5-tiny",
      "umt5-tiny",
      "byt5-tiny",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(tiny); i++)
    suite_add(tiny[i], test_tiny, "/golden/search/%s", tiny[i]);
  g_test_add_func("/golden/search/en-de", test_bundled);
}

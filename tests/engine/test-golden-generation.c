/* test-golden-generation.c — the keys of generation_config.json against Hugging Face generate,
 * token for token.
 *
 * tests/data/generation.safetensors (written by tests/reference/make_generation.py) holds
 * generation_config.json files and what generate made of them: with a <pad> that has a third of the
 * mass, with penalties, n-grams, biases, forced, suppressed and several last tokens, with a prefix
 * that counts and with one that does not. tests/data/terms.safetensors (make_terms.py) holds, in
 * the same layout, searches with terms. Under AddressSanitizer every fifth sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <mt.h>
#include <string.h>

#include "engine-test.h"
#include "golden.h"
#include "model-dir.h"
#include "model/mt-generation.h"
#include "sentences.h"
#include "suite.h"
#include "text/mt-tokens.h"

#define TOLERANCE 1e-4

enum { LEFT_OUT = 1 };

#if defined(__SANITIZE_ADDRESS__)
enum { STRIDE = 5 };
#else
enum { STRIDE = 1 };
#endif

typedef struct {
  int32_t kind, sentence, beam_size, n_best, way;
} generation_case;

typedef struct {
  const generation_case *cases;
  const int32_t *case_prefix, *case_first, *first;
  const uint16_t *prefix, *ids;
  const float *scores;
  /* Of terms; NULL in a file that has none. */
  const int32_t *case_term, *term_first;
  const uint16_t *terms;
  char **kinds, **sentences;
  size_t n_cases, n_different, n_refused;
  double worst;
} generation_golden;

/* ---- A model of each kind ----------------------------------------------------------------------
 */

static const char *const same_files[] = {"config.json", "model.safetensors",
                                         "source.spm",  "target.spm",
                                         "vocab.json",  "tokenizer_config.json"};

/* A folder with the weights and words of the checkpoint, and a generation_config.json. */
static char *
write_kind(const char *generation)
{
  char *dir = g_dir_make_tmp("regard-generation-XXXXXX", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(same_files); i++) {
    g_autofree char *inside =
        g_build_filename("tests/data/checkpoints/zero-pad", same_files[i], NULL);
    g_autofree char *from = golden_path(inside), *to = g_build_filename(dir, same_files[i], NULL);
    g_autofree char *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(from, &bytes, &n, NULL));
    g_assert_true(g_file_set_contents(to, bytes, (gssize) n, NULL));
  }
  g_autofree char *file = g_build_filename(dir, "generation_config.json", NULL);
  if (generation)
    g_assert_true(g_file_set_contents(file, generation, -1, NULL));
  return dir;
}

static void
remove_kind(char *dir)
{
  g_autofree char *file = g_build_filename(dir, "generation_config.json", NULL);
  g_remove(file);
  for (gsize i = 0; i < G_N_ELEMENTS(same_files); i++) {
    g_autofree char *path = g_build_filename(dir, same_files[i], NULL);
    g_remove(path);
  }
  g_rmdir(dir);
  g_free(dir);
}

/* ---- Searches ----------------------------------------------------------------------------------
 */

static void
ask(mt_request *request, const char *key, double value)
{
  size_t row = 0;
  mt_error error = {0};
  g_assert_true(mt_search_find_field(key, &row));
  g_assert_true(mt_request_set(request, row, value, &error));
}

static mt_constraints *
with_terms(const generation_golden *g, size_t i, const mt_constraints *constraints)
{
  const size_t first = (size_t) g->case_term[i], n = (size_t) g->case_term[i + 1] - first;
  const int32_t begin = g->term_first[first], n_ids = g->term_first[first + n] - begin;
  g_autofree int32_t *ids = g_new(int32_t, (gsize) n_ids);
  g_autofree mt_term *terms = g_new(mt_term, n);
  mt_error error = {0};
  for (int32_t k = 0; k < n_ids; k++)
    ids[k] = g->terms[begin + k];
  for (size_t k = 0; k < n; k++)
    terms[k] = (mt_term){ids + g->term_first[first + k] - begin,
                         (size_t) (g->term_first[first + k + 1] - g->term_first[first + k])};
  mt_constraints *with = mt_constraints_with_terms(constraints, terms, n, &error);
  g_assert_nonnull(with);
  return with;
}

static mt_request
request_of(const generation_golden *g, size_t i)
{
  const generation_case *c = &g->cases[i];
  const int32_t begin = g->case_prefix[i], n = g->case_prefix[i + 1] - begin;
  const int32_t n_terms = g->case_term ? g->case_term[i + 1] - g->case_term[i] : 0;
  mt_request request = {0};
  ask(&request, "beam_size", c->beam_size);
  ask(&request, "n_best", MAX(c->n_best, 1)); /* 0: there is no result */
  if (c->way == LEFT_OUT)
    ask(&request, "prefix_score", MT_PREFIX_LEFT_OUT);
  if (n == 0 && n_terms == 0)
    return request;
  g_autofree int32_t *ids = g_new(int32_t, (gsize) n + 1);
  for (int32_t k = 0; k < n; k++)
    ids[k] = g->prefix[begin + k];
  mt_error error = {0};
  mt_constraints *constraints = mt_constraints_new(ids, (size_t) n, NULL, 0, &error);
  if (n_terms > 0) {
    mt_constraints *with = with_terms(g, i, constraints);
    mt_constraints_unref(constraints);
    constraints = with;
  }
  mt_request_set_constraints(&request, constraints);
  mt_constraints_unref(constraints);
  return request;
}

static bool
is_hypothesis(const generation_golden *g, size_t at, const mt_hypothesis *found)
{
  size_t n = (size_t) (g->first[at + 1] - g->first[at]);
  bool same = mt_tokens_count(found->tokens) == n;
  for (size_t k = 0; same && k < n; k++)
    same = mt_tokens_get(found->tokens, k)->id == g->ids[(size_t) g->first[at] + k];
  return same;
}

/* Of two that are forced both count 0: which is first, nobody says. */
static bool
is_tie(const generation_golden *g, size_t first, size_t n, size_t at, const mt_hypothesis *found)
{
  for (size_t other = first; other < first + n; other++)
    if (fabsf(g->scores[other] - g->scores[at]) < 1e-6f && is_hypothesis(g, other, found))
      return true;
  return false;
}

static void
compare(generation_golden *g, size_t i, const mt_translation *t)
{
  const generation_case *c = &g->cases[i];
  size_t n = (size_t) (g->case_first[i + 1] - g->case_first[i]);
  g_assert_cmpuint(mt_translation_count(t), ==, n);
  for (size_t h = 0; h < n; h++) {
    size_t at = (size_t) g->case_first[i] + h;
    const mt_hypothesis *found = mt_translation_hypothesis(t, h);
    bool same = is_tie(g, (size_t) g->case_first[i], n, at, found);
    double far = golden_distance((double) found->score, (double) g->scores[at], 1);
    g->worst = fmax(g->worst, far);
    if (same && far <= TOLERANCE)
      continue;
    g->n_different++;
    g_test_message("case %zu, kind %d, sentence %d, %d beams, way %d, hypothesis %zu: %s, score "
                   "%.9g, expected %.9g: %s",
                   i, c->kind, c->sentence, c->beam_size, c->way, h,
                   same ? "the same tokens" : "other tokens", (double) found->score,
                   (double) g->scores[at], g->kinds[c->kind]);
  }
}

static bool
has_same_result(const mt_translation *a, const mt_translation *b)
{
  bool same = mt_translation_count(a) == mt_translation_count(b);
  for (size_t h = 0; same && h < mt_translation_count(a); h++) {
    const mt_hypothesis *x = mt_translation_hypothesis(a, h), *y = mt_translation_hypothesis(b, h);
    size_t n = mt_tokens_count(x->tokens);
    same = n == mt_tokens_count(y->tokens) && x->score == y->score &&
           memcmp(mt_tokens_ids(x->tokens), mt_tokens_ids(y->tokens), n * sizeof(int32_t)) == 0;
  }
  return same;
}

/* Texts that are translated together, and what each was alone. */
typedef struct {
  const char *texts[256];
  mt_translation *alone[256];
  size_t n, n_asked, n_told;
} together;

static const char *
next_text(void *user)
{
  together *t = user;
  return t->n_asked < t->n ? t->texts[t->n_asked++] : NULL;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  together *t = user;
  g_assert_null(error);
  g_assert_true(has_same_result(translation, t->alone[i]));
  t->n_told++;
}

static void
check_together(together *t, mt_session *session, const mt_search_params *params)
{
  mt_error error = {0};
  mt_texts many = {.next = next_text, .on_result = on_result, .user = t};
  mt_session_translate_many(session, &many, params, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(t->n_told, ==, t->n);
  for (size_t i = 0; i < t->n; i++)
    mt_translation_unref(t->alone[i]);
}

/* Each hypothesis has the log-probabilities that scoring gives its tokens: terms change none. */
static void
check_scored(mt_session *session, const char *text, const mt_translation *t)
{
  for (size_t h = 0; h < mt_translation_count(t); h++) {
    const mt_hypothesis *found = mt_translation_hypothesis(t, h);
    const size_t n = mt_tokens_count(found->tokens);
    mt_error error = {0};
    g_autoptr(mt_constraints) whole =
        mt_constraints_new(mt_tokens_ids(found->tokens), n, NULL, 0, &error);
    mt_search_params params = mt_search_params_default(mt_session_model(session));
    params.beam_size = params.n_best = 1;
    params.constraints = whole;
    params.max_length = n + 2; /* one that was cut off goes on */
    g_autoptr(mt_translation) scored = mt_session_translate(session, text, &params, NULL, &error);
    g_assert_nonnull(scored);
    const mt_hypothesis *given = mt_translation_hypothesis(scored, 0);
    for (size_t k = 0; k < n; k++)
      g_assert_cmpfloat_with_epsilon(found->logprobs[k], given->logprobs[k], 1e-4);
  }
}

static void
check_kind(generation_golden *g, size_t first, size_t end)
{
  char *dir = write_kind(g->kinds[g->cases[first].kind]);
  mt_error error = {0};
  g_autoptr(mt_model) model = model_open_good(dir);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  g_autoptr(mt_session) guesser = sentences_guesser(model, 0, false);
  together all[2] = {0}; /* greedy, with beams */
  mt_search_params params[2];
  for (size_t i = first; i < end; i++) {
    if (g->cases[i].sentence % STRIDE != 0)
      continue;
    mt_request request = request_of(g, i);
    bool has_beams = g->cases[i].beam_size > 1;
    params[has_beams] = mt_request_resolve(&request, model);
    mt_search_params *own = &params[has_beams];
    const char *text = g->sentences[g->cases[i].sentence];
    mt_translation *t = mt_session_translate(session, text, own, NULL, &error);
    if (!t && g->case_first[i + 1] == g->case_first[i]) { /* there is none */
      g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
      g->n_refused++;
      error = (mt_error){0};
      mt_request_clear(&request);
      continue;
    }
    if (!t)
      g_error("case %zu: %s", i, error.message);
    compare(g, i, t);
    /* Steps that are kept, and hooks, with which there is no draft, change nothing. */
    mt_search_params traced = *own;
    traced.trace = 5;
    mt_hooks hooks = {.hook_points = MT_HOOK_POINT_BIT(MT_HOOK_LOGITS)};
    g_autoptr(mt_translation) again = mt_session_translate(session, text, &traced, &hooks, &error);
    g_assert_nonnull(again);
    g_assert_true(has_same_result(t, again));
    /* Nor does guessing, which the rules are also made for. */
    g_autoptr(mt_translation) guessed = mt_session_translate(guesser, text, own, NULL, &error);
    g_assert_nonnull(guessed);
    g_assert_true(has_same_result(t, guessed));
    if (g->case_term)
      check_scored(session, text, t);
    together *same = &all[has_beams];
    if (g->cases[i].way == 0) {
      same->texts[same->n] = text;
      same->alone[same->n++] = t;
    } else {
      mt_translation_unref(t);
    }
    mt_request_clear(&request);
  }
  for (int k = 0; k < 2; k++)
    if (all[k].n > 0)
      check_together(&all[k], session, &params[k]);
  remove_kind(dir);
}

static void
check_file(const char *name, size_t n_least)
{
  g_autoptr(golden) file = golden_open(name);
  const bool has_terms = golden_find(file, "terms") != NULL;
  g_autofree char *path = golden_path("tests/data/sentences.en.txt"), *lines = NULL;
  g_assert_true(g_file_get_contents(path, &lines, NULL, NULL));
  size_t n_values, n_text;
  generation_golden g = {
      .cases = (const generation_case *) golden_i32(file, "cases", &n_values),
      .case_prefix = golden_i32(file, "case_prefix", NULL),
      .case_first = golden_i32(file, "case_first", NULL),
      .first = golden_i32(file, "first", NULL),
      .prefix = golden_u16(file, "prefix", NULL),
      .ids = golden_u16(file, "ids", NULL),
      .scores = golden_f32(file, "scores", NULL),
      .sentences = g_strsplit(lines, "\n", -1),
  };
  if (has_terms) {
    g.case_term = golden_i32(file, "case_term", NULL);
    g.term_first = golden_i32(file, "term_first", NULL);
    g.terms = golden_u16(file, "terms", NULL);
  }
  g_autofree char *kinds = golden_text(file, "kinds", &n_text);
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  for (char *kind = kinds; kind < kinds + n_text; kind += strlen(kind) + 1)
    g_ptr_array_add(list, kind);
  g.kinds = (char **) list->pdata;
  g.n_cases = n_values * sizeof(int32_t) / sizeof(generation_case);
  g_assert_cmpuint(g.n_cases, >, n_least);
  for (size_t first = 0, end; first < g.n_cases; first = end) {
    for (end = first + 1; end < g.n_cases && g.cases[end].kind == g.cases[first].kind;)
      end++;
    check_kind(&g, first, end);
  }
  g_test_message("%zu cases, %zu kinds, %zu without a result; scores at most %.3g apart", g.n_cases,
                 (size_t) list->len, g.n_refused, g.worst);
  g_assert_cmpuint(g.n_different, ==, 0);
  g_strfreev(g.sentences);
}

static void
test_searches(void)
{
  check_file("generation.safetensors", 2000);
}

static void
test_terms(void)
{
  check_file("terms.safetensors", 400);
}

/* ---- Keys --------------------------------------------------------------------------------------
 */

/* Every key that a GenerationConfig of transformers has is one of the rows. */
static void
test_keys(void)
{
  g_autoptr(golden) file = golden_open("generation.safetensors");
  size_t n, n_keys = 0;
  g_autofree char *keys = golden_text(file, "keys", &n);
  for (const char *key = keys; key < keys + n; key += strlen(key) + 1, n_keys++)
    if (*key != '_' && !mt_generation_verdict(key))
      g_error("generate reads %s, and no row knows it", key);
  g_assert_cmpuint(n_keys, >, 60);
  /* Those that 4.30, 4.36, 4.40, 4.46, 4.50, 4.57 and 5.0 have besides. */
  static const char *const old[] = {"forced_decoder_ids", "generation_kwargs",
                                    "return_legacy_cache", "_commit_hash"};
  for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
    g_assert_nonnull(mt_generation_verdict(old[i]));
  g_assert_null(mt_generation_verdict("repetition_penlty"));
}

static char *
dup_not_honoured(const char *generation)
{
  char *dir = write_kind(generation);
  g_autoptr(mt_model) model = model_open_good(dir);
  char *keys = g_strdup(mt_model_config(model)->generation.not_honoured);
  remove_kind(dir);
  return keys;
}

/* What is not done is named, once it asks for something. */
static void
test_not_honoured(void)
{
  static const struct {
    const char *generation, *said;
  } cases[] = {
      {"{\"do_sample\": false, \"num_beam_groups\": 1, \"diversity_penalty\": 0.0, \"top_k\": 7,"
       " \"guidance_scale\": null, \"stop_strings\": [], \"use_cache\": false, \"max_length\": 64,"
       " \"bad_words_ids\": [[124]], \"num_beams\": 4, \"forced_eos_token_id\": 0,"
       " \"renormalize_logits\": true}",
       NULL},
      {"{\"do_sample\": true, \"num_beam_groups\": 2, \"diversity_penalty\": 0.5, \"top_k\": 7,"
       " \"guidance_scale\": 1.5, \"stop_strings\": [\"x\"], \"remove_invalid_values\": true,"
       " \"max_time\": 3, \"repetition_penlty\": 2, \"max_length\": 64, \"bad_words_ids\": null,"
       " \"num_beams\": 4, \"forced_eos_token_id\": 0, \"renormalize_logits\": false}",
       "do_sample, num_beam_groups, diversity_penalty, guidance_scale, stop_strings, "
       "remove_invalid_values, max_time, repetition_penlty"},
      {"{\"a\\u0007b\": 1, \"c1\": 1, \"c2\": 1, \"c3\": 1, \"c4\": 1, \"c5\": 1, \"c6\": 1,"
       " \"c7\": 1, \"c8\": 1, \"c9\": 1, \"d1\": 1, \"d2\": 1, \"d3\": 1, \"max_length\": 64,"
       " \"bad_words_ids\": [[124]], \"num_beams\": 4, \"forced_eos_token_id\": 0,"
       " \"renormalize_logits\": true}",
       "a?b, c1, c2, c3, c4, c5, c6, c7, c8, c9, d1, d2 and 1 more"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *said = dup_not_honoured(cases[i].generation);
    g_assert_cmpstr(said, ==, cases[i].said);
  }
}

/* An old config.json says how to search, where there is no generation_config.json. */
static void
test_old(void)
{
  char *dir = write_kind(NULL);
  g_autofree char *file = g_build_filename(dir, "config.json", NULL), *text = NULL;
  g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
  g_autofree char *more =
      g_strconcat("{\"repetition_penalty\": 1.5, \"no_repeat_ngram_size\": 2, \"do_sample\": true, "
                  "\"force_bos_token_to_be_generated\": true, \"max_new_tokens\": 7,",
                  strchr(text, '{') + 1, NULL);
  g_assert_true(g_file_set_contents(file, more, -1, NULL));
  mt_model *model = model_open_good(dir);
  const mt_config *c = mt_model_config(model);
  mt_search_params params = mt_search_params_default(model);
  g_assert_cmpfloat(params.repetition_penalty, ==, 1.5f);
  g_assert_cmpuint(params.no_repeat_ngram_size, ==, 2);
  g_assert_cmpuint(params.max_length, ==, 8);
  g_assert_cmpuint(params.beam_size, ==, 4);
  g_assert_cmpint(c->forced_bos_id, ==, 0);
  g_assert_true(c->generation.renormalize_logits);
  g_assert_cmpuint(c->generation.left_out.n, ==, 1);
  g_assert_cmpstr(c->generation.not_honoured, ==, "do_sample");
  mt_model_unref(model);
  remove_kind(dir);
}

TESTS()
{
  g_test_add_func("/golden/generation/searches", test_searches);
  g_test_add_func("/golden/generation/terms", test_terms);
  g_test_add_func("/golden/generation/keys", test_keys);
  g_test_add_func("/golden/generation/not-honoured", test_not_honoured);
  g_test_add_func("/golden/generation/old", test_old);
}

/* test-search.c — the search against exhaustive scoring, rule by rule, on hand-made "models".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "search/mt-search.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_search, mt_search_free)

enum { EOS = 0, START = 4, VOCAB = 5, MAX_IDS = 32, MAX_ROWS = 256 };

/* A model whose logits are a function of the whole prefix. */
typedef struct {
  void (*logits)(const int32_t *prefix, size_t n, float *row);
  int32_t prefixes[MAX_ROWS][MAX_IDS], former[MAX_ROWS][MAX_IDS];
  size_t length; /* of all prefixes, start token included */
  float rows[MAX_ROWS * VOCAB];
  size_t n_steps, max_rows;
  size_t n_tokens;
  int32_t last_reported[MAX_IDS];
} hand_model;

static float *
hand_step(hand_model *m, const uint32_t *parents, const int32_t *ids, size_t n)
{
  m->n_steps++;
  m->max_rows = MAX(m->max_rows, n);
  memcpy(m->former, m->prefixes, sizeof m->former);
  for (size_t i = 0; i < n; i++) {
    memcpy(m->prefixes[i], m->former[parents[i]], sizeof m->prefixes[i]);
    m->prefixes[i][m->length] = ids[i];
  }
  m->length++;
  for (size_t i = 0; i < n; i++)
    m->logits(m->prefixes[i], m->length, m->rows + i * VOCAB);
  return m->rows;
}

static void
hand_on_token(hand_model *m, const mt_progress *progress)
{
  g_assert_cmpuint(progress->step, ==, m->n_tokens);
  m->n_tokens++;
  g_assert_cmpuint(progress->n_ids, ==, m->n_tokens);
  memcpy(m->last_reported, progress->ids, progress->n_ids * sizeof(int32_t));
}

static unsigned logits_seed;

/* Different for every prefix. */
static void
hashed_logits(const int32_t *prefix, size_t n, float *row)
{
  uint32_t hash = logits_seed * 2654435761u;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (uint32_t) prefix[i]) * 16777619u + 97;
  for (size_t i = 0; i < VOCAB; i++)
    row[i] = 2 * toy_random(&hash);
}

/* The same at every step: 0.1 0.4 0.3 0.2, and the start token never. */
static void
fixed_logits(const int32_t *prefix, size_t n, float *row)
{
  const float probabilities[VOCAB] = {0.1f, 0.4f, 0.3f, 0.2f, 0};
  for (size_t i = 0; i < VOCAB; i++)
    row[i] = logf(probabilities[i]) + 3;
}

/* </s> 0.5, a 0.3, b 0.2 at every step. */
static void
ending_logits(const int32_t *prefix, size_t n, float *row)
{
  const float probabilities[VOCAB] = {0.5f, 0.3f, 0.2f, 0, 0};
  for (size_t i = 0; i < VOCAB; i++)
    row[i] = logf(probabilities[i]);
}

static mt_search_rules
rules_new(size_t beam_size, size_t max_length)
{
  return (mt_search_rules){
      .params = {.beam_size = beam_size,
                 .n_best = beam_size,
                 .max_length = max_length,
                 .length_penalty = 1},
      .vocab_size = VOCAB,
      .start_id = START,
      .eos_id = EOS,
      .forced_bos_id = -1,
      .forced_eos_id = -1,
  };
}

/* Step after step until it is done. */
static bool
run_to_end(mt_search *search, hand_model *m, mt_error *error)
{
  mt_search_begin(search);
  while (search->n_rows > 0) {
    float *rows = hand_step(m, search->parents, search->ids, search->n_rows);
    if (!mt_search_advance(search, rows, error))
      return false;
    mt_progress progress;
    if (mt_search_progress(search, &progress))
      hand_on_token(m, &progress);
  }
  return true;
}

/* Run; the caller frees the search. */
static mt_search *
run(const mt_search_rules *rules, hand_model *m,
    void (*logits)(const int32_t *prefix, size_t n, float *row))
{
  *m = (hand_model){.logits = logits};
  mt_error error = {0};
  g_assert_true(mt_search_check(&rules->params, 512, &error));
  mt_search *search = mt_search_new(rules, &error);
  g_assert_true(run_to_end(search, m, &error));
  return search;
}

static void
assert_ids(const mt_search *search, size_t i, const char *expected)
{
  const mt_search_hypothesis *h = search->finished[i];
  g_autoptr(GString) found = g_string_new(NULL);
  for (size_t k = 0; k < h->n; k++)
    g_string_append_printf(found, "%d", (int) h->ids[k]);
  g_assert_cmpstr(found->str, ==, expected);
}

/* ---- Exhaustive search ----------------------------------------------------------------------- */

typedef struct {
  char ids[MAX_IDS];
  float score;
} scored;

static int
by_score(const void *a, const void *b)
{
  float x = ((const scored *) a)->score, y = ((const scored *) b)->score;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void
enumerate(GArray *out, int32_t *prefix, size_t n, double sum, size_t max_length, float penalty)
{
  float row[VOCAB];
  hashed_logits(prefix, n, row);
  double total = 0;
  for (size_t i = 0; i < VOCAB; i++)
    total += exp(row[i]);
  for (int32_t id = 0; id < VOCAB; id++) {
    double here = sum + row[id] - log(total);
    prefix[n] = id;
    if (id != EOS && n + 1 < max_length) {
      enumerate(out, prefix, n + 1, here, max_length, penalty);
      continue;
    }
    scored entry = {.score = (float) (here / pow((double) n, penalty))};
    for (size_t k = 0; k < n; k++)
      entry.ids[k] = (char) ('0' + prefix[k + 1]);
    g_array_append_val(out, entry);
  }
}

static void
test_exhaustive(void)
{
  const float penalties[] = {1, 0, 0.6f, 2, -1};
  for (logits_seed = 1; logits_seed < 20; logits_seed++)
    for (size_t p = 0; p < G_N_ELEMENTS(penalties); p++) {
      /* Wide enough that nothing is ever dropped: at most 4^3 hypotheses run. */
      mt_search_rules rules = rules_new(256, 5);
      rules.params.length_penalty = penalties[p];
      rules.params.early_stopping = MT_EARLY_STOPPING_NEVER;
      g_autofree hand_model *m = g_new(hand_model, 1);
      g_autoptr(mt_search) search = run(&rules, m, hashed_logits);
      GArray *all = g_array_new(FALSE, TRUE, sizeof(scored));
      int32_t prefix[MAX_IDS] = {START};
      enumerate(all, prefix, 1, 0, 5, penalties[p]);
      qsort(all->data, all->len, sizeof(scored), by_score);
      for (size_t i = 0; i < 20; i++) {
        const mt_search_hypothesis *h = search->finished[i];
        scored *expected = &g_array_index(all, scored, i);
        g_assert_cmpfloat_with_epsilon(h->score, expected->score, 1e-5);
        float gap = i + 1 < all->len ? expected[0].score - expected[1].score : 1;
        if (gap > 1e-5f && (i == 0 || expected[-1].score - expected[0].score > 1e-5f))
          assert_ids(search, i, expected->ids);
        float sum = 0;
        for (size_t k = 0; k < h->n; k++)
          sum += h->logprobs[k];
        g_assert_cmpfloat_with_epsilon(sum, h->sum, 1e-5);
      }
      g_array_free(all, TRUE);
    }
}

/* ---- Rules ------------------------------------------------------------------------------------
 */

static void
test_greedy(void)
{
  g_autofree hand_model *m = g_new(hand_model, 1);
  mt_search_rules rules = rules_new(1, 6);
  mt_search *search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "11111"); /* never </s>, so max_length - 1 tokens */
  const mt_search_hypothesis *h = search->finished[0];
  for (size_t i = 0; i < h->n; i++)
    g_assert_cmpfloat_with_epsilon(h->logprobs[i], logf(0.4f), 1e-6);
  g_assert_cmpfloat_with_epsilon(h->score, logf(0.4f), 1e-6);
  g_assert_cmpuint(m->n_steps, ==, 5);
  g_assert_cmpuint(m->n_tokens, ==, 5);
  g_assert_cmpint(m->last_reported[4], ==, 1);
  mt_search_free(search);

  /* The best first tokens of every prefix, until </s>. */
  for (logits_seed = 1; logits_seed < 50; logits_seed++) {
    rules = rules_new(1, 20);
    search = run(&rules, m, hashed_logits);
    int32_t prefix[MAX_IDS] = {START};
    h = search->finished[0];
    for (size_t n = 0; n < h->n; n++) {
      float row[VOCAB];
      hashed_logits(prefix, n + 1, row);
      for (size_t i = 0; i < VOCAB; i++)
        g_assert_cmpfloat(row[i], <=, row[h->ids[n]]);
      prefix[n + 1] = h->ids[n];
    }
    g_assert_true(h->n == 19 || h->ids[h->n - 1] == EOS);
    mt_search_free(search);
  }
}

static void
test_forced(void)
{
  g_autofree hand_model *m = g_new(hand_model, 1);
  for (size_t beam_size = 1; beam_size <= 3; beam_size++) {
    mt_search_rules rules = rules_new(beam_size, 6);
    rules.params.n_best = 1;
    rules.forced_eos_id = EOS;
    rules.forced_bos_id = 3;
    rules.params.length_penalty = 0; /* or beams would end early */
    rules.params.min_length = 6;
    g_autoptr(mt_search) search = run(&rules, m, fixed_logits);
    assert_ids(search, 0, "31110");
    const mt_search_hypothesis *h = search->finished[0];
    /* Log-probabilities are the model's; in the score what was forced counts 0. */
    g_assert_cmpfloat_with_epsilon(h->logprobs[0], logf(0.2f), 1e-6);
    g_assert_cmpfloat_with_epsilon(h->logprobs[4], logf(0.1f), 1e-6);
    g_assert_cmpfloat_with_epsilon(h->score, 3 * logf(0.4f), 1e-5);
  }
}

static void
test_min_length(void)
{
  g_autofree hand_model *m = g_new(hand_model, 1);
  for (size_t beam_size = 1; beam_size <= 4; beam_size++)
    for (size_t min_length = 0; min_length < 8; min_length++) {
      mt_search_rules rules = rules_new(beam_size, 8);
      rules.params.min_length = min_length;
      rules.params.length_penalty = 0; /* favours short */
      g_autoptr(mt_search) search = run(&rules, m, ending_logits);
      for (size_t i = 0; i < search->n_results; i++) {
        const mt_search_hypothesis *h = search->finished[i];
        /* </s> is possible once min_length tokens, the start token among them, are there. */
        g_assert_cmpuint(h->n, >=, min_length);
        g_assert_cmpuint(h->n, <=, 7);
      }
      g_assert_cmpuint(search->finished[0]->n, ==, MAX(min_length, 1));
    }
}

static void
test_bad_words(void)
{
  const int32_t single[] = {1}, pair[] = {2, 2}, after_start[] = {START, 3}, eos[] = {EOS},
                beyond[] = {2, 999}, triple[] = {3, 2, 3};
  const int32_t *words[] = {single, pair, after_start, eos, beyond, triple};
  const size_t lengths[] = {1, 2, 2, 1, 2, 3};
  g_autofree hand_model *m = g_new(hand_model, 1);

  mt_search_rules rules = rules_new(1, 7);
  rules.bad_words = words;
  rules.bad_word_lengths = lengths;
  rules.n_bad_words = 1;
  mt_search *search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "222222");
  mt_search_free(search);
  rules.n_bad_words = 2; /* not 2 after 2: next best is 3, then 2 again */
  search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "232323");
  mt_search_free(search);
  rules.n_bad_words = 6; /* nor 3 after 3 2: </s>, which a rule of its own cannot forbid */
  search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "2320");
  mt_search_free(search);

  /* The start token counts as what came before. */
  const int32_t start_two[] = {START, 2};
  const int32_t *at_start[] = {single, start_two};
  rules.bad_words = at_start;
  rules.n_bad_words = 2;
  search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "322222");
  mt_search_free(search);

  /* In no hypothesis of a beam either. */
  rules = rules_new(6, 6);
  rules.bad_words = words;
  rules.bad_word_lengths = lengths;
  rules.n_bad_words = 6;
  search = run(&rules, m, fixed_logits);
  g_assert_cmpuint(search->n_results, ==, 6);
  for (size_t i = 0; i < 6; i++) {
    const mt_search_hypothesis *h = search->finished[i];
    for (size_t k = 0; k < h->n; k++) {
      g_assert_cmpint(h->ids[k], !=, 1);
      g_assert_false(k > 0 && h->ids[k] == 2 && h->ids[k - 1] == 2);
      g_assert_false(k == 0 && h->ids[k] == 3);
    }
  }
  mt_search_free(search);
}

/* Of what the model's configuration says besides: positions that are forced, behind which the first
 * token of one's own must not be one; n-grams; several ends. */
static void
test_more_rules(void)
{
  static const int32_t forced[] = {-1, 3, 2}, begin[] = {1}, ends[] = {2};
  g_autofree hand_model *m = g_new(hand_model, 1);
  mt_search_rules rules = rules_new(1, 7);
  rules.generation.forced_ids = forced;
  rules.generation.n_forced_ids = G_N_ELEMENTS(forced);
  rules.generation.last_forced = 2;
  rules.generation.begin_suppressed = (mt_id_list){begin, 1};
  mt_search *search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "322111");
  mt_search_free(search);

  rules = rules_new(1, 7);
  rules.params.no_repeat_ngram_size = 2;
  search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "112131");
  mt_search_free(search);
  rules.params.no_repeat_ngram_size = 1;
  rules.generation.more_eos_ids = (mt_id_list){ends, 1};
  search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "12");
  mt_search_free(search);
}

static void
test_everything_forbidden(void)
{
  const int32_t ids[] = {1, 2, 3, 4};
  const int32_t *words[] = {&ids[0], &ids[1], &ids[2], &ids[3]};
  const size_t lengths[] = {1, 1, 1, 1};
  for (size_t beam_size = 1; beam_size <= 2; beam_size++) {
    mt_search_rules rules = rules_new(beam_size, 6);
    rules.n_bad_words = 4;
    rules.bad_words = words;
    rules.bad_word_lengths = lengths;
    rules.params.min_length = 4;
    g_autofree hand_model *m = g_new0(hand_model, 1);
    m->logits = fixed_logits;
    mt_error error = {0};
    g_autoptr(mt_search) search = mt_search_new(&rules, &error);
    g_assert_false(run_to_end(search, m, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
}

static void
nan_logits(const int32_t *prefix, size_t n, float *row)
{
  fixed_logits(prefix, n, row);
  if (n == 3)
    row[2] = NAN;
}

static void
test_not_a_number(void)
{
  for (size_t beam_size = 1; beam_size <= 2; beam_size++) {
    mt_search_rules rules = rules_new(beam_size, 6);
    g_autofree hand_model *m = g_new0(hand_model, 1);
    m->logits = nan_logits;
    mt_error error = {0};
    g_autoptr(mt_search) search = mt_search_new(&rules, &error);
    g_assert_false(run_to_end(search, m, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  }
}

/* ---- Where beam search stops ------------------------------------------------------------------
 */

static size_t
steps_until_stop(mt_early_stopping early_stopping, float penalty)
{
  mt_search_rules rules = rules_new(2, 30);
  rules.params.early_stopping = early_stopping;
  rules.params.length_penalty = penalty;
  g_autofree hand_model *m = g_new(hand_model, 1);
  g_autoptr(mt_search) search = run(&rules, m, fixed_logits);
  size_t n_steps = m->n_steps;
  return n_steps;
}

/* Probabilities a 0.4, b 0.3, c 0.2, </s> 0.1, beam 2, penalty p. Among the two best continuations
 * there is never a </s> (the best hypothesis, weight w, has 0.4 w and 0.3 w before 0.1 w), so
 * nothing ends before the maximum of 29 tokens, whatever early stopping says. */
static void
test_ends_outside_the_beam_do_not_count(void)
{
  g_assert_cmpuint(steps_until_stop(MT_EARLY_STOPPING_TRUE, 1), ==, 29);
  g_assert_cmpuint(steps_until_stop(MT_EARLY_STOPPING_FALSE, 1), ==, 29);
}

/* Step 1 ends "" (ln .5 = -0.69); step 2 ends "a" (ln .15 / 2 = -0.95) and "b" (ln .1 / 2 = -1.15),
 * and "aa" runs on. */
static void
test_early_stopping(void)
{
  const struct {
    mt_early_stopping early_stopping;
    float penalty;
    size_t n_steps;
  } cases[] = {
      /* Both places are taken after step 2. */
      {MT_EARLY_STOPPING_TRUE, 1, 2},
      {MT_EARLY_STOPPING_TRUE, 3, 2},
      /* "aa" has ln .09 / 2 = -1.20, worse than -0.95: stop as well. */
      {MT_EARLY_STOPPING_FALSE, 1, 2},
      /* Without a penalty sums are compared: -2.41 is worse than -1.90. */
      {MT_EARLY_STOPPING_FALSE, 0, 2},
      {MT_EARLY_STOPPING_NEVER, 0, 2},
      /* With 29 tokens the sum could be divided by 29: n ln .3 / 29 > ln .15 / 2 as long as
       * n <= 22; then "a…a" of 23 tokens is hopeless. */
      {MT_EARLY_STOPPING_NEVER, 1, 23},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_search_rules rules = rules_new(2, 30);
    rules.params.early_stopping = cases[i].early_stopping;
    rules.params.length_penalty = cases[i].penalty;
    g_autofree hand_model *m = g_new(hand_model, 1);
    g_autoptr(mt_search) search = run(&rules, m, ending_logits);
    g_assert_cmpuint(m->n_steps, ==, cases[i].n_steps);
    g_assert_cmpuint(m->max_rows, ==, 2);
    g_assert_cmpuint(search->n_results, ==, 2);
    g_assert_cmpfloat(search->finished[0]->score, >=, search->finished[1]->score);
    if (cases[i].penalty == 1) {
      assert_ids(search, 0, "0");
      assert_ids(search, 1, "10");
    }
  }
}

/* a 0.45, </s> 0.4, b 0.15: "" (-0.92) and "a" (-0.86) take both places at step 2, but "aa" has
 * -0.80 for each token, and so has every longer row of a. */
static void
lengthy_logits(const int32_t *prefix, size_t n, float *row)
{
  const float probabilities[VOCAB] = {0.4f, 0.45f, 0.15f, 0, 0};
  for (size_t i = 0; i < VOCAB; i++)
    row[i] = logf(probabilities[i]);
}

static void
test_early_stopping_false_goes_on(void)
{
  g_autofree hand_model *m = g_new(hand_model, 1);
  mt_search_rules rules = rules_new(2, 12);
  rules.params.early_stopping = MT_EARLY_STOPPING_TRUE;
  mt_search *search = run(&rules, m, lengthy_logits);
  g_assert_cmpuint(m->n_steps, ==, 2);
  assert_ids(search, 0, "10");
  assert_ids(search, 1, "0");
  mt_search_free(search);
  rules.params.early_stopping = MT_EARLY_STOPPING_FALSE;
  search = run(&rules, m, lengthy_logits);
  g_assert_cmpuint(m->n_steps, ==, 11);
  assert_ids(search, 0, "11111111111");
  mt_search_free(search);
}

/* Equal scores: the lower beam, then the lower id. */
static void
equal_logits(const int32_t *prefix, size_t n, float *row)
{
  for (size_t i = 0; i < VOCAB; i++)
    row[i] = i == EOS || i == START ? -50 : 1;
}

static void
test_ties(void)
{
  g_autofree hand_model *m = g_new(hand_model, 1);
  mt_search_rules rules = rules_new(1, 4);
  mt_search *search = run(&rules, m, equal_logits);
  assert_ids(search, 0, "111");
  mt_search_free(search);
  rules = rules_new(3, 4);
  search = run(&rules, m, equal_logits);
  assert_ids(search, 0, "111");
  assert_ids(search, 1, "112");
  assert_ids(search, 2, "113");
  mt_search_free(search);
}

/* ---- Terms -------------------------------------------------------------------------------------
 */

static bool
has_row(const int32_t *ids, size_t n, const mt_term *term)
{
  for (size_t i = 0; i + term->n <= n; i++)
    if (memcmp(ids + i, term->ids, term->n * sizeof *ids) == 0)
      return true;
  return false;
}

static bool
has_all(const int32_t *ids, size_t n, const mt_term *terms, size_t n_terms)
{
  for (size_t i = 0; i < n_terms; i++)
    if (!has_row(ids, n, &terms[i]))
      return false;
  return true;
}

static void
assert_has_terms(const mt_search *search, const mt_term *terms, size_t n_terms)
{
  for (size_t i = 0; i < search->n_results; i++) {
    const mt_search_hypothesis *h = search->finished[i];
    g_assert_true(has_all(h->ids, h->n, terms, n_terms));
  }
}

/* Digits are ids, a blank is between two terms: "12 3". */
static mt_constraints *
terms_of(const char *text, mt_term *terms, size_t *n, int32_t *ids)
{
  mt_error error = {0};
  *n = 0;
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  for (; words[*n]; (*n)++) {
    terms[*n] = (mt_term){ids, strlen(words[*n])};
    for (const char *c = words[*n]; *c; c++)
      *ids++ = *c - '0';
  }
  mt_constraints *constraints = mt_constraints_with_terms(NULL, terms, *n, &error);
  g_assert_nonnull(constraints);
  return constraints;
}

/* The beam holds all hypotheses there are: the results are the best of all translations that have
 * the terms, in their order. None of the terms begin as others end: in the last tokens no overlap
 * is counted on. */
static void
test_terms_exhaustive(void)
{
  static const char *const texts[] = {"1", "12", "33", "2 3", "12 33", "121 2", "1 2 3", "31 1 31"};
  for (logits_seed = 1; logits_seed < 12; logits_seed++)
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
      int32_t ids[8], prefix[MAX_IDS] = {START};
      mt_term terms[4];
      size_t n_terms;
      g_autoptr(mt_constraints) constraints = terms_of(texts[i], terms, &n_terms, ids);
      mt_search_rules rules = rules_new(256, 5);
      rules.params.early_stopping = MT_EARLY_STOPPING_NEVER;
      rules.params.constraints = constraints;
      g_assert_true(mt_search_check_constraints(&rules, NULL));
      g_autofree hand_model *m = g_new(hand_model, 1);
      g_autoptr(mt_search) search = run(&rules, m, hashed_logits);
      GArray *all = g_array_new(FALSE, TRUE, sizeof(scored));
      enumerate(all, prefix, 1, 0, 5, 1);
      for (guint k = all->len; k-- > 0;) {
        const char *found = g_array_index(all, scored, k).ids;
        int32_t said[MAX_IDS] = {0};
        size_t n = 0;
        for (; n == 0 || (n < 4 && said[n - 1] != EOS); n++)
          said[n] = found[n] - '0';
        if (!has_all(said, n, terms, n_terms))
          g_array_remove_index_fast(all, k);
      }
      qsort(all->data, all->len, sizeof(scored), by_score);
      g_assert_cmpuint(all->len, >, 0);
      g_assert_cmpuint(search->n_results, ==, MIN(all->len, 256));
      for (size_t k = 0; k < search->n_results; k++) {
        const mt_search_hypothesis *h = search->finished[k];
        g_assert_cmpfloat_with_epsilon(h->score, g_array_index(all, scored, k).score, 1e-5);
      }
      assert_has_terms(search, terms, n_terms);
      g_array_free(all, TRUE);
    }
}

/* Whatever else is asked for, and however few places there are: every result has the terms, and its
 * log-probabilities are the model's. */
static void
test_terms_everywhere(void)
{
  static const char *const texts[] = {"3", "12 3", "333 1", "1 2 3 22", "12 21"};
  const int32_t prefix[] = {2, 1};
  g_autofree hand_model *m = g_new(hand_model, 1);
  size_t n_results = 0;
  for (logits_seed = 1; logits_seed < 40; logits_seed++)
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
      for (size_t beam_size = 1; beam_size <= 5; beam_size++) {
        int32_t ids[8];
        mt_term terms[4];
        size_t n_terms;
        mt_error error = {0};
        g_autoptr(mt_constraints) alone = terms_of(texts[i], terms, &n_terms, ids);
        g_autoptr(mt_constraints) begun =
            mt_constraints_new(prefix, logits_seed % 3, NULL, 0, &error);
        g_autoptr(mt_constraints) both = mt_constraints_with_terms(begun, terms, n_terms, &error);
        mt_search_rules rules = rules_new(beam_size, 8 + logits_seed % 5);
        rules.params.constraints = both;
        rules.params.min_length = logits_seed % 7;
        rules.params.early_stopping = (mt_early_stopping) (logits_seed % 3);
        rules.forced_eos_id = logits_seed % 2 ? EOS : -1;
        rules.params.no_repeat_ngram_size = logits_seed % 4 == 3 ? 3 : 0;
        if (strstr(texts[i], "333"))
          rules.params.no_repeat_ngram_size = 0;
        g_assert_true(mt_search_check_constraints(&rules, &error));
        g_autoptr(mt_search) search = run(&rules, m, hashed_logits);
        g_assert_cmpuint(search->n_results, >, 0);
        assert_has_terms(search, terms, n_terms);
        for (size_t k = 0; k < search->n_results; k++) {
          const mt_search_hypothesis *h = search->finished[k];
          int32_t so_far[MAX_IDS] = {START};
          g_assert_cmpuint(h->n, >=, rules.params.min_length);
          g_assert_true(k == 0 || h->score <= search->finished[k - 1]->score);
          for (size_t t = 0; t < h->n; t++) {
            float row[VOCAB], sum = 0;
            hashed_logits(so_far, t + 1, row);
            for (size_t v = 0; v < VOCAB; v++)
              sum += expf(row[v]);
            g_assert_cmpfloat_with_epsilon(h->logprobs[t], row[h->ids[t]] - logf(sum), 1e-5);
            g_assert_true(t >= logits_seed % 3 || h->ids[t] == prefix[t]);
            so_far[t + 1] = h->ids[t];
          }
          n_results++;
        }
      }
  g_assert_cmpuint(n_results, >, 1000);
}

/* What the model would have said anyway costs nothing; terms that nobody would say come late or
 * early, by their price. */
static void
test_terms_places(void)
{
  g_autofree hand_model *m = g_new(hand_model, 1);
  mt_search_bank banks[3] = {{.n_found = 9}, {.n_found = 1}, {.n_found = 3}};
  mt_terms_allocate(banks, 3, 8); /* 2 + 2 + 2, and 2 for the last, which has 3 only */
  g_assert_cmpuint(banks[2].n_places, ==, 3);
  g_assert_cmpuint(banks[1].n_places, ==, 1);
  g_assert_cmpuint(banks[0].n_places, ==, 4);
  banks[0].n_found = 1; /* what the lowest cannot fill goes to the uppermost */
  banks[2].n_found = 9;
  mt_terms_allocate(banks, 3, 8);
  g_assert_cmpuint(banks[2].n_places, ==, 6);
  g_assert_cmpuint(banks[1].n_places, ==, 1);
  g_assert_cmpuint(banks[0].n_places, ==, 1);
  int32_t ids[8];
  mt_term terms[4];
  size_t n_terms;
  /* One place goes to what has most of the terms. */
  mt_constraints *constraints = terms_of("23", terms, &n_terms, ids);
  mt_search_rules rules = rules_new(1, 6);
  rules.params.constraints = constraints;
  mt_search *search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "23111");
  mt_search_free(search);
  mt_constraints_unref(constraints);
  /* One that another has is there with it, and of two that are the same one is enough. */
  constraints = terms_of("2 23 3 23", terms, &n_terms, ids);
  g_assert_cmpuint(mt_constraints_n_wanted(constraints), ==, 2);
  rules.params.constraints = constraints;
  search = run(&rules, m, fixed_logits);
  assert_ids(search, 0, "23111");
  mt_search_free(search);
  mt_constraints_unref(constraints);
}

static void
assert_refused(mt_search_rules *rules, const char *terms_text, const char *said)
{
  int32_t ids[300];
  mt_term terms[8];
  size_t n;
  mt_error error = {0};
  g_autoptr(mt_constraints) constraints = terms_of(terms_text, terms, &n, ids);
  rules->params.constraints = constraints;
  g_assert_false(mt_search_check_constraints(rules, &error));
  g_assert_nonnull(strstr(error.message, said));
  rules->params.constraints = NULL;
}

static void
test_terms_refused(void)
{
  const int32_t one[] = {1}, two[] = {2, 3};
  const int32_t *words[] = {one, two};
  const size_t lengths[] = {1, 2};
  mt_search_rules rules = rules_new(2, 6);
  rules.n_bad_words = 1;
  rules.bad_words = words;
  rules.bad_word_lengths = lengths;
  rules.forced_eos_id = EOS;
  assert_refused(&rules, "21", "Token 2 of term 1 has the id 1, which is a bad word");
  assert_refused(&rules, "2 3 23 9", "Token 1 of term 4 has the id 9; the vocabulary");
  assert_refused(&rules, "3 20", "Token 2 of term 2 ends the translation");
  assert_refused(&rules, "223 33",
                 "The terms have 5 tokens; with a maximum length of 6 there is room for 4.");
  rules.generation.suppressed = (mt_id_list){two, 1};
  assert_refused(&rules, "32", "Token 2 of term 1 has the id 2, which this model suppresses");

  /* What only turns out on the way: no translation without 2 behind 2 has 22. */
  mt_error error = {0};
  int32_t ids[8];
  mt_term terms[4];
  size_t n;
  rules = rules_new(2, 6);
  rules.params.no_repeat_ngram_size = 1;
  g_autoptr(mt_constraints) constraints = terms_of("22", terms, &n, ids);
  rules.params.constraints = constraints;
  g_autoptr(mt_search) search = mt_search_new(&rules, &error);
  g_autofree hand_model *m = g_new0(hand_model, 1);
  m->logits = fixed_logits;
  g_assert_false(run_to_end(search, m, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, "all of the terms"));
}

static void
test_parameters(void)
{
  const mt_search_params good = mt_search_params_default(NULL);
  mt_error error = {0};
  g_assert_true(mt_search_check(&good, 512, &error));
  struct {
    mt_search_params params;
  } bad[8];
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
    bad[i].params = good;
  bad[0].params.beam_size = 0;
  bad[1].params.beam_size = 100000;
  bad[2].params.n_best = 2;
  bad[3].params.n_best = 0;
  bad[4].params.max_length = 513;
  bad[5].params.max_length = 1;
  bad[6].params.length_penalty = NAN;
  bad[7].params.early_stopping = (mt_early_stopping) 7;
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    error = (mt_error){0};
    g_assert_false(mt_search_check(&bad[i].params, 512, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_cmpuint(strlen(error.message), >, 20);
  }
}

TESTS()
{
  g_test_add_func("/search/exhaustive", test_exhaustive);
  g_test_add_func("/search/greedy", test_greedy);
  g_test_add_func("/search/forced", test_forced);
  g_test_add_func("/search/min-length", test_min_length);
  g_test_add_func("/search/bad-words", test_bad_words);
  g_test_add_func("/search/more-rules", test_more_rules);
  g_test_add_func("/search/everything-forbidden", test_everything_forbidden);
  g_test_add_func("/search/not-a-number", test_not_a_number);
  g_test_add_func("/search/ends-outside-the-beam", test_ends_outside_the_beam_do_not_count);
  g_test_add_func("/search/early-stopping", test_early_stopping);
  g_test_add_func("/search/early-stopping-false", test_early_stopping_false_goes_on);
  g_test_add_func("/search/ties", test_ties);
  g_test_add_func("/search/terms/exhaustive", test_terms_exhaustive);
  g_test_add_func("/search/terms/everywhere", test_terms_everywhere);
  g_test_add_func("/search/terms/places", test_terms_places);
  g_test_add_func("/search/terms/refused", test_terms_refused);
  g_test_add_func("/search/parameters", test_parameters);
}

/* mt-search.h — finding a good translation, given only a function that says what comes next.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * There are no tensors in here: the search sees rows of logits and hands out token ids, so it is
 * tested against exhaustive search with a hand-made step. Semantics: Hugging Face `generate`.
 */
#ifndef MT_SEARCH_H
#define MT_SEARCH_H

#include "kernels/mt-kernels.h"
#include "mt.h"

/* What is allowed, wanted and forced; everything borrowed for the life of the search. */
typedef struct {
  mt_search_params params;
  size_t vocab_size;
  int32_t start_id, eos_id;
  int32_t forced_bos_id, forced_eos_id; /* -1: none */
  /* The former is the token of a language, which a prefix does not replace: it stands before the
   * prefix (n_before 1), or in place of its first token, which is one, too (n_before 0). */
  bool begins_with_language;
  size_t n_before;
  size_t n_bad_words;
  const int32_t *const *bad_words;
  const size_t *bad_word_lengths;
  mt_generation generation; /* its repetition_penalty and no_repeat_ngram_size are in the params */
} mt_search_rules;

/* A hypothesis: ids without the start token. */
typedef struct {
  int32_t *ids;    /* [n], room for max_length - 1 */
  float *logprobs; /* [n] of the model, before any rule changed them */
  uint32_t *rows;  /* [n] from which row of each step's logits the token came */
  size_t n;
  float sum;   /* of the log-probabilities after the rules: one that the model forces counts 0, and
                  so does one of a prefix that is left out of the score */
  float score; /* finished: mt_search_score */
  bool is_finished;
  int32_t node; /* in what is traced; -1: the start token */
} mt_search_hypothesis;

typedef struct mt_search mt_search;

/* Memory for a whole search; rules->params must be valid (mt_search_check). */
mt_search *mt_search_new(const mt_search_rules *rules, mt_error *error);
void mt_search_free(mt_search *search);

/* The ids of the text, before mt_search_begin; borrowed until the search is done. For rules that
 * look there. */
void mt_search_set_source(mt_search *search, const int32_t *ids, size_t n);

/* Greedy for beam_size 1, else beam search; step by step, so that searches can take turns. After
 * mt_search_begin and after each mt_search_advance, search->n_rows hypotheses are to be continued:
 * hypothesis i continues hypothesis search->parents[i] of the step before with search->ids[i] (at
 * first there is one, and the start token; parents[0] is 0). mt_search_advance wants the logits
 * [n_rows][vocab_size] of the next token, which it may overwrite. n_rows 0: the search is done, and
 * there is at least one hypothesis. */
void mt_search_begin(mt_search *search);
bool mt_search_advance(mt_search *search, float *rows, mt_error *error);

/* After an advance: of the best hypothesis that goes on, or that was the last. False: there is none
 * to tell of. */
bool mt_search_progress(const mt_search *search, mt_progress *progress);

/* What a greedy search will probably choose, by logits that are not its own: the hypothesis so far
 * is copied, and grows with every guess. Nothing else happens to the search. */
const mt_search_hypothesis *mt_search_begin_guess(mt_search *search);
/* One more token, by the logits behind it [vocab_size], which are lost. False: it would be the
 * last, or nothing can be said; the guess stays as it is. */
bool mt_search_guess(mt_search *search, float *row);

/* Are the parameters in range for a model with so many positions? MT_ERROR_INPUT names the first
 * that is not. In mt-request.c. */
bool mt_search_check(const mt_search_params *params, size_t max_positions, mt_error *error);
/* Likewise the constraints of rules whose params are. In mt-constraints.c. */
bool mt_search_check_constraints(const mt_search_rules *rules, mt_error *error);

/* How many tokens, 0 or 1, such a model puts before a prefix: the token of the language, unless the
 * prefix was taken from a translation and begins with one itself. In mt-constraints.c. */
size_t mt_search_n_before(const mt_search_params *params, const mt_model *model);
/* So many tokens at the beginning are the prefix, with what stands before it. */
size_t mt_search_n_prefix(const mt_search_rules *rules);

/* sum / n^length_penalty of a hypothesis of n tokens, without those that are left out. */
float mt_search_score(const mt_search_rules *rules, float sum, size_t n);

/* Whether there is anything to penalise: 1 and 0 are none. */
static inline bool
mt_search_is_penalty(float penalty)
{
  return penalty > 0 && penalty != 1;
}

/* What a finished search has traced, which is the caller's from now on (mt_steps_free); NULL:
 * nothing. */
mt_steps *mt_search_take_steps(mt_search *search);
void mt_steps_free(mt_steps *steps);

/* ---- Shared by mt-search.c, mt-rules.c and mt-steps.c ---------------------------------------- */

/* A continuation under consideration. */
typedef struct {
  float sum;
  float logprob;        /* before the rules */
  uint32_t parent, row; /* hypothesis that it continues, row of logits that it comes from */
  int32_t id;
  bool is_end;   /* </s>, or as long as allowed */
  bool runs_on;  /* it has a place among those that go on … */
  bool competes; /* … or ends, and may have one among the finished */
  int32_t node;  /* in what is traced */
} mt_search_candidate;

/* Continuations that have the same number of tokens of the terms; without terms there
 * is one bank. */
typedef struct {
  mt_search_candidate *candidates; /* [n_considered] best first */
  size_t n;
  size_t n_found, n_places; /* of those that could run on; of those that do */
} mt_search_bank;

/* Terms that must be there, those that others contain left out. n 0: none. */
typedef struct {
  mt_term *terms; /* [n] */
  size_t n, n_tokens;
  int32_t *ids; /* [n_ids] their tokens, each once */
  size_t n_ids;
  bool *is_token; /* [vocab_size] whether it is one of these */
  bool *is_there; /* [n] in the hypothesis that was looked at */
} mt_terms;

/* What a row of logits says, before the rules and after them. */
typedef struct {
  float log_sum;  /* ln sum exp of the words that take part: logit - log_sum is log p */
  float offset;   /* logit - offset is the score that rules change: log p with beams, with greedy
                     search the logit itself, as in `generate` */
  float counted;  /* after the rules logit - counted is what is added to the sum of a hypothesis */
  bool is_forced; /* the model or the prefix leaves no choice, and that counts 0 */
  float forced;   /* then: log p of the one that is left */
  bool is_rewritten; /* rules have changed logits that are still a choice: see `before` */
} mt_search_row;

struct mt_search {
  mt_search_rules rules;
  const mt_kernels *kernels;
  size_t capacity;            /* ids in a hypothesis: max_length - 1 */
  size_t n_results;           /* in finished; at most n_best */
  size_t n_rows, n_running;   /* hypotheses to be continued; in a beam also those that go on */
  mt_search_hypothesis *pool; /* all of them, with memory */
  size_t n_pool;
  mt_search_hypothesis **running, **next; /* [beam_size] */
  mt_search_hypothesis **finished;        /* [beam_size], best first */
  size_t n_considered;   /* continuations of a bank: twice as many as beams, or more */
  mt_search_bank *banks; /* [n_banks] by tokens of terms that are there */
  size_t n_banks;
  mt_search_candidate *considered; /* [n_banks][n_considered]; NULL: of one bank, candidates */
  mt_terms terms;
  mt_search_candidate *candidates; /* those of a step, best first */
  uint32_t *parents;               /* [beam_size] */
  int32_t *ids;                    /* [beam_size] */
  const int32_t *source;           /* [n_source] */
  size_t n_source;
  mt_search_row *rows; /* [beam_size] */
  float *before; /* [beam_size][vocab_size] logits before rules rewrote them; NULL: they never do */
  uint32_t *seen, stamp; /* [vocab_size] which ids were met in this walk; or NULL */
  mt_steps *steps;       /* NULL: nothing is traced */
};

/* Row r of this step, the logits behind a hypothesis (mt-rules.c): search->rows[r] is filled, and
 * words that take no part become -INFINITY. False with an error if the model lost itself in NaN. */
bool mt_rules_begin_row(mt_search *search, size_t r, const mt_search_hypothesis *so_far, float *row,
                        mt_error *error);
/* Then the rules: what is no choice becomes -INFINITY. */
void mt_rules_apply(mt_search *search, size_t r, const mt_search_hypothesis *so_far, float *row);

/* Log-probability of a token in row r, before the rules. */
float mt_search_logprob(const mt_search *search, size_t r, const float *row, int32_t id);

/* Whether rules that these ask for need room for the logits before, and for marks of ids. */
bool mt_search_rewrites(const mt_search_rules *rules);

static inline bool
mt_search_is_eos(const mt_search_rules *rules, int32_t id)
{
  const mt_id_list *more = &rules->generation.more_eos_ids;
  bool is = id == rules->eos_id;
  for (size_t i = 0; !is && i < more->n; i++)
    is = id == more->ids[i];
  return is;
}

/* Whether hypotheses compete: more than one, or terms, for which a greedy choice is none. */
bool mt_search_has_beams(const mt_search_rules *rules);

/* Whether the model's configuration leaves one token behind a hypothesis, which then counts 0; not
 * where the prefix does. */
bool mt_search_model_forces(const mt_search *search, const mt_search_hypothesis *so_far);
/* Whether what comes behind a hypothesis counts 0: that, or a prefix that is left out. */
bool mt_search_counts_nothing(const mt_search *search, const mt_search_hypothesis *so_far);

/* What takes a token away behind a hypothesis; MT_RULE_NONE: nothing. */
mt_rule mt_search_rule_of(const mt_search *search, const mt_search_hypothesis *so_far, int32_t id);

/* Sums below are of copies of the start, which generate carries along with -1e9 until there are
 * others; they are no hypotheses. */
#define MT_SEARCH_NOT_IN_QUESTION -5e8f

/* ---- What is traced (mt-steps.c): nothing happens where search->steps is NULL ---------------- */

/* For rules whose params have a trace. */
mt_steps *mt_steps_new(const mt_search_rules *rules, mt_error *error);
/* The search begins anew: what was traced is forgotten. */
void mt_steps_begin(mt_search *search);
/* Row r of this step, behind a hypothesis: its logits before the rules, and after them. */
void mt_steps_see_logits(mt_search *search, size_t r, const mt_search_hypothesis *so_far,
                         const float *row, float log_sum);
void mt_steps_see_rules(mt_search *search, size_t r, const mt_search_hypothesis *so_far,
                        const float *row, float log_sum);
/* The candidates [n] of the step, best first, become nodes. */
void mt_steps_add_nodes(mt_search *search, mt_search_candidate *candidates, size_t n);
/* A node of this step runs on, or has its place among the finished. */
void mt_steps_run_on(mt_search *search, int32_t node);
void mt_steps_finished(mt_search *search, int32_t node);
/* An ended one has no place, or no longer: so much score was missing. */
void mt_steps_outdone(mt_search *search, int32_t node, float margin);
/* Nothing more is decided in this step: what has no fate is pruned. least: the least sum that runs
 * on, or that was considered; least_end: that an ended one had to have. */
void mt_steps_end_step(mt_search *search, float least, float least_end);
/* The search is done. False: there was no memory on the way. */
bool mt_steps_end(mt_search *search, mt_error *error);

/* ---- Terms ----------------------------------------------------------------------------------- */

/* Which of the terms that a translation must have are there, and which places of the
 * beam hypotheses have that are so far.
 *
 * Lexically constrained decoding by dynamic beam allocation: M. Post and D. Vilar, "Fast Lexically
 * Constrained Decoding with Dynamic Beam Allocation for Neural Machine Translation", NAACL 2018.
 * Continuations stand in banks: bank b has those with b of the C tokens of all terms. Each of the
 * C + 1 banks has beam_size / (C + 1) of the places, the last one, where nothing is missing, what
 * is left over; places that a bank cannot fill go to the one below it, and what is left then to the
 * uppermost that has more. Hypotheses end in the last bank only.
 *
 * Where the paper considers the best continuations of all, the best of each hypothesis and those
 * that go on with a term, the best of each bank are considered here, among all continuations: none
 * of the paper's is missing. A term is there if its tokens are in a row, whatever else they are
 * part of, so that terms may overlap; of several that are begun the longest beginning counts. Terms
 * that others contain ask for nothing. Probabilities and scores stay those of the model and its
 * rules. */

/* Memory for those of the rules; terms->n is 0 if there are none. */
bool mt_terms_init(mt_terms *terms, const mt_search_rules *rules);
void mt_terms_clear(mt_terms *terms);

/* Tokens of terms that are missing behind ids [n]: with so many more, the terms one behind the
 * other, all are there. */
size_t mt_terms_missing(const mt_constraints *constraints, const int32_t *ids, size_t n);

/* How many tokens a translation can have before one that it must end with. */
size_t mt_terms_room(const mt_search_rules *rules);

/* A hypothesis is looked at; returns how many are missing behind a token that no term has. Then:
 * how many behind it and this token. */
size_t mt_terms_look(mt_terms *terms, const mt_search_hypothesis *so_far);
size_t mt_terms_missing_behind(const mt_terms *terms, const mt_search_hypothesis *so_far,
                               int32_t id);

/* How many places each of the n banks has, of so many, if it can fill at most n_found of them. */
void mt_terms_allocate(mt_search_bank *banks, size_t n, size_t n_places);

#endif

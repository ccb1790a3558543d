/* mt-search.c — the memory of a search, hypotheses, greedy search and beam search.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-search.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Banks, and a list of what they have: without terms they are the same. */
static bool
new_banks(mt_search *search)
{
  if (!mt_terms_init(&search->terms, &search->rules))
    return false;
  size_t n = search->n_considered, n_all = search->n_banks = search->terms.n_tokens + 1;
  bool is_one = n_all == 1;
  search->banks = mt_alloc(n_all, sizeof *search->banks);
  /* What runs on or ends is in the list, whatever else is better. */
  search->candidates = mt_alloc(is_one ? n : 2 * n, sizeof *search->candidates);
  search->considered = is_one ? NULL : mt_alloc(n_all * n, sizeof *search->considered);
  if (!search->banks || !search->candidates || (!is_one && !search->considered))
    return false;
  for (size_t b = 0; b < n_all; b++)
    search->banks[b] =
        (mt_search_bank){.candidates = is_one ? search->candidates : search->considered + b * n};
  return true;
}

mt_search *
mt_search_new(const mt_search_rules *rules, mt_error *error)
{
  mt_search *search = mt_alloc(1, sizeof *search);
  if (!search)
    return mt_fail_no_memory(error), NULL;
  size_t n = rules->params.beam_size;
  search->rules = *rules;
  search->kernels = mt_kernels_best();
  search->capacity = rules->params.max_length - 1;
  search->n_pool = 3 * n; /* running, next, finished */
  search->pool = mt_alloc(search->n_pool, sizeof *search->pool);
  search->running = mt_alloc(n, sizeof *search->running);
  search->next = mt_alloc(n, sizeof *search->next);
  search->finished = mt_alloc(n, sizeof *search->finished);
  /* As many of the best may end as there are ends, and enough must be left to run on. */
  search->n_considered = (2 + rules->generation.more_eos_ids.n) * n;
  bool has_banks = new_banks(search);
  search->parents = mt_alloc(n, sizeof *search->parents);
  search->ids = mt_alloc(n, sizeof *search->ids);
  search->rows = mt_alloc(n, sizeof *search->rows);
  bool rewrites = mt_search_rewrites(rules);
  if (rewrites) {
    search->before = mt_alloc(n * rules->vocab_size, sizeof *search->before);
    search->seen = mt_alloc(rules->vocab_size, sizeof *search->seen);
  }
  bool traces = rules->params.trace > 0;
  if (traces)
    search->steps = mt_steps_new(rules, NULL);
  bool ok = (search->steps || !traces) && search->pool && search->running && search->next &&
            search->finished && has_banks && search->parents && search->ids && search->rows &&
            (!rewrites || (search->before && search->seen));
  if (ok && rewrites)
    memset(search->seen, 0, rules->vocab_size * sizeof *search->seen);
  for (size_t i = 0; ok && i < search->n_pool; i++) {
    search->pool[i].ids = mt_alloc(search->capacity, sizeof(int32_t));
    search->pool[i].logprobs = mt_alloc(search->capacity, sizeof(float));
    search->pool[i].rows = mt_alloc(search->capacity, sizeof(uint32_t));
    ok = search->pool[i].ids && search->pool[i].logprobs && search->pool[i].rows;
  }
  if (!ok) {
    mt_search_free(search);
    return mt_fail_no_memory(error), NULL;
  }
  for (size_t i = 0; i < n; i++) {
    search->running[i] = &search->pool[i];
    search->next[i] = &search->pool[n + i];
    search->finished[i] = &search->pool[2 * n + i];
  }
  return search;
}

void
mt_search_free(mt_search *search)
{
  if (!search)
    return;
  for (size_t i = 0; search->pool && i < search->n_pool; i++) {
    mt_free(search->pool[i].ids);
    mt_free(search->pool[i].logprobs);
    mt_free(search->pool[i].rows);
  }
  mt_free(search->pool);
  mt_free(search->running);
  mt_free(search->next);
  mt_free(search->finished);
  mt_free(search->banks);
  mt_free(search->candidates);
  mt_free(search->considered);
  mt_terms_clear(&search->terms);
  mt_free(search->parents);
  mt_free(search->ids);
  mt_free(search->rows);
  mt_free(search->before);
  mt_free(search->seen);
  mt_steps_free(search->steps);
  mt_free(search);
}

mt_steps *
mt_search_take_steps(mt_search *search)
{
  mt_steps *steps = search->steps;
  search->steps = NULL;
  return steps;
}

/* ---- Hypotheses ------------------------------------------------------------------------------ */

static void
extend(mt_search_hypothesis *to, const mt_search_hypothesis *from, const mt_search_candidate *with)
{
  if (to != from) {
    memcpy(to->ids, from->ids, from->n * sizeof *to->ids);
    memcpy(to->logprobs, from->logprobs, from->n * sizeof *to->logprobs);
    memcpy(to->rows, from->rows, from->n * sizeof *to->rows);
  }
  to->n = from->n + 1;
  to->ids[to->n - 1] = with->id;
  to->logprobs[to->n - 1] = with->logprob;
  to->rows[to->n - 1] = with->row;
  to->sum = with->sum;
  to->score = 0;
  to->is_finished = false;
  to->node = with->node;
}

/* ---- A row of logits ------------------------------------------------------------------------- */

/* Row r of this step, the logits behind a hypothesis, before and after the rules, which the trace
 * sees: search->rows[r] is filled, and what is no choice becomes -INFINITY. False with an error if
 * the model lost itself in NaN. */
static bool
take_row(mt_search *search, size_t r, const mt_search_hypothesis *so_far, float *row,
         mt_error *error)
{
  if (!mt_rules_begin_row(search, r, so_far, row, error))
    return false;
  mt_steps_see_logits(search, r, so_far, row, search->rows[r].log_sum);
  mt_rules_apply(search, r, so_far, row);
  mt_steps_see_rules(search, r, so_far, row, search->rows[r].counted);
  return true;
}

/* ---- Greedy ---------------------------------------------------------------------------------- */

/* One is considered, and is chosen. */
static void
trace_choice(mt_search *search, mt_search_candidate *chosen)
{
  mt_steps_add_nodes(search, chosen, 1);
  if (chosen->is_end)
    mt_steps_finished(search, chosen->node);
  else
    mt_steps_run_on(search, chosen->node);
  mt_steps_end_step(search, chosen->sum, chosen->sum);
}

static bool
greedy_advance(mt_search *search, float *row, mt_error *error)
{
  const mt_search_rules *rules = &search->rules;
  mt_search_hypothesis *best = search->finished[0];
  if (!take_row(search, 0, best, row, error))
    return false;
  size_t most = search->kernels->arg_max(row, rules->vocab_size);
  if (row[most] == -INFINITY)
    return mt_fail(error, MT_ERROR_INPUT,
                   "After %zu tokens the rules for the output forbid every next token.", best->n);
  mt_search_candidate chosen = {.sum = best->sum + (row[most] - search->rows[0].counted),
                                .logprob = mt_search_logprob(search, 0, row, (int32_t) most),
                                .id = (int32_t) most,
                                .is_end = mt_search_is_eos(rules, (int32_t) most) ||
                                          best->n + 1 == search->capacity};
  trace_choice(search, &chosen);
  extend(best, best, &chosen);
  search->ids[0] = chosen.id;
  if (!chosen.is_end)
    return true;
  search->n_rows = 0;
  best->is_finished = true;
  best->score = mt_search_score(rules, best->sum, best->n);
  search->n_results = 1;
  return true;
}

const mt_search_hypothesis *
mt_search_begin_guess(mt_search *search)
{
  const mt_search_hypothesis *so_far = search->finished[0];
  mt_search_hypothesis *guess = search->next[0]; /* which only beams need */
  guess->n = so_far->n;
  memcpy(guess->ids, so_far->ids, so_far->n * sizeof *guess->ids);
  return guess;
}

bool
mt_search_guess(mt_search *search, float *row)
{
  const mt_search_rules *rules = &search->rules;
  mt_search_hypothesis *guess = search->next[0];
  if (!mt_rules_begin_row(search, 0, guess, row, NULL))
    return false;
  mt_rules_apply(search, 0, guess, row);
  size_t most = search->kernels->arg_max(row, rules->vocab_size);
  if (row[most] == -INFINITY || mt_search_is_eos(rules, (int32_t) most) ||
      guess->n + 1 == search->capacity)
    return false;
  guess->ids[guess->n++] = (int32_t) most;
  return true;
}

/* ---- Beam search ----------------------------------------------------------------------------- */

/* With the semantics of Hugging Face `generate` (its _beam_search).
 *
 * At each step the 2 * beam_size best continuations of all running hypotheses are considered, or
 * (1 + n) * beam_size where n tokens are an end. Those that end (</s>, or the maximum length)
 * compete with the finished hypotheses by sum / length^penalty, if they are among the first
 * beam_size; the best of the others run on. Sums are kept in 32 bits, and -1e9 stands for "not in
 * question", as there: with the same logits the same comparisons come out the same way. Of equals
 * the one with the lower index wins.
 *
 * With terms that a translation must have, that is so in each of several banks (mt-search.h). */

#define OUT_OF_QUESTION -1e9f

/* Insert a candidate into the list of a bank's best so far, best first. */
static void
keep(mt_search_bank *bank, size_t max, mt_search_candidate candidate)
{
  mt_search_candidate *best = bank->candidates;
  size_t at = bank->n < max ? bank->n++ : max - 1;
  for (; at > 0 && best[at - 1].sum < candidate.sum; at--)
    best[at] = best[at - 1];
  best[at] = candidate;
}

/* What a candidate must exceed to be kept. */
static float
least_of(const mt_search_bank *bank, size_t max)
{
  return bank->n == max ? bank->candidates[max - 1].sum : -INFINITY;
}

/* A row of logits, and the hypothesis that it is behind. */
typedef struct {
  const float *logits;
  size_t beam, row;
  const mt_search_hypothesis *so_far;
} row_behind;

static mt_search_candidate
candidate_of(const mt_search *search, const row_behind *of, int32_t id)
{
  return (mt_search_candidate){.sum = (of->logits[id] - search->rows[of->row].counted) +
                                      of->so_far->sum,
                               .logprob = mt_search_logprob(search, of->row, of->logits, id),
                               .parent = (uint32_t) of->beam,
                               .row = (uint32_t) of->row,
                               .id = id};
}

/* Where continuations belong of whose terms so many tokens are missing; NULL: there would be no
 * room for them. The prefix was checked as a whole. */
static mt_search_bank *
bank_of(mt_search *search, const mt_search_hypothesis *so_far, size_t missing)
{
  size_t n_prefix = mt_search_n_prefix(&search->rules), n = so_far->n + 1;
  bool fits = missing == 0 || n <= n_prefix || n + missing <= mt_terms_room(&search->rules);
  return fits ? &search->banks[search->terms.n_tokens - missing] : NULL;
}

/* Tokens that terms have lead to other banks than all the others. */
static void
find_terms(mt_search *search, const row_behind *of)
{
  for (size_t i = 0; i < search->terms.n_ids; i++) {
    int32_t id = search->terms.ids[i];
    size_t missing = mt_terms_missing_behind(&search->terms, of->so_far, id);
    mt_search_bank *bank = bank_of(search, of->so_far, missing);
    if (!bank || !isfinite(of->logits[id]))
      continue;
    mt_search_candidate candidate = candidate_of(search, of, id);
    if (candidate.sum > least_of(bank, search->n_considered))
      keep(bank, search->n_considered, candidate);
  }
}

/* The best continuations of one hypothesis into their banks. */
static void
find_behind(mt_search *search, const row_behind *of)
{
  size_t vocab_size = search->rules.vocab_size, max = search->n_considered;
  const bool *is_token = search->terms.is_token;
  size_t missing = mt_terms_look(&search->terms, of->so_far);
  mt_search_bank *bank = bank_of(search, of->so_far, missing);
  float counted = search->rows[of->row].counted, so_far = of->so_far->sum;
  find_terms(search, of);
  if (!bank)
    return;
  float least = least_of(bank, max);
  for (size_t i = 0; (i = search->kernels->find_above(of->logits, i, vocab_size, counted, so_far,
                                                      least)) < vocab_size;
       i++) {
    if (is_token && is_token[i])
      continue;
    keep(bank, max, candidate_of(search, of, (int32_t) i));
    least = least_of(bank, max);
  }
}

/* Behind a token of the prefix there is one hypothesis; copies of the start would only be more of
 * the same. */
static bool
is_copy(const mt_search *search, const mt_search_candidate *candidate)
{
  return candidate->sum < MT_SEARCH_NOT_IN_QUESTION &&
         search->running[candidate->parent]->n < mt_search_n_prefix(&search->rules);
}

/* Which candidates run on, and which may be among the finished. */
static void
choose(mt_search *search)
{
  size_t beam_size = search->rules.params.beam_size;
  for (size_t b = 0; b < search->n_banks; b++) {
    mt_search_bank *bank = &search->banks[b];
    bank->n_found = 0;
    for (size_t i = 0; i < bank->n; i++) {
      mt_search_candidate *candidate = &bank->candidates[i];
      candidate->is_end = mt_search_is_eos(&search->rules, candidate->id) ||
                          search->running[candidate->parent]->n + 1 == search->capacity;
      candidate->competes = candidate->is_end && i < beam_size;
      candidate->runs_on = !candidate->is_end && !is_copy(search, candidate);
      bank->n_found += candidate->runs_on;
    }
  }
  mt_terms_allocate(search->banks, search->n_banks, beam_size);
  for (size_t b = 0; b < search->n_banks; b++) {
    mt_search_bank *bank = &search->banks[b];
    size_t n = bank->n_places;
    for (size_t i = 0; i < bank->n; i++) {
      mt_search_candidate *candidate = &bank->candidates[i];
      candidate->runs_on = candidate->runs_on && n > 0;
      n -= candidate->runs_on;
    }
  }
}

/* The best of all banks, and all that is something, as one list, best first. Of equals the one that
 * has more of the terms is before. */
static size_t
merge(mt_search *search)
{
  mt_search_bank *banks = search->banks;
  size_t n = 0, left = 0;
  if (search->n_banks == 1)
    return banks[0].n;
  for (size_t b = 0; b < search->n_banks; b++) {
    left += banks[b].n;
    banks[b].n_found = 0; /* of those that are in the list */
  }
  for (; left > 0; left--) {
    const mt_search_candidate *best = NULL;
    mt_search_bank *from = NULL;
    for (size_t b = search->n_banks; b-- > 0;) {
      mt_search_bank *bank = &banks[b];
      if (bank->n_found == bank->n || (best && bank->candidates[bank->n_found].sum <= best->sum))
        continue;
      best = &bank->candidates[bank->n_found];
      from = bank;
    }
    from->n_found++;
    if (n < search->n_considered || best->runs_on || best->competes)
      search->candidates[n++] = *best;
  }
  return n;
}

/* The best continuations of all running hypotheses. rows [n_rows][vocab] are logits; in the first
 * step all hypotheses are the same and share one row. Returns how many. */
static bool
find_candidates(mt_search *search, float *rows, size_t n_rows, size_t n_running, size_t *n_found,
                mt_error *error)
{
  size_t vocab_size = search->rules.vocab_size;
  for (size_t r = 0; r < n_rows; r++)
    if (!take_row(search, r, search->running[r], rows + r * vocab_size, error))
      return false;
  for (size_t b = 0; b < search->n_banks; b++)
    search->banks[b].n = 0;
  for (size_t b = 0; b < n_running; b++) {
    size_t r = n_rows == 1 ? 0 : b;
    find_behind(search, &(row_behind){rows + r * vocab_size, b, r, search->running[b]});
  }
  choose(search);
  *n_found = merge(search);
  return true;
}

/* next = those that run on; returns how many. */
static size_t
continue_running(mt_search *search, size_t n_found)
{
  size_t n = 0;
  for (size_t i = 0; i < n_found; i++) {
    const mt_search_candidate *candidate = &search->candidates[i];
    if (!candidate->runs_on)
      continue;
    search->parents[n] = candidate->parent;
    search->ids[n] = candidate->id;
    extend(search->next[n++], search->running[candidate->parent], candidate);
    mt_steps_run_on(search, candidate->node);
  }
  return n;
}

static bool
all_finished(const mt_search *search)
{
  for (size_t i = 0; i < search->rules.params.beam_size; i++)
    if (!search->finished[i]->is_finished)
      return false;
  return true;
}

/* Put a candidate that ends in its place among the finished, which are kept best first. */
static void
finish(mt_search *search, const mt_search_candidate *candidate, float score)
{
  size_t last = search->rules.params.beam_size - 1;
  mt_search_hypothesis *slot = search->finished[last];
  float former = slot->score;
  int32_t former_node = slot->is_finished ? slot->node : -1;
  if (score <= former) {
    mt_steps_outdone(search, candidate->node, former - score);
    return;
  }
  extend(slot, search->running[candidate->parent], candidate);
  slot->score = score;
  slot->is_finished = true;
  size_t at = last;
  for (; at > 0 && search->finished[at - 1]->score < score; at--)
    search->finished[at] = search->finished[at - 1];
  search->finished[at] = slot;
  mt_steps_finished(search, candidate->node);
  mt_steps_outdone(search, former_node, search->finished[last]->score - former);
}

static void
update_finished(mt_search *search, size_t n_found)
{
  const mt_search_params *params = &search->rules.params;
  if (params->early_stopping == MT_EARLY_STOPPING_TRUE && all_finished(search))
    return;
  for (size_t i = 0; i < n_found; i++) {
    const mt_search_candidate *candidate = &search->candidates[i];
    size_t length = search->running[candidate->parent]->n + 1;
    if (candidate->competes)
      finish(search, candidate, mt_search_score(&search->rules, candidate->sum, length));
  }
}

/* Could the best running hypothesis still beat a finished one? A guess by design: it supposes the
 * best sum does not get better, and a length: the present one, or with "never" and a penalty that
 * favours length, the greatest. */
static bool
can_improve(const mt_search *search)
{
  const mt_search_params *params = &search->rules.params;
  bool longest = params->early_stopping == MT_EARLY_STOPPING_NEVER && params->length_penalty > 0;
  size_t length = longest ? search->capacity : search->running[0]->n;
  float attainable = mt_search_score(&search->rules, search->running[0]->sum, length);
  /* Finished hypotheses stand best first, so the last is the worst, if all places are taken. */
  float to_beat =
      all_finished(search) ? search->finished[params->beam_size - 1]->score : OUT_OF_QUESTION;
  return attainable > to_beat;
}

static void
beam_begin(mt_search *search)
{
  size_t beam_size = search->rules.params.beam_size;
  /* All hypotheses begin alike; only the first counts, or they would stay alike. Copies of it would
   * fill the banks of terms. */
  search->n_running = search->terms.n > 0 ? 1 : beam_size;
  for (size_t i = 0; i < beam_size; i++) {
    search->running[i]->sum = i == 0 ? 0 : OUT_OF_QUESTION;
    search->finished[i]->score = OUT_OF_QUESTION;
  }
}

static bool
is_done(const mt_search *search)
{
  return search->n_running == 0 || !can_improve(search) ||
         (search->rules.params.early_stopping == MT_EARLY_STOPPING_TRUE && all_finished(search));
}

/* What the others lacked. */
static void
end_step(mt_search *search, size_t n_found)
{
  size_t beam_size = search->rules.params.beam_size;
  if (n_found == 0)
    return;
  const mt_search_candidate *last = &search->candidates[n_found - 1];
  float least = search->n_running == beam_size ? search->next[beam_size - 1]->sum : last->sum;
  float least_end = n_found > beam_size ? search->candidates[beam_size - 1].sum : last->sum;
  mt_steps_end_step(search, least, least_end);
}

static bool
beam_advance(mt_search *search, float *rows, mt_error *error)
{
  const mt_search_params *params = &search->rules.params;
  bool is_first = search->n_rows == 1 && search->running[0]->n == 0;
  size_t n_found;
  if (!find_candidates(search, rows, search->n_rows, search->n_running, &n_found, error))
    return false;
  mt_steps_add_nodes(search, search->candidates, n_found);
  search->n_rows = search->n_running = continue_running(search, n_found);
  update_finished(search, n_found);
  end_step(search, n_found);
  for (size_t b = 0; is_first && b < search->n_running; b++)
    search->parents[b] = 0; /* there was one row to continue */
  mt_search_hypothesis **former = search->running;
  search->running = search->next;
  search->next = former;
  if (!is_done(search))
    return true;

  search->n_rows = 0;
  while (search->n_results < params->n_best && search->finished[search->n_results]->is_finished)
    search->n_results++;
  if (search->n_results == 0 && search->terms.n > 0)
    return mt_fail(
        error, MT_ERROR_INPUT,
        "With %zu tokens at most, the rules for the output leave no translation that has "
        "all of the terms.",
        params->max_length);
  return search->n_results > 0 ||
         mt_fail(error, MT_ERROR_INPUT,
                 "The rules for the output forbid every next token in all hypotheses.");
}

/* ---- Step by step ---------------------------------------------------------------------------- */

void
mt_search_set_source(mt_search *search, const int32_t *ids, size_t n)
{
  search->source = ids;
  search->n_source = n;
}

void
mt_search_begin(mt_search *search)
{
  for (size_t i = 0; i < search->n_pool; i++) {
    search->pool[i].n = 0;
    search->pool[i].sum = search->pool[i].score = 0;
    search->pool[i].is_finished = false;
    search->pool[i].node = -1;
  }
  search->n_results = 0;
  search->n_rows = 1;
  search->parents[0] = 0;
  search->ids[0] = search->rules.start_id;
  if (mt_search_has_beams(&search->rules))
    beam_begin(search);
  else
    search->running[0] = search->finished[0]; /* it runs until it is finished */
  mt_steps_begin(search);
}

bool
mt_search_advance(mt_search *search, float *rows, mt_error *error)
{
  bool ok = mt_search_has_beams(&search->rules) ? beam_advance(search, rows, error)
                                                : greedy_advance(search, rows, error);
  return ok && (search->n_rows > 0 || mt_steps_end(search, error));
}

bool
mt_search_progress(const mt_search *search, mt_progress *progress)
{
  const mt_search_hypothesis *best = search->running[0];
  if (search->n_running == 0 && mt_search_has_beams(&search->rules))
    return false;
  *progress =
      (mt_progress){.step = best->n - 1, .ids = best->ids, .n_ids = best->n, .score = best->sum};
  return true;
}

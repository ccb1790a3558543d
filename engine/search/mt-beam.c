/* mt-beam.c — beam search with the semantics of Hugging Face `generate` (its _beam_search).
 *
 * At each step the 2 * beam_size best continuations of all running hypotheses are considered, or
 * (1 + n) * beam_size where n tokens are an end. Those
 * that end (</s>, or the maximum length) compete with the finished hypotheses by
 * sum / length^penalty, if they are among the first beam_size; the best of the others run on. Sums
 * are kept in 32 bits, and -1e9 stands for "not in question", as there: with the same logits the
 * same comparisons come out the same way. Of equals the one with the lower index wins.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-search.h"

#include "base/mt-error.h"

#include <math.h>

#define OUT_OF_QUESTION -1e9f

/* Insert a candidate into the list of the best so far, best first. */
static void
keep(mt_search_candidate *best, size_t *n, size_t max, mt_search_candidate candidate)
{
  size_t at = *n < max ? (*n)++ : max - 1;
  for (; at > 0 && best[at - 1].sum < candidate.sum; at--)
    best[at] = best[at - 1];
  best[at] = candidate;
}

/* The best continuations of all running hypotheses. rows [n_rows][vocab] are logits; in the first
 * step all hypotheses are the same and share one row. Returns how many, at most n_considered. */
static bool
find_candidates(mt_search *search, float *rows, size_t n_rows, size_t n_running, size_t *n_found,
                mt_error *error)
{
  size_t vocab_size = search->rules.vocab_size, max = search->n_considered;
  for (size_t r = 0; r < n_rows; r++)
    if (!mt_search_take_row(search, r, search->running[r], rows + r * vocab_size, error))
      return false;
  *n_found = 0;
  float least = -INFINITY; /* what a candidate must exceed */
  for (size_t b = 0; b < n_running; b++) {
    size_t r = n_rows == 1 ? 0 : b;
    const float *row = rows + r * vocab_size;
    float counted = search->rows[r].counted, so_far = search->running[b]->sum;
    for (size_t i = 0;
         (i = search->kernels->find_above(row, i, vocab_size, counted, so_far, least)) < vocab_size;
         i++) {
      keep(search->candidates, n_found, max,
           (mt_search_candidate){.sum = (row[i] - counted) + so_far,
                                 .logprob = mt_search_logprob(search, r, row, (int32_t) i),
                                 .parent = (uint32_t) b,
                                 .row = (uint32_t) r,
                                 .id = (int32_t) i});
      if (*n_found == max)
        least = search->candidates[max - 1].sum;
    }
  }
  for (size_t i = 0; i < *n_found; i++) {
    mt_search_candidate *candidate = &search->candidates[i];
    candidate->is_end = mt_search_is_eos(&search->rules, candidate->id) ||
                        search->running[candidate->parent]->n + 1 == search->capacity;
  }
  return true;
}

/* Behind a token of the prefix there is one hypothesis; copies of the start would only be more of
 * the same. */
static bool
is_copy(const mt_search *search, const mt_search_candidate *candidate)
{
  size_t n_prefix;
  mt_constraints_prefix(search->rules.params.constraints, &n_prefix);
  return candidate->sum < MT_SEARCH_NOT_IN_QUESTION &&
         search->running[candidate->parent]->n < n_prefix;
}

/* next = the best candidates that do not end; returns how many. */
static size_t
continue_running(mt_search *search, size_t n_found)
{
  size_t n = 0;
  for (size_t i = 0; i < n_found && n < search->rules.params.beam_size; i++) {
    const mt_search_candidate *candidate = &search->candidates[i];
    if (candidate->is_end || is_copy(search, candidate))
      continue;
    search->parents[n] = candidate->parent;
    search->ids[n] = candidate->id;
    mt_search_extend(search->next[n++], search->running[candidate->parent], candidate);
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
  mt_search_extend(slot, search->running[candidate->parent], candidate);
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
  for (size_t i = 0; i < n_found && i < params->beam_size; i++) {
    const mt_search_candidate *candidate = &search->candidates[i];
    size_t length = search->running[candidate->parent]->n + 1;
    if (candidate->is_end)
      finish(search, candidate, mt_search_score(params, candidate->sum, length));
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
  float attainable = mt_search_score(params, search->running[0]->sum, length);
  /* Finished hypotheses stand best first, so the last is the worst, if all places are taken. */
  float to_beat =
      all_finished(search) ? search->finished[params->beam_size - 1]->score : OUT_OF_QUESTION;
  return attainable > to_beat;
}

void
mt_beam_begin(mt_search *search)
{
  search->n_running = search->rules.params.beam_size;
  /* All hypotheses begin alike; only the first counts, or they would stay alike. */
  for (size_t i = 0; i < search->n_running; i++) {
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

bool
mt_beam_advance(mt_search *search, float *rows, mt_error *error)
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
  return search->n_results > 0 ||
         mt_fail(error, MT_ERROR_INPUT,
                 "The rules for the output forbid every next token in all hypotheses.");
}

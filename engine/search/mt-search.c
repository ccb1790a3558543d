/* mt-search.c — the memory of a search, hypotheses, and greedy search.
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
    search->steps = mt_steps_new(&rules->params, NULL);
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

size_t
mt_search_count(const mt_search *search)
{
  return search->n_results;
}

const mt_search_hypothesis *
mt_search_get(const mt_search *search, size_t i)
{
  return search->finished[i];
}

/* ---- Hypotheses ------------------------------------------------------------------------------ */

/* The tokens of a hypothesis of n that count. */
static size_t
mt_search_counted(const mt_search_params *params, size_t n)
{
  size_t n_prefix;
  mt_constraints_prefix(params->constraints, &n_prefix);
  if (params->prefix_score == MT_PREFIX_COUNTED || n_prefix == 0)
    return n;
  return n > n_prefix ? n - n_prefix : 1; /* the prefix is all: its sum is 0 */
}

float
mt_search_score(const mt_search_params *params, float sum, size_t n)
{
  return sum / (float) pow((double) mt_search_counted(params, n), (double) params->length_penalty);
}

void
mt_search_extend(mt_search_hypothesis *to, const mt_search_hypothesis *from,
                 const mt_search_candidate *with)
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
  if (!mt_search_take_row(search, 0, best, row, error))
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
  mt_search_extend(best, best, &chosen);
  search->ids[0] = chosen.id;
  if (!chosen.is_end)
    return true;
  search->n_rows = 0;
  best->is_finished = true;
  best->score = mt_search_score(&rules->params, best->sum, best->n);
  search->n_results = 1;
  return true;
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
    mt_beam_begin(search);
  else
    search->running[0] = search->finished[0]; /* it runs until it is finished */
  mt_steps_begin(search);
}

bool
mt_search_advance(mt_search *search, float *rows, mt_error *error)
{
  bool ok = mt_search_has_beams(&search->rules) ? mt_beam_advance(search, rows, error)
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

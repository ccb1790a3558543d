/* mt-search.c — rules for the next token, and greedy search.
 *
 * The rules are those of Hugging Face `generate`, in its order: bad words, minimum length, forced
 * first token, forced last token. Lengths count the start token. Constraints, which people set, go
 * before what the model asks for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-search.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------- */

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
  search->candidates = mt_alloc(2 * n, sizeof *search->candidates);
  search->parents = mt_alloc(n, sizeof *search->parents);
  search->ids = mt_alloc(n, sizeof *search->ids);
  search->log_sums = mt_alloc(n, sizeof *search->log_sums);
  search->forced = mt_alloc(n, sizeof *search->forced);
  bool traces = rules->params.trace > 0;
  if (traces)
    search->steps = mt_steps_new(&rules->params, NULL);
  bool ok = (search->steps || !traces) && search->pool && search->running && search->next &&
            search->finished && search->candidates && search->parents && search->ids &&
            search->log_sums && search->forced;
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
  mt_free(search->candidates);
  mt_free(search->parents);
  mt_free(search->ids);
  mt_free(search->log_sums);
  mt_free(search->forced);
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

/* ---- Rules -------------------------------------------------------------------------------- */

/* Does start_id, ids[0], ids[1] … end with the first n_prefix ids of word? */
static bool
ends_with(const mt_search *search, const mt_search_hypothesis *so_far, const int32_t *word,
          size_t n_prefix)
{
  if (n_prefix > so_far->n + 1)
    return false;
  for (size_t i = 0; i < n_prefix; i++) {
    size_t at = so_far->n + 1 - n_prefix + i; /* 0 is the start token */
    if (word[i] != (at == 0 ? search->rules.start_id : so_far->ids[at - 1]))
      return false;
  }
  return true;
}

/* The token of the prefix that comes behind a hypothesis; -1: the prefix is over. */
static int32_t
prefix_id(const mt_search *search, const mt_search_hypothesis *so_far)
{
  size_t n;
  const int32_t *prefix = mt_constraints_prefix(search->rules.params.constraints, &n);
  return so_far->n < n ? prefix[so_far->n] : -1;
}

/* The token that the model's configuration forces behind a hypothesis; -1: none. */
static int32_t
forced_id(const mt_search *search, const mt_search_hypothesis *so_far)
{
  const mt_search_rules *rules = &search->rules;
  size_t length = so_far->n + 1;
  int32_t id = -1;
  if (length == 1)
    id = rules->forced_bos_id;
  if (length == rules->params.max_length - 1 && rules->forced_eos_id >= 0)
    id = rules->forced_eos_id;
  return id >= 0 && (size_t) id < rules->vocab_size ? id : -1;
}

/* The token that word i of the model takes away behind a hypothesis; -1: none. */
static int32_t
bad_id(const mt_search *search, const mt_search_hypothesis *so_far, size_t i)
{
  const mt_search_rules *rules = &search->rules;
  size_t n = rules->bad_word_lengths[i];
  const int32_t *word = rules->bad_words[i];
  bool is_only_eos = n == 1 && word[0] == rules->eos_id;
  if (n == 0 || is_only_eos || !ends_with(search, so_far, word, n - 1))
    return -1;
  return (size_t) word[n - 1] < rules->vocab_size ? word[n - 1] : -1;
}

/* Likewise what the constraints forbid. */
static int32_t
forbidden_id(const mt_search *search, const mt_search_hypothesis *so_far,
             const mt_forbidden *forbidden)
{
  size_t n = forbidden->n;
  bool is_here = forbidden->step == MT_EVERY_STEP || forbidden->step + n - 1 == so_far->n;
  return is_here && n - 1 <= so_far->n && ends_with(search, so_far, forbidden->ids, n - 1)
             ? forbidden->ids[n - 1]
             : -1;
}

static void
take_away(float *row, int32_t id)
{
  if (id >= 0)
    row[id] = -INFINITY;
}

static void
take_others_away(const mt_search *search, float *row, int32_t id, float logit)
{
  for (size_t i = 0; i < search->rules.vocab_size; i++)
    row[i] = -INFINITY;
  row[id] = logit;
}

bool
mt_search_apply_rules(const mt_search *search, const mt_search_hypothesis *so_far, float *row,
                      float log_sum, float *forced)
{
  const mt_search_rules *rules = &search->rules;
  size_t n;
  int32_t id = prefix_id(search, so_far);
  if (id >= 0) {
    take_others_away(search, row, id, row[id]);
    return false;
  }
  id = forced_id(search, so_far);
  if (id >= 0) {
    *forced = row[id] - log_sum;
    take_others_away(search, row, id, log_sum);
    return true;
  }
  for (size_t i = 0; i < rules->n_bad_words; i++)
    take_away(row, bad_id(search, so_far, i));
  const mt_forbidden *forbidden = mt_constraints_forbidden(rules->params.constraints, &n);
  for (size_t i = 0; i < n; i++)
    take_away(row, forbidden_id(search, so_far, &forbidden[i]));
  if (so_far->n + 1 < rules->params.min_length)
    take_away(row, rules->eos_id);
  return false;
}

bool
mt_search_model_forces(const mt_search *search, const mt_search_hypothesis *so_far)
{
  return prefix_id(search, so_far) < 0 && forced_id(search, so_far) >= 0;
}

mt_rule
mt_search_rule_of(const mt_search *search, const mt_search_hypothesis *so_far, int32_t id)
{
  const mt_search_rules *rules = &search->rules;
  size_t n;
  int32_t only = prefix_id(search, so_far);
  if (only >= 0)
    return only == id ? MT_RULE_NONE : MT_RULE_PREFIX;
  only = forced_id(search, so_far);
  if (only >= 0)
    return only == id ? MT_RULE_NONE : MT_RULE_FORCED;
  const mt_forbidden *forbidden = mt_constraints_forbidden(rules->params.constraints, &n);
  for (size_t i = 0; i < n; i++)
    if (forbidden_id(search, so_far, &forbidden[i]) == id)
      return MT_RULE_FORBIDDEN;
  for (size_t i = 0; i < rules->n_bad_words; i++)
    if (bad_id(search, so_far, i) == id)
      return MT_RULE_BAD_WORD;
  return id == rules->eos_id && so_far->n + 1 < rules->params.min_length ? MT_RULE_MIN_LENGTH
                                                                         : MT_RULE_NONE;
}

bool
mt_search_log_sum(const mt_search *search, const float *row, float *log_sum, mt_error *error)
{
  *log_sum = search->kernels->log_sum_exp(row, search->rules.vocab_size);
  return isfinite(*log_sum) ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "The model's logits are not finite numbers: its weights are damaged, or a hook "
                 "replaced too much.");
}

/* ---- Hypotheses ---------------------------------------------------------------------------- */

float
mt_search_score(float sum, size_t n, float length_penalty)
{
  return sum / (float) pow((double) n, (double) length_penalty);
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

/* ---- Greedy --------------------------------------------------------------------------------- */

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
  float log_sum, forced;
  if (!mt_search_log_sum(search, row, &log_sum, error))
    return false;
  mt_steps_see_logits(search, 0, best, row, log_sum);
  bool is_forced = mt_search_apply_rules(search, best, row, log_sum, &forced);
  mt_steps_see_rules(search, 0, best, row, log_sum);
  size_t most = search->kernels->arg_max(row, rules->vocab_size);
  if (row[most] == -INFINITY)
    return mt_fail(error, MT_ERROR_INPUT,
                   "After %zu tokens the rules for the output forbid every next token.", best->n);
  float logprob = row[most] - log_sum;
  mt_search_candidate chosen = {.sum = best->sum + logprob,
                                .logprob = is_forced ? forced : logprob,
                                .id = (int32_t) most,
                                .is_end = (int32_t) most == rules->eos_id ||
                                          best->n + 1 == search->capacity};
  trace_choice(search, &chosen);
  mt_search_extend(best, best, &chosen);
  search->ids[0] = chosen.id;
  if (!chosen.is_end)
    return true;
  search->n_rows = 0;
  best->is_finished = true;
  best->score = mt_search_score(best->sum, best->n, rules->params.length_penalty);
  search->n_results = 1;
  return true;
}

/* ---- Step by step ---------------------------------------------------------------------------- */

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
  if (search->rules.params.beam_size > 1)
    mt_beam_begin(search);
  else
    search->running[0] = search->finished[0]; /* it runs until it is finished */
  mt_steps_begin(search);
}

bool
mt_search_advance(mt_search *search, float *rows, mt_error *error)
{
  bool ok = search->rules.params.beam_size == 1 ? greedy_advance(search, rows, error)
                                                : mt_beam_advance(search, rows, error);
  return ok && (search->n_rows > 0 || mt_steps_end(search, error));
}

bool
mt_search_progress(const mt_search *search, mt_progress *progress)
{
  const mt_search_hypothesis *best = search->running[0];
  if (search->n_running == 0 && search->rules.params.beam_size > 1)
    return false;
  *progress =
      (mt_progress){.step = best->n - 1, .ids = best->ids, .n_ids = best->n, .score = best->sum};
  return true;
}

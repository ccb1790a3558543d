/* mt-steps.c — what a search considered: kept while it runs, if that is wanted.
 *
 * A search says what it sees and decides, in the order of mt-search.h; nothing here has a say in
 * it. Rows of a step are put together when all is decided, since what hypotheses went on with
 * belongs to them. Memory is taken as it is needed: how long a search will be is not known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-search.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <math.h>
#include <string.h>

/* Of hypotheses that are none (MT_SEARCH_NOT_IN_QUESTION). */
#define NO_NODE   -2
#define UNDECIDED SIZE_MAX

/* Blocks of a row for each token that is kept. Of two, about 1.4 times as many tokens as wanted
 * reach the bound (ln 2 for each block). Shorter ones are not worth it. */
#define BLOCKS      2
#define LEAST_BLOCK 8

/* One row of logits of the step that is under way. */
typedef struct {
  int32_t node; /* that it is behind; NO_NODE: it is not kept */
  float entropy;
  float best;          /* log-probability of the likeliest token that the rules left */
  bool counts_nothing; /* there is one, which is forced */
  bool is_changed;     /* penalties, or probabilities made anew: what counts is another number */
  size_t n;
  mt_option *options; /* [top] */
} seen_row;

/* What is only for the search. */
struct mt_steps_work {
  size_t *first_option; /* of each row: options are set at the end, since these move */
  size_t rows_capacity;
  mt_option *options;
  size_t n_options, options_capacity;
  size_t nodes_capacity;
  size_t first_node, former_node; /* of this step and the one before */
  seen_row *seen;                 /* [beam_size] */
  mt_option *seen_options;        /* [beam_size][top] */
  size_t n_seen;
  bool failed;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

mt_steps *
mt_steps_new(const mt_search_rules *rules, mt_error *error)
{
  const mt_search_params *params = &rules->params;
  mt_steps *steps = mt_alloc(1, sizeof *steps);
  if (!steps)
    return mt_fail_no_memory(error), NULL;
  size_t n = params->beam_size;
  steps->work = mt_alloc(1, sizeof *steps->work);
  if (!steps->work) {
    mt_free(steps);
    return mt_fail_no_memory(error), NULL;
  }
  steps->beam_size = n;
  steps->top = params->trace;
  steps->length_penalty = params->length_penalty;
  if (params->prefix_score == MT_PREFIX_LEFT_OUT)
    steps->n_left_out = mt_search_n_prefix(rules);
  steps->results = mt_alloc(n, sizeof *steps->results);
  steps->work->seen = mt_alloc(n, sizeof *steps->work->seen);
  steps->work->seen_options = mt_alloc(n * steps->top, sizeof *steps->work->seen_options);
  if (!steps->results || !steps->work->seen || !steps->work->seen_options) {
    mt_steps_free(steps);
    return mt_fail_no_memory(error), NULL;
  }
  for (size_t r = 0; r < n; r++)
    steps->work->seen[r].options = steps->work->seen_options + r * steps->top;
  return steps;
}

void
mt_steps_free(mt_steps *steps)
{
  if (!steps)
    return;
  mt_free(steps->rows);
  mt_free(steps->work->first_option);
  mt_free(steps->work->options);
  mt_free(steps->nodes);
  mt_free(steps->rows_behind);
  mt_free(steps->results);
  mt_free(steps->work->seen);
  mt_free(steps->work->seen_options);
  mt_free(steps->work);
  mt_free(steps);
}

/* Room for so many more; false, and nothing more is kept: there is none. */
static bool
grow(mt_steps *steps, void *list, size_t n, size_t more, size_t *capacity, size_t size)
{
  if (!steps->work->failed)
    steps->work->failed = !mt_grow(list, n, more, capacity, size);
  return !steps->work->failed;
}

/* The same for two lists of one length. */
static bool
grow_both(mt_steps *steps, void *a, size_t size_a, void *b, size_t size_b, size_t n, size_t more,
          size_t *capacity)
{
  size_t former = *capacity;
  return grow(steps, a, n, more, &former, size_a) && grow(steps, b, n, more, capacity, size_b);
}

void
mt_steps_begin(mt_search *search)
{
  if (!search->steps && search->rules.params.trace > 0) /* they were taken: this is another text */
    search->steps = mt_steps_new(&search->rules, NULL); /* NULL: mt_steps_end says so */
  mt_steps *steps = search->steps;
  if (!steps)
    return;
  steps->n_rows = steps->work->n_options = steps->n_nodes = steps->n_results = 0;
  steps->n_steps = steps->work->first_node = steps->work->former_node = steps->work->n_seen = 0;
  steps->work->failed = false;
}

/* ---- What follows a hypothesis --------------------------------------------------------------- */

/* Insert an option into the list of the likeliest, likeliest first; of equals the one with the
 * lower id is before. */
static void
keep(seen_row *seen, size_t top, mt_option option)
{
  size_t at = seen->n < top ? seen->n++ : top - 1;
  for (; at > 0 && seen->options[at - 1].logprob < option.logprob; at--)
    seen->options[at] = seen->options[at - 1];
  seen->options[at] = option;
}

/* The k-th largest of n, k from 0 (Hoare's FIND); moves them. */
static float
select_largest(float *x, size_t n, size_t k)
{
  for (size_t first = 0, last = n - 1; first < last;) {
    float pivot = x[k];
    size_t i = first, j = last;
    for (;;) {
      while (x[i] > pivot)
        i++;
      while (pivot > x[j])
        j--;
      if (i < j) {
        float kept = x[i];
        x[i] = x[j];
        x[j] = kept;
      }
      if (i <= j) {
        i++;
        if (j == 0)
          break;
        j--;
      }
      if (i > j)
        break;
    }
    if (j < k)
      first = i;
    if (k < i)
      last = j;
  }
  return x[k];
}

/* What at least `top` of a row reach, and not many more: one in each of the `top` blocks whose
 * largest are largest. Who looks for the best looks at those only. */
static float
lower_bound(const mt_search *search, const float *row, size_t top)
{
  float largest[BLOCKS * MT_MAX_TRACED];
  size_t n = BLOCKS * top, size = search->rules.vocab_size / n;
  if (size < LEAST_BLOCK)
    return -INFINITY;
  for (size_t b = 0; b < n; b++)
    largest[b] = row[b * size + search->kernels->arg_max(row + b * size, size)];
  return select_largest(largest, n, top - 1);
}

void
mt_steps_see_logits(mt_search *search, size_t r, const mt_search_hypothesis *so_far,
                    const float *row, float log_sum)
{
  mt_steps *steps = search->steps;
  size_t vocab_size = search->rules.vocab_size, i;
  if (!steps)
    return;
  seen_row *seen = &steps->work->seen[r];
  steps->work->n_seen = r + 1;
  seen->node = so_far->node;
  seen->n = 0;
  if (so_far->node == NO_NODE)
    return;
  seen->entropy = search->kernels->entropy(row, vocab_size, log_sum);
  /* The bound itself is among them: it is rounded as they are. */
  float least = nextafterf(lower_bound(search, row, steps->top) - log_sum, -INFINITY);
  for (i = 0; (i = search->kernels->find_above(row, i, vocab_size, log_sum, 0, least)) < vocab_size;
       i++) {
    keep(seen, steps->top, (mt_option){.id = (int32_t) i, .logprob = row[i] - log_sum});
    if (seen->n == steps->top)
      least = seen->options[steps->top - 1].logprob;
  }
}

void
mt_steps_see_rules(mt_search *search, size_t r, const mt_search_hypothesis *so_far,
                   const float *row, float log_sum)
{
  mt_steps *steps = search->steps;
  if (!steps || so_far->node == NO_NODE)
    return;
  seen_row *seen = &steps->work->seen[r];
  seen->counts_nothing = mt_search_counts_nothing(search, so_far);
  seen->is_changed = search->rows[r].is_rewritten || log_sum != search->rows[r].log_sum;
  seen->best = row[search->kernels->arg_max(row, search->rules.vocab_size)] - log_sum;
  for (size_t i = 0; i < seen->n; i++) {
    mt_option *option = &seen->options[i];
    option->after = row[option->id] - log_sum;
    option->rule = mt_search_rule_of(search, so_far, option->id);
  }
}

/* ---- What becomes of hypotheses -------------------------------------------------------------- */

void
mt_steps_add_nodes(mt_search *search, mt_search_candidate *candidates, size_t n)
{
  mt_steps *steps = search->steps;
  size_t n_prefix = mt_search_n_prefix(&search->rules);
  for (size_t i = 0; i < n; i++)
    candidates[i].node = NO_NODE;
  if (!steps ||
      !grow_both(steps, &steps->nodes, sizeof *steps->nodes, &steps->rows_behind,
                 sizeof *steps->rows_behind, steps->n_nodes, n, &steps->work->nodes_capacity))
    return;
  for (size_t i = 0; i < n; i++) {
    mt_search_candidate *candidate = &candidates[i];
    if (candidate->sum < MT_SEARCH_NOT_IN_QUESTION)
      continue;
    const mt_search_hypothesis *from = search->running[candidate->parent];
    bool is_eos = mt_search_is_eos(&search->rules, candidate->id);
    candidate->node = (int32_t) steps->n_nodes;
    steps->rows_behind[steps->n_nodes] = -1;
    steps->nodes[steps->n_nodes++] = (mt_step_node){
        .step = steps->n_steps,
        .parent = from->node,
        .id = candidate->id,
        .is_forced = steps->n_steps < n_prefix || mt_search_model_forces(search, from),
        .is_end = candidate->is_end,
        .is_cut = candidate->is_end && !is_eos,
        .rank = (uint32_t) i,
        .logprob = candidate->logprob,
        .sum = candidate->sum,
        .score = mt_search_score(&search->rules, candidate->sum, steps->n_steps + 1),
        .end_step = UNDECIDED,
        .result = -1,
    };
  }
}

static mt_step_node *
node_at(mt_search *search, int32_t node)
{
  mt_steps *steps = search->steps;
  return steps && !steps->work->failed && node >= 0 ? &steps->nodes[node] : NULL;
}

static void
decide(mt_search *search, mt_step_node *node, mt_fate fate, size_t step)
{
  mt_step_node *parent = node_at(search, node->parent);
  node->fate = fate;
  node->end_step = step;
  if (!parent || fate == MT_FATE_PRUNED)
    return;
  parent->fate = MT_FATE_WENT_ON;
  parent->end_step = parent->step;
}

void
mt_steps_run_on(mt_search *search, int32_t at)
{
  mt_step_node *node = node_at(search, at);
  if (!node)
    return;
  node->is_held = true;
  decide(search, node, MT_FATE_STOPPED, UNDECIDED); /* what becomes of it, later steps say */
}

void
mt_steps_finished(mt_search *search, int32_t at)
{
  mt_step_node *node = node_at(search, at);
  if (!node)
    return;
  node->is_held = true;
  decide(search, node, MT_FATE_FINISHED, node->step);
}

void
mt_steps_outdone(mt_search *search, int32_t at, float margin)
{
  mt_step_node *node = node_at(search, at);
  if (!node)
    return;
  decide(search, node, MT_FATE_OUTDONE, search->steps->n_steps);
  node->margin = margin;
}

/* Those of this step that were considered and have no place; and what that says of those that they
 * go on from, if these have nothing else. */
static void
prune(mt_search *search, float least, float least_end)
{
  mt_steps *steps = search->steps;
  for (size_t i = steps->work->former_node; i < steps->work->first_node; i++)
    if (steps->nodes[i].end_step == UNDECIDED)
      steps->nodes[i].margin = INFINITY;
  for (size_t i = steps->work->first_node; i < steps->n_nodes; i++) {
    mt_step_node *node = &steps->nodes[i], *parent = node_at(search, node->parent);
    if (node->is_held || node->end_step != UNDECIDED)
      continue;
    decide(search, node, MT_FATE_PRUNED, steps->n_steps);
    node->margin = fmaxf((node->is_end ? least_end : least) - node->sum, 0);
    if (parent && parent->end_step == UNDECIDED)
      parent->margin = fminf(parent->margin, node->margin);
  }
  for (size_t r = 0; r < steps->work->n_seen; r++) {
    mt_step_node *node = node_at(search, steps->work->seen[r].node);
    if (!node || node->end_step != UNDECIDED)
      continue;
    decide(search, node, MT_FATE_PRUNED, steps->n_steps);
    if (isinf(node->margin))
      node->margin = fmaxf(least - (node->sum + steps->work->seen[r].best), 0);
  }
}

static bool
has_option(const seen_row *seen, int32_t id)
{
  for (size_t i = 0; i < seen->n; i++)
    if (seen->options[i].id == id)
      return true;
  return false;
}

/* The row, and behind its likeliest tokens what hypotheses went on with all the same. */
static void
add_row(mt_search *search, const seen_row *seen)
{
  mt_steps *steps = search->steps;
  size_t first = steps->work->n_options, n_new = steps->n_nodes - steps->work->first_node;
  if (!grow(steps, &steps->work->options, first, seen->n + n_new, &steps->work->options_capacity,
            sizeof *steps->work->options) ||
      !grow_both(steps, &steps->rows, sizeof *steps->rows, &steps->work->first_option,
                 sizeof *steps->work->first_option, steps->n_rows, 1, &steps->work->rows_capacity))
    return;
  float sum_before = seen->node >= 0 ? steps->nodes[seen->node].sum : 0;
  memcpy(steps->work->options + first, seen->options, seen->n * sizeof *seen->options);
  steps->work->n_options += seen->n;
  for (size_t i = steps->work->first_node; i < steps->n_nodes; i++) {
    const mt_step_node *node = &steps->nodes[i];
    bool is_behind = node->is_held && node->parent == seen->node;
    if (!is_behind || has_option(seen, node->id))
      continue;
    steps->work->options[steps->work->n_options++] =
        (mt_option){.id = node->id,
                    .logprob = node->logprob,
                    .after = seen->counts_nothing ? 0
                             : seen->is_changed   ? node->sum - sum_before
                                                  : node->logprob};
  }
  if (seen->node >= 0)
    steps->rows_behind[seen->node] = (int32_t) steps->n_rows;
  steps->work->first_option[steps->n_rows] = first;
  steps->rows[steps->n_rows++] = (mt_step_row){.step = steps->n_steps,
                                               .node = seen->node,
                                               .entropy = seen->entropy,
                                               .n = steps->work->n_options - first};
}

void
mt_steps_end_step(mt_search *search, float least, float least_end)
{
  mt_steps *steps = search->steps;
  if (!steps || steps->work->failed)
    return;
  prune(search, least, least_end);
  for (size_t r = 0; r < steps->work->n_seen; r++)
    if (steps->work->seen[r].node != NO_NODE)
      add_row(search, &steps->work->seen[r]);
  steps->work->former_node = steps->work->first_node;
  steps->work->first_node = steps->n_nodes;
  steps->work->n_seen = 0;
  steps->n_steps++;
}

bool
mt_steps_end(mt_search *search, mt_error *error)
{
  mt_steps *steps = search->steps;
  if (!steps && search->rules.params.trace == 0)
    return true;
  if (!steps || steps->work->failed)
    return mt_fail_no_memory(error);
  steps->n_results = search->n_results;
  for (size_t i = 0; i < search->n_results; i++) {
    mt_step_node *node = node_at(search, search->finished[i]->node);
    steps->results[i] = search->finished[i]->node;
    if (node)
      node->result = (int32_t) i;
  }
  for (size_t i = 0; i < steps->n_nodes; i++)
    if (steps->nodes[i].end_step == UNDECIDED)
      steps->nodes[i].end_step = steps->n_steps - 1;
  for (size_t i = 0; i < steps->n_rows; i++)
    steps->rows[i].options = steps->work->options + steps->work->first_option[i];
  return true;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

size_t
mt_steps_counted(const mt_steps *steps, const mt_step_node *node)
{
  return node->step + 1 > steps->n_left_out ? node->step + 1 - steps->n_left_out : 1;
}

int32_t
mt_steps_row_of(const mt_steps *steps, int32_t node)
{
  return node < 0 ? 0 : steps->rows_behind[node];
}

int32_t
mt_steps_result(const mt_steps *steps, size_t i)
{
  return i < steps->n_results ? steps->results[i] : -1;
}

const char *
mt_rule_name(mt_rule rule)
{
  static const char *const names[] = {
      "", "prefix", "forbidden", "bad word", "minimum length", "forced", "repetition", "term"};
  return names[rule];
}

const char *
mt_fate_name(mt_fate fate)
{
  static const char *const names[] = {"went on", "finished", "outdone", "pruned", "stopped"};
  return names[fate];
}

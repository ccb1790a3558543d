/* steps-checks.c — checks a trace of a search against itself; see steps-checks.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "steps-checks.h"

#include "text/mt-tokens.h"

#include <math.h>
#include <string.h>

steps_counts steps_seen;

bool
steps_same_bits(float a, float b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

const mt_step_node *
steps_node_at(const steps_traced *t, int32_t node)
{
  return node < 0 ? NULL : &t->steps->nodes[(size_t) node];
}

/* The tokens up to a node, its own the last; returns how many. */
static size_t
path(const steps_traced *t, int32_t node, int32_t *ids)
{
  const mt_step_node *at = steps_node_at(t, node);
  size_t n = at ? at->step + 1 : 0;
  for (size_t i = n; i-- > 0; at = steps_node_at(t, at->parent))
    ids[i] = at->id;
  return n;
}

/* ---- Rules, from what the headers say of them -------------------------------------------------
 */

/* Is id the last of a list, and do the others stand right before it? with_start: the start token is
 * one of those before. */
static bool
completes(const steps_traced *t, const int32_t *list, size_t n, const int32_t *ids, size_t n_ids,
          int32_t id, bool with_start)
{
  if (list[n - 1] != id || n - 1 > n_ids + (with_start ? 1 : 0))
    return false;
  for (size_t i = 0; i + 1 < n; i++) {
    size_t back = n - 1 - i; /* so many before id */
    int32_t there = back > n_ids ? t->config->decoder_start_id : ids[n_ids - back];
    if (list[i] != there)
      return false;
  }
  return true;
}

/* Does ids [n] lack a term? */
static bool
lacks_terms(const steps_traced *t, const int32_t *ids, size_t n)
{
  size_t n_terms;
  const mt_term *terms = mt_constraints_terms(t->params->constraints, &n_terms);
  for (size_t i = 0; i < n_terms; i++) {
    bool found = false;
    for (size_t k = 0; !found && k + terms[i].n <= n; k++)
      found = memcmp(ids + k, terms[i].ids, terms[i].n * sizeof *ids) == 0;
    if (!found)
      return true;
  }
  return false;
}

static bool
has_terms(const steps_traced *t)
{
  return mt_constraints_n_wanted(t->params->constraints) > 0;
}

/* *counts_nothing: it is the only one, and the model forces it, or a prefix that is left out. */
static mt_rule
rule_of(const steps_traced *t, const int32_t *ids, size_t n, int32_t id, bool *counts_nothing)
{
  const mt_config *config = t->config;
  size_t n_prefix, n_lists;
  const int32_t *prefix = mt_constraints_prefix(t->params->constraints, &n_prefix);
  const mt_forbidden *lists = mt_constraints_forbidden(t->params->constraints, &n_lists);
  *counts_nothing = false;
  if (n < n_prefix) {
    *counts_nothing = id == prefix[n] && t->params->prefix_score == MT_PREFIX_LEFT_OUT;
    return id == prefix[n] ? MT_RULE_NONE : MT_RULE_PREFIX;
  }
  if (id == config->eos_id && lacks_terms(t, ids, n))
    return MT_RULE_TERM;
  int32_t forced = n + 2 == t->params->max_length && config->forced_eos_id >= 0
                       ? config->forced_eos_id
                   : n == 0 ? config->forced_bos_id
                            : -1;
  if (forced >= 0) {
    *counts_nothing = id == forced;
    return id == forced ? MT_RULE_NONE : MT_RULE_FORCED;
  }
  for (size_t i = 0; i < n_lists; i++)
    if (completes(t, lists[i].ids, lists[i].n, ids, n, id, false) &&
        (lists[i].step == MT_EVERY_STEP || lists[i].step + lists[i].n - 1 == n))
      return MT_RULE_FORBIDDEN;
  for (size_t i = 0; i < config->n_bad_words; i++) {
    size_t length = config->bad_word_lengths[i];
    const int32_t *word = config->bad_words[i];
    if (!(length == 1 && word[0] == config->eos_id) && completes(t, word, length, ids, n, id, true))
      return MT_RULE_BAD_WORD;
  }
  return id == config->eos_id && n + 1 < t->params->min_length ? MT_RULE_MIN_LENGTH : MT_RULE_NONE;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t
n_held_behind(const steps_traced *t, int32_t node, size_t step, int32_t id)
{
  size_t n = 0;
  for (size_t i = 0; i < t->steps->n_nodes; i++) {
    const mt_step_node *other = &t->steps->nodes[i];
    n += other->step == step && other->parent == node && other->is_held && other->id == id;
  }
  return n;
}

static void
check_options(const steps_traced *t, const mt_step_row *row)
{
  size_t top = MIN(t->params->trace, t->vocab_size);
  g_autofree int32_t *ids = g_new(int32_t, row->step + 1);
  size_t n = path(t, row->node, ids);
  g_assert_cmpuint(n, ==, row->step);
  g_assert_cmpuint(row->n, >=, top);
  double mass = 0, entropy = 0;
  for (size_t i = 0; i < row->n; i++) {
    const mt_option *option = &row->options[i];
    bool counts_nothing;
    mt_rule rule = rule_of(t, ids, n, option->id, &counts_nothing);
    g_assert_cmpint(option->rule, ==, rule);
    steps_seen.n_rules[rule]++;
    if (rule != MT_RULE_NONE)
      g_assert_true(option->after == -INFINITY);
    else if (counts_nothing)
      g_assert_cmpfloat(option->after, ==, 0);
    else
      g_assert_true(steps_same_bits(option->after, option->logprob));
    for (size_t k = 0; k < i; k++)
      g_assert_cmpint(row->options[k].id, !=, option->id);
    if (i > 0 && i < top)
      g_assert_cmpfloat(option->logprob, <=, row->options[i - 1].logprob);
    if (i >= top) { /* hypotheses went on with it all the same */
      g_assert_cmpfloat(option->logprob, <=, row->options[top - 1].logprob);
      g_assert_cmpuint(n_held_behind(t, row->node, row->step, option->id), ==, 1);
    }
    mass += exp((double) option->logprob);
    entropy -= exp((double) option->logprob) * (double) option->logprob;
  }
  g_assert_cmpfloat(mass, <, 1 + 1e-4);
  g_assert_cmpfloat(row->entropy, >, -1e-5);
  g_assert_cmpfloat(row->entropy, <, log((double) t->vocab_size) + 1e-4);
  if (row->n == t->vocab_size) {
    g_assert_cmpfloat(fabs(mass - 1), <, 1e-4);
    g_assert_cmpfloat(fabs(entropy - (double) row->entropy), <, 1e-4);
  }
}

static const mt_option *
option_of(const mt_step_row *row, int32_t id)
{
  for (size_t i = 0; i < row->n; i++)
    if (row->options[i].id == id)
      return &row->options[i];
  return NULL;
}

static void
check_rows(const steps_traced *t)
{
  size_t n_behind = 0;
  for (size_t i = 0; i < t->steps->n_rows; i++) {
    mt_step_row row = t->steps->rows[i];
    const mt_step_node *node = steps_node_at(t, row.node);
    if (i > 0)
      g_assert_cmpuint(row.step, >=, t->steps->rows[i - 1].step);
    g_assert_true(i > 0 || row.node == -1);
    g_assert_cmpuint(row.step, ==, node ? node->step + 1 : 0);
    g_assert_true(!node || (node->is_held && !node->is_end));
    g_assert_cmpint(mt_steps_row_of(t->steps, row.node), ==, (int) i);
    check_options(t, &row);
  }
  for (size_t i = 0; i < t->steps->n_nodes; i++)
    n_behind += mt_steps_row_of(t->steps, (int32_t) i) >= 0;
  g_assert_cmpuint(n_behind + 1, ==, t->steps->n_rows);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void
check_sum(const steps_traced *t, size_t i)
{
  const mt_step_node *node = &t->steps->nodes[i], *parent = steps_node_at(t, node->parent);
  int32_t at = mt_steps_row_of(t->steps, node->parent);
  g_assert_cmpint(at, >=, 0);
  mt_step_row row = t->steps->rows[(size_t) at];
  const mt_option *option = option_of(&row, node->id);
  g_assert_true(option || !node->is_held);
  if (option) {
    g_assert_cmpint(option->rule, ==, MT_RULE_NONE);
    g_assert_true(steps_same_bits(option->logprob, node->logprob));
    g_assert_true(steps_same_bits(node->sum, option->after + (parent ? parent->sum : 0)));
  }
  size_t n_counted = node->step + 1, n_prefix;
  mt_constraints_prefix(t->params->constraints, &n_prefix);
  if (t->params->prefix_score == MT_PREFIX_LEFT_OUT)
    n_counted = n_counted > n_prefix ? n_counted - n_prefix : 1;
  float length = powf((float) n_counted, t->params->length_penalty);
  g_assert_cmpfloat(fabsf(node->score - node->sum / length), <=,
                    1e-5f * fabsf(node->score) + 1e-6f);
}

static bool
is_child_kept(const steps_traced *t, int32_t node)
{
  for (size_t i = 0; i < t->steps->n_nodes; i++) {
    const mt_step_node *other = &t->steps->nodes[i];
    if (other->parent == node && (other->is_held || other->fate == MT_FATE_OUTDONE))
      return true;
  }
  return false;
}

/* The least sum of a step that was kept to run on, and how many were. */
static float
least_kept(const steps_traced *t, size_t step, size_t *n)
{
  float least = INFINITY;
  *n = 0;
  for (size_t i = 0; i < t->steps->n_nodes; i++) {
    const mt_step_node *other = &t->steps->nodes[i];
    if (other->step != step || !other->is_held || other->is_end)
      continue;
    least = fminf(least, other->sum);
    (*n)++;
  }
  return least;
}

static void
check_pruned(const steps_traced *t, size_t i)
{
  const mt_step_node *node = &t->steps->nodes[i];
  size_t n;
  g_assert_cmpfloat(node->margin, >=, 0);
  g_assert_true(isfinite(node->margin));
  g_assert_cmpuint(node->end_step, ==, node->step + (node->is_held ? 1 : 0));
  g_assert_false(is_child_kept(t, (int32_t) i));
  if (node->is_held) {
    g_assert_cmpint(mt_steps_row_of(t->steps, (int32_t) i), >=, 0);
    return;
  }
  if (has_terms(t)) /* places are those of its bank */
    return;
  if (node->is_end) {
    g_assert_cmpuint(node->rank, >=, t->params->beam_size);
    return;
  }
  float least = least_kept(t, node->step, &n);
  g_assert_cmpuint(n, ==, t->params->beam_size);
  g_assert_cmpfloat(node->sum, <=, least);
  g_assert_true(steps_same_bits(node->margin, least - node->sum));
}

/* By that step there were so many better ones. */
static void
check_outdone(const steps_traced *t, const mt_step_node *node)
{
  size_t n_better = 0;
  g_assert_true(node->is_end);
  g_assert_cmpuint(node->end_step, >=, node->step);
  g_assert_true(has_terms(t) || node->rank < t->params->beam_size);
  g_assert_cmpfloat(node->margin, >=, 0);
  for (size_t i = 0; i < t->steps->n_nodes; i++) {
    const mt_step_node *other = &t->steps->nodes[i];
    n_better += other != node && other->is_end && other->is_held && other->step <= node->end_step &&
                other->score >= node->score;
  }
  g_assert_cmpuint(n_better, >=, t->params->beam_size);
}

static void
check_fate(const steps_traced *t, size_t i)
{
  const mt_step_node *node = &t->steps->nodes[i];
  size_t last = t->steps->n_steps - 1;
  steps_seen.n_fates[node->fate]++;
  g_assert_true(node->result == -1 || node->fate == MT_FATE_FINISHED);
  switch (node->fate) {
  case MT_FATE_WENT_ON:
    g_assert_true(node->is_held && !node->is_end && is_child_kept(t, (int32_t) i));
    g_assert_cmpuint(node->end_step, ==, node->step);
    break;
  case MT_FATE_FINISHED:
    g_assert_true(node->is_held && node->is_end);
    g_assert_cmpuint(node->end_step, ==, node->step);
    if (node->result >= 0)
      g_assert_cmpint(mt_steps_result(t->steps, (size_t) node->result), ==, (int) i);
    break;
  case MT_FATE_OUTDONE:
    check_outdone(t, node);
    break;
  case MT_FATE_PRUNED:
    check_pruned(t, i);
    break;
  case MT_FATE_STOPPED:
    g_assert_true(node->is_held && !node->is_end);
    g_assert_cmpuint(node->step, ==, last);
    g_assert_cmpuint(node->end_step, ==, last);
    break;
  }
  if (node->fate != MT_FATE_PRUNED && node->fate != MT_FATE_OUTDONE)
    g_assert_cmpfloat(node->margin, ==, 0);
}

/* What ends has all of the terms. */
static void
check_has_terms(const steps_traced *t, size_t i)
{
  g_autofree int32_t *ids = g_new(int32_t, t->params->max_length);
  size_t n = path(t, (int32_t) i, ids);
  g_assert_false(lacks_terms(t, ids, n));
}

static void
check_nodes(const steps_traced *t)
{
  size_t n_prefix, n_in_step = 0, n_running = 0, n_finished = 0;
  mt_constraints_prefix(t->params->constraints, &n_prefix);
  for (size_t i = 0; i < t->steps->n_nodes; i++) {
    const mt_step_node *node = &t->steps->nodes[i], *parent = steps_node_at(t, node->parent),
                       *before = i > 0 ? &t->steps->nodes[i - 1] : NULL;
    bool is_first = !before || before->step != node->step, is_eos = node->id == t->config->eos_id;
    n_in_step = is_first ? 1 : n_in_step + 1;
    n_running = (is_first ? 0 : n_running) + (node->is_held && !node->is_end);
    n_finished += node->fate == MT_FATE_FINISHED;
    g_assert_cmpuint(node->step, ==, !before ? 0 : is_first ? before->step + 1 : before->step);
    g_assert_cmpuint(node->rank, ==, n_in_step - 1);
    g_assert_true(is_first || node->sum <= before->sum);
    g_assert_cmpuint(n_in_step, <=,
                     has_terms(t)                ? 4 * t->params->beam_size
                     : t->params->beam_size == 1 ? 1
                                                 : 2 * t->params->beam_size);
    if (node->is_end)
      check_has_terms(t, i);
    g_assert_cmpuint(n_running, <=, t->params->beam_size);
    g_assert_true(!parent ||
                  (parent->step + 1 == node->step && parent->is_held && !parent->is_end));
    g_assert_true(parent || node->step == 0);
    g_assert_true(node->is_end == (is_eos || node->step + 2 == t->params->max_length));
    g_assert_true(node->is_cut == (node->is_end && !is_eos));
    bool by_model = node->step + 2 == t->params->max_length && t->config->forced_eos_id >= 0;
    by_model = by_model || (node->step == 0 && t->config->forced_bos_id >= 0);
    g_assert_true(node->is_forced == (node->step < n_prefix || by_model));
    check_sum(t, i);
    check_fate(t, i);
  }
  g_assert_cmpuint(n_finished, >=, 1);
  g_assert_cmpuint(n_finished, <=, t->params->beam_size);
}

void
steps_check(const steps_traced *t)
{
  steps_seen.n_searches++;
  g_assert_nonnull(t->steps);
  g_assert_cmpuint(t->steps->beam_size, ==, t->params->beam_size);
  g_assert_cmpuint(t->steps->top, ==, t->params->trace);
  g_assert_true(steps_same_bits(t->steps->length_penalty, t->params->length_penalty));
  size_t n = t->steps->n_nodes;
  g_assert_cmpuint(n, >, 0);
  g_assert_cmpuint(t->steps->nodes[n - 1].step + 1, ==, t->steps->n_steps);
  check_rows(t);
  check_nodes(t);
}

/* ---- The n-best list, from the nodes alone ----------------------------------------------------
 */

static gint
by_score(gconstpointer a, gconstpointer b)
{
  const mt_step_node *x = *(mt_step_node *const *) a, *y = *(mt_step_node *const *) b;
  return x->score > y->score ? -1 : x->score < y->score;
}

/* Hypothesis h is the one that ends in this node. */
void
steps_check_result(const steps_traced *t, size_t h, const mt_step_node *node, const int32_t *ids,
                   const float *logprobs, size_t n, float score)
{
  const mt_step_node *at = node;
  g_assert_cmpint(node->result, ==, (int) h);
  g_assert_true(steps_same_bits(node->score, score));
  g_assert_cmpuint(node->step + 1, ==, n);
  for (size_t k = n; k-- > 0; at = steps_node_at(t, at->parent)) {
    g_assert_cmpint(at->id, ==, ids[k]);
    g_assert_true(steps_same_bits(at->logprob, logprobs[k]));
  }
  g_assert_null(at);
}

GPtrArray *
steps_finished(const steps_traced *t)
{
  GPtrArray *finished = g_ptr_array_new();
  for (size_t i = 0; i < t->steps->n_nodes; i++)
    if (t->steps->nodes[i].fate == MT_FATE_FINISHED)
      g_ptr_array_add(finished, (gpointer) &t->steps->nodes[i]);
  g_ptr_array_sort(finished, by_score);
  return finished;
}

void
steps_check_translation(const mt_translation *translation, const mt_search_params *params,
                        mt_model *model)
{
  steps_traced t = {mt_translation_steps(translation), params, mt_model_config(model),
                    mt_model_config(model)->vocab_size[MT_STACK_DECODER]};
  steps_check(&t);
  g_autoptr(GPtrArray) finished = steps_finished(&t);
  size_t n = mt_translation_count(translation);
  g_assert_cmpuint(n, ==, MIN(params->n_best, finished->len));
  for (size_t h = 0; h < n; h++) {
    const mt_hypothesis *found = mt_translation_hypothesis(translation, h);
    steps_check_result(&t, h, finished->pdata[h], mt_tokens_ids(found->tokens), found->logprobs,
                       mt_tokens_count(found->tokens), found->score);
  }
  g_assert_cmpint(mt_steps_result(t.steps, n), ==, -1);
}

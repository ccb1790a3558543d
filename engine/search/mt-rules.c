/* mt-rules.c — what the rules make of the logits of the next token.
 *
 * The rules are those of Hugging Face `generate`, in its order (transformers,
 * _get_logits_processor): biases of sequences, penalties for what the source has and what was said,
 * n-grams, bad words, minimum length, forced first token, forced last token, an end that becomes
 * likelier, suppressed tokens, forced positions; at last probabilities may be made anew from what
 * is left. Lengths count the start token. Constraints, which people set, go before what the model
 * asks for: a prefix is what `generate` calls decoder_input_ids.
 *
 * Rules change scores: with beams log-probabilities, in greedy search logits, as there. A row stays
 * one of logits here, and a score is a logit less an offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-search.h"

#include "base/mt-error.h"

#include <math.h>
#include <string.h>

/* ---- What is asked for ----------------------------------------------------------------------- */

bool
mt_search_has_beams(const mt_search_rules *rules)
{
  size_t n_terms;
  mt_constraints_terms(rules->params.constraints, &n_terms);
  return rules->params.beam_size > 1 || n_terms > 0;
}

/* Penalties look at the size of scores, which an offset changes. */
static bool
penalises(const mt_search_rules *rules)
{
  return mt_search_is_penalty(rules->params.repetition_penalty) ||
         mt_search_is_penalty(rules->generation.encoder_repetition_penalty) ||
         rules->generation.decay_factor > 0;
}

bool
mt_search_rewrites(const mt_search_rules *rules)
{
  const mt_generation *g = &rules->generation;
  return penalises(rules) || g->n_biases > 0 || g->more_forced_eos_ids.n > 0;
}

size_t
mt_search_n_prefix(const mt_search_rules *rules)
{
  size_t n;
  mt_constraints_prefix(rules->params.constraints, &n);
  return n > 0 ? n + rules->n_before : 0;
}

/* The token of the prefix that comes behind a hypothesis; -1: the prefix is over, or the token of a
 * language goes first. */
static int32_t
prefix_id(const mt_search *search, const mt_search_hypothesis *so_far)
{
  const mt_search_rules *rules = &search->rules;
  size_t n;
  const int32_t *prefix = mt_constraints_prefix(rules->params.constraints, &n);
  if (so_far->n >= mt_search_n_prefix(rules) || (so_far->n == 0 && rules->begins_with_language))
    return -1;
  return prefix[so_far->n - rules->n_before];
}

/* Tokens that a search starts behind, as `generate` counts them: the start token and the prefix. */
static size_t
prompt_length(const mt_search_rules *rules)
{
  return mt_search_n_prefix(rules) + 1;
}

static bool
is_forced_last(const mt_search_rules *rules, size_t length)
{
  return length == rules->params.max_length - 1 && rules->forced_eos_id >= 0;
}

/* The token that the model's configuration forces behind a hypothesis; -1: none. The last one may
 * be one of several, of which this is the first. */
static int32_t
forced_id(const mt_search *search, const mt_search_hypothesis *so_far)
{
  const mt_search_rules *rules = &search->rules;
  const mt_generation *g = &rules->generation;
  size_t length = so_far->n + 1;
  int32_t id = -1;
  if (length == 1)
    id = rules->forced_bos_id;
  if (is_forced_last(rules, length))
    id = rules->forced_eos_id;
  if (length < g->n_forced_ids && g->forced_ids[length] >= 0)
    id = g->forced_ids[length];
  return id >= 0 && (size_t) id < rules->vocab_size ? id : -1;
}

/* Whether an id is among those that are forced, the first of which is `forced`. */
static bool
is_forced(const mt_search *search, const mt_search_hypothesis *so_far, int32_t forced, int32_t id)
{
  const mt_search_rules *rules = &search->rules;
  const mt_id_list *more = &rules->generation.more_forced_eos_ids;
  if (id == forced)
    return true;
  bool is_last = is_forced_last(rules, so_far->n + 1) && forced == rules->forced_eos_id;
  for (size_t i = 0; is_last && i < more->n; i++)
    if (more->ids[i] == id)
      return true;
  return false;
}

/* Token i of start_id, ids[0], ids[1] … */
static int32_t
said(const mt_search *search, const mt_search_hypothesis *so_far, size_t i)
{
  return i == 0 ? search->rules.start_id : so_far->ids[i - 1];
}

/* Do they end with the first n_prefix ids of word? */
static bool
ends_with(const mt_search *search, const mt_search_hypothesis *so_far, const int32_t *word,
          size_t n_prefix)
{
  if (n_prefix > so_far->n + 1)
    return false;
  for (size_t i = 0; i < n_prefix; i++)
    if (word[i] != said(search, so_far, so_far->n + 1 - n_prefix + i))
      return false;
  return true;
}

/* ---- Tokens that are taken away -------------------------------------------------------------- */

/* The token that word i of the model takes away behind a hypothesis; -1: none. */
static int32_t
bad_id(const mt_search *search, const mt_search_hypothesis *so_far, size_t i)
{
  const mt_search_rules *rules = &search->rules;
  size_t n = rules->bad_word_lengths[i];
  const int32_t *word = rules->bad_words[i];
  bool is_only_eos = n == 1 && mt_search_is_eos(rules, word[0]);
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

/* The token behind the n - 1 from position i on of what was said, if these are the newest n - 1;
 * -1: they are others. */
static int32_t
repeated_id(const mt_search *search, const mt_search_hypothesis *so_far, size_t i, size_t n)
{
  size_t length = so_far->n + 1;
  for (size_t k = 0; k + 1 < n; k++)
    if (said(search, so_far, i + k) != said(search, so_far, length + 1 - n + k))
      return -1;
  return said(search, so_far, i + n - 1);
}

/* Windows of n tokens in what was said. */
static size_t
n_repeated(const mt_search *search, const mt_search_hypothesis *so_far)
{
  size_t n = search->rules.params.no_repeat_ngram_size, length = so_far->n + 1;
  return n > 0 && n <= length ? length + 1 - n : 0;
}

/* Likewise in the source: of its n-grams, those whose beginning was just said. */
static int32_t
copied_id(const mt_search *search, const mt_search_hypothesis *so_far, size_t i)
{
  size_t n = search->rules.generation.encoder_no_repeat_ngram_size;
  int32_t id = search->source[i + n - 1];
  bool is_word = id >= 0 && (size_t) id < search->rules.vocab_size;
  return is_word && ends_with(search, so_far, search->source + i, n - 1) ? id : -1;
}

static size_t
n_copied(const mt_search *search)
{
  size_t n = search->rules.generation.encoder_no_repeat_ngram_size;
  return n > 0 && n <= search->n_source ? search->n_source + 1 - n : 0;
}

static bool
is_too_short(const mt_search *search, const mt_search_hypothesis *so_far)
{
  return so_far->n + 1 < search->rules.params.min_length;
}

/* Is this the first token, of which some are suppressed? Behind one that the model forces it is the
 * second, and behind forced positions the one after the last of them (transformers before 4.46). */
static bool
is_beginning(const mt_search *search, const mt_search_hypothesis *so_far)
{
  size_t prompt = prompt_length(&search->rules), length = so_far->n + 1;
  size_t begin = prompt > 1 || search->rules.forced_bos_id < 0 ? prompt : prompt + 1;
  return length == begin + search->rules.generation.last_forced;
}

static void
take_away(float *row, int32_t id)
{
  if (id >= 0)
    row[id] = -INFINITY;
}

static void
take_list_away(const mt_search *search, float *row, const mt_id_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    if ((size_t) list->ids[i] < search->rules.vocab_size)
      take_away(row, list->ids[i]);
}

static void
take_eos_away(const mt_search *search, float *row)
{
  take_away(row, search->rules.eos_id);
  take_list_away(search, row, &search->rules.generation.more_eos_ids);
}

static void
take_others_away(const mt_search *search, float *row, int32_t id, float logit)
{
  for (size_t i = 0; i < search->rules.vocab_size; i++)
    row[i] = -INFINITY;
  row[id] = logit;
}

/* ---- Scores that are changed ----------------------------------------------------------------- */

static void
add_biases(const mt_search *search, const mt_search_hypothesis *so_far, float *row)
{
  const mt_generation *g = &search->rules.generation;
  for (size_t i = 0; i < g->n_biases; i++) {
    const mt_id_list *sequence = &g->biases[i].sequence;
    if (ends_with(search, so_far, sequence->ids, sequence->n - 1))
      row[sequence->ids[sequence->n - 1]] += g->biases[i].bias;
  }
}

/* Each id is penalised once, however often it is met in one walk. */
static void
begin_walk(mt_search *search)
{
  if (++search->stamp == 0) {
    memset(search->seen, 0, search->rules.vocab_size * sizeof *search->seen);
    search->stamp = 1;
  }
}

static void
penalise(mt_search *search, float *row, float offset, int32_t id, float penalty)
{
  if (id < 0 || (size_t) id >= search->rules.vocab_size || search->seen[id] == search->stamp)
    return;
  search->seen[id] = search->stamp;
  float score = row[id] - offset;
  row[id] = (score < 0 ? score * penalty : score / penalty) + offset;
}

static void
penalise_source(mt_search *search, float *row, float offset)
{
  float penalty = search->rules.generation.encoder_repetition_penalty;
  if (!mt_search_is_penalty(penalty))
    return;
  begin_walk(search);
  for (size_t i = 0; i < search->n_source; i++)
    penalise(search, row, offset, search->source[i], 1 / penalty);
}

static void
penalise_said(mt_search *search, const mt_search_hypothesis *so_far, float *row, float offset)
{
  float penalty = search->rules.params.repetition_penalty;
  if (!mt_search_is_penalty(penalty))
    return;
  begin_walk(search);
  for (size_t i = 0; i <= so_far->n; i++)
    penalise(search, row, offset, said(search, so_far, i), penalty);
}

static void
favour_end(const mt_search *search, const mt_search_hypothesis *so_far, float *row, float offset)
{
  const mt_search_rules *rules = &search->rules;
  const mt_generation *g = &rules->generation;
  size_t length = so_far->n + 1, start = g->decay_start + prompt_length(rules);
  if (g->decay_factor <= 0 || length <= start)
    return;
  float grown = (float) (pow((double) g->decay_factor, (double) (length - start)) - 1);
  for (size_t i = 0; i <= g->more_eos_ids.n; i++) {
    int32_t id = i == 0 ? rules->eos_id : g->more_eos_ids.ids[i - 1];
    if (isfinite(row[id]))
      row[id] += fabsf(row[id] - offset) * grown;
  }
}

/* ---- A row ----------------------------------------------------------------------------------- */

bool
mt_rules_begin_row(mt_search *search, size_t r, const mt_search_hypothesis *so_far, float *row,
                   mt_error *error)
{
  const mt_search_rules *rules = &search->rules;
  const mt_generation *g = &rules->generation;
  mt_search_row *is = &search->rows[r];
  bool is_greedy = !mt_search_has_beams(rules);
  /* The penalties of `generate` meet log-probabilities that still know those words. */
  bool knows_all = g->left_out.n > 0 && g->left_out_exist && !is_greedy && penalises(rules);
  float whole = knows_all ? search->kernels->log_sum_exp(row, rules->vocab_size) : 0;
  take_list_away(search, row, &g->left_out);
  *is = (mt_search_row){.log_sum = search->kernels->log_sum_exp(row, rules->vocab_size)};
  is->counted = is->log_sum;
  is->offset = is_greedy ? 0 : knows_all ? whole : is->log_sum;
  if (!isfinite(is->log_sum))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "The model's logits are not finite numbers: its weights are damaged, or a hook "
                   "replaced too much.");
  if (search->before) {
    memcpy(search->before + r * rules->vocab_size, row, rules->vocab_size * sizeof *row);
    is->is_rewritten = true;
  }
  const int32_t prefix = prefix_id(search, so_far);
  const int32_t forced = prefix >= 0 ? prefix : forced_id(search, so_far);
  is->forced = forced >= 0 ? row[forced] - is->log_sum : 0;
  return true;
}

/* What is forced counts 0, whatever the model says of it. */
static void
force(const mt_search *search, float *row, int32_t id, mt_search_row *is)
{
  take_others_away(search, row, id, is->log_sum);
  is->is_forced = true;
}

static void
force_end(const mt_search *search, const mt_search_hypothesis *so_far, float *row, int32_t id,
          mt_search_row *is)
{
  const mt_id_list *more = &search->rules.generation.more_forced_eos_ids;
  force(search, row, id, is);
  for (size_t i = 0; i < more->n; i++)
    if (is_forced(search, so_far, id, more->ids[i]))
      row[more->ids[i]] = is->log_sum;
}

static void
apply_rules(mt_search *search, const mt_search_hypothesis *so_far, float *row, mt_search_row *is)
{
  const mt_search_rules *rules = &search->rules;
  const mt_generation *g = &rules->generation;
  size_t n;
  add_biases(search, so_far, row);
  penalise_source(search, row, is->offset);
  penalise_said(search, so_far, row, is->offset);
  for (size_t i = 0; i < n_repeated(search, so_far); i++)
    take_away(row, repeated_id(search, so_far, i, rules->params.no_repeat_ngram_size));
  for (size_t i = 0; i < n_copied(search); i++)
    take_away(row, copied_id(search, so_far, i));
  for (size_t i = 0; i < rules->n_bad_words; i++)
    take_away(row, bad_id(search, so_far, i));
  const mt_forbidden *forbidden = mt_constraints_forbidden(rules->params.constraints, &n);
  for (size_t i = 0; i < n; i++)
    take_away(row, forbidden_id(search, so_far, &forbidden[i]));
  if (is_too_short(search, so_far))
    take_eos_away(search, row);
  int32_t id = forced_id(search, so_far);
  if (id >= 0)
    force_end(search, so_far, row, id, is);
  else
    favour_end(search, so_far, row, is->offset);
  take_list_away(search, row, &g->suppressed);
  if (is_beginning(search, so_far))
    take_list_away(search, row, &g->begin_suppressed);
}

static bool
lacks_terms(const mt_search *search, const mt_search_hypothesis *so_far)
{
  return search->terms.n > 0 &&
         mt_terms_missing(search->rules.params.constraints, so_far->ids, so_far->n) > 0;
}

/* The token of the prefix is all there is. */
static void
apply_prefix(const mt_search *search, float *row, int32_t id, mt_search_row *is)
{
  if (search->rules.params.prefix_score == MT_PREFIX_LEFT_OUT)
    force(search, row, id, is);
  else
    take_others_away(search, row, id, row[id]);
}

void
mt_rules_apply(mt_search *search, size_t r, const mt_search_hypothesis *so_far, float *row)
{
  mt_search_row *is = &search->rows[r];
  const int32_t prefix = prefix_id(search, so_far);
  if (prefix >= 0) {
    apply_prefix(search, row, prefix, is);
    return;
  }
  apply_rules(search, so_far, row, is);
  if (search->rules.generation.renormalize_logits) {
    float left = search->kernels->log_sum_exp(row, search->rules.vocab_size);
    is->counted = isfinite(left) ? left : is->log_sum; /* nothing is left: no choice */
  }
  /* No end before all terms are there; that changes no probability of what is left. */
  if (lacks_terms(search, so_far))
    take_eos_away(search, row);
}

float
mt_search_logprob(const mt_search *search, size_t r, const float *row, int32_t id)
{
  const mt_search_row *is = &search->rows[r];
  if (is->is_rewritten)
    return search->before[r * search->rules.vocab_size + (size_t) id] - is->log_sum;
  return is->is_forced ? is->forced : row[id] - is->log_sum;
}

/* ---- Scores of hypotheses ---------------------------------------------------------------------
 */

/* The tokens of a hypothesis of n that count. */
static size_t
n_counted(const mt_search_rules *rules, size_t n)
{
  size_t n_prefix = mt_search_n_prefix(rules);
  if (rules->params.prefix_score == MT_PREFIX_COUNTED || n_prefix == 0)
    return n;
  return n > n_prefix ? n - n_prefix : 1; /* the prefix is all: its sum is 0 */
}

float
mt_search_score(const mt_search_rules *rules, float sum, size_t n)
{
  double penalty = (double) rules->params.length_penalty;
  return sum / (float) pow((double) n_counted(rules, n), penalty);
}

/* ---- Asked by others ------------------------------------------------------------------------- */

bool
mt_search_model_forces(const mt_search *search, const mt_search_hypothesis *so_far)
{
  return prefix_id(search, so_far) < 0 && forced_id(search, so_far) >= 0;
}

bool
mt_search_counts_nothing(const mt_search *search, const mt_search_hypothesis *so_far)
{
  return prefix_id(search, so_far) >= 0 ? search->rules.params.prefix_score == MT_PREFIX_LEFT_OUT
                                        : forced_id(search, so_far) >= 0;
}

static bool
has_id(const mt_id_list *list, int32_t id)
{
  for (size_t i = 0; i < list->n; i++)
    if (list->ids[i] == id)
      return true;
  return false;
}

static bool
is_repetition(const mt_search *search, const mt_search_hypothesis *so_far, int32_t id)
{
  for (size_t i = 0; i < n_repeated(search, so_far); i++)
    if (repeated_id(search, so_far, i, search->rules.params.no_repeat_ngram_size) == id)
      return true;
  for (size_t i = 0; i < n_copied(search); i++)
    if (copied_id(search, so_far, i) == id)
      return true;
  return false;
}

mt_rule
mt_search_rule_of(const mt_search *search, const mt_search_hypothesis *so_far, int32_t id)
{
  const mt_search_rules *rules = &search->rules;
  const mt_generation *g = &rules->generation;
  size_t n;
  int32_t only = prefix_id(search, so_far);
  if (only >= 0)
    return only == id ? MT_RULE_NONE : MT_RULE_PREFIX;
  if (mt_search_is_eos(rules, id) && lacks_terms(search, so_far))
    return MT_RULE_TERM;
  if (has_id(&g->suppressed, id) ||
      (is_beginning(search, so_far) && has_id(&g->begin_suppressed, id)))
    return MT_RULE_BAD_WORD;
  only = forced_id(search, so_far);
  if (only >= 0)
    return is_forced(search, so_far, only, id) ? MT_RULE_NONE : MT_RULE_FORCED;
  const mt_forbidden *forbidden = mt_constraints_forbidden(rules->params.constraints, &n);
  for (size_t i = 0; i < n; i++)
    if (forbidden_id(search, so_far, &forbidden[i]) == id)
      return MT_RULE_FORBIDDEN;
  for (size_t i = 0; i < rules->n_bad_words; i++)
    if (bad_id(search, so_far, i) == id)
      return MT_RULE_BAD_WORD;
  if (is_repetition(search, so_far, id))
    return MT_RULE_REPETITION;
  return mt_search_is_eos(rules, id) && is_too_short(search, so_far) ? MT_RULE_MIN_LENGTH
                                                                     : MT_RULE_NONE;
}

/* mt-constraints.c — tokens that a translation must begin with, tokens that it must not have, and
 * terms that it must have.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "search/mt-search.h"

#include <stdio.h>
#include <string.h>

struct mt_constraints {
  int ref_count;
  int32_t *ids; /* of the prefix, behind it those of forbidden, and of terms, list after list */
  size_t n_prefix;
  mt_forbidden *forbidden; /* [n_forbidden] */
  size_t n_forbidden;
  mt_term *terms; /* [n_terms] */
  size_t n_terms;
};

/* What constraints are made of; borrowed. */
typedef struct {
  const int32_t *prefix;
  size_t n_prefix;
  const mt_forbidden *forbidden;
  size_t n_forbidden;
  const mt_term *terms;
  size_t n_terms;
} parts;

static bool
check_ids(const int32_t *ids, size_t n, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    if (ids[i] < 0)
      return mt_fail(error, MT_ERROR_INPUT, "%d is no token: ids count from 0.", (int) ids[i]);
  return true;
}

/* One more list of tokens, of *n in all; false: it has none, or there are too many. */
static bool
count_list(const int32_t *ids, size_t n_ids, const char *what, size_t *n, mt_error *error)
{
  if (n_ids == 0)
    return mt_fail(error, MT_ERROR_INPUT, "%s has no token.", what);
  if (n_ids > MT_MAX_CONSTRAINTS - *n)
    return mt_fail(error, MT_ERROR_TOO_LONG, "The constraints have more than %d tokens.",
                   MT_MAX_CONSTRAINTS);
  *n += n_ids;
  return check_ids(ids, n_ids, error);
}

/* How many tokens there are in all; false: one is none, or there are too many. */
static bool
count(const parts *of, size_t *n, mt_error *error)
{
  *n = 0;
  bool ok = of->n_prefix == 0 || count_list(of->prefix, of->n_prefix, "The prefix", n, error);
  for (size_t i = 0; ok && i < of->n_forbidden; i++)
    ok = count_list(of->forbidden[i].ids, of->forbidden[i].n, "A list of forbidden tokens", n,
                    error);
  size_t before = *n;
  for (size_t i = 0; ok && i < of->n_terms; i++)
    ok = count_list(of->terms[i].ids, of->terms[i].n, "A term", n, error);
  return ok && (*n - before <= MT_MAX_TERM_TOKENS ||
                mt_fail(error, MT_ERROR_TOO_LONG, "The terms have %zu tokens; there can be %d.",
                        *n - before, MT_MAX_TERM_TOKENS));
}

/* Copies n ids to *end, which moves on; returns the copy. */
static const int32_t *
copy_ids(int32_t **end, const int32_t *ids, size_t n)
{
  int32_t *copy = *end;
  if (n > 0)
    memcpy(copy, ids, n * sizeof *ids);
  *end += n;
  return copy;
}

static mt_constraints *
new_of_parts(const parts *of, mt_error *error)
{
  size_t n;
  if (!count(of, &n, error))
    return NULL;
  mt_constraints *constraints = mt_alloc(1, sizeof *constraints);
  int32_t *ids = mt_alloc(n + 1, sizeof *ids);
  mt_forbidden *lists = mt_alloc(of->n_forbidden + 1, sizeof *lists);
  mt_term *terms = mt_alloc(of->n_terms + 1, sizeof *terms);
  if (!constraints || !ids || !lists || !terms) {
    mt_free(constraints);
    mt_free(ids);
    mt_free(lists);
    mt_free(terms);
    return mt_fail_no_memory(error), NULL;
  }
  constraints->ref_count = 1;
  constraints->ids = ids;
  constraints->n_prefix = of->n_prefix;
  constraints->forbidden = lists;
  constraints->n_forbidden = of->n_forbidden;
  constraints->terms = terms;
  constraints->n_terms = of->n_terms;
  copy_ids(&ids, of->prefix, of->n_prefix);
  for (size_t i = 0; i < of->n_forbidden; i++) {
    const mt_forbidden *list = &of->forbidden[i];
    lists[i] = (mt_forbidden){list->step, copy_ids(&ids, list->ids, list->n), list->n};
  }
  for (size_t i = 0; i < of->n_terms; i++)
    terms[i] = (mt_term){copy_ids(&ids, of->terms[i].ids, of->terms[i].n), of->terms[i].n};
  return constraints;
}

mt_constraints *
mt_constraints_new(const int32_t *prefix, size_t n_prefix, const mt_forbidden *forbidden,
                   size_t n_forbidden, mt_error *error)
{
  const parts of = {.prefix = prefix,
                    .n_prefix = n_prefix,
                    .forbidden = forbidden,
                    .n_forbidden = n_forbidden};
  return new_of_parts(&of, error);
}

mt_constraints *
mt_constraints_with_terms(const mt_constraints *from, const mt_term *terms, size_t n,
                          mt_error *error)
{
  parts of = {.terms = terms, .n_terms = n};
  of.prefix = mt_constraints_prefix(from, &of.n_prefix);
  of.forbidden = mt_constraints_forbidden(from, &of.n_forbidden);
  return new_of_parts(&of, error);
}

static void
constraints_free(mt_constraints *constraints)
{
  mt_free(constraints->ids);
  mt_free(constraints->forbidden);
  mt_free(constraints->terms);
  mt_free(constraints);
}

MT_DEFINE_COUNTED(mt_constraints, constraints_free)

const int32_t *
mt_constraints_prefix(const mt_constraints *constraints, size_t *n)
{
  *n = constraints ? constraints->n_prefix : 0;
  return constraints ? constraints->ids : NULL;
}

const mt_forbidden *
mt_constraints_forbidden(const mt_constraints *constraints, size_t *n)
{
  *n = constraints ? constraints->n_forbidden : 0;
  return constraints ? constraints->forbidden : NULL;
}

const mt_term *
mt_constraints_terms(const mt_constraints *constraints, size_t *n)
{
  *n = constraints ? constraints->n_terms : 0;
  return constraints ? constraints->terms : NULL;
}

static bool
same_ids(const int32_t *a, size_t n_a, const int32_t *b, size_t n_b)
{
  return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

/* Whether `in` has all of a term in a row. */
static bool
has_term(const mt_term *in, const mt_term *term)
{
  for (size_t i = 0; i + term->n <= in->n; i++)
    if (same_ids(in->ids + i, term->n, term->ids, term->n))
      return true;
  return false;
}

bool
mt_constraints_is_implied(const mt_constraints *constraints, size_t i)
{
  const mt_term *terms = constraints->terms;
  for (size_t k = 0; k < constraints->n_terms; k++)
    if (k != i && has_term(&terms[k], &terms[i]) && (k < i || terms[k].n > terms[i].n))
      return true;
  return false;
}

size_t
mt_constraints_n_wanted(const mt_constraints *constraints)
{
  size_t n = 0;
  for (size_t i = 0; constraints && i < constraints->n_terms; i++)
    n += mt_constraints_is_implied(constraints, i) ? 0 : constraints->terms[i].n;
  return n;
}

bool
mt_constraints_is_empty(const mt_constraints *constraints)
{
  return !constraints ||
         (constraints->n_prefix == 0 && constraints->n_forbidden == 0 && constraints->n_terms == 0);
}

bool
mt_constraints_equal(const mt_constraints *a, const mt_constraints *b)
{
  size_t n_a, n_b;
  const int32_t *prefix_a = mt_constraints_prefix(a, &n_a),
                *prefix_b = mt_constraints_prefix(b, &n_b);
  if (!same_ids(prefix_a, n_a, prefix_b, n_b))
    return false;
  const mt_forbidden *lists_a = mt_constraints_forbidden(a, &n_a),
                     *lists_b = mt_constraints_forbidden(b, &n_b);
  bool same = n_a == n_b;
  for (size_t i = 0; same && i < n_a; i++)
    same = lists_a[i].step == lists_b[i].step &&
           same_ids(lists_a[i].ids, lists_a[i].n, lists_b[i].ids, lists_b[i].n);
  const mt_term *terms_a = mt_constraints_terms(a, &n_a), *terms_b = mt_constraints_terms(b, &n_b);
  same = same && n_a == n_b;
  for (size_t i = 0; same && i < n_a; i++)
    same = same_ids(terms_a[i].ids, terms_a[i].n, terms_b[i].ids, terms_b[i].n);
  return same;
}

static bool
check_vocabulary(const int32_t *ids, size_t n, const char *what, size_t vocab_size, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    if ((size_t) ids[i] >= vocab_size)
      return mt_fail(error, MT_ERROR_INPUT,
                     "Token %zu of %s has the id %d; the vocabulary of this model has %zu.", i + 1,
                     what, (int) ids[i], vocab_size);
  return true;
}

/* What can never be said is no part of a translation that somebody asks for. */
static bool
check_words(const mt_search_rules *rules, const int32_t *ids, size_t n, const char *what,
            mt_error *error)
{
  const mt_id_list *left_out = &rules->generation.left_out;
  if (!check_vocabulary(ids, n, what, rules->vocab_size, error))
    return false;
  for (size_t i = 0; i < n * left_out->n; i++)
    if (ids[i / left_out->n] == left_out->ids[i % left_out->n])
      return mt_fail(error, MT_ERROR_INPUT,
                     "Token %zu of %s has the id %d, to which this model gives no "
                     "probability.",
                     i / left_out->n + 1, what, (int) ids[i / left_out->n]);
  return true;
}

size_t
mt_search_n_before(const mt_search_params *params, const mt_model *model)
{
  size_t n, i;
  const int32_t *prefix = mt_constraints_prefix(params->constraints, &n);
  bool begins_with_language =
      mt_model_config(model)->language_mode == MT_LANGUAGES_FORCED &&
      (params->language >= 0 || mt_model_own_language(model, MT_STACK_DECODER) >= 0);
  return n > 0 && begins_with_language && !mt_model_find_language_id(model, prefix[0], &i);
}

static bool
check_prefix(const mt_search_rules *rules, mt_error *error)
{
  const mt_search_params *params = &rules->params;
  size_t n;
  const int32_t *prefix = mt_constraints_prefix(params->constraints, &n);
  if (!check_words(rules, prefix, n, "the prefix", error))
    return false;
  for (size_t i = 0; i + 1 < n; i++)
    if (mt_search_is_eos(rules, prefix[i]))
      return mt_fail(error, MT_ERROR_INPUT,
                     "Token %zu of the prefix ends the translation, and %zu more follow.", i + 1,
                     n - i - 1);
  /* The start token counts, and there is room for an end. */
  bool is_ended = n > 0 && mt_search_is_eos(rules, prefix[n - 1]);
  size_t most = params->max_length - (is_ended ? 1 : 2) - rules->n_before;
  if (n > most)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "The prefix has %zu tokens; with a maximum length of %zu there is room for %zu.",
                   n, params->max_length, most);
  return true;
}

/* Which of the model's own lists takes a token away at every step; NULL: none. */
static const char *
taken_away(const mt_search_rules *rules, int32_t id)
{
  const mt_id_list *suppressed = &rules->generation.suppressed;
  for (size_t i = 0; i < suppressed->n; i++)
    if (suppressed->ids[i] == id)
      return "this model suppresses";
  for (size_t i = 0; i < rules->n_bad_words; i++)
    if (rules->bad_word_lengths[i] == 1 && rules->bad_words[i][0] == id)
      return "is a bad word of this model";
  return NULL;
}

/* What is forbidden everywhere, if a term has it in a row. */
static bool
is_forbidden(const mt_search_rules *rules, const mt_term *term)
{
  size_t n;
  const mt_forbidden *forbidden = mt_constraints_forbidden(rules->params.constraints, &n);
  for (size_t i = 0; i < n; i++)
    if (forbidden[i].step == MT_EVERY_STEP &&
        has_term(term, &(mt_term){forbidden[i].ids, forbidden[i].n}))
      return true;
  return false;
}

static bool
check_term(const mt_search_rules *rules, size_t i, const mt_term *term, mt_error *error)
{
  char what[40];
  snprintf(what, sizeof what, "term %zu", i + 1);
  if (!check_words(rules, term->ids, term->n, what, error))
    return false;
  for (size_t k = 0; k < term->n; k++) {
    const char *taken = taken_away(rules, term->ids[k]);
    if (mt_search_is_eos(rules, term->ids[k]))
      return mt_fail(error, MT_ERROR_INPUT, "Token %zu of %s ends the translation.", k + 1, what);
    if (taken)
      return mt_fail(error, MT_ERROR_INPUT, "Token %zu of %s has the id %d, which %s.", k + 1, what,
                     (int) term->ids[k], taken);
  }
  return !is_forbidden(rules, term) ||
         mt_fail(error, MT_ERROR_INPUT, "Term %zu has what is forbidden.", i + 1);
}

/* They have room, one behind the other, behind the prefix, which may have some already. */
static bool
check_room(const mt_search_rules *rules, mt_error *error)
{
  size_t n, room = mt_terms_room(rules) - rules->n_before;
  const int32_t *prefix = mt_constraints_prefix(rules->params.constraints, &n);
  size_t missing = mt_terms_missing(rules->params.constraints, prefix, n);
  if (missing > 0 && n > 0 && mt_search_is_eos(rules, prefix[n - 1]))
    return mt_fail(error, MT_ERROR_INPUT,
                   "The prefix ends the translation, and has not all of the terms.");
  return missing + n <= room ||
         mt_fail(error, MT_ERROR_TOO_LONG,
                 "The terms have %zu tokens%s; with a maximum length of %zu there is room for %zu.",
                 missing, n > 0 ? " more than the prefix" : "", rules->params.max_length,
                 room > n ? room - n : 0);
}

bool
mt_search_check_constraints(const mt_search_rules *rules, mt_error *error)
{
  const mt_search_params *params = &rules->params;
  size_t n_forbidden, n_terms;
  const mt_forbidden *forbidden = mt_constraints_forbidden(params->constraints, &n_forbidden);
  const mt_term *terms = mt_constraints_terms(params->constraints, &n_terms);
  bool ok = check_prefix(rules, error);
  for (size_t i = 0; ok && i < n_forbidden; i++)
    ok = check_vocabulary(forbidden[i].ids, forbidden[i].n, "what is forbidden", rules->vocab_size,
                          error);
  for (size_t i = 0; ok && i < n_terms; i++)
    ok = check_term(rules, i, &terms[i], error);
  return ok && (n_terms == 0 || check_room(rules, error));
}

/* ---- Constraints from words ------------------------------------------------------------------ */

/* Constraints from words: the pieces that a translation would have for
 * them. */

/* The list without what stands around every text: </s>, and for some models <s>. */
static mt_tokens *
cut_out(const mt_model *model, const mt_tokens *tokens, mt_error *error)
{
  const mt_config *config = mt_model_config(model);
  size_t n = mt_tokens_count(tokens), n_before = config->source_begin.n;
  size_t n_after = n_before + config->source_end.n > 0 ? config->source_end.n : 1;
  int32_t *ids = mt_alloc(n, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(error), NULL;
  mt_tokens_copy_ids(tokens, n, ids);
  mt_tokens *cut =
      mt_model_detokenize(model, MT_STACK_DECODER, ids + n_before, n - n_before - n_after, error);
  mt_free(ids);
  return cut;
}

mt_tokens *
mt_constraints_cut(const mt_model *model, const char *text, mt_error *error)
{
  mt_tokens *tokens = mt_model_tokenize(model, MT_STACK_DECODER, text, error), *cut = NULL;
  if (!tokens)
    return NULL;
  const char *unknown = mt_tokens_unknown(tokens);
  const mt_token *first = mt_tokens_get(tokens, mt_model_config(model)->source_begin.n);
  if (*unknown)
    mt_fail(error, MT_ERROR_INPUT, "The vocabulary of the translation has no piece for: %s",
            unknown);
  else if (first->is_special) /* else only what stands around it is special */
    mt_fail(error, MT_ERROR_INPUT, "%s is no part of a translation.", first->piece);
  else
    cut = cut_out(model, tokens, error);
  mt_tokens_unref(tokens);
  return cut;
}

/* ---- Terms in hypotheses and places of the beam (mt-search.h) -------------------------------- */

/* ---- Memory ---------------------------------------------------------------------------------- */

static void
add_tokens(mt_terms *terms, const mt_term *term)
{
  for (size_t i = 0; i < term->n; i++) {
    if (terms->is_token[term->ids[i]])
      continue;
    terms->is_token[term->ids[i]] = true;
    terms->ids[terms->n_ids++] = term->ids[i];
  }
}

bool
mt_terms_init(mt_terms *terms, const mt_search_rules *rules)
{
  const mt_constraints *constraints = rules->params.constraints;
  size_t n;
  const mt_term *all = mt_constraints_terms(constraints, &n);
  *terms = (mt_terms){.n_tokens = mt_constraints_n_wanted(constraints)};
  if (n == 0)
    return true;
  terms->terms = mt_alloc(n, sizeof *terms->terms);
  terms->is_there = mt_alloc(n, sizeof *terms->is_there);
  terms->ids = mt_alloc(terms->n_tokens, sizeof *terms->ids);
  terms->is_token = mt_alloc(rules->vocab_size, sizeof *terms->is_token);
  if (!terms->terms || !terms->is_there || !terms->ids || !terms->is_token)
    return false;
  memset(terms->is_token, 0, rules->vocab_size * sizeof *terms->is_token);
  for (size_t i = 0; i < n; i++) {
    if (mt_constraints_is_implied(constraints, i))
      continue;
    terms->terms[terms->n++] = all[i];
    add_tokens(terms, &all[i]);
  }
  return true;
}

void
mt_terms_clear(mt_terms *terms)
{
  mt_free(terms->terms);
  mt_free(terms->is_there);
  mt_free(terms->ids);
  mt_free(terms->is_token);
  *terms = (mt_terms){0};
}

/* ---- What is there --------------------------------------------------------------------------- */

static bool
is_there(const mt_term *term, const int32_t *ids, size_t n)
{
  for (size_t i = 0; i + term->n <= n; i++)
    if (memcmp(ids + i, term->ids, term->n * sizeof *ids) == 0)
      return true;
  return false;
}

/* How many of the first tokens of a term are the last ones of ids [n]. */
static size_t
begun(const mt_term *term, const int32_t *ids, size_t n)
{
  for (size_t k = term->n < n ? term->n : n; k > 0; k--)
    if (memcmp(ids + n - k, term->ids, k * sizeof *ids) == 0)
      return k;
  return 0;
}

/* The same behind ids [n] and one more. */
static size_t
begun_behind(const mt_term *term, const int32_t *ids, size_t n, int32_t id)
{
  for (size_t k = term->n < n + 1 ? term->n : n + 1; k > 0; k--)
    if (term->ids[k - 1] == id && memcmp(ids + n + 1 - k, term->ids, (k - 1) * sizeof *ids) == 0)
      return k;
  return 0;
}

size_t
mt_terms_missing(const mt_constraints *constraints, const int32_t *ids, size_t n)
{
  size_t n_terms, sum = 0, longest = 0;
  const mt_term *terms = mt_constraints_terms(constraints, &n_terms);
  for (size_t i = 0; i < n_terms; i++) {
    if (mt_constraints_is_implied(constraints, i) || is_there(&terms[i], ids, n))
      continue;
    size_t here = begun(&terms[i], ids, n);
    longest = here > longest ? here : longest;
    sum += terms[i].n;
  }
  return sum - longest;
}

size_t
mt_terms_room(const mt_search_rules *rules)
{
  /* The start token counts. */
  return rules->params.max_length - (rules->forced_eos_id >= 0 ? 2 : 1);
}

size_t
mt_terms_look(mt_terms *terms, const mt_search_hypothesis *so_far)
{
  size_t sum = 0;
  for (size_t i = 0; i < terms->n; i++) {
    terms->is_there[i] = is_there(&terms->terms[i], so_far->ids, so_far->n);
    sum += terms->is_there[i] ? 0 : terms->terms[i].n;
  }
  return sum;
}

size_t
mt_terms_missing_behind(const mt_terms *terms, const mt_search_hypothesis *so_far, int32_t id)
{
  size_t sum = 0, longest = 0;
  for (size_t i = 0; i < terms->n; i++) {
    const mt_term *term = &terms->terms[i];
    size_t here = terms->is_there[i] ? term->n : begun_behind(term, so_far->ids, so_far->n, id);
    if (here == term->n)
      continue;
    longest = here > longest ? here : longest;
    sum += term->n;
  }
  return sum - longest;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static size_t
take(mt_search_bank *bank, size_t n_places)
{
  size_t free = bank->n_found - bank->n_places, taken = n_places < free ? n_places : free;
  bank->n_places += taken;
  return n_places - taken;
}

void
mt_terms_allocate(mt_search_bank *banks, size_t n, size_t n_places)
{
  size_t share = n_places / n, left = n_places % n;
  for (size_t b = 0; b < n; b++)
    banks[b].n_places = 0;
  for (size_t b = n; b-- > 0;)
    left = take(&banks[b], share + left);
  for (size_t b = n; b-- > 0;)
    left = take(&banks[b], left);
}

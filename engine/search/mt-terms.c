/* mt-terms.c — see mt-terms.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-terms.h"

#include "base/mt-alloc.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------------
 */

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

/* ---- What is there -----------------------------------------------------------------------------
 */

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

/* ---- Places ------------------------------------------------------------------------------------
 */

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

/* mt-constraints.c — tokens that a translation must begin with, and tokens that it must not have.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "search/mt-search.h"

#include <stdatomic.h>
#include <string.h>

struct mt_constraints {
  atomic_int ref_count;
  int32_t *ids; /* of the prefix, and behind it those of forbidden, list after list */
  size_t n_prefix;
  mt_forbidden *forbidden; /* [n_forbidden] */
  size_t n_forbidden;
};

static bool
check_ids(const int32_t *ids, size_t n, mt_error *error)
{
  for (size_t i = 0; i < n; i++)
    if (ids[i] < 0)
      return mt_fail(error, MT_ERROR_INPUT, "%d is no token: ids count from 0.", (int) ids[i]);
  return true;
}

/* How many tokens there are in all; false: one is none, or there are too many. */
static bool
count(const int32_t *prefix, size_t n_prefix, const mt_forbidden *forbidden, size_t n_forbidden,
      size_t *n, mt_error *error)
{
  bool fits = n_prefix <= MT_MAX_CONSTRAINTS && n_forbidden <= MT_MAX_CONSTRAINTS;
  *n = n_prefix;
  for (size_t i = 0; fits && i < n_forbidden; i++) {
    if (forbidden[i].n == 0)
      return mt_fail(error, MT_ERROR_INPUT, "A list of forbidden tokens has no token.");
    fits = forbidden[i].n <= MT_MAX_CONSTRAINTS - *n;
    *n += fits ? forbidden[i].n : 0;
  }
  if (!fits)
    return mt_fail(error, MT_ERROR_TOO_LONG, "The constraints have more than %d tokens.",
                   MT_MAX_CONSTRAINTS);
  bool ok = check_ids(prefix, n_prefix, error);
  for (size_t i = 0; ok && i < n_forbidden; i++)
    ok = check_ids(forbidden[i].ids, forbidden[i].n, error);
  return ok;
}

mt_constraints *
mt_constraints_new(const int32_t *prefix, size_t n_prefix, const mt_forbidden *forbidden,
                   size_t n_forbidden, mt_error *error)
{
  size_t n;
  if (!count(prefix, n_prefix, forbidden, n_forbidden, &n, error))
    return NULL;
  mt_constraints *constraints = mt_alloc(1, sizeof *constraints);
  int32_t *ids = mt_alloc(n + 1, sizeof *ids);
  mt_forbidden *lists = mt_alloc(n_forbidden + 1, sizeof *lists);
  if (!constraints || !ids || !lists) {
    mt_free(constraints);
    mt_free(ids);
    mt_free(lists);
    return mt_fail_no_memory(error), NULL;
  }
  atomic_init(&constraints->ref_count, 1);
  constraints->ids = ids;
  constraints->n_prefix = n_prefix;
  constraints->forbidden = lists;
  constraints->n_forbidden = n_forbidden;
  if (n_prefix > 0)
    memcpy(ids, prefix, n_prefix * sizeof *ids);
  ids += n_prefix;
  for (size_t i = 0; i < n_forbidden; i++) {
    memcpy(ids, forbidden[i].ids, forbidden[i].n * sizeof *ids);
    lists[i] = (mt_forbidden){.step = forbidden[i].step, .ids = ids, .n = forbidden[i].n};
    ids += forbidden[i].n;
  }
  return constraints;
}

mt_constraints *
mt_constraints_ref(mt_constraints *constraints)
{
  if (constraints)
    atomic_fetch_add_explicit(&constraints->ref_count, 1, memory_order_relaxed);
  return constraints;
}

void
mt_constraints_unref(mt_constraints *constraints)
{
  if (!constraints ||
      atomic_fetch_sub_explicit(&constraints->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  mt_free(constraints->ids);
  mt_free(constraints->forbidden);
  mt_free(constraints);
}

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

bool
mt_constraints_is_empty(const mt_constraints *constraints)
{
  return !constraints || (constraints->n_prefix == 0 && constraints->n_forbidden == 0);
}

static bool
same_ids(const int32_t *a, size_t n_a, const int32_t *b, size_t n_b)
{
  return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
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
  return same;
}

uint64_t
mt_constraints_hash(const mt_constraints *constraints)
{
  uint64_t hash = MT_HASH_BEGIN;
  size_t n_prefix, n;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n_prefix);
  const mt_forbidden *forbidden = mt_constraints_forbidden(constraints, &n);
  hash = mt_hash_bytes(hash, &n_prefix, sizeof n_prefix);
  hash = mt_hash_bytes(hash, prefix, n_prefix * sizeof *prefix);
  for (size_t i = 0; i < n; i++) {
    hash = mt_hash_bytes(hash, &forbidden[i].step, sizeof forbidden[i].step);
    hash = mt_hash_bytes(hash, &forbidden[i].n, sizeof forbidden[i].n);
    hash = mt_hash_bytes(hash, forbidden[i].ids, forbidden[i].n * sizeof *forbidden[i].ids);
  }
  return hash;
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

bool
mt_search_check_constraints(const mt_search_rules *rules, mt_error *error)
{
  const mt_search_params *params = &rules->params;
  const mt_id_list *left_out = &rules->generation.left_out;
  size_t n, n_forbidden, vocab_size = rules->vocab_size;
  const int32_t *prefix = mt_constraints_prefix(params->constraints, &n);
  const mt_forbidden *forbidden = mt_constraints_forbidden(params->constraints, &n_forbidden);
  if (!check_vocabulary(prefix, n, "the prefix", vocab_size, error))
    return false;
  for (size_t i = 0; i < n_forbidden; i++)
    if (!check_vocabulary(forbidden[i].ids, forbidden[i].n, "what is forbidden", vocab_size, error))
      return false;
  for (size_t i = 0; i + 1 < n; i++)
    if (mt_search_is_eos(rules, prefix[i]))
      return mt_fail(error, MT_ERROR_INPUT,
                     "Token %zu of the prefix ends the translation, and %zu more follow.", i + 1,
                     n - i - 1);
  for (size_t i = 0; i < n * left_out->n; i++)
    if (prefix[i / left_out->n] == left_out->ids[i % left_out->n])
      return mt_fail(error, MT_ERROR_INPUT,
                     "Token %zu of the prefix has the id %d, to which this model gives no "
                     "probability.",
                     i / left_out->n + 1, (int) prefix[i / left_out->n]);
  /* The start token counts, and there is room for an end. */
  bool is_ended = n > 0 && mt_search_is_eos(rules, prefix[n - 1]);
  size_t most = params->max_length - (is_ended ? 1 : 2);
  if (n > most)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "The prefix has %zu tokens; with a maximum length of %zu there is room for %zu.",
                   n, params->max_length, most);
  return true;
}

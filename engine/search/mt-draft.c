/* mt-draft.c — a translation that goes the way of the one before is computed several tokens at a
 * time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search/mt-draft.h"

#include "base/mt-alloc.h"
#include "kernels/mt-ops.h"

/* Tokens of a pass at first; four cost hardly more than one. Doubled as long as all come true. */
#define FIRST_AHEAD 4

/* How far from the place where it was expected a token is looked for, after one that was not. */
#define NEAR 8

_Static_assert(MT_DRAFT_MAX_PASS <= MT_KERNELS_ROWS, "rows of a pass do not depend on each other");

/* Room for a whole search, so that nothing is allocated in it. */
static bool
reserve(mt_draft *draft, size_t n)
{
  if (n <= draft->capacity)
    return true;
  int32_t *former = mt_realloc(draft->former, n, sizeof *former);
  if (former)
    draft->former = former;
  int32_t *own = mt_realloc(draft->own, n, sizeof *own);
  if (own)
    draft->own = own;
  if (!former || !own)
    return false;
  draft->capacity = n;
  return true;
}

void
mt_draft_begin(mt_draft *draft, size_t max_length)
{
  draft->is_usable = reserve(draft, max_length);
  draft->max_length = max_length;
  draft->n_own = draft->n_pass = draft->first = 0;
  draft->guess = 0;
  draft->n_ahead = FIRST_AHEAD;
  draft->n_passes = 0;
}

/* The token at `position` is known now: move the guess behind it, wherever it is in the draft. */
static void
follow(mt_draft *draft, size_t position, int32_t id)
{
  if (position == 0) /* the start token, which is in no draft */
    return;
  if (draft->guess < draft->n_former && draft->former[draft->guess] == id) {
    draft->guess++;
    return;
  }
  draft->n_ahead = FIRST_AHEAD;
  size_t expected = position - 1;
  for (size_t i = 0; i <= 2 * NEAR; i++) { /* 0, +1, -1, +2, -2 … from there */
    size_t at = i % 2 ? expected + (i + 1) / 2 : expected - i / 2;
    if (at < draft->n_former && draft->former[at] == id) {
      draft->guess = at + 1;
      return;
    }
  }
  draft->guess = draft->n_former;
}

/* What is computed next: this token, and those that probably follow. */
static void
plan(mt_draft *draft, size_t position, int32_t id)
{
  size_t most = draft->max_length - position;
  draft->first = position;
  draft->pass[0] = id;
  draft->n_pass = 1;
  for (size_t i = draft->guess;
       i < draft->n_former && draft->n_pass < draft->n_ahead && draft->n_pass < most; i++)
    draft->pass[draft->n_pass++] = draft->former[i];
  if (draft->n_ahead < MT_DRAFT_MAX_PASS / 2)
    draft->n_ahead *= 2;
  else
    draft->n_ahead = MT_DRAFT_MAX_PASS;
  draft->n_passes++;
}

bool
mt_draft_next(mt_draft *draft, int32_t id, size_t *row)
{
  size_t position = draft->n_own;
  bool is_computed =
      position < draft->first + draft->n_pass && draft->pass[position - draft->first] == id;
  follow(draft, position, id);
  if (!is_computed)
    plan(draft, position, id);
  *row = position - draft->first;
  if (draft->is_usable)
    draft->own[position] = id;
  draft->n_own++;
  return is_computed;
}

void
mt_draft_end(mt_draft *draft)
{
  if (!draft->is_usable || draft->n_own == 0)
    return;
  int32_t *own = draft->own;
  draft->own = draft->former;
  draft->former = own;
  draft->n_former = draft->n_own - 1;
  /* Without the start token; the last one was never asked to be continued, and is not known here.
   */
  for (size_t i = 0; i < draft->n_former; i++)
    draft->former[i] = draft->former[i + 1];
}

void
mt_draft_clear(mt_draft *draft)
{
  mt_free(draft->former);
  mt_free(draft->own);
  draft->former = draft->own = NULL;
  draft->n_former = draft->n_own = draft->capacity = 0;
}

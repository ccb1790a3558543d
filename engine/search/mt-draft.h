/* mt-draft.h — a translation that goes the way of the one before is computed several tokens at a
 * time. Private to the engine.
 *
 * Whoever types changes a sentence a little, and much of its translation stays. So each step also
 * computes some of the following ones, supposing that the tokens of the last translation come
 * again: one pass over the weights, which is what a step waits for, serves them all. They are
 * handed out as long as the search asks for just these tokens; the rest is thrown away. This is the
 * speculative decoding of Leviathan et al. (2023) with the last translation as the draft. The
 * result is the same, bit for bit, since a row does not depend on what is computed beside it.
 *
 * Only for greedy search: the hypotheses of a beam change places with every edit, and their rows
 * share a pass already.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DRAFT_H
#define MT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most tokens in a pass. */
#define MT_DRAFT_MAX_PASS 24

/* Initialise with {0}. */
typedef struct {
  int32_t *former, *own; /* tokens of the translation before, and of this one so far */
  size_t n_former, n_own, capacity;
  size_t max_length; /* of this search */
  bool is_usable;    /* there was memory */

  int32_t pass[MT_DRAFT_MAX_PASS]; /* tokens of the newest pass */
  size_t n_pass, first;            /* how many, and the position of the first */
  size_t guess;                    /* in former: what probably comes next; n_former: unknown */
  size_t n_ahead;                  /* tokens of the next pass */

  size_t n_passes; /* of this search, for measuring */
} mt_draft;

/* A search of at most max_length steps begins. */
void mt_draft_begin(mt_draft *draft, size_t max_length);

/* The next step has this token. True: it is computed already, and *row says which row of the newest
 * pass it is. False: draft->pass [n_pass] are to be computed, at positions draft->first and
 * following, of which this step is the first; what was computed from draft->first on is void. */
bool mt_draft_next(mt_draft *draft, int32_t id, size_t *row);

/* The search is done: it becomes the draft of the next one. */
void mt_draft_end(mt_draft *draft);

/* Free everything, and forget the draft. */
void mt_draft_clear(mt_draft *draft);

#endif

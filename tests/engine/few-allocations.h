/* few-allocations.h — lets allocations of the engine fail: the one behind some that succeed, or all
 * from there on, on whichever thread. failing-malloc.h does it to everything else, too.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "base/mt-alloc.h"

#include <glib.h>

static struct {
  gint begin, left; /* that succeed */
} few;

static inline bool
few_fail_one(size_t bytes)
{
  (void) bytes;
  return g_atomic_int_add(&few.left, -1) != 0;
}

static inline bool
few_fail_all(size_t bytes)
{
  (void) bytes;
  return g_atomic_int_add(&few.left, -1) > 0;
}

static inline void
few_begin(gint n, mt_alloc_hook hook)
{
  few.begin = few.left = n;
  mt_alloc_set_hook(hook);
}

/* n allocations succeed, and the next one fails, or all others do. */
#define few_then_one_fails(n) few_begin((gint) (n), few_fail_one)
#define few_then_all_fail(n)  few_begin((gint) (n), few_fail_all)

/* None fails any more. Returns how many were asked for. */
static inline gsize
few_end(void)
{
  mt_alloc_set_hook(NULL);
  return (gsize) (few.begin - g_atomic_int_get(&few.left));
}

/* mt-region.h — memory that code without AddressSanitizer is about to touch. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_REGION_H
#define MT_REGION_H

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

/* Ends in the sanitiser's report if any of these bytes must not be touched. */
static inline void
mt_region_check(const void *begin, size_t bytes)
{
  const volatile char *bad = __asan_region_is_poisoned((void *) begin, bytes);
  if (bad)
    (void) *bad; /* which is read, and reported as any other read */
}

#else

static inline void
mt_region_check(const void *begin, size_t bytes)
{
  (void) begin;
  (void) bytes;
}

#endif
#endif

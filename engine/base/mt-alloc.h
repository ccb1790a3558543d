/* mt-alloc.h — the one seam through which the engine's memory passes. Private to the engine.
 *
 * Memory from here is released with mt_free, never with free. Everything returns NULL when there is
 * not enough memory or when the product overflows; the caller reports it (mt_fail_no_memory).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ALLOC_H
#define MT_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* n elements of `size` bytes, all zero. n == 0 gives a pointer that can be freed, not NULL. */
void *mt_alloc(size_t n, size_t size);

/* Likewise, aligned to 64 bytes (a cache line, an AVX-512 register), zeroed. Not for mt_realloc. */
void *mt_alloc_aligned(size_t n, size_t size);

/* As mt_alloc, for much memory that is read again and again: with the system's large pages, if it
 * has some. Reading weights from memory is 1.4 times as fast with them (Zen 3). */
void *mt_alloc_large(size_t n, size_t size);

/* Resize memory from mt_alloc; what grows is not zeroed. NULL: the old memory is still there. */
void *mt_realloc(void *memory, size_t n, size_t size);

/* Room for `more` elements behind the first n of a list: *list, a pointer of any type to *capacity
 * elements from here, or NULL, grows to twice what is wanted. False: nothing has changed. */
bool mt_grow(void *list, size_t n, size_t more, size_t *capacity, size_t size);

/* A copy of a string (or of its first n bytes). */
char *mt_strdup(const char *text);
char *mt_strndup(const char *text, size_t n);

/* NULL is fine. */
void mt_free(void *memory);

#endif

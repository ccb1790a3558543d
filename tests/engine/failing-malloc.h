/* failing-malloc.h — makes malloc itself fail, and counts what is not freed: for a whole program,
 * the libraries in it included.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that links this has its malloc, calloc, realloc, aligned_alloc, posix_memalign, mmap
 * and (in C++ libraries) operator new replaced by ones that ask here first. Under AddressSanitizer
 * they pass on to the sanitiser's, so it goes on checking.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From now on count this thread's allocations from 1, and let number fail_at return NULL (or
 * MAP_FAILED, or throw std::bad_alloc). and_full: from there on memory is full: only as many bytes
 * can be allocated as are freed. fail_at 0: none fails. */
void failing_malloc_begin(size_t fail_at, bool and_full);
/* No more failures; blocks are still followed. Returns how many allocations there were. */
size_t failing_malloc_end(void);
/* Blocks and mappings made since _begin and not freed since; ends following them. The first few are
 * described as test messages, by size and number; what libzip forgets when it fails is not counted.
 */
size_t failing_malloc_leaks(void);

/* mt-alloc.h — the one seam through which the engine's memory passes: allocations, many arrays in
 * one of them, counted references. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory from here is released with mt_free, never with free. Everything returns NULL when there is
 * not enough memory or when the product overflows; the caller reports it (mt_fail_no_memory).
 */
#ifndef MT_ALLOC_H
#define MT_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n elements of `size` bytes, all zero. n == 0 gives a pointer that can be freed, not NULL. */
void *mt_alloc(size_t n, size_t size);

/* Likewise, aligned to 64 bytes (a cache line, an AVX-512 register), zeroed. Not for mt_realloc. */
void *mt_alloc_aligned(size_t n, size_t size);

/* As mt_alloc, for much memory that is read again and again: with the system's large pages, if it
 * has some. Reading weights from memory is 1.4 times as fast with them (Zen 3). */
void *mt_alloc_large(size_t n, size_t size);

/* `bytes` of the address space, zeros, of which perhaps little is ever used: what is not touched is
 * no memory, and is not promised to be. 0 gives NULL, too. Release with mt_unreserve. */
void *mt_reserve(size_t bytes);
void mt_unreserve(void *memory, size_t bytes);

/* Resize memory from mt_alloc; what grows is not zeroed. NULL: the old memory is still there. */
void *mt_realloc(void *memory, size_t n, size_t size);

/* Room for `more` elements behind the first n of a list: *list, a pointer of any type to *capacity
 * elements from here, or NULL, grows to twice what is wanted. False: nothing has changed. */
bool mt_grow(void *list, size_t n, size_t more, size_t *capacity, size_t size);

/* A copy of a string (or of its first n bytes). */
char *mt_strdup(const char *text);
char *mt_strndup(const char *text, size_t n);
/* "folder/name" */
char *mt_path_join(const char *folder, const char *name);

/* NULL is fine. */
void mt_free(void *memory);

/* These bytes of a mapped file were read for the last time: their whole pages may be given back to
 * the system, which has them on disk. What they hold afterwards is not defined. */
void mt_drop_pages(const void *bytes, size_t size);

/* ---- Many arrays in one allocation ----------------------------------------------------------- */

/* The same function lays the arrays out twice: first without a block, which adds up what is needed,
 * then in the block. */

#define MT_ARENA_ALIGNMENT 64

typedef struct {
  char *base; /* aligned; NULL: only add up */
  size_t used;
  bool overflow;
} mt_arena;

/* a * b * c elements of 4 bytes, on a cache line of their own. */
static inline void *
mt_arena_take(mt_arena *arena, size_t a, size_t b, size_t c)
{
  size_t bytes;
  if (__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, c, &bytes) ||
      __builtin_mul_overflow(bytes, 4, &bytes) || bytes > SIZE_MAX / 4 ||
      arena->used > SIZE_MAX / 4) {
    arena->overflow = true;
    return NULL;
  }
  void *piece = arena->base ? arena->base + arena->used : NULL;
  arena->used += (bytes + MT_ARENA_ALIGNMENT - 1) / MT_ARENA_ALIGNMENT * MT_ARENA_ALIGNMENT;
  return piece;
}

/* The first place in a block of used + MT_ARENA_ALIGNMENT bytes. */
static inline char *
mt_arena_begin(char *block)
{
  size_t misaligned = (uintptr_t) block % MT_ARENA_ALIGNMENT;
  return block + (misaligned ? MT_ARENA_ALIGNMENT - misaligned : 0);
}

/* ---- Counted references ---------------------------------------------------------------------- */

/* A counted struct has `int ref_count`, which is 1 when it is made; `type`_ref and `type`_unref are
 * defined by one line behind the function that frees it. The count is no _Atomic(int), so that
 * structs with one can stand in public headers, which C++ reads, too. */

/* NULL is fine for both. free_it: of one argument, called by whoever gives the last
 * reference back. */
#define MT_DEFINE_COUNTED(type, free_it)                                        \
  type *type##_ref(type *self)                                                  \
  {                                                                             \
    if (self)                                                                   \
      __atomic_fetch_add(&self->ref_count, 1, __ATOMIC_RELAXED);                \
    return self;                                                                \
  }                                                                             \
                                                                                \
  void type##_unref(type *self)                                                 \
  {                                                                             \
    if (self && __atomic_fetch_sub(&self->ref_count, 1, __ATOMIC_ACQ_REL) == 1) \
      free_it(self);                                                            \
  }

/* ---- For tests ------------------------------------------------------------------------------- */

/* Asked before every allocation of the engine, on the allocating thread; false makes it fail. */
typedef bool (*mt_alloc_hook)(size_t bytes);

/* Install a hook for the whole process; NULL takes it away. Atomic. */
void mt_alloc_set_hook(mt_alloc_hook hook);

#endif

/* mt-arena.h — many arrays in one allocation. Private to the engine.
 *
 * The same function lays the arrays out twice: first without a block, which adds up what is needed,
 * then in the block.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ARENA_H
#define MT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif

/* mt-hash.h — hashes of values, FNV-1a with 64 bits, and numbers drawn with SplitMix64. Private to
 * the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_HASH_H
#define MT_HASH_H

#include <stddef.h>
#include <stdint.h>

#define MT_HASH_BEGIN UINT64_C(14695981039346656037)

/* The hash of what was hashed before, and of these n bytes behind it. */
static inline uint64_t
mt_hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ ((const unsigned char *) bytes)[i]) * UINT64_C(1099511628211);
  return hash;
}

/* The end of SplitMix64 (Steele, Lea & Flood 2014): every bit of what it returns hangs on all of z.
 */
static inline uint64_t
mt_mix(uint64_t z)
{
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* SplitMix64: the next 64 bits of a sequence, state being any number at its beginning. */
#define MT_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t
mt_mix_next(uint64_t *state)
{
  return mt_mix(*state += MT_MIX_STEP);
}

#endif

/* mt-hash.h — hashes of values, FNV-1a with 64 bits. Private to the engine.
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

#endif

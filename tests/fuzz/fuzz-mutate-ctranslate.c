/* fuzz-mutate-ctranslate.c — changes a variable of a CTranslate2 file and makes the numbers of
 * bytes and of variables fit: plain changes mostly cut the rest of the file off.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include <string.h>

#define MAX_VARIABLES 512

/* Where its parts begin; the data ends at `end`. */
typedef struct {
  size_t begin, rank, type, data, end;
} variable;

static guint32
get(const uint8_t *at, int n)
{
  guint32 value = 0;
  for (int i = 0; i < n; i++)
    value |= (guint32) at[i] << 8 * i;
  return value;
}

static void
put(uint8_t *at, guint32 value, int n)
{
  for (int i = 0; i < n; i++)
    at[i] = (uint8_t) (value >> 8 * i);
}

/* The variables that are whole; *count is where their number stands, 0 if nothing is. */
static guint
find_variables(const uint8_t *data, size_t size, size_t *count, variable found[MAX_VARIABLES])
{
  size_t at = 6;
  guint n = 0;
  *count = 0;
  if (size < at || size < (at += get(data + 4, 2) + 4) + 4)
    return 0;
  *count = at;
  const guint32 n_all = get(data + at, 4);
  at += 4;
  while (n < MAX_VARIABLES && n < n_all && at + 2 <= size) {
    variable v = {.begin = at, .rank = at + 2 + get(data + at, 2)};
    if (v.rank >= size || data[v.rank] > 4)
      break;
    v.type = v.rank + 1 + 4u * data[v.rank];
    v.data = v.type + 5;
    if (v.data > size || get(data + v.type + 1, 4) > size - v.data)
      break;
    at = v.end = v.data + get(data + v.type + 1, 4);
    found[n++] = v;
  }
  return n;
}

/* n bytes of `with` take the place of [begin, end). */
static size_t
replace(uint8_t *data, size_t size, size_t max_size, size_t begin, size_t end, const void *with,
        size_t n)
{
  const size_t rest = size - end;
  if (begin + n + rest > max_size)
    return size;
  g_autofree uint8_t *copy = g_memdup2(with, n);
  memmove(data + begin + n, data + end, rest);
  if (n)
    memcpy(data + begin, copy, n);
  return begin + n + rest;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  static const guint sizes[] = {4, 1, 2, 4, 2, 2};
  variable found[MAX_VARIABLES];
  uint32_t state = seed;
  size_t count;
  const guint n = find_variables(data, size, &count, found);
  if (n == 0 || fuzz_random(&state, 4) == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  const variable v = found[fuzz_random(&state, n)], other = found[fuzz_random(&state, n)];
  switch (fuzz_random(&state, 6)) {
  case 0: /* its numbers */
    if (v.end > v.data) {
      size_t at = v.data + fuzz_random(&state, (uint32_t) (v.end - v.data));
      data[at] = (uint8_t) fuzz_random(&state, 256);
    }
    return size;
  case 1: /* the name of another one */
    return replace(data, size, max_size, v.begin, v.rank, data + other.begin,
                   other.rank - other.begin);
  case 2: /* once more, or not at all */
    put(data + count, get(data + count, 4) + 1, 4);
    return replace(data, size, max_size, v.begin, v.begin, data + other.begin,
                   other.end - other.begin);
  case 3:
    put(data + count, get(data + count, 4) - 1, 4);
    return replace(data, size, max_size, v.begin, v.end, NULL, 0);
  default: { /* another shape or type, with as many bytes as it takes */
    guint64 bytes;
    if (data[v.rank] > 0 && fuzz_random(&state, 2))
      put(data + v.rank + 1 + 4 * fuzz_random(&state, data[v.rank]), fuzz_random(&state, 200), 4);
    else
      data[v.type] = (uint8_t) fuzz_random(&state, G_N_ELEMENTS(sizes));
    bytes = sizes[data[v.type] % G_N_ELEMENTS(sizes)];
    for (guint i = 0; i < data[v.rank]; i++)
      bytes = MIN(bytes * get(data + v.rank + 1 + 4 * i, 4), max_size);
    g_autofree uint8_t *fill = g_malloc0(bytes + 1);
    memcpy(fill, data + v.data, MIN(bytes, v.end - v.data));
    put(data + v.type + 1, (guint32) bytes, 4);
    return replace(data, size, max_size, v.data, v.end, fill, bytes);
  }
  }
}

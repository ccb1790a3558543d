/* fuzz-mutate-safetensors.c — changes the header of a safetensors file and makes its length fit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include <string.h>

#define LENGTH_SIZE 8

/* Three times of four: plain changes mostly give a length that is none. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  uint32_t state = seed;
  uint64_t length = 0;
  if (size >= LENGTH_SIZE)
    memcpy(&length, data, LENGTH_SIZE);
  length = GUINT64_FROM_LE(length);
  if (size < LENGTH_SIZE || length > size - LENGTH_SIZE || fuzz_random(&state, 4) == 0)
    return LLVMFuzzerMutate(data, size, max_size);

  size_t n = (size_t) length, n_data = size - LENGTH_SIZE - n;
  g_autofree uint8_t *tail = g_memdup2(data + LENGTH_SIZE + n, n_data);
  n = LLVMFuzzerMutate(data + LENGTH_SIZE, n, max_size - LENGTH_SIZE);
  n_data = MIN(n_data, max_size - LENGTH_SIZE - n);
  if (n_data)
    memcpy(data + LENGTH_SIZE + n, tail, n_data);
  length = GUINT64_TO_LE((guint64) n);
  memcpy(data, &length, LENGTH_SIZE);
  return LENGTH_SIZE + n + n_data;
}

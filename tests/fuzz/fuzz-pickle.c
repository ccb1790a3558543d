/* fuzz-pickle.c — data.pkl of a PyTorch checkpoint: a program for the pickle machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-pickle.h"
#include "fuzz.h"

#include <string.h>

/* What mt-pickle.h promises of a tensor. */
static void
check(const mt_pickle_tensor *tensor)
{
  g_assert(g_utf8_validate(tensor->name, -1, NULL));
  g_assert(tensor->storage && tensor->dtype_name);
  g_assert_cmpuint(tensor->n_dims, <=, MT_PICKLE_MAX_DIMS);
  size_t n = 1, last = 0, bytes;
  for (size_t i = 0; i < tensor->n_dims; i++) {
    g_assert(!__builtin_mul_overflow(n, tensor->shape[i], &n));
    if (tensor->shape[i] > 0)
      last += (tensor->shape[i] - 1) * tensor->strides[i];
  }
  g_assert_cmpuint(n, ==, tensor->n_elements);
  g_assert(!__builtin_mul_overflow(n, tensor->item_size, &bytes));
  if (n > 0)
    g_assert_cmpuint(tensor->offset + last, <, tensor->n_needed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  mt_error error = {0};
  mt_pickle pickle = {0};
  bool ok = mt_pickle_read(&pickle, "fuzz/data.pkl", data, size, &error);
  g_assert(ok == (error.code == MT_OK));
  g_assert(ok || g_utf8_validate(error.message, -1, NULL));
  for (size_t i = 0; i < pickle.n; i++)
    check(&pickle.tensors[i]);
  mt_pickle_clear(&pickle);
  return 0;
}

/* mt-pickle.h — the tensors that a pickle of PyTorch describes. Private to the engine.
 *
 * A pickle is a program for a small stack machine that can call anything Python knows: opening a
 * stranger's pickle with Python runs a stranger's code. The machine here knows a short list of
 * names (mt-pickle-torch.c), all of which mean "a tensor", "a mapping" or "a kind of number". It
 * imports nothing, calls nothing and refuses every other name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PICKLE_H
#define MT_PICKLE_H

#include "base/mt-dtype.h"
#include "mt.h"

#define MT_PICKLE_MAX_DIMS 4

/* A view of a storage, which is an array of numbers kept beside the pickle. Checked: the view lies
 * inside as many numbers as the pickle promises; whether the storage has them is not known here. */
typedef struct {
  const char *name;    /* in the mapping; UTF-8 */
  const char *storage; /* key of the storage, e.g. "0"; whatever the file says */
  const char *dtype_name;
  mt_dtype dtype;
  size_t item_size; /* bytes of one number, also where dtype is MT_DTYPE_OTHER */
  size_t n_dims;    /* at most MT_PICKLE_MAX_DIMS */
  size_t shape[MT_PICKLE_MAX_DIMS];
  size_t strides[MT_PICKLE_MAX_DIMS]; /* in numbers; 0 repeats */
  size_t offset;                      /* of the first number in the storage */
  size_t n_elements;                  /* product of the shape; n_elements * item_size fits */
  size_t n_needed;                    /* numbers that the storage must have; 0 if n_elements is */
} mt_pickle_tensor;

/* The tensors of one mapping, in its order. Initialise with {0}. */
typedef struct {
  mt_pickle_tensor *tensors; /* strings owned */
  size_t n;
} mt_pickle;

/* Read a pickle (protocols 1 to 5) of n bytes, in time and memory proportional to n at most: a
 * mapping from names to tensors, or one that holds such a mapping as "state_dict",
 * "model_state_dict" or "model". Values that are not tensors are skipped. label names the file in
 * messages. Errors: MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY. Release with
 * mt_pickle_clear. */
bool mt_pickle_read(mt_pickle *pickle, const char *label, const unsigned char *bytes, size_t n,
                    mt_error *error);
void mt_pickle_clear(mt_pickle *pickle);

#endif

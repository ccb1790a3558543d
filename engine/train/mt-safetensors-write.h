/* mt-safetensors-write.h — writing a file of tensors in the format safetensors. Private to the
 * trainer. Reading: engine/checkpoint/mt-safetensors.c, which describes the format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SAFETENSORS_WRITE_H
#define MT_SAFETENSORS_WRITE_H

#include "base/mt-dtype.h"
#include "mt/train/new-dir.h"

#define MT_SAFETENSORS_MAX_DIMS 2

typedef struct {
  const char *name;
  mt_dtype dtype; /* F32, F16, BF16 or F64 */
  size_t n_dims, shape[MT_SAFETENSORS_MAX_DIMS];
} mt_safetensors_entry;

/* Write the header; the data of all tensors, in this order and without gaps, is the caller's to
 * follow. It begins at a multiple of 64 bytes. A write that fails is told when the file is closed.
 * Errors: MT_ERROR_NO_MEMORY. */
bool mt_safetensors_write_header(mt_new_file *file, const mt_safetensors_entry *entries, size_t n,
                                 mt_error *error);

/* In a file in memory, `label` for messages: the bytes of each of the n tensors, which must be
 * there in exactly this type and shape. Errors: MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
bool mt_safetensors_find(const unsigned char *bytes, size_t size, const char *label,
                         const mt_safetensors_entry *entries, size_t n, const unsigned char **data,
                         mt_error *error);

#endif

/* mt-npy-write.h — a NumPy array of whole numbers, written as it comes. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NPY_WRITE_H
#define MT_NPY_WRITE_H

#include "mt/train/new-dir.h"

/* One-dimensional, '<u2', '<u4' or '<u8' (item_size 2, 4, 8). */
typedef struct mt_npy_writer mt_npy_writer;

/* Begin a file. Errors: those of mt_new_file_open. */
mt_npy_writer *mt_npy_writer_new(mt_new_dir *dir, const char *name, size_t item_size,
                                 mt_error *error);
/* Append n elements, given as they are stored. Errors: MT_ERROR_IO. */
bool mt_npy_writer_add(mt_npy_writer *writer, const void *elements, size_t n, mt_error *error);
/* Write the header, close, free. *size and *crc are of the whole file. Errors: MT_ERROR_IO. */
bool mt_npy_writer_close(mt_npy_writer *writer, uint64_t *size, uint32_t *crc, mt_error *error);

#endif

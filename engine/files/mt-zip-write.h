/* mt-zip-write.h — zip archives, written to a file or into memory. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ZIP_WRITE_H
#define MT_ZIP_WRITE_H

#include "mt.h"

/* An entry: head, then data, both borrowed and each of any size. */
typedef struct {
  const char *name;
  const void *head, *data;
  size_t head_size, data_size;
  bool deflate; /* else it is stored as it is */
} mt_zip_part;

/* Writes a temporary file beside path (beside the file behind it, if path is a link), and renames
 * it when it is whole and on the disk: an earlier file survives any failure, also of the power.
 * Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
bool mt_zip_write(const char *path, const mt_zip_part *parts, size_t n, mt_error *error);
/* Into memory, for mt_bytes_clear. Errors: MT_ERROR_NO_MEMORY. */
bool mt_zip_make(const mt_zip_part *parts, size_t n, mt_bytes *bytes, mt_error *error);

#endif

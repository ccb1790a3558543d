/* mt-file.h — a model directory and its files, mapped into memory. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_FILE_H
#define MT_FILE_H

#include "mt.h"

/* An open directory. Files are opened relative to it, so that they all come from the same one even
 * if its path is renamed meanwhile. `name` is its last component: messages name a file as
 * "en-de/config.json", which stays short whatever the path is. */
typedef struct {
  int fd;
  char *name;
} mt_dir;

/* Errors: MT_ERROR_IO (missing, not a directory, not readable), MT_ERROR_NO_MEMORY; *dir is then
 * still empty. Initialise with MT_DIR_NONE; close is then always allowed. */
#define MT_DIR_NONE \
  {                 \
    .fd = -1        \
  }
bool mt_dir_open(mt_dir *dir, const char *path, mt_error *error);
void mt_dir_close(mt_dir *dir);

/* True if something of that name is in the directory. */
bool mt_dir_has(const mt_dir *dir, const char *file);

/* A whole file, read-only. */
typedef struct {
  const unsigned char *bytes;
  size_t size;
} mt_mapping;

/* Map a regular, non-empty file of at most max_size bytes. Errors: MT_ERROR_IO, MT_ERROR_FORMAT
 * (empty or too large), MT_ERROR_NO_MEMORY; *mapping is untouched. Release with mt_unmap. */
bool mt_dir_map(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping,
                mt_error *error);
void mt_unmap(mt_mapping *mapping);

#endif

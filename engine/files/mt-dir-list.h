/* mt-dir-list.h — the names of the files in a model's folder or archive. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DIR_LIST_H
#define MT_DIR_LIST_H

#include "files/mt-file.h"
#include "mt.h"

typedef struct {
  char **names; /* sorted by their bytes */
  size_t n;
} mt_dir_list;

/* All names, without those that start with a dot or lie in folders below. Initialise with {0},
 * clear with mt_dir_list_clear. Errors: MT_ERROR_IO, MT_ERROR_FORMAT for more than 20,000 files,
 * MT_ERROR_NO_MEMORY. */
bool mt_dir_list_read(mt_dir_list *list, const mt_dir *dir, mt_error *error);
void mt_dir_list_clear(mt_dir_list *list);

/* True if the name ends so, whatever the case of its letters. */
bool mt_dir_list_ends(const char *name, const char *ending);

#endif

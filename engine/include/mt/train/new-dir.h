/* new-dir.h — a folder that appears whole or not at all. Part of mt-train.h.
 *
 * Files are written to a hidden folder beside the place where it shall be, ".NAME.part-XXXXXX",
 * made durable, and renamed at the end. Whatever happens before that, what was there stays there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_NEW_DIR_H
#define MT_PUBLIC_TRAIN_NEW_DIR_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_new_dir mt_new_dir;

/* Begin a folder that shall be `path`; the folder that it will be in must exist. Errors name it by
 * `path`: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
mt_new_dir *mt_new_dir_begin(const char *path, mt_error *error);

/* The hidden folder, for whoever writes files of its own there. Borrowed. */
const char *mt_new_dir_get_path(const mt_new_dir *dir);

/* Make what was written durable and put it in its place. replace: a folder that is there already is
 * exchanged for it, then removed with all it holds; so the caller must know that it may go. Without
 * it, and for a place that holds no folder, MT_ERROR_IO. Only free is allowed afterwards; after a
 * failure, too, and then nothing has changed. */
bool mt_new_dir_commit(mt_new_dir *dir, bool replace, mt_error *error);

/* Without commit: removes the hidden folder. NULL is fine. */
void mt_new_dir_free(mt_new_dir *dir);

/* ---- A file of the folder -------------------------------------------------------------------- */

/* Being written. A failure is remembered and reported when it is closed. */
typedef struct mt_new_file mt_new_file;

/* A new file. Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
mt_new_file *mt_new_file_open(mt_new_dir *dir, const char *name, mt_error *error);
/* Likewise in any folder that is open; `folder` names it in messages. */
mt_new_file *mt_new_file_open_at(int folder_fd, const char *folder, const char *name,
                                 mt_error *error);
/* False if a write failed before or now: a hint that going on is of no use. */
bool mt_new_file_write(mt_new_file *file, const void *bytes, size_t n);
/* Write over bytes at the start, of which at least n were written. */
bool mt_new_file_rewrite(mt_new_file *file, const void *bytes, size_t n);
/* MT_ERROR_IO if a write failed before: the same that closing would report. */
bool mt_new_file_check(const mt_new_file *file, mt_error *error);
uint64_t mt_new_file_size(const mt_new_file *file);
/* Close and free it. False, with MT_ERROR_IO, if anything could not be written. */
bool mt_new_file_close(mt_new_file *file, mt_error *error);

/* ---- A file alone ---------------------------------------------------------------------------- */

/* Write n bytes beside `path`, to ".NAME.part", make them durable, and rename that: whatever
 * happens, the file at `path` is the old one or the new one. Errors: MT_ERROR_IO,
 * MT_ERROR_NO_MEMORY. */
bool mt_replace_file(const char *path, const void *bytes, size_t n, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

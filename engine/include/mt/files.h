/* files.h — the files of a model's folder or zip archive, looked at without opening the model:
 * names, sizes, and how the small ones begin. Part of mt.h.
 *
 * A folder of models holds what people put there: pipes, loops of links, files that claim to be
 * small. Only regular files are opened, and only as much as was asked for is read. Nothing is
 * unpacked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_FILES_H
#define MT_PUBLIC_FILES_H

#include <mt/archive.h>
#include <mt/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_files mt_files;

/* Open what mt_model_open would. Errors: MT_ERROR_IO, MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED (an
 * archive that is damaged, or holds what no archive of a model does), MT_ERROR_NO_MEMORY. */
mt_files *mt_files_open(const char *path, mt_error *error);
void mt_files_free(mt_files *files); /* NULL is fine */

bool mt_files_is_archive(const mt_files *files);
/* Bytes of the archive itself; of a folder 0. */
uint64_t mt_files_archive_size(const mt_files *files);
/* Bytes of a file; -1 if there is none, or something that is no file. An archive that holds one
 * folder is as good as that folder. */
int64_t mt_files_size(const mt_files *files, const char *name);
/* Whether it is a link to nothing, which a download cache has of a file that was not fetched whole.
 */
bool mt_files_is_dangling(const mt_files *files, const char *name);
/* The first bytes of a file into out [most]; *n says how many, which is fewer if the file is
 * shorter. Errors: MT_ERROR_IO, MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
bool mt_files_read(const mt_files *files, const char *name, void *out, size_t most, size_t *n,
                   mt_error *error);
/* All names, sorted, but those that begin with a dot. Errors: MT_ERROR_IO, MT_ERROR_FORMAT for more
 * than 20,000, MT_ERROR_NO_MEMORY. */
bool mt_files_each(const mt_files *files, void (*visit)(void *user, const char *name), void *user,
                   mt_error *error);

/* All of a file of at most `most` bytes, for mt_bytes_clear; a zero byte follows, which does not
 * count. takes_pipes: also of a pipe or a device, as a shell's <(…) gives, for which it waits.
 * Errors: MT_ERROR_IO; MT_ERROR_FORMAT: there is more of it, wherever it ends; MT_ERROR_CANCELLED:
 * a signal came; MT_ERROR_NO_MEMORY. */
bool mt_file_read_whole(const char *path, size_t most, bool takes_pipes, mt_bytes *bytes,
                        mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* files.h — files of models and of users, and archives. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_FILES_H
#define MT_PUBLIC_FILES_H

#include <mt/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Archives -------------------------------------------------------------------------------- */

/* A zip archive of a few named files, read and written as a whole.
 *
 * For documents that consist of several files. What is read is a stranger's: only names that the
 * caller lists may be in it, each of at most so many bytes, and all of that is looked at before
 * anything is inflated. Nothing is unpacked. */

/* Memory that a call made; mt_bytes_clear frees it. */
typedef struct {
  unsigned char *data;
  size_t size;
} mt_bytes;
void mt_bytes_clear(mt_bytes *bytes);

/* A file to be written; borrowed. */
typedef struct {
  const char *name;
  const void *data;
  size_t size;
  bool deflate; /* else it is stored as it is */
} mt_archive_file;

/* Writes a temporary file beside path (beside the file behind it, if path is a link) and renames
 * it: an earlier file survives any failure. Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
bool mt_archive_write(const char *path, const mt_archive_file *files, size_t n, mt_error *error);
/* The same into memory, for mt_bytes_clear: of an archive that lies in another one. */
bool mt_archive_make(const mt_archive_file *files, size_t n, mt_bytes *bytes, mt_error *error);

/* A name that may be in an archive, and how many bytes it may have. */
typedef struct {
  const char *name;
  size_t most;
} mt_archive_rule;

typedef struct mt_archive mt_archive;

/* Read an archive that holds nothing but what the n rules allow, and of that the first in any case;
 * in all at most `most` bytes. `what` says in errors what is expected ("a session of Regard").
 * Errors: MT_ERROR_IO; MT_ERROR_FORMAT for what is no zip archive, damaged, or against the rules;
 * MT_ERROR_UNSUPPORTED; MT_ERROR_NO_MEMORY. Each names the file, "folder/dogs.regard". */
mt_archive *mt_archive_read(const char *path, const char *what, const mt_archive_rule *rules,
                            size_t n, size_t most, mt_error *error);
/* The same of one that lies in memory, which errors call by a label. */
mt_archive *mt_archive_parse(const void *bytes, size_t size, const char *label, const char *what,
                             const mt_archive_rule *rules, size_t n, size_t most, mt_error *error);
void mt_archive_free(mt_archive *archive); /* NULL is fine */
/* The bytes of a rule's file; NULL: it is not in the archive. Borrowed. */
const unsigned char *mt_archive_get(const mt_archive *archive, const char *name, size_t *size);

/* ---- Files ----------------------------------------------------------------------------------- */

/* The files of a model's folder or zip archive, looked at without opening the model:
 * names, sizes, and how the small ones begin.
 *
 * A folder of models holds what people put there: pipes, loops of links, files that claim to be
 * small. Only regular files are opened, and only as much as was asked for is read. Nothing is
 * unpacked. */

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

/* archive.h — a zip archive of a few named files, read and written as a whole. Part of mt.h.
 *
 * For documents that consist of several files. What is read is a stranger's: only names that the
 * caller lists may be in it, each of at most so many bytes, and all of that is looked at before
 * anything is inflated. Nothing is unpacked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_ARCHIVE_H
#define MT_PUBLIC_ARCHIVE_H

#include <mt/error.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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
void mt_archive_free(mt_archive *archive); /* NULL is fine */
/* The bytes of a rule's file; NULL: it is not in the archive. Borrowed. */
const unsigned char *mt_archive_get(const mt_archive *archive, const char *name, size_t *size);

#ifdef __cplusplus
}
#endif
#endif

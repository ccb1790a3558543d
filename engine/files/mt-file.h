/* mt-file.h — a model's folder, or an archive of one, and its files in memory. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_FILE_H
#define MT_FILE_H

#include "files/mt-fault.h"
#include "files/mt-zip.h"
#include "mt.h"

#include <sys/types.h>

/* A whole file, read-only. */
typedef struct {
  const unsigned char *bytes;
  size_t size;
  /* For mt_unmap; pages of a file, or memory that a compressed entry was read into. */
  void *pages;
  size_t n_pages_bytes;
  void *allocated;
  size_t ticket; /* of mt_fault_watch */
} mt_mapping;

/* An open folder or zip archive. Files of a folder are opened relative to it, so that they all come
 * from the same one even if its path is renamed meanwhile. `name` is the last component of the
 * path: messages name a file as "en-de/config.json", which stays short whatever the path is. */
typedef struct {
  int fd; /* of the folder or the archive */
  char *name;
  mt_zip *zip;      /* NULL: a folder */
  char *zip_folder; /* "" or the one folder that everything in the archive is in, with its slash */
  mt_mapping archive;
  mt_fault_log *faults; /* of what is mapped from here; NULL: nobody asks */
} mt_dir;

/* Open a folder, or a zip archive. Errors: MT_ERROR_IO (missing, neither of the two, not readable),
 * those of mt_zip_open, MT_ERROR_NO_MEMORY; *dir is then still empty. Initialise with MT_DIR_NONE;
 * close is then always allowed. Mappings made from it stay valid when it is closed. faults: see
 * mt-fault.h; may be NULL. */
#define MT_DIR_NONE \
  {                 \
    .fd = -1        \
  }
bool mt_dir_open(mt_dir *dir, const char *path, mt_fault_log *faults, mt_error *error);
/* The same for what is no model: `expected` says in errors what it should be. */
bool mt_dir_open_as(mt_dir *dir, const char *path, const char *expected, mt_fault_log *faults,
                    mt_error *error);
void mt_dir_close(mt_dir *dir);

/* True if something of that name is in the directory. */
bool mt_dir_has(const mt_dir *dir, const char *file);
/* True if it is a link to nothing, as a download cache has of a file that was not fetched whole. */
bool mt_dir_is_dangling(const mt_dir *dir, const char *file);
/* The error that a file is not there, or is such a link. */
bool mt_dir_fail_missing(const mt_dir *dir, const char *file, mt_error *error);

/* Map a regular, non-empty file of at most max_size bytes; a compressed entry of an archive is read
 * into memory. Entries are compared with their check sums. Errors: MT_ERROR_IO, MT_ERROR_FORMAT
 * (empty, too large, damaged), MT_ERROR_NO_MEMORY; *mapping is untouched. Release with mt_unmap. */
bool mt_dir_map(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping,
                mt_error *error);
/* The same for large files: what an archive has stored is not compared yet, which is the caller's
 * to do. *sum: what is to be compared, or size 0. It borrows names of `dir`, bytes of *mapping. */
bool mt_dir_map_large(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping,
                      mt_sum *sum, mt_error *error);
void mt_unmap(mt_mapping *mapping);

/* Likewise a file of any path. *name, which you free with mt_free, is its last component. Messages
 * name it with its folder: "captures/dogs.npz". */
bool mt_file_map(const char *path, size_t max_size, mt_fault_log *faults, mt_mapping *mapping,
                 char **name, mt_error *error);

/* The folder or archive behind an mt_files, borrowed. */
const mt_dir *mt_files_dir(const mt_files *files);

/* What is found where a regular file was expected, by its st_mode. */
const char *mt_file_kind(mode_t mode);

/* Bytes of a regular file; -1 if there is none. */
int64_t mt_dir_size(const mt_dir *dir, const char *file);
/* The first bytes of a regular file into out [most]; *n: how many. Errors: MT_ERROR_IO,
 * MT_ERROR_FORMAT (damaged), MT_ERROR_NO_MEMORY. */
bool mt_dir_read(const mt_dir *dir, const char *file, void *out, size_t most, size_t *n,
                 mt_error *error);

/* ---- The names in a folder or archive -------------------------------------------------------- */

typedef struct {
  char **names; /* sorted by their bytes */
  size_t n, capacity;
} mt_dir_list;

/* All names, without those that start with a dot or lie in folders below. Initialise with {0},
 * clear with mt_dir_list_clear. Errors: MT_ERROR_IO, MT_ERROR_FORMAT for more than 20,000 files,
 * MT_ERROR_NO_MEMORY. */
bool mt_dir_list_read(mt_dir_list *list, const mt_dir *dir, mt_error *error);
void mt_dir_list_clear(mt_dir_list *list);

/* True if the name ends so, whatever the case of its letters. */
bool mt_dir_list_ends(const char *name, const char *ending);

/* ---- Files that are not what their name says ------------------------------------------------- */

/* Fill in the error for a file of weights or of a tokenizer that starts otherwise than its format
 * does: what it is, as far as its first bytes tell, and what to do about it. label names the file,
 * expected says what it should be ("a zip archive as torch.save writes it"). Always returns false.
 */
bool mt_wrong_file_fail(const char *label, const char *expected, const unsigned char *bytes,
                        size_t size, mt_error *error);

/* True if the file starts like another kind than safetensors, whose own start can be any bytes. */
bool mt_wrong_file_is_known(const unsigned char *bytes, size_t size);

#endif

/* mt-zip.h — zip archives: the entries of one that lies in memory, and writing one. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PyTorch checkpoints, NumPy's .npz and the archives that models are published in are all zips.
 * libzip reads them; an entry that is stored without compression can be used where it lies.
 */
#ifndef MT_ZIP_H
#define MT_ZIP_H

#include "files/mt-sums.h"
#include "mt.h"

typedef struct mt_zip mt_zip;

typedef struct {
  const char *name; /* borrowed from the archive */
  size_t size;      /* bytes, uncompressed */
  /* Where the bytes lie in the archive if they are stored as they are, so that
   * offset + size <= size of the archive; SIZE_MAX if they are compressed. */
  size_t offset;
  uint32_t crc; /* CRC-32 of the bytes, uncompressed */
} mt_zip_entry;

/* Open an archive of `size` bytes, which must outlive it. label names it in messages
 * ("en-de/pytorch_model.bin"). Every entry is looked at: links, encrypted entries, names that leave
 * the archive ("..", "/etc") or come twice, entries that promise more than their compressed bytes
 * can hold, and entries that share bytes are refused, before anything is allocated for them.
 * Folders are left out. Errors: MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY. */
mt_zip *mt_zip_open(const unsigned char *bytes, size_t size, const char *label, mt_error *error);
void mt_zip_free(mt_zip *zip);

/* The bytes are a file that is mapped: pages that were inflated from are given back to the system,
 * which has them on disk, so that an archive and what is in it are not in memory at once. */
void mt_zip_set_mapped(mt_zip *zip);

/* While entries are inflated: told how many bytes more there are, after each few megabytes; returns
 * false to stop, which is MT_ERROR_CANCELLED. NULL: nobody asks. */
typedef bool (*mt_zip_on_inflated)(void *user, size_t n_bytes);
void mt_zip_set_watch(mt_zip *zip, mt_zip_on_inflated on_inflated, void *user);
/* Bytes of all entries that have to be inflated. */
size_t mt_zip_count_inflated(const mt_zip *zip);

/* True if the bytes start like a zip archive does. */
bool mt_zip_is_zip(const unsigned char *bytes, size_t size);

size_t mt_zip_count(const mt_zip *zip);
/* The name of the first entry that is a folder; NULL: there is none. */
const char *mt_zip_folder(const mt_zip *zip);
const mt_zip_entry *mt_zip_get(const mt_zip *zip, size_t i); /* i < count, in the archive's order */
bool mt_zip_find(const mt_zip *zip, const char *name, size_t *i);

/* Write the entry's bytes to out [entry->size]; the check sum is compared.
 * Errors: MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY, MT_ERROR_CANCELLED (mt_zip_set_watch). One thread
 * at a time. */
bool mt_zip_read(mt_zip *zip, size_t i, void *out, mt_error *error);

/* An entry whose offset is not SIZE_MAX, to be compared with its check sum by whoever uses it where
 * it lies. Valid as long as the archive. */
mt_sum mt_zip_sum(const mt_zip *zip, size_t i);

/* The first bytes of an entry into out [most]; *n: how many. Compared with the check sum if they
 * are all. Errors: MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
bool mt_zip_read_start(mt_zip *zip, size_t i, void *out, size_t most, size_t *n, mt_error *error);

/* ---- Writing, to a file or into memory ------------------------------------------------------- */

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

/* mt-cache.c — the rounded matrices of a model in a file, so that they need not be made again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file may be anybody's. Where the matrices lie is not read from it: it must have them where
 * this program would put them, and numbers that the kernels can take.
 */
#include "model/mt-cache.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "files/mt-durable.h"
#include "kernels/mt-kernels.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(mt_cache_head) == 8 + 8 + 16 + 16 + 4 * 8, "a head has no padding");
_Static_assert(sizeof(mt_cache_matrix) == 32, "a check sum adds up 32 bytes at a time");

/* ---- What a cache is known by ---------------------------------------------------------------- */

static uint64_t
hash_text(uint64_t hash, const char *text)
{
  return mt_hash_bytes(hash, text, strlen(text) + 1);
}

/* Its name, size and time; all of an archive are the archive. */
static bool
hash_file(const mt_dir *dir, const char *file, uint64_t *hash)
{
  struct stat info;
  if (dir->zip ? fstat(dir->fd, &info) != 0 : fstatat(dir->fd, file, &info, 0) != 0)
    return false;
  const int64_t numbers[] = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  *hash = mt_hash_bytes(hash_text(*hash, file), numbers, sizeof numbers);
  return true;
}

bool
mt_cache_source(const mt_container *container, const mt_dir *dir, uint64_t *source)
{
  uint64_t hash = hash_text(MT_HASH_BEGIN, container->format->name);
  const char *last = NULL;
  for (size_t i = 0; i < container->n_tensors; i++) {
    const mt_container_tensor *tensor = &container->tensors[i];
    const mt_tensor_info *info = &tensor->info;
    const uint64_t numbers[] = {tensor->part, tensor->offset, info->n_dims};
    if ((!last || strcmp(last, info->file) != 0) && !hash_file(dir, info->file, &hash))
      return false;
    last = info->file;
    hash =
        mt_hash_bytes(hash_text(hash_text(hash, info->name), info->dtype), numbers, sizeof numbers);
    hash = mt_hash_bytes(hash, info->shape, info->n_dims * sizeof *info->shape);
  }
  *source = hash;
  return true;
}

uint64_t
mt_cache_sum(uint64_t sum, const void *bytes, size_t n)
{
  uint64_t lanes[4] = {sum, ~sum, sum + 1, sum + 2};
  for (size_t i = 0; i + sizeof lanes <= n; i += sizeof lanes) {
    uint64_t words[4];
    memcpy(words, (const char *) bytes + i, sizeof words);
    for (int k = 0; k < 4; k++) {
      const uint64_t mixed = (lanes[k] ^ words[k]) * MT_MIX_STEP;
      lanes[k] = mixed ^ mixed >> 29;
    }
  }
  return mt_mix(lanes[0]) + mt_mix(lanes[1] ^ 1) + mt_mix(lanes[2] ^ 2) + mt_mix(lanes[3] ^ 3);
}

/* ---- Names ----------------------------------------------------------------------------------- */

#define ENDING ".weights"
#define PART   ".XXXXXX" /* of one that is being written */

/* The cache of a model has a name of its folder's whole path, so that there is one for each model,
 * whatever has become of it. */
static char *
path_of(const mt_cache_key *key)
{
  char *real = realpath(key->directory, NULL), name[64];
  const uint64_t hash = hash_text(MT_HASH_BEGIN, real ? real : key->directory);
  free(real); /* of realpath, not of mt_alloc */
  snprintf(name, sizeof name, "%s-%016llx" ENDING, mt_precision_name(key->precision),
           (unsigned long long) hash);
  return mt_path_join(key->folder, name);
}

/* Whether a file of this name is of a cache, also if it never was finished. */
static bool
is_name(const char *name)
{
  for (mt_precision p = MT_PRECISION_STORED + 1; p < MT_N_PRECISIONS; p++) {
    const size_t n = strlen(mt_precision_name(p));
    const char *end = name + n + 1 + 16;
    if (strncmp(name, mt_precision_name(p), n) == 0 && name[n] == '-' &&
        strspn(name + n + 1, "0123456789abcdef") == 16 && strncmp(end, ENDING, strlen(ENDING)) == 0)
      return end[strlen(ENDING)] == '\0' ||
             (end[strlen(ENDING)] == '.' && strlen(end) == strlen(ENDING PART));
  }
  return false;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static mt_cache_head
head_of(const mt_cache_key *key)
{
  mt_cache_head head = {.version = MT_CACHE_VERSION,
                        .byte_order = MT_CACHE_BYTE_ORDER,
                        .panel_outs = MT_PANEL_OUTS,
                        .int8_panel = MT_INT8_PANEL,
                        .int8_alignment = MT_INT8_ALIGNMENT,
                        .source = key->source,
                        .n_matrices = key->n_matrices,
                        .n_bytes = key->n_bytes};
  memcpy(head.magic, MT_CACHE_MAGIC, sizeof head.magic);
  snprintf(head.precision, sizeof head.precision, "%s", mt_precision_name(key->precision));
  return head;
}

static size_t
n_table(const mt_cache_key *key)
{
  return key->n_matrices * sizeof *key->matrices;
}

static size_t
begin_of_data(const mt_cache_key *key)
{
  const size_t n = sizeof(mt_cache_head) + n_table(key);
  return (n + MT_CACHE_PAGE - 1) / MT_CACHE_PAGE * MT_CACHE_PAGE;
}

/* Whether no number of 16 bits has all of these bits, which infinities and NaNs have. */
static bool
lacks(const char *data, size_t n_bytes, uint16_t bits)
{
  unsigned found = 0;
  for (size_t i = 0; i + 2 <= n_bytes; i += 2) {
    uint16_t half;
    memcpy(&half, data + i, sizeof half);
    found |= (half & bits) == bits;
  }
  return !found;
}

/* Whole numbers from -127, and finite scales behind them. */
static bool
has_whole_numbers(const mt_cache_matrix *matrix, const char *data)
{
  const size_t n_out = MT_INT8_PANELS(matrix->n_out) * MT_INT8_PANEL;
  const size_t n = n_out * MT_INT8_STRIDE(matrix->n_in);
  unsigned found = 0;
  for (size_t i = 0; i < n; i++)
    found |= (unsigned char) data[i] == 0x80;
  /* Panels are whole lines of the arena, so that scales follow at once. */
  return !found && mt_dtype_all_finite((const float *) (const void *) (data + n), n_out);
}

static bool
has_numbers(const mt_cache_key *key, const char *data)
{
  const mt_precision form = key->form;
  for (size_t i = 0; i < key->n_matrices; i++) {
    const mt_cache_matrix *matrix = &key->matrices[i];
    const char *own = data + matrix->offset;
    if (form == MT_PRECISION_INT8
            ? !has_whole_numbers(matrix, own)
            : !lacks(own, matrix->n_bytes, form == MT_PRECISION_F16 ? 0x7c00 : 0x7f80))
      return false;
  }
  return true;
}

static bool
fits(const mt_cache_key *key, const mt_mapping *mapping)
{
  mt_cache_head expected = head_of(key), found;
  const size_t begin = begin_of_data(key);
  if (mapping->size != begin + key->n_bytes)
    return false;
  memcpy(&found, mapping->bytes, sizeof found);
  expected.sum = found.sum;
  const char *data = (const char *) mapping->bytes + begin;
  return memcmp(&found, &expected, sizeof found) == 0 &&
         memcmp(mapping->bytes + sizeof found, key->matrices, n_table(key)) == 0 &&
         mt_cache_sum(mt_cache_sum(0, key->matrices, n_table(key)), data, key->n_bytes) ==
             found.sum &&
         has_numbers(key, data);
}

bool
mt_cache_map(const mt_cache_key *key, mt_fault_log *faults, mt_mapping *mapping, const char **data)
{
  char *path = path_of(key), *name = NULL;
  mt_error why = {0};
  if (!path ||
      !mt_file_map(path, begin_of_data(key) + key->n_bytes, faults, mapping, &name, &why)) {
    mt_free(path);
    return false;
  }
  mt_free(path);
  mt_free(name);
  if (!fits(key, mapping)) {
    mt_unmap(mapping);
    return false;
  }
  *data = (const char *) mapping->bytes + begin_of_data(key);
  return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

#define WRITTEN ((size_t) 16 << 20) /* bytes between two calls of on_written */

static bool
write_all(int fd, const void *bytes, size_t n)
{
  for (const char *at = bytes; n > 0;) {
    ssize_t done = write(fd, at, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    at += done;
    n -= (size_t) done;
  }
  return true;
}

static bool
make_folder(const char *folder)
{
  char *path = mt_strdup(folder);
  if (!path)
    return false;
  for (char *slash = path + 1; *path && (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
  mkdir(path, 0700);
  mt_free(path);
  return true; /* whoever writes into it finds out whether it is there */
}

static bool
fail_write(const char *folder, mt_error *error)
{
  return mt_fail(error, MT_ERROR_IO, "%.200s: the cache of weights cannot be written: %s.", folder,
                 strerror(errno));
}

static bool
write_data(int fd, const mt_cache_key *key, const char *data,
           bool (*on_written)(void *user, size_t n_bytes), void *user, mt_error *error)
{
  static const char zeros[MT_CACHE_PAGE];
  mt_cache_head head = head_of(key);
  head.sum = mt_cache_sum(mt_cache_sum(0, key->matrices, n_table(key)), data, key->n_bytes);
  if (!write_all(fd, &head, sizeof head) || !write_all(fd, key->matrices, n_table(key)) ||
      !write_all(fd, zeros, begin_of_data(key) - sizeof head - n_table(key)))
    return fail_write(key->folder, error);
  for (size_t i = 0; i < key->n_bytes; i += WRITTEN) {
    const size_t n = key->n_bytes - i < WRITTEN ? key->n_bytes - i : WRITTEN;
    if (!write_all(fd, data + i, n))
      return fail_write(key->folder, error);
    if (!on_written(user, n))
      return mt_fail(error, MT_ERROR_CANCELLED, "Writing the cache of weights was cancelled.");
  }
  return true;
}

bool
mt_cache_write(const mt_cache_key *key, const char *data,
               bool (*on_written)(void *user, size_t n_bytes), void *user, mt_error *error)
{
  char *path = path_of(key);
  const size_t n = path ? strlen(path) + sizeof PART : 0;
  char *part = path ? mt_alloc(n, 1) : NULL;
  if (!part || !make_folder(key->folder)) {
    mt_free(part);
    mt_free(path);
    return mt_fail_no_memory(error);
  }
  snprintf(part, n, "%s" PART, path);
  const int fd = mkostemp(part, O_CLOEXEC);
  bool ok =
      fd >= 0 ? write_data(fd, key, data, on_written, user, error) : fail_write(key->folder, error);
  if (fd >= 0 && close(fd) != 0 && ok)
    ok = fail_write(key->folder, error);
  if (ok && !mt_durable_rename(part, path))
    ok = fail_write(key->folder, error);
  if (fd >= 0 && !ok)
    unlink(part);
  mt_free(part);
  mt_free(path);
  return ok;
}

/* ---- All of a folder ------------------------------------------------------------------------- */

/* Adds up what a folder has of caches; `removes`: it goes, too. */
static bool
visit(const char *folder, bool removes, size_t *n_files, size_t *n_bytes, mt_error *error)
{
  *n_files = *n_bytes = 0;
  DIR *dir = opendir(folder);
  if (!dir)
    return errno == ENOENT ||
           mt_fail(error, MT_ERROR_IO, "%.200s: the caches of weights cannot be listed.", folder);
  bool ok = true;
  for (const struct dirent *entry; (entry = readdir(dir));) {
    struct stat info;
    if (!is_name(entry->d_name) ||
        fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    if (removes && unlinkat(dirfd(dir), entry->d_name, 0) != 0) {
      ok = mt_fail(error, MT_ERROR_IO, "%.200s/%.64s: the cache of weights cannot be removed.",
                   folder, entry->d_name);
      continue;
    }
    ++*n_files;
    *n_bytes += (size_t) info.st_size;
  }
  closedir(dir);
  return ok;
}

bool
mt_cache_measure(const char *folder, size_t *n_files, size_t *n_bytes, mt_error *error)
{
  return visit(folder, false, n_files, n_bytes, error);
}

bool
mt_cache_remove(const char *folder, size_t *n_files, size_t *n_bytes, mt_error *error)
{
  return visit(folder, true, n_files, n_bytes, error);
}

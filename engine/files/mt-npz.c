/* mt-npz.c — named arrays as a NumPy .npz archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An .npz is a zip of .npy files (NEP 1): magic, version 1.0, a Python dictionary with dtype and
 * shape padded so that the data starts on a multiple of 64 bytes, then the elements in C order.
 * Strings are fixed-width UTF-32 ('<U17'), so that numpy.load needs no pickle. The archive is
 * written by libzip to a temporary file beside the target and renamed over it only when whole:
 * libzip itself works that way, replacing the target in zip_close and not before.
 *
 * Little-endian machines only, as everything this engine runs on.
 */
#include "mt.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-npy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

/* The code point at *text, which moves on; U+FFFD for a byte that is not UTF-8. */
static uint32_t
next_code_point(const char **text)
{
  const unsigned char *s = (const unsigned char *) *text;
  size_t n = mt_utf8_length_at(*text, strlen(*text));
  *text += n ? n : 1;
  if (n == 0)
    return 0xfffd;
  uint32_t code = n == 1 ? *s : *s & (0xffu >> (n + 1));
  for (size_t i = 1; i < n; i++)
    code = code << 6 | (s[i] & 0x3f);
  return code;
}

static size_t
count_code_points(const char *text)
{
  size_t n = 0;
  while (*text)
    next_code_point(&text), n++;
  return n;
}

/* Product of the shape; false on overflow. */
static bool
count_elements(const mt_npz_array *array, size_t *n)
{
  *n = 1;
  for (size_t i = 0; i < array->n_dims; i++)
    if (__builtin_mul_overflow(*n, array->shape[i], n))
      return false;
  return true;
}

/* Where the parts of one .npy come from: libzip reads prefix + header, then the data. */
typedef struct {
  char head[MT_NPY_HEADER_MAX];
  size_t head_size;
  const char *data;
  size_t data_size;
  char *owned; /* data, if it had to be made (strings) */
  size_t position;
} npy_source;

static void
npy_source_free(npy_source *source)
{
  if (!source)
    return;
  mt_free(source->owned);
  mt_free(source);
}

static bool
encode_strings(npy_source *source, const mt_npz_array *array, size_t n, size_t width)
{
  size_t n_units;
  if (__builtin_mul_overflow(n, width, &n_units))
    return false;
  uint32_t *units = mt_alloc(n_units, sizeof *units);
  if (!units)
    return false;
  for (size_t i = 0; i < n; i++) {
    const char *text = array->strings[i];
    for (size_t k = 0; *text; k++)
      units[i * width + k] = next_code_point(&text);
  }
  source->owned = (char *) units;
  source->data = source->owned;
  source->data_size = n_units * sizeof *units;
  return true;
}

/* NULL if out of memory or the shape overflows. */
static npy_source *
npy_source_new(const mt_npz_array *array)
{
  size_t n, width = 1;
  npy_source *source = mt_alloc(1, sizeof *source);
  if (!source || !count_elements(array, &n) || n > SIZE_MAX / sizeof(float))
    goto fail;
  if (array->strings) {
    for (size_t i = 0; i < n; i++) {
      size_t length = count_code_points(array->strings[i]);
      width = length > width ? length : width;
    }
    if (!encode_strings(source, array, n, width))
      goto fail;
  } else {
    source->data = array->f32 ? (const char *) array->f32 : (const char *) array->i32;
    source->data_size = n * sizeof(float);
  }

  char descr[32];
  if (array->strings)
    snprintf(descr, sizeof descr, "<U%zu", width);
  else
    snprintf(descr, sizeof descr, "%s", array->i32 ? "<i4" : "<f4");
  source->head_size = mt_npy_make_header(source->head, descr, array->shape, array->n_dims, 0);
  return source;

fail:
  npy_source_free(source);
  return NULL;
}

static size_t
npy_read(npy_source *source, char *out, size_t wanted)
{
  size_t done = 0;
  while (done < wanted) {
    bool in_head = source->position < source->head_size;
    const char *from = in_head ? source->head + source->position
                               : source->data + (source->position - source->head_size);
    size_t left = in_head ? source->head_size - source->position
                          : source->head_size + source->data_size - source->position;
    size_t n = left < wanted - done ? left : wanted - done;
    if (!n)
      break;
    memcpy(out + done, from, n);
    source->position += n;
    done += n;
  }
  return done;
}

/* libzip's callback: reads head and data without a copy of the whole array. */
static zip_int64_t
npy_callback(void *user, void *out, zip_uint64_t size, zip_source_cmd_t command)
{
  npy_source *source = user;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    source->position = 0;
    return 0;
  case ZIP_SOURCE_READ:
    return (zip_int64_t) npy_read(source, out, size);
  case ZIP_SOURCE_CLOSE:
    return 0;
  case ZIP_SOURCE_STAT: {
    zip_stat_t *stat = out;
    zip_stat_init(stat);
    stat->size = source->head_size + source->data_size;
    stat->valid = ZIP_STAT_SIZE;
    return sizeof *stat;
  }
  case ZIP_SOURCE_ERROR:
    memset(out, 0, 2 * sizeof(int));
    return 2 * sizeof(int);
  case ZIP_SOURCE_FREE:
    npy_source_free(source);
    return 0;
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                          ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
  default:
    return -1;
  }
}

/* What libzip says, as our error. In places it fails for want of memory and says nothing. */
static bool
fail_write(const char *path, zip_error_t *reason, mt_error *error)
{
  if (zip_error_code_zip(reason) == ZIP_ER_MEMORY || zip_error_code_zip(reason) == ZIP_ER_OK ||
      (zip_error_system_type(reason) == ZIP_ET_SYS && zip_error_code_system(reason) == ENOMEM))
    return mt_fail_no_memory(error);
  return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: %s", path, zip_error_strerror(reason));
}

static bool
add_array(zip_t *zip, const mt_npz_array *array, const char *path, mt_error *error)
{
  char name[128];
  if (snprintf(name, sizeof name, "%s.npy", array->name) >= (int) sizeof name)
    return mt_fail(error, MT_ERROR_INPUT, "%s: the array name \"%.40s…\" is too long", path,
                   array->name);
  npy_source *contents = npy_source_new(array);
  if (!contents)
    return mt_fail_no_memory(error);
  zip_source_t *source = zip_source_function(zip, npy_callback, contents);
  if (!source) {
    npy_source_free(contents);
    return mt_fail_no_memory(error);
  }
  zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return fail_write(path, zip_get_error(zip), error);
  }
  /* Attention compresses to about a third, but numpy.load of stored arrays is what people expect
   * from numpy.savez, and it keeps writing at disk speed. */
  zip_set_file_compression(zip, (zip_uint64_t) index, ZIP_CM_STORE, 0);
  return true;
}

/* What a path stands for: libzip would put the archive in the place of a link, and in that of a
 * device too. *real is the file behind all links (freed by the caller), NULL if there is none yet.
 */
static bool
find_place(const char *path, char **real, mt_error *error)
{
  struct stat info;
  *real = NULL;
  if (stat(path, &info) < 0)
    return true;
  if (!S_ISREG(info.st_mode))
    return mt_fail(error, MT_ERROR_IO, "%s: cannot be written: expected a regular file, found %s",
                   path, S_ISDIR(info.st_mode) ? "a directory" : "a device, pipe or socket");
  *real = realpath(path, NULL);
  return true;
}

static bool
write_archive(const char *place, const char *path, const mt_npz_array *arrays, size_t n,
              mt_error *error)
{
  int code;
  zip_t *zip = zip_open(place, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!zip) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    fail_write(path, &reason, error);
    zip_error_fini(&reason);
    return false;
  }
  for (size_t i = 0; i < n; i++)
    if (!add_array(zip, &arrays[i], path, error)) {
      zip_discard(zip);
      return false;
    }
  if (zip_close(zip) < 0) {
    fail_write(path, zip_get_error(zip), error);
    zip_discard(zip);
    return false;
  }
  return true;
}

bool
mt_npz_write(const char *path, const mt_npz_array *arrays, size_t n, mt_error *error)
{
  char *real;
  if (!find_place(path, &real, error))
    return false;
  bool written = write_archive(real ? real : path, path, arrays, n, error);
  free(real); /* of realpath, not of mt_alloc */
  return written;
}

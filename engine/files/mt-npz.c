/* mt-npz.c — named arrays as a NumPy .npz archive, read and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An .npz is a zip of .npy files. Little-endian machines only, as everything this engine runs on.
 */
#include "files/mt-npz.h"
#include "mt/capture.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-npy.h"
#include "files/mt-zip.h"

#include <stdio.h>
#include <string.h>

/* ---- Reading --------------------------------------------------------------------------------- */

/* numpy.savez stores its arrays as they are, so they are used where they lie, once they were
 * compared with their check sums; those of numpy.savez_compressed are inflated when they are asked
 * for, up to a limit for all together. */

#define SUFFIX ".npy"
/* Of the header of a stored array, which does not count. */
#define HEAD ((size_t) 1 << 16)
/* From here on an array is large: comparing it takes some milliseconds. */
#define LARGE ((size_t) 16 << 20)

static bool
add_array(mt_npz *npz, size_t entry, const char *entry_name, size_t n_name, mt_error *error)
{
  mt_npz_member *added = &npz->arrays[npz->n++];
  added->entry = entry;
  added->name = mt_strndup(entry_name, n_name);
  added->label = mt_path_join(npz->label, entry_name);
  return (added->name && added->label) || mt_fail_no_memory(error);
}

static bool
list_arrays(mt_npz *npz, mt_error *error)
{
  npz->arrays = mt_alloc(mt_zip_count(npz->zip), sizeof *npz->arrays);
  if (!npz->arrays)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < mt_zip_count(npz->zip); i++) {
    const char *name = mt_zip_get(npz->zip, i)->name;
    size_t n = strlen(name);
    if (n <= strlen(SUFFIX) || strcmp(name + n - strlen(SUFFIX), SUFFIX) != 0)
      continue;
    if (!add_array(npz, i, name, n - strlen(SUFFIX), error))
      return false;
  }
  return true;
}

mt_npz *
mt_npz_open(const unsigned char *bytes, size_t size, size_t max_inflated, const char *label,
            mt_error *error)
{
  mt_npz *npz = mt_alloc(1, sizeof *npz);
  if (!npz)
    return mt_fail_no_memory(error), NULL;

  npz->bytes = bytes;
  npz->max_inflated = max_inflated;
  npz->label = mt_strdup(label);
  bool ok = npz->label || mt_fail_no_memory(error);
  if (ok && !mt_zip_is_zip(bytes, size))
    ok = mt_fail(error, MT_ERROR_FORMAT, "%s: expected a NumPy archive (.npz), found %s.", label,
                 size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0 ? "a single array (.npy)"
                                                                 : "another file");
  if (ok) {
    npz->zip = mt_zip_open(bytes, size, label, error);
    ok = npz->zip && list_arrays(npz, error);
  }
  if (ok)
    return npz;
  mt_npz_free(npz);
  return NULL;
}

void
mt_npz_free(mt_npz *npz)
{
  if (!npz)
    return;
  for (size_t i = 0; i < npz->n; i++) {
    mt_free(npz->arrays[i].inflated);
    mt_free(npz->arrays[i].name);
    mt_free(npz->arrays[i].label);
  }
  mt_free(npz->arrays);
  mt_free(npz->label);
  mt_zip_free(npz->zip);
  mt_free(npz);
}

bool
mt_npz_find(const mt_npz *npz, const char *name, size_t *i)
{
  /* The zip refuses names that come twice, so the first is the only one. */
  for (size_t k = 0; k < npz->n; k++)
    if (strcmp(npz->arrays[k].name, name) == 0) {
      *i = k;
      return true;
    }
  return false;
}

static bool
inflate(mt_npz *npz, mt_npz_member *array, size_t size, mt_error *error)
{
  if (size > npz->max_inflated - npz->n_inflated)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected at most %zu bytes of compressed arrays, found one of %zu more.",
                   array->label, npz->max_inflated, size);
  unsigned char *bytes = mt_alloc(size, 1);
  if (!bytes)
    return mt_fail_no_memory(error);
  if (!mt_zip_read(npz->zip, array->entry, bytes, error)) {
    mt_free(bytes);
    return false;
  }
  array->inflated = bytes;
  npz->n_inflated += size;
  return true;
}

/* An array that lies in the archive, with its check sum, once. */
static bool
compare(mt_npz *npz, mt_npz_member *array, mt_error *error)
{
  const mt_sum sum = mt_zip_sum(npz->zip, array->entry);
  if (array->is_compared)
    return true;
  if (sum.size > HEAD && sum.size - HEAD > npz->max_inflated)
    return mt_fail(error, MT_ERROR_TOO_LONG, "%s: expected at most %zu bytes, found %zu.",
                   array->label, npz->max_inflated, sum.size);
  return array->is_compared = mt_sum_check(&sum, error);
}

static bool
parse(mt_npz *npz, size_t i, bool compares, mt_npy *npy, mt_error *error)
{
  mt_npz_member *array = &npz->arrays[i];
  const mt_zip_entry *entry = mt_zip_get(npz->zip, array->entry);
  bool in_place = entry->offset != SIZE_MAX;
  if (!in_place && !array->inflated && !inflate(npz, array, entry->size, error))
    return false;
  if (in_place && (compares || entry->size < LARGE) && !compare(npz, array, error))
    return false;
  return mt_npy_parse(in_place ? npz->bytes + entry->offset : array->inflated, entry->size,
                      array->label, npy, error);
}

bool
mt_npz_get(mt_npz *npz, size_t i, mt_npy *npy, mt_error *error)
{
  return parse(npz, i, true, npy, error);
}

bool
mt_npz_peek(mt_npz *npz, size_t i, mt_npy *npy, mt_error *error)
{
  return parse(npz, i, false, npy, error);
}

void
mt_npz_leave_sums(mt_npz *npz)
{
  for (size_t i = 0; i < npz->n; i++)
    npz->arrays[i].is_compared = true;
}

bool
mt_npz_sum(const mt_npz *npz, size_t i, mt_sum *sum)
{
  const size_t entry = npz->arrays[i].entry;
  if (mt_zip_get(npz->zip, entry)->offset == SIZE_MAX)
    return false;
  *sum = mt_zip_sum(npz->zip, entry);
  return true;
}

void
mt_npz_drop(mt_npz *npz, size_t i)
{
  mt_npz_member *array = &npz->arrays[i];
  if (!array->inflated)
    return;
  npz->n_inflated -= mt_zip_get(npz->zip, array->entry)->size;
  mt_free(array->inflated);
  array->inflated = NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* A .npy file (NEP 1) is its magic, version 1.0, a Python dictionary with dtype and shape, padded
 * so that the data starts on a multiple of 64 bytes, then the elements in C order. Strings are
 * fixed-width UTF-32 ('<U17'), so that numpy.load needs no pickle. */

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

/* One array as an entry of the archive. */
typedef struct {
  char name[128];
  char head[MT_NPY_HEADER_MAX];
  uint32_t *units; /* of strings, which have to be made; NULL: the data are the array's */
} npy;

static bool
encode_strings(npy *out, const mt_npz_array *array, size_t n, size_t width)
{
  size_t n_units;
  if (__builtin_mul_overflow(n, width, &n_units))
    return false;
  out->units = mt_alloc(n_units, sizeof *out->units);
  if (!out->units)
    return false;
  for (size_t i = 0; i < n; i++) {
    const char *text = array->strings[i];
    for (size_t k = 0; *text; k++)
      out->units[i * width + k] = next_code_point(&text);
  }
  return true;
}

/* False if out of memory, or if the shape overflows. */
static bool
make_npy(npy *out, const mt_npz_array *array, mt_zip_part *part)
{
  size_t n, width = 1;
  if (!count_elements(array, &n) || n > SIZE_MAX / sizeof(float))
    return false;
  part->name = out->name;
  if (array->strings) {
    for (size_t i = 0; i < n; i++) {
      size_t length = count_code_points(array->strings[i]);
      width = length > width ? length : width;
    }
    if (!encode_strings(out, array, n, width))
      return false;
    part->data = out->units;
    part->data_size = n * width * sizeof *out->units;
  } else {
    part->data = array->f32 ? (const void *) array->f32 : (const void *) array->i32;
    part->data_size = n * sizeof(float);
  }
  char descr[32];
  if (array->strings)
    snprintf(descr, sizeof descr, "<U%zu", width);
  else
    snprintf(descr, sizeof descr, "%s", array->i32 ? "<i4" : "<f4");
  part->head = out->head;
  part->head_size = mt_npy_make_header(out->head, descr, array->shape, array->n_dims, 0);
  return true;
}

/* Attention compresses to about a third, but numpy.load of stored arrays is what people expect from
 * numpy.savez, and it keeps writing at disk speed. */
static bool
make_parts(const mt_npz_array *arrays, size_t n, const char *label, npy *files, mt_zip_part *parts,
           mt_error *error)
{
  for (size_t i = 0; i < n; i++) {
    if (snprintf(files[i].name, sizeof files[i].name, "%s.npy", arrays[i].name) >=
        (int) sizeof files[i].name)
      return mt_fail(error, MT_ERROR_INPUT, "%s: the array name \"%.40s…\" is too long", label,
                     arrays[i].name);
    if (!make_npy(&files[i], &arrays[i], &parts[i]))
      return mt_fail_no_memory(error);
  }
  return true;
}

/* To a file, or, without a path, into memory. */
static bool
write_arrays(const char *path, const mt_npz_array *arrays, size_t n, mt_bytes *bytes,
             mt_error *error)
{
  npy *files = mt_alloc(n, sizeof *files);
  mt_zip_part *parts = mt_alloc(n, sizeof *parts);
  bool ok = files && parts ? make_parts(arrays, n, path ? path : "NPZ", files, parts, error)
                           : mt_fail_no_memory(error);
  if (ok)
    ok = path ? mt_zip_write(path, parts, n, error) : mt_zip_make(parts, n, bytes, error);
  for (size_t i = 0; files && i < n; i++)
    mt_free(files[i].units);
  mt_free(files);
  mt_free(parts);
  return ok;
}

bool
mt_npz_write(const char *path, const mt_npz_array *arrays, size_t n, mt_error *error)
{
  return write_arrays(path, arrays, n, NULL, error);
}

bool
mt_npz_make(const mt_npz_array *arrays, size_t n, mt_bytes *bytes, mt_error *error)
{
  return write_arrays(NULL, arrays, n, bytes, error);
}

/* mt-npz.c — named arrays as a NumPy .npz archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An .npz is a zip of .npy files (NEP 1): magic, version 1.0, a Python dictionary with dtype and
 * shape padded so that the data starts on a multiple of 64 bytes, then the elements in C order.
 * Strings are fixed-width UTF-32 ('<U17'), so that numpy.load needs no pickle.
 *
 * Little-endian machines only, as everything this engine runs on.
 */
#include "mt/capture.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-npy.h"
#include "files/mt-zip-write.h"

#include <stdio.h>
#include <string.h>

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

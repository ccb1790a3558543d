/* mt-safetensors-write.c — writing a file of tensors, and finding them in one of our own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-safetensors-write.h"

#include "base/mt-error.h"
#include "files/mt-json.h"

#include <string.h>

#define LENGTH_SIZE 8
#define ALIGNMENT   64

static const char *
dtype_name(mt_dtype dtype)
{
  switch (dtype) {
  case MT_DTYPE_F16:
    return "F16";
  case MT_DTYPE_BF16:
    return "BF16";
  case MT_DTYPE_F64:
    return "F64";
  case MT_DTYPE_F32:
  case MT_DTYPE_OTHER:
    break;
  }
  return "F32";
}

/* Numbers of a tensor; bytes of it in the file. */
static size_t
mt_safetensors_count(const mt_safetensors_entry *entry)
{
  size_t n = 1;
  for (size_t i = 0; i < entry->n_dims; i++)
    n *= entry->shape[i];
  return n;
}

static size_t
mt_safetensors_bytes(const mt_safetensors_entry *entry)
{
  return mt_safetensors_count(entry) * mt_dtype_size(entry->dtype);
}

static void
put_entry(mt_json_out *out, const mt_safetensors_entry *entry, size_t begin)
{
  mt_json_begin(out, entry->name, '{');
  mt_json_put_string(out, "dtype", dtype_name(entry->dtype));
  mt_json_begin(out, "shape", '[');
  for (size_t k = 0; k < entry->n_dims; k++)
    mt_json_put_whole(out, NULL, (int64_t) entry->shape[k]);
  mt_json_end(out);
  mt_json_begin(out, "data_offsets", '[');
  mt_json_put_whole(out, NULL, (int64_t) begin);
  mt_json_put_whole(out, NULL, (int64_t) (begin + mt_safetensors_bytes(entry)));
  mt_json_end(out);
  mt_json_end(out);
}

bool
mt_safetensors_write_header(mt_new_file *file, const mt_safetensors_entry *entries, size_t n,
                            mt_error *error)
{
  mt_json_out out = {0};
  mt_json_begin(&out, NULL, '{');
  mt_json_begin(&out, "__metadata__", '{');
  mt_json_put_string(&out, "format", "pt"); /* what transformers asks for */
  mt_json_end(&out);
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    put_entry(&out, &entries[i], at);
    at += mt_safetensors_bytes(&entries[i]);
  }
  mt_json_end(&out);
  if (!mt_json_finish(&out, "", error)) {
    mt_json_out_clear(&out);
    return false;
  }
  static const char spaces[ALIGNMENT + 1] =
      "                                                                ";
  size_t n_spaces = ALIGNMENT - (LENGTH_SIZE + out.n) % ALIGNMENT;
  uint64_t length = out.n + n_spaces;
  mt_new_file_write(file, &length, LENGTH_SIZE); /* little-endian, as all machines this runs on */
  mt_new_file_write(file, out.text, out.n);
  mt_new_file_write(file, spaces, n_spaces);
  mt_json_out_clear(&out);
  return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* List i of the entry has exactly these whole numbers. */
static bool
has_numbers(const mt_json_value *entry, const char *key, const size_t *numbers, size_t n)
{
  const mt_json_value *list =
      mt_json_kind_of(entry) == MT_JSON_OBJECT ? mt_json_member(entry, key) : NULL;
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) != n)
    return false;
  for (size_t i = 0; i < n; i++) {
    const mt_json_value *item = mt_json_at(list, i);
    if (mt_json_kind_of(item) != MT_JSON_INTEGER || mt_json_integer(item) != (int64_t) numbers[i])
      return false;
  }
  return true;
}

static bool
find_one(const mt_json *json, const mt_safetensors_entry *entry, size_t begin, const char *label,
         mt_error *error)
{
  const size_t offsets[] = {begin, begin + mt_safetensors_bytes(entry)};
  const mt_json_value *found = mt_json_get(json, entry->name);
  const mt_json_value *dtype =
      mt_json_kind_of(found) == MT_JSON_OBJECT ? mt_json_member(found, "dtype") : NULL;
  const char *name = mt_json_kind_of(dtype) == MT_JSON_STRING ? mt_json_string(dtype) : NULL;
  if (name && strcmp(name, dtype_name(entry->dtype)) == 0 &&
      has_numbers(found, "shape", entry->shape, entry->n_dims) &&
      has_numbers(found, "data_offsets", offsets, 2))
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected tensor \"%s\" with %zu numbers of type %s at byte %zu of the data, "
                 "found another one or none.",
                 label, entry->name, mt_safetensors_count(entry), dtype_name(entry->dtype), begin);
}

bool
mt_safetensors_find(const unsigned char *bytes, size_t size, const char *label,
                    const mt_safetensors_entry *entries, size_t n, const unsigned char **data,
                    mt_error *error)
{
  uint64_t length = 0;
  if (size >= LENGTH_SIZE)
    memcpy(&length, bytes, LENGTH_SIZE);
  if (size < LENGTH_SIZE || length > size - LENGTH_SIZE)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected a header and tensors, found %zu bytes (is the file cut off?).",
                   label, size);
  mt_json json = {0};
  if (!mt_json_parse(&json, label, (const char *) bytes + LENGTH_SIZE, (size_t) length, error))
    return false;
  bool ok = true;
  size_t start = LENGTH_SIZE + (size_t) length, at = 0;
  for (size_t i = 0; ok && i < n; i++) {
    ok = find_one(&json, &entries[i], at, label, error);
    data[i] = bytes + start + at;
    at += mt_safetensors_bytes(&entries[i]);
  }
  mt_json_clear(&json);
  if (ok && size - start != at)
    ok = mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected %zu bytes of data, found %zu (is the file cut off?).", label, at,
                 size - start);
  return ok;
}

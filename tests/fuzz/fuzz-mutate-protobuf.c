/* fuzz-mutate-protobuf.c — changes a protocol buffer field by field: fields are left out, said
 * twice, exchanged and changed inside, and the lengths around them stay right.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include <string.h>

#define MAX_FIELDS 4096
#define MAX_DEPTH  3

/* A field where it lies: its key, and its content if it has a length. */
typedef struct {
  size_t begin, content, end;
  gboolean has_length;
} field;

static gboolean
read_varint(const uint8_t *data, size_t size, size_t *at, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
    uint8_t byte = data[(*at)++];
    *value |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return TRUE;
  }
  return FALSE;
}

/* The fields of a message; 0 if it is none. */
static size_t
split(const uint8_t *data, size_t size, field *fields)
{
  size_t n = 0, at = 0;
  while (at < size && n < MAX_FIELDS) {
    uint64_t key, value = 0;
    field f = {.begin = at};
    if (!read_varint(data, size, &at, &key))
      return 0;
    size_t skipped = 0;
    switch (key & 7) {
    case 0:
      if (!read_varint(data, size, &at, &value))
        return 0;
      break;
    case 1:
      skipped = 8;
      break;
    case 2:
      if (!read_varint(data, size, &at, &value) || value > size)
        return 0;
      f.has_length = TRUE;
      skipped = (size_t) value;
      break;
    case 5:
      skipped = 4;
      break;
    default:
      return 0;
    }
    f.content = at;
    if (skipped > size - at)
      return 0;
    at += skipped;
    f.end = at;
    fields[n++] = f;
  }
  return n;
}

static void append_changed(GByteArray *out, const uint8_t *data, size_t size, uint32_t *state,
                           int depth);

static void
append_varint(GByteArray *out, uint64_t value)
{
  uint8_t byte;
  for (; value >= 0x80; value >>= 7) {
    byte = (uint8_t) (value | 0x80);
    g_byte_array_append(out, &byte, 1);
  }
  byte = (uint8_t) value;
  g_byte_array_append(out, &byte, 1);
}

/* A field with its content changed. */
static void
append_field(GByteArray *out, const uint8_t *data, const field *f, uint32_t *state, int depth)
{
  g_autoptr(GByteArray) content = g_byte_array_new();
  size_t at = f->begin;
  uint64_t key;
  if (f->has_length) {
    read_varint(data, f->end, &at, &key);
    append_changed(content, data + f->content, f->end - f->content, state, depth + 1);
    append_varint(out, key);
    append_varint(out, content->len);
    g_byte_array_append(out, content->data, content->len);
  } else {
    uint8_t buffer[64];
    size_t n = f->end - f->begin; /* at most ten bytes and ten more */
    memcpy(buffer, data + f->begin, n);
    n = LLVMFuzzerMutate(buffer, n, sizeof buffer);
    g_byte_array_append(out, buffer, (guint) n);
  }
}

static void
append_bytes_changed(GByteArray *out, const uint8_t *data, size_t size)
{
  size_t room = size * 2 + 64;
  g_autofree uint8_t *buffer = g_malloc(room);
  if (size)
    memcpy(buffer, data, size);
  size = LLVMFuzzerMutate(buffer, size, room);
  g_byte_array_append(out, buffer, (guint) size);
}

static void
append_changed(GByteArray *out, const uint8_t *data, size_t size, uint32_t *state, int depth)
{
  g_autofree field *fields = g_new(field, MAX_FIELDS);
  size_t n = depth < MAX_DEPTH ? split(data, size, fields) : 0;
  if (n == 0 || fuzz_random(state, 16) == 0) {
    append_bytes_changed(out, data, size);
    return;
  }
  uint32_t what = fuzz_random(state, 8);
  size_t i = fuzz_random(state, (uint32_t) n), k = fuzz_random(state, (uint32_t) n);
  for (size_t at = 0; at < n; at++) {
    const field *f = &fields[at];
    if (at == i && what == 0) /* left out */
      continue;
    if (at == i && what == 1) /* another one in its place */
      f = &fields[k];
    if (at == i && what > 2)
      append_field(out, data, f, state, depth);
    else
      g_byte_array_append(out, data + f->begin, (guint) (f->end - f->begin));
    if (at == i && what == 2) /* twice */
      g_byte_array_append(out, data + f->begin, (guint) (f->end - f->begin));
  }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  uint32_t state = seed;
  g_autoptr(GByteArray) out = g_byte_array_new();
  append_changed(out, data, size, &state, 0);
  size_t n = MIN((size_t) out->len, max_size);
  if (n == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  memcpy(data, out->data, n);
  return n;
}

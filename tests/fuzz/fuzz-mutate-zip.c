/* fuzz-mutate-zip.c — changes what is in a zip archive and packs it again, with check sums and
 * sizes that fit: plain changes never get past them.
 *
 * A .npy entry is changed in its header (whose length is made to fit too) or in its numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include <string.h>

#define MAX_ENTRIES 256
#define LOCAL_SIZE  30
#define ENTRY_SIZE  46
#define END_SIZE    22
#define NPY_MAGIC   "\x93NUMPY"
#define NPY_HEADER  10 /* magic, version, 16-bit length */

typedef struct {
  GByteArray *name, *content;
  guint16 method;
  guint32 crc, size; /* of what is packed; computed anew if it is stored */
} entry;

static void
entry_clear(gpointer data)
{
  entry *e = data;
  g_byte_array_unref(e->name);
  g_byte_array_unref(e->content);
}

static guint32
get(const uint8_t *at, int n)
{
  guint32 value = 0;
  for (int i = 0; i < n; i++)
    value |= (guint32) at[i] << 8 * i;
  return value;
}

static void
put(GByteArray *out, guint32 value, int n)
{
  for (int i = 0; i < n; i++) {
    guint8 byte = (guint8) (value >> 8 * i);
    g_byte_array_append(out, &byte, 1);
  }
}

static GByteArray *
bytes_new(const uint8_t *data, size_t n)
{
  return g_byte_array_append(g_byte_array_new(), data, (guint) n);
}

/* Four bits at a time: every mutation packs the whole archive. */
static guint32
crc32(const GByteArray *bytes)
{
  static guint32 table[16];
  for (guint32 i = 0; table[15] == 0 && i < 16; i++) {
    table[i] = i;
    for (int bit = 0; bit < 4; bit++)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
  }
  guint32 crc = 0xffffffff;
  for (guint i = 0; i < bytes->len; i++) {
    crc ^= bytes->data[i];
    crc = crc >> 4 ^ table[crc & 15];
    crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

/* ---- Unpacking and packing ------------------------------------------------------------------- */

/* The entries of an archive without a comment; empty if it is none. */
static GArray *
unpack(const uint8_t *data, size_t size)
{
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(entry));
  g_array_set_clear_func(entries, entry_clear);
  if (size < END_SIZE || memcmp(data + size - END_SIZE, "PK\5\6", 4) != 0)
    return entries;
  size_t at = get(data + size - END_SIZE + 16, 4);
  while (entries->len < MAX_ENTRIES && at < size && size - at > ENTRY_SIZE &&
         memcmp(data + at, "PK\1\2", 4) == 0) {
    const uint8_t *row = data + at;
    entry e = {.method = (guint16) get(row + 10, 2), .crc = get(row + 16, 4)};
    e.size = get(row + 24, 4);
    size_t packed = get(row + 20, 4), n_name = get(row + 28, 2), local = get(row + 42, 4);
    if (n_name > size - at - ENTRY_SIZE || local > size || size - local < LOCAL_SIZE)
      break;
    size_t begin = local + LOCAL_SIZE + get(data + local + 26, 2) + get(data + local + 28, 2);
    if (begin > size || packed > size - begin)
      break;
    e.name = bytes_new(row + ENTRY_SIZE, n_name);
    e.content = bytes_new(data + begin, packed);
    g_array_append_val(entries, e);
    at += ENTRY_SIZE + n_name + get(row + 30, 2) + get(row + 32, 2);
  }
  return entries;
}

/* What a local header and a row of the directory have in common. */
static void
put_header(GByteArray *out, const entry *e)
{
  put(out, 0, 2); /* flags */
  put(out, e->method, 2);
  put(out, 0, 4); /* time */
  put(out, e->method ? e->crc : crc32(e->content), 4);
  put(out, e->content->len, 4);
  put(out, e->method ? e->size : e->content->len, 4);
  put(out, e->name->len, 2);
  put(out, 0, 2); /* no extra field */
}

static GByteArray *
pack(const GArray *entries)
{
  GByteArray *out = g_byte_array_new(), *directory = g_byte_array_new();
  for (guint i = 0; i < entries->len; i++) {
    const entry *e = &g_array_index(entries, entry, i);
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    put(directory, 20, 2);
    put_header(directory, e);
    put(directory, 0, 4); /* comment, disk */
    put(directory, 0, 2); /* kind */
    put(directory, 0, 4); /* attributes */
    put(directory, out->len, 4);
    g_byte_array_append(directory, e->name->data, e->name->len);
    put(out, 0x04034b50, 4);
    put(out, 20, 2);
    put_header(out, e);
    g_byte_array_append(out, e->name->data, e->name->len);
    g_byte_array_append(out, e->content->data, e->content->len);
  }
  guint offset = out->len;
  g_byte_array_append(out, directory->data, directory->len);
  put(out, 0x06054b50, 4);
  put(out, 0, 4); /* disks */
  put(out, entries->len, 2);
  put(out, entries->len, 2);
  put(out, directory->len, 4);
  put(out, offset, 4);
  put(out, 0, 2);
  g_byte_array_unref(directory);
  return out;
}

/* ---- Changing -------------------------------------------------------------------------------- */

/* Change bytes [from, to); what follows stays. */
static void
change(GByteArray *bytes, guint from, guint to, size_t room)
{
  guint n_tail = bytes->len - to;
  g_autofree uint8_t *tail = n_tail ? g_memdup2(bytes->data + to, n_tail) : NULL;
  g_byte_array_set_size(bytes, (guint) MAX(to, from + room));
  size_t n = LLVMFuzzerMutate(bytes->data + from, to - from, room);
  g_byte_array_set_size(bytes, from + (guint) n);
  if (n_tail)
    g_byte_array_append(bytes, tail, n_tail);
}

static void
change_content(GByteArray *content, uint32_t *state)
{
  gboolean is_npy =
      content->len > NPY_HEADER && memcmp(content->data, NPY_MAGIC, strlen(NPY_MAGIC)) == 0;
  guint n = is_npy ? get(content->data + 8, 2) : 0;
  size_t room = content->len * (size_t) 2 + 64;
  if (!is_npy || n > content->len - NPY_HEADER || fuzz_random(state, 8) == 0) {
    change(content, 0, content->len, room);
    return;
  }
  if (fuzz_random(state, 4) == 0) {
    change(content, NPY_HEADER + n, content->len, room);
    return;
  }
  guint before = content->len;
  change(content, NPY_HEADER, NPY_HEADER + n, MIN(room, 60000));
  guint now = n + content->len - before;
  content->data[8] = (guint8) now;
  content->data[9] = (guint8) (now >> 8);
}

static void
change_entries(GArray *entries, uint32_t *state)
{
  guint i = fuzz_random(state, entries->len);
  entry *e = &g_array_index(entries, entry, i);
  switch (fuzz_random(state, 16)) {
  case 0:
    g_array_remove_index(entries, i);
    break;
  case 1:
    change(e->name, 0, e->name->len, e->name->len + 16);
    break;
  case 2: { /* two entries exchange what is in them */
    entry *other = &g_array_index(entries, entry, fuzz_random(state, entries->len));
    GByteArray *content = e->content;
    if (e->method == other->method && e->method == 0) {
      e->content = other->content;
      other->content = content;
    }
    break;
  }
  case 3:
    e->method = e->method ? 0 : 8;
    break;
  default:
    change_content(e->content, state);
  }
}

/* Seven times of eight; plain changes reach the archive's own structure. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  uint32_t state = seed;
  g_autoptr(GArray) entries = unpack(data, size);
  if (entries->len == 0 || fuzz_random(&state, 8) == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  change_entries(entries, &state);
  g_autoptr(GByteArray) packed = pack(entries);
  if (packed->len > max_size)
    return LLVMFuzzerMutate(data, size, max_size);
  memcpy(data, packed->data, packed->len);
  return packed->len;
}

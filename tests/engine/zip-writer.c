/* zip-writer.c — zip archives byte by byte, honest and otherwise, for tests of what reads them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zip-writer.h"

#include <string.h>
#include <zlib.h>

static void
put(GByteArray *out, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++) {
    guint8 byte = (guint8) (value >> (8 * i));
    g_byte_array_append(out, &byte, 1);
  }
}

static void
put_bytes(GByteArray *out, const void *bytes, gsize n)
{
  if (n)
    g_byte_array_append(out, bytes, (guint) n);
}

/* Raw deflate, without zlib's own header. */
static GByteArray *
deflated(const void *bytes, gsize n)
{
  z_stream stream = {0};
  g_assert_cmpint(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), ==,
                  Z_OK);
  GByteArray *out = g_byte_array_new();
  g_byte_array_set_size(out, (guint) deflateBound(&stream, n));
  stream.next_in = (Bytef *) bytes;
  stream.avail_in = (uInt) n;
  stream.next_out = out->data;
  stream.avail_out = out->len;
  g_assert_cmpint(deflate(&stream, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size(out, (guint) stream.total_out);
  deflateEnd(&stream);
  return out;
}

#define ZIP64_EXTRA 20 /* bytes of the extra field with sizes of 64 bits */

/* From "version needed" to "length of the extra field", which both headers have. */
static void
put_common(GByteArray *out, const zip_item *item, gsize n_packed, const char *name, gsize extra)
{
  guint16 method = item->method ? item->method : item->deflate ? 8 : 0;
  put(out, 20, 2);
  put(out, item->encrypted ? 1 : 0, 2);
  put(out, method, 2);
  put(out, 0, 2);      /* time */
  put(out, 0x0021, 2); /* 1 January 1980 */
  put(out, crc32(0, item->bytes, (uInt) item->n) ^ (item->wrong_crc ? 1 : 0), 4);
  guint64 n_claimed = item->claimed_bytes ? item->claimed_bytes : n_packed;
  guint64 size = item->claimed_size ? item->claimed_size : item->n;
  put(out, item->zip64_size ? G_MAXUINT32 : n_claimed, 4);
  put(out, item->zip64_size ? G_MAXUINT32 : size, 4);
  put(out, strlen(name), 2);
  put(out, extra + (item->zip64_size ? ZIP64_EXTRA : 0), 2);
}

/* The sizes for which 32 bits were too few, after the name in both headers. */
static void
put_zip64(GByteArray *out, const zip_item *item, gsize n_packed)
{
  if (!item->zip64_size)
    return;
  put(out, 1, 2); /* the kind of the field */
  put(out, ZIP64_EXTRA - 4, 2);
  put(out, item->zip64_size, 8);
  put(out, n_packed, 8);
}

GByteArray *
zip_write(const zip_item *items, gsize n, gsize alignment)
{
  GByteArray *out = g_byte_array_new(), *central = g_byte_array_new();
  for (gsize i = 0; i < n; i++) {
    const zip_item *item = &items[i];
    const char *local_name = item->local_name ? item->local_name : item->name;
    g_autoptr(GByteArray) packed =
        item->deflate ? deflated(item->bytes, item->n) : g_byte_array_new();
    if (!item->deflate)
      put_bytes(packed, item->bytes, item->n);
    gsize at = out->len, extra = 0;
    if (alignment) {
      /* An extra field of its own kind, as PyTorch pads: "FB", a length, and so many signs. */
      gsize data = at + 30 + strlen(local_name) + 4;
      extra = 4 + (alignment - data % alignment) % alignment;
    }
    put(out, 0x04034b50, 4);
    put_common(out, item, packed->len, local_name, extra);
    put_bytes(out, local_name, strlen(local_name));
    put_zip64(out, item, packed->len);
    if (extra) {
      put_bytes(out, "FB", 2);
      put(out, extra - 4, 2);
      for (gsize k = 4; k < extra; k++)
        put(out, 'Z', 1);
    }
    put_bytes(out, packed->data, packed->len);
    put(central, 0x02014b50, 4);
    put(central, 3 << 8 | 20, 2); /* made on Unix */
    put_common(central, item, packed->len, item->name, 0);
    put(central, 0, 2); /* comment */
    put(central, 0, 2); /* disk */
    put(central, 0, 2); /* internal attributes */
    put(central, (guint64) (item->mode ? item->mode : 0100644) << 16, 4);
    put(central, at, 4);
    put_bytes(central, item->name, strlen(item->name));
    put_zip64(central, item, packed->len);
  }
  gsize directory = out->len;
  put_bytes(out, central->data, central->len);
  put(out, 0x06054b50, 4);
  put(out, 0, 4); /* disks */
  put(out, n, 2);
  put(out, n, 2);
  put(out, central->len, 4);
  put(out, directory, 4);
  put(out, 0, 2); /* comment */
  g_byte_array_unref(central);
  return out;
}

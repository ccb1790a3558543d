/* npz-build.c — .npy files and .npz archives, whole or broken, for tests of what reads them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "npz-build.h"

#include <string.h>
#include <zip.h>

GBytes *
npy_bytes_raw(guint major, const char *header, const void *data, gsize size)
{
  GByteArray *out = g_byte_array_new();
  guint32 length = GUINT32_TO_LE((guint32) strlen(header));
  const guint8 version[2] = {(guint8) major, 0};
  g_byte_array_append(out, (const guint8 *) "\x93NUMPY", 6);
  g_byte_array_append(out, version, 2);
  g_byte_array_append(out, (const guint8 *) &length, major == 1 ? 2 : 4);
  g_byte_array_append(out, (const guint8 *) header, (guint) strlen(header));
  if (size)
    g_byte_array_append(out, data, (guint) size);
  return g_byte_array_free_to_bytes(out);
}

GBytes *
npy_bytes(const char *descr, const char *shape, const void *data, gsize size)
{
  g_autofree char *header =
      g_strdup_printf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }   \n", descr, shape);
  return npy_bytes_raw(1, header, data, size);
}

GBytes *
npy_strings(const char *const *strings, guint n, guint width)
{
  g_autofree gunichar *units = g_new0(gunichar, (gsize) n * width);
  for (guint i = 0; i < n; i++) {
    glong length;
    g_autofree gunichar *text = g_utf8_to_ucs4_fast(strings[i], -1, &length);
    g_assert_cmpint(length, <=, width);
    memcpy(units + (gsize) i * width, text, (gsize) length * sizeof *text);
  }
  g_autofree char *descr = g_strdup_printf("<U%u", width);
  g_autofree char *shape = g_strdup_printf("(%u,)", n);
  return npy_bytes(descr, shape, units, (gsize) n * width * sizeof *units);
}

char *
npz_elements(char *bytes, gsize size, const char *member)
{
  char *at = memmem(bytes, size, member, strlen(member)); /* in its local header */
  g_assert_nonnull(at);
  at = memmem(at, size - (gsize) (at - bytes), "\x93NUMPY\1", 7);
  g_assert_nonnull(at);
  return at + 10 + (guint8) at[8] + 256 * (guint8) at[9];
}

void
npz_build(const char *path, const NpzEntry *entries)
{
  zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
  g_assert_nonnull(zip);
  for (const NpzEntry *e = entries; e->name; e++) {
    gsize size;
    const void *data = g_bytes_get_data(e->bytes, &size);
    zip_source_t *source = zip_source_buffer(zip, data, size, 0);
    zip_int64_t i = zip_file_add(zip, e->name, source, ZIP_FL_ENC_UTF_8);
    g_assert_cmpint(i, >=, 0);
    zip_set_file_compression(zip, (zip_uint64_t) i, e->deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  g_assert_cmpint(zip_close(zip), ==, 0);
  for (const NpzEntry *e = entries; e->name; e++)
    g_bytes_unref(e->bytes);
}

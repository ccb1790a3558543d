/* npy.c — reads one array out of a NumPy archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NumPy format 1.0: "\x93NUMPY", version, length of the header (16 bit, little endian), a Python
 * dictionary padded with spaces and ended by a newline so that the data is aligned to 64, data.
 */
#include "npy.h"

#include <string.h>
#include <zip.h>

static void
parse_header(Npy *npy, const char *header)
{
  const char *descr = strstr(header, "'descr': '"), *shape = strstr(header, "'shape': (");
  g_assert_nonnull(descr);
  g_assert_nonnull(shape);
  g_assert_nonnull(strstr(header, "'fortran_order': False"));
  descr += strlen("'descr': '");
  gsize length = strcspn(descr, "'");
  g_assert_cmpuint(length, <, sizeof npy->dtype);
  memcpy(npy->dtype, descr, length);

  const char *p = shape + strlen("'shape': (");
  npy->n = 1;
  while (*p != ')') {
    char *end;
    g_assert_cmpuint(npy->n_dims, <, G_N_ELEMENTS(npy->shape));
    npy->shape[npy->n_dims] = (gsize) g_ascii_strtoull(p, &end, 10);
    g_assert_true(end != p);
    npy->n *= npy->shape[npy->n_dims++];
    p = end + strspn(end, ", ");
  }
}

Npy *
npy_read(const char *path, const char *name)
{
  g_autofree char *entry = g_strconcat(name, ".npy", NULL);
  zip_t *archive = zip_open(path, ZIP_RDONLY | ZIP_CHECKCONS, NULL);
  zip_stat_t stat;
  g_assert_nonnull(archive);
  if (zip_stat(archive, entry, 0, &stat) != 0) {
    zip_discard(archive);
    return NULL;
  }
  g_autofree guchar *bytes = g_malloc(stat.size + 1);
  zip_file_t *file = zip_fopen(archive, entry, 0);
  g_assert_nonnull(file);
  g_assert_cmpint(zip_fread(file, bytes, stat.size), ==, (gint64) stat.size);
  zip_fclose(file);
  zip_discard(archive);

  g_assert_cmpuint(stat.size, >=, 10);
  g_assert_cmpint(memcmp(bytes, "\x93NUMPY\x01\x00", 8), ==, 0);
  gsize header_length = bytes[8] | (gsize) bytes[9] << 8, start = 10 + header_length;
  g_assert_cmpuint(start % 64, ==, 0);
  g_assert_cmpuint(start, <=, stat.size);
  g_assert_cmpint(bytes[start - 1], ==, '\n');
  g_autofree char *header = g_strndup((char *) bytes + 10, header_length);

  Npy *npy = g_new0(Npy, 1);
  parse_header(npy, header);
  npy->length = stat.size - start;
  npy->data = g_memdup2(bytes + start, npy->length);
  gsize size = npy->dtype[1] == 'U' ? 4 * g_ascii_strtoull(npy->dtype + 2, NULL, 10) : 4;
  g_assert_cmpuint(npy->length, ==, npy->n * size);
  return npy;
}

void
npy_free(Npy *npy)
{
  if (npy)
    g_free(npy->data);
  g_free(npy);
}

float
npy_float(const Npy *npy, gsize i)
{
  float value;
  g_assert_cmpstr(npy->dtype, ==, "<f4");
  g_assert_cmpuint(i, <, npy->n);
  memcpy(&value, npy->data + 4 * i, 4);
  return value;
}

gint32
npy_int(const Npy *npy, gsize i)
{
  gint32 value;
  g_assert_cmpstr(npy->dtype, ==, "<i4");
  g_assert_cmpuint(i, <, npy->n);
  memcpy(&value, npy->data + 4 * i, 4);
  return value;
}

char *
npy_string(const Npy *npy, gsize i)
{
  g_assert_true(g_str_has_prefix(npy->dtype, "<U"));
  g_assert_cmpuint(i, <, npy->n);
  gsize width = (gsize) g_ascii_strtoull(npy->dtype + 2, NULL, 10);
  g_autofree gunichar *text = g_new0(gunichar, width + 1);
  memcpy(text, npy->data + 4 * width * i, 4 * width);
  return g_ucs4_to_utf8(text, -1, NULL, NULL, NULL);
}

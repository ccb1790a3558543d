/* ctranslate2-writer.c — files of CTranslate2, written by hand as a test wants them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ctranslate2-writer.h"

#include <string.h>

void
ct2_number(GByteArray *file, guint n_bytes, guint32 value)
{
  for (guint i = 0; i < n_bytes; i++) {
    guint8 byte = (guint8) (value >> (8 * i));
    g_byte_array_append(file, &byte, 1);
  }
}

void
ct2_string(GByteArray *file, const char *text)
{
  ct2_number(file, 2, (guint32) strlen(text) + 1);
  g_byte_array_append(file, (const guint8 *) text, (guint) strlen(text) + 1);
}

GByteArray *
ct2_begin(guint32 version, const char *spec, guint32 revision, guint32 n_variables)
{
  GByteArray *file = g_byte_array_new();
  ct2_number(file, 4, version);
  ct2_string(file, spec);
  ct2_number(file, 4, revision);
  ct2_number(file, 4, n_variables);
  return file;
}

void
ct2_variable(GByteArray *file, const char *name, const guint32 shape[2], guint type,
             const void *data, gsize n_bytes)
{
  guint n_dims = shape[0] == 0 ? 0 : shape[1] == 0 ? 1 : 2;
  ct2_string(file, name);
  ct2_number(file, 1, n_dims);
  for (guint i = 0; i < n_dims; i++)
    ct2_number(file, 4, shape[i]);
  ct2_number(file, 1, type);
  ct2_number(file, 4, (guint32) n_bytes);
  g_byte_array_append(file, data, (guint) n_bytes);
}

/* ctranslate2-writer.h — files of CTranslate2, written by hand as a test wants them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

enum { CT2_F32, CT2_I8, CT2_I16, CT2_I32, CT2_F16, CT2_BF16 };

void ct2_number(GByteArray *file, guint n_bytes, guint32 value);
/* A string with its length and its NUL. */
void ct2_string(GByteArray *file, const char *text);
/* Version, kind of model, revision, number of variables. */
GByteArray *ct2_begin(guint32 version, const char *spec, guint32 revision, guint32 n_variables);
/* A variable of at most two dimensions; 0 ends them. */
void ct2_variable(GByteArray *file, const char *name, const guint32 shape[2], guint type,
                  const void *data, gsize n_bytes);

/* npy.h — reads one array out of a NumPy archive, as strictly as the format is written down.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

typedef struct {
  char dtype[16]; /* "<f4", "<i4", "<U12" */
  gsize n_dims;
  gsize shape[8];
  gsize n; /* product of the shape */
  guchar *data;
  gsize length; /* bytes of data */
} Npy;

/* The array called `name` of the archive at `path`; NULL if there is none. Aborts the test where
 * the archive or the array breaks the format. */
Npy *npy_read(const char *path, const char *name);
void npy_free(Npy *npy);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Npy, npy_free)

float npy_float(const Npy *npy, gsize i);
gint32 npy_int(const Npy *npy, gsize i);
/* An element of a unicode array; caller frees. */
char *npy_string(const Npy *npy, gsize i);

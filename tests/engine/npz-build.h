/* npz-build.h — .npy files and .npz archives, whole or broken, for tests of what reads them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* A .npy of version `major`.0 with this header, as it is, before the data. */
GBytes *npy_bytes_raw(guint major, const char *header, const void *data, gsize size);

/* A .npy with a proper header: npy_bytes("<f4", "(2, 3)", …). */
GBytes *npy_bytes(const char *descr, const char *shape, const void *data, gsize size);

/* Text as NumPy keeps it: '<Uwidth' of n strings. */
GBytes *npy_strings(const char *const *strings, guint n, guint width);

typedef struct {
  const char *name; /* "tokens.npy" */
  GBytes *bytes;    /* unref'd by npz_build */
  gboolean deflated;
} NpzEntry;

/* In the bytes of an archive the first byte of the elements of a stored array, "tokens.npy". */
char *npz_elements(char *bytes, gsize size, const char *member);

/* Writes an archive; up to the entry whose name is NULL. */
void npz_build(const char *path, const NpzEntry *entries);

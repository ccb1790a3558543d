/* zip-writer.h — zip archives byte by byte, honest and otherwise, for tests of what reads them.
 *
 * Written from the description of the format (PKWARE's APPNOTE), not with the library that reads
 * them, so that an archive can lie.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

typedef struct {
  const char *name;
  const void *bytes;
  gsize n;
  gboolean deflate;
  guint32 mode; /* Unix file type and permissions; 0: a plain file */
  /* Lies. */
  guint16 method;        /* 0: as `deflate` says */
  gboolean encrypted;    /* says so */
  guint32 claimed_size;  /* 0: the true one; the uncompressed size in both headers */
  guint32 claimed_bytes; /* 0: the true ones; the compressed size in both headers */
  guint64 zip64_size;    /* 0: none; the uncompressed size in both headers, in 64 bits */
  gboolean wrong_crc;
  const char *local_name; /* NULL: the same; the name in the local header */
} zip_item;

/* Stored data start at multiples of `alignment` (0: anywhere), as PyTorch has them. */
GByteArray *zip_write(const zip_item *items, gsize n, gsize alignment);

/* mt-decompress.h — bytes out of compressed streams. Private to the engine.
 *
 * A format is one file, which alone includes its library, and one row of the list in
 * mt-text-file.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_DECOMPRESS_H
#define MT_DECOMPRESS_H

#include "mt.h"

#define MT_DECOMPRESS_MAGIC 6 /* bytes by which every format is known */

typedef struct {
  const char *name; /* "gzip", for messages */
  unsigned char magic[MT_DECOMPRESS_MAGIC];
  size_t n_magic;

  /* NULL: MT_ERROR_NO_MEMORY. */
  void *(*start)(mt_error *error);

  /* Take bytes from *in (*n_in of them, both move on) and write to out [capacity]; *n_out says how
   * many came. It takes or gives at least one byte if it can. is_last: no bytes follow these. When
   * they are used up and nothing is left to come, *n_out is 0, *n_in is 0 and that is the end.
   * Errors, with `label` for the file: MT_ERROR_FORMAT if the stream is damaged, is cut off
   * (found out when is_last), or goes on as something else; MT_ERROR_UNSUPPORTED if it wants too
   * much memory; MT_ERROR_NO_MEMORY. */
  bool (*step)(void *state, const unsigned char **in, size_t *n_in, bool is_last,
               unsigned char *out, size_t capacity, size_t *n_out, const char *label,
               mt_error *error);

  void (*stop)(void *state); /* NULL is fine */
} mt_decompress;

extern const mt_decompress mt_decompress_gz; /* mt-zlib.c */
extern const mt_decompress mt_decompress_xz; /* mt-xz.c */

#endif

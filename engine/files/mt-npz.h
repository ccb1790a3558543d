/* mt-npz.h — named arrays out of an .npz: a zip archive of .npy files. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NPZ_H
#define MT_NPZ_H

#include "files/mt-npy.h"
#include "files/mt-zip.h"

typedef struct {
  size_t entry; /* of the zip */
  char *label;  /* what messages about it begin with: "dogs.npz/tokens.npy" */
  char *name;   /* "tokens" */
  unsigned char *inflated;
  bool is_compared; /* with its check sum, or somebody else does */
} mt_npz_member;

/* Only read by others. */
typedef struct {
  mt_zip *zip;
  const unsigned char *bytes;
  char *label;
  mt_npz_member *arrays; /* [n] in the archive's order */
  size_t n;
  size_t n_inflated, max_inflated; /* bytes */
} mt_npz;

/* Open an archive of `size` bytes, which must outlive it. label names it in messages ("dogs.npz").
 * Entries that are not called NAME.npy are left out. max_inflated: how many bytes the compressed
 * arrays that are asked for may have in all, and each stored one; arrays that are stored are used
 * where they lie, and compared with their check sums when they are asked for first.
 * Errors: those of mt_zip_open, MT_ERROR_NO_MEMORY. */
mt_npz *mt_npz_open(const unsigned char *bytes, size_t size, size_t max_inflated, const char *label,
                    mt_error *error);
void mt_npz_free(mt_npz *npz);

/* The array of a name; false, *i untouched: there is none. */
bool mt_npz_find(const mt_npz *npz, const char *name, size_t *i);

/* Array i. Its data are valid until mt_npz_drop or mt_npz_free. May be asked for again. One thread
 * at a time. Errors: those of mt_npy_parse, MT_ERROR_FORMAT for a damaged entry and for more than
 * max_inflated bytes, MT_ERROR_NO_MEMORY. */
bool mt_npz_get(mt_npz *npz, size_t i, mt_npy *npy, mt_error *error);
/* The same for who asks for type and shape first: a large stored array is not compared yet, which
 * takes a while, and may be refused for its shape. Its numbers are not to be read. */
bool mt_npz_peek(mt_npz *npz, size_t i, mt_npy *npy, mt_error *error);
/* From now on stored arrays are not compared by mt_npz_get: the caller does. */
void mt_npz_leave_sums(mt_npz *npz);
/* Of a stored array; false: it is compressed, and compared when it is inflated. */
bool mt_npz_sum(const mt_npz *npz, size_t i, mt_sum *sum);
/* Gives the memory of a compressed array back (it no longer counts); nothing to do for others. */
void mt_npz_drop(mt_npz *npz, size_t i);

#endif

/* mt-npy.h — one NumPy array in memory: the .npy format (NEP 1), read, and its header written.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NPY_H
#define MT_NPY_H

#include "mt.h"

#define MT_NPY_MAX_DIMS 8

typedef enum {
  MT_NPY_FLOAT,  /* '<f2', '<f4', '<f8' */
  MT_NPY_INT,    /* '<i4', '|i1', … of 1, 2, 4 or 8 bytes */
  MT_NPY_UINT,   /* '|u1', … likewise */
  MT_NPY_BOOL,   /* '|b1' */
  MT_NPY_STRING, /* '<U17': UTF-32, padded with zeros */
} mt_npy_type;

/* An array as it lies there. All of it was checked: n_elements is the product of the shape, and
 * n_elements * item_size == n_bytes bytes lie at data. */
typedef struct {
  mt_npy_type type;
  char descr[16]; /* the type as NumPy writes it, for messages */
  size_t item_size;
  size_t n_dims; /* 0: a single value */
  size_t shape[MT_NPY_MAX_DIMS];
  bool fortran_order; /* the first index runs fastest; the functions below hide this */
  size_t n_elements;
  const unsigned char *data; /* borrowed, not aligned */
  size_t n_bytes;
} mt_npy;

/* Read the header of the .npy that fills `size` bytes. label names it in messages
 * ("dogs.npz/tokens.npy"). *npy is untouched on failure. Nothing is allocated. Errors:
 * MT_ERROR_FORMAT for what is no .npy, contradicts itself, or has more or less data than its shape
 * says; MT_ERROR_UNSUPPORTED for pickled objects, records, big-endian numbers and other types. */
bool mt_npy_parse(const unsigned char *bytes, size_t size, const char *label, mt_npy *npy,
                  mt_error *error);

/* Elements first … first + n - 1, counted in C order, of a MT_NPY_FLOAT array as floats. False if
 * one of them is not finite, or too large for a float (then it is infinite in out). */
bool mt_npy_to_float(const mt_npy *npy, size_t first, size_t n, float *out);

/* Element i, in C order, of an array of integers or truth values. False if it does not fit. */
bool mt_npy_to_int(const mt_npy *npy, size_t i, int64_t *out);

/* Element i, in C order, of a MT_NPY_STRING array as UTF-8. out has room for item_size + 1 bytes
 * (a code point takes at most four, as it does in the file). False, with *code at the culprit, if
 * there is a code point that is none: a surrogate, above U+10FFFF, or a NUL before the end. */
bool mt_npy_to_utf8(const mt_npy *npy, size_t i, char *out, uint32_t *code);

/* The header of an array in C order: all of the .npy before the data, in version 1.0. descr: "<f4",
 * without a quote inside. Padded so that the data begin at a multiple of 64 bytes, at least_size or
 * later: who writes before the shape is known asks for the same size again. Returns its size. */
#define MT_NPY_HEADER_MAX 512
size_t mt_npy_make_header(char out[MT_NPY_HEADER_MAX], const char *descr, const size_t *shape,
                          size_t n_dims, size_t least_size);

/* "(6, 8, 12, 12)" into out, cut to fit; returns out. */
char *mt_npy_shape(const mt_npy *npy, char *out, size_t size);

#endif

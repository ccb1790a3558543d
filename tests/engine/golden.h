/* golden.h — reading the golden results in tests/data (safetensors written by tests/reference).
 *
 * A reader of its own, so that a fault in the engine's reader cannot hide in both. Every function
 * ends the test program with a message when a file or a tensor is not as expected: golden data is
 * part of the project, not input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <glib.h>
#include <stdint.h>

typedef struct {
  const char *name;
  const char *dtype; /* "F32", "I32", "U16", "U8" */
  size_t n_dims;
  size_t shape[5];
  size_t n;         /* product of shape */
  const void *data; /* little-endian, in the mapped file */
} golden_tensor;

typedef struct golden golden;

/* Path of a file in the source tree, e.g. golden_path("models/en-de"); free with g_free. */
char *golden_path(const char *relative);

/* Open a golden file of tests/data by its name there, or by absolute path. */
golden *golden_open(const char *name);
void golden_close(golden *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(golden, golden_close)

/* All tensors, in no particular order; NULL-terminated array of pointers, borrowed. */
const golden_tensor *const *golden_all(const golden *g);
/* NULL if there is none of that name. */
const golden_tensor *golden_find(const golden *g, const char *name);

/* The data of a tensor that must be there with that type; *n (may be NULL) its element count. */
const float *golden_f32(const golden *g, const char *name, size_t *n);
const int32_t *golden_i32(const golden *g, const char *name, size_t *n);
const uint16_t *golden_u16(const golden *g, const char *name, size_t *n);
/* A copy of a tensor of bytes, NUL-terminated; free with g_free. */
char *golden_text(const golden *g, const char *name, size_t *n);

/* How far `found` is from `expected`, relative: |found - expected| / max(|expected|, floor), and 0
 * where both are the same infinity, infinity where only one of them is finite or found is NaN. */
double golden_distance(double found, double expected, double floor);

#endif

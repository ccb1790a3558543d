/* capture-file.h — a capture in a file of its own, for tests of what reads it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "npz-build.h"

#include <mt.h>

/* "x.npz" in a directory of its own. */
extern char *capture_file_path;

void capture_file_set_up(void);
void capture_file_tear_down(void);

/* A text without dimensions. */
GBytes *npy_scalar_text(const char *text);

/* Float weights of a shape; every row is even, so that it sums to 1. */
GBytes *npy_even_weights(const char *shape, gsize n, gsize n_cols);

/* At most 16 strings. */
GBytes *npy_words(guint n, ...);

#define BUILD(...) npz_build(capture_file_path, (NpzEntry[]){__VA_ARGS__, {NULL}})

/* The file is read without complaint. meta: as of mt_capture_read_npz. */
mt_capture *capture_file_read(char **meta);

/* The file is refused, with a message that holds this one, and nothing else is touched. */
void assert_capture_refused(mt_error_code code, const char *message);

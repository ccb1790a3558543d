/* pickle-check.h — pickles that must be read, and pickles that must be refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "checkpoint/mt-pickle.h"
#include "pickle-writer.h"

/* Text with NULs in it, and its length. */
#define BYTES(text) text, sizeof text - 1

/* Twelve floats, [3][4], in order. */
extern const pickle_view plain_view;

/* mt_pickle_read of a copy that ends where the bytes do, so that a read beyond them shows under
 * AddressSanitizer. The file is called "folder/file". */
bool read_pickle_bytes(const void *bytes, gsize n, mt_pickle *found, mt_error *error);
/* Must be read; frees the pickle. */
mt_pickle read_good(pickle *p);
/* Must be refused with this code and all of the words, which are separated by |; frees the pickle.
 */
void read_bad(pickle *p, mt_error_code code, const char *words);

/* {"w": a tensor} */
pickle *pickle_with_view(const pickle_view *view);

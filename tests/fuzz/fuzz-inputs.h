/* fuzz-inputs.h — the inputs of a fuzz target, as an archive keeps them.
 *
 * tools/lib/fuzz-inputs.py writes the archives: plain zips, so that `unzip -l` shows what is there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

typedef struct {
  char *name;
  guint8 *bytes; /* in memory of exactly n bytes: reading behind them is noticed; n 0: NULL */
  gsize n;
} FuzzInput;

/* All inputs of an archive, FuzzInput *, in the order of their names; free with g_ptr_array_unref.
 * None if there is no such file; a damaged one ends the program. */
GPtrArray *fuzz_inputs_read(const char *archive);

/* The one with this name, which must be there. Borrowed from `inputs`. */
const FuzzInput *fuzz_inputs_find(const GPtrArray *inputs, const char *name);

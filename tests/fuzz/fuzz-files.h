/* fuzz-files.h — a folder of which one file is the input: the first byte says which one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* Remember what the files `names` (NULL at the end) of `folder` have in them. All borrowed. */
void fuzz_files_keep(const char *folder, const char *const *names);
/* Which file the first byte of an input means. */
guint fuzz_files_choose(guint8 first);
/* Other bytes for file i. */
void fuzz_files_put(guint i, const void *bytes, gsize n);
/* What it had. */
void fuzz_files_restore(guint i);
/* Forget, when the process ends. */
void fuzz_files_clear(void);

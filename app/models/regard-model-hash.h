/* regard-model-hash.h — SHA-256 of files, of which those of a model are large.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In hexadecimal; NULL if it is no regular file, or cannot be read. A file that did not change
 * since it was asked for before is not read again. Takes as long as the disk does; any thread may
 * call it. Caller frees. *bytes: its size. */
char *regard_model_hash(const char *path, guint64 *bytes);

G_END_DECLS

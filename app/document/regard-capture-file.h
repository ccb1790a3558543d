/* regard-capture-file.h — whether a file is a capture, or a model in a file of the same ending.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* TRUE for a name that ends with ".npz", whether there is such a file or not. */
gboolean regard_capture_file_has_ending(const char *path);

/* TRUE for a name that ends with ".npz", unless the file is one of Marian's models, which end so
 * too. Reads at most the end of the file, where an archive lists its entries; what is in it is
 * checked when it is opened. */
gboolean regard_capture_file_recognises(const char *path);

G_END_DECLS

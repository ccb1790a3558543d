/* regard-file-kinds.h — which files are captures, sessions and corpora.
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

#define REGARD_SESSION_ENDING ".regard"

/* TRUE for a name that ends with ".regard", whether there is such a file or not. */
gboolean regard_session_has_ending(const char *path);

/* TRUE for a name that ends with ".regard-corpus", whether there is such a file or not. */
gboolean regard_corpus_has_ending(const char *path);
/* The first corpus file, by name, in a model's folder; NULL: there is none. Caller frees. */
char *regard_corpus_find_beside(const char *folder);

G_END_DECLS

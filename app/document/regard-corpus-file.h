/* regard-corpus-file.h — corpus files by their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* TRUE for a name that ends with ".regard-corpus", whether there is such a file or not. */
gboolean regard_corpus_has_ending(const char *path);
/* The first corpus file, by name, in a model's folder; NULL: there is none. Caller frees. */
char *regard_corpus_find_beside(const char *folder);

G_END_DECLS

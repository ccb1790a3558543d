/* regard-corpus-loader.h — reading a corpus file without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-corpus.h"
#include <gio/gio.h>

G_BEGIN_DECLS

/* TRUE for a name that ends with ".regard-corpus", whether there is such a file or not. */
gboolean regard_corpus_has_ending(const char *path);
/* The first corpus file, by name, in a model's folder; NULL: there is none. Caller frees. */
char *regard_corpus_find_beside(const char *folder);

void regard_corpus_load_async(const char *path, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data);
/* NULL and an error, G_IO_ERROR_CANCELLED if it was cancelled. */
RegardCorpus *regard_corpus_load_finish(GAsyncResult *result, GError **error);

G_END_DECLS

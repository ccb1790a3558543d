/* regard-model-store.h — the files of a model, in a folder or in a zip archive: their names, their
 * sizes, and the text of the small ones. Nothing is unpacked, nothing large is read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine's mt_files in the terms of GLib, so that the list of models sees what opening one
 * sees.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RegardModelStore RegardModelStore;

/* A folder, or a file whose name ends in ".zip". NULL if it is neither or cannot be read; then
 * *problem is what to tell, or NULL where there is nothing of that name. */
RegardModelStore *regard_model_store_open(const char *path, char **problem);
void regard_model_store_free(RegardModelStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardModelStore, regard_model_store_free)

gboolean regard_model_store_is_archive(const RegardModelStore *store);
/* Names of the files and folders in it, sorted; none if it holds too many. Free with g_strfreev. An
 * archive that holds one folder is as good as that folder. */
char **regard_model_store_dup_names(const RegardModelStore *store);
/* Bytes of a file; -1 if there is none, or something that is no file. */
gint64 regard_model_store_get_size(const RegardModelStore *store, const char *name);
/* Whether it is a link to nothing, which a download cache has of a file that was not fetched whole.
 */
gboolean regard_model_store_is_dangling(const RegardModelStore *store, const char *name);
/* Bytes of the archive itself; of a folder 0. */
gint64 regard_model_store_get_archive_size(const RegardModelStore *store);
/* The first `most` bytes of a file with a zero after them. NULL without such a file. */
char *regard_model_store_read(const RegardModelStore *store, const char *name, gsize most,
                              gsize *length);

G_END_DECLS

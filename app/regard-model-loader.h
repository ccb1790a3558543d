/* regard-model-loader.h — opening a model folder without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

/* Called on the main loop while loading, with a share in 0..1 that never falls. */
typedef void (*RegardLoadProgress)(double share, gpointer user_data);

/* Open `dir` in a thread of its own; the running model is not touched. progress may be NULL. */
void regard_model_load_async(const char *dir, GCancellable *cancellable,
                             RegardLoadProgress progress, gpointer progress_data,
                             GAsyncReadyCallback callback, gpointer user_data);
/* The model, one reference, or NULL with an error that names the file. */
mt_model *regard_model_load_finish(GAsyncResult *result, GError **error);
/* The folder of a load, borrowed from the result. */
const char *regard_model_load_dir(GAsyncResult *result);

/* "English → German" from the languages in the model's configuration, else the folder's name.
 * Caller frees. */
char *regard_model_title(mt_model *model);
/* "6 + 6 layers · 8 heads". Caller frees. */
char *regard_model_shape(mt_model *model);

G_END_DECLS

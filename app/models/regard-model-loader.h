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

/* Open `dir`, a folder or a zip archive, in a thread of its own; the running model is not touched.
 * One is opened at a time: the next waits until the model of this one is in its place
 * (regard_model_load_done) or gone. A model that cannot be had in this precision, for its numbers
 * or for want of memory, is opened as it is stored: mt_model_precision says so. progress may be
 * NULL.
 */
void regard_model_load_async(const char *dir, mt_precision precision, GCancellable *cancellable,
                             RegardLoadProgress progress, gpointer progress_data,
                             GAsyncReadyCallback callback, gpointer user_data);
/* The model, one reference, or NULL with an error that names the file. With a model comes the duty
 * to call regard_model_load_done() once, when it runs and the old one is out of memory, or when it
 * was let go. */
mt_model *regard_model_load_finish(GAsyncResult *result, GError **error);
void regard_model_load_done(void);
/* The path of a load, borrowed from the result. */
const char *regard_model_load_dir(GAsyncResult *result);

/* "English → German", or the model's name where nothing says its languages; borrowed from the
 * result. NULL if it failed. */
const char *regard_model_load_title(GAsyncResult *result);

/* The training beside it, found or not found with it: regard_training_steps, borrowed from the
 * result; NULL: none. */
GArray *regard_model_load_steps(GAsyncResult *result);

/* "6 + 6 layers · 8 heads". Caller frees. */
char *regard_model_shape(mt_model *model);

G_END_DECLS

/* regard-model-list.h — the models of this machine: the bundled one, those opened lately, and those
 * that lie where models are looked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looked for are folders and zip archives in regard/models below the user's data folder
 * ($XDG_DATA_HOME) and below those of the system ($XDG_DATA_DIRS), and one level deeper, as in
 * "Helsinki-NLP/opus-mt-en-de"; the packages of Argos Translate (ARGOS_PACKAGES_DIR, or
 * argos-translate/packages below the user's data folder); and the Marian models of the Hub's
 * download cache.
 */
#pragma once

#include "models/regard-model-info.h"

#include <gio/gio.h>
#include <glib.h>

G_BEGIN_DECLS

/* Where a person puts models: regard/models below the user's data folder, which need not exist.
 * Caller frees. */
char *regard_model_list_folder(void);
/* That one and all others that are looked through, NULL-terminated. Caller frees. */
char **regard_model_list_folders(void);

/* RegardModelInfo in the order bundled, recent, found; the last ones by title. One that can be
 * reached by several ways is listed once. recent: paths, or NULL. Ends early, with what it has,
 * when cancelled. *n_left_out (may be NULL): how many there are beyond the most that are listed. */
GPtrArray *regard_model_list_scan(const char *const *recent, GCancellable *cancellable,
                                  guint *n_left_out);

/* What a person means by the argument of --model: a path, a file of a model, or the name of a model
 * in the list ("opus-mt-en-de", "Helsinki-NLP/opus-mt-en-de") or in the Hub's cache, in this order.
 * What is none of them is given back. Caller frees. */
char *regard_model_list_resolve(const char *argument, const char *const *recent);

G_END_DECLS

/* regard-settings.h — what is remembered between sessions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_SCHEMA "io.github.regard.Regard"

/* The settings of the application; never NULL and never the end of the program. The schema is
 * looked for where it is installed, then in the build folder, then in the program itself. Without
 * a working desktop store they are kept in a key file in the user's configuration folder. Caller
 * owns the reference. */
GSettings *regard_settings_new(void);
/* The same for a program that can do without: NULL where the schema is not to be found. */
GSettings *regard_settings_new_if_there(void);

/* The start of the program. Where nobody has used it yet, which is so if the settings last and not
 * one of them was ever stored, it is set to begin with few controls, and this is TRUE. Whoever used
 * it before there was a choice has something stored, and keeps all controls; settings in memory, as
 * tests have them, are nobody's first. */
gboolean regard_settings_begin(GSettings *settings);

/* Settings of a further window: they begin as the application's are, and those that say where one
 * looks are the window's own from then on; all others stay the same in both. Caller owns the
 * reference. */
GSettings *regard_settings_new_beside(GSettings *settings);
/* The window's own become the application's. Nothing is done for settings of another kind. */
void regard_settings_keep(GSettings *beside);

/* Put `path` first in a string list, without repeats, at most `most` long. */
void regard_settings_push(GSettings *settings, const char *key, const char *path, guint most);
/* Take `path` out of a string list. */
void regard_settings_drop(GSettings *settings, const char *key, const char *path);
/* Keep a value for one model, its folder or "" for the bundled one, in a dictionary of values by
 * model. Values of models that are no longer among the recent ones go. A floating value is taken.
 */
void regard_settings_keep_of_model(GSettings *settings, const char *key, const char *model,
                                   GVariant *value);

/* ==== What a search is asked for, as the settings keep it ========================================
 *
 * A row of mt_search_field_at with a label has a key in the schema: "beam_size" is kept as
 * "beam-size". What lies below the least that is shown is no request; the schema's default does.
 */

/* The key of a row. Caller frees. */
char *regard_request_dup_key(gsize row);
/* Whether a key of the settings is one of these. */
gboolean regard_request_is_key(const char *key);

/* What is kept of a row; FALSE: nothing, the model decides. */
gboolean regard_request_get_kept(GSettings *settings, gsize row, double *value);
/* Keep a value of a row, or, if it is NULL, let the model decide. */
void regard_request_keep(GSettings *settings, gsize row, const double *value);
/* All that is kept; the language, which no setting says, stays. */
void regard_request_load(GSettings *settings, mt_request *request);

G_END_DECLS

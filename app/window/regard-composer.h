/* regard-composer.h — the window in which a figure of several panels is put together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sheet is shown at its true size, its mosaic, letters, colour bar and caption beside it. What
 * is done can be undone. There is one composer for all windows of the program; it is opened by the
 * first panel that is added, or by a file.
 *
 * Signals:
 *   "opened", "saved" (path)      a file of it
 *   "exported" (RegardExportJob)  a picture of it; the job's picture is the file that the sheet had
 */
#pragma once

#include "figures/regard-sheet.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_COMPOSER (regard_composer_get_type())
G_DECLARE_FINAL_TYPE(RegardComposer, regard_composer, REGARD, COMPOSER, AdwWindow)

/* The one of the application, which is made when it is asked for first. Borrowed. */
RegardComposer *regard_composer_get(GtkApplication *application, GSettings *settings);
/* How it is drawn now; borrowed, not to be changed. */
const RegardSheet *regard_composer_get_sheet(RegardComposer *self);
/* What a figure shows, at the end. The letter that it has now; 0: there is no room, or it is too
 * much, which is said. */
char regard_composer_add(RegardComposer *self, RegardFigure *figure);
/* A file in the place of what is there, which can be had back by undo; the sheet as a file; and as
 * a picture, by the ending of the path. All of it by tasks: what became of it is said in the
 * window.
 */
void regard_composer_open(RegardComposer *self, const char *path);
void regard_composer_save(RegardComposer *self, const char *path);
void regard_composer_export(RegardComposer *self, const char *path);
/* The dialog for a file of one; its path goes to the widget's action. */
void regard_composer_choose(GtkWidget *widget, const char *action);
/* Whether one of these goes on. */
gboolean regard_composer_is_busy(RegardComposer *self);
/* A panel computed anew with the model that is open; and the heads of all panels of one more text.
 * What became of it is said in the window. */
void regard_composer_compute(RegardComposer *self, char letter);
void regard_composer_add_text(RegardComposer *self, const char *text);
gboolean regard_composer_undo(RegardComposer *self);
gboolean regard_composer_redo(RegardComposer *self);

G_END_DECLS

/* regard-window.h — the window: two texts, the pictures, and what a person does with them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is worked on is the document; the window shows it in parts that observe it by themselves
 * (regard-source-pane.h, regard-target-pane.h, regard-messages.h, regard-training-bar.h, the views)
 * and turns actions into calls of it. The class is split by concern: regard-window.c (the object,
 * its content, layout and settings), -model.c (models and interventions), -session.c (sessions in
 * files), -stage.c (what lessons show), -learn.c (lessons) and -keys.c (actions, menus, the
 * keyboard). They share regard-window-private.h.
 */
#pragma once

#include "document/regard-document.h"
#include "parts/regard-banner.h"
#include "views/regard-view.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WINDOW (regard_window_get_type())
G_DECLARE_FINAL_TYPE(RegardWindow, regard_window, REGARD, WINDOW, AdwApplicationWindow)

/* settings as of regard_settings_new(); a reference is taken. The document is taken, too, and may
 * be opening a model; NULL: one of its own, which has none. */
RegardWindow *regard_window_new(GtkApplication *application, GSettings *settings,
                                RegardDocument *document);

/* Three doors in place of the pictures, until somebody goes on: at the very first start. */
void regard_window_set_welcome(RegardWindow *self, gboolean is_shown);
RegardDocument *regard_window_get_document(RegardWindow *self); /* borrowed */
/* A document for such a window, which begins to open the model that the settings name, or the
 * bundled one. GTK need not be there yet. */
RegardDocument *regard_window_new_document(GSettings *settings);
/* The keyboard is in the text, all of which is selected: who begins to type at once means another
 * one, and what is typed while the window starts is not glued to the example, to the text of last
 * time or to that of the command line. Undo brings it back. */
void regard_window_offer_text(RegardWindow *self);
/* Open what a path names: a session, a corpus, a lesson, a capture, else a model. */
void regard_window_open_path(RegardWindow *self, const char *path);

/* For tests: the view that is to be seen (NULL: the start page). Borrowed. */
RegardView *regard_window_get_view(RegardWindow *self);

G_END_DECLS

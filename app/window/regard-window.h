/* regard-window.h — the window: two texts, the pictures, and what a person does with them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is worked on is the document; the window shows it in parts that observe it by themselves
 * (regard-source-pane.h, regard-target-pane.h, regard-messages.h, regard-training-bar.h, the views)
 * and turns actions into calls of it. The class is split by concern: regard-window.c (the object),
 * -model.c (label, list of models, files dropped), -content.c (pictures or start page), -capture.c
 * (captures from files), -changes.c (heads switched off), -actions.c (menus), -keys.c (the
 * keyboard), -present.c (full screen), -export.c (what leaves), -look.c (settings), -layout.c. They
 * share regard-window-private.h.
 */
#pragma once

#include "document/regard-document.h"
#include "parts/regard-banner.h"
#include "views/regard-view.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WINDOW (regard_window_get_type())
G_DECLARE_FINAL_TYPE(RegardWindow, regard_window, REGARD, WINDOW, AdwApplicationWindow)

/* With a document of its own. settings as of regard_settings_new(); a reference is taken. No model
 * is open yet. */
RegardWindow *regard_window_new(GtkApplication *application, GSettings *settings);

RegardDocument *regard_window_get_document(RegardWindow *self); /* borrowed */
/* Open the model that the settings name, or the bundled one. */
void regard_window_open_first_model(RegardWindow *self);
/* Open what a path names: a session, a corpus, a capture, else a model. */
void regard_window_open_path(RegardWindow *self, const char *path);

/* For tests: the view that is to be seen (NULL: the start page). Borrowed. */
RegardView *regard_window_get_view(RegardWindow *self);

G_END_DECLS

/* regard-window.h — the window: two texts, the pictures, and everything that joins them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The class is split by concern: regard-window.c (the object, layout, settings), -text.c (typing,
 * requests, results), -model.c (opening models), -capture.c (captures from files), -actions.c
 * (menus and keys), -export.c (pictures and numbers out). They share regard-window-private.h.
 */
#pragma once

#include "document/regard-result.h"
#include "parts/regard-banner.h"
#include "widgets/regard-selection.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WINDOW (regard_window_get_type())
G_DECLARE_FINAL_TYPE(RegardWindow, regard_window, REGARD, WINDOW, AdwApplicationWindow)

/* settings as of regard_settings_new(); a reference is taken. No model is open yet. */
RegardWindow *regard_window_new(GtkApplication *application, GSettings *settings);

/* Replace the source text. */
void regard_window_set_text(RegardWindow *self, const char *text);
/* Open a model beside the running one and swap when it is ready; failure keeps the old one.
 * dir "": the bundled one. */
void regard_window_open_model(RegardWindow *self, const char *dir);

/* Show a capture from a file in place of the live translation, until something is typed; failure
 * changes nothing. */
void regard_window_open_capture(RegardWindow *self, const char *path);
/* Either of the two, by what the file is. */
void regard_window_open_path(RegardWindow *self, const char *path);

/* Open the model that the settings name, or the bundled one. */
void regard_window_open_first_model(RegardWindow *self);

/* For tests: what is shown at present. Borrowed. */
RegardSelection *regard_window_get_selection(RegardWindow *self);
RegardBanner *regard_window_get_banner(RegardWindow *self);
RegardResult *regard_window_get_result(RegardWindow *self); /* may be NULL */
/* TRUE while a model is opened or a text is translated. */
gboolean regard_window_is_busy(RegardWindow *self);

G_END_DECLS

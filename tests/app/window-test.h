/* window-test.h — a window with a model, for tests; needs a display.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-test.h"
#include "window/regard-application.h"
#include "window/regard-window-private.h"

G_BEGIN_DECLS

typedef struct {
  RegardApplication *application;
  GSettings *settings;
  RegardWindow *window;
} WindowTest;

/* g_test_init, the application, and settings in memory. FALSE: no display, and it said SKIP. */
gboolean window_test_init(int *argc, char ***argv);

/* A mapped window at its defaults that runs the frozen model (dir NULL) or another, with no text.
 * For g_test_add. */
void window_test_set_up(WindowTest *t, gconstpointer dir);
void window_test_tear_down(WindowTest *t, gconstpointer dir);

/* Until model and text are done, and painted. */
void window_test_settle(WindowTest *t);
/* Set the text and settle. */
void window_test_translate(WindowTest *t, const char *text);
/* A controller of a widget by its name. Borrowed. */
GtkEventController *window_test_controller(gpointer widget, const char *name);
/* A key that the focused widget left over; TRUE if the window used it. */
gboolean window_test_key(WindowTest *t, guint keyval, GdkModifierType state);
char *window_test_source(WindowTest *t);
char *window_test_target(WindowTest *t);

G_END_DECLS

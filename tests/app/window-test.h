/* window-test.h — a window with a model, for tests; needs a display.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app-test.h"
#include "models/regard-model-chooser.h"
#include "parts/regard-language-choice.h"
#include "parts/regard-start-page.h"
#include "parts/regard-target-pane.h"
#include "parts/regard-text-card.h"
#include "parts/regard-training-bar.h"
#include "widgets/regard-token-strip.h"
#include "window/regard-application.h"
#include "window/regard-window.h"

G_BEGIN_DECLS

typedef struct {
  RegardApplication *application;
  GSettings *settings;
  RegardWindow *window;
  RegardDocument *document;   /* the window's */
  RegardSelection *selection; /* the document's */
} WindowTest;

/* The application, and settings in memory. FALSE: no display. */
gboolean window_test_begin(void);

/* A mapped window at its defaults that runs the frozen model (dir NULL) or another, with no text.
 * For g_test_add. */
void window_test_set_up(WindowTest *t, gconstpointer dir);
void window_test_tear_down(WindowTest *t, gconstpointer dir);
#define WINDOW_TEST(path, run) \
  g_test_add(path, WindowTest, NULL, window_test_set_up, run, window_test_tear_down)

/* An action of the window, with a parameter as gtk_widget_activate_action has it. */
#define window_test_act(t, ...) gtk_widget_activate_action(GTK_WIDGET((t)->window), __VA_ARGS__)

/* Until model and text are done, and painted. */
void window_test_settle(WindowTest *t);
/* Set the text and settle. */
void window_test_translate(WindowTest *t, const char *text);
/* Another window beside it, with no model yet, as it is at the start of the program. */
WindowTest window_test_another(WindowTest *t);

/* A part of the window by its name in the template; a descendant of a widget by its type, or by the
 * action that it activates; the popover of a menu button. Borrowed. */
gpointer window_test_child(WindowTest *t, const char *name);
/* A part of one of its two panes, "source" or "target"; the text card of a pane. Borrowed. */
gpointer window_test_part(WindowTest *t, const char *pane, const char *name);
gpointer window_test_card(WindowTest *t, const char *pane);
gpointer window_test_find(gpointer root, GType type);
gpointer window_test_find_action(gpointer root, const char *action);
gpointer window_test_popover(gpointer button);
/* What the first label below a widget says that has a class of CSS, or is any, for NULL. Borrowed.
 */
const char *window_test_label(gpointer root, const char *css);
/* The name of a widget that is said to who listens, in quotes. Caller frees. */
char *window_test_name(gpointer widget);
/* A controller of a widget by its name. Borrowed. */
GtkEventController *window_test_controller(gpointer widget, const char *name);
/* A key that the focused widget left over; TRUE if the window used it. */
gboolean window_test_key(WindowTest *t, guint keyval, GdkModifierType state);
char *window_test_source(WindowTest *t);
char *window_test_target(WindowTest *t);
/* How often files below a folder were looked for, on the main thread and elsewhere, since it began
 * to be watched; a copy of the folder's name is taken. */
void window_test_watch(const char *folder);
guint window_test_looks(gboolean on_main);
/* Of the picture that is exported first. Caller frees. */
char *window_test_caption(WindowTest *t);

G_END_DECLS

/* steps-page-test.h — the page Steps of a window, for tests: what is on it, and what it knows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-steps.h"
#include "views/regard-view.h"
#include "widgets/regard-figure-area.h"
#include "window-test.h"

G_BEGIN_DECLS

RegardView *steps_page_page(WindowTest *t); /* the page that is shown */

/* The first widget of a type that can be seen and matches; NULL: there is none. */
typedef gboolean (*StepsPageMatches)(GtkWidget *widget, const char *text);
GtkWidget *steps_page_find(GtkWidget *root, GType type, StepsPageMatches matches, const char *text);
gboolean steps_page_is_called(GtkWidget *widget, const char *name); /* to a screen reader */
gboolean steps_page_has_label(GtkWidget *button, const char *text);

RegardFigureArea *steps_page_candidates(WindowTest *t);
/* A label that begins with a text. */
GtkWidget *steps_page_says(WindowTest *t, const char *text);
/* Nothing is left to export; for app_test_wait. */
gboolean steps_page_is_empty(gpointer data);
GtkWidget *steps_page_model_way(WindowTest *t);
GtkWidget *steps_page_entry(WindowTest *t);

/* As its key does it; until the translation is there with its steps; a key that the window uses. */
void steps_page_open(WindowTest *t);
void steps_page_settle(WindowTest *t);
void steps_page_press(WindowTest *t, guint keyval);

const RegardSteps *steps_page_steps(WindowTest *t);
int32_t steps_page_token_at(WindowTest *t, guint step);
const char *steps_page_translation(WindowTest *t);
/* Candidate i of the step that is looked at, by keys; its id. */
int32_t steps_page_point_at(WindowTest *t, int i);
void steps_page_go_to(WindowTest *t, int step);

G_END_DECLS

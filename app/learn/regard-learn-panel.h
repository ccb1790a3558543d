/* regard-learn-panel.h — lessons beside the pictures: the list of them, and the step of the one
 * that runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It shows a RegardLessonRun, and hands over what a person does. Which lesson is begun, and where
 * one comes from, is the window's: "win.lesson", "win.lesson-next", "win.lesson-back",
 * "win.open-lesson" and "win.leave-lesson" are activated from here.
 *
 * Signal "link" (string): this target was clicked in the prose.
 */
#pragma once

#include "learn/regard-lesson-run.h"
#include "learn/regard-lesson-shelf.h"
#include "learn/regard-progress.h"

G_BEGIN_DECLS

#define REGARD_TYPE_LEARN_PANEL (regard_learn_panel_get_type())
G_DECLARE_FINAL_TYPE(RegardLearnPanel, regard_learn_panel, REGARD, LEARN_PANEL, GtkWidget)

/* A reference is taken. Once. */
void regard_learn_panel_set_run(RegardLearnPanel *self, RegardLessonRun *run);
/* A shelf of RegardShelfRow *, of which a reference is taken, and who knows which lessons are done,
 * who lives as long as this. A lesson that cannot be read is left out. */
void regard_learn_panel_set_lessons(RegardLearnPanel *self, GPtrArray *shelf,
                                    RegardProgress *progress);
/* What is wrong with a file, which names line and word; NULL: nothing any more. */
void regard_learn_panel_set_error(RegardLearnPanel *self, const char *message);
/* The keyboard goes to what is to be done: an option, the entry, a button, or the list. */
void regard_learn_panel_focus(RegardLearnPanel *self);
/* It goes to the lesson of the list that follows the one of this id. */
void regard_learn_panel_focus_next(RegardLearnPanel *self, const char *id);
/* A lesson has the keyboard, but nothing that letters are written into. */
gboolean regard_learn_panel_is_reading(RegardLearnPanel *self);

G_END_DECLS

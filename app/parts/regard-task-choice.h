/* regard-task-choice.h — what a model is told to do, by words before the text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list of the model's tasks, and an entry with what stands before the text, which may be changed:
 * Enter takes it, and so does leaving it. A model without tasks that reads such words has the entry
 * alone. Hidden where there is neither, and where the model is told languages. The choice is
 * remembered for each model, in the setting "tasks".
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_TASK_CHOICE (regard_task_choice_get_type())
G_DECLARE_FINAL_TYPE(RegardTaskChoice, regard_task_choice, REGARD, TASK_CHOICE, GtkWidget)

/* List the tasks of the document's model, begin with what is remembered for it, else with none, and
 * tell the document. While a file is shown there is no choice. */
void regard_task_choice_set_document(RegardTaskChoice *self, RegardDocument *document,
                                     GSettings *settings);

G_END_DECLS

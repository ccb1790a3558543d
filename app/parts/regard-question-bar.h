/* regard-question-bar.h — the question that an example asks, above the pictures for as long as its
 * text is there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_QUESTION_BAR (regard_question_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardQuestionBar, regard_question_bar, REGARD, QUESTION_BAR, GtkWidget)

/* NULL or "": none is asked. */
void regard_question_bar_ask(RegardQuestionBar *self, const char *question);
/* NULL: none is asked. Borrowed. */
const char *regard_question_bar_get(RegardQuestionBar *self);

G_END_DECLS

/* regard-sentence.h — a sentence under a picture that says what it shows, and grows into an
 * explanation when it is clicked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SENTENCE (regard_sentence_get_type())
G_DECLARE_FINAL_TYPE(RegardSentence, regard_sentence, REGARD, SENTENCE, GtkWidget)

GtkWidget *regard_sentence_new(void);
/* One line; what does not fit is in the tooltip. */
void regard_sentence_set_text(RegardSentence *self, const char *text);
const char *regard_sentence_get_text(RegardSentence *self); /* borrowed */
/* Two or three sentences, which wrap; "": there is nothing to open. */
void regard_sentence_set_explanation(RegardSentence *self, const char *text);
const char *regard_sentence_get_explanation(RegardSentence *self); /* borrowed */
void regard_sentence_set_open(RegardSentence *self, gboolean is_open);
gboolean regard_sentence_get_open(RegardSentence *self);

G_END_DECLS

/* regard-own-translation.h — a popover to type a translation of one's own in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is typed is scored and its attention shown at once, as it stands. Enter keeps it, Escape
 * goes back to what was there before. It opens from its button, and by a double click into the text
 * that it follows; Escape in that text goes back to the model's own.
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_OWN_TRANSLATION (regard_own_translation_get_type())
G_DECLARE_FINAL_TYPE(RegardOwnTranslation, regard_own_translation, REGARD, OWN_TRANSLATION,
                     GtkPopover)

/* text: where the translation stands; a reference is not taken. */
GtkWidget *regard_own_translation_new(RegardDocument *document, GtkWidget *text);
/* For tests. */
GtkTextView *regard_own_translation_get_view(RegardOwnTranslation *self);

G_END_DECLS

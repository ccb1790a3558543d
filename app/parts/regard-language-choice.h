/* regard-language-choice.h — the language that a multi-target model translates into.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drop-down with a label, "to German". Hidden where the model has one target language. The choice
 * is remembered for each model, in the setting "target-languages".
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_LANGUAGE_CHOICE (regard_language_choice_get_type())
G_DECLARE_FINAL_TYPE(RegardLanguageChoice, regard_language_choice, REGARD, LANGUAGE_CHOICE,
                     GtkWidget)

/* List the languages of the document's model by name, begin with the one remembered for it, else
 * the first, and tell the document which it is. While a file is shown nothing is translated, and
 * there is no choice. */
void regard_language_choice_set_document(RegardLanguageChoice *self, RegardDocument *document,
                                         GSettings *settings);

/* The code of the chosen language, "" if the model has none. Borrowed until the next model. */
const char *regard_language_choice_get_code(RegardLanguageChoice *self);

G_END_DECLS

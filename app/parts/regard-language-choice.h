/* regard-language-choice.h — one of the two languages between which a model translates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drop-down with a label, "to German" or, with the property "is-source", "from German" and a
 * button that swaps both. Hidden where the model has no such list. The choice is remembered for
 * each model, in the settings "target-languages" and "source-languages".
 */
#pragma once

#include "document/regard-document.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_LANGUAGE_CHOICE (regard_language_choice_get_type())
G_DECLARE_FINAL_TYPE(RegardLanguageChoice, regard_language_choice, REGARD, LANGUAGE_CHOICE,
                     GtkWidget)

/* List the languages of the document's model by name, begin with the one remembered for it, else
 * the model's own, and tell the document which it is. A multi-target model of Marian, which has
 * none of its own, begins with the first; others begin with a row that stands for none, and
 * say so in place of a translation. While a file is shown nothing is translated, and there is no
 * choice. */
void regard_language_choice_set_document(RegardLanguageChoice *self, RegardDocument *document,
                                         GSettings *settings);

/* Whether a translation needs a language of this side and no file of the model names it. */
gboolean regard_language_choice_is_needed(const mt_model *model, mt_stack side);

/* The code of the chosen language, "" if the model has none or none is chosen. Borrowed until the
 * next model. */
const char *regard_language_choice_get_code(RegardLanguageChoice *self);

G_END_DECLS

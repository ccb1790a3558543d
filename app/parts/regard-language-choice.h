/* regard-language-choice.h — the language that a multi-target model translates into.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drop-down with a label, "to German". Hidden where the model has one target language. The choice
 * is remembered for each model, in the setting "target-languages".
 *
 * Signal: "changed"   a person chose another language
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_LANGUAGE_CHOICE (regard_language_choice_get_type())
G_DECLARE_FINAL_TYPE(RegardLanguageChoice, regard_language_choice, REGARD, LANGUAGE_CHOICE,
                     GtkWidget)

void regard_language_choice_set_settings(RegardLanguageChoice *self, GSettings *settings);

/* List this model's languages by name and choose the one remembered for it, else the first. key:
 * by what the model is remembered, "" for the bundled one. */
void regard_language_choice_set_model(RegardLanguageChoice *self, const mt_model *model,
                                      const char *key);

/* Whether it is shown where there is a choice; not while nothing is translated. TRUE at first. */
void regard_language_choice_set_shown(RegardLanguageChoice *self, gboolean shown);

/* The code of the chosen language, "" if the model has none. Borrowed until the next set_model. */
const char *regard_language_choice_get_code(RegardLanguageChoice *self);

G_END_DECLS

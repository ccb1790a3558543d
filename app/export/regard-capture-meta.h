/* regard-capture-meta.h — what one needs to know to make a capture again, as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <json.h>
#include <mt.h>

G_BEGIN_DECLS

/* The code of the language from which (MT_STACK_ENCODER) or into which a translation was made, as
 * its tokens say, whether it was chosen, typed or the model's own. NULL: none of them says so.
 * Borrowed from the model. */
const char *regard_capture_language(const mt_model *model, const mt_translation *translation,
                                    mt_stack side);

/* Adds task (its name, or null) and task_prefix (what stood before the text) of a model that has
 * tasks or takes a prefix. */
void regard_capture_add_task(json_object *object, const mt_model *model,
                             const mt_translation *translation);

/* What decides what is found, by the keys of the rows. */
json_object *regard_settings_json(const mt_search_params *params);
/* Lines of text; an empty list for NULL. */
json_object *regard_interventions_json(const mt_interventions *interventions);
/* prefix (ids), prefix_pieces, forbidden (step, from 1, or null for everywhere; ids; pieces); NULL,
 * which is null, if there are none. */
json_object *regard_constraints_json(const mt_model *model, const mt_constraints *constraints);

/* What the vocabulary lacks of the text of a list (mt_tokens_unknown), as an array of texts. Caller
 * puts it. */
json_object *regard_capture_unknown(const mt_tokens *tokens);

/* program ("regard-cli 0.1.0"), engine (what it computed on), model, sha256 of its files, text,
 * unknown (what of it the model does not know), source_language and language (codes, or null), task
 * and task_prefix (as below), translation, alternative (from 1), score, forced (tokens that it was
 * made to begin with), precision, attention_precision (attention: of what is written), changes (in
 * the model; may be NULL), constraints, teacher_forced, settings. index: which hypothesis; params:
 * what it was searched for with, NULL if it was given (teacher-forced). Reads the model's files, so
 * in the window call it in a thread. Caller frees. */
char *regard_capture_meta(const char *program, const mt_model *model,
                          const mt_translation *translation, size_t index,
                          const mt_search_params *params, mt_precision attention,
                          const mt_interventions *interventions);

G_END_DECLS

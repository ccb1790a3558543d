/* mt-model-languages.h — what naming a target language means for a search. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MODEL_LANGUAGES_H
#define MT_MODEL_LANGUAGES_H

#include "mt.h"

/* Does the model have this target language, -1 being its own? MT_ERROR_INPUT: it does not, or it
 * must be told one. */
bool mt_model_check_target(const mt_model *model, int language, mt_error *error);

/* mt_model_tokenize_between with text before the source, which is marked; "": none. */
mt_tokens *mt_model_tokenize_behind(const mt_model *model, const char *prefix, const char *text,
                                    int source_language, int language, mt_error *error);

/* For a language that was checked: the token that the decoder starts with; the token that every
 * translation begins with, -1: any. */
int32_t mt_model_start_id(const mt_model *model, int language);
int32_t mt_model_first_id(const mt_model *model, int language);
/* Whether that first token is one of a language. */
bool mt_model_begins_with_language(const mt_model *model, int language);

#endif

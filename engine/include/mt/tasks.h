/* tasks.h — what a model can be told to do, by words before the text. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TASKS_H
#define MT_PUBLIC_TASKS_H

#include <mt/error.h>
#include <mt/model.h>
#include <mt/search.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* T5 reads what it has to do before the text: "translate English to German: ", "summarize: ". Its
 * config.json may name tasks with such prefixes (task_specific_params) and with settings of the
 * search that take the place of the model's; other models name tasks that have settings only. A
 * search does the task of its parameters (mt_search_params.task and task_prefix). */

size_t mt_model_n_tasks(const mt_model *model);
/* Task i < n, in the order of the file. Borrowed from the model. */
const mt_task *mt_model_task(const mt_model *model, size_t i);
/* By its name; NULL: there is none. */
const mt_task *mt_model_find_task(const mt_model *model, const char *name);
/* Whether words before the text tell it what to do: it was trained so (mt_config.reads_prefix) and
 * is told no languages by their tokens, or one of its tasks has a prefix. */
bool mt_model_takes_prefix(const mt_model *model);

/* What a search with these parameters reads at a time: a task whose name begins with
 * "summarization", or whose prefix begins with "summarize", takes the whole text, any other what
 * the model takes. */
mt_text_unit mt_search_unit(const mt_search_params *params, const mt_model *model);

/* The source tokens of a text as a search with these parameters reads it: between its languages
 * (mt_model_tokenize_between), behind its prefix, with which the text is cut into pieces as one.
 * Pieces of the prefix are is_prefix, and the text of the list, its spans and errors are those of
 * the text alone; a piece that has something of both is one of the text. params NULL: the model's
 * own. Errors: as mt_model_tokenize_between. */
mt_tokens *mt_model_tokenize_for(const mt_model *model, const char *text,
                                 const mt_search_params *params, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

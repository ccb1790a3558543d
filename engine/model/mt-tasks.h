/* mt-tasks.h — reading the tasks of a model. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TASKS_H
#define MT_TASKS_H

#include "files/mt-json.h"
#include "mt.h"

/* Reads the generation of a model, as its files say it, into a configuration. */
typedef bool (*mt_read_generation)(void *user, mt_config *config, mt_error *error);

/* task_specific_params of a config.json into a configuration that has no tasks yet. `before` is
 * what was known of the model before its generation was read, and holds no memory: for each task it
 * is read once more, and the keys of the task come behind it. Errors: MT_ERROR_FORMAT names the
 * task and the key. */
bool mt_tasks_read(mt_config *config, const mt_json *json, const mt_config *before,
                   mt_read_generation read, void *user, mt_error *error);
void mt_tasks_clear(mt_config *config);

/* Is the task one of the model's, and can the model be given the prefix? */
bool mt_tasks_check(const mt_search_params *params, const mt_model *model, mt_error *error);

#endif

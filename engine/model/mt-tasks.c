/* mt-tasks.c — what a model can be told to do, by words before the text and by settings of the
 * search.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A task is an entry of task_specific_params. As in transformers, where pipelines put it over the
 * generation of the model, its keys are those of generation_config.json, and "prefix".
 */
#include "model/mt-tasks.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "model/mt-generation.h"
#include "model/mt-model-languages.h"
#include "model/mt-model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define KEY "task_specific_params"

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct {
  mt_config *config;
  const mt_config *before;
  const mt_json *json;
  mt_read_generation read;
  void *user;
  mt_error *error;
  bool ok;
} reading;

static bool
read_prefix(mt_task *task, const mt_json *json, mt_error *error)
{
  const char *prefix = "";
  if (!mt_json_get_string(json, "prefix", &prefix, error))
    return false;
  if (strlen(prefix) >= MT_PREFIX_SIZE)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected prefix to have at most %d bytes, found %zu.", json->label,
                   MT_PREFIX_SIZE - 1, strlen(prefix));
  task->prefix = mt_strdup(prefix);
  return task->prefix || mt_fail_no_memory(error);
}

/* It is a word of command lines and messages: visible ASCII without spaces. */
static bool
is_name(const char *name)
{
  size_t n = strlen(name);
  for (size_t i = 0; i < n; i++)
    if (name[i] <= ' ' || name[i] > '~')
      return false;
  return n > 0 && n < MT_TASK_SIZE;
}

static bool
read_task(const reading *r, mt_task *task, const char *name, const mt_json_value *value)
{
  char label[512], found[MT_JSON_DESCRIPTION_SIZE];
  if (!is_name(name))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s: expected the names in " KEY " to be words of 1 to %d ASCII characters, "
                   "found another one of %zu bytes.",
                   r->json->label, MT_TASK_SIZE - 1, strlen(name));
  if (!value || mt_json_kind_of(value) != MT_JSON_OBJECT)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s: expected %s in " KEY " to be an object, found %s.", r->json->label, name,
                   value ? mt_json_describe(value, found) : "null");
  snprintf(label, sizeof label, "%.300s: %s in " KEY, r->json->label, name);
  const mt_json json = {.root = (mt_json_value *) value, .label = label};
  mt_config *settings = mt_alloc(1, sizeof *settings);
  task->settings = settings;
  task->name = mt_strdup(name);
  if (!settings || !task->name)
    return mt_fail_no_memory(r->error);
  *settings = *r->before;
  return read_prefix(task, &json, r->error) && r->read(r->user, settings, r->error) &&
         mt_generation_read_task(settings, &json, r->error);
}

static bool
visit(void *user, const char *name, const mt_json_value *value)
{
  reading *r = user;
  mt_config *c = r->config;
  r->ok = read_task(r, (mt_task *) &c->tasks[c->n_tasks++], name, value);
  return r->ok;
}

bool
mt_tasks_read(mt_config *config, const mt_json *json, const mt_config *before,
              mt_read_generation read, void *user, mt_error *error)
{
  const mt_json_value *value = mt_json_get(json, KEY);
  reading r = {config, before, json, read, user, error, true};
  char found[MT_JSON_DESCRIPTION_SIZE];
  bool is_object = value && mt_json_kind_of(value) == MT_JSON_OBJECT;
  size_t n = is_object ? mt_json_length(value) : 0;
  if (value && (!is_object || n > MT_MAX_TASKS))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected " KEY " to be an object of at most %d tasks, found %s.",
                   json->label, MT_MAX_TASKS,
                   is_object ? "a longer one" : mt_json_describe(value, found));
  if (n == 0)
    return true;
  config->tasks = mt_alloc(n, sizeof *config->tasks);
  if (!config->tasks)
    return mt_fail_no_memory(error);
  mt_json_each(value, visit, &r);
  return r.ok;
}

void
mt_tasks_clear(mt_config *config)
{
  for (size_t i = 0; i < config->n_tasks; i++) {
    const mt_task *task = &config->tasks[i];
    if (task->settings)
      mt_generation_clear((mt_config *) task->settings);
    mt_free((void *) task->settings);
    mt_free((void *) task->name);
    mt_free((void *) task->prefix);
  }
  mt_free((void *) config->tasks);
  config->tasks = NULL;
  config->n_tasks = 0;
}

/* ---- The list -------------------------------------------------------------------------------- */

size_t
mt_model_n_tasks(const mt_model *model)
{
  return model->config.n_tasks;
}

const mt_task *
mt_model_task(const mt_model *model, size_t i)
{
  assert(i < model->config.n_tasks);
  return &model->config.tasks[i];
}

const mt_task *
mt_model_find_task(const mt_model *model, const char *name)
{
  for (size_t i = 0; i < mt_model_n_tasks(model); i++)
    if (strcmp(mt_model_task(model, i)->name, name) == 0)
      return mt_model_task(model, i);
  return NULL;
}

bool
mt_model_takes_prefix(const mt_model *model)
{
  if (model->config.reads_prefix && mt_model_n_languages(model) == 0)
    return true;
  for (size_t i = 0; i < mt_model_n_tasks(model); i++)
    if (*mt_model_task(model, i)->prefix)
      return true;
  return false;
}

/* ---- Searches -------------------------------------------------------------------------------- */

static bool
begins_with(const char *text, const char *beginning)
{
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

mt_text_unit
mt_search_unit(const mt_search_params *params, const mt_model *model)
{
  bool is_summary = (params->task && begins_with(params->task->name, "summarization")) ||
                    begins_with(params->task_prefix, "summarize");
  return is_summary ? MT_UNIT_TEXT : model->config.unit;
}

bool
mt_tasks_check(const mt_search_params *params, const mt_model *model, mt_error *error)
{
  const mt_task *task = params->task;
  bool is_there = !task;
  size_t n = strnlen(params->task_prefix, MT_PREFIX_SIZE), at;
  for (size_t i = 0; i < mt_model_n_tasks(model); i++)
    is_there |= task == mt_model_task(model, i);
  if (!is_there)
    return mt_fail(error, MT_ERROR_INPUT, "The task is not one of the model's.");
  if (n == MT_PREFIX_SIZE || !mt_utf8_valid(params->task_prefix, n, &at))
    return mt_fail(error, MT_ERROR_INPUT,
                   "What stands before the text is to be at most %d bytes of UTF-8.",
                   MT_PREFIX_SIZE - 1);
  return n == 0 || mt_model_takes_prefix(model) ||
         mt_fail(error, MT_ERROR_INPUT,
                 "The model is not told by words before the text what to do with it.");
}

mt_tokens *
mt_model_tokenize_for(const mt_model *model, const char *text, const mt_search_params *params,
                      mt_error *error)
{
  if (!params)
    return mt_model_tokenize_between(model, text, -1, -1, error);
  if (!*params->task_prefix)
    return mt_model_tokenize_between(model, text, params->source_language, params->language, error);
  return mt_tasks_check(params, model, error)
             ? mt_model_tokenize_behind(model, params->task_prefix, text, params->source_language,
                                        params->language, error)
             : NULL;
}

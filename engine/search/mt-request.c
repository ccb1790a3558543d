/* mt-request.c — what a search can be asked for: one row for each setting.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Defaults, ranges, names, equality and hash go through the rows, and so do the command line,
 * the settings, the popover and the metadata of the programs above.
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "base/mt-utf8.h"
#include "files/mt-json.h"
#include "search/mt-search.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BEAM_SIZE 256
/* No model has as many positions. */
#define MAX_LENGTH 1e9

#define MAX_REPETITION_PENALTY 1000

#define MEMBER(m) offsetof(mt_search_params, m)

static const char *const stopping_names[] = {"false", "true", "never", NULL};
static const char *const prefix_names[] = {"counted", "left-out", NULL};

static const mt_search_field fields[] = {
    {.key = "beam_size",
     .name = "beam size",
     .type = MT_SEARCH_WHOLE,
     .range = {1, MAX_BEAM_SIZE},
     .decides = true,
     .option = "beam",
     .metavar = "N",
     .help = "Beam size; 1 searches greedily",
     .typed = {1, 64},
     .label = "_Beams",
     .place = 0,
     .shown = {1, 64},
     .step = 1,
     .offset = MEMBER(beam_size)},
    {.key = "n_best",
     .name = "number of best hypotheses",
     .type = MT_SEARCH_WHOLE,
     .range = {1, MAX_BEAM_SIZE},
     .option = "nbest",
     .metavar = "N",
     .help = "Print the N best translations, each after its score",
     .typed = {1, 64},
     .offset = MEMBER(n_best)},
    {.key = "min_length",
     .name = "minimum length",
     .type = MT_SEARCH_WHOLE,
     .range = {0, MAX_LENGTH},
     .is_length = true,
     .decides = true,
     .option = "min-length",
     .metavar = "N",
     .help = "Fewest target tokens, the start token counted",
     .typed = {0, 100000},
     .offset = MEMBER(min_length)},
    {.key = "max_length",
     .name = "maximum length",
     .type = MT_SEARCH_WHOLE,
     .range = {2, MAX_LENGTH},
     .is_length = true,
     .decides = true,
     .option = "max-length",
     .metavar = "N",
     .help = "Most target tokens, the start token counted",
     .typed = {2, 100000},
     .label = "_Most pieces",
     .place = 2,
     .shown = {2, 8192},
     .step = 1,
     .offset = MEMBER(max_length)},
    {.key = "length_penalty",
     .name = "length penalty",
     .type = MT_SEARCH_NUMBER,
     .range = {-FLT_MAX, FLT_MAX},
     .decides = true,
     .option = "length-penalty",
     .metavar = "X",
     .help = "Divide scores by length ^ X; default: as the model asks",
     .typed = {-10, 10},
     .label = "Length _penalty",
     .place = 1,
     .shown = {0, 5},
     .step = 0.1,
     .digits = 2,
     .offset = MEMBER(length_penalty)},
    {.key = "early_stopping",
     .name = "early stopping",
     .type = MT_SEARCH_CHOICE,
     .range = {MT_EARLY_STOPPING_FALSE, MT_EARLY_STOPPING_NEVER},
     .choices = stopping_names,
     .decides = true,
     .option = "early-stopping",
     .metavar = "WHEN",
     .help = "Whether a beam search ends once it has as many results as beams",
     .offset = MEMBER(early_stopping)},
    {.key = "no_repeat_ngram_size",
     .name = "size of n-grams that are not repeated",
     .type = MT_SEARCH_WHOLE,
     .range = {0, MAX_LENGTH},
     .decides = true,
     .option = "no-repeat-ngram",
     .metavar = "N",
     .help = "No N target tokens in a row twice; 0: they may",
     .typed = {0, 1000},
     .label = "No _repeated n-grams",
     .place = 3,
     .shown = {0, 20},
     .step = 1,
     .offset = MEMBER(no_repeat_ngram_size)},
    {.key = "repetition_penalty",
     .name = "repetition penalty",
     .type = MT_SEARCH_NUMBER,
     .range = {0, MAX_REPETITION_PENALTY},
     .decides = true,
     .option = "repetition-penalty",
     .metavar = "X",
     .help = "Make what was said already less likely, X times its log-probability; 1: do not",
     .typed = {0.01, 100},
     .label = "Repetition penalt_y",
     .place = 4,
     .shown = {0.5, 5},
     .step = 0.1,
     .digits = 2,
     .offset = MEMBER(repetition_penalty)},
    {.key = "prefix_score",
     .name = "score of a prefix",
     .type = MT_SEARCH_CHOICE,
     .range = {MT_PREFIX_COUNTED, MT_PREFIX_LEFT_OUT},
     .choices = prefix_names,
     .decides = true,
     .option = "prefix-score",
     .metavar = "WHAT",
     .help = "Whether the pieces of --prefix count in scores; default: counted",
     .offset = MEMBER(prefix_score)},
};
#define N_FIELDS (sizeof fields / sizeof *fields)
_Static_assert(N_FIELDS <= 32, "a request has a bit for each row");
_Static_assert(sizeof(mt_early_stopping) == sizeof(int) && sizeof(mt_prefix_score) == sizeof(int),
               "choices are read as int");

/* ---- Rows ------------------------------------------------------------------------------------ */

size_t
mt_search_n_fields(void)
{
  return N_FIELDS;
}

const mt_search_field *
mt_search_field_at(size_t i)
{
  return &fields[i];
}

bool
mt_search_find_field(const char *key, size_t *i)
{
  for (size_t f = 0; f < N_FIELDS; f++)
    if (strcmp(fields[f].key, key) == 0) {
      *i = f;
      return true;
    }
  return false;
}

double
mt_search_params_get(const mt_search_params *params, size_t i)
{
  const char *member = (const char *) params + fields[i].offset;
  size_t whole;
  float number;
  int choice;
  switch (fields[i].type) {
  case MT_SEARCH_WHOLE:
    memcpy(&whole, member, sizeof whole);
    return (double) whole;
  case MT_SEARCH_NUMBER:
    memcpy(&number, member, sizeof number);
    return (double) number;
  case MT_SEARCH_CHOICE:
    break;
  }
  memcpy(&choice, member, sizeof choice);
  return choice;
}

void
mt_search_params_put(mt_search_params *params, size_t i, double value)
{
  char *member = (char *) params + fields[i].offset;
  switch (fields[i].type) {
  case MT_SEARCH_WHOLE:
    memcpy(member, &(size_t){(size_t) value}, sizeof(size_t));
    break;
  case MT_SEARCH_NUMBER:
    memcpy(member, &(float){(float) value}, sizeof(float));
    break;
  case MT_SEARCH_CHOICE:
    memcpy(member, &(int){(int) value}, sizeof(int));
    break;
  }
}

/* ---- Defaults and ranges --------------------------------------------------------------------- */

mt_search_params
mt_search_params_default(const mt_model *model)
{
  return mt_search_params_of_task(model, NULL);
}

mt_search_params
mt_search_params_of_task(const mt_model *model, const mt_task *task)
{
  mt_search_params params = {.beam_size = 1,
                             .n_best = 1,
                             .max_length = 512,
                             .length_penalty = 1,
                             .repetition_penalty = 1,
                             .source_language = -1,
                             .language = -1};
  if (model) {
    const mt_config *config = task ? task->settings : mt_model_config(model);
    params.beam_size = config->num_beams;
    params.min_length = config->min_length;
    params.max_length = config->max_length;
    params.length_penalty = config->length_penalty;
    params.early_stopping = config->early_stopping;
    params.no_repeat_ngram_size = config->generation.no_repeat_ngram_size;
    if (config->generation.repetition_penalty > 0)
      params.repetition_penalty = config->generation.repetition_penalty;
    if (params.max_length > config->max_positions)
      params.max_length = config->max_positions;
  }
  params.task = task;
  if (task)
    memcpy(params.task_prefix, task->prefix, strlen(task->prefix) + 1);
  return params;
}

/* "false, true, never": the names that a choice has. In mt-request.c. */
static void
list_choices(const mt_search_field *field, char *list, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; field->choices[i] && n < size; i++)
    n += (size_t) snprintf(list + n, size - n, "%s%s", i ? ", " : "", field->choices[i]);
}

/* most: the greatest whole number, which may be less than the row says. */
static bool
check_value(const mt_search_field *field, double value, double most, const char *why_most,
            mt_error *error)
{
  bool is_whole = field->type == MT_SEARCH_NUMBER || value == floor(value);
  if (is_whole && value >= field->range.least && value <= most)
    return true;
  char list[128];
  switch (field->type) {
  case MT_SEARCH_WHOLE:
    return mt_fail(error, MT_ERROR_INPUT, "The %s is %.15g; it must be %.0f to %.0f%s.",
                   field->name, value, field->range.least, most, why_most);
  case MT_SEARCH_NUMBER:
    if (!isfinite(value) || field->range.most >= (double) FLT_MAX)
      return mt_fail(error, MT_ERROR_INPUT, "The %s is not a finite number.", field->name);
    return mt_fail(error, MT_ERROR_INPUT, "The %s is %g; it must be %g to %g.", field->name, value,
                   field->range.least, most);
  case MT_SEARCH_CHOICE:
    break;
  }
  list_choices(field, list, sizeof list);
  return mt_fail(error, MT_ERROR_INPUT,
                 "The choice of %s is %g; it must be the number of one of %s.", field->name, value,
                 list);
}

bool
mt_search_check(const mt_search_params *params, size_t max_positions, mt_error *error)
{
  for (size_t i = 0; i < N_FIELDS; i++) {
    bool is_length = fields[i].is_length;
    double most = is_length ? (double) max_positions : fields[i].range.most;
    if (!check_value(&fields[i], mt_search_params_get(params, i), most,
                     is_length ? ", the positions of the model" : "", error))
      return false;
  }
  if (params->n_best > params->beam_size)
    return mt_fail(error, MT_ERROR_INPUT,
                   "%zu best hypotheses were asked for; with beam size %zu it must be 1 to %zu.",
                   params->n_best, params->beam_size, params->beam_size);
  if (params->trace > MT_MAX_TRACED)
    return mt_fail(error, MT_ERROR_INPUT, "A trace of %zu tokens a step; it can be 0 to %d.",
                   params->trace, MT_MAX_TRACED);
  if (params->min_length > params->max_length)
    return mt_fail(error, MT_ERROR_INPUT,
                   "The minimum length of %zu tokens is above the maximum length of %zu.",
                   params->min_length, params->max_length);
  return true;
}

/* ---- Requests -------------------------------------------------------------------------------- */

bool
mt_request_set(mt_request *request, size_t i, double value, mt_error *error)
{
  if (!check_value(&fields[i], value, fields[i].range.most, "", error))
    return false;
  mt_search_params_put(&request->params, i, value);
  request->set |= UINT32_C(1) << i;
  return true;
}

void
mt_request_unset(mt_request *request, size_t i)
{
  request->set &= ~(UINT32_C(1) << i);
}

bool
mt_request_get(const mt_request *request, size_t i, double *value)
{
  if (!(request->set >> i & 1))
    return false;
  if (value)
    *value = mt_search_params_get(&request->params, i);
  return true;
}

void
mt_request_set_interventions(mt_request *request, const mt_interventions *interventions)
{
  mt_interventions *before = request->interventions;
  /* Reference counts apart, no list is changed. */
  request->interventions = mt_interventions_count(interventions) > 0
                               ? mt_interventions_ref((mt_interventions *) interventions)
                               : NULL;
  mt_interventions_unref(before);
}

void
mt_request_set_constraints(mt_request *request, const mt_constraints *constraints)
{
  mt_constraints *before = request->constraints;
  request->constraints = mt_constraints_is_empty(constraints)
                             ? NULL
                             : mt_constraints_ref((mt_constraints *) constraints);
  mt_constraints_unref(before);
}

bool
mt_request_set_task_prefix(mt_request *request, const char *prefix, mt_error *error)
{
  size_t n = strlen(prefix), at;
  if (n >= MT_PREFIX_SIZE)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "What stands before the text has %zu bytes; it can have %d.", n,
                   MT_PREFIX_SIZE - 1);
  if (!mt_utf8_valid(prefix, n, &at))
    return mt_fail(error, MT_ERROR_INPUT,
                   "Expected what stands before the text in UTF-8, found an invalid byte 0x%02x at "
                   "byte %zu.",
                   (unsigned) (unsigned char) prefix[at], at);
  memcpy(request->task_prefix, prefix, n + 1);
  request->has_task_prefix = true;
  return true;
}

mt_request
mt_request_copy(const mt_request *request)
{
  mt_request copy = *request;
  mt_interventions_ref(copy.interventions);
  mt_constraints_ref(copy.constraints);
  return copy;
}

void
mt_request_clear(mt_request *request)
{
  mt_interventions_unref(request->interventions);
  mt_constraints_unref(request->constraints);
  *request = (mt_request){0};
}

bool
mt_request_equal(const mt_request *a, const mt_request *b)
{
  if (a->set != b->set || strcmp(a->language, b->language) != 0 ||
      strcmp(a->source_language, b->source_language) != 0 || strcmp(a->task, b->task) != 0 ||
      a->has_task_prefix != b->has_task_prefix ||
      (a->has_task_prefix && strcmp(a->task_prefix, b->task_prefix) != 0) ||
      !mt_interventions_equal(a->interventions, b->interventions) ||
      !mt_constraints_equal(a->constraints, b->constraints))
    return false;
  double x, y;
  for (size_t i = 0; i < N_FIELDS; i++)
    if (mt_request_get(a, i, &x) && mt_request_get(b, i, &y) && x != y)
      return false;
  return true;
}

mt_request
mt_request_of_params(const mt_search_params *params, const mt_model *model)
{
  mt_search_params own = mt_search_params_of_task(model, params->task);
  mt_request request = {.params = *params};
  request.params.task = NULL; /* of the model, which the request may outlive */
  if (params->task)
    snprintf(request.task, sizeof request.task, "%s", params->task->name);
  request.has_task_prefix = strcmp(params->task_prefix, own.task_prefix) != 0;
  memcpy(request.task_prefix, params->task_prefix, sizeof request.task_prefix);
  request.params.constraints = NULL; /* the request has a reference of its own */
  mt_request_set_constraints(&request, params->constraints);
  for (size_t i = 0; i < N_FIELDS; i++)
    if (fields[i].decides && mt_search_params_get(params, i) != mt_search_params_get(&own, i))
      request.set |= (uint32_t) 1 << i;
  return request;
}

/* max_new_tokens and min_new_tokens of the model count from behind the prefix. */
static void
count_from_prefix(mt_search_params *params, const mt_request *request, const mt_model *model)
{
  size_t n_prefix;
  mt_constraints_prefix(request->constraints, &n_prefix);
  if (!model)
    return;
  const mt_config *config = params->task ? params->task->settings : mt_model_config(model);
  n_prefix += mt_search_n_before(params, model);
  if (config->generation.max_new_tokens > 0)
    params->max_length += n_prefix;
  if (config->generation.min_new_tokens > 0)
    params->min_length += n_prefix;
}

mt_search_params
mt_request_resolve(const mt_request *request, const mt_model *model)
{
  const mt_task *task = model ? mt_model_find_task(model, request->task) : NULL;
  mt_search_params params = mt_search_params_of_task(model, task);
  size_t positions = model ? mt_model_config(model)->max_positions : params.max_length;
  size_t beam_size = params.beam_size, language;
  double value;
  if (model && mt_model_find_source_language(model, request->source_language, &language))
    params.source_language = (int) language;
  if (model && mt_model_find_language(model, request->language, &language))
    params.language = (int) language;
  if (model && request->has_task_prefix && mt_model_takes_prefix(model))
    memcpy(params.task_prefix, request->task_prefix, sizeof params.task_prefix);
  params.constraints = request->constraints;
  count_from_prefix(&params, request, model);
  for (size_t i = 0; i < N_FIELDS; i++)
    if (mt_request_get(request, i, &value))
      mt_search_params_put(&params, i, value);
  if (params.max_length > positions)
    params.max_length = positions;
  if (params.min_length > params.max_length)
    params.min_length = params.max_length;
  size_t beam_row = 0;
  mt_search_find_field("beam_size", &beam_row);
  if (!mt_request_get(request, beam_row, NULL)) {
    /* Results want places, and so do hypotheses that have some tokens of the terms: one for each
     * number of them, but no more than somebody would ask for. */
    size_t n_wanted = mt_constraints_n_wanted(request->constraints) + 1;
    size_t most = (size_t) fields[beam_row].typed.most;
    n_wanted = n_wanted < most ? n_wanted : most;
    beam_size = n_wanted > beam_size ? n_wanted : beam_size;
    params.beam_size = params.n_best > beam_size ? params.n_best : beam_size;
  }
  return params;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* What a search is asked for as JSON, and out of it. */

/* ---- Writing --------------------------------------------------------------------------------- */

/* The number with the fewest digits that is the same float: 0.6, and not 0.60000002384185791. */
static double
fewest_digits(double value)
{
  char text[40];
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    double shorter = strtod(text, NULL);
    if ((float) shorter == (float) value)
      return shorter;
  }
  return value;
}

/* A list of lines; each is ended by a zero byte in the copy. */
static void
put_changes(mt_json_out *out, const mt_interventions *interventions)
{
  if (mt_interventions_count(interventions) == 0)
    return;
  char *lines = mt_strdup(mt_interventions_text(interventions));
  out->failed |= !lines;
  mt_json_begin(out, "changes", '[');
  for (char *line = lines, *end; line; line = end) {
    end = strchr(line, '\n');
    if (end)
      *end++ = '\0';
    mt_json_put_string(out, NULL, line);
  }
  mt_json_end(out);
  mt_free(lines);
}

static void
put_ids(mt_json_out *out, const char *key, const int32_t *ids, size_t n)
{
  mt_json_begin(out, key, '[');
  for (size_t i = 0; i < n; i++)
    mt_json_put_whole(out, NULL, ids[i]);
  mt_json_end(out);
}

static void
put_constraints(mt_json_out *out, const mt_constraints *constraints)
{
  size_t n_prefix, n;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n_prefix);
  const mt_forbidden *forbidden = mt_constraints_forbidden(constraints, &n);
  if (n_prefix > 0)
    put_ids(out, "prefix", prefix, n_prefix);
  if (n > 0)
    mt_json_begin(out, "forbidden", '[');
  for (size_t i = 0; i < n; i++) {
    mt_json_begin(out, NULL, '{');
    if (forbidden[i].step != MT_EVERY_STEP)
      mt_json_put_whole(out, "step", (int64_t) forbidden[i].step + 1);
    put_ids(out, "ids", forbidden[i].ids, forbidden[i].n);
    mt_json_end(out);
  }
  if (n > 0)
    mt_json_end(out);
  const mt_term *terms = mt_constraints_terms(constraints, &n);
  if (n > 0)
    mt_json_begin(out, "terms", '[');
  for (size_t i = 0; i < n; i++)
    put_ids(out, NULL, terms[i].ids, terms[i].n);
  if (n > 0)
    mt_json_end(out);
}

char *
mt_request_to_json(const mt_request *request, mt_error *error)
{
  mt_json_out out = {0};
  double value;
  mt_json_begin(&out, NULL, '{');
  for (size_t i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    if (!mt_request_get(request, i, &value))
      continue;
    if (field->type == MT_SEARCH_CHOICE)
      mt_json_put_string(&out, field->key, field->choices[(size_t) value]);
    else if (field->type == MT_SEARCH_WHOLE)
      mt_json_put_whole(&out, field->key, (int64_t) value);
    else
      mt_json_put_number(&out, field->key, fewest_digits(value));
  }
  if (*request->source_language)
    mt_json_put_string(&out, "source_language", request->source_language);
  if (*request->language)
    mt_json_put_string(&out, "language", request->language);
  if (*request->task)
    mt_json_put_string(&out, "task", request->task);
  if (request->has_task_prefix)
    mt_json_put_string(&out, "task_prefix", request->task_prefix);
  put_changes(&out, request->interventions);
  put_constraints(&out, request->constraints);
  mt_json_end(&out);
  return mt_json_take(&out, "", error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct {
  mt_request *request;
  const char *label;
  mt_error *error;
  /* Constraints as they come; ids are those of all forbidden lists, term_ids of all terms. */
  int32_t *prefix, *ids, *term_ids;
  size_t n_prefix, n_ids, n_term_ids;
  mt_forbidden *forbidden;
  size_t n_forbidden;
  mt_term *terms;
  size_t n_terms;
} Reading;

static bool
wrong(const Reading *r, const char *key, const char *expected, const mt_json_value *found)
{
  char description[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s: \"%s\" must be %s; found %s.", r->label, key,
                 expected, mt_json_describe(found, description));
}

static bool
read_choice(Reading *r, size_t i, const mt_json_value *value)
{
  const char *name = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  for (size_t c = 0; name && mt_search_field_at(i)->choices[c]; c++)
    if (strcmp(mt_search_field_at(i)->choices[c], name) == 0)
      return mt_request_set(r->request, i, (double) c, r->error);
  char list[128], expected[160];
  list_choices(mt_search_field_at(i), list, sizeof list);
  snprintf(expected, sizeof expected, "one of %s", list);
  return wrong(r, mt_search_field_at(i)->key, expected, value);
}

static bool
read_number(Reading *r, size_t i, const mt_json_value *value)
{
  const mt_search_field *field = mt_search_field_at(i);
  mt_json_kind kind = mt_json_kind_of(value);
  char expected[96];
  if (kind == MT_JSON_INTEGER || (kind == MT_JSON_NUMBER && field->type == MT_SEARCH_NUMBER)) {
    mt_error ignored = {0};
    if (mt_request_set(r->request, i, mt_json_number(value), &ignored))
      return true;
  }
  snprintf(expected, sizeof expected, "a %snumber from %g to %g",
           field->type == MT_SEARCH_WHOLE ? "whole " : "", field->range.least, field->range.most);
  return wrong(r, field->key, expected, value);
}

static bool
read_changes(Reading *r, const mt_json_value *value)
{
  size_t n = mt_json_kind_of(value) == MT_JSON_ARRAY ? mt_json_length(value) : 0, length = 1;
  const char *line = "";
  bool is_list = mt_json_kind_of(value) == MT_JSON_ARRAY;
  for (size_t i = 0; is_list && i < n; i++) {
    const mt_json_value *item = mt_json_at(value, i);
    line = mt_json_kind_of(item) == MT_JSON_STRING ? mt_json_string(item) : NULL;
    is_list = line != NULL;
    length += is_list ? strlen(line) + 1 : 0;
  }
  if (!is_list)
    return wrong(r, "changes", "a list of lines such as \"cross 4.1 zero\"", value);
  char *text = mt_alloc(length, 1), *end = text, label[128];
  if (!text)
    return mt_fail_no_memory(r->error);
  for (size_t i = 0; i < n; i++)
    end +=
        snprintf(end, length - (size_t) (end - text), "%s\n", mt_json_string(mt_json_at(value, i)));
  snprintf(label, sizeof label, "%s: \"changes\"", r->label);
  mt_error own = {0};
  mt_interventions *interventions = mt_interventions_parse(label, text, &own);
  mt_free(text);
  if (!interventions)
    return mt_fail(r->error, own.code == MT_ERROR_INPUT ? MT_ERROR_FORMAT : own.code, "%s",
                   own.message);
  mt_request_set_interventions(r->request, interventions);
  mt_interventions_unref(interventions);
  return true;
}

/* Ids behind those that are there, to *n in all. */
static bool
read_ids(Reading *r, const char *key, const mt_json_value *value, int32_t **ids, size_t *n)
{
  bool is_list = mt_json_kind_of(value) == MT_JSON_ARRAY;
  size_t n_new = is_list ? mt_json_length(value) : 0;
  if (n_new > MT_MAX_CONSTRAINTS - *n)
    return mt_fail(r->error, MT_ERROR_TOO_LONG, "%s: the constraints have more than %d tokens.",
                   r->label, MT_MAX_CONSTRAINTS);
  int32_t *more = mt_realloc(*ids, *n + n_new + 1, sizeof *more);
  if (!more)
    return mt_fail_no_memory(r->error);
  *ids = more;
  for (size_t i = 0; is_list && i < n_new; i++) {
    const mt_json_value *item = mt_json_at(value, i);
    is_list = mt_json_kind_of(item) == MT_JSON_INTEGER && mt_json_integer(item) >= 0 &&
              mt_json_integer(item) <= INT32_MAX;
    if (is_list)
      more[(*n)++] = (int32_t) mt_json_integer(item);
  }
  return is_list || wrong(r, key, "a list of token ids", value);
}

/* One {"step": 3, "ids": [95]}; ids of a list are found behind each other at the end. */
static bool
read_forbidden_list(Reading *r, const mt_json_value *value, mt_forbidden *list)
{
  bool is_object = mt_json_kind_of(value) == MT_JSON_OBJECT;
  const mt_json_value *step = is_object ? mt_json_member(value, "step") : NULL;
  const mt_json_value *ids = is_object ? mt_json_member(value, "ids") : NULL;
  size_t before = r->n_ids;
  if (!ids)
    return wrong(r, "forbidden", "a list of objects with ids", value);
  if (step && (mt_json_kind_of(step) != MT_JSON_INTEGER || mt_json_integer(step) < 1))
    return wrong(r, "step", "a whole number from 1 on", step);
  if (!read_ids(r, "ids", ids, &r->ids, &r->n_ids))
    return false;
  if (r->n_ids == before)
    return wrong(r, "ids", "a list of at least one token id", ids);
  *list = (mt_forbidden){.step = step ? (size_t) mt_json_integer(step) - 1 : MT_EVERY_STEP,
                         .n = r->n_ids - before};
  return true;
}

static bool
read_forbidden(Reading *r, const mt_json_value *value)
{
  if (mt_json_kind_of(value) != MT_JSON_ARRAY)
    return wrong(r, "forbidden", "a list of objects with ids", value);
  r->n_ids = 0;
  mt_free(r->forbidden);
  r->n_forbidden = mt_json_length(value);
  r->forbidden = mt_alloc(r->n_forbidden + 1, sizeof *r->forbidden);
  if (!r->forbidden)
    return mt_fail_no_memory(r->error);
  for (size_t i = 0; i < r->n_forbidden; i++)
    if (!read_forbidden_list(r, mt_json_at(value, i), &r->forbidden[i]))
      return false;
  const int32_t *ids = r->ids;
  for (size_t i = 0; i < r->n_forbidden; i++) {
    r->forbidden[i].ids = ids;
    ids += r->forbidden[i].n;
  }
  return true;
}

static bool
read_terms(Reading *r, const mt_json_value *value)
{
  if (mt_json_kind_of(value) != MT_JSON_ARRAY)
    return wrong(r, "terms", "a list of lists of token ids", value);
  r->n_term_ids = 0;
  mt_free(r->terms);
  r->n_terms = mt_json_length(value);
  r->terms = mt_alloc(r->n_terms + 1, sizeof *r->terms);
  if (!r->terms)
    return mt_fail_no_memory(r->error);
  for (size_t i = 0, before = 0; i < r->n_terms; i++, before = r->n_term_ids) {
    const mt_json_value *ids = mt_json_at(value, i);
    if (!read_ids(r, "terms", ids, &r->term_ids, &r->n_term_ids))
      return false;
    r->terms[i].n = r->n_term_ids - before;
    if (r->terms[i].n == 0)
      return wrong(r, "terms", "lists of at least one token id", ids);
  }
  const int32_t *ids = r->term_ids;
  for (size_t i = 0; i < r->n_terms; ids += r->terms[i++].n)
    r->terms[i].ids = ids;
  return true;
}

/* What was read of constraints into the request. */
static bool
take_constraints(Reading *r)
{
  if (r->n_prefix == 0 && r->n_forbidden == 0 && r->n_terms == 0)
    return true;
  mt_error own = {0};
  mt_constraints *lists =
      mt_constraints_new(r->prefix, r->n_prefix, r->forbidden, r->n_forbidden, &own);
  mt_constraints *constraints =
      lists ? mt_constraints_with_terms(lists, r->terms, r->n_terms, &own) : NULL;
  mt_constraints_unref(lists);
  if (!constraints)
    return mt_fail(r->error, own.code, "%s: %s", r->label, own.message);
  mt_request_set_constraints(r->request, constraints);
  mt_constraints_unref(constraints);
  return true;
}

/* to: [size] */
static bool
read_text(const Reading *r, const char *key, const char *expected, const mt_json_value *value,
          char *to, size_t size)
{
  const char *text = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  if (mt_json_kind_of(value) == MT_JSON_NULL)
    return true;
  if (!text || strlen(text) >= size)
    return wrong(r, key, expected, value);
  memcpy(to, text, strlen(text) + 1);
  return true;
}

static bool
read_language(const Reading *r, const char *key, const mt_json_value *value, char *to)
{
  return read_text(r, key, "the code of a language", value, to, MT_LANGUAGE_SIZE);
}

static bool
read_task_prefix(const Reading *r, const char *key, const mt_json_value *value)
{
  r->request->has_task_prefix = mt_json_kind_of(value) != MT_JSON_NULL;
  return read_text(r, key, "a text of at most 256 bytes", value, r->request->task_prefix,
                   MT_PREFIX_SIZE);
}

static bool
read_member(void *user, const char *key, const mt_json_value *value)
{
  Reading *r = user;
  size_t i;
  if (strcmp(key, "changes") == 0)
    return mt_json_kind_of(value) == MT_JSON_NULL || read_changes(r, value);
  if (strcmp(key, "prefix") == 0) {
    r->n_prefix = 0;
    return mt_json_kind_of(value) == MT_JSON_NULL ||
           read_ids(r, key, value, &r->prefix, &r->n_prefix);
  }
  if (strcmp(key, "forbidden") == 0)
    return mt_json_kind_of(value) == MT_JSON_NULL || read_forbidden(r, value);
  if (strcmp(key, "terms") == 0)
    return mt_json_kind_of(value) == MT_JSON_NULL || read_terms(r, value);
  if (strcmp(key, "source_language") == 0)
    return read_language(r, key, value, r->request->source_language);
  if (strcmp(key, "language") == 0)
    return read_language(r, key, value, r->request->language);
  if (strcmp(key, "task") == 0)
    return read_text(r, key, "the name of a task", value, r->request->task, MT_TASK_SIZE);
  if (strcmp(key, "task_prefix") == 0)
    return read_task_prefix(r, key, value);
  if (!mt_search_find_field(key, &i))
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: \"%s\" is no setting of a search.", r->label,
                   key);
  if (mt_json_kind_of(value) == MT_JSON_NULL)
    return true;
  return mt_search_field_at(i)->type == MT_SEARCH_CHOICE ? read_choice(r, i, value)
                                                         : read_number(r, i, value);
}

bool
mt_request_from_json(mt_request *request, const char *label, const char *text, size_t n,
                     mt_error *error)
{
  mt_json json = {0};
  mt_request read = {0};
  Reading r = {.request = &read, .label = label, .error = error};
  bool ok = mt_json_parse(&json, label, text, n, error) &&
            mt_json_each(json.root, read_member, &r) && take_constraints(&r);
  mt_json_clear(&json);
  mt_free(r.prefix);
  mt_free(r.ids);
  mt_free(r.forbidden);
  mt_free(r.terms);
  mt_free(r.term_ids);
  if (ok) {
    mt_request_clear(request);
    *request = read;
  } else {
    mt_request_clear(&read);
  }
  return ok;
}

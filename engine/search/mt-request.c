/* mt-request.c — what a search can be asked for: one row for each setting.
 *
 * Defaults, ranges, names, equality and hash go through the rows, and so do the command line,
 * the settings, the popover and the metadata of the programs above.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
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

/* ---- Rows ---------------------------------------------------------------------------------- */

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

/* ---- Defaults and ranges ------------------------------------------------------------------- */

mt_search_params
mt_search_params_default(const mt_model *model)
{
  mt_search_params params = {.beam_size = 1,
                             .n_best = 1,
                             .max_length = 512,
                             .length_penalty = 1,
                             .repetition_penalty = 1,
                             .language = -1};
  if (model) {
    const mt_config *config = mt_model_config(model);
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
  return params;
}

void
mt_search_list_choices(const mt_search_field *field, char *list, size_t size)
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
  mt_search_list_choices(field, list, sizeof list);
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

/* ---- Requests ------------------------------------------------------------------------------- */

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
mt_request_set_changes(mt_request *request, const mt_changes *changes)
{
  mt_changes *before = request->changes;
  /* Reference counts apart, no list is changed. */
  request->changes = mt_changes_count(changes) > 0 ? mt_changes_ref((mt_changes *) changes) : NULL;
  mt_changes_unref(before);
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

mt_request
mt_request_copy(const mt_request *request)
{
  mt_request copy = *request;
  mt_changes_ref(copy.changes);
  mt_constraints_ref(copy.constraints);
  return copy;
}

void
mt_request_clear(mt_request *request)
{
  mt_changes_unref(request->changes);
  mt_constraints_unref(request->constraints);
  *request = (mt_request){0};
}

bool
mt_request_equal(const mt_request *a, const mt_request *b)
{
  if (a->set != b->set || strcmp(a->language, b->language) != 0 ||
      !mt_changes_equal(a->changes, b->changes) ||
      !mt_constraints_equal(a->constraints, b->constraints))
    return false;
  double x, y;
  for (size_t i = 0; i < N_FIELDS; i++)
    if (mt_request_get(a, i, &x) && mt_request_get(b, i, &y) && x != y)
      return false;
  return true;
}

uint64_t
mt_request_hash(const mt_request *request)
{
  uint64_t hash = MT_HASH_BEGIN, changes = mt_changes_hash(request->changes),
           constraints = mt_constraints_hash(request->constraints);
  double value;
  hash = mt_hash_bytes(hash, &request->set, sizeof request->set);
  for (size_t i = 0; i < N_FIELDS; i++)
    if (mt_request_get(request, i, &value)) {
      value += 0.0; /* -0 equals 0 */
      hash = mt_hash_bytes(hash, &value, sizeof value);
    }
  hash = mt_hash_bytes(hash, &changes, sizeof changes);
  hash = mt_hash_bytes(hash, &constraints, sizeof constraints);
  return mt_hash_bytes(hash, request->language, strlen(request->language));
}

mt_request
mt_request_of_params(const mt_search_params *params, const mt_model *model)
{
  mt_search_params own = mt_search_params_default(model);
  mt_request request = {.params = *params};
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
  if (model && mt_model_config(model)->generation.max_new_tokens > 0)
    params->max_length += n_prefix;
  if (model && mt_model_config(model)->generation.min_new_tokens > 0)
    params->min_length += n_prefix;
}

mt_search_params
mt_request_resolve(const mt_request *request, const mt_model *model)
{
  mt_search_params params = mt_search_params_default(model);
  size_t positions = model ? mt_model_config(model)->max_positions : params.max_length;
  size_t beam_size = params.beam_size, language;
  double value;
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
  if (model && mt_model_find_language(model, request->language, &language))
    params.language = (int) language;
  params.constraints = request->constraints;
  return params;
}

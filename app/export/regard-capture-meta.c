/* regard-capture-meta.c — what one needs to know to make a capture again, as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-capture-meta.h"

#include "base/regard-engine-info.h"
#include "base/regard-json.h"
#include "models/regard-model-identity.h"

static json_object *
precision(mt_precision value)
{
  return json_object_new_string(mt_precision_name(value));
}

static json_object *
describe_setting(const mt_search_field *field, double value)
{
  switch (field->type) {
  case MT_SEARCH_WHOLE:
    return json_object_new_int64((int64_t) value);
  case MT_SEARCH_NUMBER:
    return regard_json_float((float) value);
  case MT_SEARCH_CHOICE:
    return json_object_new_string(field->choices[(size_t) value]);
  }
  g_assert_not_reached();
}

json_object *
regard_settings_json(const mt_search_params *params)
{
  json_object *object = json_object_new_object();
  for (size_t i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    if (field->decides)
      json_object_object_add(object, field->key,
                             describe_setting(field, mt_search_params_get(params, i)));
  }
  return object;
}

json_object *
regard_interventions_json(const mt_interventions *interventions)
{
  json_object *list = json_object_new_array();
  g_auto(GStrv) lines = g_strsplit(mt_interventions_text(interventions), "\n", -1);
  for (char **line = lines; *line; line++)
    json_object_array_add(list, json_object_new_string(*line));
  return list;
}

/* Ids, and as what the vocabulary has them. */
static void
add_ids(json_object *object, const char *name, const char *pieces_name, const mt_model *model,
        const int32_t *ids, size_t n)
{
  json_object *numbers = json_object_new_array(), *pieces = json_object_new_array();
  for (size_t i = 0; i < n; i++) {
    const char *piece = mt_model_piece(model, MT_STACK_DECODER, ids[i]);
    json_object_array_add(numbers, json_object_new_int(ids[i]));
    json_object_array_add(pieces, piece ? json_object_new_string(piece) : NULL);
  }
  regard_json_add(object, {name, numbers}, {pieces_name, pieces});
}

json_object *
regard_constraints_json(const mt_model *model, const mt_constraints *constraints)
{
  if (mt_constraints_is_empty(constraints))
    return NULL;
  size_t n_prefix, n;
  const int32_t *prefix = mt_constraints_prefix(constraints, &n_prefix);
  const mt_forbidden *forbidden = mt_constraints_forbidden(constraints, &n);
  json_object *object = json_object_new_object(), *list = json_object_new_array();
  add_ids(object, "prefix", "prefix_pieces", model, prefix, n_prefix);
  for (size_t i = 0; i < n; i++) {
    const gboolean everywhere = forbidden[i].step == MT_EVERY_STEP;
    json_object *item = json_object_new_object();
    json_object_object_add(item, "step",
                           everywhere ? NULL
                                      : json_object_new_int64((int64_t) forbidden[i].step + 1));
    add_ids(item, "ids", "pieces", model, forbidden[i].ids, forbidden[i].n);
    json_object_array_add(list, item);
  }
  json_object_object_add(object, "forbidden", list);
  const mt_term *terms = mt_constraints_terms(constraints, &n);
  json_object *term_list = json_object_new_array();
  for (size_t i = 0; i < n; i++) {
    json_object *item = json_object_new_object();
    add_ids(item, "ids", "pieces", model, terms[i].ids, terms[i].n);
    json_object_array_add(term_list, item);
  }
  json_object_object_add(object, "terms", term_list);
  return object;
}

const char *
regard_capture_language(const mt_model *model, const mt_translation *translation, mt_stack side)
{
  size_t i;
  if (!mt_translation_language(translation, model, side, &i))
    return NULL;
  return side == MT_STACK_ENCODER ? mt_model_source_language(model, i)
                                  : mt_model_language(model, i);
}

static json_object *
language(const mt_model *model, const mt_translation *translation, mt_stack side)
{
  const char *code = regard_capture_language(model, translation, side);
  return code ? json_object_new_string(code) : NULL;
}

void
regard_capture_add_task(json_object *object, const mt_model *model,
                        const mt_translation *translation)
{
  const char *task = mt_translation_task(translation);
  if (mt_model_n_tasks(model) > 0 || mt_model_takes_prefix(model))
    regard_json_add(object, {"task", *task ? json_object_new_string(task) : NULL},
                    {"task_prefix",
                     json_object_new_string(mt_translation_task_prefix(translation))});
}

json_object *
regard_capture_unknown(const mt_tokens *tokens)
{
  json_object *array = json_object_new_array();
  g_auto(GStrv) parts = g_strsplit(mt_tokens_unknown(tokens), " ", -1);
  for (gsize i = 0; parts[i]; i++)
    json_object_array_add(array, json_object_new_string(parts[i]));
  return array;
}

static json_object *
hash_files(const mt_model *model)
{
  g_autoptr(RegardModelIdentity) identity = regard_model_identity_new(model, NULL);
  json_object *hashes = json_object_new_object();
  for (guint i = 0; i < identity->files->len; i++) {
    const RegardModelFile *file = &g_array_index(identity->files, RegardModelFile, i);
    json_object_object_add(hashes, file->name, json_object_new_string(file->sha256));
  }
  return hashes;
}

char *
regard_capture_meta(const char *program, const mt_model *model, const mt_translation *translation,
                    size_t index, const mt_search_params *params, mt_precision attention,
                    const mt_interventions *interventions)
{
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, index);
  const char *text = mt_tokens_text(mt_translation_source(translation));
  json_object *object =
      regard_json_object({"program", json_object_new_string(program)},
                         {"engine", regard_engine_info_json()},
                         {"model", json_object_new_string(mt_model_name(model))},
                         {"sha256", hash_files(model)}, {"text", json_object_new_string(text)},
                         {"unknown", regard_capture_unknown(mt_translation_source(translation))},
                         {"source_language", language(model, translation, MT_STACK_ENCODER)},
                         {"language", language(model, translation, MT_STACK_DECODER)});
  regard_capture_add_task(object, model, translation);
  regard_json_add(object, {"translation", json_object_new_string(hypothesis->text)},
                  {"alternative", json_object_new_int64((int64_t) index + 1)},
                  {"score", regard_json_float(hypothesis->score)},
                  {"forced", json_object_new_int64((int64_t) hypothesis->n_forced)},
                  {"precision", precision(mt_translation_precision(translation))},
                  {"attention_precision", precision(attention)},
                  {"changes", regard_interventions_json(interventions)});
  const mt_request *search = mt_translation_search(translation);
  regard_json_add(object,
                  {"constraints",
                   search ? regard_constraints_json(model, search->constraints) : NULL},
                  {"teacher_forced", json_object_new_boolean(params == NULL)});
  /* A given translation was not searched for, so no settings led to it. */
  json_object_object_add(object, "settings", params ? regard_settings_json(params) : NULL);
  char *json = g_strdup(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                   JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(object);
  return json;
}

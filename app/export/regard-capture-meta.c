/* regard-capture-meta.c — what one needs to know to make a capture again, as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-capture-meta.h"

#include "base/regard-engine-info.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* SHA-256 in hexadecimal; NULL if the file cannot be read. */
static char *
hash_file(const char *path)
{
  FILE *stream = fopen(path, "re");
  if (!stream)
    return NULL;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree guchar *buffer = g_malloc(65536);
  size_t n;
  while ((n = fread(buffer, 1, 65536, stream)) > 0)
    g_checksum_update(checksum, buffer, (gssize) n);
  gboolean is_whole = !ferror(stream);
  fclose(stream);
  return is_whole ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}

static void
add_hash(json_object *hashes, const mt_model *model, const char *name)
{
  if (json_object_object_get_ex(hashes, name, NULL))
    return;
  g_autofree char *path = g_build_filename(mt_model_directory(model), name, NULL);
  g_autofree char *hash = hash_file(path);
  if (hash)
    json_object_object_add(hashes, name, json_object_new_string(hash));
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The model's own files are not named alike, so all of these kinds that lie there. */
static void
hash_marian(json_object *hashes, const mt_model *model)
{
  g_autoptr(GDir) folder = g_dir_open(mt_model_directory(model), 0, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  while (folder && (name = g_dir_read_name(folder)))
    if (g_str_has_suffix(name, ".yml") || g_str_has_suffix(name, ".spm"))
      g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++)
    add_hash(hashes, model, g_ptr_array_index(names, i));
}

/* The files that decide what comes out: weights, configuration, vocabularies, tokenizers. An
 * archive is one file that decides it all. */
static json_object *
hash_model(const mt_model *model)
{
  static const char *const others[] = {"config.json", "generation_config.json",
                                       "vocab.json",  "target_vocab.json",
                                       "source.spm",  "target.spm"};
  json_object *hashes = json_object_new_object();
  if (!g_file_test(mt_model_directory(model), G_FILE_TEST_IS_DIR)) {
    g_autofree char *name = g_path_get_basename(mt_model_directory(model));
    g_autofree char *hash = hash_file(mt_model_directory(model));
    g_autofree char *shown = g_utf8_make_valid(name, -1);
    if (hash)
      json_object_object_add(hashes, shown, json_object_new_string(hash));
    return hashes;
  }
  for (size_t i = 0; i < mt_model_n_tensors(model); i++)
    add_hash(hashes, model, mt_model_tensor(model, i)->file);
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
    add_hash(hashes, model, others[i]);
  if (g_str_has_prefix(mt_model_format(model), "Marian"))
    hash_marian(hashes, model);
  return hashes;
}

/* Floats with as many digits as it takes to read the same float back. */
static json_object *
number(float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isfinite(value))
    return NULL;
  g_ascii_formatd(text, sizeof text, "%.9g", (double) value);
  return json_object_new_double_s((double) value, text);
}

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
    return number((float) value);
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
regard_changes_json(const mt_changes *changes)
{
  json_object *list = json_object_new_array();
  g_auto(GStrv) lines = g_strsplit(mt_changes_text(changes), "\n", -1);
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
  json_object_object_add(object, name, numbers);
  json_object_object_add(object, pieces_name, pieces);
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
  return object;
}

const char *
regard_capture_language(const mt_model *model, const mt_translation *translation)
{
  const mt_tokens *source = mt_translation_source(translation);
  const mt_token *first = mt_tokens_count(source) ? mt_tokens_get(source, 0) : NULL;
  size_t i;
  return first && first->is_special && mt_model_find_language(model, first->piece, &i)
             ? mt_model_language(model, i)
             : NULL;
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

char *
regard_capture_meta(const char *program, const mt_model *model, const mt_translation *translation,
                    size_t index, const mt_search_params *params, mt_precision attention,
                    const mt_changes *changes)
{
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, index);
  const char *text = mt_tokens_text(mt_translation_source(translation));
  const char *language = regard_capture_language(model, translation);
  json_object *object = json_object_new_object();
  json_object_object_add(object, "program", json_object_new_string(program));
  json_object_object_add(object, "engine", regard_engine_info_json());
  json_object_object_add(object, "model", json_object_new_string(mt_model_name(model)));
  json_object_object_add(object, "sha256", hash_model(model));
  json_object_object_add(object, "text", json_object_new_string(text));
  json_object_object_add(object, "unknown",
                         regard_capture_unknown(mt_translation_source(translation)));
  json_object_object_add(object, "language", language ? json_object_new_string(language) : NULL);
  json_object_object_add(object, "translation", json_object_new_string(hypothesis->text));
  json_object_object_add(object, "alternative", json_object_new_int64((int64_t) index + 1));
  json_object_object_add(object, "score", number(hypothesis->score));
  json_object_object_add(object, "forced", json_object_new_int64((int64_t) hypothesis->n_forced));
  json_object_object_add(object, "precision", precision(mt_translation_precision(translation)));
  json_object_object_add(object, "attention_precision", precision(attention));
  json_object_object_add(object, "changes", regard_changes_json(changes));
  const mt_request *search = mt_translation_search(translation);
  json_object_object_add(object, "constraints",
                         search ? regard_constraints_json(model, search->constraints) : NULL);
  json_object_object_add(object, "teacher_forced", json_object_new_boolean(params == NULL));
  /* A given translation was not searched for, so no settings led to it. */
  json_object_object_add(object, "settings", params ? regard_settings_json(params) : NULL);
  char *json = g_strdup(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                   JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(object);
  return json;
}

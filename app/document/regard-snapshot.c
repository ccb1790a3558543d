/* regard-snapshot.c — a state, counted, and as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of a text is checked before a state of it is handed out. The result is not written: it
 * follows from the rest.
 */
#include "document/regard-snapshot.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include "figures/regard-naming.h"
#include <glib/gi18n.h>
#include <json.h>
#include <string.h>

/* ---- Counted ------------------------------------------------------------------------------- */

G_DEFINE_BOXED_TYPE(RegardSnapshot, regard_snapshot, regard_snapshot_ref, regard_snapshot_unref)

RegardSnapshot *
regard_snapshot_new(void)
{
  RegardSnapshot *state = g_new0(RegardSnapshot, 1);
  g_atomic_ref_count_init(&state->ref_count);
  state->checkpoint = -1;
  state->copies_unknown = -1;
  return state;
}

RegardSnapshot *
regard_snapshot_copy(const RegardSnapshot *state)
{
  RegardSnapshot *copy = regard_snapshot_new();
  copy->text = g_strdup(state->text);
  copy->caret = state->caret;
  copy->model = g_strdup(state->model);
  copy->title = g_strdup(state->title);
  copy->checkpoint = state->checkpoint;
  copy->search = mt_request_copy(&state->search);
  copy->copies_unknown = state->copies_unknown;
  copy->precision = state->precision;
  copy->alternative = state->alternative;
  copy->place = state->place;
  copy->given = state->given ? g_hash_table_ref(state->given) : NULL;
  copy->constraints = state->constraints ? g_hash_table_ref(state->constraints) : NULL;
  return copy;
}

static gpointer
find(GHashTable *sentences, const char *sentence)
{
  return sentences && sentence ? g_hash_table_lookup(sentences, sentence) : NULL;
}

const char *
regard_snapshot_get_given(const RegardSnapshot *state, const char *sentence)
{
  return find(state->given, sentence);
}

const mt_constraints *
regard_snapshot_get_constraints(const RegardSnapshot *state, const char *sentence)
{
  return find(state->constraints, sentence);
}

RegardSnapshot *
regard_snapshot_ref(RegardSnapshot *state)
{
  g_atomic_ref_count_inc(&state->ref_count);
  return state;
}

void
regard_snapshot_unref(RegardSnapshot *state)
{
  if (!g_atomic_ref_count_dec(&state->ref_count))
    return;
  g_free(state->text);
  g_free(state->model);
  g_free(state->title);
  mt_request_clear(&state->search);
  g_clear_pointer(&state->given, g_hash_table_unref);
  g_clear_pointer(&state->constraints, g_hash_table_unref);
  g_clear_pointer(&state->result, regard_result_unref);
  g_free(state);
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void
add_string(json_object *object, const char *key, const char *value)
{
  /* Paths may be any bytes; JSON is UTF-8. */
  g_autofree char *valid = value ? g_utf8_make_valid(value, -1) : NULL;
  json_object_object_add(object, key, valid ? json_object_new_string(valid) : NULL);
}

static void
add_number(json_object *object, const char *key, guint64 value)
{
  json_object_object_add(object, key, json_object_new_int64((gint64) value));
}

static json_object *
write_request(const RegardSnapshot *state)
{
  json_object *request = json_object_new_object();
  mt_error failure = {0};
  char *search = mt_request_to_json(&state->search, &failure);
  /* Without memory for a line of text there is none for what follows either. */
  if (!search)
    g_error("%s", failure.message);
  json_object_object_add(request, "search", json_tokener_parse(search));
  mt_string_free(search);
  add_string(request, "precision", mt_precision_name(state->precision));
  add_number(request, "alternative", state->alternative);
  if (state->copies_unknown >= 0)
    json_object_object_add(request, "copy_unknown", json_object_new_boolean(state->copies_unknown));
  return request;
}

static json_object *
write_translations(const RegardSnapshot *state)
{
  json_object *all = json_object_new_object();
  if (!state->given)
    return all;
  g_autoptr(GList) sentences = g_hash_table_get_keys(state->given);
  sentences = g_list_sort(sentences, (GCompareFunc) strcmp);
  for (const GList *l = sentences; l; l = l->next)
    add_string(all, l->data, g_hash_table_lookup(state->given, l->data));
  return all;
}

static json_object *
write_constraints(const RegardSnapshot *state)
{
  json_object *all = json_object_new_object();
  if (!state->constraints)
    return all;
  g_autoptr(GList) sentences = g_hash_table_get_keys(state->constraints);
  sentences = g_list_sort(sentences, (GCompareFunc) strcmp);
  for (const GList *l = sentences; l; l = l->next) {
    const mt_request request = {.constraints = g_hash_table_lookup(state->constraints, l->data)};
    mt_error failure = {0};
    char *json = mt_request_to_json(&request, &failure);
    if (!json) /* as above */
      g_error("%s", failure.message);
    json_object_object_add(all, l->data, json_tokener_parse(json));
    mt_string_free(json);
  }
  return all;
}

static json_object *
write_model(const RegardSnapshot *state)
{
  if (!state->model)
    return NULL;
  json_object *model = json_object_new_object();
  add_string(model, "path", state->model);
  add_string(model, "title", state->title);
  if (state->checkpoint >= 0)
    add_number(model, "checkpoint", (guint64) state->checkpoint);
  return model;
}

void
regard_snapshot_write(const RegardSnapshot *state, json_object *object)
{
  json_object *place = json_object_new_object();
  add_string(object, "text", state->text);
  add_number(object, "caret", state->caret);
  regard_json_add(object, {"model", write_model(state)}, {"request", write_request(state)});
  add_string(place, "kind", regard_kind_id(state->place.kind));
  add_number(place, "layer", state->place.layer + 1);
  add_number(place, "head", state->place.head + 1);
  regard_json_add(object, {"place", place}, {"translations", write_translations(state)});
  if (state->constraints)
    json_object_object_add(object, "constraints", write_constraints(state));
}

char *
regard_snapshot_dup_content(const RegardSnapshot *state, const RegardSnapshot *reference)
{
  g_autoptr(RegardSnapshot) content = regard_snapshot_copy(state);
  content->caret = 0;
  content->alternative = 0;
  content->place = (RegardHeadRef){0};
  json_object *object = json_object_new_object();
  regard_snapshot_write(content, object);
  if (reference) {
    json_object *beside = json_object_new_object();
    regard_snapshot_write(reference, beside);
    json_object_object_add(object, "reference", beside);
  }
  char *text = g_strdup(json_object_to_json_string(object));
  json_object_put(object);
  return text;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static gboolean
read_request(json_object *request, RegardSnapshot *state, GError **error)
{
  const char *precision;
  json_object *search;
  mt_error failure = {0};
  gint64 alternative;
  if (!regard_json_get_whole(request, "alternative", 0, G_MAXUINT16, &alternative, error) ||
      !regard_json_get_string(request, "precision", FALSE, &precision, error) ||
      !regard_json_get_object(request, "search", &search, error))
    return FALSE;
  if (!mt_precision_find(precision, &state->precision))
    return regard_json_refuse(error, "precision", _("the name of a precision"));
  state->alternative = (guint) alternative;
  /* Sessions of before do not say. */
  if (json_object_object_get_ex(request, "copy_unknown", NULL) &&
      !regard_json_get_boolean(request, "copy_unknown", &state->copies_unknown, error))
    return FALSE;
  const char *text = json_object_to_json_string(search);
  if (!mt_request_from_json(&state->search, "search", text, strlen(text), &failure)) {
    regard_error_set_from_mt(error, &failure);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_place(json_object *place, RegardSnapshot *state, GError **error)
{
  const char *kind;
  gint64 layer, head;
  if (!regard_json_get_string(place, "kind", FALSE, &kind, error) ||
      !regard_json_get_whole(place, "layer", 1, G_MAXUINT16, &layer, error) ||
      !regard_json_get_whole(place, "head", 1, G_MAXUINT16, &head, error))
    return FALSE;
  for (guint i = 0; i < MT_N_KINDS; i++)
    if (g_str_equal(kind, regard_kind_ids[i])) {
      state->place = (RegardHeadRef){(mt_attention_kind) i, (guint) layer - 1, (guint) head - 1};
      return TRUE;
    }
  return regard_json_refuse(error, "kind", _("encoder, decoder or cross"));
}

/* Sentences, and what a person made of them. */
static gboolean
read_translations(json_object *root, RegardSnapshot *state, GError **error)
{
  json_object *all = NULL;
  if (!regard_json_get_object(root, "translations", &all, error))
    return FALSE;
  if (json_object_object_length(all))
    state->given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  json_object_object_foreach(all, sentence, value)
  {
    const char *translation;
    if (!json_object_is_type(value, json_type_string) || !g_utf8_validate(sentence, -1, NULL) ||
        !regard_json_get_string(all, sentence, FALSE, &translation, NULL) || !*translation)
      return regard_json_refuse(error, "translations", _("sentences, each with its translation"));
    g_hash_table_insert(state->given, g_strdup(sentence), g_strdup(translation));
  }
  return TRUE;
}

static void
unref_constraints(gpointer constraints)
{
  mt_constraints_unref(constraints);
}

/* Sentences, and what their translations begin with and must not have; a state may be older. */
static gboolean
read_constraints(json_object *root, RegardSnapshot *state, GError **error)
{
  json_object *all = NULL;
  if (!json_object_object_get_ex(root, "constraints", &all))
    return TRUE;
  if (!regard_json_get_object(root, "constraints", &all, error))
    return FALSE;
  state->constraints = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_constraints);
  json_object_object_foreach(all, sentence, value)
  {
    const char *text = json_object_to_json_string(value);
    mt_request request = {0};
    mt_error failure = {0};
    if (!g_utf8_validate(sentence, -1, NULL))
      return regard_json_refuse(error, "constraints", _("sentences, each with its constraints"));
    if (!mt_request_from_json(&request, "constraints", text, strlen(text), &failure)) {
      regard_error_set_from_mt(error, &failure);
      return FALSE;
    }
    if (request.constraints)
      g_hash_table_insert(state->constraints, g_strdup(sentence),
                          mt_constraints_ref(request.constraints));
    mt_request_clear(&request);
  }
  return TRUE;
}

static gboolean
read_model(json_object *root, RegardSnapshot *state, GError **error)
{
  json_object *model = NULL;
  const char *title, *path;
  if (json_object_object_get_ex(root, "model", &model) && !model)
    return TRUE;
  if (!regard_json_get_object(root, "model", &model, error) ||
      !regard_json_get_string(model, "path", FALSE, &path, error) ||
      !regard_json_get_string(model, "title", FALSE, &title, error))
    return FALSE;
  state->model = g_strdup(path);
  state->title = g_strdup(title);
  if (!json_object_object_get_ex(model, "checkpoint", NULL))
    return TRUE;
  if (!regard_json_get_whole(model, "checkpoint", 0, G_MAXINT64, &state->checkpoint, error))
    return FALSE;
  /* The path says which one is opened, and the two must agree. */
  g_autofree char *name = g_path_get_basename(path);
  guint64 named;
  return (g_str_has_prefix(name, "step-") &&
          g_ascii_string_to_unsigned(name + 5, 10, 0, G_MAXINT64, &named, NULL) &&
          named == (guint64) state->checkpoint) ||
         regard_json_refuse(error, "checkpoint", _("the step in the name of the model's folder"));
}

static gboolean
read_text(json_object *object, RegardSnapshot *state, GError **error)
{
  const char *text;
  gint64 caret;
  if (!regard_json_get_string(object, "text", FALSE, &text, error) ||
      !regard_json_get_whole(object, "caret", 0, (gint64) strlen(text), &caret, error))
    return FALSE;
  state->text = g_strdup(text);
  state->caret = (gsize) caret;
  return TRUE;
}

RegardSnapshot *
regard_snapshot_read(json_object *object, GError **error)
{
  g_autoptr(RegardSnapshot) state = regard_snapshot_new();
  json_object *request = NULL, *place = NULL;
  gboolean is_good = read_text(object, state, error) && read_model(object, state, error) &&
                     regard_json_get_object(object, "request", &request, error) &&
                     read_request(request, state, error) &&
                     regard_json_get_object(object, "place", &place, error) &&
                     read_place(place, state, error) && read_translations(object, state, error) &&
                     read_constraints(object, state, error);
  return is_good ? g_steal_pointer(&state) : NULL;
}

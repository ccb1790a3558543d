/* regard-document-json.c — the document as JSON, and back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything is checked before anything is taken on. What is not written is what follows from it:
 * results are translated anew, the training is found beside its checkpoint.
 */
#include "document/regard-document-private.h"

#include "base/regard-error.h"
#include "models/regard-training-steps.h"
#include <glib/gi18n.h>
#include <json.h>
#include <math.h>
#include <string.h>

#define FORMAT  "regard-document"
#define VERSION 1

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
write_request(RegardDocument *self)
{
  const RegardResultSentence *active = self->result ? regard_result_active(self->result) : NULL;
  json_object *request = json_object_new_object();
  mt_error failure = {0};
  char *search = mt_request_to_json(&self->search, &failure);
  /* Without memory for a line of text there is none for what follows either. */
  if (!search)
    g_error("%s", failure.message);
  json_object_object_add(request, "search", json_tokener_parse(search));
  mt_string_free(search);
  add_string(request, "precision", mt_precision_name(self->precision));
  add_number(request, "alternative", active ? active->chosen : 0);
  return request;
}

static json_object *
write_translations(RegardDocument *self)
{
  json_object *all = json_object_new_object();
  if (!self->given)
    return all;
  g_autoptr(GList) sentences = g_hash_table_get_keys(self->given);
  sentences = g_list_sort(sentences, (GCompareFunc) strcmp);
  for (const GList *l = sentences; l; l = l->next)
    add_string(all, l->data, g_hash_table_lookup(self->given, l->data));
  return all;
}

static json_object *
write_model(RegardDocument *self)
{
  if (!self->model)
    return NULL;
  json_object *model = json_object_new_object();
  add_string(model, "path", self->model_dir);
  add_string(model, "title", self->model_title);
  guint at;
  if (regard_training_steps_find(self->training, self->model_dir, &at))
    add_number(model, "checkpoint", g_array_index(self->training, RegardTrainingStep, at).step);
  return model;
}

char *
regard_document_to_json(RegardDocument *self)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), NULL);
  /* While a file is shown the place of the text is the one to come back to. */
  RegardPlace at = self->foreign ? self->kept_place : self->place;
  json_object *root = json_object_new_object(), *place = json_object_new_object();
  add_string(root, "format", FORMAT);
  add_number(root, "version", VERSION);
  add_string(root, "text", self->text);
  add_number(root, "caret", self->caret);
  json_object_object_add(root, "model", write_model(self));
  json_object_object_add(root, "request", write_request(self));
  add_string(place, "kind", regard_kind_id(at.kind));
  add_number(place, "layer", at.layer + 1);
  add_number(place, "head", at.head + 1);
  json_object_object_add(root, "place", place);
  json_object_object_add(root, "translations", write_translations(self));
  add_string(root, "capture", self->foreign_path);
  char *text = g_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_SPACED |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(root);
  return text;
}

/* ---- Reading ------------------------------------------------------------------------------- */

typedef struct {
  const char *text, *dir, *capture; /* of the tree */
  gint64 caret, alternative;
  mt_request search;
  mt_precision precision;
  RegardPlace place;
  GHashTable *given; /* NULL: none */
} State;

static gboolean
refuse(GError **error, const char *key, const char *expected)
{
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("“%s”: expected %s."), key, expected);
  return FALSE;
}

/* NULL where there is nothing, or another type; has_null: null is NULL without an error. */
static gboolean
get_string(json_object *object, const char *key, gboolean has_null, const char **value,
           GError **error)
{
  json_object *found = NULL;
  gboolean is_there = json_object_object_get_ex(object, key, &found);
  *value = NULL;
  if (is_there && !found && has_null)
    return TRUE;
  if (!json_object_is_type(found, json_type_string))
    return refuse(error, key, _("a string"));
  *value = json_object_get_string(found);
  if (strlen(*value) != (gsize) json_object_get_string_len(found) ||
      !g_utf8_validate(*value, -1, NULL))
    return refuse(error, key, _("UTF-8 without zero bytes"));
  return TRUE;
}

static gboolean
get_number(json_object *object, const char *key, gint64 least, gint64 most, gint64 *value,
           GError **error)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  if (json_object_is_type(found, json_type_int)) {
    *value = json_object_get_int64(found);
    if (*value >= least && *value <= most)
      return TRUE;
  }
  g_autofree char *range =
      g_strdup_printf(_("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT), least,
                      most);
  return refuse(error, key, range);
}

static gboolean
get_object(json_object *root, const char *key, json_object **value, GError **error)
{
  json_object_object_get_ex(root, key, value);
  return json_object_is_type(*value, json_type_object) || refuse(error, key, _("an object"));
}

static gboolean
read_request(json_object *request, State *state, GError **error)
{
  const char *precision;
  json_object *search;
  mt_error failure = {0};
  if (!get_number(request, "alternative", 0, G_MAXUINT16, &state->alternative, error) ||
      !get_string(request, "precision", FALSE, &precision, error) ||
      !get_object(request, "search", &search, error))
    return FALSE;
  if (!mt_precision_find(precision, &state->precision))
    return refuse(error, "precision", _("the name of a precision"));
  const char *text = json_object_to_json_string(search);
  if (!mt_request_from_json(&state->search, "search", text, strlen(text), &failure)) {
    regard_error_set_from_mt(error, &failure);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_place(json_object *place, State *state, GError **error)
{
  const char *kind;
  gint64 layer, head;
  if (!get_string(place, "kind", FALSE, &kind, error) ||
      !get_number(place, "layer", 1, G_MAXUINT16, &layer, error) ||
      !get_number(place, "head", 1, G_MAXUINT16, &head, error))
    return FALSE;
  for (guint i = 0; i < MT_N_KINDS; i++)
    if (g_str_equal(kind, regard_kind_ids[i])) {
      state->place = (RegardPlace){(mt_attention_kind) i, (guint) layer - 1, (guint) head - 1};
      return TRUE;
    }
  return refuse(error, "kind", _("encoder, decoder or cross"));
}

/* Sentences, and what a person made of them. */
static gboolean
read_translations(json_object *root, State *state, GError **error)
{
  json_object *all = NULL;
  if (!get_object(root, "translations", &all, error))
    return FALSE;
  if (json_object_object_length(all))
    state->given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  json_object_object_foreach(all, sentence, value)
  {
    const char *translation;
    if (!json_object_is_type(value, json_type_string) || !g_utf8_validate(sentence, -1, NULL) ||
        !get_string(all, sentence, FALSE, &translation, NULL) || !*translation)
      return refuse(error, "translations", _("sentences, each with its translation"));
    g_hash_table_insert(state->given, g_strdup(sentence), g_strdup(translation));
  }
  return TRUE;
}

static gboolean
read_model(json_object *root, State *state, GError **error)
{
  json_object *model = NULL;
  const char *title;
  state->dir = NULL;
  if (json_object_object_get_ex(root, "model", &model) && !model)
    return TRUE;
  if (!get_object(root, "model", &model, error) ||
      !get_string(model, "path", FALSE, &state->dir, error) ||
      !get_string(model, "title", FALSE, &title, error))
    return FALSE;
  gint64 step;
  if (!json_object_object_get_ex(model, "checkpoint", NULL))
    return TRUE;
  if (!get_number(model, "checkpoint", 0, G_MAXINT64, &step, error))
    return FALSE;
  /* The path says which one is opened, and the two must agree. */
  g_autofree char *name = g_path_get_basename(state->dir);
  guint64 named;
  return (g_str_has_prefix(name, "step-") &&
          g_ascii_string_to_unsigned(name + 5, 10, 0, G_MAXINT64, &named, NULL) &&
          named == (guint64) step) ||
         refuse(error, "checkpoint", _("the step in the name of the model's folder"));
}

static gboolean
read_state(json_object *root, State *state, GError **error)
{
  const char *format;
  gint64 version;
  json_object *request = NULL, *place = NULL;
  if (!json_object_is_type(root, json_type_object))
    return refuse(error, "format", "\"" FORMAT "\"");
  if (!get_string(root, "format", FALSE, &format, error))
    return FALSE;
  if (!g_str_equal(format, FORMAT))
    return refuse(error, "format", "\"" FORMAT "\"");
  return get_number(root, "version", VERSION, VERSION, &version, error) &&
         get_string(root, "text", FALSE, &state->text, error) &&
         get_number(root, "caret", 0, (gint64) strlen(state->text), &state->caret, error) &&
         read_model(root, state, error) && get_object(root, "request", &request, error) &&
         read_request(request, state, error) && get_object(root, "place", &place, error) &&
         read_place(place, state, error) && read_translations(root, state, error) &&
         get_string(root, "capture", TRUE, &state->capture, error);
}

static void
take_on(RegardDocument *self, const State *state)
{
  regard_document_close_capture(self);
  regard_document_take_text(self, state->text, (gsize) state->caret);
  regard_document_set_place(self, state->place);
  regard_document_set_search(self, &state->search);
  regard_document_set_language(self, state->search.language);
  regard_document_set_changes(self, state->search.changes);
  regard_document_set_given(self, state->given);
  if (g_strcmp0(state->dir, self->model_dir) == 0)
    regard_document_set_precision(self, state->precision);
  else {
    self->precision = state->precision;
    regard_document_notify(self, REGARD_DOCUMENT_PRECISION);
    if (state->dir)
      regard_document_open_model(self, state->dir);
  }
  if (regard_document_is_opening(self))
    self->later_alternative = (int) state->alternative;
  else
    self->next_alternative = (int) state->alternative;
  regard_document_forget_history(self);
  if (state->capture)
    regard_document_open_capture(self, state->capture);
}

gboolean
regard_document_from_json(RegardDocument *self, const char *json, GError **error)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self) && json && self->translator, FALSE);
  json_tokener *tokener = json_tokener_new();
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
  json_object *root = json_tokener_parse_ex(tokener, json, (int) strlen(json) + 1);
  enum json_tokener_error failure = json_tokener_get_error(tokener);
  gboolean is_whole = failure == json_tokener_success;
  State state = {0};
  if (!is_whole)
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("Expected JSON, found: %s."),
                json_tokener_error_desc(failure));
  gboolean is_good = is_whole && read_state(root, &state, error);
  if (is_good)
    take_on(self, &state);
  mt_request_clear(&state.search);
  g_clear_pointer(&state.given, g_hash_table_unref);
  json_object_put(root);
  json_tokener_free(tokener);
  return is_good;
}

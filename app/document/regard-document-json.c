/* regard-document-json.c — the document as JSON, and out of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The whole text is checked before anything is taken on. What is not written is what follows from
 * it: results are translated anew, the training is found beside its checkpoint.
 */
#include "document/regard-document-private.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include <glib/gi18n.h>
#include <json.h>
#include <string.h>

#define FORMAT  "regard-document"
#define VERSION 1

char *
regard_document_to_json(RegardDocument *self)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), NULL);
  g_autoptr(RegardState) state = regard_document_take_state(self);
  json_object *root = json_object_new_object(), *reference = NULL;
  json_object_object_add(root, "format", json_object_new_string(FORMAT));
  json_object_object_add(root, "version", json_object_new_int(VERSION));
  regard_state_write(state, root);
  /* Paths may be any bytes; JSON is UTF-8. */
  g_autofree char *capture = self->foreign_path ? g_utf8_make_valid(self->foreign_path, -1) : NULL;
  json_object_object_add(root, "capture", capture ? json_object_new_string(capture) : NULL);
  if (self->reference) {
    reference = json_object_new_object();
    regard_state_write(self->reference, reference);
  }
  json_object_object_add(root, "reference", reference);
  char *text = g_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_SPACED |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(root);
  return text;
}

static gboolean
refuse(GError **error, const char *key, const char *expected)
{
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("“%s”: expected %s."), key, expected);
  return FALSE;
}

/* What a saved document is made of. */
typedef struct {
  RegardState *state, *reference; /* reference NULL: none */
  char *capture;                  /* NULL: none */
} Saved;

static void
saved_clear(Saved *saved)
{
  g_clear_pointer(&saved->state, regard_state_unref);
  g_clear_pointer(&saved->reference, regard_state_unref);
  g_free(saved->capture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Saved, saved_clear)

/* Only what this program wrote. */
static gboolean
check_format(json_object *root, GError **error)
{
  json_object *format = NULL, *version = NULL;
  if (!json_object_is_type(root, json_type_object) ||
      !json_object_object_get_ex(root, "format", &format) ||
      !json_object_is_type(format, json_type_string) ||
      !g_str_equal(json_object_get_string(format), FORMAT))
    return refuse(error, "format", "\"" FORMAT "\"");
  json_object_object_get_ex(root, "version", &version);
  return (json_object_is_type(version, json_type_int) &&
          json_object_get_int64(version) == VERSION) ||
         refuse(error, "version", G_STRINGIFY(VERSION));
}

/* A path, or null. */
static gboolean
read_capture(json_object *root, Saved *saved, GError **error)
{
  json_object *capture = NULL;
  gboolean is_there = json_object_object_get_ex(root, "capture", &capture);
  if (is_there && !capture)
    return TRUE;
  const char *path =
      json_object_is_type(capture, json_type_string) ? json_object_get_string(capture) : NULL;
  if (!path || strlen(path) != (gsize) json_object_get_string_len(capture) ||
      !g_utf8_validate(path, -1, NULL))
    return refuse(error, "capture", _("a path in UTF-8, or null"));
  saved->capture = g_strdup(path);
  return TRUE;
}

/* A document may be older than references. */
static gboolean
read_reference(json_object *root, Saved *saved, GError **error)
{
  json_object *reference = NULL;
  if (!json_object_object_get_ex(root, "reference", &reference) || !reference)
    return TRUE;
  if (!json_object_is_type(reference, json_type_object))
    return refuse(error, "reference", _("an object, or null"));
  saved->reference = regard_state_read(reference, error);
  if (!saved->reference)
    g_prefix_error(error, "“reference”: ");
  return saved->reference != NULL;
}

void
regard_document_take_on(RegardDocument *self, const RegardState *state)
{
  regard_document_close_capture(self);
  regard_document_take_text(self, state->text, state->caret);
  regard_document_set_place(self, state->place);
  regard_document_set_search(self, &state->search);
  regard_document_set_language(self, state->search.language);
  regard_document_set_changes(self, state->search.changes);
  regard_document_set_given(self, state->given);
  regard_document_set_all_constraints(self, state->constraints, state->model);
  if (g_strcmp0(state->model, self->model_dir) == 0)
    regard_document_set_precision(self, state->precision);
  else {
    self->precision = state->precision;
    regard_document_notify(self, REGARD_DOCUMENT_PRECISION);
    if (state->model)
      regard_document_open_model(self, state->model);
  }
  if (regard_document_is_opening(self))
    self->later_alternative = (int) state->alternative;
  else
    self->next_alternative = (int) state->alternative;
}

gboolean
regard_document_from_json(RegardDocument *self, const char *json, GError **error)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self) && json && self->translator, FALSE);
  const char *reason;
  json_object *root =
      regard_json_parse(json, strlen(json), JSON_TOKENER_DEFAULT_DEPTH, &reason, NULL);
  g_auto(Saved) saved = {0};
  gboolean is_good = !reason;
  if (!is_good)
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("Expected JSON, found: %s."), reason);
  is_good = is_good && check_format(root, error) &&
            (saved.state = regard_state_read(root, error)) != NULL &&
            read_capture(root, &saved, error) && read_reference(root, &saved, error);
  if (is_good) {
    regard_document_take_on(self, saved.state);
    regard_document_set_reference(self, saved.reference);
    regard_document_forget_history(self);
    if (saved.capture)
      regard_document_open_capture(self, saved.capture);
  }
  json_object_put(root);
  return is_good;
}

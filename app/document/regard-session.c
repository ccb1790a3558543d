/* regard-session.c — a session, and its description as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-session-private.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include <glib/gi18n.h>
#include <json.h>
#include <string.h>

#define FORMAT  "regard-session"
#define VERSION 1
/* A look is at depth 4, constraints at 6. */
#define MOST_DEPTH 16

RegardSession *
regard_session_new(void)
{
  return g_atomic_rc_box_new0(RegardSession);
}

RegardSession *
regard_session_ref(RegardSession *session)
{
  return g_atomic_rc_box_acquire(session);
}

static void
clear(gpointer data)
{
  RegardSession *session = data;
  g_free(session->program);
  g_clear_pointer(&session->state, regard_state_unref);
  g_clear_pointer(&session->reference, regard_state_unref);
  g_clear_pointer(&session->model, regard_model_identity_free);
  g_clear_pointer(&session->other_model, regard_model_identity_free);
  regard_look_clear(&session->look);
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++)
    mt_capture_unref(session->captures[i]);
}

void
regard_session_unref(RegardSession *session)
{
  g_atomic_rc_box_release_full(session, clear);
}

mt_capture *
regard_session_take_shown(const RegardSession *session)
{
  mt_capture *const *all = session->captures;
  mt_capture *shown = all[REGARD_SESSION_CAPTURE];
  mt_error error = {0};
  if (all[REGARD_SESSION_FILE])
    shown = all[REGARD_SESSION_FILE];
  else if (session->look.compare == 1 && all[REGARD_SESSION_A])
    shown = all[REGARD_SESSION_A];
  else if (session->look.compare == 2 && all[REGARD_SESSION_B])
    shown = all[REGARD_SESSION_B];
  else if (session->look.compare == 3 && all[REGARD_SESSION_A] && all[REGARD_SESSION_B]) {
    mt_capture *difference =
        mt_capture_difference(all[REGARD_SESSION_A], all[REGARD_SESSION_B], &error);
    if (difference) /* else the two are not alike, whatever the file says */
      return difference;
  }
  return shown ? mt_capture_ref(shown) : NULL;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* As the state of a document, but for its model, which has no path. */
static void
write_state(json_object *object, const RegardState *state, const RegardModelIdentity *model)
{
  regard_state_write(state, object);
  json_object_object_add(object, "model", model ? regard_model_identity_write(model) : NULL);
}

char *
regard_session_to_json(const RegardSession *session)
{
  json_object *root = json_object_new_object(), *reference = NULL;
  json_object_object_add(root, "format", json_object_new_string(FORMAT));
  json_object_object_add(root, "version", json_object_new_int(VERSION));
  json_object_object_add(root, "program", json_object_new_string(session->program));
  write_state(root, session->state, session->model);
  if (session->reference) {
    reference = json_object_new_object();
    write_state(reference, session->reference, session->other_model);
  }
  json_object_object_add(root, "reference", reference);
  json_object_object_add(root, "look", regard_look_write(&session->look));
  char *text = g_strdup(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                 JSON_C_TO_STRING_SPACED |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
  json_object_put(root);
  return text;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static gboolean
refuse(GError **error, const char *key, const char *expected)
{
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("“%s”: expected %s."), key, expected);
  return FALSE;
}

/* A text of a line that is printed; NULL for anything else. */
static char *
dup_program(json_object *root)
{
  json_object *program = NULL;
  json_object_object_get_ex(root, "program", &program);
  if (!json_object_is_type(program, json_type_string) || json_object_get_string_len(program) > 100)
    return NULL;
  g_autofree char *text = g_utf8_make_valid(json_object_get_string(program), -1);
  for (char *p = text; *p; p++)
    if (g_ascii_iscntrl(*p))
      *p = ' ';
  return g_steal_pointer(&text);
}

/* Which version wrote it decides whether anything else can be understood. */
static gboolean
check_format(json_object *root, RegardSession *session, GError **error)
{
  json_object *format = NULL, *version = NULL;
  if (!json_object_is_type(root, json_type_object) ||
      !json_object_object_get_ex(root, "format", &format) ||
      !json_object_is_type(format, json_type_string) ||
      !g_str_equal(json_object_get_string(format), FORMAT))
    return refuse(error, "format", "\"" FORMAT "\"");
  json_object_object_get_ex(root, "version", &version);
  session->program = dup_program(root);
  const gint64 found =
      json_object_is_type(version, json_type_int) ? json_object_get_int64(version) : 0;
  if (found < 1 || !session->program)
    return refuse(error, found < 1 ? "version" : "program",
                  found < 1 ? _("a whole number from 1") : _("the name of a program"));
  if (found == VERSION)
    return TRUE;
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_UNSUPPORTED,
              _("expected version %d of the format, which is the newest that regard %s knows; "
                "found %" G_GINT64_FORMAT ", written by %s."),
              VERSION, MT_VERSION, found, session->program);
  return FALSE;
}

/* What the file says of its model is taken off, so that the rest is read as any state without one.
 */
static RegardState *
read_state(json_object *object, RegardModelIdentity **model, GError **error)
{
  json_object *identity = NULL;
  if (json_object_object_get_ex(object, "model", &identity) && identity) {
    *model = regard_model_identity_read(identity, error);
    if (!*model)
      return NULL;
  }
  json_object_object_add(object, "model", NULL);
  return regard_state_read(object, error);
}

static gboolean
read_reference(json_object *root, RegardSession *session, GError **error)
{
  json_object *reference = NULL;
  json_object_object_get_ex(root, "reference", &reference);
  if (!reference)
    return TRUE;
  if (!json_object_is_type(reference, json_type_object))
    return refuse(error, "reference", _("an object, or null"));
  session->reference = read_state(reference, &session->other_model, error);
  if (!session->reference)
    g_prefix_error(error, "“reference”: ");
  return session->reference != NULL;
}

static gboolean
read_look(json_object *root, RegardSession *session, GError **error)
{
  json_object *look = NULL;
  json_object_object_get_ex(root, "look", &look);
  return regard_look_read(look, &session->look, error);
}

gboolean
regard_session_from_json(RegardSession *session, const char *json, gsize n, GError **error)
{
  const char *reason;
  json_object *root = regard_json_parse(json, n, MOST_DEPTH, &reason, NULL);
  gboolean is_good = !reason;
  if (!is_good)
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("expected JSON, found: %s."), reason);
  if (is_good && !regard_json_has_each_key_once(root, json)) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT,
                _("expected each key once in its object, found one twice."));
    is_good = FALSE;
  }
  is_good = is_good && check_format(root, session, error) &&
            (session->state = read_state(root, &session->model, error)) != NULL &&
            read_reference(root, session, error) && read_look(root, session, error);
  json_object_put(root);
  return is_good;
}

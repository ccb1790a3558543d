/* regard-session.c — a session, its description as JSON, and its file: a zip archive of that and of
 * the captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read is a stranger's. Names and sizes are looked at before anything is inflated
 * (mt/files.h), the description before any capture, and each capture as any from elsewhere.
 */
#include "document/regard-session.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include <glib/gi18n.h>
#include <json.h>
#include <string.h>

#define FORMAT  "regard-session"
#define VERSION 1
/* A look is at depth 4, constraints at 6. */
#define MOST_DEPTH 16
/* A text of 4 MiB, twice, with escapes; a capture as mt_capture_read_npz allows it; in all, less
 * than four of them. */
#define MOST_JSON    ((gsize) 16 << 20)
#define MOST_CAPTURE ((gsize) 1 << 30)
#define MOST_BYTES   ((gsize) 2 << 30)

static const char description[] = "session.json";
static const char *const capture_names[REGARD_SESSION_N_CAPTURES] = {
    [REGARD_SESSION_CAPTURE] = "capture.npz",
    [REGARD_SESSION_A] = "a.npz",
    [REGARD_SESSION_B] = "b.npz",
    [REGARD_SESSION_FILE] = "file.npz",
};

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

/* ---- Writing the description
 * ------------------------------------------------------------------------------- */

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

/* ---- Reading the description
 * ------------------------------------------------------------------------------- */

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
    return regard_json_refuse(error, "format", "\"" FORMAT "\"");
  json_object_object_get_ex(root, "version", &version);
  session->program = dup_program(root);
  const gint64 found =
      json_object_is_type(version, json_type_int) ? json_object_get_int64(version) : 0;
  if (found < 1 || !session->program)
    return regard_json_refuse(error, found < 1 ? "version" : "program",
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
    return regard_json_refuse(error, "reference", _("an object, or null"));
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

/* n bytes, with a zero after them, into an empty session. FALSE with an error; then it may be
 * filled in part. */
static gboolean
from_json(RegardSession *session, const char *json, gsize n, GError **error)
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

/* ---- The file ------------------------------------------------------------------------------ */

gboolean
regard_session_has_ending(const char *path)
{
  g_autofree char *lower = g_ascii_strdown(path, -1);
  return g_str_has_suffix(lower, REGARD_SESSION_ENDING);
}

gboolean
regard_session_write(const RegardSession *session, const char *path, GError **error)
{
  g_autofree char *json = regard_session_to_json(session);
  mt_archive_file files[1 + REGARD_SESSION_N_CAPTURES] = {
      {.name = description, .data = json, .size = strlen(json), .deflate = true}};
  mt_bytes captures[REGARD_SESSION_N_CAPTURES] = {0};
  mt_error failure = {0};
  gsize n = 1;
  gboolean ok = TRUE;
  if (strlen(json) > MOST_JSON) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT,
                _("%s: cannot be written: the text is too long for a session."), path);
    return FALSE;
  }
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES && ok; i++) {
    if (!session->captures[i])
      continue;
    ok = mt_capture_make_npz(session->captures[i], NULL, &captures[i], &failure);
    files[n++] = (mt_archive_file){.name = capture_names[i],
                                   .data = captures[i].data,
                                   .size = captures[i].size};
  }
  ok = ok && mt_archive_write(path, files, n, &failure);
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++)
    mt_bytes_clear(&captures[i]);
  return ok || regard_error_set_from_mt(error, &failure);
}

static gboolean
read_description(RegardSession *session, const mt_archive *archive, const char *name,
                 GError **error)
{
  gsize n;
  const unsigned char *bytes = mt_archive_get(archive, description, &n);
  g_autofree char *json = g_strndup((const char *) bytes, n);
  if (from_json(session, json, n, error))
    return TRUE;
  g_prefix_error(error, "%s/%s: ", name, description);
  return FALSE;
}

static gboolean
read_captures(RegardSession *session, const mt_archive *archive, const char *name, GError **error)
{
  mt_error failure = {0};
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++) {
    gsize n;
    const unsigned char *bytes = mt_archive_get(archive, capture_names[i], &n);
    g_autofree char *label = g_strdup_printf("%s/%s", name, capture_names[i]);
    if (!bytes)
      continue;
    session->captures[i] = mt_capture_parse_npz(bytes, n, label, NULL, &failure);
    if (!session->captures[i])
      return regard_error_set_from_mt(error, &failure);
  }
  return TRUE;
}

RegardSession *
regard_session_read(const char *path, GError **error)
{
  mt_archive_rule rules[1 + REGARD_SESSION_N_CAPTURES] = {{description, MOST_JSON}};
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++)
    rules[1 + i] = (mt_archive_rule){capture_names[i], MOST_CAPTURE};
  mt_error failure = {0};
  mt_archive *archive = mt_archive_read(path, "a session of Regard", rules, G_N_ELEMENTS(rules),
                                        MOST_BYTES, &failure);
  if (!archive) {
    regard_error_set_from_mt(error, &failure);
    return NULL;
  }
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *name = g_utf8_make_valid(base, -1);
  g_autoptr(RegardSession) session = regard_session_new();
  gboolean is_good = read_description(session, archive, name, error) &&
                     read_captures(session, archive, name, error);
  mt_archive_free(archive);
  return is_good ? g_steal_pointer(&session) : NULL;
}

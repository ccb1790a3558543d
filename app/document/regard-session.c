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
#include <inttypes.h>
#include <json.h>
#include <math.h>
#include <string.h>

/* ==== How something is looked at, as JSON ===================================================== */

#define MOST_CHOSEN 4096
#define MOST_ZOOM   1000.0
/* Cells and tokens are fewer: a capture has at most 4096 of each. */
#define MOST_CELLS 65535

const char *const regard_compare_ids[] = {"off", "a", "b", "difference", NULL};

void
regard_view_state_copy(RegardViewState *out, const RegardViewState *look)
{
  *out = *look;
  out->page = g_strdup(look->page);
  out->chosen = look->chosen ? g_array_ref(look->chosen) : NULL;
}

void
regard_view_state_clear(RegardViewState *look)
{
  g_clear_pointer(&look->page, g_free);
  g_clear_pointer(&look->chosen, g_array_unref);
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* Cells, layers and heads count from 1 where a person reads them; null: none. */
static json_object *
counted(int index)
{
  return index >= 0 ? json_object_new_int(index + 1) : NULL;
}

json_object *
regard_view_state_write(const RegardViewState *look)
{
  json_object *o = json_object_new_object(), *chosen = json_object_new_array();
  regard_json_add(o, {"page", json_object_new_string(look->page ? look->page : "")},
                  {"scale", json_object_new_string(regard_scale_info(look->scale)->id)},
                  {"colormap", json_object_new_string(look->colormap->id)},
                  {"combine", json_object_new_string(regard_combine_ids[look->combine])},
                  {"label_by", json_object_new_string(regard_label_by_ids[look->label_by])},
                  {"form", json_object_new_string(regard_form_ids[look->form])},
                  {"lines_share", regard_json_double(look->lines_share)},
                  {"merge_words", json_object_new_boolean(look->merge_words)},
                  {"hide_special", json_object_new_boolean(look->hide_special)},
                  {"show_heads", json_object_new_boolean(look->show_heads)},
                  {"show_details", json_object_new_boolean(look->show_details)},
                  {"show_tokens", json_object_new_boolean(look->show_tokens)},
                  {"zoom", regard_json_double(look->zoom)}, {"top", regard_json_double(look->top)},
                  {"left", regard_json_double(look->left)}, {"row", counted(look->row)},
                  {"column", counted(look->col)}, {"step", counted(look->step)},
                  {"compare", json_object_new_string(regard_compare_ids[look->compare])});
  for (guint i = 0; look->chosen && i < look->chosen->len / 2; i++) {
    json_object *pair = json_object_new_array();
    for (guint k = 0; k < 2; k++)
      json_object_array_add(pair, json_object_new_int(
                                      g_array_index(look->chosen, guint16, 2 * i + k) + 1));
    json_object_array_add(chosen, pair);
  }
  json_object_object_add(o, "chosen", chosen);
  return o;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* NULL for anything but a short text. */
static const char *
get_word(json_object *object, const char *key)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  const char *word =
      json_object_is_type(found, json_type_string) ? json_object_get_string(found) : NULL;
  return word && strlen(word) == (gsize) json_object_get_string_len(found) && strlen(word) <= 64 &&
                 g_utf8_validate(word, -1, NULL)
             ? word
             : NULL;
}

static gboolean
get_choice(json_object *object, const char *key, const char *const *ids, int *index, GError **error)
{
  return regard_json_find_choice(get_word(object, key), key, ids, index, error);
}

/* From 1, or null for none. */
static gboolean
get_index(json_object *object, const char *key, int *index, GError **error)
{
  json_object *found = NULL;
  *index = -1;
  if (json_object_object_get_ex(object, key, &found) && !found)
    return TRUE;
  const gint64 n = json_object_is_type(found, json_type_int) ? json_object_get_int64(found) : 0;
  if (n < 1 || n > MOST_CELLS)
    return regard_json_refuse(error, key, _("a whole number from 1, or null"));
  *index = (int) n - 1;
  return TRUE;
}

static gboolean
read_chosen(json_object *object, RegardViewState *look, GError **error)
{
  json_object *list = NULL;
  json_object_object_get_ex(object, "chosen", &list);
  gboolean is_good =
      json_object_is_type(list, json_type_array) && json_object_array_length(list) <= MOST_CHOSEN;
  look->chosen = g_array_new(FALSE, FALSE, sizeof(guint16));
  for (gsize i = 0; is_good && i < json_object_array_length(list); i++) {
    json_object *pair = json_object_array_get_idx(list, i);
    is_good = json_object_is_type(pair, json_type_array) && json_object_array_length(pair) == 2;
    for (gsize k = 0; is_good && k < 2; k++) {
      json_object *number = json_object_array_get_idx(pair, k);
      const gint64 n =
          json_object_is_type(number, json_type_int) ? json_object_get_int64(number) : 0;
      const guint16 index = (guint16) (n - 1);
      is_good = n >= 1 && n <= MOST_CELLS;
      g_array_append_val(look->chosen, index);
    }
  }
  return is_good || regard_json_refuse(error, "chosen", _("pairs of layer and head, from 1"));
}

static gboolean
read_colours(json_object *object, RegardViewState *look, GError **error)
{
  const char *scale = get_word(object, "scale"), *colormap = get_word(object, "colormap");
  if (!scale || !regard_scale_from_id(scale, &look->scale))
    return regard_json_refuse(error, "scale", _("the name of a colour scale"));
  look->colormap = colormap ? regard_colormap_find(colormap) : NULL;
  return look->colormap || regard_json_refuse(error, "colormap", _("the name of a colour map"));
}

/* Files that were saved before there were lines do not say it: they show a matrix. */
static gboolean
read_form(json_object *object, RegardViewState *look, GError **error)
{
  int form = REGARD_FORM_MATRIX;
  look->lines_share = REGARD_LINES_SHARE;
  if (json_object_object_get_ex(object, "form", NULL) &&
      !get_choice(object, "form", regard_form_ids, &form, error))
    return FALSE;
  look->form = (RegardForm) form;
  return !json_object_object_get_ex(object, "lines_share", NULL) ||
         regard_json_get_number(object, "lines_share", 0, 1, &look->lines_share, error);
}

static gboolean
read_all(json_object *object, RegardViewState *look, GError **error)
{
  int combine = 0, label_by = 0;
  const char *page = get_word(object, "page");
  if (!page)
    return regard_json_refuse(error, "page", _("the name of a page"));
  look->page = g_strdup(page);
  gboolean is_good = read_colours(object, look, error) &&
                     get_choice(object, "combine", regard_combine_ids, &combine, error) &&
                     get_choice(object, "label_by", regard_label_by_ids, &label_by, error) &&
                     get_choice(object, "compare", regard_compare_ids, &look->compare, error) &&
                     read_form(object, look, error) &&
                     regard_json_get_boolean(object, "merge_words", &look->merge_words, error) &&
                     regard_json_get_boolean(object, "hide_special", &look->hide_special, error) &&
                     regard_json_get_boolean(object, "show_heads", &look->show_heads, error) &&
                     regard_json_get_boolean(object, "show_details", &look->show_details, error) &&
                     regard_json_get_boolean(object, "show_tokens", &look->show_tokens, error) &&
                     regard_json_get_number(object, "zoom", 1, MOST_ZOOM, &look->zoom, error) &&
                     regard_json_get_number(object, "top", 0, MOST_CELLS, &look->top, error) &&
                     regard_json_get_number(object, "left", 0, MOST_CELLS, &look->left, error) &&
                     get_index(object, "row", &look->row, error) &&
                     get_index(object, "column", &look->col, error) &&
                     get_index(object, "step", &look->step, error) &&
                     read_chosen(object, look, error);
  look->combine = (RegardCombine) combine;
  look->label_by = (RegardLabelBy) label_by;
  return is_good;
}

/* FALSE with an error that says what was expected and found where; then nothing is left to clear.
 */
static gboolean
regard_view_state_read(json_object *object, RegardViewState *look, GError **error)
{
  *look = (RegardViewState){0};
  if (!json_object_is_type(object, json_type_object))
    return regard_json_refuse(error, "look", _("an object"));
  if (read_all(object, look, error))
    return TRUE;
  regard_view_state_clear(look);
  return FALSE;
}

/* ==== The session, and its file =============================================================== */

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
  g_clear_pointer(&session->state, regard_snapshot_unref);
  g_clear_pointer(&session->reference, regard_snapshot_unref);
  g_clear_pointer(&session->model, regard_model_identity_free);
  g_clear_pointer(&session->other_model, regard_model_identity_free);
  regard_view_state_clear(&session->look);
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
write_state(json_object *object, const RegardSnapshot *state, const RegardModelIdentity *model)
{
  regard_snapshot_write(state, object);
  json_object_object_add(object, "model", model ? regard_model_identity_write(model) : NULL);
}

char *
regard_session_to_json(const RegardSession *session)
{
  json_object *root = json_object_new_object(), *reference = NULL;
  regard_json_add(root, {"format", json_object_new_string(FORMAT)},
                  {"version", json_object_new_int(VERSION)},
                  {"program", json_object_new_string(session->program)});
  write_state(root, session->state, session->model);
  if (session->reference) {
    reference = json_object_new_object();
    write_state(reference, session->reference, session->other_model);
  }
  regard_json_add(root, {"reference", reference},
                  {"look", regard_view_state_write(&session->look)});
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
                "found %" PRId64 ", written by %s."),
              VERSION, MT_VERSION, found, session->program);
  return FALSE;
}

/* What the file says of its model is taken off, so that the rest is read as any state without one.
 */
static RegardSnapshot *
read_state(json_object *object, RegardModelIdentity **model, GError **error)
{
  json_object *identity = NULL;
  if (json_object_object_get_ex(object, "model", &identity) && identity) {
    *model = regard_model_identity_read(identity, error);
    if (!*model)
      return NULL;
  }
  json_object_object_add(object, "model", NULL);
  return regard_snapshot_read(object, error);
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
  return regard_view_state_read(look, &session->look, error);
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

/* path NULL: into memory; label: what errors call it. */
static gboolean
write_to(const RegardSession *session, const char *path, const char *label, mt_bytes *bytes,
         GError **error)
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
                _("%s: cannot be written: the text is too long for a session."), label);
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
  ok = ok && (path ? mt_archive_write(path, files, n, &failure)
                   : mt_archive_make(files, n, bytes, &failure));
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++)
    mt_bytes_clear(&captures[i]);
  return ok || regard_error_set_from_mt(error, &failure);
}

gboolean
regard_session_write(const RegardSession *session, const char *path, GError **error)
{
  return write_to(session, path, path, NULL, error);
}

GBytes *
regard_session_make(const RegardSession *session, const char *label, GError **error)
{
  mt_bytes bytes = {0};
  if (!write_to(session, NULL, label, &bytes, error))
    return NULL;
  GBytes *made = g_bytes_new(bytes.data, bytes.size);
  mt_bytes_clear(&bytes);
  return made;
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

/* archive: taken; NULL: it could not be read, as failure says. */
static RegardSession *
take_archive(mt_archive *archive, const char *name, const mt_error *failure, GError **error)
{
  if (!archive) {
    regard_error_set_from_mt(error, failure);
    return NULL;
  }
  g_autoptr(RegardSession) session = regard_session_new();
  const gboolean is_good = read_description(session, archive, name, error) &&
                           read_captures(session, archive, name, error);
  mt_archive_free(archive);
  return is_good ? g_steal_pointer(&session) : NULL;
}

#define WHAT "a session of Regard"

static void
make_rules(mt_archive_rule rules[1 + REGARD_SESSION_N_CAPTURES])
{
  rules[0] = (mt_archive_rule){description, MOST_JSON};
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++)
    rules[1 + i] = (mt_archive_rule){capture_names[i], MOST_CAPTURE};
}

RegardSession *
regard_session_read(const char *path, GError **error)
{
  mt_archive_rule rules[1 + REGARD_SESSION_N_CAPTURES];
  mt_error failure = {0};
  make_rules(rules);
  mt_archive *archive =
      mt_archive_read(path, WHAT, rules, G_N_ELEMENTS(rules), MOST_BYTES, &failure);
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *name = g_utf8_make_valid(base, -1);
  return take_archive(archive, name, &failure, error);
}

RegardSession *
regard_session_parse(const void *bytes, gsize n, const char *label, GError **error)
{
  mt_archive_rule rules[1 + REGARD_SESSION_N_CAPTURES];
  mt_error failure = {0};
  make_rules(rules);
  mt_archive *archive =
      mt_archive_parse(bytes, n, label, WHAT, rules, G_N_ELEMENTS(rules), MOST_BYTES, &failure);
  return take_archive(archive, label, &failure, error);
}

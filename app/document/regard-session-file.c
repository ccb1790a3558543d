/* regard-session-file.c — a session's file: a zip archive of its description and its captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read is a stranger's. Names and sizes are looked at before anything is inflated
 * (mt/archive.h), the description before any capture, and each capture as any from elsewhere.
 */
#include "document/regard-session-private.h"

#include "base/regard-error.h"
#include <glib/gi18n.h>
#include <string.h>

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

/* ---- Reading ------------------------------------------------------------------------------- */

static gboolean
read_description(RegardSession *session, const mt_archive *archive, const char *name,
                 GError **error)
{
  gsize n;
  const unsigned char *bytes = mt_archive_get(archive, description, &n);
  g_autofree char *json = g_strndup((const char *) bytes, n);
  if (regard_session_from_json(session, json, n, error))
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

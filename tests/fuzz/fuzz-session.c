/* fuzz-session.c — a session in a file: a zip archive as it is, anything else as the description in
 * one. What was read has to be the same when it was written and read again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-session.h"
#include "engine-test.h"
#include "fuzz.h"

#include <string.h>

static void
put(const char *path, const uint8_t *data, size_t size)
{
  const mt_archive_file file = {.name = "session.json", .data = data, .size = size};
  mt_error error = {0};
  if (size >= 2 && memcmp(data, "PK", 2) == 0)
    fuzz_model_put("x.regard", data, size);
  else if (!mt_archive_write(path, &file, 1, &error))
    g_error("%s", error.message);
}

static void
look_at(const RegardSession *session)
{
  const RegardModelIdentity *models[] = {session->model, session->other_model};
  g_assert(session->state && session->look.colormap && session->look.page);
  g_assert(g_utf8_validate(session->state->text, -1, NULL));
  g_assert(session->state->caret <= strlen(session->state->text));
  g_assert(!session->state->model);
  for (guint m = 0; m < 2; m++)
    for (guint i = 0; models[m] && i < models[m]->files->len; i++)
      g_assert(!strchr(g_array_index(models[m]->files, RegardModelFile, i).name, '/'));
  g_autoptr(mt_capture) shown = regard_session_take_shown(session);
}

static void
write_again(const RegardSession *session, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *json = regard_session_to_json(session);
  if (!regard_session_write(session, path, &error))
    g_error("%s", error->message);
  g_autoptr(RegardSession) again = regard_session_read(path, &error);
  if (!again)
    g_error("what was written cannot be read: %s", error->message);
  g_autofree char *twice = regard_session_to_json(again);
  if (!g_str_equal(json, twice))
    g_error("%s\nbecame\n%s", json, twice);
  for (guint i = 0; i < REGARD_SESSION_N_CAPTURES; i++)
    g_assert((session->captures[i] == NULL) == (again->captures[i] == NULL));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *path, *copy;
  if (!path) {
    path = g_build_filename(fuzz_model_path(), "x.regard", NULL);
    copy = g_build_filename(fuzz_model_path(), "copy.regard", NULL);
  }
  put(path, data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSession) session = regard_session_read(path, &error);
  g_assert((session != NULL) == (error == NULL));
  g_assert(session || g_utf8_validate(error->message, -1, NULL));
  if (session) {
    look_at(session);
    write_again(session, copy);
  }
  return 0;
}

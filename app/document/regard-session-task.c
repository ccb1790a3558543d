/* regard-session-task.c — sessions written and read by the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-session-task.h"

#include "base/regard-paths.h"
#include "models/regard-model-list.h"
#include <glib/gi18n.h>

/* ---- Saving -------------------------------------------------------------------------------- */

static void
saving_clear(gpointer data)
{
  RegardSessionSaving *saving = data;
  regard_session_unref(saving->session);
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++)
    mt_model_unref(saving->models[i]);
  g_free(saving->path);
}

static gpointer
save(RegardRun *run, mt_error *failure)
{
  RegardSessionSaving *saving = regard_run_get_params(run);
  RegardSession *session = saving->session;
  mt_model *const *models = saving->models;
  GError *error = NULL;
  if (models[REGARD_SESSION_MODEL])
    session->model = regard_model_identity_new(models[REGARD_SESSION_MODEL], session->state->title);
  if (models[REGARD_SESSION_OTHER_MODEL])
    session->other_model =
        regard_model_identity_new(models[REGARD_SESSION_OTHER_MODEL], session->reference->title);
  if (regard_session_write(session, saving->path, &error))
    return run;
  regard_run_take_error(run, error);
  return NULL;
}

const RegardTask regard_session_save_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardSessionSaving),
    .compute = save,
    .clear_params = saving_clear,
};

/* ---- Opening ------------------------------------------------------------------------------- */

static void
opening_clear(gpointer data)
{
  RegardSessionOpening *opening = data;
  g_clear_pointer(&opening->session, regard_session_unref);
  g_free(opening->path);
  g_strfreev(opening->recent);
  g_strfreev(opening->first);
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++) {
    g_free(opening->found[i]);
    g_free(opening->other[i]);
  }
}

static const RegardModelIdentity *
get_model(const RegardSessionOpening *opening, guint model)
{
  return model == REGARD_SESSION_MODEL ? opening->session->model : opening->session->other_model;
}

static gpointer
open_file(RegardRun *run, mt_error *failure)
{
  RegardSessionOpening *opening = regard_run_get_params(run);
  GError *error = NULL;
  if (!opening->session)
    opening->session = regard_session_read(opening->path, &error);
  if (!opening->session) {
    regard_run_take_error(run, error);
    return NULL;
  }
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++) {
    const RegardModelIdentity *model = get_model(opening, i);
    if (model)
      opening->found[i] =
          regard_model_identity_find(model, (const char *const *) opening->first,
                                     (const char *const *) opening->recent, &opening->other[i]);
  }
  return run;
}

const RegardTask regard_session_open_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardSessionOpening),
    .compute = open_file,
    .clear_params = opening_clear,
};

/* ---- What was found ------------------------------------------------------------------------ */

char *
regard_session_opening_name(const RegardSessionOpening *opening)
{
  g_autofree char *base = g_path_get_basename(opening->path);
  return g_utf8_make_valid(base, -1);
}

char *
regard_session_opening_model(const RegardSessionOpening *opening, guint model)
{
  const RegardModelIdentity *identity = get_model(opening, model);
  if (!identity || !identity->title)
    return identity ? g_strdup(identity->name) : NULL;
  return g_strdup_printf("%s (%s)", identity->name, identity->title);
}

char *
regard_session_opening_advice(const RegardSessionOpening *opening, guint model,
                              const char *what_to_do)
{
  const RegardModelIdentity *identity = get_model(opening, model);
  if (!identity)
    return g_strdup("");
  const RegardModelFile *file = regard_model_identity_largest(identity);
  const char *other = opening->other[model];
  g_autofree char *folder = regard_model_list_folder();
  g_autofree char *shown = regard_paths_shorten(folder);
  g_autofree char *there = other ? regard_paths_shorten(other) : NULL;
  g_autoptr(GString) text = g_string_new(NULL);
  if (there)
    g_string_append_printf(text, _("%s has the same name and other files. "), there);
  if (file)
    g_string_append_printf(text, _("Needed is the model whose %s has the SHA-256 %s. "), file->name,
                           file->sha256);
  g_string_append_printf(text, what_to_do, shown);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

RegardState *
regard_session_opening_state(const RegardSessionOpening *opening, guint model)
{
  const RegardModelIdentity *identity = get_model(opening, model);
  RegardState *state = regard_state_copy(
      model == REGARD_SESSION_MODEL ? opening->session->state : opening->session->reference);
  state->model = g_strdup(opening->found[model]);
  state->title = identity ? g_strdup(identity->title) : NULL;
  return state;
}

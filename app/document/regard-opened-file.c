/* regard-opened-file.c — captures and sessions read by the runner, and what is shown of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-opened-file.h"

#include "base/regard-error.h"
#include "base/regard-paths.h"
#include "base/regard-signals.h"
#include "document/regard-file-kinds.h"
#include "models/regard-model-list.h"
#include "runner/regard-work.h"
#include <glib/gi18n.h>

struct _RegardOpenedFile {
  GObject parent_instance;

  RegardWork *reading;
  mt_capture *capture;       /* NULL: none is shown */
  RegardHeadRef place;       /* looked at before */
  RegardSession *unfinished; /* its model is not there, and its capture is shown; NULL */
  char *unfinished_path;
  RegardWork *retrying; /* whether the model that runs now is the one */
};

G_DEFINE_FINAL_TYPE(RegardOpenedFile, regard_opened_file, G_TYPE_OBJECT)

/* ---- Saving a session ---------------------------------------------------------------------- */

static void
saving_clear(gpointer data)
{
  RegardSessionSaving *saving = data;
  regard_session_unref(saving->session);
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++)
    mt_model_unref(saving->models[i]);
  g_free(saving->path);
}

static void
note_models(const RegardSessionSaving *saving)
{
  RegardSession *session = saving->session;
  mt_model *const *models = saving->models;
  if (models[REGARD_SESSION_MODEL])
    session->model = regard_model_identity_new(models[REGARD_SESSION_MODEL], session->state->title);
  if (models[REGARD_SESSION_OTHER_MODEL])
    session->other_model =
        regard_model_identity_new(models[REGARD_SESSION_OTHER_MODEL], session->reference->title);
}

static gpointer
save(RegardRun *run, mt_error *failure)
{
  const RegardSessionSaving *saving = regard_run_get_params(run);
  GError *error = NULL;
  note_models(saving);
  if (regard_session_write(saving->session, saving->path, &error))
    return run;
  regard_run_take_error(run, error);
  return NULL;
}

static gpointer
make(RegardRun *run, mt_error *failure)
{
  const RegardSessionSaving *saving = regard_run_get_params(run);
  GError *error = NULL;
  note_models(saving);
  GBytes *bytes = regard_session_make(saving->session, saving->path, &error);
  if (!bytes)
    regard_run_take_error(run, error);
  return bytes;
}

const RegardTask regard_session_save_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardSessionSaving),
    .compute = save,
    .clear_params = saving_clear,
};

const RegardTask regard_session_make_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardSessionSaving),
    .compute = make,
    .clear_params = saving_clear,
    .free_result = (GDestroyNotify) g_bytes_unref,
};

/* ---- A session and its models, in a task ---------------------------------------------------- */

void
regard_session_opening_clear(gpointer data)
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

void
regard_session_opening_find(RegardSessionOpening *opening)
{
  for (guint i = 0; i < REGARD_SESSION_N_MODELS; i++) {
    const RegardModelIdentity *model = get_model(opening, i);
    if (model)
      opening->found[i] =
          regard_model_identity_find(model, (const char *const *) opening->first,
                                     (const char *const *) opening->recent, &opening->other[i]);
  }
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
  regard_session_opening_find(opening);
  return run;
}

/* RegardSessionOpening; its session may be there already, then only its models are looked for. */
static const RegardTask session_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardSessionOpening),
    .compute = open_file,
    .clear_params = regard_session_opening_clear,
};

/* ---- What was found ------------------------------------------------------------------------ */

/* The file's name as it is shown. Caller frees. */
static char *
opening_name(const RegardSessionOpening *opening)
{
  g_autofree char *base = g_path_get_basename(opening->path);
  return g_utf8_make_valid(base, -1);
}

/* "opus-mt-en-de (English → German)"; NULL: the session does not say. Caller frees. */
static char *
opening_model(const RegardSessionOpening *opening, guint model)
{
  const RegardModelIdentity *identity = get_model(opening, model);
  if (!identity || !identity->title)
    return identity ? g_strdup(identity->name) : NULL;
  /* Translators: a name, and in brackets what it is called for people */
  return g_strdup_printf(_("%s (%s)"), identity->name, identity->title);
}

/* How a model that is missing is known, and what to do; %s of that is the folder of models. NULL:
 * the session names none. Caller frees. */
static char *
opening_advice(const RegardSessionOpening *opening, guint model, const char *what_to_do)
{
  const RegardModelIdentity *identity = get_model(opening, model);
  if (!identity)
    return NULL;
  const RegardModelFile *file = regard_model_identity_largest(identity);
  const char *other = opening->other[model];
  g_autofree char *folder = regard_model_list_folder();
  g_autofree char *shown = regard_paths_shorten(folder);
  g_autofree char *advice = g_strdup_printf(what_to_do, shown);
  if (file) {
    g_autofree char *needed = g_strdup_printf(_("Needed is the model whose %s has the SHA-256 %s."),
                                              file->name, file->sha256);
    char *both = regard_two_sentences(needed, advice);
    g_free(advice);
    advice = both;
  }
  if (!other)
    return g_steal_pointer(&advice);
  g_autofree char *there = regard_paths_shorten(other);
  g_autofree char *same = g_strdup_printf(_("%s has the same name and other files."), there);
  return regard_two_sentences(same, advice);
}

RegardSnapshot *
regard_session_opening_state(const RegardSessionOpening *opening, guint model)
{
  const RegardModelIdentity *identity = get_model(opening, model);
  RegardSnapshot *state = regard_snapshot_copy(
      model == REGARD_SESSION_MODEL ? opening->session->state : opening->session->reference);
  state->model = g_strdup(opening->found[model]);
  state->title = identity ? g_strdup(identity->title) : NULL;
  return state;
}

/* ---- What a session lacks -------------------------------------------------------------------- */

void
regard_opened_file_say_lacks(RegardOpenedFile *self, const char *title, const char *detail)
{
  g_signal_emit_by_name(self, "lacks", title, detail);
}

void
regard_opened_file_leave_reference(RegardOpenedFile *self, const RegardSessionOpening *opening)
{
  g_autofree char *file = opening_name(opening);
  g_autofree char *model = opening_model(opening, REGARD_SESSION_OTHER_MODEL);
  g_autofree char *title =
      g_strdup_printf(_("%s: its reference is left out, since %s is not on this machine"), file,
                      model ? model : _("its model"));
  g_autofree char *detail = opening_advice(opening, REGARD_SESSION_OTHER_MODEL,
                                           _("Put it into %s, and open the session once more."));
  regard_opened_file_say_lacks(self, title, detail);
}

RegardSession *
regard_opened_file_get_unfinished(RegardOpenedFile *self)
{
  return self->capture ? self->unfinished : NULL;
}

static void
drop_session(RegardOpenedFile *self)
{
  regard_work_drop(self->retrying);
  g_clear_pointer(&self->unfinished, regard_session_unref);
  g_clear_pointer(&self->unfinished_path, g_free);
}

void
regard_opened_file_forget_session(RegardOpenedFile *self)
{
  drop_session(self);
  regard_opened_file_say_lacks(self, "", "");
}

static void
go_live(RegardOpenedFile *self, const RegardSessionOpening *opening)
{
  regard_opened_file_forget_session(self);
  g_signal_emit_by_name(self, "session", opening);
}

static void
show_stored(RegardOpenedFile *self, const RegardSessionOpening *opening)
{
  RegardSession *session = opening->session;
  mt_capture *capture = regard_session_take_shown(session);
  g_autofree char *file = opening_name(opening);
  g_autofree char *model = opening_model(opening, REGARD_SESSION_MODEL);
  g_autofree char *title = g_strdup_printf(_("%s: %s is not on this machine"), file, model);
  g_autofree char *missing =
      opening_advice(opening, REGARD_SESSION_MODEL,
                     _("Open it, or put it into %s and open the session once more."));
  g_autofree char *detail =
      regard_two_sentences(capture ? _("What is shown was saved with it.")
                                   : _("Nothing was saved with it that could be shown."),
                           missing);
  regard_opened_file_forget_session(self);
  if (capture) {
    self->unfinished = regard_session_ref(session);
    self->unfinished_path = g_strdup(opening->path);
    g_signal_emit_by_name(self, "stored", session, capture);
    mt_capture_unref(capture);
  }
  regard_opened_file_say_lacks(self, title, detail);
}

static void
on_retried(gpointer owner, RegardRun *run)
{
  const RegardSessionOpening *opening = regard_run_get_params(run);
  if (opening->found[REGARD_SESSION_MODEL])
    go_live(owner, opening);
}

void
regard_opened_file_follow(RegardOpenedFile *self, char **first)
{
  if (!regard_opened_file_get_unfinished(self)) {
    g_strfreev(first);
    return;
  }
  regard_work_drop(self->retrying);
  const RegardSessionOpening opening = {.path = g_strdup(self->unfinished_path),
                                        .session = regard_session_ref(self->unfinished),
                                        .first = first};
  regard_work_run(self->retrying, &session_task, NULL, &opening, on_retried);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void
on_session(gpointer owner, RegardRun *run)
{
  RegardOpenedFile *self = owner;
  g_autoptr(GError) error = NULL;
  const RegardSessionOpening *opening = regard_run_get_params(run);
  g_signal_emit_by_name(self, "reading");
  if (!regard_run_finish(run, &error))
    g_signal_emit_by_name(self, "failed", error);
  else if (opening->session->model && !opening->found[REGARD_SESSION_MODEL])
    show_stored(self, opening);
  else
    go_live(self, opening);
}

void
regard_opened_file_read_session(RegardOpenedFile *self, const char *path, const char *const *recent,
                                char **first)
{
  const RegardSessionOpening opening = {.path = g_strdup(path),
                                        .recent = g_strdupv((char **) recent),
                                        .first = first};
  regard_work_run(self->reading, &session_task, NULL, &opening, on_session);
  g_signal_emit_by_name(self, "reading");
}

/* A capture; it may turn out to be a model. */
typedef struct {
  char *path;
  gboolean may_be_model, is_model;
} Reading;

static gpointer
read_capture(RegardRun *run, mt_error *error)
{
  Reading *reading = regard_run_get_params(run);
  reading->is_model = reading->may_be_model && !regard_capture_file_recognises(reading->path);
  return reading->is_model ? NULL : mt_capture_read_npz(reading->path, NULL, error);
}

static void
reading_clear(gpointer params)
{
  g_free(((Reading *) params)->path);
}

static const RegardTask capture_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Reading),
    .compute = read_capture,
    .clear_params = reading_clear,
    .free_result = (GDestroyNotify) mt_capture_unref,
};

static void
on_capture(gpointer owner, RegardRun *run)
{
  RegardOpenedFile *self = owner;
  const Reading *reading = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  g_autoptr(mt_capture) capture = regard_run_finish(run, &error);
  g_signal_emit_by_name(self, "reading");
  if (capture) {
    regard_opened_file_forget_session(self);
    g_signal_emit_by_name(self, "capture", capture);
  } else if (reading->is_model)
    g_signal_emit_by_name(self, "model", reading->path);
  else
    g_signal_emit_by_name(self, "failed", error);
}

void
regard_opened_file_read_capture(RegardOpenedFile *self, const char *path, gboolean may_be_model)
{
  const Reading reading = {.path = g_strdup(path), .may_be_model = may_be_model};
  regard_work_run(self->reading, &capture_task, NULL, &reading, on_capture);
  g_signal_emit_by_name(self, "reading");
}

gboolean
regard_opened_file_is_reading(RegardOpenedFile *self)
{
  return regard_work_is_busy(self->reading);
}

gboolean
regard_opened_file_is_busy(RegardOpenedFile *self)
{
  return regard_work_is_busy(self->reading) || regard_work_is_busy(self->retrying);
}

void
regard_opened_file_stop(RegardOpenedFile *self)
{
  if (!regard_opened_file_is_reading(self))
    return;
  regard_work_drop(self->reading);
  g_signal_emit_by_name(self, "reading");
}

void
regard_opened_file_drop(RegardOpenedFile *self)
{
  regard_work_drop(self->reading);
  drop_session(self);
}

/* ---- The capture ----------------------------------------------------------------------------- */

mt_capture *
regard_opened_file_get_capture(RegardOpenedFile *self)
{
  return self->capture;
}

void
regard_opened_file_show(RegardOpenedFile *self, mt_capture *capture, RegardHeadRef before)
{
  if (!self->capture)
    self->place = before;
  mt_capture_ref(capture);
  mt_capture_unref(self->capture);
  self->capture = capture;
}

RegardHeadRef
regard_opened_file_get_place(RegardOpenedFile *self)
{
  return self->place;
}

gboolean
regard_opened_file_close(RegardOpenedFile *self)
{
  if (!self->capture)
    return FALSE;
  g_clear_pointer(&self->capture, mt_capture_unref);
  return TRUE;
}

/* ---- The object ------------------------------------------------------------------------------ */

static void
regard_opened_file_finalize(GObject *object)
{
  RegardOpenedFile *self = REGARD_OPENED_FILE(object);
  drop_session(self);
  g_object_unref(self->reading);
  g_object_unref(self->retrying);
  mt_capture_unref(self->capture);
  G_OBJECT_CLASS(regard_opened_file_parent_class)->finalize(object);
}

static void
regard_opened_file_class_init(RegardOpenedFileClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_opened_file_finalize;
  regard_add_signal(klass, "reading", 0);
  regard_add_signal(klass, "failed", 1, G_TYPE_ERROR);
  regard_add_signal(klass, "capture", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "model", 1, G_TYPE_STRING);
  regard_add_signal(klass, "session", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "stored", 2, G_TYPE_POINTER, G_TYPE_POINTER);
  regard_add_signal(klass, "lacks", 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
regard_opened_file_init(RegardOpenedFile *self)
{
  self->reading = regard_work_new(self);
  self->retrying = regard_work_new(self);
}

RegardOpenedFile *
regard_opened_file_new(void)
{
  return g_object_new(REGARD_TYPE_OPENED_FILE, NULL);
}

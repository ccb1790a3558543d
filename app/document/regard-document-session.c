/* regard-document-session.c — a document into a session's file, and a session into the document.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A session names its models by their files. One that is on this machine is found and everything is
 * as it was, live. Else its capture is shown as one from a file, and what is missing is said; when
 * that model runs, the session goes on.
 */
#include "document/regard-document-private.h"

#include "base/regard-paths.h"
#include "models/regard-model-list.h"
#include <glib/gi18n.h>
#include <json-c/json.h>

/* ---- Saving -------------------------------------------------------------------------------- */

typedef struct {
  RegardSession *session;
  mt_model *models[2]; /* whose files are yet to be read: of the text, and of the reference */
  char *path;
} Saving;

static void
saving_clear(gpointer data)
{
  Saving *saving = data;
  regard_session_unref(saving->session);
  for (guint i = 0; i < 2; i++)
    mt_model_unref(saving->models[i]);
  g_free(saving->path);
}

static mt_capture *
ref_capture(mt_capture *capture)
{
  return capture ? mt_capture_ref(capture) : NULL;
}

/* A capture of an older text is none of this one. */
static void
add_captures(RegardDocument *self, RegardSession *session)
{
  const RegardResult *kept = self->reference ? self->reference->result : NULL;
  const RegardComparison *compared = self->comparison;
  gboolean is_answered = self->result && !self->request_idle && !self->is_waiting;
  mt_capture **out = session->captures;
  if (is_answered)
    out[REGARD_SESSION_CAPTURE] = ref_capture(self->result->capture);
  if (compared && is_answered) {
    out[REGARD_SESSION_A] = ref_capture(compared->passes[0]->capture);
    out[REGARD_SESSION_B] = ref_capture(compared->passes[1]->capture);
  } else if (kept)
    out[REGARD_SESSION_A] = ref_capture(kept->capture);
  out[REGARD_SESSION_FILE] = ref_capture(self->foreign);
}

static void
copy_look(RegardLook *out, const RegardLook *look)
{
  *out = *look;
  out->page = g_strdup(look->page);
  out->chosen = look->chosen ? g_array_ref(look->chosen) : NULL;
}

static Saving
begin_saving(RegardDocument *self, const char *path, const RegardLook *look)
{
  Saving saving = {.path = g_strdup(path)};
  /* What could not be opened here is passed on as it is. */
  if (self->unfinished && self->foreign) {
    saving.session = regard_session_ref(self->unfinished);
    return saving;
  }
  RegardSession *session = saving.session = regard_session_new();
  session->program = g_strdup("regard " MT_VERSION);
  session->state = regard_document_take_state(self);
  copy_look(&session->look, look);
  saving.models[0] = self->model ? mt_model_ref(self->model) : NULL;
  if (self->reference && self->reference->result) {
    session->reference = regard_state_ref(self->reference);
    saving.models[1] = mt_model_ref(self->reference->result->model);
  }
  add_captures(self, session);
  return saving;
}

static gpointer
save(RegardRun *run, mt_error *failure)
{
  Saving *saving = regard_run_get_params(run);
  RegardSession *session = saving->session;
  GError *error = NULL;
  if (saving->models[0])
    session->model = regard_model_identity_new(saving->models[0], session->state->title);
  if (saving->models[1])
    session->other_model = regard_model_identity_new(saving->models[1], session->reference->title);
  if (regard_session_write(session, saving->path, &error))
    return run;
  regard_run_take_error(run, error);
  return NULL;
}

void
regard_document_save_session(RegardDocument *self, const char *path, const RegardLook *look,
                             RegardRunDone done, gpointer data)
{
  static const RegardTask task = {
      .priority = REGARD_RUN_READING,
      .params_size = sizeof(Saving),
      .compute = save,
      .clear_params = saving_clear,
  };
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && path && look);
  const Saving saving = begin_saving(self, path, look);
  regard_runner_start(&task, NULL, &saving, done, data);
}

char *
regard_document_dup_content(RegardDocument *self)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), NULL);
  g_autoptr(RegardState) now = regard_document_take_state(self);
  g_autoptr(RegardState) content = regard_state_copy(now);
  content->caret = 0;
  content->alternative = 0;
  content->place = (RegardPlace){0};
  json_object *object = json_object_new_object();
  regard_state_write(content, object);
  if (self->reference) {
    json_object *reference = json_object_new_object();
    regard_state_write(self->reference, reference);
    json_object_object_add(object, "reference", reference);
  }
  char *text = g_strdup(json_object_to_json_string(object));
  json_object_put(object);
  return text;
}

/* ---- What is missing ----------------------------------------------------------------------- */

/* By all that it is known by; other: one of the same name that it is not. Caller frees. */
static char *
describe_missing(const RegardModelIdentity *model, const char *other, const char *what_to_do)
{
  const RegardModelFile *file = regard_model_identity_largest(model);
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

/* "opus-mt-en-de (English → German)". */
static char *
name_model(const RegardModelIdentity *model)
{
  return model->title ? g_strdup_printf("%s (%s)", model->name, model->title)
                      : g_strdup(model->name);
}

static void
say_lacks(RegardDocument *self, const char *title, const char *detail)
{
  g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_SESSION_LACKS], 0, title, detail);
}

/* ---- Opening ------------------------------------------------------------------------------- */

enum { MODEL, OTHER_MODEL, N_MODELS };

typedef struct {
  RegardSession *session; /* NULL: not read yet */
  char *path;
  char **recent, **first;
  char *found[N_MODELS], *other[N_MODELS]; /* of regard_model_identity_find */
} Opening;

static void
opening_clear(gpointer data)
{
  Opening *opening = data;
  g_clear_pointer(&opening->session, regard_session_unref);
  g_free(opening->path);
  g_strfreev(opening->recent);
  g_strfreev(opening->first);
  for (guint i = 0; i < N_MODELS; i++) {
    g_free(opening->found[i]);
    g_free(opening->other[i]);
  }
}

static gpointer
open_file(RegardRun *run, mt_error *failure)
{
  Opening *opening = regard_run_get_params(run);
  GError *error = NULL;
  if (!opening->session)
    opening->session = regard_session_read(opening->path, &error);
  if (!opening->session) {
    regard_run_take_error(run, error);
    return NULL;
  }
  const RegardModelIdentity *models[] = {opening->session->model, opening->session->other_model};
  for (guint i = 0; i < N_MODELS; i++)
    if (models[i])
      opening->found[i] =
          regard_model_identity_find(models[i], (const char *const *) opening->first,
                                     (const char *const *) opening->recent, &opening->other[i]);
  return run;
}

static const RegardTask opening_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Opening),
    .compute = open_file,
    .clear_params = opening_clear,
};

/* A state that was read, with the model that was found for it. */
static RegardState *
place_state(const RegardState *state, const RegardModelIdentity *model, const char *path)
{
  RegardState *copy = regard_state_copy(state);
  copy->model = g_strdup(path);
  copy->title = model ? g_strdup(model->title) : NULL;
  return copy;
}

/* As a step that can be undone, with the model that is on its way. */
static void
take_on(RegardDocument *self, const RegardState *state)
{
  regard_document_record(self);
  self->is_restoring = TRUE;
  g_clear_pointer(&self->own_text, g_free);
  regard_document_take_on(self, state);
  self->is_restoring = FALSE;
  if (regard_work_is_busy(self->loading) && state->model) {
    g_free(self->restored_dir);
    self->restored_dir = g_strdup(self->loading_dir);
  }
  regard_document_record(self);
}

/* The reference, too, unless its model is missing. */
static void
take_on_reference(RegardDocument *self, const Opening *opening)
{
  const RegardSession *session = opening->session;
  const RegardCompare compare = (RegardCompare) session->look.compare;
  regard_document_set_compare(self, REGARD_COMPARE_OFF);
  if (session->reference && opening->found[OTHER_MODEL]) {
    g_autoptr(RegardState) state =
        place_state(session->reference, session->other_model, opening->found[OTHER_MODEL]);
    regard_document_set_reference(self, state);
    regard_document_revive_reference(self, compare);
    return;
  }
  regard_document_set_reference(self, NULL);
  if (!session->reference) {
    regard_document_set_compare(self, compare);
    return;
  }
  g_autofree char *base = g_path_get_basename(opening->path);
  g_autofree char *file = g_utf8_make_valid(base, -1);
  g_autofree char *model = session->other_model ? name_model(session->other_model) : NULL;
  g_autofree char *title =
      g_strdup_printf(_("%s: its reference is left out, since %s is not on this machine"), file,
                      model ? model : _("its model"));
  g_autofree char *detail =
      session->other_model ? describe_missing(session->other_model, opening->other[OTHER_MODEL],
                                              _("Put it into %s, and open the session once more."))
                           : g_strdup("");
  say_lacks(self, title, detail);
}

static void
go_live(RegardDocument *self, const Opening *opening)
{
  RegardSession *session = opening->session;
  g_autoptr(RegardState) state = place_state(session->state, session->model, opening->found[MODEL]);
  regard_document_forget_session(self);
  take_on(self, state);
  take_on_reference(self, opening);
  if (session->captures[REGARD_SESSION_FILE])
    regard_document_show_capture(self, session->captures[REGARD_SESSION_FILE], NULL);
  g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_SESSION_OPENED], 0, session);
}

static void
show_stored(RegardDocument *self, const Opening *opening)
{
  RegardSession *session = opening->session;
  mt_capture *capture = regard_session_take_shown(session);
  g_autofree char *base = g_path_get_basename(opening->path);
  g_autofree char *file = g_utf8_make_valid(base, -1);
  g_autofree char *model = name_model(session->model);
  g_autofree char *title = g_strdup_printf(_("%s: %s is not on this machine"), file, model);
  g_autofree char *missing =
      describe_missing(session->model, opening->other[MODEL],
                       _("Open it, or put it into %s and open the session once more."));
  g_autofree char *detail =
      g_strdup_printf("%s %s",
                      capture ? _("What is shown was saved with it.")
                              : _("Nothing was saved with it that could be shown."),
                      missing);
  regard_document_forget_session(self);
  if (capture) {
    self->unfinished = regard_session_ref(session);
    self->unfinished_path = g_strdup(opening->path);
    regard_document_show_capture(self, capture, NULL);
    regard_document_set_place(self, session->state->place);
    mt_capture_unref(capture);
    g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_SESSION_OPENED], 0, session);
  }
  say_lacks(self, title, detail);
}

static void
on_opened(gpointer owner, RegardRun *run)
{
  RegardDocument *self = owner;
  g_autoptr(GError) error = NULL;
  const Opening *opening = regard_run_get_params(run);
  regard_document_notify(self, REGARD_DOCUMENT_READING);
  if (!regard_run_finish(run, &error))
    g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_READ_FAILED], 0, error);
  else if (opening->session->model && !opening->found[MODEL])
    show_stored(self, opening);
  else
    go_live(self, opening);
}

/* The model that runs, or is about to, is most likely the one. */
static char **
list_first(RegardDocument *self)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  const char *const all[] = {self->model_dir, self->loading_dir, self->ready_dir};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    if (all[i])
      g_ptr_array_add(paths, g_strdup(all[i]));
  g_ptr_array_add(paths, NULL);
  return (char **) g_ptr_array_free(g_steal_pointer(&paths), FALSE);
}

void
regard_document_open_session(RegardDocument *self, const char *path, const char *const *recent)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && path);
  const Opening opening = {
      .path = g_strdup(path),
      .recent = g_strdupv((char **) recent),
      .first = list_first(self),
  };
  regard_document_read(self, &opening_task, &opening, on_opened);
}

/* ---- Going on ------------------------------------------------------------------------------ */

void
regard_document_forget_session(RegardDocument *self)
{
  regard_work_drop(self->retrying);
  g_clear_pointer(&self->unfinished, regard_session_unref);
  g_clear_pointer(&self->unfinished_path, g_free);
  say_lacks(self, "", "");
}

void
regard_document_free_session(RegardDocument *self)
{
  regard_work_drop(self->retrying);
  g_clear_pointer(&self->unfinished, regard_session_unref);
  g_clear_pointer(&self->unfinished_path, g_free);
}

static void
on_retried(gpointer owner, RegardRun *run)
{
  RegardDocument *self = owner;
  const Opening *opening = regard_run_get_params(run);
  if (opening->found[MODEL])
    go_live(self, opening);
}

/* Another model runs: is it the one that the session which is shown was saved with? */
static void
on_model(RegardDocument *self)
{
  regard_document_continue_revival(self);
  if (!self->unfinished || !self->foreign)
    return;
  regard_work_drop(self->retrying);
  const Opening opening = {
      .path = g_strdup(self->unfinished_path),
      .session = regard_session_ref(self->unfinished),
      .first = list_first(self),
  };
  regard_work_run(self->retrying, &opening_task, NULL, &opening, on_retried);
}

void
regard_document_connect_session(RegardDocument *self)
{
  g_signal_connect(self, "notify::model", G_CALLBACK(on_model), NULL);
  g_signal_connect(self, "load-failed", G_CALLBACK(regard_document_continue_revival), NULL);
}

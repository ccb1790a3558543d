/* regard-document-foreign.c — captures from files, shown in the place of the live translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While one is shown the typed text is put aside and the worker is not asked for anything. A file
 * that cannot be read changes nothing.
 */
#include "document/regard-document-private.h"

#include "document/regard-capture-file.h"

mt_capture *
regard_document_get_foreign(RegardDocument *self)
{
  return self->foreign;
}

gboolean
regard_document_is_reading(RegardDocument *self)
{
  return regard_work_is_busy(self->reading);
}

static void
put_aside(RegardDocument *self)
{
  g_clear_handle_id(&self->request_idle, g_source_remove);
  regard_document_stop(self);
  /* What a model answered that runs no more is not waited for. */
  if (self->result && self->result->model != self->model)
    g_clear_pointer(&self->result, regard_result_unref);
  regard_document_end_swap(self);
  self->kept_place = self->place;
}

void
regard_document_show_capture(RegardDocument *self, mt_capture *capture, const char *path)
{
  gboolean is_first = regard_selection_get_capture(self->selection) == NULL;
  if (!self->foreign)
    put_aside(self);
  mt_capture_unref(self->foreign);
  self->foreign = mt_capture_ref(capture);
  g_free(self->foreign_path);
  self->foreign_path = g_strdup(path);
  regard_selection_set_capture(self->selection, capture);
  if (is_first)
    regard_document_set_place(self, self->place);
  regard_selection_set_stale(self->selection, FALSE);
  regard_document_notify(self, REGARD_DOCUMENT_FOREIGN);
}

static void
forget_reading(RegardDocument *self)
{
  if (!regard_document_is_reading(self))
    return;
  regard_work_drop(self->reading);
  regard_document_notify(self, REGARD_DOCUMENT_READING);
}

void
regard_document_read(RegardDocument *self, const RegardTask *task, gconstpointer params,
                     RegardRunDone done)
{
  regard_work_run(self->reading, task, NULL, params, done);
  if (!self->translator) /* it is closed, and nobody looks */
    regard_work_drop(self->reading);
  regard_document_notify(self, REGARD_DOCUMENT_READING);
}

void
regard_document_close_capture(RegardDocument *self)
{
  forget_reading(self);
  regard_document_forget_session(self);
  if (!self->foreign)
    return;
  g_clear_pointer(&self->foreign, mt_capture_unref);
  g_clear_pointer(&self->foreign_path, g_free);
  regard_document_notify(self, REGARD_DOCUMENT_FOREIGN);
  if (self->result && self->result->capture)
    regard_document_show_result(self);
  else
    regard_document_clear_result(self);
  regard_document_set_place(self, self->kept_place);
  regard_document_update_request(self, TRUE);
}

static void
on_read(gpointer owner, RegardRun *run)
{
  RegardDocument *self = owner;
  g_autoptr(GError) error = NULL;
  mt_capture *capture = regard_run_finish(run, &error);
  regard_document_notify(self, REGARD_DOCUMENT_READING);
  if (capture) {
    regard_document_forget_session(self);
    regard_document_show_capture(self, capture, *(char **) regard_run_get_params(run));
  } else
    g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_READ_FAILED], 0, error);
  mt_capture_unref(capture);
}

static gpointer
read_capture(RegardRun *run, mt_error *error)
{
  return mt_capture_read_npz(*(char **) regard_run_get_params(run), NULL, error);
}

static const RegardTask reading = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = read_capture,
    .clear_params = regard_task_free_parameter,
    .free_result = (GDestroyNotify) mt_capture_unref,
};

void
regard_document_open_capture(RegardDocument *self, const char *path)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && path);
  char *own = g_strdup(path);
  regard_document_read(self, &reading, &own, on_read);
}

void
regard_document_open_path(RegardDocument *self, const char *path)
{
  if (regard_session_has_ending(path))
    regard_document_open_session(self, path, NULL);
  else if (regard_capture_file_recognises(path))
    regard_document_open_capture(self, path);
  else
    regard_document_open_model(self, path);
}

/* regard-selection-trace.c — the pass that the capture is of, and what else it computed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"
#include "widgets/regard-selection-private.h"

#include <glib/gi18n.h>

void
regard_selection_forget_pass(RegardSelection *self)
{
  regard_pass_set(&self->pass, NULL);
  g_clear_pointer(&self->steps, regard_steps_unref);
}

void
regard_selection_show(RegardSelection *self, mt_capture *capture, mt_model *model,
                      mt_translation *translation, gsize hypothesis)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  const RegardPass *old = self->pass;
  g_autoptr(RegardPass) pass = NULL;

  if (old && old->capture == capture && old->model == model && old->translation == translation &&
      old->hypothesis == hypothesis)
    return;
  pass = capture ? regard_pass_new(capture, model, translation, hypothesis) : NULL;
  regard_selection_forget_pass(self);
  regard_pass_set(&self->pass, pass);
  regard_selection_take_capture(self, capture);
}

void
regard_selection_set_capture(RegardSelection *self, mt_capture *capture)
{
  regard_selection_show(self, capture, NULL, NULL, 0);
}

RegardPass *
regard_selection_get_pass(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->pass;
}

mt_model *
regard_selection_get_pass_model(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return regard_pass_has_model(self->pass) ? self->pass->model : NULL;
}

void
regard_selection_set_batch_func(RegardSelection *self, RegardBatchFunc func)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  self->batch_func = func;
}

RegardBatchFunc
regard_selection_get_batch_func(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->batch_func;
}

void
regard_selection_set_quality_func(RegardSelection *self, RegardQualityFunc func)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  self->quality_func = func;
}

RegardQualityFunc
regard_selection_get_quality_func(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->quality_func;
}

/* ---- The trace ------------------------------------------------------------------------------- */

typedef struct {
  RegardPass *pass; /* whose changes are made again; first (regard_selection_asked_pass) */
  mt_taps taps;
  gsize n_passes; /* to be timed */
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  regard_pass_set(&job->pass, NULL);
  g_free(job);
}

static void
trace_unref(gpointer trace)
{
  mt_trace_unref(trace);
}

static mt_hooks
hooks_of(const Job *job, GCancellable *cancellable)
{
  return (mt_hooks){
      .should_stop = cancellable ? regard_engine_is_cancelled : NULL,
      .user = cancellable,
      .changes = job->pass->changes,
  };
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  mt_hooks hooks = hooks_of(job, cancellable);
  mt_error error = {0};
  mt_trace *trace = NULL;

  hooks.taps = &job->taps;
  if (mt_changes_check_explained(hooks.changes, &error))
    trace = mt_trace_new(job->pass->model, job->pass->translation, job->pass->hypothesis, &hooks,
                         &error);
  if (trace)
    g_task_return_pointer(task, trace, trace_unref);
  else
    regard_engine_return_error(task, &error);
}

/* FALSE, and the task has failed, if these taps want too much. */
static gboolean
check_size(GTask *task, const RegardPass *pass, const mt_taps *taps)
{
  const mt_tokens *target = mt_translation_hypothesis(pass->translation, pass->hypothesis)->tokens;
  const gsize bytes =
      mt_trace_bytes(pass->model, mt_tokens_count(mt_translation_source(pass->translation)),
                     mt_tokens_count(target), taps);
  g_autofree char *size = g_format_size(bytes), *most = g_format_size(REGARD_MOST_TRACED);

  if (bytes <= REGARD_MOST_TRACED)
    return TRUE;
  g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                          _("What this text computes would take %s; up to %s is shown."), size,
                          most);
  return FALSE;
}

/* Runs the task in a thread with a pass of which all is known; else it fails. */
static void
start(GTask *task, RegardPass *pass, const mt_taps *taps, gsize n_passes, GTaskThreadFunc func)
{
  Job *job;

  if (!regard_pass_has_model(pass)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                            "Nothing is known of this translation but its attention.");
    return;
  }
  if (!check_size(task, pass, taps))
    return;
  job = g_new0(Job, 1);
  regard_pass_set(&job->pass, pass);
  job->taps = *taps;
  job->n_passes = n_passes;
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, func);
}

RegardPass *
regard_selection_asked_pass(GAsyncResult *result)
{
  return *(RegardPass **) g_task_get_task_data(G_TASK(result));
}

void
regard_selection_trace_async(RegardSelection *self, RegardPass *pass, const mt_taps *taps,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_task_set_source_tag(task, regard_selection_trace_async);
  start(task, pass, taps, 0, run);
}

mt_trace *
regard_selection_trace_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* ---- Its time -------------------------------------------------------------------------------- */

static void
run_timed(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = hooks_of(job, cancellable);
  g_autofree mt_cost_times *times = g_new0(mt_cost_times, 1);
  mt_error error = {0};

  if (mt_time_costs(job->pass->model, job->pass->translation, job->pass->hypothesis, job->n_passes,
                    &hooks, times, &error))
    g_task_return_pointer(task, g_steal_pointer(&times), g_free);
  else
    regard_engine_return_error(task, &error);
}

void
regard_selection_time_async(RegardSelection *self, RegardPass *pass, gsize n_passes,
                            GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);

  g_return_if_fail(REGARD_IS_SELECTION(self));
  start(task, pass, &(mt_taps){0}, n_passes, run_timed);
}

gboolean
regard_selection_time_finish(RegardSelection *self, GAsyncResult *result, mt_cost_times *times,
                             GError **error)
{
  g_autofree mt_cost_times *found = NULL;

  g_return_val_if_fail(g_task_is_valid(result, self), FALSE);
  found = g_task_propagate_pointer(G_TASK(result), error);
  if (found)
    *times = *found;
  return found != NULL;
}

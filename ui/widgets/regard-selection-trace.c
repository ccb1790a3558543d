/* regard-selection-trace.c — the pass that the capture is of, and what else it computed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

void
regard_selection_forget_pass(RegardSelection *self)
{
  g_clear_pointer(&self->pass_model, mt_model_unref);
  g_clear_pointer(&self->translation, mt_translation_unref);
}

void
regard_selection_show(RegardSelection *self, mt_capture *capture, mt_model *model,
                      mt_translation *translation, gsize hypothesis)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));

  if (model)
    mt_model_ref(model);
  if (translation)
    mt_translation_ref(translation);
  regard_selection_forget_pass(self);
  self->pass_model = model;
  self->translation = translation;
  self->hypothesis = hypothesis;
  regard_selection_take_capture(self, capture);
}

void
regard_selection_set_capture(RegardSelection *self, mt_capture *capture)
{
  regard_selection_show(self, capture, NULL, NULL, 0);
}

mt_model *
regard_selection_get_pass_model(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->translation ? self->pass_model : NULL;
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

/* ---- The trace ------------------------------------------------------------------------------- */

typedef struct {
  mt_model *model;
  mt_translation *translation;
  mt_capture *capture; /* whose changes are made again */
  gsize hypothesis;
  mt_taps taps;
} Pass;

static void
pass_free(gpointer data)
{
  Pass *pass = data;

  mt_model_unref(pass->model);
  mt_translation_unref(pass->translation);
  mt_capture_unref(pass->capture);
  g_free(pass);
}

static bool
is_cancelled(void *cancellable)
{
  return g_cancellable_is_cancelled(cancellable);
}

static void
trace_unref(gpointer trace)
{
  mt_trace_unref(trace);
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Pass *pass = data;
  const mt_hooks hooks = {
      .should_stop = cancellable ? is_cancelled : NULL,
      .user = cancellable,
      .taps = &pass->taps,
      .changes = mt_capture_changes(pass->capture),
  };
  mt_error error = {0};
  mt_trace *trace = mt_trace_new(pass->model, pass->translation, pass->hypothesis, &hooks, &error);

  if (trace)
    g_task_return_pointer(task, trace, trace_unref);
  else
    g_task_return_new_error(task, G_IO_ERROR,
                            error.code == MT_ERROR_CANCELLED ? G_IO_ERROR_CANCELLED
                                                             : G_IO_ERROR_FAILED,
                            "%s", error.message);
}

void
regard_selection_trace_async(RegardSelection *self, const mt_taps *taps, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  Pass *pass;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_task_set_source_tag(task, regard_selection_trace_async);
  if (!self->capture || !self->translation || !self->pass_model) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                            "Nothing is known of this translation but its attention.");
    return;
  }
  pass = g_new(Pass, 1);
  *pass = (Pass){mt_model_ref(self->pass_model), mt_translation_ref(self->translation),
                 mt_capture_ref(self->capture), self->hypothesis, *taps};
  g_task_set_task_data(task, pass, pass_free);
  g_task_run_in_thread(task, run);
}

mt_trace *
regard_selection_trace_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

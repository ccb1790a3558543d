/* regard-selection-order.c — what becomes of the sentence that is looked at if its tokens stand in
 * another order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"
#include "widgets/regard-selection-private.h"

typedef struct {
  mt_model *model;
  mt_translation *translation;
  mt_capture *capture; /* whose changes are made again */
  gsize *order;        /* [n] */
  gsize n;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  mt_model_unref(job->model);
  mt_translation_unref(job->translation);
  mt_capture_unref(job->capture);
  g_free(job->order);
  g_free(job);
}

void
regard_order_free(RegardOrder *order)
{
  g_free(order->text);
  g_free(order->translation);
  g_free(order);
}

/* In its words, and how they are translated. */
static gboolean
fill_texts(const Job *job, const mt_hooks *hooks, RegardOrder *result, mt_error *error)
{
  mt_translation *translation =
      mt_order_translate(job->model, mt_translation_source(job->translation), job->order, hooks,
                         error);

  if (!translation)
    return FALSE;
  result->text = g_strdup(mt_tokens_text(mt_translation_source(translation)));
  result->translation = g_strdup(mt_translation_hypothesis(translation, 0)->text);
  mt_translation_unref(translation);
  return TRUE;
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_tokens *tokens = mt_translation_source(job->translation);
  mt_hooks hooks = {
      .should_stop = cancellable ? regard_engine_is_cancelled : NULL,
      .user = cancellable,
  };
  RegardOrder *result = g_new0(RegardOrder, 1);
  mt_error error = {0};
  gboolean ok =
      job->n == mt_tokens_count(tokens) &&
      mt_order_compare(job->model, tokens, job->order, &hooks, &result->untouched, &error);

  hooks.changes = mt_capture_changes(job->capture);
  ok = ok && mt_order_compare(job->model, tokens, job->order, &hooks, &result->now, &error) &&
       fill_texts(job, &hooks, result, &error);
  if (ok) {
    g_task_return_pointer(task, result, (GDestroyNotify) regard_order_free);
    return;
  }
  regard_order_free(result);
  regard_engine_return_error(task, &error);
}

void
regard_selection_order_async(RegardSelection *self, const gsize *order, gsize n,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  Job *job;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_task_set_source_tag(task, regard_selection_order_async);
  if (!regard_pass_has_model(self->pass)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                            "Nothing is known of this translation but its attention.");
    return;
  }
  job = g_new(Job, 1);
  *job = (Job){mt_model_ref(self->pass->model), mt_translation_ref(self->pass->translation),
               mt_capture_ref(self->capture), g_memdup2(order, n * sizeof *order), n};
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, run);
}

RegardOrder *
regard_selection_order_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* regard-selection-quality.c — how good the model's translations of a file are, with the changes
 * that are looked at and without.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"
#include "widgets/regard-selection-private.h"

#include <glib/gi18n.h>

typedef struct {
  RegardQualityFunc func;
  RegardQualityWanted wanted; /* with its own model, request, changes and paths */
  mt_request request;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  mt_model_unref(job->wanted.model);
  mt_changes_unref((mt_changes *) job->wanted.changes);
  mt_request_clear(&job->request);
  g_free((char *) job->wanted.file);
  g_free((char *) job->wanted.references);
  g_free(job);
}

static void
quality_unref(gpointer quality)
{
  regard_quality_unref(quality);
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  RegardQuality *quality = job->func(&job->wanted, &error);

  if (quality)
    g_task_return_pointer(task, quality, quality_unref);
  else
    g_task_return_error(task, error);
}

void
regard_selection_set_quality_func(RegardSelection *self, RegardQualityFunc func)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  self->quality_func = func;
}

void
regard_selection_quality_async(RegardSelection *self, const char *file, const char *references,
                               void (*on_progress)(void *progress, double share), void *progress,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  const mt_changes *changes = self->pass ? self->pass->changes : NULL;
  const mt_request *search = self->pass ? self->pass->search : NULL;

  g_task_set_source_tag(task, regard_selection_quality_async);
  if (!self->model || !self->quality_func) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s", _("No model is open."));
    return;
  }
  Job *job = g_new0(Job, 1);
  job->func = self->quality_func;
  if (search)
    job->request = mt_request_copy(search);
  job->wanted = (RegardQualityWanted){
      .model = mt_model_ref(self->model),
      .request = &job->request,
      .changes = changes ? mt_changes_ref((mt_changes *) changes) : NULL,
      .file = g_strdup(file),
      .references = g_strdup(references),
      .on_progress = on_progress,
      .progress = progress,
      .should_stop = cancellable ? regard_engine_is_cancelled : NULL,
      .stop = cancellable,
  };
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, run);
}

RegardQuality *
regard_selection_quality_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

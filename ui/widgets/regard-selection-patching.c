/* regard-selection-patching.c — where the words of what is compared are decided: single states of A
 * copied into B.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"
#include "widgets/regard-selection-private.h"

#include <glib/gi18n.h>

typedef struct {
  RegardPass *a, *b;
  void (*on_progress)(void *progress, double share);
  void *progress;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  regard_pass_set(&job->a, NULL);
  regard_pass_set(&job->b, NULL);
  g_free(job);
}

static RegardPatching *
describe(const Job *job, mt_patching *patching)
{
  const mt_tokens *source_a = mt_translation_source(job->a->translation);
  const mt_tokens *source_b = mt_translation_source(job->b->translation);
  const char *text_a = mt_tokens_text(source_a), *text_b = mt_tokens_text(source_b);
  const RegardPatchingOf of = {
      .model = job->b->model,
      .translation = job->a->translation,
      .hypothesis = job->a->hypothesis,
      .source_b = source_b,
      .text_a = text_a,
      .text_b = g_str_equal(text_a, text_b) ? NULL : text_b,
      .changes_a = job->a->changes,
      .changes_b = job->b->changes,
  };

  return regard_patching_new(patching, &of, -1);
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_patching_params params = {
      .changes = job->a->changes,
      .source = mt_translation_source(job->b->translation),
      .on_progress = job->on_progress,
      .user = job->progress,
  };
  const mt_hooks hooks = {
      .should_stop = cancellable ? regard_engine_is_cancelled : NULL,
      .user = cancellable,
      .changes = job->b->changes,
  };
  mt_error error = {0};
  mt_patching *patching = mt_model_patching(job->b->model, job->a->translation, job->a->hypothesis,
                                            &params, &hooks, &error);

  if (patching)
    g_task_return_pointer(task, describe(job, patching), (GDestroyNotify) regard_patching_unref);
  else
    regard_engine_return_error(task, &error);
  mt_patching_unref(patching);
}

void
regard_selection_patching_async(RegardSelection *self,
                                void (*on_progress)(void *progress, double share), void *progress,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  RegardPass *a = self->pair[0], *b = self->pair[1];

  g_task_set_source_tag(task, regard_selection_patching_async);
  if (!regard_pass_has_model(a) || !regard_pass_has_model(b)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s",
                            _("There are no two runs to be compared."));
    return;
  }
  if (a->model != b->model) { /* its states mean something else, or are rounded otherwise */
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s",
                            _("The reference is of another model or precision. States are copied "
                              "within one model: keep a reference of this one (Ctrl+R)."));
    return;
  }
  Job *job = g_new0(Job, 1);
  regard_pass_set(&job->a, a);
  regard_pass_set(&job->b, b);
  job->on_progress = on_progress;
  job->progress = progress;
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, run);
}

RegardPatching *
regard_selection_patching_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

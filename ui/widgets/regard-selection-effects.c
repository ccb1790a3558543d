/* regard-selection-effects.c — what each head does for the translation that is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"
#include "widgets/regard-head-effects.h"
#include "widgets/regard-selection-private.h"

typedef struct {
  mt_model *model;
  mt_translation *translation;
  mt_capture *capture; /* whose changes are made again */
  gsize hypothesis;
  mt_effects_params params; /* with a reference to its means */
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  mt_model_unref(job->model);
  mt_translation_unref(job->translation);
  mt_capture_unref(job->capture);
  mt_means_unref(job->params.means);
  g_free(job);
}

static void
effects_unref(gpointer effects)
{
  regard_effects_unref(effects);
}

static RegardEffects *
describe(const Job *job, const mt_effects *effects)
{
  const mt_effects_params *params = &job->params;
  const char *against =
      params->has_contrast ? mt_model_piece(job->model, MT_STACK_DECODER, params->against) : NULL;

  return regard_effects_new(job->model, effects,
                            mt_translation_hypothesis(job->translation, job->hypothesis)->tokens,
                            mt_capture_changes(job->capture), (guint) params->token, against);
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = {
      .should_stop = cancellable ? regard_engine_is_cancelled : NULL,
      .user = cancellable,
      .changes = mt_capture_changes(job->capture),
  };
  mt_error error = {0};
  mt_effects *effects =
      mt_model_effects(job->model, job->translation, job->hypothesis, &job->params, &hooks, &error);

  if (effects)
    g_task_return_pointer(task, describe(job, effects), effects_unref);
  else
    regard_engine_return_error(task, &error);
  mt_effects_unref(effects);
}

void
regard_selection_effects_async(RegardSelection *self, const mt_effects_params *params,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(self, cancellable, callback, user_data);
  Job *job;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_task_set_source_tag(task, regard_selection_effects_async);
  if (!regard_pass_has_model(self->pass)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                            "Nothing is known of this translation but its attention.");
    return;
  }
  job = g_new(Job, 1);
  *job = (Job){mt_model_ref(self->pass->model), mt_translation_ref(self->pass->translation),
               mt_capture_ref(self->capture), self->pass->hypothesis, *params};
  job->params.means = params->means ? mt_means_ref(params->means) : NULL;
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, run);
}

RegardEffects *
regard_selection_effects_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

RegardHeadEffects *
regard_selection_get_head_effects(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  if (!self->head_effects)
    self->head_effects = regard_head_effects_new(self);
  return self->head_effects;
}

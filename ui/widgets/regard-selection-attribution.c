/* regard-selection-attribution.c — what words of the translation that is looked at hang on, and how
 * much of them comes from the source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-attribution.h"

#include "figures/regard-figure-bench.h"
#include "widgets/regard-engine-task.h"
#include "widgets/regard-selection-private.h"

#include <glib/gi18n.h>

typedef struct {
  RegardPass *pass; /* whose changes are made again */
  mt_attribution_params params;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;

  regard_pass_set(&job->pass, NULL);
  g_free(job);
}

/* A task with the pass that is looked at, or with an error, and then NULL. params NULL: none. */
static GTask *
begin(RegardSelection *self, const mt_attribution_params *params, GCancellable *cancellable,
      GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new(self, cancellable, callback, user_data);
  Job *job;

  if (!regard_pass_has_model(self->pass)) {
    g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                            "Nothing is known of this translation but its attention.");
    g_object_unref(task);
    return NULL;
  }
  job = g_new0(Job, 1);
  regard_pass_set(&job->pass, self->pass);
  if (params)
    job->params = *params;
  g_task_set_task_data(task, job, job_free);
  return task;
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

static RegardAttributionText
text_of(const Job *job)
{
  return (RegardAttributionText){
      .model = job->pass->model,
      .source = mt_translation_source(job->pass->translation),
      .output = mt_translation_hypothesis(job->pass->translation, job->pass->hypothesis)->tokens,
      .changes = job->pass->changes,
      .params = &job->params,
  };
}

/* ---- One method ------------------------------------------------------------------------------ */

void
regard_attributed_free(RegardAttributed *attributed)
{
  g_clear_pointer(&attributed->words, regard_matrix_unref);
  g_clear_pointer(&attributed->encoder, regard_matrix_unref);
  g_free(attributed);
}

static void
attribute(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = hooks_of(job, cancellable);
  const RegardAttributionText text = text_of(job);
  mt_error error = {0};
  mt_attribution *a = mt_model_attribution(job->pass->model, job->pass->translation,
                                           job->pass->hypothesis, &job->params, &hooks, &error);

  if (a) {
    RegardAttributed *result = g_new(RegardAttributed, 1);

    *result = (RegardAttributed){regard_attribution_matrix(a, &text),
                                 regard_attribution_encoder_matrix(a, &text)};
    g_task_return_pointer(task, result, (GDestroyNotify) regard_attributed_free);
    mt_attribution_unref(a);
  } else
    regard_engine_return_error(task, &error);
}

void
regard_selection_attribution_async(RegardSelection *self, const mt_attribution_params *params,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_autoptr(GTask) task = begin(self, params, cancellable, callback, user_data);

  if (task)
    g_task_run_in_thread(task, attribute);
}

RegardAttributed *
regard_selection_attribution_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* ---- All of them ----------------------------------------------------------------------------- */

struct _RegardBenchResult {
  mt_attribution_bench *bench;
  Job job;
};

static void
bench_clear(gpointer data)
{
  RegardBenchResult *result = data;

  mt_attribution_bench_free(result->bench);
  regard_pass_set(&result->job.pass, NULL);
}

RegardBenchResult *
regard_bench_result_ref(RegardBenchResult *result)
{
  return g_atomic_rc_box_acquire(result);
}

void
regard_bench_result_unref(RegardBenchResult *result)
{
  g_atomic_rc_box_release_full(result, bench_clear);
}

guint
regard_bench_result_token(RegardBenchResult *result)
{
  return (guint) result->job.params.token;
}

const mt_model *
regard_bench_result_model(RegardBenchResult *result)
{
  return result->job.pass->model;
}

RegardFigure *
regard_bench_result_figure(RegardBenchResult *result, const RegardFigureStyle *style)
{
  const RegardAttributionText text = text_of(&result->job);

  return regard_figure_new_bench(result->bench, &text, style);
}

static void
run_bench(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = hooks_of(job, cancellable);
  mt_error error = {0};
  mt_attribution_bench *bench =
      mt_model_attribution_bench(job->pass->model, job->pass->translation, job->pass->hypothesis,
                                 &job->params, &hooks, &error);

  if (bench) {
    RegardBenchResult *result = g_atomic_rc_box_new0(RegardBenchResult);

    result->bench = bench;
    result->job.params = job->params;
    result->job.params.on_progress = NULL;
    regard_pass_set(&result->job.pass, job->pass);
    g_task_return_pointer(task, result, (GDestroyNotify) regard_bench_result_unref);
  } else
    regard_engine_return_error(task, &error);
}

void
regard_selection_attribution_bench_async(RegardSelection *self, const mt_attribution_params *params,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer user_data)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_autoptr(GTask) task = begin(self, params, cancellable, callback, user_data);

  if (task)
    g_task_run_in_thread(task, run_bench);
}

RegardBenchResult *
regard_selection_attribution_bench_finish(RegardSelection *self, GAsyncResult *result,
                                          GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* ---- Trust ----------------------------------------------------------------------------------- */

static void
run_trust(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;
  const mt_hooks hooks = hooks_of(job, cancellable);
  mt_error error = {0};
  mt_trust *trust = mt_model_trust(job->pass->model, job->pass->translation, job->pass->hypothesis,
                                   &hooks, &error);

  if (trust)
    g_task_return_pointer(task, trust, (GDestroyNotify) mt_trust_unref);
  else
    regard_engine_return_error(task, &error);
}

void
regard_selection_trust_async(RegardSelection *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_autoptr(GTask) task = begin(self, NULL, cancellable, callback, user_data);

  if (task)
    g_task_run_in_thread(task, run_trust);
}

mt_trust *
regard_selection_trust_finish(RegardSelection *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail(g_task_is_valid(result, self), NULL);
  return g_task_propagate_pointer(G_TASK(result), error);
}

char *
regard_selection_explain_no_pass(RegardSelection *self, const GError *error)
{
  const mt_capture *capture = regard_selection_get_capture(self);

  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return g_strdup(error->message);
  return g_strdup(capture && mt_capture_difference_a(capture)
                      ? _("A difference has none: look at A or B")
                      : _("This attention is from a file: this only a model can say"));
}

/* regard-comparison.c — a pass of now beside one of a reference, computed in a thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-comparison.h"

#include "widgets/regard-engine-task.h"

G_DEFINE_BOXED_TYPE(RegardComparison, regard_comparison, regard_comparison_ref,
                    regard_comparison_unref)

RegardComparison *
regard_comparison_ref(RegardComparison *comparison)
{
  g_atomic_ref_count_inc(&comparison->ref_count);
  return comparison;
}

void
regard_comparison_unref(RegardComparison *comparison)
{
  if (!g_atomic_ref_count_dec(&comparison->ref_count))
    return;
  for (guint i = 0; i < 2; i++) {
    mt_capture_unref(comparison->captures[i]);
    mt_translation_unref(comparison->translations[i]);
    mt_model_unref(comparison->models[i]);
  }
  mt_capture_unref(comparison->difference);
  g_free(comparison);
}

/* ---- In a thread ------------------------------------------------------------------------------
 */

typedef struct {
  RegardComparison *made; /* A's members may be there already */
  mt_translation *own;    /* B's */
  mt_changes *changes;
  mt_constraints *constraints; /* that params borrow */
  mt_search_params params;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  g_clear_pointer(&job->made, regard_comparison_unref);
  mt_translation_unref(job->own);
  mt_changes_unref(job->changes);
  mt_constraints_unref(job->constraints);
  g_free(job);
}

/* The untouched run. */
static gboolean
search_reference(Job *job, mt_session *session, GCancellable *cancellable, mt_error *error)
{
  const mt_hooks hooks = {.should_stop = regard_engine_is_cancelled, .user = cancellable};
  RegardComparison *made = job->made;
  made->models[0] = mt_model_ref(made->models[1]);
  made->translations[0] = mt_session_translate_tokens(session, mt_translation_source(job->own),
                                                      &job->params, &hooks, error);
  if (made->translations[0])
    made->captures[0] = mt_session_capture(session, made->translations[0], 0, 0, &hooks, error);
  return made->captures[0] != NULL;
}

/* Captures use the weights as they are stored, and would hide what rounding does. */
static gboolean
is_of_precisions(const RegardComparison *made)
{
  return mt_model_precision(made->models[0]) != mt_model_precision(made->models[1]);
}

/* A as its model computes it, for what is compared is the precision. */
static gboolean
round_reference(Job *job, GCancellable *cancellable, mt_error *error)
{
  RegardComparison *made = job->made;
  const mt_hooks hooks = {.should_stop = regard_engine_is_cancelled,
                          .user = cancellable,
                          .changes = mt_capture_changes(made->captures[0])};
  mt_session *session = mt_session_new(made->models[0], NULL, error);
  mt_capture *rounded =
      session ? mt_session_capture(session, made->translations[0], made->hypotheses[0],
                                   MT_CAPTURE_ROUNDED, &hooks, error)
              : NULL;
  if (rounded) {
    mt_capture_unref(made->captures[0]);
    made->captures[0] = rounded;
  }
  mt_session_free(session);
  return rounded != NULL;
}

/* The model as it is now is given the words of the reference. */
static gboolean
force(Job *job, mt_session *session, GCancellable *cancellable, mt_error *error)
{
  RegardComparison *made = job->made;
  const unsigned flags = is_of_precisions(made) ? MT_CAPTURE_ROUNDED : 0;
  const mt_hooks hooks = {.should_stop = regard_engine_is_cancelled,
                          .user = cancellable,
                          .changes = job->changes};
  const mt_hypothesis *words =
      mt_translation_hypothesis(made->translations[0], made->hypotheses[0]);
  const gsize n = mt_tokens_count(words->tokens);
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_search_params params = job->params;
  for (gsize i = 0; i < n; i++)
    ids[i] = mt_tokens_get(words->tokens, i)->id;
  mt_constraints *all = mt_constraints_new(ids, n, NULL, 0, error);
  if (!all)
    return FALSE;
  params.constraints = all;
  params.beam_size = params.n_best = 1;
  params.min_length = 0;
  made->translations[1] =
      mt_session_translate_tokens(session, mt_translation_source(job->own), &params, &hooks, error);
  mt_constraints_unref(all);
  if (made->translations[1])
    made->captures[1] = mt_session_capture(session, made->translations[1], 0, flags, &hooks, error);
  return made->captures[1] != NULL;
}

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  RegardComparison *made = job->made;
  mt_error error = {0};
  mt_session *session = mt_session_new(made->models[1], NULL, &error);
  gboolean ok = session != NULL;
  if (ok && !made->captures[0])
    ok = search_reference(job, session, cancellable, &error);
  if (ok && is_of_precisions(made))
    ok = round_reference(job, cancellable, &error);
  ok = ok && force(job, session, cancellable, &error);
  if (ok)
    made->difference = mt_capture_difference(made->captures[0], made->captures[1], &error);
  mt_session_free(session);
  if (!made->difference) {
    regard_engine_return_error(task, &error);
    return;
  }
  for (guint i = 0; i < 2; i++)
    made->logprobs[i] =
        (double) mt_translation_hypothesis(made->translations[i], made->hypotheses[i])->sum_logprob;
  g_task_return_pointer(task, g_steal_pointer(&job->made),
                        (GDestroyNotify) regard_comparison_unref);
}

void
regard_comparison_make_async(const RegardComparisonOf *of, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  Job *job = g_new0(Job, 1);
  RegardComparison *made = g_new0(RegardComparison, 1);
  g_atomic_ref_count_init(&made->ref_count);
  made->models[1] = mt_model_ref(of->model);
  if (of->reference_capture) {
    made->models[0] = mt_model_ref(of->reference_model);
    made->translations[0] = mt_translation_ref(of->reference);
    made->hypotheses[0] = of->reference_hypothesis;
    made->captures[0] = mt_capture_ref(of->reference_capture);
  }
  job->made = made;
  job->own = mt_translation_ref(of->translation);
  job->changes = of->changes ? mt_changes_ref((mt_changes *) of->changes) : NULL;
  job->params = *of->params;
  job->params.trace = 0;
  if (job->params.constraints)
    job->constraints = mt_constraints_ref((mt_constraints *) job->params.constraints);
  g_task_set_task_data(task, job, job_free);
  g_task_set_return_on_cancel(task, FALSE);
  g_task_run_in_thread(task, run);
}

RegardComparison *
regard_comparison_make_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* regard-comparison.c — a pass of now beside one of a reference, computed by the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-comparison.h"

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
  for (guint i = 0; i < 2; i++)
    regard_pass_set(&comparison->passes[i], NULL);
  mt_capture_unref(comparison->difference);
  g_free(comparison);
}

/* ---- In a thread ------------------------------------------------------------------------------
 */

/* A pass with what was made of a translation; both are taken. NULL without a capture. */
static RegardPass *
take_pass(mt_capture *capture, mt_model *model, mt_translation *translation, gsize hypothesis)
{
  RegardPass *pass = capture ? regard_pass_new(capture, model, translation, hypothesis) : NULL;
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return pass;
}

/* The untouched run, A. */
static RegardPass *
search_reference(RegardRun *run, mt_session *session, mt_error *error)
{
  const RegardPass *own = regard_run_get_pass(run);
  const RegardComparisonParams *given = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, NULL);
  mt_translation *found =
      mt_session_translate_tokens(session, mt_translation_source(own->translation), &given->params,
                                  &hooks, error);
  mt_capture *capture = found ? mt_session_capture(session, found, 0, 0, &hooks, error) : NULL;
  return take_pass(capture, own->model, found, 0);
}

/* Captures use the weights as they are stored, and would hide what rounding does. */
static gboolean
is_of_precisions(const RegardPass *a, const RegardPass *b)
{
  return mt_model_precision(a->model) != mt_model_precision(b->model);
}

/* A as its model computes it, for what is compared is the precision. */
static RegardPass *
round_reference(RegardRun *run, const RegardPass *a, mt_error *error)
{
  const mt_hooks hooks = regard_run_hooks(run, a->changes);
  mt_session *session = mt_session_new(a->model, NULL, error);
  mt_capture *rounded = session ? mt_session_capture(session, a->translation, a->hypothesis,
                                                     MT_CAPTURE_ROUNDED, &hooks, error)
                                : NULL;
  mt_session_free(session);
  return take_pass(rounded, a->model, mt_translation_ref(a->translation), a->hypothesis);
}

/* The model as it is now is given the words of the reference: B. */
static RegardPass *
force(RegardRun *run, mt_session *session, const RegardPass *a, mt_error *error)
{
  const RegardPass *own = regard_run_get_pass(run);
  const RegardComparisonParams *given = regard_run_get_params(run);
  const unsigned flags = is_of_precisions(a, own) ? MT_CAPTURE_ROUNDED : 0;
  const mt_hooks hooks = regard_run_hooks(run, given->changes);
  const mt_tokens *words = regard_pass_output(a);
  const gsize n = mt_tokens_count(words);
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_search_params params = given->params;
  mt_tokens_copy_ids(words, n, ids);
  mt_constraints *all = mt_constraints_new(ids, n, NULL, 0, error);
  if (!all)
    return NULL;
  params.constraints = all;
  params.beam_size = params.n_best = 1;
  params.min_length = 0;
  mt_translation *found =
      mt_session_translate_tokens(session, mt_translation_source(own->translation), &params, &hooks,
                                  error);
  mt_constraints_unref(all);
  mt_capture *capture = found ? mt_session_capture(session, found, 0, flags, &hooks, error) : NULL;
  return take_pass(capture, own->model, found, 0);
}

/* Both passes, where they can be had. */
static void
make_passes(RegardRun *run, mt_session *session, RegardPass *passes[2], mt_error *error)
{
  const RegardPass *own = regard_run_get_pass(run);
  const RegardComparisonParams *given = regard_run_get_params(run);
  g_autoptr(RegardPass) a =
      given->reference ? regard_pass_ref(given->reference) : search_reference(run, session, error);
  if (a)
    passes[0] = is_of_precisions(a, own) ? round_reference(run, a, error) : g_steal_pointer(&a);
  if (passes[0])
    passes[1] = force(run, session, passes[0], error);
}

static gpointer
compare(RegardRun *run, mt_error *error)
{
  g_autoptr(RegardComparison) made = g_new0(RegardComparison, 1);
  mt_session *session = mt_session_new(regard_run_get_pass(run)->model, NULL, error);
  g_atomic_ref_count_init(&made->ref_count);
  if (session)
    make_passes(run, session, made->passes, error);
  mt_session_free(session);
  if (made->passes[1])
    made->difference =
        mt_capture_difference(made->passes[0]->capture, made->passes[1]->capture, error);
  if (!made->difference)
    return NULL;
  for (guint i = 0; i < 2; i++)
    made->logprobs[i] = (double) mt_translation_hypothesis(made->passes[i]->translation,
                                                           made->passes[i]->hypothesis)
                            ->sum_logprob;
  return g_steal_pointer(&made);
}

static void
clear_params(gpointer data)
{
  RegardComparisonParams *params = data;
  regard_pass_set(&params->reference, NULL);
  mt_constraints_unref((mt_constraints *) params->params.constraints);
  mt_changes_unref(params->changes);
}

const RegardTask regard_comparison_task = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardComparisonParams),
    .compute = compare,
    .clear_params = clear_params,
    .free_result = (GDestroyNotify) regard_comparison_unref,
};

/* regard-analysis-search.c — the sentence of a pass translated otherwise: by another search, along
 * another hypothesis, with its tokens in another order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

/* ---- Another search ---------------------------------------------------------------------------
 */

static gpointer
compute_search(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  mt_search_params params = *(mt_search_params *) regard_run_get_params(run);
  RegardSteps *steps = NULL;
  mt_session *session = regard_run_get_session(run, error);
  mt_translation *found = NULL;

  params.n_best = params.beam_size;
  if (params.trace == 0)
    params.trace = 1;
  if (session)
    found = mt_session_translate_tokens(session, mt_translation_source(pass->translation), &params,
                                        &hooks, error);
  if (found)
    steps = regard_steps_new(pass->model, found, 0, NULL);
  mt_translation_unref(found);
  return steps;
}

static void
clear_search_params(gpointer data)
{
  mt_constraints_unref((mt_constraints *) ((mt_search_params *) data)->constraints);
}

const RegardTask regard_analysis_search = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(mt_search_params),
    .compute = compute_search,
    .clear_params = clear_search_params,
    .free_result = (GDestroyNotify) regard_steps_unref,
};

/* ---- Another hypothesis -----------------------------------------------------------------------
 */

static gpointer
compute_path(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardPathParams *path = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  mt_search_params params = mt_request_resolve(pass->search, pass->model);
  mt_session *session = regard_run_get_session(run, error);
  mt_constraints *constraints =
      session ? mt_constraints_new(path->ids, path->n, NULL, 0, error) : NULL;
  mt_translation *found = NULL;
  mt_capture *capture = NULL;

  params.beam_size = params.n_best = 1;
  params.constraints = constraints;
  params.min_length = 0;
  params.max_length = path->n + 2; /* the start, and room for an end */
  if (constraints)
    found = mt_session_translate_tokens(session, mt_translation_source(pass->translation), &params,
                                        &hooks, error);
  if (found)
    capture = mt_session_capture(session, found, 0, 0, &hooks, error);
  mt_translation_unref(found);
  mt_constraints_unref(constraints);
  return capture;
}

static void
clear_path_params(gpointer data)
{
  g_free(((RegardPathParams *) data)->ids);
}

const RegardTask regard_analysis_path = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardPathParams),
    .compute = compute_path,
    .clear_params = clear_path_params,
    .free_result = (GDestroyNotify) mt_capture_unref,
};

/* ---- Another order ----------------------------------------------------------------------------
 */

void
regard_order_free(RegardOrder *order)
{
  g_free(order->text);
  g_free(order->translation);
  g_free(order);
}

/* In its words, and how they are translated. */
static gboolean
fill_texts(const RegardPass *pass, const gsize *order, const mt_hooks *hooks, RegardOrder *result,
           mt_error *error)
{
  mt_translation *translation =
      mt_order_translate(pass->model, mt_translation_source(pass->translation), order, hooks,
                         error);

  if (!translation)
    return FALSE;
  result->text = g_strdup(mt_tokens_text(mt_translation_source(translation)));
  result->translation = g_strdup(mt_translation_hypothesis(translation, 0)->text);
  mt_translation_unref(translation);
  return TRUE;
}

static gpointer
compute_order(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const gsize *order = *(gsize **) regard_run_get_params(run);
  const mt_tokens *tokens = mt_translation_source(pass->translation);
  const mt_hooks untouched = regard_run_hooks(run, NULL);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  RegardOrder *result = g_new0(RegardOrder, 1);

  if (mt_order_compare(pass->model, tokens, order, &untouched, &result->untouched, error) &&
      mt_order_compare(pass->model, tokens, order, &hooks, &result->now, error) &&
      fill_texts(pass, order, &hooks, result, error))
    return result;
  regard_order_free(result);
  return NULL;
}

const RegardTask regard_analysis_order = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(gsize *),
    .compute = compute_order,
    .clear_params = regard_task_free_parameter,
    .free_result = (GDestroyNotify) regard_order_free,
};

/* regard-analysis-pages.c — what a pass computed beside its attention: where a number comes from,
 * what layers do, and what they take.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

#include <glib/gi18n.h>

/* FALSE and *error if these taps want too much; what that would be is known before. */
static gboolean
check_size(const RegardPass *pass, const mt_taps *taps, mt_error *error)
{
  const gsize bytes =
      mt_trace_bytes(pass->model, mt_tokens_count(mt_translation_source(pass->translation)),
                     mt_tokens_count(regard_pass_output(pass)), taps);
  g_autofree char *size = g_format_size(bytes), *most = g_format_size(REGARD_MOST_TRACED);

  if (bytes <= REGARD_MOST_TRACED)
    return TRUE;
  *error = (mt_error){.code = MT_ERROR_UNSUPPORTED};
  g_snprintf(error->message, sizeof error->message,
             _("What this text computes would take %s; up to %s is shown."), size, most);
  return FALSE;
}

/* The pass once more, as its capture was made, and of it what the taps want. */
static mt_trace *
trace_pass(RegardRun *run, const mt_taps *taps, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  mt_hooks hooks = regard_run_hooks(run, pass->changes);

  hooks.taps = taps;
  return check_size(pass, taps, error) && mt_changes_check_explained(pass->changes, error)
             ? mt_trace_new(pass->model, pass->translation, pass->hypothesis, &hooks, error)
             : NULL;
}

/* ---- Inside -----------------------------------------------------------------------------------
 */

void
regard_inside_found_free(RegardInsideFound *found)
{
  g_clear_pointer(&found->inside, regard_inside_unref);
  mt_trace_unref(found->trace);
  g_free(found);
}

static gpointer
compute_inside(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardInsideParams *params = regard_run_get_params(run);
  RegardInsideFound *found = g_new0(RegardInsideFound, 1);
  mt_taps taps = {0};

  regard_inside_taps(params->kind, params->layer, &taps);
  found->trace = params->trace ? mt_trace_ref(params->trace) : trace_pass(run, &taps, error);
  if (found->trace)
    found->inside =
        regard_inside_new(pass->model, found->trace, params->kind, params->layer, params->head,
                          params->query, params->key, pass->changes, error);
  if (found->inside)
    return found;
  regard_inside_found_free(found);
  return NULL;
}

static void
clear_inside_params(gpointer data)
{
  mt_trace_unref(((RegardInsideParams *) data)->trace);
}

const RegardTask regard_analysis_inside = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardInsideParams),
    .compute = compute_inside,
    .clear_params = clear_inside_params,
    .free_result = (GDestroyNotify) regard_inside_found_free,
};

/* ---- Layers -----------------------------------------------------------------------------------
 */

static RegardLayers *
make_layers(RegardRun *run, mt_trace *trace, gboolean with_lens, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);

  return regard_layers_new(pass->model, trace, pass->changes, with_lens, regard_run_should_stop,
                           run, error);
}

static gpointer
compute_layers(RegardRun *run, mt_error *error)
{
  const RegardLayersParams *params = regard_run_get_params(run);
  mt_trace *trace = params->trace ? mt_trace_ref(params->trace) : NULL;
  RegardLayers *layers = NULL;
  mt_taps taps = {0};

  regard_layers_taps(&taps, FALSE);
  if (!trace)
    trace = trace_pass(run, &taps, error);
  if (trace)
    layers = make_layers(run, trace, params->with_lens, error);
  mt_trace_unref(trace);
  return layers;
}

static void
clear_layers_params(gpointer data)
{
  mt_trace_unref(((RegardLayersParams *) data)->trace);
}

const RegardTask regard_analysis_layers = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardLayersParams),
    .compute = compute_layers,
    .clear_params = clear_layers_params,
    .free_result = (GDestroyNotify) regard_layers_unref,
};

/* ---- Graph ------------------------------------------------------------------------------------
 */

static gpointer
compute_graph(RegardRun *run, mt_error *error)
{
  mt_taps taps = {0};
  mt_trace *trace;
  g_autoptr(RegardLayers) layers = NULL;

  regard_layers_taps(&taps, TRUE);
  trace = trace_pass(run, &taps, error);
  if (trace)
    layers = make_layers(run, trace, FALSE, error);
  mt_trace_unref(trace);
  return layers ? regard_graph_new(layers, regard_run_should_stop, run, error) : NULL;
}

const RegardTask regard_analysis_graph = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .compute = compute_graph,
    .free_result = (GDestroyNotify) regard_graph_unref,
};

/* ---- Card of a token --------------------------------------------------------------------------
 */

static gpointer
compute_card(RegardRun *run, mt_error *error)
{
  RegardCardParams *params = regard_run_get_params(run);

  if (!params->batch && params->batch_func)
    params->batch = params->batch_func(params->layers->model, regard_run_should_stop, run);
  return regard_token_card_new(params->layers, params->stack, params->point, params->token,
                               params->batch ? (const mt_trace *const *) params->batch->pdata
                                             : NULL,
                               params->batch ? params->batch->len : 0, error);
}

static void
clear_card_params(gpointer data)
{
  RegardCardParams *params = data;

  regard_layers_unref(params->layers);
  g_clear_pointer(&params->batch, g_ptr_array_unref);
}

const RegardTask regard_analysis_card = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardCardParams),
    .compute = compute_card,
    .clear_params = clear_card_params,
    .free_result = (GDestroyNotify) regard_token_card_unref,
};

/* ---- Time -------------------------------------------------------------------------------------
 */

static gpointer
compute_times(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const gsize *n_passes = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  g_autofree mt_cost_times *times = g_new0(mt_cost_times, 1);

  return mt_time_costs(pass->model, pass->translation, pass->hypothesis, *n_passes, &hooks, times,
                       error)
             ? g_steal_pointer(&times)
             : NULL;
}

const RegardTask regard_analysis_times = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(gsize),
    .compute = compute_times,
    .free_result = g_free,
};

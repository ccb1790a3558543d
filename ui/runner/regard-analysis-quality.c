/* regard-analysis-quality.c — how good a model's translations of a file are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

#include <glib/gi18n.h>

static gpointer
compute_quality(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardQualityParams *params = regard_run_get_params(run);
  mt_request request = pass && pass->search ? mt_request_copy(pass->search) : (mt_request){0};
  const RegardQualityWanted wanted = {
      .model = params->model,
      .request = &request,
      .changes = pass ? pass->changes : NULL,
      .file = params->file,
      .references = params->references,
      .on_progress = regard_run_progress,
      .progress = run,
      .should_stop = regard_run_should_stop,
      .stop = run,
  };
  GError *failure = NULL;
  RegardQuality *quality = NULL;

  if (params->model && params->func)
    quality = params->func(&wanted, &failure);
  else
    failure = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("No model is open."));
  if (failure)
    regard_run_take_error(run, failure);
  mt_request_clear(&request);
  return quality;
}

static void
clear_params(gpointer data)
{
  RegardQualityParams *params = data;

  mt_model_unref(params->model);
  g_free(params->file);
  g_free(params->references);
}

const RegardTask regard_analysis_quality = {
    .priority = REGARD_RUN_OTHER,
    .params_size = sizeof(RegardQualityParams),
    .compute = compute_quality,
    .clear_params = clear_params,
    .free_result = (GDestroyNotify) regard_quality_unref,
};

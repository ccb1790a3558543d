/* regard-analysis-attribution.c — what words of a translation hang on, and how much of them comes
 * from the source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

#include <glib/gi18n.h>

/* All that an attribution reads of a run. params are its own, with its progress. */
static RegardAttributionText
text_of(const RegardPass *pass, const mt_attribution_params *params)
{
  return (RegardAttributionText){
      .model = pass->model,
      .source = mt_translation_source(pass->translation),
      .output = regard_pass_output(pass),
      .changes = pass->changes,
      .params = params,
  };
}

static mt_attribution_params
params_of(RegardRun *run)
{
  mt_attribution_params params = *(mt_attribution_params *) regard_run_get_params(run);

  params.on_progress = regard_run_progress;
  params.user = run;
  return params;
}

/* ---- One method -------------------------------------------------------------------------------
 */

void
regard_attributed_free(RegardAttributed *attributed)
{
  g_clear_pointer(&attributed->words, regard_matrix_unref);
  g_clear_pointer(&attributed->encoder, regard_matrix_unref);
  g_free(attributed);
}

static gpointer
compute_attribution(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  const mt_attribution_params params = params_of(run);
  const RegardAttributionText text = text_of(pass, &params);
  mt_session *session = regard_run_get_session(run, error);
  mt_attribution *a = session ? mt_attribution_new(session, pass->translation, pass->hypothesis,
                                                   &params, &hooks, error)
                              : NULL;
  RegardAttributed *result;

  if (!a)
    return NULL;
  result = g_new(RegardAttributed, 1);
  *result = (RegardAttributed){regard_attribution_matrix(a, &text),
                               regard_attribution_encoder_matrix(a, &text)};
  mt_attribution_unref(a);
  return result;
}

const RegardTask regard_analysis_attribution = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(mt_attribution_params),
    .compute = compute_attribution,
    .free_result = (GDestroyNotify) regard_attributed_free,
};

/* ---- All of them ------------------------------------------------------------------------------
 */

void
regard_method_comparison_free(RegardMethodComparison *comparison)
{
  mt_attribution_bench_free(comparison->bench);
  regard_pass_unref(comparison->pass);
  g_free(comparison);
}

RegardAttributionText
regard_method_comparison_text(const RegardMethodComparison *comparison)
{
  return text_of(comparison->pass, &comparison->params);
}

static gpointer
compute_methods(RegardRun *run, mt_error *error)
{
  RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  const mt_attribution_params params = params_of(run);
  mt_session *session = regard_run_get_session(run, error);
  mt_attribution_bench *bench =
      session ? mt_attribution_bench_new(session, pass->translation, pass->hypothesis, &params,
                                         &hooks, error)
              : NULL;
  RegardMethodComparison *comparison;

  if (!bench)
    return NULL;
  comparison = g_new(RegardMethodComparison, 1);
  *comparison = (RegardMethodComparison){bench, regard_pass_ref(pass), params};
  comparison->params.on_progress = NULL;
  return comparison;
}

const RegardTask regard_analysis_methods = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(mt_attribution_params),
    .compute = compute_methods,
    .free_result = (GDestroyNotify) regard_method_comparison_free,
};

/* ---- Trust ------------------------------------------------------------------------------------
 */

void
regard_trusted_free(RegardTrusted *trusted)
{
  mt_trust_unref(trusted->trust);
  g_free(trusted->no_thresholds);
  g_free(trusted);
}

static gpointer
compute_trust(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  mt_session *session = regard_run_get_session(run, error);
  mt_trust *trust =
      session ? mt_trust_new(session, pass->translation, pass->hypothesis, &hooks, error) : NULL;
  RegardTrusted *trusted;
  mt_error wrong = {0};

  if (!trust)
    return NULL;
  trusted = g_new0(RegardTrusted, 1);
  trusted->trust = trust;
  trusted->has_thresholds = *(gboolean *) regard_run_get_params(run);
  if (trusted->has_thresholds &&
      !mt_trust_thresholds_of_model(&trusted->thresholds, pass->model, &wrong)) {
    trusted->thresholds = (mt_trust_thresholds){0};
    trusted->no_thresholds = g_strdup(wrong.message);
  }
  return trusted;
}

const RegardTask regard_analysis_trust = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(gboolean),
    .compute = compute_trust,
    .free_result = (GDestroyNotify) regard_trusted_free,
};

char *
regard_analysis_explain(const RegardPass *pass, const GError *error)
{
  const mt_capture *capture = regard_pass_capture(pass);

  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return g_strdup(error->message);
  return g_strdup(capture && mt_capture_difference_a(capture)
                      ? _("A difference has none: look at A or B")
                      : _("This attention is from a file: this only a model can say"));
}

/* regard-analysis-heads.c — what each head does, and what single states bring back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

#include <glib/gi18n.h>

/* ---- Effects ----------------------------------------------------------------------------------
 */

static gpointer
compute_effects(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardEffectsParams *given = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->changes);
  mt_effects_params params = given->params;
  const char *against = given->against;
  RegardEffects *described = NULL;
  mt_session *session = regard_run_get_session(run, error);
  mt_effects *effects = NULL;

  params.on_progress = regard_run_progress;
  params.user = run;
  if (session)
    effects = mt_effects_new(session, pass->translation, pass->hypothesis, &params, &hooks, error);
  if (params.has_contrast && !against)
    against = mt_model_piece(pass->model, MT_STACK_DECODER, params.against);
  if (effects)
    described = regard_effects_new(pass->model, effects, regard_pass_output(pass), pass->changes,
                                   (guint) params.token, against);
  mt_effects_unref(effects);
  return described;
}

static void
clear_effects_params(gpointer data)
{
  RegardEffectsParams *params = data;

  mt_means_unref(params->params.means);
  g_free(params->against);
}

const RegardTask regard_analysis_effects = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardEffectsParams),
    .compute = compute_effects,
    .clear_params = clear_effects_params,
    .free_result = (GDestroyNotify) regard_effects_unref,
};

/* ---- Patching ---------------------------------------------------------------------------------
 */

static RegardPatching *
describe(const RegardPass *a, const RegardPass *b, mt_patching *patching)
{
  const mt_tokens *source_b = mt_translation_source(b->translation);
  const char *text_a = mt_tokens_text(mt_translation_source(a->translation));
  const char *text_b = mt_tokens_text(source_b);
  const RegardPatchingOf of = {
      .model = b->model,
      .translation = a->translation,
      .hypothesis = a->hypothesis,
      .source_b = source_b,
      .text_a = text_a,
      .text_b = g_str_equal(text_a, text_b) ? NULL : text_b,
      .changes_a = a->changes,
      .changes_b = b->changes,
  };

  return regard_patching_new(patching, &of, -1);
}

/* NULL: they can be patched. */
static const char *
find_obstacle(const RegardPass *a, const RegardPass *b)
{
  if (!regard_pass_has_model(a) || !regard_pass_has_model(b))
    return _("There are no two runs to be compared.");
  if (a->model != b->model) /* its states mean something else, or are rounded otherwise */
    return _("The reference is of another model or precision. States are copied within one model: "
             "keep a reference of this one (Ctrl+R).");
  return NULL;
}

static gpointer
compute_patching(RegardRun *run, mt_error *error)
{
  const RegardPass *a = regard_run_get_pass(run);
  const RegardPass *b = *(RegardPass **) regard_run_get_params(run);
  const char *obstacle = find_obstacle(a, b);
  RegardPatching *described = NULL;

  if (obstacle) {
    *error = (mt_error){.code = MT_ERROR_INPUT};
    g_strlcpy(error->message, obstacle, sizeof error->message);
    return NULL;
  }
  const mt_patching_params params = {
      .changes = a->changes,
      .source = mt_translation_source(b->translation),
      .on_progress = regard_run_progress,
      .user = run,
  };
  const mt_hooks hooks = regard_run_hooks(run, b->changes);
  mt_session *session = regard_run_get_session(run, error);
  mt_patching *patching =
      session ? mt_patching_new(session, a->translation, a->hypothesis, &params, &hooks, error)
              : NULL;
  if (patching)
    described = describe(a, b, patching);
  mt_patching_unref(patching);
  return described;
}

static void
clear_pass(gpointer data)
{
  regard_pass_set(data, NULL);
}

const RegardTask regard_analysis_patching = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardPass *),
    .compute = compute_patching,
    .clear_params = clear_pass,
    .free_result = (GDestroyNotify) regard_patching_unref,
};

/* regard-analysis.c — analyses of a pass: what each runs with the model, and what it
 * returns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-analysis.h"

#include "figures/regard-language.h"
#include "runner/regard-failure.h"

#include <string.h>

/* ---- Another search ---------------------------------------------------------------------------
 */

static gpointer
compute_search(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
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
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
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
regard_permutation_free(RegardPermutation *order)
{
  g_free(order->text);
  g_free(order->translation);
  g_free(order);
}

/* In its words, and how they are translated. */
static gboolean
fill_texts(const RegardPass *pass, const gsize *order, const mt_hooks *hooks,
           RegardPermutation *result, mt_error *error)
{
  mt_translation *translation =
      mt_permutation_translate(pass->model, mt_translation_source(pass->translation), order, hooks,
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
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
  RegardPermutation *result = g_new0(RegardPermutation, 1);

  if (mt_permutation_compare(pass->model, tokens, order, &untouched, &result->untouched, error) &&
      mt_permutation_compare(pass->model, tokens, order, &hooks, &result->now, error) &&
      fill_texts(pass, order, &hooks, result, error))
    return result;
  regard_permutation_free(result);
  return NULL;
}

const RegardTask regard_analysis_permutation = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(gsize *),
    .compute = compute_order,
    .clear_params = regard_task_free_parameter,
    .free_result = (GDestroyNotify) regard_permutation_free,
};

/* ---- What a pass computed beside its attention ------------------------------------------ */

/* Where a number comes from, what layers do, and what they take. */

/* FALSE and *error if these requests want too much; what that would be is known before. */
static gboolean
check_size(const RegardPass *pass, const mt_activation_requests *requests, mt_error *error)
{
  const gsize bytes =
      mt_trace_bytes(pass->model, mt_tokens_count(mt_translation_source(pass->translation)),
                     mt_tokens_count(regard_pass_output(pass)), requests);
  g_autofree char *size = regard_format_size(bytes), *most = regard_format_size(REGARD_MOST_TRACED);

  if (bytes <= REGARD_MOST_TRACED)
    return TRUE;
  *error = (mt_error){.code = MT_ERROR_UNSUPPORTED};
  g_snprintf(error->message, sizeof error->message,
             _("What this text computes would take %s; up to %s is shown."), size, most);
  return FALSE;
}

/* The pass once more, as its capture was made, and of it what the requests want. */
static mt_trace *
trace_pass(RegardRun *run, const mt_activation_requests *requests, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  mt_hooks hooks = regard_run_hooks(run, pass->interventions);

  hooks.requests = requests;
  return check_size(pass, requests, error) &&
                 mt_interventions_check_explained(pass->interventions, error)
             ? mt_trace_new(pass->model, pass->translation, pass->hypothesis, &hooks, error)
             : NULL;
}

/* ---- Inside -----------------------------------------------------------------------------------
 */

static gpointer
compute_inside(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardWalkthroughParams *params = regard_run_get_params(run);
  RegardWalkthrough *inside = NULL;
  mt_activation_requests requests = {0};

  regard_walkthrough_requests(params->kind, params->layer, &requests);
  mt_trace *trace = params->trace ? mt_trace_ref(params->trace) : trace_pass(run, &requests, error);
  if (trace)
    inside = regard_walkthrough_new(pass->model, trace, params->kind, params->layer, params->head,
                                    params->query, params->key, pass->interventions, error);
  mt_trace_unref(trace);
  return inside;
}

static void
clear_inside_params(gpointer data)
{
  mt_trace_unref(((RegardWalkthroughParams *) data)->trace);
}

const RegardTask regard_analysis_inside = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardWalkthroughParams),
    .compute = compute_inside,
    .clear_params = clear_inside_params,
    .free_result = (GDestroyNotify) regard_walkthrough_unref,
};

/* ---- Layers -----------------------------------------------------------------------------------
 */

static RegardLayers *
make_layers(RegardRun *run, mt_trace *trace, gboolean with_lens, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);

  return regard_layers_new(pass->model, trace, pass->interventions, with_lens,
                           regard_run_should_stop, run, error);
}

static gpointer
compute_layers(RegardRun *run, mt_error *error)
{
  const RegardLayersParams *params = regard_run_get_params(run);
  mt_trace *trace = params->trace ? mt_trace_ref(params->trace) : NULL;
  RegardLayers *layers = NULL;
  mt_activation_requests requests = {0};

  regard_layers_requests(&requests, FALSE);
  if (!trace)
    trace = trace_pass(run, &requests, error);
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
  mt_activation_requests requests = {0};
  g_autoptr(RegardLayers) layers = NULL;

  regard_layers_requests(&requests, TRUE);
  mt_trace *trace = trace_pass(run, &requests, error);
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
  const RegardPass *pass = regard_run_get_pass(run);

  if (!params->batch && params->batch_func)
    params->batch = params->batch_func(params->layers->model, pass ? pass->search : NULL,
                                       regard_run_should_stop, run);
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
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
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

/* ---- Effects ----------------------------------------------------------------------------------
 */

static gpointer
compute_effects(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardAblationParams *given = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
  mt_ablation_params params = given->params;
  const char *foil = given->foil;
  RegardAblation *described = NULL;
  mt_session *session = regard_run_get_session(run, error);
  mt_ablation *effects = NULL;

  params.on_progress = regard_run_progress;
  params.user = run;
  if (session)
    effects = mt_ablation_new(session, pass->translation, pass->hypothesis, &params, &hooks, error);
  if (params.has_contrast && !foil)
    foil = mt_model_piece(pass->model, MT_STACK_DECODER, params.foil);
  if (effects)
    described = regard_ablation_new(pass->model, effects, mt_translation_source(pass->translation),
                                    regard_pass_output(pass), pass->interventions,
                                    (guint) params.token, foil);
  mt_ablation_unref(effects);
  return described;
}

static void
clear_effects_params(gpointer data)
{
  RegardAblationParams *params = data;

  mt_means_unref(params->params.means);
  g_free(params->foil);
}

const RegardTask regard_analysis_ablation = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardAblationParams),
    .compute = compute_effects,
    .clear_params = clear_effects_params,
    .free_result = (GDestroyNotify) regard_ablation_unref,
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
      .changes_a = a->interventions,
      .changes_b = b->interventions,
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
      .interventions = a->interventions,
      .source = mt_translation_source(b->translation),
      .on_progress = regard_run_progress,
      .user = run,
  };
  const mt_hooks hooks = regard_run_hooks(run, b->interventions);
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

/* ---- What words of a translation hang on, and how much of them comes from the source ---- */

/* All that an attribution reads of a run. params are its own, with its progress. */
static RegardAttributionText
text_of(const RegardPass *pass, const mt_attribution_params *params)
{
  return (RegardAttributionText){
      .model = pass->model,
      .source = mt_translation_source(pass->translation),
      .output = regard_pass_output(pass),
      .interventions = pass->interventions,
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

static gboolean
has_same_tokens(const mt_tokens *x, const mt_tokens *y)
{
  gboolean is_same = mt_tokens_count(x) == mt_tokens_count(y);

  for (gsize i = 0; is_same && i < mt_tokens_count(x); i++)
    is_same = g_str_equal(mt_tokens_get(x, i)->piece, mt_tokens_get(y, i)->piece);
  return is_same;
}

/* What A says, with the words of B, which must be its own. */
static gboolean
attribute_a(RegardRun *run, const RegardPass *a, const mt_attribution_params *params,
            mt_attribution **result, mt_error *error)
{
  const RegardPass *b = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, a->interventions);

  if (!has_same_tokens(mt_translation_source(a->translation),
                       mt_translation_source(b->translation)) ||
      !has_same_tokens(regard_pass_output(a), regard_pass_output(b))) {
    regard_run_take_error(
        run, g_error_new_literal(G_IO_ERROR, G_IO_ERROR_FAILED,
                                 _("A and B have other words: there is no difference of what they "
                                   "hang on.")));
    return FALSE;
  }
  mt_session *session = mt_session_new(a->model, NULL, error);
  *result = session
                ? mt_attribution_new(session, a->translation, a->hypothesis, params, &hooks, error)
                : NULL;
  mt_session_free(session);
  return *result != NULL;
}

/* What B says, or, where there is an A, B − A. */
static mt_attribution *
attribute(RegardRun *run, const RegardPass *other, const mt_attribution_params *params,
          mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
  mt_attribution *a = NULL, *difference;
  if (other && !attribute_a(run, other, params, &a, error))
    return NULL;
  mt_session *session = regard_run_get_session(run, error);
  mt_attribution *b = session ? mt_attribution_new(session, pass->translation, pass->hypothesis,
                                                   params, &hooks, error)
                              : NULL;
  if (!other)
    return b;
  difference = b ? mt_attribution_difference(b, a, error) : NULL;
  mt_attribution_unref(b);
  mt_attribution_unref(a);
  return difference;
}

static gpointer
compute_attribution(RegardRun *run, mt_error *error)
{
  const RegardPass *other = ((const RegardAttributionParams *) regard_run_get_params(run))->a;
  const mt_attribution_params params = params_of(run);
  RegardAttributionText text = text_of(regard_run_get_pass(run), &params);
  mt_attribution *a = attribute(run, other, &params, error);
  if (!a)
    return NULL;
  text.is_difference = other != NULL;
  text.interventions_of_a = other ? other->interventions : NULL;
  RegardAttributed *result = g_new(RegardAttributed, 1);
  *result = (RegardAttributed){regard_attribution_matrix(a, &text),
                               regard_attribution_encoder_matrix(a, &text)};
  if (regard_language_differs()) {
    REGARD_IN_LANGUAGE(REGARD_LANGUAGE_ENGLISH);
    regard_matrix_take_english(result->words, regard_attribution_matrix(a, &text));
    if (result->encoder)
      regard_matrix_take_english(result->encoder, regard_attribution_encoder_matrix(a, &text));
  }
  mt_attribution_unref(a);
  return result;
}

static void
clear_attribution_params(gpointer params)
{
  g_clear_pointer(&((RegardAttributionParams *) params)->a, regard_pass_unref);
}

const RegardTask regard_analysis_attribution = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardAttributionParams),
    .compute = compute_attribution,
    .clear_params = clear_attribution_params,
    .free_result = (GDestroyNotify) regard_attributed_free,
};

/* ---- All of them ------------------------------------------------------------------------------
 */

void
regard_method_comparison_free(RegardMethodComparison *comparison)
{
  mt_method_comparison_free(comparison->bench);
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
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
  const mt_attribution_params params = params_of(run);
  mt_session *session = regard_run_get_session(run, error);
  mt_method_comparison *bench =
      session ? mt_method_comparison_new(session, pass->translation, pass->hypothesis, &params,
                                         &hooks, error)
              : NULL;

  if (!bench)
    return NULL;
  RegardMethodComparison *comparison = g_new(RegardMethodComparison, 1);
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
regard_trusted_free(RegardTokenContribution *trusted)
{
  mt_source_contribution_unref(trusted->trust);
  g_free(trusted->no_thresholds);
  g_free(trusted);
}

static gpointer
compute_trust(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
  mt_session *session = regard_run_get_session(run, error);
  mt_source_contribution *trust =
      session
          ? mt_source_contribution_new(session, pass->translation, pass->hypothesis, &hooks, error)
          : NULL;
  mt_error wrong = {0};

  if (!trust)
    return NULL;
  RegardTokenContribution *trusted = g_new0(RegardTokenContribution, 1);
  trusted->trust = trust;
  trusted->has_thresholds = *(gboolean *) regard_run_get_params(run);
  if (trusted->has_thresholds &&
      !mt_source_contribution_thresholds_of_model(&trusted->thresholds, pass->model, &wrong)) {
    trusted->thresholds = (mt_source_contribution_thresholds){0};
    trusted->no_thresholds = regard_failure_say(&wrong);
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

/* ---- One translation --------------------------------------------------------------------------
 */

static gpointer
compute_alignment(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);

  if (regard_pass_has_model(pass)) {
    mt_session *session = regard_run_get_session(run, error);

    return session ? mt_alignment_input_of_translation(session, pass->translation, pass->hypothesis,
                                                       &hooks, error)
                   : NULL;
  }
  regard_run_take_error(
      run,
      g_error_new_literal(
          G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
          _("Nothing is known of this translation but its attention: norms and links of words want "
            "the model.")));
  return NULL;
}

const RegardTask regard_analysis_alignment = {
    .priority = REGARD_RUN_SHOWN,
    .compute = compute_alignment,
    .free_result = (GDestroyNotify) mt_alignment_input_unref,
};

/* ---- A gold file ------------------------------------------------------------------------------
 */

/* Both columns of a file of texts. FALSE and *error: names the line. */
static gboolean
read_texts(const char *path, GPtrArray *texts[MT_N_STACKS], mt_error *error)
{
  g_autofree char *name = g_path_get_basename(path);
  mt_bytes bytes;

  if (!mt_file_read_whole(path, MT_GOLD_MOST_BYTES, false, &bytes, error))
    return FALSE;
  const char *text = (const char *) bytes.data;
  g_auto(GStrv) lines =
      g_strsplit(g_str_has_prefix(text, "\xEF\xBB\xBF") ? text + 3 : text, "\n", -1);
  mt_bytes_clear(&bytes);
  for (guint i = 0; lines[i] && (lines[i + 1] || *lines[i]); i++) {
    g_auto(GStrv) columns = g_strsplit(g_strchomp(lines[i]), "\t", 3);

    if (g_strv_length(columns) < 2) {
      *error = (mt_error){.code = MT_ERROR_FORMAT};
      g_snprintf(error->message, sizeof error->message,
                 _("%s, line %u: expected a sentence, a tab and its translation."), name, i + 1);
      return FALSE;
    }
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(texts[side], g_strdup(columns[side]));
  }
  return TRUE;
}

static gboolean
take_texts(const mt_gold *gold, GPtrArray *texts[MT_N_STACKS], mt_error *error)
{
  if (!mt_gold_format_at(gold->format)->has_texts) {
    *error = (mt_error){.code = MT_ERROR_INPUT};
    g_snprintf(error->message, sizeof error->message,
               _("%s has links and no texts: choose the file of its sentences, too."), gold->label);
    return FALSE;
  }
  for (gsize i = 0; i < gold->n_sentences; i++)
    for (int side = 0; side < MT_N_STACKS; side++)
      g_ptr_array_add(texts[side], g_strdup(mt_gold_text(gold, i, (mt_stack) side)));
  return TRUE;
}

static gpointer
compute_scores(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardScoresParams *given = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, pass->interventions);
  g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) targets = g_ptr_array_new_with_free_func(g_free);
  GPtrArray *texts[] = {sources, targets};

  if (!(given->texts ? read_texts(given->texts, texts, error)
                     : take_texts(given->gold, texts, error)))
    return NULL;
  /* As the translation was made. */
  const mt_search_params search =
      pass->search ? mt_request_resolve(pass->search, pass->model) : mt_search_params_default(NULL);
  const mt_evaluation_params params = {
      .gold = given->gold,
      .n = sources->len,
      .texts = {(const char *const *) sources->pdata, (const char *const *) targets->pdata},
      .search = &search,
      .on_progress = regard_run_progress,
      .user = run,
  };
  return regard_alignment_scores_new(pass->model, &params, &given->recipe, &hooks, error);
}

static void
clear_scores_params(gpointer data)
{
  RegardScoresParams *params = data;

  mt_gold_unref(params->gold);
  g_free(params->texts);
}

const RegardTask regard_analysis_scores = {
    .priority = REGARD_RUN_OTHER,
    .needs_model = TRUE,
    .params_size = sizeof(RegardScoresParams),
    .compute = compute_scores,
    .clear_params = clear_scores_params,
    .free_result = (GDestroyNotify) regard_alignment_scores_unref,
};

/* ---- How good a model's translations of a file are -------------------------------------- */

static gpointer
compute_quality(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardQualityParams *params = regard_run_get_params(run);
  mt_request request = pass && pass->search ? mt_request_copy(pass->search) : (mt_request){0};
  const RegardQualityShares wanted = {
      .model = params->model,
      .request = &request,
      .interventions = pass ? pass->interventions : NULL,
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

/* ---- What every head does over a text --------------------------------------------------- */

struct _RegardCorpusMaking {
  GMutex mutex;
  RegardCorpusProgress progress;
  gboolean has_begun;
  char *left_out;
};

RegardCorpusMaking *
regard_corpus_making_new(void)
{
  RegardCorpusMaking *making = g_atomic_rc_box_new0(RegardCorpusMaking);

  g_mutex_init(&making->mutex);
  return making;
}

RegardCorpusMaking *
regard_corpus_making_ref(RegardCorpusMaking *making)
{
  return g_atomic_rc_box_acquire(making);
}

static void
clear_making(gpointer data)
{
  RegardCorpusMaking *making = data;

  g_mutex_clear(&making->mutex);
  g_free(making->left_out);
}

void
regard_corpus_making_unref(RegardCorpusMaking *making)
{
  g_atomic_rc_box_release_full(making, clear_making);
}

gboolean
regard_corpus_making_get(RegardCorpusMaking *making, RegardCorpusProgress *progress)
{
  g_mutex_lock(&making->mutex);
  const gboolean has_begun = making->has_begun;
  *progress = making->progress;
  g_mutex_unlock(&making->mutex);
  return has_begun;
}

const char *
regard_corpus_making_get_left_out(RegardCorpusMaking *making)
{
  return making->left_out;
}

static void
on_corpus_progress(void *user, const RegardCorpusProgress *progress)
{
  const RegardCorpusMakingParams *params = regard_run_get_params(user);

  g_mutex_lock(&params->making->mutex);
  params->making->progress = *progress;
  params->making->has_begun = TRUE;
  g_mutex_unlock(&params->making->mutex);
  if (progress->n_lines > 0)
    regard_run_progress(user, (double) progress->line / (double) progress->n_lines);
}

static gpointer
compute_corpus(RegardRun *run, mt_error *error)
{
  const RegardPass *pass = regard_run_get_pass(run);
  const RegardCorpusMakingParams *params = regard_run_get_params(run);
  const RegardCorpusOrder order = {
      .model = params->model,
      .request = pass ? pass->search : NULL,
      .interventions = pass ? pass->interventions : NULL,
      .text = params->text,
      .path = params->path,
      .on_progress = on_corpus_progress,
      .should_stop = regard_run_should_stop,
      .user = run,
  };
  GError *failure = NULL;

  if (!params->model || !params->func)
    failure = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("No model is open."));
  else if (params->func(&order, &params->making->left_out, &failure))
    return run;
  regard_run_take_error(run, failure);
  return NULL;
}

static void
clear_corpus_params(gpointer data)
{
  RegardCorpusMakingParams *params = data;

  mt_model_unref(params->model);
  regard_corpus_making_unref(params->making);
  g_free(params->text);
  g_free(params->path);
}

const RegardTask regard_analysis_corpus = {
    .priority = REGARD_RUN_OTHER,
    .params_size = sizeof(RegardCorpusMakingParams),
    .compute = compute_corpus,
    .clear_params = clear_corpus_params,
};

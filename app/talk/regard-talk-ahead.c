/* regard-talk-ahead.c — the picture of a slide of a lesson, before it is shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-talk-ahead.h"

#include "base/regard-autoptr.h"
#include "base/regard-memory.h"
#include "figures/regard-figure-steps.h"
#include "figures/regard-figure-tree.h"
#include "figures/regard-layers.h"
#include "figures/regard-lines.h"
#include "figures/regard-walkthrough.h"
#include "formats/regard-export.h"

#include <string.h>

/* As pictures of slides that were recorded, and for a screen alone. */
static const RegardExportOptions picture_options = {170, 8, 110, 0, 0};
/* Of the search of a slide that shows its steps. */
#define TRACED 9
/* A picture that takes more is not worth it. */
#define MOST_BYTES ((gsize) 256 << 20)

/* ==== What a model computes for it ============================================================
 */

/* A slide, translated. */
typedef struct {
  const RegardTalkAheadJob *job;
  mt_model *model;
  const mt_translation *translation;
  mt_hooks hooks;
} Slide;

typedef RegardFigure *(*DrawFunc)(const Slide *slide, mt_capture *capture, mt_error *error);

static RegardFigure *
draw_attention(const Slide *slide, mt_capture *capture, mt_error *error)
{
  const RegardTalkAheadJob *job = slide->job;
  g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, &job->spec);
  if (!matrix || !job->is_lines)
    return matrix ? regard_figure_new_matrix(matrix, &job->style) : NULL;
  g_autoptr(RegardLines) lines = regard_lines_new(&matrix, NULL, 1, job->lines_share);
  return regard_figure_new_lines(lines, REGARD_LINES_UPRIGHT, NULL, &job->style);
}

static RegardFigure *
draw_steps(const Slide *slide, mt_capture *capture, mt_error *error)
{
  const RegardTalkAheadJob *job = slide->job;
  g_autoptr(RegardSteps) steps =
      regard_steps_new(slide->model, (mt_translation *) slide->translation, 0, capture);
  const RegardTreeOptions tree = REGARD_TREE_OPTIONS_INIT;
  RegardStepsOptions look = REGARD_STEPS_OPTIONS_INIT;
  if (!steps)
    return NULL;
  if (g_str_has_suffix(job->page, "/tree"))
    return regard_figure_new_tree(&steps, 1, &tree, &job->style);
  look.step = job->step ? job->step - 1 : 0;
  look.top = TRACED;
  look.kind = job->spec.kind == MT_ENCODER_SELF ? MT_CROSS : job->spec.kind;
  look.layer = job->spec.layer;
  look.head = (int) job->spec.head;
  return regard_figure_new_steps(steps, &look, &job->style);
}

/* NULL and perhaps an error: it is too large, or cannot be had. */
static mt_trace *
trace(const Slide *slide, const mt_activation_requests *requests, mt_error *error)
{
  const gsize n_source = mt_tokens_count(mt_translation_source(slide->translation)),
              n_target = mt_tokens_count(mt_translation_hypothesis(slide->translation, 0)->tokens);
  mt_hooks hooks = slide->hooks;
  hooks.requests = requests;
  return mt_trace_bytes(slide->model, n_source, n_target, requests) <= MOST_BYTES &&
                 mt_interventions_check_explained(hooks.interventions, error)
             ? mt_trace_new(slide->model, slide->translation, 0, &hooks, error)
             : NULL;
}

static RegardFigure *
draw_inside(const Slide *slide, mt_capture *capture, mt_error *error)
{
  const RegardTalkAheadJob *job = slide->job;
  RegardWalkthroughOptions look = REGARD_WALKTHROUGH_OPTIONS_INIT;
  mt_activation_requests requests = {0};
  regard_walkthrough_requests(job->spec.kind, job->spec.layer, &requests);
  mt_trace *traced = trace(slide, &requests, error);
  g_autoptr(RegardWalkthrough) inside =
      traced ? regard_walkthrough_new(slide->model, traced, job->spec.kind, job->spec.layer,
                                      job->spec.head, 1, -1, slide->hooks.interventions, error)
             : NULL;
  mt_trace_unref(traced);
  look.parts = REGARD_WALKTHROUGH_ROW;
  look.step = job->step                                ? job->step
              : g_str_has_suffix(job->page, "/weight") ? REGARD_STEP_WEIGHT
                                                       : 1;
  look.says_step = TRUE;
  return inside ? regard_figure_new_walkthrough(inside, &look, &job->style) : NULL;
}

static RegardFigure *
draw_layers(const Slide *slide, mt_capture *capture, mt_error *error)
{
  const RegardTalkAheadJob *job = slide->job;
  const char *part = strchr(job->page, '/');
  RegardLayersOptions look = REGARD_LAYERS_OPTIONS_INIT;
  mt_activation_requests requests = {0};
  gboolean is_known = FALSE;
  for (guint i = 0; part && regard_layers_show_ids[i]; i++)
    if (g_str_equal(regard_layers_show_ids[i], part + 1)) {
      look.show = (RegardLayersShow) i;
      is_known = TRUE;
    }
  if (!is_known)
    return NULL;
  regard_layers_requests(&requests, FALSE);
  mt_trace *traced = trace(slide, &requests, error);
  g_autoptr(RegardLayers) layers =
      traced ? regard_layers_new(slide->model, traced, slide->hooks.interventions,
                                 look.show == REGARD_LAYERS_LENS, slide->hooks.should_stop,
                                 slide->hooks.user, error)
             : NULL;
  mt_trace_unref(traced);
  return layers ? regard_figure_new_layers(layers, &look, &job->style) : NULL;
}

/* By the id of a page. */
static const struct {
  const char *page;
  DrawFunc draw;
  gboolean is_traced; /* the search is */
} drawings[] = {
    {"attention", draw_attention, FALSE},
    {"steps", draw_steps, TRUE},
    {"inside", draw_inside, FALSE},
    {"layers", draw_layers, FALSE},
};

static int
find_drawing(const char *page)
{
  const gsize n = strcspn(page, "/");
  for (guint i = 0; i < G_N_ELEMENTS(drawings); i++)
    if (strlen(drawings[i].page) == n && strncmp(drawings[i].page, page, n) == 0)
      return (int) i;
  return -1;
}

/* ---- The task -------------------------------------------------------------------------------- */

static RegardFigure *
draw(RegardRun *run, mt_model *model, mt_error *error)
{
  RegardTalkAheadJob *job = regard_run_get_params(run);
  const int drawing = find_drawing(job->page);
  g_autoptr(mt_interventions) changes = mt_interventions_parse("changes", job->changes, error);
  if (!changes || !mt_interventions_check(changes, mt_model_config(model), error))
    return NULL;
  mt_search_params params = mt_request_resolve(&job->search, model);
  params.trace = drawings[drawing].is_traced ? TRACED : 0;
  const mt_hooks hooks = regard_run_hooks(run, changes);
  g_autoptr(mt_session) session = mt_session_new(model, NULL, error);
  g_autoptr(mt_translation) translation =
      session ? mt_session_translate(session, job->text, &params, &hooks, error) : NULL;
  g_autoptr(mt_capture) capture =
      translation ? mt_session_capture(session, translation, 0, 0, &hooks, error) : NULL;
  const Slide slide = {job, model, translation, hooks};
  return capture ? drawings[drawing].draw(&slide, capture, error) : NULL;
}

static gpointer
compute(RegardRun *run, mt_error *error)
{
  const RegardTalkAheadJob *job = regard_run_get_params(run);
  const mt_load_options options = {.precision = job->precision,
                                   .most_memory = regard_memory_to_spare()};
  g_autoptr(mt_model) model =
      job->model ? mt_model_ref(job->model) : mt_model_open(job->folder, &options, error);
  g_autoptr(RegardFigure) figure = model ? draw(run, model, error) : NULL;
  GError *failure = NULL;
  GBytes *png =
      figure ? regard_export_format_find("png")->render(figure, &picture_options, &failure) : NULL;
  if (failure)
    regard_run_take_error(run, failure);
  else if (!png && error->code == MT_OK)
    error->code = MT_ERROR_UNSUPPORTED;
  return png;
}

static void
clear(gpointer data)
{
  RegardTalkAheadJob *job = data;
  mt_model_unref(job->model);
  g_free(job->folder);
  g_free(job->text);
  g_free(job->changes);
  g_free(job->page);
  mt_request_clear(&job->search);
}

const RegardTask regard_talk_ahead_task = {
    .priority = REGARD_RUN_OTHER,
    .params_size = sizeof(RegardTalkAheadJob),
    .compute = compute,
    .clear_params = clear,
    .free_result = (GDestroyNotify) g_bytes_unref,
};

/* ==== What a slide will show ==================================================================
 */

gboolean
regard_talk_ahead_init(RegardTalkAheadJob *job, RegardLessonRun *run, guint step,
                       RegardStage *stage)
{
  RegardDocument *document = regard_stage_get_document(stage);
  RegardSelection *s = regard_document_get_selection(document);
  g_auto(RegardLessonAhead) ahead = {0};
  regard_lesson_run_look_ahead(run, step, &ahead);
  g_autofree char *page = ahead.page ? g_strdup(ahead.page->text) : regard_stage_dup_page(stage);
  mt_model *model = regard_document_get_model(document);
  const char *runs = regard_document_get_model_dir(document);
  const gboolean is_same = model && g_strcmp0(runs, ahead.model) == 0;
  if (!page || find_drawing(page) < 0 || !ahead.model || !*ahead.text ||
      (!is_same && !*ahead.model))
    return FALSE;
  const RegardHeadRef *place = regard_document_get_place(document);
  *job = (RegardTalkAheadJob){
      .model = is_same ? mt_model_ref(model) : NULL,
      .folder = g_strdup(ahead.model),
      .text = g_steal_pointer(&ahead.text),
      .changes = g_steal_pointer(&ahead.changes),
      .precision = regard_document_get_slot(document)->precision,
      .search = mt_request_copy(regard_document_get_search(document)),
      .page = g_steal_pointer(&page),
      .step = ahead.step ? (guint) ahead.step->number : 0,
      .is_lines = ahead.form ? g_str_equal(ahead.form->text, "lines")
                             : regard_selection_get_form(s) == REGARD_FORM_LINES,
      .lines_share = regard_selection_get_lines_share(s),
      .style = REGARD_FIGURE_STYLE_INIT,
  };
  mt_request_set_interventions(&job->search, NULL);
  mt_request_set_constraints(&job->search, NULL);
  regard_selection_get_spec(s, &job->spec);
  job->spec.combine = REGARD_COMBINE_HEAD;
  job->spec.chosen = NULL;
  job->spec.kind = ahead.head ? ahead.head->kind : place->kind;
  job->spec.layer = ahead.head ? ahead.head->layer : place->layer;
  job->spec.head = ahead.head ? ahead.head->head : place->head;
  job->style.colormap = regard_selection_get_colormap(s);
  job->style.scale = regard_selection_get_scale(s);
  job->style.is_plain = regard_selection_get_simple(s);
  return TRUE;
}

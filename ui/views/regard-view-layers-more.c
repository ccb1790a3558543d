/* regard-view-layers-more.c — the page Layers: the embedding, and what layers cost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view-layers-private.h"

#include <glib/gi18n.h>

static void
show(RegardViewLayers *self,
     RegardFigure *(*create)(RegardViewLayers *, const RegardFigureStyle *) )
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area), create(self, &style));
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->scroller);
  regard_view_layers_show_status(self);
}

/* ---- Embedding ------------------------------------------------------------------------------- */

RegardFigure *
regard_view_layers_new_embedding(RegardViewLayers *self, const RegardFigureStyle *style)
{
  RegardEmbeddingLook look = self->embedding_look;

  look.stack =
      self->look.stacks == REGARD_STACK_BIT(MT_STACK_DECODER) ? MT_STACK_DECODER : MT_STACK_ENCODER;
  if (look.stack != self->embedding_look.stack &&
      !mt_model_config(self->layers->model)->share_embeddings)
    look.piece = -1; /* of the other vocabulary */
  return regard_figure_new_embedding(self->layers, &look, style);
}

void
regard_view_layers_show_embedding(RegardViewLayers *self)
{
  show(self, regard_view_layers_new_embedding);
}

static mt_stack
embedding_stack(RegardViewLayers *self)
{
  return self->look.stacks == REGARD_STACK_BIT(MT_STACK_DECODER) ? MT_STACK_DECODER
                                                                 : MT_STACK_ENCODER;
}

void
regard_view_layers_activate_embedding(RegardViewLayers *self, const RegardSpot *spot)
{
  if (spot->part != REGARD_EMBEDDING_SPOT_TOKEN && spot->part != REGARD_EMBEDDING_SPOT_NEIGHBOUR)
    return;
  self->embedding_look.stack = embedding_stack(self);
  self->embedding_look.piece =
      regard_figure_embedding_piece(regard_figure_area_get_figure(REGARD_FIGURE_AREA(self->area)),
                                    spot);
  regard_view_layers_show(self);
}

void
regard_view_layers_search(RegardViewLayers *self)
{
  g_autofree char *word = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(self->search))));

  if (!self->layers)
    return;
  self->embedding_look.stack = embedding_stack(self);
  self->embedding_look.piece =
      regard_embedding_find_piece(self->layers->model, self->embedding_look.stack, word);
  if (*word && self->embedding_look.piece < 0)
    gtk_widget_add_css_class(self->search, "error");
  else
    gtk_widget_remove_css_class(self->search, "error");
  regard_view_layers_show(self);
}

/* ---- Complexity ------------------------------------------------------------------------------ */

/* Without times the card is right too. */
static void
on_timed(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  g_autofree mt_cost_times *times = regard_run_finish(run, NULL);

  self->times = times ? *times : (mt_cost_times){0};
  mt_capture_unref(self->timed);
  self->timed = mt_capture_ref(regard_run_get_pass(run)->capture);
  if (times && self->shown_page == SHOW_COMPLEXITY)
    regard_view_layers_show(self);
}

RegardFigure *
regard_view_layers_new_complexity(RegardViewLayers *self, const RegardFigureStyle *style)
{
  const mt_trace *trace = self->layers->trace;
  RegardComplexity complexity =
      regard_complexity_count(mt_model_config(self->layers->model),
                              mt_tokens_count(mt_trace_source(trace)),
                              mt_tokens_count(mt_trace_output(trace)), REGARD_COMPLEXITY_KERNEL,
                              REGARD_COMPLEXITY_RESTRICTED);
  g_autofree char *changed =
      self->layers->changes ? g_strdup_printf("changed: %s", self->layers->changes) : NULL;
  const char *const badges[] = {changed, NULL};

  if (self->timed == regard_pass_capture(self->pass))
    complexity.times = self->times;
  return regard_figure_new_complexity(&complexity, mt_model_name(self->layers->model), badges,
                                      style);
}

void
regard_view_layers_show_complexity(RegardViewLayers *self)
{
  const gsize n_passes = REGARD_COMPLEXITY_PASSES;

  show(self, regard_view_layers_new_complexity);
  if (self->timed != regard_pass_capture(self->pass) && !regard_work_is_busy(self->time_work))
    regard_work_run(self->time_work, &regard_analysis_times, self->pass, &n_passes, on_timed);
}

void
regard_view_layers_clear_more(RegardViewLayers *self)
{
  regard_work_drop(self->time_work);
  g_clear_pointer(&self->timed, mt_capture_unref);
  self->times = (mt_cost_times){0};
}

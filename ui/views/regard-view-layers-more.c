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

static void
on_timed(GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardViewLayers) self = data;
  mt_cost_times times;

  if (!regard_selection_time_finish(REGARD_SELECTION(object), result, &times, NULL))
    return; /* there is a newer text; without times the card is right too */
  self->times = times;
  mt_capture_unref(self->timed);
  self->timed = mt_capture_ref(regard_selection_asked_pass(result)->capture);
  if (self->shown_page == SHOW_COMPLEXITY)
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
  show(self, regard_view_layers_new_complexity);
  if (self->timed == regard_pass_capture(self->pass) || self->time_cancellable)
    return;
  self->time_cancellable = g_cancellable_new();
  regard_selection_time_async(regard_view_get_selection(REGARD_VIEW(self)), self->pass,
                              REGARD_COMPLEXITY_PASSES, self->time_cancellable, on_timed,
                              g_object_ref(self));
}

void
regard_view_layers_clear_more(RegardViewLayers *self)
{
  g_cancellable_cancel(self->time_cancellable);
  g_clear_object(&self->time_cancellable);
  g_clear_pointer(&self->timed, mt_capture_unref);
  self->times = (mt_cost_times){0};
}

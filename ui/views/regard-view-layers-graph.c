/* regard-view-layers-graph.c — the page Layers: the graph of contributions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It reads weights and values of every layer, which is more than all else on the page, and so it is
 * asked for only when somebody looks.
 */
#include "views/regard-view-layers-private.h"

#include <glib/gi18n.h>

static void
on_graph(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  g_autoptr(GError) error = NULL;
  RegardGraph *graph = regard_run_finish(run, &error);

  if (!graph) { /* the other pictures of the page may need less, and stay */
    gtk_label_set_text(GTK_LABEL(self->message), error->message);
    gtk_stack_set_visible_child(GTK_STACK(self->stack), self->message);
    return;
  }
  regard_graph_unref(self->graph);
  self->graph = graph;
  mt_capture_unref(self->graph_of);
  self->graph_of = mt_capture_ref(regard_run_get_pass(run)->capture);
  self->graph_look.token = -1;
  regard_view_layers_show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

void
regard_view_layers_show_graph(RegardViewLayers *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  if (self->graph_of != regard_pass_capture(self->pass) || !self->graph) {
    regard_work_run(self->graph_work, &regard_analysis_graph, self->pass, NULL, on_graph);
    return;
  }
  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL;
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area),
                                regard_view_layers_new_graph(self, &style));
  gtk_stack_set_visible_child(GTK_STACK(self->stack), self->scroller);
  regard_view_layers_show_status(self);
}

RegardFigure *
regard_view_layers_new_graph(RegardViewLayers *self, const RegardFigureStyle *style)
{
  return self->graph && self->graph_of == regard_pass_capture(self->pass)
             ? regard_figure_new_graph(self->graph, &self->graph_look, style)
             : NULL;
}

void
regard_view_layers_activate_graph(RegardViewLayers *self, const RegardSpot *spot)
{
  RegardGraphLook *look = &self->graph_look;
  const gboolean is_same =
      look->token == spot->row && look->point == spot->col && (int) look->stack == spot->part;

  if (spot->part > MT_STACK_DECODER) /* a line */
    return;
  look->stack = (mt_stack) spot->part;
  look->point = spot->col;
  look->token = is_same ? -1 : spot->row;
  regard_view_layers_show(self);
}

void
regard_view_layers_clear_graph(RegardViewLayers *self)
{
  regard_work_drop(self->graph_work);
  g_clear_pointer(&self->graph, regard_graph_unref);
  g_clear_pointer(&self->graph_of, mt_capture_unref);
}

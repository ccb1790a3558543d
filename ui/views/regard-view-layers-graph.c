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
graph_free(gpointer graph)
{
  regard_graph_unref(graph);
}

static void
compute_graph(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const RegardLayersWanted *wanted = data;
  mt_error error = {0};
  g_autoptr(RegardLayers) layers =
      regard_layers_new(wanted->pass->model, wanted->trace, wanted->pass->changes, FALSE,
                        regard_engine_is_cancelled, cancellable, &error);
  RegardGraph *graph =
      layers ? regard_graph_new(layers, regard_engine_is_cancelled, cancellable, &error) : NULL;

  if (graph)
    g_task_return_pointer(task, graph, graph_free);
  else
    regard_engine_return_error(task, &error);
}

static void
on_graph(GObject *object, GAsyncResult *result, gpointer data)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(object);
  const RegardLayersWanted *wanted = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  RegardGraph *graph = g_task_propagate_pointer(G_TASK(result), &error);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!graph) {
    regard_view_layers_show_message(self, error->message);
    return;
  }
  regard_graph_unref(self->graph);
  self->graph = graph;
  mt_capture_unref(self->graph_of);
  self->graph_of = mt_capture_ref(wanted->pass->capture);
  self->graph_look.token = -1;
  regard_view_layers_show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_graph_traced(GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardViewLayers) self = data;
  g_autoptr(GError) error = NULL;
  mt_trace *trace = regard_selection_trace_finish(REGARD_SELECTION(object), result, &error);

  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!trace) { /* the other pictures of the page may need less, and stay */
    gtk_label_set_text(GTK_LABEL(self->message), error->message);
    gtk_stack_set_visible_child(GTK_STACK(self->stack), self->message);
    return;
  }
  g_autoptr(GTask) task = g_task_new(self, self->graph_cancellable, on_graph, NULL);
  g_task_set_task_data(task,
                       regard_layers_wanted_new(regard_selection_asked_pass(result), trace, FALSE),
                       regard_layers_wanted_free);
  g_task_run_in_thread(task, compute_graph);
  mt_trace_unref(trace);
}

void
regard_view_layers_stop_graph(RegardViewLayers *self)
{
  g_cancellable_cancel(self->graph_cancellable);
  g_clear_object(&self->graph_cancellable);
}

/* Of the pass that the other pictures are of. */
static void
load_graph(RegardViewLayers *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_taps taps = {0};

  regard_view_layers_stop_graph(self);
  regard_layers_taps(&taps, TRUE);
  self->graph_cancellable = g_cancellable_new();
  regard_selection_trace_async(s, self->pass, &taps, self->graph_cancellable, on_graph_traced,
                               g_object_ref(self));
}

void
regard_view_layers_show_graph(RegardViewLayers *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  if (self->graph_of != regard_pass_capture(self->pass) || !self->graph) {
    load_graph(self);
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
  regard_view_layers_stop_graph(self);
  g_clear_pointer(&self->graph, regard_graph_unref);
  g_clear_pointer(&self->graph_of, mt_capture_unref);
}

/* widget-test.h — what tests of widgets share: a window, controllers by name, a picture of a
 * widget.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

/* The pointer of a bare X server stands in the middle of the screen: windows of tests end above
 * and left of it, so that no motion arrives but what a test sends. */
#define WINDOW_WIDTH  700
#define WINDOW_HEIGHT 430

static inline GtkWidget *
show_in_window(GtkWidget *child)
{
  GtkWidget *window = gtk_window_new();

  gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
  gtk_window_set_default_size(GTK_WINDOW(window), WINDOW_WIDTH, WINDOW_HEIGHT);
  gtk_window_set_child(GTK_WINDOW(window), child);
  gtk_window_present(GTK_WINDOW(window));
  gtk_test_widget_wait_for_draw(window);
  return window;
}

/* The controller of a widget that has this name. */
static inline GtkEventController *
controller(GtkWidget *widget, const char *name)
{
  g_autoptr(GListModel) list = gtk_widget_observe_controllers(widget);

  for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
    g_autoptr(GtkEventController) c = g_list_model_get_item(list, i);

    if (g_strcmp0(gtk_event_controller_get_name(c), name) == 0)
      return c;
  }
  g_error("%s has no controller %s", G_OBJECT_TYPE_NAME(widget), name);
}

static inline void
move_pointer(GtkWidget *widget, double x, double y)
{
  g_signal_emit_by_name(controller(widget, "motion"), "motion", x, y);
}

static inline void
leave(GtkWidget *widget)
{
  g_signal_emit_by_name(controller(widget, "motion"), "leave");
}

static inline void
click_at(GtkWidget *widget, double x, double y)
{
  g_signal_emit_by_name(controller(widget, "click"), "pressed", 1, x, y);
  g_signal_emit_by_name(controller(widget, "click"), "released", 1, x, y);
}

static inline gboolean
press_key(GtkWidget *widget, guint keyval, GdkModifierType state)
{
  gboolean handled = FALSE;

  g_signal_emit_by_name(controller(widget, "keys"), "key-pressed", keyval, 0u, state, &handled);
  return handled;
}

static inline double
middle_x(const graphene_rect_t *r)
{
  return r->origin.x + r->size.width / 2;
}

static inline double
middle_y(const graphene_rect_t *r)
{
  return r->origin.y + r->size.height / 2;
}

/* A widget as it would be painted, on white. Caller destroys. */
static inline cairo_surface_t *
paint(GtkWidget *widget)
{
  int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  cairo_t *cr = cairo_create(surface);
  GskRenderNode *node;

  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  GTK_WIDGET_GET_CLASS(widget)->snapshot(widget, snapshot);
  node = gtk_snapshot_free_to_node(snapshot);
  if (node) {
    gsk_render_node_draw(node, cr);
    gsk_render_node_unref(node);
  }
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  return surface;
}

static inline guint32
pixel(cairo_surface_t *surface, double x, double y)
{
  const guchar *data = cairo_image_surface_get_data(surface);

  return *(const guint32 *) (data + (int) y * cairo_image_surface_get_stride(surface) +
                             4 * (int) x);
}

/* Pixels that differ from white. */
static inline guint
count_ink(cairo_surface_t *surface)
{
  guint n = 0;

  for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
    for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
      n += (pixel(surface, x, y) & 0xffffff) != 0xffffff;
  return n;
}

/* Nodes of one snapshot that are the very same in a later one, at any depth: what is the same, the
 * renderer does not paint again. */
static inline void
collect_nodes(GskRenderNode *node, GHashTable *set)
{
  GskRenderNodeType type = gsk_render_node_get_node_type(node);

  g_hash_table_add(set, node);
  if (type == GSK_CONTAINER_NODE)
    for (guint i = 0; i < gsk_container_node_get_n_children(node); i++)
      collect_nodes(gsk_container_node_get_child(node, i), set);
  else if (type == GSK_TRANSFORM_NODE)
    collect_nodes(gsk_transform_node_get_child(node), set);
  else if (type == GSK_CLIP_NODE)
    collect_nodes(gsk_clip_node_get_child(node), set);
}

static inline GskRenderNode *
snapshot_widget(GtkWidget *widget)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();

  GTK_WIDGET_GET_CLASS(widget)->snapshot(widget, snapshot);
  return gtk_snapshot_free_to_node(snapshot);
}

static inline guint
count_kept(GskRenderNode *before, GskRenderNode *after)
{
  g_autoptr(GHashTable) a = g_hash_table_new(NULL, NULL), b = g_hash_table_new(NULL, NULL);
  GHashTableIter iter;
  gpointer node;
  guint n = 0;

  collect_nodes(before, a);
  collect_nodes(after, b);
  g_hash_table_iter_init(&iter, a);
  while (g_hash_table_iter_next(&iter, &node, NULL))
    n += gsk_render_node_get_node_type(node) == GSK_CAIRO_NODE && g_hash_table_contains(b, node);
  return n;
}

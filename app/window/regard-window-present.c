/* regard-window-present.c — the whole screen, and a way to show the window to a room.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Presenting: large type, panes, bars and chips away, black on white, and a pointer that is seen
 * from the back row. Nothing of it is remembered: the settings are what they were.
 */
#include "window/regard-window-private.h"

/* Diameter of the pointer, px. */
#define POINTER 44

/* Of the colour maps the one with most contrast on a white wall. */
#define COLORS "grey"

/* An orange disc that lets what is below it through, with its rim in both black and white. */
static GdkCursor *
create_pointer(void)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, POINTER, POINTER);
  cairo_t *cr = cairo_create(surface);
  double middle = POINTER / 2.0;
  cairo_arc(cr, middle, middle, middle - 4, 0, 2 * G_PI);
  cairo_set_source_rgba(cr, 0.96, 0.47, 0, 0.35);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_set_line_width(cr, 6);
  cairo_stroke_preserve(cr);
  cairo_set_source_rgb(cr, 0.8, 0.3, 0);
  cairo_set_line_width(cr, 3);
  cairo_stroke(cr);
  cairo_arc(cr, middle, middle, 2.5, 0, 2 * G_PI);
  cairo_fill(cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  gsize stride = (gsize) cairo_image_surface_get_stride(surface);
  g_autoptr(GBytes) bytes = g_bytes_new(cairo_image_surface_get_data(surface), stride * POINTER);
  g_autoptr(GdkTexture) texture =
      gdk_memory_texture_new(POINTER, POINTER, GDK_MEMORY_DEFAULT, bytes, stride);
  cairo_surface_destroy(surface);
  return gdk_cursor_new_from_texture(texture, POINTER / 2, POINTER / 2, NULL);
}

/* A pane that a setting shows, and presenting does not. */
static void
show_pane(RegardWindow *self, gpointer widget, const char *property, const char *key)
{
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(widget), property))
    g_object_set(widget, property,
                 !self->is_presenting && g_settings_get_boolean(self->settings, key), NULL);
}

static void
show_parts(RegardWindow *self)
{
  for (GtkWidget *view = gtk_widget_get_first_child(GTK_WIDGET(self->views)); view;
       view = gtk_widget_get_next_sibling(view)) {
    show_pane(self, view, "show-heads", "show-heads");
    show_pane(self, view, "show-panel", "show-details");
  }
  show_pane(self, regard_source_pane_get_strip(self->source), "visible", "show-tokens");
  show_pane(self, regard_target_pane_get_strip(self->target), "visible", "show-tokens");
  gtk_widget_set_visible(self->header, !self->is_presenting);
  gtk_widget_set_visible(self->view_bar, !self->is_presenting);
  regard_window_update_changes(self);
}

void
regard_window_set_presenting(RegardWindow *self, gboolean presenting)
{
  if (self->is_presenting == presenting)
    return;
  self->is_presenting = presenting;
  show_parts(self);
  if (presenting) {
    g_autoptr(GdkCursor) pointer = create_pointer();
    gtk_widget_set_cursor(GTK_WIDGET(self), pointer);
    gtk_widget_add_css_class(GTK_WIDGET(self), "presenting");
    regard_selection_set_colormap(self->selection, COLORS);
    gtk_window_fullscreen(GTK_WINDOW(self));
    regard_window_focus_picture(self);
  } else {
    g_autofree char *colormap = g_settings_get_string(self->settings, "colormap");
    gtk_widget_set_cursor(GTK_WIDGET(self), NULL);
    gtk_widget_remove_css_class(GTK_WIDGET(self), "presenting");
    if (regard_colormap_find(colormap))
      regard_selection_set_colormap(self->selection, colormap);
    gtk_window_unfullscreen(GTK_WINDOW(self));
  }
}

static void
present(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_window_set_presenting(self, !self->is_presenting);
}

static void
fullscreen(GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (gtk_window_is_fullscreen(GTK_WINDOW(widget)))
    gtk_window_unfullscreen(GTK_WINDOW(widget));
  else
    gtk_window_fullscreen(GTK_WINDOW(widget));
}

void
regard_window_install_present_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.present", NULL, present);
  gtk_widget_class_install_action(klass, "win.fullscreen", NULL, fullscreen);
}

/* regard-window-present.c — the whole screen, and a way to show the window to a room.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Presenting: large type, panes, bars and chips away, black on white, and a pointer that is seen
 * from the back row. Nothing of it is remembered: the settings are what they were.
 */
#include "window/regard-window-private.h"

#include "widgets/regard-trust.h"

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

/* ---- Parts that can be hidden ------------------------------------------------------------------
 */

/* Each is a setting, and an action of the same name. To a room they are shown by keys of their own,
 * and the settings stay as they are. */
enum { HEADS, DETAILS, TOKENS, TRUST, N_PARTS };
static const char *const part_keys[N_PARTS] = {
    [HEADS] = "show-heads",
    [DETAILS] = "show-details",
    [TOKENS] = "show-tokens",
    [TRUST] = "show-trust",
};

static gboolean
is_shown(RegardWindow *self, guint part)
{
  return self->is_presenting ? (self->presented >> part & 1) != 0
                             : g_settings_get_boolean(self->settings, part_keys[part]);
}

/* A view that has such a pane lets it be hidden. */
static void
show_panes(RegardWindow *self, const char *property, gboolean visible)
{
  for (GtkWidget *view = gtk_widget_get_first_child(GTK_WIDGET(self->views)); view;
       view = gtk_widget_get_next_sibling(view))
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(view), property))
      g_object_set(view, property, visible, NULL);
}

static void
show_parts(RegardWindow *self)
{
  show_panes(self, "show-heads", is_shown(self, HEADS));
  show_panes(self, "show-panel", is_shown(self, DETAILS));
  gtk_widget_set_visible(GTK_WIDGET(regard_source_pane_get_strip(self->source)),
                         is_shown(self, TOKENS));
  gtk_widget_set_visible(GTK_WIDGET(regard_target_pane_get_strip(self->target)),
                         is_shown(self, TOKENS));
  g_object_set(regard_trust_of(self->selection), "on", is_shown(self, TRUST), NULL);
  for (guint i = 0; i < N_PARTS; i++) {
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self), part_keys[i]);
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(is_shown(self, i)));
  }
  gtk_widget_set_visible(self->header, !self->is_presenting);
  gtk_widget_set_visible(self->view_bar, !self->is_presenting);
  regard_window_update_changes(self);
}

static void
on_part(GSimpleAction *action, GVariant *parameter, RegardWindow *self)
{
  const char *key = g_action_get_name(G_ACTION(action));
  guint part = 0;
  while (!g_str_equal(part_keys[part], key))
    part++;
  const gboolean shown = !is_shown(self, part);
  if (!self->is_presenting) {
    g_settings_set_boolean(self->settings, key, shown);
    return;
  }
  self->presented ^= 1U << part;
  if (part == TRUST && shown) /* it stands under the pieces */
    self->presented |= 1U << TOKENS;
  show_parts(self);
}

void
regard_window_observe_panes(RegardWindow *self)
{
  for (guint i = 0; i < N_PARTS; i++) {
    g_autoptr(GSimpleAction) action =
        g_simple_action_new_stateful(part_keys[i], NULL, g_variant_new_boolean(is_shown(self, i)));
    g_autofree char *changed = g_strconcat("changed::", part_keys[i], NULL);
    g_signal_connect_object(action, "activate", G_CALLBACK(on_part), self, 0);
    g_action_map_add_action(G_ACTION_MAP(self), G_ACTION(action));
    g_signal_connect_object(self->settings, changed, G_CALLBACK(show_parts), self,
                            G_CONNECT_SWAPPED);
  }
  show_parts(self);
}

/* ---- Presenting --------------------------------------------------------------------------------
 */

static void
on_menu_closed(RegardWindow *self)
{
  GtkPopover *menu = gtk_menu_button_get_popover(self->menu_button);
  g_signal_handlers_disconnect_by_func(menu, on_menu_closed, self);
  gtk_widget_set_visible(self->header, !self->is_presenting);
}

void
regard_window_show_menu(RegardWindow *self)
{
  GtkPopover *menu = gtk_menu_button_get_popover(self->menu_button);
  gtk_widget_set_visible(self->header, TRUE);
  g_signal_connect_swapped(menu, "closed", G_CALLBACK(on_menu_closed), self);
  gtk_menu_button_popup(self->menu_button);
}

void
regard_window_set_presenting(RegardWindow *self, gboolean presenting)
{
  if (self->is_presenting == presenting)
    return;
  self->is_presenting = presenting;
  self->presented = 0;
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

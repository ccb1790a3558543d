/* regard-window-layout.c — how much room the texts get.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Left alone, the texts take the height they need, up to a third of the window; the pictures get
 * the rest. Once the person moves a divider it stays where it was put, until "Reset Layout".
 */
#include "window/regard-window-private.h"

#include "widgets/regard-theme.h"

/* The texts' share of the room that texts and pictures have together. */
#define MOST_OF_THE_ROOM 0.34
/* In a low window the pieces get two lines instead of three; the rest is scrolled to. */
#define LOW_ROOM 640
/* Of a title in pixels, which may have the long name of a session. */
#define LEAST_TITLE 140
/* From here on letters are large: the pages' names side by side are wider than a small screen. */
#define LARGE_TEXT 1.3

/* The title is there if it does not cut off what stands beside it: the model's name and the
 * buttons. */
static void
lay_out_header(RegardWindow *self)
{
  int natural, title = self->title_width;
  gtk_widget_measure(self->header, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  if (gtk_widget_get_visible(GTK_WIDGET(self->title))) {
    gtk_widget_measure(GTK_WIDGET(self->title), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &title, NULL,
                       NULL);
    self->title_width = title;
    natural -= title;
  }
  gtk_widget_set_visible(GTK_WIDGET(self->title), gtk_widget_get_width(GTK_WIDGET(self)) >=
                                                      natural + MIN(title, LEAST_TITLE));
}

static void
lay_out(RegardWindow *self)
{
  int room = gtk_widget_get_height(GTK_WIDGET(self->text_paned));
  int width = gtk_widget_get_width(GTK_WIDGET(self->split));
  if (room <= 0 || width <= 0)
    return;
  lay_out_header(self);
  self->is_laying_out = TRUE;
  self->laid_out_width = width;
  self->laid_out_room = room;
  gtk_paned_set_position(self->split,
                         (int) (width * g_settings_get_double(self->settings, "text-split")));
  guint lines = room < LOW_ROOM ? 2 : 3;
  regard_token_strip_set_max_lines(regard_source_pane_get_strip(self->source), lines);
  regard_token_strip_set_max_lines(regard_target_pane_get_strip(self->target), lines);
  /* Measured as the divider sees it: with the margins around the cards. */
  int minimum, natural;
  gtk_widget_measure(GTK_WIDGET(self->split), GTK_ORIENTATION_VERTICAL,
                     gtk_widget_get_width(GTK_WIDGET(self->text_paned)), &minimum, &natural, NULL,
                     NULL);
  int height = g_settings_get_int(self->settings, "text-height");
  if (height == 0)
    height = MIN(natural, (int) (room * MOST_OF_THE_ROOM));
  gtk_paned_set_position(self->text_paned, CLAMP(height, minimum, MAX(minimum, room - 120)));
  self->is_laying_out = FALSE;
}

static gboolean
on_layout_idle(gpointer data)
{
  RegardWindow *self = data;
  self->layout_idle = 0;
  lay_out(self);
  return G_SOURCE_REMOVE;
}

static void
queue_layout(RegardWindow *self)
{
  /* After GTK has measured the new text, before the frame is painted. */
  if (!self->layout_idle)
    self->layout_idle = g_idle_add_full(GTK_PRIORITY_RESIZE + 1, on_layout_idle, self, NULL);
}

/* GtkTextView measures its lines when it is idle; the scroll bar is told how high they are. */
static void
follow_lines(RegardWindow *self, RegardTextCard *card)
{
  GtkScrollable *view = GTK_SCROLLABLE(regard_text_card_get_view(card));
  g_signal_connect_object(gtk_scrollable_get_vadjustment(view), "notify::upper",
                          G_CALLBACK(queue_layout), self, G_CONNECT_SWAPPED);
}

/* A divider that moves while neither window nor program changed anything was moved by hand. */
static gboolean
is_moved_by_hand(RegardWindow *self)
{
  return !self->is_laying_out &&
         self->laid_out_width == gtk_widget_get_width(GTK_WIDGET(self->split)) &&
         self->laid_out_room == gtk_widget_get_height(GTK_WIDGET(self->text_paned));
}

static void
on_height_moved(RegardWindow *self)
{
  if (is_moved_by_hand(self))
    g_settings_set_int(self->settings, "text-height", gtk_paned_get_position(self->text_paned));
}

static void
on_split_moved(RegardWindow *self)
{
  if (!is_moved_by_hand(self))
    return;
  double share = gtk_paned_get_position(self->split) / (double) self->laid_out_width;
  g_settings_set_double(self->settings, "text-split", CLAMP(share, 0.1, 0.9));
}

void
regard_window_reset_layout(RegardWindow *self)
{
  static const char *const keys[] = {"text-height", "text-split", "show-heads", "show-details",
                                     "show-tokens"};
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    g_settings_reset(self->settings, keys[i]);
  queue_layout(self);
}

/* Names of pages stand beside their icons, or with large letters, and in a narrow window, below
 * them, where they take less room. */
static void
choose_switcher(RegardWindow *self)
{
  gboolean is_large = regard_theme_large_text(GTK_WIDGET(self)) > LARGE_TEXT;
  adw_view_switcher_set_policy(self->wide_switcher, is_large ? ADW_VIEW_SWITCHER_POLICY_NARROW
                                                             : ADW_VIEW_SWITCHER_POLICY_WIDE);
}

void
regard_window_observe_layout(RegardWindow *self)
{
  g_signal_connect(self, "map", G_CALLBACK(choose_switcher), NULL);
  g_signal_connect_object(gtk_widget_get_settings(GTK_WIDGET(self)), "notify::gtk-xft-dpi",
                          G_CALLBACK(choose_switcher), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  choose_switcher(self);
  static const char *const observed[] = {"changed::text", "changed::result", "changed::foreign"};
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i], G_CALLBACK(queue_layout), self,
                            G_CONNECT_SWAPPED);
  g_signal_connect(self, "notify::title", G_CALLBACK(queue_layout), NULL);
  g_signal_connect_object(self->settings, "changed::show-tokens", G_CALLBACK(queue_layout), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_swapped(self->text_paned, "notify::position", G_CALLBACK(on_height_moved), self);
  g_signal_connect_swapped(self->split, "notify::position", G_CALLBACK(on_split_moved), self);
  follow_lines(self, regard_source_pane_get_card(self->source));
  follow_lines(self, regard_target_pane_get_card(self->target));
  /* GtkPaned announces its size as the farthest its divider can go. */
  g_signal_connect_swapped(self->text_paned, "notify::max-position", G_CALLBACK(queue_layout),
                           self);
  g_signal_connect_swapped(self->split, "notify::max-position", G_CALLBACK(queue_layout), self);
}

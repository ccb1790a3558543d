/* regard-legend.c — what the signs in texts and pictures mean, in a window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-legend.h"

#include <glib/gi18n.h>

static const struct {
  const char *sign, *meaning; /* meaning NULL: a heading */
} lines[] = {
    {N_("The picture"), NULL},
    {N_("row"), N_("A query: the token that looks. Its weights sum to 1.")},
    {N_("column"), N_("A key: the token that is looked at.")},
    {N_("a → b"), N_("In the decoder: a goes in, b comes out. The row belongs to both.")},
    {N_("grey, hatched"), N_("Not allowed: what comes later, or is outside of a window.")},
    {N_("colour"), N_("The weight, on the scale below the picture. The square root makes small "
                      "weights visible; numbers are always the weights themselves.")},
    {"+.31", N_("On a thumbnail: the effect of the head in nats. The translation is so much more "
                "likely with it than without; + speaks for the translation.")},
    {N_("Signs"), NULL},
    {"▁", N_("Here a word begins: the sign stands for the blank before it.")},
    {"⏎", N_("The end of the sentence, a token like any other. Many heads rest on it.")},
    {N_("start"), N_("What the decoder is given before the first word.")},
    {"‹ ›", N_("Text that the model has no piece for. It sees the same token for all of it.")},
    {N_("Pieces under the texts"), NULL},
    {N_("shading"), N_("Below the translation: how sure the model was of this piece where it "
                       "stands. The darker, the surer; on a dark background, the brighter.")},
    {N_("outline"), N_("The piece of the row or column that is pointed at or kept.")},
};

static GtkWidget *
new_label(const char *text, const char *css)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_yalign(GTK_LABEL(label), 0);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  if (css)
    gtk_widget_add_css_class(label, css);
  return label;
}

GtkWindow *
regard_legend_new(GtkWindow *parent)
{
  GtkWidget *window = adw_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new(), *grid = gtk_grid_new();
  g_object_set(grid, "column-spacing", 18, "row-spacing", 8, "margin-start", 20, "margin-end", 20,
               "margin-bottom", 20, "margin-top", 6, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    if (!lines[i].meaning) {
      GtkWidget *heading = new_label(_(lines[i].sign), "heading");
      gtk_widget_set_margin_top(heading, i ? 10 : 0);
      gtk_grid_attach(GTK_GRID(grid), heading, 0, (int) i, 2, 1);
      continue;
    }
    GtkWidget *meaning = new_label(_(lines[i].meaning), NULL);
    gtk_widget_set_hexpand(meaning, TRUE);
    gtk_grid_attach(GTK_GRID(grid), new_label(_(lines[i].sign), "regard-place"), 0, (int) i, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), meaning, 1, (int) i, 1, 1);
  }
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), grid);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "vexpand", TRUE, NULL);
  gtk_box_append(GTK_BOX(box), adw_header_bar_new());
  gtk_box_append(GTK_BOX(box), scroller);
  adw_window_set_content(ADW_WINDOW(window), box);
  g_object_set(window, "title", _("Reading the Picture"), "transient-for", parent, "modal", TRUE,
               "destroy-with-parent", TRUE, "default-width", 520, "default-height", 560, NULL);

  GtkEventController *keys = gtk_shortcut_controller_new();
  gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                       gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                                                        gtk_named_action_new("window.close")));
  gtk_widget_add_controller(window, keys);
  return GTK_WINDOW(window);
}

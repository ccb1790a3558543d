/* regard-help-here.c — help where one is: the page, the picture, the control with the keyboard.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A short window with a card for each of the three. What it says is data (regard-help-topics.c);
 * here it is found out where one is.
 */
#include "window/regard-help-here.h"

#include "parts/regard-glossary.h"
#include "parts/regard-help.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>

#define WIDTH  540
#define HEADER 48 /* of the window, px */

/* ==== Where one is ============================================================================ */

const RegardHelpTopic *
regard_help_topic_of(GtkWidget *widget)
{
  for (; widget; widget = gtk_widget_get_parent(widget)) {
    const RegardHelpTopic *topic = regard_help_topic_find(gtk_widget_get_name(widget));
    if (topic)
      return topic;
  }
  return NULL;
}

/* What is seen below a widget of what a page can show: its name begins with the page's. */
static const RegardHelpTopic *
find_shown(GtkWidget *widget, const char *page)
{
  const RegardHelpTopic *topic = NULL;
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (g_str_has_prefix(gtk_widget_get_name(widget), page))
    topic = regard_help_topic_find(gtk_widget_get_name(widget));
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !topic;
       child = gtk_widget_get_next_sibling(child))
    topic = find_shown(child, page);
  return topic;
}

/* Of pages that show one of several things that; of others the picture that takes keys. */
static const RegardHelpTopic *
picture_of(RegardView *view)
{
  g_autofree char *prefix = g_strconcat(gtk_widget_get_name(GTK_WIDGET(view)), "/", NULL);
  const RegardHelpTopic *topic = find_shown(GTK_WIDGET(view), prefix);
  GtkWidget *picture = topic ? NULL : regard_view_get_picture(view);
  return picture ? regard_help_topic_of(picture) : topic;
}

/* ==== The window ============================================================================== */

typedef struct {
  RegardView *view; /* borrowed: the window below outlives the one above it; NULL: start page */
  gboolean with_training;
} Place;

static void
append_card(GtkWidget *box, GtkWindow *window, const char *about, const RegardHelpTopic *topic)
{
  GtkWidget *card = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *links = regard_wrap_new(6);
  gtk_widget_add_css_class(card, "card");
  gtk_widget_add_css_class(card, "regard-card");
  regard_box_append(card, regard_label_new(about, REGARD_LABEL_START, "regard-hint"),
                    regard_label_new(_(topic->title), REGARD_LABEL_START | REGARD_LABEL_WRAP,
                                     "regard-card-title"),
                    regard_label_new(_(topic->text), REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL),
                    links, NULL);
  GtkWidget *lesson = regard_lesson_new_link(window, topic->lesson);
  if (lesson)
    regard_wrap_append(links, lesson);
  for (const char *const *term = topic->terms; term && *term; term++)
    regard_wrap_append(links, regard_glossary_new_link(*term));
  gtk_widget_set_visible(links, gtk_widget_get_first_child(links) != NULL);
  gtk_box_append(GTK_BOX(box), card);
}

static void
on_signs(GtkWidget *button, Place *place)
{
  GtkWindow *above = GTK_WINDOW(gtk_widget_get_root(button));
  gtk_window_present(regard_help_signs_new(above, place->view, place->with_training));
}

static void
on_glossary(GtkWidget *button)
{
  regard_glossary_show(GTK_WINDOW(gtk_widget_get_root(button)), NULL);
}

/* They are the program's, and fill a window of their own. */
static void
on_keys(GtkWidget *button)
{
  GtkWindow *above = GTK_WINDOW(gtk_widget_get_root(button));
  GtkWindow *below = gtk_window_get_transient_for(above);
  gtk_window_destroy(above);
  gtk_widget_activate_action(GTK_WIDGET(below), "win.show-help-overlay", NULL);
}

static GtkWidget *
build_buttons(Place *place)
{
  GtkWidget *wrap = regard_wrap_new(8);
  const struct {
    const char *label;
    GCallback clicked;
  } buttons[] = {
      {_("Reading the Picture"), G_CALLBACK(on_signs)},
      {_("Glossary"), G_CALLBACK(on_glossary)},
      {_("Keyboard Shortcuts"), G_CALLBACK(on_keys)},
  };
  for (guint i = 0; i < G_N_ELEMENTS(buttons); i++) {
    GtkWidget *button = gtk_button_new_with_label(buttons[i].label);
    g_signal_connect(button, "clicked", buttons[i].clicked, place);
    regard_wrap_append(wrap, button);
  }
  return wrap;
}

GtkWindow *
regard_help_here_new(GtkWindow *parent, RegardView *view, GtkWidget *focus, gboolean with_training)
{
  GtkWidget *scroller = gtk_scrolled_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
  GtkWindow *window = regard_small_window_new(parent, _("Help"), NULL, scroller);
  Place *place = g_new(Place, 1);
  *place = (Place){view, with_training};
  g_object_set_data_full(G_OBJECT(window), "regard-place", place, g_free);

  const RegardHelpTopic *page = view ? regard_help_topic_of(GTK_WIDGET(view)) : NULL;
  const RegardHelpTopic *picture = view ? picture_of(view) : NULL;
  const RegardHelpTopic *control = focus ? regard_help_topic_of(focus) : NULL;
  append_card(box, window, _("This page"), page ? page : regard_help_topic_find("start"));
  if (picture && picture != page)
    append_card(box, window, _("The picture"), picture);
  if (control && control != page && control != picture)
    append_card(box, window, _("Where the keyboard is"), control);
  gtk_box_append(GTK_BOX(box), build_buttons(place));

  g_object_set(box, "margin-start", 16, "margin-end", 16, "margin-top", 4, "margin-bottom", 16,
               NULL);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  /* As high as what it says, up to what is below it. */
  int height;
  gtk_widget_measure(box, GTK_ORIENTATION_VERTICAL, WIDTH, NULL, &height, NULL, NULL);
  gtk_window_set_default_size(window, WIDTH,
                              MIN(height + HEADER, gtk_widget_get_height(GTK_WIDGET(parent))));
  return window;
}

GtkWindow *
regard_help_signs_new(GtkWindow *parent, RegardView *view, gboolean with_training)
{
  const char *parts[4] = {NULL};
  guint n = 0;
  if (view) {
    GtkWidget *inner = GTK_WIDGET(regard_view_get_inner(view));
    parts[n++] = gtk_widget_get_name(GTK_WIDGET(view));
    if (inner != GTK_WIDGET(view))
      parts[n++] = gtk_widget_get_name(inner);
  }
  if (with_training)
    parts[n++] = "training";
  return regard_legend_new(parent, parts);
}

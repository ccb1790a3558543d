/* regard-panes.c — three panes beside each other: an overview, a picture, and numbers about it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-panes.h"

#include "widgets/regard-theme.h"

struct _RegardPanes {
  GtkWidget parent_instance;

  GtkWidget *outer, *inner; /* overview | (picture | numbers) */
  GtkWidget *overview, *narrow;
  gboolean outer_moved, inner_moved; /* by the user */
  int room;                          /* for picture and numbers, when last allocated */
};

G_DEFINE_FINAL_TYPE(RegardPanes, regard_panes, GTK_TYPE_WIDGET)

/* Both keep the start child's size when resized: size_allocate places them, and GtkPaned must not
 * add its own idea of what a change of width means. */
static GtkWidget *
build_panes(GtkWidget *start, GtkWidget *end)
{
  GtkWidget *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);

  gtk_paned_set_start_child(GTK_PANED(paned), start);
  gtk_paned_set_end_child(GTK_PANED(paned), end);
  gtk_paned_set_resize_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_resize_end_child(GTK_PANED(paned), TRUE);
  gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
  return paned;
}

static void
regard_panes_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                     int *natural, int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure(REGARD_PANES(widget)->outer, orientation, for_size, minimum, natural, NULL,
                     NULL);
}

/* Panes keep their share of the window until the user moves one; then it is theirs. That a position
 * has changed says nothing, for GtkPaned changes it too when it is resized. */
static void
on_pane_moved(gboolean *moved)
{
  *moved = TRUE;
}

static gboolean
on_handle_moved(GtkPaned *paned, GtkScrollType scroll, gboolean *moved)
{
  *moved = TRUE;
  return FALSE;
}

static void
watch_pane(GtkWidget *paned, gboolean *moved)
{
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(paned);

  for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
    g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, i);

    if (GTK_IS_GESTURE_PAN(controller))
      g_signal_connect_swapped(controller, "pan", G_CALLBACK(on_pane_moved), moved);
  }
  g_signal_connect(paned, "move-handle", G_CALLBACK(on_handle_moved), moved);
}

static void
set_position(GtkWidget *paned, int position)
{
  if (gtk_paned_get_position(GTK_PANED(paned)) != position)
    gtk_paned_set_position(GTK_PANED(paned), position);
}

static void
regard_panes_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardPanes *self = REGARD_PANES(widget);
  double larger = regard_theme_large_text(widget);
  int heads = CLAMP(width * 235 / 1000, 236, 380), panel = CLAMP(width * 165 / 1000, 222, 260);
  int room; /* of picture and numbers */
  int least;

  /* Sixteen heads are all in sight in a small window too. */
  gtk_widget_measure(self->narrow, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  heads = MAX(heads, MIN(least, width * 3 / 10));
  /* Numbers need room for their names, as far as the picture can give it. */
  panel = CLAMP((int) (panel * larger), panel, MAX(width * 28 / 100, MIN(260, width * 32 / 100)));
  if (!self->outer_moved)
    set_position(self->outer, heads);
  heads =
      gtk_widget_get_visible(self->overview) ? gtk_paned_get_position(GTK_PANED(self->outer)) : 0;
  room = width - heads;
  if (!self->inner_moved)
    set_position(self->inner, room - panel);
  else if (self->room > 0) /* the picture takes and gives, the numbers keep their width */
    set_position(self->inner, gtk_paned_get_position(GTK_PANED(self->inner)) + room - self->room);
  self->room = room;
  gtk_widget_measure(self->outer, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_size_allocate(self->outer, &(GtkAllocation){0, 0, MAX(width, least), height},
                           baseline);
}

static void
regard_panes_dispose(GObject *object)
{
  g_clear_pointer(&REGARD_PANES(object)->outer, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_panes_parent_class)->dispose(object);
}

static void
regard_panes_class_init(RegardPanesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_panes_dispose;
  widget_class->measure = regard_panes_measure;
  widget_class->size_allocate = regard_panes_size_allocate;
  gtk_widget_class_set_css_name(widget_class, "panes");
}

/* Panes follow the width until moved, which a layout manager would not know. */
static void
regard_panes_init(RegardPanes *self)
{
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
regard_panes_new(GtkWidget *overview, GtkWidget *picture, GtkWidget *numbers, GtkWidget *narrow)
{
  RegardPanes *self = g_object_new(REGARD_TYPE_PANES, NULL);

  self->overview = overview;
  self->narrow = narrow;
  self->inner = build_panes(picture, numbers);
  self->outer = build_panes(overview, self->inner);
  watch_pane(self->inner, &self->inner_moved);
  watch_pane(self->outer, &self->outer_moved);
  gtk_widget_set_parent(self->outer, GTK_WIDGET(self));
  return GTK_WIDGET(self);
}

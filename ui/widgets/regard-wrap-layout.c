/* regard-wrap-layout.c — children one after the other, in as many lines as they need.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GtkFlowBox aligns its children in columns, which is wrong for a row of unequal controls.
 */
#include "widgets/regard-wrap-layout.h"

struct _RegardWrapLayout {
  GtkLayoutManager parent_instance;
  int spacing;
};

G_DEFINE_FINAL_TYPE(RegardWrapLayout, regard_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkSizeRequestMode
regard_wrap_layout_get_request_mode(GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* Height that the children fill at a width; allocates them if asked to. Lines are centred
 * vertically in themselves. */
static int
flow(RegardWrapLayout *self, GtkWidget *widget, int width, gboolean allocate)
{
  GtkWidget *line_start = gtk_widget_get_first_child(widget), *child;
  int y = 0;

  while (line_start) {
    GtkWidget *line_end;
    int x = 0, line_height = 0;

    for (child = line_start; child; child = gtk_widget_get_next_sibling(child)) {
      int min, natural, height;

      if (!gtk_widget_should_layout(child))
        continue;
      gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &min, &natural, NULL, NULL);
      natural = MAX(min, MIN(natural, width));
      if (x > 0 && x + natural > width)
        break;
      gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, natural, NULL, &height, NULL, NULL);
      line_height = MAX(line_height, height);
      x += natural + self->spacing;
    }
    line_end = child;

    x = 0;
    for (child = line_start; allocate && child != line_end;
         child = gtk_widget_get_next_sibling(child)) {
      int min, natural, height;

      if (!gtk_widget_should_layout(child))
        continue;
      gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &min, &natural, NULL, NULL);
      natural = MAX(min, MIN(natural, width));
      gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, natural, NULL, &height, NULL, NULL);
      gtk_widget_size_allocate(child,
                               &(GtkAllocation){x, y + (line_height - height) / 2, natural, height},
                               -1);
      x += natural + self->spacing;
    }
    if (line_height > 0)
      y += line_height + self->spacing;
    line_start = line_end;
  }
  return MAX(y - self->spacing, 0);
}

static void
regard_wrap_layout_measure(GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                           int for_size, int *minimum, int *natural, int *minimum_baseline,
                           int *natural_baseline)
{
  RegardWrapLayout *self = REGARD_WRAP_LAYOUT(manager);

  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_VERTICAL) {
    *minimum = *natural = flow(self, widget, for_size < 0 ? G_MAXINT / 2 : for_size, FALSE);
    return;
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    int min, nat;

    if (!gtk_widget_should_layout(child))
      continue;
    gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &min, &nat, NULL, NULL);
    *minimum = MAX(*minimum, min);
    *natural += nat + (*natural > 0 ? self->spacing : 0);
  }
}

static void
regard_wrap_layout_allocate(GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                            int baseline)
{
  flow(REGARD_WRAP_LAYOUT(manager), widget, width, TRUE);
}

static void
regard_wrap_layout_class_init(RegardWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS(klass);

  manager_class->get_request_mode = regard_wrap_layout_get_request_mode;
  manager_class->measure = regard_wrap_layout_measure;
  manager_class->allocate = regard_wrap_layout_allocate;
}

static void
regard_wrap_layout_init(RegardWrapLayout *self)
{
}

GtkWidget *
regard_wrap_new(int spacing)
{
  /* GtkBox disposes of its children, which a bare GtkWidget would not. */
  GtkWidget *wrap = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  RegardWrapLayout *layout = g_object_new(REGARD_TYPE_WRAP_LAYOUT, NULL);

  layout->spacing = spacing;
  gtk_widget_set_layout_manager(wrap, GTK_LAYOUT_MANAGER(layout));
  return wrap;
}

void
regard_wrap_append(GtkWidget *wrap, GtkWidget *child)
{
  g_return_if_fail(GTK_IS_BOX(wrap));
  gtk_widget_set_parent(child, wrap);
}

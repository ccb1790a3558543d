/* regard-wrap-layout.c — children one after the other, in as many lines as they need.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GtkFlowBox aligns its children in columns, which is wrong for a row of unequal controls. Children
 * that expand share what their line has left, so that a heading is one line where there is room.
 */
#include "widgets/regard-wrap-layout.h"

struct _RegardWrapLayout {
  GtkLayoutManager parent_instance;
  int spacing;
  gboolean is_balanced;
};

G_DEFINE_FINAL_TYPE(RegardWrapLayout, regard_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkSizeRequestMode
get_request_mode(GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* A child as wide as it would like to be, if the line has that much; the width that it gets. */
static int
width_of(GtkWidget *child, int width)
{
  int min, natural;

  gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &min, &natural, NULL, NULL);
  return MAX(min, MIN(natural, width));
}

static int
height_of(GtkWidget *child, int width)
{
  int height;

  gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  return height;
}

/* Puts a line's children, up to end, at y. What is left of the width is shared by those that
 * expand. */
static void
place_line(RegardWrapLayout *self, GtkWidget *start, GtkWidget *end, int width, int left, int y,
           int line_height)
{
  int n_expand = 0, x = 0;

  for (GtkWidget *child = start; child != end; child = gtk_widget_get_next_sibling(child))
    n_expand += gtk_widget_should_layout(child) &&
                gtk_widget_compute_expand(child, GTK_ORIENTATION_HORIZONTAL);
  for (GtkWidget *child = start; child != end; child = gtk_widget_get_next_sibling(child)) {
    int own, height;

    if (!gtk_widget_should_layout(child))
      continue;
    own = width_of(child, width);
    if (gtk_widget_compute_expand(child, GTK_ORIENTATION_HORIZONTAL)) {
      own += left / n_expand;
      left -= left / n_expand--;
    }
    height = MIN(height_of(child, own), line_height);
    const int above = gtk_widget_get_valign(child) == GTK_ALIGN_START ? 0 : line_height - height;
    gtk_widget_size_allocate(child, &(GtkAllocation){x, y + above / 2, own, height}, -1);
    x += own + self->spacing;
  }
}

/* Where the line that begins with a child ends, if it breaks at this width: the first child that is
 * not on it any more. How wide and how high the line is. */
static GtkWidget *
end_of_line(RegardWrapLayout *self, GtkWidget *start, int width, int *line_width, int *line_height)
{
  GtkWidget *child;
  int x = 0;

  *line_height = 0;
  for (child = start; child; child = gtk_widget_get_next_sibling(child)) {
    int own;

    if (!gtk_widget_should_layout(child))
      continue;
    own = width_of(child, width);
    if (x > 0 && x + own > width)
      break;
    *line_height = MAX(*line_height, height_of(child, own));
    x += own + self->spacing;
  }
  *line_width = MAX(x - self->spacing, 0);
  return child;
}

static int
count_lines(RegardWrapLayout *self, GtkWidget *widget, int width)
{
  GtkWidget *child = gtk_widget_get_first_child(widget);
  int n = 0, line_width, line_height;

  for (; child; n++)
    child = end_of_line(self, child, width, &line_width, &line_height);
  return n;
}

/* The least width at which there are as many lines as at this one: none has a single control that
 * could have company. */
static int
balance(RegardWrapLayout *self, GtkWidget *widget, int width)
{
  const int n = count_lines(self, widget, width);
  int low = 1, high = width;

  if (!self->is_balanced || n < 2)
    return width;
  while (low < high) {
    const int middle = low + (high - low) / 2;

    if (count_lines(self, widget, middle) > n)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Height that the children fill at a width; allocates them if asked to. Lines are centred
 * vertically in themselves, but for children that are to start at the top. */
static int
flow(RegardWrapLayout *self, GtkWidget *widget, int width, gboolean allocate)
{
  const int breaks_at = balance(self, widget, width);
  GtkWidget *start = gtk_widget_get_first_child(widget);
  int y = 0;

  while (start) {
    int line_width, line_height;
    GtkWidget *end = end_of_line(self, start, breaks_at, &line_width, &line_height);

    if (allocate)
      place_line(self, start, end, breaks_at, MAX(width - line_width, 0), y, line_height);
    if (line_height > 0)
      y += line_height + self->spacing;
    start = end;
  }
  return MAX(y - self->spacing, 0);
}

static void
measure(GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size,
        int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
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
allocate_children(GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
  flow(REGARD_WRAP_LAYOUT(manager), widget, width, TRUE);
}

static void
regard_wrap_layout_class_init(RegardWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS(klass);

  manager_class->get_request_mode = get_request_mode;
  manager_class->measure = measure;
  manager_class->allocate = allocate_children;
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
regard_wrap_set_balanced(GtkWidget *wrap)
{
  REGARD_WRAP_LAYOUT(gtk_widget_get_layout_manager(wrap))->is_balanced = TRUE;
  gtk_widget_queue_resize(wrap);
}

void
regard_wrap_append(GtkWidget *wrap, GtkWidget *child)
{
  gtk_widget_set_parent(child, wrap);
}

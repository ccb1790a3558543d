/* test-lines-area.c — lines on the screen: pointer, keyboard, what is isolated, what a screen
 * reader hears, and what is kept from frame to frame at 512 by 512.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lines-test.h"
#include "sample-capture.h"
#include "suite.h"
#include "widget-test.h"
#include "widgets/regard-lines-area.h"

typedef struct {
  GtkWidget *window, *widget;
  RegardLinesArea *area;
  guint hovers, pins, isolated;
  int hover[2], pin[2];
} Fixture;

static void
on_hover(Fixture *f, int row, int col)
{
  f->hovers++;
  f->hover[0] = row;
  f->hover[1] = col;
}

static void
on_pin(Fixture *f, int row, int col)
{
  f->pins++;
  f->pin[0] = row;
  f->pin[1] = col;
}

static void
on_isolated(Fixture *f)
{
  f->isolated++;
}

static void
open_with(Fixture *f, RegardMatrix *matrix, RegardLinesOrientation orientation)
{
  g_autoptr(RegardLines) lines = lines_of(matrix, 0.7);
  GtkWidget *scroller = gtk_scrolled_window_new();

  *f = (Fixture){.hover = {-1, -1}, .pin = {-1, -1}};
  f->widget = regard_lines_area_new(orientation);
  f->area = REGARD_LINES_AREA(f->widget);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), f->widget);
  regard_lines_area_set_lines(f->area, lines);
  g_signal_connect_swapped(f->widget, "hover-changed", G_CALLBACK(on_hover), f);
  g_signal_connect_swapped(f->widget, "pin-changed", G_CALLBACK(on_pin), f);
  g_signal_connect_swapped(f->widget, "isolated-changed", G_CALLBACK(on_isolated), f);
  f->window = show_in_window(scroller);
}

static void
close_window(Fixture *f)
{
  gtk_window_destroy(GTK_WINDOW(f->window));
}

static void
drag(Fixture *f, double x, double y, double dx, double dy)
{
  GtkEventController *c = controller(f->widget, "drag");

  g_signal_emit_by_name(c, "drag-begin", x, y);
  if (dx != 0 || dy != 0)
    g_signal_emit_by_name(c, "drag-update", dx, dy);
  g_signal_emit_by_name(c, "drag-end", dx, dy);
}

static void
token_at(Fixture *f, RegardLinesSide side, guint i, double *x, double *y)
{
  graphene_rect_t rect;

  g_assert_true(regard_lines_area_get_token_rect(f->area, side, i, &rect));
  *x = middle_x(&rect);
  *y = middle_y(&rect);
}

static void
click_token(Fixture *f, RegardLinesSide side, guint i)
{
  double x, y;

  token_at(f, side, i, &x, &y);
  drag(f, x, y, 0, 0);
}

static gboolean
is_isolated(Fixture *f, RegardLinesSide side, guint i)
{
  RegardLinesMarks marks;

  regard_lines_area_get_marks(f->area, &marks);
  const guint8 *set = side == REGARD_LINES_ROWS ? marks.rows : marks.cols;
  return set && set[i];
}

#define assert_hover(f, row, col) assert_cell((f)->hover, row, col)
#define assert_pin(f, row, col)   assert_cell((f)->pin, row, col)
static void
assert_cell(const int cell[2], int row, int col)
{
  g_assert_cmpint(cell[0], ==, row);
  g_assert_cmpint(cell[1], ==, col);
}

static void
test_pointing(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  for (int o = 0; o < 2; o++) {
    Fixture f;
    double x, y;
    open_with(&f, m, (RegardLinesOrientation) o);
    token_at(&f, REGARD_LINES_ROWS, 1, &x, &y);
    move_pointer(f.widget, x, y);
    assert_hover(&f, 1, -1);
    token_at(&f, REGARD_LINES_COLS, 2, &x, &y);
    move_pointer(f.widget, x, y);
    assert_hover(&f, -1, 2);
    /* In the middle of a line. */
    const RegardLinesLayout *l = regard_lines_area_get_layout(f.area);
    const double at = regard_lines_position(l, 0, 0, 1, 0.8);
    move_pointer(f.widget, o ? at : l->plot.x + 0.8 * l->plot.width,
                 o ? l->plot.y + 0.8 * l->plot.height : at);
    g_assert_cmpint(MIN(f.hover[0], f.hover[1]), >=, 0);
    leave(f.widget);
    assert_hover(&f, -1, -1);
    g_assert_cmpuint(f.pins, ==, 0);
    close_window(&f);
  }
}

static void
test_clicks(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  Fixture f;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  click_token(&f, REGARD_LINES_ROWS, 0);
  assert_pin(&f, 0, -1);
  g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, 0));
  click_token(&f, REGARD_LINES_COLS, 1); /* it alone */
  assert_pin(&f, -1, 1);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 1);
  click_token(&f, REGARD_LINES_COLS, 1); /* lets go */
  assert_pin(&f, -1, -1);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 0);

  /* A line is a cell; clicked again, or beside it, it is let go. */
  const RegardLinesLayout *l = regard_lines_area_get_layout(f.area);
  const double x = l->plot.x + 0.2 * l->plot.width, y = regard_lines_position(l, 0, 1, 2, 0.2);
  drag(&f, x, y, 0, 0);
  assert_pin(&f, 1, 2);
  g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, 1));
  drag(&f, x, y, 0, 0);
  assert_pin(&f, -1, -1);
  click_token(&f, REGARD_LINES_ROWS, 0);
  drag(&f, l->plot.x + l->plot.width / 2, l->whole.y + l->whole.height + 20, 0, 0);
  assert_pin(&f, -1, -1);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 0);
  close_window(&f);
}

static void
test_drag_takes_a_range(void)
{
  g_autoptr(RegardMatrix) m = matrix_of_size(12, MT_CROSS);
  Fixture f;
  double x, y, to_x, to_y;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  token_at(&f, REGARD_LINES_ROWS, 7, &x, &y);
  token_at(&f, REGARD_LINES_ROWS, 3, &to_x, &to_y);
  drag(&f, x, y, to_x - x + 200, to_y - y); /* wherever it goes across */
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 5);
  for (guint i = 3; i <= 7; i++)
    g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, i));
  assert_pin(&f, 3, -1);
  /* Beyond the list is its end; and a range of keys. */
  token_at(&f, REGARD_LINES_COLS, 10, &x, &y);
  drag(&f, x, y, 0, 4000);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 2);
  g_assert_true(is_isolated(&f, REGARD_LINES_COLS, 11));
  close_window(&f);
}

static void
test_keys(void)
{
  g_autoptr(RegardMatrix) m = matrix_of_size(6, MT_CROSS);
  Fixture f;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  g_assert_false(press_key(f.widget, GDK_KEY_Escape, 0));
  g_assert_false(press_key(f.widget, GDK_KEY_space, 0));
  g_assert_true(press_key(f.widget, GDK_KEY_Down, 0)); /* the first press shows where it is */
  assert_hover(&f, 0, -1);
  press_key(f.widget, GDK_KEY_Down, 0);
  assert_hover(&f, 1, -1);
  press_key(f.widget, GDK_KEY_Right, 0); /* the other list, as high */
  assert_hover(&f, -1, 1);
  press_key(f.widget, GDK_KEY_End, 0);
  assert_hover(&f, -1, 5);
  press_key(f.widget, GDK_KEY_Down, 0); /* no further */
  assert_hover(&f, -1, 5);
  press_key(f.widget, GDK_KEY_Left, 0);
  press_key(f.widget, GDK_KEY_Home, 0);
  assert_hover(&f, 0, -1);
  press_key(f.widget, GDK_KEY_space, 0);
  assert_pin(&f, 0, -1);
  press_key(f.widget, GDK_KEY_Down, 0);
  press_key(f.widget, GDK_KEY_Down, 0);
  press_key(f.widget, GDK_KEY_Return, GDK_SHIFT_MASK); /* besides the first */
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 2);
  assert_pin(&f, 2, -1);
  press_key(f.widget, GDK_KEY_Return, GDK_SHIFT_MASK); /* and not any more */
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 1);
  assert_pin(&f, 0, -1);
  press_key(f.widget, GDK_KEY_space, 0);
  press_key(f.widget, GDK_KEY_Down, GDK_SHIFT_MASK);
  press_key(f.widget, GDK_KEY_Down, GDK_SHIFT_MASK);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 3);
  press_key(f.widget, GDK_KEY_Up, GDK_SHIFT_MASK);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 2);
  g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, 3));
  g_assert_true(press_key(f.widget, GDK_KEY_Escape, 0));
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 0);
  assert_pin(&f, -1, -1);
  g_assert_true(press_key(f.widget, GDK_KEY_Escape, 0)); /* the place of the keys */
  g_assert_false(press_key(f.widget, GDK_KEY_Escape, 0));
  g_assert_false(press_key(f.widget, GDK_KEY_Up, GDK_CONTROL_MASK));
  g_assert_false(press_key(f.widget, GDK_KEY_Up, GDK_ALT_MASK));
  close_window(&f);
}

/* What the selection says: a pin from elsewhere isolates its token, and one that is isolated
 * already leaves the others. */
static void
test_setters(void)
{
  g_autoptr(RegardMatrix) m = matrix_of_size(8, MT_CROSS);
  Fixture f;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  regard_lines_area_set_pin(f.area, 3, -1);
  g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, 3));
  press_key(f.widget, GDK_KEY_Down, 0);
  press_key(f.widget, GDK_KEY_Down, GDK_SHIFT_MASK);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 2);
  regard_lines_area_set_pin(f.area, 3, -1);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 2);
  regard_lines_area_set_pin(f.area, 6, 2);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 1);
  g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, 6));
  regard_lines_area_set_pin(f.area, 600, 2); /* there is no such row */
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 0);
  g_assert_cmpuint(f.pins, ==, 1); /* by the keys */
  regard_lines_area_set_hover(f.area, 2, -1);
  g_assert_cmpuint(f.hovers, ==, 2);

  /* Other lines: what stands there still stays isolated. */
  regard_lines_area_set_pin(f.area, 1, -1);
  g_autoptr(RegardMatrix) other = matrix_of_size(9, MT_CROSS);
  g_autoptr(RegardLines) lines = lines_of(other, 0.5);
  regard_lines_area_set_lines(f.area, lines);
  g_assert_true(is_isolated(&f, REGARD_LINES_ROWS, 1));
  g_autoptr(RegardMatrix) smaller = matrix_of_size(1, MT_CROSS);
  g_autoptr(RegardLines) one = lines_of(smaller, 0.5);
  regard_lines_area_set_lines(f.area, one);
  g_assert_cmpuint(regard_lines_area_count_isolated(f.area), ==, 0);
  gtk_test_widget_wait_for_draw(f.window);
  regard_lines_area_set_lines(f.area, NULL);
  g_assert_false(press_key(f.widget, GDK_KEY_Down, 0));
  move_pointer(f.widget, 50, 50);
  drag(&f, 50, 50, 0, 30);
  close_window(&f);
}

static void
assert_said(Fixture *f, const char *said)
{
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(f->widget),
                                      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, said);
}

static void
test_accessible(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  Fixture f;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(f.widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Matrix · lines");
  assert_said(&f, "2 rows, 3 columns; lines of the fewest keys that hold 70 % of each row; the "
                  "other 15 % is dimmed");
  press_key(f.widget, GDK_KEY_Down, 0);
  assert_said(&f, "row Das: The 0.60, big 0.30, house 0.10; 2 of 3 hold 0.90, the other 0.10 is "
                  "dimmed");
  press_key(f.widget, GDK_KEY_space, 0);
  assert_said(&f, "row Das: The 0.60, big 0.30, house 0.10; 2 of 3 hold 0.90, the other 0.10 is "
                  "dimmed; 1 token isolated");
  close_window(&f);
}

/* What is painted first and second: the labels, and all lines. Borrowed from the area. */
static void
get_nodes(Fixture *f, GskRenderNode **labels, GskRenderNode **web)
{
  GtkSnapshot *snapshot = gtk_snapshot_new();
  GTK_WIDGET_GET_CLASS(f->widget)->snapshot(f->widget, snapshot);
  GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
  *labels = gsk_container_node_get_child(node, 0);
  *web = gsk_container_node_get_child(node, 1);
  gsk_render_node_unref(node);
}

/* At 512 by 512 the pointer does not make the picture of all lines anew. */
static void
test_pointing_keeps_the_web(void)
{
  g_autoptr(RegardMatrix) m = matrix_of_size(512, MT_CROSS);
  Fixture f;
  double x, y;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  GskRenderNode *labels, *web, *labels_now, *web_now;
  get_nodes(&f, &labels, &web);
  gsk_render_node_ref(web); /* so that no other one gets its address */
  for (guint i = 0; i < 512; i += 101) {
    token_at(&f, i % 2 ? REGARD_LINES_ROWS : REGARD_LINES_COLS, i, &x, &y);
    move_pointer(f.widget, x, y);
    gtk_test_widget_wait_for_draw(f.window);
    leave(f.widget);
    get_nodes(&f, &labels_now, &web_now);
    g_assert_true(web_now == web);
    g_assert_true(labels_now == labels);
  }
  regard_lines_area_set_colors(f.area, REGARD_SCALE_LOG, NULL);
  get_nodes(&f, &labels_now, &web_now);
  g_assert_true(web_now != web);
  gsk_render_node_unref(web);
  close_window(&f);
}

static void
test_zoom(void)
{
  g_autoptr(RegardMatrix) m = matrix_of_size(120, MT_CROSS);
  Fixture f;
  open_with(&f, m, REGARD_LINES_UPRIGHT);
  const double before = regard_lines_area_get_layout(f.area)->list[0].pitch;
  g_assert_true(press_key(f.widget, GDK_KEY_plus, GDK_CONTROL_MASK));
  regard_lines_area_set_zoom(f.area, 6);
  while (gtk_widget_get_height(f.widget) < 1000)
    g_main_context_iteration(NULL, TRUE);
  const RegardLinesLayout *l = regard_lines_area_get_layout(f.area);
  g_assert_cmpfloat(l->list[0].pitch, >, 4 * before);
  g_assert_cmpuint(l->list[0].step, ==, 1);
  /* What the keys go to is scrolled into sight. */
  GtkWidget *scroller = gtk_widget_get_ancestor(f.widget, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *a = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
  press_key(f.widget, GDK_KEY_Down, 0);
  press_key(f.widget, GDK_KEY_End, 0);
  g_assert_cmpfloat(gtk_adjustment_get_value(a), >, 500);
  press_key(f.widget, GDK_KEY_0, GDK_CONTROL_MASK);
  g_assert_cmpfloat(regard_lines_area_get_zoom(f.area), ==, 1);
  close_window(&f);
}

static void
test_odd_matrices(void)
{
  static const guint sizes[] = {1, 512};
  static const char *const labels[] = {"Donaudampfschifffahrtsgesellschaftskapitän", "😀", "‹世界›"};
  static const float values[9] = {0.5f, 0.5f, [8] = 1};
  for (guint i = 0; i < 3; i++)
    for (int o = 0; o < 2; o++) {
      g_autoptr(RegardMatrix) m = i < 2 ? matrix_of_size(sizes[i], MT_DECODER_SELF)
                                        : sample_matrix(values, 3, 3, labels, labels);
      Fixture f;
      open_with(&f, m, (RegardLinesOrientation) o);
      press_key(f.widget, GDK_KEY_Down, 0);
      press_key(f.widget, GDK_KEY_End, GDK_SHIFT_MASK);
      gtk_test_widget_wait_for_draw(f.window);
      regard_lines_area_set_computed(f.area, 1);
      regard_lines_area_set_dimmed(f.area, TRUE);
      gtk_test_widget_wait_for_draw(f.window);
      close_window(&f);
    }
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/lines-area/pointing", test_pointing);
  g_test_add_func("/lines-area/clicks", test_clicks);
  g_test_add_func("/lines-area/drag", test_drag_takes_a_range);
  g_test_add_func("/lines-area/keys", test_keys);
  g_test_add_func("/lines-area/setters", test_setters);
  g_test_add_func("/lines-area/accessible", test_accessible);
  g_test_add_func("/lines-area/keeps-web", test_pointing_keeps_the_web);
  g_test_add_func("/lines-area/zoom", test_zoom);
  g_test_add_func("/lines-area/odd", test_odd_matrices);
}

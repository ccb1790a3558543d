/* test-heatmap.c — the large matrix: sizes, pointer, keyboard, zoom, pixels, what a screen reader
 * hears, and what is kept from frame to frame at 512 by 512.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-attention.h"
#include "figures/regard-raster.h"
#include "sample-capture.h"
#include "suite.h"
#include "widget-test.h"
#include "widgets/regard-heatmap-draw.h"

#include <math.h>

static RegardMatrix *
cross_matrix(void)
{
  mt_capture *capture = sample_capture(1);
  RegardMatrixSpec spec = {.kind = MT_CROSS};
  RegardMatrix *m = regard_matrix_new_attention(capture, &spec);

  mt_capture_unref(capture);
  return m;
}

static RegardMatrix *
square_matrix(guint n)
{
  g_autofree float *values = g_new0(float, (gsize) n *n);
  g_auto(GStrv) labels = g_new0(char *, n + 1);

  for (guint i = 0; i < n; i++) {
    labels[i] = g_strdup_printf("t%u", i);
    values[(gsize) i * n + i] = 1;
  }
  return sample_matrix(values, n, n, (const char *const *) labels, (const char *const *) labels);
}

typedef struct {
  GtkWidget *window, *widget;
  RegardHeatmap *heatmap;
  guint hovers, pins;
} Fixture;

static void
on_hover(Fixture *f)
{
  f->hovers++;
}

static void
on_pin(Fixture *f)
{
  f->pins++;
}

static void
open_with(Fixture *f, RegardMatrix *matrix)
{
  *f = (Fixture){0};
  f->widget = regard_heatmap_new();
  f->heatmap = REGARD_HEATMAP(f->widget);
  g_signal_connect_swapped(f->widget, "hover-changed", G_CALLBACK(on_hover), f);
  g_signal_connect_swapped(f->widget, "pin-changed", G_CALLBACK(on_pin), f);
  regard_heatmap_set_matrix(f->heatmap, matrix);
  f->window = show_in_window(f->widget);
  regard_matrix_unref(matrix);
}

static void
close_fixture(Fixture *f)
{
  gtk_window_destroy(GTK_WINDOW(f->window));
}

#define assert_hover(f, r, c)                             \
  G_STMT_START                                            \
  {                                                       \
    int row_, col_;                                       \
    regard_heatmap_get_hover((f)->heatmap, &row_, &col_); \
    g_assert_cmpint(row_, ==, (r));                       \
    g_assert_cmpint(col_, ==, (c));                       \
  }                                                       \
  G_STMT_END
#define assert_pin(f, r, c)                             \
  G_STMT_START                                          \
  {                                                     \
    int row_, col_;                                     \
    regard_heatmap_get_pin((f)->heatmap, &row_, &col_); \
    g_assert_cmpint(row_, ==, (r));                     \
    g_assert_cmpint(col_, ==, (c));                     \
  }                                                     \
  G_STMT_END

/* ---- Layout, without a widget -------------------------------------------------------------------
 */

static void
layout_of(guint n, double width, double height, double zoom, RegardHeatmapLayout *out)
{
  g_autofree double *widths = g_new(double, n);
  RegardHeatmapInput input = {
      .width = width,
      .height = height,
      .scale_factor = 1,
      .rows = n,
      .cols = n,
      .aspect = 1,
      .zoom = zoom,
      .font_px = 13,
      .row_label_width = 90,
      .col_label_width = widths,
      .axis_height = 16,
      .axis_width = {100, 70},
  };

  for (guint i = 0; i < n; i++)
    widths[i] = 60;
  regard_heatmap_layout(&input, out);

  /* With the strip of what columns receive all of it is inside as well, below the cells. */
  RegardHeatmapLayout strip;
  input.has_received = TRUE;
  regard_heatmap_layout(&input, &strip);
  if (height < 200)
    return;
  g_assert_cmpfloat(strip.strip_h, >=, REGARD_LEAST_TEXT);
  g_assert_cmpfloat(strip.strip_y, >=, strip.body_y + strip.body_h);
  g_assert_cmpfloat(strip.strip_y + strip.strip_h, <=, height);
}

static void
test_thresholds(void)
{
  static const guint sizes[] = {1, 5, 12, 20, 30, 45, 60, 90, 128, 200, 300, 512, 1000, 2000};

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    RegardHeatmapLayout l;

    layout_of(sizes[i], 900, 700, 1, &l);
    g_test_message("%u tokens: cells of %.2f", sizes[i], l.cell_w);
    g_assert_cmpfloat(l.cell_w, >, 0);
    g_assert_cmpfloat(l.cell_w, <=, REGARD_CELL_CAP);
    g_assert_cmpfloat(l.cell_w, ==, l.cell_h); /* square */
    g_assert_cmpint(l.values, ==, l.cell_w >= 28);
    g_assert_cmpfloat(MIN(l.label_px, l.value_px), >=, REGARD_LEAST_TEXT);
    g_assert_cmpint(l.lines, ==, l.cell_w >= REGARD_CELL_LABELS);
    if (l.cell_w >= REGARD_CELL_LABELS)
      g_assert_cmpuint(l.row_step, ==, 1);
    else if (l.cell_w >= 5) {
      g_assert_cmpuint(l.row_step, >, 1);
      g_assert_cmpfloat(l.row_step * l.cell_h, >=, l.label_px);
    } else
      g_assert_cmpuint(l.row_step, ==, 0);
    g_assert_cmpfloat(l.angle, ==, l.cell_w < REGARD_CELL_UPRIGHT ? 90 : 45);
    /* all of it is inside of the widget */
    g_assert_cmpfloat(l.body_x, >=, l.row_header_w);
    g_assert_cmpfloat(l.body_y, >=, l.col_header_h);
    g_assert_cmpfloat(l.body_x + l.body_w, <=, 900);
    g_assert_cmpfloat(l.body_y + l.body_h, <=, 700);
    g_assert_cmpfloat(l.body_w, >=, l.content_w - 0.01); /* fitted: nothing to scroll */
    if (l.cell_w >= 6)
      g_assert_cmpfloat(l.cell_w, ==, (int) l.cell_w); /* whole pixels */
  }
}

static void
test_layout_odd(void)
{
  RegardHeatmapLayout l;

  layout_of(30, 3, 3, 1, &l); /* no room at all: still finite, still positive */
  g_assert_cmpfloat(l.cell_w, >, 0);
  layout_of(30, 0, 0, 1, &l);
  g_assert_cmpfloat(l.cell_w, ==, 0);
  layout_of(30, 900, 700, 1000, &l);
  g_assert_cmpfloat(l.cell_w, <=, REGARD_CELL_MAX);
  g_assert_cmpfloat(l.content_w, >, l.body_w);
}

/* ---- Pointer --------------------------------------------------------------------------------- */

static void
test_hover(void)
{
  graphene_rect_t r;
  Fixture f;

  open_with(&f, cross_matrix());
  g_assert_true(regard_heatmap_get_cell_rect(f.heatmap, 3, 5, &r));
  move_pointer(f.widget, middle_x(&r), middle_y(&r));
  assert_hover(&f, 3, 5);
  g_assert_cmpuint(f.hovers, ==, 1);
  move_pointer(f.widget, middle_x(&r) + 1, middle_y(&r)); /* the same cell, as after a redraw */
  g_assert_cmpuint(f.hovers, ==, 1);

  regard_heatmap_get_cell_rect(f.heatmap, 3, 0, &r);
  move_pointer(f.widget, r.origin.x - 20, middle_y(&r)); /* the row's label */
  assert_hover(&f, 3, -1);
  regard_heatmap_get_cell_rect(f.heatmap, 0, 6, &r);
  move_pointer(f.widget, middle_x(&r) + 14, r.origin.y - 20); /* the column's, which leans */
  assert_hover(&f, -1, 6);
  leave(f.widget);
  assert_hover(&f, -1, -1);
  move_pointer(f.widget, 1, WINDOW_HEIGHT - 1);
  assert_hover(&f, -1, -1);
  close_fixture(&f);
}

static void
test_click_pins(void)
{
  graphene_rect_t r;
  Fixture f;

  open_with(&f, cross_matrix());
  regard_heatmap_get_cell_rect(f.heatmap, 2, 4, &r);
  click_at(f.widget, middle_x(&r), middle_y(&r));
  assert_pin(&f, 2, 4);
  g_assert_cmpuint(f.pins, ==, 1);
  g_assert_true(gtk_widget_has_focus(f.widget) || !gtk_window_is_active(GTK_WINDOW(f.window)));
  g_assert_true(press_key(f.widget, GDK_KEY_Escape, 0));
  assert_pin(&f, -1, -1);
  g_assert_false(press_key(f.widget, GDK_KEY_Escape, 0)); /* nothing to let go: not ours */

  regard_heatmap_get_cell_rect(f.heatmap, 7, 0, &r);
  click_at(f.widget, r.origin.x - 15, middle_y(&r));
  assert_pin(&f, 7, -1);
  click_at(f.widget, r.origin.x - 15, middle_y(&r)); /* again: lets go */
  assert_pin(&f, -1, -1);

  regard_heatmap_set_pin(f.heatmap, 1, 1); /* a setter is not the user */
  g_assert_cmpuint(f.pins, ==, 4);
  close_fixture(&f);
}

static void
on_sum(RegardHeatmap *heatmap, int row, int col, GString *wanted)
{
  g_string_append_printf(wanted, "%d,%d ", row, col);
}

/* Shift+Space wants the key of the pinned cell, or the row that is pinned whole; where nobody adds
 * up, the key is somebody else's. */
static void
test_sum_keys(void)
{
  Fixture f;
  g_autoptr(GString) wanted = g_string_new(NULL);

  open_with(&f, cross_matrix());
  regard_heatmap_set_pin(f.heatmap, 3, 5);
  g_assert_false(press_key(f.widget, GDK_KEY_space, GDK_SHIFT_MASK));
  g_signal_connect(f.heatmap, "sum-wanted", G_CALLBACK(on_sum), wanted);
  g_assert_true(press_key(f.widget, GDK_KEY_space, GDK_SHIFT_MASK));
  regard_heatmap_set_pin(f.heatmap, 3, -1);
  g_assert_true(press_key(f.widget, GDK_KEY_space, GDK_SHIFT_MASK));
  regard_heatmap_set_pin(f.heatmap, -1, 7);
  g_assert_true(press_key(f.widget, GDK_KEY_Return, GDK_SHIFT_MASK));
  regard_heatmap_set_pin(f.heatmap, -1, -1);
  g_assert_false(press_key(f.widget, GDK_KEY_space, GDK_SHIFT_MASK));
  g_assert_cmpstr(wanted->str, ==, "-1,5 3,-1 -1,7 ");
  close_fixture(&f);
}

static void
test_keys(void)
{
  Fixture f;

  open_with(&f, cross_matrix());
  g_assert_true(press_key(f.widget, GDK_KEY_Down, 0));
  assert_pin(&f, 0, 0); /* the first press shows the cursor */
  press_key(f.widget, GDK_KEY_Down, 0);
  press_key(f.widget, GDK_KEY_Right, 0);
  press_key(f.widget, GDK_KEY_Right, 0);
  assert_pin(&f, 1, 2);
  press_key(f.widget, GDK_KEY_Left, 0);
  press_key(f.widget, GDK_KEY_Up, 0);
  press_key(f.widget, GDK_KEY_Up, 0); /* at the edge already */
  assert_pin(&f, 0, 1);
  press_key(f.widget, GDK_KEY_End, 0);
  assert_pin(&f, 0, 16);
  press_key(f.widget, GDK_KEY_End, GDK_CONTROL_MASK);
  assert_pin(&f, 16, 16);
  press_key(f.widget, GDK_KEY_Home, 0);
  assert_pin(&f, 16, 0);
  press_key(f.widget, GDK_KEY_Home, GDK_CONTROL_MASK);
  assert_pin(&f, 0, 0);
  g_assert_false(press_key(f.widget, GDK_KEY_Page_Down, 0)); /* the view's */
  g_assert_false(press_key(f.widget, GDK_KEY_a, 0));
  regard_heatmap_set_matrix(f.heatmap, NULL);
  g_assert_false(press_key(f.widget, GDK_KEY_Down, 0));
  assert_pin(&f, -1, -1);
  close_fixture(&f);
}

static void
test_hover_then_pin_by_key(void)
{
  graphene_rect_t r;
  Fixture f;

  open_with(&f, cross_matrix());
  regard_heatmap_get_cell_rect(f.heatmap, 4, 6, &r);
  move_pointer(f.widget, middle_x(&r), middle_y(&r));
  g_assert_true(press_key(f.widget, GDK_KEY_Return, 0));
  assert_pin(&f, 4, 6);
  g_assert_true(press_key(f.widget, GDK_KEY_Right, 0)); /* and the keyboard goes on from there */
  assert_pin(&f, 4, 7);
  assert_hover(&f, -1, -1);
  move_pointer(f.widget, middle_x(&r), middle_y(&r)); /* as GTK does after a redraw: it rests */
  assert_hover(&f, -1, -1);
  move_pointer(f.widget, middle_x(&r) + 1, middle_y(&r));
  assert_hover(&f, 4, 6);
  close_fixture(&f);
}

/* ---- Scrolling ------------------------------------------------------------------------------- */

/* From the back row: letters and numbers grow with the cells, and the cells stay in the middle. */
static void
test_zoomed_text(void)
{
  RegardHeatmapLayout fitted, zoomed, most;

  layout_of(20, 900, 700, 1, &fitted);
  layout_of(20, 900, 700, 1.5, &zoomed);
  layout_of(20, 900, 700, 3, &most);
  g_assert_cmpfloat(fitted.label_px, ==, 13);
  g_assert_cmpfloat(zoomed.label_px, >, 1.4 * fitted.label_px);
  g_assert_cmpfloat(zoomed.value_px, >, 1.3 * fitted.value_px);
  g_assert_cmpfloat(most.label_px, ==, 26);
  g_assert_cmpfloat(most.value_px, >, 29); /* of at most 30; the cells are a whole number */
  g_assert_cmpfloat(most.row_label_max, <=, 900 * 0.34);
  g_assert_cmpfloat(most.body_w, >, 900 * 0.5);
}

static void
test_zoom_and_frozen_labels(void)
{
  graphene_rect_t before, after, first;
  int row, col;
  Fixture f;

  open_with(&f, square_matrix(60));
  regard_heatmap_get_cell_rect(f.heatmap, 30, 30, &before);
  regard_heatmap_set_zoom(f.heatmap, 4, middle_x(&before), middle_y(&before));
  gtk_test_widget_wait_for_draw(f.widget);
  regard_heatmap_get_cell_rect(f.heatmap, 30, 30, &after);
  g_assert_cmpfloat(after.size.width, >, 3 * before.size.width);
  /* what was under the pointer still is, give or take what the labels moved */
  g_assert_cmpfloat_with_epsilon(middle_x(&after), middle_x(&before), 2 * after.size.width);
  g_assert_cmpfloat_with_epsilon(middle_y(&after), middle_y(&before), 2 * after.size.height);

  /* Labels are frozen: left of a row that has been scrolled to, its label is found. */
  regard_heatmap_scroll_by(f.heatmap, 1e6, 1e6);
  regard_heatmap_get_cell_rect(f.heatmap, 59, 59, &after);
  g_assert_cmpfloat(after.origin.x + after.size.width, <=, WINDOW_WIDTH);
  regard_heatmap_get_cell_rect(f.heatmap, 59, 0, &first);
  g_assert_cmpfloat(first.origin.x, <, 0); /* the first column is out of sight … */
  g_assert_true(regard_heatmap_cell_at(f.heatmap, 40, middle_y(&after), &row, &col) ||
                regard_heatmap_cell_at(f.heatmap, 60, middle_y(&after), &row, &col));
  g_assert_cmpint(row, ==, 59); /* … its row's label is not */

  /* The keyboard brings its cell into sight. */
  press_key(f.widget, GDK_KEY_Home, GDK_CONTROL_MASK);
  press_key(f.widget, GDK_KEY_Home, GDK_CONTROL_MASK);
  regard_heatmap_get_cell_rect(f.heatmap, 0, 0, &first);
  g_assert_cmpfloat(first.origin.x, >=, 0);
  g_assert_cmpfloat(first.origin.y, >=, 0);

  g_assert_true(press_key(f.widget, GDK_KEY_0, GDK_CONTROL_MASK));
  g_assert_cmpfloat(regard_heatmap_get_zoom(f.heatmap), ==, 1);
  g_assert_true(press_key(f.widget, GDK_KEY_plus, GDK_CONTROL_MASK));
  g_assert_cmpfloat(regard_heatmap_get_zoom(f.heatmap), >, 1);
  regard_heatmap_set_zoom(f.heatmap, 1e9, -1, -1);
  regard_heatmap_get_cell_rect(f.heatmap, 0, 0, &first);
  g_assert_cmpfloat(first.size.width, <=, REGARD_CELL_MAX);
  regard_heatmap_set_zoom(f.heatmap, 0, -1, -1);
  g_assert_cmpfloat(regard_heatmap_get_zoom(f.heatmap), ==, 1);
  close_fixture(&f);
}

static void
test_drag_pans_and_does_not_pin(void)
{
  graphene_rect_t before, after;
  Fixture f;

  open_with(&f, square_matrix(60));
  regard_heatmap_set_zoom(f.heatmap, 4, -1, -1);
  gtk_test_widget_wait_for_draw(f.widget);
  regard_heatmap_get_cell_rect(f.heatmap, 30, 30, &before);
  g_signal_emit_by_name(controller(f.widget, "click"), "pressed", 1, 400.0, 250.0);
  g_signal_emit_by_name(controller(f.widget, "drag"), "drag-begin", 400.0, 250.0);
  g_signal_emit_by_name(controller(f.widget, "drag"), "drag-update", -50.0, -30.0);
  g_signal_emit_by_name(controller(f.widget, "click"), "released", 1, 350.0, 220.0);
  regard_heatmap_get_cell_rect(f.heatmap, 30, 30, &after);
  g_assert_cmpfloat(after.origin.x, ==, before.origin.x - 50);
  g_assert_cmpfloat(after.origin.y, ==, before.origin.y - 30);
  assert_pin(&f, -1, -1);
  close_fixture(&f);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static void
test_colours(void)
{
  RegardMatrix *m = cross_matrix();
  const RegardColormap *map = regard_colormap_find("magma");
  cairo_surface_t *picture;
  graphene_rect_t r;
  Fixture f;

  regard_matrix_ref(m);
  open_with(&f, m);
  regard_heatmap_set_colors(f.heatmap, REGARD_SCALE_SQRT, map);
  gtk_test_widget_wait_for_draw(f.widget);
  picture = paint(f.widget);
  for (guint row = 0; row < m->rows; row += 3)
    for (guint col = 0; col < m->cols; col += 2) {
      regard_heatmap_get_cell_rect(f.heatmap, row, col, &r);
      /* near a corner, where no number is printed */
      g_assert_cmphex(pixel(picture, r.origin.x + 3, r.origin.y + 3), ==,
                      regard_raster_cell_color(m, map, REGARD_SCALE_SQRT, row, col, 1));
    }
  cairo_surface_destroy(picture);

  /* Dimmed: the picture is still there, nearer to the background. */
  regard_heatmap_set_dimmed(f.heatmap, TRUE);
  picture = paint(f.widget);
  regard_heatmap_get_cell_rect(f.heatmap, 0, 10, &r);
  g_assert_cmphex(pixel(picture, r.origin.x + 3, r.origin.y + 3), !=,
                  regard_raster_cell_color(m, map, REGARD_SCALE_SQRT, 0, 10, 1));
  g_assert_cmpuint(count_ink(picture), >, 50000);
  cairo_surface_destroy(picture);
  close_fixture(&f);
  regard_matrix_unref(m);
}

static void
test_masked_is_no_colour(void)
{
  mt_capture *capture = sample_capture(1);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF};
  RegardMatrix *m = regard_matrix_new_attention(capture, &spec);
  guint32 zero = regard_colormap_lookup(regard_colormap_default(), 0);
  cairo_surface_t *picture;
  graphene_rect_t r;
  Fixture f;

  open_with(&f, m);
  picture = paint(f.widget);
  for (int i = 2; i < 14; i++) {
    regard_heatmap_get_cell_rect(f.heatmap, i, i + 2, &r);
    for (double x = 2; x < r.size.width - 1; x++)
      g_assert_cmphex(pixel(picture, r.origin.x + x, middle_y(&r)), !=, zero);
  }
  cairo_surface_destroy(picture);
  close_fixture(&f);
  mt_capture_unref(capture);
}

/* Smaller than a pixel, a single large cell is still seen. */
static void
test_peaks_survive_pooling(void)
{
  guint n = 1500, bright = 0;
  g_autofree float *values = g_new0(float, (gsize) n *n);
  guint32 one = regard_colormap_lookup(regard_colormap_default(), 1);
  cairo_surface_t *picture;
  Fixture f;

  values[(gsize) 701 * n + 333] = 1;
  open_with(&f, sample_matrix(values, n, n, NULL, NULL));
  picture = paint(f.widget);
  for (int y = 0; y < cairo_image_surface_get_height(picture); y++)
    for (int x = 0; x < cairo_image_surface_get_width(picture); x++)
      bright += pixel(picture, x, y) == one;
  g_assert_cmpuint(bright, >=, 1);
  g_assert_cmpuint(bright, <=, 9);
  cairo_surface_destroy(picture);
  close_fixture(&f);
}

/* Pointing and pinning change the picture, and letting go restores it to the pixel. */
static void
test_marks_come_and_go(void)
{
  cairo_surface_t *plain, *marked, *again;
  gsize bytes;
  Fixture f;

  open_with(&f, cross_matrix());
  plain = paint(f.widget);
  regard_heatmap_set_pin(f.heatmap, 5, 5);
  regard_heatmap_set_hover(f.heatmap, 8, 2);
  marked = paint(f.widget);
  regard_heatmap_set_pin(f.heatmap, -1, -1);
  regard_heatmap_set_hover(f.heatmap, -1, -1);
  again = paint(f.widget);
  bytes = (gsize) cairo_image_surface_get_stride(plain) * cairo_image_surface_get_height(plain);
  g_assert_cmpint(memcmp(cairo_image_surface_get_data(plain), cairo_image_surface_get_data(marked),
                         bytes),
                  !=, 0);
  g_assert_cmpmem(cairo_image_surface_get_data(plain), bytes, cairo_image_surface_get_data(again),
                  bytes);
  cairo_surface_destroy(plain);
  cairo_surface_destroy(marked);
  cairo_surface_destroy(again);
  close_fixture(&f);
}

/* ---- Others ---------------------------------------------------------------------------------- */

static void
test_accessible(void)
{
  RegardMatrix *m = cross_matrix();
  g_autofree char *cell = regard_matrix_describe_cell(m, 2, 3);
  g_autofree char *title = g_strdup(m->title);
  Fixture f;

  open_with(&f, m);
  gtk_test_accessible_assert_role(f.widget, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property(f.widget, GTK_ACCESSIBLE_PROPERTY_LABEL, title);
  gtk_test_accessible_assert_property(f.widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "17 rows, 17 columns");
  regard_heatmap_set_pin(f.heatmap, 2, 3);
  gtk_test_accessible_assert_property(f.widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, cell);
  gtk_test_accessible_assert_property(f.widget, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, cell);
  regard_heatmap_set_hover(f.heatmap, 0, -1);
  gtk_test_accessible_assert_property(f.widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "row Der");
  regard_heatmap_set_matrix(f.heatmap, NULL);
  gtk_test_accessible_assert_property(f.widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "empty");
  close_fixture(&f);
}

static void
test_smaller_matrix_lets_go(void)
{
  RegardMatrix *small = square_matrix(3);
  Fixture f;

  open_with(&f, cross_matrix());
  regard_heatmap_set_pin(f.heatmap, 10, 10);
  regard_heatmap_set_hover(f.heatmap, 2, 1);
  regard_heatmap_set_matrix(f.heatmap, small);
  assert_pin(&f, -1, -1);
  assert_hover(&f, 2, 1);
  regard_heatmap_set_hover(f.heatmap, 7, 0); /* out of range */
  assert_hover(&f, -1, -1);
  regard_matrix_unref(small);
  close_fixture(&f);
}

/* A matrix with an empty axis, one cell, very long and strange labels: drawn, and no crash. */
static void
test_odd_matrices(void)
{
  const char *strange[] = {"▁世界", "😀", "▁مرحبا", ""};
  g_autofree char *longest = g_strnfill(4000, 'w');
  const char *huge[] = {longest};
  const float values[16] = {0, 1, NAN, INFINITY, -1, 0.5f};
  cairo_surface_t *picture;
  Fixture f;

  open_with(&f, sample_matrix(values, 4, 4, strange, strange));
  picture = paint(f.widget);
  g_assert_cmpuint(count_ink(picture), >, 1000);
  cairo_surface_destroy(picture);
  for (int i = 0; i < 4; i++) {
    guint rows = i == 0 ? 0 : 1, cols = i == 1 ? 0 : 1;
    g_autoptr(RegardMatrix) m =
        sample_matrix(values, rows, cols, i == 2 ? huge : NULL, i == 2 ? huge : NULL);

    regard_heatmap_set_matrix(f.heatmap, m);
    gtk_test_widget_wait_for_draw(f.widget);
    move_pointer(f.widget, 300, 200);
    press_key(f.widget, GDK_KEY_Right, 0);
    cairo_surface_destroy(paint(f.widget));
  }
  close_fixture(&f);
}

/* 512 by 512: pointing elsewhere keeps the cells' node, and the labels' of the large cells. */
static void
test_hover_keeps_nodes(void)
{
  static const guint sizes[] = {512, 20};

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    GskRenderNode *before, *after;
    graphene_rect_t r;
    Fixture f;

    open_with(&f, square_matrix(sizes[i]));
    before = snapshot_widget(f.widget);
    regard_heatmap_get_cell_rect(f.heatmap, 3, 9, &r);
    move_pointer(f.widget, middle_x(&r), middle_y(&r));
    assert_hover(&f, 3, 9);
    after = snapshot_widget(f.widget);
    /* axes and cells; with labels, all but the two that are bold now */
    g_assert_cmpuint(count_kept(before, after), ==, sizes[i] == 512 ? 2 : 2 + 20 + 20 - 2);
    gsk_render_node_unref(before);
    gsk_render_node_unref(after);
    close_fixture(&f);
  }
}

/* Where special tokens are hidden, a bar beside each row is as long as what they took of it. */
static void
test_hidden_mass(void)
{
  mt_capture *capture = sample_capture(1);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF, .hide_special = TRUE};
  RegardMatrix *m = regard_matrix_new_attention(capture, &spec);
  const RegardHeatmapLayout *l;
  cairo_surface_t *surface;
  Fixture f;
  double least = 1, most = 0;
  guint32 ground = 0xffffffff;

  mt_capture_unref(capture);
  open_with(&f, m);
  l = regard_heatmap_get_layout(f.heatmap);
  g_assert_cmpfloat(l->mass_w, >, 20);
  g_assert_cmpfloat(l->body_x + l->body_w + REGARD_HEATMAP_GAP + l->mass_w, <=, WINDOW_WIDTH);
  g_assert_cmpfloat(l->body_y + l->body_h + l->mass_h, <=, WINDOW_HEIGHT);
  surface = paint(f.widget);
  for (guint r = m->rows; r-- > 0;) { /* the first is all hidden */
    double mass = m->removed_mass[r], x0 = l->body_x + l->body_w + 8;
    double y = l->body_y + r * l->cell_h + l->cell_h * 0.12 + 1; /* above the number */
    guint length = 0;

    if (mass < 0.9)
      ground = pixel(surface, x0 + l->mass_w - 1, y);
    for (double x = x0; x < x0 + l->mass_w; x++)
      length += pixel(surface, x, y) != ground;
    g_assert_cmpfloat(fabs(length - mass * l->mass_w), <=, 2); /* two soft edges */
    least = MIN(least, mass);
    most = MAX(most, mass);
  }
  g_assert_cmphex(ground, !=, 0xffffffff);
  g_assert_cmpfloat(most - least, >, 0.5); /* or the lengths say nothing */
  cairo_surface_destroy(surface);

  /* Nothing hidden: no bars, and the room is the cells'. */
  spec.hide_special = FALSE;
  capture = sample_capture(1);
  m = regard_matrix_new_attention(capture, &spec);
  mt_capture_unref(capture);
  regard_heatmap_set_matrix(f.heatmap, m);
  regard_matrix_unref(m);
  l = regard_heatmap_get_layout(f.heatmap);
  g_assert_cmpfloat(l->mass_w, ==, 0);
  g_assert_cmpfloat(l->mass_h, ==, 0);
  close_fixture(&f);
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/heatmap/thresholds", test_thresholds);
  g_test_add_func("/heatmap/layout-odd", test_layout_odd);
  g_test_add_func("/heatmap/hover", test_hover);
  g_test_add_func("/heatmap/click-pins", test_click_pins);
  g_test_add_func("/heatmap/keys", test_keys);
  g_test_add_func("/heatmap/sum-keys", test_sum_keys);
  g_test_add_func("/heatmap/hover-then-pin-by-key", test_hover_then_pin_by_key);
  g_test_add_func("/heatmap/zoomed-text", test_zoomed_text);
  g_test_add_func("/heatmap/zoom-and-frozen-labels", test_zoom_and_frozen_labels);
  g_test_add_func("/heatmap/drag-pans", test_drag_pans_and_does_not_pin);
  g_test_add_func("/heatmap/colours", test_colours);
  g_test_add_func("/heatmap/masked", test_masked_is_no_colour);
  g_test_add_func("/heatmap/hidden-mass", test_hidden_mass);
  g_test_add_func("/heatmap/peaks-survive-pooling", test_peaks_survive_pooling);
  g_test_add_func("/heatmap/marks-come-and-go", test_marks_come_and_go);
  g_test_add_func("/heatmap/accessible", test_accessible);
  g_test_add_func("/heatmap/smaller-matrix", test_smaller_matrix_lets_go);
  g_test_add_func("/heatmap/odd-matrices", test_odd_matrices);
  g_test_add_func("/heatmap/hover-keeps-nodes", test_hover_keeps_nodes);
}

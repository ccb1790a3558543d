/* regard-heatmap.c — one matrix, large: the widget with its pointer, keyboard and scrolling.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where everything stands, and how it is painted, is in regard-heatmap-draw.c.
 */
#include "widgets/regard-heatmap.h"

#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap-draw.h"

#include <math.h>
#include <string.h>

struct _RegardHeatmap {
  GtkWidget parent_instance;

  RegardMatrix *matrix;
  const RegardColormap *colormap;
  RegardScale scale;
  gboolean dimmed;
  int hover_row, hover_col, pin_row, pin_col;
  guint marked;
  gboolean marked_both;
  RegardSumAxis sum_axis;
  guint8 *summed;
  guint n_summed;
  int computed;
  double zoom;

  GtkWidget *scrollbars[2]; /* horizontal, vertical */
  GtkAdjustment *adjustments[2];
  gboolean configuring;

  RegardHeatmapLayout layout;
  gboolean layout_valid;
  double label_font_px; /* for which the widths below were measured; 0: measure anew */
  double row_label_width, *col_label_width;
  double axis_width[2], axis_height;

  RegardHeatmapCache cache;
  RegardTheme theme;
  gboolean theme_valid;

  double pointer_x, pointer_y; /* negative: not over the widget */
  gboolean dragged;
  double drag_x, drag_y;

  /* A value that is dragged. */
  RegardHeatmapEditing editing;
  int edit_row, edit_col; /* whose value is dragged; -1: none */
  double edit_from, edit_value;
  guint64 edit_gesture;
};

enum {
  REGARD_HEATMAP_HOVER_CHANGED,
  REGARD_HEATMAP_PIN_CHANGED,
  REGARD_HEATMAP_VALUE_DRAGGED,
  REGARD_HEATMAP_CELL_DOUBLE_CLICKED,
  REGARD_HEATMAP_SUM_WANTED,
  REGARD_HEATMAP_N_SIGNALS
};

static guint regard_heatmap_signals[REGARD_HEATMAP_N_SIGNALS];

#define SCROLLBAR      14
#define ESTIMATE_ABOVE 160 /* labels: beyond, widths are estimated, for they are seldom shown */

G_DEFINE_FINAL_TYPE(RegardHeatmap, regard_heatmap, GTK_TYPE_WIDGET)

/* ---- Layout ---------------------------------------------------------------------------------- */

static double
measure_label(RegardHeatmap *self, const RegardLabel *label, double px)
{
  g_autoptr(PangoLayout) layout =
      regard_heatmap_label_layout(GTK_WIDGET(self), label, px, 0, FALSE, &self->theme);
  int width;

  pango_layout_get_pixel_size(layout, &width, NULL);
  return width;
}

static double
estimate_label(const RegardLabel *label, double px)
{
  return (g_utf8_strlen(label->text, -1) + (label->prefix ? g_utf8_strlen(label->prefix, -1) : 0) +
          (label->suffix ? g_utf8_strlen(label->suffix, -1) : 0)) *
         px * 0.62;
}

static void
measure_labels(RegardHeatmap *self)
{
  const RegardMatrix *m = self->matrix;
  double px = regard_theme_font_px(GTK_WIDGET(self)) * 0.95;
  gboolean estimate = m->rows + m->cols > 2 * ESTIMATE_ABOVE;

  self->label_font_px = px;
  self->row_label_width = 0;
  for (guint r = 0; r < m->rows; r++)
    self->row_label_width =
        MAX(self->row_label_width, estimate ? estimate_label(&m->row_labels[r], px)
                                            : measure_label(self, &m->row_labels[r], px));
  g_free(self->col_label_width);
  self->col_label_width = g_new(double, MAX(m->cols, 1));
  for (guint c = 0; c < m->cols; c++)
    self->col_label_width[c] = estimate ? estimate_label(&m->col_labels[c], px)
                                        : measure_label(self, &m->col_labels[c], px);

  self->axis_height = 0;
  for (int column = 0; column < 2; column++) {
    g_autofree char *title = regard_heatmap_axis_title(m, column);
    RegardLabel label = {.text = title};

    self->axis_width[column] = title ? measure_label(self, &label, px * 0.86) : 0;
    if (title && column)
      self->axis_height = ceil(px * 1.4);
  }
}

static void
ensure_theme(RegardHeatmap *self)
{
  if (!self->theme_valid)
    regard_theme_get(GTK_WIDGET(self), &self->theme);
  self->theme_valid = TRUE;
}

static void
ensure_layout(RegardHeatmap *self)
{
  RegardHeatmapLayout old = self->layout;
  double inset = self->zoom > 1 ? SCROLLBAR : 0;

  if (self->layout_valid)
    return;
  self->layout_valid = TRUE;
  self->layout = (RegardHeatmapLayout){0};
  if (!self->matrix || gtk_widget_get_width(GTK_WIDGET(self)) < 1)
    return;

  ensure_theme(self);
  if (self->label_font_px <= 0)
    measure_labels(self);

  RegardHeatmapInput input = (RegardHeatmapInput){
      .width = gtk_widget_get_width(GTK_WIDGET(self)) - inset,
      .height = gtk_widget_get_height(GTK_WIDGET(self)) - inset,
      .scale_factor = gtk_widget_get_scale_factor(GTK_WIDGET(self)),
      .rows = self->matrix->rows,
      .cols = self->matrix->cols,
      .aspect = self->matrix->aspect,
      .zoom = self->zoom,
      .font_px = self->label_font_px,
      .row_label_width = self->row_label_width,
      .col_label_width = self->col_label_width,
      .axis_height = self->axis_height,
      .axis_width = {self->axis_width[0], self->axis_width[1]},
      .has_received = self->matrix->received != NULL,
      .has_mass = self->matrix->removed_mass != NULL,
  };
  regard_heatmap_layout(&input, &self->layout);
  if (memcmp(&old, &self->layout, sizeof old) != 0)
    regard_heatmap_cache_clear(&self->cache, REGARD_DIRTY_LAYOUT);

  self->configuring = TRUE;
  for (int i = 0; i < 2; i++) {
    double content = i == 0 ? self->layout.content_w : self->layout.content_h;
    double body = i == 0 ? self->layout.body_w : self->layout.body_h;
    double cell = i == 0 ? self->layout.cell_w : self->layout.cell_h;
    double value = gtk_adjustment_get_value(self->adjustments[i]);

    gtk_adjustment_configure(self->adjustments[i], CLAMP(value, 0, MAX(content - body, 0)), 0,
                             MAX(content, body), MAX(cell, 10), body * 0.9, body);
    gtk_widget_set_child_visible(self->scrollbars[i], content > body + 0.5);
  }
  self->configuring = FALSE;
}

const RegardHeatmapLayout *
regard_heatmap_get_layout(RegardHeatmap *self)
{
  ensure_layout(self);
  return &self->layout;
}

static void
invalidate(RegardHeatmap *self, RegardHeatmapDirty dirty)
{
  if (dirty & REGARD_DIRTY_MATRIX)
    self->label_font_px = 0;
  if (dirty & (REGARD_DIRTY_MATRIX | REGARD_DIRTY_LAYOUT)) {
    self->layout_valid = FALSE;
    gtk_widget_queue_allocate(GTK_WIDGET(self));
  }
  regard_heatmap_cache_clear(&self->cache, dirty);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static double
scroll_x(RegardHeatmap *self)
{
  return gtk_adjustment_get_value(self->adjustments[0]);
}

static double
scroll_y(RegardHeatmap *self)
{
  return gtk_adjustment_get_value(self->adjustments[1]);
}

/* ---- Where is what -----------------------------------------------------------------------------
 */

/* The column whose cell of the strip lies there; -1: none. */
static int
strip_at(RegardHeatmap *self, double x, double y)
{
  const RegardHeatmapLayout *l = regard_heatmap_get_layout(self);
  const double dx = x - l->body_x, dy = y - l->strip_y;

  return l->strip_h > 0 && dx >= 0 && dx < l->body_w && dy >= 0 && dy < l->strip_h
             ? (int) MIN((dx + scroll_x(self)) / l->cell_w, self->matrix->cols - 1)
             : -1;
}

static gboolean
on_query_tooltip(RegardHeatmap *self, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip)
{
  const int col = by_keyboard || !self->matrix ? -1 : strip_at(self, x, y);
  g_autofree char *text = col >= 0 ? regard_matrix_describe_received(self->matrix, col) : NULL;

  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

gboolean
regard_heatmap_cell_at(RegardHeatmap *self, double x, double y, int *row, int *col)
{
  const RegardHeatmapLayout *l = &self->layout;
  double dx, dy;

  *row = *col = -1;
  ensure_layout(self);
  if (!self->matrix || l->cell_w <= 0)
    return FALSE;

  dx = x - l->body_x, dy = y - l->body_y;
  if (dy >= 0 && dy < l->body_h && dx >= -l->row_header_w && dx < l->body_w) {
    *row = MIN((dy + scroll_y(self)) / l->cell_h, self->matrix->rows - 1);
    if (dx >= 0)
      *col = MIN((dx + scroll_x(self)) / l->cell_w, self->matrix->cols - 1);
    return TRUE;
  }
  if (dy < 0 && dy >= -l->col_header_h) {
    if (l->angle < 90) /* labels lean: follow them down to the body */
      dx += dy + REGARD_HEATMAP_GAP;
    if (dx >= 0 && dx < l->body_w) {
      *col = MIN((dx + scroll_x(self)) / l->cell_w, self->matrix->cols - 1);
      return TRUE;
    }
  }
  *col = strip_at(self, x, y);
  return *col >= 0;
}

gboolean
regard_heatmap_get_cell_rect(RegardHeatmap *self, int row, int col, graphene_rect_t *rect)
{
  ensure_layout(self);
  if (!self->matrix || self->layout.cell_w <= 0 || row < 0 || col < 0 ||
      (guint) row >= self->matrix->rows || (guint) col >= self->matrix->cols)
    return FALSE;
  *rect = GRAPHENE_RECT_INIT(self->layout.body_x - scroll_x(self) + col * self->layout.cell_w,
                             self->layout.body_y - scroll_y(self) + row * self->layout.cell_h,
                             self->layout.cell_w, self->layout.cell_h);
  return TRUE;
}

gboolean
regard_heatmap_get_seen_rect(RegardHeatmap *self, int row, int col, graphene_rect_t *rect)
{
  const RegardHeatmapLayout *l = regard_heatmap_get_layout(self);
  graphene_rect_t last;

  if (!self->matrix || !regard_heatmap_get_cell_rect(self, MAX(row, 0), MAX(col, 0), rect) ||
      !regard_heatmap_get_cell_rect(self, row < 0 ? (int) self->matrix->rows - 1 : row,
                                    col < 0 ? (int) self->matrix->cols - 1 : col, &last))
    return FALSE;
  graphene_rect_union(rect, &last, rect);
  const graphene_rect_t body = GRAPHENE_RECT_INIT((float) l->body_x, (float) l->body_y,
                                                  (float) l->body_w, (float) l->body_h);
  if (!graphene_rect_intersection(rect, &body, rect))
    return FALSE;
  if (col < 0) {
    rect->origin.x -= (float) l->row_header_w;
    rect->size.width += (float) l->row_header_w;
  }
  /* A rectangle around a label that leans would be around a part of others, too. */
  if (row < 0 && (col < 0 || l->angle >= 90)) {
    rect->origin.y -= (float) l->col_header_h;
    rect->size.height += (float) l->col_header_h;
    rect->size.width += col < 0 ? (float) l->overhang : 0;
    /* All of it is with what its columns are of. */
    if (col < 0) {
      rect->origin.y -= (float) self->axis_height;
      rect->size.height += (float) self->axis_height;
    }
  }
  return TRUE;
}

gboolean
regard_heatmap_get_received_rect(RegardHeatmap *self, graphene_rect_t *rect)
{
  const RegardHeatmapLayout *l = regard_heatmap_get_layout(self);
  if (!self->matrix || l->strip_h <= 0)
    return FALSE;
  *rect = GRAPHENE_RECT_INIT((float) l->body_x, (float) l->strip_y, (float) l->body_w,
                             (float) l->strip_h);
  return TRUE;
}

/* ---- Hover and pin ------------------------------------------------------------------------------
 */

/* The focus cell as a sentence, where a screen reader looks for it. */
static void
update_accessible(RegardHeatmap *self)
{
  gboolean hovered = self->hover_row >= 0 || self->hover_col >= 0;
  int row = hovered ? self->hover_row : self->pin_row;
  int col = hovered ? self->hover_col : self->pin_col;
  g_autofree char *text = NULL;

  if (!self->matrix)
    text = g_strdup(_("empty"));
  else if (row >= 0 && col >= 0)
    text = regard_matrix_describe_cell(self->matrix, row, col);
  else if (row >= 0)
    text = g_strdup_printf("%s %s", self->matrix->row_noun,
                           regard_matrix_spoken(self->matrix->row_labels[row].text));
  else if (col >= 0)
    text = g_strdup_printf("%s %s", self->matrix->col_noun,
                           regard_matrix_spoken(self->matrix->col_labels[col].text));
  else
    text = g_strdup_printf(_("%u rows, %u columns"), self->matrix->rows, self->matrix->cols);
  if (self->matrix && self->matrix->received && row < 0) {
    g_autofree char *received = regard_matrix_describe_received(self->matrix, col), *cells = text;
    text = g_strdup_printf(_("%s, %s"), cells, received);
  }
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 self->matrix && self->matrix->title ? self->matrix->title
                                                                     : _("Heatmap"),
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static gboolean
in_range(RegardHeatmap *self, int row, int col)
{
  return self->matrix && row < (int) self->matrix->rows && col < (int) self->matrix->cols;
}

void
regard_heatmap_set_hover(RegardHeatmap *self, int row, int col)
{
  if (!in_range(self, row, col))
    row = col = -1;
  if (row == self->hover_row && col == self->hover_col)
    return;
  self->hover_row = row;
  self->hover_col = col;
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_pin(RegardHeatmap *self, int row, int col)
{
  if (!in_range(self, row, col))
    row = col = -1;
  if (row == self->pin_row && col == self->pin_col)
    return;
  self->pin_row = row;
  self->pin_col = col;
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_get_hover(RegardHeatmap *self, int *row, int *col)
{
  *row = self->hover_row;
  *col = self->hover_col;
}

void
regard_heatmap_get_pin(RegardHeatmap *self, int *row, int *col)
{
  *row = self->pin_row;
  *col = self->pin_col;
}

/* ---- A value dragged in its row --------------------------------------------------------- */

/* To the right for more; what it is meanwhile stands beside the pointer.
 *
 * Only where whoever owns the heatmap lets values be edited, and there only with Shift, or while
 * editing is switched on: a drag moves what is zoomed else. */

#define PX_OF_ONE 200.0 /* from 0 to 1 */

void
regard_heatmap_set_editing(RegardHeatmap *self, RegardHeatmapEditing editing)
{
  self->editing = editing;
  if (editing == REGARD_HEATMAP_FIXED)
    self->edit_row = self->edit_col = -1;
}

RegardHeatmapEditing
regard_heatmap_get_editing(RegardHeatmap *self)
{
  return self->editing;
}

static gboolean
is_editable(RegardHeatmap *self)
{
  return self->editing != REGARD_HEATMAP_FIXED;
}

static gboolean
begin_edit(RegardHeatmap *self, double x, double y, GdkModifierType state)
{
  const gboolean is_wanted = self->editing == REGARD_HEATMAP_EDITED ||
                             (self->editing == REGARD_HEATMAP_EDITABLE && state & GDK_SHIFT_MASK);
  int row, col;

  self->edit_row = self->edit_col = -1;
  if (!is_wanted || !regard_heatmap_cell_at(self, x, y, &row, &col) || row < 0 || col < 0)
    return FALSE;
  self->edit_row = row;
  self->edit_col = col;
  self->edit_from = CLAMP((double) regard_matrix_get(self->matrix, (guint) row, (guint) col), 0, 1);
  self->edit_value = NAN;
  self->edit_gesture = (guint64) g_get_monotonic_time();
  return TRUE;
}

static gboolean
update_edit(RegardHeatmap *self, double dx)
{
  const double value = round(CLAMP(self->edit_from + dx / PX_OF_ONE, 0, 1) * 100) / 100;

  if (self->edit_row < 0)
    return FALSE;
  if (!self->dragged || value == self->edit_value)
    return TRUE;
  self->edit_value = value;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  g_signal_emit(self, regard_heatmap_signals[REGARD_HEATMAP_VALUE_DRAGGED], 0, self->edit_row,
                self->edit_col, value, self->edit_gesture);
  return TRUE;
}

static void
end_edit(RegardHeatmap *self)
{
  if (self->edit_row < 0)
    return;
  self->edit_row = self->edit_col = -1;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
draw_edit(RegardHeatmap *self, GtkSnapshot *snapshot)
{
  graphene_rect_t cell;
  char text[16];
  int width, height;

  if (self->edit_row < 0 || isnan(self->edit_value) ||
      !regard_heatmap_get_cell_rect(self, self->edit_row, self->edit_col, &cell))
    return;
  regard_formatd(text, sizeof text, "%.2f", self->edit_value);
  g_autoptr(PangoLayout) layout =
      regard_heatmap_text_layout(GTK_WIDGET(self), text,
                                 regard_theme_font_px(GTK_WIDGET(self)) * 1.1);
  pango_layout_get_pixel_size(layout, &width, &height);
  const float w = (float) width + 14, h = (float) height + 6;
  const float x = CLAMP(cell.origin.x + cell.size.width + 4, 0,
                        (float) gtk_widget_get_width(GTK_WIDGET(self)) - w);
  const float y = MAX(cell.origin.y - h - 4, 0);
  GskRoundedRect plate;

  gsk_rounded_rect_init_from_rect(&plate, &GRAPHENE_RECT_INIT(x, y, w, h), 5);
  gtk_snapshot_push_rounded_clip(snapshot, &plate);
  gtk_snapshot_append_color(snapshot, &self->theme.mark, &plate.bounds);
  gtk_snapshot_pop(snapshot);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x + 7, y + 3));
  gtk_snapshot_append_layout(snapshot, layout, &self->theme.bg);
  gtk_snapshot_restore(snapshot);
  regard_snapshot_outline(snapshot, cell.origin.x - 1, cell.origin.y - 1, cell.size.width + 2,
                          cell.size.height + 2, 2, 2, &self->theme.mark);
}

/* ---- Hover and pin --------------------------------------------------------------------------- */

static void
user_hover(RegardHeatmap *self, int row, int col)
{
  /* GTK sends motion again after a redraw; the cell is the same then. */
  if (row == self->hover_row && col == self->hover_col)
    return;
  regard_heatmap_set_hover(self, row, col);
  g_signal_emit(self, regard_heatmap_signals[REGARD_HEATMAP_HOVER_CHANGED], 0, row, col);
}

static void
user_pin(RegardHeatmap *self, int row, int col)
{
  if (row == self->pin_row && col == self->pin_col)
    return;
  regard_heatmap_set_pin(self, row, col);
  g_signal_emit(self, regard_heatmap_signals[REGARD_HEATMAP_PIN_CHANGED], 0, row, col);
}

static void
hover_at_pointer(RegardHeatmap *self)
{
  int row = -1, col = -1;

  if (self->pointer_x >= 0)
    regard_heatmap_cell_at(self, self->pointer_x, self->pointer_y, &row, &col);
  user_hover(self, row, col);
}

/* ---- Zoom and scrolling ---------------------------------------------------------------------- */

void
regard_heatmap_scroll_by(RegardHeatmap *self, double dx, double dy)
{
  gtk_adjustment_set_value(self->adjustments[0], scroll_x(self) + dx);
  gtk_adjustment_set_value(self->adjustments[1], scroll_y(self) + dy);
}

void
regard_heatmap_set_zoom(RegardHeatmap *self, double zoom, double x, double y)
{
  RegardHeatmapLayout *l = &self->layout;
  double col, row, fitted, limit;

  ensure_layout(self);
  if (!self->matrix || l->cell_w <= 0)
    return;

  fitted = MAX(l->cell_w, l->cell_h) / self->zoom;
  limit = MAX(REGARD_CELL_MAX / MAX(fitted, 0.05), 1);
  zoom = CLAMP(zoom, 1, limit);
  if (fabs(zoom - self->zoom) < 1e-9)
    return;
  if (x < l->body_x || y < l->body_y || x > l->body_x + l->body_w || y > l->body_y + l->body_h) {
    x = l->body_x + l->body_w / 2;
    y = l->body_y + l->body_h / 2;
  }
  col = (x - l->body_x + scroll_x(self)) / l->cell_w;
  row = (y - l->body_y + scroll_y(self)) / l->cell_h;

  self->zoom = zoom;
  invalidate(self, REGARD_DIRTY_LAYOUT);
  ensure_layout(self);
  gtk_adjustment_set_value(self->adjustments[0], col * l->cell_w - (x - l->body_x));
  gtk_adjustment_set_value(self->adjustments[1], row * l->cell_h - (y - l->body_y));
  hover_at_pointer(self);
}

double
regard_heatmap_get_zoom(RegardHeatmap *self)
{
  return self->zoom;
}

void
regard_heatmap_get_corner(RegardHeatmap *self, double *row, double *col)
{
  const RegardHeatmapLayout *l = &self->layout;
  ensure_layout(self);
  *row = l->cell_h > 0 ? scroll_y(self) / l->cell_h : 0;
  *col = l->cell_w > 0 ? scroll_x(self) / l->cell_w : 0;
}

void
regard_heatmap_set_corner(RegardHeatmap *self, double row, double col)
{
  ensure_layout(self);
  gtk_adjustment_set_value(self->adjustments[0], col * self->layout.cell_w);
  gtk_adjustment_set_value(self->adjustments[1], row * self->layout.cell_h);
}

static void
on_scrolled(RegardHeatmap *self)
{
  if (self->configuring)
    return;
  invalidate(self, REGARD_DIRTY_SCROLL);
  hover_at_pointer(self);
}

static void
show_cell(RegardHeatmap *self, int row, int col)
{
  ensure_layout(self);
  if (col >= 0)
    gtk_adjustment_clamp_page(self->adjustments[0], col * self->layout.cell_w,
                              (col + 1) * self->layout.cell_w);
  if (row >= 0)
    gtk_adjustment_clamp_page(self->adjustments[1], row * self->layout.cell_h,
                              (row + 1) * self->layout.cell_h);
}

/* A whole row or column, with the others that are added up; where somebody does that. */
static gboolean
want_sum(RegardHeatmap *self, int row, int col)
{
  if ((row >= 0) == (col >= 0) ||
      !g_signal_has_handler_pending(self, regard_heatmap_signals[REGARD_HEATMAP_SUM_WANTED], 0,
                                    FALSE))
    return FALSE;
  g_signal_emit(self, regard_heatmap_signals[REGARD_HEATMAP_SUM_WANTED], 0, row, col);
  return TRUE;
}

/* By keys: the row that is pinned whole, else the column. */
static gboolean
want_sum_here(RegardHeatmap *self)
{
  const gboolean pinned = self->pin_row >= 0 || self->pin_col >= 0;
  const int row = pinned ? self->pin_row : self->hover_row;
  const int col = pinned ? self->pin_col : self->hover_col;

  return col >= 0 ? want_sum(self, -1, col) : want_sum(self, row, -1);
}

/* ---- Events -------------------------------------------------------------------------------------
 */
static void
on_motion(RegardHeatmap *self, double x, double y)
{
  /* GTK sends motion again after a redraw. A pointer that rests must not take back what the
   * keyboard has taken over. */
  if (x == self->pointer_x && y == self->pointer_y)
    return;
  self->pointer_x = x;
  self->pointer_y = y;
  hover_at_pointer(self);
}

static void
on_leave(RegardHeatmap *self)
{
  self->pointer_x = self->pointer_y = -1;
  hover_at_pointer(self);
}

static void
on_pressed(RegardHeatmap *self, int n_press, double x, double y)
{
  self->dragged = FALSE;
  gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void
on_released(RegardHeatmap *self, int n_press, double x, double y, GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(controller);
  int row, col;

  if (self->dragged || !regard_heatmap_cell_at(self, x, y, &row, &col))
    return;
  if ((state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK)) && want_sum(self, row, col))
    return;
  if (n_press == 2 && row >= 0 && col >= 0)
    g_signal_emit(self, regard_heatmap_signals[REGARD_HEATMAP_CELL_DOUBLE_CLICKED], 0, row, col);
  if (row == self->pin_row && col == self->pin_col)
    row = col = -1; /* a second click lets go */
  user_pin(self, row, col);
}

static void
on_drag_begin(RegardHeatmap *self, double x, double y, GtkGesture *gesture)
{
  begin_edit(self, x, y,
             gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture)));
  self->drag_x = scroll_x(self);
  self->drag_y = scroll_y(self);
}

static void
on_drag_end(RegardHeatmap *self)
{
  end_edit(self);
}

static void
on_drag_update(RegardHeatmap *self, double dx, double dy)
{
  const RegardHeatmapLayout *l = &self->layout;

  if (fabs(dx) + fabs(dy) > 8)
    self->dragged = TRUE;
  if (update_edit(self, dx))
    return;
  if (!self->dragged || (l->content_w <= l->body_w && l->content_h <= l->body_h))
    return;
  gtk_adjustment_set_value(self->adjustments[0], self->drag_x - dx);
  gtk_adjustment_set_value(self->adjustments[1], self->drag_y - dy);
}

static gboolean
on_scroll(RegardHeatmap *self, double dx, double dy, GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(controller);

  if (state & GDK_CONTROL_MASK) {
    regard_heatmap_set_zoom(self, self->zoom * pow(1.2, -dy), self->pointer_x, self->pointer_y);
    return TRUE;
  }
  if (self->layout.content_w <= self->layout.body_w &&
      self->layout.content_h <= self->layout.body_h)
    return FALSE;
  if (state & GDK_SHIFT_MASK) {
    double swap = dx;

    dx = dy, dy = swap;
  }
  regard_heatmap_scroll_by(self, dx * 60, dy * 60);
  return TRUE;
}

/* Moves the pinned cell; a row or column that is pinned whole moves as a whole. */
static gboolean
move_pin(RegardHeatmap *self, int dr, int dc, gboolean to_edge, gboolean to_corner)
{
  int rows = self->matrix->rows, cols = self->matrix->cols, row = self->pin_row,
      col = self->pin_col;

  if (row < 0 && col < 0) {
    row = self->hover_row, col = self->hover_col;
    if (row < 0 && col < 0) { /* the first press shows where the cursor is */
      user_pin(self, 0, 0);
      show_cell(self, 0, 0);
      return TRUE;
    }
  }
  if (to_corner)
    row = dr < 0 ? 0 : rows - 1, col = dr < 0 ? 0 : cols - 1;
  else if (to_edge)
    col = dc < 0 ? 0 : cols - 1;
  else {
    if (dc != 0 && col < 0)
      col = dc > 0 ? 0 : cols - 1;
    else if (dc != 0)
      col = CLAMP(col + dc, 0, cols - 1);
    if (dr != 0 && row < 0)
      row = dr > 0 ? 0 : rows - 1;
    else if (dr != 0)
      row = CLAMP(row + dr, 0, rows - 1);
  }
  /* The keyboard takes over from the pointer: what it moves must be what is seen. */
  user_hover(self, -1, -1);
  user_pin(self, row, col);
  show_cell(self, row, col);
  return TRUE;
}

gboolean
regard_heatmap_handle_key(RegardHeatmap *self, guint keyval, GdkModifierType state)
{
  gboolean control = (state & GDK_CONTROL_MASK) != 0;
  const guint key = regard_plain_key(keyval);

  if (!self->matrix || self->matrix->rows == 0 || self->matrix->cols == 0 || (state & GDK_ALT_MASK))
    return FALSE;
  /* Of the page: the head before, or the next. */
  if (control && (state & GDK_SHIFT_MASK) && (key == GDK_KEY_Left || key == GDK_KEY_Right))
    return FALSE;

  switch (key) {
  case GDK_KEY_Left:
    return move_pin(self, 0, -1, control, FALSE);
  case GDK_KEY_Right:
    return move_pin(self, 0, 1, control, FALSE);
  case GDK_KEY_Up:
    return !control && move_pin(self, -1, 0, FALSE, FALSE);
  case GDK_KEY_Down:
    return !control && move_pin(self, 1, 0, FALSE, FALSE);
  case GDK_KEY_Home:
    return move_pin(self, -1, -1, TRUE, control);
  case GDK_KEY_End:
    return move_pin(self, 1, 1, TRUE, control);
  case GDK_KEY_Return:
  case GDK_KEY_space:
    if (state & GDK_SHIFT_MASK)
      return want_sum_here(self);
    if (control || (self->hover_row < 0 && self->hover_col < 0))
      return FALSE;
    user_pin(self, self->hover_row, self->hover_col);
    return TRUE;
  case GDK_KEY_Escape:
    if (self->pin_row < 0 && self->pin_col < 0)
      return FALSE;
    user_pin(self, -1, -1);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
    if (control)
      regard_heatmap_set_zoom(self, self->zoom * 1.25, self->pointer_x, self->pointer_y);
    return control;
  case GDK_KEY_minus:
    if (control)
      regard_heatmap_set_zoom(self, self->zoom / 1.25, self->pointer_x, self->pointer_y);
    return control;
  case GDK_KEY_0:
    if (control)
      regard_heatmap_set_zoom(self, 1, -1, -1);
    return control;
  default:
    return FALSE;
  }
}

static gboolean
on_key(RegardHeatmap *self, guint keyval, guint keycode, GdkModifierType state)
{
  regard_key_as_meant(GTK_WIDGET(self), keycode, &keyval, &state);
  return regard_heatmap_handle_key(self, keyval, state);
}

/* ---- Setters --------------------------------------------------------------------------------- */

void
regard_heatmap_set_matrix(RegardHeatmap *self, RegardMatrix *matrix)
{
  if (matrix == self->matrix)
    return;
  gboolean resized = !matrix || !self->matrix || matrix->rows != self->matrix->rows ||
                     matrix->cols != self->matrix->cols;
  if (matrix)
    regard_matrix_ref(matrix);
  g_clear_pointer(&self->matrix, regard_matrix_unref);
  self->matrix = matrix;
  if (resized)
    self->zoom = 1;
  if (!in_range(self, self->hover_row, self->hover_col))
    self->hover_row = self->hover_col = -1;
  if (!in_range(self, self->pin_row, self->pin_col))
    self->pin_row = self->pin_col = -1;
  invalidate(self, REGARD_DIRTY_MATRIX);
  update_accessible(self);
}

RegardMatrix *
regard_heatmap_get_matrix(RegardHeatmap *self)
{
  return self->matrix;
}

void
regard_heatmap_set_colors(RegardHeatmap *self, RegardScale scale, const RegardColormap *colormap)
{
  if (scale == self->scale && colormap == self->colormap)
    return;
  self->scale = scale;
  self->colormap = colormap;
  invalidate(self, REGARD_DIRTY_STYLE);
}

void
regard_heatmap_set_dimmed(RegardHeatmap *self, gboolean dimmed)
{
  if (!dimmed == !self->dimmed)
    return;
  self->dimmed = !!dimmed;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_computed(RegardHeatmap *self, int n)
{
  if (n == self->computed)
    return;
  self->computed = n;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_marked(RegardHeatmap *self, guint n, gboolean both)
{
  if (n == self->marked && !both == !self->marked_both)
    return;
  self->marked = n;
  self->marked_both = !!both;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_summed(RegardHeatmap *self, RegardSumAxis axis, const guint8 *chosen, guint n)
{
  g_free(self->summed);
  self->sum_axis = axis;
  self->summed = chosen ? g_memdup2(chosen, n) : NULL;
  self->n_summed = chosen ? n : 0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : 180;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : 460;
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardHeatmap *self = REGARD_HEATMAP(widget);
  const RegardHeatmapLayout *l = &self->layout;
  int min_w, min_h;

  self->layout_valid = FALSE;
  ensure_layout(self);
  for (int i = 0; i < 2; i++) {
    if (!gtk_widget_get_child_visible(self->scrollbars[i]))
      continue;
    gtk_widget_measure(self->scrollbars[i], GTK_ORIENTATION_HORIZONTAL, -1, &min_w, NULL, NULL,
                       NULL);
    gtk_widget_measure(self->scrollbars[i], GTK_ORIENTATION_VERTICAL, -1, &min_h, NULL, NULL, NULL);
    if (i == 0)
      gtk_widget_size_allocate(self->scrollbars[i],
                               &(GtkAllocation){l->body_x,
                                                MIN(l->body_y + l->body_h, height - min_h),
                                                MAX(l->body_w, min_w), min_h},
                               -1);
    else
      gtk_widget_size_allocate(self->scrollbars[i],
                               &(GtkAllocation){MIN(l->body_x + l->body_w, width - min_w),
                                                l->body_y, min_w, MAX(l->body_h, min_h)},
                               -1);
  }
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardHeatmap *self = REGARD_HEATMAP(widget);

  ensure_layout(self);
  ensure_theme(self);
  RegardHeatmapScene scene = (RegardHeatmapScene){
      .widget = widget,
      .matrix = self->matrix,
      .colormap = self->colormap,
      .scale = self->scale,
      .layout = &self->layout,
      .scroll_x = floor(scroll_x(self)),
      .scroll_y = floor(scroll_y(self)),
      .hover_row = self->hover_row,
      .hover_col = self->hover_col,
      .pin_row = self->pin_row,
      .pin_col = self->pin_col,
      .marked = self->marked,
      .marked_both = self->marked_both,
      .sum_axis = self->sum_axis,
      .summed = self->summed,
      .n_summed = self->n_summed,
      .computed = self->computed,
      .dimmed = self->dimmed,
      .focused = gtk_widget_has_focus(widget),
      .theme = self->theme,
  };
  if (self->matrix && !scene.colormap)
    scene.colormap =
        self->matrix->diverging ? regard_colormap_default_diverging() : regard_colormap_default();
  regard_heatmap_draw(&scene, &self->cache, snapshot);
  draw_edit(self, snapshot);
  for (int i = 0; i < 2; i++)
    gtk_widget_snapshot_child(widget, self->scrollbars[i], snapshot);
}

static void
restyle(RegardHeatmap *self)
{
  self->theme_valid = FALSE;
  invalidate(self, REGARD_DIRTY_MATRIX);
}

static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_heatmap_parent_class)->css_changed(widget, change);
  restyle(REGARD_HEATMAP(widget));
}

static void
system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS(regard_heatmap_parent_class)->system_setting_changed(widget, setting);
  restyle(REGARD_HEATMAP(widget));
}

static void
dispose(GObject *object)
{
  RegardHeatmap *self = REGARD_HEATMAP(object);

  for (int i = 0; i < 2; i++)
    g_clear_pointer(&self->scrollbars[i], gtk_widget_unparent);
  regard_heatmap_cache_clear(&self->cache, REGARD_DIRTY_MATRIX);
  g_clear_pointer(&self->matrix, regard_matrix_unref);
  G_OBJECT_CLASS(regard_heatmap_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  RegardHeatmap *self = REGARD_HEATMAP(object);

  for (int i = 0; i < 2; i++)
    g_clear_object(&self->adjustments[i]);
  g_free(self->col_label_width);
  g_free(self->summed);
  G_OBJECT_CLASS(regard_heatmap_parent_class)->finalize(object);
}

static void
regard_heatmap_class_init(RegardHeatmapClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot_widget;
  widget_class->css_changed = css_changed;
  widget_class->system_setting_changed = system_setting_changed;

  regard_heatmap_signals[REGARD_HEATMAP_HOVER_CHANGED] =
      regard_signal_new(klass, "hover-changed", 2, G_TYPE_INT, G_TYPE_INT);
  regard_heatmap_signals[REGARD_HEATMAP_VALUE_DRAGGED] =
      regard_signal_new(klass, "value-dragged", 4, G_TYPE_INT, G_TYPE_INT, G_TYPE_DOUBLE,
                        G_TYPE_UINT64);
  regard_heatmap_signals[REGARD_HEATMAP_CELL_DOUBLE_CLICKED] =
      regard_signal_new(klass, "cell-double-clicked", 2, G_TYPE_INT, G_TYPE_INT);
  regard_heatmap_signals[REGARD_HEATMAP_PIN_CHANGED] =
      regard_signal_new(klass, "pin-changed", 2, G_TYPE_INT, G_TYPE_INT);

  regard_heatmap_signals[REGARD_HEATMAP_SUM_WANTED] =
      regard_signal_new(klass, "sum-wanted", 2, G_TYPE_INT, G_TYPE_INT);

  gtk_widget_class_set_css_name(widget_class, "heatmap");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_heatmap_init(RegardHeatmap *self)
{
  static const RegardInput input = {
      .motion = G_CALLBACK(on_motion),
      .leave = G_CALLBACK(on_leave),
      .pressed = G_CALLBACK(on_pressed),
      .released = G_CALLBACK(on_released),
      .drag_begin = G_CALLBACK(on_drag_begin),
      .drag_update = G_CALLBACK(on_drag_update),
      .drag_end = G_CALLBACK(on_drag_end),
      .scroll = G_CALLBACK(on_scroll),
      .axes = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES,
      .key = G_CALLBACK(on_key),
      .focus_in = G_CALLBACK(gtk_widget_queue_draw),
      .focus_out = G_CALLBACK(gtk_widget_queue_draw),
  };

  self->computed = -1;
  self->zoom = 1;
  self->hover_row = self->hover_col = self->pin_row = self->pin_col = -1;
  self->edit_row = self->edit_col = -1;
  self->pointer_x = self->pointer_y = -1;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  /* What is drawn goes from left to right in every language, as in a figure. */
  gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);

  for (int i = 0; i < 2; i++) {
    self->adjustments[i] = g_object_ref_sink(gtk_adjustment_new(0, 0, 0, 0, 0, 0));
    self->scrollbars[i] =
        gtk_scrollbar_new(i == 0 ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL,
                          self->adjustments[i]);
    gtk_widget_set_parent(self->scrollbars[i], GTK_WIDGET(self));
    gtk_widget_set_child_visible(self->scrollbars[i], FALSE);
    g_signal_connect_swapped(self->adjustments[i], "value-changed", G_CALLBACK(on_scrolled), self);
  }

  regard_widget_listen(GTK_WIDGET(self), &input);
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_query_tooltip), NULL);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(restyle), NULL);
  update_accessible(self);
}

GtkWidget *
regard_heatmap_new(void)
{
  return g_object_new(REGARD_TYPE_HEATMAP, NULL);
}

/* ---- The context menu of the large picture ---------------------------------------------- */

static const struct {
  const char *label, *action; /* label NULL: another section begins; numbers: of the cell */
} entries[] = {
    {N_("_Keep This Cell"), "picture.keep((%d,%d))"},
    {N_("_Let Go"), "win.let-go"},
    {NULL, NULL},
    {N_("Set the _Weight…"), "weights.set((%d,%d))"},
    {N_("_Hide This Key from This Query"), "weights.hide((%d,%d))"},
    {N_("Hide This Key from _All Queries"), "weights.hide-key((%d,%d))"},
    {N_("_Restore"), "weights.restore((%d,%d))"},
    {NULL, NULL},
    {N_("_Copy Picture"), "win.copy"},
    {N_("Copy _Values (CSV)"), "win.copy-values"},
    {N_("Copy C_aption"), "win.copy-caption"},
    {N_("_Export…"), "win.export"},
    {NULL, NULL},
    {N_("_Next Head"), "win.step-head(1)"},
    {N_("_Previous Head"), "win.step-head(-1)"},
    {N_("_Switch the Head Off, or On Again"), "win.switch-head"},
    {NULL, NULL},
    {N_("_What Does This Show?"), "win.legend"},
};

static GMenuModel *
create_menu(int row, int col, gboolean has_weights)
{
  GMenu *menu = g_menu_new(), *section = g_menu_new();
  for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
    if (!entries[i].label) {
      g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
      g_object_unref(section);
      section = g_menu_new();
      continue;
    }
    const char *numbers = strchr(entries[i].action, '(');
    gboolean is_cell = numbers && g_str_has_prefix(numbers, "((");
    gboolean is_weight = g_str_has_prefix(entries[i].action, "weights.");
    g_autofree char *of_cell =
        is_cell ? g_strdup_printf("%.*s((%d,%d))", (int) (numbers - entries[i].action),
                                  entries[i].action, row, col)
                : NULL;
    if (is_weight && (row < 0 || col < 0 || !has_weights))
      continue;
    if (!is_cell || row >= 0 || col >= 0)
      g_menu_append(section, _(entries[i].label), is_cell ? of_cell : entries[i].action);
  }
  g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
  g_object_unref(section);
  return G_MENU_MODEL(menu);
}

static void
open_at(RegardHeatmap *heatmap, double x, double y, int row, int col)
{
  g_autoptr(GMenuModel) menu = create_menu(row, col, is_editable(heatmap));
  regard_menu_popup_at(GTK_WIDGET(heatmap), x, y, menu);
}

static void
open_menu_by_click(RegardHeatmap *heatmap, int n_press, double x, double y)
{
  int row = -1, col = -1;
  if (!regard_heatmap_get_matrix(heatmap))
    return;
  gtk_widget_grab_focus(GTK_WIDGET(heatmap));
  regard_heatmap_cell_at(heatmap, x, y, &row, &col);
  open_at(heatmap, x, y, row, col);
}

static gboolean
open_menu_by_key(RegardHeatmap *heatmap, guint keyval, guint keycode, GdkModifierType state)
{
  gboolean is_menu = keyval == GDK_KEY_Menu || (keyval == GDK_KEY_F10 && (state & GDK_SHIFT_MASK));
  graphene_rect_t rect;
  int row, col;
  if (!is_menu || !regard_heatmap_get_matrix(heatmap))
    return FALSE;
  regard_heatmap_get_pin(heatmap, &row, &col);
  double x = gtk_widget_get_width(GTK_WIDGET(heatmap)) / 2.0;
  double y = gtk_widget_get_height(GTK_WIDGET(heatmap)) / 2.0;
  if (row >= 0 && col >= 0 && regard_heatmap_get_cell_rect(heatmap, row, col, &rect)) {
    x = rect.origin.x + rect.size.width / 2;
    y = rect.origin.y + rect.size.height / 2;
  }
  open_at(heatmap, x, y, row, col);
  return TRUE;
}

/* As if the person had clicked there. */
static void
keep(GSimpleAction *action, GVariant *parameter, gpointer heatmap)
{
  int row, col;
  g_variant_get(parameter, "(ii)", &row, &col);
  regard_heatmap_set_pin(heatmap, row, col);
  g_signal_emit_by_name(heatmap, "pin-changed", row, col);
}

void
regard_heatmap_add_menu(RegardHeatmap *heatmap)
{
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  const GActionEntry actions[] = {{"keep", keep, "(ii)", NULL, NULL, {0}}};
  g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), heatmap);
  gtk_widget_insert_action_group(GTK_WIDGET(heatmap), "picture", G_ACTION_GROUP(group));

  GtkGesture *click = gtk_gesture_click_new();
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(click), "menu");
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(open_menu_by_click), heatmap);
  gtk_widget_add_controller(GTK_WIDGET(heatmap), GTK_EVENT_CONTROLLER(click));
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "menu-key");
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(open_menu_by_key), heatmap);
  gtk_widget_add_controller(GTK_WIDGET(heatmap), keys);
}

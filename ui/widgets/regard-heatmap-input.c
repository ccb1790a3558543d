/* regard-heatmap-input.c — hovering, pinning, zooming and scrolling a heatmap by pointer and keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heatmap-private.h"
#include <math.h>

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
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  gtk_adjustment_set_value(self->adjustments[0], regard_heatmap_scroll_x(self) + dx);
  gtk_adjustment_set_value(self->adjustments[1], regard_heatmap_scroll_y(self) + dy);
}

void
regard_heatmap_set_zoom(RegardHeatmap *self, double zoom, double x, double y)
{
  RegardHeatmapLayout *l = &self->layout;
  double col, row, fitted, limit;

  g_return_if_fail(REGARD_IS_HEATMAP(self));
  regard_heatmap_ensure_layout(self);
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
  col = (x - l->body_x + regard_heatmap_scroll_x(self)) / l->cell_w;
  row = (y - l->body_y + regard_heatmap_scroll_y(self)) / l->cell_h;

  self->zoom = zoom;
  regard_heatmap_invalidate(self, REGARD_DIRTY_LAYOUT);
  regard_heatmap_ensure_layout(self);
  gtk_adjustment_set_value(self->adjustments[0], col * l->cell_w - (x - l->body_x));
  gtk_adjustment_set_value(self->adjustments[1], row * l->cell_h - (y - l->body_y));
  hover_at_pointer(self);
}

double
regard_heatmap_get_zoom(RegardHeatmap *self)
{
  g_return_val_if_fail(REGARD_IS_HEATMAP(self), 1);
  return self->zoom;
}

void
regard_heatmap_get_corner(RegardHeatmap *self, double *row, double *col)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  const RegardHeatmapLayout *l = &self->layout;
  regard_heatmap_ensure_layout(self);
  *row = l->cell_h > 0 ? regard_heatmap_scroll_y(self) / l->cell_h : 0;
  *col = l->cell_w > 0 ? regard_heatmap_scroll_x(self) / l->cell_w : 0;
}

void
regard_heatmap_set_corner(RegardHeatmap *self, double row, double col)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  regard_heatmap_ensure_layout(self);
  gtk_adjustment_set_value(self->adjustments[0], col * self->layout.cell_w);
  gtk_adjustment_set_value(self->adjustments[1], row * self->layout.cell_h);
}

void
regard_heatmap_on_scrolled(RegardHeatmap *self)
{
  if (self->configuring)
    return;
  regard_heatmap_invalidate(self, REGARD_DIRTY_SCROLL);
  hover_at_pointer(self);
}

static void
show_cell(RegardHeatmap *self, int row, int col)
{
  regard_heatmap_ensure_layout(self);
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

void
regard_heatmap_on_motion(RegardHeatmap *self, double x, double y)
{
  /* GTK sends motion again after a redraw. A pointer that rests must not take back what the
   * keyboard has taken over. */
  if (x == self->pointer_x && y == self->pointer_y)
    return;
  self->pointer_x = x;
  self->pointer_y = y;
  hover_at_pointer(self);
}

void
regard_heatmap_on_leave(RegardHeatmap *self)
{
  self->pointer_x = self->pointer_y = -1;
  hover_at_pointer(self);
}

void
regard_heatmap_on_pressed(RegardHeatmap *self, int n_press, double x, double y)
{
  self->dragged = FALSE;
  gtk_widget_grab_focus(GTK_WIDGET(self));
}

void
regard_heatmap_on_released(RegardHeatmap *self, int n_press, double x, double y,
                           GtkEventController *controller)
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

void
regard_heatmap_on_drag_begin(RegardHeatmap *self, double x, double y, GtkGesture *gesture)
{
  regard_heatmap_begin_edit(self, x, y,
                            gtk_event_controller_get_current_event_state(
                                GTK_EVENT_CONTROLLER(gesture)));
  self->drag_x = regard_heatmap_scroll_x(self);
  self->drag_y = regard_heatmap_scroll_y(self);
}

void
regard_heatmap_on_drag_end(RegardHeatmap *self)
{
  regard_heatmap_end_edit(self);
}

void
regard_heatmap_on_drag_update(RegardHeatmap *self, double dx, double dy)
{
  const RegardHeatmapLayout *l = &self->layout;

  if (fabs(dx) + fabs(dy) > 8)
    self->dragged = TRUE;
  if (regard_heatmap_update_edit(self, dx))
    return;
  if (!self->dragged || (l->content_w <= l->body_w && l->content_h <= l->body_h))
    return;
  gtk_adjustment_set_value(self->adjustments[0], self->drag_x - dx);
  gtk_adjustment_set_value(self->adjustments[1], self->drag_y - dy);
}

gboolean
regard_heatmap_on_scroll(RegardHeatmap *self, double dx, double dy, GtkEventController *controller)
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

  g_return_val_if_fail(REGARD_IS_HEATMAP(self), FALSE);
  if (!self->matrix || self->matrix->rows == 0 || self->matrix->cols == 0 || (state & GDK_ALT_MASK))
    return FALSE;

  switch (keyval) {
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
    return move_pin(self, 0, -1, control, FALSE);
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
    return move_pin(self, 0, 1, control, FALSE);
  case GDK_KEY_Up:
  case GDK_KEY_KP_Up:
    return !control && move_pin(self, -1, 0, FALSE, FALSE);
  case GDK_KEY_Down:
  case GDK_KEY_KP_Down:
    return !control && move_pin(self, 1, 0, FALSE, FALSE);
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
    return move_pin(self, -1, -1, TRUE, control);
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    return move_pin(self, 1, 1, TRUE, control);
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
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
  case GDK_KEY_KP_Add:
    if (control)
      regard_heatmap_set_zoom(self, self->zoom * 1.25, self->pointer_x, self->pointer_y);
    return control;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    if (control)
      regard_heatmap_set_zoom(self, self->zoom / 1.25, self->pointer_x, self->pointer_y);
    return control;
  case GDK_KEY_0:
  case GDK_KEY_KP_0:
    if (control)
      regard_heatmap_set_zoom(self, 1, -1, -1);
    return control;
  default:
    return FALSE;
  }
}

gboolean
regard_heatmap_on_key(RegardHeatmap *self, guint keyval, guint keycode, GdkModifierType state)
{
  return regard_heatmap_handle_key(self, keyval, state);
}

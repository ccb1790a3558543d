/* regard-heatmap.c — one matrix, large: the widget with its pointer, keyboard and scrolling.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Layout is in regard-heatmap-layout.c, painting in regard-heatmap-draw.c.
 */
#include "widgets/regard-heatmap-private.h"
#include <glib/gi18n.h>
#include <math.h>

#define SCROLLBAR      14
#define ESTIMATE_ABOVE 160 /* labels: beyond, widths are estimated, for they are seldom shown */

G_DEFINE_FINAL_TYPE(RegardHeatmap, regard_heatmap, GTK_TYPE_WIDGET)

guint regard_heatmap_signals[REGARD_HEATMAP_N_SIGNALS];

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

void
regard_heatmap_ensure_layout(RegardHeatmap *self)
{
  RegardHeatmapInput input;
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

  input = (RegardHeatmapInput){
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

void
regard_heatmap_invalidate(RegardHeatmap *self, RegardHeatmapDirty dirty)
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

double
regard_heatmap_scroll_x(RegardHeatmap *self)
{
  return gtk_adjustment_get_value(self->adjustments[0]);
}

double
regard_heatmap_scroll_y(RegardHeatmap *self)
{
  return gtk_adjustment_get_value(self->adjustments[1]);
}

/* ---- Where is what -----------------------------------------------------------------------------
 */

gboolean
regard_heatmap_cell_at(RegardHeatmap *self, double x, double y, int *row, int *col)
{
  const RegardHeatmapLayout *l = &self->layout;
  double dx, dy;

  g_return_val_if_fail(REGARD_IS_HEATMAP(self), FALSE);
  *row = *col = -1;
  regard_heatmap_ensure_layout(self);
  if (!self->matrix || l->cell_w <= 0)
    return FALSE;

  dx = x - l->body_x, dy = y - l->body_y;
  if (dy >= 0 && dy < l->body_h && dx >= -l->row_header_w && dx < l->body_w) {
    *row = MIN((dy + regard_heatmap_scroll_y(self)) / l->cell_h, self->matrix->rows - 1);
    if (dx >= 0)
      *col = MIN((dx + regard_heatmap_scroll_x(self)) / l->cell_w, self->matrix->cols - 1);
    return TRUE;
  }
  if (dy < 0 && dy >= -l->col_header_h) {
    if (l->angle < 90) /* labels lean: follow them down to the body */
      dx += dy + REGARD_HEATMAP_GAP;
    if (dx >= 0 && dx < l->body_w) {
      *col = MIN((dx + regard_heatmap_scroll_x(self)) / l->cell_w, self->matrix->cols - 1);
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
regard_heatmap_get_cell_rect(RegardHeatmap *self, int row, int col, graphene_rect_t *rect)
{
  g_return_val_if_fail(REGARD_IS_HEATMAP(self), FALSE);
  regard_heatmap_ensure_layout(self);
  if (!self->matrix || self->layout.cell_w <= 0 || row < 0 || col < 0 ||
      (guint) row >= self->matrix->rows || (guint) col >= self->matrix->cols)
    return FALSE;
  *rect = GRAPHENE_RECT_INIT(self->layout.body_x - regard_heatmap_scroll_x(self) +
                                 col * self->layout.cell_w,
                             self->layout.body_y - regard_heatmap_scroll_y(self) +
                                 row * self->layout.cell_h,
                             self->layout.cell_w, self->layout.cell_h);
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
  g_return_if_fail(REGARD_IS_HEATMAP(self));
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
  g_return_if_fail(REGARD_IS_HEATMAP(self));
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
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  *row = self->hover_row;
  *col = self->hover_col;
}

void
regard_heatmap_get_pin(RegardHeatmap *self, int *row, int *col)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  *row = self->pin_row;
  *col = self->pin_col;
}

/* ---- Setters --------------------------------------------------------------------------------- */

void
regard_heatmap_set_matrix(RegardHeatmap *self, RegardMatrix *matrix)
{
  gboolean resized;

  g_return_if_fail(REGARD_IS_HEATMAP(self));
  if (matrix == self->matrix)
    return;
  resized = !matrix || !self->matrix || matrix->rows != self->matrix->rows ||
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
  regard_heatmap_invalidate(self, REGARD_DIRTY_MATRIX);
  update_accessible(self);
}

RegardMatrix *
regard_heatmap_get_matrix(RegardHeatmap *self)
{
  g_return_val_if_fail(REGARD_IS_HEATMAP(self), NULL);
  return self->matrix;
}

void
regard_heatmap_set_colors(RegardHeatmap *self, RegardScale scale, const RegardColormap *colormap)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  if (scale == self->scale && colormap == self->colormap)
    return;
  self->scale = scale;
  self->colormap = colormap;
  regard_heatmap_invalidate(self, REGARD_DIRTY_STYLE);
}

void
regard_heatmap_set_dimmed(RegardHeatmap *self, gboolean dimmed)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  if (!dimmed == !self->dimmed)
    return;
  self->dimmed = !!dimmed;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_computed(RegardHeatmap *self, int n)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  if (n == self->computed)
    return;
  self->computed = n;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_marked(RegardHeatmap *self, guint n, gboolean both)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  if (n == self->marked && !both == !self->marked_both)
    return;
  self->marked = n;
  self->marked_both = !!both;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_set_summed(RegardHeatmap *self, RegardSumAxis axis, const guint8 *chosen, guint n)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  g_free(self->summed);
  self->sum_axis = axis;
  self->summed = chosen ? g_memdup2(chosen, n) : NULL;
  self->n_summed = chosen ? n : 0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
regard_heatmap_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                       int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : 180;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : 460;
}

static void
regard_heatmap_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardHeatmap *self = REGARD_HEATMAP(widget);
  const RegardHeatmapLayout *l = &self->layout;
  int min_w, min_h;

  self->layout_valid = FALSE;
  regard_heatmap_ensure_layout(self);
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
regard_heatmap_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardHeatmap *self = REGARD_HEATMAP(widget);
  RegardHeatmapScene scene;

  regard_heatmap_ensure_layout(self);
  ensure_theme(self);
  scene = (RegardHeatmapScene){
      .widget = widget,
      .matrix = self->matrix,
      .colormap = self->colormap,
      .scale = self->scale,
      .layout = &self->layout,
      .scroll_x = floor(regard_heatmap_scroll_x(self)),
      .scroll_y = floor(regard_heatmap_scroll_y(self)),
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
  regard_heatmap_draw_edit(self, snapshot);
  for (int i = 0; i < 2; i++)
    gtk_widget_snapshot_child(widget, self->scrollbars[i], snapshot);
}

static void
restyle(RegardHeatmap *self)
{
  self->theme_valid = FALSE;
  regard_heatmap_invalidate(self, REGARD_DIRTY_MATRIX);
}

static void
regard_heatmap_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_heatmap_parent_class)->css_changed(widget, change);
  restyle(REGARD_HEATMAP(widget));
}

static void
regard_heatmap_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS(regard_heatmap_parent_class)->system_setting_changed(widget, setting);
  restyle(REGARD_HEATMAP(widget));
}

static void
on_focus(RegardHeatmap *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
regard_heatmap_dispose(GObject *object)
{
  RegardHeatmap *self = REGARD_HEATMAP(object);

  for (int i = 0; i < 2; i++)
    g_clear_pointer(&self->scrollbars[i], gtk_widget_unparent);
  regard_heatmap_cache_clear(&self->cache, REGARD_DIRTY_MATRIX);
  g_clear_pointer(&self->matrix, regard_matrix_unref);
  G_OBJECT_CLASS(regard_heatmap_parent_class)->dispose(object);
}

static void
regard_heatmap_finalize(GObject *object)
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

  G_OBJECT_CLASS(klass)->dispose = regard_heatmap_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_heatmap_finalize;
  widget_class->measure = regard_heatmap_measure;
  widget_class->size_allocate = regard_heatmap_size_allocate;
  widget_class->snapshot = regard_heatmap_snapshot;
  widget_class->css_changed = regard_heatmap_css_changed;
  widget_class->system_setting_changed = regard_heatmap_system_setting_changed;

  regard_heatmap_signals[REGARD_HEATMAP_HOVER_CHANGED] =
      g_signal_new("hover-changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                   NULL, G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);
  regard_heatmap_signals[REGARD_HEATMAP_VALUE_DRAGGED] =
      g_signal_new("value-dragged", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                   NULL, G_TYPE_NONE, 4, G_TYPE_INT, G_TYPE_INT, G_TYPE_DOUBLE, G_TYPE_UINT64);
  regard_heatmap_signals[REGARD_HEATMAP_CELL_DOUBLE_CLICKED] =
      g_signal_new("cell-double-clicked", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL,
                   NULL, NULL, G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);
  regard_heatmap_signals[REGARD_HEATMAP_PIN_CHANGED] =
      g_signal_new("pin-changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                   G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);

  regard_heatmap_signals[REGARD_HEATMAP_SUM_WANTED] =
      g_signal_new("sum-wanted", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                   G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);

  gtk_widget_class_set_css_name(widget_class, "heatmap");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_controller(RegardHeatmap *self, GtkEventController *controller, const char *name)
{
  gtk_event_controller_set_name(controller, name);
  gtk_widget_add_controller(GTK_WIDGET(self), controller);
}

static void
regard_heatmap_init(RegardHeatmap *self)
{
  self->computed = -1;
  GtkEventController *motion, *keys, *scroll, *focus;
  GtkGesture *click, *drag;

  self->zoom = 1;
  self->hover_row = self->hover_col = self->pin_row = self->pin_col = -1;
  self->edit_row = self->edit_col = -1;
  self->pointer_x = self->pointer_y = -1;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);

  for (int i = 0; i < 2; i++) {
    self->adjustments[i] = g_object_ref_sink(gtk_adjustment_new(0, 0, 0, 0, 0, 0));
    self->scrollbars[i] =
        gtk_scrollbar_new(i == 0 ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL,
                          self->adjustments[i]);
    gtk_widget_set_parent(self->scrollbars[i], GTK_WIDGET(self));
    gtk_widget_set_child_visible(self->scrollbars[i], FALSE);
    g_signal_connect_swapped(self->adjustments[i], "value-changed",
                             G_CALLBACK(regard_heatmap_on_scrolled), self);
  }

  motion = gtk_event_controller_motion_new();
  g_signal_connect_swapped(motion, "enter", G_CALLBACK(regard_heatmap_on_motion), self);
  g_signal_connect_swapped(motion, "motion", G_CALLBACK(regard_heatmap_on_motion), self);
  g_signal_connect_swapped(motion, "leave", G_CALLBACK(regard_heatmap_on_leave), self);
  add_controller(self, motion, "motion");

  click = gtk_gesture_click_new();
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(regard_heatmap_on_pressed), self);
  g_signal_connect_swapped(click, "released", G_CALLBACK(regard_heatmap_on_released), self);
  add_controller(self, GTK_EVENT_CONTROLLER(click), "click");

  drag = gtk_gesture_drag_new();
  g_signal_connect_swapped(drag, "drag-begin", G_CALLBACK(regard_heatmap_on_drag_begin), self);
  g_signal_connect_swapped(drag, "drag-update", G_CALLBACK(regard_heatmap_on_drag_update), self);
  g_signal_connect_swapped(drag, "drag-end", G_CALLBACK(regard_heatmap_on_drag_end), self);
  add_controller(self, GTK_EVENT_CONTROLLER(drag), "drag");

  scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect_swapped(scroll, "scroll", G_CALLBACK(regard_heatmap_on_scroll), self);
  add_controller(self, scroll, "scroll");

  keys = gtk_event_controller_key_new();
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(regard_heatmap_on_key), self);
  add_controller(self, keys, "keys");

  focus = gtk_event_controller_focus_new();
  g_signal_connect_swapped(focus, "enter", G_CALLBACK(on_focus), self);
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(on_focus), self);
  add_controller(self, focus, "focus");

  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(restyle), NULL);
  update_accessible(self);
}

GtkWidget *
regard_heatmap_new(void)
{
  return g_object_new(REGARD_TYPE_HEATMAP, NULL);
}

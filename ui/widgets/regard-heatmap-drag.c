/* regard-heatmap-drag.c — a value dragged in its row, to the right for more; what it is meanwhile
 * stands beside the pointer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Only where whoever owns the heatmap lets values be edited, and there only with Shift, or while
 * editing is switched on: a drag moves what is zoomed else.
 */
#include "widgets/regard-heatmap-private.h"

#include <math.h>

#define PX_OF_ONE 200.0 /* from 0 to 1 */

void
regard_heatmap_set_editing(RegardHeatmap *self, RegardHeatmapEditing editing)
{
  g_return_if_fail(REGARD_IS_HEATMAP(self));
  self->editing = editing;
  if (editing == REGARD_HEATMAP_FIXED)
    self->edit_row = self->edit_col = -1;
}

RegardHeatmapEditing
regard_heatmap_get_editing(RegardHeatmap *self)
{
  g_return_val_if_fail(REGARD_IS_HEATMAP(self), REGARD_HEATMAP_FIXED);
  return self->editing;
}

gboolean
regard_heatmap_is_editable(RegardHeatmap *self)
{
  g_return_val_if_fail(REGARD_IS_HEATMAP(self), FALSE);
  return self->editing != REGARD_HEATMAP_FIXED;
}

gboolean
regard_heatmap_begin_edit(RegardHeatmap *self, double x, double y, GdkModifierType state)
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

gboolean
regard_heatmap_update_edit(RegardHeatmap *self, double dx)
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

void
regard_heatmap_end_edit(RegardHeatmap *self)
{
  if (self->edit_row < 0)
    return;
  self->edit_row = self->edit_col = -1;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heatmap_draw_edit(RegardHeatmap *self, GtkSnapshot *snapshot)
{
  graphene_rect_t cell;
  char text[16];
  int width, height;

  if (self->edit_row < 0 || isnan(self->edit_value) ||
      !regard_heatmap_get_cell_rect(self, self->edit_row, self->edit_col, &cell))
    return;
  g_snprintf(text, sizeof text, "%.2f", self->edit_value);
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

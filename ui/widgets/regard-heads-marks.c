/* regard-heads-marks.c — what is drawn over the thumbnails: the head that is looked at, the one
 * that is pointed at, chosen heads, and those that were changed in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heads-private.h"

gboolean
regard_heads_is_changed(RegardHeads *self, RegardHeadsPlace place)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  return capture && mt_changes_touch(mt_capture_changes(capture), regard_kinds_in_order[place.grid],
                                     place.layer, place.head);
}

/* A cross on a disc, in the corner that a chosen head's dot leaves free. */
static void
draw_changed(RegardHeads *self, GtkSnapshot *snapshot, const graphene_rect_t *at)
{
  const double x = at->origin.x - 2, y = at->origin.y - 2, size = 12, inset = 4;
  cairo_t *cr =
      gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT((float) x, (float) y, (float) size,
                                                              (float) size));
  gdk_cairo_set_source_rgba(cr, &self->theme.accent);
  cairo_arc(cr, x + size / 2, y + size / 2, size / 2, 0, 2 * G_PI);
  cairo_fill(cr);
  gdk_cairo_set_source_rgba(cr, &self->theme.bg);
  cairo_set_line_width(cr, 1.6);
  cairo_move_to(cr, x + inset, y + inset);
  cairo_line_to(cr, x + size - inset, y + size - inset);
  cairo_move_to(cr, x + size - inset, y + inset);
  cairo_line_to(cr, x + inset, y + size - inset);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

/* What the decoder has yet to compute at the step that is looked at. */
static void
draw_veils(RegardHeads *self, GtkSnapshot *snapshot)
{
  const int step = regard_selection_get_step(self->selection);
  GdkRGBA veil = self->theme.bg;

  veil.alpha = 0.85f;
  for (int g = 0; g < MT_N_KINDS && step >= 0; g++) {
    const RegardHeadsGrid *grid = &self->grids[g];
    const double share =
        grid->layers > 0
            ? regard_selection_share_computed(self->selection, regard_kinds_in_order[g], step)
            : 1;

    for (guint l = 0; share < 1 && l < grid->layers; l++)
      for (guint h = 0; h < grid->heads; h++) {
        graphene_rect_t r;

        regard_heads_place_rect(self, (RegardHeadsPlace){g, l, h}, &r);
        r.origin.y += (float) (share * r.size.height);
        r.size.height *= (float) (1 - share);
        gtk_snapshot_append_color(snapshot, &veil, &r);
      }
  }
}

void
regard_heads_draw_marks(RegardHeads *self, GtkSnapshot *snapshot)
{
  RegardHeadsPlace here = regard_heads_current(self);
  RegardCombine combine = regard_selection_get_combine(self->selection);
  graphene_rect_t r;

  draw_veils(self, snapshot);
  for (int g = 0; g < MT_N_KINDS; g++)
    for (guint l = 0; l < self->grids[g].layers; l++)
      for (guint h = 0; h < self->grids[g].heads; h++) {
        GskRoundedRect dot;

        if (regard_heads_is_changed(self, (RegardHeadsPlace){g, l, h})) {
          regard_heads_place_rect(self, (RegardHeadsPlace){g, l, h}, &r);
          draw_changed(self, snapshot, &r);
        }
        if (!regard_selection_is_chosen(self->selection, regard_kinds_in_order[g], l, h))
          continue;
        regard_heads_place_rect(self, (RegardHeadsPlace){g, l, h}, &r);
        gsk_rounded_rect_init_from_rect(
            &dot, &GRAPHENE_RECT_INIT(r.origin.x + r.size.width - 9, r.origin.y - 2, 10, 10), 5);
        gtk_snapshot_push_rounded_clip(snapshot, &dot);
        gtk_snapshot_append_color(snapshot, &self->theme.bg, &dot.bounds);
        gtk_snapshot_pop(snapshot);
        gsk_rounded_rect_shrink(&dot, 2, 2, 2, 2);
        gtk_snapshot_push_rounded_clip(snapshot, &dot);
        gtk_snapshot_append_color(snapshot, &self->theme.accent, &dot.bounds);
        gtk_snapshot_pop(snapshot);
      }

  if (here.grid >= 0) {
    regard_heads_place_rect(self, here, &r);
    if (combine == REGARD_COMBINE_MEAN || combine == REGARD_COMBINE_MAX) {
      /* The whole layer is what is seen large. */
      double width =
          self->grids[here.grid].heads * (self->side_w + REGARD_HEADS_GAP) - REGARD_HEADS_GAP;

      regard_snapshot_outline(snapshot, REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - 3, r.origin.y - 3,
                              width + 6, r.size.height + 6, 1, 5, &self->theme.accent);
    }
    regard_snapshot_outline(snapshot, r.origin.x - 3, r.origin.y - 3, r.size.width + 6,
                            r.size.height + 6, gtk_widget_has_focus(GTK_WIDGET(self)) ? 3 : 2, 5,
                            &self->theme.accent);
  }
  if (self->hovered.grid >= 0 && !regard_heads_place_equal(self->hovered, here)) {
    regard_heads_place_rect(self, self->hovered, &r);
    regard_snapshot_outline(snapshot, r.origin.x - 2, r.origin.y - 2, r.size.width + 4,
                            r.size.height + 4, 2, 4, &self->theme.dim);
  }
}

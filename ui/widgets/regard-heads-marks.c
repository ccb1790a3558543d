/* regard-heads-marks.c — what is drawn over the thumbnails: the head that is looked at, the one
 * that is pointed at, chosen heads, and those that were changed in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-change-edit.h"
#include "widgets/regard-change-glyph.h"
#include "widgets/regard-heads-private.h"
#include <glib/gi18n.h>

static const mt_changes *
changes_of(RegardHeads *self)
{
  const mt_capture *capture =
      self->selection ? regard_selection_get_capture(self->selection) : NULL;
  return capture ? mt_capture_changes(capture) : NULL;
}

/* What is drawn for it. Changes of the model around it, such as a window or a layer that stands
 * elsewhere, are those that have no sign of their own. */
static RegardChangeGlyph
glyph_of(RegardHeads *self, RegardHeadsPlace place)
{
  const mt_changes *changes = changes_of(self);
  const mt_attention_kind kind = regard_kinds_in_order[place.grid];
  mt_change_row row;

  if (regard_changes_of_head(changes, kind, place.layer, place.head, &row))
    return regard_change_glyph(row.how);
  if (regard_changes_has_cells(changes, kind, place.layer, place.head))
    return REGARD_GLYPH_CELLS;
  if (kind != MT_CROSS && regard_changes_window(changes, kind) > 0)
    return REGARD_GLYPH_WINDOW;
  return mt_changes_touch(changes, kind, place.layer, place.head) ? REGARD_GLYPH_OTHER
                                                                  : REGARD_GLYPH_NONE;
}

char *
regard_heads_describe_change(RegardHeads *self, RegardHeadsPlace place)
{
  const mt_attention_kind kind = regard_kinds_in_order[place.grid];
  mt_change_row row;

  if (regard_changes_of_head(changes_of(self), kind, place.layer, place.head, &row))
    return regard_change_describe(&row);
  return glyph_of(self, place) == REGARD_GLYPH_NONE ? NULL : g_strdup(_("changed"));
}

/* A head that says nothing is pale, and crossed out. */
static void
draw_off(RegardHeads *self, GtkSnapshot *snapshot, const graphene_rect_t *at)
{
  GdkRGBA veil = self->theme.bg;
  cairo_t *cr;

  veil.alpha = 0.72f;
  gtk_snapshot_append_color(snapshot, &veil, at);
  cr = gtk_snapshot_append_cairo(snapshot, at);
  gdk_cairo_set_source_rgba(cr, &self->theme.mark);
  cairo_set_line_width(cr, 2);
  cairo_move_to(cr, at->origin.x + 2, at->origin.y + at->size.height - 2);
  cairo_line_to(cr, at->origin.x + at->size.width - 2, at->origin.y + 2);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

/* In the corner that a chosen head's dot leaves free. */
static void
draw_change(RegardHeads *self, GtkSnapshot *snapshot, RegardHeadsPlace place)
{
  const RegardChangeGlyph glyph = glyph_of(self, place);
  graphene_rect_t r, corner;

  if (glyph == REGARD_GLYPH_NONE)
    return;
  regard_heads_place_rect(self, place, &r);
  regard_heads_corner(self, place, &corner);
  if (glyph == REGARD_GLYPH_ZERO)
    draw_off(self, snapshot, &r);
  regard_change_glyph_draw(snapshot, glyph, &corner, &self->theme.mark, &self->theme.bg);
}

/* Where the pointer can switch something. */
static void
draw_switch(RegardHeads *self, GtkSnapshot *snapshot)
{
  const RegardHeadsGrid *grid = self->at.grid >= 0 ? &self->grids[self->at.grid] : NULL;
  GdkRGBA light = self->theme.accent;
  graphene_rect_t r, corner;

  if (!grid)
    return;
  light.alpha = 0.25f;
  regard_heads_place_rect(self, self->at, &r);
  switch (self->part) {
  case REGARD_HEADS_THUMBNAIL:
  case REGARD_HEADS_CORNER:
    regard_heads_corner(self, self->at, &corner);
    if (glyph_of(self, self->at) == REGARD_GLYPH_NONE)
      regard_change_glyph_draw(snapshot, REGARD_GLYPH_SWITCH, &corner,
                               self->part == REGARD_HEADS_CORNER ? &self->theme.mark
                                                                 : &self->theme.fg,
                               &self->theme.bg);
    return;
  case REGARD_HEADS_LAYER:
    gtk_snapshot_append_color(snapshot, &light,
                              &GRAPHENE_RECT_INIT(1, r.origin.y,
                                                  REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - 3,
                                                  r.size.height));
    return;
  case REGARD_HEADS_HEAD:
    gtk_snapshot_append_color(snapshot, &light,
                              &GRAPHENE_RECT_INIT(r.origin.x,
                                                  (float) (grid->grid_y - self->numbers_h - 1),
                                                  r.size.width, (float) self->numbers_h));
    return;
  case REGARD_HEADS_NOTHING:
    return;
  }
}

/* What the decoder has yet to compute at the step that is looked at. */
void
regard_heads_draw_veils(RegardHeads *self, GtkSnapshot *snapshot)
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

  for (int g = 0; g < MT_N_KINDS; g++)
    for (guint l = 0; l < self->grids[g].layers; l++)
      for (guint h = 0; h < self->grids[g].heads; h++) {
        GskRoundedRect dot;

        draw_change(self, snapshot, (RegardHeadsPlace){g, l, h});
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
  draw_switch(self, snapshot);
}

/* regard-heads-switch.c — what in the grids of heads is a switch: where it is, what it says, and
 * the change that it stands for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heads-private.h"

#include <glib/gi18n.h>

void
regard_heads_corner(RegardHeads *self, RegardHeadsPlace place, graphene_rect_t *rect)
{
  const double side = CLAMP(0.5 * MIN(self->side_w, self->side_h), 8, 13);

  regard_heads_place_rect(self, place, rect);
  *rect = GRAPHENE_RECT_INIT(rect->origin.x - 2, rect->origin.y - 2, (float) side, (float) side);
}

RegardHeadsPart
regard_heads_part_at(RegardHeads *self, double x, double y, RegardHeadsPlace *place)
{
  const double left = REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - REGARD_HEADS_GAP / 2;
  const double col = (x - left) / (self->side_w + REGARD_HEADS_GAP);
  graphene_rect_t corner;

  *place = regard_heads_place_at(self, x, y);
  /* What a file holds cannot be computed otherwise. */
  const mt_capture *capture =
      self->selection ? regard_selection_get_capture(self->selection) : NULL;
  const gboolean can_switch = capture && !*mt_capture_file_name(capture);
  if (place->grid >= 0 && !can_switch)
    return REGARD_HEADS_THUMBNAIL;
  if (!can_switch)
    return REGARD_HEADS_NOTHING;
  if (place->grid >= 0) {
    regard_heads_corner(self, *place, &corner);
    graphene_rect_inset(&corner, -1, -1);
    return graphene_rect_contains_point(&corner, &GRAPHENE_POINT_INIT((float) x, (float) y))
               ? REGARD_HEADS_CORNER
               : REGARD_HEADS_THUMBNAIL;
  }
  for (int g = 0; g < MT_N_KINDS && self->laid_out_w > 0; g++) {
    const RegardHeadsGrid *grid = &self->grids[g];
    const double row =
        (y - grid->grid_y + REGARD_HEADS_GAP / 2) / (self->side_h + REGARD_HEADS_GAP);

    if (grid->layers == 0)
      continue;
    if (x >= 0 && x < left && row >= 0 && row < grid->layers) {
      *place = (RegardHeadsPlace){g, (guint) row, 0};
      return REGARD_HEADS_LAYER;
    }
    if (y >= grid->grid_y - self->numbers_h - 1 && row < 0 && col >= 0 && col < grid->heads) {
      *place = (RegardHeadsPlace){g, 0, (guint) col};
      return REGARD_HEADS_HEAD;
    }
  }
  return REGARD_HEADS_NOTHING;
}

gboolean
regard_heads_on_tooltip(RegardHeads *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  g_autofree char *text = NULL;

  if (keyboard || self->at.grid < 0 || regard_theme_is_presented(GTK_WIDGET(self)))
    return FALSE;
  if (self->part == REGARD_HEADS_CORNER)
    text = g_strdup(_("Switch the head off, or on again (X)"));
  else if (self->part == REGARD_HEADS_LAYER)
    text = g_strdup_printf(_("Switch all heads of layer %u off, or on again (Shift+X)"),
                           self->at.layer + 1);
  else if (self->part == REGARD_HEADS_HEAD)
    text = g_strdup_printf(_("Switch head %u of all layers off, or on again (Ctrl+Shift+X)"),
                           self->at.head + 1);
  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

char *
regard_heads_switch_line(RegardHeadsPart part, RegardHeadsPlace at)
{
  switch (part) {
  case REGARD_HEADS_CORNER:
    return regard_heads_line(at, (int) at.layer, (int) at.head, "zero");
  case REGARD_HEADS_LAYER:
    return regard_heads_line(at, (int) at.layer, -1, "zero");
  case REGARD_HEADS_HEAD:
    return regard_heads_line(at, -1, (int) at.head, "zero");
  default:
    return NULL;
  }
}

/* regard-heads-input.c — pointer and keys on the grids of heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heads-private.h"

static void
hover(RegardHeads *self, RegardHeadsPlace place)
{
  if (regard_heads_place_equal(place, self->hovered))
    return;
  for (int g = 0; g < MT_N_KINDS; g++)
    if (g == place.grid || g == self->hovered.grid)
      g_clear_pointer(&self->grids[g].text, gsk_render_node_unref);
  self->hovered = place;
  regard_heads_update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
point_at(RegardHeads *self, RegardHeadsPart part, RegardHeadsPlace at)
{
  const gboolean is_switch = part >= REGARD_HEADS_CORNER;

  hover(self, part == REGARD_HEADS_THUMBNAIL || part == REGARD_HEADS_CORNER
                  ? at
                  : (RegardHeadsPlace){.grid = -1});
  if (part == self->part && regard_heads_place_equal(at, self->at))
    return;
  self->part = part;
  self->at = at;
  gtk_widget_set_cursor_from_name(GTK_WIDGET(self), is_switch ? "pointer" : NULL);
  gtk_widget_trigger_tooltip_query(GTK_WIDGET(self));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_heads_on_motion(RegardHeads *self, double x, double y)
{
  RegardHeadsPlace at;
  const RegardHeadsPart part = regard_heads_part_at(self, x, y, &at);

  point_at(self, part, at);
}

void
regard_heads_on_leave(RegardHeads *self)
{
  point_at(self, REGARD_HEADS_NOTHING, (RegardHeadsPlace){.grid = -1});
}

void
regard_heads_press(RegardHeads *self, double x, double y, GdkModifierType state)
{
  RegardHeadsPlace place;
  const RegardHeadsPart part = regard_heads_part_at(self, x, y, &place);
  /* Ctrl+click chooses, wherever on a thumbnail. */
  const gboolean is_choice = (state & GDK_CONTROL_MASK) && part == REGARD_HEADS_CORNER;
  g_autofree char *line = is_choice ? NULL : regard_heads_switch_line(part, place);

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!self->selection || part == REGARD_HEADS_NOTHING)
    return;
  if (line && gtk_widget_activate_action(GTK_WIDGET(self), "win.toggle-change", "s", line))
    return;
  if (place.grid < 0 || part > REGARD_HEADS_CORNER)
    return;
  /* Where the picture is the mean of the chosen, a plain click that chose nothing would seem dead.
   */
  gboolean is_mean =
      regard_selection_get_combine(self->selection) == REGARD_COMBINE_CHOSEN &&
      regard_selection_get_kind(self->selection) == regard_kinds_in_order[place.grid];
  if (is_mean || state & GDK_CONTROL_MASK)
    regard_selection_toggle_chosen(self->selection, regard_kinds_in_order[place.grid], place.layer,
                                   place.head);
  else
    regard_selection_set_place(self->selection, regard_kinds_in_order[place.grid], place.layer,
                               place.head);
}

void
regard_heads_on_pressed(RegardHeads *self, int n_press, double x, double y, GtkGesture *gesture)
{
  regard_heads_press(self, x, y,
                     gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture)));
}

void
regard_heads_on_secondary(RegardHeads *self, int n_press, double x, double y)
{
  RegardHeadsPlace place = regard_heads_place_at(self, x, y);

  if (place.grid < 0 || !self->selection)
    return;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  regard_selection_set_place(self->selection, regard_kinds_in_order[place.grid], place.layer,
                             place.head);
  regard_heads_open_menu(self, place, x, y);
}

static gboolean
open_menu_here(RegardHeads *self)
{
  RegardHeadsPlace place = regard_heads_current(self);
  graphene_rect_t r;

  if (place.grid < 0 || self->laid_out_w <= 0)
    return FALSE;
  regard_heads_place_rect(self, place, &r);
  regard_heads_open_menu(self, place, r.origin.x + r.size.width / 2,
                         r.origin.y + r.size.height / 2);
  return TRUE;
}

/* The grid above or below that has heads, or the same. */
static int
next_grid(RegardHeads *self, int g, int step)
{
  for (int i = g + step; i >= 0 && i < MT_N_KINDS; i += step)
    if (self->grids[i].layers > 0)
      return i;
  return g;
}

gboolean
regard_heads_on_key(RegardHeads *self, guint keyval, guint keycode, GdkModifierType state)
{
  RegardHeadsPlace place = regard_heads_current(self);
  const RegardHeadsGrid *grid;
  int g;

  if (place.grid < 0 || (state & GDK_ALT_MASK))
    return FALSE;
  grid = &self->grids[place.grid];
  switch (keyval) {
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
    place.head -= place.head > 0;
    break;
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
    place.head += place.head + 1 < grid->heads;
    break;
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
    place.head = 0;
    break;
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    place.head = grid->heads - 1;
    break;
  case GDK_KEY_Up:
  case GDK_KEY_KP_Up:
    if (place.layer > 0)
      place.layer--;
    else if ((g = next_grid(self, place.grid, -1)) != place.grid) {
      place.grid = g;
      place.layer = self->grids[g].layers - 1;
    }
    break;
  case GDK_KEY_Down:
  case GDK_KEY_KP_Down:
    if (place.layer + 1 < grid->layers)
      place.layer++;
    else if ((g = next_grid(self, place.grid, 1)) != place.grid) {
      place.grid = g;
      place.layer = 0;
    }
    break;
  case GDK_KEY_Menu:
    return open_menu_here(self);
  case GDK_KEY_F10:
    return (state & GDK_SHIFT_MASK) && open_menu_here(self);
  case GDK_KEY_space:
    regard_selection_toggle_chosen(self->selection, regard_kinds_in_order[place.grid], place.layer,
                                   place.head);
    return TRUE;
  default:
    return FALSE;
  }
  regard_selection_set_place(self->selection, regard_kinds_in_order[place.grid], place.layer,
                             place.head);
  return TRUE;
}

/* regard-heads-input.c — pointer and keys on the grids of heads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heads-private.h"

#include <glib/gi18n.h>

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

void
regard_heads_on_motion(RegardHeads *self, double x, double y)
{
  hover(self, regard_heads_place_at(self, x, y));
}

void
regard_heads_on_leave(RegardHeads *self)
{
  hover(self, (RegardHeadsPlace){.grid = -1});
}

void
regard_heads_on_pressed(RegardHeads *self, int n_press, double x, double y, GtkGesture *gesture)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  RegardHeadsPlace place = regard_heads_place_at(self, x, y);

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (place.grid < 0 || !self->selection)
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
regard_heads_on_secondary(RegardHeads *self, int n_press, double x, double y)
{
  RegardHeadsPlace place = regard_heads_place_at(self, x, y);
  if (place.grid < 0 || !self->selection)
    return;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  regard_selection_set_place(self->selection, regard_kinds_in_order[place.grid], place.layer,
                             place.head);
  if (!self->menu) {
    g_autoptr(GMenu) menu = g_menu_new();
    g_menu_append(menu, _("Switch the Head Off, or On Again"), "win.switch-head");
    g_menu_append(menu, _("Reset All Changes"), "win.reset-changes");
    g_autoptr(GMenu) out = g_menu_new();
    g_menu_append(out, _("Copy Picture"), "win.copy");
    g_menu_append(out, _("Export…"), "win.export");
    g_menu_append(out, _("What Does This Show?"), "win.legend");
    g_menu_append_section(menu, NULL, G_MENU_MODEL(out));
    self->menu = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu));
    gtk_popover_set_has_arrow(GTK_POPOVER(self->menu), FALSE);
    gtk_widget_set_halign(self->menu, GTK_ALIGN_START);
    gtk_widget_set_parent(self->menu, GTK_WIDGET(self));
  }
  gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), &(GdkRectangle){(int) x, (int) y, 1, 1});
  gtk_popover_popup(GTK_POPOVER(self->menu));
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

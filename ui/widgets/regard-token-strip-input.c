/* regard-token-strip-input.c — pointer and keys on the chips.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-token-strip-private.h"

static void
hover(RegardTokenStrip *self, int token)
{
  if (token == self->hovered)
    return;
  self->hovered = token;
  if (self->selection) {
    if (self->side == REGARD_SIDE_SOURCE)
      regard_selection_hover_source(self->selection, token);
    else
      regard_selection_hover_target(self->selection, token);
  }
  regard_token_strip_update_summary(self);
  /* Also where the text is the same: whether it is about the pointer has changed. */
  g_object_notify(G_OBJECT(self), "summary");
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static gboolean
pin(RegardTokenStrip *self, int token)
{
  RegardCell cell, old;

  if (!self->selection || token < 0)
    return FALSE;
  cell = self->side == REGARD_SIDE_SOURCE ? regard_selection_cell_of_source(self->selection, token)
                                          : regard_selection_cell_of_target(self->selection, token);
  old = regard_selection_get_pin(self->selection);
  if (cell.row < 0 && cell.col < 0)
    return FALSE; /* this text is not on an axis of the picture */
  if (cell.row == old.row && cell.col == old.col)
    cell.row = cell.col = -1;
  regard_selection_set_pin(self->selection, cell);
  return TRUE;
}

/* Its row or column, with the others that are added up. */
static gboolean
add_up(RegardTokenStrip *self, int token)
{
  return self->selection && token >= 0 &&
         regard_selection_toggle_summed(
             self->selection, self->side == REGARD_SIDE_SOURCE
                                  ? regard_selection_cell_of_source(self->selection, token)
                                  : regard_selection_cell_of_target(self->selection, token));
}

void
regard_token_strip_on_motion(RegardTokenStrip *self, double x, double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
  hover(self, regard_token_strip_token_at(self, x, y));
}

void
regard_token_strip_on_leave(RegardTokenStrip *self)
{
  self->pointer_x = self->pointer_y = -1;
  hover(self, -1);
}

void
regard_token_strip_on_pressed(RegardTokenStrip *self, int n_press, double x, double y,
                              GtkEventController *controller)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state(controller);
  int token = regard_token_strip_token_at(self, x, y);

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (token < 0)
    return;
  self->cursor = token;
  if (state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK))
    add_up(self, token);
  else
    pin(self, token);
}

void
regard_token_strip_on_secondary(RegardTokenStrip *self, int n_press, double x, double y)
{
  int token = regard_token_strip_token_at(self, x, y);

  if (token < 0 || self->side != REGARD_SIDE_SOURCE)
    return;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  self->cursor = token;
  regard_token_strip_open_menu(self, token, x, y);
}

static gboolean
open_menu_here(RegardTokenStrip *self)
{
  graphene_rect_t r;

  if (self->side != REGARD_SIDE_SOURCE || !regard_token_strip_get_chip(self, self->cursor, &r))
    return FALSE;
  regard_token_strip_open_menu(self, self->cursor, r.origin.x + r.size.width / 2,
                               r.origin.y + r.size.height);
  return TRUE;
}

gboolean
regard_token_strip_on_scroll(RegardTokenStrip *self, double dx, double dy)
{
  if (!gtk_widget_get_child_visible(self->scrollbar))
    return FALSE;
  gtk_adjustment_set_value(self->adjustment, gtk_adjustment_get_value(self->adjustment) +
                                                 dy * (self->line_height + REGARD_CHIP_GAP));
  return TRUE;
}

void
regard_token_strip_on_scrolled(RegardTokenStrip *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

gboolean
regard_token_strip_on_key(RegardTokenStrip *self, guint keyval, guint keycode,
                          GdkModifierType state)
{
  int n = self->chips->len, cursor = self->cursor;

  if (n == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  switch (keyval) {
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
    cursor = MAX(cursor - 1, 0);
    break;
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
    cursor = MIN(cursor + 1, n - 1);
    break;
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
    cursor = 0;
    break;
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    cursor = n - 1;
    break;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
  case GDK_KEY_space:
    return state & GDK_SHIFT_MASK ? add_up(self, cursor) : pin(self, cursor);
  case GDK_KEY_Delete:
  case GDK_KEY_KP_Delete:
    return regard_token_strip_switch(self, cursor, state & GDK_SHIFT_MASK ? "zero" : "hide");
  case GDK_KEY_F2:
    if (self->side != REGARD_SIDE_SOURCE || cursor < 0)
      return FALSE;
    regard_token_strip_replace(self, cursor);
    return TRUE;
  case GDK_KEY_Menu:
    return open_menu_here(self);
  case GDK_KEY_F10:
    return (state & GDK_SHIFT_MASK) && open_menu_here(self);
  default:
    return FALSE;
  }
  self->cursor = cursor;
  regard_token_strip_show_chip(self, cursor);
  hover(self, cursor);
  return TRUE;
}

void
regard_token_strip_on_focus_enter(RegardTokenStrip *self)
{
  if (self->cursor < 0 && self->chips->len > 0)
    self->cursor = 0;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_token_strip_on_focus_leave(RegardTokenStrip *self)
{
  if (self->pointer_x < 0)
    hover(self, -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

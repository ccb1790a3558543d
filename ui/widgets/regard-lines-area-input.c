/* regard-lines-area-input.c — pointing at lines and tokens, isolating them, by pointer and keys.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-figure-menu.h"
#include "widgets/regard-lines-area-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define REACH      4 /* px beside a line that are still meant for it */
#define DRAG_LEAST 5 /* px */

/* ---- Isolating ------------------------------------------------------------------------------- */

static gboolean
is_alone(RegardLinesArea *self, RegardLinesSide side, guint i)
{
  return self->isolated[side][i] && regard_lines_area_count_isolated(self) == 1;
}

static void
clear(RegardLinesArea *self)
{
  for (guint side = 0; side < 2; side++)
    memset(self->isolated[side], 0, regard_lines_area_count(self, side));
}

/* A click on a token, or Space: it alone, or, adding, it besides the others; what is isolated like
 * that already is let go. */
static void
toggle(RegardLinesArea *self, RegardLinesSide side, guint i, gboolean adds)
{
  const gboolean lets_go = adds ? self->isolated[side][i] : is_alone(self, side, i);

  if (!adds)
    clear(self);
  self->isolated[side][i] = !lets_go;
  regard_lines_area_isolated(self, side, (int) i);
}

/* Tokens from one to another, besides what was isolated before; NULL: nothing. */
static void
isolate_range(RegardLinesArea *self, RegardLinesSide side, int from, int to, guint8 *before[2])
{
  for (guint s = 0; s < 2; s++)
    if (before && before[s])
      memcpy(self->isolated[s], before[s], regard_lines_area_count(self, s));
    else
      memset(self->isolated[s], 0, regard_lines_area_count(self, s));
  for (int i = MIN(from, to); i <= MAX(from, to); i++)
    self->isolated[side][i] = 1;
  regard_lines_area_isolated(self, side, to);
}

/* ---- Pointer --------------------------------------------------------------------------------- */

static RegardLinesHit
hit_at(RegardLinesArea *self, double x, double y)
{
  RegardLinesMarks marks;
  const RegardLinesLayout *layout = regard_lines_area_get_layout(self);

  if (!layout)
    return (RegardLinesHit){.what = REGARD_LINES_NOTHING};
  regard_lines_area_get_marks(self, &marks);
  return regard_lines_hit(layout, self->lines, &marks, x, y, REACH);
}

static void
point_at(RegardLinesArea *self, RegardLinesHit hit)
{
  self->hit = hit;
  switch (hit.what) {
  case REGARD_LINES_TOKEN:
    regard_lines_area_user_hover(self, hit.side == REGARD_LINES_ROWS ? (int) hit.i : -1,
                                 hit.side == REGARD_LINES_COLS ? (int) hit.i : -1);
    break;
  case REGARD_LINES_LINE:
    regard_lines_area_user_hover(self, (int) hit.row, (int) hit.col);
    break;
  default:
    regard_lines_area_user_hover(self, -1, -1);
  }
  gtk_widget_set_cursor_from_name(GTK_WIDGET(self),
                                  hit.what == REGARD_LINES_NOTHING ? NULL : "pointer");
}

static void
on_motion(RegardLinesArea *self, double x, double y)
{
  const RegardLinesHit before = self->hit;

  /* GTK sends motion again after a redraw. A pointer that rests must not take back what the
   * keyboard has taken over. */
  if ((x == self->x && y == self->y) || (self->is_dragging && self->dragged))
    return;
  self->x = x;
  self->y = y;
  point_at(self, hit_at(self, x, y));
  /* The number goes with the pointer; and of two heads the lines of a cell are two. */
  if (self->hit.what == REGARD_LINES_LINE && before.what == REGARD_LINES_LINE) {
    g_clear_pointer(&self->lit, gsk_render_node_unref);
    gtk_widget_queue_draw(GTK_WIDGET(self));
  }
}

static void
on_leave(RegardLinesArea *self)
{
  self->x = self->y = -1;
  point_at(self, (RegardLinesHit){.what = REGARD_LINES_NOTHING});
}

static void
on_drag_begin(RegardLinesArea *self, double x, double y, GtkGesture *gesture)
{
  const GdkModifierType state =
      gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture));
  const RegardLinesHit hit = hit_at(self, x, y);

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!self->lines)
    return;
  self->is_dragging = TRUE;
  self->dragged = FALSE;
  self->drag_x = x;
  self->drag_y = y;
  self->adds = (state & GDK_SHIFT_MASK) != 0;
  self->drag_side = hit.side;
  self->drag_from = hit.what == REGARD_LINES_TOKEN ? (int) hit.i : -1;
  for (guint s = 0; s < 2; s++) {
    g_free(self->before_drag[s]);
    self->before_drag[s] =
        self->adds ? g_memdup2(self->isolated[s], MAX(regard_lines_area_count(self, s), 1)) : NULL;
  }
}

static void
on_drag_update(RegardLinesArea *self, double dx, double dy)
{
  if (!self->is_dragging || fabs(dx) + fabs(dy) < DRAG_LEAST)
    return;
  self->dragged = TRUE;
  if (self->drag_from < 0 || !regard_lines_area_get_layout(self))
    return;
  regard_lines_area_user_hover(self, -1, -1);
  const int to = (int) regard_lines_nearest(&self->layout, self->drag_side, self->drag_x + dx,
                                            self->drag_y + dy);
  isolate_range(self, self->drag_side, self->drag_from, to, self->before_drag);
}

/* A drag that went nowhere is a click. */
static void
on_drag_end(RegardLinesArea *self)
{
  if (!self->is_dragging || !self->lines)
    return;
  self->is_dragging = FALSE;
  if (self->dragged)
    return;
  const RegardLinesHit hit = hit_at(self, self->drag_x, self->drag_y);
  switch (hit.what) {
  case REGARD_LINES_TOKEN:
    self->side = hit.side;
    self->cursor = self->anchor = (int) hit.i;
    toggle(self, hit.side, hit.i, self->adds);
    break;
  case REGARD_LINES_LINE:
    if ((int) hit.row == self->pin_row && (int) hit.col == self->pin_col)
      regard_lines_area_user_pin(self, -1, -1); /* a second click lets go */
    else
      regard_lines_area_user_pin(self, (int) hit.row, (int) hit.col);
    break;
  default:
    if (!self->adds)
      regard_lines_area_let_go(self);
  }
}

static gboolean
on_scroll(RegardLinesArea *self, double dx, double dy, GtkEventController *controller)
{
  if (!(gtk_event_controller_get_current_event_state(controller) & GDK_CONTROL_MASK))
    return FALSE; /* the scroller's */
  regard_lines_area_set_zoom(self, self->zoom * pow(1.2, -dy));
  return TRUE;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void
show_cursor(RegardLinesArea *self)
{
  graphene_rect_t rect;

  if (self->adjustment &&
      regard_lines_area_get_token_rect(self, self->side, (guint) self->cursor, &rect))
    gtk_adjustment_clamp_page(self->adjustment, rect.origin.y - 8,
                              rect.origin.y + rect.size.height + 8);
}

static void
go_to(RegardLinesArea *self, RegardLinesSide side, int token, gboolean extends)
{
  const int n = (int) regard_lines_area_count(self, side);

  if (n == 0)
    return;
  token = CLAMP(token, 0, n - 1);
  if (!extends || side != self->side || self->anchor < 0)
    self->anchor = extends && side == self->side && self->cursor >= 0 ? self->cursor : token;
  self->side = side;
  self->cursor = token;
  self->hit = (RegardLinesHit){.what = REGARD_LINES_TOKEN, .side = side, .i = (guint) token};
  /* The keyboard takes over from the pointer: where it goes must be what is seen. */
  if (extends) {
    regard_lines_area_user_hover(self, -1, -1);
    isolate_range(self, side, self->anchor, token, NULL);
  } else
    regard_lines_area_user_hover(self, side == REGARD_LINES_ROWS ? token : -1,
                                 side == REGARD_LINES_COLS ? token : -1);
  show_cursor(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Where arrows begin: at what is kept, else at the first query. */
static void
begin(RegardLinesArea *self)
{
  const gboolean is_col = self->pin_row < 0 && self->pin_col >= 0;

  go_to(self, is_col ? REGARD_LINES_COLS : REGARD_LINES_ROWS,
        MAX(is_col ? self->pin_col : self->pin_row, 0), FALSE);
}

static gboolean
move_cursor(RegardLinesArea *self, int along, int across, gboolean extends)
{
  if (self->cursor < 0) {
    begin(self);
    return TRUE;
  }
  if (along != 0)
    go_to(self, self->side, self->cursor + along, extends);
  else {
    /* To the other list, as high as here. */
    const gboolean rows_first = self->orientation == REGARD_LINES_UPRIGHT;
    const RegardLinesSide side = (across > 0) == rows_first ? REGARD_LINES_COLS : REGARD_LINES_ROWS;
    const double at = self->layout_valid ? self->layout.list[self->side].at[self->cursor] : 0;
    if (side != self->side)
      go_to(self, side,
            self->layout_valid ? (int) regard_lines_nearest(&self->layout, side, at, at)
                               : self->cursor,
            FALSE);
  }
  return TRUE;
}

static gboolean
isolate_at_cursor(RegardLinesArea *self, gboolean adds)
{
  if (self->cursor < 0)
    return FALSE;
  regard_lines_area_user_hover(self, -1, -1);
  self->anchor = self->cursor;
  toggle(self, self->side, (guint) self->cursor, adds);
  return TRUE;
}

static gboolean
escape(RegardLinesArea *self)
{
  if (regard_lines_area_count_isolated(self) > 0 || self->pin_row >= 0 || self->pin_col >= 0) {
    regard_lines_area_user_hover(self, -1, -1);
    regard_lines_area_let_go(self);
    return TRUE;
  }
  if (self->cursor < 0)
    return FALSE;
  self->cursor = self->anchor = -1;
  regard_lines_area_user_hover(self, -1, -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  return TRUE;
}

static gboolean
zoom_key(RegardLinesArea *self, guint keyval)
{
  switch (keyval) {
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    regard_lines_area_set_zoom(self, self->zoom * 1.25);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    regard_lines_area_set_zoom(self, self->zoom / 1.25);
    return TRUE;
  case GDK_KEY_0:
  case GDK_KEY_KP_0:
    regard_lines_area_set_zoom(self, 1);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean
regard_lines_area_handle_key(RegardLinesArea *self, guint keyval, GdkModifierType state)
{
  const gboolean extends = (state & GDK_SHIFT_MASK) != 0;
  const gboolean is_upright = self->orientation == REGARD_LINES_UPRIGHT;

  g_return_val_if_fail(REGARD_IS_LINES_AREA(self), FALSE);
  if (!self->lines || (state & GDK_ALT_MASK))
    return FALSE;
  if (state & GDK_CONTROL_MASK)
    return zoom_key(self, keyval);
  switch (keyval) {
  case GDK_KEY_Up:
  case GDK_KEY_KP_Up:
    return move_cursor(self, is_upright ? -1 : 0, is_upright ? 0 : -1, extends);
  case GDK_KEY_Down:
  case GDK_KEY_KP_Down:
    return move_cursor(self, is_upright ? 1 : 0, is_upright ? 0 : 1, extends);
  case GDK_KEY_Left:
  case GDK_KEY_KP_Left:
    return move_cursor(self, is_upright ? 0 : -1, is_upright ? -1 : 0, extends);
  case GDK_KEY_Right:
  case GDK_KEY_KP_Right:
    return move_cursor(self, is_upright ? 0 : 1, is_upright ? 1 : 0, extends);
  case GDK_KEY_Home:
  case GDK_KEY_KP_Home:
    go_to(self, self->side, 0, extends);
    return TRUE;
  case GDK_KEY_End:
  case GDK_KEY_KP_End:
    go_to(self, self->side, G_MAXINT, extends);
    return TRUE;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
  case GDK_KEY_space:
    return isolate_at_cursor(self, extends);
  case GDK_KEY_Escape:
    return escape(self);
  default:
    return FALSE;
  }
}

/* ---- Menu ------------------------------------------------------------------------------------ */

static void
isolate_action(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);
  gboolean adds;
  guint side, i;

  g_variant_get(parameter, "(uub)", &side, &i, &adds);
  if (side < 2 && i < regard_lines_area_count(self, side))
    toggle(self, side, i, adds);
}

static void
let_go_action(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_lines_area_let_go(REGARD_LINES_AREA(widget));
}

static void
open_menu(RegardLinesArea *self, double x, double y, RegardLinesHit hit)
{
  g_autoptr(GMenu) menu = g_menu_new();

  if (hit.what == REGARD_LINES_TOKEN) {
    const struct {
      const char *label;
      gboolean adds;
    } entries[] = {{_("_Isolate This Token"), FALSE},
                   {self->isolated[hit.side][hit.i] ? _("_Take It Out") : _("_Add This Token"),
                    TRUE}};
    for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
      g_autoptr(GMenuItem) item = g_menu_item_new(entries[i].label, NULL);
      g_menu_item_set_action_and_target(item, "lines.isolate", "(uub)", (guint) hit.side, hit.i,
                                        entries[i].adds);
      g_menu_append_item(menu, item);
    }
  }
  if (regard_lines_area_count_isolated(self) > 0)
    g_menu_append(menu, _("_Let Go"), "lines.let-go");
  regard_figure_menu_popup(GTK_WIDGET(self), x, y, G_MENU_MODEL(menu), FALSE);
}

static void
on_secondary(RegardLinesArea *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (self->lines)
    open_menu(self, x, y, hit_at(self, x, y));
}

static gboolean
on_key(RegardLinesArea *self, guint keyval, guint keycode, GdkModifierType state)
{
  const gboolean is_menu =
      keyval == GDK_KEY_Menu || (keyval == GDK_KEY_F10 && (state & GDK_SHIFT_MASK));
  graphene_rect_t rect;

  if (!is_menu || !self->lines)
    return regard_lines_area_handle_key(self, keyval, state);
  if (self->cursor >= 0 &&
      regard_lines_area_get_token_rect(self, self->side, (guint) self->cursor, &rect))
    open_menu(self, rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2,
              (RegardLinesHit){.what = REGARD_LINES_TOKEN,
                               .side = self->side,
                               .i = (guint) self->cursor});
  else
    open_menu(self, gtk_widget_get_width(GTK_WIDGET(self)) / 2.0,
              gtk_widget_get_height(GTK_WIDGET(self)) / 2.0,
              (RegardLinesHit){.what = REGARD_LINES_NOTHING});
  return TRUE;
}

void
regard_lines_area_install_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "lines.isolate", "(uub)", isolate_action);
  gtk_widget_class_install_action(klass, "lines.let-go", NULL, let_go_action);
}

void
regard_lines_area_add_input(RegardLinesArea *self)
{
  GtkWidget *widget = GTK_WIDGET(self);
  GtkEventController *motion = gtk_event_controller_motion_new();
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkEventController *focus = gtk_event_controller_focus_new();
  GtkGesture *drag = gtk_gesture_drag_new(), *menu = gtk_gesture_click_new();

  g_signal_connect_swapped(motion, "enter", G_CALLBACK(on_motion), self);
  g_signal_connect_swapped(motion, "motion", G_CALLBACK(on_motion), self);
  g_signal_connect_swapped(motion, "leave", G_CALLBACK(on_leave), self);
  gtk_event_controller_set_name(motion, "motion");
  gtk_event_controller_set_name(keys, "keys");
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(drag), "drag");
  gtk_widget_add_controller(widget, motion);
  g_signal_connect_swapped(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
  g_signal_connect_swapped(drag, "drag-update", G_CALLBACK(on_drag_update), self);
  g_signal_connect_swapped(drag, "drag-end", G_CALLBACK(on_drag_end), self);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
  g_signal_connect_swapped(scroll, "scroll", G_CALLBACK(on_scroll), self);
  gtk_widget_add_controller(widget, scroll);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(widget, keys);
  g_signal_connect_swapped(focus, "enter", G_CALLBACK(gtk_widget_queue_draw), self);
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(gtk_widget_queue_draw), self);
  gtk_widget_add_controller(widget, focus);
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(menu), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped(menu, "pressed", G_CALLBACK(on_secondary), self);
  gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(menu));
}

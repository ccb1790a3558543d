/* regard-lines-area.c — weights as lines between two lists of tokens: the widget and its drawing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All lines are painted once and kept, and while some tokens are isolated, or pointed at, that
 * picture is shown faintly below the few lines of these. So the pointer costs what these cost, for
 * 5 and for 512 tokens.
 */
#include "widgets/regard-lines-area-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Letters to those of the window. */
#define FONT 0.9
/* From one token to the next at most, in letters. */
#define MOST_PITCH 3.2
#define TITLE      1.6
#define MARGIN     0.6

G_DEFINE_FINAL_TYPE(RegardLinesArea, regard_lines_area, GTK_TYPE_WIDGET)

enum { HOVER_CHANGED, PIN_CHANGED, ISOLATED_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static double
font_of(RegardLinesArea *self)
{
  return regard_theme_font_px(GTK_WIDGET(self)) * FONT;
}

guint
regard_lines_area_count(RegardLinesArea *self, RegardLinesSide side)
{
  if (!self->lines)
    return 0;
  return side == REGARD_LINES_ROWS ? self->lines->matrices[0]->rows
                                   : self->lines->matrices[0]->cols;
}

/* ---- Layout ---------------------------------------------------------------------------------- */

void
regard_lines_area_forget(RegardLinesArea *self, gboolean layout)
{
  g_clear_pointer(&self->labels, gsk_render_node_unref);
  g_clear_pointer(&self->web, gsk_render_node_unref);
  g_clear_pointer(&self->faint, gsk_render_node_unref);
  g_clear_pointer(&self->lit, gsk_render_node_unref);
  if (layout)
    self->layout_valid = FALSE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
forget_lit(RegardLinesArea *self)
{
  g_clear_pointer(&self->lit, gsk_render_node_unref);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_lines_area_ensure_layout(RegardLinesArea *self)
{
  const double font = font_of(self), margin = MARGIN * font;
  const double width = gtk_widget_get_width(GTK_WIDGET(self));
  const double height = gtk_widget_get_height(GTK_WIDGET(self));

  if (self->layout_valid || !self->lines || width < 1)
    return;
  regard_lines_layout_clear(&self->layout);
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  canvas->family = regard_lines_area_family(self);
  RegardRect room = {margin, margin / 2, MAX(width - 2 * margin, 1), 0};
  if (self->orientation == REGARD_LINES_UPRIGHT) {
    const guint n = MAX(MAX(regard_lines_area_count(self, REGARD_LINES_ROWS),
                            regard_lines_area_count(self, REGARD_LINES_COLS)),
                        1);
    const double pitch = MIN((height - TITLE * font - margin) / n, MOST_PITCH * font * self->zoom);
    regard_lines_lay_out(&self->layout, canvas, self->lines, self->orientation, room,
                         MAX(pitch, 0.05), font);
  } else {
    /* What is not lines needs the same height whatever these have. */
    room.height = font;
    regard_lines_lay_out(&self->layout, canvas, self->lines, self->orientation, room, 0, font);
    room.height = MAX(height - margin - (self->layout.whole.height - font), 3 * font);
    regard_lines_layout_clear(&self->layout);
    regard_lines_lay_out(&self->layout, canvas, self->lines, self->orientation, room, 0, font);
  }
  self->layout_valid = TRUE;
}

const RegardLinesLayout *
regard_lines_area_get_layout(RegardLinesArea *self)
{
  g_return_val_if_fail(REGARD_IS_LINES_AREA(self), NULL);
  regard_lines_area_ensure_layout(self);
  return self->layout_valid ? &self->layout : NULL;
}

gboolean
regard_lines_area_get_token_rect(RegardLinesArea *self, RegardLinesSide side, guint i,
                                 graphene_rect_t *rect)
{
  const RegardLinesLayout *l = regard_lines_area_get_layout(self);

  if (!l || i >= l->list[side].n)
    return FALSE;
  const gboolean is_upright = l->orientation == REGARD_LINES_UPRIGHT;
  const RegardRect *p = &l->plot, *w = &l->whole;
  const gboolean is_first = (side == REGARD_LINES_ROWS) == is_upright;
  const double extent =
      l->list[side].extent + l->font * 0.8 + (side == REGARD_LINES_ROWS ? l->mass : 0);
  const double pitch = MAX(l->list[side].pitch, is_upright ? l->list[side].size : 0);
  const double at = l->list[side].at[i] - pitch / 2;
  if (is_upright)
    *rect = GRAPHENE_RECT_INIT(is_first ? MAX(p->x - extent, w->x) : p->x + p->width, at, extent,
                               pitch);
  else
    *rect = GRAPHENE_RECT_INIT(at, is_first ? p->y - extent : p->y + p->height, pitch, extent);
  return TRUE;
}

/* ---- What is isolated ------------------------------------------------------------------------ */

guint
regard_lines_area_count_isolated(RegardLinesArea *self)
{
  guint n = 0;

  g_return_val_if_fail(REGARD_IS_LINES_AREA(self), 0);
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; self->isolated[side] && i < regard_lines_area_count(self, side); i++)
      n += self->isolated[side][i];
  return n;
}

static gboolean
has_isolated(RegardLinesArea *self, RegardLinesSide side)
{
  return self->isolated[side] &&
         memchr(self->isolated[side], 1, regard_lines_area_count(self, side));
}

void
regard_lines_area_get_marks(RegardLinesArea *self, RegardLinesMarks *marks)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  *marks =
      (RegardLinesMarks){has_isolated(self, REGARD_LINES_ROWS) ? self->isolated[REGARD_LINES_ROWS]
                                                               : NULL,
                         has_isolated(self, REGARD_LINES_COLS) ? self->isolated[REGARD_LINES_COLS]
                                                               : NULL,
                         self->pin_row, self->pin_col, -1};
}

/* What is drawn as isolated: a token that is pointed at goes before those that are kept. *owned is
 * freed by the caller. */
void
regard_lines_area_get_seen(RegardLinesArea *self, RegardLinesMarks *marks, guint8 **owned)
{
  const int row = self->hover_row, col = self->hover_col;

  *owned = NULL;
  regard_lines_area_get_marks(self, marks);
  if (row >= 0 && col >= 0) {
    marks->row = row;
    marks->col = col;
    marks->matrix = self->hit.what == REGARD_LINES_LINE ? (int) self->hit.matrix : -1;
  } else if (row >= 0 || col >= 0) {
    const RegardLinesSide side = row >= 0 ? REGARD_LINES_ROWS : REGARD_LINES_COLS;
    *owned = g_malloc0(MAX(regard_lines_area_count(self, side), 1));
    (*owned)[MAX(row, col)] = 1;
    *marks = (RegardLinesMarks){row >= 0 ? *owned : NULL, row >= 0 ? NULL : *owned, -1, -1, -1};
  }
}

void
regard_lines_area_update_accessible(RegardLinesArea *self)
{
  const int row = self->hover_row >= 0 || self->hover_col >= 0 ? self->hover_row : self->pin_row;
  const int col = self->hover_row >= 0 || self->hover_col >= 0 ? self->hover_col : self->pin_col;
  const guint n = regard_lines_area_count_isolated(self);
  const RegardMatrix *m = self->lines ? self->lines->matrices[0] : NULL;
  g_autofree char *label = m ? g_strdup_printf(_("%s · lines"), m->title) : g_strdup(_("Lines"));
  g_autofree char *drawn = m ? regard_lines_describe(self->lines) : NULL;
  g_autofree char *what =
      !m ? g_strdup(_("empty"))
      : row >= 0 && col >= 0
          ? regard_lines_describe_line(self->lines,
                                       self->hit.what == REGARD_LINES_LINE ? self->hit.matrix : 0,
                                       (guint) row, (guint) col)
      : row >= 0 ? regard_lines_describe_token(self->lines, REGARD_LINES_ROWS, (guint) row)
      : col >= 0 ? regard_lines_describe_token(self->lines, REGARD_LINES_COLS, (guint) col)
                 : g_strdup_printf(_("%u rows, %u columns; %s"), m->rows, m->cols, drawn);
  g_autofree char *text =
      n > 0
          ? g_strdup_printf(ngettext("%s; %u token isolated", "%s; %u tokens isolated", n), what, n)
          : g_strdup(what);

  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static gboolean
in_range(RegardLinesArea *self, int row, int col)
{
  return self->lines && row < (int) regard_lines_area_count(self, REGARD_LINES_ROWS) &&
         col < (int) regard_lines_area_count(self, REGARD_LINES_COLS);
}

void
regard_lines_area_set_hover(RegardLinesArea *self, int row, int col)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (!in_range(self, row, col))
    row = col = -1;
  if (row == self->hover_row && col == self->hover_col)
    return;
  self->hover_row = row;
  self->hover_col = col;
  regard_lines_area_update_accessible(self);
  forget_lit(self);
}

void
regard_lines_area_user_hover(RegardLinesArea *self, int row, int col)
{
  if (row == self->hover_row && col == self->hover_col)
    return;
  regard_lines_area_set_hover(self, row, col);
  g_signal_emit(self, signals[HOVER_CHANGED], 0, row, col);
}

static void
clear_isolated(RegardLinesArea *self)
{
  for (guint side = 0; side < 2; side++)
    if (self->isolated[side])
      memset(self->isolated[side], 0, regard_lines_area_count(self, side));
}

static void
changed(RegardLinesArea *self)
{
  regard_lines_area_update_accessible(self);
  forget_lit(self);
  g_signal_emit(self, signals[ISOLATED_CHANGED], 0);
}

void
regard_lines_area_set_pin(RegardLinesArea *self, int row, int col)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (!in_range(self, row, col))
    row = col = -1;
  if (row == self->pin_row && col == self->pin_col)
    return;
  self->pin_row = row;
  self->pin_col = col;
  /* A line belongs to its row. What is isolated already stays as it is. */
  if (row < 0 && col < 0)
    clear_isolated(self);
  else {
    const RegardLinesSide side = row >= 0 ? REGARD_LINES_ROWS : REGARD_LINES_COLS;
    const int i = row >= 0 ? row : col;
    if (!self->isolated[side][i]) {
      clear_isolated(self);
      self->isolated[side][i] = 1;
    }
  }
  changed(self);
}

void
regard_lines_area_user_pin(RegardLinesArea *self, int row, int col)
{
  if (row == self->pin_row && col == self->pin_col)
    return;
  regard_lines_area_set_pin(self, row, col);
  g_signal_emit(self, signals[PIN_CHANGED], 0, row, col);
}

void
regard_lines_area_isolated(RegardLinesArea *self, RegardLinesSide side, int token)
{
  if (token < 0 || !self->isolated[side][token]) { /* it was taken out: another one is kept */
    token = -1;
    for (guint s = 0; s < 2 && token < 0; s++)
      for (guint i = 0; i < regard_lines_area_count(self, s) && token < 0; i++)
        if (self->isolated[s][i]) {
          side = s;
          token = (int) i;
        }
  }
  const int row = side == REGARD_LINES_ROWS ? token : -1;
  const int col = side == REGARD_LINES_COLS ? token : -1;
  const gboolean moves = row != self->pin_row || col != self->pin_col;
  self->pin_row = row;
  self->pin_col = col;
  changed(self);
  if (moves)
    g_signal_emit(self, signals[PIN_CHANGED], 0, row, col);
}

void
regard_lines_area_let_go(RegardLinesArea *self)
{
  clear_isolated(self);
  regard_lines_area_isolated(self, REGARD_LINES_ROWS, -1);
}

/* ---- Setters --------------------------------------------------------------------------------- */

/* What is isolated in other lines: the same tokens, where they stand in the same place. */
static void
carry(RegardLinesArea *self, const RegardLines *old, const RegardLines *new)
{
  for (guint side = 0; side < 2; side++) {
    const gboolean is_rows = side == REGARD_LINES_ROWS;
    const RegardMatrix *from = old ? old->matrices[0] : NULL, *to = new ? new->matrices[0] : NULL;
    const guint n_old = !from ? 0 : is_rows ? from->rows : from->cols;
    const guint n = !to ? 0 : is_rows ? to->rows : to->cols;
    guint8 *kept = to ? g_malloc0(MAX(n, 1)) : NULL;
    for (guint i = 0; i < MIN(n, n_old); i++)
      kept[i] = self->isolated[side][i] &&
                g_str_equal((is_rows ? from->row_labels : from->col_labels)[i].text,
                            (is_rows ? to->row_labels : to->col_labels)[i].text);
    g_free(self->isolated[side]);
    self->isolated[side] = kept;
    g_clear_pointer(&self->before_drag[side], g_free);
  }
  self->drag_from = -1;
}

void
regard_lines_area_set_lines(RegardLinesArea *self, RegardLines *lines)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (lines == self->lines)
    return;
  carry(self, self->lines, lines);
  if (lines)
    regard_lines_ref(lines);
  g_autoptr(RegardLines) old = self->lines;
  self->lines = lines;
  self->hit = (RegardLinesHit){.what = REGARD_LINES_NOTHING};
  if (!in_range(self, self->hover_row, self->hover_col))
    self->hover_row = self->hover_col = -1;
  if (!in_range(self, self->pin_row, self->pin_col))
    self->pin_row = self->pin_col = -1;
  if (self->cursor >= (int) regard_lines_area_count(self, self->side))
    self->cursor = -1;
  regard_lines_area_forget(self, TRUE);
  changed(self);
}

RegardLines *
regard_lines_area_get_lines(RegardLinesArea *self)
{
  g_return_val_if_fail(REGARD_IS_LINES_AREA(self), NULL);
  return self->lines;
}

void
regard_lines_area_set_colors(RegardLinesArea *self, RegardScale scale,
                             const RegardColormap *colormap)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (scale == self->scale && colormap == self->colormap)
    return;
  self->scale = scale;
  self->colormap = colormap;
  regard_lines_area_forget(self, FALSE);
}

void
regard_lines_area_set_dimmed(RegardLinesArea *self, gboolean dimmed)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (!dimmed == !self->dimmed)
    return;
  self->dimmed = !!dimmed;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_lines_area_set_computed(RegardLinesArea *self, int n)
{
  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (n == self->computed)
    return;
  self->computed = n;
  regard_lines_area_forget(self, FALSE);
}

double
regard_lines_area_get_zoom(RegardLinesArea *self)
{
  g_return_val_if_fail(REGARD_IS_LINES_AREA(self), 1);
  return self->zoom;
}

void
regard_lines_area_set_zoom(RegardLinesArea *self, double zoom)
{
  const guint n = MAX(regard_lines_area_count(self, REGARD_LINES_ROWS),
                      regard_lines_area_count(self, REGARD_LINES_COLS));

  g_return_if_fail(REGARD_IS_LINES_AREA(self));
  if (!self->adjustment || n == 0 || self->orientation != REGARD_LINES_UPRIGHT)
    return;
  const double view = gtk_adjustment_get_page_size(self->adjustment);
  const double place = self->content_height > 0
                           ? gtk_adjustment_get_value(self->adjustment) / self->content_height
                           : 0;
  /* Large enough for every label, and a few large ones not larger than that. */
  const double most = MAX(n * 2 * MOST_PITCH * font_of(self) / MAX(view, 1), 1);
  zoom = CLAMP(zoom, 1, most);
  if (fabs(zoom - self->zoom) < 1e-9)
    return;
  self->zoom = zoom;
  self->content_height = zoom > 1 ? (int) (view * zoom) : 0;
  regard_lines_area_forget(self, TRUE);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  gtk_adjustment_set_upper(self->adjustment, MAX(self->content_height, view));
  gtk_adjustment_set_value(self->adjustment, place * self->content_height);
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
regard_lines_area_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : MAX(self->content_height, 120);
  *natural = MAX(*minimum, orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : 240);
}

static void
regard_lines_area_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);

  self->layout_valid = FALSE;
  g_clear_pointer(&self->labels, gsk_render_node_unref);
  g_clear_pointer(&self->web, gsk_render_node_unref);
  g_clear_pointer(&self->faint, gsk_render_node_unref);
  g_clear_pointer(&self->lit, gsk_render_node_unref);
}

static void
regard_lines_area_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_lines_area_parent_class)->css_changed(widget, change);
  regard_lines_area_forget(REGARD_LINES_AREA(widget), TRUE);
}

static void
on_scrolled(RegardLinesArea *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
regard_lines_area_root(GtkWidget *widget)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);
  GtkWidget *scroller;

  GTK_WIDGET_CLASS(regard_lines_area_parent_class)->root(widget);
  scroller = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
  if (scroller && !self->adjustment) {
    self->adjustment =
        g_object_ref(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)));
    g_signal_connect_object(self->adjustment, "value-changed", G_CALLBACK(on_scrolled), self,
                            G_CONNECT_SWAPPED);
  }
}

static void
regard_lines_area_dispose(GObject *object)
{
  RegardLinesArea *self = REGARD_LINES_AREA(object);

  while (gtk_widget_get_first_child(GTK_WIDGET(self))) /* menus */
    gtk_widget_unparent(gtk_widget_get_first_child(GTK_WIDGET(self)));
  g_clear_pointer(&self->labels, gsk_render_node_unref);
  g_clear_pointer(&self->web, gsk_render_node_unref);
  g_clear_pointer(&self->faint, gsk_render_node_unref);
  g_clear_pointer(&self->lit, gsk_render_node_unref);
  g_clear_object(&self->adjustment);
  for (guint side = 0; side < 2; side++) {
    g_clear_pointer(&self->isolated[side], g_free);
    g_clear_pointer(&self->before_drag[side], g_free);
  }
  regard_lines_layout_clear(&self->layout);
  g_clear_pointer(&self->lines, regard_lines_unref);
  self->layout_valid = FALSE;
  G_OBJECT_CLASS(regard_lines_area_parent_class)->dispose(object);
}

static void
regard_lines_area_class_init(RegardLinesAreaClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_lines_area_dispose;
  widget_class->measure = regard_lines_area_measure;
  widget_class->size_allocate = regard_lines_area_size_allocate;
  widget_class->snapshot = regard_lines_area_snapshot;
  widget_class->css_changed = regard_lines_area_css_changed;
  widget_class->root = regard_lines_area_root;
  signals[HOVER_CHANGED] =
      g_signal_new("hover-changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                   NULL, G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);
  signals[PIN_CHANGED] = g_signal_new("pin-changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_INT);
  signals[ISOLATED_CHANGED] = g_signal_new("isolated-changed", G_TYPE_FROM_CLASS(klass),
                                           G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  regard_lines_area_install_actions(widget_class);
  gtk_widget_class_set_css_name(widget_class, "linesarea");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_lines_area_init(RegardLinesArea *self)
{
  self->hover_row = self->hover_col = self->pin_row = self->pin_col = -1;
  self->computed = self->cursor = self->anchor = self->drag_from = -1;
  self->x = self->y = -1;
  self->zoom = 1;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  regard_lines_area_add_input(self);
  regard_lines_area_update_accessible(self);
}

GtkWidget *
regard_lines_area_new(RegardLinesOrientation orientation)
{
  RegardLinesArea *self = g_object_new(REGARD_TYPE_LINES_AREA, NULL);

  self->orientation = orientation;
  return GTK_WIDGET(self);
}

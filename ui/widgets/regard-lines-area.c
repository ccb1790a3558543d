/* regard-lines-area.c — weights as lines between two lists of tokens: the widget and its drawing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All lines are painted once and kept, and while some tokens are isolated, or pointed at, that
 * picture is shown faintly below the few lines of these. So the pointer costs what these cost, for
 * 5 and for 512 tokens.
 */
#include "widgets/regard-lines-area.h"

#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"

#include <math.h>
#include <string.h>

struct _RegardLinesArea {
  GtkWidget parent_instance;

  RegardLines *lines;
  RegardLinesOrientation orientation;
  const RegardColormap *colormap;
  RegardScale scale;
  gboolean dimmed;
  int computed;
  int hover_row, hover_col, pin_row, pin_col;
  guint8 *isolated[2]; /* by RegardLinesSide; [n] of the lists; NULL without lines */
  RegardLinesHit hit;  /* under the pointer */

  double zoom;
  int content_height; /* of a zoomed one; 0: as high as there is room */
  GtkAdjustment *adjustment;

  /* The keyboard's place: a token. */
  RegardLinesSide side;
  int cursor; /* -1: nowhere */
  int anchor; /* where a range by Shift begins */

  /* Pointer. */
  double x, y; /* negative: elsewhere */
  gboolean is_dragging, dragged, adds;
  RegardLinesSide drag_side;
  double drag_x, drag_y;  /* where the drag began */
  int drag_from;          /* token; -1: the drag began elsewhere */
  guint8 *before_drag[2]; /* what was isolated then; NULL: nothing */

  RegardLinesLayout layout;
  gboolean layout_valid;
  GskRenderNode *labels;
  GskRenderNode *web, *faint, *lit; /* all lines; as they are below isolated ones; these */
  double node_top, node_bottom;     /* of what the nodes are drawn for */
  RegardTheme theme;
};

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

static guint
count(RegardLinesArea *self, RegardLinesSide side)
{
  if (!self->lines)
    return 0;
  return side == REGARD_LINES_ROWS ? self->lines->matrices[0]->rows
                                   : self->lines->matrices[0]->cols;
}

/* ---- Layout ---------------------------------------------------------------------------------- */
static const char *
family(RegardLinesArea *self)
{
  PangoContext *context = gtk_widget_get_pango_context(GTK_WIDGET(self));
  return pango_font_description_get_family(pango_context_get_font_description(context));
}

static void
drop_nodes(RegardLinesArea *self)
{
  g_clear_pointer(&self->labels, gsk_render_node_unref);
  g_clear_pointer(&self->web, gsk_render_node_unref);
  g_clear_pointer(&self->faint, gsk_render_node_unref);
  g_clear_pointer(&self->lit, gsk_render_node_unref);
}

static void
forget(RegardLinesArea *self, gboolean layout)
{
  drop_nodes(self);
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

static void
ensure_layout(RegardLinesArea *self)
{
  const double font = font_of(self), margin = MARGIN * font;
  const double width = gtk_widget_get_width(GTK_WIDGET(self));
  const double height = gtk_widget_get_height(GTK_WIDGET(self));

  if (self->layout_valid || !self->lines || width < 1)
    return;
  regard_lines_layout_clear(&self->layout);
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  canvas->family = family(self);
  RegardRect room = {margin, margin / 2, MAX(width - 2 * margin, 1), 0};
  if (self->orientation == REGARD_LINES_UPRIGHT) {
    const guint n = MAX(MAX(count(self, REGARD_LINES_ROWS), count(self, REGARD_LINES_COLS)), 1);
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
  ensure_layout(self);
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

  for (guint side = 0; side < 2; side++)
    for (guint i = 0; self->isolated[side] && i < count(self, side); i++)
      n += self->isolated[side][i];
  return n;
}

static gboolean
has_isolated(RegardLinesArea *self, RegardLinesSide side)
{
  return self->isolated[side] && memchr(self->isolated[side], 1, count(self, side));
}

void
regard_lines_area_get_marks(RegardLinesArea *self, RegardLinesMarks *marks)
{
  *marks =
      (RegardLinesMarks){has_isolated(self, REGARD_LINES_ROWS) ? self->isolated[REGARD_LINES_ROWS]
                                                               : NULL,
                         has_isolated(self, REGARD_LINES_COLS) ? self->isolated[REGARD_LINES_COLS]
                                                               : NULL,
                         self->pin_row, self->pin_col, -1};
}

/* What is drawn as isolated: a token that is pointed at goes before those that are kept. *owned is
 * freed by the caller. */
static void
get_seen(RegardLinesArea *self, RegardLinesMarks *marks, guint8 **owned)
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
    *owned = g_malloc0(MAX(count(self, side), 1));
    (*owned)[MAX(row, col)] = 1;
    *marks = (RegardLinesMarks){row >= 0 ? *owned : NULL, row >= 0 ? NULL : *owned, -1, -1, -1};
  }
}

static void
update_accessible(RegardLinesArea *self)
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
  return self->lines && row < (int) count(self, REGARD_LINES_ROWS) &&
         col < (int) count(self, REGARD_LINES_COLS);
}

void
regard_lines_area_set_hover(RegardLinesArea *self, int row, int col)
{
  if (!in_range(self, row, col))
    row = col = -1;
  if (row == self->hover_row && col == self->hover_col)
    return;
  self->hover_row = row;
  self->hover_col = col;
  update_accessible(self);
  forget_lit(self);
}

static void
user_hover(RegardLinesArea *self, int row, int col)
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
      memset(self->isolated[side], 0, count(self, side));
}

static void
changed(RegardLinesArea *self)
{
  update_accessible(self);
  forget_lit(self);
  g_signal_emit(self, signals[ISOLATED_CHANGED], 0);
}

void
regard_lines_area_set_pin(RegardLinesArea *self, int row, int col)
{
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

static void
user_pin(RegardLinesArea *self, int row, int col)
{
  if (row == self->pin_row && col == self->pin_col)
    return;
  regard_lines_area_set_pin(self, row, col);
  g_signal_emit(self, signals[PIN_CHANGED], 0, row, col);
}

/* After isolated has been changed: pins the token (or another that is isolated, if it is not any
 * more) and says so. */
static void
find_isolated(RegardLinesArea *self, RegardLinesSide side, int token)
{
  if (token < 0 || !self->isolated[side][token]) { /* it was taken out: another one is kept */
    token = -1;
    for (guint s = 0; s < 2 && token < 0; s++)
      for (guint i = 0; i < count(self, s) && token < 0; i++)
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

static void
let_go(RegardLinesArea *self)
{
  clear_isolated(self);
  find_isolated(self, REGARD_LINES_ROWS, -1);
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

/* ---- Lines between two lists of tokens as render nodes ---------------------------------- */

/* Each kept until what it shows changes. */

/* Drawn around what is seen, in its heights. */
#define BEYOND 0.5

gboolean
regard_lines_area_get_style(RegardLinesArea *self, RegardLinesStyle *style)
{
  if (!self->lines)
    return FALSE;
  regard_theme_get(GTK_WIDGET(self), &self->theme);
  RegardFigureStyle figure = REGARD_FIGURE_STYLE_INIT;
  figure.colormap = self->colormap;
  figure.scale = self->scale;
  figure.dark = self->theme.dark;
  regard_lines_style_init(style, &figure, self->lines->matrices[0]->diverging);
  style->text = regard_theme_argb(&self->theme.fg);
  style->dim = regard_theme_argb(&self->theme.dim);
  style->background = regard_theme_argb(&self->theme.bg) | 0xff000000;
  style->accent = regard_theme_argb(&self->theme.mark);
  return TRUE;
}

static void
ensure_range(RegardLinesArea *self)
{
  const double height = gtk_widget_get_height(GTK_WIDGET(self));
  double top = 0, bottom = height;

  if (self->adjustment && self->content_height > 0) {
    top = CLAMP(gtk_adjustment_get_value(self->adjustment), 0, height);
    bottom = CLAMP(top + gtk_adjustment_get_page_size(self->adjustment), top, height);
  }
  if (self->labels && self->node_top <= top && self->node_bottom >= bottom)
    return;
  forget(self, FALSE);
  self->node_top = floor(MAX(top - (bottom - top) * BEYOND, 0));
  self->node_bottom = ceil(MIN(bottom + (bottom - top) * BEYOND, height));
}

/* A canvas for what is seen of the widget; end with end_node. */
static RegardCanvas *
begin_node(RegardLinesArea *self, cairo_t **cr)
{
  const double width = gtk_widget_get_width(GTK_WIDGET(self));
  const double height = self->node_bottom - self->node_top;

  *cr = regard_node_begin(GTK_WIDGET(self), 0, self->node_top, width, height);
  RegardCanvas *canvas =
      regard_canvas_new_cairo(*cr, 1.0 / gtk_widget_get_scale_factor(GTK_WIDGET(self)));
  canvas->family = family(self);
  canvas->ground = regard_theme_ground(&self->theme);
  canvas->visible = (RegardRect){0, self->node_top, width, height};
  return canvas;
}

static GskRenderNode *
end_node(RegardCanvas *canvas, cairo_t *cr)
{
  regard_canvas_free(canvas);
  return regard_node_end(cr);
}

static void
ensure_web(RegardLinesArea *self, const RegardLinesStyle *style)
{
  RegardLinesMarks all = REGARD_LINES_MARKS_INIT;
  g_autofree guint8 *computed = NULL;
  cairo_t *cr;

  if (self->web)
    return;
  RegardCanvas *canvas = begin_node(self, &cr);
  if (self->computed >= 0) { /* later rows are still to come */
    computed = g_malloc0(MAX(count(self, REGARD_LINES_ROWS), 1));
    memset(computed, 1, MIN((guint) self->computed, count(self, REGARD_LINES_ROWS)));
    all.rows = computed;
  }
  regard_lines_draw(self->lines, &self->layout, style, &all,
                    computed ? REGARD_LINES_TOUCHED : REGARD_LINES_ALL, 1, 1, canvas);
  self->web = end_node(canvas, cr);
}

/* Made once, for a renderer that would blend all of it for every move of the pointer. */
static void
ensure_faint(RegardLinesArea *self)
{
  if (self->faint)
    return;
  cairo_t *cr =
      regard_node_begin(GTK_WIDGET(self), 0, self->node_top, gtk_widget_get_width(GTK_WIDGET(self)),
                        self->node_bottom - self->node_top);
  cairo_push_group(cr);
  gsk_render_node_draw(self->web, cr);
  cairo_pop_group_to_source(cr);
  cairo_paint_with_alpha(cr, REGARD_LINES_REST);
  self->faint = regard_node_end(cr);
}

/* The number of the line that is pointed at, beside the pointer. */
static void
draw_value(RegardLinesArea *self, const RegardLinesStyle *style, RegardCanvas *canvas)
{
  const RegardLinesHit *hit = &self->hit;
  if (hit->what != REGARD_LINES_LINE || self->x < 0 || (int) hit->row != self->hover_row ||
      (int) hit->col != self->hover_col)
    return;
  const RegardMatrix *m = self->lines->matrices[hit->matrix];
  const double value = regard_matrix_get(m, hit->row, hit->col), font = self->layout.font;
  const double width = gtk_widget_get_width(GTK_WIDGET(self));
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  regard_formatd(number, sizeof number, fabs(value) >= 0.001 ? "%.3f" : "%.1e", value);
  g_autofree char *words =
      g_strdup_printf("  %s → %s%s%s", m->row_labels[hit->row].text, m->col_labels[hit->col].text,
                      self->lines->n > 1 ? " · " : "",
                      self->lines->n > 1 ? self->lines->names[hit->matrix] : "");
  const RegardSpan spans[] = {{number, style->background, TRUE}, {words, style->background, FALSE}};
  const double w = regard_canvas_text_width(canvas, spans, 2, font) + 1.2 * font;
  const double x = CLAMP(self->x + font, 0, MAX(width - w, 0));
  const double y = self->y > 3 * font ? self->y - 2.4 * font : self->y + font;
  regard_canvas_fill_rect(canvas, (RegardRect){x, y, w, 1.8 * font}, 0.4 * font,
                          (style->text & 0xffffff) | 0xe6000000);
  regard_canvas_text(canvas, x + 0.6 * font, y + 1.25 * font, spans, 2, font, REGARD_ANCHOR_START,
                     0);
}

static void
ensure_lit(RegardLinesArea *self, const RegardLinesStyle *style, const RegardLinesMarks *marks)
{
  cairo_t *cr;

  if (self->lit)
    return;
  RegardCanvas *canvas = begin_node(self, &cr);
  if (marks->rows || marks->cols)
    regard_lines_draw(self->lines, &self->layout, style, marks, REGARD_LINES_TOUCHED, 1, 1, canvas);
  regard_lines_draw_marked(self->lines, &self->layout, style, marks, canvas);
  regard_lines_draw_isolated(self->lines, &self->layout, style, marks, canvas);
  draw_value(self, style, canvas);
  self->lit = end_node(canvas, cr);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);
  RegardLinesMarks marks;
  RegardLinesStyle style;
  g_autofree guint8 *owned = NULL;
  graphene_rect_t rect;

  ensure_layout(self);
  if (!self->layout_valid || !regard_lines_area_get_style(self, &style))
    return;
  ensure_range(self);
  get_seen(self, &marks, &owned);
  ensure_web(self, &style);
  if (!self->labels) {
    cairo_t *cr;
    RegardCanvas *canvas = begin_node(self, &cr);
    regard_lines_draw_labels(self->lines, &self->layout, &style, canvas);
    self->labels = end_node(canvas, cr);
  }
  ensure_lit(self, &style, &marks);
  if (self->dimmed)
    gtk_snapshot_push_opacity(snapshot, regard_theme_opacity(&self->theme, REGARD_STALE_OPACITY));
  gtk_snapshot_append_node(snapshot, self->labels);
  if (marks.rows || marks.cols)
    ensure_faint(self);
  gtk_snapshot_append_node(snapshot, marks.rows || marks.cols ? self->faint : self->web);
  gtk_snapshot_append_node(snapshot, self->lit);
  if (self->dimmed)
    gtk_snapshot_pop(snapshot);
  if (gtk_widget_has_focus(widget)) {
    if (self->cursor >= 0 &&
        regard_lines_area_get_token_rect(self, self->side, (guint) self->cursor, &rect))
      regard_snapshot_outline(snapshot, floor(rect.origin.x), floor(rect.origin.y),
                              ceil(rect.size.width), ceil(rect.size.height), 2, 4,
                              &self->theme.accent);
    else
      regard_snapshot_outline(snapshot, self->layout.plot.x - 4, self->layout.plot.y - 4,
                              self->layout.plot.width + 8, self->layout.plot.height + 8, 2, 4,
                              &self->theme.accent);
  }
}

/* ---- Pointing at lines and tokens, isolating them, by pointer and keys ------------------ */

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
    memset(self->isolated[side], 0, count(self, side));
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
  find_isolated(self, side, (int) i);
}

/* Tokens from one to another, besides what was isolated before; NULL: nothing. */
static void
isolate_range(RegardLinesArea *self, RegardLinesSide side, int from, int to, guint8 *before[2])
{
  for (guint s = 0; s < 2; s++)
    if (before && before[s])
      memcpy(self->isolated[s], before[s], count(self, s));
    else
      memset(self->isolated[s], 0, count(self, s));
  for (int i = MIN(from, to); i <= MAX(from, to); i++)
    self->isolated[side][i] = 1;
  find_isolated(self, side, to);
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
    user_hover(self, hit.side == REGARD_LINES_ROWS ? (int) hit.i : -1,
               hit.side == REGARD_LINES_COLS ? (int) hit.i : -1);
    break;
  case REGARD_LINES_LINE:
    user_hover(self, (int) hit.row, (int) hit.col);
    break;
  default:
    user_hover(self, -1, -1);
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
    self->before_drag[s] = self->adds ? g_memdup2(self->isolated[s], MAX(count(self, s), 1)) : NULL;
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
  user_hover(self, -1, -1);
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
      user_pin(self, -1, -1); /* a second click lets go */
    else
      user_pin(self, (int) hit.row, (int) hit.col);
    break;
  default:
    if (!self->adds)
      let_go(self);
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
  const int n = (int) count(self, side);

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
    user_hover(self, -1, -1);
    isolate_range(self, side, self->anchor, token, NULL);
  } else
    user_hover(self, side == REGARD_LINES_ROWS ? token : -1,
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
  user_hover(self, -1, -1);
  self->anchor = self->cursor;
  toggle(self, self->side, (guint) self->cursor, adds);
  return TRUE;
}

static gboolean
escape(RegardLinesArea *self)
{
  if (regard_lines_area_count_isolated(self) > 0 || self->pin_row >= 0 || self->pin_col >= 0) {
    user_hover(self, -1, -1);
    let_go(self);
    return TRUE;
  }
  if (self->cursor < 0)
    return FALSE;
  self->cursor = self->anchor = -1;
  user_hover(self, -1, -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
  return TRUE;
}

static gboolean
zoom_key(RegardLinesArea *self, guint keyval)
{
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_plus:
  case GDK_KEY_equal:
    regard_lines_area_set_zoom(self, self->zoom * 1.25);
    return TRUE;
  case GDK_KEY_minus:
    regard_lines_area_set_zoom(self, self->zoom / 1.25);
    return TRUE;
  case GDK_KEY_0:
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

  if (!self->lines || (state & GDK_ALT_MASK))
    return FALSE;
  if (state & GDK_CONTROL_MASK)
    return zoom_key(self, keyval);
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Up:
    return move_cursor(self, is_upright ? -1 : 0, is_upright ? 0 : -1, extends);
  case GDK_KEY_Down:
    return move_cursor(self, is_upright ? 1 : 0, is_upright ? 0 : 1, extends);
  case GDK_KEY_Left:
    return move_cursor(self, is_upright ? 0 : -1, is_upright ? -1 : 0, extends);
  case GDK_KEY_Right:
    return move_cursor(self, is_upright ? 0 : 1, is_upright ? 1 : 0, extends);
  case GDK_KEY_Home:
    go_to(self, self->side, 0, extends);
    return TRUE;
  case GDK_KEY_End:
    go_to(self, self->side, G_MAXINT, extends);
    return TRUE;
  case GDK_KEY_Return:
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
  if (side < 2 && i < count(self, side))
    toggle(self, side, i, adds);
}

static void
let_go_action(GtkWidget *widget, const char *name, GVariant *parameter)
{
  let_go(REGARD_LINES_AREA(widget));
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

  regard_key_as_meant(GTK_WIDGET(self), keycode, &keyval, &state);
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

static void
install_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "lines.isolate", "(uub)", isolate_action);
  gtk_widget_class_install_action(klass, "lines.let-go", NULL, let_go_action);
}

static void
add_input(RegardLinesArea *self)
{
  static const RegardInput input = {
      .motion = G_CALLBACK(on_motion),
      .leave = G_CALLBACK(on_leave),
      .secondary = G_CALLBACK(on_secondary),
      .drag_begin = G_CALLBACK(on_drag_begin),
      .drag_update = G_CALLBACK(on_drag_update),
      .drag_end = G_CALLBACK(on_drag_end),
      .scroll = G_CALLBACK(on_scroll),
      .axes = GTK_EVENT_CONTROLLER_SCROLL_VERTICAL,
      .key = G_CALLBACK(on_key),
      .focus_in = G_CALLBACK(gtk_widget_queue_draw),
      .focus_out = G_CALLBACK(gtk_widget_queue_draw),
  };

  regard_widget_listen(GTK_WIDGET(self), &input);
}

/* ---- Setters ---------------------------------------------------------------------------- */

void
regard_lines_area_set_lines(RegardLinesArea *self, RegardLines *lines)
{
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
  if (self->cursor >= (int) count(self, self->side))
    self->cursor = -1;
  forget(self, TRUE);
  changed(self);
}

RegardLines *
regard_lines_area_get_lines(RegardLinesArea *self)
{
  return self->lines;
}

void
regard_lines_area_set_colors(RegardLinesArea *self, RegardScale scale,
                             const RegardColormap *colormap)
{
  if (scale == self->scale && colormap == self->colormap)
    return;
  self->scale = scale;
  self->colormap = colormap;
  forget(self, FALSE);
}

void
regard_lines_area_set_dimmed(RegardLinesArea *self, gboolean dimmed)
{
  if (!dimmed == !self->dimmed)
    return;
  self->dimmed = !!dimmed;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_lines_area_set_computed(RegardLinesArea *self, int n)
{
  if (n == self->computed)
    return;
  self->computed = n;
  forget(self, FALSE);
}

double
regard_lines_area_get_zoom(RegardLinesArea *self)
{
  return self->zoom;
}

void
regard_lines_area_set_zoom(RegardLinesArea *self, double zoom)
{
  const guint n = MAX(count(self, REGARD_LINES_ROWS), count(self, REGARD_LINES_COLS));

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
  forget(self, TRUE);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  gtk_adjustment_set_upper(self->adjustment, MAX(self->content_height, view));
  gtk_adjustment_set_value(self->adjustment, place * self->content_height);
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);

  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : MAX(self->content_height, 120);
  *natural = MAX(*minimum, orientation == GTK_ORIENTATION_HORIZONTAL ? 560 : 240);
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);

  self->layout_valid = FALSE;
  drop_nodes(self);
}

static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_lines_area_parent_class)->css_changed(widget, change);
  forget(REGARD_LINES_AREA(widget), TRUE);
}

static void
on_scrolled(RegardLinesArea *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
root(GtkWidget *widget)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);

  GTK_WIDGET_CLASS(regard_lines_area_parent_class)->root(widget);
  GtkWidget *scroller = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
  if (scroller && !self->adjustment) {
    self->adjustment =
        g_object_ref(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)));
    regard_connect(self->adjustment, "value-changed", G_CALLBACK(on_scrolled), self);
  }
}

static void
dispose(GObject *object)
{
  RegardLinesArea *self = REGARD_LINES_AREA(object);

  while (gtk_widget_get_first_child(GTK_WIDGET(self))) /* menus */
    gtk_widget_unparent(gtk_widget_get_first_child(GTK_WIDGET(self)));
  drop_nodes(self);
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

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot_widget;
  widget_class->css_changed = css_changed;
  widget_class->root = root;
  signals[HOVER_CHANGED] = regard_signal_new(klass, "hover-changed", 2, G_TYPE_INT, G_TYPE_INT);
  signals[PIN_CHANGED] = regard_signal_new(klass, "pin-changed", 2, G_TYPE_INT, G_TYPE_INT);
  signals[ISOLATED_CHANGED] = regard_signal_new(klass, "isolated-changed", 0);
  install_actions(widget_class);
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
  add_input(self);
  update_accessible(self);
}

GtkWidget *
regard_lines_area_new(RegardLinesOrientation orientation)
{
  RegardLinesArea *self = g_object_new(REGARD_TYPE_LINES_AREA, NULL);

  self->orientation = orientation;
  return GTK_WIDGET(self);
}

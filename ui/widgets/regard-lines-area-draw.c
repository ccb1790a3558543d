/* regard-lines-area-draw.c — lines between two lists of tokens as render nodes, each kept until
 * what it shows changes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-lines-area-private.h"

#include <math.h>
#include <string.h>

/* Drawn around what is seen, in its heights. */
#define BEYOND 0.5

const char *
regard_lines_area_family(RegardLinesArea *self)
{
  PangoContext *context = gtk_widget_get_pango_context(GTK_WIDGET(self));
  return pango_font_description_get_family(pango_context_get_font_description(context));
}

static guint32
argb_of(const GdkRGBA *color)
{
  return (guint32) round(color->alpha * 255) << 24 | (guint32) round(color->red * 255) << 16 |
         (guint32) round(color->green * 255) << 8 | (guint32) round(color->blue * 255);
}

gboolean
regard_lines_area_get_style(RegardLinesArea *self, RegardLinesStyle *style)
{
  g_return_val_if_fail(REGARD_IS_LINES_AREA(self), FALSE);
  if (!self->lines)
    return FALSE;
  regard_theme_get(GTK_WIDGET(self), &self->theme);
  RegardFigureStyle figure = REGARD_FIGURE_STYLE_INIT;
  figure.colormap = self->colormap;
  figure.scale = self->scale;
  figure.dark = self->theme.dark;
  regard_lines_style_init(style, &figure, self->lines->matrices[0]->diverging);
  style->text = argb_of(&self->theme.fg);
  style->dim = argb_of(&self->theme.dim);
  style->background = argb_of(&self->theme.bg) | 0xff000000;
  style->accent = argb_of(&self->theme.mark);
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
  regard_lines_area_forget(self, FALSE);
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
  canvas->family = regard_lines_area_family(self);
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
  RegardCanvas *canvas;
  cairo_t *cr;

  if (self->web)
    return;
  canvas = begin_node(self, &cr);
  if (self->computed >= 0) { /* later rows are still to come */
    computed = g_malloc0(MAX(regard_lines_area_count(self, REGARD_LINES_ROWS), 1));
    memset(computed, 1,
           MIN((guint) self->computed, regard_lines_area_count(self, REGARD_LINES_ROWS)));
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
  cairo_t *cr;

  if (self->faint)
    return;
  cr =
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
  g_ascii_formatd(number, sizeof number, fabs(value) >= 0.001 ? "%.3f" : "%.1e", value);
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
  RegardCanvas *canvas;
  cairo_t *cr;

  if (self->lit)
    return;
  canvas = begin_node(self, &cr);
  if (marks->rows || marks->cols)
    regard_lines_draw(self->lines, &self->layout, style, marks, REGARD_LINES_TOUCHED, 1, 1, canvas);
  regard_lines_draw_marked(self->lines, &self->layout, style, marks, canvas);
  regard_lines_draw_isolated(self->lines, &self->layout, style, marks, canvas);
  draw_value(self, style, canvas);
  self->lit = end_node(canvas, cr);
}

void
regard_lines_area_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardLinesArea *self = REGARD_LINES_AREA(widget);
  RegardLinesMarks marks;
  RegardLinesStyle style;
  g_autofree guint8 *owned = NULL;
  graphene_rect_t rect;

  regard_lines_area_ensure_layout(self);
  if (!self->layout_valid || !regard_lines_area_get_style(self, &style))
    return;
  ensure_range(self);
  regard_lines_area_get_seen(self, &marks, &owned);
  ensure_web(self, &style);
  if (!self->labels) {
    cairo_t *cr;
    RegardCanvas *canvas = begin_node(self, &cr);
    regard_lines_draw_labels(self->lines, &self->layout, &style, canvas);
    self->labels = end_node(canvas, cr);
  }
  ensure_lit(self, &style, &marks);
  if (self->dimmed)
    gtk_snapshot_push_opacity(snapshot, 0.62);
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

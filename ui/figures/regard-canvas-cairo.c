/* regard-canvas-cairo.c — figures on cairo: PNG, PDF, the screen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include <math.h>
#include <pango/pangocairo.h>

typedef struct {
  RegardCanvas parent;
  cairo_t *cr;
} CairoCanvas;

static cairo_t *
cr_of(RegardCanvas *canvas)
{
  return ((CairoCanvas *) canvas)->cr;
}

static void
set_color(cairo_t *cr, guint32 argb)
{
  cairo_set_source_rgba(cr, (argb >> 16 & 0xff) / 255.0, (argb >> 8 & 0xff) / 255.0,
                        (argb & 0xff) / 255.0, (argb >> 24) / 255.0);
}

static void
cairo_canvas_fill_rect(RegardCanvas *canvas, RegardRect r, double radius, guint32 argb)
{
  cairo_t *cr = cr_of(canvas);
  set_color(cr, argb);
  if (radius > 0) {
    radius = MIN(radius, MIN(r.width, r.height) / 2);
    cairo_new_sub_path(cr);
    cairo_arc(cr, r.x + r.width - radius, r.y + radius, radius, -G_PI_2, 0);
    cairo_arc(cr, r.x + r.width - radius, r.y + r.height - radius, radius, 0, G_PI_2);
    cairo_arc(cr, r.x + radius, r.y + r.height - radius, radius, G_PI_2, G_PI);
    cairo_arc(cr, r.x + radius, r.y + radius, radius, G_PI, 3 * G_PI_2);
    cairo_close_path(cr);
  } else
    cairo_rectangle(cr, r.x, r.y, r.width, r.height);
  cairo_fill(cr);
}

static void
cairo_canvas_stroke_rect(RegardCanvas *canvas, RegardRect r, double line_width, guint32 argb)
{
  cairo_t *cr = cr_of(canvas);
  set_color(cr, argb);
  cairo_set_line_width(cr, line_width);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
  cairo_rectangle(cr, r.x, r.y, r.width, r.height);
  cairo_stroke(cr);
}

static void
cairo_canvas_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1,
                         double line_width, guint32 argb)
{
  cairo_t *cr = cr_of(canvas);
  set_color(cr, argb);
  cairo_set_line_width(cr, line_width);
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1, y1);
  cairo_stroke(cr);
}

static void
trace(cairo_t *cr, const RegardPoint *points, guint n)
{
  cairo_move_to(cr, points[0].x, points[0].y);
  for (guint i = 1; i < n; i++)
    cairo_line_to(cr, points[i].x, points[i].y);
}

static void
set_pen(cairo_t *cr, const RegardPen *pen)
{
  const double dashes[] = {pen->dash, pen->space};
  set_color(cr, pen->argb);
  cairo_set_line_width(cr, pen->width);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  if (pen->dash > 0)
    cairo_set_dash(cr, dashes, 2, 0);
}

static void
cairo_canvas_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n,
                      const RegardPen *pen)
{
  cairo_t *cr = cr_of(canvas);
  cairo_save(cr);
  set_pen(cr, pen);
  trace(cr, points, n);
  if (n == 1)
    cairo_line_to(cr, points[0].x, points[0].y);
  cairo_stroke(cr);
  cairo_restore(cr);
}

static void
cairo_canvas_curve(RegardCanvas *canvas, const RegardPoint p[4], const RegardPen *pen)
{
  cairo_t *cr = cr_of(canvas);
  cairo_save(cr);
  set_pen(cr, pen);
  cairo_move_to(cr, p[0].x, p[0].y);
  cairo_curve_to(cr, p[1].x, p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
  cairo_stroke(cr);
  cairo_restore(cr);
}

static void
cairo_canvas_fill_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb)
{
  cairo_t *cr = cr_of(canvas);
  set_color(cr, argb);
  trace(cr, points, n);
  cairo_close_path(cr);
  cairo_fill(cr);
}

static void
cairo_canvas_begin_clip(RegardCanvas *canvas, RegardRect r)
{
  cairo_save(cr_of(canvas));
  cairo_rectangle(cr_of(canvas), r.x, r.y, r.width, r.height);
  cairo_clip(cr_of(canvas));
}

static void
cairo_canvas_end_clip(RegardCanvas *canvas)
{
  cairo_restore(cr_of(canvas));
}

static void
cairo_canvas_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing,
                   double line_width, guint32 argb)
{
  cairo_t *cr = cr_of(canvas);
  cairo_save(cr);
  for (guint i = 0; i < n; i++)
    cairo_rectangle(cr, rects[i].x, rects[i].y, rects[i].width, rects[i].height);
  cairo_clip(cr);
  double x0, y0, x1, y1;
  cairo_clip_extents(cr, &x0, &y0, &x1, &y1);
  set_color(cr, argb);
  cairo_set_line_width(cr, line_width);
  /* Lines x + y = k * step, rising to the right. */
  double step = spacing * G_SQRT2;
  for (double k = floor((x0 + y0) / step); k * step <= x1 + y1; k++) {
    cairo_move_to(cr, k * step - y1 - spacing, y1 + spacing);
    cairo_line_to(cr, k * step - y0 + spacing, y0 - spacing);
  }
  cairo_stroke(cr);
  cairo_restore(cr);
}

static void
cairo_canvas_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  cairo_t *cr = cr_of(canvas);
  cairo_surface_t *scaled =
      canvas->pixel > 0 ? cairo_surface_reference(surface) : regard_canvas_enlarge(surface, r);
  int width = cairo_image_surface_get_width(scaled);
  int height = cairo_image_surface_get_height(scaled);
  cairo_save(cr);
  cairo_translate(cr, r.x, r.y);
  cairo_rectangle(cr, 0, 0, r.width, r.height);
  cairo_clip(cr);
  cairo_scale(cr, r.width / width, r.height / height);
  cairo_set_source_surface(cr, scaled, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_paint(cr);
  cairo_restore(cr);
  cairo_surface_destroy(scaled);
}

/* One glyph cluster for each word of a run's text, and one for each space between them. Readers of
 * PDF put letters together that stand on one base line, which a slanted word's do not; a cluster of
 * many glyphs carries its text with it (ActualText), and so a word is found whole. A run from right
 * to left is one cluster. Returns how many; clusters has room for one each glyph. */
static int
find_words(const PangoGlyphItem *run, const char *text, cairo_text_cluster_t *clusters)
{
  const PangoGlyphString *glyphs = run->glyphs;
  const int length = run->item->length;
  int n = 0;
  gboolean was_space = TRUE;
  if (run->item->analysis.level % 2) {
    clusters[0] = (cairo_text_cluster_t){length, glyphs->num_glyphs};
    return 1;
  }
  for (int i = 0, next; i < glyphs->num_glyphs; i = next) {
    const int start = glyphs->log_clusters[i];
    for (next = i + 1; next < glyphs->num_glyphs && glyphs->log_clusters[next] == start;)
      next++;
    const int end = next < glyphs->num_glyphs ? glyphs->log_clusters[next] : length;
    const gboolean is_space = text[start] == ' ';
    if (is_space || was_space)
      clusters[n++] = (cairo_text_cluster_t){0, 0};
    clusters[n - 1].num_bytes += end - start;
    clusters[n - 1].num_glyphs += next - i;
    was_space = is_space;
  }
  return n;
}

/* Draws a run at (x, 0) and returns its width. */
static double
show_run(cairo_t *cr, const PangoGlyphItem *run, const char *text, double x)
{
  const PangoGlyphString *string = run->glyphs;
  const int n = string->num_glyphs;
  g_autofree cairo_glyph_t *glyphs = g_new(cairo_glyph_t, MAX(n, 1));
  g_autofree cairo_text_cluster_t *clusters = g_new(cairo_text_cluster_t, MAX(n, 1));
  double at = x;
  for (int i = 0; i < n; i++) {
    const PangoGlyphInfo *info = &string->glyphs[i];
    glyphs[i] = (cairo_glyph_t){info->glyph, at + (double) info->geometry.x_offset / PANGO_SCALE,
                                (double) info->geometry.y_offset / PANGO_SCALE};
    at += (double) info->geometry.width / PANGO_SCALE;
  }
  guint16 color[4] = {0, 0, 0, 0xffff};
  for (GSList *l = run->item->analysis.extra_attrs; l; l = l->next) {
    const PangoAttribute *attribute = l->data;
    if (attribute->klass->type == PANGO_ATTR_FOREGROUND) {
      const PangoColor *c = &((const PangoAttrColor *) attribute)->color;
      color[0] = c->red, color[1] = c->green, color[2] = c->blue;
    } else if (attribute->klass->type == PANGO_ATTR_FOREGROUND_ALPHA)
      color[3] = (guint16) ((const PangoAttrInt *) attribute)->value;
  }
  cairo_set_source_rgba(cr, color[0] / 65535.0, color[1] / 65535.0, color[2] / 65535.0,
                        color[3] / 65535.0);
  cairo_set_scaled_font(cr, pango_cairo_font_get_scaled_font(
                                PANGO_CAIRO_FONT(run->item->analysis.font)));
  cairo_show_text_glyphs(cr, text, run->item->length, glyphs, n, clusters,
                         find_words(run, text, clusters), 0);
  return at - x;
}

/* Glyphs that Pango draws itself: boxes for what no font has, and invisible ones. */
static gboolean
has_plain_glyphs(const PangoLayoutLine *line)
{
  for (GSList *l = line->runs; l; l = l->next) {
    const PangoGlyphItem *run = l->data;
    for (int i = 0; i < run->glyphs->num_glyphs; i++)
      if (run->glyphs->glyphs[i].glyph == PANGO_GLYPH_EMPTY ||
          run->glyphs->glyphs[i].glyph & PANGO_GLYPH_UNKNOWN_FLAG)
        return FALSE;
  }
  return TRUE;
}

static void
cairo_canvas_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
                  double size, RegardAnchor anchor, double angle)
{
  cairo_t *cr = cr_of(canvas);
  PangoLayout *layout = regard_canvas_layout(canvas, spans, n, size);
  PangoLayoutLine *line = pango_layout_get_line_readonly(layout, 0);
  int width;
  pango_layout_get_size(layout, &width, NULL);
  double shift = anchor == REGARD_ANCHOR_START ? 0 : anchor == REGARD_ANCHOR_MIDDLE ? 0.5 : 1;
  cairo_save(cr);
  cairo_translate(cr, x, baseline);
  cairo_rotate(cr, angle * G_PI / 180);
  cairo_translate(cr, -shift * width / PANGO_SCALE, 0);
  cairo_move_to(cr, 0, 0);
  const gboolean is_slanted = fmod(angle, 90) != 0;
  if (is_slanted && cairo_surface_has_show_text_glyphs(cairo_get_target(cr)) &&
      has_plain_glyphs(line)) {
    double at = 0;
    for (GSList *l = line->runs; l; l = l->next) {
      const PangoGlyphItem *run = l->data;
      at += show_run(cr, run, pango_layout_get_text(layout) + run->item->offset, at);
    }
  } else
    pango_cairo_show_layout_line(cr, line);
  cairo_restore(cr);
  g_object_unref(layout);
}

static void
cairo_canvas_free(RegardCanvas *canvas)
{
  cairo_destroy(cr_of(canvas));
  regard_canvas_clear(canvas);
  g_free(canvas);
}

RegardCanvas *
regard_canvas_new_cairo(cairo_t *cr, double pixel)
{
  static const RegardCanvasClass klass = {
      .fill_rect = cairo_canvas_fill_rect,
      .stroke_rect = cairo_canvas_stroke_rect,
      .stroke_line = cairo_canvas_stroke_line,
      .polyline = cairo_canvas_polyline,
      .curve = cairo_canvas_curve,
      .fill_polygon = cairo_canvas_fill_polygon,
      .begin_clip = cairo_canvas_begin_clip,
      .end_clip = cairo_canvas_end_clip,
      .hatch = cairo_canvas_hatch,
      .image = cairo_canvas_image,
      .text = cairo_canvas_text,
      .free = cairo_canvas_free,
  };
  CairoCanvas *self = g_new0(CairoCanvas, 1);
  regard_canvas_init(&self->parent, &klass);
  self->parent.pixel = pixel;
  self->cr = cairo_reference(cr);
  return &self->parent;
}

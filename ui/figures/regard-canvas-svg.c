/* regard-canvas-svg.c — figures as SVG 1.1 with real <text>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers are written with a point whatever the locale, at most 3 decimals (a thousandth of a
 * point). Text is anchored where it must line up, so that another font in the viewer keeps it in
 * place.
 */
#include "figures/regard-canvas.h"
#include "figures/regard-visible.h"
#include <math.h>
#include <string.h>

/* After the family that was measured with. */
#define FALLBACK_FAMILIES "Arial, Helvetica, sans-serif"

typedef struct {
  RegardCanvas parent;
  GString *out;
  guint n_patterns, n_clips;
} SvgCanvas;

static SvgCanvas *
svg(RegardCanvas *canvas)
{
  return (SvgCanvas *) canvas;
}

static void
append_number(GString *out, double value)
{
  char text[64];
  g_ascii_formatd(text, sizeof text, "%.3f", value);
  char *end = text + strlen(text);
  while (end[-1] == '0')
    *--end = '\0';
  if (end[-1] == '.')
    *--end = '\0';
  g_string_append(out, strcmp(text, "-0") == 0 ? "0" : text);
}

/* " name="value"" */
static void
number(GString *out, const char *name, double value)
{
  g_string_append_printf(out, " %s=\"", name);
  append_number(out, value);
  g_string_append_c(out, '"');
}

static void
color(GString *out, const char *name, guint32 argb)
{
  g_string_append_printf(out, " %s=\"#%06x\"", name, argb & 0xffffff);
  if (argb >> 24 != 0xff) {
    g_autofree char *opacity = g_strconcat(name, "-opacity", NULL);
    number(out, opacity, (argb >> 24) / 255.0);
  }
}

static void
rectangle(GString *out, RegardRect r)
{
  number(out, "x", r.x);
  number(out, "y", r.y);
  number(out, "width", r.width);
  number(out, "height", r.height);
}

static void
svg_fill_rect(RegardCanvas *canvas, RegardRect r, double radius, guint32 argb)
{
  GString *out = svg(canvas)->out;
  g_string_append(out, "<rect");
  rectangle(out, r);
  if (radius > 0)
    number(out, "rx", radius);
  color(out, "fill", argb);
  g_string_append(out, "/>\n");
}

static void
svg_stroke_rect(RegardCanvas *canvas, RegardRect r, double line_width, guint32 argb)
{
  GString *out = svg(canvas)->out;
  g_string_append(out, "<rect");
  rectangle(out, r);
  g_string_append(out, " fill=\"none\"");
  color(out, "stroke", argb);
  number(out, "stroke-width", line_width);
  g_string_append(out, "/>\n");
}

static void
svg_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double line_width,
                guint32 argb)
{
  GString *out = svg(canvas)->out;
  g_string_append(out, "<line");
  number(out, "x1", x0);
  number(out, "y1", y0);
  number(out, "x2", x1);
  number(out, "y2", y1);
  color(out, "stroke", argb);
  number(out, "stroke-width", line_width);
  g_string_append(out, "/>\n");
}

/* The points of a path, to a hundredth: a line has hundreds of them. */
static void
append_points(GString *out, const RegardPoint *points, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_string_append_c(out, i == 0 ? 'M' : ' ');
    append_number(out, round(points[i].x * 100) / 100);
    g_string_append_c(out, ',');
    append_number(out, round(points[i].y * 100) / 100);
  }
}

static void
begin_path(GString *out, const RegardPen *pen)
{
  g_string_append(out, "<path fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
  color(out, "stroke", pen->argb);
  number(out, "stroke-width", pen->width);
  if (pen->dash > 0) {
    g_string_append(out, " stroke-dasharray=\"");
    append_number(out, pen->dash);
    g_string_append_c(out, ' ');
    append_number(out, pen->space);
    g_string_append_c(out, '"');
  }
  g_string_append(out, " d=\"");
}

static void
svg_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen)
{
  GString *out = svg(canvas)->out;
  begin_path(out, pen);
  append_points(out, points, n);
  g_string_append(out, n == 1 ? " z\"/>\n" : "\"/>\n");
}

static void
svg_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen)
{
  GString *out = svg(canvas)->out;
  begin_path(out, pen);
  append_points(out, points, 1);
  g_string_append_c(out, 'C');
  for (guint i = 1; i < 4; i++) {
    if (i > 1)
      g_string_append_c(out, ' ');
    append_number(out, round(points[i].x * 100) / 100);
    g_string_append_c(out, ',');
    append_number(out, round(points[i].y * 100) / 100);
  }
  g_string_append(out, "\"/>\n");
}

static void
svg_fill_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb)
{
  GString *out = svg(canvas)->out;
  g_string_append(out, "<path");
  color(out, "fill", argb);
  g_string_append(out, " d=\"");
  append_points(out, points, n);
  g_string_append(out, "z\"/>\n");
}

static void
svg_begin_clip(RegardCanvas *canvas, RegardRect r)
{
  GString *out = svg(canvas)->out;
  guint id = ++svg(canvas)->n_clips;
  g_string_append_printf(out, "<clipPath id=\"clip%u\"><rect", id);
  rectangle(out, r);
  g_string_append_printf(out, "/></clipPath>\n<g clip-path=\"url(#clip%u)\">\n", id);
}

static void
svg_end_clip(RegardCanvas *canvas)
{
  g_string_append(svg(canvas)->out, "</g>\n");
}

static void
svg_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing, double line_width,
          guint32 argb)
{
  GString *out = svg(canvas)->out;
  guint id = ++svg(canvas)->n_patterns;
  double step = spacing * G_SQRT2;
  g_string_append_printf(out, "<pattern id=\"hatch%u\" patternUnits=\"userSpaceOnUse\"", id);
  number(out, "width", step);
  number(out, "height", step);
  g_string_append(out, "><path fill=\"none\"");
  color(out, "stroke", argb);
  number(out, "stroke-width", line_width);
  /* The diagonal of the tile and the two corners it cuts. */
  char a[32], b[32], c[32];
  g_ascii_formatd(a, sizeof a, "%.3f", step);
  g_ascii_formatd(b, sizeof b, "%.3f", step / 2);
  g_ascii_formatd(c, sizeof c, "%.3f", step * 1.5);
  g_string_append_printf(out, " d=\"M0 %sL%s 0M-%s %sL%s -%sM%s %sL%s %s\"/></pattern>\n", a, a, b,
                         b, b, b, b, c, c, b);
  g_string_append_printf(out, "<g fill=\"url(#hatch%u)\">\n", id);
  for (guint i = 0; i < n; i++) {
    g_string_append(out, "<rect");
    rectangle(out, rects[i]);
    g_string_append(out, "/>\n");
  }
  g_string_append(out, "</g>\n");
}

static cairo_status_t
append_png(void *user, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(user, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static void
svg_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  GString *out = svg(canvas)->out;
  cairo_surface_t *large = regard_canvas_enlarge(surface, r);
  GByteArray *png = g_byte_array_new();
  cairo_status_t status = cairo_surface_write_to_png_stream(large, append_png, png);
  cairo_surface_destroy(large);
  if (status == CAIRO_STATUS_SUCCESS) {
    g_autofree char *base64 = g_base64_encode(png->data, png->len);
    g_string_append(out, "<image");
    rectangle(out, r);
    g_string_append(out, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                         "xlink:href=\"data:image/png;base64,");
    g_string_append(out, base64);
    g_string_append(out, "\"/>\n");
  }
  g_byte_array_unref(png);
}

static void
append_escaped(GString *out, const char *text)
{
  g_autofree char *clean = regard_visible(text);
  g_autofree char *escaped = g_markup_escape_text(clean, -1);
  g_string_append(out, escaped);
}

static void
svg_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
         double size, RegardAnchor anchor, double angle)
{
  GString *out = svg(canvas)->out;
  static const char *const anchors[] = {NULL, "middle", "end"};
  g_string_append(out, "<text");
  number(out, "x", x);
  number(out, "y", baseline);
  number(out, "font-size", size);
  if (anchors[anchor])
    g_string_append_printf(out, " text-anchor=\"%s\"", anchors[anchor]);
  if (angle != 0) {
    char a[32], b[32], c[32];
    g_ascii_formatd(a, sizeof a, "%.3g", angle);
    g_ascii_formatd(b, sizeof b, "%.3f", x);
    g_ascii_formatd(c, sizeof c, "%.3f", baseline);
    g_string_append_printf(out, " transform=\"rotate(%s %s %s)\"", a, b, c);
  }
  /* One style: on the element itself, which keeps the text easy to edit. */
  for (guint i = 0; i < n; i++) {
    if (n > 1)
      g_string_append(out, i == 0 ? "><tspan" : "<tspan");
    color(out, "fill", spans[i].argb);
    if (spans[i].bold)
      g_string_append(out, " font-weight=\"bold\"");
    g_string_append_c(out, '>');
    append_escaped(out, spans[i].text);
    if (n > 1)
      g_string_append(out, "</tspan>");
  }
  g_string_append(out, n > 0 ? "</text>\n" : "/>\n");
}

static void
svg_begin_group(RegardCanvas *canvas, const char *name)
{
  g_string_append_printf(svg(canvas)->out, "<g class=\"%s\">\n", name);
}

static void
svg_end_group(RegardCanvas *canvas)
{
  g_string_append(svg(canvas)->out, "</g>\n");
}

static void
svg_free(RegardCanvas *canvas)
{
  if (svg(canvas)->out)
    g_string_free(svg(canvas)->out, TRUE);
  regard_canvas_clear(canvas);
  g_free(canvas);
}

/* The family that the measurements of this canvas come from. */
static char *
measured_family(RegardCanvas *canvas)
{
  RegardSpan span = {"x", 0xff000000, FALSE};
  PangoLayout *layout = regard_canvas_layout(canvas, &span, 1, 10);
  PangoFont *font =
      pango_context_load_font(canvas->context, pango_layout_get_font_description(layout));
  char *family = NULL;
  if (font) {
    PangoFontDescription *description = pango_font_describe(font);
    g_autofree char *escaped =
        g_markup_escape_text(pango_font_description_get_family(description), -1);
    family = g_strdup_printf("'%s', " FALLBACK_FAMILIES, escaped);
    pango_font_description_free(description);
    g_object_unref(font);
  }
  g_object_unref(layout);
  return family ? family : g_strdup(FALLBACK_FAMILIES);
}

static void
millimetres(GString *out, const char *name, double points)
{
  char text[32];
  g_ascii_formatd(text, sizeof text, "%.3f", points * 25.4 / 72);
  g_string_append_printf(out, " %s=\"%smm\"", name, text);
}

RegardCanvas *
regard_canvas_new_svg(double width_pt, double height_pt, const char *title, const char *description)
{
  static const RegardCanvasClass klass = {
      .fill_rect = svg_fill_rect,
      .stroke_rect = svg_stroke_rect,
      .stroke_line = svg_stroke_line,
      .polyline = svg_polyline,
      .curve = svg_curve,
      .fill_polygon = svg_fill_polygon,
      .begin_clip = svg_begin_clip,
      .end_clip = svg_end_clip,
      .hatch = svg_hatch,
      .image = svg_image,
      .text = svg_text,
      .begin_group = svg_begin_group,
      .end_group = svg_end_group,
      .free = svg_free,
  };
  SvgCanvas *self = g_new0(SvgCanvas, 1);
  regard_canvas_init(&self->parent, &klass);
  GString *out = self->out = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                          "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                                          "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
  millimetres(out, "width", width_pt);
  millimetres(out, "height", height_pt);
  char w[32], h[32];
  g_ascii_formatd(w, sizeof w, "%.3f", width_pt);
  g_ascii_formatd(h, sizeof h, "%.3f", height_pt);
  g_autofree char *families = measured_family(&self->parent);
  g_string_append_printf(out, " viewBox=\"0 0 %s %s\" font-family=\"%s\"", w, h, families);
  g_string_append(out, " xml:space=\"preserve\">\n<title>");
  append_escaped(out, title);
  g_string_append(out, "</title>\n<desc>");
  append_escaped(out, description);
  g_string_append(out, "</desc>\n");
  return &self->parent;
}

GBytes *
regard_canvas_svg_finish(RegardCanvas *canvas)
{
  g_string_append(svg(canvas)->out, "</svg>\n");
  GBytes *bytes = g_string_free_to_bytes(svg(canvas)->out);
  svg(canvas)->out = NULL;
  return bytes;
}

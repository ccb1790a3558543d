/* regard-canvas-tikz.c — the canvas that writes a TikZ picture, whose text LaTeX sets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The picture stands by itself: what it needs beside \usepackage{tikz} is defined in it. Its unit
 * is the point of 1/72 inch (bp), and y grows downwards as on every canvas. Places are those of the
 * other backends; letters are the document's, anchored where they must line up.
 *
 * LaTeX has no picture inside a file of its own, so an image of many pixels becomes an inline image
 * of PDF (ISO 32000-1, 8.9.7), which pdfLaTeX, LuaLaTeX and XeLaTeX hand through.
 */
#include "figures/regard-canvas.h"

#include "figures/regard-tex.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

/* An image of more pixels is one, and no longer a rectangle for each; and so are all others once a
 * file has so many rectangles, since LaTeX reads some ten thousand a second. */
#define MOST_PIXELS     2500
#define MOST_RECTANGLES 20000
/* TeX reads an image as one argument, which has to fit in its memory. */
#define MOST_HEX (2 * 1024 * 1024)

typedef struct {
  RegardCanvas parent;
  GString *out;
  gunichar foreign;   /* the first character that pdfLaTeX has no letter for; 0: there is none */
  gsize n_rectangles; /* of images */
  gboolean is_too_large;
} TikzCanvas;

static TikzCanvas *
tikz(RegardCanvas *canvas)
{
  return (TikzCanvas *) canvas;
}

/* ---- Numbers, places and colours ------------------------------------------------------------- */

/* Appends a text in which each # stands for the next number. */
static void
append(GString *out, const char *text, const double *numbers)
{
  for (; *text; text++)
    if (*text == '#')
      regard_tex_append_number(out, *numbers++);
    else
      g_string_append_c(out, *text);
}
#define APPEND(out, text, ...) append(out, text, (const double[]){__VA_ARGS__})

/* The colour that the next command draws in, \rgc. */
static void
set_color(GString *out, guint32 argb)
{
  g_string_append_printf(out, "\\definecolor{rgc}{RGB}{%u,%u,%u}", argb >> 16 & 0xff,
                         argb >> 8 & 0xff, argb & 0xff);
}

/* "\fill[rgc" with what makes it transparent, still open. */
static void
begin_path(GString *out, const char *command, guint32 argb)
{
  set_color(out, argb);
  g_string_append_printf(out, "\\%s[rgc", command);
  if (argb >> 24 != 0xff)
    APPEND(out, ",opacity=#", (argb >> 24) / 255.0);
}

static void
append_rectangle(GString *out, RegardRect r)
{
  APPEND(out, "(#,#) rectangle (#,#)", r.x, r.y, r.x + r.width, r.y + r.height);
}

static void
append_points(GString *out, const RegardPoint *points, guint n)
{
  for (guint i = 0; i < n; i++)
    APPEND(out, i == 0 ? "(#,#)" : "--(#,#)", points[i].x, points[i].y);
}

static void
append_pen(GString *out, const RegardPen *pen)
{
  begin_path(out, "draw", pen->argb);
  APPEND(out, ",line width=#bp,line cap=round,line join=round", pen->width);
  if (pen->dash > 0)
    APPEND(out, ",dash pattern=on #bp off #bp", pen->dash, pen->space);
  g_string_append(out, "] ");
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void
tikz_fill_rect(RegardCanvas *canvas, RegardRect r, double radius, guint32 argb)
{
  GString *out = tikz(canvas)->out;
  begin_path(out, "fill", argb);
  if (radius > 0)
    APPEND(out, ",rounded corners=#bp", MIN(radius, MIN(r.width, r.height) / 2));
  g_string_append(out, "] ");
  append_rectangle(out, r);
  g_string_append(out, ";\n");
}

static void
tikz_stroke_rect(RegardCanvas *canvas, RegardRect r, double line_width, guint32 argb)
{
  GString *out = tikz(canvas)->out;
  begin_path(out, "draw", argb);
  APPEND(out, ",line width=#bp] ", line_width);
  append_rectangle(out, r);
  g_string_append(out, ";\n");
}

static void
tikz_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1,
                 double line_width, guint32 argb)
{
  GString *out = tikz(canvas)->out;
  begin_path(out, "draw", argb);
  APPEND(out, ",line width=#bp] (#,#)--(#,#);\n", line_width, x0, y0, x1, y1);
}

static void
tikz_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen)
{
  GString *out = tikz(canvas)->out;
  append_pen(out, pen);
  append_points(out, points, n);
  /* One point alone is a dot: a line to itself, with round ends. */
  if (n == 1)
    APPEND(out, "--(#,#)", points[0].x, points[0].y);
  g_string_append(out, ";\n");
}

static void
tikz_curve(RegardCanvas *canvas, const RegardPoint p[4], const RegardPen *pen)
{
  GString *out = tikz(canvas)->out;
  append_pen(out, pen);
  APPEND(out, "(#,#) .. controls (#,#) and (#,#) .. (#,#);\n", p[0].x, p[0].y, p[1].x, p[1].y,
         p[2].x, p[2].y, p[3].x, p[3].y);
}

static void
tikz_fill_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb)
{
  GString *out = tikz(canvas)->out;
  begin_path(out, "fill", argb);
  g_string_append(out, "] ");
  append_points(out, points, n);
  g_string_append(out, "--cycle;\n");
}

static void
tikz_begin_clip(RegardCanvas *canvas, RegardRect r)
{
  GString *out = tikz(canvas)->out;
  g_string_append(out, "\\begin{scope}\\clip ");
  append_rectangle(out, r);
  g_string_append(out, ";\n");
}

static void
tikz_end_clip(RegardCanvas *canvas)
{
  g_string_append(tikz(canvas)->out, "\\end{scope}\n");
}

static void
tikz_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing,
           double line_width, guint32 argb)
{
  GString *out = tikz(canvas)->out;
  const double step = spacing * G_SQRT2;
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  g_string_append(out, "\\begin{scope}\\clip");
  for (guint i = 0; i < n; i++) {
    g_string_append_c(out, ' ');
    append_rectangle(out, rects[i]);
    left = MIN(left, rects[i].x);
    top = MIN(top, rects[i].y);
    right = MAX(right, rects[i].x + rects[i].width);
    bottom = MAX(bottom, rects[i].y + rects[i].height);
  }
  g_string_append(out, ";\n");
  begin_path(out, "draw", argb);
  APPEND(out, ",line width=#bp]", line_width);
  /* Lines x + y = c, c a multiple of the step, so that all rectangles share them. */
  for (double c = ceil((left + top) / step) * step; c < right + bottom; c += step)
    APPEND(out, " (#,#)--(#,#)", c - bottom, bottom, c - top, top);
  g_string_append(out, ";\n\\end{scope}\n");
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* A pixel of cairo has its colour multiplied with its alpha; on white paper that is seen as this.
 */
static guint32
pixel_at(cairo_surface_t *surface, int x, int y)
{
  const guint8 *row =
      cairo_image_surface_get_data(surface) + (gsize) y * cairo_image_surface_get_stride(surface);
  guint32 pixel;
  memcpy(&pixel, row + (gsize) x * 4, sizeof pixel);
  return pixel;
}

/* Not multiplied any more. */
static guint32
straight(guint32 pixel)
{
  const guint32 alpha = pixel >> 24;
  guint32 argb = alpha << 24;
  for (int shift = 0; alpha > 0 && shift <= 16; shift += 8)
    argb |= MIN(255, ((pixel >> shift & 0xff) * 255 + alpha / 2) / alpha) << shift;
  return argb;
}

static void
append_pixels(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  const int width = cairo_image_surface_get_width(surface),
            height = cairo_image_surface_get_height(surface);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const RegardRect cell = {r.x + r.width * x / width, r.y + r.height * y / height,
                               r.width / width, r.height / height};
      const guint32 argb = straight(pixel_at(surface, x, y));
      if (argb >> 24)
        tikz_fill_rect(canvas, cell, 0, argb);
    }
}

/* Red, green and blue of each pixel on white, by zlib. Caller unrefs. */
static GBytes *
pack(cairo_surface_t *surface)
{
  const int width = cairo_image_surface_get_width(surface),
            height = cairo_image_surface_get_height(surface);
  g_autoptr(GByteArray) rows = g_byte_array_sized_new((guint) (width * height * 3));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guint32 pixel = pixel_at(surface, x, y), white = 255 - (pixel >> 24);
      const guint8 rgb[] = {(guint8) ((pixel >> 16 & 0xff) + white),
                            (guint8) ((pixel >> 8 & 0xff) + white),
                            (guint8) ((pixel & 0xff) + white)};
      g_byte_array_append(rows, rgb, sizeof rgb);
    }
  uLongf size = compressBound(rows->len);
  guint8 *packed = g_malloc(size);
  const int status = compress2(packed, &size, rows->data, rows->len, 9);
  g_assert(status == Z_OK); /* the room is enough for any bytes */
  return g_bytes_new_take(packed, size);
}

/* In hexadecimal digits, in lines, for which TeX writes blanks, which PDF passes over. */
static void
append_hex(GString *out, GBytes *bytes)
{
  gsize length;
  const guint8 *data = g_bytes_get_data(bytes, &length);
  for (gsize i = 0; i < length; i++)
    g_string_append_printf(out, i % 48 == 47 ? "%02x\n" : "%02x", data[i]);
}

static void
append_inline(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  GString *out = tikz(canvas)->out;
  cairo_surface_t *large = regard_canvas_enlarge(surface, r);
  g_autoptr(GBytes) bytes = pack(large);
  if (2 * g_bytes_get_size(bytes) > MOST_HEX) {
    cairo_surface_destroy(large);
    large = cairo_surface_reference(surface);
    g_bytes_unref(bytes);
    bytes = pack(large);
  }
  tikz(canvas)->is_too_large |= 2 * g_bytes_get_size(bytes) > MOST_HEX;
  APPEND(out, "\\pgftext[left,bottom,at={\\pgfpoint{#bp}{#bp}}]{\\regardpdf{q # 0 0 # 0 0 cm\n",
         r.x, -(r.y + r.height), r.width, r.height);
  g_string_append_printf(out, "BI /W %d /H %d /CS /RGB /BPC 8 /F [/AHx /Fl] ID\n",
                         cairo_image_surface_get_width(large),
                         cairo_image_surface_get_height(large));
  append_hex(out, bytes);
  g_string_append(out, ">\nEI Q}}\n");
  cairo_surface_destroy(large);
}

static void
tikz_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  cairo_surface_flush(surface);
  const gsize pixels = (gsize) cairo_image_surface_get_width(surface) *
                       (gsize) cairo_image_surface_get_height(surface);
  if (pixels > MOST_PIXELS || tikz(canvas)->n_rectangles + pixels > MOST_RECTANGLES) {
    append_inline(canvas, surface, r);
    return;
  }
  tikz(canvas)->n_rectangles += pixels;
  append_pixels(canvas, surface, r);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void
tikz_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
          double size, RegardAnchor anchor, double angle)
{
  static const char *const anchors[] = {"base west", "base", "base east"};
  GString *out = tikz(canvas)->out;
  if (n == 0)
    return;
  g_string_append_printf(out, "\\node[regard,anchor=%s", anchors[anchor]);
  if (angle != 0)
    APPEND(out, ",rotate=#", -angle);
  APPEND(out, "] at (#,#) {\\regardsize{#}{#}", x, baseline, size, size * 1.2);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(out, "{\\color[RGB]{%u,%u,%u}%s", spans[i].argb >> 16 & 0xff,
                           spans[i].argb >> 8 & 0xff, spans[i].argb & 0xff,
                           spans[i].bold ? "\\bfseries " : "");
    regard_tex_append_text(out, spans[i].text, &tikz(canvas)->foreign);
    g_string_append_c(out, '}');
  }
  g_string_append(out, "};\n");
}

static void
tikz_begin_group(RegardCanvas *canvas, const char *name)
{
  g_string_append_printf(tikz(canvas)->out, "%% %s\n", name);
}

static void
tikz_free(RegardCanvas *canvas)
{
  if (tikz(canvas)->out)
    g_string_free(tikz(canvas)->out, TRUE);
  regard_canvas_clear(canvas);
  g_free(canvas);
}

/* ---- The file -------------------------------------------------------------------------------- */

RegardCanvas *
regard_canvas_new_tikz(double width_pt, double height_pt)
{
  static const RegardCanvasClass klass = {
      .fill_rect = tikz_fill_rect,
      .stroke_rect = tikz_stroke_rect,
      .stroke_line = tikz_stroke_line,
      .polyline = tikz_polyline,
      .curve = tikz_curve,
      .fill_polygon = tikz_fill_polygon,
      .begin_clip = tikz_begin_clip,
      .end_clip = tikz_end_clip,
      .hatch = tikz_hatch,
      .image = tikz_image,
      .text = tikz_text,
      .begin_group = tikz_begin_group,
      .free = tikz_free,
  };
  TikzCanvas *self = g_new0(TikzCanvas, 1);
  regard_canvas_init(&self->parent, &klass);
  self->out = g_string_new(NULL);
  APPEND(self->out,
         "\\begin{tikzpicture}[x=1bp,y=-1bp,regard/.style={inner sep=0,outer sep=0}]\n"
         "\\useasboundingbox (0,0) rectangle (#,#);\n",
         width_pt, height_pt);
  return &self->parent;
}

GBytes *
regard_canvas_tikz_finish(RegardCanvas *canvas, const char *title, const char *description)
{
  TikzCanvas *self = tikz(canvas);
  if (self->is_too_large)
    return NULL;
  GString *file = g_string_new(NULL);
  regard_tex_append_head(file, title, description, "tikz", self->foreign);
  g_string_append(
      file, "\\def\\regardpdf#1{\\ifdefined\\pdfliteral\\pdfliteral{#1}\\else\\ifdefined"
            "\\pdfextension\\pdfextension literal{#1}\\else\\special{pdf:literal #1}\\fi\\fi}%\n");
  g_string_append_len(file, self->out->str, (gssize) self->out->len);
  g_string_append(file, "\\end{tikzpicture}%\n\\endgroup\n");
  return g_string_free_to_bytes(file);
}

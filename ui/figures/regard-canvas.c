/* regard-canvas.c — what figures are drawn on: what all canvases share, the one on cairo, and
 * the one that writes SVG.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"

#include "figures/regard-naming.h"
#include "figures/regard-png.h"

#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

/* The family asked of fontconfig; also the last word of the SVG's list. */
#define FAMILY "Sans"

/* Viewers smooth images, whatever they are told, and cells must have edges: vector files get images
 * with so many pixels a cell, unless that is more than so many a point, which nobody sees, or makes
 * the image larger than MAX_SIDE. */
#define PIXELS_PER_CELL  8
#define PIXELS_PER_POINT 8
#define MAX_SIDE         4096

/* What a thread keeps: font maps belong to one, exports run on threads, and loading fonts takes
 * longer than drawing most figures. */
typedef struct {
  PangoFontMap *map;
  GHashTable *widths; /* styled text -> its width at size 1, a double */
} ThreadFonts;

/* Widths kept; a figure of 512 tokens has some 2000 different texts. */
#define MAX_WIDTHS 8192
/* Measured at this size: unhinted, so every other is in proportion. */
#define MEASURE_SIZE 64.0

static void
thread_fonts_free(void *data)
{
  ThreadFonts *fonts = data;
  g_object_unref(fonts->map);
  g_hash_table_unref(fonts->widths);
  g_free(fonts);
}

/* A font map of our own: its resolution must not follow the desktop's. 72 dpi makes Pango's units
 * points. */
static ThreadFonts *
thread_fonts(void)
{
  static GPrivate of_thread = G_PRIVATE_INIT(thread_fonts_free);
  ThreadFonts *fonts = g_private_get(&of_thread);
  if (!fonts) {
    fonts = g_new0(ThreadFonts, 1);
    fonts->map = pango_cairo_font_map_new();
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(fonts->map), 72);
    fonts->widths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_private_set(&of_thread, fonts);
  }
  return fonts;
}

void
regard_canvas_init(RegardCanvas *canvas, const RegardCanvasClass *klass)
{
  canvas->klass = klass;
  canvas->context = pango_font_map_create_context(thread_fonts()->map);

  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(canvas->context, options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(canvas->context, FALSE);
  pango_context_set_base_dir(canvas->context, PANGO_DIRECTION_LTR);
}

void
regard_canvas_clear(RegardCanvas *canvas)
{
  g_clear_object(&canvas->context);
}

typedef struct {
  RegardCanvas parent;
  GArray *spots;
} SpotsCanvas;

static void
keep_spot(RegardCanvas *canvas, const RegardSpot *spot)
{
  g_array_append_vals(((SpotsCanvas *) canvas)->spots, spot, 1);
}

static void
measure_free(RegardCanvas *canvas)
{
  regard_canvas_clear(canvas);
  g_free(canvas);
}

RegardCanvas *
regard_canvas_new_measure(void)
{
  static const RegardCanvasClass klass = {.free = measure_free};
  RegardCanvas *canvas = g_new0(RegardCanvas, 1);
  regard_canvas_init(canvas, &klass);
  return canvas;
}

RegardCanvas *
regard_canvas_new_spots(GArray *spots)
{
  static const RegardCanvasClass klass = {.spot = keep_spot, .free = measure_free};
  SpotsCanvas *canvas = g_new0(SpotsCanvas, 1);
  regard_canvas_init(&canvas->parent, &klass);
  canvas->spots = spots;
  return &canvas->parent;
}

void
regard_canvas_free(RegardCanvas *canvas)
{
  if (canvas)
    canvas->klass->free(canvas);
}

static void
add_attribute(PangoAttrList *list, PangoAttribute *attribute, guint start, guint end)
{
  attribute->start_index = start;
  attribute->end_index = end;
  pango_attr_list_insert(list, attribute);
}

double
regard_canvas_text_size(const RegardCanvas *canvas, double size)
{
  return canvas->family ? MAX(size, REGARD_LEAST_TEXT) : size;
}

/* As it is drawn. Caller frees. */
static char *
dup_drawn(const RegardCanvas *canvas, const char *text)
{
  g_autofree char *plain = canvas->is_plain ? regard_plain_words(text) : NULL;
  return regard_visible(plain ? plain : text);
}

PangoLayout *
regard_canvas_layout(RegardCanvas *canvas, const RegardSpan *spans, guint n, double size)
{
  g_autoptr(GString) text = g_string_new(NULL);
  PangoAttrList *attributes = pango_attr_list_new();
  for (guint i = 0; i < n; i++) {
    g_autofree char *clean = dup_drawn(canvas, spans[i].text);
    guint start = (guint) text->len;
    g_string_append(text, clean);
    guint end = (guint) text->len;
    guint32 c = spans[i].argb;
    add_attribute(attributes,
                  pango_attr_foreground_new((guint16) ((c >> 16 & 0xff) * 257),
                                            (guint16) ((c >> 8 & 0xff) * 257),
                                            (guint16) ((c & 0xff) * 257)),
                  start, end);
    if (c >> 24 != 0xff)
      add_attribute(attributes, pango_attr_foreground_alpha_new((guint16) ((c >> 24) * 257)), start,
                    end);
    if (spans[i].bold)
      add_attribute(attributes, pango_attr_weight_new(PANGO_WEIGHT_BOLD), start, end);
  }

  PangoLayout *layout = pango_layout_new(canvas->context);
  PangoFontDescription *font =
      pango_font_description_from_string(canvas->family ? canvas->family : FAMILY);
  pango_font_description_set_absolute_size(font,
                                           regard_canvas_text_size(canvas, size) * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  /* Lines run left to right; a right-to-left word in one is shaped in its own direction. */
  pango_layout_set_auto_dir(layout, FALSE);
  pango_layout_set_text(layout, text->str, (int) text->len);
  pango_layout_set_attributes(layout, attributes);
  pango_attr_list_unref(attributes);
  return layout;
}

double
regard_canvas_text_width(RegardCanvas *canvas, const RegardSpan *spans, guint n, double size)
{
  GHashTable *widths = thread_fonts()->widths;
  size = regard_canvas_text_size(canvas, size);
  g_autoptr(GString) key = g_string_sized_new(64);
  if (canvas->family)
    g_string_append_printf(key, "%s\x1e", canvas->family);
  if (canvas->is_plain)
    g_string_append_c(key, '\x1d');
  for (guint i = 0; i < n; i++)
    g_string_append_printf(key, "%c%s\x1f", spans[i].bold ? 'b' : 'n', spans[i].text);
  const double *known = g_hash_table_lookup(widths, key->str);
  if (known)
    return *known * size;

  PangoLayout *layout = regard_canvas_layout(canvas, spans, n, MEASURE_SIZE);
  int width;
  pango_layout_get_size(layout, &width, NULL);
  g_object_unref(layout);
  if (g_hash_table_size(widths) >= MAX_WIDTHS)
    g_hash_table_remove_all(widths);
  double unit = (double) width / PANGO_SCALE / MEASURE_SIZE;
  g_hash_table_insert(widths, g_strdup(key->str), g_memdup2(&unit, sizeof unit));
  return unit * size;
}

char *
regard_canvas_ellipsize(RegardCanvas *canvas, const char *text, gboolean bold, double size,
                        double max)
{
  RegardSpan span = {text, 0xff000000, bold};
  if (regard_canvas_text_width(canvas, &span, 1, size) <= max)
    return g_strdup(text);
  g_autofree char *clean = dup_drawn(canvas, text);
  glong low = 0, high = g_utf8_strlen(clean, -1);
  char *best = g_strdup("…");
  while (low + 1 < high) {
    glong middle = (low + high) / 2;
    char *end = g_utf8_offset_to_pointer(clean, middle);
    /* Not between a letter and its accents. */
    while (end > clean &&
           (g_unichar_ismark(g_utf8_get_char(end)) || g_unichar_iszerowidth(g_utf8_get_char(end))))
      end = g_utf8_prev_char(end);
    char *candidate = g_strdup_printf("%.*s…", (int) (end - clean), clean);
    span.text = candidate;
    if (regard_canvas_text_width(canvas, &span, 1, size) <= max) {
      low = middle;
      g_free(best);
      best = candidate;
    } else {
      high = middle;
      g_free(candidate);
    }
  }
  return best;
}

double
regard_canvas_snap(const RegardCanvas *canvas, double v)
{
  return canvas->pixel > 0 ? round(v / canvas->pixel) * canvas->pixel : v;
}

/* In high contrast: 4.5 : 1 is asked for, and more is had, since text stands on tinted grounds,
 * too, and lines on cards that are lighter than the page. */
#define TEXT_CONTRAST 7.0
#define LINE_CONTRAST 5.0
/* What is thinner, in pixels of the screen, is blended with what is beside it, and fainter than its
 * colour. */
#define LEAST_LINE 1.25

/* Black and white are what reads best on the colour of a cell, and the colour of the ground stands
 * on a plate. How strong a line is that is seen through says a number. */
static guint32
tell(const RegardCanvas *canvas, guint32 argb, double contrast)
{
  if (!canvas->ground || argb == canvas->ground || argb == 0xff000000 || argb == 0xffffffff ||
      argb >> 24 != 0xff)
    return argb;
  return regard_color_told_from(argb, canvas->ground, contrast);
}

static RegardPen
tell_pen(const RegardCanvas *canvas, RegardPen pen)
{
  if (canvas->ground && pen.argb >> 24 == 0xff)
    pen.width = MAX(pen.width, LEAST_LINE);
  pen.argb = tell(canvas, pen.argb, LINE_CONTRAST);
  return pen;
}

gboolean
regard_canvas_shows(const RegardCanvas *canvas, double top, double bottom)
{
  const RegardRect *visible = &canvas->visible;
  return visible->height <= 0 || (bottom >= visible->y && top <= visible->y + visible->height);
}

void
regard_canvas_spot(RegardCanvas *canvas, RegardRect rect, int part, int row, int col)
{
  const RegardSpot spot = {rect, part, row, col};
  if (canvas->klass->spot)
    canvas->klass->spot(canvas, &spot);
}

void
regard_canvas_fill_rect(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb)
{
  if (canvas->klass->fill_rect && rect.width > 0 && rect.height > 0 && argb >> 24 &&
      regard_canvas_shows(canvas, rect.y, rect.y + rect.height))
    canvas->klass->fill_rect(canvas, rect, radius, argb);
}

void
regard_canvas_stroke_rect(RegardCanvas *canvas, RegardRect rect, double line_width, guint32 argb)
{
  const RegardPen pen = tell_pen(canvas, (RegardPen){.width = line_width, .argb = argb});
  if (canvas->klass->stroke_rect && regard_canvas_shows(canvas, rect.y, rect.y + rect.height))
    canvas->klass->stroke_rect(canvas, rect, pen.width, pen.argb);
}

void
regard_canvas_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1,
                          double line_width, guint32 argb)
{
  const RegardPen pen = tell_pen(canvas, (RegardPen){.width = line_width, .argb = argb});
  if (canvas->klass->stroke_line && regard_canvas_shows(canvas, MIN(y0, y1), MAX(y0, y1)))
    canvas->klass->stroke_line(canvas, x0, y0, x1, y1, pen.width, pen.argb);
}

void
regard_canvas_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n,
                       const RegardPen *pen)
{
  const RegardPen told = tell_pen(canvas, *pen);
  if (canvas->klass->polyline && n > 0)
    canvas->klass->polyline(canvas, points, n, &told);
}

void
regard_canvas_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen)
{
  const RegardPen told = tell_pen(canvas, *pen);
  if (canvas->klass->curve && pen->argb >> 24)
    canvas->klass->curve(canvas, points, &told);
}

void
regard_canvas_fill_polygon(RegardCanvas *canvas, const RegardPoint *points, guint n, guint32 argb)
{
  if (canvas->klass->fill_polygon && n > 2)
    canvas->klass->fill_polygon(canvas, points, n, argb);
}

void
regard_canvas_begin_clip(RegardCanvas *canvas, RegardRect rect)
{
  if (canvas->klass->begin_clip)
    canvas->klass->begin_clip(canvas, rect);
}

void
regard_canvas_end_clip(RegardCanvas *canvas)
{
  if (canvas->klass->end_clip)
    canvas->klass->end_clip(canvas);
}

void
regard_canvas_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing,
                    double line_width, guint32 argb)
{
  if (canvas->klass->hatch && n > 0)
    canvas->klass->hatch(canvas, rects, n, spacing, line_width, tell(canvas, argb, LINE_CONTRAST));
}

void
regard_canvas_append_number(GString *out, double value, int decimals)
{
  char format[8], text[64];
  g_snprintf(format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd(text, sizeof text, format, value);
  char *end = text + strlen(text);
  while (end[-1] == '0')
    *--end = '\0';
  if (end[-1] == '.')
    *--end = '\0';
  g_string_append(out, strcmp(text, "-0") == 0 ? "0" : text);
}

cairo_surface_t *
regard_canvas_enlarge(cairo_surface_t *surface, RegardRect rect)
{
  const int width = cairo_image_surface_get_width(surface);
  const int height = cairo_image_surface_get_height(surface);
  const double wanted = PIXELS_PER_POINT * MAX(rect.width / width, rect.height / height);
  const int seen = (int) ceil(MIN(wanted - 0.01, PIXELS_PER_CELL));
  const int factor = CLAMP(MIN(seen, MAX_SIDE / MAX(width, height)), 1, PIXELS_PER_CELL);
  if (factor == 1)
    return cairo_surface_reference(surface);
  cairo_surface_t *large =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width * factor, height * factor);
  cairo_t *cr = cairo_create(large);
  cairo_scale(cr, factor, factor);
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_paint(cr);
  cairo_destroy(cr);
  return large;
}

void
regard_canvas_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect rect)
{
  if (canvas->klass->image && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS &&
      cairo_image_surface_get_width(surface) > 0 && cairo_image_surface_get_height(surface) > 0 &&
      regard_canvas_shows(canvas, rect.y, rect.y + rect.height))
    canvas->klass->image(canvas, surface, rect);
}

void
regard_canvas_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans,
                   guint n, double size, RegardAnchor anchor, double angle)
{
  if (!canvas->klass->text ||
      (angle == 0 && !regard_canvas_shows(canvas, baseline - 2 * size, baseline + size)))
    return;
  g_autofree RegardSpan *told = canvas->ground ? g_memdup2(spans, n * sizeof *spans) : NULL;
  for (guint i = 0; told && i < n; i++)
    told[i].argb = tell(canvas, spans[i].argb, TEXT_CONTRAST);
  canvas->klass->text(canvas, x, baseline, told ? told : spans, n, size, anchor, angle);
}

void
regard_canvas_begin_group(RegardCanvas *canvas, const char *name)
{
  if (canvas->klass->begin_group)
    canvas->klass->begin_group(canvas, name);
}

void
regard_canvas_end_group(RegardCanvas *canvas)
{
  if (canvas->klass->end_group)
    canvas->klass->end_group(canvas);
}

/* ---- Figures on cairo: PNG, PDF, the screen --------------------------------------------- */

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

/* ---- Figures as SVG 1.1 with real <text> ------------------------------------------------ */

/* Numbers are written with a point whatever the locale, at most 3 decimals (a thousandth of a
 * point). Text is anchored where it must line up, so that another font in the viewer keeps it in
 * place. */

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
  regard_canvas_append_number(out, value, 3);
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

static void
svg_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect r)
{
  GString *out = svg(canvas)->out;
  cairo_surface_t *large = regard_canvas_enlarge(surface, r);
  g_autoptr(GByteArray) png = regard_png_write(large);
  cairo_surface_destroy(large);
  if (png) {
    g_autofree char *base64 = g_base64_encode(png->data, png->len);
    g_string_append(out, "<image");
    rectangle(out, r);
    g_string_append(out, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                         "xlink:href=\"data:image/png;base64,");
    g_string_append(out, base64);
    g_string_append(out, "\"/>\n");
  }
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
    g_autofree char *plain = canvas->is_plain ? regard_plain_words(spans[i].text) : NULL;
    append_escaped(out, plain ? plain : spans[i].text);
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
regard_canvas_new_svg(double width_pt, double height_pt, const char *title, const char *description,
                      const char *language)
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
  g_string_append(out, " xml:space=\"preserve\"");
  if (language)
    g_string_append_printf(out, " xml:lang=\"%s\"", language);
  g_string_append(out, ">\n<title>");
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

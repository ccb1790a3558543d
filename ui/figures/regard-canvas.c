/* regard-canvas.c — what all canvases share: measuring text, snapping, dispatch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "figures/regard-visible.h"
#include <math.h>
#include <pango/pangocairo.h>

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

PangoLayout *
regard_canvas_layout(RegardCanvas *canvas, const RegardSpan *spans, guint n, double size)
{
  g_autoptr(GString) text = g_string_new(NULL);
  PangoAttrList *attributes = pango_attr_list_new();
  for (guint i = 0; i < n; i++) {
    g_autofree char *clean = regard_visible(spans[i].text);
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
  pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
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
  g_autoptr(GString) key = g_string_sized_new(64);
  if (canvas->family)
    g_string_append_printf(key, "%s\x1e", canvas->family);
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
  g_autofree char *clean = regard_visible(text);
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
  if (canvas->klass->stroke_rect && regard_canvas_shows(canvas, rect.y, rect.y + rect.height))
    canvas->klass->stroke_rect(canvas, rect, line_width, argb);
}

void
regard_canvas_stroke_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1,
                          double line_width, guint32 argb)
{
  if (canvas->klass->stroke_line && regard_canvas_shows(canvas, MIN(y0, y1), MAX(y0, y1)))
    canvas->klass->stroke_line(canvas, x0, y0, x1, y1, line_width, argb);
}

void
regard_canvas_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n,
                       const RegardPen *pen)
{
  if (canvas->klass->polyline && n > 0)
    canvas->klass->polyline(canvas, points, n, pen);
}

void
regard_canvas_curve(RegardCanvas *canvas, const RegardPoint points[4], const RegardPen *pen)
{
  if (canvas->klass->curve && pen->argb >> 24)
    canvas->klass->curve(canvas, points, pen);
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
    canvas->klass->hatch(canvas, rects, n, spacing, line_width, argb);
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
  if (canvas->klass->text &&
      (angle != 0 || regard_canvas_shows(canvas, baseline - 2 * size, baseline + size)))
    canvas->klass->text(canvas, x, baseline, spans, n, size, anchor, angle);
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

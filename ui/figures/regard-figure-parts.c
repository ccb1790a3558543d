/* regard-figure-parts.c — what all figures have: colours, title with badges, colour bar, numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-scale-marks.h"
#include <math.h>
#include <string.h>

const RegardPalette *
regard_figure_palette(const RegardFigureStyle *style)
{
  static const RegardPalette light = {
      .background = 0xffffffff,
      .text = 0xff1a1a1a,
      .dim = 0xff767676,
      .frame = 0xff8c8c8c,
      .grid = 0x38808080,
      .masked = 0xffececec,
      .hatch = 0xffc4c4c4,
      .accent = 0xffff7800,
      .halo = 0xb3ffffff,
      .badge_fill = 0xffdce9f9,
      .badge_text = 0xff1b4a84,
      .bar = 0xff9a9a9a,
      .bar_background = 0xfff0f0f0,
  };
  static const RegardPalette dark = {
      .background = 0xff1d1d20,
      .text = 0xfff2f2f2,
      .dim = 0xffa6a6a6,
      .frame = 0xff77777a,
      .grid = 0x38909090,
      .masked = 0xff2e2e32,
      .hatch = 0xff4c4c52,
      .accent = 0xffff9e40,
      .halo = 0xb3000000,
      .badge_fill = 0xff25405f,
      .badge_text = 0xffcfe3ff,
      .bar = 0xff8a8a90,
      .bar_background = 0xff2e2e32,
  };
  return style->dark ? &dark : &light;
}

gboolean
regard_figure_draws(RegardCanvas *canvas)
{
  return canvas->klass->fill_rect != NULL;
}

void
regard_figure_text(RegardCanvas *canvas, double x, double baseline, const char *text, guint32 argb,
                   gboolean bold, double size, RegardAnchor anchor, double angle)
{
  RegardSpan span = {text, argb, bold};
  regard_canvas_text(canvas, x, baseline, &span, 1, size, anchor, angle);
}

void
regard_figure_text_within(RegardCanvas *canvas, double x, double baseline, double width,
                          const char *text, guint32 argb, gboolean bold, double size,
                          RegardAnchor anchor)
{
  if (!regard_figure_draws(canvas) ||
      !regard_canvas_shows(canvas, baseline - 2 * size, baseline + size))
    return;
  g_autofree char *shown = regard_canvas_ellipsize(canvas, text, bold, size, width);
  regard_figure_text(canvas, x, baseline, shown, argb, bold, size, anchor, 0);
}

const char *
regard_exact_number(char *text, float value)
{
  if (!(value - value == 0)) { /* NaN or infinite */
    *text = '\0';
    return text;
  }
  for (int digits = 6; digits <= 9; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(text, G_ASCII_DTOSTR_BUF_SIZE, format, value);
    if ((float) g_ascii_strtod(text, NULL) == value)
      break;
  }
  return text;
}

char *
regard_exact_copy(double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return isfinite(value) ? g_strdup(regard_exact_number(text, (float) value)) : NULL;
}

const char *
regard_figure_number(char *text, double value, int decimals)
{
  char format[8], number[32];
  if (!isfinite(value)) {
    g_strlcpy(text, isnan(value) ? "–" : value < 0 ? "−∞" : "∞", 32);
    return text;
  }
  g_snprintf(format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd(number, sizeof number, format, fabs(value));
  /* A minus sign is as wide as a plus, and nothing is not negative. */
  const gboolean is_zero = strspn(number, "0.") == strlen(number);
  g_snprintf(text, 32, "%s%s", value < 0 && !is_zero ? "−" : "", number);
  return text;
}

void
regard_figure_strip(RegardCanvas *canvas, RegardRect place, const float *values, guint n,
                    double domain)
{
  const RegardColormap *map = regard_colormap_default_diverging();
  if (!regard_figure_draws(canvas) || !regard_canvas_shows(canvas, place.y, place.y + place.height))
    return;
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int) n, 1);
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
    guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data(image);
    for (guint i = 0; i < n; i++)
      pixels[i] = regard_colormap_lookup(map, 0.5 + values[i] / domain / 2);
    cairo_surface_mark_dirty(image);
    regard_canvas_image(canvas, image, place);
  }
  cairo_surface_destroy(image);
}

static double
text_width(RegardCanvas *canvas, const char *text, double size)
{
  RegardSpan span = {text, 0xff000000, FALSE};
  return regard_canvas_text_width(canvas, &span, 1, size);
}

/* The title; returns where it ends, and in *baseline the line it ends on. */
static double
draw_title(RegardCanvas *canvas, const RegardPalette *palette, double x, double width,
           const char *title, double size, double line, double *baseline)
{
  const char *rest = strstr(title, " · ");
  g_autofree char *head = rest ? g_strndup(title, (gsize) (rest - title)) : g_strdup(title);
  RegardSpan spans[2] = {{head, palette->text, TRUE}, {rest, palette->text, FALSE}};
  guint n = rest ? 2 : 1;
  if (regard_canvas_text_width(canvas, spans, n, size) > width) {
    g_autofree char *shown = regard_canvas_ellipsize(canvas, head, TRUE, size, width);
    RegardSpan alone = {shown, palette->text, TRUE};
    regard_canvas_text(canvas, x, *baseline, &alone, 1, size, REGARD_ANCHOR_START, 0);
    if (!rest)
      return x + regard_canvas_text_width(canvas, &alone, 1, size);
    g_autofree char *below =
        regard_canvas_ellipsize(canvas, rest + strlen(" · "), FALSE, size, width);
    *baseline += line;
    regard_figure_text(canvas, x, *baseline, below, palette->text, FALSE, size, REGARD_ANCHOR_START,
                       0);
    return x + text_width(canvas, below, size);
  }
  regard_canvas_text(canvas, x, *baseline, spans, n, size, REGARD_ANCHOR_START, 0);
  return x + regard_canvas_text_width(canvas, spans, n, size);
}

double
regard_figure_header(RegardCanvas *canvas, const RegardPalette *palette, double x, double y,
                     double width, const char *title, char **badges, double font)
{
  const double size = font * 1.2, line = size * 1.45, badge_size = font * 0.9;
  double baseline = y + size, at = x;
  if (!title && !(badges && *badges))
    return 0;
  regard_canvas_begin_group(canvas, "title");
  if (title)
    at = draw_title(canvas, palette, x, width, title, size, line, &baseline) + font;
  for (char **badge = badges; badge && *badge; badge++) {
    if (title && strstr(title, *badge))
      continue; /* said already: "mean of 8 heads" */
    double padding = badge_size * 0.55, w = text_width(canvas, *badge, badge_size) + 2 * padding;
    if (at + w > x + width && at > x) {
      at = x;
      baseline += line;
    }
    RegardRect pill = {at, baseline - badge_size * 1.05, w, badge_size * 1.45};
    regard_canvas_fill_rect(canvas, pill, pill.height / 2, palette->badge_fill);
    regard_figure_text(canvas, at + w / 2, baseline, *badge, palette->badge_text, FALSE, badge_size,
                       REGARD_ANCHOR_MIDDLE, 0);
    at += w + badge_size * 0.5;
  }
  regard_canvas_end_group(canvas);
  return baseline - y + size * 0.65;
}

guint
regard_figure_nice_step(double minimum, gboolean binary)
{
  static const guint factors[] = {1, 2, 5};
  if (binary) {
    guint step = 1;
    while (step < minimum && step < 1u << 30)
      step *= 2;
    return step;
  }
  for (guint decade = 1; decade < 1000000000; decade *= 10)
    for (guint i = 0; i < G_N_ELEMENTS(factors); i++)
      if (decade * factors[i] >= minimum)
        return decade * factors[i];
  return 1000000000;
}

typedef struct {
  RegardCanvas *canvas;
  double size;
} Writing;

static double
mark_width(gpointer user, const char *text)
{
  const Writing *writing = user;
  return text_width(writing->canvas, text, writing->size);
}

static void
draw_marks(RegardCanvas *canvas, const RegardPalette *palette, RegardScale scale, double lo,
           double hi, RegardRect bar, double size)
{
  Writing writing = {canvas, size};
  RegardScaleMark marks[REGARD_MAX_SCALE_MARKS];
  guint n =
      regard_scale_marks(scale, lo, hi, bar.width, size * 0.4, size, mark_width, &writing, marks);
  for (guint i = 0; i < n; i++) {
    RegardRect tick = {regard_canvas_snap(canvas, bar.x + marks[i].x) - 0.25, bar.y + bar.height,
                       0.5, size * 0.28};
    regard_canvas_fill_rect(canvas, tick, 0, palette->frame);
    regard_figure_text(canvas, bar.x + marks[i].middle, bar.y + bar.height + size * 1.3,
                       marks[i].text, palette->text, FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
  }
}

static void
draw_gradient(RegardCanvas *canvas, const RegardColormap *colormap, RegardRect bar)
{
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 256, 1);
  if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
    guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data(image);
    for (int i = 0; i < 256; i++)
      pixels[i] = regard_colormap_lookup(colormap, i / 255.0);
    cairo_surface_mark_dirty(image);
    regard_canvas_image(canvas, image, bar);
  }
  cairo_surface_destroy(image);
}

double
regard_figure_footer(RegardCanvas *canvas, const RegardPalette *palette,
                     const RegardFigureStyle *style, const RegardMatrix *matrix, double x, double y,
                     double width, const char *model_name, double font)
{
  const double size = font * 0.9;
  g_autofree char *scale =
      g_strdup_printf("%s, %s", matrix->value_name, regard_scale_info(style->scale)->axis);
  double scale_width = text_width(canvas, scale, size);
  double bar_width = CLAMP(width - scale_width - 2 * font, 8 * font, 16 * font);
  bar_width = MIN(bar_width, width - font);
  RegardRect bar = {x, y, bar_width, font * 0.9};
  regard_canvas_begin_group(canvas, "colour-bar");
  draw_gradient(canvas, style->colormap, bar);
  regard_canvas_stroke_rect(canvas, bar, 0.4, palette->frame);
  draw_marks(canvas, palette, style->scale, matrix->lo, matrix->hi, bar, size);

  /* Beside the bar if there is room, else under its numbers; the model name likewise. */
  double bottom = bar.y + bar.height + size * 1.6, line_end = x + bar_width;
  double baseline = bar.y + bar.height - font * 0.12;
  if (bar_width + font + scale_width <= width) {
    regard_figure_text(canvas, x + bar_width + font, baseline, scale, palette->text, FALSE, size,
                       REGARD_ANCHOR_START, 0);
    line_end = x + bar_width + font + scale_width;
  } else {
    g_autofree char *shown = regard_canvas_ellipsize(canvas, scale, FALSE, size, width);
    regard_figure_text(canvas, x, bottom + size, shown, palette->text, FALSE, size,
                       REGARD_ANCHOR_START, 0);
    baseline = bottom + size;
    line_end = x + MIN(scale_width, width);
    bottom += size * 1.4;
  }
  if (model_name && *model_name && regard_figure_has(style, REGARD_PART_MODEL)) {
    g_autofree char *shown = regard_canvas_ellipsize(canvas, model_name, FALSE, size, width);
    double w = text_width(canvas, shown, size);
    if (line_end + font + w > x + width) {
      bottom += size * 0.3;
      baseline = bottom + size;
      bottom += size * 1.4;
    }
    regard_figure_text(canvas, x + width, baseline, shown, palette->dim, FALSE, size,
                       REGARD_ANCHOR_END, 0);
  }
  regard_canvas_end_group(canvas);
  return bottom - y;
}

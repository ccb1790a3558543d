/* regard-figure.c — the base of all figures, and the parts that they are put together from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-raster.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* ---- Colours, title with badges, colour bar, numbers ------------------------------------------
 */

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
  if (!isfinite(value))
    return NULL;
  if ((double) (float) value == value)
    return g_strdup(regard_exact_number(text, (float) value));
  for (int digits = 15; digits <= 17; digits++) {
    char format[8];
    g_snprintf(format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd(text, sizeof text, format, value);
    if (g_ascii_strtod(text, NULL) == value)
      break;
  }
  return g_strdup(text);
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
  regard_number_localize(number, sizeof number);
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
  double baseline = y + size;
  if (!title && !(badges && *badges))
    return 0;
  x += canvas->lead;
  width -= canvas->lead;
  canvas->lead = 0;
  double at = x;
  regard_canvas_begin_group(canvas, "title");
  if (title)
    at = draw_title(canvas, palette, x, width, title, size, line, &baseline) + font;
  for (char **badge = badges; badge && *badge; badge++) {
    if (title && strstr(title, *badge))
      continue; /* said already: "mean of 8 heads" */
    const double padding = badge_size * 0.55;
    g_autofree char *shown =
        regard_canvas_ellipsize(canvas, *badge, FALSE, badge_size, MAX(width - 2 * padding, font));
    const double w = text_width(canvas, shown, badge_size) + 2 * padding;
    if (at + w > x + width && at > x) {
      at = x;
      baseline += line;
    }
    RegardRect pill = {at, baseline - badge_size * 1.05, w, badge_size * 1.45};
    regard_canvas_fill_rect(canvas, pill, pill.height / 2, palette->badge_fill);
    regard_figure_text(canvas, at + w / 2, baseline, shown, palette->badge_text, FALSE, badge_size,
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
  if (!regard_figure_has(style, REGARD_PART_BAR))
    return 0;
  g_autofree char *scale =
      /* Translators: what colours show, and how: "weight, linear scale" */
      g_strdup_printf(_("%s, %s"), matrix->value_name, _(regard_scale_info(style->scale)->axis));
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

static void
label_counted(gconstpointer data, guint i, RegardLabel *label)
{
  label->text = g_strdup_printf("%u", i + GPOINTER_TO_UINT(data));
  label->piece = g_strdup(label->text);
  label->first_token = i;
  label->n_tokens = 1;
}

RegardAxis
regard_axis_counted(guint n, guint first, const char *title, const char *noun)
{
  return (RegardAxis){.n = n,
                      .title = title,
                      .noun = noun,
                      .ticks = REGARD_TICKS_DECIMAL,
                      .label = label_counted,
                      .data = GUINT_TO_POINTER(first)};
}

char *
regard_figure_dup_interventions(const mt_interventions *interventions)
{
  return mt_interventions_count(interventions) ? g_strdup(mt_interventions_text(interventions))
                                               : NULL;
}

char *
regard_figure_interventions_badge(const char *format, const char *interventions)
{
  g_autofree char *joined = interventions ? regard_naming_joined(interventions) : NULL;
  return joined ? g_strdup_printf(format, joined) : NULL;
}

double
regard_figure_signed_footer(RegardCanvas *canvas, const RegardPalette *palette,
                            const RegardFigureStyle *style, const RegardMatrix *matrix,
                            double range, double x, double y, double width, double font)
{
  RegardMatrix bar = *matrix;
  bar.lo = (float) -range;
  bar.hi = (float) range;
  bar.diverging = TRUE;
  return regard_figure_footer(canvas, palette, style, &bar, x + 1.5 * font, y, width - 1.5 * font,
                              matrix->model_name, font);
}

double
regard_figure_model(RegardCanvas *canvas, const RegardPalette *palette,
                    const RegardFigureStyle *style, const char *model_name, double x, double y,
                    double gap, double size)
{
  if (!model_name || !*model_name || !regard_figure_has(style, REGARD_PART_MODEL))
    return 0;
  regard_figure_text(canvas, x, y + gap, model_name, palette->dim, FALSE, size, REGARD_ANCHOR_END,
                     0);
  return gap;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

void
regard_label_clear(RegardShownLabel *shown)
{
  g_free(shown->prefix);
  g_free(shown->text);
  g_free(shown->suffix);
}

guint
regard_label_spans(const RegardShownLabel *shown, const RegardPalette *palette, gboolean bold,
                   RegardSpan spans[3])
{
  guint n = 0;
  if (shown->prefix)
    spans[n++] = (RegardSpan){shown->prefix, palette->dim, FALSE};
  spans[n++] = (RegardSpan){shown->text, shown->is_grey ? palette->dim : palette->text, bold};
  if (shown->suffix)
    spans[n++] = (RegardSpan){shown->suffix, palette->dim, FALSE};
  return n;
}

double
regard_label_width(RegardCanvas *canvas, const RegardShownLabel *shown, gboolean bold, double size)
{
  static const RegardPalette no_colours;
  RegardSpan spans[3];
  guint n = regard_label_spans(shown, &no_colours, bold, spans);
  return regard_canvas_text_width(canvas, spans, n, size);
}

RegardShownLabel
regard_label_shorten(RegardCanvas *canvas, const RegardLabel *label, gboolean bold, double size,
                     double max)
{
  RegardShownLabel shown = {g_strdup(label->prefix), g_strdup(label->text), g_strdup(label->suffix),
                            label->is_task};
  if (regard_label_width(canvas, &shown, bold, size) <= max)
    return shown;
  regard_label_clear(&shown);
  shown =
      (RegardShownLabel){NULL, regard_canvas_ellipsize(canvas, label->text, bold, size, max * 0.7),
                         NULL, label->is_task};
  if (!label->prefix && !label->suffix) {
    regard_label_clear(&shown);
    shown.text = regard_canvas_ellipsize(canvas, label->text, bold, size, max);
    return shown;
  }
  /* The other token of the step shortened, its arrow kept; a position number stays whole. */
  double left = max - regard_label_width(canvas, &shown, bold, size);
  if (!label->other) {
    shown.prefix = g_strdup(label->prefix);
    shown.suffix = g_strdup(label->suffix);
    return shown;
  }
  RegardSpan arrow = {" → ", 0xff000000, FALSE};
  left -= regard_canvas_text_width(canvas, &arrow, 1, size);
  g_autofree char *other = regard_canvas_ellipsize(canvas, label->other, FALSE, size, left);
  if (label->prefix)
    shown.prefix = g_strconcat(other, " → ", NULL);
  else
    shown.suffix = g_strconcat(" → ", other, NULL);
  return shown;
}

void
regard_label_fit(const RegardCanvas *canvas, double pitch, double font, RegardTicks ticks,
                 double *size, guint *step)
{
  const double least = regard_canvas_text_size(canvas, font * REGARD_LABEL_LEAST);
  *size = CLAMP(pitch / REGARD_LABEL_LINE, least, MAX(font, least));
  double minimum = *size * REGARD_LABEL_LINE / pitch;
  if (minimum <= 1)
    *step = 1;
  else {
    *size = regard_canvas_text_size(canvas, font * 0.85);
    minimum = *size * REGARD_LABEL_LINE / pitch;
    *step = ticks == REGARD_TICKS_WORDS
                ? (guint) ceil(minimum)
                : regard_figure_nice_step(minimum, ticks == REGARD_TICKS_BINARY);
  }
}

/* ---- Cells ----------------------------------------------------------------------------------- */

#define OVERLAP       0.4 /* points */
#define MIN_GRID_CELL 4.5 /* points: below, lines would be most of what one sees */
#define VECTOR_PIXELS 8.0 /* a point, when pooling for PDF and SVG */

/* Edges of the cells, on device pixels where there are such. */
typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardMatrix *matrix;
  RegardRect plot;
  double *x, *y;   /* [cols + 1], [rows + 1] */
  guint32 *colors; /* [rows][cols]; NULL when drawn as an image */
} Cells;

static double *
edges(RegardCanvas *canvas, double start, double length, guint n)
{
  double *at = g_new(double, (gsize) n + 1);
  for (guint i = 0; i <= n; i++)
    at[i] = regard_canvas_snap(canvas, start + length * i / n);
  return at;
}

static RegardRect
run_rect(const Cells *c, guint row, guint first, guint last)
{
  return (RegardRect){c->x[first], c->y[row], c->x[last + 1] - c->x[first],
                      c->y[row + 1] - c->y[row]};
}

static guint32
color_at(const Cells *c, guint row, guint col)
{
  return c->colors[(gsize) row * c->matrix->cols + col];
}

static void
fill_colors(Cells *c)
{
  const RegardMatrix *m = c->matrix;
  c->colors = g_new(guint32, (gsize) m->rows * m->cols);
  for (guint row = 0; row < m->rows; row++) {
    double max = regard_matrix_row_max(m, row);
    for (guint col = 0; col < m->cols; col++)
      c->colors[(gsize) row * m->cols + col] =
          regard_matrix_is_masked(m, row, col)
              ? c->palette->masked
              : regard_raster_cell_color(m, c->style->colormap, c->style->scale, row, col, max);
  }
}

static guint32
commonest_color(const Cells *c)
{
  g_autoptr(GHashTable) counts = g_hash_table_new(NULL, NULL);
  guint32 best = c->colors[0];
  guint best_count = 0;
  for (gsize i = 0; i < (gsize) c->matrix->rows * c->matrix->cols; i++) {
    gpointer key = GUINT_TO_POINTER(c->colors[i]);
    guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1;
    g_hash_table_insert(counts, key, GUINT_TO_POINTER(count));
    if (count > best_count) {
      best_count = count;
      best = c->colors[i];
    }
  }
  return best;
}

/* A run of cells of which only parts have something to lie on what sticks out below. */
static void
draw_overlaps(Cells *c, guint row, guint first, guint last, double overlap, guint32 ground)
{
  for (guint col = first, end; col <= last; col = end + 1) {
    for (end = col; end < last && (color_at(c, row + 1, end + 1) == ground) ==
                                      (color_at(c, row + 1, col) == ground);
         end++)
      ;
    if (color_at(c, row + 1, col) == ground)
      continue;
    /* Whole: two soft edges upon each other would let the ground through. */
    RegardRect r = run_rect(c, row, col, end);
    r.height += overlap;
    regard_canvas_fill_rect(c->canvas, r, 0, color_at(c, row, col));
  }
}

static void
draw_rectangles(Cells *c)
{
  const RegardMatrix *m = c->matrix;
  fill_colors(c);
  guint32 ground = commonest_color(c);
  RegardRect all = {c->x[0], c->y[0], c->x[m->cols] - c->x[0], c->y[m->rows] - c->y[0]};
  regard_canvas_fill_rect(c->canvas, all, 0, ground);

  double overlap_x = MIN(OVERLAP, all.width / m->cols / 4);
  double overlap_y = MIN(OVERLAP, all.height / m->rows / 4);
  if (c->canvas->pixel > 0)
    overlap_x = overlap_y = 0; /* edges lie on pixels */
  for (guint row = 0; row < m->rows; row++)
    for (guint col = 0, last; col < m->cols; col = last + 1) {
      guint32 color = color_at(c, row, col);
      for (last = col; last + 1 < m->cols && color_at(c, row, last + 1) == color; last++)
        ;
      if (color == ground)
        continue;
      RegardRect r = run_rect(c, row, col, last);
      gboolean right = last + 1 < m->cols && color_at(c, row, last + 1) != ground;
      if (right)
        r.width += overlap_x;
      /* Below, and the corner as well, something must come to lie on what sticks out. */
      gboolean covered = row + 1 < m->rows;
      for (guint i = col; i <= (right ? last + 1 : last) && covered; i++)
        covered = color_at(c, row + 1, i) != ground;
      if (covered)
        r.height += overlap_y;
      regard_canvas_fill_rect(c->canvas, r, 0, color);
      if (!covered && overlap_y > 0 && row + 1 < m->rows)
        draw_overlaps(c, row, col, last, overlap_y, ground);
    }
}

static void
draw_image(Cells *c)
{
  double density = c->canvas->pixel > 0 ? 1 / c->canvas->pixel : VECTOR_PIXELS;
  guint width = (guint) MAX(1, c->plot.width * density);
  guint height = (guint) MAX(1, c->plot.height * density);
  cairo_surface_t *image = regard_raster_new_pooled(c->matrix, c->style->colormap, c->style->scale,
                                                    c->palette->masked, width, height);
  RegardRect all = {c->x[0], c->y[0], c->x[c->matrix->cols] - c->x[0],
                    c->y[c->matrix->rows] - c->y[0]};
  regard_canvas_image(c->canvas, image, all);
  cairo_surface_destroy(image);
}

static void
draw_hatch(Cells *c, double font)
{
  const RegardMatrix *m = c->matrix;
  if (mt_attention_mask_is_empty(m->mask))
    return;
  g_autoptr(GArray) rects = g_array_new(FALSE, FALSE, sizeof(RegardRect));
  for (guint row = 0; row < m->rows; row++)
    for (guint col = 0, last; col < m->cols; col = last + 1) {
      gboolean masked = regard_matrix_is_masked(m, row, col);
      for (last = col; last + 1 < m->cols && regard_matrix_is_masked(m, row, last + 1) == masked;
           last++)
        ;
      if (masked) {
        RegardRect r = run_rect(c, row, col, last);
        g_array_append_val(rects, r);
      }
    }
  regard_canvas_hatch(c->canvas, (const RegardRect *) (void *) rects->data, rects->len, font * 0.42,
                      0.4, c->palette->hatch);
}

static void
draw_grid(Cells *c)
{
  RegardCanvas *canvas = c->canvas;
  const double w = canvas->pixel > 0 ? MAX(canvas->pixel, regard_canvas_snap(canvas, 0.35)) : 0.35;
  for (guint i = 1; i < c->matrix->cols; i++)
    regard_canvas_fill_rect(canvas,
                            (RegardRect){c->x[i] - (canvas->pixel > 0 ? 0 : w / 2), c->plot.y, w,
                                         c->plot.height},
                            0, c->palette->grid);
  for (guint i = 1; i < c->matrix->rows; i++)
    regard_canvas_fill_rect(canvas,
                            (RegardRect){c->plot.x, c->y[i] - (canvas->pixel > 0 ? 0 : w / 2),
                                         c->plot.width, w},
                            0, c->palette->grid);
}

static double
range_of(const RegardMatrix *m)
{
  return MAX(fabs((double) m->lo), fabs((double) m->hi));
}

/* Font of the values: all or none, in one size: a value too wide for its cell would hide its
 * neighbour. 0: none. */
static double
value_size(RegardCanvas *canvas, const RegardMatrix *m, RegardRect plot, double font)
{
  const double cell_width = plot.width / m->cols, cell_height = plot.height / m->rows;
  RegardSpan widest = {range_of(m) >= 20 ? "−888"
                       : m->diverging    ? "−.88"
                                         : ".88",
                       0xff000000, FALSE};
  double size = MIN(font * 0.85, cell_height / 1.5);
  size = MIN(size, cell_width * 0.86 / regard_canvas_text_width(canvas, &widest, 1, 1000) * 1000);
  return size < font * 0.66 ? 0 : size;
}

gboolean
regard_figure_cells_fit_numbers(RegardCanvas *canvas, const RegardMatrix *m, RegardRect plot,
                                double font)
{
  return m->rows > 0 && m->cols > 0 && value_size(canvas, m, plot, font) > 0;
}

static void
draw_values(Cells *c, double font)
{
  const RegardMatrix *m = c->matrix;
  const double range = range_of(m), size = value_size(c->canvas, m, c->plot, font);
  if (size == 0)
    return;
  for (guint row = 0; row < m->rows; row++)
    for (guint col = 0; col < m->cols; col++) {
      char text[16];
      if (regard_matrix_is_masked(m, row, col))
        continue;
      regard_cell_text(text, regard_matrix_get(m, row, col), range);
      if (!*text)
        continue;
      guint32 ink = regard_color_wants_black_text(color_at(c, row, col)) ? 0xff000000 : 0xffffffff;
      regard_figure_text(c->canvas, (c->x[col] + c->x[col + 1]) / 2,
                         (c->y[row] + c->y[row + 1]) / 2 + size * 0.36, text, ink, FALSE, size,
                         REGARD_ANCHOR_MIDDLE, 0);
    }
}

static void
outline(Cells *c, RegardRect r, double width)
{
  regard_canvas_stroke_rect(c->canvas, r, width * 2, c->palette->halo);
  regard_canvas_stroke_rect(c->canvas, r, width, c->palette->accent);
}

static void
draw_pins(Cells *c)
{
  const RegardMatrix *m = c->matrix;
  int row = c->style->pinned_row, col = c->style->pinned_col;
  gboolean has_row = row >= 0 && row < (int) m->rows, has_col = col >= 0 && col < (int) m->cols;
  if (has_row)
    outline(c, run_rect(c, (guint) row, 0, m->cols - 1), 0.5);
  if (has_col)
    outline(c, (RegardRect){c->x[col], c->y[0], c->x[col + 1] - c->x[col], c->y[m->rows] - c->y[0]},
            0.5);
  if (has_row && has_col)
    outline(c, run_rect(c, (guint) row, (guint) col, (guint) col), 1.2);
}

void
regard_figure_cells(RegardCanvas *canvas, const RegardPalette *palette,
                    const RegardFigureStyle *style, const RegardMatrix *matrix, RegardRect plot,
                    const RegardCellOptions *options)
{
  if (!regard_figure_draws(canvas) || matrix->rows == 0 || matrix->cols == 0)
    return;
  Cells c = {canvas, palette, style, matrix, plot, NULL, NULL, NULL};
  c.x = edges(canvas, plot.x, plot.width, matrix->cols);
  c.y = edges(canvas, plot.y, plot.height, matrix->rows);
  c.plot = (RegardRect){c.x[0], c.y[0], c.x[matrix->cols] - c.x[0], c.y[matrix->rows] - c.y[0]};

  regard_canvas_begin_group(canvas, "cells");
  if (!options->image && (gsize) matrix->rows * matrix->cols <= REGARD_FIGURE_MAX_RECTANGLES)
    draw_rectangles(&c);
  else
    draw_image(&c);
  draw_hatch(&c, options->font);
  if (options->grid && MIN(plot.width / matrix->cols, plot.height / matrix->rows) >= MIN_GRID_CELL)
    draw_grid(&c);
  regard_canvas_end_group(canvas);

  if (options->values && c.colors) {
    regard_canvas_begin_group(canvas, "values");
    draw_values(&c, options->font);
    regard_canvas_end_group(canvas);
  }
  regard_canvas_stroke_rect(canvas, c.plot, 0.5, palette->frame);
  draw_pins(&c);
  g_free(c.x);
  g_free(c.y);
  g_free(c.colors);
}

void
regard_figure_cell(RegardCanvas *canvas, const RegardFigureStyle *style, RegardRect box,
                   double radius, double place, const char *number, double baseline, double size,
                   double least)
{
  const guint32 colour = regard_colormap_lookup(style->colormap, place);
  regard_canvas_fill_rect(canvas, box, radius, colour);
  if (regard_figure_has(style, REGARD_PART_NUMBERS) && box.width > least)
    regard_figure_text_within(canvas, box.x + box.width / 2, baseline, box.width, number,
                              regard_color_wants_black_text(colour) ? 0xff000000 : 0xffffffff,
                              FALSE, size, REGARD_ANCHOR_MIDDLE);
}

/* ---- Their life, caption, and dispatch to their class -----------------------------------------
 */

/* A matrix that is the subject itself has its texts already. */
static void
take_language(RegardFigure *figure)
{
  REGARD_IN_LANGUAGE(figure->language);
  if (figure->klass->new_matrix)
    return;
  RegardMatrix *own = (RegardMatrix *) figure->subject;
  figure->subject = regard_matrix_in_language(own);
  regard_matrix_unref(own);
}

RegardFigure *
regard_figure_new(const RegardFigureClass *klass, gpointer subject, gconstpointer options,
                  gboolean is_diverging, const RegardFigureStyle *style)
{
  static const RegardFigureStyle standard = REGARD_FIGURE_STYLE_INIT;
  RegardFigure *figure = g_new0(RegardFigure, 1);
  figure->klass = klass;
  figure->subject = subject;
  figure->options = g_memdup2(options, klass->options_size);
  figure->style = style ? *style : standard;
  /* A sequential map would give a signed matrix no visible zero, so it is not used for one. */
  const RegardColormap *map = figure->style.colormap;
  if (!map || (is_diverging && !map->diverging))
    map = is_diverging ? regard_colormap_default_diverging() : regard_colormap_default();
  figure->style.colormap = map;
  figure->stretch = 1;
  figure->language = regard_language_get();
  take_language(figure);
  return figure;
}

RegardFigure *
regard_figure_new_in_language(const RegardFigure *figure, RegardLanguage language)
{
  RegardFigure *other = g_memdup2(figure, sizeof *figure);
  regard_subject_ref((gpointer) other->subject);
  other->options = g_memdup2(figure->options, figure->klass->options_size);
  other->made = NULL;
  other->language = language;
  take_language(other);
  return other;
}

void
regard_figure_free(RegardFigure *figure)
{
  if (!figure)
    return;
  g_clear_pointer(&figure->made, regard_matrix_unref);
  regard_subject_unref((gpointer) figure->subject);
  g_free(figure->options);
  g_free(figure);
}

void
regard_figure_leave_out(RegardFigure *figure, guint parts)
{
  figure->style.left_out |= parts;
}

/* Every way into the class that says something goes by here or by a scope of its own. */
static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  REGARD_IN_LANGUAGE(figure->language);
  const gboolean was_plain = canvas->is_plain;
  canvas->is_plain = figure->style.is_plain;
  const double height = figure->klass->draw(figure, canvas, width_pt, font_pt);
  canvas->is_plain = was_plain;
  return height;
}

/* The height with plots of so many times their own. */
static double
height_at(RegardFigure *figure, double stretch, double width_pt, double font_pt)
{
  figure->stretch = stretch;
  return regard_figure_height(figure, width_pt, font_pt);
}

gboolean
regard_figure_set_height(RegardFigure *figure, double width_pt, double font_pt, double height_pt,
                         double *least)
{
  const double LEAST = 0.02, ENOUGH = 0.05 /* pt */;
  const double before = figure->stretch;
  double lo = LEAST, hi = 1, shortest = height_at(figure, LEAST, width_pt, font_pt);
  if (least)
    *least = shortest;
  gboolean fits = shortest <= height_pt && height_at(figure, 2, width_pt, font_pt) > shortest + 1;
  while (fits && height_at(figure, hi, width_pt, font_pt) < height_pt && hi < 1e4)
    hi *= 2;
  /* Labels thin out and turn as cells shrink, so that height is no straight line. */
  for (int i = 0; fits && i < 60; i++) {
    double middle = (lo + hi) / 2, height = height_at(figure, middle, width_pt, font_pt);
    if (fabs(height - height_pt) < ENOUGH)
      return TRUE;
    *(height < height_pt ? &lo : &hi) = middle;
  }
  figure->stretch = fits ? lo : before;
  return fits;
}

double
regard_figure_height_in(RegardFigure *figure, double width_pt, double font_pt, const char *family)
{
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  canvas->family = family;
  return draw(figure, canvas, width_pt, font_pt);
}

double
regard_figure_least_width(RegardFigure *figure, double font_pt, const char *family)
{
  if (!figure->klass->least_width)
    return 0;
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  canvas->family = family;
  REGARD_IN_LANGUAGE(figure->language);
  return figure->klass->least_width(figure, canvas, font_pt);
}

double
regard_figure_height(RegardFigure *figure, double width_pt, double font_pt)
{
  return regard_figure_height_in(figure, width_pt, font_pt, NULL);
}

void
regard_figure_paint(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  draw(figure, canvas, width_pt, font_pt);
}

/* With the frames, whose part is negative. */
static GArray *
collect_spots(RegardFigure *figure, double width_pt, double font_pt, const char *family)
{
  GArray *spots = g_array_new(FALSE, FALSE, sizeof(RegardSpot));
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_spots(spots);
  canvas->family = family;
  draw(figure, canvas, width_pt, font_pt);
  return spots;
}

GArray *
regard_figure_spots(RegardFigure *figure, double width_pt, double font_pt, const char *family)
{
  GArray *spots = collect_spots(figure, width_pt, font_pt, family);
  guint n = 0;
  for (guint i = 0; i < spots->len; i++)
    if (g_array_index(spots, RegardSpot, i).part >= 0)
      g_array_index(spots, RegardSpot, n++) = g_array_index(spots, RegardSpot, i);
  g_array_set_size(spots, n);
  return spots;
}

gboolean
regard_figure_find_frame(RegardFigure *figure, double width_pt, double font_pt, const char *family,
                         guint frame, RegardRect *rect)
{
  g_autoptr(GArray) spots = collect_spots(figure, width_pt, font_pt, family);
  for (guint i = 0; i < spots->len; i++)
    if (g_array_index(spots, RegardSpot, i).part == -(int) frame) {
      *rect = g_array_index(spots, RegardSpot, i).rect;
      return TRUE;
    }
  return FALSE;
}

char *
regard_figure_describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  REGARD_IN_LANGUAGE(figure->language);
  if (spot->part == REGARD_SPOT_SIGN)
    return g_strdup(_(figure->klass->signs[spot->row]));
  char *said = figure->klass->describe_spot ? figure->klass->describe_spot(figure, spot) : NULL;
  if (said && figure->style.is_plain) {
    g_autofree char *pieces = said;
    said = regard_plain_words(pieces);
  }
  return said;
}

char *
regard_figure_copy_spot(RegardFigure *figure, const RegardSpot *spot)
{
  return figure->klass->copy_spot && spot->part != REGARD_SPOT_SIGN
             ? figure->klass->copy_spot(figure, spot)
             : NULL;
}

void
regard_figure_draw(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  RegardRect page = {0, 0, width_pt, regard_figure_height(figure, width_pt, font_pt)};
  regard_canvas_fill_rect(canvas, page, 0, regard_figure_palette(&figure->style)->background);
  regard_figure_paint(figure, canvas, width_pt, font_pt);
}

guint
regard_figure_n_matrices(RegardFigure *figure)
{
  const RegardFigureClass *klass = figure->klass;
  return klass->n_matrices ? klass->n_matrices(figure) : MAX(klass->n, 1);
}

RegardMatrix *
regard_figure_matrix(RegardFigure *figure, guint i)
{
  g_return_val_if_fail(i < regard_figure_n_matrices(figure), NULL);
  if (!figure->klass->new_matrix)
    return (RegardMatrix *) figure->subject;
  if (!figure->made || figure->made_index != i) {
    RegardMatrix *last = figure->made; /* a head of a grid may be made like the last */
    REGARD_IN_LANGUAGE(figure->language);
    g_autoptr(RegardMatrix) made = figure->klass->new_matrix(figure, i);
    figure->made = regard_matrix_in_language(made);
    figure->made_index = i;
    regard_matrix_unref(last);
  }
  return figure->made;
}

gsize
regard_figure_n_cells(RegardFigure *figure)
{
  if (figure->klass->n_cells)
    return figure->klass->n_cells(figure);
  gsize n = 0;
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++) {
    const RegardMatrix *m = regard_figure_matrix(figure, i);
    n += (gsize) m->rows * m->cols;
  }
  return n;
}

void
regard_figure_group(RegardFigure *figure, guint first, RegardFigureGroup *group)
{
  *group = (RegardFigureGroup){.n = 1, .prefix = ""};
  if (figure->klass->group)
    figure->klass->group(figure, first, group);
}

const mt_capture *
regard_figure_whole_capture(RegardFigure *figure)
{
  return figure->klass->whole_capture ? figure->klass->whole_capture(figure) : NULL;
}

/* What it shows, and of which sentence where it says that. */
static void
append_subject(RegardFigure *figure, GString *text)
{
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  const RegardOriginClass *from = m->origin_class;
  if (figure->klass->append_what)
    figure->klass->append_what(figure, text);
  else
    regard_words_add_title(text, m->title);
  if (from && from->append_subject)
    from->append_subject(m, text);
}

/* All sentences, in the language in force. */
static GString *
make_caption(RegardFigure *figure)
{
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  const RegardOriginClass *from = m->origin_class;
  GString *text = g_string_new(NULL);
  append_subject(figure, text);
  if (!from || !from->append_subject)
    regard_words_add_sentence(text, _("Rows: %s; columns: %s."), m->row_title, m->col_title);
  for (char **badge = m->badges; badge && *badge; badge++)
    regard_words_take_sentence(text, regard_words_as_sentence(*badge));
  if (!figure->klass->has_no_scale)
    regard_words_add_sentence(text, _("Colour scale: %s."),
                              _(regard_scale_info(figure->style.scale)->caption));
  if (from && from->append_origin)
    from->append_origin(m, text);
  else if (m->model_name && *m->model_name)
    regard_words_add_sentence(text, _("Model: %s."), m->model_name);
  regard_words_add_sentence(text, _("Drawn with Regard %s."), MT_VERSION);
  return text;
}

char *
regard_figure_caption(RegardFigure *figure)
{
  REGARD_IN_LANGUAGE(figure->language);
  if (figure->klass->caption)
    return figure->klass->caption(figure);
  g_autoptr(GString) text = make_caption(figure);
  return regard_visible(text->str); /* it quotes sentences, and names of files */
}

char *
regard_figure_subject(RegardFigure *figure)
{
  REGARD_IN_LANGUAGE(figure->language);
  if (figure->klass->caption)
    return figure->klass->caption(figure);
  g_autoptr(GString) text = g_string_new(NULL);
  append_subject(figure, text);
  return regard_visible(text->str);
}

char **
regard_figure_caption_sentences(RegardFigure *figure)
{
  static const char apart[] = {REGARD_WORDS_APART, '\0'};
  REGARD_IN_LANGUAGE(figure->language);
  g_return_val_if_fail(!figure->klass->caption, NULL);
  regard_words_keep_apart(TRUE);
  g_autoptr(GString) text = make_caption(figure);
  regard_words_keep_apart(FALSE);
  char **sentences = g_strsplit(text->str, apart, -1);
  for (char **at = sentences; *at; at++) {
    char *visible = regard_visible(*at);
    g_free(*at);
    *at = visible;
  }
  return sentences;
}

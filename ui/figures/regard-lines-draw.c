/* regard-lines-draw.c — lines and labels on a canvas.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-lines.h"
#include "figures/regard-scale-marks.h"
#include <math.h>
#include <string.h>

/* Opacity of the faintest and the strongest line, and what is left of it if it is dimmed. From so
 * many tokens on faint ones are fainter still: more of them cross in one place. */
#define LEAST_OPACITY 0.10
#define MOST_OPACITY  0.92
#define DIMMED        0.20
#define CROWD         40.0
/* Widths, in font sizes: of a strong line by its opacity, of a dimmed one. */
#define WIDTH       0.09
#define MORE_WIDTH  0.16
#define THIN        0.06
#define WIDTH_SHARE 0.6 /* of the pitch, at most */
/* Of all lines together, on average: −ln(1 − opacity). */
#define MOST_DEPTH 0.8
/* Lines of an image that are drawn one by one, and strokes that it is then made of. */
#define MOST_SINGLE  4000
#define MOST_STROKES 16000
/* Of an image in a vector file, to a point. */
#define PIXELS_PER_POINT 4
#define MOST_PIXELS      4096
/* Lines too faint for an image of 256 levels are still lines in a file. */
#define UNSEEN (0.5 / 255)

/* ---- Colours --------------------------------------------------------------------------------- */

/* Okabe and Ito's colours for all kinds of colour vision, but for black, which is text, and the
 * two that are lost on white or on black. */
static const guint32 on_light[REGARD_MOST_LINES] = {0xff0072b2, 0xffd55e00, 0xff009e73,
                                                    0xffcc79a7, 0xffb07d00, 0xff3a3a3a};
static const guint32 on_dark[REGARD_MOST_LINES] = {0xff56b4e9, 0xffe69f00, 0xff00b88a,
                                                   0xffcc79a7, 0xfff0e442, 0xffe0e0e0};

static double
luminance(guint32 argb)
{
  double sum = 0;
  static const double weights[] = {0.2126, 0.7152, 0.0722};
  for (int i = 0; i < 3; i++) {
    const double c = (argb >> (16 - 8 * i) & 0xff) / 255.0;
    sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

/* As in WCAG 2.2. */
static double
contrast(guint32 a, guint32 b)
{
  const double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

static double
chroma(guint32 argb)
{
  const int r = argb >> 16 & 0xff, g = argb >> 8 & 0xff, b = argb & 0xff;
  return (MAX(MAX(r, g), b) - MIN(MIN(r, g), b)) / 255.0;
}

/* The colour of a stretch of a map that is best seen on a background: colourful, and neither near
 * to it nor as far from it as text. */
static guint32
best_seen(const RegardColormap *map, guint32 background, double from, double to)
{
  guint32 best = regard_colormap_lookup(map, from);
  double best_score = -INFINITY;
  for (int i = 0; i <= 64; i++) {
    const guint32 color = regard_colormap_lookup(map, from + (to - from) * i / 64);
    const double c = contrast(color, background);
    const double score = chroma(color) - fabs(log(c / 6)) * (c < 6 ? 1.5 : 0.5);
    if (score > best_score) {
      best_score = score;
      best = color;
    }
  }
  return best;
}

void
regard_lines_style_init(RegardLinesStyle *style, const RegardFigureStyle *figure,
                        gboolean diverging)
{
  const RegardPalette *palette = regard_figure_palette(figure);
  const RegardColormap *map = figure->colormap;
  if (!map || map->diverging != diverging)
    map = diverging ? regard_colormap_default_diverging() : regard_colormap_default();
  *style = (RegardLinesStyle){
      .scale = figure->scale,
      .colormap = map,
      .text = palette->text,
      .dim = palette->dim,
      .background = palette->background,
      .accent = palette->accent,
      .bar = palette->bar,
      .bar_background = palette->bar_background,
  };
}

guint32
regard_lines_ink(const RegardLines *lines, const RegardLinesStyle *style, guint matrix,
                 gboolean is_negative)
{
  const gboolean is_dark = luminance(style->background) < 0.2;
  if (lines->n > 1)
    return (is_dark ? on_dark : on_light)[matrix % REGARD_MOST_LINES];
  if (!lines->matrices[0]->diverging)
    return best_seen(style->colormap, style->background, 0, 1);
  return is_negative ? best_seen(style->colormap, style->background, 0, 0.4)
                     : best_seen(style->colormap, style->background, 0.6, 1);
}

static double
opacity_at(double place, double crowd, gboolean is_kept)
{
  return is_kept ? LEAST_OPACITY * crowd + (MOST_OPACITY - LEAST_OPACITY * crowd) * place
                 : DIMMED * crowd * sqrt(crowd) * place;
}

double
regard_lines_opacity(const RegardLines *lines, const RegardLinesStyle *style, double value,
                     double row_max, gboolean is_kept)
{
  const RegardMatrix *m = lines->matrices[0];
  double place = regard_scale_apply(style->scale, value, lines->lo, lines->hi, row_max);
  if (m->diverging)
    place = fabs(2 * place - 1);
  return value == 0 || !isfinite(value)
             ? 0
             : opacity_at(CLAMP(place, 0, 1), MIN(1, CROWD / MAX(MAX(m->rows, m->cols), 1)),
                          is_kept);
}

void
regard_lines_colormap_init(RegardLinesColormap *map, const RegardLines *lines,
                           const RegardLinesStyle *style)
{
  const gboolean is_signed = lines->matrices[0]->diverging;
  const guint32 inks[] = {
      lines->n > 1 ? style->text : regard_lines_ink(lines, style, 0, FALSE),
      lines->n > 1 ? style->text : regard_lines_ink(lines, style, 0, TRUE),
  };
  map->map = (RegardColormap){"lines", "Lines", is_signed, (const guint8(*)[3]) map->rgb};
  for (int i = 0; i < 256; i++) {
    const double place = is_signed ? (i - 127.5) / 127.5 : i / 255.0;
    const double opacity = opacity_at(fabs(place), 1, TRUE);
    const guint32 ink = inks[place < 0];
    for (int c = 0; c < 3; c++) {
      const double over = ink >> (16 - 8 * c) & 0xff,
                   under = style->background >> (16 - 8 * c) & 0xff;
      map->rgb[i][c] = (guint8) (over * opacity + under * (1 - opacity) + 0.5);
    }
  }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

typedef struct {
  const RegardLines *lines;
  const RegardLinesLayout *layout;
  const RegardLinesStyle *style;
  const RegardLinesMarks *marks;
  RegardLinesWhich which;
  double opacity;
  GArray *strokes; /* of RegardStroke, in units of the canvas */
  guint32 inks[REGARD_LINES_INKS];
  guint n_inks;
} Drawing;

static double
stroke_width(const RegardLinesLayout *l, double opacity, gboolean is_kept)
{
  const double pitch = MIN(l->list[0].pitch, l->list[1].pitch) / l->n;
  const double width = is_kept ? WIDTH + MORE_WIDTH * opacity : THIN;
  return MIN(width * l->font, MAX(pitch * WIDTH_SHARE, THIN * l->font));
}

static gboolean
is_drawn(const Drawing *d, guint k, guint row, guint col)
{
  const float value = regard_matrix_get(d->lines->matrices[k], row, col);
  return value != 0 && isfinite(value) &&
         (d->which == REGARD_LINES_ALL || regard_lines_touches(d->marks, row, col));
}

/* Where a few tokens of many are isolated, most rows need not be looked at. */
static gboolean
has_lines(const Drawing *d, guint row)
{
  return d->which == REGARD_LINES_ALL || d->marks->cols || (d->marks->rows && d->marks->rows[row]);
}

static gsize
count(const Drawing *d)
{
  gsize n = 0;
  for (guint k = 0; k < d->lines->n; k++)
    for (guint r = 0; r < d->lines->matrices[k]->rows; r++)
      for (guint c = 0; has_lines(d, r) && c < d->lines->matrices[k]->cols; c++)
        n += is_drawn(d, k, r, c);
  return n;
}

/* Signs have a colour each where there is one matrix; else matrices have. */
static guint
ink_of(const Drawing *d, guint k, double value)
{
  return d->n_inks == d->lines->n ? k : value < 0;
}

/* One line as a stroke without its place: depth 0 if it is not drawn. */
static RegardStroke
weigh(const Drawing *d, guint k, guint row, guint col, double row_max)
{
  const RegardMatrix *m = d->lines->matrices[k];
  const double value = regard_matrix_get(m, row, col);
  const gboolean is_kept = d->lines->kept[k][(gsize) row * m->cols + col];
  if (!is_drawn(d, k, row, col))
    return (RegardStroke){0};
  const double strength = regard_lines_opacity(d->lines, d->style, value, row_max, is_kept);
  return (RegardStroke){.width = (float) stroke_width(d->layout, strength, is_kept),
                        .depth = (float) -log1p(-strength * d->opacity),
                        .ink = ink_of(d, k, value)};
}

static double
row_max_of(const Drawing *d, guint k, guint row)
{
  return d->style->scale == REGARD_SCALE_ROW ? regard_matrix_row_max(d->lines->matrices[k], row)
                                             : 1;
}

/* Every line: faint ones first, so that they lie below. */
static void
collect(Drawing *d)
{
  for (int is_kept = 0; is_kept < 2; is_kept++)
    for (guint k = 0; k < d->lines->n; k++) {
      const RegardMatrix *m = d->lines->matrices[k];
      for (guint r = 0; r < m->rows; r++) {
        const double row_max = row_max_of(d, k, r);
        for (guint c = 0; has_lines(d, r) && c < m->cols; c++) {
          if (d->lines->kept[k][(gsize) r * m->cols + c] != is_kept)
            continue;
          RegardStroke stroke = weigh(d, k, r, c, row_max);
          stroke.from = (float) regard_lines_position(d->layout, k, r, c, 0);
          stroke.to = (float) regard_lines_position(d->layout, k, r, c, 1);
          if (stroke.depth > 0)
            g_array_append_val(d->strokes, stroke);
        }
      }
    }
}

/* Very many, as fewer that look the same. */
static void
collect_merged(Drawing *d)
{
  const RegardLinesLayout *l = d->layout;
  const guint rows = d->lines->matrices[0]->rows, cols = d->lines->matrices[0]->cols;
  g_autofree float *depths = g_new(float, (gsize) rows *cols);
  g_autofree float *widths = g_new(float, (gsize) rows *cols);
  g_autofree double *row_at = g_new(double, rows), *col_at = g_new(double, cols);
  for (guint ink = 0; ink < d->n_inks; ink++) {
    const guint k = d->n_inks == d->lines->n ? ink : 0;
    const double offset = (k - (l->n - 1) / 2.0) * l->spread;
    for (guint r = 0; r < rows; r++) {
      const double row_max = row_max_of(d, k, r);
      row_at[r] = l->list[REGARD_LINES_ROWS].at[r] + offset;
      for (guint c = 0; c < cols; c++) {
        const RegardStroke stroke = weigh(d, k, r, c, row_max);
        const gsize i = (gsize) r * cols + c;
        depths[i] = stroke.ink == ink ? stroke.depth : 0;
        widths[i] = stroke.width;
      }
    }
    for (guint c = 0; c < cols; c++)
      col_at[c] = l->list[REGARD_LINES_COLS].at[c] + offset;
    const RegardStrokePlane plane = {
        rows, cols, depths, widths, row_at, col_at, l->orientation == REGARD_LINES_UPRIGHT, ink};
    regard_lines_merge(&plane, MOST_STROKES / d->n_inks, d->strokes);
  }
}

/* Where so many strong lines cross that all of it would be one colour, all are fainter alike. */
static void
expose(Drawing *d)
{
  const RegardRect *p = &d->layout->plot;
  const double length = d->layout->orientation == REGARD_LINES_UPRIGHT ? p->height : p->width;
  double ink = 0;
  for (guint i = 0; i < d->strokes->len; i++) {
    const RegardStroke *s = &g_array_index(d->strokes, RegardStroke, i);
    ink += (double) s->depth * (double) s->width;
  }
  if (ink <= MOST_DEPTH * length)
    return;
  for (guint i = 0; i < d->strokes->len; i++)
    g_array_index(d->strokes, RegardStroke, i).depth *= (float) (MOST_DEPTH * length / ink);
}

static void
draw_strokes(const Drawing *d, RegardCanvas *canvas)
{
  const RegardRect *p = &d->layout->plot;
  const gboolean is_upright = d->layout->orientation == REGARD_LINES_UPRIGHT;
  for (guint i = 0; i < d->strokes->len; i++) {
    const RegardStroke *s = &g_array_index(d->strokes, RegardStroke, i);
    const double opacity = -expm1(-s->depth);
    if (canvas->pixel > 0 && opacity < UNSEEN)
      continue;
    RegardPoint points[4];
    for (int j = 0; j < 4; j++) {
      const double across = j / 3.0, along = j < 2 ? s->from : s->to;
      points[j] = is_upright ? (RegardPoint){p->x + p->width * across, along}
                             : (RegardPoint){along, p->y + p->height * across};
    }
    const guint32 alpha = (guint32) (opacity * 255 + 0.5);
    const RegardPen pen = {.width = s->width,
                           .argb = MAX(alpha, 1) << 24 | (d->inks[s->ink] & 0xffffff)};
    regard_canvas_curve(canvas, points, &pen);
  }
}

/* The same as an image, which reaches a little beyond both ends of the lists. */
static void
draw_image(const Drawing *d, RegardCanvas *canvas)
{
  const RegardLinesLayout *l = d->layout;
  const gboolean is_upright = l->orientation == REGARD_LINES_UPRIGHT;
  const double beyond = 0.3 * l->font;
  RegardRect place = l->plot;
  *(is_upright ? &place.y : &place.x) -= beyond;
  *(is_upright ? &place.height : &place.width) += 2 * beyond;
  if (canvas->visible.height > 0) { /* what nobody sees need not be drawn */
    const RegardRect all = place, *seen = &canvas->visible;
    place.x = MAX(place.x, seen->x);
    place.y = MAX(place.y, seen->y);
    place.width = MIN(all.x + all.width, seen->x + seen->width) - place.x;
    place.height = MIN(all.y + all.height, seen->y + seen->height) - place.y;
    *(is_upright ? &place.x : &place.y) = is_upright ? all.x : all.y;
    *(is_upright ? &place.width : &place.height) = is_upright ? all.width : all.height;
    if (place.width <= 0 || place.height <= 0)
      return;
  }
  const double longest = MAX(place.width, place.height);
  const double wanted = canvas->pixel > 0 ? 1 / canvas->pixel : PIXELS_PER_POINT;
  const double scale = MIN(wanted, MOST_PIXELS / longest);
  const guint across = (guint) MAX(1, round((is_upright ? place.width : place.height) * scale));
  const guint along = (guint) MAX(1, round((is_upright ? place.height : place.width) * scale));
  if (scale == wanted && canvas->pixel > 0) /* a pixel is a pixel */
    place =
        (RegardRect){regard_canvas_snap(canvas, place.x), regard_canvas_snap(canvas, place.y),
                     (is_upright ? across : along) / scale, (is_upright ? along : across) / scale};
  const double start = is_upright ? place.y : place.x;
  for (guint i = 0; i < d->strokes->len; i++) {
    RegardStroke *s = &g_array_index(d->strokes, RegardStroke, i);
    s->from = (float) ((s->from - start) * scale);
    s->to = (float) ((s->to - start) * scale);
    s->width = (float) (s->width * scale);
  }
  cairo_surface_t *image =
      regard_lines_raster((const RegardStroke *) (void *) d->strokes->data, d->strokes->len,
                          d->inks, d->n_inks, across, along, !is_upright);
  regard_canvas_image(canvas, image, place);
  cairo_surface_destroy(image);
}

void
regard_lines_draw(const RegardLines *lines, const RegardLinesLayout *layout,
                  const RegardLinesStyle *style, const RegardLinesMarks *marks,
                  RegardLinesWhich which, double opacity, gsize most, RegardCanvas *canvas)
{
  Drawing d = {
      .lines = lines,
      .layout = layout,
      .style = style,
      .marks = marks,
      .which = which,
      .opacity = opacity,
      .strokes = g_array_new(FALSE, FALSE, sizeof(RegardStroke)),
  };
  if (regard_figure_draws(canvas)) {
    const gboolean is_signed = lines->n == 1 && lines->matrices[0]->diverging;
    const gsize n = count(&d);
    const gboolean is_image = n > (most > 0 ? most : REGARD_FIGURE_MAX_RECTANGLES);
    d.n_inks = is_signed ? 2 : lines->n;
    for (guint i = 0; i < d.n_inks; i++)
      d.inks[i] = regard_lines_ink(lines, style, is_signed ? 0 : i, i == 1);
    if (is_image && n > MOST_SINGLE && layout->list[0].is_even && layout->list[1].is_even)
      collect_merged(&d);
    else
      collect(&d);
    expose(&d);
    if (is_image)
      draw_image(&d, canvas);
    else
      draw_strokes(&d, canvas);
  }
  g_array_unref(d.strokes);
}

void
regard_lines_draw_marked(const RegardLines *lines, const RegardLinesLayout *layout,
                         const RegardLinesStyle *style, const RegardLinesMarks *marks,
                         RegardCanvas *canvas)
{
  const RegardMatrix *m = lines->matrices[0];
  const RegardRect *p = &layout->plot;
  const gboolean is_upright = layout->orientation == REGARD_LINES_UPRIGHT;
  if (marks->row < 0 || marks->col < 0 || (guint) marks->row >= m->rows ||
      (guint) marks->col >= m->cols)
    return;
  for (guint k = 0; k < lines->n; k++) {
    if (marks->matrix >= 0 && k != (guint) marks->matrix)
      continue;
    const double from = regard_lines_position(layout, k, (guint) marks->row, (guint) marks->col, 0);
    const double to = regard_lines_position(layout, k, (guint) marks->row, (guint) marks->col, 1);
    RegardPoint points[4];
    for (int j = 0; j < 4; j++)
      points[j] = is_upright ? (RegardPoint){p->x + p->width * j / 3, j < 2 ? from : to}
                             : (RegardPoint){j < 2 ? from : to, p->y + p->height * j / 3};
    const RegardPen halo = {.width = layout->font * 0.4, .argb = style->background};
    const RegardPen pen = {.width = layout->font * 0.22,
                           .argb = lines->n > 1 ? regard_lines_ink(lines, style, k, FALSE)
                                                : style->accent};
    regard_canvas_curve(canvas, points, &halo);
    regard_canvas_curve(canvas, points, &pen);
  }
}

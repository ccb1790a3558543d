/* regard-figure-grid.c — many heads as thumbnails: a layer, a kind, or all three kinds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row of thumbnails is a layer, a column a head; numbers stand outside and count from 1. One
 * colour bar serves them all: the range never changes between heads of one picture.
 */
#include "figures/regard-figure-private.h"

/* Thumbnails of a single layer are wrapped so that each is about this wide, in font sizes. */
#define LAYER_THUMBNAIL 13.0
/* Height by width of thumbnails when three kinds share a page. */
#define ALL_RATIO 0.55

static guint
n_layers(RegardFigure *figure, mt_attention_kind kind)
{
  return (guint) mt_capture_n_layers(figure->capture, kind);
}

static guint
n_heads(RegardFigure *figure, mt_attention_kind kind)
{
  return (guint) mt_capture_n_heads(figure->capture, kind);
}

/* Heads of a kind that the figure shows. */
static guint
n_of_kind(RegardFigure *figure, mt_attention_kind kind)
{
  if (figure->scope != REGARD_SCOPE_ALL && kind != figure->spec.kind)
    return 0;
  guint layers =
      figure->scope == REGARD_SCOPE_LAYER ? MIN(1, n_layers(figure, kind)) : n_layers(figure, kind);
  return layers * n_heads(figure, kind);
}

guint
regard_figure_grid_n(RegardFigure *figure)
{
  guint n = 0;
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    n += n_of_kind(figure, (mt_attention_kind) kind);
  return n;
}

void
regard_figure_grid_place(RegardFigure *figure, guint i, RegardMatrixSpec *spec)
{
  *spec = figure->spec;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    guint n = n_of_kind(figure, (mt_attention_kind) kind);
    if (i >= n) {
      i -= n;
      continue;
    }
    spec->kind = (mt_attention_kind) kind;
    if (figure->scope != REGARD_SCOPE_LAYER)
      spec->layer = i / n_heads(figure, spec->kind);
    spec->head = i % n_heads(figure, spec->kind);
    return;
  }
  g_assert_not_reached();
}

typedef struct {
  RegardFigure *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x0, width; /* inside the margins */
  gboolean images;
} Grid;

static void
draw_thumbnail(const Grid *g, const RegardMatrixSpec *wanted, RegardRect place)
{
  if (!regard_figure_draws(g->canvas))
    return;
  RegardMatrixSpec spec = *wanted;
  RegardMatrix *matrix = regard_matrix_new_attention(g->figure->capture, &spec);
  if (!matrix)
    return;
  /* Pins belong to one matrix of these only, which the caller of a grid does not name. */
  RegardFigureStyle style = g->figure->style;
  style.pinned_row = style.pinned_col = -1;
  RegardCellOptions options = {FALSE, FALSE, g->images, g->font};
  regard_figure_cells(g->canvas, g->palette, &style, matrix, place, &options);
  regard_matrix_unref(matrix);
}

/* Rows per column of a kind's matrices, within limits so that very long sides stay pictures. */
static double
aspect(RegardFigure *figure, mt_attention_kind kind, double low, double high)
{
  mt_matrix w = mt_capture_weights(figure->capture, kind, 0, 0);
  return CLAMP((double) MAX(w.rows, 1) / (double) MAX(w.cols, 1), low, high);
}

/* Layers x heads of one kind with numbers outside; returns the height. */
static double
draw_kind(const Grid *g, mt_attention_kind kind, double y, double ratio)
{
  const double font = g->font, gap = font * 0.45, size = font * 0.9;
  const guint layers = n_layers(g->figure, kind), heads = n_heads(g->figure, kind);
  const double left = font * 3.0, x0 = g->x0 + left;
  const double thumb = MAX((g->width - left - gap * (heads - 1)) / heads, font * 0.5);
  const double height = thumb * ratio;

  regard_canvas_begin_group(g->canvas, "numbers");
  double baseline = y + size;
  regard_figure_text(g->canvas, x0 - gap, baseline, "head", g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_END, 0);
  for (guint h = 0; h < heads; h++) {
    g_autofree char *text = g_strdup_printf("%u", h + 1);
    regard_figure_text(g->canvas, x0 + h * (thumb + gap) + thumb / 2, baseline, text,
                       g->palette->text, FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
  }
  double top = baseline + font * 0.45;
  for (guint layer = 0; layer < layers; layer++) {
    g_autofree char *text = g_strdup_printf("%u", layer + 1);
    regard_figure_text(g->canvas, x0 - gap, top + layer * (height + gap) + height / 2 + size * 0.36,
                       text, g->palette->text, FALSE, size, REGARD_ANCHOR_END, 0);
  }
  regard_figure_text(g->canvas, g->x0 + size, top + (layers * (height + gap) - gap) / 2, "layer",
                     g->palette->dim, FALSE, size, REGARD_ANCHOR_MIDDLE, -90);
  regard_canvas_end_group(g->canvas);

  for (guint layer = 0; layer < layers; layer++)
    for (guint h = 0; h < heads; h++) {
      RegardMatrixSpec spec = g->figure->spec;
      spec.kind = kind;
      spec.layer = layer;
      spec.head = h;
      draw_thumbnail(g, &spec,
                     (RegardRect){x0 + h * (thumb + gap), top + layer * (height + gap), thumb,
                                  height});
    }
  return top + layers * (height + gap) - gap - y;
}

/* The heads of one layer, wrapped into lines, each with its number above. */
static double
draw_layer(const Grid *g, double y)
{
  const double font = g->font, gap = font * 1.0;
  const mt_attention_kind kind = g->figure->spec.kind;
  const guint heads = n_heads(g->figure, kind);
  guint columns = CLAMP((guint) (g->width / (LAYER_THUMBNAIL * font)), 2, MAX(heads, 2));
  /* Lines of equal length: 8 heads at room for 5 are 4 and 4. */
  guint lines = (heads + columns - 1) / columns;
  columns = (heads + lines - 1) / lines;
  const double thumb = (g->width - gap * (columns - 1)) / columns;
  const double height = thumb * aspect(g->figure, kind, 0.35, 1.6);
  const double pitch = height + font * 2.2;
  for (guint h = 0; h < heads; h++) {
    double x = g->x0 + (h % columns) * (thumb + gap), top = y + (h / columns) * pitch;
    g_autofree char *text = g_strdup_printf("head %u", h + 1);
    regard_figure_text(g->canvas, x, top + font, text, g->palette->text, FALSE, font,
                       REGARD_ANCHOR_START, 0);
    RegardMatrixSpec spec = g->figure->spec;
    spec.head = h;
    draw_thumbnail(g, &spec, (RegardRect){x, top + font * 1.45, thumb, height});
  }
  return lines * pitch - font * 0.75;
}

static char *
grid_title(RegardFigure *figure, mt_attention_kind kind)
{
  const char *name = regard_naming_kind(figure->capture, kind);
  if (figure->scope == REGARD_SCOPE_LAYER)
    return g_strdup_printf("%s · layer %u · heads 1–%u", name, figure->spec.layer + 1,
                           n_heads(figure, kind));
  return g_strdup_printf("%s · layers 1–%u × heads 1–%u", name, n_layers(figure, kind),
                         n_heads(figure, kind));
}

/* Which axis is which, on one line or two; for all kinds only what holds for all. */
static double
draw_axes(const Grid *g, double y)
{
  mt_attention_kind kind = g->figure->spec.kind;
  const gboolean all = g->figure->scope == REGARD_SCOPE_ALL;
  const mt_capture *capture = g->figure->capture;
  const char *row_text = regard_naming_stack(capture, regard_naming_rows(kind));
  const char *col_text = regard_naming_stack(capture, regard_naming_columns(kind));
  g_autofree char *rows =
      all ? g_strdup("rows: queries") : g_strdup_printf("rows: queries (%s)", row_text);
  g_autofree char *cols =
      all ? g_strdup("columns: keys") : g_strdup_printf("columns: keys (%s)", col_text);
  g_autofree char *both = g_strdup_printf("%s · %s", rows, cols);
  const double size = g->font * 0.9;
  RegardSpan span = {both, g->palette->dim, FALSE};
  if (regard_canvas_text_width(g->canvas, &span, 1, size) <= g->width) {
    regard_canvas_text(g->canvas, g->x0, y + size, &span, 1, size, REGARD_ANCHOR_START, 0);
    return size * 1.9;
  }
  regard_figure_text(g->canvas, g->x0, y + size, rows, g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_START, 0);
  regard_figure_text(g->canvas, g->x0, y + size * 2.3, cols, g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_START, 0);
  return size * 3.2;
}

gsize
regard_figure_n_cells(RegardFigure *figure)
{
  if (figure->matrix)
    return (gsize) figure->matrix->rows * figure->matrix->cols;
  gsize n = 0;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    guint heads = n_of_kind(figure, (mt_attention_kind) k);
    if (heads == 0)
      continue;
    mt_matrix w = mt_capture_weights(figure->capture, (mt_attention_kind) k, 0, 0);
    n += heads * w.rows * w.cols;
  }
  return n;
}

double
regard_figure_draw_grid(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const double margin = font * REGARD_FIGURE_MARGIN;
  Grid g = {
      .figure = figure,
      .canvas = canvas,
      .palette = regard_figure_palette(&figure->style),
      .font = font,
      .x0 = margin,
      .width = width - 2 * margin,
      .images = regard_figure_n_cells(figure) > REGARD_FIGURE_MAX_RECTANGLES,
  };
  RegardMatrixSpec spec;
  regard_figure_grid_place(figure, 0, &spec);
  /* For its badges and range, which all share. */
  RegardMatrix *sample = regard_matrix_new_attention(figure->capture, &spec);
  char **badges = sample->badges;
  double y = margin;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    mt_attention_kind kind = (mt_attention_kind) k;
    if (n_of_kind(figure, kind) == 0)
      continue;
    g_autofree char *title = grid_title(figure, kind);
    y += regard_figure_header(canvas, g.palette, g.x0, y, g.width, title, badges, font);
    badges = NULL; /* said once */
    if (figure->scope == REGARD_SCOPE_LAYER)
      y += draw_layer(&g, y);
    else if (figure->scope == REGARD_SCOPE_ALL)
      y += draw_kind(&g, kind, y, ALL_RATIO);
    else
      y += draw_kind(&g, kind, y, aspect(figure, kind, 0.4, 1.25));
    y += font * 1.3;
  }
  regard_canvas_begin_group(canvas, "axis-titles");
  y += draw_axes(&g, y - font * 0.9);
  regard_canvas_end_group(canvas);
  /* The first number of the bar is centred under its end. */
  double bar_x = g.x0 + font;
  y += regard_figure_footer(canvas, g.palette, &figure->style, sample, bar_x, y,
                            g.x0 + g.width - bar_x, sample->model_name, font);
  regard_matrix_unref(sample);
  return y + margin;
}

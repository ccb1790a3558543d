/* regard-figure-matrix.c — pictures of one matrix: large, with everything that explains it; its
 * numbers as a table; its columns as curves over its rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of the large one, top to bottom: title and badges; column title; column labels; cells with row
 * labels at their left and, where special tokens are hidden, the mass they took at their right;
 * colour bar. Cells are square for self-attention; otherwise rows may be lower or higher than
 * columns are wide.
 *
 * The table is for columns that do not share a scale: entropies beside shares. Each number stands
 * on a bar, as long as its share of the largest of its column, so that a column can be read at a
 * glance. Curves are for a pair of dimensions of a position table (the paper, section 3.5), told
 * apart by dashes as well as by colour, for print in grey.
 */
#include "figures/regard-figure-matrix.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-raster.h"
#include "figures/regard-scale.h"
#include "figures/regard-words.h"

#include <math.h>

#define MAX_CELL        5.2  /* cell side in font sizes: a small matrix does not fill a page */
#define MAX_ROW_LABEL   0.32 /* of the width */
#define MAX_COL_LABEL   9.5  /* font sizes */
#define LEAST_ROW_TITLE 0.65 /* of its font, where a sheet has little room */
#define LINE            REGARD_LABEL_LINE
#define MASS_WIDTH      3.0 /* column of hidden mass, font sizes */
#define SIN_45          0.70710678

static gboolean
is_pinned(const RegardPlot *l, gboolean row, guint i)
{
  int pinned = row ? l->style->pinned_row : l->style->pinned_col;
  return pinned >= 0 && (guint) pinned == i;
}

static double
widest_label(const RegardPlot *l, gboolean row, guint step, double size, double max)
{
  double widest = 0;
  guint n = row ? l->m->rows : l->m->cols;
  for (guint i = 0; i < n; i++) {
    if (i % step != 0 && !is_pinned(l, row, i))
      continue;
    RegardShownLabel shown =
        regard_label_shorten(l->canvas, row ? &l->m->row_labels[i] : &l->m->col_labels[i],
                             is_pinned(l, row, i), size, max);
    widest = MAX(widest, regard_label_width(l->canvas, &shown, is_pinned(l, row, i), size));
    regard_label_clear(&shown);
  }
  return widest;
}

/* Column labels for a cell width: level numbers, 45 degrees, or upright when there is no room. */
static void
lay_out_columns(RegardPlot *l, double cell)
{
  const RegardMatrix *m = l->m;
  l->overhang = 0;
  if (l->hides_cols) {
    l->angle = l->col_height = 0;
    l->col_size = l->font;
    l->col_step = 1;
    return;
  }
  if (m->col_ticks != REGARD_TICKS_WORDS) {
    l->angle = 0;
    l->col_size = l->font * 0.9;
    double widest = widest_label(l, FALSE, MAX(1, m->cols - 1), l->col_size, 1e9);
    l->col_step =
        regard_figure_nice_step((widest + l->col_size) / cell, m->col_ticks == REGARD_TICKS_BINARY);
    l->col_height = l->col_size * LINE + l->font * 0.3;
    return;
  }
  /* Perpendicular distance of neighbours at 45 degrees. */
  l->angle = cell * SIN_45 >= l->font * REGARD_LABEL_LEAST * LINE ? -45 : -90;
  regard_label_fit(l->canvas, l->angle == -45 ? cell * SIN_45 : cell, l->font, m->col_ticks,
                   &l->col_size, &l->col_step);
  double widest = widest_label(l, FALSE, l->col_step, l->col_size, MAX_COL_LABEL * l->font);
  if (l->angle == -45) {
    l->col_height = (widest + l->col_size) * SIN_45 + l->font * 0.2;
    /* How far the slanted labels reach beyond the last column. */
    for (guint i = 0; i < m->cols; i++)
      if (i % l->col_step == 0 || is_pinned(l, FALSE, i)) {
        RegardShownLabel shown =
            regard_label_shorten(l->canvas, &m->col_labels[i], is_pinned(l, FALSE, i), l->col_size,
                                 MAX_COL_LABEL * l->font);
        double reach =
            regard_label_width(l->canvas, &shown, is_pinned(l, FALSE, i), l->col_size) * SIN_45 +
            l->font * 0.5;
        l->overhang = MAX(l->overhang, reach - cell * (m->cols - i - 0.5));
        regard_label_clear(&shown);
      }
  } else
    l->col_height = widest + l->font * 0.35;
}

void
regard_plot_lay_out(RegardPlot *l, double x, double width, double top)
{
  const RegardMatrix *m = l->m;
  const guint rows = MAX(m->rows, 1), cols = MAX(m->cols, 1);
  const double font = l->font, max_row_label = MAX(width, l->label_room) * MAX_ROW_LABEL;
  const double mass = m->removed_mass ? font * (MASS_WIDTH + 0.6) : 0;
  double cell = font, cell_height = font;

  /* Label sizes depend on the cells and the cells on the labels: a few rounds settle it. */
  l->row_size = font;
  l->row_step = 1;
  for (int round = 0; round < 3; round++) {
    l->row_width =
        l->hides_rows ? 0 : widest_label(l, TRUE, l->row_step, l->row_size, max_row_label);
    double left = l->hides_rows ? 0 : font * 1.6 + l->row_width + font * 0.5;
    double available = width - left - MAX(mass, l->overhang);
    cell = l->cell > 0 ? l->cell : CLAMP(available / cols, 0.01, MAX_CELL * font);
    cell_height = cell;
    if (!m->is_square)
      cell_height = CLAMP(width * 1.1 / rows, MIN(cell, 1.3 * font), MAX(cell, 1.3 * font));
    if (!m->is_square && cell_height * rows > width * 1.25)
      cell_height = MAX(width * 1.25 / rows, 0.01);
    cell_height *= l->stretch;
    if (l->cell_height > 0)
      cell_height = l->cell_height;
    regard_label_fit(l->canvas, cell_height, font, m->row_ticks, &l->row_size, &l->row_step);
    lay_out_columns(l, cell);
    if (l->row_step == 1 && l->col_step == 1 && l->angle != 0)
      l->row_size = l->col_size = MIN(l->row_size, l->col_size); /* both axes in one size */
    l->plot = (RegardRect){left, 0, cell * cols, cell_height * rows};
  }
  /* Small matrices stand in the middle of the page. */
  double used = l->plot.x + l->plot.width + MAX(mass, l->overhang);
  l->plot.x += x + MAX(0, (width - used) / 2);
  l->plot.y = top + (l->hides_cols ? 0 : font * 1.6 + l->col_height);
}

double
regard_plot_width_beside(const RegardPlot *l)
{
  const double mass = l->m->removed_mass ? l->font * (MASS_WIDTH + 0.6) : 0;
  return (l->hides_rows ? 0 : l->font * 2.1 + l->row_width) + MAX(mass, l->overhang);
}

static double
column_centre(const RegardPlot *l, guint i)
{
  return l->plot.x + l->plot.width * (i + 0.5) / l->m->cols;
}

static double
row_centre(const RegardPlot *l, guint i)
{
  return l->plot.y + l->plot.height * (i + 0.5) / l->m->rows;
}

/* A pinned label pushes aside the thinned ones that it would touch. */
static gboolean
is_label_shown(const RegardPlot *l, gboolean row, guint i)
{
  guint step = row ? l->row_step : l->col_step;
  int pinned = row ? l->style->pinned_row : l->style->pinned_col;
  if (is_pinned(l, row, i))
    return TRUE;
  if (i % step != 0)
    return FALSE;
  guint n = row ? l->m->rows : l->m->cols;
  return step == 1 || pinned < 0 || (guint) pinned >= n || (guint) ABS(pinned - (int) i) >= step;
}

static void
draw_tick(const RegardPlot *l, double x, double y, double width, double height)
{
  regard_canvas_fill_rect(l->canvas, (RegardRect){x, y, width, height}, 0, l->palette->frame);
}

static void
draw_column_label(const RegardPlot *l, const RegardLabel *label, double x, gboolean bold)
{
  RegardShownLabel shown =
      regard_label_shorten(l->canvas, label, bold, l->col_size, MAX_COL_LABEL * l->font);
  RegardSpan spans[3];
  guint n = regard_label_spans(&shown, l->palette, bold, spans);
  double y = l->plot.y - l->font * 0.3, half = l->col_size * 0.36;
  if (l->angle == 0)
    regard_canvas_text(l->canvas, x, y - l->font * 0.1, spans, n, l->col_size, REGARD_ANCHOR_MIDDLE,
                       0);
  else if (l->angle == -45)
    regard_canvas_text(l->canvas, x + half * 0.5, y, spans, n, l->col_size, REGARD_ANCHOR_START,
                       l->angle);
  else
    regard_canvas_text(l->canvas, x + half, y, spans, n, l->col_size, REGARD_ANCHOR_START,
                       l->angle);
  regard_label_clear(&shown);
}

/* In a sheet it does not reach below its cells, where another panel may stand: it goes up beside
 * the labels of the columns, and is smaller or cut where that is not enough. */
static void
draw_row_title(const RegardPlot *l, double x)
{
  const RegardSpan span = {l->m->row_title, l->palette->dim, FALSE};
  const double width = regard_canvas_text_width(l->canvas, &span, 1, l->font);
  const double room = l->plot.height + l->col_height;
  double middle = l->plot.y + l->plot.height / 2, size = l->font;
  g_autofree char *shown = NULL;
  if (l->label_room > 0 && width > l->plot.height) {
    size *= CLAMP(room / width, LEAST_ROW_TITLE, 1);
    shown = regard_canvas_ellipsize(l->canvas, l->m->row_title, FALSE, size, room);
    middle = l->plot.y + l->plot.height - MIN(width * size / l->font, room) / 2;
  }
  regard_figure_text(l->canvas, x, middle, shown ? shown : l->m->row_title, l->palette->dim, FALSE,
                     size, REGARD_ANCHOR_MIDDLE, -90);
}

/* Two halves of the columns: what they are, and the line between them. */
static void
draw_parts(const RegardPlot *l, double baseline)
{
  const RegardMatrix *m = l->m;
  if (m->col_split == 0 || m->col_split >= m->cols)
    return;
  const double at = l->plot.x + l->plot.width * m->col_split / m->cols;
  const double middles[] = {(l->plot.x + at) / 2, (at + l->plot.x + l->plot.width) / 2};
  for (guint i = 0; i < 2; i++)
    regard_figure_text(l->canvas, middles[i], baseline, m->col_parts[i], l->palette->dim, FALSE,
                       l->font, REGARD_ANCHOR_MIDDLE, 0);
  regard_canvas_stroke_line(l->canvas, at, l->plot.y - l->font * 0.3, at,
                            l->plot.y + l->plot.height, 0.6, l->palette->text);
}

static void
draw_labels(const RegardPlot *l)
{
  const RegardMatrix *m = l->m;
  const double font = l->font;
  regard_canvas_begin_group(l->canvas, "column-labels");
  for (guint i = 0; i < m->cols && !l->hides_cols; i++) {
    if (!is_label_shown(l, FALSE, i))
      continue;
    draw_column_label(l, &m->col_labels[i], column_centre(l, i), is_pinned(l, FALSE, i));
    if (l->col_step > 1)
      draw_tick(l, column_centre(l, i) - 0.2, l->plot.y - font * 0.25, 0.4, font * 0.25);
  }
  regard_canvas_end_group(l->canvas);

  regard_canvas_begin_group(l->canvas, "row-labels");
  for (guint i = 0; i < m->rows && !l->hides_rows; i++) {
    if (!is_label_shown(l, TRUE, i))
      continue;
    gboolean bold = is_pinned(l, TRUE, i);
    RegardShownLabel shown =
        regard_label_shorten(l->canvas, &m->row_labels[i], bold, l->row_size, l->row_width + 0.1);
    RegardSpan spans[3];
    guint n = regard_label_spans(&shown, l->palette, bold, spans);
    regard_canvas_text(l->canvas, l->plot.x - font * 0.5, row_centre(l, i) + l->row_size * 0.35,
                       spans, n, l->row_size, REGARD_ANCHOR_END, 0);
    regard_label_clear(&shown);
    if (l->row_step > 1)
      draw_tick(l, l->plot.x - font * 0.25, row_centre(l, i) - 0.2, font * 0.25, 0.4);
  }
  regard_canvas_end_group(l->canvas);

  regard_canvas_begin_group(l->canvas, "axis-titles");
  if (!l->hides_cols) {
    regard_figure_text(l->canvas, l->plot.x + l->plot.width / 2,
                       l->plot.y - l->col_height - font * 0.55, m->col_title, l->palette->dim,
                       FALSE, font, REGARD_ANCHOR_MIDDLE, 0);
    draw_parts(l, l->plot.y - l->col_height - font * 0.55);
  }
  if (!l->hides_rows)
    draw_row_title(l, l->plot.x - font * 0.5 - l->row_width - font * 0.65);
  regard_canvas_end_group(l->canvas);
}

/* What hidden special tokens took of each row: a bar and a number, beside the cells. */
static void
draw_removed_mass(const RegardPlot *l)
{
  const RegardMatrix *m = l->m;
  if (!m->removed_mass)
    return;
  const double font = l->font, x = l->plot.x + l->plot.width + font * 0.6;
  const double pitch = l->plot.height / MAX(m->rows, 1), size = MIN(font * 0.8, pitch / 1.3);
  regard_canvas_begin_group(l->canvas, "hidden-mass");
  for (guint i = 0; i < m->rows; i++) {
    RegardRect r = {x, row_centre(l, i) - pitch * 0.38, font * MASS_WIDTH, pitch * 0.76};
    regard_canvas_fill_rect(l->canvas, r, 0, l->palette->bar_background);
    r.width *= CLAMP(m->removed_mass[i], 0.0f, 1.0f);
    regard_canvas_fill_rect(l->canvas, r, 0, l->palette->bar);
    char text[16];
    regard_cell_text(text, m->removed_mass[i], 1);
    if (*text && size >= font * 0.6)
      regard_figure_text(l->canvas, x + font * (MASS_WIDTH - 0.2), row_centre(l, i) + size * 0.36,
                         text, l->palette->text, FALSE, size, REGARD_ANCHOR_END, 0);
  }
  /* Slanted labels of the last columns are above: the name goes below. */
  regard_figure_text(l->canvas, x + font * MASS_WIDTH / 2, l->plot.y + l->plot.height + font * 1.1,
                     "hidden", l->palette->dim, FALSE, font * 0.9, REGARD_ANCHOR_MIDDLE, 0);
  regard_canvas_end_group(l->canvas);
}

/* The strip below the cells, in font sizes: its distance, and the height of its cells. */
#define STRIP_GAP  0.6
#define STRIP_CELL 1.4

static double
strip_height(const RegardPlot *l)
{
  return l->m->received ? (STRIP_GAP + STRIP_CELL) * l->font : 0;
}

static double
most_received(const RegardMatrix *m)
{
  double most = 0;
  for (guint c = 0; c < m->cols; c++)
    most = MAX(most, (double) m->received[c]);
  return most;
}

/* What each key receives on average over all heads: a row of cells below the others. */
static void
draw_received(const RegardPlot *l)
{
  const RegardMatrix *m = l->m;
  if (!m->received)
    return;
  const double font = l->font, cell = l->plot.width / MAX(m->cols, 1), most = most_received(m);
  const double y = l->plot.y + l->plot.height + STRIP_GAP * font, height = STRIP_CELL * font;
  const double size = font * 0.85;
  regard_canvas_begin_group(l->canvas, "received");
  for (guint c = 0; c < m->cols; c++) {
    const double left = regard_canvas_snap(l->canvas, l->plot.x + c * cell);
    const double right = regard_canvas_snap(l->canvas, l->plot.x + (c + 1) * cell);
    const guint32 colour = regard_raster_value_color(m, l->style->colormap, l->style->scale,
                                                     (double) m->received[c], most);
    char text[REGARD_CELL_TEXT];
    regard_canvas_fill_rect(l->canvas, (RegardRect){left, y, right - left, height}, 0, colour);
    regard_cell_text(text, m->received[c], 1);
    if (*text && cell > 2 * size && regard_figure_has(l->style, REGARD_PART_NUMBERS))
      regard_figure_text(l->canvas, (left + right) / 2, y + height / 2 + size * 0.36, text,
                         regard_color_wants_black_text(colour) ? 0xff000000 : 0xffffffff, FALSE,
                         size, REGARD_ANCHOR_MIDDLE, 0);
  }
  regard_canvas_stroke_rect(l->canvas, (RegardRect){l->plot.x, y, l->plot.width, height}, 0.6,
                            l->palette->frame);
  regard_figure_text_within(l->canvas, l->plot.x - font * 0.5, y + height / 2 + font * 0.34,
                            l->plot.x - font * 0.5, _("received, mean"), l->palette->dim, FALSE,
                            font * 0.9, REGARD_ANCHOR_END);
  regard_canvas_end_group(l->canvas);
}

void
regard_plot_move(RegardPlot *l, double dx, double dy)
{
  l->plot.x += dx;
  l->plot.y += dy;
}

void
regard_plot_draw(const RegardPlot *l)
{
  const RegardCellOptions options = {regard_figure_has(l->style, REGARD_PART_NUMBERS), TRUE,
                                     l->is_image, l->font};
  regard_figure_cells(l->canvas, l->palette, l->style, l->m, l->plot, &options);
  draw_labels(l);
  draw_removed_mass(l);
  draw_received(l);
}

double
regard_plot_bottom(const RegardPlot *l)
{
  return l->plot.y + l->plot.height + MAX(l->m->removed_mass ? l->font * 0.6 : 0, strip_height(l));
}

/* Whether every label is there, and whether numbers have room in the cells. */
static gboolean
plot_names_all(const RegardPlot *l)
{
  return l->row_step == 1 && l->col_step == 1;
}

static gboolean
plot_fits_numbers(const RegardPlot *l)
{
  return regard_figure_cells_fit_numbers(l->canvas, l->m, l->plot, l->font);
}

/* ---- The matrix ------------------------------------------------------------------------------ */

static double
draw_cells(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  RegardPlot plot = {
      .style = &figure->style,
      .stretch = figure->stretch,
      .canvas = canvas,
      .palette = regard_figure_palette(&figure->style),
      .m = m,
      .font = font,
  };
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  double y = margin;
  y += regard_figure_header(canvas, plot.palette, margin, y, inner,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  regard_plot_lay_out(&plot, margin, inner, y);
  regard_plot_draw(&plot);

  y = regard_plot_bottom(&plot) + font * 1.3;
  double bar_x = MIN(plot.plot.x, width * 0.5), bar_width = margin + inner - bar_x;
  y += regard_figure_footer(canvas, plot.palette, &figure->style, m, bar_x, y, bar_width,
                            m->model_name, font);
  return y + margin;
}

static gboolean
tell_matrix(RegardFigure *figure, RegardAttentionLook *look)
{
  const RegardMatrix *m = figure->subject;
  const RegardAttention *from = regard_matrix_get_attention(m);
  if (!from)
    return FALSE;
  *look = (RegardAttentionLook){.capture = from->capture,
                                .scope = REGARD_SCOPE_HEAD,
                                .lines_share = REGARD_LINES_SHARE,
                                .spec = from->spec,
                                .has_received = m->received != NULL};
  look->spec.chosen = from->spec.combine == REGARD_COMBINE_CHOSEN ? from->chosen : NULL;
  regard_attention_look_own(look);
  return TRUE;
}

RegardFigure *
regard_figure_new_matrix(RegardMatrix *matrix, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.draw = draw_cells, .tell_attention = tell_matrix};
  return regard_figure_new(&klass, regard_matrix_ref(matrix), NULL, matrix->diverging, style);
}

gboolean
regard_figure_is_matrix(const RegardFigure *figure)
{
  return figure->klass->draw == draw_cells;
}

/* ---- The table ------------------------------------------------------------------------------- */

#define PITCH   1.75 /* of the lines, font sizes */
#define BAR     1.35 /* height of a bar */
#define PADDING 0.35
#define GUTTER  0.8 /* between two columns */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardMatrix *m;
  double font, x, y, name_width, column_width;
} Table;

static double
column_x(const Table *t, guint col)
{
  return t->x + t->name_width + t->font * GUTTER + col * (t->column_width + t->font * GUTTER);
}

static double
width_of(const Table *t, const RegardLabel *label)
{
  RegardSpan spans[] = {{label->text, t->palette->text, FALSE},
                        {label->suffix ? label->suffix : "", t->palette->dim, FALSE}};
  return regard_canvas_text_width(t->canvas, spans, 2, t->font);
}

/* The names take what they need, the numbers share the rest. */
static void
lay_out(Table *t, double width)
{
  for (guint r = 0; r < t->m->rows; r++)
    t->name_width = MAX(t->name_width, width_of(t, &t->m->row_labels[r]));
  t->name_width = MIN(t->name_width, width / 2);
  double rest = width - t->name_width - t->m->cols * t->font * GUTTER;
  t->column_width = MAX(rest / MAX(t->m->cols, 1), t->font * 2);
}

/* Titles shrink until the widest fits over its column. */
static void
draw_titles(const Table *t)
{
  double size = t->font * 0.9;
  for (guint c = 0; c < t->m->cols; c++) {
    RegardSpan span = {t->m->col_labels[c].text, t->palette->dim, FALSE};
    double w = regard_canvas_text_width(t->canvas, &span, 1, size);
    if (w > t->column_width + t->font * GUTTER * 0.7)
      size *= (t->column_width + t->font * GUTTER * 0.7) / w;
  }
  for (guint c = 0; c < t->m->cols; c++)
    regard_figure_text(t->canvas, column_x(t, c) + t->column_width, t->y - t->font * 0.5,
                       t->m->col_labels[c].text, t->palette->dim, FALSE, size, REGARD_ANCHOR_END,
                       0);
}

static void
draw_row(const Table *t, guint row, const double *largest)
{
  const RegardLabel *label = &t->m->row_labels[row];
  const double top = t->y + row * PITCH * t->font, baseline = top + t->font * 1.2;
  RegardSpan spans[] = {{label->text, t->palette->text, FALSE},
                        {label->suffix ? label->suffix : "", t->palette->dim, FALSE}};
  regard_canvas_text(t->canvas, t->x, baseline, spans, 2, t->font, REGARD_ANCHOR_START, 0);
  for (guint c = 0; c < t->m->cols; c++) {
    const double value = regard_matrix_get(t->m, row, c), x = column_x(t, c);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (isnan(value))
      continue;
    RegardRect bar = {x, top + t->font * (PITCH - BAR) / 2, t->column_width, t->font * BAR};
    regard_canvas_fill_rect(t->canvas, bar, 0, t->palette->bar_background);
    bar.width *= largest[c] > 0 ? CLAMP(fabs(value) / largest[c], 0, 1) : 0;
    regard_canvas_fill_rect(t->canvas, bar, 0, t->palette->badge_fill);
    regard_formatd(number, sizeof number, "%.2f", value);
    regard_figure_text(t->canvas, x + t->column_width - t->font * PADDING, baseline, number,
                       t->palette->text, FALSE, t->font, REGARD_ANCHOR_END, 0);
  }
}

static double
draw_table(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  const double margin = font * REGARD_FIGURE_MARGIN;
  Table t = {.canvas = canvas,
             .palette = regard_figure_palette(&figure->style),
             .m = m,
             .font = font,
             .x = margin};
  double y = margin;
  y += regard_figure_header(canvas, t.palette, margin, y, width - 2 * margin,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  lay_out(&t, width - 2 * margin);
  t.y = y + font * 1.6;
  draw_titles(&t);
  g_autofree double *largest = g_new0(double, MAX(m->cols, 1));
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (!isnan(regard_matrix_get(m, r, c)))
        largest[c] = MAX(largest[c], fabs((double) regard_matrix_get(m, r, c)));
  for (guint r = 0; r < m->rows; r++)
    draw_row(&t, r, largest);
  y = t.y + m->rows * PITCH * font + font * 1.2;
  regard_figure_model(canvas, t.palette, &figure->style, m->model_name, width - margin, y, 0,
                      font * 0.9);
  return y + margin;
}

RegardFigure *
regard_figure_new_table(RegardMatrix *matrix, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.draw = draw_table, .has_no_scale = TRUE};
  return regard_figure_new(&klass, regard_matrix_ref(matrix), NULL, matrix->diverging, style);
}

/* ---- The curves ------------------------------------------------------------------------------ */

#define ASPECT      0.42 /* height of the plot to the figure's width */
#define PAGE_ASPECT 0.22 /* … where the plane is beside it */
#define WORDS       4.0  /* room for the words below the curves, font sizes */
#define DASH        3.5  /* points */
#define SPACE       2.0

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardCurvesOptions *look;
  const RegardMatrix *m;
  RegardRect plot, plane; /* the plane is square */
  double max;             /* the axis reaches from -max to max */
} Plot;

static const guint32 colours[] = {0xff1c71d8, 0xffc64600};

static double
x_of(const Plot *p, double row)
{
  return p->plot.x + (p->m->rows > 1 ? row / (p->m->rows - 1) : 0.5) * p->plot.width;
}

static double
y_of(const Plot *p, double value)
{
  return p->plot.y + p->plot.height / 2 - value / p->max * p->plot.height / 2;
}

static void
draw_axes(const Plot *p, double font)
{
  double size = font * 0.9, levels[] = {p->max, 0, -p->max};
  guint step = regard_figure_nice_step(p->m->rows * size * 3.2 / p->plot.width, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS(levels); i++) {
    g_autofree char *text = g_strdup_printf(levels[i] < 0 ? "−%.2g" : "%.2g", fabs(levels[i]));
    double y = y_of(p, levels[i]);

    regard_canvas_stroke_line(p->canvas, p->plot.x, y, p->plot.x + p->plot.width, y, 0.4,
                              p->palette->frame);
    regard_figure_text(p->canvas, p->plot.x - size * 0.5, y + size * 0.35, text, p->palette->text,
                       FALSE, size, REGARD_ANCHOR_END, 0);
  }
  for (guint r = 0; r < p->m->rows; r += step) {
    g_autofree char *number = g_strdup_printf("%u", r);
    regard_figure_text(p->canvas, x_of(p, r), p->plot.y + p->plot.height + size * 1.3, number,
                       p->palette->text, FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
  }
  if (!p->look->is_page)
    regard_figure_text(p->canvas, p->plot.x + p->plot.width / 2,
                       p->plot.y + p->plot.height + size * 2.8, p->m->row_title, p->palette->text,
                       FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
}

/* Value of a column between the rows too. */
static double
value_at(const Plot *p, guint col, guint step, guint parts)
{
  double angle = p->look->omega * step / parts;

  if (step % parts == 0)
    return regard_matrix_get(p->m, step / parts, col);
  return col == 0 ? sin(angle) : cos(angle);
}

/* A line in dashes that go on from where the last line's ended; `along` is how far that was. */
static void
dashed_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double *along,
            guint32 colour)
{
  double length = hypot(x1 - x0, y1 - y0), at = 0;

  while (at < length) {
    double phase = fmod(*along, DASH + SPACE);
    double left = phase < DASH ? DASH - phase : DASH + SPACE - phase;
    double end = fmin(at + fmax(left, 1e-3), length);

    if (phase < DASH)
      regard_canvas_stroke_line(canvas, x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length,
                                x0 + (x1 - x0) * end / length, y0 + (y1 - y0) * end / length, 1,
                                colour);
    *along += end - at;
    at = end;
  }
}

static void
line(RegardCanvas *canvas, guint col, double x0, double y0, double x1, double y1, double *along)
{
  guint32 colour = colours[col % G_N_ELEMENTS(colours)];

  if (col % 2 == 1)
    dashed_line(canvas, x0, y0, x1, y1, along, colour);
  else
    regard_canvas_stroke_line(canvas, x0, y0, x1, y1, 1, colour);
}

static void
draw_curve(const Plot *p, guint col)
{
  guint32 colour = colours[col % G_N_ELEMENTS(colours)];
  /* enough for a smooth line, few enough for a small file */
  guint parts = p->look->omega > 0 ? CLAMP(2000 / MAX(p->m->rows, 1), 2, 16) : 1;
  guint n = (p->m->rows - 1) * parts;
  double along = 0;

  for (guint i = 0; i < n; i++) {
    double x0 = x_of(p, i / (double) parts), y0 = y_of(p, value_at(p, col, i, parts));
    double x1 = x_of(p, (i + 1) / (double) parts), y1 = y_of(p, value_at(p, col, i + 1, parts));

    line(p->canvas, col, x0, y0, x1, y1, &along);
  }
  for (guint r = 0; r < p->m->rows && p->plot.width / p->m->rows > 4; r++)
    regard_canvas_fill_rect(p->canvas,
                            (RegardRect){x_of(p, r) - 1.2,
                                         y_of(p, regard_matrix_get(p->m, r, col)) - 1.2, 2.4, 2.4},
                            1.2, colour);
}

static double
draw_legend(const Plot *p, double x, double y, double font)
{
  for (guint c = 0; c < p->m->cols; c++) {
    RegardSpan span = {p->m->col_labels[c].text, p->palette->text, FALSE};
    double length = font * 2.2, at = y + font * 0.7, along = 0;

    line(p->canvas, c, x, at, x + length, at, &along);
    regard_canvas_text(p->canvas, x + length + font * 0.5, y + font, &span, 1, font,
                       REGARD_ANCHOR_START, 0);
    x += length + font * 2.5 + regard_canvas_text_width(p->canvas, &span, 1, font);
  }
  return font * 1.8;
}

/* Whether a row is one of the sentence: its label says which position it is, too. */
static gboolean
is_word(const RegardMatrix *m, guint row)
{
  return m->row_labels[row].suffix != NULL;
}

static void
dot(const Plot *p, double x, double y, double radius, guint32 colour)
{
  regard_canvas_fill_rect(p->canvas, (RegardRect){x - radius, y - radius, 2 * radius, 2 * radius},
                          radius, colour);
}

/* Words of the sentence under their positions, as many as have room, and larger dots for them. */
static void
draw_words(const Plot *p, double font)
{
  const double pitch = p->plot.width / MAX(p->m->rows - 1, 1);
  const guint step = (guint) MAX(ceil(font * 1.3 / pitch), 1);
  for (guint r = 0; r < p->m->rows && is_word(p->m, r); r++) {
    for (guint c = 0; c < p->m->cols; c++)
      dot(p, x_of(p, r), y_of(p, regard_matrix_get(p->m, r, c)), 3, colours[c]);
    g_autofree char *word = regard_canvas_ellipsize(p->canvas, p->m->row_labels[r].text, FALSE,
                                                    0.9 * font, (WORDS - 0.8) * font * G_SQRT2);
    if (r % step == 0)
      regard_figure_text(p->canvas, x_of(p, r) + 0.4 * font,
                         p->plot.y + p->plot.height + 2.2 * font, word, p->palette->text, FALSE,
                         0.9 * font, REGARD_ANCHOR_END, -45);
  }
}

/* The pair of each position as a point: of a sinusoid that is a clock hand, and a step of k
 * positions turns it by the same angle wherever it starts, which is why PE(p + k) is linear in
 * PE(p). */
static void
draw_plane(const Plot *p, double font)
{
  enum { CORNERS = 72 };
  const double radius = 0.45 * p->plane.width, scale = radius / p->max;
  const double x = p->plane.x + p->plane.width / 2, y = p->plane.y + p->plane.height / 2;
  const RegardPen pen = {.width = 0.8, .argb = p->palette->frame};
  RegardPoint circle[CORNERS + 1];
  for (guint i = 0; i <= CORNERS; i++)
    circle[i] = (RegardPoint){x + radius * cos(2 * G_PI * i / CORNERS),
                              y + radius * sin(2 * G_PI * i / CORNERS)};
  regard_canvas_polyline(p->canvas, circle, G_N_ELEMENTS(circle), &pen);
  for (guint r = 0; r < p->m->rows && (is_word(p->m, r) || r < 64); r++) {
    const RegardPoint at = {x + regard_matrix_get(p->m, r, 1) * scale,
                            y - regard_matrix_get(p->m, r, 0) * scale};
    dot(p, at.x, at.y, is_word(p->m, r) ? 3 : 1.2, p->palette->dim);
    if ((int) r == p->look->pointed)
      regard_canvas_stroke_line(p->canvas, x, y, at.x, at.y, 2, p->palette->accent);
  }
  regard_figure_text_within(p->canvas, p->plane.x, p->plane.y - 0.3 * font, p->plane.width,
                            p->m->col_labels[0].text, p->palette->dim, FALSE, 0.9 * font,
                            REGARD_ANCHOR_START);
  regard_figure_text_within(p->canvas, p->plane.x + p->plane.width,
                            p->plane.y + p->plane.height + font, p->plane.width,
                            p->m->col_labels[1].text, p->palette->dim, FALSE, 0.9 * font,
                            REGARD_ANCHOR_END);
}

/* What only a page has. */
static void
draw_page(const Plot *p, double font)
{
  const double pitch = p->plot.width / MAX(p->m->rows - 1, 1);
  if (regard_figure_draws(p->canvas)) {
    draw_words(p, font);
    draw_plane(p, font);
  }
  for (guint r = 0; r < p->m->rows; r++)
    regard_canvas_spot(p->canvas,
                       (RegardRect){x_of(p, r) - pitch / 2, p->plot.y, pitch, p->plot.height}, 0,
                       (int) r, 0);
}

static char *
describe_curves(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardMatrix *m = figure->subject;
  const guint r = (guint) spot->row;
  const char *sine = m->col_labels[0].text, *cosine = m->col_labels[1].text;
  const double at_sine = (double) regard_matrix_get(m, r, 0),
               at_cosine = (double) regard_matrix_get(m, r, 1);
  /* Translators: two dimensions and their numbers; in the first also the token that stands there */
  return is_word(m, r) ? g_strdup_printf(_("position %u · %s: %s %.3f, %s %.3f"), r,
                                         m->row_labels[r].text, sine, at_sine, cosine, at_cosine)
                       : g_strdup_printf(_("position %u: %s %.3f, %s %.3f"), r, sine, at_sine,
                                         cosine, at_cosine);
}

static double
draw_curves(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardMatrix *m = figure->subject;
  const double margin = REGARD_FIGURE_MARGIN * font;
  Plot p = {.canvas = canvas,
            .palette = regard_figure_palette(&figure->style),
            .look = figure->options,
            .m = m,
            .max = 1e-6};
  double y = margin, left = margin + font * 2.6;

  y += regard_figure_header(canvas, p.palette, margin, y, width - 2 * margin,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  y += draw_legend(&p, left, y, font) + font * 0.4;
  p.plot = (RegardRect){left, y, width - left - margin - font * 0.5,
                        width * (p.look->is_page ? PAGE_ASPECT : ASPECT) * figure->stretch};
  if (p.look->is_page) {
    const double side = p.plot.height;
    p.plot.width -= side + 2 * font;
    p.plane = (RegardRect){width - margin - side, y, side, side};
  }
  for (gsize i = 0; i < (gsize) m->rows * m->cols; i++)
    p.max = fmax(p.max, fabs(m->values[i]));
  if (regard_figure_draws(canvas) && m->rows > 0) {
    regard_canvas_begin_group(canvas, "axes");
    draw_axes(&p, font);
    regard_canvas_end_group(canvas);
    for (guint c = 0; c < m->cols; c++) {
      regard_canvas_begin_group(canvas, "curve");
      draw_curve(&p, c);
      regard_canvas_end_group(canvas);
    }
  }
  if (p.look->is_page)
    draw_page(&p, font);
  y += p.plot.height + font * (p.look->is_page ? 2 + WORDS : 3.4);
  if (m->model_name && *m->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    regard_figure_text(canvas, width - margin, y, m->model_name, p.palette->dim, FALSE, font * 0.9,
                       REGARD_ANCHOR_END, 0);
    y += font * 0.4;
  }
  return y + margin;
}

RegardFigure *
regard_figure_new_curves(RegardMatrix *matrix, const RegardCurvesOptions *options,
                         const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.options_size = sizeof *options,
                                          .draw = draw_curves,
                                          .has_no_scale = TRUE,
                                          .describe_spot = describe_curves};
  return regard_figure_new(&klass, regard_matrix_ref(matrix), options, matrix->diverging, style);
}

/* ---- Many heads as thumbnails: a layer, a kind, or all three kinds ---------------------- */

/* A row of thumbnails is a layer, a column a head; numbers stand outside and count from 1. Chosen
 * heads are no thumbnails but panels: each as it is drawn alone, with tokens and numbers, laid out
 * alike. One colour bar serves them all: the range never changes between heads of one picture. */

/* Thumbnails of a single layer are wrapped so that each is about this wide, in font sizes. */
#define LAYER_THUMBNAIL 13.0
/* Between panels, in font sizes. */
#define PANEL_GAP 1.6
/* Height by width of thumbnails when three kinds share a page. */
#define ALL_RATIO 0.55

const RegardPicture regard_scopes[] = {
    [REGARD_SCOPE_HEAD] = {"head", N_("This matrix")},
    [REGARD_SCOPE_LAYER] = {"layer", N_("All heads of the layer")},
    [REGARD_SCOPE_KIND] = {"kind", N_("All heads of this attention")},
    [REGARD_SCOPE_ALL] = {"all", N_("All heads of all attentions")},
    [REGARD_SCOPE_CHOSEN] = {"chosen", N_("Chosen heads side by side")},
};

typedef struct {
  RegardSubject subject;
  mt_capture *capture;
  RegardScope scope;
  RegardMatrixSpec spec;
  guint8
      *spec_chosen; /* as the spec had them; NULL: there was none, or they are of several kinds */
  /* Of each kind [n_chosen] layer * n_heads + head, of REGARD_SCOPE_CHOSEN. */
  guint *chosen[MT_N_KINDS], n_chosen[MT_N_KINDS];
} HeadGrid;

static guint
n_layers(const HeadGrid *figure, mt_attention_kind kind)
{
  return (guint) mt_capture_n_layers(figure->capture, kind);
}

static guint
n_heads(const HeadGrid *figure, mt_attention_kind kind)
{
  return (guint) mt_capture_n_heads(figure->capture, kind);
}

/* Heads of a kind that the figure shows. */
static guint
n_of_kind(const HeadGrid *figure, mt_attention_kind kind)
{
  if (figure->scope == REGARD_SCOPE_CHOSEN)
    return figure->n_chosen[kind];
  if (figure->scope != REGARD_SCOPE_ALL && kind != figure->spec.kind)
    return 0;
  guint layers =
      figure->scope == REGARD_SCOPE_LAYER ? MIN(1, n_layers(figure, kind)) : n_layers(figure, kind);
  return layers * n_heads(figure, kind);
}

/* Then each has a title of its own. */
static gboolean
has_several_kinds(const HeadGrid *figure)
{
  guint n = 0;
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    n += n_of_kind(figure, (mt_attention_kind) kind) > 0;
  return n > 1 || figure->scope == REGARD_SCOPE_ALL;
}

static guint
count_places(const HeadGrid *figure)
{
  guint n = 0;
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    n += n_of_kind(figure, (mt_attention_kind) kind);
  return n;
}

/* Places are in the order kind, layer, head. */
static void
get_place(const HeadGrid *figure, guint i, RegardMatrixSpec *spec)
{
  *spec = figure->spec;
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    guint n = n_of_kind(figure, (mt_attention_kind) kind);
    if (i >= n) {
      i -= n;
      continue;
    }
    spec->kind = (mt_attention_kind) kind;
    if (figure->scope == REGARD_SCOPE_CHOSEN)
      i = figure->chosen[kind][i];
    if (figure->scope != REGARD_SCOPE_LAYER)
      spec->layer = i / n_heads(figure, spec->kind);
    spec->head = i % n_heads(figure, spec->kind);
    return;
  }
  g_assert_not_reached();
}

typedef struct {
  const RegardFigure *base;
  const HeadGrid *figure;
  RegardCanvas *canvas;
  const RegardPalette *palette;
  double font, x0, width; /* inside the margins */
  gboolean images;
  RegardMatrix *like; /* a head of the kind that is drawn */
} Grid;

static void
draw_thumbnail(const Grid *g, guint layer, guint head, RegardRect place)
{
  if (!regard_figure_draws(g->canvas))
    return;
  RegardMatrix *matrix = regard_matrix_new_head(g->like, layer, head);
  /* Pins belong to one matrix of these only, which the caller of a grid does not name. */
  RegardFigureStyle style = g->base->style;
  style.pinned_row = style.pinned_col = -1;
  RegardCellOptions options = {FALSE, FALSE, g->images, g->font};
  regard_figure_cells(g->canvas, g->palette, &style, matrix, place, &options);
  regard_matrix_unref(matrix);
}

/* Rows per column of a kind's matrices, within limits so that very long sides stay pictures. */
static double
aspect(const HeadGrid *figure, mt_attention_kind kind, double low, double high)
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
  const double height = thumb * ratio * g->base->stretch;

  regard_canvas_begin_group(g->canvas, "numbers");
  double baseline = y + size;
  regard_figure_text(g->canvas, x0 - gap, baseline, "head", g->palette->dim, FALSE, size,
                     REGARD_ANCHOR_END, 0);
  for (guint h = 0; h < heads; h++) {
    g_autofree char *text =
        g_strdup_printf("%u", regard_naming_head_number(g->figure->capture, kind, h));
    regard_figure_text(g->canvas, x0 + h * (thumb + gap) + thumb / 2, baseline, text,
                       g->palette->text, FALSE, size, REGARD_ANCHOR_MIDDLE, 0);
  }
  double top = baseline + font * 0.45;
  for (guint layer = 0; layer < layers; layer++) {
    g_autofree char *text =
        g_strdup_printf("%u", regard_naming_layer(g->figure->capture, kind, layer));
    regard_figure_text(g->canvas, x0 - gap, top + layer * (height + gap) + height / 2 + size * 0.36,
                       text, g->palette->text, FALSE, size, REGARD_ANCHOR_END, 0);
  }
  regard_figure_text(g->canvas, g->x0 + size, top + (layers * (height + gap) - gap) / 2, "layer",
                     g->palette->dim, FALSE, size, REGARD_ANCHOR_MIDDLE, -90);
  regard_canvas_end_group(g->canvas);

  for (guint layer = 0; layer < layers; layer++)
    for (guint h = 0; h < heads; h++)
      draw_thumbnail(g, layer, h,
                     (RegardRect){x0 + h * (thumb + gap), top + layer * (height + gap), thumb,
                                  height});
  return top + layers * (height + gap) - gap - y;
}

/* The heads of one layer, wrapped into lines, each with its name above. */
static double
draw_lines(const Grid *g, double y)
{
  const double font = g->font, gap = font * 1.0;
  const mt_attention_kind kind = g->figure->spec.kind;
  const guint heads = n_of_kind(g->figure, kind);
  guint columns = CLAMP((guint) (g->width / (LAYER_THUMBNAIL * font)), 2, MAX(heads, 2));
  /* Lines of equal length: 8 heads at room for 5 are 4 and 4. */
  guint lines = (heads + columns - 1) / columns;
  columns = (heads + lines - 1) / lines;
  const double thumb = (g->width - gap * (columns - 1)) / columns;
  const double height = thumb * aspect(g->figure, kind, 0.35, 1.6) * g->base->stretch;
  const double pitch = height + font * 2.2;
  for (guint h = 0; h < heads; h++) {
    double x = g->x0 + (h % columns) * (thumb + gap), top = y + (h / columns) * pitch;
    g_autofree char *text =
        g_strdup_printf(_("head %u"), regard_naming_head_number(g->figure->capture, kind, h));
    regard_figure_text(g->canvas, x, top + font, text, g->palette->text, FALSE, font,
                       REGARD_ANCHOR_START, 0);
    draw_thumbnail(g, g->figure->spec.layer, h, (RegardRect){x, top + font * 1.45, thumb, height});
  }
  return lines * pitch - font * 0.75;
}

/* ---- Chosen heads ---------------------------------------------------------------------------- */

/* Of so many panels beside each other, and one of them laid out at (0, 0). */
static double
lay_out_panel(const Grid *g, guint columns, RegardPlot *plot)
{
  const double width = (g->width - PANEL_GAP * g->font * (columns - 1)) / columns;
  regard_plot_lay_out(plot, 0, width, 0);
  return width;
}

/* As on the screen, three beside each other and four as a square; fewer where the numbers that are
 * wanted, or else all tokens, have room only then. */
static guint
choose_columns(const Grid *g, guint n, RegardPlot *plot)
{
  const guint most = n == 4 ? 2 : MIN(n, 3);
  const gboolean wants_numbers = regard_figure_has(plot->style, REGARD_PART_NUMBERS);
  for (guint needs_numbers = wants_numbers + 1; needs_numbers-- > 0;)
    for (guint columns = most; columns > 0; columns--) {
      lay_out_panel(g, columns, plot);
      if (needs_numbers ? plot_fits_numbers(plot) : plot_names_all(plot))
        return columns;
    }
  return most;
}

/* Every one has the labels of the others, and so the same layout: what is cut is cut alike. */
static double
draw_panels(const Grid *g, mt_attention_kind kind, double y)
{
  const double font = g->font, name = font * 1.5;
  const guint n = n_of_kind(g->figure, kind), heads = n_heads(g->figure, kind);
  RegardFigureStyle style = g->base->style;
  style.pinned_row = style.pinned_col = -1;
  RegardPlot plot = {
      .style = &style,
      .stretch = g->base->stretch,
      .canvas = g->canvas,
      .palette = g->palette,
      .m = g->like,
      .font = font,
      .is_image = g->images,
  };
  const guint columns = choose_columns(g, n, &plot);
  const double width = lay_out_panel(g, columns, &plot);
  const double height = name + regard_plot_bottom(&plot), pitch = height + font * 1.4;
  for (guint i = 0; i < n; i++) {
    const double x = g->x0 + (i % columns) * (width + PANEL_GAP * font),
                 top = y + (i / columns) * pitch;
    const guint at = g->figure->chosen[kind][i], layer = at / heads, head = at % heads;
    g_autofree char *text =
        g_strdup_printf("%u.%u", regard_naming_layer(g->figure->capture, kind, layer),
                        regard_naming_head_number(g->figure->capture, kind, head));
    g_autoptr(RegardMatrix) m = regard_figure_draws(g->canvas)
                                    ? regard_matrix_new_head(g->like, layer, head)
                                    : regard_matrix_ref(g->like);
    RegardPlot panel = plot;
    panel.m = m;
    regard_plot_move(&panel, x, top + name);
    regard_canvas_begin_group(g->canvas, "head");
    regard_figure_text(g->canvas, panel.plot.x, top + font, text, g->palette->text, TRUE, font,
                       REGARD_ANCHOR_START, 0);
    regard_canvas_end_group(g->canvas);
    regard_plot_draw(&panel);
  }
  return (n + columns - 1) / columns * pitch - font * 1.4;
}

static char *
grid_title(const HeadGrid *figure, mt_attention_kind kind)
{
  const char *name = regard_naming_kind(figure->capture, kind);
  /* Of the first, and of the last. */
  const guint layer = regard_naming_layer(figure->capture, kind, 0),
              head = regard_naming_head_number(figure->capture, kind, 0),
              last_layer = layer + n_layers(figure, kind) - 1,
              last_head = head + n_heads(figure, kind) - 1;
  if (figure->scope == REGARD_SCOPE_LAYER)
    /* Translators: in all of these %s is a kind of attention, "Cross-attention" */
    return g_strdup_printf(_("%s · layer %u · heads %u–%u"), name, layer + figure->spec.layer, head,
                           last_head);
  if (figure->scope == REGARD_SCOPE_CHOSEN)
    return g_strdup_printf(ngettext("%s · %u head", "%s · %u heads", figure->n_chosen[kind]), name,
                           figure->n_chosen[kind]);
  return g_strdup_printf(_("%s · layers %u–%u × heads %u–%u"), name, layer, last_layer, head,
                         last_head);
}

/* Which axis is which, on one line or two; for all kinds only what holds for all. */
static double
draw_axes_grid(const Grid *g, double y)
{
  mt_attention_kind kind = g->figure->spec.kind;
  const gboolean all = g->figure->scope == REGARD_SCOPE_ALL;
  const mt_capture *capture = g->figure->capture;
  const char *row_text = regard_naming_stack(capture, regard_naming_rows(kind));
  const char *col_text = regard_naming_stack(capture, regard_naming_columns(kind));
  g_autofree char *rows =
      all ? g_strdup(_("rows: queries")) : g_strdup_printf(_("rows: queries (%s)"), row_text);
  g_autofree char *cols =
      all ? g_strdup(_("columns: keys")) : g_strdup_printf(_("columns: keys (%s)"), col_text);
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

static gsize
n_cells(RegardFigure *base)
{
  const HeadGrid *figure = base->subject;
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

static double
draw(RegardFigure *base, RegardCanvas *canvas, double width, double font)
{
  const HeadGrid *figure = base->subject;
  const double margin = font * REGARD_FIGURE_MARGIN;
  Grid g = {
      .base = base,
      .figure = figure,
      .canvas = canvas,
      .palette = regard_figure_palette(&base->style),
      .font = font,
      .x0 = margin,
      .width = width - 2 * margin,
      .images = n_cells(base) > REGARD_FIGURE_MAX_RECTANGLES,
  };
  RegardMatrixSpec spec;
  get_place(figure, 0, &spec);
  const mt_attention_kind sample_kind = spec.kind;
  /* For its badges and range, which all share. */
  RegardMatrix *sample = regard_matrix_new_attention(figure->capture, &spec);
  char **badges = sample->badges;
  double y = margin;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    mt_attention_kind kind = regard_kinds_in_order[k];
    if (n_of_kind(figure, kind) == 0)
      continue;
    g_autofree char *title = grid_title(figure, kind);
    /* Of several kinds it is not the figure's title, but the kind's. */
    const char *shown =
        has_several_kinds(figure) ? title : regard_figure_title(&base->style, title);
    y += regard_figure_header(canvas, g.palette, g.x0, y, g.width, shown, badges, font);
    badges = NULL;         /* said once */
    if (kind != spec.kind) /* which may have fewer layers, and heads */
      spec.layer = spec.head = 0;
    spec.kind = kind;
    g.like = kind == sample_kind ? regard_matrix_ref(sample)
                                 : regard_matrix_new_attention(figure->capture, &spec);
    if (figure->scope == REGARD_SCOPE_CHOSEN)
      y += draw_panels(&g, kind, y);
    else if (figure->scope == REGARD_SCOPE_LAYER)
      y += draw_lines(&g, y);
    else if (figure->scope == REGARD_SCOPE_ALL)
      y += draw_kind(&g, kind, y, ALL_RATIO);
    else
      y += draw_kind(&g, kind, y, aspect(figure, kind, 0.4, 1.25));
    regard_matrix_unref(g.like);
    y += font * 1.3;
  }
  if (figure->scope != REGARD_SCOPE_CHOSEN) { /* panels have their own */
    regard_canvas_begin_group(canvas, "axis-titles");
    y += draw_axes_grid(&g, y - font * 0.9);
    regard_canvas_end_group(canvas);
  }
  /* The first number of the bar is centred under its end. */
  double bar_x = g.x0 + font;
  y += regard_figure_footer(canvas, g.palette, &base->style, sample, bar_x, y,
                            g.x0 + g.width - bar_x, sample->model_name, font);
  regard_matrix_unref(sample);
  return y + margin;
}

/* ---- What is in it --------------------------------------------------------------------------- */

static guint
n_matrices(RegardFigure *base)
{
  return count_places(base->subject);
}

static RegardMatrix *
new_matrix(RegardFigure *base, guint i)
{
  const HeadGrid *figure = base->subject;
  RegardMatrixSpec spec;
  get_place(figure, i, &spec);
  return base->made && regard_matrix_get_attention(base->made)->spec.kind == spec.kind
             ? regard_matrix_new_head(base->made, spec.layer, spec.head)
             : regard_matrix_new_attention(figure->capture, &spec);
}

static void
append_chosen(const HeadGrid *figure, GString *text)
{
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = regard_kinds_in_order[k];
    const guint n = n_heads(figure, kind);
    g_autoptr(GString) heads = g_string_new(NULL);
    for (guint i = 0; i < figure->n_chosen[kind]; i++) {
      const guint at = figure->chosen[kind][i];
      g_autofree char *head =
          g_strdup_printf("%u.%u", regard_naming_layer(figure->capture, kind, at / n),
                          regard_naming_head_number(figure->capture, kind, at % n));
      regard_words_add_item(heads, head);
    }
    if (heads->len)
      /* Translators: a kind of attention, and a list: "Cross-attention, heads 4.1, 5.2." */
      regard_words_add_sentence(text, _("%s, heads %s."), regard_naming_kind(figure->capture, kind),
                                heads->str);
  }
}

static void
append_what(RegardFigure *base, GString *text)
{
  const HeadGrid *figure = base->subject;
  const char *kind = regard_naming_kind(figure->capture, figure->spec.kind);
  const gboolean is_grid =
      figure->scope == REGARD_SCOPE_LAYER || figure->scope == REGARD_SCOPE_KIND;
  const gboolean is_layer = figure->scope == REGARD_SCOPE_LAYER &&
                            mt_capture_has_all_heads(figure->capture, figure->spec.kind);
  if (is_grid && !is_layer && mt_capture_is_part(figure->capture, figure->spec.kind)) {
    /* These are not all that the model has. */
    g_autofree char *title = grid_title(figure, figure->spec.kind);
    regard_words_add_title(text, title);
    return;
  }
  switch (figure->scope) {
  case REGARD_SCOPE_LAYER:
    regard_words_add_sentence(text, _("%s, all heads of layer %u."), kind,
                              regard_naming_layer(figure->capture, figure->spec.kind,
                                                  figure->spec.layer));
    break;
  case REGARD_SCOPE_CHOSEN:
    append_chosen(figure, text);
    break;
  case REGARD_SCOPE_KIND:
    regard_words_add_sentence(text, _("%s, all layers (rows) and heads (columns)."), kind);
    break;
  default:
    regard_words_add_sentence(text, _("Attention weights of every kind, all layers (rows) and "
                                      "heads (columns)."));
  }
}

/* All of a kind. */
static void
get_group(RegardFigure *base, guint first, RegardFigureGroup *group)
{
  static const char *const prefixes[] = {
      [MT_ENCODER_SELF] = "encoder_",
      [MT_DECODER_SELF] = "decoder_",
      [MT_CROSS] = "cross_",
  };
  const HeadGrid *figure = base->subject;
  RegardMatrixSpec spec;
  get_place(figure, first, &spec);
  gsize heads = figure->scope == REGARD_SCOPE_CHOSEN ? 1 : n_heads(figure, spec.kind);
  group->n = n_of_kind(figure, spec.kind);
  group->prefix = prefixes[spec.kind];
  group->shape[0] = group->n / heads;
  group->shape[1] = heads;
  group->is_list = group->is_choice = figure->scope == REGARD_SCOPE_CHOSEN;
}

static void
append_place(RegardFigure *base, guint i, GString *line)
{
  const HeadGrid *figure = base->subject;
  RegardMatrixSpec spec;
  get_place(figure, i, &spec);
  g_string_append_printf(line, "%s,%u,%u", regard_kind_id(spec.kind),
                         regard_naming_layer(figure->capture, spec.kind, spec.layer),
                         regard_naming_head_number(figure->capture, spec.kind, spec.head));
}

static const mt_capture *
whole_capture(RegardFigure *base)
{
  const HeadGrid *figure = base->subject;
  return figure->scope == REGARD_SCOPE_ALL && !figure->spec.merge_words &&
                 !figure->spec.hide_special
             ? figure->capture
             : NULL;
}

static gboolean
tell_attention(RegardFigure *base, RegardAttentionLook *look)
{
  const HeadGrid *figure = base->subject;
  if (figure->scope == REGARD_SCOPE_CHOSEN && has_several_kinds(figure))
    return FALSE; /* a panel is of one */
  *look = (RegardAttentionLook){.capture = figure->capture,
                                .scope = figure->scope,
                                .lines_share = REGARD_LINES_SHARE,
                                .spec = figure->spec};
  look->spec.chosen = figure->spec_chosen;
  regard_attention_look_own(look);
  return TRUE;
}

static void
clear(gpointer subject)
{
  HeadGrid *figure = subject;
  g_free(figure->spec_chosen);
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    g_free(figure->chosen[kind]);
  mt_capture_unref(figure->capture);
}

static void
keep_chosen(HeadGrid *figure, const guint8 *const chosen[MT_N_KINDS])
{
  for (guint k = MT_N_KINDS; k-- > 0;) {
    const mt_attention_kind kind = (mt_attention_kind) k;
    const guint n = chosen[k] ? n_layers(figure, kind) * n_heads(figure, kind) : 0;
    figure->chosen[k] = g_new(guint, MAX(n, 1));
    for (guint i = 0; i < n; i++)
      if (chosen[k][i])
        figure->chosen[k][figure->n_chosen[k]++] = i;
    if (figure->n_chosen[k])
      figure->spec.kind = kind; /* the first that there is */
  }
  const mt_attention_kind kind = figure->spec.kind;
  if (figure->n_chosen[kind] && !has_several_kinds(figure))
    figure->spec_chosen = g_memdup2(chosen[kind], n_layers(figure, kind) * n_heads(figure, kind));
}

/* chosen: of REGARD_SCOPE_CHOSEN. */
static RegardFigure *
new_grid(const mt_capture *capture, RegardScope scope, const RegardMatrixSpec *spec,
         const guint8 *const chosen[MT_N_KINDS], const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .n_cells = n_cells,
      .append_what = append_what,
      .group = get_group,
      .place_names = "kind,layer,head",
      .append_place = append_place,
      .whole_capture = whole_capture,
      .tell_attention = tell_attention,
  };
  HeadGrid *figure = regard_subject_alloc(sizeof *figure, clear);
  figure->capture = mt_capture_ref((mt_capture *) capture);
  figure->scope = scope;
  figure->spec = *spec;
  figure->spec.combine = REGARD_COMBINE_HEAD; /* every head by itself: that is what a grid is */
  figure->spec.chosen = NULL;
  if (scope == REGARD_SCOPE_CHOSEN)
    keep_chosen(figure, chosen);
  gsize layers = mt_capture_n_layers(capture, figure->spec.kind);
  figure->spec.layer = (guint) MIN(spec->layer, layers > 0 ? layers - 1 : 0);
  if (count_places(figure) > 0)
    return regard_figure_new(&klass, figure, NULL, mt_capture_difference_a(capture) != NULL, style);
  regard_subject_unref(figure);
  return NULL;
}

RegardFigure *
regard_figure_new_grid(const mt_capture *capture, RegardScope scope, const RegardMatrixSpec *spec,
                       const RegardFigureStyle *style)
{
  g_return_val_if_fail(capture && spec, NULL);
  if (scope == REGARD_SCOPE_HEAD) {
    g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, spec);
    return matrix ? regard_figure_new_matrix(matrix, style) : NULL;
  }
  const guint8 *chosen[MT_N_KINDS] = {NULL};
  chosen[spec->kind] = spec->chosen;
  return new_grid(capture, scope, spec, chosen, style);
}

RegardFigure *
regard_figure_new_heads(const mt_capture *capture, const guint8 *const chosen[MT_N_KINDS],
                        const RegardMatrixSpec *spec, const RegardFigureStyle *style)
{
  g_return_val_if_fail(capture && spec, NULL);
  return new_grid(capture, REGARD_SCOPE_CHOSEN, spec, chosen, style);
}

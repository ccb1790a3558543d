/* regard-figure-complexity.c — the complexity card: table 1 of the paper with its numbers, a plot
 * of it, and the parts of a pass with what they cost and how long they took.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-complexity.h"

#include "figures/regard-complexity-private.h"
#include <math.h>

#define PITCH       1.75 /* of lines of a table, font sizes */
#define GAP         1.9  /* before a heading */
#define COLUMN_GAP  1.6  /* before a column of a table */
#define PLOT_HEIGHT 0.34 /* of the width */

/* Spots of the tables; the plot's is REGARD_COMPLEXITY_PLOT. */
enum { TYPES = 0, PARTS = 2 };
enum { PART_MULTIPLY_ADDS, PART_SHARE, PART_TIME, PART_SPEED };

typedef struct {
  RegardFigure parent;
  RegardComplexity numbers;
  RegardMatrix *matrices[3];
} ComplexityFigure;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardComplexity *c;
  double x, width, font;
} Card;

static double
text_width(const Card *card, const char *text, gboolean bold, double size)
{
  RegardSpan span = {text, 0xff000000, bold};
  return regard_canvas_text_width(card->canvas, &span, 1, size);
}

static void
text_at(const Card *card, double x, double baseline, const char *text, guint32 argb, double size,
        RegardAnchor anchor)
{
  regard_figure_text(card->canvas, x, baseline, text, argb, FALSE, size, anchor, 0);
}

/* Words one after the other, as many on a line as have room. Returns the height. */
static double
draw_words(const Card *card, double y, const char *text, guint32 argb, double size)
{
  const double line = size * 1.45;
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autoptr(GString) shown = g_string_new(NULL);
  double baseline = y + size;
  for (char **word = words; *word; word++) {
    g_autofree char *longer = g_strconcat(shown->str, shown->len ? " " : "", *word, NULL);
    if (shown->len > 0 && text_width(card, longer, FALSE, size) > card->width) {
      text_at(card, card->x, baseline, shown->str, argb, size, REGARD_ANCHOR_START);
      baseline += line;
      g_string_assign(shown, *word);
    } else {
      g_string_assign(shown, longer);
    }
  }
  text_at(card, card->x, baseline, shown->str, argb, size, REGARD_ANCHOR_START);
  return baseline - y + size * 0.45;
}

/* What follows, and the sizes that its formulas speak of, beside it or below. */
static double
draw_heading(const Card *card, double y, const char *name, const char *sizes)
{
  const double at = card->x + text_width(card, name, TRUE, card->font) + card->font;
  const double size = card->font * 0.9, baseline = y + card->font;
  regard_figure_text(card->canvas, card->x, baseline, name, card->palette->text, TRUE, card->font,
                     REGARD_ANCHOR_START, 0);
  if (at + text_width(card, sizes, FALSE, size) <= card->x + card->width) {
    text_at(card, at, baseline, sizes, card->palette->dim, size, REGARD_ANCHOR_START);
    return card->font * 1.5;
  }
  return card->font * 1.5 + draw_words(card, y + card->font * 1.4, sizes, card->palette->dim, size);
}

static void
draw_rule(const Card *card, double y)
{
  regard_canvas_stroke_line(card->canvas, card->x, y, card->x + card->width, y, 0.4,
                            card->palette->grid);
}

/* ---- Table 1 ----------------------------------------------------------------------------------
 */

/* Where columns begin and end, as shares of the width; the first is the name's. */
static const double type_edges[] = {0.27, 0.57, 0.77, 1};

typedef struct {
  double x, width; /* of a column, without the gap behind it */
} Column;

static Column
column_between(const Card *card, double begin, double end)
{
  const double gap = card->font * COLUMN_GAP;
  return (Column){card->x + card->width * begin + gap, card->width * (end - begin) - gap};
}

/* How much smaller than usual, if anything, so that a formula and a number fit into each cell. */
static double
fit_types(const Card *card)
{
  double scale = 1;
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++) {
    const double name = text_width(card, regard_complexity_types[t], FALSE, card->font);
    scale = MIN(scale, (card->width * type_edges[0] - card->font * 2.6) / name);
    for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
      g_autofree char *number =
          regard_complexity_number(regard_complexity_cell(card->c, (mt_layer_type) t, i));
      const double need =
          text_width(card, regard_complexity_formulas[t][i], FALSE, card->font * 0.9) +
          text_width(card, number, FALSE, card->font) + card->font * 0.8;
      scale = MIN(scale, column_between(card, type_edges[i], type_edges[i + 1]).width / need);
    }
  }
  return MAX(scale, 0.3);
}

/* A formula in grey, and its number at the end of the column; only the number if they are the same.
 */
static void
draw_cell(const Card *card, Column column, double baseline, const char *formula, const char *number,
          double size)
{
  if (!g_str_equal(formula, number))
    text_at(card, column.x, baseline, formula, card->palette->dim, size * 0.9, REGARD_ANCHOR_START);
  text_at(card, column.x + column.width, baseline, number, card->palette->text, size,
          REGARD_ANCHOR_END);
}

static double
draw_types(const Card *card, double y)
{
  const double pitch = PITCH * card->font, size = card->font * fit_types(card);
  double baseline = y + card->font;
  for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
    const Column column = column_between(card, type_edges[i], type_edges[i + 1]);
    text_at(card, column.x + column.width, baseline, regard_complexity_columns[i],
            card->palette->dim, size * 0.9, REGARD_ANCHOR_END);
  }
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++) {
    const double top = y + pitch * (t + 1) - card->font * 0.3;
    baseline = top + card->font * 1.2;
    const double middle = baseline - card->font * 0.35;
    const RegardPen pen = regard_complexity_pen(card->style, (mt_layer_type) t);
    const RegardPoint sample[] = {{card->x, middle}, {card->x + card->font * 2, middle}};
    draw_rule(card, top);
    regard_canvas_polyline(card->canvas, sample, 2, &pen);
    text_at(card, card->x + card->font * 2.6, baseline, regard_complexity_types[t],
            card->palette->text, size, REGARD_ANCHOR_START);
    for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
      const Column column = column_between(card, type_edges[i], type_edges[i + 1]);
      g_autofree char *number =
          regard_complexity_number(regard_complexity_cell(card->c, (mt_layer_type) t, i));
      draw_cell(card, column, baseline, regard_complexity_formulas[t][i], number, size);
      regard_canvas_spot(card->canvas, (RegardRect){column.x, top, column.width, pitch}, TYPES,
                         (int) t, (int) i);
    }
  }
  return pitch * (MT_N_LAYER_TYPES + 1) - card->font * 0.3;
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

/* Name, formula and number, share, milliseconds, speed. */
static const double part_edges[] = {0.22, 0.57, 0.79, 0.88, 1};

static const char *const part_titles[] = {"multiply-adds", NULL, "ms", "10⁹ per s"};

static gboolean
is_timed(const RegardComplexity *c)
{
  return c->times.n_passes > 0;
}

/* The number of a column as it is drawn; NULL: there is none. Caller frees. */
static char *
part_number(const RegardComplexity *c, guint line, guint column)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const double ms = regard_complexity_milliseconds(c, line);
  const double speed = regard_complexity_speed(c, line);
  /* As many decimals in all lines, so that they can be compared. */
  const double pass = c->times.pass;
  const char *format = pass < 1 ? "%.4f" : pass < 10 ? "%.3f" : pass < 1000 ? "%.2f" : "%.1f";
  switch (column) {
  case PART_MULTIPLY_ADDS:
    return line == REGARD_COMPLEXITY_OTHER
               ? NULL
               : regard_complexity_whole(regard_complexity_multiply_adds(c, line));
  case PART_TIME:
    return isnan(ms) ? NULL : g_strdup(g_ascii_formatd(text, sizeof text, format, ms));
  case PART_SPEED:
    return isnan(speed) ? NULL : g_strdup(g_ascii_formatd(text, sizeof text, "%.1f", speed));
  default:
    return NULL;
  }
}

static double
fit_parts(const Card *card)
{
  double scale = 1;
  for (guint l = 0; l < REGARD_COMPLEXITY_N_LINES; l++) {
    const double name = text_width(card, regard_complexity_lines[l], TRUE, card->font);
    scale = MIN(scale, card->width * part_edges[0] / name);
    for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
      g_autofree char *number = part_number(card->c, l, i);
      double need = number ? text_width(card, number, TRUE, card->font) : 0;
      if (i == PART_MULTIPLY_ADDS)
        need += text_width(card, regard_complexity_line_formulas[l], FALSE, card->font * 0.9) +
                card->font * 0.8;
      if (need > 0)
        scale = MIN(scale, column_between(card, part_edges[i], part_edges[i + 1]).width / need);
    }
  }
  return MAX(scale, 0.3);
}

static guint32
bar_colour(const Card *card, gboolean of_time)
{
  return of_time ? card->palette->bar
                 : regard_complexity_pen(card->style, MT_LAYER_SELF_ATTENTION).argb;
}

/* Above, the share of all multiply-adds, below, that of the time. */
static void
draw_bars(const Card *card, guint line, RegardRect area)
{
  const gboolean two = is_timed(card->c);
  const double shares[] = {regard_complexity_share(card->c, line),
                           two ? regard_complexity_time_share(card->c, line) : 0};
  const double height = area.height / (two ? 2 : 1);
  regard_canvas_fill_rect(card->canvas, area, 0, card->palette->bar_background);
  for (guint i = 0; i < (two ? 2 : 1); i++)
    if (shares[i] > 0)
      regard_canvas_fill_rect(card->canvas,
                              (RegardRect){area.x, area.y + i * height,
                                           area.width * MIN(shares[i], 1), height},
                              0, bar_colour(card, i == 1));
}

static void
draw_part(const Card *card, guint line, double top, double size)
{
  const gboolean is_sum = line == REGARD_COMPLEXITY_PASS;
  const double pitch = PITCH * card->font, baseline = top + card->font * 1.2;
  regard_figure_text(card->canvas, card->x, baseline, regard_complexity_lines[line],
                     card->palette->text, is_sum, size, REGARD_ANCHOR_START, 0);
  for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
    const Column column = column_between(card, part_edges[i], part_edges[i + 1]);
    const RegardRect cell = {column.x, top, column.width, pitch};
    if (i == PART_SHARE && !is_sum) {
      draw_bars(card, line, (RegardRect){cell.x, top + pitch * 0.22, cell.width, pitch * 0.56});
      regard_canvas_spot(card->canvas, cell, PARTS, (int) line, (int) i);
      continue;
    }
    g_autofree char *number = part_number(card->c, line, i);
    if (!number)
      continue;
    if (i == PART_MULTIPLY_ADDS)
      text_at(card, cell.x, baseline, regard_complexity_line_formulas[line], card->palette->dim,
              size * 0.9, REGARD_ANCHOR_START);
    regard_figure_text(card->canvas, cell.x + cell.width, baseline, number, card->palette->text,
                       is_sum, size, REGARD_ANCHOR_END, 0);
    regard_canvas_spot(card->canvas, cell, PARTS, (int) line, (int) i);
  }
}

/* What the bars are, each in its colour. */
static void
draw_bar_title(const Card *card, Column column, double baseline, double size)
{
  const char *const names[] = {"multiply-adds", "time"};
  const double box = size * 0.7;
  double x = column.x;
  for (guint i = 0; i < (is_timed(card->c) ? 2 : 1); i++) {
    regard_canvas_fill_rect(card->canvas, (RegardRect){x, baseline - box, box, box}, 0,
                            bar_colour(card, i == 1));
    text_at(card, x + box + size * 0.4, baseline, names[i], card->palette->dim, size,
            REGARD_ANCHOR_START);
    x += box + size * 1.4 + text_width(card, names[i], FALSE, size);
  }
}

static double
draw_parts(const Card *card, double y)
{
  const double pitch = PITCH * card->font, size = card->font * fit_parts(card);
  for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
    const Column column = column_between(card, part_edges[i], part_edges[i + 1]);
    const gboolean is_time = i == PART_TIME || i == PART_SPEED;
    if (i == PART_SHARE)
      draw_bar_title(card, column, y + card->font, size * 0.9);
    else if (!is_time || is_timed(card->c))
      text_at(card, column.x + column.width, y + card->font, part_titles[i], card->palette->dim,
              size * 0.9, REGARD_ANCHOR_END);
  }
  for (guint l = 0; l < REGARD_COMPLEXITY_N_LINES; l++) {
    const double top = y + pitch * (l + 1) - card->font * 0.3;
    draw_rule(card, top);
    draw_part(card, l, top, size);
  }
  return pitch * (REGARD_COMPLEXITY_N_LINES + 1);
}

/* What was timed, and what belongs to which part. */
static double
draw_what(const Card *card, double y)
{
  const RegardComplexity *c = card->c;
  g_autofree char *timing = regard_complexity_timing(c);
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text,
                         "%c%s: the encoder, the decoder with the whole translation at once, the "
                         "output matrix. Bars are shares of the pass.",
                         g_ascii_toupper(timing[0]), timing + 1);
  if (is_timed(c))
    g_string_append_printf(text,
                           " Every time is a median of its own. Scores are timed with their "
                           "softmax%s; everything else is embedding,%s residuals and the softmax "
                           "over the vocabulary.",
                           c->is_pre_norm ? ", projections and feed-forward with their layer norm"
                                          : "",
                           c->is_pre_norm ? "" : " layer norms,");
  return draw_words(card, y, text->str, card->palette->dim, card->font * 0.9);
}

/* What else scores could cost. */
static double
draw_scores(const Card *card, double y)
{
  const RegardComplexity *c = card->c;
  const guint64 scores = c->costs.of[MT_COST_ENCODER_SCORES] + c->costs.of[MT_COST_DECODER_SCORES];
  g_autofree char *all = regard_complexity_whole(scores);
  g_autofree char *seen = regard_complexity_whole(c->unmasked);
  g_autofree char *own = regard_complexity_whole(c->costs.of[MT_COST_DECODER_SCORES]);
  g_autofree char *steps = regard_complexity_whole(c->step_scores);
  g_autofree char *text = g_strdup_printf(
      "Of the %s multiply-adds of scores %s are of pairs that no mask forbids. Token by token, "
      "with "
      "keys and values kept, the decoder's scores take %s instead of %s, and all else the same.",
      all, seen, steps, own);
  return draw_words(card, y, text, card->palette->dim, card->font * 0.9);
}

/* ---- The class --------------------------------------------------------------------------------
 */

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const ComplexityFigure *self = (const ComplexityFigure *) figure;
  const RegardMatrix *m = self->matrices[0];
  const double margin = REGARD_FIGURE_MARGIN * font;
  const Card card = {canvas,
                     regard_figure_palette(&figure->style),
                     &figure->style,
                     &self->numbers,
                     margin,
                     MAX(width - 2 * margin, font),
                     font};
  g_autofree char *sizes = regard_complexity_sizes(card.c);
  g_autofree char *model_sizes = regard_complexity_model_sizes(card.c);
  double y = margin;
  y += regard_figure_header(canvas, card.palette, card.x, y, card.width,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  y += font * 0.4;

  regard_canvas_begin_group(canvas, "table-1");
  y += draw_heading(&card, y, "What a layer costs (the paper, table 1)", sizes);
  y += draw_types(&card, y);
  regard_canvas_end_group(canvas);

  y += font * GAP;
  y += draw_heading(&card, y, "Operations per layer over the length", "");
  y += font * 0.6;
  const RegardRect plot = {card.x, y, card.width, width * PLOT_HEIGHT * figure->stretch};
  regard_complexity_plot(canvas, card.palette, card.style, card.c, plot, font);
  y += MAX(plot.height, font * 3.8);

  y += font * GAP;
  regard_canvas_begin_group(canvas, "parts");
  y += draw_heading(&card, y, "What this model costs, part by part", model_sizes);
  y += draw_parts(&card, y);
  y += draw_words(&card, y,
                  "n, m: tokens of source and translation. d: width of the model. E, D: layers of "
                  "encoder and decoder. f, g: width of their feed-forward networks. V: vocabulary.",
                  card.palette->dim, font * 0.9);
  y += draw_what(&card, y);
  y += draw_scores(&card, y);
  regard_canvas_end_group(canvas);
  if (m->model_name && *m->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font * 1.3;
    text_at(&card, card.x + card.width, y, m->model_name, card.palette->dim, font * 0.9,
            REGARD_ANCHOR_END);
  }
  return y + margin;
}

static guint
n_matrices(RegardFigure *figure)
{
  return G_N_ELEMENTS(((ComplexityFigure *) figure)->matrices);
}

static RegardMatrix *
matrix(RegardFigure *figure, guint i)
{
  return ((ComplexityFigure *) figure)->matrices[i];
}

static char *
describe_type(const RegardComplexity *c, const RegardSpot *spot)
{
  const char *formula = regard_complexity_formulas[spot->row][spot->col];
  g_autofree char *number = regard_complexity_number(
      regard_complexity_cell(c, (mt_layer_type) spot->row, (guint) spot->col));
  g_autofree char *sizes = regard_complexity_sizes(c);
  return g_strdup_printf("%s, %s: %s = %s with %s", regard_complexity_types[spot->row],
                         regard_complexity_columns[spot->col], formula, number, sizes);
}

static char *
describe_part(const RegardComplexity *c, const RegardSpot *spot)
{
  const guint line = (guint) spot->row;
  const char *name = regard_complexity_lines[line],
             *formula = regard_complexity_line_formulas[line];
  g_autofree char *number = part_number(c, line, (guint) spot->col);
  char share[G_ASCII_DTOSTR_BUF_SIZE], time[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(share, sizeof share, "%.1f", 100 * regard_complexity_share(c, line));
  switch (spot->col) {
  case PART_MULTIPLY_ADDS:
    return g_strdup_printf("%s: %s multiply-adds, %s", name, number, formula);
  case PART_TIME: {
    g_autofree char *timing = regard_complexity_timing(c);
    return g_strdup_printf("%s: %s ms; %s", name, number, timing);
  }
  case PART_SPEED:
    return g_strdup_printf("%s: %s thousand million multiply-adds a second", name, number);
  default:
    if (!is_timed(c))
      return g_strdup_printf("%s: %s %% of all multiply-adds", name, share);
    g_ascii_formatd(time, sizeof time, "%.1f", 100 * regard_complexity_time_share(c, line));
    return g_strdup_printf("%s: %s %% of all multiply-adds, %s %% of the time", name, share, time);
  }
}

static double
crossing(const RegardComplexity *c)
{
  return (double) c->sizes.d * (double) c->sizes.d * (double) c->sizes.d;
}

static char *
describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardComplexity *c = &((ComplexityFigure *) figure)->numbers;
  if (spot->part == TYPES)
    return describe_type(c, spot);
  if (spot->part == PARTS)
    return describe_part(c, spot);
  if (spot->col == REGARD_COMPLEXITY_AT_SENTENCE)
    return describe_type(c, &(RegardSpot){.row = spot->row, .col = REGARD_COMPLEXITY_OPERATIONS});
  g_autofree char *length = regard_complexity_whole(c->sizes.d);
  g_autofree char *cost = regard_complexity_number(crossing(c));
  return g_strdup_printf("n = d = %s: self-attention and a recurrent layer take the same number of "
                         "operations, %s; self-attention fewer in shorter sentences",
                         length, cost);
}

/* A plain number that other programs read. */
static char *
copy_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardComplexity *c = &((ComplexityFigure *) figure)->numbers;
  const guint line = (guint) spot->row;
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double value;
  if (spot->part == PARTS && spot->col == PART_MULTIPLY_ADDS)
    return g_strdup_printf("%" G_GUINT64_FORMAT, regard_complexity_multiply_adds(c, line));
  if (spot->part == PARTS)
    value = spot->col == PART_SHARE  ? regard_complexity_share(c, line)
            : spot->col == PART_TIME ? regard_complexity_milliseconds(c, line)
                                     : regard_complexity_speed(c, line);
  else if (spot->part == TYPES)
    value = regard_complexity_cell(c, (mt_layer_type) spot->row, (guint) spot->col);
  else if (spot->col == REGARD_COMPLEXITY_AT_SENTENCE)
    value = regard_complexity_cell(c, (mt_layer_type) spot->row, REGARD_COMPLEXITY_OPERATIONS);
  else
    value = crossing(c);
  return g_strdup(g_ascii_dtostr(text, sizeof text, value));
}

static void
complexity_free(RegardFigure *figure)
{
  ComplexityFigure *self = (ComplexityFigure *) figure;
  for (guint i = 0; i < G_N_ELEMENTS(self->matrices); i++)
    regard_matrix_unref(self->matrices[i]);
}

RegardFigure *
regard_figure_new_complexity(const RegardComplexity *complexity, const char *model_name,
                             const char *const *badges, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .matrix = matrix,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe_spot,
      .copy_spot = copy_spot,
      .free = complexity_free,
  };
  g_return_val_if_fail(complexity->sizes.n > 0 && complexity->sizes.k > 1 &&
                           complexity->sizes.r > 0,
                       NULL);
  ComplexityFigure *self = regard_figure_alloc(sizeof *self, &klass, style, FALSE);
  self->numbers = *complexity;
  self->matrices[0] = regard_complexity_matrix_types(complexity, model_name, badges);
  self->matrices[1] = regard_complexity_matrix_over_n(complexity, model_name);
  self->matrices[2] = regard_complexity_matrix_parts(complexity, model_name);
  return &self->parent;
}

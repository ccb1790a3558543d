/* regard-complexity-tables.c — the complexity card drawn: two tables, with the plot between them,
 * and what the numbers are of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where there is little room formulas go below their numbers, and then text shrinks.
 */
#include "figures/regard-complexity-private.h"

#define PITCH         1.75 /* of lines of a table, font sizes */
#define STACKED_PITCH 2.9
#define STACK_BELOW   0.85 /* formulas go below their numbers rather than to shrink more */
#define SAMPLE        2.6  /* of a line, and the gap behind it */
#define GAP           1.9  /* before a heading */
#define COLUMN_GAP    1.6  /* before a column of a table */
#define PLOT_HEIGHT   0.34 /* of the width */

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
draw_heading(const Card *card, double y, const char *name, const char *says)
{
  /* "n = 15" stays on one line. */
  g_auto(GStrv) parts = g_strsplit(says, " = ", -1);
  g_autofree char *sizes = g_strjoinv("\u00a0=\u00a0", parts);
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

/* Where columns begin and end, as shares of the width; the first is the name's. Then the same with
 * formulas below their numbers. */
static const double type_edges[2][4] = {{0.27, 0.57, 0.77, 1}, {0.45, 0.65, 0.83, 1}};

typedef struct {
  double x, width; /* of a column, without the gap before it */
} Column;

/* How the rows of a table are drawn: as wide as they are, or formulas below their numbers, and
 * smaller, where there is little room. */
typedef struct {
  gboolean is_stacked;
  double size, pitch;
} Rows;

static Column
column_between(const Card *card, const double *edges, guint i)
{
  const double gap = MIN(card->font * COLUMN_GAP, card->width * 0.03);
  return (Column){card->x + card->width * edges[i] + gap,
                  card->width * (edges[i + 1] - edges[i]) - gap};
}

/* What a formula and a number take in a row. */
static double
cell_width(const Card *card, const char *formula, const char *number, gboolean bold,
           gboolean is_stacked)
{
  const double first = text_width(card, formula, FALSE, card->font * 0.9);
  const double second = text_width(card, number, bold, card->font);
  return is_stacked ? MAX(first, second) : first + second + card->font * 0.8;
}

/* scale: how much smaller than usual text must be to fit side by side, and stacked. */
static Rows
rows_of(const Card *card, const double scale[2])
{
  const gboolean is_stacked = scale[0] < STACK_BELOW;
  return (Rows){is_stacked, card->font * CLAMP(scale[is_stacked], 0.3, 1),
                card->font * (is_stacked ? STACKED_PITCH : PITCH)};
}

static Rows
fit_types(const Card *card)
{
  double scale[2] = {1, 1};
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++)
    for (int stacked = 0; stacked < 2; stacked++) {
      const double name = text_width(card, regard_complexity_types[t], FALSE, card->font);
      scale[stacked] =
          MIN(scale[stacked], (card->width * type_edges[stacked][0] - card->font * SAMPLE) / name);
      for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
        g_autofree char *number =
            regard_complexity_number(regard_complexity_cell(card->c, (mt_layer_type) t, i));
        const double need =
            cell_width(card, regard_complexity_formulas[t][i], number, FALSE, stacked);
        scale[stacked] =
            MIN(scale[stacked], column_between(card, type_edges[stacked], i).width / need);
      }
    }
  return rows_of(card, scale);
}

/* A formula in grey, and its number at the end of the column; only the number if they are the same.
 */
static void
draw_cell(const Card *card, const Rows *rows, Column column, double baseline, const char *formula,
          const char *number, gboolean bold)
{
  const double end = column.x + column.width;
  regard_figure_text(card->canvas, end, baseline, number, card->palette->text, bold, rows->size,
                     REGARD_ANCHOR_END, 0);
  if (g_str_equal(formula, number))
    return;
  if (rows->is_stacked)
    text_at(card, end, baseline + card->font * 1.1, formula, card->palette->dim, rows->size * 0.9,
            REGARD_ANCHOR_END);
  else
    text_at(card, column.x, baseline, formula, card->palette->dim, rows->size * 0.9,
            REGARD_ANCHOR_START);
}

static double
draw_types(const Card *card, double y)
{
  static const char *const short_columns[] = {"operations", "sequential", "path"};
  const Rows rows = fit_types(card);
  const double head = PITCH * card->font - card->font * 0.3;
  for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
    const Column column = column_between(card, type_edges[rows.is_stacked ? 1 : 0], i);
    text_at(card, column.x + column.width, y + card->font,
            rows.is_stacked ? short_columns[i] : regard_complexity_columns[i], card->palette->dim,
            rows.size * 0.9, REGARD_ANCHOR_END);
  }
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++) {
    const double top = y + head + rows.pitch * t, baseline = top + card->font * 1.2;
    const double middle = baseline - card->font * 0.35;
    const RegardPen pen = regard_complexity_pen(card->style, (mt_layer_type) t);
    const RegardPoint sample[] = {{card->x, middle},
                                  {card->x + card->font * (SAMPLE - 0.6), middle}};
    draw_rule(card, top);
    regard_canvas_polyline(card->canvas, sample, 2, &pen);
    text_at(card, card->x + card->font * SAMPLE, baseline, regard_complexity_types[t],
            card->palette->text, rows.size, REGARD_ANCHOR_START);
    for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
      const Column column = column_between(card, type_edges[rows.is_stacked ? 1 : 0], i);
      g_autofree char *number =
          regard_complexity_number(regard_complexity_cell(card->c, (mt_layer_type) t, i));
      draw_cell(card, &rows, column, baseline, regard_complexity_formulas[t][i], number, FALSE);
      regard_canvas_spot(card->canvas, (RegardRect){column.x, top, column.width, rows.pitch},
                         REGARD_COMPLEXITY_TYPES, (int) t, (int) i);
    }
  }
  return head + rows.pitch * MT_N_LAYER_TYPES;
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

/* Name, formula and number, share, milliseconds, speed. */
static const double part_edges[2][5] = {{0.22, 0.57, 0.79, 0.88, 1}, {0.32, 0.60, 0.74, 0.87, 1}};

static const char *const part_titles[] = {"multiply-adds", NULL, "ms", "10⁹ per s"};

static Rows
fit_parts(const Card *card)
{
  double scale[2] = {1, 1};
  for (guint l = 0; l < REGARD_COMPLEXITY_N_LINES; l++)
    for (int stacked = 0; stacked < 2; stacked++) {
      const gboolean bold = l == REGARD_COMPLEXITY_PASS;
      const double name = text_width(card, regard_complexity_lines[l], bold, card->font);
      scale[stacked] = MIN(scale[stacked], card->width * part_edges[stacked][0] / name);
      for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
        g_autofree char *number = regard_complexity_part(card->c, l, i);
        const char *formula =
            i == REGARD_COMPLEXITY_MULTIPLY_ADDS ? regard_complexity_line_formulas[l] : NULL;
        if (!number)
          continue;
        const double need = formula ? cell_width(card, formula, number, bold, stacked)
                                    : text_width(card, number, bold, card->font);
        scale[stacked] =
            MIN(scale[stacked], column_between(card, part_edges[stacked], i).width / need);
      }
    }
  return rows_of(card, scale);
}

static guint32
bar_colour(const Card *card, gboolean of_time)
{
  return of_time ? card->palette->bar : card->palette->badge_text;
}

/* Above, the share of all multiply-adds, below, that of the time. */
static void
draw_bars(const Card *card, guint line, RegardRect area)
{
  const gboolean two = regard_complexity_is_timed(card->c);
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
draw_part(const Card *card, const Rows *rows, guint line, double top)
{
  const gboolean is_sum = line == REGARD_COMPLEXITY_PASS;
  const double baseline = top + card->font * 1.2;
  regard_figure_text(card->canvas, card->x, baseline, regard_complexity_lines[line],
                     card->palette->text, is_sum, rows->size, REGARD_ANCHOR_START, 0);
  for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
    const Column column = column_between(card, part_edges[rows->is_stacked ? 1 : 0], i);
    const RegardRect cell = {column.x, top, column.width, rows->pitch};
    g_autofree char *number = regard_complexity_part(card->c, line, i);
    if (i == REGARD_COMPLEXITY_SHARE && !is_sum)
      draw_bars(card, line,
                (RegardRect){cell.x, top + card->font * 0.38, cell.width, card->font * 0.98});
    else if (!number)
      continue;
    else
      draw_cell(card, rows, column, baseline,
                i == REGARD_COMPLEXITY_MULTIPLY_ADDS ? regard_complexity_line_formulas[line] : "",
                number, is_sum);
    regard_canvas_spot(card->canvas, cell, REGARD_COMPLEXITY_PARTS, (int) line, (int) i);
  }
}

/* What the bars are, each in its colour where that has room. */
static void
draw_bar_title(const Card *card, Column column, double baseline, double size)
{
  static const char *const names[] = {"multiply-adds", "time"};
  const guint n = regard_complexity_is_timed(card->c) ? G_N_ELEMENTS(names) : 1;
  const double box = size * 0.7, behind = size * 0.4, gap = size;
  double need = -gap, x = column.x;
  for (guint i = 0; i < n; i++)
    need += box + behind + text_width(card, names[i], FALSE, size) + gap;
  if (need > column.width) {
    text_at(card, x, baseline, "share", card->palette->dim, size, REGARD_ANCHOR_START);
    return;
  }
  for (guint i = 0; i < n; i++) {
    regard_canvas_fill_rect(card->canvas, (RegardRect){x, baseline - box, box, box}, 0,
                            bar_colour(card, i == 1));
    text_at(card, x + box + behind, baseline, names[i], card->palette->dim, size,
            REGARD_ANCHOR_START);
    x += box + behind + text_width(card, names[i], FALSE, size) + gap;
  }
}

static double
draw_parts(const Card *card, double y)
{
  const Rows rows = fit_parts(card);
  const double head = PITCH * card->font - card->font * 0.3;
  for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
    const Column column = column_between(card, part_edges[rows.is_stacked ? 1 : 0], i);
    const gboolean is_time = i == REGARD_COMPLEXITY_TIME || i == REGARD_COMPLEXITY_SPEED;
    if (i == REGARD_COMPLEXITY_SHARE)
      draw_bar_title(card, column, y + card->font, rows.size * 0.9);
    else if (!is_time || regard_complexity_is_timed(card->c))
      text_at(card, column.x + column.width, y + card->font, part_titles[i], card->palette->dim,
              rows.size * 0.9, REGARD_ANCHOR_END);
  }
  for (guint l = 0; l < REGARD_COMPLEXITY_N_LINES; l++) {
    draw_rule(card, y + head + rows.pitch * l);
    draw_part(card, &rows, l, y + head + rows.pitch * l);
  }
  return head + rows.pitch * REGARD_COMPLEXITY_N_LINES + card->font * 0.3;
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
                         "output matrix. Bars are shares of the whole pass%s.",
                         g_ascii_toupper(timing[0]), timing + 1,
                         regard_complexity_is_timed(c)
                             ? ": above of its multiply-adds, below of its time"
                             : "");
  if (regard_complexity_is_timed(c))
    g_string_append_printf(text,
                           " Every time is a median of its own. Scores are timed with their "
                           "softmax%s; everything else is embedding,%s residuals and the softmax "
                           "over the vocabulary.",
                           c->is_pre_norm ? ", projections and feed-forward with their layer norm"
                                          : "",
                           c->is_pre_norm ? " last layer norms," : " layer norms,");
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

/* ---- The card ----------------------------------------------------------------------------------
 */

double
regard_complexity_draw(RegardFigure *figure, RegardCanvas *canvas, const RegardComplexity *c,
                       const RegardMatrix *m, double width, double font)
{
  const double margin = REGARD_FIGURE_MARGIN * font;
  const Card card = {canvas,
                     regard_figure_palette(&figure->style),
                     &figure->style,
                     c,
                     margin,
                     MAX(width - 2 * margin, font),
                     font};
  g_autofree char *sizes = regard_complexity_sizes(c);
  g_autofree char *model_sizes = regard_complexity_model_sizes(c);
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
  regard_complexity_plot(canvas, card.palette, card.style, c, plot, font);
  y += MAX(plot.height, font * 3.8);

  y += font * GAP;
  regard_canvas_begin_group(canvas, "parts");
  y += draw_heading(&card, y, "What this model costs, part by part", model_sizes);
  y += draw_parts(&card, y);
  y += draw_words(&card, y,
                  "n, m: tokens of source and translation. d: width of the model. E, D: layers of "
                  "encoder and decoder. f, g: width of their feed-forward networks. V: vocabulary.",
                  card.palette->dim, font * 0.9);
  y += draw_what(&card, y + font * 0.4) + font * 0.4;
  y += draw_scores(&card, y + font * 0.4) + font * 0.4;
  regard_canvas_end_group(canvas);
  if (m->model_name && *m->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font * 1.3;
    text_at(&card, card.x + card.width, y, m->model_name, card.palette->dim, font * 0.9,
            REGARD_ANCHOR_END);
  }
  return y + margin;
}

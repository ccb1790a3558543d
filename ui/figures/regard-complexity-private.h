/* regard-complexity-private.h — what the parts of the complexity card share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-complexity.h"
#include "figures/regard-figure-private.h"

/* ---- words and numbers (regard-complexity.c) ---- */

/* Lines of the table of parts: those of mt_cost, then what is no product, then the whole pass. */
enum { REGARD_COMPLEXITY_OTHER = MT_N_COSTS, REGARD_COMPLEXITY_PASS, REGARD_COMPLEXITY_N_LINES };

/* Columns of table 1. */
enum {
  REGARD_COMPLEXITY_OPERATIONS,
  REGARD_COMPLEXITY_SEQUENTIAL,
  REGARD_COMPLEXITY_PATH,
  REGARD_COMPLEXITY_N_COLUMNS,
};

extern const char *const regard_complexity_types[MT_N_LAYER_TYPES];
extern const char *const regard_complexity_columns[REGARD_COMPLEXITY_N_COLUMNS];
extern const char *const regard_complexity_formulas[MT_N_LAYER_TYPES][REGARD_COMPLEXITY_N_COLUMNS];
extern const char *const regard_complexity_lines[REGARD_COMPLEXITY_N_LINES];
extern const char *const regard_complexity_line_formulas[REGARD_COMPLEXITY_N_LINES];

/* The numbers of table 1. */
double regard_complexity_cell(const RegardComplexity *c, mt_layer_type type, guint column);
/* Multiply-adds of a line, 0 for what is no product; its milliseconds. */
guint64 regard_complexity_multiply_adds(const RegardComplexity *c, guint line);
double regard_complexity_milliseconds(const RegardComplexity *c, guint line);
/* Thousand millions of multiply-adds in a second; NAN where there are none, or no time. */
double regard_complexity_speed(const RegardComplexity *c, guint line);
/* Shares of the whole pass: of its multiply-adds, and of its time. */
double regard_complexity_share(const RegardComplexity *c, guint line);
double regard_complexity_time_share(const RegardComplexity *c, guint line);

/* Columns of the table of parts, and whether the last two have anything. */
enum {
  REGARD_COMPLEXITY_MULTIPLY_ADDS,
  REGARD_COMPLEXITY_SHARE,
  REGARD_COMPLEXITY_TIME,
  REGARD_COMPLEXITY_SPEED,
  REGARD_COMPLEXITY_N_PART_COLUMNS,
};
static inline gboolean
regard_complexity_is_timed(const RegardComplexity *c)
{
  return c->times.n_passes > 0;
}
/* A number of that table as it is drawn; NULL: there is none. Caller frees. */
char *regard_complexity_part(const RegardComplexity *c, guint line, guint column);

/* "1,234,567"; "2.33" where it is not whole. Caller frees. */
char *regard_complexity_number(double value);
char *regard_complexity_whole(guint64 value);
/* "n = 13, d = 512, k = 3, r = 13 of 16". Caller frees. */
char *regard_complexity_sizes(const RegardComplexity *c);
char *regard_complexity_model_sizes(const RegardComplexity *c);
/* What was timed: "one parallel pass over 13 + 15 tokens …, median of 9, 4 threads". Caller frees.
 */
char *regard_complexity_timing(const RegardComplexity *c);

/* The length up to which the plot goes: 10,000, or the next power of ten above the sentence's. */
double regard_complexity_longest(const RegardComplexity *c);

RegardMatrix *regard_complexity_matrix_types(const RegardComplexity *c, const char *model_name,
                                             const char *const *badges);
RegardMatrix *regard_complexity_matrix_over_n(const RegardComplexity *c, const char *model_name);
RegardMatrix *regard_complexity_matrix_parts(const RegardComplexity *c, const char *model_name);

/* ---- drawing (regard-complexity-tables.c, regard-complexity-plot.c) ---- */

/* The parts of spots: of the tables rows and columns are those of the table; of the plot the row is
 * a type of layer. */
enum { REGARD_COMPLEXITY_TYPES, REGARD_COMPLEXITY_PLOT, REGARD_COMPLEXITY_PARTS };
/* Columns of the plot. */
enum { REGARD_COMPLEXITY_AT_SENTENCE, REGARD_COMPLEXITY_AT_CROSSING };

/* m: the first matrix. Returns the height. */
double regard_complexity_draw(RegardFigure *figure, RegardCanvas *canvas, const RegardComplexity *c,
                              const RegardMatrix *m, double width, double font);

/* How the line of a type is drawn, in the plot and beside its name. */
RegardPen regard_complexity_pen(const RegardFigureStyle *style, mt_layer_type type);
/* Draws over rect, labels and all. */
void regard_complexity_plot(RegardCanvas *canvas, const RegardPalette *palette,
                            const RegardFigureStyle *style, const RegardComplexity *c,
                            RegardRect rect, double font);

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

/* ---- the plot (regard-complexity-plot.c) ---- */

/* Spots of the plot. */
#define REGARD_COMPLEXITY_PLOT 1
enum { REGARD_COMPLEXITY_AT_SENTENCE, REGARD_COMPLEXITY_AT_CROSSING };

/* How the line of a type is drawn, in the plot and beside its name. */
RegardPen regard_complexity_pen(const RegardFigureStyle *style, mt_layer_type type);
/* Draws over rect, labels and all. */
void regard_complexity_plot(RegardCanvas *canvas, const RegardPalette *palette,
                            const RegardFigureStyle *style, const RegardComplexity *c,
                            RegardRect rect, double font);

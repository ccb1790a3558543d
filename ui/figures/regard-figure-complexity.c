/* regard-figure-complexity.c — the complexity card as a figure: its matrices, and what its places
 * say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-complexity-private.h"
#include <math.h>

typedef struct {
  RegardFigure parent;
  RegardComplexity numbers;
  RegardMatrix *matrices[3];
} ComplexityFigure;

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const ComplexityFigure *self = (const ComplexityFigure *) figure;
  return regard_complexity_draw(figure, canvas, &self->numbers, self->matrices[0], width, font);
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
  g_autofree char *number = regard_complexity_part(c, line, (guint) spot->col);
  char share[G_ASCII_DTOSTR_BUF_SIZE], time[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(share, sizeof share, "%.1f", 100 * regard_complexity_share(c, line));
  switch (spot->col) {
  case REGARD_COMPLEXITY_MULTIPLY_ADDS:
    return g_strdup_printf("%s: %s multiply-adds, %s", name, number, formula);
  case REGARD_COMPLEXITY_TIME: {
    g_autofree char *timing = regard_complexity_timing(c);
    return g_strdup_printf("%s: %s ms; %s", name, number, timing);
  }
  case REGARD_COMPLEXITY_SPEED:
    return g_strdup_printf("%s: %s thousand million multiply-adds a second", name, number);
  default:
    if (!regard_complexity_is_timed(c))
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
  if (spot->part == REGARD_COMPLEXITY_TYPES)
    return describe_type(c, spot);
  if (spot->part == REGARD_COMPLEXITY_PARTS)
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
  if (spot->part == REGARD_COMPLEXITY_PARTS && spot->col == REGARD_COMPLEXITY_MULTIPLY_ADDS)
    return g_strdup_printf("%" G_GUINT64_FORMAT, regard_complexity_multiply_adds(c, line));
  if (spot->part == REGARD_COMPLEXITY_PARTS)
    value = spot->col == REGARD_COMPLEXITY_SHARE  ? regard_complexity_share(c, line)
            : spot->col == REGARD_COMPLEXITY_TIME ? regard_complexity_milliseconds(c, line)
                                                  : regard_complexity_speed(c, line);
  else if (spot->part == REGARD_COMPLEXITY_TYPES)
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

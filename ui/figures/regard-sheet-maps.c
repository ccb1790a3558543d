/* regard-sheet-maps.c — matrices of one quantity beside each other, as a panel of a sheet has them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Effects of heads and patching are maps that a page draws in its own way. In a sheet they are laid
 * out as matrices are, at any size, on the scale of all panels.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"

#include <string.h>

/* In font sizes. */
#define LEAST_MAP 11.0 /* width of a map; with less there are fewer in a row */
#define GAP       1.4
#define TITLE     1.7
#define MOST_ROW  3

typedef struct {
  RegardSubject subject;
  GPtrArray *matrices;
  char *title;     /* what their titles have in common */
  gsize n_in_each; /* so many bytes of each title */
} Maps;

static RegardMatrix *
map_at(const Maps *self, guint i)
{
  return self->matrices->pdata[i];
}

/* Returns the height. */
static double
draw_map(RegardFigure *figure, RegardCanvas *canvas, guint i, double x, double y, double width,
         double font)
{
  const Maps *self = figure->subject;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  RegardPlot plot = {.style = &figure->style,
                     .stretch = figure->stretch,
                     .canvas = canvas,
                     .palette = palette,
                     .m = map_at(self, i),
                     .font = font};
  regard_figure_text_within(canvas, x, y + font, width, plot.m->title + self->n_in_each,
                            palette->text, TRUE, font, REGARD_ANCHOR_START);
  regard_plot_lay_out(&plot, x, width, y + TITLE * font);
  regard_plot_draw(&plot);
  return regard_plot_bottom(&plot) - y;
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const Maps *self = figure->subject;
  const RegardPalette *palette = regard_figure_palette(&figure->style);
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  const RegardMatrix *first = map_at(self, 0);
  const guint n = self->matrices->len;
  const guint fitting = (guint) MAX(1, (inner + GAP * font) / ((LEAST_MAP + GAP) * font));
  const guint rows = (n + MIN(fitting, MOST_ROW) - 1) / MIN(fitting, MOST_ROW);
  const guint in_row = (n + rows - 1) / rows; /* three and two, not three, one and one */
  const double each = (inner - GAP * font * (in_row - 1)) / in_row;
  double y = margin;
  y += regard_figure_header(canvas, palette, margin, y, inner,
                            regard_figure_title(&figure->style, self->title), first->badges, font);
  for (guint r = 0; r < rows; r++) {
    double height = 0;
    for (guint i = r * in_row; i < MIN(n, (r + 1) * in_row); i++) {
      const double x = margin + (i % in_row) * (each + GAP * font);
      const double drawn = draw_map(figure, canvas, i, x, y, each, font);
      height = MAX(height, drawn);
    }
    y += height + (r + 1 < rows ? GAP * font : 0);
  }
  /* The first number of a bar with a sign is centred under its end. */
  const double x = margin + (first->diverging ? 1.5 * font : 0);
  if (regard_figure_has(&figure->style, REGARD_PART_BAR))
    y +=
        GAP * font + regard_figure_footer(canvas, palette, &figure->style, first, x, y + GAP * font,
                                          margin + inner - x, first->model_name, font);
  return y + margin;
}

static guint
n_matrices(RegardFigure *figure)
{
  return ((const Maps *) figure->subject)->matrices->len;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_matrix_ref(map_at(figure->subject, i));
}

static void
clear(gpointer subject)
{
  Maps *self = subject;
  g_ptr_array_unref(self->matrices);
  g_free(self->title);
}

/* "Patching" of "Patching · encoder heads" and "Patching · cross heads". */
static void
find_title(Maps *self)
{
  const char *first = map_at(self, 0)->title, *end = strstr(first, " · ");
  const gsize n = end ? (gsize) (end - first) + strlen(" · ") : 0;
  for (guint i = 0; i < self->matrices->len; i++)
    if (n == 0 || strncmp(map_at(self, i)->title, first, n) != 0)
      return;
  self->title = g_strndup(first, n - strlen(" · "));
  self->n_in_each = n;
}

RegardFigure *
regard_figure_new_maps(GPtrArray *matrices, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.draw = draw,
                                          .n_matrices = n_matrices,
                                          .new_matrix = new_matrix,
                                          .has_parts = TRUE};
  Maps *self = regard_subject_alloc(sizeof *self, clear);
  self->matrices = g_ptr_array_ref(matrices);
  find_title(self);
  return regard_figure_new(&klass, self, NULL, map_at(self, 0)->diverging, style);
}

/* regard-figure-matrix.c — one matrix, large, with everything that explains it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Layout, top to bottom: title and badges; the matrix with its labels (regard-figure-plot.h);
 * colour bar.
 */
#include "figures/regard-figure-plot.h"

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
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

RegardFigure *
regard_figure_new_matrix(RegardMatrix *matrix, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {.draw = draw};
  g_return_val_if_fail(matrix, NULL);
  return regard_figure_new(&klass, regard_matrix_ref(matrix), NULL, matrix->diverging, style);
}

/* regard-figure.c — what all figures are: their life, caption, and dispatch to their class.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-visible.h"
#include <math.h>
#include <string.h>

RegardFigure *
regard_figure_new(const RegardFigureClass *klass, gpointer subject, gconstpointer options,
                  gboolean is_diverging, const RegardFigureStyle *style)
{
  static const RegardFigureStyle standard = REGARD_FIGURE_STYLE_INIT;
  RegardFigure *figure = g_new0(RegardFigure, 1);
  figure->klass = klass;
  figure->subject = subject;
  figure->options = g_memdup2(options, klass->options_size);
  figure->style = style ? *style : standard;
  /* A sequential map would give a signed matrix no visible zero, so it is not used for one. */
  const RegardColormap *map = figure->style.colormap;
  if (!map || (is_diverging && !map->diverging))
    map = is_diverging ? regard_colormap_default_diverging() : regard_colormap_default();
  figure->style.colormap = map;
  figure->stretch = 1;
  return figure;
}

void
regard_figure_free(RegardFigure *figure)
{
  if (!figure)
    return;
  g_clear_pointer(&figure->made, regard_matrix_unref);
  regard_subject_unref((gpointer) figure->subject);
  g_free(figure->options);
  g_free(figure);
}

void
regard_figure_leave_out(RegardFigure *figure, guint parts)
{
  figure->style.left_out |= parts;
}

/* The height with plots of so many times their own. */
static double
height_at(RegardFigure *figure, double stretch, double width_pt, double font_pt)
{
  figure->stretch = stretch;
  return regard_figure_height(figure, width_pt, font_pt);
}

gboolean
regard_figure_set_height(RegardFigure *figure, double width_pt, double font_pt, double height_pt,
                         double *least)
{
  const double LEAST = 0.02, ENOUGH = 0.05 /* pt */;
  const double before = figure->stretch;
  double lo = LEAST, hi = 1, shortest = height_at(figure, LEAST, width_pt, font_pt);
  if (least)
    *least = shortest;
  gboolean fits = shortest <= height_pt && height_at(figure, 2, width_pt, font_pt) > shortest + 1;
  while (fits && height_at(figure, hi, width_pt, font_pt) < height_pt && hi < 1e4)
    hi *= 2;
  /* Labels thin out and turn as cells shrink, so that height is no straight line. */
  for (int i = 0; fits && i < 60; i++) {
    double middle = (lo + hi) / 2, height = height_at(figure, middle, width_pt, font_pt);
    if (fabs(height - height_pt) < ENOUGH)
      return TRUE;
    *(height < height_pt ? &lo : &hi) = middle;
  }
  figure->stretch = fits ? lo : before;
  return fits;
}

double
regard_figure_height_in(RegardFigure *figure, double width_pt, double font_pt, const char *family)
{
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  canvas->family = family;
  return figure->klass->draw(figure, canvas, width_pt, font_pt);
}

double
regard_figure_least_width(RegardFigure *figure, double font_pt, const char *family)
{
  if (!figure->klass->least_width)
    return 0;
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  canvas->family = family;
  return figure->klass->least_width(figure, canvas, font_pt);
}

double
regard_figure_height(RegardFigure *figure, double width_pt, double font_pt)
{
  return regard_figure_height_in(figure, width_pt, font_pt, NULL);
}

void
regard_figure_paint(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  figure->klass->draw(figure, canvas, width_pt, font_pt);
}

GArray *
regard_figure_spots(RegardFigure *figure, double width_pt, double font_pt, const char *family)
{
  GArray *spots = g_array_new(FALSE, FALSE, sizeof(RegardSpot));
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_spots(spots);
  canvas->family = family;
  figure->klass->draw(figure, canvas, width_pt, font_pt);
  return spots;
}

char *
regard_figure_describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  return figure->klass->describe_spot ? figure->klass->describe_spot(figure, spot) : NULL;
}

char *
regard_figure_copy_spot(RegardFigure *figure, const RegardSpot *spot)
{
  return figure->klass->copy_spot ? figure->klass->copy_spot(figure, spot) : NULL;
}

void
regard_figure_draw(RegardFigure *figure, RegardCanvas *canvas, double width_pt, double font_pt)
{
  RegardRect page = {0, 0, width_pt, regard_figure_height(figure, width_pt, font_pt)};
  regard_canvas_fill_rect(canvas, page, 0, regard_figure_palette(&figure->style)->background);
  regard_figure_paint(figure, canvas, width_pt, font_pt);
}

guint
regard_figure_n_matrices(RegardFigure *figure)
{
  const RegardFigureClass *klass = figure->klass;
  return klass->n_matrices ? klass->n_matrices(figure) : MAX(klass->n, 1);
}

RegardMatrix *
regard_figure_matrix(RegardFigure *figure, guint i)
{
  g_return_val_if_fail(i < regard_figure_n_matrices(figure), NULL);
  if (!figure->klass->new_matrix)
    return (RegardMatrix *) figure->subject;
  if (!figure->made || figure->made_index != i) {
    RegardMatrix *last = figure->made; /* a head of a grid may be made like the last */
    figure->made = figure->klass->new_matrix(figure, i);
    figure->made_index = i;
    regard_matrix_unref(last);
  }
  return figure->made;
}

gsize
regard_figure_n_cells(RegardFigure *figure)
{
  if (figure->klass->n_cells)
    return figure->klass->n_cells(figure);
  gsize n = 0;
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++) {
    const RegardMatrix *m = regard_figure_matrix(figure, i);
    n += (gsize) m->rows * m->cols;
  }
  return n;
}

void
regard_figure_group(RegardFigure *figure, guint first, RegardFigureGroup *group)
{
  *group = (RegardFigureGroup){.n = 1, .prefix = ""};
  if (figure->klass->group)
    figure->klass->group(figure, first, group);
}

const mt_capture *
regard_figure_whole_capture(RegardFigure *figure)
{
  return figure->klass->whole_capture ? figure->klass->whole_capture(figure) : NULL;
}

char *
regard_figure_caption(RegardFigure *figure)
{
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  const RegardOriginClass *from = m->origin_class;
  g_autoptr(GString) text = g_string_new(NULL);
  if (figure->klass->append_what)
    figure->klass->append_what(figure, text);
  else
    g_string_append_printf(text, "%s.", m->title);
  if (from && from->append_subject)
    from->append_subject(m, text);
  else
    g_string_append_printf(text, " Rows: %s; columns: %s.", m->row_title, m->col_title);
  for (char **badge = m->badges; badge && *badge; badge++)
    g_string_append_printf(text, " %c%s.", g_ascii_toupper((*badge)[0]), *badge + 1);
  if (!figure->klass->has_no_scale)
    g_string_append_printf(text, " Colour scale: %s.",
                           regard_scale_info(figure->style.scale)->caption);
  if (from && from->append_origin)
    from->append_origin(m, text);
  else if (m->model_name && *m->model_name)
    g_string_append_printf(text, " Model: %s.", m->model_name);
  g_string_append(text, " Drawn with Regard " MT_VERSION ".");
  return regard_visible(text->str); /* it quotes sentences, and names of files */
}

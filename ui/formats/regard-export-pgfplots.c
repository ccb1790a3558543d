/* regard-export-pgfplots.c — matrices and curves as axes of pgfplots, with their numbers in the
 * file, for who wants to change the plot in LaTeX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A matrix is a matrix plot*: a line for each cell, x its column, y its row, w its value and m its
 * place on the colour bar, 0 to 1, whose ticks say the values. Cells that the mask hides have no
 * colour. Many matrices are a group. Of figures whose matrices are different things, one with few
 * columns is curves over its rows, if these are numbers, or a table.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-tex.h"
#include "formats/regard-export-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* TeX keeps what it reads in memory. */
#define MOST_CELLS  20000
#define MOST_CURVES 8
/* Of the map, between which colours are mixed. */
#define N_COLORS 33
/* Of a group. */
#define MOST_COLUMNS 4
/* Values stand in cells that are so wide, in font sizes. */
#define CELL_OF_NUMBER 2.2

typedef struct {
  GString *out;
  RegardFigure *figure;
  const RegardPalette *palette;
  double font;
  gunichar foreign;
} Plot;

static void
append_text(Plot *plot, const char *text)
{
  if (text)
    regard_tex_append_text(plot->out, text, &plot->foreign);
}

static void
append_rgb(GString *out, guint32 argb)
{
  g_string_append_printf(out, "{rgb,255:red,%u;green,%u;blue,%u}", argb >> 16 & 0xff,
                         argb >> 8 & 0xff, argb & 0xff);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void
append_label(Plot *plot, const RegardLabel *label)
{
  g_string_append_c(plot->out, '{');
  append_text(plot, label->prefix);
  append_text(plot, label->text);
  append_text(plot, label->suffix);
  g_string_append_c(plot->out, '}');
}

/* Where labels are, and what they say. axis: "x". */
static void
append_ticks(Plot *plot, const char *axis, const RegardLabel *labels, guint n)
{
  if (n == 0) {
    g_string_append_printf(plot->out, "  %stick=\\empty,\n", axis);
    return;
  }
  g_string_append_printf(plot->out, "  %stick={", axis);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(plot->out, i ? ",%u" : "%u", i);
  g_string_append_printf(plot->out, "}, %sticklabels={", axis);
  for (guint i = 0; i < n; i++) {
    if (i)
      g_string_append_c(plot->out, ',');
    append_label(plot, &labels[i]);
  }
  g_string_append(plot->out, "},\n");
}

/* In a group what differs: "head 4" of "Cross-attention · layer 5 · head 4". */
static void
append_title(Plot *plot, const RegardMatrix *m, gboolean is_short)
{
  const char *first = is_short ? strstr(m->title, " · ") : NULL;
  g_string_append(plot->out, "  title={");
  if (regard_figure_has(&plot->figure->style, REGARD_PART_TITLE)) {
    append_text(plot, first ? first + strlen(" · ") : m->title);
    for (guint i = 0; !is_short && m->badges && m->badges[i]; i++) {
      g_string_append(plot->out, "\\ \\textperiodcentered{}\\ ");
      append_text(plot, m->badges[i]);
    }
  }
  g_string_append(plot->out, "},\n");
}

/* ---- Colours --------------------------------------------------------------------------------- */

static void
append_colormap(Plot *plot)
{
  const RegardColormap *map = plot->figure->style.colormap;
  g_string_append(plot->out, "\\pgfplotsset{colormap={regard}{");
  for (guint i = 0; i < N_COLORS; i++) {
    const guint32 c = regard_colormap_lookup(map, (double) i / (N_COLORS - 1));
    g_string_append_printf(plot->out, "rgb255=(%u,%u,%u) ", c >> 16 & 0xff, c >> 8 & 0xff,
                           c & 0xff);
  }
  g_string_append(plot->out, "}}%\n");
}

/* Ten points a letter: marks are few. */
static double
text_width(gpointer user, const char *text)
{
  (void) user;
  return 10.0 * (double) g_utf8_strlen(text, -1);
}

static void
append_colorbar(Plot *plot, const RegardMatrix *m)
{
  RegardScaleMark marks[REGARD_MAX_SCALE_MARKS];
  const double width = 400;
  const guint n = regard_scale_marks(plot->figure->style.scale, m->lo, m->hi, width, 10, 20,
                                     text_width, NULL, marks);
  GString *out = plot->out;
  g_string_append(out, "  colorbar, colorbar style={ytick={");
  for (guint i = 0; i < n; i++) {
    char place[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(place, sizeof place, "%.4f", marks[i].x / width);
    g_string_append_printf(out, "%s%s", i ? "," : "", place);
  }
  g_string_append(out, "}, yticklabels={");
  for (guint i = 0; i < n; i++) {
    g_string_append(out, i ? ",{" : "{");
    append_text(plot, marks[i].text);
    g_string_append_c(out, '}');
  }
  g_string_append(out, "}, ylabel={");
  append_text(plot, m->value_name);
  g_string_append(out, ", ");
  append_text(plot, _(regard_scale_info(plot->figure->style.scale)->axis));
  g_string_append(out, "}},\n");
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static double
place_of(const Plot *plot, const RegardMatrix *m, guint r, guint c)
{
  return regard_scale_apply(plot->figure->style.scale, regard_matrix_get(m, r, c), m->lo, m->hi,
                            regard_matrix_row_max(m, r));
}

static gboolean
has_no_value(const RegardMatrix *m, guint r, guint c)
{
  return regard_matrix_is_masked(m, r, c) || !isfinite(regard_matrix_get(m, r, c));
}

static void
append_cells(Plot *plot, const RegardMatrix *m)
{
  char value[G_ASCII_DTOSTR_BUF_SIZE], place[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf(plot->out,
                         "\\addplot[matrix plot*, mesh/cols=%u, mesh/rows=%u, point meta=explicit] "
                         "table[x=x, y=y, meta=m, row sep=newline] {\nx y w m\n",
                         m->cols, m->rows);
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++) {
      const gboolean is_empty = has_no_value(m, r, c);
      g_ascii_formatd(place, sizeof place, "%.4f", is_empty ? 0 : place_of(plot, m, r, c));
      g_string_append_printf(plot->out, "%u %u %s %s\n", c, r,
                             is_empty ? "nan"
                                      : regard_exact_number(value, regard_matrix_get(m, r, c)),
                             place);
    }
  g_string_append(plot->out, "};\n");
}

/* Over the cells that have no value, one rectangle for those beside each other in a row. */
static void
append_masked(Plot *plot, const RegardMatrix *m)
{
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0, end; c < m->cols; c = end + 1) {
      for (end = c; end < m->cols && has_no_value(m, r, end);)
        end++;
      if (end == c)
        continue;
      g_string_append(plot->out, "\\fill[fill=");
      append_rgb(plot->out, plot->palette->masked);
      g_string_append_printf(plot->out,
                             "] (axis cs:%u-.5,%u-.5) rectangle (axis cs:%u+.5,%u+.5);\n", c, r,
                             end - 1, r);
    }
}

static void
append_numbers(Plot *plot, const RegardMatrix *m)
{
  const double range = MAX(fabs(m->lo), fabs(m->hi));
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++) {
      char text[REGARD_CELL_TEXT];
      if (has_no_value(m, r, c))
        continue;
      regard_cell_text(text, regard_matrix_get(m, r, c), range);
      if (!*text)
        continue;
      const guint32 color =
          regard_colormap_lookup(plot->figure->style.colormap, place_of(plot, m, r, c));
      g_string_append_printf(plot->out, "\\node[%s] at (axis cs:%u,%u) {",
                             regard_color_wants_black_text(color) ? "black" : "white", c, r);
      append_text(plot, text);
      g_string_append(plot->out, "};\n");
    }
}

/* How high the labels above the columns are, which lean: the title stands above them. */
static double
labels_height(const Plot *plot, const RegardMatrix *m)
{
  glong longest = 0;
  for (guint c = 0; c < m->cols; c++)
    longest = MAX(longest, g_utf8_strlen(m->col_labels[c].text, -1));
  return (0.4 * (double) longest + 0.6) * plot->font;
}

/* What a matrix has of its own, where others stand beside it and above. */
typedef struct {
  gboolean has_rows, has_cols, has_bar, is_short;
} Place;
static const Place alone = {TRUE, TRUE, TRUE, FALSE};

static void
append_matrix(Plot *plot, const RegardMatrix *m, const char *command, const Place *place,
              double width_pt)
{
  GString *out = plot->out;
  g_string_append_printf(out, "%s[\n", command);
  append_title(plot, m, place->is_short);
  g_string_append(out, "  title style={yshift=");
  regard_tex_append_number(out, place->has_cols ? labels_height(plot, m) : 0);
  g_string_append(out, "bp},\n");
  append_ticks(plot, "x", m->col_labels, place->has_cols ? m->cols : 0);
  append_ticks(plot, "y", m->row_labels, place->has_rows ? m->rows : 0);
  g_string_append(out, "  xlabel={");
  append_text(plot, place->is_short ? NULL : m->col_title);
  g_string_append(out, "}, ylabel={");
  append_text(plot, place->has_rows ? m->row_title : NULL);
  g_string_append(out,
                  "},\n"
                  "  y dir=reverse, enlargelimits=false, tick style={draw=none}, axis on top,\n"
                  "  xticklabel pos=top, xlabel style={at={(0.5,-0.03)}, anchor=north},\n"
                  "  x tick label style={rotate=45, anchor=south west, inner sep=1pt},\n"
                  "  point meta min=0, point meta max=1,\n");
  if (place->has_bar)
    append_colorbar(plot, m);
  g_string_append(out, "]\n");
  append_cells(plot, m);
  append_masked(plot, m);
  if (regard_figure_has(&plot->figure->style, REGARD_PART_NUMBERS) &&
      width_pt >= CELL_OF_NUMBER * plot->font * m->cols)
    append_numbers(plot, m);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* Rows that are named by numbers, ever larger ones, stand at them. */
static gboolean
read_rows(const RegardMatrix *m, double *at)
{
  for (guint r = 0; r < m->rows; r++) {
    char *end;
    at[r] = g_ascii_strtod(m->row_labels[r].text, &end);
    if (end == m->row_labels[r].text || *end || (r > 0 && at[r] <= at[r - 1]))
      return FALSE;
  }
  return m->rows > 1;
}

/* Numbers above 0 that are a thousand times each other. */
static gboolean
wants_logarithm(const float *values, gsize n)
{
  float least = INFINITY, most = 0;
  for (gsize i = 0; i < n; i++) {
    if (!isfinite(values[i]))
      continue;
    least = MIN(least, values[i]);
    most = MAX(most, values[i]);
  }
  return least > 0 && most / least > 1000;
}

static void
append_curves(Plot *plot, const RegardMatrix *m, const double *at)
{
  char value[G_ASCII_DTOSTR_BUF_SIZE], place[G_ASCII_DTOSTR_BUF_SIZE];
  GString *out = plot->out;
  g_string_append(out, "\\begin{axis}[\n");
  append_title(plot, m, FALSE);
  if (at[0] > 0 && at[m->rows - 1] / at[0] > 100)
    g_string_append(out, "  xmode=log,\n");
  if (wants_logarithm(m->values, (gsize) m->rows * m->cols))
    g_string_append(out, "  ymode=log,\n");
  g_string_append(out, "  xlabel={");
  append_text(plot, m->row_title);
  g_string_append(out, "}, ylabel={");
  append_text(plot, m->value_name);
  g_string_append(out, "}, unbounded coords=jump,\n"
                       "  legend pos=outer north east, legend cell align=left,\n]\n");
  for (guint c = 0; c < m->cols; c++) {
    g_string_append(out, "\\addplot+[mark size=1pt] table[row sep=newline] {\nx w\n");
    for (guint r = 0; r < m->rows; r++) {
      const float number = regard_matrix_get(m, r, c);
      g_ascii_dtostr(place, sizeof place, at[r]);
      g_string_append_printf(out, "%s %s\n", place,
                             isfinite(number) ? regard_exact_number(value, number) : "nan");
    }
    g_string_append(out, "};\n\\addlegendentry");
    append_label(plot, &m->col_labels[c]);
    g_string_append_c(out, '\n');
  }
  g_string_append(out, "\\end{axis}\n");
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A field of a table: "2.5", "5.76 · 10⁴", or nothing where there is no value. */
static void
append_number(GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(out, " & ");
  if (!isfinite(value))
    return;
  g_ascii_formatd(text, sizeof text, "%.4g", value);
  char *exponent = strchr(text, 'e');
  if (exponent)
    *exponent++ = '\0';
  g_string_append_printf(out, "$%s", text);
  if (exponent)
    g_string_append_printf(out, "\\cdot 10^{%d}", atoi(exponent));
  g_string_append_c(out, '$');
}

static void
append_table(Plot *plot, const RegardMatrix *m)
{
  GString *out = plot->out;
  g_string_append(out, "{\\regardsize{");
  regard_tex_append_number(out, plot->font);
  g_string_append(out, "}{");
  regard_tex_append_number(out, 1.2 * plot->font);
  g_string_append_printf(out, "}\\begin{tabular}{l*{%u}{r}}\n", m->cols);
  append_text(plot, m->row_title);
  for (guint c = 0; c < m->cols; c++) {
    g_string_append(out, " & ");
    append_label(plot, &m->col_labels[c]);
  }
  g_string_append(out, "\\\\\\hline\\rule{0pt}{2.4ex}");
  for (guint r = 0; r < m->rows; r++) {
    append_label(plot, &m->row_labels[r]);
    for (guint c = 0; c < m->cols; c++)
      append_number(out, regard_matrix_get(m, r, c));
    g_string_append(out, "\\\\\n");
  }
  g_string_append(out, "\\end{tabular}}%\n");
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Of a plot without what stands beside it: labels and the colour bar. */
static double
plot_width(const Plot *plot, guint n, double width_pt)
{
  const guint columns = plot->figure->klass->has_parts ? 1 : MIN(n, MOST_COLUMNS);
  return (columns > 1 ? 0.7 : 0.62) * width_pt / columns;
}

/* Different things, one below the other: a table of few columns, curves where its rows are numbers,
 * or a matrix. */
static void
append_parts(Plot *plot, guint n, double width_pt)
{
  for (guint i = 0; i < n; i++) {
    const RegardMatrix *m = regard_figure_matrix(plot->figure, i);
    g_autofree double *at = g_new(double, m->rows);
    if (m->rows == 0 || m->cols == 0)
      continue;
    if (i > 0)
      g_string_append(plot->out, "\\par\\medskip\n");
    const gboolean is_matrix = m->cols > MOST_CURVES;
    if (!is_matrix && !read_rows(m, at)) {
      append_table(plot, m);
      continue;
    }
    g_string_append(plot->out, "\\begin{tikzpicture}\n");
    if (is_matrix) {
      append_matrix(plot, m, "\\begin{axis}", &alone, plot_width(plot, n, width_pt));
      g_string_append(plot->out, "\\end{axis}\n");
    } else
      append_curves(plot, m, at);
    g_string_append(plot->out, "\\end{tikzpicture}%\n");
  }
}

static gboolean
has_same_labels(const RegardLabel *a, const RegardLabel *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (!g_str_equal(a[i].text, b[i].text) || g_strcmp0(a[i].prefix, b[i].prefix) != 0)
      return FALSE;
  return TRUE;
}

/* The labels of all are those of the first, so that they stand at the edges alone. */
static gboolean
have_same_axes(RegardFigure *figure, guint n)
{
  g_autoptr(RegardMatrix) first = regard_matrix_ref(regard_figure_matrix(figure, 0));
  for (guint i = 1; i < n; i++) {
    const RegardMatrix *m = regard_figure_matrix(figure, i);
    if (m->rows != first->rows || m->cols != first->cols ||
        !has_same_labels(m->row_labels, first->row_labels, m->rows) ||
        !has_same_labels(m->col_labels, first->col_labels, m->cols))
      return FALSE;
  }
  return TRUE;
}

/* One matrix, or those of many heads beside each other. */
static void
append_heads(Plot *plot, guint n, double width_pt)
{
  const guint columns = MIN(n, MOST_COLUMNS);
  const gboolean is_shared = n > 1 && have_same_axes(plot->figure, n);
  g_string_append(plot->out, "\\begin{tikzpicture}\n");
  if (n > 1)
    g_string_append_printf(plot->out,
                           "\\begin{groupplot}[group style={group size=%u by %u, horizontal "
                           "sep=%s, vertical sep=%s}]\n",
                           columns, (n + columns - 1) / columns, is_shared ? "2mm" : "24mm",
                           is_shared ? "6mm" : "24mm");
  for (guint i = 0; i < n; i++) {
    const RegardMatrix *m = regard_figure_matrix(plot->figure, i);
    const Place place = {i % columns == 0 || !is_shared, i < columns || !is_shared,
                         i + 1 == columns, is_shared};
    append_matrix(plot, m, n > 1 ? "\\nextgroupplot" : "\\begin{axis}", &place,
                  plot_width(plot, n, width_pt));
  }
  g_string_append(plot->out, n > 1 ? "\\end{groupplot}\n" : "\\end{axis}\n");
  g_string_append(plot->out, "\\end{tikzpicture}%\n");
}

static void
append_sizes(Plot *plot, guint n, double width_pt)
{
  const RegardMatrix *m = regard_figure_matrix(plot->figure, 0);
  const double width = plot_width(plot, n, width_pt);
  const double height =
      m->is_square && m->cols > 0 ? width * m->rows / m->cols : MIN(width, 0.45 * width_pt);
  g_string_append(plot->out, "\\pgfplotsset{every axis/.append style={scale only axis, width=");
  regard_tex_append_number(plot->out, width);
  g_string_append(plot->out, "bp, height=");
  regard_tex_append_number(plot->out, height);
  g_string_append(plot->out, "bp, font=\\regardsize{");
  regard_tex_append_number(plot->out, plot->font);
  g_string_append(plot->out, "}{");
  regard_tex_append_number(plot->out, 1.2 * plot->font);
  g_string_append(plot->out, "}, every tick label/.append style={font=\\regardsize{");
  regard_tex_append_number(plot->out, 0.9 * plot->font);
  g_string_append(plot->out, "}{");
  regard_tex_append_number(plot->out, 1.1 * plot->font);
  g_string_append(plot->out, "}}}}%\n");
}

/* A sheet has no matrices of its own. */
static gboolean
fits(const RegardFigure *figure)
{
  return regard_figure_n_matrices((RegardFigure *) figure) > 0;
}

static GBytes *
render(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  double width_pt, height_pt;
  const guint n = regard_figure_n_matrices(figure);
  if (!regard_export_size(figure, options, &width_pt, &height_pt, error))
    return NULL;
  if (!fits(figure)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                _("This picture has no numbers of its own; choose another format"));
    return NULL;
  }
  if (regard_figure_n_cells(figure) > MOST_CELLS) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                _("This picture has more cells than LaTeX can read; save it as PDF instead"));
    return NULL;
  }
  g_autofree char *title = regard_export_title(figure);
  g_autofree char *caption = regard_figure_caption(figure);
  REGARD_IN_LANGUAGE(figure->language);
  Plot plot = {.out = g_string_new(NULL),
               .figure = figure,
               .palette = regard_figure_palette(&figure->style),
               .font = options->font_pt};
  append_sizes(&plot, n, width_pt);
  append_colormap(&plot);
  (figure->klass->has_parts ? append_parts : append_heads)(&plot, n, width_pt);
  g_string_append(plot.out, "\\endgroup\n");
  GString *file = g_string_new(NULL);
  regard_tex_append_head(file, title, caption, "pgfplots", plot.foreign);
  g_string_append(file, "\\usepgfplotslibrary{groupplots}\\pgfplotsset{compat=1.16}%\n");
  g_string_append_len(file, plot.out->str, (gssize) plot.out->len);
  g_string_free(plot.out, TRUE);
  return g_string_free_to_bytes(file);
}

const RegardExportFormat regard_export_pgfplots = {
    .id = "pgfplots",
    .name = N_("LaTeX plot with its numbers (pgfplots)"),
    .mime_type = "text/x-tex",
    .is_picture = TRUE,
    .fits = fits,
    .render = render,
};

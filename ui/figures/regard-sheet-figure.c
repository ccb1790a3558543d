/* regard-sheet-figure.c — a sheet laid out and drawn.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A panel of one matrix is laid out here, cells first: how large they are follows from the widths
 * of all columns, and their labels, which shrink with the cells, so that a few rounds settle it.
 * Panels of many matrices and of lines lay themselves out, drawings are as they were drawn. A plane
 * of numbers, as positions are, has cells of its own size: as dots they would be those of all. Rows
 * of the mosaic are as high as their highest panel needs, unless somebody said how high; plots of
 * one row begin at one height, and those of one column at one place from the left.
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-matrix-file.h"
#include "figures/regard-scale.h"
#include "figures/regard-sheet.h"

#include <math.h>
#include <string.h>

#define MM          (72 / 25.4)
#define GAP_X       1.4 /* between panels, font sizes */
#define GAP_Y       1.3
#define BAR_GAP     1.3
#define TITLE_SIZE  1.2
#define LEAST_TITLE 0.6 /* of their font, where they have little room */
#define MAX_CELL    5.2 /* as of a matrix alone */
#define LEAST_CELL  0.05
#define LABEL_ROOM  1.25 /* labels of rows have their share of so many columns */
#define MOST_EQUAL  64   /* columns without words; more are a plane */
#define ROUNDS      4

/* A panel, made ready. */
typedef struct {
  const RegardPanel *panel;
  char *letter; /* as it is drawn */
  char *name;   /* as messages have it */
  RegardMosaicPlace place;
  RegardFigure *figure; /* NULL: a drawing */
  RegardMatrix *matrix; /* of the figure, if it is one matrix as cells; borrowed */
  gboolean is_equal;    /* … whose cells are as large as those of others */
  gboolean is_cells;    /* its colours are those of a colour bar */
  gboolean is_fixed;    /* … whose range stays */
  char *title;          /* in place of its own; NULL: its own */
  char **badges;        /* behind the title, where it is drawn here; or NULL */
  gboolean hides_rows, hides_cols, shares_bar;
  char *model;
  char **caption;
} Part;

typedef struct {
  RegardSubject subject;
  RegardSheet *sheet;
  guint n;
  Part parts[REGARD_SHEET_MOST_PANELS];
  const Part *bar;    /* whose colour bar is that of all; NULL: there is none */
  RegardMatrix range; /* its matrix, with the range of all */
  char *bar_problem;
  const char *model; /* of all panels; NULL: there are several */
} SheetPicture;

/* ---- Making panels ready ---------------------------------------------------------------------
 */

static RegardFigureStyle
style_of(const RegardSheet *sheet, const RegardPanel *panel)
{
  return (RegardFigureStyle){.colormap = panel->colormap,
                             .scale = panel->scale,
                             .pinned_row = panel->pinned_row,
                             .pinned_col = panel->pinned_col,
                             .dark = sheet->dark,
                             .left_out = sheet->left_out | REGARD_PART_MODEL};
}

/* A colour for each of the chosen heads, or one matrix. */
static RegardFigure *
new_lines(const RegardAttentionLook *look, const RegardFigureStyle *style)
{
  RegardMatrix *matrices[REGARD_MOST_LINES];
  char *names[REGARD_MOST_LINES];
  guint n = 0;
  RegardMatrixSpec spec = look->spec;
  const gsize heads = mt_capture_n_heads(look->capture, spec.kind),
              all = heads * mt_capture_n_layers(look->capture, spec.kind);
  for (gsize i = 0; look->scope == REGARD_SCOPE_CHOSEN && spec.chosen && i < all; i++) {
    if (!spec.chosen[i] || n == REGARD_MOST_LINES)
      continue;
    const RegardMatrixSpec one = {.kind = spec.kind,
                                  .layer = (guint) (i / heads),
                                  .head = (guint) (i % heads),
                                  .merge_words = spec.merge_words,
                                  .hide_special = spec.hide_special,
                                  .label_by = spec.label_by};
    names[n] = regard_naming_head_of(look->capture, one.kind, one.layer, one.head);
    matrices[n] = regard_matrix_new_attention(look->capture, &one);
    n += matrices[n] != NULL;
  }
  if (n == 0) {
    names[0] = NULL;
    matrices[0] = regard_matrix_new_attention(look->capture, &spec);
    n = matrices[0] != NULL;
  }
  g_autoptr(RegardLines) lines =
      n ? regard_lines_new(matrices, (const char *const *) names, n, look->lines_share) : NULL;
  for (guint i = 0; i < n; i++) {
    regard_matrix_unref(matrices[i]);
    g_free(names[i]);
  }
  if (!lines)
    return NULL;
  RegardLinesMarks marks = REGARD_LINES_MARKS_INIT;
  if (look->n_rows == lines->matrices[0]->rows)
    marks.rows = look->rows;
  if (look->n_cols == lines->matrices[0]->cols)
    marks.cols = look->cols;
  return regard_figure_new_lines(lines, look->orientation, &marks, style);
}

static RegardFigure *
new_attention(const RegardPanel *panel, const RegardFigureStyle *style)
{
  const RegardAttentionLook *look = &panel->look;
  if (look->form == REGARD_FORM_LINES)
    return new_lines(look, style);
  if (look->scope != REGARD_SCOPE_HEAD)
    return regard_figure_new_grid(look->capture, look->scope, &look->spec, style);
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(look->capture, &look->spec);
  if (m && look->has_received)
    regard_matrix_measure_received(m);
  return m ? regard_figure_new_matrix(m, style) : NULL;
}

static void
unref_matrix(gpointer matrix)
{
  regard_matrix_unref(matrix);
}

/* Matrices of its own, whose range may become another. */
static RegardFigure *
new_matrices(const RegardPanel *panel, const RegardFigureStyle *style)
{
  g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func(unref_matrix);
  for (guint i = 0; i < panel->matrices->len; i++)
    g_ptr_array_add(own, regard_matrix_new_frozen(panel->matrices->pdata[i]));
  return own->len > 1 ? regard_figure_new_maps(own, style)
                      : regard_figure_new_matrix(own->pdata[0], style);
}

/* Whether it is more than one matrix as cells, so that it draws its title by itself. */
static gboolean
has_own_title(const RegardPanel *panel)
{
  return panel->is_attention ? panel->look.scope != REGARD_SCOPE_HEAD || panel->look.form
                             : panel->matrices && panel->matrices->len > 1;
}

/* The first sentence of a caption as a title. */
static char *
title_of_caption(char *const *caption)
{
  char *title = g_strdup(caption[0] ? caption[0] : "");
  if (g_str_has_suffix(title, "."))
    title[strlen(title) - 1] = '\0';
  return title;
}

/* Where panels are of several texts, each says of which behind its title. */
static void
add_sentence(Part *part)
{
  g_autofree char *label = regard_panel_dup_sentence(part->panel);
  g_autoptr(GPtrArray) badges = g_ptr_array_new();
  if (!label)
    return;
  for (char **badge = part->matrix ? part->matrix->badges : NULL; badge && *badge; badge++)
    g_ptr_array_add(badges, g_strdup(*badge));
  /* Translators: the label of a text, its first words or what somebody calls it */
  g_ptr_array_insert(badges, 0,
                     part->panel->sentence ? g_strdup(label) : g_strdup_printf(_("“%s”"), label));
  g_ptr_array_add(badges, NULL);
  g_strfreev(part->badges);
  part->badges = (char **) g_ptr_array_free(g_steal_pointer(&badges), FALSE);
  if (!part->title && !part->matrix)
    part->title = title_of_caption(part->caption);
}

static void
make_part(const RegardSheet *sheet, const RegardPanel *panel, gboolean has_sentences, Part *part)
{
  RegardFigureStyle style = style_of(sheet, panel);
  part->panel = panel;
  if (has_own_title(panel) && (panel->title || (has_sentences && panel->is_attention)))
    style.left_out |= REGARD_PART_TITLE; /* its own stands above it */
  part->letter = regard_sheet_dup_letter(sheet, panel->letter);
  part->name = regard_sheet_name_panel(sheet, panel->letter);
  part->title = g_strdup(panel->title);
  part->figure = panel->is_attention ? new_attention(panel, &style)
                 : panel->matrices   ? new_matrices(panel, &style)
                                     : NULL;
  g_return_if_fail(part->figure || panel->drawing);
  part->is_cells = part->figure && panel->look.form == REGARD_FORM_MATRIX;
  RegardMatrix *m = part->figure ? regard_figure_matrix(part->figure, 0) : NULL;
  if (part->is_cells && !has_own_title(panel)) {
    part->matrix = m;
    part->is_equal = m->col_ticks == REGARD_TICKS_WORDS || m->cols <= MOST_EQUAL;
    part->badges = g_strdupv(m->badges);
  }
  part->is_fixed = part->is_cells && panel->is_attention && !part->matrix;
  part->model = g_strdup(panel->is_attention ? m->model_name : panel->model);
  part->caption = panel->is_attention ? regard_figure_caption_sentences(part->figure)
                                      : g_strdupv(panel->caption);
  if (has_sentences)
    add_sentence(part);
}

static gboolean
has_same_labels(const RegardLabel *a, const RegardLabel *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0(a[i].text, b[i].text) || g_strcmp0(a[i].prefix, b[i].prefix) ||
        g_strcmp0(a[i].suffix, b[i].suffix))
      return FALSE;
  return TRUE;
}

static gboolean
has_same_rows(const RegardMatrix *a, const RegardMatrix *b)
{
  return a->rows == b->rows && g_str_equal(a->row_title, b->row_title) &&
         has_same_labels(a->row_labels, b->row_labels, a->rows);
}

static gboolean
has_same_columns(const RegardMatrix *a, const RegardMatrix *b)
{
  return a->cols == b->cols && a->col_split == b->col_split &&
         g_str_equal(a->col_title, b->col_title) &&
         has_same_labels(a->col_labels, b->col_labels, a->cols);
}

/* A mass that was hidden stands between the cells and what is beside them. */
static void
find_neighbours(SheetPicture *self)
{
  for (guint i = 0; i < self->n; i++)
    for (guint k = 0; k < self->n; k++) {
      Part *p = &self->parts[i];
      const Part *q = &self->parts[k];
      const RegardMosaicPlace *at = &p->place, *by = &q->place;
      if (i == k || !p->matrix || !q->matrix)
        continue;
      if (by->row == at->row && by->n_rows == at->n_rows && by->col + by->n_cols == at->col)
        p->hides_rows |= has_same_rows(p->matrix, q->matrix);
      if (by->col == at->col && by->n_cols == at->n_cols && by->row + by->n_rows == at->row)
        p->hides_cols |= has_same_columns(p->matrix, q->matrix);
    }
}

/* ---- One colour bar --------------------------------------------------------------------------
 */

/* Why the colours of a panel mean something else than those of the first; NULL: they do not. */
static char *
find_difference(const Part *first, const Part *p)
{
  const RegardMatrix *a = regard_figure_matrix(first->figure, 0),
                     *b = regard_figure_matrix(p->figure, 0);
  const RegardFigureStyle *x = &first->figure->style, *y = &p->figure->style;
  if (!g_str_equal(a->value_name, b->value_name))
    /* Translators: letters of two panels, and what their colours show: “weight” */
    return g_strdup_printf(_("Panel %s has a colour bar of its own: it shows “%s”, panel %s “%s”."),
                           p->name, b->value_name, first->name, a->value_name);
  if (x->scale != y->scale)
    return g_strdup_printf(
        _("Panel %s has a colour bar of its own: its scale is %s, that of panel %s %s."), p->name,
        _(regard_scale_info(y->scale)->caption), first->name,
        _(regard_scale_info(x->scale)->caption));
  if (x->colormap != y->colormap)
    return g_strdup_printf(
        _("Panel %s has a colour bar of its own: its colours are %s, those of panel %s %s."),
        p->name, _(y->colormap->name), first->name, _(x->colormap->name));
  if (p->is_fixed && (a->lo != b->lo || a->hi != b->hi))
    return regard_strdup_printf(_("Panel %s has a colour bar of its own: many heads keep their "
                                  "range, %g to %g."),
                                p->name, (double) b->lo, (double) b->hi);
  return NULL;
}

/* The first panel that has cells decides; one that has many heads first, since their range stays.
 */
static Part *
find_first(SheetPicture *self)
{
  Part *first = NULL;
  for (guint i = 0; i < self->n; i++) {
    Part *p = &self->parts[i];
    if (p->is_cells && (!first || (!first->is_fixed && p->is_fixed)))
      first = p;
  }
  return first;
}

static void
share_bar(SheetPicture *self)
{
  Part *first = find_first(self);
  g_autoptr(GString) problem = g_string_new(NULL);
  guint n_shared = 0;
  if (!first || !self->sheet->one_bar)
    return;
  REGARD_IN_LANGUAGE(REGARD_LANGUAGE_WINDOW); /* what is said is no part of the figure */
  float lo = regard_figure_matrix(first->figure, 0)->lo,
        hi = regard_figure_matrix(first->figure, 0)->hi;
  for (guint i = 0; i < self->n; i++) {
    Part *p = &self->parts[i];
    if (!p->is_cells)
      continue;
    g_autofree char *difference = find_difference(first, p);
    const RegardMatrix *m = regard_figure_matrix(p->figure, 0);
    if (!difference && first->is_fixed && !p->is_fixed && (m->lo < lo || m->hi > hi))
      difference = regard_strdup_printf(_("Panel %s has a colour bar of its own: its values are "
                                          "beyond those of the heads of panel %s."),
                                        p->name, first->name);
    if (difference) {
      g_string_append_printf(problem, "%s%s", problem->len ? " " : "", difference);
      continue;
    }
    p->shares_bar = TRUE;
    n_shared++;
    lo = MIN(lo, m->lo);
    hi = MAX(hi, m->hi);
  }
  if (problem->len)
    self->bar_problem = g_strdup(problem->str);
  for (guint i = 0; i < self->n; i++) {
    Part *p = &self->parts[i];
    p->shares_bar &= n_shared > 1;
    if (!p->shares_bar)
      continue;
    for (guint k = 0; !p->is_fixed && k < regard_figure_n_matrices(p->figure); k++) {
      RegardMatrix *own = regard_figure_matrix(p->figure, k); /* made here: nobody has seen it */
      own->lo = lo;
      own->hi = hi;
    }
    regard_figure_leave_out(p->figure, REGARD_PART_BAR);
  }
  if (n_shared > 1) {
    self->bar = first;
    self->range = *regard_figure_matrix(first->figure, 0);
    self->range.lo = lo;
    self->range.hi = hi;
  }
}

static void
find_model(SheetPicture *self)
{
  for (guint i = 0; i < self->n; i++) {
    if (g_strcmp0(self->parts[i].model, self->parts[0].model) != 0) {
      self->model = NULL;
      return;
    }
    self->model = self->parts[0].model;
  }
}

/* ---- Where everything is ---------------------------------------------------------------------
 */

typedef struct {
  const SheetPicture *self;
  RegardCanvas *ruler;
  const RegardPalette *palette;
  double width, font, margin, gap_x, gap_y;
  double x[REGARD_MOSAIC_MOST_SIDE], w[REGARD_MOSAIC_MOST_SIDE]; /* of columns */
  double y[REGARD_MOSAIC_MOST_SIDE], h[REGARD_MOSAIC_MOST_SIDE]; /* of rows */
  RegardPlot plots[REGARD_SHEET_MOST_PANELS];
  double head[REGARD_SHEET_MOST_PANELS];  /* height of letter, title and badges */
  double need[REGARD_SHEET_MOST_PANELS];  /* height of a panel */
  double plane[REGARD_SHEET_MOST_PANELS]; /* height of the cells of a plane, by that of its row; 0:
                                             as it is */
  double title_font;                      /* of all titles that are drawn here */
  double least_cell;                      /* no cell is larger, by the heights of rows */
  double fixed_height;                    /* of all cells, by those; 0: as they are */
  double bottom, height;
} Layout;

static double
box_width(const Layout *l, const Part *p)
{
  const guint last = p->place.col + p->place.n_cols - 1;
  return l->x[last] + l->w[last] - l->x[p->place.col];
}

/* A figure alone has margins, which here are those of the sheet and the gaps between panels. */
static double
figure_width(const Layout *l, const Part *p)
{
  return box_width(l, p) + 2 * l->margin;
}

static double
left_of(const RegardPlot *plot)
{
  return plot->hides_rows ? 0 : plot->font * 2.1 + plot->row_width;
}

static gboolean
any_square(const SheetPicture *self)
{
  for (guint i = 0; i < self->n; i++)
    if (self->parts[i].is_equal && self->parts[i].matrix->is_square)
      return TRUE;
  return FALSE;
}

static double
inner_width(const Layout *l)
{
  return l->width - 2 * l->margin - l->gap_x * (l->self->sheet->mosaic.cols - 1);
}

static void
place_plot(Layout *l, guint i, double cell, double cell_height, double width)
{
  const Part *p = &l->self->parts[i];
  RegardPlot *plot = &l->plots[i];
  const gboolean equal = l->self->sheet->equal;
  *plot = (RegardPlot){.style = &p->figure->style,
                       .stretch = 1,
                       .canvas = l->ruler,
                       .palette = l->palette,
                       .m = p->matrix,
                       .font = l->font,
                       .hides_rows = equal && p->hides_rows,
                       .hides_cols = equal && p->hides_cols,
                       .label_room = LABEL_ROOM * inner_width(l) / l->self->sheet->mosaic.cols,
                       .cell = cell,
                       .cell_height = cell_height};
  regard_plot_lay_out(plot, 0, width, 0);
}

static void
set_columns(Layout *l, const double *widths)
{
  double x = l->margin;
  for (guint c = 0; c < l->self->sheet->mosaic.cols; c++) {
    l->x[c] = x;
    l->w[c] = widths[c];
    x += widths[c] + l->gap_x;
  }
}

static gboolean
has_shares(const RegardSheet *sheet)
{
  for (guint c = 0; c < sheet->mosaic.cols; c++)
    if (!(sheet->columns[c] > 0))
      return FALSE;
  return TRUE;
}

static void
share_columns(Layout *l)
{
  const RegardSheet *sheet = l->self->sheet;
  const gboolean shares = has_shares(sheet);
  double widths[REGARD_MOSAIC_MOST_SIDE], sum = 0;
  for (guint c = 0; c < sheet->mosaic.cols; c++)
    sum += widths[c] = shares ? sheet->columns[c] : 1;
  for (guint c = 0; c < sheet->mosaic.cols; c++)
    widths[c] *= inner_width(l) / sum;
  set_columns(l, widths);
}

/* What a column needs beside its cells, and how many it has side by side. */
typedef struct {
  double left, right;
  guint cells;
} Need;

static void
find_needs(const Layout *l, Need needs[REGARD_MOSAIC_MOST_SIDE])
{
  memset(needs, 0, REGARD_MOSAIC_MOST_SIDE * sizeof *needs);
  for (guint i = 0; i < l->self->n; i++) {
    const Part *p = &l->self->parts[i];
    Need *need = &needs[p->place.col];
    if (!p->is_equal)
      continue;
    const double left = left_of(&l->plots[i]);
    need->left = MAX(need->left, left);
    if (p->place.n_cols > 1)
      continue;
    need->right = MAX(need->right, regard_plot_width_beside(&l->plots[i]) - left);
    need->cells = MAX(need->cells, p->matrix->cols);
  }
}

/* The largest cell that all panels have room for; columns of matrices get what they need for it. */
static double
fit_cells(Layout *l, const Need *needs)
{
  const RegardSheet *sheet = l->self->sheet;
  const double all = inner_width(l), most = MIN(MAX_CELL * l->font, l->least_cell);
  const guint cols = sheet->mosaic.cols;
  double cell = most, taken = 0, cells = 0, widths[REGARD_MOSAIC_MOST_SIDE];
  if (!has_shares(sheet)) {
    for (guint c = 0; c < cols; c++) {
      taken += needs[c].cells ? needs[c].left + needs[c].right : all / cols;
      cells += needs[c].cells;
    }
    if (cells > 0)
      cell = CLAMP((all - taken) / cells, LEAST_CELL, most);
    double rest = all;
    for (guint c = 0; c < cols; c++)
      rest -= widths[c] =
          needs[c].cells ? needs[c].left + needs[c].right + cell * needs[c].cells : all / cols;
    for (guint c = 0; c < cols; c++)
      widths[c] = MAX(widths[c] + rest / cols, l->font);
    set_columns(l, widths);
  }
  for (guint i = 0; i < l->self->n; i++) {
    const Part *p = &l->self->parts[i];
    if (!p->is_equal)
      continue;
    const double right = regard_plot_width_beside(&l->plots[i]) - left_of(&l->plots[i]);
    const double room = box_width(l, p) - needs[p->place.col].left - right;
    cell = CLAMP(room / MAX(p->matrix->cols, 1), LEAST_CELL, cell);
  }
  return cell;
}

/* Squares where one has to be square; else as high as the lowest would be alone. */
static double
fit_cell_height(const Layout *l, double cell)
{
  double height = G_MAXDOUBLE;
  if (any_square(l->self))
    return cell;
  if (l->fixed_height > 0)
    return l->fixed_height;
  for (guint i = 0; i < l->self->n; i++) {
    const RegardMatrix *m = l->self->parts[i].matrix;
    if (l->self->parts[i].is_equal)
      height = MIN(height, l->plots[i].plot.height / MAX(m->rows, 1));
  }
  return height;
}

/* Of a plane in a row that was said to be so high; 0: as it would be alone. */
static double
plane_height(const Layout *l, const Part *p)
{
  const guint i = (guint) (p - l->self->parts);
  return l->plane[i] > 0 ? l->plane[i] / MAX(p->matrix->rows, 1) : 0;
}

static void
place_cells(Layout *l)
{
  const SheetPicture *self = l->self;
  double cell = 0;
  share_columns(l);
  for (guint i = 0; i < self->n; i++)
    if (self->parts[i].matrix)
      place_plot(l, i, 0, 0, box_width(l, &self->parts[i]));
  for (guint round = 0; self->sheet->equal && round < ROUNDS; round++) {
    Need needs[REGARD_MOSAIC_MOST_SIDE];
    find_needs(l, needs);
    cell = fit_cells(l, needs);
    for (guint i = 0; i < self->n; i++)
      if (self->parts[i].is_equal)
        place_plot(l, i, cell, 0, box_width(l, &self->parts[i]));
    const double height = fit_cell_height(l, cell);
    for (guint i = 0; i < self->n; i++)
      if (self->parts[i].matrix)
        place_plot(l, i, self->parts[i].is_equal ? cell : 0,
                   self->parts[i].is_equal ? height : plane_height(l, &self->parts[i]),
                   box_width(l, &self->parts[i]));
  }
}

/* ---- Titles ---- */

static const char *
title_of(const Part *p)
{
  return p->title ? p->title : p->matrix ? p->matrix->title : NULL;
}

static double
letter_width(RegardCanvas *canvas, const Part *p, gboolean bold, double size)
{
  RegardSpan span = {p->letter, 0xff000000, bold};
  return *p->letter ? regard_canvas_text_width(canvas, &span, 1, size) : 0;
}

/* Letters that stand beside the title which a figure draws by itself; 0: this one does not. */
static double
lead_of(const Layout *l, const Part *p)
{
  const RegardSheet *sheet = l->self->sheet;
  return p->figure && !p->matrix && *p->letter && !p->title &&
                 sheet->letters_at == REGARD_LETTERS_BESIDE &&
                 regard_figure_has(&p->figure->style, REGARD_PART_TITLE)
             ? letter_width(l->ruler, p, sheet->bold, TITLE_SIZE * l->font) +
                   0.45 * TITLE_SIZE * l->font
             : 0;
}

/* Letter, title and badges, in so much width; returns the height. */
static double
draw_head(const Layout *l, RegardCanvas *canvas, const Part *p, double x, double y)
{
  const RegardSheet *sheet = l->self->sheet;
  const double width = box_width(l, p);
  const double size = TITLE_SIZE * (p->matrix ? l->title_font : l->font);
  const gboolean is_letter = *p->letter && sheet->letters_at != REGARD_LETTERS_BELOW;
  /* What has a title of its own inside has its letter above. */
  const gboolean is_beside = sheet->letters_at == REGARD_LETTERS_BESIDE && p->matrix;
  const gboolean has_title = !(sheet->left_out & REGARD_PART_TITLE);
  const char *title = title_of(p);
  double indent = 0, height = 0;
  if (lead_of(l, p) > 0) {
    regard_figure_text(canvas, x, y + size, p->letter, l->palette->text, sheet->bold, size,
                       REGARD_ANCHOR_START, 0);
    return 0;
  }
  if (is_letter) {
    regard_figure_text(canvas, x, y + size, p->letter, l->palette->text, sheet->bold, size,
                       REGARD_ANCHOR_START, 0);
    if (is_beside || (!p->matrix && p->title))
      indent = letter_width(canvas, p, sheet->bold, size) + 0.45 * size;
    else
      height = size * 1.45;
  }
  if (!has_title)
    title = NULL;
  const double below =
      regard_figure_header(canvas, l->palette, x + indent, y + height, MAX(width - indent, l->font),
                           title, p->badges, l->title_font);
  return height + (below > 0 ? below : indent > 0 ? size * 1.65 : 0);
}

/* The font in which titles stand on two lines at most, and are not cut, as far as it can be read.
 */
static double
fit_titles(const Layout *l)
{
  const RegardSheet *sheet = l->self->sheet;
  double font = l->font;
  for (guint i = 0; i < l->self->n; i++) {
    const Part *p = &l->self->parts[i];
    const char *title = title_of(p), *rest = title ? strstr(title, " · ") : NULL;
    if (!title || sheet->left_out & REGARD_PART_TITLE)
      continue;
    g_autofree char *head = rest ? g_strndup(title, (gsize) (rest - title)) : g_strdup(title);
    const RegardSpan first = {head, 0xff000000, TRUE},
                     second = {rest ? rest + strlen(" · ") : "", 0xff000000, FALSE};
    const double longest = MAX(regard_canvas_text_width(l->ruler, &first, 1, TITLE_SIZE),
                               regard_canvas_text_width(l->ruler, &second, 1, TITLE_SIZE));
    const double letter = letter_width(l->ruler, p, sheet->bold, TITLE_SIZE * l->font);
    const double room = box_width(l, p) - (letter > 0 ? letter + 0.54 * l->font : 0);
    font = MIN(font, room / MAX(longest, 0.1));
  }
  return MAX(font, LEAST_TITLE * l->font);
}

/* ---- Heights ---- */

static double
letter_below(const Layout *l, const Part *p)
{
  return *p->letter && l->self->sheet->letters_at == REGARD_LETTERS_BELOW ? 1.9 * l->font : 0;
}

static double
draw_own_bar(const Layout *l, RegardCanvas *canvas, const Part *p, double x, double y, double width)
{
  return BAR_GAP * l->font + regard_figure_footer(canvas, l->palette, &p->figure->style, p->matrix,
                                                  x, y + BAR_GAP * l->font, width, NULL, l->font);
}

static double
scale_of(const Layout *l, const Part *p, double height)
{
  const RegardDrawing *d = p->panel->drawing;
  const double scale = MIN(1, figure_width(l, p) / regard_drawing_width(d));
  return height > 0 ? MIN(scale, (height + 2 * l->margin) / regard_drawing_height(d)) : scale;
}

/* How high rows were said to be that a panel covers alone; 0: it is not said. */
static double
said_height(const Layout *l, const Part *p)
{
  return p->place.n_rows == 1 ? l->self->sheet->rows[p->place.row] * MM : 0;
}

static double
need_of(Layout *l, guint i)
{
  const Part *p = &l->self->parts[i];
  const double extra = l->head[i] + letter_below(l, p), said = said_height(l, p);
  const double margins = 2 * l->margin;
  if (p->matrix)
    return extra + regard_plot_bottom(&l->plots[i]) +
           (p->shares_bar
                ? 0
                : draw_own_bar(l, l->ruler, p, 0, 0, box_width(l, p) - left_of(&l->plots[i])));
  if (!p->figure)
    return extra - margins +
           regard_drawing_height(p->panel->drawing) *
               scale_of(l, p, said > 0 ? MAX(said - extra, 1) : 0);
  p->figure->stretch = 1;
  if (said > extra)
    regard_figure_set_height(p->figure, figure_width(l, p), l->font, said - extra + margins, NULL);
  REGARD_IN_LANGUAGE(p->figure->language);
  l->ruler->lead = lead_of(l, p);
  const double height = p->figure->klass->draw(p->figure, l->ruler, figure_width(l, p), l->font);
  l->ruler->lead = 0;
  return extra + height - margins;
}

/* Plots of one row begin at one height. */
static void
align_rows(Layout *l)
{
  const SheetPicture *self = l->self;
  for (guint r = 0; r < self->sheet->mosaic.rows; r++) {
    double most = 0, below = 0;
    for (guint i = 0; i < self->n; i++)
      if (self->parts[i].matrix && self->parts[i].place.row == r)
        most = MAX(most, l->head[i] + l->plots[i].plot.y);
    for (guint i = 0; i < self->n; i++)
      if (self->parts[i].matrix && self->parts[i].place.row == r) {
        below = most - l->head[i] - l->plots[i].plot.y;
        regard_plot_move(&l->plots[i], 0, below);
      }
  }
}

static void
place_rows(Layout *l)
{
  const SheetPicture *self = l->self;
  const RegardSheet *sheet = self->sheet;
  const guint rows = sheet->mosaic.rows;
  for (guint r = 0; r < rows; r++)
    l->h[r] = sheet->rows[r] * MM;
  for (guint i = 0; i < self->n; i++) {
    const RegardMosaicPlace *at = &self->parts[i].place;
    if (at->n_rows == 1 && sheet->rows[at->row] == 0)
      l->h[at->row] = MAX(l->h[at->row], l->need[i]);
  }
  for (guint r = 0; r < rows; r++)
    l->h[r] = MAX(l->h[r], l->font); /* of holes alone */
  for (guint i = 0; i < self->n; i++) {
    const RegardMosaicPlace *at = &self->parts[i].place;
    double has = l->gap_y * (at->n_rows - 1);
    for (guint r = at->row; r < at->row + at->n_rows; r++)
      has += l->h[r];
    for (guint r = at->row; at->n_rows > 1 && has < l->need[i] && r < at->row + at->n_rows; r++)
      l->h[r] += (l->need[i] - has) / at->n_rows;
  }
  double y = l->margin;
  for (guint r = 0; r < rows; r++) {
    l->y[r] = y;
    y += l->h[r] + l->gap_y;
  }
  l->bottom = y - l->gap_y;
}

/* Cells that rows of this height have room for. FALSE: those that there are fit. */
static gboolean
limit_cells(Layout *l)
{
  const SheetPicture *self = l->self;
  gboolean is_limited = FALSE;
  for (guint i = 0; i < self->n; i++) {
    const Part *p = &self->parts[i];
    const double said = said_height(l, p);
    if (!p->matrix || said <= 0)
      continue;
    const double room = said - (l->need[i] - l->plots[i].plot.height);
    if (!p->is_equal) {
      l->plane[i] = MAX(room, LEAST_CELL);
      is_limited = TRUE;
      continue;
    }
    const double height = MAX(room / MAX(p->matrix->rows, 1), LEAST_CELL);
    if (any_square(self))
      l->least_cell = MIN(l->least_cell, height);
    else
      l->fixed_height = l->fixed_height > 0 ? MIN(l->fixed_height, height) : height;
    is_limited = TRUE;
  }
  return is_limited;
}

static void
measure_rows(Layout *l)
{
  l->title_font = fit_titles(l);
  for (guint i = 0; i < l->self->n; i++)
    l->head[i] = draw_head(l, l->ruler, &l->self->parts[i], 0, 0);
  align_rows(l);
  for (guint i = 0; i < l->self->n; i++)
    l->need[i] = need_of(l, i);
}

static double
draw_bar(const Layout *l, RegardCanvas *canvas)
{
  const SheetPicture *self = l->self;
  const char *model = self->sheet->left_out & REGARD_PART_MODEL ? NULL : self->model;
  const double x = l->margin + l->font, y = l->bottom;
  if (self->bar) {
    RegardFigureStyle style = self->bar->figure->style;
    style.left_out &= ~(guint) (REGARD_PART_BAR | REGARD_PART_MODEL);
    return BAR_GAP * l->font + regard_figure_footer(canvas, l->palette, &style, &self->range, x,
                                                    y + BAR_GAP * l->font, l->width - l->margin - x,
                                                    model, l->font);
  }
  if (!model || !*model)
    return 0;
  regard_figure_text(canvas, l->width - l->margin, y + 1.5 * l->font, model, l->palette->dim, FALSE,
                     0.9 * l->font, REGARD_ANCHOR_END, 0);
  return 1.8 * l->font;
}

static void
lay_out(Layout *l, const SheetPicture *self, double width, double font)
{
  *l = (Layout){.self = self,
                .width = width,
                .font = font,
                .margin = REGARD_FIGURE_MARGIN * font,
                .gap_x = GAP_X * font,
                .gap_y = GAP_Y * font,
                .least_cell = G_MAXDOUBLE};
  const RegardFigureStyle style = {.dark = self->sheet->dark};
  l->palette = regard_figure_palette(&style);
  l->ruler = regard_canvas_new_measure();
  place_cells(l);
  measure_rows(l);
  if (self->sheet->equal && limit_cells(l)) {
    place_cells(l);
    measure_rows(l);
  }
  place_rows(l);
  l->height = l->bottom + draw_bar(l, l->ruler) + l->margin;
}

static void
layout_clear(Layout *l)
{
  g_clear_pointer(&l->ruler, regard_canvas_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Layout, layout_clear)

/* ---- Drawing ---------------------------------------------------------------------------------
 */

/* From the left as all matrices of its column. */
static double
left_of_column(const Layout *l, guint i)
{
  const guint col = l->self->parts[i].place.col;
  double left = 0;
  for (guint k = 0; k < l->self->n; k++)
    if (l->self->parts[k].matrix && l->self->parts[k].place.col == col)
      left = MAX(left, left_of(&l->plots[k]));
  return left;
}

static void
draw_matrix(const Layout *l, RegardCanvas *canvas, guint i, double x, double y)
{
  const Part *p = &l->self->parts[i];
  RegardPlot plot = l->plots[i];
  const double left = left_of_column(l, i);
  plot.canvas = canvas;
  regard_plot_move(&plot, x + left - plot.plot.x, y);
  regard_plot_draw(&plot);
  if (!p->shares_bar)
    draw_own_bar(l, canvas, p, x + left, regard_plot_bottom(&plot), box_width(l, p) - left);
}

static void
draw_part(const Layout *l, RegardCanvas *canvas, guint i)
{
  const Part *p = &l->self->parts[i];
  const RegardSheet *sheet = l->self->sheet;
  const double x = l->x[p->place.col], y = l->y[p->place.row];
  regard_canvas_begin_group(canvas, "panel");
  draw_head(l, canvas, p, x, y);
  if (p->matrix)
    draw_matrix(l, canvas, i, x, y + l->head[i]);
  else {
    const double extra = l->head[i] + letter_below(l, p), said = said_height(l, p);
    const double scale = p->figure ? 1 : scale_of(l, p, said > 0 ? MAX(said - extra, 1) : 0);
    g_autoptr(RegardCanvas) part =
        regard_canvas_new_part(canvas, x - l->margin, y + l->head[i] - l->margin, scale);
    part->lead = lead_of(l, p);
    if (p->figure)
      regard_figure_paint(p->figure, part, figure_width(l, p), l->font);
    else
      regard_drawing_play(p->panel->drawing, part);
  }
  if (letter_below(l, p) > 0)
    regard_figure_text(canvas, x + box_width(l, p) / 2, y + l->need[i] - 0.5 * l->font, p->letter,
                       l->palette->text, sheet->bold, l->font, REGARD_ANCHOR_MIDDLE, 0);
  regard_canvas_end_group(canvas);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const SheetPicture *self = figure->subject;
  g_auto(Layout) l = {0};
  lay_out(&l, self, width, font);
  if (regard_figure_draws(canvas)) {
    for (guint i = 0; i < self->n; i++)
      draw_part(&l, canvas, i);
    draw_bar(&l, canvas);
  }
  return l.height;
}

/* ---- The figure ------------------------------------------------------------------------------
 */

static char *
caption(RegardFigure *figure)
{
  return regard_sheet_caption(figure, REGARD_CAPTION_PLAIN);
}

static void
clear(gpointer subject)
{
  SheetPicture *self = subject;
  for (guint i = 0; i < self->n; i++) {
    Part *p = &self->parts[i];
    g_clear_pointer(&p->figure, regard_figure_free);
    g_strfreev(p->caption);
    g_strfreev(p->badges);
    g_free(p->title);
    g_free(p->letter);
    g_free(p->name);
    g_free(p->model);
  }
  g_free(self->bar_problem);
  regard_sheet_unref(self->sheet);
}

/* Files of numbers have those of one picture. */
static guint
n_matrices(RegardFigure *figure)
{
  return 0;
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return NULL;
}

static const RegardFigureClass sheet_class = {
    .draw = draw,
    .n_matrices = n_matrices,
    .new_matrix = new_matrix,
    .caption = caption,
    .has_no_scale = TRUE,
};

RegardFigure *
regard_figure_new_sheet(RegardSheet *sheet)
{
  REGARD_IN_LANGUAGE(sheet->is_english ? REGARD_LANGUAGE_ENGLISH : regard_language_get());
  const RegardFigureStyle style = {.dark = sheet->dark, .pinned_row = -1, .pinned_col = -1};
  SheetPicture *self = regard_subject_alloc(sizeof *self, clear);
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  const gboolean has_sentences = regard_sheet_has_sentences(sheet);
  self->sheet = regard_sheet_ref(sheet);
  regard_mosaic_letters(&sheet->mosaic, letters);
  for (const char *letter = letters; *letter; letter++) {
    const RegardPanel *panel = regard_sheet_find(sheet, *letter);
    Part *part = &self->parts[self->n];
    if (!panel)
      continue;
    make_part(sheet, panel, has_sentences, part);
    regard_mosaic_find(&sheet->mosaic, *letter, &part->place);
    self->n++; /* also of one that has nothing to show */
  }
  find_neighbours(self);
  share_bar(self);
  find_model(self);
  return regard_figure_new(&sheet_class, self, NULL, FALSE, &style);
}

const RegardSheet *
regard_figure_get_sheet(RegardFigure *figure)
{
  return figure->klass == &sheet_class ? ((const SheetPicture *) figure->subject)->sheet : NULL;
}

char **
regard_sheet_panel_caption(RegardFigure *figure, guint i)
{
  const SheetPicture *self = figure->subject;
  return i < self->n ? self->parts[i].caption : NULL;
}

char *
regard_sheet_bar_problem(RegardFigure *figure)
{
  return g_strdup(((const SheetPicture *) figure->subject)->bar_problem);
}

void
regard_sheet_lay_out(RegardFigure *figure, double width_pt, double font_pt,
                     RegardSheetLayout *layout)
{
  const SheetPicture *self = figure->subject;
  REGARD_IN_LANGUAGE(figure->language);
  g_auto(Layout) l = {0};
  lay_out(&l, self, width_pt, font_pt);
  const guint rows = self->sheet->mosaic.rows, cols = self->sheet->mosaic.cols;
  *layout = (RegardSheetLayout){.height = l.height, .n = self->n};
  layout->columns[cols] = width_pt;
  layout->rows[rows] = l.bottom + l.margin;
  for (guint c = 1; c < cols; c++)
    layout->columns[c] = l.x[c] - l.gap_x / 2;
  for (guint r = 1; r < rows; r++)
    layout->rows[r] = l.y[r] - l.gap_y / 2;
  for (guint i = 0; i < self->n; i++) {
    const Part *p = &self->parts[i];
    const guint last = p->place.row + p->place.n_rows - 1;
    layout->places[i] = (RegardSheetPlace){
        .letter = p->panel->letter,
        .box = {l.x[p->place.col], l.y[p->place.row], box_width(&l, p),
                l.y[last] + l.h[last] - l.y[p->place.row]},
    };
    if (p->matrix) {
      layout->places[i].cell_width = l.plots[i].plot.width / MAX(p->matrix->cols, 1);
      layout->places[i].cell_height = l.plots[i].plot.height / MAX(p->matrix->rows, 1);
    }
  }
}

/* regard-figure-sheet.c — the whole computation of a small model on one page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two columns, encoder and decoder, and the next piece below both.
 */
#include "figures/regard-figure-sheet.h"

#include "figures/regard-sheet-page.h"

/* Measures in font sizes. */
#define MARGIN      3.0  /* of the page */
#define GUTTER      2.4  /* between the two columns */
#define NOTE        1.6  /* pitch of the notes */
#define MOST_FILLED 0.86 /* of a page: a sheet that is as high gets all of it */

typedef struct {
  RegardFigure parent;
  RegardSheet *sheet;
  char *model_name;
} SheetFigure;

/* ---- The page ---------------------------------------------------------------------------------
 */

static double
draw_title(const RegardSheetPage *p, const SheetFigure *self, double x, double y, double width)
{
  const double start = y;
  if (!regard_figure_has(&self->parent.style, REGARD_PART_TITLE))
    return 0;
  regard_canvas_begin_group(p->canvas, "title");
  y += 2.1 * p->font;
  const double subtitle = regard_sheet_write(p, 0, 0, self->sheet->subtitle, 0, p->font, FALSE);
  g_autofree char *title =
      regard_canvas_ellipsize(p->canvas, self->sheet->title, TRUE, 2.3 * p->font,
                              MAX(width - subtitle - 2 * p->font, 0));
  regard_figure_text(p->canvas, x, y, title, p->palette->text, TRUE, 2.3 * p->font,
                     REGARD_ANCHOR_START, 0);
  regard_sheet_write(p, x + width - subtitle, y, self->sheet->subtitle, p->palette->dim, p->font,
                     TRUE);
  y += 1.0 * p->font;
  regard_canvas_stroke_line(p->canvas, x, y, x + width, y, 0.1 * p->font, p->palette->frame);
  regard_canvas_end_group(p->canvas);
  return y - start + 1.9 * p->font;
}

static const char *const notes[] = {
    "On grey: weights of the model, exact. In brackets: what is computed of them,",
    "rounded to three decimals. A row is a token, a column a dimension.",
    "Biases that are not printed are 0, and gains of layer norms 1.",
    "softmax: e^x of each number, divided by the sum of these in its row.",
    "μ, σ: mean and standard deviation of a row, σ^2 = the mean of (x − μ)^2 + 10^{−5}.",
    "Each number follows from printed ones, as nearly as they are rounded.",
};

static double
notes_width(const RegardSheetPage *p)
{
  double most = 0;
  for (guint i = 0; i < G_N_ELEMENTS(notes); i++)
    most = MAX(most, regard_sheet_write(p, 0, 0, notes[i], 0, p->font, FALSE));
  return most;
}

static double
notes_height(const RegardSheetPage *p)
{
  return (G_N_ELEMENTS(notes) * NOTE + REGARD_SHEET_SECTION) * p->font;
}

/* How the sheet is to be read. */
static void
draw_notes(const RegardSheetPage *p, double x, double y)
{
  regard_canvas_begin_group(p->canvas, "notes");
  for (guint i = 0; i < G_N_ELEMENTS(notes); i++)
    regard_sheet_write(p, x, y + (i + 0.7) * NOTE * p->font, notes[i], p->palette->dim, p->font,
                       TRUE);
  regard_canvas_end_group(p->canvas);
}

/* Everything, with so much more below each section; returns its height. */
static double
lay_out(const SheetFigure *self, RegardCanvas *canvas, double width, double font, double slack)
{
  RegardSheetPage p = {.canvas = canvas,
                       .palette = regard_figure_palette(&self->parent.style),
                       .sheet = self->sheet,
                       .font = font};
  regard_sheet_measure(&p);
  /* No column is narrower than a matrix: what is printed in it is smaller then. All widths are in
   * proportion to the font. */
  const double need = MAX(2 * MAX(regard_sheet_least_width(&p, FALSE), notes_width(&p)) +
                              (2 * MARGIN + GUTTER) * font,
                          regard_sheet_least_width(&p, TRUE) + 2 * MARGIN * font);
  if (need > width) {
    font *= width / need;
    p.cell *= width / need;
    p.weight_cell *= width / need;
    p.row_labels *= width / need;
    p.font = font;
  }
  const double margin = MARGIN * font, inner = width - 2 * margin;
  const double column = (inner - GUTTER * font) / 2;
  const double top = margin + draw_title(&p, self, margin, margin, inner);
  double ends[2] = {top, top};
  guint i = 0;
  for (; i < self->sheet->sections->len; i++) {
    const RegardSheetSection *section = self->sheet->sections->pdata[i];
    const int side = section->place == REGARD_SHEET_RIGHT;
    if (section->place == REGARD_SHEET_BELOW)
      break;
    ends[side] += slack + regard_sheet_draw_section(&p, i + 1, section,
                                                    margin + side * (column + GUTTER * font),
                                                    ends[side], column);
  }
  /* At the foot of the shorter column, as a rule the encoder's. */
  double y = MAX(ends[0] + notes_height(&p), ends[1]);
  draw_notes(&p, margin, y - notes_height(&p));
  for (; i < self->sheet->sections->len; i++)
    y += slack +
         regard_sheet_draw_section(&p, i + 1, self->sheet->sections->pdata[i], margin, y, inner);
  if (regard_figure_has(&self->parent.style, REGARD_PART_MODEL))
    regard_figure_text(canvas, width - margin, y, self->model_name, p.palette->dim, FALSE,
                       font * 0.9, REGARD_ANCHOR_END, 0);
  return y + margin;
}

/* What nearly fills a page of A4, or of any size of its shape, fills it. */
static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const SheetFigure *self = (const SheetFigure *) figure;
  const double page = width * G_SQRT2;
  g_autoptr(RegardCanvas) measuring = regard_canvas_new_measure();
  measuring->family = canvas->family;
  double height = lay_out(self, measuring, width, font, 0);
  if (height > page || height < MOST_FILLED * page)
    return lay_out(self, canvas, width, font, 0);
  /* Sections of the longer column and those below: as tall as the page for so much a section. */
  const double one = lay_out(self, measuring, width, font, 1) - height;
  lay_out(self, canvas, width, font, (page - height) / one);
  return page;
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static guint
n_matrices(RegardFigure *figure)
{
  return ((SheetFigure *) figure)->sheet->parts->len;
}

static RegardSheetPart *
part_at(RegardFigure *figure, guint i)
{
  return ((SheetFigure *) figure)->sheet->parts->pdata[i];
}

static RegardMatrix *
matrix(RegardFigure *figure, guint i)
{
  return part_at(figure, i)->matrix;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  g_string_append_printf(caption, "The whole computation of %s.",
                         ((SheetFigure *) figure)->sheet->title);
}

/* "Q = X W Q, token cat, dimension 2: 0.500". */
static char *
describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardSheetPart *part = part_at(figure, (guint) spot->part);
  const RegardMatrix *m = part->matrix;
  g_autofree char *number = regard_sheet_print_number(part, (guint) spot->row, (guint) spot->col);
  GString *text = g_string_new(NULL);
  const char *formula = part->formula;
  int level;
  char *run;
  while ((run = regard_sheet_next_run(&formula, &level))) {
    g_string_append(text, run);
    g_free(run);
  }
  if (m->rows > 1)
    g_string_append_printf(text, ", %s %s", m->row_noun,
                           regard_matrix_spoken(m->row_labels[spot->row].text));
  if (m->cols > 1)
    g_string_append_printf(text, ", %s %s", m->col_noun,
                           regard_matrix_spoken(m->col_labels[spot->col].text));
  g_string_append_printf(text, ": %s", number);
  return g_string_free(text, FALSE);
}

static char *
copy_spot(RegardFigure *figure, const RegardSpot *spot)
{
  return regard_sheet_print_number(part_at(figure, (guint) spot->part), (guint) spot->row,
                                   (guint) spot->col);
}

static void
sheet_figure_free(RegardFigure *figure)
{
  SheetFigure *self = (SheetFigure *) figure;
  regard_sheet_free(self->sheet);
  g_free(self->model_name);
}

char *
regard_figure_sheet_problem(const mt_model *model, const mt_translation *translation)
{
  if (mt_translation_changes(translation))
    return g_strdup_printf("A sheet shows %s as it is, without changes", mt_model_name(model));
  return regard_sheet_problem(model, mt_translation_source(translation),
                              mt_translation_hypothesis(translation, 0)->tokens);
}

void
regard_figure_sheet_add_taps(mt_taps *taps)
{
  regard_sheet_add_taps(taps);
}

RegardFigure *
regard_figure_new_sheet(const mt_model *model, const mt_translation *translation,
                        const mt_trace *trace, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .matrix = matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe_spot,
      .copy_spot = copy_spot,
      .free = sheet_figure_free,
  };
  SheetFigure *self = regard_figure_alloc(sizeof *self, &klass, style, TRUE);
  self->sheet = regard_sheet_new(model, trace, mt_tokens_text(mt_translation_source(translation)),
                                 mt_translation_hypothesis(translation, 0)->text);
  self->model_name = g_strdup(mt_model_name(model));
  return &self->parent;
}

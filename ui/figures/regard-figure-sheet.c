/* regard-figure-sheet.c — the whole computation of a small model on one page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two columns, encoder and decoder, and the next piece below both. Matrices stand in lines as they
 * are written by hand: weights on grey, what is computed in brackets, over each its symbol. All
 * computed numbers have one width, and all weights, so that what is alike stands below each other.
 */
#include "figures/regard-figure-sheet.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-sheet.h"

#include <math.h>
#include <string.h>

/* Measures in font sizes. */
#define PITCH       1.42 /* of rows */
#define SYMBOL      1.3  /* height of what stands over a matrix, and of its columns' labels */
#define CELL_GAP    0.72 /* between two numbers */
#define ITEM_GAP    0.55 /* between what stands in a line */
#define LINE_GAP    0.75
#define HEAD        2.5 /* a section's title */
#define SECTION     1.1 /* below a section */
#define GUTTER      2.4 /* between the two columns */
#define MARGIN      3.0 /* of the page */
#define BRACKET     0.35
#define SMALL       0.88 /* symbols and labels, of the font */
#define RAISED      0.72 /* what is raised or lowered */
#define FIRST_TEXT  7.6  /* texts that begin a line take so much, so that matrices line up */
#define MOST_FILLED 0.86 /* of a page: a sheet that is as high gets all of it */
#define CHOICE      0.8  /* before what was chosen */
#define NOTE        1.6  /* pitch of the notes */
#define BELOW       0.25 /* between weights and their bias */

typedef struct {
  RegardFigure parent;
  RegardSheet *sheet;
  char *model_name;
} SheetFigure;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardSheet *sheet;
  double font;
  double cell, weight_cell; /* widths of a computed number and of a weight */
  double row_labels;        /* of the labels of rows */
} Page;

/* ---- Texts with raised and lowered letters ----------------------------------------------------
 */

/* The next run of a text: letters on the line, raised (1) or lowered (-1). NULL at the end. */
static char *
next_run(const char **text, int *level)
{
  const char *p = *text;
  *level = 0;
  if (*p == '^' || *p == '_') {
    *level = *p++ == '^' ? 1 : -1;
    const char *end = *p == '{' ? strchr(p, '}') : NULL;
    if (end) {
      *text = end + 1;
      return g_strndup(p + 1, (gsize) (end - p - 1));
    }
    end = *p ? g_utf8_next_char(p) : p;
    *text = end;
    return g_strndup(p, (gsize) (end - p));
  }
  gsize n = strcspn(p, "^_");
  *text = p + n;
  return n ? g_strndup(p, n) : NULL;
}

/* Draws from x on if draws, and returns how wide it is. */
static double
write_markup(const Page *p, double x, double baseline, const char *text, guint32 argb, double size,
             gboolean draws)
{
  double width = 0;
  int level;
  char *run;
  while ((run = next_run(&text, &level))) {
    const double run_size = level ? size * RAISED : size;
    const RegardSpan span = {run, argb, FALSE};
    if (draws)
      regard_canvas_text(p->canvas, x + width,
                         baseline - (level > 0   ? 0.42
                                     : level < 0 ? -0.2
                                                 : 0) *
                                        size,
                         &span, 1, run_size, REGARD_ANCHOR_START, 0);
    width += regard_canvas_text_width(p->canvas, &span, 1, run_size) + (level ? 0.06 * size : 0);
    g_free(run);
  }
  return width;
}

/* A text of one line or two, about y = middle; returns how wide it is. */
static double
write_lines(const Page *p, double x, double middle, const char *text, gboolean draws)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
  const double size = p->font, pitch = PITCH * size;
  const guint n = g_strv_length(lines);
  double width = 0;
  for (guint i = 0; i < n; i++) {
    const double baseline = middle + 0.36 * size + (i - (n - 1) / 2.0) * pitch;
    width = MAX(width, write_markup(p, x, baseline, lines[i], p->palette->text, size, draws));
  }
  return width;
}

static double
text_width(const Page *p, const char *text, double size)
{
  RegardSpan span = {text, 0xff000000, FALSE};
  return regard_canvas_text_width(p->canvas, &span, 1, size);
}

/* ---- Numbers ----------------------------------------------------------------------------------
 */

/* With a minus as long as a plus. */
static char *
print_number(const RegardSheetPart *part, guint row, guint col)
{
  const float value = regard_matrix_get(part->matrix, row, col);
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  if (!isfinite(value))
    return g_strdup(value < 0 ? "−∞" : "∞");
  g_snprintf(format, sizeof format, "%%.%uf", value == 0 && part->is_weight ? 0 : part->decimals);
  g_ascii_formatd(number, sizeof number, format, fabsf(value));
  return g_strconcat(value < 0 ? "−" : "", number, NULL);
}

/* ---- One matrix -------------------------------------------------------------------------------
 */

/* Of the widest of its numbers. */
static double
own_width(const Page *p, const RegardSheetPart *part)
{
  double width = 0;
  for (guint r = 0; r < part->matrix->rows; r++)
    for (guint c = 0; c < part->matrix->cols; c++) {
      g_autofree char *number = print_number(part, r, c);
      width = MAX(width, text_width(p, number, p->font));
    }
  return width + CELL_GAP * p->font;
}

/* Labels of columns may be wider than numbers; a column alone is as wide as its own. */
static double
cell_width(const Page *p, const RegardSheetPart *part)
{
  double width = part->is_weight ? p->weight_cell : p->cell;
  if (part->matrix->cols == 1)
    return own_width(p, part);
  for (guint c = 0; part->shows_columns && c < part->matrix->cols; c++)
    width = MAX(width,
                text_width(p, part->matrix->col_labels[c].text, p->font * SMALL) + 0.4 * p->font);
  return width;
}

/* Widths that all numbers and all labels of rows have. */
static void
measure(Page *p)
{
  for (guint i = 0; i < p->sheet->parts->len; i++) {
    const RegardSheetPart *part = p->sheet->parts->pdata[i];
    double *cell = part->is_weight ? &p->weight_cell : &p->cell;
    *cell = MAX(*cell, own_width(p, part));
    for (guint r = 0; part->shows_rows && r < part->matrix->rows; r++)
      p->row_labels =
          MAX(p->row_labels, text_width(p, part->matrix->row_labels[r].text, p->font * SMALL));
  }
  p->row_labels += 0.5 * p->font;
}

/* What was chosen in a row, as it stands behind the row. Caller frees. */
static char *
print_choice(const RegardSheetPart *part, guint row)
{
  return g_strconcat("→ ", part->matrix->col_labels[part->marked[row]].text, NULL);
}

/* Without the labels of its rows. */
static double
numbers_width(const Page *p, const RegardSheetPart *part)
{
  double choice = 0;
  for (guint r = 0; part->marked && r < part->matrix->rows; r++) {
    g_autofree char *text = print_choice(part, r);
    const RegardSpan span = {text, 0, TRUE};
    choice = MAX(choice, CHOICE * p->font + regard_canvas_text_width(p->canvas, &span, 1, p->font));
  }
  return part->matrix->cols * cell_width(p, part) + 2 * BRACKET * p->font + choice;
}

static double
part_width(const Page *p, const RegardSheetPart *part)
{
  return (part->shows_rows ? p->row_labels : 0) + numbers_width(p, part);
}

/* Of what stands over the numbers. */
static double
part_head(const Page *p, const RegardSheetPart *part)
{
  return ((part->symbol ? SYMBOL : 0) + (part->shows_columns ? SYMBOL : 0)) * p->font;
}

static void
draw_brackets(const Page *p, RegardRect box)
{
  const double tick = 0.3 * p->font, line = 0.07 * p->font;
  const double sides[] = {box.x, box.x + box.width}, inward[] = {tick, -tick};
  for (int i = 0; i < 2; i++) {
    const RegardPoint points[] = {{sides[i] + inward[i], box.y},
                                  {sides[i], box.y},
                                  {sides[i], box.y + box.height},
                                  {sides[i] + inward[i], box.y + box.height}};
    regard_canvas_polyline(p->canvas, points, G_N_ELEMENTS(points),
                           &(RegardPen){line, 0, 0, p->palette->frame});
  }
}

/* How much of a share is seen behind it. */
static guint32
tint(const Page *p, double share)
{
  return (p->palette->badge_fill & 0xffffff) | (guint32) lround(255 * CLAMP(share, 0, 1)) << 24;
}

static void
draw_cell(const Page *p, const RegardSheetPart *part, guint index, guint row, guint col,
          RegardRect cell)
{
  const float value = regard_matrix_get(part->matrix, row, col);
  const gboolean is_marked = part->marked && part->marked[row] == (int) col;
  const gboolean is_dim = (part->is_weight && value == 0) || !isfinite(value);
  g_autofree char *number = print_number(part, row, col);
  if (part->is_share)
    regard_canvas_fill_rect(p->canvas,
                            (RegardRect){cell.x + 0.08 * p->font, cell.y + 0.06 * p->font,
                                         cell.width - 0.16 * p->font, cell.height - 0.12 * p->font},
                            0.2 * p->font, tint(p, value));
  regard_figure_text(p->canvas, cell.x + cell.width - CELL_GAP / 2 * p->font,
                     cell.y + (PITCH / 2 + 0.36) * p->font, number,
                     is_dim      ? p->palette->dim
                     : is_marked ? p->palette->badge_text
                                 : p->palette->text,
                     is_marked, p->font, REGARD_ANCHOR_END, 0);
  regard_canvas_spot(p->canvas, cell, (int) index, (int) row, (int) col);
}

/* With its first row of numbers at y = top. */
static void
draw_part(const Page *p, guint index, double x, double top)
{
  const RegardSheetPart *part = p->sheet->parts->pdata[index];
  const RegardMatrix *m = part->matrix;
  const double pitch = PITCH * p->font, cell = cell_width(p, part);
  const double left = x + (part->shows_rows ? p->row_labels : 0);
  const RegardRect box = {left, top, m->cols * cell + 2 * BRACKET * p->font, m->rows * pitch};
  regard_canvas_begin_group(p->canvas, m->id);
  if (part->is_weight)
    regard_canvas_fill_rect(p->canvas, box, 0.3 * p->font, p->palette->bar_background);
  else
    draw_brackets(p, box);
  if (part->symbol) {
    const double baseline = top - part_head(p, part) + (SYMBOL - 0.35) * p->font;
    double width = write_markup(p, 0, 0, part->symbol, 0, p->font * SMALL, FALSE);
    write_markup(p, left + (box.width - width) / 2, baseline, part->symbol, p->palette->dim,
                 p->font * SMALL, TRUE);
  }
  for (guint c = 0; part->shows_columns && c < m->cols; c++)
    regard_figure_text(p->canvas,
                       left + BRACKET * p->font + (c + 1) * cell - CELL_GAP / 2 * p->font,
                       top - 0.35 * p->font, m->col_labels[c].text, p->palette->dim, FALSE,
                       p->font * SMALL, REGARD_ANCHOR_END, 0);
  for (guint r = 0; r < m->rows; r++) {
    const double y = top + r * pitch;
    if (part->shows_rows)
      regard_figure_text(p->canvas, left - 0.4 * p->font, y + (PITCH / 2 + 0.33) * p->font,
                         m->row_labels[r].text, p->palette->dim, FALSE, p->font * SMALL,
                         REGARD_ANCHOR_END, 0);
    for (guint c = 0; c < m->cols; c++)
      draw_cell(p, part, index, r, c,
                (RegardRect){left + BRACKET * p->font + c * cell, y, cell, pitch});
    if (part->marked) {
      g_autofree char *chosen = print_choice(part, r);
      regard_figure_text(p->canvas, box.x + box.width + CHOICE * p->font,
                         y + (PITCH / 2 + 0.36) * p->font, chosen, p->palette->badge_text, TRUE,
                         p->font, REGARD_ANCHOR_START, 0);
    }
  }
  regard_canvas_end_group(p->canvas);
}

/* ---- Lines ------------------------------------------------------------------------------------
 */

static const RegardSheetPart *
part_of(const Page *p, guint index)
{
  return p->sheet->parts->pdata[index];
}

static double
item_width(const Page *p, const RegardSheetItem *item, gboolean is_first)
{
  if (!item->text)
    return part_width(p, part_of(p, item->part));
  double width = write_lines(p, 0, 0, item->text, FALSE);
  return is_first ? MAX(width, FIRST_TEXT * p->font) : width;
}

/* Of its rows of numbers, those below too. */
static double
item_height(const Page *p, const RegardSheetItem *item)
{
  double height = part_of(p, item->part)->matrix->rows * PITCH;
  if (item->below >= 0)
    height += part_of(p, (guint) item->below)->matrix->rows * PITCH + BELOW;
  return height * p->font;
}

/* Items [first, end) stand beside each other: what fits, and no sign apart from what it is about.
 * How much they need above and below their middle. */
static guint
fill_line(const Page *p, const GArray *line, guint first, double room, double *above, double *below)
{
  double x = 0;
  guint end = first;
  *above = *below = PITCH / 2 * p->font;
  while (end < line->len) {
    double width = 0, up = 0, down = 0;
    guint next = end;
    for (gboolean is_text = TRUE; is_text && next < line->len; next++) {
      const RegardSheetItem *item = &g_array_index(line, RegardSheetItem, next);
      is_text = item->text != NULL;
      width += item_width(p, item, next == 0) + ITEM_GAP * p->font;
      if (!is_text) {
        down = item_height(p, item) / 2;
        up = down + part_head(p, part_of(p, item->part));
      }
    }
    if (end > first && x + width - ITEM_GAP * p->font > room)
      break;
    x += width;
    *above = MAX(*above, up);
    *below = MAX(*below, down);
    end = next;
  }
  return end;
}

static void
draw_item(const Page *p, const RegardSheetItem *item, double x, double middle)
{
  if (item->text) {
    write_lines(p, x, middle, item->text, TRUE);
    return;
  }
  const RegardSheetPart *part = part_of(p, item->part);
  const double top = middle - item_height(p, item) / 2;
  draw_part(p, item->part, x, top);
  if (item->below < 0)
    return;
  const double below = top + (part->matrix->rows * PITCH + BELOW) * p->font;
  draw_part(p, (guint) item->below, x, below);
  regard_figure_text(p->canvas, x - 0.35 * p->font, below + (PITCH / 2 + 0.36) * p->font, "+",
                     p->palette->text, FALSE, p->font, REGARD_ANCHOR_END, 0);
}

/* Where a line goes on that did not fit: its matrix stands below the first one. */
static double
indent(const Page *p, const GArray *line, guint first)
{
  const RegardSheetItem *item = &g_array_index(line, RegardSheetItem, first);
  double x = (FIRST_TEXT + ITEM_GAP) * p->font + p->row_labels;
  if (item->text) {
    x -= item_width(p, item, FALSE) + ITEM_GAP * p->font;
    item++; /* no sign is the last item */
  }
  return part_of(p, item->part)->shows_rows ? x - p->row_labels : x;
}

/* A line, or as many as it takes in that width; returns its height. */
static double
draw_line(const Page *p, const GArray *line, double x0, double y, double width)
{
  const double start = y;
  guint first = 0;
  while (first < line->len) {
    const double left = first ? indent(p, line, first) : 0;
    double above, below, x = x0 + left;
    guint end = fill_line(p, line, first, width - left, &above, &below);
    for (guint i = first; i < end; i++) {
      const RegardSheetItem *item = &g_array_index(line, RegardSheetItem, i);
      draw_item(p, item, x, y + above);
      x += item_width(p, item, i == 0) + ITEM_GAP * p->font;
    }
    y += above + below + LINE_GAP * p->font;
    first = end;
  }
  return y - start;
}

static double
draw_section(const Page *p, guint number, const RegardSheetSection *section, double x, double y,
             double width)
{
  const double start = y;
  g_autofree char *label = g_strdup_printf("%u", number);
  const double disc = 1.5 * p->font;
  regard_canvas_begin_group(p->canvas, section->title);
  regard_canvas_fill_rect(p->canvas, (RegardRect){x, y + 0.1 * p->font, disc, disc}, disc / 2,
                          p->palette->badge_fill);
  regard_figure_text(p->canvas, x + disc / 2, y + 1.18 * p->font, label, p->palette->badge_text,
                     TRUE, p->font * 0.9, REGARD_ANCHOR_MIDDLE, 0);
  regard_figure_text(p->canvas, x + disc + 0.6 * p->font, y + 1.22 * p->font, section->title,
                     p->palette->text, TRUE, p->font * 1.05, REGARD_ANCHOR_START, 0);
  y += HEAD * p->font;
  for (guint i = 0; i < section->lines->len; i++)
    y += draw_line(p, section->lines->pdata[i], x, y, width);
  regard_canvas_end_group(p->canvas);
  return y - start + SECTION * p->font;
}

/* ---- The page ---------------------------------------------------------------------------------
 */

static double
draw_title(const Page *p, const SheetFigure *self, double x, double y, double width)
{
  const double start = y;
  if (!regard_figure_has(&self->parent.style, REGARD_PART_TITLE))
    return 0;
  regard_canvas_begin_group(p->canvas, "title");
  y += 2.1 * p->font;
  const double subtitle = write_markup(p, 0, 0, self->sheet->subtitle, 0, p->font, FALSE);
  g_autofree char *title =
      regard_canvas_ellipsize(p->canvas, self->sheet->title, TRUE, 2.3 * p->font,
                              MAX(width - subtitle - 2 * p->font, 0));
  regard_figure_text(p->canvas, x, y, title, p->palette->text, TRUE, 2.3 * p->font,
                     REGARD_ANCHOR_START, 0);
  write_markup(p, x + width - subtitle, y, self->sheet->subtitle, p->palette->dim, p->font, TRUE);
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
notes_height(const Page *p)
{
  return (G_N_ELEMENTS(notes) * NOTE + SECTION) * p->font;
}

/* How the sheet is to be read. */
static void
draw_notes(const Page *p, double x, double y)
{
  regard_canvas_begin_group(p->canvas, "notes");
  for (guint i = 0; i < G_N_ELEMENTS(notes); i++)
    write_markup(p, x, y + (i + 0.7) * NOTE * p->font, notes[i], p->palette->dim, p->font, TRUE);
  regard_canvas_end_group(p->canvas);
}

/* What a column needs, or the page below: a matrix behind the text of its line, and a note. */
static double
least_width(const Page *p, gboolean below)
{
  double most = 0;
  for (guint i = 0; !below && i < G_N_ELEMENTS(notes); i++)
    most = MAX(most, write_markup(p, 0, 0, notes[i], 0, p->font, FALSE));
  for (guint i = 0; i < p->sheet->sections->len; i++) {
    const RegardSheetSection *section = p->sheet->sections->pdata[i];
    if ((section->place == REGARD_SHEET_BELOW) != below)
      continue;
    for (guint l = 0; l < section->lines->len; l++) {
      const GArray *line = section->lines->pdata[l];
      for (guint k = 0; k < line->len; k++) {
        const RegardSheetItem *item = &g_array_index(line, RegardSheetItem, k);
        if (!item->text)
          most = MAX(most, (FIRST_TEXT + ITEM_GAP) * p->font + p->row_labels +
                               numbers_width(p, part_of(p, item->part)));
      }
    }
  }
  return most;
}

/* Everything, with so much more below each section; returns its height. */
static double
lay_out(const SheetFigure *self, RegardCanvas *canvas, double width, double font, double slack)
{
  Page p = {.canvas = canvas,
            .palette = regard_figure_palette(&self->parent.style),
            .sheet = self->sheet,
            .font = font};
  measure(&p);
  /* No column is narrower than a matrix: what is printed in it is smaller then. All widths are in
   * proportion to the font. */
  const double need = MAX(2 * least_width(&p, FALSE) + (2 * MARGIN + GUTTER) * font,
                          least_width(&p, TRUE) + 2 * MARGIN * font);
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
    ends[side] += slack + draw_section(&p, i + 1, section, margin + side * (column + GUTTER * font),
                                       ends[side], column);
  }
  /* At the foot of the shorter column, as a rule the encoder's. */
  double y = MAX(ends[0] + notes_height(&p), ends[1]);
  draw_notes(&p, margin, y - notes_height(&p));
  for (; i < self->sheet->sections->len; i++)
    y += slack + draw_section(&p, i + 1, self->sheet->sections->pdata[i], margin, y, inner);
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
  g_autofree char *number = print_number(part, (guint) spot->row, (guint) spot->col);
  GString *text = g_string_new(NULL);
  const char *formula = part->formula;
  int level;
  char *run;
  while ((run = next_run(&formula, &level))) {
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
  return print_number(part_at(figure, (guint) spot->part), (guint) spot->row, (guint) spot->col);
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

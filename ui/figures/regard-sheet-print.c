/* regard-sheet-print.c — texts, numbers and matrices as they stand on a sheet.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Weights on grey, what is computed in brackets, over each its symbol. All computed numbers have
 * one width, and all weights, so that what is alike stands below each other.
 */
#include "figures/regard-sheet-page.h"

#include <math.h>
#include <string.h>

/* Measures in font sizes. */
#define SYMBOL   1.3  /* height of what stands over a matrix, and of its columns' labels */
#define CELL_GAP 0.72 /* between two numbers */
#define BRACKET  0.35
#define SMALL    0.88 /* symbols and labels, of the font */
#define RAISED   0.72 /* what is raised or lowered */
#define CHOICE   0.8  /* before what was chosen */

/* ---- Texts with raised and lowered letters ----------------------------------------------------
 */

/* The next run of a text: letters on the line, raised (1) or lowered (-1). NULL at the end. */
char *
regard_sheet_next_run(const char **text, int *level)
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
double
regard_sheet_write(const RegardSheetPage *p, double x, double baseline, const char *text,
                   guint32 argb, double size, gboolean draws)
{
  double width = 0;
  int level;
  char *run;
  while ((run = regard_sheet_next_run(&text, &level))) {
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
double
regard_sheet_write_lines(const RegardSheetPage *p, double x, double middle, const char *text,
                         gboolean draws)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
  const double size = p->font, pitch = REGARD_SHEET_PITCH * size;
  const guint n = g_strv_length(lines);
  double width = 0;
  for (guint i = 0; i < n; i++) {
    const double baseline = middle + 0.36 * size + (i - (n - 1) / 2.0) * pitch;
    width = MAX(width, regard_sheet_write(p, x, baseline, lines[i], p->palette->text, size, draws));
  }
  return width;
}

static double
text_width(const RegardSheetPage *p, const char *text, double size)
{
  RegardSpan span = {text, 0xff000000, FALSE};
  return regard_canvas_text_width(p->canvas, &span, 1, size);
}

/* ---- Numbers ----------------------------------------------------------------------------------
 */

/* With a minus as long as a plus. */
char *
regard_sheet_print_number(const RegardSheetPart *part, guint row, guint col)
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
own_width(const RegardSheetPage *p, const RegardSheetPart *part)
{
  double width = 0;
  for (guint r = 0; r < part->matrix->rows; r++)
    for (guint c = 0; c < part->matrix->cols; c++) {
      g_autofree char *number = regard_sheet_print_number(part, r, c);
      width = MAX(width, text_width(p, number, p->font));
    }
  return width + CELL_GAP * p->font;
}

/* Labels of columns may be wider than numbers; a column alone is as wide as its own. */
static double
cell_width(const RegardSheetPage *p, const RegardSheetPart *part)
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
void
regard_sheet_measure(RegardSheetPage *p)
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
double
regard_sheet_numbers_width(const RegardSheetPage *p, const RegardSheetPart *part)
{
  double choice = 0;
  for (guint r = 0; part->marked && r < part->matrix->rows; r++) {
    g_autofree char *text = print_choice(part, r);
    const RegardSpan span = {text, 0, TRUE};
    choice = MAX(choice, CHOICE * p->font + regard_canvas_text_width(p->canvas, &span, 1, p->font));
  }
  return part->matrix->cols * cell_width(p, part) + 2 * BRACKET * p->font + choice;
}

double
regard_sheet_part_width(const RegardSheetPage *p, const RegardSheetPart *part)
{
  return (part->shows_rows ? p->row_labels : 0) + regard_sheet_numbers_width(p, part);
}

/* Of what stands over the numbers. */
double
regard_sheet_part_head(const RegardSheetPage *p, const RegardSheetPart *part)
{
  return ((part->symbol ? SYMBOL : 0) + (part->shows_columns ? SYMBOL : 0)) * p->font;
}

static void
draw_brackets(const RegardSheetPage *p, RegardRect box)
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
tint(const RegardSheetPage *p, double share)
{
  return (p->palette->badge_fill & 0xffffff) | (guint32) lround(255 * CLAMP(share, 0, 1)) << 24;
}

static void
draw_cell(const RegardSheetPage *p, const RegardSheetPart *part, guint index, guint row, guint col,
          RegardRect cell)
{
  const float value = regard_matrix_get(part->matrix, row, col);
  const gboolean is_marked = part->marked && part->marked[row] == (int) col;
  const gboolean is_dim = (part->is_weight && value == 0) || !isfinite(value);
  g_autofree char *number = regard_sheet_print_number(part, row, col);
  if (part->is_share)
    regard_canvas_fill_rect(p->canvas,
                            (RegardRect){cell.x + 0.08 * p->font, cell.y + 0.06 * p->font,
                                         cell.width - 0.16 * p->font, cell.height - 0.12 * p->font},
                            0.2 * p->font, tint(p, value));
  regard_figure_text(p->canvas, cell.x + cell.width - CELL_GAP / 2 * p->font,
                     cell.y + (REGARD_SHEET_PITCH / 2 + 0.36) * p->font, number,
                     is_dim      ? p->palette->dim
                     : is_marked ? p->palette->badge_text
                                 : p->palette->text,
                     is_marked, p->font, REGARD_ANCHOR_END, 0);
  regard_canvas_spot(p->canvas, cell, (int) index, (int) row, (int) col);
}

/* With its first row of numbers at y = top. */
void
regard_sheet_draw_part(const RegardSheetPage *p, guint index, double x, double top)
{
  const RegardSheetPart *part = p->sheet->parts->pdata[index];
  const RegardMatrix *m = part->matrix;
  const double pitch = REGARD_SHEET_PITCH * p->font, cell = cell_width(p, part);
  const double left = x + (part->shows_rows ? p->row_labels : 0);
  const RegardRect box = {left, top, m->cols * cell + 2 * BRACKET * p->font, m->rows * pitch};
  regard_canvas_begin_group(p->canvas, m->id);
  if (part->is_weight)
    regard_canvas_fill_rect(p->canvas, box, 0.3 * p->font, p->palette->bar_background);
  else
    draw_brackets(p, box);
  if (part->symbol) {
    const double baseline = top - regard_sheet_part_head(p, part) + (SYMBOL - 0.35) * p->font;
    double width = regard_sheet_write(p, 0, 0, part->symbol, 0, p->font * SMALL, FALSE);
    regard_sheet_write(p, left + (box.width - width) / 2, baseline, part->symbol, p->palette->dim,
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
      regard_figure_text(p->canvas, left - 0.4 * p->font,
                         y + (REGARD_SHEET_PITCH / 2 + 0.33) * p->font, m->row_labels[r].text,
                         p->palette->dim, FALSE, p->font * SMALL, REGARD_ANCHOR_END, 0);
    for (guint c = 0; c < m->cols; c++)
      draw_cell(p, part, index, r, c,
                (RegardRect){left + BRACKET * p->font + c * cell, y, cell, pitch});
    if (part->marked) {
      g_autofree char *chosen = print_choice(part, r);
      regard_figure_text(p->canvas, box.x + box.width + CHOICE * p->font,
                         y + (REGARD_SHEET_PITCH / 2 + 0.36) * p->font, chosen,
                         p->palette->badge_text, TRUE, p->font, REGARD_ANCHOR_START, 0);
    }
  }
  regard_canvas_end_group(p->canvas);
}

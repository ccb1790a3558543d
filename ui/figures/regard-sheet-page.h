/* regard-sheet-page.h — the parts that a sheet is drawn with. Private to regard-sheet*.c and
 * regard-figure-sheet.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-private.h"
#include "figures/regard-sheet.h"

/* Measures of several files, in font sizes. */
#define REGARD_SHEET_PITCH   1.42 /* of rows */
#define REGARD_SHEET_SECTION 1.1  /* below a section */

/* What a sheet is drawn on. All widths are in proportion to the font. */
typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardSheet *sheet;
  double font;
  double cell, weight_cell; /* widths of a computed number and of a weight */
  double row_labels;        /* of the labels of rows */
} RegardSheetPage;

static inline const RegardSheetPart *
regard_sheet_part_of(const RegardSheetPage *p, guint index)
{
  return p->sheet->parts->pdata[index];
}

/* ---- regard-sheet-print.c: texts, numbers, one matrix ---- */

/* The next run of a text: letters on the line, raised (1) or lowered (-1). NULL at the end; caller
 * frees. */
char *regard_sheet_next_run(const char **text, int *level);
/* A text from x on, if draws; returns how wide it is. */
double regard_sheet_write(const RegardSheetPage *p, double x, double baseline, const char *text,
                          guint32 argb, double size, gboolean draws);
/* A text of one line or two, about y = middle. */
double regard_sheet_write_lines(const RegardSheetPage *p, double x, double middle, const char *text,
                                gboolean draws);
/* As it stands on the sheet. Caller frees. */
char *regard_sheet_print_number(const RegardSheetPart *part, guint row, guint col);
/* Fill in the widths that all numbers and all labels have. */
void regard_sheet_measure(RegardSheetPage *p);
/* How wide a matrix is, with the labels of its rows and without, and how high what stands over it.
 */
double regard_sheet_part_width(const RegardSheetPage *p, const RegardSheetPart *part);
double regard_sheet_numbers_width(const RegardSheetPage *p, const RegardSheetPart *part);
double regard_sheet_part_head(const RegardSheetPage *p, const RegardSheetPart *part);
/* With its first row of numbers at y = top. */
void regard_sheet_draw_part(const RegardSheetPage *p, guint index, double x, double top);

/* ---- regard-sheet-lines.c: lines of them ---- */

/* Returns its height. */
double regard_sheet_draw_section(const RegardSheetPage *p, guint number,
                                 const RegardSheetSection *section, double x, double y,
                                 double width);
/* What the sections of a column need, or those below: a matrix behind the text of its line. */
double regard_sheet_least_width(const RegardSheetPage *p, gboolean below);

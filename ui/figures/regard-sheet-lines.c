/* regard-sheet-lines.c — the lines of a sheet: matrices beside each other, as they are written by
 * hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-sheet-page.h"

/* Measures in font sizes. */
#define FIRST_TEXT 7.6  /* texts that begin a line take so much, so that matrices line up */
#define ITEM_GAP   0.55 /* between what stands in a line */
#define LINE_GAP   0.75
#define HEAD       2.5  /* a section's title */
#define BELOW      0.25 /* between weights and their bias */

static double
item_width(const RegardSheetPage *p, const RegardSheetItem *item, gboolean is_first)
{
  if (!item->text)
    return regard_sheet_part_width(p, regard_sheet_part_of(p, item->part));
  double width = regard_sheet_write_lines(p, 0, 0, item->text, FALSE);
  return is_first ? MAX(width, FIRST_TEXT * p->font) : width;
}

/* Of its rows of numbers, those below too. */
static double
item_height(const RegardSheetPage *p, const RegardSheetItem *item)
{
  double height = regard_sheet_part_of(p, item->part)->matrix->rows * REGARD_SHEET_PITCH;
  if (item->below >= 0)
    height +=
        regard_sheet_part_of(p, (guint) item->below)->matrix->rows * REGARD_SHEET_PITCH + BELOW;
  return height * p->font;
}

/* Items [first, end) stand beside each other: what fits, and no sign apart from what it is about.
 * How much they need above and below their middle. */
static guint
fill_line(const RegardSheetPage *p, const GArray *line, guint first, double room, double *above,
          double *below)
{
  double x = 0;
  guint end = first;
  *above = *below = REGARD_SHEET_PITCH / 2 * p->font;
  while (end < line->len) {
    double width = 0, up = 0, down = 0;
    guint next = end;
    for (gboolean is_text = TRUE; is_text && next < line->len; next++) {
      const RegardSheetItem *item = &g_array_index(line, RegardSheetItem, next);
      is_text = item->text != NULL;
      width += item_width(p, item, next == 0) + ITEM_GAP * p->font;
      if (!is_text) {
        down = item_height(p, item) / 2;
        up = down + regard_sheet_part_head(p, regard_sheet_part_of(p, item->part));
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
draw_item(const RegardSheetPage *p, const RegardSheetItem *item, double x, double middle)
{
  if (item->text) {
    regard_sheet_write_lines(p, x, middle, item->text, TRUE);
    return;
  }
  const RegardSheetPart *part = regard_sheet_part_of(p, item->part);
  const double top = middle - item_height(p, item) / 2;
  regard_sheet_draw_part(p, item->part, x, top);
  if (item->below < 0)
    return;
  const double below = top + (part->matrix->rows * REGARD_SHEET_PITCH + BELOW) * p->font;
  regard_sheet_draw_part(p, (guint) item->below, x, below);
  regard_figure_text(p->canvas, x - 0.35 * p->font,
                     below + (REGARD_SHEET_PITCH / 2 + 0.36) * p->font, "+", p->palette->text,
                     FALSE, p->font, REGARD_ANCHOR_END, 0);
}

/* Where a line goes on that did not fit: its matrix stands below the first one. */
static double
indent(const RegardSheetPage *p, const GArray *line, guint first)
{
  const RegardSheetItem *item = &g_array_index(line, RegardSheetItem, first);
  double x = (FIRST_TEXT + ITEM_GAP) * p->font + p->row_labels;
  if (item->text) {
    x -= item_width(p, item, FALSE) + ITEM_GAP * p->font;
    item++; /* no sign is the last item */
  }
  return regard_sheet_part_of(p, item->part)->shows_rows ? x - p->row_labels : x;
}

/* A line, or as many as it takes in that width; returns its height. */
static double
draw_line(const RegardSheetPage *p, const GArray *line, double x0, double y, double width)
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

double
regard_sheet_draw_section(const RegardSheetPage *p, guint number, const RegardSheetSection *section,
                          double x, double y, double width)
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
  return y - start + REGARD_SHEET_SECTION * p->font;
}

double
regard_sheet_least_width(const RegardSheetPage *p, gboolean below)
{
  double most = 0;
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
                               regard_sheet_numbers_width(p, regard_sheet_part_of(p, item->part)));
      }
    }
  }
  return most;
}

/* regard-sheet-parts.c — the parts of a sheet: rounded matrices, and the lines that they stand in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-sheet-private.h"

#include <math.h>
#include <string.h>

/* ---- Rounding ---------------------------------------------------------------------------------
 */

/* As it is printed; no minus before a zero. */
static float
rounded(double value, guint decimals)
{
  const double unit = pow(10, decimals);
  return isfinite(value) ? (float) (round(value * unit) / unit + 0.0) : (float) value;
}

/* The fewest decimals that say all of them, at most those of computed numbers. */
static guint
decimals_of(const float *values, gsize n)
{
  guint decimals = 0;
  for (gsize i = 0; i < n && decimals < REGARD_SHEET_DECIMALS; i++)
    while (decimals < REGARD_SHEET_DECIMALS && rounded(values[i], decimals) != values[i])
      decimals++;
  return decimals;
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

static void
append_subject(const RegardMatrix *matrix, GString *caption)
{
  g_string_append_printf(caption,
                         " Computed numbers are rounded to %d decimals, weights are as the model "
                         "has them.",
                         REGARD_SHEET_DECIMALS);
}

static const RegardOriginClass origin_class = {.append_subject = append_subject};

static const char *
piece_of(gconstpointer model, guint i)
{
  return mt_model_piece(model, MT_STACK_DECODER, (gint32) i);
}

static void
label_piece(gconstpointer model, guint i, RegardLabel *label)
{
  const char *piece = piece_of(model, i);
  label->text = g_strdup(strcmp(piece, "</s>") == 0 ? "⏎" : piece);
  label->piece = g_strdup(piece);
}

static RegardAxis
axis_of(const RegardSheetBuilder *b, RegardSheetAxis axis, guint n)
{
  static const char *const one[] = {""};
  RegardAxis numbers;
  switch (axis) {
  case REGARD_SHEET_SOURCE:
    return regard_axis_tokens(mt_trace_source(b->trace), "source", FALSE);
  case REGARD_SHEET_INPUT:
    return regard_axis_tokens(mt_trace_decoder_input(b->trace), "translation", TRUE);
  case REGARD_SHEET_PIECES:
    return (RegardAxis){.n = n,
                        .title = "pieces",
                        .noun = "piece",
                        .ticks = REGARD_TICKS_WORDS,
                        .label = label_piece,
                        .data = b->model};
  case REGARD_SHEET_ONE:
    return regard_axis_texts(one, 1, "");
  case REGARD_SHEET_DIMENSIONS:
  default:
    numbers = regard_axis_numbers(n, "dimensions", REGARD_TICKS_DECIMAL);
    numbers.noun = "dimension";
    return numbers;
  }
}

static void
part_free(gpointer data)
{
  RegardSheetPart *part = data;
  regard_matrix_unref(part->matrix);
  g_free(part->symbol);
  g_free(part->formula);
  g_free(part->marked);
  g_free(part);
}

guint
regard_sheet_add(RegardSheetBuilder *b, const RegardSheetKind *kind, RegardSheetNumbers numbers)
{
  const mt_matrix *m = &numbers.m;
  const gsize rows = numbers.is_transposed ? m->cols : m->rows;
  const gsize cols = numbers.is_transposed ? m->rows : m->cols;
  RegardSheetPart *part = g_new0(RegardSheetPart, 1);
  float *values = g_new(float, rows *cols);
  for (gsize r = 0; r < rows; r++)
    for (gsize c = 0; c < cols; c++)
      values[r * cols + c] = numbers.is_transposed ? mt_matrix_at(m, c, r) : mt_matrix_at(m, r, c);
  part->decimals = kind->is_weight ? decimals_of(values, rows * cols) : REGARD_SHEET_DECIMALS;
  for (gsize i = 0; i < rows * cols; i++)
    values[i] = rounded(values[i], part->decimals);
  const RegardMatrixSource source = {
      .id = g_intern_string(kind->id),
      .title = kind->formula,
      .value_name = kind->is_share ? "weight" : "value",
      .model_name = mt_model_name(b->model),
      .rows = axis_of(b, kind->rows, (guint) rows),
      .cols = axis_of(b, kind->cols, (guint) cols),
      .values = values,
      .range = kind->is_share ? REGARD_RANGE_SHARES : REGARD_RANGE_SIGNED,
      .mask = {.is_causal = kind->is_causal},
      .origin_class = &origin_class,
  };
  part->matrix = regard_matrix_new_from(&source);
  part->symbol = g_strdup(kind->symbol);
  part->formula = g_strdup(kind->formula);
  part->is_weight = kind->is_weight;
  part->is_share = kind->is_share;
  part->shows_rows = kind->shows_rows;
  part->shows_columns = kind->shows_columns;
  g_ptr_array_add(b->sheet->parts, part);
  return b->sheet->parts->len - 1;
}

guint
regard_sheet_add_vector(RegardSheetBuilder *b, const RegardSheetKind *kind, const float *values,
                        gsize n, float usual, gboolean *is_told)
{
  g_autofree float *none = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    none[i] = usual;
  const RegardSheetNumbers numbers = {{values ? values : none, 1, n, n}, FALSE};
  guint part = regard_sheet_add(b, kind, numbers);
  *is_told = FALSE;
  for (gsize i = 0; i < n; i++)
    *is_told |= regard_sheet_part(b, part)->matrix->values[i] != usual;
  return part;
}

RegardSheetPart *
regard_sheet_part(const RegardSheetBuilder *b, guint i)
{
  return b->sheet->parts->pdata[i];
}

/* ---- Sections ---------------------------------------------------------------------------------
 */

static void
item_clear(gpointer data)
{
  g_free(((RegardSheetItem *) data)->text);
}

static void
section_free(gpointer data)
{
  RegardSheetSection *section = data;
  g_free(section->title);
  g_ptr_array_unref(section->lines);
  g_free(section);
}

void
regard_sheet_begin(RegardSheetBuilder *b, RegardSheetPlace place, const char *title)
{
  RegardSheetSection *section = g_new0(RegardSheetSection, 1);
  section->title = g_strdup(title);
  section->place = place;
  section->lines = b->lines = g_ptr_array_new_with_free_func((GDestroyNotify) g_array_unref);
  g_ptr_array_add(b->sheet->sections, section);
}

void
regard_sheet_begin_line(RegardSheetBuilder *b)
{
  b->line = g_array_new(FALSE, TRUE, sizeof(RegardSheetItem));
  g_array_set_clear_func(b->line, item_clear);
  g_ptr_array_add(b->lines, b->line);
}

void
regard_sheet_text(RegardSheetBuilder *b, const char *text)
{
  const RegardSheetItem item = {.text = g_strdup(text), .below = -1};
  g_array_append_val(b->line, item);
}

void
regard_sheet_show(RegardSheetBuilder *b, guint part)
{
  const RegardSheetItem item = {.part = part, .below = -1};
  g_array_append_val(b->line, item);
}

void
regard_sheet_show_both(RegardSheetBuilder *b, guint part, guint below)
{
  const RegardSheetItem item = {.part = part, .below = (int) below};
  g_array_append_val(b->line, item);
}

/* ---- Life -------------------------------------------------------------------------------------
 */

RegardSheet *
regard_sheet_alloc(void)
{
  RegardSheet *sheet = g_new0(RegardSheet, 1);
  sheet->parts = g_ptr_array_new_with_free_func(part_free);
  sheet->sections = g_ptr_array_new_with_free_func(section_free);
  return sheet;
}

void
regard_sheet_free(RegardSheet *sheet)
{
  if (!sheet)
    return;
  g_ptr_array_unref(sheet->sections);
  g_ptr_array_unref(sheet->parts);
  g_free(sheet->title);
  g_free(sheet->subtitle);
  g_free(sheet);
}

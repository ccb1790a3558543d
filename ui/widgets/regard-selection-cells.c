/* regard-selection-cells.c — hovered and pinned cells, and which tokens of the texts they are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

/* ---- Hover and pin --------------------------------------------------------------------------- */

static RegardCell
clamp_cell(RegardSelection *self, RegardCell cell)
{
  int rows = self->matrix ? (int) self->matrix->rows : 0;
  int cols = self->matrix ? (int) self->matrix->cols : 0;

  cell.row = CLAMP(cell.row, -1, rows - 1);
  cell.col = CLAMP(cell.col, -1, cols - 1);
  return cell;
}

void
regard_selection_set_hover(RegardSelection *self, RegardCell cell)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  cell = clamp_cell(self, cell);
  if (regard_cell_equal(cell, self->hover))
    return;
  self->hover = cell;
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_HOVER_CHANGED], 0);
}

RegardCell
regard_selection_get_hover(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_NO_CELL);
  return self->hover;
}

void
regard_selection_set_pin(RegardSelection *self, RegardCell cell)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  cell = clamp_cell(self, cell);
  if (regard_cell_equal(cell, self->pin))
    return;
  self->pin = cell;
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_PIN_CHANGED], 0);
}

void
regard_selection_let_go(RegardSelection *self)
{
  regard_selection_set_pin(self, REGARD_NO_CELL);
  regard_selection_set_hover(self, REGARD_NO_CELL);
}

RegardCell
regard_selection_get_pin(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_NO_CELL);
  return self->pin;
}

RegardCell
regard_selection_get_focus(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_NO_CELL);
  return regard_cell_equal(self->hover, REGARD_NO_CELL) ? self->pin : self->hover;
}

/* ---- Between texts and cells ----------------------------------------------------------------- */

/* Output token t is the row t when rows are named by output; by input it is the row that it goes
 * into, t + 1. */
static int
decoder_position(RegardSelection *self, int output_token)
{
  return output_token +
         (self->label_by == REGARD_LABEL_BY_INPUT ? regard_naming_input_shift(self->capture) : 0);
}

RegardCell
regard_selection_cell_of_source(RegardSelection *self, int token)
{
  RegardCell cell = REGARD_NO_CELL;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_NO_CELL);
  if (self->matrix && token >= 0 && regard_matrix_axis_is_source(self->matrix, TRUE))
    cell.col = regard_matrix_col_of_token(self->matrix, token);
  return cell;
}

RegardCell
regard_selection_cell_of_target(RegardSelection *self, int token)
{
  RegardCell cell = REGARD_NO_CELL;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_NO_CELL);
  if (self->matrix && token >= 0 && !regard_matrix_axis_is_source(self->matrix, FALSE))
    cell.row = regard_matrix_row_of_token(self->matrix, decoder_position(self, token));
  return cell;
}

void
regard_selection_hover_source(RegardSelection *self, int token)
{
  regard_selection_set_hover(self, regard_selection_cell_of_source(self, token));
}

void
regard_selection_hover_target(RegardSelection *self, int token)
{
  regard_selection_set_hover(self, regard_selection_cell_of_target(self, token));
}

/* First token (of the source, or of the output) that a row or column of a cell stands for, and how
 * many; FALSE if it is about the other text. */
static gboolean
cell_tokens(RegardSelection *self, RegardCell cell, gboolean column, gboolean source, int *first,
            int *n)
{
  int i = column ? cell.col : cell.row;
  const RegardLabel *label;

  if (!self->matrix || i < 0 || regard_matrix_axis_is_source(self->matrix, column) != source)
    return FALSE;
  label = column ? &self->matrix->col_labels[i] : &self->matrix->row_labels[i];
  *first = label->first_token;
  *n = label->n_tokens;
  /* Keys of the decoder are its inputs, and the input at position t is the output t - 1. */
  if (!source && (column || self->label_by == REGARD_LABEL_BY_INPUT))
    *first -= regard_naming_input_shift(self->capture);
  return *first + *n > 0;
}

static gboolean
axis_tokens(RegardSelection *self, gboolean column, gboolean source, int *first, int *n)
{
  return cell_tokens(self, regard_selection_get_focus(self), column, source, first, n);
}

static gboolean
is_lit(RegardSelection *self, gboolean source, int token)
{
  int first, n;

  for (int column = 0; column < 2; column++)
    if (axis_tokens(self, column, source, &first, &n) && token >= first && token < first + n)
      return token >= 0;
  for (guint i = 0; token >= 0 && i < self->n_summed; i++) {
    const gboolean column = self->sum_axis == REGARD_SUM_KEYS;
    const RegardCell cell = {column ? -1 : (int) i, column ? (int) i : -1};

    if (self->summed[i] && cell_tokens(self, cell, column, source, &first, &n) && token >= first &&
        token < first + n)
      return TRUE;
  }
  return FALSE;
}

gboolean
regard_selection_is_source_lit(RegardSelection *self, int token)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return is_lit(self, TRUE, token);
}

gboolean
regard_selection_is_target_lit(RegardSelection *self, int token)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return is_lit(self, FALSE, token);
}

int
regard_selection_get_lit_source(RegardSelection *self)
{
  int first, n;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), -1);
  if (axis_tokens(self, TRUE, TRUE, &first, &n) || axis_tokens(self, FALSE, TRUE, &first, &n))
    return first;
  return -1;
}

int
regard_selection_get_lit_target(RegardSelection *self)
{
  int first, n;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), -1);
  if (axis_tokens(self, FALSE, FALSE, &first, &n) || axis_tokens(self, TRUE, FALSE, &first, &n))
    return MAX(first, 0);
  return -1;
}

int
regard_selection_get_pinned_target(RegardSelection *self)
{
  int first, n;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), -1);
  return cell_tokens(self, self->pin, FALSE, FALSE, &first, &n) ? MAX(first, 0) : -1;
}

/* regard-selection-summed.c — tokens whose rows or columns of the large matrix are added up.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

static void
changed(RegardSelection *self)
{
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_SUMMED_CHANGED], 0);
}

static void
forget(RegardSelection *self)
{
  g_clear_pointer(&self->summed, g_free);
  g_clear_pointer(&self->summed_pieces, g_strfreev);
  self->n_summed = 0;
}

/* What is chosen of the matrix that there is; the array is taken. */
static void
take(RegardSelection *self, RegardSumAxis axis, guint8 *chosen)
{
  const RegardLabel *labels = regard_sum_axis_labels(self->matrix, axis);
  const guint n = regard_sum_axis_length(self->matrix, axis);
  gboolean any = FALSE;

  forget(self);
  self->sum_axis = axis;
  self->summed = chosen;
  self->n_summed = n;
  self->summed_pieces = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++) {
    self->summed_pieces[i] = g_strdup(labels[i].piece);
    any = any || chosen[i];
  }
  if (!any)
    forget(self);
}

gboolean
regard_selection_toggle_summed(RegardSelection *self, RegardCell cell)
{
  const RegardSumAxis axis = cell.row >= 0 ? REGARD_SUM_QUERIES : REGARD_SUM_KEYS;
  const int i = cell.row >= 0 ? cell.row : cell.col;
  guint8 *chosen;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  if (!self->matrix || (cell.row >= 0) == (cell.col >= 0) ||
      (guint) i >= regard_sum_axis_length(self->matrix, axis))
    return FALSE;
  chosen = g_new0(guint8, regard_sum_axis_length(self->matrix, axis));
  if (self->summed && self->sum_axis == axis) /* else it begins anew */
    memcpy(chosen, self->summed, self->n_summed);
  chosen[i] ^= 1;
  take(self, axis, chosen);
  changed(self);
  return TRUE;
}

void
regard_selection_set_summed(RegardSelection *self, RegardSumAxis axis, const guint8 *chosen)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (self->matrix && chosen)
    take(self, axis, g_memdup2(chosen, regard_sum_axis_length(self->matrix, axis)));
  else if (self->summed)
    forget(self);
  else
    return;
  changed(self);
}

const guint8 *
regard_selection_get_summed(RegardSelection *self, RegardSumAxis *axis, guint *n)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  *axis = self->sum_axis;
  *n = self->n_summed;
  return self->summed;
}

RegardMatrix *
regard_selection_new_sum(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->matrix && self->summed
             ? regard_matrix_new_sum(self->matrix, self->sum_axis, self->summed)
             : NULL;
}

/* Another head of the same sentence is summed over the same tokens; of another one there are none.
 */
void
regard_selection_check_summed(RegardSelection *self)
{
  gboolean same =
      self->matrix && regard_sum_axis_length(self->matrix, self->sum_axis) == self->n_summed;

  if (!self->summed)
    return;
  for (guint i = 0; same && i < self->n_summed; i++)
    same = g_str_equal(regard_sum_axis_labels(self->matrix, self->sum_axis)[i].piece,
                       self->summed_pieces[i]);
  if (!same)
    forget(self);
  changed(self); /* the numbers are others in any case */
}

/* regard-selection-pair.c — the two captures that are compared, and what somebody wants to be
 * changed in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

static gboolean
take(mt_capture **place, mt_capture *capture)
{
  mt_capture *old = *place;

  if (capture == old)
    return FALSE;
  *place = capture ? mt_capture_ref(capture) : NULL;
  mt_capture_unref(old);
  return TRUE;
}

void
regard_selection_set_pair(RegardSelection *self, mt_capture *a, mt_capture *b)
{
  gboolean is_other;

  g_return_if_fail(REGARD_IS_SELECTION(self) && !a == !b);
  is_other = take(&self->pair[0], a);
  is_other |= take(&self->pair[1], b);
  if (is_other)
    g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_PAIR_CHANGED], 0);
}

gboolean
regard_selection_get_pair(RegardSelection *self, mt_capture **a, mt_capture **b)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  *a = self->pair[0];
  *b = self->pair[1];
  return *a != NULL;
}

void
regard_selection_set_wants_pair(RegardSelection *self, gboolean wants)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!wants == !self->wants_pair)
    return;
  self->wants_pair = !!wants;
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_PAIR_WANTED], 0);
}

gboolean
regard_selection_get_wants_pair(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->wants_pair;
}

void
regard_selection_want_changes(RegardSelection *self, mt_changes *changes)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_CHANGES_WANTED], 0, changes);
}

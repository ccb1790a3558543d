/* regard-selection-form.c — in which form the large picture is shown: as a matrix, or as lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

void
regard_selection_set_form(RegardSelection *self, RegardForm form)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if ((guint) form >= REGARD_N_FORMS || form == self->form)
    return;
  self->form = form;
  g_object_notify(G_OBJECT(self), "form");
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_STYLE_CHANGED], 0);
}

RegardForm
regard_selection_get_form(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_FORM_MATRIX);
  return self->form;
}

void
regard_selection_set_lines_share(RegardSelection *self, double share)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  share = CLAMP(share, 0, 1);
  if (share == self->lines_share)
    return;
  self->lines_share = share;
  g_object_notify(G_OBJECT(self), "lines-share");
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_STYLE_CHANGED], 0);
}

double
regard_selection_get_lines_share(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_LINES_SHARE);
  return self->lines_share;
}

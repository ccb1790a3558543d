/* regard-selection-trace.c — the pass that the capture is of, and what the program does for pages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

void
regard_selection_forget_pass(RegardSelection *self)
{
  regard_pass_set(&self->pass, NULL);
  g_clear_pointer(&self->steps, regard_steps_unref);
}

void
regard_selection_show_pass(RegardSelection *self, RegardPass *pass)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (pass == self->pass)
    return;
  regard_selection_forget_pass(self);
  regard_pass_set(&self->pass, pass);
  regard_selection_take_capture(self, regard_pass_capture(pass));
}

void
regard_selection_show(RegardSelection *self, mt_capture *capture, mt_model *model,
                      mt_translation *translation, gsize hypothesis)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  const RegardPass *old = self->pass;
  g_autoptr(RegardPass) pass = NULL;

  if (old && old->capture == capture && old->model == model && old->translation == translation &&
      old->hypothesis == hypothesis)
    return;
  pass = capture ? regard_pass_new(capture, model, translation, hypothesis) : NULL;
  regard_selection_show_pass(self, pass);
}

void
regard_selection_set_capture(RegardSelection *self, mt_capture *capture)
{
  regard_selection_show(self, capture, NULL, NULL, 0);
}

RegardPass *
regard_selection_get_pass(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->pass;
}

mt_model *
regard_selection_get_pass_model(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return regard_pass_has_model(self->pass) ? self->pass->model : NULL;
}

void
regard_selection_set_batch_func(RegardSelection *self, RegardBatchFunc func)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  self->batch_func = func;
}

RegardBatchFunc
regard_selection_get_batch_func(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->batch_func;
}

void
regard_selection_set_quality_func(RegardSelection *self, RegardQualityFunc func)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  self->quality_func = func;
}

RegardQualityFunc
regard_selection_get_quality_func(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->quality_func;
}

/* regard-selection-steps.c — how the translation was found, up to which token it is looked at, and
 * how somebody wants it to go on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

RegardSteps *
regard_selection_get_steps(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  if (!self->steps && regard_pass_has_model(self->pass))
    self->steps = regard_steps_new(self->pass->model, self->pass->translation,
                                   (guint) self->pass->hypothesis, self->capture);
  return self->steps;
}

void
regard_selection_set_wants_steps(RegardSelection *self, gboolean wants)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!wants == !self->wants_steps)
    return;
  self->wants_steps = !!wants;
  g_object_notify(G_OBJECT(self), "wants-steps");
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_REACHED_CHANGED], 0);
}

gboolean
regard_selection_get_wants_steps(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->wants_steps;
}

void
regard_selection_set_step(RegardSelection *self, int step)
{
  const mt_tokens *output = self->capture ? mt_capture_output(self->capture) : NULL;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  step = CLAMP(step, -1, output ? (int) mt_tokens_count(output) - 1 : -1);
  if (step == self->step)
    return;
  self->step = step;
  g_object_notify(G_OBJECT(self), "step");
}

int
regard_selection_get_step(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), -1);
  return self->step;
}

void
regard_selection_set_preset(RegardSelection *self, int step)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (step == self->preset)
    return;
  self->preset = step;
  if (self->step < 0)
    g_object_notify(G_OBJECT(self), "step");
}

int
regard_selection_get_shown_step(RegardSelection *self)
{
  const mt_tokens *output;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), -1);
  output = self->capture ? mt_capture_output(self->capture) : NULL;
  return self->step >= 0 ? self->step
                         : MIN(self->preset, output ? (int) mt_tokens_count(output) - 1 : -1);
}

void
regard_selection_set_peek(RegardSelection *self, int n)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (n == self->peek)
    return;
  self->peek = n;
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_REACHED_CHANGED], 0);
}

int
regard_selection_get_reached(RegardSelection *self)
{
  /* A step that is held while other pages are looked at leaves the translation whole there. */
  const int step = self->wants_steps ? regard_selection_get_shown_step(self) : -1;

  return self->peek >= 0 && self->capture ? self->peek : step >= 0 ? step + 1 : -1;
}

static int
rows_up_to(const RegardMatrix *m, int step)
{
  int n = 0;

  for (guint r = 0; r < m->rows; r++)
    n += m->row_labels[r].first_token <= (guint) step;
  return n;
}

int
regard_selection_rows_computed(RegardSelection *self, int step)
{
  if (step < 0 || !self->matrix || self->kind == MT_ENCODER_SELF)
    return -1;
  return rows_up_to(self->matrix, step);
}

double
regard_selection_share_computed(RegardSelection *self, mt_attention_kind kind, int step)
{
  g_autoptr(RegardMatrix) made = NULL;
  const RegardMatrix *m = self->matrix;

  if (step < 0 || !self->capture || kind == MT_ENCODER_SELF)
    return 1;
  if (!m || self->kind == MT_ENCODER_SELF) { /* both kinds of the decoder have the same rows */
    RegardMatrixSpec spec;

    regard_selection_get_spec(self, &spec);
    spec.kind = kind;
    spec.layer = spec.head = 0;
    spec.combine = REGARD_COMBINE_HEAD;
    m = made = regard_matrix_new_attention(self->capture, &spec);
  }
  return m && m->rows > 0 ? (double) rows_up_to(m, step) / m->rows : 1;
}

void
regard_selection_want_constraints(RegardSelection *self, mt_constraints *constraints)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_CONSTRAINTS_WANTED], 0,
                constraints);
}

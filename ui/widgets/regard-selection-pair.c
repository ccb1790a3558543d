/* regard-selection-pair.c — the two captures that are compared, and what somebody wants to be
 * changed in the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

/* ---- A and B --------------------------------------------------------------------------------- */

static void
emit_pair_changed(RegardSelection *self)
{
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_PAIR_CHANGED], 0);
}

void
regard_selection_set_pair(RegardSelection *self, RegardPass *a, RegardPass *b)
{
  g_return_if_fail(REGARD_IS_SELECTION(self) && a->capture && b->capture);
  if (a->capture == regard_pass_capture(self->pair[0]) &&
      b->capture == regard_pass_capture(self->pair[1]))
    return;
  regard_pass_set(&self->pair[0], a);
  regard_pass_set(&self->pair[1], b);
  self->is_pair_coming = FALSE;
  g_clear_pointer(&self->why_no_pair, g_free);
  emit_pair_changed(self);
}

void
regard_selection_set_no_pair(RegardSelection *self, gboolean is_coming, const char *why)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!self->pair[0] && !self->is_pair_coming == !is_coming &&
      g_strcmp0(self->why_no_pair, why) == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(self->pair); i++)
    regard_pass_set(&self->pair[i], NULL);
  self->is_pair_coming = !!is_coming;
  g_free(self->why_no_pair);
  self->why_no_pair = g_strdup(why);
  emit_pair_changed(self);
}

gboolean
regard_selection_get_pair(RegardSelection *self, mt_capture **a, mt_capture **b)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  *a = regard_pass_capture(self->pair[0]);
  *b = regard_pass_capture(self->pair[1]);
  return *a != NULL;
}

gboolean
regard_selection_get_pair_passes(RegardSelection *self, RegardPass **a, RegardPass **b)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  *a = self->pair[0];
  *b = self->pair[1];
  return *a != NULL;
}

gboolean
regard_selection_is_pair_coming(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->is_pair_coming;
}

const char *
regard_selection_get_why_no_pair(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->why_no_pair;
}

/* Two pages are there at once while one goes over into the other, so wishes are counted. */
void
regard_selection_set_wants_pair(RegardSelection *self, gboolean wants)
{
  g_return_if_fail(REGARD_IS_SELECTION(self) && (wants || self->n_pair_wanted > 0));
  const gboolean was_wanted = self->n_pair_wanted > 0;
  self->n_pair_wanted += wants ? 1 : -1u;
  if (was_wanted != (self->n_pair_wanted > 0))
    g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_PAIR_WANTED], 0);
}

gboolean
regard_selection_get_wants_pair(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->n_pair_wanted > 0;
}

/* Does what is shown begin with the tokens of A up to this one? */
static gboolean
is_token_of_a(RegardSelection *self, int token)
{
  const mt_tokens *shown = mt_capture_output(self->capture);
  const mt_tokens *a = mt_capture_output(self->pair[0]->capture);

  if (token < 0 || (gsize) token >= MIN(mt_tokens_count(shown), mt_tokens_count(a)))
    return FALSE;
  for (gsize i = 0; i <= (gsize) token; i++)
    if (mt_tokens_get(shown, i)->id != mt_tokens_get(a, i)->id)
      return FALSE;
  return TRUE;
}

int
regard_selection_get_pair_token(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), -1);
  if (!self->capture || !self->pair[0])
    return -1;
  const int token = self->step >= 0 ? self->step : regard_selection_get_pinned_target(self);
  return is_token_of_a(self, token) ? token : -1;
}

void
regard_selection_want_changes(RegardSelection *self, mt_changes *changes)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_CHANGES_WANTED], 0, changes);
}

/* regard-selection-chosen.c — the heads of a kind that are chosen, to be looked at together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-selection-private.h"

gboolean
regard_selection_is_chosen(RegardSelection *self, mt_attention_kind kind, guint layer, guint head)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return (guint) kind < MT_N_KINDS && self->chosen[kind] && layer < self->n_layers[kind] &&
         head < self->n_heads[kind] && self->chosen[kind][layer * self->n_heads[kind] + head];
}

void
regard_selection_toggle_chosen(RegardSelection *self, mt_attention_kind kind, guint layer,
                               guint head)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if ((guint) kind >= MT_N_KINDS || layer >= self->n_layers[kind] || head >= self->n_heads[kind])
    return;

  if (!self->chosen[kind])
    self->chosen[kind] = g_new0(guint8, (gsize) self->n_layers[kind] * self->n_heads[kind]);
  self->chosen[kind][layer * self->n_heads[kind] + head] ^= 1;
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_CHOSEN_CHANGED], 0);
  if (kind == self->kind && self->combine == REGARD_COMBINE_CHOSEN)
    regard_selection_rebuild(self);
}

void
regard_selection_clear_chosen(RegardSelection *self)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!self->chosen[self->kind])
    return;
  g_clear_pointer(&self->chosen[self->kind], g_free);
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_CHOSEN_CHANGED], 0);
  if (self->combine == REGARD_COMBINE_CHOSEN)
    regard_selection_rebuild(self);
}

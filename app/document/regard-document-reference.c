/* regard-document-reference.c — a state of the document that is kept to compare others with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-document-private.h"

#include "models/regard-training-steps.h"

RegardState *
regard_document_take_state(RegardDocument *self)
{
  const RegardResultSentence *active = self->result ? regard_result_active(self->result) : NULL;
  RegardState *state = regard_state_new();
  state->text = g_strdup(self->text);
  state->caret = self->caret;
  if (self->model) {
    state->model = g_strdup(self->model_dir);
    state->title = g_strdup(self->model_title);
  }
  guint at;
  if (self->model && regard_training_steps_find(self->training, self->model_dir, &at))
    state->checkpoint = (gint64) g_array_index(self->training, RegardTrainingStep, at).step;
  state->search = mt_request_copy(&self->search);
  state->precision = self->precision;
  state->alternative = active ? active->chosen : 0;
  /* While a file is shown the place of the text is the one to come back to. */
  state->place = self->foreign ? self->kept_place : self->place;
  state->given = self->given ? g_hash_table_ref(self->given) : NULL;
  state->constraints = self->constraints ? g_hash_table_ref(self->constraints) : NULL;
  state->result = self->result ? regard_result_ref(self->result) : NULL;
  return state;
}

void
regard_document_set_reference(RegardDocument *self, RegardState *state)
{
  if (self->reference == state)
    return;
  regard_document_stop_revival(self);
  g_clear_pointer(&self->reference, regard_state_unref);
  self->reference = state ? regard_state_ref(state) : NULL;
  regard_document_check_comparison(self);
  regard_document_notify(self, REGARD_DOCUMENT_REFERENCE);
}

void
regard_document_keep_reference(RegardDocument *self)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  gboolean is_answered = !self->request_idle && !self->is_waiting;
  if (self->foreign || !is_answered || !self->result || !self->result->capture)
    return;
  g_autoptr(RegardState) state = regard_document_take_state(self);
  regard_document_set_reference(self, state);
}

void
regard_document_drop_reference(RegardDocument *self)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  regard_document_set_reference(self, NULL);
}

const RegardState *
regard_document_get_reference(RegardDocument *self)
{
  return self->reference;
}

/* regard-document-compare.c — what is there now beside a reference: A, B, and B - A.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference is a state that was kept; while the model is changed and none is, it is the same
 * without the changes. Until a comparison is there, what was shown before stays, dimmed.
 */
#include "document/regard-document-private.h"

gboolean
regard_document_can_compare(RegardDocument *self)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), FALSE);
  if (self->foreign)
    return FALSE;
  return (self->reference && self->reference->result) || mt_changes_count(self->search.changes) > 0;
}

RegardCompare
regard_document_get_compare(RegardDocument *self)
{
  g_return_val_if_fail(REGARD_IS_DOCUMENT(self), REGARD_COMPARE_OFF);
  return self->compare;
}

const RegardComparison *
regard_document_get_comparison(RegardDocument *self)
{
  return self->comparison;
}

const char *
regard_document_get_comparison_error(RegardDocument *self)
{
  return self->comparison_error;
}

/* Shown, or wanted by somebody who shows something of both. */
static gboolean
is_wanted(RegardDocument *self)
{
  return self->compare != REGARD_COMPARE_OFF ||
         (regard_selection_get_wants_pair(self->selection) && regard_document_can_compare(self));
}

static void
clear(RegardDocument *self)
{
  regard_work_drop(self->comparing);
  g_clear_pointer(&self->comparison, regard_comparison_unref);
  g_clear_pointer(&self->comparison_error, g_free);
  regard_selection_set_no_pair(self->selection, FALSE, NULL);
}

gboolean
regard_document_show_comparison(RegardDocument *self)
{
  const RegardComparison *c = self->comparison;
  if (self->compare == REGARD_COMPARE_OFF || self->foreign)
    return FALSE;
  if (!c)
    return regard_work_is_busy(self->comparing); /* it comes */
  if (self->compare == REGARD_COMPARE_DIFFERENCE)
    regard_selection_show(self->selection, c->difference, NULL, NULL, 0);
  else
    regard_selection_show_pass(self->selection, c->passes[self->compare == REGARD_COMPARE_B]);
  regard_selection_set_stale(self->selection, FALSE);
  return TRUE;
}

static void
on_made(gpointer owner, RegardRun *run)
{
  RegardDocument *self = owner;
  g_autoptr(GError) error = NULL;
  RegardComparison *made = regard_run_finish(run, &error);
  g_clear_pointer(&self->comparison, regard_comparison_unref);
  self->comparison = made;
  self->comparison_error = error ? g_strdup(error->message) : NULL;
  if (made) {
    regard_selection_set_pair(self->selection, made->passes[0], made->passes[1]);
  } else
    regard_selection_set_no_pair(self->selection, FALSE, self->comparison_error);
  if (self->result && self->compare != REGARD_COMPARE_OFF)
    regard_document_show_answer(self);
  regard_document_notify(self, REGARD_DOCUMENT_COMPARISON);
}

/* A, where a state was kept; NULL: it is another sentence, or has no answer. Caller unrefs. */
static RegardPass *
find_reference(RegardDocument *self)
{
  const RegardResult *kept = self->reference ? self->reference->result : NULL;
  const RegardResultSentence *active = kept ? regard_result_active(kept) : NULL;
  return active && kept->capture
             ? regard_pass_new(kept->capture, kept->model, active->translation, active->chosen)
             : NULL;
}

void
regard_document_update_comparison(RegardDocument *self)
{
  const RegardResult *result = self->result;
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  if (!is_wanted(self)) {
    clear(self);
    return;
  }
  if (!active || !active->translation || !result->capture)
    return;
  const mt_request *search = mt_translation_search(active->translation);
  RegardComparisonParams params = {.reference = find_reference(self), .params = result->params};
  clear(self);
  if (!params.reference && mt_changes_count(result->changes) == 0)
    return;
  params.params.trace = 0;
  params.params.constraints =
      search && search->constraints ? mt_constraints_ref(search->constraints) : NULL;
  /* Terms may have wanted a wider beam. */
  size_t row;
  double beam_size;
  if (search && mt_search_find_field("beam_size", &row) && mt_request_get(search, row, &beam_size))
    mt_search_params_put(&params.params, row, beam_size);
  params.changes = result->changes ? mt_changes_ref(result->changes) : NULL;
  g_autoptr(RegardPass) own = regard_pass_new(NULL, result->model, active->translation, 0);
  regard_selection_set_no_pair(self->selection, TRUE, NULL);
  regard_work_run(self->comparing, &regard_comparison_task, own, &params, on_made);
}

void
regard_document_set_compare(RegardDocument *self, RegardCompare compare)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self));
  if (!regard_document_can_compare(self))
    compare = REGARD_COMPARE_OFF;
  if (compare == self->compare)
    return;
  const gboolean is_there = self->comparison || regard_work_is_busy(self->comparing);
  self->compare = compare;
  if (!is_wanted(self))
    clear(self);
  else if (!is_there)
    regard_document_update_comparison(self);
  if (self->result)
    regard_document_show_answer(self);
  regard_document_notify(self, REGARD_DOCUMENT_COMPARE);
}

void
regard_document_check_comparison(RegardDocument *self)
{
  if (!regard_document_can_compare(self))
    regard_document_set_compare(self, REGARD_COMPARE_OFF);
  if (is_wanted(self))
    regard_document_update_comparison(self);
  else
    clear(self);
}

void
regard_document_stop_comparing(RegardDocument *self)
{
  clear(self);
}

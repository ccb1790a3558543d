/* regard-comparer.c — what is compared, and by which side it is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-comparer.h"

#include "runner/regard-work.h"

struct _RegardComparer {
  GObject parent_instance;

  RegardSelection *selection; /* borrowed */
  RegardState *reference;     /* NULL: none */
  RegardCompare side;
  RegardWork *comparing;
  RegardComparison *comparison; /* NULL: none yet */
  char *error;                  /* why there is none */
};

G_DEFINE_FINAL_TYPE(RegardComparer, regard_comparer, G_TYPE_OBJECT)

static guint compared_signal;

RegardState *
regard_comparer_get_reference(RegardComparer *self)
{
  return self->reference;
}

gboolean
regard_comparer_set_reference(RegardComparer *self, RegardState *state)
{
  RegardState *old = self->reference;
  if (old == state)
    return FALSE;
  self->reference = state ? regard_state_ref(state) : NULL;
  g_clear_pointer(&old, regard_state_unref);
  return TRUE;
}

gboolean
regard_comparer_has_answer(RegardComparer *self)
{
  return self->reference && self->reference->result;
}

RegardCompare
regard_comparer_get_side(RegardComparer *self)
{
  return self->side;
}

gboolean
regard_comparer_set_side(RegardComparer *self, RegardCompare side)
{
  if (self->side == side)
    return FALSE;
  self->side = side;
  return TRUE;
}

const RegardComparison *
regard_comparer_get_comparison(RegardComparer *self)
{
  return self->comparison;
}

const char *
regard_comparer_get_error(RegardComparer *self)
{
  return self->error;
}

/* ---- Comparing ----------------------------------------------------------------------------- */

void
regard_comparer_clear(RegardComparer *self)
{
  regard_work_drop(self->comparing);
  g_clear_pointer(&self->comparison, regard_comparison_unref);
  g_clear_pointer(&self->error, g_free);
  regard_selection_set_no_pair(self->selection, FALSE, NULL);
}

static void
on_made(gpointer owner, RegardRun *run)
{
  RegardComparer *self = owner;
  g_autoptr(GError) error = NULL;
  RegardComparison *made = regard_run_finish(run, &error);
  g_clear_pointer(&self->comparison, regard_comparison_unref);
  self->comparison = made;
  self->error = error ? g_strdup(error->message) : NULL;
  if (made)
    regard_selection_set_pair(self->selection, made->passes[0], made->passes[1]);
  else
    regard_selection_set_no_pair(self->selection, FALSE, self->error);
  g_signal_emit(self, compared_signal, 0);
}

/* A, where a state was kept; NULL: it is another sentence, or has no answer. Caller unrefs. */
static RegardPass *
find_reference(RegardComparer *self)
{
  const RegardResult *kept = self->reference ? self->reference->result : NULL;
  const RegardResultSentence *active = kept ? regard_result_active(kept) : NULL;
  return active && kept->capture
             ? regard_pass_new(kept->capture, kept->model, active->translation, active->chosen)
             : NULL;
}

/* Shown, or wanted by somebody who shows something of both. */
static gboolean
is_wanted(RegardComparer *self, gboolean can)
{
  return self->side != REGARD_COMPARE_OFF ||
         (regard_selection_get_wants_pair(self->selection) && can);
}

void
regard_comparer_update(RegardComparer *self, const RegardResult *result, gboolean can)
{
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  if (!is_wanted(self, can)) {
    regard_comparer_clear(self);
    return;
  }
  if (!active || !active->translation || !result->capture)
    return;
  const mt_request *search = mt_translation_search(active->translation);
  RegardComparisonParams params = {.reference = find_reference(self), .params = result->params};
  regard_comparer_clear(self);
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
regard_comparer_begin(RegardComparer *self, const RegardResult *result, gboolean can)
{
  const gboolean is_there = self->comparison || regard_work_is_busy(self->comparing);
  if (!is_there || !is_wanted(self, can))
    regard_comparer_update(self, result, can);
}

gboolean
regard_comparer_show(RegardComparer *self)
{
  const RegardComparison *c = self->comparison;
  if (self->side == REGARD_COMPARE_OFF)
    return FALSE;
  if (!c)
    return regard_work_is_busy(self->comparing); /* it comes */
  if (self->side == REGARD_COMPARE_DIFFERENCE)
    regard_selection_show(self->selection, c->difference, NULL, NULL, 0);
  else
    regard_selection_show_pass(self->selection, c->passes[self->side == REGARD_COMPARE_B]);
  regard_selection_set_stale(self->selection, FALSE);
  return TRUE;
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_comparer_finalize(GObject *object)
{
  RegardComparer *self = REGARD_COMPARER(object);
  g_object_unref(self->comparing);
  g_clear_pointer(&self->reference, regard_state_unref);
  g_clear_pointer(&self->comparison, regard_comparison_unref);
  g_free(self->error);
  G_OBJECT_CLASS(regard_comparer_parent_class)->finalize(object);
}

static void
regard_comparer_class_init(RegardComparerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_comparer_finalize;
  compared_signal = g_signal_new("compared", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_comparer_init(RegardComparer *self)
{
  self->comparing = regard_work_new(self);
}

RegardComparer *
regard_comparer_new(RegardSelection *selection)
{
  RegardComparer *self = g_object_new(REGARD_TYPE_COMPARER, NULL);
  self->selection = selection;
  return self;
}

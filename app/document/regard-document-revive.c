/* regard-document-revive.c — a reference that was read from a file is answered again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * To compare with it takes its translation and its capture, by its own model, which need not be the
 * one that runs. A worker of its own does that, after the document's model is there.
 */
#include "document/regard-document-private.h"

#include "base/regard-paths.h"
#include "document/regard-sentences.h"
#include "models/regard-model-loader.h"
#include <glib/gi18n.h>

struct _RegardRevival {
  RegardState *state;
  RegardCompare compare;
  RegardWork *loading;
  RegardTranslator *translator; /* NULL: not begun */
};

static void
revival_free(RegardRevival *revival)
{
  g_object_unref(revival->loading);
  g_clear_object(&revival->translator);
  regard_state_unref(revival->state);
  g_free(revival);
}

void
regard_document_stop_revival(RegardDocument *self)
{
  g_clear_pointer(&self->revival, revival_free);
}

static void
fail(RegardDocument *self, const GError *error)
{
  g_autofree char *why = g_strdup(error->message);
  regard_document_set_reference(self, NULL);
  g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_SESSION_LACKS], 0,
                _("The reference of the session cannot be had"), why);
}

/* ---- With its model ------------------------------------------------------------------------ */

static void
on_answer(RegardTranslator *translator, RegardResult *result, RegardDocument *self)
{
  RegardRevival *revival = self->revival;
  if (!result->complete || !revival || revival->translator != translator)
    return;
  const GError *error = regard_result_error(result);
  if (!result->capture) {
    if (error)
      fail(self, error);
    return;
  }
  g_autoptr(RegardState) state = regard_state_copy(revival->state);
  const RegardCompare compare = revival->compare;
  state->result = regard_result_ref(result);
  regard_document_set_reference(self, state); /* and this is over */
  regard_document_set_compare(self, compare);
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardDocument *self)
{
  fail(self, error);
}

static void
ask(RegardTranslator *translator, mt_model *model, RegardDocument *self)
{
  const RegardState *state = self->revival->state;
  g_autoptr(GArray) sentences = regard_sentences_split(state->text);
  const int active = regard_sentences_at(sentences, state->text, state->caret);
  regard_translator_set_targets(translator, state->given);
  regard_translator_set_constraints(translator, state->constraints);
  regard_translator_request(translator, state->text, sentences, active, (int) state->alternative,
                            &state->search);
}

static void
answer(RegardDocument *self, mt_model *model)
{
  RegardRevival *revival = self->revival;
  revival->translator = regard_translator_new();
  g_signal_connect_object(revival->translator, "model-changed", G_CALLBACK(ask), self, 0);
  g_signal_connect_object(revival->translator, "model-failed", G_CALLBACK(on_model_failed), self,
                          0);
  g_signal_connect_object(revival->translator, "result", G_CALLBACK(on_answer), self, 0);
  regard_translator_set_model(revival->translator, model);
}

/* ---- Which model --------------------------------------------------------------------------- */

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardDocument *self = owner;
  g_autoptr(GError) error = NULL;
  mt_model *model = regard_model_load_finish(run, &error);
  if (model) {
    regard_model_load_done(); /* it takes nobody's place */
    answer(self, model);
  } else
    fail(self, error);
  mt_model_unref(model);
}

void
regard_document_continue_revival(RegardDocument *self)
{
  RegardRevival *revival = self->revival;
  if (!revival || revival->translator || regard_work_is_busy(revival->loading) ||
      regard_document_is_opening(self) || !self->model)
    return;
  if (g_strcmp0(revival->state->model, self->model_dir) == 0 &&
      revival->state->precision == self->precision) {
    answer(self, self->model);
    return;
  }
  const char *path = revival->state->model;
  g_autofree char *bundled = *path ? NULL : regard_paths_bundled_model();
  const RegardModelLoad load = {.dir = g_strdup(bundled ? bundled : path),
                                .precision = revival->state->precision};
  regard_work_run(revival->loading, &regard_model_load_task, NULL, &load, on_loaded);
}

void
regard_document_revive_reference(RegardDocument *self, RegardCompare compare)
{
  regard_document_stop_revival(self);
  RegardRevival *revival = self->revival = g_new0(RegardRevival, 1);
  revival->state = regard_state_ref(self->reference);
  revival->compare = compare;
  revival->loading = regard_work_new(self);
  regard_document_continue_revival(self);
}

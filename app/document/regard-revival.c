/* regard-revival.c — a state without a result, translated by a worker of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-revival.h"

#include "base/regard-paths.h"
#include "document/regard-sentences.h"
#include "document/regard-translator.h"
#include "models/regard-model-loader.h"
#include "runner/regard-work.h"

struct _RegardRevival {
  GObject parent_instance;

  RegardState *state;
  RegardWork *loading;
  RegardTranslator *translator; /* NULL: not begun */
};

G_DEFINE_FINAL_TYPE(RegardRevival, regard_revival, G_TYPE_OBJECT)

static guint done_signal;

static void
fail(RegardRevival *self, const GError *error)
{
  g_signal_emit(self, done_signal, 0, NULL, error);
}

/* ---- With its model ------------------------------------------------------------------------ */

static void
on_answer(RegardTranslator *translator, RegardResult *result, RegardRevival *self)
{
  const GError *error = regard_result_error(result);
  if (!result->complete)
    return;
  if (result->capture) {
    g_autoptr(RegardState) state = regard_state_copy(self->state);
    state->result = regard_result_ref(result);
    g_signal_emit(self, done_signal, 0, state, NULL);
  } else if (error)
    fail(self, error);
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardRevival *self)
{
  fail(self, error);
}

static void
ask(RegardTranslator *translator, mt_model *model, RegardRevival *self)
{
  const RegardState *state = self->state;
  g_autoptr(GArray) sentences = regard_sentences_split(state->text);
  const int active = regard_sentences_at(sentences, state->text, state->caret);
  regard_translator_set_targets(translator, state->given);
  regard_translator_set_constraints(translator, state->constraints);
  regard_translator_request(translator, state->text, sentences, active, (int) state->alternative,
                            &state->search);
}

static void
answer(RegardRevival *self, mt_model *model)
{
  self->translator = regard_translator_new();
  g_signal_connect_object(self->translator, "model-changed", G_CALLBACK(ask), self, 0);
  g_signal_connect_object(self->translator, "model-failed", G_CALLBACK(on_model_failed), self, 0);
  g_signal_connect_object(self->translator, "result", G_CALLBACK(on_answer), self, 0);
  regard_translator_set_model(self->translator, model);
}

/* ---- Which model --------------------------------------------------------------------------- */

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardRevival *self = owner;
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
regard_revival_begin(RegardRevival *self, mt_model *model, const char *dir, mt_precision precision)
{
  const char *path = self->state->model;
  if (self->translator || regard_work_is_busy(self->loading))
    return;
  if (g_strcmp0(path, dir) == 0 && self->state->precision == precision) {
    answer(self, model);
    return;
  }
  const RegardModelLoad load = {.dir = *path ? g_strdup(path) : regard_paths_bundled_model(),
                                .precision = self->state->precision};
  regard_work_run(self->loading, &regard_model_load_task, NULL, &load, on_loaded);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_revival_dispose(GObject *object)
{
  RegardRevival *self = REGARD_REVIVAL(object);
  g_clear_object(&self->loading);
  g_clear_object(&self->translator);
  g_clear_pointer(&self->state, regard_state_unref);
  G_OBJECT_CLASS(regard_revival_parent_class)->dispose(object);
}

static void
regard_revival_class_init(RegardRevivalClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_revival_dispose;
  done_signal = g_signal_new("done", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                             NULL, G_TYPE_NONE, 2, REGARD_TYPE_STATE, G_TYPE_ERROR);
}

static void
regard_revival_init(RegardRevival *self)
{
  self->loading = regard_work_new(self);
}

RegardRevival *
regard_revival_new(RegardState *state)
{
  RegardRevival *self = g_object_new(REGARD_TYPE_REVIVAL, NULL);
  self->state = regard_state_ref(state);
  return self;
}

/* regard-document-model.c — opening models: the bundled one, a chosen, dropped or recent one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model is opened beside the one that runs. Only when the worker has a session for it is it the
 * document's model; until then, and if anything fails, the old one works on. The bundled model is
 * the empty string, so that it is found again after the program has moved.
 */
#include "document/regard-document-private.h"

#include "base/regard-error.h"
#include "base/regard-paths.h"
#include "models/regard-model-info.h"
#include "models/regard-model-loader.h"
#include "models/regard-training-steps.h"

mt_model *
regard_document_get_model(RegardDocument *self)
{
  return self->model;
}

const char *
regard_document_get_model_dir(RegardDocument *self)
{
  return self->model_dir;
}

const char *
regard_document_get_model_title(RegardDocument *self)
{
  return self->model_title;
}

const char *
regard_document_get_loading(RegardDocument *self)
{
  return self->loading_dir;
}

double
regard_document_get_share(RegardDocument *self)
{
  return self->share;
}

gboolean
regard_document_is_opening(RegardDocument *self)
{
  return regard_work_is_busy(self->loading) || self->ready_dir;
}

/* ---- Precision ----------------------------------------------------------------------------- */

mt_precision
regard_document_get_precision(RegardDocument *self)
{
  return self->precision;
}

void
regard_document_set_precision(RegardDocument *self, mt_precision precision)
{
  if (self->precision != precision) {
    self->precision = precision;
    regard_document_notify(self, REGARD_DOCUMENT_PRECISION);
  }
  /* The same model once more. */
  const gboolean is_opening = regard_document_is_opening(self);
  const char *dir = regard_work_is_busy(self->loading) ? self->loading_dir
                    : self->ready_dir                  ? self->ready_dir
                                                       : self->model_dir;
  if (!dir || (!is_opening && mt_model_precision(self->model) == precision))
    return;
  g_autofree char *same = g_strdup(dir);
  regard_document_open_model(self, same);
}

/* ---- Loading ------------------------------------------------------------------------------- */

static void
forget_loading(RegardDocument *self)
{
  regard_work_drop(self->loading);
  /* Another one was chosen, or it cannot be had. */
  if (self->loading_dir && g_strcmp0(self->loading_dir, self->restored_dir) == 0)
    regard_document_end_restoring(self);
  g_clear_pointer(&self->loading_dir, g_free);
}

void
regard_document_cancel_loading(RegardDocument *self)
{
  forget_loading(self);
  if (self->translator && !regard_translator_is_busy(self->translator))
    regard_document_set_waiting(self, FALSE);
  regard_document_notify(self, REGARD_DOCUMENT_LOADING);
  if (!self->ready_dir)
    self->is_learning_next = FALSE;
  regard_document_give_back_text(self);
}

static void
on_progress(RegardDocument *self)
{
  const double share = regard_work_get_share(self->loading);
  if (share <= self->share)
    return;
  self->share = share;
  regard_document_notify(self, REGARD_DOCUMENT_SHARE);
}

static void
fail(RegardDocument *self, GArray *steps, const GError *error)
{
  gboolean was_bundled = *self->loading_dir == '\0';
  g_autofree char *dir = g_strdup(self->loading_dir);
  regard_document_cancel_loading(self);
  /* The remembered model is gone: begin with the bundled one instead of with nothing. */
  if (!self->model && !was_bundled)
    regard_document_open_model(self, "");
  /* A checkpoint that is gone is no longer in its training. In any case the slider goes back. */
  gboolean was_step = regard_document_is_step(self, dir);
  regard_document_set_training(self, was_step ? steps : self->training);
  g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_LOAD_FAILED], 0, dir, error);
}

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardDocument *self = owner;
  RegardModelLoad *load = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  mt_model *model = regard_model_load_finish(run, &error);
  if (!model) {
    fail(self, load->steps, error);
    return;
  }
  /* Goes on in on_model_changed(), when the worker has made room for it. */
  g_free(self->ready_dir);
  g_free(self->ready_title);
  self->ready_dir = g_steal_pointer(&self->loading_dir);
  self->ready_title = g_strdup(load->title);
  g_clear_pointer(&self->ready_training, g_array_unref);
  if (load->steps)
    self->ready_training = g_array_ref(load->steps);
  mt_means_unref(self->ready_means);
  self->ready_means = g_steal_pointer(&load->means);
  g_free(self->ready_why_no_means);
  self->ready_why_no_means = g_steal_pointer(&load->why_no_means);
  regard_document_cancel_loading(self);
  self->is_swapping = TRUE;
  regard_translator_set_model(self->translator, model);
  mt_model_unref(model);
}

void
regard_document_open_model(RegardDocument *self, const char *dir)
{
  g_return_if_fail(REGARD_IS_DOCUMENT(self) && dir && self->translator);
  forget_loading(self);
  g_autofree char *chosen = *dir ? g_canonicalize_filename(dir, NULL) : NULL;
  g_autofree char *path = chosen ? regard_model_path(chosen) : regard_paths_bundled_model();
  self->loading_dir = *dir ? g_strdup(path) : g_strdup("");
  self->share = 0;
  /* Who drags through a training is told only of what takes long. */
  if (regard_document_is_step(self, path))
    regard_document_set_waiting(self, TRUE);
  else if (!regard_translator_is_busy(self->translator))
    regard_document_set_waiting(self, FALSE);
  const RegardModelLoad load = {.dir = g_strdup(path), .precision = self->precision};
  regard_work_run(self->loading, &regard_model_load_task, NULL, &load, on_loaded);
  regard_document_notify(self, REGARD_DOCUMENT_LOADING);
}

/* What the old model answered keeps it in memory; when that is gone the next may come. */
void
regard_document_end_swap(RegardDocument *self)
{
  if (!self->is_swapping || self->ready_dir || (self->result && self->result->model != self->model))
    return;
  self->is_swapping = FALSE;
  regard_model_load_done();
}

/* The worker runs it: now it is the model. */
static void
on_model_changed(RegardTranslator *translator, mt_model *model, RegardDocument *self)
{
  gboolean is_first = self->model == NULL;
  mt_model_ref(model);
  mt_model_unref(self->model);
  self->model = model;
  g_free(self->model_dir);
  self->model_dir = self->ready_dir ? g_steal_pointer(&self->ready_dir) : g_strdup("");
  g_free(self->model_title);
  self->model_title =
      self->ready_title ? g_steal_pointer(&self->ready_title) : g_strdup(mt_model_name(model));
  regard_selection_set_model(self->selection, model);
  regard_document_follow_model(self);
  regard_document_free_means(self);
  self->means = g_steal_pointer(&self->ready_means);
  self->why_no_means = g_steal_pointer(&self->ready_why_no_means);
  regard_document_follow_means(self);

  self->is_changing = TRUE;
  regard_document_notify(self, REGARD_DOCUMENT_MODEL);
  self->is_changing = FALSE;
  g_autoptr(GArray) steps = g_steal_pointer(&self->ready_training);
  regard_document_set_training(self, steps);
  if (self->foreign) /* the text is translated when it is back */
    g_clear_pointer(&self->result, regard_result_unref);
  if (self->later_alternative >= 0)
    self->next_alternative = self->later_alternative;
  self->later_alternative = -1;
  self->is_learning_next = FALSE;
  if (g_strcmp0(self->model_dir, self->restored_dir) == 0)
    regard_document_end_restoring(self);
  regard_document_record(self);
  /* At the start the request has been waiting in the mailbox, without a language. */
  regard_document_update_request(self, !is_first || mt_model_n_languages(model) > 0);
  regard_document_end_swap(self);
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardDocument *self)
{
  g_clear_pointer(&self->ready_dir, g_free);
  regard_document_end_restoring(self);
  self->is_learning_next = FALSE;
  regard_document_end_swap(self);
  g_signal_emit(self, regard_document_signals[REGARD_DOCUMENT_MODEL_FAILED], 0, error);
}

void
regard_document_connect_model(RegardDocument *self)
{
  g_signal_connect_object(self->loading, "changed", G_CALLBACK(on_progress), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->translator, "model-changed", G_CALLBACK(on_model_changed), self, 0);
  g_signal_connect_object(self->translator, "model-failed", G_CALLBACK(on_model_failed), self, 0);
}

void
regard_document_close_model(RegardDocument *self)
{
  forget_loading(self);
}

void
regard_document_free_model(RegardDocument *self)
{
  g_free(self->model_dir);
  g_free(self->model_title);
  g_free(self->ready_dir);
  g_free(self->ready_title);
  g_clear_pointer(&self->ready_training, g_array_unref);
  mt_means_unref(self->ready_means);
  g_free(self->ready_why_no_means);
  mt_model_unref(self->model);
}

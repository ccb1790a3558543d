/* regard-document-training.c — a model that is one checkpoint of several.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The others are opened as any model is. A translation can be kept: then every checkpoint is given
 * it, and attention is that of teacher forcing.
 */
#include "document/regard-document-private.h"

#include "base/regard-paths.h"
#include "models/regard-training-steps.h"

#define EXAMPLE "today the small cat has seen the old dog"

GArray *
regard_document_get_training(RegardDocument *self)
{
  return self->training;
}

guint
regard_document_get_step(RegardDocument *self)
{
  guint at = 0;
  regard_training_steps_find(self->training, self->model_dir, &at);
  return at;
}

gboolean
regard_document_is_step(RegardDocument *self, const char *dir)
{
  return regard_training_steps_find(self->training, dir, NULL);
}

/* ---- The translation that is kept ---------------------------------------------------------- */

/* Each sentence with the translation that stands there. */
static GHashTable *
get_targets(const RegardResult *result)
{
  GHashTable *targets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < result->n_sentences; i++) {
    const RegardResultSentence *s = &result->sentences[i];
    const mt_hypothesis *shown = regard_result_hypothesis(result, i);
    if (shown)
      g_hash_table_insert(targets, g_strndup(result->text + s->begin, s->end - s->begin),
                          g_strdup(shown->text));
  }
  return targets;
}

void
regard_document_set_keeps(RegardDocument *self, gboolean keeps)
{
  if (self->keeps == keeps)
    return;
  self->keeps = keeps;
  g_clear_pointer(&self->kept, g_hash_table_unref);
  self->kept = keeps && self->result ? get_targets(self->result) : NULL;
  regard_document_update_targets(self);
  regard_document_notify(self, REGARD_DOCUMENT_KEEPS);
  regard_document_update_request(self, TRUE);
}

gboolean
regard_document_get_keeps(RegardDocument *self)
{
  return self->keeps;
}

/* ---- The training that comes with Regard --------------------------------------------------- */

static gboolean
is_bundled_step(const char *dir)
{
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *own = dir ? g_path_get_dirname(dir) : NULL;
  return own && g_str_equal(own, folder);
}

static gboolean
is_example(const char *text)
{
  g_autofree char *words = g_strstrip(g_strdup(text));
  return g_str_equal(words, EXAMPLE);
}

gboolean
regard_document_is_learning(RegardDocument *self)
{
  return self->training && is_bundled_step(self->model_dir);
}

gboolean
regard_document_needs_example(RegardDocument *self)
{
  g_autofree char *words = g_strstrip(g_strdup(self->text));
  return regard_document_is_learning(self) && *words && !is_example(words);
}

void
regard_document_show_example(RegardDocument *self)
{
  if (!self->own_text && !is_example(self->text)) {
    self->own_text = g_strdup(self->text);
    self->own_caret = self->caret;
  }
  regard_document_set_text(self, EXAMPLE);
}

const char *
regard_document_get_own_text(RegardDocument *self)
{
  return self->own_text && is_example(self->text) ? self->own_text : self->text;
}

void
regard_document_learn(RegardDocument *self)
{
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *any = g_build_filename(folder, "step-00000000", NULL);
  g_autoptr(GArray) steps = regard_training_steps(any);
  if (!is_bundled_step(self->model_dir)) {
    g_free(self->before_learning);
    self->before_learning = g_strdup(self->model_dir);
  }
  /* One step: text and model. */
  regard_document_record(self);
  regard_document_show_example(self);
  self->is_learning_next = TRUE;
  regard_document_open_model(self, steps ? g_array_index(steps, RegardTrainingStep, 0).path : any);
}

void
regard_document_stop_learning(RegardDocument *self)
{
  if (regard_document_is_learning(self))
    regard_document_open_model(self, self->before_learning ? self->before_learning : "");
}

void
regard_document_give_back_text(RegardDocument *self)
{
  if (regard_document_is_opening(self) || is_bundled_step(self->model_dir))
    return;
  g_autofree char *text = g_steal_pointer(&self->own_text);
  if (text && (*text || is_example(self->text)))
    regard_document_take_text(self, text, self->own_caret);
}

void
regard_document_set_training(RegardDocument *self, GArray *steps)
{
  gboolean is_step = regard_training_steps_find(steps, self->model_dir, NULL);
  gboolean is_same = is_step && regard_document_is_step(self, self->model_dir);
  g_autoptr(GArray) before = g_steal_pointer(&self->training);
  self->training = is_step ? g_array_ref(steps) : NULL;
  if (!is_same)
    regard_document_set_keeps(self, FALSE);
  regard_document_give_back_text(self);
  regard_document_notify(self, REGARD_DOCUMENT_TRAINING);
}

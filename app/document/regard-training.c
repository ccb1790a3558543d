/* regard-training.c — checkpoints, and the person's own text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-training.h"

#include "base/regard-paths.h"

void
regard_training_clear(RegardTraining *self)
{
  g_clear_pointer(&self->steps, g_array_unref);
  g_clear_pointer(&self->own_text, g_free);
  g_clear_pointer(&self->before, g_free);
}

/* ---- Checkpoints --------------------------------------------------------------------------- */

gboolean
regard_training_find(const RegardTraining *self, const char *dir, guint *at)
{
  return regard_training_steps_find(self->steps, dir, at);
}

gboolean
regard_training_set_steps(RegardTraining *self, GArray *steps, const char *dir)
{
  const gboolean is_step = regard_training_steps_find(steps, dir, NULL);
  const gboolean is_same = is_step && regard_training_find(self, dir, NULL);
  g_autoptr(GArray) before = g_steal_pointer(&self->steps);
  self->steps = is_step ? g_array_ref(steps) : NULL;
  return is_same;
}

gboolean
regard_training_is_bundled(const char *dir)
{
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *own = dir ? g_path_get_dirname(dir) : NULL;
  return own && g_str_equal(own, folder);
}

char *
regard_training_first(void)
{
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *any = g_build_filename(folder, "step-00000000", NULL);
  g_autoptr(GArray) steps = regard_training_steps(any);
  return g_strdup(steps ? g_array_index(steps, RegardTrainingStep, 0).path : any);
}

void
regard_training_begin(RegardTraining *self, const char *dir)
{
  if (regard_training_is_bundled(dir))
    return;
  g_free(self->before);
  self->before = g_strdup(dir);
}

/* ---- The person's own text ----------------------------------------------------------------- */

gboolean
regard_training_is_example(const char *text)
{
  g_autofree char *words = g_strstrip(g_strdup(text));
  return g_str_equal(words, REGARD_TRAINING_EXAMPLE);
}

gboolean
regard_training_is_learning(const RegardTraining *self, const char *dir)
{
  return self->steps && regard_training_is_bundled(dir);
}

gboolean
regard_training_needs_example(const RegardTraining *self, const char *dir, const char *text)
{
  g_autofree char *words = g_strstrip(g_strdup(text));
  return regard_training_is_learning(self, dir) && *words && !regard_training_is_example(words);
}

void
regard_training_set_own(RegardTraining *self, const char *text, gsize caret)
{
  g_autofree char *old = self->own_text;
  self->own_text = g_strdup(text);
  self->own_caret = caret;
}

char *
regard_training_take_own(RegardTraining *self, const char *shown, gsize *caret)
{
  g_autofree char *text = g_steal_pointer(&self->own_text);
  *caret = self->own_caret;
  /* What was typed to the example goes, but for where there was no text before. */
  return text && (*text || regard_training_is_example(shown)) ? g_steal_pointer(&text) : NULL;
}

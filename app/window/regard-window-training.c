/* regard-window-training.c — dragging through a training: the model that runs is one checkpoint of
 * several, and the others are a slider away.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checkpoint is opened as any model is, only quietly: no message while it loads, and the list of
 * recent models has one entry for the whole training. Kind, layer, head and the pinned cell stay.
 */
#include "window/regard-window-private.h"

#include "base/regard-paths.h"
#include "models/regard-training-steps.h"
#include <glib/gi18n.h>
#include <string.h>

/* Long enough to look from the picture to the translation. */
#define PLAY_EVERY_MS 900

#define EXAMPLE "today the small cat has seen the old dog"

static const char *
get_path(RegardWindow *self, guint i)
{
  return g_array_index(self->training, RegardTrainingStep, i).path;
}

/* Whether a folder is a checkpoint of the training that is open. */
gboolean
regard_window_is_step(RegardWindow *self, const char *dir)
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

static void
on_keep(RegardWindow *self)
{
  gboolean keeps = regard_training_bar_get_keeps(self->training_bar);
  g_autoptr(GHashTable) targets = keeps && self->result ? get_targets(self->result) : NULL;
  regard_translator_set_targets(self->translator, targets);
  regard_window_update_request(self, TRUE);
}

static gboolean
has_translation(const RegardResult *result)
{
  for (guint i = 0; i < result->n_sentences; i++)
    if (result->sentences[i].translation)
      return TRUE;
  return FALSE;
}

/* What is kept can always be let go. */
void
regard_window_update_keep(RegardWindow *self)
{
  gboolean can_keep = regard_training_bar_get_keeps(self->training_bar) ||
                      (self->result && has_translation(self->result));
  regard_training_bar_set_can_keep(self->training_bar, can_keep);
}

/* ---- Playing ------------------------------------------------------------------------------- */

static void
step(RegardWindow *self, int by)
{
  int at = (int) regard_training_bar_get_at(self->training_bar) + by;
  regard_training_bar_choose(self->training_bar, at);
}

static gboolean
on_tick(gpointer data)
{
  RegardWindow *self = data;
  if (regard_window_is_busy(self)) /* what is slow is waited for */
    return G_SOURCE_CONTINUE;
  if (regard_training_bar_get_at(self->training_bar) + 1 < self->training->len) {
    step(self, 1);
    return G_SOURCE_CONTINUE;
  }
  self->training_tick = 0;
  regard_training_bar_set_playing(self->training_bar, FALSE);
  return G_SOURCE_REMOVE;
}

static void
on_play(RegardWindow *self)
{
  g_clear_handle_id(&self->training_tick, g_source_remove);
  if (!regard_training_bar_get_playing(self->training_bar))
    return;
  /* At the end it begins anew. */
  if (regard_training_bar_get_at(self->training_bar) + 1 == self->training->len)
    regard_training_bar_choose(self->training_bar, 0);
  self->training_tick = g_timeout_add(PLAY_EVERY_MS, on_tick, self);
}

/* ---- Which training ------------------------------------------------------------------------ */

/* To a person with a text that the training which comes with Regard knows nothing of. */
static void
offer_example(RegardWindow *self, const char *dir)
{
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *own = dir ? g_path_get_dirname(dir) : NULL;
  g_autofree char *text = regard_text_card_dup_text(self->source);
  g_strstrip(text);
  if (own && g_str_equal(own, folder) && *text && !g_str_equal(text, EXAMPLE))
    regard_banner_show(self->banner, REGARD_BANNER_WORLD,
                       _("This model knows a small world of words"),
                       _("Drag the slider below the pictures to see attention form."),
                       _("Show an Example"));
  else
    regard_banner_clear(self->banner, REGARD_BANNER_WORLD);
}

/* While the pictures are of a file no model has a part in them. */
void
regard_window_show_training(RegardWindow *self)
{
  gboolean is_shown = self->training && !regard_window_shows_file(self);
  if (!is_shown)
    regard_training_bar_set_playing(self->training_bar, FALSE);
  gtk_widget_set_visible(GTK_WIDGET(self->training_bar), is_shown);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.step-training", is_shown);
}

void
regard_window_set_training(RegardWindow *self, GArray *steps)
{
  guint at = 0;
  gboolean is_step = regard_training_steps_find(steps, self->model_dir, &at);
  gboolean is_same = is_step && regard_window_is_step(self, self->model_dir);
  g_autoptr(GArray) before = g_steal_pointer(&self->training);
  self->training = is_step ? g_array_ref(steps) : NULL;
  if (!is_same) {
    regard_training_bar_set_playing(self->training_bar, FALSE);
    regard_training_bar_set_keeps(self->training_bar, FALSE);
    offer_example(self, is_step ? self->model_dir : NULL);
  }
  /* While the slider is ahead of what is loaded it is not taken back. */
  if (self->training && !self->loading && !self->ready_dir)
    regard_training_bar_set(self->training_bar, self->training, at);
  regard_window_show_training(self);
}

static void
on_chosen(RegardWindow *self, guint i)
{
  regard_window_open_model(self, get_path(self, i));
}

static void
step_training(GtkWidget *widget, const char *name, GVariant *parameter)
{
  step(REGARD_WINDOW(widget), g_variant_get_int32(parameter));
}

/* The training that comes with Regard, at its end. */
static void
show_training(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *any = g_build_filename(folder, "step-00000000", NULL);
  g_autoptr(GArray) steps = regard_training_steps(any);
  regard_window_open_model(self, steps
                                     ? g_array_index(steps, RegardTrainingStep, steps->len - 1).path
                                     : any);
  g_autofree char *text = regard_text_card_dup_text(self->source);
  if (!*g_strstrip(text))
    regard_window_set_text(self, EXAMPLE);
}

void
regard_window_show_example(RegardWindow *self)
{
  regard_banner_clear(self->banner, REGARD_BANNER_WORLD);
  regard_window_set_text(self, EXAMPLE);
}

void
regard_window_install_training_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.step-training", "i", step_training);
  gtk_widget_class_install_action(klass, "win.show-training", NULL, show_training);
}

void
regard_window_add_training(RegardWindow *self)
{
  g_signal_connect_object(self->training_bar, "chosen", G_CALLBACK(on_chosen), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->training_bar, "play-toggled", G_CALLBACK(on_play), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->training_bar, "keep-toggled", G_CALLBACK(on_keep), self,
                          G_CONNECT_SWAPPED);
  regard_window_set_training(self, NULL);
}

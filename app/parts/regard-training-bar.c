/* regard-training-bar.c — drag through a training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A checkpoint is opened as any model is; kind, layer, head and the pinned cell stay.
 */
#include "parts/regard-training-bar.h"

#include "base/regard-template.h"
#include "models/regard-training-steps.h"
#include <glib/gi18n.h>

/* As many marks have numbers as there is room for in the narrowest window. */
#define MOST_NUMBERS 6

/* Long enough to look from the picture to the translation. */
#define PLAY_EVERY_MS 900

struct _RegardTrainingBar {
  GtkWidget parent_instance;
  GtkToggleButton *play;
  GtkScale *scale;
  GtkAdjustment *adjustment;
  GtkLabel *which;
  GtkCheckButton *keep;
  GtkWidget *leave;
  RegardDocument *document;
  GArray *steps; /* guint64 */
  guint at;
  guint tick; /* the next one is shown by the clock */
  gboolean is_setting;
  char *folder; /* of the training */
};

G_DEFINE_FINAL_TYPE(RegardTrainingBar, regard_training_bar, GTK_TYPE_WIDGET)

static guint64
get_step(RegardTrainingBar *self, guint i)
{
  return g_array_index(self->steps, guint64, i);
}

/* Caller frees. */
static char *
describe(RegardTrainingBar *self, guint at)
{
  g_autofree char *step = g_strdup_printf("%" G_GUINT64_FORMAT, get_step(self, at));
  /* Translators: a checkpoint of a training: its step, and which of how many it is */
  return g_strdup_printf(_("step %s · %u of %u"), step, at + 1, self->steps->len);
}

static void
show_which(RegardTrainingBar *self)
{
  g_autofree char *text = describe(self, self->at);
  g_autofree char *longest = describe(self, self->steps->len - 1);
  gtk_label_set_text(self->which, text);
  /* The slider must not move under the pointer when the number grows. */
  gtk_label_set_width_chars(self->which, (int) g_utf8_strlen(longest, -1));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
}

/* A scale asks for as much room as if each of its marks on a side had the widest number of that
 * side: marks without one stand on the other. */
static void
add_marks(RegardTrainingBar *self)
{
  guint n = self->steps->len, every = (n + MOST_NUMBERS - 2) / (MOST_NUMBERS - 1);
  gtk_scale_clear_marks(self->scale);
  for (guint i = 0; i < n; i++) {
    gboolean is_last = i == n - 1, is_near_last = n - 1 - i < (every + 1) / 2;
    g_autofree char *number = is_last || (i % every == 0 && !is_near_last)
                                  ? g_strdup_printf("%" G_GUINT64_FORMAT, get_step(self, i))
                                  : NULL;
    gtk_scale_add_mark(self->scale, i, GTK_POS_TOP, NULL);
    if (number)
      gtk_scale_add_mark(self->scale, i, GTK_POS_BOTTOM, number);
  }
}

/* Emits nothing. */
static void
show_steps(RegardTrainingBar *self, const GArray *steps, guint at)
{
  gboolean is_new = steps->len != self->steps->len;
  for (guint i = 0; i < steps->len && !is_new; i++)
    is_new = g_array_index(steps, RegardTrainingStep, i).step != get_step(self, i);
  self->is_setting = TRUE;
  if (is_new) {
    g_array_set_size(self->steps, 0);
    for (guint i = 0; i < steps->len; i++)
      g_array_append_val(self->steps, g_array_index(steps, RegardTrainingStep, i).step);
    gtk_adjustment_set_upper(self->adjustment, steps->len - 1);
    add_marks(self);
  }
  self->at = at;
  gtk_adjustment_set_value(self->adjustment, at);
  self->is_setting = FALSE;
  show_which(self);
}

void
regard_training_bar_choose(RegardTrainingBar *self, int at)
{
  g_return_if_fail(REGARD_IS_TRAINING_BAR(self));
  if (at >= 0 && at < (int) self->steps->len)
    gtk_adjustment_set_value(self->adjustment, at);
}

guint
regard_training_bar_get_at(RegardTrainingBar *self)
{
  return self->at;
}

static void
on_value(RegardTrainingBar *self)
{
  guint at = (guint) (gtk_adjustment_get_value(self->adjustment) + 0.5);
  if (self->is_setting || at == self->at || at >= self->steps->len)
    return;
  self->at = at;
  show_which(self);
  const GArray *steps = regard_document_get_training(self->document)->steps;
  if (steps && at < steps->len)
    regard_document_open_model(self->document, g_array_index(steps, RegardTrainingStep, at).path);
}

/* ---- The buttons --------------------------------------------------------------------------- */

static gboolean
on_tick(gpointer data)
{
  RegardTrainingBar *self = data;
  if (regard_document_is_closed(self->document)) {
    self->tick = 0;
    return G_SOURCE_REMOVE;
  }
  if (regard_document_is_busy(self->document)) /* what is slow is waited for */
    return G_SOURCE_CONTINUE;
  if (self->at + 1 < self->steps->len) {
    regard_training_bar_choose(self, (int) self->at + 1);
    return G_SOURCE_CONTINUE;
  }
  self->tick = 0;
  regard_training_bar_set_playing(self, FALSE);
  return G_SOURCE_REMOVE;
}

static void
on_play(RegardTrainingBar *self)
{
  gboolean playing = gtk_toggle_button_get_active(self->play);
  const char *tip = playing ? _("Pause") : _("Play the training");
  gtk_button_set_icon_name(GTK_BUTTON(self->play), playing ? "media-playback-pause-symbolic"
                                                           : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->play), tip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->play), GTK_ACCESSIBLE_PROPERTY_LABEL, tip,
                                 -1);
  g_clear_handle_id(&self->tick, g_source_remove);
  if (!playing)
    return;
  /* At the end it begins anew. */
  if (self->at + 1 == self->steps->len)
    regard_training_bar_choose(self, 0);
  self->tick = g_timeout_add(PLAY_EVERY_MS, on_tick, self);
}

static void
on_keep(RegardTrainingBar *self)
{
  regard_document_set_keeps(self->document, gtk_check_button_get_active(self->keep));
}

/* The checkpoints of one's own are left as any model is, by opening another. */
static void
on_leave(RegardTrainingBar *self)
{
  regard_document_stop_learning(self->document);
}

gboolean
regard_training_bar_get_playing(RegardTrainingBar *self)
{
  return gtk_toggle_button_get_active(self->play);
}

void
regard_training_bar_set_playing(RegardTrainingBar *self, gboolean playing)
{
  gtk_toggle_button_set_active(self->play, playing);
}

/* ---- The document -------------------------------------------------------------------------- */

static gboolean
has_translation(const RegardResult *result)
{
  for (guint i = 0; i < result->n_sentences; i++)
    if (result->sentences[i].translation)
      return TRUE;
  return FALSE;
}

/* Without a translation there is nothing to keep; what is kept can always be let go. */
static void
update_keep(RegardTrainingBar *self)
{
  gboolean keeps = regard_document_get_training(self->document)->keeps;
  const RegardResult *result = regard_document_get_result(self->document);
  gtk_check_button_set_active(self->keep, keeps);
  gtk_widget_set_sensitive(GTK_WIDGET(self->keep), keeps || (result && has_translation(result)));
}

/* While the pictures are of a file no model has a part in them. */
static void
update_visible(RegardTrainingBar *self)
{
  gboolean is_shown = regard_document_get_training(self->document)->steps &&
                      !regard_document_get_imported_capture(self->document);
  if (!is_shown)
    regard_training_bar_set_playing(self, FALSE);
  gtk_widget_set_visible(GTK_WIDGET(self), is_shown);
}

static gboolean
is_same_training(RegardTrainingBar *self, const GArray *steps)
{
  /* A checkpoint that was added to a training, or is gone from it, leaves it what it is. */
  const char *path = steps->len ? g_array_index(steps, RegardTrainingStep, 0).path : "";
  g_autofree char *folder = g_path_get_dirname(path);
  gboolean is_same = g_strcmp0(folder, self->folder) == 0;
  g_free(self->folder);
  self->folder = g_steal_pointer(&folder);
  return is_same;
}

static void
on_training(RegardTrainingBar *self)
{
  const RegardTraining *training = regard_document_get_training(self->document);
  const char *dir = regard_document_get_model_dir(self->document);
  const GArray *steps = training->steps;
  guint at = 0;
  if (!steps)
    g_clear_pointer(&self->folder, g_free);
  else if (!is_same_training(self, steps))
    regard_training_bar_set_playing(self, FALSE);
  /* While the slider is ahead of what is loaded it is not taken back. */
  if (regard_training_find(training, dir, &at) && !regard_document_is_opening(self->document))
    show_steps(self, steps, at);
  gtk_widget_set_visible(self->leave, regard_training_is_learning(training, dir));
  update_visible(self);
}

void
regard_training_bar_set_document(RegardTrainingBar *self, RegardDocument *document)
{
  g_return_if_fail(REGARD_IS_TRAINING_BAR(self) && !self->document);
  self->document = g_object_ref(document);
  regard_observe(document, self, on_training, "changed::training");
  regard_observe(document, self, update_visible, "changed::foreign");
  regard_observe(document, self, update_keep, "changed::keeps", "changed::result");
  on_training(self);
  update_keep(self);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_training_bar_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_handle_id(&REGARD_TRAINING_BAR(object)->tick, g_source_remove);
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_training_bar_parent_class)->dispose(object);
}

static void
regard_training_bar_finalize(GObject *object)
{
  RegardTrainingBar *self = REGARD_TRAINING_BAR(object);
  g_array_unref(self->steps);
  g_free(self->folder);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_training_bar_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardTrainingBar, name)

static void
regard_training_bar_class_init(RegardTrainingBarClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(play),  CHILD(scale), CHILD(adjustment),
                                                 CHILD(which), CHILD(keep),  CHILD(leave),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_training_bar_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_training_bar_finalize;
  gtk_widget_class_set_css_name(widget_class, "trainingbar");
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-training-bar.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_value);
  gtk_widget_class_bind_template_callback(widget_class, on_play);
  gtk_widget_class_bind_template_callback(widget_class, on_keep);
  gtk_widget_class_bind_template_callback(widget_class, on_leave);
}

static void
regard_training_bar_init(RegardTrainingBar *self)
{
  self->steps = g_array_new(FALSE, FALSE, sizeof(guint64));
  gtk_widget_init_template(GTK_WIDGET(self));
}

/* regard-training-bar.c — drag through a training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-training-bar.h"

#include "models/regard-training-steps.h"
#include <glib/gi18n.h>

/* As many marks have numbers as there is room for in the narrowest window. */
#define MOST_NUMBERS 6

struct _RegardTrainingBar {
  GtkWidget parent_instance;
  GtkToggleButton *play;
  GtkScale *scale;
  GtkAdjustment *adjustment;
  GtkLabel *which;
  GtkCheckButton *keep;
  GArray *steps; /* guint64 */
  guint at;
  gboolean is_setting;
};

G_DEFINE_FINAL_TYPE(RegardTrainingBar, regard_training_bar, GTK_TYPE_WIDGET)

enum { SIGNAL_CHOSEN, SIGNAL_PLAY_TOGGLED, SIGNAL_KEEP_TOGGLED, N_SIGNALS };
static guint signals[N_SIGNALS];

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
    gtk_scale_add_mark(self->scale, i, GTK_POS_BOTTOM, number);
  }
}

void
regard_training_bar_set(RegardTrainingBar *self, const GArray *steps, guint at)
{
  g_return_if_fail(REGARD_IS_TRAINING_BAR(self) && at < steps->len);
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
  g_signal_emit(self, signals[SIGNAL_CHOSEN], 0, at);
}

/* ---- The buttons --------------------------------------------------------------------------- */

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
  g_signal_emit(self, signals[SIGNAL_PLAY_TOGGLED], 0);
}

static void
on_keep(RegardTrainingBar *self)
{
  g_signal_emit(self, signals[SIGNAL_KEEP_TOGGLED], 0);
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

gboolean
regard_training_bar_get_keeps(RegardTrainingBar *self)
{
  return gtk_check_button_get_active(self->keep);
}

void
regard_training_bar_set_keeps(RegardTrainingBar *self, gboolean keeps)
{
  gtk_check_button_set_active(self->keep, keeps);
}

void
regard_training_bar_set_can_keep(RegardTrainingBar *self, gboolean can_keep)
{
  gtk_widget_set_sensitive(GTK_WIDGET(self->keep), can_keep);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_training_bar_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_training_bar_parent_class)->dispose(object);
}

static void
regard_training_bar_finalize(GObject *object)
{
  g_array_unref(REGARD_TRAINING_BAR(object)->steps);
  G_OBJECT_CLASS(regard_training_bar_parent_class)->finalize(object);
}

#define BIND_CHILD(name) gtk_widget_class_bind_template_child(widget_class, RegardTrainingBar, name)

static void
regard_training_bar_class_init(RegardTrainingBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_training_bar_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_training_bar_finalize;
  GType type = G_TYPE_FROM_CLASS(klass);
  signals[SIGNAL_CHOSEN] = g_signal_new("chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[SIGNAL_PLAY_TOGGLED] =
      g_signal_new("play-toggled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_KEEP_TOGGLED] =
      g_signal_new("keep-toggled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name(widget_class, "trainingbar");
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/regard/Regard/regard-training-bar.ui");
  BIND_CHILD(play);
  BIND_CHILD(scale);
  BIND_CHILD(adjustment);
  BIND_CHILD(which);
  BIND_CHILD(keep);
  gtk_widget_class_bind_template_callback(widget_class, on_value);
  gtk_widget_class_bind_template_callback(widget_class, on_play);
  gtk_widget_class_bind_template_callback(widget_class, on_keep);
}

static void
regard_training_bar_init(RegardTrainingBar *self)
{
  self->steps = g_array_new(FALSE, FALSE, sizeof(guint64));
  gtk_widget_init_template(GTK_WIDGET(self));
}

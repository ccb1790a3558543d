/* regard-step-bar.c — up to which token of the translation one looks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-step-bar.h"
#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

/* Slow enough to read the candidates of a step. */
#define PLAY_EVERY_MS 700

struct _RegardStepBar {
  GtkWidget parent_instance;
  RegardSelection *selection;
  GtkWidget *play, *scale, *label;
  GtkAdjustment *adjustment;
  int n;
  guint playing; /* source; 0: it rests */
  gboolean can_end, following;
};

G_DEFINE_FINAL_TYPE(RegardStepBar, regard_step_bar, GTK_TYPE_WIDGET)

int
regard_step_bar_get_step(RegardStepBar *self)
{
  int step = self->selection ? regard_selection_get_shown_step(self->selection) : -1;

  return step < 0 || step >= self->n ? self->n - 1 : step;
}

static void
show_playing(RegardStepBar *self)
{
  const char *name = self->playing ? _("Stop (Space)") : _("Play (Space)");

  gtk_button_set_icon_name(GTK_BUTTON(self->play), self->playing ? "media-playback-pause-symbolic"
                                                                 : "media-playback-start-symbolic");
  regard_widget_set_name(self->play, name);
}

static void
stop(RegardStepBar *self)
{
  g_clear_handle_id(&self->playing, g_source_remove);
  show_playing(self);
}

static void
follow(RegardStepBar *self)
{
  mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_tokens *output = capture ? mt_capture_output(capture) : NULL;

  self->n = output ? (int) mt_tokens_count(output) : 0;
  int step = regard_step_bar_get_step(self);
  self->following = TRUE;
  gtk_adjustment_configure(self->adjustment, step + 1, 1, MAX(self->n, 1), 1, 5, 0);
  self->following = FALSE;
  gtk_widget_set_sensitive(GTK_WIDGET(self), self->n > 1);
  g_autofree char *text =
      self->n ? g_strdup_printf(_("step %d of %d"), step + 1, self->n) : g_strdup("");
  gtk_label_set_text(GTK_LABEL(self->label), text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
  if (self->can_end)
    gtk_widget_set_visible(GTK_WIDGET(self),
                           self->n > 0 && regard_selection_get_step(self->selection) >= 0);
  if (self->n < 2)
    stop(self);
}

static void
on_value(RegardStepBar *self)
{
  if (!self->following)
    regard_selection_set_step(self->selection,
                              (int) (gtk_adjustment_get_value(self->adjustment) + 0.5) - 1);
}

/* So many steps on. */
static void
move(RegardStepBar *self, int steps)
{
  if (self->n > 0)
    regard_selection_set_step(self->selection,
                              CLAMP(regard_step_bar_get_step(self) + steps, 0, self->n - 1));
}

static gboolean
on_tick(gpointer data)
{
  RegardStepBar *self = data;

  move(self, 1);
  if (regard_step_bar_get_step(self) < self->n - 1)
    return G_SOURCE_CONTINUE;
  self->playing = 0;
  show_playing(self);
  return G_SOURCE_REMOVE;
}

/* Play from where it stands, or, at the end, from the beginning; and stop. */
static void
play_or_pause(RegardStepBar *self)
{
  if (self->playing || self->n < 2) {
    stop(self);
    return;
  }
  if (regard_step_bar_get_step(self) == self->n - 1)
    regard_selection_set_step(self->selection, 0);
  self->playing = g_timeout_add(PLAY_EVERY_MS, on_tick, self);
  show_playing(self);
}

gboolean
regard_step_bar_handle_key(RegardStepBar *self, guint keyval, GdkModifierType state)
{
  if (state & gtk_accelerator_get_default_mod_mask() || self->n == 0)
    return FALSE;
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Left:
    move(self, -1);
    return TRUE;
  case GDK_KEY_Right:
    move(self, 1);
    return TRUE;
  case GDK_KEY_Home:
    move(self, -self->n);
    return TRUE;
  case GDK_KEY_End:
    move(self, self->n);
    return TRUE;
  case GDK_KEY_space:
    play_or_pause(self);
    return TRUE;
  default:
    return FALSE;
  }
}

static void
on_end(RegardStepBar *self)
{
  stop(self);
  regard_selection_set_step(self->selection, -1);
}

void
regard_step_bar_set_selection(RegardStepBar *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  regard_connect(selection, "notify::capture", G_CALLBACK(follow), self);
  regard_connect(selection, "notify::step", G_CALLBACK(follow), self);
  follow(self);
}

/* Nobody looks any more. */
static void
unmap(GtkWidget *widget)
{
  stop(REGARD_STEP_BAR(widget));
  GTK_WIDGET_CLASS(regard_step_bar_parent_class)->unmap(widget);
}

static void
dispose(GObject *object)
{
  RegardStepBar *self = REGARD_STEP_BAR(object);
  GtkWidget *child;

  g_clear_handle_id(&self->playing, g_source_remove);
  g_clear_object(&self->selection);
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(regard_step_bar_parent_class)->dispose(object);
}

static void
regard_step_bar_class_init(RegardStepBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->unmap = unmap;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "stepbar");
}

static void
regard_step_bar_init(RegardStepBar *self)
{
  gtk_box_layout_set_spacing(GTK_BOX_LAYOUT(gtk_widget_get_layout_manager(GTK_WIDGET(self))), 10);
  gtk_widget_set_name(GTK_WIDGET(self), "step");
  self->play = gtk_button_new();
  g_signal_connect_swapped(self->play, "clicked", G_CALLBACK(play_or_pause), self);
  self->adjustment = gtk_adjustment_new(1, 1, 1, 1, 5, 0);
  self->scale = gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, self->adjustment);
  gtk_scale_set_digits(GTK_SCALE(self->scale), 0);
  gtk_range_set_round_digits(GTK_RANGE(self->scale), 0);
  gtk_widget_set_hexpand(self->scale, TRUE);
  regard_widget_explain(self->scale, _("Step of the decoder"),
                        _("How far the translation is written: drag to an earlier piece (Left, "
                          "Right)"));
  g_signal_connect_swapped(self->adjustment, "value-changed", G_CALLBACK(on_value), self);
  self->label = regard_label_new(NULL, 0, "regard-value");
  gtk_label_set_width_chars(GTK_LABEL(self->label), 14);
  gtk_widget_set_parent(self->play, GTK_WIDGET(self));
  gtk_widget_set_parent(self->scale, GTK_WIDGET(self));
  gtk_widget_set_parent(self->label, GTK_WIDGET(self));
  show_playing(self);
}

GtkWidget *
regard_step_bar_new(gboolean can_end)
{
  RegardStepBar *self = g_object_new(REGARD_TYPE_STEP_BAR, NULL);
  GtkWidget *end;

  self->can_end = can_end;
  if (can_end) {
    end = gtk_button_new_from_icon_name("window-close-symbolic");
    gtk_widget_add_css_class(end, "flat");
    regard_widget_set_name(end, _("Show all rows"));
    g_signal_connect_swapped(end, "clicked", G_CALLBACK(on_end), self);
    gtk_widget_set_parent(end, GTK_WIDGET(self));
    gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  }
  return GTK_WIDGET(self);
}

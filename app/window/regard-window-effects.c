/* regard-window-effects.c — what each head does for the translation: on and off, and the means that
 * one way of it wants; and how much of each word comes from the source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "widgets/regard-head-effects.h"
#include "widgets/regard-trust.h"

static RegardHeadEffects *
effects_of(RegardWindow *self)
{
  return regard_selection_get_head_effects(self->selection);
}

/* On as they were last. */
static void
toggle_effects(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const int with = regard_head_effects_get_with(effects_of(self));
  if (with >= 0)
    self->effects_with = with;
  regard_head_effects_set_with(effects_of(self), with >= 0 ? -1 : self->effects_with);
}

void
regard_window_install_effects_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.effects", NULL, toggle_effects);
}

static void
on_model(RegardWindow *self)
{
  const char *why_not;
  mt_means *means = regard_document_get_means(self->document, &why_not);
  regard_head_effects_set_means(effects_of(self), means, why_not);
}

void
regard_window_observe_effects(RegardWindow *self)
{
  self->effects_with = MT_EFFECT_ZERO;
  g_signal_connect_object(self->document, "changed::model", G_CALLBACK(on_model), self,
                          G_CONNECT_SWAPPED);
  on_model(self);
}

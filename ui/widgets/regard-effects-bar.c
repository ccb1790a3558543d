/* regard-effects-bar.c — the switch of the heads' effects, how far they are, and what they say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-effects-bar.h"

#include "widgets/regard-head-effects.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>

struct _RegardEffectsBar {
  GtkWidget parent_instance;
  RegardHeadEffects *effects; /* NULL: no selection yet */
  GtkWidget *wrap, *choice, *legend, *progress;
  gboolean following;
};

G_DEFINE_FINAL_TYPE(RegardEffectsBar, regard_effects_bar, GTK_TYPE_WIDGET)

static void
follow(RegardEffectsBar *self)
{
  const RegardEffects *effects = regard_head_effects_get(self->effects);
  const char *error = regard_head_effects_get_error(self->effects);
  g_autofree char *text = effects ? regard_head_effects_describe(effects)
                          : error ? g_strdup(error)
                                  : NULL;

  self->following = TRUE;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->choice),
                             (guint) (regard_head_effects_get_with(self->effects) + 1));
  self->following = FALSE;
  gtk_label_set_text(GTK_LABEL(self->legend), text ? text : "");
  gtk_widget_set_tooltip_text(self->legend, text);
  gtk_widget_set_visible(self->legend, text != NULL);
  if (error)
    gtk_widget_add_css_class(self->legend, "error");
  else
    gtk_widget_remove_css_class(self->legend, "error");
}

static void
on_user_choice(RegardEffectsBar *self)
{
  if (!self->following && self->effects)
    regard_head_effects_set_with(self->effects,
                                 (int) gtk_drop_down_get_selected(GTK_DROP_DOWN(self->choice)) - 1);
}

void
regard_effects_bar_set_selection(RegardEffectsBar *self, RegardSelection *selection)
{
  g_return_if_fail(REGARD_IS_EFFECTS_BAR(self) && !self->effects);
  self->effects = g_object_ref(regard_selection_get_head_effects(selection));
  g_signal_connect_object(self->effects, "changed", G_CALLBACK(follow), self, G_CONNECT_SWAPPED);
  regard_work_bar_set_work(REGARD_WORK_BAR(self->progress),
                           regard_head_effects_get_work(self->effects));
  follow(self);
}

static void
regard_effects_bar_dispose(GObject *object)
{
  RegardEffectsBar *self = REGARD_EFFECTS_BAR(object);
  g_clear_object(&self->effects);
  g_clear_pointer(&self->wrap, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_effects_bar_parent_class)->dispose(object);
}

static void
regard_effects_bar_class_init(RegardEffectsBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_effects_bar_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "effectsbar");
}

static void
regard_effects_bar_init(RegardEffectsBar *self)
{
  /* In the order of mt_effect_kind, behind "off". */
  const char *const items[] = {_("No effects"), _("Effects: zero"), _("Effects: uniform"),
                               _("Effects: mean"), NULL};
  const char *name = _("Effects of heads");

  self->wrap = regard_wrap_new(8); /* in a narrow pane the words have a line of their own */
  gtk_widget_add_css_class(GTK_WIDGET(self), "regard-combine");
  self->choice = gtk_drop_down_new_from_strings(items);
  gtk_widget_set_valign(self->choice, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text(self->choice,
                              _("What each head does for this translation: how likely it is with "
                                "the head and without (F)"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->choice), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                 -1);
  g_signal_connect_swapped(self->choice, "notify::selected", G_CALLBACK(on_user_choice), self);
  self->legend = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->legend), 0);
  gtk_label_set_wrap(GTK_LABEL(self->legend), TRUE);
  gtk_label_set_lines(GTK_LABEL(self->legend), 3);
  gtk_label_set_ellipsize(GTK_LABEL(self->legend), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->legend, "regard-hint");
  self->progress = regard_work_bar_new(_("Computing the effects of heads"), FALSE);
  gtk_widget_set_visible(self->legend, FALSE);
  regard_wrap_append(self->wrap, self->choice);
  regard_wrap_append(self->wrap, self->legend);
  regard_wrap_append(self->wrap, self->progress);
  gtk_widget_set_parent(self->wrap, GTK_WIDGET(self));
}

GtkWidget *
regard_effects_bar_new(void)
{
  return g_object_new(REGARD_TYPE_EFFECTS_BAR, NULL);
}

/* regard-wordings.c — a label in several wordings: the longest that there is room for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-wordings.h"

#include <adwaita.h>

struct _RegardWordings {
  GtkWidget parent_instance;
  AdwSqueezer *squeezer;
  GtkLabel *labels[REGARD_MOST_WORDINGS];
};

G_DEFINE_FINAL_TYPE(RegardWordings, regard_wordings, GTK_TYPE_WIDGET)

void
regard_wordings_set(RegardWordings *self, const char *const *texts, gboolean may_cut)
{
  g_return_if_fail(REGARD_IS_WORDINGS(self) && texts[0]);
  guint n = g_strv_length((char **) texts);
  g_return_if_fail(n <= REGARD_MOST_WORDINGS);
  for (guint i = 0; i < REGARD_MOST_WORDINGS; i++) {
    gboolean is_last = i + 1 >= n;
    gtk_label_set_text(self->labels[i], texts[MIN(i, n - 1)]);
    /* A label that can be cut off fits everywhere: it is the end of the list. */
    gtk_label_set_ellipsize(self->labels[i],
                            is_last && may_cut ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
    gtk_widget_set_visible(GTK_WIDGET(self->labels[i]), i < n);
  }
  /* Who listens gets the longest wording, whatever there is room for. */
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, texts[0], -1);
}

const char *
regard_wordings_get_text(RegardWordings *self)
{
  return gtk_label_get_text(self->labels[0]);
}

const char *
regard_wordings_get_shown(RegardWordings *self)
{
  GtkWidget *shown = adw_squeezer_get_visible_child(self->squeezer);
  return shown ? gtk_label_get_text(GTK_LABEL(shown)) : "";
}

static void
regard_wordings_dispose(GObject *object)
{
  RegardWordings *self = REGARD_WORDINGS(object);
  GtkWidget *squeezer = (GtkWidget *) g_steal_pointer(&self->squeezer);
  if (squeezer)
    gtk_widget_unparent(squeezer);
  G_OBJECT_CLASS(regard_wordings_parent_class)->dispose(object);
}

static void
regard_wordings_class_init(RegardWordingsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_wordings_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
regard_wordings_init(RegardWordings *self)
{
  self->squeezer = ADW_SQUEEZER(adw_squeezer_new());
  gtk_widget_set_parent(GTK_WIDGET(self->squeezer), GTK_WIDGET(self));
  for (guint i = 0; i < REGARD_MOST_WORDINGS; i++) {
    self->labels[i] =
        g_object_new(GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
    gtk_label_set_xalign(self->labels[i], 1);
    gtk_label_set_single_line_mode(self->labels[i], TRUE);
    gtk_widget_set_visible(GTK_WIDGET(self->labels[i]), i == 0);
    adw_squeezer_add(self->squeezer, GTK_WIDGET(self->labels[i]));
  }
}

GtkWidget *
regard_wordings_new(void)
{
  return g_object_new(REGARD_TYPE_WORDINGS, NULL);
}

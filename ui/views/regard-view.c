/* regard-view.c — the base class of the window's pages.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view.h"

typedef struct {
  RegardSelection *selection;
} RegardViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(RegardView, regard_view, GTK_TYPE_WIDGET)

static void
regard_view_dispose(GObject *object)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(REGARD_VIEW(object));
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child(GTK_WIDGET(object))))
    gtk_widget_unparent(child);
  g_clear_object(&priv->selection);
  G_OBJECT_CLASS(regard_view_parent_class)->dispose(object);
}

static void
regard_view_class_init(RegardViewClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_view_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_view_init(RegardView *self)
{
}

void
regard_view_set_selection(RegardView *self, RegardSelection *selection)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  g_return_if_fail(REGARD_IS_VIEW(self));
  g_return_if_fail(REGARD_IS_SELECTION(selection));
  g_return_if_fail(priv->selection == NULL); /* once, as the interface says */

  priv->selection = g_object_ref(selection);
  if (REGARD_VIEW_GET_CLASS(self)->set_selection)
    REGARD_VIEW_GET_CLASS(self)->set_selection(self, selection);
}

RegardSelection *
regard_view_get_selection(RegardView *self)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  g_return_val_if_fail(REGARD_IS_VIEW(self), NULL);
  return priv->selection;
}

const RegardPicture *
regard_view_get_export_choices(RegardView *self, guint *n)
{
  g_return_val_if_fail(REGARD_IS_VIEW(self), NULL);

  *n = 0;
  return REGARD_VIEW_GET_CLASS(self)->get_export_choices
             ? REGARD_VIEW_GET_CLASS(self)->get_export_choices(self, n)
             : NULL;
}

RegardFigure *
regard_view_create_figure(RegardView *self, const char *choice_id)
{
  g_return_val_if_fail(REGARD_IS_VIEW(self), NULL);

  return REGARD_VIEW_GET_CLASS(self)->create_figure
             ? REGARD_VIEW_GET_CLASS(self)->create_figure(self, choice_id)
             : NULL;
}

char *
regard_view_name_choice(RegardView *self, const char *choice_id)
{
  char *name = NULL;

  g_return_val_if_fail(REGARD_IS_VIEW(self), NULL);

  if (REGARD_VIEW_GET_CLASS(self)->name_choice)
    name = REGARD_VIEW_GET_CLASS(self)->name_choice(self, choice_id);
  return name ? name : g_strdup(choice_id);
}

gboolean
regard_view_handle_key(RegardView *self, guint keyval, GdkModifierType state)
{
  g_return_val_if_fail(REGARD_IS_VIEW(self), FALSE);

  return REGARD_VIEW_GET_CLASS(self)->handle_key &&
         REGARD_VIEW_GET_CLASS(self)->handle_key(self, keyval, state);
}

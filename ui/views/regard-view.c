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

static guint choices_changed_signal;

static void
regard_view_class_init(RegardViewClass *klass)
{
  choices_changed_signal = g_signal_new("choices-changed", G_TYPE_FROM_CLASS(klass),
                                        G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
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

void
regard_view_choices_changed(RegardView *self)
{
  g_return_if_fail(REGARD_IS_VIEW(self));

  g_signal_emit(self, choices_changed_signal, 0);
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

static gboolean
set_kind(RegardSelection *s, mt_attention_kind kind)
{
  regard_selection_set_place(s, kind, regard_selection_get_layer(s), regard_selection_get_head(s));
  return TRUE;
}

/* Keys that mean the same on every page; what they do is in the window's menus too. */
static gboolean
handle_place_key(RegardSelection *s, guint keyval)
{
  switch (keyval) {
  case GDK_KEY_Page_Up:
  case GDK_KEY_KP_Page_Up:
    return regard_selection_step(s, -1, 0);
  case GDK_KEY_Page_Down:
  case GDK_KEY_KP_Page_Down:
    return regard_selection_step(s, 1, 0);
  case GDK_KEY_bracketleft:
    return regard_selection_step(s, 0, -1);
  case GDK_KEY_bracketright:
    return regard_selection_step(s, 0, 1);
  case GDK_KEY_1: /* from top to bottom, as the grids of heads are */
  case GDK_KEY_KP_1:
    return set_kind(s, MT_ENCODER_SELF);
  case GDK_KEY_2:
  case GDK_KEY_KP_2:
    return set_kind(s, MT_CROSS);
  case GDK_KEY_3:
  case GDK_KEY_KP_3:
    return set_kind(s, MT_DECODER_SELF);
  case GDK_KEY_Escape:
    if (!regard_selection_get_capture(s))
      return FALSE;
    regard_selection_let_go(s);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean
regard_view_handle_key(RegardView *self, guint keyval, GdkModifierType state)
{
  RegardViewPrivate *priv = regard_view_get_instance_private(self);

  g_return_val_if_fail(REGARD_IS_VIEW(self), FALSE);

  if (REGARD_VIEW_GET_CLASS(self)->handle_key &&
      REGARD_VIEW_GET_CLASS(self)->handle_key(self, keyval, state))
    return TRUE;
  return priv->selection && !(state & gtk_accelerator_get_default_mod_mask()) &&
         handle_place_key(priv->selection, keyval);
}

/* ---- The picture -------------------------------------------------------------------------------
 */

gboolean
regard_view_is_picture(GtkWidget *widget)
{
  return gtk_widget_get_focusable(widget) &&
         gtk_accessible_get_accessible_role(GTK_ACCESSIBLE(widget)) == GTK_ACCESSIBLE_ROLE_IMG;
}

GtkWidget *
regard_view_find_picture(GtkWidget *widget)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (regard_view_is_picture(widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = regard_view_find_picture(child);

    if (found)
      return found;
  }
  return NULL;
}

GtkWidget *
regard_view_get_picture(RegardView *self)
{
  GtkWidget *picture = NULL;

  g_return_val_if_fail(REGARD_IS_VIEW(self), NULL);
  if (REGARD_VIEW_GET_CLASS(self)->get_picture)
    picture = REGARD_VIEW_GET_CLASS(self)->get_picture(self);
  return picture ? picture : regard_view_find_picture(GTK_WIDGET(self));
}

/* ---- Parts of pages -------------------------------------------------------------------------- */

GtkWidget *
regard_view_new_message(void)
{
  GtkWidget *message = gtk_label_new(NULL);

  gtk_label_set_wrap(GTK_LABEL(message), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(message), 60);
  gtk_label_set_justify(GTK_LABEL(message), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class(message, "regard-note");
  return message;
}

GtkWidget *
regard_view_new_status(void)
{
  GtkWidget *status = gtk_label_new(NULL);

  gtk_label_set_xalign(GTK_LABEL(status), 0);
  gtk_label_set_ellipsize(GTK_LABEL(status), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(status, "regard-status");
  return status;
}

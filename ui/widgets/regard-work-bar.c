/* regard-work-bar.c — how far a work is, and a button that stops it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-work-bar.h"
#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

#include <math.h>

struct _RegardWorkBar {
  GtkWidget parent_instance;

  RegardWork *work; /* NULL: none yet */
  GtkWidget *bar, *button;
};

G_DEFINE_FINAL_TYPE(RegardWorkBar, regard_work_bar, GTK_TYPE_WIDGET)

static void
follow(RegardWorkBar *self)
{
  const double share = regard_work_get_share(self->work);
  g_autofree char *text = g_strdup_printf(_("%.0f %%"), floor(100 * share));

  gtk_widget_set_visible(GTK_WIDGET(self), regard_work_is_shown(self->work));
  if (share < 0)
    return;
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar), share);
  gtk_progress_bar_set_text(GTK_PROGRESS_BAR(self->bar), text);
}

static void
on_stop(RegardWorkBar *self)
{
  if (self->work)
    regard_work_stop(self->work);
}

void
regard_work_bar_set_work(RegardWorkBar *self, RegardWork *work)
{
  g_return_if_fail(!self->work);
  self->work = g_object_ref(work);
  regard_connect(work, "changed", G_CALLBACK(follow), self);
  follow(self);
}

static gboolean
grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(REGARD_WORK_BAR(widget)->button);
}

static void
dispose(GObject *object)
{
  RegardWorkBar *self = REGARD_WORK_BAR(object);

  g_clear_object(&self->work);
  g_clear_pointer(&self->bar, gtk_widget_unparent);
  g_clear_pointer(&self->button, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_work_bar_parent_class)->dispose(object);
}

static void
regard_work_bar_class_init(RegardWorkBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->grab_focus = grab_focus;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "workbar");
}

static void
regard_work_bar_init(RegardWorkBar *self)
{
  gtk_box_layout_set_spacing(GTK_BOX_LAYOUT(gtk_widget_get_layout_manager(GTK_WIDGET(self))), 6);
  gtk_widget_set_valign(GTK_WIDGET(self), GTK_ALIGN_CENTER);
  self->bar = gtk_progress_bar_new();
  gtk_progress_bar_set_show_text(GTK_PROGRESS_BAR(self->bar), TRUE);
  gtk_widget_set_valign(self->bar, GTK_ALIGN_CENTER);
  self->button = gtk_button_new_with_label(_("Stop"));
  gtk_widget_add_css_class(self->button, "flat");
  g_signal_connect_swapped(self->button, "clicked", G_CALLBACK(on_stop), self);
  gtk_widget_set_parent(self->bar, GTK_WIDGET(self));
  gtk_widget_set_parent(self->button, GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

GtkWidget *
regard_work_bar_new(const char *name, gboolean has_button)
{
  RegardWorkBar *self = g_object_new(REGARD_TYPE_WORK_BAR, NULL);

  regard_accessible_set_label(self->bar, name);
  gtk_widget_set_visible(self->button, has_button);
  return GTK_WIDGET(self);
}

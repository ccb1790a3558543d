/* regard-model-row.c — one model in the list to choose from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-row.h"

#include <glib/gi18n.h>
#include <string.h>

struct _RegardModelRow {
  GtkListBoxRow parent_instance;
  const RegardModelInfo *info;
  char *detail, *folded; /* second line; all that is searched */
  GtkWidget *check, *title, *text, *bar, *cancel, *forget;
  gboolean is_running;
  double share;
};

G_DEFINE_FINAL_TYPE(RegardModelRow, regard_model_row, GTK_TYPE_LIST_BOX_ROW)

enum { SIGNAL_CANCELLED, SIGNAL_FORGOTTEN, N_SIGNALS };
static guint signals[N_SIGNALS];

const RegardModelInfo *
regard_model_row_get_info(RegardModelRow *self)
{
  return self->info;
}

static void
update_name(RegardModelRow *self)
{
  const char *state = self->share >= 0      ? _("being opened")
                      : self->is_running    ? _("in use")
                      : self->info->problem ? _("cannot be opened")
                                            : NULL;
  g_autofree char *name = g_strdup_printf("%s, %s%s%s", self->info->title, self->detail,
                                          state ? ", " : "", state ? state : "");
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void
regard_model_row_set_running(RegardModelRow *self, gboolean is_running)
{
  self->is_running = is_running;
  gboolean is_broken = self->info->problem && !is_running;
  gtk_image_set_from_icon_name(GTK_IMAGE(self->check),
                               is_broken ? "dialog-warning-symbolic" : "object-select-symbolic");
  /* Not hidden: the titles stay below each other. */
  gtk_widget_set_opacity(self->check, is_running || is_broken ? 1 : 0);
  update_name(self);
}

void
regard_model_row_set_share(RegardModelRow *self, double share)
{
  gboolean is_loading = share >= 0, was_loading = self->share >= 0;
  self->share = share;
  if (is_loading)
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar), MIN(share, 1));
  if (is_loading == was_loading)
    return;
  gtk_widget_set_visible(self->bar, is_loading);
  gtk_widget_set_visible(self->text, !is_loading);
  gtk_widget_set_visible(self->cancel, is_loading);
  gtk_widget_set_visible(self->forget, !is_loading && self->info->place == REGARD_MODEL_RECENT);
  update_name(self);
}

gboolean
regard_model_row_matches(RegardModelRow *self, const char *const *words)
{
  for (; *words; words++)
    if (**words && !strstr(self->folded, *words))
      return FALSE;
  return TRUE;
}

static void
on_cancel(RegardModelRow *self)
{
  g_signal_emit(self, signals[SIGNAL_CANCELLED], 0);
}

static void
on_forget(RegardModelRow *self)
{
  g_signal_emit(self, signals[SIGNAL_FORGOTTEN], 0);
}

static GtkWidget *
create_button(RegardModelRow *self, const char *label, const char *icon, const char *tooltip,
              GCallback clicked)
{
  GtkWidget *button = icon ? gtk_button_new_from_icon_name(icon) : gtk_button_new_with_label(label);
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 label ? label : tooltip, -1);
  g_signal_connect_swapped(button, "clicked", clicked, self);
  return button;
}

static void
regard_model_row_finalize(GObject *object)
{
  RegardModelRow *self = REGARD_MODEL_ROW(object);
  g_free(self->detail);
  g_free(self->folded);
  G_OBJECT_CLASS(regard_model_row_parent_class)->finalize(object);
}

static void
regard_model_row_class_init(RegardModelRowClass *klass)
{
  GType type = G_TYPE_FROM_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_model_row_finalize;
  signals[SIGNAL_CANCELLED] =
      g_signal_new("cancelled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_FORGOTTEN] =
      g_signal_new("forgotten", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_model_row_init(RegardModelRow *self)
{
  self->share = -1;
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *lines = gtk_box_new(GTK_ORIENTATION_VERTICAL, 1);
  self->check = gtk_image_new_from_icon_name("object-select-symbolic");
  gtk_widget_set_opacity(self->check, 0);
  self->title = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->title), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->title), PANGO_ELLIPSIZE_END);
  self->text = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->text), 0);
  gtk_label_set_ellipsize(GTK_LABEL(self->text), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(self->text, "regard-hint");
  self->bar = gtk_progress_bar_new();
  gtk_widget_set_valign(self->bar, GTK_ALIGN_CENTER);
  gtk_widget_set_vexpand(self->bar, TRUE);
  gtk_widget_set_visible(self->bar, FALSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Opening"), -1);
  gtk_box_append(GTK_BOX(lines), self->title);
  gtk_box_append(GTK_BOX(lines), self->text);
  gtk_box_append(GTK_BOX(lines), self->bar);
  gtk_widget_set_hexpand(lines, TRUE);

  self->cancel =
      create_button(self, _("Cancel"), NULL, _("Stop opening this model"), G_CALLBACK(on_cancel));
  gtk_widget_set_visible(self->cancel, FALSE);
  self->forget = create_button(self, NULL, "window-close-symbolic", _("Take out of recent models"),
                               G_CALLBACK(on_forget));
  gtk_widget_add_css_class(self->forget, "flat");
  gtk_widget_add_css_class(self->forget, "circular");
  gtk_box_append(GTK_BOX(box), self->check);
  gtk_box_append(GTK_BOX(box), lines);
  gtk_box_append(GTK_BOX(box), self->cancel);
  gtk_box_append(GTK_BOX(box), self->forget);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(self), box);
}

GtkWidget *
regard_model_row_new(const RegardModelInfo *info)
{
  RegardModelRow *self = g_object_new(REGARD_TYPE_MODEL_ROW, NULL);
  self->info = info;
  self->detail = regard_model_info_detail(info);
  g_autofree char *path = g_filename_display_name(info->path);
  g_autofree char *all =
      g_strjoin("\n", info->title, self->detail, path, info->source ? info->source : "",
                info->target ? info->target : "", NULL);
  self->folded = g_utf8_casefold(all, -1);
  gtk_label_set_text(GTK_LABEL(self->title), info->title);
  gtk_label_set_text(GTK_LABEL(self->text), self->detail);
  gtk_widget_set_visible(self->forget, info->place == REGARD_MODEL_RECENT);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), path);
  if (info->problem) {
    gtk_widget_add_css_class(GTK_WIDGET(self), "broken");
    /* What is wrong is not cut off. */
    gtk_label_set_wrap(GTK_LABEL(self->text), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(self->text), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_ellipsize(GTK_LABEL(self->text), PANGO_ELLIPSIZE_NONE);
  }
  regard_model_row_set_running(self, FALSE);
  return GTK_WIDGET(self);
}

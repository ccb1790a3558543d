/* regard-window-look.c — how the window is looked at, put aside while a lesson is gone through.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every lesson begins from the same state, whatever the one before it or the person made of the
 * pages: from the settings as they are at first, and from the pages as they were made. Colours are
 * a matter of eyes and of the room: they stay.
 */
#include "window/regard-window-private.h"

/* Settings that a lesson begins with as they are at first; "view" is the page of a lesson's own. */
static const char *const keys[] = {"combine",      "scale",        "form",       "lines-share",
                                   "merge-words",  "hide-special", "label-by",   "show-heads",
                                   "show-details", "show-tokens",  "show-trust", "show-received"};

struct _RegardWindowLook {
  RegardSession *session;
  GPtrArray *settings; /* of RegardViewSetting *, of the pages in their order */
  GVariant *values[G_N_ELEMENTS(keys)];
  gboolean keeps; /* translations of a training */
};

static GtkWidget *
get_first_page(RegardWindow *self)
{
  return gtk_widget_get_first_child(GTK_WIDGET(self->views));
}

RegardWindowLook *
regard_window_put_look_aside(RegardWindow *self)
{
  RegardWindowLook *look = g_new0(RegardWindowLook, 1);
  look->session = regard_window_take_look(self);
  look->settings = g_ptr_array_new_with_free_func((GDestroyNotify) regard_view_setting_free);
  for (GtkWidget *page = get_first_page(self); page; page = gtk_widget_get_next_sibling(page))
    g_ptr_array_add(look->settings, regard_view_take_setting(REGARD_VIEW(page)));
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    look->values[i] = g_settings_get_value(self->settings, keys[i]);
  look->keeps = regard_document_get_training(self->document)->keeps;
  return look;
}

void
regard_window_begin_look(RegardWindow *self)
{
  const RegardCell none = {-1, -1};
  regard_training_bar_set_playing(self->training_bar, FALSE);
  for (GtkWidget *page = get_first_page(self); page; page = gtk_widget_get_next_sibling(page))
    regard_view_begin_anew(REGARD_VIEW(page));
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    g_autoptr(GVariant) value = g_settings_get_default_value(self->settings, keys[i]);
    g_settings_set_value(self->settings, keys[i], value);
  }
  regard_selection_clear_chosen(self->selection);
  regard_selection_set_pin(self->selection, none);
  regard_selection_set_step(self->selection, -1);
  regard_window_reset_zoom(self);
}

void
regard_window_return_look(RegardWindow *self, RegardWindowLook *look)
{
  guint i = 0;
  regard_training_bar_set_playing(self->training_bar, FALSE);
  if (!look->keeps)
    regard_document_set_keeps(self->document, FALSE);
  for (GtkWidget *page = get_first_page(self); page; page = gtk_widget_get_next_sibling(page))
    regard_view_bring_back(REGARD_VIEW(page), look->settings->pdata[i++]);
  for (guint k = 0; k < G_N_ELEMENTS(keys); k++) {
    g_settings_set_value(self->settings, keys[k], look->values[k]);
    g_variant_unref(look->values[k]);
  }
  g_ptr_array_unref(look->settings);
  regard_window_bring_look_back(self, look->session);
  g_free(look);
}

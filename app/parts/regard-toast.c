/* regard-toast.c — something said in passing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-toast.h"

#include <glib/gi18n.h>

#define SECONDS 3

/* Takes the toast. */
static void
show(GtkWidget *widget, AdwToast *toast)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  if (!overlay) {
    g_object_unref(g_object_ref_sink(toast));
    return;
  }
  adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_overlay_add_toast(ADW_TOAST_OVERLAY(overlay), toast);
}

void
regard_toast(GtkWidget *widget, const char *text)
{
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_timeout(toast, SECONDS);
  show(widget, toast);
}

/* Only the last one can be undone, and one that is pushed aside would come again. */
static void
replace_last(GtkWidget *widget, AdwToast *toast)
{
  static const char key[] = "regard-undo";
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  AdwToast *last = overlay ? g_object_get_data(G_OBJECT(overlay), key) : NULL;
  if (last)
    adw_toast_dismiss(last);
  if (overlay)
    g_object_set_data_full(G_OBJECT(overlay), key, g_object_ref(toast), g_object_unref);
}

void
regard_toast_with_undo(GtkWidget *widget, const char *text, const char *action)
{
  AdwToast *toast = adw_toast_new(text);
  replace_last(widget, toast);
  adw_toast_set_timeout(toast, SECONDS);
  adw_toast_set_button_label(toast, _("Undo"));
  adw_toast_set_action_name(toast, action);
  show(widget, toast);
}

void
regard_toast_with_button(GtkWidget *widget, const char *text, const char *button,
                         const char *action, const char *target)
{
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, button);
  adw_toast_set_action_name(toast, action);
  adw_toast_set_action_target(toast, "s", target);
  show(widget, toast);
}

/* regard-toast.c — something said in passing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-toast.h"

#include <glib/gi18n.h>

#define SECONDS 3

/* What an overlay shows: the last one that can be undone, and the last one that cannot. */
static const char undo_key[] = "regard-undo", said_key[] = "regard-said";
/* When one came that can be undone. */
static const char time_key[] = "regard-time";

static void
on_gone(AdwToast *toast, GObject *overlay)
{
  if (g_object_get_data(overlay, said_key) == toast)
    g_object_set_data(overlay, said_key, NULL);
}

/* Takes the toast. One that is pushed aside comes again: what can be undone may, and nothing else,
 * which would be said long after it happened. */
static void
show(GtkWidget *widget, AdwToast *toast, gboolean is_undoable)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  if (!overlay) {
    g_object_unref(g_object_ref_sink(toast));
    return;
  }
  AdwToast *last = g_object_get_data(G_OBJECT(overlay), said_key);
  if (last)
    adw_toast_dismiss(last);
  if (!is_undoable) {
    g_object_set_data_full(G_OBJECT(overlay), said_key, g_object_ref(toast), g_object_unref);
    g_signal_connect_object(toast, "dismissed", G_CALLBACK(on_gone), overlay, 0);
  }
  adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_overlay_add_toast(ADW_TOAST_OVERLAY(overlay), toast);
}

void
regard_toast(GtkWidget *widget, const char *text)
{
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_timeout(toast, SECONDS);
  show(widget, toast, FALSE);
}

static AdwToast *
find_last(GtkWidget *widget)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  return overlay ? g_object_get_data(G_OBJECT(overlay), undo_key) : NULL;
}

static void
on_dismissed(AdwToast *toast, GObject *overlay)
{
  if (g_object_get_data(overlay, undo_key) == toast)
    g_object_set_data(overlay, undo_key, NULL);
}

/* Only the last one can be undone. */
static void
replace_last(GtkWidget *widget, AdwToast *toast)
{
  GtkWidget *overlay = gtk_widget_get_ancestor(widget, ADW_TYPE_TOAST_OVERLAY);
  AdwToast *last = find_last(widget);
  if (last)
    adw_toast_dismiss(last);
  if (!overlay)
    return;
  gint64 *now = g_new(gint64, 1);
  *now = g_get_monotonic_time();
  g_object_set_data_full(G_OBJECT(toast), time_key, now, g_free);
  g_object_set_data_full(G_OBJECT(overlay), undo_key, g_object_ref(toast), g_object_unref);
  g_signal_connect_object(toast, "dismissed", G_CALLBACK(on_dismissed), overlay, 0);
}

void
regard_toast_with_undo(GtkWidget *widget, const char *text, const char *action)
{
  AdwToast *toast = adw_toast_new(text);
  replace_last(widget, toast);
  adw_toast_set_timeout(toast, SECONDS);
  adw_toast_set_button_label(toast, _("Undo"));
  adw_toast_set_action_name(toast, action);
  show(widget, toast, TRUE);
}

gboolean
regard_toast_is_undoable(GtkWidget *widget)
{
  return find_last(widget) != NULL;
}

void
regard_toast_go_on(GtkWidget *widget, const char *text, const char *action)
{
  AdwToast *last = find_last(widget);
  const gint64 *came = last ? g_object_get_data(G_OBJECT(last), time_key) : NULL;
  /* One that is about to go could not be read any more. */
  if (came && g_get_monotonic_time() - *came < SECONDS * G_USEC_PER_SEC / 2)
    adw_toast_set_title(last, text);
  else
    regard_toast_with_undo(widget, text, action);
}

void
regard_toast_with_button(GtkWidget *widget, const char *text, const char *button,
                         const char *action, const char *target)
{
  AdwToast *toast = adw_toast_new(text);
  adw_toast_set_button_label(toast, button);
  adw_toast_set_action_name(toast, action);
  adw_toast_set_action_target(toast, "s", target);
  show(widget, toast, FALSE);
}

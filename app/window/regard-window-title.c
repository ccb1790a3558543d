/* regard-window-title.c — what the title says: the session, whether all of it is in its file, and
 * how much is changed in the model; and the files that were opened and saved last.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unsaved is what numbers follow from (text, model, request, changes, own translations, reference):
 * to look elsewhere is no change of a session. What is undone is saved again.
 */
#include "window/regard-window-private.h"

#include "document/regard-capture-file.h"
#include <glib/gi18n.h>

/* Entries of the menu. */
#define MOST_RECENT 10
/* Among all files of a desktop those of this program are known by it. */
#define GROUP "regard"

/* ---- The title ---------------------------------------------------------------------------------
 */

void
regard_window_update_title(RegardWindow *self)
{
  /* Of a file its own badges say what was changed. */
  const guint n = regard_document_get_foreign(self->document)
                      ? 0
                      : (guint) mt_changes_count(regard_document_get_changes(self->document));
  g_autofree char *count = g_strdup_printf(ngettext("%u change", "%u changes", n), n);
  g_autofree char *name =
      self->session_path ? g_filename_display_basename(self->session_path) : NULL;
  g_autofree char *session =
      name ? g_strdup_printf("%s%s", self->is_unsaved ? "• " : "", name) : NULL;
  g_autofree char *program = n ? g_strdup_printf(_("Regard – %s"), count) : g_strdup(_("Regard"));
  g_autofree char *title =
      session ? g_strdup_printf("%s – %s", session, program) : g_strdup(program);
  gtk_window_set_title(GTK_WINDOW(self), title);
  adw_window_title_set_title(self->title, session ? session : _("Regard"));
  adw_window_title_set_subtitle(self->title, n ? count : "");
}

static gboolean
on_unsaved_idle(gpointer data)
{
  RegardWindow *self = data;
  g_autofree char *content = regard_document_dup_content(self->document);
  const gboolean is_unsaved = g_strcmp0(content, self->saved_content) != 0;
  self->unsaved_idle = 0;
  if (is_unsaved != self->is_unsaved) {
    self->is_unsaved = is_unsaved;
    regard_window_update_title(self);
  }
  return G_SOURCE_REMOVE;
}

/* A session that is on its way is not there to be told from what it was. */
static void
on_document(RegardWindow *self)
{
  if (self->session_path && self->saved_content && !self->unsaved_idle)
    self->unsaved_idle = g_idle_add_full(G_PRIORITY_LOW, on_unsaved_idle, self, NULL);
}

void
regard_window_note_saved(RegardWindow *self, char *content)
{
  g_free(self->saved_content);
  self->saved_content = content;
  self->is_unsaved = FALSE;
  on_document(self);
  regard_window_update_title(self);
}

/* ---- Recent files ------------------------------------------------------------------------------
 */

void
regard_window_note_recent(const char *path)
{
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  char *groups[] = {(char *) GROUP, NULL};
  const GtkRecentData data = {
      .mime_type = (char *) (regard_session_has_ending(path) ? "application/x-regard-session"
                                                             : "application/octet-stream"),
      .app_name = (char *) _("Regard"),
      .app_exec = (char *) "regard %f",
      .groups = groups,
  };
  if (uri)
    gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data);
}

static int
compare_times(gconstpointer a, gconstpointer b)
{
  return g_date_time_compare(gtk_recent_info_get_modified(*(GtkRecentInfo *const *) b),
                             gtk_recent_info_get_modified(*(GtkRecentInfo *const *) a));
}

/* The newest first. Caller frees. */
static GPtrArray *
list_recent(void)
{
  GPtrArray *found = g_ptr_array_new_with_free_func((GDestroyNotify) gtk_recent_info_unref);
  GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
  for (GList *item = items; item; item = item->next)
    if (gtk_recent_info_has_group(item->data, GROUP) && gtk_recent_info_is_local(item->data) &&
        gtk_recent_info_exists(item->data))
      g_ptr_array_add(found, gtk_recent_info_ref(item->data));
  g_list_free_full(items, (GDestroyNotify) gtk_recent_info_unref);
  g_ptr_array_sort(found, compare_times);
  return found;
}

static void
fill_recent(RegardWindow *self)
{
  g_autoptr(GPtrArray) recent = list_recent();
  g_menu_remove_all(self->recent_menu);
  for (guint i = 0; i < MIN(recent->len, MOST_RECENT); i++) {
    g_autofree char *path =
        g_filename_from_uri(gtk_recent_info_get_uri(recent->pdata[i]), NULL, NULL);
    if (!path)
      continue;
    g_autofree char *name = g_filename_display_basename(path);
    g_auto(GStrv) parts = g_strsplit(name, "_", -1);
    g_autofree char *label = g_strjoinv("__", parts); /* one would be a mnemonic */
    g_autoptr(GMenuItem) entry = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(entry, "win.open-recent", "s", path);
    g_menu_append_item(self->recent_menu, entry);
  }
}

static void
open_recent(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *path = g_variant_get_string(parameter, NULL);
  if (regard_session_has_ending(path))
    gtk_widget_activate_action(widget, "win.read-session", "s", path);
  else
    regard_document_open_path(self->document, path);
}

void
regard_window_install_title_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.open-recent", "s", open_recent);
}

void
regard_window_observe_title(RegardWindow *self)
{
  g_signal_connect_object(self->document, "changed", G_CALLBACK(on_document), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(gtk_recent_manager_get_default(), "changed", G_CALLBACK(fill_recent),
                          self, G_CONNECT_SWAPPED);
  fill_recent(self);
}

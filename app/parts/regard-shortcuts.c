/* regard-shortcuts.c — all keys in a window that fits any screen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * GTK's window of shortcuts is as wide as its longest lines in all columns, and grows with the
 * letters, until its close button is beyond the screen. Here the groups of the same list
 * (help-overlay.ui) stand in two columns or one, their lines wrap, and what has no room is
 * scrolled.
 */
#include "parts/regard-shortcuts.h"

#include "widgets/regard-wrap-layout.h"
#include <glib/gi18n.h>
#include <string.h>

#define N_COLUMNS 2
/* Characters of a line's text, and pixels of the window where there is room. */
#define LINE   34
#define WIDTH  1340
#define HEIGHT 780

typedef struct {
  GtkApplication *application; /* of the parent; borrowed while the window is made */
  GPtrArray *lines;            /* of GtkWidget, borrowed: a key or several, and what they do */
} Shortcuts;

static void
shortcuts_free(gpointer data)
{
  Shortcuts *self = data;
  g_ptr_array_unref(self->lines);
  g_free(self);
}

static gboolean
is_type(GtkWidget *widget, const char *name)
{
  return g_str_equal(G_OBJECT_TYPE_NAME(widget), name);
}

/* What a line says may need two. Its keys are labels too, in frames, and stay as they are. */
static void
wrap_text(GtkWidget *widget, const char *title)
{
  if (GTK_IS_LABEL(widget) && g_str_equal(gtk_label_get_text(GTK_LABEL(widget)), title)) {
    gtk_label_set_wrap(GTK_LABEL(widget), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(widget), LINE);
    return;
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    wrap_text(child, title);
}

/* A line that names an action has the action's keys. */
static void
fill_line(Shortcuts *self, GtkWidget *line)
{
  g_autofree char *action = NULL, *title = NULL;
  g_object_get(line, "action-name", &action, "title", &title, NULL);
  if (action && *action) {
    g_auto(GStrv) accels = gtk_application_get_accels_for_action(self->application, action);
    g_autofree char *keys = g_strjoinv(" ", accels);
    g_object_set(line, "accelerator", keys, NULL);
  }
  wrap_text(line, title);
  g_ptr_array_add(self->lines, line);
}

static guint
fill_group(Shortcuts *self, GtkWidget *group)
{
  const guint before = self->lines->len;
  for (GtkWidget *child = gtk_widget_get_first_child(group); child;
       child = gtk_widget_get_next_sibling(child))
    if (is_type(child, "GtkShortcutsShortcut"))
      fill_line(self, child);
  return self->lines->len - before;
}

static guint
count_lines(GtkWidget *groups)
{
  guint n = 0;
  for (GtkWidget *group = gtk_widget_get_first_child(groups); group;
       group = gtk_widget_get_next_sibling(group))
    for (GtkWidget *child = gtk_widget_get_first_child(group); child;
         child = gtk_widget_get_next_sibling(child))
      n++;
  return n;
}

/* Groups in columns of about the same height, one after the other where the window is narrow. */
static GtkWidget *
build_columns(Shortcuts *self)
{
  g_autoptr(GtkBuilder) builder =
      gtk_builder_new_from_resource("/io/github/regard/Regard/shortcuts.ui");
  GtkWidget *groups = GTK_WIDGET(gtk_builder_get_object(builder, "groups"));
  GtkWidget *wrap = regard_wrap_new(36), *columns[N_COLUMNS], *next;
  const guint most = count_lines(groups);
  guint n = 0;
  for (guint i = 0; i < N_COLUMNS; i++) {
    columns[i] = gtk_box_new(GTK_ORIENTATION_VERTICAL, 24);
    gtk_widget_set_valign(columns[i], GTK_ALIGN_START);
    regard_wrap_append(wrap, columns[i]);
  }
  for (GtkWidget *group = gtk_widget_get_first_child(groups); group; group = next) {
    next = gtk_widget_get_next_sibling(group);
    const guint column = MIN(n * N_COLUMNS / MAX(most, 1), N_COLUMNS - 1);
    g_object_ref(group);
    gtk_box_remove(GTK_BOX(groups), group);
    gtk_box_append(GTK_BOX(columns[column]), group);
    g_object_unref(group);
    n += fill_group(self, group) + 1;
  }
  g_object_set(wrap, "margin-start", 24, "margin-end", 24, "margin-top", 12, "margin-bottom", 24,
               NULL);
  return wrap;
}

/* Lines that have the text that is searched for, and groups that have such a line. */
static void
on_search(GtkEditable *entry, Shortcuts *self)
{
  g_autofree char *wanted = g_utf8_casefold(gtk_editable_get_text(entry), -1);
  for (guint i = 0; i < self->lines->len; i++)
    gtk_widget_set_visible(gtk_widget_get_parent(self->lines->pdata[i]), FALSE);
  for (guint i = 0; i < self->lines->len; i++) {
    GtkWidget *line = self->lines->pdata[i];
    g_autofree char *title = NULL;
    g_object_get(line, "title", &title, NULL);
    g_autofree char *folded = g_utf8_casefold(title, -1);
    const gboolean is_found = strstr(folded, wanted) != NULL;
    gtk_widget_set_visible(line, is_found);
    if (is_found)
      gtk_widget_set_visible(gtk_widget_get_parent(line), TRUE);
  }
}

GtkWindow *
regard_shortcuts_new(GtkWindow *parent)
{
  GtkWidget *window = adw_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *header = adw_header_bar_new(), *entry = gtk_search_entry_new();
  GtkWidget *scroller = gtk_scrolled_window_new();
  Shortcuts *self = g_new(Shortcuts, 1);
  *self = (Shortcuts){gtk_window_get_application(parent), g_ptr_array_new()};
  g_object_set_data_full(G_OBJECT(window), "regard-shortcuts", self, shortcuts_free);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), build_columns(self));
  g_object_set(scroller, "vexpand", TRUE, "focusable", TRUE, NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Search the shortcuts"), -1);
  gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(entry), window);
  gtk_widget_set_hexpand(entry, TRUE);
  g_signal_connect(entry, "search-changed", G_CALLBACK(on_search), self);
  adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), entry);
  gtk_box_append(GTK_BOX(box), header);
  gtk_box_append(GTK_BOX(box), scroller);
  adw_window_set_content(ADW_WINDOW(window), box);
  g_object_set(window, "title", _("Keyboard Shortcuts"), "transient-for", parent, "modal", TRUE,
               "destroy-with-parent", TRUE, "default-width",
               MIN(WIDTH, gtk_widget_get_width(GTK_WIDGET(parent))), "default-height",
               MIN(HEIGHT, gtk_widget_get_height(GTK_WIDGET(parent))), NULL);
  GtkEventController *keys = gtk_shortcut_controller_new();
  gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                       gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                                                        gtk_named_action_new("window.close")));
  gtk_widget_add_controller(window, keys);
  gtk_window_set_focus(GTK_WINDOW(window), scroller);
  return GTK_WINDOW(window);
}

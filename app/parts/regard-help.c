/* regard-help.c — windows that the main menu opens: shortcuts, the legend, preferences and About.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Preferences and About are windows, or, as newer releases of libadwaita have them, inside the
 * window: the choice is made when this is compiled. Each older way can go, and its #if with it,
 * when the floor (libadwaita 1.2, GTK 4.8) reaches the release that its #if names. The headers are
 * held to the floor for the whole project, so newer functions would be warned of here.
 *
 * Not chosen: GtkFileDialog (GTK 4.10) opens the same dialog of the desktop as
 * GtkFileChooserNative; AdwSqueezer has no successor that measures what fits (AdwBreakpoint knows
 * only widths); and the window of shortcuts is our own in every release.
 */
#include "parts/regard-help.h"

#include "parts/regard-help-topics.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>
#include <string.h>

/* ==== Preferences and About =================================================================== */

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

void
regard_newer_show_preferences(AdwPreferencesPage *page, GtkWindow *parent)
{
#if ADW_CHECK_VERSION(1, 5, 0)
  AdwDialog *dialog = adw_preferences_dialog_new();
  adw_dialog_set_content_width(dialog, 560);
  adw_dialog_set_content_height(dialog, 620);
  adw_preferences_dialog_add(ADW_PREFERENCES_DIALOG(dialog), page);
  adw_dialog_present(dialog, GTK_WIDGET(parent));
#else
  GtkWidget *window = adw_preferences_window_new();
  g_object_set(window, "transient-for", parent, "modal", TRUE, "search-enabled", FALSE,
               "default-width", 560, "default-height", 620, NULL);
  adw_preferences_window_add(ADW_PREFERENCES_WINDOW(window), page);
  gtk_window_present(GTK_WINDOW(window));
#endif
}

void
regard_newer_show_about(GtkWindow *parent, const char *version, const char *comments,
                        const char *debug_info)
{
#if ADW_CHECK_VERSION(1, 5, 0)
  adw_show_about_dialog(GTK_WIDGET(parent),
#else
  adw_show_about_window(parent,
#endif
                        "application-name", "Regard", "application-icon", "io.github.regard.Regard",
                        "version", version, "developer-name", _("The Regard contributors"),
                        "license-type", GTK_LICENSE_GPL_3_0, "debug-info", debug_info,
                        "debug-info-filename", "regard.txt", "comments", comments, NULL);
}

G_GNUC_END_IGNORE_DEPRECATIONS

/* ==== A window above another one ============================================================== */

GtkWindow *
regard_small_window_new(GtkWindow *parent, const char *title, GtkWidget *title_widget,
                        GtkWidget *content)
{
  GtkWidget *window = adw_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *header = adw_header_bar_new();
  if (title_widget)
    adw_header_bar_set_title_widget(ADW_HEADER_BAR(header), title_widget);
  gtk_widget_set_vexpand(content, TRUE);
  gtk_box_append(GTK_BOX(box), header);
  gtk_box_append(GTK_BOX(box), content);
  adw_window_set_content(ADW_WINDOW(window), box);
  g_object_set(window, "title", title, "transient-for", parent, "modal", TRUE,
               "destroy-with-parent", TRUE, NULL);

  GtkEventController *keys = gtk_shortcut_controller_new();
  gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                       gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                                                        gtk_named_action_new("window.close")));
  gtk_widget_add_controller(window, keys);
  /* A field to search in takes Escape for itself. */
  if (GTK_IS_SEARCH_ENTRY(title_widget))
    g_signal_connect_object(title_widget, "stop-search", G_CALLBACK(gtk_window_close), window,
                            G_CONNECT_SWAPPED);
  return GTK_WINDOW(window);
}

/* ==== What the signs in texts and pictures mean, in a window ================================== */

static GtkWidget *
new_label(const char *text, const char *css)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_yalign(GTK_LABEL(label), 0);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  if (css)
    gtk_widget_add_css_class(label, css);
  return label;
}

/* Signs of a part, below what is there already. */
static void
append_signs(GtkGrid *grid, int *row, const char *part)
{
  guint n;
  const RegardHelpSign *signs = regard_help_signs(&n);
  for (guint i = 0; i < n; i++) {
    if (!g_str_equal(signs[i].part, part))
      continue;
    if (!signs[i].meaning) {
      GtkWidget *heading = new_label(_(signs[i].sign), "heading");
      gtk_widget_set_margin_top(heading, *row ? 10 : 0);
      gtk_grid_attach(grid, heading, 0, (*row)++, 2, 1);
      continue;
    }
    GtkWidget *sign = new_label(_(signs[i].sign), "regard-place");
    GtkWidget *meaning = new_label(_(signs[i].meaning), NULL);
    gtk_label_set_max_width_chars(GTK_LABEL(sign), 17);
    gtk_widget_set_hexpand(meaning, TRUE);
    gtk_grid_attach(grid, sign, 0, *row, 1, 1);
    gtk_grid_attach(grid, meaning, 1, (*row)++, 1, 1);
  }
}

GtkWindow *
regard_legend_new(GtkWindow *parent, const char *const *parts)
{
  GtkWidget *scroller = gtk_scrolled_window_new(), *grid = gtk_grid_new();
  int row = 0;
  g_object_set(grid, "column-spacing", 18, "row-spacing", 8, "margin-start", 20, "margin-end", 20,
               "margin-bottom", 20, "margin-top", 6, NULL);
  for (; *parts; parts++)
    append_signs(GTK_GRID(grid), &row, *parts);
  append_signs(GTK_GRID(grid), &row, "");
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), grid);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "focusable", TRUE, NULL);
  regard_accessible_set_label(scroller, _("Signs and what they mean"));
  GtkWindow *window = regard_small_window_new(parent, _("Reading the Picture"), NULL, scroller);
  gtk_window_set_default_size(window, 580, 600);
  gtk_window_set_focus(window, scroller); /* which the arrow keys then scroll */
  return window;
}

/* ==== All keys in a window that fits any screen ==================================================
 *
 * GTK's window of shortcuts is as wide as its longest lines in all columns, and grows with the
 * letters, until its close button is beyond the screen. Here the groups of the same list
 * (help-overlay.ui) stand in two columns or one, their lines wrap, and what has no room is
 * scrolled.
 */

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
  GtkWidget *entry = gtk_search_entry_new(), *scroller = gtk_scrolled_window_new();
  GtkWindow *window = regard_small_window_new(parent, _("Keyboard Shortcuts"), entry, scroller);
  Shortcuts *self = g_new(Shortcuts, 1);
  *self = (Shortcuts){gtk_window_get_application(parent), g_ptr_array_new()};
  g_object_set_data_full(G_OBJECT(window), "regard-shortcuts", self, shortcuts_free);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), build_columns(self));
  gtk_widget_set_focusable(scroller, TRUE);
  regard_accessible_set_label(entry, _("Search the shortcuts"));
  gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(entry), GTK_WIDGET(window));
  gtk_widget_set_hexpand(entry, TRUE);
  g_signal_connect(entry, "search-changed", G_CALLBACK(on_search), self);
  gtk_window_set_default_size(window, MIN(WIDTH, gtk_widget_get_width(GTK_WIDGET(parent))),
                              MIN(HEIGHT, gtk_widget_get_height(GTK_WIDGET(parent))));
  gtk_window_set_focus(window, scroller);
  return window;
}

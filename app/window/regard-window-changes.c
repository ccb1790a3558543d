/* regard-window-changes.c — heads switched off and on again, and that the window says so.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-changes-dialog.h"
#include "window/regard-window-private.h"

#include "figures/regard-naming.h"
#include <glib/gi18n.h>

/* What a head that is switched off does, as a change says it. */
#define OFF "zero"

static void
switch_head(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  g_autofree char *line =
      g_strdup_printf("%s %u.%u " OFF, regard_kind_id(regard_selection_get_kind(self->selection)),
                      regard_selection_get_layer(self->selection) + 1,
                      regard_selection_get_head(self->selection) + 1);
  regard_document_toggle_change(self->document, line);
}

static void
reset_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_set_changes(REGARD_WINDOW(widget)->document, NULL);
}

/* One more line, or without it. */
static void
toggle_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_toggle_change(REGARD_WINDOW(widget)->document,
                                g_variant_get_string(parameter, NULL));
}

static void
keep_reference(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_keep_reference(REGARD_WINDOW(widget)->document);
}

static void
drop_reference(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_drop_reference(REGARD_WINDOW(widget)->document);
}

/* From one side to the next. */
static void
compare(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardDocument *document = REGARD_WINDOW(widget)->document;
  const guint n = REGARD_COMPARE_DIFFERENCE + 1;
  regard_document_set_compare(document,
                              (RegardCompare) ((regard_document_get_compare(document) + 1) % n));
}

static void
edit_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardChangesDialog *dialog =
      regard_changes_dialog_new(GTK_WINDOW(widget), REGARD_WINDOW(widget)->document);
  gtk_window_present(GTK_WINDOW(dialog));
}

void
regard_window_install_change_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.toggle-change", "s", toggle_change);
  gtk_widget_class_install_action(klass, "win.edit-changes", NULL, edit_changes);
  gtk_widget_class_install_action(klass, "win.keep-reference", NULL, keep_reference);
  gtk_widget_class_install_action(klass, "win.drop-reference", NULL, drop_reference);
  gtk_widget_class_install_action(klass, "win.compare", NULL, compare);
  gtk_widget_class_install_action(klass, "win.switch-head", NULL, switch_head);
  gtk_widget_class_install_action(klass, "win.reset-changes", NULL, reset_changes);
}

/* The title. Of a file its own badges say what was changed. */
static void
update(RegardWindow *self)
{
  const mt_changes *changes = regard_document_get_changes(self->document);
  gboolean shows_file = regard_document_get_foreign(self->document) != NULL;
  guint n = shows_file ? 0 : (guint) mt_changes_count(changes);
  gboolean has_head = regard_selection_get_capture(self->selection) && !shows_file;
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.switch-head", has_head);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.toggle-change", has_head);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.edit-changes", !shows_file);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.reset-changes", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.keep-reference", has_head);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.drop-reference",
                                regard_document_get_reference(self->document) != NULL);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.compare",
                                regard_document_can_compare(self->document));
  g_autofree char *count = g_strdup_printf(ngettext("%u change", "%u changes", n), n);
  g_autofree char *title = n ? g_strdup_printf(_("Regard – %s"), count) : g_strdup(_("Regard"));
  gtk_window_set_title(GTK_WINDOW(self), title);
  adw_window_title_set_subtitle(self->title, n ? count : "");
}

void
regard_window_observe_changes(RegardWindow *self)
{
  static const char *const observed[] = {"notify::changes", "notify::foreign", "notify::reference"};
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i], G_CALLBACK(update), self,
                            G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::capture", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  update(self);
}

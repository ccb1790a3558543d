/* regard-window-changes.c — heads switched off and on again, and that the window says so.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-changes-dialog.h"
#include "window/regard-window-private.h"

#include "figures/regard-naming.h"
#include "parts/regard-toast.h"
#include <glib/gi18n.h>

/* What cannot be made says so, with its row and word; nothing has changed then. */
static void
edit(RegardWindow *self, const char *line, RegardChangeEdit how)
{
  g_autoptr(GError) error = NULL;
  if (!regard_document_edit_changes(self->document, line, how, &error))
    regard_toast(GTK_WIDGET(self), error->message);
}

/* The head that is looked at, its layer, or its number in all layers; as the action is called. */
static void
switch_heads(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *kind = regard_kind_id(regard_selection_get_kind(self->selection));
  const guint layer = regard_selection_get_layer(self->selection) + 1,
              head = regard_selection_get_head(self->selection) + 1;
  g_autofree char *line = g_str_equal(name, "win.switch-layer")
                              ? g_strdup_printf("%s %u.* zero", kind, layer)
                          : g_str_equal(name, "win.switch-column")
                              ? g_strdup_printf("%s *.%u zero", kind, head)
                              : g_strdup_printf("%s %u.%u zero", kind, layer, head);
  edit(self, line, REGARD_CHANGE_TOGGLE);
}

/* What a widget has to say. */
static void
say(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_toast(widget, g_variant_get_string(parameter, NULL));
}

static void
reset_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_set_changes(REGARD_WINDOW(widget)->document, NULL);
}

/* A line made, in the place of what was done to the same; taken back; or switched. */
static void
make_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  edit(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL), REGARD_CHANGE_MAKE);
}

static void
restore_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  edit(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL), REGARD_CHANGE_RESTORE);
}

static void
toggle_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  edit(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL), REGARD_CHANGE_TOGGLE);
}

/* Of a drag, with its number: all of them are one step of the history. */
static void
drag_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *line;
  guint64 gesture;
  g_variant_get(parameter, "(&st)", &line, &gesture);
  regard_document_set_gesture(self->document, gesture);
  edit(self, line, REGARD_CHANGE_MAKE);
  regard_document_set_gesture(self->document, 0);
}

/* ---- As text -----------------------------------------------------------------------------------
 */

static void
copy_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  const mt_changes *changes = regard_document_get_changes(REGARD_WINDOW(widget)->document);
  const guint n = (guint) mt_changes_count(changes);
  g_autofree char *said =
      g_strdup_printf(ngettext("%u change copied as text", "%u changes copied as text", n), n);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), mt_changes_text(changes));
  regard_toast(widget, said);
}

static void
on_pasted(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  g_autofree char *stripped = text ? g_strstrip(g_strdup(text)) : NULL;
  if (!regard_document_get_model(self->document)) /* closed meanwhile */
    return;
  if (!stripped || !*stripped)
    regard_toast(GTK_WIDGET(self), _("There is no text on the clipboard"));
  else if (!regard_document_set_changes_text(self->document, stripped, &error)) {
    g_autofree char *said =
        g_strdup_printf(_("What was copied are no changes: %s"), error->message);
    regard_toast(GTK_WIDGET(self), said);
  }
}

static void
paste_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(widget), NULL, on_pasted,
                                g_object_ref(widget));
}

/* ---- The reference -----------------------------------------------------------------------------
 */

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

static void
show_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_changes_bar_open(REGARD_WINDOW(widget)->changes_bar);
}

void
regard_window_install_change_actions(GtkWidgetClass *klass)
{
  static const struct {
    const char *name, *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
      {"win.switch-head", NULL, switch_heads},
      {"win.switch-layer", NULL, switch_heads},
      {"win.switch-column", NULL, switch_heads},
      {"win.make-change", "s", make_change},
      {"win.make-mean", "s", make_change},
      {"win.restore-change", "s", restore_change},
      {"win.toggle-change", "s", toggle_change},
      {"win.drag-change", "(st)", drag_change},
      {"win.reset-changes", NULL, reset_changes},
      {"win.show-changes", NULL, show_changes},
      {"win.edit-changes", NULL, edit_changes},
      {"win.copy-changes", NULL, copy_changes},
      {"win.paste-changes", NULL, paste_changes},
      {"win.keep-reference", NULL, keep_reference},
      {"win.say", "s", say},
      {"win.drop-reference", NULL, drop_reference},
      {"win.compare", NULL, compare},
  };
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
    gtk_widget_class_install_action(klass, actions[i].name, actions[i].parameter,
                                    actions[i].activate);
}

/* What can be done, the rows about it, and the title. */
void
regard_window_update_changes(RegardWindow *self)
{
  const mt_changes *changes = regard_document_get_changes(self->document);
  gboolean shows_file = regard_document_get_foreign(self->document) != NULL;
  guint n = shows_file ? 0 : (guint) mt_changes_count(changes);
  gboolean has_head = regard_selection_get_capture(self->selection) && !shows_file;
  static const char *const of_heads[] = {"win.switch-head",   "win.switch-layer",
                                         "win.switch-column", "win.make-change",
                                         "win.drag-change",   "win.restore-change",
                                         "win.toggle-change"},
                           *const always[] = {"win.edit-changes", "win.show-changes",
                                              "win.paste-changes"};
  for (guint i = 0; i < G_N_ELEMENTS(of_heads); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), of_heads[i], has_head);
  for (guint i = 0; i < G_N_ELEMENTS(always); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), always[i], !shows_file);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.make-mean",
                                has_head && regard_document_get_means(self->document, NULL));
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.copy-changes", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.reset-changes", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.keep-reference", has_head);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.drop-reference",
                                regard_document_get_reference(self->document) != NULL);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.compare",
                                regard_document_can_compare(self->document));
  /* For a room there is no room for what is as it was. */
  gtk_widget_set_visible(self->changes_row, !self->is_presenting || n > 0 ||
                                                regard_document_can_compare(self->document));
  regard_window_update_title(self);
}

void
regard_window_observe_changes(RegardWindow *self)
{
  static const char *const observed[] = {"changed::changes", "changed::foreign",
                                         "changed::reference", "changed::model"};
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i], G_CALLBACK(regard_window_update_changes),
                            self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::capture",
                          G_CALLBACK(regard_window_update_changes), self, G_CONNECT_SWAPPED);
  regard_window_update_changes(self);
}

/* regard-log-dialog.c — the log of a window, to be read, copied and saved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-log-dialog.h"

#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

struct _RegardLogDialog {
  AdwWindow parent_instance;
  RegardLog *log;
  GtkWidget *view, *copy;
  guint update_idle; /* several entries come at once */
};

G_DEFINE_FINAL_TYPE(RegardLogDialog, regard_log_dialog, ADW_TYPE_WINDOW)

/* Whoever reads the newest entry sees the next one, too. */
static gboolean
update(gpointer data)
{
  RegardLogDialog *self = data;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(self->view));
  GtkAdjustment *scrolled = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(self->view));
  const double from_end = gtk_adjustment_get_upper(scrolled) -
                          gtk_adjustment_get_page_size(scrolled) -
                          gtk_adjustment_get_value(scrolled);
  self->update_idle = 0; /* what settles now comes after this */
  g_autofree char *text = regard_log_dup_markdown(self->log);
  GtkTextIter at;
  gtk_text_buffer_get_iter_at_mark(buffer, &at, gtk_text_buffer_get_insert(buffer));
  const int place = gtk_text_iter_get_offset(&at);
  gtk_text_buffer_set_text(buffer, text, -1);
  if (from_end < 1)
    gtk_text_buffer_get_end_iter(buffer, &at);
  else
    gtk_text_buffer_get_iter_at_offset(buffer, &at, place);
  gtk_text_buffer_place_cursor(buffer, &at);
  if (from_end < 1)
    gtk_text_view_scroll_mark_onscreen(GTK_TEXT_VIEW(self->view),
                                       gtk_text_buffer_get_insert(buffer));
  return G_SOURCE_REMOVE;
}

static void
on_changed(RegardLogDialog *self)
{
  if (!self->update_idle)
    self->update_idle = g_idle_add(update, self);
}

static void
on_copy(RegardLogDialog *self)
{
  g_autofree char *text = regard_log_dup_markdown(self->log);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
  gtk_button_set_label(GTK_BUTTON(self->copy), _("Copied"));
}

static void
on_save(RegardLogDialog *self)
{
  GtkWindow *parent = gtk_window_get_transient_for(GTK_WINDOW(self));
  if (parent)
    gtk_widget_activate_action(GTK_WIDGET(parent), "win.save-log", NULL);
}

static void
regard_log_dialog_dispose(GObject *object)
{
  RegardLogDialog *self = REGARD_LOG_DIALOG(object);
  g_clear_handle_id(&self->update_idle, g_source_remove);
  g_clear_object(&self->log);
  G_OBJECT_CLASS(regard_log_dialog_parent_class)->dispose(object);
}

static void
regard_log_dialog_class_init(RegardLogDialogClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_log_dialog_dispose;
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close",
                                      NULL);
}

static GtkWidget *
build_text(RegardLogDialog *self)
{
  GtkWidget *view = gtk_text_view_new(), *scroller = gtk_scrolled_window_new();
  self->view = view;
  gtk_text_view_set_editable(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_view_set_cursor_visible(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_view_set_monospace(GTK_TEXT_VIEW(view), TRUE);
  gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_top_margin(GTK_TEXT_VIEW(view), 12);
  gtk_text_view_set_bottom_margin(GTK_TEXT_VIEW(view), 12);
  gtk_text_view_set_left_margin(GTK_TEXT_VIEW(view), 12);
  gtk_text_view_set_right_margin(GTK_TEXT_VIEW(view), 12);
  regard_accessible_set_label(view, _("What was done in this window, as Markdown"));
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), view);
  gtk_widget_set_vexpand(scroller, TRUE);
  return scroller;
}

static void
regard_log_dialog_init(RegardLogDialog *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *bar = adw_header_bar_new(),
            *save = gtk_button_new_with_mnemonic(_("_Save…"));
  self->copy = gtk_button_new_with_label(_("Copy"));
  g_signal_connect_swapped(self->copy, "clicked", G_CALLBACK(on_copy), self);
  g_signal_connect_swapped(save, "clicked", G_CALLBACK(on_save), self);
  gtk_widget_add_css_class(save, "suggested-action");
  adw_header_bar_pack_start(ADW_HEADER_BAR(bar), self->copy);
  adw_header_bar_pack_end(ADW_HEADER_BAR(bar), save);
  gtk_box_append(GTK_BOX(box), bar);
  gtk_box_append(GTK_BOX(box), build_text(self));
  adw_window_set_content(ADW_WINDOW(self), box);
  gtk_window_set_title(GTK_WINDOW(self), _("Session Log"));
  gtk_window_set_default_size(GTK_WINDOW(self), 760, 560);
  gtk_window_set_focus(GTK_WINDOW(self), self->view);
}

RegardLogDialog *
regard_log_dialog_new(GtkWindow *parent, RegardLog *log)
{
  RegardLogDialog *self = g_object_new(REGARD_TYPE_LOG_DIALOG, "transient-for", parent, NULL);
  self->log = g_object_ref(log);
  regard_observe(log, self, on_changed, "changed");
  update(self);
  return self;
}

/* regard-slide-editor.c — the words of a slide in a dialog.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "talk/regard-slide-editor.h"

#include "widgets/regard-gtk.h"

#include <adwaita.h>
#include <glib/gi18n.h>

typedef struct {
  GtkWindow *window;
  guint slide;
  GtkEditable *title;
  GtkTextBuffer *text, *notes;
  GtkLabel *error;
  RegardSlideEdited edited;
  gpointer user;
} Editor;

static char *
dup_text(GtkTextBuffer *buffer)
{
  GtkTextIter begin, end;
  gtk_text_buffer_get_bounds(buffer, &begin, &end);
  return gtk_text_buffer_get_text(buffer, &begin, &end, FALSE);
}

static void
save(Editor *self)
{
  g_autofree char *text = dup_text(self->text), *notes = dup_text(self->notes);
  g_autoptr(GError) error = NULL;
  if (self->edited(self->user, self->slide, gtk_editable_get_text(self->title), text, notes,
                   &error)) {
    gtk_window_close(self->window);
    return;
  }
  gtk_label_set_label(self->error, error->message);
  gtk_widget_set_visible(GTK_WIDGET(self->error), TRUE);
}

static gboolean
on_key(Editor *self, guint keyval, guint keycode, GdkModifierType state)
{
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  if (keyval == GDK_KEY_Escape && !modifiers) {
    gtk_window_close(self->window);
    return TRUE;
  }
  if (regard_plain_key(keyval) != GDK_KEY_Return || modifiers != GDK_CONTROL_MASK)
    return FALSE;
  save(self);
  return TRUE;
}

/* A field of several lines below its name. */
static GtkTextBuffer *
add_field(GtkWidget *box, const char *name, const char *text, int height)
{
  GtkWidget *view = gtk_text_view_new(), *scroller = gtk_scrolled_window_new();
  GtkWidget *label = gtk_label_new_with_mnemonic(name);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), view);
  gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), text, -1);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), view);
  gtk_scrolled_window_set_min_content_height(GTK_SCROLLED_WINDOW(scroller), height);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_add_css_class(scroller, "talk-field");
  gtk_accessible_update_relation(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label,
                                 NULL, -1);
  regard_box_append(box, label, scroller, NULL);
  return gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
}

static GtkWidget *
new_header(Editor *self)
{
  GtkWidget *header = adw_header_bar_new();
  GtkWidget *cancel = gtk_button_new_with_mnemonic(_("_Cancel"));
  GtkWidget *done = gtk_button_new_with_mnemonic(_("_Save"));
  adw_header_bar_set_show_start_title_buttons(ADW_HEADER_BAR(header), FALSE);
  adw_header_bar_set_show_end_title_buttons(ADW_HEADER_BAR(header), FALSE);
  gtk_widget_add_css_class(done, "suggested-action");
  gtk_widget_set_tooltip_text(done, _("Keep these words (Ctrl+Enter)"));
  g_signal_connect_swapped(cancel, "clicked", G_CALLBACK(gtk_window_close), self->window);
  g_signal_connect_swapped(done, "clicked", G_CALLBACK(save), self);
  adw_header_bar_pack_start(ADW_HEADER_BAR(header), cancel);
  adw_header_bar_pack_end(ADW_HEADER_BAR(header), done);
  return header;
}

GtkWindow *
regard_slide_editor_open(GtkWindow *parent, const RegardTalk *talk, guint slide,
                         RegardSlideEdited edited, gpointer user)
{
  const RegardLessonStep *step = regard_talk_slide(talk, slide);
  g_autofree char *name = g_strdup_printf(_("Slide %u"), slide + 1);
  g_autofree char *text = regard_talk_dup_text(step), *notes = regard_talk_dup_notes(step);
  GtkWidget *window =
      g_object_new(ADW_TYPE_WINDOW, "title", name, "transient-for", parent, "modal", TRUE,
                   "destroy-with-parent", TRUE, "default-width", 520, "default-height", 480, NULL);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *label = gtk_label_new_with_mnemonic(_("_Title")), *entry = gtk_entry_new();
  Editor *self = g_new0(Editor, 1);
  *self = (Editor){.window = GTK_WINDOW(window),
                   .slide = slide,
                   .title = GTK_EDITABLE(entry),
                   .edited = edited,
                   .user = user};
  g_object_set_data_full(G_OBJECT(window), "editor", self, g_free);
  gtk_editable_set_text(self->title, step->title);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), entry);
  gtk_accessible_update_relation(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label,
                                 NULL, -1);
  g_signal_connect_swapped(entry, "activate", G_CALLBACK(save), self);
  regard_box_append(content, label, entry, NULL);
  self->text = add_field(content, _("Te_xt, of which the room reads the beginning"), text, 60);
  self->notes = add_field(content, _("_Notes, for the speaker"), notes, 120);
  self->error = GTK_LABEL(regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "error"));
  gtk_widget_set_visible(GTK_WIDGET(self->error), FALSE);
  gtk_box_append(GTK_BOX(content), GTK_WIDGET(self->error));
  gtk_widget_add_css_class(content, "talk-editor");
  regard_box_append(box, new_header(self), content, NULL);
  adw_window_set_content(ADW_WINDOW(window), box);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(window, keys);
  gtk_window_present(GTK_WINDOW(window));
  gtk_widget_grab_focus(entry);
  return GTK_WINDOW(window);
}

/* regard-interventions-dialog.c — what is changed in the model, as a text that can be edited: every
 * kind of change that there is, a line each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-interventions-dialog.h"

#include "runner/regard-failure.h"
#include <glib/gi18n.h>

/* So long after the last key the text is read. */
#define REST_MS 250

struct _RegardInterventionsDialog {
  AdwWindow parent_instance;
  RegardDocument *document;
  GtkTextBuffer *buffer;
  GtkWidget *message;
  guint timeout;
  gboolean is_setting; /* the program changes the text, not the person */
};

G_DEFINE_FINAL_TYPE(RegardInterventionsDialog, regard_interventions_dialog, ADW_TYPE_WINDOW)

/* A line of each sort, to be copied and changed. */
static const char *const examples[] = {
    "cross 4.1 zero",
    "encoder *.3 uniform",
    "decoder 2.* scale 0.5",
    "cross 5.2 previous",
    "cross 4.1 query 3 key 5 set 0.9",
    "encoder window 2",
    "source 5 hide",
    "source position 3 swap 7",
    "cross attention 6 skip",
    "encoder layer 2 swap 4",
};

static char *
dup_text(RegardInterventionsDialog *self)
{
  GtkTextIter start, end;
  gtk_text_buffer_get_bounds(self->buffer, &start, &end);
  return gtk_text_buffer_get_text(self->buffer, &start, &end, FALSE);
}

static void
say(RegardInterventionsDialog *self, const char *text, gboolean is_wrong)
{
  gtk_label_set_text(GTK_LABEL(self->message), text);
  if (is_wrong)
    gtk_widget_add_css_class(self->message, "error");
  else
    gtk_widget_remove_css_class(self->message, "error");
}

/* What can be read, and the model has, is made; else what is there stays as it is. */
static void
apply(RegardInterventionsDialog *self)
{
  g_autofree char *text = dup_text(self);
  mt_model *model = regard_document_get_model(self->document);
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = mt_interventions_parse(_("Changes"), text, &error);
  const guint n = (guint) mt_interventions_count(interventions);
  g_autofree char *done = g_strdup_printf(ngettext("%u change", "%u changes", n), n);
  if (!interventions ||
      (model && !mt_interventions_check(interventions, mt_model_config(model), &error))) {
    g_autofree char *said = regard_failure_say(&error);
    say(self, said, TRUE);
  } else {
    self->is_setting = TRUE;
    regard_document_set_interventions(self->document, n ? interventions : NULL);
    self->is_setting = FALSE;
    say(self, done, FALSE);
  }
}

static gboolean
on_rest(gpointer data)
{
  RegardInterventionsDialog *self = data;
  self->timeout = 0;
  apply(self);
  return G_SOURCE_REMOVE;
}

static void
on_edited(RegardInterventionsDialog *self)
{
  if (self->is_setting)
    return;
  g_clear_handle_id(&self->timeout, g_source_remove);
  self->timeout = g_timeout_add(REST_MS, on_rest, self);
}

/* By undo, or a switch, while this is open. */
static void
on_changes(RegardInterventionsDialog *self)
{
  if (self->is_setting)
    return;
  g_clear_handle_id(&self->timeout, g_source_remove);
  self->is_setting = TRUE;
  gtk_text_buffer_set_text(self->buffer,
                           mt_interventions_text(
                               regard_document_get_search(self->document)->interventions),
                           -1);
  self->is_setting = FALSE;
  apply(self);
}

static void
regard_interventions_dialog_dispose(GObject *object)
{
  RegardInterventionsDialog *self = REGARD_INTERVENTIONS_DIALOG(object);
  g_clear_handle_id(&self->timeout, g_source_remove);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_interventions_dialog_parent_class)->dispose(object);
}

static void
regard_interventions_dialog_class_init(RegardInterventionsDialogClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_interventions_dialog_dispose;
  gtk_widget_class_add_binding_action(GTK_WIDGET_CLASS(klass), GDK_KEY_Escape, 0, "window.close",
                                      NULL);
}

static GtkWidget *
build_text(RegardInterventionsDialog *self)
{
  GtkWidget *view = gtk_text_view_new(), *scroller = gtk_scrolled_window_new();
  self->buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
  gtk_text_view_set_monospace(GTK_TEXT_VIEW(view), TRUE);
  gtk_text_view_set_accepts_tab(GTK_TEXT_VIEW(view), FALSE);
  gtk_text_view_set_top_margin(GTK_TEXT_VIEW(view), 8);
  gtk_text_view_set_left_margin(GTK_TEXT_VIEW(view), 8);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Changes in the model, one a line"), -1);
  g_signal_connect_swapped(self->buffer, "changed", G_CALLBACK(on_edited), self);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), view);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_add_css_class(scroller, "card");
  return scroller;
}

static GtkWidget *
build_label(const char *text, const char *css)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_widget_add_css_class(label, css);
  return label;
}

static void
regard_interventions_dialog_init(RegardInterventionsDialog *self)
{
  GtkWidget *outer = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *bar = adw_header_bar_new(),
            *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8), *lines;
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(examples); i++)
    g_string_append_printf(text, "%s%s", i ? "\n" : "", examples[i]);
  lines = build_label(text->str, "monospace");
  gtk_label_set_selectable(GTK_LABEL(lines), TRUE);
  gtk_widget_set_can_focus(lines, FALSE);
  gtk_widget_add_css_class(lines, "dim-label");
  self->message = build_label("", "caption");
  gtk_box_append(GTK_BOX(box), build_text(self));
  gtk_box_append(GTK_BOX(box), self->message);
  gtk_box_append(GTK_BOX(box),
                 build_label(_("Such as these; the manual of regard-cli has all:"), "caption"));
  gtk_box_append(GTK_BOX(box), lines);
  gtk_widget_set_margin_top(box, 12);
  gtk_widget_set_margin_bottom(box, 12);
  gtk_widget_set_margin_start(box, 12);
  gtk_widget_set_margin_end(box, 12);
  gtk_box_append(GTK_BOX(outer), bar);
  gtk_box_append(GTK_BOX(outer), box);
  adw_window_set_content(ADW_WINDOW(self), outer);
  gtk_window_set_title(GTK_WINDOW(self), _("Changes in the Model"));
  gtk_window_set_default_size(GTK_WINDOW(self), 460, 480);
}

RegardInterventionsDialog *
regard_interventions_dialog_new(GtkWindow *parent, RegardDocument *document)
{
  RegardInterventionsDialog *self =
      g_object_new(REGARD_TYPE_INTERVENTIONS_DIALOG, "transient-for", parent, NULL);
  self->document = g_object_ref(document);
  regard_observe(document, self, on_changes, "changed::changes");
  on_changes(self);
  return self;
}

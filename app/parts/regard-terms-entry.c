/* regard-terms-entry.c — see regard-terms-entry.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-terms-entry.h"

#include <glib/gi18n.h>

struct _RegardTermsEntry {
  GtkBox parent_instance;
  RegardDocument *document;
  GtkWidget *entry, *problem;
};

G_DEFINE_FINAL_TYPE(RegardTermsEntry, regard_terms_entry, GTK_TYPE_BOX)

GtkEditable *
regard_terms_entry_get_editable(RegardTermsEntry *self)
{
  return GTK_EDITABLE(self->entry);
}

/* What is wrong with what stands there; NULL: nothing. */
static void
show_problem(RegardTermsEntry *self, const char *problem)
{
  gtk_label_set_text(GTK_LABEL(self->problem), problem ? problem : "");
  gtk_widget_set_visible(self->problem, problem != NULL);
  gtk_accessible_update_state(GTK_ACCESSIBLE(self->entry), GTK_ACCESSIBLE_STATE_INVALID,
                              problem ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE,
                              -1);
  if (problem)
    gtk_widget_add_css_class(self->entry, "error");
  else
    gtk_widget_remove_css_class(self->entry, "error");
}

/* What the sentence has that is looked at. */
static void
fill(RegardTermsEntry *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  g_autofree char *terms = regard_document_dup_terms(self->document);
  if (g_strcmp0(gtk_editable_get_text(GTK_EDITABLE(self->entry)), terms) != 0)
    gtk_editable_set_text(GTK_EDITABLE(self->entry), terms);
  gtk_widget_set_sensitive(self->entry, result && result->active >= 0 &&
                                            !regard_document_get_foreign(self->document));
  show_problem(self, NULL);
}

/* Not while it is typed: half a word is another term. */
static void
apply(RegardTermsEntry *self)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *terms = regard_document_dup_terms(self->document);
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->entry));
  if (g_strcmp0(text, terms) == 0)
    show_problem(self, NULL);
  else if (regard_document_want_terms(self->document, text, &error))
    fill(self);
  else
    show_problem(self, error->message);
}

/* A sentence, its terms, or a file is another one; what is being typed stays. */
static void
on_document(RegardTermsEntry *self)
{
  if (!gtk_widget_has_focus(GTK_WIDGET(gtk_editable_get_delegate(GTK_EDITABLE(self->entry)))))
    fill(self);
}

static void
regard_terms_entry_map(GtkWidget *widget)
{
  fill(REGARD_TERMS_ENTRY(widget));
  GTK_WIDGET_CLASS(regard_terms_entry_parent_class)->map(widget);
}

static void
regard_terms_entry_finalize(GObject *object)
{
  g_clear_object(&REGARD_TERMS_ENTRY(object)->document);
  G_OBJECT_CLASS(regard_terms_entry_parent_class)->finalize(object);
}

static void
regard_terms_entry_class_init(RegardTermsEntryClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_terms_entry_finalize;
  GTK_WIDGET_CLASS(klass)->map = regard_terms_entry_map;
}

static void
regard_terms_entry_init(RegardTermsEntry *self)
{
  GtkWidget *label = gtk_label_new_with_mnemonic(_("Must _Have"));
  GtkEventController *focus = gtk_event_controller_focus_new();
  self->entry = gtk_entry_new();
  self->problem = gtk_label_new(NULL);
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 4);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), self->entry);
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->entry), _("Words, with commas between"));
  gtk_editable_set_width_chars(GTK_EDITABLE(self->entry), 12);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 _("Words that the translation of this sentence has somewhere"),
                                 -1);
  gtk_widget_set_tooltip_text(self->entry,
                              _("Words that the translation of this sentence has somewhere; Enter"
                                " asks for them"));
  gtk_label_set_wrap(GTK_LABEL(self->problem), TRUE);
  gtk_label_set_xalign(GTK_LABEL(self->problem), 0);
  gtk_label_set_max_width_chars(GTK_LABEL(self->problem), 28);
  gtk_widget_add_css_class(self->problem, "error");
  gtk_widget_set_visible(self->problem, FALSE);
  gtk_box_append(GTK_BOX(self), label);
  gtk_box_append(GTK_BOX(self), self->entry);
  gtk_box_append(GTK_BOX(self), self->problem);
  g_signal_connect_swapped(self->entry, "activate", G_CALLBACK(apply), self);
  gtk_event_controller_set_name(focus, "left");
  g_signal_connect_swapped(focus, "leave", G_CALLBACK(apply), self);
  gtk_widget_add_controller(self->entry, focus);
}

GtkWidget *
regard_terms_entry_new(RegardDocument *document)
{
  RegardTermsEntry *self = g_object_new(REGARD_TYPE_TERMS_ENTRY, NULL);
  self->document = g_object_ref(document);
  g_signal_connect_object(document, "changed::result", G_CALLBACK(on_document), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "changed::constraints", G_CALLBACK(on_document), self,
                          G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}

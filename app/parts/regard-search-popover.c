/* regard-search-popover.c — how the translation is searched for, one row for each setting.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-search-popover.h"

#include "base/regard-settings.h"
#include "base/regard-template.h"
#include "document/regard-overrides.h"
#include "widgets/regard-gtk.h"
#include <glib/gi18n.h>
#include <math.h>

/* ==== Where terms that the translation must have are typed ==================================== */

struct _RegardTermsEntry {
  GtkBox parent_instance;
  RegardDocument *document;
  GtkWidget *entry, *problem;
};

G_DEFINE_FINAL_TYPE(RegardTermsEntry, regard_terms_entry, GTK_TYPE_BOX)

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
  g_autofree char *terms =
      regard_constraints_dup_terms(regard_document_get_constraints(self->document),
                                   regard_document_get_model(self->document));
  if (g_strcmp0(gtk_editable_get_text(GTK_EDITABLE(self->entry)), terms) != 0)
    gtk_editable_set_text(GTK_EDITABLE(self->entry), terms);
  gtk_widget_set_sensitive(self->entry, result && result->active >= 0 &&
                                            !regard_document_get_imported_capture(self->document));
  show_problem(self, NULL);
}

/* Not while it is typed: half a word is another term. */
static void
apply(RegardTermsEntry *self)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *terms =
      regard_constraints_dup_terms(regard_document_get_constraints(self->document),
                                   regard_document_get_model(self->document));
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

/* A reference is taken. */
static GtkWidget *
regard_terms_entry_new(RegardDocument *document)
{
  RegardTermsEntry *self = g_object_new(REGARD_TYPE_TERMS_ENTRY, NULL);
  self->document = g_object_ref(document);
  regard_observe(document, self, on_document, "changed::result", "changed::constraints");
  return GTK_WIDGET(self);
}

/* ==== How the translation is searched for, one row for each setting =========================== */

/* One row of the settings of a search. */
typedef struct {
  gsize row;
  GtkSpinButton *spin;
} Setting;

struct _RegardSearchPopover {
  GtkPopover parent_instance;
  GtkBox *box;
  GtkGrid *grid;
  GtkWidget *reset;
  GArray *shown; /* of Setting */
  GSettings *settings;
  RegardDocument *document;
  mt_search_params defaults;
  guint most;           /* positions of the model */
  gboolean is_updating; /* the settings move the numbers, not the person */
};

G_DEFINE_FINAL_TYPE(RegardSearchPopover, regard_search_popover, GTK_TYPE_POPOVER)

enum { PROP_SUMMARY = 1, N_PROPS };
static GParamSpec *props[N_PROPS];

static guint
effective_beam(RegardSearchPopover *self)
{
  mt_request request = {0};
  regard_request_load(self->settings, &request);
  g_strlcpy(request.task, regard_document_get_search(self->document)->task, sizeof request.task);
  mt_request_set_constraints(&request, regard_document_get_constraints(self->document));
  const guint beam =
      (guint) mt_request_resolve(&request, regard_document_get_model(self->document)).beam_size;
  mt_request_clear(&request);
  return beam;
}

static void
update(RegardSearchPopover *self)
{
  gboolean is_own = FALSE;
  self->is_updating = TRUE;
  for (guint i = 0; i < self->shown->len; i++) {
    const Setting *setting = &g_array_index(self->shown, Setting, i);
    const mt_search_field *field = mt_search_field_at(setting->row);
    double value = mt_search_params_get(&self->defaults, setting->row);
    if (regard_request_get_kept(self->settings, setting->row, &value))
      is_own = TRUE;
    if (field->is_length)
      gtk_spin_button_set_range(setting->spin, field->shown.least, self->most);
    gtk_spin_button_set_value(setting->spin, value);
  }
  gtk_widget_set_sensitive(self->reset, is_own);
  self->is_updating = FALSE;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_SUMMARY]);
}

/* Only what differs from the model's own is remembered, so that another model keeps its own. */
static void
on_changed(GtkSpinButton *spin, RegardSearchPopover *self)
{
  if (self->is_updating)
    return;
  for (guint i = 0; i < self->shown->len; i++) {
    const Setting *setting = &g_array_index(self->shown, Setting, i);
    if (setting->spin != spin)
      continue;
    double value = gtk_spin_button_get_value(spin);
    double own = mt_search_params_get(&self->defaults, setting->row);
    double least = 0.5 * pow(10, -(double) mt_search_field_at(setting->row)->digits);
    regard_request_keep(self->settings, setting->row, fabs(value - own) < least ? NULL : &value);
  }
}

static void
on_reset(RegardSearchPopover *self)
{
  for (guint i = 0; i < self->shown->len; i++)
    regard_request_keep(self->settings, g_array_index(self->shown, Setting, i).row, NULL);
}

/* A label and a number for one row. */
static void
add_setting(RegardSearchPopover *self, gsize row)
{
  const mt_search_field *field = mt_search_field_at(row);
  GtkAdjustment *adjustment =
      gtk_adjustment_new(field->shown.least, field->shown.least, field->shown.most, field->step,
                         field->is_length ? 10 : 0, 0);
  GtkWidget *spin = gtk_spin_button_new(adjustment, 0, field->digits);
  regard_spin_take_comma(GTK_SPIN_BUTTON(spin));
  GtkWidget *label = gtk_label_new_with_mnemonic(_(field->label));
  g_auto(GStrv) parts = g_strsplit(_(field->label), "_", -1);
  g_autofree char *name = g_strjoinv("", parts);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), spin);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_set_hexpand(label, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(spin), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_grid_attach(self->grid, label, 0, (int) field->place, 1, 1);
  gtk_grid_attach(self->grid, spin, 1, (int) field->place, 1, 1);
  g_signal_connect(spin, "value-changed", G_CALLBACK(on_changed), self);
  Setting setting = {row, GTK_SPIN_BUTTON(spin)};
  g_array_append_val(self->shown, setting);
}

static void
on_model(RegardSearchPopover *self)
{
  mt_model *model = regard_document_get_model(self->document);
  const char *task = regard_document_get_search(self->document)->task;
  self->defaults = mt_search_params_of_task(model, model ? mt_model_find_task(model, task) : NULL);
  self->most = model ? (guint) mt_model_config(model)->max_positions : 512;
  update(self);
}

static void
regard_search_popover_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  guint beam = effective_beam(REGARD_SEARCH_POPOVER(object));
  /* Translators: how the translation is searched for: one choice at a time, or %u side by side */
  g_value_take_string(value,
                      beam <= 1 ? g_strdup(_("greedy")) : g_strdup_printf(_("beam %u"), beam));
}

static void
regard_search_popover_finalize(GObject *object)
{
  RegardSearchPopover *self = REGARD_SEARCH_POPOVER(object);
  g_clear_object(&self->settings);
  g_clear_object(&self->document);
  g_clear_pointer(&self->shown, g_array_unref);
  G_OBJECT_CLASS(regard_search_popover_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardSearchPopover, name)

static void
regard_search_popover_class_init(RegardSearchPopoverClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(box), CHILD(grid), CHILD(reset), {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_search_popover_finalize;
  G_OBJECT_CLASS(klass)->get_property = regard_search_popover_get_property;
  props[PROP_SUMMARY] =
      g_param_spec_string("summary", NULL, NULL, NULL,
                          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties(G_OBJECT_CLASS(klass), N_PROPS, props);
  regard_set_template(klass, "regard-search-popover.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_reset);
}

static void
regard_search_popover_init(RegardSearchPopover *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->shown = g_array_new(FALSE, FALSE, sizeof(Setting));
  for (gsize i = 0; i < mt_search_n_fields(); i++)
    if (mt_search_field_at(i)->label)
      add_setting(self, i);
}

GtkWidget *
regard_search_popover_new(GSettings *settings, RegardDocument *document)
{
  RegardSearchPopover *self = g_object_new(REGARD_TYPE_SEARCH_POPOVER, NULL);
  self->settings = g_object_ref(settings);
  self->document = g_object_ref(document);
  GtkWidget *copies = gtk_check_button_new_with_mnemonic(_("_Copy unknown words"));
  gtk_widget_set_tooltip_text(copies, _("Where the vocabulary of the translation lacks a word, the"
                                        " one of the source that attention names, marked"));
  g_settings_bind(settings, "copy-unknown", copies, "active", G_SETTINGS_BIND_DEFAULT);
  gtk_box_append(self->box, gtk_separator_new(GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append(self->box, copies);
  gtk_box_append(self->box, regard_terms_entry_new(document));
  on_model(self);
  regard_observe(document, self, update, "changed::constraints");
  regard_observe(settings, self, update, "changed");
  regard_observe(document, self, on_model, "changed::model", "changed::task");
  return GTK_WIDGET(self);
}

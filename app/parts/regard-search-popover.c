/* regard-search-popover.c — how the translation is searched for: beams, length penalty, length.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-search-popover.h"

#include <glib/gi18n.h>
#include <math.h>

struct _RegardSearchPopover {
  GtkPopover parent_instance;
  GtkSpinButton *beam, *penalty, *length;
  GtkWidget *reset;
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
  guint beam = g_settings_get_uint(self->settings, "beam-size");
  return beam ? beam : (guint) self->defaults.beam_size;
}

static void
update(RegardSearchPopover *self)
{
  double penalty = g_settings_get_double(self->settings, "length-penalty");
  guint length = g_settings_get_uint(self->settings, "max-length");
  gboolean is_own = g_settings_get_uint(self->settings, "beam-size") || penalty >= 0 || length;
  self->is_updating = TRUE;
  gtk_spin_button_set_range(self->length, 2, self->most);
  gtk_spin_button_set_value(self->beam, effective_beam(self));
  gtk_spin_button_set_value(self->penalty,
                            penalty >= 0 ? penalty : (double) self->defaults.length_penalty);
  gtk_spin_button_set_value(self->length,
                            length ? MIN(length, self->most) : (double) self->defaults.max_length);
  gtk_widget_set_sensitive(self->reset, is_own);
  self->is_updating = FALSE;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_SUMMARY]);
}

/* Only what differs from the model's own is remembered, so that another model keeps its own. */
static void
on_changed(RegardSearchPopover *self)
{
  if (self->is_updating)
    return;
  guint beam = (guint) gtk_spin_button_get_value_as_int(self->beam);
  guint length = (guint) gtk_spin_button_get_value_as_int(self->length);
  double penalty = gtk_spin_button_get_value(self->penalty);
  g_settings_set_uint(self->settings, "beam-size", beam == self->defaults.beam_size ? 0 : beam);
  g_settings_set_uint(self->settings, "max-length",
                      length == self->defaults.max_length ? 0 : length);
  g_settings_set_double(self->settings, "length-penalty",
                        fabs(penalty - (double) self->defaults.length_penalty) < 0.005 ? -1
                                                                                       : penalty);
}

static void
on_reset(RegardSearchPopover *self)
{
  g_settings_reset(self->settings, "beam-size");
  g_settings_reset(self->settings, "length-penalty");
  g_settings_reset(self->settings, "max-length");
}

static void
on_model(RegardSearchPopover *self)
{
  mt_model *model = regard_document_get_model(self->document);
  self->defaults = mt_search_params_default(model);
  self->most = model ? (guint) mt_model_config(model)->max_positions : 512;
  update(self);
}

static void
regard_search_popover_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  guint beam = effective_beam(REGARD_SEARCH_POPOVER(object));
  g_value_take_string(value,
                      beam <= 1 ? g_strdup(_("greedy")) : g_strdup_printf(_("beam %u"), beam));
}

static void
regard_search_popover_finalize(GObject *object)
{
  RegardSearchPopover *self = REGARD_SEARCH_POPOVER(object);
  g_clear_object(&self->settings);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_search_popover_parent_class)->finalize(object);
}

static void
regard_search_popover_class_init(RegardSearchPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_search_popover_finalize;
  G_OBJECT_CLASS(klass)->get_property = regard_search_popover_get_property;
  props[PROP_SUMMARY] =
      g_param_spec_string("summary", NULL, NULL, NULL,
                          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties(G_OBJECT_CLASS(klass), N_PROPS, props);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/io/github/regard/Regard/regard-search-popover.ui");
  gtk_widget_class_bind_template_child(widget_class, RegardSearchPopover, beam);
  gtk_widget_class_bind_template_child(widget_class, RegardSearchPopover, penalty);
  gtk_widget_class_bind_template_child(widget_class, RegardSearchPopover, length);
  gtk_widget_class_bind_template_child(widget_class, RegardSearchPopover, reset);
  gtk_widget_class_bind_template_callback(widget_class, on_changed);
  gtk_widget_class_bind_template_callback(widget_class, on_reset);
}

static void
regard_search_popover_init(RegardSearchPopover *self)
{
  self->is_updating = TRUE;
  gtk_widget_init_template(GTK_WIDGET(self));
  self->is_updating = FALSE;
}

GtkWidget *
regard_search_popover_new(GSettings *settings, RegardDocument *document)
{
  RegardSearchPopover *self = g_object_new(REGARD_TYPE_SEARCH_POPOVER, NULL);
  self->settings = g_object_ref(settings);
  self->document = g_object_ref(document);
  on_model(self);
  g_signal_connect_object(settings, "changed", G_CALLBACK(update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "notify::model", G_CALLBACK(on_model), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET(self);
}

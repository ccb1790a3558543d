/* regard-change-presets.c — lists of changes that have names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-change-presets.h"

#include <glib/gi18n.h>

#define KEY "change-presets"

struct _RegardChangePresets {
  GtkWidget parent_instance;
  GtkWidget *box, *list, *name, *save;
  RegardDocument *document;
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE(RegardChangePresets, regard_change_presets, GTK_TYPE_WIDGET)

static guint failed_signal;

/* For any model. */
static const struct {
  const char *name, *text;
} built_in[] = {
    {N_("Encoder without positions"), "source position zero"},
    {N_("Cross-attention uniform in layer 1"), "cross 1 uniform"},
    {N_("No cross-attention"), "cross zero"},
    {N_("Decoder sees the token before only"), "decoder previous"},
    {N_("Encoder without feed-forward"), "encoder feed-forward skip"},
    {N_("Without the scale 1/√d_k"), "encoder unscaled\ncross unscaled\ndecoder unscaled"},
};

/* ---- The settings ------------------------------------------------------------------------------
 */

/* Names and texts in turns. Caller unrefs. */
static GPtrArray *
load(RegardChangePresets *self)
{
  GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GVariant) value = g_settings_get_value(self->settings, KEY);
  GVariantIter iter;
  const char *name, *text;
  g_variant_iter_init(&iter, value);
  while (g_variant_iter_next(&iter, "(&s&s)", &name, &text)) {
    g_ptr_array_add(all, g_strdup(name));
    g_ptr_array_add(all, g_strdup(text));
  }
  return all;
}

static void
store(RegardChangePresets *self, GPtrArray *all)
{
  g_auto(GVariantBuilder) builder = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE("a(ss)"));
  for (guint i = 0; i + 1 < all->len; i += 2)
    g_variant_builder_add(&builder, "(ss)", all->pdata[i], all->pdata[i + 1]);
  g_settings_set_value(self->settings, KEY, g_variant_builder_end(&builder));
}

static int
find(GPtrArray *all, const char *name)
{
  for (guint i = 0; i < all->len; i += 2)
    if (g_str_equal(all->pdata[i], name))
      return (int) i;
  return -1;
}

static const char *
find_built_in(const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS(built_in); i++)
    if (g_str_equal(_(built_in[i].name), name))
      return built_in[i].text;
  return NULL;
}

gboolean
regard_change_presets_save(RegardChangePresets *self, const char *name)
{
  g_autoptr(GPtrArray) all = load(self);
  g_autofree char *stripped = g_strstrip(g_strdup(name));
  const mt_changes *changes = regard_document_get_changes(self->document);
  const int at = find(all, stripped);
  if (!*stripped || mt_changes_count(changes) == 0 || find_built_in(stripped))
    return FALSE;
  if (at >= 0)
    g_ptr_array_remove_range(all, (guint) at, 2);
  g_ptr_array_add(all, g_steal_pointer(&stripped));
  g_ptr_array_add(all, g_strdup(mt_changes_text(changes)));
  store(self, all);
  return TRUE;
}

gboolean
regard_change_presets_rename(RegardChangePresets *self, const char *name, const char *to)
{
  g_autoptr(GPtrArray) all = load(self);
  g_autofree char *stripped = g_strstrip(g_strdup(to));
  const int at = find(all, name);
  if (at < 0 || !*stripped || find(all, stripped) >= 0 || find_built_in(stripped))
    return FALSE;
  g_free(all->pdata[at]);
  all->pdata[at] = g_steal_pointer(&stripped);
  store(self, all);
  return TRUE;
}

gboolean
regard_change_presets_delete(RegardChangePresets *self, const char *name)
{
  g_autoptr(GPtrArray) all = load(self);
  const int at = find(all, name);
  if (at < 0)
    return FALSE;
  g_ptr_array_remove_range(all, (guint) at, 2);
  store(self, all);
  return TRUE;
}

gboolean
regard_change_presets_apply(RegardChangePresets *self, const char *name)
{
  g_autoptr(GPtrArray) all = load(self);
  g_autoptr(GError) error = NULL;
  const int at = find(all, name);
  const char *text = at >= 0 ? all->pdata[at + 1] : find_built_in(name);
  if (!text)
    return FALSE;
  if (!regard_document_set_changes_text(self->document, text, &error))
    g_signal_emit(self, failed_signal, 0, error->message);
  return error == NULL;
}

/* ---- The page ----------------------------------------------------------------------------------
 */

static const char *
name_of(GtkWidget *widget)
{
  return g_object_get_data(G_OBJECT(widget), "name");
}

static void
on_delete(GtkWidget *button, RegardChangePresets *self)
{
  g_autofree char *name = g_strdup(name_of(button));
  regard_change_presets_delete(self, name);
}

/* A name that is there already is not taken; the old one stands again. */
static void
on_edited(GtkWidget *label, GParamSpec *pspec, RegardChangePresets *self)
{
  const char *to = gtk_editable_get_text(GTK_EDITABLE(label));
  g_autofree char *name = g_strdup(name_of(label));
  if (gtk_editable_label_get_editing(GTK_EDITABLE_LABEL(label)) || g_str_equal(name, to))
    return;
  if (!regard_change_presets_rename(self, name, to)) {
    gtk_editable_set_text(GTK_EDITABLE(label), name);
    g_signal_emit(self, failed_signal, 0, _("There is a preset of that name already."));
  }
}

static void
on_apply(GtkWidget *button, RegardChangePresets *self)
{
  g_autofree char *name = g_strdup(name_of(button));
  regard_change_presets_apply(self, name);
}

static GtkWidget *
new_button(const char *icon, const char *format, const char *name)
{
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  g_autofree char *label = g_strdup_printf(format, name);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text(button, label);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_object_set_data_full(G_OBJECT(button), "name", g_strdup(name), g_free);
  return button;
}

static GtkWidget *
create_row(RegardChangePresets *self, const char *name, const char *text, gboolean is_own)
{
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6),
            *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
            *apply = gtk_button_new_with_label(_("Use"));
  GtkWidget *title = is_own ? gtk_editable_label_new(name) : gtk_label_new(name);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autofree char *line = g_strjoinv(" · ", lines), *label = g_strdup_printf(_("Use %s"), name);
  GtkWidget *detail = gtk_label_new(line);
  if (is_own) {
    g_object_set_data_full(G_OBJECT(title), "name", g_strdup(name), g_free);
    gtk_widget_set_tooltip_text(title, _("Click, or press Enter, to give it another name"));
    g_signal_connect(title, "notify::editing", G_CALLBACK(on_edited), self);
  } else
    gtk_label_set_xalign(GTK_LABEL(title), 0);
  gtk_label_set_xalign(GTK_LABEL(detail), 0);
  gtk_label_set_ellipsize(GTK_LABEL(detail), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(detail), 36);
  gtk_widget_set_tooltip_text(detail, text);
  gtk_widget_add_css_class(detail, "regard-hint");
  gtk_widget_set_hexpand(words, TRUE);
  gtk_box_append(GTK_BOX(words), title);
  gtk_box_append(GTK_BOX(words), detail);
  gtk_widget_set_valign(apply, GTK_ALIGN_CENTER);
  gtk_accessible_update_property(GTK_ACCESSIBLE(apply), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_object_set_data_full(G_OBJECT(apply), "name", g_strdup(name), g_free);
  g_signal_connect(apply, "clicked", G_CALLBACK(on_apply), self);
  gtk_box_append(GTK_BOX(row), words);
  gtk_box_append(GTK_BOX(row), apply);
  if (is_own) {
    GtkWidget *remove = new_button("user-trash-symbolic", _("Delete %s"), name);
    g_signal_connect(remove, "clicked", G_CALLBACK(on_delete), self);
    gtk_box_append(GTK_BOX(row), remove);
  }
  gtk_widget_add_css_class(row, "change-row");
  return row;
}

static void
fill(RegardChangePresets *self)
{
  g_autoptr(GPtrArray) all = load(self);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(self->list)))
    gtk_box_remove(GTK_BOX(self->list), child);
  for (guint i = 0; i + 1 < all->len; i += 2)
    gtk_box_append(GTK_BOX(self->list), create_row(self, all->pdata[i], all->pdata[i + 1], TRUE));
  for (guint i = 0; i < G_N_ELEMENTS(built_in); i++)
    gtk_box_append(GTK_BOX(self->list),
                   create_row(self, _(built_in[i].name), built_in[i].text, FALSE));
}

/* A settings object may tell while a button of the list is still at work. */
static gboolean
on_stored_idle(gpointer data)
{
  RegardChangePresets *self = data;
  if (self->box)
    fill(self);
  return G_SOURCE_REMOVE;
}

static void
on_stored(RegardChangePresets *self)
{
  g_idle_add_full(G_PRIORITY_DEFAULT, on_stored_idle, g_object_ref(self), g_object_unref);
}

static void
update_save(RegardChangePresets *self)
{
  const char *name = gtk_editable_get_text(GTK_EDITABLE(self->name));
  gtk_widget_set_sensitive(self->save, *name && mt_changes_count(regard_document_get_changes(
                                                    self->document)) > 0);
}

static void
on_save(RegardChangePresets *self)
{
  if (regard_change_presets_save(self, gtk_editable_get_text(GTK_EDITABLE(self->name))))
    gtk_editable_set_text(GTK_EDITABLE(self->name), "");
  else
    g_signal_emit(self, failed_signal, 0,
                  _("Nothing was saved: nothing is changed, or a preset that comes with Regard has "
                    "that name."));
}

static void
regard_change_presets_dispose(GObject *object)
{
  RegardChangePresets *self = REGARD_CHANGE_PRESETS(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(regard_change_presets_parent_class)->dispose(object);
}

static void
regard_change_presets_class_init(RegardChangePresetsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_change_presets_dispose;
  failed_signal = g_signal_new("failed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_change_presets_init(RegardChangePresets *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new(),
            *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  self->list = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->list);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scroller), TRUE);
  gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(scroller), 320);
  self->name = gtk_entry_new();
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->name), _("Name for what is changed now"));
  gtk_widget_set_hexpand(self->name, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->name), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Name of a preset"), -1);
  self->save = gtk_button_new_with_mnemonic(_("_Save"));
  g_signal_connect_swapped(self->name, "changed", G_CALLBACK(update_save), self);
  g_signal_connect_swapped(self->name, "activate", G_CALLBACK(on_save), self);
  g_signal_connect_swapped(self->save, "clicked", G_CALLBACK(on_save), self);
  gtk_box_append(GTK_BOX(row), self->name);
  gtk_box_append(GTK_BOX(row), self->save);
  gtk_box_append(GTK_BOX(self->box), scroller);
  gtk_box_append(GTK_BOX(self->box), row);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
}

GtkWidget *
regard_change_presets_new(RegardDocument *document, GSettings *settings)
{
  RegardChangePresets *self = g_object_new(REGARD_TYPE_CHANGE_PRESETS, NULL);
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  g_signal_connect_object(settings, "changed::" KEY, G_CALLBACK(on_stored), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(document, "changed::changes", G_CALLBACK(update_save), self,
                          G_CONNECT_SWAPPED);
  fill(self);
  update_save(self);
  return GTK_WIDGET(self);
}

/* regard-interventions-bar.c — "3 changes · Reset · Compare with This", and behind the number the
 * list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-interventions-bar.h"

#include "base/regard-template.h"
#include "widgets/regard-gtk.h"
#include <glib/gi18n.h>

/* ==== Lists of changes that have names ======================================================== */

#define KEY "change-presets"

struct _RegardInterventionPresets {
  GtkWidget parent_instance;
  GtkWidget *box, *list, *name, *save;
  RegardDocument *document;
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE(RegardInterventionPresets, regard_intervention_presets, GTK_TYPE_WIDGET)

/* For any model that can have them: there may be no divisor, and no bias of distance. */
static const struct {
  const char *name, *text;
} built_in[] = {
    {N_("Encoder without positions"), "source position zero"},
    {N_("Cross-attention uniform in layer 1"), "cross 1 uniform"},
    {N_("No cross-attention"), "cross zero"},
    {N_("Decoder sees the token before only"), "decoder previous"},
    {N_("Encoder without feed-forward"), "encoder feed-forward skip"},
    {N_("Encoder attention without the stream"), "encoder attention alone"},
    {N_("Without the scale 1/√d_k"), "encoder unscaled\ncross unscaled\ndecoder unscaled"},
    {N_("Without the bias of distance"), "encoder unbiased\ndecoder unbiased"},
};

/* ---- The settings ------------------------------------------------------------------------------
 */

/* Names and texts in turns. Caller unrefs. */
static GPtrArray *
load(RegardInterventionPresets *self)
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
store(RegardInterventionPresets *self, GPtrArray *all)
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
regard_intervention_presets_save(RegardInterventionPresets *self, const char *name)
{
  g_autoptr(GPtrArray) all = load(self);
  g_autofree char *stripped = g_strstrip(g_strdup(name));
  const mt_interventions *interventions = regard_document_get_search(self->document)->interventions;
  const int at = find(all, stripped);
  if (!*stripped || mt_interventions_count(interventions) == 0 || find_built_in(stripped))
    return FALSE;
  if (at >= 0)
    g_ptr_array_remove_range(all, (guint) at, 2);
  g_ptr_array_add(all, g_steal_pointer(&stripped));
  g_ptr_array_add(all, g_strdup(mt_interventions_text(interventions)));
  store(self, all);
  return TRUE;
}

gboolean
regard_intervention_presets_rename(RegardInterventionPresets *self, const char *name,
                                   const char *to)
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
regard_intervention_presets_delete(RegardInterventionPresets *self, const char *name)
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
regard_intervention_presets_apply(RegardInterventionPresets *self, const char *name)
{
  g_autoptr(GPtrArray) all = load(self);
  g_autoptr(GError) error = NULL;
  const int at = find(all, name);
  const char *text = at >= 0 ? all->pdata[at + 1] : find_built_in(name);
  if (!text)
    return FALSE;
  if (!regard_document_set_interventions_text(self->document, text, &error))
    g_signal_emit_by_name(self, "failed", error->message);
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
on_delete(GtkWidget *button, RegardInterventionPresets *self)
{
  g_autofree char *name = g_strdup(name_of(button));
  regard_intervention_presets_delete(self, name);
}

/* A name that is there already is not taken; the old one stands again. */
static void
on_edited(GtkWidget *label, GParamSpec *pspec, RegardInterventionPresets *self)
{
  const char *to = gtk_editable_get_text(GTK_EDITABLE(label));
  g_autofree char *name = g_strdup(name_of(label));
  if (gtk_editable_label_get_editing(GTK_EDITABLE_LABEL(label)) || g_str_equal(name, to))
    return;
  if (!regard_intervention_presets_rename(self, name, to)) {
    gtk_editable_set_text(GTK_EDITABLE(label), name);
    g_signal_emit_by_name(self, "failed", _("There is a preset of that name already."));
  }
}

static void
on_apply(GtkWidget *button, RegardInterventionPresets *self)
{
  g_autofree char *name = g_strdup(name_of(button));
  regard_intervention_presets_apply(self, name);
}

static GtkWidget *
icon_button(const char *icon, const char *format, const char *name)
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
create_row(RegardInterventionPresets *self, const char *name, const char *text, gboolean is_own)
{
  /* Translators: "Use" is a button beside a preset, which makes its changes in the model. */
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
    GtkWidget *remove = icon_button("user-trash-symbolic", _("Delete %s"), name);
    g_signal_connect(remove, "clicked", G_CALLBACK(on_delete), self);
    gtk_box_append(GTK_BOX(row), remove);
  }
  gtk_widget_add_css_class(row, "change-row");
  return row;
}

/* Whether the model can be changed so. */
static gboolean
fits(RegardInterventionPresets *self, const char *text)
{
  mt_model *model = regard_document_get_model(self->document);
  mt_interventions *interventions = mt_interventions_parse("preset", text, NULL);
  const gboolean is_good =
      !model ||
      (interventions && mt_interventions_check(interventions, mt_model_config(model), NULL));
  mt_interventions_unref(interventions);
  return is_good;
}

static void
fill(RegardInterventionPresets *self)
{
  g_autoptr(GPtrArray) all = load(self);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(self->list)))
    gtk_box_remove(GTK_BOX(self->list), child);
  for (guint i = 0; i + 1 < all->len; i += 2)
    gtk_box_append(GTK_BOX(self->list), create_row(self, all->pdata[i], all->pdata[i + 1], TRUE));
  for (guint i = 0; i < G_N_ELEMENTS(built_in); i++)
    if (fits(self, built_in[i].text))
      gtk_box_append(GTK_BOX(self->list),
                     create_row(self, _(built_in[i].name), built_in[i].text, FALSE));
}

/* A settings object may tell while a button of the list is still at work. */
static gboolean
on_stored_idle(gpointer data)
{
  RegardInterventionPresets *self = data;
  if (self->box)
    fill(self);
  return G_SOURCE_REMOVE;
}

static void
on_stored(RegardInterventionPresets *self)
{
  g_idle_add_full(G_PRIORITY_DEFAULT, on_stored_idle, g_object_ref(self), g_object_unref);
}

static void
update_save(RegardInterventionPresets *self)
{
  const char *name = gtk_editable_get_text(GTK_EDITABLE(self->name));
  gtk_widget_set_sensitive(self->save,
                           *name &&
                               mt_interventions_count(
                                   regard_document_get_search(self->document)->interventions) > 0);
}

static void
on_save(RegardInterventionPresets *self)
{
  if (regard_intervention_presets_save(self, gtk_editable_get_text(GTK_EDITABLE(self->name))))
    gtk_editable_set_text(GTK_EDITABLE(self->name), "");
  else
    g_signal_emit_by_name(
        self, "failed",
        _("Nothing was saved: nothing is changed, or a preset that comes with Regard has "
          "that name."));
}

static void
regard_intervention_presets_dispose(GObject *object)
{
  RegardInterventionPresets *self = REGARD_INTERVENTION_PRESETS(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(regard_intervention_presets_parent_class)->dispose(object);
}

static void
regard_intervention_presets_class_init(RegardInterventionPresetsClass *klass)
{
#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardInterventionPresets, name)
  static const RegardTemplateChild children[] = {
      CHILD(box), CHILD(list), CHILD(name), CHILD(save), {NULL, 0}};
#undef CHILD
  G_OBJECT_CLASS(klass)->dispose = regard_intervention_presets_dispose;
  regard_add_signal(klass, "failed", 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-intervention-presets.ui", children);
  gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), update_save);
  gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), on_save);
}

static void
regard_intervention_presets_init(RegardInterventionPresets *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

/* A page: click one to make its changes in place of what is changed; own ones can be renamed and
 * deleted; what is changed now can be saved. They are kept in the settings, "change-presets". What
 * a model cannot have is said by "failed" (char *message). */
static void
regard_intervention_presets_set_document(RegardInterventionPresets *self, RegardDocument *document,
                                         GSettings *settings)
{
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  regard_observe(settings, self, on_stored, "changed::" KEY);
  regard_observe(document, self, on_stored, "changed::model");
  regard_observe(document, self, update_save, "changed::changes");
  fill(self);
  update_save(self);
}

/* ==== What is changed in the model, a row each ================================================ */

typedef struct {
  char *text;
  gboolean is_made;
} Row;

struct _RegardInterventionRows {
  GtkWidget parent_instance;
  GtkWidget *box, *list, *entry;
  RegardDocument *document;
  GArray *rows;        /* Row */
  gboolean is_setting; /* the program sets checks */
};

G_DEFINE_FINAL_TYPE(RegardInterventionRows, regard_intervention_rows, GTK_TYPE_WIDGET)

static Row *
row_at(RegardInterventionRows *self, guint i)
{
  return &g_array_index(self->rows, Row, i);
}

static void
clear_row(gpointer row)
{
  g_free(((Row *) row)->text);
}

static void
say(RegardInterventionRows *self, const char *message)
{
  g_signal_emit_by_name(self, "failed", message);
}

/* ---- The rows and the document -----------------------------------------------------------------
 */

static void
append(GArray *rows, const char *text, gboolean is_made)
{
  const Row row = {g_strdup(text), is_made};
  g_array_append_val(rows, row);
}

/* Those that are made are the document's; the others stay where they were. */
static void
take_rows(RegardInterventionRows *self)
{
  g_auto(GStrv) lines =
      g_strsplit(mt_interventions_text(regard_document_get_search(self->document)->interventions),
                 "\n", -1);
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
  guint line = 0;
  g_array_set_clear_func(rows, clear_row);
  for (guint i = 0; i < self->rows->len; i++) {
    const Row *old = row_at(self, i);
    if (old->is_made || g_strv_contains((const char *const *) lines, old->text))
      continue;
    while (rows->len < i && lines[line])
      append(rows, lines[line++], TRUE);
    append(rows, old->text, FALSE);
  }
  while (lines[line])
    append(rows, lines[line++], TRUE);
  g_array_unref(self->rows);
  self->rows = rows;
}

/* The rows as they would be. FALSE: they cannot, and it is said; they are as the document has them.
 */
static gboolean
commit(RegardInterventionRows *self)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < self->rows->len; i++)
    if (row_at(self, i)->is_made)
      g_string_append_printf(text, "%s\n", row_at(self, i)->text);
  if (!regard_document_set_interventions_text(self->document, text->str, &error))
    say(self, error->message);
  else {
    say(self, "");
    take_rows(self); /* as they are written, though nothing may have changed */
  }
  return error == NULL;
}

guint
regard_intervention_rows_count(RegardInterventionRows *self)
{
  return self->rows->len;
}

const char *
regard_intervention_rows_get(RegardInterventionRows *self, guint i, gboolean *is_made)
{
  if (is_made)
    *is_made = row_at(self, i)->is_made;
  return row_at(self, i)->text;
}

static void fill_list(RegardInterventionRows *self);

void
regard_intervention_rows_set_made(RegardInterventionRows *self, guint i, gboolean is_made)
{
  if (i >= self->rows->len || row_at(self, i)->is_made == is_made)
    return;
  row_at(self, i)->is_made = is_made;
  if (!commit(self))
    row_at(self, i)->is_made = !is_made;
  fill_list(self);
}

gboolean
regard_intervention_rows_edit(RegardInterventionRows *self, guint i, const char *text)
{
  g_return_val_if_fail(i < self->rows->len, FALSE);
  g_autofree char *old = g_strdup(row_at(self, i)->text);
  const gboolean was_made = row_at(self, i)->is_made;
  if (g_str_equal(old, text))
    return TRUE;
  g_free(row_at(self, i)->text);
  row_at(self, i)->text = g_strdup(text);
  row_at(self, i)->is_made = TRUE; /* who writes it wants to see it */
  if (commit(self)) {
    fill_list(self);
    return TRUE;
  }
  g_free(row_at(self, i)->text);
  row_at(self, i)->text = g_steal_pointer(&old);
  row_at(self, i)->is_made = was_made;
  return FALSE;
}

void
regard_intervention_rows_remove(RegardInterventionRows *self, guint i)
{
  if (i >= self->rows->len)
    return;
  g_array_remove_index(self->rows, i);
  commit(self);
  fill_list(self);
}

gboolean
regard_intervention_rows_add(RegardInterventionRows *self, const char *text)
{
  g_autofree char *stripped = g_strstrip(g_strdup(text));
  if (!*stripped)
    return FALSE;
  append(self->rows, stripped, TRUE);
  if (commit(self))
    return TRUE;
  g_array_set_size(self->rows, self->rows->len - 1);
  return FALSE;
}

/* ---- Widgets -----------------------------------------------------------------------------------
 */

static guint
index_of(gpointer widget)
{
  return GPOINTER_TO_UINT(g_object_get_data(widget, "row"));
}

static void
on_switch(GtkCheckButton *widget, GParamSpec *pspec, RegardInterventionRows *self)
{
  if (!self->is_setting)
    regard_intervention_rows_set_made(self, index_of(widget), gtk_check_button_get_active(widget));
}

static void
on_remove(GtkWidget *button, RegardInterventionRows *self)
{
  regard_intervention_rows_remove(self, index_of(button));
}

static void
on_row_edited(GtkWidget *entry, RegardInterventionRows *self)
{
  if (regard_intervention_rows_edit(self, index_of(entry),
                                    gtk_editable_get_text(GTK_EDITABLE(entry))))
    gtk_widget_remove_css_class(entry, "error");
  else
    gtk_widget_add_css_class(entry, "error");
}

/* What was not finished with Enter is taken back. */
static void
on_left(GtkEventController *focus, RegardInterventionRows *self)
{
  GtkWidget *entry = gtk_event_controller_get_widget(focus);
  const guint i = index_of(entry);
  if (i < self->rows->len && !gtk_widget_has_css_class(entry, "error"))
    gtk_editable_set_text(GTK_EDITABLE(entry), row_at(self, i)->text);
}

static void
on_add(RegardInterventionRows *self)
{
  if (regard_intervention_rows_add(self, gtk_editable_get_text(GTK_EDITABLE(self->entry)))) {
    gtk_editable_set_text(GTK_EDITABLE(self->entry), "");
    gtk_widget_remove_css_class(self->entry, "error");
  } else
    gtk_widget_add_css_class(self->entry, "error");
}

static void
name_widget(GtkWidget *widget, const char *format, const char *text)
{
  g_autofree char *name = g_strdup_printf(format, text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_set_valign(widget, GTK_ALIGN_CENTER);
}

static GtkWidget *
create_change_row(RegardInterventionRows *self)
{
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6), *entry = gtk_entry_new(),
            *made = gtk_check_button_new(),
            *remove = gtk_button_new_from_icon_name("window-close-symbolic");
  GtkEventController *focus = gtk_event_controller_focus_new();
  gtk_widget_set_hexpand(entry, TRUE);
  gtk_widget_add_css_class(entry, "monospace");
  gtk_widget_add_css_class(remove, "flat");
  gtk_widget_add_css_class(row, "change-row");
  g_signal_connect(made, "notify::active", G_CALLBACK(on_switch), self);
  g_signal_connect(entry, "activate", G_CALLBACK(on_row_edited), self);
  g_signal_connect(remove, "clicked", G_CALLBACK(on_remove), self);
  g_signal_connect(focus, "leave", G_CALLBACK(on_left), self);
  gtk_widget_add_controller(entry, focus);
  gtk_box_append(GTK_BOX(row), made);
  gtk_box_append(GTK_BOX(row), entry);
  gtk_box_append(GTK_BOX(row), remove);
  return row;
}

/* Widgets are kept, and the keyboard stays in them; only the last ones come and go. */
static void
fill_list(RegardInterventionRows *self)
{
  GtkWidget *row = gtk_widget_get_first_child(self->list), *next;
  self->is_setting = TRUE;
  for (guint i = 0; i < self->rows->len; i++, row = gtk_widget_get_next_sibling(row)) {
    const Row *r = row_at(self, i);
    if (!row)
      gtk_box_append(GTK_BOX(self->list), row = create_change_row(self));
    GtkWidget *made = gtk_widget_get_first_child(row), *entry = gtk_widget_get_next_sibling(made),
              *remove = gtk_widget_get_next_sibling(entry);
    GtkWidget *const parts[] = {made, entry, remove};
    for (guint k = 0; k < G_N_ELEMENTS(parts); k++)
      g_object_set_data(G_OBJECT(parts[k]), "row", GUINT_TO_POINTER(i));
    gtk_check_button_set_active(GTK_CHECK_BUTTON(made), r->is_made);
    if (!g_str_equal(gtk_editable_get_text(GTK_EDITABLE(entry)), r->text))
      gtk_editable_set_text(GTK_EDITABLE(entry), r->text);
    gtk_widget_remove_css_class(entry, "error");
    regard_widget_set_pale(entry, !r->is_made);
    name_widget(made, _("Make %s"), r->text);
    name_widget(entry, _("Change %s"), r->text);
    name_widget(remove, _("Remove %s"), r->text);
  }
  for (; row; row = next) {
    next = gtk_widget_get_next_sibling(row);
    gtk_box_remove(GTK_BOX(self->list), row);
  }
  self->is_setting = FALSE;
}

static void
on_changes(RegardInterventionRows *self)
{
  take_rows(self);
  fill_list(self);
}

static void
regard_intervention_rows_dispose(GObject *object)
{
  RegardInterventionRows *self = REGARD_INTERVENTION_ROWS(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_intervention_rows_parent_class)->dispose(object);
}

static void
regard_intervention_rows_finalize(GObject *object)
{
  g_array_unref(REGARD_INTERVENTION_ROWS(object)->rows);
  G_OBJECT_CLASS(regard_intervention_rows_parent_class)->finalize(object);
}

static void
regard_intervention_rows_class_init(RegardInterventionRowsClass *klass)
{
#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardInterventionRows, name)
  static const RegardTemplateChild children[] = {CHILD(box), CHILD(list), CHILD(entry), {NULL, 0}};
#undef CHILD
  G_OBJECT_CLASS(klass)->dispose = regard_intervention_rows_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_intervention_rows_finalize;
  regard_add_signal(klass, "failed", 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-intervention-rows.ui", children);
  gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), on_add);
}

static void
regard_intervention_rows_init(RegardInterventionRows *self)
{
  self->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  g_array_set_clear_func(self->rows, clear_row);
  gtk_widget_init_template(GTK_WIDGET(self));
}

/* What cannot be made is said by "failed" (char *message; "": it is mended). */
static void
regard_intervention_rows_set_document(RegardInterventionRows *self, RegardDocument *document)
{
  self->document = g_object_ref(document);
  regard_observe(document, self, on_changes, "changed::changes");
  on_changes(self);
}

/* ==== Restricted self-attention by a slider =================================================== */

/* What is dragged without a longer rest is one step of the history. */
#define REST_US 1000000

struct _RegardWindowSlider {
  GtkWidget parent_instance;
  GtkWidget *box, *range, *stacks, *value;
  RegardDocument *document;
  gboolean is_setting; /* the program moves it */
  guint64 gesture;
  gint64 moved_at;
};

G_DEFINE_FINAL_TYPE(RegardWindowSlider, regard_window_slider, GTK_TYPE_WIDGET)

/* In the order of the list: which of the self-attentions. */
static const gboolean stacks[][2] = {{TRUE, TRUE}, {TRUE, FALSE}, {FALSE, TRUE}};
static const char *const ids[] = {"encoder", "decoder"};
static const mt_attention_kind kinds[] = {MT_ENCODER_SELF, MT_DECODER_SELF};

static guint
get_width(RegardWindowSlider *self)
{
  return (guint) (gtk_range_get_value(GTK_RANGE(self->range)) + 0.5);
}

static void
say_window(RegardWindowSlider *self)
{
  const guint r = get_width(self);
  g_autofree char *text =
      r >= REGARD_NO_WINDOW
          ? g_strdup(_("not restricted"))
          : g_strdup_printf(ngettext("r = %u: a query sees keys at most %u token away",
                                     "r = %u: a query sees keys at most %u tokens away", r),
                            r, r);
  gtk_label_set_text(GTK_LABEL(self->value), text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->range), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
}

static void
apply(RegardWindowSlider *self)
{
  const guint r = get_width(self);
  const guint which = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->stacks));
  const gint64 now = g_get_monotonic_time();
  if (self->is_setting || which >= G_N_ELEMENTS(stacks))
    return;
  if (now - self->moved_at > REST_US)
    self->gesture = (guint64) now;
  self->moved_at = now;
  self->is_setting = TRUE;
  regard_document_set_gesture(self->document, self->gesture);
  for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
    const gboolean is_made = stacks[which][i] && r < REGARD_NO_WINDOW;
    g_autofree char *line = g_strdup_printf("%s window %u", ids[i], r);
    if (is_made ||
        regard_interventions_window(regard_document_get_search(self->document)->interventions,
                                    kinds[i]))
      regard_document_edit_interventions(self->document, line,
                                         is_made ? REGARD_INTERVENTION_MAKE
                                                 : REGARD_INTERVENTION_RESTORE,
                                         NULL);
  }
  regard_document_set_gesture(self->document, 0);
  self->is_setting = FALSE;
  say_window(self);
}

static void
update_slider(RegardWindowSlider *self)
{
  const mt_interventions *interventions = regard_document_get_search(self->document)->interventions;
  const guint encoder = regard_interventions_window(interventions, MT_ENCODER_SELF),
              decoder = regard_interventions_window(interventions, MT_DECODER_SELF);
  if (self->is_setting)
    return;
  self->is_setting = TRUE;
  if (!encoder != !decoder)
    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->stacks), encoder ? 1 : 2);
  else if (encoder)
    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->stacks), 0);
  gtk_range_set_value(GTK_RANGE(self->range), encoder   ? encoder
                                              : decoder ? decoder
                                                        : REGARD_NO_WINDOW);
  self->is_setting = FALSE;
  say_window(self);
}

static void
regard_window_slider_dispose(GObject *object)
{
  RegardWindowSlider *self = REGARD_WINDOW_SLIDER(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_window_slider_parent_class)->dispose(object);
}

static void
regard_window_slider_class_init(RegardWindowSliderClass *klass)
{
#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardWindowSlider, name)
  static const RegardTemplateChild children[] = {
      CHILD(box), CHILD(range), CHILD(stacks), CHILD(value), {NULL, 0}};
#undef CHILD
  G_OBJECT_CLASS(klass)->dispose = regard_window_slider_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-window-slider.ui", children);
  gtk_widget_class_bind_template_callback(GTK_WIDGET_CLASS(klass), apply);
}

static void
regard_window_slider_init(RegardWindowSlider *self)
{
  self->is_setting = TRUE;
  gtk_widget_init_template(GTK_WIDGET(self));
  gtk_range_set_range(GTK_RANGE(self->range), 1, REGARD_NO_WINDOW);
  self->is_setting = FALSE;
}

static void
regard_window_slider_set_document(RegardWindowSlider *self, RegardDocument *document)
{
  self->document = g_object_ref(document);
  regard_observe(document, self, update_slider, "changed::changes");
  update_slider(self);
}

/* ==== The bar ================================================================================= */

struct _RegardInterventionsBar {
  GtkWidget parent_instance;
  GtkWidget *box, *button, *popover, *message, *stack;
  RegardInterventionRows *rows;
  RegardInterventionPresets *presets;
  RegardWindowSlider *slider;
  RegardDocument *document;
};

G_DEFINE_FINAL_TYPE(RegardInterventionsBar, regard_interventions_bar, GTK_TYPE_WIDGET)

static void
show_message(RegardInterventionsBar *self, const char *message)
{
  gtk_label_set_text(GTK_LABEL(self->message), message);
  gtk_widget_set_visible(self->message, *message != '\0');
}

static void
update(RegardInterventionsBar *self)
{
  const gboolean shows_file = regard_document_get_imported_capture(self->document) != NULL;
  const guint n = shows_file ? 0
                             : (guint) mt_interventions_count(
                                   regard_document_get_search(self->document)->interventions);
  g_autofree char *text =
      n ? g_strdup_printf(ngettext("%u change", "%u changes", n), n) : g_strdup(_("Changes"));
  gtk_menu_button_set_label(GTK_MENU_BUTTON(self->button), text);
  gtk_widget_set_sensitive(self->button, !shows_file);
  if (n)
    gtk_widget_add_css_class(self->button, "changed");
  else
    gtk_widget_remove_css_class(self->button, "changed");
  show_message(self, "");
}

void
regard_interventions_bar_open(RegardInterventionsBar *self)
{
  gtk_menu_button_popup(GTK_MENU_BUTTON(self->button));
  gtk_widget_grab_focus(self->rows->entry); /* where another one is written */
}

static void
copy(RegardInterventionsBar *self)
{
  show_message(self, "");
  gtk_widget_activate_action(GTK_WIDGET(self), "win.copy-changes", NULL);
}

static void
paste(RegardInterventionsBar *self)
{
  show_message(self, "");
  gtk_widget_activate_action(GTK_WIDGET(self), "win.paste-changes", NULL);
}

static void
edit_text(RegardInterventionsBar *self)
{
  gtk_popover_popdown(GTK_POPOVER(self->popover));
  gtk_widget_activate_action(GTK_WIDGET(self), "win.edit-changes", NULL);
}

/* ---- The object --------------------------------------------------------------------------------
 */

void
regard_interventions_bar_set_document(RegardInterventionsBar *self, RegardDocument *document,
                                      GSettings *settings)
{
  g_return_if_fail(REGARD_IS_INTERVENTIONS_BAR(self) && !self->document);
  self->document = g_object_ref(document);
  regard_intervention_rows_set_document(self->rows, document);
  regard_intervention_presets_set_document(self->presets, document, settings);
  regard_window_slider_set_document(self->slider, document);
  g_signal_connect_swapped(self->rows, "failed", G_CALLBACK(show_message), self);
  g_signal_connect_swapped(self->presets, "failed", G_CALLBACK(show_message), self);
  regard_observe(document, self, update, "changed::changes", "changed::foreign");
  update(self);
}

static void
regard_interventions_bar_dispose(GObject *object)
{
  RegardInterventionsBar *self = REGARD_INTERVENTIONS_BAR(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_interventions_bar_parent_class)->dispose(object);
}

static void
regard_interventions_bar_class_init(RegardInterventionsBarClass *klass)
{
#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardInterventionsBar, name)
  static const RegardTemplateChild children[] = {
      CHILD(box),  CHILD(button),  CHILD(popover), CHILD(message), CHILD(stack),
      CHILD(rows), CHILD(presets), CHILD(slider),  {NULL, 0},
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_interventions_bar_dispose;
  g_type_ensure(REGARD_TYPE_INTERVENTION_ROWS);
  g_type_ensure(REGARD_TYPE_INTERVENTION_PRESETS);
  g_type_ensure(REGARD_TYPE_WINDOW_SLIDER);
  gtk_widget_class_set_css_name(widget_class, "changesbar");
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-interventions-bar.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, copy);
  gtk_widget_class_bind_template_callback(widget_class, paste);
  gtk_widget_class_bind_template_callback(widget_class, edit_text);
}

static void
regard_interventions_bar_init(RegardInterventionsBar *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

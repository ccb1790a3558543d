/* regard-change-rows.c — what is changed in the model, a row each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-change-rows.h"

#include <glib/gi18n.h>

typedef struct {
  char *text;
  gboolean is_made;
} Row;

struct _RegardChangeRows {
  GtkWidget parent_instance;
  GtkWidget *box, *list, *entry;
  RegardDocument *document;
  GArray *rows;        /* Row */
  gboolean is_setting; /* the program sets checks */
};

G_DEFINE_FINAL_TYPE(RegardChangeRows, regard_change_rows, GTK_TYPE_WIDGET)

static guint failed_signal;

static Row *
row_at(RegardChangeRows *self, guint i)
{
  return &g_array_index(self->rows, Row, i);
}

static void
clear_row(gpointer row)
{
  g_free(((Row *) row)->text);
}

static void
say(RegardChangeRows *self, const char *message)
{
  g_signal_emit(self, failed_signal, 0, message);
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
take_rows(RegardChangeRows *self)
{
  g_auto(GStrv) lines =
      g_strsplit(mt_changes_text(regard_document_get_changes(self->document)), "\n", -1);
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
commit(RegardChangeRows *self)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < self->rows->len; i++)
    if (row_at(self, i)->is_made)
      g_string_append_printf(text, "%s\n", row_at(self, i)->text);
  if (!regard_document_set_changes_text(self->document, text->str, &error))
    say(self, error->message);
  else {
    say(self, "");
    take_rows(self); /* as they are written, though nothing may have changed */
  }
  return error == NULL;
}

guint
regard_change_rows_count(RegardChangeRows *self)
{
  return self->rows->len;
}

const char *
regard_change_rows_get(RegardChangeRows *self, guint i, gboolean *is_made)
{
  if (is_made)
    *is_made = row_at(self, i)->is_made;
  return row_at(self, i)->text;
}

static void fill(RegardChangeRows *self);

void
regard_change_rows_set_made(RegardChangeRows *self, guint i, gboolean is_made)
{
  if (i >= self->rows->len || row_at(self, i)->is_made == is_made)
    return;
  row_at(self, i)->is_made = is_made;
  if (!commit(self))
    row_at(self, i)->is_made = !is_made;
  fill(self);
}

gboolean
regard_change_rows_edit(RegardChangeRows *self, guint i, const char *text)
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
    fill(self);
    return TRUE;
  }
  g_free(row_at(self, i)->text);
  row_at(self, i)->text = g_steal_pointer(&old);
  row_at(self, i)->is_made = was_made;
  return FALSE;
}

void
regard_change_rows_remove(RegardChangeRows *self, guint i)
{
  if (i >= self->rows->len)
    return;
  g_array_remove_index(self->rows, i);
  commit(self);
  fill(self);
}

gboolean
regard_change_rows_add(RegardChangeRows *self, const char *text)
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
on_switch(GtkCheckButton *widget, GParamSpec *pspec, RegardChangeRows *self)
{
  if (!self->is_setting)
    regard_change_rows_set_made(self, index_of(widget), gtk_check_button_get_active(widget));
}

static void
on_remove(GtkWidget *button, RegardChangeRows *self)
{
  regard_change_rows_remove(self, index_of(button));
}

static void
on_edited(GtkWidget *entry, RegardChangeRows *self)
{
  if (regard_change_rows_edit(self, index_of(entry), gtk_editable_get_text(GTK_EDITABLE(entry))))
    gtk_widget_remove_css_class(entry, "error");
  else
    gtk_widget_add_css_class(entry, "error");
}

/* What was not finished with Enter is taken back. */
static void
on_left(GtkEventController *focus, RegardChangeRows *self)
{
  GtkWidget *entry = gtk_event_controller_get_widget(focus);
  const guint i = index_of(entry);
  if (i < self->rows->len && !gtk_widget_has_css_class(entry, "error"))
    gtk_editable_set_text(GTK_EDITABLE(entry), row_at(self, i)->text);
}

static void
on_add(RegardChangeRows *self)
{
  if (regard_change_rows_add(self, gtk_editable_get_text(GTK_EDITABLE(self->entry)))) {
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
create_row(RegardChangeRows *self)
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
  g_signal_connect(entry, "activate", G_CALLBACK(on_edited), self);
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
fill(RegardChangeRows *self)
{
  GtkWidget *row = gtk_widget_get_first_child(self->list), *next;
  self->is_setting = TRUE;
  for (guint i = 0; i < self->rows->len; i++, row = gtk_widget_get_next_sibling(row)) {
    const Row *r = row_at(self, i);
    if (!row)
      gtk_box_append(GTK_BOX(self->list), row = create_row(self));
    GtkWidget *made = gtk_widget_get_first_child(row), *entry = gtk_widget_get_next_sibling(made),
              *remove = gtk_widget_get_next_sibling(entry);
    GtkWidget *const parts[] = {made, entry, remove};
    for (guint k = 0; k < G_N_ELEMENTS(parts); k++)
      g_object_set_data(G_OBJECT(parts[k]), "row", GUINT_TO_POINTER(i));
    gtk_check_button_set_active(GTK_CHECK_BUTTON(made), r->is_made);
    if (!g_str_equal(gtk_editable_get_text(GTK_EDITABLE(entry)), r->text))
      gtk_editable_set_text(GTK_EDITABLE(entry), r->text);
    gtk_widget_remove_css_class(entry, "error");
    gtk_widget_set_opacity(entry, r->is_made ? 1 : 0.6);
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
on_changes(RegardChangeRows *self)
{
  take_rows(self);
  fill(self);
}

static void
regard_change_rows_dispose(GObject *object)
{
  RegardChangeRows *self = REGARD_CHANGE_ROWS(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_change_rows_parent_class)->dispose(object);
}

static void
regard_change_rows_finalize(GObject *object)
{
  g_array_unref(REGARD_CHANGE_ROWS(object)->rows);
  G_OBJECT_CLASS(regard_change_rows_parent_class)->finalize(object);
}

static void
regard_change_rows_class_init(RegardChangeRowsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_change_rows_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_change_rows_finalize;
  failed_signal = g_signal_new("failed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_change_rows_init(RegardChangeRows *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  self->rows = g_array_new(FALSE, FALSE, sizeof(Row));
  g_array_set_clear_func(self->rows, clear_row);
  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  self->list = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->list);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scroller), TRUE);
  gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(scroller), 240);
  self->entry = gtk_entry_new();
  gtk_widget_add_css_class(self->entry, "monospace");
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->entry), _("Another, such as cross 4.1 uniform"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Another change"), -1);
  g_signal_connect_swapped(self->entry, "activate", G_CALLBACK(on_add), self);
  gtk_box_append(GTK_BOX(self->box), scroller);
  gtk_box_append(GTK_BOX(self->box), self->entry);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
}

GtkWidget *
regard_change_rows_new(RegardDocument *document)
{
  RegardChangeRows *self = g_object_new(REGARD_TYPE_CHANGE_ROWS, NULL);
  self->document = g_object_ref(document);
  g_signal_connect_object(document, "changed::changes", G_CALLBACK(on_changes), self,
                          G_CONNECT_SWAPPED);
  on_changes(self);
  return GTK_WIDGET(self);
}

/* regard-language-choice.c — the language that a multi-target model translates into.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-language-choice.h"

#include "models/regard-language.h"
#include <glib/gi18n.h>

#define SETTING "target-languages"
#define CODE    "regard-code" /* of an item, beside its name */

/* A longer list than fits under the pointer is searched. */
#define SEARCH_FROM 11

typedef struct {
  char *code, *name;
} Language;

struct _RegardLanguageChoice {
  GtkWidget parent_instance;
  GtkWidget *label;
  GtkDropDown *drop_down;
  GSettings *settings;
  RegardDocument *document;
  char *key;            /* of the model */
  GPtrArray *languages; /* of Language, as they are listed */
  gboolean is_setting;  /* the program chooses, not the person */
};

G_DEFINE_FINAL_TYPE(RegardLanguageChoice, regard_language_choice, GTK_TYPE_WIDGET)

static void
language_free(gpointer data)
{
  Language *language = data;
  g_free(language->code);
  g_free(language->name);
  g_free(language);
}

static int
compare(gconstpointer a, gconstpointer b)
{
  const Language *const *x = a, *const *y = b;
  int order = g_utf8_collate((*x)->name, (*y)->name);
  return order ? order : g_strcmp0((*x)->code, (*y)->code);
}

/* By name; languages of one name get their code behind it. */
static GPtrArray *
list_languages(const mt_model *model)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(language_free);
  for (size_t i = 0; i < mt_model_n_languages(model); i++) {
    Language *language = g_new(Language, 1);
    language->code = g_strdup(mt_model_language(model, i));
    language->name = regard_language_name(language->code);
    g_ptr_array_add(list, language);
  }
  g_ptr_array_sort(list, compare);
  for (guint i = 0, end; i < list->len; i = end) {
    const char *name = ((Language *) list->pdata[i])->name;
    for (end = i + 1; end < list->len; end++)
      if (!g_str_equal(((Language *) list->pdata[end])->name, name))
        break;
    for (guint k = i; end - i > 1 && k < end; k++) {
      Language *language = list->pdata[k];
      char *plain = language->name;
      language->name = g_strdup_printf("%s (%s)", plain, language->code);
      g_free(plain);
    }
  }
  return list;
}

/* ---- What is remembered -------------------------------------------------------------------- */

static char *
remembered(RegardLanguageChoice *self)
{
  g_autoptr(GVariant) all = g_settings_get_value(self->settings, SETTING);
  char *code = NULL;
  g_variant_lookup(all, self->key, "s", &code);
  return code;
}

/* Choices of models that are no longer among the recent ones go with them. */
static void
remember(RegardLanguageChoice *self)
{
  g_autoptr(GVariant) all = g_settings_get_value(self->settings, SETTING);
  g_auto(GStrv) recent = g_settings_get_strv(self->settings, "recent-models");
  GVariantBuilder builder;
  GVariantIter iter;
  const char *key, *code;
  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{ss}"));
  g_variant_iter_init(&iter, all);
  while (g_variant_iter_next(&iter, "{&s&s}", &key, &code))
    if (!g_str_equal(key, self->key) &&
        (!*key || g_strv_contains((const char *const *) recent, key)))
      g_variant_builder_add(&builder, "{ss}", key, code);
  g_variant_builder_add(&builder, "{ss}", self->key, regard_language_choice_get_code(self));
  g_settings_set_value(self->settings, SETTING, g_variant_builder_end(&builder));
}

/* ---- Rows: the name, and in the list its code and a mark at the chosen one ---------------------
 */

static void
set_up_chosen(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *name = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(name), 0);
  gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars(GTK_LABEL(name), 10);
  gtk_list_item_set_child(item, name);
}

static void
bind_chosen(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)),
                     gtk_string_object_get_string(gtk_list_item_get_item(item)));
}

static void
set_up_row(GtkSignalListItemFactory *factory, GtkListItem *item, RegardLanguageChoice *self)
{
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *name = gtk_label_new(NULL), *code = gtk_label_new(NULL);
  GtkWidget *mark = gtk_image_new_from_icon_name("object-select-symbolic");
  gtk_label_set_xalign(GTK_LABEL(name), 0);
  gtk_widget_set_hexpand(name, TRUE);
  gtk_widget_add_css_class(code, "regard-hint");
  gtk_box_append(GTK_BOX(row), name);
  gtk_box_append(GTK_BOX(row), code);
  gtk_box_append(GTK_BOX(row), mark);
  gtk_list_item_set_child(item, row);
}

/* Opacity and not visibility, so that the codes stand in one column. */
static void
mark_chosen(GtkDropDown *drop_down, GParamSpec *pspec, GtkListItem *item)
{
  GtkWidget *mark = gtk_widget_get_last_child(gtk_list_item_get_child(item));
  gboolean is_chosen = gtk_drop_down_get_selected_item(drop_down) == gtk_list_item_get_item(item);
  gtk_widget_set_opacity(mark, is_chosen ? 1 : 0);
}

static void
bind_row(GtkSignalListItemFactory *factory, GtkListItem *item, RegardLanguageChoice *self)
{
  GtkWidget *name = gtk_widget_get_first_child(gtk_list_item_get_child(item));
  GObject *shown = gtk_list_item_get_item(item);
  gtk_label_set_text(GTK_LABEL(name), gtk_string_object_get_string(GTK_STRING_OBJECT(shown)));
  gtk_label_set_text(GTK_LABEL(gtk_widget_get_next_sibling(name)), g_object_get_data(shown, CODE));
  g_signal_connect_object(self->drop_down, "notify::selected-item", G_CALLBACK(mark_chosen), item,
                          0);
  mark_chosen(self->drop_down, NULL, item);
}

static void
unbind_row(GtkSignalListItemFactory *factory, GtkListItem *item, RegardLanguageChoice *self)
{
  g_signal_handlers_disconnect_by_func(self->drop_down, mark_chosen, item);
}

static void
add_factories(RegardLanguageChoice *self)
{
  g_autoptr(GtkListItemFactory) chosen = gtk_signal_list_item_factory_new();
  g_signal_connect(chosen, "setup", G_CALLBACK(set_up_chosen), NULL);
  g_signal_connect(chosen, "bind", G_CALLBACK(bind_chosen), NULL);
  gtk_drop_down_set_factory(self->drop_down, chosen);
  g_autoptr(GtkListItemFactory) rows = gtk_signal_list_item_factory_new();
  g_signal_connect_object(rows, "setup", G_CALLBACK(set_up_row), self, 0);
  g_signal_connect_object(rows, "bind", G_CALLBACK(bind_row), self, 0);
  g_signal_connect_object(rows, "unbind", G_CALLBACK(unbind_row), self, 0);
  gtk_drop_down_set_list_factory(self->drop_down, rows);
}

/* GTK 4.8 gives the focus to the list and not to the search above it: what is typed there shall
 * search all the same. */
static void
search_while_typing(GtkWidget *root, GtkWidget *popover)
{
  if (GTK_IS_SEARCH_ENTRY(root) && popover) {
    gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(root), popover);
    gtk_accessible_update_property(GTK_ACCESSIBLE(root), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   _("Search languages"), -1);
  }
  if (GTK_IS_POPOVER(root))
    popover = root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child))
    search_while_typing(child, popover);
}

/* ---- The widget ---------------------------------------------------------------------------- */

static void
update_visible(RegardLanguageChoice *self)
{
  gtk_widget_set_visible(GTK_WIDGET(self),
                         self->languages->len > 0 &&
                             !regard_document_get_imported_capture(self->document));
}

static void
on_selected(RegardLanguageChoice *self)
{
  if (self->is_setting || gtk_drop_down_get_selected(self->drop_down) == GTK_INVALID_LIST_POSITION)
    return;
  remember(self);
  regard_document_set_language(self->document, regard_language_choice_get_code(self));
}

static void
on_model(RegardLanguageChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  if (!model)
    return;
  g_free(self->key);
  self->key = g_utf8_make_valid(regard_document_get_model_dir(self->document), -1);
  g_ptr_array_unref(self->languages);
  self->languages = list_languages(model);

  g_autofree char *code = remembered(self);
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  guint chosen = 0;
  for (guint i = 0; i < self->languages->len; i++) {
    const Language *language = self->languages->pdata[i];
    gtk_string_list_append(names, language->name);
    g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(names), i);
    g_object_set_data_full(item, CODE, g_strdup(language->code), g_free);
    if (g_strcmp0(language->code, code) == 0)
      chosen = i;
  }
  self->is_setting = TRUE;
  gtk_drop_down_set_model(self->drop_down, G_LIST_MODEL(names));
  gtk_drop_down_set_enable_search(self->drop_down, self->languages->len >= SEARCH_FROM);
  if (self->languages->len)
    gtk_drop_down_set_selected(self->drop_down, chosen);
  self->is_setting = FALSE;
  update_visible(self);
  regard_document_set_language(self->document, regard_language_choice_get_code(self));
}

/* From elsewhere, as from a session: not remembered for the model. */
static void
on_language(RegardLanguageChoice *self)
{
  const char *code = regard_document_get_search(self->document)->language;
  for (guint i = 0; i < self->languages->len; i++)
    if (g_str_equal(((Language *) self->languages->pdata[i])->code, code)) {
      self->is_setting = TRUE;
      gtk_drop_down_set_selected(self->drop_down, i);
      self->is_setting = FALSE;
    }
}

void
regard_language_choice_set_document(RegardLanguageChoice *self, RegardDocument *document,
                                    GSettings *settings)
{
  g_return_if_fail(REGARD_IS_LANGUAGE_CHOICE(self) && !self->document);
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  regard_observe(document, self, on_model, "changed::model");
  regard_observe(document, self, on_language, "changed::language");
  regard_observe(document, self, update_visible, "changed::foreign");
  on_model(self);
}

const char *
regard_language_choice_get_code(RegardLanguageChoice *self)
{
  guint i = gtk_drop_down_get_selected(self->drop_down);
  return i < self->languages->len ? ((Language *) self->languages->pdata[i])->code : "";
}

static void
regard_language_choice_dispose(GObject *object)
{
  RegardLanguageChoice *self = REGARD_LANGUAGE_CHOICE(object);
  for (GtkWidget *child; (child = gtk_widget_get_first_child(GTK_WIDGET(self)));)
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(regard_language_choice_parent_class)->dispose(object);
}

static void
regard_language_choice_finalize(GObject *object)
{
  RegardLanguageChoice *self = REGARD_LANGUAGE_CHOICE(object);
  g_ptr_array_unref(self->languages);
  g_clear_object(&self->settings);
  g_clear_object(&self->document);
  g_free(self->key);
  G_OBJECT_CLASS(regard_language_choice_parent_class)->finalize(object);
}

static void
regard_language_choice_class_init(RegardLanguageChoiceClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_language_choice_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_language_choice_finalize;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "languagechoice");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BOX_LAYOUT);
}

static void
regard_language_choice_init(RegardLanguageChoice *self)
{
  static const char name[] = N_("Language of the translation");
  self->languages = g_ptr_array_new_with_free_func(language_free);
  self->key = g_strdup("");
  /* What the names are searched by. */
  GtkExpression *expression = gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string");
  self->drop_down = GTK_DROP_DOWN(gtk_drop_down_new(NULL, expression));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->drop_down), _(name));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _(name), -1);
  add_factories(self);
  search_while_typing(GTK_WIDGET(self->drop_down), NULL);
  self->label = gtk_label_new_with_mnemonic(C_("translation", "t_o"));
  gtk_label_set_mnemonic_widget(GTK_LABEL(self->label), GTK_WIDGET(self->drop_down));
  /* Which would call the list "to". */
  gtk_accessible_reset_relation(GTK_ACCESSIBLE(self->drop_down),
                                GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_widget_set_parent(self->label, GTK_WIDGET(self));
  gtk_widget_set_parent(GTK_WIDGET(self->drop_down), GTK_WIDGET(self));
  g_signal_connect_swapped(self->drop_down, "notify::selected", G_CALLBACK(on_selected), self);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

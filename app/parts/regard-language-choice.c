/* regard-language-choice.c — one of the two languages between which a model translates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-language-choice.h"

#include "base/regard-settings.h"
#include "models/regard-language.h"
#include "widgets/regard-gtk.h"
#include <glib/gi18n.h>

#define CODE "regard-code" /* of an item, beside its name */

/* A longer list than fits under the pointer is searched. */
#define SEARCH_FROM 11

typedef struct {
  char *code, *name;
} Language;

struct _RegardLanguageChoice {
  GtkWidget parent_instance;
  GtkWidget *label;
  GtkDropDown *drop_down;
  GtkWidget *swap; /* of the source; NULL */
  GSettings *settings;
  RegardDocument *document;
  gboolean is_source;
  char *key;            /* of the model */
  GPtrArray *languages; /* of Language, as they are listed */
  gboolean is_setting;  /* the program chooses, not the person */
};

G_DEFINE_FINAL_TYPE(RegardLanguageChoice, regard_language_choice, GTK_TYPE_WIDGET)

enum { PROP_IS_SOURCE = 1, N_PROPS };
static GParamSpec *props[N_PROPS];

/* What each side has. */
static const struct {
  const char *setting, *context, *label, *name;
  size_t (*count)(const mt_model *model);
  const char *(*code)(const mt_model *model, size_t i);
  bool (*find)(const mt_model *model, const char *code, size_t *i);
} sides[MT_N_STACKS] = {
    [MT_STACK_ENCODER] = {"source-languages", "source", NC_("source", "_from"),
                          N_("Language of the source"), mt_model_n_source_languages,
                          mt_model_source_language, mt_model_find_source_language},
    [MT_STACK_DECODER] = {"target-languages", "translation", NC_("translation", "t_o"),
                          N_("Language of the translation"), mt_model_n_languages,
                          mt_model_language, mt_model_find_language},
};

static mt_stack
side_of(const RegardLanguageChoice *self)
{
  return self->is_source ? MT_STACK_ENCODER : MT_STACK_DECODER;
}

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

static void
name_wholly(Language *language)
{
  g_free(language->name);
  language->name = regard_language_name(language->code);
}

static void
name_with_code(Language *language)
{
  g_autofree char *plain = language->name;
  language->name = g_strdup_printf(_("%s (%s)"), plain, language->code);
}

/* Sorted by name; those that have one name get others. */
static void
tell_apart(GPtrArray *list, void (*name_otherwise)(Language *language))
{
  g_ptr_array_sort(list, compare);
  for (guint i = 0, end; i < list->len; i = end) {
    g_autofree char *name = g_strdup(((Language *) list->pdata[i])->name);
    for (end = i + 1; end < list->len; end++)
      if (!g_str_equal(((Language *) list->pdata[end])->name, name))
        break;
    for (guint k = i; end - i > 1 && k < end; k++)
      name_otherwise(list->pdata[k]);
  }
  g_ptr_array_sort(list, compare);
}

gboolean
regard_language_choice_is_needed(const mt_model *model, mt_stack side)
{
  return mt_model_config(model)->language_mode != MT_LANGUAGES_SOURCE_TOKEN &&
         sides[side].count(model) > 0 && mt_model_own_language(model, side) < 0;
}

/* By name. Where a model has two lists, a language is named with its script or region only if the
 * list has it in several; languages of one name get their code behind it. */
static GPtrArray *
list_languages(const mt_model *model, mt_stack side)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(language_free);
  const gboolean is_pair = mt_model_n_source_languages(model) > 0;
  for (size_t i = 0; i < sides[side].count(model); i++) {
    Language *language = g_new(Language, 1);
    language->code = g_strdup(sides[side].code(model, i));
    language->name =
        is_pair ? regard_language_name_alone(language->code) : regard_language_name(language->code);
    g_ptr_array_add(list, language);
  }
  if (is_pair)
    tell_apart(list, name_wholly);
  tell_apart(list, name_with_code);
  /* A row of its own, because a list without a choice is one in which GTK 4.18 chooses the first.
   */
  if (regard_language_choice_is_needed(model, side)) {
    Language *nobody = g_new(Language, 1);
    *nobody = (Language){.code = g_strdup(""), .name = g_strdup(_("Choose…"))};
    g_ptr_array_insert(list, 0, nobody);
  }
  return list;
}

/* Its place in the list, by a code as any model has it. */
static gboolean
find(const RegardLanguageChoice *self, const char *code, guint *place)
{
  const mt_model *model = regard_document_get_model(self->document);
  mt_stack side = side_of(self);
  size_t language;
  if (!model || !code || !sides[side].find(model, code, &language))
    return FALSE;
  for (guint i = 0; i < self->languages->len; i++)
    if (g_str_equal(((Language *) self->languages->pdata[i])->code,
                    sides[side].code(model, language))) {
      *place = i;
      return TRUE;
    }
  return FALSE;
}

/* ---- What is remembered -------------------------------------------------------------------- */

static char *
remembered(const RegardLanguageChoice *self)
{
  g_autoptr(GVariant) all = g_settings_get_value(self->settings, sides[side_of(self)].setting);
  char *code = NULL;
  g_variant_lookup(all, self->key, "s", &code);
  return code;
}

static void
remember(const RegardLanguageChoice *self, mt_stack side, const char *chosen)
{
  regard_settings_keep_of_model(self->settings, sides[side].setting, self->key,
                                g_variant_new_string(chosen));
}

/* ---- Rows: the name, and in the list its code and a mark at the chosen one ---------------------
 */

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
  regard_drop_down_let_shrink(self->drop_down);
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

/* To the document, which has both. */
static void
tell(RegardLanguageChoice *self)
{
  const char *code = regard_language_choice_get_code(self);
  regard_document_set_languages(self->document, self->is_source ? code : NULL,
                                self->is_source ? NULL : code);
}

static void
on_selected(RegardLanguageChoice *self)
{
  if (self->is_setting || gtk_drop_down_get_selected(self->drop_down) == GTK_INVALID_LIST_POSITION)
    return;
  remember(self, side_of(self), regard_language_choice_get_code(self));
  tell(self);
}

static void
select_place(RegardLanguageChoice *self, guint place)
{
  self->is_setting = TRUE;
  gtk_drop_down_set_selected(self->drop_down, place);
  self->is_setting = FALSE;
}

static const char *
asked(const RegardLanguageChoice *self)
{
  const mt_request *search = regard_document_get_search(self->document);
  return self->is_source ? search->source_language : search->language;
}

/* From elsewhere, as from a session: not remembered for the model. */
static void
on_languages(RegardLanguageChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  const mt_request *search = regard_document_get_search(self->document);
  guint place;
  size_t i;
  if (find(self, asked(self), &place))
    select_place(self, place);
  if (self->swap)
    gtk_widget_set_sensitive(self->swap,
                             model && mt_model_find_source_language(model, search->language, &i) &&
                                 mt_model_find_language(model, search->source_language, &i));
}

/* Where the list begins that nobody chose from. */
static guint
first_place(const RegardLanguageChoice *self, const mt_model *model)
{
  mt_stack side = side_of(self);
  int own = mt_model_own_language(model, side);
  g_autofree char *code = remembered(self);
  guint place;
  if (find(self, code, &place) ||
      (own >= 0 && find(self, sides[side].code(model, (size_t) own), &place)))
    return place;
  return self->languages->len ? 0 : GTK_INVALID_LIST_POSITION;
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
  self->languages = list_languages(model, side_of(self));

  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  for (guint i = 0; i < self->languages->len; i++) {
    const Language *language = self->languages->pdata[i];
    gtk_string_list_append(names, language->name);
    g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(names), i);
    g_object_set_data_full(item, CODE, g_strdup(language->code), g_free);
  }
  self->is_setting = TRUE;
  gtk_drop_down_set_model(self->drop_down, G_LIST_MODEL(names));
  gtk_drop_down_set_enable_search(self->drop_down, self->languages->len >= SEARCH_FROM);
  self->is_setting = FALSE;
  select_place(self, first_place(self, model));
  update_visible(self);
  tell(self);
  on_languages(self);
}

/* The pair, as if both were chosen. */
static void
on_swap(RegardLanguageChoice *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  const mt_request *search = regard_document_get_search(self->document);
  size_t source, target;
  if (model && mt_model_find_source_language(model, search->language, &source) &&
      mt_model_find_language(model, search->source_language, &target)) {
    remember(self, MT_STACK_ENCODER, mt_model_source_language(model, source));
    remember(self, MT_STACK_DECODER, mt_model_language(model, target));
    regard_document_set_languages(self->document, mt_model_source_language(model, source),
                                  mt_model_language(model, target));
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
  regard_observe(document, self, on_languages, "changed::language");
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
regard_language_choice_set_property(GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  if (id == PROP_IS_SOURCE)
    REGARD_LANGUAGE_CHOICE(object)->is_source = g_value_get_boolean(value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void
add_label(RegardLanguageChoice *self)
{
  mt_stack side = side_of(self);
  self->label =
      gtk_label_new_with_mnemonic(g_dpgettext2(NULL, sides[side].context, sides[side].label));
  gtk_label_set_mnemonic_widget(GTK_LABEL(self->label), GTK_WIDGET(self->drop_down));
  /* Which would call the list "to". */
  gtk_accessible_reset_relation(GTK_ACCESSIBLE(self->drop_down),
                                GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

static void
add_swap(RegardLanguageChoice *self)
{
  self->swap = gtk_button_new_with_label("⇄");
  gtk_widget_set_tooltip_text(self->swap, _("Swap the two languages"));
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->swap), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Swap the two languages"), -1);
  gtk_widget_add_css_class(self->swap, "flat");
  gtk_widget_set_parent(self->swap, GTK_WIDGET(self));
  g_signal_connect_swapped(self->swap, "clicked", G_CALLBACK(on_swap), self);
}

static void
regard_language_choice_constructed(GObject *object)
{
  RegardLanguageChoice *self = REGARD_LANGUAGE_CHOICE(object);
  const char *name = _(sides[side_of(self)].name);
  G_OBJECT_CLASS(regard_language_choice_parent_class)->constructed(object);
  /* What the names are searched by. */
  GtkExpression *expression = gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string");
  self->drop_down = GTK_DROP_DOWN(gtk_drop_down_new(NULL, expression));
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->drop_down), name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 name, -1);
  add_factories(self);
  search_while_typing(GTK_WIDGET(self->drop_down), NULL);
  add_label(self);
  gtk_widget_set_parent(self->label, GTK_WIDGET(self));
  gtk_widget_set_parent(GTK_WIDGET(self->drop_down), GTK_WIDGET(self));
  if (self->is_source)
    add_swap(self);
  g_signal_connect_swapped(self->drop_down, "notify::selected", G_CALLBACK(on_selected), self);
}

static void
regard_language_choice_class_init(RegardLanguageChoiceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  object_class->constructed = regard_language_choice_constructed;
  object_class->set_property = regard_language_choice_set_property;
  object_class->dispose = regard_language_choice_dispose;
  object_class->finalize = regard_language_choice_finalize;
  props[PROP_IS_SOURCE] =
      g_param_spec_boolean("is-source", NULL, NULL, FALSE,
                           G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, props);
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "languagechoice");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BOX_LAYOUT);
}

static void
regard_language_choice_init(RegardLanguageChoice *self)
{
  self->languages = g_ptr_array_new_with_free_func(language_free);
  self->key = g_strdup("");
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

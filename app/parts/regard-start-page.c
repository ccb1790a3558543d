/* regard-start-page.c — what stands in place of pictures when there is nothing to show.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-start-page.h"

#include "base/regard-locale.h"
#include "base/regard-signals.h"
#include "base/regard-template.h"

#include <adwaita.h>
#include <gio/gio.h>

/* ==== Sentences to begin with ================================================================= */

#define EXAMPLES "/io/github/regard/Regard/examples.ini"

static void
example_free(gpointer data)
{
  RegardExampleSentence *example = data;
  g_free(example->text);
  g_free(example->note);
  g_free(example->page);
  g_free(example->head);
  g_free(example->row);
  g_free(example->column);
  g_free(example);
}

/* Where an example leads, in the words of lessons: page "attention", head "encoder 4.1", and of its
 * cell the words of row and column, `"it" "animal"`. */
static void
read_place(RegardExampleSentence *example, GKeyFile *file, const char *group)
{
  g_autofree char *cell = g_key_file_get_string(file, group, "cell", NULL);
  int n = 0;
  g_auto(GStrv) names = NULL;
  example->page = g_key_file_get_string(file, group, "page", NULL);
  example->head = g_key_file_get_string(file, group, "head", NULL);
  if (cell && g_shell_parse_argv(cell, &n, &names, NULL) && n == 2) {
    example->row = g_strdup(names[0]);
    example->column = g_strdup(names[1]);
  }
}

static void
add(GPtrArray *list, GKeyFile *file, const char *group)
{
  RegardExampleSentence *example = g_new0(RegardExampleSentence, 1);
  example->text = g_key_file_get_string(file, group, "text", NULL);
  g_autofree char *note = g_key_file_get_string(file, group, "note", NULL);
  example->note = g_strdup(note ? regard_locale_text(note) : "");
  read_place(example, file, group);
  if (example->text)
    g_ptr_array_add(list, example);
  else
    example_free(example);
}

/* Who an example is for: a model by its name, or every model (NULL) of its language. */
static gboolean
is_for(GKeyFile *file, const char *group, const char *model)
{
  g_autofree char *name = g_key_file_get_string(file, group, "model", NULL);
  return g_strcmp0(name, model) == 0;
}

GPtrArray *
regard_examples_list(const char *language, const char *model)
{
  g_autoptr(GBytes) bytes = g_resources_lookup_data(EXAMPLES, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr(GKeyFile) file = g_key_file_new();
  GPtrArray *list = g_ptr_array_new_with_free_func(example_free);
  if (!bytes || !g_key_file_load_from_bytes(file, bytes, G_KEY_FILE_NONE, NULL))
    return list;
  g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
  for (guint i = 0; model && groups[i]; i++)
    if (is_for(file, groups[i], model))
      add(list, file, groups[i]);
  /* Nothing in the model's language: better any sentence than none. */
  for (int pass = 0; pass < 2 && list->len == 0; pass++)
    for (guint i = 0; groups[i]; i++) {
      g_autofree char *lang = g_key_file_get_string(file, groups[i], "lang", NULL);
      if (is_for(file, groups[i], NULL) &&
          (pass == 1 || (lang && language && g_str_has_prefix(language, lang))))
        add(list, file, groups[i]);
    }
  return list;
}

static void
add_example(GtkListBox *list, const RegardExampleSentence *example)
{
  GtkWidget *row = adw_action_row_new();
  g_object_set(row, "use-markup", FALSE, "title", example->text, "subtitle", example->note,
               "title-lines", 2, "activatable", TRUE, NULL);
  gtk_list_box_append(list, row);
}

void
regard_examples_fill(GtkListBox *list, const GPtrArray *examples)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(list))))
    gtk_list_box_remove(list, child);
  for (guint i = 0; i < examples->len; i++)
    add_example(list, examples->pdata[i]);
}

/* ==== The page ================================================================================ */

struct _RegardStartPage {
  GtkWidget parent_instance;
  GtkStack *stack;
  GtkListBox *list;
  GtkSpinner *spinner;
};

G_DEFINE_FINAL_TYPE(RegardStartPage, regard_start_page, GTK_TYPE_WIDGET)

void
regard_start_page_set_model(RegardStartPage *self, const char *language, const char *name)
{
  g_autoptr(GPtrArray) examples = regard_examples_list(language, name);
  regard_examples_fill(self->list, examples);
}

void
regard_start_page_set_state(RegardStartPage *self, RegardStartState state)
{
  static const char *const names[] = {"examples", "loading", "no-model"};
  gtk_stack_set_visible_child_name(self->stack, names[state]);
  gtk_spinner_set_spinning(self->spinner, state == REGARD_START_LOADING);
}

static void
on_row_activated(RegardStartPage *self, GtkListBoxRow *row)
{
  g_signal_emit_by_name(self, "example", adw_preferences_row_get_title(ADW_PREFERENCES_ROW(row)));
}

static void
regard_start_page_dispose(GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_start_page_parent_class)->dispose(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardStartPage, name)

static void
regard_start_page_class_init(RegardStartPageClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(stack),
                                                 CHILD(list),
                                                 CHILD(spinner),
                                                 {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_start_page_dispose;
  regard_add_signal(klass, "example", 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  regard_set_template(klass, "regard-start-page.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_row_activated);
}

static void
regard_start_page_init(RegardStartPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  regard_start_page_set_state(self, REGARD_START_LOADING);
}

/* regard-window-content.c — pictures if the open view has any to show, or is about to; else the
 * start page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "document/regard-batch.h"
#include "measure/regard-quality-run.h"
#include "parts/regard-examples.h"
#include "window/regard-window-handlers.h"

/* Characters of an example in the menu. */
#define LONGEST_ENTRY 56

RegardView *
regard_window_get_page(RegardWindow *self)
{
  GtkWidget *page = adw_view_stack_get_visible_child(self->views);
  return page ? REGARD_VIEW(page) : NULL;
}

RegardView *
regard_window_get_view(RegardWindow *self)
{
  const char *shown = gtk_stack_get_visible_child_name(self->content);
  return g_strcmp0(shown, "views") == 0 ? regard_window_get_page(self) : NULL;
}

void
regard_window_observe_pages(RegardWindow *self, GCallback update)
{
  for (GtkWidget *page = gtk_widget_get_first_child(GTK_WIDGET(self->views)); page;
       page = gtk_widget_get_next_sibling(page))
    g_signal_connect_object(page, "choices-changed", update, self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->views, "notify::visible-child", update, self, G_CONNECT_SWAPPED);
}

static void
update(RegardWindow *self)
{
  RegardDocument *document = self->document;
  RegardView *page = regard_window_get_page(self);
  guint n_choices = 0;
  if (page)
    regard_view_get_export_choices(page, &n_choices);
  gboolean has_pictures = n_choices || regard_selection_get_capture(self->selection) ||
                          regard_document_is_translating(document);
  regard_start_page_set_state(self->start,
                              regard_document_get_model(document)    ? REGARD_START_EXAMPLES
                              : regard_document_is_opening(document) ? REGARD_START_LOADING
                                                                     : REGARD_START_NO_MODEL);
  gtk_stack_set_visible_child_name(self->content, has_pictures ? "views" : "start");
}

/* A menu is no place for a paragraph. */
static char *
shorten(const char *text)
{
  g_autofree char *front = g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), LONGEST_ENTRY));
  return g_str_equal(front, text) ? g_strdup(text) : g_strdup_printf("%s…", front);
}

static void
fill_examples(RegardWindow *self, const char *language, const char *name)
{
  g_autoptr(GPtrArray) examples = regard_examples_list(language, name);
  g_menu_remove_all(self->examples_menu);
  for (guint i = 0; i < examples->len; i++) {
    const RegardExampleSentence *example = examples->pdata[i];
    g_autofree char *label = shorten(example->text);
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "win.example", "s", example->text);
    g_menu_append_item(self->examples_menu, item);
  }
}

void
regard_window_on_example(RegardWindow *self, const char *text)
{
  regard_document_set_text(self->document, text);
  gtk_widget_grab_focus(regard_source_pane_get_view(self->source));
}

/* While a file is shown the keyboard is in a text, where typing leads back, unless it was in the
 * pictures. */
static void
on_foreign(RegardWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (regard_document_get_foreign(self->document) &&
      (!focus || !gtk_widget_is_ancestor(focus, GTK_WIDGET(self->content))))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.focus-source", NULL);
}

static void
on_model(RegardWindow *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  const char *language = mt_model_config(model)->source_lang, *name = mt_model_name(model);
  regard_start_page_set_model(self->start, language, name);
  fill_examples(self, language, name);
}

/* The examples as a batch: sentences that everybody has. */
static GPtrArray *
make_batch(mt_model *model, bool (*should_stop)(void *user), void *user)
{
  g_autoptr(GPtrArray) examples =
      regard_examples_list(mt_model_config(model)->source_lang, mt_model_name(model));
  g_autofree const char **texts = g_new0(const char *, examples->len + 1);
  for (guint i = 0; i < examples->len; i++)
    texts[i] = ((const RegardExampleSentence *) examples->pdata[i])->text;
  return regard_batch_traces(model, texts, should_stop, user, NULL);
}

void
regard_window_observe_content(RegardWindow *self)
{
  regard_selection_set_batch_func(self->selection, make_batch);
  regard_selection_set_quality_func(self->selection, regard_quality_run_files);
  static const char *const observed[] = {"changed::model",  "changed::loading", "changed::waiting",
                                         "changed::result", "changed::foreign", "load-failed",
                                         "model-failed"};
  g_signal_connect_object(self->document, "changed::model", G_CALLBACK(on_model), self,
                          G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i], G_CALLBACK(update), self,
                            G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "changed::foreign", G_CALLBACK(on_foreign), self,
                          G_CONNECT_SWAPPED);
  regard_window_observe_pages(self,
                              G_CALLBACK(update)); /* a text has pictures without a sentence */
  update(self);
}

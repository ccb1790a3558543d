/* regard-window-content.c — pictures if the open view has any to show, or is about to; else the
 * start page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

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

static void
on_model(RegardWindow *self)
{
  regard_start_page_set_language(
      self->start, mt_model_config(regard_document_get_model(self->document))->source_lang);
}

void
regard_window_observe_content(RegardWindow *self)
{
  static const char *const observed[] = {"notify::model",  "notify::loading", "notify::waiting",
                                         "notify::result", "notify::foreign", "load-failed",
                                         "model-failed"};
  g_signal_connect_object(self->document, "notify::model", G_CALLBACK(on_model), self,
                          G_CONNECT_SWAPPED);
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i], G_CALLBACK(update), self,
                            G_CONNECT_SWAPPED);
  g_signal_connect_object(self->views, "notify::visible-child", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  update(self);
}

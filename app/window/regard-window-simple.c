/* regard-window-simple.c — Simple and Full: how many controls there are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The setting "simple" is the one place where it is kept. Parts that have less to ask in a simple
 * window follow the selection's "simple"; here is what the window itself shows. Nothing that was
 * chosen in the full window is touched: it is not asked for, and there again afterwards.
 */
#include "parts/regard-messages.h"
#include "widgets/regard-gtk.h"
#include "window/regard-window-private.h"

#include <glib/gi18n.h>

/* Pages of a simple window; the others are behind More, and a tab while they are looked at. */
static const char *const simple_pages[] = {"attention", "inside", "steps", "positions", NULL};

static void
show_pages(RegardWindow *self)
{
  const gboolean simple = regard_selection_get_simple(self->selection);
  GtkWidget *shown = adw_view_stack_get_visible_child(self->views);
  for (GtkWidget *view = gtk_widget_get_first_child(GTK_WIDGET(self->views)); view;
       view = gtk_widget_get_next_sibling(view)) {
    AdwViewStackPage *page = adw_view_stack_get_page(self->views, view);
    adw_view_stack_page_set_visible(page, !simple || view == shown ||
                                              g_strv_contains(simple_pages,
                                                              adw_view_stack_page_get_name(page)));
  }
}

/* Whether a lesson asks for what a simple window does not have. */
static gboolean
needs_all(const RegardLesson *lesson)
{
  for (guint i = 0; i < lesson->steps->len; i++) {
    const RegardLessonStep *step = lesson->steps->pdata[i];
    for (guint k = 0; k < step->directives->len; k++) {
      const RegardDirective *directive = step->directives->pdata[k];
      g_auto(GStrv) page = g_strsplit(directive->text ? directive->text : "", "/", 2);
      if (directive->type == REGARD_DIRECTIVE_COMPARE ||
          directive->type == REGARD_DIRECTIVE_STATE ||
          (directive->type == REGARD_DIRECTIVE_PAGE && !g_strv_contains(simple_pages, page[0])) ||
          (directive->type == REGARD_DIRECTIVE_PANES &&
           (strstr(directive->text, "details") || strstr(directive->text, "received"))) ||
          (directive->type == REGARD_DIRECTIVE_POINT &&
           directive->target->place == REGARD_PLACE_CONTROL &&
           !regard_target_is_in_simple(directive->text)) ||
          (directive->type == REGARD_DIRECTIVE_WAIT && directive->event == REGARD_WAIT_CHANGE))
        return TRUE;
    }
  }
  return FALSE;
}

void
regard_window_update_simple(RegardWindow *self)
{
  /* Rows and columns that a lesson names are pieces. */
  const RegardLesson *lesson = regard_window_get_lesson(self);
  const gboolean simple =
      g_settings_get_boolean(self->settings, "simple") && !(lesson && needs_all(lesson));
  GtkWidget *const full[] = {self->copy_button, self->panes_button, GTK_WIDGET(self->model_button),
                             GTK_WIDGET(self->model_detail)};
  self->in_simple = REGARD_WINDOW_SIMPLE_PARTS;
  regard_selection_set_simple(self->selection, simple);
  regard_selection_set_by_pieces(self->selection, lesson != NULL);
  for (guint i = 0; i < G_N_ELEMENTS(full); i++)
    gtk_widget_set_visible(full[i], !simple);
  gtk_widget_set_visible(self->model_name, simple);
  gtk_widget_set_visible(self->more_button, simple);
  /* Beside each other in the middle: half of the room that is left is at each side. */
  gtk_widget_set_halign(self->switcher, simple ? GTK_ALIGN_END : GTK_ALIGN_CENTER);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(simple ? self->simple_button : self->full_button),
                               TRUE);
  show_pages(self);
  regard_window_show_parts(self);
}

static void
on_toggled(RegardWindow *self, GtkToggleButton *button)
{
  const gboolean simple = GTK_WIDGET(button) == self->simple_button;
  if (!gtk_toggle_button_get_active(button) ||
      simple == regard_selection_get_simple(self->selection))
    return;
  g_settings_set_boolean(self->settings, "simple", simple);
  /* A lesson that needs all controls has them until it is left. */
  if (simple && !regard_selection_get_simple(self->selection)) {
    regard_toast(self->root, _("This lesson uses all controls. The window is simple after it."));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->full_button), TRUE);
  }
}

/* The list of models hangs on a button that a simple window does not have. */
static void
on_models_closed(RegardWindow *self, GtkPopover *models)
{
  g_signal_handlers_disconnect_by_func(models, on_models_closed, self);
  gtk_widget_set_visible(GTK_WIDGET(self->model_button),
                         !regard_selection_get_simple(self->selection));
  gtk_widget_set_visible(self->model_name, regard_selection_get_simple(self->selection));
}

void
regard_window_show_models(RegardWindow *self)
{
  GtkPopover *models = gtk_menu_button_get_popover(self->model_button);
  if (models && regard_selection_get_simple(self->selection)) {
    gtk_widget_set_visible(self->model_name, FALSE);
    gtk_widget_set_visible(GTK_WIDGET(self->model_button), TRUE);
    g_signal_connect_object(models, "closed", G_CALLBACK(on_models_closed), self,
                            G_CONNECT_SWAPPED);
  }
  gtk_menu_button_popup(self->model_button);
}

static void
fill_more(RegardWindow *self)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < n; i++)
    if (!g_strv_contains(simple_pages, views[i].id)) {
      g_autofree char *action = g_strdup_printf("win.go-to-view::%s", views[i].id);
      g_menu_append(self->more_menu, _(views[i].title), action);
    }
}

void
regard_window_observe_simple(RegardWindow *self)
{
  regard_simple_bar_set_document(self->simple_bar, self->document);
  fill_more(self);
  g_object_bind_property(self->model_label, "label", self->model_name, "label",
                         G_BINDING_SYNC_CREATE);
  regard_observe(self->simple_button, self, on_toggled, "toggled");
  regard_observe(self->full_button, self, on_toggled, "toggled");
  regard_observe(self->settings, self, regard_window_update_simple, "changed::simple");
  regard_observe(self->views, self, show_pages, "notify::visible-child");
  regard_window_update_simple(self);
}

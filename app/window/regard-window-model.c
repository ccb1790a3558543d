/* regard-window-model.c — the models: the label of the one that runs, the list to choose from, and
 * what is opened by a dialog, a drop or an action.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In settings and menus the bundled model is the empty string, so that it is found again after the
 * program has moved.
 */
#include "window/regard-window-private.h"

#include "base/regard-paths.h"
#include "base/regard-settings.h"
#include "document/regard-corpus-file.h"
#include "figures/regard-naming.h"
#include "models/regard-model-loader.h"
#include "parts/regard-toast.h"
#include <glib/gi18n.h>

#define MOST_RECENT 8

/* ---- What runs ----------------------------------------------------------------------------- */

static void
show_model(RegardWindow *self)
{
  mt_model *model = regard_document_get_model(self->document);
  g_autofree char *shape = regard_model_shape(model);
  mt_precision precision = mt_model_precision(model);
  const char *name = regard_naming_precision(precision);
  gboolean is_rounded = precision != MT_PRECISION_STORED;
  /* Before the shape, which may be cut off. */
  g_autofree char *detail =
      g_strdup_printf("%s%s%s · %s",
                      *regard_document_get_model_dir(self->document) ? mt_model_name(model)
                                                                     : _("bundled"),
                      is_rounded ? " · " : "", is_rounded ? name : "", shape);
  gtk_label_set_text(self->model_label, regard_document_get_model_title(self->document));
  gtk_label_set_text(self->model_detail, detail);
  g_autofree char *where = regard_paths_shorten(mt_model_directory(model));
  g_autofree char *how =
      is_rounded ? g_strdup_printf(_("Translates in %s; attention is computed in F32."), name)
                 : g_strdup_printf(_("Translates in %s."), name);
  const char *keys = mt_model_config(model)->generation.not_honoured;
  g_autofree char *lacks =
      keys ? g_strdup_printf(_("\nAsks for what is not done here, and is searched without it: %s"),
                             keys)
           : g_strdup("");
  g_autofree char *tip = g_strdup_printf("%s\n%s\n%s%s", where, shape, how, lacks);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->model_detail), tip);
  /* The focus is on the button inside. */
  g_autofree char *said =
      g_strdup_printf(_("Model: %s, %s"), regard_document_get_model_title(self->document), detail);
  gtk_accessible_update_property(GTK_ACCESSIBLE(
                                     gtk_widget_get_first_child(GTK_WIDGET(self->model_button))),
                                 GTK_ACCESSIBLE_PROPERTY_LABEL, said, -1);
}

/* Of a training the list has the checkpoint that was looked at last. */
static void
remember_model(RegardWindow *self)
{
  const char *dir = regard_document_get_model_dir(self->document);
  g_autofree char *before = g_settings_get_string(self->settings, "model");
  if (regard_document_is_step(self->document, dir) &&
      regard_document_is_step(self->document, before))
    regard_settings_drop(self->settings, "recent-models", before);
  g_settings_set_string(self->settings, "model", dir);
  if (*dir)
    regard_settings_push(self->settings, "recent-models", dir, MOST_RECENT);
}

static void
on_model(RegardWindow *self)
{
  remember_model(self);
  show_model(self);
  regard_model_chooser_set_running(self->chooser, regard_document_get_model_dir(self->document));
  if (!regard_document_get_loading(self->document))
    gtk_popover_popdown(GTK_POPOVER(self->chooser));
}

static void
on_loading(RegardWindow *self)
{
  regard_model_chooser_set_loading(self->chooser, regard_document_get_loading(self->document),
                                   regard_document_get_share(self->document));
}

static void
on_load_failed(RegardDocument *document, const char *dir, const GError *error, RegardWindow *self)
{
  gtk_popover_popdown(GTK_POPOVER(self->chooser)); /* it would cover what went wrong */
  if (*dir)
    regard_settings_drop(self->settings, "recent-models", dir);
}

void
regard_window_open_first_model(RegardWindow *self)
{
  g_autofree char *dir = g_settings_get_string(self->settings, "model");
  regard_document_open_model(self->document, dir);
}

/* ---- Choosing and dropping ----------------------------------------------------------------- */

static void
on_path_chosen(GtkNativeDialog *dialog, int response, RegardWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      regard_document_open_model(self->document, path);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

/* Archives, and the files by which people know a model. */
static void
add_filter(GtkFileChooser *chooser)
{
  static const char *const patterns[] = {"*.zip",       "*.safetensors", "pytorch_model*.bin",
                                         "config.json", "decoder.yml",   "*.npz"};
  g_autoptr(GtkFileFilter) models = gtk_file_filter_new(), all = gtk_file_filter_new();
  gtk_file_filter_set_name(models, _("Models"));
  for (guint i = 0; i < G_N_ELEMENTS(patterns); i++)
    gtk_file_filter_add_pattern(models, patterns[i]);
  gtk_file_filter_set_name(all, _("All Files"));
  gtk_file_filter_add_pattern(all, "*");
  gtk_file_chooser_add_filter(chooser, models);
  gtk_file_chooser_add_filter(chooser, all);
}

static void
choose_model(RegardWindow *self, GtkFileChooserAction action)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Open Model"), GTK_WINDOW(self),
                                                             action, _("_Open"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  if (action == GTK_FILE_CHOOSER_ACTION_OPEN)
    add_filter(GTK_FILE_CHOOSER(dialog));
  const char *dir = regard_document_get_model_dir(self->document);
  if (dir && *dir) {
    g_autoptr(GFile) folder = g_file_new_for_path(dir);
    gtk_file_chooser_set_file(GTK_FILE_CHOOSER(dialog), folder, NULL);
  }
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_path_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void
on_forgotten(RegardModelChooser *chooser, const char *path, RegardWindow *self)
{
  regard_settings_drop(self->settings, "recent-models", path);
}

typedef struct {
  RegardWindow *window;
  char *path;
} Showing;

/* What no other program shows is said, with the place to look for it. */
static void
on_shown(GObject *source, GAsyncResult *result, gpointer data)
{
  Showing *showing = data;
  if (!gtk_show_uri_full_finish(GTK_WINDOW(source), result, NULL)) {
    g_autofree char *shown = regard_paths_shorten(showing->path);
    g_autofree char *text = g_strdup_printf(_("No program was found to show %s"), shown);
    regard_toast(showing->window->root, text);
  }
  g_object_unref(showing->window);
  g_free(showing->path);
  g_free(showing);
}

static void
on_show_file(RegardModelChooser *chooser, const char *path, RegardWindow *self)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_autofree char *uri = g_file_get_uri(file);
  Showing *showing = g_new(Showing, 1);
  *showing = (Showing){g_object_ref(self), g_strdup(path)};
  gtk_show_uri_full(GTK_WINDOW(self), uri, GDK_CURRENT_TIME, NULL, on_shown, showing);
}

static void
on_list_chosen(RegardWindow *self, const char *dir)
{
  regard_document_open_model(self->document, dir);
}

static void
on_list_cancelled(RegardWindow *self)
{
  regard_document_cancel_loading(self->document);
}

void
regard_window_open_path(RegardWindow *self, const char *path)
{
  if (regard_session_has_ending(path))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.read-session", "s", path);
  else if (regard_corpus_has_ending(path))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.read-corpus", "s", path);
  else
    regard_document_open_path(self->document, path);
}

/* A folder, an archive, or any file of a model: people drop what they see. */
static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, RegardWindow *self)
{
  GSList *files = g_value_get_boxed(value);
  g_autofree char *path = files ? g_file_get_path(files->data) : NULL;
  if (path)
    regard_window_open_path(self, path);
  return path != NULL;
}

/* ---- Actions ------------------------------------------------------------------------------- */

static void
open_model(GtkWidget *widget, const char *name, GVariant *parameter)
{
  choose_model(REGARD_WINDOW(widget), GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
}

static void
open_model_file(GtkWidget *widget, const char *name, GVariant *parameter)
{
  choose_model(REGARD_WINDOW(widget), GTK_FILE_CHOOSER_ACTION_OPEN);
}

static void
show_models(GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_menu_button_popup(REGARD_WINDOW(widget)->model_button);
}

static void
use_model(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_open_model(REGARD_WINDOW(widget)->document,
                             g_variant_get_string(parameter, NULL));
}

static void
step_training(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardTrainingBar *bar = REGARD_WINDOW(widget)->training_bar;
  regard_training_bar_choose(bar, (int) regard_training_bar_get_at(bar) +
                                      g_variant_get_int32(parameter));
}

static void
show_training(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_learn(REGARD_WINDOW(widget)->document);
}

void
regard_window_install_model_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.open-model", NULL, open_model);
  gtk_widget_class_install_action(klass, "win.open-model-file", NULL, open_model_file);
  gtk_widget_class_install_action(klass, "win.show-models", NULL, show_models);
  gtk_widget_class_install_action(klass, "win.model", "s", use_model);
  gtk_widget_class_install_action(klass, "win.step-training", "i", step_training);
  gtk_widget_class_install_action(klass, "win.show-training", NULL, show_training);
}

static void
add_chooser(RegardWindow *self)
{
  self->chooser = REGARD_MODEL_CHOOSER(regard_model_chooser_new(self->settings));
  gtk_menu_button_set_popover(self->model_button, GTK_WIDGET(self->chooser));
  g_signal_connect_object(self->chooser, "chosen", G_CALLBACK(on_list_chosen), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->chooser, "cancelled", G_CALLBACK(on_list_cancelled), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->chooser, "forgotten", G_CALLBACK(on_forgotten), self, 0);
  g_signal_connect_object(self->chooser, "show-file", G_CALLBACK(on_show_file), self, 0);
}

void
regard_window_observe_model(RegardWindow *self)
{
  add_chooser(self);
  g_signal_connect_object(self->document, "changed::model", G_CALLBACK(on_model), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "changed::loading", G_CALLBACK(on_loading), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "changed::share", G_CALLBACK(on_loading), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->document, "load-failed", G_CALLBACK(on_load_failed), self, 0);

  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(target), "drop");
  /* Before the text view, which would paste the folder's name. */
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(target), GTK_PHASE_CAPTURE);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

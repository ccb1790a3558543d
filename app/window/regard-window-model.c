/* regard-window-model.c — opening models: the bundled one, a chosen, dropped or recent one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model is opened beside the one that runs. Only when the worker has a session for it are label,
 * settings and pictures changed; until then, and if anything fails, the old one works on.
 * In settings and menus the bundled model is the empty string, so that it is found again after the
 * program has moved.
 */
#include "window/regard-window-private.h"

#include "base/regard-error.h"
#include "base/regard-paths.h"
#include "base/regard-settings.h"
#include "figures/regard-naming.h"
#include "models/regard-model-info.h"
#include "models/regard-model-loader.h"
#include "window/regard-window-handlers.h"
#include <glib/gi18n.h>

#define MOST_RECENT 8

static void
show_model(RegardWindow *self)
{
  if (!self->model) {
    gtk_label_set_text(self->model_label, _("No model"));
    gtk_label_set_text(self->model_detail, "");
    return;
  }
  g_autofree char *shape = regard_model_shape(self->model);
  mt_precision precision = mt_model_precision(self->model);
  const char *name = regard_naming_precision(precision);
  gboolean is_rounded = precision != MT_PRECISION_STORED;
  /* Before the shape, which may be cut off. */
  g_autofree char *detail =
      g_strdup_printf("%s%s%s · %s", *self->model_dir ? mt_model_name(self->model) : _("bundled"),
                      is_rounded ? " · " : "", is_rounded ? name : "", shape);
  gtk_label_set_text(self->model_label, self->model_title);
  gtk_label_set_text(self->model_detail, detail);
  g_autofree char *where = regard_paths_shorten(mt_model_directory(self->model));
  g_autofree char *how =
      is_rounded ? g_strdup_printf(_("Translates in %s; attention is computed in F32."), name)
                 : g_strdup_printf(_("Translates in %s."), name);
  g_autofree char *tip = g_strdup_printf("%s\n%s\n%s", where, shape, how);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->model_detail), tip);
}

/* ---- Precision ----------------------------------------------------------------------------- */

static mt_precision
wanted_precision(RegardWindow *self)
{
  g_autofree char *name = g_settings_get_string(self->settings, "precision");
  mt_precision precision = MT_PRECISION_STORED;
  mt_precision_find(name, &precision);
  return precision;
}

/* The same model once more, in the precision that is wanted now. */
void
regard_window_update_precision(RegardWindow *self)
{
  const char *dir = self->loading     ? self->loading_dir
                    : self->ready_dir ? self->ready_dir
                                      : self->model_dir;
  if (!dir || (!self->loading && !self->ready_dir &&
               mt_model_precision(self->model) == wanted_precision(self)))
    return;
  g_autofree char *same = g_strdup(dir);
  regard_window_open_model(self, same);
}

static void
tell_precision(RegardWindow *self)
{
  /* While another one is on its way this one need not be what is wanted. */
  if (self->loading || mt_model_precision(self->model) == wanted_precision(self))
    return;
  g_autofree char *text =
      g_strdup_printf(_("%s cannot be had in %s: it runs in F32"), mt_model_name(self->model),
                      regard_naming_precision(wanted_precision(self)));
  regard_window_toast(self, text);
}

/* ---- Loading ------------------------------------------------------------------------------- */

void
regard_window_cancel_loading(RegardWindow *self)
{
  if (self->loading)
    g_cancellable_cancel(self->loading);
  g_clear_object(&self->loading);
  g_clear_pointer(&self->loading_dir, g_free);
  regard_banner_clear(self->banner, REGARD_BANNER_LOADING);
  regard_model_chooser_set_loading(self->chooser, NULL, 0);
  if (!regard_translator_is_busy(self->translator))
    regard_window_end_waiting(self);
  regard_window_update_content(self);
}

static void
on_progress(double share, gpointer data)
{
  RegardWindow *self = data;
  if (regard_banner_get_title(self->banner, REGARD_BANNER_LOADING))
    regard_banner_set_share(self->banner, REGARD_BANNER_LOADING, share);
  if (self->loading_dir)
    regard_model_chooser_set_loading(self->chooser, self->loading_dir, share);
}

static void
show_load_error(RegardWindow *self, const GError *error)
{
  const char *advice = regard_error_advice(error);
  g_autofree char *detail =
      g_strdup_printf("%s%s%s",
                      self->model
                          ? _("The model that was open goes on working, and your text is kept.")
                          : _("Your text is kept."),
                      advice ? " " : "", advice ? advice : "");
  regard_banner_show(self->banner, REGARD_BANNER_MODEL, error->message, detail, _("Open Another…"));
}

static void
on_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardWindow) self = data;
  g_autoptr(GError) error = NULL;
  mt_model *model = regard_model_load_finish(result, &error);
  GCancellable *mine = g_task_get_cancellable(G_TASK(result));
  /* Another folder was chosen meanwhile, or Cancel was pressed, or the window is gone. */
  if (mine != self->loading) {
    if (model) {
      mt_model_unref(model);
      regard_model_load_done();
    }
    return;
  }
  if (model) {
    /* Goes on in regard_window_use_model(), when the worker has made room for it. */
    g_free(self->ready_dir);
    g_free(self->ready_title);
    self->ready_dir = g_steal_pointer(&self->loading_dir);
    self->ready_title = g_strdup(regard_model_load_title(result));
    g_clear_pointer(&self->ready_training, g_array_unref);
    if (regard_model_load_steps(result))
      self->ready_training = g_array_ref(regard_model_load_steps(result));
    regard_window_cancel_loading(self);
    self->is_swapping = TRUE;
    regard_translator_set_model(self->translator, model);
    mt_model_unref(model);
    return;
  }
  gboolean was_bundled = *self->loading_dir == '\0';
  g_autofree char *dir = g_strdup(self->loading_dir);
  regard_window_cancel_loading(self);
  if (regard_error_is_cancelled(error))
    return;
  /* The remembered model is gone: begin with the bundled one instead of with nothing. */
  if (!self->model && !was_bundled)
    regard_window_open_model(self, "");
  gtk_popover_popdown(GTK_POPOVER(self->chooser)); /* it would cover what went wrong */
  /* A checkpoint that is gone is no longer in its training. In any case the slider goes back. */
  gboolean was_step = regard_window_is_step(self, dir);
  regard_window_set_training(self, was_step ? regard_model_load_steps(result) : self->training);
  show_load_error(self, error);
  if (!was_bundled)
    regard_settings_drop(self->settings, "recent-models", dir);
}

/* dir "": the bundled one. */
void
regard_window_open_model(RegardWindow *self, const char *dir)
{
  g_return_if_fail(REGARD_IS_WINDOW(self) && dir);
  regard_window_cancel_loading(self);
  regard_banner_clear(self->banner, REGARD_BANNER_MODEL);
  g_autofree char *chosen = *dir ? g_canonicalize_filename(dir, NULL) : NULL;
  g_autofree char *path = chosen ? regard_model_path(chosen) : regard_paths_bundled_model();
  self->loading = g_cancellable_new();
  self->loading_dir = *dir ? g_strdup(path) : g_strdup("");
  regard_model_chooser_set_loading(self->chooser, self->loading_dir, 0);
  /* The first one has the start page for its progress; who drags through a training is told only of
   * what takes long. */
  if (regard_window_is_step(self, path))
    regard_window_begin_waiting(self);
  else if (self->model) {
    g_autofree char *where = regard_paths_shorten(path);
    g_autofree char *title = g_strdup_printf(_("Opening %s…"), where);
    regard_banner_show(self->banner, REGARD_BANNER_LOADING, title,
                       _("The model that is open goes on working."), _("Cancel"));
    regard_banner_set_share(self->banner, REGARD_BANNER_LOADING, 0);
  }
  regard_model_load_async(path, wanted_precision(self), self->loading, on_progress, self, on_loaded,
                          g_object_ref(self));
  regard_window_update_content(self);
}

void
regard_window_open_first_model(RegardWindow *self)
{
  g_autofree char *dir = g_settings_get_string(self->settings, "model");
  regard_window_open_model(self, dir);
}

/* What the old model answered keeps it in memory; when that is gone the next may come. */
void
regard_window_end_swap(RegardWindow *self)
{
  if (!self->is_swapping || self->ready_dir || (self->result && self->result->model != self->model))
    return;
  self->is_swapping = FALSE;
  regard_model_load_done();
}

/* The worker runs it: now it is the model. */
void
regard_window_use_model(RegardWindow *self, mt_model *model)
{
  gboolean is_first = self->model == NULL;
  mt_model_ref(model);
  mt_model_unref(self->model);
  self->model = model;
  /* Of a training the list has the checkpoint that was looked at last. */
  if (self->ready_dir && regard_window_is_step(self, self->ready_dir))
    regard_settings_drop(self->settings, "recent-models", self->model_dir);
  g_free(self->model_dir);
  self->model_dir = self->ready_dir ? g_steal_pointer(&self->ready_dir) : g_strdup("");
  g_free(self->model_title);
  self->model_title =
      self->ready_title ? g_steal_pointer(&self->ready_title) : g_strdup(mt_model_name(model));
  g_settings_set_string(self->settings, "model", self->model_dir);
  if (*self->model_dir)
    regard_settings_push(self->settings, "recent-models", self->model_dir, MOST_RECENT);

  regard_selection_set_model(self->selection, model);
  regard_start_page_set_language(self->start, mt_model_config(model)->source_lang);
  regard_search_popover_set_model(self->search_popover, model);
  regard_language_choice_set_model(self->language, model, self->model_dir);
  regard_window_update_search_label(self);
  show_model(self);
  tell_precision(self);
  regard_window_set_training(self, self->ready_training);
  g_clear_pointer(&self->ready_training, g_array_unref);
  regard_model_chooser_set_running(self->chooser, self->model_dir);
  if (!self->loading)
    gtk_popover_popdown(GTK_POPOVER(self->chooser));
  if (regard_window_shows_file(self)) /* the text is translated when it is back */
    g_clear_pointer(&self->result, regard_result_unref);
  /* At the start the request has been waiting in the mailbox, without a language. */
  regard_window_update_request(self, !is_first || mt_model_n_languages(model) > 0);
  regard_window_update_content(self);
  regard_window_end_swap(self);
}

/* ---- Choosing and dropping ----------------------------------------------------------------- */

static void
on_path_chosen(GtkNativeDialog *dialog, int response, RegardWindow *self)
{
  if (response == GTK_RESPONSE_ACCEPT) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      regard_window_open_model(self, path);
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

void
regard_window_choose_model(RegardWindow *self, GtkFileChooserAction action)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new(_("Open Model"), GTK_WINDOW(self),
                                                             action, _("_Open"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  if (action == GTK_FILE_CHOOSER_ACTION_OPEN)
    add_filter(GTK_FILE_CHOOSER(dialog));
  if (self->model && *self->model_dir) {
    g_autoptr(GFile) folder = g_file_new_for_path(self->model_dir);
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
    regard_window_toast(showing->window, text);
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

void
regard_window_add_model_chooser(RegardWindow *self)
{
  self->chooser = REGARD_MODEL_CHOOSER(regard_model_chooser_new(self->settings));
  gtk_menu_button_set_popover(self->model_button, GTK_WIDGET(self->chooser));
  g_signal_connect_object(self->chooser, "chosen", G_CALLBACK(regard_window_open_model), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->chooser, "cancelled", G_CALLBACK(regard_window_cancel_loading),
                          self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->chooser, "forgotten", G_CALLBACK(on_forgotten), self, 0);
  g_signal_connect_object(self->chooser, "show-file", G_CALLBACK(on_show_file), self, 0);
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

void
regard_window_add_drop_target(RegardWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(target), "drop");
  /* Before the text view, which would paste the folder's name. */
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(target), GTK_PHASE_CAPTURE);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

void
regard_window_on_banner(RegardWindow *self, int subject)
{
  if (subject == REGARD_BANNER_LOADING)
    regard_window_cancel_loading(self);
  else if (subject == REGARD_BANNER_MODEL)
    regard_window_choose_model(self, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
  else if (subject == REGARD_BANNER_WORLD)
    regard_window_show_example(self);
  else if (subject == REGARD_BANNER_CAPTURE)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.close-capture", NULL);
  else if (subject == REGARD_BANNER_FILE)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.export", NULL);
}

/* regard-window-model.c — the models: the label of the one that runs, the list to choose from, and
 * what is opened by a dialog, a drop or an action.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In settings and menus the bundled model is the empty string, so that it is found again after the
 * program has moved.
 */
#include "base/regard-paths.h"
#include "base/regard-settings.h"
#include "document/regard-file-kinds.h"
#include "document/regard-folder-tasks.h"
#include "export/regard-sheet-file.h"
#include "figures/regard-naming.h"
#include "models/regard-model-loader.h"
#include "parts/regard-messages.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-source-contribution.h"
#include "window/regard-interventions-dialog.h"
#include "window/regard-window-private.h"

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
  /* Before the shape, which may be cut off.
   * Translators: "bundled" is the model that came with the program, in the place of a name. */
  g_autofree char *detail =
      g_strdup_printf("%s%s%s · %s",
                      *regard_document_get_model_dir(self->document) ? mt_model_name(model)
                                                                     : _("bundled"),
                      is_rounded ? " · " : "", is_rounded ? name : "", shape);
  gtk_label_set_text(self->model_label, regard_document_get_slot(self->document)->own.title);
  gtk_label_set_text(self->model_detail, detail);
  g_autofree char *where = regard_paths_shorten(mt_model_directory(model));
  g_autofree char *how =
      is_rounded ? g_strdup_printf(_("Translates in %s; attention is computed in F32."), name)
                 : g_strdup_printf(_("Translates in %s."), name);
  const char *keys = mt_model_config(model)->generation.not_honoured;
  g_autofree char *lacks =
      keys ? g_strdup_printf(_("Asks for what is not done here, and is searched without it: %s"),
                             keys)
           : NULL;
  const char *type = mt_model_multiplied_out(model);
  g_autofree char *stored =
      type ? g_strdup_printf(_("Stored as whole numbers of %s bits, which are multiplied out."),
                             type + 1)
           : NULL;
  const char *lines[] = {where, shape, how, stored ? stored : lacks, stored ? lacks : NULL, NULL};
  g_autofree char *tip = g_strjoinv("\n", (char **) lines);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->model_detail), tip);
  /* The focus is on the button inside. */
  g_autofree char *said =
      g_strdup_printf(_("Model: %s, %s"), regard_document_get_slot(self->document)->own.title,
                      detail);
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
  if (regard_document_is_aside(self->document)) /* it is a lesson's */
    return;
  if (regard_training_find(regard_document_get_training(self->document), dir, NULL) &&
      regard_training_find(regard_document_get_training(self->document), before, NULL))
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
  if (!regard_document_get_slot(self->document)->loading)
    gtk_popover_popdown(GTK_POPOVER(self->chooser));
}

static void
on_loading(RegardWindow *self)
{
  regard_model_chooser_set_loading(self->chooser, regard_document_get_slot(self->document)->loading,
                                   regard_document_get_slot(self->document)->share);
}

static void
on_load_failed(RegardDocument *document, const char *dir, const GError *error, RegardWindow *self)
{
  gtk_popover_popdown(GTK_POPOVER(self->chooser)); /* it would cover what went wrong */
  if (*dir)
    regard_settings_drop(self->settings, "recent-models", dir);
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
  static const char *const patterns[] = {"*.zip",     "*.argosmodel", "*.safetensors",
                                         "model.bin", "config.json",  "pytorch_model*.bin",
                                         "*.npz",     "decoder.yml"};
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
  else if (regard_talk_has_ending(path))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.read-talk", "s", path);
  else if (g_str_has_suffix(path, REGARD_LESSON_SUFFIX))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.read-lesson", "s", path);
  else if (regard_sheet_has_ending(path))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.show-figure", "s", path);
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
  regard_window_show_models(REGARD_WINDOW(widget));
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

static void
add_chooser(RegardWindow *self)
{
  self->chooser = REGARD_MODEL_CHOOSER(regard_model_chooser_new(self->settings));
  gtk_menu_button_set_popover(self->model_button, GTK_WIDGET(self->chooser));
  regard_observe(self->chooser, self, on_list_chosen, "chosen");
  regard_observe(self->chooser, self, on_list_cancelled, "cancelled");
  g_signal_connect_object(self->chooser, "forgotten", G_CALLBACK(on_forgotten), self, 0);
  g_signal_connect_object(self->chooser, "show-file", G_CALLBACK(on_show_file), self, 0);
}

static void
observe_model(RegardWindow *self)
{
  add_chooser(self);
  regard_observe(self->document, self, on_model, "changed::model");
  regard_observe(self->document, self, on_loading, "changed::loading", "changed::share");
  g_signal_connect_object(self->document, "load-failed", G_CALLBACK(on_load_failed), self, 0);

  GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(target), "drop");
  /* Before the text view, which would paste the folder's name. */
  gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(target), GTK_PHASE_CAPTURE);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(target));
}

/* ==== Heads switched off and on again, and that the window says so ============================ */

/* What cannot be made says so, with its row and word; nothing has changed then. */
static void
edit(RegardWindow *self, const char *line, RegardInterventionEdit how)
{
  g_autoptr(GError) error = NULL;
  if (!regard_document_edit_interventions(self->document, line, how, &error))
    regard_toast(self->root, error->message);
}

/* The head that is looked at, its layer, or its number in all layers; as the action is called. */
static void
switch_heads(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *kind = regard_kind_id(regard_selection_get_kind(self->selection));
  const guint layer = regard_selection_get_layer(self->selection) + 1,
              head = regard_selection_get_head(self->selection) + 1;
  g_autofree char *line = g_str_equal(name, "win.switch-layer")
                              ? g_strdup_printf("%s %u.* zero", kind, layer)
                          : g_str_equal(name, "win.switch-column")
                              ? g_strdup_printf("%s *.%u zero", kind, head)
                              : g_strdup_printf("%s %u.%u zero", kind, layer, head);
  edit(self, line, REGARD_INTERVENTION_TOGGLE);
}

/* What a widget has to say. */
static void
say(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_toast(REGARD_WINDOW(widget)->root, g_variant_get_string(parameter, NULL));
}

static void
reset_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_set_interventions(REGARD_WINDOW(widget)->document, NULL);
}

/* A line made, in the place of what was done to the same; taken back; or switched. */
static void
make_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  edit(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL), REGARD_INTERVENTION_MAKE);
}

static void
restore_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  edit(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL), REGARD_INTERVENTION_RESTORE);
}

static void
toggle_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  edit(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL), REGARD_INTERVENTION_TOGGLE);
}

/* Of a drag, with its number: all of them are one step of the history. */
static void
drag_change(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const char *line;
  guint64 gesture;
  g_variant_get(parameter, "(&st)", &line, &gesture);
  regard_document_set_gesture(self->document, gesture);
  edit(self, line, REGARD_INTERVENTION_MAKE);
  regard_document_set_gesture(self->document, 0);
}

/* ---- As text -----------------------------------------------------------------------------------
 */

static void
copy_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  const mt_interventions *interventions =
      regard_document_get_search(REGARD_WINDOW(widget)->document)->interventions;
  const guint n = (guint) mt_interventions_count(interventions);
  g_autofree char *said =
      g_strdup_printf(ngettext("%u change copied as text", "%u changes copied as text", n), n);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), mt_interventions_text(interventions));
  regard_toast(REGARD_WINDOW(widget)->root, said);
}

static void
on_pasted(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr(RegardWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  g_autofree char *stripped = text ? g_strstrip(g_strdup(text)) : NULL;
  if (!regard_document_get_model(self->document)) /* closed meanwhile */
    return;
  if (!stripped || !*stripped)
    regard_toast(self->root, _("There is no text on the clipboard"));
  else if (!regard_document_set_interventions_text(self->document, stripped, &error)) {
    g_autofree char *said =
        g_strdup_printf(_("What was copied are no changes: %s"), error->message);
    regard_toast(self->root, said);
  }
}

static void
paste_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(widget), NULL, on_pasted,
                                g_object_ref(widget));
}

/* ---- The reference -----------------------------------------------------------------------------
 */

static void
keep_reference(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_keep_reference(REGARD_WINDOW(widget)->document);
}

static void
drop_reference(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_drop_reference(REGARD_WINDOW(widget)->document);
}

/* From one side to the next. */
static void
compare(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardDocument *document = REGARD_WINDOW(widget)->document;
  const guint n = REGARD_COMPARE_DIFFERENCE + 1;
  regard_document_set_compare(document,
                              (RegardCompare) ((regard_document_get_compared(document)->side + 1) %
                                               n));
}

static void
edit_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardInterventionsDialog *dialog =
      regard_interventions_dialog_new(GTK_WINDOW(widget), REGARD_WINDOW(widget)->document);
  gtk_window_present(GTK_WINDOW(dialog));
}

static void
show_changes(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_interventions_bar_open(REGARD_WINDOW(widget)->changes_bar);
}

/* What can be done, the rows about it, and the title. */
void
regard_window_update_interventions(RegardWindow *self)
{
  const mt_interventions *interventions = regard_document_get_search(self->document)->interventions;
  gboolean shows_file = regard_document_get_imported_capture(self->document) != NULL;
  guint n = shows_file ? 0 : (guint) mt_interventions_count(interventions);
  gboolean has_head = regard_selection_get_capture(self->selection) && !shows_file;
  static const char *const of_heads[] = {"win.switch-head",   "win.switch-layer",
                                         "win.switch-column", "win.make-change",
                                         "win.drag-change",   "win.restore-change",
                                         "win.toggle-change"},
                           *const always[] = {"win.edit-changes", "win.show-changes",
                                              "win.paste-changes"};
  for (guint i = 0; i < G_N_ELEMENTS(of_heads); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), of_heads[i], has_head);
  for (guint i = 0; i < G_N_ELEMENTS(always); i++)
    gtk_widget_action_set_enabled(GTK_WIDGET(self), always[i], !shows_file);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.make-mean",
                                has_head && regard_document_get_slot(self->document)->own.means);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.copy-changes", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.reset-changes", n > 0);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.keep-reference", has_head);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.drop-reference",
                                regard_document_get_compared(self->document)->reference != NULL);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "win.compare",
                                regard_document_can_compare(self->document));
  /* For a room there is no room for what is as it was. */
  const gboolean wants_row = !self->is_welcoming && (!self->is_presenting || n > 0 ||
                                                     regard_document_can_compare(self->document));
  const gboolean simple = regard_selection_get_simple(self->selection);
  gtk_widget_set_visible(self->changes_row, wants_row && !simple);
  gtk_widget_set_visible(GTK_WIDGET(self->simple_bar), wants_row && simple);
  regard_window_update_title(self);
}

static void
observe_changes(RegardWindow *self)
{
  regard_observe(self->document, self, regard_window_update_interventions, "changed::changes",
                 "changed::foreign", "changed::reference", "changed::model");
  regard_observe(self->selection, self, regard_window_update_interventions, "notify::capture");
  regard_window_update_interventions(self);
}

/* ==== What each head does for the translation ====================================================
 *
 * On and off, and the means that one way of it wants; and how much of each word comes from the
 * source.
 */

static RegardHeadAblation *
effects_of(RegardWindow *self)
{
  return regard_selection_get_head_ablation(self->selection);
}

/* On as they were last. */
static void
toggle_effects(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  const int with = regard_head_ablation_get_with(effects_of(self));
  if (with >= 0)
    self->effects_with = with;
  regard_head_ablation_set_with(effects_of(self), with >= 0 ? -1 : self->effects_with);
}

static void
follow_effects(RegardWindow *self)
{
  const RegardSlotModel *model = &regard_document_get_slot(self->document)->own;
  regard_head_ablation_set_means(effects_of(self), model->means, model->why_no_means);
}

static void
observe_effects(RegardWindow *self)
{
  self->effects_with = MT_ABLATION_ZERO;
  regard_observe(self->document, self, follow_effects, "changed::model");
  follow_effects(self);
}

/* ==== The corpus file of the page Measure: the model's own, or one that was opened ===============
 *
 * A file that lies in the model's folder is opened by itself when the page is looked at. One that a
 * person opened, or that is being read for one, stays until another is, whatever the model. One
 * that cannot be opened is said, whatever is there instead.
 */

static void find(RegardWindow *self);

/* What a person chose cannot be had: it is said, and what there is otherwise is shown. */
static void
say_failure(RegardWindow *self, const char *why)
{
  const gboolean has_any = regard_selection_get_corpus(self->selection) != NULL;
  if (!has_any)
    regard_selection_set_corpus(self->selection, NULL, why);
  regard_messages_file_failed(self->messages, why,
                              has_any ? _("The corpus before stays open.") : NULL);
  find(self);
}

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  g_autoptr(GError) error = NULL;
  RegardCorpus *corpus = regard_run_finish(run, &error);
  self->corpus_is_asked = FALSE;
  if (corpus) {
    self->corpus_was_asked = TRUE;
    regard_selection_set_corpus(self->selection, corpus, NULL);
    regard_messages_file_stands(self->messages);
  } else
    say_failure(self, error->message);
  g_clear_pointer(&corpus, regard_corpus_unref);
}

static void
on_found(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  const RegardCorpusFinding *finding = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  gpointer corpus = regard_run_finish(run, &error);
  if (corpus == run && finding->path) /* it is open */
    return;
  if (corpus != run || regard_selection_get_corpus(self->selection))
    regard_selection_set_corpus(self->selection, corpus == run ? NULL : corpus,
                                error ? error->message : NULL);
  if (corpus && corpus != run)
    regard_corpus_unref(corpus);
}

static void
load(RegardWindow *self, const char *path)
{
  char *own = g_strdup(path);
  self->corpus_is_asked = TRUE;
  regard_work_run(self->corpus_opening, &regard_corpus_opening_task, NULL, &own, on_loaded);
}

/* The model's own, once the page is looked at. */
static void
find(RegardWindow *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  if (!model || self->corpus_was_asked || self->corpus_is_asked ||
      g_strcmp0(adw_view_stack_get_visible_child_name(self->views), "measure") != 0)
    return;
  const RegardCorpus *corpus = regard_selection_get_corpus(self->selection);
  const RegardCorpusFinding finding = {.folder = g_strdup(mt_model_directory(model)),
                                       .open_path = corpus ? g_strdup(corpus->path) : NULL};
  regard_work_run(self->corpus_opening, &regard_corpus_finding_task, NULL, &finding, on_found);
}

static void
observe_corpus(RegardWindow *self)
{
  self->corpus_opening = regard_work_new(self);
  regard_observe(self->document, self, find, "changed::model");
  regard_observe(self->views, self, find, "notify::visible-child");
}

/* ---- Actions ------------------------------------------------------------------------------- */

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Corpus"), _("_Open"), _("Corpus Files"), "regard-corpus", TRUE,
                     "win.read-corpus");
}

/* What the file chooser and a drop lead to; an action of its own so that it can be driven without.
 * The page is shown: that is what it was opened for. */
static void
open_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  load(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
  gtk_widget_activate_action(widget, "win.show-view", "s", "measure");
}

/* One that was made on its page, which may not be looked at any more. */
static void
take(GtkWidget *widget, const char *name, GVariant *parameter)
{
  load(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

/* A sentence of the corpus; the keyboard stays in the list of them. */
static void
show_text(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_set_text(REGARD_WINDOW(widget)->document, g_variant_get_string(parameter, NULL));
}

/* ==== The window ============================================================================== */

void
regard_window_install_model_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.open-model", NULL, open_model);
  gtk_widget_class_install_action(klass, "win.open-model-file", NULL, open_model_file);
  gtk_widget_class_install_action(klass, "win.show-models", NULL, show_models);
  gtk_widget_class_install_action(klass, "win.model", "s", use_model);
  gtk_widget_class_install_action(klass, "win.step-training", "i", step_training);
  gtk_widget_class_install_action(klass, "win.show-training", NULL, show_training);
  static const struct {
    const char *name, *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
      {"win.switch-head", NULL, switch_heads},
      {"win.switch-layer", NULL, switch_heads},
      {"win.switch-column", NULL, switch_heads},
      {"win.make-change", "s", make_change},
      {"win.make-mean", "s", make_change},
      {"win.restore-change", "s", restore_change},
      {"win.toggle-change", "s", toggle_change},
      {"win.drag-change", "(st)", drag_change},
      {"win.reset-changes", NULL, reset_changes},
      {"win.show-changes", NULL, show_changes},
      {"win.edit-changes", NULL, edit_changes},
      {"win.copy-changes", NULL, copy_changes},
      {"win.paste-changes", NULL, paste_changes},
      {"win.keep-reference", NULL, keep_reference},
      {"win.say", "s", say},
      {"win.drop-reference", NULL, drop_reference},
      {"win.compare", NULL, compare},
  };
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
    gtk_widget_class_install_action(klass, actions[i].name, actions[i].parameter,
                                    actions[i].activate);
  gtk_widget_class_install_action(klass, "win.effects", NULL, toggle_effects);
  gtk_widget_class_install_action(klass, "win.open-corpus", NULL, choose);
  gtk_widget_class_install_action(klass, "win.read-corpus", "s", open_);
  gtk_widget_class_install_action(klass, "win.take-corpus", "s", take);
  gtk_widget_class_install_action(klass, "win.show-text", "s", show_text);
}

void
regard_window_observe_model(RegardWindow *self)
{
  observe_model(self);
  observe_changes(self);
  observe_effects(self);
  observe_corpus(self);
}

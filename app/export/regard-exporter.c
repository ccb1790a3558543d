/* regard-exporter.c — pictures and numbers out of a document: dialog, clipboard, capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-exporter.h"

#include "export/regard-export-dialog.h"
#include "export/regard-export-job.h"
#include "export/regard-export-name.h"
#include "export/regard-export-settings.h"
#include <glib/gi18n.h>

/* Of a picture on the clipboard: sharp on a slide, small enough for a chat. */
#define CLIPBOARD_DPI 220

struct _RegardExporter {
  GObject parent_instance;
  GtkWindow *window; /* NULL: it is gone */
  RegardDocument *document;
  GSettings *settings;
};

enum { SIGNAL_SAVED, SIGNAL_COPIED, SIGNAL_FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(RegardExporter, regard_exporter, G_TYPE_OBJECT)

/* Nobody is there to be told any more. */
static gboolean
is_closed(RegardExporter *self)
{
  return !self->window || regard_document_is_closed(self->document);
}

static void
fail(RegardExporter *self, const GError *error, const char *advice)
{
  if (!is_closed(self))
    g_signal_emit(self, signals[SIGNAL_FAILED], 0, error->message, advice);
}

static void
say_copied(RegardExporter *self, const char *text)
{
  g_signal_emit(self, signals[SIGNAL_COPIED], 0, text);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void
on_exported(RegardExporter *self, GFile *file)
{
  if (!is_closed(self))
    g_signal_emit(self, signals[SIGNAL_SAVED], 0, file);
}

void
regard_exporter_open_dialog(RegardExporter *self, RegardView *view, const char *choice)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  if (!view)
    return;
  RegardExportDialog *dialog = regard_export_dialog_new(self->window, self->settings, view, choice);
  g_signal_connect_object(dialog, "exported", G_CALLBACK(on_exported), self, G_CONNECT_SWAPPED);
  gtk_window_present(GTK_WINDOW(dialog));
}

typedef struct {
  RegardExporter *self;
  GFile *file;
} Saving;

static void
on_capture_written(gpointer data, RegardRun *run)
{
  Saving *saving = data;
  g_autoptr(RegardExporter) self = saving->self;
  g_autoptr(GFile) file = saving->file;
  g_autoptr(GError) error = NULL;
  g_free(saving);
  if (regard_run_finish(run, &error))
    on_exported(self, file);
  else
    fail(self, error,
         _("Nothing was changed. Choose another place, or make room, and save again."));
}

void
regard_exporter_save_capture(RegardExporter *self, const char *path)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardResult *result = regard_document_get_result(self->document);
  if (!result || !result->capture)
    return;
  Saving *saving = g_new(Saving, 1);
  *saving = (Saving){g_object_ref(self), g_file_new_for_path(path)};
  const RegardCaptureJob job = {regard_result_ref(result), g_strdup(path)};
  regard_runner_start(&regard_export_capture_task, NULL, &job, on_capture_written, saving);
}

static void
on_capture_chosen(GtkNativeDialog *dialog, int response, RegardExporter *self)
{
  if (response == GTK_RESPONSE_ACCEPT && self->window) {
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    if (path)
      gtk_widget_activate_action(GTK_WIDGET(self->window), "win.save-capture", "s", path);
  }
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
}

void
regard_exporter_choose_capture(RegardExporter *self)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardSelection *selection = regard_document_get_selection(self->document);
  g_autofree char *name =
      regard_export_name_for(regard_selection_get_capture(selection), "capture", "npz");
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Save Whole Capture"), self->window,
                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_autofree char *folder = g_settings_get_string(self->settings, "export-folder");
  regard_export_name_offer(GTK_FILE_CHOOSER(dialog), folder, name);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_capture_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* ---- The clipboard ------------------------------------------------------------------------- */

static RegardFigure *
create_first_figure(RegardView *view)
{
  guint n = 0;
  const RegardPicture *choices = view ? regard_view_get_export_choices(view, &n) : NULL;
  return n ? regard_view_create_figure(view, choices[0].id) : NULL;
}

static GdkClipboard *
get_clipboard(RegardExporter *self)
{
  return gtk_widget_get_clipboard(GTK_WIDGET(self->window));
}

static void
on_picture_drawn(gpointer data, RegardRun *run)
{
  g_autoptr(RegardExporter) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GdkContentProvider) pictures = regard_run_finish(run, &error);
  if (is_closed(self)) /* meanwhile */
    return;
  if (!pictures) {
    fail(self, error, NULL);
    return;
  }
  gdk_clipboard_set_content(get_clipboard(self), pictures);
  say_copied(self, _("Picture copied"));
}

void
regard_exporter_copy_picture(RegardExporter *self, RegardView *view)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardFigure *figure = create_first_figure(view);
  if (!figure)
    return;
  RegardExportJob job = {.figure = figure, .options = regard_export_settings_read(self->settings)};
  job.options.dpi = CLIPBOARD_DPI;
  regard_runner_start(&regard_export_copy_task, NULL, &job, on_picture_drawn, g_object_ref(self));
}

void
regard_exporter_copy_caption(RegardExporter *self, RegardView *view)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  g_autoptr(RegardFigure) figure = create_first_figure(view);
  if (!figure)
    return;
  g_autofree char *caption = regard_figure_caption(figure);
  gdk_clipboard_set_text(get_clipboard(self), caption);
  say_copied(self, _("Caption copied"));
}

void
regard_exporter_copy_values(RegardExporter *self, RegardView *view)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  g_autoptr(RegardFigure) figure = create_first_figure(view);
  g_autoptr(GError) error = NULL;
  if (!figure)
    return;
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  g_autoptr(GBytes) bytes = regard_export_format_find("csv")->render(figure, &options, &error);
  if (!bytes) {
    fail(self, error, NULL);
    return;
  }
  g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  gdk_clipboard_set_text(get_clipboard(self), text);
  say_copied(self, _("Values copied"));
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_exporter_finalize(GObject *object)
{
  RegardExporter *self = REGARD_EXPORTER(object);
  g_clear_weak_pointer(&self->window);
  g_object_unref(self->document);
  g_object_unref(self->settings);
  G_OBJECT_CLASS(regard_exporter_parent_class)->finalize(object);
}

static void
regard_exporter_class_init(RegardExporterClass *klass)
{
  GType type = G_TYPE_FROM_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_exporter_finalize;
  signals[SIGNAL_SAVED] = g_signal_new("saved", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 1, G_TYPE_FILE);
  signals[SIGNAL_COPIED] = g_signal_new("copied", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_FAILED] = g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
regard_exporter_init(RegardExporter *self)
{
}

RegardExporter *
regard_exporter_new(GtkWindow *window, RegardDocument *document, GSettings *settings)
{
  RegardExporter *self = g_object_new(REGARD_TYPE_EXPORTER, NULL);
  g_set_weak_pointer(&self->window, window);
  self->document = g_object_ref(document);
  self->settings = g_object_ref(settings);
  return self;
}

/* regard-exporter.c — pictures and numbers out of a document: dialog, clipboard, capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-exporter.h"

#include "base/regard-error.h"
#include "base/regard-template.h"
#include "export/regard-export-job.h"
#include "export/regard-venues.h"
#include "figures/regard-language.h"
#include "parts/regard-banner.h"
#include "runner/regard-work.h"
#include "widgets/regard-gtk.h"
#include <string.h>

/* ==== Choose what leaves as which file, and see it first =========================================
 *
 * The preview is the PNG that would be written, at the screen's resolution; it is drawn in a
 * thread, and a newer choice overtakes an older one. Whatever fails is said in the dialog, which
 * stays open with everything as it was chosen.
 */

/* Of A4 between its margins, in mm. */
#define PAGE_HEIGHT    247
#define PREVIEW_PIXELS 1100.0

struct _RegardExportDialog {
  AdwWindow parent_instance;
  GtkWidget *cancel, *save, *numbers, *preview_scroller, *copy_caption;
  GtkSpinner *spinner;
  RegardBanner *banner;
  GtkPicture *preview;
  AdwComboRow *what, *format, *preset;
  GtkWidget *width_row, *font_row, *dpi_row, *english_row, *more;
  GtkSpinButton *width, *font, *dpi, *height;
  GtkSwitch *has_title, *has_numbers, *has_model, *is_english;
  GtkLabel *caption;

  GSettings *settings;
  RegardView *view;
  char **choices;      /* ids */
  GPtrArray *formats;  /* const RegardExportFormat *, as they are listed */
  RegardWork *drawing; /* of the preview */
  RegardWork *saving;  /* of the file */
  gboolean is_filling; /* the program sets the options, not the person */
};

G_DEFINE_FINAL_TYPE(RegardExportDialog, regard_export_dialog, ADW_TYPE_WINDOW)

/* ---- What is chosen ------------------------------------------------------------------------ */

static const char *
get_choice(RegardExportDialog *self)
{
  guint i = adw_combo_row_get_selected(self->what);
  return i < g_strv_length(self->choices) ? self->choices[i] : NULL;
}

static const RegardExportFormat *
get_format(RegardExportDialog *self)
{
  guint i = adw_combo_row_get_selected(self->format);
  return self->formats->pdata[i < self->formats->len ? i : 0];
}

static RegardExportOptions
get_options(RegardExportDialog *self)
{
  return regard_export_settings_read(self->settings); /* the options are bound to them */
}

static RegardFigure *
create_figure(RegardExportDialog *self)
{
  const char *choice = get_choice(self);
  REGARD_IN_LANGUAGE(regard_export_settings_language(self->settings));
  return choice ? regard_view_create_figure(self->view, choice) : NULL;
}

/* Those that can say something of the figure; the chosen one stays, or is the first. */
static void
fill_formats(RegardExportDialog *self, const RegardFigure *figure, const char *chosen_id)
{
  guint n, chosen = 0;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  g_autoptr(GPtrArray) fitting = g_ptr_array_new();
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  for (guint i = 0; i < n; i++) {
    if (figure && !regard_export_format_fits(formats[i], figure))
      continue;
    if (g_str_equal(chosen_id, formats[i]->id))
      chosen = fitting->len;
    g_ptr_array_add(fitting, (gpointer) formats[i]);
    gtk_string_list_append(names, _(formats[i]->name));
  }
  if (self->formats && self->formats->len == fitting->len)
    return; /* they are in one order */
  gboolean was_filling = self->is_filling;
  self->is_filling = TRUE;
  g_clear_pointer(&self->formats, g_ptr_array_unref);
  self->formats = g_steal_pointer(&fitting);
  adw_combo_row_set_model(self->format, G_LIST_MODEL(names));
  adw_combo_row_set_selected(self->format, chosen);
  self->is_filling = was_filling;
}

/* ---- Preview ------------------------------------------------------------------------------- */

/* What is higher than a page cannot be put on one: that is said before it is saved. */
static void
show_size(RegardExportDialog *self, GdkTexture *texture)
{
  const double width = get_options(self).width_mm;
  const double height =
      width * gdk_texture_get_height(texture) / MAX(gdk_texture_get_width(texture), 1);
  if (!get_format(self)->is_picture || height <= PAGE_HEIGHT) {
    regard_banner_clear(self->banner, REGARD_BANNER_TEXT);
    return;
  }
  g_autofree char *title =
      g_strdup_printf(_("This picture is %.0f mm wide and %.0f mm high: more than a page"), width,
                      height);
  regard_banner_show(self->banner, REGARD_BANNER_TEXT, title,
                     _("Filter what it shows, or save the numbers as a table (CSV)."), NULL);
}

static void
show_busy(RegardExportDialog *self)
{
  gtk_spinner_set_spinning(self->spinner,
                           regard_work_is_busy(self->drawing) || regard_work_is_busy(self->saving));
}

static void
on_previewed(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = regard_run_finish(run, &error);
  show_busy(self);
  g_autoptr(GdkTexture) texture = bytes ? gdk_texture_new_from_bytes(bytes, &error) : NULL;
  if (texture) {
    gtk_picture_set_paintable(self->preview, GDK_PAINTABLE(texture));
    show_size(self, texture);
  } else
    regard_banner_show(self->banner, REGARD_BANNER_TEXT, error->message, NULL, NULL);
}

static void
update_preview(RegardExportDialog *self)
{
  const RegardExportFormat *png = regard_export_format_find("png"), *format;
  RegardFigure *figure = create_figure(self);
  fill_formats(self, figure, get_format(self)->id);
  format = get_format(self);
  regard_work_drop(self->drawing);
  show_busy(self);
  gtk_widget_set_sensitive(self->save, figure && !regard_work_is_busy(self->saving));
  gtk_widget_set_sensitive(GTK_WIDGET(self->preset), format->is_picture);
  gtk_widget_set_visible(self->width_row,
                         adw_combo_row_get_selected(self->preset) >= regard_venues()->len);
  gtk_widget_set_sensitive(self->width_row, format->is_picture);
  gtk_widget_set_sensitive(self->font_row, format->is_picture);
  gtk_widget_set_sensitive(self->more, format->is_picture);
  gtk_widget_set_sensitive(self->english_row, format->is_picture);
  gtk_widget_set_sensitive(self->dpi_row, g_str_equal(format->id, "png"));
  gtk_widget_set_visible(self->numbers, !format->is_picture);
  gtk_widget_set_opacity(GTK_WIDGET(self->preview), format->is_picture ? 1 : 0.15);
  if (!figure)
    return;

  g_autofree char *caption = regard_figure_caption(figure);
  gtk_label_set_text(self->caption, caption);
  guint n = regard_figure_n_matrices(figure);
  RegardMatrix *first = n ? regard_figure_matrix(figure, 0) : NULL;
  if (first) {
    g_autofree char *numbers =
        g_strdup_printf(ngettext("%s: %u matrix of %u × %u values, with its labels",
                                 "%s: %u matrices, the first of %u × %u values, with their labels",
                                 n),
                        _(format->name), n, first->rows, first->cols);
    gtk_label_set_text(GTK_LABEL(self->numbers), numbers);
  }
  RegardExportJob job = {.figure = figure, .format = png, .options = get_options(self)};
  job.options.dpi = CLAMP(PREVIEW_PIXELS / (job.options.width_mm / 25.4), 36, 300);
  regard_work_run(self->drawing, &regard_export_render_task, NULL, &job, on_previewed);
  show_busy(self);
}

static void
on_option(RegardExportDialog *self)
{
  if (self->is_filling || !self->view)
    return;
  g_settings_set_string(self->settings, "export-format", get_format(self)->id);
  update_preview(self);
}

static void
on_preset(RegardExportDialog *self)
{
  guint i = adw_combo_row_get_selected(self->preset);
  if (self->is_filling || !self->view)
    return;
  const RegardVenue *venue = i < regard_venues()->len ? regard_venues()->pdata[i] : NULL;
  if (venue && gtk_spin_button_get_value(self->width) != venue->mm)
    gtk_spin_button_set_value(self->width, venue->mm); /* goes on in on_option() */
  else
    update_preview(self);
}

/* ---- Saving -------------------------------------------------------------------------------- */

static void
show_saving(RegardExportDialog *self)
{
  gtk_widget_set_sensitive(self->save, !regard_work_is_busy(self->saving));
  show_busy(self);
}

static void
on_written(gpointer owner, RegardRun *run)
{
  RegardExportDialog *self = owner;
  GFile *file = ((RegardExportJob *) regard_run_get_params(run))->file;
  g_autoptr(GError) error = NULL;
  gboolean is_written = regard_run_finish(run, &error) != NULL;
  show_saving(self);
  if (!is_written) {
    regard_banner_show(self->banner, REGARD_BANNER_FILE, error->message,
                       _("Nothing was changed. Choose another place, or make room, and save "
                         "again."),
                       NULL);
    return;
  }
  g_autoptr(GFile) parent = g_file_get_parent(file);
  g_autofree char *folder = parent ? g_file_get_uri(parent) : NULL;
  if (folder)
    g_settings_set_string(self->settings, "export-folder", folder);
  g_signal_emit_by_name(self, "exported", file);
  gtk_window_close(GTK_WINDOW(self));
}

void
regard_export_dialog_save(RegardExportDialog *self, GFile *file)
{
  RegardFigure *figure = create_figure(self);
  if (!figure || regard_work_is_busy(self->saving)) {
    g_clear_pointer(&figure, regard_figure_free);
    return;
  }
  const RegardExportJob job = {figure, get_format(self), get_options(self), g_object_ref(file)};
  regard_banner_clear(self->banner, REGARD_BANNER_FILE);
  regard_work_run(self->saving, &regard_export_write_task, NULL, &job, on_written);
  show_saving(self);
}

static void
on_file_chosen(GtkNativeDialog *dialog, int response, RegardExportDialog *self)
{
  g_autoptr(GFile) file = NULL;
  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
  gtk_native_dialog_destroy(dialog);
  g_object_unref(dialog);
  if (file)
    regard_export_dialog_save(self, file);
}

static void
on_save(RegardExportDialog *self)
{
  const RegardExportFormat *format = get_format(self);
  RegardSelection *selection = regard_view_get_selection(self->view);
  mt_capture *capture = selection ? regard_selection_get_capture(selection) : NULL;
  g_autofree char *choice = regard_view_name_choice(self->view, get_choice(self));
  g_autofree char *name = regard_export_name_for(capture, choice, format->id);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Save As"), GTK_WINDOW(self), GTK_FILE_CHOOSER_ACTION_SAVE,
                                  _("_Save"), _("_Cancel"));
  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_autofree char *folder = g_settings_get_string(self->settings, "export-folder");
  regard_export_name_offer(GTK_FILE_CHOOSER(dialog), folder, name);
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _(format->name));
  gtk_file_filter_add_suffix(filter, format->id);
  gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(dialog), filter);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_file_chosen), self, 0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

/* Cancel what runs, else the dialog. */
static void
on_cancel(RegardExportDialog *self)
{
  if (regard_work_is_busy(self->saving)) {
    regard_work_drop(self->saving);
    show_saving(self);
  } else
    gtk_window_close(GTK_WINDOW(self));
}

static void
on_copy_caption(RegardExportDialog *self)
{
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)),
                         gtk_label_get_text(self->caption));
  gtk_button_set_label(GTK_BUTTON(self->copy_caption), _("Copied"));
}

const char *
regard_export_dialog_get_error(RegardExportDialog *self)
{
  return regard_banner_get_title(self->banner, REGARD_BANNER_FILE);
}

/* ---- The object ---------------------------------------------------------------------------- */

/* "All attention of this text takes 805 MB of memory, and only a layer at a time is computed." */
static char *
describe_rest(gsize whole_bytes)
{
  g_autofree char *size = regard_format_size(whole_bytes);
  return g_strdup_printf(_("All attention of this text takes %s of memory, and only the layer that "
                           "is looked at is computed"),
                         size);
}

/* Pictures that need what is not there are not offered. */
static void
say_what_lacks(RegardExportDialog *self)
{
  RegardSelection *s = regard_view_get_selection(self->view);
  const gsize whole_bytes = s ? regard_selection_get_whole_bytes(s) : 0;
  if (!whole_bytes)
    return;
  g_autofree char *title = describe_rest(whole_bytes);
  regard_banner_show(self->banner, REGARD_BANNER_REST, title,
                     _("Pictures and tables of all heads can be saved after Compute All."), NULL);
}

static void
fill_lists(RegardExportDialog *self, const char *choice)
{
  guint n, chosen = 0;
  const RegardPicture *choices = regard_view_get_export_choices(self->view, &n);
  g_autoptr(GStrvBuilder) ids = g_strv_builder_new();
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  for (guint i = 0; i < n; i++) {
    g_strv_builder_add(ids, choices[i].id);
    gtk_string_list_append(names, _(choices[i].name));
    if (g_strcmp0(choice, choices[i].id) == 0)
      chosen = i;
  }
  self->choices = g_strv_builder_end(ids);
  say_what_lacks(self);
  adw_combo_row_set_model(self->what, G_LIST_MODEL(names));
  adw_combo_row_set_selected(self->what, chosen);

  g_autofree char *format_id = g_settings_get_string(self->settings, "export-format");
  g_autoptr(RegardFigure) figure = create_figure(self);
  fill_formats(self, figure, format_id);

  const GPtrArray *venues = regard_venues();
  g_autoptr(GtkStringList) width_names = gtk_string_list_new(NULL);
  const double width = g_settings_get_double(self->settings, "export-width");
  chosen = venues->len;
  for (guint i = venues->len; i-- > 0;)
    if (width == ((const RegardVenue *) venues->pdata[i])->mm)
      chosen = i; /* the first of those that are as wide */
  for (guint i = 0; i < venues->len; i++)
    gtk_string_list_take(width_names, regard_venue_describe(venues->pdata[i]));
  gtk_string_list_append(width_names, _("Another width"));
  adw_combo_row_set_model(self->preset, G_LIST_MODEL(width_names));
  adw_combo_row_set_selected(self->preset, chosen);
}

/* The dialog is closed: what it was doing is not wanted any more. */
static void
regard_export_dialog_unrealize(GtkWidget *widget)
{
  RegardExportDialog *self = REGARD_EXPORT_DIALOG(widget);
  regard_work_drop(self->drawing);
  regard_work_drop(self->saving);
  GTK_WIDGET_CLASS(regard_export_dialog_parent_class)->unrealize(widget);
  /* A job keeps the dialog for a while, perhaps longer than the window below it lives, which GTK
   * would look for when the dialog is freed at last. */
  gtk_window_set_transient_for(GTK_WINDOW(self), NULL);
}

static void
regard_export_dialog_finalize(GObject *object)
{
  RegardExportDialog *self = REGARD_EXPORT_DIALOG(object);
  g_clear_object(&self->drawing);
  g_clear_object(&self->saving);
  g_strfreev(self->choices);
  g_clear_pointer(&self->formats, g_ptr_array_unref);
  g_clear_object(&self->view);
  g_clear_object(&self->settings);
  G_OBJECT_CLASS(regard_export_dialog_parent_class)->finalize(object);
}

#define CHILD(name) REGARD_TEMPLATE_CHILD(RegardExportDialog, name)

static void
regard_export_dialog_class_init(RegardExportDialogClass *klass)
{
  static const RegardTemplateChild children[] = {CHILD(cancel),       CHILD(save),
                                                 CHILD(spinner),      CHILD(banner),
                                                 CHILD(preview),      CHILD(preview_scroller),
                                                 CHILD(numbers),      CHILD(what),
                                                 CHILD(format),       CHILD(preset),
                                                 CHILD(width_row),    CHILD(font_row),
                                                 CHILD(dpi_row),      CHILD(width),
                                                 CHILD(font),         CHILD(dpi),
                                                 CHILD(more),         CHILD(height),
                                                 CHILD(has_title),    CHILD(has_numbers),
                                                 CHILD(has_model),    CHILD(caption),
                                                 CHILD(copy_caption), CHILD(english_row),
                                                 CHILD(is_english),   {NULL, 0}};
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_export_dialog_finalize;
  widget_class->unrealize = regard_export_dialog_unrealize;
  regard_add_signal(klass, "exported", 1, G_TYPE_FILE);
  g_type_ensure(REGARD_TYPE_BANNER);
  regard_set_template(klass, "regard-export-dialog.ui", children);
  gtk_widget_class_bind_template_callback(widget_class, on_cancel);
  gtk_widget_class_bind_template_callback(widget_class, on_save);
  gtk_widget_class_bind_template_callback(widget_class, on_option);
  gtk_widget_class_bind_template_callback(widget_class, on_preset);
  gtk_widget_class_bind_template_callback(widget_class, on_copy_caption);
}

static void
regard_export_dialog_init(RegardExportDialog *self)
{
  self->drawing = regard_work_new(self);
  self->saving = regard_work_new(self);
  gtk_widget_init_template(GTK_WIDGET(self));
  regard_spin_take_comma(self->font);
  regard_spin_take_comma(self->width);
  gtk_widget_set_visible(self->english_row, regard_language_differs());
}

static void
bind_options(RegardExportDialog *self)
{
  const struct {
    const char *key;
    gpointer widget;
    const char *property;
  } options[] = {
      {"export-width", self->width, "value"},      {"export-font", self->font, "value"},
      {"export-dpi", self->dpi, "value"},          {"export-height", self->height, "value"},
      {"export-title", self->has_title, "active"}, {"export-numbers", self->has_numbers, "active"},
      {"export-model", self->has_model, "active"}, {"export-english", self->is_english, "active"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
    g_settings_bind(self->settings, options[i].key, options[i].widget, options[i].property,
                    G_SETTINGS_BIND_DEFAULT);
    /* After the setting, which is what is drawn with. */
    g_autofree char *signal = g_strdup_printf("notify::%s", options[i].property);
    g_signal_connect_swapped(options[i].widget, signal, G_CALLBACK(on_option), self);
  }
}

RegardExportDialog *
regard_export_dialog_new(GtkWindow *parent, GSettings *settings, RegardView *view,
                         const char *choice)
{
  RegardExportDialog *self = g_object_new(REGARD_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  self->settings = g_object_ref(settings);
  self->view = g_object_ref(view);
  self->is_filling = TRUE;
  fill_lists(self, choice);
  bind_options(self);
  self->is_filling = FALSE;
  update_preview(self);
  return self;
}

/* ==== The exporter ============================================================================ */

/* Of a picture on the clipboard: sharp on a slide, small enough for a chat. */
#define CLIPBOARD_DPI 220

struct _RegardExporter {
  GObject parent_instance;
  GtkWindow *window; /* NULL: it is gone */
  RegardDocument *document;
  GSettings *settings;
};

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
    g_signal_emit_by_name(self, "failed", error->message, advice);
}

static void
say_copied(RegardExporter *self, const char *text)
{
  g_signal_emit_by_name(self, "copied", text);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void
on_exported(RegardExporter *self, GFile *file)
{
  if (!is_closed(self))
    g_signal_emit_by_name(self, "saved", file);
}

void
regard_exporter_open_dialog(RegardExporter *self, RegardView *view, const char *choice)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  if (!view)
    return;
  RegardExportDialog *dialog = regard_export_dialog_new(self->window, self->settings, view, choice);
  regard_observe(dialog, self, on_exported, "exported");
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

/* TRUE: there is no whole capture to be saved, which has been said. */
static gboolean
lacks_rest(RegardExporter *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (!result || !result->whole_bytes)
    return FALSE;
  g_autofree char *text = describe_rest(result->whole_bytes);
  g_autoptr(GError) error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND, text);
  fail(self, error, _("Nothing was saved. The whole capture can be saved after Compute All."));
  return TRUE;
}

void
regard_exporter_save_capture(RegardExporter *self, const char *path)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardResult *result = regard_document_get_result(self->document);
  if (!result || !result->capture || lacks_rest(self))
    return;
  Saving *saving = g_new(Saving, 1);
  *saving = (Saving){g_object_ref(self), g_file_new_for_path(path)};
  const RegardCaptureJob job = {regard_result_ref(result), g_strdup(path)};
  regard_runner_start(&regard_export_capture_task, NULL, &job, on_capture_written, saving);
}

void
regard_exporter_choose_capture(RegardExporter *self)
{
  g_return_if_fail(REGARD_IS_EXPORTER(self));
  RegardSelection *selection = regard_document_get_selection(self->document);
  if (lacks_rest(self))
    return;
  g_autofree char *name =
      regard_export_name_for(regard_selection_get_capture(selection), "capture", "npz");
  regard_export_choose_place(self->window, self->settings, _("Save Whole Capture"), name,
                             "win.save-capture");
}

/* ---- The clipboard ------------------------------------------------------------------------- */

static RegardFigure *
create_first_figure(RegardExporter *self, RegardView *view)
{
  REGARD_IN_LANGUAGE(regard_export_settings_language(self->settings));
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
  RegardFigure *figure = create_first_figure(self, view);
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
  g_autoptr(RegardFigure) figure = create_first_figure(self, view);
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
  g_autoptr(RegardFigure) figure = create_first_figure(self, view);
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
  G_OBJECT_CLASS(klass)->finalize = regard_exporter_finalize;
  regard_add_signal(klass, "saved", 1, G_TYPE_FILE);
  regard_add_signal(klass, "copied", 1, G_TYPE_STRING);
  regard_add_signal(klass, "failed", 2, G_TYPE_STRING, G_TYPE_STRING);
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

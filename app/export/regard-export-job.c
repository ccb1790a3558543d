/* regard-export-job.c — drawing and writing as tasks of the runner, so that the window goes on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matrices are immutable, so a figure that was made on the main loop can be drawn elsewhere while
 * the window shows the next text.
 */
#include "export/regard-export-job.h"

#include "base/regard-error.h"
#include "export/regard-capture-meta.h"
#include "export/regard-sheet-file.h"
#include "formats/regard-animation.h"
#include "widgets/regard-gtk.h"
#include <glib/gi18n.h>
#include <string.h>

/* ==== How figures leave, as it was set last =================================================== */

RegardExportOptions
regard_export_settings_read(GSettings *settings)
{
  static const struct {
    const char *key;
    RegardFigureElements part;
  } parts[] = {
      {"export-title", REGARD_PART_TITLE},
      {"export-numbers", REGARD_PART_NUMBERS},
      {"export-model", REGARD_PART_MODEL},
  };
  RegardExportOptions options = {
      .width_mm = g_settings_get_double(settings, "export-width"),
      .height_mm = g_settings_get_double(settings, "export-height"),
      .font_pt = g_settings_get_double(settings, "export-font"),
      .dpi = g_settings_get_double(settings, "export-dpi"),
  };
  for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
    if (!g_settings_get_boolean(settings, parts[i].key))
      options.left_out |= parts[i].part;
  return options;
}

RegardLanguage
regard_export_settings_language(GSettings *settings)
{
  return g_settings_get_boolean(settings, "export-english") ? REGARD_LANGUAGE_ENGLISH
                                                            : REGARD_LANGUAGE_WINDOW;
}

/* ==== What an exported file is called, until somebody calls it otherwise ====================== */

/* After so many the person is asked whether to replace one. */
#define MOST_NUMBERS 999

char *
regard_export_name(const char *sentence, const char *shown, const char *extension)
{
  g_autoptr(GString) name = g_string_new("regard");
  if (shown)
    g_string_append_printf(name, "-%s", shown);
  g_autofree char *ascii = sentence ? g_str_to_ascii(sentence, "C") : g_strdup("");
  guint n_words = 0;
  gboolean in_word = FALSE;
  for (const char *p = ascii; *p && n_words < 6; p++) {
    if (g_ascii_isalnum(*p)) {
      if (!in_word)
        g_string_append_c(name, '-');
      g_string_append_c(name, g_ascii_tolower(*p));
      in_word = TRUE;
    } else if (*p != '\'' && in_word) {
      in_word = FALSE;
      n_words++;
    }
  }
  g_string_append_printf(name, ".%s", extension);
  return g_string_free(g_steal_pointer(&name), FALSE);
}

char *
regard_export_name_for(const mt_capture *capture, const char *shown, const char *extension)
{
  const char *file = capture ? mt_capture_file_name(capture) : "";
  const mt_tokens *source = capture ? mt_capture_source(capture) : NULL;
  if (!*file)
    return regard_export_name(source ? mt_tokens_text(source) : NULL, shown, extension);
  const char *dot = strrchr(file, '.');
  g_autofree char *stem = g_strndup(file, dot && dot > file ? (gsize) (dot - file) : strlen(file));
  g_autofree char *valid = g_utf8_make_valid(stem, -1);
  return regard_export_name(valid, shown, extension);
}

char *
regard_export_name_unused(const char *folder_uri, const char *name)
{
  if (!*folder_uri)
    return g_strdup(name);
  g_autoptr(GFile) folder = g_file_new_for_uri(folder_uri);
  /* Of many files the first stands for all. */
  const char *frame = strstr(name, "-" REGARD_ANIMATION_NUMBER),
             *end = frame ? frame : strrchr(name, '.');
  int stem = end ? (int) (end - name) : (int) strlen(name);
  for (guint i = 1; i <= MOST_NUMBERS; i++) {
    g_autofree char *number = i > 1 ? g_strdup_printf("-%u", i) : g_strdup("");
    g_autofree char *candidate = g_strdup_printf("%.*s%s%s", stem, name, number, end ? end : "");
    g_autofree char *first =
        frame ? regard_animation_number_path(candidate, 0) : g_strdup(candidate);
    g_autoptr(GFile) file = g_file_get_child(folder, first);
    if (!g_file_query_exists(file, NULL))
      return g_steal_pointer(&candidate);
  }
  return g_strdup(name);
}

void
regard_export_name_offer(GtkFileChooser *chooser, const char *folder_uri, const char *name)
{
  g_autofree char *offered = regard_export_name_unused(folder_uri, name);
  g_autoptr(GFile) folder = *folder_uri ? g_file_new_for_uri(folder_uri) : NULL;
  if (folder)
    gtk_file_chooser_set_current_folder(chooser, folder, NULL);
  gtk_file_chooser_set_current_name(chooser, offered);
}

void
regard_export_choose_place(GtkWindow *window, GSettings *settings, const char *title,
                           const char *name, const char *action)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(title, window, GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"),
                                  _("_Cancel"));
  g_autofree char *folder = g_settings_get_string(settings, "export-folder");
  regard_export_name_offer(GTK_FILE_CHOOSER(dialog), folder, name);
  regard_chooser_show(dialog, GTK_WIDGET(window), action);
}

/* ==== The tasks =============================================================================== */

/* ---- Figures ------------------------------------------------------------------------------- */

static void
job_clear(gpointer data)
{
  RegardExportJob *job = data;
  g_clear_pointer(&job->figure, regard_figure_free);
  g_clear_object(&job->file);
}

/* The result, or NULL with the run's error. */
static gpointer
end(RegardRun *run, gpointer result, GError *error)
{
  if (error)
    regard_run_take_error(run, error);
  return error ? NULL : result;
}

static gpointer
render(RegardRun *run, mt_error *failure)
{
  const RegardExportJob *job = regard_run_get_params(run);
  GError *error = NULL;
  GBytes *bytes = job->format->render(job->figure, &job->options, &error);
  return end(run, bytes, error);
}

const RegardTask regard_export_render_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardExportJob),
    .compute = render,
    .clear_params = job_clear,
    .free_result = (GDestroyNotify) g_bytes_unref,
};

/* GIO puts what a full disk cut short in the place of the earlier file: only what has no path, on a
 * server, is left to it. */
static gboolean
write_bytes(GFile *file, GBytes *bytes, GCancellable *cancellable, GError **error)
{
  const char *path = g_file_peek_path(file);
  if (path)
    return regard_export_write_bytes(bytes, path, error);
  return g_file_replace_contents(file, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), NULL,
                                 FALSE, G_FILE_CREATE_NONE, NULL, cancellable, error);
}

static gpointer
write_(RegardRun *run, mt_error *failure)
{
  const RegardExportJob *job = regard_run_get_params(run);
  GCancellable *cancellable = regard_run_get_cancellable(run);
  GError *error = NULL;
  g_autoptr(GBytes) bytes = job->format->render(job->figure, &job->options, &error);
  if (bytes && !g_cancellable_set_error_if_cancelled(cancellable, &error))
    write_bytes(job->file, bytes, cancellable, &error);
  g_autofree char *name = g_file_get_parse_name(job->file);
  /* Which file, unless it says so itself. */
  if (error && !regard_error_is_cancelled(error) && !strstr(error->message, name)) {
    GError *named =
        g_error_new(error->domain, error->code, _("Cannot write “%s”: %s"), name, error->message);
    g_error_free(error);
    error = named;
  }
  return end(run, run, error);
}

const RegardTask regard_export_write_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardExportJob),
    .compute = write_,
    .clear_params = job_clear,
};

static gpointer
write_plain(RegardRun *run, mt_error *failure)
{
  const RegardBytesJob *job = regard_run_get_params(run);
  GError *error = NULL;
  regard_export_write_bytes(job->bytes, job->path, &error);
  return end(run, run, error);
}

static void
bytes_job_clear(gpointer data)
{
  RegardBytesJob *job = data;
  g_bytes_unref(job->bytes);
  g_free(job->path);
}

const RegardTask regard_export_bytes_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardBytesJob),
    .compute = write_plain,
    .clear_params = bytes_job_clear,
};

/* Every format that is a picture, as other programs ask for it: whoever pastes takes what it can
 * best. */
static gpointer
copy(RegardRun *run, mt_error *failure)
{
  const RegardExportJob *job = regard_run_get_params(run);
  g_autoptr(GPtrArray) providers = g_ptr_array_new();
  GError *error = NULL;
  guint n;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  for (guint i = 0; i < n && !error; i++) {
    /* What is pasted is a picture; what LaTeX reads is a program's text. */
    if (!formats[i]->is_picture || g_str_equal(formats[i]->mime_type, "text/x-tex"))
      continue;
    g_autoptr(GBytes) bytes = formats[i]->render(job->figure, &job->options, &error);
    if (!bytes)
      break;
    if (g_str_equal(formats[i]->id, "png")) {
      /* In all formats that GTK knows. */
      g_autoptr(GdkTexture) texture = gdk_texture_new_from_bytes(bytes, &error);
      if (texture)
        g_ptr_array_add(providers, gdk_content_provider_new_typed(GDK_TYPE_TEXTURE, texture));
    } else
      g_ptr_array_add(providers, gdk_content_provider_new_for_bytes(formats[i]->mime_type, bytes));
  }
  /* Takes the providers. */
  GdkContentProvider *all =
      gdk_content_provider_new_union((GdkContentProvider **) providers->pdata, providers->len);
  if (error)
    g_object_unref(all);
  return end(run, all, error);
}

const RegardTask regard_export_copy_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardExportJob),
    .compute = copy,
    .clear_params = job_clear,
    .free_result = g_object_unref,
};

/* ---- Sheets ---------------------------------------------------------------------------------- */

static gpointer
read_sheet(RegardRun *run, mt_error *failure)
{
  GError *error = NULL;
  RegardSheet *sheet = regard_sheet_read(*(char **) regard_run_get_params(run), &error);
  return end(run, sheet, error);
}

static void
unref_sheet(gpointer sheet)
{
  regard_sheet_unref(sheet);
}

const RegardTask regard_sheet_read_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = read_sheet,
    .clear_params = regard_task_free_parameter,
    .free_result = unref_sheet,
};

static gpointer
write_sheet(RegardRun *run, mt_error *failure)
{
  const RegardSheetJob *job = regard_run_get_params(run);
  GError *error = NULL;
  regard_sheet_write(job->sheet, job->path, &error);
  return end(run, run, error);
}

static void
sheet_job_clear(gpointer data)
{
  RegardSheetJob *job = data;
  regard_sheet_unref(job->sheet);
  g_free(job->path);
}

const RegardTask regard_sheet_write_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardSheetJob),
    .compute = write_sheet,
    .clear_params = sheet_job_clear,
};

/* ---- Captures ------------------------------------------------------------------------------ */

/* The capture that is shown, and with it the scores, which it does not hold: the worker keeps none,
 * since they double its size. They are computed in a session of their own, the worker's is busy
 * with what is being typed; all else is the numbers on the screen, bit for bit. One reference, or
 * NULL. */
static mt_capture *
add_scores(RegardRun *run, const RegardResult *result, mt_error *failure)
{
  if (mt_capture_has_scores(result->capture))
    return mt_capture_ref(result->capture);
  const RegardResultSentence *active = regard_result_active(result);
  const mt_hooks hooks = regard_run_hooks(run, mt_capture_interventions(result->capture));
  g_autoptr(mt_session) session = mt_session_new(result->model, NULL, failure);
  mt_capture *whole = session ? mt_session_capture(session, active->translation, active->chosen,
                                                   MT_CAPTURE_SCORES, &hooks, failure)
                              : NULL;
  for (mt_attention_kind k = 0; whole && k < MT_N_KINDS; k++)
    for (size_t l = 0; l < mt_capture_n_layers(whole, k); l++)
      for (size_t h = 0; h < mt_capture_n_heads(whole, k); h++) {
        mt_matrix shown = mt_capture_weights(result->capture, k, l, h);
        memcpy(mt_capture_fill_weights(whole, k, l, h), shown.data,
               shown.rows * shown.cols * sizeof *shown.data);
      }
  return whole;
}

static gpointer
write_capture(RegardRun *run, mt_error *failure)
{
  const RegardCaptureJob *job = regard_run_get_params(run);
  const RegardResultSentence *active = regard_result_active(job->result);
  g_autoptr(mt_capture) capture = add_scores(run, job->result, failure);
  bool done = false;
  if (capture) {
    g_autofree char *meta =
        regard_capture_meta("regard " MT_VERSION, job->result->model, active->translation,
                            active->chosen, active->is_given ? NULL : &job->result->params,
                            mt_capture_precision(capture), mt_capture_interventions(capture));
    done = mt_capture_write_npz(capture, job->path, meta, failure);
  }
  if (done)
    return run;
  GError *error = NULL;
  regard_error_set_from_mt(&error, failure);
  return end(run, NULL, error);
}

static void
capture_job_clear(gpointer data)
{
  RegardCaptureJob *job = data;
  regard_result_unref(job->result);
  g_free(job->path);
}

const RegardTask regard_export_capture_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardCaptureJob),
    .compute = write_capture,
    .clear_params = capture_job_clear,
};

/* regard-export-job.c — drawing and writing in a thread, so that the window goes on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Matrices are immutable, so a figure that was made on the main loop can be drawn elsewhere while
 * the window shows the next text.
 */
#include "export/regard-export-job.h"

#include "base/regard-error.h"
#include "export/regard-capture-meta.h"
#include <string.h>

typedef struct {
  RegardFigure *figure;
  const RegardExportFormat *format;
  RegardExportOptions options;
  GFile *file;
  RegardResult *result;
  char *path;
} Job;

static void
job_free(gpointer data)
{
  Job *job = data;
  g_clear_pointer(&job->figure, regard_figure_free);
  g_clear_object(&job->file);
  g_clear_pointer(&job->result, regard_result_unref);
  g_free(job->path);
  g_free(job);
}

static void
start(Job *job, GTaskThreadFunc function, GCancellable *cancellable, GAsyncReadyCallback callback,
      gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  g_task_set_source_tag(task, function);
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, function);
}

/* ---- Figures ------------------------------------------------------------------------------- */

static void
unref_bytes(gpointer bytes)
{
  g_bytes_unref(bytes);
}

static void
render_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  GBytes *bytes = job->format->render(job->figure, &job->options, &error);
  if (bytes)
    g_task_return_pointer(task, bytes, unref_bytes);
  else
    g_task_return_error(task, error);
}

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

static void
write_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  g_autoptr(GBytes) bytes = job->format->render(job->figure, &job->options, &error);
  if (bytes && !g_cancellable_set_error_if_cancelled(cancellable, &error))
    write_bytes(job->file, bytes, cancellable, &error);
  if (!error) {
    g_task_return_boolean(task, TRUE);
    return;
  }
  g_autofree char *name = g_file_get_parse_name(job->file);
  /* Which file, unless it says so itself. */
  if (!regard_error_is_cancelled(error) && !strstr(error->message, name))
    g_prefix_error(&error, "Cannot write “%s”: ", name);
  g_task_return_error(task, error);
}

void
regard_export_job_render_async(RegardFigure *figure, const RegardExportFormat *format,
                               const RegardExportOptions *options, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  Job *job = g_new0(Job, 1);
  job->figure = figure;
  job->format = format;
  job->options = *options;
  start(job, render_thread, cancellable, callback, user_data);
}

GBytes *
regard_export_job_render_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

/* Every format that is a picture, as other programs ask for it: whoever pastes takes what it can
 * best. */
static void
copy_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  g_autoptr(GPtrArray) providers = g_ptr_array_new();
  GError *error = NULL;
  guint n;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  for (guint i = 0; i < n && !error; i++) {
    if (!formats[i]->is_picture)
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
  if (error) {
    g_object_unref(all);
    g_task_return_error(task, error);
  } else
    g_task_return_pointer(task, all, g_object_unref);
}

void
regard_export_job_copy_async(RegardFigure *figure, const RegardExportOptions *options,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  Job *job = g_new0(Job, 1);
  job->figure = figure;
  job->options = *options;
  start(job, copy_thread, cancellable, callback, user_data);
}

GdkContentProvider *
regard_export_job_copy_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

void
regard_export_job_write_async(RegardFigure *figure, const RegardExportFormat *format,
                              const RegardExportOptions *options, GFile *file,
                              GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  Job *job = g_new0(Job, 1);
  job->figure = figure;
  job->format = format;
  job->options = *options;
  job->file = g_object_ref(file);
  start(job, write_thread, cancellable, callback, user_data);
}

gboolean
regard_export_job_write_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}

/* ---- Captures ------------------------------------------------------------------------------ */

static bool
is_cancelled(void *user)
{
  return g_cancellable_is_cancelled(user);
}

/* The capture that is shown, and with it the scores, which it does not hold: the worker keeps none,
 * since they double its size. They are computed in a session of their own, the worker's is busy
 * with what is being typed; all else is the numbers on the screen, bit for bit. One reference, or
 * NULL. */
static mt_capture *
add_scores(const RegardResult *result, GCancellable *cancellable, mt_error *failure)
{
  if (mt_capture_has_scores(result->capture))
    return mt_capture_ref(result->capture);
  const RegardResultSentence *active = regard_result_active(result);
  mt_hooks hooks = {.should_stop = is_cancelled,
                    .user = cancellable,
                    .changes = mt_capture_changes(result->capture)};
  mt_session *session = mt_session_new(result->model, NULL, failure);
  mt_capture *whole = session ? mt_session_capture(session, active->translation, active->chosen,
                                                   MT_CAPTURE_SCORES, &hooks, failure)
                              : NULL;
  mt_session_free(session);
  for (mt_attention_kind k = 0; whole && k < MT_N_KINDS; k++)
    for (size_t l = 0; l < mt_capture_n_layers(whole, k); l++)
      for (size_t h = 0; h < mt_capture_n_heads(whole, k); h++) {
        mt_matrix shown = mt_capture_weights(result->capture, k, l, h);
        memcpy(mt_capture_fill_weights(whole, k, l, h), shown.data,
               shown.rows * shown.cols * sizeof *shown.data);
      }
  return whole;
}

static void
capture_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  const RegardResultSentence *active = regard_result_active(job->result);
  mt_error failure = {0};
  mt_capture *capture = add_scores(job->result, cancellable, &failure);
  bool done = false;
  if (capture) {
    g_autofree char *meta =
        regard_capture_meta("regard " MT_VERSION, job->result->model, active->translation,
                            active->chosen, active->is_given ? NULL : &job->result->params,
                            mt_capture_precision(capture), mt_capture_changes(capture));
    done = mt_capture_write_npz(capture, job->path, meta, &failure);
  }
  mt_capture_unref(capture);
  if (done) {
    g_task_return_boolean(task, TRUE);
    return;
  }
  GError *error = NULL;
  regard_error_set_from_mt(&error, &failure);
  g_task_return_error(task, error);
}

void
regard_export_job_capture_async(RegardResult *result, const char *path, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  const RegardResultSentence *active = regard_result_active(result);
  g_return_if_fail(active && active->translation && result->capture);
  Job *job = g_new0(Job, 1);
  job->result = regard_result_ref(result);
  job->path = g_strdup(path);
  start(job, capture_thread, cancellable, callback, user_data);
}

gboolean
regard_export_job_capture_finish(GAsyncResult *async_result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(async_result), error);
}

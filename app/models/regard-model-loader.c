/* regard-model-loader.c — opening a model folder without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-loader.h"

#include "base/regard-error.h"
#include "models/regard-model-info.h"
#include <glib/gi18n.h>

/* One model is opened at a time, and the next not before that one has taken the place of the one
 * that runs, or is gone: there are never more than two in memory. */
static GMutex turn_mutex;
static GCond turn_over;
static gboolean is_taken;

typedef struct {
  char *dir;
  mt_precision precision;
  GArray *steps; /* set by the loader thread before the task returns, as are these three */
  char *title;
  mt_model *model; /* until somebody takes it */
  gboolean has_turn;
  GCancellable *cancellable;
  RegardLoadProgress progress;
  gpointer progress_data;
  gint64 last_report; /* monotonic time, loader thread only */
} Load;

static void
load_free(gpointer data)
{
  Load *load = data;
  mt_model_unref(load->model);
  if (load->has_turn)
    regard_model_load_done();
  g_free(load->dir);
  g_free(load->title);
  g_clear_pointer(&load->steps, g_array_unref);
  g_clear_object(&load->cancellable);
  g_free(load);
}

typedef struct {
  GTask *task; /* keeps the load alive */
  double share;
} Report;

static void
report_free(gpointer data)
{
  Report *report = data;
  g_object_unref(report->task);
  g_free(report);
}

static gboolean
report_on_main(gpointer data)
{
  Report *report = data;
  Load *load = g_task_get_task_data(report->task);
  if (!g_task_get_completed(report->task) && !g_cancellable_is_cancelled(load->cancellable))
    load->progress(report->share, load->progress_data);
  return G_SOURCE_REMOVE;
}

static bool
on_progress(void *user, double share)
{
  GTask *task = user;
  Load *load = g_task_get_task_data(task);
  gint64 now = g_get_monotonic_time();
  /* A bar needs no more than twenty steps a second. */
  if (load->progress && now - load->last_report >= 50 * G_TIME_SPAN_MILLISECOND) {
    load->last_report = now;
    Report *report = g_new(Report, 1);
    *report = (Report){g_object_ref(task), share};
    /* Not g_main_context_invoke(): that calls here and now where nobody runs the context. */
    g_autoptr(GSource) source = g_idle_source_new();
    g_source_set_priority(source, G_PRIORITY_DEFAULT);
    g_source_set_callback(source, report_on_main, report, report_free);
    g_source_attach(source, g_task_get_context(task));
  }
  return !g_cancellable_is_cancelled(load->cancellable);
}

/* FALSE if the load was cancelled while it waited. */
static gboolean
take_turn(Load *load)
{
  gboolean is_mine = FALSE;
  g_mutex_lock(&turn_mutex);
  /* A load that hangs, on a disk that went away, must not keep others waiting that were
   * cancelled. */
  while (!is_mine && !g_cancellable_is_cancelled(load->cancellable)) {
    is_mine = !is_taken;
    if (is_mine)
      is_taken = TRUE;
    else
      g_cond_wait_until(&turn_over, &turn_mutex,
                        g_get_monotonic_time() + 50 * G_TIME_SPAN_MILLISECOND);
  }
  g_mutex_unlock(&turn_mutex);
  return is_mine;
}

void
regard_model_load_done(void)
{
  g_mutex_lock(&turn_mutex);
  is_taken = FALSE;
  g_cond_broadcast(&turn_over);
  g_mutex_unlock(&turn_mutex);
}

/* The engine stops at the first thing it stumbles over; a folder that was copied by half is told
 * as such, in the words of the list of models. */
static void
describe_failure(const RegardModelInfo *info, const mt_error *failure, GError **error)
{
  gboolean may_be_half = failure->code == MT_ERROR_IO || failure->code == MT_ERROR_FORMAT;
  if (may_be_half && info->problem && g_file_test(info->path, G_FILE_TEST_EXISTS))
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_IO, "%s: %s.", info->name, info->problem);
  else
    regard_error_set_from_mt(error, failure);
}

/* NULL with *failure. */
static mt_model *
open_model(const Load *load, GTask *task, mt_error *failure)
{
  mt_load_options options = {on_progress, task, load->precision};
  mt_model *model = mt_model_open(load->dir, &options, failure);
  gboolean may_be_precision =
      failure->code == MT_ERROR_UNSUPPORTED || failure->code == MT_ERROR_NO_MEMORY;
  if (model || load->precision == MT_PRECISION_STORED || !may_be_precision)
    return model;
  options.precision = MT_PRECISION_STORED;
  return mt_model_open(load->dir, &options, failure);
}

static void
load_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Load *load = data;
  mt_error failure = {.code = MT_ERROR_CANCELLED, .message = "Opening was cancelled."};
  load->has_turn = take_turn(load);
  if (load->has_turn)
    load->model = open_model(load, task, &failure);
  g_autoptr(RegardModelInfo) info = regard_model_info_new(load->dir, REGARD_MODEL_FOUND, TRUE);
  load->steps = info->steps ? g_array_ref(info->steps) : NULL;
  if (load->model) {
    load->title = g_strdup(info->title);
    g_task_return_boolean(task, TRUE);
    return;
  }
  GError *error = NULL;
  describe_failure(info, &failure, &error);
  g_task_return_error(task, error);
}

void
regard_model_load_async(const char *dir, mt_precision precision, GCancellable *cancellable,
                        RegardLoadProgress progress, gpointer progress_data,
                        GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  Load *load = g_new0(Load, 1);
  load->dir = g_strdup(dir);
  load->precision = precision;
  load->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  load->progress = progress;
  load->progress_data = progress_data;
  g_task_set_source_tag(task, regard_model_load_async);
  g_task_set_task_data(task, load, load_free);
  g_task_run_in_thread(task, load_thread);
}

mt_model *
regard_model_load_finish(GAsyncResult *result, GError **error)
{
  Load *load = g_task_get_task_data(G_TASK(result));
  if (!g_task_propagate_boolean(G_TASK(result), error))
    return NULL;
  load->has_turn = FALSE; /* it is the caller's now */
  return g_steal_pointer(&load->model);
}

const char *
regard_model_load_dir(GAsyncResult *result)
{
  Load *load = g_task_get_task_data(G_TASK(result));
  return load->dir;
}

const char *
regard_model_load_title(GAsyncResult *result)
{
  Load *load = g_task_get_task_data(G_TASK(result));
  return load->title;
}

GArray *
regard_model_load_steps(GAsyncResult *result)
{
  Load *load = g_task_get_task_data(G_TASK(result));
  return load->steps;
}

char *
regard_model_shape(mt_model *model)
{
  const mt_config *config = mt_model_config(model);
  return g_strdup_printf(_("%zu + %zu layers · %zu heads"), config->n_layers[MT_STACK_ENCODER],
                         config->n_layers[MT_STACK_DECODER], config->n_heads[MT_STACK_DECODER]);
}

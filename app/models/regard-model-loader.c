/* regard-model-loader.c — opening a model folder without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-loader.h"

#include "base/regard-error.h"
#include "base/regard-memory.h"
#include "base/regard-paths.h"
#include "models/regard-model-info.h"
#include <glib/gi18n.h>

/* One model is opened at a time, and the next not before that one has taken the place of the one
 * that runs, or is gone: there are never more than two in memory. */
static GMutex turn_mutex;
static GCond turn_over;
static gboolean is_taken;

static void
load_clear(gpointer data)
{
  RegardModelLoad *load = data;
  if (load->has_turn)
    regard_model_load_done();
  g_free(load->dir);
  g_free(load->title);
  g_clear_pointer(&load->steps, g_array_unref);
  mt_means_unref(load->means);
  g_free(load->why_no_means);
}

static bool
on_progress(void *user, double share)
{
  regard_run_progress(user, share);
  return !regard_run_should_stop(user);
}

/* FALSE if the load was cancelled while it waited. */
static gboolean
take_turn(GCancellable *cancellable)
{
  gboolean is_mine = FALSE;
  g_mutex_lock(&turn_mutex);
  /* A load that hangs, on a disk that went away, must not keep others waiting that were
   * cancelled. */
  while (!is_mine && !g_cancellable_is_cancelled(cancellable)) {
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
  if (may_be_half && info->problem && g_file_test(info->path, G_FILE_TEST_EXISTS)) {
    /* Translators: a model, and what is wrong with it. */
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_IO, _("%s: %s."), info->name, info->problem);
  } else
    regard_error_set_from_mt(error, failure);
}

/* A file that cannot be used is told of where messages of the program go: there is a picture all
 * the same. */
static RegardFirstHead
find_first_head(const char *dir, const mt_model *model)
{
  g_autofree char *path = g_build_filename(dir, REGARD_ALIGNMENT_FILE, NULL);
  RegardFirstHead first = regard_first_head_usual(model);
  mt_error error = {0};
  if (g_file_test(path, G_FILE_TEST_EXISTS) && !regard_first_head_read(&first, path, model, &error))
    g_message("%s", error.message);
  return first;
}

/* NULL with *failure. */
static mt_model *
open_model(const RegardModelLoad *load, RegardRun *run, mt_error *failure)
{
  g_autofree char *cache = load->caches ? regard_paths_weights_cache() : NULL;
  mt_load_options options = {.on_progress = on_progress,
                             .user = run,
                             .precision = load->precision,
                             .cache = cache,
                             .most_memory = regard_memory_to_spare()};
  mt_model *model = mt_model_open(load->dir, &options, failure);
  gboolean may_be_precision =
      failure->code == MT_ERROR_UNSUPPORTED || failure->code == MT_ERROR_NO_MEMORY;
  if (model || load->precision == MT_PRECISION_STORED || !may_be_precision)
    return model;
  options.precision = MT_PRECISION_STORED;
  return mt_model_open(load->dir, &options, failure);
}

static gpointer
open_(RegardRun *run, mt_error *failure)
{
  RegardModelLoad *load = regard_run_get_params(run);
  mt_model *model = NULL;
  char *path = regard_model_path(load->dir);
  g_free(load->dir);
  load->dir = path;
  *failure = (mt_error){.code = MT_ERROR_CANCELLED, .message = "Opening was cancelled."};
  load->has_turn = take_turn(regard_run_get_cancellable(run));
  if (load->has_turn)
    model = open_model(load, run, failure);
  g_autoptr(RegardModelInfo) info = regard_model_info_new(load->dir, REGARD_MODEL_FOUND, TRUE);
  load->steps = info->steps ? g_array_ref(info->steps) : NULL;
  if (model) {
    mt_error why_not = {0};
    load->title = g_strdup(info->title);
    load->means = mt_means_find(load->dir, model, &why_not);
    load->first_head = find_first_head(load->dir, model);
    load->why_no_means = load->means ? NULL : g_strdup(why_not.message);
    return model;
  }
  GError *error = NULL;
  describe_failure(info, failure, &error);
  regard_run_take_error(run, error);
  return NULL;
}

const RegardTask regard_model_load_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardModelLoad),
    .compute = open_,
    .clear_params = load_clear,
    .free_result = (GDestroyNotify) mt_model_unref,
};

mt_model *
regard_model_load_finish(RegardRun *run, GError **error)
{
  RegardModelLoad *load = regard_run_get_params(run);
  mt_model *model = regard_run_finish(run, error);
  if (model)
    load->has_turn = FALSE; /* it is the caller's now */
  return model;
}

char *
regard_model_shape(mt_model *model)
{
  const mt_config *config = mt_model_config(model);
  /* Translators: layers of the encoder and of the decoder, and heads of a layer */
  return g_strdup_printf(ngettext("%zu + %zu layers · %zu head", "%zu + %zu layers · %zu heads",
                                  config->n_heads[MT_STACK_DECODER]),
                         config->n_layers[MT_STACK_ENCODER], config->n_layers[MT_STACK_DECODER],
                         config->n_heads[MT_STACK_DECODER]);
}

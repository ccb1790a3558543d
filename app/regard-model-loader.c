/* regard-model-loader.c — opening a model folder without blocking anybody.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regard-model-loader.h"

#include "regard-error.h"
#include <glib/gi18n.h>

typedef struct {
  char *dir;
  GCancellable *cancellable;
  RegardLoadProgress progress;
  gpointer progress_data;
  gint64 last_report; /* monotonic time, loader thread only */
} Load;

static void
load_free(gpointer data)
{
  Load *load = data;
  g_free(load->dir);
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

static void
model_destroy(gpointer model)
{
  mt_model_unref(model);
}

static void
load_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Load *load = data;
  mt_error failure = {0};
  mt_load_options options = {on_progress, task};
  mt_model *model = mt_model_open(load->dir, &options, &failure);
  if (model) {
    g_task_return_pointer(task, model, model_destroy);
    return;
  }
  GError *error = NULL;
  regard_error_set_from_mt(&error, &failure);
  g_task_return_error(task, error);
}

void
regard_model_load_async(const char *dir, GCancellable *cancellable, RegardLoadProgress progress,
                        gpointer progress_data, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);
  Load *load = g_new0(Load, 1);
  load->dir = g_strdup(dir);
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
  return g_task_propagate_pointer(G_TASK(result), error);
}

const char *
regard_model_load_dir(GAsyncResult *result)
{
  Load *load = g_task_get_task_data(G_TASK(result));
  return load->dir;
}

/* English names of the languages people train translation models for most; others keep their
 * code. */
static const struct {
  const char *code, *name;
} languages[] = {
    {"ar", N_("Arabic")},     {"bg", N_("Bulgarian")},  {"ca", N_("Catalan")},
    {"cs", N_("Czech")},      {"da", N_("Danish")},     {"de", N_("German")},
    {"el", N_("Greek")},      {"en", N_("English")},    {"es", N_("Spanish")},
    {"et", N_("Estonian")},   {"fi", N_("Finnish")},    {"fr", N_("French")},
    {"he", N_("Hebrew")},     {"hi", N_("Hindi")},      {"hr", N_("Croatian")},
    {"hu", N_("Hungarian")},  {"id", N_("Indonesian")}, {"it", N_("Italian")},
    {"ja", N_("Japanese")},   {"ko", N_("Korean")},     {"lt", N_("Lithuanian")},
    {"lv", N_("Latvian")},    {"nl", N_("Dutch")},      {"no", N_("Norwegian")},
    {"pl", N_("Polish")},     {"pt", N_("Portuguese")}, {"ro", N_("Romanian")},
    {"ru", N_("Russian")},    {"sk", N_("Slovak")},     {"sl", N_("Slovenian")},
    {"sv", N_("Swedish")},    {"tr", N_("Turkish")},    {"uk", N_("Ukrainian")},
    {"vi", N_("Vietnamese")}, {"zh", N_("Chinese")},
};

static const char *
language_name(const char *code)
{
  for (guint i = 0; i < G_N_ELEMENTS(languages); i++)
    if (g_str_equal(languages[i].code, code))
      return _(languages[i].name);
  return code;
}

char *
regard_model_title(mt_model *model)
{
  const mt_config *config = mt_model_config(model);
  if (*config->source_lang && *config->target_lang)
    return g_strdup_printf("%s → %s", language_name(config->source_lang),
                           language_name(config->target_lang));
  return g_strdup(mt_model_name(model));
}

char *
regard_model_shape(mt_model *model)
{
  const mt_config *config = mt_model_config(model);
  return g_strdup_printf(_("%zu + %zu layers · %zu heads"), config->n_layers[MT_STACK_ENCODER],
                         config->n_layers[MT_STACK_DECODER], config->n_heads[MT_STACK_DECODER]);
}

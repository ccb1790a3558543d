/* regard-runner.c — what an analysis is of, and the one place where this process computes in
 * threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-runner.h"
#include "figures/regard-language.h"

#include "runner/regard-failure.h"

/* ---- What an analysis is of ------------------------------------------------------------- */

RegardPass *
regard_pass_new(mt_capture *capture, mt_model *model, mt_translation *translation, gsize hypothesis)
{
  RegardPass *pass = g_new(RegardPass, 1);

  *pass = (RegardPass){
      .capture = capture ? mt_capture_ref(capture) : NULL,
      .model = model ? mt_model_ref(model) : NULL,
      .translation = translation ? mt_translation_ref(translation) : NULL,
      .hypothesis = hypothesis,
      .interventions = capture       ? mt_capture_interventions(capture)
                       : translation ? mt_translation_interventions(translation)
                                     : NULL,
      .search = translation ? mt_translation_search(translation) : NULL,
  };
  g_atomic_ref_count_init(&pass->ref_count);
  return pass;
}

RegardPass *
regard_pass_ref(RegardPass *pass)
{
  g_atomic_ref_count_inc(&pass->ref_count);
  return pass;
}

void
regard_pass_unref(RegardPass *pass)
{
  if (!g_atomic_ref_count_dec(&pass->ref_count))
    return;
  mt_capture_unref(pass->capture);
  mt_model_unref(pass->model);
  mt_translation_unref(pass->translation);
  g_free(pass);
}

void
regard_pass_set(RegardPass **place, RegardPass *pass)
{
  RegardPass *old = *place;

  *place = pass ? regard_pass_ref(pass) : NULL;
  g_clear_pointer(&old, regard_pass_unref);
}

gboolean
regard_pass_has_model(const RegardPass *pass)
{
  return pass && pass->model && pass->translation;
}

mt_capture *
regard_pass_capture(const RegardPass *pass)
{
  return pass ? pass->capture : NULL;
}

const mt_tokens *
regard_pass_output(const RegardPass *pass)
{
  return mt_translation_hypothesis(pass->translation, pass->hypothesis)->tokens;
}

/* ---- Runs -------------------------------------------------------------------------------------
 */

struct _RegardRun {
  const RegardTask *task;
  RegardPass *pass;
  gpointer params;
  RegardRunDone done;
  gpointer data;
  GMainContext *context; /* where done is called */
  GCancellable *cancellable;
  gint permille;           /* atomic; written by the thread */
  RegardPriority priority; /* with the lock */
  mt_session *session;     /* of the thread; NULL: not asked for */
  gpointer result;
  GError *error;
};

/* Threads come from GLib's pool and go back to it; who may begin is decided here. */
static struct {
  GMutex lock;
  GCond changed; /* something may go on: a run has ended, was cancelled, or is less urgent */
  GThreadPool *threads;
  GQueue waiting[REGARD_N_PRIORITIES];
  guint n_running[REGARD_N_PRIORITIES];
} runner;

static void
run_free(RegardRun *run)
{
  if (run->result && run->result != run && run->task->free_result)
    run->task->free_result(run->result);
  if (run->task->clear_params)
    run->task->clear_params(run->params);
  g_free(run->params);
  regard_pass_set(&run->pass, NULL);
  g_clear_error(&run->error);
  g_object_unref(run->cancellable);
  g_main_context_unref(run->context);
  g_free(run);
}

/* ---- The end, in the main context -------------------------------------------------------------
 */

/* Of the main thread alone. */
typedef struct {
  RegardRunWatch watch;
  gpointer data;
} Watch;
static GArray *watches;

static void
tell_watches(RegardRun *run)
{
  for (guint i = 0; watches && i < watches->len; i++) {
    const Watch *w = &g_array_index(watches, Watch, i);

    w->watch(w->data, run, run->task, run->result);
  }
}

void
regard_runner_watch(RegardRunWatch watch, gpointer data)
{
  const Watch w = {watch, data};

  if (!watches)
    watches = g_array_new(FALSE, FALSE, sizeof(Watch));
  g_array_append_val(watches, w);
}

void
regard_runner_unwatch(RegardRunWatch watch, gpointer data)
{
  for (guint i = 0; watches && i < watches->len; i++) {
    const Watch *w = &g_array_index(watches, Watch, i);

    if (w->watch == watch && w->data == data) {
      g_array_remove_index(watches, i);
      break;
    }
  }
  if (watches && !watches->len)
    g_clear_pointer(&watches, g_array_unref);
}

static gboolean
on_ended(gpointer data)
{
  RegardRun *run = data;

  if (run->done && run->result && run->context == g_main_context_default())
    tell_watches(run);
  if (run->done)
    run->done(run->data, run);
  run_free(run);
  return G_SOURCE_REMOVE;
}

static void
deliver(RegardRun *run)
{
  g_autoptr(GSource) source = g_idle_source_new();

  /* Before redrawing: what is there makes it into the frame. */
  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  g_source_set_callback(source, on_ended, run, NULL);
  g_source_set_static_name(source, "regard-run");
  g_source_attach(source, run->context);
}

gpointer
regard_run_finish(RegardRun *run, GError **error)
{
  g_return_val_if_fail(run->result || run->error, NULL);
  if (run->error)
    g_propagate_error(error, g_steal_pointer(&run->error));
  return g_steal_pointer(&run->result);
}

/* ---- Who may run; with the lock ---------------------------------------------------------------
 */

static gboolean
may_begin(RegardPriority priority)
{
  const guint *n = runner.n_running;

  switch (priority) {
  case REGARD_RUN_SHOWN:
    return n[REGARD_RUN_TYPED] == 0 && n[REGARD_RUN_SHOWN] < REGARD_MOST_SHOWN;
  case REGARD_RUN_OTHER:
    return n[REGARD_RUN_TYPED] + n[REGARD_RUN_SHOWN] == 0 &&
           n[REGARD_RUN_OTHER] < REGARD_MOST_SHOWN;
  default:
    return TRUE;
  }
}

/* One that has begun waits for those that are more urgent. */
static gboolean
is_held(const RegardRun *run)
{
  const guint *n = runner.n_running;

  return run->priority == REGARD_RUN_SHOWN   ? n[REGARD_RUN_TYPED] > 0
         : run->priority == REGARD_RUN_OTHER ? n[REGARD_RUN_TYPED] + n[REGARD_RUN_SHOWN] > 0
                                             : FALSE;
}

static void
let_begin(void)
{
  for (RegardPriority p = 0; p < REGARD_N_PRIORITIES; p++)
    while (may_begin(p) && !g_queue_is_empty(&runner.waiting[p])) {
      runner.n_running[p]++;
      g_thread_pool_push(runner.threads, g_queue_pop_head(&runner.waiting[p]), NULL);
    }
  g_cond_broadcast(&runner.changed);
}

/* ---- The thread -------------------------------------------------------------------------------
 */

static void
set_error(RegardRun *run, const mt_error *error)
{
  if (run->error)
    return;
  g_autofree char *said = regard_failure_say(error);
  run->error = g_error_new_literal(G_IO_ERROR,
                                   error->code == MT_ERROR_CANCELLED ? G_IO_ERROR_CANCELLED
                                                                     : G_IO_ERROR_FAILED,
                                   said);
}

static void
compute(RegardRun *run)
{
  mt_error error = {.code = MT_ERROR_CANCELLED, .message = ""};

  if (g_cancellable_is_cancelled(run->cancellable)) {
    g_strlcpy(error.message, _("Cancelled."), sizeof error.message);
    set_error(run, &error);
    return;
  }
  if (run->task->needs_model && !regard_pass_has_model(run->pass)) {
    run->error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                                     _("Nothing is known of this translation but its attention."));
    return;
  }
  error = (mt_error){0};
  run->result = run->task->compute(run, &error);
  g_clear_pointer(&run->session, mt_session_free);
  if (!run->result)
    set_error(run, &error);
}

static void
on_thread(gpointer data, gpointer unused)
{
  RegardRun *run = data;

  compute(run);
  g_mutex_lock(&runner.lock);
  runner.n_running[run->priority]--;
  let_begin();
  g_mutex_unlock(&runner.lock);
  deliver(run);
}

mt_session *
regard_run_get_session(RegardRun *run, mt_error *error)
{
  if (!run->session)
    run->session = mt_session_new(run->pass->model, NULL, error);
  return run->session;
}

void
regard_run_progress(void *run, double share)
{
  g_atomic_int_set(&((RegardRun *) run)->permille, (gint) (CLAMP(share, 0, 1) * 1000));
}

bool
regard_run_should_stop(void *data)
{
  RegardRun *run = data;

  g_mutex_lock(&runner.lock);
  while (is_held(run) && !g_cancellable_is_cancelled(run->cancellable))
    g_cond_wait(&runner.changed, &runner.lock);
  g_mutex_unlock(&runner.lock);
  return g_cancellable_is_cancelled(run->cancellable);
}

mt_hooks
regard_run_hooks(RegardRun *run, const mt_interventions *interventions)
{
  return (
      mt_hooks){.should_stop = regard_run_should_stop, .user = run, .interventions = interventions};
}

void
regard_run_set_priority(RegardRun *run, RegardPriority priority)
{
  g_mutex_lock(&runner.lock);
  runner.n_running[run->priority]--;
  run->priority = priority;
  runner.n_running[priority]++;
  let_begin();
  g_mutex_unlock(&runner.lock);
}

void
regard_run_take_error(RegardRun *run, GError *error)
{
  g_clear_error(&run->error);
  run->error = error;
}

GCancellable *
regard_run_get_cancellable(RegardRun *run)
{
  return run->cancellable;
}

RegardPass *
regard_run_get_pass(RegardRun *run)
{
  return run->pass;
}

gpointer
regard_run_get_params(RegardRun *run)
{
  return run->params;
}

double
regard_run_get_share(RegardRun *run)
{
  return g_atomic_int_get(&run->permille) / 1000.0;
}

void
regard_task_free_parameter(gpointer params)
{
  g_free(*(gpointer *) params);
}

/* ---- Asking -----------------------------------------------------------------------------------
 */

RegardRun *
regard_runner_start(const RegardTask *task, RegardPass *pass, gconstpointer params,
                    RegardRunDone done, gpointer data)
{
  RegardRun *run = g_new0(RegardRun, 1);

  run->task = task;
  regard_pass_set(&run->pass, pass);
  run->params = g_memdup2(params, task->params_size);
  run->done = done;
  run->data = data;
  run->context = g_main_context_ref_thread_default();
  run->cancellable = g_cancellable_new();
  run->priority = task->priority;
  g_mutex_lock(&runner.lock);
  if (!runner.threads)
    runner.threads = g_thread_pool_new(on_thread, NULL, -1, FALSE, NULL);
  g_queue_push_tail(&runner.waiting[run->priority], run);
  let_begin();
  g_mutex_unlock(&runner.lock);
  return run;
}

void
regard_run_cancel(RegardRun *run)
{
  g_cancellable_cancel(run->cancellable);
  g_mutex_lock(&runner.lock);
  gboolean is_waiting = g_queue_remove(&runner.waiting[run->priority], run);
  g_cond_broadcast(&runner.changed);
  g_mutex_unlock(&runner.lock);
  if (!is_waiting)
    return;
  run->error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Cancelled."));
  deliver(run);
}

void
regard_run_drop(RegardRun *run)
{
  run->done = NULL;
  regard_run_cancel(run);
}

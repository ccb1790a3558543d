/* regard-runner.h — the one place where this process computes in threads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A task says what is computed: a function, the size of its parameters, how urgent it is. It is a
 * constant; analyses of a pass are in regard-analysis.h, and whoever else has something that takes
 * longer than a frame defines a task of its own. A run is one execution of a task:
 *
 *     static gpointer
 *     count(RegardRun *run, mt_error *error)                        (in a thread)
 *     {
 *       const RegardPass *pass = regard_run_get_pass(run);
 *       const mt_hooks hooks = regard_run_hooks(run, pass->changes);
 *       …
 *     }
 *     static const RegardTask counting = {
 *         .priority = REGARD_RUN_SHOWN,
 *         .needs_model = TRUE,
 *         .compute = count,
 *         .free_result = g_free,
 *     };
 *
 * The pass and the parameters are taken when the run is asked for, and belong to it. When it has
 * ended, its callback is called in the main context that it was asked for in, takes the result or
 * the error, and reads of the run of what that is. Pages do not start runs by themselves: they have
 * a RegardWork (regard-work.h), which waits, shows progress, stops, and drops what nobody wants any
 * more.
 *
 * Threads. All runs share one pool. The translation of what is typed begins at once, and while it
 * runs no analysis begins, and those that run are held where they ask whether they should stop, so
 * that the translation has the cores for itself. What is not on the screen is held likewise by what
 * is. An engine session has threads of its own (as many as there are cores, at most four), and
 * OpenBLAS none; so no more than REGARD_MOST_SHOWN analyses run at once: two, so that a long one
 * does not keep a short one waiting.
 */
#pragma once

#include <gio/gio.h>
#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* ---- What an analysis is of: a model's pass over a translation, with its capture -------- */

/* A pass never changes, and is counted; threads share it. Whoever asks for an analysis hands over
 * the pass that is on the screen at that moment, and the answer says of which pass it is. So
 * nothing is looked up when an analysis ends: by then another sentence may be on the screen. */

/* All members are read only and borrowed of the pass. */
typedef struct {
  mt_capture *capture; /* NULL: attention was not captured */
  mt_model *model;     /* NULL: nothing but the capture is known, as of a file of attention */
  mt_translation *translation;
  gsize hypothesis;
  const mt_interventions *interventions; /* interventions it was made with; NULL: none */
  const mt_request *search; /* settings the translation was searched for with; NULL: not known */
  /*< private >*/
  gatomicrefcount ref_count;
} RegardPass;

/* References are taken of all that is given; any may be NULL. */
RegardPass *regard_pass_new(mt_capture *capture, mt_model *model, mt_translation *translation,
                            gsize hypothesis);
RegardPass *regard_pass_ref(RegardPass *pass);
void regard_pass_unref(RegardPass *pass);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardPass, regard_pass_unref)
/* Puts a pass, or NULL, in the place of another; a reference is taken. */
void regard_pass_set(RegardPass **place, RegardPass *pass);
/* Can the model run it again? FALSE also for NULL. */
gboolean regard_pass_has_model(const RegardPass *pass);
/* The capture; NULL: there is none, or no pass. Borrowed. */
mt_capture *regard_pass_capture(const RegardPass *pass);
/* The output tokens of the hypothesis of a pass that has a model. Borrowed. */
const mt_tokens *regard_pass_output(const RegardPass *pass);

/* ---- Runs -------------------------------------------------------------------------------------
 */

#define REGARD_MOST_SHOWN 2

/* How urgent a run is, the most urgent first. */
typedef enum {
  REGARD_RUN_TYPED, /* the translation of what is typed; begins at once */
  REGARD_RUN_SHOWN, /* what somebody looks at, or waits for */
  REGARD_RUN_OTHER, /* what goes on for long beside it: whole files, the rest of a long text */
  /* Reads files, and so waits for a disk more than it computes: begins at once, and neither holds
   * others nor is held. */
  REGARD_RUN_READING,
  REGARD_N_PRIORITIES,
} RegardPriority;

typedef struct _RegardRun RegardRun;

typedef struct {
  RegardPriority priority;
  /* Without a model that can run its pass again it ends with G_IO_ERROR_NOT_FOUND. */
  gboolean needs_model;
  gsize params_size; /* of regard_run_get_params; 0: there are none */
  /* In a thread. Returns the result, or NULL and the error: *error, or regard_run_take_error. A
   * task without a result returns the run. */
  gpointer (*compute)(RegardRun *run, mt_error *error);
  GDestroyNotify clear_params; /* what the parameters refer to, not the parameters; or NULL */
  GDestroyNotify free_result;  /* of a result that nobody takes; or NULL */
} RegardTask;

/* For clear_params of a task whose parameter is one pointer: g_free. */
void regard_task_free_parameter(gpointer params);

/* ---- Asking -----------------------------------------------------------------------------------
 */

typedef void (*RegardRunDone)(gpointer data, RegardRun *run);

/* The pass is what the task is about, NULL: of none; a reference is taken. params are copied, and
 * what they refer to is taken. done (NULL: nobody waits) is called however it ends, when it was
 * cancelled, too; the run is gone after it. Borrowed. */
RegardRun *regard_runner_start(const RegardTask *task, RegardPass *pass, gconstpointer params,
                               RegardRunDone done, gpointer data);
/* On any thread. One that has not begun ends at once. */
void regard_run_cancel(RegardRun *run);
/* The same by whoever asked for it, in that context: done is not called any more. */
void regard_run_drop(RegardRun *run);
/* How far it is, 0 to 1. */
double regard_run_get_share(RegardRun *run);

/* Whoever keeps a log is told of each run that somebody waits for and that has a result, in the
 * main thread, before its callback takes that: what it is of can be read of it, and it is left as
 * it is. A watch asks for no run, and is no watch less or more. */
typedef void (*RegardRunWatch)(gpointer data, RegardRun *run, const RegardTask *task,
                               gconstpointer result);
void regard_runner_watch(RegardRunWatch watch, gpointer data);
void regard_runner_unwatch(RegardRunWatch watch, gpointer data);

/* ---- In the thread ----------------------------------------------------------------------------
 */

/* For on_progress of the engine, with the run as its user. */
void regard_run_progress(void *run, double share);
/* For should_stop of the engine, with the run as its user: whether it was cancelled. While
 * something more urgent runs it does not return; so no lock may be held that others want. */
bool regard_run_should_stop(void *run);
/* Hooks with both the above and these changes, which may be NULL. */
mt_hooks regard_run_hooks(RegardRun *run, const mt_interventions *interventions);
/* For GIO. Borrowed. */
GCancellable *regard_run_get_cancellable(RegardRun *run);
/* From here on it is as urgent as that; on any thread while it runs. */
void regard_run_set_priority(RegardRun *run, RegardPriority priority);
/* A session of the pass's model, in the thread; it ends with the task. NULL: *error. Borrowed. */
mt_session *regard_run_get_session(RegardRun *run, mt_error *error);
/* An error of another domain than the engine's. */
void regard_run_take_error(RegardRun *run, GError *error);

/* ---- What it is of, in the thread and in the callback -----------------------------------------
 */

RegardPass *regard_run_get_pass(RegardRun *run);
/* Its own copy. */
gpointer regard_run_get_params(RegardRun *run);
/* The result, once, or NULL and an error; in the callback. What the engine says is
 * G_IO_ERROR_FAILED or G_IO_ERROR_CANCELLED. */
gpointer regard_run_finish(RegardRun *run, GError **error);

G_END_DECLS

/* regard-work.h — what is computed in a thread for somebody who looks: begun a moment after nothing
 * has changed any more, asked how far it is, dropped when something else is wanted, and stopped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A work has an owner, which makes one asynchronous call at a time:
 *
 *     regard_work_wait(self->work, 180, start);            (something else is wanted)
 *     static void start(gpointer owner)                    (180 ms later)
 *     {
 *       RegardRun *run = regard_work_run(self->work);
 *       mt_..._params params = {.on_progress = regard_run_progress, .user = run};
 *       regard_selection_..._async(selection, &params, regard_run_cancellable(run),
 * regard_run_done, run);
 *     }
 *     static void done(gpointer owner, GObject *source, GAsyncResult *result)
 *     {
 *       (regard_selection_..._finish, and show what there is)
 *     }
 *
 * done is called for what is still wanted only: whatever was dropped, stopped, or whose owner has
 * been disposed meanwhile is cancelled, and its result freed by its task. Signals: "changed" (it
 * waits, runs, is further, or has ended, done having been called), and before it "stopped", if that
 * was by regard_work_stop.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WORK (regard_work_get_type())
G_DECLARE_FINAL_TYPE(RegardWork, regard_work, REGARD, WORK, GObject)

/* One call. It outlives the wish for it. */
typedef struct _RegardRun RegardRun;

typedef void (*RegardWorkStart)(gpointer owner);
typedef void (*RegardWorkDone)(gpointer owner, GObject *source, GAsyncResult *result);

/* The owner, any GObject, is not kept alive. */
RegardWork *regard_work_new(gpointer owner, RegardWorkDone done);
/* start is called once this was not called again for so many milliseconds, and somebody looks. It
 * may find that there is nothing to compute. */
void regard_work_wait(RegardWork *self, guint milliseconds, RegardWorkStart start);
/* Begins at once; the caller makes the one call that ends with regard_run_done. Borrowed. */
RegardRun *regard_work_run(RegardWork *self);
/* Nothing is wanted any more. */
void regard_work_drop(RegardWork *self);
/* The same, by somebody who would not wait, if there was something to wait for. */
void regard_work_stop(RegardWork *self);
/* Whether somebody looks; so it is at first. What was waited for is dropped while nobody does, and
 * begun anew when somebody does again. */
void regard_work_set_seen(RegardWork *self, gboolean seen);
/* How far it is, 0 to 1, and 0 while it waits; negative: nothing is computed. */
double regard_work_get_share(RegardWork *self);

GCancellable *regard_run_cancellable(RegardRun *run); /* borrowed */
/* For on_progress of the engine, with the run as its user; on any thread. */
void regard_run_progress(void *run, double share);
/* The callback, with the run as its data, which it frees. */
void regard_run_done(GObject *source, GAsyncResult *result, gpointer run);

G_END_DECLS

/* regard-work.h — one thing at a time that somebody wants computed: begun a moment after nothing
 * has changed any more, asked how far it is, dropped when something else is wanted, and stopped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A work has an owner, which asks the runner for what it shows by it, and by nothing else:
 *
 *     regard_work_wait(self->work, 180, start);            (something else is wanted)
 *     static void start(gpointer owner)                    (180 ms later)
 *     {
 *       regard_work_run(self->work, &regard_analysis_ablation, pass, &params, done);
 *     }
 *     static void done(gpointer owner, RegardRun *run)
 *     {
 *       (regard_run_finish, and show what there is)
 *     }
 *
 * done is called for what is still wanted only: whatever was dropped, stopped, replaced by another
 * run, or whose owner has been disposed meanwhile is cancelled, and its result freed with it.
 * Signals: "changed" (it waits, runs, is further, or has ended, done having been called), and
 * before it "stopped", if that was by regard_work_stop. Of a work that keeps what it has done, see
 * regard_work_set_keeps, "stopped" comes when it is asked to end.
 */
#pragma once

#include "runner/regard-analysis.h"

G_BEGIN_DECLS

#define REGARD_TYPE_WORK (regard_work_get_type())
G_DECLARE_FINAL_TYPE(RegardWork, regard_work, REGARD, WORK, GObject)

typedef void (*RegardWorkStart)(gpointer owner);

/* The owner, any GObject, is not kept alive. */
RegardWork *regard_work_new(gpointer owner);
/* start is called once this was not called again for so many milliseconds, and somebody looks. It
 * may find that there is nothing to compute. */
void regard_work_wait(RegardWork *self, guint milliseconds, RegardWorkStart start);
/* Begins at once, in the place of what is under way; as regard_runner_start. */
void regard_work_run(RegardWork *self, const RegardTask *task, RegardPass *pass,
                     gconstpointer params, RegardRunDone done);
/* Its runs keep what they have done: to stop one is to ask it to end, and done is called when it
 * has. */
void regard_work_set_keeps(RegardWork *self);
/* Nothing is wanted any more. NULL: it was let go already. */
void regard_work_drop(RegardWork *self);
/* The same, by somebody who would not wait, if there was something to wait for. */
void regard_work_stop(RegardWork *self);
/* Whether somebody looks; so it is at first. What was waited for is dropped while nobody does, and
 * begun anew when somebody does again. */
void regard_work_set_seen(RegardWork *self, gboolean seen);
/* How far it is, 0 to 1, and 0 while it waits; negative: nothing is computed. */
double regard_work_get_share(RegardWork *self);
/* Does it wait or run? */
gboolean regard_work_is_busy(RegardWork *self);
/* Does it so for long enough to be worth showing? What was waited for is not at first: a bar that
 * came with every key would flicker. What somebody began at once is. */
gboolean regard_work_is_shown(RegardWork *self);

G_END_DECLS

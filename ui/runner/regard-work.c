/* regard-work.c — one thing at a time that somebody wants computed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-work.h"

#define TICK_MS       60
#define SHOW_AFTER_MS 300

struct _RegardWork {
  GObject parent_instance;

  GObject *owner;        /* no reference; NULL: it is gone */
  RegardWorkStart start; /* what is waited for, or runs; NULL: nothing, or it was not waited for */
  guint delay;
  gboolean is_unseen, keeps;
  RegardRun *run;     /* the newest, until it has ended; NULL: none */
  RegardRunDone done; /* of it */
  guint start_id, tick_id;
  gint64 shown_from; /* monotonic time, of what is under way */
};

G_DEFINE_FINAL_TYPE(RegardWork, regard_work, G_TYPE_OBJECT)

enum { CHANGED, STOPPED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
emit(RegardWork *self, guint signal)
{
  g_signal_emit(self, signals[signal], 0);
}

/* TRUE if there was something. */
static gboolean
forget(RegardWork *self)
{
  const gboolean had = self->run || self->start_id;

  g_clear_handle_id(&self->start_id, g_source_remove);
  g_clear_handle_id(&self->tick_id, g_source_remove);
  if (self->run)
    regard_run_drop(self->run);
  self->run = NULL;
  return had;
}

static void
on_owner_gone(gpointer data, GObject *where_it_was)
{
  RegardWork *self = data;

  self->owner = NULL;
  forget(self);
}

/* ---- One run ----------------------------------------------------------------------------------
 */

static void
on_ended(gpointer data, RegardRun *run)
{
  /* What the owner does now may be the end of both. */
  g_autoptr(RegardWork) self = g_object_ref(data);
  g_autoptr(GObject) owner = g_object_ref(self->owner);

  self->run = NULL;
  self->start = NULL;
  g_clear_handle_id(&self->tick_id, g_source_remove);
  self->done(owner, run);
  emit(self, CHANGED);
}

static gboolean
on_tick(gpointer data)
{
  emit(data, CHANGED);
  return G_SOURCE_CONTINUE;
}

void
regard_work_run(RegardWork *self, const RegardTask *task, RegardPass *pass, gconstpointer params,
                RegardRunDone done)
{
  g_return_if_fail(self->owner && done);
  forget(self);
  if (!self->start) /* nobody waited: somebody has asked for it now */
    self->shown_from = 0;
  self->done = done;
  self->run = regard_runner_start(task, pass, params, on_ended, self);
  self->tick_id = g_timeout_add(TICK_MS, on_tick, self);
  emit(self, CHANGED);
}

/* ---- What is wanted ---------------------------------------------------------------------------
 */

static gboolean
on_start(gpointer data)
{
  RegardWork *self = data;

  self->start_id = 0;
  self->start(self->owner);
  if (!self->run) { /* there is nothing to compute */
    self->start = NULL;
    emit(self, CHANGED);
  }
  return G_SOURCE_REMOVE;
}

void
regard_work_wait(RegardWork *self, guint milliseconds, RegardWorkStart start)
{
  g_return_if_fail(self->owner && start);
  if (!forget(self)) /* else it is as if that went on */
    self->shown_from = g_get_monotonic_time() + SHOW_AFTER_MS * G_TIME_SPAN_MILLISECOND;
  self->start = start;
  self->delay = milliseconds;
  if (!self->is_unseen)
    self->start_id = g_timeout_add(milliseconds, on_start, self);
  emit(self, CHANGED);
}

void
regard_work_drop(RegardWork *self)
{
  if (!self)
    return;
  self->start = NULL;
  if (forget(self))
    emit(self, CHANGED);
}

void
regard_work_set_keeps(RegardWork *self)
{
  self->keeps = TRUE;
}

void
regard_work_stop(RegardWork *self)
{
  if (self->keeps && self->run) {
    emit(self, STOPPED);
    regard_run_cancel(self->run); /* done may be called here */
    return;
  }
  if (!forget(self))
    return;
  self->start = NULL;
  emit(self, STOPPED);
  emit(self, CHANGED);
}

void
regard_work_set_seen(RegardWork *self, gboolean seen)
{
  if (seen == !self->is_unseen)
    return;
  self->is_unseen = !seen;
  if (!self->start)
    return;
  if (seen)
    regard_work_wait(self, self->delay, self->start);
  else if (forget(self))
    emit(self, CHANGED);
}

double
regard_work_get_share(RegardWork *self)
{
  if (self->run)
    return regard_run_get_share(self->run);
  return self->start_id ? 0 : -1;
}

gboolean
regard_work_is_busy(RegardWork *self)
{
  return regard_work_get_share(self) >= 0;
}

gboolean
regard_work_is_shown(RegardWork *self)
{
  return regard_work_is_busy(self) && g_get_monotonic_time() >= self->shown_from;
}

/* ---- The object -------------------------------------------------------------------------------
 */

static void
dispose(GObject *object)
{
  RegardWork *self = REGARD_WORK(object);

  forget(self);
  if (self->owner)
    g_object_weak_unref(self->owner, on_owner_gone, self);
  self->owner = NULL;
  G_OBJECT_CLASS(regard_work_parent_class)->dispose(object);
}

static void
regard_work_class_init(RegardWorkClass *klass)
{
  static const char *const names[] = {"changed", "stopped"};

  G_OBJECT_CLASS(klass)->dispose = dispose;
  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new(names[i], G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 0);
}

static void
regard_work_init(RegardWork *self)
{
}

RegardWork *
regard_work_new(gpointer owner)
{
  RegardWork *self = g_object_new(REGARD_TYPE_WORK, NULL);

  self->owner = owner;
  g_object_weak_ref(owner, on_owner_gone, self);
  return self;
}

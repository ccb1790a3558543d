/* test-work.c — what is computed in a thread for somebody who looks: it waits, runs, says how far
 * it is, is dropped, stopped and begun anew, and nobody is told of what nobody wants any more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-work-bar.h"

#define DELAY 20 /* ms */

/* What the thread does next, and what it has done; the call's result is its number. */
static struct {
  gint may_end, ends_in_error, is_deaf; /* deaf: it does not see that it is cancelled */
  gint permille;
  gint n_begun, n_ended, n_cancelled, n_freed;
} thread;

typedef struct {
  GObject *owner;
  RegardWork *work;
  GObject *source;
  guint n_starts, n_done, n_changed, n_stopped;
  guint changed_when_stopped;
  int number; /* of the result, as of 1; 0: it was an error */
  char *error;
  gboolean finds_nothing;
} Fixture;

static Fixture f;

static void
result_free(gpointer result)
{
  g_atomic_int_inc(&thread.n_freed);
  g_free(result);
}

static gpointer
compute(RegardRun *run, mt_error *error)
{
  const int number = g_atomic_int_add(&thread.n_begun, 1) + 1;
  gboolean is_cancelled = FALSE;
  int *result;

  while (!g_atomic_int_get(&thread.may_end) && !is_cancelled) {
    regard_run_progress(run, g_atomic_int_get(&thread.permille) / 1000.0);
    g_usleep(200);
    is_cancelled = !g_atomic_int_get(&thread.is_deaf) && regard_run_should_stop(run);
  }
  g_atomic_int_inc(&thread.n_ended);
  if (is_cancelled) {
    g_atomic_int_inc(&thread.n_cancelled);
    *error = (mt_error){MT_ERROR_CANCELLED, "cancelled"};
    return NULL;
  }
  if (g_atomic_int_get(&thread.ends_in_error)) {
    *error = (mt_error){MT_ERROR_FORMAT, "the model is wrong"};
    return NULL;
  }
  result = g_new(int, 1);
  *result = number;
  return result;
}

/* The source, by which a test knows which runs are still there. */
static void
clear_params(gpointer params)
{
  g_object_unref(*(GObject **) params);
}

static const RegardTask task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(GObject *),
    .compute = compute,
    .clear_params = clear_params,
    .free_result = result_free,
};

static void done(gpointer owner, RegardRun *run);

static void
call(void)
{
  GObject *source = g_object_ref(f.source);

  regard_work_run(f.work, &task, NULL, &source, done);
}

static void
start(gpointer owner)
{
  g_assert_true(owner == f.owner);
  f.n_starts++;
  if (!f.finds_nothing)
    call();
}

static void
done(gpointer owner, RegardRun *run)
{
  g_autoptr(GError) error = NULL;
  int *number = regard_run_finish(run, &error);

  g_assert_true(owner == f.owner);
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0); /* it has ended */
  f.n_done++;
  f.number = number ? *number : 0;
  g_free(f.error);
  f.error = error ? g_strdup(error->message) : NULL;
  if (number)
    result_free(number);
}

static void
on_changed(void)
{
  f.n_changed++;
}

static void
on_stopped(void)
{
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  f.n_stopped++;
  f.changed_when_stopped = f.n_changed;
}

static void
begin_test(void)
{
  memset(&thread, 0, sizeof thread);
  f = (Fixture){.owner = g_object_new(G_TYPE_OBJECT, NULL),
                .source = g_object_new(G_TYPE_OBJECT, NULL)};
  f.work = regard_work_new(f.owner);
  g_signal_connect(f.work, "changed", G_CALLBACK(on_changed), NULL);
  g_signal_connect(f.work, "stopped", G_CALLBACK(on_stopped), NULL);
}

static void
iterate(void)
{
  g_main_context_iteration(NULL, TRUE);
}

static void
wait_until_begun(int n)
{
  while (g_atomic_int_get(&thread.n_begun) < n)
    g_main_context_iteration(NULL, FALSE);
}

/* All threads have ended, and their runs are gone: each keeps the source. */
static void
wait_for_callbacks(void)
{
  while (g_atomic_int_get(&f.source->ref_count) > 1)
    g_main_context_iteration(NULL, FALSE);
  g_assert_cmpint(g_atomic_int_get(&thread.n_begun), ==, g_atomic_int_get(&thread.n_ended));
}

/* So that what must not happen would have. */
static void
let_pass(guint milliseconds)
{
  const gint64 until = g_get_monotonic_time() + 1000 * (gint64) milliseconds;

  while (g_get_monotonic_time() < until)
    if (!g_main_context_iteration(NULL, FALSE))
      g_usleep(500);
}

static void
end_test(void)
{
  GObject *work = G_OBJECT(f.work);

  wait_for_callbacks();
  g_object_add_weak_pointer(work, (gpointer *) &work);
  g_object_unref(f.work);
  g_assert_null(work); /* no run keeps it */
  g_clear_object(&f.owner);
  g_object_unref(f.source);
  g_free(f.error);
}

/* ---- Beginning and ending ---------------------------------------------------------------------
 */

/* It begins once, after it was not asked for again, and its result is handed out. */
static void
test_start(void)
{
  gint64 asked;

  begin_test();
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  thread.may_end = TRUE;
  regard_work_wait(f.work, DELAY, start);
  g_assert_cmpfloat(regard_work_get_share(f.work), ==, 0);
  g_assert_cmpuint(f.n_changed, ==, 1);
  let_pass(DELAY / 2);
  asked = g_get_monotonic_time();
  regard_work_wait(f.work, DELAY, start);
  while (!f.n_starts)
    iterate();
  g_assert_cmpint(g_get_monotonic_time() - asked, >=, DELAY * 1000 - 1000);
  while (!f.n_done)
    iterate();
  let_pass(2 * DELAY);
  g_assert_cmpuint(f.n_starts, ==, 1);
  g_assert_cmpuint(f.n_done, ==, 1);
  g_assert_cmpint(f.number, ==, 1);
  g_assert_null(f.error);
  g_assert_cmpuint(f.n_stopped, ==, 0);
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  end_test();
  g_assert_cmpint(thread.n_freed, ==, 1);
}

/* At once, without a wait; and again. */
static void
test_run(void)
{
  begin_test();
  thread.may_end = TRUE;
  for (guint i = 1; i <= 3; i++) {
    call();
    g_assert_cmpfloat(regard_work_get_share(f.work), >=, 0);
    while (f.n_done < i)
      iterate();
    g_assert_cmpint(f.number, ==, (int) i);
  }
  end_test();
}

static void
test_error(void)
{
  begin_test();
  thread.may_end = thread.ends_in_error = TRUE;
  regard_work_wait(f.work, 0, start);
  while (!f.n_done)
    iterate();
  g_assert_cmpstr(f.error, ==, "the model is wrong");
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  thread.ends_in_error = FALSE;
  regard_work_wait(f.work, 0, start); /* the next is none the worse */
  while (f.n_done < 2)
    iterate();
  g_assert_null(f.error);
  g_assert_cmpint(f.number, ==, 2);
  end_test();
}

/* start may find that there is nothing to compute: that is the end, and is said. */
static void
test_nothing(void)
{
  begin_test();
  f.finds_nothing = TRUE;
  regard_work_wait(f.work, 0, start);
  while (f.n_changed < 2)
    iterate();
  g_assert_cmpuint(f.n_starts, ==, 1);
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  regard_work_set_seen(f.work, FALSE);
  regard_work_set_seen(f.work, TRUE); /* it is not due */
  let_pass(DELAY);
  g_assert_cmpuint(f.n_starts, ==, 1);
  end_test();
}

static void
test_progress(void)
{
  begin_test();
  regard_work_wait(f.work, 0, start);
  for (int permille = 250; permille <= 1250; permille += 500) {
    const double share = MIN(permille, 1000) / 1000.0;
    const guint before = f.n_changed;

    g_atomic_int_set(&thread.permille, permille);
    while (regard_work_get_share(f.work) < share)
      iterate();
    g_assert_cmpfloat_with_epsilon(regard_work_get_share(f.work), share, 1e-9);
    while (f.n_changed <= before) /* said without being asked */
      iterate();
  }
  g_assert_cmpuint(f.n_done, ==, 0);
  g_atomic_int_set(&thread.may_end, TRUE);
  while (!f.n_done)
    iterate();
  const guint at_end = f.n_changed;
  let_pass(200); /* no tick goes on */
  g_assert_cmpuint(f.n_changed, <=, at_end + 1);
  end_test();
}

/* ---- Not wanted any more ----------------------------------------------------------------------
 */

static void
test_stop(void)
{
  begin_test();
  regard_work_stop(f.work); /* nothing to stop */
  regard_work_drop(f.work);
  g_assert_cmpuint(f.n_stopped + f.n_changed, ==, 0);

  regard_work_wait(f.work, DELAY, start); /* while it waits */
  regard_work_stop(f.work);
  g_assert_cmpuint(f.n_stopped, ==, 1);
  let_pass(2 * DELAY);
  g_assert_cmpuint(f.n_starts, ==, 0);

  regard_work_wait(f.work, 0, start); /* while it runs */
  wait_until_begun(1);
  regard_work_stop(f.work);
  g_assert_cmpuint(f.n_stopped, ==, 2);
  g_assert_cmpuint(f.n_changed, ==, f.changed_when_stopped + 1);
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  wait_for_callbacks();
  g_assert_cmpint(thread.n_cancelled, ==, 1);
  g_assert_cmpuint(f.n_done, ==, 0);
  end_test();
}

/* One that does not hear it in time: its result is freed, and nobody is told. */
static void
test_stop_too_late(void)
{
  begin_test();
  thread.is_deaf = TRUE;
  regard_work_wait(f.work, 0, start);
  wait_until_begun(1);
  regard_work_stop(f.work);
  g_atomic_int_set(&thread.may_end, TRUE);
  wait_for_callbacks();
  g_assert_cmpint(thread.n_cancelled, ==, 0);
  g_assert_cmpint(thread.n_freed, ==, 1);
  g_assert_cmpuint(f.n_done, ==, 0);
  end_test();
}

static void
test_drop(void)
{
  begin_test();
  regard_work_wait(f.work, 0, start);
  wait_until_begun(1);
  regard_work_drop(f.work);
  g_assert_cmpuint(f.n_stopped, ==, 0); /* nobody has stopped it */
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  wait_for_callbacks();
  g_assert_cmpuint(f.n_done, ==, 0);
  end_test();
}

/* Something else is wanted while it runs, and the first comes last. */
static void
test_restart(void)
{
  begin_test();
  thread.is_deaf = TRUE;
  regard_work_wait(f.work, 0, start);
  wait_until_begun(1);
  regard_work_wait(f.work, 0, start);
  wait_until_begun(2);
  g_assert_cmpuint(f.n_done, ==, 0);
  g_atomic_int_set(&thread.may_end, TRUE);
  wait_for_callbacks();
  g_assert_cmpuint(f.n_done, ==, 1);
  g_assert_cmpint(f.number, ==, 2);
  g_assert_cmpint(thread.n_freed, ==, 2);
  end_test();
}

/* The first is cancelled, and the second has a share of its own. */
static void
test_restart_cancels(void)
{
  begin_test();
  thread.permille = 500;
  call();
  while (regard_work_get_share(f.work) < 0.5)
    iterate();
  g_atomic_int_set(&thread.permille, 0);
  call();
  g_assert_cmpfloat(regard_work_get_share(f.work), ==, 0);
  while (!g_atomic_int_get(&thread.n_cancelled))
    iterate();
  g_atomic_int_set(&thread.may_end, TRUE);
  while (!f.n_done)
    iterate();
  g_assert_cmpint(f.number, ==, 2);
  end_test();
}

static void
test_owner_gone(void)
{
  for (int waits = 0; waits < 2; waits++)
    for (int deaf = 0; deaf < 2; deaf++) {
      begin_test();
      thread.is_deaf = deaf;
      regard_work_wait(f.work, waits ? DELAY : 0, start);
      if (!waits)
        wait_until_begun(1);
      g_object_run_dispose(f.owner); /* as a window does to what is still held */
      g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
      g_clear_object(&f.owner);
      g_atomic_int_set(&thread.may_end, deaf);
      wait_for_callbacks();
      let_pass(2 * DELAY);
      g_assert_cmpuint(f.n_starts, ==, waits ? 0 : 1);
      g_assert_cmpuint(f.n_done, ==, 0);
      g_assert_cmpint(thread.n_cancelled, ==, waits || deaf ? 0 : 1);
      end_test();
    }
}

/* The owner lets its work go first, as in its dispose, and the run outlives both. */
static void
test_work_let_go(void)
{
  begin_test();
  regard_work_wait(f.work, 0, start);
  wait_until_begun(1);
  g_object_unref(f.work);
  g_clear_object(&f.owner);
  wait_for_callbacks();
  g_assert_cmpint(thread.n_cancelled, ==, 1);
  g_assert_cmpuint(f.n_done, ==, 0);
  g_object_unref(f.source);
}

/* ---- Whether somebody looks -------------------------------------------------------------------
 */

static void
test_seen(void)
{
  begin_test();
  regard_work_set_seen(f.work, FALSE);
  regard_work_wait(f.work, 0, start);
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  let_pass(DELAY);
  g_assert_cmpuint(f.n_starts, ==, 0);
  regard_work_set_seen(f.work, TRUE);
  g_assert_cmpfloat(regard_work_get_share(f.work), ==, 0);
  wait_until_begun(1);
  regard_work_set_seen(f.work, FALSE); /* while it runs */
  g_assert_cmpfloat(regard_work_get_share(f.work), <, 0);
  wait_for_callbacks();
  g_assert_cmpint(thread.n_cancelled, ==, 1);
  regard_work_set_seen(f.work, TRUE); /* anew */
  wait_until_begun(2);
  g_atomic_int_set(&thread.may_end, TRUE);
  while (!f.n_done)
    iterate();
  g_assert_cmpint(f.number, ==, 2);
  regard_work_set_seen(f.work, FALSE);
  regard_work_set_seen(f.work, TRUE); /* it is done */
  let_pass(DELAY);
  g_assert_cmpuint(f.n_starts, ==, 2);

  regard_work_set_seen(f.work, FALSE); /* what was dropped is not due */
  regard_work_wait(f.work, 0, start);
  regard_work_drop(f.work);
  regard_work_set_seen(f.work, TRUE);
  let_pass(DELAY);
  g_assert_cmpuint(f.n_starts, ==, 2);
  end_test();
}

/* ---- The bar ----------------------------------------------------------------------------------
 */

static void
test_bar(void)
{
  GtkWidget *bar = regard_work_bar_new("Computing", TRUE), *box = gtk_box_new(0, 0);
  GtkWidget *progress = find(bar, GTK_TYPE_PROGRESS_BAR), *button = find(bar, GTK_TYPE_BUTTON);
  GtkWidget *window;

  begin_test();
  gtk_box_append(GTK_BOX(box), bar);
  window = show_in_window(box);
  g_assert_false(gtk_widget_get_visible(bar));
  regard_work_bar_set_work(REGARD_WORK_BAR(bar), f.work);
  g_assert_false(gtk_widget_get_visible(bar));
  thread.may_end = TRUE; /* what is soon done is not shown */
  regard_work_wait(f.work, 0, start);
  while (!f.n_done)
    iterate();
  g_assert_false(gtk_widget_get_visible(bar));
  thread.may_end = FALSE;
  call(); /* what a button began is shown at once */
  g_assert_true(gtk_widget_get_visible(bar));
  regard_work_drop(f.work);
  g_assert_false(gtk_widget_get_visible(bar));
  thread.permille = 378;
  regard_work_wait(f.work, 0, start);
  g_assert_false(gtk_widget_get_visible(bar));
  while (!gtk_widget_get_visible(bar)) /* what takes longer is */
    iterate();
  regard_work_wait(f.work, 0, start); /* and stays so when something else takes its place */
  g_assert_true(gtk_widget_get_visible(bar));
  g_assert_cmpstr(gtk_progress_bar_get_text(GTK_PROGRESS_BAR(progress)), ==, "0 %");
  while (gtk_progress_bar_get_fraction(GTK_PROGRESS_BAR(progress)) < 0.3)
    iterate();
  g_assert_cmpstr(gtk_progress_bar_get_text(GTK_PROGRESS_BAR(progress)), ==, "37 %");
  gtk_widget_grab_focus(bar);
  g_assert_true(gtk_root_get_focus(GTK_ROOT(window)) == button);
  g_signal_emit_by_name(button, "clicked");
  g_assert_false(gtk_widget_get_visible(bar));
  g_assert_cmpuint(f.n_stopped, ==, 1);
  gtk_window_destroy(GTK_WINDOW(window));
  end_test();

  bar = g_object_ref_sink(regard_work_bar_new("Computing", FALSE));
  g_assert_false(gtk_widget_get_visible(find(bar, GTK_TYPE_BUTTON)));
  g_object_unref(bar);
}

TESTS()
{
  g_test_add_func("/regard-work/start", test_start);
  g_test_add_func("/regard-work/run", test_run);
  g_test_add_func("/regard-work/error", test_error);
  g_test_add_func("/regard-work/nothing", test_nothing);
  g_test_add_func("/regard-work/progress", test_progress);
  g_test_add_func("/regard-work/stop", test_stop);
  g_test_add_func("/regard-work/stop-too-late", test_stop_too_late);
  g_test_add_func("/regard-work/drop", test_drop);
  g_test_add_func("/regard-work/restart", test_restart);
  g_test_add_func("/regard-work/restart-cancels", test_restart_cancels);
  g_test_add_func("/regard-work/owner-gone", test_owner_gone);
  g_test_add_func("/regard-work/work-let-go", test_work_let_go);
  g_test_add_func("/regard-work/seen", test_seen);
  if (gtk_init_check())
    g_test_add_func("/regard-work/bar", test_bar);
}

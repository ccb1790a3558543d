/* test-runner.c — all that computes in threads: what a run is given is its own, how it ends, and
 * who goes before whom.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-runner.h"
#include "sample-capture.h"
#include "suite.h"

#include <string.h>

/* A task that takes part in a test: it says that it has begun, asks whether it should stop until it
 * may end, and says that it has ended. */
typedef struct {
  gint *n_begun, *may_end, *n_asked;
  int number;
  int *freed; /* how many parameters were; NULL: they refer to nothing */
} Params;

typedef struct {
  guint n_done, n_cancelled;
  int number; /* the last result */
  char *error;
} Ended;

static gpointer
take_part(RegardRun *run, mt_error *error)
{
  const Params *params = regard_run_get_params(run);
  int *result;

  g_atomic_int_inc(params->n_begun);
  while (!g_atomic_int_get(params->may_end)) {
    if (regard_run_should_stop(run)) {
      *error = (mt_error){MT_ERROR_CANCELLED, "It was stopped."};
      return NULL;
    }
    g_atomic_int_inc(params->n_asked);
    g_usleep(100);
  }
  result = g_new(int, 1);
  *result = params->number;
  return result;
}

static void
clear_params(gpointer data)
{
  Params *params = data;

  if (params->freed)
    (*params->freed)++;
}

#define TASK(its_priority)                                                         \
  {                                                                                \
    .priority = its_priority, .params_size = sizeof(Params), .compute = take_part, \
    .clear_params = clear_params, .free_result = g_free                            \
  }
static const RegardTask tasks[REGARD_N_PRIORITIES] = {TASK(REGARD_RUN_TYPED),
                                                      TASK(REGARD_RUN_SHOWN),
                                                      TASK(REGARD_RUN_OTHER),
                                                      TASK(REGARD_RUN_READING)};

static void
on_done(gpointer data, RegardRun *run)
{
  Ended *ended = data;
  g_autoptr(GError) error = NULL;
  g_autofree int *result = regard_run_finish(run, &error);

  ended->n_done++;
  ended->n_cancelled += g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  if (result)
    ended->number = *result;
  g_free(ended->error);
  ended->error = error ? g_strdup(error->message) : NULL;
}

static void
wait_until(gint *n, gint wanted)
{
  while (g_atomic_int_get(n) < wanted)
    g_usleep(100);
}

static void
wait_for(Ended *ended, guint n)
{
  while (ended->n_done < n)
    g_main_context_iteration(NULL, TRUE);
}

/* What is given is copied, and released once when it has ended. */
static void
test_params(void)
{
  gint begun = 0, may_end = FALSE, asked = 0;
  int freed = 0;
  Params params = {&begun, &may_end, &asked, 7, &freed};
  Ended ended = {0};

  regard_runner_start(&tasks[REGARD_RUN_SHOWN], NULL, &params, on_done, &ended);
  params.number = 8;
  wait_until(&begun, 1);
  g_assert_cmpuint(ended.n_done, ==, 0);
  g_atomic_int_set(&may_end, TRUE);
  wait_for(&ended, 1);
  while (!freed)
    g_main_context_iteration(NULL, FALSE);
  g_assert_cmpint(ended.number, ==, 7);
  g_assert_null(ended.error);
  g_assert_cmpint(freed, ==, 1);
}

static gpointer
say_progress(RegardRun *run, mt_error *error)
{
  regard_run_progress(run, 0.25);
  g_assert_cmpfloat(regard_run_get_share(run), ==, 0.25);
  regard_run_progress(run, 3);
  g_assert_cmpfloat(regard_run_get_share(run), ==, 1);
  *error = (mt_error){MT_ERROR_INPUT, "There is no such word."};
  return NULL;
}

static gpointer
fail_otherwise(RegardRun *run, mt_error *error)
{
  regard_run_take_error(run, g_error_new(G_FILE_ERROR, G_FILE_ERROR_NOSPC, "The disk is full."));
  return NULL;
}

static void
on_full(gpointer data, RegardRun *run)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(regard_run_finish(run, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  ((Ended *) data)->n_done++;
}

static void
test_errors(void)
{
  static const RegardTask wrong = {.priority = REGARD_RUN_SHOWN, .compute = say_progress};
  static const RegardTask full = {.priority = REGARD_RUN_READING, .compute = fail_otherwise};
  Ended ended = {0};

  regard_runner_start(&wrong, NULL, NULL, on_done, &ended);
  wait_for(&ended, 1);
  g_assert_cmpstr(ended.error, ==, "There is no such word.");
  regard_runner_start(&full, NULL, NULL, on_full, &ended);
  wait_for(&ended, 2);
  g_free(ended.error);
}

static void
on_not_known(gpointer data, RegardRun *run)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(regard_run_finish(run, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  ((Ended *) data)->n_done++;
}

/* What needs a model is not begun with a pass that has none; and the pass lives as long as the run.
 */
static void
test_pass(void)
{
  static const RegardTask modelled = {.priority = REGARD_RUN_SHOWN,
                                      .needs_model = TRUE,
                                      .compute = take_part};
  gint begun = 0, may_end = FALSE, asked = 0;
  const Params params = {&begun, &may_end, &asked, 1, NULL};
  mt_capture *capture = sample_capture(2);
  RegardPass *pass = regard_pass_new(capture, NULL, NULL, 0);
  Ended ended = {0};
  RegardRun *run;

  g_assert_true(regard_pass_capture(pass) == capture && !regard_pass_has_model(pass));
  regard_runner_start(&modelled, pass, NULL, on_not_known, &ended);
  regard_runner_start(&modelled, NULL, NULL, on_not_known, &ended);
  wait_for(&ended, 2);
  run = regard_runner_start(&tasks[REGARD_RUN_SHOWN], pass, &params, on_done, &ended);
  regard_pass_unref(pass);
  mt_capture_unref(capture);
  wait_until(&begun, 1);
  g_assert_cmpuint(mt_capture_n_layers(regard_pass_capture(regard_run_get_pass(run)), MT_CROSS), >,
                   0);
  g_atomic_int_set(&may_end, TRUE);
  wait_for(&ended, 3);
}

/* One that runs hears of it; one that waits for its turn ends without having begun. */
static void
test_cancel(void)
{
  gint begun = 0, may_end = FALSE, asked = 0;
  int freed = 0;
  const Params params = {&begun, &may_end, &asked, 1, &freed};
  RegardRun *runs[REGARD_MOST_SHOWN + 1];
  Ended ended = {0};

  for (guint i = 0; i < G_N_ELEMENTS(runs); i++)
    runs[i] = regard_runner_start(&tasks[REGARD_RUN_SHOWN], NULL, &params, on_done, &ended);
  wait_until(&begun, REGARD_MOST_SHOWN);
  regard_run_cancel(runs[REGARD_MOST_SHOWN]);
  wait_for(&ended, 1);
  g_assert_cmpuint(ended.n_cancelled, ==, 1);
  regard_run_cancel(runs[0]);
  wait_for(&ended, 2);
  g_assert_cmpuint(ended.n_cancelled, ==, 2);
  g_atomic_int_set(&may_end, TRUE);
  wait_for(&ended, G_N_ELEMENTS(runs));
  g_assert_cmpuint(ended.n_cancelled, ==, 2);
  g_assert_cmpint(begun, ==, REGARD_MOST_SHOWN);
  while (freed < (int) G_N_ELEMENTS(runs))
    g_main_context_iteration(NULL, FALSE);
  g_free(ended.error);
}

/* ---- Who goes before whom ---------------------------------------------------------------------
 */

typedef struct {
  gint begun, may_end, asked;
} Part;

static RegardRun *
begin(RegardPriority priority, Part *part, Ended *ended)
{
  const Params params = {&part->begun, &part->may_end, &part->asked, 1, NULL};

  return regard_runner_start(&tasks[priority], NULL, &params, on_done, ended);
}

/* It goes on asking whether it should stop, so it is not held. */
static void
assert_goes_on(Part *part)
{
  wait_until(&part->asked, g_atomic_int_get(&part->asked) + 3);
}

/* After one question at most that was under way. */
static void
assert_is_held(Part *part)
{
  gint before;

  g_usleep(2000);
  before = g_atomic_int_get(&part->asked);
  g_usleep(5000);
  g_assert_cmpint(g_atomic_int_get(&part->asked), <=, before + 1);
}

/* What is typed holds what is looked at, and that what is not; files are read whatever runs. */
static void
test_priorities(void)
{
  Part typed = {0}, shown = {0}, other = {0}, late = {0}, reading = {0};
  Ended ended = {0};

  begin(REGARD_RUN_OTHER, &other, &ended);
  assert_goes_on(&other);
  begin(REGARD_RUN_SHOWN, &shown, &ended);
  assert_goes_on(&shown);
  assert_is_held(&other);
  begin(REGARD_RUN_TYPED, &typed, &ended);
  assert_goes_on(&typed);
  assert_is_held(&shown);
  begin(REGARD_RUN_SHOWN, &late, &ended);
  begin(REGARD_RUN_READING, &reading, &ended);
  assert_goes_on(&reading);
  g_atomic_int_set(&reading.may_end, TRUE);
  wait_for(&ended, 1);
  g_assert_cmpint(g_atomic_int_get(&late.begun), ==, 0);
  g_atomic_int_set(&typed.may_end, TRUE);
  wait_for(&ended, 2);
  assert_goes_on(&shown);
  assert_goes_on(&late);
  assert_is_held(&other);
  g_atomic_int_set(&shown.may_end, TRUE);
  g_atomic_int_set(&late.may_end, TRUE);
  wait_for(&ended, 4);
  assert_goes_on(&other);
  g_atomic_int_set(&other.may_end, TRUE);
  wait_for(&ended, 5);
}

/* One that is held ends when it is cancelled. */
static void
test_cancel_held(void)
{
  Part typed = {0}, shown = {0};
  Ended ended = {0};
  RegardRun *run = begin(REGARD_RUN_SHOWN, &shown, &ended);

  wait_until(&shown.begun, 1);
  begin(REGARD_RUN_TYPED, &typed, &ended);
  wait_until(&typed.begun, 1);
  assert_is_held(&shown);
  regard_run_cancel(run);
  wait_for(&ended, 1);
  g_assert_cmpuint(ended.n_cancelled, ==, 1);
  g_atomic_int_set(&typed.may_end, TRUE);
  wait_for(&ended, 2);
  g_free(ended.error);
}

/* The rest of a long text is less urgent than its sentence, until something is typed. */
static void
test_less_urgent(void)
{
  Part text = {0}, shown = {0};
  Ended ended = {0};
  RegardRun *run = begin(REGARD_RUN_TYPED, &text, &ended);

  wait_until(&text.begun, 1);
  begin(REGARD_RUN_SHOWN, &shown, &ended);
  g_usleep(2000);
  g_assert_cmpint(g_atomic_int_get(&shown.begun), ==, 0);
  regard_run_set_priority(run, REGARD_RUN_OTHER);
  assert_goes_on(&shown);
  assert_is_held(&text);
  regard_run_set_priority(run, REGARD_RUN_TYPED);
  assert_goes_on(&text);
  assert_is_held(&shown);
  g_atomic_int_set(&text.may_end, TRUE);
  g_atomic_int_set(&shown.may_end, TRUE);
  wait_for(&ended, 2);
}

TESTS()
{
  g_test_add_func("/runner/params", test_params);
  g_test_add_func("/runner/errors", test_errors);
  g_test_add_func("/runner/pass", test_pass);
  g_test_add_func("/runner/cancel", test_cancel);
  g_test_add_func("/runner/priorities", test_priorities);
  g_test_add_func("/runner/cancel-held", test_cancel_held);
  g_test_add_func("/runner/less-urgent", test_less_urgent);
}

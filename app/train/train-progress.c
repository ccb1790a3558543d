/* train-progress.c — how far it is, on a terminal; and whether it shall stop.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-progress.h"

#include "cli/cli.h"

#include <mt-train.h>
#include <signal.h>
#include <unistd.h>

#define INTERVAL (G_USEC_PER_SEC / 5)

struct _TrainProgress {
  gboolean shown;
  gint64 next; /* time to write again */
  struct sigaction before[3];
};

static volatile sig_atomic_t interrupted;
/* The last one is our own. */
static const int signals[] = {SIGINT, SIGTERM, SIGALRM};

/* A call that waits returns when a signal comes while it does; the alarm is for one that began to
 * wait just after the signal had come. */
static void
interrupt(int number)
{
  interrupted = 1;
  alarm(1);
}

TrainProgress *
train_progress_new(gboolean quiet)
{
  TrainProgress *progress = g_new0(TrainProgress, 1);
  progress->shown = !quiet && isatty(STDERR_FILENO);
  interrupted = 0;
  /* SA_RESETHAND: the second one ends the program, where it is in a library that does not ask. Not
   * SA_RESTART: where it waits for a pipe, nobody asks either (MT_ERROR_CANCELLED of reading). */
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
    action.sa_flags = signals[i] == SIGALRM ? 0 : (int) SA_RESETHAND;
    sigaction(signals[i], &action, &progress->before[i]);
  }
  return progress;
}

void
train_progress_free(TrainProgress *progress)
{
  if (!progress)
    return;
  cli_end_progress(FALSE);
  alarm(0);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    sigaction(signals[i], &progress->before[i], NULL);
  g_free(progress);
}

gboolean
train_progress_tell(TrainProgress *progress, const char *what, const char *detail, double fraction,
                    mt_error *error)
{
  if (interrupted)
    return mt_fail(error, MT_ERROR_CANCELLED, "Interrupted; nothing was written.");
  if (!progress->shown)
    return TRUE;
  gint64 now = g_get_monotonic_time();
  if (now < progress->next)
    return TRUE;
  progress->next = now + INTERVAL;
  g_autofree char *percent = fraction >= 0 ? g_strdup_printf(", %.0f %%", 100 * fraction) : NULL;
  g_autofree char *text =
      g_strconcat(what, detail ? ": " : "", detail ? detail : "", percent ? percent : "", NULL);
  cli_show_progress(text);
  return TRUE;
}

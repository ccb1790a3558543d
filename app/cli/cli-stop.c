/* cli-stop.c — Ctrl+C, and a line that says how far it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-stop.h"

#include "cli/cli-output.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t is_interrupted;
static struct sigaction before;

static void
interrupt(int number)
{
  (void) number;
  is_interrupted = 1;
}

static bool
should_stop(void *user)
{
  (void) user;
  return is_interrupted;
}

void
cli_stop_begin(mt_hooks *hooks)
{
  const struct sigaction action = {.sa_handler = interrupt};
  is_interrupted = 0;
  hooks->should_stop = should_stop;
  sigaction(SIGINT, &action, &before);
}

void
cli_stop_end(mt_hooks *hooks)
{
  cli_stop_show_end();
  hooks->should_stop = NULL;
  sigaction(SIGINT, &before, NULL);
}

gboolean
cli_stop_is_wanted(void)
{
  return is_interrupted != 0;
}

void
cli_stop_show(const char *format, ...)
{
  if (!isatty(STDERR_FILENO))
    return;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  cli_show_progress(text);
}

void
cli_stop_show_end(void)
{
  cli_end_progress(TRUE);
}

void
cli_stop_show_share(void *user, double share)
{
  (void) user;
  cli_stop_show("%.0f %%", 100 * share);
}

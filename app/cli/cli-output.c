/* cli-output.c — how a program of commands speaks: answers on standard output, complaints and how
 * far it is on standard error.
 *
 * What is said quotes names of files, sentences and what stands in files, all of which strangers
 * may have written. THE place where nothing of it may command a terminal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-output.h"

#include "figures/regard-visible.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gboolean is_lost;      /* an answer could not be written */
static gboolean has_progress; /* on the last line of the terminal */

void
cli_output_begin(void)
{
  is_lost = FALSE;
  has_progress = FALSE;
}

CliStatus
cli_output_end(CliStatus status)
{
  return status == CLI_DONE && is_lost ? CLI_FAILED : status;
}

static void
complain(const CliCommand *command, const char *format, va_list arguments)
{
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  g_autofree char *visible = regard_visible(message);
  cli_end_progress(FALSE);
  fprintf(stderr, "%s%s%s: %s\n", cli_program_name(), command ? " " : "",
          command ? command->name : "", visible);
}

void
cli_complain(const CliCommand *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  complain(command, format, arguments);
  va_end(arguments);
}

CliStatus
cli_usage(const CliCommand *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  complain(command, format, arguments);
  va_end(arguments);
  fprintf(stderr, "Try '%s%s%s --help'.\n", cli_program_name(), command ? " " : "",
          command ? command->name : "");
  return CLI_USAGE;
}

/* Into a file or a pipe bytes go as they are: they are data there. */
static gboolean
write_answer(const char *text, gsize length)
{
  if (!isatty(STDOUT_FILENO))
    return fwrite(text, 1, length, stdout) == length;
  g_autofree char *whole = g_strndup(text, length);
  g_autofree char *visible = regard_visible_lines(whole);
  return fputs(visible, stdout) >= 0;
}

gboolean
cli_put(const CliCommand *command, const char *text, gsize length)
{
  errno = 0;
  if (write_answer(text, length) && fflush(stdout) == 0)
    return TRUE;
  if (errno != EPIPE && !is_lost)
    cli_complain(command, "cannot write to standard output: %s", g_strerror(errno));
  is_lost = TRUE;
  return FALSE;
}

void
cli_show_progress(const char *text)
{
  g_autofree char *visible = regard_visible(text);
  fprintf(stderr, "\r%s\033[K", visible);
  fflush(stderr);
  has_progress = TRUE;
}

void
cli_end_progress(gboolean keep)
{
  if (has_progress)
    fputs(keep ? "\n" : "\r\033[K", stderr);
  has_progress = FALSE;
}

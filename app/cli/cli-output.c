/* cli-output.c — how a program of commands speaks: answers on standard output, complaints on
 * standard error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>

static void
complain(const CliCommand *command, const char *format, va_list arguments)
{
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  g_autofree char *valid = g_utf8_make_valid(message, -1);
  fprintf(stderr, "%s%s%s: %s\n", cli_program_name(), command ? " " : "",
          command ? command->name : "", valid);
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

gboolean
cli_put(const CliCommand *command, const char *text, gsize length)
{
  errno = 0;
  if (fwrite(text, 1, length, stdout) == length && fflush(stdout) == 0)
    return TRUE;
  if (errno != EPIPE)
    cli_complain(command, "cannot write to standard output: %s", g_strerror(errno));
  return FALSE;
}

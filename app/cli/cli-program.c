/* cli-program.c — a program made of commands: which one it is, and how it speaks: answers on
 * standard output, complaints and how far it is on standard error; and Ctrl+C.
 *
 * What is said quotes names of files, sentences and what stands in files, all of which strangers
 * may have written. THE place where nothing of it may command a terminal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-options.h"

#include "base/regard-engine-info.h"
#include "figures/regard-naming.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A process is one program; tests and fuzz targets run the same one again and again. */
static const char *name = "regard";

static gboolean is_lost;      /* an answer could not be written */
static gboolean has_progress; /* on the last line of the terminal */

const char *
cli_program_name(void)
{
  return name;
}

/* ---- Speaking -------------------------------------------------------------------------------- */

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

CliStatus
cli_failed(const CliCommand *command, const mt_error *error)
{
  cli_complain(command, "%s", error->message);
  return CLI_FAILED;
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

CliStatus
cli_print(const CliCommand *command, GString *text)
{
  const gboolean done = cli_put(command, text->str, text->len);
  g_string_free(text, TRUE);
  return done ? CLI_DONE : CLI_FAILED;
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

/* ---- Long work ------------------------------------------------------------------------------- */

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

/* ---- The program ----------------------------------------------------------------------------- */

static CliStatus
print_help(const CliProgram *program)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "Usage: %s COMMAND [OPTION…] [ARGUMENT…]\n\n%s\n\nCommands:\n",
                         program->name, program->summary);
  for (gsize i = 0; i < program->n_commands; i++)
    g_string_append_printf(text, "  %-10s  %s\n", program->commands[i]->name,
                           program->commands[i]->summary);
  g_string_append_printf(text,
                         "\nOptions:\n"
                         "  -h, --help     Show this and exit; after a command, show its options\n"
                         "      --version  Show version and instruction sets, and exit\n\n"
                         "Exit status: 0 done, 1 something could not be done, 2 wrong usage.\n%s",
                         program->details);
  return cli_put(NULL, text->str, text->len) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
print_version(const CliProgram *program)
{
  g_autofree char *engine = regard_engine_info_text();
  g_autofree char *version =
      g_strdup_printf("%s " MT_VERSION
                      "\n%sLicence GPL-3.0-or-later: free software, without warranty.\n",
                      program->name, engine);
  return cli_put(NULL, version, strlen(version)) ? CLI_DONE : CLI_FAILED;
}

/* The second word of its name decides which of several it is. */
static const CliCommand *
find_second(const CliCommand *command, int argc, char **argv)
{
  for (gsize i = 0; argc > 1 && command->seconds && command->seconds[i]; i++)
    if (strcmp(argv[1], command->seconds[i]->second) == 0)
      return command->seconds[i];
  return command;
}

/* Its options into its struct, and off. argv[0] is its name. */
static CliStatus
run_command(const CliCommand *first, int argc, char **argv)
{
  const CliCommand *command = find_second(first, argc, argv);
  const int skipped = command != first;
  g_autofree void *self = g_malloc0(command->size);
  g_autoptr(GPtrArray) arguments = g_ptr_array_new();
  CliStatus status;
  argc -= skipped;
  argv += skipped;
  if (command->defaults)
    memcpy(self, command->defaults, command->size);
  if (command->begin)
    command->begin(self);
  gboolean ok = cli_options_parse(command, self, argc, argv, arguments, &status);
  if (ok && command->read_config) {
    status = command->read_config(command, self, arguments);
    ok = status == CLI_DONE && cli_options_parse(command, self, argc, argv, arguments, &status);
  }
  if (ok)
    status = command->run(command, self, arguments);
  cli_options_clear(command->options, self);
  return status;
}

static CliStatus
run(const CliProgram *program, int argc, char **argv)
{
  if (argc < 2)
    return cli_usage(NULL, "no command given");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return print_help(program);
  if (strcmp(argv[1], "--version") == 0)
    return print_version(program);
  for (gsize i = 0; i < program->n_commands; i++)
    if (strcmp(argv[1], program->commands[i]->name) == 0)
      return run_command(program->commands[i], argc - 1, argv + 1);
  return cli_usage(NULL, argv[1][0] == '-' ? "unknown option '%s'" : "unknown command '%s'",
                   argv[1]);
}

CliStatus
cli_program_run(const CliProgram *program, int argc, char **argv)
{
  name = program->name;
  is_lost = has_progress = FALSE;
  const CliStatus status = run(program, argc, argv);
  return status == CLI_DONE && is_lost ? CLI_FAILED : status;
}

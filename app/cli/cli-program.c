/* cli-program.c — a program made of commands: which one it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-output.h"

#include "base/regard-engine-info.h"

#include <string.h>

/* A process is one program; tests and fuzz targets run the same one again and again. */
static const char *name = "regard";

const char *
cli_program_name(void)
{
  return name;
}

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
      return program->commands[i]->run(program->commands[i], argc - 1, argv + 1);
  return cli_usage(NULL, argv[1][0] == '-' ? "unknown option '%s'" : "unknown command '%s'",
                   argv[1]);
}

CliStatus
cli_program_run(const CliProgram *program, int argc, char **argv)
{
  name = program->name;
  cli_output_begin();
  return cli_output_end(run(program, argc, argv));
}

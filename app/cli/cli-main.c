/* cli-main.c — regard-cli: the engine for scripts and papers. Which command it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* THE list of commands, in the order of --help. */
static const CliCommand *const commands[] = {
    &cli_translate, &cli_attend,   &cli_capture, &cli_positions,
    &cli_inspect,   &cli_tokenize, &cli_models,
};

static CliStatus
print_help(void)
{
  g_autoptr(GString) text = g_string_new(
      "Usage: regard-cli COMMAND [OPTION…] [ARGUMENT…]\n\n"
      "Translate with a Transformer and write down what it attends to.\n\nCommands:\n");
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
    g_string_append_printf(text, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
  g_string_append(text, "\nOptions:\n"
                        "  -h, --help     Show this and exit; after a command, show its options\n"
                        "      --version  Show the version and exit\n\n"
                        "Exit status: 0 done, 1 something could not be done, 2 wrong usage.\n"
                        "The environment variable REGARD_MODEL_DIR names another bundled model.\n");
  return cli_put(NULL, text->str, text->len) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
print_version(void)
{
  static const char version[] = "regard-cli " MT_VERSION "\n"
                                "Licence GPL-3.0-or-later: free software, without warranty.\n";
  return cli_put(NULL, version, strlen(version)) ? CLI_DONE : CLI_FAILED;
}

CliStatus
cli_main(int argc, char **argv)
{
  if (argc < 2)
    return cli_usage(NULL, "no command given");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return print_help();
  if (strcmp(argv[1], "--version") == 0)
    return print_version();
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
    if (strcmp(argv[1], commands[i]->name) == 0)
      return commands[i]->run(commands[i], argc - 1, argv + 1);
  return cli_usage(NULL, argv[1][0] == '-' ? "unknown option '%s'" : "unknown command '%s'",
                   argv[1]);
}

/* train-main.c — regard-train: from two texts in two languages to a model in the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train.h"

/* THE list of commands, in the order of --help. */
static const CliCommand *const commands[] = {
    &train_prepare,
    &train_score,
    &train_fit,
    &train_average,
};

gboolean
train_check_place(const CliCommand *command, const char *output, gboolean replace, const char *mark,
                  const char *kind)
{
  if (!g_file_test(output, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autofree char *file = g_build_filename(output, mark, NULL);
  if (!replace)
    cli_complain(command, "%s exists already; --replace replaces it", output);
  else if (!g_file_test(file, G_FILE_TEST_IS_REGULAR))
    cli_complain(command, "%s: expected a %s to be replaced, found something else", output, kind);
  else
    return TRUE;
  return FALSE;
}

const CliProgram train_program = {
    .name = "regard-train",
    .summary = "Train a Transformer that translates.",
    .commands = commands,
    .n_commands = G_N_ELEMENTS(commands),
    .details = "",
};

CliStatus
train_main(int argc, char **argv)
{
  return cli_program_run(&train_program, argc, argv);
}

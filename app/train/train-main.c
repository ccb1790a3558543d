/* train-main.c — regard-train: from two texts in two languages to a model in the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train.h"

/* THE list of commands, in the order of --help. */
static const CliCommand *const commands[] = {
    &train_prepare,
    &train_score,
    &train_fit,
};

CliStatus
train_main(int argc, char **argv)
{
  static const CliProgram program = {
      .name = "regard-train",
      .summary = "Train a Transformer that translates.",
      .commands = commands,
      .n_commands = G_N_ELEMENTS(commands),
      .details = "",
  };
  return cli_program_run(&program, argc, argv);
}

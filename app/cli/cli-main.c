/* cli-main.c — regard-cli: the engine for scripts and papers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"

/* THE list of commands, in the order of --help. */
/* clang-format off */
#define COMMANDS(C) \
  C(translate) C(attend) C(capture) C(trace) C(inside) C(layers) C(lens) C(steps) C(animate) \
  C(effects) C(patch) C(prune) C(quality) C(compare) C(attribute) C(trust) C(align) C(means) C(corpus) \
  C(positions) C(complexity) C(sheet) C(figure) C(lesson) C(talk) C(inspect) C(tokenize) C(models)
/* clang-format on */

#define DECLARE(name) extern const CliCommand cli_##name;
COMMANDS(DECLARE)

#define ROW(name) &cli_##name,
static const CliCommand *const commands[] = {COMMANDS(ROW)};

const CliProgram cli_program = {
    .name = "regard-cli",
    .summary = "Translate with a Transformer and write down what it attends to.",
    .commands = commands,
    .n_commands = G_N_ELEMENTS(commands),
    .details = "The environment variable REGARD_MODEL_DIR names another bundled model.\n",
};

CliStatus
cli_main(int argc, char **argv)
{
  return cli_program_run(&cli_program, argc, argv);
}

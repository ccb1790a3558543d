/* cli-main.c — regard-cli: the engine for scripts and papers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"

extern const CliCommand cli_translate, cli_attend, cli_capture, cli_trace, cli_inside, cli_layers,
    cli_lens, cli_steps, cli_effects, cli_patch, cli_prune, cli_quality, cli_compare, cli_attribute,
    cli_trust, cli_align, cli_means, cli_corpus, cli_positions, cli_complexity, cli_sheet,
    cli_inspect, cli_tokenize, cli_models;

/* THE list of commands, in the order of --help. */
static const CliCommand *const commands[] = {
    &cli_translate, &cli_attend,     &cli_capture, &cli_trace,   &cli_inside,   &cli_layers,
    &cli_lens,      &cli_steps,      &cli_effects, &cli_patch,   &cli_prune,    &cli_quality,
    &cli_compare,   &cli_attribute,  &cli_trust,   &cli_align,   &cli_means,    &cli_corpus,
    &cli_positions, &cli_complexity, &cli_sheet,   &cli_inspect, &cli_tokenize, &cli_models,
};

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

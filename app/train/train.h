/* train.h — regard-train: its commands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A command is one file (train-NAME.c) that defines one CliCommand (app/cli/cli.h), and one row of
 * the list in train-main.c.
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* regard-train as a whole, for main.c and for tests that run it in process. */
CliStatus train_main(int argc, char **argv);
extern const CliProgram train_program;

extern const CliCommand train_prepare;
extern const CliCommand train_score;
extern const CliCommand train_fit;
extern const CliCommand train_average;

/* Whether the folder `output` may be written: it is not there, or replace is wanted and it is a
 * `kind` ("model"), which holds the file `mark`. FALSE is complained about. */
gboolean train_check_place(const CliCommand *command, const char *output, gboolean replace,
                           const char *mark, const char *kind);

G_END_DECLS

/* cli-output.h — what the program around the commands knows of their answers, and the line that
 * says how far a command is. What commands say themselves is in cli.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

/* Around a command: nothing was lost yet; and how it ended, which is never CLI_DONE when an answer
 * could not be written, whatever the command made of that. */
void cli_output_begin(void);
CliStatus cli_output_end(CliStatus status);

/* One line on a terminal, in the place of the one before; and the end of it, which keeps the line
 * or takes it away. Whether standard error is a terminal is the caller's question. */
void cli_show_progress(const char *text);
void cli_end_progress(gboolean keep);

G_END_DECLS

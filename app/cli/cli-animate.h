/* cli-animate.h — what the commands called animate share: frames that become a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-analysis.h"

#include "formats/regard-animation.h"

G_BEGIN_DECLS

#define CLI_ANIMATION_INIT CLI_ANALYSIS_INIT_SIZE(REGARD_ANIMATION_OPTIONS_INIT)

/* -o, and what pictures have but for what makes no sense of many; of a table whose struct begins
 * with a CliAnalysis. */
extern const CliOption cli_options_animation[];
extern const CliOption cli_options_animation_size[];

/* That -o names a file that can be written; nothing was computed yet. */
CliStatus cli_animate_check(CliAnalysis *self);
/* Takes the frames and writes them; Ctrl+C leaves nothing behind. */
CliStatus cli_animate_write(CliAnalysis *self, RegardFrames *frames);

extern const char cli_animate_details[];
/* All of them say the same of themselves. */
#define CLI_ANIMATE_ABOUT                                                                    \
  .name = "animate", .summary = "Write figures one after the other: GIF, PNG, PDF or files", \
  .arguments = "steps|beam|inside|training -o FILE TEXT", .details = cli_animate_details

/* cli-steps.c, cli-inside.c */
extern const CliCommand cli_animate_steps, cli_animate_beam, cli_animate_inside;

G_END_DECLS

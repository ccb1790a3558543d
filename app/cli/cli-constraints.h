/* cli-constraints.h — --prefix, --force and --forbid: texts, cut into the pieces of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-engine.h"

G_BEGIN_DECLS

/* What the options ask for, as constraints of a model; *constraints is NULL if that is nothing.
 * params say how long a prefix may be. Anything but CLI_DONE has been reported. */
CliStatus cli_constraints_new(const CliCommand *command, const CliEngineOptions *options,
                              const mt_model *model, const mt_search_params *params,
                              mt_constraints **constraints);

/* Says on standard error, after `where`, if the prefix ends in a word that the model went on
 * with. */
void cli_constraints_tell(const CliCommand *command, const char *where,
                          const mt_translation *translation);

G_END_DECLS

/* cli-steps.h — what `regard-cli steps` prints.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli.h"
#include "figures/regard-steps.h"

G_BEGIN_DECLS

/* A search: each step with its `top` likeliest tokens, then the hypotheses with their scores, then
 * what became of all that were considered. */
void cli_steps_append_search(GString *out, const RegardSteps *steps, const mt_search_params *params,
                             guint top);
/* Where the best translations of two searches part, and what each thinks of it. */
void cli_steps_append_comparison(GString *out, const RegardSteps *a, const RegardSteps *b);

G_END_DECLS

/* cli-effects.h — what regard-cli effects is asked for, and its numbers over a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-engine.h"

#include "figures/regard-effects.h"

G_BEGIN_DECLS

typedef struct {
  guint with;        /* a mt_effect_kind */
  gint64 top, token; /* 0: not given */
  const char *against;
  const char *file, *references, *resume;
  gboolean scores;  /* BLEU and chrF, too */
  gint64 sentences; /* of the file; 0: all */
} CliEffectsWanted;

/* The mean over the lines of wanted->file; of what was done until it was interrupted. NULL: there
 * is none. What is not as asked for has been told, and *status says so. */
RegardEffects *cli_effects_compute_file(const CliCommand *command, CliEngine *engine,
                                        const CliEffectsWanted *wanted, CliStatus *status);

G_END_DECLS

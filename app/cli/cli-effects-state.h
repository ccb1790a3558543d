/* cli-effects-state.h — long work over a file, kept while it goes on, and taken up again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-corpus.h"
#include "figures/regard-effects.h"

G_BEGIN_DECLS

/* What all results depend on, as a text: model, sentences, changes, search. Caller frees. */
char *cli_effects_key(const CliEngine *engine, const CliCorpus *corpus, const char *what);

/* Fill sum with what a file has, if it is there; lines: sentences that are in it. FALSE, which has
 * been reported: it is no such file, or one of other work. */
gboolean cli_effects_state_read(const CliCommand *command, const char *path, const char *key,
                                RegardEffectsSum *sum, guint *n_read);
/* FALSE, which has been reported. */
gboolean cli_effects_state_write(const CliCommand *command, const char *path, const char *key,
                                 const RegardEffectsSum *sum, guint n_read);

G_END_DECLS

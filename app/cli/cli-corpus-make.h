/* cli-corpus-make.h — regard-cli corpus: a text through the model, into a corpus file; and what is
 * asked of one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-engine.h"

G_BEGIN_DECLS

typedef struct {
  const char *text, *trees; /* one of both */
  const char *output;
  gboolean has_effects;
  guint with;       /* a mt_effect_kind */
  gint64 sentences; /* 0: all */
  gint64 commit;    /* sentences between two commits; 0: as many as ten seconds take */
} CliCorpusWanted;

CliStatus cli_corpus_make(const CliCommand *command, CliEngine *engine,
                          const CliCorpusWanted *wanted, guint n_threads);

/* argv[0] is "merge", or "show". */
CliStatus cli_corpus_merge(const CliCommand *command, int argc, char **argv);
CliStatus cli_corpus_show(const CliCommand *command, int argc, char **argv);

G_END_DECLS

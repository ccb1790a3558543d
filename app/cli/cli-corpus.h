/* cli-corpus.h — sentences and their references, to be translated as often as wanted and scored.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-analysis.h"

G_BEGIN_DECLS

/* Sentences that the model can read; pairs of which one is blank are left out. */
typedef struct {
  GPtrArray *texts;      /* of char * */
  GPtrArray *references; /* as many; NULL: there are none */
  guint64 hash;          /* of all of them */
  guint n_left_out;      /* lines that could not be read, which has been told */
} CliCorpus;

/* The first `limit` sentences, 0: all. references may be NULL. NULL, which has been reported: a
 * file cannot be read, or they are not equally long, or there is no sentence. */
CliCorpus *cli_corpus_open(const CliCommand *command, const CliEngine *engine, const char *file,
                           const char *references, gint64 limit);
void cli_corpus_free(CliCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliCorpus, cli_corpus_free)

/* In 0 … 100. */
typedef struct {
  double bleu, chrf;
} CliScores;
/* Translate all with these changes, several at a time, and compare with the references. FALSE: it
 * was interrupted, or failed, which has been reported. */
gboolean cli_corpus_score(const CliCommand *command, CliEngine *engine, const CliCorpus *corpus,
                          const mt_changes *changes, CliScores *scores);

/* The changes of the engine, and a head's own: "cross 4.1 zero". NULL: *error. Caller unrefs. */
mt_changes *cli_corpus_without(const CliEngine *engine, const char *head, mt_effect_kind with,
                               mt_error *error);

G_END_DECLS

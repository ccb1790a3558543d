/* cli-lines.h — lines of files, in order; and sentences with their references.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "base/regard-lines.h"
#include "cli/cli-engine.h"
#include "cli/cli.h"

G_BEGIN_DECLS

/* at: of the gboolean in a command's struct. */
#define CLI_LINES_OPTION_JOIN(at)                                                             \
  {                                                                                           \
    CLI_OPTION_FLAG, "join-lines", 0, (at), NULL, "Take lines up to an empty one as one text" \
  }

typedef RegardLine CliLine;

typedef enum {
  CLI_LINE_DONE,
  CLI_LINE_FAILED, /* go on with the next line; the whole has failed */
  CLI_LINE_STOP,   /* nobody reads the answers any more; the whole has failed */
} CliLineResult;
typedef CliLineResult (*CliLineFunc)(const CliLine *line, gpointer user);

/* One file, line by line. NULL, after it has been reported: it cannot be opened. */
typedef struct _CliLineStream CliLineStream;
CliLineStream *cli_line_stream_open(const CliCommand *command, const char *name);
/* The next line, valid until the next call; FALSE at the end, or where reading fails. */
gboolean cli_line_stream_next(CliLineStream *stream, CliLine *line);
/* FALSE: reading failed, which has been reported. */
gboolean cli_line_stream_close(CliLineStream *stream);

/* All lines of a file that is there as a whole. Sets *status to CLI_FAILED if anything failed;
 * FALSE: nobody reads the answers any more. */
typedef gboolean (*CliWholeFunc)(CliLineStream *stream, gpointer user, CliStatus *status);

/* Each line of each file in turn, standard input if there are none, as soon as it can be read. A
 * file that cannot be read is reported and the next one taken. joins: take paragraphs. whole: NULL,
 * or what is called for files that are there as a whole instead of func for each of their lines. */
CliStatus cli_lines_foreach(const CliCommand *command, const GPtrArray *files, gboolean joins,
                            CliLineFunc func, CliWholeFunc whole, gpointer user);

/* A text that may hold anything as a field of a line of CSV (RFC 4180). */
void cli_csv_append_field(GString *out, const char *text);

/* ==== Sentences and their references, to be translated as often as wanted and scored ========== */

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
                          const mt_interventions *interventions, CliScores *scores);

/* The changes of the engine, and a head's own: "cross 4.1 zero". NULL: *error. Caller unrefs. */
mt_interventions *cli_corpus_without(const CliEngine *engine, const char *head,
                                     mt_ablation_kind with, mt_error *error);

G_END_DECLS

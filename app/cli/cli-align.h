/* cli-align.h — what regard-cli align was asked for, and its sentences one after the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/cli-engine.h"
#include "cli/cli-lines.h"

G_BEGIN_DECLS

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  CliEngine *reverse; /* of the other direction; its session is NULL if there is none */
  mt_recipe recipe;
  const char *file, *targets; /* NULL: none; targets: of two files the second */
  const char *words;
  gboolean json, csv;
  gint64 base; /* of what is printed */
  /* Of an evaluation. */
  const char *gold, *vary;
  int gold_format, gold_base; /* MT_GOLD_GUESS */
  gboolean grid;
  gint64 top, samples, seed;
} CliAlign;

/* Links of every pair, as they come. */
CliStatus cli_align_stream(CliAlign *self);
/* The recipe, or many, against a gold file. */
CliStatus cli_align_evaluate(CliAlign *self);

/* ---- Sentences --------------------------------------------------------------------------------
 */

/* One pair; all is borrowed until the next. */
typedef struct {
  CliLine line;                            /* of the first file */
  const char *source, *target;             /* target NULL: the line has none */
  const char *source_words, *target_words; /* NULL: those of the texts */
  const char *problem;                     /* why there is no pair */
} CliPair;

typedef struct _CliPairs CliPairs;
/* NULL: a file cannot be opened, which has been reported. file NULL: standard input. */
CliPairs *cli_pairs_open(const CliCommand *command, const char *file, const char *targets,
                         const char *words);
/* FALSE at the end. */
gboolean cli_pairs_next(CliPairs *pairs, CliPair *pair);
/* FALSE: reading failed, or files are not equally long, which has been reported. */
gboolean cli_pairs_close(CliPairs *pairs);

/* "a \"b\"" as a field of CSV. */
void cli_align_csv_field(GString *out, const char *text);

G_END_DECLS

/* regard-corpus-run.h — a corpus file made of a text: begun, stopped, and gone on with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-corpus.h"

G_BEGIN_DECLS

/* What somebody should know. */
typedef struct {
  guint64 line;          /* of the text; 0: of no line */
  gboolean is_left_out;  /* the line only; else nothing more is done */
  const mt_error *error; /* the engine's, or NULL: … */
  const char *message;   /* … in English, for gettext */
} RegardCorpusProblem;

typedef struct {
  mt_session *session; /* of the model, that nobody else uses meanwhile; translates */
  mt_model *model;
  const mt_request *request; /* as the file says it */
  const mt_search_params *params;
  const mt_hooks *hooks; /* changes, and should_stop with its user */
  mt_means *means;       /* for effects by the mean; or NULL */
  const char *text, *path;
  gboolean has_trees;   /* the text is a tree file */
  gboolean has_effects; /* each sentence with the effects of all heads … */
  mt_ablation_kind with;
  guint64 sentences;     /* the first ones only; 0: all */
  guint64 commit;        /* sentences between two commits; 0: as many as ten seconds take */
  guint n_threads;       /* 0: as many as there are processors, but few */
  gboolean counts_lines; /* before, so that it is known how much is left */
  /* Somebody chose both files by hand: a text without a sentence is refused before there is a file,
   * and so is a whole file of another text. */
  gboolean is_careful;
  void (*say)(gpointer user, const RegardCorpusProblem *problem);
  void (*on_progress)(gpointer user, const RegardCorpusProgress *progress); /* or NULL */
  void (*on_translation)(gpointer user, const mt_translation *translation); /* or NULL */
  gpointer user;
} RegardCorpusRun;

typedef enum {
  REGARD_CORPUS_MADE,
  REGARD_CORPUS_WAS_WHOLE,  /* nothing was to be done */
  REGARD_CORPUS_BROKEN_OFF, /* should_stop said so, or a problem */
} RegardCorpusOutcome;

/* On any thread. Sentence after sentence goes through the model into the file, which is committed
 * to now and then, and when it ends. */
RegardCorpusOutcome regard_corpus_run(const RegardCorpusRun *run, RegardCorpusProgress *progress);

/* What the page Measure asks for (RegardCorpusFunc). */
gboolean regard_corpus_run_order(const RegardCorpusOrder *order, char **left_out, GError **error);

G_END_DECLS

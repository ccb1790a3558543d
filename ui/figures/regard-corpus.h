/* regard-corpus.h — a corpus file that is looked at: the numbers of all its heads, in memory, and
 * its sentences, which are asked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asked from any thread, one after the other (the engine's
 * corpus belongs to one at a time). Formulas and limits: mt/corpus.h.
 */
#pragma once

#include "figures/regard-figure.h"
#include "figures/regard-head-statistics.h"

G_BEGIN_DECLS

/* A head over the text. */
typedef struct {
  RegardHeadRow row; /* with the means */
  mt_corpus_statistics measures[MT_N_CORPUS_MEASURES];
  mt_corpus_role_value roles[MT_N_CORPUS_ROLES];
  mt_corpus_offsets offsets;
  int relation; /* of those that hold the one with the greatest share; -1: none */
  mt_corpus_relation_value relation_value;
} RegardCorpusHead;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  mt_corpus *file; /* NULL: numbers only, as tests make them */
  GMutex mutex;    /* whoever asks the file has it */
  /*< public, read only >*/
  char *path, *name; /* the name is for people */
  mt_corpus_about about;
  guint n_heads;
  RegardCorpusHead *heads; /* [n_heads] encoder, cross, decoder as in the window */
  float *distances;        /* [n_heads][n_heads], NAN between kinds */
} RegardCorpus;

/* Reads all numbers of heads; for a thread. NULL and an error. */
RegardCorpus *regard_corpus_open(const char *path, mt_error *error);
/* Of numbers alone: heads [n_heads] and distances, which may be NULL, are taken. */
RegardCorpus *regard_corpus_new_of(const char *name, const mt_corpus_about *about,
                                   RegardCorpusHead *heads, guint n_heads, float *distances);
REGARD_DECLARE_SUBJECT(RegardCorpus, regard_corpus)

/* Its number among the heads; -1: there is none. */
int regard_corpus_find_head(const RegardCorpus *corpus, mt_attention_kind kind, guint layer,
                            guint head);
/* NAN: the heads are of two kinds. */
double regard_corpus_distance(const RegardCorpus *corpus, guint a, guint b);
/* "144 heads over everyday.en · 2,000 sentences · 31,480 tokens"; caller frees. */
char *regard_corpus_describe(const RegardCorpus *corpus);
/* False: it was made with another model than this one, whose heads may do something else. */
gboolean regard_corpus_is_of(const RegardCorpus *corpus, const mt_model *model);

/* ---- Sentences -------------------------------------------------------------------------------
 */

/* A sentence that is shown for a head, and where it looks in it. */
typedef struct {
  double value;                 /* of the measure; NAN: none was asked for */
  int group;                    /* of quantiles, from 0; -1: it is not in one */
  int query, key;               /* row and column of the head; -1: not known */
  double weight;                /* of that cell; NAN */
  mt_corpus_sentence *sentence; /* owned */
} RegardExample;
/* For g_ptr_array_unref; of RegardExample. */
typedef GPtrArray RegardExamples;

/* The strongest of a measure, or (quantiles) groups from the least to the greatest. NULL and an
 * error. For a thread; some milliseconds. */
RegardExamples *regard_corpus_examples(RegardCorpus *corpus, const RegardCorpusHead *head,
                                       mt_corpus_measure measure, gboolean quantiles,
                                       mt_error *error);
/* What is found, the first `limit` of *total. The query's strings are borrowed for the call. */
RegardExamples *regard_corpus_search(RegardCorpus *corpus, const mt_corpus_query *query,
                                     guint64 *total, mt_error *error);

/* A text as it is shown: some tokens around those that matter, with marks. */
typedef struct {
  char *text; /* with "…" where something is left out */
  /* Bytes of the marked tokens in it; begin == end: there is none. */
  guint query_begin, query_end, key_begin, key_end;
} RegardExcerpt;
/* So many tokens on both sides of a marked one; all of it if nothing is marked. */
#define REGARD_EXCERPT_CONTEXT 5
/* The text of a side of an example as a head of a kind sees it: the query is marked where its text
 * is the side's, the key likewise. A decoder's key is the token before, or "start". */
RegardExcerpt regard_example_excerpt(const RegardExample *example, mt_attention_kind kind,
                                     mt_stack side);
void regard_excerpt_clear(RegardExcerpt *excerpt);

/* ---- Making one ------------------------------------------------------------------------------
 */

/* How far it is. */
typedef struct {
  guint64 line, n_lines; /* of its text, that are done; and all there are, 0: not known */
  guint64 n_sentences;   /* in the file, those of earlier runs too */
  guint64 n_left_out;    /* lines of this run that could not be read or translated */
  double rate;           /* lines a second */
  double seconds_left;   /* -1: not known */
  gboolean has_problems; /* something was said */
} RegardCorpusProgress;

/* What is to be made, and who makes it: the program, which has models translate. A file that is
 * there is gone on with, if it is of this model, search and text. On any thread. FALSE and an
 * error, G_IO_ERROR_CANCELLED if should_stop said so; what was measured is in the file in any case.
 * *left_out: what is wrong with the first line that was left out, or NULL; caller frees. */
typedef struct {
  mt_model *model;
  const mt_request *request;             /* how to search; its constraints do not count */
  const mt_interventions *interventions; /* NULL: none */
  const char *text, *path; /* a sentence a line, or trees in a ".conllu"; and the corpus file */
  void (*on_progress)(void *user, const RegardCorpusProgress *progress);
  bool (*should_stop)(void *user);
  void *user;
} RegardCorpusOrder;
typedef gboolean (*RegardCorpusFunc)(const RegardCorpusOrder *order, char **left_out,
                                     GError **error);

/* ---- Heads -----------------------------------------------------------------------------------
 */

/* A role that a head has earned. */
typedef struct {
  char *text; /* "previous 12×" */
  char *why;  /* a sentence with the value, n and p */
} RegardCorpusBadge;
#define REGARD_MOST_BADGES (MT_N_CORPUS_ROLES + 1)
/* Those of a head, the strongest first; of a relation the last. Returns how many; each to be
 * cleared. corpus: for relations' names; may have no file. */
guint regard_corpus_head_badges(const RegardCorpus *corpus, const RegardCorpusHead *head,
                                RegardCorpusBadge badges[REGARD_MOST_BADGES]);
void regard_corpus_badge_clear(RegardCorpusBadge *badge);
/* For sorting: the value of its strongest role, and which; -1: it has none. */
int regard_corpus_head_best_role(const RegardCorpusHead *head);

/* A row for each of heads [n], numbers among the corpus' heads, in that order: name, roles, the
 * histogram and the mean of a measure, and what else there is of numbers. selected: a head, to
 * which distances are; -1: none. Files hold of these heads: mean, deviation, roles (value, n, p),
 * the histogram, and distances. */
RegardFigure *regard_figure_new_corpus_heads(RegardCorpus *corpus, const guint *heads, guint n,
                                             mt_corpus_measure measure, int selected,
                                             const RegardFigureStyle *style);

/* All heads of a kind on a plane, near each other those that do alike; by the Jensen–Shannon
 * distance (Lin 1991) and classical scaling (Torgerson 1952). Spots: part 0, row the number of the
 * head. NULL: there are no distances. Files hold the places. */
RegardFigure *regard_figure_new_head_map(RegardCorpus *corpus, mt_attention_kind kind, int selected,
                                         const RegardFigureStyle *style);

G_END_DECLS

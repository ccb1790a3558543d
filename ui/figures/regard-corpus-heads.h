/* regard-corpus-heads.h — the list of all heads over a text: what they are called, their numbers,
 * and pictures of all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-corpus.h"
#include "figures/regard-figure.h"
#include "figures/regard-head-filter.h"

G_BEGIN_DECLS

/* "cross 4.1"; caller frees. */
char *regard_corpus_head_name(const RegardCorpusHead *head);
/* The mean over sentences; NAN where the measure is not defined, or was not asked for. */
double regard_corpus_head_mean(const RegardCorpusHead *head, mt_corpus_measure measure);
/* "0.81", "+0.123", "1.38"; "" for NAN. Caller frees. */
char *regard_corpus_format(mt_corpus_measure measure, double value);
/* Title with unit: "Entropy (bit)"; caller frees. */
char *regard_corpus_measure_title(mt_corpus_measure measure);

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

/* Words of a filter for RegardCorpusHead. */
const RegardHeadWords *regard_corpus_head_words(void);

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
/* Three clearly different colours, one a kind. */
guint32 regard_kind_colour(mt_attention_kind kind, gboolean dark);

G_END_DECLS

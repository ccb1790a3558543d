/* regard-alignment.h — which word of the source each word of a translation stands for, by one
 * recipe, to be drawn, listed and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  char *model_name;
  char *interventions; /* made in the model, a line each; NULL: none */
  char *texts[MT_N_STACKS];
  guint n_words[MT_N_STACKS];
  char **words[MT_N_STACKS]; /* [n_words] */
  mt_recipe recipe;          /* with its layer */
  float *values;             /* [target words][source words] that links are chosen from */
  mt_link *links;            /* by target and source */
  gsize n_links;
} RegardAlignment;

/* NULL and *error: mt_alignment_input_links. A layer that is left open is chosen by this sentence.
 */
RegardAlignment *regard_alignment_new(const mt_alignment_input *input, const mt_recipe *recipe,
                                      const mt_model *model, const mt_interventions *interventions,
                                      mt_error *error);
REGARD_DECLARE_SUBJECT(RegardAlignment, regard_alignment)

/* The settings of a recipe for people, by mt_recipe_describe's bits of rows: a phrase for each, and
 * the list of them, "norms, layer 4, input row". Caller frees. */
char **regard_recipe_phrases(const mt_recipe *recipe, guint32 rows);
char *regard_recipe_describe(const mt_recipe *recipe, guint32 rows);
/* A choice of a setting: "input row". Borrowed. */
const char *regard_recipe_word(const mt_recipe_field *field, double choice);

/* What links are chosen from, or the links themselves: the share of each, 0 where there is none. */
RegardMatrix *regard_alignment_matrix(const RegardAlignment *alignment, gboolean of_links);
/* The fewest points in width in which its words have room. */
double regard_alignment_least_width(const RegardAlignment *alignment, double font);

/* Two rows of words, a curve for each link, as wide as its share of the target word's row. Its
 * spots: part is the side (row the word), or MT_N_STACKS: a link (row target, col source). Files of
 * numbers have both matrices. */
RegardFigure *regard_figure_new_links(RegardAlignment *alignment, const RegardFigureStyle *style);

/* ---- Recipes beside each other on a gold file, to be drawn, listed and written ---------- */

/* Of the bootstrap; the same draws for all. */
#define REGARD_SCORES_SAMPLES 1000
#define REGARD_SCORES_SEED    1

typedef struct {
  mt_recipe recipe;
  gboolean is_chosen;                       /* its layer is the one with the highest mean norm */
  gboolean is_present;                      /* it is the recipe that they were compared with */
  double aer, low, high, precision, recall; /* 0..1; NAN: of nothing */
} RegardScored;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  /*< public, read only >*/
  char *model_name, *gold_name;
  guint n_sentences, n_sure, n_possible; /* possible: further ones */
  mt_recipe present;                     /* that they were compared with */
  guint n;
  RegardScored *ranked; /* [n] best first */
  guint n_layers, n_heads;
  double *heads; /* [n_layers][n_heads] AER of each head with the matrix and row of … */
} RegardAlignmentScores;

/* Recipes that differ from `present` in matrix, place and row, all layers and all heads; on any
 * thread. params: corpus and progress count. NULL and *error. */
RegardAlignmentScores *regard_alignment_scores_new(mt_model *model,
                                                   const mt_evaluation_params *params,
                                                   const mt_recipe *present, const mt_hooks *hooks,
                                                   mt_error *error);
REGARD_DECLARE_SUBJECT(RegardAlignmentScores, regard_alignment_scores)

/* The parts of its picture, for spots. */
typedef enum { REGARD_SCORES_RANKING, REGARD_SCORES_HEADS } RegardScoresPart;
/* Recipes by AER, low, high, precision and recall; or layers by heads. */
RegardMatrix *regard_alignment_scores_matrix(const RegardAlignmentScores *scores,
                                             RegardScoresPart part);

/* Bars with intervals, best first, and a map of all heads. Spots: part; row of the ranking (col 0),
 * or layer and head. Files of numbers have both matrices. */
RegardFigure *regard_figure_new_scores(RegardAlignmentScores *scores,
                                       const RegardFigureStyle *style);

G_END_DECLS

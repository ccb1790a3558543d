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
  char *changes; /* made in the model, a line each; NULL: none */
  char *texts[MT_N_STACKS];
  guint n_words[MT_N_STACKS];
  char **words[MT_N_STACKS]; /* [n_words] */
  mt_recipe recipe;          /* with its layer */
  float *values;             /* [target words][source words] that links are chosen from */
  mt_link *links;            /* by target and source */
  gsize n_links;
} RegardAlignment;

/* NULL and *error: mt_alignable_links. A layer that is left open is chosen by this sentence. */
RegardAlignment *regard_alignment_new(const mt_alignable *alignable, const mt_recipe *recipe,
                                      const mt_model *model, const mt_changes *changes,
                                      mt_error *error);
REGARD_DECLARE_SUBJECT(RegardAlignment, regard_alignment)

/* What links are chosen from, or the links themselves: the share of each, 0 where there is none. */
RegardMatrix *regard_alignment_matrix(const RegardAlignment *alignment, gboolean of_links);
/* The fewest points in width in which its words have room. */
double regard_alignment_least_width(const RegardAlignment *alignment, double font);

/* Two rows of words, a curve for each link, as wide as its share of the target word's row. Its
 * spots: part is the side (row the word), or MT_N_STACKS: a link (row target, col source). Files of
 * numbers have both matrices. */
RegardFigure *regard_figure_new_links(RegardAlignment *alignment, const RegardFigureStyle *style);

G_END_DECLS

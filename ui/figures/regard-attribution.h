/* regard-attribution.h — attributions of the engine as matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* What the tokens of an attribution are. Borrowed. */
typedef struct {
  const mt_model *model;
  const mt_tokens *source, *output;
  const mt_interventions *interventions; /* or NULL */
  /* What was asked for, for captions and files; NULL: they say nothing of it. */
  const mt_attribution_params *params;
  /* It is B less A, of the same words (mt_attribution_difference), and these are the changes of A.
   */
  gboolean is_difference;
  const mt_interventions *interventions_of_a; /* or NULL */
} RegardAttributionText;

/* A method's name in the reader's language. Borrowed. */
const char *regard_attribution_name(const mt_attribution_method *method);

/* A row for each output token that was asked for, a column for each source token and for each token
 * that the decoder has read by the last of these rows. Caller unrefs. */
RegardMatrix *regard_attribution_matrix(const mt_attribution *attribution,
                                        const RegardAttributionText *text);

/* What encoder tokens have of each other, rows and columns; NULL: the method does not say, or one
 * word was asked for. Caller unrefs. */
RegardMatrix *regard_attribution_encoder_matrix(const mt_attribution *attribution,
                                                const RegardAttributionText *text);

/* A bench: the same tokens with a row for each method; rank correlations of each two; log p of the
 * word when 0, 1, 2 … source tokens are hidden; and the areas of these curves, [methods][1]. */
typedef enum {
  REGARD_METHOD_MATRIX_VALUES,
  REGARD_METHOD_MATRIX_SPEARMAN,
  REGARD_METHOD_MATRIX_DELETION,
  REGARD_METHOD_MATRIX_AREA,
  REGARD_METHOD_MATRIX_N_MATRICES,
} RegardMethodMatrix;
/* Caller unrefs. */
RegardMatrix *regard_position_editor_matrix(const mt_method_comparison *bench,
                                            RegardMethodMatrix which,
                                            const RegardAttributionText *text);

/* A row for each method over the same tokens, coloured by the largest of the row, with its deletion
 * curve and the area of it; below, rank correlations of each two methods. CSV, JSON and NPZ hold
 * the matrices of RegardMethodMatrix, values as the methods have them. Spots: part is one of these.
 */
RegardFigure *regard_figure_new_method_comparison(const mt_method_comparison *bench,
                                                  const RegardAttributionText *text,
                                                  const RegardFigureStyle *style);

G_END_DECLS

/* mt-alignment-input.h — what following a recipe reads of an mt_alignment_input. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ALIGNMENT_INPUT_H
#define MT_ALIGNMENT_INPUT_H

#include "alignment/mt-words.h"

/* The decoder row of output token t; SIZE_MAX: there is none. */
size_t mt_alignment_input_row(const mt_alignment_input *input, mt_recipe_row row, size_t t);

/* Add the row of output token t, which may have no text, or of the last one, which has no input
 * row, that which predicts it: to pieces [keys], and to the source's words what their pieces have.
 * The place of the recipe is not open. */
void mt_alignment_input_add_token(const mt_alignment_input *input, const mt_recipe *recipe,
                                  size_t t, double *pieces, double *words);

/* A matrix of words, and what special tokens have of each row. */
typedef struct {
  size_t rows, cols; /* target words, source words */
  double *values;    /* [rows][cols] */
  double *special;   /* [rows] 0 if they are dropped */
} mt_word_matrix;

#endif

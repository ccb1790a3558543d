/* regard-matrix-attention.h — attention of a capture as a matrix: heads chosen and combined,
 * subwords merged into words, special tokens hidden.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A capture holds tensors. Nothing here is renormalised; every step leaves a badge.
 */
#pragma once

#include "figures/regard-matrix.h"

G_BEGIN_DECLS

/* How several heads become one matrix. */
typedef enum {
  REGARD_COMBINE_HEAD, /* one head as it is */
  REGARD_COMBINE_MEAN, /* mean over the heads of the layer */
  REGARD_COMBINE_MAX,  /* cell-wise maximum over the heads of the layer (rows no longer sum to 1) */
  REGARD_COMBINE_CHOSEN, /* mean over a chosen set of heads of this kind, any layer */
} RegardCombine;
#define REGARD_N_COMBINES 4

/* Which token names a decoder row. The row of a decoder step has one token that goes in and one
 * that comes out. */
typedef enum {
  REGARD_LABEL_BY_OUTPUT, /* main label y(t), grey prefix y(t-1) → */
  REGARD_LABEL_BY_INPUT,  /* main label y(t-1), grey suffix → y(t) */
} RegardLabelBy;
#define REGARD_N_LABEL_BYS 2

/* Their names in settings, files and on the command line, in this order, and NULL: "head", "mean",
 * "max", "chosen"; "output", "input". */
extern const char *const regard_combine_ids[REGARD_N_COMBINES + 1];
extern const char *const regard_label_by_ids[REGARD_N_LABEL_BYS + 1];

typedef struct {
  mt_attention_kind kind;
  guint layer, head; /* 0-based */
  RegardCombine combine;
  const guint8 *chosen;  /* [n_layers * n_heads] non-zero = chosen; for COMBINE_CHOSEN; NULL or
                            nothing chosen: as COMBINE_HEAD */
  gboolean merge_words;  /* subword queries averaged, subword keys summed */
  gboolean hide_special; /* rows and columns of special tokens left out; removed_mass tells */
  RegardLabelBy label_by;
  gboolean is_plain; /* labels for who has not met pieces: "end" for ⏎, and of a step of the decoder
                        only the token that names its row */
} RegardMatrixSpec;

/* What a matrix of attention was made from; lives as long as it. */
typedef struct {
  RegardMatrixSpec spec; /* as it was done: out of range clamped, chosen NULL */
  mt_capture *capture;
  guint8 *chosen;           /* own copy of those of the spec, or NULL */
  mt_attention_mask *masks; /* of the heads that are masked in different ways, joined */
} RegardAttention;

/* Layer and head out of range are clamped; NULL if the capture does not have this kind. Cost is
 * linear in the cells read. */
RegardMatrix *regard_matrix_new_attention(const mt_capture *capture, const RegardMatrixSpec *spec);
/* Another head of the same kind, by itself: rows, columns and labels are those of like, and shared
 * with it, which makes it quick. */
RegardMatrix *regard_matrix_new_head(const RegardMatrix *like, guint layer, guint head);
/* NULL if the matrix is of something else. */
const RegardAttention *regard_matrix_get_attention(const RegardMatrix *matrix);
/* Score before the softmax of a cell, NAN where it is not defined (combined or merged matrices, and
 * whatever is no attention). */
float regard_matrix_score(const RegardMatrix *matrix, guint row, guint col);
/* What relative positions added to it by the distance of the two tokens; NAN also where there are
 * no such positions, or nobody knows. */
float regard_matrix_score_bias(const RegardMatrix *matrix, guint row, guint col);
/* The biases of a head, token by token, as they stand in its scores; what is masked stays so. NULL:
 * there are none. */
RegardMatrix *regard_matrix_new_score_bias(const mt_capture *capture, mt_attention_kind kind,
                                           guint layer, guint head);
/* A row of weights as it would be of q·k alone and of those biases alone, [cols] each; what is
 * masked is 0. FALSE: there are no biases, or not one token a row and column. */
gboolean regard_matrix_split_row(const RegardMatrix *matrix, guint row, double *content,
                                 double *position);

/* ---- What each key receives over all heads ----------------------------------------------------
 */

/* The weight that each key gets: the mean over all heads that a capture has of a kind, and over
 * their rows, [*n] tokens. Caller frees with g_free. */
double *regard_received(const mt_capture *capture, mt_attention_kind kind, gsize *n);
/* Has it in a matrix, by its columns: those of a merged word are added up, as its weights are. For
 * who has just made the matrix, before anybody else sees it. Nothing for a difference, and for what
 * is no attention. */
void regard_matrix_measure_received(RegardMatrix *matrix);
/* "dog receives 0.203 on average over 48 heads, 6 rows each"; col -1: of those that receive most.
 * Translated; caller frees. NULL: it was not measured. */
char *regard_matrix_describe_received(const RegardMatrix *matrix, int col);

/* ---- Chosen rows or columns added up: how much several tokens get, or give, together ----------
 */

/* Which axis is added up. */
typedef enum {
  REGARD_SUM_QUERIES, /* rows: what each key gets from all of them */
  REGARD_SUM_KEYS,    /* columns: how much each query gives to all of them */
} RegardSumAxis;

guint regard_sum_axis_length(const RegardMatrix *matrix, RegardSumAxis axis);
const RegardLabel *regard_sum_axis_labels(const RegardMatrix *matrix, RegardSumAxis axis);

/* One row: the sum, in double, over the chosen rows, or columns, of each column, or row; chosen [n
 * of the axis] is 1 for these. What is masked counts 0. NULL: none is chosen. */
RegardMatrix *regard_matrix_new_sum(RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen);

/* Chooses by what a person types, commas between: numbers from 1 and ranges of them (2-4), else all
 * tokens of that text, with the word mark or without. chosen [n of the axis] is filled. NULL, or
 * what none of them is; caller frees. */
char *regard_sum_parse(const RegardMatrix *of, RegardSumAxis axis, const char *typed,
                       guint8 *chosen);

G_END_DECLS

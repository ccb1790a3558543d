/* regard-matrix.h — one picture's worth of numbers: values, labels on both axes, and what was done
 * to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A capture holds tensors; a RegardMatrix is what is drawn, printed, exported and read aloud. It is
 * made from a capture by choosing heads, combining them, merging subwords into words and hiding
 * special tokens, and it says so: every step leaves a badge, nothing is renormalised. Immutable
 * and atomically reference-counted, so the same object serves the screen, an export thread and
 * the command line. No GTK here.
 */
#pragma once

#include "figures/regard-naming.h"

#include <glib-object.h>
#include <mt.h>

G_BEGIN_DECLS

/* How several heads become one matrix. */
typedef enum {
  REGARD_COMBINE_HEAD, /* one head as it is */
  REGARD_COMBINE_MEAN, /* mean over the heads of the layer */
  REGARD_COMBINE_MAX,  /* cell-wise maximum over the heads of the layer (rows no longer sum to 1) */
  REGARD_COMBINE_CHOSEN, /* mean over a chosen set of heads of this kind, any layer */
} RegardCombine;

/* Which token names a decoder row. The row of a decoder step has one token that goes in and one
 * that comes out. */
typedef enum {
  REGARD_LABEL_BY_OUTPUT, /* main label y(t), grey prefix y(t-1) → */
  REGARD_LABEL_BY_INPUT,  /* main label y(t-1), grey suffix → y(t) */
} RegardLabelBy;

typedef struct {
  mt_attention_kind kind;
  guint layer, head; /* 0-based */
  RegardCombine combine;
  const guint8 *chosen;  /* [n_layers * n_heads] non-zero = chosen; for COMBINE_CHOSEN; NULL or
                            nothing chosen: as COMBINE_HEAD */
  gboolean merge_words;  /* subword queries averaged, subword keys summed */
  gboolean hide_special; /* rows and columns of special tokens left out; removed_mass tells */
  RegardLabelBy label_by;
} RegardMatrixSpec;

/* One row or column. */
typedef struct {
  char *text; /* main label as shown, e.g. "▁Straße"; </s> is "⏎", the decoder's start "start",
                 text outside the vocabulary "‹世界›";
                 merged pieces without the word mark, "Straße" */
  char *piece;  /* as in the vocabulary, for files: "</s>"; merged: the pieces joined */
  char *other;  /* decoder rows: the other token of the step; else NULL */
  char *prefix; /* drawn grey before text, e.g. "▁die → "; or NULL */
  char *suffix; /* drawn grey after text, e.g. " → ▁Straße", "  12"; or NULL */
  guint first_token, n_tokens; /* tokens of the sentence it stands for */
  gboolean special;
} RegardLabel;

typedef enum {
  REGARD_MATRIX_ATTENTION,
  REGARD_MATRIX_POSITIONS,  /* position × dimension */
  REGARD_MATRIX_SIMILARITY, /* PE · PE^T, position × position */
  REGARD_MATRIX_SHIFT,      /* linear map PE(p) → PE(p+k), dimension × dimension */
} RegardMatrixSort;

typedef struct _RegardMatrix {
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public, read only >*/
  RegardMatrixSort sort;
  guint rows, cols;
  float *values; /* [rows][cols] */
  RegardLabel *row_labels, *col_labels;
  char *row_title;  /* e.g. "queries: translation" */
  char *col_title;  /* e.g. "keys: source" */
  char *title;      /* e.g. "Cross-attention · layer 5 · head 3" */
  char *value_name; /* "weight", "encoding", "similarity", "coefficient" */
  char **badges;    /* NULL-terminated, e.g. "merged", "special tokens hidden", "mean of 8 heads" */
  float *removed_mass;             /* [rows] mass of hidden columns, or NULL */
  gboolean rows_are_distributions; /* each row sums to 1 (up to removed_mass) */
  mt_attention_mask mask;          /* cells that cannot have weight */
  gboolean diverging;              /* values have a sign; the range is symmetric about 0 */
  float lo, hi; /* range of the colour scale: 0..1 for attention, ±max for signed values */
  RegardMatrixSpec spec; /* attention only; spec.chosen is NULL here */
  mt_capture *capture;   /* attention only; a reference, else NULL */
  char *model_name;      /* or the file a capture was read from; may be NULL */
} RegardMatrix;

#define REGARD_TYPE_MATRIX (regard_matrix_get_type())
GType regard_matrix_get_type(void);
RegardMatrix *regard_matrix_ref(RegardMatrix *matrix);
void regard_matrix_unref(RegardMatrix *matrix);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardMatrix, regard_matrix_unref)

/* Build from a capture. Layer and head out of range are clamped; NULL if the capture does not have
 * this kind. Cost is linear in the cells read. */
RegardMatrix *regard_matrix_new_attention(const mt_capture *capture, const RegardMatrixSpec *spec);
/* First n rows of a position table; labels are positions, or tokens where given (may be NULL). */
RegardMatrix *regard_matrix_new_positions(mt_matrix table, guint n, const mt_tokens *tokens,
                                          const char *model_name);
RegardMatrix *regard_matrix_new_similarity(mt_matrix table, guint n, const mt_tokens *tokens,
                                           const char *model_name);
RegardMatrix *regard_matrix_new_shift(guint d_model, int k, mt_position_kind kind,
                                      const char *model_name);
/* From any values (differences, tests). Arrays are copied. */
RegardMatrix *regard_matrix_new(const float *values, guint rows, guint cols,
                                const char *const *row_labels, const char *const *col_labels);

static inline float
regard_matrix_get(const RegardMatrix *m, guint row, guint col)
{
  return m->values[(gsize) row * m->cols + col];
}
/* True if the mask leaves nothing of a cell; of a merged one, nothing of all its tokens. */
gboolean regard_matrix_is_masked(const RegardMatrix *matrix, guint row, guint col);
/* The same of all cells of rows [row, row_end) and columns [col, col_end). */
gboolean regard_matrix_is_block_masked(const RegardMatrix *matrix, guint row, guint row_end,
                                       guint col, guint col_end);
/* Sum of a row's values, as it stands. */
double regard_matrix_row_sum(const RegardMatrix *matrix, guint row);
/* Largest absolute value of a row, for REGARD_SCALE_ROW. */
double regard_matrix_row_max(const RegardMatrix *matrix, guint row);
/* Score before the softmax of a cell, NAN where it is not defined (combined or merged matrices). */
float regard_matrix_score(const RegardMatrix *matrix, guint row, guint col);
/* Index of the row (column) that stands for a token, or -1 (hidden, out of range). */
int regard_matrix_row_of_token(const RegardMatrix *matrix, guint token);
int regard_matrix_col_of_token(const RegardMatrix *matrix, guint token);
/* A label's text as it is read aloud: "▁Der" is "Der". Borrowed. */
const char *regard_matrix_spoken(const char *text);
/* The cell as a sentence for a screen reader: "row es, column animal, 0.41, highest of 14". */
char *regard_matrix_describe_cell(const RegardMatrix *matrix, guint row, guint col);

G_END_DECLS

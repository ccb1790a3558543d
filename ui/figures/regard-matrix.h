/* regard-matrix.h — one picture's worth of numbers: values, two labelled axes, and what was done to
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A RegardMatrix is what is drawn, printed, exported and read aloud, whatever the numbers are. It
 * is made from a RegardMatrixSource, which says what the values, the axes and the range are;
 * attention (regard-matrix-attention.h) and positions (regard-matrix-positions.h) are two sources.
 * Whatever was done to the values leaves a badge. Immutable and atomically reference-counted, so
 * the same object serves the screen, an export thread and the command line. No GTK here.
 */
#pragma once

#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-subject.h"

#include <glib-object.h>
#include <mt.h>

G_BEGIN_DECLS

typedef struct _RegardMatrix RegardMatrix;

/* One row or column. */
typedef struct {
  char *text; /* main label as shown, e.g. "▁Straße"; </s> is "⏎", the decoder's start "start",
                 text outside the vocabulary "‹世界›";
                 merged pieces without the word mark, "Straße" */
  char *piece;  /* as in the vocabulary, for files: "</s>"; merged: the pieces joined */
  char *other;  /* decoder rows: the other token of the step; else NULL */
  char *prefix; /* drawn grey before text, e.g. "▁die → "; or NULL */
  char *suffix; /* drawn grey after text, e.g. " → ▁Straße", "  12"; or NULL */
  guint first_token, n_tokens; /* tokens of the sentence, positions … that it stands for */
  gboolean special;
  gboolean is_task; /* of the words that tell the model its task (mt_token.is_prefix): drawn grey */
} RegardLabel;

/* Which labels of an axis are drawn where there is no room for all. */
typedef enum {
  REGARD_TICKS_WORDS,   /* every k-th; they lean where they stand above columns */
  REGARD_TICKS_DECIMAL, /* numbers: every 1, 2, 5, 10 … */
  REGARD_TICKS_BINARY,  /* numbers: every 1, 2, 4, 8 … */
} RegardTicks;

/* What a place on the colour scale means. */
typedef enum {
  REGARD_RANGE_SHARES, /* 0..1, so that pictures compare; where a value is beyond, up to the
                          largest; where one is negative, symmetric about 0 */
  REGARD_RANGE_VALUES, /* 0 to the largest; where a value is negative, symmetric about 0 */
  REGARD_RANGE_SIGNED, /* symmetric about 0 */
} RegardRange;

/* ---- Sources ----------------------------------------------------------------------------------
 */

/* The rows or the columns of a source. */
typedef struct {
  guint n;
  const char *title; /* e.g. "keys: source"; copied */
  const char *noun;  /* one of them, as it is read aloud: "position"; static, translated; NULL:
                        "row" or "column" */
  RegardTicks ticks;
  guint split;          /* the first of a second half, which is of another kind; 0: there is none */
  const char *parts[2]; /* what the halves are, static: "sine", "cosine" */
  /* Fills in label i, which is all zero; text and piece must be set. Strings become the matrix's.
   */
  void (*label)(gconstpointer data, guint i, RegardLabel *label);
  gconstpointer data;  /* of label; borrowed for the call */
  RegardLabel *labels; /* instead of label: the labels of another matrix, which both share then */
} RegardAxis;

/* "0", "1", … */
RegardAxis regard_axis_numbers(guint n, const char *title, RegardTicks ticks);
/* The texts; NULL: as numbers. */
RegardAxis regard_axis_texts(const char *const *texts, guint n, const char *title);
/* Every token of a list; starts: the first one is what a decoder begins with. */
RegardAxis regard_axis_tokens(const mt_tokens *tokens, const char *title, gboolean starts);

/* Facts about a matrix, for files: each is shown to one of these in the order of the file. */
typedef struct _RegardFacts RegardFacts;
struct _RegardFacts {
  void (*text)(RegardFacts *facts, const char *name, const char *value); /* value may be NULL */
  void (*lines)(RegardFacts *facts, const char *name, const char *text); /* a list of its lines */
  void (*number)(RegardFacts *facts, const char *name, gsize value);
  void (*flag)(RegardFacts *facts, const char *name, gboolean value);
};

/* What a matrix keeps of where it came from, for questions that numbers and labels do not answer.
 * Every function may be NULL. */
typedef struct {
  /* Adds the sentences of a caption that say what text it is about and what rows and columns are
   * (regard-words.h); else "Rows: …; columns: …." */
  void (*append_subject)(const RegardMatrix *matrix, GString *caption);
  /* … and that say which model or file; else "Model: …." */
  void (*append_origin)(const RegardMatrix *matrix, GString *caption);
  /* Facts behind title and axes, model first; else the model only. of_grid: what holds for every
   * matrix of the figure that it is from. */
  void (*tell)(const RegardMatrix *matrix, gboolean of_grid, RegardFacts *facts);
  void (*free)(gpointer origin);
  /* Another matrix like it, whose title, badges … are in the language in force; else those that it
   * has stay. */
  RegardMatrix *(*remake)(const RegardMatrix *matrix);
} RegardOriginClass;

/* Everything that a matrix is made from. Strings are copied, but for id and the nouns, which are
 * static. */
typedef struct {
  const char *id; /* what it is, in files: "positions" */
  const char *title;
  const char *value_name;    /* "encoding" */
  const char *model_name;    /* or NULL */
  const char *const *badges; /* NULL-terminated; or NULL */
  RegardAxis rows, cols;
  /* One of the two: each value asked for, or all of them, [rows][cols], taken (g_free). */
  float (*value)(gconstpointer data, guint row, guint col);
  gconstpointer data; /* of value; borrowed for the call */
  float *values;
  RegardRange range;
  gboolean is_square;     /* cells are square on paper: both axes are of one kind */
  double aspect;          /* longer side of a cell to the shorter on the screen, at most; 0: 1 */
  gboolean is_ranked;     /* cells of a row compete: rank and share of a cell mean something */
  mt_attention_mask mask; /* cells that cannot have a value; {0}: none */
  const RegardOriginClass *origin_class; /* or NULL */
  gpointer origin;                       /* taken */
} RegardMatrixSource;

/* ---- The matrix -------------------------------------------------------------------------------
 */

struct _RegardMatrix {
  /*< private >*/
  RegardSubject subject;
  const RegardOriginClass *origin_class;
  gpointer origin;
  RegardLanguage language; /* of its texts */
  RegardMatrix *english;   /* with texts in English, of what cannot be made anew; or NULL */
  /*< public, read only >*/
  const char *id;
  guint rows, cols;
  float *values; /* [rows][cols] */
  RegardLabel *row_labels, *col_labels;
  char *row_title; /* e.g. "queries: translation" */
  char *col_title; /* e.g. "keys: source" */
  const char *row_noun, *col_noun;
  RegardTicks row_ticks, col_ticks;
  guint col_split; /* as in the axis */
  const char *col_parts[2];
  char *title;      /* e.g. "Cross-attention · layer 5 · head 3" */
  char *value_name; /* "weight", "encoding", "similarity", "coefficient" */
  char **badges;    /* NULL-terminated, e.g. "merged", "special tokens hidden", "mean of 8 heads" */
  float *removed_mass; /* [rows] mass of hidden columns, or NULL */
  float *received; /* [cols] what each column gets on average of its kind, or NULL: not asked for */
  gboolean rows_are_distributions; /* each row sums to 1 (up to removed_mass) */
  gboolean is_square, is_ranked;   /* as in the source, and so is aspect, at least 1 */
  double aspect;
  mt_attention_mask mask; /* cells that cannot have weight */
  gboolean diverging;     /* values have a sign; the range is symmetric about 0 */
  float lo, hi;     /* range of the colour scale: 0..1 for attention, ±max for signed values */
  char *model_name; /* or the file a capture was read from; may be NULL */
};

REGARD_DECLARE_SUBJECT(RegardMatrix, regard_matrix)

RegardMatrix *regard_matrix_new_from(const RegardMatrixSource *source);

/* The same, or, where another language is in force than when it was made, one with its texts. A
 * reference. */
RegardMatrix *regard_matrix_in_language(RegardMatrix *matrix);
/* Keeps the same matrix made in English, taken, for figures in it, where what both were made of
 * will be gone. For who has just made them, before anybody else sees them. */
void regard_matrix_take_english(RegardMatrix *matrix, RegardMatrix *english);

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
/* Index of the row (column) that stands for a token, or -1 (hidden, out of range). */
int regard_matrix_row_of_token(const RegardMatrix *matrix, guint token);
int regard_matrix_col_of_token(const RegardMatrix *matrix, guint token);
/* A label's text as it is read aloud: "▁Der" is "Der". Borrowed. */
const char *regard_matrix_spoken(const char *text);
/* The cell as a sentence for a screen reader: "row es, column animal, 0.41, highest of 14". */
char *regard_matrix_describe_cell(const RegardMatrix *matrix, guint row, guint col);

G_END_DECLS

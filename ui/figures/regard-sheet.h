/* regard-sheet.h — the whole computation of a small model for one translation, as it is printed:
 * every matrix in the order of computation, rounded as the sheet shows it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands on the sheet, without where: regard-figure-sheet.c draws it. Texts between matrices
 * are as the paper writes them, with ^ and _ before what is raised or lowered: "W^Q", "d_{ff}".
 */
#pragma once

#include "figures/regard-matrix.h"

G_BEGIN_DECLS

/* What computed numbers are rounded to. Weights have as many decimals as they need, at most these.
 */
#define REGARD_SHEET_DECIMALS 3

/* One matrix. Its values are the printed ones. */
typedef struct {
  RegardMatrix *matrix; /* its id: "encoder.1.query" */
  char *symbol;         /* "W^Q"; NULL: none is printed */
  char *formula;        /* "Q = X W^Q" */
  guint decimals;
  gboolean is_weight; /* the model's; else computed */
  gboolean is_share;  /* rows sum to 1 */
  gboolean shows_rows, shows_columns;
  int *marked; /* [rows] the column that was chosen; NULL: nothing is */
} RegardSheetPart;

/* A text, or a matrix of the sheet and what stands below it. */
typedef struct {
  char *text; /* NULL: the matrix; may have two lines */
  guint part;
  int below; /* a part too, a bias below its weights; -1: nothing */
} RegardSheetItem;

typedef enum { REGARD_SHEET_LEFT, REGARD_SHEET_RIGHT, REGARD_SHEET_BELOW } RegardSheetPlace;

typedef struct {
  char *title;
  RegardSheetPlace place;
  GPtrArray *lines; /* of GArray of RegardSheetItem; a text that a line begins with names its result
                     */
} RegardSheetSection;

typedef struct {
  char *title;         /* "“cat” → “Katze”" */
  char *subtitle;      /* sizes of the model */
  GPtrArray *parts;    /* of RegardSheetPart; more than the sections show: a bias of zeros, say */
  GPtrArray *sections; /* of RegardSheetSection, in the order of computation */
} RegardSheet;

/* What there is no room for, or what a sheet does not show; NULL: nothing. Caller frees. */
char *regard_sheet_problem(const mt_model *model, const mt_tokens *source, const mt_tokens *target);
/* What the trace must have. */
void regard_sheet_add_taps(mt_taps *taps);
/* Of a model and translation without a problem. */
RegardSheet *regard_sheet_new(const mt_model *model, const mt_trace *trace, const char *source,
                              const char *translation);
void regard_sheet_free(RegardSheet *sheet);

G_END_DECLS

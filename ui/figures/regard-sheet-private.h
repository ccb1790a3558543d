/* regard-sheet-private.h — how the parts of a sheet are made. Private to regard-sheet*.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-sheet.h"

/* A sheet under way. */
typedef struct {
  const mt_model *model;
  const mt_trace *trace;
  RegardSheet *sheet;
  GPtrArray *lines; /* of the section under way */
  GArray *line;     /* under way */
} RegardSheetBuilder;

/* What the rows or columns of a part are. */
typedef enum {
  REGARD_SHEET_ONE, /* a vector has one row */
  REGARD_SHEET_DIMENSIONS,
  REGARD_SHEET_SOURCE,
  REGARD_SHEET_INPUT, /* what the decoder was given */
  REGARD_SHEET_PIECES,
} RegardSheetAxis;

/* Numbers by row and column. */
typedef struct {
  mt_matrix m;
  gboolean is_transposed; /* of a linear map, which keeps a row for each output */
} RegardSheetNumbers;

static inline RegardSheetNumbers
regard_sheet_plain(mt_matrix values)
{
  return (RegardSheetNumbers){values, FALSE};
}

typedef struct {
  const char *id, *symbol, *formula;
  RegardSheetAxis rows, cols;
  gboolean is_weight, is_share, is_causal;
  gboolean shows_rows, shows_columns;
} RegardSheetKind;

/* Empty. */
RegardSheet *regard_sheet_alloc(void);

/* Sections, lines in them, and what stands in a line. */
void regard_sheet_begin(RegardSheetBuilder *b, RegardSheetPlace place, const char *title);
void regard_sheet_begin_line(RegardSheetBuilder *b);
void regard_sheet_text(RegardSheetBuilder *b, const char *text);
void regard_sheet_show(RegardSheetBuilder *b, guint part);
void regard_sheet_show_both(RegardSheetBuilder *b, guint part, guint below);
/* Make a part, rounded, without showing it; its index. */
guint regard_sheet_add(RegardSheetBuilder *b, const RegardSheetKind *kind,
                       RegardSheetNumbers numbers);
/* A vector; whether it is anything but `usual` throughout. */
guint regard_sheet_add_vector(RegardSheetBuilder *b, const RegardSheetKind *kind,
                              const float *values, gsize n, float usual, gboolean *is_told);
RegardSheetPart *regard_sheet_part(const RegardSheetBuilder *b, guint i);

/* ---- Steps (regard-sheet-steps.c) ---- */

/* Where a step is: whose tokens its rows are, and how its parts are named. */
typedef struct {
  RegardSheetBuilder *b;
  mt_attention_kind kind; /* of what is not attention: that of its stack */
  int layer;
  RegardSheetAxis rows;
  const char *x; /* the stream that it reads: "X_0" */
} RegardSheetStep;

/* A tensor of the trace there. head -1: it belongs to none. */
mt_matrix regard_sheet_traced(const RegardSheetStep *s, mt_site site, int head);
/* A part with a row for each token of the step; its index. */
guint regard_sheet_add_rows(const RegardSheetStep *s, const char *name, const char *symbol,
                            const char *formula, mt_matrix values, gboolean shows_rows);
/* A whole sub-layer, whose result is called y. memory: what keys and values are made of. */
void regard_sheet_add_attention(const RegardSheetStep *s, const char *memory, const char *y);
void regard_sheet_add_feed_forward(const RegardSheetStep *s, const char *y);

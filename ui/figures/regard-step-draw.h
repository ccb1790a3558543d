/* regard-step-draw.h — what the parts of the picture of one step share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure-private.h"
#include "figures/regard-figure-steps.h"

/* Colours that mean the same in light and in dark. */
#define STEP_CANDIDATE 0xff3584e4
#define STEP_ENTROPY   0xffe66100
#define STEP_ATTENTION 0xff2ec27e

/* From this width on, in font sizes, what it looks at stands beside the candidates. */
#define STEP_WIDE 50.0

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardSteps *steps;
  const RegardStepsLook *look; /* its step is one that there is */
  double font;
} StepDraw;

/* ---- Numbers (regard-step-numbers.c) ---- */

/* The distribution that step t was chosen from; FALSE: there is none. */
gboolean step_row(const RegardSteps *steps, guint t, mt_step_row *row);
const mt_step_node *step_node(const RegardSteps *steps, guint t);
/* Options of a row that are its likeliest: what is behind them has no known rank. */
guint step_n_ranked(const RegardSteps *steps, const mt_step_row *row);
/* Index of the token that was chosen among the options; -1: it is not there. */
int step_chosen(const RegardSteps *steps, guint t, const mt_step_row *row);
/* The pieces that go into step t and come out of it. Caller frees. */
char *step_dup_input(const RegardSteps *steps, guint t);
char *step_dup_output(const RegardSteps *steps, guint t);
/* In bits; NAN: not known. */
double step_entropy(const RegardSteps *steps, guint t);
gsize step_n_pieces(const RegardSteps *steps); /* of the target vocabulary */

/* Keys that have bars: the largest. */
#define STEP_MOST_BARS 8
guint step_n_bars(const RegardStepsLook *look);
/* A row of attention. */
typedef struct {
  guint n;      /* keys that the query may see */
  double *head; /* [n]; NULL: the mean alone */
  double *mean; /* [n] of all heads of the layer */
  char **names; /* [n], and NULL */
  guint *order; /* [n] keys, the largest first */
} StepAttention;
/* FALSE, and nothing is to be cleared: there is none. */
gboolean step_attention_init(StepAttention *a, const RegardSteps *steps,
                             const RegardStepsLook *look);
void step_attention_clear(StepAttention *a);
/* "Cross-attention · layer 6 · head 3". Caller frees. */
char *step_attention_title(const RegardSteps *steps, const RegardStepsLook *look);
/* The same in few words: "cross · layer 6 · head 3". Caller frees. */
char *step_attention_place(const RegardStepsLook *look);

/* ---- Parts ---- */

void step_text(const StepDraw *d, double x, double baseline, double width, const char *text,
               gboolean dim, gboolean bold, RegardAnchor anchor);
/* A bold word and a grey one behind it. Returns its height, in font sizes STEP_HEADING. */
#define STEP_HEADING 1.9
double step_heading(const StepDraw *d, double x, double y, double width, const char *title,
                    const char *note);

/* Each draws at a place and returns how high it is. */
double step_draw_header(const StepDraw *d, double x, double y, double width);
double step_draw_candidates(const StepDraw *d, double x, double y, double width);
double step_draw_curve(const StepDraw *d, double x, double y, double width);
double step_draw_attention(const StepDraw *d, double x, double y, double width);

/* ---- Words and files ---- */

char *step_describe(const RegardSteps *steps, const RegardStepsLook *look, const RegardSpot *spot);
char *step_copy(const RegardSteps *steps, const RegardStepsLook *look, const RegardSpot *spot);
guint step_n_matrices(const RegardSteps *steps, const RegardStepsLook *look);
RegardMatrix *step_matrix(const RegardSteps *steps, const RegardStepsLook *look, guint i);

/* regard-head-measures.h — the numbers of a head on one sentence, and the names that they earn it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formulas and sources: mt/capture.h. Adding a measure or a role is one row of a list in
 * regard-head-measures.c. No GTK here.
 */
#pragma once

#include "figures/regard-effects.h"
#include "figures/regard-head-filter.h"

G_BEGIN_DECLS

typedef struct {
  const char *id;    /* "entropy": in files and filters */
  const char *title; /* translatable: "Entropy" */
  const char *unit;  /* "bit"; "" for shares and what has none */
  const char *what;  /* translatable, a sentence */
  guint kinds;       /* 1 << kind of those that it is defined for */
  gsize offset;      /* of the double in RegardHeadRow */
  gboolean is_asked; /* only where somebody asked for it: effects, a reference */
  guint8 n_decimals;
  gboolean has_sign; /* + is written, too */
} RegardHeadMeasure;
const RegardHeadMeasure *regard_head_measures(guint *n);
/* NULL: there is none with this id. */
const RegardHeadMeasure *regard_head_measure_find(const char *id);
/* All heads of a capture with their numbers. */
typedef struct {
  mt_attention_kind kind;
  guint layer, head; /* from 0 */
  mt_head_metrics metrics;
  double effect;    /* nats: log p of the translation less that without the head; NAN: not asked */
  const char *with; /* how the head was taken out for that: "zero"; NULL: not at all */
  double contrast;  /* what it adds to the difference of two logits; NAN: not asked */
  double moved; /* bits: how far from the reference, mt_capture_divergence; NAN: there is none */
  guint first_layer, first_head; /* of a part of a capture: which of the model's 0 is */
} RegardHeadRow;

/* NAN where it is not defined, or was not asked for. */
double regard_head_measure_get(const RegardHeadMeasure *measure, const RegardHeadRow *row);
/* "+0.31", "1.38"; "" for NAN. Caller frees. */
char *regard_head_measure_format(const RegardHeadMeasure *measure, double value);
/* Whether a column of it has any number: those that are not asked for always have. */
gboolean regard_head_measure_is_there(const RegardHeadMeasure *measure,
                                      const RegardHeadRow *const *rows, guint n);

typedef struct {
  const char *id;   /* "sink" */
  const char *name; /* translatable */
  const char *why;  /* translatable: what its number is */
  guint kinds;
  double threshold; /* given from here on */
  gsize offset;
} RegardHeadRole;
const RegardHeadRole *regard_head_roles(guint *n);
/* Whether a head has earned it; its number, if that is not NULL. */
gboolean regard_head_role_holds(const RegardHeadRole *role, mt_attention_kind kind,
                                const mt_head_metrics *metrics, double *score);

/* ---- All heads of a capture ------------------------------------------------------------------
 */

/* [*n] Encoder, cross, decoder as in the window; linear in the cells of all matrices. Of a
 * difference its B is measured. a and b: what is compared, alike, or NULL. Caller frees. */
RegardHeadRow *regard_head_rows_new(const mt_capture *capture, const mt_capture *a,
                                    const mt_capture *b, guint *n);
/* The effect and the contrast of those heads; effects NULL: there are none. Rows that it does not
 * have get none. */
void regard_head_row_set_effects(RegardHeadRow *row, const RegardEffects *effects);
/* "cross 4.1". Caller frees. */
char *regard_head_row_name(const RegardHeadRow *row);
/* "sink, previous"; "" if it has none. Caller frees. */
char *regard_head_row_roles(const RegardHeadRow *row);

/* The words of a filter for these rows (regard-head-filter.h). */
const RegardHeadWords *regard_head_row_words(void);

/* rows [n] in the order in which they are to stand, computed from the capture; NAN where a measure
 * is not defined for a head. title: e.g. "All heads". */
RegardMatrix *regard_matrix_new_heads(const mt_capture *capture, const RegardHeadRow *const *rows,
                                      guint n, const char *title);

G_END_DECLS

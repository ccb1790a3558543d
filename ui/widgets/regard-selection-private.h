/* regard-selection-private.h — the inside of the selection, for its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "widgets/regard-selection.h"

G_BEGIN_DECLS

struct _RegardSelection {
  GObject parent_instance;

  mt_capture *capture;
  RegardPass *pass;   /* that the capture is of; NULL: no capture */
  RegardSteps *steps; /* of all that, made when it is asked for; NULL: not yet, or there are none */
  int step, preset, peek;
  gboolean wants_steps;
  RegardBatchFunc batch_func;      /* NULL: there is none */
  RegardQualityFunc quality_func;  /* likewise */
  RegardHeadEffects *head_effects; /* NULL: nobody has asked for them yet */
  RegardPass *pair[2];             /* A and B; NULL: nothing is compared */
  gboolean is_pair_coming;
  char *why_no_pair;
  guint n_pair_wanted;
  RegardCorpus *corpus; /* NULL: none is open */
  char *why_no_corpus;
  mt_model *model;
  mt_attention_kind kind;
  guint layer, head;
  RegardCombine combine;
  gboolean merge_words, hide_special, stale, dimmed;
  guint dim_source;
  RegardLabelBy label_by;
  RegardScale scale;
  const RegardColormap *colormap;
  RegardForm form;
  double lines_share;
  guint8 *chosen[MT_N_KINDS]; /* [L * H] of each kind; NULL: none chosen yet */
  guint n_layers[MT_N_KINDS], n_heads[MT_N_KINDS];

  RegardMatrix *matrix;
  RegardCell hover, pin;
  RegardSumAxis sum_axis;
  guint8 *summed; /* [n_summed] of that axis; NULL: nothing is added up */
  char **summed_pieces;
  guint n_summed;
};

enum {
  REGARD_SELECTION_MATRIX_CHANGED,
  REGARD_SELECTION_CHOSEN_CHANGED,
  REGARD_SELECTION_HOVER_CHANGED,
  REGARD_SELECTION_PIN_CHANGED,
  REGARD_SELECTION_STYLE_CHANGED,
  REGARD_SELECTION_REACHED_CHANGED,
  REGARD_SELECTION_PAIR_CHANGED,
  REGARD_SELECTION_PAIR_WANTED,
  REGARD_SELECTION_CORPUS_CHANGED,
  REGARD_SELECTION_SUMMED_CHANGED,
  REGARD_SELECTION_CONSTRAINTS_WANTED, /* from here on they have a value */
  REGARD_SELECTION_CHANGES_WANTED,
  REGARD_SELECTION_N_SIGNALS,
};
extern guint regard_selection_signals[REGARD_SELECTION_N_SIGNALS];

/* The large matrix anew, after what it is made from has changed. */
void regard_selection_rebuild(RegardSelection *self);
/* What is added up, after the large matrix has changed. */
void regard_selection_check_summed(RegardSelection *self);
/* Capture without its pass. */
void regard_selection_take_capture(RegardSelection *self, mt_capture *capture);
void regard_selection_forget_pass(RegardSelection *self);

static const RegardCell REGARD_NO_CELL = {-1, -1};

static inline gboolean
regard_cell_equal(RegardCell a, RegardCell b)
{
  return a.row == b.row && a.col == b.col;
}

/* TRUE if an axis is about the source text; else it is about the decoder's input. */
static inline gboolean
regard_matrix_axis_is_source(const RegardMatrix *matrix, gboolean column)
{
  mt_attention_kind kind = regard_matrix_get_attention(matrix)->spec.kind;

  return kind == MT_ENCODER_SELF || (kind == MT_CROSS && column);
}

G_END_DECLS

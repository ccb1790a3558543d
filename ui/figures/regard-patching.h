/* regard-patching.h — where a word is decided: what comes back with single states of another run,
 * as numbers to be drawn, listed and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* The maps, in the order in which they are drawn and written. */
typedef enum {
  REGARD_PATCHED_ENCODER_STREAM, /* layers by tokens; row 0 is what the first layer reads */
  REGARD_PATCHED_DECODER_STREAM,
  REGARD_PATCHED_ENCODER_HEADS, /* layers by heads */
  REGARD_PATCHED_CROSS_HEADS,
  REGARD_PATCHED_DECODER_HEADS,
  REGARD_N_PATCHED,
} RegardPatched;

typedef struct {
  guint n_rows, n_cols;
  double *recovered; /* [n_rows][n_cols] (m_patched - m_B) / (m_A - m_B); NaN: nothing was lost */
} RegardPatchedMap;

typedef struct {
  /*< private >*/
  RegardSubject subject;
  mt_patching *all; /* what it is made of: log p of every token */
  /*< public, read only >*/
  char *model_name;
  char *interventions;       /* of the changed run, B, a line each; NULL: none */
  char *changes_a;           /* of the reference run, A, likewise */
  char *source_a, *source_b; /* the texts; source_b NULL: the same */
  int token;                 /* the output token that is looked at, from 0; -1: all */
  double a, b;               /* nats: its log p in the reference run and in the changed one */
  RegardPatchedMap maps[REGARD_N_PATCHED];
  guint n_source, n_target;
  char **source_texts; /* [n_source] pieces of the text of B */
  char **target_texts; /* [n_target] of the translation: what each row of the decoder writes */
} RegardPatching;

/* What a patching is of; text_b NULL: that of A. */
typedef struct {
  const mt_model *model;
  const mt_translation *translation; /* A's … */
  gsize hypothesis;                  /* … of which this was given to both */
  const mt_tokens *source_b;         /* NULL: A's */
  const char *text_a, *text_b;
  const mt_interventions *changes_a, *changes_b; /* NULL: none */
} RegardPatchingOf;

/* Keeps a reference of the patching; token -1: all. */
RegardPatching *regard_patching_new(mt_patching *patching, const RegardPatchingOf *of, int token);
/* The same of another token, at once. */
RegardPatching *regard_patching_new_of_token(const RegardPatching *patching, int token);
REGARD_DECLARE_SUBJECT(RegardPatching, regard_patching)

/* FALSE: A and B say the same of what is looked at, and nothing was lost that could come back. */
gboolean regard_patching_has_loss(const RegardPatching *patching);
/* "encoder stream 3 token 5", "cross 4.1", "encoder input token 2": as in a change. Caller frees.
 */
char *regard_patching_place_name(RegardPatched map, guint row, guint col);
/* Five maps with one range that is symmetric about 0. Spots: part is the RegardPatched, row and col
 * those of its map. Files of numbers hold the maps. */
RegardFigure *regard_figure_new_patching(RegardPatching *patching, const RegardFigureStyle *style);

G_END_DECLS

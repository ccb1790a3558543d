/* regard-shown.h — what the large picture of attention shows instead of weights: attributions by
 * one of the engine's methods, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one object that all who show them observe; it belongs to a selection. Nothing is computed
 * unless somebody looks (its work's set_seen), and then in a thread, a moment after nothing has
 * changed any more; the matrix that was there stays until the new one is. Signal "changed": another
 * matrix, another error, or something else was asked for.
 */
#pragma once

#include "runner/regard-work.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-selection.h"

G_BEGIN_DECLS

/* Of what it is said. */
typedef enum {
  REGARD_ABOUT_WORDS,   /* each word of the translation */
  REGARD_ABOUT_WORD,    /* one of them */
  REGARD_ABOUT_ENCODER, /* tokens of the encoder, where the method says it */
  REGARD_N_ABOUTS,
} RegardAbout;

/* Of which part of the model, where the method has a choice. */
typedef enum {
  REGARD_PART_ALL_LAYERS,
  REGARD_PART_LAYER, /* of the selected head, in both stacks */
  REGARD_PART_HEAD,  /* the selected one */
  REGARD_N_MODEL_PARTS,
} RegardModelPart;

#define REGARD_TYPE_SHOWN (regard_shown_get_type())
G_DECLARE_FINAL_TYPE(RegardShown, regard_shown, REGARD, SHOWN, GObject)

/* That of a selection, made when it is asked for first. Borrowed. */
RegardShown *regard_shown_of(RegardSelection *selection);

/* -1: attention itself, and nothing is computed. */
void regard_shown_set_method(RegardShown *self, int method);
int regard_shown_get_method(RegardShown *self);
const mt_attribution_method *regard_shown_get_about_method(RegardShown *self); /* NULL: -1 */
void regard_shown_set_about(RegardShown *self, RegardAbout about);
/* What is shown of what was wished: a method may not have it. */
RegardAbout regard_shown_get_about(RegardShown *self);
gboolean regard_shown_can_be_about(RegardShown *self, RegardAbout about);
void regard_shown_set_part(RegardShown *self, RegardModelPart part);
RegardModelPart regard_shown_get_part(RegardShown *self);
/* The output token of REGARD_ABOUT_WORD; the selection's step is one as well. Clamped. */
void regard_shown_set_word(RegardShown *self, int token);
int regard_shown_get_word(RegardShown *self);
void regard_shown_again(RegardShown *self); /* after it was stopped, which an error says */
/* How far the computation is. Nobody looks until it is told otherwise. Borrowed. */
RegardWork *regard_shown_get_work(RegardShown *self);

/* NULL: none, or not yet. Borrowed. */
RegardMatrix *regard_shown_get_matrix(RegardShown *self);
/* It is of what was there before. */
gboolean regard_shown_is_stale(RegardShown *self);
const char *regard_shown_get_error(RegardShown *self); /* NULL: no error. Borrowed. */
/* What a number is, where it was published, of which part of the model it is, and what does not
 * matter for it. Caller frees. */
char *regard_shown_describe(RegardShown *self);

/* ---- The bar --------------------------------------------------------------------------------- */

/* Chooses what the large picture shows, weights or attributions, and ties their cells to the
 * selection.
 *
 * The menu is a widget of its own, so that it can stand beside the title; while attributions are
 * shown it has company: of what, of which part of the model, how far the computation is, and the
 * cell that is pointed at. The bar itself says what a number is. Signal "changed": another matrix
 * is to be shown, or the menu was used. */

#define REGARD_TYPE_SHOW_BAR (regard_show_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardShowBar, regard_show_bar, REGARD, SHOW_BAR, GtkWidget)

/* The heatmap is where the matrix is shown; the bar does not set it. */
GtkWidget *regard_show_bar_new(RegardHeatmap *heatmap);
GtkWidget *regard_show_bar_get_menu(RegardShowBar *self);
/* Keeps a reference. */
void regard_show_bar_set_selection(RegardShowBar *self, RegardSelection *selection);
/* Attributions are shown, though there may be none yet. */
gboolean regard_show_bar_is_on(RegardShowBar *self);
/* What the picture is to show: attributions, or else the selection's matrix. Borrowed, NULL: none.
 */
RegardMatrix *regard_show_bar_get_matrix(RegardShowBar *self);
gboolean regard_show_bar_is_stale(RegardShowBar *self);
/* For a file: "alti", "norms-4.1-word-3". Caller frees. */
char *regard_show_bar_name(RegardShowBar *self);
/* M and Shift+M: next and previous method; N: the word of the pinned row, or all; B: of which part
 * of the model. */
gboolean regard_show_bar_handle_key(RegardShowBar *self, guint keyval, GdkModifierType state);

G_END_DECLS

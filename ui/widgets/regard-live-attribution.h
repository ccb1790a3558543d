/* regard-live-attribution.h — what the large picture of attention shows instead of weights:
 * attributions by one of the engine's methods, kept up to date.
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
  REGARD_ATTRIBUTION_ALL_LAYERS,
  REGARD_ATTRIBUTION_LAYER, /* of the selected head, in both stacks */
  REGARD_ATTRIBUTION_HEAD,  /* the selected one */
  REGARD_N_ATTRIBUTION_SCOPES,
} RegardAttributionScope;

#define REGARD_TYPE_LIVE_ATTRIBUTION (regard_live_attribution_get_type())
G_DECLARE_FINAL_TYPE(RegardLiveAttribution, regard_live_attribution, REGARD, LIVE_ATTRIBUTION,
                     GObject)

/* That of a selection, made when it is asked for first. Borrowed. */
RegardLiveAttribution *regard_live_attribution_of(RegardSelection *selection);

/* -1: attention itself, and nothing is computed; REGARD_SHOW_BIAS: what relative positions add to
 * the scores of the selected head, which the capture has. */
#define REGARD_SHOW_BIAS -2
void regard_live_attribution_set_method(RegardLiveAttribution *self, int method);
int regard_live_attribution_get_method(RegardLiveAttribution *self);
const mt_attribution_method *
regard_live_attribution_get_about_method(RegardLiveAttribution *self); /* NULL: none of them */
/* Whether what is shown is of a model with such positions. */
gboolean regard_live_attribution_has_bias(RegardLiveAttribution *self);
void regard_live_attribution_set_about(RegardLiveAttribution *self, RegardAbout about);
/* What is shown of what was wished: a method may not have it. */
RegardAbout regard_live_attribution_get_about(RegardLiveAttribution *self);
gboolean regard_live_attribution_can_be_about(RegardLiveAttribution *self, RegardAbout about);
void regard_live_attribution_set_part(RegardLiveAttribution *self, RegardAttributionScope part);
RegardAttributionScope regard_live_attribution_get_part(RegardLiveAttribution *self);
/* The output token of REGARD_ABOUT_WORD; the selection's step is one as well. Clamped. */
void regard_live_attribution_set_word(RegardLiveAttribution *self, int token);
int regard_live_attribution_get_word(RegardLiveAttribution *self);
void regard_live_attribution_again(
    RegardLiveAttribution *self); /* after it was stopped, which an error says */
/* How far the computation is. Nobody looks until it is told otherwise. Borrowed. */
RegardWork *regard_live_attribution_get_work(RegardLiveAttribution *self);

/* NULL: none, or not yet. Borrowed. */
RegardMatrix *regard_live_attribution_get_matrix(RegardLiveAttribution *self);
/* It is of what was there before. */
gboolean regard_live_attribution_is_stale(RegardLiveAttribution *self);
const char *
regard_live_attribution_get_error(RegardLiveAttribution *self); /* NULL: no error. Borrowed. */
/* What a number is, where it was published, of which part of the model it is, and what does not
 * matter for it. Caller frees. */
char *regard_live_attribution_describe(RegardLiveAttribution *self);

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
/* Something else than weights is shown, though there may be nothing yet. */
gboolean regard_show_bar_is_on(RegardShowBar *self);
/* What the picture is to show: attributions, biases, or else the selection's matrix. Borrowed,
 * NULL: none. */
RegardMatrix *regard_show_bar_get_matrix(RegardShowBar *self);
gboolean regard_show_bar_is_stale(RegardShowBar *self);
/* For a file: "alti", "norms-4.1-word-3", "bias-encoder-2.3". Caller frees. */
char *regard_show_bar_name(RegardShowBar *self);
/* M and Shift+M: next and previous method; N: the word of the pinned row, or all; B: of which part
 * of the model. */
gboolean regard_show_bar_handle_key(RegardShowBar *self, guint keyval, GdkModifierType state);

G_END_DECLS

/* regard-selection.h — what is being looked at; the one object all widgets share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Widgets do not know each other: they observe this. It owns the capture, the place (kind, layer,
 * head), how matrices are made and coloured, and the hovered and pinned cell. Setting a value that
 * is already there does nothing; out-of-range values are clamped to the capture.
 *
 * Properties, which are read-only and all notify: "capture" (boxed), "model-name" (the capture's,
 * else the model's), "kind", "layer", "head", "combine", "merge-words", "hide-special", "received",
 * "label-by", "scale", "colormap" (string id), "stale" (a newer text is being translated: draw
 * dimmed). Enumerations are int properties; "layer" and "head" are uint. "dimmed" is "stale" that
 * has lasted long enough to be worth showing: dimming for every keystroke would flicker. "step"
 * (int) is the token of the translation up to which it is looked at, from 0; -1: all of it.
 * "wants-steps": somebody is to be shown what the search considered. "form" (int) and "lines-share"
 * (double): the large picture as a matrix or as lines, and what share of a row is drawn strong
 * then. "simple" (boolean): the large matrix, and with it the window, is for who has not met
 * pieces. Signals: "matrix-changed" (the large matrix is another one), "chosen-changed",
 * "hover-changed", "pin-changed" (cells of the large matrix; -1 = no row / no column),
 * "style-changed" (scale or colours), "reached-changed" (another hypothesis is pointed at),
 * "pair-changed" (what is compared), "corpus-changed", "summed-changed" (tokens, or the numbers of
 * their sum), "pair-wanted" (whether somebody wants that),
 * "constraints-wanted" (pointer: mt_constraints; how somebody wants the translation to go on),
 * "changes-wanted" (pointer: mt_interventions; what is to be changed in the model), "place-wanted"
 * (pointer: mt_capture_place; a head is to be looked at that the capture does not have).
 */
#pragma once

#include "figures/regard-ablation.h"
#include "figures/regard-alignment.h"
#include "figures/regard-colormap.h"
#include "figures/regard-corpus.h"
#include "figures/regard-lines.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-patching.h"
#include "figures/regard-quality.h"
#include "figures/regard-scale.h"
#include "figures/regard-steps.h"
#include "runner/regard-analysis.h"
#include <gio/gio.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SELECTION (regard_selection_get_type())
G_DECLARE_FINAL_TYPE(RegardSelection, regard_selection, REGARD, SELECTION, GObject)

/* Boxed type of a capture: mt_capture_ref / mt_capture_unref. */
#define REGARD_TYPE_CAPTURE (regard_capture_get_type())
GType regard_capture_get_type(void);

RegardSelection *regard_selection_new(void);

/* The capture may be NULL. Hover and pin survive where the same token texts still exist. */
void regard_selection_set_capture(RegardSelection *self, mt_capture *capture);
mt_capture *regard_selection_get_capture(RegardSelection *self);
/* The same with the pass that it is of: a hypothesis of what the model translated, for pages that
 * want to see more of it than attention. References are taken. */
void regard_selection_show(RegardSelection *self, mt_capture *capture, mt_model *model,
                           mt_translation *translation, gsize hypothesis);
/* The same of a pass that there is, with a capture; NULL: none. */
void regard_selection_show_pass(RegardSelection *self, RegardPass *pass);
/* The pass that is looked at now; NULL: there is no capture. Borrowed. Whoever has something
 * computed hands it over: what is looked at when the answer comes may be another one. */
RegardPass *regard_selection_get_pass(RegardSelection *self);
/* The model of that pass; NULL: there is none. Borrowed. */
mt_model *regard_selection_get_pass_model(RegardSelection *self);
/* How that translation was found; NULL: it is not known. Borrowed. */
RegardSteps *regard_selection_get_steps(RegardSelection *self);
/* What each head does for that translation, kept up to date for all who show it. Borrowed. */
typedef struct _RegardHeadAblation RegardHeadAblation;
RegardHeadAblation *regard_selection_get_head_ablation(RegardSelection *self);

/* A and B, alike, where the program compares: two passes over the same words. References are taken;
 * TRUE and borrowed where there are two. */
void regard_selection_set_pair(RegardSelection *self, RegardPass *a, RegardPass *b);
gboolean regard_selection_get_pair(RegardSelection *self, mt_capture **a, mt_capture **b);
gboolean regard_selection_get_pair_passes(RegardSelection *self, RegardPass **a, RegardPass **b);
/* Why there is none: it is being computed, or it cannot be had (why), or nothing is compared. */
void regard_selection_set_no_pair(RegardSelection *self, gboolean is_coming, const char *why);
gboolean regard_selection_is_pair_coming(RegardSelection *self);
const char *regard_selection_get_why_no_pair(RegardSelection *self);
/* Whatever is shown, somebody wants them; each takes back the own wish, and only that. */
void regard_selection_set_wants_pair(RegardSelection *self, gboolean wants);
gboolean regard_selection_get_wants_pair(RegardSelection *self);
/* The output token of A that is looked at: the step that was chosen, or the token whose row is
 * pinned, if what is shown begins like A up to it; -1: none. */
int regard_selection_get_pair_token(RegardSelection *self);
/* Emits "changes-wanted" with the whole list; the program, which has the translation, does it. */
void regard_selection_want_interventions(RegardSelection *self, mt_interventions *interventions);

void regard_selection_set_wants_steps(RegardSelection *self, gboolean wants);
gboolean regard_selection_get_wants_steps(RegardSelection *self);
/* Clamped to the capture's target tokens. */
void regard_selection_set_step(RegardSelection *self, int step);
int regard_selection_get_step(RegardSelection *self);
/* Which one is shown while nobody has chosen one (step is -1): a page that shows one by itself says
 * so while it is there; -1: none, all is shown. Notifies "step". */
void regard_selection_set_preset(RegardSelection *self, int step);
int regard_selection_get_shown_step(RegardSelection *self);
/* While another hypothesis is pointed at: how many tokens it begins with like the translation does;
 * -1: none is. Emits "reached-changed". */
void regard_selection_set_peek(RegardSelection *self, int n);
/* How many tokens of the translation are there, for texts: up to the step while steps are looked at
 * (wants-steps), or, while a hypothesis is pointed at, those that it shares; -1: all. Changes with
 * "step" and "reached-changed". */
int regard_selection_get_reached(RegardSelection *self);
/* How many rows of the large matrix are computed when the token of a step is: -1: all of them,
 * whatever the decoder does, or step is -1. */
int regard_selection_rows_computed(RegardSelection *self, int step);
/* The same of the heads of any kind, as a share of their rows, 0 to 1. */
double regard_selection_share_computed(RegardSelection *self, mt_attention_kind kind, int step);
/* Emits "constraints-wanted"; the program, which has the translation, does it. */
void regard_selection_want_constraints(RegardSelection *self, mt_constraints *constraints);
/* The program's; NULL: there is none. */
void regard_selection_set_batch_func(RegardSelection *self, RegardBatchFunc func);
RegardBatchFunc regard_selection_get_batch_func(RegardSelection *self);
/* The corpus file that is looked at; emits "corpus-changed". NULL: there is none, and why_not is an
 * error that a person wants to know, or NULL. A reference is taken; borrowed. */
void regard_selection_set_corpus(RegardSelection *self, RegardCorpus *corpus, const char *why_not);
RegardCorpus *regard_selection_get_corpus(RegardSelection *self);
const char *regard_selection_get_why_no_corpus(RegardSelection *self);

/* How good the model's translations of a file are: the program measures it. NULL: it does not. */
void regard_selection_set_quality_func(RegardSelection *self, RegardQualityFunc func);
RegardQualityFunc regard_selection_get_quality_func(RegardSelection *self);
/* Likewise, what every head does over a text. */
void regard_selection_set_corpus_func(RegardSelection *self, RegardCorpusFunc func);
RegardCorpusFunc regard_selection_get_corpus_func(RegardSelection *self);
/* The model's whole position tables, for the positions view; borrowed model reference is taken. */
void regard_selection_set_model(RegardSelection *self, mt_model *model);
mt_model *regard_selection_get_model(RegardSelection *self);

/* Layers and heads are those of the model, from 0, also where the capture is a part of it. Emits
 * "place-wanted" for what the capture does not have and the program can compute. */
void regard_selection_set_place(RegardSelection *self, mt_attention_kind kind, guint layer,
                                guint head);
/* What of a kind there is to look at; n_layers 0: nothing. */
typedef struct {
  guint first_layer, n_layers, first_head, n_heads;
} RegardHeadExtent;
RegardHeadExtent regard_selection_get_extent(RegardSelection *self, mt_attention_kind kind);
/* A layer and a head of the model as the capture counts them; FALSE: it does not have them. */
gboolean regard_selection_find_head(RegardSelection *self, mt_attention_kind kind, guint *layer,
                                    guint *head);
/* Of captures that are shown from now on, there is more: whatever this model has, which is not
 * computed until it is asked for, since all at once takes so many bytes. NULL: what a capture has
 * is all. */
void regard_selection_set_rest(RegardSelection *self, const mt_model *model, gsize whole_bytes);
gsize regard_selection_get_whole_bytes(RegardSelection *self); /* 0: there is no rest */
/* So many layers and heads on, as far as there are; FALSE if there is nothing to step in. */
gboolean regard_selection_step(RegardSelection *self, int layers, int heads);
mt_attention_kind regard_selection_get_kind(RegardSelection *self);
guint regard_selection_get_layer(RegardSelection *self);
guint regard_selection_get_head(RegardSelection *self);

/* The chosen set of heads of the current kind (Ctrl+click on thumbnails), as the capture counts
 * them. */
gboolean regard_selection_is_chosen(RegardSelection *self, mt_attention_kind kind, guint layer,
                                    guint head);
/* No head of the current kind is chosen any more. */
void regard_selection_clear_chosen(RegardSelection *self);
void regard_selection_toggle_chosen(RegardSelection *self, mt_attention_kind kind, guint layer,
                                    guint head);

void regard_selection_set_combine(RegardSelection *self, RegardCombine combine);
RegardCombine regard_selection_get_combine(RegardSelection *self);
void regard_selection_set_merge_words(RegardSelection *self, gboolean merge_words);
gboolean regard_selection_get_merge_words(RegardSelection *self);
void regard_selection_set_hide_special(RegardSelection *self, gboolean hide_special);
gboolean regard_selection_get_hide_special(RegardSelection *self);
/* Whether the matrix has what each key receives over all heads of its kind. */
void regard_selection_set_received(RegardSelection *self, gboolean received);
gboolean regard_selection_get_received(RegardSelection *self);
void regard_selection_set_label_by(RegardSelection *self, RegardLabelBy label_by);
RegardLabelBy regard_selection_get_label_by(RegardSelection *self);
void regard_selection_set_scale(RegardSelection *self, RegardScale scale);
RegardScale regard_selection_get_scale(RegardSelection *self);
void regard_selection_set_colormap(RegardSelection *self, const char *id);
const RegardColormap *regard_selection_get_colormap(RegardSelection *self);
/* The large picture as a matrix or as lines; share of a row that its strong lines hold, 0 to 1.
 * Both are style. */
void regard_selection_set_form(RegardSelection *self, RegardForm form);
RegardForm regard_selection_get_form(RegardSelection *self);
void regard_selection_set_lines_share(RegardSelection *self, double share);
double regard_selection_get_lines_share(RegardSelection *self);
void regard_selection_set_stale(RegardSelection *self, gboolean stale);
gboolean regard_selection_get_stale(RegardSelection *self);
gboolean regard_selection_get_dimmed(RegardSelection *self);

/* The large matrix for the present settings; cached; NULL without a capture. Borrowed. */
RegardMatrix *regard_selection_get_matrix(RegardSelection *self);
/* The matrix spec of the present settings for any place (thumbnails). spec->chosen points into
 * self.
 */
void regard_selection_get_spec(RegardSelection *self, RegardMatrixSpec *spec);
/* The same as it was set, whether the window is simple or not: for files. */
void regard_selection_get_full_spec(RegardSelection *self, RegardMatrixSpec *spec);
/* While it is simple the large matrix is of one head, has words and plain labels, and hides
 * nothing. What was set for it otherwise stays set, and is what the functions above return. Hover
 * and pin stay on their words. */
void regard_selection_set_simple(RegardSelection *self, gboolean simple);
gboolean regard_selection_get_simple(RegardSelection *self);
/* Rows and columns are pieces also while it is simple, since somebody counts them. */
void regard_selection_set_by_pieces(RegardSelection *self, gboolean by_pieces);

/* Cells are (row, column) of the large matrix; -1 for "no row" or "no column" (a whole row or
 * column may be hovered or pinned). */
typedef struct {
  int row, col;
} RegardCell;
void regard_selection_set_hover(RegardSelection *self, RegardCell cell);
RegardCell regard_selection_get_hover(RegardSelection *self);
void regard_selection_set_pin(RegardSelection *self, RegardCell cell);
RegardCell regard_selection_get_pin(RegardSelection *self);
/* Neither a hovered nor a pinned cell. */
void regard_selection_let_go(RegardSelection *self);
/* What details are shown for: the hovered cell, else the pinned one. */
RegardCell regard_selection_get_focus(RegardSelection *self);

/* Rows or columns of the large matrix that are added up. They stay with the tokens of a sentence,
 * whichever head is looked at. A whole row, or a whole column, more or less, of one axis: of the
 * other one it begins anew; FALSE: it is neither. */
gboolean regard_selection_toggle_summed(RegardSelection *self, RegardCell cell);
/* chosen [n of the axis], NULL: none. */
void regard_selection_set_summed(RegardSelection *self, RegardSumAxis axis, const guint8 *chosen);
/* Borrowed; NULL: none. */
const guint8 *regard_selection_get_summed(RegardSelection *self, RegardSumAxis *axis, guint *n);
/* NULL: nothing is added up. Caller unrefs. */
RegardMatrix *regard_selection_new_sum(RegardSelection *self);

/* Hover by token from a text: source token (its columns, and rows in encoder self-attention) or
 * target token (its row; output or input as rows are labelled). -1 lets go. */
void regard_selection_hover_source(RegardSelection *self, int token);
void regard_selection_hover_target(RegardSelection *self, int token);
/* Tokens lit by the focus cell, or -1: what the texts should highlight. Target tokens are indices
 * of output tokens. */
int regard_selection_get_lit_source(RegardSelection *self);
int regard_selection_get_lit_target(RegardSelection *self);
/* The same as a question, which knows more: a merged word lights all of its pieces, and in
 * self-attention both the row's and the column's token are lit. */
gboolean regard_selection_is_source_lit(RegardSelection *self, int token);
gboolean regard_selection_is_target_lit(RegardSelection *self, int token);
/* The row and the column (or -1) that stand for a token of a text, as hover_source and hover_target
 * use them; for pinning from a text. */
RegardCell regard_selection_cell_of_source(RegardSelection *self, int token);
RegardCell regard_selection_cell_of_target(RegardSelection *self, int token);

G_END_DECLS

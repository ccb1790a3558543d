/* regard-comparer.h — the document as it is beside a reference: A, B, and B - A.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference is a state that was kept; while the model is changed and none is, it is the same
 * without the changes. Until a comparison is there, what was shown before stays, dimmed. A
 * reference that was read from a file has no answer: it is answered again by its own model, which
 * need not be the one that runs, with a worker of its own.
 *
 * Whether there is anything to compare with depends on the document, too (a file may be shown in
 * its place, the model may be changed): functions that need it are told.
 *
 * Signals:
 *   "compared"                      there is a comparison, or an error says why there cannot be one
 *   "revived" (RegardSnapshot, GError) the reference with its answer, which is to take its place,
 * or NULL and an error
 */
#pragma once

#include "document/regard-snapshot.h"
#include "runner/regard-runner.h"
#include "widgets/regard-selection.h"

G_BEGIN_DECLS

/* ==== A pass of now (B) beside one of a reference (A), over the same words =======================
 *
 * Rows and columns must mean the same, so B is computed for the reference's translation, however
 * the model would go on by itself. Of two sentences with as many tokens, most of them the same,
 * sources are compared place by place. Where the models have other precisions attention is computed
 * in these, and not with the weights as they are stored.
 */

typedef struct {
  RegardPass *passes[2];  /* A and B, over the same words; B was given them */
  mt_capture *difference; /* B - A */
  double logprobs[2];     /* of the reference's translation, natural */
} RegardComparison;

/* ==== The comparer ============================================================================ */

/* Which side is looked at: off is the answer as it is; B is the model as it is now, given the words
 * of the reference, A. Where nothing was kept A is the model without the changes. */
typedef enum {
  REGARD_COMPARE_OFF,
  REGARD_COMPARE_A,
  REGARD_COMPARE_B,
  REGARD_COMPARE_DIFFERENCE,
} RegardCompare;

typedef struct {
  RegardSnapshot *reference; /* NULL: nothing was kept; one that was read has no result at first */
  RegardCompare side;
  RegardComparison *comparison; /* NULL: none, or not yet, … */
  char *error;                  /* … or there cannot be one, and why */
} RegardComparerState;

#define REGARD_TYPE_COMPARER (regard_comparer_get_type())
G_DECLARE_FINAL_TYPE(RegardComparer, regard_comparer, REGARD, COMPARER, GObject)

/* The selection is borrowed: its pair is what is compared. */
RegardComparer *regard_comparer_new(RegardSelection *selection);

/* Borrowed, and the same one always. */
const RegardComparerState *regard_comparer_get_state(RegardComparer *self);
/* A reference is taken. FALSE: it is the one that is there. */
gboolean regard_comparer_set_reference(RegardComparer *self, RegardSnapshot *state);
/* Of a reference that is answered again, as regard_document_set_most_captured. */
void regard_comparer_set_most_captured(RegardComparer *self, gsize bytes);
/* Whether something was kept, with its answer. */
gboolean regard_comparer_has_answer(RegardComparer *self);
/* The reference, which has none, is to be answered, once regard_comparer_continue() says which
 * model runs: with that one if it is the reference's own, in its precision, else with one that is
 * opened for it, with `caches` as in RegardModelLoad. Another reference ends this. */
void regard_comparer_revive(RegardComparer *self);
void regard_comparer_continue(RegardComparer *self, mt_model *model, const char *dir,
                              mt_precision precision, gboolean caches);
gboolean regard_comparer_is_reviving(RegardComparer *self);
void regard_comparer_stop_reviving(RegardComparer *self);

/* FALSE: it is that already. With a new one, regard_comparer_update() must follow. */
gboolean regard_comparer_set_side(RegardComparer *self, RegardCompare side);

/* The result is another one, which may be NULL: it is compared if somebody looks, and if that can
 * be. */
void regard_comparer_update(RegardComparer *self, const RegardResult *result, gboolean can);
/* The same if nothing was compared yet. */
void regard_comparer_begin(RegardComparer *self, const RegardResult *result, gboolean can);
/* Nothing is compared any more. */
void regard_comparer_clear(RegardComparer *self);
/* Into the selection, or nothing yet, as it is on its way. FALSE: nothing is compared. */
gboolean regard_comparer_show(RegardComparer *self);

G_END_DECLS

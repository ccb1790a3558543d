/* mt-self-draft.h — a model guesses its own next tokens in int8, and checks them all in one pass.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step of a greedy search waits for the weights of the decoder: M2M-100 418M reads 1.2 GB for
 * each token. The same weights in int8 are a quarter of that, and mostly choose the same token. So
 * the copy of the model in int8 (model/mt-int8-copy.h) runs ahead by some tokens, a step for each,
 * and one pass of the model itself computes them all, which takes hardly longer than one. This is
 * the speculative decoding of Leviathan et al. ("Fast Inference from Transformers via Speculative
 * Decoding", ICML 2023) with the model itself, quantised, as the draft (self-speculation: Zhang et
 * al., "Draft & Verify", ACL 2024, leave out layers instead). As with the draft of an earlier
 * translation (search/mt-draft.h), which is asked first and is read by the copy before it is
 * believed, what the copy says decides nothing: the result is the same, bit for bit, and so is all
 * attention that is kept.
 *
 * The copy reads the same keys and values of the source, which are not rounded, and has rows of its
 * own in the pool for the tokens. The rules of the search are applied to its logits, and changes of
 * the model to its pass, only so that it guesses better; nobody sees its tensors.
 */
#ifndef MT_SELF_DRAFT_H
#define MT_SELF_DRAFT_H

#include "base/mt-alloc.h"
#include "paper/mt-pass.h"
#include "search/mt-draft.h"
#include "search/mt-search.h"

typedef struct {
  mt_model *model;       /* borrowed; NULL: this search does not guess */
  size_t n_patience;     /* steps of the model without a copy, before one is made */
  mt_kv_sentence kv;     /* of the copy … */
  int32_t *ids;          /* … and which token is at each of its positions */
  size_t n_ahead;        /* tokens that are guessed next */
  size_t n_vain;         /* times in a row that nothing came true */
  size_t n_rest;         /* passes before anything is guessed again */
  size_t first, n_tried; /* of the newest pass: its position, and its guesses */

  size_t n_guessed, n_true; /* of this search, for measuring */
} mt_self_draft;

/* Room for searches of at most max_length steps; nothing is guessed yet. */
void mt_self_draft_lay_out(mt_self_draft *self, size_t max_length, mt_arena *arena);

/* Pages of the pool that such a search takes besides. */
size_t mt_self_draft_pages(size_t max_length);

/* A search begins whose source is `kv`'s; the model is NULL if it does not guess. */
void mt_self_draft_begin(mt_self_draft *self, mt_model *model, size_t n_patience,
                         const mt_kv_sentence *kv);

/* Before a step: put what probably comes next behind the token that draft->pass begins with. `pass`
 * is that of the search, between two steps: its buffers are used. False: cancelled. */
bool mt_self_draft_guess(mt_self_draft *self, const mt_pass *pass, mt_search *search,
                         mt_draft *draft);

/* The search is done. */
void mt_self_draft_end(mt_self_draft *self, const mt_search *search);

#endif

/* permutation.h — what the encoder knows of the order of its tokens. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_ORDER_H
#define MT_PUBLIC_ORDER_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/model.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Attention without positions is a map of sets: if the tokens change places, so do the outputs, and
 * nothing else happens (the paper, section 3.5: "since our model contains no recurrence and no
 * convolution … we must inject some information about the … position of the tokens"). How far the
 * encoder is from that: its outputs [S][d] for a source, and for the same tokens in another order,
 * brought back to the first. */
typedef struct {
  double difference; /* the largest |y - z| of any number of the outputs */
  double largest;    /* the largest |y|, to compare it with */
} mt_permutation_difference;

/* order [S]: which token of the source stands at each place the second time, each once. Of hooks,
 * changes are made in both passes, and should_stop is polled before every layer; all else of them
 * is left aside. Changes of tokens name places, not the tokens that have moved there: with
 * "source position zero" the difference is that of rounding, for every order; without it, it is
 * what positions do. A model's restricted attention, and changes that name queries or keys, depend
 * on places, too.
 * In a session of its own. False: MT_ERROR_INPUT for an order that is none, tokens or changes that
 * do not fit; MT_ERROR_TOO_LONG, MT_ERROR_IO (mt_guard_mapped_files), MT_ERROR_CANCELLED,
 * MT_ERROR_NO_MEMORY.
 */
bool mt_permutation_compare(mt_model *model, const mt_tokens *source, const size_t *order,
                            const mt_hooks *hooks, mt_permutation_difference *result,
                            mt_error *error);
/* What the tokens in the other order are translated to, with the model's own search; its source is
 * theirs, with a text of its own. Hooks as of mt_session_translate_tokens, and errors as of both.
 */
mt_translation *mt_permutation_translate(mt_model *model, const mt_tokens *source,
                                         const size_t *order, const mt_hooks *hooks,
                                         mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

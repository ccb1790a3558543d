/* contributions.h — what each token gave to a state. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CONTRIBUTIONS_H
#define MT_PUBLIC_CONTRIBUTIONS_H

#include <mt/error.h>
#include <mt/stream.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contributions (Ferrando 2022): of the tokens that a sub-layer reads to the state it leaves: with
 * y = LN(x + sum_j T(x_j)), c_ij = max(0, |y_i| - |y_i - T_i(x_j)|), norms L1, shares of their sum.
 * A value has its bias, as in Kobayashi 2020; those of the output projection, of the network's
 * second map and of norms belong to nobody and are left out of T. Where nothing makes the state
 * larger, the shares of its row are all 0. */
typedef struct mt_contributions mt_contributions;
/* The trace has contexts' origins: MT_SITE_WEIGHTS and MT_SITE_VALUE of the layer beside
 * mt_taps_add_stream. For a feed-forward sub-layer: itself and the network.
 * Heads that changes scale or switch off count as they then are. MT_ERROR_INPUT: the trace or the
 * model lacks the sub-layer, or a hook made contexts of something else than weights and values. */
mt_contributions *mt_contributions_new(const mt_model *model, const mt_trace *trace, mt_point point,
                                       mt_error *error);
void mt_contributions_free(mt_contributions *contributions);
/* [rows][keys]: what key j gave to token i, all heads together; self-attention: its own stream
 * counts as part of i = j. data NULL for a feed-forward network. */
mt_matrix mt_contributions_tokens(const mt_contributions *contributions);
/* [rows][1]: what came down the stream of the token itself, in cross-attention and feed-forward
 * networks; and [rows][1] what the network added. data NULL elsewhere. */
mt_matrix mt_contributions_stream(const mt_contributions *contributions);
mt_matrix mt_contributions_network(const mt_contributions *contributions);
/* Share of head h in the edge from j to i: |T^h_i(x_j)| over the sum of it over heads, L1. */
float mt_contributions_head(const mt_contributions *contributions, size_t row, size_t key,
                            size_t head);

#ifdef __cplusplus
}
#endif
#endif

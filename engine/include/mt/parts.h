/* parts.h — a state as the sum of what was added to it, and a score as the sum of pairs of such
 * parts. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With the standard deviation of each layer norm held fixed a norm is linear, and so every state of
 * a pass is exactly the sum of its parts: the token, its position, what each head and each
 * feed-forward network before it added, and biases. (As Kobayashi 2021 and Ferrando 2022 do.)
 */
#ifndef MT_PUBLIC_PARTS_H
#define MT_PUBLIC_PARTS_H

#include <mt/error.h>
#include <mt/stream.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  MT_PART_TOKEN, /* the scaled embedding */
  MT_PART_POSITION,
  MT_PART_HEAD,         /* what a head added, through its columns of W_O */
  MT_PART_FEED_FORWARD, /* what a network added, its biases included */
  MT_PART_BIAS,         /* all others: of output projections, of layer norms; in a score also those
                           of the maps to queries and keys */
} mt_part_type;

typedef struct {
  mt_part_type type;
  mt_attention_kind kind; /* of a head; of a feed-forward network the stack's own */
  int layer, head;        /* from 0; -1: it has none */
} mt_part;

/* The parts of one token's vector. */
typedef struct mt_parts mt_parts;
/* Of the stream at a point. The trace has the taps of mt_taps_add_stream. MT_ERROR_INPUT: it has
 * not, or a token out of range; MT_ERROR_NO_MEMORY. */
mt_parts *mt_parts_of_stream(const mt_model *model, const mt_trace *trace, mt_point point,
                             size_t token, mt_error *error);
/* Of what the maps of an attention sub-layer read: for queries, or for keys (and values). In a
 * pre-norm model that is the stream after the sub-layer's norm; for keys of cross-attention the
 * encoder's output. */
mt_parts *mt_parts_of_query(const mt_model *model, const mt_trace *trace, mt_attention_kind kind,
                            size_t layer, size_t token, mt_error *error);
mt_parts *mt_parts_of_key(const mt_model *model, const mt_trace *trace, mt_attention_kind kind,
                          size_t layer, size_t token, mt_error *error);
void mt_parts_free(mt_parts *parts);
size_t mt_parts_count(const mt_parts *parts);
mt_part mt_parts_get(const mt_parts *parts, size_t i);
const double *mt_parts_vector(const mt_parts *parts, size_t i); /* [d]; borrowed */

/* A pair of parts and what it gives to a score. */
typedef struct {
  mt_part query, key;
  double score; /* (W_Q u_a) . (W_K v_b) / sqrt(d_head) */
} mt_score_part;
typedef struct {
  size_t n;
  mt_score_part *parts; /* the largest by amount first; they add up to the score */
  double score;         /* q . k / sqrt(d_head), their sum */
} mt_score_parts;
/* Why a cell has its score: one query token, one key token. In the first layer of a stack's
 * self-attention there are just token and position on either side (and biases): four pairs beside
 * those. false: error as above. Free with mt_score_parts_clear. */
bool mt_score_explain(const mt_model *model, const mt_trace *trace, mt_attention_kind kind,
                      size_t layer, size_t head, size_t query, size_t key, mt_score_parts *out,
                      mt_error *error);
void mt_score_parts_clear(mt_score_parts *parts);

#ifdef __cplusplus
}
#endif
#endif

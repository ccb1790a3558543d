/* explain.h — what the numbers of a traced pass come from, and what they would say. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_EXPLAIN_H
#define MT_PUBLIC_EXPLAIN_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/matrix.h>
#include <mt/model.h>
#include <mt/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The residual stream --------------------------------------------------------------------- */

/* The residual stream of a trace, point by point.
 *
 * The stream of a stack begins as embedding + position; each sub-layer adds to it (the paper, 3.1).
 * A point is the stream after one of these. */

typedef enum {
  MT_SUB_LAYER_EMBEDDING, /* none yet: layer -1 */
  MT_SUB_LAYER_SELF,
  MT_SUB_LAYER_CROSS, /* of decoders */
  MT_SUB_LAYER_FEED_FORWARD,
} mt_sub_layer_type;

typedef struct {
  mt_stack stack;
  int layer; /* from 0 */
  mt_sub_layer_type sub_layer;
} mt_point;

/* Points of a stack in the order of computation: the embedding, then each sub-layer of each layer.
 */
size_t mt_point_count(const mt_config *config, mt_stack stack);
mt_point mt_point_at(const mt_config *config, mt_stack stack, size_t i);
/* The number of a point in that order; mt_point_count if the model does not have it. */
size_t mt_point_number(const mt_config *config, mt_point point);
/* The attention that a sub-layer is; that of its stack for the others. */
mt_attention_kind mt_point_kind(mt_point point);

/* Add to requests what the functions of this header read of a trace, but for contributions and
 * neurons: of n tokens and L layers some 8 n L values of d. */
void mt_activation_requests_add_stream(mt_activation_requests *requests);

/* Of a trace that was made with these requests, [rows][d], borrowed; data NULL where there is none.
 */
mt_matrix mt_stream_at(const mt_trace *trace, mt_point point);    /* the stream there */
mt_matrix mt_stream_added(const mt_trace *trace, mt_point point); /* what the sub-layer added */
/* The stream that the sub-layer found; data NULL at the embedding, too. */
mt_matrix mt_stream_before(const mt_model *model, const mt_trace *trace, mt_point point);
/* What the sub-layer's norm read: stream + added, in a pre-norm model the stream before. */
mt_matrix mt_stream_norm_input(const mt_trace *trace, mt_point point);

/* One token at one point. Norms are Euclidean. */
typedef struct {
  double norm;       /* of the stream */
  double added_norm; /* of what was added; NAN at the embedding, as is the next */
  double cosine;     /* between what was added and the stream before */
  /* Of what the norm read: sigma = sqrt(variance + epsilon), the variance biased and epsilon the
   * model's; of an RMS norm the mean is 0. NAN where there is no norm. */
  double mean, sigma;
} mt_stream_numbers;
mt_stream_numbers mt_stream_measure(const mt_model *model, const mt_trace *trace, mt_point point,
                                    size_t token);

/* Mean cosine between the streams of each two different tokens at a point: how far they have
 * collapsed into one; NAN for a single token, and without memory. */
double mt_stream_collapse(const mt_trace *trace, mt_point point);

/* ---- States and scores as sums of parts ------------------------------------------------------ */

/* A state as the sum of what was added to it, and a score as the sum of pairs of such
 * parts.
 *
 * With the standard deviation of each layer norm held fixed a norm is linear, and so every state of
 * a pass is exactly the sum of its parts: the token, its position, what each head and each
 * feed-forward network before it added, and biases. (As Kobayashi 2021 and Ferrando 2022 do.) */

typedef enum {
  MT_COMPONENT_TOKEN, /* the scaled embedding */
  MT_COMPONENT_POSITION,
  MT_COMPONENT_HEAD,         /* what a head added, through its columns of W_O */
  MT_COMPONENT_FEED_FORWARD, /* what a network added, its biases included */
  MT_COMPONENT_BIAS,     /* all others: of output projections, of layer norms; in a score also those
                       of the maps to queries and keys */
  MT_COMPONENT_DISTANCE, /* in a score alone, on both sides: what relative positions add to it */
} mt_component_type;

typedef struct {
  mt_component_type type;
  mt_attention_kind kind; /* of a head; of a feed-forward network the stack's own */
  int layer, head;        /* from 0; -1: it has none */
} mt_component;

/* A pair of parts and what it gives to a score. */
typedef struct {
  mt_component query, key;
  double score; /* (W_Q u_a) . (W_K v_b) / sqrt(d_head), or the model's other divisor; or a bias */
} mt_score_part;
typedef struct {
  size_t n;
  mt_score_part *parts; /* the largest by amount first; they add up to the score */
  double score;         /* q . k / sqrt(d_head), or as the model has it, their sum */
} mt_score_parts;
/* Why a cell has its score: one query token, one key token. In the first layer of a stack's
 * self-attention there are just token and position on either side (and biases): four pairs beside
 * those. In models with relative positions what they add is one more part; where changes moved
 * positions, the trace must have MT_HOOK_SCORE_BIAS of the head, else it is that of the distance.
 * false: error as above. Free with mt_score_parts_clear. */
bool mt_score_explain(const mt_model *model, const mt_trace *trace, mt_attention_kind kind,
                      size_t layer, size_t head, size_t query, size_t key, mt_score_parts *out,
                      mt_error *error);
void mt_score_parts_clear(mt_score_parts *parts);

/* ---- Contributions of tokens ----------------------------------------------------------------- */

/* Contributions (Ferrando 2022): of the tokens that a sub-layer reads to the state it leaves: with
 * y = LN(x + sum_j T(x_j)), c_ij = max(0, |y_i| - |y_i - T_i(x_j)|), norms L1, shares of their sum.
 * A value has its bias, as in Kobayashi 2020; those of the output projection, of the network's
 * second map and of norms belong to nobody and are left out of T. Where nothing makes the state
 * larger, the shares of its row are all 0. */
typedef struct {
  /* [rows][keys]: what key j gave to token i, all heads together; self-attention: its own stream
   * counts as part of i = j. data NULL for a feed-forward network. */
  mt_matrix tokens;
  /* [rows][1]: what came down the stream of the token itself, in cross-attention and feed-forward
   * networks; and what the network added. data NULL elsewhere. */
  mt_matrix stream, network;
} mt_contributions;
/* The trace has contexts' origins: MT_HOOK_WEIGHTS and MT_HOOK_VALUE of the layer beside
 * mt_activation_requests_add_stream. For a feed-forward sub-layer: itself and the network.
 * Heads that changes scale or switch off count as they then are. MT_ERROR_INPUT: the trace or the
 * model lacks the sub-layer, or a hook made contexts of something else than weights and values. */
mt_contributions *mt_contributions_new(const mt_model *model, const mt_trace *trace, mt_point point,
                                       mt_error *error);
void mt_contributions_free(mt_contributions *contributions);
/* Share of head h in the edge from j to i: |T^h_i(x_j)| over the sum of it over heads, L1. */
float mt_contributions_head(const mt_contributions *contributions, size_t row, size_t key,
                            size_t head);

/* ---- Layer norms ----------------------------------------------------------------------------- */

/* A layer norm takes the mean and the deviation of the numbers of one token; batch norm (Ioffe &
 * Szegedy 2015) those of one number over the tokens of a batch. Gain and bias are the model's in
 * both. */
typedef struct {
  size_t n_tokens; /* that it is over */
  size_t d;
  double *mean, *sigma; /* [d]; sigma = sqrt(variance + 1e-5) */
} mt_batch_norm;
/* Over all tokens of n traces (mt_activation_requests_add_stream), what the norm of this
 * point reads. MT_ERROR_INPUT: one of them lacks it, or n is 0; MT_ERROR_NO_MEMORY. */
mt_batch_norm *mt_batch_norm_new(const mt_trace *const *traces, size_t n, mt_point point,
                                 mt_error *error);
void mt_batch_norm_free(mt_batch_norm *batch);

/* One token's numbers at one point, [d] each: what the norm reads; and it normalised by itself, and
 * by the batch (batch or by_batch may be NULL). false: the trace lacks it, or there is no norm. */
bool mt_norms_compare(const mt_model *model, const mt_trace *trace, mt_point point, size_t token,
                      const mt_batch_norm *batch, float *read, float *by_layer, float *by_batch);
/* Gain and bias of the point's norm; false: the point has none. */
bool mt_point_norm(const mt_model *model, mt_point point, const float **gain, const float **bias);
/* x [d] becomes what the model's kind of norm makes of it, as the pass computes it. */
void mt_model_norm_row(const mt_model *model, float *x, const float *gain, const float *bias);

/* ---- Neurons --------------------------------------------------------------------------------- */

/* Feed-forward networks, the paper, 3.3. The trace has MT_HOOK_HIDDEN of the layer. */
typedef struct {
  size_t neuron;
  float activation;
} mt_neuron;
/* Share of the neurons with an activation other than 0 (more than 1e-6 in amount), over one token.
 */
double mt_neurons_active(const mt_trace *trace, mt_stack stack, size_t layer, size_t token);
/* The n with the largest amount of activation, largest first. Returns how many there are. */
size_t mt_neurons_strongest(const mt_trace *trace, mt_stack stack, size_t layer, size_t token,
                            size_t n, mt_neuron *out);
/* What a neuron writes, through the output matrix (of an encoder: its embedding): the pieces whose
 * logits it raises most, and lowers most, for an activation of 1. */
typedef struct {
  int32_t piece;
  float logit;
} mt_neuron_piece;
size_t mt_neuron_says(const mt_model *model, mt_stack stack, size_t layer, size_t neuron, size_t n,
                      mt_neuron_piece *raised, mt_neuron_piece *lowered);

/* ---- The logit lens -------------------------------------------------------------------------- */

/* The logit lens (nostalgebraist 2020): softmax(W_out h + bias) of the stream h at every point,
 * after the stack's final layer norm if it has one; in the encoder the rows of the source embedding
 * stand for W_out, without bias. At the decoder's last point that is what the model says. Of pieces
 * with equal logits the one with the smaller number is before the other. */
typedef struct {
  int32_t best;            /* the likeliest piece */
  float probability;       /* of it */
  float entropy;           /* bits */
  float divergence;        /* KL from here to the last point, bits: KL(last || here) */
  int32_t final;           /* the piece that is likeliest at the last point */
  float final_probability; /* of that one here */
  uint32_t final_rank;     /* of that one here; 1: likeliest */
} mt_lens_cell;

typedef struct {
  size_t n_points, n_tokens;
  mt_lens_cell *cells; /* [n_points][n_tokens] */
} mt_lens;
/* All points and tokens of a stack. should_stop(user) is polled; may be NULL. On any thread.
 * MT_ERROR_INPUT: the trace lacks requests, or is of another model; MT_ERROR_CANCELLED;
 * MT_ERROR_NO_MEMORY. */
mt_lens *mt_lens_new(const mt_model *model, const mt_trace *trace, mt_stack stack,
                     bool (*should_stop)(void *user), void *user, mt_error *error);
void mt_lens_free(mt_lens *lens);
const mt_lens_cell *mt_lens_get(const mt_lens *lens, size_t point, size_t token);

/* The n likeliest pieces of one state, best first; probabilities [n] may be NULL. Returns how many
 * there are: 0 if the trace lacks the state, or without memory. */
size_t mt_lens_best(const mt_model *model, const mt_trace *trace, mt_point point, size_t token,
                    size_t n, int32_t *pieces, float *probabilities);

typedef struct {
  int32_t piece;
  float cosine;
} mt_neighbour;
/* The n pieces whose embeddings have the largest cosine to that of a piece: itself left out, and
 * rows that are all 0. Returns how many there are: 0 if there is no such piece, or no memory. */
size_t mt_embedding_nearest(const mt_model *model, mt_stack stack, int32_t piece, size_t n,
                            mt_neighbour *out);

#ifdef __cplusplus
}
#endif
#endif

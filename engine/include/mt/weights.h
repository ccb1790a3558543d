/* weights.h — the weights of a model that explain what it computes. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of them as 32-bit floats, as the checkpoint has them, whatever precision translates. Matrices
 * are borrowed from the model. A linear map keeps its weights as [n_out][n_in]: y = W x + b.
 */
#ifndef MT_PUBLIC_WEIGHTS_H
#define MT_PUBLIC_WEIGHTS_H

#include <mt/matrix.h>
#include <mt/model.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The four maps of a head, the paper 3.2.2. */
typedef enum {
  MT_MAP_QUERY,  /* [d_head][d]: q = W x + b, x what the sub-layer reads */
  MT_MAP_KEY,    /* [d_head][d]; of cross-attention, x is the encoder's output */
  MT_MAP_VALUE,  /* [d_head][d] */
  MT_MAP_OUTPUT, /* [d][d_head]: what this head adds is W context; the bias is of all heads */
  MT_N_MAPS,
} mt_map;
/* Layer and head from 0, which the model must have. */
mt_matrix mt_model_head_map(const mt_model *model, mt_attention_kind kind, size_t layer,
                            size_t head, mt_map map);
/* Of query, key and value [d_head], of the output [d]; NULL: none. */
const float *mt_model_head_bias(const mt_model *model, mt_attention_kind kind, size_t layer,
                                size_t head, mt_map map);

/* The layer norms of a model, the paper 3.1 and 5.4. */
typedef enum {
  MT_NORM_ATTENTION,    /* of an attention sub-layer, named by its kind */
  MT_NORM_FEED_FORWARD, /* of a layer; kind: MT_ENCODER_SELF or MT_DECODER_SELF says which stack */
  MT_NORM_EMBEDDING,    /* of a stack, after its embedding; layer is not looked at */
  MT_NORM_FINAL,        /* of a stack, at its end; neither is it here */
} mt_norm_place;
/* gain and bias [d]: y = gain (x - mean) / sqrt(variance + 1e-5) + bias. False: the model does not
 * have this one. */
bool mt_model_norm(const mt_model *model, mt_norm_place place, mt_attention_kind kind, size_t layer,
                   const float **gain, const float **bias);

/* The two maps of a layer's feed-forward network, the paper 3.3. */
typedef enum {
  MT_MAP_HIDDEN, /* [d_ffn][d]: hidden = f(W x + b) */
  MT_MAP_BACK,   /* [d][d_ffn]: a neuron's column is what it writes to the stream */
} mt_feed_forward_map;
/* bias [rows] or NULL. */
mt_matrix mt_model_feed_forward_map(const mt_model *model, mt_stack stack, size_t layer,
                                    mt_feed_forward_map map, const float **bias);

/* [vocab_size][d]: a row for each piece, before it is scaled by mt_config's scale_embedding. */
mt_matrix mt_model_embedding(const mt_model *model, mt_stack stack);
/* [target vocabulary][d]: logits = W x + b of the decoder's output; bias [target vocabulary] or
 * NULL. */
mt_matrix mt_model_output_map(const mt_model *model, const float **bias);

#ifdef __cplusplus
}
#endif
#endif

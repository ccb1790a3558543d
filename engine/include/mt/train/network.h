/* network.h — the network that is trained, and its health. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_NETWORK_H
#define MT_PUBLIC_TRAIN_NETWORK_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Networks -------------------------------------------------------------------------------- */

/* How parameters begin, and how a sub-layer f is added to the residual stream x of a post-norm
 * layer. */
typedef enum {
  MT_INIT_XAVIER,   /* LN(x + f(x)); Glorot and Bengio 2010, normal distribution */
  MT_INIT_DEEPNORM, /* LN(a x + f(x)) with smaller beginnings: Wang et al. 2022, table 2 */
} mt_init;

/* What the large products are made of: floats, or numbers rounded to bf16 (8 bits of precision),
 * with sums in floats. */
typedef enum { MT_PRODUCTS_F32, MT_PRODUCTS_BF16 } mt_products_of;

typedef struct {
  size_t d_model;
  size_t n_layers[MT_N_STACKS];
  size_t n_heads; /* divides d_model */
  size_t d_ffn;
  size_t vocab_size;
  size_t max_positions; /* tokens of the longest sentence */
  mt_activation activation;
  bool normalize_before;  /* pre-norm, with a norm at the end of each stack */
  bool untied_output;     /* the output layer has a matrix of its own, lm_head */
  bool learned_positions; /* a table each for encoder and decoder, else sinusoidal (halves) */
  size_t
      attention_window; /* self-attention sees |query - key| <= r, the paper, section 4; 0: all */
  double dropout;       /* of embeddings + positions, and of what each sub-layer adds; 5.4 */
  double activation_dropout; /* inside the feed-forward network, after the activation */
  double label_smoothing;    /* epsilon of the paper, section 5.4 */
  /* alpha of R-Drop, Liang et al. 2021: two passes with different dropout are to say the same.
   * Batches to train on then have each sentence twice (mt-sampler.h). 0: no R-Drop. */
  double r_drop;
  /* The embedding of <pad>, with which the decoder starts, is 0 and stays 0, as in every model that
   * Marian trained: what reads such models (CTranslate2 among them) starts with zeros whatever the
   * file has. Row pad_id of the table; of the output layer's own matrix it is trained, as the
   * others. */
  bool zero_pad;
  int32_t pad_id;
  mt_init init;
  mt_products_of products;
} mt_network_config;

#define MT_NETWORK_MAX_LAYERS 64

/* The bundled model's shape: d 256, 6 + 6 layers, 8 heads, d_ffn 1024, ReLU, post-norm, DeepNorm,
 * dropout and label smoothing 0.1, 512 positions; vocab_size is 0 and must be set. */
mt_network_config mt_network_config_default(void);

/* The shape of a model that was opened; dropout, smoothing, window and init as in the default (init
 * MT_INIT_XAVIER if pre-norm), zero_pad false. MT_ERROR_UNSUPPORTED, naming the model, for what is
 * not trained here: separate embeddings, a norm after the embedding, heads or widths that differ
 * between the stacks, positions that alternate sine and cosine, unscaled embeddings. */
bool mt_network_config_of_model(mt_network_config *config, const mt_model *model, mt_error *error);

/* What multiplies bf16 here: "AMX", "AVX512-BF16", "avx2", …. *is_emulated: the processor has no
 * instruction for it, and the products take longer than those of floats. The string is static. */
const char *mt_products_bf16_name(bool *is_emulated);

/* ---- Health ---------------------------------------------------------------------------------- */

/* Means over some sentences: has the encoder collapsed, does cross-attention look anywhere. */
typedef struct {
  double cosine[MT_NETWORK_MAX_LAYERS + 1]; /* 1: all positions have become the same */
  double sharpness;                         /* of the best cross-attention head, in 0..1 */
  double uniform;                           /* what a head that looks nowhere has */
  size_t layer, head;                       /* of the best one, from 0 */
} mt_health_summary;

#ifdef __cplusplus
}
#endif
#endif

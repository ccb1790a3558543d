/* mt-names.c — what a checkpoint calls the tensors of a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-names.h"

/* ---- Hugging Face's MarianMTModel ------------------------------------------------------------ */

#define TORCH(name)                  \
  {                                  \
    (name ".weight"), (name ".bias") \
  }

const mt_names mt_names_hugging_face = {
    .layers = {"model.encoder.layers.", "model.decoder.layers."},
    .first_layer = 0,
    .after_number = ".",
    .places =
        {
            [MT_TENSOR_SELF_Q] = TORCH("self_attn.q_proj"),
            [MT_TENSOR_SELF_K] = TORCH("self_attn.k_proj"),
            [MT_TENSOR_SELF_V] = TORCH("self_attn.v_proj"),
            [MT_TENSOR_SELF_OUT] = TORCH("self_attn.out_proj"),
            [MT_TENSOR_SELF_NORM] = TORCH("self_attn_layer_norm"),
            [MT_TENSOR_CROSS_Q] = TORCH("encoder_attn.q_proj"),
            [MT_TENSOR_CROSS_K] = TORCH("encoder_attn.k_proj"),
            [MT_TENSOR_CROSS_V] = TORCH("encoder_attn.v_proj"),
            [MT_TENSOR_CROSS_OUT] = TORCH("encoder_attn.out_proj"),
            [MT_TENSOR_CROSS_NORM] = TORCH("encoder_attn_layer_norm"),
            [MT_TENSOR_FC1] = TORCH("fc1"),
            [MT_TENSOR_FC2] = TORCH("fc2"),
            [MT_TENSOR_FFN_NORM] = TORCH("final_layer_norm"),
        },
    .stacks = {"model.encoder.", "model.decoder."},
    .embedding_norm = TORCH("layernorm_embedding"),
    .final_norm = TORCH("layer_norm"),
    .shared = "model.shared.weight",
    .embeddings = {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"},
    .positions = {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"},
    .output = "lm_head.weight",
    .output_bias = "final_logits_bias",
    .shape_from = "config.json",
    .ties = "tie_word_embeddings true",
    .no_tie = "tie_word_embeddings false",
    .has_spare_shared = true,
};

/* ---- Marian ---------------------------------------------------------------------------------- */

/* As graph_->param is called in marian-dev's src/models/transformer.h and src/layers. `pre` is what
 * layerNorm appends in a pre-processing step; the norm after the embedding is always one. */
#define MARIAN_NORM(name, pre)                    \
  {                                               \
    (name "_ln_scale" pre), (name "_ln_bias" pre) \
  }
#define MARIAN(pre)                                                                   \
  {                                                                                   \
    .layers = {"encoder_l", "decoder_l"}, .first_layer = 1, .after_number = "_",      \
    .places =                                                                         \
        {                                                                             \
            [MT_TENSOR_SELF_Q] = {"self_Wq", "self_bq"},                              \
            [MT_TENSOR_SELF_K] = {"self_Wk", "self_bk"},                              \
            [MT_TENSOR_SELF_V] = {"self_Wv", "self_bv"},                              \
            [MT_TENSOR_SELF_OUT] = {"self_Wo", "self_bo"},                            \
            [MT_TENSOR_SELF_NORM] = MARIAN_NORM("self_Wo", pre),                      \
            [MT_TENSOR_CROSS_Q] = {"context_Wq", "context_bq"},                       \
            [MT_TENSOR_CROSS_K] = {"context_Wk", "context_bk"},                       \
            [MT_TENSOR_CROSS_V] = {"context_Wv", "context_bv"},                       \
            [MT_TENSOR_CROSS_OUT] = {"context_Wo", "context_bo"},                     \
            [MT_TENSOR_CROSS_NORM] = MARIAN_NORM("context_Wo", pre),                  \
            [MT_TENSOR_FC1] = {"ffn_W1", "ffn_b1"},                                   \
            [MT_TENSOR_FC2] = {"ffn_W2", "ffn_b2"},                                   \
            [MT_TENSOR_FFN_NORM] = MARIAN_NORM("ffn_ffn", pre),                       \
        },                                                                            \
    .stacks = {"encoder_", "decoder_"}, .embedding_norm = MARIAN_NORM("emb", "_pre"), \
    .final_norm = MARIAN_NORM("top", ""), .shared = "Wemb",                           \
    .embeddings = {"encoder_Wemb", "decoder_Wemb"}, .positions = {"Wpos", "Wpos"},    \
    .output = "decoder_ff_logit_out_Wt", .output_in_out = "decoder_ff_logit_out_W",   \
    .output_bias = "decoder_ff_logit_out_b", .shape_from = "special:model.yml",       \
    .ties = "tied-embeddings", .no_tie = "no tied-embeddings", .in_out = true,        \
    .row_vectors = true, .without_pad = true,                                         \
  }

const mt_names mt_names_marian_post_norm = MARIAN("");
const mt_names mt_names_marian_pre_norm = MARIAN("_pre");

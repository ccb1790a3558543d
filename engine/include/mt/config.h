/* config.h — what a model says of itself: sizes, conventions, defaults. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CONFIG_H
#define MT_PUBLIC_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { MT_ACTIVATION_RELU, MT_ACTIVATION_SILU, MT_ACTIVATION_GELU } mt_activation;

typedef enum {
  MT_POSITIONS_SINUSOIDAL_HALVES,      /* Marian: sines in the first d/2 columns, then cosines */
  MT_POSITIONS_SINUSOIDAL_INTERLEAVED, /* the paper, section 3.5: sine and cosine alternate */
  MT_POSITIONS_LEARNED,                /* a table in the checkpoint */
} mt_position_kind;

typedef enum { MT_STACK_ENCODER, MT_STACK_DECODER } mt_stack;
#define MT_N_STACKS 2

typedef enum { MT_ENCODER_SELF, MT_DECODER_SELF, MT_CROSS } mt_attention_kind;
#define MT_N_KINDS 3

/* Where generation stops with more than one beam (Hugging Face `early_stopping`). */
typedef enum {
  MT_EARLY_STOPPING_FALSE, /* heuristic: stop when no running beam can beat the worst finished */
  MT_EARLY_STOPPING_TRUE,  /* stop as soon as `beam_size` hypotheses are finished */
  MT_EARLY_STOPPING_NEVER, /* only when the best attainable score of a running beam is worse */
} mt_early_stopping;

/* What config.json and generation_config.json say. Read-only for callers. */
typedef struct {
  size_t d_model;
  size_t n_layers[MT_N_STACKS];
  size_t n_heads[MT_N_STACKS];
  size_t d_ffn[MT_N_STACKS];
  size_t vocab_size[MT_N_STACKS]; /* source and target */
  size_t max_positions;
  /* Self-attention sees keys at most so far from the query, the paper, section 4 ("restricted"); 0:
   * all. Regard's own key in config.json, which other programs do not know. */
  size_t attention_window;
  mt_activation activation;
  mt_position_kind position_kind;
  bool scale_embedding;     /* multiply embeddings by sqrt(d_model), the paper, section 3.4 */
  bool normalize_before;    /* pre-norm instead of the paper's post-norm */
  bool normalize_embedding; /* layer norm after embedding + position */
  bool add_final_layer_norm;
  bool share_embeddings;    /* one table for source and target */
  bool tie_word_embeddings; /* output matrix is the target embedding */
  int32_t pad_id, eos_id, bos_id, unk_id, decoder_start_id;
  int32_t forced_eos_id; /* -1: none */
  int32_t forced_bos_id; /* -1: none */
  /* Defaults for generation. */
  size_t num_beams, max_length, min_length;
  float length_penalty;
  mt_early_stopping early_stopping;
  size_t n_bad_words;
  const int32_t *const *bad_words;       /* n_bad_words sequences of ids never to be generated */
  const size_t *bad_word_lengths;        /* [n_bad_words] */
  const char *source_lang, *target_lang; /* from tokenizer_config.json; "" if not said */
} mt_config;

#ifdef __cplusplus
}
#endif
#endif

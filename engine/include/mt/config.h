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

/* What stands between the two maps of a feed-forward network. */
typedef enum { MT_ACTIVATION_RELU, MT_ACTIVATION_SILU, MT_ACTIVATION_GELU } mt_activation;
#define MT_N_ACTIVATIONS 3

typedef enum {
  MT_NORM_LAYER, /* the paper, section 3.1: gain (x - mean) / sqrt(variance + 1e-5) + bias */
} mt_norm_kind;
#define MT_N_NORM_KINDS 1

typedef enum {
  MT_FEED_FORWARD_PLAIN, /* the paper, equation 2: f(x W1 + b1) W2 + b2 */
} mt_feed_forward_kind;
#define MT_N_FEED_FORWARD_KINDS 1

typedef enum {
  MT_POSITIONS_SINUSOIDAL_HALVES,      /* Marian: sines in the first d/2 columns, then cosines */
  MT_POSITIONS_SINUSOIDAL_INTERLEAVED, /* the paper, section 3.5: sine and cosine alternate */
  MT_POSITIONS_LEARNED,                /* a table in the checkpoint */
} mt_position_kind;
#define MT_N_POSITION_KINDS 3

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

/* A list of token ids. */
typedef struct {
  const int32_t *ids;
  size_t n;
} mt_id_list;

/* What is added to the score of the last id of a sequence where the ones before it stand. */
typedef struct {
  mt_id_list sequence;
  float bias;
} mt_sequence_bias;

/* How to search, beyond what stands in mt_config itself: the other keys that `generate` of
 * transformers reads. {0}: nothing is asked for. Penalties of 0 are none, as those of 1. */
typedef struct {
  bool renormalize_logits; /* probabilities are made anew from what the rules leave */
  float repetition_penalty, encoder_repetition_penalty;
  size_t no_repeat_ngram_size, encoder_no_repeat_ngram_size; /* 0: none */
  size_t max_new_tokens, min_new_tokens; /* 0: not said; else they win over the lengths */
  mt_id_list more_eos_ids;               /* that end a translation as eos_id does */
  mt_id_list more_forced_eos_ids;        /* besides forced_eos_id */
  mt_id_list suppressed;                 /* never to be generated */
  mt_id_list begin_suppressed;           /* nor as the first token */
  const mt_sequence_bias *biases;        /* [n_biases] */
  size_t n_biases;
  size_t decay_start;               /* tokens, from which on ... */
  float decay_factor;               /* ... an end becomes likelier with every one; 0: it does not */
  const int32_t *forced_ids;        /* [n_forced_ids] by position, 0 is the start token; -1: none */
  size_t n_forced_ids, last_forced; /* the last position of the list */
  /* Words that have a row in the tables and no probability: <pad> of a Marian archive, which has
   * no such word, and, where probabilities are made anew, what is never to be generated. */
  mt_id_list left_out;
  bool left_out_exist;      /* they are words, and penalties are made to scores that know them */
  const char *not_honoured; /* "do_sample, top_k": keys that ask for something else; or NULL */
} mt_generation;

/* What config.json and generation_config.json say. Read-only for callers. */
typedef struct {
  size_t d_model;
  size_t n_layers[MT_N_STACKS];
  size_t n_heads[MT_N_STACKS];
  size_t d_head[MT_N_STACKS];        /* columns of a head: d_model / n_heads */
  double score_divisor[MT_N_STACKS]; /* of q·k: sqrt(d_head), the paper, equation 1 */
  size_t d_ffn[MT_N_STACKS];
  size_t vocab_size[MT_N_STACKS]; /* source and target */
  size_t max_positions;
  /* Self-attention sees keys at most so far from the query, the paper, section 4 ("restricted"); 0:
   * all. Regard's own key in config.json, which other programs do not know. */
  size_t attention_window;
  mt_norm_kind norm_kind;
  mt_feed_forward_kind feed_forward_kind;
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
  const int32_t *const *bad_words; /* n_bad_words sequences of ids never to be generated */
  const size_t *bad_word_lengths;  /* [n_bad_words] */
  mt_generation generation;
  const char *source_lang, *target_lang; /* from tokenizer_config.json; "" if not said */
} mt_config;

#ifdef __cplusplus
}
#endif
#endif

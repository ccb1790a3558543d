/* mt-model.h — the weights as the layers see them. Private to the engine.
 *
 * All pointers are borrowed from the model's storage (the mapped file where no conversion was
 * needed), and aligned for floats, not for vectors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_MODEL_H
#define MT_MODEL_H

#include "files/mt-file.h"
#include "kernels/mt-halves.h"
#include "mt.h"

#include <string.h>

typedef struct {
  const float *gain; /* [d]; NULL: this norm does not exist */
  const float *bias; /* [d]; NULL: it has none, as RMS norms */
} mt_norm_weights;

/* Multi-head attention, the paper 3.2.2; head h owns rows h*d_head … of q, k and v, which have
 * inner = n_heads*d_head rows, mostly d. */
typedef struct {
  mt_linear q, k, v; /* each [inner][d] */
  mt_linear out;     /* [d][inner] */
} mt_attention_weights;

typedef struct {
  mt_linear fc1;  /* [d_ffn][d] */
  mt_linear fc2;  /* [d][d_ffn] */
  mt_linear gate; /* [d_ffn][d] of a gated network; weight NULL in others */
} mt_ffn_weights;

/* One layer; encoder layers leave cross and cross_norm empty. */
typedef struct {
  mt_attention_weights self;
  mt_norm_weights self_norm;
  mt_attention_weights cross;
  mt_norm_weights cross_norm;
  mt_ffn_weights ffn;
  mt_norm_weights ffn_norm;
  /* [n_buckets][n_heads] of self-attention, in models with relative positions; unless each layer
   * has its own (bias_each_layer), that of the first one in all of them. Else NULL. */
  const float *relative;
  /* The same unrolled by distance (model/mt-relative.h), with N of max_positions: what a key gets
   * that stands d behind its query is row, or column, N - 1 + d. */
  const float *by_distance; /* [2N - 1][n_heads] */
  const float *by_head;     /* [n_heads][2N - 1] */
} mt_layer_weights;

/* The attention of a layer that is of a kind, and its norm. */
static inline const mt_attention_weights *
mt_layer_attention(const mt_layer_weights *layer, mt_attention_kind kind)
{
  return kind == MT_CROSS ? &layer->cross : &layer->self;
}

static inline const mt_norm_weights *
mt_layer_attention_norm(const mt_layer_weights *layer, mt_attention_kind kind)
{
  return kind == MT_CROSS ? &layer->cross_norm : &layer->self_norm;
}

typedef struct {
  const float *embedding;         /* [vocab_size][d]; the numbers are there if … */
  mt_halves *embedding_halves;    /* … this is NULL, else mt_halves_floats puts them there */
  const float *positions;         /* [max_positions][d]; NULL where positions are relative */
  mt_norm_weights embedding_norm; /* if normalize_embedding */
  mt_norm_weights final_norm;     /* if add_final_layer_norm (pre-norm models) */
  mt_layer_weights *layers;       /* [n_layers] */
} mt_stack_weights;

/* The table of embeddings, [vocab_size][d]. */
static inline const float *
mt_embedding_floats(const mt_stack_weights *stack)
{
  return stack->embedding_halves ? mt_halves_floats(stack->embedding_halves) : stack->embedding;
}

/* n numbers of an embedding from `first` on, into out: rows of the table. */
static inline void
mt_embedding_read(const mt_stack_weights *stack, size_t first, size_t n, float *out)
{
  if (stack->embedding_halves)
    mt_halves_read(stack->embedding_halves, first, n, out);
  else
    memcpy(out, stack->embedding + first, n * sizeof *out);
}

/* Whose rows are the queries of a kind. */
static inline mt_stack
mt_kind_stack(mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
}

/* As which kind the tensors of a stack are known that are of no attention, and its self-attention.
 */
static inline mt_attention_kind
mt_stack_kind(mt_stack stack)
{
  return stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
}

typedef struct mt_tokenizer mt_tokenizer;

/* What the weights of a model point into. */
typedef struct {
  struct mt_container *container; /* the mapped files */
  float *converted;               /* the copies of tensors that could not be used as they are */
  mt_halves *halves;              /* [n_halves] matrices of 16 bits that are used as they are */
  size_t n_halves;
  void *reserved; /* room for their other forms, if they are asked for */
  size_t n_reserved;
  char *narrow;     /* matrices that were rounded */
  mt_mapping cache; /* or that are in a file */
  float *positions; /* the sinusoidal table, [max_positions][d]; else NULL */
  float *relative;  /* biases by distance; NULL: positions are not relative */
} mt_storage;

/* The model once more with what steps read in int8, made when it pays (mt-int8-copy.h). {0}: there
 * is none yet. */
typedef struct {
  _Atomic(int) state;
  _Atomic(size_t) n_steps; /* of greedy searches so far */
  struct mt_int8_copy *copy;
} mt_int8_later;

struct mt_model {
  int ref_count;
  uint64_t number; /* no other model of this process has it; not 0 */
  char *directory;
  char *name;
  mt_config config;
  mt_stack_weights stacks[MT_N_STACKS];
  mt_linear output; /* [target vocab][d]; bias: final_logits_bias or NULL */
  mt_tokenizer *tokenizer;
  mt_storage *storage;
  mt_precision precision;
  mt_cache_state cache_state;
  char *why_no_cache; /* if it is MT_CACHE_FAILED */
  size_t n_parameters;
  size_t file_bytes;
  mt_tensor_info *tensors;
  size_t n_tensors;
  mt_fault_log faults; /* of the mapped files */
  size_t spare_memory; /* bytes that copies which make it faster may still take */
  mt_int8_later int8_later;
};

/* A fingerprint as files have it, 16 hexadecimal digits. False: it is none. */
bool mt_fingerprint_parse(const char *digits, uint64_t *fingerprint);

/* False, with MT_ERROR_IO, if one of its files was cut off since it was opened: what is computed
 * with the weights is then worth nothing. Cheap. */
bool mt_model_check_files(const mt_model *model, mt_error *error);

#endif

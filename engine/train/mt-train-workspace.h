/* mt-train-workspace.h — everything between input and loss: what forward leaves for backward, and
 * room for gradients on their way. Private to the passes.
 *
 * Every sub-layer of the paper has the same form: a map into it, something in the middle (attention
 * or an activation), a map out of it, "add & norm". Add & norm number t stands before sub-layer t;
 * the last one, number n_sub_layers, after all of them:
 *
 *     post-norm   number t > 0 adds sub-layer t - 1 and has its norm; number 0 has none
 *     pre-norm    number t adds sub-layer t - 1 (if t > 0) and has the norm of sub-layer t, or the
 *                 stack's final norm
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TRAIN_WORKSPACE_H
#define MT_TRAIN_WORKSPACE_H

#include "train/mt-network-layout.h"
#include "train/mt-product.h"
#include "train/mt-train-pass.h"

/* Rows are divided into so many parts whatever the number of threads, so that sums over them come
 * out the same. */
#define MT_TRAIN_PARTS 16

/* Rows of logits that exist at a time. */
#define MT_OUTPUT_ROWS 384

/* Columns of a head. */
static inline size_t
mt_network_d_head(const mt_network_config *config)
{
  return config->d_model / config->n_heads;
}

typedef enum { MT_SUB_SELF, MT_SUB_CROSS, MT_SUB_FFN } mt_sub_layer_kind;

typedef struct {
  mt_sub_layer_kind kind;
  bool is_first; /* of its layer */
  size_t layer;
  mt_linear_at in, kv, out; /* kv: of cross-attention, from the encoder's output */
  mt_norm_at norm;
  /* What the map in gave: [R][3d] queries, keys and values, [R][d] queries, or [R][d_ffn]. */
  mt_real *inside;
  mt_real *kv_rows; /* [S][2d], cross-attention */
  mt_real *log_sum; /* [H][R], attention */
  /* What goes into the map out: [R][d] contexts, or [R][d_ffn]; with ReLU the same as inside. */
  mt_real *middle;
} mt_sub_layer;

/* What add & norm leaves. */
typedef struct {
  mt_norm_at norm;
  bool has_norm;
  mt_real *normed;  /* [R][d] */
  mt_real *inverse; /* [R] */
  mt_real *y;       /* [R][d]: what the next sub-layer reads */
} mt_add_norm_rows;

typedef struct {
  size_t n_sub_layers;
  mt_sub_layer *sub_layers;    /* [n_sub_layers] */
  mt_add_norm_rows *add_norms; /* [n_sub_layers + 1] */
  double residual_factor;      /* 1 / a of DeepNorm */
  mt_real *stream;             /* [R][d], pre-norm: the residual stream */
  uint32_t *positions;         /* [R] */
  /* Of the batch. */
  size_t rows;
  const uint32_t *begin;
  const int32_t *ids;
} mt_train_stack;

struct mt_workspace {
  const mt_operators *operators;
  mt_pool *pool;
  mt_products products;
  mt_train_stack stacks[MT_N_STACKS];
  mt_real *sinusoids; /* [max_positions][d], unless positions are learned */

  void *arena; /* all that depends on the batch */
  size_t arena_bytes;
  size_t max_rows[MT_N_STACKS], max_length; /* that there is room for */

  /* Gradients on their way; rows of the longer stack. */
  mt_real *d_y;      /* [R][d] */
  mt_real *d_stream; /* [R][d], pre-norm; else d_y */
  mt_real *d_f;      /* [R][d] */
  mt_real *d_middle; /* [R][d]: contexts */
  mt_real *d_inside; /* [R][max(3d, d_ffn)] */
  mt_real *d_kv;     /* [S][2d] */
  mt_real *d_memory; /* [S][d]: of the encoder's output */
  mt_real *sums;     /* [MT_TRAIN_PARTS][max(3d, d_ffn)] */
  mt_real *scratch;  /* [MT_TRAIN_PARTS][scratch_size], attention */
  size_t scratch_size;
  mt_real *logits; /* [MT_OUTPUT_ROWS][V] */
  mt_real *panels; /* of a factor; or of the embedding, for the output layer: [d][V], then [V][d] */
  double *row_loss, *row_nll; /* [T] */
  mt_real *largest;           /* [H][T] */
  double *unit_sum;           /* [d], health */
};

/* Lay the workspace out for a batch of so many rows, if it does not fit; false: no memory. */
bool mt_workspace_reserve(mt_workspace *workspace, const mt_network_config *config,
                          const size_t rows[MT_N_STACKS], size_t longest);

/* ---- The pass, as its files see it ------------------------------------------------------------
 */

typedef struct {
  mt_network *network; /* gradients are touched by backward only */
  mt_workspace *workspace;
  const mt_train_batch *batch;
  uint64_t seed, step;
  bool is_training; /* dropout, and a backward pass afterwards */
  mt_health *health;
} mt_train_pass;

/* Where dropout is: site numbers of one pass. */
mt_dropout mt_train_dropout(const mt_train_pass *pass, double p, mt_stack stack, size_t add_norm,
                            bool inside);

void mt_sub_layer_forward(const mt_train_pass *pass, mt_stack stack, size_t t);
/* workspace->d_f has the gradient of what sub-layer t gave, without its bias's share. Adds to d_y
 * (post-norm) or writes it (pre-norm), adds to d_memory. */
void mt_sub_layer_backward(const mt_train_pass *pass, mt_stack stack, size_t t);

/* Embedding to the last norm; add_norms[n_sub_layers].y is the result. */
void mt_stack_forward(const mt_train_pass *pass, mt_stack stack);
/* d_y has the gradient of the result. on_gradient as in mt_pass_options. */
void mt_stack_backward(const mt_train_pass *pass, mt_stack stack, const mt_pass_options *options);

/* Softmax and loss of all target rows; the gradient of the decoder's result to d_y, those of the
 * embedding and the bias are added to. */
void mt_output_pass(const mt_train_pass *pass, mt_loss *loss);

/* After the encoder: cosines of add & norm t of its results, `index` as in mt_health.cosine. */
void mt_health_add_cosines(const mt_train_pass *pass, const mt_real *x, size_t index);
/* After a cross-attention, from workspace->largest. */
void mt_health_add_weights(const mt_train_pass *pass, size_t layer);
bool mt_health_reserve(mt_health *health, const mt_network_config *config);

/* part(user, part number, begin, end) for MT_TRAIN_PARTS parts of `count` things. */
void mt_train_divide(mt_pool *pool, size_t count,
                     void (*part)(void *user, size_t i, size_t begin, size_t end), void *user);

#endif

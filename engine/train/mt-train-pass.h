/* mt-train-pass.h — one batch forward and backward through the network.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sentences stand one behind the other without padding: a linear layer, a norm or a softmax over
 * the vocabulary knows nothing but rows. Only attention asks which rows belong together.
 */
#ifndef MT_TRAIN_PASS_H
#define MT_TRAIN_PASS_H

#include "base/mt-pool.h"
#include "mt/train/network.h"
#include "train/mt-network.h"
#include "train/mt-product.h"

/* Borrowed arrays. Sentence i: source tokens source_begin[i] … source_begin[i + 1] - 1, </s>
 * included, and target rows target_begin[i] …. Row t of a sentence reads y(t-1), the decoder's
 * start token first, and is to answer y(t), </s> last. */
typedef struct {
  size_t n_sentences;
  const uint32_t *source_begin; /* [n_sentences + 1], from 0 to the number of source tokens */
  const uint32_t *target_begin; /* [n_sentences + 1] */
  const int32_t *source;        /* ids */
  const int32_t *target_in;     /* ids that the decoder reads */
  const int32_t *target_out;    /* ids that it is to predict */
} mt_train_batch;

/* Sums over target tokens, natural logarithms. */
typedef struct {
  double smoothed_loss;           /* what is minimised; the paper, section 5.4 */
  double negative_log_likelihood; /* exp(this / n_tokens) is the perplexity */
  size_t n_tokens;
} mt_loss;

/* Everything between input and loss: activations, and the threads. Grows with the largest batch,
 * between batches only. For one network, used by one thread at a time. */
typedef struct mt_workspace mt_workspace;

/* n_threads 0: as many as there are cores for this process; at most 64. Sets OpenBLAS to one thread
 * for the whole process: the workspace's pool divides the products. NULL: MT_ERROR_NO_MEMORY. */
mt_workspace *mt_workspace_new(const mt_network *network, unsigned n_threads, mt_error *error);
void mt_workspace_free(mt_workspace *workspace);
/* The pool, for an optimiser between two passes; NULL with one thread. */
mt_pool *mt_workspace_pool(mt_workspace *workspace);
/* Bytes that are held for activations. */
size_t mt_workspace_bytes(const mt_workspace *workspace);

typedef struct {
  /* What dropout draws from: the same numbers give the same masks, bit for bit. Give each
   * micro-batch and each machine another `step`. */
  uint64_t seed, step;
  /* Called on the calling thread, as soon as gradients[offset … offset + count - 1] are final, last
   * layers first; together the calls cover the block once. May be NULL. */
  void (*on_gradient)(void *user, size_t offset, size_t count);
  void *user;
} mt_pass_options;

/* Forward and backward: adds the gradient of the smoothed loss, summed over target tokens, to
 * network->gradients, and sets *loss. A number that is not finite is no error here
 * (mt_network_find_not_finite tells where). The same bits for the same input and number of threads.
 * With R-Drop (mt_network_config.r_drop) the batch has sentences 0 … n - 1, then all of them again,
 * and the smoothed loss is of both passes and of their divergence. False, nothing changed:
 * MT_ERROR_INPUT (an id outside the vocabulary, an empty or too long sentence; says which one; not
 * twice the same), MT_ERROR_NO_MEMORY. */
bool mt_network_gradient(mt_network *network, mt_workspace *workspace, const mt_train_batch *batch,
                         const mt_pass_options *options, mt_loss *loss, mt_error *error);

/* Whether encoder and cross-attention do anything, summed over batches; begin with {0}. */
typedef struct {
  /* Sum over sentences of two or more tokens of the mean cosine between two of their positions:
   * embedding first, then after each layer. */
  double cosine[MT_NETWORK_MAX_LAYERS + 1];
  size_t n_sentences; /* that are in it */
  /* Sum over target rows of the largest weight of the row. */
  double *row_maximum; /* [decoder layers][heads], allocated by the first call; mt_health_clear */
  double uniform;      /* the same sum if all weights were equal: 1 / source length */
  size_t n_rows;
} mt_health;
void mt_health_clear(mt_health *health);

mt_health_summary mt_health_summarize(const mt_health *health, const mt_network_config *config);

/* Forward only, without dropout: sets *loss, adds to *health if it is not NULL. Errors as above. */
bool mt_network_evaluate(const mt_network *network, mt_workspace *workspace,
                         const mt_train_batch *batch, mt_loss *loss, mt_health *health,
                         mt_error *error);

/* ---- Everything between input and loss ------------------------------------------------------- */

/* What forward leaves for backward, and room for gradients on their way. Private to
 * mt-train-pass.c.
 *
 * Every sub-layer of the paper has the same form: a map into it, something in the middle (attention
 * or an activation), a map out of it, "add & norm". Add & norm number t stands before sub-layer t;
 * the last one, number n_sub_layers, after all of them:
 *
 *     post-norm   number t > 0 adds sub-layer t - 1 and has its norm; number 0 has none
 *     pre-norm    number t adds sub-layer t - 1 (if t > 0) and has the norm of sub-layer t, or the
 *                 stack's final norm */

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

/* ---- The pass, as its files see it ----------------------------------------------------------- */

typedef struct {
  mt_network *network; /* gradients are touched by backward only */
  mt_workspace *workspace;
  const mt_train_batch *batch;
  uint64_t seed, step;
  bool is_training; /* dropout, and a backward pass afterwards */
  mt_health *health;
} mt_train_pass;

#endif

/* mt-operators.h — the parts of the network that are no matrix product, forward and backward.
 *
 * Each file mt-operator-*.c has one operator as a pair of functions: the formula, and its
 * derivative by hand. They work on rows begin … end - 1 of their tensors, so that threads can share
 * the rows. They are plain C with loops that a compiler turns into vectors, built once for each
 * instruction set (MT_ISA is its name) and chosen when the program runs: mt-operators-best.c.
 *
 * Letters as in engine/README.md; R is a number of rows (tokens of all sentences of the batch). A
 * gradient of the loss by x is called d_x. Sums over rows (gradients of biases, gains) go into
 * partial sums, one for each part of the rows, which mt-train-parts.h adds in one order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_OPERATORS_H
#define MT_OPERATORS_H

#include "train/mt-real.h"

#include <mt.h>

/* Layer norm's epsilon, as the engine and PyTorch have it. */
#define MT_NORM_EPSILON 1e-5

/* ---- Dropout, the paper 5.4 ------------------------------------------------------------------ */

/* Which elements dropout keeps (Srivastava et al. 2014), with kept elements scaled up so that
 * nothing has to change when translating:
 *
 *     dropout(x)[i] = x[i] / (1 - p)   with probability 1 - p, else 0
 *
 * What is kept is a function of the pass and of the place, not of what was drawn before: a counter
 * through a hash. So threads may take rows in any order, and backward asks again. */

/* Element i of a site stays if hash(key, i) >= threshold, and is then multiplied by scale, 1 / (1 -
 * p). The backward pass asks the hash again: no mask is stored. */
typedef struct {
  uint32_t key[2];
  uint32_t threshold; /* p 2^32; 0: everything stays */
  mt_real scale;
} mt_dropout;

/* The dropout of one site in one pass: what is drawn depends on all four. */
mt_dropout mt_dropout_new(double p, uint64_t seed, uint64_t step, uint32_t hook_point);

/* Wellons' "lowbias32", a bijection of 32 bits with little bias, keyed before and inside. Every
 * step of it has a vector instruction. */
static inline uint32_t
dropout_hash(const uint32_t key[2], uint32_t i)
{
  uint32_t x = i ^ key[0];
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x += key[1];
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/* 0 or scale. i counts the elements of the site. */
static inline mt_real
dropout_factor(const mt_dropout *dropout, uint32_t i)
{
  return dropout_hash(dropout->key, i) >= dropout->threshold ? dropout->scale : 0;
}

/* ---- Embedding, the paper 3.4 and 3.5 -------------------------------------------------------- */

/* x[r] = dropout(scale E[id[r]] + P[position[r]]) */
typedef struct {
  size_t d;
  mt_real scale; /* sqrt(d) */
  const int32_t *ids;
  const uint32_t *positions;        /* [R] */
  const mt_real *embedding, *table; /* [V][d], [positions][d] */
  mt_dropout dropout;
  mt_real *x; /* [R][d] */
  /* Backward: d_x is overwritten. */
  mt_real *d_x;         /* [R][d] */
  mt_real *d_embedding; /* [V][d] */
  mt_real *d_table;     /* [positions][d], or NULL if it is not learned */
} mt_embedding_pair;

/* ---- Add & norm, the paper 3.1 and 5.4 ------------------------------------------------------- */

/* s = x + factor dropout(f + bias);  y = gain (s - mean) / sqrt(variance + eps) + shift */
typedef struct {
  size_t d;
  const mt_real *x; /* [R][d] */
  mt_real *f;       /* [R][d]; NULL: s = x */
  const mt_real *bias;
  mt_real factor;
  mt_dropout dropout;
  mt_real *s; /* [R][d], may be x; NULL: not wanted */
  const mt_real *gain, *shift;
  mt_real *normed;  /* (s - mean) / sqrt(variance + eps) [R][d], may be f; kept for backward */
  mt_real *inverse; /* 1 / sqrt(variance + eps) [R] */
  mt_real *y;       /* [R][d] */
  /* Backward. */
  const mt_real *d_y; /* [R][d] */
  mt_real *d_s;       /* out [R][d], may be d_y */
  bool adds;          /* d_s has a gradient already (pre-norm): add to it */
  mt_real *d_f;       /* out [R][d]; NULL if f is */
} mt_add_norm_pair;

/* Rows of a partial sum of its backward function, d each. */
enum { MT_SUM_GAIN, MT_SUM_SHIFT, MT_SUM_BIAS, MT_N_ADD_NORM_SUMS };

/* ---- Activation inside the feed-forward network ---------------------------------------------- */

/* h = dropout(activation(z + bias)) */
typedef struct {
  size_t n; /* d_ffn */
  mt_activation activation;
  const mt_real *bias; /* [n] */
  mt_dropout dropout;
  mt_real *z;   /* [R][n]; z + bias afterwards, unless it is h */
  mt_real *h;   /* [R][n]; for ReLU it may be z, since h > 0 says all that the derivative needs */
  mt_real *d_h; /* [R][n], becomes d_z */
} mt_activation_pair;

/* ---- Attention, the paper, equation 1: mt-operator-attention.c ------------------------------- */

/* For each sentence and head: A = softmax(q k^T / sqrt(d_head)), context = A v, where row i sees
 * keys j <= i if causal, and |i - j| <= window if there is one. Work is counted in items, sentence
 * * n_heads + head. */
typedef struct {
  size_t n_heads, d_head;
  const uint32_t *query_begin, *key_begin; /* [n_sentences + 1] */
  bool causal;
  size_t window; /* 0: none */
  /* Row r, head h at q + r * q_stride + h * d_head; likewise the others. */
  const mt_real *q, *k, *v;
  size_t q_stride, kv_stride;
  mt_real *context; /* [queries][n_heads * d_head] */
  mt_real *log_sum; /* [n_heads][queries]: ln sum exp of each row's scores, for backward */
  mt_real *largest; /* [n_heads][queries]: the row's largest weight; NULL: not wanted */
  size_t n_queries; /* of all sentences */
  /* Backward: d_q with q_stride, d_k and d_v with kv_stride; all are written, not added to. */
  const mt_real *d_context;
  mt_real *d_q, *d_k, *d_v;
} mt_attention_pair;

/* Queries that are worked on together; six tiles of mt-operator-product.h. */
#define MT_ATTENTION_ROWS 36
/* Numbers in a row of scores: whole vectors, whatever their width, and as much again, since a block
 * of keys may begin anywhere. */
#define MT_ATTENTION_STRIDE(keys) (((keys) + 31) / 32 * 32 + 32)
/* Numbers of scratch for sentences of at most that many tokens: two matrices [d_head][stride], two
 * [MT_ATTENTION_ROWS][stride]. */
#define MT_ATTENTION_SCRATCH(d_head, longest) \
  (2 * ((d_head) + MT_ATTENTION_ROWS) * MT_ATTENTION_STRIDE(longest))

/* ---- Softmax and loss, the paper 3.4 and 5.4 ------------------------------------------------- */

/* p = softmax(logits + bias);  loss = -sum_k t_k ln p_k with t = (1 - eps) [k is the answer] + eps
 * / V, Szegedy et al. 2015. Backward at once: d_logits = p - t. */
typedef struct {
  size_t n; /* V */
  mt_real smoothing;
  const mt_real *bias;   /* [V] */
  const int32_t *answer; /* [R] */
  mt_real *logits;       /* [R][V], becomes d_logits if wants_gradient */
  bool wants_gradient;
  double *loss; /* [R] */
  double *nll;  /* [R]: -ln p of the answer */
} mt_softmax_pair;

/* R-Drop, Liang et al. 2021, equation 4: row r of both passes is the same word of the same sentence
 * with different dropout. Their losses have alpha / 2 KL(own, other's) more. Gradients are always
 * wanted. */
typedef struct {
  mt_real alpha;
  mt_softmax_pair passes[2]; /* of the same n and smoothing */
} mt_r_drop_pair;

/* ---- Large products: mt-operator-panels.c ---------------------------------------------------- */

/* A matrix as it lies, or transposed: rows of what lies at `at` are `stride` apart. */
typedef struct {
  const mt_real *at;
  size_t stride;
  bool transposed;
} mt_factor;

/* Rows of c that are made together: a's part stays in the second cache. */
#define MT_PRODUCT_ROWS 96
/* Numbers of panels are at most so many: (cols + this) * depth. */
#define MT_PANELS_PAD 32
/* Parts of rows begin at multiples of this. */
#define MT_PRODUCT_GRAIN 6

/* ---- All of them ----------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  void (*embedding_forward)(const mt_embedding_pair *, size_t begin, size_t end);
  /* All R rows, but columns begin … end - 1: two rows may be of one token. */
  void (*embedding_backward)(const mt_embedding_pair *, size_t rows, size_t begin, size_t end);
  void (*add_norm_forward)(const mt_add_norm_pair *, size_t begin, size_t end);
  /* sums [MT_N_ADD_NORM_SUMS][d] of these rows: written, not added to. */
  void (*add_norm_backward)(const mt_add_norm_pair *, size_t begin, size_t end, mt_real *sums);
  void (*activation_forward)(const mt_activation_pair *, size_t begin, size_t end);
  /* sums [n]: of d_z, that is d_bias, of these rows. */
  void (*activation_backward)(const mt_activation_pair *, size_t begin, size_t end, mt_real *sums);
  void (*attention_forward)(const mt_attention_pair *, size_t begin, size_t end, mt_real *scratch);
  void (*attention_backward)(const mt_attention_pair *, size_t begin, size_t end, mt_real *scratch);
  void (*softmax)(const mt_softmax_pair *, size_t begin, size_t end);
  void (*r_drop)(const mt_r_drop_pair *, size_t begin, size_t end);
  /* Whether multiply is faster than OpenBLAS: with vectors of AVX2 or AVX-512. */
  bool multiplies;
  /* Numbers that the panels of b [depth][cols] take. */
  size_t (*panels_size)(size_t depth, size_t cols);
  /* Part i of them. */
  void (*pack_panels)(mt_real *out, const mt_factor *b, size_t depth, size_t cols, size_t i,
                      size_t n_parts);
  /* Rows begin … end - 1 of c = a b, or c += a b. */
  void (*multiply)(mt_real *c, size_t c_stride, const mt_real *a, size_t a_stride,
                   const mt_real *panels, size_t cols, size_t depth, bool adds, size_t begin,
                   size_t end);
  /* x [rows][stride] += bias [n] */
  void (*add_bias)(mt_real *x, size_t stride, const mt_real *bias, size_t n, size_t begin,
                   size_t end);
  /* sum[c] += sum over rows of x[r][c], columns begin … end - 1 */
  void (*add_columns)(mt_real *sum, const mt_real *x, size_t stride, size_t rows, size_t begin,
                      size_t end);
} mt_operators;

/* The fastest table that this processor can run. */
const mt_operators *mt_operators_best(void);
/* Every table that this processor can run, portable C first; NULL after the last. */
const mt_operators *mt_operators_get(size_t i);

/* ---- Inside the files that are built for each instruction set -------------------------------- */

#ifdef MT_ISA
#define MT_JOIN_(a, b) a##_##b
#define MT_JOIN(a, b)  MT_JOIN_(a, b)
/* The name of a function in this build of its file. */
#define OPERATOR(name) MT_JOIN(mt_##name, MT_ISA)

void OPERATOR(attention_forward)(const mt_attention_pair *, size_t begin, size_t end,
                                 mt_real *scratch);
void OPERATOR(attention_backward)(const mt_attention_pair *, size_t begin, size_t end,
                                  mt_real *scratch);
size_t OPERATOR(panels_size)(size_t depth, size_t cols);
void OPERATOR(pack_panels)(mt_real *out, const mt_factor *b, size_t depth, size_t cols, size_t i,
                           size_t n_parts);
void OPERATOR(multiply)(mt_real *c, size_t c_stride, const mt_real *a, size_t a_stride,
                        const mt_real *panels, size_t cols, size_t depth, bool adds, size_t begin,
                        size_t end);
#endif

#endif

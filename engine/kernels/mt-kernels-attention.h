/* mt-kernels-attention.h — the small products of attention. Private to the engine.
 *
 * The product of a head's queries with its keys has 32 or 64 terms, and a sentence has ten to
 * thirty keys: hundreds of such products in a step, each too small for a call that packs. Keys and
 * values of all heads stand side by side in one row, so what a step of a search does is made of
 * whole rows: the scores of all heads of one key, then of the next one, which is also how the rows
 * lie in memory. Where queries are many, of one head, the keys are turned round as weights are in
 * panels.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KERNELS_ATTENTION_H
#define MT_KERNELS_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

/* The most heads that go together. */
#define MT_ATTENTION_HEADS 64
/* The most columns of a head in query_key. */
#define MT_ATTENTION_COLUMNS 256

/* The keys, or the values, that queries see: n rows of a matrix, `stride` apart. */
typedef struct {
  const float *matrix;
  size_t stride, n;
  /* Key i of query r is row index[r * index_stride + i] of the matrix; NULL: row i. */
  const uint32_t *index;
  size_t index_stride;
} mt_seen_rows;

typedef struct {
  const char *name;

  /* ---- Few queries, heads side by side: n_heads of d_head columns each ---- */

  /* out [rows][n][n_heads] = scale * (q · k) of each head; q [rows], q_stride apart. */
  void (*scores)(float *restrict out, const float *restrict q, size_t q_stride,
                 const mt_seen_rows *keys, size_t rows, size_t n_heads, size_t d_head, float scale);

  /* x [n][n_heads] of one query: each column becomes exp(x - max) / sum of the same; lse [n_heads]
   * is ln sum exp x, or NULL. -INFINITY becomes exactly 0, a column of nothing else all zeros with
   * -INFINITY; NaN spreads to the column. At most MT_ATTENTION_HEADS heads. */
  void (*softmax)(float *restrict x, size_t n, size_t n_heads, float *restrict lse);

  /* out [rows][n_heads * d_head], out_stride apart: of each head, sum_i w[r][i][head] v_i;
   * w [rows][n][n_heads]. */
  void (*context)(float *restrict out, size_t out_stride, const float *restrict w,
                  const mt_seen_rows *values, size_t rows, size_t n_heads, size_t d_head);

  /* ---- Many queries of one head ---- */

  /* scores [rows][n_keys] = scale * q k^T; d_head at most MT_ATTENTION_COLUMNS. */
  void (*query_key)(float *restrict scores, const float *restrict q, size_t q_stride,
                    const float *restrict k, size_t k_stride, size_t rows, size_t n_keys,
                    size_t d_head, float scale);

  /* context [rows][d_head], context_stride apart, = weights [rows][n_keys] v. */
  void (*weights_value)(float *restrict context, size_t context_stride,
                        const float *restrict weights, const float *restrict v, size_t v_stride,
                        size_t rows, size_t n_keys, size_t d_head);
} mt_kernels_attention;

/* In every function a number comes out the same, bit for bit, however many queries and heads there
 * are beside it: terms of a score are added in an order of their own, those of a softmax in four
 * sums, of keys i, i + 4, i + 8 …, those of a context in the order of the keys. */

/* The fastest table that this processor can run. */
const mt_kernels_attention *mt_kernels_attention_best(void);

/* Every table that this processor can run, plain C first; i counts up until NULL comes back. */
const mt_kernels_attention *mt_kernels_attention_get(size_t i);

#endif

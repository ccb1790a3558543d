/* mt-operator-attention.c — scaled dot-product attention, the paper, equation 1, head by head and
 * sentence by sentence, with the masks of sections 3.2.3 (causal) and 4 (restricted).
 *
 *     S = q k^T / sqrt(d_head)         [n][m]
 *     A = softmax(S), row by row over the keys that the row sees
 *     C = A v                          [n][d_head]
 *
 * Backward, given dC:
 *
 *     dv = A^T dC                      dA = dC v^T
 *     dS = A (dA - D), where D_i = sum_j A_ij dA_ij = dC_i · C_i
 *     dq = dS k / sqrt(d_head)         dk = dS^T q / sqrt(d_head)
 *
 * A is not stored: backward computes S again and takes exp(S - ln sum exp S), as Dao et al. 2022
 * do. The rows are taken in blocks, so that a block of S stays in the first caches however long the
 * sentence is, and only the keys that a block sees are touched.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operator-exp.h"
#include "train/mt-operator-product.h"
#include "train/mt-operators.h"

#include <string.h>

/* One head of one sentence. */
typedef struct {
  const mt_attention_pair *a;
  size_t n, m; /* queries, keys */
  size_t first_query, first_key, head;
  const mt_real *q, *k, *v;
  size_t stride;      /* of rows in scratch, numbers */
  mt_real *k_columns; /* k^T / sqrt(d_head) [d_head][stride], 0 beyond key m */
  mt_real *v_columns; /* v^T, likewise; backward */
  mt_real *scores;    /* [MT_ATTENTION_ROWS][stride] */
  mt_real *d_scores;  /* likewise; backward */
} head_view;

/* The keys that row i sees: *begin … *end - 1, at least one of them. */
static void
visible(const head_view *h, size_t i, size_t *begin, size_t *end)
{
  const mt_attention_pair *a = h->a;
  *begin = 0;
  *end = h->m;
  if (a->window) {
    *begin = i > a->window ? i - a->window : 0;
    if (a->window < h->m - 1 - i)
      *end = i + a->window + 1;
  }
  if (a->causal)
    *end = i + 1;
}

static head_view
view(const mt_attention_pair *a, size_t item, mt_real *scratch)
{
  size_t sentence = item / a->n_heads, head = item % a->n_heads, at = head * a->d_head;
  head_view h = {
      .a = a,
      .n = a->query_begin[sentence + 1] - a->query_begin[sentence],
      .m = a->key_begin[sentence + 1] - a->key_begin[sentence],
      .first_query = a->query_begin[sentence],
      .first_key = a->key_begin[sentence],
      .head = head,
  };
  h.q = a->q + h.first_query * a->q_stride + at;
  h.k = a->k + h.first_key * a->kv_stride + at;
  h.v = a->v + h.first_key * a->kv_stride + at;
  h.stride = MT_ATTENTION_STRIDE(h.m);
  h.k_columns = scratch;
  h.scores = h.k_columns + a->d_head * h.stride;
  h.v_columns = h.scores + MT_ATTENTION_ROWS * h.stride;
  h.d_scores = h.v_columns + a->d_head * h.stride;
  return h;
}

/* out [d_head][stride] = scale x^T */
static void
transpose(const head_view *h, mt_real *restrict out, const mt_real *restrict x, mt_real scale)
{
  size_t d = h->a->d_head, x_stride = h->a->kv_stride, stride = h->stride;
  for (size_t c = 0; c < d; c++)
    memset(out + c * stride + h->m, 0, (stride - h->m) * sizeof *out);
  for (size_t j = 0; j < h->m; j++)
    for (size_t c = 0; c < d; c++)
      out[c * stride + j] = scale * x[j * x_stride + c];
}

/* A block of rows, and the keys that one of them or another sees. */
typedef struct {
  size_t first, rows;      /* queries of the sentence */
  size_t key, n_keys, pad; /* keys from `key` on; pad: n_keys rounded up to whole vectors */
} block;

static block
block_at(const head_view *h, size_t first)
{
  block b = {.first = first,
             .rows = h->n - first < MT_ATTENTION_ROWS ? h->n - first : MT_ATTENTION_ROWS};
  size_t end, unused;
  visible(h, first, &b.key, &unused);
  visible(h, first + b.rows - 1, &unused, &end);
  b.n_keys = end - b.key;
  b.pad = (b.n_keys + LANES - 1) / LANES * LANES;
  return b;
}

static size_t
row_of(const head_view *h, const block *b, size_t i)
{
  return h->first_query + b->first + i;
}

static void
block_scores(const head_view *h, const block *b)
{
  small_factor q = {h->q + b->first * h->a->q_stride, h->a->q_stride, 1};
  small_product(h->scores, h->stride, q, h->k_columns + b->key, h->stride, b->rows, h->a->d_head,
                b->pad, false);
}

/* Scores of row i become weights; returns ln sum exp. */
static mt_real
softmax_row(const head_view *h, const block *b, size_t i, mt_real *largest)
{
  mt_real *row = h->scores + i * h->stride;
  size_t begin, end;
  visible(h, b->first + i, &begin, &end);
  begin -= b->key;
  end -= b->key;
  mt_real most = -(mt_real) INFINITY, sum = 0;
#pragma omp simd reduction(max : most)
  for (size_t j = begin; j < end; j++)
    most = row[j] > most ? row[j] : most;
#pragma omp simd reduction(+ : sum)
  for (size_t j = begin; j < end; j++) {
    mt_real e = exp_real(row[j] - most);
    row[j] = e;
    sum += e;
  }
  mt_real share = 1 / sum;
  for (size_t j = begin; j < end; j++)
    row[j] *= share;
  memset(row, 0, begin * sizeof *row);
  memset(row + end, 0, (b->pad - end) * sizeof *row);
  *largest = share;
  return most + (mt_real) log(sum);
}

void
OPERATOR(attention_forward)(const mt_attention_pair *a, size_t begin, size_t end, mt_real *scratch)
{
  size_t d = a->n_heads * a->d_head;
  mt_real scale = 1 / (mt_real) sqrt((double) a->d_head);
  for (size_t item = begin; item < end; item++) {
    head_view h = view(a, item, scratch);
    transpose(&h, h.k_columns, h.k, scale);
    for (size_t first = 0; first < h.n; first += MT_ATTENTION_ROWS) {
      block b = block_at(&h, first);
      block_scores(&h, &b);
      for (size_t i = 0; i < b.rows; i++) {
        size_t at = h.head * a->n_queries + row_of(&h, &b, i);
        mt_real largest;
        a->log_sum[at] = softmax_row(&h, &b, i, &largest);
        if (a->largest)
          a->largest[at] = largest;
      }
      small_product(a->context + row_of(&h, &b, 0) * d + h.head * a->d_head, d,
                    (small_factor){h.scores, h.stride, 1}, h.v + b.key * a->kv_stride, a->kv_stride,
                    b.rows, b.n_keys, a->d_head, false);
    }
  }
}

/* Scores of row i become weights again, and d_scores, which has dA, becomes dS / sqrt(d_head). */
static void
score_gradient_row(const head_view *h, const block *b, size_t i, mt_real scale)
{
  const mt_attention_pair *a = h->a;
  size_t r = row_of(h, b, i), at = r * a->n_heads * a->d_head + h->head * a->d_head;
  const mt_real *d_context = a->d_context + at, *context = a->context + at;
  mt_real *restrict row = h->scores + i * h->stride, *restrict d_row = h->d_scores + i * h->stride;
  mt_real log_sum = a->log_sum[h->head * a->n_queries + r], product = 0;
  size_t begin, end;
  visible(h, b->first + i, &begin, &end);
  begin -= b->key;
  end -= b->key;
#pragma omp simd reduction(+ : product)
  for (size_t c = 0; c < a->d_head; c++)
    product += d_context[c] * context[c];
#pragma omp simd
  for (size_t j = begin; j < end; j++) {
    mt_real weight = exp_real(row[j] - log_sum);
    row[j] = weight;
    d_row[j] = weight * (d_row[j] - product) * scale;
  }
  memset(row, 0, begin * sizeof *row);
  memset(row + end, 0, (b->pad - end) * sizeof *row);
  memset(d_row, 0, begin * sizeof *row);
  memset(d_row + end, 0, (b->pad - end) * sizeof *row);
}

/* All that a block of queries contributes; d_k and d_v are added to. */
static void
block_backward(const head_view *h, const block *b, mt_real *d_k, mt_real *d_v, mt_real scale)
{
  const mt_attention_pair *a = h->a;
  size_t d_head = a->d_head, d = a->n_heads * d_head, at = h->head * d_head;
  size_t r = row_of(h, b, 0);
  const mt_real *d_context = a->d_context + r * d + at;
  block_scores(h, b);
  small_product(h->d_scores, h->stride, (small_factor){d_context, d, 1}, h->v_columns + b->key,
                h->stride, b->rows, d_head, b->pad, false);
  for (size_t i = 0; i < b->rows; i++)
    score_gradient_row(h, b, i, scale);
  small_product(a->d_q + r * a->q_stride + at, a->q_stride,
                (small_factor){h->d_scores, h->stride, 1}, h->k + b->key * a->kv_stride,
                a->kv_stride, b->rows, b->n_keys, d_head, false);
  small_product(d_k + b->key * a->kv_stride, a->kv_stride,
                (small_factor){h->d_scores, 1, h->stride}, h->q + b->first * a->q_stride,
                a->q_stride, b->n_keys, b->rows, d_head, true);
  small_product(d_v + b->key * a->kv_stride, a->kv_stride, (small_factor){h->scores, 1, h->stride},
                d_context, d, b->n_keys, b->rows, d_head, true);
}

void
OPERATOR(attention_backward)(const mt_attention_pair *a, size_t begin, size_t end, mt_real *scratch)
{
  mt_real scale = 1 / (mt_real) sqrt((double) a->d_head);
  for (size_t item = begin; item < end; item++) {
    head_view h = view(a, item, scratch);
    size_t at = h.first_key * a->kv_stride + h.head * a->d_head;
    mt_real *d_k = a->d_k + at, *d_v = a->d_v + at;
    transpose(&h, h.k_columns, h.k, scale);
    transpose(&h, h.v_columns, h.v, 1);
    for (size_t j = 0; j < h.m; j++) {
      memset(d_k + j * a->kv_stride, 0, a->d_head * sizeof *d_k);
      memset(d_v + j * a->kv_stride, 0, a->d_head * sizeof *d_v);
    }
    for (size_t first = 0; first < h.n; first += MT_ATTENTION_ROWS) {
      block b = block_at(&h, first);
      block_backward(&h, &b, d_k, d_v, scale);
    }
  }
}

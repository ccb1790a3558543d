/* mt-kernels-attention.c — the small products of attention: plain C, AVX2, AVX-512.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include "kernels/mt-four.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- Plain C: the reference ------------------------------------------------------------------ */

static const float *
seen_row(const mt_seen_rows *seen, size_t r, size_t i)
{
  return seen->matrix + (seen->index ? seen->index[r * seen->index_stride + i] : i) * seen->stride;
}

static float
dot_plain(const float *x, const float *y, size_t n)
{
  float sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

static void
scores_plain(float *restrict out, const float *restrict q, size_t q_stride,
             const mt_seen_rows *keys, size_t rows, size_t n_heads, size_t d_head, float scale)
{
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < keys->n; i++)
      for (size_t h = 0; h < n_heads; h++)
        *out++ = scale * dot_plain(q + r * q_stride + h * d_head, seen_row(keys, r, i) + h * d_head,
                                   d_head);
}

static void
softmax_plain(float *restrict x, size_t n, size_t n_heads, float *restrict lse)
{
  for (size_t h = 0; h < n_heads; h++) {
    float max = -INFINITY, total[4] = {0};
    for (size_t i = 0; i < n; i++)
      max = x[i * n_heads + h] > max ? x[i * n_heads + h] : max;
    float top = max > -INFINITY ? max : 0;
    for (size_t i = 0; i < n; i++) {
      float *e = x + i * n_heads + h;
      *e = expf(*e - top);
      total[i % 4] += *e;
    }
    float all = (total[0] + total[2]) + (total[1] + total[3]);
    for (size_t i = 0; i < n; i++)
      x[i * n_heads + h] *= all != 0 ? 1 / all : 0;
    if (lse)
      lse[h] = max > -INFINITY ? top + logf(all) : isnan(all) ? NAN : -INFINITY;
  }
}

static void
context_plain(float *restrict out, size_t out_stride, const float *restrict w,
              const mt_seen_rows *values, size_t rows, size_t n_heads, size_t d_head)
{
  for (size_t r = 0; r < rows; r++) {
    memset(out + r * out_stride, 0, n_heads * d_head * sizeof *out);
    for (size_t i = 0; i < values->n; i++)
      for (size_t h = 0; h < n_heads; h++)
        for (size_t c = h * d_head; c < (h + 1) * d_head; c++)
          out[r * out_stride + c] +=
              w[(r * values->n + i) * n_heads + h] * seen_row(values, r, i)[c];
  }
}

static void
query_key_plain(float *restrict scores, const float *restrict q, size_t q_stride,
                const float *restrict k, size_t k_stride, size_t rows, size_t n_keys, size_t d_head,
                float scale)
{
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < n_keys; i++)
      scores[r * n_keys + i] = scale * dot_plain(q + r * q_stride, k + i * k_stride, d_head);
}

static void
weights_value_plain(float *restrict context, size_t context_stride, const float *restrict weights,
                    const float *restrict v, size_t v_stride, size_t rows, size_t n_keys,
                    size_t d_head)
{
  for (size_t r = 0; r < rows; r++) {
    memset(context + r * context_stride, 0, d_head * sizeof *context);
    for (size_t i = 0; i < n_keys; i++)
      for (size_t c = 0; c < d_head; c++)
        context[r * context_stride + c] += weights[r * n_keys + i] * v[i * v_stride + c];
  }
}

static const mt_kernels_attention table_plain = {
    "plain", scores_plain, softmax_plain, context_plain, query_key_plain, weights_value_plain,
};

#if MT_HAS_VECTORS
#include MT_INTRINSICS

/* Values of a head, or of all heads, that are multiplied with several queries before the next ones
 * come. */
#define BLOCK_KEYS 16
#define TILE_ROWS  6

/* Keys and values of a file's sentences come from the last cache or from memory, in rows that the
 * processor does not foresee beyond a page: so many rows before it is its turn, one is asked for.
 */
#define AHEAD      4
#define CACHE_LINE 64

static inline void
fetch(const float *row, size_t n)
{
  for (size_t i = 0; i < n; i += CACHE_LINE / sizeof *row)
    __builtin_prefetch(row + i);
}

#if defined(__aarch64__)
#define CONTEXT_VECS 16
#define SIMD_LANES   4
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-attention-simd.h"
#else
#define CONTEXT_VECS 8
#define SIMD_LANES   8
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-attention-simd.h"
#undef SIMD_LANES
#undef CONTEXT_VECS

#define CONTEXT_VECS 16
#define SIMD_LANES   16
#include "kernels/mt-simd.h"

#include "kernels/mt-kernels-attention-simd.h"

#endif

#endif

MT_DEFINE_TABLES(mt_kernels_attention, avx2, MT_HAS_AVX2, avx512, MT_HAS_AVX512)

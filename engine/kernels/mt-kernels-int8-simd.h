/* mt-kernels-int8-simd.h — the product of mt-kernels-int8.h, written once for every vector set.
 *
 * Included by mt-kernels-int8.c once for each instruction set, which defines before:
 *   SIMD(name)        name with the set's suffix
 *   TARGET            the function attribute that allows its instructions
 *   VEC, BYTES        the integer vector, and the numbers of 8 bits in it
 *   LOAD(p)
 *   ZERO()            32-bit zeros
 *   DOT(sum, x, w)    sum plus products of x and w, four neighbours each
 *   REDUCE_ADD(v)     sum of the 32-bit lanes
 *   REDUCE_ADD_4      (may be missing, where OFFSET is 0) the sums of four vectors in one of 128
 * bits OFFSET            what the form of x adds to each number; the sums of the weights undo it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* A tile of n_rows × n_outs results held in registers; both are constants where this is inlined. */
TARGET static inline __attribute__((always_inline)) void
SIMD(tile)(float *restrict y, size_t y_stride, const uint8_t *restrict x,
           const float *restrict x_scales, const mt_int8_weights *w, const float *restrict bias,
           size_t first, size_t stride, const int n_rows, const int n_outs)
{
  const int8_t *from = w->rows + first * stride;
  VEC sum[4][4];
#pragma GCC unroll 4
  for (int o = 0; o < n_outs; o++)
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
      sum[o][r] = ZERO();
  /* The rows of a tile lie behind one another, and so do the tiles: what will be needed next is
   * asked for in that order, as memory gives it fastest, although the rows are read side by side.
   */
  const int8_t *next = from + (size_t) n_outs * stride;
  for (size_t k = 0; k < stride; k += BYTES) {
    VEC rows[4];
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
      rows[r] = LOAD(x + (size_t) r * stride + k);
#pragma GCC unroll 4
    for (int at = 0; at < n_outs * BYTES; at += CACHE_LINE)
      __builtin_prefetch(next + at);
    next += n_outs * BYTES;
#pragma GCC unroll 4
    for (int o = 0; o < n_outs; o++) {
      const int8_t *at = from + (size_t) o * stride + k;
      VEC weight = LOAD(at);
#pragma GCC unroll 4
      for (int r = 0; r < n_rows; r++)
        sum[o][r] = DOT(sum[o][r], rows[r], weight);
    }
  }
#ifdef REDUCE_ADD_4
  if (n_rows == 4) {
    const __m128 scales = _mm_loadu_ps(x_scales);
#pragma GCC unroll 4
    for (int o = 0; o < n_outs; o++) {
      size_t out = first + (size_t) o;
      __m128 dots = _mm_cvtepi32_ps(REDUCE_ADD_4(sum[o][0], sum[o][1], sum[o][2], sum[o][3]));
      float results[4];
      _mm_storeu_ps(results,
                    _mm_add_ps(_mm_mul_ps(dots, _mm_mul_ps(scales, _mm_set1_ps(w->scales[out]))),
                               _mm_set1_ps(bias ? bias[out] : 0)));
#pragma GCC unroll 4
      for (size_t r = 0; r < 4; r++)
        y[r * y_stride + out] = results[r];
    }
    return;
  }
#endif
#pragma GCC unroll 4
  for (int o = 0; o < n_outs; o++)
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++) {
      size_t out = first + (size_t) o;
      int32_t dot = REDUCE_ADD(sum[o][r]) - OFFSET * w->sums[out];
      y[(size_t) r * y_stride + out] =
          (float) dot * (x_scales[r] * w->scales[out]) + (bias ? bias[out] : 0);
    }
}

/* n_outs outputs for all rows, four at a time. */
TARGET static inline __attribute__((always_inline)) void
SIMD(panel)(float *restrict y, size_t y_stride, const uint8_t *restrict x,
            const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
            const float *restrict bias, size_t first, size_t stride, const int n_outs)
{
  size_t r = 0;
  for (; r + 4 <= rows; r += 4)
    SIMD(tile)
  (y + r * y_stride, y_stride, x + r * stride, x_scales + r, w, bias, first, stride, 4, n_outs);
  y += r * y_stride;
  x += r * stride;
  x_scales += r;
  switch (rows - r) {
  case 3:
    SIMD(tile)(y, y_stride, x, x_scales, w, bias, first, stride, 3, n_outs);
    break;
  case 2:
    SIMD(tile)(y, y_stride, x, x_scales, w, bias, first, stride, 2, n_outs);
    break;
  case 1:
    SIMD(tile)(y, y_stride, x, x_scales, w, bias, first, stride, 1, n_outs);
    break;
  default:
    break;
  }
}

TARGET static void
SIMD(linear)(float *restrict y, size_t y_stride, const uint8_t *restrict x,
             const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
             const float *restrict bias, size_t first, size_t n, size_t stride)
{
  size_t end = first + n;
  /* One or two rows leave room for more outputs. */
  for (; rows <= 2 && first + 4 <= end; first += 4)
    SIMD(panel)(y, y_stride, x, x_scales, rows, w, bias, first, stride, 4);
  for (; first + OUTS <= end; first += OUTS)
    SIMD(panel)(y, y_stride, x, x_scales, rows, w, bias, first, stride, OUTS);
  for (; first < end; first++)
    SIMD(panel)(y, y_stride, x, x_scales, rows, w, bias, first, stride, 1);
}

/* mt-kernels-many-simd.h — products of many rows, written once for vectors of LANES floats.
 *
 * Included by mt-kernels-simd.h, with its definitions and
 *   TILE_ROWS                rows of a tile of MANY_OUTS outputs
 *   REDUCE_ADD_4(a, b, c, d) the four sums of lanes, each added up in the order of REDUCE_ADD
 *
 * The sums are those of SIMD(tile): every lane of a vector adds up its own part of a row, and the
 * lanes are added in the same order, so that a row comes out the same, bit for bit, however many
 * rows there are. What is different is what is done for speed: weights are first laid out in the
 * order of use in a place of their own (rows that are 4096 bytes apart would push each
 * other out of the cache), and the lanes of four outputs are added together.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* out [n_in / LANES, rounded up][MANY_OUTS][LANES] = MANY_OUTS rows of weights; zeros fill up. */
TARGET static inline __attribute__((always_inline)) void
SIMD(pack)(float *restrict out, const float *restrict w, size_t n_in)
{
  size_t k = 0;
  for (; k + LANES <= n_in; k += LANES)
#pragma GCC unroll 4
    for (int o = 0; o < MANY_OUTS; o++)
      STORE(out + k * MANY_OUTS + o * LANES, LOAD(w + (size_t) o * n_in + k));
  if (k < n_in)
#pragma GCC unroll 4
    for (int o = 0; o < MANY_OUTS; o++)
      STORE(out + k * MANY_OUTS + o * LANES, LOAD_TAIL(w + (size_t) o * n_in + k, n_in - k));
}

/* n_rows × MANY_OUTS results from packed weights; bias [MANY_OUTS]. */
TARGET static inline __attribute__((always_inline)) void
SIMD(packed_tile)(float *restrict y, size_t y_stride, const float *restrict x,
                  const float *restrict packed, const float *restrict bias, size_t n_in,
                  const int n_rows)
{
  VEC sum[MANY_OUTS][TILE_ROWS];
#pragma GCC unroll 4
  for (int o = 0; o < MANY_OUTS; o++)
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++)
      sum[o][r] = SET1(0);
  size_t k = 0;
  for (; k + LANES <= n_in; k += LANES) {
    VEC rows[TILE_ROWS];
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++)
      rows[r] = LOAD(x + (size_t) r * n_in + k);
#pragma GCC unroll 4
    for (int o = 0; o < MANY_OUTS; o++) {
      VEC weight = LOAD(packed + k * MANY_OUTS + o * LANES);
#pragma GCC unroll 8
      for (int r = 0; r < n_rows; r++)
        sum[o][r] = FMA(weight, rows[r], sum[o][r]);
    }
  }
  if (k < n_in)
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
      VEC row = LOAD_TAIL(x + (size_t) r * n_in + k, n_in - k);
#pragma GCC unroll 4
      for (int o = 0; o < MANY_OUTS; o++)
        sum[o][r] = FMA(LOAD(packed + k * MANY_OUTS + o * LANES), row, sum[o][r]);
    }
  __m128 biases = _mm_loadu_ps(bias);
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
    _mm_storeu_ps(y + (size_t) r * y_stride,
                  _mm_add_ps(REDUCE_ADD_4(sum[0][r], sum[1][r], sum[2][r], sum[3][r]), biases));
}

/* MANY_OUTS outputs of the last rows, fewer than TILE_ROWS. */
TARGET static inline __attribute__((always_inline)) void
SIMD(packed_rest)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                  const float *restrict packed, const float *restrict bias, size_t n_in)
{
  if (TILE_ROWS > 4 && rows >= 4) {
    SIMD(packed_tile)(y, y_stride, x, packed, bias, n_in, TILE_ROWS > 4 ? 4 : 1);
    y += 4 * y_stride;
    x += 4 * n_in;
    rows -= 4;
  }
  if (rows >= 2) {
    SIMD(packed_tile)(y, y_stride, x, packed, bias, n_in, 2);
    y += 2 * y_stride;
    x += 2 * n_in;
    rows -= 2;
  }
  if (rows >= 1)
    SIMD(packed_tile)(y, y_stride, x, packed, bias, n_in, 1);
}

/* What is to be read next: some of it is fetched with every tile, so that it is near when its turn
 * comes. */
typedef struct {
  const char *at, *end;
  size_t step;
} SIMD(ahead);

TARGET static inline __attribute__((always_inline)) void
SIMD(fetch)(SIMD(ahead) * ahead)
{
  for (size_t i = 0; i < ahead->step && ahead->at < ahead->end; i++, ahead->at += CACHE_LINE)
    __builtin_prefetch(ahead->at, 0, 2);
}

/* n_panels times MANY_OUTS outputs of all rows. */
TARGET static __attribute__((noinline)) void
SIMD(packed_chunk)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                   const float *restrict packed, const float *restrict bias, size_t n_in,
                   size_t n_panels, SIMD(ahead) ahead)
{
  static const float no_bias[MANY_OUTS] = {0};
  size_t panel = MANY_OUTS * ((n_in + LANES - 1) / LANES * LANES), r = 0;
  size_t n_lines = (size_t) (ahead.end - ahead.at) / CACHE_LINE;
  ahead.step = n_lines / (rows / TILE_ROWS * n_panels + 1) + 1;
  for (; r + TILE_ROWS <= rows; r += TILE_ROWS)
    for (size_t p = 0; p < n_panels; p++) {
      SIMD(fetch)(&ahead);
      SIMD(packed_tile)
      (y + r * y_stride + p * MANY_OUTS, y_stride, x + r * n_in, packed + p * panel,
       bias ? bias + p * MANY_OUTS : no_bias, n_in, TILE_ROWS);
    }
  for (size_t p = 0; r < rows && p < n_panels; p++)
    SIMD(packed_rest)
  (y + r * y_stride + p * MANY_OUTS, y_stride, x + r * n_in, rows - r, packed + p * panel,
   bias ? bias + p * MANY_OUTS : no_bias, n_in);
}

/* As SIMD(product), for n_out a multiple of MANY_OUTS and n_in of at most MANY_IN. */
TARGET static inline __attribute__((always_inline)) void
SIMD(product_many)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                   const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in)
{
  float packed[MANY_OUTS * MANY_IN];
  size_t panel = MANY_OUTS * ((n_in + LANES - 1) / LANES * LANES);
  size_t panels = panel < MANY_PACKED ? MANY_PACKED / panel : 1;
  /* Rows that the second-level cache holds while the weights pass by. */
  size_t block = (MANY_ROWS_FLOATS / n_in + TILE_ROWS) / TILE_ROWS * TILE_ROWS;
  for (size_t r = 0; r < rows; r += block) {
    size_t n_rows = rows - r < block ? rows - r : block;
    for (size_t o = 0, n; o < n_out; o += n * MANY_OUTS) {
      n = (n_out - o) / MANY_OUTS < panels ? (n_out - o) / MANY_OUTS : panels;
      for (size_t p = 0; p < n; p++)
        SIMD(pack)(packed + p * panel, w + (o + p * MANY_OUTS) * n_in, n_in);
      size_t next = o + n * MANY_OUTS, end = next + panels * MANY_OUTS;
      SIMD(ahead)
      ahead = {(const char *) (w + next * n_in),
               (const char *) (w + (end < n_out ? end : n_out) * n_in), 0};
      SIMD(packed_chunk)
      (y + r * y_stride + o, y_stride, x + r * n_in, n_rows, packed, bias ? bias + o : NULL, n_in,
       n, ahead);
    }
  }
}

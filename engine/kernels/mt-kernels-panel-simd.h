/* mt-kernels-panel-simd.h — the product of some hundred rows, written once for every vector set.
 *
 * Included by mt-kernels-panel.c once for each instruction set, which defines before:
 *   the words of mt-simd.h
 *   OUTS                   outputs of a tile of three vectors of rows: 3 * OUTS sums, 3 vectors and
 *                          a weight are in registers; CHUNK is a multiple of 3 * OUTS
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* sums [n_outs][CHUNK_ROWS] of n_vecs vectors of rows each, for n columns; `is_first` begins them.
 * n_vecs, n_outs are constants where this is inlined. */
TARGET static inline __attribute__((always_inline)) void
SIMD(tile)(float *restrict sums, const float *restrict panel, const float *restrict w, size_t n_in,
           size_t n, bool is_first, const int n_vecs, const int n_outs)
{
  VEC sum[3 * OUTS][3];
#pragma GCC unroll 24
  for (int o = 0; o < n_outs; o++)
#pragma GCC unroll 3
    for (int v = 0; v < n_vecs; v++)
      sum[o][v] = is_first ? SET1(0) : LOAD(sums + o * CHUNK_ROWS + v * LANES);
  for (size_t k = 0; k < n; k++) {
    VEC rows[3];
#pragma GCC unroll 3
    for (int v = 0; v < n_vecs; v++)
      rows[v] = LOAD(panel + (k * (size_t) n_vecs + (size_t) v) * LANES);
#pragma GCC unroll 24
    for (int o = 0; o < n_outs; o++) {
      VEC weight = SET1(w[(size_t) o * n_in + k]);
#pragma GCC unroll 3
      for (int v = 0; v < n_vecs; v++)
        sum[o][v] = FMA(weight, rows[v], sum[o][v]);
    }
  }
#pragma GCC unroll 24
  for (int o = 0; o < n_outs; o++)
#pragma GCC unroll 3
    for (int v = 0; v < n_vecs; v++)
      STORE(sums + o * CHUNK_ROWS + v * LANES, sum[o][v]);
}

/* n <= CHUNK outputs of one panel; columns in blocks, so that the panel's part stays in the
 * first-level cache while the outputs go by. */
TARGET static inline __attribute__((always_inline)) void
SIMD(chunk)(float *restrict sums, const float *restrict panel, const float *restrict w, size_t n,
            size_t n_in, const int n_vecs, const int n_outs)
{
  for (size_t k = 0; k < n_in; k += BLOCK) {
    size_t width = n_in - k < BLOCK ? n_in - k : BLOCK;
    const float *part = panel + k * (size_t) n_vecs * LANES;
    size_t o = 0;
    for (; o + (size_t) n_outs <= n; o += (size_t) n_outs) {
      /* The same columns of rows to come. */
      for (size_t ahead = 0; ahead < (size_t) n_outs; ahead++)
        for (size_t at = 0; at < width; at += CACHE_LINE)
          __builtin_prefetch(w + (o + (size_t) n_outs + ahead) * n_in + k + at);
      SIMD(tile)
      (sums + o * CHUNK_ROWS, part, w + o * n_in + k, n_in, width, k == 0, n_vecs, n_outs);
    }
    for (; o < n; o++)
      SIMD(tile)(sums + o * CHUNK_ROWS, part, w + o * n_in + k, n_in, width, k == 0, n_vecs, 1);
  }
}

TARGET static void
SIMD(linear)(float *restrict y, size_t y_stride, const float *restrict packed, size_t rows,
             const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in)
{
  float sums[CHUNK * CHUNK_ROWS]; /* [outputs][rows] */
  for (size_t o = 0; o < n_out; o += CHUNK) {
    size_t n = n_out - o < CHUNK ? n_out - o : CHUNK;
    for (size_t r = 0; r < rows;) {
      size_t n_vecs = panel_vectors(rows - r, LANES), n_rows = n_vecs * LANES;
      const float *panel = packed + r * n_in;
      if (n_vecs == 3)
        SIMD(chunk)(sums, panel, w + o * n_in, n, n_in, 3, OUTS);
      else if (n_vecs == 2)
        SIMD(chunk)(sums, panel, w + o * n_in, n, n_in, 2, 3 * OUTS / 2);
      else
        SIMD(chunk)(sums, panel, w + o * n_in, n, n_in, 1, 3 * OUTS);
      if (n_rows > rows - r)
        n_rows = rows - r;
      for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n; j++)
          y[(r + i) * y_stride + o + j] = sums[j * CHUNK_ROWS + i] + (bias ? bias[o + j] : 0);
      r += n_rows;
    }
  }
}

TARGET static void
SIMD(pack)(float *restrict packed, const float *restrict x, size_t rows, size_t n_in)
{
  pack_panels(packed, x, rows, n_in, LANES);
}

static const mt_kernels_panel SIMD(table) = {SIMD_NAME, SIMD(pack), SIMD(linear)};

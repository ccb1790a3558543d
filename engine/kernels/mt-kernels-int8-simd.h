/* mt-kernels-int8-simd.h — the product of quantised rows, written once for every vector set.
 *
 * Included by mt-kernels-int8.c once for each instruction set, which defines before:
 *   SIMD(name)        name with the set's suffix
 *   TARGET            the function attribute that allows its instructions
 *   VEC, FLOATS       the integer vector, and one of as many floats as it has 32-bit lanes
 *   LANES             32-bit lanes in it
 *   OFFSET            what the form of x adds to each number; the sums of the weights undo it
 *   LOAD(p) STORE(p, v) SET1(i)   the vector; one number of 32 bits in all lanes
 *   DOT(sum, x, w)    sum plus products of x and w, four neighbours each
 *   FLOAT(v) SUB(a, b)       of 32-bit numbers
 *   LOAD_PS(p) STORE_PS(p, v) SET1_PS(f) MUL_PS(a, b) ADD_PS(a, b)
 *   TILE_ROWS, TILE_VECS     of a tile: all sums, TILE_VECS weights and an x are in registers
 *
 * A lane is an output: four numbers of x, in every lane the same, meet the weights of as many
 * outputs as there are lanes, so that nothing has to be added across a vector, and results lie in
 * the order in which they are stored.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define VECS_OF_PANEL (MT_INT8_PANEL / LANES)

/* What all tiles of a product share. */
typedef struct {
  const uint8_t *x;
  const float *x_scales;
  const mt_int8_weights *w;
  const float *bias; /* NULL: none */
  size_t stride;
} SIMD(factors);

/* Whole numbers [n_rows][TILE_VECS * LANES] of rows from `row` on and outputs from `out` on become
 * n_outs results each. */
TARGET static inline __attribute__((always_inline)) void
SIMD(finish)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t row, size_t n_rows,
             size_t out, size_t n_outs, const int32_t *restrict dots)
{
  for (size_t at = 0; at < n_outs; at += LANES) {
    const size_t n = n_outs - at < LANES ? n_outs - at : LANES;
    const VEC undo = OFFSET ? LOAD(f->w->offsets + out + at) : SET1(0);
    const FLOATS scales = LOAD_PS(f->w->scales + out + at);
    float biases[LANES] = {0};
    if (f->bias)
      memcpy(biases, f->bias + out + at, n * sizeof *biases);
    const FLOATS bias = LOAD_PS(biases);
    for (size_t r = 0; r < n_rows; r++) {
      const VEC dot = LOAD(dots + r * TILE_VECS * LANES + at);
      const FLOATS scale = MUL_PS(SET1_PS(f->x_scales[row + r]), scales);
      const FLOATS result = ADD_PS(MUL_PS(FLOAT(OFFSET ? SUB(dot, undo) : dot), scale), bias);
      float *to = y + (row + r) * y_stride + out + at;
      if (n == LANES) {
        STORE_PS(to, result);
      } else {
        float some[LANES];
        STORE_PS(some, result);
        memcpy(to, some, n * sizeof *to);
      }
    }
  }
}

/* Results of n_rows rows from `row` on and n_vecs vectors of outputs from `out` on, which begins a
 * panel; n_rows and n_vecs are constants where this is inlined. The last vectors have n_outs
 * outputs in all. With `fetches`, the
 * panels behind these are asked for in the order in which they lie in memory, as it gives them
 * fastest, although the panels of a tile are read side by side. */
TARGET static inline __attribute__((always_inline)) void
SIMD(tile)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t row, size_t out,
           size_t n_outs, bool fetches, const int n_rows, const int n_vecs)
{
  const size_t stride = f->stride;
  /* A few rows wait for the weights, and for instructions: what the processor fetches by itself is
   * better for them. */
  const size_t line = n_rows < 4 ? 0 : (size_t) n_vecs * LANES * 4;
  const int8_t *next = f->w->panels + (out + (fetches ? (size_t) n_vecs * LANES : 0)) * stride;
  const size_t step = fetches ? line : 0;
  const uint8_t *x = f->x + row * stride;
  const int8_t *w = f->w->panels + out * stride;
  VEC sum[TILE_ROWS][TILE_VECS];
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < n_vecs; v++)
      sum[r][v] = SET1(0);
  for (size_t k = 0; k < stride; k += 4) {
#pragma GCC unroll 4
    for (size_t at = 0; at < line; at += CACHE_LINE)
      __builtin_prefetch(next + at, 0, 2);
    next += step;
    VEC weights[TILE_VECS];
#pragma GCC unroll 4
    for (int v = 0; v < n_vecs; v++)
      weights[v] = LOAD(w + (size_t) (v / VECS_OF_PANEL) * MT_INT8_PANEL * stride +
                        MT_INT8_PANEL * k + (size_t) (v % VECS_OF_PANEL) * 4 * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
      int32_t four;
      memcpy(&four, x + (size_t) r * stride + k, sizeof four);
      VEC numbers = SET1(four);
#pragma GCC unroll 4
      for (int v = 0; v < n_vecs; v++)
        sum[r][v] = DOT(sum[r][v], numbers, weights[v]);
    }
  }
  /* The sums stay in registers only if nothing else asks for them. */
  int32_t dots[TILE_ROWS * TILE_VECS * LANES];
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 4
    for (int v = 0; v < n_vecs; v++)
      STORE(dots + (r * TILE_VECS + v) * LANES, sum[r][v]);
  SIMD(finish)(y, y_stride, f, row, (size_t) n_rows, out, n_outs, dots);
}

/* The same for any number of rows. */
TARGET static inline __attribute__((always_inline)) void
SIMD(rows)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t row, size_t end,
           size_t out, size_t n_outs, const int n_vecs)
{
  bool fetches = true; /* once for all rows */
  for (; row + TILE_ROWS <= end; row += TILE_ROWS, fetches = false)
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, TILE_ROWS, n_vecs);
  if (TILE_ROWS > 4 && row + 4 <= end) {
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, TILE_ROWS > 4 ? 4 : 1, n_vecs);
    fetches = false;
    row += 4;
  }
  switch (end - row) {
  case 3:
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, 3, n_vecs);
    break;
  case 2:
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, 2, n_vecs);
    break;
  case 1:
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, 1, n_vecs);
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
  const SIMD(factors) factors = {x, x_scales, w, bias, stride};
  const size_t end = first + n, wide = TILE_VECS * LANES;
  const size_t block = (BLOCK_BYTES / stride + TILE_ROWS) / TILE_ROWS * TILE_ROWS;
  for (size_t r = 0; r < rows; r += block) {
    size_t to = rows - r < block ? rows : r + block, o = first;
    for (; o + wide <= end; o += wide)
      SIMD(rows)(y, y_stride, &factors, r, to, o, wide, TILE_VECS);
    for (; o < end; o += MT_INT8_PANEL)
      SIMD(rows)
    (y, y_stride, &factors, r, to, o, end - o < MT_INT8_PANEL ? end - o : MT_INT8_PANEL,
     VECS_OF_PANEL);
  }
}

#undef VECS_OF_PANEL

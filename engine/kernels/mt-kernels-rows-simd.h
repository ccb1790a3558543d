/* mt-kernels-rows-simd.h — the product with weights in panels, written once for every vector set.
 *
 * Included once for each instruction set, which defines before:
 *   the words of mt-simd.h, or, as mt-kernels-bf16.c, SIMD TARGET LANES VEC LOAD STORE SET1 ADD FMA
 *   of its own; without LOAD_F16 and LOAD_PAIRS SIMD(product) is one of floats, or of what stands
 *   in their place
 *   TILE_ROWS, TILE_VECS   of a tile: all sums, TILE_VECS vectors of weights and a number of x are
 *                          in registers; FEW_VECS of a tile of one or two rows, EIGHT_VECS, whole
 *                          panels, of one of eight rows, or 0
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define VECS_OF_PANEL (MT_PANEL_OUTS / LANES)

/* What all tiles of a product share. */
typedef struct {
  const float *x;
  const void *panels;
  const float *bias; /* NULL: none */
  size_t n_in;
} SIMD(factors);

/* Weights of one input, or of a pair of them, at a place of a panel that counts cells: numbers, or
 * pairs. Where they are pairs, of the second input if `second`. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(load_weights)(const void *panels, size_t at, const mt_dtype dtype, const bool second)
{
#ifdef LOAD_F16
  const uint32_t *pairs = (const uint32_t *) panels + at;
  if (dtype == MT_DTYPE_F16)
    return LOAD_F16((const uint16_t *) panels + at);
  if (dtype == MT_DTYPE_BF16)
    return second ? SECOND_OF(LOAD_PAIRS(pairs)) : FIRST_OF(LOAD_PAIRS(pairs));
#endif
  return LOAD((const float *) panels + at);
}

/* One number of each row, x_stride apart, meets n_vecs vectors of weights. */
TARGET static inline __attribute__((always_inline)) void
SIMD(add_terms)(VEC (*restrict sum)[FEW_VECS], const float *x, size_t x_stride, const VEC *weights,
                const bool of_pairs, const int n_rows, const int n_vecs)
{
  /* Else GCC keeps an address for each row and half of a pair, for which there are no registers.
   * With AVX2 it is right to do so for single numbers, as measured. */
  if (n_rows > 1 && (of_pairs || LANES == 16))
    __asm__("" : "+r"(x));
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++) {
    VEC number = SET1(x[(size_t) r * x_stride]);
#pragma GCC unroll 8
    for (int v = 0; v < n_vecs; v++)
      sum[r][v] = FMA(number, weights[v], sum[r][v]);
  }
}

/* The sums of n_rows rows, and the bias of their outputs if it is not NULL, become y. */
TARGET static inline __attribute__((always_inline)) void
SIMD(store_tile)(float *restrict y, size_t y_stride, VEC (*restrict sum)[FEW_VECS],
                 const float *bias, const int n_rows, const int n_vecs)
{
  if (bias) {
#pragma GCC unroll 8
    for (int v = 0; v < n_vecs; v++) {
      VEC of_outputs = LOAD(bias + v * LANES);
#pragma GCC unroll 8
      for (int r = 0; r < n_rows; r++)
        sum[r][v] = ADD(sum[r][v], of_outputs);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 8
    for (int v = 0; v < n_vecs; v++)
      STORE(y + (size_t) r * y_stride + v * LANES, sum[r][v]);
}

/* Results of n_rows rows from `row` on and n_vecs vectors of outputs from `out` on, which begins a
 * panel; n_rows, n_vecs and dtype are constants where this is inlined. n_outs is 0 where all of the
 * vectors are outputs, else how many there are. With `fetches`, the panels behind these are asked
 * for in the order in which they lie in memory, as it gives them fastest, although the panels of a
 * tile are read side by side. */
TARGET static inline __attribute__((always_inline)) void
SIMD(tile)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t row, size_t out,
           const size_t n_outs, bool fetches, const int n_rows, const int n_vecs,
           const mt_dtype dtype)
{
  const size_t n_in = f->n_in;
  /* Inputs of a cell, cells of an output, bytes of a cell. */
  const size_t of_cell = dtype == MT_DTYPE_BF16 ? 2 : 1, cell = dtype == MT_DTYPE_F16 ? 2 : 4;
  const size_t n_cells = dtype == MT_DTYPE_BF16 ? MT_PAIRS(n_in) : n_in;
  const size_t line = (size_t) n_vecs * LANES * cell;
  const char *next =
      (const char *) f->panels + (out + (fetches ? (size_t) n_vecs * LANES : 0)) * n_cells * cell;
  const size_t step = fetches ? line : 0;
  const float *x = f->x + row * n_in;
  VEC sum[EIGHT_ROWS][FEW_VECS];
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 8
    for (int v = 0; v < n_vecs; v++)
      sum[r][v] = SET1(0);
  for (size_t c = 0; c < n_cells; c++, x += of_cell) {
#pragma GCC unroll 8
    for (size_t at = 0; at < line; at += CACHE_LINE)
      __builtin_prefetch(next + at, 0, 2);
    next += step;
#pragma GCC unroll 2
    for (size_t second = 0; second < of_cell; second++) {
      VEC weights[FEW_VECS];
      if (second && 2 * c + 1 == n_in)
        break;
#pragma GCC unroll 8
      for (int v = 0; v < n_vecs; v++)
        weights[v] =
            SIMD(load_weights)(f->panels,
                               (out + (size_t) (v / VECS_OF_PANEL) * MT_PANEL_OUTS) * n_cells +
                                   MT_PANEL_OUTS * c + (size_t) (v % VECS_OF_PANEL) * LANES,
                               dtype, second);
      SIMD(add_terms)(sum, x + second, n_in, weights, of_cell == 2, n_rows, n_vecs);
    }
  }
  if (n_outs > 0) {
    float results[EIGHT_ROWS * FEW_VECS * LANES];
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 8
      for (int v = 0; v < n_vecs; v++)
        STORE(results + (r * FEW_VECS + v) * LANES, sum[r][v]);
    for (size_t r = 0; r < (size_t) n_rows; r++)
      for (size_t i = 0; i < n_outs; i++)
        y[(row + r) * y_stride + out + i] =
            results[r * FEW_VECS * LANES + i] + (f->bias ? f->bias[out + i] : 0);
    return;
  }
  SIMD(store_tile)
  (y + row * y_stride + out, y_stride, sum, f->bias ? f->bias + out : NULL, n_rows, n_vecs);
}

/* The same for any number of rows. */
TARGET static inline __attribute__((always_inline)) void
SIMD(any_rows)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t row, size_t end,
               size_t out, const size_t n_outs, const int n_vecs, const mt_dtype dtype)
{
  bool fetches = true; /* once for all rows */
  /* The last eight rows together: two of them alone would wait for the weights once more, and
   * those of the next tile would not be asked for meanwhile. F16, half as much, need not. */
  const bool has_eight = EIGHT_VECS > 0 && n_outs == 0 && dtype == MT_DTYPE_F32;
  const int step = !has_eight || n_vecs < EIGHT_VECS ? n_vecs : EIGHT_VECS;
  for (; row + TILE_ROWS <= end; row += TILE_ROWS, fetches = false) {
    if (has_eight && end - row == EIGHT_ROWS) {
      for (int v = 0; v < n_vecs; v += step)
        SIMD(tile)
      (y, y_stride, f, row, out + (size_t) (v * LANES), 0, fetches, EIGHT_ROWS, step, dtype);
      return;
    }
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, TILE_ROWS, n_vecs, dtype);
  }
  if (TILE_ROWS > 4 && row + 4 <= end) {
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, TILE_ROWS > 4 ? 4 : 1, n_vecs, dtype);
    fetches = false;
    row += 4;
  }
  switch (end - row) {
  case 3:
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, 3, n_vecs, dtype);
    break;
  case 2:
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, 2, n_vecs, dtype);
    break;
  case 1:
    SIMD(tile)(y, y_stride, f, row, out, n_outs, fetches, 1, n_vecs, dtype);
    break;
  default:
    break;
  }
}

/* ---- Many rows -------------------------------------------------------------------------------
 *
 * The weights of a tile, all inputs of a few panels, are more than the first cache holds, and each
 * few rows would read them from the second once more. So many rows meet a part of the inputs, which
 * stays in the first cache while the rows go by, and then the next part, and their sums lie in y
 * meanwhile: terms are added in the same order, and a sum in memory is the float that it is in a
 * register. Weights of 16 bits become floats once for all of these rows. */

/* Weights of n inputs from `first` on, as floats or what stands in their place: a panel's next
 * panel is `stride` floats behind it. */
typedef struct {
  const float *weights;
  size_t stride, first, n;
  bool is_last;
} SIMD(part);

/* Their terms in n_rows rows of a tile's outputs. */
TARGET static inline __attribute__((always_inline)) void
SIMD(part_tile)(float *restrict y, size_t y_stride, const SIMD(factors) * f, const SIMD(part) * p,
                size_t row, size_t out, const int n_rows)
{
  const size_t n_in = f->n_in;
  const float *x = f->x + row * n_in + p->first, *w = p->weights;
  VEC sum[EIGHT_ROWS][FEW_VECS];
  y += row * y_stride + out;
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 8
    for (int v = 0; v < TILE_VECS; v++)
      sum[r][v] = p->first == 0 ? SET1(0) : LOAD(y + (size_t) r * y_stride + v * LANES);
  for (size_t k = 0; k < p->n; k++, x++, w += MT_PANEL_OUTS) {
    VEC weights[FEW_VECS];
#pragma GCC unroll 8
    for (int v = 0; v < TILE_VECS; v++)
      weights[v] =
          LOAD(w + (size_t) (v / VECS_OF_PANEL) * p->stride + (size_t) (v % VECS_OF_PANEL) * LANES);
    SIMD(add_terms)(sum, x, n_in, weights, false, n_rows, TILE_VECS);
  }
  SIMD(store_tile)
  (y, y_stride, sum, p->is_last && f->bias ? f->bias + out : NULL, n_rows, TILE_VECS);
}

/* Their terms in rows first … end - 1. n_ahead bytes from `ahead` on of each panel, which are
 * panel_bytes apart, are asked for, a share with each few rows, so that they come meanwhile. */
TARGET static __attribute__((noinline)) void
SIMD(part_rows)(float *restrict y, size_t y_stride, const SIMD(factors) * f, const SIMD(part) * p,
                size_t first, size_t end, size_t out, const char *ahead, size_t n_ahead,
                size_t panel_bytes)
{
  const size_t n_tiles = (end - first) / TILE_ROWS, left = (end - first) % TILE_ROWS;
  const size_t share = n_ahead / CACHE_LINE / (n_tiles + 1) + 1;
  size_t row = first;
  for (; row + TILE_ROWS <= end; row += TILE_ROWS) {
    for (size_t i = 0; i < share; i++, ahead += CACHE_LINE)
      for (size_t panel = 0; panel < TILE_VECS / VECS_OF_PANEL; panel++)
        __builtin_prefetch(ahead + panel * panel_bytes, 0, 2);
    SIMD(part_tile)(y, y_stride, f, p, row, out, TILE_ROWS);
  }
  if (left >= 4)
    SIMD(part_tile)(y, y_stride, f, p, row, out, 4);
  row += left >= 4 ? 4 : 0;
  if (left % 4 >= 2)
    SIMD(part_tile)(y, y_stride, f, p, row, out, 2);
  row += left % 4 >= 2 ? 2 : 0;
  if (left % 2)
    SIMD(part_tile)(y, y_stride, f, p, row, out, 1);
}

/* Weights of 16 bits of the panels of a tile, n inputs from an even one on, as floats. */
TARGET static inline __attribute__((always_inline)) void
SIMD(widen_part)(float *restrict out, const char *panels, size_t n_cells, size_t first, size_t n,
                 const mt_dtype dtype)
{
  for (size_t panel = 0; panel < TILE_VECS / VECS_OF_PANEL; panel++)
    for (size_t k = first; k < first + n; k++, out += MT_PANEL_OUTS) {
      const size_t cell = panel * n_cells + (dtype == MT_DTYPE_BF16 ? k / 2 : k);
      for (size_t v = 0; v < VECS_OF_PANEL; v++)
        STORE(out + v * LANES,
              SIMD(load_weights)(panels, cell * MT_PANEL_OUTS + v * LANES, dtype, k % 2));
    }
}

/* Rows first … end - 1 of a tile's outputs. */
TARGET static inline __attribute__((always_inline)) void
SIMD(parts)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t first, size_t end,
            size_t out, const mt_dtype dtype)
{
  const size_t n_in = f->n_in, of_cell = dtype == MT_DTYPE_BF16 ? 2 : 1;
  const size_t n_cells = dtype == MT_DTYPE_BF16 ? MT_PAIRS(n_in) : n_in;
  const size_t cell = MT_PANEL_OUTS * (dtype == MT_DTYPE_F16 ? 2 : 4); /* bytes */
  const size_t n_ahead = PART_INPUTS / of_cell * cell;
  const char *panels = (const char *) f->panels + out / MT_PANEL_OUTS * n_cells * cell;
  float widened[TILE_VECS * LANES * PART_INPUTS];
  for (size_t k = 0; k < n_in; k += PART_INPUTS) {
    const char *own = panels + k / of_cell * cell, *ahead = own + n_ahead;
    SIMD(part)
    part = {(const float *) (const void *) own, n_in * MT_PANEL_OUTS, k, PART_INPUTS, false};
    if (n_in - k <= PART_INPUTS) {
      part.n = n_in - k;
      part.is_last = true;
      ahead = panels + TILE_VECS / VECS_OF_PANEL * n_cells * cell; /* of the next tile */
    }
    if (dtype != MT_DTYPE_F32) {
      SIMD(widen_part)(widened, panels, n_cells, k, part.n, dtype);
      part.weights = widened;
      part.stride = part.n * MT_PANEL_OUTS;
    }
    SIMD(part_rows)
    (y, y_stride, f, &part, first, end, out, ahead, n_ahead, n_cells * cell);
  }
}

TARGET static inline __attribute__((always_inline)) void
SIMD(product)(float *restrict y, size_t y_stride, const SIMD(factors) * f, size_t rows,
              size_t first, size_t n, const mt_dtype dtype)
{
  const size_t end = first + n, wide = TILE_VECS * LANES, few = FEW_VECS * LANES;
  const bool is_many = rows >= MANY_ROWS;
  const size_t most = is_many ? MANY_BLOCK_FLOATS : BLOCK_FLOATS;
  const size_t block = (most / f->n_in + TILE_ROWS) / TILE_ROWS * TILE_ROWS;
  for (size_t r = 0; r < rows; r += block) {
    size_t to = rows - r < block ? rows : r + block, o = first;
    for (; rows == 1 && o + few <= end; o += few)
      SIMD(tile)(y, y_stride, f, 0, o, 0, true, 1, FEW_VECS, dtype);
    for (; is_many && o + wide <= end; o += wide)
      SIMD(parts)(y, y_stride, f, r, to, o, dtype);
    for (; o + wide <= end; o += wide)
      SIMD(any_rows)(y, y_stride, f, r, to, o, 0, TILE_VECS, dtype);
    for (; o + MT_PANEL_OUTS <= end; o += MT_PANEL_OUTS)
      SIMD(any_rows)(y, y_stride, f, r, to, o, 0, VECS_OF_PANEL, dtype);
    if (o < end)
      SIMD(any_rows)(y, y_stride, f, r, to, o, end - o, VECS_OF_PANEL, dtype);
  }
}

#ifdef LOAD_F16
#define PRODUCT(name, dtype)                                                                    \
  TARGET static __attribute__((noinline)) void SIMD(name)(float *restrict y, size_t y_stride,   \
                                                          const SIMD(factors) * f, size_t rows, \
                                                          size_t first, size_t n)               \
  {                                                                                             \
    SIMD(product)(y, y_stride, f, rows, first, n, dtype);                                       \
  }
PRODUCT(product_f32, MT_DTYPE_F32)
PRODUCT(product_f16, MT_DTYPE_F16)
PRODUCT(product_bf16, MT_DTYPE_BF16)
#undef PRODUCT

TARGET static void
SIMD(linear)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
             const void *restrict panels, mt_dtype dtype, const float *restrict bias, size_t first,
             size_t n, size_t n_in)
{
  const SIMD(factors) factors = {x, panels, bias, n_in};
  if (dtype == MT_DTYPE_F32)
    SIMD(product_f32)(y, y_stride, &factors, rows, first, n);
  else if (dtype == MT_DTYPE_F16)
    SIMD(product_f16)(y, y_stride, &factors, rows, first, n);
  else
    SIMD(product_bf16)(y, y_stride, &factors, rows, first, n);
}

static const mt_kernels_rows SIMD(table) = {SIMD_NAME, SIMD(linear)};
#endif

#undef VECS_OF_PANEL

/* mt-operator-bf16.c — c = a b, or c += a b, with factors rounded to bf16: packing, and the order
 * of blocks; mt-bf16-tile.h has the tile of each instruction set.
 *
 * As in mt-operator-panels.c, but that a is copied too, since it is rounded on the way.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-bf16.h"

#include "mt-bf16-tile.h"

#include <string.h>

/* Depth of a block of a; its rows are MT_PRODUCT_ROWS: 96 KB. */
#define BLOCK_DEPTH 512

/* Two neighbours in the direction of the sum; the first one is in the lower half. */
static inline uint32_t
pair_of(float first, float second)
{
  return round_to_bf16(first) | round_to_bf16(second) << 16;
}

static inline size_t
padded(size_t depth)
{
  return (depth + MT_BF16_PAD - 1) / MT_BF16_PAD * MT_BF16_PAD;
}

/* ---- b ----------------------------------------------------------------------------------------
 */

/* Pairs of the panel of columns from `col` on; zeros beyond the last column and the last row. */
static void
pack_panel(uint32_t *restrict out, const mt_factor *b, size_t depth, size_t cols, size_t col)
{
  size_t n = cols - col < WIDTH ? cols - col : WIDTH;
  size_t n_pairs = depth / 2;
  if (n < WIDTH)
    memset(out, 0, padded(depth) / 2 * WIDTH * sizeof *out);
  else
    memset(out + n_pairs * WIDTH, 0, (padded(depth) / 2 - n_pairs) * WIDTH * sizeof *out);
  if (b->transposed) {
    for (size_t j = 0; j < n; j++) {
      const mt_real *from = b->at + (col + j) * b->stride;
      for (size_t l = 0; l < n_pairs; l++)
        out[l * WIDTH + j] = pair_of(from[2 * l], from[2 * l + 1]);
      if (depth % 2)
        out[n_pairs * WIDTH + j] = pair_of(from[depth - 1], 0);
    }
    return;
  }
  const mt_real *from = b->at + col;
  for (size_t l = 0; l < n_pairs; l++, from += 2 * b->stride)
    for (size_t j = 0; j < n; j++)
      out[l * WIDTH + j] = pair_of(from[j], from[b->stride + j]);
  if (depth % 2)
    for (size_t j = 0; j < n; j++)
      out[n_pairs * WIDTH + j] = pair_of(from[j], 0);
}

static void
pack_panels(uint16_t *out, const mt_factor *b, size_t depth, size_t cols, size_t i, size_t n_parts)
{
  size_t n = (cols + WIDTH - 1) / WIDTH;
  for (size_t p = n * i / n_parts; p < n * (i + 1) / n_parts; p++)
    pack_panel((uint32_t *) (void *) (out + p * padded(depth) * WIDTH), b, depth, cols, p * WIDTH);
}

/* ---- a ----------------------------------------------------------------------------------------
 */

/* Rows i … i + rows - 1, columns l … l + depth - 1: out [whole tiles of rows][BLOCK_DEPTH], zeros
 * beyond. */
static void
pack_rows(uint16_t *restrict out, const mt_factor *a, size_t i, size_t rows, size_t l, size_t depth)
{
  size_t all = (rows + TILE_HEIGHT - 1) / TILE_HEIGHT * TILE_HEIGHT, end = padded(depth);
  if (a->transposed) {
    const mt_real *from = a->at + l * a->stride + i;
    for (size_t k = 0; k < depth; k++, from += a->stride)
      for (size_t r = 0; r < rows; r++)
        out[r * BLOCK_DEPTH + k] = (uint16_t) round_to_bf16(from[r]);
  } else {
    for (size_t r = 0; r < rows; r++) {
      const mt_real *from = a->at + (i + r) * a->stride + l;
      for (size_t k = 0; k < depth; k++)
        out[r * BLOCK_DEPTH + k] = (uint16_t) round_to_bf16(from[k]);
    }
  }
  for (size_t r = 0; r < rows; r++)
    memset(out + r * BLOCK_DEPTH + depth, 0, (end - depth) * sizeof *out);
  for (size_t r = rows; r < all; r++)
    memset(out + r * BLOCK_DEPTH, 0, end * sizeof *out);
}

/* ---- c ----------------------------------------------------------------------------------------
 */

/* A tile that is not whole: computed beside c. */
static void
edge_tile(mt_real *c, size_t c_stride, const uint16_t *a, const uint16_t *panel, size_t depth,
          size_t rows, size_t cols, bool adds)
{
  mt_real whole[TILE_HEIGHT * WIDTH];
  whole_tile(whole, WIDTH, a, BLOCK_DEPTH, panel, depth, false);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++)
      c[i * c_stride + j] = (adds ? c[i * c_stride + j] : 0) + whole[i * WIDTH + j];
}

static void
multiply(mt_real *c, size_t c_stride, const mt_factor *a, const uint16_t *panels, size_t cols,
         size_t depth, bool adds, size_t begin, size_t end)
{
  _Static_assert(MT_PRODUCT_ROWS % TILE_HEIGHT == 0, "a block is whole tiles");
  _Alignas(64) uint16_t block[MT_PRODUCT_ROWS * BLOCK_DEPTH];
  size_t panel_size = padded(depth) * WIDTH;
  tile_begin();
  for (size_t i = begin; i < end; i += MT_PRODUCT_ROWS) {
    size_t rows = end - i < MT_PRODUCT_ROWS ? end - i : MT_PRODUCT_ROWS;
    for (size_t l = 0; l < depth; l += BLOCK_DEPTH) {
      size_t n = depth - l < BLOCK_DEPTH ? depth - l : BLOCK_DEPTH;
      bool adds_here = adds || l > 0;
      pack_rows(block, a, i, rows, l, n);
      for (size_t j = 0; j < cols; j += WIDTH) {
        const uint16_t *panel = panels + j / WIDTH * panel_size + l * WIDTH;
        size_t wide = cols - j < WIDTH ? cols - j : WIDTH;
        for (size_t r = 0; r < rows; r += TILE_HEIGHT) {
          size_t high = rows - r < TILE_HEIGHT ? rows - r : TILE_HEIGHT;
          mt_real *at = c + (i + r) * c_stride + j;
          if (high == TILE_HEIGHT && wide == WIDTH)
            whole_tile(at, c_stride, block + r * BLOCK_DEPTH, BLOCK_DEPTH, panel, padded(n),
                       adds_here);
          else
            edge_tile(at, c_stride, block + r * BLOCK_DEPTH, panel, padded(n), high, wide,
                      adds_here);
        }
      }
    }
  }
  tile_end();
}

extern const mt_bf16 OPERATOR(bf16);
const mt_bf16 OPERATOR(bf16) = {
    .name = TILE_NAME,
    .is_emulated = TILE_IS_EMULATED,
    .tile_height = TILE_HEIGHT,
    .pack_panels = pack_panels,
    .multiply = multiply,
};

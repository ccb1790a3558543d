/* mt-operator-bf16.c — c = a b, or c += a b, with factors rounded to bf16: packing, and the order
 * of blocks; mt-bf16-tile.h has the tile of each instruction set.
 *
 * As in mt-operator-panels.c, but that a is copied too, since it is rounded on the way.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-bf16.h"

#include "train/mt-bf16-tile.h"

#include <string.h>

/* Depth of a block of a; its rows are MT_PRODUCT_ROWS: 96 KB. */
#define BLOCK_DEPTH 512
/* From row to row of a block: one line of the cache more, since at a distance of 1,024 bytes only
 * 32 rows would find room in the first one. */
#define BLOCK_STRIDE (BLOCK_DEPTH + 32)
/* Pairs of a column of b that are written at a time. */
#define PAIRS_AT_ONCE 16

static inline size_t
padded(size_t depth)
{
  return (depth + MT_BF16_PAD - 1) / MT_BF16_PAD * MT_BF16_PAD;
}

/* ---- b --------------------------------------------------------------------------------------- */

/* Of b transposed: columns are what lies side by side, and pairs of them go to rows of a panel. */
static void
pack_columns(uint32_t *restrict out, const mt_real *from, size_t stride, size_t depth, size_t n)
{
  for (size_t l = 0; l < depth; l += 2 * PAIRS_AT_ONCE) {
    size_t left = depth - l < 2 * PAIRS_AT_ONCE ? depth - l : 2 * PAIRS_AT_ONCE;
    for (size_t j = 0; j < n; j++) {
      uint16_t rounded[2 * PAIRS_AT_ONCE] = {0};
      round_row(rounded, from + j * stride + l, left);
      for (size_t k = 0; k < (left + 1) / 2; k++)
        memcpy(&out[(l / 2 + k) * WIDTH + j], &rounded[2 * k], sizeof *out);
    }
  }
}

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
    pack_columns(out, b->at + col * b->stride, b->stride, depth, n);
    return;
  }
  const mt_real *from = b->at + col;
  uint16_t rounded[2][WIDTH] = {0};
  for (size_t l = 0; l < depth; l += 2, from += 2 * b->stride, out += WIDTH) {
    round_row(rounded[0], from, n);
    if (l + 1 < depth)
      round_row(rounded[1], from + b->stride, n);
    else
      memset(rounded[1], 0, sizeof rounded[1]);
    for (size_t j = 0; j < n; j++)
      out[j] = rounded[0][j] | (uint32_t) rounded[1][j] << 16;
  }
}

static void
pack_panels(uint16_t *out, const mt_factor *b, size_t depth, size_t cols, size_t i, size_t n_parts)
{
  size_t n = (cols + WIDTH - 1) / WIDTH;
  for (size_t p = n * i / n_parts; p < n * (i + 1) / n_parts; p++)
    pack_panel((uint32_t *) (void *) (out + p * padded(depth) * WIDTH), b, depth, cols, p * WIDTH);
}

/* ---- a --------------------------------------------------------------------------------------- */

/* Of a transposed: what lies side by side are columns. Four of them are four neighbours in each row
 * of the block, written in one piece. */
static void
pack_transposed(uint16_t *restrict out, const mt_real *from, size_t stride, size_t rows,
                size_t depth)
{
  uint16_t rounded[4][MT_PRODUCT_ROWS];
  uint64_t four[MT_PRODUCT_ROWS];
  size_t l = 0;
  for (; l + 4 <= depth; l += 4, from += 4 * stride) {
    for (size_t k = 0; k < 4; k++)
      round_row(rounded[k], from + k * stride, rows);
    for (size_t r = 0; r < rows; r++)
      four[r] = rounded[0][r] | (uint64_t) rounded[1][r] << 16 | (uint64_t) rounded[2][r] << 32 |
                (uint64_t) rounded[3][r] << 48;
    for (size_t r = 0; r < rows; r++)
      memcpy(out + r * BLOCK_STRIDE + l, &four[r], sizeof four[r]);
  }
  for (; l < depth; l++, from += stride)
    for (size_t r = 0; r < rows; r++)
      out[r * BLOCK_STRIDE + l] = (uint16_t) round_to_bf16(from[r]);
}

/* Rows i … i + rows - 1, columns l … l + depth - 1: out [whole tiles of rows][BLOCK_STRIDE], zeros
 * beyond. */
static void
pack_rows(uint16_t *restrict out, const mt_factor *a, size_t i, size_t rows, size_t l, size_t depth)
{
  size_t all = (rows + TILE_HEIGHT - 1) / TILE_HEIGHT * TILE_HEIGHT, end = padded(depth);
  if (a->transposed)
    pack_transposed(out, a->at + l * a->stride + i, a->stride, rows, depth);
  else
    for (size_t r = 0; r < rows; r++)
      round_row(out + r * BLOCK_STRIDE, a->at + (i + r) * a->stride + l, depth);
  if (end > depth)
    for (size_t r = 0; r < rows; r++)
      memset(out + r * BLOCK_STRIDE + depth, 0, (end - depth) * sizeof *out);
  for (size_t r = rows; r < all; r++)
    memset(out + r * BLOCK_STRIDE, 0, end * sizeof *out);
}

/* ---- c --------------------------------------------------------------------------------------- */

/* A tile that is not whole: computed beside c. */
static void
edge_tile(mt_real *c, size_t c_stride, const uint16_t *a, const uint16_t *panel, size_t depth,
          size_t rows, size_t cols, bool adds)
{
  mt_real whole[TILE_HEIGHT * WIDTH];
  whole_tile(whole, WIDTH, a, BLOCK_STRIDE, panel, depth, false);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++)
      c[i * c_stride + j] = (adds ? c[i * c_stride + j] : 0) + whole[i * WIDTH + j];
}

static void
multiply(mt_real *c, size_t c_stride, const mt_factor *a, const uint16_t *panels, size_t cols,
         size_t depth, bool adds, size_t begin, size_t end)
{
  _Static_assert(MT_PRODUCT_ROWS % TILE_HEIGHT == 0, "a block is whole tiles");
  _Alignas(64) uint16_t block[MT_PRODUCT_ROWS * BLOCK_STRIDE];
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
            whole_tile(at, c_stride, block + r * BLOCK_STRIDE, BLOCK_STRIDE, panel, padded(n),
                       adds_here);
          else
            edge_tile(at, c_stride, block + r * BLOCK_STRIDE, panel, padded(n), high, wide,
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

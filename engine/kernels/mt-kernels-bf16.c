/* mt-kernels-bf16.c — products of rounded rows: AVX512-BF16, and tiles of AMX.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"

#include "base/mt-dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- Without instructions for it ------------------------------------------------------------- */

static inline uint32_t
round_bits(uint32_t bits)
{
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  rounded = magnitude < 0x00800000 ? bits & 0x80000000 : rounded;
  return magnitude > 0x7f800000 ? (bits | 0x400000) & 0xffff0000 : rounded; /* not a number */
}

/* In blocks whose length the compiler knows, so that it takes vectors for them. */
#define ROUND_BLOCK 16

void
mt_bf16_round(float *restrict out, const float *restrict x, size_t n)
{
  uint32_t bits[ROUND_BLOCK] = {0};
  for (size_t i = 0; i < n; i += ROUND_BLOCK) {
    size_t size = (n - i < ROUND_BLOCK ? n - i : ROUND_BLOCK) * sizeof *x;
    memcpy(bits, x + i, size);
    for (size_t k = 0; k < ROUND_BLOCK; k++)
      bits[k] = round_bits(bits[k]);
    memcpy(out + i, bits, size);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Rows of x that the second-level cache holds while the panels go by. */
#define BLOCK_FLOATS (64 * 1024)
/* From so many rows on they meet a part of the inputs at a time, which the first cache holds, and
 * are themselves in the second for longer. */
#define MANY_ROWS         32
#define MANY_BLOCK_FLOATS (192 * 1024)
#define PART_INPUTS       128
#define CACHE_LINE        64
#define EIGHT_ROWS        8

/* ---- AVX512-BF16: a pair stands in the place of a float -------------------------------------- */

#define TARGET      __attribute__((target("avx512f,avx512bf16")))
#define SIMD(name)  name##_avx512bf16
#define LANES       16
#define VEC         __m512
#define TILE_ROWS   6
#define TILE_VECS   4
#define FEW_VECS    4
#define EIGHT_VECS  0
#define LOAD(p)     _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define SET1(x)     _mm512_set1_ps(x)
#define ADD(a, b)   _mm512_add_ps(a, b)
/* Types change their names only. */
#define PAIRS(v)     ((__m512bh) _mm512_castps_si512(v))
#define FMA(a, b, c) _mm512_dpbf16_ps(c, PAIRS(a), PAIRS(b))

#include "kernels/mt-kernels-rows-simd.h"

/* Rows to pairs like those of the weights, out [end][stride] numbers of 16 bits; zeros fill up what
 * there is of a row behind its numbers. */
TARGET static void
round_pairs(uint16_t *restrict out, size_t stride, const float *restrict x, size_t begin,
            size_t end, size_t n_in)
{
  for (size_t r = begin; r < end; r++) {
    const float *row = x + r * n_in;
    for (size_t k = 0; k < stride; k += 32) {
      float some[32] = {0};
      const float *from = row + k;
      if (k + 32 > n_in) {
        if (k < n_in)
          memcpy(some, from, (n_in - k) * sizeof *some);
        from = some;
      }
      __m512i rounded =
          (__m512i) _mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from));
      rounded = _mm512_rol_epi32(rounded, 16); /* the first of two to the upper half */
      memcpy(out + r * stride + k, &rounded,
             (stride - k < 32 ? stride - k : 32) * sizeof(uint16_t));
    }
  }
}

static void
round_avx512bf16(float *restrict out, const float *restrict x, size_t begin, size_t end,
                 size_t n_in)
{
  round_pairs((uint16_t *) (void *) out, 2 * MT_PAIRS(n_in), x, begin, end, n_in);
}

TARGET static void
linear_avx512bf16(float *restrict y, size_t y_stride, const float *restrict rounded, size_t rows,
                  const void *restrict panels, const float *restrict bias, size_t first, size_t n,
                  size_t n_in)
{
  const factors_avx512bf16 factors = {rounded, panels, bias, MT_PAIRS(n_in)};
  product_avx512bf16(y, y_stride, &factors, rows, first, n, MT_DTYPE_F32);
}

static const mt_kernels_bf16 table_avx512bf16 = {"avx512-bf16", round_avx512bf16,
                                                 linear_avx512bf16};

/* ---- AMX-BF16: tiles (Intel 64 manual, volume 1, chapter 18) --------------------------------- */

/* A register is a tile of 16 lines of 64 bytes: 16 pairs of one panel, as they lie; 32 numbers of
 * each of 16 rows; the sums of 16 rows for the 16 outputs of a panel. Of fewer than 16 rows the
 * tiles have so many lines. Where rows are no multiple of 16, the last tile begins 16 before the
 * end, and makes some results for a second time: the same ones. */

#define TILE_LINES 16
/* Numbers of 16 bits from row to row: whole tiles, and a line of the cache more, since at powers of
 * two few rows would find room in the first one. */
#define AMX_STRIDE(n_in) (MT_BF16_ROOM(n_in) + 32)
#define TARGET_AMX       __attribute__((target("avx512f,avx512bf16,amx-tile,amx-bf16")))

/* Registers. Numbers, since GCC's intrinsics make them part of a register's name. */
#define SUM0    0
#define SUM1    1
#define SUM2    2
#define SUM3    3
#define ROWS0   4
#define ROWS1   5
#define EVEN    6 /* weights of panels 0 and 2 */
#define ODD     7 /* and of 1 and 3 */
#define N_TILES 8

/* GCC 12's intrinsics do not say that they read memory: what was written must be there. */
#define WRITTEN() __asm__ volatile("" ::: "memory")

TARGET_AMX static void
begin_tiles(size_t n_rows)
{
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t line_bytes[16];
    uint8_t lines[16];
  } config = {.palette = 1}; /* ldtilecfg's 64 bytes */
  for (int i = 0; i < N_TILES; i++) {
    config.line_bytes[i] = 64;
    config.lines[i] = (uint8_t) (i == EVEN || i == ODD ? TILE_LINES : n_rows);
  }
  WRITTEN();
  _tile_loadconfig(&config);
}

/* Lines of weights for a tile: where they lie, or if they are too few, in `room` with zeros. */
static inline const uint32_t *
lines_of(const uint32_t *panel, size_t first, size_t n_pairs, uint32_t *room)
{
  const uint32_t *lines = panel + first * MT_PANEL_OUTS;
  if (first + TILE_LINES <= n_pairs)
    return lines;
  memset(room, 0, TILE_LINES * MT_PANEL_OUTS * sizeof *room);
  memcpy(room, lines, (n_pairs - first) * MT_PANEL_OUTS * sizeof *room);
  return room;
}

/* What all tiles of a product share. */
typedef struct {
  float *y;
  const uint16_t *x;
  const uint32_t *panels;
  const float *bias; /* NULL: none */
  size_t y_stride, x_stride, n_pairs, n_rows, end;
} amx_product;

/* A register of sums begins as the biases of a panel's outputs in every line. */
#define BEGIN_SUM(sum, panel)                               \
  do {                                                      \
    if (p->bias)                                            \
      _tile_loadd(sum, biases + (panel) *MT_PANEL_OUTS, 0); \
    else                                                    \
      _tile_zero(sum);                                      \
  } while (0)

/* And goes to its place, by way of `some` where the panel has fewer outputs. */
#define END_SUM(sum, row, panel)                                           \
  do {                                                                     \
    size_t at = out + (panel) *MT_PANEL_OUTS;                              \
    float *to = p->y + (row) *p->y_stride + at;                            \
    if (at + MT_PANEL_OUTS <= p->end) {                                    \
      _tile_stored(sum, to, p->y_stride * sizeof *to);                     \
    } else {                                                               \
      float some[TILE_LINES][MT_PANEL_OUTS];                               \
      _tile_stored(sum, some, sizeof some[0]);                             \
      for (size_t r = 0; r < p->n_rows; r++)                               \
        memcpy(to + r * p->y_stride, some[r], (p->end - at) * sizeof *to); \
    }                                                                      \
  } while (0)

/* Results of as many rows as a tile has from `row` on, and if `high` of as many from `second` on;
 * and of n_panels panels from the one of `out` on: at most two if `high`, else four. Both are
 * constants where this is inlined. */
TARGET_AMX static inline __attribute__((always_inline)) void
multiply_tiles(const amx_product *p, size_t row, size_t second, size_t out, const bool high,
               const int n_panels)
{
  uint32_t room[4][TILE_LINES * MT_PANEL_OUTS];
  float biases[4 * MT_PANEL_OUTS] = {0};
  const uint32_t *panel = p->panels + out * p->n_pairs;
  const size_t next = MT_PANEL_OUTS * p->n_pairs, x_bytes = p->x_stride * sizeof *p->x;
  if (p->bias) {
    size_t n = (size_t) n_panels * MT_PANEL_OUTS;
    memcpy(biases, p->bias + out, (p->end - out < n ? p->end - out : n) * sizeof *biases);
  }
  WRITTEN();
  BEGIN_SUM(SUM0, 0);
  if (n_panels > 1)
    BEGIN_SUM(SUM1, 1);
  if (high || n_panels > 2)
    BEGIN_SUM(SUM2, high ? 0 : 2);
  if ((high && n_panels > 1) || n_panels > 3)
    BEGIN_SUM(SUM3, high ? 1 : 3);
  for (size_t k = 0; k < p->n_pairs; k += TILE_LINES) {
    const uint32_t *lines[4];
    for (int i = 0; i < n_panels; i++)
      lines[i] = lines_of(panel + (size_t) i * next, k, p->n_pairs, room[i]);
    WRITTEN();
    _tile_loadd(ROWS0, p->x + row * p->x_stride + 2 * k, x_bytes);
    if (high)
      _tile_loadd(ROWS1, p->x + second * p->x_stride + 2 * k, x_bytes);
    _tile_loadd(EVEN, lines[0], 64);
    _tile_dpbf16ps(SUM0, ROWS0, EVEN);
    if (high)
      _tile_dpbf16ps(SUM2, ROWS1, EVEN);
    if (n_panels > 1) {
      _tile_loadd(ODD, lines[1], 64);
      _tile_dpbf16ps(SUM1, ROWS0, ODD);
      if (high)
        _tile_dpbf16ps(SUM3, ROWS1, ODD);
    }
    if (n_panels > 2) {
      _tile_loadd(EVEN, lines[2], 64);
      _tile_dpbf16ps(SUM2, ROWS0, EVEN);
    }
    if (n_panels > 3) {
      _tile_loadd(ODD, lines[3], 64);
      _tile_dpbf16ps(SUM3, ROWS0, ODD);
    }
  }
  END_SUM(SUM0, row, 0);
  if (n_panels > 1)
    END_SUM(SUM1, row, 1);
  if (high) {
    END_SUM(SUM2, second, 0);
    if (n_panels > 1)
      END_SUM(SUM3, second, 1);
  } else {
    if (n_panels > 2)
      END_SUM(SUM2, row, 2);
    if (n_panels > 3)
      END_SUM(SUM3, row, 3);
  }
}

TARGET_AMX static __attribute__((noinline)) void
four_panels(const amx_product *p, size_t row, size_t out)
{
  multiply_tiles(p, row, 0, out, false, 4);
}

TARGET_AMX static __attribute__((noinline)) void
one_panel(const amx_product *p, size_t row, size_t out)
{
  multiply_tiles(p, row, 0, out, false, 1);
}

TARGET_AMX static __attribute__((noinline)) void
two_by_two(const amx_product *p, size_t row, size_t second, size_t out)
{
  multiply_tiles(p, row, second, out, true, 2);
}

/* Rows begin … end - 1 of more than 16, of two panels. */
static void
some_rows(const amx_product *p, size_t rows, size_t begin, size_t end, size_t out)
{
  bool is_wide = out + MT_PANEL_OUTS < p->end;
  const size_t last = rows - TILE_LINES; /* where the last tile begins */
  for (size_t r = begin; r < end; r += 2 * TILE_LINES) {
    size_t row = r < last ? r : last;
    size_t second = row + TILE_LINES < last ? row + TILE_LINES : last;
    bool has_second = end - r > TILE_LINES;
    if (is_wide && has_second) {
      two_by_two(p, row, second, out);
      continue;
    }
    for (size_t o = out; o < p->end && o < out + 2 * MT_PANEL_OUTS; o += MT_PANEL_OUTS) {
      one_panel(p, row, o);
      if (has_second)
        one_panel(p, second, o);
    }
  }
}

static void
round_amx(float *restrict out, const float *restrict x, size_t begin, size_t end, size_t n_in)
{
  round_pairs((uint16_t *) (void *) out, AMX_STRIDE(n_in), x, begin, end, n_in);
}

TARGET_AMX static void
linear_amx(float *restrict y, size_t y_stride, const float *restrict rounded, size_t rows,
           const void *restrict panels, const float *restrict bias, size_t first, size_t n,
           size_t n_in)
{
  const amx_product product = {
      .y = y,
      .x = (const uint16_t *) (const void *) rounded,
      .panels = panels,
      .bias = bias,
      .y_stride = y_stride,
      .x_stride = AMX_STRIDE(n_in),
      .n_pairs = MT_PAIRS(n_in),
      .n_rows = rows < TILE_LINES ? rows : TILE_LINES,
      .end = first + n,
  };
  size_t out = first;
  begin_tiles(product.n_rows);
  if (rows <= TILE_LINES) {
    for (; out + 3 * MT_PANEL_OUTS < product.end; out += 4 * MT_PANEL_OUTS)
      four_panels(&product, 0, out);
    for (; out < product.end; out += MT_PANEL_OUTS)
      one_panel(&product, 0, out);
  } else {
    const size_t high = 2 * TILE_LINES;
    const size_t block = (2 * BLOCK_FLOATS / product.x_stride + high) / high * high;
    for (size_t r = 0; r < rows; r += block)
      for (out = first; out < product.end; out += 2 * MT_PANEL_OUTS)
        some_rows(&product, rows, r, rows - r < block ? rows : r + block, out);
  }
  _tile_release();
}

static const mt_kernels_bf16 table_amx = {"amx-bf16", round_amx, linear_amx};

const mt_kernels_bf16 *
mt_kernels_bf16_get(size_t i)
{
  const mt_kernels_bf16 *tables[2];
  size_t n = 0;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16"))
    tables[n++] = &table_avx512bf16;
  if (n > 0 && mt_cpu_has_amx())
    tables[n++] = &table_amx;
  return i < n ? tables[i] : NULL;
}

#else

const mt_kernels_bf16 *
mt_kernels_bf16_get(size_t i)
{
  return NULL;
}

#endif

const mt_kernels_bf16 *
mt_kernels_bf16_best(void)
{
  const mt_kernels_bf16 *best = NULL;
  for (size_t i = 0; mt_kernels_bf16_get(i); i++)
    best = mt_kernels_bf16_get(i);
  return best;
}

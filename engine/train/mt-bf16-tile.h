/* mt-bf16-tile.h — a tile of a product of bf16, for the instruction set that a file is built for.
 * Private to mt-operator-bf16.c.
 *
 *     whole_tile: c [TILE_HEIGHT][WIDTH] = (or, if adds, +=) a [TILE_HEIGHT][depth] b
 *
 * where rows of c and a are c_stride and a_stride apart, b is a panel [depth / 2][WIDTH][2] and
 * depth a multiple of MT_BF16_PAD. tile_begin and tile_end stand around a thread's tiles.
 * round_row rounds numbers side by side.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_BF16_TILE_H
#define MT_BF16_TILE_H

#include "train/mt-operator-product.h"

#include <stdint.h>
#include <string.h>

/* To the nearest, ties to even; what is not a number stays so. */
static inline uint32_t
round_to_bf16(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, not_a_number = bits >> 16 | 0x40;
  return (bits & 0x7fffffff) > 0x7f800000 ? not_a_number : rounded;
}

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

/* out [n] = x [n]. The instruction takes what is too small for a normal number to be zero, as those
 * that multiply do. */
static inline void
round_row(uint16_t *restrict out, const float *restrict x, size_t n)
{
  size_t i = 0;
#ifdef __AVX512BF16__
  for (; i + 32 <= n; i += 32) {
    __m512 low = _mm512_loadu_ps(x + i), high = _mm512_loadu_ps(x + i + 16);
    __m512bh rounded = _mm512_cvtne2ps_pbh(high, low);
    memcpy(out + i, &rounded, sizeof rounded);
  }
#endif
  for (; i < n; i++)
    out[i] = (uint16_t) round_to_bf16(x[i]);
}

/* A pair of bf16, anywhere in memory. */
typedef uint32_t pair __attribute__((aligned(2), may_alias));

#if defined(__AMX_BF16__)

/* ---- AMX: tiles of 16 rows of 64 bytes. Intel 64 manual, volume 1, chapter 18 ---------------- */

#include <immintrin.h>

#define TILE_NAME        "AMX"
#define TILE_IS_EMULATED false
#define TILE_HEIGHT      32
#define WIDTH            32

/* Tile registers. Numbers, since GCC's intrinsics make them part of a register's name. */
#define C00     0
#define C01     1
#define C10     2
#define C11     3
#define A0      4
#define A1      5
#define B0      6
#define B1      7
#define N_TILES 8

/* GCC 12's intrinsics do not say that they read memory: what was written must be there. */
#define WRITTEN() __asm__ volatile("" ::: "memory")

static inline void
tile_begin(void)
{
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1}; /* ldtilecfg's 64 bytes */
  for (int i = 0; i < N_TILES; i++) {
    config.row_bytes[i] = 64;
    config.rows[i] = 16;
  }
  WRITTEN();
  _tile_loadconfig(&config);
}

static inline void
tile_end(void)
{
  _tile_release();
}

static inline void
whole_tile(float *c, size_t c_stride, const uint16_t *a, size_t a_stride, const uint16_t *b,
           size_t depth, bool adds)
{
  /* In bytes, as the instructions want them. */
  size_t c_step = c_stride * sizeof *c, a_step = a_stride * sizeof *a, b_step = 4 * WIDTH;
  WRITTEN();
  if (adds) {
    _tile_loadd(C00, c, c_step);
    _tile_loadd(C01, c + 16, c_step);
    _tile_loadd(C10, c + 16 * c_stride, c_step);
    _tile_loadd(C11, c + 16 * c_stride + 16, c_step);
  } else {
    _tile_zero(C00);
    _tile_zero(C01);
    _tile_zero(C10);
    _tile_zero(C11);
  }
  for (size_t l = 0; l < depth; l += 32) {
    _tile_loadd(A0, a + l, a_step);
    _tile_loadd(A1, a + 16 * a_stride + l, a_step);
    _tile_loadd(B0, b + l * WIDTH, b_step);
    _tile_loadd(B1, b + l * WIDTH + 32, b_step);
    _tile_dpbf16ps(C00, A0, B0);
    _tile_dpbf16ps(C01, A0, B1);
    _tile_dpbf16ps(C10, A1, B0);
    _tile_dpbf16ps(C11, A1, B1);
  }
  _tile_stored(C00, c, c_step);
  _tile_stored(C01, c + 16, c_step);
  _tile_stored(C10, c + 16 * c_stride, c_step);
  _tile_stored(C11, c + 16 * c_stride + 16, c_step);
}

#elif defined(__AVX512BF16__)

/* ---- AVX512-BF16: the sum of two products in each lane --------------------------------------- */

#include <immintrin.h>

#define TILE_NAME        "AVX512-BF16"
#define TILE_IS_EMULATED false
/* 24 sums, two vectors of b and one of a: 27 of 32 registers. */
#define TILE_HEIGHT      12
#define WIDTH            32

static inline void
whole_tile(float *c, size_t c_stride, const uint16_t *a, size_t a_stride, const uint16_t *b,
           size_t depth, bool adds)
{
  __m512 sum[TILE_HEIGHT][2];
#pragma GCC unroll 12
  for (size_t i = 0; i < TILE_HEIGHT; i++) {
    sum[i][0] = adds ? _mm512_loadu_ps(c + i * c_stride) : _mm512_setzero_ps();
    sum[i][1] = adds ? _mm512_loadu_ps(c + i * c_stride + 16) : _mm512_setzero_ps();
  }
  for (size_t l = 0; l < depth; l += 2) {
    __m512bh left = (__m512bh) _mm512_loadu_si512(b + l * WIDTH);
    __m512bh right = (__m512bh) _mm512_loadu_si512(b + l * WIDTH + 32);
#pragma GCC unroll 12
    for (size_t i = 0; i < TILE_HEIGHT; i++) {
      int two = (int) *(const pair *) (a + i * a_stride + l);
      __m512bh x = (__m512bh) _mm512_set1_epi32(two);
      sum[i][0] = _mm512_dpbf16_ps(sum[i][0], x, left);
      sum[i][1] = _mm512_dpbf16_ps(sum[i][1], x, right);
    }
  }
#pragma GCC unroll 12
  for (size_t i = 0; i < TILE_HEIGHT; i++) {
    _mm512_storeu_ps(c + i * c_stride, sum[i][0]);
    _mm512_storeu_ps(c + i * c_stride + 16, sum[i][1]);
  }
}

#else

/* ---- Any other: a bf16 is the upper half of a float ------------------------------------------ */

#define TILE_TEXT_(x)    #x
#define TILE_TEXT(x)     TILE_TEXT_(x)
#define TILE_NAME        TILE_TEXT(MT_ISA)
#define TILE_IS_EMULATED true
#define TILE_HEIGHT      TILE_ROWS
#define WIDTH            (2 * LANES)

/* Pairs side by side, anywhere in memory. */
typedef uint32_t pairs
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(uint16_t)), may_alias));

static inline void
whole_tile(mt_real *c, size_t c_stride, const uint16_t *a, size_t a_stride, const uint16_t *b,
           size_t depth, bool adds)
{
  vector sum[TILE_HEIGHT][2];
#pragma GCC unroll 6
  for (size_t i = 0; i < TILE_HEIGHT; i++)
#pragma GCC unroll 2
    for (size_t j = 0; j < 2; j++)
      sum[i][j] = adds ? *(const vector *) (c + i * c_stride + j * LANES) : (vector){0};
  for (size_t l = 0; l < depth; l += 2) {
    const pairs *at = (const pairs *) (const void *) (b + l * WIDTH);
    vector left = (vector) (at[0] << 16), right = (vector) (at[1] << 16);
#pragma GCC unroll 6
    for (size_t i = 0; i < TILE_HEIGHT; i++) {
      vector x = (vector) (((pairs){0} + *(const pair *) (a + i * a_stride + l)) << 16);
      sum[i][0] += x * left;
      sum[i][1] += x * right;
    }
    left = (vector) (at[0] & 0xffff0000u);
    right = (vector) (at[1] & 0xffff0000u);
#pragma GCC unroll 6
    for (size_t i = 0; i < TILE_HEIGHT; i++) {
      vector x = (vector) (((pairs){0} + *(const pair *) (a + i * a_stride + l)) & 0xffff0000u);
      sum[i][0] += x * left;
      sum[i][1] += x * right;
    }
  }
#pragma GCC unroll 6
  for (size_t i = 0; i < TILE_HEIGHT; i++)
#pragma GCC unroll 2
    for (size_t j = 0; j < 2; j++)
      *(vector *) (c + i * c_stride + j * LANES) = sum[i][j];
}

#endif

#ifndef __AMX_BF16__
static inline void
tile_begin(void)
{
}

static inline void
tile_end(void)
{
}
#endif

#endif

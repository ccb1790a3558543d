/* emulated-amx.h — the AMX instructions that products of bf16 use, in plain C; as in
 * emulated-avx512.h, before which it is included.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} emulated_tile_config;

/* Of each thread, like the registers. */
static _Thread_local emulated_tile_config emulated_config;
static _Thread_local union {
  uint8_t bytes[16][64];
  float floats[16][16];
  uint16_t pairs[16][16][2];
} emulated_tiles[8];

/* A processor faults where a tile has no shape; here the test ends. Tiles of sums and of rows may
 * have fewer lines. */
static inline size_t
emulated_lines(int tile)
{
  size_t lines = emulated_config.rows[tile];
  if (emulated_config.palette != 1 || lines < 1 || lines > 16 ||
      emulated_config.row_bytes[tile] != 64)
    abort();
  return lines;
}

static inline void
emulated_load_config(const void *config)
{
  memcpy(&emulated_config, config, sizeof emulated_config);
  memset(emulated_tiles, 0, sizeof emulated_tiles);
}

static inline void
emulated_release(void)
{
  memset(&emulated_config, 0, sizeof emulated_config);
}

static inline void
emulated_zero(int tile)
{
  emulated_lines(tile);
  memset(&emulated_tiles[tile], 0, sizeof emulated_tiles[tile]);
}

static inline void
emulated_load(int tile, const void *base, size_t stride)
{
  memset(&emulated_tiles[tile], 0, sizeof emulated_tiles[tile]);
  for (size_t r = 0; r < emulated_lines(tile); r++)
    memcpy(emulated_tiles[tile].bytes[r], (const uint8_t *) base + r * stride, 64);
}

static inline void
emulated_store(int tile, void *base, size_t stride)
{
  for (size_t r = 0; r < emulated_lines(tile); r++)
    memcpy((uint8_t *) base + r * stride, emulated_tiles[tile].bytes[r], 64);
}

/* What is too small for a normal number is zero, before and after. */
static inline float
emulated_flushed(float x)
{
  return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static inline float
emulated_float_of(uint16_t bf16)
{
  uint32_t bits = (uint32_t) bf16 << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return emulated_flushed(x);
}

/* c[m][n] += (sum over k of a[m][k][0] b[k][n][0]) + (sum over k of a[m][k][1] b[k][n][1]), each
 * multiplied and added with one rounding (Intel's manual, volume 2, TDPBF16PS). */
static inline void
emulated_dpbf16(int c, int a, int b)
{
  if (emulated_lines(b) != 16 || emulated_lines(a) != emulated_lines(c))
    abort();
  for (size_t m = 0; m < emulated_lines(c); m++)
    for (int n = 0; n < 16; n++) {
      float sums[2] = {0};
      for (int k = 0; k < 16; k++)
        for (int i = 0; i < 2; i++)
          sums[i] =
              emulated_flushed(fmaf(emulated_float_of(emulated_tiles[a].pairs[m][k][i]),
                                    emulated_float_of(emulated_tiles[b].pairs[k][n][i]), sums[i]));
      float *sum = &emulated_tiles[c].floats[m][n];
      *sum = emulated_flushed(emulated_flushed(*sum) + emulated_flushed(sums[0] + sums[1]));
    }
}

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#define _tile_loadconfig emulated_load_config
#define _tile_release    emulated_release
#define _tile_zero       emulated_zero
#define _tile_loadd      emulated_load
#define _tile_stored     emulated_store
#define _tile_dpbf16ps   emulated_dpbf16

/* mt-kernels-simd.h — the kernels of mt-kernels.h, written once for vectors of LANES floats.
 *
 * Included by mt-kernels.c once for each instruction set, which defines before:
 *   the words of mt-simd.h
 *   TILE_ROWS                rows of a tile of MANY_OUTS outputs
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* One vector of columns of SIMD(tile). */
TARGET static inline __attribute__((always_inline)) void
SIMD(tile_step)(VEC sum[4][4], const float *restrict x, const float *restrict w, size_t n_in,
                const int n_rows, const int n_outs)
{
  VEC rows[4];
#pragma GCC unroll 4
  for (int r = 0; r < n_rows; r++)
    rows[r] = LOAD(x + (size_t) r * n_in);
#pragma GCC unroll 4
  for (int o = 0; o < n_outs; o++) {
    VEC weight = LOAD(w + (size_t) o * n_in);
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
      sum[o][r] = FMA(weight, rows[r], sum[o][r]);
  }
}

/* A tile of n_rows × n_outs results, all held in registers: each weight is loaded once and used for
 * every row, each x once for every output. Both counts are constants where this is inlined, and
 * n_rows * n_outs independent sums hide the latency of the multiply-add. */
TARGET static inline __attribute__((always_inline)) void
SIMD(tile)(float *restrict y, size_t y_stride, const float *restrict x, const float *restrict w,
           const float *restrict bias, size_t n_in, const int n_rows, const int n_outs)
{
  /* The weights of a tile lie behind one another, and so do the tiles: what will be needed next is
   * asked for in that order, as memory gives it fastest, although the rows are read side by side.
   */
  const size_t line = (size_t) n_outs * 2 * LANES;
  const float *next = w + (size_t) n_outs * n_in;
  VEC sum[4][4];
#pragma GCC unroll 4
  for (int o = 0; o < n_outs; o++)
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
      sum[o][r] = SET1(0);
  size_t k = 0;
  for (; k + 2 * LANES <= n_in; k += 2 * LANES) {
#pragma GCC unroll 12
    for (size_t at = 0; at < line; at += CACHE_LINE / sizeof *w)
      __builtin_prefetch(next + at);
    next += line;
    SIMD(tile_step)(sum, x + k, w + k, n_in, n_rows, n_outs);
    SIMD(tile_step)(sum, x + k + LANES, w + k + LANES, n_in, n_rows, n_outs);
  }
  for (; k + LANES <= n_in; k += LANES)
    SIMD(tile_step)(sum, x + k, w + k, n_in, n_rows, n_outs);
  if (k < n_in)
#pragma GCC unroll 4
    for (int o = 0; o < n_outs; o++) {
      VEC weight = LOAD_TAIL(w + (size_t) o * n_in + k, n_in - k);
#pragma GCC unroll 4
      for (int r = 0; r < n_rows; r++)
        sum[o][r] = FMA(weight, LOAD_TAIL(x + (size_t) r * n_in + k, n_in - k), sum[o][r]);
    }
#pragma GCC unroll 4
  for (int o = 0; o < n_outs; o++)
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++)
      y[(size_t) r * y_stride + (size_t) o] = REDUCE_ADD(sum[o][r]) + (bias ? bias[o] : 0);
}

/* n_outs weight rows against all rows of x, four at a time; the weights stay in the first-level
 * cache from one group of rows to the next. */
TARGET static inline __attribute__((always_inline)) void
SIMD(panel)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
            const float *restrict w, const float *restrict bias, size_t n_in, const int n_outs)
{
  size_t r = 0;
  for (; r + 4 <= rows; r += 4)
    SIMD(tile)(y + r * y_stride, y_stride, x + r * n_in, w, bias, n_in, 4, n_outs);
  y += r * y_stride;
  x += r * n_in;
  switch (rows - r) {
  case 3:
    SIMD(tile)(y, y_stride, x, w, bias, n_in, 3, n_outs);
    break;
  case 2:
    SIMD(tile)(y, y_stride, x, w, bias, n_in, 2, n_outs);
    break;
  case 1:
    SIMD(tile)(y, y_stride, x, w, bias, n_in, 1, n_outs);
    break;
  default:
    break;
  }
}

/* ---- Many rows ------------------------------------------------------------------------------- */

/* The sums are those of SIMD(tile): every lane of a vector adds up its own part of a row, and the
 * lanes are added in the same order, so that a row comes out the same, bit for bit, however many
 * rows there are. What is different is what is done for speed: weights are first laid out in the
 * order of use in a place of their own (rows that are 4096 bytes apart would push each
 * other out of the cache), and the lanes of four outputs are added together. */

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
  const mt_four biases = mt_four_load(bias);
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
    mt_four_store(y + (size_t) r * y_stride,
                  (mt_four) REDUCE_ADD_4(sum[0][r], sum[1][r], sum[2][r], sum[3][r]) + biases);
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

TARGET static void
SIMD(linear)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
             const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in)
{
  size_t o = 0;
  if (rows >= MANY_ROWS && n_in <= MANY_IN) {
    o = n_out / MANY_OUTS * MANY_OUTS;
    SIMD(product_many)(y, y_stride, x, rows, w, bias, o, n_in);
  }
  for (; o + OUTS <= n_out; o += OUTS)
    SIMD(panel)(y + o, y_stride, x, rows, w + o * n_in, bias ? bias + o : NULL, n_in, OUTS);
  for (; o < n_out; o++)
    SIMD(panel)(y + o, y_stride, x, rows, w + o * n_in, bias ? bias + o : NULL, n_in, 1);
}

TARGET static inline __attribute__((always_inline)) float
SIMD(max)(const float *x, size_t n)
{
  VEC most = SET1(-INFINITY);
  size_t k = 0;
  for (; k + LANES <= n; k += LANES)
    most = MAX(LOAD(x + k), most);
  float max = REDUCE_MAX(most);
  for (; k < n; k++)
    max = x[k] > max ? x[k] : max;
  return max;
}

/* Beside the largest term those below 6e-8 are lost, a lane's share of a vocabulary: lanes are few
 * in a vector of four, of which there are four sums. */
#define EXP_SUMS (LANES < 8 ? 4 : 1)

/* A vector of exp(x - max), from element k on. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(exp_term)(float *out, const float *x, size_t k, VEC max)
{
  VEC e = SIMD(exp)(SUB(LOAD(x + k), max));
  if (out)
    STORE(out + k, e);
  return e;
}

/* Sum of exp(x - max); if out is not NULL, the terms are stored there (it may be x). */
TARGET static inline __attribute__((always_inline)) float
SIMD(exp_sum)(float *out, const float *x, size_t n, float max)
{
  VEC sums[EXP_SUMS], top = SET1(max);
  size_t k = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < EXP_SUMS; i++)
    sums[i] = SET1(0);
  for (; k + EXP_SUMS * LANES <= n; k += EXP_SUMS * LANES)
#pragma GCC unroll 4
    for (size_t i = 0; i < EXP_SUMS; i++)
      sums[i] = ADD(sums[i], SIMD(exp_term)(out, x, k + i * LANES, top));
  for (; k + LANES <= n; k += LANES)
    sums[0] = ADD(sums[0], SIMD(exp_term)(out, x, k, top));
#pragma GCC unroll 4
  for (size_t i = 1; i < EXP_SUMS; i++)
    sums[0] = ADD(sums[0], sums[i]);
  float total = REDUCE_ADD(sums[0]);
  if (k < n) {
    float tail[LANES];
    STORE(tail, SIMD(exp)(SUB(LOAD_TAIL(x + k, n - k), top)));
    for (size_t i = 0; k + i < n; i++) {
      total += tail[i];
      if (out)
        out[k + i] = tail[i];
    }
  }
  return total;
}

TARGET static float
SIMD(softmax)(float *x, size_t n)
{
  float max = SIMD(max)(x, n);
  if (max == -INFINITY) {
    bool all_masked = true;
    for (size_t i = 0; i < n; i++)
      all_masked = all_masked && x[i] == -INFINITY;
    for (size_t i = 0; i < n; i++)
      x[i] = all_masked ? 0 : NAN;
    return all_masked ? -INFINITY : NAN;
  }
  float total = SIMD(exp_sum)(x, x, n, max);
  VEC share = SET1(1 / total);
  size_t k = 0;
  for (; k + LANES <= n; k += LANES)
    STORE(x + k, MUL(LOAD(x + k), share));
  for (; k < n; k++)
    x[k] *= 1 / total;
  return max + logf(total);
}

TARGET static float
SIMD(log_sum_exp)(const float *x, size_t n)
{
  float max = SIMD(max)(x, n);
  return isfinite(max) ? max + logf(SIMD(exp_sum)(NULL, x, n, max)) : max;
}

/* 1 / (1 + exp(-x)). With e = exp(-|x|) nothing overflows: 1 / (1 + e), times e where x < 0. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(sigmoid)(VEC x)
{
  VEC minus = SUB(SET1(0), x);
  VEC e = SIMD(exp)(SUB(SET1(0), MAX(x, minus)));
  VEC share = ADD(ZERO_BELOW(SET1(1), x, 0), ZERO_BELOW(e, minus, FLT_TRUE_MIN));
  return DIV(share, ADD(SET1(1), e));
}

TARGET static inline __attribute__((always_inline)) VEC
SIMD(silu_of)(VEC x)
{
  return MUL(x, SIMD(sigmoid)(x));
}

TARGET static void
SIMD(silu)(float *x, size_t n)
{
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    STORE(x + i, SIMD(silu_of)(LOAD(x + i)));
  if (i < n)
    STORE_TAIL(x + i, SIMD(silu_of)(LOAD_TAIL(x + i, n - i)), n - i);
}

/* 1/2 (1 + tanh(u)) is the sigmoid of 2u. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(gelu_tanh_of)(VEC x)
{
  VEC inner = FMA(MUL(SET1(MT_GELU_CUBE), MUL(x, x)), x, x);
  return MUL(x, SIMD(sigmoid)(MUL(SET1(2 * MT_GELU_SCALE), inner)));
}

TARGET static void
SIMD(gelu_tanh)(float *x, size_t n)
{
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    STORE(x + i, SIMD(gelu_tanh_of)(LOAD(x + i)));
  if (i < n)
    STORE_TAIL(x + i, SIMD(gelu_tanh_of)(LOAD_TAIL(x + i, n - i)), n - i);
}

/* Below the least, exp is 0, and so is its product with what is finite. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(entropy_terms)(VEC x, VEC log_sum)
{
  VEC logprob = MAX(SUB(x, log_sum), SET1(-1000));
  return MUL(SIMD(exp)(logprob), logprob);
}

TARGET static float
SIMD(entropy)(const float *x, size_t n, float log_sum)
{
  VEC sum = SET1(0), all = SET1(log_sum);
  size_t k = 0;
  for (; k + LANES <= n; k += LANES)
    sum = ADD(sum, SIMD(entropy_terms)(LOAD(x + k), all));
  float total = REDUCE_ADD(sum);
  if (k < n) {
    float tail[LANES];
    STORE(tail, SIMD(entropy_terms)(LOAD_TAIL(x + k, n - k), all));
    for (size_t i = 0; k + i < n; i++)
      total += tail[i];
  }
  return -total;
}

/* Four doubles, whatever the width: the sums are those of plain C. What p leaves out may be
 * infinite, and is masked before it is added. */
TARGET static double
SIMD(expectation)(const float *p, const float *x, const float *y, size_t n)
{
  typedef int64_t bits __attribute__((vector_size(32)));
  mt_doubles sums = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const mt_doubles share = LOAD_DOUBLES(p + i);
    mt_doubles value = LOAD_DOUBLES(x + i);
    if (y)
      value -= LOAD_DOUBLES(y + i);
    sums += (mt_doubles) ((bits) (share > 0) & (bits) (share * value));
  }
  double sum[4];
  memcpy(sum, &sums, sizeof sum);
  for (; i < n; i++)
    if (p[i] > 0)
      sum[i % 4] += (double) p[i] * ((double) x[i] - (y ? y[i] : 0));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

TARGET static size_t
SIMD(rank)(const float *x, size_t n, size_t at)
{
  const VEC own = SET1(x[at]);
  size_t rank = 0, i = 0;
  for (; i + LANES <= at; i += LANES)
    rank += LANES - (size_t) __builtin_popcount(MASK_ABOVE(own, LOAD(x + i)));
  for (; i < n && (i <= at || i % LANES != 0); i++)
    rank += x[i] > x[at] || (i < at && x[i] == x[at]);
  for (; i + LANES <= n; i += LANES)
    rank += (size_t) __builtin_popcount(MASK_ABOVE(LOAD(x + i), own));
  for (; i < n; i++)
    rank += x[i] > x[at];
  return rank;
}

TARGET static size_t
SIMD(find_above)(const float *x, size_t begin, size_t n, float log_sum, float so_far, float least)
{
  const VEC minus = SET1(log_sum), plus = SET1(so_far), bound = SET1(least);
  size_t i = begin;
  for (; i + LANES <= n; i += LANES) {
    unsigned mask = MASK_ABOVE(ADD(SUB(LOAD(x + i), minus), plus), bound);
    if (mask)
      return i + (size_t) __builtin_ctz(mask);
  }
  while (i < n && !((x[i] - log_sum) + so_far > least))
    i++;
  return i;
}

TARGET static size_t
SIMD(arg_max)(const float *x, size_t n)
{
  float max = SIMD(max)(x, n);
  /* The largest float below max: the first element above it is the first that equals max. */
  size_t i = max > -INFINITY ? SIMD(find_above)(x, 0, n, 0, 0, nextafterf(max, -INFINITY)) : 0;
  return i < n ? i : 0;
}

TARGET static void
SIMD(layer_norm)(float *out, const float *x, const float *gain, const float *bias, size_t d,
                 float eps)
{
  VEC sum = SET1(0);
  size_t k = 0;
  for (; k + LANES <= d; k += LANES)
    sum = ADD(sum, LOAD(x + k));
  float total = REDUCE_ADD(sum);
  for (; k < d; k++)
    total += x[k];
  float mean = total / (float) d;
  VEC mean_all = SET1(mean), squares = SET1(0);
  for (k = 0; k + LANES <= d; k += LANES) {
    VEC c = SUB(LOAD(x + k), mean_all);
    squares = FMA(c, c, squares);
  }
  total = REDUCE_ADD(squares);
  for (; k < d; k++)
    total += (x[k] - mean) * (x[k] - mean);
  float scale = 1 / sqrtf(total / (float) d + eps);
  VEC scale_all = SET1(scale);
  for (k = 0; k + LANES <= d; k += LANES)
    STORE(out + k, FMA(MUL(SUB(LOAD(x + k), mean_all), scale_all), LOAD(gain + k), LOAD(bias + k)));
  for (; k < d; k++)
    out[k] = (x[k] - mean) * scale * gain[k] + bias[k];
}

TARGET static void
SIMD(rms_norm)(float *out, const float *x, const float *gain, size_t d, float eps)
{
  VEC squares = SET1(0);
  size_t k = 0;
  for (; k + LANES <= d; k += LANES)
    squares = FMA(LOAD(x + k), LOAD(x + k), squares);
  float total = REDUCE_ADD(squares);
  for (; k < d; k++)
    total += x[k] * x[k];
  const float scale = 1 / sqrtf(total / (float) d + eps);
  VEC scale_all = SET1(scale);
  for (k = 0; k + LANES <= d; k += LANES)
    STORE(out + k, MUL(MUL(LOAD(x + k), scale_all), LOAD(gain + k)));
  for (; k < d; k++)
    out[k] = x[k] * scale * gain[k];
}

TARGET static void
SIMD(centre)(float *out, const float *x, const float *gain, size_t d)
{
  VEC sum = SET1(0);
  size_t k = 0;
  for (; k + LANES <= d; k += LANES)
    sum = ADD(sum, LOAD(x + k));
  float total = REDUCE_ADD(sum);
  for (; k < d; k++)
    total += x[k];
  const float mean = total / (float) d;
  VEC mean_all = SET1(mean);
  for (k = 0; k + LANES <= d; k += LANES)
    STORE(out + k, MUL(LOAD(gain + k), SUB(LOAD(x + k), mean_all)));
  for (; k < d; k++)
    out[k] = gain[k] * (x[k] - mean);
}

TARGET static inline __attribute__((always_inline)) VEC
SIMD(absolute)(VEC v)
{
  return MAX(v, SUB(SET1(0), v));
}

TARGET static float
SIMD(shortening)(const float *y, const float *t, float scale, size_t n)
{
  VEC sum = SET1(0), factor = SET1(scale);
  for (size_t k = 0; k < n; k += LANES) {
    /* What is behind the end is 0 in both, and gives 0. */
    VEC whole = k + LANES <= n ? LOAD(y + k) : LOAD_TAIL(y + k, n - k);
    VEC part = k + LANES <= n ? LOAD(t + k) : LOAD_TAIL(t + k, n - k);
    VEC rest = SUB(whole, MUL(factor, part));
    sum = ADD(sum, SUB(SIMD(absolute)(whole), SIMD(absolute)(rest)));
  }
  return REDUCE_ADD(sum);
}

/* One or two vectors of columns of up to four rows, all sums in registers: a part is loaded once
 * for the rows, a weight once for the columns. n_last: how many floats the last vector has. */
TARGET static inline __attribute__((always_inline)) void
SIMD(shortenings_tile)(VEC sum[4], const float *restrict y, size_t y_stride,
                       const float *restrict a, const float *restrict f, size_t n_parts, size_t n,
                       size_t n_last, const int n_rows, const int n_vectors)
{
  VEC t[4][2];
#pragma GCC unroll 4
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 2
    for (int v = 0; v < n_vectors; v++)
      t[r][v] = SET1(0);
  for (size_t h = 0; h < n_parts; h++) {
    VEC part[2];
#pragma GCC unroll 2
    for (int v = 0; v < n_vectors; v++)
      part[v] =
          n_last < LANES ? LOAD_TAIL(f + h * n, n_last) : LOAD(f + h * n + (size_t) v * LANES);
#pragma GCC unroll 4
    for (int r = 0; r < n_rows; r++) {
      VEC weight = SET1(a[(size_t) r * n_parts + h]);
#pragma GCC unroll 2
      for (int v = 0; v < n_vectors; v++)
        t[r][v] = FMA(weight, part[v], t[r][v]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 2
    for (int v = 0; v < n_vectors; v++) {
      const float *from = y + (size_t) r * y_stride + (size_t) v * LANES;
      VEC whole = n_last < LANES ? LOAD_TAIL(from, n_last) : LOAD(from);
      sum[r] = ADD(sum[r], SUB(SIMD(absolute)(whole), SIMD(absolute)(SUB(whole, t[r][v]))));
    }
}

TARGET static inline __attribute__((always_inline)) void
SIMD(shortenings_rows)(float *out, size_t out_stride, const float *y, size_t y_stride,
                       const float *a, const float *f, size_t n_parts, size_t n, const int n_rows)
{
  VEC sum[4] = {SET1(0), SET1(0), SET1(0), SET1(0)};
  size_t k = 0;
  for (; k + 2 * LANES <= n; k += 2 * LANES)
    SIMD(shortenings_tile)(sum, y + k, y_stride, a, f + k, n_parts, n, LANES, n_rows, 2);
  for (; k < n; k += LANES)
    SIMD(shortenings_tile)
  (sum, y + k, y_stride, a, f + k, n_parts, n, n - k < LANES ? n - k : LANES, n_rows, 1);
#pragma GCC unroll 4
  for (int r = 0; r < n_rows; r++)
    out[(size_t) r * out_stride] = REDUCE_ADD(sum[r]);
}

TARGET static void
SIMD(shortenings)(float *out, size_t out_stride, const float *y, size_t y_stride, const float *a,
                  const float *f, size_t rows, size_t n_parts, size_t n)
{
  size_t r = 0;
  for (; r + 4 <= rows; r += 4)
    SIMD(shortenings_rows)
  (out + r * out_stride, out_stride, y + r * y_stride, y_stride, a + r * n_parts, f, n_parts, n, 4);
  for (; r < rows; r++)
    SIMD(shortenings_rows)
  (out + r * out_stride, out_stride, y + r * y_stride, y_stride, a + r * n_parts, f, n_parts, n, 1);
}

static const mt_kernels SIMD(table) = {
    SIMD_NAME,        SIMD(linear),      SIZE_MAX,         SIMD(softmax),  SIMD(log_sum_exp),
    SIMD(entropy),    SIMD(expectation), SIMD(rank),       SIMD(arg_max),  SIMD(find_above),
    SIMD(silu),       SIMD(gelu_tanh),   SIMD(layer_norm), SIMD(rms_norm), SIMD(centre),
    SIMD(shortening), SIMD(shortenings),
};

#undef EXP_SUMS

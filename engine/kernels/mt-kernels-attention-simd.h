/* mt-kernels-attention-simd.h — the products of attention, written once for vectors of LANES
 * floats.
 *
 * Included by mt-kernels-attention.c once for each instruction set, which defines before:
 *   the words of mt-simd.h
 *   CONTEXT_VECS    vectors of a context that are added up at once, in registers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/* ---- Few queries, heads side by side --------------------------------------------------------- */

/* The part of each lane in the product of two rows. n_vecs, a constant where this is inlined: d is
 * so many vectors; 0: it is anything. */
TARGET static inline __attribute__((always_inline)) VEC
SIMD(parts)(const float *q, const float *k, size_t d, const int n_vecs)
{
  VEC sum = SET1(0);
  if (n_vecs > 0) {
#pragma GCC unroll 4
    for (int v = 0; v < n_vecs; v++)
      sum = FMA(LOAD(q + v * LANES), LOAD(k + v * LANES), sum);
    return sum;
  }
  size_t c = 0;
  for (; c + LANES <= d; c += LANES)
    sum = FMA(LOAD(q + c), LOAD(k + c), sum);
  if (c < d)
    sum = FMA(LOAD_TAIL(q + c, d - c), LOAD_TAIL(k + c, d - c), sum);
  return sum;
}

/* A vector has LANES scores: pairs of a key and a head, those of one key behind each other. With
 * n_fixed, a constant, there are so many heads. */
TARGET static inline __attribute__((always_inline)) void
SIMD(scores_of)(float *restrict out, const float *restrict q, size_t q_stride,
                const mt_seen_rows *keys, size_t rows, size_t n_heads, size_t d, float scale,
                const int n_vecs, const size_t n_fixed)
{
  const size_t n = keys->n, n_pairs = n * n_heads;
  const VEC factor = SET1(scale);
  size_t i = 0, h = 0; /* of the first pair of the vector */
  size_t fetched = 0;
  for (size_t pair = 0; pair < n_pairs; pair += LANES) {
    size_t key = i, head = h;
    for (; fetched < n && fetched < i + AHEAD; fetched++)
      fetch(seen_row(keys, 0, fetched), n_heads * d);
    for (size_t r = 0; r < rows; r++) {
      const uint32_t *index = keys->index ? keys->index + r * keys->index_stride : NULL;
      const float *query = q + r * q_stride, *row = NULL;
      VEC sums[LANES];
      key = i;
      head = h;
      row = keys->matrix + (index ? index[key] : key) * keys->stride;
#pragma GCC unroll 16
      for (size_t p = 0; p < LANES; p++) {
        size_t column = (n_fixed > 0 ? p % n_fixed : head) * d;
        sums[p] = SIMD(parts)(query + column, row + column, d, n_vecs);
        if (n_fixed > 0 ? (p + 1) % n_fixed == 0 : ++head == n_heads) {
          head = 0;
          /* Behind the last key it comes once more; nothing is stored of that. */
          if (++key < n)
            row = keys->matrix + (index ? index[key] : key) * keys->stride;
        }
      }
      VEC products = MUL(SUMS(sums), factor);
      float *to = out + r * n_pairs + pair;
      if (pair + LANES <= n_pairs)
        STORE(to, products);
      else
        STORE_TAIL(to, products, n_pairs - pair);
    }
    i = key;
    h = head;
  }
}

/* The usual heads: 8, and as many vectors as 32 and 64 columns are. A vector of four has but half
 * of the heads of a key. */
#define EIGHT_HEADS (LANES < 8 ? 0 : 8)
#define SCORES(name, n_vecs, n_fixed)                                                       \
  TARGET static __attribute__((noinline)) void SIMD(                                        \
      name)(float *restrict out, const float *restrict q, size_t q_stride,                  \
            const mt_seen_rows *keys, size_t rows, size_t n_heads, size_t d, float scale)   \
  {                                                                                         \
    SIMD(scores_of)                                                                         \
    (out, q, q_stride, keys, rows, n_fixed ? n_fixed : n_heads, d, scale, n_vecs, n_fixed); \
  }
SCORES(scores_8_of_32, 32 / LANES, EIGHT_HEADS)
SCORES(scores_8_of_64, 64 / LANES, EIGHT_HEADS)
SCORES(scores_of_32, 32 / LANES, 0)
SCORES(scores_of_64, 64 / LANES, 0)
SCORES(scores_of_any, 0, 0)
#undef SCORES
#undef EIGHT_HEADS

TARGET static void
SIMD(scores)(float *restrict out, const float *restrict q, size_t q_stride,
             const mt_seen_rows *keys, size_t rows, size_t n_heads, size_t d, float scale)
{
  if (keys->n == 0)
    return;
  if (d == 32 && n_heads == 8)
    SIMD(scores_8_of_32)(out, q, q_stride, keys, rows, n_heads, d, scale);
  else if (d == 64 && n_heads == 8)
    SIMD(scores_8_of_64)(out, q, q_stride, keys, rows, n_heads, d, scale);
  else if (d == 32)
    SIMD(scores_of_32)(out, q, q_stride, keys, rows, n_heads, d, scale);
  else if (d == 64)
    SIMD(scores_of_64)(out, q, q_stride, keys, rows, n_heads, d, scale);
  else
    SIMD(scores_of_any)(out, q, q_stride, keys, rows, n_heads, d, scale);
}

/* What belongs to element i of x [n][n_heads] stands in a list of the heads, with so many of it
 * behind its end as a vector has: a vector begins with that of the first head in it. */
TARGET static inline __attribute__((always_inline)) size_t
SIMD(next_head)(size_t head, size_t step, size_t n_heads)
{
  head += step;
  return head < n_heads ? head : head - n_heads;
}

TARGET static void
SIMD(softmax)(float *restrict x, size_t n, size_t n_heads, float *restrict lse)
{
  float most[4 * MT_ATTENTION_HEADS + LANES], total[4 * MT_ATTENTION_HEADS + LANES];
  float share[MT_ATTENTION_HEADS + LANES];
  const size_t size = n * n_heads, width = 4 * n_heads, step = LANES % n_heads;
  for (size_t i = 0; i < width; i += LANES)
    STORE(most + i, SET1(-INFINITY));
  for (size_t first = 0; first < size; first += width) {
    const size_t end = size - first < width ? size - first : width;
    size_t i = 0;
    for (; i + LANES <= end; i += LANES)
      STORE(most + i, MAX(LOAD(x + first + i), LOAD(most + i)));
    for (; i < end; i++)
      most[i] = x[first + i] > most[i] ? x[first + i] : most[i];
  }
  for (size_t h = 0; h < n_heads; h++) {
    float a = fmaxf(most[h], most[h + n_heads]);
    float b = fmaxf(most[h + 2 * n_heads], most[h + 3 * n_heads]);
    most[h] = fmaxf(a, b);
  }
  /* Of a column that is all -INFINITY each exponential shall be 0. */
  float *top = share;
  for (size_t i = 0; i < n_heads + LANES; i++)
    top[i] = i >= n_heads ? top[i - n_heads] : most[i] > -INFINITY ? most[i] : 0;

  size_t i = 0, head = 0;
  for (; i + LANES <= size; i += LANES, head = SIMD(next_head)(head, step, n_heads))
    STORE(x + i, SIMD(exp)(SUB(LOAD(x + i), LOAD(top + head))));
  if (i < size)
    STORE_TAIL(x + i, SIMD(exp)(SUB(LOAD_TAIL(x + i, size - i), LOAD(top + head))), size - i);

  for (i = 0; i < width; i += LANES)
    STORE(total + i, SET1(0));
  for (size_t first = 0; first < size; first += width) {
    const size_t end = size - first < width ? size - first : width;
    for (i = 0; i + LANES <= end; i += LANES)
      STORE(total + i, ADD(LOAD(total + i), LOAD(x + first + i)));
    for (; i < end; i++)
      total[i] += x[first + i];
  }
  for (size_t h = 0; h < n_heads; h++) {
    total[h] = (total[h] + total[h + 2 * n_heads]) + (total[h + n_heads] + total[h + 3 * n_heads]);
    if (lse)
      lse[h] = most[h] > -INFINITY ? top[h] + logf(total[h]) : isnan(total[h]) ? NAN : -INFINITY;
  }
  for (i = 0; i < n_heads + LANES; i++)
    share[i] = i >= n_heads ? share[i - n_heads] : total[i] != 0 ? 1 / total[i] : 0;
  for (i = head = 0; i + LANES <= size; i += LANES, head = SIMD(next_head)(head, step, n_heads))
    STORE(x + i, MUL(LOAD(x + i), LOAD(share + head)));
  if (i < size)
    STORE_TAIL(x + i, MUL(LOAD_TAIL(x + i, size - i), LOAD(share + head)), size - i);
}

/* The context of one query, keys first … end - 1 of it. */
typedef struct {
  float *out;
  const float *w;
  const mt_seen_rows *values;
  const uint32_t *index; /* of this query, or NULL */
  size_t n_heads, d, first, end;
  bool fetches; /* the rows behind are asked for */
} SIMD(sums);

TARGET static inline __attribute__((always_inline)) const float *
SIMD(value_row)(const SIMD(sums) * s, size_t i)
{
  return s->values->matrix + (s->index ? s->index[i] : i) * s->values->stride;
}

/* From column c of head h on n_vecs vectors of each of n_tile heads; both are constants where this
 * is inlined. */
TARGET static inline __attribute__((always_inline)) void
SIMD(context_tile)(const SIMD(sums) * s, size_t h, size_t c, const int n_tile, const int n_vecs)
{
  const size_t d = s->d, column = h * d + c, end = s->end, n_heads = s->n_heads;
  const size_t width = s->fetches && column == 0 ? n_heads * d : 0, n = s->values->n;
  const float *w = s->w + h;
  float *out = s->out + column;
  VEC sum[CONTEXT_VECS];
#pragma GCC unroll 16
  for (int v = 0; v < n_tile * n_vecs; v++)
    sum[v] = s->first > 0 ? LOAD(out + (size_t) (v / n_vecs) * d + (size_t) (v % n_vecs) * LANES)
                          : SET1(0);
  for (size_t i = s->first; i < end; i++) {
    const float *row = SIMD(value_row)(s, i) + column;
    if (width > 0 && i + AHEAD < n)
      fetch(SIMD(value_row)(s, i + AHEAD), width);
#pragma GCC unroll 16
    for (int t = 0; t < n_tile; t++) {
      const VEC weight = SET1(w[i * n_heads + (size_t) t]);
#pragma GCC unroll 16
      for (int v = 0; v < n_vecs; v++)
        sum[t * n_vecs + v] =
            FMA(weight, LOAD(row + (size_t) t * d + (size_t) v * LANES), sum[t * n_vecs + v]);
    }
  }
#pragma GCC unroll 16
  for (int v = 0; v < n_tile * n_vecs; v++)
    STORE(out + (size_t) (v / n_vecs) * d + (size_t) (v % n_vecs) * LANES, sum[v]);
}

/* The last columns of head h, from c on, fewer than a vector. */
TARGET static void
SIMD(context_rest)(const SIMD(sums) * s, size_t h, size_t c)
{
  const size_t column = h * s->d + c, n = s->d - c;
  VEC sum = s->first > 0 ? LOAD_TAIL(s->out + column, n) : SET1(0);
  for (size_t i = s->first; i < s->end; i++)
    sum = FMA(SET1(s->w[i * s->n_heads + h]), LOAD_TAIL(SIMD(value_row)(s, i) + column, n), sum);
  STORE_TAIL(s->out + column, sum, n);
}

/* All heads; n_vecs, a constant, vectors are a head, or 0: it is anything. */
TARGET static inline __attribute__((always_inline)) void
SIMD(context_of)(const SIMD(sums) * s, const int n_vecs)
{
  const int n_tile = n_vecs > 0 ? CONTEXT_VECS / n_vecs : 1;
  size_t h = 0;
  for (; n_vecs > 0 && h + (size_t) n_tile <= s->n_heads; h += (size_t) n_tile)
    SIMD(context_tile)(s, h, 0, n_tile, n_vecs > 0 ? n_vecs : 1);
  for (; h < s->n_heads; h++) {
    size_t c = 0;
    for (; c + 4 * LANES <= s->d; c += 4 * LANES)
      SIMD(context_tile)(s, h, c, 1, 4);
    for (; c + LANES <= s->d; c += LANES)
      SIMD(context_tile)(s, h, c, 1, 1);
    if (c < s->d)
      SIMD(context_rest)(s, h, c);
  }
}

TARGET static void
SIMD(context)(float *restrict out, size_t out_stride, const float *restrict w,
              const mt_seen_rows *values, size_t rows, size_t n_heads, size_t d)
{
  /* Values that several queries see stay in the first cache from one to the next. */
  const size_t n = values->n, block = rows > 1 ? BLOCK_KEYS : n;
  for (size_t r = 0; n == 0 && r < rows; r++)
    memset(out + r * out_stride, 0, n_heads * d * sizeof *out);
  for (size_t first = 0; first < n; first += block)
    for (size_t r = 0; r < rows; r++) {
      const SIMD(sums)
          sums = {.out = out + r * out_stride,
                  .w = w + r * n * n_heads,
                  .values = values,
                  .index = values->index ? values->index + r * values->index_stride : NULL,
                  .n_heads = n_heads,
                  .d = d,
                  .first = first,
                  .end = n - first < block ? n : first + block,
                  .fetches = r == 0};
      if (d == 32)
        SIMD(context_of)(&sums, 32 / LANES);
      else if (d == 64)
        SIMD(context_of)(&sums, 64 / LANES);
      else
        SIMD(context_of)(&sums, 0);
    }
}

/* ---- Many queries of one head ---------------------------------------------------------------- */

/* packed [d][n_vecs * LANES] = n keys turned round; zeros fill up. */
TARGET static inline void
SIMD(turn)(float *restrict packed, const float *restrict k, size_t k_stride, size_t n, size_t d,
           size_t width)
{
  for (size_t i = 0; i < width; i += 4) {
    size_t c = 0;
    if (i + 4 <= n)
      for (; c + 4 <= d; c += 4)
        mt_four_turn(packed + c * width + i, width, k + i * k_stride + c, k_stride);
    for (; c < d; c++)
      for (size_t j = i; j < i + 4; j++)
        packed[c * width + j] = j < n ? k[j * k_stride + c] : 0;
  }
}

/* Scores of n_rows queries with n keys that were turned round; n_rows and n_vecs are constants
 * where this is inlined. */
TARGET static inline __attribute__((always_inline)) void
SIMD(query_key_tile)(float *restrict scores, size_t n_keys, const float *restrict q,
                     size_t q_stride, const float *restrict packed, size_t n, size_t d, float scale,
                     const int n_rows, const int n_vecs)
{
  VEC sum[TILE_ROWS][2];
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 2
    for (int v = 0; v < n_vecs; v++)
      sum[r][v] = SET1(0);
  for (size_t c = 0; c < d; c++) {
    VEC keys[2];
#pragma GCC unroll 2
    for (int v = 0; v < n_vecs; v++)
      keys[v] = LOAD(packed + (c * (size_t) n_vecs + (size_t) v) * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
      const VEC number = SET1(q[(size_t) r * q_stride + c]);
#pragma GCC unroll 2
      for (int v = 0; v < n_vecs; v++)
        sum[r][v] = FMA(number, keys[v], sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 2
    for (int v = 0; v < n_vecs; v++) {
      const size_t at = (size_t) v * LANES;
      float *to = scores + (size_t) r * n_keys + at;
      const VEC products = MUL(sum[r][v], SET1(scale));
      if (at + LANES <= n)
        STORE(to, products);
      else if (at < n)
        STORE_TAIL(to, products, n - at);
    }
}

/* A function of any number of rows, from one that is inlined for TILE_ROWS and fewer. */
#define ANY_ROWS(rows, call)                      \
  size_t r = 0;                                   \
  for (; r + TILE_ROWS <= (rows); r += TILE_ROWS) \
    call(TILE_ROWS);                              \
  if (r + 4 <= (rows)) {                          \
    call(4);                                      \
    r += 4;                                       \
  }                                               \
  if (r + 2 <= (rows)) {                          \
    call(2);                                      \
    r += 2;                                       \
  }                                               \
  if (r < (rows))                                 \
    call(1);

#define TILE(n_rows)   \
  SIMD(query_key_tile) \
  (scores + r * n_keys, n_keys, q + r * q_stride, q_stride, packed, n, d, scale, n_rows, n_vecs)
TARGET static inline __attribute__((always_inline)) void
SIMD(query_key_block)(float *restrict scores, size_t n_keys, const float *restrict q,
                      size_t q_stride, const float *restrict packed, size_t rows, size_t n,
                      size_t d, float scale, const int n_vecs){ANY_ROWS(rows, TILE)}
#undef TILE

TARGET static void SIMD(query_key)(float *restrict scores, const float *restrict q, size_t q_stride,
                                   const float *restrict k, size_t k_stride, size_t rows,
                                   size_t n_keys, size_t d, float scale)
{
  float packed[MT_ATTENTION_COLUMNS * 2 * LANES];
  for (size_t i = 0; i < n_keys; i += 2 * LANES) {
    const size_t n = n_keys - i < 2 * LANES ? n_keys - i : 2 * LANES;
    SIMD(turn)(packed, k + i * k_stride, k_stride, n, d, n > LANES ? 2 * LANES : LANES);
    if (n > LANES)
      SIMD(query_key_block)(scores + i, n_keys, q, q_stride, packed, rows, n, d, scale, 2);
    else
      SIMD(query_key_block)(scores + i, n_keys, q, q_stride, packed, rows, n, d, scale, 1);
  }
}

/* n more keys in the contexts of n_rows queries: n_vecs vectors of them, or one of n_last columns.
 */
TARGET static inline __attribute__((always_inline)) void
SIMD(weights_value_tile)(float *restrict context, size_t context_stride,
                         const float *restrict weights, size_t n_keys, const float *restrict v,
                         size_t v_stride, size_t n, bool goes_on, size_t n_last, const int n_rows,
                         const int n_vecs)
{
  VEC sum[TILE_ROWS][2];
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 2
    for (int c = 0; c < n_vecs; c++) {
      const float *from = context + (size_t) r * context_stride + (size_t) c * LANES;
      sum[r][c] = !goes_on ? SET1(0) : n_last ? LOAD_TAIL(from, n_last) : LOAD(from);
    }
  for (size_t i = 0; i < n; i++) {
    VEC values[2];
#pragma GCC unroll 2
    for (int c = 0; c < n_vecs; c++) {
      const float *from = v + i * v_stride + (size_t) c * LANES;
      values[c] = n_last ? LOAD_TAIL(from, n_last) : LOAD(from);
    }
#pragma GCC unroll 8
    for (int r = 0; r < n_rows; r++) {
      const VEC weight = SET1(weights[(size_t) r * n_keys + i]);
#pragma GCC unroll 2
      for (int c = 0; c < n_vecs; c++)
        sum[r][c] = FMA(weight, values[c], sum[r][c]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < n_rows; r++)
#pragma GCC unroll 2
    for (int c = 0; c < n_vecs; c++) {
      float *to = context + (size_t) r * context_stride + (size_t) c * LANES;
      if (n_last)
        STORE_TAIL(to, sum[r][c], n_last);
      else
        STORE(to, sum[r][c]);
    }
}

#define TILE(n_rows)                                                                           \
  SIMD(weights_value_tile)                                                                     \
  (context + r * context_stride, context_stride, weights + r * n_keys, n_keys, v, v_stride, n, \
   goes_on, n_last, n_rows, n_vecs)
TARGET static inline __attribute__((always_inline)) void
SIMD(weights_value_block)(float *restrict context, size_t context_stride,
                          const float *restrict weights, size_t n_keys, const float *restrict v,
                          size_t v_stride, size_t rows, size_t n, bool goes_on, const size_t n_last,
                          const int n_vecs){ANY_ROWS(rows, TILE)}
#undef TILE
#undef ANY_ROWS

TARGET static void SIMD(weights_value)(float *restrict context, size_t context_stride,
                                       const float *restrict weights, const float *restrict v,
                                       size_t v_stride, size_t rows, size_t n_keys, size_t d)
{
  for (size_t r = 0; n_keys == 0 && r < rows; r++)
    memset(context + r * context_stride, 0, d * sizeof *context);
  /* Values that many queries see stay in the first cache. */
  for (size_t i = 0; i < n_keys; i += BLOCK_KEYS) {
    const size_t n = n_keys - i < BLOCK_KEYS ? n_keys - i : BLOCK_KEYS;
    const float *from = v + i * v_stride;
    size_t c = 0;
    for (; c + 2 * LANES <= d; c += 2 * LANES)
      SIMD(weights_value_block)
    (context + c, context_stride, weights + i, n_keys, from + c, v_stride, rows, n, i > 0, 0, 2);
    for (; c + LANES <= d; c += LANES)
      SIMD(weights_value_block)
    (context + c, context_stride, weights + i, n_keys, from + c, v_stride, rows, n, i > 0, 0, 1);
    if (c < d)
      SIMD(weights_value_block)
    (context + c, context_stride, weights + i, n_keys, from + c, v_stride, rows, n, i > 0, d - c,
     1);
  }
}

static const mt_kernels_attention SIMD(table) = {SIMD_NAME,       SIMD(scores),
                                                 SIMD(softmax),   SIMD(context),
                                                 SIMD(query_key), SIMD(weights_value)};

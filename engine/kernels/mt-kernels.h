/* mt-kernels.h — the inner loops of decoding, picked once for the processor at hand. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * While decoding, a step multiplies one to a few rows (the beams) with every weight of the decoder;
 * a general matrix product is built for other shapes. Each table holds the same functions for one
 * instruction set; "plain" is portable C and the reference that tests hold the others against.
 */
#ifndef MT_KERNELS_H
#define MT_KERNELS_H

#include "base/mt-dtype.h"
#include "mt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MT_KERNELS_ROWS 24

/* Of GELU by way of tanh: sqrt(2/pi), and the cube's share. */
#define MT_GELU_SCALE 0.79788456080286536f
#define MT_GELU_CUBE  0.044715f

typedef struct {
  const char *name;

  /* y[r][o] = sum_k x[r][k] w[o][k] + bias[o].
   * y [rows][n_out], consecutive rows y_stride apart; x [rows][n_in] contiguous; w [n_out][n_in];
   * bias [n_out] or NULL. A row comes out the same, bit for bit, however many there are. No
   * aliasing. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                 const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in);
  /* Up to so many rows, at least MT_KERNELS_ROWS, linear is no slower than a general matrix
   * product. */
  size_t most_rows;

  /* x becomes exp(x - max) / sum of the same; returns ln sum exp x. -INFINITY becomes exactly 0.
   * A row of nothing but -INFINITY becomes all zeros and -INFINITY; NaN spreads to the row. */
  float (*softmax)(float *x, size_t n);

  /* ln sum exp x, without changing x; n > 0. */
  float (*log_sum_exp)(const float *x, size_t n);

  /* -sum p ln p with p = exp(x - log_sum): of a row whose log_sum_exp that is; n > 0. An element of
   * -INFINITY counts 0. */
  float (*entropy)(const float *x, size_t n, float log_sum);

  /* sum p (x - y) over the elements whose p is above 0, in double precision and in four sums, of
   * elements i, i + 4, i + 8 …; y NULL: 0. Every table computes the same bits. */
  double (*expectation)(const float *p, const float *x, const float *y, size_t n);

  /* The number of elements above x[at], and of those before it that are equal to it: its place in
   * the order from the largest down, from 0. x has no NaN. */
  size_t (*rank)(const float *x, size_t n, size_t at);

  /* The first of the largest elements, or 0 if there is none above -INFINITY; x has no NaN, n > 0.
   */
  size_t (*arg_max)(const float *x, size_t n);

  /* The first i from `begin` on with (x[i] - log_sum) + so_far > least, or n. */
  size_t (*find_above)(const float *x, size_t begin, size_t n, float log_sum, float so_far,
                       float least);

  /* x becomes x / (1 + exp(-x)), the SiLU or swish (Ramachandran et al. 2017); NaN stays NaN. Each
   * element comes out the same, bit for bit, wherever it stands. */
  void (*silu)(float *x, size_t n);
  /* x becomes x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), GELU by way of tanh (Hendrycks and
   * Gimpel 2016), in the same way. */
  void (*gelu_tanh)(float *x, size_t n);

  /* out = gain * (x - mean) / sqrt(variance + eps) + bias; out may be x. */
  void (*layer_norm)(float *out, const float *x, const float *gain, const float *bias, size_t d,
                     float eps);

  /* out = gain * x / sqrt(mean of squares + eps) (Zhang and Sennrich 2019); out may be x. */
  void (*rms_norm)(float *out, const float *x, const float *gain, size_t d, float eps);

  /* out = gain * (x - mean): a norm without its deviation; out may be x. */
  void (*centre)(float *out, const float *x, const float *gain, size_t d);

  /* sum |y| - |y - scale t|: how much shorter y is, in L1, without scale times t. */
  float (*shortening)(const float *y, const float *t, float scale, size_t n);

  /* The same of many rows without their sums ever standing in memory: out[r * out_stride] is the
   * shortening of y [rows][n], rows y_stride apart, by t_r = sum_h a[r * n_parts + h] f_h, f
   * [n_parts][n]. */
  void (*shortenings)(float *out, size_t out_stride, const float *y, size_t y_stride,
                      const float *a, const float *f, size_t rows, size_t n_parts, size_t n);
} mt_kernels;

/* The fastest table that this processor can run. */
const mt_kernels *mt_kernels_best(void);

/* Every table this processor can run, plain first; i counts up until NULL comes back. */
const mt_kernels *mt_kernels_get(size_t i);

/* ---- Which tables there are ------------------------------------------------------------------ */

/* Which vectors this is compiled with: those of x86-64, of which a processor has some, or NEON,
 * which every 64-bit Arm has. */
#if defined(__GNUC__) && defined(__x86_64__)
#define MT_HAS_VECTORS 1
#define MT_INTRINSICS  <immintrin.h>
#elif defined(__GNUC__) && defined(__aarch64__)
#define MT_HAS_VECTORS 1
#define MT_INTRINSICS  <arm_neon.h>
#else
#define MT_HAS_VECTORS 0
#endif

/* The functions of a kind of table: _get, every one that this processor can run, plain C first, for
 * i from 0 until NULL comes back; _best, the last of them. For the end of a file that has
 * table_plain and, where there are vectors, table_##second and table_##third. */
#define MT_DEFINE_THREE_TABLES(type, second, has_second, third, has_third) \
  const type *type##_get(size_t i)                                         \
  {                                                                        \
    const type *tables[3] = {&table_plain};                                \
    size_t n = 1;                                                          \
    if (has_second)                                                        \
      tables[n++] = &table_##second;                                       \
    if (n > 1 && (has_third))                                              \
      tables[n++] = &table_##third;                                        \
    return i < n ? tables[i] : NULL;                                       \
  }                                                                        \
  MT_DEFINE_BEST(type)
/* The same by what x86-64 has; NEON is one set. */
#if defined(__GNUC__) && defined(__x86_64__)
#define MT_DEFINE_TABLES(...) MT_DEFINE_THREE_TABLES(__VA_ARGS__)
#elif MT_HAS_VECTORS
#define MT_DEFINE_TABLES(type, ...) MT_DEFINE_THREE_TABLES(type, neon, true, plain, false)
#else
#define MT_DEFINE_TABLES(type, ...) MT_DEFINE_THREE_TABLES(type, plain, false, plain, false)
#endif
#define MT_DEFINE_BEST(type)    \
  const type *type##_best(void) \
  {                             \
    size_t n = 1;               \
    while (type##_get(n))       \
      n++;                      \
    return type##_get(n - 1);   \
  }
#define MT_HAS_AVX2   (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define MT_HAS_AVX512 __builtin_cpu_supports("avx512f")

/* ---- Rows with weights that lie in panels ---------------------------------------------------- */

/* A panel has the weights of a few neighbouring outputs, turned round: first those of input 0, then
 * those of input 1. A vector of it meets one number of a row, the same in every lane, so that
 * nothing is added across a vector, the terms of each output are added in the order of the inputs,
 * and panels are read from memory from end to end. One row is as fast as a row-major matrix can be
 * read; many rows come near what the processor can multiply and add. */

/* Outputs of a panel; the last panel is filled up with zeros. */
#define MT_PANEL_OUTS    16
#define MT_PANELS(n_out) (((n_out) + MT_PANEL_OUTS - 1) / MT_PANEL_OUTS)
/* Numbers of 16 bits that are multiplied in pairs: of an odd number the last is paired with 0. */
#define MT_PAIRS(n_in) (((n_in) + 1) / 2)
/* Room for panels in any form. */
#define MT_PANELS_SIZE(n_out, n_in) (MT_PANELS(n_out) * MT_PANEL_OUTS * 2 * MT_PAIRS(n_in))

/* W [n_out][n_in] in F32 or F16 as panels [MT_PANELS(n_out)][n_in][MT_PANEL_OUTS] of the same
 * numbers; in BF16 as panels of pairs, [MT_PANELS(n_out)][MT_PAIRS(n_in)][MT_PANEL_OUTS] words of
 * 32 bits, the weight of the first input in the upper half and that of the second in the lower: as
 * the instructions for it read them, and a bf16 is the upper half of a float.
 * `panels` holds MT_PANELS_SIZE numbers. Panels begin … end - 1 are made. */
void mt_panels_pack(void *panels, const void *w, mt_dtype dtype, size_t n_out, size_t n_in,
                    size_t begin, size_t end);

/* Numbers w[k … k + n - 1] of output o, F16 or BF16, to their places in panels of zeros. */
void mt_panels_put(void *panels, mt_dtype dtype, size_t o, size_t n_in, size_t k, const uint16_t *w,
                   size_t n);

typedef struct {
  const char *name;

  /* y[r][o] = sum_k x[r][k] w[o][k] + bias[o], for o from first to first + n - 1; first begins a
   * panel. y [rows][…], consecutive rows y_stride apart; x [rows][n_in] contiguous; bias [n_out] or
   * NULL. Weights in F16 and BF16 are multiplied as the floats they are. The terms are added in the
   * order of k: a row comes out the same, bit for bit, however many there are beside it. No
   * aliasing. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict x, size_t rows,
                 const void *restrict panels, mt_dtype dtype, const float *restrict bias,
                 size_t first, size_t n, size_t n_in);
} mt_kernels_rows;

const mt_kernels_rows *mt_kernels_rows_best(void);
const mt_kernels_rows *mt_kernels_rows_get(size_t i);

/* ---- A dozen to some hundred rows with a weight matrix --------------------------------------- */

/* A sentence has 10 to 100 tokens: too many for the kernels of a decoding step above,
 * which would wait for their loads, and too few for a general product, which copies the whole
 * weight matrix into another order first. Here the rows are copied instead, since they are few:
 * turned round, so that a vector holds the same column of neighbouring rows, and each weight is
 * multiplied with it as it is found in the matrix. */

/* Room for so many rows in the form of `pack`. */
#define MT_PANEL_ROWS(rows) (((rows) + 15) / 16 * 16)

typedef struct {
  const char *name;

  /* packed [MT_PANEL_ROWS(rows) * n_in] from x [rows][n_in], in this table's own order. */
  void (*pack)(float *restrict packed, const float *restrict x, size_t rows, size_t n_in);

  /* y[r][o] = sum_k x[r][k] w[o][k] + bias[o].
   * y [rows][n_out], consecutive rows y_stride apart; packed by the same table; w [n_out][n_in];
   * bias [n_out] or NULL. The terms are added in the order of k: a row comes out the same, bit for
   * bit, however many there are beside it. No aliasing. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict packed, size_t rows,
                 const float *restrict w, const float *restrict bias, size_t n_out, size_t n_in);
} mt_kernels_panel;

/* Of no use without vectors: a general product is better than plain C. */
const mt_kernels_panel *mt_kernels_panel_best(void);
const mt_kernels_panel *mt_kernels_panel_get(size_t i);

/* ---- The small products of attention --------------------------------------------------------- */

/* The product of a head's queries with its keys has 32 or 64 terms, and a sentence has ten to
 * thirty keys: hundreds of such products in a step, each too small for a call that packs. Keys and
 * values of all heads stand side by side in one row, so what a step of a search does is made of
 * whole rows: the scores of all heads of one key, then of the next one, which is also how the rows
 * lie in memory. Where queries are many, of one head, the keys are turned round as weights are in
 * panels. */

/* The most heads that go together. */
#define MT_ATTENTION_HEADS 64
/* The most columns of a head in query_key. */
#define MT_ATTENTION_COLUMNS 256

/* The keys, or the values, that queries see: n rows of a matrix, `stride` apart. */
typedef struct {
  const float *matrix;
  size_t stride, n;
  /* Key i of query r is row index[r * index_stride + i] of the matrix; NULL: row i. */
  const uint32_t *index;
  size_t index_stride;
} mt_seen_rows;

typedef struct {
  const char *name;

  /* ---- Few queries, heads side by side: n_heads of d_head columns each -------------------------
   */

  /* out [rows][n][n_heads] = scale * (q · k) of each head; q [rows], q_stride apart. */
  void (*scores)(float *restrict out, const float *restrict q, size_t q_stride,
                 const mt_seen_rows *keys, size_t rows, size_t n_heads, size_t d_head, float scale);

  /* x [n][n_heads] of one query: each column becomes exp(x - max) / sum of the same; lse [n_heads]
   * is ln sum exp x, or NULL. -INFINITY becomes exactly 0, a column of nothing else all zeros with
   * -INFINITY; NaN spreads to the column. At most MT_ATTENTION_HEADS heads. */
  void (*softmax)(float *restrict x, size_t n, size_t n_heads, float *restrict lse);

  /* out [rows][n_heads * d_head], out_stride apart: of each head, sum_i w[r][i][head] v_i;
   * w [rows][n][n_heads]. */
  void (*context)(float *restrict out, size_t out_stride, const float *restrict w,
                  const mt_seen_rows *values, size_t rows, size_t n_heads, size_t d_head);

  /* ---- Many queries of one head ----------------------------------------------------------------
   */

  /* scores [rows][n_keys] = scale * q k^T; d_head at most MT_ATTENTION_COLUMNS. */
  void (*query_key)(float *restrict scores, const float *restrict q, size_t q_stride,
                    const float *restrict k, size_t k_stride, size_t rows, size_t n_keys,
                    size_t d_head, float scale);

  /* context [rows][d_head], context_stride apart, = weights [rows][n_keys] v. */
  void (*weights_value)(float *restrict context, size_t context_stride,
                        const float *restrict weights, const float *restrict v, size_t v_stride,
                        size_t rows, size_t n_keys, size_t d_head);
} mt_kernels_attention;

/* In every function a number comes out the same, bit for bit, however many queries and heads there
 * are beside it: terms of a score are added in an order of their own, those of a softmax in four
 * sums, of keys i, i + 4, i + 8 …, those of a context in the order of the keys. */

const mt_kernels_attention *mt_kernels_attention_best(void);
const mt_kernels_attention *mt_kernels_attention_get(size_t i);

/* ---- Quantised rows with quantised weights --------------------------------------------------- */

/* A weight row and an input row each become whole numbers from -127 to 127 and one scale, the
 * largest magnitude / 127, so that a product of two rows is one sum of whole numbers, which is
 * exact whatever the order, times the two scales. A quarter of what F32 reads. */

/* Rows of quantised numbers are as long as a multiple of this; zeros (weights) fill them up. */
#define MT_INT8_ALIGNMENT 64
#define MT_INT8_STRIDE(n) (((n) + MT_INT8_ALIGNMENT - 1) / MT_INT8_ALIGNMENT * MT_INT8_ALIGNMENT)

/* Outputs of a panel of weights; the last panel is filled up with zeros. */
#define MT_INT8_PANEL         16
#define MT_INT8_PANELS(n_out) (((n_out) + MT_INT8_PANEL - 1) / MT_INT8_PANEL)

/* W [n_out][n_in]: W[o][k] is about scales[o] times a whole number, which lies where it is used:
 * panels [MT_INT8_PANELS(n_out)][MT_INT8_STRIDE(n_in) / 4][MT_INT8_PANEL][4]. So a vector of it
 * has four neighbours of as many outputs as it has lanes, and the panels lie in memory as they are
 * read. */
typedef struct {
  const int8_t *panels;
  const float *scales;    /* [MT_INT8_PANELS(n_out)][MT_INT8_PANEL] */
  const int32_t *offsets; /* likewise 128 times the sum of each row: some processors multiply only
                           * unsigned numbers */
} mt_int8_weights;

/* The longest rows whose sums of products fit 32 bits in every table. */
#define MT_INT8_MAX_IN 65536

typedef struct {
  const char *name;

  /* x [n], or with `relu` max(0, x), as whole numbers, in the form that `linear` of the same table
   * wants, filled up to MT_INT8_STRIDE(n); returns the scale. x must be finite. */
  float (*quantize)(uint8_t *out, const float *x, size_t n, bool relu);

  /* y[r][o] = x_scales[r] scales[o] sum_k x[r][k] w[o][k] + bias[o], for o from first to
   * first + n - 1; first begins a panel. y [rows][…], consecutive rows y_stride apart; x
   * [rows][stride]; bias [n_out] or NULL. Every table computes the same bits. */
  void (*linear)(float *restrict y, size_t y_stride, const uint8_t *restrict x,
                 const float *restrict x_scales, size_t rows, const mt_int8_weights *w,
                 const float *restrict bias, size_t first, size_t n, size_t stride);
} mt_kernels_int8;

const mt_kernels_int8 *mt_kernels_int8_best(void);

/* Every table this processor can run, plain first; i counts up until NULL comes back. */
const mt_kernels_int8 *mt_kernels_int8_get(size_t i);

/* Quantise row o of a weight matrix, x [n], to its place in panels, and its scale and offset. */
void mt_int8_quantize_weights(mt_int8_weights *w, size_t o, const float *x, size_t n);

/* ---- Rows rounded to bf16 with weights in bf16, where the processor can ---------------------- */

/* A bf16 is the upper half of a float: 8 significant bits, and every product of two is a float.
 * Weights lie in the pairs of panels.
 *
 * VDPBF16PS (AVX512-BF16) adds two such products to each of sixteen sums, that of the upper halves
 * first, each rounded like any float (Intel's manual, volume 2; what is too small for a normal
 * number counts as zero). With the first input of a pair in the upper half it adds the terms in the
 * order of the inputs: bit for bit what mt_kernels_rows.linear makes of the same rounded rows,
 * which is how they are multiplied elsewhere. TDPBF16PS (AMX-BF16) multiplies sixteen rows with
 * sixteen outputs over sixteen pairs; it adds up the upper halves of these by themselves, then the
 * lower ones, so the last bits are others. */

/* Room for a rounded row in every form, in floats. */
#define MT_BF16_ROOM(n_in) (((n_in) + 31) / 32 * 32)

typedef struct {
  const char *name;

  /* Rows begin … end - 1 of x [rows][n_in] to the nearest bf16, ties to even, in the form that
   * `linear` of the same table wants, and to their places in out [rows * MT_BF16_ROOM(n_in)]. */
  void (*round)(float *restrict out, const float *restrict x, size_t begin, size_t end,
                size_t n_in);

  /* As mt_kernels_rows.linear: y[r][o] = sum_k x[r][k] w[o][k] + bias[o], for o from first to
   * first + n - 1, with rounded rows and panels of BF16. A row comes out the same, bit for bit,
   * however many there are beside it. */
  void (*linear)(float *restrict y, size_t y_stride, const float *restrict rounded, size_t rows,
                 const void *restrict panels, const float *restrict bias, size_t first, size_t n,
                 size_t n_in);
} mt_kernels_bf16;

/* The fastest table that this processor can run; NULL: it has no such instructions, and
 * mt_kernels_rows.linear multiplies what mt_bf16_round makes. */
const mt_kernels_bf16 *mt_kernels_bf16_best(void);

/* Every table that this processor can run; i counts up until NULL comes back. */
const mt_kernels_bf16 *mt_kernels_bf16_get(size_t i);

/* x [n] to the nearest bf16, ties to even, which stay floats. As the instructions do, what is too
 * small for a normal number becomes zero. */
void mt_bf16_round(float *restrict out, const float *restrict x, size_t n);

/* ---- The weights of a linear map ------------------------------------------------------------- */

/* y = x W^T + b keeps W as the checkpoint does, [n_out][n_in], so that one output is one contiguous
 * row. All pointers are borrowed, and aligned for floats, not for vectors. */

/* A matrix once more, in the order in which products read it, and mostly in fewer bits: less to
 * read, which is what decoding waits for. */
typedef struct {
  /* MT_PRECISION_STORED: the floats themselves, or nothing. */
  mt_precision format;
  const void *panels; /* F16, BF16 and floats: as panels; NULL: there are none */
  mt_int8_weights int8;
} mt_narrow;

typedef struct mt_halves mt_halves; /* mt-halves.h */

typedef struct {
  const float *weight; /* [n_out][n_in]; the numbers are there if halves is NULL */
  mt_halves *halves;   /* else mt_linear_floats puts them there */
  const float *bias;   /* [n_out], or NULL */
  mt_narrow as_stored; /* the same numbers as the checkpoint has them */
  mt_narrow rounded;   /* for translations, in the precision of the model */
  size_t n_out, n_in;
} mt_linear;

#endif

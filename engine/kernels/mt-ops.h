/* mt-ops.h — the numerics that the layers are written in. Private to the engine.
 *
 * Row-major float. Weights that the model keeps in panels are multiplied there, steps of a search
 * as well as whole sentences. Of others, steps go through the kernels for a few rows, whole
 * sentences through those for some hundred, attention through its own (mt-kernels.h). OpenBLAS has
 * everything of more than a few rows where the processor has no vectors that we know. Outputs come
 * first and never alias inputs unless said.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_OPS_H
#define MT_OPS_H

#include "base/mt-pool.h"
#include "kernels/mt-kernels.h"
#include "kernels/mt-kinds.h"

typedef struct {
  const mt_kernels *kernels;
  const mt_kernels_int8 *int8;
  const mt_kernels_rows *rows;
  const mt_kernels_bf16 *bf16; /* NULL: `rows` multiplies rounded rows */
  const mt_kernels_attention *attention;
  const mt_kernels_panel *panel; /* NULL: the processor has no vectors */
  mt_pool *pool;                 /* NULL: one thread */
  /* The rows are steps of searches, not positions of one sentence: few, so that they wait for the
   * weights. */
  bool is_step;
  /* Matrices that were rounded may stand for the exact ones: in the steps of a search, or where a
   * capture was asked for in that precision. */
  bool may_round;
  /* Weights that are stored in 16 bits are better read as floats where this is not so. */
  bool has_vectors;
  /* Room for the quantised input of a map: [rows][MT_INT8_STRIDE(n_in)] and [rows]. NULL: int8 is
   * not used. */
  uint8_t *quantized;
  float *scales;
  /* Room for the input of a map rounded to bf16: [rows * MT_BF16_ROOM(n_in)]. NULL: maps in BF16
   * are multiplied with the floats. */
  float *halved;
  /* Room for the input of a map as a panel: [MT_PANEL_ROWS(rows)][n_in]. NULL: not used. */
  float *packed;
} mt_ops;

/* n_threads 0: as many as the process should have, at most 4. Release with mt_ops_clear. */
void mt_ops_init(mt_ops *ops, unsigned n_threads);
void mt_ops_clear(mt_ops *ops);

/* How many parts work of so many multiplications is worth dividing into: 1 to twice the number of
 * threads. */
size_t mt_ops_parts(const mt_ops *ops, double n_products);

/* Likewise for what passes over rows of d or so elements once: 1 to the number of threads. */
size_t mt_ops_row_parts(const mt_ops *ops, size_t rows);

/* Begin of part i of n equal parts of `count` things, in multiples of `grain`; the end of part i is
 * the begin of part i + 1. */
size_t mt_ops_part_begin(size_t i, size_t n, size_t count, size_t grain);

/* y [rows][n_out] = x [rows][n_in] W^T + b. Where the processor has vectors, a row comes out the
 * same, bit for bit, however many there are beside it: as a step, and as a position; and as both
 * where the weights lie in panels. */
void mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows, const mt_linear *map);

/* y = f(x) W^T + b, for a map whose input is behind a non-linearity. Where rows are quantised, that
 * is done on the way, else in x, which is lost in any case. */
void mt_ops_linear_activated(const mt_ops *ops, float *y, float *x, size_t rows,
                             const mt_linear *map, mt_activation activation);

/* As mt_ops_linear, for several maps of one input, at most MT_OPS_MAX_MAPS: y[i] belongs to
 * maps[i]. */
#define MT_OPS_MAX_MAPS 3
void mt_ops_linears(const mt_ops *ops, float *const *y, const float *x, size_t rows,
                    const mt_linear *const *maps, size_t n_maps);

/* Back through a map: dx [rows][n_in] = dy [rows][n_out] W, or dx += that. In floats, whatever the
 * precision of the model. */
void mt_ops_linear_back(const mt_ops *ops, float *dx, const float *dy, size_t rows,
                        const mt_linear *map, bool adds);

/* Two products of one head, done by the thread that calls them.
 *
 * scores [rows][n_keys] = scale * q k^T, rows of q and k d_head long and `stride` apart.
 * For many rows; steps of searches go through ops->attention. */
void mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride,
                      const float *k, size_t k_stride, size_t rows, size_t n_keys, size_t d_head,
                      float scale);

/* context [rows][d_head], rows context_stride apart, = weights [rows][n_keys] v. For many rows. */
void mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride,
                          const float *weights, const float *v, size_t v_stride, size_t rows,
                          size_t n_keys, size_t d_head);

/* out [rows][cols] += a [rows][inner] b [inner][cols], in doubles, where rounding would add up over
 * layers. Done by the thread that calls it. */
void mt_ops_add_product(double *out, const double *a, const double *b, size_t rows, size_t inner,
                        size_t cols);

/* x [n] += y [n]. */
void mt_ops_add(float *restrict x, const float *restrict y, size_t n);

/* x [rows][n] = f(x), as mt_activate, on all threads. */
void mt_ops_activate_rows(const mt_ops *ops, float *x, size_t rows, size_t n,
                          mt_activation activation);
/* x [rows][n] = f(x) gate, number by number. */
void mt_ops_gate_rows(const mt_ops *ops, float *x, const float *gate, size_t rows, size_t n,
                      mt_activation activation);

#endif

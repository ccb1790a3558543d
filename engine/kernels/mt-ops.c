/* mt-ops.c — products and element-wise operations; the only file that knows OpenBLAS.
 *
 * Measured on Zen 3, one thread, matrices of 256 × 256 to 2048 × 512: one row through sgemm costs
 * two to five times what the kernel takes, because sgemm first repacks the weights; from 64 rows on
 * both take the same time. Panels are the fastest from a dozen rows on (of 12 to 32 rows 1.2 to 1.7
 * times sgemm and the kernel) and as fast as sgemm from 64 rows on, at 256 a tenth slower.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-ops.h"

#include "base/mt-dtype.h"
#include "kernels/mt-halves.h"

#include <cblas.h>
#include <math.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

/* Work for which another thread is worth its while: some microseconds. */
#define PRODUCTS_PER_PART (24u * 1024)

/* The same for rows with which little is done. */
#define ROWS_PER_PART 16

/* Outputs that the kernels compute together fit evenly, and so do panels of weights and cache lines
 * of results. */
#define OUTPUT_GRAIN 64

#define MAX_THREADS 64

/* ---- Memory that code without AddressSanitizer is about to touch ----------------------------- */

#ifdef __SANITIZE_ADDRESS__
/* Ends in the sanitiser's report if any of these bytes must not be touched. */
static inline void
check_region(const void *begin, size_t bytes)
{
  const volatile char *bad = __asan_region_is_poisoned((void *) begin, bytes);
  if (bad)
    (void) *bad; /* which is read, and reported as any other read */
}

#else

static inline void
check_region(const void *begin, size_t bytes)
{
  (void) begin;
  (void) bytes;
}

#endif

/* ---- Weights put into panels ----------------------------------------------------------------- */

/* Outputs are read side by side and written one after the other. */
#define PACK(type)                                                                             \
  for (size_t p = begin; p < end; p++) {                                                       \
    const type *from = (const type *) w + p * MT_PANEL_OUTS * n_in;                            \
    type *to = (type *) panels + p * MT_PANEL_OUTS * n_in;                                     \
    size_t n =                                                                                 \
        n_out - p * MT_PANEL_OUTS < MT_PANEL_OUTS ? n_out - p * MT_PANEL_OUTS : MT_PANEL_OUTS; \
    if (n < MT_PANEL_OUTS)                                                                     \
      memset(to, 0, n_in *MT_PANEL_OUTS * sizeof *to);                                         \
    for (size_t k = 0; k < n_in; k++)                                                          \
      for (size_t i = 0; i < n; i++)                                                           \
        to[k * MT_PANEL_OUTS + i] = from[i * n_in + k];                                        \
  }

static void
pack_pairs(uint32_t *panels, const uint16_t *w, size_t n_out, size_t n_in, size_t begin, size_t end)
{
  for (size_t p = begin; p < end; p++)
    for (size_t k = 0; k < n_in; k += 2)
      for (size_t i = 0; i < MT_PANEL_OUTS; i++) {
        size_t o = p * MT_PANEL_OUTS + i;
        uint32_t first = o < n_out ? w[o * n_in + k] : 0;
        uint32_t second = o < n_out && k + 1 < n_in ? w[o * n_in + k + 1] : 0;
        panels[(p * MT_PAIRS(n_in) + k / 2) * MT_PANEL_OUTS + i] = first << 16 | second;
      }
}

void
mt_panels_pack(void *panels, const void *w, mt_dtype dtype, size_t n_out, size_t n_in, size_t begin,
               size_t end)
{
  if (dtype == MT_DTYPE_F32) {
    PACK(uint32_t)
  } else if (dtype == MT_DTYPE_F16) {
    PACK(uint16_t)
  } else {
    pack_pairs(panels, w, n_out, n_in, begin, end);
  }
}

void
mt_panels_put(void *panels, mt_dtype dtype, size_t o, size_t n_in, size_t k, const uint16_t *w,
              size_t n)
{
  const size_t panel = o / MT_PANEL_OUTS * MT_PANEL_OUTS, i = o % MT_PANEL_OUTS;
  if (dtype == MT_DTYPE_F16) {
    uint16_t *to = (uint16_t *) panels + panel * n_in + i;
    for (size_t j = 0; j < n; j++)
      to[(k + j) * MT_PANEL_OUTS] = w[j];
    return;
  }
  uint32_t *to = (uint32_t *) panels + panel * MT_PAIRS(n_in) + i;
  for (size_t j = 0; j < n; j++) {
    uint32_t *pair = &to[(k + j) / 2 * MT_PANEL_OUTS];
    *pair = (k + j) % 2 ? (*pair & 0xffff0000) | w[j] : (*pair & 0xffff) | (uint32_t) w[j] << 16;
  }
}

/* ---- Threads --------------------------------------------------------------------------------- */

void
mt_ops_init(mt_ops *ops, unsigned n_threads)
{
  unsigned n_usual = mt_pool_usual_threads();
  if (n_threads == 0)
    n_threads = n_usual > 4 ? 4 : n_usual;
  *ops = (mt_ops){.kernels = mt_kernels_best(),
                  .int8 = mt_kernels_int8_best(),
                  .panel = mt_kernels_panel_get(1) ? mt_kernels_panel_best() : NULL,
                  .rows = mt_kernels_rows_best(),
                  .bf16 = mt_kernels_bf16_best(),
                  .attention = mt_kernels_attention_best()};
  ops->has_vectors = ops->panel && mt_cpu_has_f16();
  ops->pool = mt_pool_new(n_threads < MAX_THREADS ? n_threads : MAX_THREADS);
}

mt_engine_info
mt_engine_get_info(void)
{
  return (mt_engine_info){
      .kernels = mt_kernels_best()->name,
      .bf16_kernels =
          mt_kernels_bf16_best() ? mt_kernels_bf16_best()->name : mt_kernels_rows_best()->name,
      .int8_kernels = mt_kernels_int8_best()->name,
      .blas = openblas_get_config(),
      .blas_core = openblas_get_corename(),
  };
}

void
mt_ops_clear(mt_ops *ops)
{
  mt_pool_free(ops->pool);
  ops->pool = NULL;
}

size_t
mt_ops_parts(const mt_ops *ops, double n_products)
{
  size_t most = 2 * (size_t) mt_pool_n_threads(ops->pool);
  double n = n_products / PRODUCTS_PER_PART;
  if (most == 2 || n < 2)
    return 1;
  return n < (double) most ? (size_t) n : most;
}

size_t
mt_ops_row_parts(const mt_ops *ops, size_t rows)
{
  size_t n_threads = mt_pool_n_threads(ops->pool);
  return n_threads == 1 || rows < 2 * ROWS_PER_PART ? 1
         : rows / ROWS_PER_PART < n_threads         ? rows / ROWS_PER_PART
                                                    : n_threads;
}

size_t
mt_ops_part_begin(size_t i, size_t n, size_t count, size_t grain)
{
  size_t n_grains = (count + grain - 1) / grain;
  size_t begin = n_grains * i / n * grain;
  return begin < count ? begin : count;
}

/* ---- Linear maps ----------------------------------------------------------------------------- */

static bool
uses_int8(const mt_ops *ops, const mt_linear *map)
{
  return map->rounded.format == MT_PRECISION_INT8 && ops->may_round && ops->quantized;
}

static bool
uses_bf16(const mt_ops *ops, const mt_linear *map)
{
  return map->rounded.format == MT_PRECISION_BF16 && ops->may_round && ops->halved;
}

/* The weights in panels to multiply with, or NULL. */
static const mt_narrow *
find_panels(const mt_ops *ops, const mt_linear *map)
{
  if (map->rounded.panels && ops->may_round)
    return &map->rounded;
  return map->as_stored.panels && ops->has_vectors ? &map->as_stored : NULL;
}

/* Whether the rows are turned round. */
static bool
uses_packed(const mt_ops *ops, const mt_linear *map)
{
  return ops->panel && ops->packed && !ops->is_step && !uses_int8(ops, map) &&
         !find_panels(ops, map);
}

/* What a product with panels reads and writes, each to the last byte. */
static void
check_regions(const float *y, const float *x, size_t rows, const mt_linear *map, const void *panels,
              mt_dtype dtype, size_t begin, size_t n)
{
  const size_t n_in = map->n_in, size = mt_dtype_size(dtype);
  const size_t depth = dtype == MT_DTYPE_BF16 ? 2 * MT_PAIRS(n_in) : n_in;
  check_region(x, rows * n_in * sizeof *x);
  check_region((const char *) panels + begin * depth * size,
               MT_PANELS(n) * MT_PANEL_OUTS * depth * size);
  if (map->bias)
    check_region(map->bias + begin, n * sizeof *map->bias);
  for (size_t r = 0; r < rows; r++)
    check_region(y + r * map->n_out + begin, n * sizeof *y);
}

/* Outputs begin … end - 1 of a map. */
static void
linear_slice(const mt_ops *ops, float *y, const float *x, size_t rows, const mt_linear *map,
             size_t begin, size_t end)
{
  if (uses_int8(ops, map)) {
    ops->int8->linear(y, map->n_out, ops->quantized, ops->scales, rows, &map->rounded.int8,
                      map->bias, begin, end - begin, MT_INT8_STRIDE(map->n_in));
    return;
  }
  size_t n_out = map->n_out, n_in = map->n_in, n = end - begin;
  if (uses_bf16(ops, map) && ops->bf16) {
    ops->bf16->linear(y, n_out, ops->halved, rows, map->rounded.panels, map->bias, begin, n, n_in);
    return;
  }
  const mt_narrow *narrow = find_panels(ops, map);
  if (narrow) {
    mt_dtype dtype = narrow->format == MT_PRECISION_F16    ? MT_DTYPE_F16
                     : narrow->format == MT_PRECISION_BF16 ? MT_DTYPE_BF16
                                                           : MT_DTYPE_F32;
    const float *factors = uses_bf16(ops, map) ? ops->halved : x;
    check_regions(y, factors, rows, map, narrow->panels, dtype, begin, n);
    ops->rows->linear(y, n_out, factors, rows, narrow->panels, dtype, map->bias, begin, n, n_in);
    return;
  }
  const float *bias = map->bias ? map->bias + begin : NULL;
  y += begin;
  if (uses_packed(ops, map)) {
    ops->panel->linear(y, n_out, ops->packed, rows, map->weight + begin * n_in, bias, n, n_in);
    return;
  }
  if (rows <= ops->kernels->most_rows) {
    ops->kernels->linear(y, n_out, x, rows, map->weight + begin * n_in, bias, n, n_in);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int) rows, (int) n, (int) n_in, 1, x,
              (int) n_in, map->weight + begin * n_in, (int) n_in, 0, y, (int) n_out);
  if (bias)
    for (size_t r = 0; r < rows; r++)
      mt_ops_add(y + r * n_out, bias, n);
}

typedef struct {
  const mt_ops *ops;
  float *const *y;
  const float *x;
  size_t rows;
  const mt_linear *const *maps;
  size_t n_maps, n_grains; /* of all maps */
} linear_work;

static size_t
count_grains(const mt_linear *map)
{
  return (map->n_out + OUTPUT_GRAIN - 1) / OUTPUT_GRAIN;
}

/* The outputs of all maps stand in one line of grains, which is cut into equal parts. */
static void
linear_part(void *user, size_t i, size_t n_parts)
{
  const linear_work *w = user;
  size_t begin = mt_ops_part_begin(i, n_parts, w->n_grains, 1);
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->n_grains, 1);
  size_t first = 0; /* of the map, in the line */
  for (size_t m = 0; m < w->n_maps; m++) {
    const mt_linear *map = w->maps[m];
    size_t n = count_grains(map);
    size_t from = begin > first ? begin - first : 0, to = end > first ? end - first : 0;
    if (to > n)
      to = n;
    if (from < to) {
      size_t last = to * OUTPUT_GRAIN < map->n_out ? to * OUTPUT_GRAIN : map->n_out;
      linear_slice(w->ops, w->y[m], w->x, w->rows, map, from * OUTPUT_GRAIN, last);
    }
    first += n;
  }
}

typedef struct {
  const mt_ops *ops;
  const float *x;
  size_t rows, n_in;
  bool relu;
} quantize_work;

static void
quantize_part(void *user, size_t i, size_t n_parts)
{
  const quantize_work *w = user;
  size_t stride = MT_INT8_STRIDE(w->n_in), end = mt_ops_part_begin(i + 1, n_parts, w->rows, 1);
  for (size_t r = mt_ops_part_begin(i, n_parts, w->rows, 1); r < end; r++)
    w->ops->scales[r] = w->ops->int8->quantize(w->ops->quantized + r * stride, w->x + r * w->n_in,
                                               w->n_in, w->relu);
}

typedef struct {
  const mt_ops *ops;
  const float *x;
  size_t rows, n_in;
} halve_work;

static void
halve_part(void *user, size_t i, size_t n_parts)
{
  const halve_work *w = user;
  size_t n_in = w->n_in, begin = mt_ops_part_begin(i, n_parts, w->rows, 1);
  size_t end = mt_ops_part_begin(i + 1, n_parts, w->rows, 1);
  if (w->ops->bf16)
    w->ops->bf16->round(w->ops->halved, w->x, begin, end, n_in);
  else
    mt_bf16_round(w->ops->halved + begin * n_in, w->x + begin * n_in, (end - begin) * n_in);
}

/* Before threads read a map: the form that they read is there. */
static void
prepare(const mt_ops *ops, const mt_linear *map)
{
  if (!map->halves || uses_int8(ops, map))
    return;
  const mt_narrow *panels = find_panels(ops, map);
  if (!panels)
    mt_halves_floats(map->halves);
  else if (panels == &map->as_stored)
    mt_halves_panels(map->halves);
}

/* The products, and what has to be done with x before; with `relu`, rows of it are quantised behind
 * that. */
static void
multiply(const mt_ops *ops, float *const *y, const float *x, size_t rows,
         const mt_linear *const *maps, size_t n_maps, bool relu)
{
  linear_work work = {ops, y, x, rows, maps, n_maps, 0};
  for (size_t m = 0; m < n_maps; m++)
    prepare(ops, maps[m]);
  for (size_t m = 0; m < n_maps; m++)
    if (uses_packed(ops, maps[m])) {
      ops->panel->pack(ops->packed, x, rows, maps[m]->n_in);
      break;
    }
  double n_products = 0;
  bool is_quantized = false, is_halved = false;
  for (size_t m = 0; m < n_maps; m++) {
    if (!is_quantized && uses_int8(ops, maps[m])) {
      quantize_work quantize = {ops, x, rows, maps[m]->n_in, relu};
      mt_pool_run(ops->pool, mt_ops_row_parts(ops, rows), quantize_part, &quantize);
      is_quantized = true;
    }
    if (!is_halved && uses_bf16(ops, maps[m])) {
      halve_work halve = {ops, x, rows, maps[m]->n_in};
      mt_pool_run(ops->pool, mt_ops_row_parts(ops, rows), halve_part, &halve);
      is_halved = true;
    }
    work.n_grains += count_grains(maps[m]);
    n_products += (double) rows * (double) maps[m]->n_out * (double) maps[m]->n_in;
  }
  mt_pool_run(ops->pool, mt_ops_parts(ops, n_products), linear_part, &work);
}

void
mt_ops_linears(const mt_ops *ops, float *const *y, const float *x, size_t rows,
               const mt_linear *const *maps, size_t n_maps)
{
  multiply(ops, y, x, rows, maps, n_maps, false);
}

void
mt_ops_linear(const mt_ops *ops, float *y, const float *x, size_t rows, const mt_linear *map)
{
  multiply(ops, &y, x, rows, &map, 1, false);
}

void
mt_ops_linear_activated(const mt_ops *ops, float *y, float *x, size_t rows, const mt_linear *map,
                        mt_activation activation)
{
  bool relu = activation == MT_ACTIVATION_RELU && uses_int8(ops, map);
  if (!relu)
    mt_ops_activate_rows(ops, x, rows, map->n_in, activation);
  multiply(ops, &y, x, rows, &map, 1, relu);
}

typedef struct {
  float *dx;
  const float *dy;
  size_t rows;
  const mt_linear *map;
  float beta;
} back_work;

static void
back_part(void *user, size_t i, size_t n_parts)
{
  const back_work *w = user;
  size_t n_in = w->map->n_in, n_out = w->map->n_out;
  size_t begin = mt_ops_part_begin(i, n_parts, n_in, OUTPUT_GRAIN);
  size_t n = mt_ops_part_begin(i + 1, n_parts, n_in, OUTPUT_GRAIN) - begin;
  if (n > 0)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) w->rows, (int) n, (int) n_out, 1,
                w->dy, (int) n_out, w->map->weight + begin, (int) n_in, w->beta, w->dx + begin,
                (int) n_in);
}

void
mt_ops_linear_back(const mt_ops *ops, float *dx, const float *dy, size_t rows, const mt_linear *map,
                   bool adds)
{
  back_work work = {dx, dy, rows, map, adds ? 1 : 0};
  mt_linear_floats(map);
  double n_products = (double) rows * (double) map->n_out * (double) map->n_in;
  mt_pool_run(ops->pool, mt_ops_parts(ops, n_products), back_part, &work);
}

/* ---- Attention ------------------------------------------------------------------------------- */

void
mt_ops_query_key(const mt_ops *ops, float *scores, const float *q, size_t q_stride, const float *k,
                 size_t k_stride, size_t rows, size_t n_keys, size_t d_head, float scale)
{
  if (ops->panel && d_head <= MT_ATTENTION_COLUMNS)
    ops->attention->query_key(scores, q, q_stride, k, k_stride, rows, n_keys, d_head, scale);
  else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int) rows, (int) n_keys, (int) d_head,
                scale, q, (int) q_stride, k, (int) k_stride, 0, scores, (int) n_keys);
}

void
mt_ops_weights_value(const mt_ops *ops, float *context, size_t context_stride, const float *weights,
                     const float *v, size_t v_stride, size_t rows, size_t n_keys, size_t d_head)
{
  if (ops->panel)
    ops->attention->weights_value(context, context_stride, weights, v, v_stride, rows, n_keys,
                                  d_head);
  else
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) rows, (int) d_head, (int) n_keys,
                1, weights, (int) n_keys, v, (int) v_stride, 0, context, (int) context_stride);
}

void
mt_ops_add_product(double *out, const double *a, const double *b, size_t rows, size_t inner,
                   size_t cols)
{
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int) rows, (int) cols, (int) inner, 1, a,
              (int) inner, b, (int) cols, 1, out, (int) cols);
}

/* In blocks whose length the compiler knows, so that it takes vectors for them. */
#define BLOCK 16

void
mt_ops_add(float *restrict x, const float *restrict y, size_t n)
{
  size_t i = 0;
  for (; i + BLOCK <= n; i += BLOCK)
    for (size_t k = 0; k < BLOCK; k++)
      x[i + k] += y[i + k];
  for (; i < n; i++)
    x[i] += y[i];
}

static void
multiply_by(float *restrict x, const float *restrict y, size_t n)
{
  size_t i = 0;
  for (; i + BLOCK <= n; i += BLOCK)
    for (size_t k = 0; k < BLOCK; k++)
      x[i + k] *= y[i + k];
  for (; i < n; i++)
    x[i] *= y[i];
}

typedef struct {
  const mt_ops *ops;
  float *x;
  size_t rows, n;
  mt_activation activation;
} activate_work;

/* Some of the rows. */
static void
activate_part(void *user, size_t i, size_t n_parts)
{
  const activate_work *w = user;
  size_t first = mt_ops_part_begin(i, n_parts, w->rows, 1);
  size_t n = mt_ops_part_begin(i + 1, n_parts, w->rows, 1) - first;
  mt_activate(w->activation, w->ops->kernels, w->x + first * w->n, n * w->n);
}

void
mt_ops_activate_rows(const mt_ops *ops, float *x, size_t rows, size_t n, mt_activation activation)
{
  activate_work work = {ops, x, rows, n, activation};
  mt_pool_run(ops->pool, mt_ops_row_parts(ops, rows), activate_part, &work);
}

typedef struct {
  const mt_ops *ops;
  float *x;
  const float *gate;
  size_t rows, n;
  mt_activation activation;
} gate_work;

/* Some of the rows, one after the other while they are in the first cache. */
static void
gate_part(void *user, size_t i, size_t n_parts)
{
  const gate_work *w = user;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, w->rows, 1);
  for (size_t r = mt_ops_part_begin(i, n_parts, w->rows, 1); r < end; r++) {
    mt_activate(w->activation, w->ops->kernels, w->x + r * w->n, w->n);
    multiply_by(w->x + r * w->n, w->gate + r * w->n, w->n);
  }
}

void
mt_ops_gate_rows(const mt_ops *ops, float *x, const float *gate, size_t rows, size_t n,
                 mt_activation activation)
{
  gate_work work = {ops, x, gate, rows, n, activation};
  mt_pool_run(ops->pool, mt_ops_row_parts(ops, rows), gate_part, &work);
}

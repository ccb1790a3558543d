/* bench-kernels.c — products of rows with weights, beside OpenBLAS and what the core can do.
 *
 *     bench-kernels [--set NAME] [--rounds N] [--rows N] [--picture FILE.svg]
 *
 * One thread, and its own time. Every contender multiplies the same rows with the same weights, by
 * turns; the least time of the rounds counts, as it does for the peaks. Each product has another
 * copy of the weights, some 32 MB in all, as the layers of a model do: they come from memory or the
 * last cache.
 * --set: of the kernels named so ("avx2", "plain") instead of the best. --rows: that many only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "bench-roofline.h"
#include "bench-times.h"
#include "kernels/mt-kernels.h"
#include "kernels/mt-ops.h"

#include <cblas.h>
#include <stdint.h>
#include <string.h>

#define COPIES_BYTES (32u << 20)
#define PIECE_MS     2.0 /* a measurement takes at least so long */
#define LONG_MS      60.0
#define N(a)         (sizeof(a) / sizeof *(a))

/* One product, and the kernels to make it with. */
typedef struct {
  size_t rows, n_out, n_in, n_copies;
  float *x, *y, *packed, *bias;
  float *weights, *panels; /* [n_copies] */
  uint16_t *half, *pairs;  /* [n_copies] panels of F16, of bf16 */
  int8_t *whole;           /* [n_copies] panels of int8 */
  mt_int8_weights int8;
  uint8_t *quantized;
  float *scales, *rounded;
  const mt_kernels *kernels;
  const mt_kernels_panel *turned;
  const mt_kernels_rows *by_rows;
  const mt_kernels_bf16 *by_bf16; /* NULL: by_rows has the rounded rows */
  const mt_kernels_int8 *by_int8;
} Product;

static void
with_sgemm(Product *p, size_t copy)
{
  const float *w = p->weights + copy * p->n_out * p->n_in;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int) p->rows, (int) p->n_out, (int) p->n_in,
              1, p->x, (int) p->n_in, w, (int) p->n_in, 0, p->y, (int) p->n_out);
}

static void
with_turned_rows(Product *p, size_t copy)
{
  const float *w = p->weights + copy * p->n_out * p->n_in;
  p->turned->pack(p->packed, p->x, p->rows, p->n_in);
  p->turned->linear(p->y, p->n_out, p->packed, p->rows, w, p->bias, p->n_out, p->n_in);
}

static void
with_steps(Product *p, size_t copy)
{
  const float *w = p->weights + copy * p->n_out * p->n_in;
  p->kernels->linear(p->y, p->n_out, p->x, p->rows, w, p->bias, p->n_out, p->n_in);
}

static void
with_f32_panels(Product *p, size_t copy)
{
  const float *w = p->panels + copy * MT_PANELS_SIZE(p->n_out, p->n_in);
  p->by_rows->linear(p->y, p->n_out, p->x, p->rows, w, MT_DTYPE_F32, p->bias, 0, p->n_out, p->n_in);
}

static void
with_f16_panels(Product *p, size_t copy)
{
  const uint16_t *w = p->half + copy * MT_PANELS_SIZE(p->n_out, p->n_in);
  p->by_rows->linear(p->y, p->n_out, p->x, p->rows, w, MT_DTYPE_F16, p->bias, 0, p->n_out, p->n_in);
}

/* Rounding the rows included, here and with int8. */
static void
with_bf16(Product *p, size_t copy)
{
  const uint16_t *w = p->pairs + copy * MT_PANELS_SIZE(p->n_out, p->n_in);
  if (p->by_bf16) {
    p->by_bf16->round(p->rounded, p->x, 0, p->rows, p->n_in);
    p->by_bf16->linear(p->y, p->n_out, p->rounded, p->rows, w, p->bias, 0, p->n_out, p->n_in);
    return;
  }
  mt_bf16_round(p->rounded, p->x, p->rows * p->n_in);
  p->by_rows->linear(p->y, p->n_out, p->rounded, p->rows, w, MT_DTYPE_BF16, p->bias, 0, p->n_out,
                     p->n_in);
}

static void
with_int8(Product *p, size_t copy)
{
  size_t stride = MT_INT8_STRIDE(p->n_in);
  mt_int8_weights w = p->int8;
  w.panels = p->whole + copy * MT_INT8_PANELS(p->n_out) * MT_INT8_PANEL * stride;
  for (size_t r = 0; r < p->rows; r++)
    p->scales[r] =
        p->by_int8->quantize(p->quantized + r * stride, p->x + r * p->n_in, p->n_in, false);
  p->by_int8->linear(p->y, p->n_out, p->quantized, p->scales, p->rows, &w, p->bias, 0, p->n_out,
                     stride);
}

/* THE list of contenders: a name, what makes the product, bytes of a weight. */
static const struct {
  const char *name;
  void (*multiply)(Product *p, size_t copy);
  double bytes;
} contenders[] = {
    {"sgemm", with_sgemm, 4},
    {"rows turned, F32", with_turned_rows, 4},
    {"steps, F32", with_steps, 4},
    {"panels, F32", with_f32_panels, 4},
    {"panels, F16", with_f16_panels, 2},
    {"panels, bf16", with_bf16, 2},
    {"panels, int8", with_int8, 1},
};

static void *
room(size_t n, size_t size)
{
  void *memory = mt_alloc_large(n + 64, size);
  if (!memory) {
    fprintf(stderr, "bench-kernels: out of memory.\n");
    exit(1);
  }
  return memory;
}

/* Numbers from -1 to 1. */
static void
fill(float *x, size_t n, uint32_t state)
{
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float) (int32_t) state / 2147483648.0f;
  }
}

static void
make(Product *p, size_t n_out, size_t n_in, size_t max_rows)
{
  size_t size = MT_PANELS_SIZE(n_out, n_in), stride = MT_INT8_STRIDE(n_in);
  size_t filled = MT_INT8_PANELS(n_out) * MT_INT8_PANEL;
  p->n_out = n_out;
  p->n_in = n_in;
  p->n_copies = COPIES_BYTES / (size * sizeof(float)) + 1;
  p->x = room(max_rows * n_in, sizeof(float));
  p->y = room(max_rows * n_out, sizeof(float));
  p->packed = room(MT_PANEL_ROWS(max_rows) * n_in, sizeof(float));
  p->bias = room(n_out, sizeof(float));
  p->weights = room(p->n_copies * n_out * n_in, sizeof(float));
  p->panels = room(p->n_copies * size, sizeof(float));
  p->half = room(p->n_copies * size, sizeof(uint16_t));
  p->pairs = room(p->n_copies * size, sizeof(uint16_t));
  p->whole = room(p->n_copies * filled * stride, 1);
  p->int8 = (mt_int8_weights){NULL, room(filled, sizeof(float)), room(filled, sizeof(int32_t))};
  p->quantized = room(max_rows * stride, 1);
  p->scales = room(max_rows, sizeof(float));
  p->rounded = room(max_rows * MT_BF16_ROOM(n_in), sizeof(float));
  fill(p->x, max_rows * n_in, 1);
  fill(p->bias, n_out, 2);
  uint16_t *half = room(n_out * n_in, sizeof *half);
  for (size_t c = 0; c < p->n_copies; c++) {
    float *w = p->weights + c * n_out * n_in;
    if (c == 0)
      fill(w, n_out * n_in, 3);
    else
      memcpy(w, p->weights, n_out * n_in * sizeof *w);
    mt_panels_pack(p->panels + c * size, w, MT_DTYPE_F32, n_out, n_in, 0, MT_PANELS(n_out));
    mt_dtype_to_f16(w, half, n_out * n_in);
    mt_panels_pack(p->half + c * size, half, MT_DTYPE_F16, n_out, n_in, 0, MT_PANELS(n_out));
    mt_dtype_to_bf16(w, half, n_out * n_in);
    mt_panels_pack(p->pairs + c * size, half, MT_DTYPE_BF16, n_out, n_in, 0, MT_PANELS(n_out));
    p->int8.panels = p->whole + c * filled * stride;
    for (size_t o = 0; o < n_out; o++)
      mt_int8_quantize_weights(&p->int8, o, w + o * n_in, n_in);
  }
  mt_free(half);
}

static void
release(Product *p)
{
  void *all[] = {p->x,
                 p->y,
                 p->packed,
                 p->bias,
                 p->weights,
                 p->panels,
                 p->half,
                 p->pairs,
                 p->rounded,
                 p->whole,
                 p->scales,
                 p->quantized,
                 (void *) p->int8.scales,
                 (void *) p->int8.offsets};
  for (size_t i = 0; i < N(all); i++)
    mt_free(all[i]);
}

/* Milliseconds of one product, the least of the rounds. */
static void
measure(Product *p, size_t rounds, double *least)
{
  /* Each begins elsewhere: some share their weights. */
  size_t n_times[N(contenders)], copies[N(contenders)];
  for (size_t c = 0; c < N(contenders); c++) {
    copies[c] = p->n_copies * c / N(contenders);
    double begin = thread_ms();
    contenders[c].multiply(p, copies[c]);
    least[c] = thread_ms() - begin;
    n_times[c] = (size_t) (PIECE_MS / least[c]) + 1;
  }
  for (size_t round = 0; round < rounds; round++)
    for (size_t c = 0; c < N(contenders); c++) {
      if (least[c] > LONG_MS && round > 1)
        continue;
      double begin = thread_ms();
      for (size_t i = 0; i < n_times[c]; i++, copies[c] = (copies[c] + 1) % p->n_copies)
        contenders[c].multiply(p, copies[c]);
      double ms = (thread_ms() - begin) / (double) n_times[c];
      least[c] = ms < least[c] ? ms : least[c];
    }
}

/* The table of that name, or the best; NULL if there is none of that name. */
#define FIND(get, set)            \
  for (size_t i = 0; get(i); i++) \
    if (!*(set) || strcmp(get(i)->name, set) == 0)

static bool
find_kernels(Product *p, const char *set)
{
  FIND(mt_kernels_get, set) p->kernels = mt_kernels_get(i);
  FIND(mt_kernels_panel_get, set) p->turned = mt_kernels_panel_get(i);
  FIND(mt_kernels_rows_get, set) p->by_rows = mt_kernels_rows_get(i);
  FIND(mt_kernels_bf16_get, set) p->by_bf16 = mt_kernels_bf16_get(i);
  FIND(mt_kernels_int8_get, set) p->by_int8 = mt_kernels_int8_get(i);
  return p->kernels && p->turned && p->by_rows && p->by_int8;
}

int
main(int argc, char **argv)
{
  static const size_t shapes[][2] = {{256, 256}, {1024, 256}, {256, 1024}, {8001, 256},
                                     {512, 512}, {2048, 512}, {512, 2048}, {54688, 512}};
  static const size_t all_rows[] = {1, 8, 16, 32, 64, 128, 256, 512};
  const char *set = "", *picture = NULL;
  size_t rounds = 7, only = 0;
  for (int i = 1; i < argc; i += 2) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (value && strcmp(argv[i], "--set") == 0)
      set = value;
    else if (value && strcmp(argv[i], "--picture") == 0)
      picture = value;
    else if (value && strcmp(argv[i], "--rounds") == 0 && atol(value) > 0)
      rounds = (size_t) atol(value);
    else if (value && strcmp(argv[i], "--rows") == 0 && atol(value) > 0)
      only = (size_t) atol(value);
    else {
      fprintf(stderr, "Usage: bench-kernels [--set NAME] [--rounds N] [--rows N] "
                      "[--picture FILE.svg]\n");
      return 2;
    }
  }
  Product p = {0};
  if (!find_kernels(&p, set)) {
    fprintf(stderr, "bench-kernels: this processor has no kernels named %s.\n", set);
    return 1;
  }
  openblas_set_num_threads(1);
  Peaks peaks = peaks_measure(set);
  printf("kernels %s, %s, %s; one core: %.1f GFLOP/s multiply-adds, %.1f G/s dot products of bf16, "
         "%.1f of int8, %.1f GB/s read\n\n| outputs × inputs | rows |",
         p.by_rows->name, p.by_bf16 ? p.by_bf16->name : "no bf16", p.by_int8->name, peaks.fma,
         peaks.pairs, peaks.dot, peaks.bytes);
  for (size_t c = 0; c < N(contenders); c++)
    printf(" %s |", contenders[c].name);
  printf(" F16 of the best sgemm, %% | bf16 of the peak, %% | int8 of the peak, %% |\n|---|---|");
  for (size_t c = 0; c < N(contenders) + 3; c++)
    printf("---|");
  printf("\n");

  Point points[N(shapes) * N(all_rows) * N(contenders)];
  double speeds[N(shapes) * N(all_rows)][N(contenders)], best_sgemm = 0;
  size_t n = 0, n_lines = 0;
  for (size_t s = 0; s < N(shapes); s++) {
    make(&p, shapes[s][0], shapes[s][1], only ? only : all_rows[N(all_rows) - 1]);
    for (size_t r = 0; r < (only ? 1 : N(all_rows)); r++, n_lines++) {
      double ms[N(contenders)];
      p.rows = only ? only : all_rows[r];
      measure(&p, rounds, ms);
      double products = (double) p.rows * (double) p.n_out * (double) p.n_in;
      for (size_t c = 0; c < N(contenders); c++) {
        double bytes = contenders[c].bytes * (double) p.n_out * (double) p.n_in +
                       4.0 * (double) p.rows * (double) (p.n_in + p.n_out);
        speeds[n_lines][c] = 2 * products / ms[c] * 1e-6;
        points[n++] = (Point){c, 2 * products / bytes, speeds[n_lines][c]};
      }
      if (speeds[n_lines][0] > best_sgemm)
        best_sgemm = speeds[n_lines][0];
    }
    release(&p);
  }
  for (size_t line = 0; line < n_lines; line++) {
    const size_t per_shape = only ? 1 : N(all_rows);
    const size_t *shape = shapes[line / per_shape];
    printf("| %zu × %zu | %zu |", shape[0], shape[1], only ? only : all_rows[line % per_shape]);
    for (size_t c = 0; c < N(contenders); c++)
      printf(" %.1f |", speeds[line][c]);
    double of_bf16 = peaks.pairs > 0 ? peaks.pairs : peaks.fma;
    printf(" %.0f | %.0f | %.0f |\n", 100 * speeds[line][4] / best_sgemm,
           of_bf16 > 0 ? 100 * speeds[line][5] / of_bf16 : 0,
           peaks.dot > 0 ? 100 * speeds[line][6] / peaks.dot : 0);
  }
  const char *names[N(contenders)];
  for (size_t c = 0; c < N(contenders); c++)
    names[c] = contenders[c].name;
  return picture && peaks.fma > 0 && !roofline_write(picture, &peaks, points, n, names, N(names));
}

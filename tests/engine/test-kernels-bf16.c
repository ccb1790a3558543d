/* test-kernels-bf16.c — products of rows rounded to bf16: on the instructions of this processor, on
 * emulated ones, and without any.
 *
 * VDPBF16PS adds in the order of the inputs, so all but AMX give the same bits; AMX adds upper and
 * lower halves of 16 pairs by themselves. Both are emulated as Intel's manual has them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kernels.h"
#include "suite.h"
#include "toy-model.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#ifdef EMULATED_BESIDE
const mt_kernels_bf16 *emulated_kernels_bf16_get(size_t i);
#endif

/* THE list of what is tested: tables of this processor, and emulated ones. */
static const struct {
  const char *of;
  const mt_kernels_bf16 *(*get)(size_t i);
} sources[] = {
    {"this processor", mt_kernels_bf16_get},
#ifdef EMULATED_BESIDE
    {"emulated", emulated_kernels_bf16_get},
#endif
};

static float
float_of(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t
bits_of(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void
assert_same_bits(const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    g_assert_true(bits_of(a[i]) == bits_of(b[i]) || (isnan(a[i]) && isnan(b[i])));
}

/* ---- Ways to make a product ---------------------------------------------------------------------
 */

typedef struct {
  size_t rows, n_out, n_in;
  const float *x, *bias; /* bias NULL: none */
  const uint32_t *panels;
} product;

/* y [rows][n_out + 3], whose last columns stay as they were. Rows are rounded and outputs made in
 * two pieces, as threads do it. */
static float *
multiply(const product *p, const mt_kernels_bf16 *kernels)
{
  size_t stride = p->n_out + 3, middle = p->n_out / 2 / MT_PANEL_OUTS * MT_PANEL_OUTS;
  float *y = g_new(float, p->rows *stride);
  for (size_t k = 0; k < p->rows * stride; k++)
    y[k] = -77;
  size_t room = p->rows * MT_BF16_ROOM(p->n_in);
  g_autofree float *rounded = g_new(float, room);
  memset(rounded, 0xff, room * sizeof *rounded); /* NaN */
  kernels->round(rounded, p->x, 0, p->rows / 2, p->n_in);
  kernels->round(rounded, p->x, p->rows / 2, p->rows, p->n_in);
  kernels->linear(y, stride, rounded, p->rows, p->panels, p->bias, 0, middle, p->n_in);
  kernels->linear(y, stride, rounded, p->rows, p->panels, p->bias, middle, p->n_out - middle,
                  p->n_in);
  for (size_t r = 0; r < p->rows; r++)
    for (size_t o = p->n_out; o < stride; o++)
      g_assert_cmpfloat(y[r * stride + o], ==, -77);
  return y;
}

/* Without instructions for it: tables of mt_kernels_rows with rows that stay floats, in the same
 * form. */
static const mt_kernels_rows *by_rows;

static void
round_floats(float *restrict out, const float *restrict x, size_t begin, size_t end, size_t n_in)
{
  mt_bf16_round(out + begin * n_in, x + begin * n_in, (end - begin) * n_in);
}

static void
linear_floats(float *restrict y, size_t y_stride, const float *restrict rounded, size_t rows,
              const void *restrict panels, const float *restrict bias, size_t first, size_t n,
              size_t n_in)
{
  by_rows->linear(y, y_stride, rounded, rows, panels, MT_DTYPE_BF16, bias, first, n, n_in);
}

static const mt_kernels_bf16 floats = {"floats", round_floats, linear_floats};

/* All ways, plain C first. */
typedef void (*way_visit)(const mt_kernels_bf16 *kernels, void *user);

static void
visit_ways(way_visit visit, void *user)
{
  for (size_t i = 0; (by_rows = mt_kernels_rows_get(i)); i++)
    visit(&floats, user);
  for (gsize s = 0; s < G_N_ELEMENTS(sources); s++)
    for (size_t i = 0; sources[s].get(i); i++)
      visit(sources[s].get(i), user);
}

/* ---- Rounding -----------------------------------------------------------------------------------
 */

#define N_WIDE 37

/* At each place of a row that has to be found again; beside it zeros. */
static void
check_rounding(const mt_kernels_bf16 *kernels, void *user)
{
  static const struct {
    uint32_t from, to;
  } cases[] = {
      {0x00000000, 0x00000000}, {0x3f800000, 0x3f800000},
      {0x3f807fff, 0x3f800000},                           /* just below the middle */
      {0x3f808000, 0x3f800000},                           /* a tie, down to the even one */
      {0x3f808001, 0x3f810000}, {0x3f818000, 0x3f820000}, /* a tie, up */
      {0x3fffffff, 0x40000000},                           /* into the next power of two */
      {0xc0490fdb, 0xc0490000},                           /* -pi */
      {0x7f7fffff, 0x7f800000},                           /* the largest float becomes infinite */
      {0x7f800000, 0x7f800000}, {0xff800000, 0xff800000},
      {0x00800000, 0x00800000},                           /* the least normal number */
      {0x007fffff, 0x00000000}, {0x00000001, 0x00000000}, /* smaller ones are zero */
      {0x7fc00000, 0x7fc00000}, {0x7f800001, 0x7fc00000}, /* not numbers */
  };
  const uint32_t *panels = user;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    for (size_t at = 0; at < N_WIDE; at += at < 2 ? 1 : 5) {
      float x[N_WIDE] = {0};
      x[at] = float_of(cases[i].from);
      product p = {1, N_WIDE, N_WIDE, x, NULL, panels};
      g_autofree float *y = multiply(&p, kernels);
      float to = float_of(cases[i].to);
      assert_same_bits(&y[at], &to, 1);
    }
}

static void
test_rounding(void)
{
  uint16_t identity[N_WIDE * N_WIDE] = {0};
  for (size_t i = 0; i < N_WIDE; i++)
    identity[i * N_WIDE + i] = 0x3f80;
  g_autofree uint32_t *panels = g_malloc(MT_PANELS_SIZE(N_WIDE, N_WIDE) * sizeof(uint16_t));
  mt_panels_pack(panels, identity, MT_DTYPE_BF16, N_WIDE, N_WIDE, 0, MT_PANELS(N_WIDE));
  visit_ways(check_rounding, panels);
}

/* ---- Products -----------------------------------------------------------------------------------
 */

typedef struct {
  product p;
  const uint16_t *weights;
  float *plain; /* NULL: not there yet */
} comparison;

/* Here by hand, and not by what is tested. */
static double
to_bf16(float x)
{
  uint32_t bits = bits_of(x), low = bits & 0xffff, high = bits & 0xffff0000u;
  bool up = low > 0x8000 || (low == 0x8000 && bits & 0x10000);
  return float_of(up ? high + 0x10000 : high);
}

static void
check_near(const comparison *c, const float *y)
{
  const product *p = &c->p;
  for (size_t r = 0; r < p->rows; r++)
    for (size_t o = 0; o < p->n_out; o++) {
      double sum = p->bias ? p->bias[o] : 0, size = 1;
      for (size_t k = 0; k < p->n_in; k++) {
        double term =
            to_bf16(p->x[r * p->n_in + k]) * float_of((uint32_t) c->weights[o * p->n_in + k] << 16);
        sum += term;
        size += fabs(term);
      }
      g_assert_cmpfloat(fabs(sum - y[r * (p->n_out + 3) + o]), <=, 1e-6 * size);
    }
}

/* Near the double, a row the same whatever is beside it; and but for AMX the bits of plain C. */
static void
check_product(const mt_kernels_bf16 *kernels, void *user)
{
  comparison *c = user;
  const product *p = &c->p;
  const size_t stride = p->n_out + 3;
  g_autofree float *y = multiply(p, kernels);
  if (!c->plain || strstr(kernels->name, "amx"))
    check_near(c, y);
  else
    assert_same_bits(y, c->plain, p->rows * stride);
  for (size_t r = 0; r < p->rows; r += 1 + p->rows / 5) {
    product one = *p;
    one.rows = 1;
    one.x = p->x + r * p->n_in;
    g_autofree float *alone = multiply(&one, kernels);
    assert_same_bits(alone, y + r * stride, stride);
  }
  if (!c->plain)
    c->plain = g_steal_pointer(&y);
}

static float *
random_floats(size_t n, unsigned seed)
{
  float *out = g_new(float, n + 1);
  uint32_t state = seed;
  for (size_t i = 0; i < n; i++)
    out[i] = toy_random(&state);
  out[n] = NAN; /* reading on shows */
  return out;
}

static void
compare(size_t rows, size_t n_out, size_t n_in)
{
  g_autofree float *x = random_floats(rows * n_in, 1), *w = random_floats(n_out * n_in, 2);
  g_autofree float *bias = random_floats(n_out, 3);
  g_autofree uint16_t *weights = g_new(uint16_t, n_out * n_in);
  size_t size = MT_PANELS_SIZE(n_out, n_in) * sizeof(uint16_t);
  g_autofree uint32_t *panels = g_malloc(size);
  memset(panels, 0xff, size); /* NaN */
  mt_dtype_to_bf16(w, weights, n_out * n_in);
  mt_panels_pack(panels, weights, MT_DTYPE_BF16, n_out, n_in, 0, MT_PANELS(n_out));
  comparison c = {{rows, n_out, n_in, x, rows % 3 ? bias : NULL, panels}, weights, NULL};
  visit_ways(check_product, &c);
  g_free(c.plain);
}

/* Every count of rows that tiles are made of, and of outputs and inputs that is no whole panel,
 * pair or tile; and more rows than stay in a cache. */
static void
test_products(void)
{
  for (size_t rows = 1; rows <= 67; rows++)
    compare(rows, 1 + rows * 37 % 150, 1 + rows * 53 % 200);
  static const size_t shapes[][3] = {{1, 64, 64},    {16, 80, 32},    {17, 16, 31},   {32, 128, 33},
                                     {67, 33, 2048}, {100, 17, 1500}, {145, 20, 1024}};
  for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++)
    compare(shapes[i][0], shapes[i][1], shapes[i][2]);
}

/* ---- Instructions and what emulates them --------------------------------------------------------
 */

#ifdef EMULATED_BESIDE
/* Any bits but infinite ones: of everyday size, small enough that products vanish, anything. */
static uint32_t
random_bits(uint32_t *state, int how)
{
  *state = *state * 1664525u + 1013904223u;
  uint32_t high = *state >> 16;
  *state = *state * 1664525u + 1013904223u;
  uint32_t bits = high << 16 | *state >> 16;
  uint32_t exponent = how == 0   ? 120 + (bits >> 23 & 15)
                      : how == 1 ? bits >> 23 & 3
                      : how == 2 ? 58 + (bits >> 23 & 7)
                                 : (bits >> 23 & 255) % 255;
  return (bits & 0x807fffff) | exponent << 23;
}

/* Bit for bit, sums that vanish among them. */
static void
test_instruction(gconstpointer data)
{
  enum { ROWS = 23, N_OUT = 37, N_IN = 71 };
  const mt_kernels_bf16 *real = data, *emulated = NULL;
  for (size_t i = 0; !emulated && emulated_kernels_bf16_get(i); i++)
    if (strcmp(emulated_kernels_bf16_get(i)->name, real->name) == 0)
      emulated = emulated_kernels_bf16_get(i);
  g_assert_nonnull(emulated);
  uint32_t state = 7;
  for (int how = 0; how < 4; how++)
    for (int round = 0; round < 20; round++) {
      float x[ROWS * N_IN], bias[N_OUT];
      uint16_t weights[N_OUT * N_IN];
      uint32_t panels[MT_PANELS_SIZE(N_OUT, N_IN) / 2];
      for (size_t i = 0; i < G_N_ELEMENTS(x); i++)
        x[i] = float_of(random_bits(&state, how));
      for (size_t i = 0; i < G_N_ELEMENTS(weights); i++)
        weights[i] = (uint16_t) (random_bits(&state, how) >> 16);
      /* Additions outside of the instruction keep numbers that are not normal. */
      for (size_t i = 0; i < N_OUT; i++)
        bias[i] = 0;
      mt_panels_pack(panels, weights, MT_DTYPE_BF16, N_OUT, N_IN, 0, MT_PANELS(N_OUT));
      product p = {ROWS, N_OUT, N_IN, x, round % 2 ? bias : NULL, panels};
      g_autofree float *y = multiply(&p, real), *z = multiply(&p, emulated);
      assert_same_bits(y, z, ROWS * (N_OUT + 3));
    }
}
#endif

#ifdef EMULATED_AVX512
/* It is what the engine runs on, if the rest of it is there. */
static void
test_emulated(void)
{
  const mt_kernels_bf16 *best = mt_kernels_bf16_best();
  g_assert_cmpstr(best ? best->name : NULL, ==, mt_kernels_rows_get(1) ? "amx-bf16" : NULL);
}
#endif

TESTS()
{
  for (gsize s = 0; s < G_N_ELEMENTS(sources); s++)
    for (size_t i = 0; sources[s].get(i); i++)
      g_test_message("%s: %s", sources[s].of, sources[s].get(i)->name);
  g_test_add_func("/kernels-bf16/rounding", test_rounding);
  g_test_add_func("/kernels-bf16/products", test_products);
#ifdef EMULATED_BESIDE
  for (size_t i = 0; mt_kernels_bf16_get(i); i++)
    suite_add(mt_kernels_bf16_get(i), test_instruction, "/kernels-bf16/instruction/%s",
              mt_kernels_bf16_get(i)->name);
#endif
#ifdef EMULATED_AVX512
  g_test_add_func("/kernels-bf16/emulated", test_emulated);
#endif
}

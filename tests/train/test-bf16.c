/* test-bf16.c — products of numbers rounded to bf16: rounding, every shape of tile and panel on
 * every instruction set (AVX512-BF16 and AMX emulated in plain C), gradients of a network.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-network.h"
#include "suite.h"
#include "train/mt-product.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
extern const mt_bf16 mt_bf16_emulated_avx512bf16, mt_bf16_emulated_amx;
#endif

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

/* ---- Rounding ---------------------------------------------------------------------------------
 */

/* Whole vectors are rounded by other instructions than single numbers. */
#define N_WIDE 33

/* x as the product sees it: x times one. */
static float
rounded(const mt_bf16 *bf16, float x)
{
  float one = 1, y = 0;
  g_autofree uint16_t *panels = g_new0(uint16_t, mt_product_room(1, N_WIDE) * 2);
  bf16->pack_panels(panels, &(mt_factor){&one, 1, false}, 1, 1, 0, 1);
  bf16->multiply(&y, 1, &(mt_factor){&x, 1, false}, panels, 1, 1, false, 0, 1);
  /* From the other side it is the same, and so are many beside each other. */
  float many[N_WIDE], left[N_WIDE], right[N_WIDE], z = 0;
  for (size_t i = 0; i < N_WIDE; i++)
    many[i] = x;
  bf16->multiply(left, 1, &(mt_factor){many, N_WIDE, true}, panels, 1, 1, false, 0, N_WIDE);
  bf16->pack_panels(panels, &(mt_factor){&x, 1, true}, 1, 1, 0, 1);
  bf16->multiply(&z, 1, &(mt_factor){&one, 1, true}, panels, 1, 1, false, 0, 1);
  bf16->pack_panels(panels, &(mt_factor){many, N_WIDE, false}, 1, N_WIDE, 0, 1);
  bf16->multiply(right, N_WIDE, &(mt_factor){&one, 1, false}, panels, N_WIDE, 1, false, 0, 1);
  g_assert_true(bits_of(y) == bits_of(z) || (isnan(y) && isnan(z)));
  for (size_t i = 0; i < N_WIDE; i++) {
    g_assert_true(bits_of(y) == bits_of(left[i]) || (isnan(y) && isnan(left[i])));
    g_assert_true(bits_of(y) == bits_of(right[i]) || (isnan(y) && isnan(right[i])));
  }
  return y;
}

static void
test_rounding(gconstpointer data)
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
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
    g_assert_cmphex(bits_of(rounded(data, float_of(cases[i].from))), ==, cases[i].to);
  static const uint32_t not_numbers[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff};
  for (size_t i = 0; i < G_N_ELEMENTS(not_numbers); i++)
    g_assert_true(isnan(rounded(data, float_of(not_numbers[i]))));
}

/* ---- Products ---------------------------------------------------------------------------------
 */

static float *
numbers(size_t n, uint32_t *state)
{
  float *x = g_new(float, n);
  for (size_t i = 0; i < n; i++)
    x[i] = (float) small_random(state);
  return x;
}

/* Here by hand, and not by what is tested. */
static float
to_bf16(float x)
{
  uint32_t bits = bits_of(x), low = bits & 0xffff, high = bits & 0xffff0000u;
  bool up = low > 0x8000 || (low == 0x8000 && bits & 0x10000);
  return float_of(up ? high + 0x10000 : high);
}

static void
compare_product(const mt_bf16 *bf16, const size_t shape[3], int how)
{
  size_t rows = shape[0], cols = shape[1], depth = shape[2];
  bool a_transposed = how & 1, b_transposed = how & 2, adds = how & 4;
  uint32_t state = 7;
  mt_products products = {.operators = mt_operators_best(), .pool = mt_pool_new(2), .bf16 = bf16};
  size_t deep = depth < MT_PRODUCT_DEPTH || !a_transposed ? depth : MT_PRODUCT_DEPTH;
  products.panels = g_new(float, mt_product_room(deep, cols));
  size_t stride = cols + 3, a_stride = (a_transposed ? rows : depth) + 2;
  size_t b_stride = (b_transposed ? depth : cols) + 1;
  g_autofree float *a = numbers(a_stride * (a_transposed ? depth : rows), &state);
  g_autofree float *b = numbers(b_stride * (b_transposed ? cols : depth), &state);
  g_autofree float *y = numbers(stride * rows, &state);
  g_autofree float *before = g_memdup2(y, stride * rows * sizeof *y);
  mt_product(&products, y, stride, (mt_factor){a, a_stride, a_transposed},
             (mt_factor){b, b_stride, b_transposed}, rows, cols, depth, adds);
  for (size_t i = 0; i < a_stride * (a_transposed ? depth : rows); i++)
    a[i] = to_bf16(a[i]);
  for (size_t i = 0; i < b_stride * (b_transposed ? cols : depth); i++)
    b[i] = to_bf16(b[i]);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < stride; j++) {
      double expected = j < cols && !adds ? 0 : before[i * stride + j];
      for (size_t l = 0; j < cols && l < depth; l++)
        expected += (double) a[a_transposed ? l * a_stride + i : i * a_stride + l] *
                    b[b_transposed ? j * b_stride + l : l * b_stride + j];
      /* Sums are of F32. */
      g_assert_cmpfloat_with_epsilon(y[i * stride + j], expected, 1e-6 * (double) (depth + 1));
    }
  g_free(products.panels);
  mt_pool_free(products.pool);
}

/* Rows, columns and depths around tiles, panels and blocks; sums over more than a block. */
static void
test_product(gconstpointer data)
{
  static const size_t shapes[][3] = {{1, 1, 1},     {5, 31, 3},    {12, 32, 32},
                                     {33, 33, 257}, {97, 16, 16},  {129, 70, 300},
                                     {100, 5, 513}, {24, 129, 40}, {32, 64, 1060}};
  for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++)
    for (int how = 0; how < 8; how++)
      compare_product(data, shapes[s], how);
}

/* ---- A network --------------------------------------------------------------------------------
 */

static mt_real *
gradient_of(mt_products_of products, unsigned n_threads, size_t *n, double *loss_per_token)
{
  mt_network_config config = mt_network_config_default();
  config.n_layers[0] = config.n_layers[1] = 2;
  config.d_model = 64;
  config.d_ffn = 160;
  config.vocab_size = 301;
  config.max_positions = 64;
  config.products = products;
  g_autoptr(mt_network) network = NULL;
  g_autoptr(mt_workspace) workspace = NULL;
  mt_loss loss;
  SMALL_OK(network = mt_network_new(&config, error));
  mt_network_init(network, 3);
  SMALL_OK(workspace = mt_workspace_new(network, n_threads, error));
  mt_train_batch *batch = small_batch_new(&config, 1);
  mt_pass_options options = {.seed = 5, .step = 10};
  SMALL_OK(mt_network_gradient(network, workspace, batch, &options, &loss, error));
  *n = network->n_flat;
  *loss_per_token = loss.smoothed_loss / (double) loss.n_tokens;
  mt_real *gradient = g_memdup2(network->gradients, *n * sizeof *gradient);
  small_batch_free(batch);
  return gradient;
}

/* Each factor is rounded to 8 bits, by at most 1 / 256 of itself: gradients point where they did.
 */
static void
test_gradient(void)
{
  size_t n;
  double loss_f32, loss_bf16, loss_again, difference = 0, norm = 0;
  g_autofree mt_real *f32 = gradient_of(MT_PRODUCTS_F32, 2, &n, &loss_f32);
  g_autofree mt_real *bf16 = gradient_of(MT_PRODUCTS_BF16, 2, &n, &loss_bf16);
  g_autofree mt_real *again = gradient_of(MT_PRODUCTS_BF16, 2, &n, &loss_again);
  for (size_t i = 0; i < n; i++) {
    difference += pow(bf16[i] - f32[i], 2);
    norm += pow(f32[i], 2);
  }
  g_test_message("loss %g, %g; gradient differs by %g", loss_f32, loss_bf16,
                 sqrt(difference / norm));
  g_assert_cmpfloat(sqrt(difference / norm), <, 0.02);
  /* It is another computation. */
  g_assert_cmpfloat(difference, >, 0);
  g_assert_cmpfloat_with_epsilon(loss_f32, loss_bf16, 0.002 * loss_f32);
  g_assert_cmpmem(bf16, n * sizeof *bf16, again, n * sizeof *again);
}

static void
add_tests(const char *how, const mt_bf16 *bf16)
{
  static const struct {
    const char *name;
    GTestDataFunc function;
  } tests[] = {{"rounding", test_rounding}, {"product", test_product}};
  for (size_t t = 0; t < G_N_ELEMENTS(tests); t++)
    suite_add(bf16, tests[t].function, "/bf16/%s%s/%s", how, bf16->name, tests[t].name);
}

TESTS()
{
  mt_pool_usual_threads();
  for (size_t i = 0; mt_bf16_get(i); i++)
    add_tests("", mt_bf16_get(i));
#if defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__) /* they compare numbers, and slowly there */
  add_tests("emulated-", &mt_bf16_emulated_avx512bf16);
  add_tests("emulated-", &mt_bf16_emulated_amx);
#endif
  g_test_add_func("/bf16/gradient", test_gradient);
}

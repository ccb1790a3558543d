/* test-region.c — under AddressSanitizer: a product that is compiled without it is not let at
 * memory that is too short by a number, whichever of its operands that is (check_region in
 * mt-ops.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-ops.h"
#include "suite.h"

#include <glib.h>

enum { ROWS = 3, N_OUT = 21, N_IN = 10 };
enum { NONE, X, PANELS, BIAS, Y, N_OPERANDS };
static const char *const names[] = {"none", "x", "panels", "bias", "y"};

static void
multiply(gconstpointer short_one)
{
  const int which = GPOINTER_TO_INT(short_one);
  const gsize sizes[N_OPERANDS] = {[X] = ROWS * N_IN,
                                   [PANELS] = MT_PANELS_SIZE(N_OUT, N_IN),
                                   [BIAS] = N_OUT,
                                   [Y] = ROWS * N_OUT};
  float *operands[N_OPERANDS] = {0};
  for (int i = X; i < N_OPERANDS; i++)
    operands[i] = g_new0(float, sizes[i] - (which == i));
  mt_linear map = {.bias = operands[BIAS],
                   .as_stored = {.format = MT_PRECISION_STORED, .panels = operands[PANELS]},
                   .n_out = N_OUT,
                   .n_in = N_IN};
  mt_ops ops;
  mt_ops_init(&ops, 1);
  ops.has_vectors = true;
  mt_ops_linear(&ops, operands[Y], operands[X], ROWS, &map);
  mt_ops_clear(&ops);
  for (int i = X; i < N_OPERANDS; i++)
    g_free(operands[i]);
}

static void
test_short(gconstpointer short_one)
{
  g_autofree char *path =
      g_strdup_printf("/region/subprocess/%s", names[GPOINTER_TO_INT(short_one)]);
  g_test_trap_subprocess(path, 0, 0);
  if (GPOINTER_TO_INT(short_one) == NONE) {
    g_test_trap_assert_passed();
  } else {
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*heap-buffer-overflow*check_region*");
  }
}

TESTS()
{
  for (int i = NONE; i < N_OPERANDS; i++) {
    g_autofree char *path = g_strdup_printf("/region/%s", names[i]);
    g_autofree char *inside = g_strdup_printf("/region/subprocess/%s", names[i]);
    g_test_add_data_func(path, GINT_TO_POINTER(i), test_short);
    g_test_add_data_func(inside, GINT_TO_POINTER(i), multiply);
  }
}

/* test-network-gradient.c — the gradient of the whole network against finite differences, in
 * double, for every kind of network and numbers out of every tensor.
 *
 *     dL/dp = (L(p + h) - L(p - h)) / 2h + O(h^2)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-network.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define STEP      1e-5
#define TOLERANCE 1e-4
/* Numbers of a tensor that are compared. */
#define N_COMPARED 5 /* numbers of each tensor */

typedef struct {
  mt_network *network;
  mt_workspace *workspace;
  mt_train_batch *batch;
  mt_pass_options options;
} fixture;

static double
loss_of(fixture *f)
{
  mt_loss loss;
  SMALL_OK(mt_network_gradient(f->network, f->workspace, f->batch, &f->options, &loss, error));
  return loss.smoothed_loss;
}

/* Away from the beginning, where biases are 0 and gains 1. */
static void
shake(mt_network *network)
{
  uint32_t state = 7;
  for (size_t i = 0; i < network->n_tensors; i++)
    for (size_t k = 0; k < network->table[i].count; k++)
      network->parameters[network->table[i].offset + k] += 0.2 * small_random(&state);
}

static void
compare_tensor(fixture *f, const mt_real *gradient, const mt_parameter *t)
{
  uint32_t state = (uint32_t) t->offset + 1;
  const size_t stride = suite_stride(3, 3); /* two of them */
  /* Numbers near 0 (a bias of keys shifts all scores of a row: its gradient is 0) are compared with
   * what a difference of sums over all rows can tell. */
  double largest = 0;
  for (size_t k = 0; k < t->count; k++)
    largest = fmax(largest, fabs(gradient[t->offset + k]));
  for (size_t n = 0; n < N_COMPARED; n += stride) {
    size_t k = (size_t) ((small_random(&state) + 1) / 2 * (double) t->count);
    mt_real *p = &f->network->parameters[t->offset + k], kept = *p;
    *p = kept + STEP;
    double above = loss_of(f);
    *p = kept - STEP;
    double below = loss_of(f);
    *p = kept;
    double expected = (above - below) / (2 * STEP), found = gradient[t->offset + k];
    double size = fmax(fmax(fabs(expected), fabs(found)), 1e-2 * largest + 1e-3);
    if (!(fabs(expected - found) < TOLERANCE * size))
      g_error("%s[%zu]: expected %.10g, found %.10g", t->name, k, expected, found);
  }
}

static void
test_variant(gconstpointer data)
{
  const small_variant *variant = data;
  fixture f = {.options = {.seed = 5, .step = 3}};
  SMALL_OK(f.network = mt_network_new(&variant->config, error));
  SMALL_OK(f.workspace = mt_workspace_new(f.network, 2, error));
  f.batch = small_batch_new(&variant->config, 1);
  mt_network_init(f.network, 1);
  shake(f.network);
  loss_of(&f);
  size_t bytes = f.network->n_flat * sizeof(mt_real);
  g_autofree mt_real *gradient = g_memdup2(f.network->gradients, bytes);
  for (size_t i = 0; i < f.network->n_tensors; i++)
    compare_tensor(&f, gradient, &f.network->table[i]);

  /* Gradients are added to. */
  memset(f.network->gradients, 0, bytes);
  loss_of(&f);
  loss_of(&f);
  for (size_t i = 0; i < f.network->n_flat; i++)
    g_assert_cmpfloat_with_epsilon(f.network->gradients[i], 2 * gradient[i],
                                   1e-9 * (1 + fabs(gradient[i])));
  small_batch_free(f.batch);
  mt_workspace_free(f.workspace);
  mt_network_free(f.network);
}

TESTS()
{
  for (size_t i = 0; i < small_n_variants; i++)
    suite_add(&small_variants[i], test_variant, "/network-gradient/%s", small_variants[i].name);
}

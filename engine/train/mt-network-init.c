/* mt-network-init.c — the numbers that training begins with.
 *
 * Glorot and Bengio 2010: a normal distribution of variance 2 / (n_in + n_out) keeps the size of
 * what goes forward and of gradients; DeepNorm (Wang et al. 2022) makes some of them smaller, which
 * mt-network.c has put into init_deviation. Biases begin at 0, gains of norms at 1.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-network.h"

#include <math.h>
#include <string.h>

/* SplitMix64, Steele et al. 2014. */
static uint64_t
next(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* In (0, 1). */
static double
uniform(uint64_t *state)
{
  return ((double) (next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Two independent normal numbers, Box and Muller 1958. */
static void
normal_pair(uint64_t *state, double pair[2])
{
  double radius = sqrt(-2 * log(uniform(state))), angle = 2 * acos(-1) * uniform(state);
  pair[0] = radius * cos(angle);
  pair[1] = radius * sin(angle);
}

void
mt_network_init(mt_network *network, uint64_t seed)
{
  uint64_t state = seed;
  memset(network->parameters, 0, network->n_flat * sizeof *network->parameters);
  memset(network->gradients, 0, network->n_flat * sizeof *network->gradients);
  for (size_t i = 0; i < network->n_tensors; i++) {
    const mt_parameter *t = &network->table[i];
    mt_real *p = network->parameters + t->offset;
    if (t->init_deviation == 0) {
      for (size_t k = 0; k < t->count; k++)
        p[k] = t->kind == MT_PARAMETER_GAIN ? 1 : 0;
      continue;
    }
    for (size_t k = 0; k < t->count; k += 2) {
      double pair[2];
      normal_pair(&state, pair);
      p[k] = (mt_real) (pair[0] * t->init_deviation);
      if (k + 1 < t->count)
        p[k + 1] = (mt_real) (pair[1] * t->init_deviation);
    }
  }
  mt_network_hold_pad(network, network->parameters);
}

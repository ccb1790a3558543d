/* mt-operator-dropout.h — which elements dropout keeps, the paper, section 5.4. Srivastava et al.
 * 2014, with kept elements scaled up so that nothing has to change when translating.
 *
 *     dropout(x)[i] = x[i] / (1 - p)   with probability 1 - p, else 0
 *
 * What is kept is a function of the pass and of the place, not of what was drawn before: a counter
 * through a hash. So threads may take rows in any order, and backward asks again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_OPERATOR_DROPOUT_H
#define MT_OPERATOR_DROPOUT_H

#include "train/mt-operators.h"

/* Wellons' "lowbias32", a bijection of 32 bits with little bias, keyed before and inside. Every
 * step of it has a vector instruction. */
static inline uint32_t
dropout_hash(const uint32_t key[2], uint32_t i)
{
  uint32_t x = i ^ key[0];
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x += key[1];
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/* 0 or scale. i counts the elements of the site. */
static inline mt_real
dropout_factor(const mt_dropout *dropout, uint32_t i)
{
  return dropout_hash(dropout->key, i) >= dropout->threshold ? dropout->scale : 0;
}

#endif

/* mt-adam.h — Adam (Kingma and Ba 2015); the paper, section 5.3. Private to the trainer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ADAM_H
#define MT_ADAM_H

#include "base/mt-pool.h"
#include "mt/train/trainer.h"
#include "train/mt-real.h"

/* Means of the gradient and of its square, [n] each. */
typedef struct {
  mt_adam_options options;
  size_t n;
  mt_real *m, *v;
  double *partial; /* [blocks]: sums of squares, for the norm */
} mt_adam;

/* All zeros. MT_ERROR_INPUT for options that make no sense, MT_ERROR_NO_MEMORY. */
bool mt_adam_init(mt_adam *adam, const mt_adam_options *options, size_t n, mt_error *error);
void mt_adam_clear(mt_adam *adam);

/* One step: gradient [n] is multiplied by `scale` (1 / number of tokens), clipped, used, and then
 * set to 0:
 *   g = scale · gradient · min(1, clip / |scale · gradient|)
 *   m = β1 m + (1 - β1) g        v = β2 v + (1 - β2) g²
 *   parameters -= rate · (m / (1 - β1^step)) / (sqrt(v / (1 - β2^step)) + ε)
 * step counts from 1. *norm is |scale · gradient|. The same bits whatever the number of threads;
 * pool may be NULL. False, and nothing but *norm is changed, if the norm is not a finite number. */
bool mt_adam_step(mt_adam *adam, mt_pool *pool, mt_real *parameters, mt_real *gradient,
                  double scale, double rate, uint64_t step, double *norm);

#endif

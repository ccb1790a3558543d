/* mt-real.h — the number type that training computes with. Private to the trainer.
 *
 * float; double in the build of the same sources that checks gradients against finite differences,
 * where a float would have no digits left for the difference (-DMT_TRAIN_DOUBLE).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_REAL_H
#define MT_REAL_H

#ifdef MT_TRAIN_DOUBLE
typedef double mt_real;
#else
typedef float mt_real;
#endif

#endif

/* mt-adam.c — Adam, and the learning rate of a step.
 *
 * Both passes run over blocks of a fixed size, each done by whichever thread is free: the sum of
 * squares is added up block by block in their order, so that it does not depend on who did what.
 * A step waits for memory (seven streams), not for arithmetic, as long as that is done in vectors;
 * the loops are compiled for AVX2 and AVX-512 too, and chosen at run time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-adam.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt/train/trainer.h"

#include <math.h>
#include <string.h>

/* ---- The learning rate ----------------------------------------------------------------------- */

static double
curve(const mt_schedule *s, size_t d_model, double step)
{
  double warmup = s->warmup > 0 ? (double) s->warmup : 1;
  switch (s->kind) {
  case MT_SCHEDULE_NOAM:
    return s->rate / sqrt((double) d_model) * fmin(1 / sqrt(step), step * pow(warmup, -1.5));
  case MT_SCHEDULE_INVERSE_SQRT:
    return s->rate * fmin(step / warmup, sqrt(warmup / step));
  case MT_SCHEDULE_CONSTANT:
    break;
  }
  return s->rate * fmin(step / warmup, 1);
}

double
mt_schedule_rate(const mt_schedule *s, size_t d_model, uint64_t step)
{
  double first = floor((double) s->steps * (1 - s->cooldown)); /* the last step before it */
  if (s->cooldown <= 0 || (double) step <= first)
    return curve(s, d_model, (double) step);
  double end = (double) s->steps + 1;
  double left = fmax(end - (double) step, 0) / (end - first);
  return curve(s, d_model, fmax(first, 1)) * left;
}

/* ---- Adam ------------------------------------------------------------------------------------ */

#define BLOCK 16384

/* What one step multiplies with. */
typedef struct {
  mt_real scale;                      /* of the gradient */
  mt_real keep1, take1, keep2, take2; /* β and 1 - β */
  mt_real rate;                       /* rate / (1 - β1^step) */
  mt_real correct2;                   /* 1 / (1 - β2^step) */
  mt_real epsilon;
} factors;

typedef struct {
  double (*squares)(const mt_real *x, size_t n);
  void (*update)(mt_real *restrict p, mt_real *restrict m, mt_real *restrict v, mt_real *restrict g,
                 size_t n, const factors *f);
} loops;

/* Eight sums side by side, so that the compiler may use vectors without changing the order. */
#define LANES 8
#define DEFINE_LOOPS(suffix, attributes)                                                     \
  attributes static double squares_##suffix(const mt_real *x, size_t n)                      \
  {                                                                                          \
    double sums[LANES] = {0};                                                                \
    size_t i = 0;                                                                            \
    for (; i + LANES <= n; i += LANES)                                                       \
      for (size_t k = 0; k < LANES; k++)                                                     \
        sums[k] += (double) x[i + k] * (double) x[i + k];                                    \
    for (size_t k = 0; i < n; i++, k++)                                                      \
      sums[k] += (double) x[i] * (double) x[i];                                              \
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +                                     \
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));                                      \
  }                                                                                          \
  attributes static void update_##suffix(mt_real *restrict p, mt_real *restrict m,           \
                                         mt_real *restrict v, mt_real *restrict g, size_t n, \
                                         const factors *f)                                   \
  {                                                                                          \
    for (size_t i = 0; i < n; i++) {                                                         \
      mt_real x = g[i] * f->scale;                                                           \
      m[i] = f->keep1 * m[i] + f->take1 * x;                                                 \
      v[i] = f->keep2 * v[i] + f->take2 * (x * x);                                           \
      p[i] -= f->rate * m[i] / (ROOT(v[i] * f->correct2) + f->epsilon);                      \
      g[i] = 0;                                                                              \
    }                                                                                        \
  }                                                                                          \
  static const loops loops_##suffix = {squares_##suffix, update_##suffix};

#ifdef MT_TRAIN_DOUBLE
#define ROOT sqrt
#else
#define ROOT sqrtf
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define VECTORS __attribute__((optimize("O3", "no-math-errno", "no-trapping-math")))
#define WIDE    ",prefer-vector-width=512"
#else
#define VECTORS
#define WIDE
#endif

DEFINE_LOOPS(plain, VECTORS)
#if defined(__x86_64__)
DEFINE_LOOPS(avx2, VECTORS __attribute__((target("avx2,fma"))))
DEFINE_LOOPS(avx512, VECTORS __attribute__((target("avx512f,fma" WIDE))))
#endif

static const loops *
best_loops(void)
{
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
    return &loops_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &loops_avx2;
#endif
  return &loops_plain;
}

bool
mt_adam_init(mt_adam *adam, const mt_adam_options *o, size_t n, mt_error *error)
{
  *adam = (mt_adam){0};
  if (!(o->beta1 >= 0 && o->beta1 < 1) || !(o->beta2 >= 0 && o->beta2 < 1))
    return mt_fail(error, MT_ERROR_INPUT,
                   "Adam's betas must be from 0 to below 1, found %g and %g.", o->beta1, o->beta2);
  if (!(o->epsilon > 0 && o->epsilon < 1) || !(o->clip >= 0))
    return mt_fail(error, MT_ERROR_INPUT,
                   "Adam's epsilon must be between 0 and 1 and the clipping norm not negative, "
                   "found %g and %g.",
                   o->epsilon, o->clip);
  adam->options = *o;
  adam->n = n;
  adam->m = mt_alloc_aligned(n, sizeof *adam->m);
  adam->v = mt_alloc_aligned(n, sizeof *adam->v);
  adam->partial = mt_alloc(n / BLOCK + 1, sizeof *adam->partial);
  if (adam->m && adam->v && adam->partial)
    return true;
  mt_adam_clear(adam);
  return mt_fail_no_memory(error);
}

void
mt_adam_clear(mt_adam *adam)
{
  mt_free(adam->m);
  mt_free(adam->v);
  mt_free(adam->partial);
  *adam = (mt_adam){0};
}

/* ---- Blocks, divided among threads ----------------------------------------------------------- */

typedef struct {
  mt_adam *adam;
  const loops *loops;
  mt_real *parameters, *gradient;
  factors factors;
  size_t n_blocks;
} work;

static size_t
block_length(const work *w, size_t block)
{
  size_t begin = block * BLOCK;
  return w->adam->n - begin < BLOCK ? w->adam->n - begin : BLOCK;
}

static void
sum_part(void *user, size_t i, size_t n_parts)
{
  work *w = user;
  for (size_t b = w->n_blocks * i / n_parts; b < w->n_blocks * (i + 1) / n_parts; b++)
    w->adam->partial[b] = w->loops->squares(w->gradient + b * BLOCK, block_length(w, b));
}

static void
update_part(void *user, size_t i, size_t n_parts)
{
  work *w = user;
  for (size_t b = w->n_blocks * i / n_parts; b < w->n_blocks * (i + 1) / n_parts; b++) {
    size_t at = b * BLOCK;
    w->loops->update(w->parameters + at, w->adam->m + at, w->adam->v + at, w->gradient + at,
                     block_length(w, b), &w->factors);
  }
}

bool
mt_adam_step(mt_adam *adam, mt_pool *pool, mt_real *parameters, mt_real *gradient, double scale,
             double rate, uint64_t step, double *norm)
{
  const mt_adam_options *o = &adam->options;
  work w = {
      .adam = adam,
      .loops = best_loops(),
      .parameters = parameters,
      .gradient = gradient,
      .n_blocks = (adam->n + BLOCK - 1) / BLOCK,
  };
  size_t n_parts = w.n_blocks < MT_POOL_MAX_PARTS ? w.n_blocks : MT_POOL_MAX_PARTS;
  mt_pool_run(pool, n_parts, sum_part, &w);
  double sum = 0;
  for (size_t b = 0; b < w.n_blocks; b++)
    sum += adam->partial[b];
  *norm = scale * sqrt(sum);
  if (!isfinite(*norm))
    return false;
  if (o->clip > 0 && *norm > o->clip)
    scale *= o->clip / *norm;
  w.factors = (factors){
      .scale = (mt_real) scale,
      .keep1 = (mt_real) o->beta1,
      .take1 = (mt_real) (1 - o->beta1),
      .keep2 = (mt_real) o->beta2,
      .take2 = (mt_real) (1 - o->beta2),
      .rate = (mt_real) (rate / (1 - pow(o->beta1, (double) step))),
      .correct2 = (mt_real) (1 / (1 - pow(o->beta2, (double) step))),
      .epsilon = (mt_real) o->epsilon,
  };
  mt_pool_run(pool, n_parts, update_part, &w);
  return true;
}

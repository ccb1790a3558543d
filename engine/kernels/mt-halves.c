/* mt-halves.c — a matrix of numbers of 16 bits, whose other forms are made when somebody asks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-halves.h"

#include <pthread.h>
#include <stdint.h>

/* One for all: forms are made once, and it takes milliseconds. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

void
mt_halves_read(const mt_halves *halves, size_t first, size_t n, float *out)
{
  /* That they are finite was found when the file was opened. */
  mt_dtype_to_float(halves->dtype, (const uint16_t *) halves->numbers + first, out, n);
}

static void
make_floats(mt_halves *halves)
{
  mt_halves_read(halves, 0, halves->n_out * halves->n_in, halves->floats);
}

static void
make_panels(mt_halves *halves)
{
  mt_panels_pack(halves->panels, halves->numbers, halves->dtype, halves->n_out, halves->n_in, 0,
                 MT_PANELS(halves->n_out));
}

static void
make_once(mt_halves *halves, _Atomic(bool) *is_made, void (*make)(mt_halves *halves))
{
  if (atomic_load_explicit(is_made, memory_order_acquire))
    return;
  pthread_mutex_lock(&making);
  if (!atomic_load_explicit(is_made, memory_order_relaxed)) {
    make(halves);
    atomic_store_explicit(is_made, true, memory_order_release);
  }
  pthread_mutex_unlock(&making);
}

const float *
mt_halves_floats(mt_halves *halves)
{
  make_once(halves, &halves->has_floats, make_floats);
  return halves->floats;
}

const void *
mt_halves_panels(mt_halves *halves)
{
  make_once(halves, &halves->has_panels, make_panels);
  return halves->panels;
}

const float *
mt_linear_floats(const mt_linear *map)
{
  return map->halves ? mt_halves_floats(map->halves) : map->weight;
}

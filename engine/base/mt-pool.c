/* mt-pool.c — a few threads that divide the work of one computation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-pool.h"

#include "base/mt-alloc.h"
#include "base/mt-dtype.h"

#include <cblas.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define MAX_THREADS 64
#define CACHE_LINE  64

/* How often a thread looks for work before it sleeps: some 100 microseconds, longer than anything
 * that is not divided takes in a decoding step. */
#define LOOKS_BEFORE_SLEEP 4000
/* How often the caller looks whether the others are done before it lets them have its core. */
#define LOOKS_BEFORE_YIELD 20000

/* What is to be done is one number, so that a thread takes a part and learns what it belongs to in
 * one step: the run (32 bits), its number of parts (16), the next part to be taken (16). Parts that
 * are taken beyond the last are no work; there are at most as many of them as threads. */
typedef uint64_t ticket;
#define NEW_TICKET(run, n_parts) ((ticket) (run) << 32 | (ticket) (n_parts) << 16)
#define TICKET_RUN(t)            ((uint32_t) ((t) >> 32))
#define TICKET_PARTS(t)          ((size_t) ((t) >> 16 & 0xffff))
#define TICKET_NEXT(t)           ((size_t) ((t) &0xffff))

struct mt_pool {
  alignas(CACHE_LINE) _Atomic ticket next;
  alignas(CACHE_LINE) _Atomic size_t n_done;
  alignas(CACHE_LINE) _Atomic unsigned n_asleep;
  /* Of the run; they stand still while a part of it is taken and not done. */
  void (*part)(void *user, size_t i, size_t n_parts);
  void *user;
  bool stop; /* the work is to end */

  unsigned n_threads; /* with the caller */
  pthread_t threads[MAX_THREADS];
  pthread_mutex_t lock;
  pthread_cond_t wake;
};

/* ---- How many there are ---------------------------------------------------------------------- */

static unsigned n_threads_of_blas = 1;

static void
take_threads(void)
{
  int n = openblas_get_num_threads();
  n_threads_of_blas = n < 1 ? 1 : (unsigned) n;
  if (n > 1)
    openblas_set_num_threads(1);
}

unsigned
mt_pool_usual_threads(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, take_threads);
  unsigned n_cores = mt_cpu_count();
  return n_cores < n_threads_of_blas ? n_cores : n_threads_of_blas;
}

/* ---- A pool ---------------------------------------------------------------------------------- */

static inline void
relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Take parts until there are none. */
static void
take_parts(mt_pool *pool)
{
  for (;;) {
    ticket t = atomic_fetch_add_explicit(&pool->next, 1, memory_order_acquire);
    if (TICKET_NEXT(t) >= TICKET_PARTS(t))
      return;
    pool->part(pool->user, TICKET_NEXT(t), TICKET_PARTS(t));
    atomic_fetch_add_explicit(&pool->n_done, 1, memory_order_release);
  }
}

static bool
has_run(mt_pool *pool, uint32_t last)
{
  return TICKET_RUN(atomic_load(&pool->next)) != last;
}

/* Until there is another run than the last one: look, then sleep. */
static void
wait_for_run(mt_pool *pool, uint32_t last)
{
  for (unsigned i = 0; i < LOOKS_BEFORE_SLEEP; i++) {
    if (TICKET_RUN(atomic_load_explicit(&pool->next, memory_order_relaxed)) != last)
      return;
    relax();
  }
  pthread_mutex_lock(&pool->lock);
  /* The caller first publishes a run and then looks who is asleep; here it is the other way round,
   * and all four in one order: one of the two sees the other. */
  atomic_fetch_add(&pool->n_asleep, 1);
  while (!has_run(pool, last))
    pthread_cond_wait(&pool->wake, &pool->lock);
  atomic_fetch_sub(&pool->n_asleep, 1);
  pthread_mutex_unlock(&pool->lock);
}

static void
publish(mt_pool *pool, size_t n_parts)
{
  uint32_t run = TICKET_RUN(atomic_load_explicit(&pool->next, memory_order_relaxed)) + 1;
  atomic_store(&pool->next, NEW_TICKET(run, n_parts));
  if (atomic_load(&pool->n_asleep) == 0)
    return;
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

static void *
work(void *user)
{
  mt_pool *pool = user;
  uint32_t last = 0;
  for (;;) {
    wait_for_run(pool, last);
    ticket t = atomic_load_explicit(&pool->next, memory_order_acquire);
    last = TICKET_RUN(t);
    /* The run that ends the work has no parts. */
    if (TICKET_PARTS(t) == 0)
      return NULL;
    take_parts(pool);
  }
}

mt_pool *
mt_pool_new(unsigned n_threads)
{
  if (n_threads < 2)
    return NULL;
  mt_pool *pool = mt_alloc_aligned(1, sizeof *pool);
  if (!pool)
    return NULL;
  pool->n_threads = 1;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  while (pool->n_threads < n_threads && pool->n_threads < MAX_THREADS &&
         pthread_create(&pool->threads[pool->n_threads], NULL, work, pool) == 0)
    pool->n_threads++;
  if (pool->n_threads > 1)
    return pool;
  mt_pool_free(pool);
  return NULL;
}

void
mt_pool_free(mt_pool *pool)
{
  if (!pool)
    return;
  publish(pool, 0);
  for (unsigned i = 1; i < pool->n_threads; i++)
    pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->lock);
  mt_free(pool);
}

unsigned
mt_pool_n_threads(const mt_pool *pool)
{
  return pool ? pool->n_threads : 1;
}

void
mt_pool_run(mt_pool *pool, size_t n_parts, void (*part)(void *user, size_t i, size_t n_parts),
            void *user)
{
  if (!pool || n_parts < 2) {
    for (size_t i = 0; i < n_parts; i++)
      part(user, i, n_parts);
    return;
  }
  pool->part = part;
  pool->user = user;
  atomic_store_explicit(&pool->n_done, 0, memory_order_relaxed);
  publish(pool, n_parts);
  take_parts(pool);
  for (unsigned i = 0; atomic_load_explicit(&pool->n_done, memory_order_acquire) < n_parts; i++)
    if (i < LOOKS_BEFORE_YIELD)
      relax();
    else
      sched_yield();
}

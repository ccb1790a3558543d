/* test-pool.c — the threads that divide work: every part once, whoever does it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-pool.h"
#include "suite.h"

#include <glib.h>
#include <stdatomic.h>

typedef struct {
  size_t n_parts;
  atomic_uint done[MT_POOL_MAX_PARTS];
  int sum; /* of part 0 only: not atomic */
  const int *input;
} Work;

static void
part(void *user, size_t i, size_t n_parts)
{
  Work *work = user;
  g_assert_cmpuint(n_parts, ==, work->n_parts);
  atomic_fetch_add(&work->done[i], 1);
  if (i == 0)
    work->sum += *work->input;
}

static void
test_every_part_once(void)
{
  for (unsigned n_threads = 0; n_threads <= 5; n_threads++) {
    mt_pool *pool = mt_pool_new(n_threads);
    g_assert_true((pool == NULL) == (n_threads < 2));
    g_assert_cmpuint(mt_pool_n_threads(pool), ==, MAX(n_threads, 1));
    int input = 0, expected = 0;
    static Work work;
    work = (Work){.input = &input};
    for (int round = 0; round < 3000; round++) {
      work.n_parts = round % 50 == 49 ? MT_POOL_MAX_PARTS : (size_t) (round % 7);
      for (size_t i = 0; i < work.n_parts; i++)
        atomic_store(&work.done[i], 0);
      input = round;
      mt_pool_run(pool, work.n_parts, part, &work);
      for (size_t i = 0; i < work.n_parts; i++)
        g_assert_cmpuint(atomic_load(&work.done[i]), ==, 1);
      expected += work.n_parts ? round : 0;
      g_assert_cmpint(work.sum, ==, expected);
      if (round % 500 == 499)
        g_usleep(3000); /* long enough to fall asleep */
    }
    mt_pool_free(pool);
  }
}

/* Threads that are never given work end too. */
static void
test_idle(void)
{
  for (int i = 0; i < 50; i++)
    mt_pool_free(mt_pool_new(4));
}

TESTS()
{
  g_test_add_func("/pool/every-part-once", test_every_part_once);
  g_test_add_func("/pool/idle", test_idle);
}

/* mt-pool.h — a few threads that divide the work of one computation. Private to the engine.
 *
 * A decoding step is some fifty products of a few microseconds each: threads that were woken by the
 * system for each of them would spend their time waking up. So between two pieces of work they look
 * for the next one for a moment before they sleep, and parts of the work are handed out as they are
 * asked for: a thread that comes late finds less to do and holds nobody up.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_POOL_H
#define MT_POOL_H

#include <stddef.h>

typedef struct mt_pool mt_pool;

/* Threads that this process should have: one for each core that it may run on, or as many as
 * OMP_NUM_THREADS or OPENBLAS_NUM_THREADS allow (OpenBLAS reads them when it is loaded). From the
 * first call on OpenBLAS makes each product in one thread, in the whole process: pools divide the
 * work, and its threads would fight with theirs for the cores. */
unsigned mt_pool_usual_threads(void);

/* n_threads: with the one that calls mt_pool_run. NULL if there is no need for a pool (n_threads
 * below 2), no memory, or if the system gives no thread: the work is then done by the caller. */
mt_pool *mt_pool_new(unsigned n_threads);
void mt_pool_free(mt_pool *pool);

/* Threads that share the work, the caller among them; pool may be NULL. */
unsigned mt_pool_n_threads(const mt_pool *pool);

#define MT_POOL_MAX_PARTS 256

/* Call part(user, i, n_parts) for each i < n_parts, in any order, from any of the threads, and
 * return when all are done. Below 2 parts, or without a pool, the caller does them itself. n_parts
 * is at most MT_POOL_MAX_PARTS. Not to be called from two threads at once, or from a part. Between
 * two calls that follow each other closely there is no lock and no system call. */
void mt_pool_run(mt_pool *pool, size_t n_parts, void (*part)(void *user, size_t i, size_t n_parts),
                 void *user);

#endif

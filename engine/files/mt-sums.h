/* mt-sums.h — CRC-32, and comparing stored pieces of an archive with it. Private to the engine.
 *
 * What an archive stores as it is can be used where it lies, but then nobody notices a flipped bit:
 * it gives other numbers. So it is compared with its check sum, small pieces at once, and those of
 * a checkpoint by a thread of their own while it is loaded.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SUMS_H
#define MT_SUMS_H

#include "mt.h"

#include <pthread.h>
#include <stdatomic.h>

/* CRC-32 (IEEE 802.3, as gzip, zip and PNG have it) of n bytes, going on from that of the bytes
 * before them; 0 to begin with. */
uint32_t mt_crc32(uint32_t crc, const void *bytes, size_t n);

/* CRC-32 of two pieces one after the other, of which the second has n bytes. */
uint32_t mt_crc32_combine(uint32_t first, uint32_t second, uint64_t n);

/* A piece that is stored as it is. All borrowed. */
typedef struct {
  const unsigned char *bytes;
  size_t size;
  uint32_t crc;             /* as the archive says */
  const char *label, *name; /* for messages: the archive, and the piece in it */
  bool is_mapped;           /* from a file: its pages may be given back once they were read */
} mt_sum;

/* Errors: MT_ERROR_FORMAT, which names archive, piece and both numbers. */
bool mt_sum_check(const mt_sum *sum, mt_error *error);
/* What is said of a piece whose check sum is another one; false. */
bool mt_sum_fail(const char *label, const char *name, uint32_t expected, uint32_t found,
                 mt_error *error);

/* Pieces that are compared in the background. Initialise with {0}. What they borrow must stay until
 * mt_sums_finish or mt_sums_stop. Add all, start once, finish once. */
typedef struct {
  mt_sum *items;
  size_t n, capacity;
  pthread_t thread;
  bool is_running;
  atomic_bool should_stop;
  mt_error found; /* by the thread */
  bool is_damaged;
} mt_sums;

/* Errors: MT_ERROR_NO_MEMORY. */
bool mt_sums_add(mt_sums *sums, const mt_sum *sum, mt_error *error);
/* Begin. Without a thread to be had, everything is done by mt_sums_finish. */
void mt_sums_start(mt_sums *sums);
/* Wait until all pieces are compared, and forget them. goes_on (may be NULL) is asked meanwhile, a
 * few times a second; false is MT_ERROR_CANCELLED. Errors: those of mt_sum_check. */
bool mt_sums_finish(mt_sums *sums, bool (*goes_on)(void *user), void *user, mt_error *error);
/* Forget all pieces, compared or not. */
void mt_sums_stop(mt_sums *sums);

#endif

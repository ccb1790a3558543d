/* mt-sums.c — CRC-32, and comparing stored pieces of an archive with it.
 *
 * zlib adds up three gigabytes a second, which is faster than weights are loaded, so one thread is
 * enough.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-sums.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>
#include <time.h>
#include <zlib.h>

/* Bytes between two looks at whether to stop; about a third of a millisecond. */
#define STEP ((size_t) 1 << 20)
/* How often somebody who waits is asked whether to go on: 20 times a second. */
#define WAIT_NS 50000000

uint32_t
mt_crc32(uint32_t crc, const void *bytes, size_t n)
{
  return (uint32_t) crc32_z(crc, bytes, n);
}

uint32_t
mt_crc32_combine(uint32_t first, uint32_t second, uint64_t n)
{
  return (uint32_t) crc32_combine64(first, second, (z_off64_t) n);
}

bool
mt_sum_fail(const char *label, const char *name, uint32_t expected, uint32_t found, mt_error *error)
{
  /* PyTorch can be told to leave check sums out, and writes 0 then. */
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected \"%.200s\" to have the check sum (CRC-32) %08x, found %08x: %s.",
                 label, name, (unsigned) expected, (unsigned) found,
                 expected == 0 ? "the archive is damaged, or was saved without check sums"
                               : "the archive is damaged");
}

/* stop: NULL, or where somebody may say so meanwhile; what was not compared counts as whole. */
static bool
check(const mt_sum *sum, atomic_bool *stop, mt_error *error)
{
  uint32_t crc = 0;
  for (size_t at = 0; at < sum->size; at += STEP) {
    size_t n = sum->size - at < STEP ? sum->size - at : STEP;
    if (stop && atomic_load_explicit(stop, memory_order_relaxed))
      return true;
    crc = mt_crc32(crc, sum->bytes + at, n);
    if (stop && sum->is_mapped)
      mt_drop_pages(sum->bytes + at, n);
  }
  return crc == sum->crc || mt_sum_fail(sum->label, sum->name, sum->crc, crc, error);
}

bool
mt_sum_check(const mt_sum *sum, mt_error *error)
{
  return check(sum, NULL, error);
}

/* ---- In the background ----------------------------------------------------------------------- */

bool
mt_sums_add(mt_sums *sums, const mt_sum *sum, mt_error *error)
{
  if (!mt_grow(&sums->items, sums->n, 1, &sums->capacity, sizeof *sums->items))
    return mt_fail_no_memory(error);
  sums->items[sums->n++] = *sum;
  return true;
}

static void *
work(void *user)
{
  mt_sums *sums = user;
  for (size_t i = 0; i < sums->n && !sums->is_damaged; i++)
    sums->is_damaged = !check(&sums->items[i], &sums->should_stop, &sums->found);
  return NULL;
}

void
mt_sums_start(mt_sums *sums)
{
  sums->is_running = sums->n > 0 && pthread_create(&sums->thread, NULL, work, sums) == 0;
}

static bool
wait_for(mt_sums *sums, bool (*goes_on)(void *user), void *user)
{
  struct timespec until;
  do {
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_timedjoin_np(sums->thread, NULL, &until) == 0) {
      sums->is_running = false;
      return true;
    }
  } while (!goes_on || goes_on(user));
  return false;
}

bool
mt_sums_finish(mt_sums *sums, bool (*goes_on)(void *user), void *user, mt_error *error)
{
  bool is_done = true;
  if (sums->is_running)
    is_done = wait_for(sums, goes_on, user);
  else
    work(sums);
  bool ok = true;
  if (!is_done)
    ok = mt_fail(error, MT_ERROR_CANCELLED, "Comparing check sums was cancelled.");
  else if (sums->is_damaged)
    ok = mt_fail(error, sums->found.code, "%s", sums->found.message);
  mt_sums_stop(sums);
  return ok;
}

void
mt_sums_stop(mt_sums *sums)
{
  if (sums->is_running) {
    atomic_store(&sums->should_stop, true);
    pthread_join(sums->thread, NULL);
  }
  mt_free(sums->items);
  *sums = (mt_sums){0};
}

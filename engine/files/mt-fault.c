/* mt-fault.c — files that are cut off while they are mapped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The handler may run on any thread at any moment, so it only reads atomics, of a table of fixed
 * size. mmap is no function that POSIX allows in a handler; on Linux it is one system call and
 * takes no lock.
 */
#include "files/mt-fault.h"

#include "base/mt-error.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than a hundred models at once have. */
enum { N_WATCHED = 1024 };

typedef struct {
  _Atomic(uintptr_t) begin; /* FREE, TAKEN, or where the mapping begins */
  _Atomic(uintptr_t) end;
  atomic_bool is_cut;
  _Atomic(mt_fault_log *) log;
  char file[sizeof((mt_fault_log *) 0)->file];
} watched;

enum { FREE = 0, TAKEN = 1 };

static watched table[N_WATCHED];
static atomic_size_t n_used; /* slots from here on were never taken */

static uintptr_t page;
static struct sigaction earlier;

/* ---- The handler ----------------------------------------------------------------------------- */

/* Zeros from the page of an address to the end of the mapping that it is in: what comes behind
 * cannot be read either. */
static bool
put_zeros(uintptr_t address)
{
  size_t n = atomic_load(&n_used);
  for (size_t i = 0; i < n; i++) {
    watched *w = &table[i];
    uintptr_t begin = atomic_load(&w->begin), end = atomic_load(&w->end);
    if (begin <= TAKEN || address < begin || address >= end || atomic_load(&w->begin) != begin)
      continue;
    uintptr_t from = address - address % page;
    if (mmap((void *) from, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == MAP_FAILED)
      return false;
    atomic_store(&w->is_cut, true);
    return true;
  }
  return false;
}

static void
on_sigbus(int number, siginfo_t *info, void *context)
{
  int saved = errno;
  bool done = info->si_code == BUS_ADRERR && put_zeros((uintptr_t) info->si_addr);
  errno = saved;
  if (done)
    return;
  if (earlier.sa_flags & SA_SIGINFO)
    earlier.sa_sigaction(number, info, context);
  else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN)
    earlier.sa_handler(number);
  else
    sigaction(SIGBUS, &earlier, NULL); /* the same happens again, and ends the program as ever */
}

static void
install(void)
{
  page = (uintptr_t) sysconf(_SC_PAGESIZE);
  struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &earlier);
}

void
mt_guard_mapped_files(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}

/* ---- The table ------------------------------------------------------------------------------- */

size_t
mt_fault_watch(void *pages, size_t n_bytes, const char *folder, const char *file, mt_fault_log *log)
{
  for (size_t i = 0; i < N_WATCHED; i++) {
    watched *w = &table[i];
    uintptr_t free_slot = FREE;
    if (!atomic_compare_exchange_strong(&w->begin, &free_slot, TAKEN))
      continue;
    snprintf(w->file, sizeof w->file, "%s/%s", folder, file);
    atomic_store(&w->is_cut, false);
    atomic_store(&w->log, log);
    atomic_store(&w->end, (uintptr_t) pages + n_bytes);
    atomic_store(&w->begin, (uintptr_t) pages);
    for (size_t n = atomic_load(&n_used); n <= i;)
      if (atomic_compare_exchange_weak(&n_used, &n, i + 1))
        break;
    return i + 1;
  }
  return 0;
}

void
mt_fault_forget(size_t ticket)
{
  if (ticket == 0)
    return;
  watched *w = &table[ticket - 1];
  mt_fault_log *log = atomic_load(&w->log);
  if (log && atomic_load(&w->is_cut))
    memcpy(log->file, w->file, sizeof log->file);
  atomic_store(&w->log, NULL);
  atomic_store(&w->begin, FREE);
}

bool
mt_fault_check(const mt_fault_log *log, mt_error *error)
{
  const char *file = log->file;
  size_t n = atomic_load(&n_used);
  for (size_t i = 0; i < n && !*file; i++)
    if (atomic_load(&table[i].log) == log && atomic_load(&table[i].is_cut))
      file = table[i].file;
  return !*file || mt_fail(error, MT_ERROR_IO,
                           "%s: the file became shorter, or could no longer be read, while it was "
                           "in use; open it again.",
                           file);
}

/* disk-full.c — a disk that is full, for this process: a limit on the size of files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "disk-full.h"

#include <signal.h>
#include <sys/resource.h>

static struct rlimit before;
static void (*handler)(int);

void
disk_full_begin(gsize bytes)
{
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  struct rlimit little = before;
  little.rlim_cur = bytes;
  handler = signal(SIGXFSZ, SIG_IGN); /* else the process would end */
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
}

void
disk_full_end(void)
{
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
  signal(SIGXFSZ, handler);
}

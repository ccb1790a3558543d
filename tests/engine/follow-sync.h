/* follow-sync.h — follows what a program waits for on the disk: an fsync in the place of libc's,
 * for the whole program that is linked with it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

/* From now on. failure: errno of what makes a file durable; 0: it succeeds. */
void sync_follow(const char *path, int failure);
/* What was waited for, and whether that was before the path stood for something else or after it.
 * Caller frees. */
char *sync_end(void);
void sync_assert(const char *expected);
#define SYNC_RIGHT "file before, folder after, "

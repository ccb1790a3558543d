/* follow-sync.c — an fsync in the place of libc's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "follow-sync.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  const char *path; /* NULL: nobody asks */
  ino_t before;     /* the file there at the beginning; 0: none */
  int failure;      /* errno of what makes a file durable; 0: it succeeds */
  GString *log;
} sync_followed;

int
fsync(int fd)
{
  struct stat info, there;
  if (sync_followed.path && fstat(fd, &info) == 0) {
    const ino_t now = stat(sync_followed.path, &there) == 0 ? there.st_ino : 0;
    g_string_append_printf(sync_followed.log, "%s %s, ", S_ISDIR(info.st_mode) ? "folder" : "file",
                           now == sync_followed.before ? "before" : "after");
    if (sync_followed.failure && !S_ISDIR(info.st_mode)) {
      errno = sync_followed.failure;
      return -1;
    }
  }
  return (int) syscall(SYS_fsync, fd);
}

void
sync_follow(const char *path, int failure)
{
  struct stat info;
  sync_followed.before = stat(path, &info) == 0 ? info.st_ino : 0;
  sync_followed.failure = failure;
  sync_followed.log = g_string_new(NULL);
  sync_followed.path = path;
}

char *
sync_end(void)
{
  sync_followed.path = NULL;
  return g_string_free(sync_followed.log, FALSE);
}

void
sync_assert(const char *expected)
{
  g_autofree char *log = sync_end();
  g_assert_cmpstr(log, ==, expected);
}

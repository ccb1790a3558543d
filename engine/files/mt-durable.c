/* mt-durable.c — files that are the old ones or the new ones, also when the power fails.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-durable.h"

#include "base/mt-alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Some file systems have nothing to make durable, and say so. */
bool
mt_durable_bytes(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const int reason = fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  close(fd);
  errno = reason;
  return reason == 0;
}

void
mt_durable_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder =
      slash ? mt_strndup(path, slash == path ? 1 : (size_t) (slash - path)) : mt_strdup(".");
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  mt_free(folder);
}

bool
mt_durable_rename(const char *part, const char *place)
{
  if (!mt_durable_bytes(part) || rename(part, place) != 0)
    return false;
  mt_durable_name(place);
  return true;
}

/* mt-lock.c — a file that one program writes, and nobody else meanwhile.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The byte that is locked: none of those that SQLite locks, which begin at 1 GiB
 * (https://sqlite.org/fileformat2.html, 1.6). */
#define PLACE (((off_t) 1 << 30) - 1)
/* How often a file can be renamed or removed between opening and locking it. */
#define MOST_TRIES 100

/* The lock belongs to what was opened, not to the process, as those of F_SETLK do. */
static bool
is_refused(int fd)
{
  struct flock place = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = PLACE, .l_len = 1};
  return fcntl(fd, F_OFD_SETLK, &place) != 0 && (errno == EAGAIN || errno == EACCES);
}

/* Whether the file that is open still has this name. */
static bool
is_at(int fd, const char *path)
{
  struct stat open_one, named;
  return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
         open_one.st_ino == named.st_ino;
}

bool
mt_lock_take(mt_lock *lock, const char *path)
{
  *lock = MT_LOCK_NONE;
  for (int i = 0; i < MOST_TRIES; i++) {
    struct stat info;
    lock->is_made = stat(path, &info) != 0;
    if (!lock->is_made && !S_ISREG(info.st_mode))
      return true;
    lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
    if (lock->fd < 0)
      return true; /* whoever opens it to write is told why */
    const bool refused = is_refused(lock->fd);
    if (!refused && is_at(lock->fd, path))
      return true;
    mt_lock_release(lock);
    if (refused)
      return false;
  }
  return false;
}

void
mt_lock_release(mt_lock *lock)
{
  if (lock->fd >= 0)
    close(lock->fd);
  *lock = MT_LOCK_NONE;
}

void
mt_lock_undo(mt_lock *lock, const char *path)
{
  struct stat info;
  if (lock->is_made && lock->fd >= 0 && fstat(lock->fd, &info) == 0 && info.st_size == 0 &&
      is_at(lock->fd, path))
    unlink(path);
  mt_lock_release(lock);
}

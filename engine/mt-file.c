/* mt-file.c — a model directory and its files, mapped into memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-file.h"

#include "mt-alloc.h"
#include "mt-error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* strerror without its shared buffer: GNU's strerror_r, a string that need not be freed. */
#define REASON_SIZE 128

/* The last component of a path, newly allocated; "." and ".." are looked up. */
static char *
last_component(const char *path)
{
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  size_t start = n;
  while (start > 0 && path[start - 1] != '/')
    start--;
  const char *name = path + start;
  size_t length = n - start;
  if ((length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.')) {
    char *full = realpath(path, NULL);
    if (full) {
      const char *slash = strrchr(full, '/');
      char *copy = mt_strdup(slash && slash[1] ? slash + 1 : full);
      free(full); /* from libc, not from mt_alloc */
      return copy;
    }
  }
  return length ? mt_strndup(name, length) : mt_strdup("/");
}

bool
mt_dir_open(mt_dir *dir, const char *path, mt_error *error)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    int reason = errno;
    if (reason == ENOTDIR)
      return mt_fail(error, MT_ERROR_IO,
                     "%.600s: expected a model directory, found something else.", path);
    if (reason == ENOENT)
      return mt_fail(error, MT_ERROR_IO, "%.600s: expected a model directory, found nothing there.",
                     path);
    char text[REASON_SIZE];
    return mt_fail(error, MT_ERROR_IO, "%.600s: the directory cannot be opened (%s).", path,
                   strerror_r(reason, text, sizeof text));
  }
  char *name = last_component(path);
  if (!name) {
    close(fd);
    return mt_fail_no_memory(error);
  }
  *dir = (mt_dir){.fd = fd, .name = name};
  return true;
}

void
mt_dir_close(mt_dir *dir)
{
  if (dir->fd >= 0)
    close(dir->fd);
  mt_free(dir->name);
  *dir = (mt_dir) MT_DIR_NONE;
}

bool
mt_dir_has(const mt_dir *dir, const char *file)
{
  return faccessat(dir->fd, file, F_OK, 0) == 0;
}

/* Map an open file; the descriptor stays the caller's. */
static bool
map_fd(const mt_dir *dir, const char *file, int fd, size_t max_size, mt_mapping *mapping,
       mt_error *error)
{
  char text[REASON_SIZE];
  struct stat status;
  if (fstat(fd, &status) != 0)
    return mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be read (%s).", dir->name, file,
                   strerror_r(errno, text, sizeof text));
  if (!S_ISREG(status.st_mode))
    return mt_fail(error, MT_ERROR_IO, "%s/%s: expected a regular file, found %s.", dir->name, file,
                   S_ISDIR(status.st_mode)    ? "a directory"
                   : S_ISFIFO(status.st_mode) ? "a pipe"
                                              : "a device or socket");
  if (status.st_size == 0)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected some content, found an empty file.",
                   dir->name, file);
  if ((uintmax_t) status.st_size > max_size)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected at most %zu bytes, found %ju.",
                   dir->name, file, max_size, (uintmax_t) status.st_size);
  size_t size = (size_t) status.st_size;
  void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) {
    if (errno == ENOMEM)
      return mt_fail_no_memory(error);
    return mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be mapped (%s).", dir->name, file,
                   strerror_r(errno, text, sizeof text));
  }
  *mapping = (mt_mapping){.bytes = bytes, .size = size};
  return true;
}

bool
mt_dir_map(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping,
           mt_error *error)
{
  /* O_NONBLOCK: opening a pipe that nobody writes to must not hang; it is refused afterwards. */
  int fd = openat(dir->fd, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    int reason = errno;
    if (reason == ENOENT)
      return mt_fail(error, MT_ERROR_IO, "%s/%s: expected this file, found nothing there.",
                     dir->name, file);
    char text[REASON_SIZE];
    return mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be opened (%s).", dir->name, file,
                   strerror_r(reason, text, sizeof text));
  }
  bool ok = map_fd(dir, file, fd, max_size, mapping, error);
  close(fd);
  return ok;
}

void
mt_unmap(mt_mapping *mapping)
{
  if (mapping->bytes)
    munmap((void *) mapping->bytes, mapping->size);
  *mapping = (mt_mapping){0};
}

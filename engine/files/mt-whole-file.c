/* mt-whole-file.c — a small file, read as a whole.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How large a file is is known when it ends: pipes do not say, and /dev/zero says 0 and never ends.
 */
#include "mt/files.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST  ((size_t) 1 << 16)
#define REASON 128 /* bytes for strerror_r */

static bool
fail(const char *path, int reason, mt_error *error)
{
  char text[REASON];
  /* Somebody asked the program to stop. */
  if (reason == EINTR)
    return mt_fail(error, MT_ERROR_CANCELLED, "Reading %.600s was interrupted.", path);
  return mt_fail(error, MT_ERROR_IO, "%.600s: the file cannot be read (%s).", path,
                 strerror_r(reason, text, sizeof text));
}

/* One byte more than there may be is asked for, and one kept for the zero at the end. */
static bool
read_all(int fd, const char *path, size_t most, mt_bytes *bytes, mt_error *error)
{
  size_t room = 0;
  for (;;) {
    if (bytes->size + 1 >= room) {
      room = room == 0 ? FIRST : room < most ? 2 * room : most + 2;
      unsigned char *grown = mt_realloc(bytes->data, room, 1);
      if (!grown)
        return mt_fail_no_memory(error);
      bytes->data = grown;
    }
    const ssize_t n = read(fd, bytes->data + bytes->size, room - 1 - bytes->size);
    if (n < 0)
      return fail(path, errno, error);
    bytes->size += (size_t) n;
    if (bytes->size > most)
      return mt_fail(error, MT_ERROR_FORMAT, "%.600s: expected at most %zu bytes, found more.",
                     path, most);
    if (n == 0)
      break;
  }
  bytes->data[bytes->size] = '\0';
  return true;
}

bool
mt_file_read_whole(const char *path, size_t most, bool takes_pipes, mt_bytes *bytes,
                   mt_error *error)
{
  struct stat info;
  *bytes = (mt_bytes){0};
  /* O_NONBLOCK: opening a pipe that nobody writes to would wait. */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (takes_pipes ? 0 : O_NONBLOCK));
  if (fd < 0)
    return fail(path, errno, error);
  bool ok = fstat(fd, &info) == 0 || fail(path, errno, error);
  if (ok && !takes_pipes && !S_ISREG(info.st_mode))
    ok = mt_fail(error, MT_ERROR_IO, "%.600s: expected a regular file, found %s.", path,
                 S_ISDIR(info.st_mode)    ? "a directory"
                 : S_ISFIFO(info.st_mode) ? "a pipe"
                                          : "a device or socket");
  ok = ok && read_all(fd, path, most, bytes, error);
  close(fd);
  if (!ok)
    mt_bytes_clear(bytes);
  return ok;
}

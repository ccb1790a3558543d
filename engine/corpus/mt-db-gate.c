/* mt-db-gate.c — a database file, looked at before SQLite gets it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SQLite waits for ever at a pipe; of a file in WAL mode it takes what lies in NAME-wal beside it,
 * whoever put it there, and writes NAME-shm, even to read. The format of the header is
 * https://sqlite.org/fileformat2.html, 1.3.
 */
#include "corpus/mt-db-gate.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES ((off_t) 64 << 30)
#define REASON     128 /* bytes for strerror_r */

enum { N_HEADER = 20, WRITE_VERSION = 18, READ_VERSION = 19, ROLLBACK = 1 };

static const char *
label_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static mt_db_stamp
stamp_of(const struct stat *info)
{
  return (mt_db_stamp){info->st_dev, info->st_ino, info->st_size, info->st_mtim};
}

/* The first bytes of a regular file. */
static bool
read_header(const char *path, const char *what, unsigned char header[N_HEADER], struct stat *info,
            mt_error *error)
{
  char text[REASON];
  /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t n = fd >= 0 && fstat(fd, info) == 0 ? 0 : -1;
  if (n == 0 && S_ISREG(info->st_mode))
    n = pread(fd, header, N_HEADER, 0);
  const int reason = errno;
  if (fd >= 0)
    close(fd);
  if (n < 0)
    return mt_fail(error, MT_ERROR_IO, "%.600s: %s.", path, strerror_r(reason, text, sizeof text));
  if (!S_ISREG(info->st_mode))
    return mt_fail(error, MT_ERROR_IO, "%.600s: expected a %s, found %s.", path, what,
                   S_ISDIR(info->st_mode)    ? "a directory"
                   : S_ISFIFO(info->st_mode) ? "a pipe"
                                             : "a device or socket");
  return true;
}

/* Whether NAME-journal or NAME-wal is there, with something in it. */
static bool
is_beside(const char *path, const char *ending, bool *is_there, mt_error *error)
{
  struct stat info;
  const size_t n = strlen(path), n_ending = strlen(ending) + 1;
  char *beside = mt_alloc(n + n_ending, 1);
  if (!beside)
    return mt_fail_no_memory(error);
  memcpy(beside, path, n);
  memcpy(beside + n, ending, n_ending);
  *is_there = stat(beside, &info) == 0 && info.st_size > 0;
  mt_free(beside);
  return true;
}

static bool
check_header(const char *label, const char *what, const unsigned char header[N_HEADER],
             mt_error *error)
{
  if (memcmp(header, "SQLite format 3", 16) != 0)
    return mt_fail(error, MT_ERROR_FORMAT, "%s is no %s.", label, what);
  if (header[WRITE_VERSION] == ROLLBACK && header[READ_VERSION] == ROLLBACK)
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected a %s with a rollback journal (bytes 18 and 19 are 1), found %d and "
                 "%d: one with a write-ahead log is not opened.",
                 label, what, header[WRITE_VERSION], header[READ_VERSION]);
}

bool
mt_db_gate(const char *path, const char *what, bool to_read, mt_db_stamp *stamp, mt_error *error)
{
  unsigned char header[N_HEADER] = {0};
  struct stat info;
  bool has_journal = false, has_log = false;
  const char *label = label_of(path);
  if (!read_header(path, what, header, &info, error))
    return false;
  if (info.st_size > MOST_BYTES)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %lld bytes, found %lld.", label,
                   (long long) MOST_BYTES, (long long) info.st_size);
  if (!is_beside(path, "-journal", &has_journal, error) ||
      !is_beside(path, "-wal", &has_log, error))
    return false;
  if (to_read && has_journal)
    return mt_fail(error, MT_ERROR_IO,
                   "%s: another program is writing it, or was ended while it did, for %s-journal "
                   "lies beside it: the command that began it goes on with it.",
                   label, label);
  if (!to_read && has_log)
    return mt_fail(error, MT_ERROR_IO, "%s: expected no write-ahead log, found %s-wal beside it.",
                   label, label);
  /* With a journal the header may not be there yet: SQLite puts the file in order first. */
  if (!has_journal && !check_header(label, what, header, error))
    return false;
  *stamp = stamp_of(&info);
  return true;
}

bool
mt_db_is_unchanged(const char *path, const mt_db_stamp *stamp)
{
  struct stat info;
  if (stat(path, &info) != 0)
    return true; /* it has another name now, or none; what is open stays what it was */
  const mt_db_stamp now = stamp_of(&info);
  return now.device != stamp->device || now.inode != stamp->inode || /* another file */
         (now.size == stamp->size && now.modified.tv_sec == stamp->modified.tv_sec &&
          now.modified.tv_nsec == stamp->modified.tv_nsec);
}

char *
mt_db_read_only_uri(const char *path)
{
  static const char digits[] = "0123456789abcdef", options[] = "?mode=ro&immutable=1";
  /* What comes after two slashes would be a host. */
  const char *scheme = path[0] == '/' ? "file://" : "file:./";
  char *uri = mt_alloc(strlen(scheme) + 3 * strlen(path) + sizeof options, 1);
  if (!uri)
    return NULL;
  char *to = stpcpy(uri, scheme);
  for (const unsigned char *c = (const unsigned char *) path; *c; c++)
    if (*c == '%' || *c == '?' || *c == '#') {
      *to++ = '%';
      *to++ = digits[*c >> 4];
      *to++ = digits[*c & 15];
    } else {
      *to++ = (char) *c;
    }
  memcpy(to, options, sizeof options);
  return uri;
}

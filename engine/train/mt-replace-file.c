/* mt-replace-file.c — a file that is the old one or the new one, never a part.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "mt/train/new-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REASON_SIZE 128

static bool
fail_io(const char *path, int reason, mt_error *error)
{
  char text[REASON_SIZE];
  return mt_fail(error, MT_ERROR_IO, "%.600s: the file cannot be written (%s).", path,
                 strerror_r(reason, text, sizeof text));
}

bool
mt_replace_file(const char *path, const void *bytes, size_t n, mt_error *error)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  size_t size = strlen(name) + sizeof "..part";
  char *folder =
      slash ? mt_strndup(path, slash == path ? 1 : (size_t) (slash - path)) : mt_strdup(".");
  char *part = mt_alloc(size, 1);
  int fd = -1;
  bool ok = (folder && part) || mt_fail_no_memory(error);
  if (ok) {
    snprintf(part, size, ".%s.part", name);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ok = fd >= 0 || fail_io(path, errno, error);
  }
  if (ok) {
    unlinkat(fd, part, 0); /* of a program that was killed */
    mt_new_file *file = mt_new_file_open_at(fd, folder, part, error);
    ok = file != NULL;
    if (ok) {
      mt_new_file_write(file, bytes, n);
      ok = mt_new_file_close(file, error);
    }
    if (ok && renameat(fd, part, fd, name) != 0)
      ok = fail_io(path, errno, error);
    if (ok)
      fsync(fd); /* its new name, too */
    else
      unlinkat(fd, part, 0);
  }
  if (fd >= 0)
    close(fd);
  mt_free(part);
  mt_free(folder);
  return ok;
}

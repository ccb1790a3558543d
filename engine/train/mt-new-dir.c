/* mt-new-dir.c — a folder or a file that appears whole or not at all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-durable.h"
#include "mt/train/new-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A file ---------------------------------------------------------------------------------- */

/* A file that is the old one or the new one, never a part. */

static bool
fail_io(const char *path, mt_error *error)
{
  return mt_fail(error, MT_ERROR_IO, "%.600s: the file cannot be written (%m).", path);
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
    ok = fd >= 0 || fail_io(path, error);
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
      ok = fail_io(path, error);
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

/* ---- A folder -------------------------------------------------------------------------------- */

#define BUFFER_SIZE ((size_t) 1 << 16)

struct mt_new_dir {
  char *label;  /* the place as it was asked for */
  char *place;  /* the place, without links */
  char *hidden; /* NULL: in its place, or not made yet */
  int fd;       /* of the hidden folder */
};

static bool
fail_io_dir(const mt_new_dir *dir, const char *what, mt_error *error)
{
  return mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be %s (%m).", dir->label, what);
}

/* ---- The folder ------------------------------------------------------------------------------ */

/* Remove all that a folder holds; what cannot be removed stays. fd is closed. */
static void
empty(int fd)
{
  DIR *list = fdopendir(fd);
  if (!list) {
    close(fd);
    return;
  }
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (unlinkat(fd, entry->d_name, 0) == 0 || (errno != EISDIR && errno != EPERM))
      continue;
    int inner = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (inner >= 0)
      empty(inner);
    unlinkat(fd, entry->d_name, AT_REMOVEDIR);
  }
  closedir(list);
}

static void
remove_folder(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0)
    empty(fd);
  rmdir(path);
}

/* The place without links and without slashes at its end. */
static bool
find_place(mt_new_dir *dir, mt_error *error)
{
  char *real = realpath(dir->label, NULL);
  if (real) {
    dir->place = mt_strdup(real);
    free(real); /* of realpath, not of mt_alloc */
  } else {
    size_t n = strlen(dir->label);
    while (n > 1 && dir->label[n - 1] == '/')
      n--;
    dir->place = mt_strndup(dir->label, n);
  }
  return dir->place || mt_fail_no_memory(error);
}

static bool
make_hidden(mt_new_dir *dir, mt_error *error)
{
  const char *slash = strrchr(dir->place, '/');
  const char *name = slash ? slash + 1 : dir->place;
  size_t size = strlen(dir->place) + sizeof ".." + sizeof ".part-01234567";
  dir->hidden = mt_alloc(size, 1);
  if (!dir->hidden)
    return mt_fail_no_memory(error);
  int reason = EEXIST;
  for (int attempt = 0; attempt < 100 && reason == EEXIST; attempt++) {
    uint32_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
      number = (uint32_t) getpid() + (uint32_t) attempt;
    snprintf(dir->hidden, size, "%.*s.%s.part-%08x", (int) (name - dir->place), dir->place, name,
             (unsigned) number);
    reason = mkdir(dir->hidden, 0777) == 0 ? 0 : errno;
  }
  if (reason == 0) {
    dir->fd = open(dir->hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    reason = dir->fd < 0 ? errno : 0;
    if (reason == 0)
      return true;
    rmdir(dir->hidden);
  }
  mt_free(dir->hidden);
  dir->hidden = NULL;
  errno = reason;
  return fail_io_dir(dir, "written", error);
}

mt_new_dir *
mt_new_dir_begin(const char *path, mt_error *error)
{
  mt_new_dir *dir = mt_alloc(1, sizeof *dir);
  if (!dir)
    return mt_fail_no_memory(error), NULL;

  dir->fd = -1;
  dir->label = mt_strdup(path);
  bool ok = dir->label || mt_fail_no_memory(error);
  if (ok && find_place(dir, error) && make_hidden(dir, error))
    return dir;
  mt_new_dir_free(dir);
  return NULL;
}

void
mt_new_dir_free(mt_new_dir *dir)
{
  if (!dir)
    return;
  if (dir->fd >= 0)
    close(dir->fd);
  if (dir->hidden)
    remove_folder(dir->hidden);
  mt_free(dir->hidden);
  mt_free(dir->place);
  mt_free(dir->label);
  mt_free(dir);
}

const char *
mt_new_dir_get_path(const mt_new_dir *dir)
{
  return dir->hidden;
}

/* Put the hidden folder in the place of one that is there, in one step where the file system can.
 */
static bool
exchange(mt_new_dir *dir)
{
  if (renameat2(AT_FDCWD, dir->hidden, AT_FDCWD, dir->place, RENAME_EXCHANGE) == 0) {
    remove_folder(dir->hidden);
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  /* In two: the old one is never gone, at worst it has another name. */
  size_t size = strlen(dir->hidden) + sizeof ".old";
  char *old = mt_alloc(size, 1);
  if (!old) {
    errno = ENOMEM;
    return false;
  }
  snprintf(old, size, "%s.old", dir->hidden);
  bool ok = rename(dir->place, old) == 0;
  if (ok && rename(dir->hidden, dir->place) != 0) {
    int reason = errno;
    rename(old, dir->place);
    errno = reason;
    ok = false;
  }
  if (ok)
    remove_folder(old);
  mt_free(old);
  return ok;
}

bool
mt_new_dir_commit(mt_new_dir *dir, bool replace, mt_error *error)
{
  if (fsync(dir->fd) != 0)
    return fail_io_dir(dir, "written", error);
  struct stat status;
  bool is_there = lstat(dir->place, &status) == 0;
  if (is_there && !(replace && S_ISDIR(status.st_mode))) {
    errno = EEXIST;
    return fail_io_dir(dir, "written", error);
  }
  /* RENAME_NOREPLACE: rename would take an empty folder's place. Not every file system has it. */
  bool ok =
      is_there ? exchange(dir)
               : renameat2(AT_FDCWD, dir->hidden, AT_FDCWD, dir->place, RENAME_NOREPLACE) == 0 ||
                     ((errno == EINVAL || errno == ENOSYS) && rename(dir->hidden, dir->place) == 0);
  if (!ok)
    return fail_io_dir(dir, "put into its place", error);
  mt_durable_name(dir->place);
  mt_free(dir->hidden);
  dir->hidden = NULL;
  return true;
}

/* ---- A file ---------------------------------------------------------------------------------- */

struct mt_new_file {
  int fd;
  char *label; /* "prepared/train.source.npy" */
  uint64_t size;
  int reason; /* errno of the first failure */
  size_t n;
  unsigned char buffer[BUFFER_SIZE];
};

mt_new_file *
mt_new_file_open_at(int folder_fd, const char *folder, const char *name, mt_error *error)
{
  mt_new_file *file = mt_alloc(1, sizeof *file);
  size_t n_folder = strlen(folder), n_name = strlen(name);
  char *label = mt_alloc(n_folder + n_name + 2, 1);
  if (!file || !label) {
    mt_free(file);
    mt_free(label);
    mt_fail_no_memory(error);
    return NULL;
  }
  memcpy(label, folder, n_folder);
  label[n_folder] = '/';
  memcpy(label + n_folder + 1, name, n_name);
  file->label = label;
  file->fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file->fd >= 0)
    return file;
  file->reason = errno;
  mt_new_file_close(file, error);
  return NULL;
}

mt_new_file *
mt_new_file_open(mt_new_dir *dir, const char *name, mt_error *error)
{
  const char *slash = strrchr(dir->place, '/');
  return mt_new_file_open_at(dir->fd, slash ? slash + 1 : dir->place, name, error);
}

static void
write_all(mt_new_file *file, const unsigned char *bytes, size_t n)
{
  while (n > 0 && !file->reason) {
    ssize_t written = write(file->fd, bytes, n);
    if (written < 0 && errno != EINTR)
      file->reason = errno;
    if (written > 0) {
      bytes += written;
      n -= (size_t) written;
    }
  }
}

static void
flush(mt_new_file *file)
{
  write_all(file, file->buffer, file->n);
  file->n = 0;
}

bool
mt_new_file_write(mt_new_file *file, const void *bytes, size_t n)
{
  file->size += n;
  if (n > BUFFER_SIZE - file->n)
    flush(file);
  if (n > BUFFER_SIZE) {
    write_all(file, bytes, n);
  } else if (n > 0) {
    memcpy(file->buffer + file->n, bytes, n);
    file->n += n;
  }
  return file->reason == 0;
}

bool
mt_new_file_rewrite(mt_new_file *file, const void *bytes, size_t n)
{
  flush(file);
  if (!file->reason && lseek(file->fd, 0, SEEK_SET) != 0)
    file->reason = errno;
  write_all(file, bytes, n);
  if (!file->reason && lseek(file->fd, 0, SEEK_END) < 0)
    file->reason = errno;
  return file->reason == 0;
}

uint64_t
mt_new_file_size(const mt_new_file *file)
{
  return file->size;
}

bool
mt_new_file_check(const mt_new_file *file, mt_error *error)
{
  errno = file->reason;
  return !file->reason ||
         mt_fail(error, MT_ERROR_IO, "%s: the file cannot be written (%m).", file->label);
}

bool
mt_new_file_close(mt_new_file *file, mt_error *error)
{
  flush(file);
  if (file->fd >= 0) {
    if (!file->reason && fsync(file->fd) != 0)
      file->reason = errno;
    if (close(file->fd) != 0 && !file->reason)
      file->reason = errno;
  }
  bool ok = mt_new_file_check(file, error);
  mt_free(file->label);
  mt_free(file);
  return ok;
}

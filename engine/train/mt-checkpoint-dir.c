/* mt-checkpoint-dir.c — the checkpoints of an output folder: which there are, and removing them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-checkpoint.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "train/mt-checkpoint-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX        "step-"
#define REMOVED       ".removed-"
#define MIN_DIGITS    8
#define MAX_DIGITS    19
#define MAX_FILE_NAME 64

static void
format_name(char *out, size_t size, const char *before, uint64_t step)
{
  snprintf(out, size, "%s" PREFIX "%0*llu", before, MIN_DIGITS, (unsigned long long) step);
}

char *
mt_checkpoint_path(const char *output, uint64_t step)
{
  char name[MAX_FILE_NAME];
  format_name(name, sizeof name, "", step);
  size_t size = strlen(output) + strlen(name) + 2;
  char *path = mt_alloc(size, 1);
  if (path)
    snprintf(path, size, "%s/%s", output, name);
  return path;
}

/* The step of "step-00012000"; false for other names. */
static bool
parse_name(const char *name, uint64_t *step)
{
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return false;
  const char *digits = name + strlen(PREFIX);
  size_t n = strspn(digits, "0123456789");
  if (n < MIN_DIGITS || n > MAX_DIGITS || digits[n] != '\0' || (n > MIN_DIGITS && digits[0] == '0'))
    return false;
  *step = strtoull(digits, NULL, 10);
  return true;
}

static int
compare_steps(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

bool
mt_checkpoint_list(const char *output, uint64_t **steps, size_t *n, mt_error *error)
{
  *steps = NULL;
  *n = 0;
  DIR *folder = opendir(output);
  if (!folder) {
    char text[128];
    return errno == ENOENT ||
           mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be listed (%s).", output,
                   strerror_r(errno, text, sizeof text));
  }
  size_t room = 0;
  bool ok = true;
  for (const struct dirent *entry; ok && (entry = readdir(folder));) {
    uint64_t step;
    if (!parse_name(entry->d_name, &step))
      continue;
    if (*n == room) {
      room = room ? 2 * room : 16;
      uint64_t *grown = mt_realloc(*steps, room, sizeof *grown);
      ok = grown || mt_fail_no_memory(error);
      *steps = grown ? grown : *steps;
    }
    if (ok)
      (*steps)[(*n)++] = step;
  }
  closedir(folder);
  if (!ok) {
    mt_free(*steps);
    *steps = NULL;
    *n = 0;
    return false;
  }
  if (*n > 0)
    qsort(*steps, *n, sizeof **steps, compare_steps);
  return true;
}

static int
open_checkpoint(const char *output, uint64_t step)
{
  char *path = mt_checkpoint_path(output, step);
  int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
  mt_free(path);
  return fd;
}

bool
mt_checkpoint_find_last(const char *output, uint64_t *step)
{
  uint64_t *steps;
  size_t n;
  if (!mt_checkpoint_list(output, &steps, &n, NULL))
    return false;
  bool found = false;
  while (!found && n > 0) {
    int fd = open_checkpoint(output, steps[--n]);
    found = fd >= 0 && faccessat(fd, MT_CHECKPOINT_JSON, F_OK, 0) == 0 &&
            faccessat(fd, MT_CHECKPOINT_TENSORS, F_OK, 0) == 0;
    if (found)
      *step = steps[n];
    if (fd >= 0)
      close(fd);
  }
  mt_free(steps);
  return found;
}

/* ---- Removing -------------------------------------------------------------------------------- */

void
mt_checkpoint_strip(const char *output, uint64_t step)
{
  int fd = open_checkpoint(output, step);
  if (fd < 0)
    return;
  unlinkat(fd, MT_CHECKPOINT_TENSORS, 0);
  unlinkat(fd, MT_CHECKPOINT_JSON, 0);
  close(fd);
}

/* The files of a folder in `parent`, then the folder; it has no folders in it. */
static void
remove_folder(int parent, const char *name)
{
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (!list) {
    if (fd >= 0)
      close(fd);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(list));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(fd, entry->d_name, 0);
  closedir(list);
  unlinkat(parent, name, AT_REMOVEDIR);
}

void
mt_checkpoint_remove(const char *output, uint64_t step)
{
  char name[MAX_FILE_NAME], hidden[MAX_FILE_NAME];
  format_name(name, sizeof name, "", step);
  format_name(hidden, sizeof hidden, REMOVED, step);
  int fd = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  /* Under another name first, so that half of one never looks like one. */
  if (renameat(fd, name, fd, hidden) == 0)
    remove_folder(fd, hidden);
  close(fd);
}

void
mt_checkpoint_tidy(const char *output)
{
  int fd = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (!list) {
    if (fd >= 0)
      close(fd);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(list));)
    if (strncmp(entry->d_name, REMOVED, strlen(REMOVED)) == 0 ||
        (entry->d_name[0] == '.' && strstr(entry->d_name, ".part-")))
      remove_folder(fd, entry->d_name);
  closedir(list);
}

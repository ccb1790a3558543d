/* mt-dir-list.c — the names of the files in a model's folder or archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-dir-list.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_NAMES 20000

static bool
add(mt_dir_list *list, const mt_dir *dir, const char *name, mt_error *error)
{
  if (name[0] == '.' || strchr(name, '/'))
    return true;
  if (list->n == MAX_NAMES)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d files, found more.", dir->name,
                   MAX_NAMES);
  char **grown = mt_realloc(list->names, list->n + 1, sizeof *grown);
  if (!grown)
    return mt_fail_no_memory(error);
  list->names = grown;
  list->names[list->n] = mt_strdup(name);
  return list->names[list->n++] || mt_fail_no_memory(error);
}

static bool
read_folder(mt_dir_list *list, const mt_dir *dir, mt_error *error)
{
  int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  if (!stream) {
    char text[128];
    int reason = errno;
    if (fd >= 0)
      close(fd);
    if (reason == ENOMEM)
      return mt_fail_no_memory(error);
    return mt_fail(error, MT_ERROR_IO, "%s: the folder cannot be listed (%s).", dir->name,
                   strerror_r(reason, text, sizeof text));
  }
  bool ok = true;
  for (const struct dirent *entry; ok && (entry = readdir(stream));)
    ok = add(list, dir, entry->d_name, error);
  closedir(stream);
  return ok;
}

static bool
read_archive(mt_dir_list *list, const mt_dir *dir, mt_error *error)
{
  size_t n = strlen(dir->zip_folder);
  bool ok = true;
  for (size_t i = 0; ok && i < mt_zip_count(dir->zip); i++) {
    const char *name = mt_zip_get(dir->zip, i)->name;
    if (strncmp(name, dir->zip_folder, n) == 0)
      ok = add(list, dir, name + n, error);
  }
  return ok;
}

static int
compare(const void *a, const void *b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

bool
mt_dir_list_read(mt_dir_list *list, const mt_dir *dir, mt_error *error)
{
  if (!(dir->zip ? read_archive : read_folder)(list, dir, error)) {
    mt_dir_list_clear(list);
    return false;
  }
  if (list->n)
    qsort(list->names, list->n, sizeof *list->names, compare);
  return true;
}

void
mt_dir_list_clear(mt_dir_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    mt_free(list->names[i]);
  mt_free(list->names);
  *list = (mt_dir_list){0};
}

bool
mt_dir_list_ends(const char *name, const char *ending)
{
  size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcasecmp(name + n - m, ending) == 0;
}

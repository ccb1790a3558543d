/* mt-files.c — the files of a model's folder or archive, looked at without opening the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/files.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-dir-list.h"
#include "files/mt-file.h"

struct mt_files {
  mt_dir dir;
};

mt_files *
mt_files_open(const char *path, mt_error *error)
{
  mt_files *files = mt_alloc(1, sizeof *files);
  if (!files) {
    mt_fail_no_memory(error);
    return NULL;
  }
  files->dir = (mt_dir) MT_DIR_NONE;
  if (mt_dir_open(&files->dir, path, NULL, error))
    return files;
  mt_free(files);
  return NULL;
}

void
mt_files_free(mt_files *files)
{
  if (!files)
    return;
  mt_dir_close(&files->dir);
  mt_free(files);
}

bool
mt_files_is_archive(const mt_files *files)
{
  return files->dir.zip != NULL;
}

uint64_t
mt_files_archive_size(const mt_files *files)
{
  return files->dir.archive.size;
}

int64_t
mt_files_size(const mt_files *files, const char *name)
{
  return mt_dir_size(&files->dir, name);
}

bool
mt_files_is_dangling(const mt_files *files, const char *name)
{
  return mt_dir_is_dangling(&files->dir, name);
}

bool
mt_files_read(const mt_files *files, const char *name, void *out, size_t most, size_t *n,
              mt_error *error)
{
  return mt_dir_read(&files->dir, name, out, most, n, error);
}

bool
mt_files_each(const mt_files *files, void (*visit)(void *user, const char *name), void *user,
              mt_error *error)
{
  mt_dir_list list = {0};
  if (!mt_dir_list_read(&list, &files->dir, error))
    return false;
  for (size_t i = 0; i < list.n; i++)
    visit(user, list.names[i]);
  mt_dir_list_clear(&list);
  return true;
}

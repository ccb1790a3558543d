/* mt-files.c — files looked at from outside: those of a model's folder or archive without opening
 * the model, small ones as a whole, and archives of a few named files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-zip.h"
#include "mt/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mt_files {
  mt_dir dir;
};

mt_files *
mt_files_open(const char *path, mt_error *error)
{
  mt_files *files = mt_alloc(1, sizeof *files);
  if (!files)
    return mt_fail_no_memory(error), NULL;

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

const mt_dir *
mt_files_dir(const mt_files *files)
{
  return &files->dir;
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

/* ---- A small file, read as a whole ----------------------------------------------------------- */

/* How large a file is is known when it ends: pipes do not say, and /dev/zero says 0 and never ends.
 */

#define FIRST ((size_t) 1 << 16)

static bool
fail(const char *path, mt_error *error)
{
  /* Somebody asked the program to stop. */
  if (errno == EINTR)
    return mt_fail(error, MT_ERROR_CANCELLED, "Reading %.600s was interrupted.", path);
  return mt_fail(error, MT_ERROR_IO, "%.600s: the file cannot be read (%m).", path);
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
      return fail(path, error);
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
    return fail(path, error);
  bool ok = fstat(fd, &info) == 0 || fail(path, error);
  if (ok && !takes_pipes && !S_ISREG(info.st_mode))
    ok = mt_fail(error, MT_ERROR_IO, "%.600s: expected a regular file, found %s.", path,
                 mt_file_kind(info.st_mode));
  ok = ok && read_all(fd, path, most, bytes, error);
  close(fd);
  if (!ok)
    mt_bytes_clear(bytes);
  return ok;
}

/* ---- A zip archive of a few named files ------------------------------------------------------ */

/* Its folders' entries and the bytes between entries, beside what is in it. */
#define FRAME ((size_t) 1 << 20)

typedef struct {
  const char *name; /* the rule's */
  mt_bytes bytes;
  bool is_there;
} item;

struct mt_archive {
  item *items;
  size_t n;
};

/* path NULL: into memory. */
static bool
write_archive(const char *path, const mt_archive_file *files, size_t n, mt_bytes *bytes,
              mt_error *error)
{
  mt_zip_part *parts = mt_alloc(n, sizeof *parts);
  if (!parts)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    parts[i] = (mt_zip_part){.name = files[i].name,
                             .data = files[i].data,
                             .data_size = files[i].size,
                             .deflate = files[i].deflate};
  bool ok = path ? mt_zip_write(path, parts, n, error) : mt_zip_make(parts, n, bytes, error);
  mt_free(parts);
  return ok;
}

bool
mt_archive_write(const char *path, const mt_archive_file *files, size_t n, mt_error *error)
{
  return write_archive(path, files, n, NULL, error);
}

bool
mt_archive_make(const mt_archive_file *files, size_t n, mt_bytes *bytes, mt_error *error)
{
  return write_archive(NULL, files, n, bytes, error);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static const mt_archive_rule *
find_rule(const mt_archive_rule *rules, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp(rules[i].name, name) == 0)
      return &rules[i];
  return NULL;
}

/* Of all entries, before one is read. */
static bool
check(const mt_zip *zip, const char *label, const char *what, const mt_archive_rule *rules,
      size_t n, size_t most, mt_error *error)
{
  size_t sum = 0, first;
  if (!mt_zip_find(zip, rules[0].name, &first))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s, found a zip archive without \"%s\" in it.", label, what,
                   rules[0].name);
  if (mt_zip_folder(zip))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %s, found the folder \"%.200s\" in it, which belongs to none.",
                   label, what, mt_zip_folder(zip));
  for (size_t i = 0; i < mt_zip_count(zip); i++) {
    const mt_zip_entry *entry = mt_zip_get(zip, i);
    const mt_archive_rule *rule = find_rule(rules, n, entry->name);
    if (!rule)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected %s, found \"%.200s\" in it, which belongs to none.", label, what,
                     entry->name);
    if (entry->size > rule->most || entry->size > most - sum)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected at most %zu bytes of \"%s\" and %zu in all, found %zu.", label,
                     rule->most, rule->name, most, entry->size);
    sum += entry->size;
  }
  return true;
}

static bool
read_entries(mt_archive *archive, mt_zip *zip, mt_error *error)
{
  for (size_t i = 0; i < archive->n; i++) {
    item *to = &archive->items[i];
    size_t at;
    if (!mt_zip_find(zip, to->name, &at))
      continue;
    to->is_there = true;
    to->bytes.size = mt_zip_get(zip, at)->size;
    to->bytes.data = mt_alloc(to->bytes.size + 1, 1); /* and never none */
    if (!to->bytes.data)
      return mt_fail_no_memory(error);
    if (!mt_zip_read(zip, at, to->bytes.data, error))
      return false;
  }
  return true;
}

static mt_archive *
new_archive(const mt_archive_rule *rules, size_t n, mt_error *error)
{
  mt_archive *archive = mt_alloc(1, sizeof *archive);
  item *items = mt_alloc(n, sizeof *items);
  if (!archive || !items) {
    mt_free(archive);
    mt_free(items);
    mt_fail_no_memory(error);
    return NULL;
  }
  for (size_t i = 0; i < n; i++)
    items[i].name = rules[i].name;
  *archive = (mt_archive){.items = items, .n = n};
  return archive;
}

mt_archive *
mt_archive_parse(const void *bytes, size_t size, const char *label, const char *what,
                 const mt_archive_rule *rules, size_t n, size_t most, mt_error *error)
{
  mt_archive *archive = new_archive(rules, n, error);
  mt_zip *zip = archive ? mt_zip_open(bytes, size, label, error) : NULL;
  const bool ok =
      zip && check(zip, label, what, rules, n, most, error) && read_entries(archive, zip, error);
  mt_zip_free(zip);
  if (ok)
    return archive;
  mt_archive_free(archive);
  return NULL;
}

mt_archive *
mt_archive_read(const char *path, const char *what, const mt_archive_rule *rules, size_t n,
                size_t most, mt_error *error)
{
  mt_mapping file;
  mt_fault_log faults = {0};
  char *label;
  if (!mt_file_map(path, most + FRAME, &faults, &file, &label, error))
    return NULL;
  mt_archive *archive = mt_archive_parse(file.bytes, file.size, label, what, rules, n, most, error);
  mt_unmap(&file);
  mt_free(label);
  if (mt_fault_check(&faults, error))
    return archive;
  mt_archive_free(archive);
  return NULL;
}

void
mt_archive_free(mt_archive *archive)
{
  if (!archive)
    return;
  for (size_t i = 0; i < archive->n; i++)
    mt_bytes_clear(&archive->items[i].bytes);
  mt_free(archive->items);
  mt_free(archive);
}

const unsigned char *
mt_archive_get(const mt_archive *archive, const char *name, size_t *size)
{
  for (size_t i = 0; i < archive->n; i++)
    if (archive->items[i].is_there && strcmp(archive->items[i].name, name) == 0) {
      *size = archive->items[i].bytes.size;
      return archive->items[i].bytes.data;
    }
  return NULL;
}

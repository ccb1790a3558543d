/* mt-file.c — a model's folder, or an archive of one, its files in memory and their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-file.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most that one compressed entry of an archive may become. */
#define MAX_INFLATED ((size_t) 8 << 30)

/* ---- Files that are not what their name says: half a download, another format ---------------- */

static bool
starts(const unsigned char *bytes, size_t size, const char *with)
{
  size_t n = strlen(with);
  return size >= n && memcmp(bytes, with, n) == 0;
}

/* What `git clone` leaves without Git LFS: a few lines of text that name the real file. */
static bool
is_lfs_pointer(const unsigned char *bytes, size_t size)
{
  return starts(bytes, size, "version https://git-lfs.github.com/");
}

/* What a download leaves that was answered by a page: "not found", "log in". */
static bool
is_web_page(const unsigned char *bytes, size_t size)
{
  size_t i = 0;
  while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i])
    i++;
  return i + 1 < size && bytes[i] == '<' && (bytes[i + 1] == '!' || (bytes[i + 1] | 0x20) == 'h');
}

/* The length of a JSON header, and its first brace. */
static bool
is_safetensors(const unsigned char *bytes, size_t size)
{
  uint64_t length = 0;
  for (size_t i = 0; i < 8 && i < size; i++)
    length |= (uint64_t) bytes[i] << (8 * i);
  return size > 8 && length <= size - 8 && bytes[8] == '{';
}

/* The files of torch.save before version 1.6 are pickles in a row; the first is the number
 * 0x1950a86a20f9469cfc6c, whatever the protocol. Before 0.1.10 they were tar archives. */
static bool
is_old_torch(const unsigned char *bytes, size_t size)
{
  static const char magic[] = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  static const char magic_text[] = "L119547037146038801333356L";
  const size_t head = size < 64 ? size : 64;
  return memmem(bytes, head, magic, sizeof magic - 1) ||
         memmem(bytes, head, magic_text, sizeof magic_text - 1) ||
         (size > 262 && memcmp(bytes + 257, "ustar", 5) == 0);
}

/* What kind of archive a file is that is none of zip, such as "a gzip archive"; NULL: none. */
static const char *
archive_kind(const unsigned char *bytes, size_t size)
{
  static const struct {
    const char *start;
    size_t n;
    const char *what;
  } kinds[] = {
      {"\x1f\x8b", 2, "a gzip archive (.tgz, .tar.gz)"},
      {"\xfd"
       "7zXZ",
       5, "an xz archive (.tar.xz)"},
      {"BZh", 3, "a bzip2 archive (.tar.bz2)"},
      {"\x28\xb5\x2f\xfd", 4, "a Zstandard archive (.tar.zst)"},
      {"7z\xbc\xaf\x27\x1c", 6, "a 7z archive"},
      {"Rar!", 4, "a RAR archive"},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (size >= kinds[i].n && memcmp(bytes, kinds[i].start, kinds[i].n) == 0)
      return kinds[i].what;
  return size > 262 && memcmp(bytes + 257, "ustar", 5) == 0 ? "a tar archive" : NULL;
}

bool
mt_wrong_file_is_known(const unsigned char *bytes, size_t size)
{
  return !is_safetensors(bytes, size) &&
         (is_lfs_pointer(bytes, size) || is_web_page(bytes, size) || is_old_torch(bytes, size) ||
          starts(bytes, size, "PK\3\4") || starts(bytes, size, "\x89HDF"));
}

bool
mt_wrong_file_fail(const char *label, const char *expected, const unsigned char *bytes, size_t size,
                   mt_error *error)
{
  mt_error_code code = MT_ERROR_UNSUPPORTED;
  const char *found;
  if (is_lfs_pointer(bytes, size)) {
    code = MT_ERROR_FORMAT;
    found = "a Git LFS pointer to it (\"git lfs pull\" in the model's folder fetches the file)";
  } else if (is_web_page(bytes, size)) {
    code = MT_ERROR_FORMAT;
    found = "a web page (the download was answered by something else: download it again)";
  } else if (is_old_torch(bytes, size)) {
    found =
        "the older form that torch.save wrote before version 1.6 (load and save it again with a "
        "current PyTorch, or save it as safetensors)";
  } else if (is_safetensors(bytes, size)) {
    found = "a safetensors file (call it model.safetensors)";
  } else if (starts(bytes, size, "PK\3\4")) {
    found = "a zip archive, as PyTorch writes (call it pytorch_model.bin)";
  } else if (starts(bytes, size, "\x89HDF")) {
    found = "an HDF5 file, as TensorFlow writes (save the model as safetensors)";
  } else {
    code = MT_ERROR_FORMAT;
    found = "something else (is the file damaged?)";
  }
  return mt_fail(error, code, "%s: expected %s, found %s.", label, expected, found);
}

/* ---- A folder or an archive ------------------------------------------------------------------ */

/* The Hub's download cache has the files of "org/name" in models--org--name/snapshots/COMMIT, and
 * nobody calls a model by its commit. NULL if a path of n bytes whose last component starts at
 * `start` is none of these. */
static char *
snapshot_name(const char *path, size_t start)
{
  static const char folder[] = "/snapshots/", prefix[] = "models--", dashes[] = "--";
  const size_t n = sizeof folder - 1;
  if (start < n || memcmp(path + start - n, folder, n) != 0)
    return NULL;
  const char *end = path + start - n, *name = end;
  while (name > path && name[-1] != '/')
    name--;
  if ((size_t) (end - name) < sizeof prefix || memcmp(name, prefix, sizeof prefix - 1) != 0)
    return NULL;
  name += sizeof prefix - 1;
  for (const char *at = name; at + 2 < end; at++)
    if (memcmp(at, dashes, sizeof dashes - 1) == 0)
      name = at + 2;
  return mt_strndup(name, (size_t) (end - name));
}

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
  char *snapshot = snapshot_name(path, start);
  if (snapshot)
    return snapshot;
  return length ? mt_strndup(name, length) : mt_strdup("/");
}

static bool map_fd(const mt_dir *dir, const char *file, int fd, size_t max_size,
                   mt_mapping *mapping, mt_error *error);

/* "opus-2020/" if every entry of the archive is in that folder, else "". What macOS adds to every
 * archive in a folder of its own does not count. */
static char *
common_folder(const mt_zip *zip)
{
  static const char added[] = "__MACOSX/";
  const char *first = NULL;
  size_t n = 0;
  for (size_t i = 0; i < mt_zip_count(zip); i++) {
    const char *name = mt_zip_get(zip, i)->name;
    if (strncmp(name, added, sizeof added - 1) == 0)
      continue;
    if (!first) {
      const char *slash = strchr(name, '/');
      n = slash ? (size_t) (slash - name) + 1 : 0;
      first = name;
    }
    if (strncmp(name, first, n) != 0)
      n = 0;
  }
  return mt_strndup(first ? first : "", n);
}

static bool
open_archive(mt_dir *dir, const char *path, const char *expected, mt_error *error)
{
  struct stat status;
  /* O_NONBLOCK: opening a pipe that nobody writes to must not hang; it is refused afterwards. */
  dir->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (dir->fd < 0)
    return mt_fail(error, MT_ERROR_IO, "%.600s: the file cannot be opened (%m).", path);
  if (fstat(dir->fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return mt_fail(error, MT_ERROR_IO, "%.600s: expected %s, found something else.", path,
                   expected);
  /* map_fd names a file as folder/file. */
  const mt_dir here = {.fd = dir->fd, .name = (char *) ".", .faults = dir->faults};
  if (!map_fd(&here, dir->name, dir->fd, SIZE_MAX / 2, &dir->archive, error))
    return false;
  if (!mt_zip_is_zip(dir->archive.bytes, dir->archive.size)) {
    const char *kind = archive_kind(dir->archive.bytes, dir->archive.size);
    return mt_fail(error, MT_ERROR_IO, "%.600s: expected %s, found %s%s.", path, expected,
                   kind ? kind : "another file", kind ? ", which is to be unpacked first" : "");
  }
  dir->zip = mt_zip_open(dir->archive.bytes, dir->archive.size, dir->name, error);
  if (!dir->zip)
    return false;
  mt_zip_set_mapped(dir->zip);
  dir->zip_folder = common_folder(dir->zip);
  return dir->zip_folder || mt_fail_no_memory(error);
}

bool
mt_dir_open(mt_dir *dir, const char *path, mt_fault_log *faults, mt_error *error)
{
  return mt_dir_open_as(dir, path, "a model folder or a zip archive of one", faults, error);
}

bool
mt_dir_open_as(mt_dir *dir, const char *path, const char *expected, mt_fault_log *faults,
               mt_error *error)
{
  mt_dir opened = MT_DIR_NONE;
  opened.faults = faults;
  opened.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_folder = opened.fd >= 0;
  if (!is_folder && errno == ENOENT)
    return mt_fail(error, MT_ERROR_IO, "%.600s: expected %s, found nothing there.", path, expected);
  if (!is_folder && errno != ENOTDIR)
    return mt_fail(error, MT_ERROR_IO, "%.600s: the folder cannot be opened (%m).", path);
  opened.name = last_component(path);
  bool ok = opened.name ? is_folder || open_archive(&opened, path, expected, error)
                        : mt_fail_no_memory(error);
  if (ok)
    *dir = opened;
  else
    mt_dir_close(&opened);
  return ok;
}

void
mt_dir_close(mt_dir *dir)
{
  mt_zip_free(dir->zip);
  mt_unmap(&dir->archive);
  if (dir->fd >= 0)
    close(dir->fd);
  mt_free(dir->zip_folder);
  mt_free(dir->name);
  *dir = (mt_dir) MT_DIR_NONE;
}

/* The entry of a file in the archive. */
static bool
find_entry(const mt_dir *dir, const char *file, size_t *i)
{
  char name[NAME_MAX + 1 + NAME_MAX + 1];
  int n = snprintf(name, sizeof name, "%s%s", dir->zip_folder, file);
  return n >= 0 && (size_t) n < sizeof name && mt_zip_find(dir->zip, name, i);
}

bool
mt_dir_has(const mt_dir *dir, const char *file)
{
  size_t i;
  return dir->zip ? find_entry(dir, file, &i) : faccessat(dir->fd, file, F_OK, 0) == 0;
}

bool
mt_dir_is_dangling(const mt_dir *dir, const char *file)
{
  struct stat status;
  return !dir->zip && fstatat(dir->fd, file, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(status.st_mode) && faccessat(dir->fd, file, F_OK, 0) != 0 && errno == ENOENT;
}

bool
mt_dir_fail_missing(const mt_dir *dir, const char *file, mt_error *error)
{
  return mt_fail(error, MT_ERROR_IO, "%s/%s: expected this file, found %s.", dir->name, file,
                 mt_dir_is_dangling(dir, file)
                     ? "a link to nothing: this file was not downloaded whole (download it again)"
                     : "nothing there");
}

/* Map `size` bytes of a file from any offset; the descriptor stays the caller's. */
static bool
map_range(const mt_dir *dir, const char *file, int fd, size_t offset, size_t size,
          mt_mapping *mapping, mt_error *error)
{
  size_t lead = offset % (size_t) sysconf(_SC_PAGESIZE);
  void *pages = mmap(NULL, lead + size, PROT_READ, MAP_PRIVATE, fd, (off_t) (offset - lead));
  if (pages == MAP_FAILED) {
    if (errno == ENOMEM)
      return mt_fail_no_memory(error);
    return mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be mapped (%m).", dir->name, file);
  }
  *mapping = (mt_mapping){
      .bytes = (const unsigned char *) pages + lead,
      .size = size,
      .pages = pages,
      .n_pages_bytes = lead + size,
      .ticket = mt_fault_watch(pages, lead + size, dir->name, file, dir->faults),
  };
  return true;
}

/* Not empty, not too large. */
static bool
check_size(const mt_dir *dir, const char *file, uintmax_t size, size_t max_size, mt_error *error)
{
  if (size == 0)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected some content, found an empty file.",
                   dir->name, file);
  if (size > max_size)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected at most %zu bytes, found %ju.",
                   dir->name, file, max_size, size);
  return true;
}

const char *
mt_file_kind(mode_t mode)
{
  return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : "a device or socket";
}

/* Map an open file; the descriptor stays the caller's. */
static bool
map_fd(const mt_dir *dir, const char *file, int fd, size_t max_size, mt_mapping *mapping,
       mt_error *error)
{
  struct stat status;
  if (fstat(fd, &status) != 0)
    return mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be read (%m).", dir->name, file);
  if (!S_ISREG(status.st_mode))
    return mt_fail(error, MT_ERROR_IO, "%s/%s: expected a regular file, found %s.", dir->name, file,
                   mt_file_kind(status.st_mode));
  return check_size(dir, file, (uintmax_t) status.st_size, max_size, error) &&
         map_range(dir, file, fd, 0, (size_t) status.st_size, mapping, error);
}

/* The bytes of an entry: where they lie, or read into memory. *sum: of those that lie there. */
static bool
map_entry(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping, mt_sum *sum,
          mt_error *error)
{
  size_t i;
  if (!find_entry(dir, file, &i))
    return mt_dir_fail_missing(dir, file, error);
  const mt_zip_entry *entry = mt_zip_get(dir->zip, i);
  if (entry->offset != SIZE_MAX) {
    if (!check_size(dir, file, entry->size, max_size, error) ||
        !map_range(dir, file, dir->fd, entry->offset, entry->size, mapping, error))
      return false;
    *sum = mt_zip_sum(dir->zip, i);
    sum->bytes = mapping->bytes;
    return true;
  }
  if (!check_size(dir, file, entry->size, max_size < MAX_INFLATED ? max_size : MAX_INFLATED, error))
    return false;
  void *bytes = mt_alloc(entry->size, 1);
  if (!bytes)
    return mt_fail_no_memory(error);
  if (!mt_zip_read(dir->zip, i, bytes, error)) {
    mt_free(bytes);
    return false;
  }
  *mapping = (mt_mapping){.bytes = bytes, .size = entry->size, .allocated = bytes};
  return true;
}

/* Map a file that is found from `from` by `path`; dir and file name it in messages. */
static bool
map_path(const mt_dir *dir, const char *file, int from, const char *path, size_t max_size,
         mt_mapping *mapping, mt_error *error)
{
  /* O_NONBLOCK: see open_archive. */
  int fd = openat(from, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return errno == ENOENT ? mt_dir_fail_missing(dir, file, error)
                           : mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be opened (%m).",
                                     dir->name, file);
  bool ok = map_fd(dir, file, fd, max_size, mapping, error);
  close(fd);
  return ok;
}

bool
mt_dir_map_large(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping,
                 mt_sum *sum, mt_error *error)
{
  *sum = (mt_sum){0};
  return dir->zip ? map_entry(dir, file, max_size, mapping, sum, error)
                  : map_path(dir, file, dir->fd, file, max_size, mapping, error);
}

bool
mt_dir_map(const mt_dir *dir, const char *file, size_t max_size, mt_mapping *mapping,
           mt_error *error)
{
  mt_mapping mapped;
  mt_sum sum;
  if (!mt_dir_map_large(dir, file, max_size, &mapped, &sum, error))
    return false;
  if (sum.size > 0 && !mt_sum_check(&sum, error)) {
    mt_unmap(&mapped);
    return false;
  }
  *mapping = mapped;
  return true;
}

int64_t
mt_dir_size(const mt_dir *dir, const char *file)
{
  size_t i;
  struct stat status;
  if (dir->zip)
    return find_entry(dir, file, &i) ? (int64_t) mt_zip_get(dir->zip, i)->size : -1;
  return fstatat(dir->fd, file, &status, 0) == 0 && S_ISREG(status.st_mode) ? status.st_size : -1;
}

/* As many bytes as there are, up to `most`; -1 with errno. */
static ssize_t
read_start(int fd, unsigned char *out, size_t most)
{
  size_t n = 0;
  while (n < most) {
    ssize_t got = pread(fd, out + n, most - n, (off_t) n);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    n += (size_t) got;
  }
  return (ssize_t) n;
}

bool
mt_dir_read(const mt_dir *dir, const char *file, void *out, size_t most, size_t *n, mt_error *error)
{
  size_t i;
  if (mt_dir_size(dir, file) < 0)
    return mt_fail(error, MT_ERROR_IO, "%s/%s: expected this file, found nothing there.", dir->name,
                   file);
  if (dir->zip)
    return find_entry(dir, file, &i) && mt_zip_read_start(dir->zip, i, out, most, n, error);
  /* O_NONBLOCK: it may have become a pipe. */
  int fd = openat(dir->fd, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t got = fd >= 0 ? read_start(fd, out, most) : -1;
  int reason = errno;
  if (fd >= 0)
    close(fd);
  errno = reason;
  if (got < 0)
    return mt_fail(error, MT_ERROR_IO, "%s/%s: the file cannot be read (%m).", dir->name, file);
  *n = (size_t) got;
  return true;
}

bool
mt_file_map(const char *path, size_t max_size, mt_fault_log *faults, mt_mapping *mapping,
            char **name, mt_error *error)
{
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  while (n > 0 && path[n - 1] != '/')
    n--;
  char *folder = n ? mt_strndup(path, n) : mt_strdup(".");
  mt_dir here = {.fd = -1, .name = folder ? last_component(folder) : NULL, .faults = faults};
  char *file = last_component(path);
  bool ok = here.name && file ? map_path(&here, file, AT_FDCWD, path, max_size, mapping, error)
                              : mt_fail_no_memory(error);
  mt_free(folder);
  mt_free(here.name);
  if (ok)
    *name = file;
  else
    mt_free(file);
  return ok;
}

void
mt_unmap(mt_mapping *mapping)
{
  mt_fault_forget(mapping->ticket);
  if (mapping->pages)
    munmap(mapping->pages, mapping->n_pages_bytes);
  mt_free(mapping->allocated);
  *mapping = (mt_mapping){0};
}

/* ---- The names in a folder or archive -------------------------------------------------------- */

#define MAX_NAMES 20000

static bool
add(mt_dir_list *list, const mt_dir *dir, const char *name, mt_error *error)
{
  if (name[0] == '.' || strchr(name, '/'))
    return true;
  if (list->n == MAX_NAMES)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d files, found more.", dir->name,
                   MAX_NAMES);
  if (!mt_grow(&list->names, list->n, 1, &list->capacity, sizeof *list->names))
    return mt_fail_no_memory(error);
  list->names[list->n] = mt_strdup(name);
  return list->names[list->n++] || mt_fail_no_memory(error);
}

static bool
read_folder(mt_dir_list *list, const mt_dir *dir, mt_error *error)
{
  int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? NULL : fdopendir(fd);
  if (!stream) {
    if (errno == ENOMEM)
      mt_fail_no_memory(error);
    else
      mt_fail(error, MT_ERROR_IO, "%s: the folder cannot be listed (%m).", dir->name);
    if (fd >= 0)
      close(fd);
    return false;
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

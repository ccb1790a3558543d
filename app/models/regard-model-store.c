/* regard-model-store.c — the files of a model, in a folder or in a zip archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

struct _RegardModelStore {
  int folder; /* -1: an archive */
  zip_t *archive;
  gint64 archive_size;
  GPtrArray *names; /* owned, NULL-terminated */
  char *prefix;     /* of an archive: the one folder that all lies in, with its slash, or "" */
};

void
regard_model_store_free(RegardModelStore *store)
{
  if (!store)
    return;
  if (store->folder >= 0)
    close(store->folder);
  if (store->archive)
    zip_discard(store->archive);
  g_clear_pointer(&store->names, g_ptr_array_unref);
  g_free(store->prefix);
  g_free(store);
}

/* Opening a pipe that nobody writes to must not hang, and a terminal must not become ours. */
static int
open_file(int folder, const char *name, struct stat *status)
{
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

static gsize
read_at(int fd, char *bytes, gsize most, gint64 offset)
{
  gsize n = 0;
  while (n < most) {
    ssize_t got = pread(fd, bytes + n, most - n, (off_t) (offset + (gint64) n));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    n += (gsize) got;
  }
  return n;
}

/* ---- Folders ------------------------------------------------------------------------------- */

static gboolean
list_folder(RegardModelStore *store)
{
  /* A descriptor of its own: reading moves it. */
  int fd = openat(store->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
  if (!dir) {
    if (fd >= 0)
      close(fd);
    return FALSE;
  }
  struct dirent *entry;
  while (store->names->len < REGARD_MODEL_STORE_MOST && (entry = readdir(dir)))
    if (!g_str_equal(entry->d_name, ".") && !g_str_equal(entry->d_name, ".."))
      g_ptr_array_add(store->names, g_strdup(entry->d_name));
  closedir(dir);
  return TRUE;
}

/* ---- Archives ------------------------------------------------------------------------------ */

/* An archive ends with a record that says how many files it holds, perhaps followed by a comment of
 * up to 64 KiB. Without it the end is missing. Looked at before libzip is given the file, which
 * makes room for as many files as are promised. */
static gboolean
has_end(int fd, gint64 size, guint *n_files)
{
  enum { RECORD = 22, MOST_COMMENT = 65535 };
  gsize most = (gsize) MIN(size, RECORD + MOST_COMMENT);
  g_autofree char *tail = g_malloc(most);
  gsize n = read_at(fd, tail, most, size - (gint64) most);
  for (gsize i = n >= RECORD ? n - RECORD + 1 : 0; i-- > 0;)
    if (memcmp(tail + i, "PK\005\006", 4) == 0) {
      *n_files = (guint) (guchar) tail[i + 10] | (guint) (guchar) tail[i + 11] << 8;
      return TRUE;
    }
  return FALSE;
}

/* Length of "folder/" if every name starts with it, else 0. */
static gsize
common_folder(zip_t *archive, gint64 n)
{
  gsize length = 0;
  const char *first = NULL;
  for (gint64 i = 0; i < n; i++) {
    const char *name = zip_get_name(archive, (zip_uint64_t) i, ZIP_FL_ENC_RAW);
    const char *slash = name ? strchr(name, '/') : NULL;
    if (!slash)
      return 0;
    if (!first) {
      first = name;
      length = (gsize) (slash - name) + 1;
    } else if (strncmp(name, first, length) != 0)
      return 0;
  }
  return length;
}

static gboolean
list_archive(RegardModelStore *store, int fd, char **problem)
{
  guint n_promised = 0;
  if (!has_end(fd, store->archive_size, &n_promised)) {
    *problem = g_strdup("the end of the archive is missing: copy or download it again");
    return FALSE;
  }
  if (n_promised > REGARD_MODEL_STORE_MOST) {
    *problem = g_strdup_printf("the archive holds %u files, which is no model", n_promised);
    return FALSE;
  }
  int reason = 0;
  store->archive = zip_fdopen(fd, 0, &reason); /* takes the descriptor if it succeeds */
  if (!store->archive) {
    *problem = g_strdup("the archive is damaged");
    return FALSE;
  }
  gint64 n = MIN(zip_get_num_entries(store->archive, 0), REGARD_MODEL_STORE_MOST);
  gsize folder = common_folder(store->archive, n);
  for (gint64 i = 0; i < n; i++) {
    const char *name = zip_get_name(store->archive, (zip_uint64_t) i, ZIP_FL_ENC_RAW);
    if (!store->prefix)
      store->prefix = g_strndup(name, folder);
    if (name && name[folder])
      g_ptr_array_add(store->names, g_strdup(name + folder));
  }
  return TRUE;
}

static char *
archive_name(const RegardModelStore *store, const char *name)
{
  return g_strconcat(store->prefix ? store->prefix : "", name, NULL);
}

/* ---- Both ---------------------------------------------------------------------------------- */

RegardModelStore *
regard_model_store_open(const char *path, char **problem)
{
  *problem = NULL;
  g_autoptr(RegardModelStore) store = g_new0(RegardModelStore, 1);
  store->names = g_ptr_array_new_with_free_func(g_free);
  store->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int reason = errno;
  gboolean is_listed;
  if (store->folder >= 0) {
    is_listed = list_folder(store);
  } else if (reason == ENOTDIR && g_str_has_suffix(path, ".zip")) {
    struct stat status;
    int fd = open_file(AT_FDCWD, path, &status);
    if (fd < 0) {
      *problem = g_strdup("the archive cannot be read");
      return NULL;
    }
    store->archive_size = status.st_size;
    is_listed = list_archive(store, fd, problem);
    if (!store->archive)
      close(fd);
  } else {
    if (reason != ENOENT && reason != ENOTDIR)
      *problem = g_strdup_printf("it cannot be opened (%s)", g_strerror(reason));
    return NULL;
  }
  if (!is_listed)
    return NULL;
  g_ptr_array_add(store->names, NULL);
  return g_steal_pointer(&store);
}

gboolean
regard_model_store_is_archive(const RegardModelStore *store)
{
  return store->archive != NULL;
}

const char *const *
regard_model_store_get_names(const RegardModelStore *store)
{
  return (const char *const *) store->names->pdata;
}

gint64
regard_model_store_get_archive_size(const RegardModelStore *store)
{
  return store->archive_size;
}

gint64
regard_model_store_get_size(const RegardModelStore *store, const char *name)
{
  if (store->archive) {
    zip_stat_t status;
    g_autofree char *whole = archive_name(store, name);
    if (zip_stat(store->archive, whole, ZIP_FL_ENC_RAW, &status) != 0 ||
        !(status.valid & ZIP_STAT_SIZE) || status.size > G_MAXINT64)
      return -1;
    return (gint64) status.size;
  }
  struct stat status;
  if (fstatat(store->folder, name, &status, 0) != 0 || !S_ISREG(status.st_mode))
    return -1;
  return status.st_size;
}

static char *
read_archive(const RegardModelStore *store, const char *name, gsize most, gsize *length)
{
  g_autofree char *whole = archive_name(store, name);
  gint64 size = regard_model_store_get_size(store, name);
  if (size < 0)
    return NULL;
  most = (gsize) MIN((gint64) most, size);
  zip_file_t *file = zip_fopen(store->archive, whole, ZIP_FL_ENC_RAW);
  if (!file)
    return NULL;
  char *text = g_malloc(most + 1);
  gsize n = 0;
  while (n < most) {
    zip_int64_t got = zip_fread(file, text + n, most - n);
    if (got <= 0)
      break;
    n += (gsize) got;
  }
  zip_fclose(file);
  text[n] = '\0';
  *length = n;
  return text;
}

char *
regard_model_store_read(const RegardModelStore *store, const char *name, gsize most, gsize *length)
{
  if (store->archive)
    return read_archive(store, name, most, length);
  struct stat status;
  int fd = open_file(store->folder, name, &status);
  if (fd < 0)
    return NULL;
  gsize wanted = (gsize) MIN((gint64) most, status.st_size);
  char *text = g_malloc(wanted + 1);
  *length = read_at(fd, text, wanted, 0);
  text[*length] = '\0';
  close(fd);
  return text;
}

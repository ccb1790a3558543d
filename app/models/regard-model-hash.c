/* regard-model-hash.c — SHA-256 of files, of which those of a model are large.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-hash.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A file is the same while these are. */
typedef struct {
  struct timespec changed;
  dev_t device;
  ino_t inode;
  off_t size;
  char sha256[65];
} Known;

#define MOST_KNOWN 4096

G_LOCK_DEFINE_STATIC(known);
static GHashTable *known; /* paths to Known */

static gboolean
look(const char *path, Known *out)
{
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
    return FALSE;
  *out = (Known){.changed = info.st_mtim,
                 .device = info.st_dev,
                 .inode = info.st_ino,
                 .size = info.st_size};
  return TRUE;
}

static gboolean
is_same(const Known *a, const Known *b)
{
  return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec &&
         a->device == b->device && a->inode == b->inode && a->size == b->size;
}

/* NULL if it cannot be read. */
static char *
hash(const char *path)
{
  FILE *stream = fopen(path, "re");
  if (!stream)
    return NULL;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree guchar *buffer = g_malloc(65536);
  size_t n;
  while ((n = fread(buffer, 1, 65536, stream)) > 0)
    g_checksum_update(checksum, buffer, (gssize) n);
  gboolean is_whole = !ferror(stream);
  fclose(stream);
  return is_whole ? g_strdup(g_checksum_get_string(checksum)) : NULL;
}

static char *
find_known(const char *path, const Known *now)
{
  G_LOCK(known);
  const Known *before = known ? g_hash_table_lookup(known, path) : NULL;
  char *found = before && is_same(before, now) ? g_strdup(before->sha256) : NULL;
  G_UNLOCK(known);
  return found;
}

static void
remember(const char *path, const Known *now)
{
  G_LOCK(known);
  if (!known)
    known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  if (g_hash_table_size(known) >= MOST_KNOWN)
    g_hash_table_remove_all(known);
  g_hash_table_insert(known, g_strdup(path), g_memdup2(now, sizeof *now));
  G_UNLOCK(known);
}

char *
regard_model_hash(const char *path, guint64 *bytes)
{
  Known now, after;
  if (!look(path, &now))
    return NULL;
  *bytes = (guint64) now.size;
  char *found = find_known(path, &now);
  if (found)
    return found;
  found = hash(path);
  if (found && look(path, &after) && is_same(&now, &after)) {
    g_strlcpy(now.sha256, found, sizeof now.sha256);
    remember(path, &now);
  }
  return found;
}

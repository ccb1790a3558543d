/* marian-dir.c — copies of the checkpoints of Marian that a test spoils and opens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "marian-dir.h"

#include "files/mt-zip.h"
#include "npz-build.h"

#include <string.h>

#define MODEL_YML "special:model.yml"

/* The bytes of an .npz, one array after the other. */
static void
read_arrays(marian_dir *dir)
{
  gsize size;
  g_autofree char *bytes = model_dir_read(dir->dir, dir->weights, &size);
  mt_error error = {0};
  mt_zip *zip = mt_zip_open((const unsigned char *) bytes, size, dir->weights, &error);
  if (!zip)
    g_error("%s", error.message);
  for (gsize i = 0; i < mt_zip_count(zip); i++) {
    const mt_zip_entry *entry = mt_zip_get(zip, i);
    g_ptr_array_add(dir->names, g_strndup(entry->name, strlen(entry->name) - strlen(".npy")));
    guint8 *data = g_malloc(entry->size);
    g_assert_true(mt_zip_read(zip, i, data, NULL));
    g_ptr_array_add(dir->files, g_bytes_new_take(data, entry->size));
  }
  mt_zip_free(zip);
}

marian_dir *
marian_dir_new(const char *name)
{
  marian_dir *dir = g_new0(marian_dir, 1);
  dir->dir = g_new0(model_dir, 1);
  dir->dir->tensors = g_ptr_array_new();
  dir->dir->path = g_dir_make_tmp("regard-marian-XXXXXX", NULL);
  g_assert_nonnull(dir->dir->path);
  dir->names = g_ptr_array_new_with_free_func(g_free);
  dir->files = g_ptr_array_new_with_free_func((GDestroyNotify) g_bytes_unref);
  g_autofree char *from = g_build_filename(MARIAN_DATA, name, NULL);
  g_autoptr(GDir) listing = g_dir_open(from, 0, NULL);
  g_assert_nonnull(listing);
  for (const char *file; (file = g_dir_read_name(listing));) {
    g_autofree char *path = g_build_filename(from, file, NULL);
    g_autofree char *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
    model_dir_write(dir->dir, file, bytes, (gssize) n);
    if (g_str_has_suffix(file, ".npz"))
      dir->weights = g_strdup(file);
  }
  read_arrays(dir);
  return dir;
}

void
marian_dir_free(marian_dir *dir)
{
  model_dir_free(dir->dir);
  g_ptr_array_unref(dir->names);
  g_ptr_array_unref(dir->files);
  g_free(dir->weights);
  g_free(dir);
}

static guint
find(const marian_dir *dir, const char *name)
{
  guint i = 0;
  while (i < dir->names->len && strcmp(g_ptr_array_index(dir->names, i), name) != 0)
    i++;
  return i;
}

/* Where the data of an array that was written with version 1.0 start. */
static gsize
data_offset(GBytes *npy)
{
  const guint8 *bytes = g_bytes_get_data(npy, NULL);
  return 10 + (gsize) bytes[8] + ((gsize) bytes[9] << 8);
}

float *
marian_dir_floats(const marian_dir *dir, const char *name)
{
  guint i = find(dir, name);
  g_assert_cmpuint(i, <, dir->names->len);
  GBytes *npy = g_ptr_array_index(dir->files, i);
  /* Padded to 16 bytes, in memory from malloc. */
  return (float *) (void *) ((guint8 *) g_bytes_get_data(npy, NULL) + data_offset(npy));
}

void
marian_dir_set(marian_dir *dir, const char *name, GBytes *npy)
{
  guint i = find(dir, name);
  if (i < dir->names->len) {
    g_ptr_array_remove_index(dir->names, i);
    g_ptr_array_remove_index(dir->files, i);
  }
  if (npy) {
    g_ptr_array_add(dir->names, g_strdup(name));
    g_ptr_array_add(dir->files, npy);
  }
}

void
marian_dir_rename(marian_dir *dir, const char *old, const char *new)
{
  guint i = find(dir, old);
  g_assert_cmpuint(i, <, dir->names->len);
  marian_dir_set(dir, new, g_bytes_ref(g_ptr_array_index(dir->files, i)));
  marian_dir_set(dir, old, NULL);
}

void
marian_dir_replace_yml(marian_dir *dir, const char *old, const char *new)
{
  GBytes *npy = g_ptr_array_index(dir->files, find(dir, MODEL_YML));
  const char *text = (const char *) g_bytes_get_data(npy, NULL) + data_offset(npy);
  const char *at = strstr(text, old);
  if (!at)
    g_error("%s does not contain %s", MODEL_YML, old);
  g_autofree char *changed =
      g_strdup_printf("%.*s%s%s", (int) (at - text), text, new, at + strlen(old));
  g_autofree char *shape = g_strdup_printf("(%zu,)", strlen(changed) + 1);
  marian_dir_set(dir, MODEL_YML, npy_bytes("<i1", shape, changed, strlen(changed) + 1));
}

void
marian_dir_write(const marian_dir *dir, gboolean deflated)
{
  NpzEntry *entries = g_new0(NpzEntry, dir->names->len + 1);
  for (guint i = 0; i < dir->names->len; i++) {
    entries[i].name = g_strconcat(g_ptr_array_index(dir->names, i), ".npy", NULL);
    entries[i].bytes = g_bytes_ref(g_ptr_array_index(dir->files, i));
    entries[i].deflated = deflated;
  }
  g_autofree char *path = g_build_filename(dir->dir->path, dir->weights, NULL);
  npz_build(path, entries);
  for (guint i = 0; i < dir->names->len; i++)
    g_free((char *) entries[i].name);
  g_free(entries);
}

/* regard-model-identity.c — which model something was made with, so that another machine finds it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-model-identity.h"

#include "base/regard-json.h"
#include "base/regard-paths.h"
#include "models/regard-model-list.h"
#include "models/regard-training-steps.h"

#include <glib.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <json.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ==== SHA-256 of files, of which those of a model are large =================================== */

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

/* In hexadecimal; NULL if it is no regular file, or cannot be read. A file that did not change
 * since it was asked for before is not read again. Takes as long as the disk does; any thread may
 * call it. Caller frees. *bytes: its size. */
static char *
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

/* ==== The identity ============================================================================ */

/* More than any model has, of those that are opened. */
#define MOST_FILES 1100
#define MOST_NAME  255
#define MOST_BYTES ((gint64) 1 << 50)

static void
file_clear(gpointer data)
{
  RegardModelFile *file = data;
  g_free(file->name);
  g_free(file->sha256);
}

static RegardModelIdentity *
identity_new(const char *name, const char *title)
{
  RegardModelIdentity *identity = g_new0(RegardModelIdentity, 1);
  identity->name = g_strdup(name);
  identity->title = g_strdup(title);
  identity->files = g_array_new(FALSE, FALSE, sizeof(RegardModelFile));
  g_array_set_clear_func(identity->files, file_clear);
  return identity;
}

void
regard_model_identity_free(RegardModelIdentity *identity)
{
  g_free(identity->name);
  g_free(identity->title);
  g_array_unref(identity->files);
  g_free(identity);
}

const RegardModelFile *
regard_model_identity_largest(const RegardModelIdentity *identity)
{
  const RegardModelFile *largest = NULL;
  for (guint i = 0; i < identity->files->len; i++) {
    const RegardModelFile *file = &g_array_index(identity->files, RegardModelFile, i);
    if (!largest || file->bytes > largest->bytes)
      largest = file;
  }
  return largest;
}

/* ---- Of a model that is open --------------------------------------------------------------- */

static void
add_path(RegardModelIdentity *identity, const char *path, const char *name)
{
  RegardModelFile file = {0};
  file.sha256 = regard_model_hash(path, &file.bytes);
  if (!file.sha256)
    return;
  file.name = g_utf8_make_valid(name, -1);
  g_array_append_val(identity->files, file);
}

static void
add_file(RegardModelIdentity *identity, const mt_model *model, const char *name)
{
  for (guint i = 0; i < identity->files->len; i++)
    if (g_str_equal(g_array_index(identity->files, RegardModelFile, i).name, name))
      return;
  g_autofree char *path = g_build_filename(mt_model_directory(model), name, NULL);
  add_path(identity, path, name);
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The model's own files are not named alike, so all of these kinds that lie there. */
static void
add_marian(RegardModelIdentity *identity, const mt_model *model)
{
  g_autoptr(GDir) folder = g_dir_open(mt_model_directory(model), 0, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  while (folder && (name = g_dir_read_name(folder)))
    if (g_str_has_suffix(name, ".yml") || g_str_has_suffix(name, ".spm"))
      g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++)
    add_file(identity, model, g_ptr_array_index(names, i));
}

/* The files that decide what comes out: weights, configuration, vocabularies, tokenizers. An
 * archive is one file that decides it all. */
RegardModelIdentity *
regard_model_identity_new(const mt_model *model, const char *title)
{
  static const char *const others[] = {"config.json", "generation_config.json",
                                       "vocab.json",  "target_vocab.json",
                                       "source.spm",  "target.spm"};
  const char *directory = mt_model_directory(model);
  RegardModelIdentity *identity = identity_new(mt_model_name(model), title);
  identity->is_archive = !g_file_test(directory, G_FILE_TEST_IS_DIR);
  if (identity->is_archive) {
    g_autofree char *name = g_path_get_basename(directory);
    add_path(identity, directory, name);
    return identity;
  }
  for (size_t i = 0; i < mt_model_n_tensors(model); i++)
    add_file(identity, model, mt_model_tensor(model, i)->file);
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
    add_file(identity, model, others[i]);
  if (g_str_has_prefix(mt_model_format(model), "Marian"))
    add_marian(identity, model);
  return identity;
}

/* ---- As JSON ------------------------------------------------------------------------------- */

static json_object *
text(const char *value)
{
  g_autofree char *valid = value ? g_utf8_make_valid(value, -1) : NULL;
  return valid ? json_object_new_string(valid) : NULL;
}

json_object *
regard_model_identity_write(const RegardModelIdentity *identity)
{
  json_object *object = json_object_new_object(), *files = json_object_new_array();
  regard_json_add(object, {"name", text(identity->name)}, {"title", text(identity->title)},
                  {"archive", json_object_new_boolean(identity->is_archive)});
  for (guint i = 0; i < identity->files->len; i++) {
    const RegardModelFile *file = &g_array_index(identity->files, RegardModelFile, i);
    json_object_array_add(files,
                          regard_json_object({"name", text(file->name)},
                                             {"bytes", json_object_new_int64((gint64) file->bytes)},
                                             {"sha256", text(file->sha256)}));
  }
  json_object_object_add(object, "files", files);
  return object;
}

/* A text of a line, without control characters; NULL for anything else. */
static const char *
get_line(json_object *object, const char *key)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  if (!json_object_is_type(found, json_type_string))
    return NULL;
  const char *line = json_object_get_string(found);
  const gsize n = strlen(line);
  if (n == 0 || n > MOST_NAME || n != (gsize) json_object_get_string_len(found) ||
      !g_utf8_validate(line, -1, NULL))
    return NULL;
  for (const char *p = line; *p; p = g_utf8_next_char(p))
    if (g_unichar_iscntrl(g_utf8_get_char(p)))
      return NULL;
  return line;
}

static gboolean
read_file(json_object *object, RegardModelFile *file)
{
  json_object *bytes = NULL;
  if (!json_object_is_type(object, json_type_object))
    return FALSE;
  const char *name = get_line(object, "name"), *sha256 = get_line(object, "sha256");
  json_object_object_get_ex(object, "bytes", &bytes);
  const gint64 n = json_object_is_type(bytes, json_type_int) ? json_object_get_int64(bytes) : -1;
  /* No way out of the folder that it is looked for in. */
  if (!name || strpbrk(name, "/\\") || g_str_equal(name, ".") || g_str_equal(name, "..") ||
      !sha256 || strlen(sha256) != 64 || strspn(sha256, "0123456789abcdef") != 64 || n < 0 ||
      n > MOST_BYTES)
    return FALSE;
  *file = (RegardModelFile){g_strdup(name), (guint64) n, g_strdup(sha256)};
  return TRUE;
}

static gboolean
read_files(json_object *list, RegardModelIdentity *identity)
{
  if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) == 0 ||
      json_object_array_length(list) > MOST_FILES)
    return FALSE;
  for (gsize i = 0; i < json_object_array_length(list); i++) {
    RegardModelFile file;
    if (!read_file(json_object_array_get_idx(list, i), &file))
      return FALSE;
    g_array_append_val(identity->files, file);
  }
  return !identity->is_archive || identity->files->len == 1;
}

RegardModelIdentity *
regard_model_identity_read(json_object *object, GError **error)
{
  json_object *files = NULL, *archive = NULL, *title = NULL;
  const char *name =
      json_object_is_type(object, json_type_object) ? get_line(object, "name") : NULL;
  if (name) {
    json_object_object_get_ex(object, "files", &files);
    json_object_object_get_ex(object, "archive", &archive);
    json_object_object_get_ex(object, "title", &title);
  }
  g_autoptr(RegardModelIdentity) identity =
      identity_new(name, name ? get_line(object, "title") : NULL);
  const gboolean is_typed = json_object_is_type(archive, json_type_boolean) &&
                            (!title || json_object_is_type(title, json_type_string));
  identity->is_archive = is_typed && json_object_get_boolean(archive);
  if (name && is_typed && read_files(files, identity))
    return g_steal_pointer(&identity);
  regard_json_refuse(
      error, "model",
      _("a model's name, its title or null, whether it is an archive, and its files, "
        "each with its size and SHA-256"));
  return NULL;
}

/* ---- Where it lies ------------------------------------------------------------------------- */

static gboolean
has_size(const RegardModelFile *file, const char *path)
{
  GStatBuf info;
  return g_stat(path, &info) == 0 && S_ISREG(info.st_mode) && (guint64) info.st_size == file->bytes;
}

static gboolean
has_hash(const RegardModelFile *file, const char *path)
{
  guint64 bytes;
  g_autofree char *sha256 = regard_model_hash(path, &bytes);
  return g_strcmp0(sha256, file->sha256) == 0;
}

gboolean
regard_model_identity_fits(const RegardModelIdentity *identity, const char *path)
{
  typedef gboolean (*Test)(const RegardModelFile *file, const char *path);
  static const Test tests[] = {has_size, has_hash};
  if (identity->files->len == 0 || identity->is_archive == g_file_test(path, G_FILE_TEST_IS_DIR))
    return FALSE;
  for (guint t = 0; t < G_N_ELEMENTS(tests); t++)
    for (guint i = 0; i < identity->files->len; i++) {
      const RegardModelFile *file = &g_array_index(identity->files, RegardModelFile, i);
      g_autofree char *whole =
          identity->is_archive ? g_strdup(path) : g_build_filename(path, file->name, NULL);
      if (!tests[t](file, whole))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_name(const RegardModelIdentity *identity, const char *path)
{
  g_autofree char *base = g_path_get_basename(path);
  g_autofree char *name = g_utf8_make_valid(base, -1);
  if (regard_model_is_archive(name))
    *strrchr(name, '.') = '\0';
  return g_str_equal(name, identity->name);
}

/* One of these paths; else *other may become one. */
static gboolean
try_path(const RegardModelIdentity *identity, const char *path, char **other)
{
  if (regard_model_identity_fits(identity, path))
    return TRUE;
  if (!*other && has_name(identity, path) && g_file_test(path, G_FILE_TEST_EXISTS))
    *other = g_strdup(path);
  return FALSE;
}

/* A training's model may be any of its checkpoints. Caller frees. */
static char *
try_listed(const RegardModelIdentity *identity, const RegardModelInfo *info, char **other)
{
  if (try_path(identity, info->path, other))
    return g_strdup(info->place == REGARD_MODEL_BUNDLED ? "" : info->path);
  for (guint i = 0; info->steps && i < info->steps->len; i++) {
    const char *path = g_array_index(info->steps, RegardTrainingStep, i).path;
    if (try_path(identity, path, other))
      return g_strdup(path);
  }
  return NULL;
}

/* The training that comes with Regard is in no list. Caller frees. */
static char *
try_bundled_training(const RegardModelIdentity *identity, char **other)
{
  g_autofree char *folder = regard_paths_bundled_training();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name(dir))) {
    char *path = g_build_filename(folder, name, NULL);
    if (try_path(identity, path, other))
      return path;
    g_free(path);
  }
  return NULL;
}

char *
regard_model_identity_find(const RegardModelIdentity *identity, const char *const *first,
                           const char *const *recent, char **other)
{
  g_autofree char *bundled = regard_paths_bundled_model();
  char *found = NULL;
  *other = NULL;
  for (guint i = 0; first && first[i] && !found; i++)
    if (try_path(identity, *first[i] ? first[i] : bundled, other))
      found = g_strdup(first[i]);
  g_autoptr(GPtrArray) listed = found ? NULL : regard_model_list_scan(recent, NULL, NULL);
  for (guint i = 0; listed && i < listed->len && !found; i++)
    found = try_listed(identity, listed->pdata[i], other);
  if (!found)
    found = try_bundled_training(identity, other);
  if (found)
    g_clear_pointer(other, g_free);
  return found;
}

/* mt-container.c — named tensors in a checkpoint directory, whatever the file format.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-container.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Formats that are known but not read: better than "there is no model". */
static const mt_container_format tensorflow = {
    .name = "TensorFlow weights",
    .files = (const char *const[]){"tf_model.h5", NULL},
};
static const mt_container_format marian_npz = {
    .name = "a checkpoint of Marian itself beside a config.json",
    .files = (const char *const[]){"model.npz", "model.npz.best-translation.npz", NULL},
};

/* THE list. The first one present wins. */
static const mt_container_format *const formats[] = {
    &mt_format_safetensors, &mt_format_torch, &tensorflow, &marian_npz, &mt_format_marian_npz,
};
#define N_FORMATS (sizeof formats / sizeof *formats)

bool
mt_container_add(mt_container *container, const mt_container_tensor *tensor, mt_error *error)
{
  if (!mt_grow(&container->tensors, container->n_tensors, 1, &container->capacity, sizeof *tensor))
    return mt_fail_no_memory(error);
  /* The three strings in one allocation, which starts with the name. */
  size_t name = strlen(tensor->info.name) + 1;
  size_t dtype = strlen(tensor->info.dtype) + 1;
  size_t file = strlen(tensor->info.file) + 1;
  char *strings = mt_alloc(name + dtype + file, 1);
  if (!strings)
    return mt_fail_no_memory(error);
  mt_container_tensor *added = &container->tensors[container->n_tensors++];
  *added = *tensor;
  added->info.name = memcpy(strings, tensor->info.name, name);
  added->info.dtype = memcpy(strings + name, tensor->info.dtype, dtype);
  added->info.file = memcpy(strings + name + dtype, tensor->info.file, file);
  return true;
}

bool
mt_container_add_alias(mt_container *container, const char *alias, const char *name,
                       mt_error *error)
{
  size_t n = container->n_aliases;
  if (!mt_grow(&container->aliases, n, 1, &container->aliases_capacity,
               sizeof *container->aliases) ||
      !mt_grow(&container->alias_targets, n, 1, &container->targets_capacity,
               sizeof *container->alias_targets))
    return mt_fail_no_memory(error);
  container->aliases[n] = (mt_container_name){.name = mt_strdup(alias)};
  container->alias_targets[n] = mt_strdup(name);
  container->n_aliases++;
  return (container->aliases[n].name && container->alias_targets[n]) || mt_fail_no_memory(error);
}

bool
mt_container_add_sum(mt_container *container, const mt_mapping *mapping, mt_sum sum,
                     mt_error *error)
{
  sum.is_mapped = mapping->pages != NULL;
  return sum.is_mapped ? mt_sums_add(&container->sums, &sum, error) : mt_sum_check(&sum, error);
}

bool
mt_container_finish(mt_container *container, bool (*goes_on)(void *user), void *user,
                    mt_error *error)
{
  return mt_sums_finish(&container->sums, goes_on, user, error);
}

void
mt_container_free(mt_container *container)
{
  if (!container)
    return;
  mt_sums_stop(&container->sums);
  if (container->format)
    container->format->close(container);
  for (size_t i = 0; i < container->n_tensors; i++)
    mt_free((void *) container->tensors[i].info.name);
  for (size_t i = 0; i < container->n_aliases; i++) {
    mt_free((void *) container->aliases[i].name);
    mt_free(container->alias_targets[i]);
  }
  mt_free(container->aliases);
  mt_free(container->alias_targets);
  mt_free(container->tensors);
  mt_free(container->by_name);
  mt_free(container->file);
  mt_free(container);
}

static int
compare_names(const void *a, const void *b)
{
  const mt_container_name *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* The place of a name among the first n, or NULL. */
static const mt_container_name *
find_name(const mt_container *container, const char *name, size_t n)
{
  const mt_container_name key = {.name = name};
  return n ? bsearch(&key, container->by_name, n, sizeof key, compare_names) : NULL;
}

/* Sort the first n names and refuse one that comes twice. */
static bool
sort_names(mt_container *container, size_t n, const mt_dir *dir, mt_error *error)
{
  mt_container_name *names = container->by_name;
  if (n > 0)
    qsort(names, n, sizeof *names, compare_names);
  for (size_t i = 1; i < n; i++)
    if (strcmp(names[i].name, names[i - 1].name) == 0)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s/%s: expected each tensor once, found \"%.200s\" also in %s.", dir->name,
                     container->tensors[names[i].index].info.file, names[i].name,
                     container->tensors[names[i - 1].index].info.file);
  return true;
}

bool
mt_container_index(mt_container *container, const mt_dir *dir, mt_error *error)
{
  const size_t n = container->n_tensors, n_aliases = container->n_aliases;
  container->by_name = mt_alloc(n + n_aliases, sizeof *container->by_name);
  if (!container->by_name)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    container->by_name[i] = (mt_container_name){container->tensors[i].info.name, i};
  if (!sort_names(container, n, dir, error))
    return false;
  for (size_t i = 0; i < n_aliases; i++) {
    mt_container_name *alias = &container->aliases[i];
    const mt_container_name *target = find_name(container, container->alias_targets[i], n);
    if (!target)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s/%s: expected tensor \"%.200s\", for which \"%.200s\" is another name, "
                     "found no such tensor.",
                     dir->name, container->file, container->alias_targets[i], alias->name);
    alias->index = target->index;
  }
  for (size_t i = 0; i < n_aliases; i++)
    container->by_name[n + i] = container->aliases[i];
  return n_aliases == 0 || sort_names(container, n + n_aliases, dir, error);
}

bool
mt_container_find(const mt_container *container, const char *name, size_t *index)
{
  const mt_container_name *found =
      find_name(container, name, container->n_tensors + container->n_aliases);
  if (found)
    *index = found->index;
  return found != NULL;
}

/* The format of a directory, or NULL; *file is the file that gave it away. */
static const mt_container_format *
recognise(const mt_dir *dir, const char **file)
{
  for (size_t i = 0; i < N_FORMATS; i++)
    for (const char *const *name = formats[i]->files; *name; name++)
      if (mt_dir_has(dir, *name)) {
        *file = *name;
        return formats[i];
      }
  return NULL;
}

/* The format of a file, by its ending. */
static const mt_container_format *
recognise_file(const char *file)
{
  size_t n = strlen(file);
  for (size_t i = 0; i < N_FORMATS; i++) {
    size_t m = formats[i]->ending ? strlen(formats[i]->ending) : 0;
    if (m > 0 && n > m && strcasecmp(file + n - m, formats[i]->ending) == 0)
      return formats[i];
  }
  return NULL;
}

/* "model.safetensors or pytorch_model.bin": the first file of every format that is read, or, if
 * is_ending, the ending. */
#define NAMES_SIZE 200
static const char *
join_names(bool is_ending, char out[NAMES_SIZE])
{
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < N_FORMATS; i++) {
    const char *name = is_ending ? formats[i]->ending : formats[i]->files[0];
    if (formats[i]->open && name && used < NAMES_SIZE)
      used += (size_t) snprintf(out + used, NAMES_SIZE - used, "%s%s", used ? " or " : "", name);
  }
  return out;
}

mt_container *
mt_container_open(const mt_dir *dir, const char *file, mt_error *error)
{
  char names[NAMES_SIZE];
  bool is_asked = file != NULL;
  const mt_container_format *format = is_asked ? recognise_file(file) : recognise(dir, &file);
  if (!format && is_asked) {
    mt_fail(error, MT_ERROR_UNSUPPORTED,
            "%s/%s: expected weights in a file called %s, found another ending.", dir->name, file,
            join_names(true, names));
    return NULL;
  }
  if (!format) {
    mt_fail(error, MT_ERROR_IO,
            "%s: expected %s, or one in shards with its index.json, found none of them.", dir->name,
            join_names(false, names));
    return NULL;
  }
  if (!format->open) {
    mt_fail(error, MT_ERROR_UNSUPPORTED, "%s/%s: expected the weights in %s, found %s.", dir->name,
            file, join_names(false, names), format->name);
    return NULL;
  }
  return mt_container_open_as(dir, file, format, error);
}

mt_container *
mt_container_open_as(const mt_dir *dir, const char *file, const mt_container_format *format,
                     mt_error *error)
{
  mt_container *container = mt_alloc(1, sizeof *container);
  if (!container)
    return mt_fail_no_memory(error), NULL;

  container->format = format;
  container->file = mt_strdup(file);
  mt_error own = {0};
  bool ok = container->file ? format->open(container, dir, &own) &&
                                  (container->by_name || mt_container_index(container, dir, &own))
                            : mt_fail_no_memory(&own);
  if (ok) {
    mt_sums_start(&container->sums);
    return container;
  }
  /* What looks like another mistake may come of a damage that the check sums name. */
  if (own.code != MT_ERROR_NO_MEMORY)
    mt_container_finish(container, NULL, NULL, &own);
  mt_container_free(container);
  mt_fail(error, own.code, "%s", own.message);
  return NULL;
}

/* ---- A checkpoint in one file, or in shards with an index ------------------------------------ */

typedef struct {
  mt_shards *shards;
  mt_container *container;
  const mt_dir *dir;
  const char *index;
  const mt_json_value *weight_map;
  mt_shard_read read;
  mt_error *error;
} reader;

/* Map one more file and read it. */
static bool
open_shard(reader *r, const char *file)
{
  mt_shards *shards = r->shards;
  size_t part = shards->n;
  mt_shard *grown = mt_realloc(shards->items, part + 1, sizeof *grown);
  if (!grown)
    return mt_fail_no_memory(r->error);
  shards->items = grown;
  mt_shard shard = {.file = mt_strdup(file)};
  if (!shard.file)
    return mt_fail_no_memory(r->error);
  mt_sum whole;
  if (!mt_dir_map_large(r->dir, file, SIZE_MAX / 2, &shard.mapping, &whole, r->error)) {
    mt_free(shard.file);
    return false;
  }
  shards->items[shards->n++] = shard;
  if (whole.size > 0 && !mt_container_add_sum(r->container, &shard.mapping, whole, r->error))
    return false;
  r->container->file_bytes += shard.mapping.size;
  return r->read(r->container, r->dir, part, r->weight_map, r->error);
}

/* A file name that stays inside the directory. */
static bool
is_plain_name(const char *file)
{
  return file[0] != '\0' && !strchr(file, '/') && strcmp(file, ".") != 0 && strcmp(file, "..") != 0;
}

/* Open the shard of one weight, unless it is open. */
static bool
open_home(void *user, const char *name, const mt_json_value *value)
{
  reader *r = user;
  const char *file = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  if (!file || !is_plain_name(file))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected a file name for tensor \"%.200s\", found something else.",
                   r->dir->name, r->index, name);
  for (size_t i = 0; i < r->shards->n; i++)
    if (strcmp(r->shards->items[i].file, file) == 0)
      return true;
  if (r->shards->n == MT_MAX_SHARDS)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s/%s: expected at most %d shards, found more.",
                   r->dir->name, r->index, MT_MAX_SHARDS);
  return open_shard(r, file);
}

/* Name the first weight of the index that its shard does not hold. */
static bool
check_complete(void *user, const char *name, const mt_json_value *value)
{
  reader *r = user;
  for (size_t i = 0; i < r->container->n_tensors; i++)
    if (strcmp(r->container->tensors[i].info.name, name) == 0)
      return true;
  return mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s/%.250s: expected tensor \"%.200s\" as the index says, found no such tensor.",
                 r->dir->name, mt_json_string(value), name);
}

static bool
open_all(reader *r, const mt_json *json)
{
  r->weight_map = mt_json_get(json, "weight_map");
  if (mt_json_kind_of(r->weight_map) != MT_JSON_OBJECT || mt_json_length(r->weight_map) == 0)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected an object \"weight_map\", found none.", r->dir->name, r->index);
  if (mt_json_length(r->weight_map) > MT_MAX_TENSORS)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s/%s: expected at most %d tensors, found %zu.",
                   r->dir->name, r->index, MT_MAX_TENSORS, mt_json_length(r->weight_map));
  return mt_json_each(r->weight_map, open_home, r) &&
         /* Only what the index puts into a shard was added, so the count tells. */
         (r->container->n_tensors == mt_json_length(r->weight_map) ||
          mt_json_each(r->weight_map, check_complete, r));
}

bool
mt_shards_open(mt_shards *shards, mt_container *container, const mt_dir *dir, const char *single,
               const char *index, mt_shard_read read, mt_error *error)
{
  reader r = {.shards = shards,
              .container = container,
              .dir = dir,
              .index = index,
              .read = read,
              .error = error};
  if (mt_dir_has(dir, single))
    return open_shard(&r, single);
  mt_json json = {0};
  if (!mt_json_load(&json, dir, index, error))
    return false;
  bool ok = open_all(&r, &json);
  mt_json_clear(&json);
  return ok;
}

void
mt_shards_close(mt_shards *shards)
{
  for (size_t i = 0; i < shards->n; i++) {
    mt_unmap(&shards->items[i].mapping);
    mt_free(shards->items[i].file);
  }
  mt_free(shards->items);
  *shards = (mt_shards){0};
}

bool
mt_shards_belongs(const mt_json_value *weight_map, const char *name, const char *file)
{
  if (!weight_map)
    return true;
  const mt_json_value *home = mt_json_member(weight_map, name);
  const char *found = mt_json_kind_of(home) == MT_JSON_STRING ? mt_json_string(home) : NULL;
  return found && strcmp(found, file) == 0;
}

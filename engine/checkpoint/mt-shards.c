/* mt-shards.c — a checkpoint in one file, or in shards with an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-shards.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <stdint.h>
#include <string.h>

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

/* mt-shards.h — a checkpoint in one file, or in shards with an index. Private to the engine.
 *
 * Hugging Face splits large checkpoints the same way whatever the format of the files:
 * NAME.index.json holds "weight_map": name of a tensor -> file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SHARDS_H
#define MT_SHARDS_H

#include "checkpoint/mt-container.h"
#include "files/mt-json.h"

/* Far more than any translation model has; keeps the searches cheap for a hostile file. */
#define MT_MAX_SHARDS  1000
#define MT_MAX_TENSORS 20000

typedef struct {
  char *file;
  mt_mapping mapping;
} mt_shard;

/* The files of one checkpoint, in the order in which the index names them. Initialise with {0}. */
typedef struct {
  mt_shard *items;
  size_t n;
} mt_shards;

/* Reads the list of tensors of shards->items[part], and adds those to the container that belong
 * there. weight_map: NULL if there is no index. */
typedef bool (*mt_shard_read)(mt_container *container, const mt_dir *dir, size_t part,
                              const mt_json_value *weight_map, mt_error *error);

/* Map and read the file `single` if the directory has it, else the files that `index` names; every
 * tensor of the index must be found. Adds to container->file_bytes. On failure what was mapped so
 * far stays until mt_shards_close. Errors: those of mt_dir_map, mt_json_load and `read`, and
 * MT_ERROR_FORMAT. */
bool mt_shards_open(mt_shards *shards, mt_container *container, const mt_dir *dir,
                    const char *single, const char *index, mt_shard_read read, mt_error *error);
void mt_shards_close(mt_shards *shards);

/* True if the index puts this tensor into this file; always, if there is no index. */
bool mt_shards_belongs(const mt_json_value *weight_map, const char *name, const char *file);

#endif

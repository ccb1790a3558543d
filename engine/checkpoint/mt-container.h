/* mt-container.h — named tensors in a checkpoint directory, whatever the file format, in one file
 * or in shards. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A format is one file that defines an mt_container_format, and one row of the list in
 * mt-container.c.
 */
#ifndef MT_CONTAINER_H
#define MT_CONTAINER_H

#include "base/mt-dtype.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "mt.h"

typedef struct mt_container mt_container;
typedef struct mt_container_format mt_container_format;

/* A tensor as stored. The format has checked: n_elements is the product of the shape, and its
 * bytes lie inside the file. */
typedef struct {
  mt_tensor_info info; /* strings owned by the container, see mt_container_add */
  mt_dtype dtype;
  size_t n_elements;
  size_t part, offset; /* for the format: which of its files, and where in it */
} mt_container_tensor;

struct mt_container_format {
  const char *name;
  /* The format is used if the directory has one of these files; NULL ends the list. */
  const char *const *files;
  /* Or if the file that was asked for ends so; may be NULL. */
  const char *ending;
  /* Read the list of tensors: calls mt_container_add for each, in the order of the files, and sets
   * file_bytes. On failure `close` is called. NULL: the format is only recognised, to say so. */
  bool (*open)(mt_container *container, const mt_dir *dir, mt_error *error);
  /* The bytes of tensor i, valid as long as the container. NULL on failure. */
  const void *(*data)(mt_container *container, size_t i, mt_error *error);
  /* Bytes [offset, offset + size) of tensor i were read for the last time: their memory may be
   * given back. NULL: they stay. */
  void (*drop)(mt_container *container, size_t i, size_t offset, size_t size);
  /* Whether the bytes of tensor i are made when they are asked for, in memory that `data` of the
   * next tensor takes again: they are valid until then. NULL: none is. */
  bool (*is_passing)(mt_container *container, size_t i);
  /* Whether tensor i lies in a mapped file, so that what was dropped is there again when it is
   * read. NULL: none does. */
  bool (*is_mapped)(mt_container *container, size_t i);
  /* Free container->state, which may be NULL. */
  void (*close)(mt_container *container);
};

/* A name, and the tensor that has it. */
typedef struct {
  const char *name;
  size_t index;
} mt_container_name;

struct mt_container {
  const mt_container_format *format;
  char *file;  /* the one of format->files that is there, or the one asked for */
  void *state; /* the format's own */
  mt_container_tensor *tensors;
  size_t n_tensors, capacity;
  mt_container_name *aliases; /* further names; their index is found when all are known */
  char **alias_targets;       /* [n_aliases] what they stand for */
  size_t n_aliases, aliases_capacity, targets_capacity;
  mt_container_name *by_name; /* [n_tensors + n_aliases] sorted; see mt_container_index */
  size_t file_bytes;
  mt_sums sums; /* of stored pieces of archives; compared while the numbers are read */
};

/* Open the checkpoint in a directory: a file of a known ending, or, if file is NULL, the first of
 * the formats' files that is there. Errors: MT_ERROR_IO if there is none, MT_ERROR_UNSUPPORTED
 * for a format that is recognised but not read, and what the format says. */
mt_container *mt_container_open(const mt_dir *dir, const char *file, mt_error *error);
/* The same for a file that is known to be of a format, which need not be in the list. */
mt_container *mt_container_open_as(const mt_dir *dir, const char *file,
                                   const mt_container_format *format, mt_error *error);
void mt_container_free(mt_container *container);
/* Before what was read is used: waits for the check sums of all that is stored in archives.
 * goes_on: see mt_sums_finish. Errors: MT_ERROR_FORMAT (damaged), MT_ERROR_CANCELLED. */
bool mt_container_finish(mt_container *container, bool (*goes_on)(void *user), void *user,
                         mt_error *error);

/* Index of the tensor of a name; false if there is none. */
bool mt_container_find(const mt_container *container, const char *name, size_t *index);

/* For formats, while they open: a stored piece of an archive that lies in `mapping`. One that is in
 * memory, and may be overwritten when it was read, is compared at once. Errors: MT_ERROR_FORMAT,
 * MT_ERROR_NO_MEMORY. */
bool mt_container_add_sum(mt_container *container, const mt_mapping *mapping, mt_sum sum,
                          mt_error *error);
/* For formats: append a tensor; info.name, info.dtype and info.file are copied. */
bool mt_container_add(mt_container *container, const mt_container_tensor *tensor, mt_error *error);
/* For formats: one more name of a tensor that was or will be added. It is no tensor of its own. */
bool mt_container_add_alias(mt_container *container, const char *alias, const char *name,
                            mt_error *error);
/* For formats that look names up while they open: call this when all is added. Without it
 * mt_container_open does. Errors: MT_ERROR_FORMAT for a name that comes twice and for an alias of
 * nothing. */
bool mt_container_index(mt_container *container, const mt_dir *dir, mt_error *error);

extern const mt_container_format mt_format_safetensors;
extern const mt_container_format mt_format_marian_npz;
extern const mt_container_format mt_format_torch;

/* ---- A checkpoint in one file, or in shards with an index ------------------------------------ */

/* Hugging Face splits large checkpoints the same way whatever the format of the files:
 * NAME.index.json holds "weight_map": name of a tensor -> file. */

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

/* mt-safetensors.c — the checkpoint format safetensors, in one file or in shards.
 *
 * A file is: the length n of the header (64-bit little-endian), a JSON header of n bytes, the data.
 * The header is an object: name -> {"dtype", "shape", "data_offsets": [begin, end]}, offsets into
 * the data; "__metadata__" is free text. The tensors cover the data without gap or overlap.
 * Shards: mt-container.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "checkpoint/mt-container.h"
#include "files/mt-file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SINGLE_FILE "model.safetensors"
#define INDEX_FILE  "model.safetensors.index.json"
#define LENGTH_SIZE 8

/* ---- One file -------------------------------------------------------------------------------- */

/* While the header of one shard is read. */
typedef struct {
  const mt_dir *dir;
  const char *file;
  size_t part;
  size_t data_offset, data_size;   /* where the data starts in the file */
  const mt_json_value *weight_map; /* NULL if there is no index: all tensors belong */
  mt_container_tensor *found;      /* [capacity], names borrowed from the JSON */
  size_t *ends;
  size_t n;
  mt_error *error;
} header_reader;

static mt_dtype
dtype_from_name(const char *name)
{
  static const struct {
    const char *name;
    mt_dtype dtype;
  } names[] = {{"F32", MT_DTYPE_F32},
               {"F16", MT_DTYPE_F16},
               {"BF16", MT_DTYPE_BF16},
               {"F64", MT_DTYPE_F64}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, name) == 0)
      return names[i].dtype;
  return MT_DTYPE_OTHER;
}

/* A list of at most `capacity` whole numbers that fit size_t. */
static bool
read_sizes(const mt_json_value *list, size_t *out, size_t capacity, size_t *n)
{
  if (mt_json_kind_of(list) != MT_JSON_ARRAY || mt_json_length(list) > capacity)
    return false;
  *n = mt_json_length(list);
  for (size_t i = 0; i < *n; i++) {
    const mt_json_value *item = mt_json_at(list, i);
    /* A number that saturated at INT64_MAX cannot be an offset or a length of anything real. */
    if (mt_json_kind_of(item) != MT_JSON_INTEGER || mt_json_integer(item) < 0 ||
        mt_json_integer(item) == INT64_MAX)
      return false;
    out[i] = (size_t) mt_json_integer(item);
  }
  return true;
}

/* One member of the header. */
static bool
read_entry(void *user, const char *name, const mt_json_value *entry)
{
  header_reader *r = user;
  const char *dir = r->dir->name;
  if (strcmp(name, "__metadata__") == 0)
    return true;
  if (mt_json_kind_of(entry) != MT_JSON_OBJECT)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected the header to describe tensor \"%.200s\" by an object, found "
                   "something else.",
                   dir, r->file, name);

  mt_container_tensor tensor = {.info.name = name, .info.file = r->file, .part = r->part};
  const mt_json_value *dtype = mt_json_member(entry, "dtype");
  if (mt_json_kind_of(dtype) == MT_JSON_STRING)
    tensor.info.dtype = mt_json_string(dtype);
  if (!tensor.info.dtype)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\" to have a dtype, found none.", dir, r->file,
                   name);
  tensor.dtype = dtype_from_name(tensor.info.dtype);

  const size_t max_dims = sizeof tensor.info.shape / sizeof *tensor.info.shape;
  const mt_json_value *shape = mt_json_member(entry, "shape");
  if (!read_sizes(shape, tensor.info.shape, max_dims, &tensor.info.n_dims))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\" to have a shape of at most %zu dimensions, "
                   "found something else.",
                   dir, r->file, name, max_dims);
  tensor.n_elements = 1;
  for (size_t i = 0; i < tensor.info.n_dims; i++)
    if (__builtin_mul_overflow(tensor.n_elements, tensor.info.shape[i], &tensor.n_elements))
      return mt_fail(r->error, MT_ERROR_FORMAT,
                     "%s/%s: the shape of tensor \"%.200s\" is larger than any memory.", dir,
                     r->file, name);

  size_t offsets[2] = {0}, n_offsets = 0;
  if (!read_sizes(mt_json_member(entry, "data_offsets"), offsets, 2, &n_offsets) ||
      n_offsets != 2 || offsets[0] > offsets[1])
    return mt_fail(
        r->error, MT_ERROR_FORMAT,
        "%s/%s: expected data_offsets [begin, end] for tensor \"%.200s\", found something else.",
        dir, r->file, name);
  if (offsets[1] > r->data_size)
    return mt_fail(
        r->error, MT_ERROR_FORMAT,
        "%s/%s: expected %zu bytes of data for tensor \"%.200s\", found %zu (is the file "
        "cut off?).",
        dir, r->file, offsets[1], name, r->data_size);
  size_t n_bytes;
  if (tensor.dtype != MT_DTYPE_OTHER &&
      (__builtin_mul_overflow(tensor.n_elements, mt_dtype_size(tensor.dtype), &n_bytes) ||
       n_bytes != offsets[1] - offsets[0]))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected %zu numbers of type %s for tensor \"%.200s\", found %zu bytes.",
                   dir, r->file, tensor.n_elements, tensor.info.dtype, name,
                   offsets[1] - offsets[0]);
  tensor.offset = offsets[0];
  r->ends[r->n] = offsets[1];
  r->found[r->n++] = tensor;
  return true;
}

static int
compare_offsets(const void *a, const void *b, void *user)
{
  const header_reader *r = user;
  size_t i = *(const size_t *) a, j = *(const size_t *) b;
  if (r->found[i].offset != r->found[j].offset)
    return r->found[i].offset < r->found[j].offset ? -1 : 1;
  /* A tensor without elements comes before the one that starts where it stands. */
  return r->ends[i] != r->ends[j] ? (r->ends[i] < r->ends[j] ? -1 : 1) : 0;
}

/* Check that the tensors cover the data exactly; add those that belong, in the order of the file.
 */
static bool
add_in_order(header_reader *r, size_t *order, mt_container *container)
{
  for (size_t i = 0; i < r->n; i++)
    order[i] = i;
  qsort_r(order, r->n, sizeof *order, compare_offsets, r);
  size_t end = 0;
  for (size_t i = 0; i < r->n; i++) {
    mt_container_tensor *tensor = &r->found[order[i]];
    if (tensor->offset != end)
      return mt_fail(
          r->error, MT_ERROR_FORMAT,
          "%s/%s: expected tensor \"%.200s\" to start at byte %zu of the data, found %zu "
          "(tensors must not overlap or leave gaps).",
          r->dir->name, r->file, tensor->info.name, end, tensor->offset);
    end = r->ends[order[i]];
    if (!mt_shards_belongs(r->weight_map, tensor->info.name, r->file))
      continue;
    tensor->offset += r->data_offset;
    if (!mt_container_add(container, tensor, r->error))
      return false;
  }
  if (end != r->data_size)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s/%s: expected %zu bytes of data, found %zu.",
                   r->dir->name, r->file, end, r->data_size);
  return true;
}

static bool
read_header(mt_container *container, const mt_dir *dir, size_t part,
            const mt_json_value *weight_map, mt_error *error)
{
  const mt_shards *shards = container->state;
  const mt_shard *s = &shards->items[part];
  const mt_mapping *m = &s->mapping;
  char label[600];
  snprintf(label, sizeof label, "%.250s/%.250s", dir->name, s->file);
  if (mt_wrong_file_is_known(m->bytes, m->size))
    return mt_wrong_file_fail(label, "a safetensors file", m->bytes, m->size, error);
  if (m->size < LENGTH_SIZE)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected a safetensors header, found a file of %zu bytes.", dir->name,
                   s->file, m->size);
  uint64_t length = 0;
  for (size_t i = 0; i < LENGTH_SIZE; i++)
    length |= (uint64_t) m->bytes[i] << (8 * i);
  if (length > m->size - LENGTH_SIZE)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected a safetensors header of %llu bytes, found a file of %zu.",
                   dir->name, s->file, (unsigned long long) length, m->size);
  size_t data_offset = LENGTH_SIZE + (size_t) length;

  snprintf(label, sizeof label, "%.250s/%.250s (header)", dir->name, s->file);
  mt_json json = {0};
  if (!mt_json_parse(&json, label, (const char *) m->bytes + LENGTH_SIZE, (size_t) length, error))
    return false;
  size_t capacity = mt_json_length(json.root);
  if (capacity > MT_MAX_TENSORS) {
    mt_json_clear(&json);
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d tensors, found %zu.", label,
                   MT_MAX_TENSORS, capacity);
  }
  header_reader r = {
      .dir = dir,
      .file = s->file,
      .part = part,
      .data_offset = data_offset,
      .data_size = m->size - data_offset,
      .weight_map = weight_map,
      .found = mt_alloc(capacity, sizeof *r.found),
      .ends = mt_alloc(capacity, sizeof *r.ends),
      .error = error,
  };
  size_t *order = mt_alloc(capacity, sizeof *order);
  bool ok;
  if (r.found && r.ends && order)
    ok = mt_json_each(json.root, read_entry, &r) && add_in_order(&r, order, container);
  else
    ok = mt_fail_no_memory(error);
  mt_free(r.found);
  mt_free(r.ends);
  mt_free(order);
  mt_json_clear(&json);
  return ok;
}

/* ---- The format ------------------------------------------------------------------------------ */

static bool
safetensors_open(mt_container *container, const mt_dir *dir, mt_error *error)
{
  container->state = mt_alloc(1, sizeof(mt_shards));
  if (!container->state)
    return mt_fail_no_memory(error);
  return mt_shards_open(container->state, container, dir, SINGLE_FILE, INDEX_FILE, read_header,
                        error);
}

static const void *
safetensors_data(mt_container *container, size_t i, mt_error *error)
{
  (void) error; /* all was checked when opening */
  const mt_shards *shards = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  return shards->items[tensor->part].mapping.bytes + tensor->offset;
}

static void
safetensors_drop(mt_container *container, size_t i, size_t offset, size_t size)
{
  const mt_shards *shards = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  mt_drop_pages(shards->items[tensor->part].mapping.bytes + tensor->offset + offset, size);
}

static bool
safetensors_is_mapped(mt_container *container, size_t i)
{
  const mt_shards *shards = container->state;
  return shards->items[container->tensors[i].part].mapping.pages != NULL;
}

static void
safetensors_close(mt_container *container)
{
  if (container->state)
    mt_shards_close(container->state);
  mt_free(container->state);
}

const mt_container_format mt_format_safetensors = {
    .name = "safetensors",
    .files = (const char *const[]){SINGLE_FILE, INDEX_FILE, NULL},
    .open = safetensors_open,
    .data = safetensors_data,
    .drop = safetensors_drop,
    .is_mapped = safetensors_is_mapped,
    .close = safetensors_close,
};

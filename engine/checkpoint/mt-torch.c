/* mt-torch.c — the checkpoint format of PyTorch, in one file or in shards.
 *
 * torch.save writes a zip archive: ROOT/data.pkl says what tensors there are (mt-pickle.h),
 * ROOT/data/KEY holds the numbers of one storage, ROOT/byteorder and ROOT/version speak for
 * themselves. Numbers are stored without compression at multiples of 64 bytes, so that most
 * tensors can be used from the mapped file as they lie. A tensor is a view of a storage; one whose
 * numbers do not lie in order (transposed, sliced, repeated) is gathered into memory when it is
 * asked for, as are storages that somebody compressed.
 *
 * Entries that are used where they lie are compared with their check sums by a thread, while
 * mt-bind.c looks at every number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "checkpoint/mt-container.h"
#include "checkpoint/mt-pickle.h"
#include "files/mt-file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SINGLE_FILE "pytorch_model.bin"
#define INDEX_FILE  "pytorch_model.bin.index.json"
/* The formats of the archive that PyTorch has had so far: 1 to 10. */
#define MAX_VERSION 10
/* Twenty thousand tensors take 3 MB. */
#define MAX_PICKLE ((size_t) 64 << 20)
/* Bytes in memory that no file is refused for. Beyond them, storages that are compressed may have
 * so many times the bytes of the files, and tensors, which can repeat the numbers of one storage
 * without end, so many times the bytes of all storages. Honest ones have 1 to 5 times, and once. */
#define FREE_BYTES    ((size_t) 64 << 20)
#define MAX_INFLATION 16
#define MAX_REPEATS   2
#define TILE          32 /* rows and columns gathered at once: they fit the first cache */

/* One archive. */
typedef struct {
  char *label; /* "en-de/pytorch_model.bin" */
  mt_zip *zip;
  char *root;       /* "archive/" */
  void **inflated;  /* [entries] what was read into memory, NULL for the others */
  size_t n_entries; /* [inflated] */
} archive;

/* Where the numbers of a tensor are. */
typedef struct {
  size_t entry; /* of the storage */
  size_t strides[MT_PICKLE_MAX_DIMS];
  size_t item_size;
  bool is_contiguous; /* in order: `offset` of the tensor is all there is to know */
  bool is_counted;    /* in `shown` */
  void *gathered;
} view;

typedef struct {
  mt_shards shards;
  archive *archives; /* [shards.n] */
  size_t n_archives;
  view *views; /* [tensors of the container] */
  size_t n_views, views_capacity;
  size_t stored;   /* bytes of all entries of all archives */
  size_t inflated; /* of those, bytes that were compressed and are in memory */
  size_t shown;    /* bytes of the tensors that were asked for */
} torch;

/* Sums and products of sizes that stop at the largest. */
static size_t
add(size_t a, size_t b)
{
  size_t sum;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

static size_t
multiply(size_t a, size_t b)
{
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* ---- One archive ----------------------------------------------------------------------------- */

/* While it is read. */
typedef struct {
  mt_container *container;
  torch *state;
  archive *archive;
  const char *file, *label;
  size_t part;
  const mt_json_value *weight_map;
  mt_error *error;
} reader;

/* The folder that data.pkl is in, which all entries share. */
static bool
find_root(reader *r)
{
  static const char pickle[] = "data.pkl";
  const mt_zip *zip = r->archive->zip;
  for (size_t i = 0; i < mt_zip_count(zip); i++) {
    const char *name = mt_zip_get(zip, i)->name;
    const char *slash = strchr(name, '/');
    if (!slash || strcmp(slash + 1, pickle) != 0)
      continue;
    r->archive->root = mt_strndup(name, (size_t) (slash - name) + 1);
    return r->archive->root || mt_fail_no_memory(r->error);
  }
  return mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s: expected a checkpoint saved by torch.save, found a zip archive without %s.",
                 r->label, pickle);
}

/* The entry ROOT/NAME; false if there is none. */
static bool
find_entry(const reader *r, const char *folder, const char *name, size_t *i)
{
  char full[2048];
  int n = snprintf(full, sizeof full, "%s%s%s", r->archive->root, folder, name);
  return n >= 0 && (size_t) n < sizeof full && mt_zip_find(r->archive->zip, full, i);
}

/* A short text entry without the line feed at its end, "" if there is none. */
static bool
read_word(reader *r, const char *name, char word[16])
{
  size_t i;
  word[0] = '\0';
  if (!find_entry(r, "", name, &i))
    return true;
  size_t n = mt_zip_get(r->archive->zip, i)->size;
  char text[16] = "";
  if (n < sizeof text && !mt_zip_read(r->archive->zip, i, text, r->error))
    return false;
  text[strcspn(text, "\r\n")] = '\0';
  snprintf(word, 16, "%s", n < sizeof text ? text : "(long)");
  return true;
}

static bool
check_archive(reader *r)
{
  char version[16], byte_order[16];
  size_t i;
  if (find_entry(r, "", "constants.pkl", &i))
    return mt_fail(
        r->error, MT_ERROR_UNSUPPORTED,
        "%s: expected a checkpoint saved by torch.save, found a TorchScript program (save "
        "the state dict of the model instead).",
        r->label);
  if (!read_word(r, "version", version) || !read_word(r, "byteorder", byte_order))
    return false;
  char *end;
  unsigned long number = strtoul(version, &end, 10);
  if (*end || end == version || number < 1 || number > MAX_VERSION)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected version 1 to %d of PyTorch's archives, found \"%s\".", r->label,
                   MAX_VERSION, version);
  if (byte_order[0] && strcmp(byte_order, "little") != 0)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected numbers in little-endian order, found \"%s\".", r->label,
                   byte_order);
  return true;
}

/* True if the numbers lie in order, without a gap. */
static bool
is_contiguous(const mt_pickle_tensor *t)
{
  size_t expected = 1;
  if (t->n_elements == 0)
    return true;
  for (size_t i = t->n_dims; i-- > 0;) {
    if (t->shape[i] != 1 && t->strides[i] != expected)
      return false;
    expected *= t->shape[i]; /* at most n_elements */
  }
  return true;
}

static bool
add_view(torch *state, const view *v, mt_error *error)
{
  if (!mt_grow(&state->views, state->n_views, 1, &state->views_capacity, sizeof *v))
    return mt_fail_no_memory(error);
  state->views[state->n_views++] = *v;
  return true;
}

static bool
add_tensor(reader *r, const mt_pickle_tensor *t)
{
  if (!mt_shards_belongs(r->weight_map, t->name, r->file))
    return true;
  view v = {.item_size = t->item_size, .is_contiguous = is_contiguous(t)};
  memcpy(v.strides, t->strides, sizeof v.strides);
  if (!find_entry(r, "data/", t->storage, &v.entry))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s: expected the storage \"%.100s\" of tensor \"%.200s\", found no such entry "
                   "in the archive.",
                   r->label, t->storage, t->name);
  size_t n_bytes = mt_zip_get(r->archive->zip, v.entry)->size;
  if (t->n_needed * t->item_size > n_bytes) /* cannot overflow, see mt_pickle_tensor */
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s: expected %zu bytes in the storage of tensor \"%.200s\", found %zu.",
                   r->label, t->n_needed * t->item_size, t->name, n_bytes);
  mt_container_tensor tensor = {
      .info = {.name = t->name, .dtype = t->dtype_name, .file = r->file, .n_dims = t->n_dims},
      .dtype = t->dtype,
      .n_elements = t->n_elements,
      .part = r->part,
      .offset = t->n_elements ? t->offset * t->item_size : 0,
  };
  memcpy(tensor.info.shape, t->shape, sizeof tensor.info.shape);
  return add_view(r->state, &v, r->error) && mt_container_add(r->container, &tensor, r->error);
}

static bool
read_tensors(reader *r)
{
  archive *a = r->archive;
  size_t i;
  if (!find_root(r) || !check_archive(r) || !find_entry(r, "", "data.pkl", &i))
    return false; /* find_root has seen data.pkl */
  size_t n = mt_zip_get(a->zip, i)->size;
  if (n > MAX_PICKLE)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s: expected at most %zu bytes in data.pkl, found %zu.", r->label, MAX_PICKLE,
                   n);
  unsigned char *bytes = mt_alloc(n, 1);
  if (!bytes)
    return mt_fail_no_memory(r->error);
  mt_pickle pickle = {0};
  bool ok = mt_zip_read(a->zip, i, bytes, r->error) &&
            mt_pickle_read(&pickle, r->label, bytes, n, r->error);
  for (size_t k = 0; ok && k < pickle.n; k++)
    ok = add_tensor(r, &pickle.tensors[k]);
  mt_pickle_clear(&pickle);
  mt_free(bytes);
  return ok;
}

static bool
read_archive(mt_container *container, const mt_dir *dir, size_t part,
             const mt_json_value *weight_map, mt_error *error)
{
  torch *state = container->state;
  const mt_shard *shard = &state->shards.items[part];
  archive *grown = mt_realloc(state->archives, part + 1, sizeof *grown);
  if (!grown)
    return mt_fail_no_memory(error);
  state->archives = grown;
  archive *a = &state->archives[state->n_archives++];
  *a = (archive){.label = mt_path_join(dir->name, shard->file)};
  if (!a->label)
    return mt_fail_no_memory(error);
  if (!mt_zip_is_zip(shard->mapping.bytes, shard->mapping.size))
    return mt_wrong_file_fail(a->label,
                              "a checkpoint saved by torch.save since version 1.6 (a zip archive)",
                              shard->mapping.bytes, shard->mapping.size, error);
  a->zip = mt_zip_open(shard->mapping.bytes, shard->mapping.size, a->label, error);
  if (!a->zip)
    return false;
  a->inflated = mt_alloc(mt_zip_count(a->zip), sizeof *a->inflated);
  if (!a->inflated)
    return mt_fail_no_memory(error);
  a->n_entries = mt_zip_count(a->zip);
  for (size_t i = 0; i < a->n_entries; i++) {
    state->stored = add(state->stored, mt_zip_get(a->zip, i)->size);
    if (mt_zip_get(a->zip, i)->offset != SIZE_MAX &&
        !mt_container_add_sum(container, &shard->mapping, mt_zip_sum(a->zip, i), error))
      return false;
  }
  reader r = {.container = container,
              .state = state,
              .archive = a,
              .file = shard->file,
              .label = a->label,
              .part = part,
              .weight_map = weight_map,
              .error = error};
  return read_tensors(&r);
}

/* ---- The numbers ----------------------------------------------------------------------------- */

/* n numbers of `size` bytes, `step` bytes apart, to ones side by side. */
static void
copy_run(unsigned char *to, const unsigned char *from, size_t n, size_t step, size_t size)
{
  switch (size) { /* a copy of known size is a load and a store */
  case 2:
    for (size_t i = 0; i < n; i++)
      memcpy(to + 2 * i, from + i * step, 2);
    break;
  case 4:
    for (size_t i = 0; i < n; i++)
      memcpy(to + 4 * i, from + i * step, 4);
    break;
  default:
    for (size_t i = 0; i < n; i++)
      memcpy(to + size * i, from + i * step, size);
  }
}

/* The last two dimensions, in tiles: one of them may run across the file. */
static void
copy_plane(unsigned char *to, const unsigned char *from, const size_t shape[2],
           const size_t steps[2], size_t size)
{
  for (size_t r0 = 0; r0 < shape[0]; r0 += TILE)
    for (size_t c = 0; c < shape[1]; c += TILE) {
      size_t n = shape[1] - c < TILE ? shape[1] - c : TILE;
      for (size_t r = r0; r < shape[0] && r < r0 + TILE; r++)
        copy_run(to + (r * shape[1] + c) * size, from + r * steps[0] + c * steps[1], n, steps[1],
                 size);
    }
}

/* Copy a view's numbers in order. Checked when opening: all of them lie in the storage. */
static void
gather(const mt_container_tensor *tensor, const view *v, const unsigned char *from,
       unsigned char *to)
{
  /* As if it had all dimensions: those in front have one entry. */
  size_t shape[MT_PICKLE_MAX_DIMS] = {1, 1, 1, 1}, steps[MT_PICKLE_MAX_DIMS] = {0};
  size_t n_dims = tensor->info.n_dims, first = MT_PICKLE_MAX_DIMS - n_dims;
  for (size_t i = 0; i < n_dims; i++) {
    shape[first + i] = tensor->info.shape[i];
    /* The step of a single entry is never taken, and nobody has checked it. */
    steps[first + i] = tensor->info.shape[i] > 1 ? v->strides[i] * v->item_size : 0;
  }
  size_t plane = shape[2] * shape[3] * v->item_size;
  for (size_t i = 0; i < shape[0]; i++)
    for (size_t k = 0; k < shape[1]; k++, to += plane)
      copy_plane(to, from + i * steps[0] + k * steps[1], shape + 2, steps + 2, v->item_size);
}

/* The bytes of a storage: where they lie, or read into memory once. */
static const unsigned char *
storage_bytes(mt_container *container, size_t part, size_t entry_index, mt_error *error)
{
  torch *state = container->state;
  archive *a = &state->archives[part];
  const mt_zip_entry *entry = mt_zip_get(a->zip, entry_index);
  if (entry->offset != SIZE_MAX)
    return state->shards.items[part].mapping.bytes + entry->offset;
  if (a->inflated[entry_index])
    return a->inflated[entry_index];
  state->inflated = add(state->inflated, entry->size);
  if (state->inflated > add(multiply(container->file_bytes, MAX_INFLATION), FREE_BYTES)) {
    mt_fail(error, MT_ERROR_FORMAT,
            "%s: expected storages of about %zu bytes, found %zu when they are decompressed.",
            a->label, container->file_bytes, state->inflated);
    return NULL;
  }
  void *bytes = mt_alloc(entry->size, 1);
  if (!bytes)
    mt_fail_no_memory(error);
  else if (mt_zip_read(a->zip, entry_index, bytes, error))
    return a->inflated[entry_index] = bytes;
  mt_free(bytes);
  return NULL;
}

/* Refuse what shows the same numbers over and over again; once a tensor. */
static bool
count_shown(mt_container *container, size_t i, size_t n_bytes, mt_error *error)
{
  torch *state = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  if (state->views[i].is_counted)
    return true;
  size_t stored = add(multiply(container->file_bytes, MAX_INFLATION), FREE_BYTES);
  if (state->stored < stored)
    stored = state->stored;
  state->shown = add(state->shown, n_bytes);
  if (state->shown > add(multiply(stored, MAX_REPEATS), FREE_BYTES))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected tensors of about %zu bytes, found %zu and more: tensor \"%.200s\" "
                   "repeats numbers of others or its own.",
                   state->archives[tensor->part].label, stored, state->shown, tensor->info.name);
  state->views[i].is_counted = true;
  return true;
}

/* Pages of the mapped file that hold bytes of a storage. Others may share it: they will read the
 * pages again. What was decompressed stays, for it could not be had again. */
static void
give_back(const torch *state, size_t part, size_t entry, size_t offset, size_t size)
{
  const mt_mapping *mapping = &state->shards.items[part].mapping;
  size_t at = mt_zip_get(state->archives[part].zip, entry)->offset;
  if (at != SIZE_MAX && mapping->pages)
    mt_drop_pages(mapping->bytes + at + offset, size);
}

static const void *
torch_data(mt_container *container, size_t i, mt_error *error)
{
  torch *state = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  view *v = &state->views[i];
  if (v->gathered)
    return v->gathered;
  size_t n_bytes = tensor->n_elements * v->item_size; /* see mt_pickle_tensor */
  if (!count_shown(container, i, n_bytes, error))
    return NULL;
  const unsigned char *storage = storage_bytes(container, tensor->part, v->entry, error);
  if (!storage || v->is_contiguous)
    return storage ? storage + tensor->offset : NULL;
  v->gathered = mt_alloc(n_bytes, 1);
  if (!v->gathered)
    return mt_fail_no_memory(error), NULL;

  gather(tensor, v, storage + tensor->offset, v->gathered);
  give_back(state, tensor->part, v->entry, 0,
            mt_zip_get(state->archives[tensor->part].zip, v->entry)->size);
  return v->gathered;
}

/* A gathered copy goes when its end was read. */
static void
torch_drop(mt_container *container, size_t i, size_t offset, size_t size)
{
  torch *state = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  view *v = &state->views[i];
  if (v->gathered && offset + size == tensor->n_elements * v->item_size) {
    mt_free(v->gathered);
    v->gathered = NULL;
  } else if (!v->gathered) {
    give_back(state, tensor->part, v->entry, tensor->offset + offset, size);
  }
}

static bool
torch_is_mapped(mt_container *container, size_t i)
{
  const torch *state = container->state;
  size_t part = container->tensors[i].part;
  const view *v = &state->views[i];
  return !v->gathered && state->shards.items[part].mapping.pages &&
         mt_zip_get(state->archives[part].zip, v->entry)->offset != SIZE_MAX;
}

/* ---- The format ------------------------------------------------------------------------------ */

static bool
torch_open(mt_container *container, const mt_dir *dir, mt_error *error)
{
  torch *state = container->state = mt_alloc(1, sizeof *state);
  if (!state)
    return mt_fail_no_memory(error);
  return mt_shards_open(&state->shards, container, dir, SINGLE_FILE, INDEX_FILE, read_archive,
                        error);
}

static void
torch_close(mt_container *container)
{
  torch *state = container->state;
  if (!state)
    return;
  for (size_t i = 0; i < state->n_views; i++)
    mt_free(state->views[i].gathered);
  for (size_t k = 0; k < state->n_archives; k++) {
    archive *a = &state->archives[k];
    for (size_t i = 0; i < a->n_entries; i++)
      mt_free(a->inflated[i]);
    mt_free(a->inflated);
    mt_free(a->root);
    mt_free(a->label);
    mt_zip_free(a->zip);
  }
  mt_free(state->archives);
  mt_free(state->views);
  mt_shards_close(&state->shards);
  mt_free(state);
}

const mt_container_format mt_format_torch = {
    .name = "PyTorch",
    .files = (const char *const[]){SINGLE_FILE, INDEX_FILE, NULL},
    .open = torch_open,
    .data = torch_data,
    .drop = torch_drop,
    .is_mapped = torch_is_mapped,
    .close = torch_close,
};

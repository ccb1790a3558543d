/* mt-weights.c — the numbers of a checkpoint, put where the layers look for them.
 *
 * Everything goes in pieces of a few milliseconds: between two of them loading can be cancelled,
 * and the pages of the file that were copied are given back, so that a checkpoint that is
 * converted, or moved into larger pages, is never in memory twice.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-weights.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-bind.h"

#include <stdint.h>
#include <string.h>

#define CHUNK     (1 << 20) /* numbers a piece */
#define ALIGNMENT 16        /* floats in a cache line */
#define TILE      32        /* rows and columns transposed at once: they fit the first cache */

/* From this size on the matrices are moved into large pages: smaller ones stay in the caches, and
 * in the processor's own list of pages. */
#define MOVED_BYTES (8u << 20)

/* One load. */
typedef struct {
  mt_container *container;
  const mt_dir *dir;
  const mt_load_options *options;
  size_t done, total; /* numbers */
  bool moves;         /* matrices that are read again and again go into large pages */
  mt_error *error;
} loader;

static const mt_container_tensor *
tensor_of(const loader *l, const mt_binding *binding)
{
  return &l->container->tensors[binding->tensor];
}

static const unsigned char *
data_of(loader *l, const mt_binding *binding)
{
  return l->container->format->data(l->container, binding->tensor, l->error);
}

/* Numbers that the place gets. No sum overflows: the tensor lies in a file, one row is added. */
static size_t
n_wanted(const loader *l, const mt_binding *binding)
{
  return tensor_of(l, binding)->n_elements + binding->n_added;
}

/* A matrix that is moved though the file has it as it is needed. */
static bool
is_moved(const loader *l, const mt_binding *binding)
{
  return l->moves && binding->narrow;
}

/* *data: the numbers if they can stay where the file has them, else NULL. False on failure. */
static bool
find_in_place(loader *l, const mt_binding *binding, const unsigned char **data)
{
  *data = NULL;
  if (tensor_of(l, binding)->dtype != MT_DTYPE_F32 || binding->rows || binding->n_added)
    return true;
  const unsigned char *stored = data_of(l, binding);
  if (stored && (uintptr_t) stored % _Alignof(float) == 0 && !is_moved(l, binding))
    *data = stored;
  return stored != NULL;
}

/* n more numbers are done. */
static bool
report(loader *l, size_t n)
{
  l->done += n;
  if (l->options && l->options->on_progress &&
      !l->options->on_progress(l->options->user, (double) l->done / (double) l->total))
    return mt_fail(l->error, MT_ERROR_CANCELLED, "Loading %s was cancelled.", l->dir->name);
  return true;
}

static bool
fail_not_finite(const loader *l, const mt_tensor_info *info)
{
  return mt_fail(l->error, MT_ERROR_FORMAT,
                 "%s/%s: expected finite numbers in tensor \"%.200s\", found an infinity or NaN.",
                 l->dir->name, info->file, info->name);
}

static size_t
aligned(size_t n)
{
  return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Whether numbers of 16 bits are wanted too, beside the floats. */
static bool
wants_half(const loader *l, const mt_binding *binding)
{
  mt_dtype dtype = tensor_of(l, binding)->dtype;
  return binding->narrow && !binding->rows && !binding->n_added &&
         (dtype == MT_DTYPE_F16 || dtype == MT_DTYPE_BF16);
}

static bool
keeps_half(const loader *l, const mt_binding *binding, const unsigned char *data)
{
  return wants_half(l, binding) && (uintptr_t) data % _Alignof(uint16_t) == 0;
}

/* Floats that 16 bits for each number of the panels of a matrix take. */
static size_t
panels_room(const loader *l, const mt_binding *binding)
{
  const size_t *shape = tensor_of(l, binding)->info.shape;
  return aligned((MT_PANELS_SIZE(shape[0], shape[1]) + 1) / 2);
}

/* Bytes of a tensor that was copied were read for the last time. */
static void
drop(loader *l, const mt_binding *binding, size_t offset, size_t size)
{
  const mt_container_format *format = l->container->format;
  if (format->drop)
    format->drop(l->container, binding->tensor, offset, size);
}

static bool
check_in_place(loader *l, const mt_binding *binding, const unsigned char *data)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  const float *values = (const float *) (const void *) data;
  for (size_t i = 0; i < tensor->n_elements; i += CHUNK) {
    size_t n = tensor->n_elements - i < CHUNK ? tensor->n_elements - i : CHUNK;
    if (!mt_dtype_all_finite(values + i, n))
      return fail_not_finite(l, &tensor->info);
    if (!report(l, n))
      return false;
  }
  return true;
}

static bool
copy(loader *l, const mt_binding *binding, const unsigned char *data, float *to)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  size_t size = mt_dtype_size(tensor->dtype);
  for (size_t i = 0; i < tensor->n_elements; i += CHUNK) {
    size_t n = tensor->n_elements - i < CHUNK ? tensor->n_elements - i : CHUNK;
    if (!mt_dtype_to_float(tensor->dtype, data + i * size, to + i, n))
      return fail_not_finite(l, &tensor->info);
    if (!keeps_half(l, binding, data))
      drop(l, binding, i * size, n * size);
    if (!report(l, n))
      return false;
  }
  return true;
}

/* Rows first … first + n - 1 (at most TILE) of what is stored, [cols][rows], become columns of
 * `to`, [rows][cols]. */
static bool
transpose_band(const mt_binding *binding, mt_dtype dtype, const unsigned char *data, float *to,
               size_t first, size_t n)
{
  size_t size = mt_dtype_size(dtype);
  bool finite = true;
  for (size_t r = 0; r < binding->rows; r += TILE) {
    float tile[TILE][TILE];
    size_t width = binding->rows - r < TILE ? binding->rows - r : TILE;
    for (size_t i = 0; i < n; i++)
      finite &=
          mt_dtype_to_float(dtype, data + ((first + i) * binding->rows + r) * size, tile[i], width);
    for (size_t k = 0; k < width; k++)
      for (size_t i = 0; i < n; i++)
        to[(r + k) * binding->cols + first + i] = tile[i][k];
  }
  return finite;
}

static bool
transpose(loader *l, const mt_binding *binding, const unsigned char *data, float *to)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  size_t row_bytes = binding->rows * mt_dtype_size(tensor->dtype);
  size_t reported = 0;
  for (size_t i = 0; i < binding->cols; i += TILE) {
    size_t n = binding->cols - i < TILE ? binding->cols - i : TILE;
    if (!transpose_band(binding, tensor->dtype, data, to, i, n))
      return fail_not_finite(l, &tensor->info);
    size_t ready = (i + n - reported) * binding->rows;
    if (ready < CHUNK && i + n < binding->cols)
      continue;
    drop(l, binding, reported * row_bytes, (i + n - reported) * row_bytes);
    reported = i + n;
    if (!report(l, ready))
      return false;
  }
  return true;
}

/* Room for what must be converted or moved; *next is where the first of it goes. Fresh zeros that
 * were not touched: those that are added need not be written, and pages count from when they are
 * filled. */
static bool
make_room(loader *l, mt_model *model, const mt_binding *bindings, size_t n, float **next)
{
  size_t n_converted = 0, n_read = 0;
  for (size_t i = 0; i < n; i++)
    if (bindings[i].narrow)
      n_read +=
          tensor_of(l, &bindings[i])->n_elements * mt_dtype_size(tensor_of(l, &bindings[i])->dtype);
  l->moves = n_read >= MOVED_BYTES;
  for (size_t i = 0; i < n; i++) {
    const unsigned char *in_place;
    if (!find_in_place(l, &bindings[i], &in_place))
      return false;
    l->total += n_wanted(l, &bindings[i]);
    if (!in_place)
      n_converted += aligned(n_wanted(l, &bindings[i]));
    if (wants_half(l, &bindings[i]))
      n_converted += panels_room(l, &bindings[i]);
  }
  model->n_parameters = l->total;
  *next = NULL;
  if (n_converted == 0)
    return true;
  float *room = mt_alloc_large(n_converted + ALIGNMENT, sizeof *room);
  if (!room)
    return mt_fail_no_memory(l->error);
  model->storage->converted = room;
  const size_t line = ALIGNMENT * sizeof *room;
  *next = room + (line - (uintptr_t) room % line) % line / sizeof *room;
  return true;
}

static void
keep_half(loader *l, const mt_binding *binding, const unsigned char *data, float **next)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  *binding->narrow = (mt_narrow){
      .format = tensor->dtype == MT_DTYPE_F16 ? MT_PRECISION_F16 : MT_PRECISION_BF16,
      .panels = *next,
  };
  const size_t *shape = tensor->info.shape;
  mt_panels_pack(*next, data, tensor->dtype, shape[0], shape[1], 0, MT_PANELS(shape[0]));
  *next += panels_room(l, binding);
  drop(l, binding, 0, 2 * tensor->n_elements);
}

/* One tensor; *next moves behind it if it is copied. */
static bool
load(loader *l, const mt_binding *binding, float **next)
{
  const unsigned char *in_place;
  if (!find_in_place(l, binding, &in_place))
    return false;
  if (in_place) {
    *binding->place = (const float *) (const void *) in_place;
    return check_in_place(l, binding, in_place);
  }
  const unsigned char *data = data_of(l, binding);
  if (!data)
    return false;
  bool ok = binding->rows ? transpose(l, binding, data, *next) : copy(l, binding, data, *next);
  if (!ok || (binding->n_added && !report(l, binding->n_added)))
    return false;
  *binding->place = *next;
  *next += aligned(n_wanted(l, binding));
  if (keeps_half(l, binding, data))
    keep_half(l, binding, data, next);
  return true;
}

bool
mt_weights_load(mt_model *model, const mt_dir *dir, const mt_binding *bindings, size_t n,
                const mt_load_options *options, mt_error *error)
{
  loader l = {.container = model->storage->container,
              .dir = dir,
              .options = options,
              .error = error};
  float *next;
  bool ok = make_room(&l, model, bindings, n, &next);
  for (size_t i = 0; ok && i < n; i++)
    ok = load(&l, &bindings[i], &next);
  return ok;
}

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
  bool has_vectors;   /* products of floats gain by panels */
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

/* Floats that stay where the file has them, although the products of the model read another copy,
 * in panels: their pages come back when somebody looks at the matrix. Where all matrices are
 * rounded anew, rows are read once more. */
static bool
wants_float_panels(const loader *l, const mt_binding *binding)
{
  const mt_container_format *format = l->container->format;
  return is_moved(l, binding) && l->has_vectors && format->is_mapped &&
         (!l->options || l->options->precision == MT_PRECISION_STORED) &&
         tensor_of(l, binding)->dtype == MT_DTYPE_F32 && !binding->rows && !binding->n_added &&
         format->is_mapped(l->container, binding->tensor);
}

/* *data: the numbers if they can stay where the file has them, else NULL. False on failure. */
static bool
find_in_place(loader *l, const mt_binding *binding, const unsigned char **data)
{
  *data = NULL;
  if (tensor_of(l, binding)->dtype != MT_DTYPE_F32 || binding->rows || binding->n_added)
    return true;
  const unsigned char *stored = data_of(l, binding);
  if (stored && (uintptr_t) stored % _Alignof(float) == 0 &&
      (!is_moved(l, binding) || wants_float_panels(l, binding)))
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
  return binding->narrow && (dtype == MT_DTYPE_F16 || dtype == MT_DTYPE_BF16);
}

/* The matrix that a place gets. */
static void
get_shape(const loader *l, const mt_binding *binding, size_t *n_out, size_t *n_in)
{
  const size_t *shape = tensor_of(l, binding)->info.shape;
  *n_in = binding->rows ? binding->cols : shape[1];
  *n_out = n_wanted(l, binding) / *n_in;
}

/* Floats in whose room the panels of a matrix fit. */
static size_t
panels_room(const loader *l, const mt_binding *binding)
{
  size_t n_out, n_in;
  get_shape(l, binding, &n_out, &n_in);
  size_t n = MT_PANELS_SIZE(n_out, n_in);
  return aligned(mt_dtype_size(tensor_of(l, binding)->dtype) == 2 ? (n + 1) / 2 : n);
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

/* Floats that are in place also become panels; the file's pages go as soon as they were read. */
static bool
panel_in_place(loader *l, const mt_binding *binding, const unsigned char *data, float **next)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  const size_t *shape = tensor->info.shape, n_in = shape[1];
  const size_t band = CHUNK / (MT_PANEL_OUTS * n_in) + 1; /* panels a piece */
  const float *values = (const float *) (const void *) data;
  for (size_t p = 0; p < MT_PANELS(shape[0]); p += band) {
    size_t end = MT_PANELS(shape[0]) - p < band ? MT_PANELS(shape[0]) : p + band;
    size_t first = p * MT_PANEL_OUTS * n_in, last = end * MT_PANEL_OUTS * n_in;
    if (last > tensor->n_elements)
      last = tensor->n_elements;
    if (!mt_dtype_all_finite(values + first, last - first))
      return fail_not_finite(l, &tensor->info);
    mt_panels_pack(*next, data, MT_DTYPE_F32, shape[0], n_in, p, end);
    drop(l, binding, first * sizeof *values, (last - first) * sizeof *values);
    if (!report(l, last - first))
      return false;
  }
  *binding->narrow = (mt_narrow){.format = MT_PRECISION_STORED, .panels = *next};
  *next += panels_room(l, binding);
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
    if (!wants_half(l, binding))
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
    else if (wants_float_panels(l, &bindings[i]))
      n_converted += panels_room(l, &bindings[i]);
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

/* Floats that were 16 bits each are so again, exactly. */
static void
pack_floats(const float *values, mt_dtype dtype, size_t n_out, size_t n_in, void *panels)
{
  for (size_t o = 0; o < n_out; o++)
    for (size_t k = 0; k < n_in; k += TILE) {
      uint16_t half[TILE];
      size_t n = n_in - k < TILE ? n_in - k : TILE;
      if (dtype == MT_DTYPE_F16)
        mt_dtype_to_f16(values + o * n_in + k, half, n);
      else
        mt_dtype_to_bf16(values + o * n_in + k, half, n);
      mt_panels_put(panels, dtype, o, n_in, k, half, n);
    }
}

/* Panels beside the floats of the place: of the file's numbers, where they lie as rows. */
static void
keep_half(loader *l, const mt_binding *binding, const unsigned char *data, float **next)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  const mt_dtype dtype = tensor->dtype;
  size_t n_out, n_in;
  get_shape(l, binding, &n_out, &n_in);
  *binding->narrow = (mt_narrow){
      .format = dtype == MT_DTYPE_F16 ? MT_PRECISION_F16 : MT_PRECISION_BF16,
      .panels = *next,
  };
  if (binding->rows || binding->n_added || (uintptr_t) data % _Alignof(uint16_t) != 0) {
    pack_floats(*binding->place, dtype, n_out, n_in, *next);
  } else {
    mt_panels_pack(*next, data, dtype, n_out, n_in, 0, MT_PANELS(n_out));
  }
  drop(l, binding, 0, 2 * tensor->n_elements);
  *next += panels_room(l, binding);
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
    return wants_float_panels(l, binding) ? panel_in_place(l, binding, in_place, next)
                                          : check_in_place(l, binding, in_place);
  }
  const unsigned char *data = data_of(l, binding);
  if (!data)
    return false;
  bool ok = binding->rows ? transpose(l, binding, data, *next) : copy(l, binding, data, *next);
  if (!ok || (binding->n_added && !report(l, binding->n_added)))
    return false;
  *binding->place = *next;
  *next += aligned(n_wanted(l, binding));
  if (wants_half(l, binding))
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
              .has_vectors = mt_kernels_rows_get(1) != NULL,
              .error = error};
  float *next;
  bool ok = make_room(&l, model, bindings, n, &next);
  for (size_t i = 0; ok && i < n; i++)
    ok = load(&l, &bindings[i], &next);
  return ok;
}

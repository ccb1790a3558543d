/* mt-marian-npz.c — the checkpoint format of Marian: a NumPy archive, one array a parameter.
 *
 * Marian's cnpy stores the arrays without compression, so they are used where they lie. Names are
 * as Marian's graph has them ("encoder_l1_self_Wq"); where an archive has dots in them, they stand
 * for the underscores. "special:model.yml" is no parameter but text, in bytes (mt-layout-marian.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "checkpoint/mt-container.h"
#include "files/mt-npz.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX_TENSORS 20000
#define MAX_NAME    200
/* Of compressed arrays, all together while they are held; NumPy's savez_compressed makes such. */
#define MAX_INFLATED ((size_t) 4 << 30)

typedef struct {
  mt_mapping mapping;
  mt_npz *npz;
} marian_npz;

/* What the type is called in mt_tensor_info, and how it is read. */
static mt_dtype
describe_type(const mt_npy *npy, char name[16])
{
  static const char letters[] = {[MT_NPY_FLOAT] = 'F',
                                 [MT_NPY_INT] = 'I',
                                 [MT_NPY_UINT] = 'U',
                                 [MT_NPY_BOOL] = 'B',
                                 [MT_NPY_STRING] = 'S'};
  char whole[32]; /* a string's length in bits may have more digits than a name has room for */
  snprintf(whole, sizeof whole, "%c%zu", letters[npy->type], npy->item_size * 8);
  snprintf(name, 16, "%.15s", whole);
  if (npy->type != MT_NPY_FLOAT)
    return MT_DTYPE_OTHER;
  return npy->item_size == 2 ? MT_DTYPE_F16 : npy->item_size == 4 ? MT_DTYPE_F32 : MT_DTYPE_F64;
}

/* The name with underscores. */
static bool
plain_name(const marian_npz *state, size_t i, char name[MAX_NAME + 1], mt_error *error)
{
  const char *stored = state->npz->arrays[i].name;
  size_t n = strlen(stored);
  if (n > MAX_NAME)
    return mt_fail(error, MT_ERROR_FORMAT, "%.200s: expected a name of at most %d bytes.",
                   state->npz->arrays[i].label, MAX_NAME);
  memcpy(name, stored, n + 1);
  if (strncmp(name, "special:", strlen("special:")) != 0)
    for (char *at = name; (at = strchr(at, '.'));)
      *at = '_';
  return true;
}

static bool
add_tensor(mt_container *container, size_t i, mt_error *error)
{
  const marian_npz *state = container->state;
  const char *label = state->npz->arrays[i].label;
  char name[MAX_NAME + 1], type[16];
  mt_npy npy;
  if (!plain_name(state, i, name, error) || !mt_npz_get(state->npz, i, &npy, error))
    return false;
  mt_container_tensor tensor = {
      .info = {.name = name, .dtype = type, .n_dims = npy.n_dims, .file = container->file},
      .dtype = describe_type(&npy, type),
      .n_elements = npy.n_elements,
      .part = i,
  };
  const size_t max_dims = sizeof tensor.info.shape / sizeof *tensor.info.shape;
  mt_npz_drop(state->npz, i);
  if (npy.n_dims > max_dims)
    return mt_fail(error, MT_ERROR_UNSUPPORTED, "%s: expected at most %zu dimensions, found %zu.",
                   label, max_dims, npy.n_dims);
  if (npy.fortran_order && npy.n_dims > 1)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected the rows one after the other, found the columns (fortran_order).",
                   label);
  memcpy(tensor.info.shape, npy.shape, npy.n_dims * sizeof *npy.shape);
  return mt_container_add(container, &tensor, error);
}

static bool
marian_npz_open(mt_container *container, const mt_dir *dir, mt_error *error)
{
  marian_npz *state = mt_alloc(1, sizeof *state);
  if (!state)
    return mt_fail_no_memory(error);
  container->state = state;
  char label[600];
  snprintf(label, sizeof label, "%.250s/%.300s", dir->name, container->file);
  mt_sum whole;
  if (!mt_dir_map_large(dir, container->file, SIZE_MAX / 2, &state->mapping, &whole, error) ||
      (whole.size > 0 && !mt_container_add_sum(container, &state->mapping, whole, error)))
    return false;
  container->file_bytes = state->mapping.size;
  state->npz = mt_npz_open(state->mapping.bytes, state->mapping.size, MAX_INFLATED, label, error);
  if (!state->npz)
    return false;
  mt_npz_leave_sums(state->npz);
  size_t n = state->npz->n;
  if (n > MAX_TENSORS)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d tensors, found %zu.", label,
                   MAX_TENSORS, n);
  for (size_t i = 0; i < n; i++) {
    mt_sum sum;
    if (mt_npz_sum(state->npz, i, &sum) &&
        !mt_container_add_sum(container, &state->mapping, sum, error))
      return false;
  }
  for (size_t i = 0; i < n; i++)
    if (!add_tensor(container, i, error))
      return false;
  return true;
}

static const void *
marian_npz_data(mt_container *container, size_t i, mt_error *error)
{
  const marian_npz *state = container->state;
  mt_npy npy;
  return mt_npz_get(state->npz, container->tensors[i].part, &npy, error) ? npy.data : NULL;
}

static void
marian_npz_drop(mt_container *container, size_t i, size_t offset, size_t size)
{
  const marian_npz *state = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  size_t n_bytes = tensor->n_elements * mt_dtype_size(tensor->dtype);
  mt_npy npy;
  if (!mt_npz_get(state->npz, tensor->part, &npy, NULL))
    return;
  mt_drop_pages(npy.data + offset, size);
  if (offset + size == n_bytes)
    mt_npz_drop(state->npz, tensor->part);
}

static void
marian_npz_close(mt_container *container)
{
  marian_npz *state = container->state;
  if (!state)
    return;
  mt_npz_free(state->npz);
  mt_unmap(&state->mapping);
  mt_free(state);
}

const mt_container_format mt_format_marian_npz = {
    .name = "Marian npz",
    .files = (const char *const[]){NULL},
    .ending = ".npz",
    .open = marian_npz_open,
    .data = marian_npz_data,
    .drop = marian_npz_drop,
    .close = marian_npz_close,
};

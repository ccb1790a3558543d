/* mt-ctranslate2.c — the checkpoint format of CTranslate2, versions 4 to 6.
 *
 * All numbers are little-endian, a string is its length with the NUL (16 bits) and its bytes:
 *
 *     version (32 bits), name of the kind of model (string), its revision (32 bits)
 *     number of variables (32 bits), then each: name (string), number of dimensions (8 bits), the
 *       dimensions (32 bits each), type (8 bits), bytes of data (32 bits), data
 *     number of aliases (32 bits), then each: name (string), name of the variable (string)
 *
 * as model_spec.py of CTranslate2 writes it; versions 4 to 6 differ only in which variables there
 * are. A variable without dimensions is a setting. Matrices may be whole numbers, q, with a
 * variable NAME_scale beside them: a number for each row (8 bits) or one (16 bits). Then the weight
 * is q / scale, which is multiplied out whenever it is read: one tensor at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-ctranslate2.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MIN_VERSION 4
#define MAX_VERSION 6
#define MAX_NAME    400 /* bytes of a name; those of CTranslate2 have at most 80 or so */

/* Of matrices of 16 bits that come without a scale, as old versions wrote them. */
#define GLOBAL_SCALE 1000.0f

typedef enum { TYPE_F32, TYPE_I8, TYPE_I16, TYPE_I32, TYPE_F16, TYPE_BF16, N_TYPES } type_id;

static const struct {
  const char *name;
  mt_dtype dtype; /* of the numbers as they are stored */
  size_t size;
} types[N_TYPES] = {
    [TYPE_F32] = {"F32", MT_DTYPE_F32, 4},   [TYPE_I8] = {"I8", MT_DTYPE_OTHER, 1},
    [TYPE_I16] = {"I16", MT_DTYPE_OTHER, 2}, [TYPE_I32] = {"I32", MT_DTYPE_OTHER, 4},
    [TYPE_F16] = {"F16", MT_DTYPE_F16, 2},   [TYPE_BF16] = {"BF16", MT_DTYPE_BF16, 2},
};

/* Beside a tensor of the container. */
typedef struct {
  type_id type;
  size_t n_scales;             /* 0: its numbers are used as they are */
  const unsigned char *scales; /* floats, not aligned; NULL with n_scales 1: GLOBAL_SCALE */
} variable;

typedef struct {
  mt_mapping mapping;
  uint32_t version, revision;
  char *spec;
  variable *variables; /* [container->n_tensors] */
  size_t capacity;
  float *values; /* of the tensor that was asked for last, multiplied out */
  size_t values_size;
} ctranslate2;

/* While the file is read. */
typedef struct {
  mt_container *container;
  const mt_dir *dir;
  const unsigned char *bytes;
  size_t at, size;
  mt_error *error;
} reader;

/* ---- Pieces of the file ---------------------------------------------------------------------- */

static bool
fail(const reader *r, const char *expected, const char *name)
{
  return mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s/%s: expected %s%s%.200s%s at byte %zu, found the end of the file after %zu "
                 "bytes (is the file cut off?).",
                 r->dir->name, r->container->file, expected, name ? " of \"" : "", name ? name : "",
                 name ? "\"" : "", r->at, r->size);
}

/* A number of n bytes, at most 4. */
static bool
read_number(reader *r, size_t n, const char *what, const char *name, uint32_t *value)
{
  if (r->size - r->at < n)
    return fail(r, what, name);
  *value = 0;
  for (size_t i = 0; i < n; i++)
    *value |= (uint32_t) r->bytes[r->at + i] << (8 * i);
  r->at += n;
  return true;
}

/* A string, with its NUL, is copied. */
static bool
read_string(reader *r, const char *what, char out[MAX_NAME + 1])
{
  uint32_t n = 0;
  size_t bad;
  if (!read_number(r, 2, what, NULL, &n))
    return false;
  if (n == 0 || n > MAX_NAME + 1)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected %s of 1 to %d bytes with its NUL at byte %zu, found %u.",
                   r->dir->name, r->container->file, what, MAX_NAME + 1, r->at, (unsigned) n);
  if (r->size - r->at < n)
    return fail(r, what, NULL);
  const char *text = (const char *) r->bytes + r->at;
  if (memchr(text, '\0', n) != text + n - 1 || !mt_utf8_valid(text, n - 1, &bad))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected %s in UTF-8 that ends with a NUL at byte %zu, found something "
                   "else.",
                   r->dir->name, r->container->file, what, r->at);
  memcpy(out, text, n);
  r->at += n;
  return true;
}

static bool
read_shape(reader *r, mt_container_tensor *tensor)
{
  const size_t max_dims = sizeof tensor->info.shape / sizeof *tensor->info.shape;
  const char *name = tensor->info.name;
  uint32_t n_dims = 0, dim = 0;
  if (!read_number(r, 1, "the number of dimensions", name, &n_dims))
    return false;
  if (n_dims > max_dims)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\" to have at most %zu dimensions, found %u.",
                   r->dir->name, r->container->file, name, max_dims, (unsigned) n_dims);
  tensor->info.n_dims = n_dims;
  tensor->n_elements = 1;
  for (size_t i = 0; i < n_dims; i++) {
    if (!read_number(r, 4, "a dimension", name, &dim))
      return false;
    tensor->info.shape[i] = dim;
    if (__builtin_mul_overflow(tensor->n_elements, tensor->info.shape[i], &tensor->n_elements))
      return mt_fail(r->error, MT_ERROR_FORMAT,
                     "%s/%s: the shape of tensor \"%.200s\" is larger than any memory.",
                     r->dir->name, r->container->file, name);
  }
  return true;
}

/* One variable: a tensor or a setting. */
static bool
read_variable(reader *r)
{
  ctranslate2 *state = r->container->state;
  char name[MAX_NAME + 1];
  if (!read_string(r, "the name of a variable", name))
    return false;
  mt_container_tensor tensor = {.info = {.name = name, .file = r->container->file}};
  uint32_t type = 0, n_bytes = 0;
  size_t expected;
  if (!read_shape(r, &tensor) || !read_number(r, 1, "the type", name, &type))
    return false;
  if (type >= N_TYPES)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected tensor \"%.200s\" of type 0 to %d (floats and whole numbers), "
                   "found type %u.",
                   r->dir->name, r->container->file, name, N_TYPES - 1, (unsigned) type);
  if (!read_number(r, 4, "the number of bytes", name, &n_bytes))
    return false;
  if (__builtin_mul_overflow(tensor.n_elements, types[type].size, &expected) || expected != n_bytes)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected %zu numbers of type %s for tensor \"%.200s\", found %u bytes.",
                   r->dir->name, r->container->file, tensor.n_elements, types[type].name, name,
                   (unsigned) n_bytes);
  if (r->size - r->at < n_bytes)
    return fail(r, "the data", name);
  tensor.info.dtype = types[type].name;
  tensor.dtype = types[type].dtype;
  tensor.offset = r->at;
  r->at += n_bytes;
  if (!mt_grow(&state->variables, r->container->n_tensors, 1, &state->capacity,
               sizeof *state->variables))
    return mt_fail_no_memory(r->error);
  state->variables[r->container->n_tensors] = (variable){.type = (type_id) type};
  return mt_container_add(r->container, &tensor, r->error);
}

static bool
read_count(reader *r, const char *what, uint32_t *n)
{
  if (!read_number(r, 4, what, NULL, n))
    return false;
  return *n <= MT_MAX_TENSORS ||
         mt_fail(r->error, MT_ERROR_FORMAT, "%s/%s: expected %s of at most %d, found %u.",
                 r->dir->name, r->container->file, what, MT_MAX_TENSORS, (unsigned) *n);
}

static bool
read_alias(reader *r)
{
  char alias[MAX_NAME + 1], name[MAX_NAME + 1];
  return read_string(r, "an alias", alias) &&
         read_string(r, "the name that an alias stands for", name) &&
         mt_container_add_alias(r->container, alias, name, r->error);
}

static bool
read_header(reader *r)
{
  ctranslate2 *state = r->container->state;
  char spec[MAX_NAME + 1];
  if (!read_number(r, 4, "the version of the file", NULL, &state->version))
    return false;
  if (state->version < MIN_VERSION || state->version > MAX_VERSION)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected a file of CTranslate2 of version %d to %d, found %u (%s).",
                   r->dir->name, r->container->file, MIN_VERSION, MAX_VERSION,
                   (unsigned) state->version,
                   state->version <= 1000 ? "convert the model again with CTranslate2 4"
                                          : "this is another kind of file");
  if (!read_string(r, "the kind of model", spec) ||
      !read_number(r, 4, "the revision", NULL, &state->revision))
    return false;
  state->spec = mt_strdup(spec);
  return state->spec || mt_fail_no_memory(r->error);
}

/* ---- Scales ---------------------------------------------------------------------------------- */

static float
read_float(const unsigned char *bytes)
{
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; i++)
    bits |= (uint32_t) bytes[i] << (8 * i);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The scales of a matrix: as many as rows, or one. */
static bool
take_scales(reader *r, size_t i, size_t scale)
{
  ctranslate2 *state = r->container->state;
  const mt_container_tensor *tensor = &r->container->tensors[i];
  const mt_container_tensor *scales = &r->container->tensors[scale];
  variable *v = &state->variables[i];
  if (scales->dtype != MT_DTYPE_F32 || scales->info.n_dims > 1 ||
      (scales->n_elements != 1 && scales->n_elements != tensor->info.shape[0]))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected \"%.200s\" to be one float or %zu, a scale for each row of "
                   "\"%.200s\", found %zu numbers of type %s.",
                   r->dir->name, r->container->file, scales->info.name, tensor->info.shape[0],
                   tensor->info.name, scales->n_elements, scales->info.dtype);
  v->scales = state->mapping.bytes + scales->offset;
  v->n_scales = scales->n_elements;
  for (size_t k = 0; k < v->n_scales; k++) {
    float value = read_float(v->scales + 4 * k);
    if (!(value > 0) || !isfinite(value))
      return mt_fail(r->error, MT_ERROR_FORMAT,
                     "%s/%s: expected scales above 0 in \"%.200s\", found %g.", r->dir->name,
                     r->container->file, scales->info.name, (double) value);
  }
  return true;
}

/* Matrices of whole numbers that have scales become floats to everybody else. */
static bool
find_scales(reader *r)
{
  mt_container *container = r->container;
  ctranslate2 *state = container->state;
  if (!mt_container_index(container, r->dir, r->error))
    return false;
  for (size_t i = 0; i < container->n_tensors; i++) {
    mt_container_tensor *tensor = &container->tensors[i];
    variable *v = &state->variables[i];
    char name[MAX_NAME + sizeof "_scale"];
    size_t scale;
    if (tensor->info.n_dims != 2 || (v->type != TYPE_I8 && v->type != TYPE_I16))
      continue;
    snprintf(name, sizeof name, "%s_scale", tensor->info.name);
    if (mt_container_find(container, name, &scale)) {
      if (!take_scales(r, i, scale))
        return false;
    } else if (v->type == TYPE_I16) {
      v->n_scales = 1;
    } else {
      continue;
    }
    tensor->dtype = MT_DTYPE_F32;
  }
  return true;
}

/* ---- The format ------------------------------------------------------------------------------ */

static bool
read_all(reader *r)
{
  uint32_t n = 0;
  if (!read_header(r) || !read_count(r, "a number of variables", &n))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!read_variable(r))
      return false;
  if (!read_count(r, "a number of aliases", &n))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!read_alias(r))
      return false;
  if (r->at != r->size)
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%s: expected the file to end after %zu bytes, found %zu.", r->dir->name,
                   r->container->file, r->at, r->size);
  return find_scales(r);
}

static bool
ctranslate2_open(mt_container *container, const mt_dir *dir, mt_error *error)
{
  ctranslate2 *state = container->state = mt_alloc(1, sizeof *state);
  mt_sum whole;
  if (!state)
    return mt_fail_no_memory(error);
  if (!mt_dir_map_large(dir, container->file, SIZE_MAX / 2, &state->mapping, &whole, error) ||
      (whole.size > 0 && !mt_container_add_sum(container, &state->mapping, whole, error)))
    return false;
  const mt_mapping *m = &state->mapping;
  container->file_bytes = m->size;
  if (mt_wrong_file_is_known(m->bytes, m->size)) {
    char label[600];
    snprintf(label, sizeof label, "%.250s/%.250s", dir->name, container->file);
    return mt_wrong_file_fail(label, "a file of CTranslate2", m->bytes, m->size, error);
  }
  reader r = {
      .container = container, .dir = dir, .bytes = m->bytes, .size = m->size, .error = error};
  return read_all(&r);
}

/* Whole numbers times 1 / scale, as CTranslate2 has it. */
static void
multiply_out(const ctranslate2 *state, const mt_container_tensor *tensor, const variable *v)
{
  const unsigned char *q = state->mapping.bytes + tensor->offset;
  const size_t rows = tensor->info.shape[0], cols = tensor->info.shape[1];
  float *to = state->values;
  for (size_t row = 0; row < rows; row++) {
    float scale = !v->scales        ? GLOBAL_SCALE
                  : v->n_scales > 1 ? read_float(v->scales + 4 * row)
                                    : read_float(v->scales);
    const float inverse = 1 / scale;
    for (size_t k = 0; k < cols; k++, to++) {
      if (v->type == TYPE_I8)
        *to = (float) (int8_t) q[row * cols + k] * inverse;
      else
        *to = (float) (int16_t) (q[2 * (row * cols + k)] | q[2 * (row * cols + k) + 1] << 8) *
              inverse;
    }
  }
}

static const void *
ctranslate2_data(mt_container *container, size_t i, mt_error *error)
{
  ctranslate2 *state = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  const variable *v = &state->variables[i];
  if (v->n_scales == 0)
    return state->mapping.bytes + tensor->offset;
  if (tensor->n_elements > state->values_size) {
    mt_free(state->values);
    state->values_size = 0;
    state->values = mt_alloc_large(tensor->n_elements, sizeof *state->values);
    if (!state->values)
      return mt_fail_no_memory(error), NULL;
    state->values_size = tensor->n_elements;
  }
  multiply_out(state, tensor, v);
  return state->values;
}

static bool
ctranslate2_is_passing(mt_container *container, size_t i)
{
  const ctranslate2 *state = container->state;
  return state->variables[i].n_scales > 0;
}

static void
ctranslate2_drop(mt_container *container, size_t i, size_t offset, size_t size)
{
  const ctranslate2 *state = container->state;
  const mt_container_tensor *tensor = &container->tensors[i];
  const type_id type = state->variables[i].type;
  if (ctranslate2_is_passing(container, i)) {
    offset = offset / sizeof(float) * types[type].size;
    size = size / sizeof(float) * types[type].size;
  }
  /* Several names may stand for one tensor, which is then read again. */
  if (state->mapping.pages)
    mt_drop_pages(state->mapping.bytes + tensor->offset + offset, size);
}

static bool
ctranslate2_is_mapped(mt_container *container, size_t i)
{
  const ctranslate2 *state = container->state;
  return state->mapping.pages && !ctranslate2_is_passing(container, i);
}

static void
ctranslate2_close(mt_container *container)
{
  ctranslate2 *state = container->state;
  if (!state)
    return;
  mt_unmap(&state->mapping);
  mt_free(state->spec);
  mt_free(state->variables);
  mt_free(state->values);
  mt_free(state);
}

const mt_container_format mt_format_ctranslate2 = {
    .name = "CTranslate2",
    .files = (const char *const[]){NULL},
    .open = ctranslate2_open,
    .data = ctranslate2_data,
    .drop = ctranslate2_drop,
    .is_passing = ctranslate2_is_passing,
    .is_mapped = ctranslate2_is_mapped,
    .close = ctranslate2_close,
};

/* ---- What is no tensor ----------------------------------------------------------------------- */

const char *
mt_ctranslate2_spec(const mt_container *container)
{
  return ((const ctranslate2 *) container->state)->spec;
}

uint32_t
mt_ctranslate2_revision(const mt_container *container)
{
  return ((const ctranslate2 *) container->state)->revision;
}

uint32_t
mt_ctranslate2_version(const mt_container *container)
{
  return ((const ctranslate2 *) container->state)->version;
}

bool
mt_ctranslate2_number(const mt_container *container, const char *name, double *value)
{
  const ctranslate2 *state = container->state;
  size_t i;
  if (!mt_container_find(container, name, &i) || container->tensors[i].n_elements != 1)
    return false;
  const unsigned char *bytes = state->mapping.bytes + container->tensors[i].offset;
  const type_id type = state->variables[i].type;
  float number = 0;
  uint32_t bits = 0;
  for (size_t k = 0; k < types[type].size; k++)
    bits |= (uint32_t) bytes[k] << (8 * k);
  switch (type) {
  case TYPE_I8:
    *value = (int8_t) bits;
    return true;
  case TYPE_I16:
    *value = (int16_t) bits;
    return true;
  case TYPE_I32:
    *value = (int32_t) bits;
    return true;
  default:
    if (!mt_dtype_to_float(types[type].dtype, bytes, &number, 1))
      return false;
    *value = number;
    return true;
  }
}

const char *
mt_ctranslate2_text(const mt_container *container, const char *name, size_t *n)
{
  const ctranslate2 *state = container->state;
  size_t i;
  if (!mt_container_find(container, name, &i) || state->variables[i].type != TYPE_I8)
    return NULL;
  *n = container->tensors[i].n_elements;
  return (const char *) state->mapping.bytes + container->tensors[i].offset;
}

bool
mt_ctranslate2_is_quantized(const mt_container *container, const char **type)
{
  const ctranslate2 *state = container->state;
  for (size_t i = 0; i < container->n_tensors; i++)
    if (state->variables[i].n_scales > 0) {
      *type = container->tensors[i].info.dtype;
      return true;
    }
  return false;
}

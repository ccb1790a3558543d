/* golden.c — see golden.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

struct golden {
  char *path;
  GMappedFile *file;
  struct json_object *header;
  GPtrArray *tensors; /* golden_tensor, owned; NULL-terminated */
};

char *
golden_path(const char *relative)
{
  return g_build_filename(REGARD_SOURCE_ROOT, relative, NULL);
}

static void
read_tensor(golden *g, const char *name, struct json_object *entry, const char *data, size_t n_data)
{
  golden_tensor *t = g_new0(golden_tensor, 1);
  struct json_object *dtype = NULL, *shape = NULL, *offsets = NULL;
  if (!json_object_object_get_ex(entry, "dtype", &dtype) ||
      !json_object_object_get_ex(entry, "shape", &shape) ||
      !json_object_object_get_ex(entry, "data_offsets", &offsets))
    g_error("%s: the entry of %s is incomplete", g->path, name);
  t->name = name;
  t->dtype = json_object_get_string(dtype);
  t->n_dims = json_object_array_length(shape);
  t->n = 1;
  g_assert_cmpuint(t->n_dims, <=, G_N_ELEMENTS(t->shape));
  for (size_t i = 0; i < t->n_dims; i++) {
    t->shape[i] = (size_t) json_object_get_int64(json_object_array_get_idx(shape, i));
    t->n *= t->shape[i];
  }
  size_t begin = (size_t) json_object_get_int64(json_object_array_get_idx(offsets, 0));
  size_t end = (size_t) json_object_get_int64(json_object_array_get_idx(offsets, 1));
  size_t width = g_str_has_suffix(t->dtype, "32") ? 4 : g_str_has_suffix(t->dtype, "16") ? 2 : 1;
  if (begin > end || end > n_data || end - begin != t->n * width || begin % width != 0)
    g_error("%s: the offsets of %s do not fit its shape", g->path, name);
  t->data = data + begin;
  g_ptr_array_add(g->tensors, t);
}

golden *
golden_open(const char *name)
{
  golden *g = g_new0(golden, 1);
  g_autofree char *data_dir = golden_path("tests/data");
  g->path = g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(data_dir, name, NULL);
  GError *error = NULL;
  g->file = g_mapped_file_new(g->path, FALSE, &error);
  if (!g->file)
    g_error("%s", error->message);
  const char *bytes = g_mapped_file_get_contents(g->file);
  size_t n_bytes = g_mapped_file_get_length(g->file);
  uint64_t n_header = 0;
  if (n_bytes >= 8)
    memcpy(&n_header, bytes, 8);
  if (n_bytes < 8 || n_header > n_bytes - 8)
    g_error("%s is not a safetensors file", g->path);
  g_autofree char *text = g_strndup(bytes + 8, n_header);
  g->header = json_tokener_parse(text);
  if (!json_object_is_type(g->header, json_type_object))
    g_error("%s: the header is not a JSON object", g->path);
  g->tensors = g_ptr_array_new_with_free_func(g_free);
  json_object_object_foreach(g->header, key, entry) if (strcmp(key, "__metadata__") != 0)
      read_tensor(g, key, entry, bytes + 8 + n_header, n_bytes - 8 - n_header);
  g_ptr_array_add(g->tensors, NULL);
  return g;
}

void
golden_close(golden *g)
{
  g_ptr_array_unref(g->tensors);
  json_object_put(g->header);
  g_mapped_file_unref(g->file);
  g_free(g->path);
  g_free(g);
}

const golden_tensor *const *
golden_all(const golden *g)
{
  return (const golden_tensor *const *) g->tensors->pdata;
}

const golden_tensor *
golden_find(const golden *g, const char *name)
{
  for (const golden_tensor *const *t = golden_all(g); *t; t++)
    if (strcmp((*t)->name, name) == 0)
      return *t;
  return NULL;
}

static const void *
typed(const golden *g, const char *name, const char *dtype, size_t *n)
{
  const golden_tensor *t = golden_find(g, name);
  if (!t || strcmp(t->dtype, dtype) != 0)
    g_error("%s: there is no %s tensor %s", g->path, dtype, name);
  if (n)
    *n = t->n;
  return t->data;
}

const float *
golden_f32(const golden *g, const char *name, size_t *n)
{
  return typed(g, name, "F32", n);
}

const int32_t *
golden_i32(const golden *g, const char *name, size_t *n)
{
  return typed(g, name, "I32", n);
}

const uint16_t *
golden_u16(const golden *g, const char *name, size_t *n)
{
  return typed(g, name, "U16", n);
}

char *
golden_text(const golden *g, const char *name, size_t *n)
{
  size_t length;
  const char *bytes = typed(g, name, "U8", &length);
  char *copy = g_malloc(length + 1);
  memcpy(copy, bytes, length);
  copy[length] = '\0';
  if (n)
    *n = length;
  return copy;
}

double
golden_distance(double found, double expected, double floor)
{
  if (isnan(found))
    return INFINITY;
  if (isinf(found) || isinf(expected))
    return found == expected ? 0 : INFINITY;
  return fabs(found - expected) / fmax(fabs(expected), floor);
}

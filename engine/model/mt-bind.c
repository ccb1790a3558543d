/* mt-bind.c — from tensor names to places in a model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every place is bound to a tensor, which finds all that is missing or misshapen before anything
 * large is done; then the numbers are loaded. The names are those of an mt_names.
 */
#include "model/mt-bind.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "checkpoint/mt-container.h"
#include "kernels/mt-kinds.h"
#include "model/mt-config.h"
#include "model/mt-narrow.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names ----------------------------------------------------------------------------------- */

/* The names of a file. */
typedef struct {
  mt_container *container;
  const mt_names *names;
  size_t n_left_out; /* bytes of names->optional_prefix that the file's names lack */
} file_names;

#define NAME_SIZE 160

/* As it is called in the file. */
static const char *
name_in_file(const file_names *f, const char *name)
{
  const size_t n = f->n_left_out;
  return n > 0 && strncmp(name, f->names->optional_prefix, n) == 0 ? name + n : name;
}

static bool
find_name(const file_names *f, const char *name, size_t *i)
{
  return name && mt_container_find(f->container, name_in_file(f, name), i);
}

/* Whether the names lack the prefix is the same for all of a file: the first matrix of the first
 * layer says it. */
static file_names
look_at_names(mt_container *container, const mt_names *names)
{
  file_names f = {.container = container, .names = names};
  char q[NAME_SIZE];
  size_t i;
  snprintf(q, sizeof q, "%s%zu%s%s", names->layers[0], names->first_layer, names->after_number,
           names->places[0][MT_TENSOR_SELF_Q].weight);
  if (!names->optional_prefix || find_name(&f, q, &i))
    return f;
  file_names without = f;
  without.n_left_out = strlen(names->optional_prefix);
  return find_name(&without, q, &i) ? without : f;
}

/* Indices in the container. Matrices that are tied have the same one. */
typedef struct {
  size_t embeddings[MT_N_STACKS];
  size_t output;
  bool is_in_out; /* the output matrix is [d][vocab] */
} mt_ties;

/* A tensor whose shape was checked, and the place that will point to its numbers. */
typedef struct {
  size_t tensor; /* of the container */
  const float **place;
  mt_linear *map;     /* not NULL: the place is its matrix, or the one that it is tied to */
  mt_halves **halves; /* not NULL: it may be left as halves, which are put here */
  /* The place wants [rows][cols], and the file has [cols][rows]. 0: as stored. */
  size_t rows, cols;
  size_t n_added; /* zeros that follow the last number */
  /* The place wants n numbers of the tensor, from this one on. n 0: all of them. */
  size_t first, n;
} mt_binding;

/* ---- Which tensors are the embeddings and the output matrix ---------------------------------- */

/* The paper, section 3.4, has one matrix for all three. transformers before release 5 stores a tied
 * matrix once, or under all of its names. Release 5 ties nothing if the configuration says
 * "tie_word_embeddings": false: then `shared` is one more matrix that nobody reads, beside an
 * embedding for each stack. If it is true and the numbers differ, transformers takes them as they
 * are, with a warning; here that is an error, since one of the two is wrong. */

#define CHUNK ((size_t) 4 << 20) /* bytes that are compared before memory is given back */

/* Where a matrix is, if it is there. */
typedef struct {
  size_t index;
  bool is_there;
} home;

typedef struct {
  mt_container *container;
  const mt_names *names;
  const file_names *lookup;
  const mt_dir *dir;
  mt_error *error;
} finder;

static home
look(const finder *f, const char *name)
{
  home p = {0};
  p.is_there = find_name(f->lookup, name, &p.index);
  return p;
}

static bool
fail_missing(const finder *f, const char *name)
{
  return mt_fail(f->error, MT_ERROR_FORMAT,
                 "%s/%s: expected tensor \"%.200s\", found no such tensor.", f->dir->name,
                 f->container->file, name_in_file(f->lookup, name));
}

static void
drop_compared(mt_container *container, size_t tensor, size_t offset, size_t size)
{
  const mt_container_format *format = container->format;
  if (format->drop && format->is_mapped && format->is_mapped(container, tensor))
    format->drop(container, tensor, offset, size);
}

/* *same: whether two tensors have the same shape, type and bytes. Of two whose bytes are made anew
 * each time that cannot be said: their format knows them by one index if they are. False on
 * failure. */
static bool
compare(const finder *f, size_t a, size_t b, bool *same)
{
  const mt_container *container = f->container;
  const mt_container_tensor *x = &container->tensors[a], *y = &container->tensors[b];
  size_t n_dims = x->info.n_dims;
  *same = x->dtype == y->dtype && n_dims == y->info.n_dims &&
          memcmp(x->info.shape, y->info.shape, n_dims * sizeof *x->info.shape) == 0;
  if (!*same || x->dtype == MT_DTYPE_OTHER || a == b)
    return true;
  if (container->format->is_passing && (container->format->is_passing(f->container, a) ||
                                        container->format->is_passing(f->container, b))) {
    *same = false;
    return true;
  }
  const unsigned char *p = container->format->data(f->container, a, f->error);
  const unsigned char *q = p ? container->format->data(f->container, b, f->error) : NULL;
  if (!q)
    return false;
  const size_t n = p == q ? 0 : x->n_elements * mt_dtype_size(x->dtype);
  for (size_t i = 0; *same && i < n; i += CHUNK) {
    size_t size = n - i < CHUNK ? n - i : CHUNK;
    *same = memcmp(p + i, q + i, size) == 0;
    drop_compared(f->container, a, i, size);
    drop_compared(f->container, b, i, size);
  }
  return true;
}

/* What the configuration ties must be the same where the file has it more than once. */
static bool
check_tied(const finder *f, const home *places, size_t n)
{
  const mt_container_tensor *tensors = f->container->tensors;
  const home *first = NULL;
  for (size_t i = 0; i < n; i++) {
    bool same = true;
    if (!places[i].is_there)
      continue;
    if (first && !compare(f, first->index, places[i].index, &same))
      return false;
    if (!same)
      return mt_fail(f->error, MT_ERROR_FORMAT,
                     "%s/%s: expected \"%.200s\" and \"%.200s\" to be the same matrix, since %s "
                     "says %s, found matrices that differ.",
                     f->dir->name, tensors[places[i].index].info.file,
                     tensors[first->index].info.name, tensors[places[i].index].info.name,
                     f->names->shape_from, f->names->ties);
    first = first ? first : &places[i];
  }
  return true;
}

/* The first that is there. */
static home
first_of(const home *places, size_t n)
{
  size_t i = 0;
  while (i + 1 < n && !places[i].is_there)
    i++;
  return places[i];
}

/* Where an output matrix of the file wins over what the configuration says: whether it is tied
 * after all, since it has the same numbers as the embedding, or there is none. */
static bool
settle_output(const finder *f, mt_config *config)
{
  const home output = look(f, f->names->output),
             embedding = first_of((const home[]){look(f, f->names->shared),
                                                 look(f, f->names->embeddings[MT_STACK_DECODER]),
                                                 look(f, f->names->embeddings[MT_STACK_ENCODER])},
                                  3);
  config->tie_word_embeddings = true;
  return !output.is_there || !embedding.is_there ||
         compare(f, output.index, embedding.index, &config->tie_word_embeddings);
}

/* Find them, and set what the configuration says of ties to what the file has: a matrix that is
 * tied is in the file once, or more than once with the same numbers. Errors: MT_ERROR_FORMAT if one
 * is missing, or if the configuration ties what differs in the file. */
static bool
find_ties(mt_ties *ties, mt_config *config, const file_names *lookup, const mt_dir *dir,
          mt_error *error)
{
  mt_container *container = lookup->container;
  const mt_names *names = lookup->names;
  const finder f = {container, names, lookup, dir, error};
  if (names->output_wins && !settle_output(&f, config))
    return false;
  const bool shares = config->share_embeddings, tied = config->tie_word_embeddings;
  const home none = {0};
  const home shared = shares ? look(&f, names->shared) : none,
             source = look(&f, names->embeddings[MT_STACK_ENCODER]),
             target = look(&f, names->embeddings[MT_STACK_DECODER]);
  home output = look(&f, names->output);
  /* The one that others may be tied to; [d][vocab] is no embedding. */
  const home tie = tied ? output : none;

  if (shares && (tied || !names->has_spare_shared)) {
    if (!check_tied(&f, (const home[]){shared, source, target, tie}, 4))
      return false;
  } else if (tied && !check_tied(&f, (const home[]){target, tie}, 2)) {
    return false;
  }

  home embeddings[MT_N_STACKS] = {
      shares ? first_of((const home[]){source, shared, target, tie}, 4) : source,
      shares ? first_of((const home[]){target, shared, source, tie}, 4)
             : first_of((const home[]){target, tie}, 2),
  };
  for (int s = 0; s < MT_N_STACKS; s++)
    if (!embeddings[s].is_there)
      return fail_missing(&f, shares ? names->shared : names->embeddings[s]);
  if (shares) {
    bool same = true;
    if (!compare(&f, embeddings[0].index, embeddings[1].index, &same))
      return false;
    config->share_embeddings = same;
    embeddings[1] = same ? embeddings[0] : embeddings[1];
  }
  ties->is_in_out = false;
  if (tied) {
    output = embeddings[MT_STACK_DECODER];
  } else if (!output.is_there) {
    output = look(&f, names->output_in_out);
    ties->is_in_out = output.is_there;
  }
  if (!output.is_there)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\", since %s says %s, found no such tensor.",
                   dir->name, container->file, names->output, names->shape_from, names->no_tie);
  for (int s = 0; s < MT_N_STACKS; s++)
    ties->embeddings[s] = embeddings[s].index;
  ties->output = output.index;
  return true;
}

/* ---- Loading: the numbers of a checkpoint, put where the layers look for them ---------------- */

/* Everything goes in pieces of a few milliseconds: between two of them loading can be cancelled,
 * and the pages of the file that were copied are given back, so that a checkpoint that is
 * converted, or moved into larger pages, is never in memory twice. */

#define PIECE     (1 << 20) /* numbers a piece */
#define ALIGNMENT 16        /* floats in a cache line */
#define TILE      32        /* rows and columns transposed at once: they fit the first cache */

/* From this size on the matrices are moved into large pages: smaller ones stay in the caches, and
 * in the processor's own list of pages. */
#define MOVED_BYTES (8u << 20)

/* From this size of all matrices on those that are rounded are not moved besides. */
#define MAPPED_BYTES ((size_t) 1 << 27)

/* One load. */
typedef struct {
  mt_container *container;
  const mt_dir *dir;
  const mt_load_options *options;
  size_t n_read;          /* bytes of the matrices that products read */
  size_t done, total;     /* numbers, and once more those that are rounded */
  bool moves;             /* matrices that are read again and again go into large pages */
  bool has_vectors;       /* products of floats gain by panels */
  mt_narrowing narrowing; /* of the matrices that are rounded */
  char *reserved;         /* the next of the room for other forms of halves */
  mt_error *error;
} loader;

static const mt_container_tensor *
tensor_of(const loader *l, const mt_binding *binding)
{
  return &l->container->tensors[binding->tensor];
}

/* Bytes of the tensor before what the place wants. */
static size_t
begin_of(const loader *l, const mt_binding *binding)
{
  return binding->first * mt_dtype_size(tensor_of(l, binding)->dtype);
}

static const unsigned char *
data_of(loader *l, const mt_binding *binding)
{
  const unsigned char *data = l->container->format->data(l->container, binding->tensor, l->error);
  return data ? data + begin_of(l, binding) : NULL;
}

/* Numbers of the file that the place gets. */
static size_t
n_stored(const loader *l, const mt_binding *binding)
{
  return binding->n ? binding->n : tensor_of(l, binding)->n_elements;
}

/* Numbers that the place gets. No sum overflows: the tensor lies in a file, one row is added. */
static size_t
n_wanted(const loader *l, const mt_binding *binding)
{
  return n_stored(l, binding) + binding->n_added;
}

/* A matrix that translations read in another form, which is made of it. */
static bool
is_rounded(const loader *l, const mt_binding *binding)
{
  return binding->map && mt_narrow_wants(&l->narrowing, binding->map);
}

/* A matrix that is moved though the file has it as it is needed. One that is rounded is read for
 * captures and explanations only: those of large models stay where they are. */
static bool
is_moved(const loader *l, const mt_binding *binding)
{
  return l->moves && binding->map && (!is_rounded(l, binding) || l->n_read < MAPPED_BYTES);
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
  const mt_container_format *format = l->container->format;
  *data = NULL;
  if (tensor_of(l, binding)->dtype != MT_DTYPE_F32 || binding->rows || binding->n_added ||
      (format->is_passing && format->is_passing(l->container, binding->tensor)))
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
  return binding->map && (dtype == MT_DTYPE_F16 || dtype == MT_DTYPE_BF16);
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

/* The numbers of a matrix, or of a table of embeddings, of 16 bits that stays where a mapped file
 * has it; NULL: it does not. */
static const unsigned char *
find_halves(loader *l, const mt_binding *binding)
{
  const mt_container_format *format = l->container->format;
  if (mt_dtype_size(tensor_of(l, binding)->dtype) != sizeof(uint16_t) || binding->rows ||
      binding->n_added || !(binding->map || binding->halves) || !format->is_mapped)
    return NULL;
  /* What had to be gathered first is not in the file, which is known only then. */
  const unsigned char *data = data_of(l, binding);
  const bool stays = data && (uintptr_t) data % _Alignof(uint16_t) == 0 &&
                     format->is_mapped(l->container, binding->tensor);
  return stays ? data : NULL;
}

/* Bytes of its other forms that are made only if they are asked for: floats, and the panels of a
 * matrix that translations read in another form. */
static size_t
room_in_reserve(const loader *l, const mt_binding *binding)
{
  size_t n = aligned(n_wanted(l, binding));
  if (is_rounded(l, binding))
    n += panels_room(l, binding);
  return n * sizeof(float);
}

/* Bytes of a tensor that was copied were read for the last time. */
static void
drop(loader *l, const mt_binding *binding, size_t offset, size_t size)
{
  const mt_container_format *format = l->container->format;
  if (format->drop)
    format->drop(l->container, binding->tensor, begin_of(l, binding) + offset, size);
}

/* Bytes of a tensor that stays in place were read, and will not be soon. Only what lies in a mapped
 * file is there again when it is looked at. */
static void
drop_in_place(loader *l, const mt_binding *binding, size_t offset, size_t size)
{
  const mt_container_format *format = l->container->format;
  if (format->is_mapped && format->is_mapped(l->container, binding->tensor))
    drop(l, binding, offset, size);
}

/* Rows first … end - 1 of a matrix that is loaded. */
static bool
round_rows(loader *l, const mt_binding *binding, size_t first, size_t end)
{
  mt_linear *map = binding->map;
  map->weight = *binding->place;
  return mt_narrow_rows(&l->narrowing, map, first, end) && report(l, (end - first) * map->n_in);
}

/* Rows of a matrix that are about a piece. */
static size_t
rows_of_piece(size_t n_in)
{
  return PIECE / n_in + 1;
}

static bool
round_all(loader *l, const mt_binding *binding)
{
  size_t n_out, n_in;
  get_shape(l, binding, &n_out, &n_in);
  const size_t n = rows_of_piece(n_in);
  for (size_t o = 0; o < n_out; o += n)
    if (!round_rows(l, binding, o, n_out - o < n ? n_out : o + n))
      return false;
  return true;
}

/* Floats that are in place are rounded, and the pages of the file go. A cache was made of numbers
 * that were finite: they are not even read. */
static bool
round_in_place(loader *l, const mt_binding *binding, const unsigned char *data)
{
  const float *values = (const float *) (const void *) data;
  size_t n_out, n_in;
  get_shape(l, binding, &n_out, &n_in);
  const size_t n = rows_of_piece(n_in);
  for (size_t o = 0; o < n_out; o += n) {
    const size_t end = n_out - o < n ? n_out : o + n;
    const size_t first = o * n_in, n_numbers = (end - o) * n_in;
    if (!l->narrowing.is_read && !mt_dtype_all_finite(values + first, n_numbers))
      return fail_not_finite(l, &tensor_of(l, binding)->info);
    if (!report(l, n_numbers) || !round_rows(l, binding, o, end))
      return false;
    if (!l->narrowing.is_read)
      drop_in_place(l, binding, first * sizeof *values, n_numbers * sizeof *values);
  }
  return true;
}

static bool
check_in_place(loader *l, const mt_binding *binding, const unsigned char *data)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  const float *values = (const float *) (const void *) data;
  const size_t n_all = n_stored(l, binding);
  for (size_t i = 0; i < n_all; i += PIECE) {
    size_t n = n_all - i < PIECE ? n_all - i : PIECE;
    if (!mt_dtype_all_finite(values + i, n))
      return fail_not_finite(l, &tensor->info);
    if (n_all > PIECE)
      drop_in_place(l, binding, i * sizeof *values, n * sizeof *values);
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
  size_t n_out, n_in;
  get_shape(l, binding, &n_out, &n_in);
  const size_t band = rows_of_piece(MT_PANEL_OUTS * n_in); /* panels a piece */
  const float *values = (const float *) (const void *) data;
  for (size_t p = 0; p < MT_PANELS(n_out); p += band) {
    size_t end = MT_PANELS(n_out) - p < band ? MT_PANELS(n_out) : p + band;
    size_t first = p * MT_PANEL_OUTS * n_in, last = end * MT_PANEL_OUTS * n_in;
    if (last > n_out * n_in)
      last = n_out * n_in;
    if (!mt_dtype_all_finite(values + first, last - first))
      return fail_not_finite(l, &tensor->info);
    mt_panels_pack(*next, data, MT_DTYPE_F32, n_out, n_in, p, end);
    drop(l, binding, first * sizeof *values, (last - first) * sizeof *values);
    if (!report(l, last - first))
      return false;
  }
  binding->map->as_stored = (mt_narrow){.format = MT_PRECISION_STORED, .panels = *next};
  *next += panels_room(l, binding);
  return true;
}

static bool
copy(loader *l, const mt_binding *binding, const unsigned char *data, float *to)
{
  const mt_container_tensor *tensor = tensor_of(l, binding);
  const size_t size = mt_dtype_size(tensor->dtype), n_all = n_stored(l, binding);
  for (size_t i = 0; i < n_all; i += PIECE) {
    size_t n = n_all - i < PIECE ? n_all - i : PIECE;
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
    if (ready < PIECE && i + n < binding->cols)
      continue;
    drop(l, binding, reported * row_bytes, (i + n - reported) * row_bytes);
    reported = i + n;
    if (!report(l, ready))
      return false;
  }
  return true;
}

/* Floats of room that a tensor needs. False on failure. */
static bool
room_of(loader *l, const mt_binding *binding, size_t *n)
{
  const unsigned char *in_place;
  if (find_halves(l, binding)) {
    *n = binding->map && !is_rounded(l, binding) ? panels_room(l, binding) : 0;
    return true;
  }
  if (!find_in_place(l, binding, &in_place))
    return false;
  *n = !in_place ? aligned(n_wanted(l, binding)) : 0;
  if (in_place && wants_float_panels(l, binding))
    *n += panels_room(l, binding);
  if (wants_half(l, binding))
    *n += panels_room(l, binding);
  return true;
}

/* Floats of room that all tensors need. */
static bool
room_of_all(loader *l, const mt_binding *bindings, size_t n, size_t *n_floats)
{
  *n_floats = 0;
  for (size_t i = 0; i < n; i++) {
    size_t own;
    if (!room_of(l, &bindings[i], &own))
      return false;
    *n_floats += own;
  }
  return true;
}

/* Whether matrices are moved: they are too large for the caches, and there is memory for it. Sets
 * *n_floats as room_of_all. */
static bool
choose_moves(loader *l, const mt_binding *bindings, size_t n, size_t *n_floats)
{
  size_t n_moved;
  for (size_t i = 0; i < n; i++)
    if (bindings[i].map)
      l->n_read += n_stored(l, &bindings[i]) * mt_dtype_size(tensor_of(l, &bindings[i])->dtype);
  l->moves = false;
  if (!room_of_all(l, bindings, n, n_floats))
    return false;
  if (l->n_read < MOVED_BYTES)
    return true;
  l->moves = true;
  if (!room_of_all(l, bindings, n, &n_moved))
    return false;
  const size_t most = l->options ? l->options->most_memory : 0;
  if (most > 0 && n_moved > *n_floats && n_moved - *n_floats > most / sizeof(float))
    l->moves = false;
  else
    *n_floats = n_moved;
  return true;
}

/* Room in the address space for other forms of halves. */
static bool
make_reserve(loader *l, mt_storage *storage, const mt_binding *bindings, size_t n)
{
  size_t n_halves = 0, n_bytes = 0;
  for (size_t i = 0; i < n; i++)
    if (find_halves(l, &bindings[i])) {
      n_halves++;
      n_bytes += room_in_reserve(l, &bindings[i]);
    }
  if (n_halves == 0)
    return true;
  storage->halves = mt_alloc(n_halves, sizeof *storage->halves);
  storage->reserved = mt_reserve(n_bytes);
  storage->n_reserved = n_bytes;
  l->reserved = storage->reserved;
  return (storage->halves && storage->reserved) || mt_fail_no_memory(l->error);
}

/* Room for what must be converted or moved; *next is where the first of it goes. Fresh zeros that
 * were not touched: those that are added need not be written, and pages count from when they are
 * filled. */
static bool
make_room(loader *l, mt_model *model, const mt_binding *bindings, size_t n, float **next)
{
  size_t n_converted;
  if (!choose_moves(l, bindings, n, &n_converted) || !make_reserve(l, model->storage, bindings, n))
    return false;
  for (size_t i = 0; i < n; i++)
    model->n_parameters += n_wanted(l, &bindings[i]);
  l->total = model->n_parameters;
  for (size_t i = 0; i < n; i++)
    l->total += is_rounded(l, &bindings[i]) ? n_wanted(l, &bindings[i]) : 0;
  const size_t most = l->options && l->options->most_memory ? l->options->most_memory : SIZE_MAX;
  model->spare_memory = most / sizeof(float) > n_converted ? most - n_converted * sizeof(float) : 0;
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
  binding->map->as_stored.panels = *next;
  if (binding->rows || binding->n_added || (uintptr_t) data % _Alignof(uint16_t) != 0) {
    pack_floats(*binding->place, dtype, n_out, n_in, *next);
  } else {
    mt_panels_pack(*next, data, dtype, n_out, n_in, 0, MT_PANELS(n_out));
  }
  drop(l, binding, 0, 2 * n_stored(l, binding));
  *next += panels_room(l, binding);
}

/* Numbers of 16 bits that stay in the file: looked at, and rounded or put into panels at once where
 * products read them so. */
static bool
load_halves(loader *l, mt_storage *storage, const mt_binding *binding, const unsigned char *data,
            float **next)
{
  const bool rounds = is_rounded(l, binding);
  size_t n_out, n_in;
  get_shape(l, binding, &n_out, &n_in);
  mt_halves *halves = &storage->halves[storage->n_halves++];
  *halves = (mt_halves){.numbers = data,
                        .dtype = tensor_of(l, binding)->dtype,
                        .n_out = n_out,
                        .n_in = n_in,
                        .floats = (float *) (void *) l->reserved};
  if (rounds)
    halves->panels = halves->floats + aligned(n_out * n_in);
  else if (binding->map)
    halves->panels = *next;
  *next += binding->map && !rounds ? panels_room(l, binding) : 0;
  l->reserved += room_in_reserve(l, binding);
  *binding->place = halves->floats;
  if (binding->halves)
    *binding->halves = halves;
  if (binding->map) {
    binding->map->halves = halves;
    binding->map->as_stored.panels = halves->panels;
  }
  /* Whole panels. */
  const size_t band = rows_of_piece(MT_PANEL_OUTS * n_in) * MT_PANEL_OUTS;
  for (size_t o = 0; o < n_out; o += band) {
    const size_t end = n_out - o < band ? n_out : o + band, n = (end - o) * n_in;
    const bool is_known = rounds && l->narrowing.is_read;
    if (!is_known &&
        !mt_dtype_halves_finite(halves->dtype, (const uint16_t *) halves->numbers + o * n_in, n))
      return fail_not_finite(l, &tensor_of(l, binding)->info);
    if (halves->panels && !rounds)
      mt_panels_pack(halves->panels, halves->numbers, halves->dtype, n_out, n_in, o / MT_PANEL_OUTS,
                     MT_PANELS(end));
    if (!report(l, n) || (rounds && !round_rows(l, binding, o, end)))
      return false;
    if (!is_known)
      drop(l, binding, o * n_in * sizeof(uint16_t), n * sizeof(uint16_t));
  }
  halves->has_panels = halves->panels && !rounds;
  return true;
}

/* One tensor; *next moves behind it if it is copied. */
static bool
load(loader *l, mt_storage *storage, const mt_binding *binding, float **next)
{
  const unsigned char *halves = find_halves(l, binding);
  if (halves)
    return load_halves(l, storage, binding, halves, next);
  const unsigned char *in_place;
  if (!find_in_place(l, binding, &in_place))
    return false;
  if (in_place) {
    *binding->place = (const float *) (const void *) in_place;
    return is_rounded(l, binding)           ? round_in_place(l, binding, in_place)
           : wants_float_panels(l, binding) ? panel_in_place(l, binding, in_place, next)
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
  return !is_rounded(l, binding) || round_all(l, binding);
}

/* What a cache of rounded matrices is known by: the files, and which tensors the maps are. NULL:
 * none was asked for, or a file is gone. */
static const uint64_t *
find_source(const loader *l, const mt_binding *bindings, size_t n, uint64_t *source)
{
  if (!l->options || !l->options->cache || !mt_cache_source(l->container, l->dir, source))
    return NULL;
  for (size_t i = 0; i < n; i++)
    if (bindings[i].map) {
      const mt_binding *b = &bindings[i];
      const uint64_t numbers[] = {b->tensor, b->rows, b->cols, b->n_added, b->first, b->n};
      *source = mt_hash_bytes(*source, numbers, sizeof numbers);
    }
  return source;
}

/* Before it is known what is made of them: which of the maps the file has in 16 bits. */
static void
note_formats(const loader *l, const mt_binding *bindings, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (wants_half(l, &bindings[i]))
      bindings[i].map->as_stored.format =
          tensor_of(l, &bindings[i])->dtype == MT_DTYPE_F16 ? MT_PRECISION_F16 : MT_PRECISION_BF16;
}

/* Load what n bindings say: borrowed from the file where it can be used as it is, else copied to
 * model->storage->converted, giving the file's pages back on the way; and round what is to be
 * rounded. Sets model->n_parameters and model->precision. Errors: those of rounding,
 * MT_ERROR_FORMAT for numbers that are not finite and what the container says, MT_ERROR_CANCELLED,
 * MT_ERROR_NO_MEMORY. */
static bool
load_numbers(mt_model *model, const mt_dir *dir, const mt_binding *bindings, size_t n,
             const mt_load_options *options, mt_error *error)
{
  loader l = {.container = model->storage->container,
              .dir = dir,
              .options = options,
              .has_vectors = mt_kernels_rows_get(1) != NULL,
              .error = error};
  float *next;
  uint64_t source;
  note_formats(&l, bindings, n);
  bool ok = mt_narrow_begin(&l.narrowing, model, dir, options,
                            find_source(&l, bindings, n, &source), error) &&
            make_room(&l, model, bindings, n, &next);
  for (size_t i = 0; ok && i < n; i++)
    ok = load(&l, model->storage, &bindings[i], &next);
  ok = ok && mt_narrow_end(&l.narrowing);
  mt_narrow_clear(&l.narrowing);
  return ok;
}

/* ---- Binding --------------------------------------------------------------------------------- */

typedef enum { KIND_LINEAR, KIND_NORM, KIND_TABLE } place_kind;
typedef enum { DIM_D, DIM_INNER, DIM_FFN, DIM_BUCKETS, DIM_HEADS } dim;

/* In which layers a place exists. */
typedef enum { EVERYWHERE, DECODER_ONLY, IF_GATED, IF_RELATIVE } when;

/* Where a pair of tensors goes in an mt_layer_weights. */
typedef struct {
  place_kind kind;
  size_t offset;
  dim n_out, n_in; /* of a linear map or a table; a norm has [d] */
  when when;
} layer_row;

#define AT(member) offsetof(mt_layer_weights, member)
static const layer_row layer_rows[MT_N_TENSORS] = {
    [MT_TENSOR_SELF_Q] = {KIND_LINEAR, AT(self.q), DIM_INNER, DIM_D, EVERYWHERE},
    [MT_TENSOR_SELF_K] = {KIND_LINEAR, AT(self.k), DIM_INNER, DIM_D, EVERYWHERE},
    [MT_TENSOR_SELF_V] = {KIND_LINEAR, AT(self.v), DIM_INNER, DIM_D, EVERYWHERE},
    [MT_TENSOR_SELF_OUT] = {KIND_LINEAR, AT(self.out), DIM_D, DIM_INNER, EVERYWHERE},
    [MT_TENSOR_SELF_NORM] = {KIND_NORM, AT(self_norm), DIM_D, DIM_D, EVERYWHERE},
    [MT_TENSOR_CROSS_Q] = {KIND_LINEAR, AT(cross.q), DIM_INNER, DIM_D, DECODER_ONLY},
    [MT_TENSOR_CROSS_K] = {KIND_LINEAR, AT(cross.k), DIM_INNER, DIM_D, DECODER_ONLY},
    [MT_TENSOR_CROSS_V] = {KIND_LINEAR, AT(cross.v), DIM_INNER, DIM_D, DECODER_ONLY},
    [MT_TENSOR_CROSS_OUT] = {KIND_LINEAR, AT(cross.out), DIM_D, DIM_INNER, DECODER_ONLY},
    [MT_TENSOR_CROSS_NORM] = {KIND_NORM, AT(cross_norm), DIM_D, DIM_D, DECODER_ONLY},
    [MT_TENSOR_FC1] = {KIND_LINEAR, AT(ffn.fc1), DIM_FFN, DIM_D, EVERYWHERE},
    [MT_TENSOR_FC2] = {KIND_LINEAR, AT(ffn.fc2), DIM_D, DIM_FFN, EVERYWHERE},
    [MT_TENSOR_FFN_NORM] = {KIND_NORM, AT(ffn_norm), DIM_D, DIM_D, EVERYWHERE},
    [MT_TENSOR_GATE] = {KIND_LINEAR, AT(ffn.gate), DIM_FFN, DIM_D, IF_GATED},
    [MT_TENSOR_RELATIVE] = {KIND_TABLE, AT(relative), DIM_BUCKETS, DIM_HEADS, IF_RELATIVE},
};

static bool
exists(const layer_row *row, const mt_config *c, mt_stack s, size_t l)
{
  switch (row->when) {
  case DECODER_ONLY:
    return s == MT_STACK_DECODER;
  case IF_GATED:
    return c->feed_forward_kind == MT_FEED_FORWARD_GATED;
  case IF_RELATIVE:
    return c->n_buckets > 0 && (l == 0 || c->bias_each_layer);
  default:
    return true;
  }
}

static size_t
size_of(dim which, const mt_config *c, mt_stack s)
{
  switch (which) {
  case DIM_INNER:
    return c->n_heads[s] * c->d_head[s];
  case DIM_FFN:
    return c->d_ffn[s];
  case DIM_BUCKETS:
    return c->n_buckets;
  case DIM_HEADS:
    return c->n_heads[s];
  default:
    return c->d_model;
  }
}

typedef struct {
  mt_container *container;
  const mt_names *naming;
  file_names names;
  const mt_dir *dir;
  mt_binding *bindings;
  size_t n, capacity;
  mt_error *error;
} binder;

/* "[8001][256]", or "[]" for a single number. */
#define SHAPE_TEXT 128
static const char *
shape_text(const size_t *shape, size_t n_dims, char buffer[SHAPE_TEXT])
{
  size_t used = 0;
  buffer[0] = '\0';
  for (size_t i = 0; i < n_dims && used < SHAPE_TEXT; i++)
    used += (size_t) snprintf(buffer + used, SHAPE_TEXT - used, "[%zu]", shape[i]);
  if (n_dims == 0)
    snprintf(buffer, SHAPE_TEXT, "[]");
  return buffer;
}

/* Whether a stack adds the position table of the encoder. */
static bool
shares_positions(const mt_names *naming, mt_stack s)
{
  const char *first = naming->positions[0], *own = naming->positions[s];
  return s != MT_STACK_ENCODER && first && own && strcmp(first, own) == 0;
}

/* How a tensor is stored, compared with what the place wants. */
typedef enum { AS_IS, TRANSPOSED } stored;

/* What a place wants of a tensor: [cols] if rows is 0, else [rows][cols]. */
typedef struct {
  size_t rows, cols;
  stored how;
  size_t
      n_added; /* numbers of the last row, or of the vector's end, that are 0 and not in the file */
  unsigned part, of; /* as in mt_pair_name */
} wanted;

/* Whether the shape in the file is the expected one; a vector may be a matrix of one row. */
static bool
has_shape(const binder *b, const mt_tensor_info *info, const size_t *shape, size_t n_dims)
{
  if (b->naming->row_vectors && n_dims == 1 && info->n_dims == 2 && info->shape[0] == 1)
    return info->shape[1] == shape[0];
  return info->n_dims == n_dims && memcmp(info->shape, shape, n_dims * sizeof *shape) == 0;
}

/* Bind a place to tensor i. */
static bool
bind_tensor(binder *b, size_t i, const wanted *w, const float **place)
{
  const mt_container_tensor *tensor = &b->container->tensors[i];
  const mt_tensor_info *info = &tensor->info;
  if (tensor->dtype == MT_DTYPE_OTHER)
    return mt_fail(b->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected tensor \"%.200s\" in F32, F16, BF16 or F64, found %.40s.",
                   b->dir->name, info->file, info->name, info->dtype);
  size_t expected[2] = {w->rows ? w->rows : w->cols, w->cols};
  size_t n_dims = w->rows ? 2 : 1;
  bool is_part = w->of > 1;
  if (w->n_added)
    expected[0]--;
  if (w->how == TRANSPOSED) {
    assert(!is_part);
    expected[0] = w->cols;
    expected[1] = w->rows;
  }
  const size_t n_part = expected[0] * (n_dims == 2 ? expected[1] : 1);
  if (is_part)
    expected[0] *= w->of;
  if (!has_shape(b, info, expected, n_dims)) {
    char want[SHAPE_TEXT], found[SHAPE_TEXT];
    return mt_fail(b->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\" of shape %s, found %s.", b->dir->name,
                   info->file, info->name, shape_text(expected, n_dims, want),
                   shape_text(info->shape, info->n_dims, found));
  }
  if (!mt_grow(&b->bindings, b->n, 1, &b->capacity, sizeof *b->bindings))
    return mt_fail_no_memory(b->error);
  b->bindings[b->n++] = (mt_binding){
      .tensor = i,
      .place = place,
      .rows = w->how == TRANSPOSED ? w->rows : 0,
      .cols = w->how == TRANSPOSED ? w->cols : 0,
      .n_added = w->n_added,
      .first = is_part ? w->part * n_part : 0,
      .n = is_part ? n_part : 0,
  };
  return true;
}

static bool
bind_name(binder *b, const char *name, const wanted *w, const float **place)
{
  size_t i;
  if (!find_name(&b->names, name, &i))
    return mt_fail(b->error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\", found no such tensor.", b->dir->name,
                   b->container->file, name_in_file(&b->names, name));
  return bind_tensor(b, i, w, place);
}

/* Both tensors of a norm; prefix and its name make the whole name. */
static bool
bind_norm(binder *b, const char *prefix, const mt_pair_name *pair, size_t d, mt_norm_weights *norm)
{
  const wanted w = {.cols = d};
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%s%s", prefix, pair->weight);
  if (!bind_name(b, full, &w, &norm->gain))
    return false;
  snprintf(full, sizeof full, "%s%s", prefix, pair->bias ? pair->bias : "");
  return !pair->bias || bind_name(b, full, &w, &norm->bias);
}

static bool
bind_linear(binder *b, const char *prefix, const mt_pair_name *pair, size_t n_out, size_t n_in,
            mt_linear *linear)
{
  const wanted weight = {.rows = n_out,
                         .cols = n_in,
                         .how = b->naming->in_out ? TRANSPOSED : AS_IS,
                         .part = pair->part,
                         .of = pair->of},
               bias = {.cols = n_out, .part = pair->part, .of = pair->of};
  char full[NAME_SIZE];
  linear->n_out = n_out;
  linear->n_in = n_in;
  snprintf(full, sizeof full, "%s%s", prefix, pair->weight);
  if (!bind_name(b, full, &weight, &linear->weight))
    return false;
  b->bindings[b->n - 1].map = linear;
  snprintf(full, sizeof full, "%s%s", prefix, pair->bias ? pair->bias : "");
  return !pair->bias || bind_name(b, full, &bias, &linear->bias);
}

static bool
bind_table(binder *b, const char *prefix, const mt_pair_name *pair, size_t rows, size_t cols,
           const float **table)
{
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%s%s", prefix, pair->weight);
  return bind_name(b, full, &(const wanted){.rows = rows, .cols = cols}, table);
}

static bool
bind_layer(binder *b, const mt_config *c, mt_stack s, size_t l, mt_layer_weights *layer)
{
  const mt_names *naming = b->naming;
  char prefix[64];
  snprintf(prefix, sizeof prefix, "%s%zu%s", naming->layers[s], l + naming->first_layer,
           naming->after_number);
  for (size_t r = 0; r < MT_N_TENSORS; r++) {
    const layer_row *row = &layer_rows[r];
    const mt_pair_name *pair = &naming->places[s][r];
    void *place = (char *) layer + row->offset;
    if (!exists(row, c, s, l))
      continue;
    const size_t n_out = size_of(row->n_out, c, s), n_in = size_of(row->n_in, c, s);
    bool ok = row->kind == KIND_NORM     ? bind_norm(b, prefix, pair, c->d_model, place)
              : row->kind == KIND_LINEAR ? bind_linear(b, prefix, pair, n_out, n_in, place)
                                         : bind_table(b, prefix, pair, n_out, n_in, place);
    if (!ok)
      return false;
  }
  return true;
}

static bool
bind_stack(binder *b, mt_model *model, mt_stack s)
{
  const mt_config *c = &model->config;
  const mt_names *naming = b->naming;
  mt_stack_weights *stack = &model->stacks[s];
  stack->layers = mt_alloc(c->n_layers[s], sizeof *stack->layers);
  if (!stack->layers)
    return mt_fail_no_memory(b->error);
  for (size_t l = 0; l < c->n_layers[s]; l++)
    if (!bind_layer(b, c, s, l, &stack->layers[l]))
      return false;
  if (c->normalize_embedding &&
      !bind_norm(b, naming->stacks[s], &naming->embedding_norm, c->d_model, &stack->embedding_norm))
    return false;
  if (c->add_final_layer_norm &&
      !bind_norm(b, naming->stacks[s], &naming->final_norm, c->d_model, &stack->final_norm))
    return false;
  /* A sinusoidal table in the file is not read: it is computed. */
  if (c->position_kind != MT_POSITIONS_LEARNED || shares_positions(naming, s))
    return true;
  return bind_name(b, naming->positions[s],
                   &(const wanted){.rows = c->max_positions + c->position_offset,
                                   .cols = c->d_model},
                   &stack->positions);
}

/* The output matrix where it is not tied: [vocab][d], or [d][vocab]. */
static bool
bind_output(binder *b, const mt_ties *ties, size_t n_target, size_t d, mt_linear *output)
{
  const size_t n_added = b->naming->without_pad ? d : 0;
  const wanted rows = {.rows = n_target, .cols = d, .n_added = n_added},
               cols = {.rows = n_target - (n_added > 0), .cols = d, .how = TRANSPOSED};
  if (!ties->is_in_out)
    return bind_tensor(b, ties->output, &rows, &output->weight);
  /* The row that is added comes last, behind all that is transposed. */
  if (!bind_tensor(b, ties->output, &cols, &output->weight))
    return false;
  b->bindings[b->n - 1].n_added = n_added;
  return true;
}

/* The embeddings and the output matrix; settle_ties says, after loading, who else reads them. */
static bool
bind_embeddings(binder *b, mt_model *model)
{
  mt_config *c = &model->config;
  const mt_names *naming = b->naming;
  mt_stack_weights *encoder = &model->stacks[MT_STACK_ENCODER];
  mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  size_t d = c->d_model;
  size_t n_source = c->vocab_size[MT_STACK_ENCODER], n_target = c->vocab_size[MT_STACK_DECODER];
  size_t pad = naming->without_pad ? 1 : 0;
  mt_ties ties = {0};
  if (!find_ties(&ties, c, &b->names, b->dir, b->error))
    return false;
  const wanted source = {.rows = n_source, .cols = d, .n_added = c->share_embeddings ? pad * d : 0},
               target = {.rows = n_target, .cols = d, .n_added = pad * d};
  bool ok = bind_tensor(b, ties.embeddings[0], &source, &encoder->embedding);
  if (ok)
    b->bindings[b->n - 1].halves = &encoder->embedding_halves;
  if (ok && !c->share_embeddings) {
    ok = bind_tensor(b, ties.embeddings[1], &target, &decoder->embedding);
    if (ok)
      b->bindings[b->n - 1].halves = &decoder->embedding_halves;
  }
  model->output.n_out = n_target;
  model->output.n_in = d;
  if (ok && !c->tie_word_embeddings)
    ok = bind_output(b, &ties, n_target, d, &model->output);
  if (ok)
    /* The output matrix came last, tied or not. */
    b->bindings[b->n - 1].map = &model->output;

  size_t i;
  /* [1][V] as Hugging Face and Marian write it, or [V]; optional. */
  if (ok && find_name(&b->names, naming->output_bias, &i)) {
    const mt_tensor_info *info = &b->container->tensors[i].info;
    const wanted bias = {.rows = info->n_dims == 1 || pad ? 0 : 1,
                         .cols = n_target,
                         .n_added = pad};
    ok = bind_tensor(b, i, &bias, &model->output.bias);
  }
  return ok;
}

/* What is one tensor in the file and has several places, and where tables begin. */
static void
settle_ties(mt_model *model, const mt_names *naming)
{
  const mt_config *c = &model->config;
  mt_stack_weights *encoder = &model->stacks[MT_STACK_ENCODER];
  mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  if (c->share_embeddings) {
    decoder->embedding = encoder->embedding;
    decoder->embedding_halves = encoder->embedding_halves;
  }
  if (c->tie_word_embeddings)
    model->output.weight = decoder->embedding;
  if (shares_positions(naming, MT_STACK_DECODER))
    decoder->positions = encoder->positions;
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_stack_weights *stack = &model->stacks[s];
    if (c->position_kind == MT_POSITIONS_LEARNED)
      stack->positions += c->position_offset * c->d_model;
    for (size_t l = 1; l < c->n_layers[s] && !c->bias_each_layer; l++)
      stack->layers[l].relative = stack->layers[0].relative;
  }
}

#define SAME_POSITIONS 1e-2 /* tables in BF16 are so far off, learned ones further */

/* Whether a position table [n_rows][d] has the sinusoids of a kind; row: room for one. */
static bool
has_sinusoids(const float *table, size_t n_rows, const mt_config *c, mt_position_kind kind,
              float *row)
{
  for (size_t p = 0; p < n_rows; p++) {
    mt_positions_encode(row, (long) (p + c->position_offset), c->d_model, kind);
    for (size_t i = 0; i < c->d_model; i++)
      if (!(fabsf(table[p * c->d_model + i] - row[i]) <= (float) SAME_POSITIONS))
        return false;
  }
  return true;
}

/* Where the tables in the file may be sinusoids that were written out. */
static bool
recognise_positions(mt_model *model, const mt_names *naming, mt_error *error)
{
  static const mt_position_kind kinds[] = {MT_POSITIONS_SINUSOIDAL_HALVES,
                                           MT_POSITIONS_SINUSOIDAL_INTERLEAVED,
                                           MT_POSITIONS_SINUSOIDAL_FAIRSEQ};
  mt_config *c = &model->config;
  if (!naming->positions_may_be_sinusoids || c->position_kind != MT_POSITIONS_LEARNED ||
      c->d_model % 2 != 0)
    return true;
  float *row = mt_alloc(c->d_model, sizeof *row);
  if (!row)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    bool same = true;
    for (int s = 0; s < MT_N_STACKS && same; s++)
      same = has_sinusoids(model->stacks[s].positions, c->max_positions, c, kinds[i], row);
    if (same) {
      c->position_kind = kinds[i];
      break;
    }
  }
  mt_free(row);
  return true;
}

/* Layers in the file beyond those of the configuration: the two belong to different models. */
static bool
check_no_more_layers(binder *b, const mt_config *config)
{
  for (size_t i = 0; i < b->container->n_tensors; i++) {
    const mt_tensor_info *info = &b->container->tensors[i].info;
    for (int s = 0; s < MT_N_STACKS; s++) {
      const char *prefix = name_in_file(&b->names, b->naming->layers[s]);
      size_t n = strlen(prefix);
      if (strncmp(info->name, prefix, n) != 0 || info->name[n] < '0' || info->name[n] > '9')
        continue;
      if (strtoull(info->name + n, NULL, 10) >= config->n_layers[s] + b->naming->first_layer)
        return mt_fail(b->error, MT_ERROR_FORMAT,
                       "%s/%s: expected %zu layers in the %s as %s says, found tensor \"%.200s\".",
                       b->dir->name, info->file, config->n_layers[s],
                       s == MT_STACK_ENCODER ? "encoder" : "decoder", b->naming->shape_from,
                       info->name);
    }
  }
  return true;
}

/* The paper, section 3.5; both stacks add the same table. */
static bool
compute_positions(mt_model *model, mt_error *error)
{
  const mt_config *c = &model->config;
  if (!mt_positions_are_computed(c->position_kind))
    return true;
  const size_t n_rows = c->max_positions + c->position_offset;
  size_t n;
  float *table = NULL;
  if (!__builtin_mul_overflow(n_rows, c->d_model, &n))
    table = mt_alloc_aligned(n, sizeof *table);
  if (!table)
    return mt_fail_no_memory(error);
  mt_positions_sinusoidal(table, n_rows, c->d_model, c->position_kind);
  model->storage->positions = table;
  for (int s = 0; s < MT_N_STACKS; s++)
    model->stacks[s].positions = table + c->position_offset * c->d_model;
  return true;
}

/* transformers has passed over "static_position_embeddings": false since its release 4, and leaves
 * tables out of what it saves: without them there are sinusoids. */
static bool
choose_positions(const binder *b, mt_config *c)
{
  size_t i;
  bool has_table = false;
  for (int s = 0; s < MT_N_STACKS; s++)
    has_table |= find_name(&b->names, b->naming->positions[s], &i);
  if (c->position_kind != MT_POSITIONS_LEARNED || has_table || !b->naming->positions_may_lack)
    return true;
  c->position_kind = MT_POSITIONS_SINUSOIDAL_HALVES;
  char label[600];
  snprintf(label, sizeof label, "%.500s/%s", b->dir->name, b->naming->shape_from);
  return mt_config_check_positions(c, label, b->error);
}

bool
mt_bind_weights(mt_model *model, const mt_dir *dir, const mt_names *naming,
                const mt_load_options *options, mt_error *error)
{
  binder b = {.container = model->storage->container, .naming = naming, .dir = dir, .error = error};
  b.names = look_at_names(b.container, naming);
  bool ok = choose_positions(&b, &model->config) && bind_embeddings(&b, model) &&
            bind_stack(&b, model, MT_STACK_ENCODER) && bind_stack(&b, model, MT_STACK_DECODER) &&
            check_no_more_layers(&b, &model->config) &&
            load_numbers(model, dir, b.bindings, b.n, options, error) &&
            compute_positions(model, error);
  mt_free(b.bindings);
  if (!ok)
    return false;
  settle_ties(model, naming);
  return recognise_positions(model, naming, error);
}

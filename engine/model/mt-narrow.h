/* mt-narrow.h — copies of a model's matrices in fewer bits. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_NARROW_H
#define MT_NARROW_H

#include "files/mt-file.h"
#include "model/mt-cache.h"
#include "model/mt-model.h"

/* The form of a model's rounded matrices: MT_PRECISION_STORED, F16, BF16 or INT8. */
mt_precision mt_precision_form(mt_precision precision);

/* Whether the encoder, and the keys and values made of its output, are rounded too. */
bool mt_precision_rounds_source(mt_precision precision);

/* One rounding. It goes with the loading of the numbers, matrix by matrix, so that those of the
 * file need not stay in memory. */
typedef struct {
  mt_precision form; /* of the matrices */
  mt_model *model;
  const mt_dir *dir;
  const mt_load_options *options; /* NULL: nothing is rounded */
  const char *cache;              /* a folder; NULL: none */
  uint64_t source;                /* as in mt_cache_key */
  mt_error *error;
  char *base; /* of the rounded matrices */
  size_t n_bytes;
  mt_cache_matrix *matrices; /* [n_matrices] */
  size_t n_matrices, capacity;
  float *row; /* of a matrix of 16 bits as floats, or those of a panel */
  size_t row_capacity;
  bool is_read; /* they are there already, in a cache, and must not be written to */
} mt_narrowing;

/* Give every linear map that is to be rounded room for it, or what a cache has. The format of
 * map->as_stored says whether the checkpoint has it in that precision; it then needs none. source:
 * what a cache is known by; NULL: there is none. Sets model->precision. Errors:
 * MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY. `w` is to be cleared in any case. */
bool mt_narrow_begin(mt_narrowing *w, mt_model *model, const mt_dir *dir,
                     const mt_load_options *options, const uint64_t *source, mt_error *error);
/* Whether a map is one of those that are rounded. */
bool mt_narrow_wants(const mt_narrowing *w, const mt_linear *map);
/* Round rows first … end - 1 of such a map; nothing if they are there. Errors: MT_ERROR_UNSUPPORTED
 * for a number that F16 cannot hold, MT_ERROR_NO_MEMORY. */
bool mt_narrow_rows(mt_narrowing *w, mt_linear *map, size_t first, size_t end);
/* When all are rounded: writes the cache that was asked for. Errors: MT_ERROR_CANCELLED,
 * MT_ERROR_NO_MEMORY. */
bool mt_narrow_end(mt_narrowing *w);
void mt_narrow_clear(mt_narrowing *w);

/* What is done with a linear map; false ends it. */
typedef bool (*mt_map_visit)(void *user, mt_linear *map);

/* Every matrix that a step of a search reads, always in the same order. */
bool mt_narrow_visit_step(mt_model *model, mt_map_visit visit, void *user);

#endif

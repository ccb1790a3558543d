/* mt-narrow.c — copies of a model's matrices in fewer bits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-narrow.h"

#include "base/mt-alloc.h"
#include "base/mt-dtype.h"
#include "base/mt-error.h"

#include <math.h>
#include <string.h>

/* THE list of precisions. */
static const struct {
  const char *name;
  mt_precision form;  /* of the matrices */
  bool rounds_source; /* what is computed once, for all positions of the source */
} precisions[MT_N_PRECISIONS] = {
    [MT_PRECISION_STORED] = {"stored", MT_PRECISION_STORED, false},
    [MT_PRECISION_F16] = {"f16", MT_PRECISION_F16, false},
    [MT_PRECISION_BF16] = {"bf16", MT_PRECISION_BF16, false},
    [MT_PRECISION_BF16_ALL] = {"bf16-all", MT_PRECISION_BF16, true},
    [MT_PRECISION_INT8] = {"int8", MT_PRECISION_INT8, false},
    [MT_PRECISION_INT8_ALL] = {"int8-all", MT_PRECISION_INT8, true},
};

const char *
mt_precision_name(mt_precision precision)
{
  return precision < MT_N_PRECISIONS ? precisions[precision].name : "unknown";
}

mt_precision
mt_precision_form(mt_precision precision)
{
  return precisions[precision].form;
}

bool
mt_precision_rounds_source(mt_precision precision)
{
  return precisions[precision].rounds_source;
}

bool
mt_precision_find(const char *name, mt_precision *precision)
{
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++)
    if (strcmp(name, mt_precision_name(p)) == 0) {
      *precision = p;
      return true;
    }
  return false;
}

/* What is done with a linear map; false ends it. */
typedef bool (*map_visit)(void *user, mt_linear *map);

static bool
visit_ffn(mt_ffn_weights *ffn, map_visit visit, void *user)
{
  return visit(user, &ffn->fc1) && (!ffn->gate.weight || visit(user, &ffn->gate)) &&
         visit(user, &ffn->fc2);
}

/* What is computed once, for all positions of the source: the encoder, and the keys and values made
 * of its output. */
static bool
visit_source_maps(mt_model *model, map_visit visit, void *user)
{
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_ENCODER]; l++) {
    mt_layer_weights *layer = &model->stacks[MT_STACK_ENCODER].layers[l];
    mt_attention_weights *self = &layer->self;
    if (!visit(user, &self->q) || !visit(user, &self->k) || !visit(user, &self->v) ||
        !visit(user, &self->out) || !visit_ffn(&layer->ffn, visit, user))
      return false;
  }
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_DECODER]; l++) {
    mt_attention_weights *cross = &model->stacks[MT_STACK_DECODER].layers[l].cross;
    if (!visit(user, &cross->k) || !visit(user, &cross->v))
      return false;
  }
  return true;
}

/* What a step of a search reads, which is what waits for memory. */
static bool
visit_step_maps(mt_model *model, map_visit visit, void *user)
{
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_DECODER]; l++) {
    mt_layer_weights *layer = &model->stacks[MT_STACK_DECODER].layers[l];
    mt_attention_weights *self = &layer->self, *cross = &layer->cross;
    if (!visit(user, &self->q) || !visit(user, &self->k) || !visit(user, &self->v) ||
        !visit(user, &self->out) || !visit(user, &cross->q) || !visit(user, &cross->out) ||
        !visit_ffn(&layer->ffn, visit, user))
      return false;
  }
  return visit(user, &model->output);
}

/* Every linear map that is rounded in a precision. */
static bool
visit_maps(mt_model *model, mt_precision precision, map_visit visit, void *user)
{
  return visit_step_maps(model, visit, user) &&
         (!mt_precision_rounds_source(precision) || visit_source_maps(model, visit, user));
}

/* ---- Room ------------------------------------------------------------------------------------ */

typedef struct {
  mt_precision precision; /* the form of the matrices */
  const mt_dir *dir;
  const mt_load_options *options;
  mt_error *error;
  char *base; /* NULL: only the sizes are added up */
  size_t used;
  size_t n_done, n_numbers;
} narrowing;

/* A piece of n elements; no sum overflows: the floats of the same matrix are in memory. */
static void *
take(narrowing *w, size_t n, size_t size)
{
  void *piece = w->base ? w->base + w->used : NULL;
  w->used += (n * size + MT_ARENA_ALIGNMENT - 1) / MT_ARENA_ALIGNMENT * MT_ARENA_ALIGNMENT;
  return piece;
}

static bool
has_it(const narrowing *w, const mt_linear *map)
{
  return map->as_stored.format == w->precision;
}

static void
lay_out(narrowing *w, const mt_linear *map, mt_narrow *narrow)
{
  *narrow = (mt_narrow){.format = w->precision};
  if (w->precision == MT_PRECISION_INT8) {
    size_t n_out = MT_INT8_PANELS(map->n_out) * MT_INT8_PANEL;
    narrow->int8.panels = take(w, n_out * MT_INT8_STRIDE(map->n_in), 1);
    narrow->int8.scales = take(w, n_out, sizeof(float));
    narrow->int8.offsets = take(w, n_out, sizeof(int32_t));
  } else {
    narrow->panels = take(w, MT_PANELS_SIZE(map->n_out, map->n_in), sizeof(uint16_t));
  }
}

static bool
measure(void *user, mt_linear *map)
{
  narrowing *w = user;
  mt_narrow narrow;
  if (w->precision == MT_PRECISION_INT8 && map->n_in > MT_INT8_MAX_IN)
    return mt_fail(w->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected matrices of at most %d columns for int8, found %zu.", w->dir->name,
                   MT_INT8_MAX_IN, map->n_in);
  if (!has_it(w, map)) {
    lay_out(w, map, &narrow);
    w->n_numbers += map->n_out * map->n_in;
  }
  return true;
}

/* ---- Rounding -------------------------------------------------------------------------------- */

static bool
round_row(const narrowing *w, const mt_linear *map, mt_narrow *narrow, size_t o)
{
  const float *row = map->weight + o * map->n_in;
  size_t n = map->n_in;
  switch (w->precision) {
  case MT_PRECISION_INT8:
    mt_int8_quantize_weights(&narrow->int8, o, row, n);
    return true;
  default:
    for (size_t k = 0; k < n; k += 256) {
      uint16_t half[256];
      size_t width = n - k < 256 ? n - k : 256;
      const mt_dtype dtype = w->precision == MT_PRECISION_BF16 ? MT_DTYPE_BF16 : MT_DTYPE_F16;
      if (dtype == MT_DTYPE_BF16)
        mt_dtype_to_bf16(row + k, half, width);
      else if (!mt_dtype_to_f16(row + k, half, width))
        return false;
      /* Whoever fills the panels owns them. */
      mt_panels_put((void *) narrow->panels, dtype, o, n, k, half, width);
    }
    return true;
  }
}

static bool
narrow(void *user, mt_linear *map)
{
  narrowing *w = user;
  if (has_it(w, map)) {
    if (w->precision == MT_PRECISION_BF16)
      map->rounded = map->as_stored; /* whose rows are rounded */
    return true;
  }
  mt_narrow narrow;
  lay_out(w, map, &narrow);
  for (size_t o = 0; o < map->n_out; o++)
    if (!round_row(w, map, &narrow, o))
      return mt_fail(w->error, MT_ERROR_UNSUPPORTED,
                     "%s: expected weights that F16 can hold, at most 65504, found larger ones.",
                     w->dir->name);
  map->rounded = narrow;
  w->n_done += map->n_out * map->n_in;
  if (w->options->on_progress && !w->options->on_progress(w->options->user, 1))
    return mt_fail(w->error, MT_ERROR_CANCELLED, "Loading %s was cancelled.", w->dir->name);
  return true;
}

bool
mt_narrow_model(mt_model *model, const mt_dir *dir, const mt_load_options *options, mt_error *error)
{
  mt_precision precision = options ? options->precision : MT_PRECISION_STORED;
  narrowing w = {.precision = mt_precision_form(precision),
                 .dir = dir,
                 .options = options,
                 .error = error};
  if (w.precision == MT_PRECISION_STORED)
    return true;
  if (!visit_maps(model, precision, measure, &w))
    return false;
  if (w.used > 0) {
    model->storage->narrow = mt_alloc_large(w.used + MT_ARENA_ALIGNMENT, 1);
    if (!model->storage->narrow)
      return mt_fail_no_memory(error);
    w.base = mt_arena_begin(model->storage->narrow);
  }
  w.used = 0;
  model->precision = precision;
  return visit_maps(model, precision, narrow, &w);
}

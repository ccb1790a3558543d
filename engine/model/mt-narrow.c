/* mt-narrow.c — copies of a model's matrices in fewer bits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-narrow.h"

#include "base/mt-alloc.h"
#include "base/mt-dtype.h"
#include "base/mt-error.h"

#include <stdint.h>
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

/* The configuration says whether there is a gate: its weights are not there yet where maps are laid
 * out. */
static bool
visit_ffn(mt_model *model, mt_ffn_weights *ffn, mt_map_visit visit, void *user)
{
  const bool is_gated = model->config.feed_forward_kind == MT_FEED_FORWARD_GATED;
  return visit(user, &ffn->fc1) && (!is_gated || visit(user, &ffn->gate)) && visit(user, &ffn->fc2);
}

/* What is computed once, for all positions of the source: the encoder, and the keys and values made
 * of its output. */
static bool
visit_source_maps(mt_model *model, mt_map_visit visit, void *user)
{
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_ENCODER]; l++) {
    mt_layer_weights *layer = &model->stacks[MT_STACK_ENCODER].layers[l];
    mt_attention_weights *self = &layer->self;
    if (!visit(user, &self->q) || !visit(user, &self->k) || !visit(user, &self->v) ||
        !visit(user, &self->out) || !visit_ffn(model, &layer->ffn, visit, user))
      return false;
  }
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_DECODER]; l++) {
    mt_attention_weights *cross = &model->stacks[MT_STACK_DECODER].layers[l].cross;
    if (!visit(user, &cross->k) || !visit(user, &cross->v))
      return false;
  }
  return true;
}

/* What waits for memory. */
bool
mt_narrow_visit_step(mt_model *model, mt_map_visit visit, void *user)
{
  for (size_t l = 0; l < model->config.n_layers[MT_STACK_DECODER]; l++) {
    mt_layer_weights *layer = &model->stacks[MT_STACK_DECODER].layers[l];
    mt_attention_weights *self = &layer->self, *cross = &layer->cross;
    if (!visit(user, &self->q) || !visit(user, &self->k) || !visit(user, &self->v) ||
        !visit(user, &self->out) || !visit(user, &cross->q) || !visit(user, &cross->out) ||
        !visit_ffn(model, &layer->ffn, visit, user))
      return false;
  }
  return visit(user, &model->output);
}

/* Every linear map that is rounded in a precision. */
static bool
visit_maps(mt_model *model, mt_precision precision, mt_map_visit visit, void *user)
{
  return mt_narrow_visit_step(model, visit, user) &&
         (!mt_precision_rounds_source(precision) || visit_source_maps(model, visit, user));
}

/* ---- Room ------------------------------------------------------------------------------------ */

/* A piece of n elements; no sum overflows: the numbers of the same matrix lie in a file. */
static void *
take(mt_narrowing *w, size_t n, size_t size)
{
  void *piece = w->base ? w->base + w->n_bytes : NULL;
  w->n_bytes += (n * size + MT_ARENA_ALIGNMENT - 1) / MT_ARENA_ALIGNMENT * MT_ARENA_ALIGNMENT;
  return piece;
}

static bool
has_it(const mt_narrowing *w, const mt_linear *map)
{
  return map->as_stored.format == w->form;
}

static void
lay_out(mt_narrowing *w, const mt_linear *map, mt_narrow *narrow)
{
  *narrow = (mt_narrow){.format = w->form};
  if (w->form == MT_PRECISION_INT8) {
    size_t n_out = MT_INT8_PANELS(map->n_out) * MT_INT8_PANEL;
    narrow->int8.panels = take(w, n_out * MT_INT8_STRIDE(map->n_in), 1);
    narrow->int8.scales = take(w, n_out, sizeof(float));
    narrow->int8.offsets = take(w, n_out, sizeof(int32_t));
  } else {
    narrow->panels = take(w, MT_PANELS_SIZE(map->n_out, map->n_in), sizeof(uint16_t));
  }
}

/* Without a base it lists the matrices; with one it puts them there. */
static bool
place(void *user, mt_linear *map)
{
  mt_narrowing *w = user;
  if (w->form == MT_PRECISION_INT8 && map->n_in > MT_INT8_MAX_IN)
    return mt_fail(w->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected matrices of at most %d columns for int8, found %zu.", w->dir->name,
                   MT_INT8_MAX_IN, map->n_in);
  if (has_it(w, map))
    return true;
  const size_t begin = w->n_bytes;
  lay_out(w, map, &map->rounded);
  if (w->base)
    return true;
  if (!mt_grow(&w->matrices, w->n_matrices, 1, &w->capacity, sizeof *w->matrices))
    return mt_fail_no_memory(w->error);
  w->matrices[w->n_matrices++] =
      (mt_cache_matrix){map->n_out, map->n_in, begin, w->n_bytes - begin};
  return true;
}

static mt_cache_key
key_of(const mt_narrowing *w)
{
  return (mt_cache_key){.folder = w->cache,
                        .directory = w->model->directory,
                        .precision = w->options->precision,
                        .form = w->form,
                        .source = w->source,
                        .matrices = w->matrices,
                        .n_matrices = w->n_matrices,
                        .n_bytes = w->n_bytes};
}

/* The matrices of an earlier time, if they are asked for and there. */
static void
look_into_cache(mt_narrowing *w)
{
  mt_model *model = w->model;
  const char *data;
  if (!w->cache)
    return;
  const mt_cache_key key = key_of(w);
  w->is_read = mt_cache_map(&key, &model->faults, &model->storage->cache, &data);
  /* They are only read: whoever fills them asks whether they are there. */
  if (w->is_read)
    w->base = (char *) (uintptr_t) data;
}

bool
mt_narrow_begin(mt_narrowing *w, mt_model *model, const mt_dir *dir, const mt_load_options *options,
                const uint64_t *source, mt_error *error)
{
  const mt_precision precision = options ? options->precision : MT_PRECISION_STORED;
  *w = (mt_narrowing){.form = mt_precision_form(precision),
                      .model = model,
                      .dir = dir,
                      .options = options,
                      .cache = options && source ? options->cache : NULL,
                      .source = source ? *source : 0,
                      .error = error};
  if (w->form == MT_PRECISION_STORED)
    return true;
  if (!visit_maps(model, precision, place, w))
    return false;
  model->precision = precision;
  if (w->n_bytes == 0)
    return true;
  look_into_cache(w);
  if (!w->is_read) {
    model->storage->narrow = mt_alloc_large(w->n_bytes + MT_ARENA_ALIGNMENT, 1);
    if (!model->storage->narrow)
      return mt_fail_no_memory(error);
    w->base = mt_arena_begin(model->storage->narrow);
  }
  w->n_bytes = 0;
  return visit_maps(model, precision, place, w);
}

void
mt_narrow_clear(mt_narrowing *w)
{
  mt_free(w->matrices);
  w->matrices = NULL;
  mt_free(w->row);
  w->row = NULL;
}

bool
mt_narrow_wants(const mt_narrowing *w, const mt_linear *map)
{
  return w->n_bytes > 0 && map->rounded.format == w->form;
}

/* ---- Rounding -------------------------------------------------------------------------------- */

/* Whether products read the floats in panels, so that those of the file need not be in memory. */
static bool
is_in_panels(const mt_linear *map)
{
  return !map->halves && map->as_stored.panels && map->as_stored.format == MT_PRECISION_STORED;
}

/* The panel of output o as rows, a block that the first cache holds at a time. */
static void
turn_panel(const mt_linear *map, size_t o, float *rows)
{
  enum { OUTS = MT_PANEL_OUTS, BLOCK = 16 };
  const size_t n_in = map->n_in;
  const float *from = (const float *) map->as_stored.panels + o / OUTS * OUTS * n_in;
  for (size_t k = 0; k < n_in; k += BLOCK) {
    float block[OUTS][BLOCK];
    const size_t n = n_in - k < BLOCK ? n_in - k : BLOCK;
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < OUTS; i++)
        block[i][j] = from[(k + j) * OUTS + i];
    for (size_t i = 0; i < OUTS; i++)
      memcpy(rows + i * n_in + k, block[i], n * sizeof **block);
  }
}

/* Row o of a map; rows are asked for one after the other, from `first` on. */
static const float *
read_row(const mt_narrowing *w, const mt_linear *map, size_t o, size_t first)
{
  const size_t n = map->n_in, at = o % MT_PANEL_OUTS;
  if (map->halves) {
    mt_halves_read(map->halves, o * n, n, w->row);
    return w->row;
  }
  if (!is_in_panels(map))
    return map->weight + o * n;
  if (at == 0 || o == first)
    turn_panel(map, o, w->row);
  return w->row + at * n;
}

static bool
round_row(const mt_narrowing *w, mt_linear *map, size_t o, const float *row)
{
  const size_t n = map->n_in;
  switch (w->form) {
  case MT_PRECISION_INT8:
    mt_int8_quantize_weights(&map->rounded.int8, o, row, n);
    return true;
  default:
    for (size_t k = 0; k < n; k += 256) {
      uint16_t half[256];
      size_t width = n - k < 256 ? n - k : 256;
      const mt_dtype dtype = w->form == MT_PRECISION_BF16 ? MT_DTYPE_BF16 : MT_DTYPE_F16;
      if (dtype == MT_DTYPE_BF16)
        mt_dtype_to_bf16(row + k, half, width);
      else if (!mt_dtype_to_f16(row + k, half, width))
        return false;
      /* Whoever fills the panels owns them. */
      mt_panels_put((void *) map->rounded.panels, dtype, o, n, k, half, width);
    }
    return true;
  }
}

bool
mt_narrow_rows(mt_narrowing *w, mt_linear *map, size_t first, size_t end)
{
  const size_t n_rows = is_in_panels(map) ? MT_PANEL_OUTS : map->halves ? 1 : 0;
  if (n_rows > 0 && !mt_grow(&w->row, 0, n_rows * map->n_in, &w->row_capacity, sizeof *w->row))
    return mt_fail_no_memory(w->error);
  for (size_t o = first; o < end && !w->is_read; o++)
    if (!round_row(w, map, o, read_row(w, map, o, first)))
      return mt_fail(w->error, MT_ERROR_UNSUPPORTED,
                     "%s: expected weights that F16 can hold, at most 65504, found larger ones.",
                     w->dir->name);
  return true;
}

/* What the checkpoint has in the precision that is wanted. */
static bool
take_as_stored(void *user, mt_linear *map)
{
  const mt_narrowing *w = user;
  if (has_it(w, map) && w->form == MT_PRECISION_BF16)
    map->rounded = map->as_stored; /* whose rows are rounded */
  return true;
}

static bool
on_written(void *user, size_t n_bytes)
{
  (void) n_bytes;
  const mt_load_options *options = user;
  return !options->on_progress || options->on_progress(options->user, 1);
}

/* That it cannot be written is no reason not to have the model. */
static bool
write_cache(mt_narrowing *w)
{
  mt_model *model = w->model;
  const mt_cache_key key = key_of(w);
  mt_error why = {0};
  model->cache_state = MT_CACHE_WRITTEN;
  if (mt_cache_write(&key, w->base, on_written, (void *) w->options, &why))
    return true;
  if (why.code == MT_ERROR_CANCELLED)
    return mt_fail(w->error, why.code, "Loading %s was cancelled.", w->dir->name);
  model->cache_state = MT_CACHE_FAILED;
  model->why_no_cache = mt_strdup(why.message);
  return model->why_no_cache || mt_fail_no_memory(w->error);
}

bool
mt_narrow_end(mt_narrowing *w)
{
  if (w->form == MT_PRECISION_STORED)
    return true;
  visit_maps(w->model, w->options->precision, take_as_stored, w);
  if (w->is_read)
    w->model->cache_state = MT_CACHE_READ;
  return w->n_bytes == 0 || !w->cache || w->is_read || write_cache(w);
}

/* mt-capture.c — what one translation attended to: an immutable, reference-counted object.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All matrices lie in one block, laid out once from the shapes:
 *
 *   for each kind: weights [L][H][rows][cols], scores likewise if wanted, row_lse [L][H][rows],
 *     biases by distance where positions are relative
 *   positions [S][d], positions [T][d], logprobs [T]
 *
 * Scores double the memory, so they are optional. Without them a score is recovered from the
 * softmax (the paper, equation 1): w_j = exp(s_j) / sum_k exp(s_k)  =>  s_j = ln w_j + lse, where
 * lse is the row's log-sum-exp, a single number that is always kept.
 */
#include "capture/mt-capture.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* *total += a * b * c * d; false on overflow. */
static bool
add_product(size_t *total, size_t a, size_t b, size_t c, size_t d)
{
  size_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_mul_overflow(product, c, &product) &&
         !__builtin_mul_overflow(product, d, &product) &&
         !__builtin_add_overflow(*total, product, total);
}

/* Of a key from a query. */
static size_t
n_distances(const mt_capture_kind *kind)
{
  return kind->cols ? 2 * kind->cols - 1 : 0;
}

static bool
count_floats(const mt_capture_kind kinds[MT_N_KINDS], size_t n_source, size_t n_target,
             size_t d_model, bool with_scores, size_t *total)
{
  *total = 0;
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_capture_kind *kind = &kinds[k];
    for (int copy = 0; copy < (with_scores ? 2 : 1); copy++)
      if (!add_product(total, kind->n_layers, kind->n_heads, kind->rows, kind->cols))
        return false;
    if (!add_product(total, kind->n_layers, kind->n_heads, kind->rows, 1) ||
        !add_product(total, kind->n_bias_layers, kind->n_heads, n_distances(kind), 1))
      return false;
  }
  return add_product(total, n_source, d_model, 1, 1) &&
         add_product(total, n_target, d_model, 1, 1) && add_product(total, n_target, 1, 1, 1);
}

/* The sizes of one kind. */
static void
shape_kind(mt_capture_kind *kind, const mt_capture_spec *spec, int k, size_t rows, size_t cols)
{
  kind->n_layers = spec->n_layers[k];
  kind->n_heads = spec->n_heads[k];
  kind->rows = rows;
  kind->cols = cols;
  kind->n_bias_layers = spec->n_bias_layers[k];
  assert(kind->n_bias_layers <= 1 || kind->n_bias_layers == kind->n_layers);
}

/* Hand out the block in the order of the head comment. */
static void
lay_out(mt_capture *capture, bool with_scores)
{
  float *next = capture->block;
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_capture_kind *kind = &capture->kinds[k];
    size_t n_rows = kind->n_layers * kind->n_heads * kind->rows;
    kind->weights = next, next += n_rows * kind->cols;
    if (with_scores)
      kind->scores = next, next += n_rows * kind->cols;
    kind->row_lse = next, next += n_rows;
    if (kind->n_bias_layers)
      kind->bias = next, next += kind->n_bias_layers * kind->n_heads * n_distances(kind);
  }
  size_t n_source = capture->source ? mt_tokens_count(capture->source) : 0;
  size_t n_target = capture->output ? mt_tokens_count(capture->output) : 0;
  if (capture->d_model) {
    capture->positions[MT_STACK_ENCODER] = next, next += n_source * capture->d_model;
    capture->positions[MT_STACK_DECODER] = next, next += n_target * capture->d_model;
  }
  capture->logprobs = n_target ? next : NULL;
}

mt_capture *
mt_capture_new(const mt_capture_spec *spec, mt_error *error)
{
  bool needs_source = spec->n_layers[MT_ENCODER_SELF] || spec->n_layers[MT_CROSS];
  bool needs_target = spec->n_layers[MT_DECODER_SELF] || spec->n_layers[MT_CROSS];
  if ((needs_source && !spec->source) || (needs_target && !spec->decoder_input && !spec->output)) {
    mt_fail(error, MT_ERROR_INPUT, "a capture needs the tokens of both axes of every kind it has");
    return NULL;
  }
  if (spec->decoder_input && spec->output &&
      mt_tokens_count(spec->decoder_input) != mt_tokens_count(spec->output)) {
    mt_fail(error, MT_ERROR_INPUT,
            "a capture needs as many output tokens as decoder inputs: expected %zu, found %zu",
            mt_tokens_count(spec->decoder_input), mt_tokens_count(spec->output));
    return NULL;
  }
  mt_capture *capture = mt_alloc(1, sizeof *capture);
  if (!capture)
    return mt_fail_no_memory(error), NULL;

  capture->ref_count = 1;
  capture->model_name = mt_strdup(spec->model_name ? spec->model_name : "");
  if (spec->source)
    capture->source = mt_tokens_ref(spec->source);
  if (spec->decoder_input || spec->output) {
    capture->decoder_input =
        mt_tokens_ref(spec->decoder_input ? spec->decoder_input : spec->output);
    capture->output = mt_tokens_ref(spec->output ? spec->output : spec->decoder_input);
  }
  capture->has_decoder_input = spec->decoder_input != NULL;
  capture->has_output = spec->output != NULL;
  capture->naming = spec->naming;
  capture->precision = spec->precision;
  capture->translation_precision = spec->translation_precision;
  if (spec->search) {
    capture->search = (mt_request){.set = spec->search->set, .params = spec->search->params};
    mt_request_set_constraints(&capture->search, spec->search->constraints);
    capture->is_searched = true;
  }
  capture->is_causal = true;
  capture->d_model = spec->d_model;
  capture->attention_window = spec->attention_window;
  if (mt_interventions_count(spec->interventions) >
      0) /* reference count apart, no list is changed */
    capture->hiding = capture->interventions =
        mt_interventions_ref((mt_interventions *) spec->interventions);
  capture->position_kind = spec->position_kind;
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_capture_kind *kind = &capture->kinds[k];
    const mt_tokens *rows = mt_capture_rows(capture, k), *cols = mt_capture_columns(capture, k);
    if (!spec->n_layers[k] || !rows || !cols)
      continue;
    shape_kind(kind, spec, k, mt_tokens_count(rows), mt_tokens_count(cols));
  }

  bool with_scores = spec->flags & MT_CAPTURE_SCORES;
  size_t n_source = capture->source ? mt_tokens_count(capture->source) : 0;
  size_t n_target = capture->output ? mt_tokens_count(capture->output) : 0;
  size_t n_floats;
  if (capture->model_name &&
      count_floats(capture->kinds, n_source, n_target, capture->d_model, with_scores, &n_floats) &&
      n_floats <= SIZE_MAX / sizeof(float)) {
    /* Not aligned, so that the system hands out its zero pages and nobody has to write them. */
    capture->block = mt_alloc(n_floats, sizeof(float));
    capture->block_bytes = n_floats * sizeof(float);
  }
  if (!capture->block) {
    mt_fail_no_memory(error);
    mt_capture_unref(capture);
    return NULL;
  }
  lay_out(capture, with_scores);
  return capture;
}

static void
capture_free(mt_capture *capture)
{
  mt_tokens_unref(capture->source);
  mt_tokens_unref(capture->decoder_input);
  mt_tokens_unref(capture->output);
  mt_interventions_unref(capture->interventions);
  mt_capture_unref(capture->a);
  mt_capture_unref(capture->b);
  mt_free(capture->sides.source);
  mt_free(capture->sides.steps);
  mt_free(capture->sides.keys);
  mt_request_clear(&capture->search);
  mt_free(capture->model_name);
  mt_free(capture->file_name);
  mt_free(capture->block);
  mt_free(capture);
}

MT_DEFINE_COUNTED(mt_capture, capture_free)

const mt_tokens *
mt_capture_source(const mt_capture *capture)
{
  return capture->source;
}

const mt_tokens *
mt_capture_decoder_input(const mt_capture *capture)
{
  return capture->decoder_input;
}

const mt_tokens *
mt_capture_output(const mt_capture *capture)
{
  return capture->output;
}

const mt_tokens *
mt_capture_rows(const mt_capture *capture, mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? capture->source : capture->decoder_input;
}

const mt_tokens *
mt_capture_columns(const mt_capture *capture, mt_attention_kind kind)
{
  return kind == MT_DECODER_SELF ? capture->decoder_input : capture->source;
}

size_t
mt_capture_n_layers(const mt_capture *capture, mt_attention_kind kind)
{
  return capture->kinds[kind].n_layers;
}

size_t
mt_capture_n_heads(const mt_capture *capture, mt_attention_kind kind)
{
  return capture->kinds[kind].n_heads;
}

bool
mt_capture_has_scores(const mt_capture *capture)
{
  for (int k = 0; k < MT_N_KINDS; k++)
    if (capture->kinds[k].scores)
      return true;
  return false;
}

/* Index of head (layer, head) among all heads of the kind. */
static size_t
head_index(const mt_capture_kind *kind, size_t layer, size_t head)
{
  assert(layer < kind->n_layers && head < kind->n_heads);
  return layer * kind->n_heads + head;
}

static float *
head_block(const mt_capture_kind *kind, float *block, size_t layer, size_t head)
{
  return block ? block + head_index(kind, layer, head) * kind->rows * kind->cols : NULL;
}

static mt_matrix
head_matrix(const mt_capture_kind *kind, float *block, size_t layer, size_t head)
{
  return (mt_matrix){head_block(kind, block, layer, head), kind->rows, kind->cols, kind->cols};
}

mt_matrix
mt_capture_weights(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  return head_matrix(k, k->weights, layer, head);
}

mt_matrix
mt_capture_scores(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  return head_matrix(k, k->scores, layer, head);
}

float
mt_capture_score_at(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head,
                    size_t row, size_t col)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  assert(row < k->rows && col < k->cols);
  if (capture->a && isnan(head_block(k, k->weights, layer, head)[row * k->cols + col]))
    return NAN; /* of one side only */
  if (mt_capture_is_masked(capture, kind, layer, head, row, col))
    return -INFINITY;
  if (k->scores)
    return head_block(k, k->scores, layer, head)[row * k->cols + col];
  float weight = head_block(k, k->weights, layer, head)[row * k->cols + col];
  if (!k->row_lse || !(weight > 0))
    return NAN;
  return logf(weight) + k->row_lse[head_index(k, layer, head) * k->rows + row];
}

mt_attention_mask
mt_capture_mask(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  layer += capture->kinds[kind].first_layer; /* changes count those of the model */
  head += capture->kinds[kind].first_head;
  return (mt_attention_mask){
      .is_causal = kind == MT_DECODER_SELF && capture->is_causal,
      .window = kind == MT_CROSS ? 0 : capture->attention_window,
      .interventions =
          mt_interventions_may_hide(capture->hiding, kind, layer, head) ? capture->hiding : NULL,
      .kind = kind,
      .layer = layer,
      .head = head,
      .rows = kind == MT_ENCODER_SELF ? capture->sides.source : capture->sides.steps,
      .cols = kind == MT_DECODER_SELF ? capture->sides.keys : capture->sides.source,
  };
}

bool
mt_attention_mask_is_empty(mt_attention_mask mask)
{
  for (const mt_attention_mask *m = &mask; m; m = m->other)
    if (!m->is_causal && m->window == 0 && !m->interventions && !m->rows && !m->cols)
      return true;
  return false;
}

bool
mt_attention_mask_equal(mt_attention_mask a, mt_attention_mask b)
{
  return a.is_causal == b.is_causal && a.window == b.window && a.interventions == b.interventions &&
         a.rows == b.rows && a.cols == b.cols &&
         (!a.interventions ||
          mt_interventions_hide_alike(a.interventions, a.kind, a.layer, a.head, b.layer, b.head));
}

/* Whether none of [from, end) is on both sides. */
static bool
is_one_sided(const unsigned char *sides, size_t from, size_t end)
{
  for (size_t i = from; sides && i < end; i++)
    if (sides[i] == MT_SIDE_BOTH)
      return false;
  return sides != NULL;
}

static bool
hides_all(const mt_attention_mask *mask, size_t row, size_t row_end, size_t col, size_t col_end)
{
  if (mask->is_causal && col >= row_end)
    return true;
  if (is_one_sided(mask->rows, row, row_end) || is_one_sided(mask->cols, col, col_end))
    return true;
  bool has_diagonal = col < row_end && row < col_end;
  return !has_diagonal && mt_is_beyond_window(mask->window, row, col_end - 1) &&
         mt_is_beyond_window(mask->window, row_end - 1, col);
}

static bool
hides(const mt_attention_mask *mask, size_t row, size_t row_end, size_t col, size_t col_end)
{
  if (hides_all(mask, row, row_end, col, col_end))
    return true;
  if (!mask->interventions && !mask->rows && !mask->cols)
    return false;
  for (size_t r = row; r < row_end; r++)
    for (size_t c = col; c < col_end; c++)
      if (!hides_all(mask, r, r + 1, c, c + 1) &&
          !mt_interventions_hide(mask->interventions, mask->kind, mask->layer, mask->head, r, c))
        return false;
  return true;
}

bool
mt_attention_mask_hides(mt_attention_mask mask, size_t row, size_t row_end, size_t col,
                        size_t col_end)
{
  for (const mt_attention_mask *m = &mask; m; m = m->other)
    if (!hides(m, row, row_end, col, col_end))
      return false;
  return true;
}

bool
mt_capture_is_masked(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head,
                     size_t row, size_t col)
{
  return mt_attention_mask_hides(mt_capture_mask(capture, kind, layer, head), row, row + 1, col,
                                 col + 1);
}

mt_matrix
mt_capture_positions(const mt_capture *capture, mt_stack stack)
{
  const mt_tokens *tokens = stack == MT_STACK_ENCODER ? capture->source : capture->output;
  size_t n = tokens ? mt_tokens_count(tokens) : 0, d = capture->d_model;
  return (mt_matrix){n && d ? capture->positions[stack] : NULL, n, d, d};
}

/* Those of all layers are one where they are the same. */
static float *
bias_of(const mt_capture_kind *kind, size_t layer, size_t head)
{
  assert(layer < kind->n_layers && head < kind->n_heads);
  if (!kind->bias)
    return NULL;
  const size_t at = kind->n_bias_layers == 1 ? head : layer * kind->n_heads + head;
  return kind->bias + at * n_distances(kind);
}

mt_matrix
mt_capture_score_bias(const mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  const float *data = bias_of(k, layer, head);
  const size_t n = n_distances(k);
  return data ? (mt_matrix){data, 1, n, n} : (mt_matrix){0};
}

float
mt_capture_score_bias_at(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                         size_t head, size_t row, size_t col)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  const float *data = bias_of(k, layer, head);
  assert(row < k->rows && col < k->cols);
  /* Rows of self-attention are its columns. */
  return data && row < k->cols ? data[k->cols - 1 + col - row] : NAN;
}

mt_position_kind
mt_capture_position_kind(const mt_capture *capture)
{
  return capture->position_kind;
}

const float *
mt_capture_logprobs(const mt_capture *capture)
{
  return capture->logprobs;
}

const char *
mt_capture_model_name(const mt_capture *capture)
{
  return capture->model_name;
}

bool
mt_capture_is_recorded(const mt_capture *capture)
{
  return capture->is_recorded;
}

mt_precision
mt_capture_precision(const mt_capture *capture)
{
  return capture->precision;
}

mt_precision
mt_capture_translation_precision(const mt_capture *capture)
{
  return capture->translation_precision;
}

const mt_request *
mt_capture_search(const mt_capture *capture)
{
  return capture->is_searched ? &capture->search : NULL;
}

const mt_interventions *
mt_capture_interventions(const mt_capture *capture)
{
  return capture->interventions;
}

const char *
mt_capture_file_name(const mt_capture *capture)
{
  return capture->file_name ? capture->file_name : "";
}

mt_naming
mt_capture_naming(const mt_capture *capture)
{
  return capture->naming;
}

bool
mt_capture_has_decoder_input(const mt_capture *capture)
{
  return capture->has_decoder_input;
}

bool
mt_capture_has_output(const mt_capture *capture)
{
  return capture->has_output;
}

size_t
mt_capture_bytes(const mt_capture *capture)
{
  return sizeof *capture + capture->block_bytes;
}

float *
mt_capture_fill_weights(mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  return head_block(k, k->weights, layer, head);
}

float *
mt_capture_fill_scores(mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  return head_block(k, k->scores, layer, head);
}

float *
mt_capture_fill_row_lse(mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  const mt_capture_kind *k = &capture->kinds[kind];
  return k->row_lse + head_index(k, layer, head) * k->rows;
}

float *
mt_capture_fill_score_bias(mt_capture *capture, mt_attention_kind kind, size_t layer, size_t head)
{
  return bias_of(&capture->kinds[kind], layer, head);
}

float *
mt_capture_fill_positions(mt_capture *capture, mt_stack stack)
{
  return capture->positions[stack];
}

float *
mt_capture_fill_logprobs(mt_capture *capture)
{
  return capture->logprobs;
}

/* ---- Parts of a capture ---------------------------------------------------------------------- */

/* A part of a capture: one kind of attention, one layer, one head.
 *
 * It is a capture like any other, which also knows which layer and which head of the model its
 * first ones are. */

size_t
mt_capture_first_layer(const mt_capture *capture, mt_attention_kind kind)
{
  return capture->kinds[kind].first_layer;
}

size_t
mt_capture_first_head(const mt_capture *capture, mt_attention_kind kind)
{
  return capture->kinds[kind].first_head;
}

bool
mt_capture_is_part(const mt_capture *capture, mt_attention_kind kind)
{
  return capture->kinds[kind].is_part;
}

bool
mt_capture_has_all_heads(const mt_capture *capture, mt_attention_kind kind)
{
  return !capture->kinds[kind].lacks_heads;
}

/* The matrices of one kind; layer and head of `from` that the first of `to` is. */
static void
copy_kind(mt_capture_kind *to, const mt_capture_kind *from, size_t layer, size_t head)
{
  const size_t size = from->rows * from->cols;
  for (size_t l = 0; l < to->n_layers; l++)
    for (size_t h = 0; h < to->n_heads; h++) {
      size_t at = l * to->n_heads + h, source = (layer + l) * from->n_heads + head + h;
      memcpy(to->weights + at * size, from->weights + source * size, size * sizeof(float));
      if (from->scores)
        memcpy(to->scores + at * size, from->scores + source * size, size * sizeof(float));
      if (from->row_lse)
        memcpy(to->row_lse + at * from->rows, from->row_lse + source * from->rows,
               from->rows * sizeof(float));
    }
  if (!from->row_lse)
    to->row_lse = NULL;
  for (size_t l = 0; l < to->n_bias_layers; l++)
    for (size_t h = 0; h < to->n_heads; h++)
      memcpy(bias_of(to, l, h), bias_of(from, layer + l, head + h),
             n_distances(from) * sizeof(float));
}

/* A spec becomes that of a part of it. */
static bool
narrow(mt_capture_spec *spec, const mt_capture_place *place, mt_error *error)
{
  assert(place->kind < MT_N_KINDS);
  size_t n_kinds = 0;
  for (int k = 0; k < MT_N_KINDS; k++) {
    const size_t n_layers = spec->n_layers[k], n_heads = spec->n_heads[k];
    if (place->kind >= 0 && k != place->kind)
      spec->n_layers[k] = spec->n_heads[k] = spec->n_bias_layers[k] = 0;
    if (!spec->n_layers[k])
      continue;
    if ((place->layer >= 0 && (size_t) place->layer >= n_layers) ||
        (place->head >= 0 && (size_t) place->head >= n_heads))
      return mt_fail(
          error, MT_ERROR_INPUT,
          "There is no layer %d with a head %d; there are %zu layers of %zu heads, from 0.",
          place->layer, place->head, n_layers, n_heads);
    if (place->layer >= 0)
      spec->n_layers[k] = 1;
    if (place->head >= 0)
      spec->n_heads[k] = 1;
    if (spec->n_bias_layers[k] > 1)
      spec->n_bias_layers[k] = spec->n_layers[k];
    n_kinds++;
  }
  if (!(spec->flags & MT_CAPTURE_POSITIONS))
    spec->d_model = 0;
  return n_kinds > 0 ||
         mt_fail(error, MT_ERROR_INPUT, "There is no attention of that kind to take a part of.");
}

static size_t
first_of(int number)
{
  return number < 0 ? 0 : (size_t) number;
}

mt_capture *
mt_capture_new_part(const mt_capture_spec *spec, const mt_capture_place *place, mt_error *error)
{
  mt_capture_spec own = *spec;
  if (!place)
    return mt_capture_new(spec, error);
  mt_capture *part = narrow(&own, place, error) ? mt_capture_new(&own, error) : NULL;
  for (int k = 0; part && k < MT_N_KINDS; k++) {
    mt_capture_kind *kind = &part->kinds[k];
    if (!kind->n_layers)
      continue;
    kind->is_part = place->layer >= 0 || place->head >= 0;
    kind->lacks_heads = place->head >= 0;
    kind->first_layer = first_of(place->layer);
    kind->first_head = first_of(place->head);
  }
  return part;
}

size_t
mt_capture_spec_bytes(const mt_capture_spec *spec, const mt_capture_place *place, size_t n_source,
                      size_t n_target)
{
  mt_capture_spec own = *spec;
  mt_capture_kind kinds[MT_N_KINDS] = {0};
  mt_error error = {0};
  size_t n_floats, bytes;
  if (place && !narrow(&own, place, &error))
    return 0;
  for (int k = 0; k < MT_N_KINDS; k++)
    shape_kind(&kinds[k], &own, k, k == MT_ENCODER_SELF ? n_source : n_target,
               k == MT_DECODER_SELF ? n_target : n_source);
  if (!count_floats(kinds, n_source, n_target, own.d_model, own.flags & MT_CAPTURE_SCORES,
                    &n_floats) ||
      __builtin_mul_overflow(n_floats, sizeof(float), &bytes) ||
      __builtin_add_overflow(bytes, sizeof(mt_capture), &bytes))
    return SIZE_MAX;
  return bytes;
}

mt_capture *
mt_capture_part(const mt_capture *capture, int kind, int layer, int head, mt_error *error)
{
  const mt_capture_place place = {kind, layer, head};
  mt_capture_spec spec = {
      .model_name = capture->model_name,
      .source = capture->source,
      .decoder_input = capture->has_decoder_input ? capture->decoder_input : NULL,
      .output = capture->has_output ? capture->output : NULL,
      .attention_window = capture->attention_window,
      .interventions = capture->interventions,
      .position_kind = capture->position_kind,
      .flags = mt_capture_has_scores(capture) ? MT_CAPTURE_SCORES : 0,
      .naming = capture->naming,
      .precision = capture->precision,
      .translation_precision = capture->translation_precision,
      .search = mt_capture_search(capture),
  };
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_capture_kind *from = &capture->kinds[k];
    spec.n_layers[k] = from->n_layers;
    spec.n_heads[k] = from->n_heads;
    spec.n_bias_layers[k] = from->bias ? from->n_bias_layers : 0;
  }
  if (capture->a) {
    mt_fail(error, MT_ERROR_INPUT, "There is no attention of that kind to take a part of.");
    return NULL;
  }
  mt_capture *part = mt_capture_new_part(&spec, &place, error);
  if (!part)
    return NULL;
  part->is_causal = capture->is_causal;
  part->hiding = capture->hiding ? part->interventions : NULL;
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_capture_kind *to = &part->kinds[k];
    const mt_capture_kind *from = &capture->kinds[k];
    if (!to->n_layers)
      continue;
    to->is_part = to->is_part || from->is_part;
    to->lacks_heads = to->lacks_heads || from->lacks_heads;
    to->first_layer += from->first_layer;
    to->first_head += from->first_head;
    copy_kind(to, from, first_of(layer), first_of(head));
  }
  if (capture->logprobs && part->logprobs)
    memcpy(part->logprobs, capture->logprobs,
           mt_tokens_count(part->output) * sizeof *part->logprobs);
  else
    part->logprobs = NULL;
  return part;
}

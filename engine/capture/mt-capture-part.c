/* mt-capture-part.c — a part of a capture: one kind of attention, one layer, one head.
 *
 * It is a capture like any other, which also knows which layer and which head of the model its
 * first ones are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "capture/mt-capture.h"

#include "base/mt-error.h"

#include <assert.h>
#include <string.h>

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
}

mt_capture *
mt_capture_part(const mt_capture *capture, int kind, int layer, int head, mt_error *error)
{
  assert(kind < MT_N_KINDS);
  mt_capture_spec spec = {
      .model_name = capture->model_name,
      .source = capture->source,
      .decoder_input = capture->has_decoder_input ? capture->decoder_input : NULL,
      .output = capture->has_output ? capture->output : NULL,
      .attention_window = capture->attention_window,
      .changes = capture->changes,
      .position_kind = capture->position_kind,
      .flags = mt_capture_has_scores(capture) ? MT_CAPTURE_SCORES : 0,
      .naming = capture->naming,
      .precision = capture->precision,
      .translation_precision = capture->translation_precision,
      .search = mt_capture_search(capture),
  };
  size_t n_kinds = 0;
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_capture_kind *from = &capture->kinds[k];
    if (!from->n_layers || (kind >= 0 && k != kind))
      continue;
    if ((layer >= 0 && (size_t) layer >= from->n_layers) ||
        (head >= 0 && (size_t) head >= from->n_heads)) {
      mt_fail(error, MT_ERROR_INPUT,
              "There is no layer %d with a head %d; there are %zu layers of %zu heads, from 0.",
              layer, head, from->n_layers, from->n_heads);
      return NULL;
    }
    spec.n_layers[k] = layer < 0 ? from->n_layers : 1;
    spec.n_heads[k] = head < 0 ? from->n_heads : 1;
    n_kinds++;
  }
  if (capture->a || n_kinds == 0) {
    mt_fail(error, MT_ERROR_INPUT, "There is no attention of that kind to take a part of.");
    return NULL;
  }
  mt_capture *part = mt_capture_new(&spec, error);
  if (!part)
    return NULL;
  part->is_causal = capture->is_causal;
  part->hiding = capture->hiding ? part->changes : NULL;
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_capture_kind *to = &part->kinds[k];
    const mt_capture_kind *from = &capture->kinds[k];
    if (!to->n_layers)
      continue;
    to->is_part = layer >= 0 || head >= 0 || from->is_part;
    to->first_layer = from->first_layer + (size_t) (layer < 0 ? 0 : layer);
    to->first_head = from->first_head + (size_t) (head < 0 ? 0 : head);
    copy_kind(to, from, (size_t) (layer < 0 ? 0 : layer), (size_t) (head < 0 ? 0 : head));
  }
  if (capture->logprobs && part->logprobs)
    memcpy(part->logprobs, capture->logprobs,
           mt_tokens_count(part->output) * sizeof *part->logprobs);
  else
    part->logprobs = NULL;
  return part;
}

/* mt-neurons.c — what the neurons of a feed-forward network do, and say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A neuron writes its column of the second map to the stream, as often as it is active; through the
 * output matrix that raises some pieces and lowers others (Geva 2022).
 */
#include "base/mt-alloc.h"
#include "model/mt-model.h"

#include <math.h>
#include <string.h>

static mt_matrix
hidden_of(const mt_trace *trace, mt_stack stack, size_t layer)
{
  return mt_trace_get(trace, MT_SITE_HIDDEN, mt_stack_kind(stack), (int) layer, -1);
}

double
mt_neurons_active(const mt_trace *trace, mt_stack stack, size_t layer, size_t token)
{
  mt_matrix hidden = hidden_of(trace, stack, layer);
  size_t n = 0;
  if (!hidden.data || token >= hidden.rows)
    return NAN;
  for (size_t i = 0; i < hidden.cols; i++)
    n += fabsf(mt_matrix_at(&hidden, token, i)) > 1e-6f;
  return (double) n / (double) hidden.cols;
}

size_t
mt_neurons_strongest(const mt_trace *trace, mt_stack stack, size_t layer, size_t token, size_t n,
                     mt_neuron *out)
{
  mt_matrix hidden = hidden_of(trace, stack, layer);
  size_t found = 0;
  if (!hidden.data || token >= hidden.rows)
    return 0;
  for (size_t i = 0; i < hidden.cols; i++) {
    const float a = mt_matrix_at(&hidden, token, i);
    size_t at = found;
    while (at > 0 && fabsf(a) > fabsf(out[at - 1].activation))
      at--;
    if (at >= n)
      continue;
    found = found < n ? found + 1 : n;
    memmove(out + at + 1, out + at, (found - 1 - at) * sizeof *out);
    out[at] = (mt_neuron){i, a};
  }
  return found;
}

/* Puts a piece into a list of the n largest (of sign times logit). */
static size_t
insert(mt_neuron_piece *list, size_t found, size_t n, mt_neuron_piece piece, float sign)
{
  size_t at = found;
  while (at > 0 && sign * piece.logit > sign * list[at - 1].logit)
    at--;
  if (at >= n)
    return found;
  found = found < n ? found + 1 : n;
  memmove(list + at + 1, list + at, (found - 1 - at) * sizeof *list);
  list[at] = piece;
  return found;
}

size_t
mt_neuron_says(const mt_model *model, mt_stack stack, size_t layer, size_t neuron, size_t n,
               mt_neuron_piece *raised, mt_neuron_piece *lowered)
{
  const float *bias;
  if (layer >= model->config.n_layers[stack])
    return 0;
  mt_matrix back = mt_model_feed_forward_map(model, stack, layer, MT_MAP_BACK, &bias);
  mt_matrix out = stack == MT_STACK_DECODER ? mt_model_output_map(model, &bias)
                                            : mt_model_embedding(model, stack);
  size_t found = 0, low = 0;
  if (neuron >= back.cols)
    return 0;
  for (size_t v = 0; v < out.rows; v++) {
    double logit = 0;
    for (size_t i = 0; i < out.cols; i++)
      logit += (double) mt_matrix_at(&out, v, i) * mt_matrix_at(&back, i, neuron);
    const mt_neuron_piece piece = {(int32_t) v, (float) logit};
    found = insert(raised, found, n, piece, 1);
    low = insert(lowered, low, n, piece, -1);
  }
  return found;
}

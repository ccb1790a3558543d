/* regard-token-card.c — one token at one sub-layer as numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-token-card.h"

#include <math.h>

/* Less is none, as mt_neurons_active counts. */
#define ACTIVE 1e-6f

static gboolean
fill_norms(RegardTokenCard *self, const mt_trace *const *batch, gsize n_batch, mt_error *error)
{
  RegardLayers *layers = self->layers;
  const mt_point point = mt_point_at(mt_model_config(layers->model), self->stack, self->point);
  const guint d = self->d;
  const float *gain, *bias;
  mt_batch_norm *over = n_batch ? mt_batch_norm_new(batch, n_batch, point, error) : NULL;
  gboolean ok = !n_batch || over;
  self->read = g_new0(float, d);
  self->by_layer = g_new0(float, d);
  self->by_batch = over ? g_new0(float, d) : NULL;
  ok = ok && mt_norms_compare(layers->model, layers->trace, point, self->token, over, self->read,
                              self->by_layer, self->by_batch);
  ok = ok && mt_point_norm(layers->model, point, &gain, &bias);
  if (ok) {
    self->gain = g_memdup2(gain, d * sizeof *gain);
    self->bias = g_memdup2(bias, d * sizeof *bias);
    self->numbers = mt_stream_measure(layers->model, layers->trace, point, self->token);
  } else if (error && !*error->message) {
    error->code = MT_ERROR_INPUT;
    g_strlcpy(error->message, "There is no layer norm at this point.", sizeof error->message);
  }
  if (ok && over) {
    self->n_batch = (guint) mt_batch_norm_tokens(over);
    self->batch_mean = g_new(float, d);
    self->batch_sigma = g_new(float, d);
    for (guint i = 0; i < d; i++) {
      self->batch_mean[i] = (float) mt_batch_norm_mean(over)[i];
      self->batch_sigma[i] = (float) mt_batch_norm_sigma(over)[i];
    }
  }
  mt_batch_norm_free(over);
  return ok;
}

static void
fill_neurons(RegardTokenCard *self)
{
  RegardLayers *layers = self->layers;
  const mt_config *config = mt_model_config(layers->model);
  const mt_point point = mt_point_at(config, self->stack, self->point);
  mt_neuron strongest[REGARD_CARD_NEURONS];
  self->active = NAN;
  if (point.sub_layer != MT_SUB_LAYER_FEED_FORWARD)
    return;
  self->d_ffn = (guint) config->d_ffn[self->stack];
  self->active = mt_neurons_active(layers->trace, self->stack, (gsize) point.layer, self->token);
  self->n_neurons = (guint) mt_neurons_strongest(layers->trace, self->stack, (gsize) point.layer,
                                                 self->token, REGARD_CARD_NEURONS, strongest);
  while (self->n_neurons > 0 && fabsf(strongest[self->n_neurons - 1].activation) <= ACTIVE)
    self->n_neurons--; /* fewer are active than there is room for */
  for (guint i = 0; i < self->n_neurons; i++) {
    RegardCardNeuron *neuron = &self->neurons[i];
    neuron->neuron = strongest[i];
    neuron->n_pieces =
        (guint) mt_neuron_says(layers->model, self->stack, (gsize) point.layer, strongest[i].neuron,
                               REGARD_CARD_PIECES, neuron->raised, neuron->lowered);
  }
}

RegardTokenCard *
regard_token_card_new(RegardLayers *layers, mt_stack stack, guint point, guint token,
                      const mt_trace *const *batch, gsize n_batch, mt_error *error)
{
  RegardTokenCard *self = g_new0(RegardTokenCard, 1);
  g_atomic_ref_count_init(&self->ref_count);
  self->layers = regard_layers_ref(layers);
  self->stack = stack;
  self->point = point;
  self->token = token;
  self->d = (guint) mt_model_config(layers->model)->d_model;
  if (!fill_norms(self, batch, n_batch, error)) {
    regard_token_card_unref(self);
    return NULL;
  }
  fill_neurons(self);
  return self;
}

RegardTokenCard *
regard_token_card_ref(RegardTokenCard *self)
{
  g_atomic_ref_count_inc(&self->ref_count);
  return self;
}

void
regard_token_card_unref(RegardTokenCard *self)
{
  if (!self || !g_atomic_ref_count_dec(&self->ref_count))
    return;
  regard_layers_unref(self->layers);
  g_free(self->read);
  g_free(self->gain);
  g_free(self->bias);
  g_free(self->by_layer);
  g_free(self->batch_mean);
  g_free(self->batch_sigma);
  g_free(self->by_batch);
  g_free(self);
}

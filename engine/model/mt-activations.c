/* mt-activations.c — what one run of a sentence computed: a value.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-activations.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"
#include "kernels/mt-kinds.h"

/* Rows of a stack in one layer. */
static size_t
layer_size(const mt_activations *states, mt_stack stack)
{
  return states->n_tokens[stack] * states->d_model;
}

static size_t
stream_size(const mt_activations *states, mt_stack stack)
{
  mt_attention_kind kind = mt_stack_kind(stack);
  return (states->n_layers[kind] + 1) * layer_size(states, stack);
}

static size_t
residuals_size(const mt_activations *states, mt_attention_kind kind)
{
  return states->n_layers[kind] * layer_size(states, mt_kind_stack(kind));
}

static size_t
contexts_size(const mt_activations *states, mt_attention_kind kind)
{
  return states->n_layers[kind] * states->n_tokens[mt_kind_stack(kind)] * states->inner[kind];
}

mt_activations *
mt_activations_alloc(const mt_model *model, size_t n_source, size_t n_target, mt_error *error)
{
  mt_activations *states = mt_alloc(1, sizeof *states);
  if (!states)
    return mt_fail_no_memory(error), NULL;
  states->ref_count = 1;
  states->d_model = model->config.d_model;
  states->n_tokens[MT_STACK_ENCODER] = n_source;
  states->n_tokens[MT_STACK_DECODER] = n_target;
  bool ok = true;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    states->n_layers[kind] = model->config.n_layers[mt_kind_stack(kind)];
    states->n_heads[kind] = model->config.n_heads[mt_kind_stack(kind)];
    states->inner[kind] = mt_inner(&model->config, mt_kind_stack(kind));
    states->residuals[kind] = mt_alloc(residuals_size(states, kind), sizeof(float));
    states->contexts[kind] = mt_alloc(contexts_size(states, kind), sizeof(float));
    ok = ok && states->residuals[kind] && states->contexts[kind];
  }
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++) {
    states->streams[stack] = mt_alloc(stream_size(states, stack), sizeof(float));
    ok = ok && states->streams[stack];
  }
  if (ok)
    return states;
  mt_activations_unref(states);
  return mt_fail_no_memory(error), NULL;
}

static void
states_free(mt_activations *states)
{
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    mt_free(states->residuals[kind]);
    mt_free(states->contexts[kind]);
  }
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    mt_free(states->streams[stack]);
  mt_free(states);
}

MT_DEFINE_COUNTED(mt_activations, states_free)

void
mt_activations_seal(mt_activations *states)
{
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, states->n_tokens, sizeof states->n_tokens);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    hash =
        mt_hash_bytes(hash, states->residuals[kind], residuals_size(states, kind) * sizeof(float));
    hash = mt_hash_bytes(hash, states->contexts[kind], contexts_size(states, kind) * sizeof(float));
  }
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    hash = mt_hash_bytes(hash, states->streams[stack], stream_size(states, stack) * sizeof(float));
  states->hash = hash;
}

bool
mt_activations_fit(const mt_activations *states, const mt_config *config)
{
  bool fits = states->d_model == config->d_model;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    fits = fits && states->n_layers[kind] == config->n_layers[mt_kind_stack(kind)] &&
           states->n_heads[kind] == config->n_heads[mt_kind_stack(kind)] &&
           states->inner[kind] == mt_inner(config, mt_kind_stack(kind));
  return fits;
}

/* mt-fingerprint.c — by what a model is known, whatever it is called.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-hash.h"
#include "model/mt-model.h"

#include <string.h>

static uint64_t
hash_floats(uint64_t hash, const float *x, size_t n)
{
  return x ? mt_hash_bytes(hash, x, n * sizeof *x) : hash;
}

uint64_t
mt_model_fingerprint(const mt_model *model)
{
  const mt_config *config = &model->config;
  const size_t sizes[] = {config->d_model, config->n_layers[0], config->n_layers[1],
                          config->n_heads[0], config->n_heads[1]};
  size_t d = config->d_model;
  uint64_t hash = mt_hash_bytes(MT_HASH_BEGIN, sizes, sizeof sizes);
  for (mt_stack stack = 0; stack < MT_N_STACKS; stack++)
    for (size_t l = 0; l < config->n_layers[stack]; l++) {
      const mt_layer_weights *layer = &model->stacks[stack].layers[l];
      const float *const rows[] = {layer->self_norm.gain,   layer->self_norm.bias,
                                   layer->cross_norm.gain,  layer->ffn_norm.gain,
                                   layer->self.out.weight,  layer->self.out.bias,
                                   layer->cross.out.weight, layer->cross.out.bias,
                                   layer->ffn.fc2.bias};
      for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        hash = hash_floats(hash, rows[i], d);
    }
  return hash;
}

bool
mt_fingerprint_parse(const char *digits, uint64_t *fingerprint)
{
  if (strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16)
    return false;
  *fingerprint = 0;
  for (size_t i = 0; i < 16; i++)
    *fingerprint =
        *fingerprint * 16 + (uint64_t) (digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
  return true;
}

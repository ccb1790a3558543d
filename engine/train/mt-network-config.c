/* mt-network-config.c — the shape of a network that is trained: defaults, bounds, a given model's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"
#include "model/mt-config.h"
#include "model/mt-model.h"
#include "train/mt-network-layout.h"

#include <math.h>

#define MAX_R_DROP 1000

mt_network_config
mt_network_config_default(void)
{
  return (mt_network_config){
      .d_model = 256,
      .n_layers = {6, 6},
      .n_heads = 8,
      .d_ffn = 1024,
      .max_positions = 512,
      .activation = MT_ACTIVATION_RELU,
      .dropout = 0.1,
      .label_smoothing = 0.1,
      .init = MT_INIT_DEEPNORM,
  };
}

static bool
check_size(const char *name, size_t value, size_t min, size_t max, mt_error *error)
{
  if (value >= min && value <= max)
    return true;
  return mt_fail(error, MT_ERROR_INPUT, "Network: expected %s between %zu and %zu, found %zu.",
                 name, min, max, value);
}

static bool
check_share(const char *name, double value, mt_error *error)
{
  /* Written so that NaN is refused. */
  if (value >= 0 && value < 1)
    return true;
  return mt_fail(error, MT_ERROR_INPUT,
                 "Network: expected %s of at least 0 and less than 1, found %g.", name, value);
}

/* Two passes without dropout are the same pass. */
static bool
check_r_drop(const mt_network_config *c, mt_error *error)
{
  if (!(c->r_drop >= 0 && c->r_drop <= MAX_R_DROP))
    return mt_fail(error, MT_ERROR_INPUT, "Network: expected an R-Drop of 0 to %d, found %g.",
                   MAX_R_DROP, c->r_drop);
  if (c->r_drop > 0 && c->dropout <= 0 && c->activation_dropout <= 0)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected dropout where there is R-Drop, found 0.");
  return true;
}

bool
mt_network_config_check(const mt_network_config *c, mt_error *error)
{
  if (!check_size("d_model", c->d_model, 1, MT_CONFIG_MAX_D, error) ||
      !check_size("encoder layers", c->n_layers[MT_STACK_ENCODER], 1, MT_NETWORK_MAX_LAYERS,
                  error) ||
      !check_size("decoder layers", c->n_layers[MT_STACK_DECODER], 1, MT_NETWORK_MAX_LAYERS,
                  error) ||
      !check_size("heads", c->n_heads, 1, c->d_model, error) ||
      !check_size("width of the feed-forward network", c->d_ffn, 1, MT_CONFIG_MAX_FFN, error) ||
      !check_size("vocabulary size", c->vocab_size, 2, MT_CONFIG_MAX_VOCAB, error) ||
      !check_size("positions", c->max_positions, 1, MT_CONFIG_MAX_POSITIONS, error) ||
      !check_size("attention window", c->attention_window, 0, MT_CONFIG_MAX_POSITIONS, error) ||
      !check_share("dropout", c->dropout, error) ||
      !check_share("activation dropout", c->activation_dropout, error) ||
      !check_share("label smoothing", c->label_smoothing, error) || !check_r_drop(c, error))
    return false;
  if (c->d_model % c->n_heads)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected heads that divide d_model %zu, found %zu heads.", c->d_model,
                   c->n_heads);
  if (!c->learned_positions && c->d_model % 2)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected an even d_model for sinusoidal positions, found %zu.",
                   c->d_model);
  if (c->max_positions > MT_CONFIG_MAX_TABLE / c->d_model)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected positions times d_model of at most %d, found %zu times %zu.",
                   MT_CONFIG_MAX_TABLE, c->max_positions, c->d_model);
  if (c->activation != MT_ACTIVATION_RELU && c->activation != MT_ACTIVATION_SILU &&
      c->activation != MT_ACTIVATION_GELU)
    return mt_fail(error, MT_ERROR_INPUT, "Network: expected a known activation, found number %d.",
                   (int) c->activation);
  if (c->zero_pad && (c->pad_id < 0 || (size_t) c->pad_id >= c->vocab_size))
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected an id of <pad> from 0 to %zu, found %d.", c->vocab_size - 1,
                   (int) c->pad_id);
  if (c->init != MT_INIT_XAVIER && c->init != MT_INIT_DEEPNORM)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected a known initialisation, found number %d.", (int) c->init);
  if (c->init == MT_INIT_DEEPNORM && c->normalize_before)
    return mt_fail(error, MT_ERROR_INPUT,
                   "Network: expected DeepNorm with post-norm layers, found pre-norm ones.");
  return true;
}

static bool
refuse(const mt_model *model, const char *expected, const char *found, mt_error *error)
{
  return mt_fail(error, MT_ERROR_UNSUPPORTED, "%s: expected %s to train it further, found %s.",
                 mt_model_name(model), expected, found);
}

bool
mt_network_config_of_model(mt_network_config *config, const mt_model *model, mt_error *error)
{
  const mt_config *c = mt_model_config(model);
  if (!c->share_embeddings || c->vocab_size[0] != c->vocab_size[1])
    return refuse(model, "one embedding for source and target", "two", error);
  if (c->norm_kind != MT_NORM_LAYER || c->feed_forward_kind != MT_FEED_FORWARD_PLAIN)
    return refuse(model, "layer norms and plain feed-forward networks", "another kind", error);
  if (c->normalize_embedding)
    return refuse(model, "no norm after the embedding", "one", error);
  if (c->add_final_layer_norm != c->normalize_before)
    return refuse(model, "a norm at the end of each stack in pre-norm models and in no others",
                  c->normalize_before ? "pre-norm layers without it" : "post-norm layers with it",
                  error);
  if (c->n_heads[0] != c->n_heads[1])
    return refuse(model, "as many heads in the encoder as in the decoder", "different numbers",
                  error);
  if (c->d_ffn[0] != c->d_ffn[1])
    return refuse(model, "feed-forward networks of one width", "two widths", error);
  if (c->position_kind == MT_POSITIONS_SINUSOIDAL_INTERLEAVED)
    return refuse(model, "positions with all sines first, or learned ones",
                  "sines and cosines that alternate", error);
  if (!c->scale_embedding)
    return refuse(model, "embeddings scaled by the root of d_model", "unscaled ones", error);
  mt_network_config n = mt_network_config_default();
  n.d_model = c->d_model;
  for (int s = 0; s < MT_N_STACKS; s++)
    n.n_layers[s] = c->n_layers[s];
  n.n_heads = c->n_heads[0];
  n.d_ffn = c->d_ffn[0];
  n.vocab_size = c->vocab_size[0];
  n.max_positions = c->max_positions;
  n.activation = c->activation;
  n.normalize_before = c->normalize_before;
  n.attention_window = c->attention_window;
  n.untied_output = !c->tie_word_embeddings;
  n.learned_positions = c->position_kind == MT_POSITIONS_LEARNED;
  n.init = c->normalize_before ? MT_INIT_XAVIER : MT_INIT_DEEPNORM;
  if (!mt_network_config_check(&n, error))
    return false;
  *config = n;
  return true;
}

double
mt_network_residual_factor(const mt_network_config *config, mt_stack stack)
{
  if (config->init != MT_INIT_DEEPNORM)
    return 1;
  double n = (double) config->n_layers[MT_STACK_ENCODER];
  double m = (double) config->n_layers[MT_STACK_DECODER];
  double a = stack == MT_STACK_ENCODER ? 0.81 * pow(n * n * n * n * m, 1.0 / 16) : pow(3 * m, 0.25);
  return 1 / a;
}

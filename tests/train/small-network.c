/* small-network.c — tiny networks of every kind, and a batch of odd lengths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-network.h"

#define SHAPE                                                                     \
  .d_model = 12, .n_layers = {2, 2}, .n_heads = 3, .d_ffn = 20, .vocab_size = 23, \
  .max_positions = 64

const small_variant small_variants[] = {
    {"plain", {SHAPE}},
    {"deepnorm, dropout, smoothing",
     {SHAPE, .init = MT_INIT_DEEPNORM, .dropout = 0.2, .label_smoothing = 0.1}},
    {"pre-norm, silu",
     {SHAPE, .normalize_before = true, .activation = MT_ACTIVATION_SILU, .label_smoothing = 0.2}},
    {"pre-norm, learned positions, dropout",
     {SHAPE, .normalize_before = true, .learned_positions = true, .dropout = 0.3}},
    {"gelu, dropout inside",
     {SHAPE, .activation = MT_ACTIVATION_GELU, .activation_dropout = 0.25, .dropout = 0.1}},
    {"relu, dropout inside", {SHAPE, .activation_dropout = 0.25}},
    {"silu, dropout inside, learned positions",
     {SHAPE, .activation = MT_ACTIVATION_SILU, .activation_dropout = 0.4,
      .learned_positions = true}},
    {"window of 2", {SHAPE, .attention_window = 2}},
    {"r-drop", {SHAPE, .dropout = 0.3, .label_smoothing = 0.1, .r_drop = 5}},
    {"untied, dropout", {SHAPE, .untied_output = true, .dropout = 0.1, .label_smoothing = 0.1}},
    {"window of 40, deepnorm", {SHAPE, .attention_window = 40, .init = MT_INIT_DEEPNORM}},
    {"odd sizes",
     {.d_model = 15,
      .n_layers = {1, 3},
      .n_heads = 5,
      .d_ffn = 7,
      .vocab_size = 11,
      .max_positions = 50,
      .learned_positions = true,
      .label_smoothing = 0.1}},
};
const size_t small_n_variants = G_N_ELEMENTS(small_variants);

double
small_random(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double) (*state >> 8) / (1 << 23) - 1;
}

mt_train_batch *
small_batch_new(const mt_network_config *config, uint32_t seed)
{
  static const uint32_t lengths[][2] = {{3, 4}, {1, 1}, {7, 5}, {41, 2}, {2, 45}, {6, 6}};
  enum { N_LENGTHS = G_N_ELEMENTS(lengths) };
  const size_t n = config->r_drop > 0 ? 2 * N_LENGTHS : N_LENGTHS;
  const uint32_t first_seed = seed;
  mt_train_batch *batch = g_new0(mt_train_batch, 1);
  uint32_t *begin[2] = {g_new0(uint32_t, n + 1), g_new0(uint32_t, n + 1)};
  for (size_t i = 0; i < n; i++)
    for (int s = 0; s < 2; s++)
      begin[s][i + 1] = begin[s][i] + lengths[i % N_LENGTHS][s];
  int32_t *source = g_new(int32_t, begin[0][n]);
  int32_t *in = g_new(int32_t, begin[1][n]), *out = g_new(int32_t, begin[1][n]);
  const double n_words = (double) config->vocab_size;
  for (size_t i = 0; i < n; i++) {
    if (i % N_LENGTHS == 0)
      seed = first_seed;
    for (uint32_t r = begin[0][i]; r < begin[0][i + 1]; r++)
      source[r] = (int32_t) ((small_random(&seed) + 1) / 2 * n_words);
    for (uint32_t r = begin[1][i]; r < begin[1][i + 1]; r++) {
      in[r] = r == begin[1][i] ? (int32_t) config->vocab_size - 1 : out[r - 1];
      out[r] = (int32_t) ((small_random(&seed) + 1) / 2 * n_words);
    }
  }
  *batch = (mt_train_batch){n, begin[0], begin[1], source, in, out};
  return batch;
}

void
small_batch_free(mt_train_batch *batch)
{
  g_free((void *) batch->source_begin);
  g_free((void *) batch->target_begin);
  g_free((void *) batch->source);
  g_free((void *) batch->target_in);
  g_free((void *) batch->target_out);
  g_free(batch);
}

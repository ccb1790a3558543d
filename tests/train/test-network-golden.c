/* test-network-golden.c — loss and every gradient of one batch as PyTorch computes them; the
 * reference is tests/reference/make_train.py, which says what a variant is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"
#include "small-network.h"
#include "suite.h"
#include "train/mt-train-pass.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-4

#define SHAPE \
  .d_model = 8, .n_layers = {2, 2}, .n_heads = 2, .d_ffn = 12, .vocab_size = 13, .max_positions = 16

static const small_variant variants[] = {
    {"post-norm-relu", {SHAPE, .label_smoothing = 0.1}},
    {"deepnorm", {SHAPE, .label_smoothing = 0.1, .init = MT_INIT_DEEPNORM}},
    {"pre-norm-gelu", {SHAPE, .normalize_before = true, .activation = MT_ACTIVATION_GELU}},
    {"silu-learned",
     {SHAPE, .activation = MT_ACTIVATION_SILU, .learned_positions = true, .label_smoothing = 0.2,
      .untied_output = true}},
    {"window", {SHAPE, .attention_window = 2}},
    {"pre-norm-window-learned",
     {SHAPE, .activation = MT_ACTIVATION_SILU, .normalize_before = true, .attention_window = 1,
      .learned_positions = true}},
};

static const mt_train_batch batch = {
    .n_sentences = 4,
    .source_begin = (const uint32_t[]){0, 9, 10, 15, 18},
    .target_begin = (const uint32_t[]){0, 7, 8, 18, 22},
    .source = (const int32_t[]){3, 1, 4, 1, 5, 9, 2, 6, 0, 0, 2, 7, 1, 8, 0, 1, 4, 0},
    .target_in =
        (const int32_t[]){12, 5, 3, 5, 8, 9, 7, 12, 12, 2, 8, 1, 8, 2, 8, 4, 5, 9, 12, 1, 7, 3},
    .target_out =
        (const int32_t[]){5, 3, 5, 8, 9, 7, 0, 0, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 1, 7, 3, 0},
};

/* weights.integers of tests/reference. */
static int
hash_integer(const char *name, uint32_t i)
{
  uint32_t h = 0x811c9dc5u;
  for (const char *c = name; *c; c++)
    h = (h ^ (uint8_t) *c) * 0x01000193u;
  uint32_t x = i * 0x9e3779b1u + h;
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  x ^= x >> 16;
  return (int) (x >> 24) - 128;
}

static void
fill(mt_network *network)
{
  for (size_t t = 0; t < network->n_tensors; t++) {
    const mt_parameter *p = &network->table[t];
    for (size_t i = 0; i < p->count; i++)
      network->parameters[p->offset + i] = (mt_real) hash_integer(p->name, (uint32_t) i) / 256 +
                                           (p->kind == MT_PARAMETER_GAIN ? 1 : 0);
  }
}

static int
by_name(const void *a, const void *b)
{
  const mt_parameter *const *x = a, *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static void
compare(const mt_network *network, const float *expected, size_t n_expected)
{
  g_assert_cmpuint(n_expected, ==, network->n_parameters);
  const mt_parameter **sorted = g_new(const mt_parameter *, network->n_tensors);
  for (size_t i = 0; i < network->n_tensors; i++)
    sorted[i] = &network->table[i];
  qsort(sorted, network->n_tensors, sizeof *sorted, by_name);
  for (size_t i = 0; i < network->n_tensors; expected += sorted[i++]->count) {
    const mt_real *found = network->gradients + sorted[i]->offset;
    double largest = 0;
    for (size_t k = 0; k < sorted[i]->count; k++)
      largest = fmax(largest, fabs((double) expected[k]));
    /* Numbers near 0, as all of a bias of keys are, are compared with their tensor. */
    for (size_t k = 0; k < sorted[i]->count; k++)
      if (!(golden_distance(found[k], (double) expected[k], 0.1 * largest + 1e-2) < TOLERANCE))
        g_error("%s[%zu]: expected %.9g, found %.9g", sorted[i]->name, k, (double) expected[k],
                (double) found[k]);
  }
  g_free(sorted);
}

static void
test_variant(gconstpointer data)
{
  const small_variant *variant = data;
  g_autoptr(golden) g = golden_open("train-gradients.safetensors");
  g_autofree char *loss_name = g_strdup_printf("%s.loss", variant->name);
  g_autofree char *gradient_name = g_strdup_printf("%s.gradient", variant->name);
  size_t n;
  const float *expected_loss = golden_f32(g, loss_name, NULL);
  const float *expected = golden_f32(g, gradient_name, &n);
  g_autoptr(mt_network) network = NULL;
  SMALL_OK(network = mt_network_new(&variant->config, error));
  fill(network);
  for (unsigned n_threads = 1; n_threads <= 3; n_threads++)
    for (size_t i = 0; mt_operators_get(i); i++) {
      g_test_message("%s, %u threads", mt_operators_get(i)->name, n_threads);
      g_autoptr(mt_workspace) workspace = NULL;
      mt_pass_options options = {.seed = 1};
      mt_loss loss, again;
      SMALL_OK(workspace = mt_workspace_new(network, n_threads, error));
      workspace->operators = mt_operators_get(i);
      memset(network->gradients, 0, network->n_flat * sizeof *network->gradients);
      SMALL_OK(mt_network_gradient(network, workspace, &batch, &options, &loss, error));
      g_assert_cmpuint(loss.n_tokens, ==, 22);
      g_assert_cmpfloat(golden_distance(loss.smoothed_loss, expected_loss[0], 0), <, TOLERANCE);
      g_assert_cmpfloat(golden_distance(loss.negative_log_likelihood, expected_loss[1], 0), <,
                        TOLERANCE);
      compare(network, expected, n);
      SMALL_OK(mt_network_evaluate(network, workspace, &batch, &again, NULL, error));
      g_assert_cmpfloat(again.smoothed_loss, ==, loss.smoothed_loss);
    }
}

/* R-Drop on its own: with other dropout than PyTorch's the passes differ. */
static void
test_r_drop(void)
{
  enum { ROWS = 5, WORDS = 37, ALL = ROWS * WORDS };
  g_autoptr(golden) g = golden_open("train-gradients.safetensors");
  size_t n;
  const float *logits = golden_f32(g, "r-drop.logits", &n);
  g_assert_cmpuint(n, ==, 2 * ALL);
  const float *expected = golden_f32(g, "r-drop.gradient", NULL);
  double expected_loss = (double) *golden_f32(g, "r-drop.loss", NULL);
  const mt_real bias[WORDS] = {0};
  int32_t answer[ROWS];
  for (int r = 0; r < ROWS; r++)
    answer[r] = 7 * r % WORDS;
  for (size_t i = 0; mt_operators_get(i); i++) {
    g_test_message("%s", mt_operators_get(i)->name);
    mt_real z[2 * ALL];
    double loss[2 * ROWS], nll[2 * ROWS], sum = 0;
    for (size_t k = 0; k < 2 * ALL; k++)
      z[k] = (mt_real) logits[k];
    mt_r_drop_pair pair = {.alpha = 5};
    for (size_t k = 0; k < 2; k++)
      pair.passes[k] = (mt_softmax_pair){
          .n = WORDS,
          .smoothing = (mt_real) 0.1,
          .bias = bias,
          .answer = answer,
          .logits = z + k * ALL,
          .wants_gradient = true,
          .loss = loss + k * ROWS,
          .nll = nll + k * ROWS,
      };
    mt_operators_get(i)->r_drop(&pair, 0, ROWS);
    for (size_t r = 0; r < 2 * ROWS; r++)
      sum += loss[r];
    g_assert_cmpfloat(golden_distance(sum, expected_loss, 0), <, TOLERANCE);
    for (size_t k = 0; k < 2 * ALL; k++)
      g_assert_cmpfloat(golden_distance(z[k], (double) expected[k], 0.01), <, TOLERANCE);
  }
}

TESTS()
{
  for (size_t i = 0; i < G_N_ELEMENTS(variants); i++)
    suite_add(&variants[i], test_variant, "/network-golden/%s", variants[i].name);
  g_test_add_func("/network-golden/r-drop", test_r_drop);
}

/* test-network.c — what the trainer's loop relies on: the same bits again, dropout's statistics,
 * gradients reported once and final, refused input, memory that runs out, health.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "engine-test.h"
#include "small-network.h"
#include "suite.h"
#include "train/mt-operators.h"

#include <math.h>
#include <string.h>

static mt_network *
network_new(const mt_network_config *config, uint64_t seed)
{
  mt_network *network;
  SMALL_OK(network = mt_network_new(config, error));
  mt_network_init(network, seed);
  return network;
}

/* A shape in which products are large enough to be divided. */
static mt_network_config
wide(void)
{
  mt_network_config config = mt_network_config_default();
  config.n_layers[0] = config.n_layers[1] = 1;
  config.d_model = 96;
  config.d_ffn = 320;
  config.vocab_size = 501;
  config.max_positions = 64;
  config.activation_dropout = 0.1;
  return config;
}

/* ---- The same bits ----------------------------------------------------------------------------
 */

/* Gradient of two batches, one after the other; free with g_free. */
static mt_real *
gradient_of(uint64_t seed, uint64_t step, unsigned n_threads, double *loss_sum)
{
  mt_network_config config = wide();
  g_autoptr(mt_network) network = network_new(&config, 3);
  g_autoptr(mt_workspace) workspace = NULL;
  mt_loss loss;
  SMALL_OK(workspace = mt_workspace_new(network, n_threads, error));
  *loss_sum = 0;
  for (uint32_t i = 0; i < 2; i++) {
    mt_train_batch *batch = small_batch_new(&config, i + 1);
    mt_pass_options options = {.seed = seed, .step = step + i};
    SMALL_OK(mt_network_gradient(network, workspace, batch, &options, &loss, error));
    *loss_sum += loss.smoothed_loss;
    small_batch_free(batch);
  }
  mt_real *gradient = g_memdup2(network->gradients, network->n_flat * sizeof *gradient);
  return gradient;
}

static void
test_same_bits(void)
{
  mt_network_config config = wide();
  g_autoptr(mt_network) shape = network_new(&config, 1);
  size_t n = shape->n_flat;
  mt_real *by_threads[2];
  for (unsigned threads = 1; threads <= 2; threads++) {
    double loss, again, other;
    mt_real *first = gradient_of(5, 10, threads, &loss);
    for (int i = 0; i < 3; i++) {
      g_autofree mt_real *second = gradient_of(5, 10, threads, &again);
      g_assert_cmpmem(first, n * sizeof *first, second, n * sizeof *second);
      g_assert_true(loss == again);
    }
    g_autofree mt_real *by_seed = gradient_of(6, 10, threads, &other);
    g_assert_true(loss != other);
    g_autofree mt_real *by_step = gradient_of(5, 12, threads, &again);
    g_assert_true(loss != again && other != again);
    by_threads[threads - 1] = first;
  }
  double largest = 0;
  for (size_t i = 0; i < n; i++)
    largest = fmax(largest, fabs((double) by_threads[0][i]));
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon(by_threads[0][i], by_threads[1][i], 1e-5 * largest);
  g_free(by_threads[0]);
  g_free(by_threads[1]);
}

/* What was computed before, and how large the workspace has become, leaves no trace. */
static void
test_workspace_grows(void)
{
  mt_network_config config = small_variants[1].config;
  g_autoptr(mt_network) network = network_new(&config, 1);
  g_autoptr(mt_workspace) workspace = NULL;
  SMALL_OK(workspace = mt_workspace_new(network, 2, error));
  mt_train_batch *large = small_batch_new(&config, 1);
  mt_train_batch small = *large;
  small.n_sentences = 1;
  mt_loss first, between, second;
  SMALL_OK(mt_network_evaluate(network, workspace, &small, &first, NULL, error));
  size_t bytes = mt_workspace_bytes(workspace);
  SMALL_OK(mt_network_evaluate(network, workspace, large, &between, NULL, error));
  g_assert_cmpuint(mt_workspace_bytes(workspace), >, bytes);
  bytes = mt_workspace_bytes(workspace);
  SMALL_OK(mt_network_evaluate(network, workspace, &small, &second, NULL, error));
  g_assert_cmpuint(mt_workspace_bytes(workspace), ==, bytes);
  g_assert_true(first.smoothed_loss == second.smoothed_loss);
  g_assert_cmpuint(first.n_tokens, ==, 4);
  g_assert_cmpuint(between.n_tokens, ==, 63);
  small_batch_free(large);
}

/* ---- Dropout ----------------------------------------------------------------------------------
 */

/* How many of n elements both of two sites keep, i shifted by `shift` in the second. */
static double
share_of_both(const mt_dropout *a, const mt_dropout *b, uint32_t n, uint32_t shift)
{
  size_t both = 0;
  for (uint32_t i = 0; i < n; i++)
    both += dropout_factor(a, i) != 0 && dropout_factor(b, i + shift) != 0;
  return (double) both / n;
}

static void
test_dropout(void)
{
  enum { N = 1 << 20 };
  static const double shares[] = {0.05, 0.1, 0.3, 0.5, 0.9};
  for (size_t i = 0; i < G_N_ELEMENTS(shares); i++) {
    double keep = 1 - shares[i];
    mt_dropout a = mt_dropout_new(shares[i], 1, 1, 1);
    g_assert_cmpfloat_with_epsilon(a.scale, 1 / keep, 1e-6 / keep);
    /* Five standard deviations of a mean of N. */
    double bound = 5 * sqrt(keep * (1 - keep) / N);
    g_assert_cmpfloat_with_epsilon(share_of_both(&a, &a, N, 0), keep, bound);
    /* Neighbours, rows, other sites, steps and seeds are independent. */
    bound = 5 * sqrt(keep * keep * (1 - keep * keep) / N);
    const uint32_t shifts[] = {1, 2, 8, 256, 1024, 65536};
    for (size_t k = 0; k < G_N_ELEMENTS(shifts); k++)
      g_assert_cmpfloat_with_epsilon(share_of_both(&a, &a, N, shifts[k]), keep * keep, bound);
    const mt_dropout others[] = {mt_dropout_new(shares[i], 1, 1, 2),
                                 mt_dropout_new(shares[i], 1, 2, 1),
                                 mt_dropout_new(shares[i], 2, 1, 1),
                                 mt_dropout_new(shares[i], 1, 1, 3)};
    for (size_t k = 0; k < G_N_ELEMENTS(others); k++)
      g_assert_cmpfloat_with_epsilon(share_of_both(&a, &others[k], N, 0), keep * keep, bound);
  }
  mt_dropout none = mt_dropout_new(0, 1, 1, 1);
  g_assert_cmpuint(none.threshold, ==, 0);
}

/* ---- Gradients as they become final ------------------------------------------------------------
 */

typedef struct {
  const mt_network *network;
  mt_real *seen;
  guint8 *times;
  size_t last;
} reports;

static void
on_gradient(void *user, size_t offset, size_t count)
{
  reports *r = user;
  g_assert_cmpuint(offset + count, <=, r->network->n_flat);
  for (size_t i = offset; i < offset + count; i++)
    r->times[i]++;
  memcpy(r->seen + offset, r->network->gradients + offset, count * sizeof *r->seen);
  r->last = offset;
}

static void
test_on_gradient(void)
{
  for (size_t v = 0; v < small_n_variants; v++) {
    const mt_network_config *config = &small_variants[v].config;
    g_autoptr(mt_network) network = network_new(config, 1);
    g_autoptr(mt_workspace) workspace = NULL;
    SMALL_OK(workspace = mt_workspace_new(network, 2, error));
    mt_train_batch *batch = small_batch_new(config, 1);
    reports r = {network, g_new0(mt_real, network->n_flat), g_new0(guint8, network->n_flat), 1};
    mt_pass_options options = {.on_gradient = on_gradient, .user = &r};
    mt_loss loss;
    SMALL_OK(mt_network_gradient(network, workspace, batch, &options, &loss, error));
    for (size_t i = 0; i < network->n_flat; i++)
      g_assert_cmpuint(r.times[i], ==, 1);
    g_assert_cmpmem(r.seen, network->n_flat * sizeof *r.seen, network->gradients,
                    network->n_flat * sizeof *r.seen);
    g_assert_cmpuint(r.last, ==, 0);
    /* What lies between the tensors is 0. */
    size_t end = 0;
    for (size_t t = 0; t < network->n_tensors; t++) {
      for (; end < network->table[t].offset; end++)
        g_assert_true(network->gradients[end] == 0 && network->parameters[end] == 0);
      end = network->table[t].offset + network->table[t].count;
    }
    g_free(r.seen);
    g_free(r.times);
    small_batch_free(batch);
  }
}

/* ---- Numbers that are not finite ----------------------------------------------------------------
 */

static void
test_not_finite(void)
{
  mt_network_config config = wide();
  g_autoptr(mt_network) network = network_new(&config, 1);
  g_autoptr(mt_workspace) workspace = NULL;
  SMALL_OK(workspace = mt_workspace_new(network, 2, error));
  mt_train_batch *batch = small_batch_new(&config, 1);
  mt_pass_options options = {.seed = 1};
  mt_loss loss;
  g_assert_null(mt_network_find_not_finite(network, network->parameters));
  for (int i = 0; i < 2; i++) {
    const mt_parameter *t = &network->table[network->n_tensors / 2];
    mt_real *p = &network->parameters[t->offset + t->count - 1], kept = *p;
    *p = (mt_real) (i ? NAN : -INFINITY);
    g_assert_true(mt_network_find_not_finite(network, network->parameters) == t);
    SMALL_OK(mt_network_gradient(network, workspace, batch, &options, &loss, error));
    g_assert_false(isfinite(loss.smoothed_loss));
    g_assert_nonnull(mt_network_find_not_finite(network, network->gradients));
    *p = kept;
    memset(network->gradients, 0, network->n_flat * sizeof *network->gradients);
    SMALL_OK(mt_network_gradient(network, workspace, batch, &options, &loss, error));
    g_assert_true(isfinite(loss.smoothed_loss));
    g_assert_null(mt_network_find_not_finite(network, network->gradients));
  }
  small_batch_free(batch);
}

/* ---- Beginnings --------------------------------------------------------------------------------
 */

static double
deviation(const mt_network *network, const char *name)
{
  for (size_t i = 0; i < network->n_tensors; i++) {
    const mt_parameter *t = &network->table[i];
    if (strcmp(t->name, name) != 0)
      continue;
    double sum = 0, squares = 0, n = (double) t->count;
    for (size_t k = 0; k < t->count; k++) {
      double x = (double) network->parameters[t->offset + k];
      sum += x;
      squares += x * x;
    }
    g_assert_cmpfloat(fabs(sum / n), <, 5 * sqrt(squares / n / n) + 1e-12);
    return sqrt(squares / n);
  }
  g_error("there is no tensor %s", name);
}

static void
test_init(void)
{
  mt_network_config config = mt_network_config_default();
  config.vocab_size = 1000;
  g_autoptr(mt_network) a = network_new(&config, 1), b = network_new(&config, 1),
                        c = network_new(&config, 2);
  size_t bytes = a->n_flat * sizeof *a->parameters;
  g_assert_cmpmem(a->parameters, bytes, b->parameters, bytes);
  g_assert_cmpint(memcmp(a->parameters, c->parameters, bytes), !=, 0);
  /* Glorot's deviation, and DeepNorm's b: 0.87 (6^4 6)^(-1/16), (12 6)^(-1/4). */
  double square = sqrt(2.0 / 512), wide_map = sqrt(2.0 / 1280);
  double encoder = 0.87 * pow(7776, -1.0 / 16), decoder = pow(72, -0.25);
  const struct {
    const char *name;
    double expected;
  } tensors[] = {
      {"model.shared.weight", 1.0 / 16},
      {"model.encoder.layers.3.self_attn.q_proj.weight", square},
      {"model.encoder.layers.3.self_attn.v_proj.weight", square * encoder},
      {"model.encoder.layers.0.fc1.weight", wide_map * encoder},
      {"model.decoder.layers.5.encoder_attn.k_proj.weight", square},
      {"model.decoder.layers.5.encoder_attn.out_proj.weight", square * decoder},
      {"model.decoder.layers.5.fc2.weight", wide_map * decoder},
      {"model.decoder.layers.5.fc2.bias", 0},
      {"final_logits_bias", 0},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(tensors); i++)
    g_assert_cmpfloat_with_epsilon(deviation(a, tensors[i].name), tensors[i].expected,
                                   0.02 * tensors[i].expected + 1e-12);
}

/* ---- <pad> ----------------------------------------------------------------------------------- */

/* With zero_pad its embedding is 0, has no gradient, and all else is as without. */
static void
test_zero_pad(void)
{
  for (size_t v = 0; v < small_n_variants; v++) {
    mt_network_config config = small_variants[v].config;
    mt_train_batch *batch = small_batch_new(&config, 1);
    /* What starts the decoder: its gradient is not 0 unless it is held. */
    config.pad_id = batch->target_in[0];
    mt_network *networks[2];
    mt_loss losses[2];
    for (int i = 0; i < 2; i++) {
      config.zero_pad = i == 1;
      networks[i] = network_new(&config, 1);
      g_autoptr(mt_workspace) workspace = NULL;
      SMALL_OK(workspace = mt_workspace_new(networks[i], 1, error));
      if (i == 0) {
        networks[0]->config.zero_pad = true;
        g_assert_true(mt_network_hold_pad(networks[0], networks[0]->parameters));
        networks[0]->config.zero_pad = false;
      } else {
        g_assert_false(mt_network_hold_pad(networks[1], networks[1]->parameters));
        g_assert_cmpmem(networks[0]->parameters, networks[0]->n_flat * sizeof(mt_real),
                        networks[1]->parameters, networks[1]->n_flat * sizeof(mt_real));
      }
      mt_pass_options options = {.seed = 5, .step = 3};
      SMALL_OK(mt_network_gradient(networks[i], workspace, batch, &options, &losses[i], error));
    }
    g_assert_true(losses[0].smoothed_loss == losses[1].smoothed_loss);
    g_assert_false(mt_network_hold_pad(networks[0], networks[0]->gradients)); /* not its own */
    size_t row = (size_t) config.pad_id * config.d_model;
    g_assert_cmpstr(networks[0]->table[0].name, ==, "model.shared.weight");
    bool any = false;
    for (size_t i = 0; i < networks[0]->n_flat; i++) {
      mt_real free_one = networks[0]->gradients[i], held = networks[1]->gradients[i];
      if (i < row || i >= row + config.d_model)
        g_assert_true(free_one == held);
      else
        g_assert_true(held == 0);
      any = any || free_one != held;
    }
    g_assert_true(any);
    for (int i = 0; i < 2; i++)
      mt_network_free(networks[i]);
    small_batch_free(batch);
  }
}

/* ---- Health ------------------------------------------------------------------------------------
 */

static void
set(mt_network *network, const char *end_of_name, mt_real value)
{
  for (size_t i = 0; i < network->n_tensors; i++)
    if (g_str_has_suffix(network->table[i].name, end_of_name))
      for (size_t k = 0; k < network->table[i].count; k++)
        network->parameters[network->table[i].offset + k] = value;
}

static mt_health_summary
health_of(const mt_network *network)
{
  g_autoptr(mt_workspace) workspace = NULL;
  mt_health health = {0};
  mt_loss loss;
  SMALL_OK(workspace = mt_workspace_new(network, 2, error));
  mt_train_batch *batch = small_batch_new(&network->config, 1);
  for (int i = 0; i < 2; i++)
    SMALL_OK(mt_network_evaluate(network, workspace, batch, &loss, &health, error));
  g_assert_cmpuint(health.n_sentences, ==, 2 * 5); /* one has one token only */
  g_assert_cmpuint(health.n_rows, ==, 2 * 63);
  mt_health_summary summary = mt_health_summarize(&health, &network->config);
  mt_health_clear(&health);
  small_batch_free(batch);
  return summary;
}

static void
test_health(void)
{
  mt_network_config config = small_variants[0].config;
  mt_network *network = network_new(&config, 1);
  /* Queries of 0 look everywhere alike. */
  set(network, "encoder_attn.q_proj.weight", 0);
  mt_health_summary h = health_of(network);
  double uniform = (4 / 3.0 + 1 + 5 / 7.0 + 2 / 41.0 + 45 / 2.0 + 6 / 6.0) / 63;
  g_assert_cmpfloat_with_epsilon(h.uniform, uniform, 1e-6);
  g_assert_cmpfloat_with_epsilon(h.sharpness, uniform, 1e-6);
  g_assert_cmpfloat(fabs(h.cosine[0]), <, 0.9);
  /* Norms that give every position the same vector: nothing is left to tell them apart. */
  set(network, "encoder.layers.1.final_layer_norm.weight", 0);
  set(network, "encoder.layers.1.final_layer_norm.bias", 2);
  mt_health_summary collapsed = health_of(network);
  g_assert_cmpfloat_with_epsilon(collapsed.cosine[2], 1, 1e-6);
  g_assert_cmpfloat_with_epsilon(collapsed.cosine[0], h.cosine[0], 1e-12);
  g_assert_cmpfloat_with_epsilon(collapsed.cosine[1], h.cosine[1], 1e-12);
  mt_network_free(network);

  network = network_new(&config, 1);
  /* One head of the second layer looks at one key each: scores far apart. */
  for (size_t i = 0; i < network->n_tensors; i++)
    if (strcmp(network->table[i].name, "model.decoder.layers.1.encoder_attn.q_proj.weight") == 0)
      for (size_t k = 4 * 12; k < 8 * 12; k++)
        network->parameters[network->table[i].offset + k] *= 1000;
  h = health_of(network);
  g_assert_cmpfloat(h.sharpness, >, 0.95);
  g_assert_cmpuint(h.layer, ==, 1);
  g_assert_cmpuint(h.head, ==, 1);
  mt_network_free(network);
}

/* ---- Refused -----------------------------------------------------------------------------------
 */

static void
assert_refused(const mt_network_config *config, const char *message)
{
  mt_error error = {0};
  g_assert_null(mt_network_new(config, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_cmpstr(error.message, ==, message);
}

static void
test_config_refused(void)
{
  mt_network_config good = small_variants[0].config, c = good;
  c.n_heads = 5;
  assert_refused(&c, "Network: expected heads that divide d_model 12, found 5 heads.");
  c = good;
  c.vocab_size = 0;
  assert_refused(&c, "Network: expected vocabulary size between 2 and 16777216, found 0.");
  c = good;
  c.n_layers[0] = 65;
  assert_refused(&c, "Network: expected encoder layers between 1 and 64, found 65.");
  c = good;
  c.dropout = NAN;
  assert_refused(&c, "Network: expected dropout of at least 0 and less than 1, found nan.");
  c = good;
  c.label_smoothing = 1;
  assert_refused(&c, "Network: expected label smoothing of at least 0 and less than 1, found 1.");
  c = good;
  c.d_model = 15;
  assert_refused(&c, "Network: expected an even d_model for sinusoidal positions, found 15.");
  c = good;
  c.r_drop = 5;
  assert_refused(&c, "Network: expected dropout where there is R-Drop, found 0.");
  c.dropout = 0.1;
  c.r_drop = -1;
  assert_refused(&c, "Network: expected an R-Drop of 0 to 1000, found -1.");
  c = good;
  c.zero_pad = true;
  c.pad_id = (int32_t) c.vocab_size;
  g_autofree char *pad = g_strdup_printf("Network: expected an id of <pad> from 0 to %d, found %d.",
                                         c.pad_id - 1, c.pad_id);
  assert_refused(&c, pad);
  c = good;
  c.init = MT_INIT_DEEPNORM;
  c.normalize_before = true;
  assert_refused(&c, "Network: expected DeepNorm with post-norm layers, found pre-norm ones.");
}

static void
test_batch_refused(void)
{
  mt_network_config config = small_variants[0].config;
  g_autoptr(mt_network) network = network_new(&config, 1);
  g_autoptr(mt_workspace) workspace = NULL;
  SMALL_OK(workspace = mt_workspace_new(network, 1, error));
  const uint32_t begin[] = {0, 2, 4}, empty[] = {0, 2, 2}, back[] = {0, 2, 1}, late[] = {1, 2, 4};
  const uint32_t longer[] = {0, 65, 66};
  const int32_t ids[66] = {0, 22, 1, 5}, wrong[] = {0, 1, 23, 1}, negative[] = {0, 1, 2, -1};
  const struct {
    mt_train_batch batch;
    const char *message;
  } batches[] = {
      {{0, begin, begin, ids, ids, ids}, "Batch: expected a sentence, found none."},
      {{2, empty, begin, ids, ids, ids},
       "Batch: expected 1 to 64 tokens in the source of sentence 1, found rows 2 to 2."},
      {{2, begin, back, ids, ids, ids},
       "Batch: expected 1 to 64 tokens in the target of sentence 1, found rows 2 to 1."},
      {{2, late, begin, ids, ids, ids},
       "Batch: expected the source to begin at row 0, found row 1."},
      {{2, begin, longer, ids, ids, ids},
       "Batch: expected 1 to 64 tokens in the target of sentence 0, found rows 0 to 65."},
      {{2, begin, begin, wrong, ids, ids},
       "Batch: expected ids from 0 to 22 in the source, found 23 in row 2."},
      {{2, begin, begin, ids, negative, ids},
       "Batch: expected ids from 0 to 22 in the decoder's input, found -1 in row 3."},
      {{2, begin, begin, ids, ids, wrong},
       "Batch: expected ids from 0 to 22 in the target, found 23 in row 2."},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(batches); i++) {
    mt_error error = {0};
    mt_loss loss;
    mt_pass_options options = {0};
    g_assert_false(
        mt_network_gradient(network, workspace, &batches[i].batch, &options, &loss, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_cmpstr(error.message, ==, batches[i].message);
  }
}

/* R-Drop wants every sentence twice to train on, and once to validate. */
static void
test_r_drop_refused(void)
{
  mt_network_config config = small_variants[0].config;
  config.dropout = 0.1;
  config.r_drop = 1;
  g_autoptr(mt_network) network = network_new(&config, 1);
  g_autoptr(mt_workspace) workspace = NULL;
  SMALL_OK(workspace = mt_workspace_new(network, 1, error));
  const uint32_t begin[] = {0, 2, 4, 6}, other[] = {0, 1, 4};
  const int32_t ids[] = {7, 1, 7, 1, 7, 1}, wrong[] = {7, 1, 7, 2};
  const struct {
    mt_train_batch batch;
    bool is_good;
  } batches[] = {
      {{2, begin, begin, ids, ids, ids}, true},    {{1, begin, begin, ids, ids, ids}, false},
      {{3, begin, begin, ids, ids, ids}, false},   {{2, other, begin, ids, ids, ids}, false},
      {{2, begin, other, ids, ids, ids}, false},   {{2, begin, begin, wrong, ids, ids}, false},
      {{2, begin, begin, ids, wrong, ids}, false}, {{2, begin, begin, ids, ids, wrong}, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(batches); i++) {
    mt_error error = {0};
    mt_loss loss;
    mt_pass_options options = {0};
    g_assert_cmpint(mt_network_gradient(network, workspace, &batches[i].batch, &options, &loss,
                                        &error),
                    ==, batches[i].is_good);
    g_assert_cmpstr(error.message, ==,
                    batches[i].is_good ? ""
                                       : "Batch: R-Drop expects every sentence twice, the second "
                                         "time after all of them.");
    mt_error none = {0};
    g_assert_true(mt_network_evaluate(network, workspace, &batches[i].batch, &loss, NULL, &none));
  }
}

/* ---- Memory that runs out -----------------------------------------------------------------------
 */

/* Everything once; returns whether all of it worked. */
static bool
use_all(const mt_train_batch *batch, mt_error *failure)
{
  mt_network_config config = small_variants[1].config;
  g_autoptr(mt_network) network = mt_network_new(&config, failure);
  g_autoptr(mt_workspace) workspace = network ? mt_workspace_new(network, 2, failure) : NULL;
  mt_pass_options options = {0};
  mt_health health = {0};
  mt_loss loss;
  bool ok = workspace;
  if (ok) {
    mt_network_init(network, 1);
    mt_train_batch first = *batch;
    first.n_sentences = 1;
    ok = mt_network_evaluate(network, workspace, &first, &loss, &health, failure) &&
         mt_network_gradient(network, workspace, batch, &options, &loss, failure);
    /* A workspace that could not grow is as good as new. */
    if (!ok) {
      few_end();
      SMALL_OK(mt_network_gradient(network, workspace, batch, &options, &loss, error));
    }
  }
  mt_health_clear(&health);
  return ok;
}

static void
test_no_memory(void)
{
  mt_train_batch *batch = small_batch_new(&small_variants[1].config, 1);
  bool done = false;
  int n = 0;
  for (; !done; n++) {
    mt_error error = {0};
    few_then_all_fail(n);
    done = use_all(batch, &error);
    few_end();
    if (!done)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_assert_cmpint(n, <, 100);
  }
  g_assert_cmpint(n, >, 10);
  small_batch_free(batch);
}

TESTS()
{
  g_test_add_func("/network/same-bits", test_same_bits);
  g_test_add_func("/network/workspace-grows", test_workspace_grows);
  g_test_add_func("/network/dropout", test_dropout);
  g_test_add_func("/network/on-gradient", test_on_gradient);
  g_test_add_func("/network/not-finite", test_not_finite);
  g_test_add_func("/network/init", test_init);
  g_test_add_func("/network/zero-pad", test_zero_pad);
  g_test_add_func("/network/health", test_health);
  g_test_add_func("/network/config-refused", test_config_refused);
  g_test_add_func("/network/batch-refused", test_batch_refused);
  g_test_add_func("/network/r-drop-refused", test_r_drop_refused);
  g_test_add_func("/network/no-memory", test_no_memory);
}

/* test-network-engine.c — the network that is trained and the engine that translates compute the
 * same: the loss of a sentence pair is the engine's score of it, and what is loaded is what is
 * written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "model-with-key.h"
#include "model/mt-model.h"
#include "small-network.h"
#include "small-training.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const char *const pairs[][2] = {
    {"I have two dogs.", "Ich habe zwei Hunde."},
    {"Where is the station?", "Wo ist der Bahnhof?"},
    {"The animal did not cross the street because it was too tired.",
     "Das Tier ging nicht über die Straße, weil es zu müde war."},
    {"Yes.", "Nein, auf keinen Fall!"},
};
enum { N_PAIRS = G_N_ELEMENTS(pairs), MAX_TOKENS = 256 };

typedef struct {
  mt_train_batch batch;
  uint32_t begin[2][N_PAIRS + 1];
  int32_t source[MAX_TOKENS], in[MAX_TOKENS], out[MAX_TOKENS];
} pair_batch;

static void
add_pair(pair_batch *b, const mt_model *model, const char *source, const char *target)
{
  const mt_config *config = mt_model_config(model);
  size_t n = b->batch.n_sentences++;
  mt_tokens *tokens[2];
  SMALL_OK(tokens[0] = mt_model_tokenize(model, MT_STACK_ENCODER, source, error));
  SMALL_OK(tokens[1] = mt_model_tokenize(model, MT_STACK_DECODER, target, error));
  for (int s = 0; s < 2; s++) {
    uint32_t begin = b->begin[s][n], count = (uint32_t) mt_tokens_count(tokens[s]);
    g_assert_cmpuint(begin + count, <=, MAX_TOKENS);
    b->begin[s][n + 1] = begin + count;
    for (uint32_t i = 0; i < count; i++) {
      int32_t id = mt_tokens_get(tokens[s], i)->id;
      (s == 0 ? b->source : b->out)[begin + i] = id;
      if (s == 1)
        b->in[begin + i] = i == 0 ? config->decoder_start_id : b->out[begin + i - 1];
    }
    mt_tokens_unref(tokens[s]);
  }
  b->batch = (mt_train_batch){n + 1, b->begin[0], b->begin[1], b->source, b->in, b->out};
}

static mt_model *
bundled(void)
{
  mt_model *model;
  SMALL_OK(model = mt_model_open(REGARD_SOURCE_ROOT "/models/en-de", NULL, error));
  return model;
}

/* init: with which residual factor the model is taken up. */
static mt_network *
network_of(const mt_model *model, mt_init init)
{
  mt_network_config config;
  mt_network *network;
  SMALL_OK(mt_network_config_of_model(&config, model, error));
  g_assert_cmpint(config.init, ==, MT_INIT_DEEPNORM);
  config.init = init;
  SMALL_OK(network = mt_network_new(&config, error));
  SMALL_OK(mt_network_load(network, model, error));
  g_assert_cmpuint(network->n_parameters, ==, mt_model_n_parameters(model));
  return network;
}

static double
score(mt_session *session, const char *source, const char *target)
{
  g_autoptr(mt_translation) t = NULL;
  SMALL_OK(t = mt_session_score(session, source, target, -1, NULL, error));
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(t, 0);
  double sum = 0;
  for (size_t i = 0; i < mt_tokens_count(hypothesis->tokens); i++)
    sum += (double) hypothesis->logprobs[i];
  return sum;
}

/* Frees the model. */
static void
compare_scores(mt_model *model, mt_init init)
{
  g_autoptr(mt_network) network = network_of(model, init);
  g_autoptr(mt_workspace) workspace = NULL;
  g_autoptr(mt_session) session = NULL;
  SMALL_OK(workspace = mt_workspace_new(network, 2, error));
  SMALL_OK(session = mt_session_new(model, NULL, error));
  pair_batch all = {0};
  double total = 0;
  mt_loss loss;
  for (size_t i = 0; i < N_PAIRS; i++) {
    pair_batch one = {0};
    add_pair(&one, model, pairs[i][0], pairs[i][1]);
    add_pair(&all, model, pairs[i][0], pairs[i][1]);
    double expected = score(session, pairs[i][0], pairs[i][1]);
    SMALL_OK(mt_network_evaluate(network, workspace, &one.batch, &loss, NULL, error));
    g_assert_cmpuint(loss.n_tokens, ==, one.begin[1][1]);
    g_assert_cmpfloat_with_epsilon(-loss.negative_log_likelihood, expected, 1e-4 * fabs(expected));
    total += expected;
  }
  SMALL_OK(mt_network_evaluate(network, workspace, &all.batch, &loss, NULL, error));
  g_assert_cmpfloat_with_epsilon(-loss.negative_log_likelihood, total, 1e-4 * fabs(total));
  mt_model_unref(model);
}

static void
test_score(gconstpointer data)
{
  compare_scores(bundled(), *(const mt_init *) data);
}

/* Restricted self-attention: trainer and engine leave out the same keys. */
static void
test_window(void)
{
  mt_model *model = model_with_key("models/en-de", "\"attention_window\": 2");
  g_assert_cmpuint(mt_model_config(model)->attention_window, ==, 2);
  compare_scores(model, MT_INIT_DEEPNORM);
}

static const mt_parameter *
find(const mt_network *network, const char *name)
{
  for (size_t i = 0; i < network->n_tensors; i++)
    if (strcmp(network->table[i].name, name) == 0)
      return &network->table[i];
  g_error("there is no tensor %s", name);
}

static void
assert_exported(const mt_network *network, const char *name, const float *expected)
{
  const mt_parameter *t = find(network, name);
  g_autofree float *out = g_new(float, t->count);
  mt_network_export(network, t, network->parameters, out);
  for (size_t i = 0; i < t->count; i++)
    g_assert_cmpfloat(fabsf(out[i] - expected[i]), <=, 1e-6f * fabsf(expected[i]));
}

/* What is written says that <pad> is a word of the softmax, as it was while it was trained: in a
 * model of a few steps it has a share that shows. */
static void
test_pad(void)
{
  static const char *const files[] = {"config.json", "generation_config.json"};
  char *folder = small_temporary();
  g_autofree char *data = g_build_filename(folder, "prepared", NULL),
                  *output = g_build_filename(folder, "trained", NULL),
                  *path = g_build_filename(output, "model", NULL);
  small_write(data, 30, 6);
  mt_trainer_config c = small_training(data, output, 5);
  c.network.max_positions = 64;
  small_train(&c, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *file = g_build_filename(path, files[i], NULL), *text = NULL;
    g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "\"renormalize_logits\": false"));
  }
  mt_model *model;
  SMALL_OK(model = mt_model_open(path, NULL, error));
  g_assert_false(mt_model_config(model)->generation.renormalize_logits);
  compare_scores(model, MT_INIT_DEEPNORM);
  small_remove(folder);
}

/* Under DeepNorm, too, the file gets what it had. */
static void
test_export(void)
{
  g_autoptr(mt_model) model = bundled();
  g_autoptr(mt_network) network = network_of(model, MT_INIT_DEEPNORM);
  const mt_layer_weights *encoder = &model->stacks[0].layers[5],
                         *decoder = &model->stacks[1].layers[2];
  assert_exported(network, "model.shared.weight", model->stacks[0].embedding);
  assert_exported(network, "final_logits_bias", model->output.bias);
  assert_exported(network, "model.encoder.layers.5.self_attn.k_proj.weight",
                  encoder->self.k.weight);
  assert_exported(network, "model.encoder.layers.5.self_attn.out_proj.bias",
                  encoder->self.out.bias);
  assert_exported(network, "model.encoder.layers.5.fc2.weight", encoder->ffn.fc2.weight);
  assert_exported(network, "model.decoder.layers.2.encoder_attn.v_proj.weight",
                  decoder->cross.v.weight);
  assert_exported(network, "model.decoder.layers.2.encoder_attn.out_proj.weight",
                  decoder->cross.out.weight);
  assert_exported(network, "model.decoder.layers.2.final_layer_norm.weight",
                  decoder->ffn_norm.gain);
  /* What is added to a x is larger by a. */
  const mt_parameter *t = find(network, "model.encoder.layers.5.fc2.weight");
  g_assert_cmpfloat_with_epsilon(t->save_factor, 1 / (0.81 * pow(6 * 6 * 6 * 6 * 6, 1.0 / 16)),
                                 1e-12);
  g_assert_cmpfloat_with_epsilon(network->parameters[t->offset] * t->save_factor,
                                 encoder->ffn.fc2.weight[0], 1e-6);
}

static void
test_refused(void)
{
  g_autoptr(mt_model) model = bundled();
  mt_network_config config;
  SMALL_OK(mt_network_config_of_model(&config, model, error));
  config.n_layers[MT_STACK_DECODER] = 5;
  g_autoptr(mt_network) network = NULL;
  SMALL_OK(network = mt_network_new(&config, error));
  mt_error error = {0};
  g_assert_false(mt_network_load(network, model, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_cmpstr(error.message, ==,
                  "en-de: expected decoder layers 5 as the network has, found 6.");
}

TESTS()
{
  static const mt_init xavier = MT_INIT_XAVIER, deepnorm = MT_INIT_DEEPNORM;
  g_test_add_data_func("/network-engine/score", &xavier, test_score);
  g_test_add_data_func("/network-engine/score-deepnorm", &deepnorm, test_score);
  g_test_add_func("/network-engine/window", test_window);
  g_test_add_func("/network-engine/pad", test_pad);
  g_test_add_func("/network-engine/export", test_export);
  g_test_add_func("/network-engine/refused", test_refused);
}

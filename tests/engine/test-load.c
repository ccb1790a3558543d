/* test-load.c — opening good model directories, with and without enough memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "model-dir.h"
#include "model/mt-model.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define FROZEN REGARD_SOURCE_ROOT "/tests/data/frozen/en-de"

static void
test_frozen(void)
{
  mt_model *model = model_open_good(FROZEN "/");
  const mt_config *c = mt_model_config(model);
  g_assert_cmpstr(mt_model_name(model), ==, "en-de");
  g_assert_cmpstr(mt_model_directory(model), ==, FROZEN "/");
  g_assert_cmpuint(c->d_model, ==, 64);
  for (int s = 0; s < MT_N_STACKS; s++) {
    g_assert_cmpuint(c->n_layers[s], ==, 6);
    g_assert_cmpuint(c->n_heads[s], ==, 8);
    g_assert_cmpuint(c->d_ffn[s], ==, 128);
    g_assert_cmpuint(c->vocab_size[s], ==, 8001);
  }
  g_assert_cmpuint(c->max_positions, ==, 512);
  g_assert_cmpint(c->activation, ==, MT_ACTIVATION_RELU);
  g_assert_cmpint(c->position_kind, ==, MT_POSITIONS_SINUSOIDAL_HALVES);
  g_assert_true(c->scale_embedding && c->share_embeddings && c->tie_word_embeddings);
  g_assert_false(c->normalize_before || c->normalize_embedding || c->add_final_layer_norm);
  g_assert_cmpint(c->pad_id, ==, 8000);
  g_assert_cmpint(c->decoder_start_id, ==, 8000);
  g_assert_cmpint(c->eos_id, ==, 0);
  g_assert_cmpint(c->unk_id, ==, 1);
  g_assert_cmpint(c->forced_eos_id, ==, 0);
  g_assert_cmpint(c->forced_bos_id, ==, -1);
  g_assert_cmpuint(c->num_beams, ==, 4);
  g_assert_cmpuint(c->max_length, ==, 512);
  g_assert_cmpuint(c->n_bad_words, ==, 1);
  g_assert_cmpuint(c->bad_word_lengths[0], ==, 1);
  g_assert_cmpint(c->bad_words[0][0], ==, 8000);
  g_assert_cmpstr(c->source_lang, ==, "en");
  g_assert_cmpstr(c->target_lang, ==, "de");

  /* 8001 x 64 embedding, 8001 biases, 6 encoder layers, 6 decoder layers. */
  size_t linear = 64 * 64 + 64, norm = 2 * 64, ffn = 2 * 64 * 128 + 128 + 64;
  size_t encoder = 4 * linear + ffn + 2 * norm, decoder = 8 * linear + ffn + 3 * norm;
  g_assert_cmpuint(mt_model_n_parameters(model), ==, 8001 * 65 + 6 * (encoder + decoder));
  GStatBuf status;
  g_assert_cmpint(g_stat(FROZEN "/model.safetensors", &status), ==, 0);
  g_assert_cmpuint(mt_model_file_bytes(model), ==, (guint64) status.st_size);
  g_assert_cmpuint(mt_model_n_tensors(model), ==, 254);
  size_t i = 0; /* who writes a file chooses the order of its tensors */
  while (strcmp(mt_model_tensor(model, i)->name, "final_logits_bias") != 0)
    g_assert_cmpuint(++i, <, mt_model_n_tensors(model));
  const mt_tensor_info *bias = mt_model_tensor(model, i);
  g_assert_cmpstr(bias->dtype, ==, "F16");
  g_assert_cmpstr(bias->file, ==, "model.safetensors");
  g_assert_cmpuint(bias->n_dims, ==, 2);
  g_assert_cmpuint(bias->shape[1], ==, 8001);
  mt_matrix positions = mt_model_positions(model, MT_STACK_DECODER);
  g_assert_cmpuint(positions.rows, ==, 512);
  g_assert_cmpuint(positions.cols, ==, 64);
  g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 1, 0), sinf(1), 1e-6);
  g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 1, 32), cosf(1), 1e-6);

  g_assert_true(mt_model_ref(model) == model);
  mt_model_unref(model);
  g_assert_cmpstr(mt_model_name(model), ==, "en-de");
  mt_model_unref(model);
  mt_model_unref(NULL);
}

/* Where each tensor of a layer must have gone: by name, apart from the engine's own table. */
static const struct {
  const char *name;
  size_t offset;
} layer_places[] = {
    {"self_attn.q_proj.weight", offsetof(mt_layer_weights, self.q.weight)},
    {"self_attn.q_proj.bias", offsetof(mt_layer_weights, self.q.bias)},
    {"self_attn.k_proj.weight", offsetof(mt_layer_weights, self.k.weight)},
    {"self_attn.k_proj.bias", offsetof(mt_layer_weights, self.k.bias)},
    {"self_attn.v_proj.weight", offsetof(mt_layer_weights, self.v.weight)},
    {"self_attn.v_proj.bias", offsetof(mt_layer_weights, self.v.bias)},
    {"self_attn.out_proj.weight", offsetof(mt_layer_weights, self.out.weight)},
    {"self_attn.out_proj.bias", offsetof(mt_layer_weights, self.out.bias)},
    {"self_attn_layer_norm.weight", offsetof(mt_layer_weights, self_norm.gain)},
    {"self_attn_layer_norm.bias", offsetof(mt_layer_weights, self_norm.bias)},
    {"fc1.weight", offsetof(mt_layer_weights, ffn.fc1.weight)},
    {"fc1.bias", offsetof(mt_layer_weights, ffn.fc1.bias)},
    {"fc2.weight", offsetof(mt_layer_weights, ffn.fc2.weight)},
    {"fc2.bias", offsetof(mt_layer_weights, ffn.fc2.bias)},
    {"final_layer_norm.weight", offsetof(mt_layer_weights, ffn_norm.gain)},
    {"final_layer_norm.bias", offsetof(mt_layer_weights, ffn_norm.bias)},
    {"encoder_attn.q_proj.weight", offsetof(mt_layer_weights, cross.q.weight)},
    {"encoder_attn.q_proj.bias", offsetof(mt_layer_weights, cross.q.bias)},
    {"encoder_attn.k_proj.weight", offsetof(mt_layer_weights, cross.k.weight)},
    {"encoder_attn.k_proj.bias", offsetof(mt_layer_weights, cross.k.bias)},
    {"encoder_attn.v_proj.weight", offsetof(mt_layer_weights, cross.v.weight)},
    {"encoder_attn.v_proj.bias", offsetof(mt_layer_weights, cross.v.bias)},
    {"encoder_attn.out_proj.weight", offsetof(mt_layer_weights, cross.out.weight)},
    {"encoder_attn.out_proj.bias", offsetof(mt_layer_weights, cross.out.bias)},
    {"encoder_attn_layer_norm.weight", offsetof(mt_layer_weights, cross_norm.gain)},
    {"encoder_attn_layer_norm.bias", offsetof(mt_layer_weights, cross_norm.bias)},
};
#define N_ENCODER_PLACES 16

static void
assert_values(const model_dir *dir, const char *name, const float *found)
{
  const dir_tensor *t = model_dir_tensor(dir, name);
  g_assert_nonnull(found);
  for (gsize i = 0; i < t->n; i++)
    if (memcmp(&found[i], &t->values[i], sizeof *found) != 0)
      g_error("%s[%zu]: expected %g, found %g", name, i, (double) t->values[i], (double) found[i]);
}

/* Every weight of a model is the one that was written. */
static void
assert_weights(const model_dir *dir, const mt_model *model)
{
  static const char *const names[] = {"encoder", "decoder"};
  /* Rows of 16 bits come from the file, and floats only now. */
  for (gsize i = 0; i < model->storage->n_halves; i++) {
    mt_halves *halves = &model->storage->halves[i];
    const gsize last = (halves->n_out - 1) * halves->n_in;
    g_autofree float *row = g_new(float, halves->n_in);
    mt_halves_read(halves, last, halves->n_in, row);
    g_assert_false(halves->has_floats);
    g_assert_cmpmem(row, halves->n_in * sizeof *row, mt_halves_floats(halves) + last,
                    halves->n_in * sizeof *row);
  }
  for (int s = 0; s < MT_N_STACKS; s++) {
    gsize n_places = s == MT_STACK_ENCODER ? N_ENCODER_PLACES : G_N_ELEMENTS(layer_places);
    for (gsize l = 0; l < model->config.n_layers[s]; l++)
      for (gsize p = 0; p < n_places; p++) {
        g_autofree char *name =
            g_strdup_printf("model.%s.layers.%zu.%s", names[s], l, layer_places[p].name);
        const char *layer = (const char *) &model->stacks[s].layers[l];
        assert_values(dir, name, *(const float *const *) (layer + layer_places[p].offset));
      }
    assert_values(dir, "model.shared.weight", model->stacks[s].embedding);
  }
  assert_values(dir, "model.shared.weight", model->output.weight);
  assert_values(dir, "final_logits_bias", model->output.bias);
  const mt_linear *fc1 = &model->stacks[MT_STACK_DECODER].layers[1].ffn.fc1;
  g_assert_cmpuint(fc1->n_out, ==, DIR_FFN);
  g_assert_cmpuint(fc1->n_in, ==, DIR_D);
  g_assert_null(model->stacks[MT_STACK_ENCODER].layers[0].cross.q.weight);
  g_assert_null(model->stacks[MT_STACK_ENCODER].layers[0].cross_norm.gain);
}

static void
test_types(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  gsize n = dir->tensors->len;
  for (int dtype = DIR_F32; dtype <= DIR_F64; dtype++)
    /* With 1 byte of padding, every F32 lies at an odd address and must be copied. */
    for (gsize padding = 0; padding < 2; padding++) {
      model_dir_write_tensors(dir, "model.safetensors", 0, n, (dir_dtype) dtype, padding);
      g_autoptr(mt_model) model = model_open_good(dir->path);
      assert_weights(dir, model);
      g_assert_cmpuint(mt_model_n_tensors(model), ==, n);
    }
}

/* Saved from a model without its head, all tensors lack "model." before their names. */
static void
test_without_prefix(void)
{
  static const char prefix[] = "model.";
  g_autoptr(model_dir) dir = model_dir_new();
  const gsize n = dir->tensors->len;
  for (gsize i = 0; i < n; i++) {
    dir_tensor *t = dir->tensors->pdata[i];
    t->name += g_str_has_prefix(t->name, prefix) ? strlen(prefix) : 0;
  }
  model_dir_write_tensors(dir, "model.safetensors", 0, n, DIR_F32, 0);
  for (gsize i = 0; i < n; i++) {
    dir_tensor *t = dir->tensors->pdata[i];
    t->name -= strcmp(t->name, "final_logits_bias") != 0 ? strlen(prefix) : 0;
  }
  g_autoptr(mt_model) model = model_open_good(dir->path);
  assert_weights(dir, model);
  /* Layers that the configuration does not have are found by these names, too. */
  model_dir_replace(dir, "config.json", "\"decoder_layers\": 2", "\"decoder_layers\": 1");
  model_open_bad(dir->path, MT_ERROR_FORMAT, "|1 layers in the decoder|\"decoder.layers.1.");
}

static void
test_shards(void)
{
  for (int dtype = DIR_F32; dtype <= DIR_F64; dtype++) {
    g_autoptr(model_dir) dir = model_dir_new();
    model_dir_write_shards(dir, (dir_dtype) dtype);
    g_autoptr(mt_model) model = model_open_good(dir->path);
    assert_weights(dir, model);
    g_assert_cmpuint(mt_model_n_tensors(model), ==, dir->tensors->len);
    g_assert_cmpstr(mt_model_tensor(model, dir->tensors->len - 1)->file, ==,
                    "model-00003-of-00003.safetensors");
  }
}

/* A tied matrix may be stored under any of its names; more names than one do no harm. */
static void
test_tied_names(void)
{
  static const char *const names[] = {
      "model.shared.weight",
      "model.encoder.embed_tokens.weight",
      "model.decoder.embed_tokens.weight",
      "lm_head.weight",
  };
  g_autoptr(model_dir) dir = model_dir_new();
  dir_tensor *shared = model_dir_tensor(dir, "model.shared.weight");
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_free(shared->name);
    shared->name = g_strdup(names[i]);
    model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
    g_autoptr(mt_model) model = model_open_good(dir->path);
    g_assert_true(model->stacks[0].embedding == model->stacks[1].embedding);
    g_assert_true(model->stacks[0].embedding == model->output.weight);
    assert_values(dir, names[i], model->output.weight);
  }
  /* Not tied: lm_head alone cannot be the embedding. */
  model_dir_replace(dir, "config.json", "\"scale_embedding\"",
                    "\"tie_word_embeddings\": false, \"scale_embedding\"");
  model_open_bad(dir->path, MT_ERROR_FORMAT, "model.shared.weight|no such tensor");
}

/* What config.json leaves out is as in MarianConfig; what generation_config.json says wins. */
static void
test_config_values(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write(dir, "generation_config.json",
                  "{\"num_beams\": 5, \"length_penalty\": 0.5, \"early_stopping\": \"never\",\n"
                  " \"forced_eos_token_id\": null, \"forced_bos_token_id\": [7],\n"
                  " \"min_length\": 2, \"max_length\": 12, \"bad_words_ids\": [[1, 2, 3]],\n"
                  " \"unheard_of\": {}}",
                  -1);
  mt_model *model = model_open_good(dir->path);
  const mt_config *c = mt_model_config(model);
  g_assert_cmpuint(c->num_beams, ==, 5);
  g_assert_cmpfloat(c->length_penalty, ==, 0.5f);
  g_assert_cmpint(c->early_stopping, ==, MT_EARLY_STOPPING_NEVER);
  g_assert_cmpint(c->forced_eos_id, ==, -1);
  g_assert_cmpint(c->forced_bos_id, ==, 7);
  g_assert_cmpint(c->bos_id, ==, -1);
  g_assert_cmpuint(c->min_length, ==, 2);
  g_assert_cmpuint(c->max_length, ==, 12);
  g_assert_cmpuint(c->n_bad_words, ==, 1);
  g_assert_cmpuint(c->bad_word_lengths[0], ==, 3);
  g_assert_cmpint(c->bad_words[0][2], ==, 3);
  g_assert_cmpstr(c->source_lang, ==, "");
  g_assert_true(c->tie_word_embeddings && c->share_embeddings);
  mt_model_unref(model);

  /* As in transformers, what config.json says of a search does not count beside it. */
  model_dir_write(dir, "generation_config.json", "{\"early_stopping\": true, \"max_length\": 900}",
                  -1);
  model_dir_replace(dir, "config.json", "\"relu\"", "\"swish\"");
  model_dir_replace(dir, "config.json", "\"max_length\": 12",
                    "\"max_length\": 11, \"position_embedding_layout\": \"interleaved\"");
  model = model_open_good(dir->path);
  c = mt_model_config(model);
  g_assert_cmpint(c->early_stopping, ==, MT_EARLY_STOPPING_TRUE);
  g_assert_cmpint(c->activation, ==, MT_ACTIVATION_SILU);
  g_assert_cmpint(c->position_kind, ==, MT_POSITIONS_SINUSOIDAL_INTERLEAVED);
  g_assert_cmpuint(c->max_length, ==, DIR_POSITIONS);
  g_assert_cmpuint(c->num_beams, ==, 1);
  g_assert_cmpuint(c->n_bad_words, ==, 0);
  g_assert_cmpint(c->forced_eos_id, ==, -1);
  g_assert_cmpint(c->eos_id, ==, 0);
  g_assert_cmpfloat(c->length_penalty, ==, 1);
  g_assert_cmpstr(c->generation.not_honoured, ==,
                  "forced_eos_token_id of config.json, bad_words_ids of config.json, num_beams of "
                  "config.json");
  mt_matrix positions = mt_model_positions(model, MT_STACK_ENCODER);
  g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 1, 1), cosf(1), 1e-6);
  mt_model_unref(model);
}

/* ---- The start token --------------------------------------------------------------------------
 */

static void
swap_rows(const model_dir *dir, const char *name, gsize a, gsize b, gsize cols)
{
  float *values = model_dir_tensor(dir, name)->values;
  for (gsize k = 0; k < cols; k++) {
    float kept = values[a * cols + k];
    values[a * cols + k] = values[b * cols + k];
    values[b * cols + k] = kept;
  }
}

/* The capture of the greedy translation. */
static mt_capture *
capture_greedy(const char *path)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = model_open_good(path);
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = params.n_best = 1;
  mt_translation *t =
      session ? mt_session_translate(session, "the cat", &params, NULL, &error) : NULL;
  mt_capture *capture = t ? mt_session_capture(session, t, 0, 0, NULL, &error) : NULL;
  if (!capture)
    g_error("%s", error.message);
  mt_translation_unref(t);
  return capture;
}

/* How far cross-attention is apart, in the rows that both have. */
static double
distance(const mt_capture *a, const mt_capture *b)
{
  double most = 0;
  for (gsize l = 0; l < DIR_DECODER_LAYERS; l++)
    for (gsize h = 0; h < DIR_HEADS; h++) {
      mt_matrix x = mt_capture_weights(a, MT_CROSS, l, h);
      mt_matrix y = mt_capture_weights(b, MT_CROSS, l, h);
      for (gsize r = 0; r < MIN(x.rows, y.rows); r++)
        for (gsize c = 0; c < x.cols; c++)
          most = MAX(most, fabs((double) mt_matrix_at(&x, r, c) - (double) mt_matrix_at(&y, r, c)));
    }
  return most;
}

/* decoder_start_token_id is any token, not only <pad>: a model that starts with another is one that
 * starts with <pad>, once the two have changed places in its weights. */
static void
test_start(void)
{
  enum { START = 61 }; /* not in the text */
  g_autoptr(model_dir) dir = model_dir_new();
  gsize pad = dir->vocab_size - 1;
  model_dir_replace(dir, "config.json", "\"bad_words_ids\": [", "\"bad_words_ids\": [[61], ");
  g_autoptr(mt_capture) with_pad = capture_greedy(dir->path);

  model_dir_replace(dir, "config.json", "\"decoder_start_token_id\": 124",
                    "\"decoder_start_token_id\": 61");
  g_autoptr(mt_capture) with_other = capture_greedy(dir->path);
  g_assert_cmpint(mt_tokens_get(mt_capture_decoder_input(with_other), 0)->id, ==, START);
  g_assert_cmpfloat(distance(with_pad, with_other), >, 1e-3);

  swap_rows(dir, "model.shared.weight", START, pad, DIR_D);
  swap_rows(dir, "final_logits_bias", START, pad, 1);
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  model_dir_replace(dir, "config.json", "\"decoder_start_token_id\": 61",
                    "\"decoder_start_token_id\": 124");
  g_autoptr(mt_capture) swapped = capture_greedy(dir->path);
  const mt_tokens *output = mt_capture_output(swapped), *other = mt_capture_output(with_other);
  g_assert_cmpint(mt_tokens_get(mt_capture_decoder_input(swapped), 0)->id, ==, (int) pad);
  g_assert_cmpuint(mt_tokens_count(output), ==, mt_tokens_count(other));
  for (gsize i = 0; i < mt_tokens_count(output); i++) {
    g_assert_cmpint(mt_tokens_get(output, i)->id, ==, mt_tokens_get(other, i)->id);
    g_assert_cmpfloat_with_epsilon(mt_capture_logprobs(swapped)[i],
                                   mt_capture_logprobs(with_other)[i], 1e-5);
  }
  g_assert_cmpfloat(distance(swapped, with_other), <, 1e-6);
}

/* The name of a model is that of its directory, however the path is written. */
static void
test_name(void)
{
  g_autofree char *before = g_get_current_dir();
  g_assert_cmpint(g_chdir(REGARD_SOURCE_ROOT "/tests/data/frozen/en-de"), ==, 0);
  static const char *const paths[] = {".", "./", "../en-de", "../en-de//", "../en-de/."};
  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
    g_autoptr(mt_model) model = model_open_good(paths[i]);
    g_assert_cmpstr(mt_model_name(model), ==, "en-de");
  }
  g_assert_cmpint(g_chdir(before), ==, 0);
}

typedef struct {
  int calls, stop_at;
  double last;
} progress;

static bool
on_progress(void *user, double share)
{
  progress *p = user;
  g_assert_cmpfloat(share, >=, p->last);
  g_assert_cmpfloat(share, <=, 1);
  p->last = share;
  return ++p->calls != p->stop_at;
}

static void
test_progress(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  progress all = {0};
  mt_model *model =
      mt_model_open(dir->path, &(mt_load_options){.on_progress = on_progress, .user = &all}, NULL);
  g_assert_nonnull(model);
  g_assert_cmpfloat(all.last, ==, 1);
  mt_model_unref(model);
  for (int stop_at = 1; stop_at <= all.calls; stop_at++) {
    progress some = {.stop_at = stop_at};
    mt_error error = {0};
    mt_load_options options = {.on_progress = on_progress, .user = &some};
    g_assert_null(mt_model_open(dir->path, &options, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
    g_assert_cmpint(some.calls, ==, stop_at);
  }
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Let the first, the second, … allocation fail until none does. */
static void
test_no_memory(const void *data)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_replace(dir, "vocab.json", "\"▁die\"", "\">>deu<<\""); /* a multi-target one */
  if (GPOINTER_TO_INT(data))
    model_dir_write_shards(dir, DIR_BF16);
  g_autoptr(mt_model) model = NULL;
  gsize allocations = 0;
  for (gsize n = 0; !model; n++) {
    mt_error error = {0};
    few_then_one_fails(n);
    model = mt_model_open(dir->path, NULL, &error);
    allocations = few_end();
    if (!model) {
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
      g_assert_cmpuint(allocations, >, n);
    }
  }
  g_test_message("%zu allocations", allocations);
  g_assert_cmpuint(allocations, >, 50);
  assert_weights(dir, model);
}

TESTS()
{
  g_test_add_func("/load/frozen", test_frozen);
  g_test_add_func("/load/types", test_types);
  g_test_add_func("/load/without-prefix", test_without_prefix);
  g_test_add_func("/load/shards", test_shards);
  g_test_add_func("/load/tied-names", test_tied_names);
  g_test_add_func("/load/config-values", test_config_values);
  g_test_add_func("/load/start", test_start);
  g_test_add_func("/load/name", test_name);
  g_test_add_func("/load/progress", test_progress);
  g_test_add_data_func("/load/no-memory/file", GINT_TO_POINTER(0), test_no_memory);
  g_test_add_data_func("/load/no-memory/shards", GINT_TO_POINTER(1), test_no_memory);
}

/* test-load.c — opening model directories: good ones, and every way of being broken.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model-dir.h"
#include "mt-alloc-test.h"
#include "mt-model.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUNDLED REGARD_SOURCE_ROOT "/models/en-de"

/* Open a directory that must be good. */
static mt_model *
open_good(const char *path)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(path, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  g_assert_cmpint(error.code, ==, MT_OK);
  return model;
}

/* Open a directory that must be refused with this code and all of these words. */
static void
open_bad(const char *path, mt_error_code code, const char *words)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(path, NULL, &error);
  g_assert_null(model);
  g_test_message("%s", error.message);
  g_assert_cmpint(error.code, ==, code);
  g_assert_true(g_utf8_validate(error.message, -1, NULL));
  g_assert_true(g_str_has_suffix(error.message, "."));
  g_assert_null(strchr(error.message, '\n'));
  char **parts = g_strsplit(words, "|", -1);
  for (char **part = parts; *part; part++)
    if (!strstr(error.message, *part))
      g_error("expected \"%s\" in \"%s\"", *part, error.message);
  g_strfreev(parts);
  g_assert_null(mt_model_open(path, NULL, NULL));
}

/* ---- Good ---------------------------------------------------------------------------------- */

static void
test_bundled(void)
{
  mt_model *model = open_good(BUNDLED "/");
  const mt_config *c = mt_model_config(model);
  g_assert_cmpstr(mt_model_name(model), ==, "en-de");
  g_assert_cmpstr(mt_model_directory(model), ==, BUNDLED "/");
  g_assert_cmpuint(c->d_model, ==, 256);
  for (int s = 0; s < MT_N_STACKS; s++) {
    g_assert_cmpuint(c->n_layers[s], ==, 6);
    g_assert_cmpuint(c->n_heads[s], ==, 8);
    g_assert_cmpuint(c->d_ffn[s], ==, 1024);
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

  /* 8001 x 256 embedding, 8001 biases, 6 encoder layers, 6 decoder layers. */
  size_t linear = 256 * 256 + 256, norm = 2 * 256, ffn = 2 * 256 * 1024 + 1024 + 256;
  size_t encoder = 4 * linear + ffn + 2 * norm, decoder = 8 * linear + ffn + 3 * norm;
  g_assert_cmpuint(mt_model_n_parameters(model), ==, 8001 * 257 + 6 * (encoder + decoder));
  GStatBuf status;
  g_assert_cmpint(g_stat(BUNDLED "/model.safetensors", &status), ==, 0);
  g_assert_cmpuint(mt_model_file_bytes(model), ==, (guint64) status.st_size);
  g_assert_cmpuint(mt_model_n_tensors(model), ==, 254);
  const mt_tensor_info *first = mt_model_tensor(model, 0);
  g_assert_cmpstr(first->name, ==, "final_logits_bias");
  g_assert_cmpstr(first->dtype, ==, "F16");
  g_assert_cmpstr(first->file, ==, "model.safetensors");
  g_assert_cmpuint(first->n_dims, ==, 2);
  g_assert_cmpuint(first->shape[1], ==, 8001);
  mt_matrix positions = mt_model_positions(model, MT_STACK_DECODER);
  g_assert_cmpuint(positions.rows, ==, 512);
  g_assert_cmpuint(positions.cols, ==, 256);
  g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 1, 0), sinf(1), 1e-6);
  g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 1, 128), cosf(1), 1e-6);

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
  for (int s = 0; s < MT_N_STACKS; s++) {
    gsize n_places = s == MT_STACK_ENCODER ? N_ENCODER_PLACES : G_N_ELEMENTS(layer_places);
    for (gsize l = 0; l < model->config.n_layers[s]; l++)
      for (gsize p = 0; p < n_places; p++) {
        char *name = g_strdup_printf("model.%s.layers.%zu.%s", names[s], l, layer_places[p].name);
        const char *layer = (const char *) &model->stacks[s].layers[l];
        assert_values(dir, name, *(const float *const *) (layer + layer_places[p].offset));
        g_free(name);
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
  model_dir *dir = model_dir_new();
  gsize n = dir->tensors->len;
  for (int dtype = DIR_F32; dtype <= DIR_BF16; dtype++)
    /* With 1 byte of padding, every F32 lies at an odd address and must be copied. */
    for (gsize padding = 0; padding < 2; padding++) {
      model_dir_write_tensors(dir, "model.safetensors", 0, n, (dir_dtype) dtype, padding);
      mt_model *model = open_good(dir->path);
      assert_weights(dir, model);
      g_assert_cmpuint(mt_model_n_tensors(model), ==, n);
      mt_model_unref(model);
    }
  model_dir_free(dir);
}

static void
test_shards(void)
{
  for (int dtype = DIR_F32; dtype <= DIR_BF16; dtype++) {
    model_dir *dir = model_dir_new();
    model_dir_write_shards(dir, (dir_dtype) dtype);
    mt_model *model = open_good(dir->path);
    assert_weights(dir, model);
    g_assert_cmpuint(mt_model_n_tensors(model), ==, dir->tensors->len);
    g_assert_cmpstr(mt_model_tensor(model, dir->tensors->len - 1)->file, ==,
                    "model-00003-of-00003.safetensors");
    mt_model_unref(model);
    model_dir_free(dir);
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
  model_dir *dir = model_dir_new();
  dir_tensor *shared = model_dir_tensor(dir, "model.shared.weight");
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_free(shared->name);
    shared->name = g_strdup(names[i]);
    model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
    mt_model *model = open_good(dir->path);
    g_assert_true(model->stacks[0].embedding == model->stacks[1].embedding);
    g_assert_true(model->stacks[0].embedding == model->output.weight);
    assert_values(dir, names[i], model->output.weight);
    mt_model_unref(model);
  }
  /* Not tied: lm_head alone cannot be the embedding. */
  model_dir_replace(dir, "config.json", "\"scale_embedding\"",
                    "\"tie_word_embeddings\": false, \"scale_embedding\"");
  open_bad(dir->path, MT_ERROR_FORMAT, "model.shared.weight|no such tensor");
  model_dir_free(dir);
}

/* What config.json leaves out is as in MarianConfig; what generation_config.json says wins. */
static void
test_config_values(void)
{
  model_dir *dir = model_dir_new();
  model_dir_write(dir, "generation_config.json",
                  "{\"num_beams\": 5, \"length_penalty\": 0.5, \"early_stopping\": \"never\",\n"
                  " \"forced_eos_token_id\": null, \"forced_bos_token_id\": [7],\n"
                  " \"min_length\": 2, \"bad_words_ids\": [[1, 2, 3]], \"unheard_of\": {}}",
                  -1);
  mt_model *model = open_good(dir->path);
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

  model_dir_write(dir, "generation_config.json", "{\"early_stopping\": true}", -1);
  model_dir_replace(dir, "config.json", "\"relu\"", "\"swish\"");
  model_dir_replace(dir, "config.json", "\"max_length\": 12",
                    "\"max_length\": 900, \"sinusoidal_layout\": \"interleaved\"");
  model = open_good(dir->path);
  c = mt_model_config(model);
  g_assert_cmpint(c->early_stopping, ==, MT_EARLY_STOPPING_TRUE);
  g_assert_cmpint(c->activation, ==, MT_ACTIVATION_SILU);
  g_assert_cmpint(c->position_kind, ==, MT_POSITIONS_SINUSOIDAL_INTERLEAVED);
  g_assert_cmpuint(c->max_length, ==, DIR_POSITIONS);
  g_assert_cmpuint(c->n_bad_words, ==, 2);
  g_assert_cmpfloat(c->length_penalty, ==, 1);
  mt_matrix positions = mt_model_positions(model, MT_STACK_ENCODER);
  g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 1, 1), cosf(1), 1e-6);
  mt_model_unref(model);
  model_dir_free(dir);
}

/* The name of a model is that of its directory, however the path is written. */
static void
test_name(void)
{
  char *before = g_get_current_dir();
  g_assert_cmpint(g_chdir(REGARD_SOURCE_ROOT "/models/en-de"), ==, 0);
  static const char *const paths[] = {".", "./", "../en-de", "../en-de//", "../en-de/."};
  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
    mt_model *model = open_good(paths[i]);
    g_assert_cmpstr(mt_model_name(model), ==, "en-de");
    mt_model_unref(model);
  }
  g_assert_cmpint(g_chdir(before), ==, 0);
  g_free(before);
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
  model_dir *dir = model_dir_new();
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
  model_dir_free(dir);
}

/* ---- Broken -------------------------------------------------------------------------------- */

/* A change to a good directory, and what opening it must say: all of `words`, separated by |. */
typedef struct {
  const char *name;
  const char *file;
  const char *old, *new; /* old NULL: `new` is the whole file; new NULL too: the file is removed */
  mt_error_code code;
  const char *words;
} broken;

#define CONFIG "config.json"
#define VOCAB  "vocab.json"
#define TENSOR "model.safetensors"
#define INDEX  "model.safetensors.index.json"
#define F      MT_ERROR_FORMAT
#define U      MT_ERROR_UNSUPPORTED
#define IO     MT_ERROR_IO
#define DEEP                                                                                       \
  "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]" \
  "]"                                                                                              \
  "]]]]}"

static const broken spoiled[] = {
    {"config/missing", CONFIG, NULL, NULL, IO, "/config.json: |found nothing"},
    {"config/empty", CONFIG, NULL, "", F, "config.json|empty"},
    {"config/cut-off", CONFIG, NULL, "{\"model_type\": \"mar", F, "config.json|cut off"},
    {"config/garbage", CONFIG, NULL, "PK\x03\x04", F, "config.json|JSON|byte 0"},
    {"config/list", CONFIG, NULL, "[1]", F, "config.json|object"},
    {"config/deep", CONFIG, NULL, DEEP, F, "config.json|deep"},
    {"config/trailing", CONFIG, NULL, "{} {}", F, "config.json|byte 3"},
    {"config/not-utf8", CONFIG, NULL, "{\"model_type\": \"\xff\"}", F, "config.json"},
    {"config/no-type", CONFIG, "\"model_type\"", "\"type\"", F, "model_type|no model_type"},
    {"config/other-type", CONFIG, "\"marian\"", "\"t5\"", U, "marian|t5"},
    {"config/type-number", CONFIG, "\"marian\"", "5", F, "model_type|string|5"},
    {"config/activation", CONFIG, "\"relu\"", "\"tanh\"", U, "activation_function|tanh"},
    {"config/d-string", CONFIG, "\"d_model\": 8", "\"d_model\": \"8\"", F, "d_model|\"8\""},
    {"config/d-fraction", CONFIG, "\"d_model\": 8", "\"d_model\": 8.5", F, "d_model|8.5"},
    {"config/d-zero", CONFIG, "\"d_model\": 8", "\"d_model\": 0", F, "d_model|number 0"},
    {"config/d-huge", CONFIG, "\"d_model\": 8", "\"d_model\": 99999999999999999999", F, "d_model"},
    {"config/d-negative", CONFIG, "\"d_model\": 8", "\"d_model\": -8", F, "d_model|-8"},
    {"config/odd-sinusoid", CONFIG, NULL,
     "{\"model_type\":\"marian\",\"d_model\":9,\"encoder_attention_heads\":3,"
     "\"decoder_attention_heads\":3}",
     U, "even d_model|9"},
    {"config/heads", CONFIG, "\"encoder_attention_heads\": 2", "\"encoder_attention_heads\": 3", F,
     "encoder_attention_heads|d_model 8|found 3"},
    {"config/layers-zero", CONFIG, "\"encoder_layers\": 1", "\"encoder_layers\": 0", F,
     "encoder_layers"},
    {"config/layers-less", CONFIG, "\"decoder_layers\": 2", "\"decoder_layers\": 1", F,
     "expected 1 layers|decoder.layers.1."},
    {"config/layers-more", CONFIG, "\"decoder_layers\": 2", "\"decoder_layers\": 3", F,
     "model.decoder.layers.2.self_attn.q_proj.weight|no such tensor"},
    {"config/positions-huge", CONFIG, "\"max_position_embeddings\": 16",
     "\"max_position_embeddings\": 99999999", F, "max_position_embeddings"},
    {"config/positions-large", CONFIG, NULL,
     "{\"model_type\":\"marian\",\"max_position_embeddings\":1000000}", U,
     "max_position_embeddings|1000000"},
    {"config/ffn", CONFIG, "\"decoder_ffn_dim\": 12", "\"decoder_ffn_dim\": 16", F,
     "fc1.weight|[16][8]|[12][8]"},
    {"config/vocab-less", CONFIG, "\"vocab_size\": 125", "\"vocab_size\": 124", F, "124"},
    {"config/vocab-more", CONFIG, "\"vocab_size\": 125", "\"vocab_size\": 126", F,
     "model.shared.weight|[126][8]|[125][8]"},
    {"config/vocab-target", CONFIG, "\"vocab_size\": 125",
     "\"vocab_size\": 125, \"decoder_vocab_size\": 130", F, "decoder_vocab_size|130"},
    {"config/pad", CONFIG, "\"pad_token_id\": 124", "\"pad_token_id\": 125", F, "pad_token_id|125"},
    {"config/pad-default", CONFIG, "\"pad_token_id\": 124", "\"pad_token\": 124", F,
     "pad_token_id|58100"},
    {"config/eos", CONFIG, "\"eos_token_id\": 0", "\"eos_token_id\": 5", F,
     "vocab.json|</s>|eos_token_id|5"},
    {"config/forced-eos", CONFIG, "\"forced_eos_token_id\": 0", "\"forced_eos_token_id\": [0, 1]",
     F, "forced_eos_token_id|a list"},
    {"config/bad-words", CONFIG, "[3, 4]", "[3, 125]", F, "bad_words_ids|125"},
    {"config/bad-words-empty", CONFIG, "[3, 4]", "[]", F, "bad_words_ids|empty"},
    {"config/bad-words-flat", CONFIG, "[3, 4]", "3", F, "bad_words_ids|entry 1"},
    {"config/bad-words-type", CONFIG, "[[124], [3, 4]]", "true", F, "bad_words_ids|list"},
    {"config/beams", CONFIG, "\"num_beams\": 2", "\"num_beams\": 0", F, "num_beams"},
    {"config/early", CONFIG, "\"num_beams\": 2", "\"early_stopping\": \"soon\"", F,
     "early_stopping|soon"},
    {"config/penalty", CONFIG, "\"num_beams\": 2", "\"length_penalty\": \"1\"", F,
     "length_penalty"},
    {"config/penalty-large", CONFIG, "\"num_beams\": 2", "\"length_penalty\": 1e300", F,
     "length_penalty"},
    {"config/min-length", CONFIG, "\"num_beams\": 2", "\"min_length\": 13", F, "min_length|12|13"},
    {"config/layout", CONFIG, "\"num_beams\": 2", "\"sinusoidal_layout\": \"spiral\"", U,
     "sinusoidal_layout|spiral"},
    {"config/learned-missing", CONFIG, "\"num_beams\": 2", "\"static_position_embeddings\": false",
     F, "model.encoder.embed_positions.weight|no such tensor"},
    {"config/norm-missing", CONFIG, "\"num_beams\": 2", "\"normalize_embedding\": true", F,
     "model.encoder.layernorm_embedding.weight|no such tensor"},
    {"config/final-norm-missing", CONFIG, "\"num_beams\": 2", "\"add_final_layer_norm\": true", F,
     "model.encoder.layer_norm.weight|no such tensor"},
    {"config/untied", CONFIG, "\"num_beams\": 2", "\"tie_word_embeddings\": false", F,
     "lm_head.weight|no such tensor"},
    {"config/switch", CONFIG, "\"scale_embedding\": true", "\"scale_embedding\": 1", F,
     "scale_embedding|true or false"},
    {"generation/garbage", "generation_config.json", NULL, "{,}", F, "generation_config.json"},
    {"generation/id", "generation_config.json", NULL, "{\"forced_bos_token_id\": -2}", F,
     "generation_config.json|forced_bos_token_id|-2"},
    {"generation/empty", "generation_config.json", NULL, "", F, "generation_config.json|empty"},
    {"tokenizer/language", "tokenizer_config.json", NULL, "{\"source_lang\": 3}", F,
     "tokenizer_config.json|source_lang|3"},
    {"tokenizer/nul", "tokenizer_config.json", NULL, "{\"source_lang\": \"e\\u0000n\"}", F,
     "source_lang"},

    {"vocab/missing", VOCAB, NULL, NULL, IO, "/vocab.json: |found nothing"},
    {"vocab/list", VOCAB, NULL, "[]", F, "vocab.json|object"},
    {"vocab/few", VOCAB, NULL, "{\"</s>\": 0, \"<unk>\": 1}", F, "vocab.json|125|found 2"},
    {"vocab/negative", VOCAB, "\"<unk>\": 1", "\"<unk>\": -1", F, "vocab.json|-1|<unk>"},
    {"vocab/range", VOCAB, "\"<unk>\": 1", "\"<unk>\": 125", F, "vocab.json|125"},
    {"vocab/text", VOCAB, "\"<unk>\": 1", "\"<unk>\": \"1\"", F, "vocab.json|<unk>"},
    {"vocab/no-unk", VOCAB, "<unk>", "<unknown>", F, "vocab.json|<unk>"},
    {"vocab/no-eos", VOCAB, "</s>", "<end>", F, "vocab.json|</s>"},

    {"spm/source-missing", "source.spm", NULL, NULL, IO, "/source.spm: |found nothing"},
    {"spm/target-missing", "target.spm", NULL, NULL, IO, "/target.spm: |found nothing"},
    {"spm/empty", "source.spm", NULL, "", F, "source.spm|empty"},
    {"spm/garbage", "source.spm", NULL, "This is not a model.", F, "source.spm|SentencePiece"},
    {"spm/target-garbage", "target.spm", NULL, "{}", F, "target.spm|SentencePiece"},

    {"tensors/missing", TENSOR, NULL, NULL, IO, "model.safetensors|found neither"},
    {"tensors/empty", TENSOR, NULL, "", F, "model.safetensors|empty"},
    {"tensors/short", TENSOR, NULL, "abcd", F, "model.safetensors|4 bytes"},
    {"tensors/pointer", TENSOR, NULL, "version https://git-lfs.github.com/spec/v1\n", F,
     "model.safetensors|header"},
};

static void
test_spoiled(const void *data)
{
  const broken *b = data;
  model_dir *dir = model_dir_new();
  if (b->old)
    model_dir_replace(dir, b->file, b->old, b->new);
  else if (b->new)
    model_dir_write(dir, b->file, b->new, -1);
  else
    model_dir_remove(dir, b->file);
  open_bad(dir->path, b->code, b->words);
  model_dir_free(dir);
}

/* Headers of a safetensors file with 64 bytes of data. */
#define HEADER(entry) "{\"a\":" entry "}"
static const struct {
  const char *name, *header, *words;
  mt_error_code code;
} headers[] = {
    {"not-json", "{\"a\":", "header|cut off", F},
    {"deep", DEEP, "deep", F},
    {"list", "[]", "object", F},
    {"entry", HEADER("3"), "\"a\"|object", F},
    {"no-dtype", HEADER("{\"shape\":[16],\"data_offsets\":[0,64]}"), "\"a\"|dtype", F},
    {"dtype-number", HEADER("{\"dtype\":1,\"shape\":[16],\"data_offsets\":[0,64]}"), "dtype", F},
    {"no-shape", HEADER("{\"dtype\":\"F32\",\"data_offsets\":[0,64]}"), "\"a\"|shape", F},
    {"negative", HEADER("{\"dtype\":\"F32\",\"shape\":[-16],\"data_offsets\":[0,64]}"), "shape", F},
    {"five", HEADER("{\"dtype\":\"F32\",\"shape\":[1,1,1,1,16],\"data_offsets\":[0,64]}"), "4", F},
    {"overflow",
     HEADER("{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4],\"data_offsets\":[0,64]}"),
     "larger than any memory", F},
    {"overflow-bytes",
     HEADER("{\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]}"), "F32",
     F},
    {"no-offsets", HEADER("{\"dtype\":\"F32\",\"shape\":[16]}"), "data_offsets", F},
    {"one-offset", HEADER("{\"dtype\":\"F32\",\"shape\":[16],\"data_offsets\":[0]}"),
     "data_offsets", F},
    {"reversed", HEADER("{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[64,0]}"),
     "data_offsets", F},
    {"beyond", HEADER("{\"dtype\":\"F32\",\"shape\":[17],\"data_offsets\":[0,68]}"),
     "expected 68 bytes|found 64", F},
    {"huge-offset",
     HEADER("{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[18446744073709551612,"
            "18446744073709551615]}"),
     "data_offsets", F},
    {"size", HEADER("{\"dtype\":\"F16\",\"shape\":[16],\"data_offsets\":[0,64]}"),
     "16 numbers of type F16|64 bytes", F},
    {"trailing", HEADER("{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[0,32]}"),
     "expected 32 bytes of data, found 64", F},
    {"gap",
     "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},"
     "\"b\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[32,64]}}",
     "\"b\"|byte 16|found 32", F},
    {"overlap",
     "{\"b\":{\"dtype\":\"F32\",\"shape\":[12],\"data_offsets\":[16,64]},"
     "\"a\":{\"dtype\":\"F32\",\"shape\":[8],\"data_offsets\":[0,32]}}",
     "\"b\"|byte 32|found 16", F},
    {"other-model", HEADER("{\"dtype\":\"F32\",\"shape\":[16],\"data_offsets\":[0,64]}"),
     "model.shared.weight|no such tensor", F},
    {"dtype",
     "{\"model.shared.weight\":{\"dtype\":\"I8\",\"shape\":[8,8],\"data_offsets\":[0,64]}}",
     "model.shared.weight|F32, F16 or BF16|I8", U},
    {"scalar",
     "{\"model.shared.weight\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
     "\"a\":{\"dtype\":\"F32\",\"shape\":[15],\"data_offsets\":[4,64]}}",
     "[125][8]|found []", F},
};

static void
test_header(const void *data)
{
  gsize i = (gsize) ((const char *) data - (const char *) headers) / sizeof *headers;
  model_dir *dir = model_dir_new();
  model_dir_write_header(dir, TENSOR, headers[i].header, 64);
  open_bad(dir->path, headers[i].code, headers[i].words);
  model_dir_free(dir);
}

static void
test_no_directory(void)
{
  open_bad("/nonexistent/model", IO, "/nonexistent/model|found nothing");
  open_bad(BUNDLED "/config.json", IO, "config.json|directory");
  open_bad("", IO, "directory");
  model_dir *dir = model_dir_new();
  model_dir_remove(dir, CONFIG);
  open_bad(dir->path, IO, "config.json|found nothing");
  char *path = g_build_filename(dir->path, CONFIG, NULL);
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  open_bad(dir->path, IO, "config.json|regular file|a directory");
  g_assert_cmpint(g_rmdir(path), ==, 0);
  /* Must neither hang nor be read. */
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  open_bad(dir->path, IO, "config.json|regular file|a pipe");
  model_dir_remove(dir, CONFIG);
  g_assert_cmpint(symlink("nowhere", path), ==, 0);
  open_bad(dir->path, IO, "config.json|found nothing");
  g_free(path);
  model_dir_free(dir);
}

static void
test_other_formats(void)
{
  static const char *const files[] = {"pytorch_model.bin", "tf_model.h5", "model.npz"};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    model_dir *dir = model_dir_new();
    model_dir_remove(dir, TENSOR);
    model_dir_write(dir, files[i], "data", -1);
    char *words = g_strdup_printf("%s|model.safetensors", files[i]);
    open_bad(dir->path, U, words);
    g_free(words);
    model_dir_free(dir);
  }
}

/* A copy that stopped half way, at every place that matters and at many others. */
static void
test_truncated(void)
{
  static const char *const files[] = {CONFIG, VOCAB, TENSOR, "source.spm"};
  for (gsize f = 0; f < G_N_ELEMENTS(files); f++) {
    model_dir *dir = model_dir_new();
    gsize size;
    g_free(model_dir_read(dir, files[f], &size));
    for (int i = 15; i >= 0; i--) {
      model_dir_truncate(dir, files[f], size * (gsize) i / 16);
      mt_error error = {0};
      mt_model *model = mt_model_open(dir->path, NULL, &error);
      /* A prefix of a protocol buffer can be a smaller, whole one; no other file has such. */
      g_assert_true(!model || f == 3);
      if (!model)
        g_assert_nonnull(strstr(error.message, files[f]));
      mt_model_unref(model);
    }
    model_dir_free(dir);
  }
}

static void
test_header_length(void)
{
  model_dir *dir = model_dir_new();
  gsize n;
  char *bytes = model_dir_read(dir, TENSOR, &n);
  memset(bytes, 0xff, 8);
  model_dir_write(dir, TENSOR, bytes, (gssize) n);
  open_bad(dir->path, F, "header of 18446744073709551615 bytes");
  guint64 length = GUINT64_TO_LE((guint64) n - 7);
  memcpy(bytes, &length, 8);
  model_dir_write(dir, TENSOR, bytes, (gssize) n);
  open_bad(dir->path, F, "header of");
  memset(bytes, 0, 8);
  model_dir_write(dir, TENSOR, bytes, (gssize) n);
  open_bad(dir->path, F, "header");
  g_free(bytes);
  model_dir_free(dir);
}

static void
test_wrong_shape(void)
{
  model_dir *dir = model_dir_new();
  dir_tensor *t = model_dir_tensor(dir, "model.decoder.layers.1.fc2.weight");
  gsize rows = t->shape[0];
  t->shape[0] = t->shape[1];
  t->shape[1] = rows;
  model_dir_write_tensors(dir, TENSOR, 0, dir->tensors->len, DIR_F16, 0);
  open_bad(dir->path, F, "model.decoder.layers.1.fc2.weight|[8][12]|[12][8]");
  model_dir_free(dir);

  dir = model_dir_new();
  t = model_dir_tensor(dir, "model.encoder.layers.0.self_attn.k_proj.bias");
  g_free(t->name);
  t->name = g_strdup("model.encoder.layers.0.self_attn.k_proj.bais");
  model_dir_write_tensors(dir, TENSOR, 0, dir->tensors->len, DIR_F32, 0);
  open_bad(dir->path, F, "model.encoder.layers.0.self_attn.k_proj.bias|no such tensor");
  model_dir_free(dir);
}

static void
test_not_finite(void)
{
  const float values[] = {INFINITY, -INFINITY, NAN};
  for (gsize v = 0; v < G_N_ELEMENTS(values); v++)
    for (int dtype = DIR_F32; dtype <= DIR_BF16; dtype++)
      for (gsize padding = 0; padding < 2; padding++) {
        model_dir *dir = model_dir_new();
        dir_tensor *t = model_dir_tensor(dir, "model.shared.weight");
        t->values[v == 0 ? 0 : t->n - v] = values[v];
        model_dir_write_tensors(dir, TENSOR, 0, dir->tensors->len, (dir_dtype) dtype, padding);
        open_bad(dir->path, F, "model.shared.weight|finite");
        model_dir_free(dir);
      }
}

static void
test_broken_shards(void)
{
  const char *second = "model-00002-of-00003.safetensors";
  model_dir *dir = model_dir_new();
  model_dir_write_shards(dir, DIR_F32);
  char *index = model_dir_read(dir, INDEX, NULL);
  char *shard = NULL;
  gsize n;
  shard = model_dir_read(dir, second, &n);

  model_dir_remove(dir, second);
  open_bad(dir->path, IO, "model-00002-of-00003.safetensors|found nothing");
  model_dir_write(dir, second, shard, (gssize) n / 2);
  open_bad(dir->path, F, "model-00002-of-00003.safetensors|cut off");
  model_dir_write(dir, second, shard, (gssize) n);

  model_dir_replace(dir, INDEX, "\"model.shared.weight\"", "\"model.sheared.weight\"");
  open_bad(dir->path, F, "model.sheared.weight|as the index says");
  model_dir_write(dir, INDEX, index, -1);
  model_dir_replace(dir, INDEX, "\"model-00001-of", "\"../model-00001-of");
  open_bad(dir->path, F, "index.json|file name");
  model_dir_write(dir, INDEX, index, -1);
  model_dir_replace(dir, INDEX, "\"weight_map\"", "\"weights\"");
  open_bad(dir->path, F, "weight_map");
  model_dir_write(dir, INDEX, "{\"weight_map\": {\"a\": 3}}", -1);
  open_bad(dir->path, F, "index.json|file name");

  model_dir_write(dir, INDEX, index, -1);
  mt_model_unref(open_good(dir->path));
  g_free(index);
  g_free(shard);
  model_dir_free(dir);
}

/* Flip bytes at random (the same ones every time): open or refuse, nothing else. */
static void
test_flipped(void)
{
  static const char *const files[] = {CONFIG, VOCAB, TENSOR};
  GRand *rand = g_rand_new_with_seed(20170612);
  model_dir *dir = model_dir_new();
  int opened = 0, refused = 0;
  for (gsize f = 0; f < G_N_ELEMENTS(files); f++) {
    gsize n;
    char *bytes = model_dir_read(dir, files[f], &n);
    /* Of the tensors mostly the header. */
    gint32 end = (gint32) (n < 6000 ? n : 6000);
    for (int i = 0; i < 150; i++) {
      char *changed = g_memdup2(bytes, n);
      for (int k = g_rand_int_range(rand, 1, 4); k > 0; k--)
        changed[g_rand_int_range(rand, 0, end)] ^= (char) (1 << g_rand_int_range(rand, 0, 8));
      model_dir_write(dir, files[f], changed, (gssize) n);
      g_free(changed);
      mt_error error = {0};
      mt_model *model = mt_model_open(dir->path, NULL, &error);
      g_assert_true(model ? error.code == MT_OK : error.code != MT_OK && error.message[0]);
      model ? opened++ : refused++;
      mt_model_unref(model);
    }
    model_dir_write(dir, files[f], bytes, (gssize) n);
    g_free(bytes);
  }
  g_test_message("%d opened, %d refused", opened, refused);
  g_assert_cmpint(refused, >, opened);
  g_rand_free(rand);
  model_dir_free(dir);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static int allocations, fail_at;

static bool
count_allocation(size_t bytes)
{
  return ++allocations != fail_at;
}

/* Let the first, the second, … allocation fail until none does. */
static void
test_no_memory(const void *data)
{
  model_dir *dir = model_dir_new();
  if (GPOINTER_TO_INT(data))
    model_dir_write_shards(dir, DIR_BF16);
  mt_alloc_set_hook(count_allocation);
  mt_model *model = NULL;
  for (fail_at = 1; !model; fail_at++) {
    allocations = 0;
    mt_error error = {0};
    model = mt_model_open(dir->path, NULL, &error);
    if (!model) {
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
      g_assert_cmpint(allocations, >=, fail_at);
    }
  }
  mt_alloc_set_hook(NULL);
  g_test_message("%d allocations", allocations);
  g_assert_cmpint(allocations, >, 50);
  assert_weights(dir, model);
  mt_model_unref(model);
  model_dir_free(dir);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/load/bundled", test_bundled);
  g_test_add_func("/load/types", test_types);
  g_test_add_func("/load/shards", test_shards);
  g_test_add_func("/load/tied-names", test_tied_names);
  g_test_add_func("/load/config-values", test_config_values);
  g_test_add_func("/load/name", test_name);
  g_test_add_func("/load/progress", test_progress);
  g_test_add_func("/load/broken/no-directory", test_no_directory);
  g_test_add_func("/load/broken/other-formats", test_other_formats);
  g_test_add_func("/load/broken/truncated", test_truncated);
  g_test_add_func("/load/broken/header-length", test_header_length);
  g_test_add_func("/load/broken/wrong-shape", test_wrong_shape);
  g_test_add_func("/load/broken/not-finite", test_not_finite);
  g_test_add_func("/load/broken/shards", test_broken_shards);
  g_test_add_func("/load/broken/flipped", test_flipped);
  for (gsize i = 0; i < G_N_ELEMENTS(spoiled); i++) {
    char *path = g_strdup_printf("/load/broken/%s", spoiled[i].name);
    g_test_add_data_func(path, &spoiled[i], test_spoiled);
    g_free(path);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(headers); i++) {
    char *path = g_strdup_printf("/load/broken/header/%s", headers[i].name);
    g_test_add_data_func(path, &headers[i], test_header);
    g_free(path);
  }
  g_test_add_data_func("/load/no-memory/file", GINT_TO_POINTER(0), test_no_memory);
  g_test_add_data_func("/load/no-memory/shards", GINT_TO_POINTER(1), test_no_memory);
  return g_test_run();
}

/* test-load-broken.c — every way in which a model directory can be broken, and what is said of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "model-dir.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FROZEN REGARD_SOURCE_ROOT "/tests/data/frozen/en-de"

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
    {"config/null", CONFIG, NULL, "null", F, "config.json|expected a JSON object"},
    {"config/number", CONFIG, NULL, "12", F, "config.json|expected a JSON object"},
    {"config/half-a-word", CONFIG, NULL, "tru", F, "config.json|cut off"},
    {"config/cut-off", CONFIG, NULL, "{\"model_type\": \"mar", F, "config.json|cut off"},
    {"config/garbage", CONFIG, NULL, "PK\x03\x04", F, "config.json|JSON|byte 2"},
    {"config/list", CONFIG, NULL, "[1]", F, "config.json|object"},
    {"config/deep", CONFIG, NULL, DEEP, F, "config.json|deep"},
    {"config/trailing", CONFIG, NULL, "{} {}", F, "config.json|byte 4"},
    {"config/not-utf8", CONFIG, NULL, "{\"model_type\": \"\xff\"}", F, "config.json"},
    {"config/no-type", CONFIG, "\"model_type\"", "\"type\"", F, "model_type|no model_type"},
    {"config/other-type", CONFIG, "\"marian\"", "\"longt5\"", U,
     "Marian|LongT5|model_type \"longt5\""},
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
    {"config/forced-eos", CONFIG, "\"forced_eos_token_id\": 0", "\"forced_eos_token_id\": [0, 125]",
     F, "forced_eos_token_id|125"},
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
    {"config/layout", CONFIG, "\"num_beams\": 2", "\"position_embedding_layout\": \"spiral\"", U,
     "position_embedding_layout|spiral"},
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
    {"spm/pointer", "source.spm", NULL,
     "version https://git-lfs.github.com/spec/v1\noid sha256:01234567\nsize 778395\n", F,
     "source.spm|SentencePiece model|Git LFS pointer|git lfs pull"},
    {"spm/web-page", "target.spm", NULL, "<!DOCTYPE html><html>Not found</html>", F,
     "target.spm|a web page"},
    {"spm/target-garbage", "target.spm", NULL, "{}", F, "target.spm|SentencePiece"},

    {"tensors/missing", TENSOR, NULL, NULL, IO, "model.safetensors|found none of them"},
    {"tensors/empty", TENSOR, NULL, "", F, "model.safetensors|empty"},
    {"tensors/short", TENSOR, NULL, "abcd", F, "model.safetensors|4 bytes"},
    {"tensors/pointer", TENSOR, NULL, "version https://git-lfs.github.com/spec/v1\n", F,
     "model.safetensors|Git LFS pointer"},
};

static void
test_spoiled(const void *data)
{
  const broken *b = data;
  g_autoptr(model_dir) dir = model_dir_new();
  if (b->old)
    model_dir_replace(dir, b->file, b->old, b->new);
  else if (b->new)
    model_dir_write(dir, b->file, b->new, -1);
  else
    model_dir_remove(dir, b->file);
  model_open_bad(dir->path, b->code, b->words);
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
     HEADER("{\"dtype\":\"F32\",\"shape\":[2147483648,2147483649],\"data_offsets\":[0,4]}"), "F32",
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
     "model.shared.weight|F32, F16, BF16 or F64|I8", U},
    {"scalar",
     "{\"model.shared.weight\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
     "\"a\":{\"dtype\":\"F32\",\"shape\":[15],\"data_offsets\":[4,64]}}",
     "[125][8]|found []", F},
};

static void
test_header(const void *data)
{
  gsize i = (gsize) ((const char *) data - (const char *) headers) / sizeof *headers;
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write_header(dir, TENSOR, headers[i].header, 64);
  model_open_bad(dir->path, headers[i].code, headers[i].words);
}

static void
test_no_directory(void)
{
  model_open_bad("/nonexistent/model", IO, "/nonexistent/model|found nothing");
  model_open_bad(FROZEN "/config.json", IO, "config.json|folder or a zip archive");
  model_open_bad("", IO, "folder");
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_remove(dir, CONFIG);
  model_open_bad(dir->path, IO, "config.json|found nothing");
  g_autofree char *path = g_build_filename(dir->path, CONFIG, NULL);
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  model_open_bad(dir->path, IO, "config.json|regular file|a directory");
  g_assert_cmpint(g_rmdir(path), ==, 0);
  /* Must neither hang nor be read. */
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  model_open_bad(dir->path, IO, "config.json|regular file|a pipe");
  model_dir_remove(dir, CONFIG);
  g_assert_cmpint(symlink("nowhere", path), ==, 0);
  model_open_bad(dir->path, IO, "config.json|found a link to nothing");
}

static void
test_other_formats(void)
{
  static const char *const files[] = {"tf_model.h5", "model.npz"};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autoptr(model_dir) dir = model_dir_new();
    model_dir_remove(dir, TENSOR);
    model_dir_write(dir, files[i], "data", -1);
    g_autofree char *words = g_strdup_printf("%s|model.safetensors", files[i]);
    model_open_bad(dir->path, U, words);
  }
}

/* A copy that stopped half way, at every place that matters and at many others. */
static void
test_truncated(void)
{
  static const char *const files[] = {CONFIG, VOCAB, TENSOR, "source.spm"};
  for (gsize f = 0; f < G_N_ELEMENTS(files); f++) {
    g_autoptr(model_dir) dir = model_dir_new();
    gsize size;
    g_free(model_dir_read(dir, files[f], &size));
    for (int i = 15; i >= 0; i--) {
      model_dir_truncate(dir, files[f], size * (gsize) i / 16);
      mt_error error = {0};
      g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
      /* A prefix of a protocol buffer can be a smaller, whole one; no other file has such. */
      g_assert_true(!model || f == 3);
      if (!model)
        g_assert_nonnull(strstr(error.message, files[f]));
    }
  }
}

static void
test_header_length(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  gsize n;
  g_autofree char *bytes = model_dir_read(dir, TENSOR, &n);
  memset(bytes, 0xff, 8);
  model_dir_write(dir, TENSOR, bytes, (gssize) n);
  model_open_bad(dir->path, F, "header of 18446744073709551615 bytes");
  guint64 length = GUINT64_TO_LE((guint64) n - 7);
  memcpy(bytes, &length, 8);
  model_dir_write(dir, TENSOR, bytes, (gssize) n);
  model_open_bad(dir->path, F, "header of");
  memset(bytes, 0, 8);
  model_dir_write(dir, TENSOR, bytes, (gssize) n);
  model_open_bad(dir->path, F, "header");
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
  model_open_bad(dir->path, F, "model.decoder.layers.1.fc2.weight|[8][12]|[12][8]");
  model_dir_free(dir);

  dir = model_dir_new();
  t = model_dir_tensor(dir, "model.encoder.layers.0.self_attn.k_proj.bias");
  g_free(t->name);
  t->name = g_strdup("model.encoder.layers.0.self_attn.k_proj.bais");
  model_dir_write_tensors(dir, TENSOR, 0, dir->tensors->len, DIR_F32, 0);
  model_open_bad(dir->path, F, "model.encoder.layers.0.self_attn.k_proj.bias|no such tensor");
  model_dir_free(dir);
}

static void
test_not_finite(void)
{
  const float values[] = {INFINITY, -INFINITY, NAN};
  for (gsize v = 0; v < G_N_ELEMENTS(values); v++)
    for (int dtype = DIR_F32; dtype <= DIR_F64; dtype++)
      for (gsize padding = 0; padding < 2; padding++) {
        g_autoptr(model_dir) dir = model_dir_new();
        dir_tensor *t = model_dir_tensor(dir, "model.shared.weight");
        t->values[v == 0 ? 0 : t->n - v] = values[v];
        model_dir_write_tensors(dir, TENSOR, 0, dir->tensors->len, (dir_dtype) dtype, padding);
        model_open_bad(dir->path, F, "model.shared.weight|finite");
      }
}

static void
test_broken_shards(void)
{
  const char *second = "model-00002-of-00003.safetensors";
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write_shards(dir, DIR_F32);
  g_autofree char *index = model_dir_read(dir, INDEX, NULL);
  g_autofree char *shard = NULL;
  gsize n;
  shard = model_dir_read(dir, second, &n);

  model_dir_remove(dir, second);
  model_open_bad(dir->path, IO, "model-00002-of-00003.safetensors|found nothing");
  model_dir_write(dir, second, shard, (gssize) n / 2);
  model_open_bad(dir->path, F, "model-00002-of-00003.safetensors|cut off");
  model_dir_write(dir, second, shard, (gssize) n);

  model_dir_replace(dir, INDEX, "\"model.shared.weight\"", "\"model.sheared.weight\"");
  model_open_bad(dir->path, F, "model.sheared.weight|as the index says");
  model_dir_write(dir, INDEX, index, -1);
  model_dir_replace(dir, INDEX, "\"model-00001-of", "\"../model-00001-of");
  model_open_bad(dir->path, F, "index.json|file name");
  model_dir_write(dir, INDEX, index, -1);
  model_dir_replace(dir, INDEX, "\"weight_map\"", "\"weights\"");
  model_open_bad(dir->path, F, "weight_map");
  model_dir_write(dir, INDEX, "{\"weight_map\": {\"a\": 3}}", -1);
  model_open_bad(dir->path, F, "index.json|file name");

  model_dir_write(dir, INDEX, index, -1);
  mt_model_unref(model_open_good(dir->path));
}

/* Flip bytes at random (the same ones every time): open or refuse, nothing else. */
static void
test_flipped(void)
{
  static const char *const files[] = {CONFIG, VOCAB, TENSOR};
  g_autoptr(GRand) rand = g_rand_new_with_seed(20170612);
  g_autoptr(model_dir) dir = model_dir_new();
  int opened = 0, refused = 0;
  for (gsize f = 0; f < G_N_ELEMENTS(files); f++) {
    gsize n;
    g_autofree char *bytes = model_dir_read(dir, files[f], &n);
    /* Of the tensors mostly the header. */
    gint32 end = (gint32) (n < 6000 ? n : 6000);
    for (int i = 0; i < 150; i++) {
      g_autofree char *changed = g_memdup2(bytes, n);
      for (int k = g_rand_int_range(rand, 1, 4); k > 0; k--)
        changed[g_rand_int_range(rand, 0, end)] ^= (char) (1 << g_rand_int_range(rand, 0, 8));
      model_dir_write(dir, files[f], changed, (gssize) n);
      mt_error error = {0};
      g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
      g_assert_true(model ? error.code == MT_OK : error.code != MT_OK && error.message[0]);
      model ? opened++ : refused++;
    }
    model_dir_write(dir, files[f], bytes, (gssize) n);
  }
  g_test_message("%d opened, %d refused", opened, refused);
  g_assert_cmpint(refused, >, opened);
}

TESTS()
{
  g_test_add_func("/load-broken/no-directory", test_no_directory);
  g_test_add_func("/load-broken/other-formats", test_other_formats);
  g_test_add_func("/load-broken/truncated", test_truncated);
  g_test_add_func("/load-broken/header-length", test_header_length);
  g_test_add_func("/load-broken/wrong-shape", test_wrong_shape);
  g_test_add_func("/load-broken/not-finite", test_not_finite);
  g_test_add_func("/load-broken/shards", test_broken_shards);
  g_test_add_func("/load-broken/flipped", test_flipped);
  for (gsize i = 0; i < G_N_ELEMENTS(spoiled); i++)
    suite_add(&spoiled[i], test_spoiled, "/load-broken/%s", spoiled[i].name);
  for (gsize i = 0; i < G_N_ELEMENTS(headers); i++)
    suite_add(&headers[i], test_header, "/load-broken/header/%s", headers[i].name);
}

/* test-families.c — models of other families than Marian: their keys, their tensors, what their
 * configuration becomes, and what is refused.
 *
 * That they compute what transformers does is shown by the golden tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "model-dir.h"
#include "model/mt-config.h"
#include "model/mt-family.h"
#include "model/mt-model.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* ---- What is not said ------------------------------------------------------------------------ */

/* A configuration read from a folder in which there is nothing else but, not NULL,
 * tokenizer_config.json and generation_config.json. */
static gboolean
load(const char *config_json, const char *tokenizer, const char *generation, mt_config *config,
     mt_text_kind *kind, mt_error *error)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_remove(dir, "vocab.json");
  model_dir_write(dir, "config.json", config_json, -1);
  if (tokenizer)
    model_dir_write(dir, "tokenizer_config.json", tokenizer, -1);
  if (generation)
    model_dir_write(dir, "generation_config.json", generation, -1);
  mt_dir opened = MT_DIR_NONE;
  mt_fault_log faults = {0};
  g_assert_true(mt_dir_open(&opened, dir->path, &faults, error));
  const gboolean ok = mt_config_load(config, kind, &opened, error);
  mt_dir_close(&opened);
  return ok;
}

static void
load_good(const char *config_json, const char *tokenizer, mt_config *config, mt_text_kind *kind)
{
  mt_error error = {0};
  if (!load(config_json, tokenizer, NULL, config, kind, &error))
    g_error("%s: %s", config_json, error.message);
}

/* The defaults of transformers' configuration classes: a file says nothing but its model_type. */
static const struct {
  const char *type;
  size_t vocab_size, d_model, n_layers, n_heads, d_ffn;
  mt_activation activation;
  mt_position_kind positions;
  size_t offset;
  gboolean scales, pre, embedding_norm, final_norm;
  int32_t pad, bos, eos, start, forced_eos, source_begin;
  mt_language_mode languages;
  mt_text_unit unit;
  mt_text_kind text;
} rows[] = {
    {"bart",
     50265,
     1024,
     12,
     16,
     4096,
     MT_ACTIVATION_GELU,
     MT_POSITIONS_LEARNED,
     2,
     FALSE,
     FALSE,
     TRUE,
     FALSE,
     1,
     0,
     2,
     2,
     2,
     0,
     MT_LANGUAGES_NONE,
     MT_UNIT_TEXT,
     MT_TEXT_BYTE_BPE},
    /* transformers starts with <s> where nobody says with what. Of 50265 pieces, not of 250054: it
     * is none with 50 languages. */
    {"mbart",
     50265,
     1024,
     12,
     16,
     4096,
     MT_ACTIVATION_GELU,
     MT_POSITIONS_LEARNED,
     2,
     FALSE,
     TRUE,
     TRUE,
     TRUE,
     1,
     0,
     2,
     0,
     2,
     -1,
     MT_LANGUAGES_START,
     MT_UNIT_SENTENCE,
     MT_TEXT_SPM_FAIRSEQ},
    {"m2m_100",
     128112,
     1024,
     12,
     16,
     4096,
     MT_ACTIVATION_RELU,
     MT_POSITIONS_SINUSOIDAL_FAIRSEQ,
     2,
     TRUE,
     TRUE,
     FALSE,
     TRUE,
     1,
     0,
     2,
     2,
     -1,
     -1,
     MT_LANGUAGES_FORCED,
     MT_UNIT_SENTENCE,
     MT_TEXT_SPM_FAIRSEQ},
    {"pegasus",
     50265,
     1024,
     12,
     16,
     4096,
     MT_ACTIVATION_GELU,
     MT_POSITIONS_LEARNED,
     0,
     FALSE,
     TRUE,
     FALSE,
     TRUE,
     0,
     -1,
     1,
     0,
     1,
     -1,
     MT_LANGUAGES_NONE,
     MT_UNIT_TEXT,
     MT_TEXT_SPM_OFFSET},
};

static void
test_defaults(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *json = g_strdup_printf("{\"model_type\": \"%s\"}", rows[i].type);
    mt_config c;
    mt_text_kind kind;
    load_good(json, NULL, &c, &kind);
    g_assert_cmpstr(c.family, ==, rows[i].type);
    g_assert_true(mt_model_type_is_run(rows[i].type));
    g_assert_cmpuint(c.d_model, ==, rows[i].d_model);
    for (int s = 0; s < MT_N_STACKS; s++) {
      g_assert_cmpuint(c.vocab_size[s], ==, rows[i].vocab_size);
      g_assert_cmpuint(c.n_layers[s], ==, rows[i].n_layers);
      g_assert_cmpuint(c.n_heads[s], ==, rows[i].n_heads);
      g_assert_cmpuint(c.d_ffn[s], ==, rows[i].d_ffn);
    }
    g_assert_cmpint(c.activation, ==, rows[i].activation);
    g_assert_cmpint(c.position_kind, ==, rows[i].positions);
    g_assert_cmpuint(c.position_offset, ==, rows[i].offset);
    g_assert_cmpint(c.scale_embedding, ==, rows[i].scales);
    g_assert_cmpint(c.normalize_before, ==, rows[i].pre);
    g_assert_cmpint(c.normalize_embedding, ==, rows[i].embedding_norm);
    g_assert_cmpint(c.add_final_layer_norm, ==, rows[i].final_norm);
    g_assert_true(c.share_embeddings && c.tie_word_embeddings);
    g_assert_cmpint(c.pad_id, ==, rows[i].pad);
    g_assert_cmpint(c.bos_id, ==, rows[i].bos);
    g_assert_cmpint(c.eos_id, ==, rows[i].eos);
    g_assert_cmpint(c.decoder_start_id, ==, rows[i].start);
    g_assert_cmpint(c.forced_bos_id, ==, -1);
    g_assert_cmpint(c.forced_eos_id, ==, rows[i].forced_eos);
    g_assert_cmpuint(c.source_begin.n, ==, rows[i].source_begin >= 0);
    g_assert_true(c.source_begin.n == 0 || c.source_begin.ids[0] == rows[i].source_begin);
    g_assert_cmpuint(c.source_end.n, ==, 1);
    g_assert_cmpint(c.source_end.ids[0], ==, rows[i].eos);
    g_assert_cmpint(c.language_mode, ==, rows[i].languages);
    g_assert_cmpint(c.unit, ==, rows[i].unit);
    g_assert_cmpint(kind, ==, rows[i].text);
    mt_config_clear(&c);
  }
}

/* T5 and its heirs, of which some say more in other words. */
static void
test_t5_keys(void)
{
  static const struct {
    const char *config;
    size_t vocab_size, d_ffn, n_heads, n_layers[MT_N_STACKS], d_head, buckets, distance, positions;
    mt_activation activation;
    gboolean is_gated, scales, each_layer;
  } cases[] = {
      {"{\"model_type\": \"t5\"}",
       32128,
       2048,
       8,
       {6, 6},
       64,
       32,
       128,
       512,
       MT_ACTIVATION_RELU,
       FALSE,
       TRUE,
       FALSE},
      {"{\"model_type\": \"mt5\"}",
       250112,
       1024,
       6,
       {8, 8},
       64,
       32,
       128,
       512,
       MT_ACTIVATION_GELU_TANH,
       TRUE,
       FALSE,
       FALSE},
      {"{\"model_type\": \"umt5\"}",
       250112,
       1024,
       6,
       {8, 8},
       64,
       32,
       128,
       512,
       MT_ACTIVATION_GELU_TANH,
       TRUE,
       TRUE,
       TRUE},
      /* Flan-T5 small, as it was published. */
      {"{\"model_type\": \"t5\", \"d_ff\": 1024, \"num_heads\": 6, \"num_layers\": 8, "
       "\"num_decoder_layers\": 8, \"feed_forward_proj\": \"gated-gelu\", "
       "\"tie_word_embeddings\": false, \"n_positions\": 512}",
       32128,
       1024,
       6,
       {8, 8},
       64,
       32,
       128,
       512,
       MT_ACTIVATION_GELU_TANH,
       TRUE,
       FALSE,
       FALSE},
      /* As transformers 5 writes it. */
      {"{\"model_type\": \"t5\", \"feed_forward_proj\": \"gated-gelu\", \"dense_act_fn\": "
       "\"gelu_new\", \"is_gated_act\": true, \"scale_decoder_outputs\": false, "
       "\"tie_word_embeddings\": true, \"num_layers\": 12, \"num_decoder_layers\": 4, \"d_kv\": 5}",
       32128,
       2048,
       8,
       {12, 4},
       5,
       32,
       128,
       512,
       MT_ACTIVATION_GELU_TANH,
       TRUE,
       FALSE,
       FALSE},
      {"{\"model_type\": \"t5\", \"feed_forward_proj\": \"gelu\", \"n_positions\": 2048, "
       "\"relative_attention_num_buckets\": 64, \"relative_attention_max_distance\": 256}",
       32128,
       2048,
       8,
       {6, 6},
       64,
       64,
       256,
       2048,
       MT_ACTIVATION_GELU,
       FALSE,
       TRUE,
       FALSE},
      {"{\"model_type\": \"mt5\", \"feed_forward_proj\": \"gated-silu\", "
       "\"scale_decoder_outputs\": true}",
       250112,
       1024,
       6,
       {8, 8},
       64,
       32,
       128,
       512,
       MT_ACTIVATION_SILU,
       TRUE,
       FALSE,
       FALSE},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_config c;
    mt_text_kind kind;
    load_good(cases[i].config, NULL, &c, &kind);
    for (int s = 0; s < MT_N_STACKS; s++) {
      g_assert_cmpuint(c.vocab_size[s], ==, cases[i].vocab_size);
      g_assert_cmpuint(c.n_layers[s], ==, cases[i].n_layers[s]);
      g_assert_cmpuint(c.n_heads[s], ==, cases[i].n_heads);
      g_assert_cmpuint(c.d_head[s], ==, cases[i].d_head);
      g_assert_cmpuint(c.d_ffn[s], ==, cases[i].d_ffn);
      g_assert_cmpfloat(c.score_divisor[s], ==, 1);
    }
    g_assert_cmpuint(c.n_buckets, ==, cases[i].buckets);
    g_assert_cmpuint(c.max_distance, ==, cases[i].distance);
    g_assert_cmpuint(c.max_positions, ==, cases[i].positions);
    g_assert_cmpint(c.activation, ==, cases[i].activation);
    g_assert_cmpint(c.feed_forward_kind, ==,
                    cases[i].is_gated ? MT_FEED_FORWARD_GATED : MT_FEED_FORWARD_PLAIN);
    g_assert_cmpfloat_with_epsilon(c.output_scale, cases[i].scales ? 1 / sqrt(512) : 0, 1e-9);
    g_assert_cmpint(c.bias_each_layer, ==, cases[i].each_layer);
    g_assert_cmpint(c.norm_kind, ==, MT_NORM_RMS);
    g_assert_cmpfloat(c.norm_epsilon, ==, 1e-6);
    g_assert_cmpint(c.position_kind, ==, MT_POSITIONS_RELATIVE);
    g_assert_true(c.normalize_before && c.add_final_layer_norm && !c.normalize_embedding);
    g_assert_false(c.scale_embedding);
    g_assert_cmpint(c.pad_id, ==, 0);
    g_assert_cmpint(c.eos_id, ==, 1);
    g_assert_cmpint(c.bos_id, ==, -1);
    g_assert_cmpint(c.decoder_start_id, ==, 0);
    g_assert_cmpint(c.forced_eos_id, ==, -1);
    g_assert_cmpint(kind, ==, MT_TEXT_SPM_OWN);
    mt_config_clear(&c);
  }
}

/* As `generate` has it, a token that config.json forces is forced only where there is no
 * generation_config.json. */
static void
test_forced(void)
{
  static const char config_json[] = "{\"model_type\": \"bart\", \"forced_bos_token_id\": 0}";
  static const struct {
    const char *generation;
    int32_t bos, eos;
  } cases[] = {
      {NULL, 0, 2},
      {"{\"num_beams\": 4}", -1, -1},
      {"{\"forced_bos_token_id\": 7, \"forced_eos_token_id\": 2}", 7, 2},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_config c;
    mt_text_kind kind;
    mt_error error = {0};
    g_assert_true(load(config_json, NULL, cases[i].generation, &c, &kind, &error));
    g_assert_cmpint(c.forced_bos_id, ==, cases[i].bos);
    g_assert_cmpint(c.forced_eos_id, ==, cases[i].eos);
    g_assert_cmpint(c.bos_id, ==, 0);
    mt_config_clear(&c);
  }
}

/* What hangs on the tokenizer. */
static void
test_tokenizers(void)
{
  static const struct {
    const char *config, *tokenizer;
    mt_language_mode mode;
    gboolean is_last;
    mt_text_kind kind;
    const char *from;
  } cases[] = {
      {"{\"model_type\": \"mbart\"}",
       "{\"tokenizer_class\": \"MBart50TokenizerFast\", \"src_lang\": \"en_XX\"}",
       MT_LANGUAGES_FORCED, FALSE, MT_TEXT_SPM_FAIRSEQ, "en_XX"},
      {"{\"model_type\": \"mbart\", \"tokenizer_class\": \"MBart50Tokenizer\"}", NULL,
       MT_LANGUAGES_FORCED, FALSE, MT_TEXT_SPM_FAIRSEQ, ""},
      {"{\"model_type\": \"mbart\", \"vocab_size\": 250054}", "{\"src_lang\": null}",
       MT_LANGUAGES_FORCED, FALSE, MT_TEXT_SPM_FAIRSEQ, ""},
      {"{\"model_type\": \"mbart\", \"vocab_size\": 250027}",
       "{\"tokenizer_class\": \"MBartTokenizer\"}", MT_LANGUAGES_START, TRUE, MT_TEXT_SPM_FAIRSEQ,
       ""},
      {"{\"model_type\": \"m2m_100\"}", "{\"tokenizer_class\": \"M2M100Tokenizer\"}",
       MT_LANGUAGES_FORCED, FALSE, MT_TEXT_MARIAN, ""},
      {"{\"model_type\": \"m2m_100\", \"tokenizer_class\": \"M2M100Tokenizer\"}",
       "{\"tokenizer_class\": \"NllbTokenizer\", \"src_lang\": \"eng_Latn\"}", MT_LANGUAGES_FORCED,
       FALSE, MT_TEXT_SPM_FAIRSEQ, "eng_Latn"},
      {"{\"model_type\": \"m2m_100\"}",
       "{\"tokenizer_class\": \"NllbTokenizerFast\", \"legacy_behaviour\": true}",
       MT_LANGUAGES_FORCED, TRUE, MT_TEXT_SPM_FAIRSEQ, ""},
      /* Whether a T5 is a MADLAD is seen when its pieces are. */
      {"{\"model_type\": \"t5\"}", "{\"tokenizer_class\": \"T5Tokenizer\"}",
       MT_LANGUAGES_SOURCE_TOKEN, FALSE, MT_TEXT_SPM_OWN, ""},
      {"{\"model_type\": \"t5\"}", "{\"tokenizer_class\": \"ByT5Tokenizer\"}",
       MT_LANGUAGES_SOURCE_TOKEN, FALSE, MT_TEXT_BYTES, ""},
      {"{\"model_type\": \"t5\", \"bos_token_id\": 1, \"eos_token_id\": 2}",
       "{\"tokenizer_class\": \"RobertaTokenizer\"}", MT_LANGUAGES_SOURCE_TOKEN, FALSE,
       MT_TEXT_BYTE_BPE, ""},
      {"{\"model_type\": \"marian\"}", "{\"source_lang\": \"en\", \"target_lang\": \"de\"}",
       MT_LANGUAGES_SOURCE_TOKEN, FALSE, MT_TEXT_MARIAN, "en"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_config c;
    mt_text_kind kind;
    load_good(cases[i].config, cases[i].tokenizer, &c, &kind);
    g_assert_cmpint(c.language_mode, ==, cases[i].mode);
    g_assert_cmpint(c.language_last, ==, cases[i].is_last);
    g_assert_cmpint(kind, ==, cases[i].kind);
    g_assert_cmpstr(c.source_lang, ==, cases[i].from);
    mt_config_clear(&c);
  }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void
test_refused(void)
{
  static const struct {
    const char *config;
    mt_error_code code;
    const char *words;
  } cases[] = {
      {"{\"model_type\": \"bart\", \"normalize_before\": true}", MT_ERROR_UNSUPPORTED,
       "/config.json: expected normalize_before to be false, as in every model of the family BART, "
       "found true."},
      {"{\"model_type\": \"bart\", \"normalize_embedding\": false}", MT_ERROR_UNSUPPORTED,
       "normalize_embedding to be true|found false"},
      {"{\"model_type\": \"bart\", \"add_final_layer_norm\": true}", MT_ERROR_UNSUPPORTED,
       "add_final_layer_norm"},
      {"{\"model_type\": \"bart\", \"static_position_embeddings\": true}", MT_ERROR_UNSUPPORTED,
       "static_position_embeddings"},
      {"{\"model_type\": \"bart\", \"extra_pos_embeddings\": 0}", MT_ERROR_UNSUPPORTED,
       "extra_pos_embeddings to be 2|found 0."},
      {"{\"model_type\": \"bart\", \"extra_pos_embeddings\": \"2\"}", MT_ERROR_UNSUPPORTED,
       "extra_pos_embeddings|found another value."},
      {"{\"model_type\": \"bart\", \"share_encoder_decoder_embeddings\": false}",
       MT_ERROR_UNSUPPORTED, "share_encoder_decoder_embeddings"},
      {"{\"model_type\": \"mbart\", \"normalize_before\": false}", MT_ERROR_UNSUPPORTED,
       "normalize_before to be true|family mBART"},
      {"{\"model_type\": \"mbart\", \"add_final_layer_norm\": false}", MT_ERROR_UNSUPPORTED,
       "add_final_layer_norm"},
      {"{\"model_type\": \"m2m_100\", \"static_position_embeddings\": false}", MT_ERROR_UNSUPPORTED,
       "static_position_embeddings|family M2M-100"},
      {"{\"model_type\": \"m2m_100\", \"normalize_embedding\": true}", MT_ERROR_UNSUPPORTED,
       "normalize_embedding to be false"},
      {"{\"model_type\": \"pegasus\", \"normalize_embedding\": true}", MT_ERROR_UNSUPPORTED,
       "normalize_embedding|family Pegasus"},
      {"{\"model_type\": \"pegasus\", \"activation_function\": \"quick_gelu\"}",
       MT_ERROR_UNSUPPORTED, "activation_function|\"quick_gelu\""},
      {"{\"model_type\": \"m2m_100\", \"d_model\": 6, \"encoder_attention_heads\": 4}",
       MT_ERROR_FORMAT, "encoder_attention_heads to divide d_model 6, found 4"},
      {"{\"model_type\": \"m2m_100\", \"d_model\": 7, \"encoder_attention_heads\": 1, "
       "\"decoder_attention_heads\": 7}",
       MT_ERROR_UNSUPPORTED, "even d_model"},
      {"{\"model_type\": \"m2m_100\", \"max_position_embeddings\": 65535}", MT_ERROR_UNSUPPORTED,
       "max_position_embeddings of at most 65536"},
      {"{\"model_type\": \"bart\", \"bos_token_id\": 70000}", MT_ERROR_FORMAT, "bos_token_id"},
      {"{\"model_type\": \"mbart\", \"bos_token_id\": null}", MT_ERROR_FORMAT,
       "decoder_start_token_id"},
      {"{\"model_type\": \"t5\", \"feed_forward_proj\": \"gated-tanh\"}", MT_ERROR_UNSUPPORTED,
       "feed_forward_proj|\"gated-tanh\""},
      {"{\"model_type\": \"t5\", \"dense_act_fn\": \"gelu_new\"}", MT_ERROR_FORMAT,
       "dense_act_fn|\"gelu_new\""},
      {"{\"model_type\": \"t5\", \"is_gated_act\": true}", MT_ERROR_FORMAT,
       "is_gated_act to say what feed_forward_proj says, found true"},
      {"{\"model_type\": \"t5\", \"layer_norm_epsilon\": -1}", MT_ERROR_FORMAT,
       "layer_norm_epsilon|found -1"},
      {"{\"model_type\": \"t5\", \"relative_attention_num_buckets\": 2}", MT_ERROR_FORMAT,
       "relative_attention_num_buckets"},
      {"{\"model_type\": \"t5\", \"relative_attention_num_buckets\": 100000000}", MT_ERROR_FORMAT,
       "relative_attention_num_buckets"},
      {"{\"model_type\": \"t5\", \"relative_attention_max_distance\": 16}", MT_ERROR_FORMAT,
       "relative_attention_max_distance above half|buckets 32, found 16"},
      {"{\"model_type\": \"umt5\", \"d_kv\": 0}", MT_ERROR_FORMAT, "d_kv"},
      {"{\"model_type\": \"mt5\", \"num_heads\": 1e9}", MT_ERROR_FORMAT, "num_heads"},
      /* Old files say the same as the family. */
      {"{\"model_type\": \"bart\", \"normalize_before\": false, \"normalize_embedding\": true, "
       "\"add_final_layer_norm\": false, \"static_position_embeddings\": false, "
       "\"extra_pos_embeddings\": 2, \"add_bias_logits\": false}",
       MT_OK, ""},
      {"{\"model_type\": \"pegasus\", \"normalize_before\": true, \"normalize_embedding\": null, "
       "\"add_final_layer_norm\": true, \"static_position_embeddings\": true, "
       "\"extra_pos_embeddings\": 0}",
       MT_OK, ""},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_config c;
    mt_text_kind kind;
    mt_error error = {0};
    if (load(cases[i].config, NULL, NULL, &c, &kind, &error))
      mt_config_clear(&c);
    if (error.code != cases[i].code)
      g_error("%s: found %s", cases[i].config, error.message);
    g_auto(GStrv) words = g_strsplit(cases[i].words, "|", -1);
    for (gsize k = 0; words[k]; k++)
      if (error.code != MT_OK && !strstr(error.message, words[k]))
        g_error("%s: expected \"%s\", found %s", cases[i].config, words[k], error.message);
  }
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Begins with <s>, as BART's tokenizer has it, whatever the ids are. */
static char *
config_of(const char *type, gsize vocab_size)
{
  return g_strdup_printf(
      "{\"model_type\": \"%s\", \"activation_function\": \"relu\", \"d_model\": %d,\n"
      " \"vocab_size\": %zu, \"encoder_layers\": %d, \"decoder_layers\": %d,\n"
      " \"encoder_attention_heads\": %d, \"decoder_attention_heads\": %d,\n"
      " \"encoder_ffn_dim\": %d, \"decoder_ffn_dim\": %d, \"max_position_embeddings\": %d,\n"
      " \"pad_token_id\": %zu, \"eos_token_id\": 0, \"bos_token_id\": 5,\n"
      " \"forced_eos_token_id\": 0, \"decoder_start_token_id\": 0}",
      type, DIR_D, vocab_size, DIR_ENCODER_LAYERS, DIR_DECODER_LAYERS, DIR_HEADS, DIR_HEADS,
      DIR_FFN, DIR_FFN, DIR_POSITIONS, vocab_size - 1);
}

/* A folder of a family, with the files of Marian's tokenizer. */
static model_dir *
family_dir(gsize row)
{
  static const char *const stacks[] = {"encoder", "decoder"};
  model_dir *dir = model_dir_new();
  g_autofree char *config = config_of(rows[row].type, dir->vocab_size);
  model_dir_write(dir, "config.json", config, -1);
  for (int s = 0; s < MT_N_STACKS; s++) {
    for (int bias = 0; bias < 2; bias++) {
      if (rows[row].embedding_norm)
        model_dir_add(dir, 0, DIR_D, "model.%s.layernorm_embedding.%s", stacks[s],
                      bias ? "bias" : "weight");
      if (rows[row].final_norm)
        model_dir_add(dir, 0, DIR_D, "model.%s.layer_norm.%s", stacks[s], bias ? "bias" : "weight");
    }
    if (rows[row].positions == MT_POSITIONS_LEARNED)
      model_dir_add(dir, DIR_POSITIONS + rows[row].offset, DIR_D, "model.%s.embed_positions.weight",
                    stacks[s]);
  }
  return dir;
}

static void
assert_model(const model_dir *dir, gsize row, const mt_model *model)
{
  const mt_config *c = &model->config;
  const mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  const float *shared = model_dir_tensor(dir, "model.shared.weight")->values;
  const float *q = model_dir_tensor(dir, "model.decoder.layers.1.self_attn.q_proj.weight")->values;
  g_assert_cmpmem(mt_embedding_floats(decoder), 4 * DIR_D, shared, 4 * DIR_D);
  g_assert_cmpmem(mt_linear_floats(&decoder->layers[1].self.q), 4 * DIR_D, q, 4 * DIR_D);
  g_assert_true(mt_linear_floats(&model->output) == decoder->embedding);
  g_assert_true((model->output.bias != NULL) == (rows[row].languages != MT_LANGUAGES_FORCED));
  g_assert_true((decoder->embedding_norm.gain != NULL) == rows[row].embedding_norm);
  g_assert_true((decoder->final_norm.gain != NULL) == rows[row].final_norm);
  const mt_matrix positions = mt_model_positions(model, MT_STACK_DECODER);
  g_assert_cmpuint(positions.rows, ==, DIR_POSITIONS);
  if (rows[row].positions == MT_POSITIONS_LEARNED) {
    const float *table = model_dir_tensor(dir, "model.decoder.embed_positions.weight")->values;
    g_assert_cmpmem(positions.data, 4 * DIR_POSITIONS * DIR_D, table + rows[row].offset * DIR_D,
                    4 * DIR_POSITIONS * DIR_D);
  } else {
    g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 3, 0), sin(5), 1e-6);
    g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 3, DIR_D - 1), cos(5e-4), 1e-6);
  }
  g_assert_cmpint(c->position_kind, ==, rows[row].positions);
  g_assert_cmpfloat(c->norm_epsilon, ==, 1e-5);
}

/* As transformers saves them: with "model." and, from a model without its head, without; in shards
 * and as halves. */
static void
test_tensors(gconstpointer data)
{
  static const char prefix[] = "model.";
  const gsize row = GPOINTER_TO_SIZE(data);
  g_autoptr(model_dir) dir = family_dir(row);
  const gsize n = dir->tensors->len;
  for (int form = 0; form < 4; form++) {
    for (gsize i = 0; i < n && form == 1; i++) {
      dir_tensor *t = dir->tensors->pdata[i];
      t->name += g_str_has_prefix(t->name, prefix) ? strlen(prefix) : 0;
    }
    if (form < 3)
      model_dir_write_tensors(dir, "model.safetensors", 0, n, form == 2 ? DIR_F16 : DIR_F32, 0);
    else
      model_dir_write_shards(dir, DIR_BF16);
    for (gsize i = 0; i < n && form == 1; i++) {
      dir_tensor *t = dir->tensors->pdata[i];
      t->name -= strcmp(t->name, "final_logits_bias") != 0 ? strlen(prefix) : 0;
    }
    g_autoptr(mt_model) model = model_open_good(dir->path);
    assert_model(dir, row, model);
  }
}

/* A table of another length, and none where it must be there. */
static void
test_wrong_positions(void)
{
  g_autoptr(model_dir) dir = family_dir(0);
  const gsize n = dir->tensors->len;
  model_dir_write_tensors(dir, "model.safetensors", 0, n - 1, DIR_F32, 0);
  model_open_bad(dir->path, MT_ERROR_FORMAT,
                 "expected tensor \"model.decoder.embed_positions.weight\", found no such tensor");
  model_dir_write_tensors(dir, "model.safetensors", 0, n, DIR_F32, 0);
  model_dir_replace(dir, "config.json", "\"max_position_embeddings\": 16",
                    "\"max_position_embeddings\": 18");
  model_open_bad(dir->path, MT_ERROR_FORMAT,
                 "embed_positions.weight\" of shape [20][8], found [18]");
}

/* Pegasus writes its sinusoids out, or leaves them out. */
static void
test_pegasus_positions(void)
{
  static const char *const stacks[] = {"encoder", "decoder"};
  g_autoptr(model_dir) dir = family_dir(3);
  const gsize n = dir->tensors->len;
  for (int s = 0; s < MT_N_STACKS; s++) {
    g_autofree char *name = g_strdup_printf("model.%s.embed_positions.weight", stacks[s]);
    mt_positions_sinusoidal(model_dir_tensor(dir, name)->values, DIR_POSITIONS, DIR_D,
                            MT_POSITIONS_SINUSOIDAL_HALVES);
  }
  for (int has = 0; has < 2; has++) {
    g_autoptr(GPtrArray) kept = g_ptr_array_new();
    for (gsize i = 0; i < n; i++) {
      dir_tensor *t = dir->tensors->pdata[i];
      if (has || !strstr(t->name, "embed_positions"))
        g_ptr_array_add(kept, t);
    }
    model_dir written = *dir;
    written.tensors = kept;
    model_dir_write_tensors(&written, "model.safetensors", 0, kept->len, DIR_F32, 0);
    g_autoptr(mt_model) model = model_open_good(dir->path);
    const mt_matrix positions = mt_model_positions(model, MT_STACK_DECODER);
    g_assert_cmpint(mt_model_config(model)->position_kind, ==, MT_POSITIONS_SINUSOIDAL_HALVES);
    g_assert_cmpfloat_with_epsilon(mt_matrix_at(&positions, 3, DIR_D / 2), cos(3), 1e-6);
  }
}

/* ---- T5 ----------------------------------------------------------------------------------------
 */

enum { T5_HEADS = 3, T5_KV = 4, T5_BUCKETS = 8 }; /* heads are wider together than the stream */

static void
add_block(model_dir *dir, const char *stack, int block, gboolean is_decoder, gboolean is_gated,
          gboolean has_table)
{
  static const char *const maps[] = {"q", "k", "v"};
  static const char *const kinds[] = {"SelfAttention", "EncDecAttention"};
  const int inner = T5_HEADS * T5_KV, last = is_decoder ? 2 : 1;
  for (int a = 0; a < last; a++) {
    for (gsize m = 0; m < G_N_ELEMENTS(maps); m++)
      model_dir_add(dir, inner, DIR_D, "%s.block.%d.layer.%d.%s.%s.weight", stack, block, a,
                    kinds[a], maps[m]);
    model_dir_add(dir, DIR_D, inner, "%s.block.%d.layer.%d.%s.o.weight", stack, block, a, kinds[a]);
    model_dir_add(dir, 0, DIR_D, "%s.block.%d.layer.%d.layer_norm.weight", stack, block, a);
  }
  if (has_table)
    model_dir_add(dir, T5_BUCKETS, T5_HEADS,
                  "%s.block.%d.layer.0.SelfAttention.relative_attention_bias.weight", stack, block);
  model_dir_add(dir, DIR_FFN, DIR_D, "%s.block.%d.layer.%d.DenseReluDense.%s.weight", stack, block,
                last, is_gated ? "wi_0" : "wi");
  if (is_gated)
    model_dir_add(dir, DIR_FFN, DIR_D, "%s.block.%d.layer.%d.DenseReluDense.wi_1.weight", stack,
                  block, last);
  model_dir_add(dir, DIR_D, DIR_FFN, "%s.block.%d.layer.%d.DenseReluDense.wo.weight", stack, block,
                last);
  model_dir_add(dir, 0, DIR_D, "%s.block.%d.layer.%d.layer_norm.weight", stack, block, last);
}

/* embedding: what its tensor is called. */
static model_dir *
t5_dir(const char *type, gboolean is_gated, const char *embedding)
{
  model_dir *dir = model_dir_new();
  const gboolean each = strcmp(type, "umt5") == 0;
  g_autofree char *config = g_strdup_printf(
      "{\"model_type\": \"%s\", \"d_model\": %d, \"d_kv\": %d, \"num_heads\": %d, \"d_ff\": %d,\n"
      " \"vocab_size\": %zu, \"num_layers\": %d, \"num_decoder_layers\": %d,\n"
      " \"relative_attention_num_buckets\": %d, \"relative_attention_max_distance\": 20,\n"
      " \"feed_forward_proj\": \"%s\", \"n_positions\": %d, \"eos_token_id\": 0,\n"
      " \"pad_token_id\": %zu, \"decoder_start_token_id\": 1}",
      type, DIR_D, T5_KV, T5_HEADS, DIR_FFN, dir->vocab_size, DIR_ENCODER_LAYERS,
      DIR_DECODER_LAYERS, T5_BUCKETS, is_gated ? "gated-gelu" : "relu", DIR_POSITIONS,
      dir->vocab_size - 1);
  model_dir_write(dir, "config.json", config, -1);
  g_ptr_array_set_size(dir->tensors, 0);
  for (int l = 0; l < DIR_ENCODER_LAYERS; l++)
    add_block(dir, "encoder", l, FALSE, is_gated, l == 0 || each);
  for (int l = 0; l < DIR_DECODER_LAYERS; l++)
    add_block(dir, "decoder", l, TRUE, is_gated, l == 0 || each);
  model_dir_add(dir, 0, DIR_D, "encoder.final_layer_norm.weight");
  model_dir_add(dir, 0, DIR_D, "decoder.final_layer_norm.weight");
  model_dir_add(dir, dir->vocab_size, DIR_D, "%s", embedding);
  return dir;
}

static void
write_all(const model_dir *dir)
{
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
}

static void
assert_tensor(const model_dir *dir, const char *name, const float *found)
{
  const dir_tensor *t = model_dir_tensor(dir, name);
  g_assert_nonnull(found);
  g_assert_cmpmem(found, t->n * sizeof *found, t->values, t->n * sizeof *found);
}

static void
test_t5(gconstpointer data)
{
  const char *type = data;
  const gboolean is_gated = strcmp(type, "t5") != 0, each = strcmp(type, "umt5") == 0;
  g_autoptr(model_dir) dir = t5_dir(type, is_gated, "shared.weight");
  /* Files of 2020 have one more table, of which nobody takes notice. */
  model_dir_add(dir, T5_BUCKETS, T5_HEADS,
                "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  write_all(dir);
  g_autoptr(mt_model) model = model_open_good(dir->path);
  const mt_stack_weights *decoder = &model->stacks[MT_STACK_DECODER];
  const mt_layer_weights *last = &decoder->layers[DIR_DECODER_LAYERS - 1];
  assert_tensor(dir, "decoder.block.1.layer.0.SelfAttention.k.weight", last->self.k.weight);
  assert_tensor(dir, "decoder.block.1.layer.1.EncDecAttention.o.weight", last->cross.out.weight);
  assert_tensor(dir, "decoder.block.1.layer.1.layer_norm.weight", last->cross_norm.gain);
  assert_tensor(dir, "decoder.block.1.layer.2.layer_norm.weight", last->ffn_norm.gain);
  assert_tensor(dir, "decoder.block.1.layer.2.DenseReluDense.wo.weight", last->ffn.fc2.weight);
  assert_tensor(dir,
                is_gated ? "decoder.block.1.layer.2.DenseReluDense.wi_0.weight"
                         : "decoder.block.1.layer.2.DenseReluDense.wi.weight",
                last->ffn.fc1.weight);
  assert_tensor(dir,
                is_gated ? "encoder.block.0.layer.1.DenseReluDense.wi_0.weight"
                         : "encoder.block.0.layer.1.DenseReluDense.wi.weight",
                model->stacks[MT_STACK_ENCODER].layers[0].ffn.fc1.weight);
  if (is_gated)
    assert_tensor(dir, "decoder.block.1.layer.2.DenseReluDense.wi_1.weight", last->ffn.gate.weight);
  else
    g_assert_null(last->ffn.gate.weight);
  assert_tensor(dir,
                each ? "decoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight"
                     : "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                last->relative);
  assert_tensor(dir, "decoder.final_layer_norm.weight", decoder->final_norm.gain);
  g_assert_null(decoder->final_norm.bias);
  g_assert_null(last->self.q.bias);
  g_assert_cmpuint(last->self.q.n_out, ==, T5_HEADS * T5_KV);
  g_assert_cmpuint(last->self.out.n_in, ==, T5_HEADS * T5_KV);
  g_assert_null(model->output.bias);
  g_assert_null(mt_model_positions(model, MT_STACK_DECODER).data);
  g_assert_cmpfloat_with_epsilon(mt_model_config(model)->output_scale,
                                 strcmp(type, "mt5") == 0 ? 1 : 1 / sqrt(DIR_D), 1e-7);
  g_assert_cmpint(mt_model_config(model)->language_mode, ==, MT_LANGUAGES_SOURCE_TOKEN);
}

/* One matrix of embeddings under any of its names, and an output matrix of its own, which is taken
 * whatever the configuration says of ties. */
static void
test_t5_embeddings(void)
{
  static const char *const names[] = {"shared.weight", "encoder.embed_tokens.weight",
                                      "decoder.embed_tokens.weight"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(model_dir) dir = t5_dir("t5", TRUE, names[i]);
    model_dir_add(dir, dir->vocab_size, DIR_D, "lm_head.weight");
    for (int form = 0; form < 3; form++) {
      if (form == 1) /* the same numbers: it is the embedding */
        memcpy(model_dir_tensor(dir, "lm_head.weight")->values,
               model_dir_tensor(dir, names[i])->values, dir->vocab_size * DIR_D * sizeof(float));
      model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len - (form == 2), DIR_F32,
                              0);
      g_autoptr(mt_model) model = model_open_good(dir->path);
      assert_tensor(dir, names[i], model->stacks[MT_STACK_ENCODER].embedding);
      g_assert_true(model->stacks[MT_STACK_DECODER].embedding ==
                    model->stacks[MT_STACK_ENCODER].embedding);
      assert_tensor(dir, form == 2 ? names[i] : "lm_head.weight", model->output.weight);
      g_assert_true((model->output.weight != model->stacks[MT_STACK_DECODER].embedding) ==
                    (form == 0));
    }
  }
}

static void
test_t5_wrong(void)
{
  static const char table[] =
      "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  g_autoptr(model_dir) dir = t5_dir("t5", TRUE, "shared.weight");
  dir_tensor *t = model_dir_tensor(dir, table);
  t->shape[0] = T5_HEADS;
  t->shape[1] = T5_BUCKETS;
  write_all(dir);
  model_open_bad(dir->path, MT_ERROR_FORMAT,
                 "relative_attention_bias.weight\" of shape [8][3], found [3][8]");
  t->shape[0] = T5_BUCKETS;
  t->shape[1] = T5_HEADS;
  t->values[5] = INFINITY;
  write_all(dir);
  model_open_bad(dir->path, MT_ERROR_FORMAT, "relative_attention_bias|infinity or NaN");
  t->values[5] = 0;
  /* UMT5 has a table in every block. */
  write_all(dir);
  model_dir_replace(dir, "config.json", "\"t5\"", "\"umt5\"");
  model_open_bad(
      dir->path, MT_ERROR_FORMAT,
      "expected tensor \"decoder.block.1.layer.0.SelfAttention.relative_attention_bias.");
  model_dir_replace(dir, "config.json", "\"umt5\"", "\"t5\"");
  model_dir_replace(dir, "config.json", "\"d_kv\": 4", "\"d_kv\": 5");
  model_open_bad(dir->path, MT_ERROR_FORMAT,
                 "SelfAttention.q.weight\" of shape [15][8], found [12]");
  model_dir_replace(dir, "config.json", "\"d_kv\": 5", "\"d_kv\": 4");
  model_dir_replace(dir, "config.json", "\"gated-gelu\"", "\"relu\"");
  model_open_bad(dir->path, MT_ERROR_FORMAT, "expected tensor|DenseReluDense.wi.weight");
  model_dir_replace(dir, "config.json", "\"relu\"", "\"gated-gelu\"");
  model_dir_replace(dir, "config.json", "\"num_decoder_layers\": 2", "\"num_decoder_layers\": 1");
  model_open_bad(dir->path, MT_ERROR_FORMAT, "expected 1 layers in the decoder|decoder.block.1.");
  model_dir_replace(dir, "config.json", "\"num_decoder_layers\": 1", "\"num_decoder_layers\": 2");
  /* Two embeddings that differ. */
  model_dir_add(dir, dir->vocab_size, DIR_D, "encoder.embed_tokens.weight");
  write_all(dir);
  model_open_bad(dir->path, MT_ERROR_FORMAT,
                 "\"encoder.embed_tokens.weight\"|to be the same matrix|differ");
}

/* Let one allocation after the other fail, all of the first and then some, until none does. */
static void
assert_no_memory(const model_dir *dir)
{
  g_autoptr(mt_model) model = NULL;
  for (gsize n = 0; !model; n += n < 200 ? 1 : 17) {
    mt_error error = {0};
    few_then_one_fails(n);
    model = mt_model_open(dir->path, NULL, &error);
    few_end();
    g_assert_true(model || error.code == MT_ERROR_NO_MEMORY);
  }
}

static void
test_no_memory(void)
{
  g_autoptr(model_dir) pegasus = family_dir(3), umt5 = t5_dir("umt5", TRUE, "shared.weight");
  write_all(pegasus);
  write_all(umt5);
  assert_no_memory(pegasus);
  assert_no_memory(umt5);
}

TESTS()
{
  g_test_add_func("/families/defaults", test_defaults);
  g_test_add_func("/families/t5-keys", test_t5_keys);
  g_test_add_func("/families/forced", test_forced);
  g_test_add_func("/families/tokenizers", test_tokenizers);
  g_test_add_func("/families/refused", test_refused);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/families/tensors/%s", rows[i].type);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_tensors);
  }
  static const char *const heirs[] = {"t5", "mt5", "umt5"};
  for (gsize i = 0; i < G_N_ELEMENTS(heirs); i++) {
    g_autofree char *path = g_strdup_printf("/families/tensors/%s", heirs[i]);
    g_test_add_data_func(path, heirs[i], test_t5);
  }
  g_test_add_func("/families/t5-embeddings", test_t5_embeddings);
  g_test_add_func("/families/t5-wrong", test_t5_wrong);
  g_test_add_func("/families/no-memory", test_no_memory);
  g_test_add_func("/families/wrong-positions", test_wrong_positions);
  g_test_add_func("/families/pegasus-positions", test_pegasus_positions);
}

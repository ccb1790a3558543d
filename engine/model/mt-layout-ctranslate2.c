/* mt-layout-ctranslate2.c — a model as the converters of CTranslate2 write it, and an Argos package
 * of one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     model.bin                    the weights, and what they are (mt-ctranslate2.h)
 *     config.json                  words with a meaning: unknown, begin, end, start of the decoder
 *     shared_vocabulary.json       a list of pieces, or one each (source_…, target_…); or .txt
 *     source.spm, target.spm       SentencePiece models, which the converter leaves behind, and
 *                                  which are to be copied into the folder; or one for both
 *
 * An Argos package has all of this but the SentencePiece model in a folder "model", and beside it
 *
 *     metadata.json                the two languages
 *     sentencepiece.model          one for both sides
 *
 * Nothing says from which program a model came. What is computed is found in the variables, as the
 * C++ reader of CTranslate2 finds it: which ones there are, their shapes, and settings among them.
 * Of what it computes follows the family, and with that the tokenizer, which is the one of
 * transformers, with the files that it has there: the converter keeps its ids.
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "checkpoint/mt-ctranslate2.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "kernels/mt-kinds.h"
#include "model/mt-config.h"
#include "model/mt-family.h"
#include "model/mt-generation.h"
#include "model/mt-layout.h"
#include "mt.h"
#include "text/mt-vocab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names of tensors ------------------------------------------------------------------------ */

/* As specs/transformer_spec.py has them. Queries, keys and values lie in one matrix each. */
#define PART(name, part, of)                       \
  {                                                \
    (name "/weight"), (name "/bias"), (part), (of) \
  }
#define NORM(name)                        \
  {                                       \
    (name "/gamma"), (name "/beta"), 0, 0 \
  }
#define RELATIVE "self_attention/relative_attention_bias"
#define LAYER                                                                                   \
  {                                                                                             \
    [MT_TENSOR_SELF_Q] = PART("self_attention/linear_0", 0, 3),                                 \
    [MT_TENSOR_SELF_K] = PART("self_attention/linear_0", 1, 3),                                 \
    [MT_TENSOR_SELF_V] = PART("self_attention/linear_0", 2, 3),                                 \
    [MT_TENSOR_SELF_OUT] = PART("self_attention/linear_1", 0, 1),                               \
    [MT_TENSOR_SELF_NORM] = NORM("self_attention/layer_norm"),                                  \
    [MT_TENSOR_CROSS_Q] = PART("attention/linear_0", 0, 1),                                     \
    [MT_TENSOR_CROSS_K] = PART("attention/linear_1", 0, 2),                                     \
    [MT_TENSOR_CROSS_V] = PART("attention/linear_1", 1, 2),                                     \
    [MT_TENSOR_CROSS_OUT] = PART("attention/linear_2", 0, 1),                                   \
    [MT_TENSOR_CROSS_NORM] = NORM("attention/layer_norm"),                                      \
    [MT_TENSOR_FC1] = PART("ffn/linear_0", 0, 1), [MT_TENSOR_FC2] = PART("ffn/linear_1", 0, 1), \
    [MT_TENSOR_FFN_NORM] = NORM("ffn/layer_norm"),                                              \
    [MT_TENSOR_GATE] = PART("ffn/linear_0_noact", 0, 1),                                        \
    [MT_TENSOR_RELATIVE] = {RELATIVE, NULL, 0, 0},                                              \
  }

static const mt_names names = {
    .layers = {"encoder/layer_", "decoder/layer_"},
    .first_layer = 0,
    .after_number = "/",
    .places = {LAYER, LAYER},
    .stacks = {"encoder/", "decoder/"},
    .embedding_norm = NORM("layernorm_embedding"),
    .final_norm = NORM("layer_norm"),
    .shared = "decoder/embeddings/weight",
    .embeddings = {"encoder/embeddings_0/weight", "decoder/embeddings/weight"},
    .positions = {"encoder/position_encodings/encodings", "decoder/position_encodings/encodings"},
    .output = "decoder/projection/weight",
    .output_bias = "decoder/projection/bias",
    .shape_from = "model.bin",
    .ties = "that they are one",
    .no_tie = "that it is one of its own",
};

/* Of models that were written before there could be several embeddings. */
#define OLD_EMBEDDINGS "encoder/embeddings/weight"

#define NAME_SIZE 160

static const char *const stack_names[MT_N_STACKS] = {"encoder", "decoder"};

/* While a folder is read. */
typedef struct {
  mt_manifest *manifest;
  mt_config *config;
  mt_container *weights;
  const mt_dir *dir;
  const char *folder;    /* "" or "model/", where the weights are */
  char label[600];       /* of the weights, for messages */
  mt_names *names;       /* of these weights */
  bool starts_from_zero; /* the decoder starts with an embedding of zeros, as Marian's do */
  mt_error *error;
} reader;

/* ---- Variables ------------------------------------------------------------------------------- */

static const mt_container_tensor *
find(const reader *r, const char *name)
{
  size_t i;
  return mt_container_find(r->weights, name, &i) ? &r->weights->tensors[i] : NULL;
}

static bool
has(const reader *r, const char *name)
{
  return find(r, name) != NULL;
}

/* "encoder/pre_norm"; until revision 4 one variable stood for both stacks. */
static double
setting(const reader *r, mt_stack s, const char *name, double value)
{
  char full[NAME_SIZE];
  snprintf(full, sizeof full, "%s/%s", stack_names[s], name);
  if (!mt_ctranslate2_number(r->weights, full, &value) && mt_ctranslate2_revision(r->weights) < 5)
    mt_ctranslate2_number(r->weights, name, &value);
  return value;
}

/* A matrix; NULL with the error. */
static const mt_container_tensor *
find_matrix(const reader *r, const char *name)
{
  const mt_container_tensor *tensor = find(r, name);
  if (tensor && tensor->info.n_dims == 2)
    return tensor;
  mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected a matrix \"%s\", found %s.", r->label, name,
          tensor ? "a tensor of another shape" : "no such tensor");
  return NULL;
}

/* ---- What is not done ------------------------------------------------------------------------ */

/* By the name that the file has for its kind. */
static const struct {
  const char *spec, *what;
} other_specs[] = {
    {"TransformerDecoderSpec", "a decoder without an encoder"},
    {"TransformerEncoderSpec", "an encoder without a decoder"},
    {"WhisperSpec", "Whisper, a model that reads sound"},
    {"Wav2Vec2Spec", "wav2vec 2.0, a model that reads sound"},
    {"Wav2Vec2BertSpec", "wav2vec 2.0 BERT, a model that reads sound"},
};

static bool
check_spec(const reader *r)
{
  static const char expected[] = "expected an encoder and a decoder (\"TransformerSpec\")";
  const char *spec = mt_ctranslate2_spec(r->weights);
  const uint32_t revision = mt_ctranslate2_revision(r->weights);
  for (size_t i = 0; i < sizeof other_specs / sizeof *other_specs; i++)
    if (strcmp(spec, other_specs[i].spec) == 0)
      return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                     "%s: %s, found %s (\"%s\"), which this program does not run.", r->label,
                     expected, other_specs[i].what, spec);
  if (strcmp(spec, "TransformerSpec") != 0)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED, "%s: %s, found the kind \"%.100s\".", r->label,
                   expected, spec);
  if (revision < 3 || revision > 7)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected variables as of revision 3 to 7, found revision %u.", r->label,
                   (unsigned) revision);
  return true;
}

/* Variables of what is computed otherwise: by the last part of their names; with `off` as their
 * value they say that it is not. NAN: there is no such value. */
static const struct {
  const char *name;
  double off;
  const char *what;
} not_done[] = {
    {"rotary_dim", -1, "rotary positions"},
    {"alibi", 0, "ALiBi, a penalty of distances,"},
    {"relative_position_keys", NAN, "vectors of relative positions (Shaw 2018)"},
    {"relative_asymmetric_position_keys", NAN, "vectors of relative positions"},
    {"multi_query", 0, "keys and values that all heads share"},
    {"multi_query_attention", 0, "keys and values that all heads share"},
    {"sliding_window", 0, "a sliding window"},
    {"weight_zero", NAN, "weights of AWQ"},
    {"memory_kv", NAN, "self-attention and cross-attention in one"},
    {"merged_encoder_attention", 0, "self-attention and cross-attention in one"},
    {"q_norm", NAN, "norms of queries and keys"},
    {"k_norm", NAN, "norms of queries and keys"},
    {"v_norm", NAN, "norms of values"},
    {"shared_layer_norm", NAN, "attention and feed-forward network side by side"},
    {"input_layer_norm", NAN, "norms before and after each sub-layer"},
    {"external_pre_encoder_attention_layer_norm", NAN, "norms before and after each sub-layer"},
    {"project_in", NAN, "embeddings of another width"},
    {"project_out", NAN, "embeddings of another width"},
    {"final_logit_softcapping", 0, "logits that are bounded"},
    {"layer_scalar", 1, "layers that are scaled"},
    {"layer_norm_use_residual", 0, "norms that add 1 to their gain"},
    {"embeddings_1", NAN, "several words at each place (features)"},
};

/* Whether one of the parts of a path is this word. */
static bool
has_part(const char *path, const char *word)
{
  const size_t n = strlen(word);
  for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
    if (strncmp(at, word, n) == 0 && (at[n] == '/' || at[n] == '\0'))
      return true;
  return false;
}

/* Heads of keys and values may be counted by themselves. */
static bool
check_heads(const reader *r)
{
  for (size_t i = 0; i < r->weights->n_tensors; i++) {
    const char *name = r->weights->tensors[i].info.name;
    const mt_stack s = strncmp(name, "decoder/", 8) == 0 ? MT_STACK_DECODER : MT_STACK_ENCODER;
    double value = NAN;
    if (has_part(name, "num_heads_kv") && (!mt_ctranslate2_number(r->weights, name, &value) ||
                                           value != setting(r, s, "num_heads", 8)))
      return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                     "%s: expected as many heads of keys and values as of queries, found fewer "
                     "heads of keys and values (\"%.200s\" %g), which this program does not run.",
                     r->label, name, value);
  }
  return true;
}

static bool
check_all_is_done(const reader *r)
{
  for (size_t i = 0; i < r->weights->n_tensors; i++) {
    const char *name = r->weights->tensors[i].info.name;
    for (size_t k = 0; k < sizeof not_done / sizeof *not_done; k++) {
      double value = NAN;
      if (!has_part(name, not_done[k].name) ||
          (mt_ctranslate2_number(r->weights, name, &value) && value == not_done[k].off))
        continue;
      return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                     "%s: expected attention as in the paper, found %s (\"%.200s\"), which this "
                     "program does not run.",
                     r->label, not_done[k].what, name);
    }
  }
  return check_heads(r);
}

/* ---- The shape ------------------------------------------------------------------------------- */

/* Layers are counted until one is missing; one behind a gap is found when they are bound. */
static bool
count_layers(const reader *r, mt_stack s)
{
  size_t n = 0;
  char name[NAME_SIZE];
  do
    snprintf(name, sizeof name, "%s/layer_%zu/self_attention/linear_0/weight", stack_names[s], n);
  while (has(r, name) && ++n < MT_CONFIG_MAX_LAYERS);
  r->config->n_layers[s] = n;
  return n > 0 || mt_fail(r->error, MT_ERROR_FORMAT,
                          "%s: expected tensor \"%s\", found no such tensor.", r->label, name);
}

static bool
check_range(const reader *r, const char *what, size_t value, size_t min, size_t max)
{
  return (value >= min && value <= max) ||
         mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected %s from %zu to %zu, found %zu.", r->label,
                 what, min, max, value);
}

static bool
read_stack_sizes(const reader *r, mt_stack s)
{
  mt_config *c = r->config;
  char qkv_name[NAME_SIZE], ffn_name[NAME_SIZE];
  const double heads = setting(r, s, "num_heads", 8);
  const mt_container_tensor *embedding = find_matrix(r, r->names->embeddings[s]);
  if (!embedding || !count_layers(r, s))
    return false;
  snprintf(qkv_name, sizeof qkv_name, "%s/layer_0/self_attention/linear_0/weight", stack_names[s]);
  snprintf(ffn_name, sizeof ffn_name, "%s/layer_0/ffn/linear_0/weight", stack_names[s]);
  const mt_container_tensor *qkv = find_matrix(r, qkv_name), *ffn = find_matrix(r, ffn_name);
  if (!qkv || !ffn)
    return false;
  c->vocab_size[s] = embedding->info.shape[0];
  c->d_model = embedding->info.shape[1];
  c->d_ffn[s] = ffn->info.shape[0];
  if (!check_range(r, "a vocabulary", c->vocab_size[s], 2, MT_CONFIG_MAX_VOCAB - 1) ||
      !check_range(r, "a width of the embeddings", c->d_model, 1, MT_CONFIG_MAX_D) ||
      !check_range(r, "a width of the feed-forward network", c->d_ffn[s], 1, MT_CONFIG_MAX_FFN))
    return false;
  const size_t rows = qkv->info.shape[0];
  if (!(heads >= 1) || heads > MT_CONFIG_MAX_D || rows == 0 || rows > 3 * MT_CONFIG_MAX_D ||
      rows % (3 * (size_t) heads) != 0)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected \"%s\" to have as many rows for queries as for keys and values, "
                   "in %g heads, found %zu rows.",
                   r->label, qkv_name, heads, rows);
  c->n_heads[s] = (size_t) heads;
  c->d_head[s] = rows / 3 / c->n_heads[s];
  return true;
}

/* Queries are multiplied by this; the scores of one stack are all divided by the same. */
static bool
read_score_scale(const reader *r, mt_stack s)
{
  static const char *const kinds[] = {"self_attention", "attention"};
  mt_config *c = r->config;
  const double paper = 1 / sqrt((double) c->d_head[s]);
  double first = NAN;
  for (size_t l = 0; l < c->n_layers[s]; l++)
    for (size_t k = 0; k < (s == MT_STACK_DECODER ? 2 : 1); k++) {
      char name[NAME_SIZE];
      double scale = paper;
      snprintf(name, sizeof name, "%s/layer_%zu/%s/queries_scale", stack_names[s], l, kinds[k]);
      if (has(r, name) && (!mt_ctranslate2_number(r->weights, name, &scale) || !(scale > 0)))
        return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected \"%s\" to be a number above 0.",
                       r->label, name);
      if (!isnan(first) && scale != first)
        return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                       "%s: expected all scores of the %s to be scaled by %g, found %g in \"%s\".",
                       r->label, stack_names[s], first, scale, name);
      first = scale;
    }
  if (fabs(first / paper - 1) > 1e-6)
    c->score_divisor[s] = 1 / first;
  return true;
}

/* As ops/activation.h of CTranslate2 numbers them. */
static bool
read_activation(const reader *r)
{
  static const struct {
    const char *name;
    int activation; /* -1: not done */
  } activations[] = {
      {"ReLU", MT_ACTIVATION_RELU},
      {"GELU by tanh", MT_ACTIVATION_GELU_TANH},
      {"Swish", MT_ACTIVATION_SILU},
      {"GELU", MT_ACTIVATION_GELU},
      {"GELU by a sigmoid", -1},
      {"tanh", -1},
      {"a sigmoid", -1},
  };
  const double source = setting(r, MT_STACK_ENCODER, "activation", 0),
               target = setting(r, MT_STACK_DECODER, "activation", 0);
  const double n = sizeof activations / sizeof *activations;
  if (source != target)
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected one activation for both stacks, found %g and %g.", r->label,
                   source, target);
  if (!(source >= 0) || source >= n)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected an activation from 0 to %g, found %g.",
                   r->label, n - 1, source);
  const size_t i = (size_t) source;
  if (activations[i].activation < 0)
    return mt_fail(
        r->error, MT_ERROR_UNSUPPORTED,
        "%s: expected the activation ReLU, Swish, GELU or GELU by tanh, found %s, which is not "
        "supported.",
        r->label, activations[i].name);
  r->config->activation = (mt_activation) activations[i].activation;
  return true;
}

/* A switch that both stacks must have in the same position. */
static bool
read_switch(const reader *r, const char *what, bool source, bool target, bool *value)
{
  *value = source;
  return source == target ||
         mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                 "%s: expected %s in both stacks or in none, found one only in the %s.", r->label,
                 what, source ? "encoder" : "decoder");
}

static bool
read_norms(const reader *r)
{
  mt_config *c = r->config;
  if (!has(r, "encoder/layer_0/ffn/layer_norm/beta")) {
    c->norm_kind = MT_NORM_RMS;
    c->norm_epsilon = 1e-6;
  }
  return read_switch(r, "norms before each sub-layer", setting(r, 0, "pre_norm", 1) != 0,
                     setting(r, 1, "pre_norm", 1) != 0, &c->normalize_before) &&
         read_switch(r, "a norm after the embedding", has(r, "encoder/layernorm_embedding/gamma"),
                     has(r, "decoder/layernorm_embedding/gamma"), &c->normalize_embedding) &&
         read_switch(r, "a norm at the end", has(r, "encoder/layer_norm/gamma"),
                     has(r, "decoder/layer_norm/gamma"), &c->add_final_layer_norm);
}

/* What the embeddings are multiplied by: a switch for sqrt(d), or the number itself. */
static bool
read_embedding_scale(const reader *r)
{
  const double root = sqrt((double) r->config->d_model);
  bool scales[MT_N_STACKS];
  for (int s = 0; s < MT_N_STACKS; s++) {
    char name[NAME_SIZE];
    double value = 1;
    snprintf(name, sizeof name, "%s/scale_embeddings", stack_names[s]);
    if (!has(r, name))
      snprintf(name, sizeof name, "%s/embeddings/multiply_by_sqrt_depth", stack_names[s]);
    const mt_container_tensor *tensor = find(r, name);
    if (tensor && !mt_ctranslate2_number(r->weights, name, &value))
      return mt_fail(r->error, MT_ERROR_FORMAT, "%s: expected \"%s\" to be a number.", r->label,
                     name);
    bool is_switch = !tensor || strcmp(tensor->info.dtype, "I8") == 0;
    scales[s] = is_switch ? value != 0 : value != 1;
    if (!is_switch && value != 1 && fabs(value / root - 1) > 1e-5)
      return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                     "%s: expected \"%s\" 1 or %g, the square root of %zu, found %g.", r->label,
                     name, root, r->config->d_model, value);
  }
  return read_switch(r, "embeddings that are scaled", scales[0], scales[1],
                     &r->config->scale_embedding);
}

/* ---- Positions ------------------------------------------------------------------------------- */

/* As in CTranslate2, where the file has no table. */
#define MAX_LENGTH 1024

/* Kinds that a table in a file may be of, and from which row on. */
static const struct {
  mt_position_kind kind;
  size_t offset;
} computed[] = {
    {MT_POSITIONS_SINUSOIDAL_HALVES, 0},      /* Marian, Pegasus */
    {MT_POSITIONS_SINUSOIDAL_INTERLEAVED, 0}, /* OpenNMT-py */
    {MT_POSITIONS_SINUSOIDAL_FAIRSEQ, 2},     /* M2M-100, NLLB */
};

/* How far a sinusoid in a table of floats may be off: its angle was a float too. */
static double
tolerance(const mt_container_tensor *table, size_t position)
{
  const double rounding = table->dtype == MT_DTYPE_F16    ? 1e-3
                          : table->dtype == MT_DTYPE_BF16 ? 8e-3
                                                          : 1e-5;
  return rounding + 3e-7 * (double) position;
}

/* Whether a table is what is computed. row, own: room for d numbers each. */
static bool
is_computed(const mt_container_tensor *table, const unsigned char *data, size_t i, float *row,
            float *own)
{
  const size_t d = table->info.shape[1], size = mt_dtype_size(table->dtype);
  for (size_t p = 0; p < table->info.shape[0]; p++) {
    if (!mt_dtype_to_float(table->dtype, data + p * d * size, row, d))
      return false;
    mt_positions_encode(own, (long) (p + computed[i].offset), d, computed[i].kind);
    for (size_t k = 0; k < d; k++)
      if (!(fabs((double) row[k] - (double) own[k]) <= tolerance(table, p)))
        return false;
  }
  return true;
}

/* The kind of a table of one stack: an index of `computed`, or how many there are if it was
 * learned. */
static bool
recognise_table(const reader *r, const char *name, size_t *kind)
{
  const size_t n = sizeof computed / sizeof *computed;
  size_t i, d = r->config->d_model;
  *kind = n;
  mt_container_find(r->weights, name, &i);
  const mt_container_tensor *table = &r->weights->tensors[i];
  if (table->info.shape[1] != d || table->dtype == MT_DTYPE_OTHER || d % 2 != 0)
    return true;
  const unsigned char *data = r->weights->format->data(r->weights, i, r->error);
  float *rows = data ? mt_alloc(2 * d, sizeof *rows) : NULL;
  if (!rows)
    return data ? mt_fail_no_memory(r->error) : false;
  size_t k = 0;
  while (k < n && !is_computed(table, data, k, rows, rows + d))
    k++;
  mt_free(rows);
  *kind = k;
  return true;
}

/* A number for each distance instead, T5's: [buckets][heads], one table for all layers or one each.
 */
static bool
read_distances(const reader *r)
{
  mt_config *c = r->config;
  const mt_container_tensor *table = find_matrix(r, "encoder/layer_0/" RELATIVE),
                            *next = find(r, "encoder/layer_1/" RELATIVE);
  double distance = 128;
  if (!table)
    return false;
  mt_ctranslate2_number(r->weights,
                        "encoder/layer_0/self_attention/relative_attention_max_distance",
                        &distance);
  c->position_kind = MT_POSITIONS_RELATIVE;
  c->max_positions = MAX_LENGTH;
  c->n_buckets = table->info.shape[0];
  c->bias_each_layer = next && next != table;
  if (!check_range(r, "a number of buckets of distances", c->n_buckets, 4, MT_CONFIG_MAX_BUCKETS))
    return false;
  if (!(distance > (double) (c->n_buckets / 2)) || distance > MT_CONFIG_MAX_POSITIONS)
    return mt_fail(
        r->error, MT_ERROR_FORMAT,
        "%s: expected relative_attention_max_distance above half of the %zu buckets, found "
        "%g.",
        r->label, c->n_buckets, distance);
  c->max_distance = (size_t) distance;
  return true;
}

static bool
read_positions(const reader *r)
{
  mt_config *c = r->config;
  size_t kinds[MT_N_STACKS] = {0}, rows[MT_N_STACKS] = {0};
  bool has_table;
  if (has(r, "encoder/layer_0/" RELATIVE))
    return read_distances(r);
  if (!read_switch(r, "a table of positions", has(r, r->names->positions[0]),
                   has(r, r->names->positions[1]), &has_table))
    return false;
  if (!has_table) {
    /* The angles of fairseq, counted from 1. */
    c->position_kind = MT_POSITIONS_SINUSOIDAL_FAIRSEQ;
    c->position_offset = 1;
    c->max_positions = MAX_LENGTH;
    return mt_config_check_positions(c, r->label, r->error);
  }
  for (int s = 0; s < MT_N_STACKS; s++) {
    const mt_container_tensor *table = find_matrix(r, r->names->positions[s]);
    if (!table || !recognise_table(r, r->names->positions[s], &kinds[s]))
      return false;
    rows[s] = table->info.shape[0];
  }
  if (rows[0] != rows[1])
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s: expected two tables of positions of one length, found %zu and %zu rows.",
                   r->label, rows[0], rows[1]);
  c->max_positions = rows[0];
  if (!check_range(r, "a number of positions", rows[0], 1, MT_CONFIG_MAX_POSITIONS))
    return false;
  const size_t n = sizeof computed / sizeof *computed;
  const bool is_known = kinds[0] == kinds[1] && kinds[0] < n;
  c->position_kind = is_known ? computed[kinds[0]].kind : MT_POSITIONS_LEARNED;
  c->position_offset = is_known ? computed[kinds[0]].offset : 0;
  return !is_known || mt_config_check_positions(c, r->label, r->error);
}

/* ---- The weights ----------------------------------------------------------------------------- */

/* The names, as far as they are not the same in all files. */
static bool
choose_names(reader *r)
{
  r->names = r->manifest->own_names = mt_alloc(1, sizeof *r->names);
  if (!r->names)
    return mt_fail_no_memory(r->error);
  *r->names = names;
  r->manifest->names = r->names;
  if (!has(r, r->names->embeddings[0]) && has(r, OLD_EMBEDDINGS))
    r->names->embeddings[0] = OLD_EMBEDDINGS;
  const bool has_biases = has(r, "encoder/layer_0/self_attention/linear_0/bias"),
             has_betas = has(r, "encoder/layer_0/ffn/layer_norm/beta");
  for (int s = 0; s < MT_N_STACKS; s++)
    for (int role = 0; role < MT_N_TENSORS; role++) {
      mt_pair_name *pair = &r->names->places[s][role];
      if (pair->of > 0 ? !has_biases : !has_betas)
        pair->bias = NULL;
    }
  if (!has_betas)
    r->names->embedding_norm.bias = r->names->final_norm.bias = NULL;
  return true;
}

/* What stands before the output matrix. */
static bool
read_output(const reader *r)
{
  double scale = 1;
  if (has(r, "decoder/scale_outputs") &&
      (!mt_ctranslate2_number(r->weights, "decoder/scale_outputs", &scale) || !(scale > 0)))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s: expected \"decoder/scale_outputs\" to be a number above 0.", r->label);
  r->config->output_scale = (float) scale;
  return true;
}

/* What is stored once has one index under all its names. */
static void
read_ties(const reader *r)
{
  const mt_container_tensor *source = find(r, r->names->embeddings[0]),
                            *target = find(r, r->names->embeddings[1]),
                            *output = find(r, r->names->output);
  r->config->share_embeddings = source == target;
  r->config->tie_word_embeddings = output == target;
}

static bool
read_weights(reader *r)
{
  mt_config *c = r->config;
  if (!check_spec(r) || !choose_names(r) || !check_all_is_done(r))
    return false;
  for (int s = 0; s < MT_N_STACKS; s++)
    if (!read_stack_sizes(r, (mt_stack) s) || !read_score_scale(r, (mt_stack) s))
      return false;
  read_ties(r);
  c->feed_forward_kind = has(r, "encoder/layer_0/ffn/linear_0_noact/weight")
                             ? MT_FEED_FORWARD_GATED
                             : MT_FEED_FORWARD_PLAIN;
  r->starts_from_zero = setting(r, MT_STACK_DECODER, "start_from_zero_embedding", 0) != 0;
  return read_activation(r) && read_norms(r) && read_embedding_scale(r) && read_output(r) &&
         read_positions(r) &&
         check_range(r, "a number of positions times their width", c->max_positions, 1,
                     MT_CONFIG_MAX_TABLE / c->d_model);
}

/* ---- The vocabularies and the words with a meaning ------------------------------------------- */

/* The first of the files that is there, or NULL. */
static bool
find_file(const reader *r, const char *name, char out[NAME_SIZE])
{
  static const char *const endings[] = {".json", ".txt"};
  for (size_t i = 0; i < 2; i++) {
    snprintf(out, NAME_SIZE, "%s%s%s", r->folder, name, endings[i]);
    if (mt_dir_has(r->dir, out))
      return true;
  }
  return false;
}

static bool
keep(const reader *r, char **place, const char *name)
{
  *place = mt_strdup(name);
  return *place || mt_fail_no_memory(r->error);
}

static bool
find_vocabularies(const reader *r)
{
  static const char *const own[MT_N_STACKS] = {"source_vocabulary", "target_vocabulary"};
  char **files = r->manifest->vocab_files;
  char name[NAME_SIZE];
  if (find_file(r, "shared_vocabulary", name))
    return keep(r, &files[0], name) && keep(r, &files[1], name);
  for (int s = 0; s < MT_N_STACKS; s++) {
    if (!find_file(r, own[s], name))
      return mt_fail(r->error, MT_ERROR_IO,
                     "%s/%s%s.json: expected this file, or shared_vocabulary.json, found nothing "
                     "there.",
                     r->dir->name, r->folder, own[s]);
    if (!keep(r, &files[s], name))
      return false;
  }
  return true;
}

#define WORD_SIZE 64

/* What config.json says; until version 5 of the files, the variables. "" is no word. */
typedef struct {
  char bos[WORD_SIZE], eos[WORD_SIZE], unk[WORD_SIZE], start[WORD_SIZE];
  bool add_bos, add_eos; /* before and after a source text */
} words;

static bool
take_word(const reader *r, const char *key, const char *text, size_t n, char out[WORD_SIZE])
{
  if (n >= WORD_SIZE || memchr(text, '\0', n))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s/%sconfig.json: expected %s of at most %d bytes, found %zu.", r->dir->name,
                   r->folder, key, WORD_SIZE - 1, n);
  memcpy(out, text, n);
  out[n] = '\0';
  return true;
}

static bool
read_word(const reader *r, const mt_json *json, const char *key, char out[WORD_SIZE])
{
  const char *text = NULL;
  if (mt_json_has_null(json, key))
    out[0] = '\0';
  return mt_json_get_string(json, key, &text, r->error) &&
         (!text || take_word(r, key, text, strlen(text), out));
}

static bool
read_words_of_config(const reader *r, words *w)
{
  char file[NAME_SIZE];
  double quantization = 0;
  mt_json json = {0};
  snprintf(file, sizeof file, "%sconfig.json", r->folder);
  if (!mt_json_load(&json, r->dir, file, r->error))
    return false;
  double epsilon = r->config->norm_epsilon;
  bool ok = read_word(r, &json, "bos_token", w->bos) && read_word(r, &json, "eos_token", w->eos) &&
            read_word(r, &json, "unk_token", w->unk) &&
            read_word(r, &json, "decoder_start_token", w->start) &&
            mt_json_get_bool(&json, "add_source_bos", &w->add_bos, r->error) &&
            mt_json_get_bool(&json, "add_source_eos", &w->add_eos, r->error) &&
            mt_json_get_number(&json, "quantization_type", &quantization, r->error) &&
            mt_json_get_number(&json, "layer_norm_epsilon", &epsilon, r->error);
  if (ok && quantization != 0)
    ok = mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                 "%s: expected quantization_type 0, found %g (AWQ), which is not supported.",
                 json.label, quantization);
  if (ok && (epsilon < 0 || epsilon > 1))
    ok = mt_fail(r->error, MT_ERROR_FORMAT,
                 "%s: expected layer_norm_epsilon from 0 to 1, found %g.", json.label, epsilon);
  r->config->norm_epsilon = epsilon;
  mt_json_clear(&json);
  return ok;
}

static bool
read_words_of_variables(const reader *r, words *w)
{
  struct {
    const char *name;
    char *word;
  } texts[] = {{"unk_token", w->unk}, {"bos_token", w->bos}, {"eos_token", w->eos}};
  double bos = 0, eos = 0, target_bos = 1, by_user = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t n = 0;
    const char *text = mt_ctranslate2_text(r->weights, texts[i].name, &n);
    if (text && !take_word(r, texts[i].name, text, n, texts[i].word))
      return false;
  }
  mt_ctranslate2_number(r->weights, "with_source_bos", &bos);
  mt_ctranslate2_number(r->weights, "with_source_eos", &eos);
  mt_ctranslate2_number(r->weights, "with_target_bos", &target_bos);
  mt_ctranslate2_number(r->weights, "user_decoder_start_tokens", &by_user);
  w->add_bos = bos != 0;
  w->add_eos = eos != 0;
  const char *start = by_user != 0 ? "" : target_bos != 0 ? w->bos : w->eos;
  memcpy(w->start, start, strlen(start) + 1);
  return true;
}

/* The id of a piece in one of the vocabularies, read for this alone; -1: there is none. */
static int32_t
find_piece(const mt_piece_list *list, const char *piece)
{
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->strings + list->pairs[i].piece, piece) == 0)
      return list->pairs[i].id;
  return -1;
}

static bool
require_piece(const reader *r, const mt_piece_list *list, int s, const char *piece, int32_t *id)
{
  *id = find_piece(list, piece);
  return *id >= 0 || mt_fail(r->error, MT_ERROR_FORMAT,
                             "%s/%s: expected the piece \"%s\", found no such piece.", r->dir->name,
                             r->manifest->vocab_files[s], piece);
}

/* Of OpenNMT: what stands around a source text, if anything does. */
static bool
surround_source(const reader *r, const words *w, const mt_piece_list *list)
{
  int32_t begin = -1, end = -1;
  r->manifest->only_source = true;
  return (!w->add_bos || require_piece(r, list, 0, w->bos, &begin)) &&
         (!w->add_eos || require_piece(r, list, 0, w->eos, &end)) &&
         mt_config_set_source(r->config, begin, end, r->error);
}

/* The family that has this form; NULL: none of transformers', but OpenNMT's. Pegasus has OpenNMT's
 * too, and starts with <pad>. */
static const mt_family *
find_family(const mt_config *c, const words *w)
{
  static const struct {
    bool normalize_before, normalize_embedding;
    mt_position_kind position_kind;
    size_t position_offset;
    const char *start; /* NULL: any */
    const mt_family *family;
  } forms[] = {
      {false, true, MT_POSITIONS_LEARNED, 0, NULL, &mt_family_bart},
      {true, true, MT_POSITIONS_LEARNED, 0, NULL, &mt_family_mbart},
      {true, false, MT_POSITIONS_SINUSOIDAL_FAIRSEQ, 2, NULL, &mt_family_m2m},
      {true, false, MT_POSITIONS_SINUSOIDAL_HALVES, 0, "<pad>", &mt_family_pegasus},
      {true, false, MT_POSITIONS_LEARNED, 0, "<pad>", &mt_family_pegasus},
      {true, false, MT_POSITIONS_RELATIVE, 0, NULL, &mt_family_t5},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (c->normalize_before == forms[i].normalize_before &&
        c->normalize_embedding == forms[i].normalize_embedding &&
        c->position_kind == forms[i].position_kind &&
        c->position_offset == forms[i].position_offset &&
        (!forms[i].start || strcmp(w->start, forms[i].start) == 0))
      return forms[i].family;
  return NULL;
}

/* A model of transformers, with the tokenizer that it has there. */
static bool
settle_family(const reader *r, const words *w, const mt_piece_list *list, const mt_family *family)
{
  mt_config *c = r->config;
  const mt_config *own = family->defaults;
  c->family = family->model_type;
  c->language_mode = own->language_mode;
  c->unit = own->unit;
  c->reads_prefix = own->reads_prefix;
  c->pad_id = own->pad_id;
  c->bos_id = own->bos_id;
  c->decoder_start_id = c->eos_id; /* of mBART nothing says it; cc25 starts with a language */
  if (*w->start && !require_piece(r, list, 1, w->start, &c->decoder_start_id))
    return false;
  if (!mt_family_load_text(c, family, &r->manifest->text_kind, r->dir, NULL, r->error))
    return false;
  return mt_layout_keep_text(r->manifest, c, r->dir, r->error);
}

static bool
settle_words(const reader *r, const words *w)
{
  mt_config *c = r->config;
  char *const *files = r->manifest->vocab_files;
  mt_piece_list lists[MT_N_STACKS] = {{0}, {0}};
  const mt_family *family = r->starts_from_zero ? NULL : find_family(c, w);
  bool ok = true;
  for (int s = 0; ok && s < MT_N_STACKS; s++)
    ok = mt_piece_list_read(&lists[s], r->dir, files[s], c->vocab_size[s], "model.bin", r->error);
  ok = ok && require_piece(r, &lists[1], 1, w->eos, &c->eos_id);
  if (ok && r->starts_from_zero) {
    /* <pad>, as everywhere else where Marian's models are read: one more id. */
    c->pad_id = c->decoder_start_id = (int32_t) c->vocab_size[1]++;
    c->vocab_size[0] += c->share_embeddings ? 1 : 0;
    r->names->without_pad = true;
    ok = mt_generation_leave_out_pad(c, r->error);
  } else if (ok && family) {
    ok = settle_family(r, w, &lists[1], family);
  } else if (ok && w->start[0] == '\0') {
    ok = mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                 "%s/%sconfig.json: expected a decoder_start_token, found none.", r->dir->name,
                 r->folder);
  } else if (ok) {
    const int32_t blank = find_piece(&lists[1], "<blank>"), pad = find_piece(&lists[1], "<pad>");
    c->pad_id = pad >= 0 ? pad : blank >= 0 ? blank : c->eos_id;
    c->bos_id = find_piece(&lists[1], w->bos);
    ok = require_piece(r, &lists[1], 1, w->start, &c->decoder_start_id) &&
         surround_source(r, w, &lists[0]);
  }
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_piece_list_clear(&lists[s]);
  return ok;
}

static bool
read_words(const reader *r)
{
  words w = {.bos = "<s>", .eos = "</s>", .unk = "<unk>", .start = "<s>"};
  return (mt_ctranslate2_version(r->weights) < 6 ? read_words_of_variables
                                                 : read_words_of_config)(r, &w) &&
         settle_words(r, &w);
}

/* ---- The tokenizer --------------------------------------------------------------------------- */

/* SentencePiece models, in the folder of the weights or beside it. */
static bool
find_tokenizer(const reader *r)
{
  static const struct {
    const char *source, *target;
  } kinds[] = {
      {"source.spm", "target.spm"},
      {"sentencepiece.model", "sentencepiece.model"},
      {"spm.model", "spm.model"},
  };
  const char *const folders[] = {r->folder, ""};
  char **files = r->manifest->spm_files;
  char source[NAME_SIZE], target[NAME_SIZE];
  if (r->config->family)
    return true; /* found already */
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (size_t k = 0; k < 2; k++) {
      snprintf(source, sizeof source, "%s%s", folders[k], kinds[i].source);
      snprintf(target, sizeof target, "%s%s", folders[k], kinds[i].target);
      if (mt_dir_has(r->dir, source) && mt_dir_has(r->dir, target))
        return keep(r, &files[0], source) && keep(r, &files[1], target);
    }
  if (mt_dir_has(r->dir, "bpe.model"))
    return mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                   "%s/bpe.model: expected a SentencePiece model, sentencepiece.model, found codes "
                   "for subword-nmt (BPE), which are not supported.",
                   r->dir->name);
  return mt_fail(
      r->error, MT_ERROR_IO,
      "%s: expected the SentencePiece models that the texts of this model are split "
      "with, source.spm and target.spm, or sentencepiece.model, found none of them (they "
      "are in the folder that it was converted from: copy them into this one).",
      r->dir->name);
}

/* ---- Argos ----------------------------------------------------------------------------------- */

#define METADATA "metadata.json"

/* The languages. Texts are searched as Argos Translate does. */
static bool
read_metadata(const reader *r)
{
  mt_config *c = r->config;
  const char *type = "translate", *from = "", *to = "";
  mt_json json = {0};
  if (!mt_json_load(&json, r->dir, METADATA, r->error))
    return false;
  bool ok = mt_json_get_string(&json, "type", &type, r->error) &&
            mt_json_get_string(&json, "from_code", &from, r->error) &&
            mt_json_get_string(&json, "to_code", &to, r->error);
  if (ok && strcmp(type, "translate") != 0)
    ok = mt_fail(r->error, MT_ERROR_UNSUPPORTED,
                 "%s: expected a package of type \"translate\", found \"%.100s\".", json.label,
                 type);
  if (ok) {
    mt_free((void *) c->source_lang);
    mt_free((void *) c->target_lang);
    c->source_lang = mt_strdup(from);
    c->target_lang = mt_strdup(to);
    c->num_beams = 4;
    c->length_penalty = 0.2F;
    ok = (c->source_lang && c->target_lang) || mt_fail_no_memory(r->error);
  }
  mt_json_clear(&json);
  return ok;
}

/* ---- The layout ------------------------------------------------------------------------------ */

static const char *const folders[] = {"", "model/"};

/* Where the weights are: with a vocabulary beside them, since other programs also call a file
 * model.bin. NULL: nowhere. */
static const char *
find_folder(const mt_dir *dir)
{
  static const char *const vocabularies[] = {"shared_vocabulary", "source_vocabulary",
                                             "target_vocabulary", "source_1_vocabulary",
                                             "vocabulary"};
  char name[NAME_SIZE];
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const reader r = {.dir = dir, .folder = folders[i]};
    snprintf(name, sizeof name, "%smodel.bin", folders[i]);
    if (!mt_dir_has(dir, name))
      continue;
    for (size_t k = 0; k < sizeof vocabularies / sizeof *vocabularies; k++)
      if (find_file(&r, vocabularies[k], name))
        return folders[i];
  }
  return NULL;
}

static bool
looks_like_ctranslate2(const mt_dir *dir)
{
  return find_folder(dir) != NULL;
}

/* How such a model is searched is in none of the files: as CTranslate2 does by itself, which makes
 * no empty translations. */
static const mt_config defaults = {
    .eos_id = -1,
    .bos_id = -1,
    .unk_id = -1,
    .forced_eos_id = -1,
    .forced_bos_id = -1,
    .num_beams = 2,
    .min_length = 2, /* with the token that a translation starts with */
    .max_length = 257,
    .length_penalty = 1,
    .early_stopping = MT_EARLY_STOPPING_TRUE,
};

static bool
load_ctranslate2(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error)
{
  char file[NAME_SIZE];
  reader r = {.manifest = manifest,
              .config = config,
              .dir = dir,
              .folder = find_folder(dir),
              .error = error};
  snprintf(file, sizeof file, "%smodel.bin", r.folder);
  snprintf(r.label, sizeof r.label, "%.300s/%s", dir->name, file);
  *config = defaults;
  config->source_lang = mt_strdup("");
  config->target_lang = mt_strdup("");
  if (!config->source_lang || !config->target_lang)
    return mt_fail_no_memory(error);
  manifest->container = r.weights = mt_container_open_as(dir, file, &mt_format_ctranslate2, error);
  if (!r.weights || !read_weights(&r) || !find_vocabularies(&r) || !read_words(&r) ||
      !find_tokenizer(&r) || (*r.folder && mt_dir_has(dir, METADATA) && !read_metadata(&r)))
    return false;
  if (config->max_length > config->max_positions)
    config->max_length = config->max_positions;
  return true;
}

const mt_layout mt_layout_ctranslate2 = {
    .name = "CTranslate2",
    .recognise = looks_like_ctranslate2,
    .load = load_ctranslate2,
};

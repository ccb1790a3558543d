/* mt-layout-marian.c — a model as Marian itself publishes it, and as the OPUS-MT archives hold it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     decoder.yml                  which weights and vocabularies, and how to search
 *     opus….npz                    weights, with their configuration
 *     opus….vocab.yml              one vocabulary, or one each (….src.vocab.yml, ….trg.vocab.yml)
 *     source.spm, target.spm       SentencePiece models
 *
 * decoder.yml may be missing if there is no choice. Names in it are used only if they are names of
 * files in the folder: nothing outside is ever opened.
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "checkpoint/mt-container.h"
#include "files/mt-file.h"
#include "files/mt-yaml.h"
#include "model/mt-config.h"
#include "model/mt-generation.h"
#include "model/mt-layout.h"
#include "mt.h"
#include "text/mt-vocab.h"

#include <stdio.h>
#include <string.h>

/* ---- Names of tensors --------------------------------------------------------------------------
 */

/* As graph_->param is called in marian-dev's src/models/transformer.h and src/layers. `pre` is what
 * layerNorm appends in a pre-processing step; the norm after the embedding is always one. */
#define MARIAN_NORM(name, pre)                    \
  {                                               \
    (name "_ln_scale" pre), (name "_ln_bias" pre) \
  }
#define MARIAN_LAYER(pre)                                                                       \
  {                                                                                             \
    [MT_TENSOR_SELF_Q] = {"self_Wq", "self_bq"}, [MT_TENSOR_SELF_K] = {"self_Wk", "self_bk"},   \
    [MT_TENSOR_SELF_V] = {"self_Wv", "self_bv"}, [MT_TENSOR_SELF_OUT] = {"self_Wo", "self_bo"}, \
    [MT_TENSOR_SELF_NORM] = MARIAN_NORM("self_Wo", pre),                                        \
    [MT_TENSOR_CROSS_Q] = {"context_Wq", "context_bq"},                                         \
    [MT_TENSOR_CROSS_K] = {"context_Wk", "context_bk"},                                         \
    [MT_TENSOR_CROSS_V] = {"context_Wv", "context_bv"},                                         \
    [MT_TENSOR_CROSS_OUT] = {"context_Wo", "context_bo"},                                       \
    [MT_TENSOR_CROSS_NORM] = MARIAN_NORM("context_Wo", pre),                                    \
    [MT_TENSOR_FC1] = {"ffn_W1", "ffn_b1"}, [MT_TENSOR_FC2] = {"ffn_W2", "ffn_b2"},             \
    [MT_TENSOR_FFN_NORM] = MARIAN_NORM("ffn_ffn", pre),                                         \
  }
#define MARIAN(pre)                                                                               \
  {                                                                                               \
    .layers = {"encoder_l", "decoder_l"}, .first_layer = 1, .after_number = "_",                  \
    .places = {MARIAN_LAYER(pre), MARIAN_LAYER(pre)}, .stacks = {"encoder_", "decoder_"},         \
    .embedding_norm = MARIAN_NORM("emb", "_pre"), .final_norm = MARIAN_NORM("top", ""),           \
    .shared = "Wemb", .embeddings = {"encoder_Wemb", "decoder_Wemb"},                             \
    .positions = {"Wpos", "Wpos"}, .output = "decoder_ff_logit_out_Wt",                           \
    .output_in_out = "decoder_ff_logit_out_W", .output_bias = "decoder_ff_logit_out_b",           \
    .shape_from = "special:model.yml", .ties = "tied-embeddings", .no_tie = "no tied-embeddings", \
    .in_out = true, .row_vectors = true, .without_pad = true,                                     \
  }

static const mt_names names_post_norm = MARIAN("");
static const mt_names names_pre_norm = MARIAN("_pre");

/* ---- The configuration that Marian keeps in a checkpoint ------------------------------------- */

/* Keys and defaults are those of marian-dev's src/common/config_parser.cpp. A model runs as Hugging
 * Face's conversion of it does, bit for bit. Where that is not what Marian does, it is meant:
 * sinusoids of 10000^(2i/d) (Marian: 10000^(i/(d/2-1))), 1e-5 in the layer norm (Marian: 1e-6),
 * <unk> may be generated, and the search ends as Hugging Face's does. Decoding starts with a token
 * <pad> whose embedding is 0 (Marian: without a token, from 0); it is never generated,
 * and has no probability. */

#define MODEL_YML       "special:model.yml"
#define MODEL_YML_BYTES (1 << 20)
#define MAX_LENGTH      512 /* of a translation: Hugging Face's conversion */
#define MIN_POSITIONS   512

static const mt_config defaults = {
    .d_model = 512,
    .n_layers = {1, 1},
    .n_heads = {8, 8},
    .d_ffn = {2048, 0},
    .activation = MT_ACTIVATION_SILU,
    .position_kind = MT_POSITIONS_SINUSOIDAL_HALVES,
    .eos_id = -1,
    .bos_id = -1,
    .unk_id = -1,
    .forced_eos_id = -1,
    .forced_bos_id = -1,
    /* What the decoder.yml of OPUS-MT say. */
    .num_beams = 6,
    .max_length = MAX_LENGTH,
    .length_penalty = 1,
    .early_stopping = MT_EARLY_STOPPING_FALSE,
};

/* ---- What is not done ------------------------------------------------------------------------ */

/* Keys that change what is computed, and the values with which they do not. A list must be empty or
 * have only such values in it. */
typedef struct {
  const char *key;
  const char *accepted[3];
} fixed_key;

static const fixed_key model_keys[] = {
    {"type", {"transformer"}},
    {"right-left", {"false"}},
    {"layer-normalization", {"false"}},
    {"input-types", {"sequence"}},
    {"transformer-decoder-autoreg", {"self-attention"}},
    {"transformer-tied-layers", {NULL}},
    {"transformer-no-projection", {"false"}},
    {"transformer-no-bias", {"false"}},
    {"transformer-no-affine", {"false"}},
    {"transformer-ffn-depth", {"2"}},
    {"transformer-decoder-ffn-depth", {"0", "2"}},
    {"transformer-pool", {"false"}},
    {"transformer-disable-position-embeddings", {"false"}},
    {"transformer-attention-mask", {"default"}},
    {"transformer-alibi-shift", {"false"}},
    {"ulr", {"false"}},
    {"lemma-dim-emb", {"0"}},
    {"lemma-dependency", {""}},
    {"factors-dim-emb", {"0"}},
};
static const fixed_key decoder_keys[] = {
    {"shortlist", {NULL}},
    {"output-approx-knn", {NULL}},
};
#define N_KEYS(keys) (sizeof(keys) / sizeof *(keys))

static bool
is_accepted(const fixed_key *key, const char *value)
{
  for (size_t i = 0; i < sizeof key->accepted / sizeof *key->accepted; i++)
    if (key->accepted[i] && strcmp(key->accepted[i], value) == 0)
      return true;
  return false;
}

static bool
check_keys(const mt_yaml *yaml, const fixed_key *keys, size_t n, mt_error *error)
{
  for (size_t k = 0; k < n; k++) {
    size_t i;
    if (!mt_yaml_find(yaml, keys[k].key, &i))
      continue;
    for (size_t j = 0; j < yaml->entries[i].n_items; j++) {
      const char *value = mt_yaml_item(yaml, i, j);
      const char *expected = keys[k].accepted[0];
      if (!is_accepted(&keys[k], value))
        return mt_fail(error, MT_ERROR_UNSUPPORTED,
                       "%s: expected %s %s%s%s, found \"%.100s\", which is not supported.",
                       yaml->label, keys[k].key, expected ? "\"" : "to be empty",
                       expected ? expected : "", expected ? "\"" : "", value);
    }
  }
  return true;
}

/* Weights for integer arithmetic (marian-conv, intgemm) go with scales of their own. */
static bool
check_not_packed(const mt_container *weights, const mt_dir *dir, mt_error *error)
{
  for (size_t i = 0; i < weights->n_tensors; i++) {
    const mt_tensor_info *info = &weights->tensors[i].info;
    if (strstr(info->name, "QuantMult"))
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s/%s: expected weights in floating point, found the scale \"%.200s\" of "
                     "weights packed as integers.",
                     dir->name, info->file, info->name);
  }
  return true;
}

/* ---- The model ------------------------------------------------------------------------------- */

static bool
read_sizes(mt_config *c, const mt_yaml *yaml, mt_error *error)
{
  size_t heads = defaults.n_heads[0];
  const struct {
    const char *key;
    size_t min, max;
    size_t *value;
  } sizes[] = {
      {"dim-emb", 1, MT_CONFIG_MAX_D, &c->d_model},
      {"enc-depth", 1, MT_CONFIG_MAX_LAYERS, &c->n_layers[MT_STACK_ENCODER]},
      {"dec-depth", 1, MT_CONFIG_MAX_LAYERS, &c->n_layers[MT_STACK_DECODER]},
      {"transformer-heads", 1, MT_CONFIG_MAX_D, &heads},
      {"transformer-dim-ffn", 1, MT_CONFIG_MAX_FFN, &c->d_ffn[MT_STACK_ENCODER]},
      {"transformer-decoder-dim-ffn", 0, MT_CONFIG_MAX_FFN, &c->d_ffn[MT_STACK_DECODER]},
  };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (!mt_yaml_get_size(yaml, sizes[i].key, sizes[i].min, sizes[i].max, sizes[i].value, error))
      return false;
  c->n_heads[MT_STACK_ENCODER] = c->n_heads[MT_STACK_DECODER] = heads;
  if (c->d_ffn[MT_STACK_DECODER] == 0)
    c->d_ffn[MT_STACK_DECODER] = c->d_ffn[MT_STACK_ENCODER];
  if (c->d_model % heads != 0)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected transformer-heads to divide dim-emb %zu, found %zu.", yaml->label,
                   c->d_model, heads);
  return true;
}

static bool
read_activation(mt_config *c, const mt_yaml *yaml, mt_error *error)
{
  static const struct {
    const char *name;
    mt_activation activation;
  } names[] = {{"relu", MT_ACTIVATION_RELU},
               {"swish", MT_ACTIVATION_SILU},
               {"gelu", MT_ACTIVATION_GELU}};
  const char *name = "swish";
  if (!mt_yaml_get_string(yaml, "transformer-ffn-activation", &name, error))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, name) == 0) {
      c->activation = names[i].activation;
      return true;
    }
  return mt_fail(error, MT_ERROR_UNSUPPORTED,
                 "%s: expected transformer-ffn-activation relu, swish or gelu, found \"%.100s\".",
                 yaml->label, name);
}

/* A list of operations, "dan", without the dropouts, which do nothing once a model is trained. */
#define OPERATIONS_SIZE 8
static bool
read_operations(const mt_yaml *yaml, const char *key, const char *value, char out[OPERATIONS_SIZE],
                mt_error *error)
{
  if (!mt_yaml_get_string(yaml, key, &value, error))
    return false;
  size_t n = 0;
  for (; *value; value++)
    if (*value != 'd' && n + 1 < OPERATIONS_SIZE)
      out[n++] = *value;
  out[n] = '\0';
  return true;
}

/* Where the norms are. */
static bool
read_norms(mt_config *c, const mt_names **names, const mt_yaml *yaml, mt_error *error)
{
  char pre[OPERATIONS_SIZE], post[OPERATIONS_SIZE], emb[OPERATIONS_SIZE], top[OPERATIONS_SIZE];
  if (!read_operations(yaml, "transformer-preprocess", "", pre, error) ||
      !read_operations(yaml, "transformer-postprocess", "dan", post, error) ||
      !read_operations(yaml, "transformer-postprocess-emb", "d", emb, error) ||
      !read_operations(yaml, "transformer-postprocess-top", "", top, error))
    return false;
  c->normalize_before = strcmp(pre, "n") == 0 && strcmp(post, "a") == 0;
  if (!c->normalize_before && (strcmp(pre, "") != 0 || strcmp(post, "an") != 0))
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected transformer-preprocess \"\" with transformer-postprocess \"dan\", "
                   "or \"n\" with \"da\", found \"%s\" with \"%s\" (dropouts left out).",
                   yaml->label, pre, post);
  const struct {
    const char *key, *value;
    bool *has_norm;
  } others[] = {
      {"transformer-postprocess-emb", emb, &c->normalize_embedding},
      {"transformer-postprocess-top", top, &c->add_final_layer_norm},
  };
  for (size_t i = 0; i < 2; i++) {
    *others[i].has_norm = strcmp(others[i].value, "n") == 0;
    if (!*others[i].has_norm && others[i].value[0] != '\0')
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected %s \"\", \"d\" or \"n\", found \"%s\" (dropouts left out).",
                     yaml->label, others[i].key, others[i].value);
  }
  *names = c->normalize_before ? &names_pre_norm : &names_post_norm;
  return true;
}

static bool
read_ties(mt_config *c, const mt_yaml *yaml, mt_error *error)
{
  bool all = false, source = false, output = false;
  if (!mt_yaml_get_bool(yaml, "tied-embeddings-all", &all, error) ||
      !mt_yaml_get_bool(yaml, "tied-embeddings-src", &source, error) ||
      !mt_yaml_get_bool(yaml, "tied-embeddings", &output, error))
    return false;
  c->share_embeddings = all || source;
  c->tie_word_embeddings = all || output;
  return true;
}

/* Rows of a tensor of two dimensions, 0 if there is none. */
static size_t
rows_of(const mt_container *weights, const char *name)
{
  size_t i;
  return mt_container_find(weights, name, &i) && weights->tensors[i].info.n_dims == 2
             ? weights->tensors[i].info.shape[0]
             : 0;
}

/* From dim-vocabs; where that does not say, from the embeddings. */
static bool
read_vocab_sizes(mt_config *c, const mt_names *names, const mt_yaml *yaml,
                 const mt_container *weights, mt_error *error)
{
  size_t i, n[MT_N_STACKS] = {0};
  if (mt_yaml_find(yaml, "dim-vocabs", &i)) {
    bool ok = yaml->entries[i].n_items == MT_N_STACKS;
    for (size_t s = 0; ok && s < MT_N_STACKS; s++)
      ok = mt_yaml_to_size(mt_yaml_item(yaml, i, s), &n[s]) && n[s] < MT_CONFIG_MAX_VOCAB;
    if (!ok)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected dim-vocabs to be two sizes below %d, found something else.",
                     yaml->label, MT_CONFIG_MAX_VOCAB);
  }
  for (int s = 0; s < MT_N_STACKS; s++) {
    if (n[s] == 0)
      n[s] = rows_of(weights, c->share_embeddings ? names->shared : names->embeddings[s]);
    if (n[s] < 2 || n[s] >= MT_CONFIG_MAX_VOCAB)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected vocabularies of 2 to %d pieces, found one of %zu.", yaml->label,
                     MT_CONFIG_MAX_VOCAB - 1, n[s]);
  }
  if (c->share_embeddings && n[0] != n[1])
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected two equal sizes in dim-vocabs, because the embeddings are shared, "
                   "found %zu and %zu.",
                   yaml->label, n[0], n[1]);
  c->vocab_size[MT_STACK_ENCODER] = n[0] + (c->share_embeddings ? 1 : 0);
  c->vocab_size[MT_STACK_DECODER] = n[1] + 1;
  c->pad_id = c->decoder_start_id = (int32_t) n[1];
  return true;
}

/* A table in the file is added to the embeddings as they are; sinusoids, of which there could be
 * any number, to embeddings times sqrt(d). Hugging Face's conversion has dim-emb of them. */
static bool
read_positions(mt_config *c, const mt_names *names, const mt_yaml *yaml,
               const mt_container *weights, mt_error *error)
{
  c->max_positions = rows_of(weights, names->positions[MT_STACK_ENCODER]);
  if (c->max_positions > 0) {
    c->position_kind = MT_POSITIONS_LEARNED;
    if (c->max_positions > MT_CONFIG_MAX_POSITIONS)
      return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d positions, found %zu.",
                     yaml->label, MT_CONFIG_MAX_POSITIONS, c->max_positions);
  } else {
    c->max_positions = c->d_model > MIN_POSITIONS ? c->d_model : MIN_POSITIONS;
    c->scale_embedding = true;
    if (c->d_model % 2 != 0)
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected an even dim-emb for sinusoidal positions, found %zu.",
                     yaml->label, c->d_model);
    if (c->max_positions > MT_CONFIG_MAX_TABLE / c->d_model)
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected a dim-emb of at most 8192 for sinusoidal positions, found %zu.",
                     yaml->label, c->d_model);
  }
  if (c->max_length > c->max_positions)
    c->max_length = c->max_positions;
  return true;
}

static bool
read_model(mt_config *c, const mt_names **names, const mt_yaml *yaml, const mt_container *weights,
           mt_error *error)
{
  size_t i;
  if (!mt_yaml_find(yaml, "type", &i))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected type \"transformer\", found no type.",
                   yaml->label);
  return check_keys(yaml, model_keys, N_KEYS(model_keys), error) && read_sizes(c, yaml, error) &&
         read_activation(c, yaml, error) && read_norms(c, names, yaml, error) &&
         read_ties(c, yaml, error) && read_vocab_sizes(c, *names, yaml, weights, error) &&
         read_positions(c, *names, yaml, weights, error);
}

/* The text in the weights: bytes, with NULs behind it. */
static bool
load_model(mt_config *c, const mt_names **names, mt_container *weights, const mt_dir *dir,
           mt_error *error)
{
  size_t i;
  if (!mt_container_find(weights, MODEL_YML, &i))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected a checkpoint of Marian with \"%s\" in it, found none.",
                   dir->name, weights->file, MODEL_YML);
  const mt_container_tensor *tensor = &weights->tensors[i];
  const char *type = tensor->info.dtype;
  if ((strcmp(type, "I8") != 0 && strcmp(type, "U8") != 0) || tensor->n_elements > MODEL_YML_BYTES)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected \"%s\" to be at most %d bytes, found %zu numbers of type "
                   "%.40s.",
                   dir->name, weights->file, MODEL_YML, MODEL_YML_BYTES, tensor->n_elements, type);
  const char *text = weights->format->data(weights, i, error);
  if (!text)
    return false;
  char label[600];
  snprintf(label, sizeof label, "%.250s/%.250s/%s", dir->name, weights->file, MODEL_YML);
  mt_yaml yaml = {0};
  bool ok = mt_yaml_parse(&yaml, label, text, strnlen(text, tensor->n_elements), error) &&
            read_model(c, names, &yaml, weights, error);
  mt_yaml_clear(&yaml);
  return ok;
}

/* ---- The search ------------------------------------------------------------------------------ */

static bool
load_search(mt_config *c, const mt_yaml *decoder, mt_error *error)
{
  double normalize = 0, word_penalty = 0; /* as without a decoder.yml Marian would */
  if (!check_keys(decoder, decoder_keys, N_KEYS(decoder_keys), error) ||
      !mt_yaml_get_size(decoder, "beam-size", 1, MT_CONFIG_MAX_BEAMS, &c->num_beams, error) ||
      !mt_yaml_get_number(decoder, "normalize", &normalize, error) ||
      !mt_yaml_get_number(decoder, "word-penalty", &word_penalty, error))
    return false;
  if (normalize < -1000 || normalize > 1000)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected normalize from -1000 to 1000, found %g.",
                   decoder->label, normalize);
  if (word_penalty != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected word-penalty 0, found %g, which is not supported.", decoder->label,
                   word_penalty);
  c->length_penalty = (float) normalize;
  return true;
}

/* From the text "special:model.yml" in the weights, and decoder.yml for the search (NULL: there is
 * none). Everything in them that changes what is computed is either done or refused. *names: which
 * names the tensors have. What such a model does without saying so is as in Hugging Face's
 * conversion: see the source. eos_id and unk_id are left at -1. On failure *config is left to be
 * cleared. Errors: MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED, MT_ERROR_NO_MEMORY. */
static bool
load_config(mt_config *config, const mt_names **names, mt_container *weights,
            const mt_yaml *decoder, const mt_dir *dir, mt_error *error)
{
  *config = defaults;
  config->source_lang = mt_strdup("");
  config->target_lang = mt_strdup("");
  if (!config->source_lang || !config->target_lang)
    return mt_fail_no_memory(error);
  return check_not_packed(weights, dir, error) && load_model(config, names, weights, dir, error) &&
         (!decoder || load_search(config, decoder, error)) &&
         mt_generation_leave_out_pad(config, error);
}

/* ---- The files ------------------------------------------------------------------------------- */

#define DECODER "decoder.yml"
#define WEIGHTS ".npz"

/* While a folder is looked at. */
typedef struct {
  const mt_dir *dir;
  mt_dir_list files;
  const char *decoder_file; /* NULL: there is none */
  mt_yaml decoder;
  char *weights;
  mt_manifest *manifest;
  mt_error *error;
} finder;

/* ---- Names of files -------------------------------------------------------------------------- */

/* How many files end so; *last is the last of them, or NULL. */
static size_t
count_endings(const finder *f, const char *ending, const char **last)
{
  size_t n = 0;
  *last = NULL;
  for (size_t i = 0; i < f->files.n; i++)
    if (mt_dir_list_ends(f->files.names[i], ending)) {
      *last = f->files.names[i];
      n++;
    }
  return n;
}

/* "a.npz, b.npz and 3 more" */
#define LISTED_SIZE 400
static const char *
list_endings(const finder *f, const char *ending, char out[LISTED_SIZE])
{
  size_t used = 0, n = 0, shown = 0;
  out[0] = '\0';
  for (size_t i = 0; i < f->files.n; i++) {
    if (!mt_dir_list_ends(f->files.names[i], ending))
      continue;
    if (n++ < 3 && used < LISTED_SIZE) {
      used += (size_t) snprintf(out + used, LISTED_SIZE - used, "%s%.100s", shown ? ", " : "",
                                f->files.names[i]);
      shown++;
    }
  }
  if (n > shown && used < LISTED_SIZE)
    snprintf(out + used, LISTED_SIZE - used, " and %zu more", n - shown);
  return out;
}

static bool
keep(const finder *f, char **place, const char *name)
{
  *place = mt_strdup(name);
  return *place || mt_fail_no_memory(f->error);
}

static bool
is_listed(const finder *f, const char *name)
{
  for (size_t i = 0; i < f->files.n; i++)
    if (strcmp(f->files.names[i], name) == 0)
      return true;
  return false;
}

/* A file that decoder.yml names. Its author's folder ("/home/…/model.npz") is left out if the file
 * lies here now; a way out of this folder is not taken. */
static bool
keep_named(const finder *f, const char *key, const char *named, char **place)
{
  bool relative = false;
  if (!mt_yaml_get_bool(&f->decoder, "relative-paths", &relative, f->error))
    return false;
  const char *slash = strrchr(named, '/');
  const char *name = slash ? slash + 1 : named;
  bool is_plain = !slash || (slash == named + 1 && named[0] == '.');
  if ((is_plain || !relative) && is_listed(f, name))
    return keep(f, place, name);
  if (is_plain && *name && strcmp(name, "..") != 0 && strcmp(name, ".") != 0)
    return mt_fail(f->error, MT_ERROR_IO,
                   "%s/%.200s: expected this file, which %s names, found nothing there.",
                   f->dir->name, name, f->decoder_file);
  return mt_fail(f->error, MT_ERROR_FORMAT,
                 "%s/%s: expected %s to name files in this folder, found \"%.200s\".", f->dir->name,
                 f->decoder_file, key, named);
}

/* The entry of decoder.yml that must list `min` to `max` files. */
static bool
find_list(const finder *f, const char *key, size_t min, size_t max, size_t *entry)
{
  size_t n = mt_yaml_find(&f->decoder, key, entry) ? f->decoder.entries[*entry].n_items : 0;
  if (n >= min && n <= max)
    return true;
  if (n > max && max == 1)
    return mt_fail(f->error, MT_ERROR_UNSUPPORTED,
                   "%s/%s: expected one file in %s, found %zu (several models that vote are not "
                   "supported).",
                   f->dir->name, f->decoder_file, key, n);
  return mt_fail(f->error, MT_ERROR_FORMAT, "%s/%s: expected %zu file%s in %s, found %zu.",
                 f->dir->name, f->decoder_file, max, max == 1 ? "" : "s", key, n);
}

/* ---- Which files ----------------------------------------------------------------------------- */

static bool
find_decoder(finder *f)
{
  const char *other;
  if (mt_dir_has(f->dir, DECODER))
    f->decoder_file = DECODER;
  else if (count_endings(f, "." DECODER, &other) == 1)
    f->decoder_file = other;
  return !f->decoder_file || mt_yaml_load(&f->decoder, f->dir, f->decoder_file, f->error);
}

static bool
find_weights(finder *f)
{
  size_t entry;
  if (f->decoder_file)
    return find_list(f, "models", 1, 1, &entry) &&
           keep_named(f, "models", mt_yaml_item(&f->decoder, entry, 0), &f->weights);
  const char *file;
  size_t n = count_endings(f, WEIGHTS, &file);
  if (n == 1)
    return keep(f, &f->weights, file);
  char listed[LISTED_SIZE];
  return mt_fail(f->error, MT_ERROR_IO,
                 "%s: expected %s, or one file of weights (%s), found %s%s%s.", f->dir->name,
                 DECODER, WEIGHTS, n ? "several (" : "none", list_endings(f, WEIGHTS, listed),
                 n ? ")" : "");
}

/* Without decoder.yml: one each, or one for both, of one ending. */
static bool
guess_vocabs(finder *f)
{
  static const struct {
    const char *source, *target, *both;
  } endings[] = {
      {"src.vocab.yml", "trg.vocab.yml", "vocab.yml"},
      {"src.vocab.yaml", "trg.vocab.yaml", "vocab.yaml"},
      {"src.vocab", "trg.vocab", ".vocab"},
      {"src.spm", "trg.spm", "vocab.spm"},
  };
  char **files = f->manifest->vocab_files;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const char *source, *target, *both;
    size_t n = count_endings(f, endings[i].both, &both);
    if (n == 2 && count_endings(f, endings[i].source, &source) == 1 &&
        count_endings(f, endings[i].target, &target) == 1)
      return keep(f, &files[0], source) && keep(f, &files[1], target);
    if (n == 1)
      return keep(f, &files[0], both) && keep(f, &files[1], both);
    char listed[LISTED_SIZE];
    if (n > 1)
      return mt_fail(f->error, MT_ERROR_IO,
                     "%s: expected %s, or one vocabulary, found several (%s).", f->dir->name,
                     DECODER, list_endings(f, endings[i].both, listed));
  }
  return mt_fail(f->error, MT_ERROR_IO, "%s: expected a vocabulary (.vocab.yml), found none.",
                 f->dir->name);
}

static bool
find_vocabs(finder *f)
{
  char **files = f->manifest->vocab_files;
  size_t entry;
  if (!f->decoder_file)
    return guess_vocabs(f);
  if (!find_list(f, "vocabs", 2, 2, &entry))
    return false;
  for (size_t s = 0; s < MT_N_STACKS; s++) {
    if (!keep_named(f, "vocabs", mt_yaml_item(&f->decoder, entry, s), &files[s]))
      return false;
    if (!mt_piece_list_is_known(files[s]))
      return mt_fail(f->error, MT_ERROR_UNSUPPORTED,
                     "%s/%.200s: expected a vocabulary called .yml, .json, .spm or .vocab, found "
                     "another ending.",
                     f->dir->name, files[s]);
  }
  return true;
}

/* source.spm and target.spm, or the vocabularies, if they are SentencePiece models. */
static bool
find_spms(finder *f)
{
  static const char *const names[MT_N_STACKS] = {"source.spm", "target.spm"};
  const char *bpe;
  for (size_t s = 0; s < MT_N_STACKS; s++) {
    const char *vocab = f->manifest->vocab_files[s];
    bool is_spm = mt_dir_list_ends(vocab, ".spm");
    if (!is_spm && !mt_dir_has(f->dir, names[s]) && count_endings(f, ".bpe", &bpe) > 0)
      return mt_fail(f->error, MT_ERROR_UNSUPPORTED,
                     "%s/%.200s: expected SentencePiece models, source.spm and target.spm, found "
                     "codes for subword-nmt (BPE), which are not supported.",
                     f->dir->name, bpe);
    if (!keep(f, &f->manifest->spm_files[s], is_spm ? vocab : names[s]))
      return false;
    if (!mt_dir_has(f->dir, f->manifest->spm_files[s]))
      return mt_fail(f->error, MT_ERROR_IO, "%s/%s: expected this file, found nothing there.",
                     f->dir->name, names[s]);
  }
  return true;
}

/* ---- The layout ------------------------------------------------------------------------------ */

static bool
looks_like_marian(const mt_dir *dir)
{
  mt_dir_list files = {0};
  bool found = mt_dir_has(dir, DECODER);
  if (!found && mt_dir_list_read(&files, dir, NULL))
    for (size_t i = 0; i < files.n; i++)
      found |= mt_dir_list_ends(files.names[i], WEIGHTS) ||
               mt_dir_list_ends(files.names[i], "." DECODER);
  mt_dir_list_clear(&files);
  return found;
}

static bool
load_marian(mt_manifest *manifest, mt_config *config, const mt_dir *dir, mt_error *error)
{
  finder f = {.dir = dir, .manifest = manifest, .error = error};
  bool ok = mt_dir_list_read(&f.files, dir, error) && find_decoder(&f) && find_weights(&f) &&
            find_vocabs(&f) && find_spms(&f);
  if (ok) {
    manifest->container = mt_container_open(dir, f.weights, error);
    ok = manifest->container && load_config(config, &manifest->names, manifest->container,
                                            f.decoder_file ? &f.decoder : NULL, dir, error);
  }
  mt_dir_list_clear(&f.files);
  mt_yaml_clear(&f.decoder);
  mt_free(f.weights);
  return ok;
}

const mt_layout mt_layout_marian = {
    .name = "Marian",
    .recognise = looks_like_marian,
    .load = load_marian,
};

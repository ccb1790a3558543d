/* mt-config.c — config.json, generation_config.json and tokenizer_config.json.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model_type in config.json says which family reads the keys of the model (mt-family.h); how it
 * asks to be searched is read here, by the names of GenerationConfig.
 *
 * Before that, a folder that holds something else than a model of such a family is refused by name:
 * three lists, a row for a kind.
 */
#include "model/mt-config.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "kernels/mt-kinds.h"
#include "model/mt-family.h"
#include "model/mt-tasks.h"

#include <stdio.h>
#include <string.h>

/* ---- What is not run: by model_type ---------------------------------------------------------- */

#define OTHER  "an encoder-decoder of another architecture"
#define SPARSE "an encoder-decoder whose attention does not see every token"
#define STREAMS \
  "an encoder-decoder whose decoder has several streams, one for each of the next tokens"
#define EXPERTS \
  "an encoder-decoder whose feed-forward networks are chosen token by token (mixture of experts)"
#define ENCODER "an encoder without a decoder"
#define DECODER "a decoder without an encoder"
#define SPEECH  "a model that reads sound and has no source tokens"

static const struct {
  const char *type, *name, *kind;
} types[] = {
    /* Encoder-decoders. */
    {"nllb-moe", "NLLB-MoE", EXPERTS},
    {"longt5", "LongT5", SPARSE},
    {"switch_transformers", "Switch Transformers", EXPERTS},
    {"pegasus_x", "PEGASUS-X", SPARSE},
    {"bigbird_pegasus", "BigBird-Pegasus", SPARSE},
    {"prophetnet", "ProphetNet", STREAMS},
    {"xlm-prophetnet", "XLM-ProphetNet", STREAMS},
    {"fsmt", "FSMT (fairseq's translation models)", OTHER},
    {"led", "LED", SPARSE},
    {"plbart", "PLBART", OTHER},
    {"blenderbot", "Blenderbot", OTHER},
    {"blenderbot-small", "Blenderbot Small", OTHER},
    {"t5gemma", "T5Gemma", OTHER},
    {"encoder-decoder", "an encoder and a decoder of two other models", OTHER},
    {"vision-encoder-decoder", "an image encoder with a text decoder", "a model that reads images"},
    /* Speech. */
    {"whisper", "Whisper", SPEECH},
    {"speech_to_text", "Speech2Text", SPEECH},
    {"speech-encoder-decoder", "a speech encoder with a text decoder", SPEECH},
    {"wav2vec2", "wav2vec 2.0", SPEECH},
    {"seamless_m4t", "SeamlessM4T", SPEECH},
    {"seamless_m4t_v2", "SeamlessM4T v2", SPEECH},
    /* Encoders. */
    {"bert", "BERT", ENCODER},
    {"roberta", "RoBERTa", ENCODER},
    {"xlm-roberta", "XLM-RoBERTa", ENCODER},
    {"xlm", "XLM", ENCODER},
    {"distilbert", "DistilBERT", ENCODER},
    {"albert", "ALBERT", ENCODER},
    {"electra", "ELECTRA", ENCODER},
    {"camembert", "CamemBERT", ENCODER},
    {"deberta", "DeBERTa", ENCODER},
    {"deberta-v2", "DeBERTa v2", ENCODER},
    {"mpnet", "MPNet", ENCODER},
    {"modernbert", "ModernBERT", ENCODER},
    /* Decoders. */
    {"gpt2", "GPT-2", DECODER},
    {"gpt_neo", "GPT-Neo", DECODER},
    {"gpt_neox", "GPT-NeoX", DECODER},
    {"gptj", "GPT-J", DECODER},
    {"opt", "OPT", DECODER},
    {"bloom", "BLOOM", DECODER},
    {"xglm", "XGLM", DECODER},
    {"falcon", "Falcon", DECODER},
    {"llama", "Llama", DECODER},
    {"mistral", "Mistral", DECODER},
    {"mixtral", "Mixtral", DECODER},
    {"gemma", "Gemma", DECODER},
    {"gemma2", "Gemma 2", DECODER},
    {"gemma3", "Gemma 3", DECODER},
    {"gemma3_text", "Gemma 3", DECODER},
    {"qwen2", "Qwen2", DECODER},
    {"qwen3", "Qwen3", DECODER},
    {"phi", "Phi", DECODER},
    {"phi3", "Phi-3", DECODER},
    {"mamba", "Mamba", DECODER},
};

/* ---- … by a key of a config.json that has no model_type -------------------------------------- */

#define CTRANSLATE2 \
  "the configuration of a CTranslate2 model without its model.bin and a vocabulary"
#define ADAPTER                                                                                \
  "an adapter (PEFT) without the model that it changes (merge the two, merge_and_unload, and " \
  "save "                                                                                      \
  "the result)"

static const struct {
  const char *key, *what;
} keys[] = {
    {"add_source_bos", CTRANSLATE2},
    {"peft_type", ADAPTER},
    {"_diffusers_version", "a part of a Diffusers pipeline, which makes images"},
};

/* ---- … and by files -------------------------------------------------------------------------- */

#define TOKENIZER \
  "only the files of a tokenizer (config.json and the weights, model.safetensors, are missing)"

#define ONNX                                                                                  \
  "an ONNX model, which is not read (get model.safetensors or pytorch_model.bin of the same " \
  "model)"
#define PACKED "an archive that is to be unpacked first"

/* Against which folders a row speaks: other files say it better in the others. */
typedef enum { WITHOUT_CONFIG, WITHOUT_WEIGHTS, ALWAYS } kind_when;

/* All of `files` are there. "*.x": a file whose name ends so. */
static const struct {
  const char *files[2], *what;
  kind_when when;
} folders[] = {
    {{"snapshots", "refs"},
     "a folder of the download cache (the model is in one of the folders under snapshots)",
     WITHOUT_CONFIG},
    {{"adapter_config.json"}, ADAPTER, WITHOUT_WEIGHTS},
    {{"modules.json", "config_sentence_transformers.json"},
     "a sentence-transformers model, which makes vectors of sentences",
     ALWAYS},
    {{"*.gguf"}, "a GGUF file, as llama.cpp reads it", WITHOUT_CONFIG},
    {{"*.ggml"}, "a GGML file, as llama.cpp once read it", WITHOUT_CONFIG},
    {{"saved_model.pb"}, "a TensorFlow SavedModel, such as those of OpenNMT-tf", WITHOUT_CONFIG},
    {{"*.onnx"}, ONNX, WITHOUT_WEIGHTS},
    {{"onnx"}, ONNX, WITHOUT_WEIGHTS},
    {{"*.tgz"}, PACKED, WITHOUT_WEIGHTS},
    {{"*.tar.gz"}, PACKED, WITHOUT_WEIGHTS},
    {{"*.tar.xz"}, PACKED, WITHOUT_WEIGHTS},
    {{"*.tar.bz2"}, PACKED, WITHOUT_WEIGHTS},
    {{"*.tar.zst"}, PACKED, WITHOUT_WEIGHTS},
    {{"*.tar"}, PACKED, WITHOUT_WEIGHTS},
    {{"*.zip"}, "a zip archive: open that", WITHOUT_WEIGHTS},
    {{"*.pt"},
     "a PyTorch checkpoint of another program, such as OpenNMT-py or fairseq",
     WITHOUT_CONFIG},
    {{"data.pkl"},
     "a PyTorch file alone (open the folder with its config.json and its tokenizer)",
     WITHOUT_CONFIG},
    {{"source.spm"}, TOKENIZER, WITHOUT_CONFIG},
    {{"spiece.model"}, TOKENIZER, WITHOUT_CONFIG},
    {{"sentencepiece.bpe.model"}, TOKENIZER, WITHOUT_CONFIG},
    {{"vocab.json"}, TOKENIZER, WITHOUT_CONFIG},
    {{"tokenizer.json"}, TOKENIZER, WITHOUT_CONFIG},
    {{"tokenizer_config.json"}, TOKENIZER, WITHOUT_CONFIG},
};

/* With one of these and without config.json it is half a copy: what is missing is named by whoever
 * looks for it. */
static const char *const ours[] = {"model.safetensors", "model.safetensors.index.json",
                                   "pytorch_model.bin", "pytorch_model.bin.index.json",
                                   "decoder.yml",       "*.npz"};

/* What is read of a folder if it is there, so that a link to nothing must not pass for none. */
static const char *const always_read[] = {"config.json",
                                          "generation_config.json",
                                          "tokenizer_config.json",
                                          "added_tokens.json",
                                          "special_tokens_map.json",
                                          "vocab.json",
                                          "target_vocab.json",
                                          "source.spm",
                                          "target.spm",
                                          "spiece.model",
                                          "sentencepiece.bpe.model",
                                          "tokenizer.json",
                                          "merges.txt"};

/* Whether a file with that ending lies right in the folder; `name` is what it is called. */
#define FOUND_SIZE 100
static bool
has_ending(const mt_dir *dir, const char *ending, char found_name[FOUND_SIZE])
{
  mt_dir_list list = {0};
  bool found = false;
  mt_dir_list_read(&list, dir, NULL);
  for (size_t i = 0; !found && i < list.n; i++) {
    const size_t n = strlen(list.names[i]), m = strlen(ending);
    found = n > m && strcmp(list.names[i] + n - m, ending) == 0;
    snprintf(found_name, FOUND_SIZE, "%.*s", found ? FOUND_SIZE - 1 : 0, list.names[i]);
  }
  mt_dir_list_clear(&list);
  return found;
}

static bool
has(const mt_dir *dir, const char *file, char found_name[FOUND_SIZE])
{
  found_name[0] = '\0';
  return file[0] == '*' ? has_ending(dir, file + 1, found_name) : mt_dir_has(dir, file);
}

/* Refuse a folder (or archive) that by its files is something else: weights of another program, an
 * adapter, only the tokenizer. True: nothing speaks against it. Errors: MT_ERROR_UNSUPPORTED. */
static bool
check_folder(const mt_dir *dir, mt_error *error)
{
  bool has_config = mt_dir_has(dir, "config.json"), has_weights = false;
  char name[FOUND_SIZE], other[FOUND_SIZE], list[MT_FAMILY_LIST_SIZE];
  for (size_t i = 0; i < sizeof always_read / sizeof *always_read; i++)
    if (mt_dir_is_dangling(dir, always_read[i]))
      return mt_dir_fail_missing(dir, always_read[i], error);
  for (size_t i = 0; !has_weights && i < sizeof ours / sizeof *ours; i++) {
    has_weights = has(dir, ours[i], name);
    if (!has_weights && mt_dir_is_dangling(dir, ours[i]))
      return mt_dir_fail_missing(dir, ours[i], error);
  }
  if (has_weights && !has_config)
    return true;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *const *files = folders[i].files;
    const kind_when when = folders[i].when;
    if ((when == ALWAYS || (when == WITHOUT_WEIGHTS && !has_weights) || !has_config) &&
        has(dir, files[0], name) && (!files[1] || has(dir, files[1], other)))
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected a model of a family that is run (%s), found %s%s%s.", dir->name,
                     mt_family_list(list), *name ? name : "", *name ? ", " : "", folders[i].what);
  }
  return true;
}

/* The family of a config.json. Another architecture is refused by name if it is a known one.
 * Errors: MT_ERROR_UNSUPPORTED; MT_ERROR_FORMAT if it does not say what it is. */
static const mt_family *
check_config(const mt_json *config, mt_error *error)
{
  char list[MT_FAMILY_LIST_SIZE];
  const char *type = NULL;
  if (!mt_json_get_string(config, "model_type", &type, error))
    return NULL;
  const mt_family *family = mt_family_find(type);
  if (family)
    return family;
  mt_family_list(list);
  for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].type, type) == 0) {
      mt_fail(error, MT_ERROR_UNSUPPORTED,
              "%s: expected a model of a family that is run (%s), found %s (model_type \"%s\"), "
              "%s, which this program does not run.",
              config->label, list, types[i].name, type, types[i].kind);
      return NULL;
    }
  if (type) {
    mt_fail(error, MT_ERROR_UNSUPPORTED,
            "%s: expected a model of a family that is run (%s), found model_type \"%.100s\".",
            config->label, list, type);
    return NULL;
  }
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (mt_json_get(config, keys[i].key)) {
      mt_fail(error, MT_ERROR_UNSUPPORTED,
              "%s: expected a model of a family that is run (%s), found %s.", config->label, list,
              keys[i].what);
      return NULL;
    }
  mt_fail(error, MT_ERROR_FORMAT,
          "%s: expected the model_type of a family that is run (%s), found no model_type.",
          config->label, list);
  return NULL;
}

/* ---- The configuration ----------------------------------------------------------------------- */

/* Keys that the family fixes. */
static bool
check_fixed(const mt_family *family, const mt_json *json, mt_error *error)
{
  for (size_t i = 0; i < family->n_fixed; i++) {
    const mt_fixed_key *fixed = &family->fixed[i];
    const mt_json_value *value = mt_json_get(json, fixed->key);
    const mt_json_kind kind = value ? mt_json_kind_of(value) : MT_JSON_NULL;
    char found[32] = "another value";
    if (kind == MT_JSON_BOOL)
      snprintf(found, sizeof found, "%s", mt_json_bool(value) ? "true" : "false");
    else if (kind == MT_JSON_INTEGER)
      snprintf(found, sizeof found, "%lld", (long long) mt_json_integer(value));
    if (kind != MT_JSON_NULL && strcmp(found, fixed->value) != 0)
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: expected %s to be %s, as in every model of the family %s, found %s.",
                     json->label, fixed->key, fixed->value, family->name, found);
  }
  return true;
}

/* ---- Generation ------------------------------------------------------------------------------ */

/* What the keys left unsaid. */
static bool
check_ids(const mt_config *c, const mt_dir *dir, mt_error *error)
{
  const struct {
    const char *key;
    int32_t id;
  } ids[] = {
      {"pad_token_id", c->pad_id},
      {"eos_token_id", c->eos_id},
      {"decoder_start_token_id", c->decoder_start_id},
  };
  size_t size = c->vocab_size[MT_STACK_DECODER];
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
    if ((size_t) ids[i].id >= size)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s/config.json: expected %s below the vocabulary size %zu, found none and "
                     "its default is %d.",
                     dir->name, ids[i].key, size, (int) ids[i].id);
  return true;
}

typedef struct {
  const mt_json *of_model; /* config.json */
  mt_json own;             /* generation_config.json; {0}: there is none */
} generation_files;

/* Of generation_config.json, and of config.json where there is none; as in transformers,
 * config.json then only tells who is who. */
static bool
read_generation(void *user, mt_config *c, mt_error *error)
{
  const generation_files *files = user;
  if (!files->own.root)
    return mt_generation_read(c, files->of_model, MT_GENERATION_ALL, true, error);
  c->forced_eos_id = -1;
  return mt_generation_read(c, files->of_model, MT_GENERATION_IDS, true, error) &&
         mt_generation_read(c, &files->own, MT_GENERATION_ALL, false, error) &&
         mt_generation_name_put_aside(c, files->of_model, &files->own, error);
}

static bool
load_generation(mt_config *c, const mt_json *of_model, const mt_dir *dir, mt_error *error)
{
  static const char file[] = "generation_config.json";
  generation_files files = {.of_model = of_model};
  const mt_config before = *c;
  bool ok = !mt_dir_has(dir, file) || mt_json_load(&files.own, dir, file, error);
  ok = ok && read_generation(&files, c, error);
  if (c->decoder_start_id < 0)
    c->decoder_start_id = c->bos_id; /* as `generate` does */
  ok = ok && check_ids(c, dir, error) &&
       mt_generation_settle(c, files.own.root ? files.own.label : of_model->label, error) &&
       mt_tasks_read(c, of_model, &before, read_generation, &files, error);
  mt_json_clear(&files.own);
  return ok;
}

/* ---- The files ------------------------------------------------------------------------------- */

static bool
load_model(mt_config *c, const mt_family **family, const mt_dir *dir, const mt_json *json,
           mt_error *error)
{
  *family = check_config(json, error);
  if (!*family)
    return false;
  *c = *(*family)->defaults;
  c->family = (*family)->model_type;
  return (*family)->read(c, json, error) && check_fixed(*family, json, error) &&
         (!mt_positions_are_computed(c->position_kind) ||
          mt_config_check_positions(c, json->label, error)) &&
         load_generation(c, json, dir, error);
}

bool
mt_config_load(mt_config *config, mt_text_kind *text_kind, const mt_dir *dir, mt_error *error)
{
  mt_config c = {0};
  mt_json json = {0};
  const mt_family *family;
  bool ok = check_folder(dir, error) && mt_json_load(&json, dir, "config.json", error) &&
            load_model(&c, &family, dir, &json, error) &&
            mt_family_load_text(&c, family, text_kind, dir, &json, error);
  mt_json_clear(&json);
  if (ok)
    *config = c;
  else
    mt_config_clear(&c);
  return ok;
}

void
mt_config_clear(mt_config *config)
{
  mt_generation_clear(config);
  mt_tasks_clear(config);
  mt_free((void *) config->source_begin.ids);
  mt_free((void *) config->source_end.ids);
  config->source_begin = config->source_end = (mt_id_list){0};
  mt_free((void *) config->source_lang);
  mt_free((void *) config->target_lang);
  config->source_lang = NULL;
  config->target_lang = NULL;
}

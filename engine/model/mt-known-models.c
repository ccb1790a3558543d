/* mt-known-models.c — what a folder holds that is no Marian model. Three lists, a row for a kind.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-known-models.h"

#include "base/mt-error.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- By model_type ------------------------------------------------------------------------- */

#define OTHER   "an encoder-decoder of another architecture"
#define ENCODER "an encoder without a decoder"
#define DECODER "a decoder without an encoder"
#define SPEECH  "a model that reads sound"

static const struct {
  const char *type, *name, *kind;
} types[] = {
    /* Encoder-decoders. mBART-50 calls itself mbart, NLLB m2m_100, ByT5 t5. */
    {"bart", "BART", OTHER},
    {"mbart", "mBART", OTHER},
    {"m2m_100", "M2M-100 or NLLB", OTHER},
    {"nllb-moe", "NLLB-MoE", OTHER},
    {"t5", "T5", OTHER},
    {"mt5", "mT5", OTHER},
    {"umt5", "UMT5", OTHER},
    {"longt5", "LongT5", OTHER},
    {"switch_transformers", "Switch Transformers", OTHER},
    {"pegasus", "Pegasus", OTHER},
    {"pegasus_x", "PEGASUS-X", OTHER},
    {"bigbird_pegasus", "BigBird-Pegasus", OTHER},
    {"prophetnet", "ProphetNet", OTHER},
    {"xlm-prophetnet", "XLM-ProphetNet", OTHER},
    {"fsmt", "FSMT (fairseq's translation models)", OTHER},
    {"led", "LED", OTHER},
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

/* ---- By a key of a config.json that has no model_type ------------------------------------------
 */

#define CTRANSLATE2 \
  "a model converted for CTranslate2 (the folder that it was converted from can be opened)"
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

/* ---- By files
 * ------------------------------------------------------------------------------------
 */

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
    {{"model.bin", "shared_vocabulary.json"}, CTRANSLATE2, ALWAYS},
    {{"model.bin", "shared_vocabulary.txt"}, CTRANSLATE2, ALWAYS},
    {{"model.bin", "source_vocabulary.json"}, CTRANSLATE2, ALWAYS},
    {{"model.bin", "source_vocabulary.txt"}, CTRANSLATE2, ALWAYS},
    {{"model.bin", "vocabulary.json"}, CTRANSLATE2, ALWAYS},
    {{"model.bin", "vocabulary.txt"}, CTRANSLATE2, ALWAYS},
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
                                          "target.spm"};

static bool
ends_with(const char *name, const char *ending)
{
  size_t n = strlen(name), m = strlen(ending);
  return n > m && strcmp(name + n - m, ending) == 0;
}

/* Whether a file with that ending lies right in the folder; `name` is what it is called. */
#define FOUND_SIZE 100
static bool
has_ending(const mt_dir *dir, const char *ending, char found_name[FOUND_SIZE])
{
  bool found = false;
  if (dir->zip) {
    size_t skip = strlen(dir->zip_folder);
    for (size_t i = 0; !found && i < mt_zip_count(dir->zip); i++) {
      const char *name = mt_zip_get(dir->zip, i)->name + skip;
      found = !strchr(name, '/') && ends_with(name, ending);
      snprintf(found_name, FOUND_SIZE, "%.*s", found ? FOUND_SIZE - 1 : 0, name);
    }
    return found;
  }
  int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = fd >= 0 ? fdopendir(fd) : NULL;
  if (!listing) {
    if (fd >= 0)
      close(fd);
    return false;
  }
  for (const struct dirent *entry; !found && (entry = readdir(listing));) {
    found = ends_with(entry->d_name, ending);
    snprintf(found_name, FOUND_SIZE, "%.*s", found ? FOUND_SIZE - 1 : 0, entry->d_name);
  }
  closedir(listing);
  return found;
}

static bool
has(const mt_dir *dir, const char *file, char found_name[FOUND_SIZE])
{
  found_name[0] = '\0';
  return file[0] == '*' ? has_ending(dir, file + 1, found_name) : mt_dir_has(dir, file);
}

bool
mt_known_models_check_folder(const mt_dir *dir, mt_error *error)
{
  bool has_config = mt_dir_has(dir, "config.json"), has_weights = false;
  char name[FOUND_SIZE], other[FOUND_SIZE];
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
                     "%s: expected a Marian model, such as those of OPUS-MT, found %s%s%s.",
                     dir->name, *name ? name : "", *name ? ", " : "", folders[i].what);
  }
  return true;
}

bool
mt_known_models_check_config(const mt_json *config, mt_error *error)
{
  static const char expected[] = "expected a Marian model, such as those of OPUS-MT";
  const char *type = NULL;
  if (!mt_json_get_string(config, "model_type", &type, error))
    return false;
  if (type && strcmp(type, "marian") == 0)
    return true;
  for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].type, type) == 0)
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "%s: %s, found %s (model_type \"%s\"), %s, which this program does not run.",
                     config->label, expected, types[i].name, type, types[i].kind);
  if (type)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: %s (model_type \"marian\"), found model_type \"%.100s\".", config->label,
                   expected, type);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (mt_json_get(config, keys[i].key))
      return mt_fail(error, MT_ERROR_UNSUPPORTED, "%s: %s, found %s.", config->label, expected,
                     keys[i].what);
  return mt_fail(error, MT_ERROR_FORMAT, "%s: expected model_type \"marian\", found no model_type.",
                 config->label);
}

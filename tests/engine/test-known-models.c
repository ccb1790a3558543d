/* test-known-models.c — folders that hold something else than a Marian model: the error says what.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model-dir.h"

#include <glib/gstdio.h>
#include <string.h>
#include <zip.h>

#define U  MT_ERROR_UNSUPPORTED
#define F  MT_ERROR_FORMAT
#define IO MT_ERROR_IO

/* ---- config.json of other architectures -------------------------------------------------------
 */

/* As the models that are published under these types have it, cut down to what tells them apart. */
static const struct {
  const char *config;
  mt_error_code code;
  const char *words;
} configs[] = {
    {"{\"model_type\": \"mbart\", \"architectures\": [\"MBartForConditionalGeneration\"]}", U,
     "/config.json: expected a Marian model, such as those of OPUS-MT, found mBART (model_type "
     "\"mbart\"), an encoder-decoder of another architecture, which this program does not run."},
    {"{\"model_type\": \"bart\", \"d_model\": 1024}", U, "found BART (model_type \"bart\")"},
    {"{\"model_type\": \"m2m_100\"}", U, "found M2M-100 or NLLB (model_type \"m2m_100\")"},
    {"{\"model_type\": \"t5\", \"d_ff\": 2048}", U, "found T5 (|another architecture"},
    {"{\"model_type\": \"mt5\"}", U, "found mT5 ("},
    {"{\"model_type\": \"pegasus\"}", U, "found Pegasus ("},
    {"{\"model_type\": \"prophetnet\"}", U, "found ProphetNet ("},
    {"{\"model_type\": \"fsmt\", \"langs\": [\"en\", \"de\"]}", U, "found FSMT (fairseq"},
    {"{\"model_type\": \"whisper\"}", U, "found Whisper (|reads sound"},
    {"{\"model_type\": \"bert\"}", U, "found BERT (|without a decoder"},
    {"{\"model_type\": \"xlm-roberta\"}", U, "found XLM-RoBERTa (|without a decoder"},
    {"{\"model_type\": \"gpt2\"}", U, "found GPT-2 (|without an encoder"},
    {"{\"model_type\": \"llama\"}", U, "found Llama (|without an encoder"},
    {"{\"model_type\": \"newest-thing\"}", U, "model_type \"marian\"|found model_type \"newest-"},
    {"{\"model_type\": \"Marian\"}", U, "found model_type \"Marian\""},
    {"{\"model_type\": 3}", F, "model_type|3"},
    {"{\"model_type\": null}", F, "no model_type"},
    {"{}", F, "no model_type"},
    /* CTranslate2's own, an adapter's, a pipeline's: they have no model_type. */
    {"{\"add_source_bos\": false, \"add_source_eos\": false, \"bos_token\": \"<s>\"}", U,
     "/config.json: |found a model converted for CTranslate2"},
    {"{\"peft_type\": \"LORA\", \"r\": 8}", U, "/config.json: |an adapter (PEFT)"},
    {"{\"_diffusers_version\": \"0.3\"}", U, "Diffusers"},
};

static void
test_configs(void)
{
  model_dir *dir = model_dir_new();
  for (gsize i = 0; i < G_N_ELEMENTS(configs); i++) {
    model_dir_write(dir, "config.json", configs[i].config, -1);
    model_open_bad(dir->path, configs[i].code, configs[i].words);
  }
  model_dir_free(dir);
}

/* ---- Folders by their files -------------------------------------------------------------------
 */

static const struct {
  const char *files[4]; /* those that make the kind, and others beside them */
  mt_error_code code;
  const char *words;
} folders[] = {
    {{"model.bin", "shared_vocabulary.json", "config.json"}, U, "found a model converted for CTra"},
    {{"model.bin", "shared_vocabulary.txt"}, U, "CTranslate2|converted from"},
    {{"model.bin", "source_vocabulary.json", "target_vocabulary.json"}, U, "CTranslate2"},
    {{"modules.json", "config_sentence_transformers.json", "config.json"},
     U,
     "found a sentence-transformers model"},
    {{"adapter_config.json", "adapter_model.safetensors"}, U, "found an adapter (PEFT)"},
    {{"llama-3-8b.Q4_K_M.gguf", "README.md"}, U, "found a GGUF file"},
    {{"ggml-model.ggml"}, U, "GGML"},
    {{"saved_model.pb", "variables"}, U, "TensorFlow SavedModel"},
    {{"encoder_model.onnx", "decoder_model.onnx", "vocab.json"}, U, "found an ONNX model"},
    {{"averaged-10-epoch.pt", "source.spm"}, U, "OpenNMT-py or fairseq"},
    {{"model.pt", "dict.en.txt", "dict.de.txt"}, U, "OpenNMT-py or fairseq"},
    {{"source.spm", "target.spm", "vocab.json", "tokenizer_config.json"},
     U,
     "found only the files of a tokenizer"},
    {{"tokenizer.json"}, U, "only the files of a tokenizer"},
    {{"refs", "snapshots", "blobs"}, U, "download cache|snapshots"},
    /* Half a copy of what could be opened: the file that is missing is named. */
    {{"model.safetensors", "source.spm", "vocab.json"}, IO, "/config.json: expected this file"},
    {{"pytorch_model.bin", "tokenizer_config.json"}, IO, "/config.json: expected this file"},
    /* Nothing to go by. */
    {{"README.md", ".gguf", "notes.txt"}, IO, "/config.json: expected this file"},
};

static void
test_folders(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
    g_autofree char *path = g_dir_make_tmp("regard-kind-XXXXXX", NULL);
    for (gsize k = 0; k < 4 && folders[i].files[k]; k++) {
      g_autofree char *file = g_build_filename(path, folders[i].files[k], NULL);
      /* A config.json that would do: the other files decide. */
      const char *content = strcmp(folders[i].files[k], "config.json") == 0
                                ? "{\"model_type\": \"marian\"}"
                                : "something";
      g_assert_true(g_file_set_contents(file, content, -1, NULL));
    }
    model_open_bad(path, folders[i].code, folders[i].words);
    for (gsize k = 0; k < 4 && folders[i].files[k]; k++) {
      g_autofree char *file = g_build_filename(path, folders[i].files[k], NULL);
      g_assert_cmpint(g_remove(file), ==, 0);
    }
    g_assert_cmpint(g_rmdir(path), ==, 0);
  }
}

/* A Marian folder with files of other programs beside its own is a Marian folder. */
static void
test_beside(void)
{
  static const char *const files[] = {"model.gguf",   "encoder_model.onnx",  "model.pt",
                                      "modules.json", "adapter_config.json", "tokenizer.json"};
  model_dir *dir = model_dir_new();
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
    model_dir_write(dir, files[i], "something", -1);
  mt_model_unref(model_open_good(dir->path));
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
    model_dir_remove(dir, files[i]);
  model_dir_free(dir);
}

/* The same of archives, whose files may lie in one folder; and PyTorch's own files are archives. */
static void
test_archives(void)
{
  static const struct {
    const char *file, *words;
  } archives[] = {
      {"voice/model.q4.gguf", "found a GGUF file"},
      {"archive/data.pkl", "found a PyTorch file alone"},
      {"adapter/adapter_config.json", "an adapter (PEFT)"},
      {"deep/down/model.gguf", "config.json: expected this file"},
  };
  g_autofree char *folder = g_dir_make_tmp("regard-kind-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "something.zip", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(archives); i++) {
    int code;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    g_assert_nonnull(zip);
    /* Two, so that the first folder is common to both. */
    g_autofree char *first = g_path_get_dirname(archives[i].file);
    char *slash = strchr(first, '/');
    if (slash)
      *slash = '\0';
    g_autofree char *readme = g_build_filename(first, "README.md", NULL);
    const char *const names[] = {readme, archives[i].file};
    for (gsize k = 0; k < G_N_ELEMENTS(names); k++)
      g_assert_cmpint(zip_file_add(zip, names[k], zip_source_buffer(zip, "some text", 9, 0),
                                   ZIP_FL_ENC_UTF_8),
                      >=, 0);
    g_assert_cmpint(zip_close(zip), ==, 0);
    model_open_bad(path, i == 3 ? IO : U, archives[i].words);
  }
  g_assert_cmpint(g_remove(path), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/known-models/configs", test_configs);
  g_test_add_func("/known-models/folders", test_folders);
  g_test_add_func("/known-models/beside", test_beside);
  g_test_add_func("/known-models/archives", test_archives);
  return g_test_run();
}

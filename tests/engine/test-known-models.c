/* test-known-models.c — folders that hold something else than a model that is run: the error says
 * what.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model-dir.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
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
    {"{\"model_type\": \"led\", \"architectures\": [\"LEDForConditionalGeneration\"]}", U,
     "/config.json: expected a model of a family that is run (Marian, BART|, found LED (model_type "
     "\"led\"), an encoder-decoder whose attention does not see every token, which this program "
     "does "
     "not run."},
    {"{\"model_type\": \"bigbird_pegasus\"}", U, "found BigBird-Pegasus|does not see every token"},
    {"{\"model_type\": \"nllb-moe\"}", U, "found NLLB-MoE|mixture of experts"},
    {"{\"model_type\": \"longt5\", \"d_ff\": 2048}", U, "found LongT5 (|every token"},
    {"{\"model_type\": \"plbart\"}", U, "found PLBART (|another architecture"},
    {"{\"model_type\": \"prophetnet\"}", U, "found ProphetNet (|several streams"},
    {"{\"model_type\": \"fsmt\", \"langs\": [\"en\", \"de\"]}", U, "found FSMT (fairseq"},
    {"{\"model_type\": \"whisper\"}", U, "found Whisper (|reads sound and has no source tokens"},
    {"{\"model_type\": \"bert\"}", U, "found BERT (|without a decoder"},
    {"{\"model_type\": \"xlm-roberta\"}", U, "found XLM-RoBERTa (|without a decoder"},
    {"{\"model_type\": \"gpt2\"}", U, "found GPT-2 (|without an encoder"},
    {"{\"model_type\": \"llama\"}", U, "found Llama (|without an encoder"},
    {"{\"model_type\": \"newest-thing\"}", U, "is run (Marian|found model_type \"newest-"},
    {"{\"model_type\": \"Marian\"}", U, "found model_type \"Marian\""},
    {"{\"model_type\": 3}", F, "model_type|3"},
    {"{\"model_type\": null}", F, "no model_type"},
    {"{}", F, "no model_type"},
    /* CTranslate2's own, an adapter's, a pipeline's: they have no model_type. */
    {"{\"add_source_bos\": false, \"add_source_eos\": false, \"bos_token\": \"<s>\"}", U,
     "/config.json: |a CTranslate2 model without its model.bin"},
    {"{\"peft_type\": \"LORA\", \"r\": 8}", U, "/config.json: |an adapter (PEFT)"},
    {"{\"_diffusers_version\": \"0.3\"}", U, "Diffusers"},
};

static void
test_configs(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  g_assert_true(mt_model_type_is_run("marian"));
  for (gsize i = 0; i < G_N_ELEMENTS(configs); i++) {
    g_auto(GStrv) words = g_strsplit(configs[i].config, "\"", 5); /* {"model_type": "mbart" … */
    g_assert_false(g_strv_length(words) == 5 && mt_model_type_is_run(words[3]));
    model_dir_write(dir, "config.json", configs[i].config, -1);
    model_open_bad(dir->path, configs[i].code, configs[i].words);
  }
}

/* ---- Folders by their files -------------------------------------------------------------------
 */

static const struct {
  const char *files[4]; /* those that make the kind, and others beside them */
  mt_error_code code;
  const char *words;
} folders[] = {
    {{"model.bin", "shared_vocabulary.json", "config.json"},
     U,
     "/model.bin: expected a file of CTranslate2"},
    {{"model.bin", "shared_vocabulary.txt"}, U, "/model.bin: expected a file of CTranslate2"},
    {{"model.bin", "source_vocabulary.json", "target_vocabulary.json"},
     U,
     "/model.bin: expected a file of CTranslate2"},
    {{"model.bin", "vocabulary.txt", "config.json"},
     U,
     "/model.bin: expected a file of CTranslate2"},
    {{"modules.json", "config_sentence_transformers.json", "config.json"},
     U,
     "found a sentence-transformers model"},
    {{"adapter_config.json", "adapter_model.safetensors"}, U, "found an adapter (PEFT)"},
    {{"llama-3-8b.Q4_K_M.gguf", "README.md"}, U, "a GGUF file"},
    {{"ggml-model.ggml"}, U, "GGML"},
    {{"saved_model.pb", "variables"}, U, "TensorFlow SavedModel"},
    {{"encoder_model.onnx", "decoder_model.onnx", "vocab.json"},
     U,
     "coder_model.onnx, an ONNX model"},
    {{"averaged-10-epoch.pt", "source.spm"}, U, "OpenNMT-py or fairseq"},
    {{"onnx", "config.json", "source.spm"}, U, "found an ONNX model"},
    {{"encoder_model.onnx", "config.json", "vocab.json"},
     U,
     "found encoder_model.onnx, an ONNX model, which is not read|model.safetensors"},
    {{"adapter_config.json", "config.json", "vocab.json"}, U, "found an adapter (PEFT)|merge"},
    {{"opus-mt.tgz"}, U, "found opus-mt.tgz, an archive that is to be unpacked first."},
    {{"en-de.tar.gz", "config.json"}, U, "found en-de.tar.gz, an archive"},
    {{"opus-2020.zip"}, U, "found opus-2020.zip, a zip archive: open that."},
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
  g_autoptr(model_dir) dir = model_dir_new();
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
    /* Of this one transformers takes the added tokens. */
    model_dir_write(dir, files[i],
                    strcmp(files[i], "tokenizer.json") == 0 ? "{\"model\": {}}" : "something", -1);
  mt_model_unref(model_open_good(dir->path));
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
    model_dir_remove(dir, files[i]);
}

/* The same of archives, whose files may lie in one folder; and PyTorch's own files are archives. */
static void
test_archives(void)
{
  static const struct {
    const char *file, *words;
  } archives[] = {
      {"voice/model.q4.gguf", "a GGUF file"},
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

/* A download cache has links to files that may not have come: none of them passes for a file that
 * is not there, whether it is needed or not. What it has is called by the model, not by the commit.
 */
static void
test_dangling(void)
{
  static const char *const files[] = {"config.json",       "generation_config.json",
                                      "source.spm",        "added_tokens.json",
                                      "model.safetensors", "tokenizer_config.json"};
  g_autoptr(model_dir) dir = model_dir_new();
  g_autofree char *cache = g_dir_make_tmp("regard-cache-XXXXXX", NULL);
  g_autofree char *snapshots =
      g_build_filename(cache, "models--Helsinki-NLP--opus-mt-en-de", "snapshots", NULL);
  g_autofree char *snapshot = g_build_filename(snapshots, "0123abcd", NULL);
  g_assert_cmpint(g_mkdir_with_parents(snapshots, 0700), ==, 0);
  g_assert_cmpint(g_rename(dir->path, snapshot), ==, 0);
  mt_model *model = model_open_good(snapshot);
  g_assert_cmpstr(mt_model_name(model), ==, "opus-mt-en-de");
  mt_model_unref(model);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename(snapshot, files[i], NULL);
    g_autofree char *kept = g_build_filename(cache, "kept", NULL);
    gboolean is_there = g_rename(path, kept) == 0;
    g_assert_cmpint(symlink("../../blobs/ef01", path), ==, 0);
    g_autofree char *words =
        g_strdup_printf("opus-mt-en-de/%s: expected this file, found a link to nothing: this file "
                        "was not downloaded whole (download it again).",
                        files[i]);
    model_open_bad(snapshot, IO, words);
    g_assert_cmpint(g_remove(path), ==, 0);
    g_assert_true(!is_there || g_rename(kept, path) == 0);
  }
  mt_model_unref(model_open_good(snapshot));
  g_assert_cmpint(g_rename(snapshot, dir->path), ==, 0);
  g_assert_cmpint(g_rmdir(snapshots), ==, 0);
  g_autofree char *name = g_path_get_dirname(snapshots);
  g_assert_cmpint(g_rmdir(name), ==, 0);
  g_assert_cmpint(g_rmdir(cache), ==, 0);
}

/* A file that is cut off, inside a piece or between two, and files that are archives. */
static void
test_cut_off(void)
{
  static const gsize lengths[] = {20, 800, 1};
  model_dir *dir = model_dir_new();
  gsize n;
  g_autofree char *spm = model_dir_read(dir, "source.spm", &n);
  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    model_dir_write(dir, "source.spm", spm, (gssize) lengths[i]);
    g_autofree char *words = g_strdup_printf(
        "/source.spm: expected a whole SentencePiece model, found its end after %zu bytes",
        lengths[i]);
    model_open_bad(dir->path, F, words);
  }
  /* The first piece alone: \n, its length, itself. */
  model_dir_write(dir, "source.spm", spm, 2 + spm[1]);
  model_open_bad(dir->path, F, "/source.spm: expected a whole SentencePiece model|cut off");
  model_dir_write(dir, "source.spm", "<no model>", -1);
  model_open_bad(dir->path, F, "found 10 bytes of something else");
  model_dir_free(dir);

  static const struct {
    const char *start, *words;
  } archives[] = {
      {"\x1f\x8b\x08", "found a gzip archive (.tgz, .tar.gz), which is to be unpacked first."},
      {"\xfd"
       "7zXZ",
       "found an xz archive"},
      {"BZh91AY", "found a bzip2 archive"},
      {"something", "found another file."},
  };
  g_autofree char *folder = g_dir_make_tmp("regard-kind-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "opus-mt-en-de.tgz", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(archives); i++) {
    g_assert_true(g_file_set_contents(path, archives[i].start, -1, NULL));
    model_open_bad(path, IO, archives[i].words);
  }
  g_assert_cmpint(g_remove(path), ==, 0);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
}

TESTS()
{
  g_test_add_func("/known-models/configs", test_configs);
  g_test_add_func("/known-models/folders", test_folders);
  g_test_add_func("/known-models/beside", test_beside);
  g_test_add_func("/known-models/archives", test_archives);
  g_test_add_func("/known-models/dangling", test_dangling);
  g_test_add_func("/known-models/cut-off", test_cut_off);
}

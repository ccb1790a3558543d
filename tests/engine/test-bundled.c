/* test-bundled.c — the files of the bundled model are, byte for byte, the ones that were measured.
 *
 * The hashes are those of the model as trained; its card (models/en-de/README.md) states scores
 * that hold for these bytes only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <mt.h>
#include <string.h>

#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

typedef struct {
  const char *name, *sha256;
} file_hash;

static const file_hash hashes[] = {
    {"config.json", "fa7f36db8598b764795fe40dd46f7abc320c1870e89ffc528c57a7d0bd1d75f5"},
    {"generation_config.json", "ef370e28513e69e105b8c90adde3f4a4d1838fd55354d924d1e3940e02a4dbfb"},
    {"model.safetensors", "7b2a55f0fa8528549e8f4e1868166508516c3ba188db84e12d6003e558a94993"},
    {"source.spm", "67608435ebd628710d600f2a7fa208cb503ced0a8a4ca3edd2ea9f16a20ec4df"},
    {"target.spm", "67608435ebd628710d600f2a7fa208cb503ced0a8a4ca3edd2ea9f16a20ec4df"},
    {"tokenizer_config.json", "028c9de313c055db5ac0e5c1ece7595691cd627f29e00b6ae4a84b376dd63576"},
    {"vocab.json", "310bc8c820e01be7628e869f0fc1a485f5e4bb64e8f3bd271448726c0a516771"},
};

/* What of the words and signs in reading-30-signs.keep.txt this model keeps: its card says 88, with
 * AVX-512; on another processor a close choice or two may go otherwise. */
#define SIGNS_KEPT 86

static void
test_hash(const void *data)
{
  const file_hash *f = data;
  g_autofree char *relative = g_build_filename("models/en-de", f->name, NULL);
  g_autofree char *path = golden_path(relative);
  GError *error = NULL;
  GMappedFile *file = g_mapped_file_new(path, FALSE, &error);
  if (!file)
    g_error("%s", error->message);
  g_autofree char *found =
      g_compute_checksum_for_data(G_CHECKSUM_SHA256,
                                  (const guchar *) g_mapped_file_get_contents(file),
                                  g_mapped_file_get_length(file));
  g_assert_cmpstr(found, ==, f->sha256);
  g_mapped_file_unref(file);
}

/* Nothing else lies in the directory but its card and what was measured of it. */
static void
test_no_other_files(void)
{
  g_autofree char *path = golden_path("models/en-de");
  GDir *dir = g_dir_open(path, 0, NULL);
  g_assert_nonnull(dir);
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    gboolean known = g_str_equal(name, "README.md") || g_str_equal(name, "means.npz") ||
                     g_str_equal(name, MT_SOURCE_CONTRIBUTION_FILE) ||
                     g_str_equal(name, "alignment.json") ||
                     g_str_equal(name, "everyday.regard-corpus");
    for (size_t i = 0; i < G_N_ELEMENTS(hashes); i++)
      known |= g_str_equal(name, hashes[i].name);
    if (!known)
      g_error("models/en-de holds %s, which has no recorded hash", name);
  }
  g_dir_close(dir);
}

/* The shape that the card states. */
static void
test_shape(void)
{
  g_autofree char *path = golden_path("models/en-de");
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(path, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  const mt_config *config = mt_model_config(model);
  g_assert_cmpuint(config->d_model, ==, 256);
  for (int stack = 0; stack < MT_N_STACKS; stack++) {
    g_assert_cmpuint(config->n_layers[stack], ==, 6);
    g_assert_cmpuint(config->n_heads[stack], ==, 8);
    g_assert_cmpuint(config->d_ffn[stack], ==, 1024);
    g_assert_cmpuint(config->vocab_size[stack], ==, 24001);
  }
  g_assert_cmpint(config->position_kind, ==, MT_POSITIONS_SINUSOIDAL_HALVES);
  g_assert_cmpint(config->activation, ==, MT_ACTIVATION_RELU);
  g_assert_false(config->normalize_before);
  g_assert_cmpuint(mt_model_n_parameters(model), ==, 17227457);
  g_assert_cmpstr(mt_model_name(model), ==, "en-de");
}

/* Its means are its own (tools/means makes them anew), and the text that they are of is here. */
static void
test_means(void)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("models/en-de/means.npz");
  g_autoptr(mt_model) model = sentences_model("models/en-de");
  g_autoptr(mt_means) means = mt_means_read(file, model, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autofree char *relative = g_build_filename("tests/data", means->text, NULL);
  g_autofree char *text = golden_path(relative);
  g_assert_true(g_file_test(text, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpuint(means->n_sentences, >=, 200);
}

/* What its heads do over a text (tools/corpus makes it anew) is its own, is small, and has effects;
 * and there are thresholds of trust. */
static void
test_measured(void)
{
  mt_error error = {0};
  g_autofree char *file = golden_path("models/en-de/everyday.regard-corpus");
  g_autoptr(mt_model) model = sentences_model("models/en-de");
  g_autoptr(mt_corpus) corpus = mt_corpus_open(file, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(mt_corpus_check_model(corpus, model, &error));
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  g_assert_true(about->is_complete && about->has_effects);
  g_assert_cmpuint(about->n_sentences, ==, 600);
  mt_source_contribution_thresholds thresholds;
  g_assert_true(mt_source_contribution_thresholds_of_model(&thresholds, model, &error));
  g_assert_cmpuint(thresholds.n_sentences, >=, 1000);
  g_autofree char *bytes = NULL;
  gsize n_bytes;
  g_assert_true(g_file_get_contents(file, &bytes, &n_bytes, NULL));
  g_assert_cmpuint(n_bytes, <=, 3000000);
}

/* Names, letters, figures and signs come through: of 30 sentences, a line of alternatives each
 * ("3,50|3.50"), whatever is there of every line is counted. */
static void
test_signs(void)
{
  g_autofree char *texts_path = golden_path("tests/data/reading-30-signs.en.txt");
  g_autofree char *keep_path = golden_path("tests/data/reading-30-signs.keep.txt");
  g_autofree char *texts = NULL, *keep = NULL;
  if (!g_file_get_contents(texts_path, &texts, NULL, NULL) ||
      !g_file_get_contents(keep_path, &keep, NULL, NULL))
    g_error("tests/data/reading-30-signs cannot be read");
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("models/en-de");
  g_autoptr(mt_session) session = model ? mt_session_new(model, NULL, &error) : NULL;
  if (!session)
    g_error("%s", error.message);
  g_auto(GStrv) lines = g_strsplit(g_strchomp(texts), "\n", -1);
  g_auto(GStrv) kept = g_strsplit(g_strchomp(keep), "\n", -1);
  g_assert_cmpuint(g_strv_length(lines), ==, 30);
  g_assert_cmpuint(g_strv_length(kept), ==, 30);
  int n = 0, n_there = 0;
  for (size_t i = 0; lines[i]; i++) {
    g_autoptr(mt_translation) translation =
        mt_session_translate(session, lines[i], NULL, NULL, &error);
    if (!translation)
      g_error("%s", error.message);
    const char *text = mt_translation_hypothesis(translation, 0)->text;
    g_auto(GStrv) words = g_strsplit(kept[i], "\t", -1);
    for (char **word = words; *word; word++) {
      g_auto(GStrv) ways = g_strsplit(*word, "|", -1);
      bool there = false;
      for (char **way = ways; *way; way++)
        there |= strstr(text, *way) != NULL;
      n++;
      n_there += there;
      if (!there)
        g_test_message("'%s' is not in '%s'", *word, text);
    }
  }
  g_test_message("%d of %d", n_there, n);
  g_assert_cmpint(n_there, >=, SIGNS_KEPT);
}

TESTS()
{
  for (size_t i = 0; i < G_N_ELEMENTS(hashes); i++)
    suite_add(&hashes[i], test_hash, "/bundled/sha256/%s", hashes[i].name);
  g_test_add_func("/bundled/no-other-files", test_no_other_files);
  g_test_add_func("/bundled/shape", test_shape);
  g_test_add_func("/bundled/means", test_means);
  g_test_add_func("/bundled/measured", test_measured);
  g_test_add_func("/bundled/signs", test_signs);
}

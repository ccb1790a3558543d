/* test-marian-broken.c — checkpoints of Marian that must be refused, and what is said then.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "marian-dir.h"
#include "npz-build.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define NPZ   "opus.spm32k-spm32k.transformer-align.model1.npz.best-perplexity.npz"
#define VOCAB "opus.spm32k-spm32k.vocab.yml"

static void
refuse(const marian_dir *dir, mt_error_code code, const char *words)
{
  model_open_bad(dir->dir->path, code, words);
}

/* ---- Arrays -----------------------------------------------------------------------------------
 */

/* Replace an array by bytes, and expect this. */
static void
refuse_array(const char *name, GBytes *npy, mt_error_code code, const char *words)
{
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  marian_dir_set(dir, name, npy);
  marian_dir_write(dir, FALSE);
  refuse(dir, code, words);
  /* Compressed, the same is refused after it was inflated. */
  marian_dir_write(dir, TRUE);
  refuse(dir, code, words);
}

static void
test_arrays(void)
{
  static const float zeros[96] = {0};
  const char *name = "encoder_l1_ffn_W1"; /* [8][12] */
  refuse_array(name, npy_bytes("<f4", "(12, 8)", zeros, 384), MT_ERROR_FORMAT,
               NPZ ": expected tensor \"encoder_l1_ffn_W1\" of shape [8][12], found [12][8].");
  refuse_array(name, npy_bytes("<f4", "(96,)", zeros, 384), MT_ERROR_FORMAT, "found [96].");
  refuse_array(name, npy_bytes("<f4", "(2, 2, 2, 2, 6)", zeros, 384), MT_ERROR_UNSUPPORTED,
               "expected at most 4 dimensions, found 5");
  refuse_array(name, npy_bytes("<f4", "(8, 12)", zeros, 380), MT_ERROR_FORMAT,
               "expected 384 bytes for the shape (8,12) of '<f4', found 380");
  refuse_array(name, npy_bytes("<f4", "(8, 13)", zeros, 384), MT_ERROR_FORMAT,
               "expected 416 bytes for the shape (8,13) of '<f4', found 384");
  refuse_array(name, npy_bytes("<f4", "(4294967296, 4294967296)", zeros, 384), MT_ERROR_FORMAT,
               "needs more than there can be");
  refuse_array(name, npy_bytes("<f4", "(18446744073709551616, 1)", zeros, 384), MT_ERROR_FORMAT,
               "encoder_l1_ffn_W1.npy: expected a header");
  refuse_array(name, npy_bytes("<f4", "(-8, 12)", zeros, 384), MT_ERROR_FORMAT,
               "expected a header");
  refuse_array(name, npy_bytes(">f4", "(8, 12)", zeros, 384), MT_ERROR_UNSUPPORTED, "big-endian");
  refuse_array(name, npy_bytes("|O", "(8, 12)", zeros, 384), MT_ERROR_UNSUPPORTED,
               "pickled objects");
  refuse_array(name, npy_bytes("<i4", "(8, 12)", zeros, 384), MT_ERROR_UNSUPPORTED,
               "expected tensor \"encoder_l1_ffn_W1\" in F32, F16, BF16 or F64, found I32");
  refuse_array(name,
               npy_bytes_raw(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (8, 12), }\n",
                             zeros, 384),
               MT_ERROR_UNSUPPORTED, "fortran_order");
  refuse_array(name, g_bytes_new_static("nothing", 7), MT_ERROR_FORMAT,
               "expected a NumPy array (.npy)");
  refuse_array(name, NULL, MT_ERROR_FORMAT,
               NPZ ": expected tensor \"encoder_l1_ffn_W1\", found no such tensor.");
  refuse_array("Wemb", NULL, MT_ERROR_FORMAT, "expected tensor \"Wemb\", found no such tensor.");
  refuse_array("decoder_l2_context_Wo_ln_scale", npy_bytes("<f4", "(2, 4)", zeros, 32),
               MT_ERROR_FORMAT, "of shape [8], found [2][4]");
  refuse_array("Wemb", npy_bytes("<f4", "(12, 8)", zeros, 384), MT_ERROR_FORMAT,
               "expected tensor \"Wemb\" of shape [");
  refuse_array("decoder_l3_self_Wq", npy_bytes("<f4", "(4, 4)", zeros, 64), MT_ERROR_FORMAT,
               "expected 2 layers in the decoder as special:model.yml says, found tensor "
               "\"decoder_l3_self_Wq\"");
  refuse_array("encoder_l1_self_Wq_QuantMultA", npy_bytes("<f4", "(1, 1)", zeros, 4),
               MT_ERROR_UNSUPPORTED, "weights packed as integers");
  /* Dots are underscores, so this is one name twice. */
  refuse_array("encoder.l1.self.Wq", npy_bytes("<f4", "(8, 8)", zeros, 256), MT_ERROR_FORMAT,
               "expected each tensor once, found \"encoder_l1_self_Wq\"");
}

static void
test_not_finite(void)
{
  static const float bad[] = {NAN, INFINITY, -INFINITY};
  /* Transposed, copied with a row of zeros behind, and used where it lies. */
  static const char *const names[] = {"decoder_l1_self_Wv", "Wemb", "encoder_l1_ffn_b1"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
    marian_dir_floats(dir, names[i])[7] = bad[i];
    marian_dir_write(dir, FALSE);
    g_autofree char *words =
        g_strdup_printf("expected finite numbers in tensor \"%s\", found an infinity", names[i]);
    refuse(dir, MT_ERROR_FORMAT, words);
  }
  static const double wide[8] = {0, 0, 0, 1e39};
  refuse_array("encoder_l1_ffn_b2", npy_bytes("<f8", "(1, 8)", wide, sizeof wide), MT_ERROR_FORMAT,
               "expected finite numbers in tensor \"encoder_l1_ffn_b2\"");
}

static void
test_archive(void)
{
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  gsize size;
  g_autofree char *bytes = model_dir_read(dir->dir, dir->weights, &size);
  for (gsize n = 1; n < size; n += n < 100 ? 7 : 997) {
    model_dir_write(dir->dir, dir->weights, bytes, (gssize) n);
    refuse(dir, MT_ERROR_FORMAT, NPZ);
  }
  /* One bit of a number, or of the configuration, gives another good one. */
  static const char *const members[] = {"encoder_l1_ffn_b2", "special:model.yml"};
  marian_dir_write(dir, FALSE);
  gsize n_stored;
  g_autofree char *stored = model_dir_read(dir->dir, dir->weights, &n_stored);
  for (guint i = 0; i < G_N_ELEMENTS(members); i++) {
    g_autofree char *flipped = g_memdup2(stored, n_stored);
    g_autofree char *member = g_strconcat(members[i], ".npy", NULL);
    g_autofree char *words =
        g_strdup_printf(NPZ ": expected \"%s\" to have the check sum (CRC-32) ", member);
    *npz_elements(flipped, n_stored, member) ^= 1;
    model_dir_write(dir->dir, dir->weights, flipped, (gssize) n_stored);
    refuse(dir, MT_ERROR_FORMAT, words);
  }
  model_dir_write(dir->dir, dir->weights, "\x93NUMPY\1\0", 8);
  refuse(dir, MT_ERROR_FORMAT, NPZ ": expected a NumPy archive (.npz), found a single array");
  model_dir_write(dir->dir, dir->weights, "", 0);
  refuse(dir, MT_ERROR_FORMAT, NPZ ": expected some content, found an empty file");

  /* 3 MB of zeros from a few kB, in an array that is looked at. */
  g_autofree guint8 *zeros = g_malloc0(3 << 20);
  marian_dir_set(dir, "encoder_l1_ffn_W1", npy_bytes("<f4", "(512, 1536)", zeros, 3 << 20));
  marian_dir_write(dir, TRUE);
  refuse(dir, MT_ERROR_FORMAT, "of shape [8][12], found [512][1536]");
}

/* ---- special:model.yml ------------------------------------------------------------------------
 */

static void
refuse_yml(const char *old, const char *new, mt_error_code code, const char *words)
{
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  marian_dir_replace_yml(dir, old, new);
  marian_dir_write(dir, FALSE);
  refuse(dir, code, words);
}

static void
test_model_yml(void)
{
  static const struct {
    const char *old, *new, *words;
  } unsupported[] = {
      {"type: transformer", "type: s2s", "expected type \"transformer\", found \"s2s\""},
      {"type: transformer", "type: amun", "found \"amun\", which is not supported"},
      {"right-left: false", "right-left: true", "expected right-left \"false\", found \"true\""},
      {"self-attention", "average-attention",
       "expected transformer-decoder-autoreg \"self-attention\", found \"average-attention\""},
      {"self-attention", "rnn", "found \"rnn\""},
      {"transformer-no-projection: false", "transformer-no-projection: true",
       "expected transformer-no-projection \"false\""},
      {"transformer-tied-layers: \n  []", "transformer-tied-layers: [1, 1]",
       "expected transformer-tied-layers to be empty, found \"1\""},
      {"transformer-ffn-depth: 2", "transformer-ffn-depth: 3",
       "expected transformer-ffn-depth \"2\", found \"3\""},
      {"ulr: false", "ulr: true", "expected ulr \"false\""},
      {"ulr: false", "lemma-dim-emb: 64", "expected lemma-dim-emb \"0\", found \"64\""},
      {"ulr: false", "transformer-no-bias: true", "expected transformer-no-bias"},
      {"ulr: false", "transformer-attention-mask: alibi", "expected transformer-attention-mask"},
      {"input-types: []", "input-types: [sequence, class]",
       "expected input-types \"sequence\", found \"class\""},
      {"transformer-postprocess: dan", "transformer-postprocess: dahn",
       "expected transformer-preprocess \"\" with transformer-postprocess \"dan\", or \"n\" with "
       "\"da\", found \"\" with \"ahn\""},
      {"transformer-preprocess: \"\"", "transformer-preprocess: n", "found \"n\" with \"an\""},
      {"transformer-postprocess: dan", "transformer-postprocess: da", "found \"\" with \"a\""},
      {"transformer-postprocess-emb: d", "transformer-postprocess-emb: a",
       "expected transformer-postprocess-emb \"\", \"d\" or \"n\", found \"a\""},
      {"transformer-postprocess-top: \"\"", "transformer-postprocess-top: dan", "found \"an\""},
      {"transformer-ffn-activation: swish", "transformer-ffn-activation: tanh",
       "expected transformer-ffn-activation relu, swish or gelu, found \"tanh\""},
  };
  for (guint i = 0; i < G_N_ELEMENTS(unsupported); i++)
    refuse_yml(unsupported[i].old, unsupported[i].new, MT_ERROR_UNSUPPORTED, unsupported[i].words);

  static const struct {
    const char *old, *new, *words;
  } wrong[] = {
      {"type: transformer", "", "special:model.yml: expected type \"transformer\", found no type"},
      {"dim-emb: 8", "dim-emb: 0", "expected dim-emb to be a whole number from 1 to 65536"},
      {"dim-emb: 8", "dim-emb: 99999999999999999999", "found \"99999999999999999999\""},
      {"dim-emb: 8", "dim-emb: 16", "of shape ["},
      {"dim-emb: 8", "dim-emb: 9", "expected transformer-heads to divide dim-emb 9, found 2"},
      {"transformer-heads: 2", "transformer-heads: 3", "to divide dim-emb 8, found 3"},
      {"transformer-heads: 2", "transformer-heads: 0", "from 1 to"},
      {"dec-depth: 2", "dec-depth: 3", "expected tensor \"decoder_l3_self_Wq\", found no such"},
      {"dec-depth: 2", "dec-depth: 1", "expected 1 layers in the decoder"},
      {"dec-depth: 2", "dec-depth: 100000", "expected dec-depth to be a whole number"},
      {"enc-depth: 1", "enc-depth: []", "expected enc-depth to be a whole number"},
      {"transformer-dim-ffn: 12", "transformer-dim-ffn: 13", "of shape [8][13], found [8][12]"},
      {"tied-embeddings-all: true", "tied-embeddings-all: maybe", "to be true or false"},
      {"tied-embeddings-all: true", "tied-embeddings-all: false",
       "expected tensor \"encoder_Wemb\", found no such tensor"},
      {"dim-vocabs:", "dim-vocabs: [1]\nx:", "expected dim-vocabs to be two sizes"},
      {"dim-vocabs:", "dim-vocabs: [124, 99]\nx:", "expected two equal sizes in dim-vocabs"},
      {"dim-vocabs:", "dim-vocabs: [77, 77]\nx:",
       "expected ids below the vocabulary size 77 of special:model.yml, found 77"},
      {"dim-vocabs:", "dim-vocabs: [125, 125]\nx:",
       "expected tensor \"Wemb\" of shape [125][8], found [124][8]"},
      {"dim-vocabs:", "dim-vocabs: [1, 1]\nx:", "expected vocabularies of 2 to"},
      {"dim-vocabs:", "dim-vocabs: [-1, 99999999999]\nx:", "expected dim-vocabs to be two sizes"},
      {"version:", "a: &x [*x]\nversion:", "without anchors and aliases"},
      {"version:", "a: [[[[[[[[[[[[[[[[[[[[1]\nversion:", "nested at most 16 deep"},
      {"version:", "] version:", "expected YAML, found an error in line"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
    refuse_yml(wrong[i].old, wrong[i].new, MT_ERROR_FORMAT, wrong[i].words);

  refuse_array("special:model.yml", NULL, MT_ERROR_FORMAT,
               "expected a checkpoint of Marian with \"special:model.yml\" in it, found none");
  static const float number = 1;
  refuse_array("special:model.yml", npy_bytes("<f4", "(1,)", &number, 4), MT_ERROR_FORMAT,
               "expected \"special:model.yml\" to be at most 1048576 bytes, found 1 numbers of "
               "type F32");
  refuse_array("special:model.yml", npy_bytes("<i1", "(4,)", "word", 4), MT_ERROR_FORMAT,
               "special:model.yml: expected lines \"key: value\"");
  refuse_array("special:model.yml", npy_bytes("<i1", "(0,)", "", 0), MT_ERROR_FORMAT,
               "expected lines \"key: value\", found nothing");
}

/* ---- decoder.yml and the other files ----------------------------------------------------------
 */

#define DECODER(models, vocabs, rest) \
  "relative-paths: true\nmodels: " models "\nvocabs: " vocabs "\n" rest
#define GOOD_VOCABS "[" VOCAB ", " VOCAB "]"

static void
test_decoder(void)
{
  static const struct {
    const char *text;
    mt_error_code code;
    const char *words;
  } cases[] = {
      {DECODER("[../../etc/passwd]", GOOD_VOCABS, ""), MT_ERROR_FORMAT,
       "decoder.yml: expected models to name files in this folder, found \"../../etc/passwd\"."},
      {DECODER("[/etc/passwd]", GOOD_VOCABS, ""), MT_ERROR_FORMAT, "found \"/etc/passwd\""},
      {DECODER("[..]", GOOD_VOCABS, ""), MT_ERROR_FORMAT, "found \"..\""},
      {DECODER("['']", GOOD_VOCABS, ""), MT_ERROR_FORMAT, "found \"\""},
      {DECODER("[x/" NPZ "]", GOOD_VOCABS, ""), MT_ERROR_FORMAT, "in this folder, found \"x/"},
      {"relative-paths: false\nmodels: [/etc/secret.npz]\nvocabs: " GOOD_VOCABS "\n",
       MT_ERROR_FORMAT, "found \"/etc/secret.npz\""},
      {DECODER("[other.npz]", GOOD_VOCABS, ""), MT_ERROR_IO,
       "/other.npz: expected this file, which decoder.yml names, found nothing there."},
      {DECODER("[" NPZ "]", "[" VOCAB ", ../" VOCAB "]", ""), MT_ERROR_FORMAT,
       "expected vocabs to name files in this folder"},
      {DECODER("[" NPZ "]", "[" VOCAB ", gone.yml]", ""), MT_ERROR_IO, "/gone.yml: expected this"},
      {DECODER("[" NPZ "]", "[README.md, README.md]", ""), MT_ERROR_UNSUPPORTED,
       "README.md: expected a vocabulary called .yml, .json, .spm or .vocab"},
      {DECODER("[README.md]", GOOD_VOCABS, ""), MT_ERROR_UNSUPPORTED,
       "README.md: expected weights in a file called .npz, found another ending."},
      {DECODER("[" NPZ ", " NPZ "]", GOOD_VOCABS, ""), MT_ERROR_UNSUPPORTED,
       "expected one file in models, found 2 (several models that vote"},
      {DECODER("[]", GOOD_VOCABS, ""), MT_ERROR_FORMAT, "expected 1 file in models, found 0."},
      {"vocabs: " GOOD_VOCABS "\n", MT_ERROR_FORMAT, "expected 1 file in models, found 0."},
      {DECODER("[" NPZ "]", "[" VOCAB "]", ""), MT_ERROR_FORMAT,
       "expected 2 files in vocabs, found 1."},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "beam-size: 0\n"), MT_ERROR_FORMAT,
       "decoder.yml: expected beam-size to be a whole number from 1 to 1024, found \"0\"."},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "beam-size: -3\n"), MT_ERROR_FORMAT, "found \"-3\""},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "beam-size: 9999999\n"), MT_ERROR_FORMAT, "beam-size"},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "normalize: wide\n"), MT_ERROR_FORMAT,
       "expected normalize to be a number, found \"wide\""},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "normalize: 1e9\n"), MT_ERROR_FORMAT,
       "expected normalize from -1000 to 1000"},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "word-penalty: 0.5\n"), MT_ERROR_UNSUPPORTED,
       "expected word-penalty 0, found 0.5, which is not supported."},
      {DECODER("[" NPZ "]", GOOD_VOCABS, "shortlist: [lex.bin, 50]\n"), MT_ERROR_UNSUPPORTED,
       "expected shortlist to be empty, found \"lex.bin\""},
      {"models: &a [*a]\n", MT_ERROR_FORMAT, "without anchors and aliases"},
      {"models: [[[[[[[[[[[[[[[[[[[[[[[[\n", MT_ERROR_FORMAT, "nested at most 16 deep"},
      {"relative-paths: 3\nmodels: [" NPZ "]\nvocabs: " GOOD_VOCABS "\n", MT_ERROR_FORMAT,
       "expected relative-paths to be true or false"},
  };
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    model_dir_write(dir->dir, "decoder.yml", cases[i].text, -1);
    refuse(dir, cases[i].code, cases[i].words);
  }
}

static void
test_missing(void)
{
  g_autoptr(marian_dir) dir = marian_dir_new("post-norm");
  model_dir_remove(dir->dir, "target.spm");
  refuse(dir, MT_ERROR_IO, "/target.spm: expected this file, found nothing there.");
  model_dir_remove(dir->dir, "source.spm");
  model_dir_write(dir->dir, "source.bpe", "#version: 0.2\n", -1);
  refuse(dir, MT_ERROR_UNSUPPORTED,
         "/source.bpe: expected SentencePiece models, source.spm and target.spm, found codes for "
         "subword-nmt (BPE)");
  model_dir_remove(dir->dir, "decoder.yml");
  model_dir_write(dir->dir, "second.npz", "PK", -1);
  refuse(dir, MT_ERROR_IO,
         "expected decoder.yml, or one file of weights (.npz), found several (" NPZ
         ", second.npz).");
  model_dir_remove(dir->dir, "second.npz");
  model_dir_write(dir->dir, "second.vocab.yml", "a: 0\n", -1);
  refuse(dir, MT_ERROR_IO,
         "expected decoder.yml, or one vocabulary, found several (" VOCAB ", second.vocab.yml).");
  model_dir_remove(dir->dir, "second.vocab.yml");
  model_dir_remove(dir->dir, VOCAB);
  refuse(dir, MT_ERROR_IO, "expected a vocabulary (.vocab.yml), found none.");
}

static void
test_vocabulary(void)
{
  static const struct {
    const char *old, *new, *words;
  } cases[] = {
      {"\"</s>\": 0", "x: y: 0", "expected YAML, found an error in line 1"},
      {"\"</s>\": 0", "\"</t>\": 0", "expected the piece \"</s>\", found no such piece"},
      {"\"<unk>\": 1", "\"<unl>\": 1", "expected the piece \"<unk>\", found no such piece"},
      {"\"<unk>\": 1\n", "\"<unk>\": 777\n", "of special:model.yml, found 777 for piece \"<unk>\""},
      {"\"<unk>\": 1\n", "\"<unk>\": -1\n", "found -1 for piece \"<unk>\""},
      {"\"<unk>\": 1\n", "\"<unk>\": 1.0\n", "found 1.0 for piece \"<unk>\""},
      {"\"<unk>\": 1\n", "\"<unk>\": [1]\n", "found a list for piece \"<unk>\""},
      {"\"<unk>\": 1\n", "\"<unk>\": \n", "found  for piece \"<unk>\""},
      {"\"<unk>\": 1\n", "\"<unk>\": &x 1\n", "without anchors and aliases"},
      {"\"<unk>\": 1\n", "\"<unk>\": 99999999999999999999\n", "found 99999999999999999999"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    marian_dir *dir = marian_dir_new("post-norm");
    model_dir_replace(dir->dir, VOCAB, cases[i].old, cases[i].new);
    refuse(dir, MT_ERROR_FORMAT, cases[i].words);
    marian_dir_free(dir);
  }
  /* Another model's: too many pieces, and too few. */
  marian_dir *dir = marian_dir_new("post-norm");
  g_autoptr(GString) text = g_string_new("\"</s>\": 0\n\"<unk>\": 1\n");
  model_dir_write(dir->dir, VOCAB, text->str, -1);
  refuse(dir, MT_ERROR_FORMAT, "the vocabulary size of special:model.yml, found 2.");
  for (int i = 2; i < 1000; i++)
    g_string_append_printf(text, "p%d: %d\n", i, i);
  model_dir_write(dir->dir, VOCAB, text->str, -1);
  refuse(dir, MT_ERROR_FORMAT, "expected ids below the vocabulary size");
  marian_dir_free(dir);
}

TESTS()
{
  g_test_add_func("/marian-broken/arrays", test_arrays);
  g_test_add_func("/marian-broken/not-finite", test_not_finite);
  g_test_add_func("/marian-broken/archive", test_archive);
  g_test_add_func("/marian-broken/model-yml", test_model_yml);
  g_test_add_func("/marian-broken/decoder", test_decoder);
  g_test_add_func("/marian-broken/missing", test_missing);
  g_test_add_func("/marian-broken/vocabulary", test_vocabulary);
}

/* test-model-list.c — which models are found on a machine, and what is said of them unopened.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "models/regard-model-info.h"
#include "models/regard-model-list.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *root, *models; /* a home folder of this program's own, and where it has its models */

/* A file below the folder of models, with its folders; text NULL: none. */
static void
put(const char *name, const char *text, gssize length)
{
  g_autofree char *path = g_build_filename(models, name, NULL);
  g_autofree char *folder = g_path_get_dirname(path);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_unlink(path);
  if (text)
    g_assert_true(g_file_set_contents(path, text, length, NULL));
}

static const char *const whole[] = {"config.json", "model.safetensors", "vocab.json", "source.spm",
                                    "target.spm"};

/* A folder with all that a model needs, as far as names go. */
static void
put_model(const char *folder)
{
  for (guint i = 0; i < G_N_ELEMENTS(whole); i++) {
    g_autofree char *name = g_build_filename(folder, whole[i], NULL);
    put(name, i == 1 ? "0123456789" : "{}", -1);
  }
}

static void
put_in(const char *folder, const char *file, const char *text)
{
  g_autofree char *name = g_build_filename(folder, file, NULL);
  put(name, text, -1);
}

static RegardModelInfo *
look(const char *folder)
{
  g_autofree char *path = g_build_filename(models, folder, NULL);
  return regard_model_info_new(path, REGARD_MODEL_FOUND, FALSE);
}

static void
set_up(gpointer *fixture, gconstpointer data)
{
  app_test_remove(models);
  g_assert_cmpint(g_mkdir_with_parents(models, 0700), ==, 0);
}

static void
tear_down(gpointer *fixture, gconstpointer data)
{
}

/* ---- One model ------------------------------------------------------------------------------- */

static void
test_whole(gpointer *fixture, gconstpointer data)
{
  put_model("opus-mt-en-mg");
  put_in("opus-mt-en-mg", "README.md",
         "---\ntags:\n- translation\nlicense: apache-2.0\n---\n\n### opus-mt-en-mg\n\n"
         "* source languages: en\n* target languages: mg\n");
  g_autoptr(RegardModelInfo) info = look("opus-mt-en-mg");
  g_assert_nonnull(info);
  g_assert_cmpstr(info->problem, ==, NULL);
  g_assert_cmpstr(info->name, ==, "opus-mt-en-mg");
  g_assert_cmpstr(info->title, ==, "English → Malagasy");
  g_assert_cmpstr(info->source, ==, "en");
  g_assert_cmpstr(info->target, ==, "mg");
  g_assert_cmpstr(info->licence, ==, "Apache-2.0");
  g_assert_cmpstr(info->format, ==, "safetensors");
  g_assert_cmpuint(info->bytes, ==, 10);
  g_autofree char *detail = regard_model_info_detail(info);
  g_assert_true(g_str_has_prefix(detail, "opus-mt-en-mg · 10"));
  g_assert_true(g_str_has_suffix(detail, " · Apache-2.0 · safetensors"));
}

/* In what numbers a model is stored, and what it takes in memory. */
static void
test_memory(gpointer *fixture, gconstpointer data)
{
  static const struct {
    const char *header, *dtype;
    double stored, int8_all; /* in sizes of the file */
  } cases[] = {
      {"........{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", "F32", 1, 1.25},
      {"........{\"a\":{\"dtype\":\"F16\",\"shape\":[1]}}", "F16", 1, 0.5},
      {"........{\"a\":{\"dtype\":\"BF16\",\"shape\":[1]}}", "BF16", 1, 0.5},
      {"........{\"a\":{\"dtype\":\"I8\",\"shape\":[1]}}", NULL, 0, 0},
      {"........{\"a\":{\"dtype\":\"F3", NULL, 0, 0},
      {"short", NULL, 0, 0},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    put_model("stored");
    put_in("stored", "model.safetensors", cases[i].header);
    g_autoptr(RegardModelInfo) info = look("stored");
    g_autofree char *detail = regard_model_info_detail(info);
    const double bytes = (double) info->bytes;
    g_assert_cmpstr(info->dtype, ==, cases[i].dtype);
    g_assert_true((strstr(detail, " in ") != NULL) == (cases[i].dtype != NULL));
    g_assert_cmpuint(regard_model_info_memory(info, MT_PRECISION_STORED), ==,
                     (guint64) (cases[i].stored * bytes));
    g_assert_cmpuint(regard_model_info_memory(info, MT_PRECISION_INT8_ALL), ==,
                     (guint64) (cases[i].int8_all * bytes));
    /* What is not rounded stays as it is stored; beside small floats nothing is saved. */
    if (i == 0)
      g_assert_cmpuint(regard_model_info_memory(info, MT_PRECISION_INT8), <=,
                       regard_model_info_memory(info, MT_PRECISION_INT8_ALL));
    else if (cases[i].dtype)
      g_assert_cmpuint(regard_model_info_memory(info, MT_PRECISION_INT8), >,
                       regard_model_info_memory(info, MT_PRECISION_INT8_ALL));
    /* Floats of large models stay in the file. */
    info->bytes = (guint64) 2 << 30;
    if (i == 0)
      g_assert_cmpuint(regard_model_info_memory(info, MT_PRECISION_INT8_ALL), ==, 512 << 20);
  }
}

/* Every file that is needed is named when it is not there. */
static void
test_missing(gpointer *fixture, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS(whole); i++) {
    put_model("cut");
    put_in("cut", whole[i], NULL);
    g_autoptr(RegardModelInfo) info = look("cut");
    g_autofree char *wanted = g_strdup_printf("%s is missing", whole[i]);
    g_assert_nonnull(info);
    g_assert_cmpstr(info->problem, ==, wanted);
    g_autofree char *detail = regard_model_info_detail(info);
    g_assert_nonnull(strstr(detail, wanted));
  }
}

/* Other families have other files of a tokenizer, which the engine knows. */
static void
test_families(gpointer *fixture, gconstpointer data)
{
  put_model("t5");
  put_in("t5", "config.json", "{\"model_type\": \"t5\"}");
  put_in("t5", "vocab.json", NULL);
  put_in("t5", "source.spm", NULL);
  put_in("t5", "target.spm", NULL);
  g_autoptr(RegardModelInfo) without = look("t5");
  g_assert_true(
      g_str_has_prefix(without->problem, "expected the files of its tokenizer (spiece.model"));
  g_assert_false(without->is_other);
  put_in("t5", "spiece.model", "");
  g_autoptr(RegardModelInfo) empty = look("t5");
  g_assert_cmpstr(empty->problem, ==, "spiece.model is empty");
  put_in("t5", "spiece.model", "pieces");
  g_autoptr(RegardModelInfo) with = look("t5");
  g_assert_cmpstr(with->problem, ==, NULL);
  g_assert_false(with->is_other);
  /* Bytes have no files. */
  put_in("t5", "spiece.model", NULL);
  put_in("t5", "config.json", "{\"model_type\": \"t5\", \"tokenizer_class\": \"ByT5Tokenizer\"}");
  g_autoptr(RegardModelInfo) bytes = look("t5");
  g_assert_cmpstr(bytes->problem, ==, NULL);
  put_in("t5", "model.safetensors", NULL);
  g_autoptr(RegardModelInfo) cut = look("t5");
  g_assert_cmpstr(cut->problem, ==, "model.safetensors is missing");
}

static void
test_not_whole(gpointer *fixture, gconstpointer data)
{
  static const struct {
    const char *file, *text, *other, *problem;
  } cases[] = {
      {"model.safetensors", NULL, "model.safetensors.part",
       "model.safetensors is not complete, only model.safetensors.part is there"},
      {"model.safetensors", NULL, "pytorch_model.bin.crdownload",
       "pytorch_model.bin is not complete, only pytorch_model.bin.crdownload is there"},
      {"source.spm", NULL, "source.spm.incomplete",
       "source.spm is not complete, only source.spm.incomplete is there"},
      {"model.safetensors", "half", "model.safetensors.aria2",
       "model.safetensors is not complete, model.safetensors.aria2 is there"},
      {"model.safetensors", "", NULL, "model.safetensors is empty"},
      {"model.safetensors", NULL, "tf_model.h5",
       "model.safetensors is missing, and tf_model.h5 is not read"},
      {"model.safetensors", NULL, "model.bin",
       "model.safetensors is missing, and model.bin, without a vocabulary of CTranslate2 beside "
       "it, "
       "is not read"},
      {"target.spm",
       "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789\nsize 778395\n", NULL,
       "target.spm is a Git LFS pointer, not the file itself: run “git lfs pull”"},
      {"model.safetensors",
       "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789\nsize 298000000\n", NULL,
       "model.safetensors is a Git LFS pointer, not the file itself: run “git lfs pull”"},
      {"config.json", "{\"model_type\": \"led\"}", NULL,
       "it is a model of the kind “led”, which is not run"},
      {"tokenizer_config.json", "{\"separate_vocabs\": true}", NULL,
       "target_vocab.json is missing"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *folder = g_strdup_printf("broken-%u", i);
    put_model(folder);
    put_in(folder, cases[i].file, cases[i].text);
    if (cases[i].other)
      put_in(folder, cases[i].other, "something");
    g_autoptr(RegardModelInfo) info = look(folder);
    g_assert_nonnull(info);
    g_assert_cmpstr(info->problem, ==, cases[i].problem);
  }
}

static void
test_shards(gpointer *fixture, gconstpointer data)
{
  put_model("big");
  put_in("big", "model.safetensors", NULL);
  put_in("big", "pytorch_model.bin.index.json",
         "{\"weight_map\": {\"a\": \"one.bin\", \"b\": \"two.bin\", \"c\": \"one.bin\","
         " \"d\": \"../secret\", \"e\": 7}}");
  put_in("big", "one.bin", "12345");
  g_autoptr(RegardModelInfo) half = look("big");
  g_assert_cmpstr(half->problem, ==, "two.bin is missing");
  g_assert_cmpstr(half->format, ==, "PyTorch");
  put_in("big", "two.bin", "1234567");
  g_autoptr(RegardModelInfo) full = look("big");
  g_assert_cmpstr(full->problem, ==, NULL);
  g_assert_cmpuint(full->bytes, ==, 12);
}

static void
test_marian(gpointer *fixture, gconstpointer data)
{
  put("de-en/opus.npz", "weights", -1);
  put("de-en/decoder.yml",
      "# made by hand\nmodels:\n  - /somewhere/else/opus.npz\nvocabs:\n  - opus.vocab.yml\n"
      "  - opus.vocab.yml\nbeam-size: 6\n",
      -1);
  put("de-en/opus.vocab.yml", "</s>: 0\n", -1);
  put("de-en/LICENSE", "Attribution 4.0 International\n\n====\n", -1);
  put("de-en/source.spm", "s", -1);
  g_autoptr(RegardModelInfo) info = look("de-en");
  g_assert_nonnull(info);
  g_assert_cmpstr(info->problem, ==, NULL);
  g_assert_cmpstr(info->format, ==, "Marian");
  g_assert_cmpstr(info->title, ==, "German → English");
  g_assert_cmpstr(info->licence, ==, "CC-BY-4.0");
  g_assert_cmpuint(info->bytes, ==, 7);
  static const char *const files[] = {"opus.npz", "opus.vocab.yml", "source.spm"};
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename("de-en", files[i], NULL);
    g_autofree char *wanted = g_strdup_printf("%s is missing", files[i]);
    put(path, NULL, 0);
    g_autoptr(RegardModelInfo) cut = look("de-en");
    g_assert_cmpstr(cut->problem, ==, wanted);
    put(path, "again", -1);
  }
  put_in("de-en", "source.spm", NULL);
  put("de-en/source.bpe", "#version: 0.2", -1);
  g_autoptr(RegardModelInfo) codes = look("de-en");
  g_assert_cmpstr(codes->problem, ==, "its pieces are those of source.bpe, not of SentencePiece");
}

/* ---- Cards ----------------------------------------------------------------------------------- */

static void
test_cards(gpointer *fixture, gconstpointer data)
{
  static const struct {
    const char *text, *source, *target, *licence, *name;
  } cases[] = {
      {"", NULL, NULL, NULL},
      {"---\nlanguage:\n- en\n- fr\nlicense: cc-by-4.0\n---\n* source language(s): fra\r\n"
       "* target language(s): eng\n",
       "fra", "eng", "CC-BY-4.0"},
      {"# a card\n- **Source Language(s):** `eng`\n- **Target Language(s):** `afr` ang_Latn deu\n",
       "eng", "afr ang_Latn deu", NULL},
      {"---\nlicense:\n- gpl-3.0-or-later\n- mit\n---\n", NULL, NULL, "GPL-3.0-or-later"},
      {"---\nlicense: 'other'\n---\n", NULL, NULL, "other"},
      {"---\nlicense: \"\"\n---\n", NULL, NULL, NULL},
      {"license: mit\n---\nlicense: mit\n---\n", NULL, NULL, NULL}, /* no YAML in front */
      {"---\nlicense: cc0-1.0", NULL, NULL, "CC0-1.0"},
      {"source languages en\ntarget languages: \n", NULL, NULL, NULL},
      {"* source languages: en\n* source languages: de\n", "en", NULL, NULL},
      {"---\npretty_name: By hand\nlicense: mit\n---\n", NULL, NULL, "MIT", "By hand"},
      {"---\npretty_name: \"One\"\npretty_name: Two\n---\n", NULL, NULL, NULL, "One"},
      {"pretty_name: By hand\n---\npretty_name:\n---\n", NULL, NULL, NULL, NULL},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(RegardModelCard) card = {0};
    regard_model_card_read(&card, cases[i].text, strlen(cases[i].text));
    g_assert_cmpstr(card.source, ==, cases[i].source);
    g_assert_cmpstr(card.target, ==, cases[i].target);
    g_assert_cmpstr(card.licence, ==, cases[i].licence);
    g_assert_cmpstr(card.name, ==, cases[i].name);
  }
}

/* A model is called as its card calls it; its languages are known all the same. */
static void
test_called(gpointer *fixture, gconstpointer data)
{
  put_model("toy");
  put_in("toy", "README.md", "---\npretty_name: By hand\n---\n");
  put_in("toy", "tokenizer_config.json", "{\"source_lang\": \"en\", \"target_lang\": \"de\"}");
  g_autoptr(RegardModelInfo) info = look("toy");
  g_assert_cmpstr(info->title, ==, "By hand");
  g_assert_cmpstr(info->languages, ==, "English → German");
  g_assert_cmpstr(info->name, ==, "toy");
  g_autofree char *detail = regard_model_info_detail(info);
  g_assert_true(g_str_has_prefix(detail, "toy · "));
}

static void
test_names(gpointer *fixture, gconstpointer data)
{
  static const struct {
    const char *name, *source, *target;
  } cases[] = {
      {"opus-mt-en-de", "en", "de"},
      {"opus-mt-tc-big-en-zle", "en", "zle"},
      {"opus-mt-en-ROMANCE", "en", "ROMANCE"},
      {"deu-eng", "deu", "eng"},
      {"en-de", "en", "de"},
      {"opus-2020-02-26", NULL, NULL},
      {"en-de-fr", NULL, NULL},
      {"the-best", NULL, NULL},
      {"opus-mt-", NULL, NULL},
      {"-", NULL, NULL},
      {"", NULL, NULL},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(RegardModelCard) card = {0};
    regard_model_card_read_name(&card, cases[i].name);
    g_assert_cmpstr(card.source, ==, cases[i].source);
    g_assert_cmpstr(card.target, ==, cases[i].target);
  }
}

/* ---- Archives -------------------------------------------------------------------------------- */

static void
append_number(GByteArray *bytes, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append(bytes, (guint8[]){(guint8) (value >> 8 * i)}, 1);
}

static guint
checksum(const char *text)
{
  guint crc = ~0u;
  for (; *text; text++) {
    crc ^= (guint8) *text;
    for (int k = 0; k < 8; k++)
      crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

/* What a local header and an entry of the directory have in common. */
static void
append_entry(GByteArray *bytes, const char *name, const char *text)
{
  append_number(bytes, 20, 2);
  append_number(bytes, 0, 8); /* flags, stored, time, date */
  append_number(bytes, checksum(text), 4);
  append_number(bytes, (guint) strlen(text), 4);
  append_number(bytes, (guint) strlen(text), 4);
  append_number(bytes, (guint) strlen(name), 2);
}

/* A zip archive without compression of these names and texts, in turn, up to NULL. */
static GBytes *
make_archive(const char *const *files)
{
  GByteArray *bytes = g_byte_array_new();
  g_autoptr(GByteArray) directory = g_byte_array_new();
  guint n = 0;
  for (; files[2 * n]; n++) {
    const char *name = files[2 * n], *text = files[2 * n + 1];
    guint offset = bytes->len;
    append_number(bytes, 0x04034b50, 4);
    append_entry(bytes, name, text);
    append_number(bytes, 0, 2);
    g_byte_array_append(bytes, (const guint8 *) name, (guint) strlen(name));
    g_byte_array_append(bytes, (const guint8 *) text, (guint) strlen(text));
    append_number(directory, 0x02014b50, 4);
    append_number(directory, 20, 2);
    append_entry(directory, name, text);
    append_number(directory, 0, 8);
    append_number(directory, 0, 4);
    append_number(directory, offset, 4);
    g_byte_array_append(directory, (const guint8 *) name, (guint) strlen(name));
  }
  guint start = bytes->len;
  g_byte_array_append(bytes, directory->data, directory->len);
  append_number(bytes, 0x06054b50, 4);
  append_number(bytes, 0, 4);
  append_number(bytes, n, 2);
  append_number(bytes, n, 2);
  append_number(bytes, directory->len, 4);
  append_number(bytes, start, 4);
  append_number(bytes, 0, 2);
  return g_byte_array_free_to_bytes(bytes);
}

static void
put_archive(const char *name, const char *const *files, gsize cut)
{
  g_autoptr(GBytes) bytes = make_archive(files);
  put(name, g_bytes_get_data(bytes, NULL), (gssize) (g_bytes_get_size(bytes) - cut));
}

static void
test_archives(gpointer *fixture, gconstpointer data)
{
  static const char *const flat[] = {"decoder.yml", "models:\n - m.npz\n", "m.npz",
                                     "weights",     "source.spm",          "s",
                                     NULL};
  static const char *const nested[] = {"x/config.json",
                                       "{}",
                                       "x/model.safetensors",
                                       "w",
                                       "x/vocab.json",
                                       "{}",
                                       "x/source.spm",
                                       "s",
                                       "x/README.md",
                                       "* source languages: fi\n* target languages: sv\n",
                                       NULL};
  static const char *const other[] = {"photo.jpg", "j", NULL};
  put_archive("en-de/opus-2020-02-26.zip", flat, 0);
  put_archive("nested.zip", nested, 0);
  put_archive("other.zip", other, 0);
  put_archive("cut.zip", flat, 10);
  put("no.zip", "this is no archive", -1);
  put("folder.zip/config.json", "{}", -1);

  g_autoptr(RegardModelInfo) good = look("en-de/opus-2020-02-26.zip");
  g_assert_nonnull(good);
  g_assert_cmpstr(good->problem, ==, NULL);
  g_assert_cmpstr(good->name, ==, "opus-2020-02-26");
  g_assert_cmpstr(good->title, ==, "English → German");
  g_assert_cmpstr(good->format, ==, "Marian");
  g_assert_true(good->is_archive);
  g_autofree char *detail = regard_model_info_detail(good);
  g_assert_true(g_str_has_suffix(detail, " · Marian · zip"));
  g_autoptr(RegardModelInfo) inner = look("nested.zip");
  g_assert_nonnull(inner);
  g_assert_cmpstr(inner->title, ==, "Finnish → Swedish");
  g_assert_cmpstr(inner->problem, ==, "target.spm is missing");
  g_assert_null(look("other.zip"));
  static const struct {
    const char *name, *problem;
  } broken[] = {
      {"cut.zip", "expected a zip archive, found another file, or one that is damaged or cut off"},
      {"no.zip", "expected a model folder or a zip archive of one, found another file"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(broken); i++) {
    g_autoptr(RegardModelInfo) info = look(broken[i].name);
    g_assert_nonnull(info);
    g_assert_cmpstr(info->problem, ==, broken[i].problem);
  }
  g_autoptr(RegardModelInfo) folder = look("folder.zip");
  g_assert_nonnull(folder);
  g_assert_false(folder->is_archive);
}

/* An archive that promises more than there is. */
static void
test_archive_of_many(gpointer *fixture, gconstpointer data)
{
  char end[22] = "PK\005\006";
  memset(end + 8, 0xff, 12);
  put("many.zip", end, sizeof end);
  g_autoptr(RegardModelInfo) info = look("many.zip");
  g_assert_nonnull(info);
  g_assert_true(
      g_str_has_prefix(info->problem, "expected a zip archive, found another file, or one"));
  memset(end + 8, 0, 12);
  end[10] = 3;
  put("few.zip", end, sizeof end);
  g_autoptr(RegardModelInfo) few = look("few.zip");
  g_assert_nonnull(few);
  g_assert_cmpstr(few->problem, ==,
                  "expected a zip archive, found another file, or one that is damaged or cut off");
}

/* ---- The list -------------------------------------------------------------------------------- */

static char *
names_of(GPtrArray *infos)
{
  GString *names = g_string_new(NULL);
  static const char places[] = "BTRF";
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    g_string_append_printf(names, "%s%c:%s", i ? " " : "", places[info->place], info->name);
  }
  return g_string_free(names, FALSE);
}

static void
test_list(gpointer *fixture, gconstpointer data)
{
  put_model("opus-mt-fr-en");
  put_model("Helsinki-NLP/opus-mt-de-en");
  put_model("Helsinki-NLP/deep/opus-mt-fi-en"); /* too deep to be looked for */
  put_model("opened-lately");
  put_model(".hidden");
  put("notes.txt", "no model", -1);
  put("empty/nothing.txt", "no model", -1);
  put_in("half", "source.spm", "s");
  g_autofree char *recent_path = g_build_filename(models, "opened-lately", NULL);
  g_autofree char *gone = g_build_filename(models, "gone", NULL);
  g_autofree char *bundled = g_strdup(g_getenv("REGARD_MODEL_DIR"));
  /* The bundled one and the recent one again, by other ways. */
  g_autofree char *again = g_build_filename(models, "again", NULL);
  g_assert_cmpint(symlink(recent_path, again), ==, 0);
  g_autofree char *link = g_build_filename(models, "bundled-link", NULL);
  g_assert_cmpint(symlink(bundled, link), ==, 0);

  const char *const recent[] = {again, gone, recent_path, bundled, NULL};
  guint n_left_out = 7;
  g_autoptr(GPtrArray) infos = regard_model_list_scan(recent, NULL, &n_left_out);
  g_autofree char *names = names_of(infos);
  g_assert_cmpstr(names, ==, "B:en-de R:again R:gone F:opus-mt-fr-en F:opus-mt-de-en F:half");
  g_assert_cmpuint(n_left_out, ==, 0);
  const RegardModelInfo *missing = infos->pdata[2];
  g_assert_nonnull(missing->problem);
  const RegardModelInfo *half = infos->pdata[5];
  g_assert_cmpstr(half->problem, ==, "config.json is missing");
  const RegardModelInfo *mine = infos->pdata[0];
  g_assert_cmpstr(mine->problem, ==, NULL);
  g_assert_cmpstr(mine->title, ==, "English → German");
  g_assert_cmpuint(mine->bytes, >, 1000000);
  g_assert_cmpstr(mine->licence, ==, "GPL-3.0-or-later");
}

/* What was cancelled looks no further. */
static void
test_list_cancelled(gpointer *fixture, gconstpointer data)
{
  put_model("opus-mt-fr-en");
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GPtrArray) all = regard_model_list_scan(NULL, cancellable, NULL);
  g_assert_cmpuint(all->len, ==, 2);
  g_cancellable_cancel(cancellable);
  g_autoptr(GPtrArray) first = regard_model_list_scan(NULL, cancellable, NULL);
  g_assert_cmpuint(first->len, ==, 1);
}

/* Nothing in the folder hangs the scan, follows a link round and round, or fills the memory. */
static void
test_hostile(gpointer *fixture, gconstpointer data)
{
  g_autofree char *loop = g_build_filename(models, "loop", NULL);
  g_assert_cmpint(symlink(".", loop), ==, 0);
  g_autofree char *up = g_build_filename(models, "up", NULL);
  g_assert_cmpint(symlink("..", up), ==, 0);
  g_autofree char *self = g_build_filename(models, "self", NULL);
  g_assert_cmpint(symlink("self", self), ==, 0);
  put_model("pipes");
  static const char *const pipes[] = {"README.md", "tokenizer_config.json", "source.spm"};
  for (guint i = 0; i < G_N_ELEMENTS(pipes); i++) {
    put_in("pipes", pipes[i], NULL);
    g_autofree char *path = g_build_filename(models, "pipes", pipes[i], NULL);
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  }
  g_autofree char *pipe_archive = g_build_filename(models, "pipe.zip", NULL);
  g_assert_cmpint(mkfifo(pipe_archive, 0600), ==, 0);
  /* A card and a configuration of 8 GB each, which hold nothing: a gap takes no room on disk. */
  put_model("huge");
  static const char *const huge[] = {"README.md", "config.json", "tokenizer_config.json"};
  for (guint i = 0; i < G_N_ELEMENTS(huge); i++) {
    put_in("huge", huge[i], "---\n");
    g_autofree char *path = g_build_filename(models, "huge", huge[i], NULL);
    g_assert_cmpint(truncate(path, (off_t) 8 << 30), ==, 0);
  }
  g_autoptr(GString) deep = g_string_new("{\"source_lang\": ");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c(deep, '[');
  put_model("deep");
  put_in("deep", "tokenizer_config.json", deep->str);
  put_model("odd\n\xff name");

  g_autoptr(GPtrArray) infos = regard_model_list_scan(NULL, NULL, NULL);
  g_assert_cmpuint(infos->len, ==, 6);
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    g_assert_true(g_utf8_validate(info->name, -1, NULL));
    g_assert_true(g_utf8_validate(info->title, -1, NULL));
    if (g_str_equal(info->name, "pipes"))
      g_assert_cmpstr(info->problem, ==, "source.spm is missing");
    else if (g_str_equal(info->name, "pipe"))
      g_assert_cmpstr(info->problem, ==,
                      "expected a model folder or a zip archive of one, found something else");
    else
      g_assert_cmpstr(info->problem, ==, NULL);
  }
}

static void
test_very_many(gpointer *fixture, gconstpointer data)
{
  for (guint i = 0; i < 600; i++) {
    g_autofree char *name = g_strdup_printf("model-%u/config.json", i);
    put(name, "{}", -1);
  }
  for (guint i = 0; i < 3000; i++) {
    g_autofree char *path = g_strdup_printf("%s/folder-%u", models, i);
    g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  }
  guint n_left_out = 0;
  g_autoptr(GPtrArray) infos = regard_model_list_scan(NULL, NULL, &n_left_out);
  g_assert_cmpuint(infos->len, ==, 500);
  g_assert_cmpuint(n_left_out, ==, 101);
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_cancellable_cancel(cancellable);
  g_autoptr(GPtrArray) few = regard_model_list_scan(NULL, cancellable, NULL);
  g_assert_cmpuint(few->len, ==, 1);
}

/* ---- CTranslate2, and Argos ------------------------------------------------------------------ */

static void
test_ctranslate2(gpointer *fixture, gconstpointer data)
{
  put_in("en-nl", "model.bin", "weights");
  put_in("en-nl", "config.json", "{\"add_source_bos\": false}");
  put_in("en-nl", "shared_vocabulary.json", "[]");
  g_autoptr(RegardModelInfo) without = look("en-nl");
  g_assert_cmpstr(without->problem, ==,
                  "source.spm and target.spm, or another tokenizer, are missing: they are where it "
                  "was converted from");
  g_assert_cmpstr(without->format, ==, "CTranslate2");
  g_assert_cmpuint(without->bytes, ==, 7);
  put_in("en-nl", "bpe.model", "#version: 0.2");
  g_autoptr(RegardModelInfo) codes = look("en-nl");
  g_assert_cmpstr(codes->problem, ==, "its pieces are those of bpe.model, not of SentencePiece");
  put_in("en-nl", "sentencepiece.model", "s");
  g_autoptr(RegardModelInfo) whole_one = look("en-nl");
  g_assert_cmpstr(whole_one->problem, ==, NULL);
  g_assert_cmpstr(whole_one->title, ==, "English → Dutch");
  put_in("en-nl", "model.bin", "");
  g_autoptr(RegardModelInfo) empty = look("en-nl");
  g_assert_cmpstr(empty->problem, ==, "model.bin is empty");
  put_in("decoder", "model.bin", "weights");
  put_in("decoder", "vocabulary.txt", "a\n");
  g_autoptr(RegardModelInfo) decoder = look("decoder");
  g_assert_true(decoder->is_other);
  g_assert_cmpstr(decoder->problem, ==, "it is a model of another kind than encoder and decoder");
}

#define ARGOS_FILES(folder)                                                     \
  folder "metadata.json", "{\"from_code\": \"en\", \"to_code\": \"eo\"}",       \
      folder "sentencepiece.model", "s", folder "stanza/en/tokenize/x.pt", "t", \
      folder "model/config.json", "{}", folder "model/model.bin", "weights",    \
      folder "model/shared_vocabulary.txt", "a", folder "README.md", "# A package\n"

/* A package as it is downloaded, and installed where Argos keeps it. */
static void
test_argos(gpointer *fixture, gconstpointer data)
{
  static const char *const archive[] = {ARGOS_FILES("translate-en_eo-1_5/"), NULL};
  static const char *const files[] = {ARGOS_FILES(""), NULL};
  put_archive("translate-en_eo.argosmodel", archive, 0);
  g_autoptr(RegardModelInfo) package = look("translate-en_eo.argosmodel");
  g_assert_nonnull(package);
  g_assert_cmpstr(package->problem, ==, NULL);
  g_assert_cmpstr(package->name, ==, "translate-en_eo");
  g_assert_cmpstr(package->title, ==, "English → Esperanto");
  g_assert_cmpstr(package->format, ==, "CTranslate2");
  g_assert_true(package->is_archive);

  static const char *const places[] = {"../../argos-translate/packages", "../../elsewhere"};
  g_autofree char *elsewhere = g_build_filename(root, "elsewhere", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    for (guint k = 0; files[k]; k += 2) {
      g_autofree char *name = g_build_filename(places[i], "translate-en_eo-1_5", files[k], NULL);
      put(name, files[k + 1], -1);
    }
    if (i == 1)
      g_setenv("ARGOS_PACKAGES_DIR", elsewhere, TRUE);
    g_autoptr(GPtrArray) infos = regard_model_list_scan(NULL, NULL, NULL);
    g_autofree char *names = names_of(infos);
    g_assert_cmpstr(names, ==, "B:en-de F:translate-en_eo-1_5 F:translate-en_eo");
    const RegardModelInfo *installed = infos->pdata[1];
    g_assert_cmpstr(installed->problem, ==, NULL);
    g_assert_cmpuint(installed->bytes, ==, 7);
    g_assert_cmpstr(installed->languages, ==, "English → Esperanto");
    g_assert_nonnull(strstr(installed->path, i == 0 ? "/packages/" : "/elsewhere/"));
  }
  g_autofree char *path = regard_model_list_resolve("translate-en_eo-1_5", NULL);
  g_assert_true(g_str_has_prefix(path, elsewhere));
  g_unsetenv("ARGOS_PACKAGES_DIR");
  g_autofree char *packages = g_build_filename(root, "argos-translate", NULL);
  app_test_remove(packages);
  app_test_remove(elsewhere);
}

/* ---- By name --------------------------------------------------------------------------------- */

static void
check_resolved(const char *argument, const char *wanted)
{
  g_autofree char *path = regard_model_list_resolve(argument, NULL);
  g_autofree char *whole_path =
      wanted ? g_build_filename(models, wanted, NULL) : g_strdup(argument);
  g_assert_cmpstr(path, ==, whole_path);
}

static void
test_resolve(gpointer *fixture, gconstpointer data)
{
  put_model("Helsinki-NLP/opus-mt-de-en");
  put_model("other/twice");
  put_in("another/twice", "source.spm", "s");
  put("archive.zip", "PK", -1);
  check_resolved("opus-mt-de-en", "Helsinki-NLP/opus-mt-de-en");
  check_resolved("Helsinki-NLP/opus-mt-de-en", "Helsinki-NLP/opus-mt-de-en");
  check_resolved("twice", "other/twice");
  check_resolved("nothing-like-it", NULL);
  check_resolved("/nonexistent/model", NULL);
  g_autofree char *bundled = regard_model_list_resolve("en-de", NULL);
  g_assert_cmpstr(bundled, ==, g_getenv("REGARD_MODEL_DIR"));
  g_autofree char *file = g_build_filename(models, "other", "twice", "config.json", NULL);
  check_resolved(file, NULL == file ? NULL : "other/twice");
  g_autofree char *archive = g_build_filename(models, "archive.zip", NULL);
  check_resolved(archive, "archive.zip");
  /* A file that is none of a model is not taken for its folder. */
  put("notes.md", "x", -1);
  g_autofree char *notes = g_build_filename(models, "notes.md", NULL);
  check_resolved(notes, "notes.md");
}

/* A file of a model in the Hub's cache, as huggingface_hub lays it out; text NULL: the link that is
 * left where the file did not come. */
static void
put_in_hub(const char *model, const char *commit, const char *file, const char *text)
{
  g_autofree char *blob = g_strdup_printf("hub/models--%s/blobs/%s", model, file);
  g_autofree char *link = g_strdup_printf("hub/models--%s/snapshots/%s/%s", model, commit, file);
  g_autofree char *target = g_strdup_printf("../../blobs/%s", file);
  g_autofree char *path = g_build_filename(models, link, NULL);
  put(blob, text, -1);
  put(link, "", -1);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_assert_cmpint(symlink(target, path), ==, 0);
}

static void
put_model_in_hub(const char *model, const char *commit, const char *config)
{
  for (guint i = 0; i < G_N_ELEMENTS(whole); i++)
    put_in_hub(model, commit, whole[i], i == 0 ? config : "{}");
}

/* The models of a download cache are called as on the Hub, and found by that; other kinds of models
 * that lie there are not listed. */
static void
test_hub_cache(gpointer *fixture, gconstpointer data)
{
  static const char marian[] = "{\"model_type\": \"marian\"}";
  g_autofree char *home = g_build_filename(models, "home", NULL);
  g_autofree char *cache = g_build_filename(models, "hub", NULL);
  g_setenv("HF_HOME", home, TRUE);
  g_autofree char *below_home = regard_hub_cache_folder();
  g_assert_true(g_str_has_suffix(below_home, "/hub"));
  g_setenv("HF_HUB_CACHE", "~/x", TRUE);
  g_autofree char *expanded = g_build_filename(g_get_home_dir(), "x", NULL);
  g_autofree char *in_home = regard_hub_cache_folder();
  g_assert_cmpstr(in_home, ==, expanded);
  g_setenv("HF_HUB_CACHE", cache, TRUE);

  put_model_in_hub("Helsinki-NLP--opus-mt-en-fi", "abc123", marian);
  put_model_in_hub("Helsinki-NLP--opus-mt-en-fi", "old456", marian);
  put("hub/models--Helsinki-NLP--opus-mt-en-fi/refs/main", "abc123\n", -1);
  put_model_in_hub("Helsinki-NLP--opus-mt-en-sv", "abc", marian);
  put_in_hub("Helsinki-NLP--opus-mt-en-sv", "abc", "model.safetensors", NULL);
  put_model_in_hub("meta--big", "abc", "{\"model_type\": \"llama\"}");
  put_in_hub("somebody--tokens", "abc", "vocab.json", "{}");
  put_model_in_hub("no--main", "abc", marian);
  put_model_in_hub("no--main", "def", marian);
  put_model_in_hub("leads--out", "abc", marian);
  put("hub/models--leads--out/refs/main", "../../../Helsinki-NLP--opus-mt-en-fi", -1);
  put("hub/datasets--x--y/snapshots/abc/config.json", marian, -1);

  g_autoptr(GPtrArray) infos = regard_model_list_scan(NULL, NULL, NULL);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < infos->len; i++) {
    const RegardModelInfo *info = infos->pdata[i];
    if (info->place == REGARD_MODEL_FOUND && strstr(info->path, "/snapshots/"))
      g_string_append_printf(names, "%s (%s, %s)\n", info->name,
                             info->languages ? info->languages : "?",
                             info->problem ? info->problem : "whole");
  }
  g_assert_cmpstr(names->str, ==,
                  "Helsinki-NLP/opus-mt-en-fi (English → Finnish, whole)\n"
                  "Helsinki-NLP/opus-mt-en-sv (English → Swedish, model.safetensors was not "
                  "downloaded whole: its link leads nowhere)\n"
                  "leads/out (?, whole)\n");
  check_resolved("Helsinki-NLP/opus-mt-en-fi",
                 "hub/models--Helsinki-NLP--opus-mt-en-fi/snapshots/abc123");
  g_autofree char *folder = g_build_filename(cache, "models--Helsinki-NLP--opus-mt-en-fi", NULL);
  check_resolved(folder, "hub/models--Helsinki-NLP--opus-mt-en-fi/snapshots/abc123");
  check_resolved("no/main", NULL);
  check_resolved("../models", NULL);
  g_unsetenv("HF_HUB_CACHE");
  g_unsetenv("HF_HOME");
}

static void
end(void)
{
  app_test_remove(root);
  g_free(models);
  g_free(root);
}

TESTS(.end = end)
{
  root = app_test_folder();
  g_unsetenv("HF_HUB_CACHE");
  g_unsetenv("HUGGINGFACE_HUB_CACHE");
  g_unsetenv("ARGOS_PACKAGES_DIR");
  g_setenv("HF_HOME", "/nonexistent/hub", TRUE);
  g_setenv("XDG_DATA_HOME", root, TRUE);
  g_setenv("XDG_DATA_DIRS", "/nonexistent/share", TRUE);
  g_setenv("REGARD_MODEL_DIR", g_getenv("REGARD_TEST_MODEL"), TRUE);
  models = regard_model_list_folder();
#define ADD(path, function) g_test_add(path, gpointer, NULL, set_up, function, tear_down)
  ADD("/model-list/whole", test_whole);
  ADD("/model-list/memory", test_memory);
  ADD("/model-list/missing", test_missing);
  ADD("/model-list/families", test_families);
  ADD("/model-list/not-whole", test_not_whole);
  ADD("/model-list/shards", test_shards);
  ADD("/model-list/marian", test_marian);
  ADD("/model-list/cards", test_cards);
  ADD("/model-list/called", test_called);
  ADD("/model-list/names", test_names);
  ADD("/model-list/archives", test_archives);
  ADD("/model-list/ctranslate2", test_ctranslate2);
  ADD("/model-list/argos", test_argos);
  ADD("/model-list/archive-of-many", test_archive_of_many);
  ADD("/model-list/list", test_list);
  ADD("/model-list/list-cancelled", test_list_cancelled);
  ADD("/model-list/hostile", test_hostile);
  ADD("/model-list/very-many", test_very_many);
  ADD("/model-list/resolve", test_resolve);
  ADD("/model-list/hub-cache", test_hub_cache);
}

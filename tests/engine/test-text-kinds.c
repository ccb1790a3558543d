/* test-text-kinds.c — kinds of text besides Marian's: ids and decoded texts against transformers
 * (tests/reference/make_text_kinds.py), from each form of the files; offsets; refusals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib/gstdio.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

#include "engine-test.h"
#include "few-allocations.h"
#include "suite.h"
#include "text/mt-text-kind.h"
#include "text/mt-tokenizer.h"

#define DATA REGARD_SOURCE_ROOT "/tests/data/text"

/* A folder of tests/data/text, as its family opens it. */
typedef struct {
  const char *golden, *folder;
  mt_text_kind kind;    /* that the family wants */
  const char *language; /* of the source, NULL: none */
  mt_language_mode mode;
  bool language_last;
  size_t n_languages;
  int32_t before; /* an id before the text; -1: none */
} kind_case;

static const kind_case cases[] = {
    {"t5", "t5", MT_TEXT_SPM_OWN, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"madlad", "madlad", MT_TEXT_SPM_OWN, .n_languages = 2, .before = -1},
    {"pegasus", "pegasus", MT_TEXT_SPM_OFFSET, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"mbart", "mbart", MT_TEXT_SPM_FAIRSEQ, "de_DE", MT_LANGUAGES_START, true, 25, -1},
    {"mbart50", "mbart50", MT_TEXT_SPM_FAIRSEQ, "de_DE", MT_LANGUAGES_FORCED, false, 52, -1},
    {"nllb", "nllb", MT_TEXT_SPM_FAIRSEQ, "deu_Latn", MT_LANGUAGES_FORCED, false, 202, -1},
    {"t5", "t5-json", MT_TEXT_SPM_OWN, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"pegasus", "pegasus-json", MT_TEXT_SPM_OFFSET, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"mbart", "mbart-json", MT_TEXT_SPM_FAIRSEQ, "de_DE", MT_LANGUAGES_START, true, 25, -1},
    {"mbart50", "mbart50-json", MT_TEXT_SPM_FAIRSEQ, "de_DE", MT_LANGUAGES_FORCED, false, 52, -1},
    {"nllb", "nllb-json", MT_TEXT_SPM_FAIRSEQ, "deu_Latn", MT_LANGUAGES_FORCED, false, 202, -1},
    {"m2m", "m2m", MT_TEXT_SPM_FAIRSEQ, "de", MT_LANGUAGES_FORCED, false, 100, -1},
    {"bart", "bart", MT_TEXT_BYTE_BPE, .mode = MT_LANGUAGES_NONE, .before = 0},
    {"bart", "bart-json", MT_TEXT_BYTE_BPE, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"codet5", "codet5", MT_TEXT_SPM_OWN, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"codet5", "codet5-json", MT_TEXT_SPM_OWN, .mode = MT_LANGUAGES_NONE, .before = -1},
    {"byt5", "byt5", MT_TEXT_BYTES, .mode = MT_LANGUAGES_NONE, .before = -1},
};

/* A given one is named as a whole. */
static char *
path_of(const char *name)
{
  return g_path_is_absolute(name) ? g_strdup(name) : g_strdup_printf(DATA "/%s", name);
}

static json_object *
load(const char *name)
{
  g_autofree char *base = path_of(name), *path = g_strconcat(base, ".json", NULL);
  json_object *root = json_object_from_file(path);
  if (!root)
    g_error("cannot read %s", path);
  return root;
}

static json_object *
member(json_object *object, const char *key)
{
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value))
    g_error("expected the member %s", key);
  return value;
}

/* The spec that mt_model_open makes for such a folder. */
static mt_tokenizer *
open_case(const kind_case *c, const char *path, size_t size, mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_text_files files;
  mt_tokenizer *t = NULL;
  if (mt_dir_open(&dir, path, NULL, error) && mt_text_files_find(&files, c->kind, &dir, error)) {
    bool has_words = files.kind == MT_TEXT_MARIAN;
    mt_tokenizer_spec spec = {
        .kind = files.kind,
        .vocab_files = {files.vocab, files.vocab},
        .spm_files = {files.spm[0], files.spm[1]},
        .merges_file = files.merges,
        .json_file = files.json,
        .shapes = {{.size = size, .from = "config.json"}, {.size = size, .from = "config.json"}},
        .has_one_vocab = true,
        .has_added_tokens = true,
        .eos_id = -1,
        .language_mode = c->mode,
        .language_last = c->language_last,
        .language_spelling = c->mode == MT_LANGUAGES_SOURCE_TOKEN ? MT_LANGUAGE_TWO
                             : has_words                          ? MT_LANGUAGE_UNDERSCORES
                                                                  : MT_LANGUAGE_PLAIN,
        .max_tokens = 2000,
    };
    int32_t eos = 2;
    if (c->before >= 0) {
      spec.before = (mt_id_list){&c->before, 1};
      spec.after = (mt_id_list){&eos, 1};
    }
    t = mt_tokenizer_open(&dir, &spec, error);
  }
  mt_dir_close(&dir);
  return t;
}

static char *
describe(const mt_tokens *tokens)
{
  GString *s = g_string_new(NULL);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    g_string_append_printf(s, "%s%d", i ? " " : "", mt_tokens_get(tokens, i)->id);
  return g_string_free(s, FALSE);
}

/* Offsets go forward, and no character is cut. */
static void
check_offsets(const mt_tokens *tokens)
{
  const char *text = mt_tokens_text(tokens);
  uint32_t last = 0;
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_assert_cmpuint(last, <=, t->begin);
    g_assert_cmpuint(t->begin, <=, t->end);
    g_assert_cmpuint(t->end, <=, strlen(text));
    g_assert_cmpint(text[t->begin] & 0xc0, !=, 0x80);
    g_assert_cmpint(text[t->end] & 0xc0, !=, 0x80);
    g_assert_true(g_utf8_validate(t->piece, -1, NULL));
    last = t->end;
  }
}

static bool
check_row(const kind_case *c, const mt_tokenizer *t, const char *text, json_object *row)
{
  json_object *list = json_object_array_get_idx(row, 0);
  const char *decoded = json_object_get_string(json_object_array_get_idx(row, 1));
  size_t n = json_object_array_length(list), i;
  g_autofree int32_t *ids = g_new(int32_t, n);
  g_autoptr(GString) expected = g_string_new(NULL);
  for (size_t k = 0; k < n; k++) {
    ids[k] = json_object_get_int(json_object_array_get_idx(list, k));
    g_string_append_printf(expected, "%s%d", k ? " " : "", ids[k]);
  }
  const mt_languages *languages = mt_tokenizer_languages(t, MT_STACK_ENCODER);
  const mt_language *language = NULL;
  if (c->language) {
    g_assert_true(mt_languages_find(languages, c->language, &i));
    language = &languages->items[i];
  }
  mt_error error = {0};
  g_autofree char *visible = g_strescape(text, NULL);
  g_autoptr(mt_tokens) tokens = mt_tokenizer_encode(t, MT_STACK_ENCODER, text, language, &error);
  if (!tokens) {
    g_test_message("%s: \"%s\": %s", c->folder, visible, error.message);
    return n <= (language ? 2 : 1); /* nothing but special tokens */
  }
  g_autofree char *found = describe(tokens);
  bool ok = strcmp(found, expected->str) == 0;
  if (!ok)
    g_test_message("%s: \"%s\": expected %s, found %s", c->folder, visible, expected->str, found);
  check_offsets(tokens);
  g_autoptr(mt_tokens) back = mt_tokenizer_decode(t, MT_STACK_DECODER, ids, n, &error);
  if (!back)
    g_error("%s: %s", c->folder, error.message);
  check_offsets(back);
  if (strcmp(mt_tokens_text(back), decoded) != 0) {
    g_test_message("%s: \"%s\" decoded: expected \"%s\", found \"%s\"", c->folder, visible, decoded,
                   mt_tokens_text(back));
    ok = false;
  }
  return ok;
}

static void
test_golden(gconstpointer data)
{
  const kind_case *c = data;
  json_object *root = load(c->golden), *texts;
  if (json_object_object_get_ex(root, "texts", &texts))
    json_object_get(root), texts = root;
  else
    texts = load("texts");
  json_object *lines = member(texts, "texts"), *extra = member(root, "extra"),
              *rows = member(root, "rows");
  size_t n_lines = json_object_array_length(lines), n = json_object_array_length(rows);
  mt_error error = {0};
  g_autofree char *path = path_of(c->folder);
  mt_tokenizer *t = open_case(c, path, (size_t) json_object_get_int(member(root, "size")), &error);
  if (!t)
    g_error("%s", error.message);
  g_assert_cmpuint(mt_tokenizer_languages(t, MT_STACK_ENCODER)->n, ==,
                   c->mode == MT_LANGUAGES_SOURCE_TOKEN ? 0 : c->n_languages);
  g_assert_cmpuint(mt_tokenizer_languages(t, MT_STACK_DECODER)->n, ==, c->n_languages);
  gsize n_faults = 0, n_checked = 0;
  for (size_t i = 0; i < n; i++) {
    json_object *row = json_object_array_get_idx(rows, i);
    json_object *line = i < n_lines ? json_object_array_get_idx(lines, i)
                                    : json_object_array_get_idx(extra, i - n_lines);
    if (!row)
      continue;
    n_faults += !check_row(c, t, json_object_get_string(line), row);
    n_checked++;
  }
  g_test_message("%s: %zu texts, %zu faults", c->folder, n_checked, n_faults);
  g_assert_cmpuint(n_checked, >=, 300);
  g_assert_cmpuint(n_faults, ==, 0);
  mt_tokenizer_free(t);
  json_object_put(texts);
  json_object_put(root);
}

/* ---- Files that are wrong -------------------------------------------------------------------- */

/* A folder of the data, to be spoilt. */
typedef struct {
  char *path;
} scratch;

static void
scratch_put(const scratch *s, const char *file, const char *bytes, gsize n)
{
  g_autofree char *path = g_build_filename(s->path, file, NULL);
  g_autoptr(GError) problem = NULL;
  if (!g_file_set_contents(path, bytes, (gssize) n, &problem))
    g_error("%s", problem->message);
}

static char *
read_data(const char *folder, const char *file, gsize *n)
{
  g_autofree char *path = g_build_filename(DATA, folder, file, NULL);
  char *bytes;
  if (!g_file_get_contents(path, &bytes, n, NULL))
    g_error("cannot read %s", path);
  return bytes;
}

static scratch
scratch_new(const char *folder)
{
  scratch s = {g_dir_make_tmp("text-XXXXXX", NULL)};
  g_autofree char *from = g_build_filename(DATA, folder, NULL);
  GDir *dir = g_dir_open(from, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));) {
    gsize n;
    g_autofree char *bytes = read_data(folder, name, &n);
    scratch_put(&s, name, bytes, n);
  }
  g_dir_close(dir);
  return s;
}

static void
scratch_free(scratch *s)
{
  GDir *dir = g_dir_open(s->path, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(s->path, name, NULL);
    g_remove(path);
  }
  g_dir_close(dir);
  g_rmdir(s->path);
  g_free(s->path);
}

static const kind_case *
case_of(const char *folder)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    if (strcmp(cases[i].folder, folder) == 0)
      return &cases[i];
  g_error("no case %s", folder);
}

static size_t
size_of(const kind_case *c)
{
  json_object *root = load(c->golden);
  size_t size = (size_t) json_object_get_int(member(root, "size"));
  json_object_put(root);
  return size;
}

static void
assert_refused(const kind_case *c, const char *path, size_t size, mt_error_code code,
               const char *words)
{
  mt_error error = {0};
  mt_tokenizer *t = open_case(c, path, size, &error);
  if (t || error.code != code || !strstr(error.message, words))
    g_error("%s: expected \"%s\", found \"%s\" (%d)", c->folder, words, error.message, error.code);
}

static const struct {
  const char *folder, *file, *old, *new; /* the first place is replaced; old NULL: all of it */
  mt_error_code code;
  const char *words;
} wrongs[] = {
    {"t5-json", "tokenizer.json", "\"unk_id\":2", "\"unk_id\":9999", MT_ERROR_FORMAT,
     "stands for unknown ones"},
    {"t5-json", "tokenizer.json", "\"unk_id\":2", "\"unk_id\":null", MT_ERROR_FORMAT,
     "stands for unknown ones"},
    {"t5-json", "tokenizer.json", "\"Unigram\"", "\"WordPiece\"", MT_ERROR_UNSUPPORTED,
     "\"WordPiece\""},
    {"t5-json", "tokenizer.json", "\"Precompiled\"", "\"Lowercase\"", MT_ERROR_UNSUPPORTED,
     "\"Lowercase\""},
    {"t5-json", "tokenizer.json", "\"WhitespaceSplit\"", "\"BertPreTokenizer\"",
     MT_ERROR_UNSUPPORTED, "\"BertPreTokenizer\""},
    {"t5-json", "tokenizer.json", "\"replacement\":\"▁\"", "\"replacement\":\"_\"",
     MT_ERROR_UNSUPPORTED, "mark of words"},
    {"t5-json", "tokenizer.json", "\"precompiled_charsmap\":\"AA", "\"precompiled_charsmap\":\"A!",
     MT_ERROR_FORMAT, "base64"},
    {"t5-json", "tokenizer.json", "\"precompiled_charsmap\":\"AAQAAA",
     "\"precompiled_charsmap\":\"////AA", MT_ERROR_FORMAT, "table of character"},
    {"t5-json", "tokenizer.json", "[\"<pad>\",0.0]", "[\"<pad>\",\"0\"]", MT_ERROR_FORMAT,
     "pieces with their scores"},
    {"t5-json", "tokenizer.json", "[\"s\",", "[\"e\",", MT_ERROR_FORMAT, "SentencePiece model"},
    {"t5-json", "tokenizer.json", NULL, "{}", MT_ERROR_UNSUPPORTED, "a model"},
    {"t5-json", "tokenizer.json", NULL, "[]", MT_ERROR_FORMAT, "tokenizer.json"},
    {"t5-json", "tokenizer.json", "\"pre_tokenizer\":{", "\"pre_tokenizer\":3,\"x\":{",
     MT_ERROR_FORMAT, "the number 3"},
    {"nllb-json", "tokenizer.json", "[\"▁\",\".\"],", "", MT_ERROR_UNSUPPORTED, "merges"},
    {"nllb-json", "tokenizer.json", "\"<pad>\":1", "\"<pad>\":0", MT_ERROR_FORMAT, "each once"},
    {"nllb-json", "tokenizer.json", "\"unk_token\":\"<unk>\"", "\"unk_token\":\"<none>\"",
     MT_ERROR_FORMAT, "stands for unknown ones"},
    {"bart-json", "tokenizer.json", "\"use_regex\":true", "\"use_regex\":false",
     MT_ERROR_UNSUPPORTED, "pattern of words"},
    {"bart-json", "tokenizer.json", "\"merges\":[", "\"merges\":[3,", MT_ERROR_FORMAT,
     "the number 3"},
    {"bart-json", "tokenizer.json", "\"merges\":[", "\"merges\":[[\"q\",\"zz\"],", MT_ERROR_FORMAT,
     "is no piece"},
    {"bart-json", "tokenizer.json", "\"vocab\":{", "\"vocab\":{\"<big>\":4000000,", MT_ERROR_FORMAT,
     "<big>"},
    {"bart", "merges.txt", NULL, "#version: 0.2\nq zz\n", MT_ERROR_FORMAT, "is no piece"},
    {"bart", "merges.txt", NULL, "#version: 0.2\nqq\n", MT_ERROR_FORMAT, "a space between"},
    {"bart", "merges.txt", NULL, "q q q\n", MT_ERROR_FORMAT, "a space between"},
    {"bart", "merges.txt", NULL, "q \xff\n", MT_ERROR_FORMAT, "UTF-8"},
    {"bart", "vocab.json", "\"<pad>\": 1", "\"<pad>\": -1", MT_ERROR_FORMAT, "<pad>"},
    {"t5", "spiece.model", NULL, "version https://git-lfs.github.com/spec/v1\n", MT_ERROR_FORMAT,
     "spiece.model"},
};

/* What transformers 5 writes for a Pegasus without a table of characters: a new line is a space. */
static void
test_lines(void)
{
  const kind_case *c = case_of("pegasus-json");
  scratch s = scratch_new("pegasus-json");
  g_autofree char *path = g_build_filename(s.path, "tokenizer.json", NULL);
  json_object *root = json_object_from_file(path);
  json_object_object_add(root, "normalizer",
                         json_tokener_parse(
                             "{\"type\": \"Sequence\", \"normalizers\": ["
                             "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"\\\\n\"},"
                             " \"content\": \" \"},"
                             "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \" {2,}\"},"
                             " \"content\": \" \"}]}"));
  const char *json = json_object_to_json_string(root);
  scratch_put(&s, "tokenizer.json", json, strlen(json));
  json_object_put(root);

  mt_error error = {0};
  mt_tokenizer *t = open_case(c, s.path, size_of(c), &error);
  if (!t)
    g_error("%s", error.message);
  static const char *const texts[] = {"the cat", "the\ncat", "\nthe \n\n cat\n"};
  g_autofree char *expected = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    mt_tokens *tokens = mt_tokenizer_encode(t, MT_STACK_ENCODER, texts[i], NULL, &error);
    if (!tokens)
      g_error("%s", error.message);
    g_autofree char *found = describe(tokens);
    if (!expected)
      expected = g_steal_pointer(&found);
    else
      g_assert_cmpstr(found, ==, expected);
    mt_tokens_unref(tokens);
  }
  mt_tokenizer_free(t);
  scratch_free(&s);
}

static void
test_wrong_files(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(wrongs); i++) {
    const kind_case *c = case_of(wrongs[i].folder);
    scratch s = scratch_new(wrongs[i].folder);
    gsize n;
    g_autofree char *bytes = read_data(wrongs[i].folder, wrongs[i].file, &n);
    GString *changed = g_string_new_len(bytes, (gssize) n);
    if (!wrongs[i].old)
      g_string_assign(changed, wrongs[i].new);
    else if (g_string_replace(changed, wrongs[i].old, wrongs[i].new, 1) != 1)
      g_error("%s/%s has no %s", wrongs[i].folder, wrongs[i].file, wrongs[i].old);
    scratch_put(&s, wrongs[i].file, changed->str, changed->len);
    assert_refused(c, s.path, size_of(c), wrongs[i].code, wrongs[i].words);
    g_string_free(changed, TRUE);
    scratch_free(&s);
  }
}

/* A piece of more than a thousand bytes. */
static void
test_long_piece(void)
{
  static const struct {
    const char *folder, *old, *before, *after;
  } rows[] = {{"t5-json", "[\"s\",", "[\"", "\","},
              {"nllb-json", "\"▁.\":4", "\"", "\":4"},
              {"bart-json", "\"vocab\":{", "\"vocab\":{\"", "\":4,"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const kind_case *c = case_of(rows[i].folder);
    scratch s = scratch_new(c->folder);
    gsize n;
    g_autofree char *bytes = read_data(c->folder, "tokenizer.json", &n);
    g_autofree char *piece = g_strnfill(1025, 'x');
    g_autofree char *new = g_strconcat(rows[i].before, piece, rows[i].after, NULL);
    GString *changed = g_string_new_len(bytes, (gssize) n);
    g_assert_cmpuint(g_string_replace(changed, rows[i].old, new, 1), ==, 1);
    scratch_put(&s, "tokenizer.json", changed->str, changed->len);
    assert_refused(c, s.path, size_of(c), MT_ERROR_FORMAT, "at most 1024 bytes");
    g_string_free(changed, TRUE);
    scratch_free(&s);
  }
}

/* More ids than the model has rows; ids that it names and does not have; nothing to read. */
static void
test_sizes(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = path_of(cases[i].folder);
    mt_error error = {0};
    static const size_t small[] = {1, 2, 5, 60, 150};
    for (gsize k = 0; k < G_N_ELEMENTS(small); k++) {
      mt_tokenizer *t = open_case(&cases[i], path, small[k], &error);
      g_assert_true(!t && error.message[0]);
      error = (mt_error){0};
    }
  }
  kind_case beyond = *case_of("bart");
  beyond.before = 100000;
  g_autofree char *bart = path_of("bart");
  assert_refused(&beyond, bart, size_of(&beyond), MT_ERROR_FORMAT, "special tokens with ids below");

  char *empty = g_dir_make_tmp("text-XXXXXX", NULL);
  kind_case wanted = {.folder = "empty", .before = -1};
  static const struct {
    mt_text_kind kind;
    const char *words;
  } missing[] = {
      {MT_TEXT_MARIAN, "vocab.json"},
      {MT_TEXT_SPM_OWN, "(spiece.model, or vocab.json with merges.txt, or tokenizer.json)"},
      {MT_TEXT_SPM_FAIRSEQ, "sentencepiece.bpe.model"},
      {MT_TEXT_SPM_OFFSET, "(spiece.model, or tokenizer.json)"},
      {MT_TEXT_BYTE_BPE, "vocab.json with merges.txt"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(missing); i++) {
    wanted.kind = missing[i].kind;
    assert_refused(&wanted, empty, 500, MT_ERROR_IO, missing[i].words);
  }
  g_rmdir(empty);
  g_free(empty);
}

/* A file that is cut off anywhere is refused, or what is left of it is a whole one. */
static void
test_cut_off(void)
{
  static const struct {
    const char *folder, *file;
  } files[] = {{"t5", "spiece.model"},
               {"t5-json", "tokenizer.json"},
               {"bart-json", "tokenizer.json"},
               {"bart", "merges.txt"}};
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    const kind_case *c = case_of(files[i].folder);
    size_t size = size_of(c);
    scratch s = scratch_new(files[i].folder);
    gsize n;
    g_autofree char *bytes = read_data(files[i].folder, files[i].file, &n);
    for (gsize cut = 0; cut < n; cut += 1 + n / 19) {
      mt_error error = {0};
      scratch_put(&s, files[i].file, bytes, cut);
      mt_tokenizer *t = open_case(c, s.path, size, &error);
      g_assert_true(t || error.message[0]);
      g_assert_true(!t || strcmp(files[i].file, "merges.txt") == 0);
      mt_tokenizer_free(t);
    }
    scratch_free(&s);
  }
}

/* ---- What is meant to differ from transformers ----------------------------------------------- */

static mt_tokens *
encode(const mt_tokenizer *t, const char *text)
{
  mt_error error = {0};
  mt_tokens *tokens = mt_tokenizer_encode(t, MT_STACK_ENCODER, text, NULL, &error);
  if (!tokens)
    g_error("\"%s\": %s", text, error.message);
  return tokens;
}

/* Special tokens that are spelled out are text, but for the mask and what a model is asked by. */
static void
test_spelled_out(void)
{
  static const struct {
    const char *folder, *text;
    gsize n_special; /* with those around */
  } spelled[] = {
      {"t5", "a </s> b <pad> c", 1},
      {"t5", "a <extra_id_0> b", 2},
      {"t5-json", "a </s> b <extra_id_99>", 2},
      {"mbart50", "de_DE is a code, <mask> is none", 2},
      {"mbart50-json", "de_DE </s>", 1},
      {"nllb", "deu_Latn", 1},
      {"m2m", "__de__ <s>", 1},
      {"bart", "<s> a </s> <mask>", 3},
      {"bart-json", "<s> a </s> <mask>", 3},
      {"byt5", "</s> <extra_id_7>", 2},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(spelled); i++) {
    const kind_case *c = case_of(spelled[i].folder);
    g_autofree char *path = path_of(c->folder);
    mt_error error = {0};
    mt_tokenizer *t = open_case(c, path, size_of(c), &error);
    g_autoptr(mt_tokens) tokens = encode(t, spelled[i].text);
    gsize n = 0;
    for (size_t k = 0; k < mt_tokens_count(tokens); k++)
      n += mt_tokens_get(tokens, k)->is_special;
    if (n != spelled[i].n_special)
      g_error("%s: \"%s\" has %zu special tokens", c->folder, spelled[i].text, n);
    mt_tokenizer_free(t);
  }
}

static char *
pieces_of(const mt_tokens *tokens)
{
  GString *s = g_string_new(NULL);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_string_append_printf(s, "%s%s@%u-%u/%d", i ? " " : "", t->piece, t->begin, t->end, t->word);
  }
  return g_string_free(s, FALSE);
}

/* Pieces as they are shown, their places and their words. */
static void
test_shown(void)
{
  static const struct {
    const char *folder, *text, *pieces;
  } shown[] = {
      {"bart", "the cat", "<s>@0-0/0 the@0-3/1 Ġcat@3-7/2 </s>@7-7/3"},
      {"codet5", "the cat", "<s>@0-0/0 Ġthe@0-3/1 Ġcat@3-7/2 </s>@7-7/3"},
      {"bart", "ሰ a", "<s>@0-0/0 <0xE1>@0-0/1 <0x88>@0-0/1 <0xB0>@0-3/1 Ġa@3-5/2 </s>@5-5/3"},
      {"byt5", "é a", "<0xC3>@0-0/0 <0xA9>@0-2/0 ▁@2-3/1 a@3-4/1 </s>@4-4/2"},
      {"t5", "the cat", "▁the@0-3/0 ▁c@3-5/1 at@5-7/1 </s>@7-7/2"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(shown); i++) {
    const kind_case *c = case_of(shown[i].folder);
    g_autofree char *path = path_of(c->folder);
    mt_error error = {0};
    mt_tokenizer *t = open_case(c, path, size_of(c), &error);
    g_autoptr(mt_tokens) tokens = encode(t, shown[i].text);
    g_autofree char *found = pieces_of(tokens);
    g_assert_cmpstr(found, ==, shown[i].pieces);
    mt_tokenizer_free(t);
  }
}

/* MADLAD is told the target before the text, as if it were part of it. */
static void
test_language_in_text(void)
{
  const kind_case *c = case_of("madlad");
  g_autofree char *path = path_of(c->folder);
  mt_error error = {0};
  mt_tokenizer *t = open_case(c, path, size_of(c), &error);
  const mt_languages *languages = mt_tokenizer_languages(t, MT_STACK_DECODER);
  g_assert_cmpuint(languages->n, ==, 2);
  g_assert_cmpstr(languages->items[0].code, ==, "de");
  static const struct {
    const char *text;
    bool is_told;
    const char *pieces;
  } rows[] = {
      {"he", true, "▁@0-0/0 <2de>@0-0/1 ▁he@0-2/2 </s>@2-2/3"},
      {"<2fr> he", true, "▁@0-0/0 <2fr>@0-5/1 ▁he@5-8/2 </s>@8-8/3"},
      {"<2de> he", false, "▁@0-0/0 <2de>@0-5/1 ▁he@5-8/2 </s>@8-8/3"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(mt_tokens) tokens =
        mt_tokenizer_encode(t, MT_STACK_ENCODER, rows[i].text,
                            rows[i].is_told ? &languages->items[0] : NULL, &error);
    g_autofree char *found = pieces_of(tokens);
    g_assert_cmpstr(found, ==, rows[i].pieces);
    g_assert_true(mt_tokens_get(tokens, 1)->is_special);
  }
  mt_tokenizer_free(t);
}

/* Bytes that are no text become U+FFFD, or nothing; a character that two ids have parts of belongs
 * to the second. */
static void
test_broken_bytes(void)
{
  mt_error error = {0};
  const kind_case *c = case_of("byt5");
  g_autofree char *path = path_of(c->folder);
  mt_tokenizer *t = open_case(c, path, size_of(c), &error);
  static const int32_t ids[] = {3 + 0xc3, 3 + 'a', 3 + 0xc3, 3 + 0xa9, 3 + 0xe2, 3 + 0x82, 3 + 'b'};
  g_autoptr(mt_tokens) tokens =
      mt_tokenizer_decode(t, MT_STACK_DECODER, ids, G_N_ELEMENTS(ids), &error);
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "aéb");
  mt_tokenizer_free(t);

  c = case_of("bart");
  g_autofree char *bart = path_of(c->folder);
  t = open_case(c, bart, size_of(c), &error);
  g_autoptr(mt_tokens) parts = encode(t, "xሰx");
  int32_t some[3]; /* x and two of three bytes */
  for (gsize i = 0; i < 3; i++)
    some[i] = mt_tokens_get(parts, i + 1)->id;
  g_autoptr(mt_tokens) back = mt_tokenizer_decode(t, MT_STACK_DECODER, some, 3, &error);
  g_assert_cmpstr(mt_tokens_text(back), ==, "x\xef\xbf\xbd");
  mt_tokenizer_free(t);
}

/* Files that name tokens without their ids, as the older ones of the Hub do, with one of somebody's
 * own behind them. */
static void
test_named_only(void)
{
  static const struct {
    const char *folder, *config, *text, *pieces;
  } named[] = {
      {"t5",
       "{\"additional_special_tokens\": [\"<extra_id_0>\", \"<extra_id_1>\"],"
       " \"added_tokens_decoder\": {\"0\": {\"content\": \"<pad>\", \"special\": true},"
       " \"292\": {\"content\": \"<own>\"}}}",
       "<extra_id_0> <own>", "291 292 1"},
      {"mbart50",
       "{\"additional_special_tokens\": [\"en_XX\", \"de_DE\"], \"mask_token\": \"<mask>\","
       " \"added_tokens_decoder\": {\"245\": {\"content\": \"<mask>\", \"special\": true}}}",
       "<mask>", "245 2"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(named); i++) {
    const kind_case *c = case_of(named[i].folder);
    scratch s = scratch_new(c->folder);
    scratch_put(&s, "tokenizer_config.json", named[i].config, strlen(named[i].config));
    mt_error error = {0};
    mt_tokenizer *t = open_case(c, s.path, size_of(c) + 4, &error);
    if (!t)
      g_error("%s", error.message);
    g_autoptr(mt_tokens) tokens = encode(t, named[i].text);
    g_autofree char *found = describe(tokens);
    g_assert_cmpstr(found, ==, named[i].pieces);
    const mt_languages *languages = mt_tokenizer_languages(t, MT_STACK_DECODER);
    g_assert_cmpuint(languages->n, ==, c->n_languages);
    size_t german;
    if (c->n_languages > 0) {
      g_assert_true(mt_languages_find(languages, "de_DE", &german));
      g_assert_cmpint(languages->items[german].id, ==, 195);
    }
    mt_tokenizer_free(t);
    scratch_free(&s);
  }
}

/* ---- Little memory --------------------------------------------------------------------------- */

static void
test_no_memory(void)
{
  static const char *const folders[] = {"t5", "m2m", "nllb-json", "bart", "bart-json", "byt5"};
  for (gsize i = 0; i < G_N_ELEMENTS(folders); i++) {
    const kind_case *c = case_of(folders[i]);
    g_autofree char *path = path_of(c->folder);
    size_t size = size_of(c);
    mt_tokenizer *t = NULL;
    for (gsize n = 0; !t; n += 1 + n / 16) {
      mt_error error = {0};
      few_then_all_fail(n);
      t = open_case(c, path, size, &error);
      few_end();
      g_assert_true(t || error.code == MT_ERROR_NO_MEMORY);
    }
    bool ok = false;
    for (gsize n = 0; !ok; n++) {
      mt_error error = {0};
      few_then_all_fail(n);
      mt_tokens *tokens = mt_tokenizer_encode(t, MT_STACK_ENCODER, "the cat sat", NULL, &error);
      mt_tokens *back = NULL;
      static const int32_t ids[] = {10, 11, 12};
      if (tokens)
        back = mt_tokenizer_decode(t, MT_STACK_DECODER, ids, G_N_ELEMENTS(ids), &error);
      few_end();
      ok = tokens && back;
      g_assert_true(ok || error.code == MT_ERROR_NO_MEMORY);
      mt_tokens_unref(tokens);
      mt_tokens_unref(back);
    }
    mt_tokenizer_free(t);
  }
}

TESTS()
{
  /* Real files, by hand: a folder, what make_text_kinds.py wrote of it (without ".json"), and the
   * number of its kind. */
  static kind_case given = {.mode = MT_LANGUAGES_NONE, .before = -1};
  given.folder = g_getenv("REGARD_TEXT_FOLDER");
  given.golden = g_getenv("REGARD_TEXT_GOLDEN");
  given.kind =
      (mt_text_kind) atoi(g_getenv("REGARD_TEXT_KIND") ? g_getenv("REGARD_TEXT_KIND") : "0");
  if (given.folder && given.golden)
    g_test_add_data_func("/text-kinds/given", &given, test_golden);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    suite_add(&cases[i], test_golden, "/text-kinds/golden/%s", cases[i].folder);
  g_test_add_func("/text-kinds/lines", test_lines);
  g_test_add_func("/text-kinds/wrong-files", test_wrong_files);
  g_test_add_func("/text-kinds/long-piece", test_long_piece);
  g_test_add_func("/text-kinds/sizes", test_sizes);
  g_test_add_func("/text-kinds/cut-off", test_cut_off);
  g_test_add_func("/text-kinds/spelled-out", test_spelled_out);
  g_test_add_func("/text-kinds/shown", test_shown);
  g_test_add_func("/text-kinds/broken-bytes", test_broken_bytes);
  g_test_add_func("/text-kinds/language-in-text", test_language_in_text);
  g_test_add_func("/text-kinds/named-only", test_named_only);
  g_test_add_func("/text-kinds/no-memory", test_no_memory);
}

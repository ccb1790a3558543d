/* test-text-kinds.c — kinds of text besides Marian's: ids and decoded texts against transformers
 * (tests/reference/make_text_kinds.py), from each form of the files; offsets; refusals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <json.h>
#include <string.h>

#include "base/mt-utf8.h"
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

static json_object *
load(const char *name)
{
  g_autofree char *path = g_strdup_printf(DATA "/%s.json", name);
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
  json_object *texts = load("texts"), *root = load(c->golden);
  json_object *lines = member(texts, "texts"), *extra = member(root, "extra"),
              *rows = member(root, "rows");
  size_t n_lines = json_object_array_length(lines), n = json_object_array_length(rows);
  mt_error error = {0};
  g_autofree char *path = g_strdup_printf(DATA "/%s", c->folder);
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
  g_assert_cmpuint(n_checked, >=, 250);
  g_assert_cmpuint(n_faults, ==, 0);
  mt_tokenizer_free(t);
  json_object_put(texts);
  json_object_put(root);
}

TESTS()
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    suite_add(&cases[i], test_golden, "/text-kinds/golden/%s", cases[i].folder);
}

/* test-added-tokens.c — tokens beyond the vocabulary file: ids and decoded texts against
 * transformers (tests/reference/make_added_tokens.py), offsets, refusals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <json.h>
#include <string.h>

#include "engine-test.h"
#include "few-allocations.h"
#include "model-dir.h"
#include "suite.h"

#define GOLDEN REGARD_SOURCE_ROOT "/tests/data/added-tokens.json"

static json_object *
member(json_object *object, const char *key)
{
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value))
    g_error("expected the member %s", key);
  return value;
}

static void
write_json(const model_dir *dir, const char *file, json_object *content)
{
  model_dir_write(dir, file, json_object_to_json_string(content), -1);
}

/* A model whose vocabulary lacks some rows, and the tokenizer files of a case. */
static model_dir *
make_dir(json_object *root, json_object *files)
{
  model_dir *dir = model_dir_new();
  write_json(dir, "vocab.json", member(root, "vocab"));
  model_dir_replace(dir, "config.json", "\"max_position_embeddings\": 16",
                    "\"max_position_embeddings\": 200");
  json_object_object_foreach(files, file, content) write_json(dir, file, content);
  return dir;
}

static char *
ids_of(const mt_tokens *tokens)
{
  GString *s = g_string_new(NULL);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    g_string_append_printf(s, "%s%d", i ? " " : "", mt_tokens_get(tokens, i)->id);
  return g_string_free(s, FALSE);
}

static gsize
check_text(const mt_model *model, const char *name, json_object *line)
{
  const char *text = json_object_get_string(member(line, "text"));
  json_object *list = member(line, "ids");
  size_t n = json_object_array_length(list), vocab_size = mt_model_config(model)->vocab_size[0];
  bool is_beyond = false;
  g_autoptr(GString) expected = g_string_new(NULL);
  for (size_t i = 0; i < n; i++) {
    int id = json_object_get_int(json_object_array_get_idx(list, i));
    is_beyond |= (size_t) id >= vocab_size;
    g_string_append_printf(expected, "%s%d", i ? " " : "", id);
  }
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens = mt_model_tokenize(model, MT_STACK_ENCODER, text, &error);
  if (is_beyond) {
    g_assert_null(tokens);
    g_assert_nonnull(strstr(error.message, "no embedding"));
    return 1;
  }
  if (!tokens)
    g_error("%s: \"%s\": %s", name, text, error.message);
  g_autofree char *found = ids_of(tokens);
  if (strcmp(found, expected->str) != 0)
    g_error("%s: \"%s\": expected %s, found %s", name, text, expected->str, found);
  /* Offsets go forward and stay in the text. */
  for (size_t i = 0; i < n; i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_assert_cmpuint(t->begin, <=, t->end);
    g_assert_cmpuint(t->end, <=, strlen(text));
    g_assert_true(i == 0 || mt_tokens_get(tokens, i - 1)->end <= t->begin);
  }
  return 1;
}

static void
check_ids(const mt_model *model, const char *name, json_object *line)
{
  json_object *list = member(line, "ids");
  int32_t ids[16];
  size_t n = json_object_array_length(list);
  g_assert_cmpuint(n, <=, G_N_ELEMENTS(ids));
  for (size_t i = 0; i < n; i++)
    ids[i] = json_object_get_int(json_object_array_get_idx(list, i));
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens = mt_model_detokenize(model, MT_STACK_DECODER, ids, n, &error);
  if (!tokens)
    g_error("%s: %s", name, error.message);
  const char *expected = json_object_get_string(member(line, "text"));
  if (strcmp(mt_tokens_text(tokens), expected) != 0)
    g_error("%s: %s: expected \"%s\", found \"%s\"", name, json_object_to_json_string(list),
            expected, mt_tokens_text(tokens));
}

static void
test_golden(void)
{
  json_object *root = json_object_from_file(GOLDEN);
  json_object *cases = member(root, "cases");
  gsize n_texts = 0;
  for (size_t i = 0; i < json_object_array_length(cases); i++) {
    json_object *one = json_object_array_get_idx(cases, i), *texts = member(one, "texts"),
                *lists = member(one, "ids");
    const char *name = json_object_get_string(member(one, "name"));
    g_autoptr(model_dir) dir = make_dir(root, member(one, "files"));
    g_autoptr(mt_model) model = model_open_good(dir->path);
    for (size_t k = 0; k < json_object_array_length(texts); k++)
      n_texts += check_text(model, name, json_object_array_get_idx(texts, k));
    for (size_t k = 0; k < json_object_array_length(lists); k++)
      check_ids(model, name, json_object_array_get_idx(lists, k));
  }
  g_assert_cmpuint(n_texts, >=, 300);
  json_object_put(root);
}

/* "piece@begin-end/word", a * for special tokens, joined by spaces. */
static void
assert_tokens(const mt_model *model, const char *text, int language, const char *expected)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens = mt_model_tokenize_to(model, text, language, &error);
  if (!tokens)
    g_error("\"%s\": %s", text, error.message);
  g_autoptr(GString) s = g_string_new(NULL);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_string_append_printf(s, "%s%s%s@%u-%u/%d", i ? " " : "", t->piece, t->is_special ? "*" : "",
                           t->begin, t->end, t->word);
  }
  g_assert_cmpstr(s->str, ==, expected);
}

static const char tokens_file[] =
    "{\"added_tokens_decoder\": {"
    "\"110\": {\"content\": \"<r>\", \"rstrip\": true, \"single_word\": true},"
    "\"111\": {\"content\": \">>deu<<\", \"rstrip\": true},"
    "\"112\": {\"content\": \"<brand>\", \"special\": true},"
    "\"113\": {\"content\": \"</s>\"},"
    "\"500\": {\"content\": \"<far>\"}},"
    "\"extra_special_tokens\": [\"<brand>\"]}";

/* Offsets count the bytes of the text as it was given, also where blanks were taken out of it. */
static void
test_offsets(void)
{
  json_object *root = json_object_from_file(GOLDEN), *none = json_object_new_object();
  g_autoptr(model_dir) dir = make_dir(root, none);
  model_dir_write(dir, "tokenizer_config.json", tokens_file, -1);
  g_autoptr(mt_model) model = model_open_good(dir->path);

  /* A language of an added token is one to choose, and takes the blank that comes after it. */
  g_assert_cmpuint(mt_model_n_languages(model), ==, 1);
  g_assert_cmpstr(mt_model_language(model, 0), ==, "deu");
  assert_tokens(model, "the dog", 0, ">>deu<<*@0-0/0 ▁the@0-3/1 ▁dog@3-7/2 </s>*@7-7/3");
  assert_tokens(model, ">>deu<<  the", 0, ">>deu<<*@0-7/0 ▁the@9-12/1 </s>*@12-12/2");
  assert_tokens(model, "the>>deu<<the", -1,
                "▁the@0-3/0 >>deu<<*@3-10/1 ▁the@10-13/2 </s>*@13-13/3");

  /* A special one is a word of its own; </s> is text, although the file lists it. */
  assert_tokens(model, "the <brand> dog", -1,
                "▁the@0-3/0 <brand>*@4-11/1 ▁dog@12-15/2 </s>*@15-15/3");
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens = mt_model_tokenize(model, MT_STACK_ENCODER, "the </s>", &error);
  for (size_t i = 0; i + 1 < mt_tokens_count(tokens); i++)
    g_assert_false(mt_tokens_get(tokens, i)->is_special);

  /* This one takes the blank after it, then finds a letter there, and is text with it. */
  assert_tokens(model, "<r>\t a", -1,
                "▁@0-0/0 <unk>@0-1/0 r@1-2/0 <unk>@2-3/0 a@5-6/1 </s>*@6-6/2");

  g_assert_null(mt_model_tokenize(model, MT_STACK_ENCODER, "so <far> away", &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_cmpstr(error.message, ==,
                  "The text has the added token \"<far>\", whose id 500 the model has no embedding "
                  "for (it has 125).");
  json_object_put(none);
  json_object_put(root);
}

static void
test_refused(void)
{
  static const struct {
    const char *file, *content, *words;
  } cases[] = {
      {"tokenizer_config.json", "{\"added_tokens_decoder\": []}",
       "/tokenizer_config.json: |added_tokens_decoder|a list"},
      {"tokenizer_config.json", "{\"added_tokens_decoder\": {\"x\": {\"content\": \"a\"}}}",
       "/tokenizer_config.json: |to be ids|\"x\""},
      {"tokenizer_config.json", "{\"added_tokens_decoder\": {\"-3\": {\"content\": \"a\"}}}",
       "to be ids|\"-3\""},
      {"tokenizer_config.json",
       "{\"added_tokens_decoder\": {\"99999999999\": {\"content\": \"a\"}}}",
       "to be ids|\"99999999999\""},
      {"tokenizer_config.json", "{\"added_tokens_decoder\": {\"112\": \"a\"}}",
       "\"content\"|\"a\""},
      {"tokenizer_config.json",
       "{\"added_tokens_decoder\": {\"112\": {\"content\": \"a\", \"lstrip\": 1}}}",
       "true or false|the number 1"},
      {"tokenizer_config.json", "{\"extra_special_tokens\": [7]}", "to be strings|the number 7"},
      {"added_tokens.json", "{\"a\": -1}", "/added_tokens.json: |whole numbers|-1"},
      {"added_tokens.json", "[]", "/added_tokens.json: |object"},
      {"added_tokens.json", "{\"a\"", "/added_tokens.json: |cut off"},
      {"special_tokens_map.json", "{\"eos_token\": \"<end>\"}", "the piece \"<end>\""},
      {"tokenizer.json", "{\"added_tokens\": [3]}", "/tokenizer.json: |an id|the number 3"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    model_dir *dir = model_dir_new();
    model_dir_write(dir, cases[i].file, cases[i].content, -1);
    model_open_bad(dir->path, MT_ERROR_FORMAT, cases[i].words);
    model_dir_free(dir);
  }
  model_dir *dir = model_dir_new();
  g_autofree char *name = g_strnfill(257, 'a');
  g_autofree char *content = g_strdup_printf("{\"%s\": 112}", name);
  model_dir_write(dir, "added_tokens.json", content, -1);
  model_open_bad(dir->path, MT_ERROR_UNSUPPORTED, "/added_tokens.json: |at most 256 bytes");
  model_dir_free(dir);
}

static void
test_no_memory(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_write(dir, "tokenizer_config.json", tokens_file, -1);
  g_autoptr(mt_model) model = NULL;
  for (gsize n = 0; !model; n++) {
    mt_error error = {0};
    few_then_one_fails(n);
    model = mt_model_open(dir->path, NULL, &error);
    few_end();
    if (!model)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
  }
  g_autoptr(mt_tokens) tokens = NULL;
  for (gsize n = 0; !tokens; n++) {
    mt_error error = {0};
    few_then_one_fails(n);
    tokens = mt_model_tokenize(model, MT_STACK_ENCODER, "a <r> the <brand> ", &error);
    few_end();
    if (!tokens)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
  }
}

TESTS()
{
  g_test_add_func("/added-tokens/golden", test_golden);
  g_test_add_func("/added-tokens/offsets", test_offsets);
  g_test_add_func("/added-tokens/refused", test_refused);
  g_test_add_func("/added-tokens/no-memory", test_no_memory);
}

/* test-tokenizer.c — text to tokens and back: offsets, words, special tokens, refusals.
 *
 * That the ids are those of Hugging Face's tokenizer is test-golden-tokenizer's part.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "../fuzz/fuzz-inputs.h"
#include "engine-test.h"
#include "few-allocations.h"
#include "model-dir.h"
#include "suite.h"
#include "text/mt-languages.h"
#include "text/mt-sentencepiece.h"

#define FROZEN   REGARD_SOURCE_ROOT "/tests/data/frozen/en-de"
#define SEPARATE REGARD_SOURCE_ROOT "/tests/data/checkpoints/separate-vocabularies"

static mt_tokens *
tokenize(const mt_model *model, mt_stack side, const char *text)
{
  mt_error error = {0};
  mt_tokens *tokens = mt_model_tokenize(model, side, text, &error);
  if (!tokens)
    g_error("\"%s\": %s", text, error.message);
  return tokens;
}

static mt_tokens *
detokenize(const mt_model *model, mt_stack side, const mt_tokens *tokens)
{
  int32_t ids[600];
  size_t n = mt_tokens_count(tokens);
  g_assert_cmpuint(n, <=, G_N_ELEMENTS(ids));
  for (size_t i = 0; i < n; i++)
    ids[i] = mt_tokens_get(tokens, i)->id;
  mt_error error = {0};
  mt_tokens *back = mt_model_detokenize(model, side, ids, n, &error);
  if (!back)
    g_error("%s", error.message);
  return back;
}

/* "piece@begin-end/word", a * for special tokens, joined by spaces. */
static char *
describe(const mt_tokens *tokens)
{
  GString *s = g_string_new(NULL);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_string_append_printf(s, "%s%s%s@%u-%u/%d", i ? " " : "", t->piece, t->is_special ? "*" : "",
                           t->begin, t->end, t->word);
  }
  return g_string_free(s, FALSE);
}

static void
assert_tokens(const mt_tokens *tokens, const char *expected)
{
  g_autofree char *found = describe(tokens);
  g_assert_cmpstr(found, ==, expected);
}

static void
test_offsets(void)
{
  g_autoptr(mt_model) model = model_open_good(FROZEN);
  mt_tokens *tokens = tokenize(model, MT_STACK_ENCODER, "I have  two dogs.");
  assert_tokens(tokens,
                "▁I@0-1/0 ▁have@1-6/1 ▁two@6-11/2 ▁dog@11-15/3 s@15-16/3 .@16-17/3 </s>*@17-17/4");
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "I have  two dogs.");
  mt_tokens *back = detokenize(model, MT_STACK_ENCODER, tokens);
  g_assert_cmpstr(mt_tokens_text(back), ==, "I have two dogs.");
  assert_tokens(back,
                "▁I@0-1/0 ▁have@1-6/1 ▁two@6-10/2 ▁dog@10-14/3 s@14-15/3 .@15-16/3 </s>*@16-16/4");
  mt_tokens_unref(tokens);
  mt_tokens_unref(back);

  /* White space around, a piece of nothing but white space, a character the model lacks. */
  tokens = tokenize(model, MT_STACK_ENCODER, "\t I \xe6\xbc\xa2 am\n");
  assert_tokens(tokens, "▁I@2-3/0 ▁@3-4/1 <unk>@4-7/1 ▁am@7-10/2 </s>*@11-11/3");
  back = detokenize(model, MT_STACK_ENCODER, tokens);
  g_assert_cmpstr(mt_tokens_text(back), ==, "I  am");
  mt_tokens_unref(tokens);
  mt_tokens_unref(back);

  /* A special token spelled out is text; so is a half language code. */
  tokens = tokenize(model, MT_STACK_ENCODER, ">>de I </s>");
  const size_t n = mt_tokens_count(tokens);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpint(mt_tokens_get(tokens, i)->is_special, ==, i == n - 1);
  mt_tokens_unref(tokens);
}

/* Of any text: offsets go forward and cover what is not white space, words count up by one, the
 * text survives tokenising twice. */
static void
test_properties(void)
{
  static const char *const texts[] = {
      "a",
      "The cross-attention of Vaswani et al. (2017): \"Attention Is All You Need\".",
      "über 3,14 % — ½ ﬁ № ㌔ ﷺ",
      "e\xcc\x81\xcc\x82\xcc\xa8 combining",
      "漢字かな交じり文。",
      "مرحبا بالعالم",
      "🙂👩‍👩‍👧🇩🇪",
      "zero\xe2\x80\x8bwidth\xef\xbb\xbf and \xc2\xa0 no-break",
      "control \x01\x02\x1f characters\x7f",
      "▁▁ ▁visible▁spaces▁",
      "tabs\tand\r\nlines\n\n",
      "\xf4\x8f\xbf\xbf last and \xee\x80\x80 private",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  };
  g_autoptr(mt_model) model = model_open_good(FROZEN);
  for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
    mt_tokens *tokens = tokenize(model, MT_STACK_ENCODER, texts[k]);
    for (int pass = 0; pass < 2; pass++) {
      const char *text = mt_tokens_text(tokens);
      size_t n = mt_tokens_count(tokens);
      g_assert_true(g_utf8_validate(text, -1, NULL));
      uint32_t end = 0;
      int32_t word = -1;
      for (size_t i = 0; i < n; i++) {
        const mt_token *t = mt_tokens_get(tokens, i);
        g_assert_cmpuint(t->begin, >=, end);
        g_assert_cmpuint(t->end, >=, t->begin);
        g_assert_true(t->word == word || t->word == word + 1);
        g_assert_true(i > 0 || t->word == 0);
        /* Ranges do not cut characters. */
        g_assert_cmpint((unsigned char) text[t->begin] & 0xc0, !=, 0x80);
        g_assert_cmpint((unsigned char) text[t->end] & 0xc0, !=, 0x80);
        g_assert_cmpstr(mt_model_piece(model, MT_STACK_ENCODER, t->id), ==, t->piece);
        end = t->end;
        word = t->word;
      }
      g_assert_cmpuint(end, ==, strlen(text));
      const mt_token *last = mt_tokens_get(tokens, n - 1);
      g_assert_true(last->is_special);
      g_assert_cmpint(last->id, ==, mt_model_config(model)->eos_id);
      mt_tokens *next = detokenize(model, MT_STACK_ENCODER, tokens);
      g_assert_cmpuint(mt_tokens_count(next), ==, n);
      mt_tokens_unref(tokens);
      tokens = next;
    }
    mt_tokens_unref(tokens);
  }
}

static void
test_language_code(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_replace(dir, "vocab.json", "\"▁die\"", "\">>deu<<\"");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  mt_tokens *tokens = tokenize(model, MT_STACK_ENCODER, ">>deu<< the");
  assert_tokens(tokens, ">>deu<<*@0-7/0 ▁the@8-11/1 </s>*@11-11/2");
  g_autoptr(mt_tokens) back = detokenize(model, MT_STACK_ENCODER, tokens);
  g_assert_cmpstr(mt_tokens_text(back), ==, "the");
  mt_tokens_unref(tokens);
  /* Without space, alone, and unknown. */
  tokens = tokenize(model, MT_STACK_ENCODER, ">>deu<<the");
  assert_tokens(tokens, ">>deu<<*@0-7/0 ▁the@7-10/1 </s>*@10-10/2");
  mt_tokens_unref(tokens);
  tokens = tokenize(model, MT_STACK_ENCODER, ">>deu<<");
  assert_tokens(tokens, ">>deu<<*@0-7/0 </s>*@7-7/1");
  mt_tokens_unref(tokens);
  tokens = tokenize(model, MT_STACK_ENCODER, ">>fra<< the");
  assert_tokens(tokens, "<unk>@0-7/0 ▁the@8-11/1 </s>*@11-11/2");
  mt_tokens_unref(tokens);
}

static mt_tokens *
tokenize_to(const mt_model *model, const char *text, int language)
{
  mt_error error = {0};
  mt_tokens *tokens = mt_model_tokenize_to(model, text, language, &error);
  if (!tokens)
    g_error("\"%s\": %s", text, error.message);
  return tokens;
}

/* The languages of a model are its source vocabulary's tokens that are codes between brackets. */
static void
test_languages(void)
{
  static const struct {
    const char *old, *new;
  } interventions[] = {
      {"\"▁the\"", "\">>deu<<\""},
      {"\"▁die\"", "\">>zho_Hant<<\""},
      /* What only looks like one. */
      {"\"▁ein\"", "\">><<\""},
      {"\"▁hund\"", "\">>a b<<\""},
      {"\"▁haus\"", "\">>>><<<<\""},
  };
  g_autoptr(model_dir) dir = model_dir_new();
  mt_model *model = model_open_good(dir->path);
  size_t i = 77;
  g_assert_cmpuint(mt_model_n_languages(model), ==, 0);
  g_assert_false(mt_model_find_language(model, "deu", &i));
  mt_error error = {0};
  g_assert_null(mt_model_tokenize_to(model, "cat", 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  mt_model_unref(model);

  for (gsize k = 0; k < G_N_ELEMENTS(interventions); k++)
    model_dir_replace(dir, "vocab.json", interventions[k].old, interventions[k].new);
  model = model_open_good(dir->path);
  g_assert_cmpuint(mt_model_n_languages(model), ==, 2);
  g_assert_cmpstr(mt_model_language(model, 0), ==, "deu");
  g_assert_cmpstr(mt_model_language(model, 1), ==, "zho_Hant");
  static const char *const unknown[] = {"", "fr", "deu ", ">>deu", "deu<<", ">><<", ">>fra<<"};
  for (gsize k = 0; k < G_N_ELEMENTS(unknown); k++)
    g_assert_false(mt_model_find_language(model, unknown[k], &i));
  g_assert_cmpuint(i, ==, 77);
  g_assert_true(mt_model_find_language(model, "zho_Hant", &i));
  g_assert_cmpuint(i, ==, 1);
  g_assert_true(mt_model_find_language(model, ">>deu<<", &i));
  g_assert_cmpuint(i, ==, 0);
  g_assert_true(mt_model_find_language(model, "ZHO_hant", &i));
  g_assert_cmpuint(i, ==, 1);
  g_assert_true(mt_model_find_language(model, ">>DEU<<", &i));
  g_assert_cmpuint(i, ==, 0);

  /* The token before the text has no text; everything else is where it was. */
  mt_tokens *tokens = tokenize_to(model, "  dog", 0);
  assert_tokens(tokens, ">>deu<<*@0-0/0 ▁dog@2-5/1 </s>*@5-5/2");
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "  dog");
  g_autoptr(mt_tokens) back = detokenize(model, MT_STACK_ENCODER, tokens);
  g_assert_cmpstr(mt_tokens_text(back), ==, "dog");
  mt_tokens_unref(tokens);
  tokens = tokenize_to(model, "dog", -1);
  assert_tokens(tokens, "▁dog@0-3/0 </s>*@3-3/1");
  mt_tokens_unref(tokens);
  tokens = tokenize_to(model, "漢 dog", 1);
  assert_tokens(tokens, ">>zho_Hant<<*@0-0/0 ▁@0-0/1 <unk>@0-3/1 ▁dog@3-7/2 </s>*@7-7/3");
  mt_tokens_unref(tokens);

  /* The text's own code goes first if the model has it; else it is text. */
  tokens = tokenize_to(model, ">>zho_Hant<< dog", 0);
  assert_tokens(tokens, ">>zho_Hant<<*@0-12/0 ▁dog@13-16/1 </s>*@16-16/2");
  mt_tokens_unref(tokens);
  tokens = tokenize_to(model, ">>fra<< dog", 0);
  g_assert_cmpstr(mt_tokens_get(tokens, 0)->piece, ==, ">>deu<<");
  g_assert_cmpuint(mt_tokens_count(tokens), >, 4);
  mt_tokens_unref(tokens);

  static const int bad[] = {-2, 2, INT_MAX, INT_MIN};
  for (gsize k = 0; k < G_N_ELEMENTS(bad); k++) {
    error = (mt_error){0};
    g_assert_null(mt_model_tokenize_to(model, "dog", bad[k], &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, "the model has 2"));
  }
  /* A language is no text. */
  error = (mt_error){0};
  g_assert_null(mt_model_tokenize_to(model, " ", 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);

  /* 16 positions: the language's token takes one of them. */
  tokens = tokenize_to(model, "dog dog dog dog dog dog dog dog dog dog dog dog dog dog", 0);
  g_assert_cmpuint(mt_tokens_count(tokens), ==, DIR_POSITIONS);
  mt_tokens_unref(tokens);
  error = (mt_error){0};
  g_assert_null(mt_model_tokenize_to(model,
                                     "dog dog dog dog dog dog dog dog dog dog dog dog dog dog dog",
                                     0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_TOO_LONG);
  g_assert_nonnull(strstr(error.message, "17 tokens, the language token and the end token"));
  mt_model_unref(model);
}

/* Lists as models of several families have them, and what is found there. */
static void
test_language_codes(void)
{
  static const struct {
    const char *list, *code, *found; /* "": none, or more than one */
  } cases[] = {
      {"deu fra", "de", "deu"},
      {"deu fra", "DE", "deu"},
      {"deu fra", "deu_Latn", "deu"},
      {"deu fra", "__de__", "deu"},
      {"deu fra", "<2de>", "deu"},
      {"deu fra", "en", ""},
      {"deu fra", "d", ""},
      {"deu fra", "deut", ""},
      {"deu fra", "de_", ""},
      {"deu fra", "de_Latnx", ""},
      {"en de no ns", ">>deu<<", "de"},
      {"en de no ns", "nob", "no"},
      {"en de no ns", "nso_Latn", "ns"},
      {"en de no ns", "eng-Latn", "en"},
      {"de_DE en_XX zh_CN", "deu_Latn", "de_DE"},
      {"de_DE en_XX zh_CN", "en", "en_XX"},
      {"de_DE en_XX zh_CN", "en_XX", "en_XX"},
      {"de_DE en_XX zh_CN", "de_AT", ""},
      {"de_DE en_XX zh_CN", "zho_Hans", "zh_CN"},
      {"de_DE en_XX zh_CN", "zho_Hant", ""},
      {"deu_Latn zho_Hans zho_Hant arb_Arab", "zh", ""},
      {"deu_Latn zho_Hans zho_Hant arb_Arab", "zh_TW", "zho_Hant"},
      {"deu_Latn zho_Hans zho_Hant arb_Arab", "zh-Hans", "zho_Hans"},
      {"deu_Latn zho_Hans zho_Hant arb_Arab", "ar_AR", "arb_Arab"},
      {"deu_Latn zho_Hans zho_Hant arb_Arab", "DEU_LATN", "deu_Latn"},
      {"srp_Cyrl srp_Latn", "sr", ""},
      {"srp_Cyrl srp_Latn", "sr_Latn", "srp_Latn"},
      {"Deu dEu", "deu", ""},
      {"Deu dEu", "dEu", "dEu"},
      {"deu de", "de", "de"},
      {"deu deu", "deu", "deu"},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_auto(GStrv) codes = g_strsplit(cases[k].list, " ", -1);
    mt_languages list = {0};
    size_t i;
    for (gsize c = 0; codes[c]; c++)
      g_assert_true(mt_languages_add(&list, (int32_t) c, codes[c], strlen(codes[c]), NULL));
    bool found = mt_languages_find(&list, cases[k].code, &i);
    if (g_strcmp0(found ? list.items[i].code : "", cases[k].found) != 0)
      g_error("\"%s\" of \"%s\": expected \"%s\", found \"%s\"", cases[k].code, cases[k].list,
              cases[k].found, found ? list.items[i].code : "");
    mt_languages_clear(&list);
  }
}

/* MarianTokenizer gives SentencePiece the space between code and text. Most models drop it; with
 * one that keeps white space, transformers finds ▁ and ▁dog here. */
static void
test_language_space(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_replace(dir, "vocab.json", "\"▁die\"", "\">>deu<<\"");
  /* normalizer_spec {name: "identity", precompiled_charsmap: ""}, and remove_extra_whitespaces: 0
   */
  static const char old[] = "\x1a\x0c\n\x08identity\x12";
  static const char new[] = "\x1a\x0e\n\x08identity\x20";
  gsize n;
  g_autofree char *spm = model_dir_read(dir, "source.spm", &n);
  char *at = memmem(spm, n, old, sizeof old); /* with the byte 0 at its end */
  g_assert_nonnull(at);
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_append(bytes, (guint8 *) spm, (guint) (at - spm));
  g_byte_array_append(bytes, (const guint8 *) new, sizeof new);
  g_byte_array_append(bytes, (const guint8 *) "\x12", 2);
  at += sizeof old;
  g_byte_array_append(bytes, (guint8 *) at, (guint) (spm + n - at));
  model_dir_write(dir, "source.spm", (char *) bytes->data, (gssize) bytes->len);
  g_autoptr(mt_model) model = model_open_good(dir->path);
  mt_tokens *tokens = tokenize_to(model, "dog", -1);
  assert_tokens(tokens, "▁dog@0-3/0 </s>*@3-3/1");
  mt_tokens_unref(tokens);
  tokens = tokenize_to(model, "dog", 0);
  assert_tokens(tokens, ">>deu<<*@0-0/0 ▁@0-0/1 ▁dog@0-3/1 </s>*@3-3/2");
  mt_tokens_unref(tokens);
  g_byte_array_free(bytes, TRUE);
}

static void
test_separate(void)
{
  g_autoptr(mt_model) model = model_open_good(SEPARATE);
  g_autoptr(mt_tokens) source = tokenize(model, MT_STACK_ENCODER, "the cat");
  g_autoptr(mt_tokens) target = tokenize(model, MT_STACK_DECODER, "die katze");
  mt_tokens *back = detokenize(model, MT_STACK_DECODER, target);
  g_assert_cmpstr(mt_tokens_text(back), ==, "die katze");
  mt_tokens_unref(back);
  back = detokenize(model, MT_STACK_ENCODER, source);
  g_assert_cmpstr(mt_tokens_text(back), ==, "the cat");
  mt_tokens_unref(back);
  /* An id has another piece on the other side. */
  int32_t id = mt_tokens_get(source, 0)->id;
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_ENCODER, id), ==, "▁the");
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_DECODER, id), !=, "▁the");

  /* Two files, two vocabularies: both are checked. */
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_replace(dir, "config.json", "\"scale_embedding\"",
                    "\"share_encoder_decoder_embeddings\": false, \"scale_embedding\"");
  model_dir_write(dir, "target_vocab.json", "{\"</s>\": 0}", -1);
  mt_error error = {0};
  g_assert_null(mt_model_open(dir->path, NULL, &error));
  g_assert_nonnull(strstr(error.message, "/target_vocab.json: "));
}

static void
test_pieces(void)
{
  mt_model *model = model_open_good(FROZEN);
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_DECODER, 0), ==, "</s>");
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_DECODER, 8000), ==, "<pad>");
  g_assert_null(mt_model_piece(model, MT_STACK_DECODER, 8001));
  g_assert_null(mt_model_piece(model, MT_STACK_DECODER, -1));
  g_assert_null(mt_model_piece(model, MT_STACK_DECODER, INT32_MIN));

  mt_error error = {0};
  static const int32_t bad[][2] = {{5, 8001}, {-1, 5}, {INT32_MAX, 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    error = (mt_error){0};
    g_assert_null(mt_model_detokenize(model, MT_STACK_DECODER, bad[i], 2, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_nonnull(strstr(error.message, "8001"));
  }
  /* No ids, and only silent ones. */
  g_autoptr(mt_tokens) none = mt_model_detokenize(model, MT_STACK_DECODER, NULL, 0, &error);
  g_assert_cmpuint(mt_tokens_count(none), ==, 0);
  g_assert_cmpstr(mt_tokens_text(none), ==, "");
  static const int32_t silent[] = {8000, 1, 0};
  mt_tokens *tokens = mt_model_detokenize(model, MT_STACK_DECODER, silent, 3, &error);
  assert_tokens(tokens, "<pad>*@0-0/0 <unk>@0-0/1 </s>*@0-0/2");
  mt_tokens_unref(tokens);

  /* An <unk> between words, within one, after one and at the end: each keeps to its own word. */
  static const struct {
    int32_t ids[8]; /* ▁ 7, <unk> 1, ▁I 21, ▁two 435, s 3; up to </s> 0 */
    const char *tokens;
  } lost[] = {
      {{7, 1, 435, 3}, "▁@0-0/0 <unk>@0-0/0 ▁two@0-3/1 s@3-4/1 </s>*@4-4/2"},
      {{21, 7, 1, 435}, "▁I@0-1/0 ▁@1-2/1 <unk>@2-2/1 ▁two@2-6/2 </s>*@6-6/3"},
      {{21, 7, 1, 3, 435}, "▁I@0-1/0 ▁@1-2/1 <unk>@2-2/1 s@2-3/1 ▁two@3-7/2 </s>*@7-7/3"},
      {{21, 1, 435}, "▁I@0-1/0 <unk>@1-1/0 ▁two@1-5/1 </s>*@5-5/2"},
      {{21, 7, 1}, "▁I@0-1/0 ▁@1-1/1 <unk>@1-1/1 </s>*@1-1/2"},
      {{7, 1, 7, 1}, "▁@0-0/0 <unk>@0-0/0 ▁@0-0/1 <unk>@0-0/1 </s>*@0-0/2"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(lost); i++) {
    size_t n = 1;
    while (lost[i].ids[n - 1] != 0)
      n++;
    tokens = mt_model_detokenize(model, MT_STACK_DECODER, lost[i].ids, n, &error);
    assert_tokens(tokens, lost[i].tokens);
    mt_tokens_unref(tokens);
  }
  mt_model_unref(model);

  /* A row of the matrix that no piece names. */
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_replace(dir, "vocab.json", "\"▁die\": 18,", "");
  model = model_open_good(dir->path);
  g_assert_cmpstr(mt_model_piece(model, MT_STACK_DECODER, 18), ==, "<unk>");
  static const int32_t unnamed[] = {7, 18, 7};
  tokens = mt_model_detokenize(model, MT_STACK_DECODER, unnamed, 3, &error);
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "the the");
  mt_tokens_unref(tokens);
  mt_model_unref(model);
}

static void
assert_refused(const mt_model *model, const char *text, mt_error_code code, const char *words)
{
  mt_error error = {0};
  g_assert_null(mt_model_tokenize(model, MT_STACK_ENCODER, text, &error));
  g_assert_cmpint(error.code, ==, code);
  if (!strstr(error.message, words))
    g_error("expected \"%s\" in \"%s\"", words, error.message);
  g_assert_null(mt_model_tokenize(model, MT_STACK_ENCODER, text, NULL));
}

static void
test_refused(void)
{
  g_autoptr(mt_model) model = model_open_good(FROZEN);
  assert_refused(model, "", MT_ERROR_INPUT, "empty");
  assert_refused(model, " \t\n", MT_ERROR_INPUT, "only white space");
  assert_refused(model, "\xe3\x80\x80\xc2\xa0", MT_ERROR_INPUT, "only white space");
  assert_refused(model, "\x01\x02", MT_ERROR_INPUT, "unprintable");
  assert_refused(model, "abc\xff", MT_ERROR_INPUT, "0xff at byte 3");
  assert_refused(model, "\xc0\x80", MT_ERROR_INPUT, "at byte 0");
  assert_refused(model, "ü\xed\xa0\x80", MT_ERROR_INPUT, "at byte 2");
  assert_refused(model, "x\xf4\x90\x80\x80", MT_ERROR_INPUT, "at byte 1");
  assert_refused(model, "cut \xe2\x82", MT_ERROR_INPUT, "at byte 4");

  /* 511 words and the end are as much as there is room for. */
  g_autoptr(GString) text = g_string_new("a");
  for (int i = 1; i < 511; i++)
    g_string_append(text, " a");
  g_autoptr(mt_tokens) tokens = tokenize(model, MT_STACK_ENCODER, text->str);
  g_assert_cmpuint(mt_tokens_count(tokens), ==, 512);
  g_assert_cmpint(mt_tokens_get(tokens, 511)->word, ==, 511);
  g_string_append(text, " a");
  assert_refused(model, text->str, MT_ERROR_TOO_LONG, "513 tokens");
  assert_refused(model, text->str, MT_ERROR_TOO_LONG, "for 512");

  g_autofree char *huge = g_malloc(5 << 20);
  memset(huge, 'a', (5 << 20) - 1);
  huge[(5 << 20) - 1] = '\0';
  assert_refused(model, huge, MT_ERROR_TOO_LONG, "5242879 bytes");
}

/* Damaged SentencePiece models: refused, or opened and then harmless. */
static void
test_damaged_spm(void)
{
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(FROZEN "/source.spm", &bytes, &n, NULL));
  g_autoptr(model_dir) dir = model_dir_new();
  mt_error error = {0};
  model_dir_write(dir, "source.spm", bytes, (gssize) n);
  mt_model_unref(model_open_good(dir->path));

  /* The table of replacements fills most of the file; this points its entries far outside. */
  char *changed = g_memdup2(bytes, n);
  memset(changed + n * 2 / 3, 0x7f, 64);
  model_dir_write(dir, "source.spm", changed, (gssize) n);
  g_free(changed);
  g_assert_null(mt_model_open(dir->path, NULL, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_nonnull(strstr(error.message, "/source.spm: "));
  g_assert_nonnull(strstr(error.message, "character replacements"));

  g_autoptr(GRand) rand = g_rand_new_with_seed(1706);
  int opened = 0, refused = 0;
  for (int i = 0; i < 60; i++) {
    changed = g_memdup2(bytes, n);
    for (int k = g_rand_int_range(rand, 1, 5); k > 0; k--)
      changed[g_rand_int_range(rand, 0, (gint32) n)] ^= (char) (1 << g_rand_int_range(rand, 0, 8));
    model_dir_write(dir, "source.spm", changed, (gssize) n);
    g_free(changed);
    g_autoptr(mt_model) model = mt_model_open(dir->path, NULL, &error);
    if (model) {
      mt_tokens *tokens =
          mt_model_tokenize(model, MT_STACK_ENCODER, "Héllo ½ ㌔ ﷺ ＡＢＣ 🙂", &error);
      if (tokens) {
        g_autoptr(mt_tokens) back = detokenize(model, MT_STACK_ENCODER, tokens);
        g_assert_true(g_utf8_validate(mt_tokens_text(back), -1, NULL));
      }
      mt_tokens_unref(tokens);
    }
    model ? opened++ : refused++;
  }
  g_test_message("%d opened, %d refused", opened, refused);
  g_assert_cmpint(opened, >, 0);
  g_assert_cmpint(refused, >, 0);
}

static void
test_no_memory(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  model_dir_replace(dir, "vocab.json", "\"▁die\"", "\">>deu<<\"");
  g_autoptr(mt_model) model = model_open_good(dir->path);
  static const int32_t ids[] = {7, 9, 0};
  for (int what = 0; what < 3; what++) {
    g_autoptr(mt_tokens) tokens = NULL;
    gsize n = 0, allocations = 0;
    for (; !tokens; n++) {
      mt_error error = {0};
      few_then_one_fails(n);
      tokens = what == 0   ? mt_model_tokenize(model, MT_STACK_ENCODER, "the cat", &error)
               : what == 1 ? mt_model_tokenize_to(model, "the cat", 0, &error)
                           : mt_model_detokenize(model, MT_STACK_DECODER, ids, 3, &error);
      allocations = few_end();
      if (!tokens)
        g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    }
    g_assert_cmpuint(allocations, >=, 2);
    g_assert_cmpuint(n, ==, allocations + 1);
  }
}

/* One model, several threads. */
static gpointer
tokenize_often(gpointer data)
{
  const mt_model *model = data;
  for (int i = 0; i < 50; i++) {
    g_autoptr(mt_tokens) tokens = tokenize(model, MT_STACK_ENCODER, "The cat sat on the mat.");
    g_autoptr(mt_tokens) back = detokenize(model, MT_STACK_ENCODER, tokens);
    g_assert_cmpstr(mt_tokens_text(back), ==, "The cat sat on the mat.");
  }
  return NULL;
}

static void
test_threads(void)
{
  g_autoptr(mt_model) model = model_open_good(FROZEN);
  GThread *threads[4];
  for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
    threads[i] = g_thread_new("tokenize", tokenize_often, model);
  for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
    g_thread_join(threads[i]);
}

/* While a model is loaded it already splits the texts that it brings along to test itself, so its
 * tables are checked before. Here they lead far outside. */
static void
test_spm_tests_itself(void)
{
  g_autoptr(GPtrArray) inputs =
      fuzz_inputs_read(REGARD_SOURCE_ROOT "/tests/fuzz/regressions/sentencepiece.zip");
  const FuzzInput *file = fuzz_inputs_find(inputs, "self-test-before-check");
  mt_error error = {0};
  g_assert_null(mt_spm_new(file->bytes, file->n, "en-de/vocab.spm", &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_cmpstr(error.message, ==,
                  "en-de/vocab.spm: expected a SentencePiece model, found damage in its table of "
                  "character replacements.");
}

TESTS()
{
  g_test_add_func("/tokenizer/offsets", test_offsets);
  g_test_add_func("/tokenizer/properties", test_properties);
  g_test_add_func("/tokenizer/language-code", test_language_code);
  g_test_add_func("/tokenizer/languages", test_languages);
  g_test_add_func("/tokenizer/language-codes", test_language_codes);
  g_test_add_func("/tokenizer/language-space", test_language_space);
  g_test_add_func("/tokenizer/separate", test_separate);
  g_test_add_func("/tokenizer/pieces", test_pieces);
  g_test_add_func("/tokenizer/refused", test_refused);
  g_test_add_func("/tokenizer/damaged-spm", test_damaged_spm);
  g_test_add_func("/tokenizer/spm-tests-itself", test_spm_tests_itself);
  g_test_add_func("/tokenizer/no-memory", test_no_memory);
  g_test_add_func("/tokenizer/threads", test_threads);
}

/* test-golden-tokenizer.c — token ids, byte offsets and round trip against SentencePiece and
 * Hugging Face's MarianTokenizer, on more than two thousand lines of every script and every kind of
 * unusual character.
 *
 * The frozen model and tests/data/tokenizer-en-de.safetensors, and a multi-target model with a
 * language before each text, and tokenizer-multi-target.safetensors. Any other model whose golden
 * file tests/reference/make_tokenizer.py has written can be tested by hand: REGARD_GOLDEN_MODEL,
 * REGARD_GOLDEN_FILE and, if it has languages, REGARD_GOLDEN_LANGUAGE in the environment name it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <mt.h>
#include <stdio.h>
#include <string.h>

#include "engine-test.h"
#include "golden.h"
#include "suite.h"

typedef struct {
  const char *model_dir, *golden_file;
  const char *language; /* code; NULL: none */
  size_t least;         /* lines */
} golden_set;

typedef struct {
  size_t n_lines;
  char *text, *decoded;
  const int32_t *text_first, *decoded_first, *first;
  const uint16_t *ids, *begin, *end;
  size_t n_faults;
} lines;

static void
fault(lines *l, size_t i, const char *what, const char *text)
{
  char *visible = g_strescape(text, NULL);
  g_test_message("line %zu \"%s\": %s", i, visible, what);
  g_free(visible);
  l->n_faults++;
}

static void
check_tokens(lines *l, size_t i, const char *text, const mt_tokens *tokens)
{
  size_t n = (size_t) (l->first[i + 1] - l->first[i]);
  const uint16_t *ids = l->ids + l->first[i], *begin = l->begin + l->first[i],
                 *end = l->end + l->first[i];
  gboolean same = mt_tokens_count(tokens) == n;
  for (size_t k = 0; same && k < n; k++)
    same = mt_tokens_get(tokens, k)->id == ids[k];
  if (!same) {
    GString *what = g_string_new("expected");
    for (size_t k = 0; k < n; k++)
      g_string_append_printf(what, " %d", ids[k]);
    g_string_append(what, "; found");
    for (size_t k = 0; k < mt_tokens_count(tokens); k++)
      g_string_append_printf(what, " %d", mt_tokens_get(tokens, k)->id);
    fault(l, i, what->str, text);
    g_string_free(what, TRUE);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    const mt_token *t = mt_tokens_get(tokens, k);
    if (t->begin == begin[k] && t->end == end[k])
      continue;
    char *what = g_strdup_printf("token %zu %s: expected bytes %u..%u, found %u..%u", k, t->piece,
                                 begin[k], end[k], t->begin, t->end);
    fault(l, i, what, text);
    g_free(what);
    return;
  }
}

static void
check_round_trip(lines *l, size_t i, const char *text, const mt_model *model)
{
  size_t n = (size_t) (l->first[i + 1] - l->first[i]);
  g_autofree int32_t *ids = g_new(int32_t, n);
  for (size_t k = 0; k < n; k++)
    ids[k] = l->ids[(size_t) l->first[i] + k];
  size_t n_decoded = (size_t) (l->decoded_first[i + 1] - l->decoded_first[i]);
  g_autofree char *want = g_strndup(l->decoded + l->decoded_first[i], n_decoded);
  mt_error error = {0};
  g_autoptr(mt_tokens) found = mt_model_detokenize(model, MT_STACK_ENCODER, ids, n, &error);
  if (!found)
    fault(l, i, error.message, text);
  else if (strcmp(mt_tokens_text(found), want) != 0) {
    char *visible = g_strescape(mt_tokens_text(found), NULL), *wanted = g_strescape(want, NULL);
    char *what = g_strdup_printf("decoded to \"%s\", expected \"%s\"", visible, wanted);
    fault(l, i, what, text);
    g_free(what), g_free(visible), g_free(wanted);
  }
}

static void
test_lines(const void *data)
{
  const golden_set *set = data;
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(set->model_dir, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  size_t language = 0, max_tokens = mt_model_config(model)->max_positions;
  if (set->language && !mt_model_find_language(model, set->language, &language))
    g_error("no language %s", set->language);
  g_autoptr(golden) g = golden_open(set->golden_file);
  lines l = {
      .text = golden_text(g, "text", NULL),
      .decoded = golden_text(g, "decoded", NULL),
      .text_first = golden_i32(g, "text_first", &l.n_lines),
      .decoded_first = golden_i32(g, "decoded_first", NULL),
      .first = golden_i32(g, "first", NULL),
      .ids = golden_u16(g, "ids", NULL),
      .begin = golden_u16(g, "begin", NULL),
      .end = golden_u16(g, "end", NULL),
  };
  l.n_lines--; /* one more boundary than lines */
  g_assert_cmpuint(l.n_lines, >=, set->least);
  size_t n_empty = 0, n_long = 0, n_own = set->language ? 2 : 1; /* </s>, language */
  for (size_t i = 0; i < l.n_lines; i++) {
    char *text =
        g_strndup(l.text + l.text_first[i], (size_t) (l.text_first[i + 1] - l.text_first[i]));
    size_t n = (size_t) (l.first[i + 1] - l.first[i]);
    g_autoptr(mt_tokens) tokens = set->language
                                      ? mt_model_tokenize_to(model, text, (int) language, &error)
                                      : mt_model_tokenize(model, MT_STACK_ENCODER, text, &error);
    if (n == n_own || n > max_tokens) { /* not a sentence, or more of it than the model takes */
      *(n == n_own ? &n_empty : &n_long) += 1;
      g_assert_null(tokens);
      g_assert_cmpint(error.code, ==, n == n_own ? MT_ERROR_INPUT : MT_ERROR_TOO_LONG);
      error = (mt_error){0};
    } else if (!tokens)
      g_error("line %zu \"%s\": %s", i, text, error.message);
    else {
      check_tokens(&l, i, text, tokens);
      check_round_trip(&l, i, text, model);
    }
    g_free(text);
  }
  g_test_message("%s: %zu lines, %zu of them without a token, %zu too long, %zu faults",
                 set->golden_file, l.n_lines, n_empty, n_long, l.n_faults);
  if (l.n_faults)
    g_error("%zu lines differ from SentencePiece", l.n_faults);
  g_free(l.text);
  g_free(l.decoded);
}

static char *frozen, *multi_target;

static void
tear_down(void)
{
  g_free(frozen);
  g_free(multi_target);
}

TESTS(.end = tear_down)
{
  frozen = golden_path("tests/data/frozen/en-de");
  multi_target = golden_path("tests/data/checkpoints/multi-target");
  static golden_set sets[3];
  sets[0] = (golden_set){frozen, "tokenizer-en-de.safetensors", NULL, 2000};
  sets[1] = (golden_set){multi_target, "tokenizer-multi-target.safetensors", "deu", 150};
  sets[2] = (golden_set){g_getenv("REGARD_GOLDEN_MODEL"), g_getenv("REGARD_GOLDEN_FILE"),
                         g_getenv("REGARD_GOLDEN_LANGUAGE"), 1};
  g_test_add_data_func("/golden/tokenizer/en-de", &sets[0], test_lines);
  g_test_add_data_func("/golden/tokenizer/multi-target", &sets[1], test_lines);
  if (sets[2].model_dir)
    g_test_add_data_func("/golden/tokenizer/given", &sets[2], test_lines);
}

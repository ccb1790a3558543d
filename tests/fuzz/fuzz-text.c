/* fuzz-text.c — any bytes as text: through the tokenizer of the bundled model both ways, and
 * through the whole of a translation with a small model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"

#include <string.h>

static mt_model *
open_model(const char *path)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(path, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  return model;
}

/* Offsets lie in the text, never go back, and never cut a character. */
static void
check_tokens(const mt_tokens *tokens, const char *text)
{
  size_t n = strlen(text);
  uint32_t last = 0;
  g_assert_cmpstr(mt_tokens_text(tokens), ==, text);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    g_assert(last <= token->begin && token->begin <= token->end && token->end <= n);
    last = token->begin;
    g_assert(((unsigned char) text[token->begin] & 0xc0) != 0x80);
    g_assert(((unsigned char) text[token->end] & 0xc0) != 0x80);
  }
}

static void
there_and_back(const mt_model *model, mt_stack side, const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens = mt_model_tokenize(model, side, text, &error);
  g_assert(tokens || error.message[0]);
  if (!tokens)
    return;
  check_tokens(tokens, text);
  size_t n = mt_tokens_count(tokens);
  g_autofree int32_t *ids = g_new(int32_t, n);
  for (size_t i = 0; i < n; i++)
    ids[i] = mt_tokens_get(tokens, i)->id;
  g_autoptr(mt_tokens) back = mt_model_detokenize(model, side, ids, n, &error);
  g_assert(back);
  g_assert(g_utf8_validate(mt_tokens_text(back), -1, NULL));
  check_tokens(back, mt_tokens_text(back));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static mt_model *bundled, *small;
  static mt_session *session;
  if (!bundled) {
    mt_session_options options = {.n_threads = 1};
    bundled = open_model(REGARD_SOURCE_ROOT "/models/en-de");
    small = open_model(fuzz_model_path());
    session = mt_session_new(small, &options, NULL);
  }
  g_autofree char *text = g_strndup((const char *) data, size);
  there_and_back(bundled, MT_STACK_ENCODER, text);
  there_and_back(small, MT_STACK_DECODER, text);

  mt_error error = {0};
  mt_search_params params = mt_search_params_default(small);
  params.beam_size = params.n_best = 2;
  params.max_length = 4;
  g_autoptr(mt_translation) translation =
      mt_session_translate(session, text, &params, NULL, &error);
  g_assert(translation || error.message[0]);
  if (translation) {
    check_tokens(mt_translation_source(translation), text);
    g_autoptr(mt_capture) capture = mt_session_capture(session, translation, 0, 0, NULL, &error);
    g_assert(capture);
  }
  return 0;
}

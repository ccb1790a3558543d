/* fuzz-text-kind.c — one file of a tokenizer of another kind than Marian's, FUZZ_FILE: read, then
 * used both ways.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "text/mt-tokenizer.h"

#include <string.h>

#define SIZE 600 /* of the vocabulary */

/* Offsets never go back and lie in the text. */
static void
check(const mt_tokens *tokens)
{
  uint32_t last = 0;
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_assert(last <= t->begin && t->begin <= t->end && t->end <= strlen(mt_tokens_text(tokens)));
    g_assert(t->id >= 0 && t->id < SIZE);
    last = t->end;
    fuzz_sink += t->piece[0];
  }
}

static void
use(const mt_tokenizer *t, const char *text)
{
  mt_error error = {0};
  mt_tokens *tokens = mt_tokenizer_encode(t, MT_STACK_ENCODER, text, NULL, &error);
  g_assert(tokens || error.message[0]);
  if (!tokens)
    return;
  check(tokens);
  g_autofree int32_t *ids = g_new(int32_t, mt_tokens_count(tokens));
  mt_tokens_copy_ids(tokens, mt_tokens_count(tokens), ids);
  mt_tokens *back = mt_tokenizer_decode(t, MT_STACK_DECODER, ids, mt_tokens_count(tokens), &error);
  if (back)
    check(back);
  mt_tokens_unref(back);
  mt_tokens_unref(tokens);
}

/* The folder of the small model, with the vocabulary that merges are of. */
static mt_text_kind
prepare(void)
{
  if (strcmp(FUZZ_FILE, "merges.txt") != 0)
    return strcmp(FUZZ_FILE, "spiece.model") == 0 ? MT_TEXT_SPM_OWN : MT_TEXT_SPM_OFFSET;
  gsize n;
  g_autofree char *bytes = NULL;
  if (!g_file_get_contents(REGARD_SOURCE_ROOT "/tests/data/text/bart/vocab.json", &bytes, &n, NULL))
    g_error("tests/data/text/bart/vocab.json cannot be read");
  fuzz_model_put("vocab.json", bytes, n);
  return MT_TEXT_BYTE_BPE;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const texts[] = {
      "the dog is here.",
      " \xEF\xBC\xA1\xEF\xBD\x82 \xE2\x91\xA0 \xEF\xAC\x81 a\xCC\x88\xC3\x84 \xE3\x80\x80x  ",
      "\xF0\x9F\x90\x95\xE2\x96\x81<unk></s><extra_id_1><mask>it's 12\x01\xC2\xAD",
  };
  const mt_text_kind kind = prepare();
  fuzz_model_put(FUZZ_FILE, data, size);
  mt_error error = {0};
  mt_dir dir = MT_DIR_NONE;
  mt_text_files files;
  g_assert(mt_dir_open(&dir, fuzz_model_path(), NULL, &error) &&
           mt_text_files_find(&files, kind, &dir, &error));
  const mt_vocab_shape shape = {.size = SIZE, .from = "config.json"};
  mt_tokenizer *t = mt_tokenizer_open(&dir,
                                      &(mt_tokenizer_spec){
                                          .kind = files.kind,
                                          .vocab_files = {files.vocab, files.vocab},
                                          .spm_files = {files.spm[0], files.spm[1]},
                                          .merges_file = files.merges,
                                          .json_file = files.json,
                                          .shapes = {shape, shape},
                                          .has_added_tokens = true,
                                          .eos_id = -1,
                                          .language_mode = MT_LANGUAGES_FORCED,
                                          .language_spelling = MT_LANGUAGE_PLAIN,
                                          .max_tokens = 200,
                                      },
                                      &error);
  g_assert(t || error.message[0]);
  for (gsize i = 0; t && i < G_N_ELEMENTS(texts); i++)
    use(t, texts[i]);
  mt_tokenizer_free(t);
  mt_dir_close(&dir);
  fuzz_model_remove(FUZZ_FILE);
  return 0;
}

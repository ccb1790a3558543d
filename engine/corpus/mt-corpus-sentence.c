/* mt-corpus-sentence.c — a sentence of a corpus, with the bounds of its tokens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "corpus/mt-corpus-private.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

static void
put_token(mt_packed *out, const mt_corpus_token *token)
{
  mt_packed_put(out, token, sizeof *token);
}

/* The tokens of one text of n bytes, appended to out; false: they cannot be. */
static bool
get_tokens(mt_packed_in *in, size_t n, mt_packed *out, size_t *n_tokens)
{
  uint64_t at = 0;
  *n_tokens = mt_packed_get_whole(in, (uint64_t) (in->end - in->at));
  for (size_t i = 0; i < *n_tokens; i++) {
    const uint64_t head = mt_packed_get_whole(in, UINT32_MAX);
    const uint64_t begin = at + (head & 2 ? mt_packed_get_whole(in, UINT32_MAX) : 0);
    at = begin + (head >> 2);
    if (in->failed || at > n)
      return false;
    const mt_corpus_token token = {(uint32_t) begin, (uint32_t) at, head & 1};
    put_token(out, &token);
  }
  return !in->failed;
}

/* One allocation for everything. */
static mt_corpus_sentence *
build(uint64_t id, int64_t line, const char *source, const char *target, const mt_packed *tokens,
      const size_t n_tokens[MT_N_STACKS], mt_error *error)
{
  const size_t n_source = strlen(source) + 1, n_target = strlen(target) + 1;
  mt_corpus_sentence *sentence = mt_alloc(sizeof *sentence + tokens->n + n_source + n_target, 1);
  if (!sentence)
    return mt_fail_no_memory(error), NULL;
  mt_corpus_token *items = (mt_corpus_token *) (sentence + 1);
  char *texts = (char *) items + tokens->n;
  if (tokens->n > 0)
    memcpy(items, tokens->data, tokens->n);
  memcpy(texts, source, n_source);
  memcpy(texts + n_source, target, n_target);
  *sentence = (mt_corpus_sentence){
      .id = id,
      .line = line > 0 ? (uint64_t) line : 0,
      .text = {texts, texts + n_source},
      .n_tokens = {n_tokens[0], n_tokens[1]},
      .tokens = {items, items + n_tokens[0]},
  };
  return sentence;
}

mt_corpus_sentence *
mt_corpus_sentence_new(const mt_corpus *corpus, uint64_t id, mt_error *error)
{
  mt_corpus_sentence *sentence = NULL;
  const uint64_t n_sentences = corpus->head.about.n_sentences;
  if (id == 0 || id > n_sentences)
    return mt_fail(error, MT_ERROR_INPUT, "There is no sentence %llu; the corpus has %llu.",
                   (unsigned long long) id, (unsigned long long) n_sentences),
           NULL;
  mt_rows *rows =
      mt_db_prepare(corpus->db, "SELECT line, source, target, tokens FROM sentences WHERE id = ?",
                    error);
  if (!rows)
    return NULL;
  mt_rows_bind_whole(rows, 1, (int64_t) id);
  const mt_rows_result result = mt_rows_next(rows, error);
  if (result == MT_ROWS_ROW) {
    size_t n, n_tokens[MT_N_STACKS] = {0};
    const char *source = mt_rows_text(rows, 1), *target = mt_rows_text(rows, 2);
    const unsigned char *bytes = mt_rows_bytes(rows, 3, &n);
    mt_packed_in in = {.at = bytes, .end = bytes ? bytes + n : NULL};
    mt_packed tokens = {0};
    const bool ok = bytes && get_tokens(&in, strlen(source), &tokens, &n_tokens[0]) &&
                    get_tokens(&in, strlen(target), &tokens, &n_tokens[1]) && mt_packed_is_end(&in);
    if (ok && tokens.failed)
      mt_fail_no_memory(error);
    else if (ok)
      sentence = build(id, mt_rows_whole(rows, 0), source, target, &tokens, n_tokens, error);
    else
      mt_db_damaged(corpus->db, "tokens of a sentence cannot be", error);
    mt_packed_clear(&tokens);
  } else if (result == MT_ROWS_END) {
    mt_db_damaged(corpus->db, "a sentence is missing", error);
  }
  mt_rows_free(rows);
  return sentence;
}

void
mt_corpus_sentence_free(mt_corpus_sentence *sentence)
{
  mt_free(sentence);
}

/* mt-words.c — the words of a text, and which of them each piece has characters of.
 *
 * Pieces and words meet by the characters of the text, white space left out: so the words may be
 * those of a gold file, which has "do n't" where the text has "don't".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-words.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <string.h>

/* The next character that is not white space at or after *at; its bytes, 0 at the end. */
static size_t
next_character(const char *text, size_t n, size_t *at)
{
  while (*at < n) {
    size_t length = mt_utf8_length_at(text + *at, n - *at);
    length = length ? length : 1; /* checked before; a byte is then a character */
    if (!mt_utf8_is_space(text + *at, length))
      return length;
    *at += length;
  }
  return 0;
}

/* Of ASCII all but letters and digits, of other characters the general punctuation, that of
 * Latin-1, of CJK, and full-width forms of ASCII. */
bool
mt_words_is_sign(const char *character, size_t length)
{
  const unsigned char *c = (const unsigned char *) character;
  uint32_t code = c[0];
  if (length == 2)
    code = (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
  else if (length == 3)
    code = (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
  else if (length == 4)
    return false;
  if (code < 0x80)
    return !((code >= '0' && code <= '9') || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z'));
  return (code >= 0xa1 && code <= 0xbf && code != 0xaa && code != 0xb2 && code != 0xb3 &&
          code != 0xb5 && code != 0xb9 && code != 0xba && !(code >= 0xbc && code <= 0xbe)) ||
         (code >= 0x2010 && code <= 0x205e) || (code >= 0x3001 && code <= 0x3003) ||
         (code >= 0x3008 && code <= 0x3011) || (code >= 0x3014 && code <= 0x301f) ||
         (code >= 0xff01 && code <= 0xff0f) || (code >= 0xff1a && code <= 0xff20) ||
         (code >= 0xff3b && code <= 0xff40) || (code >= 0xff5b && code <= 0xff65);
}

/* Count the words; and, where there is room for them, say where they are. */
static size_t
split(const mt_words *words, size_t first, size_t length)
{
  size_t n = 0, at = first, step;
  while ((step = next_character(words->text, length, &at)) > 0) {
    const size_t begin = at;
    bool is_punctuation = true;
    do {
      is_punctuation = is_punctuation && mt_words_is_sign(words->text + at, step);
      at += step;
      step = at < length ? mt_utf8_length_at(words->text + at, length - at) : 0;
      step = at < length && !step ? 1 : step;
    } while (step > 0 && !mt_utf8_is_space(words->text + at, step));
    if (words->words) {
      words->words[n] = (mt_span){begin, at};
      words->is_punctuation[n] = is_punctuation;
    }
    n++;
  }
  return n;
}

/* Where the text begins behind special tokens such as ">>deu<<". */
static size_t
behind_special(const mt_tokens *tokens)
{
  size_t at = 0;
  for (size_t i = 0; i < mt_tokens_count(tokens) && mt_tokens_get(tokens, i)->is_special; i++)
    at = mt_tokens_get(tokens, i)->end > at ? mt_tokens_get(tokens, i)->end : at;
  return at;
}

static bool
fail_word(const mt_words *words, size_t word, const char *found, mt_error *error)
{
  if (word >= words->n)
    return mt_fail(error, MT_ERROR_INPUT,
                   "The words end before the text does: behind the last of %zu expected the end, "
                   "found \"%.40s\".",
                   words->n, found);
  const mt_span span = words->words[word];
  const int shown = span.end - span.begin < 40 ? (int) (span.end - span.begin) : 40;
  return mt_fail(error, MT_ERROR_INPUT,
                 "Word %zu, \"%.*s\", is not what the text has there: \"%.40s\".", word + 1, shown,
                 words->text + span.begin, found);
}

/* word_at [bytes of the tokens' text]: which word the character there belongs to, SIZE_MAX for
 * white space. False: the characters are others. */
static bool
find_words(const mt_words *words, const char *text, size_t first, size_t n, size_t *word_at,
           mt_error *error)
{
  const size_t n_own = strlen(words->text);
  size_t own = words->n > 0 ? words->words[0].begin : n_own, at = first, word = 0, step;
  for (size_t i = 0; i < n; i++)
    word_at[i] = SIZE_MAX;
  while ((step = next_character(text, n, &at)) > 0) {
    const size_t own_step = next_character(words->text, n_own, &own);
    while (word < words->n && own >= words->words[word].end)
      word++;
    if (own_step != step || memcmp(text + at, words->text + own, step) != 0)
      return fail_word(words, word, text + at, error);
    for (size_t i = 0; i < step; i++)
      word_at[at + i] = word;
    at += step;
    own += own_step;
  }
  while (word < words->n && own >= words->words[word].end)
    word++;
  return next_character(words->text, n_own, &own) == 0 || fail_word(words, word, "", error);
}

static void
find_pieces(const mt_words *words, const mt_tokens *tokens, const size_t *word_at)
{
  for (size_t i = 0; i < mt_tokens_count(tokens); i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    mt_span *piece = &words->pieces[i];
    for (size_t at = token->begin; !token->is_special && at < token->end; at++)
      if (word_at[at] != SIZE_MAX) {
        piece->begin = piece->end ? piece->begin : word_at[at];
        piece->end = word_at[at] + 1;
      }
  }
}

bool
mt_words_begin(mt_words *words, const mt_tokens *tokens, const char *text, mt_error *error)
{
  const char *own = mt_tokens_text(tokens);
  const size_t n_own = strlen(own), first = behind_special(tokens);
  size_t bad = 0;
  *words = (mt_words){0};
  if (text && !mt_utf8_valid(text, strlen(text), &bad))
    return mt_fail(error, MT_ERROR_INPUT, "The words are not UTF-8 at byte %zu.", bad);
  words->text = mt_strdup(text ? text : own);
  size_t *word_at = mt_alloc(n_own + 1, sizeof *word_at);
  bool ok = words->text && word_at;
  if (ok) {
    const size_t from = text ? 0 : first, length = strlen(words->text);
    words->n = split(words, from, length);
    words->words = mt_alloc(words->n, sizeof *words->words);
    words->is_punctuation = mt_alloc(words->n, sizeof *words->is_punctuation);
    words->pieces = mt_alloc(mt_tokens_count(tokens), sizeof *words->pieces);
    ok = words->words && words->is_punctuation && words->pieces;
    if (ok)
      split(words, from, length);
  }
  ok = ok ? find_words(words, own, first, n_own, word_at, error) : mt_fail_no_memory(error);
  if (ok)
    find_pieces(words, tokens, word_at);
  mt_free(word_at);
  return ok;
}

void
mt_words_end(mt_words *words)
{
  mt_free(words->text);
  mt_free(words->words);
  mt_free(words->pieces);
  mt_free(words->is_punctuation);
}

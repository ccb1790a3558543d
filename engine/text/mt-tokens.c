/* mt-tokens.c — an immutable list of tokens with the text it belongs to, and which tokens of two
 * lists are the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One allocation holds the list: the struct, the tokens, their ids, the text, the pieces.
 */
#include "text/mt-tokens.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "mt.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

struct mt_tokens {
  int ref_count;
  size_t count;
  const char *text;
  const char *unknown; /* mt_tokens_unknown */
  const int32_t *ids;
  mt_word_mark mark;
  mt_token items[];
};

MT_DEFINE_COUNTED(mt_tokens, mt_free)

size_t
mt_tokens_count(const mt_tokens *tokens)
{
  return tokens->count;
}

const mt_token *
mt_tokens_get(const mt_tokens *tokens, size_t i)
{
  assert(i < tokens->count);
  return &tokens->items[i];
}

void
mt_tokens_copy_ids(const mt_tokens *tokens, size_t n, int32_t *ids)
{
  for (size_t i = 0; i < n; i++)
    ids[i] = mt_tokens_get(tokens, i)->id;
}

const char *
mt_tokens_text(const mt_tokens *tokens)
{
  return tokens->text;
}

bool
mt_token_is_unknown(const mt_token *token)
{
  return strcmp(token->piece, "<unk>") == 0 || strcmp(token->piece, "[UNK]") == 0;
}

const char *
mt_tokens_unknown(const mt_tokens *tokens)
{
  return tokens->unknown;
}

mt_word_mark
mt_tokens_word_mark(const mt_tokens *tokens)
{
  return tokens->mark;
}

mt_word_mark
mt_tokens_find_mark(const mt_token *items, size_t n)
{
  static const struct {
    const char *prefix;
    mt_word_mark mark;
  } marks[] = {{"▁", MT_WORD_MARK_LOWER_BAR},
               {"Ġ", MT_WORD_MARK_SPACE},
               {MT_WORD_HASHES, MT_WORD_MARK_HASHES}};
  for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
    for (size_t i = 0; i < n; i++) {
      size_t n_prefix = strlen(marks[m].prefix);
      if (strncmp(items[i].piece, marks[m].prefix, n_prefix) != 0)
        continue;
      /* "##" alone is a word, and so is one at the very beginning: nothing to continue. */
      if (marks[m].mark != MT_WORD_MARK_HASHES || (i > 0 && items[i].piece[n_prefix]))
        return marks[m].mark;
    }
  return MT_WORD_MARK_NONE;
}

const int32_t *
mt_tokens_ids(const mt_tokens *tokens)
{
  return tokens->ids;
}

/* ---- What the vocabulary lacks --------------------------------------------------------------- */

/* More would not be read by anybody, and each is compared with those before it. */
#define UNKNOWN_MAX 64

/* The text of an unknown token without the white space around it; NULL if it has none. */
static const char *
unknown_part(const char *text, const mt_token *token, size_t *n)
{
  if (!mt_token_is_unknown(token))
    return NULL;
  size_t begin = token->begin, end = token->end, length;
  while (begin < end && (length = mt_utf8_length_at(text + begin, end - begin)) > 0 &&
         mt_utf8_is_space(text + begin, length))
    begin += length;
  *n = end - begin;
  return *n > 0 ? text + begin : NULL;
}

/* Bytes that mt_tokens_unknown needs at most, the last '\0' included. */
static size_t
unknown_bytes(const char *text, const mt_token *items, size_t n)
{
  size_t bytes = 1, found = 0, length;
  for (size_t i = 0; i < n && found < UNKNOWN_MAX; i++)
    if (unknown_part(text, &items[i], &length)) {
      bytes += length + 1;
      found++;
    }
  return bytes;
}

/* Whether a part is one of those in `list`, which have a space between two. */
static bool
is_listed(const char *list, const char *part, size_t n)
{
  for (const char *at = list; at; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncmp(at, part, n) == 0 && (at[n] == ' ' || at[n] == '\0'))
      return true;
  }
  return false;
}

static void
list_unknown(char *list, const char *text, const mt_token *items, size_t n)
{
  char *end = list;
  *end = '\0';
  for (size_t i = 0, found = 0; i < n && found < UNKNOWN_MAX; i++) {
    size_t length;
    const char *part = unknown_part(text, &items[i], &length);
    if (!part)
      continue;
    found++;
    if (is_listed(list, part, length))
      continue;
    if (end > list)
      *end++ = ' ';
    memcpy(end, part, length);
    end += length;
    *end = '\0';
  }
}

/* ---- Making a list --------------------------------------------------------------------------- */

/* An empty list with room for n tokens, a text and `n_chars` bytes of pieces and of what is
 * unknown; *chars is where the first piece goes. */
static mt_tokens *
tokens_alloc(const char *text, size_t n, size_t n_chars, char **chars)
{
  size_t per_token, bytes;
  size_t text_bytes = strlen(text) + 1;
  if (__builtin_mul_overflow(n, sizeof(mt_token) + sizeof(int32_t), &per_token) ||
      __builtin_add_overflow(per_token, sizeof(mt_tokens) + text_bytes, &bytes) ||
      __builtin_add_overflow(bytes, n_chars, &bytes))
    return NULL;
  mt_tokens *tokens = mt_alloc(bytes, 1);
  if (!tokens)
    return NULL;
  tokens->ref_count = 1;
  tokens->count = n;
  int32_t *ids = (int32_t *) (tokens->items + n);
  char *text_copy = (char *) (ids + n);
  memcpy(text_copy, text, text_bytes);
  tokens->ids = ids;
  tokens->text = text_copy;
  *chars = text_copy + text_bytes;
  return tokens;
}

/* Put a copy of `item` at place i; its piece goes to *chars, which moves on. */
static void
tokens_put(mt_tokens *tokens, size_t i, const mt_token *item, char **chars)
{
  size_t n = strlen(item->piece) + 1;
  tokens->items[i] = *item;
  tokens->items[i].piece = memcpy(*chars, item->piece, n);
  ((int32_t *) tokens->ids)[i] = item->id;
  *chars += n;
}

mt_tokens *
mt_tokens_new(const char *text, const mt_token *items, size_t n, mt_error *error)
{
  size_t text_length = strlen(text);
  size_t n_chars = 0;
  for (size_t i = 0; i < n; i++) {
    if (!items[i].piece || items[i].begin > items[i].end || items[i].end > text_length) {
      mt_fail(error, MT_ERROR_INPUT,
              "Token %zu: expected a piece and offsets within the text of %zu bytes, found "
              "%u to "
              "%u%s.",
              i, text_length, (unsigned) items[i].begin, (unsigned) items[i].end,
              items[i].piece ? "" : " and no piece");
      return NULL;
    }
    n_chars += strlen(items[i].piece) + 1;
  }
  char *chars;
  n_chars += unknown_bytes(text, items, n);
  mt_tokens *tokens = tokens_alloc(text, n, n_chars, &chars);
  if (!tokens)
    return mt_fail_no_memory(error), NULL;

  for (size_t i = 0; i < n; i++)
    tokens_put(tokens, i, &items[i], &chars);
  list_unknown(chars, text, items, n);
  tokens->unknown = chars;
  tokens->mark = mt_tokens_find_mark(items, n);
  return tokens;
}

mt_tokens *
mt_tokens_shift_right(const mt_tokens *output, int32_t start_id, const char *start_piece,
                      mt_error *error)
{
  assert(output->count > 0);
  size_t n_unknown = strlen(output->unknown) + 1;
  size_t n_chars = strlen(start_piece) + 1 + n_unknown;
  for (size_t i = 0; i + 1 < output->count; i++)
    n_chars += strlen(output->items[i].piece) + 1;
  char *chars;
  mt_tokens *tokens = tokens_alloc(output->text, output->count, n_chars, &chars);
  if (!tokens)
    return mt_fail_no_memory(error), NULL;

  /* The start token has no text and is a word of its own: the one before the first. */
  mt_token start = {.id = start_id, .piece = start_piece, .word = -1, .is_special = true};
  tokens_put(tokens, 0, &start, &chars);
  for (size_t i = 0; i + 1 < output->count; i++)
    tokens_put(tokens, i + 1, &output->items[i], &chars);
  for (size_t i = 0; i < output->count; i++)
    tokens->items[i].word++; /* count from 0 again */
  tokens->unknown = memcpy(chars, output->unknown, n_unknown);
  tokens->mark = output->mark;
  return tokens;
}

mt_tokens *
mt_tokens_begin_with(const mt_tokens *tokens, int32_t id, const char *piece, mt_error *error)
{
  mt_token *items = mt_alloc(tokens->count + 1, sizeof *items);
  if (!items)
    return mt_fail_no_memory(error), NULL;
  items[0] = (mt_token){.id = id, .piece = piece, .is_special = true};
  for (size_t i = 0; i < tokens->count; i++) {
    items[i + 1] = tokens->items[i];
    items[i + 1].word++;
  }
  mt_tokens *whole = mt_tokens_new(tokens->text, items, tokens->count + 1, error);
  mt_free(items);
  return whole;
}

/* ---- Which tokens of two lists are the same ones --------------------------------------------- */

typedef struct {
  const mt_tokens *a, *b;
  size_t n_a, n_b;
  uint32_t *longest; /* [n_a + 1][n_b + 1]: of what is left from (i, j) on */
} lists;

static int
compare(const lists *l, size_t i, size_t j)
{
  return strcmp(mt_tokens_get(l->a, i)->piece, mt_tokens_get(l->b, j)->piece);
}

static uint32_t *
longest_from(const lists *l, size_t i, size_t j)
{
  return &l->longest[i * (l->n_b + 1) + j];
}

/* From the end, so that it can be read from the beginning. */
static void
fill(const lists *l)
{
  for (size_t i = l->n_a; i-- > 0;)
    for (size_t j = l->n_b; j-- > 0;) {
      const uint32_t x = *longest_from(l, i + 1, j), y = *longest_from(l, i, j + 1);
      *longest_from(l, i, j) = compare(l, i, j) == 0 ? *longest_from(l, i + 1, j + 1) + 1
                               : x > y               ? x
                                                     : y;
    }
}

/* The next pair at or after (*i, *j), or the ends. Of two ways that are as long the one that leaves
 * out the lesser piece is taken, whichever side it is on: so that (b, a) has the pairs of (a, b).
 */
static void
find_next(const lists *l, size_t *i, size_t *j)
{
  while (*i < l->n_a && *j < l->n_b) {
    const int order = compare(l, *i, *j);
    const uint32_t x = *longest_from(l, *i + 1, *j), y = *longest_from(l, *i, *j + 1);
    if (order == 0)
      return;
    if (x > y || (x == y && order < 0))
      ++*i;
    else
      ++*j;
  }
  *i = l->n_a;
  *j = l->n_b;
}

size_t
mt_tokens_align(const mt_tokens *a, const mt_tokens *b, mt_pair *pairs, mt_error *error)
{
  lists l = {.a = a, .b = b, .n_a = mt_tokens_count(a), .n_b = mt_tokens_count(b)};
  l.longest = mt_alloc(l.n_a + 1, (l.n_b + 1) * sizeof *l.longest);
  if (!l.longest) {
    mt_fail_no_memory(error);
    return 0;
  }
  fill(&l);
  size_t n = 0;
  for (size_t i = 0, j = 0, next_i, next_j; i < l.n_a || j < l.n_b;
       i = next_i + 1, j = next_j + 1) {
    next_i = i, next_j = j;
    find_next(&l, &next_i, &next_j);
    for (; i < next_i; i++)
      pairs[n++] = (mt_pair){i, MT_NO_TOKEN};
    for (; j < next_j; j++)
      pairs[n++] = (mt_pair){MT_NO_TOKEN, j};
    if (next_i == l.n_a || next_j == l.n_b)
      break;
    pairs[n++] = (mt_pair){next_i, next_j};
  }
  mt_free(l.longest);
  return n;
}

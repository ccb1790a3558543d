/* regard-words.c — which pieces make one word for people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-words.h"

#include <string.h>

typedef enum {
  PIECE_TEXT,        /* letters, digits, anything else */
  PIECE_PUNCTUATION, /* nothing but punctuation */
  PIECE_EMPTY,       /* the mark where a word begins, alone */
} PieceKind;

static gboolean
is_punctuation(gunichar c)
{
  switch (g_unichar_type(c)) {
  case G_UNICODE_CONNECT_PUNCTUATION:
  case G_UNICODE_DASH_PUNCTUATION:
  case G_UNICODE_CLOSE_PUNCTUATION:
  case G_UNICODE_FINAL_PUNCTUATION:
  case G_UNICODE_INITIAL_PUNCTUATION:
  case G_UNICODE_OTHER_PUNCTUATION:
  case G_UNICODE_OPEN_PUNCTUATION:
    return TRUE;
  default:
    return FALSE;
  }
}

/* A piece without the mark that says where words begin. */
static const char *
without_mark(const char *piece)
{
  static const char *const marks[] = {"▁", "Ġ", "##"};
  for (guint i = 0; i < G_N_ELEMENTS(marks); i++)
    if (g_str_has_prefix(piece, marks[i]))
      return piece + strlen(marks[i]);
  return piece;
}

static PieceKind
piece_kind(const mt_tokens *tokens, guint i)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  const char *text = without_mark(token->piece ? token->piece : "");
  if (!*text)
    return PIECE_EMPTY;
  for (const char *p = text; *p; p = g_utf8_next_char(p))
    if (!is_punctuation(g_utf8_get_char(p)))
      return PIECE_TEXT;
  return PIECE_PUNCTUATION;
}

/* Whether tokens [from, to) are the body of an abbreviation with points inside, as "z.B" is. */
static gboolean
has_point(const mt_tokens *tokens, guint from, guint to)
{
  for (guint i = from; i < to; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    if (token->piece && strchr(token->piece, '.'))
      return TRUE;
  }
  return FALSE;
}

/* Divide [from, to), which is between white space: the ends of the punctuation before it and of the
 * word itself. Equal to from, or to, where there is none. */
static void
divide(const mt_tokens *tokens, guint from, guint to, guint *body, guint *behind)
{
  *body = from;
  gboolean opens = FALSE;
  while (*body < to && piece_kind(tokens, *body) != PIECE_TEXT) {
    opens |= piece_kind(tokens, *body) == PIECE_PUNCTUATION;
    (*body)++;
  }
  *behind = to;
  if (*body == to || !opens) {
    gboolean has_text = *body < to;
    *body = from;
    if (!has_text) /* nothing but punctuation is one word */
      return;
  }
  while (piece_kind(tokens, *behind - 1) == PIECE_PUNCTUATION)
    (*behind)--;
  gboolean is_point = to - *behind == 1 && strcmp(mt_tokens_get(tokens, *behind)->piece, ".") == 0;
  if (is_point && has_point(tokens, *body, *behind))
    *behind = to;
}

guint *
regard_words_find(const mt_tokens *tokens, guint *n)
{
  guint count = (guint) mt_tokens_count(tokens), n_begins = 0;
  guint *begins = g_new(guint, count + 1);
  for (guint i = 0; i < count;) {
    const mt_token *first = mt_tokens_get(tokens, i);
    guint end = i + 1;
    while (!first->is_special && end < count && !mt_tokens_get(tokens, end)->is_special &&
           mt_tokens_get(tokens, end)->word == first->word)
      end++;
    guint body = i, behind = end;
    if (!first->is_special)
      divide(tokens, i, end, &body, &behind);
    begins[n_begins++] = i;
    if (body > i)
      begins[n_begins++] = body;
    if (behind < end)
      begins[n_begins++] = behind;
    i = end;
  }
  begins[n_begins] = count;
  *n = n_begins;
  return begins;
}

/* ---- A word that goes on ----------------------------------------------------------------------
 */

/* Letters that words are made of where words are told apart by spaces. */
static gboolean
is_of_word(gunichar c)
{
  const GUnicodeBreakType type = g_unichar_break_type(c);
  return g_unichar_isalnum(c) && type != G_UNICODE_BREAK_IDEOGRAPHIC &&
         type != G_UNICODE_BREAK_COMPLEX_CONTEXT &&
         type != G_UNICODE_BREAK_CONDITIONAL_JAPANESE_STARTER;
}

gboolean
regard_words_continued(const mt_hypothesis *h, char **part, char **whole)
{
  const gsize n = h->n_forced;
  guint n_words, word = 0;
  if (n == 0 || n >= mt_tokens_count(h->tokens))
    return FALSE;
  g_autofree guint *begins = regard_words_find(h->tokens, &n_words);
  while (word < n_words && begins[word + 1] <= n - 1)
    word++;
  if (word >= n_words || begins[word + 1] <= n) /* it ends there */
    return FALSE;
  const char *first = h->text + mt_tokens_get(h->tokens, begins[word])->begin;
  const char *cut_at = h->text + mt_tokens_get(h->tokens, n - 1)->end;
  const char *end = h->text + mt_tokens_get(h->tokens, begins[word + 1] - 1)->end;
  if (cut_at <= first || end <= cut_at ||
      !is_of_word(g_utf8_get_char(g_utf8_find_prev_char(h->text, cut_at))) ||
      !is_of_word(g_utf8_get_char(cut_at)))
    return FALSE;
  *part = g_strstrip(g_strndup(first, (gsize) (cut_at - first)));
  *whole = g_strstrip(g_strndup(first, (gsize) (end - first)));
  return TRUE;
}

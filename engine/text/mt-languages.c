/* mt-languages.c — the target languages of a multi-target model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-languages.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#define BRACKET  2  /* bytes of ">>" and of "<<" */
#define CODE_MAX 32 /* bytes between them; published ones have at most 8 or so */

/* ">>deu<<" with a short word in it: a row of a vocabulary is a stranger's text, and this one will
 * be shown in lists. */
static bool
is_language_token(const char *piece, size_t n)
{
  if (n <= 2 * BRACKET || n > CODE_MAX + 2 * BRACKET || strncmp(piece, ">>", BRACKET) != 0 ||
      strcmp(piece + n - BRACKET, "<<") != 0)
    return false;
  for (size_t i = BRACKET; i < n - BRACKET; i++)
    if ((unsigned char) piece[i] <= ' ' || piece[i] == 0x7f || piece[i] == '<' || piece[i] == '>')
      return false;
  return true;
}

/* The next language token from an id on; the size of the vocabulary if there is none. A row without
 * a piece of its own is called "<unk>", which is none. */
static size_t
next_token(const mt_vocab *vocab, size_t id)
{
  for (; id < mt_vocab_size(vocab); id++) {
    const char *piece = mt_vocab_piece(vocab, (int32_t) id);
    if (is_language_token(piece, strlen(piece)))
      break;
  }
  return id;
}

bool
mt_languages_collect(mt_languages *languages, const mt_vocab *vocab, mt_error *error)
{
  size_t n = 0, size = mt_vocab_size(vocab);
  for (size_t id = next_token(vocab, 0); id < size; id = next_token(vocab, id + 1))
    n++;
  if (n == 0)
    return true;
  languages->items = mt_alloc(n, sizeof *languages->items);
  if (!languages->items)
    return mt_fail_no_memory(error);
  for (size_t id = next_token(vocab, 0); id < size; id = next_token(vocab, id + 1)) {
    const char *piece = mt_vocab_piece(vocab, (int32_t) id);
    size_t length = strlen(piece) - 2 * BRACKET;
    char *code = mt_alloc(length + 1, 1); /* zeros */
    if (!code)
      return mt_fail_no_memory(error);
    memcpy(code, piece + BRACKET, length);
    languages->items[languages->n++] = (mt_language){(int32_t) id, code};
  }
  return true;
}

void
mt_languages_clear(mt_languages *languages)
{
  for (size_t i = 0; i < languages->n; i++)
    mt_free(languages->items[i].code);
  mt_free(languages->items);
  *languages = (mt_languages){0};
}

bool
mt_languages_find_id(const mt_languages *languages, int32_t id, size_t *i)
{
  for (size_t k = 0; k < languages->n; k++)
    if (languages->items[k].id == id) {
      *i = k;
      return true;
    }
  return false;
}

bool
mt_languages_find(const mt_languages *languages, const char *code, size_t *i)
{
  size_t n = strlen(code);
  if (is_language_token(code, n)) {
    code += BRACKET;
    n -= 2 * BRACKET;
  }
  size_t n_alike = 0, alike = 0;
  for (size_t k = 0; k < languages->n; k++) {
    const char *own = languages->items[k].code;
    if (strlen(own) != n || strncasecmp(own, code, n) != 0)
      continue;
    if (memcmp(own, code, n) == 0) {
      *i = k;
      return true;
    }
    alike = k;
    n_alike++;
  }
  if (n_alike == 1)
    *i = alike;
  return n_alike == 1;
}

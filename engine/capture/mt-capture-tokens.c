/* mt-capture-tokens.c — a list of tokens out of an .npz: as much of it as the file says, the rest
 * found by convention.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything in the file is a stranger's: text becomes valid UTF-8 without a NUL inside, spans lie
 * within the text and between its characters, lists are as long as the matrices they name.
 */
#include "capture/mt-capture-npz.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "text/mt-tokens.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool
mt_npz_find_array(mt_npz *npz, const char *name, mt_npy *npy, size_t *i, bool *found,
                  mt_error *error)
{
  *found = mt_npz_find(npz, name, i);
  return !*found || mt_npz_get(npz, *i, npy, error);
}

/* One element as UTF-8 in memory that is large enough. */
static bool
to_utf8(const mt_npy *npy, size_t i, const char *label, char *out, mt_error *error)
{
  uint32_t code = 0;
  if (mt_npy_to_utf8(npy, i, out, &code))
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected Unicode text, found U+%04X in element %zu, which is no character.",
                 label, (unsigned) code, i);
}

bool
mt_npz_read_text(mt_npz *npz, const char *name, char **text, mt_error *error)
{
  mt_npy npy;
  size_t i;
  bool found;
  char shape[64];
  *text = NULL;
  if (!mt_npz_find_array(npz, name, &npy, &i, &found, error) || !found)
    return !found;
  const char *label = mt_npz_label(npz, i);
  if (npy.type != MT_NPY_STRING || npy.n_elements != 1 || npy.n_dims > 1)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected one text ('<U…'), found '%s' of shape %s.",
                   label, npy.descr, mt_npy_shape(&npy, shape, sizeof shape));
  if (npy.item_size > MT_NPZ_MAX_TEXT)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "%s: expected a text of at most %d characters, found %zu.", label,
                   MT_NPZ_MAX_TEXT / 4, npy.item_size / 4);
  char *copy = mt_alloc(npy.item_size + 1, 1);
  if (!copy)
    return mt_fail_no_memory(error);
  if (!to_utf8(&npy, 0, label, copy, error)) {
    mt_free(copy);
    return false;
  }
  *text = copy;
  return true;
}

/* A list as it comes together. */
typedef struct {
  mt_token *items; /* [n] */
  size_t n;
  char *pieces; /* what the items point into */
  char *text;
  bool has_ids, has_words, has_special, has_spans;
} token_list;

static void
list_clear(token_list *list)
{
  mt_free(list->items);
  mt_free(list->pieces);
  mt_free(list->text);
}

/* ---- What the file says -------------------------------------------------------------------- */

/* [n], or [1][n] for a batch of one; `width` numbers for each. */
static bool
check_list(const mt_npy *npy, size_t n, size_t width, bool is_type, const char *type,
           const char *label, mt_error *error)
{
  char shape[64];
  size_t first = npy->n_dims > (width > 1 ? 2u : 1u) && npy->shape[0] == 1 ? 1 : 0;
  bool ok = is_type && npy->n_dims == first + (width > 1 ? 2 : 1) && npy->shape[first] == n &&
            (width == 1 || npy->shape[first + 1] == width);
  if (ok)
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected %s of shape (%zu,%s), one for each token, found '%s' of shape %s.",
                 label, type, n, width > 1 ? "2" : "", npy->descr,
                 mt_npy_shape(npy, shape, sizeof shape));
}

/* How many tokens the file names, if nothing else says how many there are. */
static bool
count_tokens(const mt_npy *npy, const char *label, size_t *n, mt_error *error)
{
  *n = npy->n_elements;
  if (*n > 0 && *n <= MT_NPZ_MAX_TOKENS)
    return true;
  return mt_fail(error, *n ? MT_ERROR_TOO_LONG : MT_ERROR_FORMAT,
                 "%s: expected 1 to %d tokens, found %zu.", label, MT_NPZ_MAX_TOKENS, *n);
}

static bool
read_pieces(token_list *list, const mt_npy *npy, const char *label, mt_error *error)
{
  if (!check_list(npy, list->n, 1, npy->type == MT_NPY_STRING, "text ('<U…')", label, error))
    return false;
  if (npy->item_size / 4 > MT_NPZ_MAX_PIECE)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "%s: expected tokens of at most %d characters, found '%s'.", label,
                   MT_NPZ_MAX_PIECE, npy->descr);
  list->pieces = mt_alloc(list->n, npy->item_size + 1);
  if (!list->pieces)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < list->n; i++) {
    char *piece = list->pieces + i * (npy->item_size + 1);
    if (!to_utf8(npy, i, label, piece, error))
      return false;
    list->items[i].piece = piece;
  }
  return true;
}

/* Tokens called by their number, from 1 as people count. */
static bool
number_pieces(token_list *list, mt_error *error)
{
  enum { WIDTH = 24 };
  list->pieces = mt_alloc(list->n, WIDTH);
  if (!list->pieces)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < list->n; i++) {
    char *piece = list->pieces + i * WIDTH;
    snprintf(piece, WIDTH, "%zu", i + 1);
    list->items[i].piece = piece;
  }
  return true;
}

/* `width` numbers for each token, each from least to INT32_MAX, given to `put`. */
static bool
read_numbers(token_list *list, mt_npz *npz, const char *name, size_t width, int64_t least,
             void (*put)(mt_token *token, size_t which, int32_t value), bool *found,
             mt_error *error)
{
  mt_npy npy;
  size_t at;
  if (!mt_npz_find_array(npz, name, &npy, &at, found, error) || !*found)
    return !*found;
  const char *label = mt_npz_label(npz, at);
  bool is_type = npy.type == MT_NPY_INT || npy.type == MT_NPY_UINT || npy.type == MT_NPY_BOOL;
  if (!check_list(&npy, list->n, width, is_type, "integers", label, error))
    return false;
  for (size_t i = 0; i < list->n * width; i++) {
    int64_t value = INT64_MAX;
    if (!mt_npy_to_int(&npy, i, &value) || value < least || value > INT32_MAX)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected integers from %lld to %d, found %lld%s in element %zu.", label,
                     (long long) least, INT32_MAX, (long long) value,
                     value == INT64_MAX ? " or more" : "", i);
    put(&list->items[i / width], i % width, (int32_t) value);
  }
  return true;
}

static void
put_id(mt_token *token, size_t which, int32_t value)
{
  token->id = value;
}

static void
put_word(mt_token *token, size_t which, int32_t value)
{
  token->word = value;
}

static void
put_special(mt_token *token, size_t which, int32_t value)
{
  token->is_special = value != 0;
}

static void
put_span(mt_token *token, size_t which, int32_t value)
{
  if (which == 0)
    token->begin = (uint32_t) value;
  else
    token->end = (uint32_t) value;
}

/* The text and where the tokens are in it. */
static bool
read_text(token_list *list, mt_npz *npz, const mt_list_names *names, mt_error *error)
{
  if (!mt_npz_read_text(npz, names->text, &list->text, error) ||
      !read_numbers(list, npz, names->spans, 2, 0, put_span, &list->has_spans, error))
    return false;
  if (!list->has_spans)
    return true;
  size_t at = 0, length = list->text ? strlen(list->text) : 0;
  mt_npz_find(npz, names->spans, &at);
  for (size_t i = 0; i < list->n; i++) {
    const mt_token *t = &list->items[i];
    bool ok = t->begin <= t->end && t->end <= length &&
              (t->begin == length || mt_utf8_length_at(list->text + t->begin, length - t->begin)) &&
              (t->end == length || mt_utf8_length_at(list->text + t->end, length - t->end));
    if (!ok)
      return mt_fail(
          error, MT_ERROR_FORMAT,
          "%s: expected whole characters of a text of %zu bytes, found bytes %u to %u for "
          "token %zu.",
          mt_npz_label(npz, at), length, (unsigned) t->begin, (unsigned) t->end, i);
  }
  return true;
}

/* ---- What it does not say ------------------------------------------------------------------ */

static bool
is_special_name(const char *piece)
{
  static const char *const names[] = {"</s>",  "<s>",   "<pad>", "<bos>",
                                      "<eos>", "[CLS]", "[SEP]", "[PAD]"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(piece, names[i]) == 0)
      return true;
  size_t n = strlen(piece);
  return n > 4 && ((memcmp(piece, ">>", 2) == 0 && memcmp(piece + n - 2, "<<", 2) == 0) ||
                   (memcmp(piece, "<|", 2) == 0 && memcmp(piece + n - 2, "|>", 2) == 0));
}

static bool
starts_with(const char *text, const char *prefix)
{
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Whether token i begins a word, and how many bytes of its piece are the mark. */
static bool
begins_word(const token_list *list, size_t i, mt_word_mark mark, size_t *n_mark)
{
  static const char *const prefixes[] = {[MT_WORD_MARK_LOWER_BAR] = "▁",
                                         [MT_WORD_MARK_SPACE] = "Ġ",
                                         [MT_WORD_MARK_HASHES] = MT_WORD_HASHES};
  const mt_token *token = &list->items[i];
  bool is_first = i == 0 || token->is_special || list->items[i - 1].is_special;
  bool marked = mark != MT_WORD_MARK_NONE && !token->is_special &&
                starts_with(token->piece, prefixes[mark]) &&
                (mark != MT_WORD_MARK_HASHES || (i > 0 && token->piece[2]));
  *n_mark = marked ? strlen(prefixes[mark]) : 0;
  if (is_first || mark == MT_WORD_MARK_NONE)
    return true;
  return mark == MT_WORD_MARK_HASHES ? !marked : marked;
}

/* Words by their marks, where the file did not number them. */
static void
number_words(token_list *list, mt_word_mark mark)
{
  int32_t word = -1;
  for (size_t i = 0; i < list->n; i++) {
    size_t n_mark;
    word += begins_word(list, i, mark, &n_mark);
    list->items[i].word = word;
  }
}

/* The text that the pieces spell: a space before each word but the first, marks and specials left
 * out. As SentencePiece counts, a space belongs to the word after it. */
static bool
spell_text(token_list *list, mt_word_mark mark, mt_error *error)
{
  size_t n_bytes = 1;
  for (size_t i = 0; i < list->n; i++)
    n_bytes += 1 + strlen(list->items[i].piece);
  char *text = list->text = mt_alloc(n_bytes, 1);
  if (!text)
    return mt_fail_no_memory(error);
  size_t at = 0;
  for (size_t i = 0; i < list->n; i++) {
    mt_token *token = &list->items[i];
    token->begin = token->end = (uint32_t) at;
    if (token->is_special)
      continue;
    size_t n_mark;
    bool begins = begins_word(list, i, mark, &n_mark);
    const char *rest = token->piece + n_mark;
    size_t n = strlen(rest);
    if (begins && at > 0)
      text[at++] = ' ';
    memcpy(text + at, rest, n);
    at += n;
    /* What stands for unknown text is not that text. */
    token->end = (uint32_t) at;
    if (mt_token_is_unknown(token))
      token->begin = token->end;
  }
  return true;
}

static bool
complete(token_list *list, mt_error *error)
{
  for (size_t i = 0; i < list->n; i++) {
    mt_token *token = &list->items[i];
    token->id = list->has_ids ? token->id : -1;
    token->is_special = list->has_special ? token->is_special : is_special_name(token->piece);
  }
  mt_word_mark mark = mt_tokens_find_mark(list->items, list->n);
  if (!list->has_words)
    number_words(list, mark);
  return list->text || spell_text(list, mark, error);
}

bool
mt_npz_read_tokens(mt_npz *npz, const mt_list_names *names, size_t n, bool is_needed,
                   mt_tokens **tokens, mt_error *error)
{
  token_list list = {.n = n};
  mt_npy npy;
  size_t at;
  bool found;
  *tokens = NULL;
  if (!mt_npz_find_array(npz, names->tokens, &npy, &at, &found, error))
    return false;
  if (!found && !is_needed)
    return true;
  if (!n && !count_tokens(&npy, mt_npz_label(npz, at), &list.n, error))
    return false;

  list.items = mt_alloc(list.n, sizeof *list.items);
  bool ok = list.items || mt_fail_no_memory(error);
  ok = ok && (found ? read_pieces(&list, &npy, mt_npz_label(npz, at), error)
                    : number_pieces(&list, error));
  ok = ok && read_numbers(&list, npz, names->ids, 1, INT32_MIN, put_id, &list.has_ids, error) &&
       read_numbers(&list, npz, names->words, 1, INT32_MIN, put_word, &list.has_words, error) &&
       read_numbers(&list, npz, names->special, 1, INT32_MIN, put_special, &list.has_special,
                    error) &&
       read_text(&list, npz, names, error) && complete(&list, error);
  if (ok) {
    *tokens = mt_tokens_new(list.text, list.items, list.n, error);
    ok = *tokens != NULL;
  }
  list_clear(&list);
  return ok;
}

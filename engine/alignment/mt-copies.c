/* mt-copies.c — see mt/copies.h.
 *
 * As Jean et al. (2015) and Luong et al. (2015) do with models that have a small vocabulary.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-alignment-input.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"

#include <string.h>

static bool
is_lost(const mt_tokens *tokens, size_t i)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  return mt_token_is_unknown(token) && token->begin == token->end;
}

bool
mt_copies_are_wanted(const mt_hypothesis *hypothesis)
{
  for (size_t i = 0; i < mt_tokens_count(hypothesis->tokens); i++)
    if (is_lost(hypothesis->tokens, i))
      return true;
  return false;
}

/* ---- Words of the two sides ------------------------------------------------------------------ */

/* A character of `length` bytes of a script that writes no white space between words: Thai, Lao,
 * Burmese, Khmer, kana, Han. */
static bool
is_spaceless(const char *character, size_t length)
{
  const unsigned char *c = (const unsigned char *) character;
  if (length == 4)
    return c[0] == 0xf0 && c[1] >= 0xa0;
  if (length != 3)
    return false;
  const unsigned code = (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
  return (code >= 0x0e00 && code <= 0x0eff) || (code >= 0x1000 && code <= 0x109f) ||
         (code >= 0x1780 && code <= 0x17ff) || (code >= 0x2e80 && code <= 0x9fff) ||
         (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff66 && code <= 0xff9f);
}

static size_t
length_at(const char *text, size_t at, size_t end)
{
  const size_t length = mt_utf8_length_at(text + at, end - at);
  return length ? length : 1;
}

static bool
has_spaceless(const char *text, size_t begin, size_t end)
{
  for (size_t at = begin, length; at < end; at += length) {
    length = length_at(text, at, end);
    if (is_spaceless(text + at, length))
      return true;
  }
  return false;
}

static bool
is_aside(const char *character, size_t length)
{
  return mt_utf8_is_space(character, length) || mt_words_is_sign(character, length);
}

/* Without white space and punctuation at both ends, unless there is nothing else. */
static mt_span
strip(const char *text, mt_span span)
{
  size_t first = span.end, last = span.begin;
  for (size_t at = span.begin, length; at < span.end; at += length) {
    length = length_at(text, at, span.end);
    if (is_aside(text + at, length))
      continue;
    first = at < first ? at : first;
    last = at + length;
  }
  return first < last ? (mt_span){first, last} : span;
}

/* Whether a piece may be part of the word that has an <unk> beside it: punctuation is not, nor what
 * has words without white space between them. */
static bool
joins(const mt_tokens *tokens, size_t i)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  const char *text = mt_tokens_text(tokens);
  for (size_t at = token->begin, length; at < token->end; at += length) {
    length = length_at(text, at, token->end);
    if (mt_utf8_is_space(text + at, length))
      continue;
    if (mt_words_is_sign(text + at, length) || is_spaceless(text + at, length))
      return false;
  }
  return !token->is_special;
}

/* The tokens [begin, end) of the word of the <unk> at t. */
static mt_span
word_around(const mt_tokens *tokens, size_t t)
{
  const int32_t word = mt_tokens_get(tokens, t)->word;
  mt_span span = {t, t + 1};
  while (span.begin > 0 && mt_tokens_get(tokens, span.begin - 1)->word == word &&
         joins(tokens, span.begin - 1))
    span.begin--;
  while (span.end < mt_tokens_count(tokens) && mt_tokens_get(tokens, span.end)->word == word &&
         joins(tokens, span.end))
    span.end++;
  return span;
}

/* ---- Which word ------------------------------------------------------------------------------ */

static size_t
largest(const double *x, size_t n)
{
  size_t best = 0;
  for (size_t i = 1; i < n; i++)
    best = x[i] > x[best] ? i : best;
  return best;
}

/* The word of the source for the tokens of a span; numbers: room for keys and words. False: none.
 */
static bool
find_source(const mt_alignment_input *a, const mt_recipe *recipe, mt_span tokens, double *numbers,
            mt_copied *copied)
{
  const mt_words *words = &a->words[MT_STACK_ENCODER];
  const mt_tokens *source = a->tokens[MT_STACK_ENCODER];
  double *pieces = numbers, *shares = numbers + a->keys, sum = 0;
  memset(numbers, 0, (a->keys + words->n) * sizeof *numbers);
  for (size_t t = tokens.begin; t < tokens.end; t++)
    if (is_lost(a->tokens[MT_STACK_DECODER], t))
      mt_alignment_input_add_token(a, recipe, t, pieces, shares);
  for (size_t w = 0; w < words->n; w++)
    sum += shares[w];
  if (!(sum > 0))
    return false;
  const size_t word = largest(shares, words->n);
  mt_span span = words->words[word];
  if (has_spaceless(words->text, span.begin, span.end)) {
    size_t best = SIZE_MAX;
    for (size_t j = 0; j < a->keys; j++) {
      const mt_token *piece = mt_tokens_get(source, j);
      if (words->pieces[j].begin <= word && word < words->pieces[j].end &&
          has_spaceless(words->text, piece->begin, piece->end) &&
          (best == SIZE_MAX || pieces[j] > pieces[best]))
        best = j;
    }
    const mt_token *piece = mt_tokens_get(source, best);
    span = (mt_span){piece->begin > span.begin ? piece->begin : span.begin,
                     piece->end < span.end ? piece->end : span.end};
  }
  span = strip(words->text, span);
  *copied = (mt_copied){.first = tokens.begin,
                        .n = tokens.end - tokens.begin,
                        .source_begin = span.begin,
                        .source_end = span.end,
                        .weight = (float) (shares[word] / sum)};
  return true;
}

static bool
find_all(mt_copies *copies, const mt_alignment_input *a, mt_error *error)
{
  const mt_tokens *output = a->tokens[MT_STACK_DECODER];
  mt_recipe recipe = mt_recipe_default();
  double *sums = mt_alloc(a->n_layers, sizeof *sums);
  double *numbers = mt_alloc(a->keys + a->words[MT_STACK_ENCODER].n, sizeof *numbers);
  size_t n_cells = 0;
  if (sums && numbers) {
    memset(sums, 0, a->n_layers * sizeof *sums);
    mt_alignment_input_add_norms(a, recipe.row, sums, &n_cells);
    mt_recipe_choose_layer(&recipe, sums, a->n_layers);
    for (size_t t = 0; t < a->rows; t++) {
      if (!is_lost(output, t))
        continue;
      const mt_span span = word_around(output, t);
      if (find_source(a, &recipe, span, numbers, &copies->copied[copies->n]))
        copies->n++;
      t = span.end - 1;
    }
  }
  const bool ok = sums && numbers;
  mt_free(sums);
  mt_free(numbers);
  return ok || mt_fail_no_memory(error);
}

/* ---- The text -------------------------------------------------------------------------------- */

typedef struct {
  const mt_tokens *output;
  const char *from; /* its text, of which everything before `at` is done */
  size_t at;
  char *text;
  size_t n;
  mt_token *items;
} writer;

static void
append(writer *w, const char *text, size_t n)
{
  memcpy(w->text + w->n, text, n);
  w->n += n;
}

/* What stands before byte `end` of the old text, if it is not done. */
static void
catch_up(writer *w, size_t end)
{
  if (end <= w->at)
    return;
  append(w, w->from + w->at, end - w->at);
  w->at = end;
}

/* A blank before token t, if its word is another one than that of the token before it. */
static void
keep_apart(writer *w, size_t t)
{
  const mt_token *token = mt_tokens_get(w->output, t);
  if (w->n > 0 && t > 0 && w->text[w->n - 1] != ' ' && !token->is_special &&
      mt_tokens_get(w->output, t - 1)->word != token->word)
    append(w, " ", 1);
}

static void
write_copied(writer *w, mt_copied *copied, const char *source)
{
  const mt_token *first = mt_tokens_get(w->output, copied->first);
  size_t begin = first->begin, end = first->end;
  for (size_t t = copied->first; t < copied->first + copied->n; t++) {
    w->items[t] = *mt_tokens_get(w->output, t);
    end = w->items[t].end;
  }
  while (begin < end && w->from[begin] == ' ')
    begin++;
  catch_up(w, begin);
  keep_apart(w, copied->first);
  copied->begin = w->n;
  append(w, source + copied->source_begin, copied->source_end - copied->source_begin);
  copied->end = w->n;
  w->at = end > w->at ? end : w->at; /* what was there goes */
  for (size_t t = copied->first; t < copied->first + copied->n; t++) {
    w->items[t].begin = (uint32_t) copied->begin;
    w->items[t].end = (uint32_t) copied->end;
  }
}

static void
write_token(writer *w, size_t t, bool is_behind_copied)
{
  mt_token *item = &w->items[t];
  *item = *mt_tokens_get(w->output, t);
  catch_up(w, item->begin);
  if (is_behind_copied && w->from[item->begin] != ' ')
    keep_apart(w, t);
  const size_t begin = w->n, end = item->end;
  catch_up(w, end);
  item->begin = (uint32_t) begin;
  item->end = (uint32_t) w->n;
}

/* The tokens of the output, and its text with what is copied. */
static bool
write_all(mt_copies *copies, mt_tokens *output, const char *source, mt_error *error)
{
  const size_t n = mt_tokens_count(output);
  writer w = {.output = output, .from = mt_tokens_text(output)};
  size_t room = strlen(w.from) + 1;
  for (size_t i = 0; i < copies->n; i++)
    room += copies->copied[i].source_end - copies->copied[i].source_begin + 2;
  w.text = mt_alloc(room, 1);
  w.items = mt_alloc(n, sizeof *w.items);
  if (w.text && w.items) {
    for (size_t t = 0, next = 0; t < n;) {
      mt_copied *copied = &copies->copied[next];
      const bool is_copied = next < copies->n && copied->first == t;
      if (is_copied)
        write_copied(&w, copied, source);
      else
        write_token(&w, t, next > 0 && copied[-1].first + copied[-1].n == t);
      t += is_copied ? copied->n : 1;
      next += is_copied;
    }
    catch_up(&w, strlen(w.from));
    w.text[w.n] = '\0';
    copies->tokens = mt_tokens_new(w.text, w.items, n, error);
  } else {
    mt_fail_no_memory(error);
  }
  mt_free(w.text);
  mt_free(w.items);
  return copies->tokens != NULL;
}

/* ---- The value ------------------------------------------------------------------------------- */

mt_copies *
mt_copies_new(mt_session *session, const mt_translation *translation, size_t index,
              const mt_hooks *hooks, mt_error *error)
{
  if (index >= mt_translation_count(translation)) {
    mt_fail(error, MT_ERROR_INPUT, "There is no hypothesis %zu; the translation has %zu.",
            index + 1, mt_translation_count(translation));
    return NULL;
  }
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, index);
  const bool is_wanted = mt_copies_are_wanted(hypothesis);
  mt_copies *copies = mt_alloc(1, sizeof *copies);
  mt_copied *copied = mt_alloc(mt_tokens_count(hypothesis->tokens) + 1, sizeof *copied);
  if (!copies || !copied) {
    mt_free(copies);
    mt_free(copied);
    return mt_fail_no_memory(error), NULL;
  }
  *copies = (mt_copies){.copied = copied};
  copies->ref_count = 1;
  mt_alignment_input *a =
      is_wanted ? mt_alignment_input_of_translation(session, translation, index, hooks, error)
                : NULL;
  const char *source = mt_tokens_text(mt_translation_source(translation));
  const bool ok = !is_wanted || (a && find_all(copies, a, error));
  mt_alignment_input_unref(a);
  if (ok && write_all(copies, hypothesis->tokens, source, error))
    return copies;
  mt_copies_unref(copies);
  return NULL;
}

static void
copies_free(mt_copies *copies)
{
  mt_tokens_unref(copies->tokens);
  mt_free(copies->copied);
  mt_free(copies);
}

MT_DEFINE_COUNTED(mt_copies, copies_free)

/* mt-tokenizer.c — text to ids and back, as the tokenizers of Hugging Face.
 *
 * Text to ids: added tokens are cut out (mt-added-tokens.c). What is left goes through the model's
 * kind of text (mt-text.h); what the vocabulary lacks becomes <unk>. Around it come the special
 * tokens of the model, mostly </s> at the end, and the token of a language where the model wants
 * one. One difference is meant: special tokens such as </s>, <unk> and <pad> spelled out in the
 * text are text here, not the token. Ids to text: special tokens and <unk> are left out, the kind
 * joins the rest, and the spaces around the whole are dropped. All offsets count bytes of the text
 * as given, or as it came out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-tokenizer.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "text/mt-text.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES_MAX (4 << 20)      /* far beyond any position table, and quick to refuse */
#define WORD_SPACE     "\xe2\x96\x81" /* "▁", SentencePiece's visible space */

struct mt_tokenizer {
  mt_text text;
  mt_languages languages[MT_N_STACKS]; /* from which, and into which */
  mt_language_mode language_mode;
  bool has_codes;     /* a text may begin with a language code, such as ">>deu<<" */
  bool language_last; /* the source's token stands after all others */
  int32_t *around;    /* ids before a text, then those after it */
  size_t n_before, n_after;
  bool only_source; /* they are not those of a translation */
  size_t max_tokens;
};

/* ---- Opening --------------------------------------------------------------------------------- */

/* The ids around a text; if the model names none, it is the "</s>" of each side. */
static bool
take_around(mt_tokenizer *t, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  mt_id_list lists[] = {spec->before, spec->after};
  const int32_t bos = mt_vocab_find(t->text.vocab[0], "<s>", 3), eos = t->text.vocab[0]->eos;
  if (lists[0].n == 0 && lists[1].n == 0 && t->text.row->begins_with_bos && bos >= 0) {
    lists[0] = (mt_id_list){&bos, 1};
    lists[1] = (mt_id_list){&eos, 1};
  }
  t->around = mt_alloc(lists[0].n + lists[1].n, sizeof *t->around);
  if (!t->around)
    return mt_fail_no_memory(error);
  size_t n = 0, most = t->text.vocab[0]->size < t->text.vocab[1]->size ? t->text.vocab[0]->size
                                                                       : t->text.vocab[1]->size;
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < lists[k].n; i++) {
      int32_t id = lists[k].ids[i];
      if (id < 0 || (size_t) id >= most)
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s: expected special tokens with ids below the vocabulary size %zu, found "
                       "%d.",
                       dir->name, most, (int) id);
      t->around[n++] = id;
    }
  t->only_source = spec->only_source;
  t->n_before = lists[0].n;
  t->n_after = lists[1].n;
  return true;
}

/* The languages whose tokens the vocabularies have. */
static bool
collect_languages(mt_tokenizer *t, const mt_tokenizer_spec *spec, mt_error *error)
{
  if (spec->language_mode == MT_LANGUAGES_SOURCE_TOKEN)
    return mt_languages_collect(&t->languages[MT_STACK_DECODER], t->text.vocab[MT_STACK_ENCODER],
                                spec->language_spelling, error);
  for (int side = 0; side < MT_N_STACKS && spec->language_mode != MT_LANGUAGES_NONE; side++)
    if (!mt_languages_collect(&t->languages[side], t->text.vocab[side], spec->language_spelling,
                              error))
      return false;
  return true;
}

/* Tokens of languages are special. Where they are no part of the text, one that is spelled out in
 * it is text. */
static void
mark_languages(mt_tokenizer *t)
{
  size_t i;
  const bool are_in_text = t->language_mode == MT_LANGUAGES_SOURCE_TOKEN;
  for (int side = 0; side < MT_N_STACKS; side++) {
    const mt_languages *languages = &t->languages[side];
    const mt_vocab *vocab = t->text.vocab[are_in_text ? MT_STACK_ENCODER : side];
    for (size_t k = 0; k < languages->n; k++)
      vocab->special[languages->items[k].id] = true;
  }
  if (are_in_text)
    return;
  for (size_t k = 0; k < t->text.added.n; k++) {
    mt_added_token *token = &t->text.added.items[k];
    token->stays_text |= mt_languages_find_id(&t->languages[MT_STACK_DECODER], token->id, &i);
  }
}

mt_tokenizer *
mt_tokenizer_open(const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  mt_tokenizer *t = mt_alloc(1, sizeof *t);
  if (!t)
    return mt_fail_no_memory(error), NULL;

  t->max_tokens = spec->max_tokens;
  t->language_mode = spec->language_mode;
  t->language_last = spec->language_last;
  t->has_codes = spec->kind == MT_TEXT_MARIAN && spec->language_mode == MT_LANGUAGES_SOURCE_TOKEN;
  t->text.row = mt_text_row_of(spec->kind);
  bool is_open = spec->json_file ? mt_text_open_json(&t->text, dir, spec, error)
                                 : t->text.row->open(&t->text, dir, spec, error);
  if (is_open && take_around(t, dir, spec, error) && collect_languages(t, spec, error)) {
    mark_languages(t);
    if (mt_added_tokens_settle(&t->text.added, error))
      return t;
  }
  mt_tokenizer_free(t);
  return NULL;
}

void
mt_tokenizer_free(mt_tokenizer *t)
{
  if (!t)
    return;
  mt_text *text = &t->text;
  for (int side = 0; side < MT_N_STACKS; side++)
    mt_languages_clear(&t->languages[side]);
  if (text->spm[1] != text->spm[0])
    mt_spm_free(text->spm[1]);
  mt_spm_free(text->spm[0]);
  if (text->vocab[1] != text->vocab[0])
    mt_vocab_free(text->vocab[1]);
  mt_vocab_free(text->vocab[0]);
  mt_bpe_free(text->bpe);
  mt_added_tokens_clear(&text->added);
  mt_free(t->around);
  mt_free(t);
}

int32_t
mt_tokenizer_unk_id(const mt_tokenizer *t, mt_stack side)
{
  return t->text.vocab[side]->unk;
}

int32_t
mt_tokenizer_eos_id(const mt_tokenizer *t)
{
  return t->text.vocab[MT_STACK_DECODER]->eos;
}

const mt_languages *
mt_tokenizer_languages(const mt_tokenizer *t, mt_stack side)
{
  return &t->languages[side];
}

const char *
mt_tokenizer_piece(const mt_tokenizer *t, mt_stack side, int32_t id)
{
  return mt_vocab_piece(t->text.vocab[side], id);
}

/* ---- A list of tokens being made ------------------------------------------------------------- */

typedef struct {
  const mt_text *kind;
  mt_stack side;
  const mt_vocab *vocab;
  mt_token *items;
  size_t n, capacity;
  const mt_stretch *stretch; /* of the text, which is being split */
  bool has_codes;            /* it may begin with a language code */
  size_t code;               /* its first bytes that are one */
  size_t before;             /* bytes that were put before the text */
  mt_error *error;
} builder;

static bool
builder_add(builder *b, int32_t id, size_t begin, size_t end)
{
  if (!mt_grow(&b->items, b->n, 1, &b->capacity, sizeof *b->items))
    return mt_fail_no_memory(b->error);
  b->items[b->n++] = (mt_token){
      .id = id,
      .piece = mt_vocab_piece(b->vocab, id),
      .begin = (uint32_t) begin,
      .end = (uint32_t) end,
      .is_special = mt_vocab_is_special(b->vocab, id),
  };
  return true;
}

/* Bytes of white space at the start of text, at most n. */
static size_t
skip_space(const char *text, size_t n)
{
  size_t i = 0;
  while (i < n) {
    size_t length = mt_utf8_length_at(text + i, n - i);
    if (length == 0 || !mt_utf8_is_space(text + i, length))
      break;
    i += length;
  }
  return i;
}

/* Rows without a piece are called <unk> too, so the piece is compared, not the id. */
static bool
is_unknown(const builder *b, const mt_token *token)
{
  return token->piece == mt_vocab_piece(b->vocab, b->vocab->unk);
}

/* Whether token i is an <unk> that left nothing in the text, as a generated one does. */
static bool
is_lost(const builder *b, size_t i)
{
  return i < b->n && b->items[i].begin == b->items[i].end && is_unknown(b, &b->items[i]);
}

/* Number the words. A token belongs to the word of its first byte that is not white space, so a
 * lone "▁" belongs to the word it introduces. Special tokens are words of their own. A lost <unk>
 * has no byte to go by: it goes on with the word before it unless a lone "▁" introduces it, and
 * the next "▁" ends its word. */
static void
number_words(builder *b, const char *text)
{
  size_t n = strlen(text);
  size_t at = 0;         /* everything before it is counted */
  int32_t words = 0;     /* starts of words in text[0 … at] */
  bool in_word = false;  /* whether text[at - 1] belongs to one */
  int32_t number = -1;   /* running number given last */
  int32_t last_word = 0; /* what it stands for; 0: a special token */
  for (size_t i = 0; i < b->n; i++) {
    mt_token *token = &b->items[i];
    if (token->is_special) {
      token->word = ++number;
      last_word = 0;
      continue;
    }
    if (is_lost(b, i) && last_word != 0) {
      token->word = number;
      continue;
    }
    size_t first = token->begin + skip_space(text + token->begin, n - token->begin);
    if (first == n)
      first = token->begin; /* white space at the end of the text: the word before it */
    while (at <= first && at < n) {
      size_t length = mt_utf8_length_at(text + at, n - at);
      bool is_space = mt_utf8_is_space(text + at, length);
      words += !is_space && !in_word;
      in_word = !is_space;
      at += length ? length : 1;
    }
    int32_t word = words ? words : 1;
    bool opens = word != last_word;
    if (strcmp(token->piece, WORD_SPACE) == 0 && is_lost(b, i + 1))
      opens = true;
    if (strncmp(token->piece, WORD_SPACE, strlen(WORD_SPACE)) == 0 && i > 0 && is_lost(b, i - 1))
      opens = true;
    number += opens;
    last_word = word;
    token->word = number;
  }
}

/* ---- Text to ids ----------------------------------------------------------------------------- */

/* Where bytes begin … end of the stretch are in the text as given. A language token that was put
 * before it has both ends at 0. */
static bool
add_at(builder *b, int32_t id, size_t begin, size_t end)
{
  const mt_stretch *s = b->stretch;
  size_t from = begin < s->n ? s->places[begin] : s->places[s->n - 1] + 1u;
  size_t to = end > begin ? s->places[end - 1] + 1u : from;
  from = from > b->before ? from - b->before : 0;
  to = to > b->before ? to - b->before : 0;
  return builder_add(b, id, from, to);
}

static bool
take_id(void *user, int32_t id, size_t begin, size_t end)
{
  builder *b = user;
  return add_at(b, id, b->code + begin, b->code + end);
}

/* A leading language code, such as ">>deu<<", is one token. Returns its length, 0 if there is none.
 */
static size_t
language_code_length(const char *text, size_t n)
{
  if (n < 4 || memcmp(text, ">>", 2) != 0)
    return 0;
  for (size_t i = 0; i + 1 < n; i++)
    if (text[i] == '<' && text[i + 1] == '<')
      return i + 2;
  return 0;
}

/* A token of a language that the text itself starts with. Returns its length, 0 if there is none.
 */
static size_t
own_language_length(const builder *b, const mt_tokenizer *t, const char *text, size_t n)
{
  size_t length = 0, own;
  if (t->has_codes)
    length = language_code_length(text, n);
  else if (n > 2 && memcmp(text, "<2", 2) == 0)
    while (length < n && (length == 0 || text[length - 1] != '>'))
      length++;
  int32_t id = length > 0 ? mt_vocab_find(b->vocab, text, length) : -1;
  return mt_languages_find_id(&t->languages[MT_STACK_DECODER], id, &own) ? length : 0;
}

/* An added token, or the pieces of what lies between two. As MarianTokenizer sees it, each such
 * stretch may start with a language code, and SentencePiece puts its "▁" before each. */
static bool
encode_stretch(void *user, const mt_stretch *stretch)
{
  builder *b = user;
  int32_t id;
  b->stretch = stretch;
  b->code = stretch->token ? stretch->n
            : b->has_codes ? language_code_length(stretch->text, stretch->n)
                           : 0;
  if (b->code > 0 && (!mt_text_find_id(b->kind, b->side, stretch->text, b->code, &id, b->error) ||
                      !add_at(b, id, 0, b->code)))
    return false;
  return b->code == stretch->n || b->kind->row->split(b->kind, b->side, stretch->text + b->code,
                                                      stretch->n - b->code, take_id, b, b->error);
}

/* The text, with the token of a language before it unless it starts with one of its own.
 * MarianTokenizer would be given both with a space between, so SentencePiece sees that space: most
 * models drop it, some keep it. */
static bool
encode_to(builder *b, const mt_tokenizer *t, const char *text, size_t n,
          const mt_language *language)
{
  if (!language || own_language_length(b, t, text, n) > 0)
    return mt_added_tokens_split(&t->text.added, text, n, encode_stretch, b, b->error);
  const char *token = mt_vocab_piece(b->vocab, language->id);
  b->before = strlen(token) + 1;
  char *both = mt_alloc(b->before + n + 1, 1);
  if (!both)
    return mt_fail_no_memory(b->error);
  memcpy(both, token, b->before - 1);
  both[b->before - 1] = ' ';
  memcpy(both + b->before, text, n);
  bool ok = mt_added_tokens_split(&t->text.added, both, b->before + n, encode_stretch, b, b->error);
  mt_free(both);
  return ok;
}

static bool
add_special(builder *b, int32_t id, size_t at)
{
  return builder_add(b, id, at, at) && (b->items[b->n - 1].is_special = true);
}

/* Tokens of the first n_prefix bytes are told from those of the text behind them, whose spans count
 * from there. White space between the two introduces the text. True: the text has a token. */
static bool
mark_prefix(builder *b, const char *both, size_t n, size_t n_prefix)
{
  bool has_text = false;
  for (size_t i = 0; i < b->n; i++) {
    mt_token *token = &b->items[i];
    const size_t first = token->begin + skip_space(both + token->begin, n - token->begin);
    const bool is_around = token->is_special && token->begin == token->end;
    token->is_prefix = !is_around && first < n_prefix && token->end <= n_prefix;
    has_text |= !is_around && !token->is_prefix;
    token->begin = token->begin > n_prefix ? token->begin - (uint32_t) n_prefix : 0;
    token->end = token->end > n_prefix ? token->end - (uint32_t) n_prefix : 0;
  }
  return has_text;
}

/* What stands around a text; the token of a language where it is a token of its own. The first
 * n_prefix bytes are no text. */
static bool
tokenize(builder *b, const mt_tokenizer *t, const char *text, size_t n, size_t n_prefix,
         const mt_language *language)
{
  static const char no_text[] =
      "Expected some text, found nothing but white space or unprintable characters.";
  const bool is_in_text = t->language_mode == MT_LANGUAGES_SOURCE_TOKEN;
  const bool is_last = language && !is_in_text && t->language_last && b->side == MT_STACK_ENCODER;
  const bool is_first = language && !is_in_text && !is_last;
  const bool is_other = t->only_source && b->side == MT_STACK_DECODER;
  const size_t n_before = is_other ? 0 : t->n_before, n_after = is_other ? 0 : t->n_after;
  bool ok = !is_first || add_special(b, language->id, 0);
  for (size_t i = 0; ok && i < n_before; i++)
    ok = add_special(b, t->around[i], 0);
  const size_t n_first = b->n;
  if (!ok || !encode_to(b, t, text, n, is_in_text ? language : NULL))
    return false;
  if (b->n == n_first || (b->n == n_first + 1 && b->before > 0))
    return mt_fail(b->error, MT_ERROR_INPUT, no_text);
  if (n_before == 0 && n_after == 0 && (is_other || !t->only_source))
    ok = add_special(b, b->vocab->eos, n);
  for (size_t i = 0; ok && i < n_after; i++)
    ok = add_special(b, t->around[t->n_before + i], n);
  if (!ok || (is_last && !add_special(b, language->id, n)))
    return false;
  if (b->n > t->max_tokens)
    return mt_fail(b->error, MT_ERROR_TOO_LONG,
                   "The text has %zu tokens, the %send token included, and the model has positions "
                   "for %zu.",
                   b->n,
                   language && (b->before > 0 || !is_in_text) ? "language token and the "
                   : n_prefix > 0                             ? "prefix and the "
                                                              : "",
                   t->max_tokens);
  number_words(b, text);
  return n_prefix == 0 || mark_prefix(b, text, n, n_prefix) ||
         mt_fail(b->error, MT_ERROR_INPUT, no_text);
}

mt_tokens *
mt_tokenizer_encode(const mt_tokenizer *t, mt_stack side, const char *text,
                    const mt_language *language, mt_error *error)
{
  return mt_tokenizer_encode_behind(t, side, "", text, language, error);
}

mt_tokens *
mt_tokenizer_encode_behind(const mt_tokenizer *t, mt_stack side, const char *prefix,
                           const char *text, const mt_language *language, mt_error *error)
{
  size_t n = strlen(text), n_prefix = strlen(prefix);
  size_t offset;
  if (n == skip_space(text, n)) {
    mt_fail(error, MT_ERROR_INPUT, "Expected some text, found %s.",
            n ? "only white space" : "an empty text");
    return NULL;
  }
  if (n > TEXT_BYTES_MAX) {
    mt_fail(error, MT_ERROR_TOO_LONG,
            "The text has %zu bytes, and at most %d can be taken (the model has positions "
            "for %zu "
            "tokens).",
            n, TEXT_BYTES_MAX, t->max_tokens);
    return NULL;
  }
  if (!mt_utf8_valid(text, n, &offset)) {
    mt_fail(error, MT_ERROR_INPUT,
            "Expected text in UTF-8, found an invalid byte 0x%02x at byte %zu.",
            (unsigned) (unsigned char) text[offset], offset);
    return NULL;
  }
  builder b = {.kind = &t->text,
               .side = side,
               .vocab = t->text.vocab[side],
               .has_codes = t->has_codes,
               .error = error};
  mt_tokens *tokens = NULL;
  char *both = n_prefix > 0 ? mt_alloc(n_prefix + n + 1, 1) : NULL;
  if (both) {
    memcpy(both, prefix, n_prefix);
    memcpy(both + n_prefix, text, n + 1);
  }
  if ((n_prefix == 0 || both || mt_fail_no_memory(error)) &&
      tokenize(&b, t, both ? both : text, n_prefix + n, n_prefix, language))
    tokens = mt_tokens_new(text, b.items, b.n, error);
  mt_free(b.items);
  mt_free(both);
  return tokens;
}

/* ---- Ids to text ----------------------------------------------------------------------------- */

/* The surfaces that the kind of text returns, joined. */
typedef struct {
  builder *b;
  size_t next; /* the token whose surface comes next */
  char *text;
  size_t n, capacity;
} joiner;

/* Tokens that give no text: special ones and, as generate's skip_special_tokens does, <unk>. */
static bool
is_silent(const builder *b, const mt_token *token)
{
  return token->is_special || is_unknown(b, token);
}

static bool
joiner_append(joiner *j, const char *surface, size_t n)
{
  if (!mt_grow(&j->text, j->n, n + 1, &j->capacity, 1))
    return mt_fail_no_memory(j->b->error);
  memcpy(j->text + j->n, surface, n);
  j->n += n;
  j->text[j->n] = '\0';
  return true;
}

/* Give the tokens before the next one with text their (empty) place. */
static void
joiner_skip_silent(joiner *j)
{
  for (; j->next < j->b->n && is_silent(j->b, &j->b->items[j->next]); j->next++)
    j->b->items[j->next].begin = j->b->items[j->next].end = (uint32_t) j->n;
}

static bool
take_surface(void *user, const char *surface, size_t n)
{
  joiner *j = user;
  joiner_skip_silent(j);
  mt_token *token = &j->b->items[j->next++];
  token->begin = (uint32_t) j->n;
  if (!joiner_append(j, surface, n))
    return false;
  token->end = (uint32_t) j->n;
  return true;
}

/* Drop white space at both ends; offsets move along. */
static void
joiner_strip(joiner *j)
{
  size_t lead = skip_space(j->text, j->n);
  size_t end = j->n;
  while (end > lead) {
    size_t start = end - 1;
    while (start > lead && ((unsigned char) j->text[start] & 0xc0) == 0x80)
      start--;
    if (!mt_utf8_is_space(j->text + start, end - start))
      break;
    end = start;
  }
  memmove(j->text, j->text + lead, end - lead);
  j->text[end - lead] = '\0';
  for (size_t i = 0; i < j->b->n; i++) {
    uint32_t *offsets[2] = {&j->b->items[i].begin, &j->b->items[i].end};
    for (int k = 0; k < 2; k++) {
      size_t offset = *offsets[k] < lead ? lead : *offsets[k] > end ? end : *offsets[k];
      *offsets[k] = (uint32_t) (offset - lead);
    }
  }
}

static bool
detokenize(joiner *j)
{
  builder *b = j->b;
  int32_t *ids = mt_alloc(b->n, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(b->error);
  size_t n = 0;
  for (size_t i = 0; i < b->n; i++)
    if (!is_silent(b, &b->items[i]))
      ids[n++] = b->items[i].id;
  bool ok = joiner_append(j, "", 0) &&
            (n == 0 || b->kind->row->join(b->kind, b->side, ids, n, take_surface, j, b->error));
  mt_free(ids);
  if (!ok)
    return false;
  joiner_skip_silent(j);
  joiner_strip(j);
  number_words(b, j->text);
  return true;
}

mt_tokens *
mt_tokenizer_decode(const mt_tokenizer *t, mt_stack side, const int32_t *ids, size_t n,
                    mt_error *error)
{
  builder b = {.kind = &t->text, .side = side, .vocab = t->text.vocab[side], .error = error};
  joiner j = {.b = &b};
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    if (mt_vocab_piece(b.vocab, ids[i]))
      ok = builder_add(&b, ids[i], 0, 0);
    else
      ok = mt_fail(error, MT_ERROR_INPUT, "Expected an id below the vocabulary size %zu, found %d.",
                   b.vocab->size, (int) ids[i]);
  }
  mt_tokens *tokens = NULL;
  if (ok && detokenize(&j))
    tokens = mt_tokens_new(j.text, b.items, b.n, error);
  mt_free(j.text);
  mt_free(b.items);
  return tokens;
}

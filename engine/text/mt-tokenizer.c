/* mt-tokenizer.c — text to ids and back, as Hugging Face's MarianTokenizer.
 *
 * Text to ids: added tokens are cut out (mt-added-tokens.c). In what is left, a leading language
 * code (">>deu<<") is one token, or one is put before the text; SentencePiece splits the rest;
 * pieces that the vocabulary lacks become <unk>; at last comes </s>. One difference is meant: </s>,
 * <unk> and <pad> spelled out in the text are text here, not the token. Ids to text: special tokens
 * and <unk> are left out, SentencePiece joins the rest, "▁" becomes a space, and the spaces around
 * the whole are dropped. All offsets count bytes of the text as given, or as it came out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-tokenizer.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-file.h"
#include "text/mt-sentencepiece.h"
#include "text/mt-tokens.h"
#include "text/mt-vocab.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define SPM_BYTES_MAX  (256 << 20)
#define TEXT_BYTES_MAX (4 << 20)      /* far beyond any position table, and quick to refuse */
#define WORD_SPACE     "\xe2\x96\x81" /* "▁", SentencePiece's visible space */

struct mt_tokenizer {
  mt_spm *spm[MT_N_STACKS];     /* the same twice if the files are equal */
  mt_vocab *vocab[MT_N_STACKS]; /* the same twice if there is one vocabulary */
  mt_added_tokens added;
  mt_languages languages;
  size_t max_tokens;
};

/* ---- Opening --------------------------------------------------------------------------------- */

static mt_spm *
load_spm(const mt_dir *dir, const char *file, const mt_mapping *mapping, mt_error *error)
{
  char label[600];
  snprintf(label, sizeof label, "%.500s/%s", dir->name, file);
  if (mt_wrong_file_is_known(mapping->bytes, mapping->size)) {
    mt_wrong_file_fail(label, "a SentencePiece model", mapping->bytes, mapping->size, error);
    return NULL;
  }
  return mt_spm_new(mapping->bytes, mapping->size, label, error);
}

static bool
open_spms(mt_tokenizer *t, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  const char *source_file = spec->spm_files[MT_STACK_ENCODER];
  const char *target_file = spec->spm_files[MT_STACK_DECODER];
  mt_mapping source = {0}, target = {0};
  bool ok = mt_dir_map(dir, source_file, SPM_BYTES_MAX, &source, error) &&
            mt_dir_map(dir, target_file, SPM_BYTES_MAX, &target, error);
  if (ok) {
    t->spm[MT_STACK_ENCODER] = load_spm(dir, source_file, &source, error);
    ok = t->spm[MT_STACK_ENCODER] != NULL;
  }
  if (ok) {
    bool equal = source.size == target.size && memcmp(source.bytes, target.bytes, source.size) == 0;
    t->spm[MT_STACK_DECODER] =
        equal ? t->spm[MT_STACK_ENCODER] : load_spm(dir, target_file, &target, error);
    ok = t->spm[MT_STACK_DECODER] != NULL;
  }
  mt_unmap(&source);
  mt_unmap(&target);
  return ok;
}

static bool
open_vocabs(mt_tokenizer *t, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  const char *const *files = spec->vocab_files;
  mt_vocab_shape shapes[MT_N_STACKS] = {spec->shapes[0], spec->shapes[1]};
  if (spec->has_added_tokens) {
    if (!mt_added_tokens_load(&t->added, dir, error))
      return false;
    shapes[0].added = shapes[1].added = &t->added;
  }
  t->vocab[MT_STACK_ENCODER] = mt_vocab_load(dir, files[0], &shapes[0], error);
  if (!t->vocab[MT_STACK_ENCODER] || !mt_added_tokens_settle(&t->added, error))
    return false;
  t->vocab[MT_STACK_DECODER] = spec->has_one_vocab
                                   ? t->vocab[MT_STACK_ENCODER]
                                   : mt_vocab_load(dir, files[1], &shapes[1], error);
  if (!t->vocab[MT_STACK_DECODER])
    return false;
  int32_t eos = t->vocab[MT_STACK_DECODER]->eos;
  if (spec->eos_id >= 0 && eos != spec->eos_id)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected \"</s>\" to have the id %d, the eos_token_id of config.json, "
                   "found %d.",
                   dir->name, files[1], (int) spec->eos_id, (int) eos);
  return true;
}

mt_tokenizer *
mt_tokenizer_open(const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  mt_tokenizer *t = mt_alloc(1, sizeof *t);
  if (!t)
    return mt_fail_no_memory(error), NULL;

  t->max_tokens = spec->max_tokens;
  if (open_vocabs(t, dir, spec, error) && open_spms(t, dir, spec, error) &&
      mt_languages_collect(&t->languages, t->vocab[MT_STACK_ENCODER], error))
    return t;
  mt_tokenizer_free(t);
  return NULL;
}

void
mt_tokenizer_free(mt_tokenizer *t)
{
  if (!t)
    return;
  mt_languages_clear(&t->languages);
  if (t->spm[1] != t->spm[0])
    mt_spm_free(t->spm[1]);
  mt_spm_free(t->spm[0]);
  if (t->vocab[1] != t->vocab[0])
    mt_vocab_free(t->vocab[1]);
  mt_vocab_free(t->vocab[0]);
  mt_added_tokens_clear(&t->added);
  mt_free(t);
}

int32_t
mt_tokenizer_unk_id(const mt_tokenizer *t, mt_stack side)
{
  return t->vocab[side]->unk;
}

int32_t
mt_tokenizer_eos_id(const mt_tokenizer *t)
{
  return t->vocab[MT_STACK_DECODER]->eos;
}

const mt_languages *
mt_tokenizer_languages(const mt_tokenizer *t)
{
  return &t->languages;
}

const char *
mt_tokenizer_piece(const mt_tokenizer *t, mt_stack side, int32_t id)
{
  return mt_vocab_piece(t->vocab[side], id);
}

/* ---- A list of tokens being made ------------------------------------------------------------- */

typedef struct {
  const mt_vocab *vocab;
  mt_token *items;
  size_t n, capacity;
  const mt_added_tokens *added;
  const mt_spm *spm;
  const mt_stretch *stretch; /* of the text, which is being split */
  size_t code;               /* its first bytes that SentencePiece does not see */
  size_t before;             /* bytes that were put before the text */
  mt_error *error;
} builder;

static bool
builder_add(builder *b, int32_t id, size_t begin, size_t end, bool is_special)
{
  if (!mt_grow(&b->items, b->n, 1, &b->capacity, sizeof *b->items))
    return mt_fail_no_memory(b->error);
  b->items[b->n++] = (mt_token){
      .id = id,
      .piece = mt_vocab_piece(b->vocab, id),
      .begin = (uint32_t) begin,
      .end = (uint32_t) end,
      .is_special = is_special,
  };
  return true;
}

/* The id of a piece, <unk> if there is none. A model may name added tokens that it has no embedding
 * for, and is as good as any until one is asked for. */
static bool
builder_add_piece(builder *b, const char *piece, size_t n, size_t begin, size_t end)
{
  int32_t id = mt_vocab_find(b->vocab, piece, n);
  const mt_added_token *token = mt_added_tokens_find(b->added, piece, n);
  if (token && (size_t) token->id >= b->vocab->size)
    return mt_fail(b->error, MT_ERROR_INPUT,
                   "The text has the added token \"%.*s\", whose id %d the model has no embedding "
                   "for (it has %zu).",
                   (int) n, piece, (int) token->id, b->vocab->size);
  if (id < 0)
    id = b->vocab->unk;
  return builder_add(b, id, begin, end, mt_vocab_is_special(b->vocab, id));
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
add_at(builder *b, const char *piece, size_t n, size_t begin, size_t end)
{
  const mt_stretch *s = b->stretch;
  size_t from = begin < s->n ? s->places[begin] : s->places[s->n - 1] + 1u;
  size_t to = end > begin ? s->places[end - 1] + 1u : from;
  from = from > b->before ? from - b->before : 0;
  to = to > b->before ? to - b->before : 0;
  return builder_add_piece(b, piece, n, from, to);
}

static bool
take_piece(void *user, const char *piece, size_t n, size_t begin, size_t end)
{
  builder *b = user;
  return add_at(b, piece, n, b->code + begin, b->code + end);
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

/* An added token, or the pieces of what lies between two: as MarianTokenizer sees it, each such
 * stretch may start with a language code, and SentencePiece puts its "▁" before each. */
static bool
encode_stretch(void *user, const mt_stretch *stretch)
{
  builder *b = user;
  b->stretch = stretch;
  b->code = stretch->token ? stretch->n : language_code_length(stretch->text, stretch->n);
  return (b->code == 0 || add_at(b, stretch->text, b->code, 0, b->code)) &&
         (b->code == stretch->n || mt_spm_encode(b->spm, stretch->text + b->code,
                                                 stretch->n - b->code, take_piece, b, b->error));
}

/* The text, with the token of a language before it unless it starts with one of its own.
 * MarianTokenizer would be given both with a space between, so SentencePiece sees that space: most
 * models drop it, some keep it. */
static bool
encode(builder *b, const mt_tokenizer *t, const char *text, size_t n, const mt_language *language)
{
  size_t code = language_code_length(text, n), own;
  if (!language ||
      (code > 0 && mt_languages_find_id(&t->languages, mt_vocab_find(b->vocab, text, code), &own)))
    return mt_added_tokens_split(&t->added, text, n, encode_stretch, b, b->error);
  const char *token = mt_vocab_piece(b->vocab, language->id);
  b->before = strlen(token) + 1;
  char *both = mt_alloc(b->before + n + 1, 1);
  if (!both)
    return mt_fail_no_memory(b->error);
  memcpy(both, token, b->before - 1);
  both[b->before - 1] = ' ';
  memcpy(both + b->before, text, n);
  bool ok = mt_added_tokens_split(&t->added, both, b->before + n, encode_stretch, b, b->error);
  mt_free(both);
  return ok;
}

static bool
tokenize(builder *b, const mt_tokenizer *t, const char *text, size_t n, const mt_language *language)
{
  if (!encode(b, t, text, n, language))
    return false;
  if (b->n == 0 || (b->n == 1 && b->before > 0))
    return mt_fail(b->error, MT_ERROR_INPUT,
                   "Expected some text, found nothing but white space or unprintable characters.");
  if (!builder_add(b, b->vocab->eos, n, n, true))
    return false;
  if (b->n > t->max_tokens)
    return mt_fail(b->error, MT_ERROR_TOO_LONG,
                   "The text has %zu tokens, the %send token included, and the model has positions "
                   "for %zu.",
                   b->n, b->before > 0 ? "language token and the " : "", t->max_tokens);
  number_words(b, text);
  return true;
}

mt_tokens *
mt_tokenizer_encode(const mt_tokenizer *t, mt_stack side, const char *text,
                    const mt_language *language, mt_error *error)
{
  size_t n = strlen(text);
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
  builder b = {.vocab = t->vocab[side], .added = &t->added, .spm = t->spm[side], .error = error};
  mt_tokens *tokens = NULL;
  if (tokenize(&b, t, text, n, language))
    tokens = mt_tokens_new(text, b.items, b.n, error);
  mt_free(b.items);
  return tokens;
}

/* ---- Ids to text ----------------------------------------------------------------------------- */

/* The surfaces that SentencePiece returns, joined. */
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

/* Append n bytes, "▁" turned into a space. */
static bool
joiner_append(joiner *j, const char *surface, size_t n)
{
  if (!mt_grow(&j->text, j->n, n + 1, &j->capacity, 1))
    return mt_fail_no_memory(j->b->error);
  const size_t space = strlen(WORD_SPACE);
  for (size_t i = 0; i < n;) {
    if (n - i >= space && memcmp(surface + i, WORD_SPACE, space) == 0) {
      j->text[j->n++] = ' ';
      i += space;
    } else {
      j->text[j->n++] = surface[i++];
    }
  }
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
take_surface(void *user, const char *surface, size_t n, size_t begin, size_t end)
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
detokenize(joiner *j, const mt_spm *spm)
{
  builder *b = j->b;
  const char **pieces = mt_alloc(b->n, sizeof *pieces);
  if (!pieces)
    return mt_fail_no_memory(b->error);
  size_t n_pieces = 0;
  for (size_t i = 0; i < b->n; i++)
    if (!is_silent(b, &b->items[i]))
      pieces[n_pieces++] = b->items[i].piece;
  bool ok = joiner_append(j, "", 0) &&
            (n_pieces == 0 || mt_spm_decode(spm, pieces, n_pieces, take_surface, j, b->error));
  mt_free(pieces);
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
  builder b = {.vocab = t->vocab[side], .error = error};
  joiner j = {.b = &b};
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++) {
    if (mt_vocab_piece(b.vocab, ids[i]))
      ok = builder_add(&b, ids[i], 0, 0, mt_vocab_is_special(b.vocab, ids[i]));
    else
      ok = mt_fail(error, MT_ERROR_INPUT, "Expected an id below the vocabulary size %zu, found %d.",
                   b.vocab->size, (int) ids[i]);
  }
  mt_tokens *tokens = NULL;
  if (ok && detokenize(&j, t->spm[side]))
    tokens = mt_tokens_new(j.text, b.items, b.n, error);
  mt_free(j.text);
  mt_free(b.items);
  return tokens;
}

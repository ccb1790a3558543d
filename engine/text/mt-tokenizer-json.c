/* mt-tokenizer-json.c — tokenizer.json, which says all of a tokenizer, where it is the only file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It is a program of steps (normalizer, pre_tokenizer, model). Of SentencePiece's tokenizers the
 * steps are few, and together they are what a SentencePiece model does: so one is made of them, in
 * memory, as the bytes of its file (sentencepiece_model.proto), and goes through the reader of such
 * files and all its checks. Any other step is refused by its name.
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "text/mt-text.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "tokenizer.json"
#define LOWER_BAR "\xe2\x96\x81" /* "▁" */

/* What the steps say. */
typedef struct {
  const mt_dir *dir;
  const char *charsmap; /* base64; NULL: none */
  bool collapses;       /* several spaces are one, and those at the ends none */
  bool splits;          /* at any white space */
  bool joins_lines;     /* a new line is a space */
  bool has_prefix;      /* a "▁" before the text */
  bool is_byte_level;
  bool is_unigram, has_byte_fallback;
  int64_t unk;
  mt_error *error;
} steps;

static bool
refuse(const steps *s, const char *what, const char *found)
{
  return mt_fail(s->error, MT_ERROR_UNSUPPORTED,
                 "%s/" FILE_NAME ": expected %s as SentencePiece or a byte-level BPE has it, found "
                 "\"%.60s\", which is not done.",
                 s->dir->name, what, found);
}

static bool
fail(const steps *s, const char *expected, const mt_json_value *found)
{
  char description[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(s->error, MT_ERROR_FORMAT, "%s/" FILE_NAME ": expected %s, found %s.",
                 s->dir->name, expected, mt_json_describe(found, description));
}

/* ---- Members --------------------------------------------------------------------------------- */

static const mt_json_value *
member(const mt_json_value *object, const char *key)
{
  return mt_json_kind_of(object) == MT_JSON_OBJECT ? mt_json_member(object, key) : NULL;
}

static const char *
string_of(const mt_json_value *object, const char *key)
{
  const mt_json_value *value = member(object, key);
  const char *text = mt_json_kind_of(value) == MT_JSON_STRING ? mt_json_string(value) : NULL;
  return text ? text : "";
}

static bool
flag_of(const mt_json_value *object, const char *key, bool otherwise)
{
  const mt_json_value *value = member(object, key);
  return mt_json_kind_of(value) == MT_JSON_BOOL ? mt_json_bool(value) : otherwise;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Calls `take` for a step, or for each of a sequence; null is none. */
static bool
each_step(steps *s, const mt_json_value *step, const char *list_key, const char *what,
          bool (*take)(steps *s, const mt_json_value *step, const char *type))
{
  if (mt_json_kind_of(step) == MT_JSON_NULL)
    return true;
  if (mt_json_kind_of(step) != MT_JSON_OBJECT)
    return fail(s, what, step);
  const char *type = string_of(step, "type");
  if (strcmp(type, "Sequence") != 0)
    return take(s, step, type);
  const mt_json_value *list = member(step, list_key);
  size_t n = mt_json_kind_of(list) == MT_JSON_ARRAY ? mt_json_length(list) : 0;
  bool ok = true;
  for (size_t i = 0; ok && i < n; i++)
    ok = each_step(s, mt_json_at(list, i), list_key, what, take);
  return ok;
}

/* " {2,}" by a space, or a space by "▁", is what SentencePiece does anyway; "\n" by a space is done
 * before it. */
static bool
take_replace(steps *s, const mt_json_value *step)
{
  const mt_json_value *pattern = member(step, "pattern");
  const char *regex = string_of(pattern, "Regex"), *text = string_of(pattern, "String");
  const char *content = string_of(step, "content");
  bool is_space = strcmp(content, " ") == 0 || strcmp(content, LOWER_BAR) == 0;
  if (strcmp(regex, " {2,}") == 0 && is_space)
    s->collapses = true;
  else if ((strcmp(regex, "\\n") == 0 || strcmp(text, "\n") == 0) && is_space)
    s->joins_lines = true;
  else if (strcmp(text, " ") != 0 || strcmp(content, LOWER_BAR) != 0)
    return refuse(s, "replacements", *regex ? regex : text);
  return true;
}

static bool
take_normalizer(steps *s, const mt_json_value *step, const char *type)
{
  if (strcmp(type, "Replace") == 0)
    return take_replace(s, step);
  if (strcmp(type, "Prepend") == 0 && strcmp(string_of(step, "prepend"), LOWER_BAR) == 0) {
    s->has_prefix = true;
    return true;
  }
  if (strcmp(type, "Strip") == 0)
    return true;
  if (strcmp(type, "Precompiled") != 0)
    return refuse(s, "a normalizer", type);
  const char *charsmap = string_of(step, "precompiled_charsmap");
  if (s->charsmap && *charsmap)
    return refuse(s, "one table of characters", type);
  s->charsmap = *charsmap ? charsmap : s->charsmap;
  return true;
}

static bool
take_pre_tokenizer(steps *s, const mt_json_value *step, const char *type)
{
  if (strcmp(type, "ByteLevel") == 0) {
    if (!flag_of(step, "use_regex", true))
      return refuse(s, "a pattern of words", "use_regex false");
    s->is_byte_level = true;
    s->has_prefix = flag_of(step, "add_prefix_space", true);
  } else if (strcmp(type, "WhitespaceSplit") == 0) {
    s->collapses = s->splits = true;
  } else if (strcmp(type, "Metaspace") == 0) {
    if (strcmp(string_of(step, "replacement"), LOWER_BAR) != 0)
      return refuse(s, "a mark of words", string_of(step, "replacement"));
    const char *scheme = string_of(step, "prepend_scheme");
    s->has_prefix |=
        *scheme ? strcmp(scheme, "never") != 0 : flag_of(step, "add_prefix_space", true);
  } else {
    return refuse(s, "a pre_tokenizer", type);
  }
  return true;
}

/* ---- Bytes of a SentencePiece model ---------------------------------------------------------- */

/* Fields of sentencepiece_model.proto. */
enum {
  MODEL_PIECES = 1,
  MODEL_TRAINER = 2,
  MODEL_NORMALIZER = 3,
  PIECE_TEXT = 1,
  PIECE_SCORE = 2,
  PIECE_TYPE = 3,
  TRAINER_MODEL_TYPE = 3,
  TRAINER_BYTE_FALLBACK = 35,
  TRAINER_UNK_ID = 40,
  TRAINER_BOS_ID = 41,
  TRAINER_EOS_ID = 42,
  TRAINER_PAD_ID = 43,
  NORMALIZER_CHARSMAP = 2,
  NORMALIZER_PREFIX = 3,
  NORMALIZER_COLLAPSES = 4,
  NORMALIZER_ESCAPES = 5,
};
enum { UNIGRAM = 1, BPE = 2 };
enum { NORMAL = 1, UNKNOWN = 2, CONTROL = 3, BYTE = 6 };

typedef struct {
  unsigned char *bytes;
  size_t n, capacity;
  bool failed; /* memory ran out */
} buffer;

static void
put_bytes(buffer *b, const void *bytes, size_t n)
{
  b->failed = b->failed || !mt_grow(&b->bytes, b->n, n, &b->capacity, 1);
  if (b->failed || n == 0)
    return;
  memcpy(b->bytes + b->n, bytes, n);
  b->n += n;
}

static void
put_varint(buffer *b, uint64_t value)
{
  unsigned char bytes[10];
  size_t n = 0;
  do {
    bytes[n++] = (unsigned char) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value >>= 7;
  } while (value > 0);
  put_bytes(b, bytes, n);
}

static void
put_whole(buffer *b, unsigned field, int64_t value)
{
  put_varint(b, (uint64_t) field << 3);
  put_varint(b, (uint64_t) value);
}

/* A string, or a message. */
static void
put_content(buffer *b, unsigned field, const void *bytes, size_t n)
{
  put_varint(b, (uint64_t) field << 3 | 2);
  put_varint(b, n);
  put_bytes(b, bytes, n);
}

static void
put_piece(buffer *b, const char *text, float score, int type)
{
  buffer piece = {0};
  unsigned char bytes[4];
  uint32_t bits;
  memcpy(&bits, &score, sizeof bits);
  for (int i = 0; i < 4; i++)
    bytes[i] = (unsigned char) (bits >> 8 * i);
  put_content(&piece, PIECE_TEXT, text, strlen(text));
  put_varint(&piece, PIECE_SCORE << 3 | 5);
  put_bytes(&piece, bytes, sizeof bytes);
  put_whole(&piece, PIECE_TYPE, type);
  b->failed = b->failed || piece.failed;
  put_content(b, MODEL_PIECES, piece.bytes, piece.failed ? 0 : piece.n);
  mt_free(piece.bytes);
}

/* ---- The table of characters ----------------------------------------------------------------- */

static int
value_of(char c)
{
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : -1;
}

/* Base64 without line breaks. False: it is none. */
static bool
put_base64(buffer *b, const char *text)
{
  size_t n = strlen(text);
  while (n > 0 && text[n - 1] == '=')
    n--;
  uint32_t bits = 0;
  unsigned n_bits = 0;
  for (size_t i = 0; i < n; i++) {
    int value = value_of(text[i]);
    if (value < 0)
      return false;
    bits = bits << 6 | (uint32_t) value;
    n_bits += 6;
    if (n_bits >= 8) {
      unsigned char byte = (unsigned char) (bits >> (n_bits -= 8));
      put_bytes(b, &byte, 1);
    }
  }
  return true;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* In the order of their ids. */
typedef struct {
  const char **texts;
  float *scores;
  size_t n;
} pieces;

static bool
take_text(steps *s, pieces *p, size_t id, const char *text)
{
  size_t n = strlen(text);
  p->texts[id] = text;
  return n <= MT_TEXT_PIECE_MAX ||
         mt_fail(s->error, MT_ERROR_FORMAT,
                 "%s/" FILE_NAME ": expected pieces of at most %d bytes, found one of %zu.",
                 s->dir->name, MT_TEXT_PIECE_MAX, n);
}

static bool
take_unigram(steps *s, const mt_json_value *vocab, pieces *p)
{
  for (size_t i = 0; i < p->n; i++) {
    const mt_json_value *pair = mt_json_at(vocab, i);
    bool is_pair = mt_json_kind_of(pair) == MT_JSON_ARRAY && mt_json_length(pair) == 2;
    const mt_json_value *text = is_pair ? mt_json_at(pair, 0) : NULL,
                        *score = is_pair ? mt_json_at(pair, 1) : NULL;
    mt_json_kind kind = mt_json_kind_of(score);
    if (mt_json_kind_of(text) != MT_JSON_STRING || !mt_json_string(text) ||
        (kind != MT_JSON_NUMBER && kind != MT_JSON_INTEGER))
      return fail(s, "pieces with their scores", pair);
    if (!take_text(s, p, i, mt_json_string(text)))
      return false;
    p->scores[i] =
        (float) (kind == MT_JSON_INTEGER ? (double) mt_json_integer(score) : mt_json_number(score));
  }
  return true;
}

typedef struct {
  steps *s;
  pieces *p;
} taker;

static bool
take_numbered(void *user, const char *piece, const mt_json_value *value)
{
  const taker *t = user;
  if (mt_json_kind_of(value) != MT_JSON_INTEGER || mt_json_integer(value) < 0 ||
      (uint64_t) mt_json_integer(value) >= t->p->n || t->p->texts[mt_json_integer(value)])
    return fail(t->s, "pieces with ids from 0 on, each once", value);
  t->p->scores[mt_json_integer(value)] = (float) -mt_json_integer(value);
  return take_text(t->s, t->p, (size_t) mt_json_integer(value), piece);
}

/* SentencePiece merges whatever two pieces make a third one: a list of merges that has fewer of
 * them is another tokenizer's. Longer pieces than a model has are not worth the time. */
#define LONGEST_MERGED 64
static bool
check_merges(steps *s, const mt_json_value *model, const mt_json_value *vocab, const pieces *p)
{
  const mt_json_value *merges = member(model, "merges");
  size_t n_merges = mt_json_kind_of(merges) == MT_JSON_ARRAY ? mt_json_length(merges) : 0, n = 0;
  char left[LONGEST_MERGED];
  for (size_t i = 0; i < p->n; i++) {
    size_t length = strlen(p->texts[i]);
    for (size_t k = 1; length <= LONGEST_MERGED && k < length; k++) {
      if ((p->texts[i][k] & 0xc0) == 0x80 || !member(vocab, p->texts[i] + k))
        continue;
      memcpy(left, p->texts[i], k);
      left[k] = '\0';
      n += member(vocab, left) != NULL;
    }
  }
  return n <= n_merges || mt_fail(s->error, MT_ERROR_UNSUPPORTED,
                                  "%s/" FILE_NAME ": expected the merges of a SentencePiece model, "
                                  "%zu for these pieces, found %zu.",
                                  s->dir->name, n, n_merges);
}

static bool
take_bpe(steps *s, const mt_json_value *model, const mt_json_value *vocab, pieces *p)
{
  taker t = {s, p};
  return mt_json_each(vocab, take_numbered, &t) && check_merges(s, model, vocab, p);
}

/* "<0x41>" */
static bool
is_byte(const char *piece)
{
  static const char digits[] = "0123456789ABCDEF";
  return strlen(piece) == 6 && strncmp(piece, "<0x", 3) == 0 && strchr(digits, piece[3]) &&
         strchr(digits, piece[4]) && piece[5] == '>';
}

/* ---- Making the model ------------------------------------------------------------------------ */

static void
put_model(buffer *b, const steps *s, const pieces *p, const bool *is_special)
{
  size_t n_bytes = 0;
  for (size_t i = 0; i < p->n; i++)
    n_bytes += is_byte(p->texts[i]);
  const bool falls_back = s->has_byte_fallback && n_bytes == 256;
  for (size_t i = 0; i < p->n; i++) {
    bool is_own = falls_back && is_byte(p->texts[i]);
    int type = (int64_t) i == s->unk ? UNKNOWN : is_special[i] ? CONTROL : is_own ? BYTE : NORMAL;
    put_piece(b, p->texts[i], p->scores[i], type);
  }
  buffer trainer = {0};
  put_whole(&trainer, TRAINER_MODEL_TYPE, s->is_unigram ? UNIGRAM : BPE);
  put_whole(&trainer, TRAINER_BYTE_FALLBACK, falls_back);
  put_whole(&trainer, TRAINER_UNK_ID, s->unk);
  put_whole(&trainer, TRAINER_BOS_ID, -1);
  put_whole(&trainer, TRAINER_EOS_ID, -1);
  put_whole(&trainer, TRAINER_PAD_ID, -1);
  b->failed = b->failed || trainer.failed;
  put_content(b, MODEL_TRAINER, trainer.bytes, trainer.failed ? 0 : trainer.n);
  mt_free(trainer.bytes);
}

static bool
put_normalizer(buffer *b, const steps *s)
{
  buffer normalizer = {0}, charsmap = {0};
  bool ok = !s->charsmap || put_base64(&charsmap, s->charsmap);
  put_content(&normalizer, NORMALIZER_CHARSMAP, charsmap.bytes, charsmap.failed ? 0 : charsmap.n);
  put_whole(&normalizer, NORMALIZER_PREFIX, s->has_prefix);
  put_whole(&normalizer, NORMALIZER_COLLAPSES, s->collapses);
  put_whole(&normalizer, NORMALIZER_ESCAPES, true);
  b->failed = b->failed || normalizer.failed || charsmap.failed;
  put_content(b, MODEL_NORMALIZER, normalizer.bytes, normalizer.failed ? 0 : normalizer.n);
  mt_free(normalizer.bytes);
  mt_free(charsmap.bytes);
  return ok || mt_fail(s->error, MT_ERROR_FORMAT,
                       "%s/" FILE_NAME ": expected a precompiled_charsmap in base64, found other "
                       "characters.",
                       s->dir->name);
}

/* The SentencePiece model and the vocabulary of pieces. */
static bool
make(mt_text *text, const steps *s, const pieces *p, const mt_tokenizer_spec *spec)
{
  char label[600];
  snprintf(label, sizeof label, "%.500s/" FILE_NAME " (made into a SentencePiece model)",
           s->dir->name);
  buffer b = {0};
  mt_piece_list list = {0};
  bool *is_special = mt_alloc(p->n, sizeof *is_special);
  bool ok = is_special || mt_fail_no_memory(s->error);
  for (size_t i = 0; ok && i < text->added.n; i++) {
    const mt_added_token *token = &text->added.items[i];
    if (token->is_special && token->id >= 0 && (size_t) token->id < p->n)
      is_special[token->id] = true;
  }
  if (ok) {
    put_model(&b, s, p, is_special);
    ok = put_normalizer(&b, s) && (!b.failed || mt_fail_no_memory(s->error));
  }
  if (ok) {
    text->spm[0] = text->spm[1] = mt_spm_new(b.bytes, b.n, label, s->error);
    ok = text->spm[0] != NULL;
  }
  for (size_t i = 0; ok && i < p->n; i++) {
    if (i >= spec->shapes[0].size)
      ok =
          mt_fail(s->error, MT_ERROR_FORMAT,
                  "%s/" FILE_NAME ": expected %zu pieces at most, the vocabulary size of %s, found "
                  "%zu.",
                  s->dir->name, spec->shapes[0].size, spec->shapes[0].from, p->n);
    else
      ok = mt_piece_list_add(&list, p->texts[i], strlen(p->texts[i]), (int32_t) i, s->error);
  }
  ok = ok && mt_text_take_pieces(text, &list, s->dir, FILE_NAME, spec, s->error);
  mt_piece_list_clear(&list);
  mt_free(is_special);
  mt_free(b.bytes);
  return ok;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The number of the piece that stands for what the vocabulary lacks. */
static bool
find_unknown(steps *s, const mt_json_value *model, const mt_json_value *vocab)
{
  const mt_json_value *unk = member(model, "unk_id");
  if (!s->is_unigram)
    unk = member(vocab, string_of(model, "unk_token"));
  if (mt_json_kind_of(unk) != MT_JSON_INTEGER || mt_json_integer(unk) < 0 ||
      (uint64_t) mt_json_integer(unk) >= mt_json_length(vocab))
    return fail(s, "the model to name one of its pieces that stands for unknown ones", unk);
  s->unk = mt_json_integer(unk);
  return true;
}

static bool
open_spm(mt_text *text, steps *s, const mt_json_value *model, const mt_tokenizer_spec *spec)
{
  const char *type = string_of(model, "type");
  const mt_json_value *vocab = member(model, "vocab");
  mt_json_kind kind = mt_json_kind_of(vocab);
  /* Old files of Unigram do not say what they are. */
  s->is_unigram = strcmp(type, "Unigram") == 0 || (!*type && kind == MT_JSON_ARRAY);
  if (!s->is_unigram && strcmp(type, "BPE") != 0)
    return refuse(s, "a model", *type ? type : "none");
  if (kind != (s->is_unigram ? MT_JSON_ARRAY : MT_JSON_OBJECT))
    return fail(s, "a model with a \"vocab\"", vocab);
  s->has_byte_fallback = flag_of(model, "byte_fallback", false);
  if (!find_unknown(s, model, vocab))
    return false;
  pieces p = {.n = mt_json_length(vocab)};
  p.texts = mt_alloc(p.n, sizeof *p.texts);
  p.scores = mt_alloc(p.n, sizeof *p.scores);
  bool ok = (p.texts && p.scores) || mt_fail_no_memory(s->error);
  ok = ok && (s->is_unigram ? take_unigram(s, vocab, &p) : take_bpe(s, model, vocab, &p)) &&
       make(text, s, &p, spec);
  mt_free(p.texts);
  mt_free(p.scores);
  return ok;
}

/* What a BPE may have, and those of BART and CodeT5 do not. */
static bool
open_bpe(mt_text *text, steps *s, const mt_json_value *model, const mt_tokenizer_spec *spec)
{
  static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
  if (strcmp(string_of(model, "type"), "BPE") != 0)
    return refuse(s, "a model", string_of(model, "type"));
  for (size_t i = 0; i < sizeof affixes / sizeof *affixes; i++)
    if (*string_of(model, affixes[i]))
      return refuse(s, affixes[i], string_of(model, affixes[i]));
  if (flag_of(model, "ignore_merges", false))
    return refuse(s, "merges", "ignore_merges true");
  if (s->charsmap || s->collapses || s->joins_lines)
    return refuse(s, "bytes as they are", s->charsmap ? "Precompiled" : "Replace");
  return mt_text_open_bpe_json(text, s->dir, spec, model, s->has_prefix, s->error);
}

bool
mt_text_open_json(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  steps s = {.dir = dir, .error = error};
  mt_json json = {0};
  bool ok = mt_json_load(&json, dir, FILE_NAME, error);
  text->added.fast = ok ? &json : NULL;
  ok = ok && mt_text_load_added(text, dir, spec, error) &&
       each_step(&s, mt_json_get(&json, "pre_tokenizer"), "pretokenizers",
                 "a pre_tokenizer that is an object", take_pre_tokenizer) &&
       each_step(&s, mt_json_get(&json, "normalizer"), "normalizers",
                 "a normalizer that is an object", take_normalizer);
  const mt_json_value *model = mt_json_get(&json, "model");
  text->row = &mt_text_spm_own;
  /* A table of characters makes spaces of it, or nothing. */
  if (!s.charsmap)
    text->cuts = s.splits        ? MT_TEXT_CUTS_SPACE
                 : s.joins_lines ? MT_TEXT_CUTS_LINES
                                 : MT_TEXT_CUTS_NOTHING;
  ok = ok && (s.is_byte_level ? open_bpe(text, &s, model, spec) : open_spm(text, &s, model, spec));
  text->added.fast = NULL;
  mt_json_clear(&json);
  return ok;
}

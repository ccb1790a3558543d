/* mt-charsmap.c — is a .spm file safe to hand to SentencePiece?
 *
 * A .spm file is a protocol buffer (sentencepiece_model.proto). Its fields 3 and 5 are messages
 * (how to normalise text, how to undo it) whose field 2 is a table: the size of a trie in bytes
 * (32-bit little-endian), the trie, and NUL-terminated replacement strings. The trie is a double
 * array (Aoe 1989) of 32-bit units; a unit at index i says
 *
 *   bits 0-7    label, the byte that leads here          bit 8   a value is attached
 *   bits 10-30  offset (times 256 if bit 9 is set)       bit 31  this unit is a value
 *
 * and its children are at i ^ offset ^ byte, its value at i ^ offset. So it is enough to look at
 * every unit once, reachable or not: in a table as it is built, all of them point inside.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-charsmap.h"

#include "base/mt-error.h"

#include <string.h>

#define FIELD_PIECES       1
#define FIELD_TRAINER      2
#define FIELD_NORMALIZER   3
#define FIELD_DENORMALIZER 5
#define FIELD_CHARSMAP     2
#define FIELD_UNK_SURFACE  44

/* Bytes that one character, or one unknown piece, may become. Published models have at most
 * 33; without a limit a short text would become gigabytes. */
#define MAX_REPLACEMENT 128

typedef struct {
  const unsigned char *at, *end;
} span;

/* ---- Protocol buffers ------------------------------------------------------------------------ */

typedef struct {
  uint64_t number;
  bool has_content; /* a string, bytes or a message */
  span content;
} field;

static bool
read_varint(span *s, uint64_t *value)
{
  *value = 0;
  for (unsigned shift = 0; shift < 64 && s->at < s->end; shift += 7) {
    unsigned char byte = *s->at++;
    *value |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

static bool
skip(span *s, uint64_t n)
{
  if (n > (uint64_t) (s->end - s->at))
    return false;
  s->at += n;
  return true;
}

/* The next field; false if it is malformed, or of a kind that no model has (groups). */
static bool
read_field(span *s, field *f)
{
  uint64_t key, n;
  if (!read_varint(s, &key))
    return false;
  f->number = key >> 3;
  f->has_content = false;
  switch (key & 7) {
  case 0:
    return read_varint(s, &n);
  case 1:
    return skip(s, 8);
  case 2:
    if (!read_varint(s, &n))
      return false;
    f->has_content = true;
    f->content.at = s->at;
    if (!skip(s, n))
      return false;
    f->content.end = s->at;
    return true;
  case 5:
    return skip(s, 4);
  default:
    return false;
  }
}

/* Whether what is left is the start of a field that a model has, without its end. */
static bool
is_cut_off(span s)
{
  uint64_t key, n;
  if (!read_varint(&s, &key))
    return s.at == s.end;
  return (key & 7) == 2 && key >> 3 >= FIELD_PIECES && key >> 3 <= FIELD_DENORMALIZER &&
         (!read_varint(&s, &n) ? s.at == s.end : n > (uint64_t) (s.end - s.at));
}

/* ---- The table ------------------------------------------------------------------------------- */

static uint32_t
unit_at(const unsigned char *units, size_t i)
{
  const unsigned char *u = units + 4 * i;
  return (uint32_t) u[0] | (uint32_t) u[1] << 8 | (uint32_t) u[2] << 16 | (uint32_t) u[3] << 24;
}

static bool
is_value(uint32_t unit)
{
  return unit >> 31;
}

/* Every unit points inside: children into a whole block of 256, values at the start of a string. */
static bool
is_sound_trie(const unsigned char *units, size_t n, size_t n_strings)
{
  for (size_t i = 0; i < n; i++) {
    uint32_t unit = unit_at(units, i);
    if (is_value(unit))
      continue;
    size_t target = i ^ ((size_t) (unit >> 10) << ((unit & (1u << 9)) >> 6));
    if ((target | 0xff) >= n)
      return false;
    bool has_value = unit >> 8 & 1;
    if (has_value && (unit_at(units, target) & 0x7fffffff) >= n_strings)
      return false;
  }
  /* The walk starts at the first unit, as at any node. */
  return n > 0 && !is_value(unit_at(units, 0));
}

static bool
are_short(const unsigned char *strings, size_t n)
{
  for (size_t begin = 0, i = 0; i < n; i++) {
    if (strings[i] == '\0')
      begin = i + 1;
    else if (i - begin >= MAX_REPLACEMENT)
      return false;
  }
  return true;
}

static bool
is_sound_charsmap(span s)
{
  size_t size = (size_t) (s.end - s.at);
  if (size == 0)
    return true; /* none: text is taken as it is */
  if (size <= 4)
    return false;
  size_t trie_size = unit_at(s.at, 0); /* the same byte order as a unit */
  if (trie_size >= size - 4)
    return false;
  const unsigned char *strings = s.at + 4 + trie_size;
  size_t n_strings = (size_t) (s.end - strings);
  return strings[n_strings - 1] == '\0' && are_short(strings, n_strings) &&
         is_sound_trie(s.at + 4, trie_size / 4, n_strings);
}

/* How the model was trained: only the text that stands for unknown pieces is used. */
static bool
is_sound_trainer(span s)
{
  field f;
  while (s.at < s.end)
    if (!read_field(&s, &f) || (f.number == FIELD_UNK_SURFACE && f.has_content &&
                                f.content.end - f.content.at > MAX_REPLACEMENT))
      return false;
  return true;
}

bool
mt_charsmap_check(const void *bytes, size_t n, const char *label, mt_error *error)
{
  span model = {.at = bytes, .end = (const unsigned char *) bytes + n};
  static const char cut[] =
      "%s: expected a whole SentencePiece model, found its end after %zu bytes (is the file cut "
      "off? download it again).";
  field f, inner;
  bool has_pieces = false, has_normalizer = false;
  while (model.at < model.end) {
    const span rest = model;
    if (!read_field(&model, &f)) {
      if (is_cut_off(rest))
        return mt_fail(error, MT_ERROR_FORMAT, cut, label, n);
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected a SentencePiece model, found %zu bytes of something else.",
                     label, n);
    }
    has_pieces |= f.number == FIELD_PIECES;
    has_normalizer |= f.number == FIELD_NORMALIZER;
    if (f.has_content && f.number == FIELD_TRAINER && !is_sound_trainer(f.content))
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected a SentencePiece model, found damage in what it says of its "
                     "training.",
                     label);
    if (!f.has_content || (f.number != FIELD_NORMALIZER && f.number != FIELD_DENORMALIZER))
      continue;
    while (f.content.at < f.content.end) {
      if (!read_field(&f.content, &inner) || (inner.number == FIELD_CHARSMAP && inner.has_content &&
                                              !is_sound_charsmap(inner.content)))
        return mt_fail(error, MT_ERROR_FORMAT,
                       "%s: expected a SentencePiece model, found damage in its table of "
                       "character replacements.",
                       label);
    }
  }
  /* Cut between two of them. Pieces come first, and how text is normalised is always said. */
  if (has_pieces && !has_normalizer)
    return mt_fail(error, MT_ERROR_FORMAT, cut, label, n);
  return true;
}

/* mt-sentencepiece.cc — SentencePiece (Kudo & Richardson 2018) for C: the engine's only C++.
 *
 * No exception leaves this file. But protocol buffers, which SentencePiece keeps its model and its
 * results in, do not survive one: where an element cannot be allocated they go on to destroy it. So
 * memory must not run out inside a call: before it a reserve is allocated, more than the call can
 * need, and given back if an allocation fails (a new_handler), which then succeeds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-sentencepiece.h"

extern "C" {
#include "base/mt-alloc.h"
#include "base/mt-error.h"
}

#include "text/mt-sentencepiece-status.hh"
#include <sentencepiece_processor.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <vector>

/* ---- Is a file safe to hand to SentencePiece? ------------------------------------------------ */

/* SentencePiece walks the tables of a model without looking at their bounds, so that a damaged file
 * could make it read anywhere.
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
 * every unit once, reachable or not: in a table as it is built, all of them point inside. */

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

/* What the tables put for a character, or the model for an unknown piece, must be short, too. */
static bool
is_safe(const void *bytes, size_t n, const char *label, mt_error *error)
{
  span model;
  model.at = static_cast<const unsigned char *>(bytes);
  model.end = model.at + n;
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

/* ---- Models ---------------------------------------------------------------------------------- */

struct mt_spm {
  sentencepiece::SentencePieceProcessor processor;
};

/* ---- The reserve ----------------------------------------------------------------------------- */

/* Bytes that a call may need for n bytes of input. Measured, with the bundled model and models of
 * OPUS-MT: at most 12 n to load one and 130 n (long words) to split or join text, beside some KiB.
 */
#define RESERVE      ((size_t) 1 << 16)
#define RESERVE_LOAD 24
#define RESERVE_TEXT 256

static thread_local void
    *reserve; /* of the call that this thread is in; NULL: none, or given back */
static std::new_handler other_handler;

/* What operator new calls when there is no memory: it tries again if this returns. */
static void
give_back_reserve()
{
  if (reserve) {
    mt_free(reserve);
    reserve = nullptr;
  } else if (other_handler) {
    other_handler();
  } else {
    throw std::bad_alloc();
  }
}

/* Run `body`, which may need `factor` * n bytes, turning exceptions into errors. */
template <typename Body>
static bool
guarded(mt_error *error, size_t factor, size_t n, Body body)
{
  static const bool is_set = [] {
    other_handler = std::set_new_handler(give_back_reserve);
    return true;
  }();
  (void) is_set;
  size_t bytes;
  if (__builtin_mul_overflow(n, factor, &bytes) || __builtin_add_overflow(bytes, RESERVE, &bytes))
    return mt_fail_no_memory(error);
  reserve = mt_alloc(bytes, 1);
  if (!reserve)
    return mt_fail_no_memory(error);
  struct Release {
    ~Release()
    {
      mt_free(reserve);
      reserve = nullptr;
    }
  } release;
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return mt_fail_no_memory(error);
  } catch (const std::exception &exception) {
    return mt_fail(error, MT_ERROR_FORMAT, "SentencePiece failed (%s).", exception.what());
  } catch (...) {
    return mt_fail(error, MT_ERROR_FORMAT, "SentencePiece failed.");
  }
}

mt_spm *
mt_spm_new(const void *bytes, size_t n, const char *label, mt_error *error)
{
  /* Before all else: a model can hold texts to test itself with while it is loaded. */
  if (!is_safe(bytes, n, label, error))
    return nullptr;
  mt_spm *spm = nullptr;
  bool ok = guarded(error, RESERVE_LOAD, n, [&] {
    spm = new mt_spm;
    const auto status = spm->processor.LoadFromSerializedProto(
        absl::string_view(static_cast<const char *>(bytes), n));
    if (!status.ok())
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected a SentencePiece model, found %zu bytes of something else.",
                     label, n);
    if (spm->processor.GetPieceSize() <= 0)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected a SentencePiece model with pieces, "
                     "found none.",
                     label);
    return true;
  });
  if (ok)
    return spm;
  mt_spm_free(spm);
  return nullptr;
}

void
mt_spm_free(mt_spm *spm)
{
  delete spm;
}

bool
mt_spm_each(const mt_spm *spm, bool (*take)(void *user, const char *piece, size_t n), void *user)
{
  for (int i = 0; i < spm->processor.GetPieceSize(); i++) {
    const std::string &piece = spm->processor.IdToPiece(i);
    if (!take(user, piece.c_str(), strlen(piece.c_str())))
      return false;
  }
  return true;
}

static bool
visit_pieces(const sentencepiece::ImmutableSentencePieceText &text, size_t n, mt_spm_visit visit,
             void *user)
{
  size_t last = 0;
  for (const auto &piece : text.pieces()) {
    const size_t begin = std::clamp<size_t>(piece.begin(), last, n);
    const size_t end = std::clamp<size_t>(piece.end(), begin, n);
    last = end;
    if (!visit(user, piece.piece().data(), piece.piece().size(), begin, end))
      return false;
  }
  return true;
}

bool
mt_spm_encode(const mt_spm *spm, const char *text, size_t n, mt_spm_visit visit, void *user,
              mt_error *error)
{
  return guarded(error, RESERVE_TEXT, n, [&] {
    sentencepiece::ImmutableSentencePieceText result;
    const auto status = spm->processor.Encode(absl::string_view(text, n), result.mutable_proto());
    if (!status.ok())
      return mt_fail(error, MT_ERROR_INPUT, "The text cannot be split into pieces (%s).",
                     mt_spm_message(status).c_str());
    return visit_pieces(result, n, visit, user);
  });
}

/* Which of the best falls to a number from 0 to below 1, if each has its share of `shares`. */
static size_t
choose(const std::vector<double> &shares, double number)
{
  double left = number * std::accumulate(shares.begin(), shares.end(), 0.0);
  size_t i = 0;
  while (i + 1 < shares.size() && left >= shares[i])
    left -= shares[i++];
  return i;
}

bool
mt_spm_draw(const mt_spm *spm, const char *text, size_t n, const mt_spm_draws *draws,
            void (*begin)(void *user, size_t k), mt_spm_visit visit, void *user, mt_error *error)
{
  size_t factor;
  if (__builtin_mul_overflow(draws->nbest_size, RESERVE_TEXT, &factor))
    return mt_fail_no_memory(error);
  return guarded(error, factor, n, [&] {
    sentencepiece::ImmutableNBestSentencePieceText best;
    const auto status =
        spm->processor.NBestEncode(absl::string_view(text, n), static_cast<int>(draws->nbest_size),
                                   best.mutable_proto());
    if (!status.ok() || best.nbests_size() == 0)
      return mt_fail(error, MT_ERROR_UNSUPPORTED,
                     "Segmentations can only be drawn with a unigram tokenizer (%s).",
                     status.ok() ? "found none" : mt_spm_message(status).c_str());
    std::vector<double> shares;
    for (size_t i = 0; i < best.nbests_size(); i++)
      shares.push_back(std::exp(
          draws->alpha * (static_cast<double>(best.nbests(i).score()) - best.nbests(0).score())));
    for (size_t k = 0; k < draws->n; k++) {
      begin(user, k);
      if (!visit_pieces(best.nbests(choose(shares, draws->chosen[k])), n, visit, user))
        return false;
    }
    return true;
  });
}

bool
mt_spm_decode(const mt_spm *spm, const char *const *pieces, size_t n_pieces, mt_spm_visit visit,
              void *user, mt_error *error)
{
  size_t n_bytes = 0;
  for (size_t i = 0; i < n_pieces; i++)
    n_bytes += strlen(pieces[i]) + 1;
  return guarded(error, RESERVE_TEXT, n_bytes, [&] {
    const std::vector<absl::string_view> views(pieces, pieces + n_pieces);
    sentencepiece::ImmutableSentencePieceText result;
    /* Newer releases would rather have a span, which older ones do not know. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const auto status = spm->processor.Decode(views, result.mutable_proto());
#pragma GCC diagnostic pop
    if (!status.ok() || result.pieces_size() != n_pieces)
      return mt_fail(error, MT_ERROR_INPUT, "The pieces cannot be joined to a text (%s).",
                     status.ok() ? "their number changed" : mt_spm_message(status).c_str());
    size_t begin = 0;
    for (const auto &piece : result.pieces()) {
      const std::string &surface = piece.surface();
      if (!visit(user, surface.data(), surface.size(), begin, begin + surface.size()))
        return false;
      begin += surface.size();
    }
    return true;
  });
}

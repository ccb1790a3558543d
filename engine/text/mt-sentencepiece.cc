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
#include "text/mt-charsmap.h"
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

struct mt_spm {
  sentencepiece::SentencePieceProcessor processor;
};

/* ---- The reserve ------------------------------------------------------------------------------
 */

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
  if (!mt_charsmap_check(bytes, n, label, error))
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

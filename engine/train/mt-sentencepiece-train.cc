/* mt-sentencepiece-train.cc — training a SentencePiece model.
 *
 * No exception leaves this file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt/train/text.h"

extern "C" {
#include "base/mt-alloc.h"
#include "base/mt-error.h"
}

#include "text/mt-sentencepiece-status.hh"
#include <sentencepiece_trainer.h>

#include <cstring>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

/* Sums of floats depend on how they are divided among threads, so their number is fixed. */
#define N_THREADS "4"

namespace
{

/* Sentences out of a C function. */
class Sentences : public sentencepiece::SentenceIterator
{
public:
  Sentences(mt_spm_next next, void *user) : next_(next), user_(user)
  {
    Next();
  }
  bool done() const override
  {
    return done_;
  }
  void Next() override
  {
    const char *text;
    size_t n;
    done_ = done_ || !next_(user_, &text, &n);
    if (!done_)
      value_.assign(text, n);
  }
  const std::string &value() const override
  {
    return value_;
  }
  /* Its class has another name from release to release. */
  decltype(std::declval<const sentencepiece::SentenceIterator &>().status()) status() const override
  {
    return {};
  }

private:
  mt_spm_next next_;
  void *user_;
  std::string value_;
  bool done_ = false;
};

} // namespace

/* What SentencePiece found wrong. Its messages say it in terms of its own source: "Internal:
 * src/trainer_interface.cc(582) [condition] Vocabulary size too high (8000). Please set …". */
static bool
fail(const char *message, size_t vocab_size, mt_error *error)
{
  const char *bracket = strrchr(message, ']');
  const char *reason = bracket ? bracket + 1 : message;
  while (*reason == ' ')
    reason++;
  return mt_fail(error, MT_ERROR_INPUT,
                 "A tokenizer of %zu pieces cannot be trained from this text (SentencePiece: %s).",
                 vocab_size, *reason ? reason : message);
}

bool
mt_spm_train(const mt_spm_settings *settings, mt_spm_next next, void *user, unsigned char **bytes,
             size_t *n, mt_error *error)
{
  try {
    Sentences sentences(next, user);
    const std::unordered_map<std::string, std::string> arguments = {
        {"model_type", settings->segmentation},
        {"normalization_rule_name", settings->normalization},
        {"vocab_size", std::to_string(settings->vocab_size)},
        {"character_coverage", std::to_string(settings->coverage)},
        {"required_chars", settings->characters ? settings->characters : ""},
        {"eos_id", "0"},
        {"unk_id", "1"},
        {"bos_id", "-1"},
        {"pad_id", "-1"},
        {"num_threads", N_THREADS},
        {"max_sentence_length", "65536"},
        {"minloglevel", "3"}, /* it would write to standard error */
    };
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &sentences, &model);
    if (!status.ok())
      return fail(mt_spm_message(status).c_str(), settings->vocab_size, error);
    unsigned char *copy = static_cast<unsigned char *>(mt_alloc(model.size(), 1));
    if (!copy)
      return mt_fail_no_memory(error);
    memcpy(copy, model.data(), model.size());
    *bytes = copy;
    *n = model.size();
    return true;
  } catch (const std::bad_alloc &) {
    return mt_fail_no_memory(error);
  } catch (const std::exception &exception) {
    return fail(exception.what(), settings->vocab_size, error);
  } catch (...) {
    return fail("unknown exception", settings->vocab_size, error);
  }
}

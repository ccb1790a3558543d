/* mt-text-marian.c — SentencePiece, and ids by a vocabulary of pieces, as MarianTokenizer has it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"
#include "text/mt-text.h"

static bool
open_vocabs(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  const char *const *files = spec->vocab_files;
  mt_vocab_shape shapes[MT_N_STACKS] = {spec->shapes[0], spec->shapes[1]};
  shapes[0].has_codes = shapes[1].has_codes = true;
  if (spec->has_added_tokens) {
    if (!mt_added_tokens_load(&text->added, dir, error))
      return false;
    shapes[0].added = shapes[1].added = &text->added;
  }
  text->vocab[MT_STACK_ENCODER] = mt_vocab_load(dir, files[0], &shapes[0], error);
  if (!text->vocab[MT_STACK_ENCODER] || !mt_added_tokens_settle(&text->added, error))
    return false;
  text->vocab[MT_STACK_DECODER] = spec->has_one_vocab
                                      ? text->vocab[MT_STACK_ENCODER]
                                      : mt_vocab_load(dir, files[1], &shapes[1], error);
  if (!text->vocab[MT_STACK_DECODER])
    return false;
  int32_t eos = text->vocab[MT_STACK_DECODER]->eos;
  if (spec->eos_id >= 0 && eos != spec->eos_id)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected \"</s>\" to have the id %d, the eos_token_id of config.json, "
                   "found %d.",
                   dir->name, files[1], (int) spec->eos_id, (int) eos);
  return true;
}

static bool
open_marian(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  return open_vocabs(text, dir, spec, error) && mt_text_open_spms(text, dir, spec, error);
}

const mt_text_row mt_text_marian = {
    .name = "SentencePiece with a vocabulary",
    .open = open_marian,
    .split = mt_text_spm_split,
    .join = mt_text_spm_join,
};

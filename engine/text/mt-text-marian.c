/* mt-text-marian.c — SentencePiece, and ids by a vocabulary of pieces: Marian, M2M-100.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"
#include "text/mt-text.h"

/* The tokens of languages behind the pieces of M2M-100, unless the files number them. */
static bool
add_languages(mt_text *text, const mt_piece_list *list, const mt_tokenizer_spec *spec,
              mt_error *error)
{
  size_t n;
  return spec->language_mode == MT_LANGUAGES_SOURCE_TOKEN ||
         spec->language_mode == MT_LANGUAGES_NONE ||
         mt_text_add_languages(text, true, list->n, spec->shapes[0].size, &n, error);
}

static mt_vocab *
load_first(mt_text *text, const mt_dir *dir, const char *file, const mt_tokenizer_spec *spec,
           const mt_vocab_shape *shape, mt_error *error)
{
  mt_piece_list list = {0};
  mt_vocab *vocab = NULL;
  if (mt_piece_list_read(&list, dir, file, shape->size, shape->from, error) &&
      add_languages(text, &list, spec, error))
    vocab = mt_vocab_new(&list, dir, file, shape, error);
  mt_piece_list_clear(&list);
  return vocab;
}

static bool
open_vocabs(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  const char *const *files = spec->vocab_files;
  mt_vocab_shape shapes[MT_N_STACKS] = {spec->shapes[0], spec->shapes[1]};
  shapes[0].has_codes = shapes[1].has_codes = spec->language_mode == MT_LANGUAGES_SOURCE_TOKEN;
  text->added.is_fast = spec->language_mode != MT_LANGUAGES_SOURCE_TOKEN;
  if (spec->has_added_tokens && !mt_added_tokens_load(&text->added, dir, error))
    return false;
  if (spec->has_added_tokens || text->added.is_fast)
    shapes[0].added = shapes[1].added = &text->added;
  text->vocab[MT_STACK_ENCODER] = load_first(text, dir, files[0], spec, &shapes[0], error);
  if (!text->vocab[MT_STACK_ENCODER])
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

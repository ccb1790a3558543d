/* mt-text.c — the kinds of text, and what they share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-text.h"

#include "base/mt-error.h"
#include "text/mt-language-codes.h"

#include <stdio.h>
#include <string.h>

/* ---- Kinds ----------------------------------------------------------------------------------- */

const mt_text_row *
mt_text_row_of(mt_text_kind kind)
{
  /* THE list. */
  static const mt_text_row *const rows[] = {
      [MT_TEXT_MARIAN] = &mt_text_marian,           [MT_TEXT_SPM_OWN] = &mt_text_spm_own,
      [MT_TEXT_SPM_FAIRSEQ] = &mt_text_spm_fairseq, [MT_TEXT_SPM_OFFSET] = &mt_text_spm_offset,
      [MT_TEXT_BYTE_BPE] = &mt_text_byte_bpe,       [MT_TEXT_BYTES] = &mt_text_bytes,
  };
  return rows[kind];
}

bool
mt_text_find_id(const mt_text *text, mt_stack side, const char *piece, size_t n, int32_t *id,
                mt_error *error)
{
  const mt_vocab *vocab = text->vocab[side];
  const mt_added_token *token = mt_added_tokens_find(&text->added, piece, n);
  *id = mt_vocab_find(vocab, piece, n);
  if (token && (size_t) token->id >= vocab->size)
    return mt_fail(error, MT_ERROR_INPUT,
                   "The text has the added token \"%.*s\", whose id %d the model has no embedding "
                   "for (it has %zu).",
                   (int) n, piece, (int) token->id, vocab->size);
  if (*id < 0)
    *id = vocab->unk;
  return true;
}

/* ---- Opening --------------------------------------------------------------------------------- */

bool
mt_text_load_added(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  text->added.is_fast = true;
  return !spec->has_added_tokens || mt_added_tokens_load(&text->added, dir, error);
}

bool
mt_text_has_id(const mt_text *text, const char *token)
{
  for (size_t i = 0; i < text->added.n; i++)
    if (text->added.items[i].id >= 0 && strcmp(text->added.items[i].text, token) == 0)
      return true;
  return false;
}

/* ---- Languages ------------------------------------------------------------------------------- */

/* THE list, the longest first. */
static const struct {
  bool is_m2m;
  size_t n;
  const char *codes;
} language_lists[] = {
    {false, MT_N_CODES_NLLB, mt_codes_nllb},   {false, MT_N_CODES_MBART_50, mt_codes_mbart_50},
    {false, MT_N_CODES_MBART, mt_codes_mbart}, {true, MT_N_CODES_M2M_100, mt_codes_m2m_100},
    {true, MT_N_CODES_WMT21, mt_codes_wmt21},
};
#define N_LISTS (sizeof language_lists / sizeof *language_lists)

bool
mt_text_add_languages(mt_text *text, bool is_m2m, size_t first, size_t vocab_size, size_t *n,
                      mt_error *error)
{
  size_t k = 0;
  while (k < N_LISTS &&
         (language_lists[k].is_m2m != is_m2m || first + language_lists[k].n > vocab_size))
    k++;
  *n = k < N_LISTS ? language_lists[k].n : 0;
  const char *code = *n > 0 ? language_lists[k].codes : "";
  for (size_t i = 0; i < *n; i++) {
    char token[32];
    size_t length = strcspn(code, " ");
    const char *around = is_m2m ? "__" : "";
    snprintf(token, sizeof token, "%s%.*s%s", around, (int) length, code, around);
    if (i == 0 && mt_text_has_id(text, token))
      return true;
    if (!mt_added_tokens_add(&text->added, token, (int32_t) (first + i), false, error))
      return false;
    code += length + (code[length] == ' ');
  }
  return true;
}

/* ---- The vocabulary -------------------------------------------------------------------------- */

bool
mt_text_take_pieces(mt_text *text, mt_piece_list *list, const mt_dir *dir, const char *file,
                    const mt_tokenizer_spec *spec, mt_error *error)
{
  mt_vocab_shape shape = spec->shapes[0];
  if (shape.size != spec->shapes[1].size)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected one vocabulary for source and target, found the sizes %zu and "
                   "%zu in %s.",
                   dir->name, file, shape.size, spec->shapes[1].size, shape.from);
  shape.added = &text->added;
  text->vocab[0] = text->vocab[1] = mt_vocab_new(list, dir, file, &shape, error);
  if (!text->vocab[0])
    return false;
  int32_t eos = text->vocab[0]->eos;
  return spec->eos_id < 0 || eos == spec->eos_id ||
         mt_fail(error, MT_ERROR_FORMAT,
                 "%s/%s: expected \"%s\" to have the id %d, the eos_token_id of config.json, found "
                 "%d.",
                 dir->name, file, mt_vocab_piece(text->vocab[0], eos), (int) spec->eos_id,
                 (int) eos);
}

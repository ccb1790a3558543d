/* mt-text-kind.c — which files a kind of text is read from.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "text/mt-text-kind.h"

#include "base/mt-error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define BPE_MODEL "sentencepiece.bpe.model"

/* What a family wants, and the ways in which its folders have it, the one that is preferred first.
 */
static const struct {
  mt_text_kind wanted;
  mt_text_files files;
} ways[] = {
    {MT_TEXT_MARIAN, {MT_TEXT_MARIAN, .vocab = "vocab.json", .spm = {"source.spm", "target.spm"}}},
    {MT_TEXT_MARIAN, {MT_TEXT_MARIAN, .vocab = "vocab.json", .spm = {BPE_MODEL, BPE_MODEL}}},
    {MT_TEXT_MARIAN, {MT_TEXT_SPM_FAIRSEQ, .spm = {BPE_MODEL, BPE_MODEL}}},
    {MT_TEXT_SPM_OWN, {MT_TEXT_SPM_OWN, .spm = {"spiece.model", "spiece.model"}}},
    {MT_TEXT_SPM_OWN, {MT_TEXT_BYTE_BPE, .vocab = "vocab.json", .merges = "merges.txt"}},
    {MT_TEXT_SPM_OWN, {MT_TEXT_SPM_OWN, .json = "tokenizer.json"}},
    {MT_TEXT_SPM_FAIRSEQ, {MT_TEXT_MARIAN, .vocab = "vocab.json", .spm = {BPE_MODEL, BPE_MODEL}}},
    {MT_TEXT_SPM_FAIRSEQ, {MT_TEXT_SPM_FAIRSEQ, .spm = {BPE_MODEL, BPE_MODEL}}},
    {MT_TEXT_SPM_FAIRSEQ, {MT_TEXT_SPM_FAIRSEQ, .json = "tokenizer.json"}},
    {MT_TEXT_SPM_OFFSET, {MT_TEXT_SPM_OFFSET, .spm = {"spiece.model", "spiece.model"}}},
    {MT_TEXT_SPM_OFFSET, {MT_TEXT_SPM_OFFSET, .json = "tokenizer.json"}},
    {MT_TEXT_BYTE_BPE, {MT_TEXT_BYTE_BPE, .vocab = "vocab.json", .merges = "merges.txt"}},
    {MT_TEXT_BYTE_BPE, {MT_TEXT_BYTE_BPE, .json = "tokenizer.json"}},
    {MT_TEXT_BYTES, {MT_TEXT_BYTES}},
};

static bool
has_all(const mt_dir *dir, const mt_text_files *files)
{
  const char *const names[] = {files->vocab, files->spm[0], files->spm[1], files->merges,
                               files->json};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i] && !mt_dir_has(dir, names[i]))
      return false;
  return true;
}

/* "spiece.model, tokenizer.json, or vocab.json with merges.txt" */
static void
describe(mt_text_kind wanted, char *out, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const mt_text_files *files = &ways[i].files;
    const char *const names[] = {files->vocab, files->spm[0], files->merges, files->json};
    bool is_first = true;
    if (ways[i].wanted != wanted)
      continue;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (names[k] && n < size) {
        n += (size_t) snprintf(out + n, size - n, "%s%s",
                               !is_first ? " with "
                               : n > 0   ? ", or "
                                         : "",
                               names[k]);
        is_first = false;
      }
  }
}

bool
mt_text_files_find(mt_text_files *files, mt_text_kind wanted, const mt_dir *dir, mt_error *error)
{
  const mt_text_files *first = NULL;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (ways[i].wanted != wanted)
      continue;
    if (has_all(dir, &ways[i].files)) {
      *files = ways[i].files;
      return true;
    }
    first = first ? first : &ways[i].files;
  }
  if (wanted == MT_TEXT_MARIAN) {
    *files = *first;
    return true;
  }
  char names[300];
  describe(wanted, names, sizeof names);
  return mt_fail(error, MT_ERROR_IO,
                 "%s: expected the files of its tokenizer (%s), found none of them.", dir->name,
                 names);
}

/* mt-text-kind.h — the kinds of ways from text to ids, and which files they are read from. Private
 * to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TEXT_KIND_H
#define MT_TEXT_KIND_H

#include "files/mt-file.h"
#include "mt.h"
#include "text/mt-languages.h"
#include "text/mt-vocab.h"

/* How a model gets from text to ids and back. */
typedef enum {
  MT_TEXT_MARIAN,      /* SentencePiece, ids by vocab.json: Marian, M2M-100 */
  MT_TEXT_SPM_OWN,     /* SentencePiece, its own ids: T5, mT5, UMT5, MADLAD */
  MT_TEXT_SPM_FAIRSEQ, /* SentencePiece, ids moved as fairseq has them: mBART, NLLB */
  MT_TEXT_SPM_OFFSET,  /* SentencePiece, behind 105 special ids: Pegasus */
  MT_TEXT_BYTE_BPE,    /* byte-level BPE: BART, CodeT5 */
  MT_TEXT_BYTES,       /* UTF-8 itself: ByT5 */
} mt_text_kind;

/* The files of one way, by their names in the folder; NULL: it has no such file. */
typedef struct {
  mt_text_kind kind;
  const char *vocab;            /* pieces and their ids */
  const char *spm[MT_N_STACKS]; /* SentencePiece models */
  const char *merges;           /* pairs of BPE */
  const char *json;             /* tokenizer.json, which says all of it */
} mt_text_files;

/* Find the files of a folder for the kind that its family wants. Of several ways the first one
 * whose files are there is taken, which may be of another kind: CodeT5 is a T5 with BPE. If there
 * is none, MT_ERROR_IO names the files, but for MT_TEXT_MARIAN: there the first way is the result,
 * and whoever opens it says what is missing. */
bool mt_text_files_find(mt_text_files *files, mt_text_kind wanted, const mt_dir *dir,
                        mt_error *error);

/* Which files of a folder make a tokenizer, and what they must fit. All strings are borrowed. */
typedef struct {
  mt_text_kind kind;
  const char *vocab_files[MT_N_STACKS];
  const char *spm_files[MT_N_STACKS]; /* SentencePiece models */
  const char *merges_file;            /* pairs of BPE; NULL: none */
  const char *json_file;              /* tokenizer.json, if all is read from there; NULL: not */
  mt_vocab_shape shapes[MT_N_STACKS]; /* of the vocabularies */
  bool has_one_vocab;                 /* the first file, for both sides */
  bool has_added_tokens;              /* in the files of mt-added-tokens.h */
  int32_t eos_id;                     /* of the target's "</s>"; -1: the vocabulary says */
  /* Ids before and after a text; both empty: the "</s>" of its side comes after it. only_source:
   * they are of source texts, and may both be empty there; a translation has "</s>" after it. */
  mt_id_list before, after;
  bool only_source;
  mt_language_mode language_mode;
  bool language_last; /* the source's token stands behind all of that, not before */
  mt_language_spelling language_spelling;
  size_t max_tokens; /* of a text with all of that */
} mt_tokenizer_spec;

#endif

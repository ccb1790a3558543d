/* mt-sentencepiece-train.h — training a SentencePiece model. Private.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SENTENCEPIECE_TRAIN_H
#define MT_SENTENCEPIECE_TRAIN_H

#include "mt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  size_t vocab_size; /* pieces, </s> and <unk> among them; <pad> is not one of the model's */
  double coverage; /* share of the characters of the text that get a piece of their own, 0.9 … 1 */
  /* Characters that get one whatever the text has, UTF-8, each once or more; NULL: none. One that
   * the normalisation takes apart gets a piece that no text has. */
  const char *characters;
  /* How words are cut: "unigram" (Kudo 2018) or "bpe" (Sennrich et al. 2016; the paper, 5.1). */
  const char *segmentation;
  /* How text is normalised before it becomes pieces, by SentencePiece's name: "nmt_nfkc", "nfkc" or
   * "identity". The first two put a table of 237 kB into the model. */
  const char *normalization;
} mt_spm_settings;

/* The next sentence, n bytes of UTF-8 without line ends, valid until the next call; false at the
 * end, or to give up. */
typedef bool (*mt_spm_next)(void *user, const char **text, size_t *n);

/* Train a model with the numbers that those of OPUS-MT have: "</s>" is piece 0, "<unk>" 1, the
 * others follow by probability, or in the order of merges. All sentences are held in memory. The
 * same sentences give the same model. *bytes, which you free with mt_free, is what a .spm file
 * holds. Errors: MT_ERROR_INPUT where the text is too little for so many pieces, or has more
 * characters than that; MT_ERROR_NO_MEMORY. */
bool mt_spm_train(const mt_spm_settings *settings, mt_spm_next next, void *user,
                  unsigned char **bytes, size_t *n, mt_error *error);

#ifdef __cplusplus
}
#endif

#endif

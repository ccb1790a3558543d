/* sentencepiece.h — training a SentencePiece model. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_SENTENCEPIECE_H
#define MT_PUBLIC_TRAIN_SENTENCEPIECE_H

#include <mt.h>

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
 * same sentences give the same model. *bytes, which you free with mt_spm_free_bytes, is what a .spm
 * file holds. Errors: MT_ERROR_INPUT where the text is too little for so many pieces, or has more
 * characters than that; MT_ERROR_NO_MEMORY. */
bool mt_spm_train(const mt_spm_settings *settings, mt_spm_next next, void *user,
                  unsigned char **bytes, size_t *n, mt_error *error);
void mt_spm_free_bytes(unsigned char *bytes);

/* The vocabulary of a model, n_model bytes as of mt_spm_train, as Hugging Face Marian's vocab.json
 * has it: an object of pieces and their numbers, last "<pad>", which Marian has and SentencePiece
 * has not. Returns *n bytes of text and a NUL, for mt_string_free. label: the model's name in
 * errors: MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
char *mt_spm_vocabulary(const void *model, size_t n_model, const char *label, size_t *n,
                        mt_error *error);

#ifdef __cplusplus
}
#endif

#endif

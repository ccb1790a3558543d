/* text-ids.h — sentences to ids, for training: SentencePiece, a vocabulary, </s>. Part of
 * mt-train.h.
 *
 * The same ids as mt_model_tokenize gives (tests compare them), without places and words, and
 * without a model: the folder needs no weights.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_TEXT_IDS_H
#define MT_PUBLIC_TRAIN_TEXT_IDS_H

#include <mt.h>
#include <mt/train/draws.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable; several threads may encode at once. */
typedef struct mt_text_ids mt_text_ids;

/* The tokenizer of a folder: source.spm, target.spm, vocab.json, target_vocab.json if there is one,
 * all as Hugging Face Marian has them. If there is a config.json it says how many ids there are;
 * else it is one more than the largest. Errors: those of the files, MT_ERROR_FORMAT. */
mt_text_ids *mt_text_ids_open(const char *folder, mt_error *error);
void mt_text_ids_free(mt_text_ids *ids);

size_t mt_text_ids_vocab_size(const mt_text_ids *ids, mt_stack side);
bool mt_text_ids_separate(const mt_text_ids *ids); /* whether there are two vocabularies */
int32_t mt_text_ids_pad(const mt_text_ids *ids);
int32_t mt_text_ids_eos(const mt_text_ids *ids);
int32_t mt_text_ids_unk(const mt_text_ids *ids);

/* Ids of n bytes of text, </s> last, into out [capacity]. *n_ids is how many there are, which may
 * be more than capacity: then the first ones are there. Text without any token gives only </s>.
 * Errors: those of SentencePiece, MT_ERROR_NO_MEMORY. */
bool mt_text_ids_encode(const mt_text_ids *ids, mt_stack side, const char *text, size_t n,
                        int32_t *out, size_t capacity, size_t *n_ids, mt_error *error);

/* Likewise, but draws->n times, each with another segmentation of text that is not
 * empty: out [draws->n, capacity], n_ids [draws->n]. */
bool mt_text_ids_draw(const mt_text_ids *ids, mt_stack side, const char *text, size_t n,
                      const mt_spm_draws *draws, int32_t *out, size_t capacity, size_t *n_ids,
                      mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* text.h — text for training: lines of files, tokenizers, ids. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_TEXT_H
#define MT_PUBLIC_TRAIN_TEXT_H

#include <mt.h>
#include <mt/train/draws.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Lines of files -------------------------------------------------------------------------- */

/* Bytes that are kept of one line; no sentence comes near. What is beyond is thrown away, so that a
 * file of one endless line takes no memory. */
#define MT_TEXT_LINE_MAX ((size_t) 1 << 20)
/* A line that goes on for longer is an error: a device may have no end. */
#define MT_TEXT_LINE_ENDLESS ((size_t) 1 << 26)

typedef struct mt_text_file mt_text_file;

typedef struct {
  const char *text; /* n bytes, whatever they are, then a NUL; valid until the next call */
  size_t n; /* without the line end, "\n" or "\r\n", and without a mark (U+FEFF) before all */
  uint64_t number; /* counted from 1 */
  bool is_cut;     /* there was more than MT_TEXT_LINE_MAX */
} mt_text_line;

/* Open a file, whose first bytes say whether and how it is compressed. A pipe is fine. Errors name
 * it by `path`: MT_ERROR_IO, MT_ERROR_UNSUPPORTED for other compressions, MT_ERROR_NO_MEMORY, and
 * MT_ERROR_FORMAT for what is damaged at its start. */
mt_text_file *mt_text_file_open(const char *path, mt_error *error);
void mt_text_file_free(mt_text_file *file);

/* The next line; *is_end, and no line, behind the last one. A last line without an end is a line,
 * unless it is empty. Errors: MT_ERROR_IO, and MT_ERROR_FORMAT for a compressed file that is
 * damaged or cut off, and for a line beyond MT_TEXT_LINE_ENDLESS. */
bool mt_text_file_next(mt_text_file *file, mt_text_line *line, bool *is_end, mt_error *error);

/* How far it is: bytes of the file (compressed ones, if it is) that were used, and all of them, 0
 * for a pipe. */
uint64_t mt_text_file_position(const mt_text_file *file);
uint64_t mt_text_file_size(const mt_text_file *file);

/* ---- SentencePiece models -------------------------------------------------------------------- */

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

/* ---- Ids ------------------------------------------------------------------------------------- */

/* Sentences to ids, for training: SentencePiece, a vocabulary, </s>.
 *
 * The same ids as mt_model_tokenize gives (tests compare them), without places and words, and
 * without a model: the folder needs no weights. */

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

/* mt-tokenizer.h — text to ids and back, as the tokenizers of Hugging Face. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TOKENIZER_H
#define MT_TOKENIZER_H

#include "files/mt-file.h"
#include "text/mt-text-kind.h"

typedef struct mt_tokenizer mt_tokenizer;

/* Read the SentencePiece models and vocabularies. Errors: those of the files; MT_ERROR_FORMAT if
 * they contradict the spec. */
mt_tokenizer *mt_tokenizer_open(const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error);
void mt_tokenizer_free(mt_tokenizer *tokenizer);

/* Id of "<unk>" of one side. */
int32_t mt_tokenizer_unk_id(const mt_tokenizer *tokenizer, mt_stack side);

/* Id of the target's "</s>". */
int32_t mt_tokenizer_eos_id(const mt_tokenizer *tokenizer);

/* The piece of an id, as mt_model_piece. */
const char *mt_tokenizer_piece(const mt_tokenizer *tokenizer, mt_stack side, int32_t id);

/* Text to ids, as mt_model_tokenize. language: whose token stands with the text, or NULL: before a
 * source text the target's, in a mode with two languages the one of that side. */
mt_tokens *mt_tokenizer_encode(const mt_tokenizer *tokenizer, mt_stack side, const char *text,
                               const mt_language *language, mt_error *error);

/* The same with a prefix before the text, cut into pieces with it; "": none. As
 * mt_model_tokenize_for. */
mt_tokens *mt_tokenizer_encode_behind(const mt_tokenizer *tokenizer, mt_stack side,
                                      const char *prefix, const char *text,
                                      const mt_language *language, mt_error *error);

/* Ids to text, as mt_model_detokenize. */
mt_tokens *mt_tokenizer_decode(const mt_tokenizer *tokenizer, mt_stack side, const int32_t *ids,
                               size_t n, mt_error *error);

/* The languages from which (MT_STACK_ENCODER) and into which (MT_STACK_DECODER) the model
 * translates. Where the target's token stands before the source text, its id is one of the source
 * vocabulary, and there is no list of the former. */
const mt_languages *mt_tokenizer_languages(const mt_tokenizer *tokenizer, mt_stack side);

#endif

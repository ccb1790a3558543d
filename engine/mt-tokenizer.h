/* mt-tokenizer.h — text to ids and back, as Hugging Face's MarianTokenizer. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TOKENIZER_H
#define MT_TOKENIZER_H

#include "mt-file.h"
#include "mt-languages.h"
#include "mt-layout.h"
#include "mt-model.h"

/* Read the SentencePiece models and vocabularies that the manifest names. Errors: those of the
 * files; MT_ERROR_FORMAT if they contradict the configuration. */
mt_tokenizer *mt_tokenizer_open(const mt_dir *dir, const mt_manifest *manifest,
                                const mt_config *config, mt_error *error);
void mt_tokenizer_free(mt_tokenizer *tokenizer);

/* Id of "<unk>" of one side. */
int32_t mt_tokenizer_unk_id(const mt_tokenizer *tokenizer, mt_stack side);

/* Id of the target's "</s>". */
int32_t mt_tokenizer_eos_id(const mt_tokenizer *tokenizer);

/* The target languages, from the source vocabulary. */
const mt_languages *mt_tokenizer_languages(const mt_tokenizer *tokenizer);

#endif

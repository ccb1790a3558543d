/* languages.h — target languages of a model that has several. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_LANGUAGES_H
#define MT_PUBLIC_LANGUAGES_H

#include <mt/error.h>
#include <mt/model.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A multi-target model was trained with a token such as ">>deu<<" before each source text, which
 * says into which language to translate. How many there are: the language tokens of the source
 * vocabulary. 0: the model has one target language and needs no token. */
size_t mt_model_n_languages(const mt_model *model);
/* The code between the brackets, e.g. "deu" or "zho_Hant", of language i < n, in the order of the
 * tokens' ids. Borrowed from the model. */
const char *mt_model_language(const mt_model *model, size_t i);
/* Find a language by its code, with or without brackets, whatever the case of its letters (of two
 * that differ in nothing else, the one that is spelled so). False, *i untouched: there is none. */
bool mt_model_find_language(const mt_model *model, const char *code, size_t *i);

/* The source tokens of a text to be translated into a language: as MarianTokenizer for ">>deu<< "
 * before the text. The language's token has no text of its own (begin = end = 0) and is a word of
 * its own. A code of this model that the text itself starts with has precedence. language: an
 * index, or -1 for none, which makes this mt_model_tokenize. Errors: as there, MT_ERROR_INPUT for a
 * language that the model does not have. */
mt_tokens *mt_model_tokenize_to(const mt_model *model, const char *text, int language,
                                mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

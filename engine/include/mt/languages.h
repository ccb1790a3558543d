/* languages.h — between which languages a model translates. Part of mt.h.
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
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model for several languages was trained with a token for each of them, such as ">>deu<<", and
 * mt_config's language_mode says where it stands. A multi-target model of Marian reads the target's
 * before the source text, and is told no source. M2M-100, NLLB and mBART read the source's with the
 * source text, and begin the translation with the target's. A language is a number below, counted
 * from 0 in the order of the tokens' ids, and -1 is the model's own (mt_model_own_language). */

/* Into how many languages it translates. 0: into one, and it needs no token. */
size_t mt_model_n_languages(const mt_model *model);
/* The code in the token, e.g. "deu" or "zho_Hant", of language i < n. Borrowed from the model. */
const char *mt_model_language(const mt_model *model, size_t i);
/* Find a language by a code as any model spells it, whatever the case of its letters: "de", "deu",
 * "deu_Latn", "de_DE", ">>deu<<", "__de__", "<2de>". False, *i untouched: there is none, or several
 * could be meant, as by "zh" where there are zho_Hans and zho_Hant, and none is spelled so. */
bool mt_model_find_language(const mt_model *model, const char *code, size_t *i);

/* The language whose token has this id, which is one of the target vocabulary unless that token
 * stands with the source. */
bool mt_model_find_language_id(const mt_model *model, int32_t id, size_t *i);

/* The same of the languages from which it translates. 0: it is not told which one a text is in. */
size_t mt_model_n_source_languages(const mt_model *model);
const char *mt_model_source_language(const mt_model *model, size_t i);
bool mt_model_find_source_language(const mt_model *model, const char *code, size_t *i);

/* The language that the files of the model name as its own, from which (MT_STACK_ENCODER) or into
 * which (MT_STACK_DECODER) it translates unless it is told another one; -1: they name none. There
 * is never a target of its own where the target's token stands with the source. */
int mt_model_own_language(const mt_model *model, mt_stack side);

/* The source tokens of a text to be translated between two languages. As MarianTokenizer for
 * ">>deu<< " before the text, or as the tokenizer of the family with its source language set. The
 * language's token has no text of its own (begin = end) and is a word of its own. A code of a
 * multi-target model of Marian that the text itself starts with has precedence. Errors: as
 * mt_model_tokenize, MT_ERROR_INPUT for a language that the model does not have, and for -1 where
 * the model must be told the source and has none of its own. */
mt_tokens *mt_model_tokenize_between(const mt_model *model, const char *text, int source_language,
                                     int language, mt_error *error);
/* The same from the model's own language. */
mt_tokens *mt_model_tokenize_to(const mt_model *model, const char *text, int language,
                                mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

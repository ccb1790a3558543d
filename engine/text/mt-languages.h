/* mt-languages.h — the target languages of a multi-target model. Private to the engine.
 *
 * Such a model was trained with a token like ">>deu<<" before each source text, which says into
 * which language to translate. They stand in the source vocabulary like any other piece.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_LANGUAGES_H
#define MT_LANGUAGES_H

#include "text/mt-vocab.h"

typedef struct {
  int32_t id; /* of the token ">>deu<<" */
  char *code; /* what stands between its brackets: "deu" */
} mt_language;

/* In the order of their ids; initialise with {0}. */
typedef struct {
  mt_language *items;
  size_t n;
} mt_languages;

/* Collect the language tokens of a vocabulary. Errors: MT_ERROR_NO_MEMORY; *languages may then hold
 * a part. Clear with mt_languages_clear. */
bool mt_languages_collect(mt_languages *languages, const mt_vocab *vocab, mt_error *error);
void mt_languages_clear(mt_languages *languages);

/* The language whose token has this id. */
bool mt_languages_find_id(const mt_languages *languages, int32_t id, size_t *i);

/* The language of a code, with or without brackets, in small letters or large ones: "deu",
 * ">>deu<<", "DEU". Of two that differ in nothing else, the one that is spelled so, or none. */
bool mt_languages_find(const mt_languages *languages, const char *code, size_t *i);

#endif

/* mt-languages.h — the languages between which a model translates, and the tokens that name them.
 * Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_LANGUAGES_H
#define MT_LANGUAGES_H

#include "text/mt-vocab.h"

/* A model for several languages was trained with a token for each. mt_language_mode says where
 * these tokens stand. */

typedef struct {
  int32_t id; /* of the token, such as ">>deu<<" */
  char *code; /* what the token says: "deu" */
} mt_language;

/* In the order in which they were added; initialise with {0}. */
typedef struct {
  mt_language *items;
  size_t n, capacity;
} mt_languages;

/* How the tokens are spelled. */
typedef enum {
  MT_LANGUAGE_ARROWS,      /* ">>deu<<": Marian */
  MT_LANGUAGE_UNDERSCORES, /* "__de__", special: M2M-100 */
  MT_LANGUAGE_PLAIN,       /* "deu_Latn", "de_DE", special: NLLB, mBART */
  MT_LANGUAGE_TWO,         /* "<2de>": MADLAD */
} mt_language_spelling;

/* Add a language whose code has n bytes. Errors: MT_ERROR_NO_MEMORY. */
bool mt_languages_add(mt_languages *languages, int32_t id, const char *code, size_t n,
                      mt_error *error);
/* Add the languages whose tokens a vocabulary has, in the order of their ids. Errors:
 * MT_ERROR_NO_MEMORY; *languages may then hold a part. */
bool mt_languages_collect(mt_languages *languages, const mt_vocab *vocab,
                          mt_language_spelling spelling, mt_error *error);
void mt_languages_clear(mt_languages *languages);

/* The language whose token has this id. */
bool mt_languages_find_id(const mt_languages *languages, int32_t id, size_t *i);

/* The language that is meant by a code as any of these models spells it, in small letters or large
 * ones: "de", "deu", "deu_Latn", "de_DE", ">>deu<<", "__de__", "<2de>". Of several that could be
 * meant it is the one that is spelled so, else none. */
bool mt_languages_find(const mt_languages *languages, const char *code, size_t *i);

#endif

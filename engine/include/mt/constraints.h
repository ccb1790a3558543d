/* constraints.h — tokens that a translation must begin with, tokens that it must not have, and
 * terms that it must have somewhere. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CONSTRAINTS_H
#define MT_PUBLIC_CONSTRAINTS_H

#include <mt/error.h>
#include <mt/model.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An immutable, atomically reference-counted value. Steps and tokens count from 0, without the
 * start token. Where constraints are wanted, NULL is none.
 *
 * A search begins with the tokens of the prefix in all of its hypotheses, whatever its other rules
 * say (bad words, minimum length, forced tokens of the model). They keep the log-probability that
 * the model gives them, and count in sums and scores like any others: generate's
 * prefix_allowed_tokens_fn. What is forbidden is no choice behind the prefix: generate's
 * bad_words_ids, if at every step.
 *
 * A term is a row of tokens that every hypothesis has somewhere, the prefix included: a search with
 * terms ends no hypothesis before, and gives places to those that have some of them already, by
 * dynamic beam allocation (engine/search/mt-terms.h). Terms change no probability and no score. */
typedef struct mt_constraints mt_constraints;

/* Anywhere, for mt_forbidden. */
#define MT_EVERY_STEP SIZE_MAX

/* Tokens that shall not follow each other: the last of them is no choice behind the others. */
typedef struct {
  size_t step;        /* of the first of them, or MT_EVERY_STEP */
  const int32_t *ids; /* [n] */
  size_t n;           /* at least 1 */
} mt_forbidden;

/* Tokens that shall follow each other somewhere. */
typedef struct {
  const int32_t *ids; /* [n] */
  size_t n;           /* at least 1 */
} mt_term;

/* Copies prefix [n_prefix] and forbidden [n_forbidden]. NULL: MT_ERROR_INPUT for a list of no
 * tokens and for negative ids, MT_ERROR_TOO_LONG for more than MT_MAX_CONSTRAINTS tokens,
 * MT_ERROR_NO_MEMORY. */
mt_constraints *mt_constraints_new(const int32_t *prefix, size_t n_prefix,
                                   const mt_forbidden *forbidden, size_t n_forbidden,
                                   mt_error *error);
#define MT_MAX_CONSTRAINTS 65536
/* The same prefix and the same lists as those of `from`, which may be NULL, with these terms, which
 * are copied, instead of its own. NULL: likewise; MT_ERROR_TOO_LONG, too, for more than
 * MT_MAX_TERM_TOKENS tokens. */
mt_constraints *mt_constraints_with_terms(const mt_constraints *from, const mt_term *terms,
                                          size_t n, mt_error *error);
#define MT_MAX_TERM_TOKENS 255
/* The same from words: what a translation must begin with. Errors as below. */
mt_constraints *mt_constraints_new_text(const mt_model *model, const char *prefix, mt_error *error);
/* Words cut into pieces as a translation is, without </s>, for a prefix or for what is forbidden.
 * It may end in the middle of a word. NULL: MT_ERROR_INPUT for a text that holds no token, that has
 * something for which the vocabulary has no piece, or that begins with a language code; else as
 * mt_model_tokenize. */
mt_tokens *mt_constraints_cut(const mt_model *model, const char *text, mt_error *error);

mt_constraints *mt_constraints_ref(mt_constraints *constraints);
void mt_constraints_unref(mt_constraints *constraints);

/* Borrowed; *n may be 0. */
const int32_t *mt_constraints_prefix(const mt_constraints *constraints, size_t *n);
const mt_forbidden *mt_constraints_forbidden(const mt_constraints *constraints, size_t *n);
const mt_term *mt_constraints_terms(const mt_constraints *constraints, size_t *n);
/* Whether another term has all of term i: it asks for nothing of its own. Of equal ones the first
 * does. */
bool mt_constraints_is_implied(const mt_constraints *constraints, size_t i);
/* The tokens of all terms that ask for something of their own. */
size_t mt_constraints_n_wanted(const mt_constraints *constraints);
/* Nothing is forced and nothing forbidden. */
bool mt_constraints_is_empty(const mt_constraints *constraints);
/* The same, in the same order; NULL equals an empty one. Then their hashes are the same, too. */
bool mt_constraints_equal(const mt_constraints *a, const mt_constraints *b);
uint64_t mt_constraints_hash(const mt_constraints *constraints);

#ifdef __cplusplus
}
#endif
#endif

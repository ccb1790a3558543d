/* mt-terms.h — which of the terms that a translation must have are there, and which places of the
 * beam hypotheses have that are so far. Private to the engine.
 *
 * Lexically constrained decoding by dynamic beam allocation: M. Post and D. Vilar, "Fast Lexically
 * Constrained Decoding with Dynamic Beam Allocation for Neural Machine Translation", NAACL 2018.
 * Continuations stand in banks: bank b has those with b of the C tokens of all terms. Each of the
 * C + 1 banks has beam_size / (C + 1) of the places, the last one, where nothing is missing, what
 * is left over; places that a bank cannot fill go to the one below it, and what is left then to the
 * uppermost that has more. Hypotheses end in the last bank only.
 *
 * Where the paper considers the best continuations of all, the best of each hypothesis and those
 * that go on with a term, the best of each bank are considered here, among all continuations: none
 * of the paper's is missing. A term is there if its tokens are in a row, whatever else they are
 * part of, so that terms may overlap; of several that are begun the longest beginning counts. Terms
 * that others contain ask for nothing. Probabilities and scores stay those of the model and its
 * rules.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TERMS_H
#define MT_TERMS_H

#include "search/mt-search.h"

/* Memory for those of the rules; terms->n is 0 if there are none. */
bool mt_terms_init(mt_terms *terms, const mt_search_rules *rules);
void mt_terms_clear(mt_terms *terms);

/* Tokens of terms that are missing behind ids [n]: with so many more, the terms one behind the
 * other, all are there. */
size_t mt_terms_missing(const mt_constraints *constraints, const int32_t *ids, size_t n);

/* How many tokens a translation can have before one that it must end with. */
size_t mt_terms_room(const mt_search_rules *rules);

/* A hypothesis is looked at; returns how many are missing behind a token that no term has. Then:
 * how many behind it and this token. */
size_t mt_terms_look(mt_terms *terms, const mt_search_hypothesis *so_far);
size_t mt_terms_missing_behind(const mt_terms *terms, const mt_search_hypothesis *so_far,
                               int32_t id);

/* How many places each of the n banks has, of so many, if it can fill at most n_found of them. */
void mt_terms_allocate(mt_search_bank *banks, size_t n, size_t n_places);

#endif

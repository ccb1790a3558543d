/* request.h — what somebody asks a search for, before there is a model. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_REQUEST_H
#define MT_PUBLIC_REQUEST_H

#include <mt/changes.h>
#include <mt/constraints.h>
#include <mt/error.h>
#include <mt/model.h>
#include <mt/search.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for any code that mt_model_language returns, and its end. */
#define MT_LANGUAGE_SIZE 40

/* A value: how to search, what to begin with, and what to change inside the model. {0} asks for
 * nothing, and the model decides everything. The language is a code and not a number because a
 * request may meet another model. Change it, copy it and give it back by the functions below. */
typedef struct {
  uint32_t set;                    /* bit i: row i of mt_search_field_at was asked for */
  mt_search_params params;         /* what was asked for; the other members are without meaning */
  char language[MT_LANGUAGE_SIZE]; /* target language of a multi-target model; "": none */
  mt_changes *changes;             /* a reference; NULL: none */
  mt_constraints *constraints;     /* likewise; ids of one model */
} mt_request;

/* The same once more; and the end of a request, which is {0} then. */
mt_request mt_request_copy(const mt_request *request);
void mt_request_clear(mt_request *request);

/* Ask for a value of row i. MT_ERROR_INPUT, and nothing is changed, if it is out of the row's range
 * or not whole where it must be. */
bool mt_request_set(mt_request *request, size_t i, double value, mt_error *error);
/* Leave row i to the model. */
void mt_request_unset(mt_request *request, size_t i);
/* True and *value, if it is not NULL: row i was asked for. */
bool mt_request_get(const mt_request *request, size_t i, double *value);

/* Ask for these changes, of which a reference is taken; NULL, or an empty list: none. */
void mt_request_set_changes(mt_request *request, const mt_changes *changes);
/* Likewise these constraints. */
void mt_request_set_constraints(mt_request *request, const mt_constraints *constraints);

/* Both ask for the same; then their hashes are the same, too. A hash is for one run of a program.
 */
bool mt_request_equal(const mt_request *a, const mt_request *b);
uint64_t mt_request_hash(const mt_request *request);

/* The model's own settings with what was asked for put over them. Lengths are brought within the
 * model's positions, the minimum below the maximum. If n_best was asked for and beam_size was not,
 * the beam is as wide as that takes. A language that the model does not have is left out. The
 * constraints are borrowed from the request, and not traced. */
mt_search_params mt_request_resolve(const mt_request *request, const mt_model *model);

/* Of what decides what is found, the rows in which these settings are not the model's own. */
mt_request mt_request_of_params(const mt_search_params *params, const mt_model *model);

/* As a JSON object of what was asked for, keys in the order of the rows, then "language",
 * "changes", a list of lines, "prefix", a list of ids, and "forbidden", a list of lists of ids with
 * the step of the first of them, from 1; without it they are so everywhere:
 * {"beam_size": 4, "changes": ["cross 4.1 scale 0.5"], "prefix": [12, 7], "forbidden":
 * [{"step": 3, "ids": [95]}]}. Equal requests have the same text, others another. For
 * mt_string_free; NULL: MT_ERROR_NO_MEMORY. */
char *mt_request_to_json(const mt_request *request, mt_error *error);
/* From n bytes; a key that is missing or null was not asked for. label: what messages call the
 * text. MT_ERROR_FORMAT names a key that is unknown, or its value if it is of another type or out
 * of range, or the line and word of a change that is not understood; MT_ERROR_TOO_LONG for too many
 * of them; then *request is left alone, else what it was is given back. */
bool mt_request_from_json(mt_request *request, const char *label, const char *text, size_t n,
                          mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* request.h — what somebody asks a search for, before there is a model. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_REQUEST_H
#define MT_PUBLIC_REQUEST_H

#include <mt/error.h>
#include <mt/model.h>
#include <mt/search.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for any code that mt_model_language returns, and its end. */
#define MT_LANGUAGE_SIZE 40
/* Room for any request as JSON, and its end. */
#define MT_REQUEST_JSON_SIZE 1024

/* A value, copied and compared as such; {0} asks for nothing, and the model decides everything. The
 * language is a code and not a number because a request may meet another model. Change it by the
 * functions below. */
typedef struct {
  uint32_t set;                    /* bit i: row i of mt_search_field_at was asked for */
  mt_search_params params;         /* what was asked for; the other members are without meaning */
  char language[MT_LANGUAGE_SIZE]; /* target language of a multi-target model; "": none */
} mt_request;

/* Ask for a value of row i. MT_ERROR_INPUT, and nothing is changed, if it is out of the row's range
 * or not whole where it must be. */
bool mt_request_set(mt_request *request, size_t i, double value, mt_error *error);
/* Leave row i to the model. */
void mt_request_unset(mt_request *request, size_t i);
/* True and *value, if it is not NULL: row i was asked for. */
bool mt_request_get(const mt_request *request, size_t i, double *value);

/* Both ask for the same; then their hashes are the same, too. A hash is for one run of a program.
 */
bool mt_request_equal(const mt_request *a, const mt_request *b);
uint64_t mt_request_hash(const mt_request *request);

/* The model's own settings with what was asked for put over them. Lengths are brought within the
 * model's positions, the minimum below the maximum. If n_best was asked for and beam_size was not,
 * the beam is as wide as that takes. A language that the model does not have is left out. */
mt_search_params mt_request_resolve(const mt_request *request, const mt_model *model);

/* As a JSON object of what was asked for, keys in the order of the rows and "language" last:
 * {"beam_size": 4, "language": "deu"}. MT_ERROR_NO_MEMORY. */
bool mt_request_to_json(const mt_request *request, char json[MT_REQUEST_JSON_SIZE],
                        mt_error *error);
/* From n bytes; a key that is missing or null was not asked for. label: what messages call the
 * text. MT_ERROR_FORMAT names a key that is unknown, or its value if it is of another type or out
 * of range; then *request is left alone. */
bool mt_request_from_json(mt_request *request, const char *label, const char *text, size_t n,
                          mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

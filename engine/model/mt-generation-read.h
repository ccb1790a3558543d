/* mt-generation-read.h — the values of generation_config.json. Private to mt-generation.c.
 *
 * Each reads one key, and leaves all as it is where that is missing. MT_ERROR_FORMAT names it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_GENERATION_READ_H
#define MT_GENERATION_READ_H

#include "files/mt-json.h"
#include "mt.h"

/* An id, or a list of which the first is it and the others are put into `more`; null is none, -1,
 * where that is allowed. more NULL: a list has one. */
bool mt_generation_read_id(mt_config *c, const mt_json *json, const char *key, bool is_optional,
                           int32_t *id, mt_id_list *more, mt_error *error);
bool mt_generation_read_ids(mt_config *c, const mt_json *json, const char *key, mt_id_list *list,
                            mt_error *error);

bool mt_generation_read_bad_words(mt_config *c, const mt_json *json, const char *key,
                                  mt_error *error);
bool mt_generation_read_biases(mt_config *c, const mt_json *json, const char *key, mt_error *error);
bool mt_generation_read_early_stopping(mt_config *c, const mt_json *json, const char *key,
                                       mt_error *error);
bool mt_generation_read_max_new(mt_config *c, const mt_json *json, const char *key,
                                mt_error *error);
bool mt_generation_read_min_new(mt_config *c, const mt_json *json, const char *key,
                                mt_error *error);
bool mt_generation_read_decay(mt_config *c, const mt_json *json, const char *key, mt_error *error);
bool mt_generation_read_forced_ids(mt_config *c, const mt_json *json, const char *key,
                                   mt_error *error);
bool mt_generation_read_force_bos(mt_config *c, const mt_json *json, const char *key,
                                  mt_error *error);

/* Room for n bad words, and one of them. */
bool mt_generation_make_bad_words(mt_config *c, size_t n, mt_error *error);
void mt_generation_add_bad_word(mt_config *c, mt_id_list word);
void mt_generation_clear_bad_words(mt_config *c);
void mt_generation_clear_biases(mt_config *c);

#endif

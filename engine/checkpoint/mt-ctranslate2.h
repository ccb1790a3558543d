/* mt-ctranslate2.h — what a CTranslate2 file holds besides tensors. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CTRANSLATE2_H
#define MT_CTRANSLATE2_H

#include "checkpoint/mt-container.h"

extern const mt_container_format mt_format_ctranslate2;

/* The kind of model that the file says it is: "TransformerSpec". */
const char *mt_ctranslate2_spec(const mt_container *container);

/* How the variables are arranged, a number that grows with every change of their names. */
uint32_t mt_ctranslate2_revision(const mt_container *container);

/* Version of the file itself: until 5 the variables hold what config.json holds from 6 on. */
uint32_t mt_ctranslate2_version(const mt_container *container);

/* A variable that is one number, of any type. False if there is none of that name, or if it is not
 * one finite number: *value is then untouched. */
bool mt_ctranslate2_number(const mt_container *container, const char *name, double *value);

/* A variable that is a text: its bytes, without a NUL, as long as the container. NULL if there is
 * none of that name. */
const char *mt_ctranslate2_text(const mt_container *container, const char *name, size_t *n);

/* Whether tensors are stored as whole numbers with scales, which are multiplied out when they are
 * read; *type is then what they are stored as, "I8" or "I16". */
bool mt_ctranslate2_is_quantized(const mt_container *container, const char **type);

#endif

/* error.h — filling in an mt_error, for callbacks that fail as the engine does. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_ERROR_H
#define MT_PUBLIC_TRAIN_ERROR_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Set *error (which may be NULL) to code and a printf-formatted sentence, and return false, so that
 * a failing function ends with `return mt_fail(…);`. The message is one line: control characters
 * and bytes that are not UTF-8 (a file name, a damaged header) are replaced by '?', and a sentence
 * that is too long is cut between two characters. Arguments may point into error->message. */
bool mt_fail(mt_error *error, mt_error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* mt_fail for an allocation that returned NULL, always the same sentence. */
bool mt_fail_no_memory(mt_error *error);

#ifdef __cplusplus
}
#endif
#endif

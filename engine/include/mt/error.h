/* error.h — how everything that can fail says why. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_ERROR_H
#define MT_PUBLIC_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  MT_OK = 0,
  MT_ERROR_IO,          /* a file is missing or cannot be read or written */
  MT_ERROR_FORMAT,      /* a file is not what its name says, or contradicts another */
  MT_ERROR_UNSUPPORTED, /* a well-formed file of a kind this engine does not run */
  MT_ERROR_INPUT,       /* empty text, invalid UTF-8, an argument out of range */
  MT_ERROR_TOO_LONG,    /* more tokens than the model has positions */
  MT_ERROR_NO_MEMORY,   /* an allocation failed */
  MT_ERROR_CANCELLED,   /* should_stop said so: an ordinary result, not a fault */
} mt_error_code;

/* Owned by the caller; initialise with {0}. `message` is one English sentence, without newline,
 * that names the file, what was expected and what was found. */
typedef struct {
  mt_error_code code;
  char message[1024];
} mt_error;

#ifdef __cplusplus
}
#endif
#endif

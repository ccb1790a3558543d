/* mt-utf8.h — strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_UTF8_H
#define MT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character that starts at text, which has n bytes: 1..4, or 0 if there is none that
 * is valid and whole. */
size_t mt_utf8_length_at(const char *text, size_t n);

/* True if the n bytes of text are UTF-8; else false, with *offset (may be NULL) at the first byte
 * that does not belong. */
bool mt_utf8_valid(const char *text, size_t n, size_t *offset);

/* True if the character of `length` bytes at text is Unicode white space (property White_Space). */
bool mt_utf8_is_space(const char *text, size_t length);

#endif

/* mt-json-write.h — JSON as text, piece by piece. Private to the engine.
 *
 *     mt_json_out out = {0};
 *     mt_json_begin(&out, NULL, '{');
 *     mt_json_put_whole(&out, "d_model", 256);
 *     mt_json_begin(&out, "languages", '[');
 *     mt_json_put_string(&out, NULL, "en");
 *     mt_json_end(&out, ']');
 *     mt_json_end(&out, '}');
 *     if (out.failed) …
 *
 * A value's key is NULL in a list and outermost. The caller keeps braces in pairs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_JSON_WRITE_H
#define MT_JSON_WRITE_H

#include "mt.h"

/* Initialise with {0}; release with mt_json_out_clear. */
typedef struct {
  char *text; /* terminated; NULL before anything was put */
  size_t n, capacity;
  unsigned depth;
  bool has_items; /* in the innermost list or object */
  bool failed;    /* memory ran out: the text is of no use */
} mt_json_out;

void mt_json_begin(mt_json_out *out, const char *key, char brace); /* '{' or '[' */
void mt_json_end(mt_json_out *out, char brace);                    /* '}' or ']' */

/* Text in UTF-8; bytes that are not become U+FFFD. */
void mt_json_put_string(mt_json_out *out, const char *key, const char *text);
void mt_json_put_whole(mt_json_out *out, const char *key, int64_t value);
/* As few digits as give the same double again; null if it is not finite. */
void mt_json_put_number(mt_json_out *out, const char *key, double value);
void mt_json_put_bool(mt_json_out *out, const char *key, bool value);
void mt_json_put_null(mt_json_out *out, const char *key);
/* JSON as text, put as it is. */
void mt_json_put_raw(mt_json_out *out, const char *key, const char *json);

/* The last line's end. */
void mt_json_finish(mt_json_out *out);
void mt_json_out_clear(mt_json_out *out);

#endif

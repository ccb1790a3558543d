/* mt-json-write.h — writing JSON: values are put one after the other. Private to the engine.
 *
 *     mt_json_out out = {0};
 *     mt_json_begin(&out, NULL, '{');
 *     mt_json_put_whole(&out, "d_model", 256);
 *     mt_json_begin(&out, "languages", '[');
 *     mt_json_put_string(&out, NULL, "en");
 *     mt_json_end(&out);
 *     mt_json_end(&out);
 *     bool ok = mt_json_finish(&out, "\n", error); // out.text, out.n
 *     mt_json_out_clear(&out);
 *
 * A value's key is NULL in a list and outermost. Whatever ran out of memory on the way, what
 * follows does nothing, and mt_json_finish says so: nobody has to ask in between.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_JSON_WRITE_H
#define MT_JSON_WRITE_H

#include "mt.h"

#define MT_JSON_OUT_DEPTH 8

/* Initialise with {0}; release with mt_json_out_clear. */
typedef struct {
  struct json_t *root;
  struct json_t *open[MT_JSON_OUT_DEPTH]; /* lists and objects, the innermost last */
  unsigned depth;                         /* at most MT_JSON_OUT_DEPTH, which the caller sees to */
  bool failed;                            /* memory ran out */
  char *text;                             /* after mt_json_finish: terminated; n without that */
  size_t n;
} mt_json_out;

void mt_json_begin(mt_json_out *out, const char *key, char brace); /* '{' or '[' */
void mt_json_end(mt_json_out *out);

/* Text in UTF-8; bytes that are not become U+FFFD, in keys too. */
void mt_json_put_string(mt_json_out *out, const char *key, const char *text);
void mt_json_put_whole(mt_json_out *out, const char *key, int64_t value);
/* null if it is not finite. All numbers of a document are written with as many digits as the
 * longest of them needs to be read back as the same double: 0.1 stays 0.1. */
void mt_json_put_number(mt_json_out *out, const char *key, double value);
void mt_json_put_bool(mt_json_out *out, const char *key, bool value);
void mt_json_put_null(mt_json_out *out, const char *key);
/* An object that is given as n bytes of JSON. label: what messages call them. MT_ERROR_FORMAT as
 * for mt_json_parse, and nothing is put. */
bool mt_json_put_text(mt_json_out *out, const char *key, const char *label, const char *text,
                      size_t n, mt_error *error);

/* Write what was put: a value a line, keys as they came, so that people can read and compare it.
 * `end` is put behind it: "\n" for a file, "" for none. MT_ERROR_NO_MEMORY. */
bool mt_json_finish(mt_json_out *out, const char *end, mt_error *error);
void mt_json_out_clear(mt_json_out *out);

#endif

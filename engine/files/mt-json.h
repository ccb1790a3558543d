/* mt-json.h — JSON, read with errors that name the file and the key, and written. Private to the
 * engine.
 *
 * By Jansson; docs/design.md says why not by json-c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_JSON_H
#define MT_JSON_H

#include "files/mt-file.h"
#include "mt.h"

/* A value inside a document, borrowed from it. JSON's null is NULL. */
typedef struct json_t mt_json_value;

/* A parsed document whose outermost value is an object. Initialise with {0}. */
typedef struct {
  mt_json_value *root;
  struct mt_json_block *blocks; /* what it is made of */
  char *label;                  /* for messages: "en-de/config.json" */
} mt_json;

/* Parse a whole file, or n bytes of text. A key that comes twice has its last value, as in Python.
 * Errors: those of mt_dir_map, and MT_ERROR_FORMAT with the byte offset where it is not JSON or
 * nested more than 32 deep, MT_ERROR_NO_MEMORY. Release with mt_json_clear. */
bool mt_json_load(mt_json *json, const mt_dir *dir, const char *file, mt_error *error);
bool mt_json_parse(mt_json *json, const char *label, const char *text, size_t n, mt_error *error);
/* The same of a file whose outermost value is a list, for mt_json_at. */
bool mt_json_load_list(mt_json *json, const mt_dir *dir, const char *file, mt_error *error);
void mt_json_clear(mt_json *json);

/* Typed members of the outermost object. If the key is missing or null, *value stays as it is and
 * the result is true; a value of another type or out of range is MT_ERROR_FORMAT. */
bool mt_json_get_bool(const mt_json *json, const char *key, bool *value, mt_error *error);
bool mt_json_get_size(const mt_json *json, const char *key, size_t min, size_t max, size_t *value,
                      mt_error *error);
bool mt_json_get_number(const mt_json *json, const char *key, double *value, mt_error *error);
/* Borrowed; never holds a NUL inside. */
bool mt_json_get_string(const mt_json *json, const char *key, const char **value, mt_error *error);

/* Any member, or NULL if it is missing or null. */
const mt_json_value *mt_json_get(const mt_json *json, const char *key);
/* True if the key is there and its value is null: "none", where a missing key is the default. */
bool mt_json_has_null(const mt_json *json, const char *key);

typedef enum {
  MT_JSON_NULL,
  MT_JSON_BOOL,
  MT_JSON_INTEGER, /* whole, and at most 2^53: what a double holds exactly */
  MT_JSON_NUMBER,
  MT_JSON_STRING,
  MT_JSON_ARRAY,
  MT_JSON_OBJECT,
} mt_json_kind;
mt_json_kind mt_json_kind_of(const mt_json_value *value);
bool mt_json_bool(const mt_json_value *value);          /* of MT_JSON_BOOL */
int64_t mt_json_integer(const mt_json_value *value);    /* of MT_JSON_INTEGER */
double mt_json_number(const mt_json_value *value);      /* of MT_JSON_INTEGER or MT_JSON_NUMBER */
const char *mt_json_string(const mt_json_value *value); /* of MT_JSON_STRING; NULL if NUL inside */
bool mt_json_is_nul(const mt_json_value *value);        /* a string of that one character */
size_t mt_json_length(const mt_json_value *value);      /* of MT_JSON_ARRAY or MT_JSON_OBJECT */
const mt_json_value *mt_json_at(const mt_json_value *value, size_t i); /* of MT_JSON_ARRAY */
const mt_json_value *mt_json_member(const mt_json_value *value, const char *key); /* of an object */

/* Members of an object in the order of the file. `visit` returns false to stop; so does this. */
typedef bool (*mt_json_visit)(void *user, const char *key, const mt_json_value *value);
bool mt_json_each(const mt_json_value *object, mt_json_visit visit, void *user);

/* What a value is, for "found …": `the number 3`, `"gelu"`, `a list`. Written to buffer, which is
 * returned. */
#define MT_JSON_DESCRIPTION_SIZE 96
const char *mt_json_describe(const mt_json_value *value, char buffer[MT_JSON_DESCRIPTION_SIZE]);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Values are put one after the other:
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
 * follows does nothing, and mt_json_finish says so: nobody has to ask in between. */

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
/* An object that is given as n bytes of JSON. label: what messages call them. MT_ERROR_FORMAT as
 * for mt_json_parse, and nothing is put. */
bool mt_json_put_text(mt_json_out *out, const char *key, const char *label, const char *text,
                      size_t n, mt_error *error);

/* Write what was put: a value a line, keys as they came, so that people can read and compare it.
 * `end` is put behind it: "\n" for a file, "" for none. MT_ERROR_NO_MEMORY. */
bool mt_json_finish(mt_json_out *out, const char *end, mt_error *error);
/* The same, and the text is the caller's, who frees it with mt_free; out is cleared. NULL:
 * MT_ERROR_NO_MEMORY. */
char *mt_json_take(mt_json_out *out, const char *end, mt_error *error);
void mt_json_out_clear(mt_json_out *out);

#endif

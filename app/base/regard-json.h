/* regard-json.h — texts in JSON that json-c reads for the programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <json.h>
#include <mt-train.h>

G_BEGIN_DECLS

/* Reads one JSON value, strictly, from n bytes that a zero byte follows. The bytes have to be
 * UTF-8; json-c is not asked for that, since its release 0.18 calls every string that is not ASCII
 * invalid. most_depth bounds how deep values nest. A text that is `null` gives NULL and no reason.
 * On failure returns NULL; *reason then says what was found, for the end of a message (it is not to
 * be freed), and *at, which may be NULL, is after how many bytes reading ended. */
json_object *regard_json_parse(const char *text, gsize n, int most_depth, const char **reason,
                               gsize *at);

/* Whether no object of the text that `root` was read from has a key twice, of which json-c keeps
 * the last. The text is well-formed, and has no comments. */
gboolean regard_json_has_each_key_once(json_object *root, const char *text);

/* ---- Members -----------------------------------------------------------------------------------
 *
 * Of an object, by their types. FALSE: it is not there, or is another; the error names the key and
 * says what was expected. */

/* has_null: null is NULL without an error. Borrowed; UTF-8 without zero bytes. */
gboolean regard_json_get_string(json_object *object, const char *key, gboolean has_null,
                                const char **value, GError **error);
gboolean regard_json_get_whole(json_object *object, const char *key, gint64 least, gint64 most,
                               gint64 *value, GError **error);
gboolean regard_json_get_number(json_object *object, const char *key, double least, double most,
                                double *value, GError **error);
gboolean regard_json_get_boolean(json_object *object, const char *key, gboolean *value,
                                 GError **error);
gboolean regard_json_get_object(json_object *object, const char *key, json_object **value,
                                GError **error);
/* Which of ids, up to NULL, a member's text is, from 0; the error lists them. word: NULL is none of
 * them. */
gboolean regard_json_find_choice(const char *word, const char *key, const char *const *ids,
                                 int *index, GError **error);
/* FALSE with the error of such a member: "“key”: expected …." */
gboolean regard_json_refuse(GError **error, const char *key, const char *expected);

/* ---- Writing -----------------------------------------------------------------------------------
 *
 * {"name", value}, …: members are added in this order; the object takes each value, and NULL is
 * null. */

typedef struct {
  const char *name;
  json_object *value;
} RegardJsonMember;
/* Adds members up to one without a name; a new object if it is NULL. Returns the object. */
json_object *regard_json_add_members(json_object *object, const RegardJsonMember *members);
#define regard_json_add(object, ...) \
  regard_json_add_members((object), (const RegardJsonMember[]){__VA_ARGS__, {NULL, NULL}})
/* A new object that belongs to the caller. */
#define regard_json_object(...) regard_json_add(NULL, __VA_ARGS__)
/* A number as a format of printf has it ("%.3f"), whatever the locale, at most 511 characters; null
 * if it is not finite, since JSON has no such number. json-c itself writes 17 digits. */
json_object *regard_json_number(double value, const char *format);
/* With as many digits as it takes to read it back. */
json_object *regard_json_double(double value);
json_object *regard_json_float(float value);

/* ==== JSON files that people write for regard-train =========================================== */

/* The object that a file holds, which belongs to the caller. NULL: MT_ERROR_IO, MT_ERROR_FORMAT for
 * what is no JSON object in UTF-8 (says at which byte), or more than a megabyte. */
json_object *regard_json_read_file(const char *path, mt_error *error);

/* Borrowed text; NULL for a value of another type, or with a NUL inside. */
const char *regard_json_text(json_object *value);

/* For "found …": `the number 3`, `"gelu"`, `a list`. Newly allocated. */
char *regard_json_describe(json_object *value);

G_END_DECLS

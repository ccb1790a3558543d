/* train-json.c — JSON files that people write for regard-train.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-json.h"

#include "base/regard-json.h"

#include <string.h>

#define MAX_BYTES (1 << 20)

json_object *
train_json_read(const char *path, mt_error *error)
{
  mt_bytes text;
  if (!mt_file_read_whole(path, MAX_BYTES, true, &text, error))
    return NULL;
  const char *found;
  gsize at = 0;
  json_object *object = regard_json_parse((const char *) text.data, text.size,
                                          JSON_TOKENER_DEFAULT_DEPTH, &found, &at);
  if (!json_object_is_type(object, json_type_object)) {
    mt_fail(error, MT_ERROR_FORMAT,
            "%s: expected a JSON object, found something else at byte %zu (%s).", path, at,
            found ? found : "another value");
    json_object_put(object);
    object = NULL;
  } else if (!regard_json_has_each_key_once(object, (const char *) text.data)) {
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected each key once in its object, found one twice.",
            path);
    json_object_put(object);
    object = NULL;
  }
  mt_bytes_clear(&text);
  return object;
}

const char *
train_json_text(json_object *value)
{
  if (!json_object_is_type(value, json_type_string))
    return NULL;
  const char *text = json_object_get_string(value);
  return strlen(text) == (gsize) json_object_get_string_len(value) ? text : NULL;
}

char *
train_json_describe(json_object *value)
{
  switch (json_object_get_type(value)) {
  case json_type_null:
    break;
  case json_type_boolean:
    return g_strdup(json_object_get_boolean(value) ? "true" : "false");
  case json_type_int:
    return g_strdup_printf("the number %" G_GINT64_FORMAT, (gint64) json_object_get_int64(value));
  case json_type_double:
    return g_strdup_printf("the number %g", json_object_get_double(value));
  case json_type_string:
    return g_strdup_printf("\"%.64s\"", json_object_get_string(value));
  case json_type_array:
    return g_strdup("a list");
  case json_type_object:
    return g_strdup("an object");
  }
  return g_strdup("null");
}

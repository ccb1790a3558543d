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
  g_autofree char *text = NULL;
  g_autoptr(GError) reason = NULL;
  gsize length;
  if (!g_file_get_contents(path, &text, &length, &reason)) {
    mt_fail(error, MT_ERROR_IO, "%s: the file cannot be read (%s).", path, reason->message);
    return NULL;
  }
  if (length > MAX_BYTES) {
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d bytes, found %zu.", path, MAX_BYTES,
            length);
    return NULL;
  }
  const char *found;
  gsize at = 0;
  json_object *object = regard_json_parse(text, length, JSON_TOKENER_DEFAULT_DEPTH, &found, &at);
  if (!json_object_is_type(object, json_type_object)) {
    mt_fail(error, MT_ERROR_FORMAT,
            "%s: expected a JSON object, found something else at byte %zu (%s).", path, at,
            found ? found : "another value");
    json_object_put(object);
    object = NULL;
  }
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

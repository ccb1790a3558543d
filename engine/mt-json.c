/* mt-json.c — reading JSON with errors that name the file and the key. The only user of json-c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-json.h"

#include "mt-alloc.h"
#include "mt-error.h"
#include "mt-utf8.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 32
/* safetensors allows headers of 100 MB, the largest JSON there is in a model directory. */
#define MAX_BYTES 100000000

bool
mt_json_parse(mt_json *json, const char *label, const char *text, size_t n, mt_error *error)
{
  if (n > MAX_BYTES)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected at most %d bytes of JSON, found %zu.",
                   label, MAX_BYTES, n);
  /* Checked here because json-c's own check lets overlong forms and surrogates pass. */
  size_t offset;
  if (!mt_utf8_valid(text, n, &offset))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected JSON in UTF-8, found something else at byte %zu.", label, offset);
  json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
  char *label_copy = mt_strdup(label);
  if (!tokener || !label_copy) {
    if (tokener)
      json_tokener_free(tokener);
    mt_free(label_copy);
    return mt_fail_no_memory(error);
  }
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
  json_object *root = json_tokener_parse_ex(tokener, text, (int) n);
  enum json_tokener_error problem = json_tokener_get_error(tokener);
  size_t end = json_tokener_get_parse_end(tokener);
  if (problem == json_tokener_continue) {
    /* A number or null at the very end could go on: white space shows that it does not. */
    root = json_tokener_parse_ex(tokener, " ", 1);
    if (json_tokener_get_error(tokener) == json_tokener_success) {
      problem = json_tokener_success;
      end = n;
    }
  }
  json_tokener_free(tokener);
  if (problem == json_tokener_success) {
    /* What follows the value may only be white space. */
    while (end < n && strchr(" \t\r\n", text[end]) && text[end] != '\0')
      end++;
    if (end < n)
      problem = json_tokener_error_parse_unexpected;
  }
  if (problem == json_tokener_success && json_object_is_type(root, json_type_object)) {
    *json = (mt_json){.root = root, .label = label_copy};
    return true;
  }
  if (problem == json_tokener_success)
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected a JSON object, found another JSON value.", label);
  else if (problem == json_tokener_continue)
    mt_fail(error, MT_ERROR_FORMAT,
            "%s: expected complete JSON, found its end after %zu bytes (is the file cut off?).",
            label, n);
  else if (problem == json_tokener_error_depth)
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected JSON at most %d levels deep, found more.", label,
            MAX_DEPTH);
  else
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected JSON, found something else at byte %zu (%s).",
            label, end, json_tokener_error_desc(problem));
  json_object_put(root);
  mt_free(label_copy);
  return false;
}

bool
mt_json_load(mt_json *json, const mt_dir *dir, const char *file, mt_error *error)
{
  mt_mapping mapping;
  if (!mt_dir_map(dir, file, MAX_BYTES, &mapping, error))
    return false;
  size_t label_size = strlen(dir->name) + strlen(file) + 2;
  char *label = mt_alloc(label_size, 1);
  bool ok;
  if (label) {
    snprintf(label, label_size, "%s/%s", dir->name, file);
    ok = mt_json_parse(json, label, (const char *) mapping.bytes, mapping.size, error);
  } else {
    ok = mt_fail_no_memory(error);
  }
  mt_free(label);
  mt_unmap(&mapping);
  return ok;
}

void
mt_json_clear(mt_json *json)
{
  json_object_put(json->root);
  mt_free(json->label);
  *json = (mt_json){0};
}

const mt_json_value *
mt_json_root(const mt_json *json)
{
  return json->root;
}

const mt_json_value *
mt_json_member(const mt_json_value *value, const char *key)
{
  json_object *member = NULL;
  json_object_object_get_ex((json_object *) value, key, &member);
  return member;
}

const mt_json_value *
mt_json_get(const mt_json *json, const char *key)
{
  return mt_json_member(json->root, key);
}

bool
mt_json_has_null(const mt_json *json, const char *key)
{
  json_object *member = NULL;
  return json_object_object_get_ex(json->root, key, &member) && !member;
}

mt_json_kind
mt_json_kind_of(const mt_json_value *value)
{
  switch (json_object_get_type(value)) {
  case json_type_boolean:
    return MT_JSON_BOOL;
  case json_type_int:
    return MT_JSON_INTEGER;
  case json_type_double:
    return MT_JSON_NUMBER;
  case json_type_string:
    return MT_JSON_STRING;
  case json_type_array:
    return MT_JSON_ARRAY;
  case json_type_object:
    return MT_JSON_OBJECT;
  default:
    return MT_JSON_NULL;
  }
}

bool
mt_json_bool(const mt_json_value *value)
{
  return json_object_get_boolean(value);
}

int64_t
mt_json_integer(const mt_json_value *value)
{
  return json_object_get_int64(value);
}

const char *
mt_json_string(const mt_json_value *value)
{
  json_object *string = (json_object *) value;
  const char *text = json_object_get_string(string);
  return text && strlen(text) == (size_t) json_object_get_string_len(string) ? text : NULL;
}

size_t
mt_json_length(const mt_json_value *value)
{
  return json_object_is_type(value, json_type_array) ? json_object_array_length(value)
                                                     : (size_t) json_object_object_length(value);
}

const mt_json_value *
mt_json_at(const mt_json_value *value, size_t i)
{
  return json_object_array_get_idx(value, i);
}

bool
mt_json_each(const mt_json_value *object, mt_json_visit visit, void *user)
{
  struct json_object_iterator i = json_object_iter_begin((json_object *) object);
  struct json_object_iterator end = json_object_iter_end(object);
  for (; !json_object_iter_equal(&i, &end); json_object_iter_next(&i))
    if (!visit(user, json_object_iter_peek_name(&i), json_object_iter_peek_value(&i)))
      return false;
  return true;
}

const char *
mt_json_describe(const mt_json_value *value, char buffer[MT_JSON_DESCRIPTION_SIZE])
{
  const size_t size = MT_JSON_DESCRIPTION_SIZE;
  switch (mt_json_kind_of(value)) {
  case MT_JSON_NULL:
    snprintf(buffer, size, "null");
    break;
  case MT_JSON_BOOL:
    snprintf(buffer, size, "%s", mt_json_bool(value) ? "true" : "false");
    break;
  case MT_JSON_INTEGER:
    snprintf(buffer, size, "the number %lld", (long long) mt_json_integer(value));
    break;
  case MT_JSON_NUMBER:
    snprintf(buffer, size, "the number %g", json_object_get_double(value));
    break;
  case MT_JSON_STRING:
    snprintf(buffer, size, "\"%.64s\"", json_object_get_string((json_object *) value));
    break;
  case MT_JSON_ARRAY:
    snprintf(buffer, size, "a list");
    break;
  case MT_JSON_OBJECT:
    snprintf(buffer, size, "an object");
    break;
  }
  return buffer;
}

/* "expected KEY to be WHAT, found VALUE" */
static bool
wrong(const mt_json *json, const char *key, const char *what, const mt_json_value *value,
      mt_error *error)
{
  char found[MT_JSON_DESCRIPTION_SIZE];
  return mt_fail(error, MT_ERROR_FORMAT, "%s: expected %s to be %s, found %s.", json->label, key,
                 what, mt_json_describe(value, found));
}

bool
mt_json_get_bool(const mt_json *json, const char *key, bool *value, mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  if (mt_json_kind_of(member) != MT_JSON_BOOL)
    return wrong(json, key, "true or false", member, error);
  *value = mt_json_bool(member);
  return true;
}

bool
mt_json_get_size(const mt_json *json, const char *key, size_t min, size_t max, size_t *value,
                 mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  int64_t number = -1;
  bool is_integer = mt_json_kind_of(member) == MT_JSON_INTEGER;
  if (is_integer)
    number = mt_json_integer(member);
  if (!is_integer || number < 0 || (uint64_t) number < min || (uint64_t) number > max) {
    char what[96];
    snprintf(what, sizeof what, "a whole number from %zu to %zu", min, max);
    return wrong(json, key, what, member, error);
  }
  *value = (size_t) number;
  return true;
}

bool
mt_json_get_number(const mt_json *json, const char *key, double *value, mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  mt_json_kind kind = mt_json_kind_of(member);
  double number = json_object_get_double(member);
  if ((kind != MT_JSON_NUMBER && kind != MT_JSON_INTEGER) || !isfinite(number))
    return wrong(json, key, "a number", member, error);
  *value = number;
  return true;
}

bool
mt_json_get_string(const mt_json *json, const char *key, const char **value, mt_error *error)
{
  const mt_json_value *member = mt_json_get(json, key);
  if (!member)
    return true;
  const char *text = mt_json_kind_of(member) == MT_JSON_STRING ? mt_json_string(member) : NULL;
  if (!text)
    return wrong(json, key, "a string", member, error);
  *value = text;
  return true;
}

/* mt-json.c — reading JSON with errors that name the file and the key.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-json-read.h"

#include "mt-alloc.h"
#include "mt-error.h"
#include "mt-utf8.h"

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
  size_t offset;
  if (!mt_utf8_valid(text, n, &offset))
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected JSON in UTF-8, found something else at byte %zu.", label, offset);
  mt_json read = {.tree = mt_alloc(1, sizeof *read.tree), .label = mt_strdup(label)};
  if (!read.tree || !read.label) {
    mt_json_clear(&read);
    return mt_fail_no_memory(error);
  }
  const char *what;
  switch (mt_json_read(read.tree, text, n, MAX_DEPTH, &offset, &what)) {
  case MT_JSON_READ_OK:
    if (read.tree->values->kind == MT_JSON_OBJECT) {
      *json = read;
      return true;
    }
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected a JSON object, found another JSON value.", label);
    break;
  case MT_JSON_READ_SYNTAX:
    mt_fail(error, MT_ERROR_FORMAT,
            "%s: expected %s at byte %zu of the JSON, found something else.", label, what, offset);
    break;
  case MT_JSON_READ_CUT_OFF:
    mt_fail(error, MT_ERROR_FORMAT,
            "%s: expected complete JSON, found its end after %zu bytes (is the file cut off?).",
            label, n);
    break;
  case MT_JSON_READ_DEEP:
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected JSON at most %d levels deep, found more.", label,
            MAX_DEPTH);
    break;
  case MT_JSON_READ_MANY:
    mt_fail(error, MT_ERROR_FORMAT, "%s: expected JSON of at most %d values, found more.", label,
            MT_JSON_MAX_VALUES);
    break;
  case MT_JSON_READ_NO_MEMORY:
    mt_fail_no_memory(error);
    break;
  }
  mt_json_clear(&read);
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
  if (json->tree)
    mt_json_tree_clear(json->tree);
  mt_free(json->tree);
  mt_free(json->label);
  *json = (mt_json){0};
}

const mt_json_value *
mt_json_root(const mt_json *json)
{
  return json->tree->values;
}

/* Callers know null as NULL. */
static const mt_json_value *
known(const mt_json_value *value)
{
  return value && value->kind != MT_JSON_NULL ? value : NULL;
}

/* A member, also if it is null; NULL: there is none. */
static const mt_json_value *
find(const mt_json_value *object, const char *key)
{
  if (!object || object->kind != MT_JSON_OBJECT)
    return NULL;
  size_t from = 0, to = object->n;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    const mt_json_value *member = object + object->index[middle];
    int order = strcmp(key, member->key);
    if (order == 0)
      return member;
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return NULL;
}

const mt_json_value *
mt_json_member(const mt_json_value *value, const char *key)
{
  return known(find(value, key));
}

const mt_json_value *
mt_json_get(const mt_json *json, const char *key)
{
  return mt_json_member(mt_json_root(json), key);
}

bool
mt_json_has_null(const mt_json *json, const char *key)
{
  const mt_json_value *member = find(mt_json_root(json), key);
  return member && member->kind == MT_JSON_NULL;
}

mt_json_kind
mt_json_kind_of(const mt_json_value *value)
{
  return value ? (mt_json_kind) value->kind : MT_JSON_NULL;
}

bool
mt_json_bool(const mt_json_value *value)
{
  return value->boolean;
}

int64_t
mt_json_integer(const mt_json_value *value)
{
  return value->integer;
}

const char *
mt_json_string(const mt_json_value *value)
{
  return strlen(value->string) == value->n ? value->string : NULL;
}

size_t
mt_json_length(const mt_json_value *value)
{
  return value->n;
}

const mt_json_value *
mt_json_at(const mt_json_value *value, size_t i)
{
  return known(value + value->index[i]);
}

bool
mt_json_each(const mt_json_value *object, mt_json_visit visit, void *user)
{
  const mt_json_value *end = object + object->span;
  for (const mt_json_value *member = object + 1; member < end; member += member->span)
    if (!member->is_hidden && !visit(user, member->key, known(member)))
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
    snprintf(buffer, size, "the number %g", value->number);
    break;
  case MT_JSON_STRING:
    snprintf(buffer, size, "\"%.64s\"", value->string);
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
  double number = kind == MT_JSON_INTEGER  ? (double) member->integer
                  : kind == MT_JSON_NUMBER ? member->number
                                           : NAN;
  if (!isfinite(number))
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

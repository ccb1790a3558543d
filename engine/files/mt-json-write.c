/* mt-json-write.c — writing JSON: Jansson's tree, built value by value.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-json-write.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-json.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits that tell any two doubles apart. */
#define MAX_DIGITS 17

/* The text with U+FFFD for what is not UTF-8; NULL if there is no memory. */
static char *
make_valid(const char *text, size_t n)
{
  static const char replacement[] = "\xef\xbf\xbd";
  char *valid = mt_alloc(n + 1, sizeof replacement);
  size_t to = 0;
  for (size_t i = 0; valid && i < n;) {
    size_t length = mt_utf8_length_at(text + i, n - i);
    const char *from = length ? text + i : replacement;
    size_t n_from = length ? length : sizeof replacement - 1;
    memcpy(valid + to, from, n_from);
    to += n_from;
    i += length ? length : 1;
  }
  return valid;
}

/* A member of the innermost object; takes the value. */
static bool
add_member(json_t *object, const char *key, json_t *value)
{
  size_t n = strlen(key);
  if (mt_utf8_valid(key, n, NULL))
    return json_object_set_new_nocheck(object, key, value) == 0;
  char *valid = make_valid(key, n);
  if (!valid) {
    json_decref(value);
    return false;
  }
  bool ok = json_object_set_new_nocheck(object, valid, value) == 0;
  mt_free(valid);
  return ok;
}

/* Takes the value; NULL: there was no memory for it. True if it is in its place. */
static bool
put(mt_json_out *out, const char *key, json_t *value)
{
  if (!value || out->failed) {
    json_decref(value);
    out->failed = true;
    return false;
  }
  json_t *in = out->depth ? out->open[out->depth - 1] : NULL;
  if (!in)
    out->root = value;
  else if (json_is_array(in))
    out->failed = json_array_append_new(in, value) != 0;
  else
    out->failed = !add_member(in, key, value);
  return !out->failed;
}

void
mt_json_begin(mt_json_out *out, const char *key, char brace)
{
  mt_json_prepare();
  json_t *container = brace == '[' ? json_array() : json_object();
  if (!put(out, key, container))
    return;
  assert(out->depth < MT_JSON_OUT_DEPTH);
  out->open[out->depth++] = container;
}

void
mt_json_end(mt_json_out *out)
{
  if (!out->failed)
    out->depth--;
}

void
mt_json_put_string(mt_json_out *out, const char *key, const char *text)
{
  size_t n = strlen(text);
  if (mt_utf8_valid(text, n, NULL)) {
    put(out, key, json_stringn_nocheck(text, n));
    return;
  }
  char *valid = make_valid(text, n);
  put(out, key, valid ? json_string_nocheck(valid) : NULL);
  mt_free(valid);
}

void
mt_json_put_whole(mt_json_out *out, const char *key, int64_t value)
{
  put(out, key, json_integer(value));
}

void
mt_json_put_number(mt_json_out *out, const char *key, double value)
{
  if (!isfinite(value))
    put(out, key, json_null());
  else if (value == trunc(value) && fabs(value) <= 0x1p53)
    put(out, key, json_integer((json_int_t) value)); /* 0 and not 0.0 */
  else
    put(out, key, json_real(value));
}

void
mt_json_put_bool(mt_json_out *out, const char *key, bool value)
{
  put(out, key, json_boolean(value));
}

void
mt_json_put_null(mt_json_out *out, const char *key)
{
  put(out, key, json_null());
}

bool
mt_json_put_text(mt_json_out *out, const char *key, const char *label, const char *text, size_t n,
                 mt_error *error)
{
  json_t *value = mt_json_decode(label, text, n, error);
  if (value)
    put(out, key, value);
  return value != NULL;
}

/* Raise *digits to what each number inside needs to be read back as it is. */
static bool
count_digits(void *digits, const char *key, const mt_json_value *value)
{
  (void) key;
  int *most = digits;
  if (json_is_real(value)) {
    double number = json_real_value(value);
    char text[32];
    for (; *most < MAX_DIGITS; ++*most) {
      snprintf(text, sizeof text, "%.*g", *most, number);
      if (strtod(text, NULL) == number)
        break;
    }
  } else if (json_is_object(value)) {
    mt_json_each(value, count_digits, digits);
  } else {
    for (size_t i = 0; i < json_array_size(value); i++)
      count_digits(digits, NULL, json_array_get(value, i));
  }
  return true;
}

bool
mt_json_finish(mt_json_out *out, const char *end, mt_error *error)
{
  int digits = 1;
  count_digits(&digits, NULL, out->root);
  const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION((size_t) digits);
  /* Into memory that is there: where json_dumps cannot grow its own for a key, it leaves out a part
   * of that and goes on (Jansson 2.14). */
  const size_t n_text = out->failed ? 0 : json_dumpb(out->root, NULL, 0, flags);
  const size_t n_end = strlen(end);
  char *text = n_text ? mt_alloc(n_text + n_end + 1, 1) : NULL;
  if (!text || json_dumpb(out->root, text, n_text, flags) != n_text) {
    mt_free(text);
    out->failed = true;
    return mt_fail_no_memory(error);
  }
  memcpy(text + n_text, end, n_end + 1);
  out->text = text;
  out->n = n_text + n_end;
  return true;
}

void
mt_json_out_clear(mt_json_out *out)
{
  json_decref(out->root);
  mt_free(out->text);
  *out = (mt_json_out){0};
}

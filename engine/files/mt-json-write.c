/* mt-json-write.c — JSON as text, piece by piece.
 *
 * Not Jansson: it builds a tree first, where a failed allocation has to be looked for after each
 * step, and its order and digits of numbers are its own. Here keys come as they are put, a value a
 * line, so that a file can be read and compared by people.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-json-write.h"

#include "base/mt-alloc.h"
#include "base/mt-utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
append(mt_json_out *out, const char *bytes, size_t n)
{
  if (out->failed)
    return;
  if (n >= out->capacity - out->n) {
    size_t capacity;
    if (__builtin_add_overflow(out->n, n, &capacity) ||
        __builtin_mul_overflow(capacity + 64, (size_t) 2, &capacity)) {
      out->failed = true;
      return;
    }
    char *grown = mt_realloc(out->text, capacity, 1);
    if (!grown) {
      out->failed = true;
      return;
    }
    out->text = grown;
    out->capacity = capacity;
  }
  memcpy(out->text + out->n, bytes, n);
  out->n += n;
  out->text[out->n] = '\0';
}

static void
append_string(mt_json_out *out, const char *text)
{
  size_t n = strlen(text);
  append(out, "\"", 1);
  for (size_t i = 0; i < n;) {
    size_t length = mt_utf8_length_at(text + i, n - i);
    unsigned char c = (unsigned char) text[i];
    char escape[8];
    if (length == 0) {
      append(out, "\xef\xbf\xbd", 3);
      length = 1;
    } else if (c == '"' || c == '\\') {
      append(out, (char[]){'\\', (char) c}, 2);
    } else if (c == '\n' || c == '\t') {
      append(out, c == '\n' ? "\\n" : "\\t", 2);
    } else if (c < 0x20) {
      append(out, escape, (size_t) snprintf(escape, sizeof escape, "\\u%04x", c));
    } else {
      append(out, text + i, length);
    }
    i += length;
  }
  append(out, "\"", 1);
}

static void
new_line(mt_json_out *out)
{
  append(out, "\n", 1);
  for (unsigned i = 0; i < out->depth; i++)
    append(out, "  ", 2);
}

/* What comes before each value. */
static void
introduce(mt_json_out *out, const char *key)
{
  if (out->has_items)
    append(out, ",", 1);
  if (out->depth > 0)
    new_line(out);
  if (key) {
    append_string(out, key);
    append(out, ": ", 2);
  }
  out->has_items = true;
}

void
mt_json_begin(mt_json_out *out, const char *key, char brace)
{
  introduce(out, key);
  append(out, &brace, 1);
  out->depth++;
  out->has_items = false;
}

void
mt_json_end(mt_json_out *out, char brace)
{
  out->depth--;
  if (out->has_items)
    new_line(out);
  append(out, &brace, 1);
  out->has_items = true;
}

void
mt_json_put_raw(mt_json_out *out, const char *key, const char *json)
{
  introduce(out, key);
  append(out, json, strlen(json));
}

void
mt_json_put_string(mt_json_out *out, const char *key, const char *text)
{
  introduce(out, key);
  append_string(out, text);
}

void
mt_json_put_whole(mt_json_out *out, const char *key, int64_t value)
{
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, value);
  mt_json_put_raw(out, key, text);
}

void
mt_json_put_number(mt_json_out *out, const char *key, double value)
{
  char text[32] = "null";
  if (isfinite(value))
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(text, sizeof text, "%.*g", digits, value);
      if (strtod(text, NULL) == value)
        break;
    }
  /* A locale may write a comma. */
  char *comma = strchr(text, ',');
  if (comma)
    *comma = '.';
  mt_json_put_raw(out, key, text);
}

void
mt_json_put_bool(mt_json_out *out, const char *key, bool value)
{
  mt_json_put_raw(out, key, value ? "true" : "false");
}

void
mt_json_put_null(mt_json_out *out, const char *key)
{
  mt_json_put_raw(out, key, "null");
}

void
mt_json_finish(mt_json_out *out)
{
  append(out, "\n", 1);
}

void
mt_json_out_clear(mt_json_out *out)
{
  mt_free(out->text);
  *out = (mt_json_out){0};
}

/* regard-json.c — texts in JSON that json-c reads for the programs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Strict reading of json-c 0.18 refuses every string that is not ASCII. So what is not is escaped
 * before, as JSON has it, and which bytes are UTF-8 is decided here.
 */
#include "base/regard-json.h"

#include "base/regard-error.h"
#include <glib/gi18n.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* What is wrong with the bytes before JSON is looked for in them; NULL if nothing is. */
static const char *
bytes_reason(const char *text, gsize n, gsize *at)
{
  const char *end;
  *at = 0;
  if (n >= INT_MAX / 6)
    return _("more than 300 megabytes");
  if (g_utf8_validate(text, (gssize) n, &end))
    return NULL;
  *at = (gsize) (end - text);
  return *end ? _("bytes that are not UTF-8") : _("zero bytes");
}

/* One character as json-c is given it: a letter of ASCII, or one or two escaped units of UTF-16. */
static void
append_ascii(GString *out, gunichar c)
{
  if (c < 0x80)
    g_string_append_c(out, (char) c);
  else if (c < 0x10000)
    g_string_append_printf(out, "\\u%04x", c);
  else
    g_string_append_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                           0xdc00 + (c & 0x3ff));
}

/* How many bytes of the text so many of what was made of it are. */
static gsize
bytes_before(const char *text, gsize n_ascii)
{
  g_autoptr(GString) made = g_string_new(NULL);
  const char *p = text;
  for (; *p; p = g_utf8_next_char(p)) {
    append_ascii(made, g_utf8_get_char(p));
    if (made->len > n_ascii)
      break;
  }
  return (gsize) (p - text);
}

json_object *
regard_json_parse(const char *text, gsize n, int most_depth, const char **reason, gsize *at)
{
  gsize place;
  *reason = bytes_reason(text, n, at ? at : &place);
  if (*reason)
    return NULL;
  g_autoptr(GString) ascii = g_string_sized_new(n + 1);
  for (const char *p = text; *p; p = g_utf8_next_char(p))
    append_ascii(ascii, g_utf8_get_char(p));
  json_tokener *tokener = json_tokener_new_ex(most_depth);
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
  /* With the zero byte, so that a number that ends the text is complete, and nothing may follow the
   * value. */
  json_object *value = json_tokener_parse_ex(tokener, ascii->str, (int) ascii->len + 1);
  enum json_tokener_error failure = json_tokener_get_error(tokener);
  if (failure != json_tokener_success)
    *reason = json_tokener_error_desc(failure);
  if (at)
    *at = bytes_before(text, json_tokener_get_parse_end(tokener));
  json_tokener_free(tokener);
  return value;
}

/* Members of all objects in the text: each has one colon. */
static gsize
count_colons(const char *text)
{
  gsize n = 0;
  gboolean in_string = FALSE;
  for (const char *p = text; *p; p++) {
    if (in_string && *p == '\\' && p[1])
      p++;
    else if (*p == '"')
      in_string = !in_string;
    else if (*p == ':' && !in_string)
      n++;
  }
  return n;
}

static gsize
count_members(json_object *value)
{
  gsize n = 0;
  if (json_object_is_type(value, json_type_array)) {
    for (gsize i = 0; i < json_object_array_length(value); i++)
      n += count_members(json_object_array_get_idx(value, i));
  } else if (json_object_is_type(value, json_type_object)) {
    json_object_object_foreach(value, key, member)
    {
      (void) key;
      n += 1 + count_members(member);
    }
  }
  return n;
}

gboolean
regard_json_has_each_key_once(json_object *root, const char *text)
{
  return count_members(root) == count_colons(text);
}

/* ---- Members --------------------------------------------------------------------------------- */

gboolean
regard_json_refuse(GError **error, const char *key, const char *expected)
{
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("“%s”: expected %s."), key, expected);
  return FALSE;
}

gboolean
regard_json_get_string(json_object *object, const char *key, gboolean has_null, const char **value,
                       GError **error)
{
  json_object *found = NULL;
  gboolean is_there = json_object_object_get_ex(object, key, &found);
  *value = NULL;
  if (is_there && !found && has_null)
    return TRUE;
  if (!json_object_is_type(found, json_type_string))
    return regard_json_refuse(error, key, _("a string"));
  *value = json_object_get_string(found);
  if (strlen(*value) != (gsize) json_object_get_string_len(found) ||
      !g_utf8_validate(*value, -1, NULL))
    return regard_json_refuse(error, key, _("UTF-8 without zero bytes"));
  return TRUE;
}

gboolean
regard_json_get_whole(json_object *object, const char *key, gint64 least, gint64 most,
                      gint64 *value, GError **error)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  if (json_object_is_type(found, json_type_int)) {
    *value = json_object_get_int64(found);
    if (*value >= least && *value <= most)
      return TRUE;
  }
  g_autofree char *range =
      g_strdup_printf(_("a whole number from %" PRId64 " to %" PRId64), least, most);
  return regard_json_refuse(error, key, range);
}

gboolean
regard_json_get_number(json_object *object, const char *key, double least, double most,
                       double *value, GError **error)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  if (json_object_is_type(found, json_type_double) || json_object_is_type(found, json_type_int)) {
    *value = json_object_get_double(found);
    if (*value >= least && *value <= most)
      return TRUE;
  }
  g_autofree char *expected = g_strdup_printf(_("a number from %g to %g"), least, most);
  return regard_json_refuse(error, key, expected);
}

gboolean
regard_json_get_object(json_object *root, const char *key, json_object **value, GError **error)
{
  json_object_object_get_ex(root, key, value);
  return json_object_is_type(*value, json_type_object) ||
         regard_json_refuse(error, key, _("an object"));
}

gboolean
regard_json_get_boolean(json_object *object, const char *key, gboolean *value, GError **error)
{
  json_object *found = NULL;
  json_object_object_get_ex(object, key, &found);
  if (!json_object_is_type(found, json_type_boolean))
    return regard_json_refuse(error, key, _("true or false"));
  *value = json_object_get_boolean(found);
  return TRUE;
}

gboolean
regard_json_find_choice(const char *word, const char *key, const char *const *ids, int *index,
                        GError **error)
{
  for (int i = 0; word && ids[i]; i++)
    if (g_str_equal(ids[i], word)) {
      *index = i;
      return TRUE;
    }
  g_autofree char *all = g_strjoinv(", ", (char **) ids);
  g_autofree char *expected = g_strdup_printf(_("one of %s"), all);
  return regard_json_refuse(error, key, expected);
}

/* ---- Writing --------------------------------------------------------------------------------- */

json_object *
regard_json_add_members(json_object *object, const RegardJsonMember *members)
{
  if (!object)
    object = json_object_new_object();
  for (; members->name; members++)
    json_object_object_add(object, members->name, members->value);
  return object;
}

/* The longest double with three digits after its point has 313 characters. */
json_object *
regard_json_number(double value, const char *format)
{
  char text[512];
  return isfinite(value)
             ? json_object_new_double_s(value, g_ascii_formatd(text, sizeof text, format, value))
             : NULL;
}

json_object *
regard_json_double(double value)
{
  return regard_json_number(value, "%.17g");
}

json_object *
regard_json_float(float value)
{
  return regard_json_number((double) value, "%.9g");
}

/* ==== JSON files that people write for regard-train =========================================== */

#define MAX_BYTES (1 << 20)

json_object *
regard_json_read_file(const char *path, mt_error *error)
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
regard_json_text(json_object *value)
{
  if (!json_object_is_type(value, json_type_string))
    return NULL;
  const char *text = json_object_get_string(value);
  return strlen(text) == (gsize) json_object_get_string_len(value) ? text : NULL;
}

char *
regard_json_describe(json_object *value)
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

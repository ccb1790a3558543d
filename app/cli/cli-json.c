/* cli-json.c — JSON for answers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-json.h"

#include <math.h>
#include <string.h>

/* json-c writes a double with 17 digits; the text given along is written instead. */
static json_object *
number(double value, const char *format)
{
  char text[512];
  if (!isfinite(value))
    return NULL; /* JSON has no NaN and no infinity: null */
  g_ascii_formatd(text, sizeof text, format, value);
  return json_object_new_double_s(value, text);
}

json_object *
cli_json_float(float value)
{
  return number((double) value, "%.9g");
}

json_object *
cli_json_milliseconds(double value)
{
  return number(value, "%.3f");
}

json_object *
cli_json_text(const char *text)
{
  if (!text)
    return NULL;
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  return json_object_new_string(valid);
}

json_object *
cli_json_size(gsize value)
{
  return json_object_new_int64((int64_t) value);
}

json_object *
cli_json_precision(mt_precision precision)
{
  return precision == MT_PRECISION_UNKNOWN ? NULL
                                           : json_object_new_string(mt_precision_name(precision));
}

json_object *
cli_json_ids(const mt_tokens *tokens)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    json_object_array_add(array, json_object_new_int(mt_tokens_get(tokens, i)->id));
  return array;
}

json_object *
cli_json_pieces(const mt_tokens *tokens)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    json_object_array_add(array, cli_json_text(mt_tokens_get(tokens, i)->piece));
  return array;
}

json_object *
cli_json_floats(const float *values, gsize n)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < n; i++)
    json_object_array_add(array, cli_json_float(values[i]));
  return array;
}

gboolean
cli_json_put(const CliCommand *command, json_object *object, gboolean pretty)
{
  int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
  flags |= pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN;
  const char *json = json_object_to_json_string_ext(object, flags);
  g_autofree char *line = g_strconcat(json, "\n", NULL);
  gboolean done = cli_put(command, line, strlen(line));
  json_object_put(object);
  return done;
}

/* fit-json.c — a JSON file that says what options say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/fit-json.h"

#include "train/train-json.h"

#include <json.h>
#include <math.h>
#include <string.h>

typedef struct {
  const char *path;
  const CliCommand *command;
  char *values; /* the struct of the options */
  GPtrArray *strings;
} Reader;

static gboolean
wrong(const Reader *r, const char *key, const char *expected, json_object *found)
{
  g_autofree char *text =
      g_strndup(json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN), 80);
  cli_complain(r->command, "%s: \"%s\" wants %s, found %s", r->path, key, expected, text);
  return FALSE;
}

static gboolean
set_number(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  gboolean is_whole = json_object_is_type(value, json_type_int);
  double number = json_object_get_double(value);
  if ((is_whole ||
       (o->type == CLI_OPTION_NUMBER && json_object_is_type(value, json_type_double))) &&
      isfinite(number) && number >= o->min && number <= o->max) {
    if (o->type == CLI_OPTION_WHOLE)
      *(gint64 *) (void *) (r->values + o->at) = json_object_get_int64(value);
    else
      *(double *) (void *) (r->values + o->at) = number;
    return TRUE;
  }
  g_autofree char *expected =
      g_strdup_printf("a %snumber from %.12g to %.12g", o->type == CLI_OPTION_WHOLE ? "whole " : "",
                      o->min, o->max);
  return wrong(r, key, expected, value);
}

static gboolean
set_choice(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  const char *text =
      json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
  for (guint i = 0; o->choices[i]; i++)
    if (strcmp(o->choices[i], text) == 0) {
      *(guint *) (void *) (r->values + o->at) = i;
      return TRUE;
    }
  g_autofree char *list = g_strjoinv(", ", (char **) o->choices);
  g_autofree char *expected = g_strdup_printf("one of %s", list);
  return wrong(r, key, expected, value);
}

/* [0, 100] as "0,100"; {"a": 8} as "a=8". NULL for a list of anything else. */
static char *
flatten(json_object *value)
{
  g_autoptr(GString) out = g_string_new(NULL);
  if (json_object_is_type(value, json_type_array)) {
    for (gsize i = 0; i < json_object_array_length(value); i++) {
      json_object *item = json_object_array_get_idx(value, i);
      if (!json_object_is_type(item, json_type_int))
        return NULL;
      g_string_append_printf(out, "%s%" G_GINT64_FORMAT, i ? "," : "",
                             (gint64) json_object_get_int64(item));
    }
  } else {
    json_object_object_foreach(value, name, item)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      if (!json_object_is_type(item, json_type_int) && !json_object_is_type(item, json_type_double))
        return NULL;
      g_ascii_dtostr(number, sizeof number, json_object_get_double(item));
      g_string_append_printf(out, "%s%s=%s", out->len ? "," : "", name, number);
    }
  }
  return out->len ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}

static gboolean
set_text(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  char *text = NULL;
  if (json_object_is_type(value, json_type_string))
    text = g_strdup(json_object_get_string(value));
  else if (json_object_is_type(value, json_type_array) ||
           json_object_is_type(value, json_type_object))
    text = flatten(value);
  if (!text || *text == '\0') {
    g_free(text);
    return wrong(r, key, o->metavar, value);
  }
  g_ptr_array_add(r->strings, text);
  *(const char **) (void *) (r->values + o->at) = text;
  return TRUE;
}

static gboolean
set(const Reader *r, const char *key, const CliOption *o, json_object *value)
{
  switch (o->type) {
  case CLI_OPTION_TEXT:
    return set_text(r, key, o, value);
  case CLI_OPTION_WHOLE:
  case CLI_OPTION_NUMBER:
    return set_number(r, key, o, value);
  case CLI_OPTION_CHOICE:
    return set_choice(r, key, o, value);
  case CLI_OPTION_FLAG:
    if (!json_object_is_type(value, json_type_boolean))
      return wrong(r, key, "true or false", value);
    *(gboolean *) (void *) (r->values + o->at) = json_object_get_boolean(value);
    return TRUE;
  case CLI_OPTION_LIST: /* fit has none of them */
  case CLI_OPTION_WORDS:
  case CLI_OPTION_ROWS:
  case CLI_OPTION_END:
    break;
  }
  g_assert_not_reached();
}

static gboolean
set_member(const Reader *r, const CliOption *options, const char *key, json_object *value)
{
  if (key[0] == '_')
    return TRUE;
  g_autofree char *name = g_strdelimit(g_strdup(key), "_", '-');
  for (const CliOption *o = options; o->type != CLI_OPTION_END; o++)
    /* Not a configuration in a configuration. */
    if (strcmp(o->name, name) == 0 && !strchr(key, '-') && strcmp(name, "config") != 0)
      return set(r, key, o, value);
  cli_complain(r->command, "%s: unknown key \"%s\"", r->path, key);
  return FALSE;
}

gboolean
fit_json_read(const char *path, const CliOption *options, gpointer values, GPtrArray *strings,
              const CliCommand *command)
{
  mt_error error = {0};
  json_object *object = train_json_read(path, &error);
  if (!object) {
    cli_complain(command, "%s", error.message);
    return FALSE;
  }
  const Reader reader = {path, command, values, strings};
  gboolean ok = TRUE;
  json_object_object_foreach(object, key, value)
  {
    ok = ok && set_member(&reader, options, key, value);
  }
  json_object_put(object);
  return ok;
}

/* regard-json.c — what json-c does not say of a JSON text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-json.h"

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

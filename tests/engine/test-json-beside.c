/* test-json-beside.c — the engine's JSON in a program whose own library is json-c, which has two
 * functions of the same names and is linked first here: each must get its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-json.h"
#include "suite.h"

#include <glib.h>
#include <json-c/json.h>
#include <string.h>

static bool
add(void *user, const char *key, const mt_json_value *value)
{
  g_string_append_printf(user, "%s=%d ", key, (int) mt_json_integer(value));
  return true;
}

static void
test_beside(void)
{
  json_object *theirs = json_object_new_object();
  g_assert_true(json_object_get(theirs) == theirs);
  json_object_put(theirs);

  const char *text = "{\"a\": 1, \"b\": 2, \"c\": 3}";
  mt_json ours;
  mt_error error = {0};
  g_autoptr(GString) seen = g_string_new(NULL);
  g_assert_true(mt_json_parse(&ours, "x", text, strlen(text), &error));
  g_assert_cmpint(mt_json_integer(mt_json_get(&ours, "b")), ==, 2);
  g_assert_true(mt_json_each(ours.root, add, seen));
  g_assert_cmpstr(seen->str, ==, "a=1 b=2 c=3 ");
  mt_json_clear(&ours);
  /* It is still there, and the last reference is given back: what that returns is another thing
   * from release to release. */
  g_assert_cmpint(json_object_object_length(theirs), ==, 0);
  json_object_put(theirs);
}

TESTS()
{
  g_test_add_func("/json-beside", test_beside);
}

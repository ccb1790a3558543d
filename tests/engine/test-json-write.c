/* test-json-write.c — the JSON writer: what it writes, byte by byte, and memory that runs out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "failing-malloc.h"
#include "files/mt-json.h"
#include "suite.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static void
put_everything(mt_json_out *out)
{
  mt_json_begin(out, NULL, '{');
  mt_json_put_string(out, "text", "\"▁ä\\ /\n\t\x01\"");
  mt_json_put_string(out, "bytes", "a\xff\xc3z\xe2\x96");
  mt_json_put_string(out, "k\xffy", "");
  mt_json_put_whole(out, "most", INT64_MAX);
  mt_json_put_bool(out, "yes", true);
  mt_json_begin(out, "empty", '[');
  mt_json_end(out);
  mt_json_begin(out, "list", '[');
  mt_json_begin(out, NULL, '{');
  mt_json_put_number(out, "x", 0.1);
  mt_json_end(out);
  mt_json_put_number(out, NULL, -3);
  mt_json_put_number(out, NULL, NAN);
  mt_json_put_number(out, NULL, 1e-5);
  mt_json_end(out);
  mt_json_end(out);
}

static const char everything[] = "{\n"
                                 "  \"text\": \"\\\"▁ä\\\\ /\\n\\t\\u0001\\\"\",\n"
                                 "  \"bytes\": \"a��z��\",\n"
                                 "  \"k�y\": \"\",\n"
                                 "  \"most\": 9223372036854775807,\n"
                                 "  \"yes\": true,\n"
                                 "  \"empty\": [],\n"
                                 "  \"list\": [\n"
                                 "    {\n"
                                 "      \"x\": 0.1\n"
                                 "    },\n"
                                 "    -3,\n"
                                 "    null,\n"
                                 "    1e-5\n"
                                 "  ]\n"
                                 "}\n";

static void
test_bytes(void)
{
  mt_json_out out = {0};
  mt_error error = {0};
  put_everything(&out);
  g_assert_true(mt_json_finish(&out, "\n", &error));
  g_assert_cmpstr(out.text, ==, everything);
  g_assert_cmpuint(out.n, ==, strlen(everything));
  mt_json_out_clear(&out);

  mt_json_begin(&out, NULL, '{');
  mt_json_end(&out);
  g_assert_true(mt_json_finish(&out, "", &error));
  g_assert_cmpstr(out.text, ==, "{}");
  mt_json_out_clear(&out);
}

/* What is written is read as the same double, with a short one beside a long one, too. */
static void
test_numbers(void)
{
  const double numbers[] = {0.1, 1.0 / 3, -2.5e-300, 1.7976931348623157e308, 0x1p53 + 2, 4e-324};
  mt_json_out out = {0};
  mt_error error = {0};
  mt_json_begin(&out, NULL, '{');
  mt_json_begin(&out, "n", '[');
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
    mt_json_put_number(&out, NULL, numbers[i]);
  mt_json_end(&out);
  mt_json_end(&out);
  g_assert_true(mt_json_finish(&out, "", &error));
  mt_json json;
  g_assert_true(mt_json_parse(&json, "x", out.text, out.n, &error));
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    double found = mt_json_number(mt_json_at(mt_json_get(&json, "n"), i));
    g_assert_cmpint(memcmp(&found, &numbers[i], sizeof found), ==, 0);
  }
  mt_json_clear(&json);
  mt_json_out_clear(&out);
}

static void
test_text(void)
{
  const char *text = "{\"lines\": 12, \"weight\": 0.25, \"of\": [1, {\"a\": null}]}";
  mt_json_out out = {0};
  mt_error error = {0};
  mt_json_begin(&out, NULL, '{');
  g_assert_false(mt_json_put_text(&out, "report", "report", "[1]", 3, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_nonnull(strstr(error.message, "report: expected a JSON object"));
  g_assert_false(mt_json_put_text(&out, "report", "report", text, strlen(text) - 1, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_true(mt_json_put_text(&out, "report", "report", text, strlen(text), &error));
  mt_json_end(&out);
  g_assert_true(mt_json_finish(&out, "", &error));
  g_assert_cmpstr(out.text, ==,
                  "{\n"
                  "  \"report\": {\n"
                  "    \"lines\": 12,\n"
                  "    \"weight\": 0.25,\n"
                  "    \"of\": [\n"
                  "      1,\n"
                  "      {\n"
                  "        \"a\": null\n"
                  "      }\n"
                  "    ]\n"
                  "  }\n"
                  "}");
  mt_json_out_clear(&out);
}

static gboolean
write_all(mt_error *error)
{
  mt_json_out out = {0};
  put_everything(&out);
  gboolean ok = mt_json_finish(&out, "\n", error);
  g_assert_true(!ok || strcmp(out.text, everything) == 0);
  mt_json_out_clear(&out);
  return ok;
}

/* Each allocation fails once: the writer says so, and nothing is left behind. */
static void
test_no_memory(void)
{
  mt_error error;
  failing_malloc_begin(0, false);
  g_assert_true(write_all(&error));
  size_t n = failing_malloc_end();
  g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
  g_assert_cmpuint(n, >, 20);
  for (size_t i = 1; i <= n; i++) {
    error = (mt_error){0};
    failing_malloc_begin(i, i % 2);
    gboolean ok = write_all(&error);
    failing_malloc_end();
    g_assert_false(ok);
    g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_assert_cmpuint(failing_malloc_leaks(), ==, 0);
  }
  g_assert_true(write_all(&error));
}

TESTS()
{
  g_test_add_func("/json-write/bytes", test_bytes);
  g_test_add_func("/json-write/numbers", test_numbers);
  g_test_add_func("/json-write/text", test_text);
  g_test_add_func("/json-write/no-memory", test_no_memory);
}

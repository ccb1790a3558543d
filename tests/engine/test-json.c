/* test-json.c — the JSON reader: what is JSON, what is not, and where it says so.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-json.h"
#include "suite.h"

#include <glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static bool
parse(mt_json *json, const char *text, gssize n, mt_error *error)
{
  /* A copy without anything behind it: a byte too far is found by AddressSanitizer. */
  gsize size = n < 0 ? strlen(text) : (gsize) n;
  g_autofree char *exact = g_memdup2(text, size);
  *json = (mt_json){0};
  *error = (mt_error){0};
  return mt_json_parse(json, "x.json", exact ? exact : "", size, error);
}

/* A document that fills many blocks of memory: lists and objects that move as they grow, and a
 * string that is longer than a block. All of it is there. */
static void
test_large(void)
{
  enum { N = 30000, LONG = 3 << 20 };
  g_autoptr(GString) text = g_string_new("{\"list\": [");
  for (int i = 0; i < N; i++)
    g_string_append_printf(text, "%s[%d, \"piece %d\"]", i ? ", " : "", i, i);
  g_string_append(text, "], \"numbers\": {");
  for (int i = 0; i < N; i++)
    g_string_append_printf(text, "%s\"piece %d\": %d", i ? ", " : "", i, i);
  g_autofree char *filler = g_strnfill(LONG, 'x');
  g_string_append_printf(text, "}, \"long\": \"%s\"}", filler);
  mt_json json;
  mt_error error;
  g_assert_true(parse(&json, text->str, -1, &error));
  const mt_json_value *list = mt_json_get(&json, "list"), *numbers = mt_json_get(&json, "numbers");
  g_assert_cmpuint(mt_json_length(list), ==, N);
  g_assert_cmpuint(mt_json_length(numbers), ==, N);
  for (int i = 0; i < N; i++) {
    const mt_json_value *pair = mt_json_at(list, (size_t) i);
    const char *piece = mt_json_string(mt_json_at(pair, 1));
    g_assert_cmpint(mt_json_integer(mt_json_at(pair, 0)), ==, i);
    g_assert_cmpint(mt_json_integer(mt_json_member(numbers, piece)), ==, i);
  }
  g_assert_cmpstr(mt_json_string(mt_json_get(&json, "long")), ==, filler);
  mt_json_clear(&json);
}

static void
test_strings(void)
{
  static const struct {
    const char *json, *meant;
  } cases[] = {
      {"\"\"", ""},
      {"\"plain\"", "plain"},
      {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
      {"\"\\u00fc\\u00DC\"", "üÜ"},
      {"\"\\u2581x\"", "▁x"},
      {"\"\\ud83d\\ude00\"", "😀"},
      {"\"\x7f ▁\"", "\x7f ▁"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf("{\"k\": %s}", cases[i].json);
    mt_json json;
    mt_error error;
    if (!parse(&json, text, -1, &error))
      g_error("%s: %s", text, error.message);
    const char *found = NULL;
    g_assert_true(mt_json_get_string(&json, "k", &found, &error));
    g_assert_cmpstr(found, ==, cases[i].meant);
    mt_json_clear(&json);
  }
}

static void
test_numbers(void)
{
  static const struct {
    const char *json;
    mt_json_kind kind;
    double value;
  } cases[] = {
      {"0", MT_JSON_INTEGER, 0},
      {"-0", MT_JSON_INTEGER, 0},
      {"-17", MT_JSON_INTEGER, -17},
      {"8.0", MT_JSON_INTEGER, 8},
      {"1e2", MT_JSON_INTEGER, 100},
      {"1E+2", MT_JSON_INTEGER, 100},
      {"9007199254740992", MT_JSON_INTEGER, 0x1p53},
      {"9007199254740994", MT_JSON_NUMBER, 0x1p53 + 2},
      {"1000000000000000019884624838656", MT_JSON_NUMBER, 1e30}, /* as model_max_length often is */
      {"-9999999999999999999999", MT_JSON_NUMBER, -1e22},
      {"0.5", MT_JSON_NUMBER, 0.5},
      {"-12.25e-1", MT_JSON_NUMBER, -1.225},
  };
  /* A decimal comma must not change what a file means; without the locale it is the same test. */
  setlocale(LC_NUMERIC, "de_DE.UTF-8");
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *text = g_strdup_printf("{\"list\": [%s]}", cases[i].json);
    mt_json json;
    mt_error error;
    if (!parse(&json, text, -1, &error))
      g_error("%s: %s", text, error.message);
    const mt_json_value *value = mt_json_at(mt_json_get(&json, "list"), 0);
    g_assert_cmpint(mt_json_kind_of(value), ==, cases[i].kind);
    if (cases[i].kind == MT_JSON_INTEGER)
      g_assert_cmpfloat((double) mt_json_integer(value), ==, cases[i].value);
    mt_json_clear(&json);
    g_autofree char *member = g_strdup_printf("{\"x\": %s}", cases[i].json);
    double x = 7;
    g_assert_true(parse(&json, member, -1, &error));
    g_assert_cmpint(mt_json_get_number(&json, "x", &x, &error), ==, isfinite(cases[i].value));
    g_assert_cmpfloat(x, ==, isfinite(cases[i].value) ? cases[i].value : 7);
    mt_json_clear(&json);
  }
  setlocale(LC_NUMERIC, "C");
}

/* Not JSON, whatever lenient readers think, and where it begins not to be. */
static void
test_refused(void)
{
  static const struct {
    const char *text, *words;
    gssize n; /* 0: the string's */
  } cases[] = {
      {"{'a': 1}", "byte 2 (string or"},
      {"{\"a\": 'x'}", "byte 7 (invalid token"},
      {"{\"a\": 1,}", "byte 9 (string or"},
      {"{\"a\": [1,]}", "byte 10 (unexpected token"},
      {"{\"a\": [1 2]}", "byte 10 (']' expected"},
      {"{\"a\": 1 \"b\": 2}", "byte 11 ('}' expected"},
      {"{\"a\": 1]", "byte 8 ('}' expected"},
      {"{\"a\" 1}", "byte 6 (':' expected"},
      {"{1: 2}", "byte 2 (string or"},
      {"{\"a\": NaN}", "invalid token"},
      {"{\"a\": Infinity}", "JSON"},
      {"{\"a\": nulL}", "invalid token"},
      {"{\"a\": 01}", "invalid token"},
      {"{\"a\": -}", "JSON"},
      {"{\"a\": +1}", "JSON"},
      {"{\"a\": .5}", "JSON"},
      {"{\"a\": 1.}", "JSON"},
      {"{\"a\": 1e}", "JSON"},
      {"{\"a\": 1e+}", "JSON"},
      {"{\"a\": \"\n\"}", "unexpected newline"},
      {"{\"a\": \"\\x\"}", "invalid escape"},
      {"{\"a\": \"\\u12g4\"}", "invalid escape"},
      {"{\"a\": \"\\ud83d\\u12\"}", "JSON"},
      {"{\"a\\u0000b\": 1}", "NUL byte in object key"},
      {"{\"a\": 1e400}", "real number overflow"},
      {"{\"a\": \"\\ud83d\"}", "invalid Unicode"},
      {"{\"a\": \"\\ude00\\ud83d\"}", "invalid Unicode"},
      {"{\"a\": 1}\0", "JSON", 9},
      {"{\"a\": \"\0\"}", "JSON", 10},
      {"{\"a\": 1} //", "end of file expected"},
      {"\xef\xbb\xbf{}", "JSON"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_json json;
    mt_error error;
    if (parse(&json, cases[i].text, cases[i].n ? cases[i].n : -1, &error))
      g_error("accepted: %s", cases[i].text);
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    if (!strstr(error.message, cases[i].words))
      g_error("expected \"%s\", found: %s", cases[i].words, error.message);
    g_assert_null(json.root);
  }
}

/* Every beginning of a document is refused as cut off, and read no further than it goes. */
static void
test_cut_off(void)
{
  const char *text =
      "{\"a\": [1, -2.5e+1, true, false, null, {\"\\u00fc\\ud83d\\ude00\": \"\\n\"}]}";
  for (gsize n = 0; n < strlen(text); n++) {
    mt_json json;
    mt_error error;
    g_assert_false(parse(&json, text, (gssize) n, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    if (!strstr(error.message, "cut off"))
      g_error("%.*s: %s", (int) n, text, error.message);
  }
}

/* n lists inside an object. */
static char *
nested(guint n)
{
  GString *text = g_string_new("{\"a\": ");
  for (guint i = 0; i < n; i++)
    g_string_append_c(text, '[');
  for (guint i = 0; i < n; i++)
    g_string_append_c(text, ']');
  g_string_append_c(text, '}');
  return g_string_free(text, FALSE);
}

static void
test_limits(void)
{
  mt_json json;
  mt_error error;
  g_autofree char *deep = nested(31), *deeper = nested(32), *abyss = nested(100000);
  g_assert_true(parse(&json, deep, -1, &error));
  mt_json_clear(&json);
  g_assert_false(parse(&json, deeper, -1, &error));
  g_assert_nonnull(strstr(error.message, "32 levels"));
  g_assert_false(parse(&json, abyss, -1, &error));
  g_assert_nonnull(strstr(error.message, "32 levels"));

  /* A list of more values than any model says. */
  gsize n = (1 << 21) + 10;
  g_autoptr(GString) many = g_string_sized_new(2 * n);
  g_string_append(many, "{\"a\": [0");
  for (gsize i = 0; i < n; i++)
    g_string_append(many, ",0");
  g_string_append(many, "]}");
  g_assert_false(parse(&json, many->str, (gssize) many->len, &error));
  g_assert_nonnull(strstr(error.message, "2097152 values"));
}

static bool
note(void *user, const char *key, const mt_json_value *value)
{
  g_string_append_printf(user, "%s=%d ", key, value ? (int) mt_json_integer(value) : -1);
  return strcmp(key, "stop") != 0;
}

static void
test_members(void)
{
  mt_json json;
  mt_error error;
  g_autoptr(GString) seen = g_string_new(NULL);
  g_assert_true(parse(&json,
                      "{\"b\": 1, \"a\": {\"x\": 5}, \"b\": 2, \"\": 3, \"n\": null, \"b\": 4, "
                      "\"stop\": 6, \"never\": 7}",
                      -1, &error));
  const mt_json_value *inner = mt_json_get(&json, "a");
  g_assert_cmpint(mt_json_integer(mt_json_member(inner, "x")), ==, 5);
  g_assert_null(mt_json_member(inner, "b"));
  g_assert_cmpuint(mt_json_length(json.root), ==, 6);
  g_assert_cmpint(mt_json_integer(mt_json_get(&json, "b")), ==, 4);
  g_assert_cmpint(mt_json_integer(mt_json_get(&json, "")), ==, 3);
  g_assert_true(mt_json_each(inner, note, seen));
  mt_json_clear(&json);
  g_assert_true(parse(&json, "{\"b\": 1, \"a\": 2, \"b\": 3, \"n\": null, \"stop\": 4, \"c\": 5}",
                      -1, &error));
  g_assert_false(mt_json_each(json.root, note, seen));
  g_assert_cmpstr(seen->str, ==, "x=5 b=3 a=2 n=-1 stop=4 ");
  mt_json_clear(&json);
}

/* A vocabulary's worth of members, in no order, each found again. */
static void
test_many_members(void)
{
  enum { N = 60000 };
  g_autoptr(GString) text = g_string_new("{");
  for (guint i = 0; i < N; i++)
    g_string_append_printf(text, "%s\"%x\": %u", i ? ", " : "", i * 2654435761u, i);
  g_string_append_c(text, '}');
  mt_json json;
  mt_error error;
  g_assert_true(parse(&json, text->str, (gssize) text->len, &error));
  g_assert_cmpuint(mt_json_length(json.root), ==, N);
  for (guint i = 0; i < N; i++) {
    char key[16];
    g_snprintf(key, sizeof key, "%x", i * 2654435761u);
    g_assert_cmpint(mt_json_integer(mt_json_get(&json, key)), ==, i);
  }
  g_assert_null(mt_json_get(&json, "no such key"));
  mt_json_clear(&json);
}

TESTS()
{
  g_test_add_func("/json/large", test_large);
  g_test_add_func("/json/strings", test_strings);
  g_test_add_func("/json/numbers", test_numbers);
  g_test_add_func("/json/refused", test_refused);
  g_test_add_func("/json/cut-off", test_cut_off);
  g_test_add_func("/json/limits", test_limits);
  g_test_add_func("/json/members", test_members);
  g_test_add_func("/json/many-members", test_many_members);
}

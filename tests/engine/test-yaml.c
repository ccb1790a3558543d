/* test-yaml.c — flat YAML: what is read from it, and what is refused with which message.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-yaml.h"
#include "suite.h"

#include <glib.h>
#include <locale.h>
#include <mt.h>
#include <string.h>

static mt_yaml
parse(const char *text)
{
  mt_yaml yaml = {0};
  mt_error error = {0};
  if (!mt_yaml_parse(&yaml, "m/decoder.yml", text, strlen(text), &error))
    g_error("%s", error.message);
  return yaml;
}

static void
assert_text(const mt_yaml *yaml, const char *key, const char *expected)
{
  size_t i;
  g_assert_true(mt_yaml_find(yaml, key, &i));
  g_assert_cmpstr(mt_yaml_text(yaml, i), ==, expected);
  g_assert_cmpuint(yaml->entries[i].n_items, ==, 1);
  g_assert_cmpstr(mt_yaml_item(yaml, i, 0), ==, expected);
}

static void
refuse_bytes(const char *text, size_t n, const char *words)
{
  mt_yaml yaml = {0};
  mt_error error = {0};
  g_assert_false(mt_yaml_parse(&yaml, "m/decoder.yml", text, n, &error));
  g_test_message("%s", error.message);
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_true(g_str_has_prefix(error.message, "m/decoder.yml: "));
  g_assert_true(g_str_has_suffix(error.message, "."));
  if (!strstr(error.message, words))
    g_error("expected \"%s\" in \"%s\"", words, error.message);
  g_assert_null(yaml.entries);
  g_assert_null(yaml.label);
  g_assert_false(mt_yaml_parse(&yaml, "m/decoder.yml", text, n, NULL));
}

static void
refuse(const char *text, const char *words)
{
  refuse_bytes(text, strlen(text), words);
}

/* As OPUS-MT writes it. */
static void
test_decoder(void)
{
  mt_yaml yaml = parse("relative-paths: true\nmodels:\n  - a.npz\n  - \"b c.npz\"\n"
                       "vocabs: [x.yml, 'it''s.yml']\nbeam-size: 6\nnormalize: 0.6\n"
                       "word-penalty: 0\ntransformer-preprocess: \"\"\nnothing:\nnull-too: ~\n");
  bool relative = false;
  size_t beams = 1, i, absent = 5;
  double normalize = 0, none = 3;
  const char *pre = "n", *unsaid = "as it was";
  g_assert_true(mt_yaml_get_bool(&yaml, "relative-paths", &relative, NULL) && relative);
  g_assert_true(mt_yaml_get_size(&yaml, "beam-size", 1, 10, &beams, NULL));
  g_assert_cmpuint(beams, ==, 6);
  g_assert_true(mt_yaml_get_number(&yaml, "normalize", &normalize, NULL));
  g_assert_cmpfloat(normalize, ==, 0.6);
  g_assert_true(mt_yaml_get_string(&yaml, "transformer-preprocess", &pre, NULL));
  g_assert_cmpstr(pre, ==, "");
  g_assert_true(mt_yaml_get_string(&yaml, "nothing", &unsaid, NULL));
  g_assert_true(mt_yaml_get_string(&yaml, "null-too", &unsaid, NULL));
  g_assert_cmpstr(unsaid, ==, "as it was");
  g_assert_true(mt_yaml_get_size(&yaml, "absent", 1, 10, &absent, NULL));
  g_assert_true(mt_yaml_get_number(&yaml, "nothing", &none, NULL));
  g_assert_cmpuint(absent, ==, 5);
  g_assert_cmpfloat(none, ==, 3);

  g_assert_true(mt_yaml_find(&yaml, "models", &i));
  g_assert_null(mt_yaml_text(&yaml, i));
  g_assert_cmpuint(yaml.entries[i].n_items, ==, 2);
  g_assert_cmpstr(mt_yaml_item(&yaml, i, 0), ==, "a.npz");
  g_assert_cmpstr(mt_yaml_item(&yaml, i, 1), ==, "b c.npz");
  g_assert_true(mt_yaml_find(&yaml, "vocabs", &i));
  g_assert_cmpuint(yaml.entries[i].n_items, ==, 2);
  g_assert_cmpstr(mt_yaml_item(&yaml, i, 1), ==, "it's.yml");
  g_assert_cmpuint(yaml.n, ==, 9);
  g_assert_cmpstr(mt_yaml_key(&yaml, 8), ==, "null-too");
  mt_yaml_clear(&yaml);
  mt_yaml_clear(&yaml);
}

/* What vocabularies have for keys: every word is text, whatever else it could mean. */
static void
test_pieces(void)
{
  static const char *const pieces[] = {"</s>", "<unk>", ",",    ".",   "▁the", ":",
                                       "\"",   "'",     "~",    "yes", "no",   "null",
                                       "1e3",  "-",     "?",    "&",   "*x",   "\\",
                                       "#",    "",      "<<",   "%",   "@@",   "▁",
                                       "{",    "]",     "!x",   "|",   ">",    "`",
                                       "\t",   "a: b",  "x #y", " z",  "\x01", "\xf0\x9f\x98\x80"};
  g_autoptr(GString) text = g_string_new("");
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    g_string_append_c(text, '"');
    for (const char *at = pieces[i]; *at; at++) {
      if (*at == '"' || *at == '\\')
        g_string_append_c(text, '\\');
      if ((guchar) *at < 0x20)
        g_string_append_printf(text, "\\x%02x", (guint) *at);
      else
        g_string_append_c(text, *at);
    }
    g_string_append_printf(text, "\": %u\n", i);
  }
  mt_yaml yaml = parse(text->str);
  g_assert_cmpuint(yaml.n, ==, G_N_ELEMENTS(pieces));
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    size_t id = 0;
    g_assert_cmpstr(mt_yaml_key(&yaml, i), ==, pieces[i]);
    g_assert_true(mt_yaml_to_size(mt_yaml_text(&yaml, i), &id));
    g_assert_cmpuint(id, ==, i);
  }
  mt_yaml_clear(&yaml);

  yaml = parse("'it''s': 0\n': ': 1\nplain words: 2\n▁über: 3\n~: 4\nyes: 5\n\"\\N\": 6\n"
               "\"\\u2581x\": 7\n12: 8\n=: 9\n<<: 10\n");
  static const char *const keys[] = {"it's",     ": ", "plain words", "▁über", "~", "yes",
                                     "\xc2\x85", "▁x", "12",          "=",     "<<"};
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    g_assert_cmpstr(mt_yaml_key(&yaml, i), ==, keys[i]);
  mt_yaml_clear(&yaml);
}

/* As PyYAML writes them, which made the vocabularies of OPUS-MT: without quotes where it can, a key
 * of more than 128 letters on a line of its own, and all in braces before its version 5.1. */
static void
test_as_opus_mt(void)
{
  static const char *const pieces[] = {"?\"", "?(", "?!", "!", "'", "\xc2\xa0", "▁", "a\\"};
  g_autofree char *dots = g_strnfill(200, '.');
  char *forms[] = {
      g_strdup_printf(
          "?\": 0\n?(: 1\n?!: 2\n'!': 3\n'''': 4\n\"\\_\": 5\n▁: 6\na\\: 7\n? %s\n: 8\n\n", dots),
      g_strdup_printf("{'?\"': 0, '?(': 1, '?!': 2,\n  '!': 3, '''': 4, \"\\_\": 5, ▁: 6,\n  a\\: "
                      "7, ? %s\n  : 8}\n",
                      dots),
  };
  for (guint f = 0; f < G_N_ELEMENTS(forms); f++) {
    mt_yaml yaml = parse(forms[f]);
    g_assert_cmpuint(yaml.n, ==, G_N_ELEMENTS(pieces) + 1);
    for (guint i = 0; i <= G_N_ELEMENTS(pieces); i++) {
      size_t id = 0;
      g_assert_cmpstr(mt_yaml_key(&yaml, i), ==, i < G_N_ELEMENTS(pieces) ? pieces[i] : dots);
      g_assert_true(mt_yaml_to_size(mt_yaml_text(&yaml, i), &id));
      g_assert_cmpuint(id, ==, i);
    }
    mt_yaml_clear(&yaml);
    g_free(forms[f]);
  }
}

static void
test_structure(void)
{
  /* Nested values are left out, tags and further documents mean nothing, the last of a key wins. */
  mt_yaml yaml =
      parse("# first\n--- !model\na: 1\nb: {c: 2, d: [3, {e: 4}]}\nf: [1, [2], 3]\na: !!str 5\n"
            "g: []\n...\n---\nh: 6\n");
  size_t i;
  assert_text(&yaml, "a", "5");
  g_assert_cmpuint(yaml.n, ==, 3);
  g_assert_false(mt_yaml_find(&yaml, "b", &i));
  g_assert_false(mt_yaml_find(&yaml, "f", &i));
  g_assert_false(mt_yaml_find(&yaml, "h", &i));
  g_assert_true(mt_yaml_find(&yaml, "g", &i));
  g_assert_null(mt_yaml_text(&yaml, i));
  g_assert_cmpuint(yaml.entries[i].n_items, ==, 0);
  mt_yaml_clear(&yaml);

  yaml = parse("{}");
  g_assert_cmpuint(yaml.n, ==, 0);
  mt_yaml_clear(&yaml);
  yaml = parse("\xef\xbb\xbf"
               "a: 1"); /* a byte order mark */
  assert_text(&yaml, "a", "1");
  mt_yaml_clear(&yaml);
}

static void
test_syntax(void)
{
  refuse("", "expected lines \"key: value\", found nothing");
  refuse("# only a comment\n", "found nothing");
  refuse("word", "expected lines \"key: value\", found something else");
  refuse("- a\n- b\n", "found something else");
  refuse("a: [1, 2\n", "found an error in line");
  refuse("a: 1\n b: 2\n", "found an error in line 2");
  refuse("a: \"never ends\n", "found an error in line");
  refuse("a: \xff\xfe\n", "found an error in line 1 (invalid leading UTF-8 octet)");
  refuse("a: \x02\n", "control characters are not allowed");
  refuse_bytes("a: b\0c\n", 7, "control characters are not allowed");
  refuse("a: \"x\\0y\"\n", "expected text in line 1, found a NUL");
  refuse("? [a, b]\n: c\n", "expected a word as the key in line 1");
  refuse("{a: 1}: b\n", "found");
  /* In YAML 1.1 these two end a line, which a key must not; written as "\N" they are fine. */
  refuse("a: 1\n\"\xc2\x85\": 1\n", "found an error in line");
  refuse("a: 1\n\"\xe2\x80\xa8\": 1\n", "found an error in line");
}

static void
test_hostile(void)
{
  /* A document that holds itself, a billion laughs, and their pieces. */
  refuse("a: &x [*x]\n", "without anchors and aliases, found one in line 1");
  refuse("a: 1\nb: &x\n  c: *x\n", "found one in line 2");
  refuse("a: &x y\nb: *x\n", "found one in line 1");
  refuse("&x a: 1\n", "without anchors and aliases");
  refuse("&x {a: 1}\n", "without anchors and aliases");
  refuse("a: *x\n", "without anchors and aliases");
  refuse("a: {b: {c: &x d}}\n", "without anchors and aliases");
  refuse("a: &a [l,l,l,l,l]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n", "found one in line 1");

  g_autoptr(GString) deep = g_string_new("a: ");
  for (int i = 0; i < 100000; i++)
    g_string_append_c(deep, '[');
  refuse(deep->str, "nested at most 16 deep");
  g_string_assign(deep, "a: ");
  for (int i = 0; i < 100000; i++)
    g_string_append(deep, "{b: ");
  refuse(deep->str, "nested at most 16 deep");
  g_string_assign(deep, "");
  for (int i = 0; i < 1000; i++)
    g_string_append_printf(deep, "%*sa:\n", i, "");
  refuse(deep->str, "nested at most 16 deep");

  g_string_assign(deep, "a: [");
  for (int i = 0; i < 1000001; i++)
    g_string_append(deep, "1,");
  g_string_append(deep, "1]\n");
  refuse(deep->str, "expected at most 1000000 words, found more");
}

/* The error of a typed value. */
static void
assert_message(bool ok, const mt_error *error, const char *message)
{
  g_assert_false(ok);
  g_assert_cmpint(error->code, ==, MT_ERROR_FORMAT);
  g_assert_cmpstr(error->message, ==, message);
}

static void
test_types(void)
{
  mt_yaml yaml = parse("b: yes\nn: -1\nlarge: 99999999999999999999\nf: 0x10\nw: nan\nlist: [1]\n"
                       "e: 1e999\nok: -2.5e-1\nempty: ''\n");
  mt_error error = {0};
  bool b;
  size_t n = 7;
  double f = 7;
  const char *text;
  assert_message(mt_yaml_get_bool(&yaml, "b", &b, &error), &error,
                 "m/decoder.yml: expected b to be true or false, found \"yes\".");
  assert_message(mt_yaml_get_size(&yaml, "n", 1, 4, &n, &error), &error,
                 "m/decoder.yml: expected n to be a whole number from 1 to 4, found \"-1\".");
  assert_message(
      mt_yaml_get_size(&yaml, "large", 0, SIZE_MAX, &n, &error), &error,
      "m/decoder.yml: expected large to be a whole number from 0 to 18446744073709551615, "
      "found \"99999999999999999999\".");
  assert_message(mt_yaml_get_size(&yaml, "empty", 0, 4, &n, &error), &error,
                 "m/decoder.yml: expected empty to be a whole number from 0 to 4, found \"\".");
  assert_message(mt_yaml_get_number(&yaml, "f", &f, &error), &error,
                 "m/decoder.yml: expected f to be a number, found \"0x10\".");
  assert_message(mt_yaml_get_number(&yaml, "w", &f, &error), &error,
                 "m/decoder.yml: expected w to be a number, found \"nan\".");
  assert_message(mt_yaml_get_number(&yaml, "e", &f, &error), &error,
                 "m/decoder.yml: expected e to be a number, found \"1e999\".");
  assert_message(mt_yaml_get_string(&yaml, "list", &text, &error), &error,
                 "m/decoder.yml: expected list to be a word, found a list.");
  assert_message(mt_yaml_get_bool(&yaml, "list", &b, &error), &error,
                 "m/decoder.yml: expected list to be true or false, found a list.");
  g_assert_cmpuint(n, ==, 7);
  g_assert_cmpfloat(f, ==, 7);
  /* The point is a point in any language. */
  setlocale(LC_NUMERIC, "de_DE.UTF-8");
  g_assert_true(mt_yaml_get_number(&yaml, "ok", &f, NULL));
  g_assert_cmpfloat(f, ==, -0.25);
  setlocale(LC_NUMERIC, "C");
  mt_yaml_clear(&yaml);
}

TESTS()
{
  g_test_add_func("/yaml/decoder", test_decoder);
  g_test_add_func("/yaml/pieces", test_pieces);
  g_test_add_func("/yaml/as-opus-mt", test_as_opus_mt);
  g_test_add_func("/yaml/structure", test_structure);
  g_test_add_func("/yaml/syntax", test_syntax);
  g_test_add_func("/yaml/hostile", test_hostile);
  g_test_add_func("/yaml/types", test_types);
}

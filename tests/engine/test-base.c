/* test-base.c — the ground the engine stands on: messages, memory, UTF-8, JSON, number formats.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/mt-alloc.h"
#include "base/mt-dtype.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-json.h"
#include "suite.h"
#include "text/mt-tokens.h"

static void
test_error(void)
{
  mt_error error = {0};
  g_assert_false(mt_fail(NULL, MT_ERROR_IO, "nobody sees %d", 1));
  g_assert_false(mt_fail(&error, MT_ERROR_FORMAT, "%s: expected %d, found %s.", "a.json", 3, "4"));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_cmpstr(error.message, ==, "a.json: expected 3, found 4.");
  /* The old message may be part of the new one. */
  mt_fail(&error, MT_ERROR_IO, "Again: %s", error.message);
  g_assert_cmpstr(error.message, ==, "Again: a.json: expected 3, found 4.");
  /* One line of UTF-8, whatever is quoted. */
  mt_fail(&error, MT_ERROR_IO, "%s", "a\nb\x01\xff\xc3\x28ü\x7f");
  g_assert_cmpstr(error.message, ==,
                  "a?b??"
                  "?(ü?");
  mt_fail_no_memory(&error);
  g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);

  /* Cut between characters, at every phase of every length. */
  static const char *const characters[] = {"x", "ü", "€", "🙂"};
  for (gsize c = 0; c < G_N_ELEMENTS(characters); c++)
    for (gsize lead = 0; lead < 4; lead++) {
      g_autoptr(GString) text = g_string_new_len("....", (gssize) lead);
      while (text->len < 3 * sizeof error.message)
        g_string_append(text, characters[c]);
      mt_fail(&error, MT_ERROR_INPUT, "%s", text->str);
      g_assert_true(g_utf8_validate(error.message, -1, NULL));
      g_assert_cmpuint(strlen(error.message), >, sizeof error.message - 5);
      g_assert_true(g_str_has_prefix(text->str, error.message));
    }
}

static size_t refused_bytes;

static bool
refuse(size_t bytes)
{
  refused_bytes = bytes;
  return false;
}

static void
test_alloc(void)
{
  unsigned char *memory = mt_alloc(100, 3);
  for (int i = 0; i < 300; i++)
    g_assert_cmpuint(memory[i], ==, 0);
  memset(memory, 7, 300);
  memory = mt_realloc(memory, 200, 3);
  g_assert_cmpuint(memory[299], ==, 7);
  mt_free(memory);
  for (size_t n = 0; n < 200; n += 13) {
    memory = mt_alloc_aligned(n, 4);
    g_assert_nonnull(memory);
    g_assert_cmpuint((uintptr_t) memory % 64, ==, 0);
    for (size_t i = 0; i < 4 * n; i++)
      g_assert_cmpuint(memory[i], ==, 0);
    mt_free(memory);
  }
  void *none = mt_alloc(0, 8);
  g_assert_nonnull(none);
  mt_free(none);
  mt_free(NULL);
  g_assert_null(mt_alloc(SIZE_MAX / 2, 3));
  g_assert_null(mt_alloc(SIZE_MAX, 1));
  g_assert_null(mt_alloc_aligned(SIZE_MAX / 4 + 2, 4));
  g_assert_null(mt_alloc_aligned(PTRDIFF_MAX, 1));
  g_assert_null(mt_realloc(NULL, SIZE_MAX / 2, 3));
  char *copy = mt_strndup("abcdef", 3);
  g_assert_cmpstr(copy, ==, "abc");
  mt_free(copy);

  mt_alloc_set_hook(refuse);
  g_assert_null(mt_alloc(5, 7));
  g_assert_cmpuint(refused_bytes, ==, 35);
  g_assert_null(mt_alloc_aligned(5, 7));
  g_assert_null(mt_realloc(NULL, 5, 7));
  g_assert_null(mt_strdup("abc"));
  mt_alloc_set_hook(NULL);
}

/* Every code point and every pair of leading bytes, against GLib's. */
static void
test_utf8(void)
{
  for (guint32 c = 1; c < 0x110000; c++) {
    char text[4];
    /* Encoded by hand: GLib would not encode a surrogate. */
    int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    guint32 rest = c;
    for (int i = n - 1; i > 0; i--, rest >>= 6)
      text[i] = (char) (0x80 | (rest & 0x3f));
    text[0] = (char) (lead[n] | rest);
    bool surrogate = c >= 0xd800 && c <= 0xdfff;
    if (mt_utf8_length_at(text, (size_t) n) != (surrogate ? 0 : (size_t) n))
      g_error("U+%04X", c);
    if (n > 1 && mt_utf8_length_at(text, (size_t) n - 1) != 0)
      g_error("U+%04X cut off", c);
    /* Python's str.isspace has four more, of the separators of information. */
    if (!surrogate &&
        mt_utf8_is_space(text, (size_t) n) != (g_unichar_isspace(c) || c == 0x85 || c == 0x0b))
      g_error("U+%04X: space %d", c, mt_utf8_is_space(text, (size_t) n));
  }
  for (int a = 0; a < 256; a++)
    for (int b = 0; b < 256; b++)
      for (int c = 0x7f; c <= 0xc0; c += 0x41) {
        const char text[] = {(char) a, (char) b, (char) 0x80, (char) 0xbf, (char) c, 0};
        const char *end;
        size_t offset = 0;
        gsize n = a == 0 ? 0 : strlen(text);
        bool valid = mt_utf8_valid(text, n, &offset);
        g_assert_cmpint(valid, ==, g_utf8_validate(text, (gssize) n, &end));
        if (!valid)
          g_assert_cmpuint(offset, ==, (gsize) (end - text));
      }
}

static void
test_json(void)
{
  const char *text = "{\"n\": 3, \"x\": -2.5, \"t\": true, \"s\": \"a\\u00fc\", \"none\": null,\n"
                     " \"list\": [1, [2]], \"twice\": 1, \"twice\": 2}\n";
  mt_error error = {0};
  mt_json json = {0};
  g_assert_true(mt_json_parse(&json, "x.json", text, strlen(text), &error));
  size_t n = 7;
  g_assert_true(mt_json_get_size(&json, "n", 0, 3, &n, &error));
  g_assert_cmpuint(n, ==, 3);
  g_assert_true(mt_json_get_size(&json, "twice", 0, 3, &n, &error));
  g_assert_cmpuint(n, ==, 2);
  g_assert_true(mt_json_get_size(&json, "absent", 0, 3, &n, &error));
  g_assert_true(mt_json_get_size(&json, "none", 0, 3, &n, &error));
  g_assert_cmpuint(n, ==, 2);
  g_assert_true(mt_json_has_null(&json, "none"));
  g_assert_false(mt_json_has_null(&json, "absent"));
  g_assert_false(mt_json_get_size(&json, "n", 4, 9, &n, &error));
  g_assert_cmpstr(error.message, ==,
                  "x.json: expected n to be a whole number from 4 to 9, found the number 3.");
  double x = 0;
  g_assert_true(mt_json_get_number(&json, "x", &x, &error));
  g_assert_cmpfloat(x, ==, -2.5);
  g_assert_false(mt_json_get_number(&json, "s", &x, &error));
  g_assert_cmpfloat(x, ==, -2.5);
  bool t = false;
  g_assert_true(mt_json_get_bool(&json, "t", &t, &error));
  g_assert_true(t);
  g_assert_false(mt_json_get_bool(&json, "n", &t, &error));
  const char *s = NULL;
  g_assert_true(mt_json_get_string(&json, "s", &s, &error));
  g_assert_cmpstr(s, ==, "aü");
  g_assert_false(mt_json_get_string(&json, "list", &s, &error));
  g_assert_cmpstr(error.message, ==, "x.json: expected list to be a string, found a list.");
  g_assert_cmpuint(mt_json_length(mt_json_get(&json, "list")), ==, 2);
  mt_json_clear(&json);

  static const char *const bad[] = {
      "",
      " ",
      "{",
      "{\"a\": 1,}",
      "{\"a\": 01}",

      "{a: 1}",
      "{} x",

      "{\"a\" 1}",
      "nul",
      "3",
      "\"x\"",
      "{\"a\": \"\xc0\x80\"}",
      "/* c */ {}",
      "{\"a\": tru}",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    error = (mt_error){0};
    if (mt_json_parse(&json, "x.json", bad[i], strlen(bad[i]), &error))
      g_error("accepted: %s", bad[i]);
    g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    g_assert_true(g_str_has_prefix(error.message, "x.json: "));
  }
}

/* What F16 bits mean, from the definition. */
static double
half_value(unsigned bits)
{
  int exponent = (int) (bits >> 10 & 31);
  double fraction = (double) (bits & 1023) / 1024;
  double magnitude = exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14);
  return bits >> 15 ? -magnitude : magnitude;
}

/* binary64: rounded to the nearest; what no float can hold is not finite. */
static void
test_dtype_f64(void)
{
  static const struct {
    double value;
    float expected;
    bool finite;
  } rows[] = {
      {0.0, 0.0f, true},
      {-0.0, -0.0f, true},
      {0.1, 0.1f, true},
      {1.0 + 0x1p-24, 1.0f, true},
      {1.0 + 0x1.8p-24, 1.0f + 0x1p-23f, true},
      {1e-300, 0.0f, true},
      {-0x1p-149, -0x1p-149f, true},
      {(double) FLT_MAX, FLT_MAX, true},
      {1e39, INFINITY, false},
      {-1e39, -INFINITY, false},
      {(double) INFINITY, INFINITY, false},
      {(double) NAN, NAN, false},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    for (gsize shift = 0; shift < 2; shift++) {
      unsigned char raw[3 * 8 + 1] = {0};
      float out[3] = {1, 1, 1};
      memcpy(raw + shift + 8, &rows[i].value, 8);
      g_assert_cmpint(mt_dtype_to_float(MT_DTYPE_F64, raw + shift, out, 3), ==, rows[i].finite);
      g_assert_true(out[0] == 0 && out[2] == 0);
      if (!isnan(rows[i].expected))
        g_assert_cmpint(memcmp(&out[1], &rows[i].expected, 4), ==, 0);
    }
  g_assert_cmpuint(mt_dtype_size(MT_DTYPE_F64), ==, 8);
}

/* All 65536 values of both 16-bit types, by both ways of converting, at odd addresses too. */
static void
test_dtype(void)
{
  unsigned char *raw = g_malloc(2 * 65536 + 1);
  g_autofree float *fast = g_new(float, 65536), *plain = g_new(float, 65536);
  for (int shift = 0; shift < 2; shift++) {
    for (unsigned i = 0; i < 65536; i++) {
      raw[shift + 2 * i] = (unsigned char) i;
      raw[shift + 2 * i + 1] = (unsigned char) (i >> 8);
    }
    g_assert_false(mt_dtype_to_float(MT_DTYPE_F16, raw + shift, fast, 65536));
    g_assert_false(mt_dtype_to_float_plain(MT_DTYPE_F16, raw + shift, plain, 65536));
    for (unsigned i = 0; i < 65536; i++) {
      bool finite = (i >> 10 & 31) != 31;
      if (finite) {
        g_assert_cmpfloat((double) fast[i], ==, half_value(i));
        g_assert_cmpint(memcmp(&fast[i], &plain[i], 4), ==, 0);
      }
      /* Alone, at every place of a vector, it must be found. */
      guint16 eight[13] = {0};
      float out[13];
      eight[i % 13] = (guint16) i;
      g_assert_cmpint(mt_dtype_to_float(MT_DTYPE_F16, eight, out, 13), ==, finite);
      g_assert_cmpint(mt_dtype_to_float_plain(MT_DTYPE_F16, eight, out, 13), ==, finite);
    }
    mt_dtype_to_float(MT_DTYPE_BF16, raw + shift, fast, 65536);
    for (guint32 i = 0; i < 65536; i++) {
      guint32 bits = i << 16;
      g_assert_cmpint(memcmp(&fast[i], &bits, 4), ==, 0);
      guint16 one = (guint16) i;
      float out;
      g_assert_cmpint(mt_dtype_to_float(MT_DTYPE_BF16, &one, &out, 1), ==, (i & 0x7f80) != 0x7f80);
    }
  }
  float values[100] = {0};
  g_assert_true(mt_dtype_all_finite(values, 100));
  for (int i = 0; i < 100; i++) {
    values[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
    g_assert_false(mt_dtype_all_finite(values, 100));
    values[i] = i % 2 ? 3.4e38f : -1e-45f;
  }
  g_assert_true(mt_dtype_all_finite(values, 100));
  g_assert_true(mt_dtype_all_finite(values, 0));
  g_free(raw);
}

static void
test_tokens(void)
{
  char text[] = "Ja.", piece[] = "▁Ja";
  mt_token items[] = {
      {.id = 5, .piece = piece, .begin = 0, .end = 2, .word = 0},
      {.id = 2, .piece = ".", .begin = 2, .end = 3, .word = 0},
      {.id = 0, .piece = "</s>", .begin = 3, .end = 3, .word = 1, .is_special = true},
  };
  mt_error error = {0};
  mt_tokens *tokens = mt_tokens_new(text, items, 3, &error);
  memset(text, 'x', sizeof text - 1);
  memset(piece, 'x', sizeof piece - 1);
  g_assert_cmpuint(mt_tokens_count(tokens), ==, 3);
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "Ja.");
  g_assert_cmpstr(mt_tokens_get(tokens, 0)->piece, ==, "▁Ja");
  g_assert_true(mt_tokens_get(tokens, 2)->is_special);
  g_assert_cmpint(mt_tokens_ids(tokens)[1], ==, 2);

  mt_tokens *input = mt_tokens_shift_right(tokens, 8000, "<pad>", &error);
  g_assert_true(mt_tokens_ref(tokens) == tokens);
  mt_tokens_unref(tokens);
  mt_tokens_unref(tokens);
  g_assert_cmpuint(mt_tokens_count(input), ==, 3);
  g_assert_cmpstr(mt_tokens_text(input), ==, "Ja.");
  g_assert_cmpstr(mt_tokens_get(input, 0)->piece, ==, "<pad>");
  g_assert_true(mt_tokens_get(input, 0)->is_special);
  g_assert_cmpint(mt_tokens_get(input, 0)->word, ==, 0);
  g_assert_cmpint(mt_tokens_get(input, 1)->word, ==, 1);
  g_assert_cmpint(mt_tokens_ids(input)[0], ==, 8000);
  g_assert_cmpint(mt_tokens_ids(input)[2], ==, 2);
  g_assert_cmpuint(mt_tokens_get(input, 2)->begin, ==, 2);
  g_assert_cmpstr(mt_tokens_unknown(input), ==, "");
  mt_tokens_unref(input);

  /* What the vocabulary lacks: each once, without white space around it, from text only. */
  const mt_token lacking[] = {
      {.id = 1, .piece = "<unk>", .begin = 0, .end = 2},
      {.id = 7, .piece = "a", .begin = 2, .end = 3},
      {.id = 1, .piece = "<unk>", .begin = 3, .end = 6},
      {.id = 1, .piece = "<unk>", .begin = 6, .end = 12},
      {.id = 1, .piece = "<unk>", .begin = 12, .end = 15},
      {.id = 1, .piece = "<unk>", .begin = 15, .end = 15},
  };
  tokens = mt_tokens_new("éa é é€ é", lacking, G_N_ELEMENTS(lacking), &error);
  g_assert_nonnull(tokens);
  g_assert_cmpstr(mt_tokens_unknown(tokens), ==, "é é€");
  g_assert_true(mt_token_is_unknown(mt_tokens_get(tokens, 5)));
  g_assert_false(mt_token_is_unknown(mt_tokens_get(tokens, 1)));
  mt_tokens_unref(tokens);

  tokens = mt_tokens_new("", NULL, 0, &error);
  g_assert_cmpuint(mt_tokens_count(tokens), ==, 0);
  mt_tokens_unref(tokens);
  mt_tokens_unref(NULL);
  items[1].end = 4;
  g_assert_null(mt_tokens_new("Ja.", items, 3, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  items[1].end = 1;
  g_assert_null(mt_tokens_new("Ja.", items, 3, &error));
  items[1] = items[0];
  items[1].piece = NULL;
  g_assert_null(mt_tokens_new("Ja.", items, 3, &error));
  items[1].piece = "x";
  mt_alloc_set_hook(refuse);
  g_assert_null(mt_tokens_new("Ja.", items, 3, &error));
  mt_alloc_set_hook(NULL);
  g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
}

TESTS()
{
  g_test_add_func("/base/error", test_error);
  g_test_add_func("/base/alloc", test_alloc);
  g_test_add_func("/base/utf8", test_utf8);
  g_test_add_func("/base/json", test_json);
  g_test_add_func("/base/dtype", test_dtype);
  g_test_add_func("/base/dtype-f64", test_dtype_f64);
  g_test_add_func("/base/tokens", test_tokens);
}

/* test-npy.c — NumPy arrays: what they hold, and every way in which a header can lie.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-npz.h"
#include "suite.h"

#include "npz-build.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Parse from memory of exactly that size, so that AddressSanitizer sees a byte too many. */
static bool
parse(GBytes *bytes, mt_npy *npy, char **copy, mt_error *error)
{
  gsize size;
  const void *data = g_bytes_get_data(bytes, &size);
  g_free(*copy);
  *copy = g_memdup2(data, size);
  *error = (mt_error){0};
  return mt_npy_parse((const unsigned char *) *copy, size, "a.npz/x.npy", npy, error);
}

static void
test_types(void)
{
  static const struct {
    const char *descr;
    mt_npy_type type;
    gsize item_size;
  } types[] = {{"<f2", MT_NPY_FLOAT, 2},   {"<f4", MT_NPY_FLOAT, 4}, {"<f8", MT_NPY_FLOAT, 8},
               {"<i1", MT_NPY_INT, 1},     {"|i1", MT_NPY_INT, 1},   {"<i2", MT_NPY_INT, 2},
               {"<i4", MT_NPY_INT, 4},     {"<i8", MT_NPY_INT, 8},   {"|u1", MT_NPY_UINT, 1},
               {"<u8", MT_NPY_UINT, 8},    {"|b1", MT_NPY_BOOL, 1},  {">i1", MT_NPY_INT, 1},
               {"<U17", MT_NPY_STRING, 68}};
  char zeros[6 * 68] = {0};
  g_autofree char *copy = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
    mt_npy npy;
    mt_error error;
    gsize size = 6 * types[i].item_size;
    g_autoptr(GBytes) bytes = npy_bytes(types[i].descr, "(2, 3)", zeros, size);
    g_assert_true(parse(bytes, &npy, &copy, &error));
    g_assert_cmpint(npy.type, ==, types[i].type);
    g_assert_cmpuint(npy.item_size, ==, types[i].item_size);
    g_assert_cmpuint(npy.n_dims, ==, 2);
    g_assert_cmpuint(npy.shape[0], ==, 2);
    g_assert_cmpuint(npy.shape[1], ==, 3);
    g_assert_cmpuint(npy.n_elements, ==, 6);
    g_assert_cmpuint(npy.n_bytes, ==, size);
    g_assert_cmpstr(npy.descr, ==, types[i].descr);
    g_assert_false(npy.fortran_order);
  }
}

/* What is written is what NumPy writes, and what is read. */
static void
test_make_header(void)
{
  const gsize most[MT_NPY_MAX_DIMS] = {0,        SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                       SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  const gsize shape[] = {2, 3};
  char header[MT_NPY_HEADER_MAX];
  g_assert_cmpuint(mt_npy_make_header(header, "<f4", shape, 2, 0), ==, 128);
  static const char expected[] = "\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, "
                                 "'shape': (2, 3,), }";
  g_assert_cmpmem(header, sizeof expected - 1, expected, sizeof expected - 1);
  for (gsize i = sizeof expected - 1; i < 127; i++)
    g_assert_cmpint(header[i], ==, ' ');
  g_assert_cmpint(header[127], ==, '\n');

  for (gsize n = 0; n <= MT_NPY_MAX_DIMS; n++)
    for (gsize least = 0; least <= 257; least += 257) {
      mt_npy npy;
      mt_error error = {0};
      char value[4] = {0};
      gsize size = mt_npy_make_header(header, "<f4", most, n, least);
      g_assert_cmpuint(size % 64, ==, 0);
      g_assert_cmpuint(size, >=, least);
      g_autofree char *file = g_malloc(size + 4);
      memcpy(file, header, size);
      memcpy(file + size, value, 4);
      gsize data = n == 0 ? 4 : 0; /* none, where the first length is 0 */
      bool ok = mt_npy_parse((const unsigned char *) file, size + data, "x", &npy, &error);
      g_assert_true(ok || n > 2); /* the product of the others is too large */
      if (ok) {
        g_assert_cmpuint(npy.n_dims, ==, n);
        g_assert_cmpmem(npy.shape, n * sizeof *most, most, n * sizeof *most);
      }
    }
}

/* All versions, all ways to write the same dictionary. */
static void
test_headers(void)
{
  static const char *const headers[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }          \n",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
      "{\"shape\":(3,),\"fortran_order\":True,\"descr\":\"<f4\"}\n",
      "  { 'fortran_order' : False , 'descr' : '<f4' , 'shape' : ( 1 , 3 , ) , } ",
  };
  const float values[3] = {1, 2, 3};
  g_autofree char *copy = NULL;
  for (guint version = 1; version <= 3; version++)
    for (gsize i = 0; i < G_N_ELEMENTS(headers); i++) {
      mt_npy npy;
      mt_error error;
      float out[3];
      g_autoptr(GBytes) bytes = npy_bytes_raw(version, headers[i], values, sizeof values);
      g_assert_true(parse(bytes, &npy, &copy, &error));
      g_assert_true(mt_npy_to_float(&npy, 0, 3, out));
      g_assert_cmpmem(out, sizeof out, values, sizeof values);
    }
}

static void
test_scalar_and_empty(void)
{
  const gint64 n = -7;
  mt_npy npy;
  mt_error error;
  g_autofree char *copy = NULL;
  g_autoptr(GBytes) scalar = npy_bytes("<i8", "()", &n, sizeof n);
  g_assert_true(parse(scalar, &npy, &copy, &error));
  g_assert_cmpuint(npy.n_dims, ==, 0);
  g_assert_cmpuint(npy.n_elements, ==, 1);
  int64_t out;
  g_assert_true(mt_npy_to_int(&npy, 0, &out));
  g_assert_cmpint(out, ==, -7);

  g_autoptr(GBytes) empty = npy_bytes("<f4", "(0, 5)", NULL, 0);
  g_assert_true(parse(empty, &npy, &copy, &error));
  g_assert_cmpuint(npy.n_elements, ==, 0);
  g_autoptr(GBytes) deep = npy_bytes("|u1", "(1, 1, 1, 1, 1, 1, 1, 1)", "\xff", 1);
  g_assert_true(parse(deep, &npy, &copy, &error));
  g_assert_cmpuint(npy.n_dims, ==, 8);
  g_assert_true(mt_npy_to_int(&npy, 0, &out));
  g_assert_cmpint(out, ==, 255);
}

static void
test_numbers(void)
{
  mt_npy npy;
  mt_error error;
  float out[3];
  int64_t n;
  g_autofree char *copy = NULL;
  const guint16 halves[3] = {0x3c00, 0x3555, 0x8001}; /* 1, 0.33325195, -2^-24 */
  g_autoptr(GBytes) f2 = npy_bytes("<f2", "(3,)", halves, sizeof halves);
  g_assert_true(parse(f2, &npy, &copy, &error));
  g_assert_true(mt_npy_to_float(&npy, 0, 3, out));
  g_assert_cmpfloat(out[0], ==, 1);
  g_assert_cmpfloat(out[1], ==, 0.333251953125f);
  g_assert_cmpfloat(out[2], ==, -0x1p-24f);

  const double doubles[3] = {0.1, -2.5, 1e-320};
  g_autoptr(GBytes) f8 = npy_bytes("<f8", "(3,)", doubles, sizeof doubles);
  g_assert_true(parse(f8, &npy, &copy, &error));
  g_assert_true(mt_npy_to_float(&npy, 1, 2, out));
  g_assert_cmpfloat(out[0], ==, -2.5f);
  g_assert_cmpfloat(out[1], ==, 0);

  /* What is no finite float. */
  const double wild[] = {NAN, INFINITY, -INFINITY, 1e300, -3.5e38};
  for (gsize i = 0; i < G_N_ELEMENTS(wild); i++) {
    const double pair[2] = {0.5, wild[i]};
    g_autoptr(GBytes) bytes = npy_bytes("<f8", "(2,)", pair, sizeof pair);
    g_assert_true(parse(bytes, &npy, &copy, &error));
    g_assert_true(mt_npy_to_float(&npy, 0, 1, out));
    g_assert_false(mt_npy_to_float(&npy, 0, 2, out));
  }

  const gint8 small[3] = {-128, -1, 127};
  g_autoptr(GBytes) i1 = npy_bytes("|i1", "(3,)", small, sizeof small);
  g_assert_true(parse(i1, &npy, &copy, &error));
  for (gsize i = 0; i < 3; i++) {
    g_assert_true(mt_npy_to_int(&npy, i, &n));
    g_assert_cmpint(n, ==, small[i]);
  }
  const guint64 huge[2] = {G_MAXINT64, G_MAXUINT64};
  g_autoptr(GBytes) u8 = npy_bytes("<u8", "(2,)", huge, sizeof huge);
  g_assert_true(parse(u8, &npy, &copy, &error));
  g_assert_true(mt_npy_to_int(&npy, 0, &n));
  g_assert_cmpint(n, ==, G_MAXINT64);
  g_assert_false(mt_npy_to_int(&npy, 1, &n));
}

/* numpy.asfortranarray(numpy.arange(24).reshape(2, 3, 4)): the elements come in C order. */
static void
test_fortran_order(void)
{
  float stored[24], out[24];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 3; b++)
      for (int c = 0; c < 4; c++)
        stored[a + 2 * (b + 3 * c)] = (float) ((a * 3 + b) * 4 + c);
  mt_npy npy;
  mt_error error;
  g_autofree char *copy = NULL;
  g_autoptr(GBytes) bytes =
      npy_bytes_raw(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4), }\n", stored,
                    sizeof stored);
  g_assert_true(parse(bytes, &npy, &copy, &error));
  g_assert_true(mt_npy_to_float(&npy, 0, 24, out));
  for (int i = 0; i < 24; i++)
    g_assert_cmpfloat(out[i], ==, (float) i);
  g_assert_true(mt_npy_to_float(&npy, 5, 2, out));
  g_assert_cmpfloat(out[1], ==, 6);
}

static void
test_strings(void)
{
  static const char *const words[] = {"▁Größe", "", "😀", "\x7f", "\uffff"};
  mt_npy npy;
  mt_error error;
  uint32_t code;
  g_autofree char *copy = NULL;
  g_autoptr(GBytes) bytes = npy_strings(words, G_N_ELEMENTS(words), 6);
  g_assert_true(parse(bytes, &npy, &copy, &error));
  g_autofree char *out = g_malloc(npy.item_size + 1);
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    g_assert_true(mt_npy_to_utf8(&npy, i, out, &code));
    g_assert_cmpstr(out, ==, words[i]);
  }
  /* As many bytes as there can be. */
  const guint32 wide[2] = {0x10ffff, 0x10ffff};
  g_autoptr(GBytes) largest = npy_bytes("<U2", "(1,)", wide, sizeof wide);
  g_assert_true(parse(largest, &npy, &copy, &error));
  g_autofree char *full = g_malloc(npy.item_size + 1);
  g_assert_true(mt_npy_to_utf8(&npy, 0, full, &code));
  g_assert_cmpuint(strlen(full), ==, 8);
  g_assert_true(g_utf8_validate(full, -1, NULL));

  static const guint32 broken[][2] = {
      {'a', 0xd800}, {0xdfff, 'a'}, {'a', 0x110000}, {G_MAXUINT32, 0}, {0, 'a'}};
  static const guint32 culprits[] = {0xd800, 0xdfff, 0x110000, G_MAXUINT32, 0};
  for (gsize i = 0; i < G_N_ELEMENTS(broken); i++) {
    g_autoptr(GBytes) bad = npy_bytes("<U2", "(1,)", broken[i], sizeof broken[i]);
    g_assert_true(parse(bad, &npy, &copy, &error));
    g_assert_false(mt_npy_to_utf8(&npy, 0, full, &code));
    g_assert_cmpuint(code, ==, culprits[i]);
  }
}

/* Cut off anywhere, and with a byte too many: refused, and nothing beyond the end is read. */
static void
test_truncation(void)
{
  const float values[6] = {0};
  mt_npy npy;
  mt_error error;
  g_autofree char *copy = NULL;
  for (guint version = 1; version <= 3; version++) {
    g_autoptr(GBytes) whole =
        npy_bytes_raw(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                      values, sizeof values);
    gsize size = g_bytes_get_size(whole);
    g_assert_true(parse(whole, &npy, &copy, &error));
    for (gsize n = 0; n < size; n++) {
      g_autoptr(GBytes) part = g_bytes_new_from_bytes(whole, 0, n);
      g_assert_false(parse(part, &npy, &copy, &error));
      g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
      g_assert_true(g_str_has_prefix(error.message, "a.npz/x.npy: expected "));
    }
  }
  const float more[7] = {0};
  g_autoptr(GBytes) longer = npy_bytes("<f4", "(2, 3)", more, sizeof more);
  g_assert_false(parse(longer, &npy, &copy, &error));
  g_assert_cmpstr(error.message, ==,
                  "a.npz/x.npy: expected 24 bytes for the shape (2,3) of '<f4', found 28.");
}

/* Every single byte of the header changed to some others: refused or read, never worse. */
static void
test_mutations(void)
{
  static const guchar others[] = {0,   1,   ' ', '\'', '(', ')',  ',',
                                  '-', '9', ':', '{',  '}', 0x80, 0xff};
  const float values[6] = {0};
  mt_npy npy;
  mt_error error;
  g_autofree char *copy = NULL;
  g_autoptr(GBytes) whole = npy_bytes("<f4", "(2, 3)", values, sizeof values);
  gsize size;
  const guchar *data = g_bytes_get_data(whole, &size);
  guint n_refused = 0;
  for (gsize at = 0; at < size - sizeof values; at++)
    for (gsize k = 0; k < sizeof others; k++) {
      g_autofree guchar *changed = g_memdup2(data, size);
      changed[at] = others[k];
      g_autoptr(GBytes) bytes = g_bytes_new(changed, size);
      if (parse(bytes, &npy, &copy, &error))
        g_assert_cmpuint(npy.n_bytes, ==, npy.n_elements * npy.item_size);
      else {
        n_refused++;
        g_assert_true(g_utf8_validate(error.message, -1, NULL));
      }
    }
  g_assert_cmpuint(n_refused, >, 700);
}

static void
test_refused(void)
{
#define HEADER "expected a header with 'descr', 'fortran_order' and a 'shape' of at most 8 lengths"
#define TYPE   "expected a type such as '<f4', '<i8' or '<U17', found "
  static const struct {
    const char *header, *message;
    mt_error_code code;
  } cases[] = {
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
       "expected numbers or text, found pickled objects ('|O'), which are not read.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': [('a', '<f4'), ('b', '|O')], 'fortran_order': False, 'shape': (1,), }",
       "expected an array of one type, found records of several.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }",
       "expected little-endian elements, found the big-endian type '>f4'.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '>U3', 'fortran_order': False, 'shape': (1,), }",
       "found the big-endian type '>U3'.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '|S5', 'fortran_order': False, 'shape': (1,), }", TYPE "'|S5'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", TYPE "'|V2'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", TYPE "'<c8'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }", TYPE "'<f3'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '<f1', 'fortran_order': False, 'shape': (1,), }", TYPE "'<f1'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '=f4', 'fortran_order': False, 'shape': (1,), }", TYPE "'=f4'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': 'f4', 'fortran_order': False, 'shape': (1,), }", TYPE "'f4'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '', 'fortran_order': False, 'shape': (1,), }", TYPE "''.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '>', 'fortran_order': False, 'shape': (1,), }", TYPE "'>'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '<U', 'fortran_order': False, 'shape': (1,), }", TYPE "'<U'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '<U0', 'fortran_order': False, 'shape': (9999999999999999,), }", TYPE "'<U0'.",
       MT_ERROR_UNSUPPORTED},
      {"{'descr': '<U99999999999999999999', 'fortran_order': False, 'shape': (1,), }",
       TYPE "'<U99999999999999999999'.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '<U4611686018427387904', 'fortran_order': False, 'shape': (1,), }",
       TYPE "'<U4611686018427387904'.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '<U4611686018427387', 'fortran_order': False, 'shape': (1,), }",
       TYPE "'<U4611686018427387'.", MT_ERROR_UNSUPPORTED},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
       "expected 4 bytes of elements, found the shape (4294967296,4294967296) of '<f4', which "
       "needs more than there can be.",
       MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 1), }",
       "which needs more than there can be.", MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0), }",
       "which needs more than there can be.", MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000,), }",
       "expected 4000000 bytes for the shape (1000000,) of '<f4', found 4.", MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }",
       "expected 0 bytes for the shape (0,) of '<f4', found 4.", MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }", HEADER,
       MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,), }", HEADER,
       MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1 1), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,,), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (,), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [1], }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", HEADER,
       MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,), }", HEADER,
       MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } + x", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': '<f4\", 'fortran_order': False, 'shape': (1,), }", HEADER, MT_ERROR_FORMAT},
      {"{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,), }",
       "found \"{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,), }\".",
       MT_ERROR_FORMAT},
      {"", HEADER, MT_ERROR_FORMAT},
      {"{", HEADER, MT_ERROR_FORMAT},
      {"{}", HEADER, MT_ERROR_FORMAT},
      {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((", HEADER,
       MT_ERROR_FORMAT},
  };
  const float one = 1;
  g_autofree char *copy = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_npy npy;
    mt_error error;
    g_test_message("%s", cases[i].header);
    g_autoptr(GBytes) bytes = npy_bytes_raw(1, cases[i].header, &one, sizeof one);
    g_assert_false(parse(bytes, &npy, &copy, &error));
    g_test_message("%s", error.message);
    g_assert_cmpint(error.code, ==, cases[i].code);
    g_assert_true(g_str_has_prefix(error.message, "a.npz/x.npy: expected "));
    g_assert_nonnull(strstr(error.message, cases[i].message));
  }
}

static void
test_prefix(void)
{
  static const struct {
    const char *bytes, *message;
    gsize size;
  } cases[] = {
      {"", "expected a NumPy array (.npy), found another file, or one that is cut off.", 0},
      {"\x93NUMPZ\x01\x00\x00\x00", "expected a NumPy array (.npy), found another file", 10},
      {"\x93NUMPY\x04\x00\x00\x00", "of the .npy format, found 4.0.", 10},
      {"\x93NUMPY\x01\x01\x00\x00", "of the .npy format, found 1.1.", 10},
      {"\x93NUMPY\x00\x00\x00\x00", "of the .npy format, found 0.0.", 10},
      {"\x93NUMPY\x01\x00\xff\xff", "found 65535 bytes promised in a file of 10.", 10},
      {"\x93NUMPY\x02\x00\xff\xff\xff\xff", "found 4294967295 bytes promised in a file of 12.", 12},
  };
  g_autofree char *copy = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_npy npy;
    mt_error error;
    g_autoptr(GBytes) bytes = g_bytes_new(cases[i].bytes, cases[i].size);
    g_assert_false(parse(bytes, &npy, &copy, &error));
    g_assert_nonnull(strstr(error.message, cases[i].message));
  }
  /* A header that is there, but longer than any that NumPy writes. */
  g_autofree char *spaces = g_strnfill(70000, ' ');
  g_autoptr(GBytes) bytes = npy_bytes_raw(2, spaces, NULL, 0);
  mt_npy npy;
  mt_error error;
  g_assert_false(parse(bytes, &npy, &copy, &error));
  g_assert_nonnull(strstr(error.message, "found 70000 bytes promised"));
}

/* ---- Archives ------------------------------------------------------------------------------ */

static mt_npz *
open_archive(const char *path, gsize limit, char **contents, mt_error *error)
{
  gsize size;
  g_assert_true(g_file_get_contents(path, contents, &size, NULL));
  *error = (mt_error){0};
  return mt_npz_open((const unsigned char *) *contents, size, limit, "a.npz", error);
}

static void
test_archive(void)
{
  const float values[2] = {1, 2};
  static const char *const words[] = {"a", "b"};
  g_autofree char *dir = g_dir_make_tmp("regard-npy-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(dir, "a.npz", NULL);
  g_autofree char *zeros = g_malloc0(40000);
  npz_build(path, (NpzEntry[]){{"values.npy", npy_bytes("<f4", "(2,)", values, sizeof values)},
                               {"words.npy", npy_strings(words, 2, 1), TRUE},
                               {"README", g_bytes_new_static("hello", 5)},
                               {".npy", g_bytes_new_static("hello", 5)},
                               {"zeros.npy", npy_bytes("<f4", "(10000,)", zeros, 40000), TRUE},
                               {"no.npy", g_bytes_new_static("hello", 5)},
                               {NULL}});
  g_autofree char *contents = NULL;
  mt_error error;
  mt_npz *npz = open_archive(path, 40100, &contents, &error);
  g_assert_nonnull(npz);
  g_assert_cmpuint(npz->n, ==, 4);
  g_assert_cmpstr(npz->arrays[0].name, ==, "values");
  g_assert_cmpstr(npz->arrays[1].label, ==, "a.npz/words.npy");
  size_t i = 99;
  g_assert_false(mt_npz_find(npz, "README", &i));
  g_assert_cmpuint(i, ==, 99);

  mt_npy npy;
  float out[2];
  g_assert_true(mt_npz_find(npz, "values", &i));
  g_assert_true(mt_npz_get(npz, i, &npy, &error));
  g_assert_true(mt_npy_to_float(&npy, 0, 2, out));
  g_assert_cmpfloat(out[1], ==, 2);
  /* Used where it lies. */
  g_assert_true((const char *) npy.data > contents);

  g_assert_true(mt_npz_find(npz, "words", &i));
  g_assert_true(mt_npz_get(npz, i, &npy, &error));
  g_assert_true(mt_npz_get(npz, i, &npy, &error));
  g_assert_cmpuint(npy.n_elements, ==, 2);
  /* Words and zeros together are too much, one after the other they are not. */
  size_t k;
  g_assert_true(mt_npz_find(npz, "zeros", &k));
  g_assert_false(mt_npz_get(npz, k, &npy, &error));
  g_assert_true(g_str_has_prefix(error.message, "a.npz/zeros.npy: expected at most 40100 bytes of "
                                                "compressed arrays, found one of "));
  mt_npz_drop(npz, i);
  g_assert_true(mt_npz_get(npz, k, &npy, &error));
  g_assert_cmpuint(npy.n_elements, ==, 10000);

  g_assert_true(mt_npz_find(npz, "no", &i));
  g_assert_false(mt_npz_get(npz, i, &npy, &error));
  g_assert_cmpstr(error.message, ==,
                  "a.npz/no.npy: expected a NumPy array (.npy), found another file, or one that is "
                  "cut off.");
  mt_npz_free(npz);

  g_remove(path);
  g_rmdir(dir);
}

TESTS()
{
  g_test_add_func("/npy/types", test_types);
  g_test_add_func("/npy/make-header", test_make_header);
  g_test_add_func("/npy/headers", test_headers);
  g_test_add_func("/npy/scalar-and-empty", test_scalar_and_empty);
  g_test_add_func("/npy/numbers", test_numbers);
  g_test_add_func("/npy/fortran-order", test_fortran_order);
  g_test_add_func("/npy/strings", test_strings);
  g_test_add_func("/npy/truncation", test_truncation);
  g_test_add_func("/npy/mutations", test_mutations);
  g_test_add_func("/npy/refused", test_refused);
  g_test_add_func("/npy/prefix", test_prefix);
  g_test_add_func("/npy/archive", test_archive);
}

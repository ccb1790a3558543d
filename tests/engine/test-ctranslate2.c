/* test-ctranslate2.c — the checkpoint format of CTranslate2: what is read, and files that nobody
 * should write.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "checkpoint/mt-ctranslate2.h"
#include "ctranslate2-writer.h"
#include "engine-test.h"
#include "model-dir.h"
#include "suite.h"

#include <string.h>

#define F MT_ERROR_FORMAT
#define U MT_ERROR_UNSUPPORTED

static const guint32 none[2] = {0, 0}, three[2] = {3, 0}, matrix[2] = {3, 2};
static const gint8 bytes[6] = {127, -127, 64, 0, -1, 5};
static const gint16 shorts[6] = {1024, -1024, 512, 0, -1, 5};
static const float floats[6] = {1, -2, 0.5F, 0, 3, 4}, scales[3] = {127, 2, 0.5F}, scale = 4;

typedef struct {
  model_dir *dir;
  mt_dir opened;
} folder;

static void
folder_clear(folder *f)
{
  mt_dir_close(&f->opened);
  model_dir_free(f->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(folder, folder_clear)

static void
folder_open(folder *f, const GByteArray *file)
{
  mt_error error = {0};
  f->dir = model_dir_new();
  f->opened = (mt_dir) MT_DIR_NONE;
  model_dir_write(f->dir, "model.bin", (const char *) file->data, (gssize) file->len);
  g_assert_true(mt_dir_open(&f->opened, f->dir->path, NULL, &error));
}

/* Every type, a matrix of each kind of whole numbers, settings and an alias. */
static GByteArray *
whole_file(guint32 version)
{
  static const guint16 halves[3] = {0x3c00, 0xc000, 0x3800}, upper[3] = {0x3f80, 0xc000, 0x3f00};
  const gint16 heads = 8;
  const gint8 on = 1;
  const gint32 start = -7;
  GByteArray *file = ct2_begin(version, "TransformerSpec", 7, 12);
  ct2_variable(file, "a/bias", three, CT2_F32, floats, 12);
  ct2_variable(file, "a/halves", three, CT2_F16, halves, 6);
  ct2_variable(file, "a/upper", three, CT2_BF16, upper, 6);
  ct2_variable(file, "b/weight", matrix, CT2_I8, bytes, 6);
  ct2_variable(file, "b/weight_scale", three, CT2_F32, scales, 12);
  ct2_variable(file, "c/weight", matrix, CT2_I16, shorts, 12);
  ct2_variable(file, "c/weight_scale", none, CT2_F32, &scale, 4);
  ct2_variable(file, "d/weight", matrix, CT2_I16, shorts, 12);
  ct2_variable(file, "e/word", three, CT2_I8, "<s>", 3);
  ct2_variable(file, "num_heads", none, CT2_I16, &heads, 2);
  ct2_variable(file, "pre_norm", none, CT2_I8, &on, 1);
  ct2_variable(file, "start", none, CT2_I32, &start, 4);
  ct2_number(file, 4, 2);
  ct2_string(file, "z/weight");
  ct2_string(file, "b/weight");
  ct2_string(file, "0/bias");
  ct2_string(file, "a/bias");
  return file;
}

static mt_container *
open_good(const folder *f)
{
  mt_error error = {0};
  mt_container *c = mt_container_open_as(&f->opened, "model.bin", &mt_format_ctranslate2, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(c);
  return c;
}

static gsize
find(const mt_container *c, const char *name)
{
  gsize i = 0;
  g_assert_true(mt_container_find(c, name, &i));
  return i;
}

static void
assert_values(mt_container *c, const char *name, const float *expected, gsize n)
{
  const gsize i = find(c, name);
  float values[6];
  g_assert_cmpuint(c->tensors[i].n_elements, ==, n);
  const void *data = c->format->data(c, i, NULL);
  g_assert_true(mt_dtype_to_float(c->tensors[i].dtype, data, values, n));
  for (gsize k = 0; k < n; k++)
    g_assert_cmpfloat(values[k], ==, expected[k]);
}

static void
test_read(const void *version)
{
  g_autoptr(GByteArray) file = whole_file((guint32) GPOINTER_TO_UINT(version));
  g_auto(folder) f;
  folder_open(&f, file);
  mt_container *c = open_good(&f);
  static const float halves[3] = {1, -2, 0.5F};
  float by_row[6], by_one[6], by_all[6];
  for (gsize i = 0; i < 6; i++) {
    by_row[i] = bytes[i] * (1 / scales[i / 2]);
    by_one[i] = shorts[i] * (1 / scale);
    by_all[i] = shorts[i] * (1 / 1000.0F);
  }
  g_assert_cmpstr(mt_ctranslate2_spec(c), ==, "TransformerSpec");
  g_assert_cmpuint(mt_ctranslate2_revision(c), ==, 7);
  g_assert_cmpuint(mt_ctranslate2_version(c), ==, GPOINTER_TO_UINT(version));
  g_assert_cmpuint(c->n_tensors, ==, 12);
  g_assert_cmpuint(c->file_bytes, ==, file->len);
  assert_values(c, "a/bias", floats, 3);
  assert_values(c, "a/halves", halves, 3);
  assert_values(c, "a/upper", halves, 3);
  assert_values(c, "b/weight", by_row, 6);
  assert_values(c, "c/weight", by_one, 6);
  assert_values(c, "d/weight", by_all, 6);
  /* What was dropped is there again. */
  c->format->drop(c, find(c, "b/weight"), 0, sizeof by_row);
  assert_values(c, "z/weight", by_row, 6);
  g_assert_cmpuint(find(c, "z/weight"), ==, find(c, "b/weight"));
  g_assert_cmpuint(find(c, "0/bias"), ==, find(c, "a/bias"));
  g_assert_cmpstr(c->tensors[find(c, "b/weight")].info.dtype, ==, "I8");
  g_assert_true(c->format->is_passing(c, find(c, "b/weight")));
  g_assert_false(c->format->is_mapped(c, find(c, "b/weight")));
  g_assert_true(c->format->is_mapped(c, find(c, "a/bias")));
  const char *type = NULL;
  g_assert_true(mt_ctranslate2_is_quantized(c, &type));
  g_assert_cmpstr(type, ==, "I8");

  double value = -1;
  gsize n = 0;
  g_assert_true(mt_ctranslate2_number(c, "num_heads", &value) && value == 8);
  g_assert_true(mt_ctranslate2_number(c, "pre_norm", &value) && value == 1);
  g_assert_true(mt_ctranslate2_number(c, "start", &value) && value == -7);
  g_assert_true(mt_ctranslate2_number(c, "c/weight_scale", &value) && value == 4);
  g_assert_false(mt_ctranslate2_number(c, "a/bias", &value));
  g_assert_false(mt_ctranslate2_number(c, "nothing", &value));
  const char *word = mt_ctranslate2_text(c, "e/word", &n);
  g_assert_cmpmem(word, n, "<s>", 3);
  g_assert_null(mt_ctranslate2_text(c, "a/bias", &n));
  mt_container_free(c);
}

static void
assert_bad(const GByteArray *file, mt_error_code code, const char *words)
{
  mt_error error = {0};
  g_auto(folder) f;
  folder_open(&f, file);
  g_assert_null(mt_container_open_as(&f.opened, "model.bin", &mt_format_ctranslate2, &error));
  g_assert_cmpint(error.code, ==, code);
  g_auto(GStrv) all = g_strsplit(words, "|", -1);
  for (guint i = 0; all[i]; i++)
    if (!strstr(error.message, all[i]))
      g_error("expected \"%s\" in \"%s\"", all[i], error.message);
}

/* Cut off anywhere it is an error that says so, and never more than was there is read. */
static void
test_cut_off(void)
{
  g_autoptr(GByteArray) file = whole_file(6);
  mt_error error = {0};
  g_auto(folder) f;
  folder_open(&f, file);
  for (guint n = 1; n < file->len; n++) {
    model_dir_truncate(f.dir, "model.bin", file->len - n);
    error = (mt_error){0};
    g_assert_null(mt_container_open_as(&f.opened, "model.bin", &mt_format_ctranslate2, &error));
    g_assert_cmpint(error.code, ==, F);
  }
}

typedef GByteArray *(*Maker)(void);

static GByteArray *
one_variable(const char *name, const guint32 shape[2], guint type, guint32 n_bytes)
{
  static const guint8 zeros[64];
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_variable(file, name, shape, type, zeros, MIN(n_bytes, sizeof zeros));
  ct2_number(file, 4, 0);
  return file;
}

static GByteArray *
version_3(void)
{
  return ct2_begin(3, "TransformerSpec", 3, 0);
}

static GByteArray *
version_of_nothing(void)
{
  return ct2_begin(0x5f5f5f5f, "x", 3, 0);
}

static GByteArray *
too_many(void)
{
  return ct2_begin(6, "TransformerSpec", 7, 0xffffffff);
}

static GByteArray *
too_many_aliases(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 0);
  ct2_number(file, 4, 0xffffffff);
  return file;
}

static GByteArray *
no_name(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_number(file, 2, 0);
  return file;
}

static GByteArray *
long_name(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  g_autofree char *name = g_strnfill(2000, 'x');
  ct2_string(file, name);
  return file;
}

static GByteArray *
name_with_nul(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_number(file, 2, 4);
  g_byte_array_append(file, (const guint8 *) "a\0b", 4);
  return file;
}

static GByteArray *
name_not_utf8(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_string(file, "a\xff");
  return file;
}

static GByteArray *
five_dimensions(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_string(file, "a");
  ct2_number(file, 1, 5);
  for (guint i = 0; i < 6; i++)
    ct2_number(file, 4, 1);
  return file;
}

static GByteArray *
huge(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_string(file, "a");
  ct2_number(file, 1, 3);
  for (guint i = 0; i < 3; i++)
    ct2_number(file, 4, 0xffffffff);
  return file;
}

static GByteArray *
unknown_type(void)
{
  return one_variable("a", three, 6, 12);
}

static GByteArray *
other_size(void)
{
  return one_variable("a", three, CT2_F32, 8);
}

static GByteArray *
twice(void)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 2);
  ct2_variable(file, "a", three, CT2_F32, floats, 12);
  ct2_variable(file, "a", three, CT2_F32, floats, 12);
  ct2_number(file, 4, 0);
  return file;
}

static GByteArray *
with_alias(const char *alias, const char *name)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 1);
  ct2_variable(file, "a", three, CT2_F32, floats, 12);
  ct2_number(file, 4, 1);
  ct2_string(file, alias);
  ct2_string(file, name);
  return file;
}

static GByteArray *
alias_of_nothing(void)
{
  return with_alias("b", "c");
}

static GByteArray *
alias_of_itself(void)
{
  return with_alias("b", "b");
}

static GByteArray *
alias_that_is_there(void)
{
  return with_alias("a", "a");
}

static GByteArray *
with_scales(const guint32 shape[2], guint type, const void *data, gsize n)
{
  GByteArray *file = ct2_begin(6, "TransformerSpec", 7, 2);
  ct2_variable(file, "a/weight", matrix, CT2_I8, bytes, 6);
  ct2_variable(file, "a/weight_scale", shape, type, data, n);
  ct2_number(file, 4, 0);
  return file;
}

static GByteArray *
two_scales(void)
{
  static const guint32 two[2] = {2, 0};
  return with_scales(two, CT2_F32, scales, 8);
}

static GByteArray *
scales_of_another_type(void)
{
  return with_scales(three, CT2_F16, scales, 6);
}

static GByteArray *
scale_0(void)
{
  static const float zero = 0;
  return with_scales(none, CT2_F32, &zero, 4);
}

static GByteArray *
scale_nan(void)
{
  static const guint32 nan = 0x7fc00000;
  return with_scales(none, CT2_F32, &nan, 4);
}

static GByteArray *
bytes_behind(void)
{
  GByteArray *file = one_variable("a", three, CT2_F32, 12);
  ct2_number(file, 1, 0);
  return file;
}

static GByteArray *
pointer_of_git(void)
{
  GByteArray *file = g_byte_array_new();
  static const char text[] = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
  g_byte_array_append(file, (const guint8 *) text, sizeof text - 1);
  return file;
}

static void
test_refused(void)
{
  static const struct {
    Maker make;
    mt_error_code code;
    const char *words;
  } rows[] = {
      {version_3, U, "/model.bin: expected|version 4 to 6, found 3|convert the model again"},
      {version_of_nothing, U, "another kind of file"},
      {too_many, F, "a number of variables of at most 20000, found 4294967295"},
      {too_many_aliases, F, "a number of aliases of at most 20000"},
      {no_name, F, "the name of a variable of 1 to 401 bytes|found 0"},
      {long_name, F, "found 2001"},
      {name_with_nul, F, "the name of a variable in UTF-8"},
      {name_not_utf8, F, "the name of a variable in UTF-8"},
      {five_dimensions, F, "\"a\" to have at most 4 dimensions, found 5"},
      {huge, F, "larger than any memory"},
      {unknown_type, U, "of type 0 to 5|found type 6"},
      {other_size, F, "expected 3 numbers of type F32 for tensor \"a\", found 8 bytes"},
      {twice, F, "expected each tensor once, found \"a\""},
      {alias_of_nothing, F, "expected tensor \"c\", for which \"b\" is another name"},
      {alias_of_itself, F, "expected tensor \"b\""},
      {alias_that_is_there, F, "expected each tensor once, found \"a\""},
      {two_scales, F, "\"a/weight_scale\" to be one float or 3|found 2 numbers of type F32"},
      {scales_of_another_type, F, "found 3 numbers of type F16"},
      {scale_0, F, "expected scales above 0 in \"a/weight_scale\", found 0"},
      {scale_nan, F, "found nan"},
      {bytes_behind, F, "expected the file to end after"},
      {pointer_of_git, F, "a Git LFS pointer"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GByteArray) file = rows[i].make();
    assert_bad(file, rows[i].code, rows[i].words);
  }
}

TESTS()
{
  for (guint version = 4; version <= 6; version++)
    suite_add(GUINT_TO_POINTER(version), test_read, "/ctranslate2/read/%u", version);
  g_test_add_func("/ctranslate2/cut-off", test_cut_off);
  g_test_add_func("/ctranslate2/refused", test_refused);
}

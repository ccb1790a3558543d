/* test-text-file.c — lines out of text, plain, gzip and xz: whole, damaged, cut off, endless.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "mt/train/text.h"
#include "small-dataset.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_text_file, mt_text_file_free)

static char *folder;

static char *
write_file(const char *name, const void *bytes, gsize n)
{
  char *path = g_build_filename(folder, name, NULL);
  /* Not g_file_set_contents: that waits for the disk. */
  FILE *file = fopen(path, "w");
  g_assert_nonnull(file);
  g_assert_cmpuint(fwrite(bytes, 1, n, file), ==, n);
  g_assert_cmpint(fclose(file), ==, 0);
  return path;
}

static GByteArray *
gzip(const void *bytes, gsize n)
{
  z_stream z = {0};
  g_assert_cmpint(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), ==, Z_OK);
  GByteArray *out = g_byte_array_new();
  g_byte_array_set_size(out, (guint) deflateBound(&z, n));
  z.next_in = (guchar *) bytes;
  z.avail_in = (guint) n;
  z.next_out = out->data;
  z.avail_out = out->len;
  g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size(out, (guint) z.total_out);
  deflateEnd(&z);
  return out;
}

static GByteArray *
xz(const void *bytes, gsize n)
{
  GByteArray *out = g_byte_array_new();
  gsize at = 0;
  g_byte_array_set_size(out, (guint) lzma_stream_buffer_bound(n));
  /* Preset 0 has the smallest dictionary, which a reader allocates again for each damaged file. */
  g_assert_cmpint(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, bytes, n, out->data, &at,
                                          out->len),
                  ==, LZMA_OK);
  g_byte_array_set_size(out, (guint) at);
  return out;
}

/* All lines with "|" between them and their end; NULL after an error. */
static char *
read_lines(const char *path, mt_error *error)
{
  g_autoptr(mt_text_file) file = mt_text_file_open(path, error);
  if (!file)
    return NULL;
  GString *all = g_string_new(NULL);
  bool ok = true, is_end = false;
  guint64 n = 0;
  while (ok && !is_end) {
    mt_text_line line;
    ok = mt_text_file_next(file, &line, &is_end, error);
    if (!ok || is_end)
      break;
    g_assert_cmpuint(line.number, ==, ++n);
    g_assert_cmpint(line.text[line.n], ==, '\0');
    g_string_append_len(all, line.text, (gssize) line.n);
    g_string_append(all, line.is_cut ? "…|" : "|");
  }
  if (ok && mt_text_file_size(file))
    g_assert_cmpuint(mt_text_file_position(file), ==, mt_text_file_size(file));
  return g_string_free(all, !ok);
}

static void
test_lines(void)
{
  static const struct {
    const char *text, *lines;
  } cases[] = {
      {"", ""},
      {"\n", "|"},
      {"one", "one|"},
      {"one\n", "one|"},
      {"one\r\ntwo\r\n\r\n", "one|two||"},
      {"one\n\ntwo", "one||two|"},
      {"\xef\xbb\xbfmark\n\xef\xbb\xbfnone", "mark|\xef\xbb\xbfnone|"},
      {"a\rb\n", "a\rb|"},
      {"\xff\xfe\n", "\xff\xfe|"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    for (int form = 0; form < 3; form++) {
      gsize n = strlen(cases[i].text);
      g_autoptr(GByteArray) bytes =
          form == 0 ? g_byte_array_new() : (form == 1 ? gzip : xz)(cases[i].text, n);
      if (form == 0)
        g_byte_array_append(bytes, (const guint8 *) cases[i].text, (guint) n);
      g_autofree char *path =
          write_file("text", bytes->len ? (char *) bytes->data : "", bytes->len);
      mt_error error = {0};
      g_autofree char *lines = read_lines(path, &error);
      g_assert_cmpstr(lines, ==, cases[i].lines);
    }
}

/* Bytes that do not repeat much, so that it spans many buffers. */
static char *
make_text(gsize n_lines, gsize *n)
{
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i < n_lines; i++)
    g_string_append_printf(text, "line %zu of many: %08x %08x\n", i, (guint) (i * 2654435761u),
                           (guint) (i * i * 40503u));
  *n = text->len;
  return g_string_free(text, FALSE);
}

static void
test_large(void)
{
  gsize n;
  g_autofree char *text = make_text(30000, &n);
  g_autofree char *expected = g_strdelimit(g_strdup(text), "\n", '|');
  GByteArray *(*const forms[])(const void *, gsize) = {gzip, xz};
  for (guint f = 0; f < G_N_ELEMENTS(forms); f++) {
    g_autoptr(GByteArray) bytes = forms[f](text, n);
    /* Two files joined are one: gzip's members, xz's streams. */
    g_autoptr(GByteArray) twice = forms[f](text, n);
    g_byte_array_append(twice, bytes->data, bytes->len);
    g_autofree char *path = write_file("large", bytes->data, bytes->len);
    g_autofree char *path_twice = write_file("twice", twice->data, twice->len);
    mt_error error = {0};
    g_autofree char *lines = read_lines(path, &error);
    g_assert_cmpstr(lines, ==, expected);
    g_autofree char *lines_twice = read_lines(path_twice, &error);
    g_autofree char *expected_twice = g_strconcat(expected, expected, NULL);
    g_assert_cmpstr(lines_twice, ==, expected_twice);
  }
}

static void
fails(const char *path, mt_error_code code, const char *words)
{
  mt_error error = {0};
  g_autofree char *lines = read_lines(path, &error);
  g_assert_null(lines);
  if (!strstr(error.message, words))
    g_error("expected \"%s\" in \"%s\"", words, error.message);
  g_assert_cmpint(error.code, ==, code);
}

/* Cut off anywhere behind the bytes that tell what it is, it is an error and never fewer lines. */
static void
test_cut(void)
{
  gsize n;
  g_autofree char *text = make_text(25, &n);
  g_autoptr(GByteArray) a = gzip(text, n);
  g_autoptr(GByteArray) b = xz(text, n);
  for (gsize i = 6; i < a->len; i++) {
    g_autofree char *path = write_file("cut.gz", a->data, i);
    fails(path, MT_ERROR_FORMAT, "cut off");
  }
  for (gsize i = 6; i < b->len; i++) {
    g_autofree char *path = write_file("cut.xz", b->data, i);
    fails(path, MT_ERROR_FORMAT, "cut off");
  }
}

/* A bit that flips is noticed, or means nothing: both have check sums, and gzip a few bits that
 * fill up a byte. */
static void
test_damage(void)
{
  gsize n;
  g_autofree char *text = make_text(25, &n);
  g_autofree char *expected = g_strdelimit(g_strdup(text), "\n", '|');
  g_autoptr(GByteArray) a = gzip(text, n);
  g_autoptr(GByteArray) b = xz(text, n);
  guint n_noticed = 0;
  for (gsize i = 10; i < a->len; i++) {
    a->data[i] ^= 0x10;
    g_autofree char *path = write_file("damaged.gz", a->data, a->len);
    a->data[i] ^= 0x10;
    mt_error error = {0};
    g_autofree char *lines = read_lines(path, &error);
    if (lines)
      g_assert_cmpstr(lines, ==, expected);
    else
      g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
    n_noticed += lines == NULL;
  }
  g_assert_cmpuint(n_noticed + 1, >=, a->len - 10);
  for (gsize i = 6; i < b->len; i++) {
    b->data[i] ^= 0x10;
    g_autofree char *path = write_file("damaged.xz", b->data, b->len);
    b->data[i] ^= 0x10;
    mt_error error = {0};
    g_autofree char *lines = read_lines(path, &error);
    g_assert_null(lines);
    g_assert_true(error.code == MT_ERROR_FORMAT || error.code == MT_ERROR_UNSUPPORTED);
  }
}

static void
test_more_behind(void)
{
  GByteArray *(*const forms[])(const void *, gsize) = {gzip, xz};
  for (guint f = 0; f < G_N_ELEMENTS(forms); f++) {
    g_autoptr(GByteArray) bytes = forms[f]("one\n", 4);
    gsize n = bytes->len;
    g_byte_array_append(bytes, (const guint8 *) "\0\0\0\0", 4);
    g_autofree char *padded = write_file("padded", bytes->data, bytes->len);
    mt_error error = {0};
    g_autofree char *lines = read_lines(padded, &error);
    g_assert_cmpstr(lines, ==, "one|");
    g_byte_array_set_size(bytes, (guint) n);
    g_byte_array_append(bytes, (const guint8 *) "some text or other", 18);
    g_autofree char *junk = write_file("junk", bytes->data, bytes->len);
    fails(junk, MT_ERROR_FORMAT, f == 0 ? "something else behind it" : "damaged");
  }
}

static void
test_others(void)
{
  g_autofree char *bzip2 = write_file("t.bz2", "BZh91AY&SY", 10);
  fails(bzip2, MT_ERROR_UNSUPPORTED, "bzip2");
  g_autofree char *zstd = write_file("t.zst", "\x28\xb5\x2f\xfd\x04\x00", 6);
  fails(zstd, MT_ERROR_UNSUPPORTED, "Zstandard");
  g_autofree char *zip = write_file("t.zip", "PK\3\4\0\0", 6);
  fails(zip, MT_ERROR_UNSUPPORTED, "zip");
  fails(folder, MT_ERROR_IO, "directory");
  g_autofree char *nothing = g_build_filename(folder, "nothing", NULL);
  fails(nothing, MT_ERROR_IO, "nothing: the file cannot be opened");
  /* A header that asks for a dictionary of 4 GiB: refused, not allocated. */
  lzma_options_lzma options;
  g_assert_false(lzma_lzma_preset(&options, 1));
  options.dict_size = 1u << 30;
  lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
  guint8 out[256];
  gsize at = 0;
  g_assert_cmpint(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, (const guint8 *) "x",
                                            1, out, &at, sizeof out),
                  ==, LZMA_OK);
  g_autofree char *greedy = write_file("greedy.xz", out, at);
  fails(greedy, MT_ERROR_UNSUPPORTED, "256 MiB");
}

/* A line without end is cut, at the same place however it is read, and the next one is whole. */
static void
test_endless(void)
{
  for (int extra = -1; extra <= 2; extra++) {
    gsize n = MT_TEXT_LINE_MAX + (gsize) extra;
    g_autofree char *text = g_malloc(n + 8);
    memset(text, 'x', n);
    memcpy(text + n, "\nnext\n", 6);
    g_autoptr(GByteArray) bytes = gzip(text, n + 6);
    g_autofree char *path = write_file("endless.gz", bytes->data, bytes->len);
    mt_error error = {0};
    g_autoptr(mt_text_file) file = mt_text_file_open(path, &error);
    mt_text_line line;
    bool is_end;
    g_assert_true(mt_text_file_next(file, &line, &is_end, &error));
    g_assert_cmpuint(line.n, ==, MIN(n, MT_TEXT_LINE_MAX));
    g_assert_cmpint(line.is_cut, ==, extra > 0);
    g_assert_true(mt_text_file_next(file, &line, &is_end, &error));
    g_assert_cmpstr(line.text, ==, "next");
    g_assert_false(line.is_cut);
    g_assert_true(mt_text_file_next(file, &line, &is_end, &error));
    g_assert_true(is_end);
  }
}

/* A device that never ends a line, and never ends. */
static void
test_device(void)
{
  mt_error error = {0};
  g_autoptr(mt_text_file) file = mt_text_file_open("/dev/zero", &error);
  mt_text_line line;
  bool is_end;
  g_assert_nonnull(file);
  g_assert_false(mt_text_file_next(file, &line, &is_end, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_FORMAT);
  g_assert_nonnull(strstr(error.message, "/dev/zero: expected text in lines"));
  g_assert_nonnull(strstr(error.message, "line 1"));
}

static gpointer
write_slowly(gpointer path)
{
  FILE *pipe = fopen(path, "w");
  for (const char *at = "a line\nanother\n"; *at; at++) {
    fputc(*at, pipe);
    fflush(pipe);
  }
  fclose(pipe);
  return NULL;
}

/* A pipe gives a byte at a time and has no size. */
static void
test_pipe(void)
{
  g_autofree char *path = g_build_filename(folder, "pipe", NULL);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  GThread *writer = g_thread_new("writer", write_slowly, path);
  mt_error error = {0};
  g_autofree char *lines = read_lines(path, &error);
  g_thread_join(writer);
  g_assert_cmpstr(lines, ==, "a line|another|");
}

static void
test_no_memory(void)
{
  gsize n;
  g_autofree char *text = g_strnfill(5000, 'x');
  for (int form = 0; form < 2; form++) {
    g_autoptr(GByteArray) bytes = form ? xz(text, 5000) : gzip(text, 5000);
    g_autofree char *path = write_file("memory", bytes->data, bytes->len);
    gboolean done = FALSE;
    for (n = 0; !done; n++) {
      mt_error error = {0};
      few_then_all_fail((gint) n);
      g_autofree char *lines = read_lines(path, &error);
      few_end();
      done = lines != NULL;
      if (!done)
        g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    }
    g_assert_cmpuint(n, >, 5);
  }
}

static void
run(gconstpointer test)
{
  folder = small_temporary();
  ((void (*)(void)) test)();
  small_remove(folder);
}

TESTS()
{
  static const struct {
    const char *name;
    void (*test)(void);
  } tests[] = {
      {"/text-file/lines", test_lines},
      {"/text-file/large", test_large},
      {"/text-file/cut", test_cut},
      {"/text-file/damage", test_damage},
      {"/text-file/more-behind", test_more_behind},
      {"/text-file/others", test_others},
      {"/text-file/endless", test_endless},
      {"/text-file/device", test_device},
      {"/text-file/pipe", test_pipe},
      {"/text-file/no-memory", test_no_memory},
  };
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add_data_func(tests[i].name, (gconstpointer) tests[i].test, run);
}

/* test-capture-refused.c — captures in files that are refused, each with the reason.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "capture-file.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
set_contents(const char *contents, gsize size)
{
  FILE *file = g_fopen(capture_file_path, "we");
  g_assert_cmpuint(fwrite(contents, 1, size, file), ==, size);
  g_assert_cmpint(fclose(file), ==, 0);
}

static void
test_missing(void)
{
#define NEEDED                                                                \
  "x.npz: expected attention weights: \"attentions\" (with \"tokens\"), or "  \
  "\"encoder_attentions\" (with \"source_tokens\"), \"decoder_attentions\", " \
  "\"cross_attentions\" (with \"output_tokens\"); found "
  BUILD({"weights.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"tokens.npy", npy_words(2, "a", "b")});
  assert_capture_refused(MT_ERROR_FORMAT, NEEDED "only the arrays weights, tokens.");
  BUILD({"readme.txt", g_bytes_new_static("hi", 2)});
  assert_capture_refused(MT_ERROR_FORMAT, NEEDED "no array.");
  set_contents("no zip", 6);
  assert_capture_refused(MT_ERROR_FORMAT,
                         "x.npz: expected a NumPy archive (.npz), found another file.");
  g_autoptr(GBytes) npy = npy_even_weights("(1, 1, 2, 2)", 4, 2);
  gsize size;
  const char *data = g_bytes_get_data(npy, &size);
  set_contents(data, size);
  assert_capture_refused(MT_ERROR_FORMAT, "found a single array (.npy).");
  set_contents("", 0);
  assert_capture_refused(MT_ERROR_FORMAT, "/x.npz: expected some content, found an empty file.");
  g_remove(capture_file_path);
  assert_capture_refused(MT_ERROR_IO, "/x.npz: expected this file, found nothing there.");
  g_assert_cmpint(g_mkdir(capture_file_path, 0700), ==, 0);
  assert_capture_refused(MT_ERROR_IO, "expected a regular file, found a directory.");
  g_rmdir(capture_file_path);
  g_assert_cmpint(mkfifo(capture_file_path, 0600), ==, 0);
  assert_capture_refused(MT_ERROR_IO, "expected a regular file, found a pipe.");
  g_remove(capture_file_path);
}

static void
test_shapes(void)
{
  static const struct {
    const char *name, *shape, *message;
    gsize n;
    mt_error_code code;
  } cases[] = {
      {"attentions", "(2, 2)", "or (layers, 1, heads, rows, columns), found (2,2).", 4,
       MT_ERROR_FORMAT},
      {"attentions", "(1, 2, 1, 2, 2)", "found (1,2,1,2,2).", 8, MT_ERROR_FORMAT},
      {"attentions", "()", "found ().", 1, MT_ERROR_FORMAT},
      {"attentions", "(1, 1, 2, 3)",
       "expected as many columns as rows in self-attention, found (1,1,2,3); if it is "
       "cross-attention, call it \"cross_attentions\".",
       6, MT_ERROR_FORMAT},
      {"attentions", "(0, 1, 2, 2)", "expected 1 to 512 layers, found 0.", 0, MT_ERROR_FORMAT},
      {"attentions", "(1, 0, 2, 2)", "expected 1 to 512 heads, found 0.", 0, MT_ERROR_FORMAT},
      {"attentions", "(1, 1, 0, 0)", "expected 1 to 4096 rows, found 0.", 0, MT_ERROR_FORMAT},
      {"attentions", "(513, 1, 1, 1)", "expected 1 to 512 layers, found 513.", 513,
       MT_ERROR_TOO_LONG},
      {"attentions", "(1, 513, 1, 1)", "expected 1 to 512 heads, found 513.", 513,
       MT_ERROR_TOO_LONG},
      {"cross_attentions", "(1, 1, 4097, 1)", "expected 1 to 4096 rows, found 4097.", 4097,
       MT_ERROR_TOO_LONG},
      {"cross_attentions", "(1, 1, 1, 4097)", "expected 1 to 4096 columns, found 4097.", 4097,
       MT_ERROR_TOO_LONG},
      {"attentions", "(1, 1, 4294967296, 4294967296)", "needs more than there can be", 0,
       MT_ERROR_FORMAT},
      {"attentions", "(1, 1, 2, 2)", "expected 16 bytes for the shape (1,1,2,2) of '<f4', found 4.",
       1, MT_ERROR_FORMAT},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *name = g_strconcat(cases[i].name, ".npy", NULL);
    BUILD({name, npy_even_weights(cases[i].shape, cases[i].n, 1)});
    assert_capture_refused(cases[i].code, cases[i].message);
  }
  /* Two kinds that do not fit together. */
  BUILD({"encoder_attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"cross_attentions.npy", npy_even_weights("(1, 1, 2, 3)", 6, 3)});
  assert_capture_refused(MT_ERROR_FORMAT,
                         "x.npz/cross_attentions.npy: expected 2 columns, as many as the "
                         "other attentions have source tokens, found 3.");
  BUILD({"decoder_attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"cross_attentions.npy", npy_even_weights("(1, 1, 3, 3)", 9, 3)});
  assert_capture_refused(MT_ERROR_FORMAT,
                         "expected 2 rows, as many as the other attentions have output "
                         "tokens, found 3.");
  BUILD({"encoder_attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)});
  assert_capture_refused(MT_ERROR_FORMAT,
                         "expected the attention of each kind once, found \"attentions\" "
                         "beside \"encoder_attentions\".");
}

static void
put(GByteArray *out, guint n_bytes, guint64 value)
{
  for (guint i = 0; i < n_bytes; i++, value >>= 8)
    g_byte_array_append(out, (const guint8[]){(guint8) value}, 1);
}

/* Headers of a zip entry that is stored, as PKWARE's APPNOTE 4.3.7 and 4.3.12 have them. */
static void
put_zip_header(GByteArray *out, gboolean central, const char *name, guint32 size)
{
  put(out, 4, central ? 0x02014b50 : 0x04034b50);
  if (central)
    put(out, 2, 20);
  put(out, 2, 20); /* version */
  put(out, 8, 0);  /* flags, stored, time, date */
  put(out, 4, 0);  /* check sum, of numbers that are not read */
  put(out, 4, size);
  put(out, 4, size);
  put(out, 2, strlen(name));
  put(out, 2, 0);
  if (central) {
    put(out, 8, 0);
    put(out, 8, 0); /* attributes; offset 0 */
    g_byte_array_set_size(out, out->len - 2);
  }
  g_byte_array_append(out, (const guint8 *) name, (guint) strlen(name));
}

/* An archive of one huge array of zeros that takes no room on the disk. */
static void
build_sparse(const char *descr, const char *shape, guint64 n_bytes)
{
  g_autoptr(GBytes) head = npy_bytes(descr, shape, NULL, 0);
  gsize n_head;
  const guint8 *data = g_bytes_get_data(head, &n_head);
  guint32 size = (guint32) (n_head + n_bytes);
  g_autoptr(GByteArray) out = g_byte_array_new(), end = g_byte_array_new();
  put_zip_header(out, FALSE, "attentions.npy", size);
  g_byte_array_append(out, data, (guint) n_head);
  put_zip_header(end, TRUE, "attentions.npy", size);
  guint n_central = end->len;
  put(end, 4, 0x06054b50);
  put(end, 4, 0);
  put(end, 2, 1);
  put(end, 2, 1);
  put(end, 4, n_central);
  put(end, 4, out->len + n_bytes);
  put(end, 2, 0);
  FILE *file = g_fopen(capture_file_path, "we");
  g_assert_cmpuint(fwrite(out->data, 1, out->len, file), ==, out->len);
  g_assert_cmpint(fseek(file, (long) n_bytes, SEEK_CUR), ==, 0);
  g_assert_cmpuint(fwrite(end->data, 1, end->len, file), ==, end->len);
  fclose(file);
}

/* Zeros compress to almost nothing: what they would become is refused before it is made. So is what
 * is really there, but too much. */
static void
test_bombs(void)
{
  gsize n = (gsize) 1 << 26;
  g_autofree char *zeros = g_malloc0(n);
  BUILD({"encoder_attentions.npy", npy_bytes("<f4", "(1, 1, 4096, 4096)", zeros, n), TRUE});
  assert_capture_refused(MT_ERROR_FORMAT, "x.npz: \"encoder_attentions.npy\" promises 671");
  BUILD({"encoder_attentions.npy", npy_bytes("<f4", "(1, 1, 4000, 4000)", zeros, 64000000), TRUE});
  mt_capture_unref(capture_file_read(NULL));

  build_sparse("<f2", "(9, 1, 4096, 4096)", G_GUINT64_CONSTANT(9) << 25);
  assert_capture_refused(
      MT_ERROR_TOO_LONG,
      "x.npz: expected at most 134217728 weights in all, found 150994944 or more.");
}

static void
test_arrays(void)
{
  static const float nan_weights[] = {0.5f, 0.5f, NAN, 1}, inf_weights[] = {0, 1, 1, INFINITY};
  static const double huge[] = {0, 1, 1e39, 1};
  static const gint32 ints[] = {1, 0, 0, 1}, firsts[] = {1, 0, 513}, wild_spans[] = {0, 2, 2, 9},
                      half_spans[] = {0, 1, 1, 2};
  static const gint64 large[] = {1, G_GINT64_CONSTANT(1) << 31};
  static const guint64 huge_ids[] = {1, G_MAXUINT64};
  static const guint32 surrogate[] = {'a', 0xd800}, inner_nul[] = {0, 'a', 'b', 0};
  g_autofree char *long_piece = g_strnfill(257, 'x');
  g_autofree char *long_text = g_strnfill(300000, 'x');
  const char *long_pieces[] = {"a", long_piece};
  const struct {
    NpzEntry entry;
    const char *message;
    mt_error_code code;
  } cases[] = {
      {{"attentions.npy", npy_bytes("<f4", "(1, 1, 2, 2)", nan_weights, 16)},
       "x.npz/attentions.npy: expected finite numbers, found NaN at [0, 0, 1, 0].",
       MT_ERROR_FORMAT},
      {{"attentions.npy", npy_bytes("<f4", "(1, 1, 2, 2)", inf_weights, 16)},
       "found infinity or a number beyond float32 at [0, 0, 1, 1].",
       MT_ERROR_FORMAT},
      {{"attentions.npy", npy_bytes("<f8", "(1, 1, 2, 2)", huge, 32)},
       "found infinity or a number beyond float32 at [0, 0, 1, 0].",
       MT_ERROR_FORMAT},
      {{"attentions.npy", npy_bytes("<i4", "(1, 1, 2, 2)", ints, 16)},
       "expected weights as '<f2', '<f4' or '<f8', found '<i4'.",
       MT_ERROR_FORMAT},
      {{"attentions.npy", npy_bytes("|O", "(1, 1, 2, 2)", ints, 16)},
       "found pickled objects ('|O'), which are not read.",
       MT_ERROR_UNSUPPORTED},
      {{"tokens.npy", npy_bytes("|O", "(2,)", ints, 16)},
       "x.npz/tokens.npy: expected numbers or text, found pickled objects ('|O')",
       MT_ERROR_UNSUPPORTED},
      {{"tokens.npy", npy_words(3, "a", "b", "c")},
       "x.npz/tokens.npy: expected text ('<U…') of shape (2,), one for each token, found '<U1' of "
       "shape (3,).",
       MT_ERROR_FORMAT},
      {{"tokens.npy", npy_bytes("<i4", "(2,)", ints, 8)},
       "expected text ('<U…') of shape (2,), one for each token, found '<i4' of shape (2,).",
       MT_ERROR_FORMAT},
      {{"tokens.npy", npy_bytes("<U1", "(2,)", surrogate, 8)},
       "expected Unicode text, found U+D800 in element 1, which is no character.",
       MT_ERROR_FORMAT},
      {{"tokens.npy", npy_bytes("<U2", "(2,)", inner_nul, 16)},
       "expected Unicode text, found U+0000 in element 0, which is no character.",
       MT_ERROR_FORMAT},
      {{"tokens.npy", npy_strings(long_pieces, 2, 257)},
       "expected tokens of at most 256 characters, found '<U257'.",
       MT_ERROR_TOO_LONG},
      {{"text.npy", npy_scalar_text(long_text)},
       "expected a text of at most 262144 characters, found 300000.",
       MT_ERROR_TOO_LONG},
      {{"text.npy", npy_words(2, "a", "b")},
       "expected one text ('<U…'), found '<U1' of shape (2,).",
       MT_ERROR_FORMAT},
      {{"meta.npy", npy_bytes("<i4", "()", ints, 4)},
       "x.npz/meta.npy: expected one text ('<U…'), found '<i4' of shape ().",
       MT_ERROR_FORMAT},
      {{"model.npy", npy_scalar_text(long_piece)},
       "expected a name of at most 256 bytes, found 257.",
       MT_ERROR_TOO_LONG},
      {{"kind.npy", npy_scalar_text("Encoder")},
       "x.npz/kind.npy: expected \"encoder\", \"decoder\" or \"cross\", found \"Encoder\".",
       MT_ERROR_FORMAT},
      {{"naming.npy", npy_scalar_text("")},
       "expected \"translation\", \"sequences\" or \"tokens\", found \"\".",
       MT_ERROR_FORMAT},
      {{"attention_precision.npy", npy_scalar_text("fp8")},
       "expected \"stored\", \"f16\", \"bf16\", \"bf16-all\", \"int8\" or \"int8-all\", found "
       "\"fp8\".",
       MT_ERROR_FORMAT},
      {{"translation_precision.npy", npy_scalar_text("unknown")},
       "found \"unknown\".",
       MT_ERROR_FORMAT},
      {{"kind.npy", npy_scalar_text("cross")},
       "x.npz: expected \"source_tokens\" and \"output_tokens\" for attention between two texts, "
       "found \"tokens\", which could be either.",
       MT_ERROR_FORMAT},
      {{"source_tokens.npy", npy_words(2, "a", "b")},
       "expected each list once, found \"tokens\" and \"source_tokens\".",
       MT_ERROR_FORMAT},
      {{"encoder_first.npy", npy_bytes("<i4", "(1,)", firsts, 4)},
       "/encoder_first.npy: expected two integers, of a layer and a head from 1, none beyond 512.",
       MT_ERROR_FORMAT},
      {{"encoder_first.npy", npy_bytes("<i4", "(2,)", firsts, 8)},
       "expected two integers, of a layer and a head",
       MT_ERROR_FORMAT},
      {{"encoder_first.npy", npy_bytes("<i4", "(2,)", firsts + 1, 8)},
       "none beyond 512.",
       MT_ERROR_FORMAT},
      {{"attention_window.npy", npy_bytes("<i4", "(2,)", ints, 8)},
       "expected one integer from 0",
       MT_ERROR_FORMAT},
      {{"attention_window.npy", npy_bytes("<f4", "()", ints, 4)},
       "/attention_window.npy: expected one integer from 0 to 2147483647.",
       MT_ERROR_FORMAT},
      {{"search_settings.npy", npy_scalar_text("{\"beam_size\": 1.5}")},
       "x.npz/search_settings.npy: \"beam_size\"",
       MT_ERROR_FORMAT},
      {{"interventions.npy", npy_scalar_text("encoder window 2\ncross 4.1 zer")},
       "x.npz/interventions.npy, line 2: expected a change such as \"window 2\", found \"zer\".",
       MT_ERROR_FORMAT},
      {{"interventions.npy", npy_words(2, "encoder window 2", "cross 4.1 scale 2")},
       "expected one text",
       MT_ERROR_FORMAT},
      {{"ids.npy", npy_bytes("<i8", "(2,)", large, 16)},
       "expected integers from -2147483648 to 2147483647, found 2147483648 in element 1.",
       MT_ERROR_FORMAT},
      {{"ids.npy", npy_bytes("<u8", "(2,)", huge_ids, 16)},
       "or more in element 1.",
       MT_ERROR_FORMAT},
      {{"words.npy", npy_bytes("<i4", "(4,)", ints, 16)},
       "expected integers of shape (2,), one for each token, found '<i4' of shape (4,).",
       MT_ERROR_FORMAT},
      {{"special.npy", npy_bytes("<f4", "(2,)", ints, 8)},
       "found '<f4' of shape (2,).",
       MT_ERROR_FORMAT},
      {{"spans.npy", npy_bytes("<i4", "(2, 2)", wild_spans, 16)},
       "x.npz/spans.npy: expected whole characters of a text of 3 bytes, found bytes 2 to 9 for "
       "token 1.",
       MT_ERROR_FORMAT},
      {{"spans.npy", npy_bytes("<i4", "(2, 2)", half_spans, 16)},
       "found bytes 0 to 1 for token 0.",
       MT_ERROR_FORMAT},
      {{"encoder_scores.npy", npy_bytes("<f4", "(1, 1, 2, 2)", nan_weights, 16)},
       "found NaN at [0, 0, 1, 0].",
       MT_ERROR_FORMAT},
      {{"encoder_scores.npy", npy_bytes("<f4", "(1, 1, 4)", nan_weights, 16)},
       "expected floats of shape (1,1,2,2), found '<f4' of shape (1,1,4).",
       MT_ERROR_FORMAT},
      {{"encoder_row_lse.npy", npy_even_weights("(1, 1, 3)", 3, 1)},
       "expected floats of shape (1,1,2), found '<f4' of shape (1,1,3).",
       MT_ERROR_FORMAT},
      {{"encoder_positions.npy", npy_even_weights("(3, 2)", 6, 1)},
       "expected floats of shape (2,2), found '<f4' of shape (3,2).",
       MT_ERROR_FORMAT},
      {{"encoder_positions.npy", npy_even_weights("(2, 4097)", 8194, 1)},
       "expected 1 to 4096 dimensions, found 4097.",
       MT_ERROR_TOO_LONG},
      {{"decoder_positions.npy", npy_even_weights("(2,)", 2, 1)},
       "expected floats of shape (tokens, dimensions), found '<f4' of shape (2,).",
       MT_ERROR_FORMAT},
      {{"logprobs.npy", npy_even_weights("(2,)", 2, 1)},
       "expected floats of shape (0,), found '<f4' of shape (2,).",
       MT_ERROR_FORMAT},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    NpzEntry entries[5] = {{"attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
                           {"tokens.npy", npy_words(2, "a", "b")},
                           {"text.npy", npy_scalar_text("äb")}};
    guint n = 3;
    for (guint k = 0; k < 3; k++)
      if (g_str_equal(entries[k].name, cases[i].entry.name)) {
        g_bytes_unref(entries[k].bytes);
        entries[k] = cases[i].entry;
        n = 0;
      }
    if (n)
      entries[n] = cases[i].entry;
    npz_build(capture_file_path, entries);
    assert_capture_refused(cases[i].code, cases[i].message);
  }
}

/* The same name twice, and a file that ends early, anywhere. */
static void
test_damage(void)
{
  BUILD({"attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"tokens.npy", npy_words(2, "a", "b")}, {"tokenz.npy", npy_words(2, "c", "d")});
  g_autofree char *contents = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(capture_file_path, &contents, &size, NULL));
  for (gsize n = 0; n < size; n += 1 + n / 64) {
    mt_error error = {0};
    set_contents(contents, n);
    g_assert_null(mt_capture_read_npz(capture_file_path, NULL, &error));
    g_assert_nonnull(strstr(error.message, "x.npz: "));
  }
  for (gsize i = 0; i + 6 < size; i++)
    if (memcmp(contents + i, "tokenz", 6) == 0)
      contents[i + 5] = 's';
  set_contents(contents, size);
  assert_capture_refused(MT_ERROR_FORMAT, "x.npz: expected ");
}

/* One bit of any member: of numbers, where it may give another good one, and of texts. */
static void
test_flipped_bits(void)
{
  static const char *const names[] = {"attentions.npy", "tokens.npy"};
  BUILD({"attentions.npy", npy_even_weights("(1, 1, 2, 2)", 4, 2)},
        {"tokens.npy", npy_words(2, "a", "b")});
  g_autofree char *contents = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(capture_file_path, &contents, &size, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *flipped = g_memdup2(contents, size);
    *npz_elements(flipped, size, names[i]) ^= 1;
    set_contents(flipped, size);
    g_autofree char *words =
        g_strdup_printf("x.npz: expected \"%s\" to have the check sum (CRC-32) ", names[i]);
    assert_capture_refused(MT_ERROR_FORMAT, words);
    /* In memory, as a session holds it. */
    mt_error error = {0};
    g_assert_null(mt_capture_parse_npz(flipped, size, "x.npz", NULL, &error));
    g_assert_true(g_str_has_prefix(error.message, words));
  }
}

static void
tear_down(void)
{
  capture_file_tear_down();
}

TESTS(.end = tear_down)
{
  capture_file_set_up();
  g_test_add_func("/capture-refused/missing", test_missing);
  g_test_add_func("/capture-refused/shapes", test_shapes);
  g_test_add_func("/capture-refused/bombs", test_bombs);
  g_test_add_func("/capture-refused/arrays", test_arrays);
  g_test_add_func("/capture-refused/damage", test_damage);
  g_test_add_func("/capture-refused/flipped-bits", test_flipped_bits);
}

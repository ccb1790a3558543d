/* test-capture-read.c — captures read from files: what we wrote comes back bit for bit, what others
 * wrote is understood or refused with the reason.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-alloc-test.h"

#include "hand-capture.h"
#include "npz-build.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static char *directory, *path;

/* ---- Helpers ------------------------------------------------------------------------------- */

static GBytes *
scalar_text(const char *text)
{
  g_autoptr(GBytes) list = npy_strings(&text, 1, (guint) MAX(g_utf8_strlen(text, -1), 1));
  gsize size, width = (gsize) MAX(g_utf8_strlen(text, -1), 1) * 4;
  const char *data = g_bytes_get_data(list, &size);
  g_autofree char *descr = g_strdup_printf("<U%zu", width / 4);
  return npy_bytes(descr, "()", data + size - width, width);
}

/* Float weights of a shape; every row is even, so that it sums to 1. */
static GBytes *
even_weights(const char *shape, gsize n, gsize n_cols)
{
  g_autofree float *values = g_new(float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = 1 / (float) n_cols;
  return npy_bytes("<f4", shape, values, n * sizeof *values);
}

static GBytes *
words(guint n, ...)
{
  const char *list[16];
  guint width = 1;
  va_list args;
  va_start(args, n);
  for (guint i = 0; i < n; i++) {
    list[i] = va_arg(args, const char *);
    width = MAX(width, (guint) g_utf8_strlen(list[i], -1));
  }
  va_end(args);
  return npy_strings(list, n, width);
}

static mt_capture *
read_ok(char **meta)
{
  mt_error error = {0};
  mt_capture *capture = mt_capture_read_npz(path, meta, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(capture);
  return capture;
}

static void
assert_refused(mt_error_code code, const char *message)
{
  mt_error error = {0};
  char *meta = (char *) "untouched";
  mt_capture *capture = mt_capture_read_npz(path, &meta, &error);
  g_test_message("%s", error.message);
  g_assert_null(capture);
  g_assert_cmpint(error.code, ==, code);
  g_assert_nonnull(strstr(error.message, message));
  g_assert_cmpstr(meta, ==, "untouched");
}

#define BUILD(...) npz_build(path, (NpzEntry[]){__VA_ARGS__, {NULL}})

static void
assert_same_floats(const float *a, const float *b, size_t n)
{
  g_assert_true((a == NULL) == (b == NULL));
  if (a)
    g_assert_cmpmem(a, n * sizeof *a, b, n * sizeof *b);
}

static void
assert_same_tokens(const mt_tokens *a, const mt_tokens *b)
{
  g_assert_true((a == NULL) == (b == NULL));
  if (!a)
    return;
  g_assert_cmpuint(mt_tokens_count(a), ==, mt_tokens_count(b));
  g_assert_cmpstr(mt_tokens_text(a), ==, mt_tokens_text(b));
  g_assert_cmpint(mt_tokens_word_mark(a), ==, mt_tokens_word_mark(b));
  for (size_t i = 0; i < mt_tokens_count(a); i++) {
    const mt_token *s = mt_tokens_get(a, i), *t = mt_tokens_get(b, i);
    g_assert_cmpint(s->id, ==, t->id);
    g_assert_cmpstr(s->piece, ==, t->piece);
    g_assert_cmpuint(s->begin, ==, t->begin);
    g_assert_cmpuint(s->end, ==, t->end);
    g_assert_cmpint(s->word, ==, t->word);
    g_assert_cmpint(s->is_special, ==, t->is_special);
  }
}

static void
assert_same_capture(const mt_capture *a, const mt_capture *b)
{
  assert_same_tokens(mt_capture_source(a), mt_capture_source(b));
  assert_same_tokens(mt_capture_decoder_input(a), mt_capture_decoder_input(b));
  assert_same_tokens(mt_capture_output(a), mt_capture_output(b));
  g_assert_cmpint(mt_capture_has_decoder_input(a), ==, mt_capture_has_decoder_input(b));
  g_assert_cmpint(mt_capture_has_output(a), ==, mt_capture_has_output(b));
  g_assert_cmpstr(mt_capture_model_name(a), ==, mt_capture_model_name(b));
  g_assert_cmpint(mt_capture_naming(a), ==, mt_capture_naming(b));
  g_assert_cmpint(mt_capture_has_scores(a), ==, mt_capture_has_scores(b));
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    size_t n_layers = mt_capture_n_layers(a, k), n_heads = mt_capture_n_heads(a, k);
    g_assert_cmpuint(n_layers, ==, mt_capture_n_layers(b, k));
    if (!n_layers)
      continue;
    g_assert_cmpuint(n_heads, ==, mt_capture_n_heads(b, k));
    for (size_t i = 0; i < n_layers * n_heads; i++) {
      size_t l = i / n_heads, h = i % n_heads;
      mt_matrix v = mt_capture_weights(a, k, l, h), w = mt_capture_weights(b, k, l, h);
      g_assert_cmpuint(v.rows, ==, w.rows);
      g_assert_cmpuint(v.cols, ==, w.cols);
      assert_same_floats(v.data, w.data, v.rows * v.cols);
      assert_same_floats(mt_capture_scores(a, k, l, h).data, mt_capture_scores(b, k, l, h).data,
                         v.rows * v.cols);
      for (size_t r = 0; r < v.rows; r++)
        for (size_t c = 0; c < v.cols; c++) {
          float s = mt_capture_score_at(a, k, l, h, r, c),
                t = mt_capture_score_at(b, k, l, h, r, c);
          g_assert_cmpmem(&s, sizeof s, &t, sizeof t);
          g_assert_cmpint(mt_capture_is_masked(a, k, r, c), ==, mt_capture_is_masked(b, k, r, c));
        }
    }
  }
  for (mt_stack s = 0; s < MT_N_STACKS; s++) {
    mt_matrix p = mt_capture_positions(a, s), q = mt_capture_positions(b, s);
    g_assert_cmpuint(p.cols, ==, q.cols);
    assert_same_floats(p.data, q.data, p.rows * p.cols);
    if (p.data)
      g_assert_cmpint(mt_capture_position_kind(a), ==, mt_capture_position_kind(b));
  }
  size_t n = mt_capture_output(a) ? mt_tokens_count(mt_capture_output(a)) : 0;
  assert_same_floats(mt_capture_logprobs(a), mt_capture_logprobs(b), n);
}

/* ---- What we wrote ------------------------------------------------------------------------- */

static void
check_round_trip(const mt_capture *capture, const char *meta)
{
  mt_error error = {0};
  char *read_meta;
  g_assert_true(mt_capture_write_npz(capture, path, meta, &error));
  mt_capture *read = read_ok(&read_meta);
  assert_same_capture(capture, read);
  g_assert_cmpstr(read_meta, ==, meta ? meta : "{}");
  g_assert_cmpstr(mt_capture_file_name(read), ==, "x.npz");
  g_assert_cmpstr(mt_capture_file_name(capture), ==, "");
  mt_string_free(read_meta);
  mt_capture_unref(read);
}

/* Everything a session captures, of the bundled model: German umlauts, words of several pieces. */
static void
test_session(void)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(REGARD_SOURCE_ROOT "/models/en-de", NULL, &error);
  mt_session *session = model ? mt_session_new(model, NULL, &error) : NULL;
  mt_translation *t =
      session ? mt_session_translate(session, "The 3 naïve dogs don’t bite, unbelievably.", NULL,
                                     NULL, &error)
              : NULL;
  g_assert_cmpstr(error.message, ==, "");
  for (unsigned flags = 0; flags <= MT_CAPTURE_SCORES; flags++) {
    mt_capture *capture = mt_session_capture(session, t, 0, flags, NULL, &error);
    g_assert_nonnull(capture);
    check_round_trip(capture, "{\"text\": \"ü 😀\"}");
    mt_capture_unref(capture);
  }
  mt_translation_unref(t);
  mt_session_free(session);
  mt_model_unref(model);
}

/* Only some kinds, each of another size; lists of which one is not known. */
static void
test_parts(void)
{
  mt_tokens *five = hand_tokens(5), *three = hand_tokens(3);
  const mt_capture_spec specs[] = {
      {.source = five, .n_layers = {2, 0, 0}, .n_heads = {3, 0, 0}, .naming = MT_NAMING_TOKENS},
      {.decoder_input = three,
       .n_layers = {0, 1, 0},
       .n_heads = {0, 4, 0},
       .naming = MT_NAMING_SEQUENCES,
       .model_name = "gpt"},
      {.source = five,
       .output = three,
       .n_layers = {0, 0, 3},
       .n_heads = {0, 0, 2},
       .flags = MT_CAPTURE_SCORES},
      {.source = five,
       .decoder_input = three,
       .output = three,
       .n_layers = {1, 2, 3},
       .n_heads = {3, 2, 1},
       .d_model = 6,
       .position_kind = MT_POSITIONS_SINUSOIDAL_INTERLEAVED},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(specs); i++) {
    mt_error error = {0};
    mt_capture *capture = mt_capture_new(&specs[i], &error);
    g_assert_cmpstr(error.message, ==, "");
    float next = 0;
    for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
      for (size_t l = 0; l < specs[i].n_layers[k]; l++)
        for (size_t h = 0; h < specs[i].n_heads[k]; h++) {
          mt_matrix m = mt_capture_weights(capture, k, l, h);
          for (size_t r = 0; r < m.rows; r++)
            for (size_t c = 0; c < m.cols; c++)
              if (!mt_capture_is_masked(capture, k, r, c))
                mt_capture_fill_weights(capture, k, l, h)[r * m.cols + c] = next += 0.01f;
        }
    check_round_trip(capture, NULL);
    mt_capture_unref(capture);
  }
  mt_tokens_unref(five);
  mt_tokens_unref(three);
}

/* ---- What others wrote --------------------------------------------------------------------- */

static void
test_attentions_and_tokens(void)
{
  BUILD({"attentions.npy", even_weights("(2, 3, 4, 4)", 96, 4)},
        {"tokens.npy", words(4, "[CLS]", "play", "##ing", "[SEP]")});
  char *meta = (char *) "?";
  mt_capture *c = read_ok(&meta);
  g_assert_null(meta);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_ENCODER_SELF), ==, 2);
  g_assert_cmpuint(mt_capture_n_heads(c, MT_ENCODER_SELF), ==, 3);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_DECODER_SELF), ==, 0);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_CROSS), ==, 0);
  g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_TOKENS);
  g_assert_null(mt_capture_output(c));
  g_assert_null(mt_capture_logprobs(c));
  g_assert_null(mt_capture_positions(c, MT_STACK_ENCODER).data);
  g_assert_true(isnan(mt_capture_score_at(c, MT_ENCODER_SELF, 0, 0, 1, 1)));
  const mt_tokens *tokens = mt_capture_source(c);
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "playing");
  g_assert_cmpint(mt_tokens_word_mark(tokens), ==, MT_WORD_MARK_HASHES);
  g_assert_true(mt_tokens_get(tokens, 0)->is_special);
  g_assert_cmpint(mt_tokens_get(tokens, 0)->id, ==, -1);
  g_assert_cmpint(mt_tokens_get(tokens, 1)->word, ==, 1);
  g_assert_cmpint(mt_tokens_get(tokens, 2)->word, ==, 1);
  g_assert_cmpuint(mt_tokens_get(tokens, 2)->begin, ==, 4);
  g_assert_cmpuint(mt_tokens_get(tokens, 2)->end, ==, 7);
  g_assert_cmpint(mt_tokens_get(tokens, 3)->word, ==, 2);
  mt_capture_unref(c);
}

/* A decoder alone: causal if it looks so, and shown whole if not. */
static void
test_decoder_alone(void)
{
  float weights[9] = {1, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0.25f, 0.5f};
  for (int causal = 1; causal >= 0; causal--) {
    weights[2] = causal ? 0 : 0.125f;
    BUILD({"attentions.npy", npy_bytes("<f4", "(1, 1, 3, 3)", weights, sizeof weights)},
          {"kind.npy", scalar_text("decoder")},
          {"tokens.npy", words(3, "<|endoftext|>", "Two", "Ġdogs")});
    mt_capture *c = read_ok(NULL);
    g_assert_cmpuint(mt_capture_n_layers(c, MT_DECODER_SELF), ==, 1);
    g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_SEQUENCES);
    g_assert_cmpint(mt_capture_is_masked(c, MT_DECODER_SELF, 0, 2), ==, causal);
    g_assert_true(mt_capture_has_decoder_input(c));
    g_assert_false(mt_capture_has_output(c));
    g_assert_cmpstr(mt_tokens_text(mt_capture_decoder_input(c)), ==, "Two dogs");
    g_assert_true(mt_tokens_get(mt_capture_decoder_input(c), 0)->is_special);
    g_assert_cmpint(mt_capture_score_at(c, MT_DECODER_SELF, 0, 0, 0, 2) == -INFINITY, ==, causal);
    mt_capture_unref(c);
  }
}

static void
test_cross_alone(void)
{
  BUILD({"cross_attentions.npy", even_weights("(2, 1, 4, 3, 5)", 120, 5)},
        {"source_tokens.npy", words(5, ">>deu<<", "▁two", "▁do", "gs", "</s>")},
        {"output_tokens.npy", words(3, "▁zwei", "▁Hunde", "</s>")});
  mt_capture *c = read_ok(NULL);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_CROSS), ==, 2);
  g_assert_cmpuint(mt_capture_n_heads(c, MT_CROSS), ==, 4);
  mt_matrix m = mt_capture_weights(c, MT_CROSS, 1, 3);
  g_assert_cmpuint(m.rows, ==, 3);
  g_assert_cmpuint(m.cols, ==, 5);
  g_assert_cmpfloat(mt_matrix_at(&m, 2, 4), ==, 0.2f);
  g_assert_false(mt_capture_has_decoder_input(c));
  g_assert_true(mt_capture_has_output(c));
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(c)), ==, "two dogs");
  g_assert_true(mt_tokens_get(mt_capture_source(c), 0)->is_special);
  g_assert_cmpint(mt_tokens_get(mt_capture_source(c), 3)->word, ==, 2);
  mt_capture_unref(c);
}

/* Without any tokens they are numbers; half precision, doubles, Fortran order. */
static void
test_number_types(void)
{
  const guint16 halves[] = {0x3c00, 0, 0x3800, 0x3800}; /* 1, 0; 0.5, 0.5 */
  const double doubles[] = {1, 0, 0.5, 0.5};
  const float columns[] = {1, 0.5f, 0, 0.5f};
  GBytes *all[] = {npy_bytes("<f2", "(1, 1, 2, 2)", halves, sizeof halves),
                   npy_bytes("<f8", "(1, 1, 2, 2)", doubles, sizeof doubles),
                   npy_bytes_raw(2,
                                 "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1, 2, 2)}",
                                 columns, sizeof columns)};
  for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
    BUILD({"attentions.npy", all[i], TRUE});
    mt_capture *c = read_ok(NULL);
    const float expected[] = {1, 0, 0.5f, 0.5f};
    mt_matrix m = mt_capture_weights(c, MT_ENCODER_SELF, 0, 0);
    g_assert_cmpmem(m.data, sizeof expected, expected, sizeof expected);
    g_assert_cmpstr(mt_tokens_get(mt_capture_source(c), 1)->piece, ==, "2");
    g_assert_cmpstr(mt_tokens_text(mt_capture_source(c)), ==, "1 2");
    mt_capture_unref(c);
  }
}

/* Words, specials, ids and places as the file says, in whatever integers it has. */
static void
test_stated_tokens(void)
{
  const gint64 ids[] = {7, -1, 2147483647}, numbers[] = {0, 0, 5};
  const guint8 special[] = {0, 1, 0};
  const gint32 spans[] = {0, 3, 3, 3, 3, 7};
  BUILD({"attentions.npy", even_weights("(1, 1, 3, 3)", 9, 3)},
        {"kind.npy", scalar_text("encoder")}, {"tokens.npy", words(3, "Ä.", "MASK", "x")},
        {"ids.npy", npy_bytes("<i8", "(1, 3)", ids, sizeof ids)},
        {"words.npy", npy_bytes("<i8", "(3,)", numbers, sizeof numbers)},
        {"special.npy", npy_bytes("|b1", "(3,)", special, sizeof special)},
        {"spans.npy", npy_bytes("<i4", "(3, 2)", spans, sizeof spans)},
        {"text.npy", scalar_text("Ä.😀")}, {"model.npy", scalar_text("bert")});
  mt_capture *c = read_ok(NULL);
  const mt_tokens *tokens = mt_capture_source(c);
  g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_SEQUENCES);
  g_assert_cmpstr(mt_capture_model_name(c), ==, "bert");
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "Ä.😀");
  for (size_t i = 0; i < 3; i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_assert_cmpint(t->id, ==, ids[i]);
    g_assert_cmpint(t->word, ==, numbers[i]);
    g_assert_cmpint(t->is_special, ==, special[i]);
    g_assert_cmpuint(t->begin, ==, spans[2 * i]);
    g_assert_cmpuint(t->end, ==, spans[2 * i + 1]);
  }
  mt_capture_unref(c);
}

/* Marks are conventions: none of them is seen where it is not one. */
static void
test_marks(void)
{
  static const struct {
    const char *pieces[3], *text;
    int words[3];
    mt_word_mark mark;
  } cases[] = {
      {{"▁a", "b", "▁c"}, "ab c", {0, 0, 1}, MT_WORD_MARK_LOWER_BAR},
      {{"a", "b", "Ġc"}, "ab c", {0, 0, 1}, MT_WORD_MARK_SPACE},
      {{"a", "##b", "c"}, "ab c", {0, 0, 1}, MT_WORD_MARK_HASHES},
      {{"▁a", "##b", "▁c"}, "a##b c", {0, 0, 1}, MT_WORD_MARK_LOWER_BAR},
      {{"##a", "b", "##"}, "##a b ##", {0, 1, 2}, MT_WORD_MARK_NONE},
      {{"a", "<unk>", "c"}, "a <unk> c", {0, 1, 2}, MT_WORD_MARK_NONE},
      {{"<s>", "▁", "<|x|>"}, "", {0, 1, 2}, MT_WORD_MARK_LOWER_BAR},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    BUILD({"attentions.npy", even_weights("(1, 1, 3, 3)", 9, 3)},
          {"tokens.npy", npy_strings(cases[i].pieces, 3, 5)});
    mt_capture *c = read_ok(NULL);
    const mt_tokens *tokens = mt_capture_source(c);
    g_assert_cmpstr(mt_tokens_text(tokens), ==, cases[i].text);
    g_assert_cmpint(mt_tokens_word_mark(tokens), ==, cases[i].mark);
    for (size_t k = 0; k < 3; k++)
      g_assert_cmpint(mt_tokens_get(tokens, k)->word, ==, cases[i].words[k]);
    mt_capture_unref(c);
  }
}

/* Kept as they are, and told. */
static void
test_unusual_weights(void)
{
  const float weights[] = {0.5f, 0.25f, -0.5f, 3};
  BUILD({"attentions.npy", npy_bytes("<f4", "(1, 1, 2, 2)", weights, sizeof weights)});
  mt_capture *c = read_ok(NULL);
  mt_matrix m = mt_capture_weights(c, MT_ENCODER_SELF, 0, 0);
  g_assert_cmpmem(m.data, sizeof weights, weights, sizeof weights);
  mt_weight_range range = mt_capture_weight_range(c, MT_ENCODER_SELF);
  g_assert_cmpfloat(range.least_sum, ==, 0.75);
  g_assert_cmpfloat(range.largest_sum, ==, 2.5);
  g_assert_cmpfloat(range.least, ==, -0.5f);
  g_assert_cmpfloat(range.largest, ==, 3);
  mt_capture_unref(c);
}

/* ---- What is refused ----------------------------------------------------------------------- */

/* Without waiting for the disk, as g_file_set_contents does. */
static void
set_contents(const char *contents, gsize size)
{
  FILE *file = g_fopen(path, "we");
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
  BUILD({"weights.npy", even_weights("(1, 1, 2, 2)", 4, 2)}, {"tokens.npy", words(2, "a", "b")});
  assert_refused(MT_ERROR_FORMAT, NEEDED "only the arrays weights, tokens.");
  BUILD({"readme.txt", g_bytes_new_static("hi", 2)});
  assert_refused(MT_ERROR_FORMAT, NEEDED "no array.");
  set_contents("no zip", 6);
  assert_refused(MT_ERROR_FORMAT, "x.npz: expected a NumPy archive (.npz), found another file.");
  g_autoptr(GBytes) npy = even_weights("(1, 1, 2, 2)", 4, 2);
  gsize size;
  const char *data = g_bytes_get_data(npy, &size);
  set_contents(data, size);
  assert_refused(MT_ERROR_FORMAT, "found a single array (.npy).");
  set_contents("", 0);
  assert_refused(MT_ERROR_FORMAT, "/x.npz: expected some content, found an empty file.");
  g_remove(path);
  assert_refused(MT_ERROR_IO, "/x.npz: expected this file, found nothing there.");
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  assert_refused(MT_ERROR_IO, "expected a regular file, found a directory.");
  g_rmdir(path);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  assert_refused(MT_ERROR_IO, "expected a regular file, found a pipe.");
  g_remove(path);
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
    BUILD({name, even_weights(cases[i].shape, cases[i].n, 1)});
    assert_refused(cases[i].code, cases[i].message);
  }
  /* Two kinds that do not fit together. */
  BUILD({"encoder_attentions.npy", even_weights("(1, 1, 2, 2)", 4, 2)},
        {"cross_attentions.npy", even_weights("(1, 1, 2, 3)", 6, 3)});
  assert_refused(MT_ERROR_FORMAT, "x.npz/cross_attentions.npy: expected 2 columns, as many as the "
                                  "other attentions have source tokens, found 3.");
  BUILD({"decoder_attentions.npy", even_weights("(1, 1, 2, 2)", 4, 2)},
        {"cross_attentions.npy", even_weights("(1, 1, 3, 3)", 9, 3)});
  assert_refused(MT_ERROR_FORMAT, "expected 2 rows, as many as the other attentions have output "
                                  "tokens, found 3.");
  BUILD({"encoder_attentions.npy", even_weights("(1, 1, 2, 2)", 4, 2)},
        {"attentions.npy", even_weights("(1, 1, 2, 2)", 4, 2)});
  assert_refused(MT_ERROR_FORMAT, "expected the attention of each kind once, found \"attentions\" "
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
  put(out, 4, 0);  /* check sum: not looked at where an array is used in place */
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
  FILE *file = g_fopen(path, "we");
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
  assert_refused(MT_ERROR_FORMAT, "x.npz: \"encoder_attentions.npy\" promises 671");
  BUILD({"encoder_attentions.npy", npy_bytes("<f4", "(1, 1, 4000, 4000)", zeros, 64000000), TRUE});
  mt_capture_unref(read_ok(NULL));

  build_sparse("<f2", "(9, 1, 4096, 4096)", G_GUINT64_CONSTANT(9) << 25);
  assert_refused(MT_ERROR_TOO_LONG,
                 "x.npz: expected at most 134217728 weights in all, found 150994944 or more.");
}

static void
test_refused_arrays(void)
{
  static const float nan_weights[] = {0.5f, 0.5f, NAN, 1}, inf_weights[] = {0, 1, 1, INFINITY};
  static const double huge[] = {0, 1, 1e39, 1};
  static const gint32 ints[] = {1, 0, 0, 1}, wild_spans[] = {0, 2, 2, 9},
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
      {{"tokens.npy", words(3, "a", "b", "c")},
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
      {{"text.npy", scalar_text(long_text)},
       "expected a text of at most 262144 characters, found 300000.",
       MT_ERROR_TOO_LONG},
      {{"text.npy", words(2, "a", "b")},
       "expected one text ('<U…'), found '<U1' of shape (2,).",
       MT_ERROR_FORMAT},
      {{"meta.npy", npy_bytes("<i4", "()", ints, 4)},
       "x.npz/meta.npy: expected one text ('<U…'), found '<i4' of shape ().",
       MT_ERROR_FORMAT},
      {{"model.npy", scalar_text(long_piece)},
       "expected a name of at most 256 bytes, found 257.",
       MT_ERROR_TOO_LONG},
      {{"kind.npy", scalar_text("Encoder")},
       "x.npz/kind.npy: expected \"encoder\", \"decoder\" or \"cross\", found \"Encoder\".",
       MT_ERROR_FORMAT},
      {{"naming.npy", scalar_text("")},
       "expected \"translation\", \"sequences\" or \"tokens\", found \"\".",
       MT_ERROR_FORMAT},
      {{"kind.npy", scalar_text("cross")},
       "x.npz: expected \"source_tokens\" and \"output_tokens\" for attention between two texts, "
       "found \"tokens\", which could be either.",
       MT_ERROR_FORMAT},
      {{"source_tokens.npy", words(2, "a", "b")},
       "expected each list once, found \"tokens\" and \"source_tokens\".",
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
      {{"encoder_row_lse.npy", even_weights("(1, 1, 3)", 3, 1)},
       "expected floats of shape (1,1,2), found '<f4' of shape (1,1,3).",
       MT_ERROR_FORMAT},
      {{"encoder_positions.npy", even_weights("(3, 2)", 6, 1)},
       "expected floats of shape (2,2), found '<f4' of shape (3,2).",
       MT_ERROR_FORMAT},
      {{"encoder_positions.npy", even_weights("(2, 4097)", 8194, 1)},
       "expected 1 to 4096 dimensions, found 4097.",
       MT_ERROR_TOO_LONG},
      {{"decoder_positions.npy", even_weights("(2,)", 2, 1)},
       "expected floats of shape (tokens, dimensions), found '<f4' of shape (2,).",
       MT_ERROR_FORMAT},
      {{"logprobs.npy", even_weights("(2,)", 2, 1)},
       "expected floats of shape (0,), found '<f4' of shape (2,).",
       MT_ERROR_FORMAT},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    NpzEntry entries[5] = {{"attentions.npy", even_weights("(1, 1, 2, 2)", 4, 2)},
                           {"tokens.npy", words(2, "a", "b")},
                           {"text.npy", scalar_text("äb")}};
    guint n = 3;
    for (guint k = 0; k < 3; k++)
      if (g_str_equal(entries[k].name, cases[i].entry.name)) {
        g_bytes_unref(entries[k].bytes);
        entries[k] = cases[i].entry;
        n = 0;
      }
    if (n)
      entries[n] = cases[i].entry;
    npz_build(path, entries);
    assert_refused(cases[i].code, cases[i].message);
  }
}

/* The same name twice, and a file that ends early, anywhere. */
static void
test_damage(void)
{
  BUILD({"attentions.npy", even_weights("(1, 1, 2, 2)", 4, 2)}, {"tokens.npy", words(2, "a", "b")},
        {"tokenz.npy", words(2, "c", "d")});
  g_autofree char *contents = NULL;
  gsize size;
  g_assert_true(g_file_get_contents(path, &contents, &size, NULL));
  for (gsize n = 0; n < size; n += 1 + n / 64) {
    mt_error error = {0};
    set_contents(contents, n);
    g_assert_null(mt_capture_read_npz(path, NULL, &error));
    g_assert_nonnull(strstr(error.message, "x.npz: "));
  }
  for (gsize i = 0; i + 6 < size; i++)
    if (memcmp(contents + i, "tokenz", 6) == 0)
      contents[i + 5] = 's';
  set_contents(contents, size);
  assert_refused(MT_ERROR_FORMAT, "x.npz: expected ");
}

/* ---- Memory that runs out ------------------------------------------------------------------ */

static int allocations_left;

static bool
allow(size_t bytes)
{
  return allocations_left-- > 0;
}

static void
test_no_memory(void)
{
  mt_error error = {0};
  mt_capture *capture = hand_capture(5, 3, MT_CAPTURE_SCORES);
  g_assert_true(mt_capture_write_npz(capture, path, "{}", &error));
  mt_capture_unref(capture);
  for (int n = 0;; n++) {
    char *meta = NULL;
    allocations_left = n;
    error = (mt_error){0};
    mt_alloc_set_hook(allow);
    capture = mt_capture_read_npz(path, &meta, &error);
    mt_alloc_set_hook(NULL);
    if (capture) {
      g_assert_cmpint(n, >, 20);
      mt_string_free(meta);
      mt_capture_unref(capture);
      break;
    }
    g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_assert_null(meta);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("regard-capture-read-XXXXXX", NULL);
  path = g_build_filename(directory, "x.npz", NULL);
  g_test_add_func("/capture-read/session", test_session);
  g_test_add_func("/capture-read/parts", test_parts);
  g_test_add_func("/capture-read/attentions-and-tokens", test_attentions_and_tokens);
  g_test_add_func("/capture-read/decoder-alone", test_decoder_alone);
  g_test_add_func("/capture-read/cross-alone", test_cross_alone);
  g_test_add_func("/capture-read/number-types", test_number_types);
  g_test_add_func("/capture-read/stated-tokens", test_stated_tokens);
  g_test_add_func("/capture-read/marks", test_marks);
  g_test_add_func("/capture-read/unusual-weights", test_unusual_weights);
  g_test_add_func("/capture-read/missing", test_missing);
  g_test_add_func("/capture-read/shapes", test_shapes);
  g_test_add_func("/capture-read/bombs", test_bombs);
  g_test_add_func("/capture-read/refused-arrays", test_refused_arrays);
  g_test_add_func("/capture-read/damage", test_damage);
  g_test_add_func("/capture-read/no-memory", test_no_memory);
  int status = g_test_run();
  g_remove(path);
  g_rmdir(directory);
  g_free(path);
  g_free(directory);
  return status;
}

/* test-compare.c — the difference of two captures, and how far their heads are apart.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "golden.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Numbers of numpy: H((p + q) / 2) - (H(p) + H(q)) / 2. */
static void
test_rows(void)
{
  const float p[] = {0.5f, 0.5f, 0}, q[] = {0.25f, 0.25f, 0.5f};
  const float r[] = {0.7f, 0.2f, 0.1f, 0}, s[] = {0.1f, 0.2f, 0.3f, 0.4f};
  const float left[] = {1, 0}, right[] = {0, 1}, nothing[] = {0, 0};
  g_assert_cmpfloat_with_epsilon(mt_row_divergence(p, q, 3), 0.31127812445913294, 1e-7);
  g_assert_cmpfloat_with_epsilon(mt_row_divergence(r, s, 4), 0.4203185978283348, 1e-7);
  g_assert_cmpfloat(mt_row_divergence(r, s, 4), ==, mt_row_divergence(s, r, 4));
  g_assert_cmpfloat(mt_row_divergence(r, r, 4), ==, 0);
  g_assert_cmpfloat(mt_row_divergence(left, right, 2), ==, 1);
  g_assert_cmpfloat(mt_row_divergence(left, nothing, 2), ==, 0.5);
}

static mt_capture *
capture_with(mt_session *session, const mt_translation *translation, const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = sentences_parse(text);
  const mt_hooks hooks = {.interventions = interventions};
  mt_capture *capture = mt_session_capture(session, translation, 0, 0, &hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return capture;
}

/* Of a model whose head was changed: each weight is the difference, and a head before the change
 * did not move. */
static void
test_changed(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  mt_translation *t =
      mt_session_translate(session, "I have two dogs and a cat.", NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_capture *a = mt_session_capture(session, t, 0, 0, NULL, &error);
  mt_capture *b = capture_with(session, t, "cross 2.3 uniform\ndecoder 4.* zero\nsource 2 hide");
  g_autoptr(mt_capture) d = mt_capture_difference(a, b, &error);
  g_assert_cmpstr(error.message, ==, "");
  double most = 0;
  for (int k = 0; k < MT_N_KINDS; k++)
    for (size_t l = 0; l < mt_capture_n_layers(d, k); l++)
      for (size_t h = 0; h < mt_capture_n_heads(d, k); h++) {
        mt_matrix x = mt_capture_weights(a, k, l, h), y = mt_capture_weights(b, k, l, h),
                  z = mt_capture_weights(d, k, l, h);
        g_assert_cmpuint(z.rows, ==, x.rows);
        for (size_t r = 0; r < z.rows; r++) {
          double sum = 0;
          for (size_t c = 0; c < z.cols; c++) {
            float weight = z.data[r * z.stride + c];
            g_assert_cmpfloat(weight, ==, y.data[r * y.stride + c] - x.data[r * x.stride + c]);
            sum += (double) weight;
            if (!mt_capture_is_masked(d, k, l, h, r, c))
              g_assert_true(isnan(mt_capture_score_at(d, k, l, h, r, c)));
          }
          g_assert_cmpfloat(fabs(sum), <, 1e-5);
        }
        most = MAX(most, mt_capture_divergence(a, b, k, l, h));
        g_assert_cmpfloat(mt_capture_divergence(a, a, k, l, h), ==, 0);
      }
  g_assert_cmpfloat(most, >, 0.05);
  g_assert_cmpfloat(most, <=, 1);
  g_assert_cmpfloat(mt_capture_divergence(a, b, MT_DECODER_SELF, 0, 0), ==, 0);
  g_assert_true(mt_capture_difference_a(d) == a);
  g_assert_true(mt_capture_difference_b(d) == b);
  g_assert_null(mt_capture_difference_a(a));
  g_assert_null(mt_capture_logprobs(d));
  /* What only one of them hides is no masked cell. */
  g_assert_false(mt_capture_is_masked(d, MT_ENCODER_SELF, 0, 0, 0, 1));
  g_assert_true(mt_capture_is_masked(d, MT_DECODER_SELF, 0, 0, 0, 1));
  g_assert_true(mt_interventions_equal(mt_capture_interventions(d), mt_capture_interventions(b)));

  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "difference.npz", NULL);
  g_assert_false(mt_capture_write_npz(d, path, NULL, &error));
  g_assert_nonnull(strstr(error.message, "difference of two captures"));
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  /* It holds what it is of. */
  mt_capture_unref(a);
  mt_capture_unref(b);
  g_assert_cmpuint(mt_tokens_count(mt_capture_source(mt_capture_difference_a(d))), >, 0);
  mt_translation_unref(t);
}

/* Two sentences with as many tokens: place by place, and what differs says so. */
static void
test_sentences(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de");
  g_autoptr(mt_session) session = sentences_session(model, 0, false);
  static const char *const texts[] = {"I have two dogs.", "I have two cats."};
  mt_capture *captures[2];
  for (int i = 0; i < 2; i++) {
    g_autoptr(mt_translation) t =
        mt_session_score(session, texts[i], "Ich habe es.", -1, NULL, &error);
    captures[i] = mt_session_capture(session, t, 0, 0, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
  }
  g_autoptr(mt_capture) d = mt_capture_difference(captures[0], captures[1], &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(d), 2)->piece, ==, "▁two");
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(d), 3)->piece, ==, "▁dog→cat");
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(captures[1]), 3)->piece, ==, "▁cat");
  g_assert_cmpfloat(mt_capture_difference_most(d), >, 1e-3f);
  for (int i = 0; i < 2; i++)
    mt_capture_unref(captures[i]);
}

static void
assert_refused(const mt_capture *a, const mt_capture *b, const char *words)
{
  mt_error error = {0};
  g_assert_null(mt_capture_difference(a, b, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  if (!strstr(error.message, words))
    g_error("\"%s\" does not say \"%s\"", error.message, words);
}

static void
test_refused(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model("tests/data/frozen/en-de"),
                      small = sentences_model("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_session) session = sentences_session(model, 0, false),
                        second = sentences_session(small, 0, false);
  mt_capture *captures[3];
  static const char *const texts[] = {"I have two dogs.", "You see big cats.",
                                      "I have two big dogs."};
  for (int i = 0; i < 3; i++) {
    mt_translation *t = mt_session_score(session, texts[i], "Ich habe es.", -1, NULL, &error);
    captures[i] = mt_session_capture(session, t, 0, 0, NULL, &error);
    g_assert_cmpstr(error.message, ==, "");
    mt_translation_unref(t);
  }
  mt_translation *t = mt_session_score(second, "the cat", "the", -1, NULL, &error);
  g_autoptr(mt_capture) of_other = mt_session_capture(second, t, 0, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  assert_refused(captures[0], captures[1], "Token 1 of the sources is");
  assert_refused(captures[0], captures[2], "The sources have");
  assert_refused(captures[0], of_other, "layers of");
  mt_translation *longer =
      mt_session_score(session, texts[0], "Ich habe es nicht.", -1, NULL, &error);
  g_autoptr(mt_capture) of_longer = mt_session_capture(session, longer, 0, 0, NULL, &error);
  assert_refused(captures[0], of_longer, "The translations have");
  for (int i = 0; i < 3; i++)
    mt_capture_unref(captures[i]);
  mt_translation_unref(longer);
  mt_translation_unref(t);
}

/* ---- Other tokens ------------------------------------------------------------------------------
 */

typedef struct {
  mt_model *model;
  mt_session *session;
} Bench;

static void
bench_open(Bench *bench)
{
  bench->model = sentences_model("tests/data/frozen/en-de");
  bench->session = sentences_session(bench->model, 0, false);
}

static void
bench_close(Bench *bench)
{
  mt_session_free(bench->session);
  mt_model_unref(bench->model);
}

static mt_capture *
capture_of(Bench *bench, const char *text, const char *target)
{
  mt_error error = {0};
  g_autoptr(mt_translation) t = mt_session_score(bench->session, text, target, -1, NULL, &error);
  mt_capture *capture = mt_session_capture(bench->session, t, 0, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  return capture;
}

/* A list of one-letter pieces. */
static mt_tokens *
letters(const char *text)
{
  mt_error error = {0};
  const gsize n = strlen(text);
  g_autofree mt_token *items = g_new0(mt_token, MAX(n, 1));
  char pieces[16][2] = {{0}};
  for (gsize i = 0; i < n; i++) {
    pieces[i][0] = text[i];
    items[i].piece = pieces[i];
  }
  mt_tokens *tokens = mt_tokens_new("", items, n, &error);
  g_assert_nonnull(tokens);
  return tokens;
}

/* "x" of both, "-x" of a, "+x" of b. */
static void
assert_aligned(const char *a, const char *b, const char *expected)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) x = letters(a), y = letters(b);
  mt_pair pairs[32];
  g_autoptr(GString) out = g_string_new(NULL);
  const gsize n = mt_tokens_align(x, y, pairs, &error);
  for (gsize i = 0; i < n; i++) {
    if (pairs[i].b == MT_NO_TOKEN)
      g_string_append_printf(out, "-%c", a[pairs[i].a]);
    else if (pairs[i].a == MT_NO_TOKEN)
      g_string_append_printf(out, "+%c", b[pairs[i].b]);
    else {
      g_assert_cmpint(a[pairs[i].a], ==, b[pairs[i].b]);
      g_string_append_c(out, a[pairs[i].a]);
    }
  }
  g_assert_cmpstr(out->str, ==, expected);
}

static void
test_align(void)
{
  assert_aligned("", "", "");
  assert_aligned("", "ab", "+a+b");
  assert_aligned("ab", "", "-a-b");
  assert_aligned("abc", "abc", "abc");
  assert_aligned("abc", "xyz", "-a-b-c+x+y+z");
  assert_aligned("abcd", "axd", "a-b-c+xd");
  assert_aligned("abd", "abcd", "ab+cd");
  assert_aligned("aab", "ab", "a-ab");
}

/* Two that are as long: the same pair from both sides. */
static void
test_align_swapped(void)
{
  static const char *const lists[] = {"xy", "yx", "abcbdab", "bdcaba", "aabba", "babab", "a", ""};
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    for (guint j = 0; j < G_N_ELEMENTS(lists); j++) {
      mt_error error = {0};
      g_autoptr(mt_tokens) x = letters(lists[i]), y = letters(lists[j]);
      mt_pair there[32], back[32];
      const gsize n = mt_tokens_align(x, y, there, &error);
      g_assert_cmpuint(mt_tokens_align(y, x, back, &error), ==, n);
      for (gsize k = 0, m = 0; k < n; k++) {
        if (there[k].a == MT_NO_TOKEN || there[k].b == MT_NO_TOKEN)
          continue;
        while (back[m].a == MT_NO_TOKEN || back[m].b == MT_NO_TOKEN)
          m++;
        g_assert_cmpuint(there[k].a, ==, back[m].b);
        g_assert_cmpuint(there[k].b, ==, back[m].a);
        m++;
      }
    }
}

/* Of the same tokens it is the difference there always was. */
static void
test_aligned_same(void)
{
  mt_error error = {0};
  Bench bench;
  bench_open(&bench);
  mt_translation *t =
      mt_session_score(bench.session, "I have two dogs.", "Ich habe es.", -1, NULL, &error);
  g_autoptr(mt_capture) a = mt_session_capture(bench.session, t, 0, 0, NULL, &error);
  g_autoptr(mt_capture) b = capture_with(bench.session, t, "encoder 2 uniform\nsource 2 hide");
  g_autoptr(mt_capture) plain = mt_capture_difference(a, b, &error);
  g_autoptr(mt_capture) aligned = mt_capture_difference_aligned(a, b, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpfloat(mt_capture_difference_most(plain), >, 0.01f);
  g_assert_cmpfloat(mt_capture_difference_most(plain), ==, mt_capture_difference_most(aligned));
  for (int k = 0; k < MT_N_KINDS; k++) {
    mt_matrix x = mt_capture_weights(plain, k, 0, 0), y = mt_capture_weights(aligned, k, 0, 0);
    const gsize n = mt_capture_n_layers(plain, k) * mt_capture_n_heads(plain, k) * x.rows * x.cols;
    g_assert_cmpmem(x.data, n * sizeof(float), y.data, n * sizeof(float));
    g_assert_null(mt_capture_mask(aligned, k, 0, 0).rows);
    g_assert_null(mt_capture_mask(aligned, k, 0, 0).cols);
  }
  mt_translation_unref(t);
  bench_close(&bench);
}

/* Index of the nth that is in `list` among those that are not MT_SIDE_[other]. */
static gsize
own_index(const unsigned char *sides, gsize i, mt_side other)
{
  gsize n = 0;
  for (gsize k = 0; k < i; k++)
    n += sides[k] != other;
  return n;
}

/* Each cell of both is b's weight minus a's; all others are NaN, masked, and named. */
static void
test_aligned(void)
{
  mt_error error = {0};
  Bench bench;
  bench_open(&bench);
  g_autoptr(mt_capture) a = capture_of(&bench, "I have two dogs.", "Ich habe es.");
  g_autoptr(mt_capture) b = capture_of(&bench, "I have two big dogs.", "Ich habe das nicht.");
  g_autoptr(mt_capture) d = mt_capture_difference_aligned(a, b, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_capture) back = mt_capture_difference_aligned(b, a, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(mt_capture_difference_a(d) == a && mt_capture_difference_b(d) == b);
  g_assert_cmpuint(mt_tokens_count(mt_capture_source(d)), ==,
                   mt_tokens_count(mt_capture_source(b)));
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(d), 3)->piece, ==, "▁→big");
  g_assert_cmpfloat(mt_capture_difference_most(d), ==, mt_capture_difference_most(back));
  guint n_seen = 0, n_hidden = 0, n_each = 0;
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_mask mask = mt_capture_mask(d, k, 1, 2),
                            other = mt_capture_mask(back, k, 1, 2);
    mt_matrix x = mt_capture_weights(a, k, 1, 2), y = mt_capture_weights(b, k, 1, 2),
              z = mt_capture_weights(d, k, 1, 2), w = mt_capture_weights(back, k, 1, 2);
    gsize back_r = 0;
    for (gsize r = 0; r < z.rows; r++) {
      gsize back_c = 0;
      while (mask.rows[r] == MT_SIDE_BOTH && other.rows[back_r] != MT_SIDE_BOTH)
        back_r++;
      for (gsize c = 0; c < z.cols; c++) {
        const float weight = z.data[r * z.stride + c];
        n_each += mask.cols[c] == MT_SIDE_EACH;
        if (mask.rows[r] != MT_SIDE_BOTH || mask.cols[c] != MT_SIDE_BOTH) {
          g_assert_true(isnan(weight));
          g_assert_true(mt_capture_is_masked(d, k, 1, 2, r, c));
          g_assert_true(isnan(mt_capture_score_at(d, k, 1, 2, r, c)));
          n_hidden++;
          continue;
        }
        const gsize of_a =
            own_index(mask.rows, r, MT_SIDE_B) * x.stride + own_index(mask.cols, c, MT_SIDE_B);
        const gsize of_b =
            own_index(mask.rows, r, MT_SIDE_A) * y.stride + own_index(mask.cols, c, MT_SIDE_A);
        g_assert_cmpfloat(weight, ==, y.data[of_b] - x.data[of_a]);
        g_assert_true(mt_capture_is_masked(d, k, 1, 2, r, c) == (k == MT_DECODER_SELF && c > r));
        while (other.cols[back_c] != MT_SIDE_BOTH)
          back_c++;
        g_assert_cmpfloat(w.data[back_r * w.stride + back_c], ==, -weight);
        back_c++;
        n_seen++;
      }
      back_r += mask.rows[r] == MT_SIDE_BOTH;
    }
    /* A block with one cell of both is not hidden. */
    g_assert_false(mt_attention_mask_hides(mask, 0, z.rows, 0, z.cols));
    g_assert_false(mt_attention_mask_is_empty(mask));
    g_assert_false(mt_attention_mask_equal(mask, mt_capture_mask(b, k, 1, 2)));
  }
  g_assert_cmpuint(n_seen, >, 40);
  g_assert_cmpuint(n_hidden, >, 40);
  g_assert_cmpuint(n_each, >, 0); /* "." is read after another word in each */
  bench_close(&bench);
}

static void
assert_no_alignment(const mt_capture *a, const mt_capture *b, const char *words)
{
  mt_error error = {0};
  g_assert_null(mt_capture_difference_aligned(a, b, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_nonnull(strstr(error.message, words));
}

/* </s> alone is nothing in common. */
static void
test_aligned_refused(void)
{
  mt_error error = {0};
  Bench bench;
  bench_open(&bench);
  g_autoptr(mt_model) small = sentences_model("tests/data/checkpoints/post-norm-relu");
  g_autoptr(mt_session) second = sentences_session(small, 0, false);
  g_autoptr(mt_translation) t = mt_session_score(second, "the cat", "the", -1, NULL, &error);
  g_autoptr(mt_capture) of_other = mt_session_capture(second, t, 0, 0, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_autoptr(mt_capture) a = capture_of(&bench, "I have two dogs.", "Ich habe es.");
  g_autoptr(mt_capture) no_source = capture_of(&bench, "You see a big cat", "Ich habe es.");
  g_autoptr(mt_capture) no_words = capture_of(&bench, "I have dogs.", "Du");
  assert_no_alignment(a, no_source, "The sources have no token in common");
  assert_no_alignment(a, no_words, "The translations have no token in common");
  assert_no_alignment(a, of_other, "layers of");
  bench_close(&bench);
}

TESTS()
{
  g_test_add_func("/compare/rows", test_rows);
  g_test_add_func("/compare/changed", test_changed);
  g_test_add_func("/compare/sentences", test_sentences);
  g_test_add_func("/compare/refused", test_refused);
  g_test_add_func("/compare/align", test_align);
  g_test_add_func("/compare/align-swapped", test_align_swapped);
  g_test_add_func("/compare/aligned-same", test_aligned_same);
  g_test_add_func("/compare/aligned", test_aligned);
  g_test_add_func("/compare/aligned-refused", test_aligned_refused);
}

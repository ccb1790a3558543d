/* test-corpus-heads.c — heads over a text: names, badges, filters, the map, files, and what is
 * shown of a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-corpus.h"
#include "figures/regard-naming.h"
#include "suite.h"

#include "corpus-test.h"

#include <string.h>

static void
test_words(void)
{
  g_autoptr(RegardCorpus) corpus = corpus_test_new();
  g_autofree char *about = regard_corpus_describe(corpus);
  g_autofree char *name = regard_head_row_name(&corpus->heads[7].row);
  g_autofree char *effect =
      regard_head_statistic_format(mt_corpus_measure_about(MT_CORPUS_EFFECT), 0.25);
  g_autofree char *less =
      regard_head_statistic_format(mt_corpus_measure_about(MT_CORPUS_EFFECT), -1.5);
  g_autofree char *none =
      regard_head_statistic_format(mt_corpus_measure_about(MT_CORPUS_ENTROPY), NAN);
  g_assert_cmpstr(about, ==, "12 heads over toy.en · 1,234,567 sentences · 20 tokens");
  g_assert_cmpstr(name, ==, "cross 2.2");
  g_assert_cmpstr(effect, ==, "+0.250");
  g_assert_cmpstr(less, ==, "−1.500");
  g_assert_cmpstr(none, ==, "");
  g_assert_cmpint(regard_corpus_find_head(corpus, MT_CROSS, 1, 1), ==, 7);
  g_assert_cmpint(regard_corpus_find_head(corpus, MT_CROSS, 2, 0), ==, -1);
}

static void
test_badges(void)
{
  g_autoptr(RegardCorpus) corpus = corpus_test_new();
  RegardCorpusBadge badges[REGARD_MOST_BADGES];
  g_assert_cmpuint(regard_corpus_head_badges(corpus, &corpus->heads[0], badges), ==, 0);
  g_assert_cmpuint(regard_corpus_head_badges(corpus, &corpus->heads[2], badges), ==, 0);
  g_assert_cmpint(regard_corpus_head_best_role(&corpus->heads[2]), ==, -1);
  g_assert_cmpuint(regard_corpus_head_badges(corpus, &corpus->heads[1], badges), ==, 2);
  g_assert_cmpint(regard_corpus_head_best_role(&corpus->heads[1]), ==, MT_CORPUS_ROLE_PREVIOUS);
  /* The strongest first, with the number that earned it, n and p. */
  g_assert_nonnull(strstr(badges[0].text, " 12×"));
  g_assert_nonnull(strstr(badges[0].why, "1,000 sentences; p < 1e-12"));
  g_assert_nonnull(strstr(badges[1].text, " 4.6×"));
  g_assert_nonnull(strstr(badges[1].why, "p = 1e-05"));
  for (guint i = 0; i < 2; i++)
    regard_corpus_badge_clear(&badges[i]);
}

static guint
count(const RegardCorpus *corpus, const char *text)
{
  g_autofree char *error = NULL;
  g_autoptr(RegardHeadFilter) filter = regard_head_filter_new(TRUE, text, &error);
  guint n = 0;
  g_assert_cmpstr(error, ==, NULL);
  for (guint i = 0; i < corpus->n_heads; i++)
    n += regard_head_filter_matches(filter, &corpus->heads[i].row);
  return n;
}

static void
test_filter(void)
{
  g_autoptr(RegardCorpus) corpus = corpus_test_new();
  g_autofree char *error = NULL;
  g_assert_cmpuint(count(corpus, ""), ==, 12);
  g_assert_cmpuint(count(corpus, "cross"), ==, 4);
  g_assert_cmpuint(count(corpus, "previous"), ==, 1);
  g_assert_cmpuint(count(corpus, "2.*"), ==, 6);
  g_assert_cmpuint(count(corpus, "Confidence >= 0.5"), ==, 4);
  g_assert_cmpuint(count(corpus, "cross confidence < 32 %"), ==, 2);
  g_assert_cmpuint(count(corpus, "entropy < 9"), ==, 0); /* it has none */
  g_assert_cmpuint(count(corpus, "rare > 1"), ==, 0);
  g_assert_null(regard_head_filter_new(TRUE, "sink", &error));
  g_assert_nonnull(strstr(error, "sink"));
}

/* Points of a line stay on it, as far from each other as they were. */
static void
test_map(void)
{
  const RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  g_autoptr(RegardCorpus) corpus = corpus_test_new();
  g_autoptr(RegardFigure) figure = regard_figure_new_head_map(corpus, MT_CROSS, 5, &style);
  RegardMatrix *m = regard_figure_matrix(figure, 0);
  g_assert_cmpuint(m->rows, ==, 4);
  g_assert_cmpstr(m->row_labels[0].text, ==, "cross 1.1");
  for (guint i = 1; i < 4; i++) {
    g_assert_cmpfloat_with_epsilon(fabs((double) regard_matrix_get(m, i, 0) -
                                        (double) regard_matrix_get(m, i - 1, 0)),
                                   0.1, 1e-6);
    g_assert_cmpfloat_with_epsilon((double) regard_matrix_get(m, i, 1), 0, 1e-3);
  }
  g_autoptr(GArray) spots = regard_figure_spots(figure, 400, 10, NULL);
  g_assert_cmpuint(spots->len, ==, 4);
  const RegardSpot *spot = &g_array_index(spots, RegardSpot, 0);
  g_autofree char *said = regard_figure_describe_spot(figure, spot);
  g_assert_cmpint(spot->row, ==, 4);
  g_assert_cmpstr(said, ==, "cross 1.1; distance to cross 1.2 0.10");
}

/* What is written is what is shown, in its order. */
static void
test_files(void)
{
  static const guint shown[] = {7, 1};
  const RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  g_autoptr(RegardCorpus) corpus = corpus_test_new();
  g_autoptr(RegardFigure) figure =
      regard_figure_new_corpus_heads(corpus, shown, G_N_ELEMENTS(shown), MT_CORPUS_CONFIDENCE, 1,
                                     &style);
  guint n_checked = 0;
  g_assert_cmpfloat(regard_figure_height(figure, 500, 10), >, 2 * 10);
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++) {
    RegardMatrix *m = regard_figure_matrix(figure, i);
    g_assert_cmpuint(m->rows, ==, 2);
    g_assert_cmpstr(m->row_labels[0].text, ==, "cross 2.2");
    if (g_str_equal(m->id, "mean"))
      g_assert_cmpfloat_with_epsilon((double) regard_matrix_get(m, 0, MT_CORPUS_CONFIDENCE),
                                     7 / 16.0, 1e-6);
    else if (g_str_equal(m->id, "role"))
      g_assert_cmpfloat_with_epsilon((double) regard_matrix_get(m, 1, MT_CORPUS_ROLE_PREVIOUS),
                                     12.34, 1e-5);
    else if (g_str_equal(m->id, "histogram"))
      g_assert_cmpfloat((double) regard_matrix_get(m, 0, 7), ==, 100);
    else if (g_str_equal(m->id, "distance"))
      g_assert_true(isnan(regard_matrix_get(m, 0, 1))); /* of two kinds */
    else
      continue;
    n_checked++;
  }
  g_assert_cmpuint(n_checked, ==, 4);
}

/* "Er kommt heute." as Er | ko | mmt | heute | . | </s>, and English beside it. */
static void
test_excerpt(void)
{
  static const mt_corpus_token german[] = {{0, 2, false},  {3, 5, false},   {5, 8, false},
                                           {9, 14, false}, {14, 15, false}, {15, 15, true}};
  static const mt_corpus_token english[] = {{0, 2, false}, {3, 8, false}, {8, 8, true}};
  mt_corpus_sentence sentence = {.text = {"He comes", "Er kommt heute."},
                                 .n_tokens = {3, 6},
                                 .tokens = {english, german}};
  RegardExample example = {.query = 3, .key = 1, .sentence = &sentence};
  RegardExcerpt e = regard_example_excerpt(&example, MT_CROSS, MT_STACK_DECODER);
  g_assert_cmpstr(e.text, ==, "Er kommt heute.⏎");
  g_assert_cmpuint(e.query_begin, ==, 9);
  g_assert_cmpuint(e.query_end, ==, 14);
  g_assert_cmpuint(e.key_end, ==, 0); /* it is in the other text */
  regard_excerpt_clear(&e);
  e = regard_example_excerpt(&example, MT_CROSS, MT_STACK_ENCODER);
  g_assert_cmpstr(e.text, ==, "He comes⏎");
  g_assert_cmpuint(e.key_begin, ==, 3);
  g_assert_cmpuint(e.key_end, ==, 8);
  regard_excerpt_clear(&e);
  /* A decoder's key is what went in: the start, or the output before. */
  e = regard_example_excerpt(&example, MT_DECODER_SELF, MT_STACK_DECODER);
  g_assert_cmpuint(e.key_begin, ==, 0);
  g_assert_cmpuint(e.key_end, ==, 2);
  regard_excerpt_clear(&e);
  example.key = 0;
  e = regard_example_excerpt(&example, MT_DECODER_SELF, MT_STACK_DECODER);
  g_assert_true(g_str_has_prefix(e.text, "start Er"));
  g_assert_cmpuint(e.key_end, ==, strlen("start"));
  regard_excerpt_clear(&e);
  /* Numbers that are not of this sentence mark nothing. */
  example.query = 99;
  example.key = 99;
  e = regard_example_excerpt(&example, MT_ENCODER_SELF, MT_STACK_ENCODER);
  g_assert_cmpstr(e.text, ==, "He comes⏎");
  g_assert_cmpuint(e.query_end, ==, 0);
  regard_excerpt_clear(&e);
}

/* Five tokens on both sides, and whole words. */
static void
test_context(void)
{
  enum { N = 20 };
  mt_corpus_token tokens[N];
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < N; i++) { /* "a0b0 a1b1 …", two pieces a word */
    const guint begin = (guint) text->len + (i % 2 == 0 && i > 0 ? 1 : 0);
    g_string_append_printf(text, "%s%c%u", i % 2 == 0 && i > 0 ? " " : "", i % 2 ? 'b' : 'a',
                           i / 2 % 10);
    tokens[i] = (mt_corpus_token){begin, (guint) text->len, false};
  }
  mt_corpus_sentence sentence = {.text = {text->str, ""}, .n_tokens = {N, 0}, .tokens = {tokens}};
  const RegardExample example = {.query = 10, .key = 10, .sentence = &sentence};
  RegardExcerpt e = regard_example_excerpt(&example, MT_ENCODER_SELF, MT_STACK_ENCODER);
  g_assert_cmpstr(e.text, ==, "… a2b2 a3b3 a4b4 a5b5 a6b6 a7b7 …");
  g_assert_cmpint(strncmp(e.text + e.query_begin, "a5b5", 2), ==, 0);
  regard_excerpt_clear(&e);
}

TESTS()
{
  g_test_add_func("/corpus-heads/words", test_words);
  g_test_add_func("/corpus-heads/badges", test_badges);
  g_test_add_func("/corpus-heads/filter", test_filter);
  g_test_add_func("/corpus-heads/map", test_map);
  g_test_add_func("/corpus-heads/files", test_files);
  g_test_add_func("/corpus-heads/excerpt", test_excerpt);
  g_test_add_func("/corpus-heads/context", test_context);
}

/* test-figure-alignment.c — links between two texts, and recipes on a gold file: nothing leaves the
 * page, what is pointed at says what files have, and bars are in their order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"
#include "figures/regard-alignment.h"
#include "steps-test.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define LONG_TARGET                                                                                  \
  "Das Tier überquerte die Straße nicht, weil es zu müde war, und ich habe zwei Hunde und keine " \
  "Zeit."

static StepsTest test;

static RegardAlignment *
align(const char *source, const char *target, const char *typed)
{
  mt_error error = {0};
  mt_recipe recipe;
  g_assert_true(mt_recipe_parse(&recipe, "test", typed, &error));
  mt_alignment_input *input =
      mt_alignment_input_new(test.session, source, target, NULL, NULL, NULL, NULL, &error);
  RegardAlignment *alignment = regard_alignment_new(input, &recipe, test.model, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_alignment_input_unref(input);
  return alignment;
}

static RegardFigure *
make_links(RegardAlignment *alignment, gboolean dark)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.dark = dark;
  return regard_figure_new_links(alignment, &style);
}

/* Level where there is room, upright where there is not; few words and many. */
static void
test_links_page(void)
{
  static const double widths[] = {320, 520, 1000};
  g_autoptr(RegardAlignment) few = align("I have two dogs.", "Ich habe zwei Hunde.", "");
  g_autoptr(RegardAlignment) many =
      align(STEPS_TEST_LONG, LONG_TARGET, "choose=threshold threshold=0.1 matrix=weights");
  RegardAlignment *const all[] = {few, many};
  for (guint a = 0; a < G_N_ELEMENTS(all); a++)
    for (guint w = 0; w < G_N_ELEMENTS(widths); w++) {
      g_autoptr(RegardFigure) figure = make_links(all[a], w == 1);
      g_autofree char *caption = regard_figure_caption(figure);
      Recorder *r = record(figure, widths[w], 10);
      assert_on_page(r, figure, widths[w], 10);
      g_assert_nonnull(strstr(caption, all[a]->texts[MT_STACK_ENCODER]));
      if (widths[w] >= regard_alignment_least_width(all[a], 10))
        for (guint i = 0; i < all[a]->n_words[MT_STACK_DECODER]; i++)
          g_assert_true(has_text(r, all[a]->words[MT_STACK_DECODER][i]));
      regard_canvas_free(&r->parent);
    }
}

/* Every word and every link once; what they say, what is copied and what files have is the same. */
static void
test_links_spots(void)
{
  g_autoptr(RegardAlignment) a = align("I have two dogs.", "Ich habe zwei Hunde.", "");
  g_autoptr(RegardFigure) figure = make_links(a, FALSE);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 600, 10, NULL);
  g_assert_cmpuint(spots->len, ==, a->n_words[0] + a->n_words[1] + a->n_links);
  g_assert_cmpuint(a->n_links, >, 0);
  g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 2);
  g_autoptr(RegardMatrix) links = regard_matrix_ref(regard_figure_matrix(figure, 0));
  g_autoptr(RegardMatrix) values = regard_matrix_ref(regard_figure_matrix(figure, 1));
  g_assert_cmpstr(links->id, ==, "links");
  guint n = 0;
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    g_autofree char *words = regard_figure_describe_spot(figure, spot);
    g_autofree char *copied = regard_figure_copy_spot(figure, spot);
    if (spot->part < MT_N_STACKS) {
      g_assert_true(g_str_has_prefix(words, a->words[spot->part][spot->row]));
      continue;
    }
    const float share = regard_matrix_get(links, (guint) spot->row, (guint) spot->col);
    g_autofree char *said =
        g_strdup_printf("share %.3f, norm %.4g", (double) share,
                        (double) regard_matrix_get(values, (guint) spot->row, (guint) spot->col));
    g_assert_nonnull(strstr(words, said));
    g_assert_cmpfloat((float) g_ascii_strtod(copied, NULL), ==, share);
    n++;
  }
  g_assert_cmpuint(n, ==, a->n_links);
  /* The layer of one sentence is its own, and said. */
  g_assert_true(a->recipe.is_chosen);
  g_assert_nonnull(strstr(values->title, "chosen without gold"));
}

/* ---- A gold file ------------------------------------------------------------------------------
 */

static RegardAlignmentScores *
score(const char *typed)
{
  static const char file[] = "I have two dogs.\tIch habe zwei Hunde.\t1-1 2-2 3-3 4-4\n"
                             "My brother bought an old house.\tMein Bruder hat ein altes Haus "
                             "gekauft.\t1-1 2-2 3-7 4-4 5-5 6-6\t3-3\n";
  mt_error error = {0};
  mt_recipe recipe;
  mt_gold *gold =
      mt_gold_parse("two.tsv", file, strlen(file), MT_GOLD_GUESS, MT_GOLD_GUESS, &error);
  const char *texts[MT_N_STACKS][2];
  for (int side = 0; side < MT_N_STACKS; side++)
    for (gsize i = 0; i < 2; i++)
      texts[side][i] = mt_gold_text(gold, i, (mt_stack) side);
  const mt_evaluation_params params = {.gold = gold, .n = 2, .texts = {texts[0], texts[1]}};
  g_assert_true(mt_recipe_parse(&recipe, "test", typed, &error));
  RegardAlignmentScores *scores =
      regard_alignment_scores_new(test.model, &params, &recipe, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_gold_unref(gold);
  return scores;
}

static guint
n_present(const RegardAlignmentScores *scores)
{
  guint n = 0;
  for (guint i = 0; i < scores->n; i++)
    n += scores->ranked[i].is_present;
  return n;
}

/* Best first; one of them is the present one, whatever it is of. */
static void
test_scores(void)
{
  static const char *const recipes[] = {"", "of=2", "matrix=weights of=2.1 row=output",
                                        "of=1.1+2.2"};
  for (guint i = 0; i < G_N_ELEMENTS(recipes); i++) {
    g_autoptr(RegardAlignmentScores) s = score(recipes[i]);
    g_assert_cmpuint(s->n, ==, 4 * s->n_layers * (1 + s->n_heads) + (i == 3));
    g_assert_cmpuint(n_present(s), ==, 1);
    for (guint r = 1; r < s->n; r++)
      g_assert_cmpfloat(s->ranked[r - 1].aer, <=, s->ranked[r].aer);
    for (guint r = 0; r < s->n; r++) {
      const RegardScored *one = &s->ranked[r];
      g_assert_true(one->low <= one->aer && one->aer <= one->high);
      if (one->is_present && i == 2)
        g_assert_cmpfloat(one->aer, ==, s->heads[1 * s->n_heads + 0]);
    }
  }
}

static void
test_scores_page(void)
{
  static const double widths[] = {330, 560, 1000};
  g_autoptr(RegardAlignmentScores) s = score("");
  for (guint w = 0; w < G_N_ELEMENTS(widths); w++) {
    RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
    style.dark = w == 1;
    g_autoptr(RegardFigure) figure = regard_figure_new_scores(s, &style);
    g_autofree char *caption = regard_figure_caption(figure);
    g_autoptr(GArray) spots = regard_figure_spots(figure, widths[w], 10, NULL);
    Recorder *r = record(figure, widths[w], 10);
    assert_on_page(r, figure, widths[w], 10);
    g_assert_nonnull(strstr(caption, "two.tsv: 2 sentences, 10 sure and 1 further possible links"));
    g_assert_cmpuint(spots->len, >=, 10 + s->n_layers * s->n_heads);
    for (guint i = 0; i < spots->len; i++) {
      const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
      g_autoptr(RegardMatrix) m = regard_alignment_scores_matrix(s, (RegardScoresPart) spot->part);
      g_autofree char *copied = regard_figure_copy_spot(figure, spot);
      g_autofree char *words = regard_figure_describe_spot(figure, spot);
      g_assert_cmpfloat((float) g_ascii_strtod(copied, NULL), ==,
                        regard_matrix_get(m, (guint) spot->row, (guint) spot->col));
      g_assert_nonnull(strstr(words, "AER"));
    }
    regard_canvas_free(&r->parent);
  }
}

static void
tear_down(void)
{
  steps_test_close(&test);
}

TESTS(.end = tear_down)
{
  steps_test_open(&test, "frozen/en-de");
  g_test_add_func("/figure-alignment/links-page", test_links_page);
  g_test_add_func("/figure-alignment/links-spots", test_links_spots);
  g_test_add_func("/figure-alignment/scores", test_scores);
  g_test_add_func("/figure-alignment/scores-page", test_scores_page);
}

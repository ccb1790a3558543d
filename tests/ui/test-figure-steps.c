/* test-figure-steps.c — the picture of one step: nothing leaves the page and no two texts touch,
 * whatever the sizes; what it says of each place; and its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"
#include "figures/regard-figure-steps.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static mt_model *model;
static mt_session *session;

#define DOGS "I have two dogs."
#define LONG                                                                                 \
  "The animal didn't cross the street because it was too tired, and I have two dogs and no " \
  "time. The animal didn't cross the street because it was too tired. I have two dogs."

static RegardSteps *
search(const char *text, size_t beam, size_t top, const mt_constraints *constraints,
       gboolean with_attention)
{
  mt_error error = {0};
  mt_search_params params = mt_search_params_default(model);
  params.beam_size = beam;
  params.trace = top;
  params.constraints = constraints;
  mt_translation *translation = mt_session_translate(session, text, &params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_capture *capture =
      with_attention ? mt_session_capture(session, translation, 0, 0, NULL, &error) : NULL;
  RegardSteps *steps = regard_steps_new(model, translation, 0, capture);
  g_assert_nonnull(steps);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return steps;
}

/* A prefix and a word that is taken away, by their pieces. */
static mt_constraints *
constrain(const char *prefix, const char *word, size_t step)
{
  mt_error error = {0};
  int32_t ids[16], forbidden[16];
  mt_tokens *a = mt_model_tokenize(model, MT_STACK_DECODER, prefix, &error);
  mt_tokens *b = mt_model_tokenize(model, MT_STACK_DECODER, word, &error);
  const size_t n = mt_tokens_count(a) - 1, m = mt_tokens_count(b) - 1;
  for (size_t i = 0; i < n; i++)
    ids[i] = mt_tokens_get(a, i)->id;
  for (size_t i = 0; i < m; i++)
    forbidden[i] = mt_tokens_get(b, i)->id;
  mt_constraints *constraints =
      mt_constraints_new(ids, n, &(mt_forbidden){step, forbidden, m}, 1, &error);
  g_assert_nonnull(constraints);
  mt_tokens_unref(a);
  mt_tokens_unref(b);
  return constraints;
}

static RegardFigure *
make_figure(RegardSteps *steps, guint step, int head, guint parts, gboolean dark)
{
  RegardStepsOptions look = REGARD_STEPS_OPTIONS_INIT;
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  look.step = step;
  look.head = head;
  look.parts = parts;
  look.layer = 3;
  look.selected = 1;
  style.dark = dark;
  return regard_figure_new_steps(steps, &look, &style);
}

/* No number is cut. */
static void
assert_whole_numbers(const Recorder *r)
{
  for (guint i = 0; i < r->texts->len; i++) {
    const char *text = g_array_index(r->texts, Written, i).text;
    if (g_str_has_suffix(text, "…") &&
        (strchr("0123456789<>", *text) || g_str_has_prefix(text, "−")))
      g_error("“%s” is cut", text);
  }
}

static void
test_laws(void)
{
  static const double widths[] = {200, 300, 460, 900}, fonts[] = {5, 7, 11};
  mt_constraints *constraints = constrain("Ich habe", "zwei", 2);
  RegardSteps *const all[] = {search(DOGS, 4, 20, NULL, TRUE), search(LONG, 1, 5, NULL, TRUE),
                              search(DOGS, 2, 20, constraints, TRUE),
                              search(DOGS, 4, 1, constraints, FALSE)};
  for (guint s = 0; s < G_N_ELEMENTS(all); s++) {
    const guint steps[] = {0, 2, all[s]->n - 1};
    for (guint t = 0; t < G_N_ELEMENTS(steps); t++)
      for (guint parts = 1; parts <= REGARD_STEPS_ALL; parts++) {
        g_autoptr(RegardFigure) figure =
            make_figure(all[s], steps[t], parts % 2 ? 2 : -1, parts, t % 2);
        for (guint w = 0; w < G_N_ELEMENTS(widths); w++)
          for (guint f = 0; f < G_N_ELEMENTS(fonts); f++) {
            if (widths[w] / fonts[f] < 27) /* 300 pixels, and letters of 11 */
              continue;
            Recorder *r = record(figure, widths[w], fonts[f]);
            assert_on_page(r, figure, widths[w], fonts[f]);
            assert_whole_numbers(r);
            regard_canvas_free(&r->parent);
          }
      }
    regard_steps_unref(all[s]);
  }
  mt_constraints_unref(constraints);
}

static void
test_written(void)
{
  mt_constraints *constraints = constrain("Ich habe", "zwei", 2);
  g_autoptr(RegardSteps) plain = search(DOGS, 4, 20, NULL, TRUE);
  g_autoptr(RegardSteps) forced = search(DOGS, 4, 20, constraints, FALSE);
  g_autoptr(RegardFigure) a = make_figure(plain, 1, 2, REGARD_STEPS_ALL, FALSE);
  Recorder *r = record(a, 460, 7);
  g_assert_true(has_text(r, "Step 2 of 7   goes in ▁Ich, comes out ▁habe"));
  g_assert_true(has_text(r, "chosen"));
  g_assert_true(has_text(r, "these 10 together"));
  g_assert_true(has_text(r, "cross · layer 4 · head 3"));
  g_assert_false(has_text(r, "forbidden"));
  g_assert_false(has_text(r, "after"));
  regard_canvas_free(&r->parent);

  g_autoptr(RegardFigure) b = make_figure(forced, 2, -1, REGARD_STEPS_ALL, FALSE);
  r = record(b, 460, 7);
  g_assert_true(has_text(r, "begins with: Ich habe"));
  g_assert_true(has_text(r, "forbidden: step 3: ▁zwei"));
  g_assert_true(has_text(r, "−∞"));
  g_assert_true(has_text(r, "No attention was captured."));
  regard_canvas_free(&r->parent);

  g_autoptr(RegardFigure) c = make_figure(forced, 1, -1, REGARD_STEPS_CANDIDATES, FALSE);
  r = record(c, 460, 7);
  g_assert_true(has_text(r, "forced prefix"));
  g_assert_false(has_text(r, "chosen"));
  regard_canvas_free(&r->parent);
  regard_figure_leave_out(c, REGARD_PART_TITLE | REGARD_PART_NUMBERS | REGARD_PART_MODEL);
  r = record(c, 460, 7);
  g_assert_false(has_text(r, "Step 2"));
  g_assert_false(has_text(r, "log p"));
  g_assert_true(has_text(r, "begins with: Ich habe"));
  regard_canvas_free(&r->parent);
  mt_constraints_unref(constraints);
}

static void
test_spots(void)
{
  guint n[3] = {0};
  double together = 0;
  g_autoptr(RegardSteps) steps = search(DOGS, 4, 20, NULL, TRUE);
  g_autoptr(RegardFigure) figure = make_figure(steps, 2, 2, REGARD_STEPS_ALL, FALSE);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 460, 7, NULL);
  const double height = regard_figure_height(figure, 460, 7);
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    g_autofree char *says = regard_figure_describe_spot(figure, spot);
    g_autofree char *copy = regard_figure_copy_spot(figure, spot);
    char *end;
    g_assert_nonnull(says);
    const double value = g_ascii_strtod(copy, &end);
    g_assert_cmpint(*end, ==, '\0');
    g_assert_cmpfloat(spot->rect.y + spot->rect.height, <=, height);
    n[spot->part]++;
    if (spot->part == REGARD_STEPS_SPOT_TOKEN)
      together += value;
    if (spot->part == REGARD_STEPS_SPOT_CANDIDATE && spot->row == 0) {
      const mt_step_row row = steps->steps->rows[(gsize) steps->rows[2]];
      g_autofree char *rank = g_strdup_printf("rank 1 of %" G_GSIZE_FORMAT,
                                              mt_model_config(model)->vocab_size[MT_STACK_DECODER]);
      g_assert_cmpfloat_with_epsilon(value, exp((double) row.options[0].logprob), 1e-6);
      g_assert_cmpint(spot->col, ==, row.options[0].id);
      g_assert_true(g_str_has_prefix(says, "▁zwei (id "));
      g_assert_nonnull(strstr(says, rank));
      g_assert_true(g_str_has_suffix(says, "\nchosen"));
    }
    if (spot->part == REGARD_STEPS_SPOT_CANDIDATE && spot->row == 1)
      g_assert_true(g_str_has_suffix(says, " times as likely as ▁zwei, which was chosen"));
    if (spot->part == REGARD_STEPS_SPOT_STEP && spot->col == 0)
      g_assert_true(g_str_has_prefix(says, "step 1: goes in start, comes out ▁Ich\nprobability "));
  }
  g_assert_cmpuint(n[REGARD_STEPS_SPOT_CANDIDATE], ==, 10);
  g_assert_cmpuint(n[REGARD_STEPS_SPOT_STEP], ==, steps->n);
  /* A row of weights sums to 1, whatever of it has bars. */
  g_assert_cmpfloat_with_epsilon(together, 1, 1e-5);
  const RegardSpot nowhere[] = {{.part = REGARD_STEPS_SPOT_CANDIDATE, .row = 999},
                                {.part = REGARD_STEPS_SPOT_CANDIDATE, .row = -1},
                                {.part = REGARD_STEPS_SPOT_STEP, .col = 999}};
  for (guint i = 0; i < G_N_ELEMENTS(nowhere); i++) {
    g_assert_null(regard_figure_describe_spot(figure, &nowhere[i]));
    g_assert_null(regard_figure_copy_spot(figure, &nowhere[i]));
  }
}

static void
test_matrices(void)
{
  static const char *const ids[] = {"options", "steps", "all_options", "attention"};
  g_autoptr(RegardSteps) steps = search(DOGS, 4, 6, NULL, TRUE);
  g_autoptr(RegardSteps) blind = search(DOGS, 4, 6, NULL, FALSE);
  g_autoptr(RegardFigure) figure = make_figure(steps, 99, -1, REGARD_STEPS_ALL, FALSE);
  g_autoptr(RegardFigure) other = make_figure(blind, 0, -1, REGARD_STEPS_ALL, FALSE);
  g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 4);
  g_assert_cmpuint(regard_figure_n_matrices(other), ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
    g_assert_cmpstr(regard_figure_matrix(figure, i)->id, ==, ids[i]);
  g_assert_cmpuint(regard_figure_matrix(figure, 3)->rows, ==, 1);
  g_assert_cmpuint(regard_figure_matrix(figure, 1)->rows, ==, steps->n);
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_true(g_str_has_prefix(caption, "Step 7 of 7: . goes in, ⏎ comes out."));
}

/* What is rounded to nothing or to all is said to be neither. */
static void
test_percent(void)
{
  char text[32];
  g_assert_cmpstr(regard_steps_percent(text, 0.11069), ==, "11.07 %");
  g_assert_cmpstr(regard_steps_percent(text, 0.00004), ==, "<0.01 %");
  g_assert_cmpstr(regard_steps_percent(text, 0.00005), ==, "0.01 %");
  g_assert_cmpstr(regard_steps_percent(text, 0.99999), ==, ">99.99 %");
  g_assert_cmpstr(regard_steps_percent(text, 1), ==, "100.00 %");
  g_assert_cmpstr(regard_steps_percent(text, 0), ==, "<0.01 %");
}

static void
tear_down(void)
{
  mt_session_free(session);
  mt_model_unref(model);
}

TESTS(.end = tear_down)
{
  mt_error error = {0};
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "data", "frozen", "en-de", NULL);
  model = mt_model_open(path, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  session = mt_session_new(model, &(mt_session_options){.n_threads = 1}, &error);
  g_assert_nonnull(session);
  g_test_add_func("/figure-steps/laws", test_laws);
  g_test_add_func("/figure-steps/written", test_written);
  g_test_add_func("/figure-steps/spots", test_spots);
  g_test_add_func("/figure-steps/matrices", test_matrices);
  g_test_add_func("/figure-steps/percent", test_percent);
}

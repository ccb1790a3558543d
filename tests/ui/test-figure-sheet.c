/* test-figure-sheet.c — the sheet as a figure: its page, the places that can be pointed at, and
 * what it is not for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-private.h"
#include "figures/regard-worksheet.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static mt_model *model;
static mt_session *session;

#define A4_WIDTH (REGARD_FIGURE_SHEET_WIDTH * 72 / 25.4)

static mt_translation *
translate(const char *text, const mt_hooks *hooks)
{
  mt_error error = {0};
  mt_translation *translation = mt_session_translate(session, text, NULL, hooks, &error);
  g_assert_cmpstr(error.message, ==, "");
  return translation;
}

static RegardFigure *
make_figure(const char *text)
{
  mt_error error = {0};
  mt_activation_requests requests = {0};
  mt_translation *translation = translate(text, NULL);
  g_autofree char *problem = regard_figure_worksheet_problem(model, translation);
  g_assert_cmpstr(problem, ==, NULL);
  regard_figure_worksheet_add_requests(&requests);
  mt_trace *trace = mt_trace_new(model, translation, 0, &(mt_hooks){.requests = &requests}, &error);
  g_assert_cmpstr(error.message, ==, "");
  RegardFigure *figure = regard_figure_new_worksheet(model, translation, trace,
                                                     &(RegardFigureStyle) REGARD_FIGURE_STYLE_INIT);
  mt_trace_unref(trace);
  mt_translation_unref(translation);
  return figure;
}

/* Whatever its width and font, all of it is on the page; as it is by itself, that is of A4. */
static void
test_page(void)
{
  static const char *const texts[] = {"cat", "dog", "bird cat"};
  static const double widths[] = {60, 300, A4_WIDTH, 1200},
                      fonts[] = {2, REGARD_FIGURE_SHEET_FONT, 20};
  for (guint t = 0; t < G_N_ELEMENTS(texts); t++) {
    g_autoptr(RegardFigure) figure = make_figure(texts[t]);
    for (guint w = 0; w < G_N_ELEMENTS(widths); w++)
      for (guint f = 0; f < G_N_ELEMENTS(fonts); f++) {
        const double height = regard_figure_height(figure, widths[w], fonts[f]);
        g_autoptr(GArray) spots = regard_figure_spots(figure, widths[w], fonts[f], NULL);
        g_assert_cmpuint(spots->len, >, 400);
        for (guint i = 0; i < spots->len; i++) {
          const RegardRect *r = &g_array_index(spots, RegardSpot, i).rect;
          g_assert_cmpfloat(r->x, >, 0);
          g_assert_cmpfloat(r->y, >, 0);
          g_assert_cmpfloat(r->x + r->width, <, widths[w]);
          g_assert_cmpfloat(r->y + r->height, <, height);
        }
      }
  }
  g_autoptr(RegardFigure) figure = make_figure("cat");
  g_assert_cmpfloat(fabs(regard_figure_height(figure, A4_WIDTH, REGARD_FIGURE_SHEET_FONT) -
                         A4_WIDTH * G_SQRT2),
                    <, 1e-6);
}

/* No two numbers stand on each other. */
static void
test_apart(void)
{
  g_autoptr(RegardFigure) figure = make_figure("bird cat");
  g_autoptr(GArray) spots = regard_figure_spots(figure, A4_WIDTH, REGARD_FIGURE_SHEET_FONT, NULL);
  for (guint i = 0; i < spots->len; i++)
    for (guint j = 0; j < i; j++) {
      const RegardRect *a = &g_array_index(spots, RegardSpot, i).rect;
      const RegardRect *b = &g_array_index(spots, RegardSpot, j).rect;
      const double x = MIN(a->x + a->width, b->x + b->width) - MAX(a->x, b->x);
      const double y = MIN(a->y + a->height, b->y + b->height) - MAX(a->y, b->y);
      g_assert_false(x > 1e-6 && y > 1e-6);
    }
}

/* Every number that can be pointed at is said as it is printed, and copied as files have it. */
static void
test_spots(void)
{
  g_autoptr(RegardFigure) figure = make_figure("cat");
  g_autoptr(GArray) spots = regard_figure_spots(figure, A4_WIDTH, REGARD_FIGURE_SHEET_FONT, NULL);
  g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < regard_figure_n_matrices(figure); i++)
    g_assert_true(g_hash_table_add(ids, (gpointer) regard_figure_matrix(figure, i)->id));
  gboolean has_query = FALSE, has_mask = FALSE;
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    const RegardMatrix *m = regard_figure_matrix(figure, (guint) spot->part);
    const float value = regard_matrix_get(m, (guint) spot->row, (guint) spot->col);
    g_autofree char *copied = regard_figure_copy_spot(figure, spot);
    g_autofree char *said = regard_figure_describe_spot(figure, spot);
    const char *printed = strrchr(said, ' ') + 1;
    if (isinf(value)) {
      g_assert_cmpstr(copied, ==, "-inf");
      g_assert_cmpstr(printed, ==, "−∞");
      has_mask = TRUE;
    } else {
      const char *digits = g_str_has_prefix(printed, "−") ? printed + strlen("−") : printed;
      g_assert_cmpfloat(fabs(g_ascii_strtod(digits, NULL) - fabs(value)), <, 1e-6);
      g_assert_cmpint(value < 0, ==, digits != printed);
      g_assert_true((float) g_ascii_strtod(copied, NULL) == value);
    }
    if (g_str_equal(m->id, "encoder.1.query") && spot->row == 0 && spot->col == 3) {
      g_autofree char *want = g_strdup_printf("Q = X0 WQ, token cat, dimension 3: %s", printed);
      g_assert_cmpstr(said, ==, want);
      has_query = TRUE;
    }
  }
  g_assert_true(has_query);
  g_assert_true(has_mask);
}

static void
test_changed(void)
{
  mt_error error = {0};
  mt_interventions *interventions = mt_interventions_parse("test", "cross 1.1 zero", &error);
  g_assert_nonnull(interventions);
  mt_translation *translation = translate("cat", &(mt_hooks){.interventions = interventions});
  g_autofree char *problem = regard_figure_worksheet_problem(model, translation);
  g_assert_cmpstr(problem, ==, "A sheet shows by-hand as it is, without changes");
  mt_translation_unref(translation);
  mt_interventions_unref(interventions);
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
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "..", "models", "by-hand", NULL);
  model = mt_model_open(path, NULL, &error);
  if (!model)
    g_error("%s", error.message);
  session = mt_session_new(model, &(mt_session_options){.n_threads = 1}, &error);
  g_assert_nonnull(session);
  g_test_add_func("/figure-sheet/page", test_page);
  g_test_add_func("/figure-sheet/apart", test_apart);
  g_test_add_func("/figure-sheet/spots", test_spots);
  g_test_add_func("/figure-sheet/changed", test_changed);
}

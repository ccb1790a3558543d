/* test-window-compare.c — A beside B in the window: the untouched run while something is changed, a
 * reference that was kept, the difference, and what cannot be compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-attention.h"
#include "parts/regard-compare-bar.h"
#include "suite.h"
#include "window-test.h"

#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

static mt_capture *
shown(WindowTest *t)
{
  return regard_selection_get_capture(t->selection);
}

/* Compared, and painted. */
static const RegardComparison *
compared(WindowTest *t)
{
  app_test_until(!regard_document_is_busy(t->document) &&
                 (regard_document_get_compared(t->document)->comparison ||
                  regard_document_get_compared(t->document)->error));
  window_test_settle(t);
  return regard_document_get_compared(t->document)->comparison;
}

static void
set(WindowTest *t, RegardCompare compare)
{
  regard_document_set_compare(t->document, compare);
}

static const char *
bar_says(WindowTest *t)
{
  GtkWidget *bar = window_test_find(t->window, REGARD_TYPE_COMPARE_BAR);
  GtkWidget *label =
      gtk_widget_get_next_sibling(gtk_widget_get_first_child(gtk_widget_get_first_child(bar)));
  return gtk_widget_get_mapped(bar) ? gtk_label_get_text(GTK_LABEL(label)) : NULL;
}

static int32_t
id_at(const mt_capture *capture, gsize i)
{
  return mt_tokens_get(mt_capture_output(capture), i)->id;
}

/* While a head is off the run without the change is A; of B each weight, and the words of A. */
static void
test_untouched(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  g_autofree char *plain = window_test_target(t);
  g_assert_null(bar_says(t));
  g_assert_false(regard_document_can_compare(t->document));
  set(t, REGARD_COMPARE_DIFFERENCE); /* with what? */
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_OFF);

  regard_document_edit_interventions(t->document, "cross 5 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  window_test_settle(t);
  g_assert_nonnull(strstr(bar_says(t), "without changes"));
  g_autoptr(mt_capture) now = mt_capture_ref(shown(t));
  set(t, REGARD_COMPARE_A);
  const RegardComparison *c = compared(t);
  g_assert_nonnull(c);
  g_assert_true(shown(t) == c->passes[0]->capture);
  g_assert_cmpuint(mt_interventions_count(mt_capture_interventions(shown(t))), ==, 0);
  g_assert_cmpstr(mt_translation_hypothesis(c->passes[0]->translation, 0)->text, ==, plain);
  set(t, REGARD_COMPARE_B);
  g_assert_true(shown(t) == c->passes[1]->capture);
  g_assert_cmpstr(mt_interventions_text(mt_capture_interventions(shown(t))), ==, "cross 5 zero");
  g_assert_cmpfloat(c->logprobs[1], !=, c->logprobs[0]);
  for (gsize i = 0; i < mt_tokens_count(mt_capture_output(shown(t))); i++)
    g_assert_cmpint(id_at(c->passes[0]->capture, i), ==, id_at(c->passes[1]->capture, i));

  set(t, REGARD_COMPARE_DIFFERENCE);
  g_assert_true(shown(t) == c->difference);
  regard_selection_set_place(t->selection, MT_CROSS, 5, 2);
  const RegardMatrix *m = regard_selection_get_matrix(t->selection);
  g_assert_true(m->diverging);
  g_assert_cmpfloat(m->hi, ==, mt_capture_difference_most(c->difference));
  g_assert_cmpfloat(m->lo, ==, -m->hi);
  g_assert_false(m->rows_are_distributions);
  g_assert_cmpstr(m->badges[0], ==, "B − A, A: without changes");
  for (guint r = 0; r < m->rows; r++)
    g_assert_cmpfloat(fabs(regard_matrix_row_sum(m, r)), <, 1e-5);
  /* A head before the change did not move, and has the scale of all. */
  regard_selection_set_place(t->selection, MT_DECODER_SELF, 0, 0);
  m = regard_selection_get_matrix(t->selection);
  g_assert_true(m->diverging);
  g_assert_cmpfloat(m->hi, ==, mt_capture_difference_most(c->difference));
  g_assert_cmpfloat(regard_matrix_get(m, 1, 0), ==, 0);
  g_assert_nonnull(strstr(bar_says(t), "log p of its words"));

  /* What leaves the window says it too. */
  g_autoptr(RegardFigure) figure =
      regard_view_create_figure(regard_window_get_view(t->window), "head");
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(
      strstr(caption, "minus those of the reference (A: en-de, F32, without changes)"));
  g_assert_nonnull(strstr(caption, "Changed in the model: cross 5 zero."));

  set(t, REGARD_COMPARE_OFF);
  window_test_settle(t);
  g_assert_true(shown(t) == now);
}

/* It follows what is typed and switched; without a change there is nothing to compare with. */
static void
test_follows(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_document_edit_interventions(t->document, "cross 5.1 zero", REGARD_INTERVENTION_TOGGLE,
                                     NULL);
  window_test_settle(t);
  set(t, REGARD_COMPARE_DIFFERENCE);
  g_assert_nonnull(compared(t));
  window_test_translate(t, "Thank you.");
  const RegardComparison *c = compared(t);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(shown(t))), ==, "Thank you.");
  g_assert_true(shown(t) == c->difference);
  const float most = mt_capture_difference_most(c->difference);
  regard_document_edit_interventions(t->document, "encoder 1.* uniform", REGARD_INTERVENTION_TOGGLE,
                                     NULL);
  window_test_settle(t);
  c = compared(t);
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), >, most);
  g_assert_cmpuint(mt_interventions_count(mt_capture_interventions(c->passes[1]->capture)), ==, 2);

  regard_document_undo(t->document);
  window_test_settle(t);
  c = compared(t);
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), ==, most);
  regard_document_set_interventions(t->document, NULL);
  window_test_settle(t);
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_OFF);
  g_assert_null(mt_capture_difference_a(shown(t)));
  g_assert_null(bar_says(t));
}

/* By the keys: what is there is kept, and the sides are gone through. */
static void
test_kept(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  g_autoptr(mt_capture) first = mt_capture_ref(shown(t));
  window_test_act(t, "win.keep-reference", NULL);
  window_test_settle(t);
  g_assert_nonnull(strstr(bar_says(t), "no change"));
  window_test_act(t, "win.compare", NULL);
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_A);
  const RegardComparison *c = compared(t);
  g_assert_true(shown(t) == first);
  /* Nothing is changed: the same words, the same weights. */
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), <, 2e-5);
  g_assert_cmpfloat(fabs(c->logprobs[1] - c->logprobs[0]), <, 1e-4);

  regard_document_edit_interventions(t->document, "cross 6.* uniform", REGARD_INTERVENTION_TOGGLE,
                                     NULL);
  window_test_settle(t);
  c = compared(t);
  g_assert_true(shown(t) == first);
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), >, 0.05);
  for (guint i = 0; i < 3; i++)
    window_test_act(t, "win.compare", NULL);
  g_assert_cmpint(regard_document_get_compared(t->document)->side, ==, REGARD_COMPARE_OFF);

  /* Another sentence is said to be one, and the picture is that of now. */
  set(t, REGARD_COMPARE_DIFFERENCE);
  window_test_translate(t, "Where is the station?");
  g_assert_null(compared(t));
  g_assert_nonnull(strstr(bar_says(t), "cannot be compared"));
  g_assert_null(mt_capture_difference_a(shown(t)));
  GtkToggleButton *now =
      window_test_find(window_test_child(t, "compare_bar"), GTK_TYPE_TOGGLE_BUTTON);
  g_assert_true(gtk_toggle_button_get_active(now));
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(shown(t))), ==, "Where is the station?");
  window_test_translate(t, DOGS);
  g_assert_nonnull(compared(t));
  g_assert_nonnull(mt_capture_difference_a(shown(t)));

  window_test_act(t, "win.drop-reference", NULL);
  window_test_settle(t);
  g_assert_nonnull(strstr(bar_says(t), "without changes"));
}

/* A reference of one precision and a model of another. */
static void
test_precision(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_document_keep_reference(t->document);
  g_settings_set_string(t->settings, "precision", "int8");
  window_test_settle(t);
  set(t, REGARD_COMPARE_B);
  const RegardComparison *c = compared(t);
  g_assert_nonnull(c);
  g_assert_cmpint(mt_model_precision(c->passes[0]->model), ==, MT_PRECISION_STORED);
  g_assert_cmpint(mt_model_precision(c->passes[1]->model), ==, MT_PRECISION_INT8);
  g_assert_cmpfloat(c->logprobs[0], !=, c->logprobs[1]);
  /* Of a precision the attention is what the model has with it. */
  g_assert_cmpint(mt_capture_precision(c->passes[1]->capture), ==, MT_PRECISION_INT8);
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), >, 1e-4);
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), <, 0.5);
}

/* Two sentences that differ in a word are compared place by place. */
static void
test_sentences(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_document_keep_reference(t->document);
  window_test_translate(t, "I have two cats.");
  set(t, REGARD_COMPARE_DIFFERENCE);
  const RegardComparison *c = compared(t);
  g_assert_nonnull(c);
  g_assert_true(shown(t) == c->difference);
  g_assert_nonnull(strstr(bar_says(t), DOGS));
  g_assert_cmpstr(mt_tokens_get(mt_capture_source(shown(t)), 3)->piece, ==, "▁dog→cat");
  /* B reads its own sentence, and is given the words of A. */
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(c->passes[1]->capture)), ==, "I have two cats.");
  for (gsize i = 0; i < mt_tokens_count(mt_capture_output(shown(t))); i++)
    g_assert_cmpint(id_at(c->passes[0]->capture, i), ==, id_at(c->passes[1]->capture, i));
  g_assert_cmpfloat(c->logprobs[1], <, c->logprobs[0]);
  g_autofree char *caption = window_test_caption(t);
  g_assert_nonnull(strstr(caption, "The sentence of the reference"));
}

/* Two steps of one training have one shape and one vocabulary. */
static void
test_checkpoints(WindowTest *t, gconstpointer data)
{
  const char *dir = g_getenv("REGARD_TRAINING_DIR");
  g_autoptr(GDir) list = g_dir_open(dir, 0, NULL);
  g_autoptr(GPtrArray) steps = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(list));)
    if (g_str_has_prefix(name, "step-"))
      g_ptr_array_add(steps, g_build_filename(dir, name, NULL));
  g_assert_cmpuint(steps->len, >, 1);
  regard_document_open_model(t->document, steps->pdata[0]);
  window_test_settle(t);
  window_test_translate(t, DOGS);
  regard_document_keep_reference(t->document);
  regard_document_open_model(t->document, steps->pdata[1]);
  window_test_settle(t);
  set(t, REGARD_COMPARE_DIFFERENCE);
  const RegardComparison *c = compared(t);
  g_assert_nonnull(c);
  g_assert_true(c->passes[0]->model != c->passes[1]->model);
  g_assert_cmpfloat(mt_capture_difference_most(c->difference), >, 1e-3);
}

static void
test_words(WindowTest *t, gconstpointer data)
{
  static const char *const rows[][3] = {
      {"a b c", "a b c", "a b c"},
      {"a b c", "a x c", "a <s>b</s> <b>x</b> c"},
      {"a b", "b", "<s>a</s> b"},
      {"", "neu", "<b>neu</b>"},
      {"alt", "", "<s>alt</s>"},
      {"", "", ""},
      {"a  < b", "a & b", "a <s>&lt;</s> <b>&amp;</b> b"},
      {"das Tier ging nicht über die Straße", "das Tier hat die Straße nicht überquert",
       "das Tier <s>ging</s> <s>nicht</s> <s>über</s> <b>hat</b> die Straße <b>nicht</b> "
       "<b>überquert</b>"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *markup = regard_word_diff_markup(rows[i][0], rows[i][1]);
    g_assert_cmpstr(markup, ==, rows[i][2]);
    g_assert_true(pango_parse_markup(markup, -1, 0, NULL, NULL, NULL, NULL));
  }
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-compare/untouched", test_untouched);
  WINDOW_TEST("/window-compare/follows", test_follows);
  WINDOW_TEST("/window-compare/kept", test_kept);
  WINDOW_TEST("/window-compare/precision", test_precision);
  WINDOW_TEST("/window-compare/sentences", test_sentences);
  WINDOW_TEST("/window-compare/checkpoints", test_checkpoints);
  WINDOW_TEST("/window-compare/words", test_words);
}

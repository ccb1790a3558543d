/* test-window-bench.c — the bench of the page Positions: encodings switched off, shifted, swapped
 * and laid out otherwise, and what the encoder then knows of the order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "widgets/regard-permutation-card.h"
#include "widgets/regard-position-editor.h"
#include "window-test.h"

#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

static void
press(gpointer root, const char *label)
{
  GtkWidget *child = gtk_widget_get_first_child(root);
  for (; child; child = gtk_widget_get_next_sibling(child)) {
    if (GTK_IS_BUTTON(child) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(child)), label) == 0) {
      if (GTK_IS_TOGGLE_BUTTON(child))
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(child),
                                     !gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(child)));
      else
        g_signal_emit_by_name(child, "clicked");
      return;
    }
    if (gtk_widget_get_mapped(child))
      press(child, label);
  }
}

static RegardPositionEditorChips *
open_bench(WindowTest *t, const char *text)
{
  window_test_translate(t, text);
  window_test_act(t, "win.show-view", "s", "positions");
  window_test_settle(t);
  press(regard_window_get_view(t->window), "Bench");
  window_test_settle(t);
  return window_test_find(t->window, REGARD_TYPE_POSITION_EDITOR_CHIPS);
}

static const char *
interventions(WindowTest *t)
{
  window_test_settle(t);
  const mt_interventions *made =
      mt_capture_interventions(regard_selection_get_capture(t->selection));
  g_assert_true(
      mt_interventions_equal(made, regard_document_get_search(t->document)->interventions));
  return mt_interventions_text(made);
}

static char *
chip_says(RegardPositionEditorChips *chips, guint token)
{
  GtkWidget *box =
      gtk_button_get_child(GTK_BUTTON(regard_position_editor_chips_get_chip(chips, token)));
  return g_strdup(gtk_label_get_text(GTK_LABEL(gtk_widget_get_last_child(box))));
}

static void
assert_chip(RegardPositionEditorChips *chips, guint token, const char *text)
{
  g_autofree char *says = chip_says(chips, token);
  g_assert_cmpstr(says, ==, text);
}

/* What was added to a token, as it is exported. */
static float
added(WindowTest *t, guint token, guint dimension)
{
  g_autoptr(RegardFigure) figure =
      regard_view_create_figure(regard_window_get_view(t->window), "bench");
  return regard_matrix_get(regard_figure_matrix(figure, 0), token, dimension);
}

static mt_matrix
table(WindowTest *t)
{
  return mt_model_positions(regard_document_get_model(t->document), MT_STACK_ENCODER);
}

/* By its buttons; every step is one to be undone. */
static void
test_buttons(WindowTest *t, gconstpointer data)
{
  RegardPositionEditorChips *chips = open_bench(t, DOGS);
  GtkWidget *bench = window_test_find(t->window, REGARD_TYPE_POSITION_EDITOR);
  mt_matrix own = table(t);
  g_assert_cmpstr(interventions(t), ==, "");
  assert_chip(chips, 2, "2");
  g_assert_cmpfloat(added(t, 2, 0), ==, mt_matrix_at(&own, 2, 0));

  press(bench, "All Off");
  g_assert_cmpstr(interventions(t), ==, "source position zero");
  assert_chip(chips, 2, "off");
  g_assert_cmpfloat(added(t, 2, 0), ==, 0);
  gtk_test_accessible_assert_property(regard_position_editor_chips_get_chip(chips, 2),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "▁two at position 2: no encoding");
  press(bench, "All Off");
  g_assert_cmpstr(interventions(t), ==, "");
  press(bench, "All +1");
  press(bench, "All +1"); /* before the first has been computed */
  g_assert_cmpstr(interventions(t), ==, "source position shift 2");
  assert_chip(chips, 0, "0 → 2");
  g_assert_cmpfloat(fabsf(added(t, 0, 0) - mt_matrix_at(&own, 2, 0)), <, 1e-6);
  press(bench, "All −1");
  g_assert_cmpstr(interventions(t), ==, "source position shift 1");
  press(bench, "Interleaved");
  g_assert_cmpstr(interventions(t), ==, "source position shift 1\nsource position interleave");
  g_assert_cmpfloat(added(t, 1, 1), ==, mt_matrix_at(&own, 2, own.cols / 2));
  press(bench, "Reset");
  g_assert_cmpstr(interventions(t), ==, "");
  g_assert_cmpfloat(added(t, 2, 0), ==, mt_matrix_at(&own, 2, 0));

  regard_document_undo(t->document);
  g_assert_cmpstr(interventions(t), ==, "source position shift 1\nsource position interleave");
  assert_chip(chips, 0, "0 → 1");
  regard_document_undo(t->document);
  regard_document_undo(t->document);
  g_assert_cmpstr(interventions(t), ==, "source position shift 2");
  regard_document_redo(t->document);
  g_assert_cmpstr(interventions(t), ==, "source position shift 1");
  /* Other changes stay what they are. */
  regard_document_edit_interventions(t->document, "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE,
                                     NULL);
  window_test_settle(t);
  press(bench, "Reset");
  g_assert_cmpstr(interventions(t), ==, "cross 4.1 zero");
}

static void
key(WindowTest *t, guint keyval)
{
  g_assert_true(window_test_key(t, keyval, 0));
}

static float
score(WindowTest *t)
{
  return mt_translation_hypothesis(
             regard_result_active(regard_document_get_result(t->document))->translation, 0)
      ->score;
}

/* By the keyboard alone, and by a drag. */
static void
test_tokens(WindowTest *t, gconstpointer data)
{
  RegardPositionEditorChips *chips = open_bench(t, DOGS);
  const float plain = score(t);
  gtk_widget_grab_focus(regard_position_editor_chips_get_chip(chips, 1));
  window_test_settle(t);
  g_assert_cmpint(regard_position_editor_chips_get_cursor(chips), ==, 1);
  key(t, GDK_KEY_Delete);
  g_assert_cmpstr(interventions(t), ==, "source position 2 zero");
  key(t, GDK_KEY_Delete);
  g_assert_cmpstr(interventions(t), ==, "");
  key(t, GDK_KEY_plus);
  key(t, GDK_KEY_plus);
  g_assert_cmpstr(interventions(t), ==, "source position 2 as 4");
  assert_chip(chips, 1, "1 → 3");
  for (guint i = 0; i < 4; i++)
    key(t, GDK_KEY_minus);
  g_assert_cmpstr(interventions(t), ==, "source position 2 shift -2");
  assert_chip(chips, 1, "1 → −1");
  key(t, GDK_KEY_BackSpace);
  g_assert_cmpstr(interventions(t), ==, "");

  /* Two that are marked; a third takes the place of the first. */
  guint marks[2];
  static const guint marked[] = {3, 1, 2};
  for (guint i = 0; i < 3; i++)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(
                                     regard_position_editor_chips_get_chip(chips, marked[i])),
                                 TRUE);
  g_assert_cmpuint(regard_position_editor_chips_get_marks(chips, marks), ==, 2);
  g_assert_cmpuint(marks[0], ==, 1);
  g_assert_cmpuint(marks[1], ==, 2);
  key(t, GDK_KEY_s);
  g_assert_cmpstr(interventions(t), ==, "source position 2 swap 3");
  assert_chip(chips, 1, "1 → 2");
  assert_chip(chips, 2, "2 → 1");
  key(t, GDK_KEY_s);
  g_assert_cmpstr(interventions(t), ==, "");
  key(t, GDK_KEY_0);
  g_assert_cmpstr(interventions(t), ==, "source position zero");
  key(t, GDK_KEY_0);
  key(t, GDK_KEY_i);
  g_assert_cmpstr(interventions(t), ==, "source position interleave");
  g_assert_false(window_test_key(t, GDK_KEY_z, 0));
  key(t, GDK_KEY_i);
  g_assert_cmpstr(interventions(t), ==, "");

  g_signal_emit_by_name(chips, "swap-wanted", 0u, 3u); /* what a drag ends in */
  g_assert_cmpstr(interventions(t), ==, "source position 1 swap 4");
  g_assert_cmpfloat(score(t), !=, plain);
  /* Another sentence keeps the change, and has chips of its own. */
  window_test_translate(t, "Thank you.");
  g_assert_cmpstr(interventions(t), ==, "source position 1 swap 4");
  assert_chip(chips, 0, "0 → 3");
  g_assert_null(regard_position_editor_chips_get_chip(chips, 5));
}

typedef struct {
  RegardPermutationCard *card;
  const char *of; /* words in the label */
} Measured;

static gboolean
is_measured(gpointer data)
{
  const Measured *m = data;
  GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(GTK_WIDGET(m->card)));
  const char *text = gtk_label_get_text(GTK_LABEL(gtk_widget_get_next_sibling(title)));
  return regard_permutation_card_get_order(m->card) && strstr(text, m->of);
}

/* With the encodings the encoder knows the order, without them it does not: measured. */
static void
test_order(WindowTest *t, gconstpointer data)
{
  RegardPositionEditorChips *chips = open_bench(t, DOGS);
  Measured m = {window_test_find(t->window, REGARD_TYPE_PERMUTATION_CARD), "knows the order"};
  app_test_wait(is_measured, &m);
  const RegardPermutation *order = regard_permutation_card_get_order(m.card);
  g_assert_cmpfloat(order->now.difference, >, 0.1);
  g_assert_cmpfloat(order->now.difference, ==, order->untouched.difference);
  const double backwards = order->now.difference;

  press(window_test_find(t->window, REGARD_TYPE_POSITION_EDITOR), "All Off");
  window_test_settle(t);
  m.of = "does not know the order";
  app_test_wait(is_measured, &m);
  order = regard_permutation_card_get_order(m.card);
  g_assert_cmpfloat(order->now.difference, <, 1e-4);
  g_assert_cmpfloat(order->untouched.difference, ==, backwards);
  /* And so both are translated alike. */
  g_autofree char *here = window_test_target(t);
  g_assert_cmpstr(order->translation, ==, here);
  g_assert_cmpstr(order->text, !=, DOGS);

  /* Two that are marked change places, instead of all. */
  for (guint i = 1; i < 3; i++)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(regard_position_editor_chips_get_chip(chips, i)),
                                 TRUE);
  app_test_wait(is_measured, &m);
  order = regard_permutation_card_get_order(m.card);
  g_assert_cmpstr(order->text, ==, "I two have dogs.");
  g_assert_cmpfloat(order->untouched.difference, !=, backwards);
}

/* B − A: what B adds more; and a file has no bench. */
static void
test_compare(WindowTest *t, gconstpointer data)
{
  RegardPositionEditorChips *chips = open_bench(t, DOGS);
  mt_matrix own = table(t);
  regard_document_edit_interventions(t->document, "source position 3 zero",
                                     REGARD_INTERVENTION_TOGGLE, NULL);
  window_test_settle(t);
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  window_test_settle(t);
  app_test_until(mt_capture_difference_a(regard_selection_get_capture(t->selection)));
  g_assert_cmpfloat(added(t, 2, 5), ==, -mt_matrix_at(&own, 2, 5));
  g_assert_cmpfloat(added(t, 1, 5), ==, 0);
  regard_document_set_compare(t->document, REGARD_COMPARE_A);
  window_test_settle(t);
  g_assert_cmpfloat(added(t, 2, 5), ==, mt_matrix_at(&own, 2, 5));
  g_assert_null(
      regard_position_editor_chips_get_chip(chips, 0)); /* the reference stays what it was */
  regard_document_set_compare(t->document, REGARD_COMPARE_B);
  window_test_settle(t);
  assert_chip(chips, 2, "off");
  g_assert_cmpfloat(added(t, 2, 5), ==, 0);
}

/* The decoder's rows, of which the first reads the start token. */
static void
test_decoder(WindowTest *t, gconstpointer data)
{
  RegardPositionEditorChips *chips = open_bench(t, DOGS);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(window_test_find(regard_window_get_view(t->window),
                                                            GTK_TYPE_DROP_DOWN)),
                             1);
  window_test_settle(t);
  GtkWidget *bench = window_test_find(t->window, REGARD_TYPE_POSITION_EDITOR);
  press(bench, "All Off");
  g_assert_cmpstr(interventions(t), ==, "target position zero");
  assert_chip(chips, 0, "off");
  g_assert_false(gtk_widget_get_visible(window_test_find(t->window, REGARD_TYPE_PERMUTATION_CARD)));
  press(bench, "Reset");
  g_assert_cmpstr(interventions(t), ==, "");
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-bench/buttons", test_buttons);
  WINDOW_TEST("/window-bench/tokens", test_tokens);
  WINDOW_TEST("/window-bench/order", test_order);
  WINDOW_TEST("/window-bench/compare", test_compare);
  WINDOW_TEST("/window-bench/decoder", test_decoder);
}

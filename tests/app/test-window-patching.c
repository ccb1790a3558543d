/* test-window-patching.c — where words are decided, in the window: what is needed for it, its
 * numbers, the word that is chosen, and that it follows what is compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix.h"
#include "suite.h"
#include "window-test.h"

#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."
#define CATS "I have two cats."
#define NTH  9 /* in the list of pictures */

static RegardView *
view(WindowTest *t)
{
  return regard_window_get_view(t->window);
}

static RegardFigure *
figure(WindowTest *t)
{
  return regard_view_create_figure(view(t), "layers-decided");
}

static gboolean
is_offered(WindowTest *t)
{
  guint n;
  const RegardPicture *choices = regard_view_get_export_choices(view(t), &n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal(choices[i].id, "layers-decided"))
      return TRUE;
  return FALSE;
}

/* A label that is seen and has this in it. */
static gboolean
says(GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
      strstr(gtk_label_get_text(GTK_LABEL(widget)), text))
    return TRUE;
  for (GtkWidget *w = gtk_widget_get_first_child(widget); w; w = gtk_widget_get_next_sibling(w))
    if (says(w, text))
      return TRUE;
  return FALSE;
}

static gboolean
is_said(WindowTest *t, const char *text)
{
  return says(GTK_WIDGET(view(t)), text);
}

static void
wait_for(WindowTest *t, const char *text)
{
  app_test_until(is_said(t, text));
}

static gboolean
has_layers(gpointer data)
{
  WindowTest *t = data;
  guint n;
  return view(t) && regard_view_get_export_choices(view(t), &n) && n > 0;
}

/* By the keys, as a person goes from picture to picture. */
static void
open_picture(WindowTest *t)
{
  window_test_act(t, "win.show-view", "s", "layers");
  app_test_wait(has_layers, t);
  for (guint i = 0; i < NTH; i++)
    g_assert_true(window_test_key(t, GDK_KEY_Page_Down, GDK_CONTROL_MASK));
}

static float
number(WindowTest *t, guint map, guint row, guint col)
{
  g_autoptr(RegardFigure) f = figure(t);
  return regard_matrix_get(regard_figure_matrix(f, map), row, col);
}

/* Of the decoder's stream, and of what is compared. */
static guint
n_columns(WindowTest *t)
{
  g_autoptr(RegardFigure) f = figure(t);
  return regard_figure_matrix(f, 1)->cols;
}

static guint
n_output(WindowTest *t)
{
  mt_capture *a, *b;
  g_assert_true(regard_selection_get_pair(t->selection, &a, &b));
  return (guint) mt_tokens_count(mt_capture_output(a));
}

static gboolean
has_in_caption(WindowTest *t, const char *text)
{
  g_autoptr(RegardFigure) f = figure(t);
  g_autofree char *caption = regard_figure_caption(f);
  return strstr(caption, text) != NULL;
}

/* All maps of streams and heads against a session of the test's own. */
static void
compare_with_engine(WindowTest *t, const mt_patching *p, gsize token)
{
  for (guint row = 0; row <= p->n_layers[MT_STACK_DECODER]; row++)
    for (guint col = 0; col < p->n_tokens[MT_STACK_DECODER]; col++)
      g_assert_cmpfloat(
          fabs((double) number(t, 1, row, col) -
               mt_patching_recovered(p, mt_patching_stream(p, MT_STACK_DECODER, row, col), token)),
          <, 1e-3);
  for (guint head = 0; head < p->n_heads[MT_STACK_DECODER]; head++)
    g_assert_cmpfloat(fabs((double) number(t, 3, 0, head) -
                           mt_patching_recovered(p, mt_patching_head(p, MT_CROSS, 0, head), token)),
                      <, 1e-3);
}

/* Of a sentence that was kept: the one word in which they differ carries it all. */
static void
test_sentences(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  open_picture(t);
  wait_for(t, "keep a reference (Ctrl+R)");
  g_assert_false(is_offered(t));
  regard_document_keep_reference(t->document);
  wait_for(t, "Both runs say the same");
  g_assert_false(is_offered(t));
  const mt_translation *of =
      regard_result_active(regard_document_get_result(t->document))->translation;
  mt_error error = {0};
  mt_model *model = regard_document_get_model(t->document);
  g_autoptr(mt_tokens) cats = mt_model_tokenize(model, MT_STACK_ENCODER, CATS, &error);
  g_autoptr(mt_session) session = mt_session_new(model, NULL, &error);
  g_autoptr(mt_patching) p =
      mt_patching_new(session, of, 0, &(mt_patching_params){.source = cats}, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");

  window_test_translate(t, CATS);
  app_test_until(is_offered(t));
  g_assert_cmpfloat(fabs(1 - (double) number(t, 0, 0, 3)), <, 1e-3);
  g_assert_cmpfloat(fabs((double) number(t, 0, 0, 1)), <, 1e-3);
  compare_with_engine(t, p, SIZE_MAX);
  g_assert_true(has_in_caption(t, "copied from the run of “" DOGS "” into that of “" CATS "”"));
  g_assert_true(is_said(t, "All words"));

  /* What is pinned is looked at alone, as far as both are the same words. */
  regard_selection_set_place(t->selection, MT_CROSS, 5, 1);
  regard_selection_set_pin(t->selection, (RegardCell){2, -1});
  g_assert_true(is_said(t, "token 3: "));
  g_assert_true(has_in_caption(t, "Looked at is output token 3"));
  if (is_offered(t))
    compare_with_engine(t, p, 2);
  regard_selection_let_go(t->selection);
  g_assert_true(is_said(t, "All words"));
  compare_with_engine(t, p, SIZE_MAX);

  /* Between sentences of different lengths nothing can be copied; it is said. */
  window_test_translate(t, "Where is the station?");
  wait_for(t, "cannot be compared");
  g_assert_false(is_offered(t));
  window_test_translate(t, CATS);
  app_test_until(is_offered(t));
  /* A model of another precision has other states. */
  g_settings_set_string(t->settings, "precision", "int8");
  window_test_settle(t);
  wait_for(t, "of another model or precision");
}

/* While something is changed the untouched run is the reference; only while it is looked at. */
static void
test_changes(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_document_edit_interventions(t->document, "cross 5 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  window_test_settle(t);
  g_assert_false(regard_selection_get_wants_pair(t->selection));
  open_picture(t);
  g_assert_true(regard_selection_get_wants_pair(t->selection));
  app_test_until(is_offered(t));
  /* All of the encoder is the same in both; what the layer found is lost. */
  g_assert_cmpfloat(fabs((double) number(t, 0, 3, 1)), <, 1e-3);
  g_assert_true(has_in_caption(t, "into that changed by cross 5 zero: 1 brings all back"));
  g_assert_cmpuint(n_columns(t), ==, n_output(t));
  const guint n_before = n_columns(t);

  window_test_translate(t, "Thank you.");
  g_assert_false(is_offered(t)); /* that was of the other sentence */
  app_test_until(is_offered(t));
  g_assert_cmpuint(n_columns(t), ==, n_output(t));
  g_assert_cmpuint(n_columns(t), !=, n_before);

  /* B − A has no pass of its own, and the two runs are there all the same. */
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  window_test_settle(t);
  app_test_until(is_offered(t));
  regard_document_set_compare(t->document, REGARD_COMPARE_OFF);
  window_test_settle(t);

  regard_document_set_interventions(t->document, NULL);
  wait_for(t, "Change something in the model");
  g_assert_false(is_offered(t));
  window_test_act(t, "win.show-view", "s", "heads");
  window_test_settle(t);
  g_assert_true(regard_selection_get_wants_pair(t->selection));
  window_test_act(t, "win.show-view", "s", "attention");
  window_test_settle(t);
  g_assert_false(regard_selection_get_wants_pair(t->selection));
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-patching/sentences", test_sentences);
  WINDOW_TEST("/window-patching/changes", test_changes);
}

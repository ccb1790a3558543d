/* test-window-steps.c — the page Steps: it is stepped through, a candidate or a word is gone on
 * with, and that is taken back; by keys alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure-steps.h"
#include "steps-page-test.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widgets/regard-figure-area.h"

#include <string.h>

#define CAT   "The cat sat on the mat."
#define TIRED "The animal didn't cross the street because it was too tired."

/* ---- Tests ------------------------------------------------------------------------------------
 */

/* Every step has what went in, what came out, and its own candidates; the page begins at the
 * first. */
static void
test_stepping(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  g_assert_null(regard_selection_get_steps(t->selection)); /* nobody asked */
  steps_page_open(t);
  g_assert_cmpstr(steps_page_translation(t), ==, "Die Katze saß auf der Matte.");
  const RegardSteps *steps = steps_page_steps(t);
  g_assert_cmpuint(steps->steps->top, >=, 20);
  g_assert_cmpint(regard_selection_get_shown_step(t->selection), ==, 0);

  steps_page_press(t, GDK_KEY_Home);
  for (guint i = 0; i < steps->n; i++) {
    window_test_settle(t);
    g_autofree char *place = g_strdup_printf("step %u of %u", i + 1, steps->n);
    g_autofree char *out = regard_steps_dup_piece(steps, steps_page_token_at(t, i));
    g_autofree char *in =
        i ? regard_steps_dup_piece(steps, steps_page_token_at(t, i - 1)) : g_strdup("start");
    g_autofree char *loop = g_strdup_printf("goes in %s, comes out %s", in, out);
    g_assert_nonnull(steps_page_says(t, place));
    g_assert_nonnull(steps_page_says(t, loop));

    RegardFigure *figure = regard_figure_area_get_figure(steps_page_candidates(t));
    g_autoptr(GArray) spots = regard_figure_spots(figure, 400, 12, NULL);
    const mt_step_row row = steps->steps->rows[(gsize) steps->rows[i]];
    guint n = 0;
    for (guint k = 0; k < spots->len; k++) {
      const RegardSpot *spot = &g_array_index(spots, RegardSpot, k);
      if (spot->part != REGARD_STEPS_SPOT_CANDIDATE)
        continue;
      g_assert_cmpint(spot->col, ==, row.options[spot->row].id);
      n++;
    }
    g_assert_cmpuint(n, >=, 5);
    steps_page_press(t, GDK_KEY_Right);
  }
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, (int) steps->n - 1); /* the end */
  steps_page_press(t, GDK_KEY_Left);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, (int) steps->n - 2);
  steps_page_press(t, GDK_KEY_End);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, (int) steps->n - 1);
}

/* Space plays, and stops; at the end it stops by itself, and begins anew. */
static void
test_playing(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "It rains.");
  steps_page_open(t);
  steps_page_press(t, GDK_KEY_Home);
  steps_page_press(t, GDK_KEY_space);
  app_test_until(regard_selection_get_step(t->selection) >= 2);
  steps_page_press(t, GDK_KEY_space);
  int step = regard_selection_get_step(t->selection);
  app_test_run_for(1000);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, step);
  steps_page_press(t, GDK_KEY_space);
  app_test_until(regard_selection_get_step(t->selection) >= (int) steps_page_steps(t)->n - 1);
  app_test_run_for(1000);
  steps_page_press(t, GDK_KEY_space);
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, 0);
  /* Who leaves does not come back to the end. */
  window_test_act(t, "win.show-view", "s", "attention");
  app_test_run_for(1000);
  g_assert_cmpint(regard_selection_get_step(t->selection), <=, 1);
}

/* The third candidate of the fourth step: what is before it stays, what follows is decoded again,
 * and the branch before is remembered until it is there again. */
static void
test_choosing(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  g_autofree char *own = g_strdup(steps_page_translation(t));
  int32_t before[3];
  for (guint i = 0; i < 3; i++)
    before[i] = steps_page_token_at(t, i);
  g_assert_null(steps_page_model_way(t));
  g_assert_null(steps_page_says(t, "before: "));

  steps_page_go_to(t, 3);
  int32_t third = steps_page_point_at(t, 2);
  g_assert_cmpint(third, !=, steps_page_token_at(t, 3));
  steps_page_press(t, GDK_KEY_Return);
  steps_page_settle(t);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint(steps_page_token_at(t, i), ==, before[i]);
  g_assert_cmpint(steps_page_token_at(t, 3), ==, third);
  for (guint i = 0; i < steps_page_steps(t)->n; i++)
    g_assert_true(
        (steps_page_steps(t)->steps)->nodes[(gsize) steps_page_steps(t)->nodes[i]].is_forced ==
        (i < 4));
  g_assert_cmpstr(steps_page_translation(t), !=, own);
  g_autofree char *shown = window_test_target(t);
  g_assert_cmpstr(shown, ==, steps_page_translation(t));
  g_assert_cmpint(regard_selection_get_step(t->selection), ==, 3); /* one goes on reading there */
  g_autofree char *ghost = g_strdup_printf("before: %s", own);
  g_assert_nonnull(steps_page_says(t, ghost));
  g_assert_nonnull(steps_page_model_way(t));

  /* From there once more; each choice is one step back. */
  g_autofree char *first = g_strdup(steps_page_translation(t));
  steps_page_go_to(t, 4);
  int32_t second = steps_page_point_at(t, 1);
  steps_page_press(t, GDK_KEY_Return);
  steps_page_settle(t);
  g_assert_cmpint(steps_page_token_at(t, 3), ==, third);
  g_assert_cmpint(steps_page_token_at(t, 4), ==, second);
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, first);
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  g_assert_null(steps_page_model_way(t));
  g_assert_null(steps_page_says(t, "before: "));
  window_test_act(t, "win.redo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, first);

  /* The model's own way, by its button. */
  g_signal_emit_by_name(steps_page_model_way(t), "clicked");
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  g_assert_null(steps_page_model_way(t));
  g_assert_null(regard_document_get_constraints(t->document));
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, first);
}

/* The end of the sentence is a candidate like any other. */
static void
test_choosing_the_end(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  steps_page_go_to(t, 3);
  const RegardSteps *steps = steps_page_steps(t);
  const mt_step_row row = steps->steps->rows[(gsize) steps->rows[3]];
  const int32_t eos = steps_page_token_at(t, steps->n - 1);
  int at = -1;
  for (int i = 0; i < 9 && at < 0; i++)
    if (row.options[i].id == eos)
      at = i;
  g_assert_cmpint(at, >=, 0);
  g_assert_cmpint(steps_page_point_at(t, at), ==, eos);
  steps_page_press(t, GDK_KEY_Return);
  steps_page_settle(t);
  g_assert_cmpuint(steps_page_steps(t)->n, ==, 4);
  g_assert_cmpstr(steps_page_translation(t), ==, "Die Katze saß");
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, "Die Katze saß auf der Matte.");
}

/* Delete forbids what is pointed at; so does its menu, and what is forbidden adds up. */
static void
test_forbidding(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  g_autofree char *own = g_strdup(steps_page_translation(t));
  steps_page_go_to(t, 3);
  int32_t on = steps_page_token_at(t, 3);
  g_assert_cmpint(steps_page_point_at(t, 0), ==, on);
  steps_page_press(t, GDK_KEY_Delete);
  steps_page_settle(t);
  int32_t next = steps_page_token_at(t, 3);
  g_assert_cmpint(next, !=, on);
  g_assert_nonnull(steps_page_model_way(t));

  steps_page_go_to(t, 3);
  RegardFigureArea *area = steps_page_candidates(t);
  int row = 0;
  while (steps_page_point_at(t, row) != next)
    row++;
  const RegardSpot spot = *regard_figure_area_get_spot(area);
  g_autoptr(GMenuModel) menu = NULL;
  g_signal_emit_by_name(area, "menu-wanted", &spot, &menu);
  g_assert_nonnull(menu);
  g_assert_cmpint(g_menu_model_get_n_items(menu), ==, 2);
  for (int i = 0; i < 2; i++) {
    g_autofree char *action = NULL;
    g_autoptr(GVariant) target =
        g_menu_model_get_item_attribute_value(menu, i, G_MENU_ATTRIBUTE_TARGET,
                                              G_VARIANT_TYPE_INT32);
    g_assert_true(g_menu_model_get_item_attribute(menu, i, G_MENU_ATTRIBUTE_ACTION, "s", &action));
    g_assert_cmpstr(action, ==, i ? "steps.forbid" : "steps.go-on");
    g_assert_cmpint(g_variant_get_int32(target), ==, next);
  }
  g_assert_true(gtk_widget_activate_action(GTK_WIDGET(area), "steps.forbid", "i", next));
  steps_page_settle(t);
  g_assert_cmpint(steps_page_token_at(t, 3), !=, on);
  g_assert_cmpint(steps_page_token_at(t, 3), !=, next);
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpint(steps_page_token_at(t, 3), ==, next);
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);

  /* Without anything pointed at nothing is forbidden. */
  while (regard_figure_area_get_spot(steps_page_candidates(t)))
    steps_page_press(t, GDK_KEY_Escape);
  window_test_key(t, GDK_KEY_Delete, 0);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
}

static void
wait_for_words(WindowTest *t, const char *text)
{
  app_test_until(steps_page_says(t, text) != NULL);
}

/* A word of one's own: / leads there, it is cut into pieces and scored, Enter goes on with it. */
static void
test_word(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  g_autofree char *own = g_strdup(steps_page_translation(t));
  steps_page_go_to(t, 3);
  steps_page_press(t, GDK_KEY_slash);
  GtkWidget *word = steps_page_entry(t), *focus = gtk_window_get_focus(GTK_WINDOW(t->window));
  g_assert_true(focus && gtk_widget_is_ancestor(focus, word));
  gtk_editable_set_text(GTK_EDITABLE(word), "schläft");
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens = mt_model_tokenize(regard_document_get_model(t->document),
                                                  MT_STACK_DECODER, "schläft", &error);
  g_assert_nonnull(tokens);
  g_autofree char *piece =
      regard_steps_dup_piece(steps_page_steps(t), mt_tokens_get(tokens, 0)->id);
  wait_for_words(t, piece);
  GtkWidget *label = steps_page_says(t, piece);
  g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(label)), "together log p "));

  /* At another step it is another number. */
  g_autofree char *there = g_strdup(gtk_label_get_text(GTK_LABEL(label)));
  regard_selection_set_step(t->selection, 0);
  app_test_until((label = steps_page_says(t, piece)) &&
                 !g_str_equal(gtk_label_get_text(GTK_LABEL(label)), there));
  regard_selection_set_step(t->selection, 3);
  wait_for_words(t, there);

  g_signal_emit_by_name(word, "activate");
  steps_page_settle(t);
  for (gsize i = 0; i + 1 < mt_tokens_count(tokens); i++)
    g_assert_cmpint(steps_page_token_at(t, 3 + (guint) i), ==, mt_tokens_get(tokens, i)->id);
  g_assert_true(g_str_has_prefix(steps_page_translation(t), "Die Katze saß schläft"));
  g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(word)), ==, "");
  g_assert_null(steps_page_says(t, piece));
  gtk_window_set_focus(GTK_WINDOW(t->window), NULL);
  window_test_act(t, "win.undo", NULL);
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);

  /* What the model has no pieces for, and nothing at all. */
  gtk_editable_set_text(GTK_EDITABLE(word), "日");
  wait_for_words(t, "The vocabulary of the translation has no piece for: ");
  g_signal_emit_by_name(word, "activate");
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(word)), ==, "日"); /* nothing is lost */
  gtk_editable_set_text(GTK_EDITABLE(word), "  ");
  g_assert_null(steps_page_says(t, "The vocabulary of the translation has no piece for: "));
  g_signal_emit_by_name(word, "activate");
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  /* Closed while it is scored: see the end of the test. */
  gtk_editable_set_text(GTK_EDITABLE(word), "schläfrig");
}

/* What ends in the middle of a word is said before it is chosen. */
static void
test_part_of_a_word(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  steps_page_open(t);
  steps_page_go_to(t, 3);
  GtkWidget *word = steps_page_entry(t);
  gtk_editable_set_text(GTK_EDITABLE(word), "Hund");
  wait_for_words(t, "▁Hund");
  g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(steps_page_says(t, "▁Hund"))),
                          "\nthe model goes on with this word: Hunde"));
  gtk_editable_set_text(GTK_EDITABLE(word), "Katzen");
  wait_for_words(t, "▁Katze ");
  g_assert_null(
      strstr(gtk_label_get_text(GTK_LABEL(steps_page_says(t, "▁Katze "))), "goes on with this"));
}

static void
count(guint *n)
{
  ++*n;
}

/* What is typed on keeps what was chosen as long as it fits, and says when it does not. */
static void
test_typing(WindowTest *t, gconstpointer data)
{
  guint n_dropped = 0;
  g_signal_connect_swapped(t->document, "constraints-dropped", G_CALLBACK(count), &n_dropped);
  window_test_translate(t, "I have two dogs");
  steps_page_open(t);
  steps_page_go_to(t, 0);
  int32_t first = steps_page_token_at(t, 0);
  steps_page_go_to(t, 1);
  steps_page_point_at(t, 0);
  steps_page_press(t, GDK_KEY_Return); /* what it was anyway, but now it is wanted */
  steps_page_settle(t);
  g_assert_nonnull(steps_page_model_way(t));

  GtkTextView *view = regard_text_card_get_view(window_test_card(t, "source"));
  const char *more = " and a cat";
  for (const char *c = more; *c; c++) {
    gtk_text_buffer_insert_at_cursor(gtk_text_view_get_buffer(view), c, 1);
    steps_page_settle(t);
    g_assert_cmpint(steps_page_token_at(t, 0), ==, first);
    g_assert_nonnull(steps_page_model_way(t));
    g_assert_cmpuint(steps_page_steps(t)->n, ==,
                     mt_tokens_count(
                         mt_capture_output(regard_selection_get_capture(t->selection))));
  }
  g_assert_cmpuint(n_dropped, ==, 0);

  regard_document_edit(t->document, TIRED, strlen(TIRED));
  steps_page_settle(t);
  g_assert_cmpuint(n_dropped, ==, 1);
  g_assert_null(steps_page_model_way(t));
  g_assert_true(g_str_has_prefix(steps_page_translation(t), "Das Tier"));

  /* Without a text there are no steps, and nothing to do with them. */
  regard_document_set_text(t->document, "");
  app_test_wait(steps_page_is_empty, t);
  static const guint keys[] = {GDK_KEY_Right, GDK_KEY_space, GDK_KEY_Return, GDK_KEY_Delete,
                               GDK_KEY_slash};
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    window_test_key(t, keys[i], 0);
  guint n;
  regard_view_get_export_choices(steps_page_page(t), &n);
  g_assert_cmpuint(n, ==, 0);
  window_test_translate(t, CAT);
  steps_page_settle(t);
  g_assert_nonnull(steps_page_says(t, "step "));
}

/* A translation of one's own has steps, too; the model's own way leads back from there. */
static void
test_given(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  g_autofree char *own = g_strdup(steps_page_translation(t));
  regard_document_give_translation(t->document, "Der Hund saß da.");
  steps_page_settle(t);
  const RegardSteps *steps = steps_page_steps(t);
  g_assert_cmpstr(steps_page_translation(t), ==, "Der Hund saß da.");
  for (guint i = 0; i < steps->n; i++)
    g_assert_true(steps->steps->nodes[(gsize) steps->nodes[i]].is_forced);
  g_assert_nonnull(steps_page_model_way(t));
  g_signal_emit_by_name(steps_page_model_way(t), "clicked");
  steps_page_settle(t);
  g_assert_cmpstr(steps_page_translation(t), ==, own);
  g_assert_null(steps_page_model_way(t));
}

/* What is saved: figures with numbers; and a file, of which attention is all that is known. */
static void
test_files(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  guint n;
  const RegardPicture *choices = regard_view_get_export_choices(steps_page_page(t), &n);
  g_assert_cmpuint(n, >=, 3);
  for (guint i = 0; i < n; i++) {
    g_autoptr(RegardFigure) figure = regard_view_create_figure(steps_page_page(t), choices[i].id);
    g_autofree char *name = regard_view_name_choice(steps_page_page(t), choices[i].id);
    g_autofree char *caption = regard_figure_caption(figure);
    g_assert_cmpstr(name, !=, "");
    g_assert_cmpstr(caption, !=, "");
    g_assert_cmpuint(regard_figure_n_matrices(figure), >=, 1);
    g_assert_cmpfloat(regard_figure_height(figure, 400, 7), >, 10);
  }
  g_autofree char *path =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "foreign-translation.npz", NULL);
  regard_document_open_capture(t->document, path);
  window_test_settle(t);
  g_assert_nonnull(steps_page_says(t, "This file has attention only."));
  regard_view_get_export_choices(steps_page_page(t), &n);
  g_assert_cmpuint(n, ==, 0);
  window_test_key(t, GDK_KEY_Right, 0);
  window_test_key(t, GDK_KEY_Return, 0);
  regard_document_close_capture(t->document);
  steps_page_settle(t);
  g_assert_nonnull(steps_page_says(t, "step "));
}

/* A small screen is wide enough. */
static void
test_narrow(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "Donaudampfschifffahrtsgesellschaften have two dogs.");
  steps_page_open(t);
  for (int i = 0; i < 2; i++) {
    int least;
    GtkWidget *training =
        steps_page_find(GTK_WIDGET(steps_page_page(t)), GTK_TYPE_CHECK_BUTTON, NULL, NULL);
    g_assert_nonnull(training);
    gtk_check_button_set_active(GTK_CHECK_BUTTON(training), i == 1);
    window_test_settle(t);
    gtk_widget_measure(GTK_WIDGET(t->window), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                       NULL);
    g_assert_cmpint(least, <=, 800);
    steps_page_go_to(t, 2); /* and with something chosen */
    steps_page_point_at(t, 2);
    steps_page_press(t, GDK_KEY_Return);
    steps_page_settle(t);
  }
}

static GtkWidget *
find_looked(WindowTest *t)
{
  return steps_page_find(GTK_WIDGET(steps_page_page(t)), REGARD_TYPE_FIGURE_AREA,
                         steps_page_is_called, "What the step looked at");
}

/* What a step looked at stands beside the curve, whole, where the page is wide enough for both; in
 * a narrow one below the candidates, and it keeps no window from becoming narrow again. */
static void
test_looked(WindowTest *t, gconstpointer data)
{
  static const struct {
    int width, height;
    guint bars; /* that are there at least; 0: below the candidates */
  } sizes[] = {{1440, 900, 4}, {1024, 700, 2}, {700, 700, 0}, {1024, 700, 2}};
  window_test_translate(t, TIRED);
  steps_page_open(t);
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    guint n = 0;
    gtk_window_set_default_size(GTK_WINDOW(t->window), sizes[i].width, sizes[i].height);
    window_test_settle(t);
    /* Shadows are a part of it, and what a step looked at is an area of its own or is not. */
    app_test_until(gtk_widget_get_width(GTK_WIDGET(t->window)) <= sizes[i].width + 20 &&
                   (find_looked(t) != NULL) == (sizes[i].bars > 0));
    app_test_run_for(50);
    GtkWidget *page = GTK_WIDGET(steps_page_page(t));
    GtkWidget *area = find_looked(t);
    area = area ? area : GTK_WIDGET(steps_page_candidates(t));
    g_autoptr(GArray) spots =
        regard_figure_spots(regard_figure_area_get_figure(REGARD_FIGURE_AREA(area)),
                            gtk_widget_get_width(area), 12, NULL);
    for (guint k = 0; k < spots->len; k++)
      n += g_array_index(spots, RegardSpot, k).part == REGARD_STEPS_SPOT_TOKEN;
    g_assert_cmpuint(n, >, sizes[i].bars); /* and all others */
    graphene_rect_t bounds;
    g_assert_true(gtk_widget_compute_bounds(area, page, &bounds));
    if (sizes[i].bars == 0)
      continue;
    GtkWidget *scroller = gtk_widget_get_ancestor(area, GTK_TYPE_SCROLLED_WINDOW);
    g_assert_cmpint(gtk_widget_get_width(scroller), >=, gtk_widget_get_width(area));
    g_assert_cmpint(gtk_widget_get_height(scroller), >=, gtk_widget_get_height(area));
    g_assert_cmpfloat(bounds.origin.x + bounds.size.width, <=, gtk_widget_get_width(page));
    g_autoptr(GArray) below =
        regard_figure_spots(regard_figure_area_get_figure(steps_page_candidates(t)), 400, 12, NULL);
    for (guint k = 0; k < below->len; k++)
      g_assert_cmpint(g_array_index(below, RegardSpot, k).part, ==, REGARD_STEPS_SPOT_CANDIDATE);
  }
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-steps/stepping", test_stepping);
  WINDOW_TEST("/window-steps/playing", test_playing);
  WINDOW_TEST("/window-steps/choosing", test_choosing);
  WINDOW_TEST("/window-steps/choosing-the-end", test_choosing_the_end);
  WINDOW_TEST("/window-steps/forbidding", test_forbidding);
  WINDOW_TEST("/window-steps/word", test_word);
  WINDOW_TEST("/window-steps/part-of-a-word", test_part_of_a_word);
  WINDOW_TEST("/window-steps/typing", test_typing);
  WINDOW_TEST("/window-steps/given", test_given);
  WINDOW_TEST("/window-steps/files", test_files);
  WINDOW_TEST("/window-steps/narrow", test_narrow);
  WINDOW_TEST("/window-steps/looked", test_looked);
}

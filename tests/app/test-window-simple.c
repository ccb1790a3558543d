/* test-window-simple.c — the first minutes: few controls or all, the welcome, examples that lead to
 * what they ask, and the sentence under each picture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-sentence.h"
#include "learn/regard-targets.h"
#include "parts/regard-question-bar.h"
#include "parts/regard-start-page.h"
#include "suite.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-sentence.h"
#include "window-test.h"

#include <glib/gstdio.h>
#include <string.h>

#define ANIMAL "The animal didn't cross the street because it was too tired."

static void
set_simple(WindowTest *t, gboolean simple)
{
  g_settings_set_boolean(t->settings, "simple", simple);
  window_test_settle(t);
}

/* ---- How many controls -------------------------------------------------------------------------
 */

static gboolean
is_choice(GtkWidget *widget)
{
  return gtk_widget_has_css_class(widget, "linked") || gtk_widget_has_css_class(widget, "view-bar");
}

/* What a person can press, choose or type in that is seen: whatever takes the keyboard, and is not
 * only around others that do, as what scrolls is. In a loose count pictures are none; buttons of
 * which one is pressed are one choice, and so are the pages. */
static guint
count_controls(GtkWidget *widget, gboolean strictly)
{
  guint n = 0;
  if (!gtk_widget_get_mapped(widget) || !gtk_widget_get_can_focus(widget))
    return 0;
  if (!strictly && (is_choice(widget) || regard_view_is_picture(widget)))
    return is_choice(widget) ? 1 : 0;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    n += count_controls(child, strictly);
  const gboolean is_around = GTK_IS_SCROLLED_WINDOW(widget) || GTK_IS_PANED(widget);
  return n ? n : gtk_widget_get_focusable(widget) && !is_around ? 1 : 0;
}

static void
test_controls(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, ANIMAL);
  GtkWidget *window = GTK_WIDGET(t->window), *page = GTK_WIDGET(regard_window_get_view(t->window));
  const guint full = count_controls(window, FALSE), of_page = count_controls(page, TRUE);
  set_simple(t, TRUE);
  g_test_message("window: %u controls of %u, page: %u of %u", count_controls(window, FALSE), full,
                 count_controls(page, TRUE), of_page);
  g_assert_cmpuint(count_controls(window, FALSE), <=, 12);
  g_assert_cmpuint(count_controls(page, TRUE), <=, 12);
  g_assert_cmpuint(full, >, 20);
  g_assert_cmpuint(of_page, >, 12);
  set_simple(t, FALSE);
  g_assert_cmpuint(count_controls(window, FALSE), ==, full);
  g_assert_cmpuint(count_controls(page, TRUE), ==, of_page);
}

/* ---- Nothing is lost ----------------------------------------------------------------------------
 */

/* All settings but the one, as text. Caller frees. */
static char *
dup_settings(GSettings *settings)
{
  g_autoptr(GSettingsSchema) schema = NULL;
  g_object_get(settings, "settings-schema", &schema, NULL);
  g_auto(GStrv) keys = g_settings_schema_list_keys(schema);
  GString *text = g_string_new(NULL);
  for (guint i = 0; keys[i]; i++) {
    g_autoptr(GVariant) value = g_settings_get_value(settings, keys[i]);
    g_autofree char *printed = g_variant_print(value, FALSE);
    if (!g_str_equal(keys[i], "simple"))
      g_string_append_printf(text, "%s=%s\n", keys[i], printed);
  }
  return g_string_free(text, FALSE);
}

static const RegardMatrix *
matrix(WindowTest *t)
{
  return regard_selection_get_matrix(t->selection);
}

static void
test_round_trip(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, ANIMAL);
  g_settings_set_string(t->settings, "combine", "mean");
  g_settings_set_string(t->settings, "label-by", "input");
  g_settings_set_boolean(t->settings, "hide-special", TRUE);
  g_settings_set_boolean(t->settings, "show-heads", FALSE);
  g_settings_set_string(t->settings, "scale", "log");
  window_test_settle(t);
  regard_selection_set_pin(t->selection, (RegardCell){3, 2});
  g_autofree char *before = dup_settings(t->settings);
  g_autofree char *title = g_strdup(matrix(t)->title);
  const guint rows = matrix(t)->rows, cols = matrix(t)->cols;
  GtkWidget *heads = window_test_find(regard_window_get_view(t->window), REGARD_TYPE_HEADS);
  g_assert_false(gtk_widget_get_mapped(heads));

  set_simple(t, TRUE);
  const RegardMatrix *m = matrix(t);
  g_assert_true(strstr(m->title, "head ") != NULL);
  g_assert_cmpstr(m->col_labels[m->cols - 1].text, ==, "end");
  g_assert_cmpint(regard_matrix_col_of_token(m, 2), ==, regard_matrix_col_of_token(m, 3));
  for (guint r = 0; r < m->rows; r++) {
    g_assert_null(m->row_labels[r].prefix);
    g_assert_false(g_str_has_prefix(m->row_labels[r].text, "▁"));
  }
  g_assert_true(gtk_widget_get_mapped(heads));
  window_test_act(t, "win.show-details", NULL); /* keys of the full window are for now */
  window_test_act(t, "win.show-heads", NULL);
  g_assert_false(gtk_widget_get_mapped(heads));

  set_simple(t, FALSE);
  g_autofree char *after = dup_settings(t->settings);
  g_assert_cmpstr(after, ==, before);
  g_assert_cmpstr(matrix(t)->title, ==, title);
  g_assert_cmpuint(matrix(t)->rows, ==, rows);
  g_assert_cmpuint(matrix(t)->cols, ==, cols);
  g_assert_false(gtk_widget_get_mapped(heads));
}

/* Remembered, and each window has its own. */
static void
test_remembered(WindowTest *t, gconstpointer data)
{
  GtkWidget *simple = window_test_child(t, "simple_button");
  g_assert_false(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(simple)));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(simple), TRUE);
  g_assert_true(g_settings_get_boolean(t->settings, "simple"));
  WindowTest other = window_test_another(t);
  g_assert_true(regard_selection_get_simple(other.selection));
  gtk_window_destroy(GTK_WINDOW(other.window));
  gtk_toggle_button_set_active(window_test_child(t, "full_button"), TRUE);
  g_assert_false(g_settings_get_boolean(t->settings, "simple"));
  g_assert_false(regard_selection_get_simple(t->selection));
}

/* Files have what was set in the full window, and the cell that is kept. */
static void
test_export(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, ANIMAL);
  g_autofree char *full = window_test_caption(t);
  regard_selection_set_pin(t->selection, (RegardCell){3, 5}); /* behind "didn ' t" */
  set_simple(t, TRUE);
  g_assert_cmpint(regard_selection_get_pin(t->selection).col, ==, 3);
  g_autofree char *simple = window_test_caption(t);
  g_assert_cmpstr(simple, ==, full);
  RegardView *view = regard_window_get_view(t->window);
  for (guint form = 0; form < 2; form++) {
    g_settings_set_string(t->settings, "form", regard_form_ids[form]);
    g_autoptr(RegardFigure) figure = regard_view_create_figure(view, "head");
    const RegardMatrix *m = regard_figure_matrix(figure, 0);
    g_assert_cmpstr(m->col_labels[0].text, ==, "▁The");
    g_assert_cmpstr(m->col_labels[m->cols - 1].text, ==, "⏎");
    g_assert_nonnull(m->row_labels[1].prefix);
  }
}

/* A session saved in a simple window is one of the full window, and the other way around; one of
 * several heads needs all controls, and gets them. */
static void
test_session(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "a.regard", NULL);
  window_test_translate(t, ANIMAL);
  regard_selection_set_pin(t->selection, (RegardCell){0, 5});
  for (guint simple = 0; simple < 2; simple++) {
    const RegardCell expected = {0, simple ? 3 : 5}; /* "didn ' t" is one word */
    set_simple(t, !simple);
    window_test_act(t, "win.write-session", "s", path);
    app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
    window_test_settle(t);
    set_simple(t, simple);
    regard_selection_let_go(t->selection);
    window_test_act(t, "win.read-session", "s", path);
    app_test_until(regard_selection_get_pin(t->selection).row >= 0);
    window_test_settle(t);
    g_assert_cmpint(regard_selection_get_simple(t->selection), ==, simple);
    g_assert_cmpint(regard_selection_get_pin(t->selection).row, ==, expected.row);
    g_assert_cmpint(regard_selection_get_pin(t->selection).col, ==, expected.col);
    g_remove(path);
  }
  set_simple(t, FALSE);
  regard_selection_set_combine(t->selection, REGARD_COMBINE_MEAN);
  window_test_act(t, "win.write-session", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  window_test_settle(t);
  set_simple(t, TRUE);
  window_test_act(t, "win.read-session", "s", path);
  app_test_until(!regard_selection_get_simple(t->selection));
  window_test_settle(t);
  g_assert_nonnull(strstr(matrix(t)->title, "mean"));
  app_test_remove(folder);
}

/* To a room: bars away, and everything of the simple window back afterwards. */
static void
test_presenting(WindowTest *t, gconstpointer data)
{
  static const char *const bars[] = {"header", "view_bar", "simple_bar"};
  window_test_translate(t, ANIMAL);
  set_simple(t, TRUE);
  for (guint presenting = 2; presenting-- > 0;) {
    window_test_act(t, "win.present", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(bars); i++)
      g_assert_cmpint(gtk_widget_get_visible(window_test_child(t, bars[i])), ==, !presenting);
    g_assert_false(gtk_widget_get_visible(window_test_child(t, "changes_row")));
  }
}

/* Pages behind More come as a tab while they are looked at. */
static void
test_pages(WindowTest *t, gconstpointer data)
{
  AdwViewStack *views = window_test_child(t, "views");
  window_test_translate(t, ANIMAL);
  set_simple(t, TRUE);
  GtkWidget *layers = adw_view_stack_get_child_by_name(views, "layers");
  AdwViewStackPage *page = adw_view_stack_get_page(views, layers);
  g_assert_false(adw_view_stack_page_get_visible(page));
  g_assert_cmpint(g_menu_model_get_n_items(window_test_child(t, "more_menu")), ==, 3);
  window_test_act(t, "win.go-to-view", "s", "layers");
  window_test_settle(t);
  g_assert_true(adw_view_stack_page_get_visible(page));
  g_assert_true(gtk_widget_get_mapped(layers));
  set_simple(t, FALSE);
  g_assert_true(gtk_widget_get_mapped(layers));
  set_simple(t, TRUE);
  window_test_act(t, "win.go-to-view", "s", "attention");
  window_test_settle(t);
  g_assert_false(adw_view_stack_page_get_visible(page));
}

/* ---- Switching a head off -----------------------------------------------------------------------
 */

static void
test_bar(WindowTest *t, gconstpointer data)
{
  GtkWidget *bar = window_test_child(t, "simple_bar");
  window_test_translate(t, ANIMAL);
  g_assert_false(gtk_widget_get_mapped(bar));
  set_simple(t, TRUE);
  g_assert_true(gtk_widget_get_mapped(bar));
  GtkButton *toggle = window_test_find_action(bar, "win.switch-head");
  g_assert_cmpstr(gtk_button_get_label(toggle), ==, "Switch Head Off");
  g_autofree char *before = window_test_target(t);
  regard_selection_set_place(t->selection, MT_CROSS, 2, 3);
  g_signal_emit_by_name(toggle, "clicked");
  window_test_settle(t);
  g_assert_cmpstr(mt_interventions_text(regard_document_get_search(t->document)->interventions), ==,
                  "cross 3.4 zero");
  g_assert_cmpstr(gtk_button_get_label(toggle), ==, "Switch Head On");
  g_autofree char *after = window_test_target(t);
  /* The only label of its own: the last child. */
  GtkWidget *said = gtk_widget_get_last_child(gtk_widget_get_first_child(bar));
  const char *text = gtk_label_get_text(GTK_LABEL(said));
  g_test_message("%s", text);
  g_assert_true(g_str_has_prefix(text, "Without cross-attention 3.4"));
  g_assert_cmpint(strstr(text, "is the same") != NULL, ==, g_str_equal(before, after));
  window_test_act(t, "win.undo", NULL);
  window_test_settle(t);
  g_assert_cmpstr(gtk_button_get_label(toggle), ==, "Switch Head Off");
  g_autofree char *again = window_test_target(t);
  g_assert_cmpstr(again, ==, before);
}

/* ---- The welcome --------------------------------------------------------------------------------
 */

static const char *
content(WindowTest *t)
{
  return gtk_stack_get_visible_child_name(window_test_child(t, "content"));
}

static GtkButton *
find_button(gpointer root, const char *label)
{
  if (GTK_IS_BUTTON(root) && g_strcmp0(gtk_button_get_label(root), label) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkButton *found = find_button(child, label);
    if (found)
      return found;
  }
  return NULL;
}

static void
test_welcome(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, ANIMAL);
  g_assert_cmpstr(content(t), ==, "views"); /* not unasked */
  window_test_act(t, "win.welcome", NULL);
  g_assert_cmpstr(content(t), ==, "welcome");
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "view_bar")));
  g_assert_true(window_test_key(t, GDK_KEY_Escape, 0));
  g_assert_cmpstr(content(t), ==, "views");
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "view_bar")));

  window_test_act(t, "win.welcome", NULL);
  regard_document_set_text(t->document, "I have two dogs."); /* somebody types */
  g_assert_cmpstr(content(t), ==, "views");
  window_test_settle(t);

  window_test_act(t, "win.welcome", NULL);
  window_test_act(t, "win.go-to-view", "s", "inside");
  g_assert_cmpstr(content(t), ==, "views");
}

static void
test_doors(WindowTest *t, gconstpointer data)
{
  static const char *const explore[] = {"With Few Controls", "With All Controls"};
  static const char *const actions[] = {"win.lesson", "win.learn", "win.open-model",
                                        "win.show-training", "win.open-capture"};
  GtkWidget *welcome = window_test_child(t, "welcome");
  window_test_translate(t, ANIMAL);
  for (guint i = 0; i < G_N_ELEMENTS(explore); i++) {
    window_test_act(t, "win.welcome", NULL);
    g_signal_emit_by_name(find_button(welcome, explore[i]), "clicked");
    g_assert_cmpstr(content(t), ==, "views");
    g_assert_cmpint(g_settings_get_boolean(t->settings, "simple"), ==, i == 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
    g_assert_nonnull(window_test_find_action(welcome, actions[i]));
  GVariant *lesson = gtk_actionable_get_action_target_value(
      GTK_ACTIONABLE(window_test_find_action(welcome, "win.lesson")));
  g_assert_cmpstr(g_variant_get_string(lesson, NULL), ==, "one-minute");
  g_assert_true(gtk_widget_is_sensitive(window_test_find_action(welcome, "win.open-model")));
}

/* ---- Examples
 * ------------------------------------------------------------------------------------ */

static gboolean
has_page(const char *id)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal(views[i].id, id))
      return TRUE;
  return FALSE;
}

static char *
plain(const RegardLabel *label)
{
  char *text = g_strdup(label->text);
  regard_plain_text(&text);
  return text;
}

/* Each leads to its page, its head, and its cell if that is of the source alone, as other models
 * translate otherwise; and asks its question. */
static void
check_example(WindowTest *t, const RegardExampleSentence *example)
{
  regard_selection_set_place(t->selection, MT_DECODER_SELF, 0, 0); /* no example leads there */
  window_test_act(t, "win.example", "s", example->text);
  window_test_settle(t);
  g_assert_cmpstr(regard_question_bar_get(window_test_child(t, "question")), ==, example->note);
  if (example->page) {
    g_assert_true(has_page(example->page));
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(window_test_child(t, "views")), ==,
                    example->page);
  }
  g_assert_cmpint(example->row != NULL, ==, example->column != NULL);
  g_assert_true(example->head || !example->row);
  if (!example->head)
    return;
  g_auto(GStrv) words = g_strsplit(example->head, " ", 2);
  mt_attention_kind kind;
  guint layer, head;
  g_assert_true(regard_target_parse_head(words[0], words[1], &kind, &layer, &head));
  app_test_until(regard_selection_get_kind(t->selection) == kind &&
                 regard_selection_get_layer(t->selection) == layer &&
                 regard_selection_get_head(t->selection) == head);
  const RegardCell pin = regard_selection_get_pin(t->selection);
  if (!example->row || (kind != MT_ENCODER_SELF && pin.row < 0))
    return;
  /* Of a word in pieces the first, where pieces are shown. */
  g_assert_cmpint(pin.row, >=, 0);
  g_autofree char *row = plain(&matrix(t)->row_labels[pin.row]),
                  *column = plain(&matrix(t)->col_labels[pin.col]);
  g_assert_true(g_str_has_prefix(example->row, row));
  g_assert_true(g_str_has_prefix(example->column, column));
}

static void
test_examples(WindowTest *t, gconstpointer data)
{
  g_autoptr(GPtrArray) examples = regard_examples_list("en", NULL);
  guint n_heads = 0, n_cells = 0;
  g_assert_cmpuint(examples->len, >, 10);
  for (guint i = 0; i < examples->len; i++) {
    const RegardExampleSentence *example = examples->pdata[i];
    set_simple(t, i % 2);
    regard_selection_set_pin(t->selection, (RegardCell){-1, -1});
    check_example(t, example);
    n_heads += example->head != NULL;
    n_cells += example->row != NULL;
  }
  g_assert_cmpuint(n_heads, ==, examples->len - 1); /* of three sentences none is meant */
  g_assert_cmpuint(n_cells, >=, 8);
  g_autoptr(GPtrArray) by_hand = regard_examples_list("en", "by-hand");
  for (guint i = 0; i < by_hand->len; i++)
    g_assert_cmpstr(((const RegardExampleSentence *) by_hand->pdata[i])->head, ==, "cross 1.1");
}

static void
test_question(WindowTest *t, gconstpointer data)
{
  GtkWidget *question = window_test_child(t, "question");
  g_assert_false(gtk_widget_get_visible(question));
  window_test_act(t, "win.example", "s", ANIMAL);
  window_test_settle(t);
  g_assert_nonnull(strstr(regard_question_bar_get(REGARD_QUESTION_BAR(question)), "tired"));
  g_assert_true(gtk_widget_get_mapped(question));
  window_test_act(t, "win.go-to-view", "s", "inside"); /* it stays */
  window_test_settle(t);
  g_assert_true(gtk_widget_get_mapped(question));
  g_signal_emit_by_name(find_button(question, NULL), "clicked");
  g_assert_null(regard_question_bar_get(REGARD_QUESTION_BAR(question)));
  g_assert_false(gtk_widget_get_visible(question));

  window_test_act(t, "win.example", "s", "I have two dogs.");
  window_test_settle(t);
  g_assert_nonnull(regard_question_bar_get(REGARD_QUESTION_BAR(question)));
  window_test_translate(t, "I have two cats.");
  g_assert_null(regard_question_bar_get(REGARD_QUESTION_BAR(question)));
}

/* ---- Sentences
 * ----------------------------------------------------------------------------------- */

static RegardSentence *
find_sentence(GtkWidget *widget)
{
  if (!gtk_widget_get_mapped(widget))
    return NULL;
  if (REGARD_IS_SENTENCE(widget))
    return REGARD_SENTENCE(widget);
  RegardSentence *found = NULL;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_sentence(child);
  return found;
}

/* Under each picture there is one, without anything being pointed at, and something behind it. */
static void
test_sentences(WindowTest *t, gconstpointer data)
{
  static const char *const panes[] = {"heads", "alignment", "attributions"};
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  window_test_translate(t, ANIMAL);
  for (guint i = 0; i < n; i++)
    for (guint p = 0; p < (g_str_equal(views[i].id, "measure") ? G_N_ELEMENTS(panes) : 1); p++) {
      window_test_act(t, "win.show-view", "s", views[i].id);
      window_test_settle(t);
      RegardView *view = regard_window_get_view(t->window);
      if (g_str_equal(views[i].id, "measure"))
        g_object_set(view, "pane", panes[p], NULL);
      RegardSentence *sentence = NULL;
      app_test_until((sentence = find_sentence(GTK_WIDGET(view))) &&
                     *regard_sentence_get_text(sentence));
      g_test_message("%s: %s", views[i].id, regard_sentence_get_text(sentence));
      const char *explanation = regard_sentence_get_explanation(sentence);
      g_assert_cmpuint(strlen(explanation), >, 80);
      g_assert_false(regard_sentence_get_open(sentence));
      regard_sentence_set_open(sentence, TRUE);
      app_test_until(gtk_widget_get_child_visible(
          gtk_widget_get_last_child(gtk_widget_get_first_child(GTK_WIDGET(sentence)))));
      regard_sentence_set_open(sentence, FALSE);
    }
}

/* It follows the pointer, and is about the picture again when that is gone. */
static void
test_sentence_follows(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, ANIMAL);
  RegardSentence *sentence = find_sentence(GTK_WIDGET(regard_window_get_view(t->window)));
  g_autofree char *calm = g_strdup(regard_sentence_get_text(sentence));
  g_assert_true(g_str_has_prefix(calm, "Strongest here: "));
  regard_selection_set_hover(t->selection, (RegardCell){2, 1});
  g_autofree char *expected = regard_matrix_sentence(matrix(t), 2, 1);
  g_assert_cmpstr(regard_sentence_get_text(sentence), ==, expected);
  g_assert_true(g_str_has_prefix(expected, "Row “"));
  regard_selection_set_hover(t->selection, (RegardCell){-1, -1});
  g_assert_cmpstr(regard_sentence_get_text(sentence), ==, calm);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window/simple/controls", test_controls);
  WINDOW_TEST("/window/simple/round-trip", test_round_trip);
  WINDOW_TEST("/window/simple/remembered", test_remembered);
  WINDOW_TEST("/window/simple/export", test_export);
  WINDOW_TEST("/window/simple/session", test_session);
  WINDOW_TEST("/window/simple/presenting", test_presenting);
  WINDOW_TEST("/window/simple/pages", test_pages);
  WINDOW_TEST("/window/simple/bar", test_bar);
  WINDOW_TEST("/window/welcome/left", test_welcome);
  WINDOW_TEST("/window/welcome/doors", test_doors);
  WINDOW_TEST("/window/examples/places", test_examples);
  WINDOW_TEST("/window/examples/question", test_question);
  WINDOW_TEST("/window/sentence/pages", test_sentences);
  WINDOW_TEST("/window/sentence/follows", test_sentence_follows);
}

/* test-window-pseudo.c — the window in languages that nobody speaks: nothing is left in English,
 * and everything has room.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They are made of all that is to be translated today (pseudo.py), longer than English by two
 * fifths and in ⟦brackets⟧, so that a text without them was not marked, or was put together from
 * pieces.
 */
#include "suite.h"
#include "window-test.h"

#include "base/regard-locale.h"
#include "learn/regard-learn-panel.h"
#include "learn/regard-lesson-shelf.h"
#include "parts/regard-glossary.h"
#include "widgets/regard-colorbar.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "window/regard-composer.h"

#include <locale.h>
#include <string.h>

#define OPENING "⟦"
/* No page is wider than this on any screen that the program is made for. */
#define MOST_WIDTH 1280

/* From here on; as the environment says it when a program is started. FALSE: the system has no
 * locale that it could be called by. */
static gboolean
speak(const char *language, const char *locale)
{
  g_setenv("LANGUAGE", language, TRUE);
  g_setenv("LC_ALL", locale, TRUE);
  /* For a moment: glibc loses some memory whenever anybody makes a locale while it is set. */
  g_setenv("LOCPATH", g_getenv("REGARD_TEST_LOCALE"), TRUE);
  const gboolean is_there = setlocale(LC_ALL, "") != NULL;
  g_unsetenv("LOCPATH");
  if (!is_there)
    return FALSE;
  setlocale(LC_NUMERIC, "C");
  regard_locale_begin();
  return TRUE;
}

static gboolean
begin(void)
{
  const char *folder = g_getenv("REGARD_TEST_LOCALE");
  g_assert_nonnull(folder);
  g_setenv("REGARD_LOCALE_DIR", folder, TRUE);
  gtk_disable_setlocale();
  return speak("en@pseudo", "en_XX.UTF-8") && window_test_begin();
}

/* ==== What is shown =========================================================================== */

static gboolean
has_word(const char *text)
{
  guint n = 0;
  for (; *text && n < 2; text = g_utf8_next_char(text))
    n = g_unichar_isalpha(g_utf8_get_char(text)) ? n + 1 : 0;
  return n == 2;
}

/* Sentences, pieces of the model, equations, and names of languages, maps and heads are in no
 * language of the window; GTK and libadwaita translate what is theirs. */
static gboolean
is_data(const char *text)
{
  static const char *const words[] = {
      "▁",        "Ich habe zwei Hunde.", "English", "German", "Viridis", "encoder ",
      "softmax(", "Preferences",          "(None)",
  };
  g_autoptr(GPtrArray) examples = regard_examples_list("en", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(words); i++)
    if (strstr(text, words[i]))
      return TRUE;
  for (guint i = 0; i < examples->len; i++)
    if (g_str_equal(((RegardExampleSentence *) examples->pdata[i])->text, text))
      return TRUE;
  return FALSE;
}

typedef struct {
  GPtrArray *english;
  guint n_translated;
} Shown;

static void
add(Shown *shown, const char *text)
{
  if (text && strstr(text, OPENING))
    shown->n_translated++;
  else if (text && has_word(text) && !is_data(text))
    g_ptr_array_add(shown->english, g_strdup(text));
}

static void
collect(GtkWidget *widget, Shown *shown)
{
  /* Keys are called by GTK. */
  if (!gtk_widget_get_mapped(widget) || GTK_IS_SHORTCUT_LABEL(widget))
    return;
  if (GTK_IS_LABEL(widget))
    add(shown, gtk_label_get_text(GTK_LABEL(widget)));
  add(shown, gtk_widget_get_tooltip_text(widget));
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    collect(child, shown);
}

/* Sentences that are not translated yet, by their beginnings. The list may only become shorter. */
static const char *const still_english[] = {
    "Cross-attention",
    "Encoder self-attention",
    "Colours: faint ones visible",
    "PNG image",
    /* What statistics and recipes say is the engine's. */
    "Mean entropy of the rows",
    "Mean of the rows' largest",
    "Mean weight on special",
    "Mean distance between",
    "Share of rows",
    "Share of steps",
    "Previous",
    "Same",
    "Norms of what",
    "norms",
    "A layer such as 4",
    "The decoder row whose",
    "input row",
    "What becomes of the pieces",
    "source pieces summed",
    "target pieces averaged",
    "Leave </s> out",
    "</s> dropped",
    "The largest of each target",
    "arg max",
    "Whether words without",
    "punctuation rule off",
};

static gboolean
is_known(const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS(still_english); i++)
    if (g_str_has_prefix(text, still_english[i]))
      return TRUE;
  return FALSE;
}

/* What is mapped of a window is translated, and has room on every screen. */
static void
check_window(GtkWidget *window, const char *page)
{
  int least;
  g_autoptr(GPtrArray) english = g_ptr_array_new_with_free_func(g_free);
  Shown shown = {.english = english};
  gtk_widget_measure(window, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  if (least > MOST_WIDTH)
    g_error("%s: it needs a width of %d", page, least);
  collect(window, &shown);
  g_assert_cmpuint(shown.n_translated, >, 2);
  for (guint i = 0; i < english->len; i++)
    if (!is_known(english->pdata[i]))
      g_error("%s: “%s” is not translated", page, (const char *) english->pdata[i]);
}

static void
check_shown(WindowTest *t, const char *page)
{
  window_test_settle(t);
  check_window(GTK_WIDGET(t->window), page);
}

/* The window that stands over it. NULL: there is none. Borrowed. */
static GtkWidget *
find_above(WindowTest *t)
{
  GListModel *windows = gtk_window_get_toplevels();
  for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, i);
    if (gtk_window_get_transient_for(GTK_WINDOW(window)) == GTK_WINDOW(t->window) &&
        gtk_widget_get_mapped(window))
      return window;
  }
  return NULL;
}

static void
begin_small(WindowTest *t)
{
  gtk_window_set_default_size(GTK_WINDOW(t->window), MOST_WIDTH, 800);
  window_test_translate(t, "I have two dogs.");
}

static void
test_pages(WindowTest *t, gconstpointer data)
{
  guint n_views, n_panes;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  const RegardViewInfo *panes = regard_measure_panes(&n_panes);
  begin_small(t);
  regard_selection_set_pin(t->selection, (RegardCell){1, 1});
  for (guint v = 0; v < n_views; v++) {
    g_settings_set_string(t->settings, "view", views[v].id);
    check_shown(t, views[v].id);
    for (guint p = 0; g_str_equal(views[v].id, "measure") && p < n_panes; p++) {
      gtk_widget_activate_action(GTK_WIDGET(regard_window_get_view(t->window)), "measure.pane", "s",
                                 panes[p].id);
      check_shown(t, panes[p].id);
    }
  }
}

static GtkWidget *
lesson_part(WindowTest *t, const char *name)
{
  GtkWidget *panel = window_test_child(t, "learn_panel");
  return GTK_WIDGET(gtk_widget_get_template_child(panel, REGARD_TYPE_LEARN_PANEL, name));
}

static void
test_parts(WindowTest *t, gconstpointer data)
{
  begin_small(t);
  regard_window_set_welcome(t->window, TRUE);
  check_shown(t, "welcome");
  regard_window_set_welcome(t->window, FALSE);
  window_test_act(t, "win.learn", NULL);
  app_test_until(gtk_list_box_get_row_at_index(GTK_LIST_BOX(lesson_part(t, "list")), 14));
  check_shown(t, "lessons");
  window_test_act(t, "win.lesson", "s", "row");
  app_test_until(gtk_widget_get_mapped(lesson_part(t, "step_title")));
  check_shown(t, "a lesson");
  window_test_act(t, "win.leave-lesson", NULL);
  window_test_settle(t);
  g_settings_set_boolean(t->settings, "simple", TRUE);
  check_shown(t, "simple");
  g_settings_set_string(t->settings, "text", "");
  window_test_translate(t, "");
  check_shown(t, "examples");
}

static void
test_dialogs(WindowTest *t, gconstpointer data)
{
  static const char *const actions[] = {
      "win.show-help-overlay", "win.preferences", "win.glossary", "win.help", "win.export",
      "win.edit-changes"};
  begin_small(t);
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++) {
    window_test_act(t, actions[i], NULL);
    app_test_until(find_above(t));
    app_test_run_for(100);
    check_window(find_above(t), actions[i]);
    gtk_window_destroy(GTK_WINDOW(find_above(t)));
  }
}

/* A figure is English, and what the window says of it is not. */
static void
test_figure(WindowTest *t, gconstpointer data)
{
  begin_small(t);
  window_test_act(t, "win.add-to-figure", NULL);
  app_test_until(
      regard_composer_get_sheet(regard_composer_get(GTK_APPLICATION(t->application), t->settings))
          ->panels->len == 1);
  app_test_run_for(300); /* the toast comes in */
  check_window(GTK_WIDGET(t->window), "a panel was added");
  gtk_window_destroy(GTK_WINDOW(regard_composer_get(GTK_APPLICATION(t->application), t->settings)));
}

/* ==== Texts that are data ===================================================================== */

/* A lesson is in the reader's language; what is measured, and what it is known by, is not. */
static void
test_lessons(void)
{
  static const char *const languages[] = {"en@pseudo", "C", NULL};
  const char *folder = g_getenv("REGARD_LESSONS_DIR");
  g_autoptr(GPtrArray) shelf = regard_lesson_shelf_read(folder, languages);
  g_autoptr(GPtrArray) plain = regard_lesson_shelf_read_all(folder);
  g_assert_cmpuint(shelf->len, ==, plain->len);
  for (guint i = 0; i < shelf->len; i++) {
    const RegardShelfRow *row = shelf->pdata[i], *english = plain->pdata[i];
    const RegardLessonStep *step = row->lesson->steps->pdata[0];
    g_assert_true(g_str_has_prefix(row->lesson->title, OPENING));
    g_assert_true(g_str_has_prefix(step->title, OPENING));
    g_assert_true(g_str_has_prefix(step->paragraphs->pdata[0], OPENING));
    g_assert_null(strstr(english->lesson->title, OPENING));
    g_autofree char *written = regard_lesson_write(row->lesson);
    g_autofree char *as_before = regard_lesson_write(english->lesson);
    g_assert_cmpstr(written, ==, as_before);
  }
}

static void
test_texts(void)
{
  const RegardGlossaryTerm *weight = regard_glossary_find("weight");
  g_assert_true(g_str_has_prefix(weight->term, OPENING));
  g_assert_true(g_str_has_prefix(weight->text, OPENING));
  g_autoptr(GPtrArray) examples = regard_examples_list("en", NULL);
  const RegardExampleSentence *example = examples->pdata[0];
  g_assert_true(g_str_has_prefix(example->note, OPENING));
  g_assert_null(strstr(example->text, OPENING));
  g_assert_cmpstr(regard_locale_text("no text of ours"), ==, "no text of ours");
  g_assert_cmpstr(regard_locale_text(""), ==, "");
  g_assert_null(regard_locale_text(NULL));
}

/* ==== From right to left ====================================================================== */

static float
left_of(gpointer widget, gpointer window)
{
  graphene_rect_t place;
  g_assert_true(gtk_widget_compute_bounds(widget, window, &place));
  return place.origin.x;
}

/* The window is mirrored; a matrix has its columns in the order of the sentence. */
static void
test_from_right(WindowTest *t, gconstpointer data)
{
  guint n_views;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  g_assert_true(speak("he@pseudo", "he_XX.UTF-8"));
  gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
  WindowTest other = window_test_another(t);
  gtk_window_present(GTK_WINDOW(other.window));
  regard_document_open_model(other.document, "");
  begin_small(&other);
  g_assert_cmpfloat(left_of(window_test_child(&other, "source"), other.window), >,
                    left_of(window_test_child(&other, "target"), other.window));
  gpointer heatmap = window_test_find(regard_window_get_view(other.window), REGARD_TYPE_HEATMAP);
  graphene_rect_t first, second;
  g_assert_true(regard_heatmap_get_cell_rect(heatmap, 0, 0, &first));
  g_assert_true(regard_heatmap_get_cell_rect(heatmap, 0, 1, &second));
  g_assert_cmpfloat(first.origin.x, <, second.origin.x);
  /* Else ".10" is painted as "10.". */
  const GType drawn[] = {REGARD_TYPE_HEATMAP, REGARD_TYPE_HEADS, REGARD_TYPE_COLORBAR,
                         REGARD_TYPE_TOKEN_STRIP};
  for (guint i = 0; i < G_N_ELEMENTS(drawn); i++) {
    PangoContext *context = gtk_widget_get_pango_context(window_test_find(other.window, drawn[i]));
    g_assert_cmpint(pango_context_get_base_dir(context), ==, PANGO_DIRECTION_LTR);
  }
  for (guint v = 0; v < n_views; v++) {
    g_settings_set_string(other.settings, "view", views[v].id);
    check_shown(&other, views[v].id);
  }
  gtk_window_destroy(GTK_WINDOW(other.window));
  gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
  g_assert_true(speak("en@pseudo", "en_XX.UTF-8"));
}

TESTS(.begin = begin)
{
  WINDOW_TEST("/window-pseudo/pages", test_pages);
  WINDOW_TEST("/window-pseudo/parts", test_parts);
  WINDOW_TEST("/window-pseudo/dialogs", test_dialogs);
  WINDOW_TEST("/window-pseudo/figure", test_figure);
  g_test_add_func("/window-pseudo/lessons", test_lessons);
  g_test_add_func("/window-pseudo/texts", test_texts);
  WINDOW_TEST("/window-pseudo/from-right", test_from_right);
}

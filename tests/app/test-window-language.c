/* test-window-language.c — the languages between which a model translates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "window-test.h"

#include <string.h>

static void
set_up(WindowTest *t, gconstpointer data)
{
  g_autofree char *multi = app_test_checkpoint("multi-target");
  window_test_set_up(t, multi);
}

static gboolean
is_shown(WindowTest *t)
{
  return gtk_widget_get_visible(GTK_WIDGET(window_test_part(t, "target", "language")));
}

static const char *
code(WindowTest *t)
{
  return regard_language_choice_get_code(window_test_part(t, "target", "language"));
}

static GtkWidget *
source_choice(WindowTest *t)
{
  return GTK_WIDGET(window_test_part(t, "source", "language"));
}

/* First descendant of a type, in order. */
static gpointer
find(gpointer root, GType type)
{
  if (g_type_is_a(G_OBJECT_TYPE(root), type))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    gpointer found = find(child, type);
    if (found)
      return found;
  }
  return NULL;
}

static GtkDropDown *
drop_down(WindowTest *t)
{
  return find(window_test_part(t, "target", "language"), GTK_TYPE_DROP_DOWN);
}

/* As a person does: the entry of this name. */
static void
choose(WindowTest *t, const char *name)
{
  GListModel *names = gtk_drop_down_get_model(drop_down(t));
  for (guint i = 0; i < g_list_model_get_n_items(names); i++)
    if (g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(names), i), name)) {
      gtk_drop_down_set_selected(drop_down(t), i);
      window_test_settle(t);
      return;
    }
  g_error("no language %s", name);
}

/* What the model reads first of the sentence that is shown. */
static const char *
first_piece(WindowTest *t)
{
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_nonnull(capture);
  return mt_tokens_get(mt_capture_source(capture), 0)->piece;
}

static char *
remembered(WindowTest *t, const char *key)
{
  g_autoptr(GVariant) all = g_settings_get_value(t->settings, "target-languages");
  char *value = NULL;
  g_variant_lookup(all, key, "s", &value);
  return value;
}

/* A choice is there where there is one. */
static void
test_only_where_there_is_a_choice(WindowTest *t, gconstpointer data)
{
  g_autofree char *one = app_test_checkpoint("post-norm-relu");
  g_autofree char *multi = app_test_checkpoint("multi-target");
  g_assert_true(is_shown(t));
  g_assert_cmpstr(code(t), !=, "");
  g_assert_false(gtk_widget_get_visible(source_choice(t))); /* it is told no source */
  regard_document_open_model(t->document, one);
  window_test_settle(t);
  g_assert_false(is_shown(t));
  g_assert_cmpstr(code(t), ==, "");
  window_test_translate(t, "the cat sat .");
  g_assert_nonnull(regard_document_get_result(t->document)->capture);
  regard_document_open_model(t->document, multi);
  window_test_settle(t);
  g_assert_true(is_shown(t));
  g_assert_true(g_str_has_prefix(first_piece(t), ">>"));
}

/* Names in the order of the alphabet; each is the language of its code. */
static void
test_names(WindowTest *t, gconstpointer data)
{
  GListModel *names = gtk_drop_down_get_model(drop_down(t));
  guint n = g_list_model_get_n_items(names);
  g_assert_cmpuint(n, ==, mt_model_n_languages(regard_document_get_model(t->document)));
  g_assert_cmpuint(n, >, 1);
  for (guint i = 1; i < n; i++)
    g_assert_cmpint(g_utf8_collate(gtk_string_list_get_string(GTK_STRING_LIST(names), i - 1),
                                   gtk_string_list_get_string(GTK_STRING_LIST(names), i)),
                    <, 0);
  choose(t, "German");
  g_assert_cmpstr(code(t), ==, "deu");
}

/* Another language translates the text anew, at once, and is said wherever the result goes. */
static void
test_translates_again(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "the cat sat .");
  for (guint i = 0; i < mt_model_n_languages(regard_document_get_model(t->document)); i++) {
    GListModel *names = gtk_drop_down_get_model(drop_down(t));
    choose(t, gtk_string_list_get_string(GTK_STRING_LIST(names), i));
    g_autofree char *piece = g_strdup_printf(">>%s<<", code(t));
    g_autofree char *said = g_strdup_printf("Translation (%s): ", code(t));
    g_autofree char *words = window_test_caption(t), *text = window_test_source(t);
    g_assert_cmpstr(first_piece(t), ==, piece);
    g_assert_nonnull(strstr(words, said));
    g_assert_cmpstr(text, ==, "the cat sat .");
  }
}

/* For each model by itself, from one window to the next. */
static void
test_remembered(WindowTest *t, gconstpointer data)
{
  g_autofree char *multi = app_test_checkpoint("multi-target");
  choose(t, "German");
  g_autofree char *bundled = remembered(t, "");
  g_assert_cmpstr(bundled, ==, "deu");
  /* The same folder, opened as another model, has a choice of its own. */
  regard_document_open_model(t->document, multi);
  window_test_settle(t);
  GListModel *names = gtk_drop_down_get_model(drop_down(t));
  for (guint i = 0; i < g_list_model_get_n_items(names); i++) {
    const char *name = gtk_string_list_get_string(GTK_STRING_LIST(names), i);
    if (!g_str_equal(name, "German"))
      choose(t, name);
  }
  g_autofree char *other = remembered(t, multi);
  g_assert_cmpstr(other, ==, code(t));
  g_assert_cmpstr(other, !=, "deu");
  regard_document_open_model(t->document, "");
  window_test_settle(t);
  g_assert_cmpstr(code(t), ==, "deu");

  WindowTest second = window_test_another(t);
  gtk_window_present(GTK_WINDOW(second.window));
  window_test_settle(&second);
  g_assert_cmpstr(code(&second), ==, "deu");
  gtk_window_destroy(GTK_WINDOW(second.window));

  /* What the model does not know is not asked for. */
  g_settings_set(t->settings, "target-languages", "a{ss}", NULL);
  GVariantBuilder builder;
  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{ss}"));
  g_variant_builder_add(&builder, "{ss}", multi, "xyz");
  g_settings_set_value(t->settings, "target-languages", g_variant_builder_end(&builder));
  regard_document_open_model(t->document, multi);
  window_test_settle(t);
  g_assert_cmpuint(gtk_drop_down_get_selected(drop_down(t)), ==, 0);
  g_assert_cmpstr(code(t), !=, "xyz");
  window_test_translate(t, "the cat sat .");
  g_assert_nonnull(regard_document_get_result(t->document)->capture);
}

/* A screen reader hears what the list is for. */
static void
test_accessible(WindowTest *t, gconstpointer data)
{
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(drop_down(t)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Language of the translation");
  g_assert_false(gtk_test_accessible_has_relation(GTK_ACCESSIBLE(drop_down(t)),
                                                  GTK_ACCESSIBLE_RELATION_LABELLED_BY));
  /* Its label leads to it: Alt+O. */
  GtkLabel *label = find(window_test_part(t, "target", "language"), GTK_TYPE_LABEL);
  g_assert_true(gtk_label_get_mnemonic_widget(label) == GTK_WIDGET(drop_down(t)));
  g_assert_cmpuint(gtk_label_get_mnemonic_keyval(label), ==, GDK_KEY_o);
  /* It can be searched, as it is long. */
  g_assert_true(gtk_drop_down_get_enable_search(drop_down(t)));
}

/* While a capture from a file is shown nothing is translated. */
static void
test_not_with_a_file(WindowTest *t, gconstpointer data)
{
  g_autofree char *path =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "foreign-translation.npz", NULL);
  g_autofree char *multi = app_test_checkpoint("multi-target");
  window_test_translate(t, "the cat sat .");
  regard_document_open_capture(t->document, path);
  window_test_settle(t);
  g_assert_false(is_shown(t));
  /* Not with another model behind it either. */
  regard_document_open_model(t->document, multi);
  window_test_settle(t);
  g_assert_false(is_shown(t));
  g_assert_true(window_test_act(t, "win.close-capture", NULL));
  window_test_settle(t);
  g_assert_true(is_shown(t));
}

/* ---- Two lists ------------------------------------------------------------------------------- */

/* NLLB's 202 languages; the source is English if nobody says another one. */
static void
set_up_both(WindowTest *t, gconstpointer data)
{
  g_autofree char *both = app_test_checkpoint("nllb-tiny");
  window_test_set_up(t, both);
}

static const char *
source_code(WindowTest *t)
{
  return regard_language_choice_get_code(window_test_part(t, "source", "language"));
}

static void
choose_source(WindowTest *t, const char *name)
{
  GtkDropDown *list = find(source_choice(t), GTK_TYPE_DROP_DOWN);
  GListModel *names = gtk_drop_down_get_model(list);
  for (guint i = 0; i < g_list_model_get_n_items(names); i++)
    if (g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(names), i), name)) {
      gtk_drop_down_set_selected(list, i);
      window_test_settle(t);
      return;
    }
  g_error("no language %s", name);
}

static const char *
first_piece_of_target(WindowTest *t)
{
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_nonnull(capture);
  return mt_tokens_get(mt_capture_output(capture), 0)->piece;
}

static void
test_both(WindowTest *t, gconstpointer data)
{
  g_assert_true(is_shown(t));
  g_assert_true(gtk_widget_get_visible(source_choice(t)));
  g_assert_cmpstr(source_code(t), ==, "eng_Latn");
  g_assert_cmpstr(code(t), ==, "");
  GtkDropDown *list = find(source_choice(t), GTK_TYPE_DROP_DOWN);
  g_assert_cmpuint(g_list_model_get_n_items(gtk_drop_down_get_model(list)), ==, 202);
  g_assert_true(gtk_drop_down_get_enable_search(list));
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Language of the source");
  /* The target is not guessed. */
  window_test_translate(t, "the cat sat .");
  const RegardResultSentence *sentence =
      regard_result_active(regard_document_get_result(t->document));
  g_assert_null(sentence->translation);
  GtkLabel *detail = GTK_LABEL(window_test_part(t, "banner", "detail"));
  g_assert_nonnull(strstr(gtk_label_get_text(detail), "in the list beside Translation."));
  choose(t, "German");
  g_assert_cmpstr(code(t), ==, "deu_Latn");
  g_assert_cmpstr(first_piece(t), ==, "eng_Latn");
  g_assert_cmpstr(first_piece_of_target(t), ==, "deu_Latn");
  choose_source(t, "French");
  g_assert_cmpstr(first_piece(t), ==, "fra_Latn");
  g_assert_cmpstr(first_piece_of_target(t), ==, "deu_Latn");
}

static void
press_swap(WindowTest *t)
{
  GtkWidget *last = gtk_widget_get_last_child(source_choice(t));
  g_assert_true(GTK_IS_BUTTON(last) && gtk_widget_get_sensitive(last));
  g_signal_emit_by_name(last, "clicked");
  window_test_settle(t);
}

/* Both at once; both remembered; one step of undo. */
static void
test_swap(WindowTest *t, gconstpointer data)
{
  g_assert_false(gtk_widget_get_sensitive(gtk_widget_get_last_child(source_choice(t))));
  choose(t, "German");
  window_test_translate(t, "the cat sat .");
  press_swap(t);
  g_assert_cmpstr(source_code(t), ==, "deu_Latn");
  g_assert_cmpstr(code(t), ==, "eng_Latn");
  g_assert_cmpstr(first_piece(t), ==, "deu_Latn");
  g_assert_cmpstr(first_piece_of_target(t), ==, "eng_Latn");
  g_autoptr(GVariant) sources = g_settings_get_value(t->settings, "source-languages");
  g_autofree char *target = remembered(t, ""), *source = NULL;
  g_assert_true(g_variant_lookup(sources, "", "s", &source));
  g_assert_cmpstr(source, ==, "deu_Latn");
  g_assert_cmpstr(target, ==, "eng_Latn");
  regard_document_undo(t->document);
  window_test_settle(t);
  g_assert_cmpstr(source_code(t), ==, "eng_Latn");
  g_assert_cmpstr(code(t), ==, "deu_Latn");
  g_assert_cmpstr(first_piece(t), ==, "eng_Latn");
}

/* Meanings of the words of a side that are known, and the height of its strip. */
static guint
count_meanings(WindowTest *t, const char *pane, int *height)
{
  RegardTokenStrip *strip = window_test_find(window_test_card(t, pane), REGARD_TYPE_TOKEN_STRIP);
  mt_capture *capture = regard_selection_get_capture(t->selection);
  guint n = 0;
  for (int i = 0; i < (int) mt_tokens_count(mt_capture_output(capture)); i++)
    n += regard_token_strip_get_meaning(strip, i) != NULL;
  *height = gtk_widget_get_height(GTK_WIDGET(strip));
  return n;
}

/* In English there are none by themselves; where they are wanted, those of the German words. */
static void
test_meanings(WindowTest *t, gconstpointer data)
{
  int height, higher, source;
  window_test_translate(t, "I have two dogs.");
  g_assert_cmpuint(count_meanings(t, "target", &height), ==, 0);
  g_settings_set_string(t->settings, "gloss", "on");
  window_test_settle(t);
  g_assert_cmpuint(count_meanings(t, "target", &higher), >=, 3);
  g_assert_cmpint(higher, >, height);
  g_assert_cmpuint(count_meanings(t, "source", &source), ==, 0);
  g_assert_cmpint(source, ==, height);
  g_settings_set_string(t->settings, "gloss", "off");
  window_test_settle(t);
  g_assert_cmpuint(count_meanings(t, "target", &higher), ==, 0);
  g_assert_cmpint(higher, ==, height);
}

TESTS(.begin = window_test_begin)
{
#define ADD(name, function) \
  g_test_add("/window-language/" name, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("only-where-there-is-a-choice", test_only_where_there_is_a_choice);
  ADD("names", test_names);
  ADD("translates-again", test_translates_again);
  ADD("remembered", test_remembered);
  ADD("accessible", test_accessible);
  ADD("not-with-a-file", test_not_with_a_file);
#undef ADD
#define ADD(name, function)                                                     \
  g_test_add("/window-language/" name, WindowTest, NULL, set_up_both, function, \
             window_test_tear_down)
  ADD("both", test_both);
  ADD("swap", test_swap);
  WINDOW_TEST("/window-language/meanings", test_meanings);
}

/* test-window.c — typing, sentences, pointer, keys, and what is remembered.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-search-popover.h"
#include "parts/regard-source-pane.h"
#include "parts/regard-target-pane.h"
#include "suite.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "window-test.h"

#include "document/regard-sentences.h"

#include <locale.h>
#include <string.h>

static void
test_translates(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_autofree char *target = window_test_target(t);
  g_assert_cmpstr(target, ==, "Ich habe zwei Hunde.");
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_nonnull(capture);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(capture)), ==, "I have two dogs.");
  g_assert_cmpstr(gtk_label_get_text(window_test_part(t, "source", "status")), ==,
                  "7 pieces · sentence 1 of 1");
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_part(t, "target", "search_button")), ==,
                  "beam 4");
  g_assert_cmpstr(window_test_label(window_test_part(t, "target", "alternatives_label"), NULL), ==,
                  "alternative 1 of 4");
  /* How likely it is and how long it took is said to who listens, and in a tooltip. */
  GtkWidget *status = window_test_part(t, "target", "status");
  g_assert_cmpstr(window_test_label(status, NULL), ==, "");
  g_autofree char *spoken = window_test_name(status);
  g_assert_nonnull(strstr(spoken, "log p −"));
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(status), "It was found in "));
  g_assert_cmpstr(gtk_label_get_text(window_test_child(t, "model_label")), ==, "English → German");
  g_assert_cmpstr(gtk_label_get_text(window_test_child(t, "model_detail")), ==,
                  "bundled · 6 + 6 layers · 8 heads");
}

/* Whatever the locale's decimal sign is: a window that drew ".33" in a picture had "0,58" beside
 * it. */
static void
test_numbers(WindowTest *t, gconstpointer data)
{
  g_assert_cmpstr(setlocale(LC_NUMERIC, NULL), ==, "C");
}

/* What the model does not know is named in one line, over all sentences, and on its chips. */
static void
test_unknown(WindowTest *t, gconstpointer data)
{
  GtkLabel *line = window_test_part(t, "source", "unknown");
  window_test_translate(t, "I have two dogs.");
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(line)));
  window_test_translate(t,
                        "I have two na\xc3\xafve dogs. I have 世界 and caf\xc3\xa9, na\xc3\xafve.");
  g_assert_true(gtk_widget_get_visible(GTK_WIDGET(line)));
  g_assert_cmpstr(gtk_label_get_text(line), ==, "The model does not know: \xc3\xaf 世界 \xc3\xa9");
  RegardTokenStrip *strip =
      window_test_find(window_test_card(t, "source"), REGARD_TYPE_TOKEN_STRIP);
  RegardSelection *selection = t->selection;
  const mt_tokens *tokens = mt_capture_source(regard_selection_get_capture(selection));
  int at = -1;
  for (guint i = 0; i < mt_tokens_count(tokens) && at < 0; i++)
    if (mt_token_is_unknown(mt_tokens_get(tokens, i)))
      at = (int) i;
  g_assert_cmpint(at, >=, 0);
  regard_selection_hover_source(selection, at);
  g_autofree char *begin =
      g_strdup_printf("\xe2\x80\xb9%.*s\xe2\x80\xba \xc2\xb7 not in the vocabulary, read as <unk>",
                      (int) (mt_tokens_get(tokens, (size_t) at)->end -
                             mt_tokens_get(tokens, (size_t) at)->begin),
                      mt_tokens_text(tokens) + mt_tokens_get(tokens, (size_t) at)->begin);
  g_assert_true(g_str_has_prefix(regard_token_strip_get_summary(strip), begin));
  window_test_translate(t, "");
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(line)));
}

/* The old picture stays, dimmed, until the new one is there. */
static void
test_typing(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs");
  RegardSelection *selection = t->selection;
  g_autoptr(mt_capture) old = mt_capture_ref(regard_selection_get_capture(selection));
  g_assert_false(regard_selection_get_stale(selection));

  gtk_text_buffer_insert_at_cursor(gtk_text_view_get_buffer(
                                       regard_text_card_get_view(window_test_card(t, "source"))),
                                   " and a cat.", -1);
  g_assert_true(regard_document_is_busy(t->document));
  app_test_until(regard_selection_get_stale(selection) ||
                 regard_selection_get_capture(selection) != old);
  if (regard_selection_get_capture(selection) == old)
    g_assert_true(regard_selection_get_stale(selection));
  g_autofree char *before = window_test_target(t);
  g_assert_cmpuint(strlen(before), >, 0);
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "views");

  window_test_settle(t);
  g_assert_true(regard_selection_get_capture(selection) != old);
  g_assert_false(regard_selection_get_stale(selection));
  g_autofree char *after = window_test_target(t);
  g_assert_nonnull(strstr(after, "Katze"));
}

/* One undo for text and search, in the text and beside it; the settings follow. */
static void
test_undo(WindowTest *t, gconstpointer data)
{
  GtkTextBuffer *buffer =
      gtk_text_view_get_buffer(regard_text_card_get_view(window_test_card(t, "source")));
  g_assert_false(gtk_text_buffer_get_enable_undo(buffer));
  window_test_translate(t, "I have two dogs.");
  regard_document_forget_history(t->document);
  gtk_text_buffer_insert_at_cursor(buffer, " Two", -1);
  window_test_settle(t);
  g_settings_set_uint(t->settings, "beam-size", 2);
  window_test_settle(t);
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_part(t, "target", "search_button")), ==,
                  "beam 2");
  window_test_act(t, "win.undo", NULL);
  window_test_settle(t);
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_part(t, "target", "search_button")), ==,
                  "beam 4");
  g_assert_cmpuint(g_settings_get_uint(t->settings, "beam-size"), ==, 0);
  window_test_act(t, "win.undo", NULL);
  window_test_settle(t);
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "I have two dogs.");
  g_assert_cmpuint(regard_text_card_get_caret(window_test_card(t, "source")), ==, strlen(text));
  window_test_act(t, "win.redo", NULL);
  window_test_act(t, "win.redo", NULL);
  window_test_settle(t);
  g_autofree char *again = window_test_source(t);
  g_assert_cmpstr(again, ==, "I have two dogs. Two");
  g_assert_cmpuint(g_settings_get_uint(t->settings, "beam-size"), ==, 2);
}

/* What there is nothing of to undo is grey; a field for words has its own. */
static void
test_undo_is_grey(WindowTest *t, gconstpointer data)
{
  GtkWidget *buttons[2], *entry = gtk_entry_new(), *root = window_test_child(t, "root");
  static const char *const actions[] = {"win.undo", "win.redo"};
  for (guint i = 0; i < G_N_ELEMENTS(actions); i++) {
    buttons[i] = gtk_button_new();
    gtk_actionable_set_action_name(GTK_ACTIONABLE(buttons[i]), actions[i]);
    gtk_box_append(GTK_BOX(root), buttons[i]);
  }
  gtk_box_append(GTK_BOX(root), entry);
  regard_document_forget_history(t->document);
  g_assert_false(gtk_widget_is_sensitive(buttons[0]));
  g_assert_false(gtk_widget_is_sensitive(buttons[1]));
  window_test_translate(t, "I have two dogs.");
  g_assert_true(gtk_widget_is_sensitive(buttons[0]));
  g_assert_false(gtk_widget_is_sensitive(buttons[1]));
  window_test_act(t, "win.undo", NULL);
  window_test_settle(t);
  g_assert_false(gtk_widget_is_sensitive(buttons[0]));
  g_assert_true(gtk_widget_is_sensitive(buttons[1]));
  gtk_widget_grab_focus(entry);
  g_assert_true(gtk_widget_is_sensitive(buttons[0]));
  gtk_widget_grab_focus(regard_source_pane_get_view(window_test_child(t, "source")));
  g_assert_false(gtk_widget_is_sensitive(buttons[0]));
}

static gboolean
press(gpointer widget, const char *controller, guint keyval)
{
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(widget, controller), "key-pressed", keyval, 0u,
                        (GdkModifierType) 0, &is_used);
  return is_used;
}

/* A translation of one's own: typed over the model's, marked, kept or taken back. */
static void
test_own_translation(WindowTest *t, gconstpointer data)
{
  RegardTextCard *target = window_test_card(t, "target");
  RegardAdaptiveLabel *status = window_test_part(t, "target", "status");
  GtkTextView *text = regard_text_card_get_view(target);
  g_assert_false(gtk_widget_get_visible(window_test_part(t, "target", "own_button")));
  window_test_translate(t, "I have two dogs.");
  g_signal_emit_by_name(window_test_controller(text, "own-translation"), "pressed", 2, 3.0, 3.0);
  RegardOwnTranslation *popover = window_test_popover(window_test_part(t, "target", "own_button"));
  g_assert_true(gtk_widget_get_mapped(GTK_WIDGET(popover)));
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(window_test_find(popover, GTK_TYPE_TEXT_VIEW));
  g_autofree char *before = NULL;
  g_object_get(buffer, "text", &before, NULL);
  g_assert_cmpstr(before, ==, "Ich habe zwei Hunde.");
  gtk_text_buffer_set_text(buffer, "Ich habe zwei Katzen.", -1);
  window_test_settle(t);
  g_autofree char *own = window_test_target(t), *title = NULL;
  g_assert_cmpstr(own, ==, "Ich habe zwei Katzen.");
  g_object_get(target, "title", &title, NULL);
  g_assert_cmpstr(title, ==, "Your Translation");
  g_assert_nonnull(strstr(window_test_label(status, NULL), "yours"));

  /* Escape takes it back, Enter keeps it; Escape in the text goes back to the model's. */
  g_assert_true(press(popover, "keep-or-not", GDK_KEY_Escape));
  window_test_settle(t);
  g_autofree char *back = window_test_target(t);
  g_assert_cmpstr(back, ==, "Ich habe zwei Hunde.");
  g_assert_null(strstr(window_test_label(status, NULL), "yours"));
  window_test_act(t, "win.own-translation", NULL);
  gtk_text_buffer_set_text(buffer, "Zwei Hunde.", -1);
  g_assert_true(press(popover, "keep-or-not", GDK_KEY_Return));
  window_test_settle(t);
  g_autofree char *kept = window_test_target(t);
  g_assert_cmpstr(kept, ==, "Zwei Hunde.");
  g_assert_true(press(text, "models-own", GDK_KEY_Escape));
  window_test_settle(t);
  g_autofree char *models = window_test_target(t);
  g_assert_cmpstr(models, ==, "Ich habe zwei Hunde.");
  g_assert_false(press(text, "models-own", GDK_KEY_Escape));
}

static void
test_empty(WindowTest *t, gconstpointer data)
{
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "start");
  GtkStack *stack = window_test_part(t, "start", "stack");
  g_assert_cmpstr(gtk_stack_get_visible_child_name(stack), ==, "examples");
  g_assert_nonnull(gtk_list_box_get_row_at_index(window_test_part(t, "start", "list"), 9));

  g_signal_emit_by_name(window_test_child(t, "start"), "example", "I have two dogs.");
  window_test_settle(t);
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "views");
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, "I have two dogs.");

  window_test_translate(t, "  \n ");
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "start");
  g_assert_null(regard_selection_get_capture(t->selection));
  g_autofree char *target = window_test_target(t);
  g_assert_cmpstr(target, ==, "");
  g_assert_cmpstr(gtk_label_get_text(window_test_part(t, "source", "status")), ==, "");
}

static void
test_paragraph(WindowTest *t, gconstpointer data)
{
  const char *text = "The cat sat on the mat. I have two dogs.\nShe sees the small elephant.";
  window_test_translate(t, text);
  g_assert_cmpint(regard_document_get_result(t->document)->active, ==, 0);
  regard_text_card_set_caret(window_test_card(t, "source"), 30);
  window_test_settle(t);
  g_assert_cmpint(regard_document_get_result(t->document)->active, ==, 1);
  g_assert_true(g_str_has_suffix(gtk_label_get_text(window_test_part(t, "source", "status")),
                                 "sentence 2 of 3"));
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(capture)), ==, "I have two dogs.");

  /* Next and previous sentence; a click into the translation goes to its source. */
  window_test_act(t, "win.step-sentence", "i", 1);
  window_test_settle(t);
  g_assert_cmpint(regard_document_get_result(t->document)->active, ==, 2);
  window_test_act(t, "win.step-sentence", "i", 1);
  window_test_settle(t);
  g_assert_cmpint(regard_document_get_result(t->document)->active, ==, 2);
  regard_text_card_set_caret(window_test_card(t, "target"), 3);
  window_test_settle(t);
  g_assert_cmpint(regard_document_get_result(t->document)->active, ==, 0);
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, text);
}

/* Characters [begin, end) of a card's text. */
typedef struct {
  RegardTextCard *card;
  gsize begin, end;
} Part;

/* Whether they can be read where they stand. */
static gboolean
is_in_sight(gpointer data)
{
  const Part *part = data;
  GtkTextView *view = regard_text_card_get_view(part->card);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(view);
  g_autofree char *text = regard_text_card_dup_text(part->card);
  const gsize ends[] = {part->begin, part->end};
  GdkRectangle seen, at;
  gtk_text_view_get_visible_rect(view, &seen);
  for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
    GtkTextIter iter;
    gtk_text_buffer_get_iter_at_offset(buffer, &iter, (int) g_utf8_strlen(text, (gssize) ends[i]));
    gtk_text_view_get_iter_location(view, &iter, &at);
    if (at.y < seen.y || at.y + at.height > seen.y + seen.height)
      return FALSE;
  }
  return TRUE;
}

/* Of many sentences in a low window the current one is never cut off, wherever the caret goes. */
static void
test_sight(WindowTest *t, gconstpointer data)
{
  const char *sentence = "My sister lives in a small house near the river and likes to read long "
                         "books about the history of the town. ";
  g_autofree char *text = g_strconcat(sentence, sentence, sentence, sentence, sentence, sentence,
                                      sentence, sentence, NULL);
  RegardTextCard *source = window_test_card(t, "source"), *target = window_test_card(t, "target");
  gtk_window_set_default_size(GTK_WINDOW(t->window), 1024, 700);
  window_test_translate(t, text);
  for (guint i = 0; i < 8; i++) {
    guint go_to = i * 3 % 8; /* up and down */
    regard_document_set_caret(t->document, go_to * strlen(sentence) + 1);
    window_test_settle(t);
    const RegardResult *result = regard_document_get_result(t->document);
    g_assert_cmpint(result->active, ==, (int) go_to);
    const RegardResultSentence *s = regard_result_active(result);
    /* Scrolled to once the new lines have been measured, which may be a frame later. */
    Part original = {source, s->begin, s->end};
    app_test_wait(is_in_sight, &original);
    GArray *spans = NULL;
    g_autofree char *translation = regard_result_layout(result, &spans);
    const RegardSentence *span = &g_array_index(spans, RegardSentence, go_to);
    Part translated = {target, span->begin, span->end};
    app_test_wait(is_in_sight, &translated);
    g_array_unref(spans);
  }
}

static void
point_at(RegardTextCard *card, int offset)
{
  GtkTextView *view = regard_text_card_get_view(card);
  GtkTextIter iter;
  GdkRectangle where;
  int x, y;
  gtk_text_buffer_get_iter_at_offset(gtk_text_view_get_buffer(view), &iter, offset);
  gtk_text_view_get_iter_location(view, &iter, &where);
  gtk_text_view_buffer_to_window_coords(view, GTK_TEXT_WINDOW_WIDGET, where.x + where.width / 2,
                                        where.y + where.height / 2, &x, &y);
  g_signal_emit_by_name(window_test_controller(view, "motion"), "motion", (double) x, (double) y);
}

static gboolean
has_tag(RegardTextCard *card, const char *name, int offset)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(regard_text_card_get_view(card));
  GtkTextTag *tag = gtk_text_tag_table_lookup(gtk_text_buffer_get_tag_table(buffer), name);
  GtkTextIter iter;
  gtk_text_buffer_get_iter_at_offset(buffer, &iter, offset);
  return gtk_text_iter_has_tag(&iter, tag);
}

static void
test_pointer(WindowTest *t, gconstpointer data)
{
  /* A word with two bytes in front, so that bytes and characters differ. */
  window_test_translate(t, "Ärzte have two dogs. I have two dogs.");
  window_test_act(t, "win.step-sentence", "i", 1);
  window_test_settle(t);
  regard_selection_set_place(t->selection, MT_CROSS, 3, 0);
  point_at(window_test_card(t, "source"), 29); /* "two" of the second sentence, the third token */
  g_assert_cmpint(regard_selection_get_lit_source(t->selection), ==, 2);
  g_assert_cmpint(regard_selection_get_hover(t->selection).col, ==, 2);
  g_assert_false(has_tag(window_test_card(t, "source"), "lit", 27));
  g_assert_true(has_tag(window_test_card(t, "source"), "lit", 28));
  g_assert_true(has_tag(window_test_card(t, "source"), "lit", 30));
  g_assert_false(has_tag(window_test_card(t, "source"), "lit", 31));
  g_assert_true(has_tag(window_test_card(t, "source"), "other", 5));
  g_assert_false(has_tag(window_test_card(t, "source"), "other", 29));
  point_at(window_test_card(t, "source"), 5); /* another sentence */
  g_assert_cmpint(regard_selection_get_lit_source(t->selection), ==, -1);

  /* A pinned cell lights both texts. */
  regard_selection_set_pin(t->selection, (RegardCell){2, 2});
  g_assert_true(has_tag(window_test_card(t, "source"), "lit", 29));
  g_autofree char *target = window_test_target(t);
  const char *two = strrchr(target, 'z'); /* zwei, of the second sentence */
  g_assert_true(
      has_tag(window_test_card(t, "target"), "lit", (int) g_utf8_strlen(target, two - target)));
  g_assert_true(window_test_key(t, GDK_KEY_Escape, 0));
  g_assert_false(has_tag(window_test_card(t, "source"), "lit", 29));
  /* And a word of the translation its row. */
  point_at(window_test_card(t, "target"), (int) g_utf8_strlen(target, two - target) + 1);
  g_assert_cmpint(regard_selection_get_lit_target(t->selection), ==, 2);
}

static void
test_too_long(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_autoptr(mt_capture) old = mt_capture_ref(regard_selection_get_capture(t->selection));
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 600; i++)
    g_string_append(text, "dog ");
  window_test_translate(t, text->str);
  const char *title = regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_TEXT);
  g_assert_nonnull(title);
  g_assert_nonnull(strstr(title, "512"));
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, text->str);
  g_assert_true(regard_selection_get_capture(t->selection) == old);
  g_assert_true(regard_selection_get_stale(t->selection));

  window_test_translate(t, "I have two dogs.");
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_TEXT));
  g_assert_false(regard_selection_get_stale(t->selection));
}

static void
test_alternatives(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "The old man did not cross the street.");
  g_autofree char *first = window_test_target(t);
  regard_alternatives_choose(window_test_popover(
                                 window_test_part(t, "target", "alternatives_button")),
                             1);
  window_test_settle(t);
  g_autofree char *second = window_test_target(t);
  g_assert_cmpstr(first, !=, second);
  g_assert_cmpstr(window_test_label(window_test_part(t, "target", "alternatives_label"), NULL), ==,
                  "alternative 2 of 4");
  g_assert_cmpint(
      mt_tokens_get(mt_capture_output(regard_selection_get_capture(t->selection)), 0)->id, ==,
      mt_tokens_get(regard_result_hypothesis(regard_document_get_result(t->document), 0)->tokens, 0)
          ->id);

  /* The scores that they are ranked by stand beside them, and what they are below. */
  GtkPopover *popover = window_test_popover(window_test_part(t, "target", "alternatives_button"));
  gtk_popover_popup(popover);
  app_test_until(gtk_widget_get_mapped(GTK_WIDGET(popover)));
  const mt_translation *translation =
      regard_document_get_result(t->document)->sentences[0].translation;
  GtkListBox *list = window_test_find(popover, GTK_TYPE_LIST_BOX);
  for (guint i = 0; i < mt_translation_count(translation); i++) {
    const mt_hypothesis *h = mt_translation_hypothesis(translation, i);
    GtkWidget *box = gtk_list_box_row_get_child(gtk_list_box_get_row_at_index(list, (int) i));
    GtkWidget *score = gtk_widget_get_first_child(gtk_widget_get_last_child(box));
    g_autofree char *wanted = g_strdup_printf("−%.2f", -(double) h->score);
    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(score)), ==, wanted);
    if (i)
      g_assert_cmpfloat(h->score, <=, mt_translation_hypothesis(translation, i - 1)->score);
  }
  GtkWidget *legend = gtk_widget_get_last_child(gtk_popover_get_child(popover));
  g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(legend)), "Ranked by score"));
  gtk_popover_popdown(popover);
}

/* Terms are typed into the popover of the search; what cannot be said is named there. */
static void
test_terms(WindowTest *t, gconstpointer data)
{
  GtkMenuButton *button = window_test_part(t, "target", "search_button");
  RegardTermsEntry *terms = window_test_find(window_test_popover(button), REGARD_TYPE_TERMS_ENTRY);
  GtkEditable *entry = window_test_find(terms, GTK_TYPE_ENTRY);
  GtkWidget *problem = gtk_widget_get_last_child(GTK_WIDGET(terms));
  g_assert_false(gtk_widget_get_sensitive(GTK_WIDGET(entry))); /* there is no sentence */
  window_test_translate(t, "I have two dogs.");
  g_assert_true(gtk_widget_get_sensitive(GTK_WIDGET(entry)));
  gtk_editable_set_text(entry, "Zeit, keine");
  g_signal_emit_by_name(entry, "activate");
  window_test_settle(t);
  g_autofree char *target = window_test_target(t);
  g_assert_true(strstr(target, "Zeit") && strstr(target, "keine"));
  g_assert_false(gtk_widget_get_visible(problem));

  gtk_editable_set_text(entry, "Zeit, \xe4\xb8\x96");
  g_signal_emit_by_name(entry, "activate");
  window_test_settle(t);
  g_assert_true(gtk_widget_get_visible(problem));
  g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(problem)), "\xe4\xb8\x96"));
  g_autofree char *same = window_test_target(t);
  g_assert_cmpstr(same, ==, target);

  /* Another sentence has none. */
  window_test_translate(t, "The cat sat on the mat.");
  g_assert_cmpstr(gtk_editable_get_text(entry), ==, "");
  g_assert_false(gtk_widget_get_visible(problem));
}

static GString *
describe_pieces(RegardTokenStrip *strip)
{
  GString *all = g_string_new(NULL);
  for (int i = 0; i < 20; i++) {
    graphene_rect_t rect;
    if (!regard_token_strip_get_chip(strip, i, &rect))
      break;
    g_signal_emit_by_name(window_test_controller(strip, "motion"), "motion",
                          (double) (rect.origin.x + rect.size.width / 2),
                          (double) (rect.origin.y + rect.size.height / 2));
    g_string_append_printf(all, "%s\n", regard_token_strip_get_summary(strip));
  }
  return all;
}

/* Words of the source stand where the model wrote <unk>, and are marked in the text, among the
 * pieces and in words; of all sentences, also of those that are not looked at. */
static void
test_copy_unknown(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *model =
      app_test_broken_model(folder, "generation_config.json",
                            "{\"bad_words_ids\": [[124]], \"decoder_start_token_id\": 124,"
                            " \"eos_token_id\": 0, \"pad_token_id\": 124, \"max_length\": 8,"
                            " \"forced_decoder_ids\": [[2, 1]]}");
  regard_document_open_model(t->document, model);
  window_test_settle(t);
  window_test_translate(t, "An in. In an.");
  RegardTokenStrip *strip =
      window_test_find(window_test_card(t, "target"), REGARD_TYPE_TOKEN_STRIP);
  GtkTextBuffer *buffer =
      gtk_text_view_get_buffer(regard_text_card_get_view(window_test_card(t, "target")));
  GtkTextTag *tag = gtk_text_tag_table_lookup(gtk_text_buffer_get_tag_table(buffer), "copied");
  g_autofree char *plain = window_test_target(t);
  g_autoptr(GString) pieces = describe_pieces(strip);
  g_assert_nonnull(strstr(pieces->str, "<unk>"));
  g_assert_null(strstr(pieces->str, "copied from the source"));

  g_settings_set_boolean(t->settings, "copy-unknown", TRUE);
  window_test_settle(t);
  const RegardResult *result = regard_document_get_result(t->document);
  g_assert_cmpuint(result->n_sentences, ==, 2);
  g_autofree char *target = window_test_target(t);
  GtkTextIter at;
  glong n_marked = 0, n_copied = 0;
  for (guint i = 0; i < 2; i++) {
    g_assert_nonnull(result->sentences[i].copies);
    g_assert_cmpuint(result->sentences[i].copies->n, ==, 1);
    const char *text = mt_tokens_text(regard_result_tokens(result, i));
    const mt_copied *copied = &result->sentences[i].copies->copied[0];
    g_assert_nonnull(strstr(target, text));
    n_copied += g_utf8_strlen(text + copied->begin, (gssize) (copied->end - copied->begin));
  }
  gtk_text_buffer_get_start_iter(buffer, &at);
  do
    n_marked += gtk_text_iter_has_tag(&at, tag);
  while (gtk_text_iter_forward_char(&at));
  g_assert_cmpint(n_marked, ==, n_copied);
  g_autoptr(GString) marked = describe_pieces(strip);
  g_assert_nonnull(strstr(marked->str, " copied from the source"));

  g_settings_set_boolean(t->settings, "copy-unknown", FALSE);
  window_test_settle(t);
  g_autofree char *again = window_test_target(t);
  g_assert_cmpstr(again, ==, plain);
  g_autoptr(GString) without = describe_pieces(strip);
  g_assert_cmpstr(without->str, ==, pieces->str);
  app_test_remove(folder);
}

static void
test_search(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "The old man did not cross the street.");
  g_settings_set_uint(t->settings, "beam-size", 1);
  window_test_settle(t);
  g_assert_cmpstr(gtk_menu_button_get_label(window_test_part(t, "target", "search_button")), ==,
                  "greedy");
  g_assert_cmpuint(mt_translation_count(
                       regard_document_get_result(t->document)->sentences[0].translation),
                   ==, 1);
  g_assert_false(
      gtk_widget_get_sensitive(GTK_WIDGET(window_test_part(t, "target", "alternatives_button"))));
  g_settings_reset(t->settings, "beam-size");
  window_test_settle(t);
  g_assert_cmpuint(mt_translation_count(
                       regard_document_get_result(t->document)->sentences[0].translation),
                   ==, 4);
}

static void
test_keys(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  RegardSelection *s = t->selection;
  g_assert_true(window_test_key(t, GDK_KEY_1, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_ENCODER_SELF);
  g_assert_true(window_test_key(t, GDK_KEY_3, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_DECODER_SELF);
  g_assert_true(window_test_key(t, GDK_KEY_2, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_CROSS);
  regard_selection_set_place(s, MT_CROSS, 3, 4);
  g_assert_true(window_test_key(t, GDK_KEY_bracketright, 0));
  g_assert_cmpuint(regard_selection_get_head(s), ==, 5);
  g_assert_true(window_test_key(t, GDK_KEY_bracketleft, 0));
  g_assert_cmpuint(regard_selection_get_head(s), ==, 4);
  g_assert_true(window_test_key(t, GDK_KEY_Page_Down, 0));
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 4);
  g_assert_true(window_test_key(t, GDK_KEY_Page_Up, 0));
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 3);
  g_assert_false(window_test_key(t, GDK_KEY_1, GDK_CONTROL_MASK));

  /* F6 goes round the panes and comes back. */
  GtkWidget *source = GTK_WIDGET(regard_text_card_get_view(window_test_card(t, "source")));
  GtkWidget *content = window_test_child(t, "content");
  const GtkWidget *wanted[] = {GTK_WIDGET(regard_text_card_get_view(window_test_card(t, "target"))),
                               window_test_find(content, REGARD_TYPE_HEADS),
                               window_test_find(content, REGARD_TYPE_HEATMAP)};
  gtk_widget_grab_focus(source);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
    window_test_act(t, "win.next-pane", "i", 1);
    g_assert_true(gtk_window_get_focus(GTK_WINDOW(t->window)) == wanted[i]);
  }
  window_test_act(t, "win.next-pane", "i", 1);
  g_assert_true(gtk_widget_is_ancestor(gtk_window_get_focus(GTK_WINDOW(t->window)),
                                       window_test_child(t, "switcher")));
  window_test_act(t, "win.next-pane", "i", 1);
  g_assert_true(gtk_window_get_focus(GTK_WINDOW(t->window)) == source);
  window_test_act(t, "win.next-pane", "i", -1);
  window_test_act(t, "win.next-pane", "i", -1);
  g_assert_true(gtk_window_get_focus(GTK_WINDOW(t->window)) == wanted[2]);
}

/* Menus write settings, views write the selection; both end in the same place. */
static void
test_look(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  RegardSelection *s = t->selection;
  g_assert_cmpint(regard_selection_get_scale(s), ==, REGARD_SCALE_SQRT);
  g_action_group_activate_action(G_ACTION_GROUP(t->window), "scale", g_variant_new_string("log"));
  g_assert_cmpint(regard_selection_get_scale(s), ==, REGARD_SCALE_LOG);
  g_action_group_activate_action(G_ACTION_GROUP(t->window), "colormap",
                                 g_variant_new_string("magma"));
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "magma");
  g_action_group_activate_action(G_ACTION_GROUP(t->window), "merge-words", NULL);
  g_assert_true(regard_selection_get_merge_words(s));
  regard_selection_set_hide_special(s, TRUE);
  g_assert_true(g_settings_get_boolean(t->settings, "hide-special"));
  regard_selection_set_label_by(s, REGARD_LABEL_BY_INPUT);
  g_autofree char *label_by = g_settings_get_string(t->settings, "label-by");
  g_assert_cmpstr(label_by, ==, "input");
  regard_selection_set_form(s, REGARD_FORM_LINES);
  regard_selection_set_lines_share(s, 0.55);
  g_autofree char *form = g_settings_get_string(t->settings, "form");
  g_assert_cmpstr(form, ==, "lines");
  g_assert_cmpfloat(g_settings_get_double(t->settings, "lines-share"), ==, 0.55);
  g_settings_set_string(t->settings, "form", "matrix");
  g_assert_cmpint(regard_selection_get_form(s), ==, REGARD_FORM_MATRIX);

  /* One move changes kind, layer and head together. */
  regard_selection_set_place(s, MT_ENCODER_SELF, 5, 6);
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_ENCODER_SELF);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 5);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 6);
  g_assert_cmpuint(g_settings_get_uint(t->settings, "layer"), ==, 6);
  g_assert_cmpuint(g_settings_get_uint(t->settings, "head"), ==, 7);

  /* Another window begins where this one is. */
  WindowTest other = window_test_another(t);
  g_assert_cmpint(regard_selection_get_scale(regard_document_get_selection(other.document)), ==,
                  REGARD_SCALE_LOG);
  g_assert_cmpstr(regard_selection_get_colormap(regard_document_get_selection(other.document))->id,
                  ==, "magma");
  g_assert_true(regard_selection_get_hide_special(regard_document_get_selection(other.document)));
  gtk_window_destroy(GTK_WINDOW(other.window));
}

static void
test_remembered(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_signal_emit_by_name(t->window, "close-request", &(gboolean){FALSE});
  g_autofree char *text = g_settings_get_string(t->settings, "text");
  g_assert_cmpstr(text, ==, "I have two dogs.");

  g_settings_set_boolean(t->settings, "remember-text", FALSE);
  window_test_translate(t, "This is secret.");
  g_signal_emit_by_name(t->window, "close-request", &(gboolean){FALSE});
  g_autofree char *kept = g_settings_get_string(t->settings, "text");
  g_assert_null(strstr(kept, "secret"));
}

/* Every view, pane and menu action can be reached and leaves the window whole. */
static void
test_views_and_panes(WindowTest *t, gconstpointer data)
{
  guint n_views;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  window_test_translate(t, "I have two dogs.");
  for (guint i = 0; i < n_views; i++) {
    g_action_group_activate_action(G_ACTION_GROUP(t->window), "view",
                                   g_variant_new_string(views[i].id));
    window_test_settle(t);
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(window_test_child(t, "views")), ==,
                    views[i].id);
    g_assert_nonnull(regard_window_get_view(t->window));
  }
  static const char *const panes[] = {"show-heads", "show-details", "show-tokens"};
  for (guint i = 0; i < G_N_ELEMENTS(panes); i++) {
    g_action_group_activate_action(G_ACTION_GROUP(t->window), panes[i], NULL);
    window_test_settle(t);
    g_assert_false(g_settings_get_boolean(t->settings, panes[i]));
  }
  g_assert_false(gtk_widget_get_visible(
      window_test_find(window_test_card(t, "source"), REGARD_TYPE_TOKEN_STRIP)));
  /* What each key receives is off until it is asked for; then picture, files and screen have it. */
  g_assert_null(regard_selection_get_matrix(t->selection)->received);
  window_test_act(t, "win.show-received", NULL);
  window_test_settle(t);
  g_assert_true(g_settings_get_boolean(t->settings, "show-received"));
  const RegardMatrix *m = regard_selection_get_matrix(t->selection);
  g_assert_nonnull(m->received);
  gsize n;
  g_autofree double *received = regard_received(regard_selection_get_capture(t->selection),
                                                regard_selection_get_kind(t->selection), &n);
  g_assert_cmpuint(m->cols, ==, n);
  for (guint c = 0; c < m->cols; c++)
    g_assert_cmpfloat_with_epsilon(m->received[c], received[c], 1e-6);
  window_test_act(t, "win.reset-layout", NULL);
  window_test_settle(t);
  g_assert_null(regard_selection_get_matrix(t->selection)->received);
  g_assert_true(gtk_widget_get_visible(
      window_test_find(window_test_card(t, "source"), REGARD_TYPE_TOKEN_STRIP)));
}

/* What a screen reader says: every control of the window has a name. */
static void
check_names(GtkWidget *widget, GString *nameless)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE(widget);
  if (gtk_widget_get_focusable(widget) && gtk_widget_get_mapped(widget) &&
      (GTK_IS_TEXT_VIEW(widget) || GTK_IS_SPIN_BUTTON(widget) || GTK_IS_LIST_BOX(widget)) &&
      !gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) &&
      !gtk_test_accessible_has_relation(accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY))
    g_string_append_printf(nameless, "%s ", G_OBJECT_TYPE_NAME(widget));
  if (GTK_IS_BUTTON(widget) && gtk_widget_get_mapped(widget) &&
      !gtk_button_get_label(GTK_BUTTON(widget)) && gtk_button_get_icon_name(GTK_BUTTON(widget)) &&
      !gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL))
    g_string_append_printf(nameless, "%s(%s) ", G_OBJECT_TYPE_NAME(widget),
                           gtk_button_get_icon_name(GTK_BUTTON(widget)));
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    check_names(child, nameless);
}

static void
test_names(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_autoptr(GString) nameless = g_string_new(NULL);
  check_names(window_test_child(t, "root"), nameless);
  g_assert_cmpstr(nameless->str, ==, "");
  gtk_test_accessible_assert_property(gtk_widget_get_first_child(
                                          window_test_child(t, "model_button")),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Model: English → German, bundled · 6 + 6 layers · 8 heads");
}

/* A warning by each of GLib's three ways, and one of those that are GTK's own. */
static void
warn(gconstpointer way)
{
  if (g_str_equal(way, "plain"))
    g_warning("A warning.");
  else if (g_str_equal(way, "structured"))
    g_log_structured("Regard", G_LOG_LEVEL_WARNING, "MESSAGE", "A warning.");
  else if (g_str_equal(way, "check"))
    g_warn_message("Regard", __FILE__, __LINE__, "warn", "a && b");
  else
    g_warn_message("Gdk", __FILE__, __LINE__, "gdk_frame_timings_hint", "a && b");
}

static void
test_warning(gconstpointer way)
{
  g_autofree char *path = g_strdup_printf("/window/subprocess/warning-%s", (const char *) way);
  g_test_trap_subprocess(path, 0, 0);
  if (g_str_equal(way, "gtk"))
    g_test_trap_assert_passed();
  else
    g_test_trap_assert_failed();
}

TESTS(.begin = window_test_begin)
{
  static const char *const warnings[] = {"plain", "structured", "check", "gtk"};
  for (guint i = 0; i < G_N_ELEMENTS(warnings); i++) {
    g_autofree char *path = g_strdup_printf("/window/warning-%s", warnings[i]);
    g_autofree char *inside = g_strdup_printf("/window/subprocess/warning-%s", warnings[i]);
    g_test_add_data_func(path, warnings[i], test_warning);
    g_test_add_data_func(inside, warnings[i], warn);
  }
  WINDOW_TEST("/window/numbers", test_numbers);
  WINDOW_TEST("/window/translates", test_translates);
  WINDOW_TEST("/window/unknown", test_unknown);
  WINDOW_TEST("/window/typing", test_typing);
  WINDOW_TEST("/window/terms", test_terms);
  WINDOW_TEST("/window/copy-unknown", test_copy_unknown);
  WINDOW_TEST("/window/undo", test_undo);
  WINDOW_TEST("/window/undo-is-grey", test_undo_is_grey);
  WINDOW_TEST("/window/own-translation", test_own_translation);
  WINDOW_TEST("/window/empty", test_empty);
  WINDOW_TEST("/window/paragraph", test_paragraph);
  WINDOW_TEST("/window/sight", test_sight);
  WINDOW_TEST("/window/pointer", test_pointer);
  WINDOW_TEST("/window/too-long", test_too_long);
  WINDOW_TEST("/window/alternatives", test_alternatives);
  WINDOW_TEST("/window/search", test_search);
  WINDOW_TEST("/window/keys", test_keys);
  WINDOW_TEST("/window/look", test_look);
  WINDOW_TEST("/window/remembered", test_remembered);
  WINDOW_TEST("/window/views-and-panes", test_views_and_panes);
  WINDOW_TEST("/window/names", test_names);
}

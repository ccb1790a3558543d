/* regard-window-start.c — what one begins with: the welcome, and examples that lead to what they
 * ask.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-targets.h"
#include "widgets/regard-gtk.h"
#include "window/regard-window-private.h"

/* ==== The welcome ===============================================================================
 */

void
regard_window_set_welcome(RegardWindow *self, gboolean is_shown)
{
  if (!is_shown == !self->is_welcoming)
    return;
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  const gboolean was_here = focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(self->welcome));
  self->is_welcoming = is_shown;
  g_free(self->welcome_text);
  self->welcome_text = is_shown ? g_strdup(regard_document_get_text(self->document)) : NULL;
  regard_window_update_content(self);
  if (!is_shown && was_here)
    regard_window_focus_picture(self);
}

/* Who types goes on, and so does who goes to a page. */
static void
on_text(RegardWindow *self)
{
  if (self->is_welcoming &&
      !g_str_equal(regard_document_get_text(self->document), self->welcome_text))
    regard_window_set_welcome(self, FALSE);
}

static void
on_left(RegardWindow *self)
{
  regard_window_set_welcome(self, FALSE);
}

void
regard_window_on_explore(RegardWindow *self, gboolean simple)
{
  g_settings_set_boolean(self->settings, "simple", simple);
  regard_window_set_welcome(self, FALSE);
}

static void
welcome(GtkWidget *widget, const char *name, GVariant *parameter)
{
  RegardWindow *self = REGARD_WINDOW(widget);
  regard_window_set_welcome(self, TRUE);
  if (gtk_widget_get_mapped(GTK_WIDGET(self->welcome)))
    gtk_widget_grab_focus(GTK_WIDGET(self->welcome));
}

/* ==== Examples ==================================================================================
 *
 * An example is a lesson of one step: its text, the place where something is seen, and a question,
 * which stays until another text is typed. The place waits for the translation.
 */

static void
forget_example(RegardWindow *self)
{
  self->example = NULL;
  self->is_leading = FALSE;
  g_clear_handle_id(&self->leading_idle, g_source_remove);
  regard_question_bar_ask(self->question, NULL);
}

/* The first token of a word; -1: it is not there. */
static int
find_word(const RegardLabel *labels, guint n, const char *word)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal(labels[i].text, word))
      return (int) labels[i].first_token;
  return -1;
}

/* A cell by its two words, of which the large picture may show the pieces. */
static RegardCell
find_cell(RegardWindow *self, const char *row, const char *column)
{
  const RegardMatrix *shown = regard_selection_get_matrix(self->selection);
  RegardMatrixSpec spec;
  regard_selection_get_spec(self->selection, &spec);
  spec.merge_words = spec.is_plain = TRUE;
  g_autoptr(RegardMatrix) words =
      regard_matrix_new_attention(regard_selection_get_capture(self->selection), &spec);
  if (!shown || !words)
    return (RegardCell){-1, -1};
  const int query = find_word(words->row_labels, words->rows, row),
            key = find_word(words->col_labels, words->cols, column);
  return (RegardCell){query < 0 ? -1 : regard_matrix_row_of_token(shown, (guint) query),
                      key < 0 ? -1 : regard_matrix_col_of_token(shown, (guint) key)};
}

/* The page, the head and the cell of an example, as far as it names them and they are there. The
 * only place that leads anywhere. */
static void
show_place(RegardWindow *self, const RegardExampleSentence *example)
{
  const RegardDirective page = {.type = REGARD_DIRECTIVE_PAGE, .text = example->page};
  RegardDirective head = {.type = REGARD_DIRECTIVE_HEAD};
  g_auto(GStrv) words = g_strsplit(example->head ? example->head : "", " ", 2);
  if (page.text)
    regard_stage_show(REGARD_STAGE(self), &page, NULL);
  if (words[0] && words[1] &&
      regard_target_parse_head(words[0], words[1], &head.kind, &head.layer, &head.head))
    regard_stage_show(REGARD_STAGE(self), &head, NULL);
  if (!example->row)
    return;
  const RegardCell cell = find_cell(self, example->row, example->column);
  if (cell.row >= 0 && cell.col >= 0)
    regard_selection_set_pin(self->selection, cell);
}

static gboolean
on_arrived(gpointer data)
{
  RegardWindow *self = data;
  self->leading_idle = 0;
  if (regard_selection_get_capture(self->selection))
    show_place(self, self->example);
  return G_SOURCE_REMOVE;
}

static void
on_answer(RegardWindow *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (!self->example)
    return;
  if (!g_str_equal(regard_document_get_text(self->document), self->example->text)) {
    forget_example(self);
    return;
  }
  if (!self->is_leading || regard_document_is_busy(self->document) || !result ||
      !g_str_equal(result->text, self->example->text) ||
      !regard_selection_get_capture(self->selection))
    return;
  /* When all who show the answer have it, and a page has its room. */
  self->is_leading = FALSE;
  self->leading_idle = g_idle_add_full(G_PRIORITY_LOW, on_arrived, self, NULL);
}

void
regard_window_on_example(RegardWindow *self, const char *text)
{
  forget_example(self);
  regard_window_set_welcome(self, FALSE);
  regard_document_set_text(self->document, text);
  for (guint i = 0; self->examples && i < self->examples->len && !self->example; i++) {
    const RegardExampleSentence *example = self->examples->pdata[i];
    if (g_str_equal(example->text, text))
      self->example = example;
  }
  gtk_widget_grab_focus(regard_source_pane_get_view(self->source));
  if (!self->example)
    return;
  self->is_leading = TRUE;
  regard_question_bar_ask(self->question, self->example->note);
  on_answer(self); /* it may be there already */
}

/* Those of the model that runs; the array is taken. */
void
regard_window_take_examples(RegardWindow *self, GPtrArray *examples)
{
  forget_example(self);
  g_clear_pointer(&self->examples, g_ptr_array_unref);
  self->examples = examples;
}

void
regard_window_forget_examples(RegardWindow *self)
{
  self->example = NULL;
  g_clear_handle_id(&self->leading_idle, g_source_remove);
  g_clear_pointer(&self->examples, g_ptr_array_unref);
  g_clear_pointer(&self->welcome_text, g_free);
}

/* ---- Both --------------------------------------------------------------------------------------
 */

void
regard_window_install_start_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.welcome", NULL, welcome);
}

void
regard_window_observe_start(RegardWindow *self)
{
  regard_observe(self->document, self, on_text, "changed::text");
  regard_observe(self->document, self, on_answer, "changed::text", "changed::result",
                 "changed::waiting", "changed::foreign");
  regard_observe(self->selection, self, on_answer, "notify::capture");
  regard_observe(self->views, self, on_left, "notify::visible-child");
  regard_observe(self->document, self, on_left, "changed::foreign", "session-opened");
}

/* regard-window-text.c — the two texts: what is typed goes into the document, what the document
 * holds is shown, and words under the pointer are lit in the pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window/regard-window-private.h"

#include "document/regard-sentences.h"
#include "figures/regard-naming.h"
#include "window/regard-window-handlers.h"
#include <glib/gi18n.h>
#include <string.h>

/* A spinner appears only when an answer takes longer than people notice. */
#define SPINNER_AFTER_MS 400

/* ---- From the person ----------------------------------------------------------------------- */

void
regard_window_on_source_changed(RegardWindow *self)
{
  g_autofree char *text = regard_text_card_dup_text(self->source);
  regard_document_edit(self->document, text, regard_text_card_get_caret(self->source));
}

void
regard_window_on_source_caret(RegardWindow *self, guint at)
{
  /* GtkTextBuffer moves the caret before it says that the text is another. */
  g_autofree char *text = regard_text_card_dup_text(self->source);
  regard_document_edit(self->document, text, at);
}

void
regard_window_on_source_hover(RegardWindow *self, int token)
{
  regard_selection_hover_source(self->selection, token);
}

void
regard_window_on_target_hover(RegardWindow *self, int token)
{
  regard_selection_hover_target(self->selection, token);
}

/* A click into another sentence of the translation goes to its source. */
void
regard_window_on_target_caret(RegardWindow *self, guint at)
{
  const RegardResult *result = regard_document_get_result(self->document);
  if (!result || !self->target_spans || regard_document_get_foreign(self->document))
    return;
  for (guint i = 0; i < self->target_spans->len; i++) {
    const RegardSentence *span = &g_array_index(self->target_spans, RegardSentence, i);
    if (at < span->begin || at > span->end || (int) i == result->active)
      continue;
    if (g_str_equal(regard_document_get_text(self->document), result->text))
      regard_document_set_caret(self->document, result->sentences[i].begin);
    return;
  }
}

void
regard_window_on_example(RegardWindow *self, const char *text)
{
  regard_document_set_text(self->document, text);
  gtk_widget_grab_focus(GTK_WIDGET(regard_text_card_get_view(self->source)));
}

/* ---- From the document --------------------------------------------------------------------- */

/* Neither does anything where it was typed. */
static void
on_caret(RegardWindow *self)
{
  gsize caret = regard_document_get_caret(self->document);
  if (!regard_document_get_foreign(self->document) &&
      regard_text_card_get_caret(self->source) != caret)
    regard_text_card_set_caret(self->source, caret);
}

static void
on_text(RegardWindow *self)
{
  if (regard_document_get_foreign(self->document))
    return;
  regard_text_card_set_text(self->source, regard_document_get_text(self->document));
  on_caret(self);
}

static void
clear_result(RegardWindow *self)
{
  regard_text_card_set_text(self->target, "");
  regard_text_card_set_sentence(self->source, 0, 0, NULL, FALSE);
  regard_text_card_set_sentence(self->target, 0, 0, NULL, FALSE);
}

static void
show_result(RegardWindow *self, const RegardResult *result)
{
  g_autofree char *translation = regard_result_layout(result, &self->target_spans);
  regard_text_card_set_text(self->target, translation);

  const RegardResultSentence *active = regard_result_active(result);
  if (!active)
    return;
  gboolean has_others = result->n_sentences > 1;
  /* The person may have typed on: then these offsets are of a text that is gone. */
  if (active->translation && g_str_equal(regard_document_get_text(self->document), result->text))
    regard_text_card_set_sentence(self->source, active->begin, active->end,
                                  mt_translation_source(active->translation), has_others);
  const mt_hypothesis *shown = regard_result_hypothesis(result, (guint) result->active);
  const RegardSentence *span =
      &g_array_index(self->target_spans, RegardSentence, (guint) result->active);
  regard_text_card_set_sentence(self->target, span->begin, span->end, shown ? shown->tokens : NULL,
                                has_others);
}

/* One line for all sentences; each part of the text once. */
static void
show_unknown(RegardWindow *self, const RegardResult *result)
{
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; result && i < result->n_sentences; i++) {
    const mt_translation *translation = result->sentences[i].translation;
    if (!translation)
      continue;
    g_auto(GStrv) parts =
        g_strsplit(mt_tokens_unknown(mt_translation_source(translation)), " ", -1);
    for (gsize k = 0; parts[k]; k++)
      if (g_hash_table_add(seen, g_strdup(parts[k])))
        g_string_append_printf(line, " %s", parts[k]);
  }
  gtk_widget_set_visible(GTK_WIDGET(self->unknown), line->len > 0);
  /* Translators: characters follow. */
  g_string_prepend(line, _("The model does not know:"));
  gtk_label_set_text(self->unknown, line->str);
}

/* What the pictures light is marked in the texts. */
static void
update_lit(RegardWindow *self)
{
  regard_text_card_set_lit(self->source, regard_selection_get_lit_source(self->selection));
  regard_text_card_set_lit(self->target, regard_selection_get_lit_target(self->selection));
}

static void
on_result(RegardWindow *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  g_clear_pointer(&self->target_spans, g_array_unref);
  if (result)
    show_result(self, result);
  else
    clear_result(self);
  show_unknown(self, result);
  update_lit(self);
}

/* ---- A file in their place ----------------------------------------------------------------- */

static void
show_tokens(RegardTextCard *card, const mt_tokens *tokens)
{
  const char *text = tokens ? mt_tokens_text(tokens) : "";
  regard_text_card_set_text(card, text);
  regard_text_card_set_caret(card, 0); /* long ones are read from their beginning */
  regard_text_card_set_sentence(card, 0, strlen(text), tokens, FALSE);
}

/* The keyboard is in a text, where typing leads back, unless it was in the pictures. */
static void
keep_focus(RegardWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(self));
  if (!focus || !gtk_widget_is_ancestor(focus, GTK_WIDGET(self->content)))
    gtk_widget_activate_action(GTK_WIDGET(self), "win.focus-source", NULL);
}

static void
on_foreign(RegardWindow *self)
{
  const mt_capture *file = regard_document_get_foreign(self->document);
  if (!file)
    on_text(self);
  g_object_set(self->source, "editable", !file, "title",
               _(regard_naming_stack_title(file, MT_STACK_ENCODER)), NULL);
  g_object_set(self->target, "title", _(regard_naming_stack_title(file, MT_STACK_DECODER)), NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->target), !file || mt_capture_output(file) != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->source), !file || mt_capture_source(file) != NULL);
  if (!file) {
    on_caret(self);
    return;
  }
  gtk_widget_set_visible(GTK_WIDGET(self->unknown), FALSE);
  show_tokens(self->source, mt_capture_source(file));
  show_tokens(self->target, mt_capture_output(file));
  update_lit(self);
  keep_focus(self);
}

/* ---- Waiting ------------------------------------------------------------------------------- */

static gboolean
on_spinner_timeout(gpointer data)
{
  RegardWindow *self = data;
  self->spinner_timeout = 0;
  gtk_spinner_start(self->spinner);
  return G_SOURCE_REMOVE;
}

static void
on_waiting(RegardWindow *self)
{
  g_clear_handle_id(&self->spinner_timeout, g_source_remove);
  if (regard_document_is_waiting(self->document))
    self->spinner_timeout = g_timeout_add(SPINNER_AFTER_MS, on_spinner_timeout, self);
  else
    gtk_spinner_stop(self->spinner);
}

void
regard_window_observe_text(RegardWindow *self)
{
  static const struct {
    const char *signal;
    void (*handler)(RegardWindow *);
  } observed[] = {
      {"notify::text", on_text},       {"notify::caret", on_caret},
      {"notify::result", on_result},   {"notify::foreign", on_foreign},
      {"notify::waiting", on_waiting},
  };
  for (guint i = 0; i < G_N_ELEMENTS(observed); i++)
    g_signal_connect_object(self->document, observed[i].signal, G_CALLBACK(observed[i].handler),
                            self, G_CONNECT_SWAPPED);
  static const char *const lit[] = {"hover-changed", "pin-changed", "matrix-changed"};
  for (guint i = 0; i < G_N_ELEMENTS(lit); i++)
    g_signal_connect_object(self->selection, lit[i], G_CALLBACK(update_lit), self,
                            G_CONNECT_SWAPPED);
  on_result(self);
}
